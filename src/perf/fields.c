/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Terms as fields of the registers that a counter of a live family has.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "perf/family.h"
#include "perf/live.h"
#include "uncore/address.h"

enum { COUNTER_BYTES = 32, ENABLE_BIT = 63 };

/* A register beside a counter: what it is for, and where. */
static const struct part {
	const char *what;
	uint8_t role, offset;
} parts[] = {
	{ "control", UC_ROLE_CONTROL, 0 },
	{ "terms1", UC_ROLE_TERMS1, 8 },
	{ "terms2", UC_ROLE_TERMS2, 16 },
	{ "count", UC_ROLE_COUNTER, 24 },
};
enum { NUM_PARTS = LIVE_REGISTERS, NUM_WITH_TERMS = 3 };
const char *perf_canonical(const char *term)
{
	static const char *const names[][2] = {
		{ "event", "ev_sel" },
		{ "thresh", "threshold" },
		{ "edge", "edge_detect" },
		{ "inv", "invert" },
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(term, names[i][0]))
			return names[i][1];
	return term;
}

/* A term goes where there is room for it, the control first; if there is none
 * it keeps UC_ROLE_NONE. */
static void place_term(struct perf_term *term, unsigned used[NUM_WITH_TERMS])
{
	unsigned width = (unsigned)__builtin_popcountll(term->bits);

	for (unsigned p = 0; p < NUM_WITH_TERMS && !term->role; p++) {
		if (used[p] + width > (p ? 64 : ENABLE_BIT))
			continue;
		term->role = parts[p].role;
		term->low = (uint8_t)used[p];
		term->high = (uint8_t)(used[p] + width - 1);
		used[p] += width;
	}
}

bool live_is_code(const struct perf_term *term)
{
	return !strcmp(perf_canonical(term->name), "ev_sel");
}

/* Whether bits are one piece, without a hole. */
static bool is_whole(uint64_t bits)
{
	bits >>= __builtin_ctzll(bits);
	return !(bits & (bits + 1));
}

/* A term that another one has all bits of, as match0 of match_mc: the kernel
 * has two names for them. Of two that are alike the first is the other's. */
const struct perf_term *live_term_around(const struct perf_box *box,
					 const struct perf_term *term)
{
	for (const struct perf_term *other = box->terms;
	     other < box->terms + box->num_terms; other++)
		if (other->word == term->word && is_whole(other->bits) &&
		    !(term->bits & ~other->bits) && is_whole(term->bits) &&
		    (term->bits != other->bits || other < term))
			return other;
	return NULL;
}

static void place_within(struct perf_term *term, const struct perf_term *around)
{
	unsigned width = (unsigned)__builtin_popcountll(term->bits);

	term->role = around->role;
	term->low = (uint8_t)(around->low + __builtin_ctzll(term->bits) -
			      __builtin_ctzll(around->bits));
	term->high = (uint8_t)(term->low + width - 1);
}

/* The code first, which belongs into the control. */
void live_place_terms(struct perf_box *box)
{
	unsigned used[NUM_WITH_TERMS] = { 0 };
	const struct perf_term *around;

	for (unsigned i = 0; i < box->num_terms; i++)
		if (live_is_code(&box->terms[i]))
			place_term(&box->terms[i], used);
	for (unsigned i = 0; i < box->num_terms; i++)
		if (!live_term_around(box, &box->terms[i]))
			place_term(&box->terms[i], used);
	for (unsigned i = 0; i < box->num_terms; i++) {
		around = live_term_around(box, &box->terms[i]);
		while (around && live_term_around(box, around))
			around = live_term_around(box, around);
		if (around && !box->terms[i].role)
			place_within(&box->terms[i], around);
	}
}

static const char *say_bits(struct live *live, const struct perf_term *term)
{
	struct text text = { 0 };
	const char *said;

	text_add(&text, "config%.0u", term->word);
	for (unsigned i = 0; i < 64; i++) {
		unsigned last = i;

		if (!(term->bits >> i & 1))
			continue;
		while (last < 63 && term->bits >> (last + 1) & 1)
			last++;
		text_add(&text, "%c%u",
			 strchr(text.data ? text.data : "", ':') ? ',' : ':',
			 i);
		if (last > i)
			text_add(&text, "-%u", last);
		i = last;
	}
	said = arena_say(&live->arena, "bits %s of the kernel's words",
			 text.data ? text.data : "");
	text_free(&text);
	return said;
}

static const struct uc_layout *make_layout(struct live *live,
					   const struct perf_box *box,
					   const struct part *part)
{
	struct uc_layout *layout = arena_room(&live->arena, 1, sizeof(*layout));
	struct uc_field *fields =
		arena_room(&live->arena, box->num_terms + 1, sizeof(*fields));
	unsigned num = 0;

	if (!layout || !fields)
		return NULL;
	for (unsigned i = 0; i < box->num_terms; i++) {
		const struct perf_term *term = &box->terms[i];

		if (term->role != part->role)
			continue;
		fields[num++] = (struct uc_field){
			.name = term->name,
			.canonical = perf_canonical(term->name),
			.brief = say_bits(live, term),
			.high = term->high,
			.low = term->low,
			.kind = UC_KIND_RW,
		};
	}
	if (part->role == UC_ROLE_CONTROL)
		fields[num++] = (struct uc_field){
			.name = "en",
			.canonical = "en",
			.brief = "the kernel is asked to count",
			.high = ENABLE_BIT,
			.low = ENABLE_BIT,
			.kind = UC_KIND_RW,
		};
	if (part->role == UC_ROLE_COUNTER)
		fields[num++] = (struct uc_field){
			.name = "count",
			.canonical = "count",
			.brief = "what the kernel has counted",
			.high = 63,
			.kind = UC_KIND_RW,
		};
	*layout = (struct uc_layout){
		.name = arena_say(&live->arena, "%s %s", box->name, part->what),
		.source = "sysfs",
		.fields = fields,
		.num_fields = (uint16_t)num,
	};
	for (unsigned i = 0; i < num; i++)
		layout->writable |= uc_bits(fields[i].high, fields[i].low);
	layout->reserved = ~layout->writable;
	return num ? layout : NULL;
}

/* Registers */

void live_add_registers(struct live *live, unsigned index, struct uc_box *box,
			struct uc_register *registers)
{
	const struct perf_box *of = &live->pmus.boxes[index];
	const struct uc_layout *layouts[NUM_PARTS];
	struct uc_family *family = &live->family;

	for (unsigned p = 0; p < NUM_PARTS; p++)
		layouts[p] = make_layout(live, of, &parts[p]);
	for (unsigned i = 0; i < of->num_instances; i++)
		for (unsigned n = 0; n < of->num_counters * NUM_PARTS; n++) {
			const struct part *part = &parts[n % NUM_PARTS];
			unsigned counter = n / NUM_PARTS;

			if (!layouts[n % NUM_PARTS])
				continue;
			registers[family->num_registers++] =
				(struct uc_register){
					.name = arena_say(&live->arena,
							  "%s%u %s %u",
							  of->name, i,
							  part->what, counter),
					.brief = "a counter of the kernel's",
					.source = "sysfs",
					.access_text = "RW",
					.layout = layouts[n % NUM_PARTS],
					.address = uncore_address(
						UNCORE_SPACE_PERF,
						index << 8 | i,
						counter * COUNTER_BYTES +
							part->offset),
					.box = (uint8_t)index,
					.instance = (uint8_t)i,
					.role = part->role,
					.index = (uint8_t)counter,
					.width = 64,
					.part_bits = 64,
				};
			if (!box->first[part->role])
				box->first[part->role] = family->num_registers;
		}
}
