/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The quick way is as right as the engine. Random processors with the same
 * traffic both ways: what one core does, one thing after the other, leaves the
 * same tags, states, owners, ages and directory behind, and the same facts of
 * state to the digit, wherever windows lie. Where several are under way at once
 * their order is another one, and any order is lawful: then the laws hold that
 * no order breaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/kind.h"
#include "model/model.h"
#include "model/nehalem-ex/home_parts.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

/* Facts of state: docs/sampled.md. */
static const char *const ex_facts[] = {
	"cbox/LLC_HITS.M/",
	"cbox/LLC_HITS.E/",
	"cbox/LLC_HITS.S/",
	"cbox/LLC_HITS.F/",
	"cbox/LLC_MISSES.I/",
	"cbox/LLC_MISSES.S/",
	"cbox/LLC_MISSES.F/",
	"cbox/LLC_S_FILLS.M/",
	"cbox/LLC_S_FILLS.E/",
	"cbox/LLC_S_FILLS.S/",
	"cbox/LLC_S_FILLS.F/",
	"cbox/LLC_VICTIMS.M/",
	"cbox/LLC_VICTIMS.E/",
	"cbox/LLC_VICTIMS.S/",
	"cbox/LLC_VICTIMS.F/",
	"cbox/LLC_VICTIMS.I/",
	"cbox/SNPS.REMOTE_RD/",
	"cbox/SNPS.REMOTE_RFO/",
	"cbox/SNP_HITS.REMOTE_ANY/",
	"cbox/MAF_ACK/",
	"cbox/TRANS_IRQ/",
	"cbox/TRANS_IPQ/",
	"cbox/TRANS_VIQ/",
	"cbox/TRANS_MAF/",
	"cbox/TRANS_RWRF/",
	"cbox/TRANS_RSPF/",
	"cbox/ARB_WINS.AD_SB/",
	"cbox/ARB_WINS.AD_NSB/",
	"cbox/ARB_WINS.AK_SB/",
	"cbox/ARB_WINS.BL_NSB/",
	"cbox/ARB_WINS.IV/",
	"cbox/SINKS_P2C.AD/",
	"cbox/SINKS_P2C.BL/",
	"cbox/SINKS_C2P.IV/",
	"cbox/SINKS_S2P_BL/",
	"sbox/PKTS_SENT_HOM.ALL/",
	"sbox/PKTS_SENT_SNP/",
	"sbox/PKTS_SENT_DRS.ALL/",
	"sbox/FLITS_SENT_DRS/",
	"sbox/PKTS_RCVD_NDR/",
	"bbox/MSG_OPCODE_OUT_MATCH,mc=NDR,opc=Cmp/",
	"bbox/MSG_OPCODE_OUT_MATCH,mc=NDR,opc=Gnt_Cmp/",
	"sbox/PKTS_RCVD_DRS_FROM_B/",
	"sbox/PKTS_RCVD_DRS_FROM_R/",
	"sbox/TO_R_B_REQUESTS.LOCAL/",
	"sbox/TO_R_B_REQUESTS.REMOTE/",
	"sbox/TO_R_PROG_EV/",
	"bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=RdData/",
	"bbox/MSG_OPCODE_IN_MATCH,mc=HOM1,opc=RspI/",
	"bbox/MSG_OUT_MATCH/",
	"bbox/MSG_S_TO_B/",
	"bbox/MSG_B_TO_S/",
	"bbox/IMT_INSERTS_RD/",
	"bbox/IMT_INSERTS_WR/",
	"bbox/IMT_INSERTS_INVITOE/",
	"bbox/DRSQ_INSERTS/",
	"bbox/IMPLICIT_WBS/",
	"rbox/FLITS_SENT,port=qpi0/",
	"rbox/FLITS_SENT,port=sbox1/",
	"rbox/NEW_PACKETS_RECV.ANY.HOM,port=sbox0/",
	"rbox/NEW_PACKETS_RECV.ANY.DRS,port=bbox1/",
	"rbox/DRS.AnyResp,port=bbox0/",
	"mbox/BBOX_CMDS_ALL/",
	"mbox/FVC_EV0.BBOX_CMDS.READS/",
	"mbox/FVC_EV0.BBOX_CMDS.WRITES/",
	"mbox/INFLIGHT_CMDS/",
	"mbox/TRANS_CMDS/",
	NULL,
};

static const char *const ep_facts[] = {
	"cbo/LLC_LOOKUP.ANY,filter_state=31/",
	"cbo/LLC_LOOKUP.DATA_READ,filter_state=1/",
	"cbo/LLC_LOOKUP.WRITE,filter_state=31/",
	"cbo/LLC_LOOKUP.REMOTE_SNOOP,filter_state=31/",
	"cbo/LLC_VICTIMS.M_STATE/",
	"cbo/LLC_VICTIMS.E_STATE/",
	"cbo/LLC_VICTIMS.S_STATE/",
	"cbo/TOR_INSERTS.WB/",
	"cbo/TOR_INSERTS.EVICTION/",
	"cbo/RxR_INSERTS.IRQ/",
	"cbo/RxR_INSERTS.IPQ/",
	"cbo/TxR_INSERTS.AD_CACHE/",
	"cbo/TxR_INSERTS.AK_CACHE/",
	"cbo/TxR_INSERTS.BL_CACHE/",
	"cbo/TxR_INSERTS.IV_CACHE/",
	"ha/REQUESTS.READS/",
	"ha/REQUESTS.WRITES/",
	"ha/TRACKER_INSERTS.ALL/",
	"ha/TxR_AD.NDR/",
	"ha/TxR_BL.DRS_CACHE/",
	"ha/TxR_BL.DRS_CORE/",
	"ha/TxR_BL.DRS_QPI/",
	"ha/IMC_WRITES.FULL/",
	"ha/IMC_WRITES.PARTIAL/",
	"imc/WPQ_INSERTS/",
	"imc/RPQ_INSERTS/",
	"qpi/TxL_FLITS_G0.DATA/",
	"qpi/TxL_FLITS_G0.NON_DATA/",
	"qpi/RxL_FLITS_G1.SNP/",
	"qpi/TxL_FLITS_G1.HOM_REQ/",
	NULL,
};

enum { MAX_FACTS = 128, MAX_SETTINGS = 16, MAX_TEXT = 64, MAX_CORES = 80 };

struct plan {
	const char *machine;
	unsigned sockets, num_settings;
	unsigned num_accesses, step; /* every step-th core does something */
	uint64_t seed;
	char settings[MAX_SETTINGS][MAX_TEXT];
	uint64_t random;
};

/* What a run has left behind. */
struct run {
	struct uncore_model *model;
	uint64_t facts[MAX_FACTS];
};

static unsigned draw(struct plan *plan, unsigned end)
{
	plan->random = plan->random * UINT64_C(6364136223846793005) + 1;
	return (unsigned)(plan->random >> 33) % end;
}

static void set(struct plan *plan, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void set(struct plan *plan, const char *format, ...)
{
	va_list args;

	assert_in_range(plan->num_settings, 0, MAX_SETTINGS - 1);
	va_start(args, format);
	vsnprintf(plan->settings[plan->num_settings++], MAX_TEXT, format, args);
	va_end(args);
}

static bool is_ep(const struct plan *plan)
{
	return !strcmp(plan->machine, "xeon-e5-2600");
}

static const char *const *facts_of(const struct plan *plan)
{
	return is_ep(plan) ? ep_facts : ex_facts;
}

static struct uncore_model *new_model(const struct plan *plan)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new(plan->machine, &error);
	struct uncore_model *model;

	assert_non_null(config);
	if (uncore_model_config_sockets(config, plan->sockets, &error))
		fail_msg("%s", error);
	for (unsigned i = 0; i < plan->num_settings; i++)
		if (uncore_model_config_set(config, plan->settings[i], &error))
			fail_msg("%s: %s", plan->settings[i], error);
	model = uncore_model_new(config, &error);
	if (!model)
		fail_msg("%s", error);
	uncore_model_config_free(config);
	return model;
}

static size_t parse(const struct plan *plan, struct uncore_target *target,
		    struct uncore_event **events)
{
	const char *const *texts = facts_of(plan);
	char *error = NULL;
	size_t num;

	for (num = 0; texts[num]; num++) {
		assert_in_range(num, 0, MAX_FACTS - 1);
		if (uncore_event_parse(uncore_target_family(target), texts[num],
				       &events[num], &error))
			fail_msg("%s", error);
	}
	return num;
}

/* Traffic of its own: accesses that come one after the other, each when all
 * before it are long over, by whatever core. A core that gives back a line it
 * has not, or asks for one that it has, does no harm. */
enum { SLOT_INSTRUCTIONS = 100000, LAST_CYCLES = 2000 };

struct lot {
	struct uncore_access *accesses;
	unsigned *cores;
	unsigned num, num_cores;
	unsigned next[MAX_CORES]; /* of a core, from there on */
};

static int next_of_lot(void *context, unsigned core,
		       struct uncore_access *access)
{
	struct lot *lot = context;
	unsigned from = lot->next[core], i = from;

	while (i < lot->num && lot->cores[i] != core)
		i++;
	if (i == lot->num)
		return 0;
	*access = lot->accesses[i];
	access->gap = (i + 1 - from) * SLOT_INSTRUCTIONS;
	lot->next[core] = i + 1;
	return 1;
}

static unsigned draw_kind(struct plan *plan)
{
	static const uint8_t weights[] = {
		[UNCORE_ACCESS_READ] = 40,   [UNCORE_ACCESS_CODE] = 10,
		[UNCORE_ACCESS_OWN] = 25,    [UNCORE_ACCESS_WRITEBACK] = 15,
		[UNCORE_ACCESS_FLUSH] = 3,   [UNCORE_ACCESS_NT_WRITE] = 4,
		[UNCORE_ACCESS_NT_PART] = 3,
	};
	unsigned lot = draw(plan, 100), kind = 0;

	while (lot >= weights[kind])
		lot -= weights[kind++];
	return kind;
}

static void fill_lot(struct plan *plan, struct uncore_model *model,
		     struct lot *lot)
{
	unsigned lines = 1u << (4 + draw(plan, 10));
	uint64_t stride = 1 + draw(plan, 4) * 4096;
	uint64_t first[2] = { uncore_model_memory_first_line(model, 0),
			      uncore_model_memory_first_line(
				      model, plan->sockets - 1) };

	for (unsigned i = 0; i < lot->num; i++) {
		struct uncore_access *access = &lot->accesses[i];

		lot->cores[i] = draw(plan, lot->num_cores) * plan->step;
		access->line =
			first[draw(plan, 2)] + draw(plan, lines) * stride;
		access->kind = (uint8_t)draw_kind(plan);
		if (access->kind <= UNCORE_ACCESS_OWN)
			access->prefetch = !draw(plan, 8);
	}
}

static void go(const struct plan *given, struct uncore_model *model)
{
	struct plan plan = *given;
	unsigned all = plan.sockets * uncore_model_cores(model);
	struct lot lot = { .num = plan.num_accesses };
	const struct uncore_traffic traffic = { .context = &lot,
						.next = next_of_lot };

	assert_in_range(all, 1, MAX_CORES);
	lot.num_cores = (all - 1) / plan.step + 1;
	lot.accesses = calloc(lot.num, sizeof(*lot.accesses));
	lot.cores = calloc(lot.num, sizeof(*lot.cores));
	assert_true(lot.accesses && lot.cores);
	fill_lot(&plan, model, &lot);
	uncore_model_set_traffic(model, &traffic);
	if (!uncore_model_finish(model, UINT64_C(100000000000), NULL))
		fail_msg("it does not come to an end");
	uncore_model_run(model, LAST_CYCLES); /* the last answers come home */
	free(lot.accesses);
	free(lot.cores);
}

static struct run run(const struct plan *plan)
{
	struct run run = { .model = new_model(plan) };
	struct uncore_target *target = uncore_target_model(run.model);
	struct uncore_event *events[MAX_FACTS];
	struct uncore_session *session;
	struct uncore_count count;
	size_t num = parse(plan, target, events);
	char *error = NULL;

	if (uncore_session_open(target, events, num, &session, &error) ||
	    uncore_session_start(session, &error))
		fail_msg("%s", error);
	/* What was counted, and not what the session makes of it. */
	uncore_model_on_window(run.model, NULL, NULL);
	go(plan, run.model);
	if (uncore_session_stop(session, &error) ||
	    uncore_session_read(session, &error))
		fail_msg("%s", error);
	for (size_t i = 0; uncore_session_count(session, i, &count); i++)
		run.facts[count.event_index] += count.value;
	uncore_session_close(session);
	while (num > 0)
		uncore_event_free(events[--num]);
	uncore_target_free(target);
	return run;
}

/* How it can be run again by hand. */
static void say(const struct plan *plan)
{
	print_message("seed %llu: %s, %u sockets, %u accesses of each %u. "
		      "core:",
		      (unsigned long long)plan->seed, plan->machine,
		      plan->sockets, plan->num_accesses, plan->step);
	for (unsigned i = 0; i < plan->num_settings; i++)
		print_message(" %s", plan->settings[i]);
	print_message("\n");
}

static unsigned differences_of_slice(const struct llc *a, const struct llc *b,
				     unsigned slice)
{
	unsigned num = 0;

	for (size_t i = 0; i < llc_num_entries(a); i++) {
		uint64_t line_a = 0, line_b = 0;
		bool is_a = llc_line(a, i, slice, &line_a);

		if (is_a != llc_line(b, i, slice, &line_b) ||
		    (is_a &&
		     (line_a != line_b || memcmp(llc_way(a, i), llc_way(b, i),
						 sizeof(struct llc_way)))))
			num++;
	}
	return num;
}

static unsigned differences_of_directory(const struct home *a,
					 const struct home *b)
{
	enum { CHUNK_LINES = 1 << 16 };
	unsigned num = 0;

	if (!a->has_directory)
		return 0;
	for (uint64_t line = 0; line < a->memory_lines; line++) {
		const uint8_t *of_a = a->directory[line / CHUNK_LINES];
		const uint8_t *of_b = b->directory[line / CHUNK_LINES];

		if (!of_a && !of_b) {
			line |= CHUNK_LINES - 1;
			continue;
		}
		num += (of_a ? of_a[line % CHUNK_LINES] : 0) !=
		       (of_b ? of_b[line % CHUNK_LINES] : 0);
	}
	return num;
}

static unsigned differences_of_state(const struct plan *plan,
				     const struct run *a, const struct run *b)
{
	unsigned num = 0;

	for (unsigned i = 0; i < plan->sockets; i++) {
		const struct socket *of_a = a->model->sockets[i];
		const struct socket *of_b = b->model->sockets[i];

		for (unsigned slice = 0; slice < of_a->num_cores; slice++)
			num += differences_of_slice(
				of_a->kind->llc(of_a, slice),
				of_b->kind->llc(of_b, slice), slice);
		for (unsigned side = 0; !is_ep(plan) && side < EX_SIDES; side++)
			num += differences_of_directory(
				of_a->ex->sockets[i].homes[side],
				of_b->ex->sockets[i].homes[side]);
	}
	return num;
}

static const char *const processors[] = { "xeon-e7", "xeon-7500",
					  "xeon-e5-2600" };
enum { NUM_MACHINES = 2 };

/* Both ways: what goes through the engine, of a hundred. */
static const char *const shares[] = { "0.01", "5", "20", "50" };
enum { NUM_SHARES = sizeof(shares) / sizeof(shares[0]) };

static void choose_machine(struct plan *plan)
{
	static const uint8_t sizes[] = { 6, 12, 24, 96 };

	if (is_ep(plan)) {
		static const char *const snoops[] = { "source", "home",
						      "directory" };

		plan->sockets = 1u << draw(plan, 2);
		set(plan, "ha.snoop=%s", snoops[draw(plan, 3)]);
		set(plan, "ha.direct2core=%s", draw(plan, 2) ? "on" : "off");
	} else {
		plan->sockets = 1u << draw(plan, 3);
		set(plan, "bbox.directory=%s", draw(plan, 2) ? "on" : "off");
		set(plan, "llc.forward=%u", draw(plan, 2));
		set(plan, "memory.hemisphere=%s", draw(plan, 2) ? "on" : "off");
		set(plan, "mbox.page_policy=%s",
		    draw(plan, 2) ? "open" : "closed");
		set(plan, "mbox.patrol_cycles=0");
	}
	set(plan, "llc.slice=%u", sizes[draw(plan, sizeof(sizes))]);
}

static struct plan new_plan(unsigned machine, uint64_t seed)
{
	struct plan plan = { .machine = processors[machine],
			     .seed = seed,
			     .random = seed * 2 + 1 };

	for (unsigned i = 0; i < 8; i++)
		draw(&plan, 2);
	choose_machine(&plan);
	plan.num_accesses = 500 + draw(&plan, 1500);
	plan.step = 1 + draw(&plan, 4);
	return plan;
}

static struct plan quick_plan(const struct plan *plan)
{
	struct plan quick = *plan;

	set(&quick, "detail.share=%s", shares[draw(&quick, NUM_SHARES)]);
	set(&quick, "detail.window=%u", 20 + draw(&quick, 100));
	set(&quick, "detail.start=%u", 1 + draw(&quick, 300));
	quick.random = plan->random; /* the traffic is the same */
	return quick;
}

/* Facts that differ, said if so. */
static unsigned compare(const struct plan *plan, const struct run *full,
			const struct run *quick)
{
	const char *const *texts = facts_of(plan);
	unsigned num = 0;

	for (unsigned i = 0; texts[i]; i++) {
		if (full->facts[i] == quick->facts[i])
			continue;
		num++;
		print_message("%s: %llu in detail, %llu\n", texts[i],
			      (unsigned long long)full->facts[i],
			      (unsigned long long)quick->facts[i]);
	}
	return num;
}

enum { ROUNDS = 24 };

static unsigned num_rounds(void)
{
	return getenv("UNCORE_LONG") ? ROUNDS * 10 : ROUNDS;
}

static void test_both_ways_do_the_same(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < num_rounds(); i++) {
		struct plan plan = new_plan(i % NUM_MACHINES, i);
		struct plan quicker = quick_plan(&plan);
		struct run full = run(&plan), quick = run(&quicker);
		unsigned num;

		num = compare(&plan, &full, &quick);
		num += differences_of_state(&plan, &full, &quick);
		if (num)
			say(&quicker);
		assert_int_equal(num, 0);
		uncore_model_free(full.model);
		uncore_model_free(quick.model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways_do_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
