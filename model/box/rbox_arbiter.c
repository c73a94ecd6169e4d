/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The three arbitrations that take a packet through the crossbar (2.6.1.2):
 *
 *  - queue: each class of an input port puts forward the oldest packet of its
 *    entry table whose target has room (credit, output queue, slot) and a free
 *    crossbar. A packet never overtakes one of its class and network for the
 *    same port.
 *  - local: an input port picks one of its classes, round robin.
 *  - global: each output port picks one of the input ports that bid for it,
 *    round robin.
 *
 * All that is decided in one cycle; the cycles it takes in hardware are in the
 * pipeline's. An input port is looked at only in cycles in which something can
 * be different for it: when what blocks it ends at a known time, or when what
 * it waits for has happened and rbox_look_at() was called. A look too many
 * changes nothing; how many there are depends on when a neighbour's credits are
 * seen, and that on how far the sockets run at a time.
 */
#include <string.h>

#include "model/box/rbox_parts.h"

/* A packet that its class puts forward, by its place in the queue. */
struct candidate {
	uint8_t before, index;
	uint8_t cls;
	uint8_t out;
};

/* One arbitration. */
struct round {
	struct rbox *rbox;
	uint64_t now;
	uint8_t bidders[RBOX_NUM_PORTS]; /* per output: bit per input */
	uint8_t wanted;			 /* bit per output with bidders */
	uint8_t outs[RBOX_NUM_PORTS];	 /* per input: outputs it could go to */
	struct candidate bids[RBOX_NUM_PORTS];
};

static void look_again(struct rbox_input *input, uint64_t time)
{
	if (time < input->look_time)
		input->look_time = time;
}

/* Queue arbitration: finds the candidate of a class. Returns the bids that the
 * class makes; RBOX_BID_FAIL unless there is a candidate. */
static unsigned put_forward(struct round *round, unsigned port, unsigned cls,
			    struct candidate *candidate)
{
	struct rbox *rbox = round->rbox;
	struct rbox_input *input = &rbox->inputs[port];
	uint8_t before = RBOX_NO_ENTRY, index = input->queues[cls].first;
	unsigned bids = RBOX_BID_QUEUE, passed = 0;
	unsigned left = rbox->config.entry_table;

	while (left-- && index != RBOX_NO_ENTRY) {
		struct rbox_entry *entry = &input->entries[index];
		unsigned way =
			entry->next_network * RBOX_NUM_PORTS + entry->out;
		uint64_t time = SIM_NEVER;

		if (entry->entered == round->now) {
			look_again(input, round->now + 1);
			break;
		}
		if (!(passed & 1u << way)) {
			passed |= 1u << way;
			time = rbox_target_time(rbox, port, entry, round->now);
		}
		if (time <= round->now) {
			time = rbox->outputs[entry->out].free;
			bids |= RBOX_BID_LOCAL;
			if (time <= round->now) {
				*candidate = (struct candidate){ before, index,
								 (uint8_t)cls,
								 entry->out };
				return bids;
			}
		}
		look_again(input, time);
		before = index;
		index = entry->next;
	}
	return bids & RBOX_BID_LOCAL ? bids | RBOX_BID_FAIL : bids;
}

static unsigned starving(const struct round *round, struct rbox_input *input,
			 unsigned cls)
{
	uint64_t limit = input->queues[cls].since +
			 round->rbox->config.starvation_cycles;

	if (limit <= round->now)
		return RBOX_BID_STARVING;
	look_again(input, limit);
	return 0;
}

/* Has a class bid, and publishes what becomes of it unless it is the first of
 * its port that has a candidate: that one publishes when it is decided. */
static void bid_class(struct round *round, unsigned port, unsigned cls)
{
	struct rbox *rbox = round->rbox;
	const struct rbox_input *input = &rbox->inputs[port];
	struct candidate candidate;
	unsigned bids = put_forward(round, port, cls, &candidate);

	/* What has just entered has published its bids itself. */
	if (input->entries[input->queues[cls].first].entered == round->now)
		return;
	if (!(bids & RBOX_BID_LOCAL)) {
		bids |= RBOX_BID_NO_TARGET;
	} else if (!(bids & RBOX_BID_FAIL)) {
		unsigned out = 1u << candidate.out;

		if (!round->outs[port]) {
			round->outs[port] = (uint8_t)out;
			round->bids[port] = candidate;
			return;
		}
		round->outs[port] |= (uint8_t)out;
		bids |= RBOX_BID_FAIL;
	}
	bids |= starving(round, &rbox->inputs[port], cls);
	rbox_publish_bids(rbox, port, cls, bids);
}

/* Local arbitration of an input port, which may bid for one output. */
static void bid(struct round *round, unsigned port)
{
	struct rbox_input *input = &round->rbox->inputs[port];
	unsigned favoured = input->classes & ~0u << input->next_class;
	unsigned others = input->classes & ~favoured;

	input->look_time = SIM_NEVER;
	round->outs[port] = 0;
	for (; favoured; favoured &= favoured - 1)
		bid_class(round, port, (unsigned)__builtin_ctz(favoured));
	for (; others; others &= others - 1)
		bid_class(round, port, (unsigned)__builtin_ctz(others));
	if (round->outs[port]) {
		unsigned out = round->bids[port].out;

		round->bidders[out] |= (uint8_t)(1u << port);
		round->wanted |= (uint8_t)(1u << out);
	}
}

static void grant(struct round *round, unsigned port)
{
	struct rbox *rbox = round->rbox;
	struct rbox_input *input = &rbox->inputs[port];
	const struct candidate *won = &round->bids[port];
	struct rbox_entry *entry;

	input->next_class = (uint8_t)((won->cls + 1u) % PACKET_NUM_CLASSES);
	entry = rbox_take_out(rbox, port, won->cls, won->before, won->index);
	input->read_free = round->now + entry->packet.flits;
	input->look_time = input->classes ? input->read_free : SIM_NEVER;
	rbox_pass(rbox, entry);
	rbox_publish_pass(rbox, port, entry);
	rbox_forget(rbox, port, entry);
	rbox_publish_bids(rbox, port, won->cls,
			  input->queues[won->cls].count ? RBOX_BIDS_IN_VAIN
							: 0);
}

/* In the next cycle the output that another port got is not free, and a loser
 * may bid for another one, also with a younger packet of the same class. */
static void lose(struct round *round, unsigned port)
{
	struct rbox *rbox = round->rbox;
	struct rbox_input *input = &rbox->inputs[port];
	const struct candidate *lost = &round->bids[port];

	rbox_publish_loss(rbox, port, &input->entries[lost->index]);
	rbox_publish_bids(rbox, port, lost->cls,
			  RBOX_BID_QUEUE | RBOX_BID_LOCAL |
				  starving(round, input, lost->cls));
	look_again(input, round->now + 1);
}

/* Global arbitration of an output port; the port that wins it. */
static unsigned winner(struct round *round, unsigned out)
{
	struct rbox_output *output = &round->rbox->outputs[out];
	unsigned bidders = round->bidders[out];
	unsigned favoured = bidders >> output->next_input << output->next_input;
	unsigned port = (unsigned)__builtin_ctz(favoured ? favoured : bidders);

	output->next_input = (uint8_t)((port + 1) % RBOX_NUM_PORTS);
	return port;
}

static void decide(struct round *round)
{
	unsigned losers = 0;

	for (unsigned outs = round->wanted; outs; outs &= outs - 1) {
		unsigned out = (unsigned)__builtin_ctz(outs);
		unsigned port = winner(round, out);

		losers |= round->bidders[out] & ~(1u << port);
		grant(round, port);
	}
	for (; losers; losers &= losers - 1)
		lose(round, (unsigned)__builtin_ctz(losers));
}

static uint64_t event_bit(uint64_t time)
{
	return UINT64_C(1) << time % 64;
}

static void arbitrate(void *object, uint64_t time)
{
	struct rbox *rbox = object;
	struct round round;
	uint64_t next;

	rbox->asked &= ~event_bit(time);
	if (time != rbox->arbitrate_time)
		return; /* was asked for earlier meanwhile, and has happened */
	rbox->arbitrate_time =
		0; /* what is asked for meanwhile is seen below */
	if (rbox->take_in_time <= time)
		rbox_take_in(rbox, time);
	round.rbox = rbox;
	round.now = time;
	round.wanted = 0;
	memset(round.bidders, 0, sizeof(round.bidders));
	for (unsigned ports = rbox->waiting; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctz(ports);

		if (rbox->inputs[port].look_time <= time)
			bid(&round, port);
	}
	decide(&round);
	next = rbox->take_in_time;
	for (unsigned ports = rbox->waiting; ports; ports &= ports - 1) {
		uint64_t look = rbox->inputs[__builtin_ctz(ports)].look_time;

		if (look < next)
			next = look;
	}
	rbox->arbitrate_time = SIM_NEVER;
	rbox_arbitrate_at(rbox, next);
}

/* After what enters in that cycle. An event that was asked for once comes, even
 * if it was not needed meanwhile; so for the near future there is no second. */
void rbox_arbitrate_at(struct rbox *rbox, uint64_t time)
{
	bool is_near = time - sim_now(rbox->sim) < 64;

	if (time >= rbox->arbitrate_time)
		return;
	rbox->arbitrate_time = time;
	if (is_near && rbox->asked & event_bit(time))
		return;
	if (is_near)
		rbox->asked |= event_bit(time);
	sim_first(rbox->sim, time, RBOX_NUM_PORTS, arbitrate, rbox, time);
}

void rbox_look_at(struct rbox *rbox, unsigned inputs, uint64_t time)
{
	uint64_t first = SIM_NEVER;

	if (time < sim_now(rbox->sim))
		time = sim_now(rbox->sim);
	for (inputs &= rbox->waiting; inputs; inputs &= inputs - 1) {
		struct rbox_input *input = &rbox->inputs[__builtin_ctz(inputs)];

		look_again(input,
			   time > input->read_free ? time : input->read_free);
		if (input->look_time < first)
			first = input->look_time;
	}
	rbox_arbitrate_at(rbox, first);
}
