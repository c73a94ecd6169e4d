/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording as tables that are one question in SQL each: what samples have in
 * common, and which data they were to. ?1 is the socket (-1: all), ?2 and ?3
 * how many rows there are at most, and rows below each.
 *
 * Cores take a line away from each other when one writes it. Where one uses
 * the bytes that another one has just used, it is shared; where it uses others,
 * it is falsely shared, and would be left in peace if the data lay on lines of
 * their own. What counts is who came just before, a few samples of the line: in
 * the course of a run work may go from core to core and take its data along. A
 * sample tells where an access begins and not how long it is, and some may miss
 * that bytes are used by others: of the two kinds, one with less than a tenth
 * of the hand-overs is left out. Who reads what a snoop finds modified (HITM)
 * reads what another core has written. A page that is used from another socket
 * than the one whose memory it is in lies in the wrong place.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "reader.h"
#include "tool.h"
#include "uncore/error.h"

#define OF_SOCKET "(?1 < 0 OR sample.socket = ?1)"

/* A function, else an address: in its file, if that is known. */
#define FUNCTION                                                               \
	"CASE WHEN position.id IS NULL THEN '[not known]'"                     \
	" WHEN symbol IS NOT NULL THEN symbol"                                 \
	" WHEN object IS NULL THEN printf('0x%llx', position.address)"         \
	" ELSE printf('0x%llx', position.offset) END"
#define THREAD                                                                 \
	"CASE WHEN thread.id IS NOT NULL"                                      \
	" THEN printf('%d/%d', process, thread.thread) END"

/* Events that samples were taken of, with the number of these. */
#define SAMPLED                                                                \
	"WITH RECURSIVE sampled AS (SELECT event.id AS event, text, period,"   \
	" count(*) AS total FROM event JOIN sample ON sample.event = event.id" \
	" WHERE " OF_SOCKET " GROUP BY event.id)"
#define SHARES(NUM) NUM " * 1.0 / total, " NUM ", " NUM " * 1.0 * period"

struct reader_view {
	const char *name, *title;
	const char *columns, *text;
	const char *columns_below, *below; /* NULL: nothing is below rows */
};

/* Equal texts are one group. Without a name there are no others to be equal to;
 * these come first. */
#define OVERFLOWS " FROM sample JOIN sampled USING (event)"
#define GROUPED                                                                \
	" WHERE sample.kind = 'period' AND " OF_SOCKET                         \
	" GROUP BY label, place, event"
#define FIRST(ID) " ORDER BY count(*) DESC, min(ifnull(" ID ", -1)), event"

/* All stacks that samples have, each with its callers as a text. A recorder
 * writes callers first, so there is no way round, and 16 of them at most. */
#define CHAINS                                                                 \
	", call (stack, next, text, depth) AS"                                 \
	" (SELECT DISTINCT stack, stack, '', 0 FROM access"                    \
	" WHERE stack IS NOT NULL UNION ALL"                                   \
	" SELECT call.stack, CASE WHEN caller < stack.id THEN caller END,"     \
	" text || ' < ' || " FUNCTION ", depth + 1 FROM call"                  \
	" JOIN stack ON stack.id = next"                                       \
	" LEFT JOIN position ON position.id = stack.position"                  \
	" WHERE depth < 64),"                                                  \
	" chain AS (SELECT stack, text AS callers, max(depth)"                 \
	" FROM call GROUP BY stack) "

/* The accesses of samples. Those of a unit, a line or a page, are a group; the
 * groups with most samples are numbered. The socket is that of the core which
 * made the access, where that is known. */
#define USES                                                                   \
	"count(*) AS num, sum(use = 'load') AS loads,"                         \
	" sum(use IN ('store', 'stream')) AS stores,"                          \
	" sum(use = 'lock') AS locks"
#define HITS(BITS, ORDER)                                                      \
	SAMPLED                                                                \
	", hit AS (SELECT event, sample.id AS moment, line >> " BITS           \
	" AS unit, use, address, home,"                                        \
	" access.core AS core, datum, access.offset AS far, position, thread," \
	" ifnull(access.core / (SELECT CAST(value AS INTEGER) FROM meta"       \
	" WHERE key = 'cores'), socket) AS socket FROM sample"                 \
	" JOIN access ON access.sample = sample.id WHERE kind = 'period'"      \
	" AND event IS NOT NULL AND " OF_SOCKET "),"                           \
	" found AS (SELECT row_number() OVER (ORDER BY count(*) DESC, " ORDER  \
	") AS number, event, unit, " USES ","                                  \
	" sum(use = 'prefetch') AS prefetches, count(DISTINCT core) AS cores," \
	" count(DISTINCT socket) AS sockets, avg(home <> socket) AS remote"    \
	" FROM hit GROUP BY event, unit ORDER BY number LIMIT ?2)"
#define LINES HITS("0", "unit, event")
#define PAGES HITS("6", "event, unit")

/* What an access was to; FAR: how far into a variable. */
#define DATUM(FAR)                                                             \
	"CASE datum.kind WHEN 'symbol' THEN ifnull(datum.symbol, '?')" FAR     \
	" WHEN 'file' THEN 'file ' || ifnull(datum.object, '?')"               \
	" WHEN 'heap' THEN 'heap' WHEN 'stack' THEN 'stack'"                   \
	" WHEN 'anonymous' THEN 'anonymous' ELSE '[not known]' END"
#define FAR " || CASE far WHEN 0 THEN '' ELSE printf('+0x%llx', far) END"

/* Samples that are not known to be any access, behind all others. */
#define UNKNOWN(BEFORE, BEHIND)                                                \
	" UNION ALL SELECT 1e18 + event, " SHARES(                             \
		"count(*)") ", " BEFORE " '[not known]', " BEHIND              \
			    " text" OVERFLOWS                                  \
			    " LEFT JOIN access ON access.sample = sample.id"   \
			    " WHERE kind = 'period' AND " OF_SOCKET            \
			    " AND access.sample IS NULL GROUP BY event ORDER " \
			    "BY 1"

/* Of all events together: one may count reads and the other one writes. */
#define SHARING                                                                \
	", used AS (SELECT unit, core, thread, address & 63 AS place,"         \
	" (use IN ('store', 'lock', 'stream') OR event IN"                     \
	" (SELECT id FROM event WHERE text LIKE '%HITM%')) AS writes,"         \
	" row_number() OVER (PARTITION BY unit ORDER BY moment) AS turn"       \
	" FROM hit WHERE core IS NOT NULL AND use IN"                          \
	" ('load', 'fetch', 'walk', 'store', 'lock', 'stream')),"              \
	" back (turns) AS (VALUES (1), (2), (3), (4), (5), (6), (7), (8)),"    \
	" handed AS (SELECT one.unit, max(one.place = other.place) AS is_same" \
	" FROM used AS one JOIN back JOIN used AS other"                       \
	" ON other.unit = one.unit AND other.turn = one.turn - turns"          \
	" WHERE other.core <> one.core AND other.thread IS NOT one.thread"     \
	" AND (one.writes OR other.writes) GROUP BY one.unit, one.turn),"      \
	" sharing AS (SELECT unit, sum(is_same) AS shared,"                    \
	" sum(NOT is_same) AS falsely FROM handed GROUP BY unit)"

/* Accesses to a line that differ in nothing that is shown. */
#define USERS                                                                  \
	", mine AS (SELECT number, found.num AS every, hit.address, " FUNCTION \
	" AS label, ifnull(object, '') AS object, ifnull(source, '')"          \
	" AS source, core, socket, thread, datum, far, use"                    \
	" FROM hit JOIN found USING (event, unit)"                             \
	" LEFT JOIN position ON position.id = position),"                      \
	" user AS (SELECT *, min(ifnull(datum, -1)), " USES ","                \
	" row_number() OVER (PARTITION BY number ORDER BY count(*) DESC,"      \
	" address, label, object, source, core, thread) AS place FROM mine"    \
	" GROUP BY number, address, label, object, source, core, thread)"

/* One of them; of those that are too many the rest is one row. */
#define ONE(VALUE) "CASE WHEN place <= ?3 THEN " VALUE " END"

static const struct reader_view views[] = {
	[READER_SYMBOLS] = {
		"symbols", "By symbol: whose access it was",
		"share:% samples:n events:n symbol:s object:s event:t",
		SAMPLED " SELECT " SHARES("count(*)") ", " FUNCTION
		" AS label, ifnull(object, '') AS place, text" OVERFLOWS
		" LEFT JOIN position ON position.id = sample.position"
		GROUPED FIRST("sample.position"),
		NULL, NULL,
	},
	[READER_THREADS] = {
		"threads", "By thread: whose access it was",
		"share:% samples:n events:n thread:s name:s event:t",
		SAMPLED " SELECT " SHARES("count(*)") ", ifnull(" THREAD
		", '[not known]') AS label, ifnull(name, '') AS place, text"
		OVERFLOWS " LEFT JOIN thread ON thread.id = sample.thread"
		GROUPED FIRST("sample.thread"),
		NULL, NULL,
	},
	[READER_STACKS] = {
		"stacks",
		"By stack: whose access it was, and who called",
		"share:% samples:n events:n event:t stack:s",
		SAMPLED CHAINS " SELECT " SHARES("count(*)") ", sampled.text"
		" AS place, " FUNCTION " || ifnull(callers, '') AS label"
		OVERFLOWS
		" LEFT JOIN position ON position.id = sample.position"
		" LEFT JOIN access ON access.sample = sample.id"
		" LEFT JOIN chain ON chain.stack = access.stack" GROUPED
		" ORDER BY count(*) DESC, event, label LIMIT ?2",
		NULL, NULL,
	},
	[READER_STATE] = {
		"state", "What boxes held when everything stopped",
		"box:t value:n kind:t name:t",
		"SELECT printf('S%d %s%d', socket, box, instance), value, kind,"
		" name FROM state AS sample WHERE " OF_SOCKET " ORDER BY id",
		NULL, NULL,
	},
	[READER_LINES] = {
		"lines", "By line of 64 bytes: whose access it was",
		"share:% samples:n events:n loads:n stores:n locks:n"
		" prefetches:n others:n cores:n sockets:n home:n address:t"
		" data:s sharing:t event:t",
		LINES SHARING ", first AS (SELECT event, unit, min(address)"
		" AS address, home, datum, far FROM hit GROUP BY event, unit)"
		" SELECT number, " SHARES("num") ", loads, stores, locks,"
		" prefetches, num - loads - stores - locks - prefetches, cores,"
		" sockets, home, printf('0x%llx', address & ~63), " DATUM(FAR)
		", CASE WHEN shared AND falsely AND 10 * shared >= falsely"
		" AND 10 * falsely >= shared THEN 'shared, false sharing'"
		" WHEN shared > falsely THEN 'shared'"
		" WHEN falsely THEN 'false sharing' ELSE '' END, text"
		" FROM found JOIN first USING (event, unit)"
		" JOIN sampled USING (event) LEFT JOIN sharing USING (unit)"
		" LEFT JOIN datum ON datum.id = datum"
		UNKNOWN("NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,",
			"NULL, NULL,"),
		"share:% samples:n loads:n stores:n locks:n offset:t core:n"
		" socket:n thread:s symbol:s source:s data:s object:s",
		LINES USERS
		" SELECT number, sum(num) * 1.0 / every, sum(num), sum(loads),"
		" sum(stores), sum(locks), " ONE("printf('0x%x', address & 63)")
		", " ONE("core") ", " ONE("socket") ", " ONE(THREAD)
		", CASE WHEN place <= ?3 THEN label ELSE"
		" printf('[%d more]', count(*)) END, " ONE("source") ", "
		ONE(DATUM(FAR)) ", " ONE("user.object") " FROM user"
		" LEFT JOIN thread ON thread.id = user.thread"
		" LEFT JOIN datum ON datum.id = datum"
		" GROUP BY number, min(place, ?3 + 1)",
	},
	[READER_PAGES] = {
		"pages", "By page of 4 KiB: whose access it was",
		"share:% samples:n events:n remote:% home:n sockets:n cores:n"
		" address:t data:s event:t",
		/* it may have been several, one after the other */
		PAGES ", part AS (SELECT event, unit, datum, count(*) AS num,"
		" address & ~4095 AS page, min(home) AS home FROM hit"
		" GROUP BY event, unit, datum, page), first AS (SELECT event,"
		" unit, page, home, datum, max(num) FROM part"
		" GROUP BY event, unit)"
		" SELECT number, " SHARES("num") ", remote, home, sockets,"
		" cores, printf('0x%llx', page), " DATUM("")
		", text FROM found JOIN first USING (event, unit)"
		" JOIN sampled USING (event)"
		" LEFT JOIN datum ON datum.id = datum"
		UNKNOWN("NULL, NULL, NULL, NULL,", "NULL,"),
		"share:% samples:n socket:n cores:n loads:n stores:n locks:n"
		" remote:%",
		PAGES ", mine AS (SELECT number, found.num AS every, hit.*"
		" FROM hit JOIN found USING (event, unit))"
		" SELECT number, count(*) * 1.0 / every, count(*), socket,"
		" count(DISTINCT core), sum(use = 'load'),"
		" sum(use IN ('store', 'stream')), sum(use = 'lock'),"
		" avg(home <> socket) FROM mine GROUP BY number, socket",
	},
	[READER_SUMS] = {
		"sums", "Sums of all lines that belong together",
		"share:% samples:n events:n loads:n stores:n locks:n lines:n"
		" pages:n from:t to:t data:t event:t",
		LINES " SELECT " SHARES("count(*)") ", sum(use = 'load'),"
		" sum(use IN ('store', 'stream')), sum(use = 'lock'),"
		" count(DISTINCT unit), count(DISTINCT unit >> 6),"
		" printf('0x%llx', min(address)),"
		" printf('0x%llx', max(address)), " DATUM("") " AS label, text"
		" FROM hit JOIN sampled USING (event)"
		" LEFT JOIN datum ON datum.id = datum GROUP BY event, label"
		" HAVING count(DISTINCT unit) > 1"
		" ORDER BY count(*) DESC, label, event LIMIT ?2",
		NULL, NULL,
	},
};

/* Where the rows of a question go; of one with rows below, the first value is
 * the number of the row that it belongs to. */
struct answer {
	struct table *table;
	size_t *ends; /* of each row above; NULL: there is none */
	size_t num_above;
	bool is_numbered;
};

static bool take(void *context, const struct uncore_recorded_value *row)
{
	const struct answer *answer = context;
	struct table *table = answer->table;
	size_t above = (size_t)row->number - 1;
	size_t at = table_add_row(table);

	row += answer->is_numbered;
	for (size_t i = 0; !table->failed && i < table->num_columns; i++)
		if (table->columns[i].kind == TABLE_TEXT)
			table_set_text(table, at, i, row[i].text);
		else
			table_set(table, at, i, row[i].number);
	if (answer->ends && above < answer->num_above)
		answer->ends[above] = table->num_rows;
	return !table->failed;
}

static int ask(struct reader *reader, const char *text,
	       const struct reader_limits *limits, struct answer *answer)
{
	const long values[] = {
		reader->socket,
		limits->rows ? (long)limits->rows : INT_MAX,
		limits->below ? (long)limits->below : INT_MAX,
	};
	char *error = NULL;
	int code = uncore_recording_query(reader->recording, text, values, 3,
					  take, answer, &error);

	if (!code && answer->table->failed)
		code = UNCORE_ERR_NO_MEMORY;
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static int ask_below(struct reader *reader, const struct reader_view *view,
		     const struct reader_limits *limits, struct table *table)
{
	struct answer answer = { .table = table_below(table, "users"),
				 .ends = calloc(table->num_rows + 1,
						sizeof(*answer.ends)),
				 .num_above = table->num_rows,
				 .is_numbered = true };
	int status;

	table->below_ends = answer.ends;
	if (!answer.table || !answer.ends)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	table_add_columns(answer.table, view->columns_below);
	status = ask(reader, view->below, limits, &answer);
	for (size_t i = 1; i < table->num_rows; i++)
		if (!answer.ends[i])
			answer.ends[i] = answer.ends[i - 1];
	return status;
}

int reader_view(struct reader *reader, enum reader_view_name name,
		const struct reader_limits *limits, struct table *table)
{
	const struct reader_view *view = &views[name];
	struct answer answer = { .table = table, .is_numbered = view->below };
	int status;

	table_init(table, view->name, view->title);
	table_add_columns(table, view->columns);
	status = ask(reader, view->text, limits, &answer);
	if (!status && view->below)
		status = ask_below(reader, view, limits, table);
	return status;
}

int reader_events(struct reader *reader, struct table *table)
{
	table_init(table, "events", "What was recorded");
	table_add_column(table, "total", reader->is_estimate ? "estimate" : "",
			 TABLE_COUNT);
	table_add_columns(table, "per_second:r samples:n period:n event:t");
	for (size_t i = 0; i < reader->num_events && !table->failed; i++) {
		const struct reader_event *event = &reader->events[i];
		double period = event->period ? (double)event->period : NAN;

		table_add(table, round(event->total),
			  reader->seconds > 0 ? event->total / reader->seconds
					      : NAN,
			  event->period ? (double)event->num_samples : NAN,
			  period, event->text);
	}
	return table_made(table);
}

int reader_boxes(struct reader *reader, struct table *table)
{
	table_init(table, "boxes", "By box");
	table_add_columns(table, "box:t total:n share:% samples:n event:t");
	for (size_t i = 0; i < reader->num_spots && !table->failed; i++) {
		const struct reader_spot *spot = &reader->spots[i];
		const struct reader_event *event = &reader->events[spot->event];
		char name[64];

		snprintf(name, sizeof(name), "S%u %s%u", spot->socket,
			 event->box, spot->instance);
		table_add(table, name, round(spot->total),
			  event->total > 0 ? spot->total / event->total : NAN,
			  event->period ? (double)spot->num_samples : NAN,
			  event->text);
	}
	return table_made(table);
}
