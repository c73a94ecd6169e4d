/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "filter_rig.h"

#include <stdlib.h>
#include <string.h>

struct uncore_write *filter_writes(const char *machine, const char *text,
				   size_t *num, char **canonical)
{
	const struct uncore_family *family = uncore_family_find(machine);
	struct uncore_event *event = NULL;
	struct uncore_plan *plan = NULL;
	struct uncore_write *writes = NULL;
	char *ignored = NULL;

	*num = 0;
	if (uncore_event_parse(family, text, &event,
			       canonical ? canonical : &ignored)) {
		free(ignored);
		return NULL;
	}
	if (canonical)
		*canonical = strdup(uncore_event_canonical(event));
	if (!uncore_plan_new(family, &event, 1, &plan, NULL))
		uncore_plan_writes(plan, 0, 0, &writes, num, NULL);
	uncore_plan_free(plan);
	uncore_event_free(event);
	for (size_t i = 0; i < *num; i++) {
		struct uncore_write write = writes[i];

		if (!strstr(write.name, "CTL") ||
		    strstr(write.name, "GLOBAL") || strstr(write.name, "BOX"))
			continue;
		writes[i] = writes[0];
		writes[0] = write;
		break;
	}
	return writes;
}

bool filter_encode_text(const char *machine, const char *text,
			struct filter_regs *regs, char **error)
{
	size_t num;
	char *said = NULL;
	struct uncore_write *writes = filter_writes(machine, text, &num, &said);

	*regs = (struct filter_regs){ 0 };
	for (size_t i = 0; i < num; i++) {
		if (strstr(writes[i].name, "MATCH"))
			regs->match = writes[i].value;
		else if (strstr(writes[i].name, "MASK"))
			regs->mask = writes[i].value;
		else if (strstr(writes[i].name, "MM_CFG"))
			regs->config = writes[i].value;
	}
	if (!writes && error)
		*error = said;
	else
		free(said);
	free(writes);
	return writes;
}

unsigned filter_pairs(const char *machine, uint8_t *pairs,
		      const char *names[256])
{
	const struct uncore_family *family = uncore_family_find(machine);
	struct uncore_message_class class;
	struct uncore_opcode opcode;
	unsigned num = 0;

	for (size_t i = 0; uncore_family_opcode(family, i, &opcode); i++)
		for (size_t c = 0; uncore_family_class(family, c, &class);
		     c++) {
			if (strcmp(class.name, opcode.message_class))
				continue;
			pairs[num] = (uint8_t)(class.code * 16 + opcode.code);
			names[pairs[num++]] = opcode.name;
		}
	return num;
}

uint64_t filter_random(uint64_t limit)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return (state >> 16) % limit;
}
