/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Look-up in the tables made from data/: by name, by address, by role. A
 * processor is chosen by looking it up, never by a switch.
 */
#include "table/table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "uncore/address.h"

enum { MAX_ADDED = 16 };

static _Atomic(const struct uc_family *) added[MAX_ADDED];

bool uc_family_add(const struct uc_family *family)
{
	for (unsigned i = 0; i < MAX_ADDED; i++) {
		const struct uc_family *none = NULL;

		if (atomic_compare_exchange_strong(&added[i], &none, family))
			return true;
	}
	return false;
}

/* Pointers in place of the offsets of some rows. */
static void relocate(const struct uc_image *image, const struct uc_block *block)
{
	char *tables = image->tables;

	for (uint32_t i = 0; i < block->num; i++)
		for (unsigned p = 0; p < block->pointers; p++) {
			char *at = tables + block->offset +
				   (size_t)i * block->size + p * sizeof(void *);
			const char *to = NULL;
			uintptr_t offset;

			memcpy(&offset, at, sizeof(offset));
			if (offset >= UC_TEXTS)
				to = uc_texts + (offset - UC_TEXTS);
			else if (offset)
				to = tables + offset;
			memcpy(at, &to, sizeof(to));
		}
}

static const struct uc_family *family_of(struct uc_image *image)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	if (!image->is_ready) {
		pthread_mutex_lock(&lock);
		for (unsigned i = 0; !image->is_ready && i < image->num_blocks;
		     i++)
			relocate(image, &image->blocks[i]);
		image->is_ready = true;
		pthread_mutex_unlock(&lock);
	}
	return image->tables;
}

const struct uc_family *uc_family_nth(size_t n)
{
	for (size_t i = 0; uc_images[i].name; i++)
		if (i == n)
			return family_of(&uc_images[i]);
	return NULL;
}

const struct uc_family *uc_family_of_cpu(unsigned family, unsigned model,
					 unsigned stepping)
{
	for (struct uc_image *image = uc_images; image->name; image++)
		if (image->cpuid_family == family &&
		    image->cpuid_model == model &&
		    stepping >= image->first_stepping &&
		    stepping <= image->last_stepping)
			return family_of(image);
	return NULL;
}

static bool is_name(const char *family, const char *name)
{
	return !strcmp(family, name) ||
	       (!strpbrk(name, ":,") && !strcasecmp(family, name));
}

const struct uc_family *uc_family_find(const char *name)
{
	for (struct uc_image *image = uc_images; image->name; image++)
		if (is_name(image->name, name))
			return family_of(image);
	for (size_t i = 0; i < MAX_ADDED && added[i]; i++)
		if (is_name(added[i]->name, name))
			return added[i];
	for (const struct uc_machine_name *m = uc_machine_names; m->name; m++)
		if (!strcasecmp(m->name, name) && strcasecmp(m->family, name))
			return uc_family_find(m->family);
	return NULL;
}

const struct uc_box *uc_box_find(const struct uc_family *family,
				 const char *name, unsigned *index)
{
	for (unsigned i = 0; i < family->num_boxes; i++) {
		if (strcasecmp(family->boxes[i].name, name))
			continue;
		if (index)
			*index = i;
		return &family->boxes[i];
	}
	return NULL;
}

const struct uc_register *uc_register_at(const struct uc_family *family,
					 uint64_t address)
{
	size_t low = 0, high = family->num_registers;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct uc_register *reg = &family->registers[middle];

		if (reg->address == address)
			return reg;
		if (reg->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct uc_unit *uc_unit_at(const struct uc_family *family,
				 uint64_t address)
{
	for (unsigned i = 0; i < family->num_units; i++)
		if (family->units[i].space == uncore_address_space(address) &&
		    family->units[i].unit == uncore_address_unit(address))
			return &family->units[i];
	return NULL;
}

const struct uc_register *uc_register_of(const struct uc_family *family,
					 unsigned box, unsigned instance,
					 enum uc_role role, unsigned index)
{
	unsigned first = family->boxes[box].first[role];

	for (size_t i = first; first && i <= family->num_registers; i++) {
		const struct uc_register *reg = &family->registers[i - 1];

		if (reg->box == box && reg->instance == instance &&
		    reg->role == role && reg->index == index)
			return reg;
	}
	return NULL;
}

const struct uc_layout *uc_layout_of(const struct uc_family *family,
				     unsigned box, enum uc_role role)
{
	unsigned first = family->boxes[box].first[role];

	return first ? family->registers[first - 1].layout : NULL;
}

static bool is_named(const char *name, size_t length, const char *wanted)
{
	return strlen(wanted) == length && !strncasecmp(name, wanted, length);
}

enum uc_role uc_role_named(const char *name, size_t length)
{
	for (unsigned role = UC_FIRST_SUB_ROLE; role < UC_NUM_ROLES; role++)
		if (uc_role_names[role] &&
		    is_named(name, length, uc_role_names[role]))
			return (enum uc_role)role;
	return UC_ROLE_NONE;
}

const struct uc_alias *uc_alias_find(const struct uc_family *family,
				     enum uc_alias_kind kind, unsigned box,
				     const char *name, size_t length)
{
	for (unsigned i = 0; i < family->num_aliases; i++) {
		const struct uc_alias *row = &family->aliases[i];

		if (row->kind == kind && row->box == box &&
		    (!name || is_named(name, length, row->name)))
			return row;
	}
	return NULL;
}

const struct uc_core_register *
uc_core_register_at(const struct uc_family *family, uint64_t address)
{
	size_t low = 0, high = family->num_core_registers;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct uc_core_register *core =
			&family->core_registers[middle];

		if (core->reg.address == address)
			return core;
		if (core->reg.address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct uc_core_event *uc_core_event_find(const struct uc_family *family,
					       unsigned code,
					       unsigned unit_mask)
{
	for (unsigned i = 0; i < family->num_core_events; i++) {
		const struct uc_core_event *event = &family->core_events[i];

		if (event->code == code && event->unit_mask == unit_mask)
			return event;
	}
	return NULL;
}

uint64_t uc_core_event_counts(const struct uc_family *family, unsigned code,
			      unsigned unit_mask)
{
	const struct uc_core_event *event =
		uc_core_event_find(family, code, unit_mask);
	uint64_t counts = 0;

	if (event && event->counts)
		return event->counts;
	for (unsigned left = unit_mask; left; left &= left - 1) {
		event = uc_core_event_find(family, code, left & -left);
		if (!event || !event->counts)
			return 0;
		counts |= event->counts;
	}
	return counts;
}

const struct uc_domain *uc_domain_of(const struct uc_family *family,
				     unsigned box)
{
	for (unsigned i = 0; i < family->num_domains; i++)
		if (family->domains[i].boxes >> box & 1)
			return &family->domains[i];
	return NULL;
}

const struct uc_register *uc_domain_register(const struct uc_family *family,
					     const struct uc_domain *domain,
					     unsigned box, unsigned instance)
{
	if (!domain)
		return NULL;
	if (domain->scope == UC_SCOPE_SOCKET)
		return &family->registers[domain->reg];
	return uc_register_of(family, box, instance, UC_ROLE_GLOBAL_CTL, 0);
}

const struct uc_domain *uc_domain_governed(const struct uc_family *family,
					   const struct uc_register *reg)
{
	for (unsigned i = 0; i < family->num_domains; i++) {
		const struct uc_domain *domain = &family->domains[i];

		if (domain->scope == UC_SCOPE_SOCKET
			    ? reg == &family->registers[domain->reg]
			    : reg->role == UC_ROLE_GLOBAL_CTL &&
				      domain->boxes >> reg->box & 1)
			return domain;
	}
	return NULL;
}

/* Most differ in the first two letters, and this is asked all the time. */
static bool is_called(const char *name, const char *wanted)
{
	return *name && !((name[0] ^ wanted[0]) & ~0x20) &&
	       !((name[1] ^ wanted[1]) & ~0x20) && !strcasecmp(name, wanted);
}

const struct uc_field *uc_field_find(const struct uc_layout *layout,
				     const char *name)
{
	for (size_t i = 0; i < layout->num_fields; i++) {
		const struct uc_field *field = &layout->fields[i];

		if (field->kind == UC_KIND_IG || field->kind == UC_KIND_RSV)
			continue;
		if (is_called(field->name, name) ||
		    is_called(field->canonical, name))
			return field;
	}
	return NULL;
}

uint64_t uc_field_get(const struct uc_field *field, uint64_t reg)
{
	return (reg & uc_bits(field->high, field->low)) >> field->low;
}

uint64_t uc_field_put(const struct uc_field *field, uint64_t reg,
		      uint64_t value)
{
	uint64_t mask = uc_bits(field->high, field->low);

	return (reg & ~mask) | ((value << field->low) & mask);
}
