/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lines that leave the caches because a program wants it. A flush (CLFLUSH)
 * drives the socket's copy out through the VIQ and, when that is done, asks the
 * home to have all others given up (InvXtoI). A streaming store writes a whole
 * line past the caches: the slice gets the right to it (InvItoE, unless it has
 * that already), drops what copies there are and sends the new line to memory.
 *
 * Neither counts as a hit, a miss or a victim of the LLC: they take no line and
 * make no room for one.
 */
#include "model/box/cbox.h"
#include "model/box/core.h"
#include "model/box/socket.h"
#include "signals.h"

static void flush(struct cbox *cbox, struct cbox_request *request,
		  struct llc_way *way)
{
	struct cbox_maf *maf;
	unsigned serial;

	if (way && cbox->num_viq >= cbox->viq_room) {
		cbox_nack(cbox, request, BLOCK_TIME,
			  SIG_CBOX_MAF_NACK2_VIQ_FULL);
		return;
	}
	if (way) {
		cbox_evict(cbox, way, request->line);
		llc_drop(&cbox->llc, way);
		cbox_nack(cbox, request, BLOCK_LINE,
			  SIG_CBOX_MAF_NACK1_VIC_PENDING);
		return;
	}
	maf = cbox_reserve(cbox, request, &serial);
	if (!maf)
		return;
	cbox_ack(cbox, request);
	cbox_send_to_home(cbox, maf, serial);
}

/* Copies of the line are worth nothing from now on. */
static void drop_copies(struct cbox *cbox, struct cbox_maf *maf,
			struct llc_way *way)
{
	if (way->cores)
		maf->num_snoops = (uint8_t)cbox_snoop_cores(
			cbox, maf->line, way->cores, false, way->is_core_dirty,
			TOKEN(TOKEN_MAF, maf - cbox->maf));
	llc_drop(&cbox->llc, way);
}

static void write_line(void *object, uint64_t index)
{
	struct cbox *cbox = object;

	cbox_flush_finish(cbox, &cbox->maf[index]);
}

static void stream(struct cbox *cbox, struct cbox_request *request,
		   struct llc_way *way)
{
	struct sim *sim = cbox->socket->sim;
	bool owns = way && (way->state == LLC_M || way->state == LLC_E);
	struct cbox_maf *maf;
	unsigned serial = 0;

	maf = owns ? cbox_maf_alloc(cbox, request)
		   : cbox_reserve(cbox, request, &serial);
	if (!maf)
		return;
	cbox_ack(cbox, request);
	if (way)
		drop_copies(cbox, maf, way);
	if (!owns)
		cbox_send_to_home(cbox, maf, serial);
	else if (!maf->num_snoops)
		sim_at(sim, sim_now(sim) + 1, write_line, cbox,
		       (uint64_t)(maf - cbox->maf));
}

void cbox_flush_pass(struct cbox *cbox, struct cbox_request *request,
		     struct llc_way *way)
{
	if (request->kind == UNCORE_ACCESS_FLUSH)
		flush(cbox, request, way);
	else
		stream(cbox, request, way);
}

/* All copies are gone and the home has agreed. */
void cbox_flush_finish(struct cbox *cbox, struct cbox_maf *maf)
{
	struct socket *socket = cbox->socket;
	struct core *core = &socket->cores[maf->core];
	uint64_t local;

	if (maf->kind == UNCORE_ACCESS_NT_WRITE) {
		if (cbox->num_viq >= cbox->viq_room) {
			maf->is_filling = true; /* nobody else finishes it */
			sim_at(socket->sim,
			       sim_now(socket->sim) + CBOX_RETRY_CYCLES,
			       write_line, cbox, (uint64_t)(maf - cbox->maf));
			return;
		}
		cbox_evict_new(cbox, maf->line,
			       socket->values
				       ? values_write(socket->values, maf->line,
						      core->number)
				       : 0);
	}
	core_answered(core, maf->entry,
		      NODE_SOCKET(socket_home(socket, maf->line, &local)) ==
				      socket->index
			      ? ANSWER_LOCAL_DRAM
			      : ANSWER_REMOTE_DRAM);
	core_grant(core, maf->entry);
	cbox_send_go(cbox, maf->core);
	cbox_maf_free(cbox, maf);
}
