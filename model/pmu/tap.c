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

struct tap_bank {
	struct sigbank bank; /* first: boxes only see this part */
	bool *falling;	     /* an event for the end of busy is on its way */
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
	own->bank.late = calloc(SIG_MAX_LATE, sizeof(struct sig_late));
	if (own->bank.signals && own->bank.driven && own->falling &&
	    own->bank.late)
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
	free(own->bank.late);
	free(own);
}

static void change_level(struct signal *signal, uint64_t now, int64_t delta)
{
	for (struct sig_tap *tap = signal->taps; tap; tap = tap->next)
		counter_level(tap->counter, tap->input, now, delta);
}

static void end_busy(struct signal *signal, uint64_t now)
{
	if (!signal->level)
		return;
	signal->level = 0;
	change_level(signal, now, -1);
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
	end_busy(signal, now);
}

/* The signal is busy from now on, and somebody listens. */
static void rise(struct tap_bank *own, unsigned id, uint64_t now)
{
	struct signal *signal = &own->bank.signals[id];

	signal->level = 1;
	change_level(signal, now, 1);
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

void tap_attach(struct sigbank *bank, struct sig_tap *tap)
{
	struct signal *signal = &bank->signals[tap->signal];
	uint64_t now = sim_now(bank->sim);

	if (!signal->level && signal->busy_until > now)
		rise((struct tap_bank *)bank, tap->signal, now);
	else if (signal->busy_until && signal->busy_until <= now)
		end_busy(signal, now); /* its event comes later in this cycle */
	if (!signal->taps)
		catch_late(bank, tap->signal, now);
	tap->next = signal->taps;
	signal->taps = tap;
	if (bank->on_tap)
		bank->on_tap(bank->on_tap_object, tap->signal);
}

void tap_detach(struct sigbank *bank, struct sig_tap *tap)
{
	struct signal *signal = &bank->signals[tap->signal];
	struct sig_tap **link = &signal->taps;

	while (*link && *link != tap)
		link = &(*link)->next;
	if (*link)
		*link = tap->next;
	if (!signal->taps && signal->busy_until)
		signal->level = 0;
}

void sig_tapped_pulse(struct sigbank *bank, unsigned id, unsigned n)
{
	uint64_t now = sim_now(bank->sim);

	for (struct sig_tap *tap = bank->signals[id].taps; tap; tap = tap->next)
		counter_pulse(tap->counter, tap->input, now, n);
}

void sig_tapped_level(struct sigbank *bank, unsigned id, int64_t delta)
{
	change_level(&bank->signals[id], sim_now(bank->sim), delta);
}

void sig_tapped_busy(struct sigbank *bank, unsigned id, uint64_t until)
{
	struct signal *signal = &bank->signals[id];
	uint64_t now = sim_now(bank->sim);

	if (until > signal->busy_until)
		signal->busy_until = until;
	if (!signal->level && signal->busy_until > now)
		rise((struct tap_bank *)bank, id, now);
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
	uint64_t now = sim_now(bank->sim);
	struct sig_tap *tap;

	for (tap = bank->signals[id].taps; tap; tap = tap->next) {
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
