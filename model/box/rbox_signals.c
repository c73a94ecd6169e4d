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
 * Packets on VNA belong to a virtual network all the same: that whose place
 * they would have taken had there been no room.
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

/* The same with a row for each virtual network where only HOM and DRS are told
 * apart by it. */
#define PER_NETWORK(prefix, drs_vn0, drs_vn1)                                  \
	{                                                                      \
		{ prefix##_HOM_VN0,   prefix##_SNP, prefix##_NDR,              \
		  prefix##_##drs_vn0, prefix##_NCS, prefix##_NCB },            \
		{                                                              \
			prefix##_HOM_VN1, prefix##_SNP, prefix##_NDR,          \
				prefix##_##drs_vn1, prefix##_NCS, prefix##_NCB \
		}                                                              \
	}

/* By the credit that carried a packet. */
static const uint16_t new_packets[][PACKET_NUM_CLASSES] = {
	PER_CLASS(SIG_RBOX_NEW_PACKETS_RECV_VN0),
	PER_CLASS(SIG_RBOX_NEW_PACKETS_RECV_VN1),
	PER_CLASS(SIG_RBOX_NEW_PACKETS_RECV_VNA),
};
static const uint16_t alloc_to_arb[][PACKET_NUM_CLASSES] =
	PER_NETWORK(SIG_RBOX_ALLOC_TO_ARB, DRS_VN01, DRS_VN01);
static const uint16_t eot_depth[][PACKET_NUM_CLASSES] =
	PER_NETWORK(SIG_RBOX_EOT_DEPTH, DRS_VN0, DRS_VN1);
static const uint16_t eot_inserts[][PACKET_NUM_CLASSES] =
	PER_NETWORK(SIG_RBOX_EOT_INSERTS, DRS_VN0, DRS_VN1);
/* Rows in the order of the bits of enum rbox_bid. */
static const uint16_t bid_levels[][PACKET_NUM_CLASSES] = {
	PER_CLASS(SIG_RBOX_QUE_ARB_BID),
	PER_CLASS(SIG_RBOX_LOCAL_ARB_BID),
	PER_CLASS(SIG_RBOX_LOCAL_ARB_BID_FAIL),
	PER_CLASS(SIG_RBOX_STARVING),
	PER_CLASS(SIG_RBOX_QUE_ARB_BID_FAIL),
};
static const uint16_t global_bid[] = PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID);
static const uint16_t global_fail[][PACKET_NUM_CLASSES] = {
	PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN0),
	PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID_FAIL_VN1),
};
static const uint16_t target_place[][PACKET_NUM_CLASSES] = {
	PER_CLASS(SIG_RBOX_TARGET_AVAILABLE_VN0),
	PER_CLASS(SIG_RBOX_TARGET_AVAILABLE_VN1),
};
/* Small ones have up to 3 flits (Table 2-62). */
enum { MAX_FLITS_SMALL = 3 };
static const uint16_t target_vna_small[] = {
	SIG_RBOX_TARGET_AVAILABLE_VN0_VSM,
	SIG_RBOX_TARGET_AVAILABLE_VN1_VSM,
};
static const uint16_t target_vna_large[] = {
	SIG_RBOX_TARGET_AVAILABLE_VN0_VLG,
	SIG_RBOX_TARGET_AVAILABLE_VN1_VLG,
};

/* What needs a link: wires within a socket have no CRC and no retries. */
static const uint16_t qpi_only[] = {
	SIG_RBOX_FLITS_RECV_ERR,
	SIG_RBOX_RETRYQ_NE,
	SIG_RBOX_RETRYQ_OV,
};
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

void rbox_drive_signals(struct rbox *rbox)
{
	for (unsigned signal = 0; signal < NUM_SIG_RBOX; signal++) {
		if (is_in(signal, qpi_only, LENGTH(qpi_only)))
			continue;
		sig_drives(rbox->bank, rbox_signal(signal, 0), RBOX_NUM_PORTS);
	}
	for (size_t i = 0; i < LENGTH(qpi_only); i++)
		for (size_t j = 0; j < LENGTH(qpi_ports); j++)
			sig_drives(rbox->bank,
				   rbox_signal(qpi_only[i], qpi_ports[j]), 1);
}

static void find_bids(struct rbox *rbox, unsigned port, unsigned cls)
{
	unsigned bids = rbox->inputs[port].queues[cls].bids;

	for (size_t row = 0; row < LENGTH(bid_levels); row++) {
		unsigned id = rbox_signal(bid_levels[row][cls], port);

		rbox->bank->signals[id].level = bids >> row & 1;
	}
}

/* Somebody begins to listen. The levels are stored, not set: the listener adds
 * them to his sum himself. */
void rbox_watch(struct rbox *rbox)
{
	rbox_watch_arrivals(rbox);
	rbox->is_watched = true;
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
		for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++)
			find_bids(rbox, port, cls);
		rbox_find_phase(rbox, port);
	}
}

void rbox_publish_entry(struct rbox *rbox, unsigned port,
			const struct packet *packet)
{
	unsigned signal = new_packets[packet->vn][packet->cls];

	if (!rbox->is_watched)
		return;
	sig_pulse(rbox->bank, rbox_signal(signal, port), 1);
}

void rbox_publish_table(struct rbox *rbox, unsigned port,
			const struct rbox_entry *entry)
{
	unsigned signal = alloc_to_arb[entry->network][entry->packet.cls];

	if (!rbox->is_watched)
		return;
	sig_pulse(rbox->bank, rbox_signal(signal, port), 1);
}

void rbox_publish_overflow(struct rbox *rbox, unsigned port,
			   const struct rbox_entry *entry, int change)
{
	struct rbox_input *input = &rbox->inputs[port];
	unsigned network = entry->network, cls = entry->packet.cls;

	input->num_overflowed = (uint8_t)(input->num_overflowed + change);
	sig_add(rbox->bank, rbox_signal(eot_depth[network][cls], port), change);
	sig_set(rbox->bank, rbox_signal(SIG_RBOX_EOT_NE_CYCLES, port),
		input->num_overflowed > 0);
	if (change > 0)
		sig_pulse(rbox->bank,
			  rbox_signal(eot_inserts[network][cls], port), 1);
}

void rbox_change_bids(struct rbox *rbox, unsigned port, unsigned cls,
		      unsigned bids)
{
	struct rbox_queue *queue = &rbox->inputs[port].queues[cls];
	unsigned changed = queue->bids ^ bids;

	queue->bids = (uint8_t)bids;
	if (!rbox->is_watched)
		return;
	for (; changed; changed &= changed - 1) {
		unsigned row = (unsigned)__builtin_ctz(changed);

		sig_add(rbox->bank, rbox_signal(bid_levels[row][cls], port),
			bids >> row & 1 ? 1 : -1);
	}
}

void rbox_publish_loss(struct rbox *rbox, unsigned port,
		       const struct rbox_entry *entry)
{
	unsigned cls = entry->packet.cls;
	unsigned fail = global_fail[entry->next_network][cls];

	if (!rbox->is_watched)
		return;
	sig_pulse(rbox->bank, rbox_signal(global_bid[cls], port), 1);
	sig_pulse(rbox->bank, rbox_signal(fail, port), 1);
}

/* The credit that a packet takes at its output port. */
static unsigned target(const struct rbox_entry *entry)
{
	const struct packet *packet = &entry->packet;

	if (packet->vn != QPI_VNA)
		return target_place[packet->vn][packet->cls];
	return packet->flits <= MAX_FLITS_SMALL
		       ? target_vna_small[entry->next_network]
		       : target_vna_large[entry->next_network];
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

void rbox_publish_pass(struct rbox *rbox, unsigned in,
		       const struct rbox_entry *entry)
{
	const struct packet *packet = &entry->packet;
	unsigned out = entry->out;

	sig_busy(rbox->bank, rbox_signal(SIG_RBOX_FLITS_SENT, out),
		 sim_now(rbox->sim) + packet->flits);
	if (!rbox->is_watched)
		return;
	publish_reads(rbox, in, packet->flits);
	sig_pulse(rbox->bank, rbox_signal(global_bid[packet->cls], in), 1);
	sig_pulse(rbox->bank, rbox_signal(target(entry), in), 1);
	packet_show(rbox->bank, rbox_signal(SIG_RBOX_XBR_PKT, out), packet);
}
