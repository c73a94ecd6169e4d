/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The B-Box's memory side: each job for the M-Box holds one of the 32 entries
 * of the IMT, whose index is the FVID of its commands. A read is sent as soon
 * as the request comes (prefetch), not waiting for snoop responses; when the
 * IMT was full until they were in, it is a demand fetch. What the M-Box cannot
 * take yet waits in its entry (the guide's MAQ).
 *
 * The guide names the commands (Table 2-83) but not when they are used. Here a
 * job is a row of commands: of a partial write the old line is read, goes to a
 * victim buffer (F2V), gets the new bytes (MERGE) and is written; a read that a
 * write has overtaken gets the newer line from that write's victim buffer (V2F)
 * and reads the fill buffer once more (F2B); what is mirrored is copied to the
 * buffer that feeds the slave (V2V). Spare writes are the M-Box's own.
 */
#include <stdlib.h>

#include "model/sim/bug.h"

#include "model/box/bbox.h"
#include "model/box/socket.h"
#include "signals.h"

enum { LAST = MBOX_NUM_COMMANDS };

/* The commands of a job, first READ or WRITE where it is one of memory. */
static const uint8_t commands[][6] = {
	[BBOX_READ] = { MBOX_CMD_READ, LAST },
	[BBOX_WRITE] = { MBOX_CMD_WRITE, LAST },
	[BBOX_PARTIAL] = { MBOX_CMD_READ, MBOX_CMD_F2V, MBOX_CMD_MERGE,
			   MBOX_CMD_WRITE, LAST },
	[BBOX_WRITE_TWICE] = { MBOX_CMD_V2V, MBOX_CMD_WRITE, LAST },
	[BBOX_PARTIAL_TWICE] = { MBOX_CMD_READ, MBOX_CMD_F2V, MBOX_CMD_MERGE,
				 MBOX_CMD_V2V, MBOX_CMD_WRITE, LAST },
	[BBOX_REFILL] = { MBOX_CMD_V2F, MBOX_CMD_F2B, LAST },
};

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

static bool is_bad(enum mbox_response response)
{
	return response == MBOX_RSP_UNCOR || response == MBOX_RSP_SPR_UNCOR;
}

/* What a read has brought. The slave stands in for memory that failed. */
static void take_read(struct bbox *bbox, const struct bbox_imt *imt,
		      bool is_bad_line)
{
	struct bbox_entry *entry = imt->entry;

	if (bbox->num_poisoned && bbox_is_poisoned(bbox, imt->line))
		is_bad_line = true;
	if (imt->is_slave) {
		bbox_mirror_has_read(bbox, imt, is_bad_line);
		return;
	}
	entry->is_poisoned |= is_bad_line;
	if (is_bad_line && bbox->is_mirrored)
		bbox_mirror_read(bbox, entry);
	else
		bbox_memory_done(bbox, entry);
}

static void job_done(struct bbox *bbox, const struct bbox_imt *imt,
		     bool is_bad_line)
{
	if (imt->job == BBOX_READ)
		take_read(bbox, imt, is_bad_line);
	else if (imt->is_slave)
		bbox_mirror_has_written(bbox, imt);
	else if (imt->entry)
		bbox_memory_done(bbox, imt->entry);
}

static void memory_answers(void *object, uint64_t index)
{
	struct bbox *bbox = object;
	struct bbox_imt *imt = &bbox->imt[index], done;
	enum mbox_response response =
		mbox_response(bbox->socket->mboxes[bbox->side]);

	if (response == MBOX_RSP_SPEC_ACK)
		sig_pulse(bbox->bank, SIG_BBOX_EARLY_ACK, 1);
	imt->is_bad |= is_bad(response);
	if (commands[imt->job][imt->step] == MBOX_CMD_V2V)
		bbox_mirror_write(bbox, imt);
	if (commands[imt->job][++imt->step] != LAST) {
		imt->is_issued = false;
		if (!bbox->waits_for_mbox)
			issue(bbox);
		return;
	}
	done = *imt;
	imt->is_used = false;
	bbox->num_imt--;
	sig_add(bbox->bank, SIG_BBOX_IMT_VALID_OCCUPANCY, -1);
	serve_waiting(bbox);
	job_done(bbox, &done, done.is_bad);
}

/* The next command of a job; false: the M-Box takes none at present. */
static bool send_command(struct bbox *bbox, struct bbox_imt *imt)
{
	struct mbox *mbox = bbox->socket->mboxes[bbox->side];
	unsigned i = (unsigned)(imt - bbox->imt);
	unsigned command = commands[imt->job][imt->step];

	if (!mbox_ready(mbox)) {
		bbox->waits_for_mbox = true;
		return false;
	}
	imt->is_issued = true;
	if (command == MBOX_CMD_WRITE && (imt->is_poisoned || imt->is_bad))
		command |= MBOX_POISONED;
	mbox_command(mbox, command, imt->local, imt->line * 64, i,
		     memory_answers, bbox, i);
	return true;
}

/* Sends what is in the IMT to the M-Box, as far as it takes it. */
static void issue(struct bbox *bbox)
{
	for (unsigned i = 0; i < bbox->imt_room; i++) {
		struct bbox_imt *imt = &bbox->imt[i];

		if (imt->is_used && !imt->is_issued && !send_command(bbox, imt))
			return;
	}
}

static bool is_write(const struct bbox_imt *imt)
{
	return imt->job != BBOX_READ && imt->job != BBOX_REFILL;
}

static void start(struct bbox *bbox, struct bbox_imt *imt)
{
	count_insert(bbox->bank, imt->is_ioh,
		     imt->entry ? imt->entry->opcode : 0, is_write(imt));
	if (is_write(imt))
		bbox_note_poison(bbox, imt->line, imt->is_poisoned,
				 imt->job == BBOX_PARTIAL ||
					 imt->job == BBOX_PARTIAL_TWICE);
	if (!bbox->waits_for_mbox)
		send_command(bbox, imt);
}

static enum bbox_job job_of(const struct bbox *bbox,
			    const struct bbox_entry *entry)
{
	if (!bbox_entry_is_write(entry))
		return entry->needs_refill ? BBOX_REFILL : BBOX_READ;
	if (bbox->is_mirrored)
		return entry->is_partial ? BBOX_PARTIAL_TWICE
					 : BBOX_WRITE_TWICE;
	return entry->is_partial ? BBOX_PARTIAL : BBOX_WRITE;
}

static bool start_entry(struct bbox *bbox, struct bbox_entry *entry)
{
	struct bbox_imt *imt = alloc(bbox);

	if (!imt)
		return false;
	imt->entry = entry;
	imt->line = entry->line;
	imt->local = entry->local;
	imt->job = job_of(bbox, entry);
	imt->is_ioh = NODE_IS_IOH(entry->requester);
	imt->is_poisoned = bbox_entry_is_write(entry) && entry->is_poisoned;
	start(bbox, imt);
	return true;
}

/* An implicit write-back, or what a mirror master wants. */
static bool start_packet(struct bbox *bbox, const struct packet *packet)
{
	struct bbox_imt *imt = alloc(bbox);

	if (!imt)
		return false;
	imt->line = packet->line;
	socket_home(bbox->socket, packet->line, &imt->local);
	imt->is_ioh = NODE_IS_IOH(packet->requester);
	imt->is_poisoned = packet->is_poisoned;
	imt->is_slave = packet->network == BBOX_MIRROR_NETWORK;
	if (imt->is_slave) {
		imt->serial = packet->serial;
		imt->local = bbox_mirror_local(bbox, imt->local);
		imt->job = packet->cls == PACKET_HOM ? BBOX_READ : BBOX_WRITE;
	} else {
		imt->job = bbox->is_mirrored ? BBOX_WRITE_TWICE : BBOX_WRITE;
	}
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
	if (!bbox_entry_is_write(entry) && !entry->needs_refill &&
	    bbox_entry_is_answered(entry))
		sig_pulse(bbox->bank, SIG_BBOX_DEMAND_FETCH, 1);
	if (entry->was_ready && !--bbox->num_ready_waiting)
		sig_set(bbox->bank, SIG_BBOX_COHQ_IMT_ALLOC_WAIT, 0);
}

static void serve_waiting(struct bbox *bbox)
{
	while (bbox->implicit_count &&
	       start_packet(bbox, &bbox->implicit[bbox->implicit_first])) {
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

void bbox_serve_entry(struct bbox *bbox, struct bbox_entry *entry)
{
	if (bbox->wait_first || !start_entry(bbox, entry))
		wait_for_imt(bbox, entry);
}

void bbox_serve_packet(struct bbox *bbox, const struct packet *packet)
{
	if (!bbox->implicit_count && start_packet(bbox, packet))
		return;
	sig_pulse(bbox->bank, SIG_BBOX_IMT_FULL, 1);
	if (bbox->implicit_count == BBOX_IMPLICIT_ROOM)
		BUG("more implicit writes than requests");
	bbox->implicit[(bbox->implicit_first + bbox->implicit_count++) %
		       BBOX_IMPLICIT_ROOM] = *packet;
}
