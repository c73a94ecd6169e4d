/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the tags of a slice remember, counted by hand: use, who has a copy, the
 * state in which a line came; and an LLC of one set a slice whose victims are
 * clean, changed in it, or changed in a core that has not given them back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/model/system_rig.h"

enum { N = 400, CORES = 8, WAYS = 16, ROOM = CORES * WAYS };
enum { NOTHING = UINT8_MAX };

/* The second socket's memory begins here. */
#define FAR_LINE (UINT64_C(32) << (30 - 6))

/* Does this to N lines from one on, when another CPU (a number from 1 on, 0:
 * none) has done so many things. */
static struct script script(unsigned kind, uint64_t line, unsigned after_core,
			    unsigned after)
{
	return (struct script){
		.steps = { { .kind = (uint8_t)kind,
			     .line = line,
			     .gap = 900,
			     .after_core = after_core,
			     .after = after } },
		.num_steps = 1,
		.repeat = N,
		.spread = 1,
	};
}

/* Does two things to each of its lines, or (NOTHING) one. */
static struct script twice(unsigned kind, unsigned then)
{
	struct script both = script(kind, 0, 0, 0);

	if (then == NOTHING)
		return both;
	both.steps[both.num_steps] = both.steps[0];
	both.steps[both.num_steps++].kind = (uint8_t)then;
	return both;
}

static void small(struct system *system)
{
	system->settings[0] = "llc.slice=1";
	system->settings[1] = "llc.ways=16";
}

/* One line is read over and over while 50 others go through each set of 16: the
 * least recently used of a set is never this one. */
static void a_line_in_use_stays(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 1 };

	(void)state;
	small(&system);
	system.cpus[0] = script(UNCORE_ACCESS_READ, 0, 0, 0);
	system.cpus[0].spread = 0;
	system.cpus[1] = script(UNCORE_ACCESS_READ, 1, 0, 0);
	system_counts(&system, 0, "cbo/TOR_INSERTS.MISS_OPCODE,opc=DRd,tid=0/",
		      1);
	system_counts(&system, 0, "cbo/TOR_INSERTS.MISS_OPCODE,opc=DRd/",
		      N + 1);
}

/* A line that its core gave back and another socket read then is clean and no
 * core's, until one reads it. */
static void a_clean_line_may_be_no_cores(void **state)
{
	struct system system = { .machine = "xeon-e5-v3", .sockets = 2 };

	(void)state;
	system.cpus[0] = twice(UNCORE_ACCESS_OWN, UNCORE_ACCESS_WRITEBACK);
	system.cpus[12] = script(UNCORE_ACCESS_READ, 0, 1, 2 * N);
	system_counts(&system, 0, "cbo/MISC.CVZERO_PREFETCH_MISS/", 0);
	system.cpus[1] = script(UNCORE_ACCESS_READ, 0, 13, N);
	system.cpus[2] = script(UNCORE_ACCESS_READ, 0, 2, N);
	system_counts(&system, 0, "cbo/MISC.CVZERO_PREFETCH_MISS/", N);
}

/* Who has written a line back has no copy: the next one asks nobody. */
static void written_back_is_gone(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 1 };

	(void)state;
	system.cpus[0] = twice(UNCORE_ACCESS_OWN, UNCORE_ACCESS_WRITEBACK);
	system.cpus[1] = script(UNCORE_ACCESS_READ, 0, 1, 2 * N);
	system_counts(&system, 0, "cbo/LLC_LOOKUP.DATA_READ,state=M/", N);
	system_counts(&system, 0, "cbo/MISC.STARTED/", 0);
	system_counts(&system, 0, "cbo/TxR_INSERTS.IV_CACHE/", 0);
	system.cpus[1] = script(UNCORE_ACCESS_OWN, 0, 1, 2 * N);
	system_counts(&system, 0, "cbo/TxR_INSERTS.IV_CACHE/", 0);
}

/* A line in E is a core's own, which may have changed it: the second reader has
 * it asked. Of two none has, and the third asks nobody. */
static void what_cores_share_is_not_asked_for(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 1 };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		system.cpus[i] = script(UNCORE_ACCESS_READ, 0, i, i ? N : 0);
	system_counts(&system, 0, "cbo/LLC_LOOKUP.DATA_READ,state=E/", 2 * N);
	system_counts(&system, 0, "cbo/TxR_INSERTS.IV_CACHE/", N);
}

/* A streaming store meets the lines that the core has read. */
static void a_streaming_store_meets_copies(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 1 };

	(void)state;
	system.cpus[0] = twice(UNCORE_ACCESS_READ, UNCORE_ACCESS_NT_WRITE);
	system_counts(&system, 0, "cbo/MISC.WC_ALIASING/", N);
	system.cpus[0] = twice(UNCORE_ACCESS_NT_WRITE, NOTHING);
	system_counts(&system, 0, "cbo/MISC.WC_ALIASING/", 0);
}

/* A part of a line that a cache of either socket has changed: that is written
 * back (WBMtoI, the event's description says), then the part; what a cache has
 * only read is dropped. */
static void a_part_goes_over_what_caches_have(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 2 };

	(void)state;
	system.cpus[0] = twice(UNCORE_ACCESS_OWN, UNCORE_ACCESS_NT_PART);
	system_counts(&system, 0, "cbo/MISC.WC_ALIASING/", N);
	system_counts(&system, 0, "ha/IMC_WRITES.FULL/", N);
	system_counts(&system, 0, "ha/IMC_WRITES.PARTIAL/", N);
	system.cpus[0] = twice(UNCORE_ACCESS_READ, UNCORE_ACCESS_NT_PART);
	system_counts(&system, 0, "cbo/MISC.WC_ALIASING/", N);
	system_counts(&system, 0, "ha/IMC_WRITES.FULL/", 0);
	system_counts(&system, 0, "ha/IMC_WRITES.PARTIAL/", N);
	system.cpus[0] = script(UNCORE_ACCESS_NT_PART, 0, CORES + 1, N);
	system.cpus[CORES] = script(UNCORE_ACCESS_OWN, 0, 0, 0);
	system_counts(&system, 0, "ha/IMC_WRITES.FULL/", N);
	system_counts(&system, 0, "ha/IMC_WRITES.PARTIAL/", N);
}

/* Lines that the other socket takes away: 'invalid' is the answer where they
 * were clean, of changed ones it is their data. */
static void clean_lines_are_taken_away(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 2 };

	(void)state;
	system.cpus[0] = script(UNCORE_ACCESS_READ, 0, 0, 0);
	system.cpus[CORES] = script(UNCORE_ACCESS_OWN, 0, 1, N);
	system_counts(&system, 0, "cbo/MISC.RSPI_WAS_FSE/", N);
	system.cpus[0] = script(UNCORE_ACCESS_OWN, 0, 0, 0);
	system_counts(&system, 0, "cbo/MISC.RSPI_WAS_FSE/", 0);
}

/* What is flushed makes room for nothing. */
static void a_flush_is_no_miss(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 1 };

	(void)state;
	system.cpus[0] = twice(UNCORE_ACCESS_OWN, UNCORE_ACCESS_FLUSH);
	system_counts(&system, 0, "cbo/LLC_VICTIMS.MISS/", 0);
	system_counts(&system, 0, "imc/CAS_COUNT.WR/", N);
}

/* A device writes a part of each line: where a cache of its socket has it
 * changed it is put together there; else it goes to memory, and so does the
 * line, before, if the other socket has changed it.
 */
static void parts_are_written_where_the_line_is(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 2 };

	(void)state;
	for (unsigned owner = 0; owner < 3; owner++) {
		system.cpus[0] = system.cpus[CORES] = (struct script){ 0 };
		if (owner < 2)
			system.cpus[owner * CORES] =
				script(UNCORE_ACCESS_OWN, 0, 0, 0);
		system.hubs[0] = script(UNCORE_ACCESS_UC_WRITE, 0, 0, 0);
		system.hubs[0].steps[0].gap = 2 * N * 900;
		system.hubs[0].repeat = 40;
		system_counts(&system, 0, "ha/IMC_WRITES.PARTIAL/",
			      owner ? 40 : 0);
		system_counts(&system, 0, "ha/IMC_WRITES.FULL/",
			      owner == 1 ? 40 : 0);
	}
}

/* Two cores ask for a line in the same moment. */
static uint64_t cycles_in_irq(const char *lookup_cycles)
{
	struct system system = {
		.machine = "xeon-e5-2600",
		.sockets = 1,
		.settings = { lookup_cycles },
	};

	system.cpus[0] = system.cpus[1] = script(UNCORE_ACCESS_READ, 0, 0, 0);
	system.cpus[0].repeat = system.cpus[1].repeat = 1;
	system_counts(&system, 0, "cbo/RxR_IRQ_RETRY.ADDR_CONFLICT/", 1);
	return system_count(&system, 0, "cbo/RxR_OCCUPANCY.IRQ/");
}

/* Each pass of the pipeline takes llc.lookup_cycles. The first request passes
 * once, and its line comes in by a pass of its own; the other is refused, waits
 * for both, and has to pass again. 29 cycles are 8 clocks of the memory, which
 * so does the same, later. */
static void who_is_refused_passes_again(void **state)
{
	(void)state;
	assert_int_equal(cycles_in_irq("llc.lookup_cycles=39") -
				 cycles_in_irq("llc.lookup_cycles=10"),
			 (1 + 3) * 29);
}

/* Snoops, and their answers, bear the node of who has asked: node 0 or 4. */
static void a_snoop_names_who_asked(void **state)
{
	static const char *const classes[] = { "SNP", "HOM1" };
	char text[80];

	(void)state;
	for (unsigned asks = 0; asks < 2; asks++) {
		struct system system = { .machine = "xeon-e5-2600",
					 .sockets = 2 };

		/* a line of the own memory: a snoop there, an answer back */
		system.cpus[asks * CORES] =
			script(UNCORE_ACCESS_READ, asks ? FAR_LINE : 0, 0, 0);
		for (unsigned i = 0; i < 4; i++) {
			unsigned way = i / 2, node = i % 2;

			snprintf(text, sizeof(text),
				 "qpi/CTO_COUNT,mc=%s,rnid_3_0=%u,rnid_4=0/",
				 classes[way], node * 4);
			system_counts(&system, (int)(way ? asks : !asks), text,
				      node == asks ? N : 0);
		}
	}
}

/* Of two that have read a line the last one is to forward it (F). */
static void the_last_reader_has_it_in_f(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 2 };

	(void)state;
	system.cpus[0] = script(UNCORE_ACCESS_READ, 0, 0, 0);
	system.cpus[CORES] = script(UNCORE_ACCESS_READ, 0, 1, N);
	system.cpus[1] = script(UNCORE_ACCESS_READ, 0, CORES + 1, N);
	system.cpus[CORES + 1] = script(UNCORE_ACCESS_READ, 0, CORES + 1, N);
	system_counts(&system, 0, "cbo/LLC_LOOKUP.DATA_READ,state=S/", N);
	system_counts(&system, 0, "cbo/LLC_LOOKUP.DATA_READ,state=F/", 0);
	system_counts(&system, 1, "cbo/LLC_LOOKUP.DATA_READ,state=F/", N);
	system_counts(&system, 1, "cbo/LLC_LOOKUP.DATA_READ,state=S/", 0);
	system_counts(&system, 1, "cbo/LLC_LOOKUP.DATA_READ,state=E/", 0);
}

/* Of N lines all but those for which there is room are victims, in the state
 * that they came to: of clean ones no more is heard; changed ones are written
 * to memory, an entry of the TOR each, which is an eviction and no miss. A core
 * that still has one is asked for it. Who has a line in E writes to it without
 * a word. */
static void victims(unsigned kind, unsigned then, bool are_changed)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 1 };
	uint64_t m = are_changed ? N - ROOM : 0;
	bool gives_back = then == UNCORE_ACCESS_WRITEBACK;

	small(&system);
	system.cpus[0] = twice(kind, then);
	system_counts(&system, 0, "cbo/LLC_VICTIMS.E_STATE/", N - ROOM - m);
	system_counts(&system, 0, "cbo/LLC_VICTIMS.M_STATE/", m);
	system_counts(&system, 0, "cbo/LLC_VICTIMS.MISS/", N - ROOM);
	system_counts(&system, 0, "cbo/TOR_INSERTS.EVICTION/", m);
	system_counts(&system, 0, "cbo/TOR_INSERTS.MISS_ALL/", N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.NID_ALL,nid=NODE0/",
		      N + m + (gives_back ? N : 0));
	system_counts(&system, 0, "ha/REQUESTS.READS/", N);
	system_counts(&system, 0, "ha/REQUESTS.WRITES/", m);
	system_counts(&system, 0, "imc/CAS_COUNT.WR/", m);
	system_counts(&system, 0, "cbo/TxR_INSERTS.IV_CACHE/",
		      gives_back ? 0 : N - ROOM);
}

static void victims_are_counted_as_they_are(void **state)
{
	(void)state;
	victims(UNCORE_ACCESS_READ, NOTHING, false);
	victims(UNCORE_ACCESS_OWN, NOTHING, true);
	victims(UNCORE_ACCESS_READ, UNCORE_ACCESS_OWN, true);
	victims(UNCORE_ACCESS_OWN, UNCORE_ACCESS_WRITEBACK, true);
}

/* What the other socket has changed comes from there: the home's line does not
 * go straight to the core, and is told as overridden, not as sent. */
static void direct_or_overridden(void **state)
{
	struct system system = { .machine = "xeon-e5-2600", .sockets = 2 };

	(void)state;
	system.cpus[CORES] = script(UNCORE_ACCESS_OWN, 0, 0, 0);
	system.cpus[0] = script(UNCORE_ACCESS_READ, 0, CORES + 1, N);
	/* the first N are the writer's, of whom nobody else has a line */
	system_counts(&system, 0, "ha/REQUESTS.READS/", 2 * N);
	system_counts(&system, 0, "ha/DIRECT2CORE_COUNT/", N);
	system_counts(&system, 0, "ha/DIRECT2CORE_TXN_OVERRIDE/", N);
	system_counts(&system, 0, "ha/TxR_BL.DRS_QPI/", N);
	system_counts(&system, 0, "ha/TxR_BL.DRS_CORE/", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_in_use_stays),
		cmocka_unit_test(a_clean_line_may_be_no_cores),
		cmocka_unit_test(written_back_is_gone),
		cmocka_unit_test(what_cores_share_is_not_asked_for),
		cmocka_unit_test(a_streaming_store_meets_copies),
		cmocka_unit_test(a_part_goes_over_what_caches_have),
		cmocka_unit_test(clean_lines_are_taken_away),
		cmocka_unit_test(a_flush_is_no_miss),
		cmocka_unit_test(parts_are_written_where_the_line_is),
		cmocka_unit_test(who_is_refused_passes_again),
		cmocka_unit_test(a_snoop_names_who_asked),
		cmocka_unit_test(the_last_reader_has_it_in_f),
		cmocka_unit_test(victims_are_counted_as_they_are),
		cmocka_unit_test(direct_or_overridden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
