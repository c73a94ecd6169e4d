/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options of a command as a table: what each is called, what its help says,
 * and where in the settings it goes. argp reads and explains them; the manual
 * page takes them from there (tools/genman.py), completion does, too.
 */
#ifndef UNCORE_TOOL_OPTIONS_H
#define UNCORE_TOOL_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

struct option_row {
	const char *name;
	int letter;	   /* 0: it has none */
	const char *value; /* what the help calls it; NULL: it is a flag */
	const char *help;
	size_t at; /* in the settings: a bool of a flag, else a text */
	int group; /* in the help */
	/* Instead of that: is given what is there, and the text. */
	void (*take)(const struct option_row *row, void *at, char *text,
		     const struct argp_state *state);
	int flags; /* argp's own */
};

struct option_words {
	char **list;
	size_t num;
};

struct options {
	const struct option_row *rows; /* up to one without a name */
	const char *words, *help;      /* argp's args_doc and doc */
	/* Words that are no options: there are none, and this is said behind
	 * one; or one, the text at words_at, and this is said where there are
	 * more; or this is said where there are none, and else they go to a
	 * struct option_words; or they are a program and its arguments, which a
	 * char ** points to; or all is told as argp tells it, with the settings
	 * as input. */
	const char *too_much, *one, *need;
	bool is_program;
	size_t words_at;
	error_t (*more)(int key, char *word, struct argp_state *state);
	/* Others, whose settings are a part of these; NULL: none. */
	const struct options *others;
	size_t others_at;
	const char *others_title; /* above them in the help; NULL: none */
	int others_group;
	/* perf's commands (perf_options.h), whose options are answered where
	 * ours have not their names and letters. */
	int perf;
};

/* Fills in the settings, or ends the program with a sentence. Flags are
 * argp's. */
void options_parse(const struct options *options, int argc, char **argv,
		   unsigned flags, void *settings);

/* Of an option that may be given again. */
enum { OPTION_MOST_TEXTS = 64 };
struct option_texts {
	const char *list[OPTION_MOST_TEXTS + 1]; /* NULL behind the last */
	size_t num;
};

/* option_row.take: nothing; it makes no difference here. */
void options_ignore(const struct option_row *row, void *at, char *text,
		    const struct argp_state *state);

/* option_row.take: ends the program and says the help, which is what to type
 * instead. */
void options_refuse(const struct option_row *row, void *at, char *text,
		    const struct argp_state *state);

/* option_row.take: what separates fields; the two letters \t are a tab, as
 * perf takes them. */
void options_separator(const struct option_row *row, void *at, char *text,
		       const struct argp_state *state);

/* option_row.take: adds to a struct option_texts. For one: the number of the
 * text in a list of words that NULL ends. */
void options_add(const struct option_row *row, void *at, char *text,
		 const struct argp_state *state);
int options_choose(const struct option_row *row, const char *text,
		   const char *const *words, const struct argp_state *state);

/* For `more`: the words from the next one on. */
void options_keep_words(struct option_words *words,
			const struct argp_state *state);

/* Rows that several commands have: the same letters and the same words
 * everywhere; the place and the group follow. */
#define OPTION_MACHINE(...)                                                    \
	{                                                                      \
		"machine", 'm', "NAME",                                        \
			"Processor family, or a machine of it "                \
			"(default " TOOL_DEFAULT_MACHINE ")",                  \
			__VA_ARGS__                                            \
	}
#define OPTION_JSON(...)                                                       \
	{                                                                      \
		"json", 'j', NULL, "Print JSON", __VA_ARGS__                   \
	}
#define OPTION_HTML(...)                                                       \
	{                                                                      \
		"html", 0, "FILE",                                             \
			"Write a page to FILE that any browser shows: what "   \
			"--json prints, as tables that sort and as charts",    \
			__VA_ARGS__                                            \
	}
#define OPTION_HTML_ALONE                                                      \
	"--html=FILE is an output of its own: leave out --json, -x, -o and "   \
	"what else says where to print"
#define OPTION_REPLACE(...)                                                    \
	{                                                                      \
		"replace", 0, NULL,                                            \
			"Replace FILE if it holds what is written to it, of "  \
			"an earlier run; without it results stay",             \
			__VA_ARGS__                                            \
	}
#define OPTION_MARKDOWN(...)                                                   \
	{                                                                      \
		"markdown", 0, "FILE",                                         \
			"Write the comparison to FILE, too, as a page of "     \
			"Markdown, for a pull request",                        \
			__VA_ARGS__                                            \
	}
#define OPTION_TURNS(...)                                                      \
	{                                                                      \
		"turns", 0, NULL,                                              \
			"Let events that do not fit into one PMU take turns "  \
			"on the model, too, as they have to on a processor",   \
			__VA_ARGS__                                            \
	}
#define OPTION_FORCE(...)                                                      \
	{                                                                      \
		"force", 0, NULL,                                              \
			"Take counters that are in use by somebody else",      \
			__VA_ARGS__                                            \
	}
#define OPTION_METRIC_FILE(...)                                                \
	{                                                                      \
		"metric-file", 0, "FILE", "Use the metrics of this file, too", \
			.take = options_add, __VA_ARGS__                       \
	}
/* What drew once. */
#define OPTION_DRAWN(NAME)                                                     \
	{                                                                      \
		NAME, 0, NULL, "--html=FILE writes a page with the drawing",   \
			.take = options_refuse, .flags = OPTION_HIDDEN         \
	}
#define OPTION_WORKLOAD(...)                                                   \
	{                                                                      \
		"workload", 'w', "SPEC",                                       \
			"Built-in traffic NAME:key=value,... instead of a "    \
			"program",                                             \
			__VA_ARGS__                                            \
	}

#endif
