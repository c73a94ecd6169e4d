/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads the rows of a file of metrics. A row is a line and the lines below it
 * that begin with two blanks; data/FORMAT.md gives the syntax. Formulas are
 * kept as text.
 */
#include "metric/read.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uncore/error.h"
#include "uncore/event.h"

static struct metric_text place(const struct reader *reader,
				const struct word *word)
{
	return (struct metric_text){ .file = reader->file,
				     .line = reader->line,
				     .column = word ? word->column : 1 };
}

int reader_fail(struct reader *reader, const struct word *word,
		const char *what)
{
	struct metric_text text = place(reader, word);

	return metric_fail(reader->error, &text, 0, NULL, "%s", what);
}

static char *copy(struct reader *reader, const struct word *word)
{
	return arena_say(&reader->metrics->arena, "%s", word ? word->text : "");
}

/* What stands from a word on, up to a blank: commas and = make no words of
 * their own in the text of an event. */
static char *event_text(struct reader *reader, const struct word *word)
{
	const char *text = reader->text + word->column - 1;

	return arena_text(&reader->metrics->arena, text,
			  strcspn(text, " \t\r\n"));
}

static struct metric_key *add_key(struct reader *reader,
				  enum metric_key_kind kind,
				  const struct words *words)
{
	struct uncore_metrics *metrics = reader->metrics;
	const struct word *name = words_plain(words, 1);
	struct metric_key *keys, *key;

	keys = arena_grown(&metrics->arena, metrics->keys, metrics->num_keys,
			   sizeof(*keys));
	if (!keys)
		return NULL;
	metrics->keys = keys;
	key = &keys[metrics->num_keys++];
	*key = (struct metric_key){ .kind = kind, .name = copy(reader, name) };
	return key;
}

static bool is_name(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return length && !text[length] && !strchr("0123456789", *text);
}

static int need_name(struct reader *reader, const struct words *words)
{
	const struct word *word = words_plain(words, 1);

	if (!word || word->is_quoted || !is_name(word->text))
		return reader_fail(reader, word,
				   "expected a name of letters, digits and _ "
				   "that formulas can use");
	return 0;
}

static int read_event(struct reader *reader, const struct words *words)
{
	const struct word *text = words_plain(words, 2);
	struct metric_key *key;
	int code = need_name(reader, words);

	if (code)
		return code;
	if (!text)
		return reader_fail(reader, NULL,
				   "expected 'event KEY TEXT', the text of an "
				   "event (BOX/EVENT.MASK/)");
	key = add_key(reader, KEY_EVENT, words);
	if (!key)
		return UNCORE_ERR_NO_MEMORY;
	key->text = place(reader, text);
	key->text.text = event_text(reader, text);
	return 0;
}

static int read_let(struct reader *reader, const struct words *words)
{
	const struct word *text = words_plain(words, 2);
	struct metric_key *key;
	int code = need_name(reader, words);

	if (code)
		return code;
	if (!text)
		return reader_fail(reader, NULL, "expected 'let KEY FORMULA'");
	key = add_key(reader, KEY_LET, words);
	if (!key)
		return UNCORE_ERR_NO_MEMORY;
	key->text = place(reader, text);
	key->text.text = arena_text(&reader->metrics->arena,
				    reader->text + text->column - 1,
				    reader->length - (text->column - 1));
	return 0;
}

static int read_fact(struct reader *reader, const struct words *words)
{
	const struct word *value = words_plain(words, 2);
	struct metric_key *key;
	int code = need_name(reader, words);
	char *end = NULL;
	double number;

	if (code)
		return code;
	number = value ? strtod(value->text, &end) : 0;
	if (!value || *end || end == value->text)
		return reader_fail(reader, value,
				   "expected 'fact NAME NUMBER UNIT \"WHAT IT "
				   "IS\"'");
	key = add_key(reader, KEY_FACT, words);
	if (!key)
		return UNCORE_ERR_NO_MEMORY;
	key->value = number;
	key->unit = copy(reader, words_plain(words, 3));
	key->title = copy(reader, words_plain(words, 4));
	key->param = copy(reader, words_key(words, "param"));
	key->number = copy(reader, value);
	return 0;
}

static int read_drop(struct reader *reader, const struct words *words)
{
	struct uncore_metrics *metrics = reader->metrics;
	const struct word *pattern = words_plain(words, 1);
	size_t kept = 0;

	if (!pattern)
		return reader_fail(reader, NULL,
				   "expected 'drop NAME', a metric that this "
				   "family does not have");
	for (size_t i = 0; i < metrics->num_rows; i++)
		if (fnmatch(pattern->text, metrics->rows[i]->name, 0))
			metrics->rows[kept++] = metrics->rows[i];
	if (kept == metrics->num_rows)
		return reader_fail(reader, pattern, "there is no such metric");
	metrics->num_rows = kept;
	return 0;
}

/* A family on top of another one, and so on. */
enum { MAX_BASES = 8 };

static int read_base(struct reader *reader, const struct words *words)
{
	const struct word *family = words_plain(words, 1);

	for (const struct metric_file *file = metric_files;
	     family && file->family; file++)
		if (!strcmp(file->family, family->text) &&
		    reader->depth < MAX_BASES)
			return metric_read(reader->metrics, file->name,
					   file->text, reader->depth + 1,
					   reader->error);
	return reader_fail(reader, family,
			   "expected 'base FAMILY', a family with metrics");
}

static int read_category(struct reader *reader, const struct words *words)
{
	struct uncore_metrics *metrics = reader->metrics;
	const struct word *shows = words_key(words, "shows");
	struct metric_category *categories, *category;
	int code = need_name(reader, words);

	if (code)
		return code;
	if (!words_plain(words, 2) || !shows)
		return reader_fail(reader, NULL,
				   "expected 'category NAME \"WHAT IT IS\" "
				   "shows=\"METRIC, ...\"'");
	categories = arena_grown(&metrics->arena, metrics->categories,
				 metrics->num_categories, sizeof(*categories));
	if (!categories)
		return UNCORE_ERR_NO_MEMORY;
	metrics->categories = categories;
	category = &categories[metrics->num_categories++];
	*category = (struct metric_category){
		.name = copy(reader, words_plain(words, 1)),
		.title = copy(reader, words_plain(words, 2)),
		.shows = copy(reader, shows),
	};
	return 0;
}

/* Rows from here on are of machines that have an event; up to the next such
 * row. */
static int read_needs(struct reader *reader, const struct words *words)
{
	const struct word *text = words_plain(words, 1);
	struct uncore_event *event = NULL;
	const char *needed;

	if (!text)
		return reader_fail(
			reader, NULL,
			"expected 'needs TEXT', the text of an event "
			"(BOX/EVENT.MASK/), or 'needs nothing'");
	needed = event_text(reader, text);
	reader->skips = strcmp(needed, "nothing") &&
			uncore_event_parse(reader->metrics->family, needed,
					   &event, NULL);
	uncore_event_free(event);
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct reader *reader, const struct words *words);
} rows[] = {
	{ "base", read_base },	       { "event", read_event },
	{ "let", read_let },	       { "fact", read_fact },
	{ "drop", read_drop },	       { "metric", reader_metric },
	{ "category", read_category }, { "needs", read_needs },
};

static int read_row(struct reader *reader, const struct words *words)
{
	const struct word *first = words_plain(words, 0);

	if (words->wrong) {
		struct word at = { .column = words->wrong };
		struct metric_text text = place(reader, &at);

		return metric_fail(reader->error, &text, 0, NULL, "expected %s",
				   words->expected);
	}
	if (reader->skips && (!first || strcmp(first->text, "needs")))
		return 0;
	if (words->is_child)
		return reader_child(reader, words);
	for (size_t i = 0; first && i < sizeof(rows) / sizeof(rows[0]); i++) {
		int code;

		if (strcmp(rows[i].name, first->text))
			continue;
		code = reader_block_end(reader);
		return code ? code : rows[i].read(reader, words);
	}
	return reader_fail(reader, words->num ? &words->words[0] : NULL,
			   "expected a row that begins with metric, event, "
			   "let, fact, category, needs, base or drop");
}

static int read_line(struct reader *reader)
{
	size_t blanks = strspn(reader->text, " \t\r");
	struct words words;

	if (blanks >= reader->length || reader->text[blanks] == '#')
		return 0;
	words_split(&reader->metrics->arena, reader->text, reader->length,
		    &words);
	return read_row(reader, &words);
}

int metric_read(struct uncore_metrics *metrics, const char *name,
		const char *text, unsigned depth, char **error)
{
	struct reader reader = { .metrics = metrics,
				 .file = arena_say(&metrics->arena, "%s", name),
				 .depth = depth,
				 .error = error };
	int code = 0;

	while (!code && *text) {
		reader.text = text;
		reader.length = strcspn(text, "\n");
		reader.line++;
		code = read_line(&reader);
		text += reader.length + (text[reader.length] == '\n');
	}
	if (!code)
		code = reader_block_end(&reader);
	return !code && metrics->arena.failed ? UNCORE_ERR_NO_MEMORY : code;
}
