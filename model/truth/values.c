/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A hash table in stripes with a lock each, so that the threads of several
 * sockets rarely wait for one another. A line that was never written needs no
 * entry: everything about it is 0.
 */
#include "model/truth/values.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUM_STRIPES = 64, FIRST_ROOM = 64, FIRST_HUB = 0x100, NOBODY = 0xffff };

struct entry {
	uint64_t line;
	uint32_t latest; /* 0: an empty place */
	uint32_t memory;
	unsigned writer;
};

struct stripe {
	pthread_mutex_t lock;
	struct entry *entries;
	size_t room, count; /* room: a power of two */
};

struct values {
	struct stripe stripes[NUM_STRIPES];
	atomic_uint_fast64_t num_reads;
	pthread_mutex_t lock; /* of the violation */
	_Atomic(char *) violation;
};

struct values *values_new(void)
{
	struct values *values = calloc(1, sizeof(*values));

	if (!values)
		return NULL;
	pthread_mutex_init(&values->lock, NULL);
	for (unsigned i = 0; i < NUM_STRIPES; i++)
		pthread_mutex_init(&values->stripes[i].lock, NULL);
	return values;
}

void values_free(struct values *values)
{
	if (!values)
		return;
	for (unsigned i = 0; i < NUM_STRIPES; i++) {
		pthread_mutex_destroy(&values->stripes[i].lock);
		free(values->stripes[i].entries);
	}
	pthread_mutex_destroy(&values->lock);
	free(values->violation);
	free(values);
}

__attribute__((format(printf, 2, 3))) static void
violate(struct values *values, const char *format, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, format);
	pthread_mutex_lock(&values->lock);
	if (!values->violation && vasprintf(&text, format, args) >= 0)
		values->violation = text;
	pthread_mutex_unlock(&values->lock);
	va_end(args);
}

/* The table */

static uint64_t scramble(uint64_t line)
{
	line *= UINT64_C(0x9e3779b97f4a7c15);
	return line ^ line >> 29;
}

static struct stripe *lock(struct values *values, uint64_t line)
{
	struct stripe *stripe =
		&values->stripes[scramble(line) >> 40 & (NUM_STRIPES - 1)];

	pthread_mutex_lock(&stripe->lock);
	return stripe;
}

static void unlock(struct stripe *stripe)
{
	pthread_mutex_unlock(&stripe->lock);
}

/* The line's entry, or the empty place for it. */
static struct entry *place_of(const struct stripe *stripe, uint64_t line)
{
	size_t i = scramble(line) & (stripe->room - 1);

	while (stripe->entries[i].latest && stripe->entries[i].line != line)
		i = (i + 1) & (stripe->room - 1);
	return &stripe->entries[i];
}

static bool grow(struct stripe *stripe)
{
	struct stripe larger = { .count = stripe->count };

	larger.room = stripe->room ? stripe->room * 2 : FIRST_ROOM;
	larger.entries = calloc(larger.room, sizeof(*larger.entries));
	if (!larger.entries)
		return false;
	for (size_t i = 0; i < stripe->room; i++)
		if (stripe->entries[i].latest)
			*place_of(&larger, stripe->entries[i].line) =
				stripe->entries[i];
	free(stripe->entries);
	stripe->entries = larger.entries;
	stripe->room = larger.room;
	return true;
}

static struct entry get(const struct stripe *stripe, uint64_t line)
{
	if (!stripe->room)
		return (struct entry){ .writer = NOBODY };
	return *place_of(stripe, line);
}

static uint32_t write_line(struct values *values, struct stripe *stripe,
			   uint64_t line, unsigned agent)
{
	struct entry *entry;

	if (stripe->count * 2 >= stripe->room && !grow(stripe)) {
		violate(values, "check: no memory to follow what is written");
		return 0;
	}
	entry = place_of(stripe, line);
	stripe->count += !entry->latest;
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
	struct stripe *stripe;
	uint32_t latest;

	if (!values)
		return 0;
	stripe = lock(values, line);
	latest = get(stripe, line).latest;
	unlock(stripe);
	return latest;
}

unsigned values_hub(unsigned hub)
{
	return FIRST_HUB + hub;
}

uint32_t values_write(struct values *values, uint64_t line, unsigned agent)
{
	struct stripe *stripe;
	uint32_t version;

	if (!values)
		return 0;
	stripe = lock(values, line);
	version = write_line(values, stripe, line, agent);
	unlock(stripe);
	return version;
}

uint32_t values_write_to(struct values *values, uint64_t line, unsigned agent,
			 uint32_t held, uint64_t cycle)
{
	struct stripe *stripe;
	struct entry before;
	uint32_t version;

	if (!values)
		return 0;
	stripe = lock(values, line);
	before = get(stripe, line);
	version = write_line(values, stripe, line, agent);
	unlock(stripe);
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
	struct stripe *stripe;
	struct entry entry;

	if (!values)
		return 0;
	stripe = lock(values, line);
	entry = get(stripe, line);
	unlock(stripe);
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
	struct stripe *stripe;
	struct entry entry;

	if (!values)
		return;
	stripe = lock(values, line);
	entry = get(stripe, line);
	unlock(stripe);
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
	atomic_fetch_add_explicit(&values->num_reads, 1, memory_order_relaxed);
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
	struct stripe *stripe;
	uint32_t memory;

	if (!values)
		return 0;
	stripe = lock(values, line);
	memory = get(stripe, line).memory;
	unlock(stripe);
	return memory;
}

void values_memory_write(struct values *values, uint64_t line, uint32_t version)
{
	struct stripe *stripe;
	struct entry before;

	if (!values)
		return;
	stripe = lock(values, line);
	before = get(stripe, line);
	if (before.latest && version > before.memory)
		place_of(stripe, line)->memory = version;
	unlock(stripe);
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
	size_t before = 0;

	if (!values)
		return false;
	for (unsigned i = 0; i < NUM_STRIPES; i++) {
		const struct stripe *stripe = &values->stripes[i];

		for (; *place < before + stripe->room; ++*place) {
			const struct entry *entry =
				&stripe->entries[*place - before];

			if (!entry->latest)
				continue;
			*line = (struct values_line){ entry->line,
						      entry->latest,
						      entry->memory,
						      entry->writer };
			++*place;
			return true;
		}
		before += stripe->room;
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
