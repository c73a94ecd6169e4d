/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * M2M: what lies between the mesh and the channels of a memory controller. A
 * home's reads and writes come here, and the lines leave for the core, the home
 * or another socket from here.
 *
 * A request or a line that comes in from the mesh is in the ingress of its ring
 * until the channel has taken it, for a cycle at least, and a line that goes
 * out in the egress until it is on the mesh. Chosen: the ingress has room for
 * all that homes have credits for, and what comes to an empty one goes past it.
 */
#include "model/skylake-sp/m2m.h"
#include "model/sandy-bridge-ep/ha.h"
#include "signals.h"

#define UPDATE(from, to)                                                       \
	[DIRECTORY_UPDATES + 3 * HA_STATE_##from + HA_STATE_##to] =            \
		SIG_M2M_DIRECTORY_UPDATE_##from##2##to

static const uint16_t signals[] = {
	[MEMORY_READ] = SIG_M2M_IMC_READS_NORMAL,
	[MEMORY_WRITE] = SIG_M2M_IMC_WRITES_FULL,
	[MEMORY_PARTIAL] = SIG_M2M_IMC_WRITES_PARTIAL,
	[MEMORY_DIRECT] = SIG_M2M_DIRECT2CORE_TAKEN,
	[MEMORY_OVERRIDE] = SIG_M2M_DIRECT2CORE_TXN_OVERRIDE,
	[MEMORY_DIRSTATE] = SIG_M2M_DIRECT2CORE_NOT_TAKEN_DIRSTATE,
	[MEMORY_FAR] = SIG_M2M_DIRECT2UPI_TAKEN,
	[MEMORY_FAR_OVERRIDE] = SIG_M2M_DIRECT2UPI_TXN_OVERRIDE,
	[MEMORY_FAR_DIRSTATE] = SIG_M2M_DIRECT2UPI_NOT_TAKEN_DIRSTATE,
	[MEMORY_PREFETCH] = SIG_M2M_PREFCAM_INSERTS,
	[MEMORY_PROMOTION] = SIG_M2M_PREFCAM_DEMAND_PROMOTIONS,
	[DIRECTORY_LOOKUPS + HA_STATE_I] = SIG_M2M_DIRECTORY_LOOKUP_I,
	[DIRECTORY_LOOKUPS + HA_STATE_S] = SIG_M2M_DIRECTORY_LOOKUP_S,
	[DIRECTORY_LOOKUPS + HA_STATE_A] = SIG_M2M_DIRECTORY_LOOKUP_A,
	UPDATE(I, S),
	UPDATE(I, A),
	UPDATE(S, I),
	UPDATE(S, A),
	UPDATE(A, I),
	UPDATE(A, S),
};

static const struct {
	uint16_t inserts, occupancy;
} queues[] = {
	[MEMORY_RXC_AD] = { SIG_M2M_RXC_AD_INSERTS, SIG_M2M_RXC_AD_OCCUPANCY },
	[MEMORY_RXC_BL] = { SIG_M2M_RXC_BL_INSERTS, SIG_M2M_RXC_BL_OCCUPANCY },
	[MEMORY_TXC_BL] = { SIG_M2M_TXC_BL_INSERTS, SIG_M2M_TXC_BL_OCCUPANCY },
};

void m2m_drive(struct sigbank *bank)
{
	sig_drives(bank, SIG_M2M_CLOCKTICKS, 1);
	sig_set(bank, SIG_M2M_CLOCKTICKS, 1);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (signals[i])
			sig_drives(bank, signals[i], 1);
	for (unsigned i = 0; i < sizeof(queues) / sizeof(*queues); i++) {
		sig_drives(bank, queues[i].inserts, 1);
		sig_drives(bank, queues[i].occupancy, 1);
	}
	sig_drives(bank, SIG_M2M_BYPASS_EGRESS_TAKEN, 1);
	sig_drives(bank, SIG_M2M_BYPASS_EGRESS_NOT_TAKEN, 1);
}

void m2m_tell(struct ep *ep, unsigned socket, unsigned channel,
	      enum ep_memory what, uint64_t at)
{
	engine_count(&ep->engine,
		     ep->sockets[socket].m2m[ep_controller(ep, channel)].bank,
		     signals[what], at);
}

/* A read goes past the ingress to its channel, or waits. */
static void tell_bypass(struct ep_m2m *m2m, uint64_t now, uint64_t from,
			uint64_t until)
{
	uint64_t at = from, end;
	bool is_taken =
		until == from + 1 && spans_gap(&m2m->waiting, &at, until, &end);

	spans_add(&m2m->waiting, now, from, until);
	sig_later(m2m->bank,
		  is_taken ? SIG_M2M_BYPASS_EGRESS_TAKEN
			   : SIG_M2M_BYPASS_EGRESS_NOT_TAKEN,
		  from, 1);
}

void m2m_hold(struct ep *ep, unsigned socket, unsigned channel,
	      enum ep_memory_queue queue, uint64_t from, uint64_t until)
{
	struct ep_m2m *m2m =
		&ep->sockets[socket].m2m[ep_controller(ep, channel)];

	engine_count(&ep->engine, m2m->bank, queues[queue].inserts, from);
	if (ep->engine.is_quick)
		return;
	sig_span(m2m->bank, queues[queue].occupancy, from, until, 1);
	if (queue == MEMORY_RXC_AD)
		tell_bypass(m2m, engine_now(&ep->engine), from, until);
}
