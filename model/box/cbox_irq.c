/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The C-Box's ingress request queue: requests of cores stay in it until a pass
 * through the pipeline acknowledges them. A refused one waits until the reason
 * is gone, while others go past it. One entry is kept for special requests, so
 * that they get in whatever ordinary ones wait for (guide 2.3.6, SPL_*).
 */
#include "model/box/cbox.h"
#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

/* The request tries the pipeline (again). */
static void schedule(struct cbox *cbox, unsigned slot)
{
	uint64_t start = cbox_next_pass(cbox);

	sim_at(cbox->socket->sim, start + cbox->lookup_cycles, cbox_pass, cbox,
	       slot);
}

/* Entries of the IRQ that ordinary requests may take: one is kept for special
 * ones, or where there is but one, is there besides. */
static unsigned ordinary_room(const struct cbox *cbox)
{
	return cbox->irq_room > 1 ? cbox->irq_room - 1 : 1;
}

static unsigned irq_end(const struct cbox *cbox)
{
	return ordinary_room(cbox) + 1;
}

/* The place that a request takes, or CBOX_NONE. */
static unsigned take_place(struct cbox *cbox, bool is_special)
{
	unsigned slot = 0;

	if (cbox->num_irq >= ordinary_room(cbox) + is_special)
		return CBOX_NONE;
	while (cbox->irq[slot].is_used)
		slot++;
	cbox->num_irq++;
	return slot;
}

/* A request has been taken off the AD ring. */
static void count_arrival(struct cbox *cbox)
{
	uint64_t now = sim_now(cbox->socket->sim);

	sig_pulse(cbox->bank, SIG_CBOX_SINKS_P2C_AD, 1);
	sig_pulse(cbox->bank, SIG_CBOX_TRANS_IRQ, 1);
	sig_add(cbox->bank, SIG_CBOX_OCCUPANCY_IRQ, 1);
	if (cbox->next_pass <= now)
		sig_pulse(cbox->bank, SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP0,
			  1);
	else if (cbox->next_pass == now + 1)
		sig_pulse(cbox->bank, SIG_CBOX_INGRESS_BYPASS_WINS_AD_IRQ_BYP1,
			  1);
}

static bool sink(struct cbox *cbox, const struct cbox_request *request)
{
	unsigned slot = take_place(cbox, request->is_special);

	if (slot == CBOX_NONE)
		return false;
	cbox->irq[slot] = *request;
	count_arrival(cbox);
	schedule(cbox, slot);
	return true;
}

bool cbox_request_sink(void *object, uint64_t argument)
{
	struct cbox *cbox = object;
	struct cbox_request request = {
		.line = CBOX_REQUEST_LINE(argument),
		.entry = CBOX_REQUEST_ENTRY(argument),
		.core = CBOX_REQUEST_CORE(argument),
		.kind = CBOX_REQUEST_KIND(argument),
		.is_used = true,
	};

	if (sink(cbox, &request))
		return true;
	cbox->bounced_until =
		sim_now(cbox->socket->sim) + cbox->socket->ring.num_stops;
	return false;
}

/* A special request has priority over what waits: it may take the entry that is
 * kept for it. */
bool cbox_special_sink(void *object, uint64_t argument)
{
	struct cbox *cbox = object;
	bool was_full = cbox->num_irq >= ordinary_room(cbox);
	struct cbox_request request = {
		.line = CBOX_NO_LINE,
		.entry = CBOX_REQUEST_ENTRY(argument),
		.core = CBOX_REQUEST_CORE(argument),
		.kind = CBOX_REQUEST_KIND(argument),
		.is_used = true,
		.is_special = true,
	};

	if (!sink(cbox, &request))
		return false;
	sig_pulse(cbox->bank, SIG_CBOX_SPL_CO_SB + (argument >> 15 & 1), 1);
	if (cbox->bounced_until >= sim_now(cbox->socket->sim))
		sig_pulse(cbox->bank, SIG_CBOX_SPL_DEAD, 1);
	if (was_full) {
		sig_pulse(cbox->bank, SIG_CBOX_SPL_ARB_PRI_SW, 1);
		if (!cbox->num_special)
			sig_pulse(cbox->bank, SIG_CBOX_SPL_IN_FULL_IRQ, 1);
	}
	cbox->num_special++;
	return true;
}

/* Acknowledged: the request leaves the IRQ. */
void cbox_ack(struct cbox *cbox, struct cbox_request *request)
{
	request->is_used = false;
	cbox->irq_turn = (unsigned)(request - cbox->irq) + 1;
	cbox->num_irq--;
	cbox->num_special -= request->is_special;
	sig_add(cbox->bank, SIG_CBOX_OCCUPANCY_IRQ, -1);
	sig_pulse(cbox->bank, SIG_CBOX_MAF_ACK, 1);
}

static void retry(void *cbox, uint64_t slot)
{
	schedule(cbox, (unsigned)slot);
}

void cbox_nack(struct cbox *cbox, struct cbox_request *request,
	       enum cbox_block block, unsigned signal)
{
	if (block == BLOCK_TIME) {
		sim_at(cbox->socket->sim,
		       sim_now(cbox->socket->sim) + CBOX_RETRY_CYCLES, retry,
		       cbox, (uint64_t)(request - cbox->irq));
	} else {
		request->block = block;
		cbox->num_blocked++;
	}
	sig_pulse(cbox->bank, signal, 1);
	if (signal >= SIG_CBOX_MAF_NACK2_MAF_FULL)
		sig_pulse(cbox->bank, SIG_CBOX_MAF_NACK1_ALL_MAF_NACK2, 1);
}

/* Tries again what waits for the reason. A MAF entry that became free can serve
 * one request; of line, table and tracker only the request itself can tell. */
void cbox_wake(struct cbox *cbox, enum cbox_block block, uint64_t line)
{
	if (!cbox->num_blocked)
		return;
	for (unsigned n = 0; n < irq_end(cbox); n++) {
		/* the places take turns, or one of them would starve */
		unsigned i = (cbox->irq_turn + n) % irq_end(cbox);
		struct cbox_request *request = &cbox->irq[i];

		if (!request->is_used || request->block != block)
			continue;
		if (block == BLOCK_LINE && request->line != line)
			continue;
		request->block = BLOCK_NONE;
		cbox->num_blocked--;
		schedule(cbox, i);
		if (block == BLOCK_MAF)
			return;
	}
}

void cbox_credit(struct cbox *cbox)
{
	cbox_send_victims(cbox);
	cbox_wake(cbox, BLOCK_REQTBL, 0);
	cbox_wake(cbox, BLOCK_TRACKER, 0);
}
