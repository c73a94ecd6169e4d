/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The places of a set: those of the snoop filter and those of the LLC. Of
 * either the entry that was used longest ago makes room; there are two of each
 * at least, so that is never the line for which room is made.
 *
 * A line that the filter throws out is lost by the cores that had it; if it was
 * changed, the slice takes it. One that the LLC throws out goes to memory if it
 * was changed; what cores have of it stays with them.
 */
#include <stdlib.h>

#include "model/skylake-sp/cha.h"

bool cha_init(struct cbo *cbo)
{
	const struct socket *s = cbo->socket;

	cbo->data_ways = socket_param(s, PARAM_LLC_WAYS);
	cbo->filter_ways = socket_param(s, PARAM_FILTER_WAYS);
	cha_drive(cbo->bank);
	cbo->held = calloc(cbo->llc.num_sets, sizeof(*cbo->held));
	return cbo->held;
}

static void hold(struct cbo *cbo, const struct llc_way *way, bool has_data)
{
	struct llc_place place = llc_place_of(&cbo->llc, way);
	uint32_t bit = UINT32_C(1) << place.way, *held = &cbo->held[place.set];

	*held = has_data ? *held | bit : *held & ~bit;
}

/* Ways of a set that are in either half, a bit each. What has left the tags may
 * still have its bit in cbo->held. */

static uint32_t in_filter(const struct cbo *cbo, unsigned set)
{
	const struct llc_way *ways = llc_ways(&cbo->llc, set);
	uint32_t found = 0;

	for (unsigned i = 0; i < cbo->llc.num_ways; i++)
		found |= (uint32_t)(ways[i].cores != 0) << i;
	return found;
}

static uint32_t in_llc(const struct cbo *cbo, unsigned set)
{
	const struct llc_way *ways = llc_ways(&cbo->llc, set);
	uint32_t found = cbo->held[set];

	for (uint32_t left = found; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		if (ways[i].state == LLC_I)
			found &= ~(UINT32_C(1) << i);
	}
	return found;
}

/* The way of a set that has to leave so that one more than those may come, for
 * whom there are so many places; or NULL. */
static struct llc_way *victim_of(const struct cbo *cbo, unsigned set,
				 uint32_t those, unsigned places)
{
	const uint8_t *ages = llc_ages(&cbo->llc, set);
	unsigned oldest;

	if ((unsigned)__builtin_popcount(those) < places)
		return NULL;
	oldest = (unsigned)__builtin_ctz(those);
	for (uint32_t left = those; left; left &= left - 1) {
		unsigned i = (unsigned)__builtin_ctz(left);

		if (ages[i] > ages[oldest])
			oldest = i;
	}
	return llc_ways(&cbo->llc, set) + oldest;
}

static uint64_t line_of(const struct cbo *cbo, const struct llc_way *way)
{
	uint64_t line = 0;

	llc_line(&cbo->llc, llc_entry(&cbo->llc, way), cbo->slice, &line);
	return line;
}

static unsigned set_of(const struct cbo *cbo, const struct llc_way *way)
{
	return llc_place_of(&cbo->llc, way).set;
}

/* The line's data leave the slice. Cores that have the line keep it, changed or
 * not: memory hears of it when the last of them gives it up. A write-back would
 * tell the home that nobody here has it any more. */
static void throw_out(struct cbo *cbo, struct llc_way *way, uint64_t at)
{
	uint64_t line = line_of(cbo, way);
	bool is_changed = way->state == LLC_M;
	uint32_t value = copies_recall(cbo_copy(cbo, way, line));

	cha_tell_victim(cbo, way, line, at);
	hold(cbo, way, false);
	if (way->cores)
		return;
	llc_drop(&cbo->llc, way);
	if (is_changed)
		cbo_write_memory(cbo, line, value, false, at);
}

static void make_data_room(struct cbo *cbo, unsigned set, uint64_t at)
{
	struct llc_way *victim =
		victim_of(cbo, set, in_llc(cbo, set), cbo->data_ways);

	if (!victim)
		return;
	facts_begin_apart(&cbo->ep->engine.facts);
	throw_out(cbo, victim, at);
	facts_end_apart(&cbo->ep->engine.facts);
}

/* The cores that have the line give it up. */
static void forget(struct cbo *cbo, struct llc_way *way, uint64_t at)
{
	uint64_t line = line_of(cbo, way);
	unsigned cores = way->cores;
	bool is_changed = way->is_core_dirty || way->state == LLC_M;
	int sender = way->is_core_dirty ? __builtin_ctz(cores) : -1;

	cha_tell_filter_victim(cbo, way, at);
	cbo_tell_asked(cbo, CAUSE_EVICTION, way, cores, true, at);
	copies_recall(cbo_copy(cbo, way, line));
	copies_take(cbo->socket, cores, line, false, true);
	at = cbo_ask_cores(cbo, cores, at, sender);
	llc_set_cores(way, 0);
	way->is_core_dirty = false;
	if (is_changed) {
		way->state = LLC_M;
		if (!cbo_has_data(cbo, way))
			cha_hold(cbo, way, (struct llc_spot){ 0 }, at);
	} else if (!cbo_has_data(cbo, way)) {
		llc_drop(&cbo->llc, way);
	}
}

static void make_filter_room(struct cbo *cbo, unsigned set, uint64_t at)
{
	struct llc_way *victim =
		victim_of(cbo, set, in_filter(cbo, set), cbo->filter_ways);

	if (!victim)
		return;
	facts_begin_apart(&cbo->ep->engine.facts);
	forget(cbo, victim, at);
	facts_end_apart(&cbo->ep->engine.facts);
}

/* An entry that is in neither yet. There is one: what is in either is less than
 * the places of both. */
static struct llc_way *place(struct cbo *cbo, struct llc_spot spot)
{
	uint64_t nobody;
	struct llc_way *way = llc_choose(&cbo->llc, spot, cbo->slice, &nobody);

	llc_place(&cbo->llc, way, spot);
	llc_set_cores(way, 0);
	way->is_core_dirty = false;
	hold(cbo, way, false);
	return way;
}

struct llc_way *cha_track(struct cbo *cbo, struct llc_way *way,
			  struct llc_spot spot, uint64_t at)
{
	make_filter_room(cbo, way ? set_of(cbo, way) : spot.set, at);
	return way ? way : place(cbo, spot);
}

struct llc_way *cha_hold(struct cbo *cbo, struct llc_way *way,
			 struct llc_spot spot, uint64_t at)
{
	make_data_room(cbo, way ? set_of(cbo, way) : spot.set, at);
	if (!way)
		way = place(cbo, spot);
	hold(cbo, way, true);
	return way;
}

void cha_let_go(struct cbo *cbo, struct llc_way *way)
{
	hold(cbo, way, false);
}
