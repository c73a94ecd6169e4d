/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Accesses to configuration spaces are told from all others by QEMU: it calls
 * us for those to the data port of the configuration mechanism, and to the part
 * of its window of memory (MMCONFIG) that is a bus of ours. The port selects a
 * bus by the address port before it, which stays QEMU's; what is not ours goes
 * on to QEMU's root bus.
 */
#include "pci.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "channel.h"
#include "qemu_symbols.h"
#include "turn.h"

enum {
	ADDRESS_PORT = 3320, /* as the PCI specification has it */
	DATA_PORT = ADDRESS_PORT + 4,
	PORT_BYTES = 4,
	/* Of the address port, and of a bus in the window. */
	PORT_BUS_BIT = 16,
	PORT_OFFSET_MASK = 0xFC,
	BUS_BIT = 20,
	UNIT_BIT = 12,
	BUS_BYTES = 1 << BUS_BIT,
	UNIT_BYTES = 1 << UNIT_BIT,
	BUS_MASK = 0xFF,
	UNIT_MASK = 0xFF,
	PRIORITY = 1000,     /* before all of QEMU's */
	REGION_BYTES = 4096, /* more than its object has in any version */
	LITTLE_ENDIAN_DEVICE = 2,
};

#define PORT_ENABLED (UINT32_C(1) << 31)
/* Where QEMU's firmware puts the window of a q35 machine. */
#define WINDOW UINT64_C(0xB0000000)

static const struct channel *channel;

/* A bus of an uncore is ours as a whole, of a socket's first one a function. */
static bool is_ours(uint32_t bus, uint32_t unit)
{
	uint32_t i;

	for (i = 0; i < channel->num_sockets; i++)
		if ((bus <= channel->pci_buses[i] &&
		     bus + channel->pci_num_buses > channel->pci_buses[i]) ||
		    (channel->pci_first_buses[i] == bus && unit &&
		     channel->pci_first_unit == unit))
			return true;
	return false;
}

static uint32_t all_ones(unsigned bytes)
{
	return UINT32_MAX >> (32 - 8 * bytes);
}

/* `place` is as in the window: bus, unit, offset. */
static uint32_t read_ours(uint32_t place, unsigned bytes)
{
	if (!turn_request_pci(REQUEST_PCI_READ, place, bytes, 0))
		return all_ones(bytes);
	return (uint32_t)channel->request.value;
}

static uint64_t read_window(void *place, uint64_t offset, unsigned bytes)
{
	return read_ours((uint32_t)((uintptr_t)place + offset), bytes);
}

static void write_window(void *place, uint64_t offset, uint64_t value,
			 unsigned bytes)
{
	turn_request_pci(REQUEST_PCI_WRITE,
			 (uint32_t)((uintptr_t)place + offset), bytes, value);
}

/* Looked up late: QEMU makes its CPUs before its buses. */
static void *root_bus(void)
{
	static void *bus;

	if (!bus)
		bus = qemu.child_bus(
			qemu.find_object("", "pci-host-bridge", NULL),
			"pcie.0");
	return bus;
}

/* Where the address port and the offset in the data port lead; false: not to a
 * bus of ours. */
static bool find_place(uint32_t address, uint64_t offset, uint32_t *place)
{
	uint32_t bus = address >> PORT_BUS_BIT & BUS_MASK;
	uint32_t unit = address >> 8 & UNIT_MASK;

	*place = bus << BUS_BIT | unit << UNIT_BIT |
		 (address & PORT_OFFSET_MASK) | (uint32_t)offset;
	return is_ours(bus, unit);
}

static uint64_t read_port(void *opaque, uint64_t offset, unsigned bytes)
{
	uint32_t address = qemu.read_port(ADDRESS_PORT);
	uint32_t place;

	(void)opaque;
	if (!(address & PORT_ENABLED))
		return all_ones(bytes);
	if (find_place(address, offset, &place))
		return read_ours(place, bytes);
	return qemu.read_pci(root_bus(), address | (uint32_t)offset, bytes);
}

static void write_port(void *opaque, uint64_t offset, uint64_t value,
		       unsigned bytes)
{
	uint32_t address = qemu.read_port(ADDRESS_PORT);
	uint32_t place;

	(void)opaque;
	if (!(address & PORT_ENABLED))
		return;
	if (find_place(address, offset, &place))
		turn_request_pci(REQUEST_PCI_WRITE, place, bytes, value);
	else
		qemu.write_pci(root_bus(), address | (uint32_t)offset,
			       (uint32_t)value, bytes);
}

static const struct region_calls port_calls = {
	.read = read_port,
	.write = write_port,
	.endianness = LITTLE_ENDIAN_DEVICE,
	.valid = { .least = 1, .most = PORT_BYTES },
	.impl = { .least = 1, .most = PORT_BYTES },
};

static const struct region_calls window_calls = {
	.read = read_window,
	.write = write_window,
	.endianness = LITTLE_ENDIAN_DEVICE,
	.valid = { .least = 1, .most = 8 },
	.impl = { .least = 1, .most = 4 },
};

/* Lies over whatever QEMU has there, as long as it lives; `opaque` is what the
 * calls get. */
static void lay_over(void *below, uint64_t place, uint64_t bytes,
		     const struct region_calls *calls, uint32_t opaque)
{
	void *region = calloc(1, REGION_BYTES);

	if (!region)
		abort();
	qemu.make_region(region, NULL, calls, (void *)(uintptr_t)opaque,
			 "uncore-pci", bytes);
	qemu.add_region(below, place, region, PRIORITY);
}

/* A part of the window, from a place in it on. */
static void take_window(uint32_t place, uint64_t bytes)
{
	lay_over(qemu.memory(), WINDOW + place, bytes, &window_calls, place);
}

bool pci_attach(const struct channel *with)
{
	uint32_t i;

	if (channel || !with->pci_buses[0])
		return true;
	if (!qemu.find_object || !qemu.child_bus || !qemu.read_pci ||
	    !qemu.write_pci || !qemu.read_port || !qemu.make_region ||
	    !qemu.add_region || !qemu.ports || !qemu.memory) {
		fprintf(stderr,
			"uncore: this QEMU does not export what is needed to "
			"give a guest PCI functions; Debian's "
			"qemu-system-x86 7.2 and 10.0 do\n");
		return false;
	}
	channel = with;
	lay_over(qemu.ports(), DATA_PORT, PORT_BYTES, &port_calls, 0);
	for (i = 0; i < channel->num_sockets; i++) {
		uint32_t num = channel->pci_num_buses;

		take_window((channel->pci_buses[i] + 1 - num) << BUS_BIT,
			    (uint64_t)num * BUS_BYTES);
		if (channel->pci_first_unit)
			take_window(channel->pci_first_buses[i] << BUS_BIT |
					    channel->pci_first_unit << UNIT_BIT,
				    UNIT_BYTES);
	}
	return true;
}
