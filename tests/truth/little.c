/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Little's law for every queue, under a crowd. The PMU counts a queue while the
 * machine goes on cycle by cycle, and after each cycle the level that the
 * queue's signals had in it is looked at: the sum of these is the time that all
 * entries have stayed, and the occupancy that was counted is that time, to the
 * cycle. No queue ever holds less than nothing, or more than it has places. See
 * docs/proof.md.
 *
 * What uncore_model_levels() shows is the present cycle, before anything has
 * happened in it: an entry that comes in a cycle, and was not known before, is
 * shown from the next one on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab.h"
#include "model/model.h"
#include "model/pmu/tap.h"
#include "table/table.h"

/* Instead of a parameter: not known, or 1. */
enum { NO_ROOM = NUM_PARAMS, ONE_PLACE };

enum { CYCLES = 12000, SHORTER = 3, ANY_INDEX = -1, SOME_FVID = 3 };

/* Boxes of a socket, ports of an R-Box, or queues of both S-Boxes that there
 * are for each C-Box. */
enum { MAX_PLACES = 10, CBOXES = 5, PORTS = 8 };

/* What the sub-counter of an occupancy has not passed on yet, at most. */
enum { TALLY = 127, TRACKER = 255, TABLE = 31, ANSWERS = 3 };

struct queue {
	const char *name;
	const char *box;
	const char *occupancy;	/* the event that adds up its level */
	const char *entries;	/* the one that counts entries, or NULL */
	const char *signals[2]; /* the sum of these is its level */
	unsigned kept;
	unsigned room; /* enum param, of one queue */
	int index;     /* of signals that are arrays */
};

static const struct queue queues[] = {
	{ "IRQ",
	  "cbox",
	  "OCCUPANCY_IRQ",
	  "TRANS_IRQ",
	  { "occupancy_irq" },
	  0,
	  PARAM_CBOX_IRQ,
	  0 },
	{ "IPQ",
	  "cbox",
	  "OCCUPANCY_IPQ",
	  "TRANS_IPQ",
	  { "occupancy_ipq" },
	  0,
	  PARAM_CBOX_IPQ,
	  0 },
	{ "VIQ",
	  "cbox",
	  "OCCUPANCY_VIQ",
	  "TRANS_VIQ",
	  { "occupancy_viq" },
	  0,
	  PARAM_CBOX_VIQ,
	  0 },
	{ "MAF",
	  "cbox",
	  "OCCUPANCY_MAF",
	  "TRANS_MAF",
	  { "occupancy_maf" },
	  0,
	  PARAM_CBOX_MAF,
	  0 },
	{ "RWRF",
	  "cbox",
	  "OCCUPANCY_RWRF",
	  "TRANS_RWRF",
	  { "occupancy_rwrf" },
	  0,
	  PARAM_CBOX_RWRF,
	  0 },
	{ "RSPF",
	  "cbox",
	  "OCCUPANCY_RSPF",
	  "TRANS_RSPF",
	  { "occupancy_rspf" },
	  0,
	  PARAM_CBOX_RSPF,
	  0 },
	{ "request table",
	  "sbox",
	  "REQ_TBL_OCCUPANCY.ALL",
	  NULL,
	  { "req_tbl_local", "req_tbl_remote" },
	  TALLY,
	  PARAM_SBOX_REQUEST_TABLE,
	  0 },
	{ "HOM queue",
	  "sbox",
	  "TO_R_B_HOM_MSGQ_OCCUPANCY.RBBOX",
	  NULL,
	  { "to_r_b_hom_msgq_rbox", "to_r_b_hom_msgq_bbox" },
	  TALLY,
	  PARAM_SBOX_HOM_QUEUE,
	  0 },
	{ "SNP queue",
	  "sbox",
	  "TO_R_SNP_MSGQ_OCCUPANCY",
	  NULL,
	  { "to_r_snp_msgq" },
	  TALLY,
	  PARAM_SBOX_SNP_QUEUE,
	  0 },
	{ "NDR queue",
	  "sbox",
	  "TO_R_NDR_MSGQ_OCCUPANCY",
	  "PKTS_SENT_NDR",
	  { "to_r_ndr_msgq" },
	  TALLY,
	  PARAM_SBOX_NDR_QUEUE,
	  0 },
	{ "DRS queues",
	  "sbox",
	  "TO_R_DRS_MSGQ_OCCUPANCY.ALL",
	  NULL,
	  { "to_r_drs_msgq" },
	  TALLY,
	  PARAM_SBOX_DRS_QUEUE,
	  ANY_INDEX },
	{ "NCB queues",
	  "sbox",
	  "TO_R_NCB_MSGQ_OCCUPANCY.ALL",
	  NULL,
	  { "to_r_ncb_msgq" },
	  TALLY,
	  PARAM_SBOX_NCB_QUEUE,
	  ANY_INDEX },
	{ "NCS queues",
	  "sbox",
	  "TO_R_NCS_MSGQ_OCCUPANCY.ALL",
	  NULL,
	  { "to_r_ncs_msgq" },
	  TALLY,
	  PARAM_SBOX_NCS_QUEUE,
	  ANY_INDEX },
	{ "local NCS queues",
	  "sbox",
	  "TO_R_LOC_NCS_MSGQ_OCCUPANCY.ALL",
	  NULL,
	  { "to_r_loc_ncs_msgq" },
	  TALLY,
	  PARAM_SBOX_NCS_QUEUE,
	  ANY_INDEX },
	{ "ring SNP queue",
	  "sbox",
	  "TO_RING_MSGQ_OCCUPANCY.SNP",
	  "PKTS_RCVD_SNP",
	  { "to_ring_snp_msgq" },
	  TALLY,
	  PARAM_SBOX_RING_SNP_QUEUE,
	  0 },
	{ "ring NCS queue",
	  "sbox",
	  "TO_RING_MSGQ_OCCUPANCY.NCS",
	  NULL,
	  { "to_ring_ncs_msgq" },
	  TALLY,
	  PARAM_SBOX_RING_NC_QUEUE,
	  0 },
	{ "ring NCB queue",
	  "sbox",
	  "TO_RING_MSGQ_OCCUPANCY.NCB",
	  "PKTS_RCVD_NCB",
	  { "to_ring_ncb_msgq" },
	  TALLY,
	  PARAM_SBOX_RING_NC_QUEUE,
	  0 },
	{ "ring NDR queue",
	  "sbox",
	  "TO_RING_NDR_MSGQ_OCCUPANCY",
	  "PKTS_RCVD_NDR",
	  { "to_ring_ndr_msgq" },
	  TALLY,
	  PARAM_SBOX_RING_NDR_QUEUE,
	  0 },
	{ "ring R2S queue",
	  "sbox",
	  "TO_RING_R2S_MSGQ_OCCUPANCY",
	  "PKTS_RCVD_DRS_FROM_R",
	  { "to_ring_r2s_msgq" },
	  TALLY,
	  PARAM_SBOX_RING_R2S_QUEUE,
	  0 },
	{ "ring B2S queue",
	  "sbox",
	  "TO_RING_B2S_MSGQ_OCCUPANCY",
	  "PKTS_RCVD_DRS_FROM_B",
	  { "to_ring_b2s_msgq" },
	  TALLY,
	  PARAM_SBOX_RING_B2S_QUEUE,
	  0 },
	{ "tracker",
	  "bbox",
	  "TF_ALL",
	  NULL,
	  { "tf_all" },
	  TRACKER,
	  PARAM_BBOX_TRACKER,
	  0 },
	{ "tracker, hubs",
	  "bbox",
	  "TF_IOH",
	  NULL,
	  { "tf_ioh" },
	  TRACKER,
	  PARAM_IO_TRACKER,
	  0 },
	{ "IMT",
	  "bbox",
	  "IMT_VALID_OCCUPANCY",
	  "IMT_INSERTS_ALL",
	  { "imt_valid_occupancy" },
	  TABLE,
	  PARAM_BBOX_IMT,
	  0 },
	{ "DRSQ",
	  "bbox",
	  "DRSQ_OCCUPANCY",
	  "DRSQ_INSERTS",
	  { "drsq_occupancy" },
	  ANSWERS,
	  NO_ROOM,
	  0 },
	{ "SNPOQ",
	  "bbox",
	  "SNPOQ_OCCUPANCY",
	  "SNPOQ_INSERTS",
	  { "snpoq_occupancy" },
	  TRACKER,
	  NO_ROOM,
	  0 },
	{ "scheduler queue, index 3",
	  "mbox",
	  "BCMD_SCHEDQ_OCCUPANCY.ALL,fvid=3",
	  NULL,
	  { "schedq_all" },
	  0,
	  ONE_PLACE,
	  SOME_FVID },
	{ "overflow table, HOM",
	  "rbox",
	  "EOT_OCCUPANCY.HOM_VN0",
	  "EOT_INSERTS.HOM_VN0",
	  { "eot_depth_hom_vn0", "eot_depth_hom_vn1" },
	  TALLY,
	  NO_ROOM,
	  0 },
	{ "overflow table, SNP",
	  "rbox",
	  "EOT_OCCUPANCY.SNP",
	  "EOT_INSERTS.SNP",
	  { "eot_depth_snp" },
	  TALLY,
	  NO_ROOM,
	  0 },
	{ "overflow table, NDR",
	  "rbox",
	  "EOT_OCCUPANCY.NDR",
	  "EOT_INSERTS.NDR",
	  { "eot_depth_ndr" },
	  TALLY,
	  NO_ROOM,
	  0 },
	{ "overflow table, DRS",
	  "rbox",
	  "EOT_OCCUPANCY.DRS_VN0",
	  "EOT_INSERTS.DRS_VN0",
	  { "eot_depth_drs_vn0", "eot_depth_drs_vn1" },
	  TALLY,
	  NO_ROOM,
	  0 },
};

enum { NUM_QUEUES = sizeof(queues) / sizeof(queues[0]) };

#define TIGHT                                                                  \
	"llc.slice=12", "llc.ways=4", "cbox.maf=6", "rbox.vna=60",             \
		"sbox.ring_ndr_queue=2", "rbox.entry_table=1"

static const struct lab crowds[] = {
	{ .sockets = 1,
	  .cycles = CYCLES,
	  .workload = "random:threads=2,shared=1,size=256K,write=40+"
		      "io:threads=2,count=1000+ipi:threads=2,count=1000+"
		      "lock:threads=2,count=1000+"
		      "dma:size=64K,count=1000,gap=20",
	  .settings = { TIGHT } },
	{ .sockets = 2,
	  .cycles = CYCLES,
	  .workload = "random:threads=6,shared=1,place=scatter,size=256K,"
		      "write=40+random:threads=6,shared=1,size=4K,write=40+io:"
		      "threads=2,count=1000+"
		      "ipi:threads=2,count=1000+"
		      "dma:size=64K,count=1000,gap=20",
	  .settings = { TIGHT } },
	{ .sockets = 4,
	  .cycles = CYCLES,
	  .workload = "random:threads=30,shared=1,place=scatter,size=64K,"
		      "write=40",
	  .settings = { TIGHT, "bbox.directory=on" } },
};

/* The level of a queue as it is at present, and as it was in the last cycle. */
enum { PRESENT, PASSED, NUM_VIEWS };

/* A signal of a queue. */
struct seen {
	struct sigbank *bank;
	struct tap_wish wish;
	unsigned socket, queue, place;
};

enum { MAX_SEEN = 4 * NUM_QUEUES * 2 * MAX_PLACES };

/* Who looks: at one socket in one cycle, and over all cycles. */
struct watch {
	struct seen seen[MAX_SEEN];
	size_t num;
	int64_t levels[NUM_VIEWS][NUM_QUEUES][MAX_PLACES];
	uint64_t time[NUM_VIEWS][NUM_QUEUES];
	uint64_t last[NUM_QUEUES]; /* at present */
};

static unsigned place_of(const struct uncore_model_level *level, int index)
{
	if (level->num_ports > 1)
		return level->port;
	if (index == ANY_INDEX)
		return level->instance * CBOXES + level->index;
	return level->instance;
}

static bool is_of(const struct queue *queue,
		  const struct uncore_model_level *level)
{
	if (strcmp(queue->box, level->box))
		return false;
	if (queue->index != ANY_INDEX && (unsigned)queue->index != level->index)
		return false;
	for (unsigned i = 0; i < 2 && queue->signals[i]; i++)
		if (!strcmp(queue->signals[i], level->name))
			return true;
	return false;
}

/* Whose signal it is, or NUM_QUEUES. */
static unsigned queue_of(const struct uncore_model_level *level)
{
	unsigned q = 0;

	while (q < NUM_QUEUES && !is_of(&queues[q], level))
		q++;
	return q;
}

static void see(struct watch *watch, struct sigbank *bank, unsigned id,
		unsigned socket, const struct uncore_model_level *level)
{
	struct seen *seen = &watch->seen[watch->num];
	unsigned q = queue_of(level);

	if (q == NUM_QUEUES)
		return;
	assert_in_range(watch->num, 0, MAX_SEEN - 1);
	*seen = (struct seen){
		.bank = bank,
		.wish = { .signal = (uint16_t)id },
		.socket = socket,
		.queue = q,
		.place = place_of(level, queues[q].index),
	};
	assert_in_range(seen->place, 0, MAX_PLACES - 1);
	assert_true(tap_sums_begin(bank, &seen->wish));
	watch->num++;
}

static void see_box(struct watch *watch, struct sigbank *bank, unsigned socket,
		    const struct uc_box *box, unsigned instance)
{
	struct uncore_model_level level = { .box = box->name,
					    .instance = instance,
					    .num_ports = box->num_ports };

	for (unsigned i = 0; i < box->num_signals; i++) {
		const struct uc_signal *signal = &box->signals[i];
		unsigned num = signal->dim * box->num_ports;

		level.name = signal->name;
		for (unsigned n = 0; n < num; n++) {
			level.index = n / box->num_ports;
			level.port = n % box->num_ports;
			see(watch, bank, signal->first * box->num_ports + n,
			    socket, &level);
		}
	}
}

/* All signals of all queues. */
static void begin(struct watch *watch, const struct uncore_model *model)
{
	memset(watch, 0, sizeof(*watch));
	for (unsigned s = 0; s < model->num_sockets; s++)
		for (unsigned b = 0; b < model->family->num_boxes; b++) {
			const struct uc_box *box = &model->family->boxes[b];

			for (unsigned n = 0; n < box->num_instances; n++) {
				struct pmu *pmu = model->sockets[s]->pmu;
				struct sigbank *bank = pmu_bank(pmu, b, n);

				if (bank)
					see_box(watch, bank, s, box, n);
			}
		}
}

static void visit(void *context, const struct uncore_model_level *level)
{
	struct watch *watch = context;
	unsigned q = queue_of(level);

	if (q == NUM_QUEUES)
		return;
	watch->levels[PRESENT][q][place_of(level, queues[q].index)] +=
		level->value;
	if (level->value < 0)
		fail_msg("%s holds %lld entries", queues[q].name,
			 (long long)level->value);
}

static int64_t room_of(const struct queue *queue, const struct socket *socket)
{
	if (queue->room == NO_ROOM)
		return INT64_MAX;
	if (queue->room == ONE_PLACE)
		return 1;
	return (int64_t)socket_param(socket, (enum param)queue->room) *
	       (queue->room == PARAM_IO_TRACKER ? socket->num_hubs : 1);
}

static void add_levels(struct watch *watch, unsigned view,
		       const struct socket *socket)
{
	for (unsigned q = 0; q < NUM_QUEUES; q++) {
		int64_t room = room_of(&queues[q], socket);

		for (unsigned i = 0; i < MAX_PLACES; i++) {
			int64_t level = watch->levels[view][q][i];

			if (level < 0 || level > room)
				fail_msg("%s of box %u holds %lld entries, but "
					 "has room for %lld",
					 queues[q].name, i, (long long)level,
					 (long long)room);
			watch->time[view][q] += (uint64_t)level;
			if (view == PRESENT)
				watch->last[q] += (uint64_t)level;
		}
	}
}

/* After a cycle. */
static void look(struct watch *watch, const struct uncore_model *model)
{
	const struct seen *seen = watch->seen;
	const struct seen *end = seen + watch->num;

	memset(watch->last, 0, sizeof(watch->last));
	for (unsigned s = 0; s < model->num_sockets; s++) {
		memset(watch->levels, 0, sizeof(watch->levels));
		uncore_model_levels(model, s, visit, watch);
		for (; seen < end && seen->socket == s; seen++)
			watch->levels[PASSED][seen->queue][seen->place] +=
				tap_sums(seen->bank, &seen->wish).last;
		for (unsigned view = 0; view < NUM_VIEWS; view++)
			add_levels(watch, view, model->sockets[s]);
	}
}

/* Events that are counted, and what each of them is. */
struct tally {
	struct uncore_event *events[NUM_QUEUES * 2 * PORTS];
	uint8_t queues[NUM_QUEUES * 2 * PORTS];
	bool is_entries[NUM_QUEUES * 2 * PORTS];
	size_t num;
	bool is_seen[NUM_QUEUES];	/* the machine has such an event */
	uint64_t counts[NUM_QUEUES][2]; /* occupancy, entries */
};

static void add_event(struct tally *tally, unsigned queue, const char *event,
		      bool is_entries, const char *port)
{
	char text[100];
	char *error = NULL;

	snprintf(text, sizeof(text), "%s/%s%s%s/", queues[queue].box, event,
		 *port ? ",port=" : "", port);
	if (!lab_has(text))
		return;
	if (uncore_event_parse(uncore_family_find(lab_machine), text,
			       &tally->events[tally->num], &error))
		fail_msg("%s", error);
	tally->queues[tally->num] = (uint8_t)queue;
	tally->is_entries[tally->num++] = is_entries;
	tally->is_seen[queue] |= !is_entries;
}

static void add_queue(struct tally *tally, unsigned queue)
{
	static const char *const ports[PORTS] = { "qpi0",  "qpi1",  "qpi2",
						  "qpi3",  "sbox0", "sbox1",
						  "bbox0", "bbox1" };
	bool has_ports = !strcmp(queues[queue].box, "rbox");

	for (unsigned i = 0; i < (has_ports ? PORTS : 1); i++) {
		const char *port = has_ports ? ports[i] : "";

		add_event(tally, queue, queues[queue].occupancy, false, port);
		if (queues[queue].entries)
			add_event(tally, queue, queues[queue].entries, true,
				  port);
	}
}

static void read_counts(struct tally *tally, struct uncore_session *session)
{
	struct uncore_count count;
	char *error = NULL;

	if (uncore_session_stop(session, &error) ||
	    uncore_session_read(session, &error))
		fail_msg("%s", error);
	for (size_t i = 0; uncore_session_count(session, i, &count); i++) {
		size_t event = count.event_index;

		if (!count.valid)
			fail_msg("%s", count.reason);
		tally->counts[tally->queues[event]][tally->is_entries[event]] +=
			count.value;
	}
}

static void run_watched(const struct lab *lab, struct uncore_model *model,
			struct watch *watch)
{
	struct lab start = *lab;

	start.cycles = 1;
	lab_run(&start, model);
	look(watch, model);
	for (unsigned cycle = 1; cycle < lab->cycles; cycle++) {
		uncore_model_run(model, 1);
		look(watch, model);
	}
}

/* Counts all queues, and watches them. */
static void measure(const struct lab *lab, struct tally *tally,
		    struct watch *watch)
{
	struct uncore_model *model = lab_model(lab);
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_session *session;
	char *error = NULL;

	if (uncore_session_open(target, tally->events, tally->num, &session,
				&error) ||
	    uncore_session_start(session, &error))
		fail_msg("%s", error);
	begin(watch, model);
	run_watched(lab, model, watch);
	read_counts(tally, session);
	uncore_session_close(session);
	for (size_t i = 0; i < tally->num; i++)
		uncore_event_free(tally->events[i]);
	uncore_target_free(target);
	uncore_model_free(model);
}

/* What the sub-counters of all boxes may not have passed on yet. */
static uint64_t kept(const struct lab *lab, const struct queue *queue)
{
	return lab->sockets * (strcmp(queue->box, "rbox") ? 2 : PORTS) *
	       queue->kept;
}

static unsigned num_faults;

/* The other queues are looked at, too. */
__attribute__((format(printf, 1, 2))) static void complain(const char *format,
							   ...)
{
	va_list args;

	va_start(args, format);
	vprint_error(format, args);
	va_end(args);
	num_faults++;
}

static void compare(const struct lab *lab, const struct tally *tally,
		    unsigned q, uint64_t time)
{
	const struct queue *queue = &queues[q];
	uint64_t occupancy = tally->counts[q][0];

	if (occupancy > time || occupancy + kept(lab, queue) < time)
		complain("%s of %u sockets: entries stay %llu cycles, the PMU "
			 "says %llu\n",
			 queue->name, lab->sockets, (unsigned long long)time,
			 (unsigned long long)occupancy);
	/* what stays somewhere has come there */
	if (queue->entries && time > kept(lab, queue) && !tally->counts[q][1])
		complain("%s of %u sockets: nothing has come to it\n",
			 queue->name, lab->sockets);
}

/* What is shown lacks a cycle of an entry at most, and is a cycle ahead. Of who
 * waits in the IRQ for another's miss it lacks a cycle each time that more of
 * that becomes known: some two in a hundred. */
static void compare_views(const struct tally *tally, const struct watch *watch,
			  unsigned q)
{
	uint64_t present = watch->time[PRESENT][q];
	uint64_t passed = watch->time[PASSED][q];

	if (present > passed + watch->last[q] ||
	    present + tally->counts[q][1] + passed / 50 < passed)
		complain("%s: entries stay %llu cycles, but %llu are shown\n",
			 queues[q].name, (unsigned long long)passed,
			 (unsigned long long)present);
}

static uint64_t used[NUM_QUEUES]; /* by any crowd */

static void run(const struct lab *lab)
{
	static struct tally tally;
	static struct watch watch;

	memset(&tally, 0, sizeof(tally));
	for (unsigned q = 0; q < NUM_QUEUES; q++)
		add_queue(&tally, q);
	measure(lab, &tally, &watch);
	for (unsigned q = 0; q < NUM_QUEUES; q++) {
		used[q] += watch.time[PASSED][q];
		if (tally.is_seen[q])
			compare(lab, &tally, q, watch.time[PASSED][q]);
		if (queues[q].entries && tally.is_seen[q])
			compare_views(&tally, &watch, q);
	}
}

static void occupancy_is_the_time_that_entries_stay(void **state)
{
	(void)state;
	memset(used, 0, sizeof(used));
	num_faults = 0;
	for (size_t i = 0; i < sizeof(crowds) / sizeof(crowds[0]); i++) {
		struct lab lab = crowds[i];

		/* of many sockets all is for the suite `long` */
		if (lab.sockets > 2 && !getenv("UNCORE_LONG"))
			lab.cycles /= SHORTER;
		run(&lab);
	}
	assert_int_equal(num_faults, 0);
}

/* Else the law would be about nothing. */
static void every_queue_was_used(void **state)
{
	(void)state;
	for (unsigned q = 0; q < NUM_QUEUES; q++)
		if (!used[q])
			fail_msg("%s stayed empty", queues[q].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(occupancy_is_the_time_that_entries_stay),
		cmocka_unit_test(every_queue_was_used),
	};

	return LAB_RUN(tests);
}
