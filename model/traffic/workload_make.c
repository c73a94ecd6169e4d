/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Built-in workloads are made: from the text to threads on cores and devices
 * behind hubs.
 *
 * Each thread's data lie in the memory of its core's node (or of that which
 * `node` names), shared data in that of the first thread; the data
 * of a part of the workload lie behind those of the parts before it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "model/model.h"
#include "model/traffic/workload_parts.h"
#include "uncore/error.h"

static const struct pattern *const lists[] = { workload_memory, workload_share,
					       workload_io };
enum { LINES_PER_FRAME = 64, ENTRIES_PER_TABLE = 512 };
/* Of core.prefetch, and the value of core.tlb, that leave us out. */
enum { NOT_BUILT_IN = PREFETCH_ALL + 1, TLB_NOT_BUILT_IN = 3 };
enum { NUM_LISTS = sizeof(lists) / sizeof(lists[0]) };

static const struct pattern *pattern_at(size_t index)
{
	for (unsigned i = 0; i < NUM_LISTS; i++)
		for (const struct pattern *p = lists[i]; p->name; p++)
			if (!index--)
				return p;
	return NULL;
}

bool uncore_model_workload(size_t index, const char **name, const char **help)
{
	const struct pattern *pattern = pattern_at(index);

	if (!pattern)
		return false;
	*name = pattern->name;
	*help = pattern->help;
	return true;
}

static char *check_data(const struct part *p)
{
	uint64_t memory = p->workload->node_lines * 64;
	uint64_t lines = p->size_bytes / 64;

	if (p->size_bytes > memory / 2)
		return text_format("size: at most half of a node's memory, "
				   "%llu bytes",
				   (unsigned long long)memory / 2);
	if (p->offset_bytes > (int64_t)(memory / 2))
		return text_format("offset: at most half of a node's memory, "
				   "%llu bytes",
				   (unsigned long long)memory / 2);
	if (p->stride_bytes < 64 || p->stride_bytes % 64)
		return text_format("stride: a multiple of 64 bytes");
	if (!p->is_shared && p->num_threads)
		lines /= p->num_threads;
	if (lines < workload_arrays(p) * (p->stride_bytes / 64) &&
	    p->pattern->num_steps)
		return text_format("size: too small for %u threads",
				   p->num_threads);
	return NULL;
}

static char *check(const struct part *p)
{
	const struct workload *w = p->workload;

	if (p->num_threads > w->num_cores)
		return text_format("threads=%u: the machine has %u cores",
				   p->num_threads, w->num_cores);
	if (p->pattern->step && !p->num_threads)
		return text_format("threads=0: at least one thread has to run");
	if (p->num_threads && !p->pattern->step)
		return text_format("threads=%u: %s has no threads",
				   p->num_threads, p->pattern->name);
	if (p->node >= (int)w->num_nodes)
		return text_format("node=%d: the machine has %u nodes, from 0 "
				   "on",
				   p->node, w->num_nodes);
	if (p->cpu >= w->num_cores)
		return text_format("cpu=%u: the machine has %u cores", p->cpu,
				   w->num_cores);
	if (p->pattern->device && !w->num_hubs)
		return text_format("the machine has no I/O hubs");
	if (p->hub >= (int)w->num_hubs)
		return text_format("hub=%d: the machine has %u I/O hubs",
				   p->hub, w->num_hubs);
	if (p->write_percent > 100)
		return text_format("write: a percentage, 0 to 100");
	if ((p->port || p->peer) && !workload_has_ports(p))
		return text_format("port, to: of dma (to: with op=mix, read or "
				   "write; neither: of interrupts) and of io "
				   "(port alone, of a hub's device)");
	return check_data(p);
}

static const struct pattern *find_pattern(const char *name)
{
	const struct pattern *pattern;

	for (size_t i = 0; (pattern = pattern_at(i)); i++)
		if (!strcasecmp(pattern->name, name))
			return pattern;
	return NULL;
}

static char *no_such_pattern(const char *name)
{
	const struct pattern *pattern;
	char names[512] = "";

	for (size_t i = 0; (pattern = pattern_at(i)); i++) {
		if (i)
			strcat(names, pattern_at(i + 1) ? ", " : " and ");
		strcat(names, pattern->name);
	}
	return text_format("there is no workload '%s'; there are %s", name,
			   names);
}

static void set_defaults(struct part *part, const struct pattern *pattern,
			 const struct uncore_model *model)
{
	part->pattern = pattern;
	part->num_threads = pattern->num_threads;
	part->size_bytes = pattern->size_bytes;
	part->offset_bytes = -1;
	part->count = pattern->count ? pattern->count : 100000;
	part->passes = 1;
	part->seed = (uint64_t)model->param[PARAM_SEED];
	part->stride_bytes = 64;
	part->gap = pattern->gap ? pattern->gap : 16;
	part->node = part->hub = part->target = -1;
	part->is_shared = pattern->is_shared;
	part->scatter = pattern->is_spread;
}

/* One part, "NAME:key=value,..."; the text is written to. */
static char *add_part(struct workload *w, const struct uncore_model *model,
		      char *text)
{
	struct part *part = &w->parts[w->num_parts];
	char *keys = strchr(text, ':');
	const struct pattern *pattern;
	char *problem = NULL;

	if (w->num_parts == WORKLOAD_MAX_PARTS)
		return text_format("more than %d workloads at once",
				   WORKLOAD_MAX_PARTS);
	if (keys)
		*keys++ = '\0';
	pattern = find_pattern(text);
	if (!pattern)
		return no_such_pattern(text);
	part->workload = w;
	set_defaults(part, pattern, model);
	w->num_parts++;
	if (keys)
		problem = workload_keys(part, keys);
	if (!problem)
		problem = check(part);
	part->num_arrays = workload_arrays(part);
	part->round_steps = part->op ? 0 : pattern->round_steps;
	part->patience = part->is_shared ? part->gap : part->gap * 64;
	if (!part->patience)
		part->patience = 1;
	if (part->round_steps)
		part->patience = 0;
	return problem;
}

static char *add_parts(struct workload *w, const struct uncore_model *model,
		       char *text)
{
	unsigned threads = 0;
	char *end;

	for (; text; text = end) {
		char *problem;

		end = strchr(text, '+');
		if (end)
			*end++ = '\0';
		problem = add_part(w, model, text);
		if (problem)
			return problem;
	}
	for (unsigned i = 0; i < w->num_parts; i++)
		threads += w->parts[i].num_threads;
	if (threads > w->num_cores)
		return text_format("%u threads together: the machine has %u "
				   "cores",
				   threads, w->num_cores);
	w->threads = calloc(threads + 1, sizeof(*w->threads));
	w->thread_of = calloc(w->num_cores, sizeof(*w->thread_of));
	return w->threads && w->thread_of ? NULL : text_format("out of memory");
}

/* The next core without a thread: one after the other, or on all nodes in turn.
 */
static unsigned free_core(const struct workload *w, bool scatter, unsigned from)
{
	for (unsigned i = from;; i++) {
		unsigned core = i % w->num_cores;

		if (scatter)
			core = i % w->num_nodes * w->cores_per_node +
			       i / w->num_nodes % w->cores_per_node;
		if (!w->thread_of[core])
			return core;
	}
}

static uint64_t first_line(const struct part *part, unsigned node,
			   uint64_t behind)
{
	uint64_t offset = part->offset_bytes >= 0
				  ? (uint64_t)part->offset_bytes / 64
				  : behind;

	return node * part->workload->node_lines + offset;
}

/* Gives each thread its core and its part of the data. */
static void place_threads(struct part *part, struct workload *w,
			  const struct uncore_model *model, uint64_t behind)
{
	unsigned home_core = 0;

	for (unsigned i = 0; i < part->num_threads; i++) {
		struct thread *thread = &part->threads[i];
		unsigned core = free_core(w, part->scatter, part->cpu + i);
		unsigned from, node;

		home_core = i ? home_core : core;
		from = part->is_shared ? home_core : core;
		node = part->node >= 0 ? (unsigned)part->node
				       : from / w->cores_per_node;
		w->thread_of[core] = thread;
		thread->part = part;
		thread->number = i;
		thread->core = core;
		if (!((unsigned)model->param[PARAM_CORE_PREFETCH] &
		      NOT_BUILT_IN))
			thread->prefetchers =
				&model->sockets[core / w->cores_per_socket]
					 ->cores[core % w->cores_per_socket]
					 .prefetchers;
		thread->cache.queue = w->queue;
		thread->cache.shape = w->caches;
		thread->lines = part->size_bytes / 64;
		if (!part->is_shared)
			thread->lines /= part->num_threads;
		thread->array_lines = thread->lines / part->num_arrays;
		thread->pass_steps = thread->array_lines /
				     (part->stride_bytes / 64) *
				     part->num_arrays;
		thread->base = first_line(part, node, behind);
		if (!part->is_shared)
			thread->base += i * thread->lines;
		if (part->pattern->num_steps)
			thread->num_steps =
				part->pattern->num_steps(part, thread->lines);
	}
}

/* Each hub has one device of the part, and all have a share of the data. */
static void place_devices(const struct part *part, struct workload *w,
			  uint64_t behind)
{
	unsigned num = part->hub >= 0 ? 1 : w->num_hubs;

	for (unsigned hub = 0; hub < w->num_hubs; hub++) {
		struct device *device = &w->devices[hub][w->num_devices[hub]];
		unsigned node = part->node >= 0
					? (unsigned)part->node
					: hub * (w->num_nodes / w->num_sockets);

		if (part->hub >= 0 && (unsigned)part->hub != hub)
			continue;
		device->part = part;
		device->hub = hub;
		device->number = part->hub >= 0 ? 0 : hub;
		device->lines = part->size_bytes / 64 / num;
		device->lines += !device->lines;
		device->base = first_line(part, node, behind) +
			       device->number * device->lines;
		device->num_steps =
			part->pattern->num_steps(part, device->lines);
		w->num_devices[hub]++;
	}
}

static void place(struct workload *w, const struct uncore_model *model)
{
	struct thread *threads = w->threads;
	uint64_t behind = 0;

	for (unsigned i = 0; i < w->num_parts; i++) {
		struct part *part = &w->parts[i];

		part->threads = threads;
		threads += part->num_threads;
		place_threads(part, w, model, behind);
		if (part->pattern->device)
			place_devices(part, w, behind);
		behind += (part->size_bytes + 63) / 64;
	}
}

static unsigned hubs_of(const struct uncore_model *model)
{
	unsigned num = (unsigned)(model->param[PARAM_IO_HUBS] + 0.5);

	if (model->num_sockets > WORKLOAD_MAX_HUBS)
		return 0;
	return num < model->num_sockets ? num : model->num_sockets;
}

static void end(void *context)
{
	struct workload *workload = context;

	if (!workload)
		return;
	free(workload->threads);
	free(workload->thread_of);
	free(workload);
}

static struct workload *make(const struct uncore_model *model, const char *spec,
			     char **error)
{
	struct workload *w = calloc(1, sizeof(*w));
	char *text = strdup(spec);
	char *problem;

	if (w && text) {
		w->cores_per_socket = uncore_model_cores(model);
		w->num_sockets = uncore_model_sockets(model);
		w->num_cores = w->cores_per_socket * w->num_sockets;
		w->num_hubs = hubs_of(model);
		w->num_stacks = model->sockets[0]->num_stacks;
		w->num_nodes =
			w->num_sockets * socket_numa_nodes(model->sockets[0]);
		w->cores_per_node = w->num_cores / w->num_nodes;
		w->memory_lines =
			w->num_sockets * uncore_model_memory_lines(model, 0);
		w->node_lines = w->memory_lines / w->num_nodes;
		w->cpi = core_cpi(model->param);
		w->l1_cycles = (unsigned)model->param[PARAM_CORE_L1_CYCLES];
		w->l2_cycles = (unsigned)model->param[PARAM_CORE_L2_CYCLES];
		w->stlb_cycles = (unsigned)model->param[PARAM_CORE_STLB_CYCLES];
		w->tlb = (unsigned)model->param[PARAM_CORE_TLB];
		if (w->tlb == TLB_NOT_BUILT_IN)
			w->tlb = 0;
		w->queue = core_queue(model->param);
		w->caches = core_caches(model->param);
		w->table_frames =
			w->node_lines / LINES_PER_FRAME / ENTRIES_PER_TABLE;
		problem = add_parts(w, model, text);
	} else {
		problem = text_format("out of memory");
	}
	free(text);
	if (problem) {
		end(w);
		text_give(error, problem);
		return NULL;
	}
	place(w, model);
	return w;
}

int uncore_model_set_workload(struct uncore_model *model, const char *spec,
			      char **error)
{
	struct uncore_traffic traffic;
	struct workload *workload = make(model, spec, error);

	if (!workload)
		return UNCORE_ERR_BAD_WORKLOAD;
	workload_traffic(workload, &traffic);
	uncore_model_set_traffic(model, &traffic);
	model->end_traffic = end;
	return 0;
}
