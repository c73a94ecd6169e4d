/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the PMUs of both ends see of a message, and of a link's power states.
 *
 * Box upi counts slots as they begin; its other signals are those of qpi.
 *
 * Box qpi counts flits. A level of its flits is how many there are in a link
 * cycle, up to two. Idle ones are the rest: two in a link cycle with all lanes,
 * one with half of them, none while the link is shut down. What the far end
 * receives is what was sent, a flight later.
 *
 * A flit is in a queue from the link cycle in which it comes until the one in
 * which it goes; the queues for one class are told beside the whole.
 */
#include "model/sandy-bridge-ep/qll_parts.h"
#include "signals.h"

enum { VNA_A_CYCLE = 4 };

/* data/xeon-e5-2600/facts.txt has them in this order. */
_Static_assert((int)BY_CLASS_HOM == PACKET_HOM &&
		       (int)BY_CLASS_NDR == PACKET_NDR &&
		       (int)BY_CLASS_NCB == PACKET_NCB &&
		       (int)BY_DIRECT_FAILURE_CREDITS_RBT + 1 ==
			       QLL_DIRECT_FAILURE_CREDITS_RBT,
	       "the attributes are not those of the messages");

void qll_drive_signals(struct qll *qll)
{
	sig_drives(qll->qpi, 0, NUM_SIG_QPI);
	sig_drives(qll->qpi, FIRST_SIG_UPI, NUM_SIG_UPI);
	sig_drives(qll->r3qpi, SIG_M3UPI_UPI_PREFETCH_SPAWN, 1);
	/* Those of the ring's stop and its bridges are told by the ring. */
	sig_drives(qll->r3qpi, R3QPI_RXR_INSERTS(0),
		   SIG_R3QPI_SBO0_CREDITS_ACQUIRED_AD - R3QPI_RXR_INSERTS(0));
}

static void all_lanes(const struct qll *qll, unsigned side, uint64_t from,
		      uint64_t to)
{
	qll_span(qll, QPI_POWER_CYCLES(side, BY_LANES_0), from, to, 1);
	qll_span(qll, QPI_POWER_CYCLES(side, BY_LANES_0P), from, to, -1);
	qll_span(qll, QPI_FLITS(side, BY_FLITS_G0_IDLE), from, to, 1);
}

/* Levels for ever, to which awake_fn add. */
void qll_start_levels(struct qll *qll)
{
	const struct qll_config *config = &qll->config;
	bool is_up = qll->far && !config->sleep_after;
	bool is_half = config->half_after;

	sig_set(qll->qpi, SIG_QPI_CLOCKTICKS, 1);
	sig_set(qll->r3qpi, SIG_R3QPI_CLOCKTICKS, 1);
	sig_set(qll->qpi, SIG_QPI_L1_POWER_CYCLES, !is_up);
	if (!config->vna)
		sig_set(qll->r3qpi, R3QPI_VNA_CREDITS_OUT(qll->number), 1);
	for (unsigned i = 0; is_up && i < 2; i++) {
		sig_set(qll->qpi, QPI_POWER_CYCLES(i, is_half), 1);
		sig_set(qll->qpi, QPI_FLITS(i, BY_FLITS_G0_IDLE),
			is_half ? 1 : 2);
	}
	/* What it receives is what was sent before the start. */
	if (is_half && qll->far)
		all_lanes(qll, BY_SIDE_RXL, 0, config->latency);
}

void qll_tell_full(void *object, uint64_t from, uint64_t to)
{
	const struct qll *qll = object;
	unsigned latency = qll->config.latency;

	all_lanes(qll, BY_SIDE_TXL, from, to);
	all_lanes(qll->far, BY_SIDE_RXL, from + latency, to + latency);
}

void qll_tell_up(void *object, uint64_t from, uint64_t to)
{
	const struct qll *qll = object;
	const struct qll *ends[] = { qll, qll->far };
	bool is_half = qll->config.half_after;

	for (unsigned i = 0; i < 4; i++) {
		const struct qll *end = ends[i / 2];

		qll_span(end, QPI_POWER_CYCLES(i % 2, is_half), from, to, 1);
		qll_span(end, QPI_FLITS(i % 2, BY_FLITS_G0_IDLE), from, to,
			 is_half ? 1 : 2);
	}
	for (unsigned i = 0; i < 2; i++)
		qll_span(ends[i], SIG_QPI_L1_POWER_CYCLES, from, to, -1);
}

void qll_tell_out(void *object, uint64_t from, uint64_t to)
{
	const struct qll *qll = object;

	sig_span(qll->r3qpi, R3QPI_VNA_CREDITS_OUT(qll->number), from, to, 1);
}

void qll_tell_iio(struct qll *qll, unsigned cls, uint64_t asked, uint64_t got)
{
	sig_later(qll->r3qpi, R3QPI_IIO_CREDITS_ACQUIRED(cls), got, 1);
	if (got > asked)
		sig_later(qll->r3qpi, R3QPI_IIO_CREDITS_REJECT(cls), asked, 1);
}

void qll_tell_egress_full(struct qll *qll, uint64_t from, uint64_t to)
{
	sig_span(qll->r3qpi, SIG_R3QPI_TXR_CYCLES_FULL, from, to, 1);
}

/* Flits of the packet, one each `pace` slots. */
struct train {
	struct sigbank *bank;
	const struct qll *qll;
	uint64_t first; /* slot */
	unsigned num, pace;
};

/* Half a link cycle of one flit at either end, perhaps, and two in between. */
static void tell_flits(const struct train *train, unsigned id, int sign)
{
	const struct qll *qll = train->qll;
	struct sigbank *bank = train->bank;
	uint64_t from = train->first / 2, end = train->first + train->num;

	if (!bank->heard[id] || !train->num)
		return;
	if (train->pace == 2) {
		sig_span(bank, id, qll_cycle_begins(qll, from),
			 qll_cycle_begins(qll, from + train->num), sign);
		return;
	}
	if (train->first % 2) {
		sig_span(bank, id, qll_cycle_begins(qll, from),
			 qll_cycle_begins(qll, from + 1), sign);
		from++;
	}
	sig_span(bank, id, qll_cycle_begins(qll, from),
		 qll_cycle_begins(qll, end / 2), 2 * sign);
	if (end % 2 && end / 2 >= from)
		sig_span(bank, id, qll_cycle_begins(qll, end / 2),
			 qll_cycle_begins(qll, end / 2 + 1), sign);
}

/* The same flits as events. */
static void tell_passing(const struct train *train, unsigned id)
{
	const struct qll *qll = train->qll;
	uint64_t slot = train->first;

	if (!train->bank->heard[id])
		return;
	for (unsigned i = 0; i < train->num; i++, slot += train->pace)
		sig_later(train->bank, id,
			  qll_cycle_begins(qll, qll_cycle_of(qll, slot)), 1);
}

/* A packet's flits without data are of a kind, and the others, if it has any.
 */
static unsigned header_kind(const struct qll_passage *passage)
{
	switch (passage->cls) {
	case PACKET_HOM:
		return passage->mc == MC_HOM0 ? BY_FLITS_G1_HOM_REQ
					      : BY_FLITS_G1_HOM_NONREQ;
	case PACKET_SNP: return BY_FLITS_G1_SNP;
	case PACKET_NDR:
		return NODE_IS_BBOX(passage->dest) ? BY_FLITS_G2_NDR_AK
						   : BY_FLITS_G2_NDR_AD;
	case PACKET_DRS: return BY_FLITS_G1_DRS_NONDATA;
	case PACKET_NCB: return BY_FLITS_G2_NCB_NONDATA;
	default: return BY_FLITS_G2_NCS;
	}
}

static unsigned data_kind(const struct qll_passage *passage)
{
	return passage->cls == PACKET_DRS ? BY_FLITS_G1_DRS_DATA
					  : BY_FLITS_G2_NCB_DATA;
}

static void pass(struct facts_book *facts, const struct qll *qll, unsigned side,
		 const struct qll_passage *passage)
{
	unsigned data = qll_data_flits(passage), others = passage->flits - data;
	struct sigbank *bank = qll->qpi;

	facts_tell(facts, bank, QPI_FLITS(side, BY_FLITS_G0_NON_DATA), others);
	facts_tell(facts, bank, QPI_FLITS(side, header_kind(passage)), others);
	facts_tell(facts, bank, UPI_SLOTS(side, BY_SLOT_HEADER), others);
	if (!data)
		return;
	facts_tell(facts, bank, UPI_SLOTS(side, BY_SLOT_DATA), data);
	facts_tell(facts, bank, QPI_FLITS(side, BY_FLITS_G0_DATA), data);
	facts_tell(facts, bank, QPI_FLITS(side, data_kind(passage)), data);
}

bool qll_is_any_heard(const struct ep *ep)
{
	for (unsigned s = 0; s < ep->num_sockets; s++)
		for (unsigned i = 0; i < ep->num_links; i++) {
			const struct qll *qll = ep->sockets[s].qlls[i];

			if (qll->far && qll->visits->num_heard)
				return true;
		}
	return false;
}

void qll_tell_spawn(struct ep *ep, unsigned socket, unsigned link, uint64_t at)
{
	engine_count(&ep->engine, ep->sockets[socket].qlls[link]->r3qpi,
		     SIG_M3UPI_UPI_PREFETCH_SPAWN, at);
}

void qll_pass(struct ep *ep, unsigned socket, unsigned link,
	      const struct packet *packet)
{
	const struct qll *qll = ep->sockets[socket].qlls[link];
	const struct qll_passage passage = {
		.qll = qll,
		.cls = packet->cls,
		.mc = packet->mc,
		.dest = packet->dest,
		.flits = qll_flits(qll, packet),
	};

	pass(&ep->engine.facts, qll, BY_SIDE_TXL, &passage);
	pass(&ep->engine.facts, qll->far, BY_SIDE_RXL, &passage);
}

/* The packet on the wire, its first flit in a slot. */
static void tell_wire(const struct qll *qll, unsigned side,
		      const struct qll_passage *passage, uint64_t slot)
{
	unsigned data = qll_data_flits(passage), others = passage->flits - data;
	struct train train = { qll->qpi, qll, slot, passage->flits,
			       passage->pace };

	tell_flits(&train, QPI_FLITS(side, BY_FLITS_G0_IDLE), -1);
	train.num = others;
	tell_flits(&train, QPI_FLITS(side, BY_FLITS_G0_NON_DATA), 1);
	tell_flits(&train, QPI_FLITS(side, header_kind(passage)), 1);
	tell_passing(&train, UPI_SLOTS(side, BY_SLOT_HEADER));
	train.first += (uint64_t)others * passage->pace;
	train.num = data;
	tell_flits(&train, QPI_FLITS(side, BY_FLITS_G0_DATA), 1);
	tell_flits(&train, QPI_FLITS(side, data_kind(passage)), 1);
	tell_passing(&train, UPI_SLOTS(side, BY_SLOT_DATA));
}

/* A queue whose flits come from a slot on and go from another one on. */
static void tell_queue(const struct qll *qll, unsigned id,
		       const struct train *in, const struct train *out)
{
	if (!qll->qpi->heard[id])
		return;
	for (unsigned i = 0; i < in->num; i++)
		qll_span(
			qll, id,
			qll_cycle_of(qll, in->first + (uint64_t)i * in->pace),
			qll_cycle_of(qll, out->first + (uint64_t)i * out->pace),
			1);
}

static void tell_transmit(const struct qll *qll,
			  const struct qll_passage *passage)
{
	struct train in = { qll->qpi, qll, passage->queued, passage->flits, 1 };
	struct train out = in;

	out.first = passage->sent;
	out.pace = passage->pace;
	tell_wire(qll, BY_SIDE_TXL, passage, passage->sent);
	if (passage->sent == passage->queued && passage->pace == 1) {
		tell_passing(&out, SIG_QPI_TXL_BYPASSED);
		return;
	}
	tell_passing(&in, SIG_QPI_TXL_INSERTS);
	tell_queue(qll, SIG_QPI_TXL_OCCUPANCY, &in, &out);
}

static void tell_packet(const struct qll *far,
			const struct qll_passage *passage, uint64_t at)
{
	const struct sig_header header = {
		.address = passage->line * 64,
		.message_class = passage->mc,
		.opcode = passage->opcode,
		.state = passage->state,
		.vn = passage->vn,
		.flits = passage->flits,
		.home_node = passage->home,
		.dest_node = passage->dest,
		.requester_node = passage->requester,
	};

	if (far->qpi->heard[SIG_QPI_CTO_COUNT])
		sig_packet_at(far->qpi, SIG_QPI_CTO_COUNT, at, &header);
}

static void tell_direct(const struct qll *far,
			const struct qll_passage *passage, uint64_t at)
{
	if (passage->direct != QLL_DIRECT_NO_CANDIDATE)
		tell_later(
			far->qpi,
			QPI_DIRECT2CORE(passage->direct - QLL_DIRECT_SUCCESS),
			at, 1);
}

/* Link cycles from .. to - 1, if there are any. */
static void tell_cycles(const struct qll *qll, unsigned id, uint64_t from,
			uint64_t to)
{
	if (qll->qpi->heard[id] && from < to)
		qll_span(qll, id, from, to, 1);
}

static void tell_stalls(const struct qll *far,
			const struct qll_passage *passage)
{
	uint64_t from = passage->complete;

	tell_cycles(far, SIG_QPI_RXL_STALLS_EGRESS_CREDITS, from,
		    passage->no_credit);
	tell_cycles(far, SIG_QPI_RXL_STALLS_GV, from, passage->held);
	if (passage->crosses)
		tell_cycles(far, QPI_RXL_STALLS_BGF(passage->cls),
			    passage->crosses,
			    qll_cycle_of(far, passage->drained));
}

/* The same by their place in a larger flit, of which there is a queue each. */
static void tell_places(const struct qll *far,
			const struct qll_passage *passage,
			const struct train *in, const struct train *out)
{
	unsigned group = far->form->group;
	uint64_t number = passage->sent / passage->pace;

	for (unsigned i = 0; group > 1 && i < in->num; i++, number++) {
		unsigned place = (unsigned)(number % group);
		uint64_t from = qll_cycle_of(far, in->first + i * in->pace);
		uint64_t at = qll_cycle_begins(far, from);

		if (!out) {
			tell_later(far->qpi, UPI_RXL_BYPASSED(place), at, 1);
			continue;
		}
		tell_later(far->qpi, UPI_RXL_INSERTS(place), at, 1);
		qll_span(far, UPI_RXL_OCCUPANCY(place), from,
			 qll_cycle_of(far, out->first + i), 1);
	}
}

static void tell_receive_queue(const struct qll *far,
			       const struct qll_passage *passage,
			       const struct train *in)
{
	struct train out = *in;

	if (!passage->drained) {
		tell_passing(in, SIG_QPI_RXL_BYPASSED);
		tell_places(far, passage, in, NULL);
		return;
	}
	out.first = passage->drained;
	out.pace = 1;
	tell_places(far, passage, in, &out);
	tell_passing(in, QPI_RXL_INSERTS(passage->cls));
	tell_queue(far, QPI_RXL_OCCUPANCY(passage->cls), in, &out);
	tell_stalls(far, passage);
}

static void tell_receive(const struct qll *far,
			 const struct qll_passage *passage)
{
	struct train in = { far->qpi, far, passage->sent + qll_flight(far),
			    passage->flits, passage->pace };
	uint64_t at = qll_cycle_begins(far, qll_cycle_of(far, in.first));
	bool is_vna = passage->vn == QLL_VNA;

	tell_wire(far, BY_SIDE_RXL, passage, in.first);
	tell_packet(far, passage, at);
	tell_direct(far, passage, at);
	tell_later(far->qpi,
		   is_vna ? SIG_QPI_RXL_CREDITS_CONSUMED_VNA
			  : QPI_RXL_CREDITS_CONSUMED_VN0(passage->cls),
		   at, 1);
	tell_later(far->qpi, QPI_TXR_CREDIT_ACQUIRED(passage->cls),
		   qll_cycle_begins(far, passage->no_credit > passage->complete
						 ? passage->no_credit
						 : passage->complete),
		   1);
	tell_receive_queue(far, passage, &in);
	if (!is_vna)
		return;
	tell_span(far->qpi, SIG_QPI_VNA_CREDIT_RETURN_OCCUPANCY,
		  qll_cycle_begins(far, passage->freed),
		  qll_cycle_begins(far, passage->returned), passage->flits);
	tell_later(far->qpi, SIG_QPI_VNA_CREDIT_RETURNS,
		   qll_cycle_begins(far, passage->returned), passage->flits);
}

static void tell_credits(struct sigbank *bank,
			 const struct qll_passage *passage)
{
	unsigned cls = passage->cls;
	uint64_t at = passage->granted;

	if (passage->lacked_vna)
		tell_later(bank, R3QPI_VNA_CREDITS_REJECT(cls), passage->asked,
			   1);
	if (passage->lacked_vn0)
		tell_later(bank, R3QPI_VN0_CREDITS_REJECT(cls), passage->asked,
			   1);
	if (passage->vn != QLL_VNA) {
		tell_later(bank, R3QPI_VN0_CREDITS_USED(cls), at, 1);
		tell_span(bank,
			  R3QPI_VN0_CREDITS_OUT(passage->qll->number, cls), at,
			  passage->back, 1);
		return;
	}
	tell_span(bank, SIG_R3QPI_VNA_CREDIT_CYCLES_USED, at, passage->back, 1);
	for (unsigned flits = passage->flits; flits; at++) {
		unsigned some = flits < VNA_A_CYCLE ? flits : VNA_A_CYCLE;

		tell_later(bank, R3QPI_VNA_CREDITS_ACQUIRED(cls), at, some);
		flits -= some;
	}
}

void qll_tell(struct sigbank *bank, const void *visit)
{
	const struct qll_passage *passage = visit;
	const struct qll *qll = passage->qll;

	bank = qll->r3qpi;
	if (passage->is_past_ingress) {
		tell_later(bank, SIG_R3QPI_RXR_BYPASSED_AD, passage->taken, 1);
	} else {
		tell_later(bank, R3QPI_RXR_INSERTS(passage->cls),
			   passage->taken, 1);
		tell_span(bank, R3QPI_RXR_OCCUPANCY(passage->cls),
			  passage->taken, passage->left, 1);
	}
	tell_credits(bank, passage);
	tell_transmit(qll, passage);
	tell_receive(qll->far, passage);
}

void qll_tell_exit(struct sigbank *bank, const void *visit)
{
	const struct qll_exit *exit = visit;

	bank = exit->qll->r3qpi;
	tell_later(bank, SIG_R3QPI_TXR_INSERTS, exit->entered, 1);
	tell_span(bank, SIG_R3QPI_TXR_CYCLES_NE, exit->entered, exit->injected,
		  1);
	if (exit->injected > exit->arrived)
		tell_later(bank,
			   R3QPI_TXR_NACK(exit->is_counter_clockwise,
					  qll_ring_of(exit->cls)),
			   exit->arrived, 1);
	if (exit->iio_from < exit->iio_until)
		tell_span(bank, R3QPI_IIO_CREDITS_USED(exit->cls),
			  exit->iio_from, exit->iio_until, 1);
}
