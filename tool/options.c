/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From the table to argp's own. Options without a letter are told apart by
 * their numbers, which are no letters.
 */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "perf_options.h"
#include "tool.h"

enum { FIRST_KEY = 0x100, DEEPEST = 4 };

struct words {
	char *const *list;
	int num;
};

/* A table, and the settings that it fills in; that of `others` follows. */
struct level {
	const struct options *options;
	void *settings;
	struct argp argp;
	struct argp_child children[2];
	struct option_row *rows; /* of the options, and perf's */
	size_t num_rows;
	struct argp_option *argp_rows;
};

static void take(const struct option_row *row, void *settings, char *text,
		 const struct argp_state *state)
{
	void *at = (char *)settings + row->at;

	if (row->take)
		row->take(row, at, text, state);
	else if (row->value)
		*(const char **)at = text;
	else
		*(bool *)at = true;
}

static int key_of(const struct level *level, size_t index)
{
	int letter = level->rows[index].letter;

	return letter ? letter : FIRST_KEY + (int)index;
}

static error_t take_word(const struct level *level, int key, char *word,
			 const struct argp_state *state)
{
	const struct options *options = level->options;
	void *at = (char *)level->settings + options->words_at;

	if (key == ARGP_KEY_ARG)
		perf_options_word(options->perf, word, state);
	if (options->too_much && key == ARGP_KEY_ARG)
		argp_error(state, "'%s' %s", word, options->too_much);
	if (options->need && key == ARGP_KEY_NO_ARGS)
		argp_error(state, "%s", options->need);
	if (options->one && key == ARGP_KEY_ARG && *(char **)at)
		argp_error(state, "%s", options->one);
	if (options->one && key == ARGP_KEY_ARG)
		*(char **)at = word;
	else if (options->is_program && key == ARGP_KEY_ARGS)
		*(char ***)at = state->argv + state->next;
	else if (options->need && key == ARGP_KEY_ARGS)
		options_keep_words(at, state);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct level *level = state->input;
	const struct options *options = level->options;
	error_t result;

	if (key == ARGP_KEY_INIT && options->others) {
		state->child_inputs[0] = level + 1;
		return 0;
	}
	for (size_t i = 0; i < level->num_rows; i++)
		if (key == key_of(level, i)) {
			take(&level->rows[i], level->settings, text, state);
			return 0;
		}
	if (!options->more)
		return take_word(level, key, text, state);
	state->input = level->settings;
	result = options->more(key, text, state);
	state->input = level;
	return result;
}

static size_t num_of(const struct options *options)
{
	size_t num = 0;

	while (options->rows && options->rows[num].name)
		num++;
	return num;
}

/* Whether options, or those in them, have a name or a letter (or neither). */
static bool have(const struct options *options, const char *name, int letter)
{
	size_t num = options ? num_of(options) : 0;

	for (size_t i = 0; i < num; i++)
		if ((name && !strcmp(options->rows[i].name, name)) ||
		    (letter && options->rows[i].letter == letter))
			return true;
	return options && have(options->others, name, letter);
}

/* The name of an option that was typed, --name or --name=..., or NULL. */
static char *typed(const struct words *words, const char *no, const char *name)
{
	size_t before = strlen(no), length = strlen(name);

	for (int i = 1; i < words->num; i++) {
		char *word = words->list[i];

		if (!strncmp(word, "--", 2) && !strncmp(word + 2, no, before) &&
		    !strncmp(word + 2 + before, name, length) &&
		    strchr("=", word[2 + before + length]))
			return word + 2;
	}
	return NULL;
}

/* Adds a row with what of its name and letter the level has not: a name only
 * where it was typed, so that no abbreviation of ours becomes ambiguous. */
static void add_foreign(struct level *level, struct option_row row,
			const struct words *words)
{
	if (row.name &&
	    (have(level->options, row.name, 0) || !typed(words, "", row.name)))
		row.name = NULL;
	if (have(level->options, NULL, row.letter))
		row.letter = 0;
	for (size_t i = 0; i < level->num_rows; i++) {
		const struct option_row *other = &level->rows[i];

		if (row.name && other->name && !strcmp(row.name, other->name))
			row.name = NULL;
		if (row.letter == other->letter)
			row.letter = 0;
	}
	row.flags |= OPTION_HIDDEN;
	if (row.name || row.letter)
		level->rows[level->num_rows++] = row;
}

/* perf's options; and each of them with "no-", which it is here. */
static void add_all_foreign(struct level *level, const struct words *words)
{
	int commands = level->options->perf;
	struct option_row row;

	for (size_t at = 0; perf_options_next(commands, &at, &row);)
		add_foreign(level, row, words);
	for (size_t at = 0; perf_options_next(commands, &at, &row);)
		if (row.name && typed(words, "no-", row.name))
			add_foreign(level,
				    (struct option_row){
					    typed(words, "no-", row.name),
					    .take = options_ignore },
				    words);
}

static size_t num_foreign(const struct options *options)
{
	struct option_row row;
	size_t num = 0, at = 0;

	while (perf_options_next(options->perf, &at, &row))
		num++;
	return num;
}

/* The levels from this one on. */
static void make(struct level *level, const struct options *options,
		 void *settings, const struct words *words)
{
	size_t num = num_of(options), most = num + 2 * num_foreign(options);

	*level = (struct level){
		.options = options,
		.settings = settings,
		.rows = tool_new(most, sizeof(*level->rows)),
		.argp_rows = tool_new(most + 1, sizeof(*level->argp_rows)),
		.argp = { .parser = parse,
			  .args_doc = options->words,
			  .doc = options->help },
		.children = { { &level[1].argp, 0, options->others_title,
				options->others_group } },
	};
	while (level->num_rows < num) {
		level->rows[level->num_rows] = options->rows[level->num_rows];
		level->num_rows++;
	}
	add_all_foreign(level, words);
	for (size_t i = 0; i < level->num_rows; i++) {
		const struct option_row *row = &level->rows[i];

		level->argp_rows[i] = (struct argp_option){
			row->name,  key_of(level, i), row->value,
			row->flags, row->help,	      row->group,
		};
	}
	/* Of none argp would make a list that it does not free. */
	level->argp.options = level->num_rows ? level->argp_rows : NULL;
	if (!options->others)
		return;
	level->argp.children = level->children;
	make(level + 1, options->others, (char *)settings + options->others_at,
	     words);
}

void options_parse(const struct options *options, int argc, char **argv,
		   unsigned flags, void *settings)
{
	struct level levels[DEEPEST] = { 0 };
	const struct words words = { argv, argc };

	make(levels, options, settings, &words);
	argp_parse(&levels[0].argp, argc, argv, flags, NULL, levels);
	for (unsigned i = 0; i < DEEPEST; i++) {
		free(levels[i].rows);
		free(levels[i].argp_rows);
	}
}

void options_ignore(const struct option_row *row, void *at, char *text,
		    const struct argp_state *state)
{
	(void)row;
	(void)at;
	(void)text;
	(void)state;
}

void options_refuse(const struct option_row *row, void *at, char *text,
		    const struct argp_state *state)
{
	char letter[] = { '-', (char)row->letter, 0 };

	(void)at;
	argp_failure(state, TOOL_USAGE, 0, "%s%s%s%s: %s",
		     row->name ? "--" : letter, row->name ? row->name : "",
		     text ? " " : "", text ? text : "", row->help);
}

void options_separator(const struct option_row *row, void *at, char *text,
		       const struct argp_state *state)
{
	(void)row;
	(void)state;
	*(const char **)at = strcmp(text, "\\t") ? text : "\t";
}

void options_add(const struct option_row *row, void *at, char *text,
		 const struct argp_state *state)
{
	struct option_texts *texts = at;

	if (texts->num == OPTION_MOST_TEXTS)
		argp_error(state, "more than %d times --%s", OPTION_MOST_TEXTS,
			   row->name);
	texts->list[texts->num++] = text;
}

int options_choose(const struct option_row *row, const char *text,
		   const char *const *words, const struct argp_state *state)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	argp_error(state, "--%s=%s is not possible; try --%s=%s", row->name,
		   text, row->name, words[0]);
	return 0;
}

void options_keep_words(struct option_words *words,
			const struct argp_state *state)
{
	words->list = state->argv + state->next;
	words->num = (size_t)(state->argc - state->next);
}
