/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Message classes and opcodes by name, for options that filter packets:
 * opc=RdData instead of a number.
 */
#include "event/event.h"

#include <strings.h>

static const struct uc_class *find_class(const struct uc_family *family,
					 const char *name)
{
	for (unsigned i = 0; i < family->num_classes; i++)
		if (!strcasecmp(family->classes[i].name, name))
			return &family->classes[i];
	return NULL;
}

static bool has_onehot(const struct uc_family *family, unsigned class_code)
{
	for (unsigned i = 0; i < family->num_onehots; i++)
		if (family->onehots[i].message_class == class_code)
			return true;
	return false;
}

/* A class as one bit: the classes that the one-hot filter knows, in the order
 * of their codes, have one bit each. */
static uint64_t class_bit(const struct uc_family *family,
			  const struct uc_class *wanted)
{
	unsigned rank = 0;

	for (unsigned i = 0; i < family->num_classes; i++)
		if (family->classes[i].code < wanted->code &&
		    has_onehot(family, family->classes[i].code))
			rank++;
	return has_onehot(family, wanted->code) ? UINT64_C(1) << rank : 0;
}

static uint64_t opcode_bit(const struct uc_family *family,
			   const struct uc_opcode *opcode, unsigned low)
{
	for (unsigned i = 0; i < family->num_onehots; i++)
		if (family->onehots[i].message_class == opcode->message_class &&
		    family->onehots[i].opcode == opcode->code)
			return UINT64_C(1) << (family->onehots[i].bit - low);
	return 0;
}

/* A message class or opcode by name, as the field wants it: its code, or one
 * bit of a field that is wider than a code. */
bool event_packet_value(const struct uncore_event *event, const char *name,
			const char *value, unsigned high, unsigned low,
			uint64_t *number)
{
	const struct uc_family *family = event->family;
	bool onehot = high - low > 3;

	if (!strcasecmp(name, "mc")) {
		const struct uc_class *row = find_class(family, value);

		if (!row)
			return false;
		*number = onehot ? class_bit(family, row) : row->code;
		return !onehot || *number;
	}
	if (strcasecmp(name, "opc"))
		return false;
	for (unsigned i = 0; i < family->num_opcodes; i++) {
		const struct uc_opcode *row = &family->opcodes[i];

		if (strcasecmp(row->name, value))
			continue;
		*number = onehot ? opcode_bit(family, row, low) : row->code;
		return !onehot || *number;
	}
	return false;
}
