/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What cpuid says: the features of the modelled processor, so that programs and
 * libraries take the paths that they would take there, less those that Valgrind
 * does not run on this machine. Leaves as in Intel's manual (volume 2A, CPUID);
 * the topology is the modelled machine's, cores without a second thread.
 */
#include "bridge/valgrind/machine.h"
#include "bridge/valgrind/special.h"

/* Leaf 1, ECX */
enum {
	PCLMULQDQ = 1 << 1,
	FMA = 1 << 12,
	MOVBE = 1 << 22,
	AES = 1 << 25,
	XSAVE = 1 << 26 | 1 << 27, /* and the system lets programs use it */
	AVX = 1 << 28,
	F16C = 1 << 29,
	RDRAND = 1 << 30,
	/* SSE3, DTES64, MONITOR, SSSE3, CX16, PDCM, DCA, SSE4.1, SSE4.2,
	 * x2APIC, POPCNT */
	NEHALEM_C = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 9 | 1 << 13 | 1 << 15 |
		    1 << 18 | 1 << 19 | 1 << 20 | 1 << 21 | 1 << 23,
	WESTMERE_C = NEHALEM_C | PCLMULQDQ | 1 << 17 | AES, /* and PCID */
	SANDY_BRIDGE_C = WESTMERE_C | XSAVE | AVX,
	IVY_BRIDGE_C = SANDY_BRIDGE_C | F16C | RDRAND,
	HASWELL_C = IVY_BRIDGE_C | FMA | MOVBE,
};

/* Leaf 7, EBX; FSGSBASE, ADX and MPX are nothing that Valgrind has. */
enum {
	BMI1 = 1 << 3,
	AVX2 = 1 << 5,
	BMI2 = 1 << 8,
	TSX = 1 << 4 | 1 << 11,
	RDSEED = 1 << 18,
	IVY_BRIDGE_B = 1 << 7 | 1 << 9, /* SMEP, ERMS */
	HASWELL_B = IVY_BRIDGE_B | BMI1 | AVX2 | BMI2 | 1 << 10, /* INVPCID */
	BROADWELL_B = HASWELL_B | RDSEED | 1 << 20,		 /* SMAP */
	SKYLAKE_B =
		BROADWELL_B | TSX | 1 << 23 | 1 << 24, /* CLFLUSHOPT, CLWB */
};
/* F, DQ, CD, BW, VL */
#define AVX_512                                                                \
	(UINT32_C(1) << 16 | UINT32_C(1) << 17 | UINT32_C(1) << 28 |           \
	 UINT32_C(1) << 30 | UINT32_C(1) << 31)

enum {
	LAHF = 1 << 0,
	LZCNT = 1 << 5,
	FEATURES_D = 0x0febfbff, /* to SSE2, without HTT */
	LINE_FLUSH = 8 << 8,	 /* of CLFLUSH, in units of 8 bytes */
	MAX_STEPPING = 15,	 /* the last of any: the family has them all */
};

static const struct processor {
	uint32_t model, signature;
	uint32_t first_c, seventh_b, extended_c;
} processors[] = {
	{ 47, 0x206f2, WESTMERE_C, 0, LAHF },
	{ 46, 0x206e6, NEHALEM_C, 0, LAHF },
	{ 45, 0x206d7, SANDY_BRIDGE_C, 0, LAHF },
	{ 62, 0x306e4, IVY_BRIDGE_C, IVY_BRIDGE_B, LAHF },
	{ 63, 0x306f2, HASWELL_C, HASWELL_B, LAHF | LZCNT },
	{ 79, 0x406f1, HASWELL_C, BROADWELL_B, LAHF | LZCNT },
	/* of the first generation; of the second 7 is the last one */
	{ 85, 0x50654, HASWELL_C, SKYLAKE_B | AVX_512, LAHF | LZCNT },
};

/* The modelled one; the first if there is none of that number. */
static const struct processor *modelled(void)
{
	UInt i = sizeof(processors) / sizeof(processors[0]);

	while (--i && processors[i].model != arena->processor)
		;
	return &processors[i];
}

/* What this machine's Valgrind runs of it. */
static struct processor processor;

static void leave_out(UInt has, uint32_t first_c, uint32_t seventh_b,
		      const HChar *name)
{
	if (has || !((processor.first_c & first_c) |
		     (processor.seventh_b & seventh_b)))
		return;
	processor.first_c &= ~first_c;
	processor.seventh_b &= ~seventh_b;
	if (arena->keeps_cpuid)
		return;
	if (arena->not_shown[0])
		VG_(strcat)(arena->not_shown, ", ");
	VG_(strcat)(arena->not_shown, name);
}

void cpuid_begin(UInt hwcaps)
{
	if (processor.model)
		return;
	processor = *modelled();
	if (arena->stepping < MAX_STEPPING)
		processor.signature =
			(processor.signature & ~MAX_STEPPING) | arena->stepping;
	arena->not_shown[0] = 0;
	leave_out(false, 0, AVX_512, "AVX-512");
	leave_out(false, 0, TSX, "TSX");
	leave_out(hwcaps & VEX_HWCAPS_AMD64_AVX, XSAVE | AVX, 0, "AVX");
	leave_out(hwcaps & VEX_HWCAPS_AMD64_AVX2, FMA | MOVBE, AVX2 | BMI2,
		  "AVX2");
	leave_out(hwcaps & VEX_HWCAPS_AMD64_BMI, 0, BMI1, "BMI");
	leave_out(hwcaps & VEX_HWCAPS_AMD64_F16C, F16C, 0, "F16C");
	leave_out(hwcaps & VEX_HWCAPS_AMD64_RDRAND, RDRAND, 0, "RDRAND");
	leave_out(hwcaps & VEX_HWCAPS_AMD64_RDSEED, 0, RDSEED, "RDSEED");
	if (!(hwcaps & VEX_HWCAPS_AMD64_LZCNT))
		processor.extended_c &= ~(uint32_t)LZCNT;
}

/* Sockets have numbers for a power of two of local APICs, 16 at least. */
static uint32_t socket_shift(void)
{
	uint32_t shift = 4;

	while (1u << shift < arena->cores_per_socket)
		shift++;
	return shift;
}

uint32_t cpuid_apic(unsigned core)
{
	return core / arena->cores_per_socket << socket_shift() |
	       core % arena->cores_per_socket;
}

static struct leaf vendor(uint32_t highest)
{
	return (struct leaf){ highest, 0x756e6547, 0x6c65746e, 0x49656e69 };
}

static struct leaf identity(void)
{
	uint32_t number = cpuid_apic(front.core_number);

	return (struct leaf){
		.a = processor.signature,
		.b = LINE_FLUSH | 1u << socket_shift() << 16 | number << 24,
		.c = processor.first_c,
		.d = FEATURES_D | 1u << 28,
	};
}

/* Leaf 4, EDX: it has what all caches above it have; or not, and its sets are
 * not chosen by some bits of the address alone. */
static uint32_t llc_kind(void)
{
	enum { IS_INCLUSIVE = 2, IS_COMPLEX = 4 };

	return processor.model == 85 ? IS_COMPLEX : IS_INCLUSIVE;
}

/* Leaf 4: type, level, sharing, ways, lines, sets. */
static struct leaf cache(uint32_t which)
{
	uint32_t apics = 1u << socket_shift(), cores = (apics - 1) << 26;
	uint32_t sets = arena->llc_sets ? arena->llc_sets : 1;
	const struct privcache_shape *shape = front_caches();

	switch (which) {
	case 0: return (struct leaf){ 0x121 | cores, 7u << 22 | 63, 63, 0 };
	case 1:
		return (struct leaf){ 0x122 | cores,
				      (shape->l1i_ways - 1u) << 22 | 63,
				      privcache_l1i_sets(shape) - 1, 0 };
	case 2:
		return (struct leaf){ 0x143 | cores,
				      (shape->l2_ways - 1u) << 22 | 63,
				      privcache_l2_sets(shape) - 1, 0 };
	case 3:
		return (struct leaf){ 0x163 | cores | (apics - 1) << 14,
				      (arena->llc_ways - 1) << 22 | 63,
				      sets - 1, llc_kind() };
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
		return (struct leaf){ socket_shift(), per_socket, 2 << 8 | 1,
				      number };
	return (struct leaf){ 0, 0, level, number };
}

/* KB, a code for the ways, bytes of a line. */
static uint32_t second_level(void)
{
	const struct privcache_shape *shape = front_caches();

	return privcache_l2_sets(shape) * shape->l2_ways / 16 << 16 |
	       (shape->l2_ways == 8 ? 6u : 8u) << 12 | 64;
}

/* What XSAVE saves: that of x87, SSE and AVX, with the size of all; of AVX,
 * with its place. */
static struct leaf saved(uint32_t part)
{
	if (part == 0)
		return (struct leaf){ 7, 832, 832, 0 };
	return part == 2 ? (struct leaf){ 256, 576, 0, 0 } : (struct leaf){ 0 };
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
	case 0: return vendor(processor.first_c & AVX ? 0xd : 0xb);
	case 1: return identity();
	/* sizes of caches are in leaf 4 */
	case 2: return (struct leaf){ 0x55035a01, 0x00f0b2ff, 0, 0x00ca0000 };
	case 4: return cache(sub);
	case 5: return (struct leaf){ 64, 64, 3, 0x1120 };
	case 6: return (struct leaf){ 7, 2, 9, 0 };
	case 7: return (struct leaf){ .b = sub ? 0 : processor.seventh_b };
	case 0xa: return (struct leaf){ 0x07300403, 4, 0, 0x603 };
	case 0xb: return topology(sub);
	case 0xd:
		return processor.first_c & AVX ? saved(sub)
					       : (struct leaf){ 0 };
	case 0x80000000: return (struct leaf){ 0x80000008, 0, 0, 0 };
	/* SYSCALL, execute disable, 1 GB pages, RDTSCP, 64 bits */
	case 0x80000001:
		return (struct leaf){ 0, 0, processor.extended_c, 0x2c100800 };
	case 0x80000002:
	case 0x80000003:
	case 0x80000004: return brand(number - 0x80000002);
	case 0x80000006: return (struct leaf){ .c = second_level() };
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
