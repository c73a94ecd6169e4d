/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The core's events of its caches, through the registers of every CPU: closed
 * forms of small workloads, and equations with each other and with the uncore's
 * events. See docs/proof.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab.h"

#define SMALL_LLC "llc.slice=6", "llc.ways=4"

enum { PMC0 = 0xC1, EVTSEL0 = 0x186, RSP0 = 0x1A6, CTRL = 0x38F };
enum { LD_LAT = 0x3F6 };

/* Of an event: its code, unit mask and, where it has one, the register that it
 * looks at. */
struct core_event {
	uint32_t code, umask;
	uint64_t address, value;
};

static void put(struct uncore_model *model, unsigned cpu, uint64_t address,
		uint64_t value)
{
	assert_int_equal(uncore_model_cpu_write(model, cpu, address, value), 0);
}

/* What was asked for so far; an experiment is done again for what it has not
 * counted, with as much of the rest as a core can count at the same time. */
enum { MAX_EVENTS = 80, MAX_LABS = 256, NUM_PMCS = 4 };

static struct core_event asked[MAX_EVENTS];
static unsigned num_asked;
static bool is_counted[MAX_LABS][MAX_EVENTS];
static uint64_t counts[MAX_LABS][MAX_EVENTS];

static unsigned event_number(struct core_event event)
{
	unsigned n = 0;

	while (n < num_asked && memcmp(&asked[n], &event, sizeof(event)))
		n++;
	assert_in_range(n, 0, MAX_EVENTS - 1);
	if (n == num_asked)
		asked[num_asked++] = event;
	return n;
}

/* Whether an event looks at the same register as one of others. */
static bool is_in_use(const unsigned *others, unsigned num, unsigned event)
{
	for (unsigned i = 0; i < num; i++)
		if (asked[event].address &&
		    asked[event].address == asked[others[i]].address)
			return true;
	return false;
}

static unsigned choose(unsigned lab, unsigned wanted, unsigned *chosen)
{
	unsigned num = 0;

	chosen[num++] = wanted;
	for (unsigned n = 0; n < num_asked && num < NUM_PMCS; n++)
		if (n != wanted && !is_counted[lab][n] &&
		    !is_in_use(chosen, num, n))
			chosen[num++] = n;
	return num;
}

static void set_up(struct uncore_model *model, unsigned cpu, unsigned pmc,
		   const struct core_event *event)
{
	if (event->address)
		put(model, cpu, event->address, event->value);
	put(model, cpu, EVTSEL0 + pmc,
	    event->code | event->umask << 8 | 3u << 16 | 1u << 22);
}

static void measure(const struct lab *lab, unsigned wanted)
{
	struct uncore_model *model = lab_model(lab);
	unsigned cpus = uncore_model_sockets(model) * uncore_model_cores(model);
	unsigned chosen[NUM_PMCS], number = lab_number(lab);
	unsigned num = choose(number, wanted, chosen);
	uint64_t value;

	for (unsigned cpu = 0; cpu < cpus; cpu++)
		for (unsigned i = 0; i < num; i++)
			set_up(model, cpu, i, &asked[chosen[i]]);
	lab_run(lab, model);
	for (unsigned i = 0; i < num; i++) {
		is_counted[number][chosen[i]] = true;
		for (unsigned cpu = 0; cpu < cpus; cpu++) {
			assert_int_equal(uncore_model_cpu_read(
						 model, cpu, PMC0 + i, &value),
					 0);
			counts[number][chosen[i]] += value;
		}
	}
	uncore_model_free(model);
}

/* Summed over all CPUs. */
static uint64_t count(const struct lab *lab, struct core_event event)
{
	unsigned number = lab_number(lab), n = event_number(event);

	if (!is_counted[number][n])
		measure(lab, n);
	return counts[number][n];
}

static uint64_t core(const struct lab *lab, unsigned code, unsigned umask)
{
	return count(lab, (struct core_event){ code, umask, 0, 0 });
}

/* Requests and answers as MSR_OFFCORE_RSP_0 has them. */
static uint64_t offcore(const struct lab *lab, uint64_t which)
{
	return count(lab, (struct core_event){ 0xB7, 1, RSP0, which });
}

static uint64_t slower_than(const struct lab *lab, uint64_t cycles)
{
	return count(lab, (struct core_event){ 0x0B, 0x10, LD_LAT, cycles });
}

enum { LOOKUPS = 0x77, WRITE_BACKS = 0x08, OTHERS = 0x80 };
enum {
	ANYBODY = 0xFF00,
	SLICE = 0x0100,
	OUTSIDE = 0x7800,
	REMOTE_DRAM = 0x2000,
	LOCAL_DRAM = 0x4000,
	NO_MEMORY = 0x8000,
};

static bool is_long;

/* Reads, writes and sharing on all sockets, more lines than the LLC has; the
 * second time with all prefetchers. The suite `long` has more than two. */
static void for_all(void (*law)(const struct lab *lab))
{
	static const char one[] = "random:threads=8,shared=1,size=512K,"
				  "count=900,write=33";
	static const char many[] = "random:threads=16,shared=1,place=scatter,"
				   "size=512K,count=450,write=33";
	static const char walk[] = "stream:threads=4,size=768K,passes=2,"
				   "place=scatter";

	unsigned most = is_long ? lab_most_sockets() : 2;

	for (unsigned sockets = 1; sockets <= most; sockets *= 2) {
		struct lab lab = { .sockets = sockets,
				   .workload = sockets == 1 ? one : many,
				   .settings = { SMALL_LLC } };
		struct lab ahead = { .sockets = sockets,
				     .workload = walk,
				     .settings = { "core.prefetch=15" } };

		law(&lab);
		law(&ahead);
	}
}

static void lookups(const struct lab *lab)
{
	uint64_t lookups = all(lab, "cbox/LLC_HITS.ALL/") +
			   all(lab, "cbox/LLC_MISSES.ALL/");
	uint64_t passes = all(lab, "cbox/TRANS_IRQ/");

	assert_true(lookups);
	assert_int_equal(offcore(lab, LOOKUPS | ANYBODY), lookups);
	assert_int_equal(core(lab, 0x2E, 0x4F), lookups);
	assert_int_equal(offcore(lab, WRITE_BACKS | ANYBODY), passes - lookups);
	assert_int_equal(offcore(lab, OTHERS | ANYBODY), 0);
	assert_int_equal(offcore(lab, 0xFFFF), passes);
	/* what the slice did not have came from outside */
	assert_int_equal(offcore(lab, LOOKUPS | OUTSIDE),
			 all(lab, "cbox/LLC_S_FILLS.ALL/"));
}

static void requests_are_the_slices_lookups(void **state)
{
	(void)state;
	for_all(lookups);
}

static void lines(const struct lab *lab)
{
	uint64_t in = core(lab, 0xF1, 0x07);

	assert_true(in);
	assert_int_equal(core(lab, 0xF1, 0x02) + core(lab, 0xF1, 0x04), in);
	/* a line is two transfers on the BL ring */
	assert_int_equal(all(lab, "cbox/SINKS_C2P.BL/") +
				 all(lab, "cbox/SINKS_S2P_BL/"),
			 2 * in);
	assert_int_equal(core(lab, 0xF2, 0x0A),
			 offcore(lab, WRITE_BACKS | ANYBODY));
	assert_int_equal(core(lab, 0xF2, 0x05) + core(lab, 0xF2, 0x0A),
			 core(lab, 0xF2, 0x0F));
	/* what the L2 missed was asked for; a store to a line that it had may
	 * ask, too, but for the right to write alone */
	assert_in_range(core(lab, 0x24, 0xAA), 1,
			offcore(lab, LOOKUPS | ANYBODY));
	assert_int_equal(core(lab, 0x24, 0x22) + core(lab, 0x24, 0x80),
			 offcore(lab, (LOOKUPS & ~0x22u) | ANYBODY));
	assert_int_equal(core(lab, 0x24, 0xFF),
			 core(lab, 0x24, 0x55) + core(lab, 0x24, 0xAA));
}

static void lines_of_the_l2_cross_the_ring(void **state)
{
	(void)state;
	for_all(lines);
}

static void loads(const struct lab *lab)
{
	uint64_t sum = 0, outside = core(lab, 0xCB, 0x1C);

	for (unsigned bit = 1; bit <= 0x40; bit *= 2)
		sum += bit == 0x20 ? 0 : core(lab, 0xCB, bit);
	assert_int_equal(sum, core(lab, 0x0B, 1));
	assert_int_equal(core(lab, 0xCB, 0x5F), sum);
	/* prefetches of the L1D are requests for data, and no loads */
	assert_in_range(outside, 1, offcore(lab, 0x01 | ANYBODY));
	assert_int_equal(slower_than(lab, 0), sum);
	/* between the times of the L2 and of the slice; a line that was on its
	 * way may be there at once */
	assert_in_range(slower_than(lab, 11), outside,
			outside + core(lab, 0xCB, 0x40));
	assert_int_equal(slower_than(lab, 65535), 0);
}

static void every_load_finds_its_line_somewhere(void **state)
{
	(void)state;
	for_all(loads);
}

static struct lab alone(const char *workload)
{
	return (struct lab){ .sockets = 1, .workload = workload };
}

/* 1024 lines twice: the L1D has 512, so nothing of the first time is there the
 * second time, and all of it is in the L2. */
static void reading_twice(void **state)
{
	struct lab lab = alone("stream:op=read,size=64K,passes=2");
	(void)state;

	assert_int_equal(core(&lab, 0x0B, 0x01), 2048);
	assert_int_equal(core(&lab, 0x0B, 0x03), 2048);
	assert_int_equal(core(&lab, 0xCB, 0x01), 0);
	assert_int_equal(core(&lab, 0xCB, 0x02), 1024);
	assert_int_equal(core(&lab, 0xCB, 0x10), 1024);
	assert_int_equal(core(&lab, 0x24, 0x01), 1024);
	assert_int_equal(core(&lab, 0x24, 0x02), 1024);
	assert_int_equal(core(&lab, 0x24, 0xFC), 0);
	assert_int_equal(core(&lab, 0x51, 0x01), 2048);
	assert_int_equal(core(&lab, 0x51, 0x0E), 0);
	assert_int_equal(core(&lab, 0xF1, 0x04), 1024);
	assert_int_equal(core(&lab, 0xF2, 0x0F), 0);
	assert_int_equal(slower_than(&lab, 100), 1024);
}

/* The same with stores: lines leave the L1D changed, and come back so. */
static void writing_twice(void **state)
{
	struct lab lab = alone("stream:op=write,size=64K,passes=2");
	(void)state;

	assert_int_equal(core(&lab, 0x0B, 0x02), 2048);
	assert_int_equal(core(&lab, 0xCB, 0x5F), 0);
	assert_int_equal(core(&lab, 0x24, 0x04), 1024);
	assert_int_equal(core(&lab, 0x24, 0x08), 1024);
	assert_int_equal(core(&lab, 0x51, 0x02), 1024);
	assert_int_equal(core(&lab, 0x51, 0x04), 2048 - 512);
	assert_int_equal(offcore(&lab, 0x02 | LOCAL_DRAM), 1024);
	assert_int_equal(offcore(&lab, WRITE_BACKS | ANYBODY), 0);
}

/* 8192 lines, of which the L2 keeps 4096. */
static void more_than_the_l2(void **state)
{
	struct lab lab = alone("stream:op=read,size=512K");
	(void)state;

	assert_int_equal(core(&lab, 0xF1, 0x07), 8192);
	assert_int_equal(core(&lab, 0xF2, 0x01), 4096);
	assert_int_equal(core(&lab, 0xF2, 0x0E), 0);
}

static void code(void **state)
{
	struct lab lab = alone("code:size=64K,passes=2");
	(void)state;

	/* four look-ups of 16 bytes for a line, the first of which misses */
	assert_int_equal(core(&lab, 0x80, 0x03), 4 * 2048);
	assert_int_equal(core(&lab, 0x80, 0x02), 2048);
	assert_int_equal(core(&lab, 0x80, 0x01), 3 * 2048);
	assert_int_equal(core(&lab, 0x24, 0x10), 1024);
	assert_int_equal(core(&lab, 0x24, 0x20), 1024);
	assert_int_equal(offcore(&lab, 0x04 | LOCAL_DRAM), 1024);
	assert_int_equal(core(&lab, 0x0B, 0x03), 0);
}

static void memory_is_near_or_far(void **state)
{
	struct lab lab = { .sockets = 2,
			   .workload = "stream:op=read,size=64K,node=1" };
	(void)state;

	assert_int_equal(offcore(&lab, 0xFF | REMOTE_DRAM), 1024);
	assert_int_equal(offcore(&lab, 0xFF | (ANYBODY & ~REMOTE_DRAM)), 0);
	lab.workload = "stream:op=read,size=64K,node=0";
	assert_int_equal(offcore(&lab, 0xFF | LOCAL_DRAM), 1024);
}

/* Each of 2000 rounds but the first reads what the other thread has changed,
 * and then asks for the right to write. */
static void threads_take_turns(void **state)
{
	struct lab lab = { .sockets = 1, .workload = "pingpong:count=1000" };
	(void)state;

	assert_int_equal(offcore(&lab, 0x01 | 0x0400), 1999);
	assert_int_equal(offcore(&lab, 0x01 | ANYBODY), 2000);
	assert_int_equal(core(&lab, 0x51, 0x08), 1999);
	assert_int_equal(core(&lab, 0xCB, 0x08), 1999);
	/* the L2 has the line for each store, and asks; not for the first, to
	 * a line that nobody else has */
	assert_int_equal(core(&lab, 0x24, 0x0C), 1999);
	assert_int_equal(offcore(&lab, 0x02 | ANYBODY), 1999);
	lab.sockets = 2;
	lab.workload = "pingpong:count=1000,place=scatter";
	assert_int_equal(offcore(&lab, 0x01 | 0x0800), 1999);
	assert_int_equal(core(&lab, 0x51, 0x08), 1999);
	assert_int_equal(all(&lab, "cbox/SNP_HITS.REMOTE_RD_HITM/"), 1999);
	assert_int_equal(all(&lab, "cbox/SNP_HITS.REMOTE_RFO_HITM/"), 0);
	assert_int_equal(all(&lab, "bbox/CONFLICTS/"), 0);
	/* all at once is something else, and the slice may not know yet that a
	 * line that a store has asked for is changed in the L1D */
	lab.workload = "pingpong:op=fight,count=1000,place=scatter";
	assert_in_range(offcore(&lab, 0xFF | 0x0800), 1,
			core(&lab, 0x51, 0x08));
}

static void what_is_no_memory_does_not_answer_as_one(void **state)
{
	struct lab lab = alone("io:op=read,count=300");
	(void)state;

	assert_int_equal(offcore(&lab, OTHERS | NO_MEMORY), 300);
	assert_int_equal(offcore(&lab, 0xFFFF), 300);
	lab = alone("ntstore:size=64K");
	assert_int_equal(offcore(&lab, OTHERS | LOCAL_DRAM), 1024);
}

/* 256 pages, and 64 entries of the first DTLB. */
static void pages(void **state)
{
	struct lab lab = { .sockets = 1,
			   .workload = "stream:op=read,size=1M,stride=4096,"
				       "passes=2",
			   .settings = { "core.tlb=1" } };
	(void)state;

	assert_int_equal(core(&lab, 0xCB, 0x80), 512);
	/* walks are requests, and no loads */
	assert_int_equal(core(&lab, 0x0B, 0x01), 512);
	assert_int_equal(core(&lab, 0xCB, 0x5F), 512);
	assert_true(core(&lab, 0x24, 0x03) > 512);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_the_slices_lookups),
		cmocka_unit_test(lines_of_the_l2_cross_the_ring),
		cmocka_unit_test(every_load_finds_its_line_somewhere),
		cmocka_unit_test(reading_twice),
		cmocka_unit_test(writing_twice),
		cmocka_unit_test(more_than_the_l2),
		cmocka_unit_test(code),
		cmocka_unit_test(memory_is_near_or_far),
		cmocka_unit_test(threads_take_turns),
		cmocka_unit_test(what_is_no_memory_does_not_answer_as_one),
		cmocka_unit_test(pages),
	};

	is_long = getenv("UNCORE_LONG") != NULL;
	return LAB_RUN(tests);
}
