/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Output ports. Towards a neighbour: the output queue and the transmitter of a
 * QPI link; a packet is granted the port when the neighbour's input buffer has
 * a credit for it and the queue has room. Towards a box: a few slots per class,
 * from which the box takes packets or refuses them; classes do not block each
 * other there.
 */
#include <assert.h>

#include "model/box/rbox_parts.h"
#include "signals.h"

/* The cycle from which a packet of an input port can have an output port, the
 * crossbar apart: not after now if it can at once. SIM_NEVER if that is not
 * known; the output port then has the input port among its waiters. */
uint64_t rbox_target_time(struct rbox *rbox, unsigned in, unsigned out,
			  const struct packet *packet)
{
	struct rbox_output *output = &rbox->outputs[out];
	uint64_t credit_time;

	if (!output->lane) {
		if (output->slots[packet->cls].held <
		    rbox->config.output_packets)
			return 0;
		output->waiters |= (uint8_t)(1u << in);
		return SIM_NEVER;
	}
	credit_time = qpi_take_credits(output->lane, sim_now(rbox->sim));
	if (qpi_has_credit(output->lane, packet->cls, packet->flits))
		return qpi_room_time(&output->link, packet->flits);
	output->waiters |= (uint8_t)(1u << in);
	return credit_time;
}

static void link_idle(void *object, uint64_t port)
{
	struct rbox *rbox = object;

	rbox->outputs[port].is_link_timed = false;
	rbox_check_link(rbox, (unsigned)port);
}

/* Says that the link is idle as soon as it is. While nobody listens to the null
 * flits a look once per window is enough, and no event is spent on it. */
void rbox_check_link(struct rbox *rbox, unsigned port)
{
	struct rbox_output *output = &rbox->outputs[port];
	unsigned signal = rbox_signal(SIG_RBOX_NULL_IDLE, port);
	uint64_t idle_time;

	if (!output->is_link_busy || output->is_link_timed)
		return;
	idle_time = qpi_idle_time(&output->link);
	if (idle_time <= sim_now(rbox->sim)) {
		output->is_link_busy = false;
		sig_set(rbox->bank, signal, 1);
	} else if (sig_is_tapped(rbox->bank, signal)) {
		output->is_link_timed = true;
		sim_at(rbox->sim, idle_time, link_idle, rbox, port);
	}
}

static void transmit(struct rbox *rbox, unsigned port,
		     const struct packet *packet)
{
	struct rbox_output *output = &rbox->outputs[port];
	struct qpi_parcel *parcel = qpi_send(output->lane);
	uint64_t there =
		qpi_transmit(&output->link, sim_now(rbox->sim), packet->flits);
	uint64_t sent = there - output->link.latency_cycles;

	/* The neighbour's crossbar reads a flit per cycle, faster than they
	 * come: it starts so that the last one is there in time. */
	parcel->entry_time =
		there - packet->flits + rbox->config.pipeline_cycles - 1;
	parcel->packet = *packet;
	rbox_end_window(rbox);
	sig_busy(rbox->bank, rbox_signal(SIG_RBOX_OUTPUTQ_NE, port), sent);
	sig_busy(rbox->bank, rbox_signal(SIG_RBOX_RETRYQ_NE, port),
		 sent + 2 * output->link.latency_cycles);
	sig_set(rbox->bank, rbox_signal(SIG_RBOX_NULL_IDLE, port), 0);
	output->is_link_busy = true;
	rbox_check_link(rbox, port);
}

static void give_up_slot(struct rbox *rbox, unsigned port,
			 struct rbox_slots *slots)
{
	struct rbox_output *output = &rbox->outputs[port];

	slots->first = (uint8_t)((slots->first + 1u) % RBOX_MAX_SLOTS);
	slots->here--;
	slots->held--;
	if (!--output->num_held)
		sig_set(rbox->bank, rbox_signal(SIG_RBOX_OUTPUTQ_NE, port), 0);
	if (output->waiters) {
		rbox_look_at(rbox, output->waiters, sim_now(rbox->sim) + 1);
		output->waiters = 0;
	}
}

/* Offers the box what is there until it refuses. */
static void hand_out(struct rbox *rbox, unsigned port, unsigned cls)
{
	struct rbox_output *output = &rbox->outputs[port];
	struct rbox_slots *slots = &output->slots[cls];

	if (slots->is_handing_out)
		return;
	slots->is_handing_out = true;
	while (slots->here && !slots->is_refused) {
		slots->is_refused = true;
		if (output->client.deliver(output->client.object,
					   &slots->packets[slots->first])) {
			slots->is_refused = false;
			give_up_slot(rbox, port, slots);
		}
	}
	slots->is_handing_out = false;
}

static void arrive_at_box(void *object, uint64_t argument)
{
	struct rbox *rbox = object;
	unsigned port = argument % RBOX_NUM_PORTS;
	unsigned cls = (unsigned)(argument / RBOX_NUM_PORTS);

	rbox->outputs[port].slots[cls].here++;
	hand_out(rbox, port, cls);
}

void rbox_resume(struct rbox *rbox, enum rbox_port port, enum packet_class cls)
{
	rbox->outputs[port].slots[cls].is_refused = false;
	hand_out(rbox, port, cls);
}

static void bring_to_box(struct rbox *rbox, unsigned port,
			 const struct packet *packet)
{
	struct rbox_output *output = &rbox->outputs[port];
	struct rbox_slots *slots = &output->slots[packet->cls];

	assert(output->client.deliver);
	slots->packets[(slots->first + slots->held++) % RBOX_MAX_SLOTS] =
		*packet;
	if (!output->num_held++)
		sig_set(rbox->bank, rbox_signal(SIG_RBOX_OUTPUTQ_NE, port), 1);
	sim_at(rbox->sim, sim_now(rbox->sim) + packet->flits, arrive_at_box,
	       rbox, packet->cls * RBOX_NUM_PORTS + port);
}

/* Sends a packet on its way out; rbox_target_time() has said that it can. */
void rbox_pass(struct rbox *rbox, unsigned port, struct packet *packet)
{
	struct rbox_output *output = &rbox->outputs[port];

	output->free = sim_now(rbox->sim) + packet->flits;
	if (output->lane) {
		qpi_spend_credit(output->lane, packet);
		transmit(rbox, port, packet);
	} else {
		bring_to_box(rbox, port, packet);
	}
}
