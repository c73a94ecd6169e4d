/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What cpuid says: the features of the modelled processor, so that programs and
 * libraries take the paths that they would take there. Leaves as in Intel's
 * manual (volume 2A, CPUID) for a Westmere-EX or Nehalem-EX; the topology is
 * the modelled machine's, cores without a second thread. A Sandy Bridge-EP has
 * its number and says no to AVX, so programs take the paths without it.
 */
#include "bridge/valgrind/machine.h"
#include "bridge/valgrind/special.h"

enum {
	SANDY_BRIDGE_EP = 45,
	NEHALEM_EX = 46,
	/* Leaf 1, ECX: SSE3, DTES64, MONITOR, SSSE3, CX16, PDCM, DCA, SSE4.1,
	 * SSE4.2, x2APIC, POPCNT; Westmere has PCLMULQDQ and AES besides. */
	FEATURES_C = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 9 | 1 << 13 | 1 << 15 |
		     1 << 18 | 1 << 19 | 1 << 20 | 1 << 21 | 1 << 23,
	FEATURES_C_WESTMERE = 1 << 1 | 1 << 17 | 1 << 25,
	FEATURES_D = 0x0febfbff, /* to SSE2, without HTT */
	LINE_FLUSH = 8 << 8,	 /* of CLFLUSH, in units of 8 bytes */
	/* A socket has numbers for so many local APICs. */
	SOCKET_SHIFT = 4,
	SOCKET_APICS = 1 << SOCKET_SHIFT,
};

uint32_t cpuid_apic(unsigned core)
{
	return core / arena->cores_per_socket << SOCKET_SHIFT |
	       core % arena->cores_per_socket;
}

static struct leaf vendor(uint32_t highest)
{
	return (struct leaf){ highest, 0x756e6547, 0x6c65746e, 0x49656e69 };
}

/* Type, family, model and stepping. */
static uint32_t signature(void)
{
	switch (arena->processor) {
	case SANDY_BRIDGE_EP: return 0x206d7;
	case NEHALEM_EX: return 0x206e6;
	default: return 0x206f2;
	}
}

static struct leaf identity(void)
{
	bool is_nehalem = arena->processor == NEHALEM_EX;
	uint32_t number = cpuid_apic(front.core_number);

	return (struct leaf){
		.a = signature(),
		.b = LINE_FLUSH | SOCKET_APICS << 16 | number << 24,
		.c = FEATURES_C | (is_nehalem ? 0 : FEATURES_C_WESTMERE),
		.d = FEATURES_D | 1u << 28,
	};
}

/* Leaf 4: type, level, sharing, ways, lines, sets. */
static struct leaf cache(uint32_t which)
{
	uint32_t cores = (SOCKET_APICS - 1u) << 26;
	uint32_t sets = arena->llc_sets ? arena->llc_sets : 1;

	switch (which) {
	case 0: return (struct leaf){ 0x121 | cores, 7u << 22 | 63, 63, 0 };
	case 1: return (struct leaf){ 0x122 | cores, 3u << 22 | 63, 127, 0 };
	case 2: return (struct leaf){ 0x143 | cores, 7u << 22 | 63, 511, 0 };
	case 3:
		return (struct leaf){ 0x163 | cores | (SOCKET_APICS - 1u) << 14,
				      (arena->llc_ways - 1) << 22 | 63,
				      sets - 1, 2 };
	default: return (struct leaf){ 0 };
	}
}

static struct leaf topology(uint32_t level)
{
	uint32_t per_socket = arena->cores_per_socket;
	uint32_t number = cpuid_apic(front.core_number);

	if (level == 0)
		return (struct leaf){ 0, 1, 1 << 8, number };
	if (level == 1)
		return (struct leaf){ SOCKET_SHIFT, per_socket, 2 << 8 | 1,
				      number };
	return (struct leaf){ 0, 0, level, number };
}

static struct leaf brand(uint32_t part)
{
	struct leaf leaf;

	VG_(memcpy)(&leaf, arena->brand + part * sizeof(leaf), sizeof(leaf));
	return leaf;
}

struct leaf cpuid_answer(uint32_t number, uint32_t sub)
{
	switch (number) {
	case 0: return vendor(0xb);
	case 1: return identity();
	case 2: return (struct leaf){ 0x55035a01, 0x00f0b2ff, 0, 0x09ca212c };
	case 4: return cache(sub);
	case 5: return (struct leaf){ 64, 64, 3, 0x1120 };
	case 6: return (struct leaf){ 7, 2, 9, 0 };
	case 0xa: return (struct leaf){ 0x07300403, 4, 0, 0x603 };
	case 0xb: return topology(sub);
	case 0x80000000: return (struct leaf){ 0x80000008, 0, 0, 0 };
	/* LAHF; SYSCALL, execute disable, 1 GB pages, RDTSCP, 64 bits */
	case 0x80000001: return (struct leaf){ 0, 0, 1, 0x2c100800 };
	case 0x80000002:
	case 0x80000003:
	case 0x80000004: return brand(number - 0x80000002);
	case 0x80000006: return (struct leaf){ 0, 0, 0x01006040, 0 };
	case 0x80000007: return (struct leaf){ 0, 0, 0, 0x100 };
	case 0x80000008: return (struct leaf){ 0x302c, 0, 0, 0 };
	default: return (struct leaf){ 0 };
	}
}

static void cpuid(VexGuestAMD64State *state)
{
	struct leaf leaf = cpuid_answer((uint32_t)state->guest_RAX,
					(uint32_t)state->guest_RCX);

	state->guest_RAX = leaf.a;
	state->guest_RBX = leaf.b;
	state->guest_RCX = leaf.c;
	state->guest_RDX = leaf.d;
}

void special_replace(IRDirty *dirty)
{
	static const HChar name[] = "amd64g_dirtyhelper_CPUID";

	if (arena->keeps_cpuid ||
	    VG_(strncmp)(dirty->cee->name, name, sizeof(name) - 1) != 0)
		return;
	dirty->cee->addr = VG_(fnptr_to_fnentry)(cpuid);
}
