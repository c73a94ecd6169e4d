/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Samples of a recording added up by what they have in common. The database
 * does it: nothing is kept here.
 */
#include "base/text.h"
#include "record/sql.h"
#include "uncore/error.h"

/* A function, else an address: in its file, if that is known. */
#define FUNCTION                                                               \
	"CASE WHEN position.id IS NULL THEN '[not known]'"                     \
	" WHEN symbol IS NOT NULL THEN symbol"                                 \
	" WHEN object IS NULL THEN printf('0x%llx', position.address)"         \
	" ELSE printf('0x%llx', position.offset) END"

/* What has no name is equal to nothing else, and comes first. */
#define FIRST(ID) " ORDER BY num DESC, min(ifnull(" ID ", -1)), event"

#define OF_OVERFLOWS                                                           \
	" WHERE sample.kind = 'period' AND event >= 0"                         \
	" AND (?1 < 0 OR socket = ?1) GROUP BY label, place, event"

/* All stacks that samples have, each with its callers as a text. A recorder
 * writes callers first, so there is no way round. */
#define CHAINS                                                                 \
	"WITH RECURSIVE call (stack, next, text, depth) AS"                    \
	" (SELECT DISTINCT stack, stack, '', 0 FROM access"                    \
	" WHERE stack IS NOT NULL UNION ALL"                                   \
	" SELECT call.stack, CASE WHEN caller < stack.id THEN caller END,"     \
	" text || ' < ' || " FUNCTION ", depth + 1 FROM call"                  \
	" JOIN stack ON stack.id = next"                                       \
	" LEFT JOIN position ON position.id = stack.position"                  \
	" WHERE depth < 64)," /* of a recorder there are 16 at most */         \
	" chain AS (SELECT stack, text, max(depth) FROM call GROUP BY stack) "

static const char *const texts[] = {
	[UNCORE_BY_SYMBOL] =
		"SELECT " FUNCTION " AS label,"
		" ifnull(object, '') AS place, event,"
		" count(*) AS num FROM sample"
		" LEFT JOIN position"
		" ON position.id = sample.position" OF_OVERFLOWS FIRST(
			"sample.position"),
	[UNCORE_BY_THREAD] = "SELECT CASE WHEN thread.id IS NULL"
			     " THEN '[not known]' ELSE"
			     " printf('%d/%d', process, thread.thread) END"
			     " AS label, ifnull(name, '') AS place, event,"
			     " count(*) AS num FROM sample"
			     " LEFT JOIN thread"
			     " ON thread.id = sample.thread" OF_OVERFLOWS FIRST(
				     "sample.thread"),
	[UNCORE_BY_STACK] = CHAINS
	"SELECT " FUNCTION " || ifnull(text, '') AS label, '' AS place, event,"
	" count(*) AS num FROM sample"
	" LEFT JOIN position ON position.id = sample.position"
	" LEFT JOIN access ON access.sample = sample.id"
	" LEFT JOIN chain ON chain.stack = access.stack" OF_OVERFLOWS
	" ORDER BY num DESC, event, label",
};

/* Version 1 has no stacks. */
static const char first_stacks[] =
	"SELECT " FUNCTION " AS label, '' AS place, event,"
	" count(*) AS num FROM sample LEFT JOIN position"
	" ON position.id = sample.position" OF_OVERFLOWS
	" ORDER BY num DESC, event, label";

static const char *text_of(sqlite3_stmt *query, int column)
{
	const char *text = sql_text(query, column);

	return text ? text : "";
}

int uncore_recording_groups(struct uncore_recording *recording,
			    enum uncore_sample_grouping grouping, int socket,
			    bool (*take)(void *context,
					 const struct uncore_sample_group *),
			    void *context, char **error)
{
	struct sql *sql = recording_sql(recording);
	bool has_stacks = recording_version(recording) > 1;
	sqlite3_stmt *query =
		sql_prepare(sql, grouping == UNCORE_BY_STACK && !has_stacks
					 ? first_stacks
					 : texts[grouping]);
	bool more = true;
	int code = SQLITE_ERROR, result = 0;

	if (query)
		sqlite3_bind_int(query, 1, socket);
	while (query && more && (code = sqlite3_step(query)) == SQLITE_ROW) {
		const struct uncore_sample_group group = {
			.name = text_of(query, 0),
			.where = text_of(query, 1),
			.event = (size_t)sqlite3_column_int64(query, 2),
			.samples = (uint64_t)sqlite3_column_int64(query, 3),
		};

		more = take(context, &group);
	}
	if (more && code != SQLITE_DONE)
		result = text_error(UNCORE_ERR_BAD_RECORDING, error,
				    "cannot read '%s': %s", sql->path,
				    sql_reason(sql));
	sqlite3_finalize(query);
	return result;
}
