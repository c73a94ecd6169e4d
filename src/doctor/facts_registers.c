/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What of a family's registers is to be reached: PCI functions that the
 * firmware shows, MSRs that msr-safe has on its list.
 */
#include <stdlib.h>
#include <string.h>

#include "access/pci_map.h"
#include "doctor/facts.h"
#include "table/table.h"
#include "uncore/address.h"

static unsigned num_shown(const struct pci_map *map, const struct uc_unit *unit)
{
	unsigned num = 0;

	for (size_t i = 0; i < map->num; i++)
		num += map->list[i].vendor == unit->vendor &&
		       map->list[i].device == unit->device;
	return num;
}

static void look_for(struct facts *facts, const struct pci_map *map,
		     const struct uc_unit *unit)
{
	unsigned sockets = facts->num_sockets ? facts->num_sockets : 1;
	unsigned shown = num_shown(map, unit);
	struct facts_hidden *list;

	for (size_t i = 0; i < facts->num_hidden; i++)
		if (facts->hidden[i].unit->device == unit->device)
			return;
	if (shown >= sockets)
		return;
	list = realloc(facts->hidden, (facts->num_hidden + 1) * sizeof(*list));
	if (!list)
		return;
	facts->hidden = list;
	list[facts->num_hidden++] =
		(struct facts_hidden){ unit, shown, sockets };
}

void facts_functions(struct facts *facts)
{
	const struct uc_family *family = facts->family;
	struct pci_map map;
	char *folder;

	if (!family || !pci_map_is_for(family))
		return;
	folder = root_path(&facts->root, "/sys/bus/pci/devices");
	if (folder && !pci_map_list(&map, folder, NULL)) {
		facts->lists_functions = true;
		for (unsigned i = 0; i < family->num_units; i++)
			if (family->units[i].space == UNCORE_SPACE_PCI)
				look_for(facts, &map, &family->units[i]);
		pci_map_free(&map);
	}
	free(folder);
}

/* Whether msr-safe's list, lines of an address and a mask, lets a register be
 * read, and all of its bits be written. */
static bool is_listed(const char *list, const struct uc_register *reg)
{
	uint64_t needed =
		reg->access == UC_ACCESS_RO ? 0 : reg->layout->writable;

	for (; list; list = strchr(list, '\n')) {
		char *end, *last;
		uint64_t address, mask;

		list += *list == '\n';
		address = strtoull(list, &end, 0);
		mask = strtoull(end, &last, 0);
		if (end != list && last != end && address == reg->address)
			return !(needed & ~mask);
	}
	return false;
}

void facts_allowlist(struct facts *facts)
{
	const struct uc_family *family = facts->family;

	facts->allowlist = root_text(&facts->root, "/dev/cpu/msr_allowlist");
	if (!family || !facts->allowlist)
		return;
	for (unsigned i = 0; i < family->num_registers; i++) {
		const struct uc_register *reg = &family->registers[i];

		if (uncore_address_space(reg->address) != UNCORE_SPACE_MSR ||
		    is_listed(facts->allowlist, reg))
			continue;
		if (!facts->not_listed++)
			facts->not_listed_name = reg->name;
	}
}
