/* SPDX-License-Identifier: BSD-3-Clause Copyright (c) 2026 The uncore authors
 *
 * A line on its way out of a slice: the LLC is inclusive, so the cores that
 * have it give it up first; what was changed goes to memory.
 *
 * */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "signals.h"

static void count(struct cbo *cbo, const struct cbo_victim *victim, uint64_t at)
{
	static const uint16_t signals[] = {
		[LLC_S] = SIG_CBO_LLC_VICTIMS_S_STATE,
		[LLC_F] = SIG_CBO_LLC_VICTIMS_F_STATE,
		[LLC_E] = SIG_CBO_LLC_VICTIMS_E_STATE,
		[LLC_M] = SIG_CBO_LLC_VICTIMS_M_STATE,
	};
	unsigned id = signals[victim->state];
	struct sig_header header;

	if (victim->for_miss && !victim->cores && victim->state != LLC_M)
		engine_count(&cbo->ep->engine, cbo->bank,
			     SIG_CBO_MISC_CVZERO_PREFETCH_VICTIM, at);
	if (!engine_tells(&cbo->ep->engine, cbo->bank, id) &&
	    !engine_tells(&cbo->ep->engine, cbo->bank,
			  SIG_CBO_LLC_VICTIMS_MISS))
		return;
	header = (struct sig_header){
		.thread = UINT8_MAX,
		.home_node = ep_range(cbo->ep, victim->line)->node,
	};
	engine_count_packet(&cbo->ep->engine, cbo->bank, id, at, &header);
	if (victim->for_miss)
		engine_count_packet(&cbo->ep->engine, cbo->bank,
				    SIG_CBO_LLC_VICTIMS_MISS, at, &header);
}

void cbo_take_out(struct cbo *cbo, struct llc_way *way, uint64_t line,
		  bool for_miss, struct cbo_victim *victim)
{
	struct values *values = cbo->socket->values;
	unsigned cores = way->cores;

	*victim = (struct cbo_victim){
		.line = line,
		.cores = cores,
		.dirty =
			cores && way->is_core_dirty ? __builtin_ctz(cores) : -1,
		.state = way->is_core_dirty ? LLC_M : way->state,
		.is_there = true,
		.for_miss = for_miss,
	};
	if (values && victim->state == LLC_M)
		values_memory_write(values, line,
				    copies_recall(cbo_copy(cbo, way, line)));
	llc_drop(&cbo->llc, way);
	if (cores)
		copies_take(cbo->socket, cores, line, false, true);
}

void cbo_victim_goes(struct cbo *cbo, const struct cbo_victim *victim,
		     uint64_t at)
{
	count(cbo, victim, at);
	if (victim->cores) {
		at = cbo_ask_cores(cbo, victim->cores, at, victim->dirty);
		engine_busy_until(&cbo->ep->engine, at);
	}
	if (victim->state == LLC_M)
		cbo_write_back(cbo, victim->line, false, at);
}

struct llc_way *cbo_take_way(struct cbo *cbo, struct llc_spot spot,
			     struct cbo_victim *victim)
{
	uint64_t line = 0;
	struct llc_way *way = llc_choose(&cbo->llc, spot, cbo->slice, &line);

	victim->is_there = way->state != LLC_I;
	if (victim->is_there)
		cbo_take_out(cbo, way, line, true, victim);
	llc_place(&cbo->llc, way, spot);
	return way;
}

struct llc_way *cbo_make_room(struct cbo *cbo, struct llc_spot spot,
			      uint64_t at)
{
	struct cbo_victim victim;
	struct llc_way *way = cbo_take_way(cbo, spot, &victim);

	if (!victim.is_there)
		return way;
	facts_begin_apart(&cbo->ep->engine.facts);
	cbo_victim_goes(cbo, &victim, at);
	facts_end_apart(&cbo->ep->engine.facts);
	return way;
}
