/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Built-in workloads while they run: the accesses of their threads and devices,
 * one by one. See workload_parts.h.
 */
#include "model/traffic/workload_parts.h"

/* Where the instructions of the patterns are, for the prefetchers. */
enum { CODE = 1 };

/* The requests of a step that does not pass the private caches as a load or a
 * store. What the step takes out of all caches leaves the private ones first;
 * a lock stores to its line, and the model does the OWN of it. */
static unsigned requests_of(struct thread *thread, const struct step *step)
{
	struct privcache_request *out = thread->requests;
	unsigned num = 0;

	switch (step->kind) {
	case UNCORE_ACCESS_FLUSH:
	case UNCORE_ACCESS_NT_WRITE:
	case UNCORE_ACCESS_NT_PART:
	case UNCORE_ACCESS_WRITEBACK:
		if (privcache_invalidate(&thread->cache, step->line, false))
			out[num++] = (struct privcache_request){
				.line = step->line,
				.kind = UNCORE_ACCESS_WRITEBACK,
			};
		if (step->kind == UNCORE_ACCESS_WRITEBACK)
			return num;
		break;
	case UNCORE_ACCESS_LOCK:
		num = privcache_access(&thread->cache, step->line,
				       PRIVCACHE_STORE, CODE, out);
		if (num && out[0].line == step->line) {
			out[0].kind = UNCORE_ACCESS_LOCK;
			return num;
		}
		break;
	default: break;
	}
	out[num] = (struct privcache_request){ .line = step->line,
					       .kind = step->kind };
	return num + 1;
}

/* Of a chain of loads each needs the one before: the entries of page tables,
 * and where the step depends on the one before it, that and its line. */
struct chain {
	bool is_open;	 /* the next load waits for what was asked for */
	uint32_t cycles; /* that the caches take */
};

/* A load or store of a step, or of the walk before it. */
static inline void use(struct thread *thread, uint64_t line,
		       enum privcache_use use, uint64_t code,
		       struct chain *chain)
{
	const struct workload *w = thread->part->workload;
	struct privcache_request *out = &thread->requests[thread->count];
	unsigned num = privcache_access(&thread->cache, line, use, code, out);

	privcache_retire(&thread->cache, use);
	if (chain->is_open && num && out->prefetch != UNCORE_PREFETCH)
		thread->waits |= UINT64_C(1) << thread->count;
	if (num && out->line == line && !out->prefetch)
		chain->is_open |= use == PRIVCACHE_WALK;
	else if (chain->is_open)
		chain->cycles += thread->cache.found == PRIVCACHE_IN_L1
					 ? w->l1_cycles
					 : w->l2_cycles;
	thread->count += num;
}

/* The step's address is translated. */
static void translate(struct thread *thread, const struct step *step,
		      struct chain *chain)
{
	const struct workload *w = thread->part->workload;
	uint64_t end = (thread->base / w->node_lines + 1) * w->node_lines / 64;
	unsigned how = (step->use == PRIVCACHE_FETCH ? TLB_CODE : 0) |
		       (w->tlb == 2 ? TLB_LARGE : 0);
	struct tlb_walk walk;
	enum tlb_found found;

	found = tlb_use(&thread->tlb, step->line / 64, how, 0, &walk);
	if (found != TLB_FIRST && step->use == PRIVCACHE_LOAD)
		thread->cache.counts[UNCORE_CORE_DTLB_MISSES]++;
	if (found == TLB_SECOND && chain->is_open)
		chain->cycles += w->stlb_cycles;
	for (unsigned i = 0; i < walk.num; i++) {
		uint64_t frame = tlb_made_up_frame(&walk.loads[i], 0,
						   end - w->table_frames,
						   w->table_frames);
		unsigned first = thread->count;

		use(thread, tlb_address(&walk.loads[i], frame) / 64,
		    PRIVCACHE_WALK, 0, chain);
		if (thread->count != first)
			thread->requests[first].is_walk = true;
	}
}

/* What the next step waits for takes as long as the caches do, where that is
 * longer than its instructions. */
static void wait_for_caches(struct thread *thread, uint32_t cycles)
{
	double spent = thread->part->gap * thread->part->workload->cpi;

	if (cycles <= spent)
		return;
	thread->stall += (uint32_t)(cycles - spent + 0.5);
	thread->stalled += (uint32_t)(cycles - spent + 0.5);
}

/* What the prefetchers have to know of time. */
static void note_time(struct thread *thread, bool is_chained)
{
	struct superqueue *queue = &thread->cache.queue;

	queue->instructions = thread->step * thread->part->gap;
	queue->cycles = (uint64_t)((double)queue->instructions *
				   thread->part->workload->cpi) +
			thread->stalled;
	queue->is_chained = is_chained;
}

/* A step through the private caches. */
static void use_line(struct thread *thread, const struct step *step)
{
	const struct part *part = thread->part;
	struct chain chain = { .is_open = step->depends };

	if (thread->prefetchers) {
		thread->cache.prefetchers = *thread->prefetchers;
		note_time(thread, step->depends);
	}
	if (part->workload->tlb)
		translate(thread, step, &chain);
	use(thread, step->line, step->use, CODE + step->code, &chain);
	if (step->depends && chain.cycles)
		wait_for_caches(thread, chain.cycles);
}

static bool advance(struct thread *thread)
{
	const struct part *part = thread->part;
	struct step step = { 0 };

	if (thread->step == thread->num_steps)
		return false;
	part->pattern->step(part, thread, &step);
	if (step.is_end)
		return false;
	thread->step++;
	thread->gap += part->gap;
	thread->first = thread->count = 0;
	thread->waits = step.kind && step.depends ? UINT64_MAX : 0;
	thread->target = step.target;
	if (step.kind)
		thread->count = requests_of(thread, &step);
	else
		use_line(thread, &step);
	return true;
}

/* Hits in the private caches take time too: others may act meanwhile. */
static int pass_time(struct thread *thread, struct uncore_access *access)
{
	uint32_t stall =
		thread->stall < UINT16_MAX ? thread->stall : UINT16_MAX;

	*access = (struct uncore_access){
		.kind = UNCORE_ACCESS_NONE,
		.gap = thread->gap,
		.target = (uint16_t)stall,
		.depends = stall != 0,
	};
	thread->gap = 0;
	thread->stall -= stall;
	return 1;
}

/* The thread with its turn before this one's is a round ahead, or for the first
 * thread as far. */
static bool has_turn(const struct thread *thread)
{
	const struct part *part = thread->part;
	unsigned before = (thread->number ? thread->number : part->num_threads);

	return part->threads[before - 1].rounds >=
	       thread->rounds + !!thread->number;
}

/* Between two rounds of a thread: the one before has to be over, stores and
 * all, and the others have theirs. Meanwhile time passes; 0: the next round
 * begins. */
static int await_turn(struct thread *thread, struct uncore_access *access)
{
	const struct part *part = thread->part;
	unsigned steps = part->round_steps;

	if (thread->step % steps)
		return 0;
	if (thread->rounds < thread->step / steps && !thread->is_settling) {
		thread->is_settling = true;
		thread->stall++;
		return pass_time(thread, access);
	}
	thread->is_settling = false;
	thread->rounds = thread->step / steps;
	if (thread->step == thread->num_steps || has_turn(thread))
		return 0;
	/* who looks whether it is its turn executes something */
	thread->gap += part->gap ? part->gap : 1;
	return pass_time(thread, access);
}

/* Time passes, or the thread waits for its turn; 0: it has it. */
static __attribute__((noinline)) int show_life(struct thread *thread,
					       struct uncore_access *access)
{
	return thread->part->round_steps ? await_turn(thread, access)
					 : pass_time(thread, access);
}

static int next(void *context, unsigned core, struct uncore_access *access)
{
	struct workload *workload = context;
	struct thread *thread = workload->thread_of[core];
	const struct privcache_request *request;
	unsigned number;

	if (!thread)
		return 0;
	while (thread->first == thread->count) {
		if (thread->gap + thread->stall >= thread->part->patience &&
		    show_life(thread, access))
			return 1;
		if (!advance(thread)) {
			thread->has_ended = true;
			return 0;
		}
	}
	if (thread->stall)
		return pass_time(thread, access);
	number = thread->first++;
	request = &thread->requests[number];
	*access = (struct uncore_access){
		.line = request->line,
		.kind = request->kind,
		.gap = thread->gap,
		.depends = thread->waits >> number & 1,
		.target = thread->target,
		.prefetch = request->prefetch,
		.is_near = request->is_near,
		.is_walk = request->is_walk,
		.is_clean = request->is_clean,
		.to_llc = request->to_llc,
	};
	if (thread->part->round_steps)
		access->waits = request->kind == UNCORE_ACCESS_OWN;
	thread->gap = 0;
	return 1;
}

static bool invalidate(void *context, unsigned core, uint64_t line,
		       bool downgrade)
{
	struct workload *workload = context;
	struct thread *thread = workload->thread_of[core];

	return thread && privcache_invalidate(&thread->cache, line, downgrade);
}

static const uint64_t *counts(void *context, unsigned core)
{
	static const uint64_t none[UNCORE_NUM_CORE_COUNTS];
	struct workload *workload = context;
	struct thread *thread = workload->thread_of[core];

	return thread ? thread->cache.counts : none;
}

/* Of the devices of a hub the one that has done least goes on. */
static int next_io(void *context, unsigned hub, struct uncore_access *access)
{
	struct workload *workload = context;
	struct device *device = NULL;
	struct step step = { 0 };

	for (unsigned i = 0; i < workload->num_devices[hub]; i++) {
		struct device *other = &workload->devices[hub][i];

		if (other->step < other->num_steps &&
		    (!device || other->step < device->step))
			device = other;
	}
	if (!device)
		return 0;
	device->part->pattern->device(device->part, device, &step);
	device->step++;
	*access = (struct uncore_access){
		.line = step.line,
		.kind = step.kind,
		.gap = device->part->gap,
		.target = step.target,
	};
	return 1;
}

void workload_traffic(struct workload *workload, struct uncore_traffic *traffic)
{
	*traffic = (struct uncore_traffic){ .context = workload,
					    .next = next,
					    .invalidate = invalidate,
					    .counts = counts,
					    .tells = UINT32_MAX };

	if (!workload->tlb)
		traffic->tells &= ~(UINT32_C(1) << UNCORE_CORE_DTLB_MISSES);
	for (unsigned hub = 0; hub < workload->num_hubs; hub++)
		if (workload->num_devices[hub])
			traffic->next_io = next_io;
}
