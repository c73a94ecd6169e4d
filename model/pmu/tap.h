/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Taps: how a counter listens to a signal. A tap hangs in the list of one
 * signal while its counter is enabled (or has to follow a queue all the time)
 * and hands every change on to the counter, in the cycle in which it happens.
 */
#ifndef UNCORE_TAP_H
#define UNCORE_TAP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/filter.h"
#include "model/pmu/signal.h"

struct counter;

/* What a counter does with a signal. */
enum tap_input {
	TAP_COUNTED, /* it is what is counted */
	TAP_GATE,    /* it is the condition for counting (M-Box flag) */
	TAP_NUM_INPUTS
};

struct sig_tap {
	struct sig_tap *next;
	struct counter *counter;
	const struct filter *filter; /* NULL: every packet */
	uint16_t signal;
	uint8_t input; /* enum tap_input */
};

/* A bank of signals, all 0 and untapped, or NULL without memory. The sim has
 * to outlive it and must not run on after tap_bank_free(). */
struct sigbank *tap_bank_new(struct sim *sim, unsigned num_signals);
void tap_bank_free(struct sigbank *bank);

/* Puts the tap on tap->signal; afterwards its level is what the signal has in
 * the present cycle. */
void tap_attach(struct sigbank *bank, struct sig_tap *tap);
void tap_detach(struct sigbank *bank, struct sig_tap *tap);

#endif
