/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An opcode whose name ends in the states that it may carry, as in
 * DataC_(FEIMS)_Cmp, is known without them too: brackets are for shells.
 */
#include "event/packet.h"

#include <string.h>
#include <strings.h>

const struct uc_class *packet_class(const struct uc_family *family,
				    const char *name, size_t length)
{
	for (unsigned i = 0; i < family->num_classes; i++)
		if (text_same(name, length, family->classes[i].name))
			return &family->classes[i];
	return NULL;
}

const struct uc_class *packet_class_of(const struct uc_family *family,
				       unsigned code)
{
	for (unsigned i = 0; i < family->num_classes; i++)
		if (family->classes[i].code == code)
			return &family->classes[i];
	return NULL;
}

/* Length of the name before "_(", and where it goes on behind the ")". */
static size_t split(const char *name, const char **rest)
{
	const char *open = strstr(name, "_("), *close = NULL;

	if (open)
		close = strchr(open, ')');
	*rest = close ? close + 1 : name + strlen(name);
	return close ? (size_t)(open - name) : strlen(name);
}

void packet_say_opcode(const struct uc_opcode *opcode, struct text *text)
{
	const char *rest;
	size_t first = split(opcode->name, &rest);

	text_add(text, "%.*s%s", (int)first, opcode->name, rest);
}

static bool is_named(const struct uc_opcode *opcode, const char *name,
		     size_t length)
{
	const char *rest;
	size_t first = split(opcode->name, &rest);

	if (text_same(name, length, opcode->name))
		return true;
	return length == first + strlen(rest) &&
	       !strncasecmp(name, opcode->name, first) &&
	       !strncasecmp(name + first, rest, length - first);
}

const struct uc_opcode *packet_opcode(const struct uc_family *family,
				      const char *name, size_t length)
{
	for (unsigned i = 0; i < family->num_opcodes; i++)
		if (is_named(&family->opcodes[i], name, length))
			return &family->opcodes[i];
	return NULL;
}

const struct uc_opcode *packet_opcode_of(const struct uc_family *family,
					 unsigned class_code, unsigned code)
{
	for (unsigned i = 0; i < family->num_opcodes; i++)
		if (family->opcodes[i].message_class == class_code &&
		    family->opcodes[i].code == code)
			return &family->opcodes[i];
	return NULL;
}

static bool has_onehot(const struct uc_family *family, unsigned class_code)
{
	for (unsigned i = 0; i < family->num_onehots; i++)
		if (family->onehots[i].message_class == class_code)
			return true;
	return false;
}

/* The classes that the one-hot filter knows, in the order of their codes, have
 * one bit each. */
int packet_class_bit(const struct uc_family *family, unsigned class_code)
{
	int rank = 0;

	for (unsigned i = 0; i < family->num_classes; i++)
		if (family->classes[i].code < class_code &&
		    has_onehot(family, family->classes[i].code))
			rank++;
	return has_onehot(family, class_code) ? rank : -1;
}

int packet_opcode_bit(const struct uc_family *family, unsigned class_code,
		      unsigned code)
{
	for (unsigned i = 0; i < family->num_onehots; i++)
		if (family->onehots[i].message_class == class_code &&
		    family->onehots[i].opcode == code)
			return family->onehots[i].bit;
	return -1;
}
