/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The B-Box's memory side: each command to the M-Box holds one of the 32
 * entries of the IMT, whose index is the command's FVID. A read is sent as
 * soon as the request comes (prefetch), not waiting for snoop responses; when
 * the IMT was full until they were in, it is a demand fetch.
 */
#include <stdlib.h>

#include "model/box/bbox.h"
#include "model/box/socket.h"
#include "signals.h"

static void issue(struct bbox *bbox);

static void mbox_ready_again(void *object, uint64_t unused)
{
	struct bbox *bbox = object;

	(void)unused;
	bbox->waits_for_mbox = false;
	issue(bbox);
}

void bbox_memory_init(struct bbox *bbox)
{
	mbox_on_ready(bbox->socket->mboxes[bbox->side], mbox_ready_again, bbox,
		      0);
}

/* Writes, InvItoE and the rest, of all, of S-Boxes and of I/O hubs. The guide
 * has no event for the reads of hubs. */
static void count_insert(struct sigbank *bank, bool is_ioh, unsigned opcode,
			 bool is_write)
{
	sig_pulse(bank, SIG_BBOX_IMT_INSERTS_ALL, 1);
	sig_pulse(bank,
		  is_ioh ? SIG_BBOX_IMT_INSERTS_IOH
			 : SIG_BBOX_IMT_INSERTS_NON_IOH,
		  1);
	if (is_write) {
		sig_pulse(bank, SIG_BBOX_IMT_INSERTS_WR, 1);
		sig_pulse(bank,
			  is_ioh ? SIG_BBOX_IMT_INSERTS_IOH_WR
				 : SIG_BBOX_IMT_INSERTS_NON_IOH_WR,
			  1);
	} else if (opcode == HOM0_INV_ITO_E) {
		sig_pulse(bank, SIG_BBOX_IMT_INSERTS_INVITOE, 1);
		sig_pulse(bank,
			  is_ioh ? SIG_BBOX_IMT_INSERTS_IOH_INVITOE
				 : SIG_BBOX_IMT_INSERTS_NON_IOH_INVITOE,
			  1);
	} else {
		sig_pulse(bank, SIG_BBOX_IMT_INSERTS_RD, 1);
		if (!is_ioh)
			sig_pulse(bank, SIG_BBOX_IMT_INSERTS_NON_IOH_RD, 1);
	}
}

void bbox_count_insert(struct bbox *bbox, const struct bbox_entry *entry)
{
	count_insert(bbox->bank, NODE_IS_IOH(entry->requester), entry->opcode,
		     bbox_entry_is_write(entry));
}

static struct bbox_imt *alloc(struct bbox *bbox)
{
	struct bbox_imt *imt = bbox->imt;

	if (bbox->num_imt >= bbox->imt_room)
		return NULL;
	while (imt->is_used)
		imt++;
	bbox->num_imt++;
	sig_add(bbox->bank, SIG_BBOX_IMT_VALID_OCCUPANCY, 1);
	*imt = (struct bbox_imt){ .is_used = true };
	return imt;
}

static void serve_waiting(struct bbox *bbox);

static void memory_answers(void *object, uint64_t index)
{
	struct bbox *bbox = object;
	struct bbox_imt imt = bbox->imt[index];

	bbox->imt[index].is_used = false;
	bbox->num_imt--;
	sig_add(bbox->bank, SIG_BBOX_IMT_VALID_OCCUPANCY, -1);
	serve_waiting(bbox);
	if (!imt.is_implicit)
		bbox_memory_done(bbox, imt.entry);
}

/* Sends what is in the IMT to the M-Box, as far as it takes it. */
static void issue(struct bbox *bbox)
{
	struct mbox *mbox = bbox->socket->mboxes[bbox->side];

	for (unsigned i = 0; i < bbox->imt_room; i++) {
		struct bbox_imt *imt = &bbox->imt[i];

		if (!imt->is_used || imt->is_issued)
			continue;
		if (!mbox_ready(mbox)) {
			bbox->waits_for_mbox = true;
			return;
		}
		imt->is_issued = true;
		if (imt->is_write)
			mbox_write(mbox, imt->local, imt->line * 64, i,
				   memory_answers, bbox, i);
		else
			mbox_read(mbox, imt->local, imt->line * 64, i,
				  memory_answers, bbox, i);
	}
}

static void start(struct bbox *bbox, struct bbox_imt *imt)
{
	struct mbox *mbox = bbox->socket->mboxes[bbox->side];
	unsigned i = (unsigned)(imt - bbox->imt);

	count_insert(bbox->bank, imt->is_ioh,
		     imt->entry ? imt->entry->opcode : 0, imt->is_write);
	if (bbox->waits_for_mbox)
		return;
	if (!mbox_ready(mbox)) {
		bbox->waits_for_mbox = true;
		return;
	}
	imt->is_issued = true;
	if (imt->is_write)
		mbox_write(mbox, imt->local, imt->line * 64, i, memory_answers,
			   bbox, i);
	else
		mbox_read(mbox, imt->local, imt->line * 64, i, memory_answers,
			  bbox, i);
}

static bool start_entry(struct bbox *bbox, struct bbox_entry *entry)
{
	struct bbox_imt *imt = alloc(bbox);

	if (!imt)
		return false;
	imt->entry = entry;
	imt->line = entry->line;
	imt->local = entry->local;
	imt->is_write = bbox_entry_is_write(entry);
	imt->is_ioh = NODE_IS_IOH(entry->requester);
	start(bbox, imt);
	return true;
}

static bool start_implicit(struct bbox *bbox, const struct packet *packet)
{
	struct bbox_imt *imt = alloc(bbox);

	if (!imt)
		return false;
	imt->line = packet->line;
	socket_home(bbox->socket, packet->line, &imt->local);
	imt->is_write = true;
	imt->is_implicit = true;
	imt->is_ioh = NODE_IS_IOH(packet->requester);
	start(bbox, imt);
	return true;
}

static void wait_for_imt(struct bbox *bbox, struct bbox_entry *entry)
{
	entry->waits_for_imt = true;
	entry->wait_next = NULL;
	if (bbox->wait_last)
		bbox->wait_last->wait_next = entry;
	else
		bbox->wait_first = entry;
	bbox->wait_last = entry;
	sig_pulse(bbox->bank, SIG_BBOX_IMT_FULL, 1);
}

static void leave_queue(struct bbox *bbox, struct bbox_entry *entry)
{
	bbox->wait_first = entry->wait_next;
	if (!bbox->wait_first)
		bbox->wait_last = NULL;
	entry->waits_for_imt = false;
	if (!bbox_entry_is_write(entry) && bbox_entry_is_answered(entry))
		sig_pulse(bbox->bank, SIG_BBOX_DEMAND_FETCH, 1);
	if (entry->was_ready && !--bbox->num_ready_waiting)
		sig_set(bbox->bank, SIG_BBOX_COHQ_IMT_ALLOC_WAIT, 0);
}

static void serve_waiting(struct bbox *bbox)
{
	while (bbox->implicit_count &&
	       start_implicit(bbox, &bbox->implicit[bbox->implicit_first])) {
		bbox->implicit_first =
			(bbox->implicit_first + 1) % BBOX_IMPLICIT_ROOM;
		bbox->implicit_count--;
	}
	while (bbox->wait_first && bbox->num_imt < bbox->imt_room) {
		struct bbox_entry *entry = bbox->wait_first;

		leave_queue(bbox, entry);
		start_entry(bbox, entry);
	}
}

void bbox_read_memory(struct bbox *bbox, struct bbox_entry *entry)
{
	if (bbox->wait_first || !start_entry(bbox, entry))
		wait_for_imt(bbox, entry);
}

void bbox_write_back(struct bbox *bbox, struct bbox_entry *entry)
{
	if (bbox->wait_first || !start_entry(bbox, entry))
		wait_for_imt(bbox, entry);
}

void bbox_write_implicit(struct bbox *bbox, const struct packet *packet)
{
	if (!bbox->implicit_count && start_implicit(bbox, packet))
		return;
	sig_pulse(bbox->bank, SIG_BBOX_IMT_FULL, 1);
	if (bbox->implicit_count == BBOX_IMPLICIT_ROOM)
		abort(); /* one per request under way at most */
	bbox->implicit[(bbox->implicit_first + bbox->implicit_count++) %
		       BBOX_IMPLICIT_ROOM] = *packet;
}
