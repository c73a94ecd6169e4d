/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.4. Source snooping: the requester has sent the snoops, the home only
 * gathers the responses. One transaction of a line is active at a time, the
 * others queue behind it in the order of arrival.
 *
 * Conflicts. A peer with a request of its own out for the line answers RspCnflt
 * and names that request (its table entry and number). Of two requests A and B
 * for a line, A completed first, B must not rest on an answer that A's
 * requester gave before A was complete. Either B's snoop met A outstanding,
 * then B was told RspCnflt; or it came before A was issued, then A's snoop,
 * sent later, met B outstanding and A was told. So
 *  1. once its first answers are in, the active request asks every rival again
 *     (Cmp_Fwd*) whose request is complete by then;
 *  2. when it is complete itself, each rival not yet complete gets a note to
 *     ask it, even where the rival's request has still to arrive.
 * What a rival that was asked knows is at least as new as its completed
 * request: it waits for that completion before it answers.
 *
 * Left out: IOH agents, mirroring, directory, AckCnflt (the model's requesters
 * need no handshake to take part in the above), poison and errors. The model
 * moves permissions, not values: which of two rivals gets a modified line first
 * is decided by the order of arrival alone.
 */
#include "model/box/bbox.h"

#include <stdlib.h>
#include <string.h>

#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

static void drive_signals(struct sigbank *bank)
{
	static const uint16_t signals[] = {
		SIG_BBOX_MSG_IN,
		SIG_BBOX_TF_ALL,
		SIG_BBOX_TF_WR,
		SIG_BBOX_TF_INVITOE,
		SIG_BBOX_IMT_VALID_OCCUPANCY,
		SIG_BBOX_DRSQ_OCCUPANCY,
		SIG_BBOX_MSG_OUT,
		SIG_BBOX_IMT_INSERTS_ALL,
		SIG_BBOX_DRSQ_INSERTS,
		SIG_BBOX_IMT_INSERTS_NON_IOH,
		SIG_BBOX_IMT_INSERTS_WR,
		SIG_BBOX_IMT_INSERTS_NON_IOH_WR,
		SIG_BBOX_IMT_INSERTS_INVITOE,
		SIG_BBOX_IMT_INSERTS_NON_IOH_INVITOE,
		SIG_BBOX_IMT_INSERTS_RD,
		SIG_BBOX_IMT_INSERTS_NON_IOH_RD,
		SIG_BBOX_MSG_IN_NON_SNP,
		SIG_BBOX_MSG_S_TO_B,
		SIG_BBOX_MSG_B_TO_S,
		SIG_BBOX_DEMAND_FETCH,
		SIG_BBOX_IMPLICIT_WBS,
		SIG_BBOX_COHQ_IMT_ALLOC_WAIT,
		SIG_BBOX_SBOX_VN0_UNAVAIL,
		SIG_BBOX_RBOX_VNA_UNAVAIL,
		SIG_BBOX_IMT_FULL,
		SIG_BBOX_CONFLICTS,
		SIG_BBOX_ACK_BEFORE_LAST_SNP,
	};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sig_drives(bank, signals[i], 1);
}

int bbox_init(struct bbox *bbox, struct socket *socket, unsigned side,
	      struct sigbank *bank)
{
	memset(bbox, 0, sizeof(*bbox));
	bbox->socket = socket;
	bbox->bank = bank;
	bbox->side = side;
	bbox->node = NODE_BBOX(socket->index, side);
	bbox->cycles = socket_param(socket, PARAM_BBOX_CYCLES);
	bbox->imt_room = socket_param(socket, PARAM_BBOX_IMT);
	bbox_memory_init(bbox);
	bbox_out_init(bbox);
	drive_signals(bank);
	return 0;
}

bool bbox_is_idle(const struct bbox *bbox)
{
	return !bbox->num_entries && !bbox->num_imt && !bbox->in_count &&
	       !bbox->implicit_count && bbox_out_is_idle(bbox);
}

/* Entries */

static unsigned agent_of(unsigned node)
{
	return node >> 1; /* S-Boxes have even node ids */
}

static struct bbox_entry *entry_at(struct bbox *bbox, unsigned requester,
				   unsigned serial, uint32_t number)
{
	struct bbox_entry *entry = &bbox->entries[agent_of(requester)][serial];
	uint32_t last = entry->last_number;

	if (entry->is_used)
		return entry;
	*entry = (struct bbox_entry){
		.requester = (uint8_t)requester,
		.serial = (uint8_t)serial,
		.number = number,
		.last_number = last,
		.imt = BBOX_NO_IMT,
		.is_used = true,
	};
	bbox->num_entries++;
	return entry;
}

static bool is_write(const struct bbox_entry *entry)
{
	return entry->opcode == HOM0_WB_MTO_I;
}

bool bbox_entry_is_answered(const struct bbox_entry *entry)
{
	return entry->num_responses >= entry->num_needed &&
	       !entry->agents_to_ask &&
	       entry->num_writes >= entry->num_writes_due;
}

static void count_tracker(struct bbox *bbox, const struct bbox_entry *entry,
			  int delta)
{
	sig_add(bbox->bank, SIG_BBOX_TF_ALL, delta);
	if (is_write(entry))
		sig_add(bbox->bank, SIG_BBOX_TF_WR, delta);
	if (entry->opcode == HOM0_INV_ITO_E)
		sig_add(bbox->bank, SIG_BBOX_TF_INVITOE, delta);
}

static struct bbox_entry **bucket_of(struct bbox *bbox, uint64_t line)
{
	return &bbox->buckets[(line ^ line >> 8 ^ line >> 16) % BBOX_BUCKETS];
}

static struct bbox_entry *active_for(struct bbox *bbox, uint64_t line)
{
	struct bbox_entry *entry = *bucket_of(bbox, line);

	while (entry && entry->line != line)
		entry = entry->bucket_next;
	return entry;
}

static void bucket_remove(struct bbox *bbox, struct bbox_entry *entry)
{
	struct bbox_entry **at = bucket_of(bbox, entry->line);

	while (*at != entry)
		at = &(*at)->bucket_next;
	*at = entry->bucket_next;
}

static void free_entry(struct bbox *bbox, struct bbox_entry *entry)
{
	count_tracker(bbox, entry, -1);
	entry->last_number = entry->number;
	entry->is_used = false;
	bbox->num_entries--;
}

/* An NDR message about a transaction; by itself the completion. */
static struct packet completion(const struct bbox *bbox,
				const struct bbox_entry *entry, unsigned dest)
{
	return (struct packet){
		.line = entry->line,
		.serial = entry->serial,
		.number = entry->number,
		.cls = PACKET_NDR,
		.mc = MC_NDR,
		.opcode = NDR_CMP,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)bbox->node,
		.dest = (uint8_t)dest,
		.requester = entry->requester,
		.home = (uint8_t)bbox->node,
		.cbox = (uint8_t)socket_slice(bbox->socket, entry->line),
	};
}

/* Asks an agent that became the owner while this request was under way. */
static void ask_again(struct bbox *bbox, struct bbox_entry *entry,
		      unsigned agent)
{
	struct packet packet = completion(bbox, entry, agent << 1);

	packet.other_number = entry->owner_numbers[agent];
	packet.opcode = entry->opcode == HOM0_RD_INV_OWN ? NDR_CMP_FWD_INV_OWN
			: entry->opcode == HOM0_INV_ITO_E
				? NDR_CMP_FWD_INV_ITO_E
				: NDR_CMP_FWD_CODE;
	entry->num_needed++;
	bbox_send(bbox, &packet);
}

static void has_to_ask(struct bbox_entry *entry, unsigned agent,
		       uint32_t number)
{
	unsigned bit = 1u << agent;

	if (entry->agents_to_ask & bit &&
	    (int32_t)(entry->owner_numbers[agent] - number) >= 0)
		return;
	entry->agents_to_ask |= (uint16_t)bit;
	entry->owner_numbers[agent] = number;
}

/* Rivals whose requests are complete have to be asked. */
static void look_at_rivals(struct bbox *bbox, struct bbox_entry *entry)
{
	for (unsigned agent = 0; agent < BBOX_AGENTS; agent++) {
		uint32_t number = entry->rival_numbers[agent];
		unsigned serial = entry->rival_serials[agent];

		if (!(entry->rivals >> agent & 1) ||
		    (int32_t)(bbox->entries[agent][serial].last_number -
			      number) < 0)
			continue;
		entry->rivals &= (uint16_t) ~(1u << agent);
		has_to_ask(entry, agent, number);
	}
}

/* Once the first answers are in, asks those who have to be asked again. */
static void ask_owners(struct bbox *bbox, struct bbox_entry *entry)
{
	unsigned agents;

	if (entry->num_responses < entry->num_needed)
		return;
	look_at_rivals(bbox, entry);
	agents = entry->agents_to_ask;
	entry->agents_to_ask = 0;
	for (unsigned agent = 0; agent < BBOX_AGENTS; agent++)
		if (agents >> agent & 1)
			ask_again(bbox, entry, agent);
}

/* The rivals that are left come later: they have to ask this requester. */
static void leave_notes(struct bbox *bbox, const struct bbox_entry *done)
{
	for (unsigned agent = 0; agent < BBOX_AGENTS; agent++)
		if (done->rivals >> agent & 1)
			has_to_ask(entry_at(bbox, agent << 1,
					    done->rival_serials[agent],
					    done->rival_numbers[agent]),
				   agent_of(done->requester), done->number);
}

static void activate(struct bbox *bbox, struct bbox_entry *entry);

/* The next request of the line is active now. */
static void next_in_line(struct bbox *bbox, struct bbox_entry *done)
{
	struct bbox_entry *next = done->later;

	bucket_remove(bbox, done);
	if (next) {
		struct bbox_entry **bucket = bucket_of(bbox, next->line);

		next->bucket_next = *bucket;
		*bucket = next;
		activate(bbox, next);
	}
}

static void complete(struct bbox *bbox, struct bbox_entry *entry)
{
	struct packet packet = completion(bbox, entry, entry->requester);
	bool shares = entry->opcode == HOM0_RD_CODE || entry->has_sharer;

	if (entry->opcode == HOM0_INV_ITO_E) {
		packet.opcode = NDR_GNT_CMP;
	} else if (!is_write(entry) && !entry->has_peer_data) {
		packet.cls = PACKET_DRS;
		packet.mc = MC_DRS;
		packet.opcode = DRS_DATA_C_CMP;
		packet.flits = PACKET_FLITS_LINE;
		packet.state = entry->opcode != HOM0_RD_INV_OWN && shares
				       ? RDS_F
				       : RDS_E;
		if (bbox->socket->values)
			packet.value = values_memory(bbox->socket->values,
						     entry->line);
	}
	bbox_send(bbox, &packet);
	free_entry(bbox, entry);
	if (is_write(entry))
		return;
	leave_notes(bbox, entry);
	next_in_line(bbox, entry);
}

static void try_complete(struct bbox *bbox, struct bbox_entry *entry)
{
	if (!entry->is_active || !entry->has_request)
		return;
	ask_owners(bbox, entry);
	if (!bbox_entry_is_answered(entry))
		return;
	if (entry->waits_for_imt && !entry->was_ready) {
		entry->was_ready = true;
		if (!bbox->num_ready_waiting++)
			sig_set(bbox->bank, SIG_BBOX_COHQ_IMT_ALLOC_WAIT, 1);
	}
	/* the memory read may not be recalled: its IMT entry has to end */
	if (entry->memory_done)
		complete(bbox, entry);
}

void bbox_memory_done(struct bbox *bbox, struct bbox_entry *entry)
{
	entry->memory_done = true;
	if (is_write(entry)) {
		complete(bbox, entry);
		return;
	}
	if (!bbox_entry_is_answered(entry))
		sig_pulse(bbox->bank, SIG_BBOX_ACK_BEFORE_LAST_SNP, 1);
	try_complete(bbox, entry);
}

static void activate(struct bbox *bbox, struct bbox_entry *entry)
{
	entry->is_active = true;
	bbox_read_memory(bbox, entry);
	try_complete(bbox, entry);
}

/* Messages */

static void take_request(struct bbox *bbox, const struct packet *packet)
{
	struct bbox_entry *entry = entry_at(bbox, packet->requester,
					    packet->serial, packet->number);
	struct bbox_entry *first;
	unsigned home = socket_home(bbox->socket, packet->line, &entry->local);

	if (home != bbox->node)
		abort(); /* our bug: a message to the wrong home */
	entry->line = packet->line;
	entry->opcode = packet->opcode;
	entry->has_request = true;
	count_tracker(bbox, entry, 1);
	if (is_write(entry)) {
		entry->is_active = true;
		if (entry->has_write_data)
			bbox_write_back(bbox, entry);
		return;
	}
	entry->num_needed += (uint8_t)(bbox->socket->num_sockets - 1);
	first = active_for(bbox, packet->line);
	if (!first) {
		struct bbox_entry **bucket = bucket_of(bbox, packet->line);

		entry->bucket_next = *bucket;
		*bucket = entry;
		activate(bbox, entry);
		return;
	}
	sig_pulse(bbox->bank, SIG_BBOX_CONFLICTS, 1);
	while (first->later)
		first = first->later;
	first->later = entry;
}

/* A peer has a request of its own out. It may have a copy, too. */
static void take_conflict(struct bbox_entry *entry, const struct packet *packet)
{
	unsigned peer = agent_of(packet->source);

	entry->has_sharer = true;
	entry->rivals |= (uint16_t)(1u << peer);
	entry->rival_numbers[peer] = packet->other_number;
	entry->rival_serials[peer] = packet->other_serial;
}

static void take_response(struct bbox *bbox, const struct packet *packet)
{
	struct bbox_entry *entry = entry_at(bbox, packet->requester,
					    packet->serial, packet->number);

	entry->num_responses++;
	switch (packet->opcode) {
	case HOM1_RSP_S: entry->has_sharer = true; break;
	case HOM1_RSP_CNFLT: take_conflict(entry, packet); break;
	case HOM1_RSP_FWD_S:
	case HOM1_RSP_FWD_I: entry->has_peer_data = true; break;
	case HOM1_RSP_FWD_I_WB:
	case HOM1_RSP_FWD_S_WB:
		entry->has_peer_data = true;
		entry->num_writes_due++;
		break;
	case HOM1_RSP_I_WB: entry->num_writes_due++; break;
	default: break;
	}
	try_complete(bbox, entry);
}

static void take_data(struct bbox *bbox, const struct packet *packet)
{
	struct bbox_entry *entry = entry_at(bbox, packet->requester,
					    packet->serial, packet->number);

	if (bbox->socket->values)
		values_memory_write(bbox->socket->values, packet->line,
				    packet->value);
	if (packet->source == packet->requester) {
		entry->has_write_data = true;
		if (entry->has_request)
			bbox_write_back(bbox, entry);
		return;
	}
	entry->num_writes++;
	sig_pulse(bbox->bank, SIG_BBOX_IMPLICIT_WBS, 1);
	bbox_write_implicit(bbox, packet);
	try_complete(bbox, entry);
}

static void process(void *object, uint64_t unused)
{
	struct bbox *bbox = object;
	struct packet packet = bbox->in[bbox->in_first];

	(void)unused;
	bbox->in_count--;
	bbox->in_first =
		bbox->in_count ? (bbox->in_first + 1) % BBOX_IN_ROOM : 0;
	if (packet.cls == PACKET_DRS)
		take_data(bbox, &packet);
	else if (packet.mc == MC_HOM0)
		take_request(bbox, &packet);
	else
		take_response(bbox, &packet);
}

static void receive(struct bbox *bbox, const struct packet *packet)
{
	struct sim *sim = bbox->socket->sim;

	sig_pulse(bbox->bank, SIG_BBOX_MSG_IN_NON_SNP, 1);
	packet_show(bbox->bank, SIG_BBOX_MSG_IN, packet);
	if (bbox->in_count == BBOX_IN_ROOM)
		abort(); /* tracker credits bound what can come */
	bbox->in[(bbox->in_first + bbox->in_count++) % BBOX_IN_ROOM] = *packet;
	sim_at(sim, sim_now(sim) + bbox->cycles, process, bbox, 0);
}

void bbox_from_sbox(struct bbox *bbox, const struct packet *packet)
{
	sig_pulse(bbox->bank, SIG_BBOX_MSG_S_TO_B, 1);
	receive(bbox, packet);
}

bool bbox_from_rbox(void *object, const struct packet *packet)
{
	receive(object, packet);
	return true;
}
