/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is limited between cores, slices and S-Boxes: with little room each
 * limit is met, what is refused is counted for the right reason, and nothing is
 * lost. The default machine meets few of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/truth/lab.h"

#define SMALL_LLC "llc.slice=12", "llc.ways=4"
#define CROWD                                                                  \
	"random:shared=1,threads=16,place=scatter,size=256K,count=500,"        \
	"write=50,gap=0"

static uint64_t count(const struct lab *lab, const char *event)
{
	return lab_countf(lab, LAB_ALL, "cbox/%s/", event);
}

/* A pass has one result, and one reason if it is refused. */
static void refusals_add_up(void **state)
{
	static const char *const first[] = {
		"GO_PENDING", "VIC_PENDING", "SNP_PENDING", "AC_PENDING",
		"IDX_BLOCK",  "PA_BLOCK",    "IDLE_QPI",    "ALL_MAF_NACK2",
	};
	static const char *const second[] = {
		"MAF_FULL",	     "EGRESS_FULL",
		"VIQ_FULL",	     "NO_TRACKER_CREDITS",
		"NO_S_FIFO_CREDITS", "NO_S_REQTBL_ENTRIES",
		"WB_PENDING",	     "NACK2_ELSE",
	};
	struct lab lab = {
		.sockets = 2,
		.workload = CROWD,
		.settings = { SMALL_LLC, "cbox.egress=1", "cbox.viq=2",
			      "cbox.maf=3", "qpi.idle_cycles=5",
			      "cbox.s_credits=2" },
	};
	uint64_t sum1 = 0, sum2 = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		sum1 += lab_countf(&lab, LAB_ALL, "cbox/MAF_NACK1.%s/",
				   first[i]);
		sum2 += lab_countf(&lab, LAB_ALL, "cbox/MAF_NACK2.%s/",
				   second[i]);
	}
	assert_true(sum2 > 0);
	assert_int_equal(count(&lab, "MAF_NACK1.TOTAL_MAF_NACKS"), sum1);
	assert_int_equal(count(&lab, "MAF_NACK1.ALL_MAF_NACK2"), sum2);
}

struct limit {
	const char *setting;
	const char *event;
};

/* The limits that a crowd meets where the room is small. */
static void little_room_is_met(void **state)
{
	static const struct limit limits[] = {
		{ "cbox.egress=1", "MAF_NACK2.EGRESS_FULL" },
		{ "cbox.s_credits=1", "MAF_NACK2.NO_S_FIFO_CREDITS" },
		{ "cbox.viq=1", "MAF_NACK2.VIQ_FULL" },
		{ "cbox.rspf=1", "BOUNCES_C2P_IV" },
		{ "cbox.irq=1", "BOUNCES_P2C_AD.ALL" },
		{ "core.bl_credits=1", "IDF_NONZERO_NO_BL_CRD" },
		{ "ring.starve_cycles=1", "STARVED_EGRESS.IV" },
		{ "cbox.pass_cycles=8", "IGR_BID_BLOCKED" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct lab lab = {
			.sockets = 2,
			.workload = CROWD,
			.settings = { SMALL_LLC, limits[i].setting },
		};

		if (!count(&lab, limits[i].event))
			fail_msg("%s: %s counts nothing", limits[i].setting,
				 limits[i].event);
	}
}

/* Where the IDF holds a single line each is read out of the caches alone, also
 * when it is credits that they wait for: idf_cycles for each. */
static void lines_leave_the_idf_one_by_one(void **state)
{
	struct lab lab = {
		.sockets = 2,
		.workload = CROWD,
		.settings = { SMALL_LLC, "core.idf=1", "core.idf_cycles=3",
			      "core.bl_credits=1" },
	};
	uint64_t lines = count(&lab, "SINKS_P2C.BL") / 2;

	(void)state;
	assert_true(lines > 0);
	assert_true(count(&lab, "IDF_NONZERO_NO_BL_CRD") > 0);
	assert_int_equal(count(&lab, "IDF_NONZERO_NO_VLD"), 3 * lines);
}

/* The bounce signal goes up and down, and bounces while it is up. */
static void bounce_goes_up_and_down(void **state)
{
	struct lab lab = {
		.sockets = 2,
		.workload = CROWD,
		.settings = { SMALL_LLC, "cbox.rspf=1" },
	};
	uint64_t asserted = count(&lab, "BOUNCE_ASSERT");

	(void)state;
	assert_true(asserted > 0);
	assert_int_equal(count(&lab, "BOUNCE_DEASSERT"), asserted);
	assert_true(count(&lab, "BOUNCES_C2P_IV") >= asserted);
	/* each snoop is taken and answered once, however often it came */
	assert_int_equal(count(&lab, "SINKS_C2P.IV"),
			 count(&lab, "TRANS_RSPF"));
	assert_int_equal(count(&lab, "SINKS_P2C.AK"),
			 count(&lab, "TRANS_RSPF"));
}

/* Of a socket with two cores the stops are S-Box, C-Box, S-Box, C-Box, and what
 * is half a ring away (or at the same stop) is reached clockwise: so every
 * request begins in the direction that leads away from the S-Box of its side,
 * and that is where it bounces. */
static void bounces_go_on_in_their_direction(void **state)
{
	struct lab lab = {
		.sockets = 1,
		.workload = "random:shared=1,threads=2,size=256K,count=3000,"
			    "write=30,gap=0",
		.settings = { SMALL_LLC, "cores=2", "cbox.irq=1" },
	};

	(void)state;
	assert_true(count(&lab, "BOUNCES_P2C_AD.NSB") > 0);
	assert_int_equal(count(&lab, "BOUNCES_P2C_AD.SB"), 0);
	assert_int_equal(count(&lab, "ARB_WINS_P2C_SB"), 0);
}

/* Asserts less deasserts of each C-Box, by its number in a list of all. */
static void look_at_bounces(struct uncore_session *session, int64_t *up,
			    size_t num)
{
	struct uncore_count count;
	char *error = NULL;

	memset(up, 0, num * sizeof(*up));
	if (uncore_session_read(session, &error))
		fail_msg("%s", error);
	for (size_t i = 0; uncore_session_count(session, i, &count); i++)
		up[count.socket * 10 + count.instance] +=
			(int64_t)count.value * (count.event_index ? -1 : 1);
}

/* Whenever one looks the signal of a stop is up once or not at all. */
static void bounce_is_up_or_not(void **state)
{
	static const char *const names[] = { "cbox/BOUNCE_ASSERT/",
					     "cbox/BOUNCE_DEASSERT/" };
	const struct lab lab = {
		.sockets = 2,
		.settings = { SMALL_LLC, "cbox.rspf=1" },
	};
	struct uncore_model *model = lab_model(&lab);
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_event *events[2];
	struct uncore_session *session;
	char *error = NULL;
	unsigned num_up = 0;
	int64_t up[20];

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		if (uncore_event_parse(uncore_target_family(target), names[i],
				       &events[i], &error))
			fail_msg("%s", error);
	if (uncore_session_open(target, events, 2, &session, &error) ||
	    uncore_session_start(session, &error) ||
	    uncore_model_set_workload(model, CROWD, &error))
		fail_msg("%s", error);
	while (!uncore_model_finish(model, 41, NULL)) {
		look_at_bounces(session, up, 20);
		for (unsigned i = 0; i < 20; i++) {
			assert_in_range(up[i], 0, 1);
			num_up += up[i] > 0;
		}
	}
	assert_true(num_up > 10);
	uncore_session_close(session);
	for (unsigned i = 0; i < 2; i++)
		uncore_event_free(events[i]);
	uncore_target_free(target);
	uncore_model_free(model);
}

/* Every GO and every line arrives, though some bounce. */
static void what_bounces_comes_again(void **state)
{
	struct lab lab = {
		.sockets = 1,
		.workload = "random:shared=1,threads=10,size=64K,count=4000,"
			    "write=30,gap=0",
		.settings = { SMALL_LLC },
	};

	(void)state;
	assert_true(count(&lab, "BOUNCES_C2P_AK.SB") > 0);
	assert_true(count(&lab, "BOUNCES_C2P_AK.NSB") > 0);
	assert_true(count(&lab, "BOUNCES_C2P_BL.ALL") > 0);
	assert_int_equal(count(&lab, "SINKS_C2P.AK"), count(&lab, "TRANS_IRQ"));
	assert_int_equal(count(&lab, "MAF_ACK"), count(&lab, "TRANS_IRQ"));
}

/* A special request has an entry of the IRQ for itself: it gets in where others
 * bounce. */
static void special_requests_get_in(void **state)
{
	struct lab lab = {
		.sockets = 1,
		.workload = "io:threads=4,op=mix,count=300+"
			    "random:threads=6,size=64M,count=1500,gap=0",
		.settings = { "cbox.irq=2" },
	};
	uint64_t turns = count(&lab, "SPL_ARB_PRI_SW");
	uint64_t alone = count(&lab, "SPL_IN_FULL_IRQ");

	(void)state;
	assert_true(alone > 0);
	assert_true(alone <= turns);
	assert_true(count(&lab, "SPL_DEAD") > 0);
	assert_int_equal(count(&lab, "SPL_EGR_SB"), count(&lab, "SPL_CO_SB"));
	assert_int_equal(count(&lab, "SPL_EGR_NSB"), count(&lab, "SPL_CO_NSB"));
}

/* The waker writes four lines that each sleeper has read: the ring stop answers
 * for it, twelve cycles for each, with one credit. */
static void a_stop_answers_for_a_sleeper(void **state)
{
	enum { SLEEPS = 20, SNOOPS = 4, ANSWER_CYCLES = 12 };
	struct lab lab = {
		.sockets = 1,
		.workload = "sleep:threads=2,count=20",
		.settings = { "core.snoop_cycles=12", "core.spoof_credits=1" },
	};

	(void)state;
	assert_in_range(count(&lab, "SPOOF_CRD_EMPTY"),
			SLEEPS * SNOOPS * ANSWER_CYCLES / 4,
			SLEEPS * SNOOPS * ANSWER_CYCLES);
	assert_int_equal(count(&lab, "SPOOF_CRD_EMPTY") % ANSWER_CYCLES, 0);
	lab.settings[1] = "core.spoof_credits=64";
	assert_int_equal(count(&lab, "SPOOF_CRD_EMPTY"), 0);
}

/* What one socket has read two others write at the same time: the second probe
 * at its slice waits for the first. */
static void probes_of_one_line_wait(void **state)
{
	struct lab lab = {
		.sockets = 4,
		.workload = "stream:op=read,place=scatter,cpu=2,node=3,"
			    "offset=0,size=16K,gap=4000+"
			    "stream:op=write,place=scatter,cpu=0,node=3,"
			    "offset=0,size=16K,gap=8000+"
			    "stream:op=write,place=scatter,cpu=1,node=3,"
			    "offset=0,size=16K,gap=8000",
		/* the way through the R-Box lets them meet */
		.settings = { "memory.hemisphere=off" },
	};

	(void)state;
	assert_true(count(&lab, "MAF_NACK2.NACK2_ELSE") > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals_add_up),
		cmocka_unit_test(little_room_is_met),
		cmocka_unit_test(lines_leave_the_idf_one_by_one),
		cmocka_unit_test(bounce_goes_up_and_down),
		cmocka_unit_test(bounces_go_on_in_their_direction),
		cmocka_unit_test(bounce_is_up_or_not),
		cmocka_unit_test(what_bounces_comes_again),
		cmocka_unit_test(special_requests_get_in),
		cmocka_unit_test(a_stop_answers_for_a_sleeper),
		cmocka_unit_test(probes_of_one_line_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
