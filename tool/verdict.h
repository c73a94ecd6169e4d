/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What somebody who knows such machines would say at the sight of the numbers:
 * rules are rows of text over facts, each with its thresholds. A rule holds
 * when all its facts are known and on their side of the threshold; where none
 * does nothing is said.
 */
#ifndef UNCORE_TOOL_VERDICT_H
#define UNCORE_TOOL_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct json;

/* At most so many sentences, the most important first. */
enum { VERDICT_MOST = 3 };

/* Something that was counted, or that names what was (text). */
struct verdict_fact {
	const char *name;
	double value;	  /* NAN: not known */
	const char *unit; /* "%" or "" */
	const char *text; /* instead; NULL: a number */
};

struct verdict_rule {
	const char *name; /* for programs that read it */
	struct {
		const char *fact; /* NULL: no more */
		double least, most;
	} when[4];
	const char *text;    /* {fact} stands for its value */
	const char *shows;   /* what the command does: "Where" */
	const char *command; /* that shows more, of the same run; NULL: none */
	bool is_alone;	     /* it holds only where none before it does */
};

struct verdict {
	const struct verdict_rule *rule;
	char *text;
	char *command; /* the rule's with all its words; NULL: none */
};

/* Those that hold, in the rules' order; how many. Without memory fewer. Texts
 * are to be freed with verdict_free(); commands are up to the caller. */
size_t verdict_find(const struct verdict_rule *rules, size_t num_rules,
		    const struct verdict_fact *facts, size_t num_facts,
		    struct verdict verdicts[VERDICT_MOST]);
void verdict_free(struct verdict *verdicts, size_t num);

/* For people, each with its command; in JSON a list, `verdict`. Nothing where
 * there are none. */
void verdict_put_text(const struct verdict *verdicts, size_t num, FILE *file);
void verdict_put_json(const struct verdict *verdicts, size_t num,
		      struct json *json);

#endif
