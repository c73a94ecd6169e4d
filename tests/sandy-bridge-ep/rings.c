/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Two rings and the bridges between them (SBo), of the Xeon E5 v3: what goes
 * over is known by where slice and home of a line are, and what a bridge counts
 * of it adds up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/box/llc.h"
#include "tests/model/system_rig.h"

enum { N = 400, CORES = 12, FIRST_RING = 8, CHANNELS = 4 };

static const char *const rings[] = { "AD_CRD", "AK", "BL_CRD", "IV" };

/* A core reads N lines that nobody has, one after the other. */
static struct system reads(unsigned core)
{
	struct system system = { .machine = "xeon-e5-v3", .sockets = 1 };

	system.cpus[core] = (struct script){
		.steps = { { .kind = UNCORE_ACCESS_READ, .gap = 900 } },
		.num_steps = 1,
		.repeat = N,
		.spread = 1,
	};
	return system;
}

static bool slice_is_second(uint64_t line)
{
	return llc_slice(line, CORES) >= FIRST_RING;
}

static bool home_is_second(uint64_t line)
{
	return (line ^ line >> 7 ^ line >> 12 ^ line >> 17) % CHANNELS >=
	       CHANNELS / 2;
}

/* A request goes to the slice and on to the home, its line from there to the
 * core. */
static void who_is_on_the_other_ring_is_known(void **state)
{
	(void)state;
	for (unsigned core = 0; core < CORES; core += FIRST_RING) {
		struct system system = reads(core);
		bool is_second = core >= FIRST_RING;
		uint64_t requests = 0, lines = 0;

		for (uint64_t line = 0; line < N; line++) {
			requests += is_second != slice_is_second(line);
			requests +=
				slice_is_second(line) != home_is_second(line);
			lines += is_second != home_is_second(line);
		}
		system_counts(&system, 0, "sbo/TxR_INSERTS.AD_CRD/", requests);
		system_counts(&system, 0, "sbo/TxR_INSERTS.BL_CRD/", lines);
		system_counts(&system, 0, "sbo/TxR_INSERTS.IV/", 0);
	}
}

/* Each of two home agents has two channels of its controller's four. */
static void each_home_has_its_controller(void **state)
{
	static const unsigned boxes[CHANNELS] = { 0, 1, 4, 5 };
	struct system system = reads(0);
	uint64_t lines[CHANNELS] = { 0 }, second = 0;
	char text[64];

	(void)state;
	for (uint64_t line = 0; line < N; line++) {
		lines[(line ^ line >> 7 ^ line >> 12 ^ line >> 17) %
		      CHANNELS]++;
		second += home_is_second(line);
	}
	for (unsigned i = 0; i < CHANNELS; i++) {
		snprintf(text, sizeof(text), "imc%u/RPQ_INSERTS/", boxes[i]);
		system_counts(&system, 0, text, lines[i]);
	}
	system_counts(&system, 0, "ha1/REQUESTS.READS/", second);
}

static struct system fight(void)
{
	struct system system = { .machine = "xeon-e5-v3", .sockets = 2 };

	for (unsigned i = 0; i < SYSTEM_CPUS && i < 2 * CORES; i++)
		system.cpus[i] = (struct script){
			.steps = { { .kind = UNCORE_ACCESS_READ, .line = i },
				   { .kind = UNCORE_ACCESS_OWN,
				     .line = 7 * i } },
			.num_steps = 2,
			.repeat = N,
			.spread = 1,
		};
	return system;
}

static uint64_t sum_of(struct system *system, const char *event,
		       const char *ring)
{
	char text[80];

	snprintf(text, sizeof(text), "%s.%s/", event, ring);
	return system_count(system, 0, text);
}

/* What comes into a bridge goes out of it; what takes a credit goes in. */
static void what_a_bridge_counts_adds_up(void **state)
{
	static const char *const credits[] = { "cbo/SBO_CREDITS_ACQUIRED",
					       "ha/SBO0_CREDITS_ACQUIRED",
					       "ha/SBO1_CREDITS_ACQUIRED",
					       "r3qpi/SBO0_CREDITS_ACQUIRED",
					       "r3qpi/SBO1_CREDITS_ACQUIRED" };
	struct system system = fight();

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		uint64_t out = sum_of(&system, "sbo/TxR_INSERTS", rings[i]);
		uint64_t taken = 0;

		assert_true(out > N);
		assert_int_equal(
			sum_of(&system, "sbo/RxR_INSERTS", rings[i]) +
				sum_of(&system, "sbo/RxR_BYPASS", rings[i]),
			out);
		if (i % 2)
			continue;
		for (unsigned k = 0; k < 5; k++)
			taken += sum_of(&system, credits[k], i ? "BL" : "AD");
		assert_int_equal(taken, out);
	}
}

/* With one place in each queue all wait, and nothing is lost: before the bridge
 * where it lets in one at a time, within it where one can leave at a time. */
static void a_narrow_bridge_is_waited_for(void **state)
{
	struct system wide = fight(), narrow = fight(), tight = fight();

	(void)state;
	narrow.settings[0] = "sbo.ingress=1";
	narrow.settings[1] = "sbo.egress=1";
	narrow.settings[2] = "sbo.credits=1";
	tight.settings[0] = "sbo.egress=1";
	assert_true(sum_of(&narrow, "ha/STALL_NO_SBO_CREDIT", "SBO0_BL") >
		    sum_of(&wide, "ha/STALL_NO_SBO_CREDIT", "SBO0_BL"));
	assert_true(sum_of(&tight, "sbo/RxR_INSERTS", "BL_CRD") >
		    sum_of(&wide, "sbo/RxR_INSERTS", "BL_CRD"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_on_the_other_ring_is_known),
		cmocka_unit_test(each_home_has_its_controller),
		cmocka_unit_test(what_a_bridge_counts_adds_up),
		cmocka_unit_test(a_narrow_bridge_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
