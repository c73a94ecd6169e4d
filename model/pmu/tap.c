/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The slow paths of signals: what happens when somebody listens.
 *
 * A busy signal (sig_busy) is a level that only ends by the clock. While nobody
 * listens its end is merely remembered; with a tap the end needs an event, at
 * most one per signal, which moves on if the end has moved meanwhile.
 *
 * A pulse in a cycle to come (sig_later) is an event if somebody listens, and
 * else remembered: it becomes one if somebody begins to listen in time.
 */
#include "model/pmu/tap.h"

#include <stdlib.h>

#include "model/pmu/counter.h"

/* The argument of a delayed pulse: signal in the low bits, n above. */
#define LATER_SIGNAL_BITS 16
#define LATER_SIGNAL_MASK ((UINT64_C(1) << LATER_SIGNAL_BITS) - 1)

/* All cycles before `at` are in the sums; from `at` on the level is to be
 * added, in cycle `at` alone the pulses. */
struct kept {
	struct tap_sums sums;
	uint64_t at;
	int64_t level, pulses;
	unsigned num_users;
};

struct tap_bank {
	struct sigbank bank;   /* first: boxes only see this part */
	struct sig_tap **taps; /* a list for each signal */
	struct kept *kept; /* sums, of each signal */
	bool *falling; /* an event for the end of busy is on its way */
};

struct sigbank *tap_bank_new(struct sim *sim, unsigned num_signals)
{
	struct tap_bank *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	own->bank.sim = sim;
	own->bank.num_signals = num_signals;
	own->bank.signals = calloc(num_signals + 1, sizeof(struct signal));
	own->bank.driven = calloc(num_signals + 1, sizeof(bool));
	own->falling = calloc(num_signals + 1, sizeof(bool));
	own->taps = calloc(num_signals + 1, sizeof(*own->taps));
	own->kept = calloc(num_signals + 1, sizeof(*own->kept));
	own->bank.late = calloc(SIG_MAX_LATE, sizeof(struct sig_late));
	if (own->bank.signals && own->bank.driven && own->falling &&
	    own->taps && own->kept && own->bank.late)
		return &own->bank;
	tap_bank_free(&own->bank);
	return NULL;
}

void tap_bank_free(struct sigbank *bank)
{
	struct tap_bank *own = (struct tap_bank *)bank;

	if (!own)
		return;
	free(own->bank.signals);
	free(own->bank.driven);
	free(own->falling);
	free(own->taps);
	free(own->kept);
	free(own->bank.late);
	free(own);
}

static struct tap_bank *own_of(struct sigbank *bank)
{
	return (struct tap_bank *)bank;
}

/* Brings it to a cycle. */
static void pass(struct kept *kept, uint64_t now)
{
	uint64_t cycles = now - kept->at;
	int64_t first = kept->level + kept->pulses;

	if (!cycles)
		return;
	kept->sums.total += (uint64_t)(first + kept->level *
						       (int64_t)(cycles - 1));
	kept->sums.busy += first > 0;
	if (kept->level > 0)
		kept->sums.busy += cycles - 1;
	kept->sums.last = cycles == 1 ? first : kept->level;
	kept->pulses = 0;
	kept->at = now;
}

static void change_level(struct tap_bank *own, unsigned id, uint64_t now,
			 int64_t delta)
{
	struct kept *kept = &own->kept[id];

	if (kept->num_users) {
		pass(kept, now);
		kept->level += delta;
	}
	for (struct sig_tap *tap = own->taps[id]; tap; tap = tap->next)
		counter_level(tap->counter, tap->input, now, delta);
}

static void add_pulses(struct kept *kept, uint64_t now, unsigned n)
{
	if (!kept->num_users)
		return;
	pass(kept, now);
	kept->pulses += n;
}

static void end_busy(struct tap_bank *own, unsigned id, uint64_t now)
{
	struct signal *signal = &own->bank.signals[id];

	if (!signal->level)
		return;
	signal->level = 0;
	change_level(own, id, now, -1);
}

static void fall(void *object, uint64_t id)
{
	struct tap_bank *own = object;
	struct signal *signal = &own->bank.signals[id];
	uint64_t now = sim_now(own->bank.sim);

	own->falling[id] = false;
	if (!signal->taps || !signal->level)
		return;
	if (signal->busy_until > now) {
		own->falling[id] = true;
		sim_at(own->bank.sim, signal->busy_until, fall, own, id);
		return;
	}
	end_busy(own, (unsigned)id, now);
}

/* The signal is busy from now on, and somebody listens. */
static void rise(struct tap_bank *own, unsigned id, uint64_t now)
{
	struct signal *signal = &own->bank.signals[id];

	signal->level = 1;
	change_level(own, id, now, 1);
	if (own->falling[id])
		return;
	own->falling[id] = true;
	sim_at(own->bank.sim, signal->busy_until, fall, own, id);
}

static void pulse_now(void *object, uint64_t argument)
{
	sig_pulse(object, argument & LATER_SIGNAL_MASK,
		  (unsigned)(argument >> LATER_SIGNAL_BITS));
}

/* What was published for a cycle to come counts for whoever listens by then. */
static void catch_late(struct sigbank *bank, unsigned id, uint64_t now)
{
	for (unsigned i = 0; i < SIG_MAX_LATE && now <= bank->late_until; i++) {
		struct sig_late *late = &bank->late[i];

		if (!late->n || late->id != id || late->time < now)
			continue;
		sim_at(bank->sim, late->time, pulse_now, bank,
		       id | (uint64_t)late->n << LATER_SIGNAL_BITS);
		late->n = 0;
	}
}

/* Those who listen already see what the signal is by now. */
static void listen(struct sigbank *bank, unsigned id)
{
	struct signal *signal = &bank->signals[id];
	uint64_t now = sim_now(bank->sim);

	if (!signal->level && signal->busy_until > now)
		rise(own_of(bank), id, now);
	else if (signal->busy_until && signal->busy_until <= now)
		/* its event comes later in this cycle */
		end_busy(own_of(bank), id, now);
	if (!signal->taps)
		catch_late(bank, id, now);
}

/* Somebody has begun or ceased to listen. */
static void show(struct sigbank *bank, unsigned id, bool begins)
{
	static struct sig_tap nobody;
	struct signal *signal = &bank->signals[id];

	signal->taps = own_of(bank)->taps[id];
	if (!signal->taps && own_of(bank)->kept[id].num_users)
		signal->taps = &nobody;
	if (!signal->taps && signal->busy_until)
		signal->level = 0;
	if (begins && bank->on_tap)
		bank->on_tap(bank->on_tap_object, id);
}

void tap_attach(struct sigbank *bank, struct sig_tap *tap)
{
	struct sig_tap **list = &own_of(bank)->taps[tap->signal];

	listen(bank, tap->signal);
	tap->next = *list;
	*list = tap;
	show(bank, tap->signal, true);
}

void tap_detach(struct sigbank *bank, struct sig_tap *tap)
{
	struct sig_tap **link = &own_of(bank)->taps[tap->signal];

	while (*link != tap)
		link = &(*link)->next;
	*link = tap->next;
	show(bank, tap->signal, false);
}

bool tap_sums_begin(struct sigbank *bank, unsigned id)
{
	struct kept *kept = &own_of(bank)->kept[id];
	uint64_t now = sim_now(bank->sim);

	if (kept->num_users && kept->at == now && kept->pulses)
		return false;
	listen(bank, id);
	if (!kept->num_users++)
		*kept = (struct kept){
			.at = now,
			.level = bank->signals[id].level,
			.num_users = 1,
		};
	show(bank, id, true);
	return true;
}

void tap_sums_end(struct sigbank *bank, unsigned id)
{
	own_of(bank)->kept[id].num_users--;
	show(bank, id, false);
}

struct tap_sums tap_sums(const struct sigbank *bank, unsigned id)
{
	struct kept kept = ((const struct tap_bank *)bank)->kept[id];

	pass(&kept, sim_now(bank->sim));
	kept.sums.level = kept.level;
	kept.sums.fresh = kept.pulses;
	return kept.sums;
}

void sig_tapped_pulse(struct sigbank *bank, unsigned id, unsigned n)
{
	struct tap_bank *own = own_of(bank);
	uint64_t now = sim_now(bank->sim);

	add_pulses(&own->kept[id], now, n);
	for (struct sig_tap *tap = own->taps[id]; tap; tap = tap->next)
		counter_pulse(tap->counter, tap->input, now, n);
}

void sig_tapped_level(struct sigbank *bank, unsigned id, int64_t delta)
{
	change_level(own_of(bank), id, sim_now(bank->sim), delta);
}

void sig_tapped_busy(struct sigbank *bank, unsigned id, uint64_t until)
{
	struct signal *signal = &bank->signals[id];
	uint64_t now = sim_now(bank->sim);

	if (until > signal->busy_until)
		signal->busy_until = until;
	if (!signal->level && signal->busy_until > now)
		rise(own_of(bank), id, now);
}

void sig_tapped_later(struct sigbank *bank, unsigned id, uint64_t time,
		      unsigned n)
{
	if (time <= sim_now(bank->sim))
		sig_tapped_pulse(bank, id, n);
	else
		sim_at(bank->sim, time, pulse_now, bank,
		       id | (uint64_t)n << LATER_SIGNAL_BITS);
}

void sig_tapped_packet(struct sigbank *bank, unsigned id,
		       const struct sig_header *header)
{
	struct tap_bank *own = own_of(bank);
	uint64_t now = sim_now(bank->sim);

	add_pulses(&own->kept[id], now, 1);
	for (struct sig_tap *tap = own->taps[id]; tap; tap = tap->next) {
		unsigned n =
			tap->filter ? filter_count(tap->filter, header) : 1;

		if (n)
			counter_pulse(tap->counter, tap->input, now, n);
	}
}

void sig_drives(struct sigbank *bank, unsigned first, unsigned n)
{
	for (unsigned id = first; id < first + n && id < bank->num_signals;
	     id++)
		bank->driven[id] = true;
}
