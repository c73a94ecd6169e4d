/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What an I/O stack of the Xeon Scalable (IIO) counts of its first port, where
 * the devices are. The boxes of other processors have none of it, so nobody
 * listens there.
 */
#include "model/box/socket.h"
#include "model/sandy-bridge-ep/iio.h"
#include "signals.h"

static void tick(struct sigbank *bank, unsigned clock)
{
	sig_drives(bank, 0, bank->num_signals);
	sig_set(bank, clock, 1);
}

void iio_start_others(const struct iio *iio, const struct uc_family *family)
{
	const struct ep_kind *kind = iio->ep->kind;
	struct sigbank *bank;

	for (unsigned i = 0;
	     (bank = socket_bank(iio->socket, family, kind->io, i)); i++)
		if (i != kind->device)
			tick(bank, SIG_R2PCIE_CLOCKTICKS);
	for (unsigned i = 0;
	     (bank = socket_bank(iio->socket, family, "irp", i)); i++)
		if (i != kind->device)
			tick(bank, SIG_IRP_CLOCKTICKS);
}

/* What a part of a line is taken to be; in units of 4 bytes. */
enum { LINE_UNITS = 16, PART_UNITS = 2 };

void iio_tell_of_cpu(const struct iio *iio, enum irp_request request,
		     uint64_t from, uint64_t until)
{
	unsigned units = request == IRP_PART ? PART_UNITS : LINE_UNITS;
	struct sigbank *bank = iio->bank;

	irp_tell_request(&iio->irp, request, from, until);
	if (request != IRP_READ) {
		sig_later(bank, SIG_IIO_TXN_OF_CPU_WRITE, from, 1);
		sig_later(bank, SIG_IIO_DATA_OF_CPU_WRITE, from, units);
		sig_later(bank, SIG_IIO_BW_IN_PORT0, from, units);
		return;
	}
	sig_later(bank, SIG_IIO_TXN_OF_CPU_READ, from, 1);
	sig_span(bank, SIG_IIO_COMP_BUF_OCCUPANCY, from, until, 1);
	sig_later(bank, SIG_IIO_DATA_OF_CPU_READ, until, units);
	sig_later(bank, SIG_IIO_BW_OUT_PORT0, until, units);
}

/* As data/xeon-scalable-1/facts.txt has them. */
static unsigned asked(unsigned kind)
{
	switch (kind) {
	case UNCORE_ACCESS_UC_READ: return BY_ASKED_MEM_READ;
	case UNCORE_ACCESS_IO_READ: return BY_ASKED_IO_READ;
	case UNCORE_ACCESS_IO_WRITE: return BY_ASKED_IO_WRITE;
	case UNCORE_ACCESS_CFG_READ: return BY_ASKED_CFG_READ;
	case UNCORE_ACCESS_CFG_WRITE: return BY_ASKED_CFG_WRITE;
	default: return BY_ASKED_MEM_WRITE;
	}
}

/* I/O ports and configuration registers have four bytes at most. */
void iio_tell_by_cpu(const struct iio *iio, unsigned kind, uint64_t at,
		     uint64_t answered)
{
	unsigned by = asked(kind);
	bool is_memory = by == BY_ASKED_MEM_READ || by == BY_ASKED_MEM_WRITE;
	bool is_read = by == BY_ASKED_MEM_READ || by == BY_ASKED_IO_READ ||
		       by == BY_ASKED_CFG_READ;
	unsigned units = kind == UNCORE_ACCESS_WC_WRITE ? LINE_UNITS
			 : is_memory			? PART_UNITS
							: 1;
	uint64_t moved = is_read ? answered : at;

	sig_later(iio->bank, IIO_TXN_BY_CPU(by), at, 1);
	sig_later(iio->bank, IIO_DATA_BY_CPU(by), moved, units);
	sig_later(iio->bank,
		  is_read ? SIG_IIO_BW_IN_PORT0 : SIG_IIO_BW_OUT_PORT0, moved,
		  units);
}
