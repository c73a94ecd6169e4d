/* SPDX-License-Identifier: BSD-3-Clause Copyright (c) 2026 The uncore authors
 *
 * A line on its way out of a slice: the LLC is inclusive, so the cores that
 * have it give it up first; what was changed goes to memory.
 *
 * */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "signals.h"

static void count(struct cbo *cbo, const struct llc_way *way, uint64_t line,
		  uint64_t at, bool for_miss)
{
	static const uint16_t signals[] = {
		[LLC_S] = SIG_CBO_LLC_VICTIMS_S_STATE,
		[LLC_F] = SIG_CBO_LLC_VICTIMS_F_STATE,
		[LLC_E] = SIG_CBO_LLC_VICTIMS_E_STATE,
		[LLC_M] = SIG_CBO_LLC_VICTIMS_M_STATE,
	};
	unsigned id = signals[way->is_core_dirty ? LLC_M : way->state];
	struct sig_header header = { .thread = UINT8_MAX };

	if (for_miss && !way->cores && way->state != LLC_M)
		engine_count(&cbo->ep->engine, cbo->bank,
			     SIG_CBO_MISC_CVZERO_PREFETCH_VICTIM, at);
	if (!engine_tells(&cbo->ep->engine, cbo->bank, id) &&
	    !engine_tells(&cbo->ep->engine, cbo->bank,
			  SIG_CBO_LLC_VICTIMS_MISS))
		return;
	header.home_node = (uint8_t)ep_home(cbo->ep, line).node;
	engine_count_packet(&cbo->ep->engine, cbo->bank, id, at, &header);
	if (for_miss)
		engine_count_packet(&cbo->ep->engine, cbo->bank,
				    SIG_CBO_LLC_VICTIMS_MISS, at, &header);
}

void cbo_evict(struct cbo *cbo, struct llc_way *way, uint64_t line, uint64_t at,
	       bool for_miss)
{
	bool is_dirty = way->state == LLC_M || way->is_core_dirty;
	uint32_t value = copies_recall(cbo_copy(cbo, way, line));
	unsigned cores = way->cores;
	int dirty = cores && way->is_core_dirty ? __builtin_ctz(cores) : -1;

	count(cbo, way, line, at, for_miss);
	llc_drop(&cbo->llc, way);
	if (cores) {
		copies_take(cbo->socket, cores, line, false, true);
		at = cbo_ask_cores(cbo, cores, at, dirty);
	}
	if (is_dirty)
		cbo_write_memory(cbo, line, value, false, at);
}

struct llc_way *cbo_make_room(struct cbo *cbo, struct llc_spot spot,
			      uint64_t at)
{
	uint64_t victim = 0;
	struct llc_way *way = llc_choose(&cbo->llc, spot, cbo->slice, &victim);

	if (way->state != LLC_I) {
		facts_begin_apart(&cbo->ep->engine.facts);
		cbo_evict(cbo, way, victim, at, true);
		facts_end_apart(&cbo->ep->engine.facts);
	}
	llc_place(&cbo->llc, way, spot);
	return way;
}
