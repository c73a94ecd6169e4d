/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From the log into the timeline, and from there to those who want order: when
 * the log is full or somebody looks, and at once where a counter might overflow
 * by an entry and has to say so in the right cycle. When a signal has its first
 * listener who wants order, all that the log holds of it goes.
 */
#include "model/pmu/tap_bank.h"

/* More than any counter has room for, and sums of them do not overflow. */
#define MAX_WEIGHT (UINT64_C(1) << 49)

/* What n in each of so many cycles can add; an edge may add one more. */
static uint64_t weight_of(int32_t n, uint64_t cycles)
{
	uint64_t each = (uint64_t)(n < 0 ? -(int64_t)n : n), weight;

	if (__builtin_mul_overflow(each, cycles, &weight) ||
	    weight > MAX_WEIGHT)
		return MAX_WEIGHT;
	return weight + 1;
}

static void add_change(struct tap_bank *own, enum change_kind kind,
		       struct change change)
{
	change.kind = (uint8_t)kind;
	own->ordered[change.id].weight += change.weight;
	timeline_put(&own->timeline, change);
}

/* It is n more from `from` on, and as before from `to` on. */
static void add_level(struct tap_bank *own, struct change change, uint64_t from,
		      uint64_t to, bool is_filtered)
{
	enum change_kind up = is_filtered ? CHANGE_HEADER_UP : CHANGE_UP;
	enum change_kind down = is_filtered ? CHANGE_HEADER_DOWN : CHANGE_DOWN;
	bool is_up = change.n >= 0;
	uint64_t weight = change.weight;

	change.due = from;
	change.weight = 0;
	add_change(own, is_up ? up : down, change);
	change.due = to;
	change.weight = weight;
	change.n = -change.n;
	add_change(own, is_up ? down : up, change);
}

static void order_entry(struct tap_bank *own, const struct sig_entry *entry)
{
	struct change change = {
		.due = entry->to,
		.requester = entry->requester,
		.n = entry->n,
		.id = entry->id,
	};

	if (entry->from >= entry->to)
		return;
	change.weight = weight_of(entry->n, entry->to - entry->from);
	if (entry->kind == SIG_LEVEL)
		add_level(own, change, entry->from, entry->to, false);
	else
		add_change(own,
			   entry->kind == SIG_PACKET ? CHANGE_PACKET
						     : CHANGE_PULSE,
			   change);
}

/* A level that has begun is taken by who begins to listen. */
static void order_packet(struct tap_bank *own, struct packet_entry *packet)
{
	struct change change = {
		.due = packet->to,
		.requester = packet->requester,
		.header = packet->header,
		.n = packet->n ? packet->n : packet->header.flits,
		.id = packet->id,
	};

	packet->is_ordered = true;
	change.weight = weight_of(change.n, packet->to - packet->from) + 1;
	if (!packet->n)
		add_change(own, CHANGE_HEADER, change);
	else if (packet->from < packet->to)
		add_level(own, change, packet->from, packet->to, true);
}

static void forget(struct sig_entry *entry)
{
	entry->from = entry->to = 0;
}

static void see_log(struct tap_bank *own)
{
	while (own->seen != own->bank.log_next) {
		struct sig_entry *entry = own->seen++;

		if (!own->num_ordered[entry->id])
			continue;
		order_entry(own, entry);
		forget(entry);
		if (own->num_urgent)
			tap_expect(own, entry->id);
	}
}

static void see_packets(struct tap_bank *own)
{
	while (own->seen_packets < own->num_packets) {
		struct packet_entry *packet =
			&own->packets[own->seen_packets++];

		if (!own->num_ordered[packet->id])
			continue;
		order_packet(own, packet);
		if (own->num_urgent)
			tap_expect(own, packet->id);
	}
}

void log_see(struct tap_bank *own)
{
	log_to_cycles(own);
	if (!own->total_ordered) {
		own->seen = own->bank.log_next;
		own->seen_packets = own->num_packets;
	}
	see_packets(own);
	see_log(own);
}

void log_work_off(struct tap_bank *own)
{
	uint64_t now = bank_now(own);
	struct change change;

	log_see(own);
	while (timeline_take(&own->timeline, now, &change)) {
		tap_change(own, &change);
		own->ordered[change.id].weight -= change.weight;
	}
}

/* Order is wanted from now on */

static void move_entry(struct tap_bank *own, struct sig_entry *entry,
		       uint64_t now, struct part *part)
{
	struct sig_entry rest = *entry;

	log_add_entry(part, entry, now);
	forget(entry);
	if (rest.from < now)
		rest.from = now;
	order_entry(own, &rest);
}

/* All of the signal goes from the log into the timeline. */
static void move_all(struct tap_bank *own, unsigned id)
{
	uint64_t now = bank_now(own);
	struct kept *kept = kept_at(own, id);
	struct part part = { 0 };

	for (struct sig_entry *e = own->log; e != own->bank.log_next; e++)
		if (e->id == id)
			move_entry(own, e, now, &part);
	for (unsigned i = 0; i < own->num_packets; i++)
		if (own->packets[i].id == id && !own->packets[i].is_ordered &&
		    own->packets[i].to > now)
			order_packet(own, &own->packets[i]);
	own->late[id] += part.total;
	if (kept) {
		kept_pass(kept, now);
		kept->sums.last += part.last;
	}
	own->parts_at = SIM_NEVER;
}

void log_order_begin(struct tap_bank *own, unsigned id)
{
	log_work_off(own);
	own->total_ordered++;
	if (!own->num_ordered[id]++)
		move_all(own, id);
	log_work_off(own);
	log_set_end(own);
}

void log_order_end(struct tap_bank *own, unsigned id)
{
	own->num_ordered[id]--;
	own->total_ordered--;
	log_set_end(own);
}
