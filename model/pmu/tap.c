/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who listens to the signals of a bank, and the slow paths of what is published
 * for the present cycle when somebody does. What is published for cycles to
 * come is in log.c and comes here when it is due, for those who want order.
 */
#include "model/pmu/tap.h"

#include <stdlib.h>

#include "model/pmu/counter.h"
#include "model/pmu/tap_bank.h"

struct sigbank *tap_bank_new(struct sim *sim, unsigned num_signals)
{
	struct tap_bank *own = calloc(1, sizeof(*own));
	size_t num = num_signals + 1;

	if (!own)
		return NULL;
	own->bank.sim = sim;
	own->bank.num_signals = num_signals;
	own->bank.signals = calloc(num, sizeof(struct signal));
	own->bank.driven = calloc(num, sizeof(bool));
	own->taps = calloc(num, sizeof(*own->taps));
	own->filter_sums = calloc(num, sizeof(*own->filter_sums));
	own->bank.heard = own->heard = calloc(num, sizeof(bool));
	own->only = calloc(num, sizeof(bool));
	if (log_init(own) && own->bank.signals && own->bank.driven &&
	    own->taps && own->filter_sums && own->heard && own->only)
		return &own->bank;
	tap_bank_free(&own->bank);
	return NULL;
}

void tap_bank_free(struct sigbank *bank)
{
	struct tap_bank *own = own_of(bank);

	if (!own)
		return;
	visits_leave(own);
	log_free(own);
	tap_sums_free(own);
	free(own->bank.signals);
	free(own->bank.driven);
	free(own->taps);
	free(own->kept);
	free(own->heard);
	free(own->only);
	free(own);
}

void tap_bank_set_clock(struct sigbank *bank, uint32_t num, uint32_t den)
{
	own_of(bank)->num = num;
	own_of(bank)->den = den;
}

uint64_t tap_now(struct sigbank *bank)
{
	return bank_now(own_of(bank));
}

uint64_t tap_time(struct sigbank *bank, uint64_t cycle)
{
	return bank_time(own_of(bank), cycle);
}

double tap_cycles(struct sigbank *bank, double cycles)
{
	const struct tap_bank *own = own_of(bank);

	return own->den ? cycles * own->num / own->den : cycles;
}

static void add_pulses(struct kept *kept, uint64_t now, unsigned n)
{
	if (!kept || !kept->num_users || !n)
		return;
	kept_pass(kept, now);
	kept->pulses += n;
}

/* A counter hears of it, and on whose behalf it happened. */

static void hear_pulse(const struct sig_tap *tap, uint64_t now, unsigned n,
		       uint64_t requester)
{
	counter_pulse(tap->counter, tap->input, now, n);
	if (tap->input == TAP_COUNTED)
		tap->counter->requester = requester;
}

static void hear_level(const struct sig_tap *tap, uint64_t now, int64_t delta,
		       uint64_t requester)
{
	counter_level(tap->counter, tap->input, now, delta);
	if (tap->input == TAP_COUNTED && delta > 0)
		tap->counter->requester = requester;
}

static void add_level(struct tap_bank *own, unsigned id, uint64_t now,
		      int64_t delta, uint64_t requester)
{
	struct kept *kept = kept_at(own, id);

	if (kept && kept->num_users) {
		kept_pass(kept, now);
		kept->level += delta;
	}
	for (struct sig_tap *tap = own->taps[id]; tap; tap = tap->next)
		if (!tap->filter)
			hear_level(tap, now, delta, requester);
}

/* What is due */

static void tell_pulse(struct tap_bank *own, const struct change *change,
		       bool to_filters)
{
	uint64_t time = change->due - 1;
	unsigned n = (unsigned)change->n;

	add_pulses(kept_at(own, change->id), time, n);
	for (struct sig_tap *tap = own->taps[change->id]; tap; tap = tap->next)
		if (to_filters || !tap->filter)
			hear_pulse(tap, time, n, change->requester);
}

static void tell_header(struct tap_bank *own, const struct change *change)
{
	struct sig_tap *tap;
	unsigned n;

	for (tap = own->taps[change->id]; tap; tap = tap->next) {
		if (!tap->filter)
			continue;
		n = filter_count(tap->filter, &change->header);
		if (n)
			hear_pulse(tap, change->due - 1, n, change->requester);
	}
}

static void tell_header_level(struct tap_bank *own, const struct change *change)
{
	for (struct sig_tap *tap = own->taps[change->id]; tap; tap = tap->next)
		if (tap->filter && filter_passes(tap->filter, &change->header))
			hear_level(tap, change->due, change->n,
				   change->requester);
}

void tap_change(struct tap_bank *own, const struct change *change)
{
	switch (change->kind) {
	case CHANGE_PACKET: tell_pulse(own, change, false); break;
	case CHANGE_HEADER: tell_header(own, change); break;
	case CHANGE_PULSE: tell_pulse(own, change, true); break;
	case CHANGE_HEADER_DOWN:
	case CHANGE_HEADER_UP: tell_header_level(own, change); break;
	default:
		own->ordered[change->id].level += change->n;
		add_level(own, change->id, change->due, change->n,
			  change->requester);
		break;
	}
}

/* Counters with PMIs hear of what happens, and of what will. */

static void watch(struct tap_bank *own, unsigned id)
{
	if (!own->num_urgent)
		return;
	for (struct sig_tap *tap = own->taps[id]; tap; tap = tap->next)
		if (tap->is_urgent)
			counter_watch(tap->counter);
}

void tap_expect(struct tap_bank *own, unsigned id)
{
	for (struct sig_tap *tap = own->taps[id]; tap; tap = tap->next)
		if (tap->is_urgent)
			counter_expect(tap->counter);
}

void tap_fact(struct sigbank *bank, unsigned id, unsigned n,
	      const struct sig_header *header)
{
	struct tap_bank *own = own_of(bank);
	struct sig_tap *tap = own->num_urgent ? own->taps[id] : NULL;

	for (; tap; tap = tap->next) {
		unsigned each = header && tap->filter
					? filter_count(tap->filter, header)
					: 1;

		if (tap->is_urgent && each)
			counter_fact(tap->counter, n * each,
				     sim_requester(bank->sim));
	}
}

bool tap_has_urgent(struct sigbank *bank, unsigned id)
{
	struct tap_bank *own = own_of(bank);
	struct sig_tap *tap = own->num_urgent ? own->taps[id] : NULL;

	while (tap && !tap->is_urgent)
		tap = tap->next;
	return tap;
}

bool tap_is_any_urgent(struct sigbank *bank)
{
	return own_of(bank)->num_urgent;
}

uint64_t tap_pending(struct sigbank *bank, unsigned id)
{
	return own_of(bank)->ordered[id].weight;
}

uint64_t tap_next(struct sigbank *bank)
{
	return timeline_first(&own_of(bank)->timeline);
}

/* The present cycle */

static void change_level(struct tap_bank *own, unsigned id, int64_t delta)
{
	log_catch_up(own);
	add_level(own, id, bank_now(own), delta, sim_requester(own->bank.sim));
	watch(own, id);
}

void sig_tapped_pulse(struct sigbank *bank, unsigned id, unsigned n)
{
	struct tap_bank *own = own_of(bank);
	uint64_t now = bank_now(own);

	log_catch_up(own);
	add_pulses(kept_at(own, id), now, n);
	for (struct sig_tap *tap = own->taps[id]; tap; tap = tap->next)
		hear_pulse(tap, now, n, sim_requester(bank->sim));
	watch(own, id);
}

void sig_tapped_level(struct sigbank *bank, unsigned id, int64_t delta)
{
	change_level(own_of(bank), id, delta);
}

void sig_tapped_packet(struct sigbank *bank, unsigned id,
		       const struct sig_header *header)
{
	struct tap_bank *own = own_of(bank);
	uint64_t now = bank_now(own);

	log_catch_up(own);
	add_pulses(kept_at(own, id), now, 1);
	for (struct filter_sum *sum = own->filter_sums[id]; sum;
	     sum = sum->next)
		add_pulses(&sum->kept, now, filter_count(&sum->filter, header));
	for (struct sig_tap *tap = own->taps[id]; tap; tap = tap->next) {
		unsigned n =
			tap->filter ? filter_count(tap->filter, header) : 1;

		if (n)
			hear_pulse(tap, now, n, sim_requester(bank->sim));
	}
	watch(own, id);
}

/* Who listens */

void tap_catch_up(struct sigbank *bank)
{
	log_catch_up(own_of(bank));
}

void tap_look(struct sigbank *bank)
{
	struct tap_bank *own = own_of(bank);
	uint64_t now = sim_now(bank->sim);

	if (bank->settle && own->settled != now) {
		own->settled = now;
		bank->settle(bank->settle_object);
	}
	log_catch_up(own);
}

bool tap_is_ordered(struct sigbank *bank, unsigned id)
{
	return own_of(bank)->num_ordered[id];
}

bool tap_is_any_ordered(struct sigbank *bank)
{
	return own_of(bank)->total_ordered;
}

int64_t tap_level(struct sigbank *bank, unsigned id)
{
	struct tap_bank *own = own_of(bank);

	visits_bring(own, id, true);
	return bank->signals[id].level + own->ordered[id].level +
	       log_part(own, id)->level;
}

int64_t tap_filtered_level(struct sigbank *bank, unsigned id,
			   const struct filter *filter)
{
	if (!filter)
		return tap_level(bank, id);
	visits_bring(own_of(bank), id, true);
	return log_filtered_part(own_of(bank), id, filter).level;
}

void tap_show(struct sigbank *bank, unsigned id, bool begins)
{
	static struct sig_tap nobody;
	struct signal *signal = &bank->signals[id];
	struct tap_bank *own = own_of(bank);
	const struct kept *kept = kept_at(own, id);

	signal->taps = own->taps[id];
	if (!signal->taps &&
	    ((kept && kept->num_users) || own->filter_sums[id]))
		signal->taps = &nobody;
	visits_hear(own, id, signal->taps);
	bank->num_changes++;
	if (begins && bank->on_tap)
		bank->on_tap(bank->on_tap_object, id);
}

void tap_attach(struct sigbank *bank, struct sig_tap *tap)
{
	struct tap_bank *own = own_of(bank);
	struct sig_tap **list = &own->taps[tap->signal];

	tap_look(bank);
	visits_bring(own, tap->signal, false);
	log_order_begin(own, tap->signal);
	own->num_urgent += tap->is_urgent;
	log_set_end(own);
	tap->next = *list;
	*list = tap;
	tap_show(bank, tap->signal, true);
}

void tap_detach(struct sigbank *bank, struct sig_tap *tap)
{
	struct tap_bank *own = own_of(bank);
	struct sig_tap **link = &own->taps[tap->signal];

	tap_look(bank);
	while (*link != tap)
		link = &(*link)->next;
	*link = tap->next;
	own->num_urgent -= tap->is_urgent;
	log_order_end(own, tap->signal);
	tap_show(bank, tap->signal, false);
}

void sig_drives(struct sigbank *bank, unsigned first, unsigned n)
{
	for (unsigned id = first; id < first + n && id < bank->num_signals;
	     id++)
		bank->driven[id] = true;
}
