/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The PCI functions of a socket's uncore as an operating system finds them: a
 * header made of the row in the family's data, the registers of the PMU, zeros
 * elsewhere. Functions whose registers go beyond the first 256 bytes have a
 * capability of PCI Express, without which nobody looks there; its place is our
 * choice. Nothing faults: what is not there reads as all ones, and what is
 * written to it is gone.
 */
#include "model/model.h"
#include "model/pmu/pmu.h"
#include "uncore/address.h"
#include "uncore/error.h"
#include "uncore/family.h"

/* Of the configuration space, by the PCI specifications. */
enum {
	ID = 0x00,
	STATUS = 0x04,
	CLASS = 0x08,
	HEADER_TYPE = 0x0C,
	CAPABILITIES = 0x34,
	HEADER_BYTES = 0x40,
	EXPRESS = 0x80, /* where our capability stands */
	SPACE_BYTES = 256,
	EXTENDED_BYTES = 4096,
	/* Of a function of the socket's first bus: the numbers of its buses. */
	BUS_NUMBERS = 0x108,
	SECOND_BUS_BIT = 8,
};

#define HAS_CAPABILITIES (UINT32_C(1) << 20)
#define BUSES_ARE_VALID	 (UINT32_C(1) << 16)
#define IS_ONE_OF_MANY	 (UINT32_C(0x80) << 16)
/* PCI Express, version 1, an endpoint that is part of the root complex. */
#define EXPRESS_HEAD UINT32_C(0x00910010)

unsigned uncore_model_pci_bus(const struct uncore_model *model, unsigned socket)
{
	unsigned buses = 2;

	while (buses < model->num_sockets)
		buses *= 2;
	return 256 / buses * (socket + 1) - 1;
}

unsigned uncore_model_pci_first_bus(const struct uncore_model *model,
				    unsigned socket)
{
	return socket ? uncore_model_pci_bus(model, socket - 1) + 1 : 0;
}

/* Functions stand in the order of their numbers. */
unsigned uncore_model_pci_buses(const struct uncore_model *model)
{
	const struct uc_family *family = model->family;

	return family->num_functions
		       ? (family->functions[family->num_functions - 1].unit >>
			  8) + 1u
		       : 0;
}

static bool is_on_first_bus(const struct uncore_model *model,
			    const struct uc_function *function)
{
	return uncore_model_pci_buses(model) == 1 &&
	       function->unit >> 3 < UNCORE_FIRST_BUS_DEVICES;
}

static uint32_t bus_numbers(const struct uncore_model *model, unsigned socket)
{
	return BUSES_ARE_VALID |
	       uncore_model_pci_bus(model, socket) << SECOND_BUS_BIT |
	       uncore_model_pci_first_bus(model, socket);
}

/* It has the registers of a box that this part lacks. */
static bool is_of_no_box(const struct uncore_model *model, unsigned number)
{
	const struct uc_unit *unit = uc_unit_at(
		model->family, uncore_address(UNCORE_SPACE_PCI, number, 0));

	return unit &&
	       !pmu_has_box(model->sockets[0]->pmu, unit->box, unit->instance);
}

static const struct uc_function *function_of(const struct uncore_model *model,
					     unsigned number)
{
	if (is_of_no_box(model, number))
		return NULL;
	for (unsigned i = 0; i < model->family->num_functions; i++)
		if (model->family->functions[i].unit == number)
			return &model->family->functions[i];
	return NULL;
}

static bool has_siblings(const struct uncore_model *model, unsigned number)
{
	for (unsigned i = 0; i < model->family->num_functions; i++)
		if (model->family->functions[i].unit != number &&
		    model->family->functions[i].unit >> 3 == number >> 3)
			return true;
	return false;
}

/* The part of the header, or of the capability, at an offset. */
static uint32_t header(const struct uncore_model *model,
		       const struct uc_function *function, unsigned offset)
{
	switch (offset) {
	case ID: return (uint32_t)function->device << 16 | function->vendor;
	case STATUS: return function->is_extended ? HAS_CAPABILITIES : 0;
	case CLASS:
		return (uint32_t)function->class_code << 16 |
		       function->revision;
	case HEADER_TYPE:
		return has_siblings(model, function->unit) ? IS_ONE_OF_MANY : 0;
	case CAPABILITIES: return function->is_extended ? EXPRESS : 0;
	case EXPRESS: return function->is_extended ? EXPRESS_HEAD : 0;
	default: return 0;
	}
}

/* Node n is socket n. */
static uint32_t node_map(const struct uc_register *reg, unsigned socket)
{
	uint64_t value = 0;

	if (reg->role == UC_ROLE_NODE_ID)
		return socket << reg->layout->fields[0].low;
	for (unsigned i = 0; i < reg->layout->num_fields; i++) {
		const struct uc_field *field = &reg->layout->fields[i];
		unsigned width = field->high + 1u - field->low;

		value |= (uint64_t)(field->low / width) << field->low;
	}
	return (uint32_t)value;
}

static uint64_t address_of(const struct uc_function *function, unsigned offset)
{
	return uncore_address(UNCORE_SPACE_PCI, function->unit, offset);
}

static uint32_t read_word(struct uncore_model *model, unsigned socket,
			  const struct uc_function *function, unsigned offset)
{
	uint64_t address = address_of(function, offset), value;
	const struct uc_register *reg = uc_register_at(model->family, address);

	if (reg &&
	    (reg->role == UC_ROLE_NODE_ID || reg->role == UC_ROLE_NODE_MAP))
		return node_map(reg, socket);
	if (is_on_first_bus(model, function) && offset == BUS_NUMBERS)
		return bus_numbers(model, socket);
	if (offset >= HEADER_BYTES &&
	    !pmu_read_part(model->sockets[socket]->pmu, address, &value))
		return (uint32_t)value;
	return header(model, function, offset);
}

/* Whether there is something at an offset. */
static bool is_there(const struct uncore_model *model, unsigned socket,
		     const struct uc_function *function, unsigned offset)
{
	return function && socket < model->num_sockets &&
	       offset < (function->is_extended ? EXTENDED_BYTES : SPACE_BYTES);
}

uint32_t uncore_model_pci_read(struct uncore_model *model, unsigned socket,
			       unsigned function, unsigned offset,
			       unsigned bytes)
{
	const struct uc_function *row = function_of(model, function);
	uint32_t mask = UINT32_MAX >> (32 - 8 * bytes);

	if (!is_there(model, socket, row, offset))
		return mask;
	return read_word(model, socket, row, offset & ~3u) >> (offset % 4 * 8) &
	       mask;
}

void uncore_model_pci_write(struct uncore_model *model, unsigned socket,
			    unsigned function, unsigned offset, unsigned bytes,
			    uint32_t value)
{
	const struct uc_function *row = function_of(model, function);
	unsigned shift = offset % 4 * 8;
	uint32_t mask = UINT32_MAX >> (32 - 8 * bytes) << shift;
	uint32_t whole = value << shift;
	unsigned before;

	if (!is_there(model, socket, row, offset) || offset < HEADER_BYTES)
		return;
	offset &= ~3u;
	if (~mask)
		whole = (read_word(model, socket, row, offset) & ~mask) |
			(whole & mask);
	before = model_begin_write(model);
	pmu_write_part(model->sockets[socket]->pmu, address_of(row, offset),
		       whole);
	model_end_write(model, before);
}
