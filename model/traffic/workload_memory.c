/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Patterns of loads and stores, each thread in memory of its own.
 */
#include "model/traffic/workload_parts.h"

#include "base/random.h"

enum { STREAM_TRIAD, STREAM_COPY, STREAM_WRITE, STREAM_READ };
static const char *const stream_ops[] = { "triad", "copy", "write", "read",
					  NULL };

unsigned workload_arrays(const struct part *part)
{
	if (part->pattern->ops != stream_ops)
		return 1;
	return part->op == STREAM_TRIAD ? 3 : part->op == STREAM_COPY ? 2 : 1;
}

uint64_t workload_random(const struct part *part, unsigned number,
			 uint64_t step)
{
	return random_at(part->seed, (uint64_t)number << 56 ^ step);
}

uint64_t workload_counted(const struct part *part, uint64_t lines)
{
	(void)lines;
	return part->count;
}

uint64_t workload_passes(const struct part *part, uint64_t lines)
{
	return lines * part->passes;
}

/* Arrays side by side: a[i] = b[i] + s * c[i] reads c and b, writes a. */
static void stream_step(const struct part *part, const struct thread *thread,
			struct step *step)
{
	unsigned num = part->num_arrays, array;
	uint64_t in_pass = thread->step, index;

	if (in_pass >= thread->pass_steps)
		in_pass %= thread->pass_steps;
	index = num == 3 ? in_pass / 3 : in_pass >> (num - 1);
	array = num - 1 - (unsigned)(in_pass - index * num);
	step->line = thread->base + array * thread->array_lines +
		     index * (part->stride_bytes / 64);
	step->code = (uint8_t)array;
	step->use = (part->op != STREAM_READ && array == 0) ? PRIVCACHE_STORE
							    : PRIVCACHE_LOAD;
}

static uint64_t stream_steps(const struct part *part, uint64_t lines)
{
	unsigned num = workload_arrays(part);

	return lines / num / (part->stride_bytes / 64) * num * part->passes;
}

static void random_step(const struct part *part, const struct thread *thread,
			struct step *step)
{
	uint64_t random = workload_random(part, thread->number, thread->step);

	step->line = thread->base + (random >> 8) % thread->lines;
	step->use = (random & 0xff) * 100 < part->write_percent * 256
			    ? PRIVCACHE_STORE
			    : PRIVCACHE_LOAD;
}

/* Place number step % lines of an order in which every line comes once:
 * a full-period linear congruential generator over the next power of two,
 * skipping what lies outside. The next place is found from the number of the
 * step alone. */
static uint64_t place(const struct part *part, uint64_t lines, uint64_t step)
{
	unsigned bits = 64 - (unsigned)__builtin_clzll((lines - 1) | 1);
	uint64_t x = step < lines ? step : step % lines;
	uint64_t mask = (UINT64_C(1) << bits) - 1;

	do { /* a bijection of the power of two, walked until inside */
		x = (x * UINT64_C(0x5851f42d4c957f2d) + part->seed * 2 + 1) &
		    mask;
		x ^= x >> (bits + 1) / 2;
		x = (x * UINT64_C(0xd1342543de82ef95)) & mask;
		x ^= x >> (bits + 1) / 2;
	} while (x >= lines);
	return x;
}

static void chase_step(const struct part *part, const struct thread *thread,
		       struct step *step)
{
	step->line = thread->base + place(part, thread->lines, thread->step);
	step->use = PRIVCACHE_LOAD;
	step->depends = true;
}

static uint64_t count_or_passes(const struct part *part, uint64_t lines)
{
	return part->has_count ? part->count : workload_passes(part, lines);
}

static void code_step(const struct part *part, const struct thread *thread,
		      struct step *step)
{
	(void)part;
	step->line = thread->base + thread->step % thread->lines;
	step->use = PRIVCACHE_FETCH;
}

static void rfo_step(const struct part *part, const struct thread *thread,
		     struct step *step)
{
	step->line = thread->base + place(part, thread->lines, thread->step);
	step->use = PRIVCACHE_STORE;
}

/* A line is touched, so that caches have it, and flushed in the next step. */
enum { FLUSH_READ, FLUSH_WRITE };
static const char *const flush_ops[] = { "read", "write", NULL };

static void flush_step(const struct part *part, const struct thread *thread,
		       struct step *step)
{
	step->line = thread->base + thread->step / 2 % thread->lines;
	step->use = part->op == FLUSH_WRITE ? PRIVCACHE_STORE : PRIVCACHE_LOAD;
	step->kind = thread->step % 2 ? UNCORE_ACCESS_FLUSH : 0;
}

static uint64_t twice_counted(const struct part *part, uint64_t lines)
{
	(void)lines;
	return part->count * 2;
}

enum { NTSTORE_LINE, NTSTORE_PART };
static const char *const ntstore_ops[] = { "line", "part", NULL };

static void ntstore_step(const struct part *part, const struct thread *thread,
			 struct step *step)
{
	step->line = thread->base + thread->step % thread->lines;
	step->kind = part->op == NTSTORE_PART ? UNCORE_ACCESS_NT_PART
					      : UNCORE_ACCESS_NT_WRITE;
}

const struct pattern workload_memory[] = {
	{ .name = "idle",
	  .help = "nothing runs; refresh and scrubbing go on",
	  .size_bytes = 64 },
	{ .name = "stream",
	  .help = "threads walk their parts of `size` bytes in order; "
		  "op=triad, copy, write or read; stride, passes",
	  .step = stream_step,
	  .num_steps = stream_steps,
	  .ops = stream_ops,
	  .num_threads = 1,
	  .size_bytes = 64 << 20 },
	{ .name = "random",
	  .help = "threads use random lines of their parts of `size` bytes "
		  "(shared=1: all use all of them); count, write (percent)",
	  .step = random_step,
	  .num_steps = workload_counted,
	  .num_threads = 1,
	  .size_bytes = 64 << 20 },
	{ .name = "chase",
	  .help = "each thread follows pointers through all lines of its part "
		  "of `size` bytes, one at a time; count or passes",
	  .step = chase_step,
	  .num_steps = count_or_passes,
	  .num_threads = 1,
	  .size_bytes = 64 << 20 },
	{ .name = "code",
	  .help = "threads fetch instructions from their parts of `size` bytes "
		  "in order (shared=1: all from the same); passes",
	  .step = code_step,
	  .num_steps = workload_passes,
	  .num_threads = 1,
	  .size_bytes = 4 << 20 },
	{ .name = "rfo",
	  .help = "threads store to all lines of their parts of `size` bytes "
		  "once, in an order without a stride; passes",
	  .step = rfo_step,
	  .num_steps = workload_passes,
	  .num_threads = 1,
	  .size_bytes = 4 << 20 },
	{ .name = "flush",
	  .help = "threads read (op=write: write) a line and flush it from all "
		  "caches, line by line; count",
	  .step = flush_step,
	  .num_steps = twice_counted,
	  .ops = flush_ops,
	  .num_threads = 1,
	  .size_bytes = 4 << 20,
	  .count = 10000 },
	{ .name = "ntstore",
	  .help = "threads write all lines of their parts of `size` bytes past "
		  "the caches; op=line, or part for some bytes of each; passes",
	  .step = ntstore_step,
	  .num_steps = workload_passes,
	  .ops = ntstore_ops,
	  .num_threads = 1,
	  .size_bytes = 4 << 20 },
	{ 0 },
};
