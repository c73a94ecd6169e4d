/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the PCI functions of each socket's uncore are, in a tree like Linux's
 * /proc/bus/pci (`devices`, and BB/DD.F for each) or /sys/bus/pci/devices
 * (DDDD:BB:DD.F with `vendor`, `device` and `config`). A function is known by
 * its id; its socket is that of its bus, which the node map of the family's
 * data tells (registers with the roles node_id and node_map), or of the nearest
 * bus below that has one. Numbers of buses mean nothing else, and functions
 * that are not there have been hidden.
 */
#ifndef UNCORE_ACCESS_PCI_MAP_H
#define UNCORE_ACCESS_PCI_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table/table.h"

enum { PCI_MAX_SOCKETS = 8 };

struct pci_function {
	unsigned domain, bus, unit; /* unit: device * 8 + function */
	uint16_t vendor, device;
};

/* A socket's uncore bus. */
struct pci_bus {
	unsigned domain, bus, socket;
};

struct pci_map {
	const char *folder;
	bool is_proc;
	struct pci_function *list;
	size_t num;
	struct pci_bus buses[PCI_MAX_SOCKETS]; /* by their socket */
	unsigned num_buses;
};

/* Lists the functions; the folder must outlive the map, which is to be freed
 * whatever comes. 0, or a code and *error: a sentence. */
int pci_map_list(struct pci_map *map, const char *folder, char **error);
void pci_map_free(struct pci_map *map);

/* The family that has its functions here, or NULL. */
const struct uc_family *pci_map_family(const struct pci_map *map);

/* Whether a family has registers in PCI functions. */
bool pci_map_is_for(const struct uc_family *family);

/* Finds the buses of a family. 0, or a code and *error. */
int pci_map_find_buses(struct pci_map *map, const struct uc_family *family,
		       char **error);

/* The bus of a socket (as the node map numbers them), or NULL. */
const struct pci_bus *pci_map_bus(const struct pci_map *map, unsigned socket);

/* The path of the configuration space of a bus's function with this id, to be
 * freed; NULL: there is none. */
char *pci_map_path(const struct pci_map *map, const struct pci_bus *bus,
		   const struct uc_unit *unit);

#endif
