/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The quick way is as right as the engine. Random processors with the same
 * traffic both ways: what one core does, one thing after the other, leaves the
 * same tags, states, owners, ages and directory behind, and the same facts of
 * state to the digit, wherever windows lie. Where several are under way at once
 * their order is another one, and any order is lawful: then the laws hold that
 * no order breaks, and who owns a line has it alone. A round that fails names
 * its seed; with UNCORE_SEED=n that one alone is run, of the second kind from
 * 1000 on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "holders.h"
#include "model/box/kind.h"
#include "model/box/socket.h"
#include "model/model.h"
#include "model/nehalem-ex/home_parts.h"
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "model/sandy-bridge-ep/ha_parts.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

enum { MAX_FACTS = 512, MAX_SETTINGS = 16, MAX_TEXT = 64, MAX_CORES = 80 };

struct plan {
	const char *machine;
	unsigned sockets, num_settings;
	unsigned num_accesses, step; /* every step-th core does something */
	bool tells_each;	     /* see `each` */
	char workload[MAX_TEXT * 2]; /* instead */
	uint64_t seed;
	char settings[MAX_SETTINGS][MAX_TEXT];
	uint64_t random;
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

static bool is_scalable(const struct plan *plan)
{
	return !strcmp(plan->machine, "xeon-scalable-1");
}

static bool is_ep(const struct plan *plan)
{
	return !strncmp(plan->machine, "xeon-e5", 7) || is_scalable(plan);
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

/* The facts of state that the machine's data name, as far as they need nothing
 * chosen; of what every port has, of one port each. */
struct watched {
	struct uncore_target *target;
	struct uncore_event *events[MAX_FACTS];
	char texts[MAX_FACTS][MAX_TEXT];
	size_t num, num_same; /* behind these is what is `queued` */
};

/* Of a Xeon E5-2600 commands to memory are the same but for what met a write
 * that was still in its queue. */
static const char *const queued[] = { "imc/WPQ_READ_HIT/",
				      "imc/WPQ_WRITE_HIT/" };
enum { NUM_QUEUED = sizeof(queued) / sizeof(queued[0]) };

/* Where somebody looks at addresses, transactions of a class do not tell the
 * same.
 */
static const char *const each[] = {
	"bbox/MSG_ADDR_IN_MATCH,mc=HOM0,addr=0+1M/",
	"sbox/TO_R_PROG_EV,mc=HOM0,addr=0+1M/",
	"ha/ADDR_OPC_MATCH.FILT,lo_addr=3/",
};
enum { NUM_EACH = sizeof(each) / sizeof(each[0]) };

static bool add_text(struct watched *facts, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool add_text(struct watched *facts, const char *format, ...)
{
	struct uncore_event **event = &facts->events[facts->num];
	char *text = facts->texts[facts->num], *error = NULL;
	va_list args;

	assert_in_range(facts->num, 0, MAX_FACTS - 1);
	va_start(args, format);
	vsnprintf(text, MAX_TEXT, format, args);
	va_end(args);
	if (uncore_event_parse(uncore_target_family(facts->target), text, event,
			       &error)) {
		free(error);
		return false;
	}
	if (!uncore_session_can_count(facts->target, *event, &error)) {
		facts->num++;
		return true;
	}
	free(error);
	uncore_event_free(*event);
	return false;
}

static void add_fact(struct watched *facts, const struct uc_family *family,
		     const struct uc_box *box, const char *event,
		     const char *mask)
{
	const char *dot = *mask ? "." : "";
	const struct uc_port *port;

	if (add_text(facts, "%s/%s%s%s/", box->name, event, dot, mask) ||
	    !family->num_ports)
		return;
	port = &family->ports[facts->num % family->num_ports];
	add_text(facts, "%s/%s%s%s,port=%s/", box->name, event, dot, mask,
		 port->name);
}

static void find_facts(struct watched *facts, const struct uc_family *family,
		       bool tells_each)
{
	for (unsigned i = 0; i < family->num_boxes; i++) {
		const struct uc_box *box = &family->boxes[i];

		for (unsigned n = 0; n < box->num_events; n++) {
			const struct uc_event *event = &box->events[n];

			if (!event->num_unit_masks && event->is_state)
				add_fact(facts, family, box, event->name, "");
			for (unsigned m = 0; m < event->num_unit_masks; m++)
				if (event->unit_masks[m].is_state)
					add_fact(facts, family, box,
						 event->name,
						 event->unit_masks[m].name);
		}
	}
	assert_in_range(facts->num, 50, MAX_FACTS);
	for (unsigned i = 0; i < NUM_EACH && tells_each; i++)
		add_text(facts, "%s", each[i]);
	facts->num_same = facts->num;
	for (unsigned i = 0; i < NUM_QUEUED; i++)
		add_text(facts, "%s", queued[i]);
}

/* What a run has left behind. */
struct run {
	struct uncore_model *model;
	struct watched facts;
	uint64_t counts[MAX_FACTS];
	uint64_t places[MAX_FACTS]; /* which box had how many */
};

/* Traffic of its own: accesses that come one after the other, each when all
 * before it are long over, by whatever core. A core that gives back a line it
 * has not, or asks for one that it has, does no harm. All are at work until the
 * last access is over: if some ended, others of their socket might get a faster
 * clock, and be too early. What accesses take in a stretch is an estimate, so
 * that cores drift apart by more than an access: a slot is longer than that.
 */
enum { SLOT_INSTRUCTIONS = 1000000, LAST_CYCLES = 2000 };

struct lot {
	struct uncore_access *accesses;
	unsigned *cores;
	unsigned num, num_cores, step;
	unsigned next[MAX_CORES]; /* of a core, from there on */
};

static int next_of_lot(void *context, unsigned core,
		       struct uncore_access *access)
{
	struct lot *lot = context;
	unsigned from = lot->next[core], i = from;

	if (from > lot->num || core % lot->step)
		return 0;
	while (i < lot->num && lot->cores[i] != core)
		i++;
	*access =
		i < lot->num
			? lot->accesses[i]
			: (struct uncore_access){ .kind = UNCORE_ACCESS_NONE };
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
		access->to_llc = access->prefetch && is_ep(plan) && i % 2;
		if (access->kind == UNCORE_ACCESS_WRITEBACK)
			access->is_clean = is_scalable(plan) && draw(plan, 2);
	}
}

static void finish(struct uncore_model *model)
{
	if (!uncore_model_finish(model, UINT64_C(100000000000), NULL))
		fail_msg("it does not come to an end");
	uncore_model_run(model, LAST_CYCLES); /* the last answers come home */
}

static void run_lot(const struct plan *given, struct uncore_model *model)
{
	struct plan plan = *given;
	unsigned all = plan.sockets * uncore_model_cores(model);
	struct lot lot = { .num = plan.num_accesses, .step = plan.step };
	const struct uncore_traffic traffic = { .context = &lot,
						.next = next_of_lot };

	assert_in_range(all, 1, MAX_CORES);
	lot.num_cores = (all - 1) / plan.step + 1;
	lot.accesses = calloc(lot.num, sizeof(*lot.accesses));
	lot.cores = calloc(lot.num, sizeof(*lot.cores));
	assert_true(lot.accesses && lot.cores);
	fill_lot(&plan, model, &lot);
	uncore_model_set_traffic(model, &traffic);
	finish(model);
	free(lot.accesses);
	free(lot.cores);
}

static void run_workload(const struct plan *plan, struct uncore_model *model)
{
	char *error = NULL;

	if (uncore_model_set_workload(model, plan->workload, &error))
		fail_msg("%s", error);
	finish(model);
}

static struct run run(const struct plan *plan)
{
	struct run run = { .model = new_model(plan) };
	struct watched *facts = &run.facts;
	struct uncore_session *session;
	struct uncore_count count;
	char *error = NULL;

	facts->target = uncore_target_model(run.model);
	find_facts(facts, run.model->family, plan->tells_each);
	if (uncore_session_open(facts->target, facts->events, facts->num,
				&session, &error) ||
	    uncore_session_start(session, &error))
		fail_msg("%s", error);
	/* What was counted, and not what the session makes of it. */
	uncore_model_on_window(run.model, NULL, NULL);
	if (*plan->workload)
		run_workload(plan, run.model);
	else
		run_lot(plan, run.model);
	if (uncore_session_stop(session, &error) ||
	    uncore_session_read(session, &error))
		fail_msg("%s", error);
	for (size_t i = 0; uncore_session_count(session, i, &count); i++) {
		run.counts[count.event_index] += count.value;
		run.places[count.event_index] +=
			count.value *
			(1 + count.instance + count.socket * UINT64_C(100));
	}
	uncore_session_close(session);
	while (facts->num > 0)
		uncore_event_free(facts->events[--facts->num]);
	uncore_target_free(facts->target);
	return run;
}

/* How it can be run again by hand. */
static void say(const struct plan *plan)
{
	print_message("seed %llu: %s, %u sockets, %u accesses of each %u. "
		      "core %s:",
		      (unsigned long long)plan->seed, plan->machine,
		      plan->sockets, plan->num_accesses, plan->step,
		      plan->workload);
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

static unsigned differences_of_directory(const struct directory *a,
					 const struct directory *b)
{
	unsigned num = 0;

	for (uint64_t i = 0; a->regions && i < a->num_regions; i++)
		if (a->regions[i] || b->regions[i])
			for (uint64_t n = 0; n < DIRECTORY_REGION; n++) {
				uint64_t line = i * DIRECTORY_REGION + n;

				num += directory_get(a, line) !=
				       directory_get(b, line);
			}
	return num;
}

/* What the home knows of lines that other nodes have; what a slice that does
 * not include what cores have has of them. */
static unsigned differences_of_ep(const struct ep *ep_a, const struct ep *ep_b,
				  unsigned socket)
{
	const struct ep_socket *a = &ep_a->sockets[socket];
	const struct ep_socket *b = &ep_b->sockets[socket];
	unsigned num = differences_of_directory(&a->directory, &b->directory);

	for (unsigned i = 0; i < ep_a->num_slices; i++) {
		const struct cbo *of_a = a->cbos[i], *of_b = b->cbos[i];

		for (size_t n = 0; n < llc_num_entries(&of_a->llc); n++)
			num += cbo_has_data(of_a, llc_way(&of_a->llc, n)) !=
			       cbo_has_data(of_b, llc_way(&of_b->llc, n));
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

		for (unsigned slice = 0; slice < of_a->num_slices; slice++)
			num += differences_of_slice(of_a->llcs[slice],
						    of_b->llcs[slice], slice);
		if (is_ep(plan))
			num += differences_of_ep(of_a->ep, of_b->ep, i);
		for (unsigned side = 0; !is_ep(plan) && side < EX_SIDES; side++)
			num += differences_of_directory(
				&of_a->ex->sockets[i].homes[side]->directory,
				&of_b->ex->sockets[i].homes[side]->directory);
	}
	return num;
}

static const char *const processors[] = { "xeon-e7", "xeon-7500",
					  "xeon-e5-2600", "xeon-e5-v4",
					  "xeon-scalable-1" };
enum { NUM_MACHINES = sizeof(processors) / sizeof(processors[0]) };

/* Both ways: what goes through the engine, of a hundred. */
static const char *const shares[] = { "0.01", "5", "20", "50" };
enum { NUM_SHARES = sizeof(shares) / sizeof(shares[0]) };

static void choose_machine(struct plan *plan)
{
	static const uint8_t sizes[] = { 6, 12, 24, 96 };
	unsigned cores;

	if (is_scalable(plan)) {
		plan->sockets = 1u << draw(plan, 3);
		cores = 1 + draw(plan, 8);
		if (!draw(plan, 3)) {
			cores += cores % 2;
			set(plan, "snc=2");
		} else if (draw(plan, 2)) {
			set(plan, "chas=%u", cores + draw(plan, 8));
		}
		set(plan, "cores=%u", cores);
		set(plan, "filter.ways=%u", 2 + draw(plan, 11));
		set(plan, "llc.ways=%u", 2 + draw(plan, 10));
		set(plan, "ha.osb_requests=%u", draw(plan, 2) * 64);
		set(plan, "ha.upi_prefetch=%s", draw(plan, 2) ? "on" : "off");
		set(plan, "memory.size=6"); /* the directory is compared */
	} else if (is_ep(plan)) {
		static const char *const snoops[] = { "source", "home",
						      "directory", "cod" };
		bool is_old = !strcmp(plan->machine, "xeon-e5-2600");

		plan->sockets = 1u << draw(plan, 2);
		set(plan, "ha.snoop=%s", snoops[draw(plan, 4 - is_old)]);
		if (!is_old)
			set(plan, "ha.osb_requests=%u", draw(plan, 2) * 64);
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
	plan.step = 1 + draw(&plan, 4) * (1 + draw(&plan, 6));
	plan.tells_each = draw(&plan, 2);
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

static uint64_t num_queued(const struct run *run)
{
	uint64_t num = 0;

	for (unsigned i = 0; i < NUM_QUEUED; i++)
		num += run->counts[run->facts.num_same + i];
	return num;
}

/* Facts that differ, said if so. */
static unsigned compare(const struct run *full, const struct run *quick)
{
	uint64_t may_differ = num_queued(full) + num_queued(quick);
	unsigned num = 0;

	for (unsigned i = 0; i < full->facts.num_same; i++) {
		bool is_memory = !strncmp(full->facts.texts[i], "imc/", 4);
		int64_t more = (int64_t)(full->counts[i] - quick->counts[i]);

		if (is_memory ? (uint64_t)llabs(more) <= may_differ
			      : full->places[i] == quick->places[i])
			continue;
		num++;
		print_message("%s: %llu in detail, %llu\n",
			      full->facts.texts[i],
			      (unsigned long long)full->counts[i],
			      (unsigned long long)quick->counts[i]);
	}
	return num;
}

enum { ROUNDS = 30, FIRST_IN_ANY_ORDER = 1000 };

/* All rounds from a seed on; how many of them failed. */
static unsigned failures(unsigned (*round)(unsigned seed), unsigned first)
{
	const char *only = getenv("UNCORE_SEED");
	unsigned seed = only ? (unsigned)strtoul(only, NULL, 0) : first;
	unsigned last = only ? seed + 1 : first + ROUNDS, num = 0;

	if (only && (seed >= FIRST_IN_ANY_ORDER) != (first > 0))
		return 0;
	if (!only && getenv("UNCORE_LONG"))
		last = first + ROUNDS * 10;
	for (; seed < last; seed++)
		num += round(seed) > 0;
	return num;
}

static unsigned go_both_ways(unsigned seed)
{
	struct plan plan = new_plan(seed % NUM_MACHINES, seed);
	struct plan quicker = quick_plan(&plan);
	static struct run full, quick;
	unsigned num;

	full = run(&plan);
	quick = run(&quicker);
	num = compare(&full, &quick);
	num += differences_of_state(&plan, &full, &quick);
	num += holders_in_conflict(quick.model, is_ep(&plan));
	if (num)
		say(&quicker);
	uncore_model_free(full.model);
	uncore_model_free(quick.model);
	return num;
}

static void test_both_ways_do_the_same(void **unused)
{
	(void)unused;
	assert_int_equal(failures(go_both_ways, 0), 0);
}

/* In any order: what one side counts is what the other does. */
static const struct law {
	const char *machines;
	const char *left[6], *right[6];
} laws[] = {
	/* what comes in drives something out, or finds the place empty */
	{ "xeon-7500 xeon-e7",
	  { "cbox/LLC_S_FILLS.M/", "cbox/LLC_S_FILLS.E/", "cbox/LLC_S_FILLS.S/",
	    "cbox/LLC_S_FILLS.F/" },
	  { "cbox/LLC_VICTIMS.M/", "cbox/LLC_VICTIMS.E/", "cbox/LLC_VICTIMS.S/",
	    "cbox/LLC_VICTIMS.F/", "cbox/LLC_VICTIMS.I/" } },
	/* a request is sent, comes in, and is acknowledged, once each */
	{ "xeon-7500 xeon-e7", { "cbox/TRANS_RWRF/" }, { "cbox/TRANS_IRQ/" } },
	{ "xeon-7500 xeon-e7", { "cbox/TRANS_IRQ/" }, { "cbox/MAF_ACK/" } },
	{ "xeon-7500 xeon-e7", { "cbox/SINKS_P2C.AD/" }, { "cbox/MAF_ACK/" } },
	/* who is asked answers */
	{ "xeon-7500 xeon-e7",
	  { "cbox/SINKS_C2P.IV/" },
	  { "cbox/TRANS_RSPF/" } },
	{ "xeon-7500 xeon-e7",
	  { "cbox/SNPS.REMOTE_RD/", "cbox/SNPS.REMOTE_RFO/" },
	  { "sbox/PKTS_RCVD_SNP/" } },
	/* what S-Boxes get as lines goes on as two slots */
	{ "xeon-7500 xeon-e7",
	  { "sbox/PKTS_RCVD_DRS_FROM_R/", "sbox/PKTS_RCVD_DRS_FROM_R/",
	    "sbox/PKTS_RCVD_DRS_FROM_B/", "sbox/PKTS_RCVD_DRS_FROM_B/" },
	  { "cbox/SINKS_S2C.BL/" } },
	/* memory does what its home asks for */
	{ "xeon-7500 xeon-e7",
	  { "mbox/FVC_EV0.BBOX_CMDS.READS/", "mbox/FVC_EV0.BBOX_CMDS.WRITES/" },
	  { "mbox/TRANS_CMDS/" } },
	{ "xeon-7500 xeon-e7",
	  { "mbox/INFLIGHT_CMDS/" },
	  { "mbox/TRANS_CMDS/" } },
	{ "xeon-e5-2600",
	  { "ha/REQUESTS.READS/", "ha/REQUESTS.WRITES/" },
	  { "ha/TRACKER_INSERTS.ALL/" } },
	/* what misses needs its home, which reads a line for each read */
	{ "xeon-scalable-1",
	  { "cha/REQUESTS.READS/", "cha/REQUESTS.INVITOE_LOCAL/",
	    "cha/REQUESTS.INVITOE_REMOTE/" },
	  { "cha/TOR_INSERTS.IA_MISS/" } },
	{ "xeon-scalable-1",
	  { "m2m/IMC_READS.NORMAL/" },
	  { "cha/REQUESTS.READS/" } },
	/* each comes in by its ring, and so does what a link asks for */
	{ "xeon-scalable-1",
	  { "m2m/RxC_AD_INSERTS/", "m2m/RxC_BL_INSERTS/" },
	  { "m2m/IMC_READS.ALL/", "m2m/IMC_WRITES.ALL/",
	    "m2m/PREFCAM_INSERTS/" } },
	{ "xeon-scalable-1",
	  { "cha/REQUESTS.WRITES/" },
	  { "cha/TOR_INSERTS.EVICT/" } },
	/* who is asked answers */
	{ "xeon-scalable-1",
	  { "cha/CORE_SNP.ANY_ONE/", "cha/CORE_SNP.ANY_GTONE/" },
	  { "cha/XSNP_RESP.ANY_RSP_HITFSE/", "cha/XSNP_RESP.ANY_RSPS_FWDFE/",
	    "cha/XSNP_RESP.ANY_RSPI_FWDFE/", "cha/XSNP_RESP.ANY_RSPS_FWDM/",
	    "cha/XSNP_RESP.ANY_RSPI_FWDM/" } },
	/* the directory is as the M2M says, too */
	{ "xeon-scalable-1",
	  { "cha/DIR_LOOKUP.SNP/", "cha/DIR_LOOKUP.NO_SNP/" },
	  { "m2m/DIRECTORY_LOOKUP.ANY/" } },
	{ "xeon-scalable-1",
	  { "cha/DIR_UPDATE.HA/", "cha/DIR_UPDATE.TOR/" },
	  { "m2m/DIRECTORY_UPDATE.ANY/" } },
};

static uint64_t sum_of(const struct run *run, const char *const texts[6])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 6 && texts[i]; i++) {
		unsigned n = 0;

		while (n < run->facts.num_same &&
		       strcmp(run->facts.texts[n], texts[i]))
			n++;
		if (n == run->facts.num_same)
			fail_msg("%s is no fact", texts[i]);
		sum += run->counts[n];
	}
	return sum;
}

static unsigned broken_laws(const struct plan *plan, const struct run *run)
{
	unsigned num = 0;

	for (unsigned i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
		const struct law *law = &laws[i];
		uint64_t left, right;

		if (!strstr(law->machines, plan->machine))
			continue;
		left = sum_of(run, law->left);
		right = sum_of(run, law->right);
		if (left == right)
			continue;
		num++;
		print_message("%s: %llu and %llu\n", law->left[0],
			      (unsigned long long)left,
			      (unsigned long long)right);
	}
	return num;
}

static void choose_workload(struct plan *plan)
{
	static const char *const workloads[] = {
		"random:shared=1,size=1M,count=300,write=30",
		"evict:size=128K,count=300",
		"upgrade:size=32K,passes=2",
		"stream:size=256K,op=triad,passes=2",
		"flush:op=write,size=16K,count=200",
		"ntstore:size=64K,passes=2",
		"ntstore:op=part,size=64K,passes=1",
		"pingpong:size=4K,count=200",
		"readshared:size=64K,passes=2",
		"rfo:size=128K,passes=2",
	};
	const unsigned num = sizeof(workloads) / sizeof(workloads[0]);

	snprintf(plan->workload, sizeof(plan->workload),
		 "%s,threads=%u,place=%s", workloads[draw(plan, num)],
		 2 + draw(plan, 7), draw(plan, 2) ? "scatter" : "compact");
	set(plan, "core.prefetch=%u", draw(plan, 2) * 15);
	if (is_ep(plan) && plan->seed % 4 < 2)
		set(plan, "core.llc_prefetch=%u", 2 + (unsigned)plan->seed % 8);
	if (is_scalable(plan)) {
		set(plan, "cores=8");
		set(plan, "chas=%u", 8 + draw(plan, 2) * 2);
	}
}

/* Many at once, whose order the clock decides. */
static unsigned go_in_any_order(unsigned seed)
{
	struct plan plan = new_plan(seed % NUM_MACHINES, seed);
	static struct run quick;
	unsigned num;

	choose_workload(&plan);
	plan = quick_plan(&plan);
	quick = run(&plan);
	num = broken_laws(&plan, &quick);
	num += holders_in_conflict(quick.model, is_ep(&plan));
	if (num)
		say(&plan);
	uncore_model_free(quick.model);
	return num;
}

static void test_laws_hold_in_any_order(void **unused)
{
	(void)unused;
	assert_int_equal(failures(go_in_any_order, FIRST_IN_ANY_ORDER), 0);
}

/* The accesses of a window, and its answers by class. */
struct balance {
	uint64_t begun[UNCORE_MODEL_CLASSES];
	unsigned num;
};

static void weigh(void *context, enum uncore_model_seam seam,
		  const uint64_t *classes)
{
	struct balance *balance = context;
	uint64_t answers = 0;

	for (unsigned i = 0; i < UNCORE_MODEL_CLASSES; i++)
		assert_true(classes[i] >= balance->begun[i]);
	if (seam == UNCORE_MODEL_WINDOW_ENDS) {
		for (unsigned i = 2; i < UNCORE_MODEL_CLASSES; i++)
			answers += classes[i] - balance->begun[i];
		assert_int_equal(classes[0] - balance->begun[0], answers);
		balance->num++;
	}
	memcpy(balance->begun, classes, sizeof(balance->begun));
}

/* Each access of a window is one of its classes, whatever is under way at its
 * edges, and none is taken back. */
static void test_a_window_has_an_answer_for_each_access(void **state)
{
	static const char *const workloads[] = {
		"stream:threads=4,size=4M,op=copy,passes=2",
		"random:threads=2,shared=1,size=8M,count=50000,write=0",
	};
	struct plan plan = { .sockets = 2 };
	static const char *const tried[] = { "xeon-e7", "xeon-e5-2600",
					     "xeon-scalable-1" };

	(void)state;
	if (getenv("UNCORE_SEED"))
		return;
	set(&plan, "detail.share=10");
	set(&plan, "detail.start=3000");
	set(&plan, "detail.window=300");
	set(&plan, "core.l2=256"); /* or a second pass asks for nothing */
	for (unsigned machine = 0; machine < 3; machine++)
		for (unsigned i = 0; i < 2; i++) {
			struct balance balance = { .num = 0 };
			struct uncore_model *model;

			plan.machine = tried[machine];
			snprintf(plan.workload, sizeof(plan.workload), "%s",
				 workloads[i]);
			model = new_model(&plan);
			uncore_model_on_window(model, weigh, &balance);
			run_workload(&plan, model);
			assert_true(balance.num > 20);
			uncore_model_free(model);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways_do_the_same),
		cmocka_unit_test(test_laws_hold_in_any_order),
		cmocka_unit_test(test_a_window_has_an_answer_for_each_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
