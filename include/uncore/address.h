/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The address of a register of a socket, as one number of 64 bits: a space, a
 * unit of it, and an offset.
 *
 *     space    63:60  unit 59:32           offset 31:0   as text
 *     MSR      0      0                    its number    0x3F6
 *     PCI      1      device * 8 +         in the        pci:10.4+0xA0
 *                     function             config space
 *     memory   2      number of a window   in it         mem:0+0x22840
 *     perf     3      box * 256 +          a counter * 32  perf:513+0x20
 *                     instance
 *
 * So an MSR's address is its number. A PCI device stands on the bus of its
 * socket's uncore, which differs from machine to machine and is not part of the
 * address; where a socket has several, those behind the first have a number, 1,
 * 2, ..., times 256 in the unit and in front of the device in the text:
 * pci:2:08.0+0x228. A memory window likewise begins wherever the firmware has
 * put it.
 * Device and function are hexadecimal in the text, as lspci prints them.
 */
#ifndef UNCORE_ADDRESS_H
#define UNCORE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum uncore_space {
	UNCORE_SPACE_MSR,
	UNCORE_SPACE_PCI,
	UNCORE_SPACE_MEMORY,
	UNCORE_SPACE_PERF,
	UNCORE_NUM_SPACES
};

/* Room for any address as text. */
enum { UNCORE_ADDRESS_BYTES = 32 };

static inline uint64_t uncore_address(enum uncore_space space, unsigned unit,
				      uint32_t offset)
{
	return (uint64_t)space << 60 | (uint64_t)unit << 32 | offset;
}

/* UNCORE_NUM_SPACES or more: there is no such space. */
static inline unsigned uncore_address_space(uint64_t address)
{
	return (unsigned)(address >> 60);
}

static inline unsigned uncore_address_unit(uint64_t address)
{
	return (unsigned)(address >> 32 & 0xFFFFFFF);
}

static inline uint32_t uncore_address_offset(uint64_t address)
{
	return (uint32_t)address;
}

/* "msr", "pci", "mem"; NULL past the last one. */
const char *uncore_space_name(unsigned space);

/* The address as text, in `text`, which is returned. */
const char *uncore_address_say(uint64_t address,
			       char text[UNCORE_ADDRESS_BYTES]);

/* The address that a text of the forms above gives, the number of an MSR also
 * in decimal; false where it gives none. */
bool uncore_address_parse(const char *text, uint64_t *address);

#ifdef __cplusplus
}
#endif

#endif
