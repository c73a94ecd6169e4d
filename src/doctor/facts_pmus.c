/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the kernel counts outside of the cores: PMUs that have a `cpumask`, one
 * CPU for each socket or die, and are not for energy, states of sleep or
 * graphics (perf/names.h). Which module makes them, where there are none yet.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/facts.h"
#include "perf/names.h"

#define PMUS "/sys/bus/event_source/devices"

/* Modules of /sys/module; built in, most of them are there as well. */
static const struct {
	enum facts_maker maker;
	const char *module;
} drivers[] = {
	{ FACTS_INTEL, "intel_uncore" }, { FACTS_AMD, "amd_uncore" },
	{ FACTS_ARM, "arm_cmn" },	 { FACTS_ARM, "arm_dsu_pmu" },
	{ FACTS_ARM, "arm_smmuv3_pmu" },
};

static int by_box(const void *a, const void *b)
{
	const struct facts_pmu *one = a, *two = b;
	int differ = strcmp(one->box, two->box);

	return differ ? differ : perf_name_order(one->name, two->name);
}

/* Which box each is of, and those of a box in a row. */
static void find_boxes(struct facts *facts)
{
	const char **names = calloc(facts->num_pmus + 1, sizeof(*names));
	bool has_room = names;

	for (size_t i = 0; has_room && i < facts->num_pmus; i++)
		names[i] = facts->pmus[i].name;
	for (size_t i = 0; has_room && i < facts->num_pmus; i++) {
		facts->pmus[i].box =
			perf_box_name(names[i], names, facts->num_pmus);
		has_room = facts->pmus[i].box;
	}
	if (has_room && facts->num_pmus)
		qsort(facts->pmus, facts->num_pmus, sizeof(*facts->pmus),
		      by_box);
	free(names);
}

static void add(struct facts *facts, const char *name, char *cpumask)
{
	struct facts_pmu *list =
		realloc(facts->pmus, (facts->num_pmus + 1) * sizeof(*list));

	if (!list) {
		free(cpumask);
		return;
	}
	facts->pmus = list;
	list[facts->num_pmus++] =
		(struct facts_pmu){ .name = strdup(name), .cpumask = cpumask };
	if (!list[facts->num_pmus - 1].name) {
		facts->num_pmus--;
		free(cpumask);
	}
}

static void find_driver(struct facts *facts)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++) {
		if (drivers[i].maker != facts->maker)
			continue;
		if (!facts->driver)
			facts->driver = drivers[i].module;
		if (root_has(&facts->root, "/sys/module/%s",
			     drivers[i].module)) {
			facts->driver = drivers[i].module;
			facts->has_driver = true;
			return;
		}
	}
}

void facts_pmus(struct facts *facts)
{
	char *path = root_path(&facts->root, PMUS);
	DIR *folder = path ? opendir(path) : NULL;
	const struct dirent *entry;

	free(path);
	/* nobody else has this stream */
	/* cppcheck-suppress readdirCalled */
	while (folder && (entry = readdir(folder))) {
		char *cpumask;

		if (entry->d_name[0] == '.' ||
		    perf_kind_of(entry->d_name) != PERF_KIND_UNCORE)
			continue;
		cpumask = root_text(&facts->root, PMUS "/%s/cpumask",
				    entry->d_name);
		if (cpumask && *cpumask)
			add(facts, entry->d_name, cpumask);
		else
			free(cpumask);
	}
	if (folder)
		closedir(folder);
	find_boxes(facts);
	find_driver(facts);
}
