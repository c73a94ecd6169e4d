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
		cmocka_unit_test(written_back_is_gone),
		cmocka_unit_test(a_snoop_names_who_asked),
		cmocka_unit_test(the_last_reader_has_it_in_f),
		cmocka_unit_test(victims_are_counted_as_they_are),
		cmocka_unit_test(direct_or_overridden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
