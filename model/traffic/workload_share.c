/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Patterns in which several threads use the same lines, and one that leaves
 * lines in every state behind.
 */
#include "model/traffic/workload_parts.h"

static const char *const pingpong_ops[] = { "turns", "fight", NULL };

static void pingpong_step(const struct part *part, const struct thread *thread,
			  struct step *step)
{
	(void)part;
	step->line = thread->base + thread->step / 2 % thread->lines;
	step->use = thread->step % 2 ? PRIVCACHE_STORE : PRIVCACHE_LOAD;
	step->depends = true;
}

static uint64_t twice_counted(const struct part *part, uint64_t lines)
{
	(void)lines;
	return part->count * 2;
}

static void readshared_step(const struct part *part,
			    const struct thread *thread, struct step *step)
{
	(void)part;
	step->line = thread->base + thread->step % thread->lines;
	step->use = PRIVCACHE_LOAD;
}

/* Each thread has a word of its own in the same line. */
static void falsesharing_step(const struct part *part,
			      const struct thread *thread, struct step *step)
{
	(void)part;
	step->line = thread->base + thread->step % thread->lines;
	step->use = PRIVCACHE_STORE;
}

/* Blocks of lines: all threads read all lines of a block, and then each one
 * writes to its share of them. */
enum { UPGRADE_BLOCK = 64 };

static void upgrade_step(const struct part *part, const struct thread *thread,
			 struct step *step)
{
	uint64_t block = thread->step / (2 * UPGRADE_BLOCK);
	uint64_t place = thread->step % (2 * UPGRADE_BLOCK);
	bool is_store = place >= UPGRADE_BLOCK &&
			place % part->num_threads == thread->number;

	step->line =
		thread->base +
		(block * UPGRADE_BLOCK + place % UPGRADE_BLOCK) % thread->lines;
	step->use = is_store ? PRIVCACHE_STORE : PRIVCACHE_LOAD;
}

static uint64_t upgrade_steps(const struct part *part, uint64_t lines)
{
	uint64_t blocks = (lines + UPGRADE_BLOCK - 1) / UPGRADE_BLOCK;

	return blocks * 2 * UPGRADE_BLOCK * part->passes;
}

/* Four quarters of the data: lines that one thread reads (E), lines that one
 * thread writes (M), and lines (F, S) and code that all threads use. */
static void evict_step(const struct part *part, const struct thread *thread,
		       struct step *step)
{
	uint64_t quarter = thread->lines / 4;
	uint64_t which = thread->step % 4;
	uint64_t own = quarter / part->num_threads;
	uint64_t random = workload_random(part, thread->number, thread->step);

	step->line = thread->base + which * quarter;
	if (which < 2 && own)
		step->line += thread->number * own + random % own;
	else
		step->line += random % (quarter ? quarter : 1);
	step->use = which == 1	 ? PRIVCACHE_STORE
		    : which == 3 ? PRIVCACHE_FETCH
				 : PRIVCACHE_LOAD;
}

const struct pattern workload_share[] = {
	{ .name = "pingpong",
	  .help = "threads read and write the same lines (size=64: one line) "
		  "op=turns: in turn, each when the other has written, or "
		  "fight: all at once; count",
	  .step = pingpong_step,
	  .ops = pingpong_ops,
	  .round_steps = 2,
	  .num_steps = twice_counted,
	  .is_shared = true,
	  .num_threads = 2,
	  .size_bytes = 64 },
	{ .name = "readshared",
	  .help = "threads read the same `size` bytes; passes",
	  .step = readshared_step,
	  .num_steps = workload_passes,
	  .is_shared = true,
	  .num_threads = 2,
	  .size_bytes = 4 << 20 },
	{ .name = "falsesharing",
	  .help = "threads store to words of their own in the same lines "
		  "(size=64: one line); count",
	  .step = falsesharing_step,
	  .num_steps = workload_counted,
	  .is_shared = true,
	  .num_threads = 2,
	  .size_bytes = 64,
	  .count = 10000 },
	{ .name = "upgrade",
	  .help = "threads read the same `size` bytes and then write to their "
		  "share of what they have read; passes",
	  .step = upgrade_step,
	  .num_steps = upgrade_steps,
	  .is_shared = true,
	  .is_spread = true,
	  .num_threads = 2,
	  .size_bytes = 256 << 10 },
	{ .name = "evict",
	  .help = "threads read, write, share and execute random lines of "
		  "`size` bytes, so that the LLC drives out lines in every "
		  "state; count",
	  .step = evict_step,
	  .num_steps = workload_counted,
	  .is_shared = true,
	  .is_spread = true,
	  .num_threads = 4,
	  .size_bytes = 64 << 20 },
	{ 0 },
};
