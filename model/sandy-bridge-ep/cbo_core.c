/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a core's request comes to that its slice answers alone, or after asking
 * other cores: hits, write-backs; flushes and streaming stores.
 */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "signals.h"

static bool is_owned(const struct llc_way *way)
{
	return way && (way->state == LLC_E || way->state == LLC_M);
}

bool cbo_needs_home(const struct cbo_job *job)
{
	switch (job->kind) {
	case UNCORE_ACCESS_WRITEBACK: return false;
	case UNCORE_ACCESS_OWN:
	case UNCORE_ACCESS_NT_WRITE:
	case UNCORE_ACCESS_NT_PART:
	case UNCORE_ACCESS_FLUSH: return !is_owned(job->way);
	default: return !job->way;
	}
}

static struct copies_access copy_of(const struct cbo_job *job,
				    const struct core *core, unsigned entry)
{
	return (struct copies_access){
		.at = cbo_copy(job->cbo, job->way, job->line),
		.kind = job->kind,
		.core = core->number,
		.oldest = core->misses[entry].floor,
	};
}

bool cbo_write_silently(struct core *core, uint64_t line)
{
	struct cbo *cbo =
		core->socket->ep->sockets[core->socket->index]
			.cbos[llc_slice(line, core->socket->num_cores)];
	struct llc_way *way = llc_find(&cbo->llc, line);
	struct copies_access access = {
		.at = cbo_copy(cbo, way, line),
		.kind = UNCORE_ACCESS_OWN,
		.core = core->number,
	};

	if (!is_owned(way) || way->cores != 1u << core->index)
		return false;
	copies_write(access);
	way->is_core_dirty = true;
	return true;
}

/* The cores that have to be asked before this one gets the line: all others of
 * a store, one that may have changed it of a read. */
static unsigned cores_to_ask(const struct cbo_job *job, const struct core *core)
{
	const struct llc_way *way = job->way;
	unsigned others = way->cores & ~(1u << core->index);

	if (job->kind == UNCORE_ACCESS_OWN)
		return others;
	return is_owned(way) && !(others & (others - 1)) ? others : 0;
}

/* The tags after the hit. */
static void change(const struct cbo_job *job, const struct core *core,
		   unsigned entry, unsigned asked, bool was_dirty)
{
	struct llc_way *way = job->way;
	unsigned own = 1u << core->index;

	if (job->kind == UNCORE_ACCESS_OWN) {
		copies_write(copy_of(job, core, entry));
		way->cores = (uint16_t)own;
		way->is_core_dirty = true;
		return;
	}
	way->cores |= (uint16_t)own;
	if (asked)
		way->is_core_dirty = false;
	if (was_dirty)
		way->state = LLC_M;
}

/* The slice reads its data out while a core is asked; a changed line comes from
 * there instead. */
static void hit(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct cbo *cbo = job->cbo;
	struct llc_way *way = job->way;
	unsigned own = 1u << core->index, asked = cores_to_ask(job, core);
	bool was_dirty = asked && way->is_core_dirty;
	bool needs_data = job->kind != UNCORE_ACCESS_OWN || !(way->cores & own);
	uint64_t at = job->passed, read_out = at + cbo->data_cycles, sent;

	llc_touch(&cbo->llc, way);
	copies_read(copy_of(job, core, entry),
		    copies_recall(cbo_copy(cbo, way, job->line)));
	if (asked) {
		ep_tell(cbo->ep, cbo->bank, SIG_CBO_MISC_STARTED, at);
		copies_take(cbo->socket, asked, job->line,
			    job->kind != UNCORE_ACCESS_OWN, false);
		at = cbo_ask_cores(cbo, asked, at,
				   was_dirty ? __builtin_ctz(asked) : -1);
		at = cbo_pass(cbo, at);
	}
	change(job, core, entry, asked, was_dirty);
	core_answered(core, entry,
		      !asked	  ? ANSWER_SLICE
		      : was_dirty ? ANSWER_CORE_MODIFIED
				  : ANSWER_CORE);
	sent = cbo_send_go(cbo, core->index, at);
	if (needs_data) {
		core_filled(core, is_owned(way) && way->cores == own);
		at = was_dirty ? at : ep_later(at, read_out);
		sent = ep_later(sent, cbo_send_line(cbo, core->index, at));
	}
	cbo_done(cbo, core, entry, sent, needs_data);
	cbo_end(job, at, 0);
}

/* What a snoop took meanwhile was written back then. */
static void write_back(struct cbo_job *job, struct core *core, unsigned entry)
{
	struct llc_way *way = job->way;

	if (way && way->cores >> core->index & 1) {
		copies_recall(cbo_copy(job->cbo, way, job->line));
		if (way->is_core_dirty)
			way->state = LLC_M;
		way->cores &= (uint16_t) ~(1u << core->index);
		way->is_core_dirty = false;
		llc_touch(&job->cbo->llc, way);
	}
	core_answered(core, entry, ANSWER_SLICE);
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
		if (!is_whole && grant.is_modified)
			cbo_write_memory(cbo, job->line, grant.value, false,
					 ep_later(at, grant.data_at));
	}
	if (job->way && is_store)
		ep_tell(cbo->ep, cbo->bank, SIG_CBO_MISC_WC_ALIASING,
			job->passed);
	if (job->way && is_whole) {
		if (job->way->cores) {
			copies_take(cbo->socket, job->way->cores, job->line,
				    false, false);
			at = ep_later(at, cbo_ask_cores(cbo, job->way->cores,
							job->passed, -1));
		}
		llc_drop(&cbo->llc, job->way);
	} else if (job->way) {
		cbo_evict(cbo, job->way, job->line, at, false);
	}
	if (is_store) {
		uint32_t value =
			values ? values_write(values, job->line, core->number)
			       : 0;

		cbo_write_memory(cbo, job->line, value, !is_whole, at);
	}
	core_answered(core, entry,
		      job->home.socket == cbo->index ? ANSWER_LOCAL_DRAM
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
