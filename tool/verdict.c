/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "verdict.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "page.h"
#include "tool.h"

static const struct verdict_fact *find(const struct verdict_fact *facts,
				       size_t num, const char *name,
				       size_t length)
{
	for (size_t i = 0; i < num; i++)
		if (strlen(facts[i].name) == length &&
		    !memcmp(facts[i].name, name, length))
			return &facts[i];
	return NULL;
}

static bool holds(const struct verdict_rule *rule,
		  const struct verdict_fact *facts, size_t num)
{
	const size_t most = sizeof(rule->when) / sizeof(rule->when[0]);

	for (size_t i = 0; i < most && rule->when[i].fact; i++) {
		const char *name = rule->when[i].fact;
		const struct verdict_fact *fact =
			find(facts, num, name, strlen(name));

		if (!fact || !(fact->value >= rule->when[i].least &&
			       fact->value <= rule->when[i].most))
			return false;
	}
	return true;
}

static void put_fact(FILE *file, const struct verdict_fact *fact)
{
	char number[40];

	if (fact->text)
		fputs(tool_shown(fact->text), file);
	else if (*fact->unit && fact->value < 0.1)
		fprintf(file, "less than 0.1 %s", fact->unit);
	else if (*fact->unit)
		fprintf(file, fact->value < 10 ? "%.2g %s" : "%.0f %s",
			fact->value, fact->unit);
	else
		fputs(tool_grouped(number, sizeof(number), "%" PRIu64,
				   (uint64_t)llround(fact->value)),
		      file);
}

static char *fill_in(const char *text, const struct verdict_fact *facts,
		     size_t num)
{
	char *made = NULL;
	FILE *file = tool_text(&made);

	while (*text) {
		size_t plain = strcspn(text, "{"), length;
		const struct verdict_fact *fact;

		fwrite(text, 1, plain, file);
		text += plain;
		if (!*text)
			break;
		length = strcspn(++text, "}");
		fact = find(facts, num, text, length);
		if (fact)
			put_fact(file, fact);
		text += length + 1;
	}
	fclose(file);
	return made;
}

size_t verdict_find(const struct verdict_rule *rules, size_t num_rules,
		    const struct verdict_fact *facts, size_t num_facts,
		    struct verdict verdicts[VERDICT_MOST])
{
	size_t num = 0;

	for (size_t i = 0; i < num_rules && num < VERDICT_MOST; i++) {
		if (!holds(&rules[i], facts, num_facts) ||
		    (rules[i].is_alone && num))
			continue;
		verdicts[num++] = (struct verdict){
			.rule = &rules[i],
			.text = fill_in(rules[i].text, facts, num_facts),
		};
	}
	return num;
}

void verdict_free(struct verdict *verdicts, size_t num)
{
	for (size_t i = 0; i < num; i++) {
		free(verdicts[i].text);
		free(verdicts[i].command);
	}
}

void verdict_put_text(const struct verdict *verdicts, size_t num, FILE *file)
{
	for (size_t i = 0; i < num; i++) {
		fputc(' ', file);
		page_wrap(file, verdicts[i].text, 1, 1);
		/* one command for sentences that it says more of */
		if (verdicts[i].command &&
		    (i + 1 == num || !verdicts[i + 1].command ||
		     strcmp(verdicts[i].command, verdicts[i + 1].command) != 0))
			fprintf(file, " %s: %s\n", verdicts[i].rule->shows,
				verdicts[i].command);
	}
}

void verdict_put_json(const struct verdict *verdicts, size_t num,
		      struct json *json)
{
	if (!num)
		return;
	json_open(json, "verdict", '[');
	for (size_t i = 0; i < num; i++)
		json_add_row(json, "rule:%s text:%s command:%s?",
			     verdicts[i].rule->name, verdicts[i].text,
			     verdicts[i].command);
	json_close(json);
}
