/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Built-in workloads. A pattern is one function: given a thread and the number
 * of the step, which line it uses and how. All random choices come from a
 * counter-based generator, so a step does not depend on who asked before: the
 * same seed gives the same traffic whatever the order of asking.
 *
 * Each thread's data lie in the memory of the socket of its core (or of the
 * socket that `node` names), shared data in that of the first thread.
 */
#include "model/traffic/workload.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/box/privcache.h"
#include "model/model.h"

enum op { OP_READ, OP_WRITE, OP_COPY, OP_TRIAD };

struct thread {
	struct privcache cache;
	struct privcache_request requests[PRIVCACHE_MAX_REQUESTS];
	unsigned first, count; /* of the requests not yet handed over */
	uint64_t step, num_steps;
	uint64_t base; /* first line of its data */
	uint64_t lines;
	uint32_t gap; /* instructions not yet told */
	bool depends;
};

struct step {
	uint64_t line;
	enum privcache_use use;
	bool depends;
};

struct pattern {
	const char *name;
	const char *help;
	void (*step)(const struct workload *workload,
		     const struct thread *thread, unsigned number,
		     struct step *step);
	/* Steps of a thread, when all is set. */
	uint64_t (*num_steps)(const struct workload *workload,
			      const struct thread *thread);
	bool is_shared; /* as struct workload's */
	unsigned default_threads;
	uint64_t default_size_bytes;
};

struct workload {
	const struct pattern *pattern;
	unsigned num_threads, num_cores, cores_per_socket, num_sockets;
	uint64_t size_bytes, count, passes, seed, stride_bytes;
	uint32_t gap;
	uint32_t patience; /* instructions between two signs of life */
	unsigned write_percent;
	enum op op;
	bool scatter;
	bool is_shared; /* all threads use the same lines */
	int node;	/* -1: the socket of the thread */
	struct thread *threads;
	unsigned *thread_of; /* per core: thread number + 1, 0 none */
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint64_t random_at(const struct workload *workload, unsigned thread,
			  uint64_t step)
{
	return mix(workload->seed * UINT64_C(0x9e3779b97f4a7c15) +
		   mix((uint64_t)thread << 56 ^ step));
}

/* Patterns */

static unsigned arrays(enum op op)
{
	return op == OP_TRIAD ? 3 : op == OP_COPY ? 2 : 1;
}

/* Arrays side by side: a[i] = b[i] + s * c[i] reads c and b, writes a. */
static void stream_step(const struct workload *w, const struct thread *thread,
			unsigned number, struct step *step)
{
	unsigned num = arrays(w->op);
	uint64_t stride = w->stride_bytes / 64;
	uint64_t part = thread->lines / num;
	uint64_t in_pass = thread->step % (part / stride * num);
	unsigned array = num - 1 - (unsigned)(in_pass % num);

	(void)number;
	step->line = thread->base + array * part + in_pass / num * stride;
	step->use = (w->op != OP_READ && array == 0) ? PRIVCACHE_STORE
						     : PRIVCACHE_LOAD;
}

static uint64_t stream_steps(const struct workload *w,
			     const struct thread *thread)
{
	unsigned num = arrays(w->op);

	return thread->lines / num / (w->stride_bytes / 64) * num * w->passes;
}

static void random_step(const struct workload *w, const struct thread *thread,
			unsigned number, struct step *step)
{
	uint64_t random = random_at(w, number, thread->step);

	step->line = thread->base + (random >> 8) % thread->lines;
	step->use = (random & 0xff) * 100 < w->write_percent * 256
			    ? PRIVCACHE_STORE
			    : PRIVCACHE_LOAD;
}

static uint64_t counted_steps(const struct workload *w,
			      const struct thread *thread)
{
	(void)thread;
	return w->count;
}

/* A cycle through all lines in an order without a stride: a full-period linear
 * congruential generator over the next power of two, skipping what lies
 * outside. The next place is found from the number of the step alone. */
static uint64_t chase_place(const struct workload *w, uint64_t lines,
			    uint64_t step)
{
	unsigned bits = 1;
	uint64_t x = step % lines, mask;

	while (UINT64_C(1) << bits < lines)
		bits++;
	mask = (UINT64_C(1) << bits) - 1;
	do { /* a bijection of the power of two, walked until inside */
		x = (x * UINT64_C(0x5851f42d4c957f2d) + w->seed * 2 + 1) & mask;
		x ^= x >> (bits + 1) / 2;
		x = (x * UINT64_C(0xd1342543de82ef95)) & mask;
		x ^= x >> (bits + 1) / 2;
	} while (x >= lines);
	return x;
}

static void chase_step(const struct workload *w, const struct thread *thread,
		       unsigned number, struct step *step)
{
	(void)number;
	step->line = thread->base + chase_place(w, thread->lines, thread->step);
	step->use = PRIVCACHE_LOAD;
	step->depends = true;
}

static uint64_t chase_steps(const struct workload *w,
			    const struct thread *thread)
{
	return w->count ? w->count : thread->lines * w->passes;
}

static void pingpong_step(const struct workload *w, const struct thread *thread,
			  unsigned number, struct step *step)
{
	(void)w, (void)number;
	step->line = thread->base + thread->step / 2 % thread->lines;
	step->use = thread->step % 2 ? PRIVCACHE_STORE : PRIVCACHE_LOAD;
	step->depends = true;
}

static uint64_t pingpong_steps(const struct workload *w,
			       const struct thread *thread)
{
	(void)thread;
	return w->count * 2;
}

static void readshared_step(const struct workload *w,
			    const struct thread *thread, unsigned number,
			    struct step *step)
{
	(void)w, (void)number;
	step->line = thread->base + thread->step % thread->lines;
	step->use = PRIVCACHE_LOAD;
}

static uint64_t readshared_steps(const struct workload *w,
				 const struct thread *thread)
{
	return thread->lines * w->passes;
}

static const struct pattern patterns[] = {
	{ "idle", "nothing runs; refresh and scrubbing go on", NULL, NULL,
	  false, 0, 64 },
	{ "stream",
	  "threads walk their parts of `size` bytes in order; op=triad, copy, "
	  "write or read; stride, passes",
	  stream_step, stream_steps, false, 1, 64 << 20 },
	{ "random",
	  "threads use random lines of their parts of `size` bytes (shared=1: "
	  "all use all of them); count, write (percent)",
	  random_step, counted_steps, false, 1, 64 << 20 },
	{ "chase",
	  "each thread follows pointers through all lines of its part of "
	  "`size` bytes, one at a time; count or passes",
	  chase_step, chase_steps, false, 1, 64 << 20 },
	{ "pingpong",
	  "threads read and write the same lines in turn (size=64: one line); "
	  "count",
	  pingpong_step, pingpong_steps, true, 2, 64 },
	{ "readshared", "threads read the same `size` bytes; passes",
	  readshared_step, readshared_steps, true, 2, 4 << 20 },
};

enum { NUM_PATTERNS = sizeof(patterns) / sizeof(patterns[0]) };

bool workload_describe(size_t index, const char **name, const char **help)
{
	if (index >= NUM_PATTERNS)
		return false;
	*name = patterns[index].name;
	*help = patterns[index].help;
	return true;
}

/* Traffic */

static bool advance(const struct workload *workload, unsigned number,
		    struct thread *thread)
{
	struct step step = { 0 };

	if (thread->step == thread->num_steps)
		return false;
	workload->pattern->step(workload, thread, number, &step);
	thread->step++;
	thread->gap += workload->gap;
	thread->first = 0;
	thread->depends = step.depends;
	thread->count = privcache_access(&thread->cache, step.line, step.use,
					 thread->requests);
	return true;
}

/* Hits in the private caches take time too: others may act meanwhile. */
static int pass_time(struct thread *thread, struct uncore_access *access)
{
	*access = (struct uncore_access){
		.kind = UNCORE_ACCESS_NONE,
		.gap = thread->gap,
	};
	thread->gap = 0;
	return 1;
}

static int next(void *context, unsigned core, struct uncore_access *access)
{
	struct workload *workload = context;
	unsigned number = workload->thread_of[core];
	struct thread *thread;
	const struct privcache_request *request;

	if (!number)
		return 0;
	thread = &workload->threads[number - 1];
	while (thread->first == thread->count) {
		if (thread->gap >= workload->patience)
			return pass_time(thread, access);
		if (!advance(workload, number - 1, thread))
			return 0;
	}
	request = &thread->requests[thread->first++];
	*access = (struct uncore_access){
		.line = request->line,
		.kind = request->kind,
		.gap = thread->gap,
		.depends = thread->depends,
	};
	thread->gap = 0;
	return 1;
}

static bool invalidate(void *context, unsigned core, uint64_t line,
		       bool downgrade)
{
	struct workload *workload = context;
	unsigned number = workload->thread_of[core];

	return number &&
	       privcache_invalidate(&workload->threads[number - 1].cache, line,
				    downgrade);
}

void workload_traffic(struct workload *workload, struct uncore_traffic *traffic)
{
	*traffic = (struct uncore_traffic){ .context = workload,
					    .next = next,
					    .invalidate = invalidate,
					    .is_parallel = true };
}

/* Reading the text */

static bool parse_number(const char *text, uint64_t *value)
{
	static const char suffixes[] = "kmgt";
	char *end;
	const char *found;

	if (!isdigit((unsigned char)*text))
		return false;
	*value = strtoull(text, &end, 0);
	if (!*end)
		return true;
	found = strchr(suffixes, tolower((unsigned char)*end));
	if (!found || end[1])
		return false;
	*value <<= 10 * (found - suffixes + 1);
	return true;
}

static bool parse_op(const char *text, enum op *op)
{
	static const char *const names[] = { "read", "write", "copy", "triad" };

	for (unsigned i = 0; i < 4; i++)
		if (!strcasecmp(text, names[i])) {
			*op = i;
			return true;
		}
	return false;
}

/* Sets one key; a sentence when it cannot be. */
static char *set_key(struct workload *w, const char *key, const char *value)
{
	uint64_t number = 0;
	bool is_number = parse_number(value, &number);

	if (!strcasecmp(key, "op"))
		return parse_op(value, &w->op)
			       ? NULL
			       : model_error(
					 "op=%s: it is read, write, copy or "
					 "triad",
					 value);
	if (!strcasecmp(key, "place")) {
		w->scatter = !strcasecmp(value, "scatter");
		return w->scatter || !strcasecmp(value, "compact")
			       ? NULL
			       : model_error(
					 "place=%s: it is compact or scatter",
					 value);
	}
	if (!is_number)
		return model_error("%s=%s: not a number (64, 4k, 64M, 1G)", key,
				   value);
	if (!strcasecmp(key, "threads"))
		w->num_threads = (unsigned)(number < 100000 ? number : 100000);
	else if (!strcasecmp(key, "size"))
		w->size_bytes = number;
	else if (!strcasecmp(key, "count"))
		w->count = number;
	else if (!strcasecmp(key, "passes"))
		w->passes = number;
	else if (!strcasecmp(key, "seed"))
		w->seed = number;
	else if (!strcasecmp(key, "stride"))
		w->stride_bytes = number;
	else if (!strcasecmp(key, "gap"))
		w->gap = (uint32_t)(number < 1000000 ? number : 1000000);
	else if (!strcasecmp(key, "write"))
		w->write_percent = (unsigned)(number < 1000 ? number : 1000);
	else if (!strcasecmp(key, "shared"))
		w->is_shared = number != 0;
	else if (!strcasecmp(key, "node"))
		w->node = (int)(number < 1000 ? number : 1000);
	else
		return model_error("there is no key '%s'; there are threads, "
				   "size, count, passes, seed, stride, gap, "
				   "write, shared, op, node and place",
				   key);
	return NULL;
}

static char *parse_keys(struct workload *workload, char *text)
{
	char *save = NULL;

	for (char *word = strtok_r(text, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		char *value = strchr(word, '=');
		char *problem;

		if (!value)
			return model_error("'%s' is no key=value", word);
		*value++ = '\0';
		problem = set_key(workload, word, value);
		if (problem)
			return problem;
	}
	return NULL;
}

static char *check(const struct workload *w, const struct uncore_model *model)
{
	uint64_t memory = uncore_model_memory_lines(model, 0) * 64;
	uint64_t lines = w->size_bytes / 64;

	if (w->num_threads > w->num_cores)
		return model_error("threads=%u: the machine has %u cores",
				   w->num_threads, w->num_cores);
	if (w->pattern->step && !w->num_threads)
		return model_error("threads=0: at least one thread has to run");
	if (w->node >= (int)w->num_sockets)
		return model_error("node=%d: the machine has %u sockets",
				   w->node, w->num_sockets);
	if (w->size_bytes > memory / 2)
		return model_error("size: at most half of a socket's memory, "
				   "%llu bytes",
				   (unsigned long long)memory / 2);
	if (!w->is_shared && w->num_threads)
		lines /= w->num_threads;
	if (w->pattern->step && lines < arrays(w->op) * (w->stride_bytes / 64))
		return model_error("size: too small for %u threads",
				   w->num_threads);
	if (w->stride_bytes < 64 || w->stride_bytes % 64)
		return model_error("stride: a multiple of 64 bytes");
	if (w->write_percent > 100)
		return model_error("write: a percentage, 0 to 100");
	return NULL;
}

static unsigned core_of(const struct workload *w, unsigned thread)
{
	if (!w->scatter)
		return thread;
	return thread % w->num_sockets * w->cores_per_socket +
	       thread / w->num_sockets;
}

/* Gives each thread its core and its part of the data. */
static void place_threads(struct workload *w, const struct uncore_model *model)
{
	unsigned home_core = w->num_threads ? core_of(w, 0) : 0;

	for (unsigned i = 0; i < w->num_threads; i++) {
		struct thread *thread = &w->threads[i];
		unsigned core = core_of(w, i);
		unsigned from = w->is_shared ? home_core : core;
		unsigned socket = w->node >= 0 ? (unsigned)w->node
					       : from / w->cores_per_socket;

		w->thread_of[core] = i + 1;
		thread->lines = w->size_bytes / 64;
		if (!w->is_shared)
			thread->lines /= w->num_threads;
		thread->base = uncore_model_memory_first_line(model, socket);
		if (!w->is_shared)
			thread->base += i * thread->lines;
		if (w->pattern->num_steps)
			thread->num_steps = w->pattern->num_steps(w, thread);
	}
}

static const struct pattern *find_pattern(const char *name)
{
	for (unsigned i = 0; i < NUM_PATTERNS; i++)
		if (!strcasecmp(patterns[i].name, name))
			return &patterns[i];
	return NULL;
}

static struct workload *make(const struct uncore_model *model,
			     const struct pattern *pattern)
{
	struct workload *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->pattern = pattern;
	w->cores_per_socket = uncore_model_cores(model);
	w->num_sockets = uncore_model_sockets(model);
	w->num_cores = w->cores_per_socket * w->num_sockets;
	w->num_threads = pattern->default_threads;
	w->size_bytes = pattern->default_size_bytes;
	w->count = pattern->num_steps == chase_steps ? 0 : 100000;
	w->passes = 1;
	w->seed = (uint64_t)model->param[PARAM_SEED];
	w->stride_bytes = 64;
	w->gap = 16;
	w->write_percent = 0;
	w->op = pattern->step == stream_step ? OP_TRIAD : OP_READ;
	w->node = -1;
	w->is_shared = pattern->is_shared;
	return w;
}

struct workload *workload_new(const struct uncore_model *model,
			      const char *spec, char **error)
{
	char *text = strdup(spec);
	char *keys = text ? strchr(text, ':') : NULL;
	const struct pattern *pattern;
	struct workload *w = NULL;
	char *problem = NULL;

	if (keys)
		*keys++ = '\0';
	pattern = text ? find_pattern(text) : NULL;
	if (pattern)
		w = make(model, pattern);
	if (text && !pattern)
		problem = model_error("there is no workload '%s'; there are "
				      "idle, stream, random, chase, pingpong "
				      "and readshared",
				      text);
	else if (!w)
		problem = model_error("out of memory");
	else if (keys)
		problem = parse_keys(w, keys);
	if (!problem)
		problem = check(w, model);
	if (!problem) {
		w->threads = calloc(w->num_threads + 1, sizeof(*w->threads));
		w->thread_of = calloc(w->num_cores, sizeof(*w->thread_of));
		if (!w->threads || !w->thread_of)
			problem = model_error("out of memory");
	}
	free(text);
	if (problem) {
		workload_free(w);
		*error = problem;
		return NULL;
	}
	w->patience = w->is_shared ? w->gap : w->gap * 64;
	if (!w->patience)
		w->patience = 1;
	place_threads(w, model);
	return w;
}

void workload_free(struct workload *workload)
{
	if (!workload)
		return;
	free(workload->threads);
	free(workload->thread_of);
	free(workload);
}
