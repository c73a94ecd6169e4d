/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the PMU sees of the R-Box. Every signal exists once per port. Signals of
 * a packet received, of the tables and of the arbitration belong to the input
 * port; those of packets and flits sent belong to the output port.
 *
 * Bids are levels that last from one decision of the arbiter to the next; a bid
 * that is rejected counts once per decision, not once per cycle of waiting.
 *
 * Not driven, because nothing in the model makes them happen: flits_recv_err,
 * flits_recv_spec (no errors on the wire, no flits of the link layer itself),
 * outputq_ovfl and retryq_ov (no queue is given what it has no room for).
 * VN1 is not driven: this machine has it and makes no use of it.
 */
#include <stddef.h>

#include "model/box/rbox_parts.h"
#include "signals.h"

/* A column for each enum packet_class. */
#define PER_CLASS(prefix)                                                      \
	{                                                                      \
		prefix##_HOM, prefix##_SNP, prefix##_NDR, prefix##_DRS,        \
			prefix##_NCS, prefix##_NCB                             \
	}

static const uint16_t new_vn0[] = PER_CLASS(SIG_RBOX_NEW_PACKETS_RECV_VN0);
static const uint16_t new_vna[] = PER_CLASS(SIG_RBOX_NEW_PACKETS_RECV_VNA);
static const uint16_t alloc_to_arb[] = {
	SIG_RBOX_ALLOC_TO_ARB_HOM_VN0, SIG_RBOX_ALLOC_TO_ARB_SNP,
	SIG_RBOX_ALLOC_TO_ARB_NDR,     SIG_RBOX_ALLOC_TO_ARB_DRS_VN01,
	SIG_RBOX_ALLOC_TO_ARB_NCS,     SIG_RBOX_ALLOC_TO_ARB_NCB,
};
static const uint16_t eot_depth[] = {
	SIG_RBOX_EOT_DEPTH_HOM_VN0, SIG_RBOX_EOT_DEPTH_SNP,
	SIG_RBOX_EOT_DEPTH_NDR,	    SIG_RBOX_EOT_DEPTH_DRS_VN0,
	SIG_RBOX_EOT_DEPTH_NCS,	    SIG_RBOX_EOT_DEPTH_NCB,
};
static const uint16_t eot_inserts[] = {
	SIG_RBOX_EOT_INSERTS_HOM_VN0, SIG_RBOX_EOT_INSERTS_SNP,
	SIG_RBOX_EOT_INSERTS_NDR,     SIG_RBOX_EOT_INSERTS_DRS_VN0,
	SIG_RBOX_EOT_INSERTS_NCS,     SIG_RBOX_EOT_INSERTS_NCB,
};
/* Rows in the order of the bits of enum rbox_bid. */
static const uint16_t bid_levels[][PACKET_NUM_CLASSES] = {
	PER_CLASS(SIG_RBOX_QUE_ARB_BID),
	PER_CLASS(SIG_RBOX_LOCAL_ARB_BID),
	PER_CLASS(SIG_RBOX_LOCAL_ARB_BID_FAIL),
	PER_CLASS(SIG_RBOX_STARVING),
};
static const uint16_t que_fail[] = PER_CLASS(SIG_RBOX_QUE_ARB_BID_FAIL);
static const uint16_t global_bid[] = PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID);
static const uint16_t global_fail[] =
	PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN0);
static const uint16_t target_vn0[] = PER_CLASS(SIG_RBOX_TARGET_AVAILABLE_VN0);

enum { MAX_FLITS_SMALL = 3 }; /* Table 2-62: VNA-small has up to 3 flits */

/* Signals that have no mechanism, or one on QPI ports only. */
static const uint16_t never_driven[] = {
	SIG_RBOX_FLITS_RECV_ERR,
	SIG_RBOX_FLITS_RECV_SPEC,
	SIG_RBOX_OUTPUTQ_OVFL,
	SIG_RBOX_RETRYQ_OV,
};
static const uint16_t qpi_only[] = { SIG_RBOX_NULL_IDLE, SIG_RBOX_RETRYQ_NE };
static const uint8_t qpi_ports[] = { RBOX_PORT_QPI0, RBOX_PORT_QPI1,
				     RBOX_PORT_QPI2, RBOX_PORT_QPI3 };

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static bool is_in(unsigned signal, const uint16_t *list, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (list[i] == signal)
			return true;
	return false;
}

/* Signals of VN1, on which nothing travels: the first and how many. */
static const struct {
	unsigned first, count;
} vn1[] = {
	{ SIG_RBOX_NEW_PACKETS_RECV_VN1_NCB, 6 },
	{ SIG_RBOX_ALLOC_TO_ARB_HOM_VN1, 1 },
	{ SIG_RBOX_EOT_DEPTH_HOM_VN1, 1 },
	{ SIG_RBOX_EOT_DEPTH_DRS_VN1, 1 },
	{ SIG_RBOX_EOT_INSERTS_HOM_VN1, 1 },
	{ SIG_RBOX_EOT_INSERTS_DRS_VN1, 1 },
	{ SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN1_HOM, 6 },
	{ SIG_RBOX_TARGET_AVAILABLE_VN1_HOM, 8 },
};

static bool is_of_vn1(unsigned signal)
{
	for (size_t i = 0; i < LENGTH(vn1); i++)
		if (signal - vn1[i].first < vn1[i].count)
			return true;
	return false;
}

void rbox_drive_signals(struct rbox *rbox)
{
	for (unsigned signal = 0; signal < NUM_SIG_RBOX; signal++) {
		if (is_in(signal, never_driven, LENGTH(never_driven)) ||
		    is_in(signal, qpi_only, LENGTH(qpi_only)) ||
		    is_of_vn1(signal))
			continue;
		sig_drives(rbox->bank, rbox_signal(signal, 0), RBOX_NUM_PORTS);
	}
	for (size_t i = 0; i < LENGTH(qpi_only); i++)
		for (size_t j = 0; j < LENGTH(qpi_ports); j++)
			sig_drives(rbox->bank,
				   rbox_signal(qpi_only[i], qpi_ports[j]), 1);
}

/* A link that is up sends null flits while it has nothing else. */
void rbox_link_up(struct rbox *rbox, unsigned port)
{
	sig_set(rbox->bank, rbox_signal(SIG_RBOX_NULL_IDLE, port), 1);
}

void rbox_publish_entry(struct rbox *rbox, unsigned port,
			const struct packet *packet)
{
	const uint16_t *signals = packet->vn ? new_vna : new_vn0;

	sig_pulse(rbox->bank, rbox_signal(signals[packet->cls], port), 1);
}

void rbox_publish_table(struct rbox *rbox, unsigned port, unsigned cls)
{
	sig_pulse(rbox->bank, rbox_signal(alloc_to_arb[cls], port), 1);
}

void rbox_publish_overflow(struct rbox *rbox, unsigned port, unsigned cls,
			   int change)
{
	struct rbox_input *input = &rbox->inputs[port];

	input->num_overflowed = (uint8_t)(input->num_overflowed + change);
	sig_add(rbox->bank, rbox_signal(eot_depth[cls], port), change);
	sig_set(rbox->bank, rbox_signal(SIG_RBOX_EOT_NE_CYCLES, port),
		input->num_overflowed > 0);
	if (change > 0)
		sig_pulse(rbox->bank, rbox_signal(eot_inserts[cls], port), 1);
}

void rbox_change_bids(struct rbox *rbox, unsigned port, unsigned cls,
		      unsigned bids)
{
	struct rbox_queue *queue = &rbox->inputs[port].queues[cls];
	unsigned changed = queue->bids ^ bids;

	queue->bids = (uint8_t)bids;
	for (; changed; changed &= changed - 1) {
		unsigned row = (unsigned)__builtin_ctz(changed);

		sig_add(rbox->bank, rbox_signal(bid_levels[row][cls], port),
			bids >> row & 1 ? 1 : -1);
	}
}

void rbox_publish_no_target(struct rbox *rbox, unsigned port, unsigned cls)
{
	sig_pulse(rbox->bank, rbox_signal(que_fail[cls], port), 1);
}

void rbox_publish_loss(struct rbox *rbox, unsigned port, unsigned cls)
{
	sig_pulse(rbox->bank, rbox_signal(global_bid[cls], port), 1);
	sig_pulse(rbox->bank, rbox_signal(global_fail[cls], port), 1);
}

/* The credit that a packet takes at its output port. */
static unsigned target(const struct packet *packet)
{
	if (!packet->vn)
		return target_vn0[packet->cls];
	return packet->flits <= MAX_FLITS_SMALL
		       ? SIG_RBOX_TARGET_AVAILABLE_VN0_VSM
		       : SIG_RBOX_TARGET_AVAILABLE_VN0_VLG;
}

/* One read of the input queue per flit. */
static void publish_reads(struct rbox *rbox, unsigned port, unsigned flits)
{
	unsigned signal = rbox_signal(SIG_RBOX_INQUE_READ_WIN, port);

	if (!sig_is_tapped(rbox->bank, signal))
		return;
	for (unsigned flit = 0; flit < flits; flit++)
		sig_later(rbox->bank, signal, sim_now(rbox->sim) + flit, 1);
}

void rbox_publish_pass(struct rbox *rbox, unsigned in, unsigned out,
		       const struct packet *packet)
{
	publish_reads(rbox, in, packet->flits);
	sig_pulse(rbox->bank, rbox_signal(global_bid[packet->cls], in), 1);
	sig_pulse(rbox->bank, rbox_signal(target(packet), in), 1);
	sig_busy(rbox->bank, rbox_signal(SIG_RBOX_FLITS_SENT, out),
		 sim_now(rbox->sim) + packet->flits);
	packet_show(rbox->bank, rbox_signal(SIG_RBOX_XBR_PKT, out), packet);
}
