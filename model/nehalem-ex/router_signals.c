/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the PMU sees of the R-Box. Every signal exists once per port. Signals of
 * a packet received, of the tables and of the arbitration belong to the input
 * port; those of packets and flits sent belong to the output port.
 *
 * Packets on VNA belong to a virtual network all the same: that whose place
 * they would have taken had there been no room.
 */
#include <stddef.h>

#include "model/nehalem-ex/router_parts.h"
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
static const uint16_t global_bid[] = PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID);
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
static bool is_of_links(unsigned signal)
{
	return signal == SIG_RBOX_FLITS_RECV_ERR ||
	       signal == SIG_RBOX_RETRYQ_NE || signal == SIG_RBOX_RETRYQ_OV;
}

static unsigned id_of(unsigned signal, unsigned port)
{
	return signal * RBOX_NUM_PORTS + port;
}

/* What leads somewhere sends null flits while it has nothing else. */
static void start_null_flits(struct router *router, unsigned port)
{
	unsigned id = id_of(SIG_RBOX_NULL_IDLE, port);

	if (router_is_qpi(port) && router->neighbours[port] < 0 &&
	    (port != RBOX_PORT_QPI3 || !router->has_hub))
		return;
	if (router_is_qpi(port) && router->config.idle_cycles)
		sig_span(router->bank, id, sim_now(router->sim),
			 router->config.idle_cycles, 1);
	else
		sig_set(router->bank, id, 1);
}

/* Somebody begins to listen: he gets what of the passages is still to come. */
static void on_tap(void *object, unsigned id)
{
	struct router *router = object;

	(void)id;
	if (router->is_watched)
		return;
	router->is_watched = true;
	special_catch_up(router);
	for (unsigned i = 0; i < ROUTER_PASSAGES; i++) {
		unsigned place = (router->num_passages + i) % ROUTER_PASSAGES;

		if (router->passages[place].until > sim_now(router->sim))
			router_publish(router, &router->passages[place]);
	}
}

void router_drive_signals(struct router *router)
{
	struct sigbank *bank = router->bank;

	for (unsigned signal = 0; signal < NUM_SIG_RBOX; signal++)
		for (unsigned port = 0; port < RBOX_NUM_PORTS; port++)
			if (!is_of_links(signal) || router_is_qpi(port))
				sig_drives(bank, id_of(signal, port), 1);
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++)
		start_null_flits(router, port);
	for (unsigned id = 0; id < bank->num_signals; id++)
		router->is_watched |= sig_is_tapped(bank, id);
	bank->on_tap = on_tap;
	bank->on_tap_object = router;
}

/* What has passed already is not published again. */
void router_pulse(struct router *router, unsigned signal, unsigned port,
		  uint64_t at)
{
	if (at >= sim_now(router->sim))
		sig_later(router->bank, id_of(signal, port), at, 1);
}

void router_span(struct router *router, unsigned signal, unsigned port,
		 uint64_t from, uint64_t to, int n)
{
	uint64_t now = sim_now(router->sim);

	sig_span(router->bank, id_of(signal, port), from > now ? from : now, to,
		 n);
}

/* Of the entry table, and of the output queue. */
static void publish_overflow(struct router *router,
			     const struct passage *passage)
{
	unsigned in = passage->in, cls = passage->cls;
	unsigned network = passage->network;

	if (passage->overflow)
		router_pulse(router, SIG_RBOX_OUTPUTQ_OVFL, passage->out,
			     passage->overflow);
	if (passage->table == passage->entered)
		return;
	router_pulse(router, eot_inserts[network][cls], in, passage->entered);
	router_span(router, eot_depth[network][cls], in, passage->entered,
		    passage->table, 1);
	router_cover(router, in, COVER_OVERFLOWED, SIG_RBOX_EOT_NE_CYCLES,
		     passage->entered, passage->table);
}

void router_publish_null(struct router *router, unsigned port,
			 const struct stretch *stretch, const struct doze *doze)
{
	if (!doze || !router->config.idle_cycles) {
		router_span(router, SIG_RBOX_NULL_IDLE, port, stretch->from,
			    stretch->to, -1);
		return;
	}
	router_span(router, SIG_RBOX_NULL_IDLE, port, doze->asleep_from,
		    doze->asleep_to, -1);
	router_span(router, SIG_RBOX_NULL_IDLE, port, stretch->to,
		    doze->awake_to, 1);
}

/* A link that may sleep has its null flits published when it is taken. */
static void publish_link(struct router *router, const struct passage *passage)
{
	const struct stretch *sent = &passage->sent;
	unsigned out = passage->out;

	router_span(router, SIG_RBOX_OUTPUTQ_NE, out, sent->from, sent->to, 1);
	router_span(router, SIG_RBOX_RETRYQ_NE, out, sent->retry_from,
		    sent->retry_to, 1);
	if (!router->config.idle_cycles)
		router_publish_null(router, out, sent, NULL);
}

/* What the box takes at once is in nobody's way: the crossbar brings one packet
 * at a time. */
static void publish_box(struct router *router, const struct passage *passage)
{
	uint64_t from = passage->granted, to = from + passage->flits;
	uint64_t now = sim_now(router->sim);
	unsigned out = passage->out;

	router_span(router, SIG_RBOX_NULL_IDLE, out, from, to, -1);
	if (passage->taken == to && !passage->is_behind) {
		if (from >= now)
			lane_set(router_cover_lane(router, out, COVER_HELD),
				 COVER_HELD % LANE_KINDS, now, from,
				 passage->flits);
		router_span(router, SIG_RBOX_OUTPUTQ_NE, out, from, to, 1);
		return;
	}
	router_cover(router, out, COVER_HELD, SIG_RBOX_OUTPUTQ_NE, from,
		     passage->taken);
}

/* The credit that a packet takes at its output port. */
static unsigned target(const struct passage *passage)
{
	if (passage->vn_out != CREDITS_VNA)
		return target_place[passage->vn_out][passage->cls];
	return passage->flits <= MAX_FLITS_SMALL
		       ? target_vna_small[passage->next_network]
		       : target_vna_large[passage->next_network];
}

/* See NODE_IOH(). */
static uint8_t visible_node(unsigned node)
{
	return (uint8_t)(NODE_IS_IOH(node) ? 16 + 4 * NODE_HUB(node) : node);
}

static void publish_packet(struct router *router, const struct passage *passage)
{
	struct sig_header header = {
		.address = passage->line * 64,
		.message_class = passage->mc,
		.opcode = passage->opcode,
		.state = passage->state,
		.vn = passage->vn_out,
		.flits = passage->flits,
		.home_node = visible_node(passage->home),
		.dest_node = visible_node(passage->dest),
		.requester_node = visible_node(passage->requester),
	};

	if (passage->granted >= sim_now(router->sim))
		sig_packet_at(router->bank,
			      id_of(SIG_RBOX_XBR_PKT, passage->out),
			      passage->granted, &header);
}

static void publish_grant(struct router *router, const struct passage *passage)
{
	unsigned in = passage->in, out = passage->out;
	uint64_t from = passage->granted, to = from + passage->flits;

	router_pulse(router, global_bid[passage->cls], in, from);
	router_pulse(router, target(passage), in, from);
	router_span(router, SIG_RBOX_INQUE_READ_WIN, in, from, to, 1);
	router_span(router, SIG_RBOX_FLITS_SENT, out, from, to, 1);
	publish_packet(router, passage);
}

void router_publish(struct router *router, const struct passage *passage)
{
	unsigned in = passage->in, cls = passage->cls;

	router_pulse(router, new_packets[passage->vn_in][cls], in,
		     passage->entered);
	router_pulse(router, alloc_to_arb[passage->network][cls], in,
		     passage->is_plain ? passage->entered : passage->table);
	router_publish_bids(router, passage);
	publish_grant(router, passage);
	if (!passage->is_plain)
		publish_overflow(router, passage);
	if (router_is_qpi(passage->out))
		publish_link(router, passage);
	else
		publish_box(router, passage);
}
