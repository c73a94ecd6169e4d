/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lines of /proc/PROCESS/maps:
 *
 *     7f6eed4e9000-7f6eed4eb000 rw-p 001d3000 fe:00 332835      /usr/lib/x.so
 */
#include "record/maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/array.h"

/* Where the name stands, or NULL: it is the rest of the line behind the fifth
 * field, and may hold blanks. */
static char *name_in(char *line)
{
	line[strcspn(line, "\n")] = 0;
	for (unsigned field = 0; field < 5; field++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	return *line ? line : NULL;
}

static bool add(struct maps *maps, char *line)
{
	struct mapping new = { 0 };
	char rights[5] = "";
	char *name;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64,
		   &new.start, &new.end, rights, &new.offset, &new.inode) != 5)
		return false;
	if (!array_room(&maps->list, maps->num, sizeof(new)))
		return false;
	new.is_readable = rights[0] == 'r';
	new.is_executable = rights[2] == 'x';
	name = name_in(line);
	new.name = name ? strdup(name) : NULL;
	maps->list[maps->num++] = new;
	return true;
}

void maps_read(struct maps *maps, long process)
{
	struct maps new = { 0 };
	size_t size = 0;
	char *line = NULL;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/maps", process);
	file = fopen(path, "re");
	if (!file)
		return;
	while (getline(&line, &size, file) > 0 && add(&new, line))
		;
	free(line);
	fclose(file);
	if (!new.num)
		return;
	maps_free(maps);
	*maps = new;
}

void maps_free(struct maps *maps)
{
	for (size_t i = 0; i < maps->num; i++)
		free(maps->list[i].name);
	free(maps->list);
	*maps = (struct maps){ 0 };
}

const struct mapping *maps_find(const struct maps *maps, uint64_t address)
{
	size_t from = 0, until = maps->num;

	while (from < until) {
		size_t middle = from + (until - from) / 2;
		const struct mapping *mapping = &maps->list[middle];

		if (address < mapping->start)
			until = middle;
		else if (address >= mapping->end)
			from = middle + 1;
		else
			return mapping;
	}
	return NULL;
}

const struct mapping *maps_below(const struct maps *maps,
				 const struct mapping *mapping)
{
	return mapping > maps->list && mapping[-1].end == mapping->start
		       ? mapping - 1
		       : NULL;
}

const struct mapping *maps_above(const struct maps *maps,
				 const struct mapping *mapping)
{
	return mapping + 1 < maps->list + maps->num &&
			       mapping[1].start == mapping->end
		       ? mapping + 1
		       : NULL;
}
