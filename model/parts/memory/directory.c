/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include <stdlib.h>

#include "model/parts/memory/directory.h"
#include "model/sim/bug.h"

bool directory_init(struct directory *directory, uint64_t lines)
{
	directory->num_regions = lines / DIRECTORY_REGION + 1;
	directory->regions =
		calloc(directory->num_regions, sizeof(*directory->regions));
	return directory->regions;
}

void directory_fini(struct directory *directory)
{
	if (!directory->regions)
		return;
	for (size_t i = 0; i < directory->num_regions; i++)
		free(directory->regions[i]);
	free(directory->regions);
}

uint8_t directory_get(const struct directory *directory, uint64_t line)
{
	const uint8_t *region = directory->regions[line / DIRECTORY_REGION];

	return region ? region[line % DIRECTORY_REGION] : 0;
}

void directory_set(struct directory *directory, uint64_t line, uint8_t note)
{
	uint8_t **region = &directory->regions[line / DIRECTORY_REGION];

	if (!*region && !note)
		return;
	if (!*region)
		*region = calloc(DIRECTORY_REGION, 1);
	if (!*region)
		bug_no_memory();
	(*region)[line % DIRECTORY_REGION] = note;
}
