/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The way of a message over a link:
 *
 *   sender    R3QPI's ingress, a queue for each class. It leaves when it has
 *             credits for the far receive queue and the transmit queue has
 *             room; what comes off AD into an empty queue goes past it.
 *             Link layer: the transmit queue, or past it if the wire is free.
 *   receiver  Link layer: past the receive queue if there are a credit of
 *             R3QPI's egress and room between the clocks, else it waits there,
 *             and so do its credits.
 *             R3QPI's egress, one for each ring, until it is on the ring.
 *
 * All of it is worked off in the order of the calls; a later one may take gaps
 * that an earlier one has left.
 */
#include "model/sandy-bridge-ep/qll_parts.h"

/* From the egress's input until a message may get onto the ring. */
enum { EGRESS_CYCLES = 1 };

/* A message while it is worked off. */
struct transit {
	struct qll *qll, *far;
	const struct packet *packet;
	uint64_t now, at, ready; /* to leave the ingress */
	struct qll_passage *passage;
};

/* The first cycle from one on in which the transmit queue has room for a packet
 * that is sent from a slot on: what is before it there is sent in time. */
static uint64_t queue_room(const struct qll *qll, uint64_t from, uint64_t sent,
			   unsigned flits)
{
	unsigned ahead = qll->config.tx_flits - flits +
			 (unsigned)qll_slot_of(qll, qll->config.link_cycles);

	if (sent <= ahead)
		return from;
	return sim_later(from, qll_slot_begins(qll, sent - ahead));
}

/* When the wire can have a packet that leaves the ring stop in a cycle. */
static uint64_t on_wire(const struct transit *transit, uint64_t cycle)
{
	const struct qll *qll = transit->qll;
	uint64_t slot = qll_slot(qll, cycle) +
			qll_slot_of(qll, qll->config.link_cycles);

	return wire_begins(transit->passage, slot, 1);
}

/* A credit, no earlier than the transmit queue has room. */
static struct qll_grant ask(struct transit *transit)
{
	struct qll *qll = transit->qll;
	struct qll_passage *passage = transit->passage;
	struct qll_grant grant;
	unsigned flits = passage->flits, pace;
	uint64_t sent;

	passage->wanted = on_wire(transit, transit->ready);
	wire_wake(qll, passage->wanted);
	sent = wire_find(qll, passage->wanted, passage, &pace);
	passage->asked = transit->ready;
	if (sent > passage->wanted)
		passage->asked = queue_room(qll, transit->ready, sent, flits);
	grant = qll_credits_ask(&qll->credits, transit->now, passage->asked,
				passage->cls, flits);
	if (grant.at > passage->asked)
		passage->wanted = on_wire(transit, grant.at);
	return grant;
}

/* Onto the wire, with a credit; from the transmit queue or past it. */
static void go_out(struct transit *transit, uint64_t granted)
{
	struct qll *qll = transit->qll;
	struct qll_passage *passage = transit->passage;
	uint64_t first = passage->wanted;

	passage->granted = passage->left = granted;
	if (granted > passage->asked || passage->asked > transit->ready)
		first = on_wire(transit, granted);
	passage->queued = first;
	wire_take(qll, transit->now, first, passage);
	if (passage->sent == first)
		return;
	passage->left = queue_room(qll, granted, passage->sent, passage->flits);
	/* What is rounded must not let it be sent before it comes. */
	passage->queued = on_wire(transit, passage->left);
	if (passage->queued > passage->sent)
		passage->queued = passage->sent;
}

/* Through the ingress: into it, and with a credit out of it. */
static struct qll_grant pass_ingress(struct transit *transit)
{
	struct qll *qll = transit->qll;
	struct qll_passage *passage = transit->passage;
	unsigned cls = passage->cls, cycles = qll->config.in_cycles, place;
	struct places *ingress = &qll->ingress[cls];
	uint64_t *until = &qll->ingress_until[cls], slow;
	struct qll_grant grant;
	bool is_empty;

	passage->taken = transit->at;
	place = places_take(ingress, transit->now, &passage->taken);
	slow = passage->taken + cycles;
	is_empty = qll_ring_of(cls) == RING_AD && passage->taken >= *until;
	transit->ready =
		is_empty ? passage->taken + qll->config.bypass_cycles : slow;
	grant = ask(transit);
	if (grant.at > transit->ready)
		grant.at = sim_later(grant.at, slow);
	go_out(transit, grant.at);
	passage->is_past_ingress = is_empty && passage->left == transit->ready;
	places_hold(ingress, place,
		    passage->is_past_ingress ? passage->taken : passage->left);
	if (!passage->is_past_ingress)
		*until = sim_later(*until, passage->left);
	return grant;
}

/* The first slot from one on that a header or an idle flit of the way back has:
 * data do not go on for longer than a packet. */
static uint64_t returns_in(const struct qll *far, uint64_t slot)
{
	uint64_t free, data = far->form->data;

	if (calendar_is_free(&far->wire.busy, slot, 1))
		return slot;
	free = calendar_free_from(&far->wire.busy, slot, 1);
	return free < slot + data ? free : slot + data;
}

/* The credits go back from the link cycle `freed` on. */
static void give_back(struct transit *transit, const struct qll_grant *grant)
{
	struct qll *qll = transit->qll;
	struct qll_passage *passage = transit->passage;
	uint64_t slot = returns_in(
		transit->far,
		qll_slot_of(qll, passage->freed + qll->config.return_cycles));

	passage->returned = qll_cycle_of(qll, slot);
	passage->back = qll_slot_begins(qll, slot + 1 + qll_flight(qll)) +
			qll->config.cross_cycles;
	qll_credits_hold(&qll->credits, grant, passage->cls, passage->flits,
			 passage->back);
	engine_busy_until(&qll->ep->engine, passage->back);
	if (grant->is_vna)
		qll_credits_tell_out(&qll->credits, qll_tell_out, qll);
}

/* The far egress, and the IIO's credit, which are there from a cycle on. */
static struct qll_waiting *enter_egress(struct transit *transit, uint64_t *from)
{
	struct qll *far = transit->far;
	const struct packet *packet = transit->packet;
	struct qll_waiting *waiting =
		&far->waiting[far->num_waiting++ % QLL_WAITING];
	unsigned ring = qll_ring_of(packet->cls);

	*waiting = (struct qll_waiting){
		.line = packet->line,
		.ring = (uint8_t)ring,
		.cls = packet->cls,
	};
	if (NODE_IS_IOH(packet->dest) && ring == RING_BL) {
		uint64_t ready = *from;

		waiting->iio = &far->iio[packet->cls];
		waiting->iio_place =
			(uint8_t)places_take(waiting->iio, transit->now, from);
		waiting->iio_from = *from;
		qll_tell_iio(far, packet->cls, ready, *from);
	}
	waiting->place =
		(uint8_t)places_take(&far->egress[ring], transit->now, from);
	return waiting;
}

/* The first slot for what is to be behind the clocks' border in a cycle. */
static uint64_t behind(const struct qll *far, uint64_t cycle)
{
	return qll_slot(far, cycle - far->config.cross_cycles);
}

static uint64_t past_hold(const struct qll *far, uint64_t from)
{
	return from >= far->held_from && from < far->held_until
		       ? far->held_until
		       : from;
}

/* Takes slots if they are free. */
static bool takes(struct calendar *calendar, uint64_t from, unsigned slots)
{
	if (calendar_try(calendar, from, slots))
		return true;
	if (!calendar_is_free(calendar, from, slots))
		return false;
	calendar_mark(calendar, from, slots);
	return true;
}

/* Between the clocks, with a credit of the egress from the cycle `room` on;
 * without waiting it would have been there at `ready`. Returns the slot in
 * which all flits are behind. */
static uint64_t cross(struct transit *transit, uint64_t ready, uint64_t room)
{
	struct qll *far = transit->far;
	struct qll_passage *passage = transit->passage;
	unsigned flits = passage->flits, slots = flits * passage->pace;
	uint64_t from = passage->sent + qll_flight(far), end = from + slots;
	uint64_t held = past_hold(far, ready), go = sim_later(room, held);

	passage->complete = qll_cycle_of(far, end);
	if (from >= far->crossing.base + QLL_FORGET_SLOTS)
		calendar_forget(&far->crossing,
				ep_to_clock(far->slots, transit->now));
	if (go == ready && takes(&far->crossing, from, slots))
		return end;
	if (room > ready)
		passage->no_credit = qll_cycle_of(far, behind(far, room));
	if (held > ready)
		passage->held = qll_cycle_of(far, behind(far, held));
	from = go > ready ? behind(far, go) : end - flits;
	passage->drained = calendar_take(&far->crossing,
					 ep_to_clock(far->slots, transit->now),
					 from, flits);
	if (passage->drained > from)
		passage->crosses = qll_cycle_of(far, from);
	return passage->drained + flits;
}

static enum qll_direct direct2core(const struct packet *packet, bool direct,
				   bool has_credit)
{
	if (packet->cls != PACKET_DRS || packet->opcode >= DRS_WB_I_DATA ||
	    NODE_IS_IOH(packet->dest))
		return QLL_DIRECT_NO_CANDIDATE;
	if (has_credit)
		return direct ? QLL_DIRECT_SUCCESS : QLL_DIRECT_FAILURE_RBT;
	return direct ? QLL_DIRECT_FAILURE_CREDITS
		      : QLL_DIRECT_FAILURE_CREDITS_RBT;
}

/* Into the far egress; returns when it is ready for the ring. */
static uint64_t receive(struct transit *transit, bool direct)
{
	struct qll *far = transit->far;
	struct qll_passage *passage = transit->passage;
	uint64_t end = passage->sent + qll_flight(far) +
		       (uint64_t)passage->flits * passage->pace;
	uint64_t ready = qll_slot_begins(far, end) + far->config.cross_cycles;
	uint64_t room = ready, passed;
	struct qll_waiting *waiting = enter_egress(transit, &room);

	passage->direct =
		(uint8_t)direct2core(transit->packet, direct, room == ready);
	passed = cross(transit, ready, room);
	passage->freed = qll_cycle_from(far, passed);
	waiting->entered =
		qll_slot_begins(far, passed) + far->config.cross_cycles;
	waiting->arrived = waiting->entered + EGRESS_CYCLES;
	places_hold(&far->egress[waiting->ring], waiting->place,
		    waiting->arrived + 1);
	if (waiting->iio)
		places_hold(waiting->iio, waiting->iio_place,
			    waiting->arrived + far->config.iio_cycles);
	return waiting->arrived;
}

uint8_t qll_flits(const struct qll *qll, const struct packet *packet)
{
	bool has_data =
		(packet->cls == PACKET_DRS || packet->cls == PACKET_NCB) &&
		packet->flits > QLL_DATA_FLITS;

	return (uint8_t)(packet->flits +
			 (has_data ? qll->form->data - QLL_DATA_FLITS : 0));
}

struct qll_trip qll_send(struct ep *ep, unsigned socket, unsigned link,
			 struct packet *packet, uint64_t at, bool direct)
{
	struct qll *qll = ep->sockets[socket].qlls[link];
	struct qll_passage *passage = visits_next(qll->visits);
	struct transit transit = {
		.qll = qll,
		.far = qll->far,
		.packet = packet,
		.now = engine_now(&ep->engine),
		.at = at,
		.passage = passage,
	};
	struct qll_grant grant;
	struct qll_trip trip;

	*passage = (struct qll_passage){
		.visit.tell = qll_tell,
		.qll = qll,
		.line = packet->line,
		.cls = packet->cls,
		.mc = packet->mc,
		.opcode = packet->opcode,
		.state = packet->state,
		.dest = packet->dest,
		.requester = packet->requester,
		.home = packet->home,
		.flits = qll_flits(qll, packet),
	};
	grant = pass_ingress(&transit);
	packet->network = 0;
	packet->vn = passage->vn = grant.is_vna ? QLL_VNA : QLL_VN0;
	passage->lacked_vna = grant.lacked_vna;
	passage->lacked_vn0 = grant.lacked_vn0;
	trip.taken = passage->taken;
	trip.arrived = receive(&transit, direct);
	trip.is_direct = passage->direct == QLL_DIRECT_SUCCESS;
	give_back(&transit, &grant);
	/* The transmit queue may be left, and VNA acquired, after all else. */
	passage->visit.last = sim_later(passage->back, passage->granted + 4);
	visits_keep(qll->visits);
	return trip;
}

uint64_t qll_room_from(struct ep *ep, unsigned socket, unsigned link,
		       enum packet_class cls, uint64_t at)
{
	return places_from(&ep->sockets[socket].qlls[link]->ingress[cls],
			   engine_now(&ep->engine), at);
}

/* The message that is ready in the egress since a cycle. */
static struct qll_waiting *find_waiting(struct qll *qll, uint64_t line,
					uint64_t arrived)
{
	for (unsigned i = 1; i <= QLL_WAITING; i++) {
		struct qll_waiting *waiting =
			&qll->waiting[(qll->num_waiting - i) % QLL_WAITING];

		if (waiting->arrived == arrived && waiting->line == line)
			return waiting;
	}
	return NULL;
}

/* It has its place longer than was thought; unless somebody has it already. */
static void hold_longer(struct places *places, unsigned place, uint64_t thought,
			uint64_t until)
{
	if (places->until[place] != thought)
		return;
	places->free &= ~(UINT64_C(1) << place);
	places_hold(places, place, until);
}

/* Messages in the egress of a ring in a cycle, and until when it stays so. */
static unsigned waiting_in(const struct qll *qll, unsigned ring, uint64_t at,
			   uint64_t *next)
{
	unsigned num = 0;

	for (unsigned i = 0; i < QLL_WAITING; i++) {
		const struct qll_waiting *other = &qll->waiting[i];
		uint64_t edge =
			other->entered > at ? other->entered : other->injected;

		if (other->ring != ring || edge <= at)
			continue;
		num += other->entered <= at;
		*next = edge < *next ? edge : *next;
	}
	return num;
}

/* Whether the egress is full while a message is in it, the latest of which that
 * is known. */
static void fill_egress(struct qll *qll, const struct qll_waiting *waiting)
{
	uint64_t next;

	if (qll->egress[waiting->ring].free ||
	    places_taken(&qll->egress[waiting->ring],
			 engine_now(&qll->ep->engine)) < qll->config.egress)
		return;
	for (uint64_t at = waiting->entered; at < waiting->injected;
	     at = next) {
		next = waiting->injected;
		if (waiting_in(qll, waiting->ring, at, &next) ==
		    qll->config.egress)
			qll_tell_egress_full(qll, at, next);
	}
}

void qll_leaves(struct ep *ep, unsigned socket, unsigned link, uint64_t line,
		enum packet_class cls, uint64_t arrived,
		const struct ring_ride *ride)
{
	struct qll *far = ep->sockets[socket].qlls[link];
	struct qll_waiting *waiting = find_waiting(far, line, arrived);
	struct qll_exit *exit = visits_next(far->visits);
	uint64_t iio_cycles = far->config.iio_cycles;
	uint64_t injected = ride->injected;

	*exit = (struct qll_exit){
		.visit = { qll_tell_exit, injected + iio_cycles },
		.qll = far,
		.entered = arrived - EGRESS_CYCLES,
		.arrived = arrived,
		.injected = injected,
		.cls = (uint8_t)cls,
		.is_counter_clockwise = ride->is_counter_clockwise,
	};
	if (waiting && waiting->iio) {
		exit->iio_from = waiting->iio_from;
		exit->iio_until = injected + iio_cycles;
	}
	visits_keep(far->visits);
	engine_busy_until(&ep->engine, injected + iio_cycles);
	if (!waiting)
		return;
	waiting->injected = injected;
	hold_longer(&far->egress[waiting->ring], waiting->place, arrived + 1,
		    sim_later(arrived + 1, injected));
	fill_egress(far, waiting);
	if (waiting->iio)
		hold_longer(waiting->iio, waiting->iio_place,
			    arrived + iio_cycles, injected + iio_cycles);
}

void qll_hold(struct ep *ep, unsigned socket, uint64_t from, uint64_t until)
{
	for (unsigned i = 0; i < ep->num_links; i++) {
		struct qll *qll = ep->sockets[socket].qlls[i];

		if (!qll)
			continue;
		qll->held_from = from;
		qll->held_until = until;
	}
}

bool qll_sleeps(const struct ep *ep, unsigned socket, unsigned link,
		uint64_t at)
{
	const struct qll *qll = ep->sockets[socket].qlls[link];

	return qll->config.sleep_after &&
	       !awake_at(qll->up, ep_to_clock(qll->clock, at));
}

const char *qll_check_rest(const struct qll *qll, uint64_t now)
{
	if (!qll_credits_are_back(&qll->credits, now))
		return "a credit of a QPI link has not been given back";
	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++)
		if (places_taken(&qll->ingress[cls], now) ||
		    places_taken(&qll->iio[cls], now))
			return "something is in the ingress of an R3QPI, or "
			       "has a credit of the IIO";
	for (unsigned ring = 0; ring < QLL_RINGS; ring++)
		if (places_taken(&qll->egress[ring], now))
			return "something is in the egress of an R3QPI";
	return NULL;
}
