/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a look adds up of the log: all that is past of its entries, in no order.
 * Looks are rare and mostly at many signals in the same cycle, so one walk
 * through the log is for all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "model/pmu/tap_bank.h"
#include "model/sim/bug.h"

static uint64_t times(int64_t n, uint64_t cycles)
{
	return (uint64_t)n * cycles;
}

void log_add_entry(struct part *part, const struct sig_entry *entry,
		   uint64_t now)
{
	uint64_t end = entry->to < now ? entry->to : now;

	if (entry->from < end)
		part->total += times(entry->n, end - entry->from);
	if (entry->from < now && now <= entry->to)
		part->last += entry->n;
	if (entry->kind == SIG_LEVEL && entry->from <= now && now < entry->to)
		part->level += entry->n;
}

static void add_up(struct tap_bank *own, uint64_t now)
{
	if (own->parts)
		memset(own->parts, 0,
		       own->bank.num_signals * sizeof(*own->parts));
	else
		own->parts = calloc(own->bank.num_signals, sizeof(*own->parts));
	if (!own->parts)
		bug_no_memory();
	for (const struct sig_entry *entry = own->log;
	     entry != own->bank.log_next; entry++)
		log_add_entry(&own->parts[entry->id], entry, now);
	own->parts_at = now;
	own->parts_end = own->bank.log_next;
}

const struct part *log_part(struct tap_bank *own, unsigned id)
{
	static const struct part nothing;
	uint64_t now = bank_now(own);

	log_to_cycles(own);
	if (own->bank.log_next == own->log)
		return &nothing;
	if (own->parts_at != now || own->parts_end != own->bank.log_next)
		add_up(own, now);
	return &own->parts[id];
}

struct part log_filtered_part(struct tap_bank *own, unsigned id,
			      const struct filter *filter)
{
	uint64_t now = bank_now(own);
	struct part part = { 0 };

	log_to_cycles(own);
	for (unsigned i = 0; i < own->num_packets; i++) {
		const struct packet_entry *packet = &own->packets[i];
		struct sig_entry entry;

		if (packet->id != id || packet->from > now)
			continue;
		entry = log_filtered(packet, filter);
		log_add_entry(&part, &entry, now);
	}
	return part;
}
