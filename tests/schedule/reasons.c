/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a schedule promises besides being the shortest: it shares what is the
 * same, changes nothing that need not change, gives no reason that is not true,
 * and takes little work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

static const char *machine;

static struct uncore_schedule *make(const struct rig *rig,
				    const struct uncore_group *groups,
				    size_t num_groups)
{
	struct uncore_schedule *schedule;
	char *error = NULL;

	if (uncore_schedule_new(rig->family, rig->events, rig->num_events,
				groups, num_groups, &schedule, &error))
		fail_msg("%s", error);
	return schedule;
}

static struct uncore_schedule *of(struct rig *rig, const char *const *texts)
{
	rig_start(rig, machine, 1);
	for (; *texts; texts++)
		rig_add_text(rig, *texts);
	return make(rig, NULL, 0);
}

static void end(struct rig *rig, struct uncore_schedule *schedule)
{
	uncore_schedule_free(schedule);
	rig_end(rig);
}

/* Events that are one to the hardware, and the box instances they are for. */
static void the_same_thing_is_counted_once(void **state)
{
	static const char *const same[][4] = {
		{ "cbox/LLC_HITS.ALL/", "cbox3/LLC_HITS.ALL/",
		  "cbox3/ev_sel=0x15,umask=0xf/" },
		{ "mbox0/FVC_EV0.BBOX_CMDS.READS/",
		  "mbox/FVC_EV0.BBOX_CMDS.READS/",
		  "mbox0/inc_sel=0xd,fvc.evnt0=5/" },
		{ "bbox0/TF_ALL/", "bbox/TF_OCCUPANCY_ALL/" },
		{ "rbox/FLITS_SENT,port=0/", "rbox/FLITS_SENT,port=0,slot=1/",
		  "rbox/FLITS_SENT,port=0,counter=5/" },
	};

	(void)state;
	/* alias, codes and numbers of fields are those of one family */
	if (strcmp(machine, "xeon-e7"))
		return;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct rig rig;
		struct uncore_schedule *schedule = of(&rig, same[i]);
		const struct uncore_plan *plan =
			uncore_schedule_plan(schedule, 0);
		int instance = uncore_event_instance(rig.events[0]);

		if (!strcmp(uncore_event_box(rig.events[0]), "cbox"))
			instance = 3;
		assert_int_equal(uncore_schedule_slices(schedule), 1);
		for (size_t e = 1; e < rig.num_events; e++)
			assert_int_equal(
				uncore_plan_counter(
					plan, e, instance < 0 ? 0 : instance),
				uncore_plan_counter(
					plan, 0, instance < 0 ? 0 : instance));
		end(&rig, schedule);
	}
}

/* FVC_EV0 to FVC_EV3 stand in for each other where their names collide. */
static void twins_make_room_for_each_other(void **state)
{
	static const char *const four[] = {
		"mbox/FVC_EV0.SMI_CRC_ERR/",
		"mbox/FVC_EV0.POISON_TXN/",
		"mbox/FVC_EV0.ALERT_FRAMES/",
		"mbox/FVC_EV1.FAST_RESET/",
		NULL,
		NULL,
	};
	const char *texts[6];
	struct rig rig;
	struct uncore_schedule *schedule = of(&rig, four);
	struct uncore_plan_use use;

	(void)state;
	assert_int_equal(uncore_schedule_slices(schedule), 1);
	/* alone, or without need, an event stays what its name says */
	assert_true(uncore_plan_use(uncore_schedule_plan(schedule, 0), 3, 0, 1,
				    &use));
	assert_true(use.is_shared);
	end(&rig, schedule);
	memcpy(texts, four, sizeof(texts));
	texts[4] = "mbox/FVC_EV2.MEM_ECC_ERR/";
	schedule = of(&rig, texts);
	assert_int_equal(uncore_schedule_slices(schedule), 2);
	end(&rig, schedule);
}

static void instances_are_solved_one_by_one(void **state)
{
	static const char *const texts[] = {
		"bbox0/TF_ALL/",
		"bbox1/TF_WR/",
		"rbox/FLITS_SENT,port=0/",
		"rbox/FLITS_SENT,port=4/",
		"cbox0/LLC_HITS.ALL,counter=0/",
		"cbox1/LLC_MISSES.ALL,counter=0/",
		"cbox/SNPS.REMOTE_ANY,counter=1/",
		NULL,
	};
	static const char *const older[] = { "bbox0/TF_ALL/", "bbox1/TF_WR/",
					     NULL };
	struct rig rig;
	struct uncore_schedule *schedule =
		of(&rig, strcmp(machine, "xeon-e7") ? older : texts);

	(void)state;
	assert_int_equal(uncore_schedule_slices(schedule), 1);
	end(&rig, schedule);
}

static bool same_registers(const struct uncore_schedule *schedule, size_t event,
			   size_t a, size_t b, unsigned instance)
{
	struct uncore_plan_use p, q;
	size_t i = (size_t)uncore_schedule_item(schedule, a, event);
	size_t j = (size_t)uncore_schedule_item(schedule, b, event);

	for (size_t n = 0;; n++) {
		bool more = uncore_plan_use(uncore_schedule_plan(schedule, a),
					    i, instance, n, &p);

		if (more != uncore_plan_use(uncore_schedule_plan(schedule, b),
					    j, instance, n, &q))
			return false;
		if (!more)
			return true;
		if (p.address != q.address || p.value != q.value)
			return false;
	}
}

/* Events that always run have the same registers in all slices. */
static void what_needs_no_turns_is_not_touched(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct uncore_schedule *schedule;
		struct rig rig;

		rig_start(&rig, machine, seed);
		for (unsigned i = 0; i < 24; i++)
			rig_add(&rig, 5, false);
		schedule = make(&rig, NULL, 0);
		for (size_t e = 0; e < rig.num_events; e++) {
			int one = uncore_event_instance(rig.events[e]);

			if (uncore_schedule_share(schedule, e) < 1)
				continue;
			for (size_t s = 1; s < uncore_schedule_slices(schedule);
			     s++)
				if (!same_registers(schedule, e, 0, s,
						    one < 0 ? 0
							    : (unsigned)one))
					fail_msg("%s changes",
						 uncore_event_text(
							 rig.events[e]));
		}
		end(&rig, schedule);
	}
}

/* Also where its counter would be another one's in a later slice. */
static void who_stays_makes_room_at_once(void **state)
{
	static const char *const texts[] = {
		"mbox/CYCLES/", "mbox/FVC_EV0.BBOX_CMDS.READS/",
		"mbox/FVC_EV0.BBOX_CMDS.WRITES,counter=0/", NULL
	};
	struct rig rig;
	struct uncore_schedule *schedule = of(&rig, texts);

	(void)state;
	assert_int_equal(uncore_schedule_slices(schedule), 2);
	assert_true(same_registers(schedule, 0, 0, 1, 0));
	end(&rig, schedule);
}

static const char *reason_with(const struct uncore_schedule *schedule,
			       const char *word)
{
	const char *reason;

	for (size_t i = 0; (reason = uncore_schedule_reason(schedule, i)); i++)
		if (strstr(reason, word))
			return reason;
	return NULL;
}

/* Pairs and triples that take turns, and what the reason must speak of; without
 * the last of them the reason is gone. */
static void a_reason_names_what_there_is_too_little_of(void **state)
{
	static const struct {
		const char *events[8];
		const char *words[3];
	} rows[] = {
		{ { "mbox/FVC_EV0.BBOX_CMDS.READS/",
		    "mbox/FVC_EV1.BBOX_CMDS.WRITES/" },
		  { "FVC.bcmd", "READS", "WRITES" } },
		{ { "mbox/FVC_EV0.BBOX_RSP.ACK/",
		    "mbox/FVC_EV3.BBOX_RSP.RETRY/" },
		  { "FVC.resp", "ACK", "RETRY" } },
		{ { "mbox/DSP_FILL.RDQ_FULL/", "mbox/DSP_FILL.WRQ_FULL/" },
		  { "DSP.", "RDQ_FULL", "WRQ_FULL" } },
		{ { "mbox0/CYCLES_SCHED_MODE.RDPRIO/",
		    "mbox/CYCLES_SCHED_MODE.WRPRIO/" },
		  { "ISS.sched_mode", "RDPRIO", "WRPRIO" } },
		{ { "sbox/TO_R_PROG_EV,mc=HOM0/",
		    "sbox1/TO_R_PROG_EV,mc=NCS/" },
		  { "MATCH.mc", "HOM0", "NCS" } },
		{ { "bbox/OPCODE_IN_MATCH,opc=2/",
		    "bbox1/OPCODE_ADDR_IN_MATCH,opc=3,addr=64/" },
		  { "MATCH.opc_in", "OPCODE_IN_MATCH",
		    "OPCODE_ADDR_IN_MATCH" } },
		{ { "bbox/TF_ALL/", "bbox/TF_WR/" },
		  { "counter 0 of the B-Box", "TF_ALL", "TF_WR" } },
		{ { "rbox/FLITS_SENT,port=0/", "rbox/NULL_IDLE,port=0/",
		    "rbox/OUTPUTQ_NE,port=0/" },
		  { "2 slots (IPERF)", "FLITS_SENT", "OUTPUTQ_NE" } },
		{ { "rbox/STARVING.DRS,port=1,slot=1/",
		    "rbox/STARVING.HOM,port=1,slot=1/" },
		  { "slot 1 (QLX)", "STARVING.DRS", "STARVING.HOM" } },
		{ { "ubox/WOKEN/", "ubox/IPIS_SENT/" },
		  { "counter 0 of the U-Box", "WOKEN", "IPIS_SENT" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig rig;
		struct uncore_schedule *schedule;
		const char *why;
		size_t fine = 1;

		/* the other machine lacks some of these events */
		rig_start(&rig, machine, 1);
		for (const char *const *text = rows[i].events; *text; text++) {
			struct uncore_event *event;

			if (uncore_event_parse(rig.family, *text, &event,
					       NULL)) {
				fine = 0;
				break;
			}
			uncore_event_free(event);
		}
		if (!fine && strcmp(machine, "xeon-e7"))
			continue;
		schedule = of(&rig, rows[i].events);
		why = reason_with(schedule, rows[i].words[0]);
		if (!why || !strstr(why, rows[i].words[1]) ||
		    !strstr(why, rows[i].words[2]) ||
		    !strstr(why, "take turns"))
			fail_msg("'%s' should be about %s, %s and %s",
				 why ? why
				     : uncore_schedule_reason(schedule, 0),
				 rows[i].words[0], rows[i].words[1],
				 rows[i].words[2]);
		uncore_schedule_free(schedule);
		uncore_event_free(rig.events[--rig.num_events]);
		schedule = make(&rig, NULL, 0);
		assert_null(uncore_schedule_reason(schedule, 0));
		end(&rig, schedule);
	}
}

/* The events of a sentence are between quotes. */
static bool names(const char *sentence, const char *event)
{
	char quoted[RIG_MAX_TEXT + 2];

	snprintf(quoted, sizeof(quoted), "'%s'", event);
	return strstr(sentence, quoted);
}

/* In random schedules: each event that takes turns is named, or one of "N
 * more"; a sentence on two events goes with either of them. */
static void reasons_are_complete_and_true(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 15; seed++) {
		struct uncore_schedule *schedule;
		struct rig rig;
		const char *why;

		rig_start(&rig, machine, seed);
		for (unsigned i = 0; i < 14; i++)
			rig_add(&rig, 3, false);
		schedule = make(&rig, NULL, 0);
		assert_int_equal(uncore_schedule_slices(schedule) > 1,
				 uncore_schedule_reason(schedule, 0) != NULL);
		for (size_t e = 0; e < rig.num_events; e++) {
			bool named = uncore_schedule_share(schedule, e) >= 1;

			for (size_t i = 0;
			     (why = uncore_schedule_reason(schedule, i)); i++)
				named |= names(why, uncore_event_text(
							    rig.events[e])) ||
					 strstr(why, "more");
			if (!named)
				fail_msg("%s waits for no reason",
					 uncore_event_text(rig.events[e]));
		}
		end(&rig, schedule);
	}
}

/* What a register of a layout holds when an event is alone. */
static uint64_t value_alone(const struct rig *rig, struct uncore_event *event,
			    const char *layout)
{
	struct uncore_register reg;
	struct uncore_write *writes;
	struct uncore_plan *plan;
	uint64_t value = 0;
	size_t num;

	assert_int_equal(uncore_plan_new(rig->family, &event, 1, &plan, NULL),
			 0);
	assert_int_equal(uncore_plan_writes(plan, 0, 0, &writes, &num, NULL),
			 0);
	for (size_t i = 0; i < num; i++)
		if (uncore_family_register_at(rig->family, writes[i].address,
					      &reg) &&
		    !strcmp(reg.layout, layout))
			value = writes[i].value;
	free(writes);
	uncore_plan_free(plan);
	return value;
}

static struct uncore_event *event_called(const struct rig *rig,
					 const char *quoted)
{
	for (size_t e = 0; e < rig->num_events; e++) {
		const char *text = uncore_event_text(rig->events[e]);

		if (!strncmp(text, quoted, strlen(text)) &&
		    quoted[strlen(text)] == '\'')
			return rig->events[e];
	}
	fail_msg("no event is called %s", quoted);
	return NULL;
}

/* "'A' and 'B' need different FVC.bcmd (0, 1; LAYOUT bits 8:6)" */
static bool is_true(const struct rig *rig, const char *why)
{
	const char *values = strstr(why, " need different ");
	const char *bits = values ? strstr(values, "; ") : NULL;
	char layout[80], *next;
	unsigned high, low;

	if (!bits)
		return true; /* about counters or slots */
	if (sscanf(bits, "; %79s bits %u:%u", layout, &high, &low) != 3)
		return false;
	values = strchr(values, '(') + 1;
	for (const char *at = strchr(why, '\''); at;) {
		uint64_t said = strtoull(values, &next, 10);
		uint64_t value =
			value_alone(rig, event_called(rig, at + 1), layout);

		if (((value >> low) & ((UINT64_C(2) << (high - low)) - 1)) !=
		    said)
			return false;
		values = next + (*next == ',');
		at = strchr(strchr(at + 1, '\'') + 1, '\'');
	}
	return true;
}

static bool is_there(const struct rig *rig, const char *text)
{
	for (size_t e = 0; e < rig->num_events; e++)
		if (!strcmp(uncore_event_text(rig->events[e]), text))
			return true;
	return false;
}

static unsigned num_named(const char *why)
{
	unsigned num = 0;

	for (; (why = strchr(why, '\'')); why++)
		num++;
	return num / 2;
}

/* The fields of a sentence do differ when each event is written alone; without
 * the second of two that it names it is not said any more. */
static void reasons_say_what_the_registers_say(void **state)
{
	unsigned num_fields = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct uncore_schedule *schedule, *less;
		struct rig rig;
		const char *why;

		rig_start(&rig, machine, seed);
		for (unsigned i = 0; i < 10; i++)
			rig_add(&rig, 2, false);
		schedule = make(&rig, NULL, 0);
		for (size_t i = 0; (why = uncore_schedule_reason(schedule, i));
		     i++) {
			struct uncore_event *last;
			size_t e = 0;

			num_fields += strstr(why, "need different") != NULL;
			if (!is_true(&rig, why))
				fail_msg("%s", why);
			if (num_named(why) != 2 || strstr(why, " more "))
				continue;
			last = event_called(&rig, strstr(why, " and '") + 6);
			while (rig.events[e] != last)
				e++;
			rig.events[e] = rig.events[--rig.num_events];
			/* unless there is another one like it */
			if (is_there(&rig, uncore_event_text(last))) {
				rig.events[rig.num_events++] = rig.events[e];
				rig.events[e] = last;
				continue;
			}
			less = make(&rig, NULL, 0);
			for (size_t r = 0; uncore_schedule_reason(less, r); r++)
				assert_string_not_equal(
					uncore_schedule_reason(less, r), why);
			uncore_schedule_free(less);
			rig.events[rig.num_events++] = rig.events[e];
			rig.events[e] = last;
		}
		end(&rig, schedule);
	}
	assert_true(num_fields > 10);
}

static void groups_run_together_or_are_refused(void **state)
{
	static const char *const texts[] = {
		"bbox/TF_ALL/",		"bbox/IMT_INSERTS_ALL/", "bbox/TF_WR/",
		"bbox/IMT_INSERTS_WR/", "cbox/LLC_HITS.ALL/",	 NULL,
	};
	static const size_t first[] = { 0, 1 }, second[] = { 2, 3, 4 },
			    both[] = { 0, 2 };
	const struct uncore_group fine[] = { { first, 2, "TF" },
					     { second, 3, "TF of writes" } };
	const struct uncore_group bad[] = { { both, 2, "the impossible" } };
	struct uncore_schedule *schedule;
	struct rig rig;
	char *error = NULL;

	(void)state;
	end(&rig, of(&rig, texts));
	rig_start(&rig, machine, 1);
	for (size_t i = 0; texts[i]; i++)
		rig_add_text(&rig, texts[i]);
	schedule = make(&rig, fine, 2);
	assert_int_equal(uncore_schedule_slices(schedule), 2);
	for (size_t s = 0; s < 2; s++) {
		assert_true(uncore_schedule_item(schedule, s, 4) >= 0);
		assert_int_equal(uncore_schedule_item(schedule, s, 0) >= 0,
				 uncore_schedule_item(schedule, s, 1) >= 0);
		assert_int_equal(uncore_schedule_item(schedule, s, 2) >= 0,
				 uncore_schedule_item(schedule, s, 3) >= 0);
	}
	uncore_schedule_free(schedule);
	assert_int_equal(uncore_schedule_new(rig.family, rig.events,
					     rig.num_events, bad, 1, &schedule,
					     &error),
			 UNCORE_ERR_CONFLICT);
	assert_non_null(strstr(error, "the impossible"));
	assert_non_null(strstr(error, "'bbox/TF_ALL/' and 'bbox/TF_WR/'"));
	free(error);
	rig_end(&rig);
}

/* Two slots, three settings, three slices: two turns each. */
static void room_is_shared_fairly(void **state)
{
	static const char *const texts[] = {
		"rbox/FLITS_SENT,port=0/",
		"rbox/NULL_IDLE,port=0/",
		"rbox/OUTPUTQ_NE,port=0/",
		"bbox/TF_ALL/",
		"bbox/TF_WR/",
		"bbox/TF_INVITOE/",
		NULL,
	};
	struct rig rig;
	struct uncore_schedule *schedule = of(&rig, texts);

	(void)state;
	assert_int_equal(uncore_schedule_slices(schedule), 3);
	for (size_t e = 0; e < 3; e++)
		assert_float_equal(uncore_schedule_share(schedule, e), 2 / 3.0,
				   1e-9);
	for (size_t e = 3; e < 6; e++)
		assert_float_equal(uncore_schedule_share(schedule, e), 1 / 3.0,
				   1e-9);
	end(&rig, schedule);
}

/* 200 events take some 5000 checks; one is less than two microseconds. Where
 * occupancies keep three of the S-Box's counters, 50 slices may be needed, and
 * checks are by slices. */
static void two_hundred_events_are_little_work(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct uncore_schedule *schedule;
		struct rig rig;

		rig_start(&rig, machine, seed);
		for (unsigned i = 0; i < 200; i++)
			rig_add(&rig, 12, i % 2);
		schedule = make(&rig, NULL, 0);
		assert_in_range(uncore_schedule_work(schedule), 200, 40000);
		for (size_t e = 0; e < rig.num_events; e++)
			assert_true(uncore_schedule_share(schedule, e) > 0);
		end(&rig, schedule);
	}
}

int main(void)
{
	static const char *const machines[] = { "xeon-e7", "xeon-7500" };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_thing_is_counted_once),
		cmocka_unit_test(twins_make_room_for_each_other),
		cmocka_unit_test(instances_are_solved_one_by_one),
		cmocka_unit_test(what_needs_no_turns_is_not_touched),
		cmocka_unit_test(who_stays_makes_room_at_once),
		cmocka_unit_test(a_reason_names_what_there_is_too_little_of),
		cmocka_unit_test(reasons_are_complete_and_true),
		cmocka_unit_test(reasons_say_what_the_registers_say),
		cmocka_unit_test(groups_run_together_or_are_refused),
		cmocka_unit_test(room_is_shared_fairly),
		cmocka_unit_test(two_hundred_events_are_little_work),
	};
	int failed = 0;

	for (unsigned m = 0; m < 2; m++) {
		machine = machines[m];
		failed +=
			cmocka_run_group_tests_name(machine, tests, NULL, NULL);
	}
	return failed;
}
