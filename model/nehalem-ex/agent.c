/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.5. The S-Box's request table; what leaves the box for the system is
 * in agent_out.c, what it brings to the ring in agent_in.c, messages to cores
 * in agent_nc.c, credits in agent_credit.c. A request of a C-Box for memory
 * holds an entry of the table and a tracker credit of its home from before it
 * leaves the C-Box until it is complete; so the home agent always has room for
 * it. HOM messages to the B-Box of the same side take the direct link, all
 * others the R-Box.
 *
 * Choices where the guide names a thing and no more: a bypass is taken by what
 * finds its queue empty and the link behind it free, and saves
 * sbox.bypass_cycles. Left out: debug packets, priority updates, and the second
 * FIFO (even and odd) of each egress.
 */
#include "model/nehalem-ex/agent_parts.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "signals.h"

/* Construction */

/* A lock that waits for an entry of the table keeps a credit of its C-Box. If
 * that is the only one, the core that has the bus may never get to write: so
 * then each core's lock needs an entry, beside a miss and a write-back. */
const char *agent_config_check(const struct socket *socket)
{
	unsigned locks = socket->num_cores / EX_SIDES;

	if (socket_param(socket, PARAM_CBOX_S_CREDITS) < 2 &&
	    socket_param(socket, PARAM_SBOX_REQUEST_TABLE) < locks + 2)
		return "with cbox.s_credits=1 a request table "
		       "(sbox.request_table) needs an entry for each core of "
		       "its side and two more";
	return NULL;
}

/* A queue, or `instances` of them, with its signals and what bounds it. */
struct queue_kind {
	uint16_t which, instances, signal, full_signal;
	enum param room;
};

#define SIGNALS(name) SIG_SBOX_##name, SIG_SBOX_##name##_FULL

static const struct queue_kind out_kinds[] = {
	/* each half of the HOM buffer may take all of it; the sum is bounded */
	{ OUT_HOM_R, 1, SIGNALS(TO_R_B_HOM_MSGQ_RBOX), PARAM_SBOX_HOM_QUEUE },
	{ OUT_HOM_B, 1, SIGNALS(TO_R_B_HOM_MSGQ_BBOX), PARAM_SBOX_HOM_QUEUE },
	{ OUT_SNP, 1, SIGNALS(TO_R_SNP_MSGQ), PARAM_SBOX_SNP_QUEUE },
	{ OUT_NDR, 1, SIGNALS(TO_R_NDR_MSGQ), PARAM_SBOX_NDR_QUEUE },
	{ OUT_DRS, AGENT_CBOXES, SIGNALS(TO_R_DRS_MSGQ), PARAM_SBOX_DRS_QUEUE },
	{ OUT_NCB, AGENT_CBOXES, SIGNALS(TO_R_NCB_MSGQ), PARAM_SBOX_NCB_QUEUE },
	{ OUT_NCS, AGENT_CBOXES, SIGNALS(TO_R_NCS_MSGQ), PARAM_SBOX_NCS_QUEUE },
	{ OUT_LOC_NCS, AGENT_CBOXES, SIGNALS(TO_R_LOC_NCS_MSGQ),
	  PARAM_SBOX_NCS_QUEUE },
};

static const struct queue_kind in_kinds[] = {
	{ IN_SNP, 1, SIGNALS(TO_RING_SNP_MSGQ), PARAM_SBOX_RING_SNP_QUEUE },
	{ IN_NCS, 1, SIGNALS(TO_RING_NCS_MSGQ), PARAM_SBOX_RING_NC_QUEUE },
	{ IN_NCB, 1, SIGNALS(TO_RING_NCB_MSGQ), PARAM_SBOX_RING_NC_QUEUE },
	{ IN_NDR, 1, SIGNALS(TO_RING_NDR_MSGQ), PARAM_SBOX_RING_NDR_QUEUE },
	{ IN_R2S, 1, SIGNALS(TO_RING_R2S_MSGQ), PARAM_SBOX_RING_R2S_QUEUE },
	{ IN_B2S, 1, SIGNALS(TO_RING_B2S_MSGQ), PARAM_SBOX_RING_B2S_QUEUE },
};

enum { NUM_OUT_KINDS = sizeof(out_kinds) / sizeof(*out_kinds) };
enum { NUM_IN_KINDS = sizeof(in_kinds) / sizeof(*in_kinds) };

/* Up to how many places a queue is small, and its notes beside them. */
enum { SMALL_ROOM = 4, MORE_NOTES = 6 };

/* The next `size` stays of the agent are those of the queue; without memory for
 * them (the first time) they are only counted. Returns their number by now. */
static unsigned init_stays(struct agent *agent, struct agent_queue *queue,
			   unsigned room, unsigned size, unsigned num)
{
	queue->room = (uint16_t)room;
	queue->size = (uint16_t)size;
	if (agent->stays)
		queue->stays = &agent->stays[num];
	return num + size;
}

static unsigned init_queue(struct agent *agent, struct agent_queue *queue,
			   unsigned room, unsigned num)
{
	return init_stays(agent, queue, room, room, num);
}

static unsigned init_kinds(struct agent *agent, struct agent_queue *queues,
			   const struct queue_kind *kinds, unsigned num_kinds,
			   unsigned num)
{
	for (unsigned i = 0; i < num_kinds; i++)
		for (unsigned j = 0; j < kinds[i].instances; j++) {
			struct agent_queue *queue = &queues[kinds[i].which + j];
			unsigned room = socket_param(agent->socket,
						     kinds[i].room);

			queue->signal = (uint16_t)(kinds[i].signal + j);
			queue->full_signal =
				(uint16_t)(kinds[i].full_signal + j);
			num = init_stays(agent, queue, room,
					 room > SMALL_ROOM ? room
							   : room + MORE_NOTES,
					 num);
		}
	return num;
}

/* What a message for stops that are near has room for; a line takes two places
 * where there is one, as long as it found one. */
static unsigned init_egresses(struct agent *agent, unsigned num)
{
	unsigned room = socket_param(agent->socket, PARAM_SBOX_EGRESS) + 1;

	for (unsigned ring = RING_AD; ring <= RING_BL; ring++)
		for (unsigned d = 0; d < NUM_RING_DIRECTIONS; d++)
			num = init_queue(agent, &agent->egress[ring][d], room,
					 num);
	return num;
}

/* Tracker credits matter only where there are fewer than entries. */
static unsigned init_trackers(struct agent *agent, unsigned num)
{
	unsigned num_homes = EX_SIDES * agent->num_sockets;
	unsigned room =
		socket_param(agent->socket, PARAM_BBOX_TRACKER) / num_homes;

	agent->has_trackers = room < agent->table.room;
	for (unsigned i = 0; agent->has_trackers && i < num_homes; i++)
		num = init_queue(agent, &agent->trackers[i], room, num);
	return num;
}

/* All queues; returns how many stays they have. */
static unsigned init_queues(struct agent *agent)
{
	const struct socket *socket = agent->socket;
	unsigned num =
		init_kinds(agent, agent->out, out_kinds, NUM_OUT_KINDS, 0);

	num = init_kinds(agent, agent->in, in_kinds, NUM_IN_KINDS, num);
	num = init_queue(agent, &agent->answers, agent->out[OUT_NDR].room, num);
	num = init_queue(agent, &agent->b_vna,
			 socket_param(socket, PARAM_SBOX_BBOX_VNA), num);
	num = init_queue(agent, &agent->table,
			 socket_param(socket, PARAM_SBOX_REQUEST_TABLE), num);
	return init_trackers(agent, init_egresses(agent, num));
}

/* Stops: each half has its C-Boxes, with their cores, in order, and the S-Box
 * after the first half of them. The shorter way is taken. */
static void init_ways(struct agent *agent, unsigned num_cores)
{
	unsigned half = num_cores / 2, stops = num_cores + EX_SIDES;
	unsigned own = socket_sbox_stop(agent->socket, agent->side);

	agent->num_stops = stops;
	for (unsigned core = 0; core < num_cores; core++) {
		unsigned side = socket_side(agent->socket, core);
		unsigned place = socket_place(agent->socket, core);
		unsigned stop =
			side * (half + 1) + place + (place >= half / 2);
		unsigned hops = (stop + stops - own) % stops;

		agent->direction[core] =
			hops * 2 <= stops ? RING_CW : RING_CCW;
	}
}

static void init_params(struct agent *agent)
{
	const struct socket *socket = agent->socket;

	agent->num_sockets = socket->num_sockets;
	agent->first_cbox = agent->side * (socket->num_cores / 2);
	agent->cycles = socket_param(socket, PARAM_SBOX_CYCLES);
	agent->bypass_cycles = socket_param(socket, PARAM_SBOX_BYPASS_CYCLES);
	if (agent->bypass_cycles > agent->cycles)
		agent->bypass_cycles = agent->cycles;
	agent->in_room = socket_param(socket, PARAM_SBOX_RING_QUEUE);
	agent->bbox_cycles = socket_param(socket, PARAM_BBOX_CYCLES);
	if (!socket_param(socket, PARAM_BBOX_DIRECTORY))
		agent->num_snoops = socket->num_sockets - 1;
}

struct agent *agent_new(struct ex *ex, unsigned socket, unsigned side,
			struct sigbank *bank)
{
	struct agent *agent = calloc(1, sizeof(*agent));

	if (!agent)
		return NULL;
	agent->bank = bank;
	agent->socket = ex->sockets[socket].socket;
	agent->index = socket;
	agent->side = side;
	agent->node = NODE_SBOX(socket, side);
	agent->own_bbox = NODE_BBOX(socket, side);
	agent->port = side ? RBOX_PORT_SBOX1 : RBOX_PORT_SBOX0;
	init_params(agent);
	init_ways(agent, agent->socket->num_cores);
	agent->stays = calloc(init_queues(agent), sizeof(*agent->stays));
	if (!agent->stays) {
		agent_free(agent);
		return NULL;
	}
	init_queues(agent);
	sig_drives(bank, 0, NUM_SIG_SBOX);
	return agent;
}

void agent_free(struct agent *agent)
{
	if (agent)
		free(agent->stays);
	free(agent);
}

/* The request table */

/* Kept back from misses. A write-back waits for nobody, but a miss may wait
 * for a slice elsewhere that has to write back first; so the last entry and
 * the last credit are for write-backs, where there is more than one. */
static unsigned kept_back(bool is_write_back, unsigned room)
{
	return !is_write_back && room > 1;
}

uint64_t agent_table_from(struct ex *ex, struct agent *agent, uint64_t from,
			  bool is_write_back)
{
	const struct agent_queue *table = &agent->table;

	(void)ex;
	return queue_from(table, from,
			  1 + kept_back(is_write_back, table->room));
}

uint64_t agent_table_from_lock(struct ex *ex, struct agent *agent,
			       uint64_t from)
{
	(void)ex;
	return queue_from(&agent->table, from, 3);
}

/* Home agents have every second node id. */
static unsigned home_index(unsigned node)
{
	return node / 2;
}

uint64_t agent_tracker_from(struct ex *ex, struct agent *agent, unsigned home,
			    uint64_t from, bool is_write_back)
{
	const struct agent_queue *trackers;

	(void)ex;
	if (!agent->has_trackers)
		return from;
	trackers = &agent->trackers[home_index(home)];
	return queue_from(trackers, from,
			  1 + kept_back(is_write_back, trackers->room));
}

unsigned agent_take(struct ex *ex, struct agent *agent, int home, uint64_t from,
		    bool is_write_back, uint32_t *number)
{
	uint64_t now = ex_now(ex);
	unsigned serial = queue_enter(&agent->table, now, &from);
	struct agent_entry *entry = &agent->entries[serial];

	entry->is_write_back = is_write_back;
	entry->shown = from;
	entry->is_nc = home < 0;
	/* the guide: the U-Box of the same socket is remote */
	entry->is_local = home >= 0 &&
			  NODE_SOCKET((unsigned)home) == agent->index;
	if (agent->has_trackers && home >= 0) {
		entry->home = (uint8_t)home_index((unsigned)home);
		entry->tracker = (uint8_t)queue_enter(
			&agent->trackers[entry->home], now, &from);
	}
	*number = ++agent->number;
	return serial;
}

void agent_show_from(struct agent *agent, unsigned serial, uint64_t from)
{
	agent->entries[serial].shown = from;
}

void agent_keep(struct agent *agent, unsigned serial, uint64_t until)
{
	struct agent_entry *entry = &agent->entries[serial];

	if (until <= entry->shown)
		return;
	sig_span(agent->bank,
		 entry->is_local ? SIG_SBOX_REQ_TBL_LOCAL
				 : SIG_SBOX_REQ_TBL_REMOTE,
		 entry->shown, until, 1);
	entry->shown = until;
}

void agent_release(struct ex *ex, struct agent *agent, unsigned serial,
		   uint64_t until)
{
	const struct agent_entry *entry = &agent->entries[serial];

	(void)ex;
	queue_hold(&agent->table, serial, until);
	if (agent->has_trackers && !entry->is_nc)
		queue_hold(&agent->trackers[entry->home], entry->tracker,
			   until);
	agent_keep(agent, serial, until);
}
