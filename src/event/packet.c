/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An opcode whose name ends in the states that it may carry, as in
 * DataC_(FEIMS)_Cmp, is known without them too: brackets are for shells.
 */
#include "event/packet.h"

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

const struct uc_opcode *packet_opcode(const struct uc_family *family,
				      const char *name, size_t length)
{
	for (unsigned i = 0; i < family->num_opcodes; i++)
		if (text_same(name, length, family->opcodes[i].name) ||
		    text_same(name, length, family->opcodes[i].plain))
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
