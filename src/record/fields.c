/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * DWARF has a tree of entries: those with an address of their own are kept, as
 * a table, and the type of one is followed from there down to what has no
 * parts. Variables are those with static storage; that of a thread has no
 * address here, nor has one that a file of its own (.dwo) describes.
 *
 * Where a union has several members at an offset, the first is named. Bases of
 * a class and members without a name add nothing. An array that does not begin
 * at 0, as in Fortran, is not told from one whose columns come first, and gets
 * no name.
 *
 * What is wrong in debug information may lead back to where one was: entries
 * are gone through forwards only, to a limited depth and number.
 */
#include "record/fields.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum {
	MOST_DEPTH = 64,
	MOST_ENTRIES = 20000000, /* a second's worth */
	MOST_NAME = 250,
	MOST_DIMENSIONS = 8,
	ADDRESS_BYTES = 8,
};

struct variable {
	uint64_t start;
	Dwarf_Die entry;
};

struct fields {
	struct variable *list; /* by their start */
	size_t num;
	size_t num_entries; /* gone through */
};

/* Where a variable begins, if that is an address and nothing else. */
static bool has_address(Dwarf_Die *entry, uint64_t *start)
{
	Dwarf_Attribute attribute;
	Dwarf_Block block;

	if (!dwarf_attr(entry, DW_AT_location, &attribute) ||
	    dwarf_formblock(&attribute, &block) ||
	    block.length != 1 + ADDRESS_BYTES || block.data[0] != DW_OP_addr)
		return false;
	memcpy(start, block.data + 1, ADDRESS_BYTES);
	return true;
}

static void add(struct fields *fields, Dwarf_Die *entry, uint64_t bias)
{
	uint64_t start;

	if (!has_address(entry, &start) ||
	    !array_room(&fields->list, fields->num, sizeof(*fields->list)))
		return;
	fields->list[fields->num++] = (struct variable){ start + bias, *entry };
}

/* Types and what code has besides hold no variables. */
static void gather(struct fields *fields, Dwarf_Die *parent, uint64_t bias,
		   unsigned depth)
{
	Dwarf_Off last = dwarf_dieoffset(parent);
	Dwarf_Die entry;

	if (depth > MOST_DEPTH || dwarf_child(parent, &entry))
		return;
	do {
		if (dwarf_dieoffset(&entry) <= last ||
		    fields->num_entries++ > MOST_ENTRIES)
			return;
		last = dwarf_dieoffset(&entry);
		switch (dwarf_tag(&entry)) {
		case DW_TAG_variable: add(fields, &entry, bias); break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			gather(fields, &entry, bias, depth + 1);
			break;
		default: break;
		}
	} while (!dwarf_siblingof(&entry, &entry));
}

static int by_start(const void *a, const void *b)
{
	const struct variable *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

struct fields *fields_read(Dwarf *dwarf, Dwarf_Addr bias)
{
	struct fields *fields = calloc(1, sizeof(*fields));
	Dwarf_CU *unit = NULL;
	Dwarf_Die entry;

	while (fields && dwarf &&
	       !dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &entry, NULL))
		gather(fields, &entry, bias, 0);
	if (fields && fields->num)
		qsort(fields->list, fields->num, sizeof(*fields->list),
		      by_start);
	return fields;
}

void fields_free(struct fields *fields)
{
	if (fields)
		free(fields->list);
	free(fields);
}

static bool is_number(Dwarf_Die *entry, unsigned name, uint64_t *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(entry, name, &attribute) ||
	    dwarf_formudata(&attribute, &word))
		return false;
	*number = word;
	return true;
}

/* What an entry is of, other names and qualifiers left out. */
static bool find_type(const Dwarf_Die *of, Dwarf_Die *type)
{
	*type = *of;
	for (unsigned i = 0; i < MOST_DEPTH; i++) {
		Dwarf_Attribute attribute;

		if (!dwarf_attr_integrate(type, DW_AT_type, &attribute) ||
		    !dwarf_formref_die(&attribute, type))
			return false;
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type: break;
		default: return true;
		}
	}
	return false;
}

/* How many elements an array has, dimension by dimension; that of the first may
 * not be known (0). How many dimensions, 0: they are of another kind. */
static unsigned find_counts(Dwarf_Die *array, uint64_t *counts)
{
	unsigned num = 0;
	Dwarf_Die range;

	if (dwarf_child(array, &range))
		return 0;
	do {
		uint64_t from = 0;

		if (num == MOST_DIMENSIONS ||
		    dwarf_tag(&range) != DW_TAG_subrange_type ||
		    (is_number(&range, DW_AT_lower_bound, &from) && from))
			return 0;
		counts[num] = 0;
		if (!is_number(&range, DW_AT_count, &counts[num]) &&
		    is_number(&range, DW_AT_upper_bound, &counts[num]))
			counts[num]++;
		num++;
	} while (!dwarf_siblingof(&range, &range));
	return num;
}

/* The bytes of a type; 0: not known. */
static uint64_t size_of(Dwarf_Die *type, unsigned depth)
{
	uint64_t bytes, counts[MOST_DIMENSIONS];
	unsigned num;
	Dwarf_Die element;

	if (is_number(type, DW_AT_byte_size, &bytes))
		return bytes;
	if (dwarf_tag(type) != DW_TAG_array_type || depth > MOST_DEPTH ||
	    !find_type(type, &element))
		return 0;
	bytes = size_of(&element, depth + 1);
	num = find_counts(type, counts);
	for (unsigned i = 0; i < num; i++)
		bytes *= counts[i];
	return num ? bytes : 0;
}

/* Where a member lies. */
static bool find_extent(Dwarf_Die *member, uint64_t *start, uint64_t *bytes)
{
	Dwarf_Die type;
	uint64_t at, bits;

	*start = 0;
	if (dwarf_hasattr(member, DW_AT_declaration) ||
	    !find_type(member, &type))
		return false;
	*bytes = size_of(&type, 0);
	if (is_number(member, DW_AT_data_bit_offset, &at) &&
	    is_number(member, DW_AT_bit_size, &bits)) {
		*start = at / 8;
		*bytes = (at % 8 + bits + 7) / 8;
		return true;
	}
	return is_number(member, DW_AT_data_member_location, start) ||
	       !dwarf_hasattr(member, DW_AT_data_member_location);
}

/* The member of a structure that has an offset, which becomes that in it. An
 * empty base lies where the first member does: the last is taken. */
static bool enter_member(Dwarf_Die *at, uint64_t *offset, struct text *path)
{
	bool is_union = dwarf_tag(at) == DW_TAG_union_type, is_found = false;
	uint64_t start, bytes, into = 0;
	Dwarf_Die member;
	const char *name;

	if (dwarf_child(at, &member))
		return false;
	do {
		int tag = dwarf_tag(&member);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !find_extent(&member, &start, &bytes) || *offset < start ||
		    *offset - start >= bytes)
			continue;
		is_found = true;
		*at = member;
		into = *offset - start;
	} while (!(is_found && is_union) && !dwarf_siblingof(&member, &member));
	if (!is_found)
		return false;
	*offset = into;
	name = dwarf_diename(at);
	if (name && dwarf_tag(at) == DW_TAG_member)
		text_add(path, ".%s", name);
	return true;
}

static bool enter_element(Dwarf_Die *array, uint64_t *offset, struct text *path)
{
	uint64_t counts[MOST_DIMENSIONS], bytes;
	unsigned num = find_counts(array, counts);
	Dwarf_Die element;

	if (!find_type(array, &element))
		return false;
	bytes = size_of(&element, 0);
	for (unsigned i = 1; i < num; i++)
		bytes *= counts[i];
	if (!bytes || (counts[0] && *offset / bytes >= counts[0]))
		return false;
	for (unsigned i = 0; i < num && bytes; i++) {
		text_add(path, "[%llu]", (unsigned long long)(*offset / bytes));
		*offset %= bytes;
		if (i + 1 < num)
			bytes /= counts[i + 1];
	}
	return num;
}

/* From a variable or member to the type's part, as long as it has parts. */
static bool enter(Dwarf_Die *at, uint64_t *offset, struct text *path)
{
	Dwarf_Die type;

	if (!find_type(at, &type))
		return false;
	switch (dwarf_tag(&type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		*at = type;
		return enter_member(at, offset, path);
	case DW_TAG_array_type:
		*at = type; /* whose own type is the elements' */
		return enter_element(at, offset, path);
	default: return false;
	}
}

char *fields_find(const struct fields *fields, uint64_t start, uint64_t offset)
{
	const struct variable wanted = { .start = start };
	const struct variable *found =
		fields->num ? bsearch(&wanted, fields->list, fields->num,
				      sizeof(wanted), by_start)
			    : NULL;
	struct text path = { 0 };
	unsigned depth = 0;
	Dwarf_Die at;

	if (!found)
		return NULL;
	at = found->entry;
	while (depth++ < MOST_DEPTH && path.length < MOST_NAME &&
	       enter(&at, &offset, &path))
		;
	if (path.length && offset)
		text_add(&path, "+0x%llx", (unsigned long long)offset);
	if (path.length && path.length < MOST_NAME && !path.failed)
		return text_take(&path);
	text_free(&path);
	return NULL;
}
