/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a core's request comes to that its slice answers alone, or after asking
 * other cores: hits, write-backs; flushes and streaming stores.
 */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "signals.h"

/* Of a streaming store the home has to know before it is done, even where the
 * slice may write: else a core would store to lines of its slices as fast as
 * these answer, past memory. */
bool cbo_needs_home(const struct cbo_job *job)
{
	switch (job->kind) {
	case UNCORE_ACCESS_WRITEBACK: return false;
	case UNCORE_ACCESS_NT_WRITE:
	case UNCORE_ACCESS_NT_PART: return true;
	case UNCORE_ACCESS_OWN:
	case UNCORE_ACCESS_FLUSH: return !cbo_is_owned(job->way);
	default: return !job->way;
	}
}

bool cbo_write_silently(struct core *core, uint64_t line)
{
	struct llc_spot spot;
	struct cbo *cbo = cbo_of(cbo_own(core), line, &spot);
	struct llc_way *way = llc_find_at(&cbo->llc, spot);
	struct copies_access access = {
		.at = cbo_copy(cbo, way, line),
		.kind = UNCORE_ACCESS_OWN,
		.core = core->number,
	};

	if (!cbo_is_owned(way) || way->cores != 1u << core->index)
		return false;
	copies_write(access);
	way->is_core_dirty = true;
	return true;
}

/* The cores that have to be asked before this one gets the line: all others of
 * a store, one that may have changed it of a read. */
static unsigned cores_to_ask(const struct llc_way *way, const struct core *core,
			     unsigned kind)
{
	unsigned others = way->cores & ~(1u << core->index);

	if (kind == UNCORE_ACCESS_OWN)
		return others;
	return cbo_is_owned(way) && !(others & (others - 1)) ? others : 0;
}

/* The tags after the hit. */
static void change(struct cbo *cbo, struct llc_way *way,
		   const struct core *core, unsigned entry,
		   const struct cbo_hit *hit)
{
	unsigned own = 1u << core->index;

	if (core->misses[entry].kind == UNCORE_ACCESS_OWN) {
		copies_write(cbo_access(cbo, way, core, entry));
		llc_set_cores(way, own);
		way->is_core_dirty = true;
		return;
	}
	llc_set_cores(way, way->cores | own);
	if (hit->asked)
		way->is_core_dirty = false;
	if (hit->was_dirty)
		way->state = LLC_M;
}

/* DRd of a line that is not in M and that no core has (raw CV=0). */
static void tell_unshared(struct cbo *cbo, const struct llc_way *way,
			  const struct core_miss *miss, uint64_t at)
{
	if (way->cores || way->state == LLC_M ||
	    miss->kind != UNCORE_ACCESS_READ ||
	    miss->request == REQUEST_PREFETCH_DATA)
		return;
	facts_begin_apart(&cbo->ep->engine.facts);
	engine_count(&cbo->ep->engine, cbo->bank,
		     SIG_CBO_MISC_CVZERO_PREFETCH_MISS, at);
	facts_end_apart(&cbo->ep->engine.facts);
}

void cbo_take_hit(struct cbo *cbo, struct llc_way *way, struct core *core,
		  unsigned entry, uint64_t at, struct cbo_hit *hit)
{
	const struct core_miss *miss = &core->misses[entry];
	unsigned own = 1u << core->index;

	hit->asked = cores_to_ask(way, core, miss->kind);
	hit->was_dirty = hit->asked && way->is_core_dirty;
	hit->needs_data =
		miss->kind != UNCORE_ACCESS_OWN || !(way->cores & own);
	tell_unshared(cbo, way, miss, at);
	llc_touch(&cbo->llc, way);
	if (cbo->socket->values)
		copies_read(cbo_access(cbo, way, core, entry),
			    copies_recall(cbo_copy(cbo, way, miss->line)));
	if (hit->asked)
		copies_take(cbo->socket, hit->asked, miss->line,
			    miss->kind != UNCORE_ACCESS_OWN, false);
	change(cbo, way, core, entry, hit);
	core_answered(core, entry,
		      !hit->asked      ? ANSWER_SLICE
		      : hit->was_dirty ? ANSWER_CORE_MODIFIED
				       : ANSWER_CORE);
	if (hit->needs_data)
		core_filled(core, cbo_is_owned(way) && way->cores == own);
}

uint64_t cbo_ask_for_hit(struct cbo *cbo, const struct cbo_hit *hit,
			 uint64_t at)
{
	int dirty = hit->was_dirty ? __builtin_ctz(hit->asked) : -1;

	facts_begin_apart(&cbo->ep->engine.facts);
	engine_count(&cbo->ep->engine, cbo->bank, SIG_CBO_MISC_STARTED, at);
	at = cbo_ask_cores(cbo, hit->asked, at, dirty);
	facts_end_apart(&cbo->ep->engine.facts);
	return at;
}

/* The slice reads its data out while a core is asked; a changed line comes from
 * there instead. */
static void hit(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	uint64_t at = job->passed, read_out = at + cbo->data_cycles, sent;
	struct cbo_hit hit;

	cbo_take_hit(cbo, job->way, core, entry, at, &hit);
	if (hit.asked)
		at = cbo_pass(cbo, cbo_ask_for_hit(cbo, &hit, at));
	sent = cbo_send_go(cbo, core->index, at);
	if (hit.needs_data) {
		at = hit.was_dirty ? at : sim_later(at, read_out);
		sent = sim_later(sent, cbo_send_line(cbo, core->index, at));
	}
	cbo_done(cbo, core, entry, sent, hit.needs_data);
	cbo_end(job, at, 0);
}

/* What a snoop took meanwhile was written back then. */
void cbo_take_back(struct cbo *cbo, struct llc_way *way, struct core *core,
		   unsigned entry)
{
	if (way && way->cores >> core->index & 1) {
		copies_recall(cbo_copy(cbo, way, core->misses[entry].line));
		if (way->is_core_dirty)
			way->state = LLC_M;
		llc_set_cores(way, way->cores & ~(1u << core->index));
		way->is_core_dirty = false;
		llc_touch(&cbo->llc, way);
	}
	core_answered(core, entry, ANSWER_SLICE);
}

static void write_back(struct cbo_job *job, struct core *core, unsigned entry)
{
	cbo_take_back(job->cbo, job->way, core, entry);
	cbo_done(job->cbo, core, entry,
		 cbo_send_go(job->cbo, core->index, job->passed), false);
	cbo_end(job, job->passed, 0);
}

/* A flush drives the line out of all caches, and so does a streaming store of a
 * part of it, which then goes to memory; one of a whole line drops all copies,
 * and the line goes there. */
static void drive_out(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	bool is_store = core_streams(job->kind);
	bool is_whole = job->kind == UNCORE_ACCESS_NT_WRITE;
	uint64_t at = job->passed, home_done = 0;
	struct values *values = cbo->socket->values;

	if (job->needs_home) {
		struct cbo_grant grant = cbo_ask_home(
			job, is_store ? HOM0_INV_ITO_E : HOM0_INV_XTO_I, -1,
			at);

		at = home_done = grant.done;
		if (grant.is_modified)
			cbo_write_memory(cbo, job->line, grant.value, false,
					 sim_later(at, grant.data_at));
	}
	if (job->way && is_store)
		engine_count(&cbo->ep->engine, cbo->bank,
			     SIG_CBO_MISC_WC_ALIASING, job->passed);
	if (job->way)
		cbo_tell_asked(cbo, CAUSE_CORE, job->way, job->way->cores, true,
			       job->passed);
	if (job->way && is_whole) {
		if (job->way->cores) {
			copies_take(cbo->socket, job->way->cores, job->line,
				    false, false);
			at = sim_later(at, cbo_ask_cores(cbo, job->way->cores,
							 job->passed, -1));
		}
		llc_drop(&cbo->llc, job->way);
	} else if (job->way) {
		struct cbo_victim victim;

		cbo_take_out(cbo, job->way, job->line, false, &victim);
		cbo_victim_goes(cbo, &victim, at);
	}
	if (is_store) {
		uint32_t value =
			values ? values_write(values, job->line, core->number)
			       : 0;

		cbo_write_memory(cbo, job->line, value, !is_whole, at);
	}
	core_answered(core, entry,
		      job->home.node == cbo->node ? ANSWER_LOCAL_DRAM
						  : ANSWER_REMOTE_DRAM);
	cbo_done(cbo, core, entry, cbo_send_go(cbo, core->index, at), false);
	cbo_end(job, at, home_done);
}

void cbo_serve(struct cbo_job *job, struct core *core, unsigned entry)
{
	switch (job->kind) {
	case UNCORE_ACCESS_WRITEBACK: write_back(job, core, entry); break;
	case UNCORE_ACCESS_FLUSH:
	case UNCORE_ACCESS_NT_PART:
	case UNCORE_ACCESS_NT_WRITE: drive_out(job, core, entry); break;
	default:
		if (job->needs_home)
			cbo_miss(job, core, entry);
		else
			hit(job, core, entry);
	}
}
