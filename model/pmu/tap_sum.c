/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Sums of signals, kept once for all who want them: in order what is published
 * for the present cycle and what comes through the timeline, in any order what
 * the log holds.
 */
#include "model/pmu/tap.h"

#include <stdlib.h>
#include <string.h>

#include "model/pmu/tap_bank.h"
#include "model/sim/bug.h"

void kept_pass(struct kept *kept, uint64_t now)
{
	uint64_t cycles = now - kept->at;
	int64_t first = kept->level + kept->pulses;

	if (!cycles)
		return;
	kept->sums.total +=
		(uint64_t)(first + kept->level * (int64_t)(cycles - 1));
	kept->sums.busy += first > 0;
	if (kept->level > 0)
		kept->sums.busy += cycles - 1;
	kept->sums.last = cycles == 1 ? first : kept->level;
	kept->pulses = 0;
	kept->at = now;
}

void tap_sums_free(struct tap_bank *own)
{
	for (unsigned id = 0; own->filter_sums && id < own->bank.num_signals;
	     id++) {
		while (own->filter_sums[id]) {
			struct filter_sum *sum = own->filter_sums[id];

			own->filter_sums[id] = sum->next;
			free(sum);
		}
	}
	free(own->filter_sums);
}

/* The place in the list where the sum is, or where it would be. */
static struct filter_sum **filter_sum_of(struct tap_bank *own,
					 const struct tap_wish *wish)
{
	struct filter_sum **link = &own->filter_sums[wish->signal];

	while (*link &&
	       memcmp(&(*link)->filter, wish->filter, sizeof(*wish->filter)))
		link = &(*link)->next;
	return link;
}

static struct kept *kept_of(struct tap_bank *own, const struct tap_wish *wish)
{
	struct filter_sum **link;

	if (!wish->filter && !own->kept)
		own->kept = calloc(own->bank.num_signals, sizeof(*own->kept));
	if (!wish->filter && !own->kept)
		bug_no_memory();
	if (!wish->filter)
		return &own->kept[wish->signal];
	link = filter_sum_of(own, wish);
	if (*link)
		return &(*link)->kept;
	*link = calloc(1, sizeof(**link));
	if (!*link)
		bug_no_memory();
	(*link)->filter = *wish->filter;
	return &(*link)->kept;
}

bool tap_sums_begin(struct sigbank *bank, const struct tap_wish *wish)
{
	struct tap_bank *own = own_of(bank);
	struct kept *kept = kept_of(own, wish);
	uint64_t now = bank_now(own);
	unsigned id = wish->signal;

	tap_look(bank);
	if (kept->num_users && kept->at == now && kept->pulses)
		return false;
	visits_bring(own, id, false);
	if (wish->busy)
		log_order_begin(own, id);
	own->num_sums++;
	if (!kept->num_users++)
		*kept = (struct kept){
			.at = now,
			.num_users = 1,
			.level = wish->filter ? 0
					      : bank->signals[id].level +
							own->ordered[id].level,
		};
	tap_show(bank, id, true);
	return true;
}

void tap_sums_end(struct sigbank *bank, const struct tap_wish *wish)
{
	struct tap_bank *own = own_of(bank);
	struct kept *kept = kept_of(own, wish);
	struct filter_sum *sum, **link;

	tap_look(bank);
	own->num_sums--;
	if (wish->busy)
		log_order_end(own, wish->signal);
	if (!--kept->num_users && wish->filter) {
		link = filter_sum_of(own, wish);
		sum = *link;
		*link = sum->next;
		free(sum);
	}
	tap_show(bank, wish->signal, false);
}

static struct tap_sums filtered_sums(struct tap_bank *own,
				     const struct tap_wish *wish, uint64_t now)
{
	const struct filter_sum *sum = *filter_sum_of(own, wish);
	struct part part = log_filtered_part(own, wish->signal, wish->filter);
	struct kept kept = sum->kept;

	kept_pass(&kept, now);
	kept.sums.total += sum->late + part.total;
	kept.sums.last += part.last;
	kept.sums.fresh = kept.pulses;
	return kept.sums;
}

struct tap_sums tap_sums(struct sigbank *bank, const struct tap_wish *wish)
{
	struct tap_bank *own = own_of(bank);
	uint64_t now = bank_now(own);
	const struct part *part;
	struct kept kept;

	if (wish->filter)
		return filtered_sums(own, wish, now);
	kept = own->kept[wish->signal];
	part = log_part(own, wish->signal);
	kept_pass(&kept, now);
	kept.sums.total += own->late[wish->signal] + part->total;
	kept.sums.last += part->last;
	kept.sums.fresh = kept.pulses;
	return kept.sums;
}
