/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Message classes and opcodes of packets by name and by code.
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

#endif
