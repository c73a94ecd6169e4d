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

/* Somebody begins to listen: idle flits that are known already are published
 * now, and from then on at once. */
static void on_tap(void *object, unsigned id)
{
	struct router *router = object;

	(void)id;
	if (router->is_watched)
		return;
	router->is_watched = true;
	special_catch_up(router);
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
	router_pulse(router, alloc_to_arb[network][cls], in, passage->table);
	router_pulse(router, eot_inserts[network][cls], in, passage->entered);
	router_span(router, eot_depth[network][cls], in, passage->entered,
		    passage->table, 1);
	router_cover(router, router->ports[in].levels, LEVEL_OVERFLOWED,
		     SIG_RBOX_EOT_NE_CYCLES, in, passage->entered,
		     passage->table);
}

void router_publish_wait(struct router *router, const struct passage *passage)
{
	router_publish_bids(router, passage);
	publish_overflow(router, passage);
}

/* Visits */

/* A visit, and its packet as it was. */
struct told {
	const struct router_visit *visit;
	struct packet packet;
	uint64_t granted;
};

static unsigned network_of(const struct told *told, unsigned bit)
{
	return told->visit->how >> bit & 1;
}

static unsigned credit_of(const struct told *told, unsigned bit)
{
	return told->visit->how >> bit & 3;
}

/* The credit that a packet takes at its output port. */
static unsigned target(const struct told *told)
{
	unsigned network = network_of(told, VISIT_NEXT_NETWORK);
	unsigned vn = credit_of(told, VISIT_VN_OUT);

	if (vn != CREDITS_VNA)
		return target_place[vn][told->packet.cls];
	return told->packet.flits <= MAX_FLITS_SMALL
		       ? target_vna_small[network]
		       : target_vna_large[network];
}

/* See NODE_IOH(). */
static uint8_t visible_node(unsigned node)
{
	return (uint8_t)(NODE_IS_IOH(node) ? 16 + 4 * NODE_HUB(node) : node);
}

static struct sig_header header_of(const struct told *told)
{
	const struct packet *packet = &told->packet;

	return (struct sig_header){
		.address = packet->line * 64,
		.message_class = packet->mc,
		.opcode = packet->opcode,
		.state = packet->state,
		.vn = (uint8_t)credit_of(told, VISIT_VN_OUT),
		.flits = packet->flits,
		.home_node = visible_node(packet->home),
		.dest_node = visible_node(packet->dest),
		.requester_node = visible_node(packet->requester),
	};
}

static void tell_packet(struct sigbank *bank, const struct told *told)
{
	unsigned id = router_id(SIG_RBOX_XBR_PKT, told->visit->out);
	struct sig_header header = header_of(told);

	tell_packet_at(bank, id, told->granted, &header);
}

static void tell_grant(struct sigbank *bank, const struct told *told)
{
	unsigned in = told->visit->in, out = told->visit->out;
	uint64_t from = told->granted, to = from + told->packet.flits;

	tell_later(bank, router_id(global_bid[told->packet.cls], in), from, 1);
	tell_later(bank, router_id(target(told), in), from, 1);
	tell_span(bank, router_id(SIG_RBOX_INQUE_READ_WIN, in), from, to, 1);
	tell_span(bank, router_id(SIG_RBOX_FLITS_SENT, out), from, to, 1);
	if (!router_is_qpi(out))
		tell_span(bank, router_id(SIG_RBOX_NULL_IDLE, out), from, to,
			  -1);
	if (bank->heard[router_id(SIG_RBOX_XBR_PKT, out)])
		tell_packet(bank, told);
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
	struct told told = { .visit = visit, .granted = visit->granted };
	unsigned in = visit->in, cls, credit, network;
	uint64_t at = visit->granted - visit->waits;

	memcpy(&told.packet, visit->packet, VISIT_PACKET);
	cls = told.packet.cls;
	credit = credit_of(&told, VISIT_VN_IN);
	network = network_of(&told, VISIT_NETWORK);
	tell_later(bank, router_id(new_packets[credit][cls], in), at, 1);
	if (visit->how & VISIT_TABLE)
		tell_later(bank, router_id(alloc_to_arb[network][cls], in), at,
			   1);
	if (visit->how & VISIT_IS_BID)
		router_tell_bid(bank, visit, cls);
	tell_grant(bank, &told);
	tell_queues(bank, visit);
}

static void count_packet(struct facts_book *facts, struct sigbank *bank,
			 const struct way *way, const struct packet *packet,
			 unsigned how)
{
	const struct router_visit visit = { .out = way->out,
					    .how = (uint16_t)how };
	const struct told told = { .visit = &visit, .packet = *packet };
	const struct sig_header header = header_of(&told);

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
