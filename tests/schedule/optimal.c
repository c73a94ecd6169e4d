/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * On small sets of random events a schedule has as few slices as any partition
 * has, and says so; it never puts together what does not fit, and never refuses
 * what does. What fits is found out in a way of its own (naive.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "naive.h"

enum {
#ifdef __SANITIZE_ADDRESS__
	NUM_SETS = 400,
#else
	NUM_SETS = 1000,
#endif
	MAX_UNITS = 7,
	MOST_UNITS = MAX_UNITS + NAIVE_MAX_EVENTS, /* groups taken apart */
};

static const char *machine;

struct unit {
	unsigned events; /* bits */
	size_t list[NAIVE_MAX_EVENTS];
	size_t num;
};

struct small {
	struct rig rig;
	struct unit units[MOST_UNITS];
	struct uncore_group groups[MAX_UNITS];
	unsigned num_units, num_groups;
	bool fits[1 << NAIVE_MAX_EVENTS]; /* sets of events */
	bool known[1 << NAIVE_MAX_EVENTS];
	struct naive *places;
	unsigned num_places;
};

static void add_unit(struct small *small, size_t first, size_t num)
{
	struct unit *unit = &small->units[small->num_units++];

	*unit = (struct unit){ 0 };
	for (size_t i = 0; i < num; i++) {
		unit->list[unit->num++] = first + i;
		unit->events |= 1u << (first + i);
	}
	if (num > 1)
		small->groups[small->num_groups++] =
			(struct uncore_group){ .events = unit->list,
					       .num_events = num };
}

static void make(struct small *small, uint64_t seed)
{
	unsigned num, boxes;

	memset(small, 0, sizeof(*small));
	rig_start(&small->rig, machine, seed);
	num = 2 + rig_random(&small->rig, MAX_UNITS - 1);
	boxes = 1 + rig_random(&small->rig, 3);
	for (unsigned u = 0; u < num; u++) {
		size_t first = small->rig.num_events;
		unsigned events = 1;

		if (!rig_random(&small->rig, 4))
			events += rig_random(&small->rig, 3);
		if (first + events > NAIVE_MAX_EVENTS)
			events = 1;
		if (first + events > NAIVE_MAX_EVENTS)
			break;
		for (unsigned i = 0; i < events; i++)
			rig_add(&small->rig, boxes, true);
		add_unit(small, first, events);
	}
}

static void open_places(struct small *small)
{
	struct uncore_box box;
	unsigned most = 0;

	for (size_t b = 0; uncore_family_box(small->rig.family, b, &box); b++)
		most += box.num_instances;
	small->places = calloc(most, sizeof(*small->places));
	for (unsigned b = 0; uncore_family_box(small->rig.family, b, &box); b++)
		for (unsigned i = 0; i < box.num_instances; i++) {
			bool any = false;

			for (size_t e = 0; e < small->rig.num_events; e++) {
				struct uncore_event *of = small->rig.events[e];
				int n = uncore_event_instance(of);

				/* one instance stands for those that no event
				 * names */
				any |= !strcmp(uncore_event_box(of),
					       box.name) &&
				       (n == (int)i || (n < 0 && !i));
			}
			if (any)
				naive_start(&small->places[small->num_places++],
					    &small->rig, b, i);
		}
}

static bool fits(struct small *small, unsigned events)
{
	bool all = true;

	if (small->known[events])
		return small->fits[events];
	/* what does not fit does not fit with more */
	for (unsigned e = 0; e < small->rig.num_events && all; e++)
		all = !(events >> e & 1) ||
		      !small->known[events & ~(1u << e)] ||
		      small->fits[events & ~(1u << e)];
	for (unsigned p = 0; p < small->num_places && all; p++)
		all = naive_fits(&small->places[p], events);
	small->known[events] = true;
	small->fits[events] = all;
	return all;
}

static unsigned events_of(const struct small *small, unsigned units)
{
	unsigned events = 0;

	for (unsigned u = 0; u < small->num_units; u++)
		if (units >> u & 1)
			events |= small->units[u].events;
	return events;
}

static unsigned of_sbox(const struct small *small, bool occupancies)
{
	unsigned events = 0;

	for (size_t e = 0; e < small->rig.num_events; e++) {
		const struct uncore_event *event = small->rig.events[e];
		const char *name = uncore_event_name(event);

		if (!strcmp(uncore_event_box(event), "sbox") &&
		    (!occupancies || (name && strstr(name, "OCCUPANCY"))))
			events |= 1u << e;
	}
	return events;
}

/* Whether two sets have events in one S-Box. */
static bool in_one_sbox(const struct small *small, unsigned a, unsigned b)
{
	unsigned sbox = of_sbox(small, false);

	for (size_t e = 0; e < small->rig.num_events; e++)
		for (size_t f = 0; f < small->rig.num_events; f++) {
			int i = uncore_event_instance(small->rig.events[e]);
			int j = uncore_event_instance(small->rig.events[f]);

			if (a & sbox & 1u << e && b & sbox & 1u << f &&
			    (i < 0 || j < 0 || i == j))
				return true;
		}
	return false;
}

/* Occupancies of the S-Box, one after the other, as long as each event of their
 * boxes that can run at all can run beside them. */
static unsigned find_steady(struct small *small)
{
	unsigned occupancies = of_sbox(small, true), steady = 0;

	for (unsigned e = 0; e < small->rig.num_events; e++) {
		unsigned more = steady | (occupancies & 1u << e);
		bool room = fits(small, more);

		for (unsigned f = 0; f < small->rig.num_events; f++)
			if (in_one_sbox(small, 1u << f, more) &&
			    fits(small, 1u << f) &&
			    !fits(small, more | 1u << f))
				room = false;
		if (room)
			steady = more;
	}
	return steady;
}

static void join_steady(struct small *small, struct unit *unit, unsigned steady)
{
	if (in_one_sbox(small, unit->events, steady) &&
	    fits(small, unit->events))
		unit->events |= steady;
}

/* They join the units of their boxes; a group that finds no room beside them
 * falls into its events. */
static void keep_steady(struct small *small)
{
	unsigned steady = find_steady(small), num = small->num_units;

	for (unsigned u = 0; u < num && steady; u++) {
		unsigned events = small->units[u].events;

		if (fits(small, events) && !fits(small, events | steady) &&
		    in_one_sbox(small, events, steady)) {
			small->units[u].events = 0;
			for (unsigned e = 0; e < small->rig.num_events; e++)
				if (events >> e & 1)
					small->units[small->num_units++]
						.events = 1u << e;
		}
	}
	for (unsigned u = 0; u < small->num_units && steady; u++)
		join_steady(small, &small->units[u], steady);
}

/* Slices of the best of all partitions; 0: a unit does not even fit alone. */
static unsigned fewest(struct small *small)
{
	static unsigned best[1 << MOST_UNITS];
	unsigned num = 0, all;

	for (unsigned u = 0; u < small->num_units; u++) {
		if (!fits(small, small->units[u].events))
			return 0;
		if (small->units[u].events)
			small->units[num++] = small->units[u];
	}
	small->num_units = num;
	all = (1u << num) - 1;
	best[0] = 0;
	for (unsigned set = 1; set <= all; set++) {
		unsigned lowest = set & -set;

		best[set] = small->num_units + 1;
		for (unsigned part = set; part; part = (part - 1) & set)
			if (part & lowest &&
			    best[set & ~part] + 1 < best[set] &&
			    fits(small, events_of(small, part)))
				best[set] = best[set & ~part] + 1;
	}
	return best[all];
}

static void say(const struct small *small)
{
	for (size_t e = 0; e < small->rig.num_events; e++)
		print_message("  %s\n",
			      uncore_event_text(small->rig.events[e]));
	for (unsigned g = 0; g < small->num_groups; g++)
		print_message("  together: %zu to %zu\n",
			      small->groups[g].events[0],
			      small->groups[g].events[0] +
				      small->groups[g].num_events - 1);
}

static unsigned slice_events(const struct small *small,
			     const struct uncore_schedule *schedule, size_t s)
{
	unsigned events = 0;

	for (size_t e = 0; e < small->rig.num_events; e++)
		if (uncore_schedule_item(schedule, s, e) >= 0)
			events |= 1u << e;
	return events;
}

static bool is_sound(struct small *small,
		     const struct uncore_schedule *schedule)
{
	size_t num = uncore_schedule_slices(schedule);

	for (size_t s = 0; s < num; s++)
		if (!fits(small, slice_events(small, schedule, s)))
			return false;
	for (unsigned u = 0; u < small->num_units; u++) {
		unsigned in = 0;

		for (size_t s = 0; s < num; s++)
			in += !(small->units[u].events &
				~slice_events(small, schedule, s));
		if (!in)
			return false;
	}
	return true;
}

/* A plan of all events is found if there is one, and only then. */
static bool plan_is_right(struct small *small)
{
	unsigned all = (1u << small->rig.num_events) - 1;
	struct uncore_plan *plan = NULL;
	bool found = !uncore_plan_new(small->rig.family, small->rig.events,
				      small->rig.num_events, &plan, NULL);

	uncore_plan_free(plan);
	return found == fits(small, all);
}

/* Small is freed. `number` is that of the set, for messages. */
static void try_small(struct small *small, uint64_t number)
{
	struct uncore_schedule *schedule = NULL;
	char *error = NULL;
	unsigned best;
	size_t slices = 0;

	open_places(small);
	keep_steady(small);
	best = fewest(small);
	if (!uncore_schedule_new(small->rig.family, small->rig.events,
				 small->rig.num_events, small->groups,
				 small->num_groups, &schedule, &error))
		slices = uncore_schedule_slices(schedule);
	if (slices != best || !plan_is_right(small) ||
	    (slices && !is_sound(small, schedule)) ||
	    (slices && !uncore_schedule_is_optimal(schedule))) {
		say(small);
		for (size_t i = 0;
		     schedule && uncore_schedule_reason(schedule, i); i++)
			print_message("  %s\n",
				      uncore_schedule_reason(schedule, i));
		fail_msg("%s, set %llu: %zu slices, %u would do%s%s", machine,
			 (unsigned long long)number, slices, best,
			 error ? ": " : "", error ? error : "");
	}
	free(error);
	uncore_schedule_free(schedule);
	for (unsigned p = 0; p < small->num_places; p++)
		naive_end(&small->places[p]);
	free(small->places);
	rig_end(&small->rig);
	free(small);
}

static void no_partition_has_fewer_slices(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= NUM_SETS; seed++) {
		struct small *small = malloc(sizeof(*small));

		make(small, seed);
		try_small(small, seed);
	}
}

/* Sets that chance seldom finds: events that are in each other's way through
 * something that one of them does not set. */
static const char *const given[][7] = {
	{ "sbox/REQ_TBL_OCCUPANCY/", "sbox/TO_R_SNP_MSGQ_OCCUPANCY/",
	  "sbox/TO_R_NDR_MSGQ_CYCLES_NE/", "sbox/TO_RING_NDR_MSGQ_CYCLES_NE/",
	  "sbox/TO_RING_R2S_MSGQ_CYCLES_NE/",
	  "sbox/TO_RING_B2S_MSGQ_CYCLES_NE/" },
	{ "sbox0/REQ_TBL_OCCUPANCY/", "sbox1/TO_R_NDR_MSGQ_CYCLES_NE/",
	  "sbox/TO_RING_NDR_MSGQ_CYCLES_NE/", "mbox/FVC_EV0.BBOX_CMDS.READS/",
	  "mbox/FVC_EV0.BBOX_CMDS.WRITES/", "mbox/FVC_EV0.BBOX_CMDS.MERGE/" },
	{ "mbox/DRAM_MISC.RAS/", "mbox/DRAM_CMD.ADDR_MATCH,match=0x40/" },
	{ "mbox/DRAM_MISC.CAS_RD_OPN/", "mbox/DRAM_CMD.RAS/",
	  "mbox/DRAM_CMD.RAS.WRPRIO/", "mbox/DRAM_CMD.ADDR_MATCH/" },
	{ "mbox/DRAM_MISC.VALID/", "mbox/DRAM_MISC.NON_NOP_TRKL/",
	  "mbox/DRAM_MISC.RETRIES_ALL/", "mbox/DRAM_MISC.ALL/" },
	{ "mbox/DSP_FILL.RDQ_FULL/", "mbox/CYCLES_DSP_FILL.RDQ_FULL/",
	  "mbox/DSP_FILL.RDQ_FULL.WRQ_FULL/", "mbox1/DSP_FILL.WRQ_EMPTY/" },
	{ "mbox/inc_sel=0xd/", "mbox/FVC_EV0.SMI_CRC_ERR/",
	  "mbox/FVC_EV0.MEM_ECC_ERR/", "mbox/FVC_EV1.POISON_TXN/",
	  "mbox/FVC_EV3.FAST_RESET/" },
	{ "mbox/FVC_EV0.BBOX_CMDS.READS/", "mbox/FVC_EV1.BBOX_CMDS.READS/",
	  "mbox/FVC_EV0.BBOX_RSP.ACK/", "mbox/FVC_EV0.SMI_CRC_ERR/",
	  "mbox/CYCLES,counter=3/", "mbox/CYCLES,counter=4/" },
	{ "bbox/OPCODE_IN_MATCH,opc=2/", "bbox/MSG_IN_MATCH,mc=HOM0/",
	  "bbox/ADDR_IN_MATCH,addr=64/", "bbox/MSG_ADDR_IN_MATCH,mc=HOM0/" },
	{ "bbox/MSG_OPCODE_ADDR_IN_MATCH,mc=HOM0,opc=2,addr=64/",
	  "bbox/MSG_IN_MATCH,mc=HOM0/", "bbox/ADDR_IN_MATCH,addr=64/" },
	{ "rbox/FLITS_SENT,port=0/", "rbox/FLITS_SENT,port=0,slot=1/",
	  "rbox/FLITS_SENT,port=0,counter=2/", "rbox/NULL_IDLE,port=0/",
	  "rbox/NULL_IDLE,port=0,slot=0/", "rbox/FLITS_SENT,port=0,slot=0/" },
	{ "cbox/LLC_HITS.ALL,counter=0/", "cbox3/LLC_HITS.ALL/",
	  "cbox/LLC_HITS.ALL,counter=1/", "cbox/LLC_MISSES.ALL,counter=1/",
	  "cbox/LLC_MISSES.ALL/" },
};

static void what_chance_seldom_finds_is_planned_right(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		struct small *small = calloc(1, sizeof(*small));

		rig_start(&small->rig, machine, 1);
		for (const char *const *text = given[i]; *text; text++) {
			struct uncore_event *event;

			/* the other machine lacks some of them */
			if (uncore_event_parse(small->rig.family, *text, &event,
					       NULL))
				continue;
			uncore_event_free(event);
			rig_add_text(&small->rig, *text);
			add_unit(small, small->rig.num_events - 1, 1);
		}
		try_small(small, i);
	}
}

int main(void)
{
	static const char *const machines[] = { "xeon-e7", "xeon-7500",
						"xeon-e5-2600" };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_partition_has_fewer_slices),
		cmocka_unit_test(what_chance_seldom_finds_is_planned_right),
	};
	int failed = 0;

	for (unsigned m = 0; m < 3; m++) {
		machine = machines[m];
		failed +=
			cmocka_run_group_tests_name(machine, tests, NULL, NULL);
	}
	return failed;
}
