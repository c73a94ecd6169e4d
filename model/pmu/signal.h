/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Signals: what a box tells the world about itself, in uncore cycles, whatever
 * its own clock is. What it does in its cycle d it publishes for the first
 * cycle of the uncore that is in d (tap.h); counters count its cycles. A level
 * is a value that stays until it changes; a pulse is n events in one cycle; a
 * packet is a pulse with a header that filters look at. A box publishes without
 * knowing who listens: a signal that nobody taps costs one store, and what is
 * published for cycles to come an entry in the log of its bank. What belongs
 * together is better kept as a visit (visit.h), which costs one record.
 *
 * The value of a level during cycle t is the one it has when all that happens
 * in cycle t has happened; so an entry that stays from cycle a to cycle b is
 * seen in exactly b - a cycles, and Little's law holds to the unit.
 *
 * A box calls sig_drives() once for every signal it has a mechanism for. An
 * event whose signals are not all driven is "not modelled" and is refused by
 * the tools, never shown as 0.
 */
#ifndef UNCORE_SIGNAL_H
#define UNCORE_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "model/sim/sim.h"

struct sig_tap; /* a PMU counter that listens, see tap.h */

struct signal {
	struct sig_tap *taps; /* NULL: nobody listens */
	int64_t level;
};

/* What was published for cycles to come: n from cycle `from` until (not
 * including) cycle `to`. */
struct sig_entry {
	uint64_t from, to;
	uint64_t requester; /* see sim.h */
	uint16_t id;
	uint16_t kind; /* enum sig_kind */
	int32_t n;
};

enum sig_kind {
	SIG_LEVEL,
	SIG_PULSE,
	SIG_PACKET /* a pulse, of which filters take n from its header */
};

/* All signals of one box instance, numbered as in the generated signals.h. */
struct sigbank {
	struct sim *sim;
	struct signal *signals;
	/* The next free place of the log of what was published for cycles to
	 * come, and where sig_log_full() is called. */
	struct sig_entry *log_next, *log_end;
	bool *driven;
	const bool *heard; /* somebody listens; for tell_*(), see visit.h */
	unsigned num_signals;
	unsigned num_changes; /* of who listens, so far */
	/* Called before anybody looks at sums, begins to listen or ceases to
	 * (NULL: all is known already): what has happened since is published
	 * now, by sig_past() or for cycles to come. At most once in a cycle. */
	void (*settle)(void *object);
	void *settle_object;
	/* Told when somebody begins to listen to a signal (NULL: nobody is):
	 * for a box with signals that change for ever, which it then begins to
	 * work out. */
	void (*on_tap)(void *object, unsigned id);
	void *on_tap_object;
};

/* What packet filters may look at. Fields that a packet lacks are 0. */
struct sig_header {
	uint64_t address;      /* physical, bytes */
	uint8_t message_class; /* codes of Table 2-102 */
	uint8_t opcode;	       /* codes of Table 2-103 */
	uint8_t state;	       /* RDS: 8 M, 4 E, 2 S, 1 F, 0 I */
	uint8_t vn;	       /* 0 VN0, 1 VN1, 2 VNA */
	uint8_t flits;	       /* length of the packet */
	uint8_t home_node;     /* node ids: socket * 4 + box, see packet.h */
	uint8_t dest_node;
	uint8_t requester_node;
	uint8_t dram_cmd;     /* M-Box: codes of Table 2-79 */
	uint8_t sched_mode;   /* M-Box: 0 trade-off 1 read 2 write 3 adaptive */
	uint8_t fvid;	      /* M-Box */
	uint8_t thread;	      /* CBo: bit 0 thread, 3:1 core; 255: of nobody */
	uint8_t traits;	      /* CHA: bit 0 the home is in another socket, 1 in
				 this one, 5 not near memory */
	uint16_t core_opcode; /* CBo, CHA: of the request, ten bits */
};

#define SIG_SLOW __attribute__((noinline))

/* Slow paths, entered only when somebody listens (model/pmu/tap.c): not to be
 * copied to where nobody mostly does. */
SIG_SLOW void sig_tapped_pulse(struct sigbank *bank, unsigned id, unsigned n);
SIG_SLOW void sig_tapped_level(struct sigbank *bank, unsigned id,
			       int64_t delta);
SIG_SLOW void sig_tapped_packet(struct sigbank *bank, unsigned id,
				const struct sig_header *header);
SIG_SLOW void sig_log_full(struct sigbank *bank);

/* The box has a mechanism for signals first..first+n-1. */
void sig_drives(struct sigbank *bank, unsigned first, unsigned n);

/* n events in the present cycle. */
static inline void sig_pulse(struct sigbank *bank, unsigned id, unsigned n)
{
	if (bank->signals[id].taps)
		sig_tapped_pulse(bank, id, n);
}

/* Into the log, whether anybody listens or not: who does finds it there. */
static inline void sig_log(struct sigbank *bank, uint64_t from, uint64_t to,
			   unsigned id, enum sig_kind kind, int n)
{
	struct sig_entry *entry = bank->log_next;

	entry->from = from;
	entry->to = to;
	entry->requester = sim_requester(bank->sim);
	entry->id = (uint16_t)id;
	entry->kind = (uint16_t)kind;
	entry->n = n;
	bank->log_next = entry + 1;
	if (bank->log_next == bank->log_end)
		sig_log_full(bank);
}

/* n events in a cycle to come, or the present one. They count where somebody
 * listens then, whether he does now or begins in between. */
static inline void sig_later(struct sigbank *bank, unsigned id, uint64_t time,
			     unsigned n)
{
	sig_log(bank, time, time + 1, id, SIG_PULSE, (int)n);
}

/* The level is higher by n from a cycle on, the present one or one to come,
 * until (not including) another one; nothing happens if that is not later. */
static inline void sig_span(struct sigbank *bank, unsigned id, uint64_t from,
			    uint64_t to, int n)
{
	if (from < to)
		sig_log(bank, from, to, id, SIG_LEVEL, n);
}

/* The same of some of the 64 cycles from `at` on: bit 0 is that one. */
static inline void sig_bits(struct sigbank *bank, unsigned id, uint64_t at,
			    uint64_t bits, int n)
{
	while (bits) {
		unsigned first = (unsigned)__builtin_ctzll(bits);
		uint64_t behind = (bits + (UINT64_C(1) << first)) & ~bits;
		unsigned end = behind ? (unsigned)__builtin_ctzll(behind) : 64;

		sig_span(bank, id, at + first, at + end, n);
		bits &= behind ? UINT64_MAX << end : 0;
	}
}

/* A packet passes in a cycle to come, as sig_packet() says it of this one.
 * Signals that filters look at get nothing but packets. */
void sig_packet_at(struct sigbank *bank, unsigned id, uint64_t time,
		   const struct sig_header *header);

/* The level is higher by n (> 0) for a while, as sig_span() says it, by what
 * has a header. A level that filters look at is made of nothing else. */
void sig_span_packet(struct sigbank *bank, unsigned id, uint64_t from,
		     uint64_t to, int n, const struct sig_header *header);

/* n events have happened in cycles before the present one, of which nobody was
 * told: for what a box works out only when somebody looks (see settle). Only
 * who wants no more than their sum is told now. */
void sig_past(struct sigbank *bank, unsigned id, uint64_t n);

/* The same of n packets with a header. */
void sig_past_packets(struct sigbank *bank, unsigned id, uint64_t n,
		      const struct sig_header *header);

/* Whether a filter of somebody who wants sums of packets, or who interrupts by
 * them, looks at addresses. */
bool sig_is_address_seen(struct sigbank *bank, unsigned id);

/* The level changes by delta from the present cycle on. */
static inline void sig_add(struct sigbank *bank, unsigned id, int64_t delta)
{
	bank->signals[id].level += delta;
	if (bank->signals[id].taps)
		sig_tapped_level(bank, id, delta);
}

/* The level is value from the present cycle on. */
static inline void sig_set(struct sigbank *bank, unsigned id, int64_t value)
{
	int64_t delta = value - bank->signals[id].level;

	if (delta)
		sig_add(bank, id, delta);
}

/* A packet or command passes in the present cycle: one event, or where a filter
 * counts flits as many as header->flits. */
static inline void sig_packet(struct sigbank *bank, unsigned id,
			      const struct sig_header *header)
{
	if (bank->signals[id].taps)
		sig_tapped_packet(bank, id, header);
}

/* Whether a header for sig_packet() is worth filling in. */
static inline bool sig_is_tapped(const struct sigbank *bank, unsigned id)
{
	return bank->signals[id].taps;
}

#endif
