/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the I/O stacks of the Xeon Scalable (IIO) count of their ports. Boxes of
 * other processors have none of it, so nobody listens there. Devices of all
 * stacks share one stop.
 *
 * Chosen: a request of another stack's device is not one of memory (MEM_*) to
 * who is asked, and goes past what counts freely (BW_*), which no source says.
 */
#include "model/box/socket.h"
#include "model/sandy-bridge-ep/iio.h"
#include "signals.h"

_Static_assert((int)UNCORE_IO_PARTS == NUM_IIO_BW_IN,
	       "parts of a stack are not those of the data");

void iio_start_stacks(struct iio *iio, const struct uc_family *family)
{
	const struct ep_kind *kind = iio->ep->kind;
	unsigned num = uc_box_find(family, kind->io, NULL)->num_instances;

	iio->bank = socket_bank(iio->socket, family, kind->io, kind->device);
	iio->irp = &iio->stacks[kind->device].irp;
	iio->socket->num_stacks = num > 1 ? num : 0;
	for (unsigned i = 0; i < num; i++) {
		struct iio_stack *stack = &iio->stacks[i];

		stack->bank = socket_bank(iio->socket, family, kind->io, i);
		irp_init(&stack->irp, &iio->ep->engine,
			 socket_bank(iio->socket, family, "irp", i));
		if (i == kind->device)
			continue; /* R2PCIe's stop tells of it */
		sig_drives(stack->bank, 0, stack->bank->num_signals);
		sig_set(stack->bank, SIG_R2PCIE_CLOCKTICKS, 1);
	}
}

unsigned iio_port_of(const struct iio *iio, uint16_t target)
{
	unsigned port = target >> UNCORE_IO_PORT_SHIFT;

	return port ? port - 1 : iio->ep->kind->device * UNCORE_IO_PARTS;
}

bool iio_is_peer(const struct iio *iio, uint16_t target)
{
	return iio->socket->num_stacks && target % (1U << UNCORE_IO_PORT_SHIFT);
}

static struct sigbank *bank_of(const struct iio *iio, unsigned port)
{
	return iio->stacks[port / UNCORE_IO_PARTS].bank;
}

/* What a part of a line is taken to be; in units of 4 bytes. */
enum { LINE_UNITS = 16, PART_UNITS = 2 };

void iio_tell_of_cpu(struct iio *iio, enum irp_request request, unsigned port,
		     uint64_t from, uint64_t until)
{
	unsigned units = request == IRP_PART ? PART_UNITS : LINE_UNITS;
	unsigned part = port % UNCORE_IO_PARTS;
	struct sigbank *bank = bank_of(iio, port);

	irp_tell_request(&iio->stacks[port / UNCORE_IO_PARTS].irp, request,
			 from, until);
	if (request != IRP_READ) {
		sig_later(bank, IIO_TXN_OF_CPU(BY_MOVED_MEM_WRITE, part), from,
			  1);
		sig_later(bank, IIO_DATA_OF_CPU(BY_MOVED_MEM_WRITE, part), from,
			  units);
		sig_later(bank, IIO_BW_IN(part), from, units);
		return;
	}
	sig_later(bank, IIO_TXN_OF_CPU(BY_MOVED_MEM_READ, part), from, 1);
	sig_span(bank, IIO_COMP_BUF_OCCUPANCY(part), from, until, 1);
	sig_later(bank, IIO_DATA_OF_CPU(BY_MOVED_MEM_READ, part), until, units);
	sig_later(bank, IIO_BW_OUT(part), until, units);
}

/* Who is asked counts what comes from another stack. */
void iio_tell_peer(const struct iio *iio, bool is_read, uint16_t target,
		   uint64_t from, uint64_t at, uint64_t answered)
{
	unsigned own = iio_port_of(iio, target);
	unsigned other = target % (1U << UNCORE_IO_PORT_SHIFT) - 1;
	struct sigbank *asks = bank_of(iio, own), *asked = bank_of(iio, other);
	unsigned moved = is_read ? BY_MOVED_PEER_READ : BY_MOVED_PEER_WRITE;
	unsigned by = is_read ? BY_ASKED_PEER_READ : BY_ASKED_PEER_WRITE;

	own %= UNCORE_IO_PARTS;
	other %= UNCORE_IO_PARTS;
	sig_later(asks, IIO_TXN_OF_CPU(moved, own), from, 1);
	sig_later(asks, IIO_DATA_OF_CPU(moved, own), is_read ? answered : from,
		  LINE_UNITS);
	if (asks == asked)
		return;
	sig_later(asked, IIO_TXN_BY_CPU(by, other), at, 1);
	sig_later(asked, IIO_DATA_BY_CPU(by, other), answered, LINE_UNITS);
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
void iio_tell_by_cpu(const struct iio *iio, unsigned kind, unsigned port,
		     uint64_t at, uint64_t answered)
{
	unsigned by = asked(kind);
	bool is_memory = by == BY_ASKED_MEM_READ || by == BY_ASKED_MEM_WRITE;
	bool is_read = by == BY_ASKED_MEM_READ || by == BY_ASKED_IO_READ ||
		       by == BY_ASKED_CFG_READ;
	unsigned units = kind == UNCORE_ACCESS_WC_WRITE ? LINE_UNITS
			 : is_memory			? PART_UNITS
							: 1;
	uint64_t moved = is_read ? answered : at;
	struct sigbank *bank = bank_of(iio, port);

	port %= UNCORE_IO_PARTS;
	sig_later(bank, IIO_TXN_BY_CPU(by, port), at, 1);
	sig_later(bank, IIO_DATA_BY_CPU(by, port), moved, units);
	sig_later(bank, is_read ? IIO_BW_IN(port) : IIO_BW_OUT(port), moved,
		  units);
}
