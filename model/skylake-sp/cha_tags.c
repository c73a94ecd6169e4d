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
	cbo->held = calloc(llc_num_entries(&cbo->llc), 1);
	return cbo->held;
}

static bool *held(struct cbo *cbo, const struct llc_way *way)
{
	return &cbo->held[llc_entry(&cbo->llc, way)];
}

/* Which half of a set is meant. */
enum half { IN_FILTER, IN_LLC };

static bool is_in(struct cbo *cbo, const struct llc_way *way, enum half half)
{
	if (way->state == LLC_I)
		return false;
	return half == IN_FILTER ? way->cores : *held(cbo, way);
}

/* The entry of a set that has to leave these places so that another one may
 * come, or NULL. */
static struct llc_way *victim_of(struct cbo *cbo, unsigned set, enum half half)
{
	size_t first = (size_t)set * cbo->llc.num_ways, oldest = 0;
	unsigned num = 0, age = 0;

	for (size_t entry = first; entry < first + cbo->llc.num_ways; entry++) {
		if (!is_in(cbo, llc_way(&cbo->llc, entry), half))
			continue;
		if (!num++ || llc_age(&cbo->llc, entry) > age) {
			oldest = entry;
			age = llc_age(&cbo->llc, entry);
		}
	}
	if (num < (half == IN_FILTER ? cbo->filter_ways : cbo->data_ways))
		return NULL;
	return llc_way(&cbo->llc, oldest);
}

static uint64_t line_of(const struct cbo *cbo, const struct llc_way *way)
{
	uint64_t line = 0;

	llc_line(&cbo->llc, llc_entry(&cbo->llc, way), cbo->slice, &line);
	return line;
}

static unsigned set_of(const struct cbo *cbo, const struct llc_way *way)
{
	return (unsigned)(llc_entry(&cbo->llc, way) / cbo->llc.num_ways);
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
	*held(cbo, way) = false;
	if (way->cores)
		return;
	llc_drop(&cbo->llc, way);
	if (is_changed)
		cbo_write_memory(cbo, line, value, false, at);
}

static void make_data_room(struct cbo *cbo, unsigned set, uint64_t at)
{
	struct llc_way *victim = victim_of(cbo, set, IN_LLC);

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
		if (!*held(cbo, way))
			cha_hold(cbo, way, (struct llc_spot){ 0 }, at);
	} else if (!*held(cbo, way)) {
		llc_drop(&cbo->llc, way);
	}
}

static void make_filter_room(struct cbo *cbo, unsigned set, uint64_t at)
{
	struct llc_way *victim = victim_of(cbo, set, IN_FILTER);

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
	*held(cbo, way) = false;
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
	*held(cbo, way) = true;
	return way;
}

void cha_let_go(struct cbo *cbo, struct llc_way *way)
{
	*held(cbo, way) = false;
}
