/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The directory (`bbox.directory`): for each line of this memory a bit per
 * socket that may have it, kept in the spare bits of memory's ECC. So they come
 * with the data of the read that each request makes anyway: until then it waits
 * in the DIRQ. Then snoops go only to the sockets that are marked, but not to
 * the requester's own. A clean line leaves a cache without a word, so a mark
 * may be out of date: the answer to the next snoop clears it.
 *
 * The bits are written with the data, so their changes cost no memory commands
 * of their own here. Requesters send no snoops; that homes and requesters agree
 * is in one parameter for all.
 */
#include <stdlib.h>

#include "model/sim/bug.h"

#include "model/box/bbox.h"
#include "model/box/socket.h"
#include "signals.h"

enum { CHUNK_LINES = 1 << 16 };

static size_t num_chunks(const struct bbox *bbox)
{
	return bbox->socket->memory_lines / SOCKET_SIDES / CHUNK_LINES + 1;
}

int bbox_directory_init(struct bbox *bbox)
{
	bbox->directory = calloc(num_chunks(bbox), sizeof(*bbox->directory));
	return bbox->directory ? 0 : -1;
}

void bbox_directory_fini(struct bbox *bbox)
{
	if (!bbox->directory)
		return;
	for (size_t i = 0; i < num_chunks(bbox); i++)
		free(bbox->directory[i]);
	free(bbox->directory);
	bbox->directory = NULL;
}

/* The sockets that may have a line of this memory: a bit each. */
static unsigned sharers_of(const struct bbox *bbox, uint64_t local)
{
	const uint8_t *chunk = bbox->directory[local / CHUNK_LINES];

	return chunk ? chunk[local % CHUNK_LINES] : 0;
}

static void set_sharers(struct bbox *bbox, uint64_t local, unsigned sharers)
{
	uint8_t **chunk = &bbox->directory[local / CHUNK_LINES];

	if (!*chunk && !sharers)
		return;
	if (!*chunk)
		*chunk = calloc(CHUNK_LINES, 1);
	if (!*chunk)
		bug_no_memory();
	(*chunk)[local % CHUNK_LINES] = (uint8_t)sharers;
}

void bbox_directory_wait(struct bbox *bbox, struct bbox_entry *entry)
{
	(void)entry;
	sig_pulse(bbox->bank, SIG_BBOX_DIRQ_INSERTS, 1);
	sig_add(bbox->bank, SIG_BBOX_DIRQ_OCCUPANCY, 1);
}

static unsigned socket_bit(const struct bbox_entry *entry)
{
	return NODE_IS_IOH(entry->requester)
		       ? 0
		       : 1u << NODE_SOCKET(entry->requester);
}

static unsigned snoop_opcode(unsigned opcode)
{
	switch (opcode) {
	case HOM0_RD_CUR: return SNP_CUR;
	case HOM0_RD_CODE: return SNP_CODE;
	case HOM0_RD_DATA: return SNP_DATA;
	case HOM0_RD_INV_OWN: return SNP_INV_OWN;
	case HOM0_INV_XTO_I: return SNP_INV_XTO_I;
	default: return SNP_INV_ITO_E;
	}
}

static void send_snoops(struct bbox *bbox, struct bbox_entry *entry,
			unsigned sockets)
{
	struct packet packet = bbox_completion(bbox, entry, 0);
	unsigned side = socket_side(bbox->socket, packet.cbox);

	packet.cls = PACKET_SNP;
	packet.mc = MC_SNP;
	packet.opcode = (uint8_t)snoop_opcode(entry->opcode);
	for (unsigned i = 0; sockets >> i; i++)
		if (sockets >> i & 1) {
			packet.dest = (uint8_t)NODE_SBOX(i, side);
			entry->num_needed++;
			bbox_send(bbox, &packet);
		}
}

/* Whether the request could leave the DIRQ. */
static bool look_up(struct bbox *bbox, struct bbox_entry *entry)
{
	unsigned sockets = sharers_of(bbox, entry->local) &
			   ~socket_bit(entry);

	if (bbox_snoop_room(bbox) < (unsigned)__builtin_popcount(sockets))
		return false;
	entry->needs_lookup = false;
	sig_add(bbox->bank, SIG_BBOX_DIRQ_OCCUPANCY, -1);
	send_snoops(bbox, entry, sockets);
	return true;
}

void bbox_directory_lookup(struct bbox *bbox, struct bbox_entry *entry)
{
	if (!bbox->dir_first && look_up(bbox, entry))
		return;
	entry->wait_next = NULL;
	if (bbox->dir_last)
		bbox->dir_last->wait_next = entry;
	else
		bbox->dir_first = entry;
	bbox->dir_last = entry;
}

void bbox_directory_go_on(struct bbox *bbox)
{
	struct bbox_entry *entry = bbox->dir_first;

	if (!entry || !look_up(bbox, entry))
		return;
	bbox->dir_first = entry->wait_next;
	if (!bbox->dir_first)
		bbox->dir_last = NULL;
	bbox_line_try(bbox, entry);
}

void bbox_directory_update(struct bbox *bbox, const struct bbox_entry *entry)
{
	unsigned sharers, requester;

	if (!bbox->directory)
		return;
	requester = socket_bit(entry);
	sharers = sharers_of(bbox, entry->local);
	switch (entry->opcode) {
	case HOM0_RD_DATA:
	case HOM0_RD_CODE:
		sharers = (sharers & ~(unsigned)entry->gone) | requester;
		break;
	case HOM0_RD_INV_OWN:
	case HOM0_INV_ITO_E: sharers = requester; break;
	case HOM0_INV_XTO_I: sharers = 0; break;
	case HOM0_RD_CUR: sharers &= ~(unsigned)entry->gone; break;
	case HOM0_WB_MTO_I:
	case HOM0_EVCT_CLN: sharers &= ~requester; break;
	default: return;
	}
	set_sharers(bbox, entry->local, sharers);
}
