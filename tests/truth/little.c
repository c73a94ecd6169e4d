/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Little's law for every queue, under a crowd. The machine goes on cycle by
 * cycle, and after each the entries of all queues are counted in the boxes' own
 * tables: the sum is the time that all entries have stayed. The PMU, which sees
 * only signals, counts the same run again, queue by queue: its occupancy is
 * that time, to the cycle; divided by the entries that it counts it is how long
 * each stays. See docs/laws.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lab.h"
#include "model/model.h"
#include "model/truth/queues.h"

enum { CYCLES = 12000, MAX_QUEUES = 64 };

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
	  .workload = "random:threads=12,shared=1,place=scatter,size=256K,"
		      "write=40+io:threads=2,count=1000+"
		      "ipi:threads=2,count=1000+"
		      "dma:size=64K,count=1000,gap=20",
	  .settings = { TIGHT } },
	{ .sockets = 4,
	  .cycles = CYCLES,
	  .workload = "random:threads=30,shared=1,place=scatter,size=64K,"
		      "write=40",
	  .settings = { TIGHT, "bbox.directory=on" } },
};

/* Adds what is in each queue now. */
static void add_lengths(const struct socket *socket, uint64_t time[MAX_QUEUES])
{
	const struct queue *queue;

	for (size_t q = 0; (queue = queue_at(q)); q++)
		for (unsigned i = 0; i < queue_instances(queue, socket); i++) {
			unsigned length = queue->length(socket, i);

			if (queue_level(queue, socket, i) != length)
				fail_msg("%s of box %u has %u entries, but "
					 "says %lld",
					 queue->name, i, length,
					 (long long)queue_level(queue, socket,
								i));
			time[q] += length;
		}
}

/* An R-Box to which nobody listens takes packets in when it needs them. */
static struct uncore_session *hear_rboxes(struct uncore_target *target)
{
	static struct uncore_event *event;
	struct uncore_session *session;
	char *error = NULL;

	if (!event && uncore_event_parse(uncore_target_family(target),
					 "rbox/EOT_OCCUPANCY.SNP,port=sbox0/",
					 &event, &error))
		fail_msg("%s", error);
	if (uncore_session_open(target, &event, 1, &session, &error) ||
	    uncore_session_start(session, &error))
		fail_msg("%s", error);
	return session;
}

/* Entries of each queue, added up over all cycles. */
static void measure(const struct lab *lab, uint64_t time[MAX_QUEUES])
{
	struct lab start = *lab;
	struct uncore_model *model = lab_model(lab);
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_session *session = hear_rboxes(target);

	memset(time, 0, MAX_QUEUES * sizeof(*time));
	start.cycles = 1;
	for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
		if (cycle)
			uncore_model_run(model, 1);
		else
			lab_run(&start, model);
		for (unsigned s = 0; s < model->num_sockets; s++)
			add_lengths(model->sockets[s], time);
	}
	uncore_session_close(session);
	uncore_target_free(target);
	uncore_model_free(model);
}

static uint64_t count(const struct lab *lab, const struct queue *queue,
		      const char *event)
{
	static const char *const ports[] = {
		"qpi0",	 "qpi1",  "qpi2",  "qpi3",
		"sbox0", "sbox1", "bbox0", "bbox1"
	};
	uint64_t sum = 0;

	if (!event)
		return 0;
	if (queue->box != QUEUE_RBOX)
		return lab_count(lab, LAB_ALL, event);
	for (unsigned p = 0; p < 8; p++) {
		char text[100];

		snprintf(text, sizeof(text), "%.*s%s/",
			 (int)strcspn(event, "%"), event, ports[p]);
		sum += lab_count(lab, LAB_ALL, text);
	}
	return sum;
}

/* What the sub-counters of a machine may not have passed on yet: those of
 * B-Boxes 255 each, of S-Boxes and R-Box ports 127. */
static uint64_t kept(const struct lab *lab, const struct queue *queue)
{
	switch (queue->box) {
	case QUEUE_BBOX: return lab->sockets * 2 * 255;
	case QUEUE_SBOX: return lab->sockets * 2 * 127;
	case QUEUE_RBOX: return lab->sockets * 8 * 127;
	default: return 0;
	}
}

static void compare(const struct lab *lab, const struct queue *queue,
		    uint64_t time)
{
	uint64_t occupancy = count(lab, queue, queue->occupancy);
	uint64_t least = time > kept(lab, queue) ? time - kept(lab, queue) : 0;

	if (occupancy < least || occupancy > time)
		fail_msg("%s of %u sockets: entries stay %llu cycles, the PMU "
			 "says %llu",
			 queue->name, lab->sockets, (unsigned long long)time,
			 (unsigned long long)occupancy);
	/* what stays somewhere has come there */
	if (queue->entries && time > kept(lab, queue) &&
	    !count(lab, queue, queue->entries))
		fail_msg("%s of %u sockets: nothing has come to it",
			 queue->name, lab->sockets);
}

static uint64_t used[MAX_QUEUES]; /* by any crowd */

/* Whether there is an event for its occupancy. */
static bool is_seen(const struct queue *queue)
{
	char text[100];

	snprintf(text, sizeof(text), "%.*s%s",
		 (int)strcspn(queue->occupancy, "%"), queue->occupancy,
		 queue->box == QUEUE_RBOX ? "qpi0/" : "");
	return lab_has(text);
}

static void run(const struct lab *lab)
{
	uint64_t time[MAX_QUEUES];
	const struct queue *queue;

	measure(lab, time);
	for (size_t q = 0; (queue = queue_at(q)); q++) {
		used[q] += time[q];
		if (is_seen(queue))
			compare(lab, queue, time[q]);
	}
}

static void occupancy_is_the_time_that_entries_stay(void **state)
{
	(void)state;
	memset(used, 0, sizeof(used));
	for (size_t i = 0; i < sizeof(crowds) / sizeof(crowds[0]); i++)
		run(&crowds[i]);
}

/* Else the law would be about nothing. */
static void every_queue_was_used(void **state)
{
	const struct queue *queue;

	(void)state;
	for (size_t q = 0; (queue = queue_at(q)); q++)
		if (!used[q])
			fail_msg("%s stayed empty", queue->name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(occupancy_is_the_time_that_entries_stay),
		cmocka_unit_test(every_queue_was_used),
	};

	return LAB_RUN(tests);
}
