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
#include "model/nehalem-ex/router_parts.h"
#include "signals.h"

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
	ROUTER_PER_CLASS(SIG_RBOX_NEW_PACKETS_RECV_VN0),
	ROUTER_PER_CLASS(SIG_RBOX_NEW_PACKETS_RECV_VN1),
	ROUTER_PER_CLASS(SIG_RBOX_NEW_PACKETS_RECV_VNA),
};
static const uint16_t alloc_to_arb[][PACKET_NUM_CLASSES] =
	PER_NETWORK(SIG_RBOX_ALLOC_TO_ARB, DRS_VN01, DRS_VN01);
static const uint16_t eot_depth[][PACKET_NUM_CLASSES] =
	PER_NETWORK(SIG_RBOX_EOT_DEPTH, DRS_VN0, DRS_VN1);
static const uint16_t eot_inserts[][PACKET_NUM_CLASSES] =
	PER_NETWORK(SIG_RBOX_EOT_INSERTS, DRS_VN0, DRS_VN1);
static const uint16_t global_bid[] = ROUTER_PER_CLASS(SIG_RBOX_GLOBAL_ARB_BID);
static const uint16_t target_place[][PACKET_NUM_CLASSES] = {
	ROUTER_PER_CLASS(SIG_RBOX_TARGET_AVAILABLE_VN0),
	ROUTER_PER_CLASS(SIG_RBOX_TARGET_AVAILABLE_VN1),
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

/* What leads somewhere sends null flits while it has nothing else. */
static void start_null_flits(struct router *router, unsigned port)
{
	unsigned id = router_id(SIG_RBOX_NULL_IDLE, port);

	if (router_is_qpi(port) && router->neighbours[port] < 0 &&
	    (port != RBOX_PORT_QPI3 || !router->has_hub))
		return;
	if (router_is_qpi(port) && router->config.idle_cycles)
		sig_span(router->bank, id, sim_now(router->sim),
			 router->config.idle_cycles, 1);
	else
		sig_set(router->bank, id, 1);
}

/* What has passed already is not published again. */
void router_pulse(struct router *router, unsigned signal, unsigned port,
		  uint64_t at)
{
	if (at >= sim_now(router->sim))
		sig_later(router->bank, router_id(signal, port), at, 1);
}

void router_span(struct router *router, unsigned signal, unsigned port,
		 uint64_t from, uint64_t to, int n)
{
	uint64_t now = sim_now(router->sim);

	sig_span(router->bank, router_id(signal, port), from > now ? from : now,
		 to, n);
}

void router_publish_null(struct router *router, unsigned port,
			 const struct stretch *stretch)
{
	if (!router->config.idle_cycles) {
		router_span(router, SIG_RBOX_NULL_IDLE, port, stretch->from,
			    stretch->to, -1);
		return;
	}
	router_span(router, SIG_RBOX_NULL_IDLE, port, stretch->asleep_from,
		    stretch->asleep_to, -1);
	router_span(router, SIG_RBOX_NULL_IDLE, port, stretch->to,
		    stretch->awake_to, 1);
}

void router_publish_overflow(struct router *router,
			     const struct passage *passage)
{
	unsigned in = passage->in, cls = passage->cls;
	unsigned network = passage->network;

	if (passage->overflow)
		router_pulse(router, SIG_RBOX_OUTPUTQ_OVFL, passage->out,
			     passage->overflow);
	if (passage->table == passage->entered)
		return;
	router_pulse(router, alloc_to_arb[network][cls], in, passage->table);
	router_pulse(router, eot_inserts[network][cls], in, passage->entered);
	router_span(router, eot_depth[network][cls], in, passage->entered,
		    passage->table, 1);
	router_cover(router, LATE_OVERFLOWED, SIG_RBOX_EOT_NE_CYCLES, in,
		     passage->entered, passage->table);
}

/* Idle flits with credits. A credit goes back with a packet that is being sent
 * that way, or by itself in an idle flit, which counts as a special flit where
 * it comes in. A packet that is sent in that cycle may be looked at later than
 * the credit: then the flit is taken back before its cycle has come; so it is
 * told as a level. Special flits take no time from packets. All credits of a
 * cycle share one. */
void special_publish(struct router *router, unsigned port, uint64_t at)
{
	sig_span(router->bank, router_id(SIG_RBOX_FLITS_RECV_SPEC, port), at,
		 at + 1, 1);
}

void special_revoke_slowly(struct router *router, unsigned port, uint64_t from,
			   uint64_t to)
{
	unsigned id = router_id(SIG_RBOX_FLITS_RECV_SPEC, port);

	for (; from < to; from += 64) {
		struct board_view view = board_view(&router->board, from);
		uint64_t bits =
			board_empty(&view, row_of(port, ROW_SPECIALS),
				    board_mask(first_of(to - from, 64)));

		if (router->is_watched)
			sig_bits(router->bank, id, from, bits, -1);
	}
}

/* Somebody begins to listen: those to come are not published yet. */
static void on_tap(void *object, unsigned id)
{
	struct router *router = object;

	(void)id;
	if (router->is_watched)
		return;
	router->is_watched = true;
	board_forget(&router->board, sim_now(router->sim));
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++) {
		uint64_t at = sim_now(router->sim);

		for (; at < router->ports[port].specials_until; at += 64) {
			struct board_view view = board_view(&router->board, at);

			sig_bits(router->bank,
				 router_id(SIG_RBOX_FLITS_RECV_SPEC, port), at,
				 board_look(&view, row_of(port, ROW_SPECIALS)),
				 1);
		}
	}
}

bool router_drive_signals(struct router *router)
{
	struct sigbank *bank = router->bank;

	for (unsigned signal = 0; signal < NUM_SIG_RBOX; signal++)
		for (unsigned port = 0; port < RBOX_NUM_PORTS; port++)
			if (!is_of_links(signal) || router_is_qpi(port))
				sig_drives(bank, router_id(signal, port), 1);
	for (unsigned port = 0; port < RBOX_NUM_PORTS; port++)
		start_null_flits(router, port);
	for (unsigned id = 0; id < bank->num_signals; id++)
		router->is_watched |= sig_is_tapped(bank, id);
	bank->on_tap = on_tap;
	bank->on_tap_object = router;
	router->visits = visits_new(bank, sizeof(struct router_visit));
	return router->visits;
}

/* Visits */

static unsigned network_of(const struct router_visit *visit, unsigned bit)
{
	return visit->how >> bit & 1;
}

static unsigned credit_of(const struct router_visit *visit, unsigned bit)
{
	return visit->how >> bit & 3;
}

/* The credit that a packet takes at its output port. */
static unsigned target(const struct router_visit *visit)
{
	unsigned network = network_of(visit, VISIT_NEXT_NETWORK);
	unsigned vn = credit_of(visit, VISIT_VN_OUT);

	if (vn != CREDITS_VNA)
		return target_place[vn][visit->packet.cls];
	return visit->packet.flits <= MAX_FLITS_SMALL
		       ? target_vna_small[network]
		       : target_vna_large[network];
}

/* See NODE_IOH(). */
static uint8_t visible_node(unsigned node)
{
	return (uint8_t)(NODE_IS_IOH(node) ? 16 + 4 * NODE_HUB(node) : node);
}

static struct sig_header header_of(const struct router_visit *visit)
{
	const struct packet *packet = &visit->packet;

	return (struct sig_header){
		.address = packet->line * 64,
		.message_class = packet->mc,
		.opcode = packet->opcode,
		.state = packet->state,
		.vn = (uint8_t)credit_of(visit, VISIT_VN_OUT),
		.flits = packet->flits,
		.home_node = visible_node(packet->home),
		.dest_node = visible_node(packet->dest),
		.requester_node = visible_node(packet->requester),
	};
}

static void tell_packet(struct sigbank *bank, const struct router_visit *visit)
{
	unsigned id = router_id(SIG_RBOX_XBR_PKT, visit->out);
	struct sig_header header = header_of(visit);

	tell_packet_at(bank, id, visit->granted, &header);
}

static void tell_grant(struct sigbank *bank, const struct router_visit *visit)
{
	unsigned in = visit->in, out = visit->out;
	uint64_t from = visit->granted, to = from + visit->packet.flits;

	tell_later(bank, router_id(global_bid[visit->packet.cls], in), from, 1);
	tell_later(bank, router_id(target(visit), in), from, 1);
	tell_span(bank, router_id(SIG_RBOX_INQUE_READ_WIN, in), from, to, 1);
	tell_span(bank, router_id(SIG_RBOX_FLITS_SENT, out), from, to, 1);
	if (!router_is_qpi(out))
		tell_span(bank, router_id(SIG_RBOX_NULL_IDLE, out), from, to,
			  -1);
	if (bank->heard[router_id(SIG_RBOX_XBR_PKT, out)])
		tell_packet(bank, visit);
}

static void tell_queues(struct sigbank *bank, const struct router_visit *visit)
{
	unsigned out = visit->out;
	uint64_t at = visit->granted, from = at + visit->from;

	tell_span(bank, router_id(SIG_RBOX_OUTPUTQ_NE, out), from,
		  at + visit->to, 1);
	if (!router_is_qpi(out))
		return;
	if (visit->how & VISIT_NULL)
		tell_span(bank, router_id(SIG_RBOX_NULL_IDLE, out), from,
			  at + visit->to, -1);
	tell_span(bank, router_id(SIG_RBOX_RETRYQ_NE, out),
		  at + visit->retry_from, at + visit->retry_to, 1);
}

void router_tell(struct sigbank *bank, const void *record)
{
	const struct router_visit *visit = record;
	unsigned in = visit->in, cls = visit->packet.cls;
	uint64_t at = visit->granted - visit->waits;

	tell_later(
		bank,
		router_id(new_packets[credit_of(visit, VISIT_VN_IN)][cls], in),
		at, 1);
	if (visit->how & VISIT_TABLE)
		tell_later(bank,
			   router_id(alloc_to_arb[network_of(
					     visit, VISIT_NETWORK)][cls],
				     in),
			   at, 1);
	router_tell_bids(bank, visit);
	tell_grant(bank, visit);
	tell_queues(bank, visit);
}

static void count_packet(struct facts_book *facts, struct sigbank *bank,
			 const struct way *way, const struct packet *packet,
			 unsigned how)
{
	const struct router_visit visit = { .packet = *packet,
					    .how = (uint16_t)how };
	const struct sig_header header = header_of(&visit);

	facts_tell_packet(facts, bank, router_id(SIG_RBOX_XBR_PKT, way->out),
			  &header);
}

/* Which credit carries it is a matter of time: mostly one of VNA. */
void router_count(struct facts_book *facts, const struct way *last,
		  const struct way *way, const struct packet *packet,
		  unsigned how)
{
	struct sigbank *bank = way->router->bank;
	unsigned in = last->in, out = way->out, cls = packet->cls;
	unsigned network = how >> VISIT_NETWORK & 1;
	unsigned next = how >> VISIT_NEXT_NETWORK & 1;
	unsigned room = packet->flits <= MAX_FLITS_SMALL
				? target_vna_small[next]
				: target_vna_large[next];

	facts_tell(facts, bank, router_id(new_packets[CREDITS_VNA][cls], in),
		   1);
	facts_tell(facts, bank, router_id(alloc_to_arb[network][cls], in), 1);
	facts_tell(facts, bank, router_id(room, in), 1);
	facts_tell(facts, bank, router_id(SIG_RBOX_INQUE_READ_WIN, in),
		   packet->flits);
	facts_tell(facts, bank, router_id(SIG_RBOX_FLITS_SENT, out),
		   packet->flits);
	if (bank->heard[router_id(SIG_RBOX_XBR_PKT, out)])
		count_packet(facts, bank, way, packet, how);
}
