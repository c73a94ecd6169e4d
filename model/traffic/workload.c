/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Built-in workloads while they run: the accesses of their threads and devices,
 * one by one. See workload_parts.h.
 */
#include "model/traffic/workload.h"

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

/* A load that the next step waits for takes as long as the cache that has the
 * line, where that is longer than its instructions do. */
static void wait_for_cache(struct thread *thread, bool is_near)
{
	const struct workload *w = thread->part->workload;
	double spent = thread->part->gap * w->cpi;
	double cycles = is_near ? w->l1_cycles : w->l2_cycles;

	if (cycles > spent)
		thread->stall += (uint32_t)(cycles - spent + 0.5);
}

/* Whether the line of the present step has to be asked for. */
static bool asks(const struct thread *thread, uint64_t line)
{
	const struct privcache_request *first = thread->requests;

	return thread->count && first->line == line && !first->prefetch;
}

static bool advance(struct thread *thread)
{
	const struct part *part = thread->part;
	struct step step = { 0 };
	bool is_near = false;

	if (thread->step == thread->num_steps)
		return false;
	part->pattern->step(part, thread, &step);
	if (step.is_end)
		return false;
	thread->step++;
	thread->gap += part->gap;
	thread->first = 0;
	thread->depends = step.depends;
	thread->target = step.target;
	if (step.kind) {
		thread->count = requests_of(thread, &step);
		return true;
	}
	if (step.depends)
		is_near = privcache_is_near(&thread->cache, step.line);
	thread->cache.prefetchers = uncore_model_prefetchers(
		part->workload->model, thread->core);
	thread->count = privcache_access(&thread->cache, step.line, step.use,
					 CODE + step.code, thread->requests);
	if (step.depends && !asks(thread, step.line))
		wait_for_cache(thread, is_near);
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
	};
	thread->gap = 0;
	thread->stall -= stall;
	return 1;
}

static int next(void *context, unsigned core, struct uncore_access *access)
{
	struct workload *workload = context;
	struct thread *thread = workload->thread_of[core];
	const struct privcache_request *request;

	if (!thread)
		return 0;
	while (thread->first == thread->count) {
		if (thread->gap + thread->stall >= thread->part->patience)
			return pass_time(thread, access);
		if (!advance(thread)) {
			thread->has_ended = true;
			return 0;
		}
	}
	if (thread->stall)
		return pass_time(thread, access);
	request = &thread->requests[thread->first++];
	*access = (struct uncore_access){
		.line = request->line,
		.kind = request->kind,
		.gap = thread->gap,
		.depends = request->prefetch != UNCORE_PREFETCH &&
			   thread->depends,
		.target = thread->target,
		.prefetch = request->prefetch,
	};
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
					    .is_parallel = true };
	for (unsigned hub = 0; hub < workload->num_hubs; hub++)
		if (workload->num_devices[hub])
			traffic->next_io = next_io;
}
