/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The kernel's words for an event: uncore_NAME_0/event=0x14/, as sysfs shows
 * them and perf takes them, without uncore_, too; and PCM's, imc/fixed/.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/alias.h"
#include "perf/family.h"
#include "uncore/error.h"

/* The row of the code of an event of the kernel's that says nothing else, or
 * NULL. */
static const struct uc_alias *row_of_code(const struct uc_family *family,
					  unsigned box, const char *words,
					  size_t length)
{
	size_t start = strcspn(words, "=") + 1;
	uint64_t number, its;
	char code[32];

	if (start > length || (!text_same(words, start - 1, "event") &&
			       !text_same(words, start - 1, "config")))
		return NULL;
	snprintf(code, sizeof(code), "%.*s", (int)(length - start),
		 words + start);
	if (!text_number(code, &number))
		return NULL;
	for (unsigned i = 0; i < family->num_aliases; i++) {
		const struct uc_alias *row = &family->aliases[i];

		if (row->kind == UC_ALIAS_KERNEL_CODE && row->box == box &&
		    text_number(row->name, &its) && number == its)
			return row;
	}
	return NULL;
}

/* A PMU of the kernel, box and number apart; `ports` if it is of so many. */
struct kernel_pmu {
	const struct uc_family *family;
	const struct uc_alias *ports; /* or NULL */
	unsigned box;
	unsigned instance;
	bool has_instance;
	bool is_ours; /* called as we do */
};

/* Slots of a kind follow each other. */
static void add_port(struct text *text, const struct kernel_pmu *pmu,
		     const char *value)
{
	uint64_t number, most = pmu->ports->ports * pmu->ports->events;

	if (!text_number(value, &number) || number >= most)
		text_add(text, "event=%s", value);
	else
		text_add(text, "port=%u,slot=%u",
			 (unsigned)number / pmu->ports->events +
				 pmu->ports->ports * pmu->instance,
			 (unsigned)number % pmu->ports->events % 2);
}

static void add_option(struct text *text, const struct kernel_pmu *pmu,
		       const char *word)
{
	size_t length = strcspn(word, "=");
	const struct uc_alias *row = uc_alias_find(
		pmu->family, UC_ALIAS_KERNEL_OPTION, pmu->box, word, length);

	if (pmu->ports && alias_begins(word, "event="))
		add_port(text, pmu, word + strlen("event="));
	else if (row)
		text_add(text, "%s%s", row->ours, word + length);
	else
		text_add(text, "%s", word);
}

static void add_options(struct text *text, const struct kernel_pmu *pmu,
			char *words)
{
	const struct uc_alias *with = NULL;
	char *save = NULL;

	for (char *word = strtok_r(words, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		const struct uc_alias *row =
			uc_alias_find(pmu->family, UC_ALIAS_KERNEL_WITH,
				      pmu->box, word, strcspn(word, "="));

		if (text->data[text->length - 1] != '/')
			text_add(text, ",");
		add_option(text, pmu, word);
		with = row ? row : with;
	}
	if (with)
		text_add(text, ",%s", with->ours);
}

/* Finds the box of a PMU, with the number in its name, imc0 or imc_0; its name
 * here, or the text if there is none. */
static const char *find_box(struct kernel_pmu *pmu, const char *name)
{
	const struct uc_family *family = pmu->family;
	size_t length = strlen(name), number;

	while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
		length--;
	number = length;
	length -= length && name[length - 1] == '_';
	for (unsigned i = 0; i < family->num_boxes; i++)
		if (text_same(name, length, family->boxes[i].name)) {
			pmu->box = i;
			pmu->is_ours = length == number;
		}
	for (unsigned i = 0; i < family->num_aliases; i++)
		if (family->aliases[i].kind == UC_ALIAS_KERNEL_NAME &&
		    text_same(name, length, family->aliases[i].name))
			pmu->box = family->aliases[i].box;
	if (pmu->box == UC_BOX_NONE || strlen(name + number) > 9)
		return name;
	pmu->ports =
		uc_alias_find(family, UC_ALIAS_KERNEL_PORTS, pmu->box, NULL, 0);
	pmu->has_instance = name[number];
	pmu->instance = (unsigned)strtoul(name + number, NULL, 10);
	return family->boxes[pmu->box].name;
}

/* An event that sysfs shows, or whose code is none of the guide's; *rest is
 * what follows. */
static const struct uc_alias *row_of(const struct kernel_pmu *pmu,
				     const char *words, const char **rest)
{
	size_t length = strcspn(words, ",");
	const struct uc_alias *row = uc_alias_find(pmu->family, UC_ALIAS_KERNEL,
						   pmu->box, words, length);

	if (!row)
		row = row_of_code(pmu->family, pmu->box, words, length);
	*rest = row ? words + length : words;
	return row;
}

bool alias_is_kernel(const struct uc_family *family, const char *text)
{
	struct kernel_pmu pmu = { .family = family, .box = UC_BOX_NONE };
	const char *slash = strchr(text, '/'), *rest;
	char name[64];

	/* Of the kernel's own PMUs the names are as they are. */
	if (!slash || (size_t)(slash - text) >= sizeof(name) ||
	    perf_family_pmus(family))
		return false;
	if (alias_begins(text, ALIAS_KERNEL_PREFIX))
		return true;
	snprintf(name, sizeof(name), "%.*s", (int)(slash - text), text);
	find_box(&pmu, name);
	if (pmu.box == UC_BOX_NONE)
		return false;
	/* ours, but for a word that sysfs or PCM has and we do not */
	if (pmu.is_ours) {
		const struct uc_event *events = family->boxes[pmu.box].events;
		size_t length = strcspn(slash + 1, ",/");

		for (unsigned i = 0; i < family->boxes[pmu.box].num_events; i++)
			if (text_same(slash + 1, length, events[i].name))
				return false;
		snprintf(name, sizeof(name), "%.*s", (int)length, slash + 1);
		return row_of(&pmu, name, &rest);
	}
	return true;
}

int alias_kernel(const struct uc_family *family, const char *text,
		 struct text *ours)
{
	struct kernel_pmu pmu = { .family = family, .box = UC_BOX_NONE };
	size_t skip = alias_begins(text, ALIAS_KERNEL_PREFIX)
			      ? strlen(ALIAS_KERNEL_PREFIX)
			      : 0;
	char *box = strdup(text + skip);
	char *slash = box ? strchr(box, '/') : NULL, *words = NULL, *end;
	const char *name = NULL, *behind = "", *rest;
	const struct uc_alias *row;

	if (slash) {
		*slash++ = 0;
		end = slash + strcspn(slash, "/");
		behind = *end ? end + 1 : end;
		*end = 0;
	}
	if (box)
		name = find_box(&pmu, box);
	if (slash) {
		row = row_of(&pmu, slash, &rest);
		words = text_format("%s%s", row ? row->ours : "", rest);
	}
	if (name && words) {
		text_add(ours, "%s", name);
		if (pmu.has_instance && !pmu.ports)
			text_add(ours, "%u", pmu.instance);
		text_add(ours, "/");
		add_options(ours, &pmu, words);
		/* what makes no sense is refused with the rest */
		text_add(ours, "/%s", behind);
	}
	free(words);
	free(box);
	return ours->data && !ours->failed ? 0 : UNCORE_ERR_NO_MEMORY;
}
