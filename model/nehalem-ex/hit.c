/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Requests that a slice answers by itself: hits, after asking another core that
 * may have changed the line, and a core's changed line that comes back.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/access.h"
#include "model/nehalem-ex/quick.h"
#include "signals.h"

static int hit_signal(const struct access *access)
{
	static const int16_t signals[] = {
		[LLC_M] = SIG_CBOX_LLC_HITS_M,
		[LLC_E] = SIG_CBOX_LLC_HITS_E,
		[LLC_S] = SIG_CBOX_LLC_HITS_S,
		[LLC_F] = SIG_CBOX_LLC_HITS_F,
	};

	return signals[access->way->state];
}

/* The cores that have to be asked before the core gets the line: all others of
 * a store, one that may have changed it of a read. */
static unsigned cores_to_ask(const struct access *access)
{
	const struct llc_way *way = access->way;
	unsigned others = way->cores & ~(1u << access->core->index);

	if (access->kind == UNCORE_ACCESS_OWN)
		return others;
	if ((way->state != LLC_E && way->state != LLC_M) ||
	    (others & (others - 1)))
		return 0;
	return others;
}

/* What comes of a hit. */
struct hit {
	unsigned asked; /* cores, a bit each */
	int dirty_core; /* one that had changed the line, or -1 */
	bool needs_data;
	int signal;
};

/* The tags after the hit. */
static void change(const struct access *access, const struct hit *hit)
{
	struct llc_way *way = access->way;
	unsigned own = 1u << access->core->index;

	if (access->kind == UNCORE_ACCESS_OWN) {
		copies_write(access_copy(access, way));
		llc_set_cores(way, own);
		way->is_core_dirty = true;
		return;
	}
	llc_set_cores(way, way->cores | own);
	if (hit->asked)
		way->is_core_dirty = false;
	if (hit->dirty_core >= 0)
		way->state = LLC_M;
}

/* All that is so whenever it happens. */
static struct hit take(const struct access *access)
{
	struct slice *slice = access->slice;
	struct llc_way *way = access->way;
	unsigned own = 1u << access->core->index;
	bool may_be_dirty = way->state == LLC_E || way->state == LLC_M;
	struct hit hit = {
		.asked = cores_to_ask(access),
		.dirty_core = -1,
		.needs_data = access->kind != UNCORE_ACCESS_OWN ||
			      !(way->cores & own),
		.signal = hit_signal(access),
	};

	if (hit.asked && way->is_core_dirty)
		hit.dirty_core = __builtin_ctz(hit.asked);
	llc_touch(&slice->llc, way);
	if (access->here->socket->values)
		copies_read(
			access_copy(access, way),
			copies_recall(slice_copy(slice, way, access->line)));
	if (hit.asked)
		copies_take(access->floor->socket, hit.asked, access->line,
			    access->kind != UNCORE_ACCESS_OWN, false);
	change(access, &hit);
	core_answered(access->core, access->entry,
		      !hit.asked	    ? ANSWER_SLICE
		      : hit.dirty_core >= 0 ? ANSWER_CORE_MODIFIED
					    : ANSWER_CORE);
	if (hit.needs_data)
		core_filled(access->core, may_be_dirty && way->cores == own);
	return hit;
}

/* The line, or the right to write to it, goes to the core. */
static void answer(const struct access *access, uint64_t at, bool needs_data)
{
	struct slice *slice = access->slice;
	unsigned core = access->core->index;

	if (needs_data) {
		access_done(access,
			    floor_send_both(access->floor, slice, core, at));
	} else {
		access_done(access, at);
		floor_send_go(access->floor, slice, core, at);
	}
}

uint64_t access_hit(struct access *access, uint64_t at, int *signal)
{
	struct slice *slice = access->slice;
	struct hit hit = take(access);
	unsigned place =
		places_take(&slice->maf, engine_now(&access->ex->engine), &at);
	struct slice_stay *stay = &slice->stays[place];
	uint64_t answered = at;

	*stay = (struct slice_stay){ .from = at };
	*signal = hit.signal;
	if (hit.asked) {
		stay->asks = at;
		stay->asked = floor_ask_cores(access->floor, slice, hit.asked,
					      at, hit.dirty_core);
		answered = slice_pass(access->floor, slice, stay->asked);
	}
	if (hit.needs_data || !hit.asked)
		answered += access->floor->data_cycles;
	answer(access, answered, hit.needs_data);
	places_hold(&slice->maf, place, answered);
	lines_put(&slice->lines, SLICE_MAF + place, access->line, answered);
	return answered;
}

void access_hit_at_once(struct access *access)
{
	struct facts_book *book = &access->ex->engine.facts;
	struct slice *slice = access->slice;
	unsigned state = access->way->state;
	struct hit hit = take(access);
	struct facts *facts =
		&access->here->quick->hits[state][hit.needs_data]
					  [access->core->index][slice->index];

	if (facts_begin(book, facts)) {
		access_tell_arrival(access);
		facts_tell(book, slice->bank, (unsigned)hit.signal, 1);
		answer(access, engine_now(&access->ex->engine), hit.needs_data);
		facts_end(book, facts);
	}
	if (hit.asked)
		floor_ask_cores(access->floor, slice, hit.asked,
				engine_now(&access->ex->engine),
				hit.dirty_core);
}

/* What a snoop took meanwhile was written back then. */
static void give_back(const struct access *access)
{
	struct llc_way *way = access->way;

	if (way && way->cores >> access->core->index & 1) {
		copies_recall(slice_copy(access->slice, way, access->line));
		if (way->is_core_dirty)
			way->state = LLC_M;
		llc_set_cores(way, way->cores & ~(1u << access->core->index));
		way->is_core_dirty = false;
		llc_touch(&access->slice->llc, way);
	}
	core_answered(access->core, access->entry, ANSWER_SLICE);
}

void access_write_back(struct access *access, uint64_t at)
{
	give_back(access);
	answer(access, at, false);
}

void access_write_back_at_once(struct access *access)
{
	struct facts_book *book = &access->ex->engine.facts;
	unsigned core = access->core->index, slice = access->slice->index;
	struct facts *facts = &access->here->quick->write_backs[core][slice];
	uint64_t now = engine_now(&access->ex->engine);

	give_back(access);
	if (!facts_begin(book, facts))
		return;
	access_tell_arrival(access);
	floor_send_line(access->floor, core, slice, now);
	answer(access, now, false);
	facts_end(book, facts);
}
