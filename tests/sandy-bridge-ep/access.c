/* SPDX-License-Identifier: BSD-3-Clause Copyright (c) 2026 The uncore authors
 *
 * What cores ask for, counted by hand at ring, CBo and home agent. The lines
 * are known, and so are their slices, homes and channels; a read that misses is
 * one look-up, one entry of the TOR, one request to the home, one line back.
 *
 * */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/ep.h"
#include "tests/model/system_rig.h"

enum { N = 400, CORES = 8, CHANNELS = 4, STOPS = 13, FLITS = 8 };

/* The second socket's memory begins here. */
#define FAR_LINE (UINT64_C(32) << (30 - 6))

/* Core 0 does this to N lines from one on. */
static struct system alone(unsigned sockets, unsigned kind, uint64_t line)
{
	struct system system = { .machine = "xeon-e5-2600",
				 .sockets = sockets };

	system.cpus[0] = (struct script){
		.steps = { { .kind = (uint8_t)kind,
			     .line = line,
			     .gap = 900 } },
		.num_steps = 1,
		.repeat = N,
		.spread = 1,
	};
	return system;
}

static void a_read_that_misses(void **state)
{
	struct system system = alone(1, UNCORE_ACCESS_READ, 0);

	(void)state;
	system_counts(&system, 0, "cbo/LLC_LOOKUP.DATA_READ,state=I/", N);
	system_counts(&system, 0, "cbo/LLC_LOOKUP.DATA_READ,state=S|E|M|F/", 0);
	system_counts(&system, 0, "cbo/LLC_LOOKUP.ANY/", N);
	system_counts(&system, 0, "cbo/RxR_INSERTS.IRQ/", N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.OPCODE,opc=DRd/", N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.MISS_OPCODE,opc=DRd/", N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.OPCODE,opc=RFO/", 0);
	system_counts(&system, 0, "cbo/TOR_INSERTS.NID_MISS_ALL,nid=NODE0/", N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.NID_MISS_ALL,nid=NODE1/", 0);
	system_counts(&system, 0, "cbo/TOR_INSERTS.MISS_ALL,tid=0/", N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.MISS_ALL,tid=2/", 0);
	system_counts(&system, 0, "ha/REQUESTS.READS/", N);
	system_counts(&system, 0, "ha/REQUESTS.WRITES/", 0);
	system_counts(&system, 0, "ha/TRACKER_INSERTS.ALL/", N);
	system_counts(&system, 0, "ha/TxR_AD.SNP/", 0);
	system_counts(&system, 0, "imc/CAS_COUNT.RD/", N);
}

static const struct ep_kind kind = { .slice = "cbo" };

static struct ep die = { .kind = &kind,
			 .num_places = { CORES },
			 .num_rings = 1,
			 .num_homes = 1,
			 .num_controllers = 1,
			 .num_links = 2 };

/* Each core's own slice is a stop away from nobody; lines go over the slices in
 * turns, over the channels as their bits say. */
static void each_line_has_its_slice_and_channel(void **state)
{
	struct system system = alone(1, UNCORE_ACCESS_READ, 0);
	uint64_t slices[CORES] = { 0 }, channels[CHANNELS] = { 0 };

	(void)state;
	for (uint64_t line = 0; line < N; line++) {
		uint64_t stir = line ^ line >> 7 ^ line >> 12 ^ line >> 17;

		slices[llc_slice(line, CORES)]++;
		channels[stir % CHANNELS]++;
	}
	for (unsigned i = 0; i < CORES; i++) {
		char text[64];

		snprintf(text, sizeof(text), "cbo%u/TOR_INSERTS.MISS_ALL/", i);
		system_counts(&system, 0, text, slices[i]);
	}
	for (unsigned i = 0; i < CHANNELS; i++) {
		char text[64];

		snprintf(text, sizeof(text), "imc%u/RPQ_INSERTS/", i);
		system_counts(&system, 0, text, channels[i]);
	}
}

/* Three channels have the lines in turns of three; one link has them all. */
static void sizes_are_the_machines(void **state)
{
	struct system system = alone(1, UNCORE_ACCESS_READ, 0);
	uint64_t channels[3] = { 0 };

	(void)state;
	system.settings[0] = "imc.channels=3";
	for (uint64_t line = 0; line < N; line++) {
		uint64_t row = line / 3;

		channels[(line + (row >> 4 ^ row >> 9 ^ row >> 14)) % 3]++;
	}
	for (unsigned i = 0; i < 3; i++) {
		char text[64];

		snprintf(text, sizeof(text), "imc%u/RPQ_INSERTS/", i);
		system_counts(&system, 0, text, channels[i]);
	}
	system = alone(2, UNCORE_ACCESS_READ, FAR_LINE);
	system.settings[0] = "qpi.links=1";
	system_counts(&system, 0, "qpi0/RxL_FLITS_G1.DRS_DATA/", FLITS * N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.NID_MISS_ALL,nid=NODE1/", N);
}

static uint64_t data_flits(unsigned home)
{
	struct system system = alone(4, UNCORE_ACCESS_READ, home * FAR_LINE);
	uint64_t sum = 0;

	for (unsigned i = 0; i < 4; i++)
		sum += system_count(&system, i, "qpi/RxL_FLITS_G1.DRS_DATA/");
	return sum;
}

/* Each of four sockets has a link to two others; to the fourth a line goes over
 * two of them. Of a read all others are snooped. */
static void four_sockets_are_a_square(void **state)
{
	struct system system = alone(4, UNCORE_ACCESS_READ, 0);
	unsigned home = 3;

	(void)state;
	assert_int_equal(data_flits(0), 0);
	assert_int_equal(data_flits(1), FLITS * N);
	assert_int_equal(data_flits(2), FLITS * N);
	assert_int_equal(data_flits(3), 2 * FLITS * N);
	for (unsigned i = 1; i < 4; i++)
		system_counts(&system, i, "cbo/LLC_LOOKUP.REMOTE_SNOOP/", N);
	system = alone(4, UNCORE_ACCESS_READ, home * FAR_LINE);
	system.settings[0] = "ha.snoop=home";
	system_counts(&system, home, "ha/TxR_AD.SNP/", 3 * N);
}

static void data_go_straight_to_the_core(void **state)
{
	struct system system = alone(1, UNCORE_ACCESS_READ, 0);

	(void)state;
	system_counts(&system, 0, "ha/TxR_BL.DRS_CORE/", N);
	system_counts(&system, 0, "ha/TxR_BL.DRS_CACHE/", 0);
	system_counts(&system, 0, "ha/DIRECT2CORE_COUNT/", N);
	system_counts(&system, 0, "ha/DIRECT2CORE_CYCLES_DISABLED/", 0);
	system.settings[0] = "ha.direct2core=off";
	system_counts(&system, 0, "ha/TxR_BL.DRS_CORE/", 0);
	system_counts(&system, 0, "ha/TxR_BL.DRS_CACHE/", N);
	system_counts(&system, 0, "ha/DIRECT2CORE_COUNT/", 0);
}

/* So many stops the short way round. */
static unsigned hops(unsigned from, unsigned to)
{
	unsigned way = (to + STOPS - from) % STOPS;

	return way <= STOPS / 2 ? way : STOPS - way;
}

static uint64_t uses(struct system *system, const char *ring)
{
	static const char *const places[] = { "cbo", "ha", "r2pcie", "r3qpi" };
	static const char *const ways[] = { "CW", "CCW", "UP", "DOWN" };
	uint64_t sum = 0;

	for (unsigned i = 0; i < 16; i++) {
		char text[80];

		snprintf(text, sizeof(text), "%s/RING_%s_USED.%s_%s/",
			 places[i / 4], ring, ways[i / 2 % 2 + 2 * (i < 4)],
			 i % 2 ? "ODD" : "EVEN");
		sum += system_count(system, 0, text);
	}
	return sum;
}

/* Whether nobody counts at a stop: the U-Box's. */
static unsigned passes_ubox(unsigned from, unsigned to)
{
	unsigned way = (to + STOPS - from) % STOPS;
	bool is_clockwise = way <= STOPS / 2;

	for (unsigned i = 1; i <= hops(from, to); i++)
		if ((is_clockwise ? from + i : from + STOPS - i) % STOPS ==
		    ep_ubox_stop(&die))
			return 1;
	return 0;
}

static unsigned seen(unsigned from, unsigned to)
{
	return hops(from, to) - passes_ubox(from, to);
}

/* A request goes from the core's stop to the slice's, and from there to the
 * home agent; its data from there to the core, in two slots. */
static void every_stop_sees_what_passes(void **state)
{
	struct system system = alone(1, UNCORE_ACCESS_READ, 0);
	uint64_t requests = 0, data = 0;

	(void)state;
	for (uint64_t line = 0; line < N; line++) {
		unsigned slice = ep_cbo_stop(&die, llc_slice(line, CORES));

		requests += seen(ep_cbo_stop(&die, 0), slice) +
			    seen(slice, ep_home_stop(&die, 0));
		data += 2 * seen(ep_home_stop(&die, 0), ep_cbo_stop(&die, 0));
	}
	assert_int_equal(uses(&system, "AD"), requests);
	assert_int_equal(uses(&system, "BL"), data);
	system_counts(&system, 0, "cbo/RING_IV_USED.ANY/", 0);
}

/* A line is two slots, wherever it goes: from the home to core 0, from there to
 * the slice when it is written back, and to core 1, which hits it. */
static void a_line_is_two_slots(void **state)
{
	struct system system = alone(1, UNCORE_ACCESS_OWN, 0);
	struct script *writer = &system.cpus[0], *reader = &system.cpus[1];
	uint64_t slots = 0;

	(void)state;
	writer->steps[1] = writer->steps[0];
	writer->steps[1].kind = UNCORE_ACCESS_WRITEBACK;
	writer->num_steps = 2;
	*reader = alone(1, UNCORE_ACCESS_READ, 0).cpus[0];
	reader->steps[0].after_core = 1;
	reader->steps[0].after = 2 * N;
	for (uint64_t line = 0; line < N; line++) {
		unsigned slice = ep_cbo_stop(&die, llc_slice(line, CORES));

		slots +=
			2 * (seen(ep_home_stop(&die, 0), ep_cbo_stop(&die, 0)) +
			     seen(ep_cbo_stop(&die, 0), slice) +
			     seen(slice, ep_cbo_stop(&die, 1)));
	}
	assert_int_equal(uses(&system, "BL"), slots);
}

static void a_second_read_hits(void **state)
{
	struct system system = alone(1, UNCORE_ACCESS_READ, 0);

	(void)state;
	system.cpus[0].spread = 0;
	system_counts(&system, 0, "cbo/TOR_INSERTS.OPCODE,opc=DRd/", N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.MISS_OPCODE,opc=DRd/", 1);
	system_counts(&system, 0, "cbo/LLC_LOOKUP.DATA_READ,state=E/", N - 1);
	system_counts(&system, 0, "ha/REQUESTS.READS/", 1);
}

/* Core 1 reads, when core 0 has written all of them. */
static void another_core_has_written(void **state)
{
	struct system system = alone(1, UNCORE_ACCESS_OWN, 0);

	(void)state;
	system.cpus[1] = (struct script){
		.steps = { { .kind = UNCORE_ACCESS_READ,
			     .gap = 900,
			     .after_core = 1,
			     .after = N } },
		.num_steps = 1,
		.repeat = N,
		.spread = 1,
	};
	system_counts(&system, 0, "cbo/TOR_INSERTS.OPCODE,opc=RFO/", N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.OPCODE,opc=DRd/", N);
	system_counts(&system, 0, "cbo/LLC_LOOKUP.DATA_READ,state=M/", N);
	system_counts(&system, 0, "cbo/MISC.STARTED/", N);
	system_counts(&system, 0, "cbo/TxR_INSERTS.IV_CACHE/", N);
	system_counts(&system, 0, "cbo/TxR_INSERTS.BL_CORE/", N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.NID_ALL,nid=NODE0,tid=2/",
		      N);
	system_counts(&system, 0, "imc/CAS_COUNT.WR/", 0);
}

/* The line's home is the other socket, and nobody there has it: a request and
 * a snoop, an answer to each; the snooped slice answers its own home. */
static void a_line_of_the_other_socket(void **state)
{
	struct system system = alone(2, UNCORE_ACCESS_READ, FAR_LINE);

	(void)state;
	system_counts(&system, 0, "ha/REQUESTS.READS/", 0);
	system_counts(&system, 1, "ha/REQUESTS.READS/", N);
	system_counts(&system, 1, "cbo/LLC_LOOKUP.REMOTE_SNOOP,state=I/", N);
	system_counts(&system, 1, "ha/TxR_BL.DRS_QPI/", N);
	system_counts(&system, 0, "qpi/TxL_FLITS_G1.HOM_REQ/", N);
	system_counts(&system, 0, "qpi/TxL_FLITS_G1.SNP/", N);
	system_counts(&system, 0, "qpi/TxL_FLITS_G1.HOM_NONREQ/", 0);
	system_counts(&system, 0, "qpi/RxL_FLITS_G1.DRS_DATA/", FLITS * N);
	system_counts(&system, 1, "qpi/TxL_FLITS_G1.DRS_NONDATA/", N);
	system_counts(&system, 1, "qpi/TxL_FLITS_G1.SNP/", 0);
	system_counts(&system, 0, "cbo/TOR_INSERTS.NID_MISS_ALL,nid=NODE1/", N);
}

/* The home snoops in the requester's place: nobody else, since it is he. */
static void the_home_snoops(void **state)
{
	struct system system = alone(2, UNCORE_ACCESS_READ, 0);

	(void)state;
	system_counts(&system, 0, "qpi/TxL_FLITS_G1.SNP/", N);
	system_counts(&system, 0, "ha/TxR_AD.SNP/", 0);
	system.settings[0] = "ha.snoop=home";
	system_counts(&system, 0, "qpi/TxL_FLITS_G1.SNP/", N);
	system_counts(&system, 0, "ha/TxR_AD.SNP/", N);
	system.settings[0] = "ha.snoop=directory";
	system_counts(&system, 0, "qpi/TxL_FLITS_G1.SNP/", 0);
	system_counts(&system, 0, "ha/DIRECTORY_LOOKUP.NO_SNP/", N);
	system_counts(&system, 0, "ha/DIRECTORY_UPDATE.SET/", 0);
}

static void the_directory_knows_who_has_it(void **state)
{
	struct system system = alone(2, UNCORE_ACCESS_READ, FAR_LINE);

	(void)state;
	system.settings[0] = "ha.snoop=directory";
	system_counts(&system, 1, "ha/DIRECTORY_UPDATE.SET/", N);
	system_counts(&system, 1, "ha/DIRECTORY_UPDATE.CLEAR/", 0);
}

static void a_streaming_store_is_a_write(void **state)
{
	struct system system = alone(1, UNCORE_ACCESS_NT_WRITE, 0);

	(void)state;
	system_counts(&system, 0, "cbo/TOR_INSERTS.OPCODE,opc=WCiLF/", N);
	system_counts(&system, 0, "ha/IMC_WRITES.FULL/", N);
	system_counts(&system, 0, "ha/REQUESTS.WRITES/", N);
	system_counts(&system, 0, "imc/CAS_COUNT.WR/", N);
	system_counts(&system, 0, "imc/CAS_COUNT.RD/", 0);
}

/* Memory has whole lines only: what the store does not replace is read by the
 * controller, before the line is written. */
static void a_part_of_a_line_is_a_partial_write(void **state)
{
	struct system system = alone(1, UNCORE_ACCESS_NT_PART, 0);

	(void)state;
	system_counts(&system, 0, "cbo/TOR_INSERTS.OPCODE,opc=WCiL/", N);
	system_counts(&system, 0, "cbo/TOR_INSERTS.OPCODE,opc=WCiLF/", 0);
	system_counts(&system, 0, "ha/IMC_WRITES.PARTIAL/", N);
	system_counts(&system, 0, "ha/IMC_WRITES.FULL/", 0);
	system_counts(&system, 0, "ha/REQUESTS.WRITES/", N);
	system_counts(&system, 0, "imc/CAS_COUNT.RD_UNDERFILL/", N);
	system_counts(&system, 0, "imc/CAS_COUNT.RD_REG/", 0);
	system_counts(&system, 0, "imc/CAS_COUNT.WR/", N);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_that_misses),
		cmocka_unit_test(each_line_has_its_slice_and_channel),
		cmocka_unit_test(sizes_are_the_machines),
		cmocka_unit_test(four_sockets_are_a_square),
		cmocka_unit_test(data_go_straight_to_the_core),
		cmocka_unit_test(every_stop_sees_what_passes),
		cmocka_unit_test(a_line_is_two_slots),
		cmocka_unit_test(a_second_read_hits),
		cmocka_unit_test(another_core_has_written),
		cmocka_unit_test(a_line_of_the_other_socket),
		cmocka_unit_test(the_home_snoops),
		cmocka_unit_test(the_directory_knows_who_has_it),
		cmocka_unit_test(a_streaming_store_is_a_write),
		cmocka_unit_test(a_part_of_a_line_is_a_partial_write),
	};

	ep_lay_out(&die);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
