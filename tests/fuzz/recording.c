/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Recordings and their reports. A byte says which view is printed, how, and
 * whether the rest is a file of SQLite or rows: a byte for the table, and for
 * each column one for the kind of its value and what that needs. Nothing is
 * written to a disk: linked with --wrap=sql_open,sql_close, and
 * --wrap=uncore_metrics_new,uncore_metrics_free, since the built-in metrics
 * would be read again for each input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "json.h"
#include "metrics.h"
#include "reader.h"
#include "record/sql.h"
#include "tests/fuzz/fuzz.h"
#include "tool.h"
#include "uncore/metric.h"

enum {
	IS_FILE = 0x80,
	IS_FIRST_VERSION = 0x40,
	VIEW_BITS = 4,
	NUM_STEPS = 5,
	MAX_ROWS = 64,
	MAX_COLUMNS = 13,
	MAX_FAMILIES = 8,
};

static sqlite3 *database;

/* The file: the one that is at hand. */

int __wrap_sql_open(struct sql *sql, const char *path, int flags, char **error);
int __wrap_sql_open(struct sql *sql, const char *path, int flags, char **error)
{
	(void)flags;
	(void)error;
	sql->db = database;
	sql->path = strdup(path);
	return 0;
}

void __wrap_sql_close(struct sql *sql);
void __wrap_sql_close(struct sql *sql)
{
	free(sql->path);
	*sql = (struct sql){ 0 };
}

/* The metrics: read once. */

int __real_uncore_metrics_new(const struct uncore_family *family,
			      struct uncore_metrics **metrics, char **error);
int __wrap_uncore_metrics_new(const struct uncore_family *family,
			      struct uncore_metrics **metrics, char **error);
int __wrap_uncore_metrics_new(const struct uncore_family *family,
			      struct uncore_metrics **metrics, char **error)
{
	static const struct uncore_family *families[MAX_FAMILIES];
	static struct uncore_metrics *sets[MAX_FAMILIES];
	unsigned i = 0;

	while (i < MAX_FAMILIES && families[i] && families[i] != family)
		i++;
	fuzz_must(i < MAX_FAMILIES, "there are more families");
	if (!families[i])
		fuzz_must(!__real_uncore_metrics_new(family, &sets[i], error),
			  "no metrics");
	families[i] = family;
	*metrics = sets[i];
	return 0;
}

void __wrap_uncore_metrics_free(struct uncore_metrics *metrics);
void __wrap_uncore_metrics_free(struct uncore_metrics *metrics)
{
	(void)metrics;
}

/* Rows */

static const struct {
	const char *name;
	int num_columns;
} tables[] = {
	{ "meta", 2 },	  { "event", 6 }, { "position", 8 }, { "thread", 4 },
	{ "sample", 13 }, { "stack", 3 }, { "datum", 8 },    { "access", 14 },
	{ "count", 5 },	  { "state", 7 },
};
enum { NUM_TABLES = sizeof(tables) / sizeof(tables[0]) };

/* What stands in recordings, or might. */
static const char *const words[] = {
	"machine",
	"xeon-e7",
	"xeon-7500",
	"xeon-e5-2600",
	"origin",
	"what",
	"sockets",
	"2",
	"complete",
	"clock_hz",
	"frozen_seconds",
	"0.5",
	"period",
	"interval",
	"freeze",
	"end",
	"load",
	"store",
	"fetch",
	"prefetch",
	"lock",
	"walk",
	"kernel",
	"symbol",
	"file",
	"heap",
	"stack",
	"anonymous",
	"allocated",
	"status",
	"count",
	"level",
	"cbox",
	"sbox",
	"mbox",
	"main",
	"a.c:12",
	"a<b>&\"'",
	"\033[31mred",
	"\xff\xfe",
	"",
	"-1e999",
	"cbox/LLC_MISSES.ALL/",
	"cbox/LLC_HITS.ALL/",
	"wbox/FIXED_CTR/",
	"mbox/DRAM_CMD.CAS_RD_OPN/",
};
enum { NUM_WORDS = sizeof(words) / sizeof(words[0]) };

static void bind(sqlite3_stmt *row, int column, struct fuzz_bytes *bytes)
{
	uint64_t kind = fuzz_number(bytes, 1), number;
	double real;

	switch (kind % 8) {
	case 0: sqlite3_bind_null(row, column); break;
	case 1:
		number = fuzz_number(bytes, 8);
		sqlite3_bind_int64(row, column, (sqlite3_int64)number);
		break;
	case 2:
		number = fuzz_number(bytes, 8);
		memcpy(&real, &number, sizeof(real));
		sqlite3_bind_double(row, column, real);
		break;
	case 3:
		sqlite3_bind_text(row, column,
				  words[fuzz_number(bytes, 1) % NUM_WORDS], -1,
				  SQLITE_STATIC);
		break;
	case 4:
		sqlite3_bind_double(row, column,
				    (double)fuzz_number(bytes, 2) / 1000);
		break;
	default: /* the small numbers that most are */
		sqlite3_bind_int64(row, column, (sqlite3_int64)(kind / 8));
		break;
	}
}

static sqlite3_stmt *insertion(unsigned table)
{
	static sqlite3_stmt *rows[NUM_TABLES];
	char text[128];
	int length;

	if (rows[table])
		return rows[table];
	length = snprintf(text, sizeof(text),
			  "INSERT OR REPLACE INTO %s VALUES (",
			  tables[table].name);
	for (int i = 0; i < tables[table].num_columns; i++)
		length += snprintf(text + length, sizeof(text) - (size_t)length,
				   "%s?", i ? "," : "");
	snprintf(text + length, sizeof(text) - (size_t)length, ")");
	fuzz_must(sqlite3_prepare_v2(database, text, -1, &rows[table], NULL) ==
			  SQLITE_OK,
		  "%s: %s", text, sqlite3_errmsg(database));
	return rows[table];
}

static void add_row(struct fuzz_bytes *bytes)
{
	unsigned table = (unsigned)fuzz_number(bytes, 1) % NUM_TABLES;
	sqlite3_stmt *row = insertion(table);

	for (int i = 1; i <= tables[table].num_columns; i++)
		bind(row, i, bytes);
	sqlite3_step(row); /* may be refused */
	sqlite3_reset(row);
}

static void run(const char *text)
{
	fuzz_must(sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK,
		  "%s: %s", text, sqlite3_errmsg(database));
}

/* The tables without their rows, made once. */
static void need_tables(bool is_first_version)
{
	static sqlite3 *kept;
	static int version;
	int wanted = is_first_version ? 1 : UNCORE_RECORDING_VERSION;
	char text[64];

	if (!kept) {
		fuzz_must(sqlite3_open(":memory:", &kept) == SQLITE_OK,
			  "no memory");
		database = kept;
		snprintf(text, sizeof(text), "PRAGMA application_id = %d",
			 SQL_APPLICATION);
		run(text);
		run(sql_schema);
	}
	database = kept;
	if (version != wanted) {
		snprintf(text, sizeof(text), "PRAGMA user_version = %d",
			 wanted);
		run(text);
	}
	version = wanted;
}

/* Reports */

static int make(struct reader *reader, unsigned view, struct table *table)
{
	static const struct option_texts no_files;
	const struct reader_metrics metrics = { "llc", &no_files };
	const struct reader_limits limits = { .rows = view % 2 ? 3 : 0,
					      .below = 2 };

	*table = (struct table){ 0 };
	switch (view % (1U << VIEW_BITS)) {
	case 0: return reader_boxes(reader, table);
	case 1: return reader_view(reader, "sources", &limits, table);
	case 5: return reader_view(reader, "data", &limits, table);
	case 2: return reader_view(reader, "symbols", &limits, table);
	case 3: return reader_view(reader, "threads", &limits, table);
	case 4: return reader_view(reader, "state", &limits, table);
	case 6: return reader_view(reader, "stacks", &limits, table);
	case 7:
	case 8: return reader_view(reader, "lines", &limits, table);
	case 9:
	case 10: return reader_view(reader, "pages", &limits, table);
	case 11: return reader_time(reader, NUM_STEPS, false, table);
	case 12: return reader_time(reader, NUM_STEPS, true, table);
	case 13: return reader_metrics(reader, &metrics, 0, table);
	case 14: return reader_metrics(reader, &metrics, NUM_STEPS, table);
	default: return reader_events(reader, table);
	}
}

static void print(const struct table *table, unsigned way, FILE *file)
{
	struct json json = { .file = file };

	switch (way % 3) {
	case 0: table_print_text(table, file); break;
	case 1: table_print_separated(table, ",", file); break;
	default: table_print_json(table, &json); break;
	}
}

static void report(unsigned view)
{
	static FILE *nowhere;
	struct reader reader;
	struct table table = { 0 };

	if (!nowhere)
		nowhere = stderr = fopen("/dev/null", "w");
	fuzz_must(nowhere, "no /dev/null");
	if (!reader_open(&reader, "fuzz", -1) && !make(&reader, view, &table))
		print(&table, view >> VIEW_BITS, nowhere);
	table_free(&table);
	if (view % (1U << VIEW_BITS) == 0 && reader.recording) {
		calls_print_folded(&reader, nowhere);
		calls_print_callgrind(&reader, "x", nowhere);
	}
	reader_close(&reader);
}

static void report_file(const struct fuzz_bytes *bytes, unsigned view)
{
	unsigned char *copy = sqlite3_malloc64(bytes->size + 1);

	fuzz_must(copy && sqlite3_open(":memory:", &database) == SQLITE_OK,
		  "no memory");
	if (bytes->size)
		memcpy(copy, bytes->data, bytes->size);
	sqlite3_deserialize(database, "main", copy, (sqlite3_int64)bytes->size,
			    (sqlite3_int64)bytes->size,
			    SQLITE_DESERIALIZE_FREEONCLOSE);
	report(view);
	fuzz_must(sqlite3_close(database) == SQLITE_OK,
		  "a statement was left over");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	unsigned view = (unsigned)fuzz_number(&bytes, 1);

	if (view & IS_FILE) {
		report_file(&bytes, view);
		return 0;
	}
	need_tables(view & IS_FIRST_VERSION);
	run("BEGIN");
	for (unsigned i = 0; bytes.size && i < MAX_ROWS; i++)
		add_row(&bytes);
	report(view);
	run("ROLLBACK");
	return 0;
}
