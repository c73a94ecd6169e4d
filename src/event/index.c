/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is looked up for every text of an event: names by hash, registers by box
 * and role, the twins of a box. Each thread has its own for the latest
 * families, made with the first look-up, so nobody waits for anybody.
 */
#include "event/index.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { NUM_INDICES = 2, MAX_BOXES = UC_BOX_NONE, TABLE_SIZE = 2048 };

/* A name of an event in its box. */
struct entry {
	const char *name; /* NULL: free */
	const struct uc_event *row;
	uint16_t length;
	uint8_t box;
	bool is_alias;
};

struct index {
	const struct uc_family *family;
	/* The first of the box's registers with the role; NULL: none has. */
	const struct uc_register *registers[MAX_BOXES][UC_NUM_ROLES];
	struct twins twins[MAX_BOXES];
	bool has_twins[MAX_BOXES];
	bool has_names; /* in the table; else there are too many for it */
	struct entry table[TABLE_SIZE];
	unsigned num_entries;
};

static _Thread_local struct index indices[NUM_INDICES];
static _Thread_local unsigned next_index;

/* FNV-1a, byte by byte, so that the hashes of all beginnings come by the way.
 */
static uint32_t hash_begin(unsigned box)
{
	return UINT32_C(2166136261) ^ box;
}

static uint32_t hash_more(uint32_t hash, char byte)
{
	return (hash ^ (uint32_t)tolower((unsigned char)byte)) *
	       UINT32_C(16777619);
}

/* The entry of a name, or the free one where it belongs. */
static struct entry *entry_of(struct index *index, unsigned box,
			      const char *name, size_t length, uint32_t hash)
{
	struct entry *entry;

	for (uint32_t i = hash ^ hash >> 15;; i++) {
		entry = &index->table[i % TABLE_SIZE];
		if (!entry->name ||
		    (entry->box == box && entry->length == length &&
		     !strncasecmp(entry->name, name, length)))
			return entry;
	}
}

/* A name of the guide takes the place of an alias, and the latest of two names
 * counts; of aliases it is the first. */
static void add_name(struct index *index, unsigned box, const char *name,
		     const struct uc_event *row, bool is_alias)
{
	uint32_t hash = hash_begin(box);
	size_t length = strlen(name);
	struct entry *entry;

	for (size_t i = 0; i < length; i++)
		hash = hash_more(hash, name[i]);
	entry = entry_of(index, box, name, length, hash);
	if (entry->name && is_alias)
		return;
	index->num_entries += !entry->name;
	*entry = (struct entry){ .name = name,
				 .row = row,
				 .length = (uint16_t)length,
				 .box = (uint8_t)box,
				 .is_alias = is_alias };
}

static size_t num_names(const struct uc_family *family)
{
	size_t num = 0;

	for (unsigned b = 0; b < family->num_boxes; b++)
		for (unsigned e = 0; e < family->boxes[b].num_events; e++)
			num += 1u + family->boxes[b].events[e].num_aliases;
	return num;
}

static void make(struct index *index, const struct uc_family *family)
{
	memset(index, 0, sizeof(*index));
	index->has_names = num_names(family) <= TABLE_SIZE / 2;
	for (unsigned i = family->num_registers; i-- > 0;) {
		const struct uc_register *reg = &family->registers[i];

		index->registers[reg->box][reg->role] = reg;
	}
	for (unsigned b = 0; index->has_names && b < family->num_boxes; b++)
		for (unsigned e = 0; e < family->boxes[b].num_events; e++) {
			const struct uc_event *row =
				&family->boxes[b].events[e];

			add_name(index, b, row->name, row, false);
			for (unsigned a = 0; a < row->num_aliases; a++)
				add_name(index, b, row->aliases[a], row, true);
		}
	index->family = family;
}

static struct index *index_of(const struct uc_family *family)
{
	struct index *index;

	for (unsigned i = 0; i < NUM_INDICES; i++)
		if (indices[i].family == family)
			return &indices[i];
	index = &indices[next_index++ % NUM_INDICES];
	make(index, family);
	return index;
}

/* Length of a name if the path begins with it, up to a dot or the end. */
static size_t length_of(const char *path, const char *name)
{
	size_t length = strlen(name);

	return !strncasecmp(path, name, length) &&
			       (!path[length] || path[length] == '.')
		       ? length
		       : 0;
}

/* One by one, among more names than the table holds: those of a vendor's list.
 * Live families, which have these, have no aliases. */
static size_t search(const struct uc_family *family, unsigned box,
		     const char *path, const struct uc_event **row)
{
	const struct uc_box *of = &family->boxes[box];
	size_t best = 0;

	for (unsigned e = 0; e < of->num_events; e++) {
		size_t length = length_of(path, of->events[e].name);

		if (length > best) {
			best = length;
			*row = &of->events[e];
		}
	}
	return best;
}

size_t index_event(const struct uc_family *family, unsigned box,
		   const char *path, const struct uc_event **row)
{
	struct index *index = index_of(family);
	uint32_t hash = hash_begin(box);
	size_t best = 0;

	if (!index->has_names)
		return search(family, box, path, row);
	for (size_t n = 0;; n++) {
		if (n && (!path[n] || path[n] == '.')) {
			const struct entry *entry =
				entry_of(index, box, path, n, hash);

			if (entry->name) {
				*row = entry->row;
				best = n;
			}
		}
		if (!path[n])
			break;
		hash = hash_more(hash, path[n]);
	}
	return best;
}

const struct uc_layout *index_layout(const struct uc_family *family,
				     unsigned box, enum uc_role role)
{
	struct index *index = index_of(family);

	return index->registers[box][role] ? index->registers[box][role]->layout
					   : NULL;
}

const struct uc_register *index_register(const struct uc_family *family,
					 unsigned box, unsigned instance,
					 enum uc_role role, unsigned number)
{
	const struct uc_register *end =
		family->registers + family->num_registers;
	struct index *index = index_of(family);

	for (const struct uc_register *reg = index->registers[box][role];
	     reg && reg < end; reg++)
		if (reg->box == box && reg->instance == instance &&
		    reg->role == role && reg->index == number)
			return reg;
	return NULL;
}

void index_twins(const struct uc_family *family, unsigned box,
		 struct twins *twins)
{
	struct index *index = index_of(family);

	if (!index->has_twins[box])
		twins_find(family, box, &index->twins[box]);
	index->has_twins[box] = true;
	*twins = index->twins[box];
}
