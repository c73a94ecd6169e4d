/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Streams of packets through an S-Box: in order of their arrival they leave
 * when a box that is stepped cycle by cycle says so, and count
 * what it counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signals.h"
#include "tests/nehalem-ex/agent_rig.h"

enum { START = 1000 };

/* A stream to the B-Box, against a slow second way */

enum { STREAM = 4000, VNA = 8, BBOX_CYCLES = 12 };

struct slow_out {
	uint64_t ready[STREAM];
	unsigned first, end;	/* of those in the queue */
	uint64_t vna[VNA], vn0; /* when they are back */
	uint64_t sent;		/* the last one */
	uint64_t retry;
	bool is_refused, is_bypassed;
	uint64_t left[STREAM];
	unsigned no_vna, no_hom, bypasses;
};

static uint64_t *slow_credit(struct slow_out *out, uint64_t at)
{
	for (unsigned i = 0; i < VNA; i++)
		if (out->vna[i] <= at)
			return &out->vna[i];
	out->no_vna++;
	return out->vn0 <= at ? &out->vn0 : NULL;
}

static void slow_refuse(struct slow_out *out)
{
	uint64_t back = out->vn0;

	for (unsigned i = 0; i < VNA; i++)
		if (out->vna[i] < back)
			back = out->vna[i];
	out->no_hom++;
	out->is_bypassed = false;
	out->retry = back + 1;
}

static void slow_out_step(struct slow_out *out, uint64_t at)
{
	uint64_t *credit;

	if (out->first == out->end || out->ready[out->first] > at ||
	    out->sent >= at || out->retry > at)
		return;
	credit = slow_credit(out, at);
	if (!credit) {
		slow_refuse(out);
		return;
	}
	*credit = at + BBOX_CYCLES;
	out->sent = at;
	out->bypasses += out->is_bypassed;
	out->is_bypassed = false;
	out->left[out->first++] = at;
}

static void slow_out_arrives(struct slow_out *out, uint64_t at)
{
	bool is_bypassed = out->first == out->end && out->sent < at;

	out->ready[out->end++] = at + (is_bypassed ? 4 : 6);
	out->is_bypassed |= is_bypassed;
}

/* `burst`: how many come in a row, at most, before there is a pause. */
static void stream_to_the_bbox(unsigned burst)
{
	static struct slow_out slow;
	uint64_t at = START, taken, there[STREAM];
	unsigned sent = 0, left = burst;

	memset(&slow, 0, sizeof(slow));
	rig_start(1, NULL, true);
	for (; slow.first < STREAM; at++) {
		struct packet packet = rig_request(NODE_BBOX(0, 0));

		slow_out_step(&slow, at);
		for (; sent < STREAM && left && !dice(2); left--) {
			slow_out_arrives(&slow, at);
			rig_at(at);
			there[sent++] = agent_send(rig_agent(0, 0), &packet, at,
						   &taken);
			assert_int_equal(taken, at);
		}
		if (!left && !dice(20))
			left = dice(burst) + 1;
	}
	for (unsigned i = 0; i < STREAM; i++)
		assert_int_equal(there[i], slow.left[i]);
	rig_at(at + START);
	SUM(NO_CREDIT_VNA_BBOX, slow.no_vna);
	SUM(NO_CREDIT_HOM, slow.no_hom);
	SUM(BBOX_HOM_BYPASS, slow.bypasses);
	assert_true(slow.bypasses > 0 && slow.no_vna > slow.no_hom);
	rig_end();
}

static void a_stream_to_the_bbox(void **state)
{
	(void)state;
	rig_seed(1);
	for (unsigned burst = 12; burst <= 48; burst += 12)
		stream_to_the_bbox(burst);
}

/* A stream of lines to the ring, against a slow second way */

enum { LINES = 4000, R2S_ROOM = 8, EGRESS_ROOM_LINES = 4 };

struct slow_egress {
	uint64_t injected[2 * LINES];
	unsigned num;
	uint64_t free_at;
};

struct slow_in {
	struct slow_egress egress[NUM_RING_DIRECTIONS];
	uint64_t ready[LINES], left[LINES], slice[LINES], core[LINES];
	unsigned cbox[LINES], to[LINES];
	unsigned first, end;
	uint64_t pump_free, retry;
	bool is_half, was_refused[2];
	unsigned no_bl, halves;
};

static unsigned slow_waiting(const struct slow_egress *egress, uint64_t at)
{
	unsigned num = 0;

	for (unsigned i = egress->num; i-- && egress->injected[i] > at;)
		num++;
	return num;
}

static uint64_t slow_inject(struct slow_egress *egress, uint64_t at)
{
	if (egress->free_at < at)
		egress->free_at = at;
	egress->injected[egress->num++] = egress->free_at;
	egress->free_at += 2;
	return egress->free_at - 1 + RIG_RING_CYCLES;
}

/* One of its two ways has no room: it looks again a cycle after the next one of
 * those who wait there has gone. */
static bool slow_has_room(struct slow_in *in, unsigned way, unsigned core,
			  uint64_t at)
{
	struct slow_egress *egress = &in->egress[rig_direction(0, core)];
	unsigned num = slow_waiting(egress, at);

	if (num < EGRESS_ROOM_LINES)
		return true;
	in->no_bl += !in->was_refused[way];
	in->was_refused[way] = true;
	in->is_half = false;
	in->retry = egress->injected[egress->num - num] + 1;
	return false;
}

static void slow_in_step(struct slow_in *in, uint64_t at)
{
	unsigned n = in->first;

	if (n == in->end || in->ready[n] > at || in->pump_free > at ||
	    in->retry > at || !slow_has_room(in, 0, in->cbox[n], at) ||
	    !slow_has_room(in, 1, in->to[n], at))
		return;
	in->slice[n] =
		slow_inject(&in->egress[rig_direction(0, in->cbox[n])], at);
	in->core[n] = slow_inject(&in->egress[rig_direction(0, in->to[n])], at);
	in->left[n] = at;
	in->pump_free = at + 2;
	in->halves += in->is_half;
	in->is_half = in->was_refused[0] = in->was_refused[1] = false;
	in->first++;
}

static void slow_in_arrives(struct slow_in *in, uint64_t at, unsigned cbox,
			    unsigned core)
{
	bool is_half = in->first == in->end && in->pump_free <= at &&
		       !slow_waiting(&in->egress[rig_direction(0, cbox)], at) &&
		       !slow_waiting(&in->egress[rig_direction(0, core)], at);

	in->cbox[in->end] = cbox;
	in->to[in->end] = core;
	in->ready[in->end++] = at + (is_half ? 4 : 6);
	in->is_half |= is_half;
}

static void a_stream_of_lines(void **state)
{
	static struct slow_in slow;
	static uint64_t slice[LINES], core_at[LINES], left[LINES];
	struct agent *agent;
	uint32_t number;
	uint64_t at = START;
	unsigned n = 0, entry, refused = 0;

	(void)state;
	rig_seed(2);
	rig_start(2, NULL, true);
	agent = rig_agent(0, 0);
	entry = agent_take(&rig.ex, agent, 1, at, false, &number);
	for (; slow.first < LINES; at++) {
		bool has_room = agent_room_from(&rig.ex, agent, PACKET_DRS,
						false, at) == at;

		slow_in_step(&slow, at);
		assert_int_equal(has_room, slow.end - slow.first < R2S_ROOM);
		refused += !has_room;
		rig_at(at);
		if (n < LINES && has_room && !dice(at / 512 % 2 ? 2 : 12)) {
			struct packet packet = rig_line(NODE_BBOX(1, 0), entry);
			unsigned core = dice(10);

			packet.cbox = (uint8_t)dice(5);
			slow_in_arrives(&slow, at, packet.cbox, core);
			slice[n] = agent_deliver(agent, &packet, at, false, 0,
						 (int)core, &core_at[n]);
			left[n++] = agent_left(agent);
		}
	}
	for (n = 0; n < LINES; n++) {
		assert_int_equal(left[n], slow.left[n]);
		assert_int_equal(slice[n], slow.slice[n]);
		assert_int_equal(core_at[n], slow.core[n]);
	}
	rig_at(at + START);
	SUM(NO_CREDIT_BL, slow.no_bl);
	SUM(HALFLINE_BYPASS, slow.halves);
	assert_true(slow.no_bl > 100 && slow.halves > 100 && refused > 100);
	rig_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_to_the_bbox),
		cmocka_unit_test(a_stream_of_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
