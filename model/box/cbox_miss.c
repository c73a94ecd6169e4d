/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Requests that a slice cannot answer alone: they go to the home agent, with a
 * MAF entry, a place in the S-Box's request table and a tracker credit of the
 * home, and end when data and completion are in.
 */
#include "model/box/cbox.h"
#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

static unsigned home_opcode(const struct cbox_maf *maf)
{
	if (maf->kind == UNCORE_ACCESS_FLUSH)
		return HOM0_INV_XTO_I;
	if (maf->kind == UNCORE_ACCESS_NT_WRITE)
		return HOM0_INV_ITO_E;
	if (maf->kind == UNCORE_ACCESS_CODE)
		return HOM0_RD_CODE;
	if (maf->kind == UNCORE_ACCESS_READ)
		return HOM0_RD_DATA;
	return maf->way_kept ? HOM0_INV_ITO_E : HOM0_RD_INV_OWN;
}

void cbox_send_to_home(struct cbox *cbox, struct cbox_maf *maf, unsigned serial)
{
	struct sbox *sbox = &cbox->socket->sboxes[cbox->side];

	maf->at_home = true;
	maf->serial = (uint8_t)serial;
	maf->number = sbox_number(sbox, serial);
	sbox_set_core(sbox, serial, maf->core, maf->entry);
	cbox_send_request(cbox, serial, home_opcode(maf));
}

/* A request that the home agent has to answer; its entry is reserved. */
static void miss(struct cbox *cbox, struct cbox_request *request,
		 struct llc_way *way, struct cbox_maf *maf, unsigned serial)
{
	unsigned others;

	if (!way) {
		sig_pulse(cbox->bank, SIG_CBOX_LLC_MISSES_I, 1);
		cbox->socket->cores[request->core].num_llc_misses++;
	} else {
		sig_pulse(cbox->bank,
			  way->state == LLC_S ? SIG_CBOX_LLC_MISSES_S
					      : SIG_CBOX_LLC_MISSES_F,
			  1);
		maf->way_kept = true;
		maf->needs_data = !(way->cores >> request->core & 1);
		others = way->cores & ~(1u << request->core);
		way->cores &= (uint16_t)(1u << request->core);
		llc_touch(&cbox->llc, way);
		if (others)
			maf->num_snoops = (uint8_t)cbox_snoop_cores(
				cbox, request->line, others, false, false,
				TOKEN(TOKEN_MAF, maf - cbox->maf));
	}
	cbox_ack(cbox, request);
	cbox_send_to_home(cbox, maf, serial);
}

/* Whether the S-Box has room for a message of the request; else it is refused.
 * What is more than a credit away is not asked for: the message is sent in this
 * very pass. */
bool cbox_may_send(struct cbox *cbox, struct cbox_request *request)
{
	if (cbox->s_credits > 0)
		return true;
	cbox_nack(cbox, request, BLOCK_TIME,
		  SIG_CBOX_MAF_NACK2_NO_S_FIFO_CREDITS);
	return false;
}

/* A request for a home behind a link that sleeps is refused once. When it comes
 * again it is sent, and wakes the link. */
static bool is_link_idle(struct cbox *cbox, struct cbox_request *request)
{
	struct socket *socket = cbox->socket;
	uint64_t local;
	unsigned home;

	if (!cbox->links_sleep || request->has_waited)
		return false;
	home = socket_home(socket, request->line, &local);
	if (NODE_SOCKET(home) == socket->index ||
	    !rbox_link_sleeps(socket->rbox, home))
		return false;
	request->has_waited = true;
	cbox_nack(cbox, request, BLOCK_TIME, SIG_CBOX_MAF_NACK1_IDLE_QPI);
	return true;
}

struct cbox_maf *cbox_reserve(struct cbox *cbox, struct cbox_request *request,
			      unsigned *serial)
{
	struct sbox *sbox = &cbox->socket->sboxes[cbox->side];
	struct cbox_maf *maf = cbox->maf;

	if (is_link_idle(cbox, request) || !cbox_may_send(cbox, request))
		return NULL;
	while (maf->is_used)
		maf++;
	switch (sbox_reserve(sbox, request->line, cbox->index,
			     (unsigned)(maf - cbox->maf), serial)) {
	case SBOX_NO_ENTRY:
		cbox_nack(cbox, request, BLOCK_REQTBL,
			  SIG_CBOX_MAF_NACK2_NO_S_REQTBL_ENTRIES);
		return NULL;
	case SBOX_NO_TRACKER:
		cbox_nack(cbox, request, BLOCK_TRACKER,
			  SIG_CBOX_MAF_NACK2_NO_TRACKER_CREDITS);
		return NULL;
	default: return cbox_maf_alloc(cbox, request);
	}
}

void cbox_try_miss(struct cbox *cbox, struct cbox_request *request,
		   struct llc_way *way)
{
	unsigned serial;
	struct cbox_maf *maf = cbox_reserve(cbox, request, &serial);

	if (maf)
		miss(cbox, request, way, maf, serial);
}

/* The home has completed an upgrade whose copy a snoop took meanwhile: the line
 * has to be fetched after all. The MAF entry stays. */
static void fetch_again(void *object, uint64_t index)
{
	struct cbox *cbox = object;
	struct cbox_maf *maf = &cbox->maf[index];
	struct sbox *sbox = &cbox->socket->sboxes[cbox->side];
	unsigned serial;

	maf->is_refetching = true;
	/* what waited for the completion finds that there is no copy */
	cbox_wake_probes(cbox, maf->line);
	if (sbox_reserve(sbox, maf->line, cbox->index, (unsigned)index,
			 &serial) != SBOX_OK) {
		sim_at(cbox->socket->sim, sim_now(cbox->socket->sim) + 16,
		       fetch_again, cbox, index);
		return;
	}
	maf->way_kept = false;
	maf->has_copy_lost = false;
	maf->is_refetching = false;
	maf->is_granted = false;
	maf->needs_data = false;
	cbox_send_to_home(cbox, maf, serial);
}

/* The right to write to a copy that is here. */
static void finish_upgrade(struct cbox *cbox, struct cbox_maf *maf)
{
	struct llc_way *way = llc_find(&cbox->llc, maf->line);

	if (cbox->socket->values)
		cbox_value_write(cbox, way, maf->line, maf->core);
	way->state = LLC_M;
	way->cores = (uint16_t)(1u << maf->core);
	way->is_core_dirty = true;
	maf->is_alone = true;
	cbox_answer(cbox, maf);
}

/* Data of a peer may come before the home has ordered the request among its
 * rivals; the slice takes them only then. */
void cbox_maf_try_finish(struct cbox *cbox, struct cbox_maf *maf)
{
	uint64_t index = (uint64_t)(maf - cbox->maf);

	if (!maf->is_granted || maf->num_snoops || maf->is_filling ||
	    maf->is_refetching)
		return;
	if (maf->kind > UNCORE_ACCESS_NONE) {
		cbox_flush_finish(cbox, maf);
		return;
	}
	if (maf->has_copy_lost) {
		fetch_again(cbox, index);
		return;
	}
	if (maf->way_kept) {
		finish_upgrade(cbox, maf);
	} else if (!maf->is_filled) {
		if (maf->fill_state != LLC_I)
			cbox_start_fill(cbox, (unsigned)index);
		return;
	}
	cbox_send_go(cbox, maf->core);
	cbox_maf_free(cbox, maf);
}

void cbox_complete(struct cbox *cbox, unsigned index)
{
	if (core_is_special(cbox->maf[index].kind)) {
		cbox_special_complete(cbox, &cbox->maf[index]);
		return;
	}
	cbox->maf[index].is_granted = true;
	cbox_maf_try_finish(cbox, &cbox->maf[index]);
}
