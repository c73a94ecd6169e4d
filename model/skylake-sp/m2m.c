/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * M2M: what lies between the mesh and the channels of a memory controller. A
 * home's reads and writes come here, and the lines leave for the core, the home
 * or another socket from here.
 */
#include "model/skylake-sp/m2m.h"
#include "signals.h"

static const uint16_t signals[] = {
	[MEMORY_READ] = SIG_M2M_IMC_READS_NORMAL,
	[MEMORY_WRITE] = SIG_M2M_IMC_WRITES_FULL,
	[MEMORY_PARTIAL] = SIG_M2M_IMC_WRITES_PARTIAL,
	[MEMORY_DIRECT] = SIG_M2M_DIRECT2CORE_TAKEN,
	[MEMORY_OVERRIDE] = SIG_M2M_DIRECT2CORE_TXN_OVERRIDE,
	[MEMORY_FAR] = SIG_M2M_DIRECT2UPI_TAKEN,
	[DIRECTORY_I] = SIG_M2M_DIRECTORY_LOOKUP_I,
	[DIRECTORY_A] = SIG_M2M_DIRECTORY_LOOKUP_A,
	[DIRECTORY_A2I] = SIG_M2M_DIRECTORY_UPDATE_A2I,
	[DIRECTORY_I2A] = SIG_M2M_DIRECTORY_UPDATE_I2A,
};

void m2m_drive(struct sigbank *bank)
{
	sig_drives(bank, SIG_M2M_CLOCKTICKS, 1);
	sig_set(bank, SIG_M2M_CLOCKTICKS, 1);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sig_drives(bank, signals[i], 1);
}

void m2m_tell(struct ep *ep, unsigned socket, unsigned channel,
	      enum ep_memory what, uint64_t at)
{
	engine_count(&ep->engine,
		     ep->sockets[socket].m2m[ep_controller(ep, channel)],
		     signals[what], at);
}
