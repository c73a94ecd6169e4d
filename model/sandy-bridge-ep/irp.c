/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/sandy-bridge-ep/irp.h"

#include "signals.h"

_Static_assert((int)BY_INBOUND_PART == IRP_PART &&
		       (int)BY_IO_CLASS_NCS == IIO_NCS,
	       "the attributes are not those of the IRP");

void irp_init(struct irp *irp, struct engine *engine, struct sigbank *bank)
{
	irp->engine = engine;
	irp->bank = bank;
	if (!bank)
		return;
	sig_drives(bank, 0, NUM_SIG_IRP);
	sig_set(bank, SIG_IRP_CLOCKTICKS, 1);
}

void irp_fini(struct irp *irp)
{
	for (unsigned i = 0; i < IIO_NUM_CLASSES; i++)
		occupancy_free(&irp->ingress[i]);
}

void irp_tell_request(const struct irp *irp, enum irp_request kind,
		      uint64_t from, uint64_t until)
{
	if (!irp->bank)
		return;
	sig_later(irp->bank, IRP_TRANSACTIONS(kind), from, 1);
	sig_span(irp->bank, IRP_CACHE_OCCUPANCY(kind), from, until, 1);
}

void irp_tell_ack(const struct irp *irp, uint64_t at)
{
	if (irp->bank)
		sig_later(irp->bank, SIG_IRP_RXR_AK_INSERTS, at, 1);
}

void irp_tell_stall(const struct irp *irp, enum ring_kind kind, uint64_t from,
		    uint64_t until)
{
	if (irp->bank)
		sig_span(irp->bank, IRP_TXR_STALL_CREDIT(kind), from, until, 1);
}

void irp_tell_ingress(struct irp *irp, enum iio_class cls, uint64_t from,
		      uint64_t until, unsigned room)
{
	struct occupancy *inside = &irp->ingress[cls];
	struct occupancy_steps steps;

	if (!irp->bank || from >= until)
		return;
	sig_later(irp->bank, IRP_RXR_BL_INSERTS(cls), from, 1);
	sig_span(irp->bank, IRP_RXR_BL_OCCUPANCY(cls), from, until, 1);
	occupancy_forget(inside, engine_now(irp->engine));
	steps = occupancy_enter(inside, from, until, 1);
	for (unsigned i = steps.first; i < steps.end; i++)
		if (inside->steps[i].count == room)
			sig_span(irp->bank, IRP_RXR_BL_FULL(cls),
				 inside->steps[i].at, inside->steps[i + 1].at,
				 1);
}

void irp_tell_outbound(const struct irp *irp, enum iio_class cls, uint64_t from,
		       uint64_t until)
{
	if (!irp->bank)
		return;
	sig_later(irp->bank, IRP_TXR_DATA_INSERTS(cls), from, 1);
	sig_span(irp->bank, SIG_IRP_TXR_REQUEST_OCCUPANCY, from, until, 1);
}
