/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The kernel's words for an event: uncore_NAME_0/event=0x14/, as sysfs shows
 * them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/alias.h"
#include "uncore/error.h"

/* The row of the code of an event of the kernel's that says nothing else, or
 * NULL. */
static const struct uc_alias *row_of_code(const struct uc_family *family,
					  unsigned box, const char *words)
{
	const char *start = words + strlen("event=");
	uint64_t number, its;

	if (!alias_begins(words, "event=") || !text_number(start, &number))
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

/* Finds the box of a PMU; its name here, or the kernel's if there is none. */
static const char *find_box(struct kernel_pmu *pmu, const char *name)
{
	const struct uc_family *family = pmu->family;

	for (unsigned i = 0; i < family->num_aliases; i++)
		if (family->aliases[i].kind == UC_ALIAS_KERNEL_NAME &&
		    !strcasecmp(family->aliases[i].name, name))
			name = family->boxes[family->aliases[i].box].name;
	if (uc_box_find(family, name, &pmu->box))
		pmu->ports = uc_alias_find(family, UC_ALIAS_KERNEL_PORTS,
					   pmu->box, NULL, 0);
	return name;
}

int alias_kernel(const struct uc_family *family, const char *text,
		 struct text *ours)
{
	struct kernel_pmu pmu = { .family = family, .box = UC_BOX_NONE };
	char *box = strdup(text + strlen(ALIAS_KERNEL_PREFIX));
	char *slash = box ? strchr(box, '/') : NULL, *words = NULL, *end;
	const struct uc_alias *row;
	const char *name = NULL, *behind = "";
	bool has_instance = false;

	if (slash) {
		*slash++ = 0;
		end = slash + strcspn(slash, "/");
		behind = *end ? end + 1 : end;
		*end = 0;
	}
	end = box ? strrchr(box, '_') : NULL;
	if (end && end[1] && strspn(end + 1, "0123456789") == strlen(end + 1) &&
	    strlen(end + 1) < 10) {
		pmu.instance = (unsigned)strtoul(end + 1, NULL, 10);
		has_instance = true;
		*end = 0;
	}
	if (box)
		name = find_box(&pmu, box);
	if (slash) {
		row = uc_alias_find(family, UC_ALIAS_KERNEL, pmu.box, slash,
				    strlen(slash));
		if (!row)
			row = row_of_code(family, pmu.box, slash);
		words = strdup(row ? row->ours : slash);
	}
	if (name && (!slash || words)) {
		text_add(ours, "%s", name);
		if (has_instance && !pmu.ports)
			text_add(ours, "%u", pmu.instance);
		text_add(ours, "/");
		if (words)
			add_options(ours, &pmu, words);
		/* what makes no sense is refused with the rest */
		text_add(ours, "/%s", behind);
	}
	free(words);
	free(box);
	return ours->data && !ours->failed ? 0 : UNCORE_ERR_NO_MEMORY;
}
