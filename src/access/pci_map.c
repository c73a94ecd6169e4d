/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The ids are taken from where the kernel has them in memory: reading the
 * configuration space of every device might wake it.
 */
#include "access/pci_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/served.h"
#include "access/unit_files.h"
#include "base/array.h"
#include "base/file.h"
#include "base/text.h"
#include "uncore/error.h"

enum { LINE_BYTES = 512 };

static bool add(struct pci_map *map, const struct pci_function *function)
{
	if (!array_room(&map->list, map->num, sizeof(*map->list)))
		return false;
	map->list[map->num++] = *function;
	return true;
}

/* `devices`: a line for each function, bus and unit, then vendor and device. */
static bool list_proc(struct pci_map *map, FILE *devices)
{
	char line[LINE_BYTES];
	unsigned place, id;

	map->is_proc = true;
	while (fgets(line, sizeof(line), devices)) {
		struct pci_function function;

		if (sscanf(line, "%4x %8x", &place, &id) != 2)
			continue;
		function = (struct pci_function){
			.bus = place >> 8,
			.unit = place & 0xFF,
			.vendor = (uint16_t)(id >> 16),
			.device = (uint16_t)id,
		};
		if (!add(map, &function))
			return false;
	}
	return true;
}

static bool read_id(const char *folder, const char *name, const char *key,
		    uint16_t *id)
{
	unsigned value = 0;
	char *path;
	FILE *file;
	bool fits;

	if (asprintf(&path, "%s/%s/%s", folder, name, key) < 0)
		return false;
	file = file_open(path);
	free(path);
	fits = file && fscanf(file, "%x", &value) == 1;
	if (file)
		fclose(file);
	*id = (uint16_t)value;
	return fits;
}

static bool list_sys(struct pci_map *map, DIR *folder)
{
	const struct dirent *entry;

	/* nobody else has this stream */
	/* cppcheck-suppress readdirCalled */
	while ((entry = readdir(folder))) {
		struct pci_function function = { 0 };
		unsigned device, number;

		if (sscanf(entry->d_name, "%x:%x:%x.%x", &function.domain,
			   &function.bus, &device, &number) != 4 ||
		    !read_id(map->folder, entry->d_name, "vendor",
			     &function.vendor) ||
		    !read_id(map->folder, entry->d_name, "device",
			     &function.device))
			continue;
		function.unit = device << 3 | number;
		if (!add(map, &function))
			return false;
	}
	return true;
}

int pci_map_list(struct pci_map *map, const char *folder, char **error)
{
	DIR *entries = opendir(folder);
	FILE *devices = NULL;
	bool fine = true;
	char *path;

	*map = (struct pci_map){ .folder = folder };
	if (!entries && errno == EACCES)
		return served_is_closed(folder, error);
	if (!entries)
		return text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "cannot open %s: %s", folder,
				  strerror(errno));
	if (asprintf(&path, "%s/devices", folder) >= 0) {
		devices = file_open(path);
		free(path);
	}
	fine = devices ? list_proc(map, devices) : list_sys(map, entries);
	if (devices)
		fclose(devices);
	closedir(entries);
	if (!fine)
		return UNCORE_ERR_NO_MEMORY;
	if (map->num)
		return 0;
	return text_error(UNCORE_ERR_NO_HARDWARE, error,
			  "%s has no PCI functions: neither a file 'devices' "
			  "as /proc/bus/pci, nor folders as "
			  "/sys/bus/pci/devices",
			  folder);
}

void pci_map_free(struct pci_map *map)
{
	free(map->list);
	*map = (struct pci_map){ 0 };
}

/* The node map */

static const struct uc_register *with_role(const struct uc_family *family,
					   enum uc_role role)
{
	for (unsigned i = 0; i < family->num_registers; i++)
		if (family->registers[i].role == role)
			return &family->registers[i];
	return NULL;
}

/* The function that has the node map. */
static const struct uc_unit *map_unit(const struct uc_family *family)
{
	const struct uc_register *reg = with_role(family, UC_ROLE_NODE_ID);

	return reg ? uc_unit_at(family, reg->address) : NULL;
}

static bool is(const struct pci_function *function, const struct uc_unit *unit)
{
	return function->vendor == unit->vendor &&
	       function->device == unit->device;
}

static char *path_of(const struct pci_map *map,
		     const struct pci_function *function)
{
	char *path;
	int made;

	if (map->is_proc)
		made = asprintf(&path, "%s/%02x/%02x.%x", map->folder,
				function->bus, function->unit >> 3,
				function->unit & 7);
	else
		made = asprintf(&path, "%s/%04x:%02x:%02x.%x/config",
				map->folder, function->domain, function->bus,
				function->unit >> 3, function->unit & 7);
	return made < 0 ? NULL : path;
}

/* The socket whose node has this id, or -1. Entries are as wide as the id. */
static int socket_of(const struct uc_register *id, uint64_t id_value,
		     const struct uc_register *map, uint64_t map_value)
{
	const struct uc_field *field = &id->layout->fields[0];
	unsigned bits = field->high + 1u - field->low;
	uint64_t mask = (UINT64_C(1) << bits) - 1;
	uint64_t node = id_value >> field->low & mask;

	for (unsigned i = 0; i < map->layout->num_fields; i++)
		if ((map_value >> (i * bits) & mask) == node)
			return (int)i;
	return -1;
}

/* Reads the node map of a bus: its socket, or a code. */
static int read_socket(const struct uc_family *family, const char *path,
		       char **error)
{
	const struct uc_register *id = with_role(family, UC_ROLE_NODE_ID);
	const struct uc_register *map = with_role(family, UC_ROLE_NODE_MAP);
	uint64_t id_value, map_value;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int socket, code;

	if (file < 0)
		return text_error(UNCORE_ERR_NO_PERMISSION, error,
				  "cannot open %s: %s", path, strerror(errno));
	code = unit_file_read(file, id, &id_value) ||
	       unit_file_read(file, map, &map_value);
	close(file);
	if (code)
		return text_error(UNCORE_ERR_NO_PERMISSION, error,
				  "%s ends before %s: who is not root with "
				  "CAP_SYS_ADMIN sees 64 bytes of a PCI "
				  "function, and no counters",
				  path, map->name);
	socket = socket_of(id, id_value, map, map_value);
	if (socket >= 0 && socket < PCI_MAX_SOCKETS)
		return socket;
	return text_error(UNCORE_ERR_NO_HARDWARE, error,
			  "%s: its %s 0x%" PRIx64 " is not in its %s 0x%" PRIx64
			  ", so nobody knows which socket it is of",
			  path, id->name, id_value, map->name, map_value);
}

static int add_bus(struct pci_map *map, const struct uc_family *family,
		   const struct pci_function *function, char **error)
{
	char *path = path_of(map, function);
	int socket =
		path ? read_socket(family, path, error) : UNCORE_ERR_NO_MEMORY;
	struct pci_bus bus = { function->domain, function->bus, 0 };
	unsigned at = map->num_buses;

	free(path);
	if (socket < 0)
		return socket;
	bus.socket = (unsigned)socket;
	if (pci_map_bus(map, bus.socket))
		return text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "buses %02x and %02x of %s both say that "
				  "they are of socket %u",
				  pci_map_bus(map, bus.socket)->bus, bus.bus,
				  map->folder, bus.socket);
	for (; at && map->buses[at - 1].socket > bus.socket; at--)
		map->buses[at] = map->buses[at - 1];
	map->buses[at] = bus;
	map->num_buses++;
	return 0;
}

const struct uc_family *pci_map_family(const struct pci_map *map)
{
	const struct uc_family *family;

	for (size_t f = 0; (family = uc_family_nth(f)); f++) {
		const struct uc_unit *unit = map_unit(family);

		for (size_t i = 0; unit && i < map->num; i++)
			if (is(&map->list[i], unit))
				return family;
	}
	return NULL;
}

bool pci_map_is_for(const struct uc_family *family)
{
	return map_unit(family);
}

int pci_map_find_buses(struct pci_map *map, const struct uc_family *family,
		       char **error)
{
	const struct uc_unit *unit = map_unit(family);
	int code = 0;

	if (!unit)
		return text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "the registers of %s are none of PCI "
				  "functions",
				  family->title);
	for (size_t i = 0; i < map->num && !code; i++)
		if (is(&map->list[i], unit))
			code = add_bus(map, family, &map->list[i], error);
	if (code || map->num_buses)
		return code;
	return text_error(UNCORE_ERR_NO_HARDWARE, error,
			  "%s has no function %04x:%04x, which tells the "
			  "uncore's buses of %s",
			  map->folder, unit->vendor, unit->device,
			  family->title);
}

const struct pci_bus *pci_map_bus(const struct pci_map *map, unsigned socket)
{
	for (unsigned i = 0; i < map->num_buses; i++)
		if (map->buses[i].socket == socket)
			return &map->buses[i];
	return NULL;
}

/* A bus without a node map is of the socket whose map is on the next lower one
 * that has one. */
static bool is_behind(const struct pci_map *map, const struct pci_bus *bus,
		      const struct pci_function *function)
{
	const struct pci_bus *nearest = NULL;

	for (unsigned i = 0; i < map->num_buses; i++)
		if (map->buses[i].domain == function->domain &&
		    map->buses[i].bus < function->bus &&
		    (!nearest || map->buses[i].bus > nearest->bus))
			nearest = &map->buses[i];
	return nearest == bus;
}

/* Behind the socket's first bus ids repeat, and device and function are the
 * same everywhere. */
static bool is_at(const struct pci_map *map, const struct pci_bus *bus,
		  const struct pci_function *function,
		  const struct uc_unit *unit)
{
	if (unit->unit >> 8)
		return function->unit == (unit->unit & 0xFF) &&
		       is_behind(map, bus, function);
	return function->domain == bus->domain && function->bus == bus->bus;
}

char *pci_map_path(const struct pci_map *map, const struct pci_bus *bus,
		   const struct uc_unit *unit)
{
	for (size_t i = 0; i < map->num; i++)
		if (is(&map->list[i], unit) &&
		    is_at(map, bus, &map->list[i], unit))
			return path_of(map, &map->list[i]);
	return NULL;
}
