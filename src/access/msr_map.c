/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where msr files are a model's, the tree has a file `status` that says what is
 * modelled. Where they are this machine's, the processor is asked what it is,
 * and the kernel which CPUs share a package.
 */
#include "access/msr_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/served.h"
#include "base/file.h"
#include "base/text.h"
#include "uncore/error.h"
#include "uncore/family.h"

enum { MAX_CPUS = 4096 };

/* The package that a processor belongs to, or -1 if there is none. */
static int package_of(unsigned cpu)
{
	char path[96];
	int package = -1;
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%u/topology/physical_package_id",
		 cpu);
	file = file_open(path);
	if (!file)
		return -1;
	if (fscanf(file, "%d", &package) != 1)
		package = -1;
	fclose(file);
	return package;
}

static bool is_known(const struct msr_map *map, unsigned package)
{
	for (unsigned i = 0; i < map->num_sockets; i++)
		if (map->packages[i] == package)
			return true;
	return false;
}

static bool map_system(struct msr_map *map, char **error)
{
	map->family = uncore_family_of_host();
	if (!map->family) {
		text_error(UNCORE_ERR_NO_HARDWARE, error,
			   "this machine's processor is of no family known "
			   "here; use the model, or as msr:FOLDER one of "
			   "'uncore model serve --msr'");
		return false;
	}
	for (unsigned cpu = 0;
	     cpu < MAX_CPUS && map->num_sockets < MSR_MAX_SOCKETS; cpu++) {
		int package = package_of(cpu);

		if (package < 0 || is_known(map, (unsigned)package))
			continue;
		map->packages[map->num_sockets] = (unsigned)package;
		map->cpus[map->num_sockets++] = cpu;
	}
	if (!map->num_sockets)
		text_error(UNCORE_ERR_NO_HARDWARE, error,
			   "no processor is found below /sys/devices/system");
	return map->num_sockets;
}

static bool status_number(const char *folder, const char *key, unsigned most,
			  unsigned *number, char **error)
{
	char *text = served_says(folder, key);
	uint64_t value = 0;
	bool fits = text && text_number(text, &value) && value && value <= most;

	if (!fits)
		text_error(UNCORE_ERR_NO_HARDWARE, error,
			   "%s/status names no '%s' from 1 to %u; was it made "
			   "by 'uncore model serve'?",
			   folder, key, most);
	free(text);
	*number = (unsigned)value;
	return fits;
}

static bool map_served(struct msr_map *map, const char *folder, char **error)
{
	char *name = served_says(folder, "family");
	unsigned cores;

	if (!name)
		name = served_says(folder, "machine");
	map->is_served = true;
	map->family = name ? uncore_family_find(name) : NULL;
	if (!map->family)
		text_error(UNCORE_ERR_NO_HARDWARE, error,
			   "%s/status names no processor family known here "
			   "('%s')",
			   folder, name ? name : "");
	free(name);
	if (!map->family ||
	    !status_number(folder, "sockets", MSR_MAX_SOCKETS,
			   &map->num_sockets, error) ||
	    !status_number(folder, "cores_per_socket", MAX_CPUS, &cores, error))
		return false;
	for (unsigned i = 0; i < map->num_sockets; i++) {
		map->cpus[i] = i * cores;
		map->packages[i] = i;
	}
	return true;
}

bool msr_map_make(struct msr_map *map, const char *folder, char **error)
{
	FILE *status = served_open(folder);

	*map = (struct msr_map){ 0 };
	if (!status && errno == EACCES) {
		served_is_closed(folder, error);
		return false;
	}
	if (!status)
		return map_system(map, error);
	fclose(status);
	return map_served(map, folder, error);
}
