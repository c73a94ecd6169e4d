/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A hash table. A line that was never written needs no entry: everything about
 * it is 0.
 */
#include "model/truth/values.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_ROOM = 64, FIRST_HUB = 0x100, NOBODY = 0xffff };

struct entry {
	uint64_t line;
	uint32_t latest; /* 0: an empty place */
	uint32_t memory;
	unsigned writer;
};

struct values {
	struct entry *entries;
	size_t room, count; /* room: a power of two */
	uint64_t num_reads;
	char *violation;
};

struct values *values_new(void)
{
	return calloc(1, sizeof(struct values));
}

void values_free(struct values *values)
{
	if (!values)
		return;
	free(values->entries);
	free(values->violation);
	free(values);
}

__attribute__((format(printf, 2, 3))) static void
violate(struct values *values, const char *format, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, format);
	if (!values->violation && vasprintf(&text, format, args) >= 0)
		values->violation = text;
	va_end(args);
}

/* The table */

static uint64_t scramble(uint64_t line)
{
	line *= UINT64_C(0x9e3779b97f4a7c15);
	return line ^ line >> 29;
}

/* The line's entry, or the empty place for it. */
static struct entry *place_of(const struct values *values, uint64_t line)
{
	size_t i = scramble(line) & (values->room - 1);

	while (values->entries[i].latest && values->entries[i].line != line)
		i = (i + 1) & (values->room - 1);
	return &values->entries[i];
}

static bool grow(struct values *values)
{
	struct values larger = { 0 };

	larger.room = values->room ? values->room * 2 : FIRST_ROOM;
	larger.entries = calloc(larger.room, sizeof(*larger.entries));
	if (!larger.entries)
		return false;
	for (size_t i = 0; i < values->room; i++)
		if (values->entries[i].latest)
			*place_of(&larger, values->entries[i].line) =
				values->entries[i];
	free(values->entries);
	values->entries = larger.entries;
	values->room = larger.room;
	return true;
}

static struct entry get(const struct values *values, uint64_t line)
{
	if (!values->room)
		return (struct entry){ .writer = NOBODY };
	return *place_of(values, line);
}

static uint32_t write_line(struct values *values, uint64_t line, unsigned agent)
{
	struct entry *entry;

	if (values->count * 2 >= values->room && !grow(values)) {
		violate(values, "check: no memory to follow what is written");
		return 0;
	}
	entry = place_of(values, line);
	values->count += !entry->latest;
	entry->line = line;
	entry->writer = agent;
	return ++entry->latest;
}

/* "core 17", "hub 2" */
struct name {
	char text[24];
};

static struct name name_of(unsigned agent)
{
	struct name name;

	if (agent == NOBODY)
		snprintf(name.text, sizeof(name.text), "nobody");
	else if (agent >= FIRST_HUB)
		snprintf(name.text, sizeof(name.text), "I/O hub %u",
			 agent - FIRST_HUB);
	else
		snprintf(name.text, sizeof(name.text), "core %u", agent);
	return name;
}

/* Cores and hubs */

uint32_t values_latest(struct values *values, uint64_t line)
{
	return values ? get(values, line).latest : 0;
}

unsigned values_hub(unsigned hub)
{
	return FIRST_HUB + hub;
}

uint32_t values_write(struct values *values, uint64_t line, unsigned agent)
{
	return values ? write_line(values, line, agent) : 0;
}

uint32_t values_write_to(struct values *values, uint64_t line, unsigned agent,
			 uint32_t held, uint64_t cycle)
{
	struct entry before;
	uint32_t version;

	if (!values)
		return 0;
	before = get(values, line);
	version = write_line(values, line, agent);
	if (held != before.latest)
		violate(values,
			"check: %s writes to version %u of line 0x%llx, but %s "
			"has made version %u: cycle %llu",
			name_of(agent).text, held, (unsigned long long)line,
			name_of(before.writer).text, before.latest,
			(unsigned long long)cycle);
	return version;
}

uint32_t values_of_owner(struct values *values, uint64_t line, unsigned agent)
{
	struct entry entry;

	if (!values)
		return 0;
	entry = get(values, line);
	if (!entry.latest || entry.writer != agent)
		violate(values,
			"check: %s gives back line 0x%llx as modified, but %s "
			"was the last to write it",
			name_of(agent).text, (unsigned long long)line,
			name_of(entry.latest ? entry.writer : NOBODY).text);
	return entry.latest;
}

void values_writer(struct values *values, uint64_t line, unsigned agent)
{
	struct entry entry;

	if (!values)
		return;
	entry = get(values, line);
	if (entry.latest && entry.writer != agent)
		violate(values,
			"check: line 0x%llx was written last by core %u where "
			"the traffic comes from, and by %s in the model",
			(unsigned long long)line, agent,
			name_of(entry.writer).text);
}

void values_read(struct values *values, uint64_t line, unsigned agent,
		 uint32_t floor, uint32_t version, uint64_t cycle)
{
	if (!values)
		return;
	values->num_reads++;
	if (version < floor)
		violate(values,
			"check: %s reads version %u of line 0x%llx, but "
			"version %u was written before it asked: cycle %llu",
			name_of(agent).text, version, (unsigned long long)line,
			floor, (unsigned long long)cycle);
}

/* Memory */

uint32_t values_memory(struct values *values, uint64_t line)
{
	return values ? get(values, line).memory : 0;
}

void values_memory_write(struct values *values, uint64_t line, uint32_t version)
{
	struct entry before;

	if (!values)
		return;
	before = get(values, line);
	if (before.latest && version > before.memory)
		place_of(values, line)->memory = version;
	if (version < before.memory || version > before.latest)
		violate(values,
			"check: memory gets version %u of line 0x%llx, but has "
			"version %u of %u",
			version, (unsigned long long)line, before.memory,
			before.latest);
}

/* What is known */

bool values_next(struct values *values, size_t *place, struct values_line *line)
{
	for (; values && *place < values->room; ++*place) {
		const struct entry *entry = &values->entries[*place];

		if (!entry->latest)
			continue;
		*line = (struct values_line){ entry->line, entry->latest,
					      entry->memory, entry->writer };
		++*place;
		return true;
	}
	return false;
}

const char *values_violation(struct values *values)
{
	return values ? values->violation : NULL;
}

uint64_t values_num_reads(struct values *values)
{
	return values ? values->num_reads : 0;
}
