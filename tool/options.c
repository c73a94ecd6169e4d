/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From the table to argp's own. Options without a letter are told apart by
 * their numbers, which are no letters.
 */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/error.h"

enum { FIRST_KEY = 0x100, DEEPEST = 4 };

/* A table, and the settings that it fills in; that of `others` follows. */
struct level {
	const struct options *options;
	void *settings;
	struct argp argp;
	struct argp_child children[2];
	struct argp_option *rows;
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

static int key_of(const struct options *options, size_t index)
{
	int letter = options->rows[index].letter;

	return letter ? letter : FIRST_KEY + (int)index;
}

static error_t take_word(const struct level *level, int key, char *word,
			 const struct argp_state *state)
{
	const struct options *options = level->options;
	void *at = (char *)level->settings + options->words_at;

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
	for (size_t i = 0; options->rows && options->rows[i].name; i++)
		if (key == key_of(options, i)) {
			take(&options->rows[i], level->settings, text, state);
			return 0;
		}
	if (!options->more)
		return take_word(level, key, text, state);
	state->input = level->settings;
	result = options->more(key, text, state);
	state->input = level;
	return result;
}

/* The levels from this one on; false without memory. */
static bool make(struct level *level, const struct options *options,
		 void *settings)
{
	size_t num = 0;

	while (options->rows && options->rows[num].name)
		num++;
	*level = (struct level){
		.options = options,
		.settings = settings,
		.rows = calloc(num + 1, sizeof(*level->rows)),
		.argp = { .parser = parse,
			  .args_doc = options->words,
			  .doc = options->help },
		.children = { { &level[1].argp, 0, options->others_title,
				options->others_group } },
	};
	if (!level->rows)
		return false;
	for (size_t i = 0; i < num; i++) {
		const struct option_row *row = &options->rows[i];

		level->rows[i] = (struct argp_option){
			row->name,  key_of(options, i), row->value,
			row->flags, row->help,		row->group,
		};
	}
	/* Of none argp would make a list that it does not free. */
	level->argp.options = num ? level->rows : NULL;
	if (!options->others)
		return true;
	level->argp.children = level->children;
	return make(level + 1, options->others,
		    (char *)settings + options->others_at);
}

void options_parse(const struct options *options, int argc, char **argv,
		   unsigned flags, void *settings)
{
	struct level levels[DEEPEST] = { 0 };

	if (!make(levels, options, settings))
		exit(tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL));
	argp_parse(&levels[0].argp, argc, argv, flags, NULL, levels);
	for (unsigned i = 0; i < DEEPEST; i++)
		free(levels[i].rows);
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
