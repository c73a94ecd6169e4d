/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.4. The home agent's tracker file and what its messages mean. The
 * requester has sent the snoops (source snooping) and the home only gathers the
 * responses; with `bbox.directory` it sends them itself. How requests of one
 * line are ordered is in bbox_line.c, the memory side in bbox_memory.c, what
 * leaves the box in bbox_out.c.
 *
 * Agents are the S-Boxes and the I/O hubs. Nobody snoops a hub: what it reads
 * is a snapshot, and a line that it was granted stays busy here until it has
 * written it.
 */
#include "model/box/bbox.h"

#include <string.h>

#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "model/sim/bug.h"
#include "signals.h"

static void drive_signals(struct sigbank *bank)
{
	static const uint16_t signals[] = {
		SIG_BBOX_MSG_IN,
		SIG_BBOX_TF_ALL,
		SIG_BBOX_TF_WR,
		SIG_BBOX_TF_INVITOE,
		SIG_BBOX_TF_IOH,
		SIG_BBOX_TF_IOH_WR,
		SIG_BBOX_TF_IOH_INVITOE,
		SIG_BBOX_TF_IOH_NON_INVITOE_RD,
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
		SIG_BBOX_IMT_INSERTS_IOH,
		SIG_BBOX_IMT_INSERTS_IOH_WR,
		SIG_BBOX_IMT_INSERTS_IOH_INVITOE,
		SIG_BBOX_SNPOQ_OCCUPANCY,
		SIG_BBOX_SNPOQ_INSERTS,
		SIG_BBOX_DIRQ_OCCUPANCY,
		SIG_BBOX_DIRQ_INSERTS,
		SIG_BBOX_MSG_IN_NON_SNP,
		SIG_BBOX_MSG_S_TO_B,
		SIG_BBOX_MSG_B_TO_S,
		SIG_BBOX_EARLY_ACK,
		SIG_BBOX_IMT_PREALLOC,
		SIG_BBOX_COHQ_BYPASS,
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
	bbox->shared_state =
		socket_param(socket, PARAM_LLC_FORWARD) ? RDS_F : RDS_S;
	bbox->is_mirrored = socket_param(socket, PARAM_BBOX_MIRROR);
	bbox->has_directory = socket_param(socket, PARAM_BBOX_DIRECTORY);
	if (bbox->has_directory && bbox_directory_init(bbox))
		return -1;
	bbox_memory_init(bbox);
	bbox_out_init(bbox);
	drive_signals(bank);
	return 0;
}

void bbox_fini(struct bbox *bbox)
{
	bbox_directory_fini(bbox);
}

bool bbox_is_idle(const struct bbox *bbox)
{
	return !bbox->num_entries && !bbox->num_imt && !bbox->in_count &&
	       !bbox->num_holds && !bbox->implicit_count && !bbox->num_ops &&
	       !bbox->num_halves &&
	       bbox_out_is_idle(bbox);
}

/* Entries */

unsigned bbox_agent(unsigned node)
{
	if (NODE_IS_IOH(node))
		return BBOX_CACHES + NODE_HUB(node);
	return node >> 1; /* S-Boxes have even node ids */
}

struct bbox_entry *bbox_entry_at(struct bbox *bbox, unsigned requester,
				 unsigned serial, uint32_t number)
{
	struct bbox_entry *entry =
		&bbox->entries[bbox_agent(requester)][serial];
	uint32_t last = entry->last_number;

	if (entry->is_used)
		return entry;
	*entry = (struct bbox_entry){
		.requester = (uint8_t)requester,
		.serial = (uint8_t)serial,
		.number = number,
		.last_number = last,
		.is_used = true,
	};
	bbox->num_entries++;
	return entry;
}

static struct bbox_entry *entry_of(struct bbox *bbox,
				   const struct packet *packet)
{
	struct bbox_entry *entry = bbox_entry_at(
		bbox, packet->requester, packet->serial, packet->number);

	entry->line = packet->line;
	return entry;
}

bool bbox_entry_is_write(const struct bbox_entry *entry)
{
	switch (entry->opcode) {
	case HOM0_WB_MTO_I:
	case HOM0_WB_MTO_E:
	case HOM0_WB_MTO_S:
	case HOM0_NON_SNP_WR: return true;
	default: return false;
	}
}

bool bbox_entry_is_answered(const struct bbox_entry *entry)
{
	return !entry->needs_lookup &&
	       entry->num_responses >= entry->num_needed &&
	       !entry->agents_to_ask &&
	       entry->num_writes >= entry->num_writes_due;
}

static void count_tracker(struct bbox *bbox, const struct bbox_entry *entry,
			  int delta)
{
	struct sigbank *bank = bbox->bank;
	bool is_write = bbox_entry_is_write(entry);
	bool is_invitoe = entry->opcode == HOM0_INV_ITO_E;

	sig_add(bank, SIG_BBOX_TF_ALL, delta);
	if (is_write)
		sig_add(bank, SIG_BBOX_TF_WR, delta);
	if (is_invitoe)
		sig_add(bank, SIG_BBOX_TF_INVITOE, delta);
	if (!NODE_IS_IOH(entry->requester))
		return;
	sig_add(bank, SIG_BBOX_TF_IOH, delta);
	sig_add(bank,
		is_write     ? SIG_BBOX_TF_IOH_WR
		: is_invitoe ? SIG_BBOX_TF_IOH_INVITOE
			     : SIG_BBOX_TF_IOH_NON_INVITOE_RD,
		delta);
}

void bbox_entry_free(struct bbox *bbox, struct bbox_entry *entry)
{
	bbox_line_unclaim(bbox, entry);
	count_tracker(bbox, entry, -1);
	entry->last_number = entry->number;
	entry->is_used = false;
	bbox->num_entries--;
}

struct packet bbox_completion(const struct bbox *bbox,
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

/* Requests */

/* A write without a place in a line's order is done. */
static void complete_write(struct bbox *bbox, struct bbox_entry *entry)
{
	struct packet packet = bbox_completion(bbox, entry, entry->requester);

	bbox_send(bbox, &packet);
	if (NODE_IS_IOH(entry->requester) && entry->opcode == HOM0_WB_MTO_I)
		bbox_line_release(bbox, entry);
	bbox_entry_free(bbox, entry);
}

/* Whoever gives a line up may ask for it again, and have it before the write is
 * done: the directory forgets him now. */
static void take_write(struct bbox *bbox, struct bbox_entry *entry)
{
	bbox_directory_update(bbox, entry);
	if (entry->has_write_data)
		bbox_serve_entry(bbox, entry);
	else
		bbox_line_claim(bbox, entry);
}

static void take_request(struct bbox *bbox, const struct packet *packet)
{
	struct bbox_entry *entry = entry_of(bbox, packet);
	unsigned home = socket_home(bbox->socket, packet->line, &entry->local);
	unsigned sockets = bbox->socket->num_sockets;

	if (home != bbox->node)
		BUG("a message came to the wrong home");
	if (packet->opcode == HOM0_ACK_CNFLT) {
		bbox_line_acknowledged(bbox, entry);
		return;
	}
	entry->opcode = packet->opcode;
	entry->has_request = true;
	if (entry->has_rival)
		bbox_line_conflict(bbox, entry);
	count_tracker(bbox, entry, 1);
	if (bbox_entry_is_write(entry)) {
		take_write(bbox, entry);
		return;
	}
	switch (packet->opcode) {
	case HOM0_EVCT_CLN:
		bbox_directory_update(bbox, entry);
		complete_write(bbox, entry);
		return;
	case HOM0_NON_SNP_RD: break;
	default:
		/* nobody snoops a hub, and no socket itself */
		if (bbox->has_directory)
			entry->needs_lookup = true;
		else if (NODE_IS_IOH(entry->requester))
			entry->num_needed += (uint8_t)sockets;
		else
			entry->num_needed += (uint8_t)(sockets - 1);
		break;
	}
	bbox_line_enter(bbox, entry);
}

/* A peer has a request of its own out. It may have a copy, too. */
static void take_conflict(struct bbox *bbox, struct bbox_entry *entry,
			  const struct packet *packet)
{
	unsigned peer = bbox_agent(packet->source);

	entry->has_sharer = true;
	entry->rivals |= 1u << peer;
	entry->rival_numbers[peer] = packet->other_number;
	entry->rival_serials[peer] = packet->other_serial;
	entry->has_rival = true;
	bbox_line_conflict(bbox, entry);
}

static void take_response(struct bbox *bbox, const struct packet *packet)
{
	struct bbox_entry *entry = entry_of(bbox, packet);
	uint8_t socket = (uint8_t)(1u << NODE_SOCKET(packet->source));

	entry->num_responses++;
	if (NODE_IS_IOH(entry->requester)) {
		entry->answered |= (uint16_t)(1u << bbox_agent(packet->source));
		bbox_line_claim(bbox, entry);
	}
	switch (packet->opcode) {
	case HOM1_RSP_S: entry->has_sharer = true; break;
	case HOM1_RSP_CNFLT: take_conflict(bbox, entry, packet); break;
	case HOM1_RSP_FWD: entry->has_peer_data = true; break;
	case HOM1_RSP_FWD_I: entry->gone |= socket; /* fall through */
	case HOM1_RSP_FWD_S:
		entry->has_peer_data = true;
		entry->takes_line = true;
		bbox_line_claim(bbox, entry);
		break;
	case HOM1_RSP_FWD_I_WB: entry->gone |= socket; /* fall through */
	case HOM1_RSP_FWD_S_WB:
		entry->has_peer_data = true;
		entry->takes_line = true;
		entry->num_writes_due++;
		bbox_line_claim(bbox, entry);
		break;
	case HOM1_RSP_I_WB: entry->gone |= socket; /* fall through */
	case HOM1_RSP_S_WB:
		entry->has_sharer |= packet->opcode == HOM1_RSP_S_WB;
		entry->num_writes_due++;
		bbox_line_claim(bbox, entry);
		break;
	default: entry->gone |= socket; break;
	}
	bbox_line_try(bbox, entry);
	if (entry->takes_line)
		bbox_line_retry(bbox, packet->line);
}

static void take_data(struct bbox *bbox, const struct packet *packet)
{
	struct bbox_entry *entry = entry_of(bbox, packet);

	/* what is written without snoops is not coherent */
	if (bbox->socket->values && packet->opcode != DRS_NON_SNP_WR_DATA &&
	    packet->opcode != DRS_NON_SNP_WR_DATA_PTL)
		values_memory_write(bbox->socket->values, packet->line,
				    packet->value);
	bbox_line_written(bbox, packet->line);
	if (packet->source == packet->requester) {
		entry->has_write_data = true;
		entry->is_partial = packet->opcode == DRS_WB_I_DATA_PTL ||
				    packet->opcode == DRS_WB_E_DATA_PTL ||
				    packet->opcode == DRS_NON_SNP_WR_DATA_PTL;
		entry->is_poisoned = packet->is_poisoned;
		if (entry->has_request)
			bbox_serve_entry(bbox, entry);
	} else {
		entry->num_writes++;
		sig_pulse(bbox->bank, SIG_BBOX_IMPLICIT_WBS, 1);
		bbox_serve_packet(bbox, packet);
		bbox_line_try(bbox, entry);
	}
	bbox_line_retry(bbox, packet->line);
}

void bbox_memory_done(struct bbox *bbox, struct bbox_entry *entry)
{
	entry->memory_done = true;
	if (bbox_entry_is_write(entry)) {
		if (!bbox->is_mirrored || entry->mirror_done)
			complete_write(bbox, entry);
		return;
	}
	if (entry->needs_lookup)
		bbox_directory_lookup(bbox, entry);
	else if (!bbox_entry_is_answered(entry))
		sig_pulse(bbox->bank, SIG_BBOX_ACK_BEFORE_LAST_SNP, 1);
	bbox_line_try(bbox, entry);
}

/* Messages */

static void process(void *object, uint64_t unused)
{
	struct bbox *bbox = object;
	struct packet packet = bbox->in[bbox->in_first];

	(void)unused;
	bbox->in_count--;
	bbox->in_first =
		bbox->in_count ? (bbox->in_first + 1) % BBOX_IN_ROOM : 0;
	if (packet.cls == PACKET_HOM &&
	    packet.source == NODE_SBOX(bbox->socket->index, bbox->side))
		sbox_bbox_credit(&bbox->socket->sboxes[bbox->side], &packet);
	if (packet.network == BBOX_MIRROR_NETWORK)
		bbox_mirror_take(bbox, &packet);
	else if (packet.cls == PACKET_DRS)
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
		BUG("more came than there are tracker credits");
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
