/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Words that Linux has for its machine, of the modelled one.
 */
#include "bridge/valgrind/machine.h"

#include <pub_tool_libcfile.h>
#include <pub_tool_vki.h>

enum {
	WORD_BITS = 32,
	SET_BITS = 128,
	TICKS_HZ = 100, /* of /proc/stat */
	KHZ = 1000,
};

void text_add(struct text *text, const HChar *format, ...)
{
	Int room = (Int)sizeof(text->bytes) - text->length;
	va_list list;
	Int added;

	va_start(list, format);
	added = (Int)VG_(vsnprintf)(text->bytes + text->length, room, format,
				    list);
	va_end(list);
	text->length += added < room ? added : room - 1;
}

struct set set_of(UInt first, UInt last)
{
	struct set set = { { 0 } };
	UInt i;

	for (i = first; i <= last; i++)
		set.words[i / 64] |= UINT64_C(1) << i % 64;
	return set;
}

/* Words of 32 bits from the highest down. */
void text_add_mask(struct text *text, struct set set, UInt num_bits)
{
	UInt word = (num_bits + WORD_BITS - 1) / WORD_BITS;

	while (word--)
		text_add(
			text, "%08x%s",
			(uint32_t)(set.words[word / 2] >> word % 2 * WORD_BITS),
			word ? "," : "\n");
}

static bool has(struct set set, UInt number)
{
	return number < SET_BITS && set.words[number / 64] >> number % 64 & 1;
}

void text_add_list(struct text *text, struct set set)
{
	const HChar *between = "";
	UInt first, last;

	for (first = 0; first < SET_BITS; first = last + 1) {
		last = first;
		if (!has(set, first))
			continue;
		while (has(set, last + 1))
			last++;
		text_add(text, "%s%u", between, first);
		if (last > first)
			text_add(text, "-%u", last);
		between = ",";
	}
	text_add(text, "\n");
}

/* /proc/cpuinfo */

/* Names of features by bit; NULL: it has no name there. */
static const HChar *const features_d[WORD_BITS] = {
	"fpu",	"vme",	 "de",	 "pse",	    "tsc",  "msr", "pae",  "mce",
	"cx8",	"apic",	 NULL,	 "sep",	    "mtrr", "pge", "mca",  "cmov",
	"pat",	"pse36", NULL,	 "clflush", NULL,   "dts", "acpi", "mmx",
	"fxsr", "sse",	 "sse2", "ss",	    "ht",   "tm",  NULL,   "pbe",
};
static const HChar *const extended_d[WORD_BITS] = {
	[11] = "syscall", [20] = "nx", [26] = "pdpe1gb",
	[27] = "rdtscp",  [29] = "lm",
};
static const HChar *const features_c[WORD_BITS] = {
	[0] = "pni",	 [1] = "pclmulqdq", [2] = "dtes64",  [3] = "monitor",
	[9] = "ssse3",	 [13] = "cx16",	    [15] = "pdcm",   [18] = "dca",
	[19] = "sse4_1", [20] = "sse4_2",   [21] = "x2apic", [23] = "popcnt",
	[12] = "fma",	 [22] = "movbe",    [25] = "aes",    [26] = "xsave",
	[28] = "avx",	 [29] = "f16c",	    [30] = "rdrand",
};
static const HChar *const extended_c[WORD_BITS] = {
	[0] = "lahf_lm", [5] = "abm"
};
static const HChar *const seventh_b[WORD_BITS] = {
	[3] = "bmi1", [5] = "avx2",	[7] = "smep",	 [8] = "bmi2",
	[9] = "erms", [10] = "invpcid", [18] = "rdseed", [20] = "smap",
};

static void add_features(struct text *text, uint32_t bits,
			 const HChar *const *names)
{
	UInt bit;

	for (bit = 0; bit < WORD_BITS; bit++)
		if (bits >> bit & 1 && names[bit])
			text_add(text, " %s", names[bit]);
}

static void add_flags(struct text *text)
{
	struct leaf first = cpuid_answer(1, 0);
	struct leaf extended = cpuid_answer(0x80000001, 0);

	text_add(text, "flags\t\t:");
	add_features(text, first.d, features_d);
	add_features(text, extended.d, extended_d);
	text_add(text, " constant_tsc nonstop_tsc");
	add_features(text, first.c, features_c);
	add_features(text, extended.c, extended_c);
	add_features(text, cpuid_answer(7, 0).b, seventh_b);
	text_add(text, "\n");
}

/* What cpuid says of the processor: not which of its cores it is. */
static void add_kind(struct text *text)
{
	uint32_t signature = cpuid_answer(1, 0).a;
	struct leaf cache = cpuid_answer(4, 3);

	text_add(text, "vendor_id\t: GenuineIntel\n");
	text_add(text, "cpu family\t: %u\n", signature >> 8 & 0xf);
	text_add(text, "model\t\t: %u\n",
		 (signature >> 12 & 0xf0) | (signature >> 4 & 0xf));
	text_add(text, "model name\t: %s\n", arena->brand);
	text_add(text, "stepping\t: %u\n", signature & 0xf);
	text_add(text, "cpu MHz\t\t: %u.%03u\n", arena->core_khz / KHZ,
		 arena->core_khz % KHZ);
	text_add(text, "cache size\t: %u KB\n",
		 ((cache.b >> 22) + 1) * (cache.c + 1) / 16);
}

void text_add_processor(struct text *text, UInt core)
{
	UInt cores = arena->cores_per_socket;

	text_add(text, "processor\t: %u\n", core);
	add_kind(text);
	text_add(text, "physical id\t: %u\n", core / cores);
	text_add(text, "siblings\t: %u\n", cores);
	text_add(text, "core id\t\t: %u\n", core % cores);
	text_add(text, "cpu cores\t: %u\n", cores);
	text_add(text, "apicid\t\t: %u\n", cpuid_apic(core));
	text_add(text, "initial apicid\t: %u\n", cpuid_apic(core));
	text_add(text, "fpu\t\t: yes\nfpu_exception\t: yes\n");
	text_add(text, "cpuid level\t: %u\n", cpuid_answer(0, 0).a);
	text_add(text, "wp\t\t: yes\n");
	add_flags(text);
	text_add(text, "bogomips\t: %u.%02u\n", 2 * arena->core_khz / KHZ,
		 2 * arena->core_khz % KHZ / 10);
	text_add(text, "clflush size\t: 64\ncache_alignment\t: 64\n");
	text_add(text, "address sizes\t: 44 bits physical, 48 bits virtual\n");
	text_add(text, "power management:\n\n");
}

/* Files of the kernel's, line by line */

/* Whether the line is told otherwise; `text` has that then. */
typedef bool change_line(struct text *text, const HChar *line);

static bool fill_from(struct text *text, const HChar *path, change_line *change)
{
	static HChar real[MACHINE_TEXT_BYTES];
	HChar *line, *end;
	Int length = 0, got;
	SysRes opened;

	VG_(snprintf)(real, sizeof(real), "/%s", path);
	opened = VG_(open)(real, VKI_O_RDONLY, 0);
	if (sr_isError(opened))
		return false;
	do {
		got = VG_(read)((Int)sr_Res(opened), real + length,
				(Int)sizeof(real) - 1 - length);
		length += got > 0 ? got : 0;
	} while (got > 0);
	VG_(close)((Int)sr_Res(opened));
	real[length] = '\0';
	for (line = real; (end = VG_(strchr)(line, '\n')); line = end + 1) {
		*end = '\0';
		if (!change(text, line))
			text_add(text, "%s\n", line);
	}
	return length > 0;
}

static bool starts(const HChar *line, const HChar *word)
{
	return VG_(strncmp)(line, word, VG_(strlen)(word)) == 0;
}

/* The CPUs and nodes that may be used. */
static bool change_status(struct text *text, const HChar *line)
{
	struct set cpus = set_of(0, front_num_cores() - 1);
	struct set nodes = set_of(0, arena->num_sockets - 1);
	const uint64_t *mask = front.thread->mask;

	if (mask[0] || mask[1])
		cpus = (struct set){ { mask[0], mask[1] } };
	if (starts(line, "Cpus_allowed:")) {
		text_add(text, "Cpus_allowed:\t");
		text_add_mask(text, cpus, front_num_cores());
	} else if (starts(line, "Cpus_allowed_list:")) {
		text_add(text, "Cpus_allowed_list:\t");
		text_add_list(text, cpus);
	} else if (starts(line, "Mems_allowed:")) {
		text_add(text, "Mems_allowed:\t");
		text_add_mask(text, nodes, WORD_BITS);
	} else if (starts(line, "Mems_allowed_list:")) {
		text_add(text, "Mems_allowed_list:\t");
		text_add_list(text, nodes);
	} else {
		return false;
	}
	return true;
}

/* Each CPU has what its threads ran as time of programs, the rest up to now as
 * idle. */
static void add_times(struct text *text, const HChar *name, uint64_t run,
		      uint64_t passed)
{
	uint64_t tick = (uint64_t)arena->core_khz * KHZ / TICKS_HZ;

	text_add(text, "%s %lu 0 0 %lu 0 0 0 0 0 0\n", name, run / tick,
		 passed > run ? (passed - run) / tick : 0);
}

static bool change_stat(struct text *text, const HChar *line)
{
	UInt num = front_num_cores();
	uint64_t passed, run = 0;
	HChar name[16];
	UInt i;

	if (!starts(line, "cpu"))
		return false;
	if (line[3] != ' ')
		return true;
	passed = stream_clock();
	for (i = 0; i < num; i++)
		run += arena->cores[i].run_cycles;
	add_times(text, "cpu ", run, num * passed);
	for (i = 0; i < num; i++) {
		VG_(sprintf)(name, "cpu%u", i);
		add_times(text, name, arena->cores[i].run_cycles, passed);
	}
	return true;
}

/* Of groups of processes, which may have less than the machine. */

static bool change_cpus(struct text *text, const HChar *line)
{
	(void)line;
	text_add_list(text, set_of(0, front_num_cores() - 1));
	return true;
}

static bool change_mems(struct text *text, const HChar *line)
{
	(void)line;
	text_add_list(text, set_of(0, arena->num_sockets - 1));
	return true;
}

static bool change_share(struct text *text, const HChar *line)
{
	(void)line;
	text_add(text, "max 100000\n");
	return true;
}

static bool change_quota(struct text *text, const HChar *line)
{
	(void)line;
	text_add(text, "-1\n");
	return true;
}

static change_line *change_of_group(const HChar *path)
{
	static const struct {
		const HChar *name;
		change_line *change;
	} rows[] = {
		{ "cpuset.cpus", change_cpus },
		{ "cpuset.cpus.effective", change_cpus },
		{ "cpuset.effective_cpus", change_cpus },
		{ "cpuset.mems", change_mems },
		{ "cpuset.mems.effective", change_mems },
		{ "cpuset.effective_mems", change_mems },
		{ "cpu.max", change_share },
		{ "cpu.cfs_quota_us", change_quota },
	};
	UInt i;

	if (!starts(path, "sys/fs/cgroup/"))
		return NULL;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (VG_(strcmp)(VG_(strrchr)(path, '/') + 1, rows[i].name) == 0)
			return rows[i].change;
	return NULL;
}

bool text_fill_changing(struct text *text, const HChar *path)
{
	change_line *change = NULL;

	if (outside_is_own(path, "status"))
		change = change_status;
	else if (arena->keeps_cpus)
		change = NULL;
	else if (VG_(strcmp)(path, "proc/stat") == 0)
		change = change_stat;
	else
		change = change_of_group(path);
	return change && fill_from(text, path, change);
}
