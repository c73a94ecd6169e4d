/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads a recording. The file may still be written to: what is read is what was
 * committed when the first row was asked for.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/text.h"
#include "record/sql.h"
#include "uncore/error.h"
#include "uncore/target.h"

enum { WAIT_MS = 10000, MAX_INDEX = UINT16_MAX, MAX_ID = INT32_MAX };

enum { MOST_TEXT = 20 << 20 };

/* More sockets than any board has; readers have a column for each. */
enum { MAX_SOCKET = 63 };

/* Less is no cycle of any clock: what sums of times have lost by rounding. */
static const double least_seconds = 1e-12;

/* What sums of them can still be told in. */
static const double most_seconds = 1e300;

enum {
	META,
	EVENT,
	POSITION,
	THREAD,
	STATE,
	SAMPLES,
	COUNTS,
	STACK,
	DATUM,
	NUM_QUERIES
};

/* Columns of SAMPLES. */
enum {
	ID,
	KIND,
	SOCKET,
	CYCLE,
	SECONDS,
	LENGTH,
	OVERFLOWED, /* event */
	INSTANCE,
	OVERRUN,
	LOST,
	CORE,
	AT, /* position */
	BY, /* thread */
	USE,
	ADDRESS,
	LINE,
	USER, /* core */
	HOME,
	CALLERS, /* stack */
	WHAT,	 /* datum */
	OFFSET,
	FIRST_CORE, /* touch_core */
	FIRST_BY,   /* touch_thread */
	ANSWERED,
	LATENCY,
	FIELD
};

static const char *const texts[NUM_QUERIES] = {
	[META] = "SELECT value FROM meta WHERE key = ?",
	[EVENT] = "SELECT text, canonical, box, multiplier, period FROM event"
		  " WHERE id = ?",
	[POSITION] = "SELECT address, object, symbol, offset, source, folder,"
		     " inlined"
		     " FROM position WHERE id = ?",
	[THREAD] = "SELECT process, thread, name FROM thread WHERE id = ?",
	[STATE] = "SELECT socket, box, instance, name, value, kind FROM state"
		  " WHERE id = ?",
	/* keys alone are sorted */
	[SAMPLES] = "WITH turn AS (SELECT id AS number FROM sample ORDER BY"
		    " seconds, id LIMIT -1) SELECT id, kind, socket, cycle, "
		    "seconds, length, event,"
		    " instance, overrun, lost, sample.core, position, thread,"
		    " use, address, line, access.core, home, stack, datum,"
		    " offset, touch_core, touch_thread, answered, latency, "
		    "field FROM"
		    " turn CROSS JOIN sample ON id = number"
		    " LEFT JOIN access ON sample = id",
	[COUNTS] = "SELECT event, instance, value, seconds, sample FROM count"
		   " WHERE sample >= ? ORDER BY sample, event, instance",
	[STACK] = "SELECT position, caller FROM stack WHERE id = ?",
	[DATUM] = "SELECT kind, object, symbol, stack, thread, size, objects"
		  " FROM datum WHERE id = ?",
};

struct uncore_recording {
	struct sql sql;
	sqlite3_stmt *queries[NUM_QUERIES];
	struct uncore_sample_count *counts;
	sqlite3_int64 counted; /* the sample of the row that COUNTS is at; -1 */
};

/* What a column has that no recorder writes. What is not known is NULL. */
#define NO_WORD "typeof(%1$s) NOT IN ('integer', 'null')"
static const char no_word[] = NO_WORD; /* all of 64 bits are good */
static const char no_number[] = NO_WORD " OR %1$s < 0";
static const char no_time[] = "typeof(%1$s) NOT IN ('real', 'integer')"
			      " OR abs(%1$s) > 1e300";
static const char no_wait[] = "typeof(%1$s) NOT IN ('real', 'integer', 'null')"
			      " OR %1$s NOT BETWEEN 0 AND 1e300";

/* All that are numbers, table by table; those of count, of which there are by
 * far the most rows, are looked at as they are read. */
static const struct {
	const char *table, *name, *wrong;
} columns[] = {
	{ "event", "multiplier", no_number },
	{ "event", "period", no_number },
	{ "position", "address", no_word },
	{ "position", "offset", no_word },
	{ "thread", "process", no_number },
	{ "thread", "thread", no_number },
	{ "sample", "socket", no_number },
	{ "sample", "cycle", no_number },
	{ "sample", "event", no_number },
	{ "sample", "instance", no_number },
	{ "sample", "overrun", no_number },
	{ "sample", "lost", no_number },
	{ "sample", "core", no_number },
	{ "sample", "position", no_number },
	{ "sample", "thread", no_number },
	{ "sample", "seconds", no_time },
	{ "sample", "length", no_time },
	{ "stack", "position", no_number },
	{ "stack", "caller", no_number },
	{ "access", "address", no_word },
	{ "access", "line", no_word },
	{ "access", "offset", no_word },
	{ "access", "core", no_number },
	{ "access", "home", no_number },
	{ "access", "stack", no_number },
	{ "access", "datum", no_number },
	{ "access", "latency", no_wait },
	{ "access", "touch_core", no_number },
	{ "access", "touch_thread", no_number },
	{ "datum", "stack", no_number },
	{ "datum", "thread", no_number },
	{ "datum", "size", no_number },
	{ "datum", "objects", no_number },
	{ "state", "socket", no_number },
	{ "state", "instance", no_number },
	{ "state", "value", no_word },
};

/* The first number that a query gives, or -1. */
static long ask(struct sql *sql, const char *text)
{
	sqlite3_stmt *query = sql_prepare(sql, text);
	long value = -1;

	if (query && sqlite3_step(query) == SQLITE_ROW)
		value = sql_id(query, 0);
	sqlite3_finalize(query);
	return value;
}

static int read_failed(const struct uncore_recording *recording, char **error)
{
	return text_error(UNCORE_ERR_BAD_RECORDING, error,
			  "cannot read '%s': %s", recording->sql.path,
			  sql_reason(&recording->sql));
}

static int no_sense(const struct uncore_recording *recording, char **error)
{
	return text_error(UNCORE_ERR_BAD_RECORDING, error,
			  "'%s' has numbers that no recorder writes: somebody "
			  "has changed it",
			  recording->sql.path);
}

/* What is told in numbers, each with the most that a recorder writes. */
static const struct {
	const char *key;
	double most;
	bool is_whole;
} numbers[] = {
	{ "sockets", MAX_SOCKET + 1, true }, { "clock_hz", 1e12, false },
	{ "seconds", 1e12, false },	     { "frozen_seconds", 1e12, false },
	{ "cycles", 0x1p64, false },	     { "cores", MAX_INDEX, true },
};

/* Whether they are such numbers: readers make room for so many sockets. */
static bool tells_numbers(struct uncore_recording *recording)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const char *text =
			uncore_recording_meta(recording, numbers[i].key);
		char *end;
		double number = text ? strtod(text, &end) : 1;

		if (text && (end == text || *end || !(number >= 0) ||
			     number > numbers[i].most ||
			     (numbers[i].is_whole && number != floor(number))))
			return false;
	}
	return true;
}

static int check_numbers(struct uncore_recording *recording, char **error)
{
	struct text query = { 0 };
	const char *table = "";
	long strange = 0;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (strcmp(columns[i].table, table))
			text_add(&query, "%s SELECT 1 FROM %s WHERE ",
				 *table ? " UNION ALL" : "SELECT EXISTS (",
				 columns[i].table);
		else
			text_add(&query, " OR ");
		table = columns[i].table;
		text_add(&query, columns[i].wrong, columns[i].name);
	}
	text_add(&query, ")");
	if (!query.data)
		return UNCORE_ERR_NO_MEMORY;
	strange = ask(&recording->sql, query.data);
	text_free(&query);
	if (strange < 0)
		return read_failed(recording, error);
	return strange || !tells_numbers(recording) ? no_sense(recording, error)
						    : 0;
}

static int check(struct uncore_recording *recording, char **error)
{
	const char *const missing[UNCORE_RECORDING_VERSION] = {
		NULL, sql_not_of_first, sql_not_of_second, sql_not_of_third
	};
	struct sql *sql = &recording->sql;
	long application = ask(sql, "PRAGMA application_id");
	long version = ask(sql, "PRAGMA user_version"), strange;

	if (application < 0)
		return read_failed(recording, error);
	if (application != SQL_APPLICATION)
		return text_error(UNCORE_ERR_BAD_RECORDING, error,
				  "'%s' is no recording of 'uncore record'",
				  sql->path);
	if (version < 1 || version > UNCORE_RECORDING_VERSION)
		return text_error(UNCORE_ERR_BAD_RECORDING, error,
				  "'%s' is a recording of version %ld; this "
				  "program knows versions 1 to %d",
				  sql->path, version, UNCORE_RECORDING_VERSION);
	strange = ask(sql, sql_no_tables);
	if (strange < 0)
		return read_failed(recording, error);
	if (strange)
		return text_error(UNCORE_ERR_BAD_RECORDING, error,
				  "'%s' has something else where a recorder "
				  "makes tables: somebody has changed it",
				  sql->path);
	return version < UNCORE_RECORDING_VERSION &&
			       sql_run(sql, missing[version]) != SQLITE_OK
		       ? read_failed(recording, error)
		       : 0;
}

static int prepare_all(struct uncore_recording *recording, char **error)
{
	for (unsigned i = 0; i < NUM_QUERIES; i++) {
		recording->queries[i] = sql_prepare(&recording->sql, texts[i]);
		if (!recording->queries[i])
			return read_failed(recording, error);
	}
	return 0;
}

/* Whether a file ends as a journal does that is one of several, and names the
 * file that joins them: SQLite would take that one away when it has played this
 * one back. A recorder writes one file at a time. */
static bool names_another(const char *path)
{
	static const unsigned char magic[] = { 0xd9, 0xd5, 0x05, 0xf9,
					       0x20, 0xa1, 0x63, 0xd7 };
	unsigned char end[sizeof(magic)];
	FILE *file = fopen(path, "re");
	bool is_one = file && !fseek(file, -(long)sizeof(end), SEEK_END) &&
		      fread(end, sizeof(end), 1, file) == 1 &&
		      !memcmp(end, magic, sizeof(end));

	if (file)
		fclose(file);
	return is_one;
}

/* Before SQLite opens any: those that are there are regular files. */
static int look_at_files(const char *path, char **error)
{
	static const char *const ends[] = { "", "-journal", "-wal", "-shm" };
	int code = 0;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && !code; i++) {
		struct text name = { 0 };
		struct stat status;

		text_add(&name, "%s%s", path, ends[i]);
		if (!name.data)
			code = UNCORE_ERR_NO_MEMORY;
		else if (stat(name.data, &status))
			; /* SQLite says so of the first */
		else if (!S_ISREG(status.st_mode))
			code = text_error(UNCORE_ERR_BAD_RECORDING, error,
					  "'%s' is no file: no recording",
					  name.data);
		else if (i && names_another(name.data))
			code = text_error(UNCORE_ERR_BAD_RECORDING, error,
					  "'%s' names another file, which no "
					  "recorder does: somebody has changed "
					  "it",
					  name.data);
		text_free(&name);
	}
	return code;
}

/* The file is anybody's: nothing that its schema says is run, and no text of it
 * is longer than a capture may be. */
static void distrust(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MOST_TEXT);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
}

int uncore_recording_open(const char *path, struct uncore_recording **recording,
			  char **error)
{
	struct uncore_recording *new = calloc(1, sizeof(*new));
	int result;

	if (!new)
		return UNCORE_ERR_NO_MEMORY;
	new->counted = -1;
	/* Writing is for what a killed recorder left half done. */
	result = look_at_files(path, error);
	if (!result)
		result = sql_open(&new->sql, path,
				  SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				  error);
	if (!result) {
		sqlite3_busy_timeout(new->sql.db, WAIT_MS);
		distrust(new->sql.db);
		result = check(new, error);
	}
	if (!result)
		result = prepare_all(new, error);
	if (!result)
		result = check_numbers(new, error);
	if (result)
		uncore_recording_free(new);
	else
		*recording = new;
	return result;
}

void uncore_recording_free(struct uncore_recording *recording)
{
	if (!recording)
		return;
	for (unsigned i = 0; i < NUM_QUERIES; i++)
		sqlite3_finalize(recording->queries[i]);
	sql_close(&recording->sql);
	free(recording->counts);
	free(recording);
}

/* The row with an id, or NULL. Its text is good until the next call. */
static sqlite3_stmt *row(struct uncore_recording *recording, unsigned query,
			 size_t id)
{
	sqlite3_stmt *statement = recording->queries[query];

	sqlite3_reset(statement);
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
	if (sqlite3_step(statement) == SQLITE_ROW)
		return statement;
	sqlite3_reset(statement);
	return NULL;
}

const char *uncore_recording_meta(struct uncore_recording *recording,
				  const char *key)
{
	sqlite3_stmt *statement = recording->queries[META];

	sqlite3_reset(statement);
	sql_bind_text(statement, 1, key);
	if (sqlite3_step(statement) == SQLITE_ROW)
		return sql_text(statement, 0);
	sqlite3_reset(statement);
	return NULL;
}

bool uncore_recording_is_complete(struct uncore_recording *recording)
{
	return uncore_recording_meta(recording, "complete");
}

bool uncore_recording_event(struct uncore_recording *recording, size_t index,
			    struct uncore_recorded_event *event)
{
	sqlite3_stmt *found = row(recording, EVENT, index);

	if (!found)
		return false;
	*event = (struct uncore_recorded_event){
		.text = sql_text(found, 0),
		.canonical = sql_text(found, 1),
		.box = sql_text(found, 2),
		.multiplier = (unsigned)sqlite3_column_int64(found, 3),
		.period = (uint64_t)sqlite3_column_int64(found, 4),
	};
	return true;
}

bool uncore_recording_position(struct uncore_recording *recording, size_t index,
			       struct uncore_position *position)
{
	sqlite3_stmt *found = row(recording, POSITION, index);

	if (!found)
		return false;
	*position = (struct uncore_position){
		.address = (uint64_t)sqlite3_column_int64(found, 0),
		.object = sql_text(found, 1),
		.symbol = sql_text(found, 2),
		.offset = (uint64_t)sqlite3_column_int64(found, 3),
		.source = sql_text(found, 4),
		.folder = sql_text(found, 5),
		.inlined = sql_text(found, 6),
	};
	return true;
}

bool uncore_recording_thread(struct uncore_recording *recording, size_t index,
			     long *process, long *thread, const char **name)
{
	sqlite3_stmt *found = row(recording, THREAD, index);

	if (!found)
		return false;
	*process = (long)sqlite3_column_int64(found, 0);
	*thread = (long)sqlite3_column_int64(found, 1);
	*name = sql_text(found, 2);
	return true;
}

bool uncore_recording_state(struct uncore_recording *recording, size_t index,
			    struct uncore_state *state)
{
	/* its ids are SQLite's own and start at 1 */
	sqlite3_stmt *found = row(recording, STATE, index + 1);

	int kind = found ? sql_kind(sql_state_kinds, sql_text(found, 5)) : -1;

	if (kind < 0)
		return false;
	*state = (struct uncore_state){
		.kind = (enum uncore_state_kind)kind,
		.socket = (unsigned)sqlite3_column_int64(found, 0),
		.box = sql_text(found, 1),
		.instance = (unsigned)sqlite3_column_int64(found, 2),
		.name = sql_text(found, 3),
		.value = (uint64_t)sqlite3_column_int64(found, 4),
	};
	return true;
}

/* Readers use numbers of rows, sockets and instances as indices. */
static bool is_number(sqlite3_stmt *query, int column, long most)
{
	sqlite3_int64 number = sqlite3_column_int64(query, column);

	return number >= 0 && number <= most;
}

bool uncore_recording_stack(struct uncore_recording *recording, size_t index,
			    long *position, long *caller)
{
	sqlite3_stmt *found = row(recording, STACK, index);

	if (!found || !is_number(found, 0, MAX_ID))
		return false;
	*position = (long)sqlite3_column_int64(found, 0);
	*caller = sql_id(found, 1);
	if (*caller < 0 || (size_t)*caller >= index)
		*caller = -1; /* a recorder writes callers first */
	return true;
}

bool uncore_recording_datum(struct uncore_recording *recording, size_t index,
			    struct uncore_datum *datum)
{
	sqlite3_stmt *found = row(recording, DATUM, index);
	int kind = found ? sql_kind(sql_datum_kinds, sql_text(found, 0)) : -1;

	if (kind < 0)
		return false;
	*datum = (struct uncore_datum){
		.kind = (enum uncore_datum_kind)kind,
		.object = sql_text(found, 1),
		.symbol = sql_text(found, 2),
		.stack = sql_id(found, 3),
		.thread = sql_id(found, 4),
		.size_bytes = (uint64_t)sqlite3_column_int64(found, 5),
		.num_objects = (uint64_t)sqlite3_column_int64(found, 6),
	};
	return true;
}

static double read_time(sqlite3_stmt *query, int column)
{
	double seconds = sqlite3_column_double(query, column);

	return fabs(seconds) < least_seconds ? 0 : seconds;
}

static bool makes_sense(sqlite3_stmt *query)
{
	static const int ids[] = { OVERFLOWED, INSTANCE,   CORE,    AT,
				   BY,	       USER,	   HOME,    CALLERS,
				   WHAT,       FIRST_CORE, FIRST_BY };
	bool fine = is_number(query, SOCKET, MAX_SOCKET) &&
		    is_number(query, HOME, MAX_SOCKET) &&
		    is_number(query, USER, MAX_INDEX);

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		fine = fine && is_number(query, ids[i], MAX_ID);
	return fine && isfinite(read_time(query, SECONDS)) &&
	       isfinite(read_time(query, LENGTH));
}

static bool is_index(sqlite3_int64 number)
{
	return number >= 0 && number <= MAX_INDEX;
}

/* A row of COUNTS; false: no recorder writes it. */
static bool take_count(sqlite3_stmt *query, struct uncore_sample_count *count)
{
	sqlite3_int64 row[3];
	int type = sqlite3_column_type(query, 3);

	for (int i = 0; i < 3; i++) {
		if (sqlite3_column_type(query, i) != SQLITE_INTEGER)
			return false;
		row[i] = sqlite3_column_int64(query, i);
	}
	*count = (struct uncore_sample_count){
		.event = (size_t)row[0],
		.instance = (unsigned)row[1],
		.value = (uint64_t)row[2],
		.seconds = read_time(query, 3),
	};
	return is_index(row[0]) && is_index(row[1]) && row[2] >= 0 &&
	       (type == SQLITE_FLOAT || type == SQLITE_INTEGER) &&
	       fabs(count->seconds) <= most_seconds;
}

/* Samples most often come as their counts do, so the rows of the next one are
 * at hand. */
static int read_counts(struct uncore_recording *recording, sqlite3_int64 sample,
		       size_t *num_counts, char **error)
{
	sqlite3_stmt *query = recording->queries[COUNTS];
	int code = SQLITE_ROW;

	*num_counts = 0;
	if (recording->counted != sample) {
		sqlite3_reset(query);
		sqlite3_bind_int64(query, 1, sample);
		code = sqlite3_step(query);
	}
	while (code == SQLITE_ROW && sqlite3_column_int64(query, 4) == sample) {
		if (!array_room(&recording->counts, *num_counts,
				sizeof(*recording->counts)))
			return UNCORE_ERR_NO_MEMORY;
		if (!take_count(query, &recording->counts[(*num_counts)++]))
			return no_sense(recording, error);
		code = sqlite3_step(query);
	}
	recording->counted =
		code == SQLITE_ROW ? sqlite3_column_int64(query, 4) : -1;
	return code == SQLITE_ROW || code == SQLITE_DONE
		       ? 1
		       : read_failed(recording, error);
}

/* False: a use that is not known. */
static bool take_access(sqlite3_stmt *query,
			struct uncore_sampled_access *access)
{
	const char *name = sql_text(query, USE);
	int use = sql_kind(sql_uses, name);

	*access = (struct uncore_sampled_access){
		.is_known = name,
		.use = use < 0 ? 0 : (enum uncore_sampled_use)use,
		.address = (uint64_t)sqlite3_column_int64(query, ADDRESS),
		.line = (uint64_t)sqlite3_column_int64(query, LINE),
		.core = sql_id(query, USER),
		.home = sql_id(query, HOME),
		.stack = sql_id(query, CALLERS),
		.datum = sql_id(query, WHAT),
		.offset = (uint64_t)sqlite3_column_int64(query, OFFSET),
		.touch_core = sql_id(query, FIRST_CORE),
		.touch_thread = sql_id(query, FIRST_BY),
		.answered = sql_text(query, ANSWERED),
		.field = sql_text(query, FIELD),
		.latency_seconds = sqlite3_column_double(query, LATENCY),
	};
	return !name || use >= 0;
}

/* False: a kind or a use that is not known. */
static bool take_sample(sqlite3_stmt *query, struct uncore_sample *sample)
{
	int kind = sql_kind(sql_sample_kinds, sql_text(query, KIND));
	long cycle = sql_id(query, CYCLE);

	*sample = (struct uncore_sample){
		.kind = kind < 0 ? 0 : (enum uncore_sample_kind)kind,
		.socket = (unsigned)sqlite3_column_int64(query, SOCKET),
		.cycle = cycle < 0 ? UNCORE_NO_CYCLE : (uint64_t)cycle,
		.seconds = read_time(query, SECONDS),
		.length_seconds = read_time(query, LENGTH),
		.event = sql_id(query, OVERFLOWED),
		.instance = sql_id(query, INSTANCE),
		.overrun = (uint64_t)sqlite3_column_int64(query, OVERRUN),
		.lost = (uint64_t)sqlite3_column_int64(query, LOST),
		.core = sql_id(query, CORE),
		.position = sql_id(query, AT),
		.thread = sql_id(query, BY),
	};
	return take_access(query, &sample->access) && kind >= 0;
}

int uncore_recording_next(struct uncore_recording *recording,
			  struct uncore_sample *sample,
			  const struct uncore_sample_count **counts,
			  size_t *num_counts, char **error)
{
	sqlite3_stmt *query = recording->queries[SAMPLES];
	int code = sqlite3_step(query);

	if (code == SQLITE_DONE) {
		uncore_recording_rewind(recording);
		return 0;
	}
	if (code != SQLITE_ROW)
		return read_failed(recording, error);
	if (!makes_sense(query))
		return no_sense(recording, error);
	if (!take_sample(query, sample))
		return text_error(UNCORE_ERR_BAD_RECORDING, error,
				  "'%s' has a sample of an unknown kind",
				  recording->sql.path);
	code = read_counts(recording, sqlite3_column_int64(query, ID),
			   num_counts, error);
	*counts = recording->counts;
	return code;
}

void uncore_recording_rewind(struct uncore_recording *recording)
{
	sqlite3_reset(recording->queries[SAMPLES]);
	sqlite3_reset(recording->queries[COUNTS]);
	recording->counted = -1;
}

/* Whether a row was had and more are wanted. */
static bool give_row(sqlite3_stmt *query, struct uncore_recorded_value *row,
		     bool (*take)(void *context,
				  const struct uncore_recorded_value *row),
		     void *context)
{
	int num = sqlite3_column_count(query);

	if (sqlite3_step(query) != SQLITE_ROW)
		return false;
	for (int i = 0; i < num; i++) {
		bool is_null = sqlite3_column_type(query, i) == SQLITE_NULL;

		row[i].number = is_null ? NAN : sqlite3_column_double(query, i);
		row[i].text = sql_text(query, i);
	}
	return take(context, row);
}

/* Whether a statement makes a table beside the recording. */
static bool is_beside(const char *text)
{
	static const char made[] = "CREATE TEMP TABLE ";

	return !strncmp(text, made, strlen(made));
}

/* One statement of several; *text is then what follows it. */
static int ask_one(struct uncore_recording *recording, const char **text,
		   const long *values, size_t num_values,
		   bool (*take)(void *context,
				const struct uncore_recorded_value *row),
		   void *context, char **error)
{
	const char *from = *text + strspn(*text, " ");
	struct uncore_recorded_value *row;
	sqlite3_stmt *query = NULL;
	int result = 0;

	if (sqlite3_prepare_v2(recording->sql.db, from, -1, &query, text))
		return read_failed(recording, error);
	row = calloc((size_t)sqlite3_column_count(query) + 1, sizeof(*row));
	for (size_t i = 0; i < num_values; i++)
		sqlite3_bind_int64(query, (int)i + 1, values[i]);
	if (!row)
		result = UNCORE_ERR_NO_MEMORY;
	else if (!sqlite3_stmt_readonly(query) && !is_beside(from))
		result = text_error(UNCORE_ERR_BAD_OPTION, error,
				    "a recording is only read, not changed");
	while (!result && give_row(query, row, take, context))
		;
	if (!result && sqlite3_reset(query) != SQLITE_OK)
		result = read_failed(recording, error);
	sqlite3_finalize(query);
	free(row);
	return result;
}

int uncore_recording_query(
	struct uncore_recording *recording, const char *text,
	const long *values, size_t num_values,
	bool (*take)(void *context, const struct uncore_recorded_value *row),
	void *context, char **error)
{
	int result = 0;

	while (!result && *text)
		result = ask_one(recording, &text, values, num_values, take,
				 context, error);
	return result;
}
