/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the guest asks: its RDMSR and WRMSR of uncore registers, its accesses to
 * PCI functions of the uncore, and the marks of its programs. A refusal is said
 * with the register's name, and with the reserved fields that the value sets if
 * that is why.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "guest.h"
#include "uncore/address.h"
#include "uncore/family.h"
#include "uncore/live.h"

/* The address of a request to a configuration space. */
enum {
	PCI_BUS_BIT = 20,
	PCI_UNIT_BIT = 12,
	PCI_UNIT_MASK = 0xFF,
	PCI_OFFSET_MASK = 0xFFF,
};

/* Adds ", whose bits 7:5 (rsv) are reserved" for each such field. */
static void add_reserved(struct text *text, const struct uncore_register *reg,
			 uint64_t value)
{
	struct uncore_field field;

	for (size_t i = 0; uncore_register_field(reg, i, &field); i++) {
		uint64_t bits = value >> field.low;

		if (field.high - field.low < 63)
			bits &= (UINT64_C(1) << (field.high - field.low + 1)) -
				1;
		if (bits && !strcmp(field.kind, "rsv"))
			text_add(text, "; field %s (bits %u:%u) is reserved",
				 field.name, field.high, field.low);
	}
}

static void log_fault(const struct uncore_guest *guest,
		      const struct channel_request *request)
{
	struct uncore_register reg;
	struct text text = { 0 };
	char *line;

	if (!guest->config.log)
		return;
	text_add(&text, "guest: CPU %u: ", request->cpu);
	if (!uncore_family_register_at(guest->family, request->address, &reg))
		text_add(&text, "register 0x%x is not there (#GP)",
			 request->address);
	else if (request->kind == REQUEST_READ)
		text_add(&text, "read of %s refused (#GP)", reg.name);
	else
		text_add(&text, "write of 0x%llx to %s (%s) refused (#GP)",
			 (unsigned long long)request->value, reg.name,
			 reg.access);
	if (text.data && request->kind == REQUEST_WRITE &&
	    uncore_family_register_at(guest->family, request->address, &reg))
		add_reserved(&text, &reg, request->value);
	line = text_take(&text);
	if (line)
		guest->config.log(guest->config.log_context, line);
	free(line);
}

static void serve_register(struct uncore_guest *guest,
			   struct channel_request *request)
{
	bool is_write = request->kind == REQUEST_WRITE;
	int code;

	if (is_write)
		code = uncore_live_write(guest->live, request->cpu,
					 request->address, request->value);
	else
		code = uncore_live_read(guest->live, request->cpu,
					request->address, &request->value);
	request->fault = code != 0;
	guest->status.reads += !is_write;
	guest->status.writes += is_write;
	guest->status.faults += code != 0;
	if (code)
		log_fault(guest, request);
	else if (is_write)
		guest_want_traffic(guest);
}

/* The socket of a bus; *number: which one of the socket's it is. */
static unsigned socket_of_bus(const struct channel *channel, unsigned bus,
			      unsigned *number)
{
	for (unsigned i = 0; i < channel->num_sockets; i++) {
		unsigned first =
			channel->pci_buses[i] + 1 - channel->pci_num_buses;

		*number = bus - first;
		if (bus >= first && bus <= channel->pci_buses[i])
			return i;
	}
	*number = 0;
	for (unsigned i = 0; i + 1 < channel->num_sockets; i++)
		if (channel->pci_first_buses[i] == bus)
			return i;
	return channel->num_sockets - 1;
}

/* An access to a bus of ours; one without a function reads as all ones. */
static void serve_pci(struct uncore_guest *guest,
		      struct channel_request *request)
{
	const struct channel *channel = guest->channel;
	unsigned number;
	unsigned socket = socket_of_bus(
		channel, request->address >> PCI_BUS_BIT, &number);
	struct uncore_live_op op = {
		.bytes = (uint8_t)request->bytes,
		.is_write = request->kind == REQUEST_PCI_WRITE,
		.address = uncore_address(
			UNCORE_SPACE_PCI,
			number << 8 | (request->address >> PCI_UNIT_BIT &
				       PCI_UNIT_MASK),
			request->address & PCI_OFFSET_MASK),
		.value = request->value,
	};

	op.cpu = socket * channel->cores_per_socket;
	uncore_live_batch(guest->live, &op, 1);
	request->value = op.value;
	guest->status.reads += !op.is_write;
	guest->status.writes += op.is_write;
	if (op.is_write)
		guest_want_traffic(guest);
}

void guest_serve_request(struct uncore_guest *guest, const volatile int *stop)
{
	struct channel_request *request = &guest->channel->request;

	request->fault = 0;
	switch (request->kind) {
	case REQUEST_READ:
	case REQUEST_WRITE: serve_register(guest, request); break;
	case REQUEST_PCI_READ:
	case REQUEST_PCI_WRITE: serve_pci(guest, request); break;
	case REQUEST_MARK_BEGIN: guest_begin_region(guest); break;
	case REQUEST_MARK_END: guest_end_region(guest, stop); break;
	case REQUEST_PASS: guest_pass(guest, request->value); break;
	default: request->fault = 1; break;
	}
	atomic_store(&request->state, REQUEST_ANSWERED);
	guest_ring(guest);
}
