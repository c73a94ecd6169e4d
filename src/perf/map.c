/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "perf/map.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "table/select.h"

/* Looking up */

static const struct perf_box *pmus_of(const struct perf_map *map, unsigned box)
{
	const struct uc_alias *row =
		uc_alias_find(map->family, UC_ALIAS_KERNEL_NAME, box, NULL, 0);
	const char *name = row ? row->name : map->family->boxes[box].name;

	for (unsigned i = 0; i < map->pmus->num_boxes; i++)
		if (!strcasecmp(map->pmus->boxes[i].name, name))
			return &map->pmus->boxes[i];
	return NULL;
}

/* A field of the control, a register beside it, or ROLE.FIELD. */
static struct uc_place place_of(const struct uc_family *family, unsigned box,
				const char *name)
{
	const struct uc_layout *layout =
		uc_layout_of(family, box, UC_ROLE_CONTROL);
	const struct uc_field *field =
		layout ? uc_field_find(layout, perf_canonical(name)) : NULL;
	size_t length = strcspn(name, ".");
	unsigned role = field ? UC_ROLE_CONTROL : uc_role_named(name, length);

	layout = uc_layout_of(family, box, (enum uc_role)role);
	if (!field && role && layout && !name[length])
		return (struct uc_place){ (uint8_t)role, 63, 0 };
	if (!field && role && layout)
		field = uc_field_find(layout, name + length + 1);
	if (!field)
		return (struct uc_place){ UC_ROLE_NONE, 0, 0 };
	return (struct uc_place){ (uint8_t)role, field->high, field->low };
}

/* Making */

static struct perf_source source_of(const struct perf_map *map, unsigned box,
				    const char *term)
{
	const struct uc_alias *row = uc_alias_find(
		map->family, UC_ALIAS_KERNEL_OPTION, box, term, strlen(term));
	struct perf_source source = { PERF_FROM_NOWHERE, { 0 } };

	source.place = place_of(map->family, box, row ? row->ours : term);
	if (!strcmp(term, "counter"))
		source.from = PERF_FROM_COUNTER;
	else if (!strcmp(term, "event") && map->boxes[box].ports)
		source.from = PERF_FROM_ROUTE;
	else if (!strcmp(term, "event"))
		source.from = PERF_FROM_CODE;
	else if (source.place.role)
		source.from = PERF_FROM_BITS;
	return source;
}

/* The words of an alias, or of a code alone. */
static void read_fixed(struct perf_boxmap *map, const char *terms)
{
	const struct perf_term *term;
	struct perf_said said;

	while ((terms = perf_terms_next(terms, &said))) {
		term = perf_term_find(map->pmus, said.name);
		if (term)
			map->fixed[term->word] |=
				perf_term_put(term, said.value);
		map->has_fixed = term;
	}
}

/* What the kernel calls the event of the fixed counter. */
static void find_fixed(const struct perf_map *map, unsigned box)
{
	struct perf_boxmap *of = &map->boxes[box];
	const struct uc_box *row = &map->family->boxes[box];
	const char *name = NULL;

	for (unsigned i = 0; i < row->num_events; i++)
		if (row->events[i].select == UC_SELECT_FIXED)
			name = row->events[i].name;
	for (unsigned i = 0; name && i < map->family->num_aliases; i++) {
		const struct uc_alias *alias = &map->family->aliases[i];
		struct text terms = { 0 };

		if (alias->box != box || strcmp(alias->ours, name) ||
		    of->has_fixed)
			continue;
		if (alias->kind == UC_ALIAS_KERNEL_CODE)
			text_add(&terms, "event=%s", alias->name);
		for (unsigned a = 0; alias->kind == UC_ALIAS_KERNEL &&
				     a < of->pmus->num_aliases;
		     a++)
			if (!strcmp(of->pmus->aliases[a].name, alias->name))
				text_add(&terms, "%s",
					 of->pmus->aliases[a].terms);
		if (terms.data)
			read_fixed(of, terms.data);
		text_free(&terms);
	}
}

static bool make_live(struct perf_map *map)
{
	for (unsigned b = 0; b < map->family->num_boxes; b++) {
		const struct perf_box *pmus = &map->pmus->boxes[b];
		struct perf_source *sources =
			calloc(pmus->num_terms + 1, sizeof(*sources));

		map->boxes[b] = (struct perf_boxmap){ .pmus = pmus,
						      .sources = sources };
		for (unsigned i = 0; sources && i < pmus->num_terms; i++) {
			const struct perf_term *term = &pmus->terms[i];

			if (term->role)
				sources[i] = (struct perf_source){
					PERF_FROM_BITS,
					{ term->role, term->high, term->low }
				};
		}
		if (!sources)
			return false;
	}
	return true;
}

static bool make_known(struct perf_map *map)
{
	for (unsigned b = 0; b < map->family->num_boxes; b++) {
		struct perf_boxmap *of = &map->boxes[b];

		of->pmus = pmus_of(map, b);
		of->ports = uc_alias_find(map->family, UC_ALIAS_KERNEL_PORTS, b,
					  NULL, 0);
		if (!of->pmus)
			continue;
		of->sources =
			calloc(of->pmus->num_terms + 1, sizeof(*of->sources));
		if (!of->sources)
			return false;
		for (unsigned i = 0; i < of->pmus->num_terms; i++)
			of->sources[i] =
				source_of(map, b, of->pmus->terms[i].name);
		find_fixed(map, b);
	}
	return true;
}

bool perf_map_make(struct perf_map *map, const struct uc_family *family,
		   const struct perf_pmus *pmus)
{
	*map = (struct perf_map){ .family = family, .pmus = pmus };
	map->boxes = calloc(family->num_boxes + 1u, sizeof(*map->boxes));
	if (!map->boxes)
		return false;
	return perf_family_pmus(family) ? make_live(map) : make_known(map);
}

void perf_map_free(struct perf_map *map)
{
	for (unsigned b = 0; map->boxes && b < map->family->num_boxes; b++)
		free(map->boxes[b].sources);
	free(map->boxes);
}

/* Using */

unsigned perf_map_instance(const struct perf_map *map, unsigned box,
			   unsigned instance, unsigned counter)
{
	unsigned span = map->family->boxes[box].global_span;

	return map->boxes[box].ports && span ? counter / span : instance;
}

/* The kernel numbers the slots of a PMU's ports through: those of the first
 * port, two of each kind in the order in which its options have them, and so
 * on. */
static uint64_t number_of(const struct perf_map *map,
			  const struct perf_asked *asked)
{
	const struct uc_alias *ports = map->boxes[asked->box].ports;
	const struct uc_family *family = map->family;
	uint32_t seen = 0;
	unsigned kind = 0;

	if (!asked->route)
		return 0;
	for (unsigned i = 0; i < family->num_aliases; i++) {
		const struct uc_alias *row = &family->aliases[i];
		const struct uc_select *select;

		if (row->kind != UC_ALIAS_KERNEL_OPTION ||
		    row->box != asked->box)
			continue;
		select = uc_slot_select(
			family, asked->box,
			uc_role_named(row->ours, strlen(row->ours)));
		if (!select || seen >> (select - family->selects) & 1)
			continue;
		if (select - family->selects == asked->route->select)
			break;
		seen |= 1u << (select - family->selects);
		kind++;
	}
	return asked->route->port % ports->ports * ports->events + 2u * kind +
	       asked->route->slot;
}

static uint64_t value_of(const struct perf_map *map,
			 const struct perf_asked *asked,
			 const struct perf_source *source)
{
	const struct uc_family *family = map->family;
	const struct uc_place *place = &source->place;

	switch (source->from) {
	case PERF_FROM_BITS:
		return (asked->view[place->role] &
			uc_bits(place->high, place->low)) >>
		       place->low;
	case PERF_FROM_CODE:
		return uc_select_code(
			&family->selects[UC_SELECT_EV_SEL],
			uc_layout_of(family, asked->box, UC_ROLE_CONTROL),
			asked->view[UC_ROLE_CONTROL]);
	case PERF_FROM_COUNTER: return asked->counter;
	case PERF_FROM_ROUTE: return number_of(map, asked);
	default: return 0;
	}
}

void perf_map_words(const struct perf_map *map, const struct perf_asked *asked,
		    uint64_t words[PERF_NUM_WORDS])
{
	const struct perf_boxmap *of = &map->boxes[asked->box];

	memset(words, 0, PERF_NUM_WORDS * sizeof(*words));
	for (unsigned i = 0; !asked->is_fixed && i < of->pmus->num_terms; i++)
		words[of->pmus->terms[i].word] |=
			perf_term_put(&of->pmus->terms[i],
				      value_of(map, asked, &of->sources[i]));
	if (asked->is_fixed)
		memcpy(words, of->fixed, sizeof(of->fixed));
}
