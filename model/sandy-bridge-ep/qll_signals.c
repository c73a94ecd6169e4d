/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the PMUs of both ends see of a message, and of a link's power states.
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

/* A column for each enum packet_class. */
#define PER_CLASS(prefix)                                                      \
	{                                                                      \
		prefix##_HOM, prefix##_SNP, prefix##_NDR, prefix##_DRS,        \
			prefix##_NCS, prefix##_NCB                             \
	}

static const uint16_t rx_inserts[] = PER_CLASS(SIG_QPI_RXL_INSERTS);
static const uint16_t rx_occupancy[] = PER_CLASS(SIG_QPI_RXL_OCCUPANCY);
static const uint16_t rx_vn0[] = PER_CLASS(SIG_QPI_RXL_CREDITS_CONSUMED_VN0);
static const uint16_t bgf_stalls[] = PER_CLASS(SIG_QPI_RXL_STALLS_BGF);
static const uint16_t in_inserts[] = PER_CLASS(SIG_R3QPI_RXR_INSERTS);
static const uint16_t in_occupancy[] = PER_CLASS(SIG_R3QPI_RXR_OCCUPANCY);
static const uint16_t vna_reject[] = PER_CLASS(SIG_R3QPI_VNA_CREDITS_REJECT);
static const uint16_t vn0_used[] = PER_CLASS(SIG_R3QPI_VN0_CREDITS_USED);
static const uint16_t vn0_reject[] = PER_CLASS(SIG_R3QPI_VN0_CREDITS_REJECT);

/* Of the classes that go to an IIO. */
#define IIO(event)                                                             \
	{                                                                      \
		[PACKET_DRS] = SIG_R3QPI_IIO_CREDITS_##event##_DRS,            \
		[PACKET_NCS] = SIG_R3QPI_IIO_CREDITS_##event##_NCS,            \
		[PACKET_NCB] = SIG_R3QPI_IIO_CREDITS_##event##_NCB,            \
	}
static const uint16_t iio_acquired[PACKET_NUM_CLASSES] = IIO(ACQUIRED);
static const uint16_t iio_reject[PACKET_NUM_CLASSES] = IIO(REJECT);
static const uint16_t iio_used[PACKET_NUM_CLASSES] = IIO(USED);

/* One way of a link, seen from one of its ends. */
struct side {
	uint16_t idle, data, non_data, snp, hom_req, hom_nonreq, drs_data,
		drs_nondata, ndr_ad, ndr_ak, ncb_data, ncb_nondata, ncs;
	uint16_t full, half;
};

#define SIDE(S)                                                                \
	{                                                                      \
		SIG_QPI_##S##_FLITS_G0_IDLE, SIG_QPI_##S##_FLITS_G0_DATA,      \
			SIG_QPI_##S##_FLITS_G0_NON_DATA,                       \
			SIG_QPI_##S##_FLITS_G1_SNP,                            \
			SIG_QPI_##S##_FLITS_G1_HOM_REQ,                        \
			SIG_QPI_##S##_FLITS_G1_HOM_NONREQ,                     \
			SIG_QPI_##S##_FLITS_G1_DRS_DATA,                       \
			SIG_QPI_##S##_FLITS_G1_DRS_NONDATA,                    \
			SIG_QPI_##S##_FLITS_G2_NDR_AD,                         \
			SIG_QPI_##S##_FLITS_G2_NDR_AK,                         \
			SIG_QPI_##S##_FLITS_G2_NCB_DATA,                       \
			SIG_QPI_##S##_FLITS_G2_NCB_NONDATA,                    \
			SIG_QPI_##S##_FLITS_G2_NCS,                            \
			SIG_QPI_##S##0_POWER_CYCLES,                           \
			SIG_QPI_##S##0P_POWER_CYCLES                           \
	}
static const struct side sends = SIDE(TXL), receives = SIDE(RXL);

void qll_drive_signals(struct qll *qll)
{
	sig_drives(qll->qpi, 0, NUM_SIG_QPI);
	for (unsigned id = 0; id < SIG_R3QPI_SBO0_CREDITS_ACQUIRED_AD; id++)
		if (id < SIG_R3QPI_RING_AD_USED_CW_EVEN ||
		    id > SIG_R3QPI_RING_IV_USED_ANY)
			sig_drives(qll->r3qpi, id, 1);
}

/* Levels for ever, to which awake_fn add. */
void qll_start_levels(struct qll *qll)
{
	const struct qll_config *config = &qll->config;
	bool is_up = qll->far && !config->sleep_after;
	bool is_half = config->half_after;
	const struct side *sides[] = { &sends, &receives };

	sig_set(qll->qpi, SIG_QPI_CLOCKTICKS, 1);
	sig_set(qll->r3qpi, SIG_R3QPI_CLOCKTICKS, 1);
	sig_set(qll->qpi, SIG_QPI_L1_POWER_CYCLES, !is_up);
	if (!config->vna)
		sig_set(qll->r3qpi, SIG_R3QPI_VNA_CREDIT_CYCLES_OUT, 1);
	for (unsigned i = 0; is_up && i < 2; i++) {
		sig_set(qll->qpi, is_half ? sides[i]->half : sides[i]->full, 1);
		sig_set(qll->qpi, sides[i]->idle, is_half ? 1 : 2);
	}
	/* What it receives is what was sent before the start. */
	if (is_half && qll->far) {
		qll_span(qll, receives.full, 0, config->latency, 1);
		qll_span(qll, receives.half, 0, config->latency, -1);
		qll_span(qll, receives.idle, 0, config->latency, 1);
	}
}

static void all_lanes(const struct qll *qll, const struct side *side,
		      uint64_t from, uint64_t to)
{
	qll_span(qll, side->full, from, to, 1);
	qll_span(qll, side->half, from, to, -1);
	qll_span(qll, side->idle, from, to, 1);
}

void qll_tell_full(void *object, uint64_t from, uint64_t to)
{
	const struct qll *qll = object;
	unsigned latency = qll->config.latency;

	all_lanes(qll, &sends, from, to);
	all_lanes(qll->far, &receives, from + latency, to + latency);
}

void qll_tell_up(void *object, uint64_t from, uint64_t to)
{
	const struct qll *qll = object;
	const struct qll *ends[] = { qll, qll->far };
	const struct side *sides[] = { &sends, &receives };
	bool is_half = qll->config.half_after;

	for (unsigned i = 0; i < 4; i++) {
		const struct qll *end = ends[i / 2];
		const struct side *side = sides[i % 2];

		qll_span(end, is_half ? side->half : side->full, from, to, 1);
		qll_span(end, side->idle, from, to, is_half ? 1 : 2);
	}
	for (unsigned i = 0; i < 2; i++)
		qll_span(ends[i], SIG_QPI_L1_POWER_CYCLES, from, to, -1);
}

void qll_tell_out(void *object, uint64_t from, uint64_t to)
{
	const struct qll *qll = object;

	sig_span(qll->r3qpi, SIG_R3QPI_VNA_CREDIT_CYCLES_OUT, from, to, 1);
}

void qll_tell_iio(struct qll *qll, unsigned cls, uint64_t asked, uint64_t got)
{
	sig_later(qll->r3qpi, iio_acquired[cls], got, 1);
	if (got > asked)
		sig_later(qll->r3qpi, iio_reject[cls], asked, 1);
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
		sig_later(train->bank, id, qll_cycle_begins(qll, slot / 2), 1);
}

static unsigned data_flits(const struct qll_passage *passage)
{
	if (passage->cls != PACKET_DRS && passage->cls != PACKET_NCB)
		return 0;
	return passage->flits > QLL_DATA_FLITS ? QLL_DATA_FLITS : 0;
}

static unsigned header_signal(const struct side *side,
			      const struct qll_passage *passage)
{
	switch (passage->cls) {
	case PACKET_HOM:
		return passage->mc == MC_HOM0 ? side->hom_req
					      : side->hom_nonreq;
	case PACKET_SNP: return side->snp;
	case PACKET_NDR:
		return NODE_IS_BBOX(passage->dest) ? side->ndr_ak
						   : side->ndr_ad;
	case PACKET_DRS: return side->drs_nondata;
	case PACKET_NCB: return side->ncb_nondata;
	default: return side->ncs;
	}
}

static void pass(struct facts_book *facts, const struct qll *qll,
		 const struct side *side, const struct qll_passage *passage)
{
	unsigned data = data_flits(passage), others = passage->flits - data;
	struct sigbank *bank = qll->qpi;

	facts_tell(facts, bank, side->non_data, others);
	facts_tell(facts, bank, header_signal(side, passage), others);
	if (!data)
		return;
	facts_tell(facts, bank, side->data, data);
	facts_tell(facts, bank,
		   passage->cls == PACKET_DRS ? side->drs_data : side->ncb_data,
		   data);
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

void qll_pass(struct ep *ep, unsigned socket, unsigned link,
	      const struct packet *packet)
{
	const struct qll *qll = ep->sockets[socket].qlls[link];
	const struct qll_passage passage = {
		.cls = packet->cls,
		.mc = packet->mc,
		.dest = packet->dest,
		.flits = packet->flits,
	};

	pass(&ep->engine.facts, qll, &sends, &passage);
	pass(&ep->engine.facts, qll->far, &receives, &passage);
}

/* The packet on the wire, its first flit in a slot. */
static void tell_wire(const struct qll *qll, const struct side *side,
		      const struct qll_passage *passage, uint64_t slot)
{
	unsigned data = data_flits(passage), others = passage->flits - data;
	struct train train = { qll->qpi, qll, slot, passage->flits,
			       passage->pace };

	tell_flits(&train, side->idle, -1);
	train.num = others;
	tell_flits(&train, side->non_data, 1);
	tell_flits(&train, header_signal(side, passage), 1);
	train.first += (uint64_t)others * passage->pace;
	train.num = data;
	tell_flits(&train, side->data, 1);
	tell_flits(&train,
		   passage->cls == PACKET_DRS ? side->drs_data : side->ncb_data,
		   1);
}

/* A queue whose flits come from a slot on and go from another one on. */
static void tell_queue(const struct qll *qll, unsigned id,
		       const struct train *in, const struct train *out)
{
	if (!qll->qpi->heard[id])
		return;
	for (unsigned i = 0; i < in->num; i++)
		qll_span(qll, id, (in->first + (uint64_t)i * in->pace) / 2,
			 (out->first + (uint64_t)i * out->pace) / 2, 1);
}

static void tell_transmit(const struct qll *qll,
			  const struct qll_passage *passage)
{
	struct train in = { qll->qpi, qll, passage->queued, passage->flits, 1 };
	struct train out = in;

	out.first = passage->sent;
	out.pace = passage->pace;
	tell_wire(qll, &sends, passage, passage->sent);
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
	static const uint16_t ids[] = {
		[QLL_DIRECT_SUCCESS] = SIG_QPI_DIRECT2CORE_SUCCESS,
		[QLL_DIRECT_FAILURE_CREDITS] =
			SIG_QPI_DIRECT2CORE_FAILURE_CREDITS,
		[QLL_DIRECT_FAILURE_RBT] = SIG_QPI_DIRECT2CORE_FAILURE_RBT,
		[QLL_DIRECT_FAILURE_CREDITS_RBT] =
			SIG_QPI_DIRECT2CORE_FAILURE_CREDITS_RBT,
	};

	if (passage->direct != QLL_DIRECT_NO_CANDIDATE)
		tell_later(far->qpi, ids[passage->direct], at, 1);
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
		tell_cycles(far, bgf_stalls[passage->cls], passage->crosses,
			    passage->drained / 2);
}

static void tell_receive_queue(const struct qll *far,
			       const struct qll_passage *passage,
			       const struct train *in)
{
	struct train out = *in;
	unsigned cls = passage->cls;

	if (!passage->drained) {
		tell_passing(in, SIG_QPI_RXL_BYPASSED);
		return;
	}
	out.first = passage->drained;
	out.pace = 1;
	tell_passing(in, SIG_QPI_RXL_INSERTS);
	tell_passing(in, rx_inserts[cls]);
	tell_queue(far, SIG_QPI_RXL_OCCUPANCY, in, &out);
	tell_queue(far, rx_occupancy[cls], in, &out);
	tell_stalls(far, passage);
}

static void tell_receive(const struct qll *far,
			 const struct qll_passage *passage)
{
	struct train in = { far->qpi, far, passage->sent + qll_flight(far),
			    passage->flits, passage->pace };
	uint64_t at = qll_cycle_begins(far, in.first / 2);
	bool is_vna = passage->vn == QLL_VNA;

	tell_wire(far, &receives, passage, in.first);
	tell_packet(far, passage, at);
	tell_direct(far, passage, at);
	tell_later(far->qpi,
		   is_vna ? SIG_QPI_RXL_CREDITS_CONSUMED_VNA
			  : rx_vn0[passage->cls],
		   at, 1);
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
		tell_later(bank, vna_reject[cls], passage->asked, 1);
	if (passage->lacked_vn0)
		tell_later(bank, vn0_reject[cls], passage->asked, 1);
	if (passage->vn != QLL_VNA) {
		tell_later(bank, vn0_used[cls], at, 1);
		return;
	}
	tell_span(bank, SIG_R3QPI_VNA_CREDIT_CYCLES_USED, at, passage->back, 1);
	for (unsigned flits = passage->flits; flits; at++) {
		unsigned some = flits < VNA_A_CYCLE ? flits : VNA_A_CYCLE;

		tell_later(bank, SIG_R3QPI_VNA_CREDITS_ACQUIRED, at, some);
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
		tell_later(bank, in_inserts[passage->cls], passage->taken, 1);
		tell_span(bank, in_occupancy[passage->cls], passage->taken,
			  passage->left, 1);
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
		tell_later(bank, SIG_R3QPI_TXR_NACK, exit->arrived, 1);
	if (exit->iio_from < exit->iio_until)
		tell_span(bank, iio_used[exit->cls], exit->iio_from,
			  exit->iio_until, 1);
}
