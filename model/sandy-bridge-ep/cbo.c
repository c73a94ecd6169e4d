/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The queues, the pipeline and the table of a CBo; a core's request until its
 * slice has looked it up.
 */
#include <stdlib.h>

#include "model/sandy-bridge-ep/cbo_parts.h"
#include "signals.h"

/* With a filter a set has entries of both; of the LLC's size the sets are. */
static int init_tags(struct cbo *cbo)
{
	const struct socket *s = cbo->socket;
	unsigned ways = socket_param(s, PARAM_LLC_WAYS);
	uint64_t size = (uint64_t)socket_param(s, PARAM_LLC_SLICE) * 1024;
	unsigned more =
		cbo->ep->kind->init ? socket_param(s, PARAM_FILTER_WAYS) : 0;

	if (llc_init(&cbo->llc, cbo->ep->num_slices / socket_numa_nodes(s),
		     size / ways * (ways + more), ways + more))
		return -1;
	cbo->llc.is_published = s->param[PARAM_HASH] > 0;
	if (s->num_clusters > 1)
		cbo->llc.cluster_lines = s->memory_lines / 2;
	return 0;
}

struct cbo *cbo_new(struct ep *ep, unsigned socket, unsigned number,
		    const struct uc_family *family)
{
	struct cbo *cbo = calloc(1, sizeof(*cbo));
	struct socket *s = ep->sockets[socket].socket;

	if (!cbo)
		return NULL;
	cbo->ep = ep;
	cbo->socket = s;
	cbo->index = socket;
	cbo->number = number;
	cbo->node = (socket * ep->num_slices + number) * ep->num_nodes /
		    ep->num_slices;
	cbo->first = ep_first_slice(ep, cbo->node);
	cbo->slice = number % (ep->num_slices / socket_numa_nodes(s));
	cbo->stop = ep_cbo_stop(ep, number);
	cbo->bank = socket_bank(s, family, ep->kind->slice, number);
	cbo->lookup_cycles = socket_param(s, PARAM_LLC_LOOKUP_CYCLES);
	cbo->data_cycles = socket_param(s, PARAM_LLC_DATA_CYCLES);
	cbo->idf_cycles = socket_param(s, PARAM_CORE_IDF_CYCLES);
	cbo->line_cycles = socket_param(s, PARAM_CORE_LINE_CYCLES);
	cbo->starve_cycles = socket_param(s, PARAM_CBO_STARVE_CYCLES);
	places_init(&cbo->queues[QUEUE_IRQ], socket_param(s, PARAM_CBO_IRQ));
	places_init(&cbo->queues[QUEUE_VFIFO],
		    socket_param(s, PARAM_CBO_VFIFO));
	places_init(&cbo->queues[QUEUE_IPQ], socket_param(s, PARAM_CBO_IPQ));
	places_init(&cbo->tor, socket_param(s, PARAM_CBO_TOR));
	places_init(&cbo->iio_credits, socket_param(s, PARAM_CBO_IIO_CREDITS));
	s->llcs[number] = &cbo->llc;
	cbo->visits = visits_new(cbo->bank, sizeof(struct cbo_visit));
	cbo->reads = cbo_reads_new();
	if (cbo->visits && cbo->reads && !init_tags(cbo) &&
	    copies_init(s, &cbo->llc) &&
	    (!ep->kind->init || ep->kind->init(cbo))) {
		/* Credits of bridges are told by the ring. */
		sig_drives(cbo->bank, 0, SIG_CBO_SBO_CREDITS_ACQUIRED_AD);
		sig_drives(cbo->bank, SIG_CBO_MISC_CVZERO_PREFETCH_VICTIM, 2);
		sig_set(cbo->bank, SIG_CBO_CLOCKTICKS, 1);
		return cbo;
	}
	cbo_free(cbo);
	return NULL;
}

void cbo_free(struct cbo *cbo)
{
	if (!cbo)
		return;
	llc_fini(&cbo->llc);
	free(cbo->held);
	free(cbo->reads);
	free(cbo);
}

/* The pipeline */

static struct places *rtids_of(const struct cbo_job *job)
{
	return ha_rtids(ep_agent(job->cbo->ep, job->home), job->cbo->node);
}

/* The read whose entry of the TOR has to be known next, if in some cycle it
 * matters when that ends; or NULL. */
static struct cbo_read *to_hurry(struct cbo_job *job, uint64_t at)
{
	struct cbo *cbo = job->cbo;
	uint64_t now = engine_now(&cbo->ep->engine), busy;
	struct cbo_read *first = NULL;

	for (busy = lines_find(&cbo->lines, job->line, at); busy;
	     busy &= busy - 1)
		if (cbo->waiting[__builtin_ctzll(busy)])
			return cbo->waiting[__builtin_ctzll(busy)];
	if (places_from(&cbo->tor, now, at) != PLACES_NEVER)
		return NULL;
	for (unsigned i = 0; i < cbo->tor.num && !first; i++)
		first = cbo->waiting[i];
	return first;
}

/* Why the request cannot go on in a cycle, and when it is worth a try again. */
static enum cbo_retry refusal(struct cbo_job *job, uint64_t at, uint64_t *again)
{
	struct cbo *cbo = job->cbo;
	uint64_t now = engine_now(&cbo->ep->engine), busy;
	struct cbo_read *read;

	if (job->needs_home)
		ha_hurry(ep_agent(cbo->ep, job->home), cbo->node, at);
	while ((read = to_hurry(job, at)) != NULL)
		cbo_hurry(read);
	*again = places_from(&cbo->tor, now, at);
	if (*again > at)
		return RETRY_FULL;
	busy = lines_find(&cbo->lines, job->line, at);
	if (busy) {
		*again = cbo->lines.until[__builtin_ctzll(busy)];
		return RETRY_ADDR_CONFLICT;
	}
	if (!job->needs_home && job->queue != QUEUE_IPQ)
		return RETRY_NONE;
	*again = job->needs_home ? places_from(rtids_of(job), now, at) : at;
	if (*again > at)
		return RETRY_RTID;
	if (job->home.socket == cbo->index)
		return RETRY_NONE;
	*again = qll_room_from(
		cbo->ep, cbo->index,
		ep_route(cbo->ep, cbo->index, job->home.socket, job->line),
		PACKET_HOM, at);
	return *again > at ? RETRY_QPI_CREDITS : RETRY_NONE;
}

void cbo_count_retry(const struct cbo_job *job, unsigned queue,
		     enum cbo_retry why, uint64_t at)
{
	static const uint16_t any[] = { SIG_CBO_RXR_IRQ_RETRY_ANY,
					SIG_CBO_RXR_IRQ_RETRY_ANY,
					SIG_CBO_RXR_IPQ_RETRY_ANY,
					SIG_CBO_RXR_ISMQ_RETRY_ANY };
	static const uint16_t reasons[][6] = {
		[QUEUE_IRQ] = { 0, SIG_CBO_RXR_IRQ_RETRY_FULL,
				SIG_CBO_RXR_IRQ_RETRY_ADDR_CONFLICT,
				SIG_CBO_RXR_IRQ_RETRY_RTID,
				SIG_CBO_RXR_IRQ_RETRY_QPI_CREDITS },
		[QUEUE_VFIFO] = { 0, SIG_CBO_RXR_IRQ_RETRY_FULL,
				  SIG_CBO_RXR_IRQ_RETRY_ADDR_CONFLICT },
		[QUEUE_IPQ] = { 0, SIG_CBO_RXR_IPQ_RETRY_FULL,
				SIG_CBO_RXR_IPQ_RETRY_ADDR_CONFLICT, 0,
				SIG_CBO_RXR_IPQ_RETRY_QPI_CREDITS },
		[CBO_NUM_QUEUES] = { 0, SIG_CBO_RXR_ISMQ_RETRY_FULL, 0,
				     SIG_CBO_RXR_ISMQ_RETRY_RTID,
				     SIG_CBO_RXR_ISMQ_RETRY_QPI_CREDITS,
				     SIG_CBO_RXR_ISMQ_RETRY_IIO_CREDITS },
	};

	struct sigbank *bank = job->cbo->bank;

	cbo_tell_retry(job, queue, at);
	sig_later(bank, any[queue], at, 1);
	if (queue == CBO_NUM_QUEUES)
		sig_later(bank, SIG_CBO_RXR_EXT_STARVED_ISMQ_BIDS, at, 1);
	if (reasons[queue][why])
		sig_later(bank, reasons[queue][why], at, 1);
	if (job->cbo->ep->kind->has_home_in_slice && job->thread != UINT8_MAX &&
	    why == RETRY_ADDR_CONFLICT)
		sig_later(bank, SIG_CHA_RXC_IRQ_PA_MATCH, at, 1);
}

static void enter_tor(struct cbo_job *job)
{
	struct cbo *cbo = job->cbo;
	uint64_t now = engine_now(&cbo->ep->engine), at = job->passed;

	job->tor = places_take(&cbo->tor, now, &at);
	if (job->needs_home)
		job->rtid = places_take(rtids_of(job), now, &at);
}

/* In a queue until a pass goes on; the cycle of its result. */
static inline uint64_t pass_on(struct cbo_job *job, unsigned queue, uint64_t at)
{
	struct cbo *cbo = job->cbo;
	uint64_t start = at, again;
	enum cbo_retry why;

	at = cbo_pass(cbo, start);
	if (at > start + cbo->lookup_cycles)
		cbo_tell_wait(cbo, queue, start, at - cbo->lookup_cycles);
	while ((why = refusal(job, at, &again)) != RETRY_NONE) {
		cbo_count_retry(job, queue, why, at);
		if (!job->rejected)
			job->rejected = at;
		at = cbo_pass(cbo, again);
	}
	if (queue == CBO_NUM_QUEUES && job->rejected)
		sig_span(cbo->bank, SIG_CBO_RXR_EXT_STARVED_ISMQ, job->rejected,
			 at, 1);
	return at;
}

void cbo_take(struct cbo_job *job, uint64_t at)
{
	struct cbo *cbo = job->cbo;
	struct places *queue = &cbo->queues[job->queue];
	uint64_t now = engine_now(&cbo->ep->engine), from = at;

	if (!cbo->ep->engine.is_quick)
		job->place = places_take(queue, now, &at);
	if (at > from)
		cbo_tell_full(cbo, job->queue, from, at);
	job->arrived = job->passed = at;
	job->way = llc_find_at(&cbo->llc, job->spot);
	job->state = cbo->ep->kind->state ? cbo->ep->kind->state(cbo, job->way)
					  : cbo_rds(job->way);
	if (job->queue == QUEUE_IRQ)
		job->needs_home = cbo_needs_home(job);
	if (job->needs_home)
		job->home = ep_home(cbo->ep, job->line);
	if (cbo->ep->engine.is_quick)
		return;
	job->passed = pass_on(job, job->queue, at);
	places_hold(queue, job->place, job->passed);
	enter_tor(job);
}

uint64_t cbo_take_quietly(struct cbo_job *job, uint64_t at)
{
	job->queue = CBO_NUM_QUEUES;
	if (job->cbo->ep->engine.is_quick)
		return job->passed = at;
	job->passed = pass_on(job, CBO_NUM_QUEUES, at);
	enter_tor(job);
	return job->passed;
}

void cbo_wait(struct cbo_job *job, struct cbo_read *read)
{
	struct cbo *cbo = job->cbo;

	lines_put(&cbo->lines, job->tor, job->line, SIM_NEVER);
	cbo->waiting[job->tor] = read;
}

static uint64_t leave_tor(const struct cbo_job *job, uint64_t until,
			  uint64_t home_done)
{
	struct cbo *cbo = job->cbo;

	until = sim_later(until, job->passed + 1);
	places_hold(&cbo->tor, job->tor, until);
	lines_put(&cbo->lines, job->tor, job->line, until);
	cbo->waiting[job->tor] = NULL;
	if (job->needs_home)
		places_hold(rtids_of(job), job->rtid,
			    sim_later(home_done, job->passed + 1));
	engine_busy_until(&cbo->ep->engine, sim_later(until, home_done));
	return until;
}

/* A part of its record. */
static void tell_part(struct cbo_job *job, uint64_t data_at, uint64_t until)
{
	struct cbo *cbo = job->cbo;
	struct cbo_visit *visit = visits_next(cbo->visits);
	const struct ep_kind *kind = cbo->ep->kind;
	visit_tell_fn *tell = kind->tell_job ? kind->tell_job : cbo_tell_job;

	if (job->is_homes)
		return;
	*visit = (struct cbo_visit){
		.visit = { tell, until },
		.cbo = cbo,
		.arrived = job->arrived,
		.rejected = job->rejected,
		.passed = job->passed,
		.from = job->shown ? job->shown : job->passed,
		.data_at = data_at,
		.until = until,
		.thread = job->thread,
		.state = job->state,
		.queue = job->queue,
		.lookup = job->lookup,
		.is_miss = job->is_miss,
		.is_eviction = job->is_eviction,
		.is_write_back = job->is_write_back,
		.needs_home = job->needs_home,
		.is_drd = job->is_drd,
		.is_first = !job->shown,
		.opcode = kind->opcode ? kind->opcode(job) : job->opcode,
		.home = (uint8_t)job->home.node,
	};
	job->shown = until;
	if (!cbo->ep->engine.is_quick)
		visits_keep(cbo->visits);
	else
		tell(cbo->bank, visit);
}

void cbo_stay(struct cbo_job *job, uint64_t until)
{
	tell_part(job, until, until);
}

void cbo_leave(struct cbo_job *job, uint64_t until, uint64_t home_done)
{
	uint64_t data_at = 0;

	if (job->cbo->ep->engine.is_quick) {
		until = job->passed;
	} else {
		until = leave_tor(job, until, home_done);
		data_at = job->data_at;
	}
	tell_part(job, data_at, until);
}

/* Over the ring */

void cbo_count_snoops(struct cbo *cbo, unsigned cores, int dirty)
{
	uint64_t now = engine_now(&cbo->ep->engine);

	for (; cores; cores &= cores - 1) {
		unsigned core = (unsigned)__builtin_ctz(cores);

		cbo_count_egress(cbo, RING_IV, false, now);
		cbo_count_egress(cbo_beside(cbo, core),
				 (int)core == dirty ? RING_BL : RING_AK, true,
				 now);
	}
}

uint64_t cbo_send_snoops(struct cbo *cbo, unsigned cores, uint64_t at,
			 int dirty)
{
	uint64_t last = at;

	for (; cores; cores &= cores - 1) {
		unsigned core = (unsigned)__builtin_ctz(cores);
		struct cbo *there = cbo_beside(cbo, core);
		bool is_dirty = (int)core == dirty;
		enum ring_kind kind = is_dirty ? RING_BL : RING_AK;
		uint64_t asked =
			cbo_send(cbo, RING_IV, there->stop, at, 1).arrived +
			cbo->socket->cores[core].snoop_cycles +
			(is_dirty ? cbo->idf_cycles : 0);
		struct ring_ride ride = ring_send(
			cbo->ep, cbo->index, kind, there->stop | EP_CORE_SENDS,
			cbo->stop, asked, is_dirty ? 2 : 1);

		cbo_tell_egress(there, kind, true, asked, ride.injected);
		last = sim_later(last, ride.arrived);
	}
	return last;
}

/* Cores */

void cbo_done(struct cbo *cbo, struct core *core, unsigned entry, uint64_t at,
	      bool has_line)
{
	struct cbo *there = cbo_beside(cbo, core->index);
	uint64_t now = engine_now(&cbo->ep->engine);

	if (cbo->ep->engine.is_quick)
		return;
	if (has_line) {
		calendar_forget(&there->intake, now);
		at = calendar_take(&there->intake, now, at, cbo->line_cycles);
	}
	sim_at(cbo->ep->engine.sim, at + core->fill_cycles, core_done, core,
	       entry);
}

static uint16_t opcode_of(const struct core_miss *miss)
{
	switch (miss->request) {
	case REQUEST_PREFETCH_DATA: return OPCODE_PREF_DATA;
	case REQUEST_PREFETCH_OWN: return OPCODE_PREF_RFO;
	case REQUEST_PREFETCH_CODE: return OPCODE_PREF_CODE;
	default: break;
	}
	switch (miss->kind) {
	case UNCORE_ACCESS_READ: return OPCODE_DRD;
	case UNCORE_ACCESS_CODE: return OPCODE_CRD;
	case UNCORE_ACCESS_OWN: return OPCODE_RFO;
	case UNCORE_ACCESS_WRITEBACK: return OPCODE_WB_MTOI;
	case UNCORE_ACCESS_NT_WRITE: return OPCODE_WCILF;
	case UNCORE_ACCESS_NT_PART: return OPCODE_WCIL;
	default: return OPCODE_NONE;
	}
}

static bool sends_line(unsigned kind)
{
	return kind == UNCORE_ACCESS_WRITEBACK || core_streams(kind);
}

/* From the core's stop to its slice. */
static uint64_t ride(struct cbo *from, struct cbo *to, struct core *core,
		     unsigned kind)
{
	uint64_t now = engine_now(&to->ep->engine), arrived;
	struct ring_ride ride =
		ring_send(to->ep, to->index, RING_AD,
			  from->stop | EP_CORE_SENDS, to->stop, now, 1);

	cbo_tell_egress(from, RING_AD, true, now, ride.injected);
	if (!to->ep->engine.is_quick)
		core_leaves_at(core, ride.injected);
	arrived = ride.arrived;
	if (sends_line(kind)) {
		ride = ring_send(to->ep, to->index, RING_BL,
				 from->stop | EP_CORE_SENDS, to->stop, now, 2);
		cbo_tell_egress(from, RING_BL, true, now, ride.injected);
		arrived = sim_later(arrived, ride.arrived);
	}
	return arrived;
}

void cbo_go(struct ep *ep, struct core *core, unsigned entry)
{
	const struct core_miss *miss = &core->misses[entry];
	bool is_write_back = miss->kind == UNCORE_ACCESS_WRITEBACK;
	struct cbo *own = cbo_own(core);
	struct cbo_job *job = &own->reads[entry].job;
	struct llc_spot spot;

	*job = (struct cbo_job){
		.cbo = cbo_of(own, miss->line, &spot),
		.line = miss->line,
		.home.node = ep_range(ep, miss->line)->node,
		.queue = is_write_back ? QUEUE_VFIFO : QUEUE_IRQ,
		.lookup = sends_line(miss->kind)	      ? LOOKUP_WRITE
			  : miss->kind == UNCORE_ACCESS_FLUSH ? LOOKUP_OTHER
							      : LOOKUP_READ,
		.opcode = opcode_of(miss),
		.thread = (uint8_t)(core->index << 1),
		.kind = miss->kind,
		.is_write_back = is_write_back,
		.is_drd = miss->kind == UNCORE_ACCESS_READ,
		.is_clean = miss->is_clean,
		.to_llc = miss->to_llc,
	};
	job->spot = spot;
	if (!ep->engine.is_quick)
		llc_prefetch(&job->cbo->llc, job->spot);
	cbo_take(job, ride(own, job->cbo, core, miss->kind));
	if (job->to_llc)
		cbo_ahead(job, core, entry);
	else if (ep->kind->serve)
		ep->kind->serve(job, core, entry);
	else
		cbo_serve(job, core, entry);
}
