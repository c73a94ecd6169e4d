/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Requests that a slice answers by itself: hits, after asking another core that
 * may have changed the line, and a core's changed line that comes back.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/access.h"
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

/* The tags after the hit; is_dirty: the core that is asked had changed it. */
static void change(const struct access *access, unsigned asked, bool is_dirty)
{
	struct llc_way *way = access->way;
	unsigned own = 1u << access->core->index;

	if (access->kind == UNCORE_ACCESS_OWN) {
		copies_write(access_copy(access, way));
		way->cores = (uint16_t)own;
		way->is_core_dirty = true;
		return;
	}
	way->cores |= (uint16_t)own;
	if (asked)
		way->is_core_dirty = false;
	if (is_dirty)
		way->state = LLC_M;
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
	struct llc_way *way = access->way;
	unsigned own = 1u << access->core->index;
	unsigned asked = cores_to_ask(access);
	bool may_be_dirty = way->state == LLC_E || way->state == LLC_M;
	bool was_dirty = asked && way->is_core_dirty;
	bool needs_data =
		access->kind != UNCORE_ACCESS_OWN || !(way->cores & own);
	int dirty_core = was_dirty ? __builtin_ctz(asked) : -1;
	unsigned place = places_take(&slice->maf, ex_now(access->ex), &at);
	struct slice_stay *stay = &slice->stays[place];
	uint64_t answered = at;

	*stay = (struct slice_stay){ .from = at };
	*signal = hit_signal(access);
	llc_touch(&slice->llc, way);
	copies_read(access_copy(access, way),
		    copies_recall(slice_copy(slice, way, access->line)));
	if (asked) {
		copies_take(access->floor->socket, asked, access->line,
			    access->kind != UNCORE_ACCESS_OWN, false);
		stay->asks = at;
		stay->asked = floor_ask_cores(access->floor, slice, asked, at,
					      dirty_core);
		answered = slice_pass(access->floor, slice, stay->asked);
	}
	if (access->ex->is_quick)
		answered = at;
	else if (needs_data || !asked)
		answered += access->floor->data_cycles;
	change(access, asked, was_dirty);
	core_answered(access->core, access->entry,
		      !asked	  ? ANSWER_SLICE
		      : was_dirty ? ANSWER_CORE_MODIFIED
				  : ANSWER_CORE);
	if (needs_data)
		core_filled(access->core, may_be_dirty && way->cores == own);
	answer(access, answered, needs_data);
	places_hold(&slice->maf, place, answered);
	lines_put(&slice->lines, SLICE_MAF + place, access->line, answered);
	return answered;
}

/* What a snoop took meanwhile was written back then. */
void access_write_back(struct access *access, uint64_t at)
{
	struct llc_way *way = access->way;

	if (way && way->cores >> access->core->index & 1) {
		copies_recall(slice_copy(access->slice, way, access->line));
		if (way->is_core_dirty)
			way->state = LLC_M;
		way->cores &= (uint16_t) ~(1u << access->core->index);
		way->is_core_dirty = false;
		llc_touch(&access->slice->llc, way);
	}
	core_answered(access->core, access->entry, ANSWER_SLICE);
	answer(access, at, false);
}
