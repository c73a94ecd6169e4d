/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The log of what is published for cycles to come. Publishing is frequent and
 * writes one entry, whoever listens. When the log is full, what is past leaves
 * it; it grows until three quarters of it are past by then.
 */
#include <stdlib.h>

#include "model/pmu/tap_bank.h"
#include "model/sim/bug.h"

enum { FIRST_ROOM = 64 };

bool log_init(struct tap_bank *own)
{
	size_t num = own->bank.num_signals + 1;

	own->log_room = FIRST_ROOM;
	own->log = malloc(FIRST_ROOM * sizeof(*own->log));
	own->late = calloc(num, sizeof(*own->late));
	own->num_ordered = calloc(num, sizeof(*own->num_ordered));
	own->ordered = calloc(num, sizeof(*own->ordered));
	own->seen = own->fresh = own->bank.log_next = own->log;
	own->parts_at = own->settled = SIM_NEVER;
	log_set_end(own);
	return own->log && own->late && own->num_ordered && own->ordered;
}

void log_free(struct tap_bank *own)
{
	free(own->log);
	free(own->late);
	free(own->parts);
	free(own->num_ordered);
	free(own->ordered);
	free(own->packets);
	timeline_free(&own->timeline);
}

static void *grown(void *array, unsigned *room, size_t size)
{
	*room = *room ? *room * 2 : FIRST_ROOM;
	array = realloc(array, *room * size);
	if (!array)
		bug_no_memory();
	return array;
}

void log_set_end(struct tap_bank *own)
{
	own->bank.log_end = own->num_urgent ? own->bank.log_next + 1
					    : own->log + own->log_room;
}

void log_convert(struct tap_bank *own)
{
	for (; own->fresh != own->bank.log_next; own->fresh++) {
		struct sig_entry *entry = own->fresh;

		entry->from = bank_cycle(own, entry->from);
		entry->to = entry->kind == SIG_LEVEL
				    ? bank_cycle(own, entry->to)
				    : entry->from + 1;
	}
	for (; own->fresh_packets != own->num_packets; own->fresh_packets++) {
		struct packet_entry *packet = &own->packets[own->fresh_packets];

		packet->from = bank_cycle(own, packet->from);
		packet->to = packet->n ? bank_cycle(own, packet->to)
				       : packet->from + 1;
	}
}

/* This loop is what publishing costs beside the entry itself. */
static inline struct sig_entry *pick_live(struct sig_entry *log,
					  const struct sig_entry *end,
					  uint64_t now, uint64_t *sums)
{
	struct sig_entry *left = log;

#pragma GCC unroll 4
	for (struct sig_entry *entry = log; entry != end; entry++) {
		if (entry->to >= now)
			*left++ = *entry;
		else if (sums && entry->from < entry->to)
			sums[entry->id] +=
				(uint64_t)entry->n * (entry->to - entry->from);
	}
	return left;
}

static void clear_log(struct tap_bank *own)
{
	uint64_t now = bank_now(own);

	if (own->num_sums)
		own->seen =
			pick_live(own->log, own->bank.log_next, now, own->late);
	else
		own->seen = pick_live(own->log, own->bank.log_next, now, NULL);
	own->bank.log_next = own->fresh = own->seen;
	own->parts_at = SIM_NEVER;
}

static void make_room(struct tap_bank *own)
{
	unsigned num;

	if (log_is_ordered(own))
		log_work_off(own);
	clear_log(own);
	num = (unsigned)(own->bank.log_next - own->log);
	if (num > own->log_room / 4)
		own->log = grown(own->log, &own->log_room, sizeof(*own->log));
	own->bank.log_next = own->seen = own->fresh = own->log + num;
}

void sig_log_full(struct sigbank *bank)
{
	struct tap_bank *own = own_of(bank);

	log_to_cycles(own);
	if (own->num_urgent)
		log_see(own);
	if (bank->log_next == own->log + own->log_room)
		make_room(own);
	log_set_end(own);
}

struct sig_entry log_filtered(const struct packet_entry *packet,
			      const struct filter *filter)
{
	struct sig_entry entry = { .from = packet->from,
				   .to = packet->to,
				   .kind = packet->n ? SIG_LEVEL : SIG_PULSE };

	if (!packet->n)
		entry.n = (int32_t)filter_count(filter, &packet->header);
	else if (filter_passes(filter, &packet->header))
		entry.n = packet->n;
	return entry;
}

static void clear_packets(struct tap_bank *own)
{
	uint64_t now = bank_now(own);
	unsigned num = 0;

	for (unsigned i = 0; i < own->num_packets; i++) {
		struct packet_entry *packet = &own->packets[i];
		struct filter_sum *sum = own->filter_sums[packet->id];

		if (packet->to >= now) {
			own->packets[num++] = *packet;
			continue;
		}
		for (; sum; sum = sum->next)
			sum->late +=
				(uint64_t)log_filtered(packet, &sum->filter).n *
				(packet->to - packet->from);
	}
	own->num_packets = own->seen_packets = own->fresh_packets = num;
}

static void make_packet_room(struct tap_bank *own)
{
	log_to_cycles(own);
	log_work_off(own);
	clear_packets(own);
	if (own->num_packets >= own->packet_room / 4)
		own->packets = grown(own->packets, &own->packet_room,
				     sizeof(*own->packets));
}

static void keep_packet(struct tap_bank *own, const struct packet_entry *packet)
{
	if (own->num_packets == own->packet_room)
		make_packet_room(own);
	own->packets[own->num_packets++] = *packet;
}

void sig_packet_at(struct sigbank *bank, unsigned id, uint64_t time,
		   const struct sig_header *header)
{
	const struct packet_entry packet = {
		.from = time,
		.to = time + 1,
		.requester = sim_requester(bank->sim),
		.header = *header,
		.id = (uint16_t)id,
	};

	keep_packet(own_of(bank), &packet);
	sig_log(bank, time, time + 1, id, SIG_PACKET, 1);
}

void sig_span_packet(struct sigbank *bank, unsigned id, uint64_t from,
		     uint64_t to, int n, const struct sig_header *header)
{
	const struct packet_entry packet = {
		.from = from,
		.to = to,
		.requester = sim_requester(bank->sim),
		.header = *header,
		.n = n,
		.id = (uint16_t)id,
	};

	if (from >= to)
		return;
	keep_packet(own_of(bank), &packet);
	sig_log(bank, from, to, id, SIG_LEVEL, n);
}

void sig_past(struct sigbank *bank, unsigned id, uint64_t n)
{
	own_of(bank)->late[id] += n;
}

void sig_past_packets(struct sigbank *bank, unsigned id, uint64_t n,
		      const struct sig_header *header)
{
	struct tap_bank *own = own_of(bank);

	own->late[id] += n;
	for (struct filter_sum *sum = own->filter_sums[id]; sum;
	     sum = sum->next)
		sum->late += n * filter_count(&sum->filter, header);
}

bool sig_is_address_seen(struct sigbank *bank, unsigned id)
{
	for (struct filter_sum *sum = own_of(bank)->filter_sums[id]; sum;
	     sum = sum->next)
		if (sum->filter.care.address)
			return true;
	for (struct sig_tap *tap = own_of(bank)->taps[id]; tap; tap = tap->next)
		if (tap->is_urgent && tap->filter && tap->filter->care.address)
			return true;
	return false;
}
