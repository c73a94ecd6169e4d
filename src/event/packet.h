/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Message classes and opcodes of packets by name, and the bits that stand for
 * them in filters that have one bit for each.
 */
#ifndef UNCORE_EVENT_PACKET_H
#define UNCORE_EVENT_PACKET_H

#include "base/text.h"
#include "table/table.h"

enum { PACKET_CLASSES = 16, PACKET_OPCODES = 16 };

/* By the first length letters of a name, case ignored; NULL if there is none.
 * What stands in brackets in the name of an opcode may be left out. */
const struct uc_class *packet_class(const struct uc_family *family,
				    const char *name, size_t length);
const struct uc_opcode *packet_opcode(const struct uc_family *family,
				      const char *name, size_t length);

/* By code; NULL if there is none. */
const struct uc_class *packet_class_of(const struct uc_family *family,
				       unsigned code);
const struct uc_opcode *packet_opcode_of(const struct uc_family *family,
					 unsigned class_code, unsigned code);

/* The name without what stands in brackets, as it is printed. */
void packet_say_opcode(const struct uc_opcode *opcode, struct text *text);

/* The bit of a class in its field, and of an opcode in the register; -1 if it
 * has none. */
int packet_class_bit(const struct uc_family *family, unsigned class_code);
int packet_opcode_bit(const struct uc_family *family, unsigned class_code,
		      unsigned code);

#endif
