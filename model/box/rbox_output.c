/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Output ports. Towards a neighbour or a hub: the output queue and the link
 * (rbox_link.c); a packet is granted the port when the input buffer of the
 * other end has a credit for it and the queue has room. Towards a box: a few
 * slots per class, from which the box takes packets or refuses them; classes do
 * not block each other there.
 */
#include <assert.h>

#include "model/box/rbox_parts.h"
#include "signals.h"

/* A packet that has a credit finds no room in the output queue. */
static void overflow(struct rbox *rbox, struct rbox_entry *entry)
{
	if (entry->met_overflow)
		return;
	entry->met_overflow = true;
	sig_pulse(rbox->bank, rbox_signal(SIG_RBOX_OUTPUTQ_OVFL, entry->out),
		  1);
}

static uint64_t box_time(struct rbox *rbox, unsigned in,
			 struct rbox_entry *entry)
{
	struct rbox_output *output = &rbox->outputs[entry->out];

	if (output->slots[entry->packet.cls].held < rbox->config.output_packets)
		return 0;
	overflow(rbox, entry);
	output->waiters |= (uint8_t)(1u << in);
	return SIM_NEVER;
}

/* The cycle from which a packet of an input port can have its output port, the
 * crossbar apart: not after now if it can at once. SIM_NEVER if that is not
 * known; the output port then has the input port among its waiters. */
uint64_t rbox_target_time(struct rbox *rbox, unsigned in,
			  struct rbox_entry *entry, uint64_t now)
{
	struct rbox_output *output = &rbox->outputs[entry->out];
	const struct packet *packet = &entry->packet;
	uint64_t time;

	if (!output->lane)
		return box_time(rbox, in, entry);
	time = qpi_take_credits(output->lane, now);
	if (!qpi_has_credit(output->lane, entry->next_network, packet->cls,
			    packet->flits)) {
		output->waiters |= (uint8_t)(1u << in);
		return time;
	}
	time = qpi_room_time(&output->link, packet->flits);
	if (time > now)
		overflow(rbox, entry);
	return time;
}

static void transmit(struct rbox *rbox, const struct rbox_entry *entry)
{
	unsigned port = entry->out, flits = entry->packet.flits;
	struct rbox_output *output = &rbox->outputs[port];
	struct rbox_hub *hub = rbox->inputs[port].hub;
	struct qpi_parcel *parcel = qpi_send(output->lane);
	uint64_t there =
		rbox_transmit(rbox, port, &output->link, output->lane, flits);
	uint64_t sent = there - output->link.latency_cycles;

	/* The neighbour's crossbar reads a flit per cycle, faster than they
	 * come: it starts so that the last one is there in time. */
	parcel->entry_time = there - flits + rbox->config.pipeline_cycles - 1;
	parcel->network = entry->next_network;
	parcel->packet = entry->packet;
	if (hub)
		rbox_hub_arrives(hub, there);
	else
		rbox_end_window(rbox);
	sig_busy(rbox->bank, rbox_signal(SIG_RBOX_OUTPUTQ_NE, port), sent);
	sig_busy(rbox->bank, rbox_signal(SIG_RBOX_RETRYQ_NE, port),
		 sent + 2 * output->link.latency_cycles);
}

void rbox_idle_flit(struct rbox *rbox, enum rbox_port port)
{
	sig_pulse(rbox->bank, rbox_signal(SIG_RBOX_FLITS_RECV_SPEC, port), 1);
}

/* The credit of the slot goes back to the R-Box: with a packet that the box is
 * sending, or in an idle flit, which all credits of a cycle share. */
static void see_credit(struct rbox *rbox, unsigned port)
{
	struct rbox_input *input = &rbox->inputs[port];
	uint64_t now = sim_now(rbox->sim);

	if (port == RBOX_PORT_SBOX0 || port == RBOX_PORT_SBOX1 ||
	    input->wire_free > now || input->special_time > now)
		return;
	input->special_time = now + 1;
	rbox_idle_flit(rbox, port);
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
	see_credit(rbox, port);
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
	if (rbox->inputs[port].hub) {
		rbox_hub_resume(rbox->inputs[port].hub, cls);
		return;
	}
	rbox->outputs[port].slots[cls].is_refused = false;
	hand_out(rbox, port, cls);
}

bool rbox_is_sending(const struct rbox *rbox, enum rbox_port port)
{
	return rbox->outputs[port].free > sim_now(rbox->sim);
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
void rbox_pass(struct rbox *rbox, struct rbox_entry *entry)
{
	struct rbox_output *output = &rbox->outputs[entry->out];

	output->free = sim_now(rbox->sim) + entry->packet.flits;
	if (output->lane) {
		qpi_spend_credit(output->lane, entry->next_network,
				 &entry->packet);
		transmit(rbox, entry);
	} else {
		bring_to_box(rbox, entry->out, &entry->packet);
	}
	if (!rbox->is_watched)
		return;
	if (output->phase != RBOX_BUSY)
		rbox_start_phase(rbox, entry->out, RBOX_BUSY);
	rbox_check_phase(rbox, entry->out);
}
