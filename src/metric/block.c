/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A metric is a block of lines; with each= it is as many metrics as there are
 * values, made from copies of the lines in which $NAMEs are replaced.
 */
#include "metric/read.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "uncore/error.h"

/* One copy of a block on its way to be a row. */
struct copy {
	struct reader *reader;
	struct metric_row *row;
	struct metric_text line; /* the present one, as a whole */
	struct words words;
};

static int fail_at(struct copy *copy, const struct word *word, const char *what)
{
	return metric_fail(copy->reader->error, &copy->line,
			   word ? word->column - 1 : 0, copy->row, "%s", what);
}

static int gather(struct reader *reader)
{
	struct block_line *line;

	if (reader->num_lines == BLOCK_MAX_LINES)
		return reader_fail(reader, NULL,
				   "expected another metric: this one has too "
				   "many lines");
	line = &reader->block[reader->num_lines];
	line->line = reader->line;
	line->text = arena_text(&reader->metrics->arena, reader->text,
				reader->length);
	reader->num_lines++;
	return 0;
}

int reader_metric(struct reader *reader, const struct words *words)
{
	(void)words;
	return gather(reader);
}

int reader_child(struct reader *reader, const struct words *words)
{
	if (!reader->num_lines)
		return reader_fail(reader, &words->words[0],
				   "expected a line that begins at its first "
				   "column: there is no metric above");
	return gather(reader);
}

static struct arena *arena_of(const struct copy *copy)
{
	return &copy->reader->metrics->arena;
}

/* The text from byte `offset` of the present line on, up to `length`. */
static struct metric_text piece(struct copy *copy, size_t offset, size_t length)
{
	struct metric_text text = copy->line;

	text.text =
		arena_text(arena_of(copy), copy->line.text + offset, length);
	text.offset = offset;
	return text;
}

static int formula(struct copy *copy, const struct word *word,
		   struct metric_text *text)
{
	if (text->text)
		return fail_at(copy, word,
			       "expected one such line: there is "
			       "another one above");
	*text = piece(copy, word->column - 1, SIZE_MAX);
	return 0;
}

/* doubt LEFT > RIGHT "WHY" */
static int doubt(struct copy *copy, const struct word *word)
{
	const char *line = copy->line.text;
	const struct word *why = &copy->words.words[copy->words.num - 1];
	const char *greater = strchr(line + word->column - 1, '>');
	size_t start = word->column - 1, end = why->column - 1, middle;
	struct metric_row *row = copy->row;
	struct metric_doubt *found;

	if (row->num_doubts == METRIC_MAX_DOUBTS)
		return fail_at(copy, word, "expected no more lines of doubt");
	if (!greater || !why->is_quoted || greater > line + end)
		return fail_at(copy, word,
			       "expected 'doubt FORMULA > FORMULA \"WHY\"'");
	found = arena_grown(arena_of(copy), row->doubts, row->num_doubts,
			    sizeof(*found));
	if (!found)
		return UNCORE_ERR_NO_MEMORY;
	row->doubts = found;
	found += row->num_doubts++;
	middle = (size_t)(greater - line);
	found->left = piece(copy, start, middle - start);
	found->right = piece(copy, middle + 1, end - middle - 1);
	found->why = arena_say(arena_of(copy), "%s", why->text);
	return 0;
}

/* A text in quotes, behind what the member holds already. */
static int say(struct copy *copy, const struct word *word, char **member)
{
	if (!word->is_quoted)
		return fail_at(copy, word, "expected a text in quotes");
	*member = arena_say(arena_of(copy), "%s%s%s", *member,
			    **member ? " " : "", word->text);
	return 0;
}

static int child(struct copy *copy)
{
	struct metric_row *row = copy->row;
	const struct word *key = words_plain(&copy->words, 0);
	const struct word *word = words_plain(&copy->words, 1);

	if (!key || !word)
		return fail_at(copy, key,
			       "expected formula, max, min, doubt, "
			       "includes, excludes or note and "
			       "what it is");
	if (!strcmp(key->text, "formula"))
		return formula(copy, word, &row->formula);
	if (!strcmp(key->text, "max"))
		return formula(copy, word, &row->maximum);
	if (!strcmp(key->text, "min"))
		return formula(copy, word, &row->minimum);
	if (!strcmp(key->text, "doubt"))
		return doubt(copy, word);
	if (!strcmp(key->text, "includes"))
		return say(copy, word, &row->includes);
	if (!strcmp(key->text, "excludes"))
		return say(copy, word, &row->excludes);
	if (!strcmp(key->text, "note"))
		return say(copy, word, &row->note);
	return fail_at(copy, key,
		       "expected formula, max, min, doubt, "
		       "includes, excludes or note");
}

static int choice(struct copy *copy, const char *key, const char *const *names,
		  const char *expected, int *value)
{
	const struct word *word = words_key(&copy->words, key);

	if (!word)
		return 0;
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], word->text)) {
			*value = i;
			return 0;
		}
	return fail_at(copy, word, expected);
}

static int keys_are_known(struct copy *copy)
{
	static const char *const known[] = { "unit",   "kind", "split",
					     "source", "each", "times" };

	for (size_t i = 0; i < copy->words.num; i++) {
		const struct word *word = &copy->words.words[i];
		bool found = !word->key;

		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			found |= word->key && !strcmp(known[k], word->key);
		if (!found)
			return fail_at(copy, word,
				       "expected unit=, kind=, split=, "
				       "source=, each= or times=");
	}
	return 0;
}

static char *key_text(const struct copy *copy, const char *key)
{
	const struct word *word = words_key(&copy->words, key);

	return arena_say(arena_of(copy), "%s", word ? word->text : "");
}

static bool is_metric_name(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz"
				     "0123456789_.");

	return length && !text[length] && islower((unsigned char)*text);
}

/* metric NAME CATEGORIES "TITLE" unit= kind= split= source= */
static int header(struct copy *copy)
{
	static const char *const kinds[] = { "total", "rate", "ratio", NULL };
	static const char *const splits[] = { "machine", "socket", "box",
					      NULL };
	static char nothing[] = "";
	const struct word *name = words_plain(&copy->words, 1);
	const struct word *categories = words_plain(&copy->words, 2);
	const struct word *title = words_plain(&copy->words, 3);
	struct metric_row *row = copy->row;
	int kind = -1, code;

	if (!title || !title->is_quoted)
		return fail_at(copy, name,
			       "expected 'metric NAME CATEGORY \"TITLE\" "
			       "unit=... kind=...'");
	row->name = arena_say(arena_of(copy), "%s", name->text);
	row->categories = arena_say(arena_of(copy), "%s", categories->text);
	row->title = arena_say(arena_of(copy), "%s", title->text);
	row->unit = key_text(copy, "unit");
	row->source = key_text(copy, "source");
	row->includes = row->excludes = row->note = nothing;
	for (char *at = row->name; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	if (!is_metric_name(row->name))
		return fail_at(copy, name,
			       "expected a name of letters, "
			       "digits, _ and .");
	code = keys_are_known(copy);
	if (!code)
		code = choice(copy, "kind", kinds,
			      "expected total, rate or ratio", &kind);
	if (!code && kind < 0)
		code = fail_at(copy, name,
			       "expected kind=total, kind=rate or "
			       "kind=ratio in this line");
	row->kind = (enum uncore_metric_kind)kind;
	return code ? code
		    : choice(copy, "split", splits,
			     "expected machine, socket or box", &row->split);
}

/* The row takes the place of one with its name, else it is the last. */
static int add(struct uncore_metrics *metrics, struct metric_row *row)
{
	struct metric_row **rows;

	for (size_t i = 0; i < metrics->num_rows; i++)
		if (!strcmp(metrics->rows[i]->name, row->name)) {
			metrics->rows[i] = row;
			return 0;
		}
	rows = arena_grown(&metrics->arena, metrics->rows, metrics->num_rows,
			   sizeof(*rows));
	if (!rows)
		return UNCORE_ERR_NO_MEMORY;
	metrics->rows = rows;
	rows[metrics->num_rows++] = row;
	return 0;
}

static int copy_line(struct copy *copy, size_t index)
{
	struct block_line *line = &copy->reader->block[index];
	char *text = metric_expand(line->text, copy->row->bindings,
				   copy->row->num_bindings, 0, NULL);

	copy->line = (struct metric_text){ .raw = line->text,
					   .file = copy->reader->file,
					   .line = line->line,
					   .column = 1 };
	if (!text)
		return UNCORE_ERR_NO_MEMORY;
	copy->line.text = arena_text(arena_of(copy), text, SIZE_MAX);
	free(text);
	words_split(arena_of(copy), copy->line.text, SIZE_MAX, &copy->words);
	return index ? child(copy) : header(copy);
}

/* A row of the block with these bindings. */
static int make_row(struct reader *reader,
		    const struct metric_binding *bindings, size_t num_bindings)
{
	struct arena *arena = &reader->metrics->arena;
	struct copy copy = { .reader = reader,
			     .row = arena_room(arena, 1, sizeof(*copy.row)) };
	struct metric_row *row = copy.row;
	int code = 0;

	if (!row)
		return UNCORE_ERR_NO_MEMORY;
	*row = (struct metric_row){ .file = reader->file,
				    .line = reader->block[0].line,
				    .split = -1 };
	row->bindings = arena_room(arena, num_bindings, sizeof(*bindings));
	if (!row->bindings)
		return UNCORE_ERR_NO_MEMORY;
	memcpy(row->bindings, bindings, num_bindings * sizeof(*bindings));
	row->num_bindings = num_bindings;
	for (size_t i = 0; i < reader->num_lines && !code; i++)
		code = copy_line(&copy, i);
	if (!code && !row->formula.text) {
		copy.line.line = row->line;
		code = fail_at(&copy, NULL,
			       "expected a line 'formula ...' below");
	}
	return code ? code : add(reader->metrics, row);
}

/* The value of each= and times=: "NAME NAME: VALUE VALUE, VALUE VALUE". */

/* The names in "NAME NAME: ..." */
static const char *each_names(const char *text, struct metric_binding *bindings,
			      size_t room, size_t *num)
{
	for (*num = 0; *num < room;) {
		size_t length;

		text += strspn(text, " ");
		length = strcspn(text, " :");
		if (!length || length >= sizeof(bindings->name))
			return NULL;
		memcpy(bindings[*num].name, text, length);
		bindings[(*num)++].name[length] = 0;
		text += length + strspn(text + length, " ");
		if (*text == ':')
			return text + 1;
	}
	return NULL;
}

/* One value: up to a blank or comma, or in '...'. Returns what follows. */
static const char *each_value(const char *text, char *value, size_t size)
{
	bool quoted;
	size_t length;

	text += strspn(text, " ");
	quoted = *text == '\'';
	text += quoted;
	length = strcspn(text, quoted ? "'" : " ,");
	if (length >= size || (quoted ? text[length] != '\'' : !length))
		return NULL;
	memcpy(value, text, length);
	value[length] = 0;
	return text + length + quoted;
}

/* The next values, up to a comma or the end; NULL: not as many as names. */
static const char *each_values(const char *text,
			       struct metric_binding *bindings, size_t num)
{
	for (size_t i = 0; i < num && text; i++)
		text = each_value(text, bindings[i].value,
				  sizeof(bindings[i].value));
	if (!text)
		return NULL;
	text += strspn(text, " ");
	if (*text && *text != ',')
		return NULL;
	return *text ? text + 1 : text;
}

static int copies(struct reader *reader, const struct words *words,
		  unsigned level, struct metric_binding *bindings,
		  size_t num_bindings)
{
	static const char *const keys[] = { "each", "times" };
	const struct word *word =
		level < 2 ? words_key(words, keys[level]) : NULL;
	struct metric_text at = { .file = reader->file,
				  .line = reader->block[0].line };
	const char *values;
	size_t num;
	int code = 0;

	if (!word)
		return level < 2 ? copies(reader, words, level + 1, bindings,
					  num_bindings)
				 : make_row(reader, bindings, num_bindings);
	values = each_names(word->text, bindings + num_bindings,
			    METRIC_MAX_BINDINGS - num_bindings, &num);
	at.column = word->column;
	while (values && *values && !code) {
		values = each_values(values, bindings + num_bindings, num);
		if (values)
			code = copies(reader, words, level + 1, bindings,
				      num_bindings + num);
	}
	if (!values)
		return metric_fail(reader->error, &at, 0, NULL,
				   "expected \"NAME...: VALUE..., VALUE...\" "
				   "with as many values as names between "
				   "commas");
	return code;
}

int reader_block_end(struct reader *reader)
{
	struct metric_binding bindings[METRIC_MAX_BINDINGS];
	struct words words;
	int code;

	if (!reader->num_lines)
		return 0;
	words_split(&reader->metrics->arena, reader->block[0].text, SIZE_MAX,
		    &words);
	code = copies(reader, &words, 0, bindings, 0);
	reader->num_lines = 0;
	return code;
}
