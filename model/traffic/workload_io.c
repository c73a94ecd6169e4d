/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Patterns of what does not pass private caches: uncached, port and
 * configuration accesses, interrupts, bus locks, special cycles, sleep, and the
 * traffic of devices behind I/O hubs.
 *
 * Addresses of uncached accesses lie above the memory of all sockets, so that
 * no line is ever both cached and uncached.
 */
#include "model/traffic/workload_parts.h"

static const char *const io_ops[] = { "read",	 "write",    "wc",  "in", "out",
				      "cfgread", "cfgwrite", "mix", NULL };
static const uint8_t io_kinds[] = {
	UNCORE_ACCESS_UC_READ,	 UNCORE_ACCESS_UC_WRITE, UNCORE_ACCESS_WC_WRITE,
	UNCORE_ACCESS_IO_READ,	 UNCORE_ACCESS_IO_WRITE, UNCORE_ACCESS_CFG_READ,
	UNCORE_ACCESS_CFG_WRITE,
};
enum { NUM_IO_KINDS = sizeof(io_kinds) / sizeof(io_kinds[0]) };

static uint16_t io_target(const struct part *part, const struct thread *thread)
{
	unsigned per_socket = part->workload->cores_per_socket;

	if (part->target >= 0)
		return (uint16_t)part->target;
	if (part->workload->num_hubs)
		return UNCORE_IO_HUB(0);
	return UNCORE_IO_SOCKET(thread->core / per_socket);
}

static void io_step(const struct part *part, const struct thread *thread,
		    struct step *step)
{
	unsigned op = part->op;

	if (op >= NUM_IO_KINDS)
		op = (unsigned)(thread->step % NUM_IO_KINDS);
	step->line = part->workload->memory_lines + thread->step;
	step->kind = io_kinds[op];
	step->target = (uint16_t)(io_target(part, thread) |
				  part->port << UNCORE_IO_PORT_SHIFT);
}

/* CPU after CPU, the thread's own left out. */
static void ipi_step(const struct part *part, const struct thread *thread,
		     struct step *step)
{
	unsigned others = part->workload->num_cores - 1;

	step->kind = UNCORE_ACCESS_INTERRUPT;
	if (part->target >= 0)
		step->target = (uint16_t)part->target;
	else
		step->target =
			(uint16_t)((thread->core + 1 + thread->step % others) %
				   part->workload->num_cores);
}

static void lock_step(const struct part *part, const struct thread *thread,
		      struct step *step)
{
	(void)part;
	step->line = thread->base + thread->step % thread->lines;
	step->kind = UNCORE_ACCESS_LOCK;
}

static const char *const special_ops[] = { "shutdown", "invd", "wbinvd", "mix",
					   NULL };

static void special_step(const struct part *part, const struct thread *thread,
			 struct step *step)
{
	step->kind = UNCORE_ACCESS_SPECIAL;
	step->target = (uint16_t)(part->op == UNCORE_SPECIAL_WBINVD + 1
					  ? thread->step % 3
					  : part->op);
}

static const char *const sleep_ops[] = { "interrupt", "monitor", NULL };
enum { SLEEP_INTERRUPT, SLEEP_MONITOR };

/* The first thread of a socket wakes the others of it, one after the other, as
 * long as one of them has not ended; before each interrupt it lets some time
 * pass, so that the other sleeps, and writes some lines that the other has
 * read. This reads them again, writes some more, gives them
 * back, and sleeps; an interrupt that finds one awake is lost. */
enum {
	SLEEP_LINES = 4,
	SLEEP_SHARED = 4,
	SLEEP_STEPS = SLEEP_SHARED + 2 * SLEEP_LINES + 1,
	SLEEP_PAUSE = 32,
	WAKE_STEPS = SLEEP_PAUSE + SLEEP_SHARED + 1,
};

static const struct thread *on_socket(const struct part *part,
				      const struct thread *like, unsigned i)
{
	unsigned per_socket = part->workload->cores_per_socket;
	const struct thread *thread = &part->threads[i];

	return thread->core / per_socket == like->core / per_socket ? thread
								    : NULL;
}

/* The thread that wakes the others of a thread's socket. */
static const struct thread *waker(const struct part *part,
				  const struct thread *thread)
{
	for (unsigned i = 0; i < thread->number; i++)
		if (on_socket(part, thread, i))
			return &part->threads[i];
	return thread;
}

/* A line of the waker that only one other thread reads. */
static uint64_t shared_line(const struct thread *waking,
			    const struct thread *other, uint64_t place)
{
	return waking->base +
	       (other->number * SLEEP_SHARED + place) % waking->lines;
}

static void wake_step(const struct part *part, const struct thread *thread,
		      struct step *step)
{
	uint64_t place = thread->step % WAKE_STEPS;
	unsigned from = thread->number + (unsigned)(thread->step / WAKE_STEPS %
						    part->num_threads);

	step->is_end = true;
	for (unsigned i = 0; i < part->num_threads && step->is_end; i++) {
		unsigned number = (from + i) % part->num_threads;
		const struct thread *other = on_socket(part, thread, number);

		if (!other || other == thread || other->has_ended)
			continue;
		step->is_end = false;
		step->target = (uint16_t)other->core;
		step->line = thread->base;
		step->use = PRIVCACHE_LOAD;
		if (place < SLEEP_PAUSE)
			continue;
		step->line = shared_line(thread, other, place - SLEEP_PAUSE);
		step->use = PRIVCACHE_STORE;
		if (place < WAKE_STEPS - 1)
			continue;
		if (part->op == SLEEP_INTERRUPT)
			step->kind = UNCORE_ACCESS_INTERRUPT;
		else
			step->line = shared_line(thread, other, 0);
	}
}

static void sleep_step(const struct part *part, const struct thread *thread,
		       struct step *step)
{
	const struct thread *waking = waker(part, thread);
	uint64_t place = thread->step % SLEEP_STEPS;
	uint64_t turn = thread->step / SLEEP_STEPS;

	if (waking == thread) {
		wake_step(part, thread, step);
		return;
	}
	step->is_end = turn == part->count;
	/* what is monitored has to be looked at last */
	if (part->op == SLEEP_MONITOR && place < SLEEP_STEPS - 1)
		place = (place + SLEEP_SHARED) % (SLEEP_STEPS - 1);
	if (place < SLEEP_SHARED) {
		step->line = shared_line(waking, thread, place);
		step->use = PRIVCACHE_LOAD;
		return;
	}
	place -= SLEEP_SHARED;
	step->line = thread->base +
		     (turn * SLEEP_LINES + place % SLEEP_LINES) % thread->lines;
	step->use = PRIVCACHE_STORE;
	if (place == 2 * SLEEP_LINES) {
		step->kind = UNCORE_ACCESS_SLEEP;
		if (part->op == SLEEP_MONITOR)
			step->line = shared_line(waking, thread, 0);
	} else if (place >= SLEEP_LINES) {
		step->kind = UNCORE_ACCESS_WRITEBACK;
	}
}

static uint64_t without_end(const struct part *part, uint64_t lines)
{
	(void)part, (void)lines;
	return UINT64_MAX;
}

/* Devices */

enum {
	DMA_MIX,
	DMA_READ,
	DMA_WRITE,
	DMA_INTERRUPT,
	DMA_NOSNOOP,
	DMA_TWICE,
	DMA_BELL,
	DMA_WIRE,
	DMA_HOLD
};
static const char *const dma_ops[] = { "mix",	  "read",  "write", "interrupt",
				       "nosnoop", "twice", "bell",  "wire",
				       "hold",	  NULL };
/* By turns; the last is a write of some bytes. */
static const uint8_t nosnoop_kinds[] = { UNCORE_ACCESS_UC_READ,
					 UNCORE_ACCESS_WC_WRITE,
					 UNCORE_ACCESS_UC_WRITE };

/* CPU after CPU, as a message or by a wire; or socket after socket. */
static uint16_t interrupt_target(const struct part *part, uint64_t step)
{
	unsigned cores = part->workload->num_cores;
	unsigned cpu = part->target >= 0 ? (unsigned)part->target
					 : (unsigned)(step % cores);

	if (part->op == DMA_WIRE)
		return UNCORE_IO_WIRE(cpu);
	if (part->op == DMA_BELL)
		return UNCORE_IO_SOCKET(cpu / part->workload->cores_per_socket);
	return (uint16_t)cpu;
}

static void dma_step(const struct part *part, const struct device *device,
		     struct step *step)
{
	uint64_t random =
		workload_random(part, 128 + device->number, device->step);

	if (part->op == DMA_INTERRUPT || part->op == DMA_BELL ||
	    part->op == DMA_WIRE) {
		step->kind = UNCORE_ACCESS_INTERRUPT;
		step->target = interrupt_target(part, device->step);
		return;
	}
	step->line = device->base + device->step % device->lines;
	step->target =
		(uint16_t)(part->port << UNCORE_IO_PORT_SHIFT | part->peer);
	if (part->peer)
		step->line += part->workload->memory_lines;
	if (part->op == DMA_NOSNOOP) {
		step->kind = nosnoop_kinds[device->step % 3];
		return;
	}
	if (part->op == DMA_TWICE || part->op == DMA_HOLD) {
		step->kind = part->op == DMA_HOLD ? UNCORE_ACCESS_LOCK
						  : UNCORE_ACCESS_NT_WRITE;
		return;
	}
	step->kind =
		part->op == DMA_WRITE || (part->op == DMA_MIX && random & 1)
			? UNCORE_ACCESS_OWN
			: UNCORE_ACCESS_READ;
}

bool workload_has_ports(const struct part *part)
{
	if (part->pattern->device == dma_step)
		return part->peer ? part->op <= DMA_WRITE
				  : part->op < DMA_INTERRUPT ||
					    part->op == DMA_NOSNOOP ||
					    part->op == DMA_TWICE;
	return part->pattern->step == io_step && !part->peer &&
	       part->target < UNCORE_IO_SOCKET(0);
}

const struct pattern workload_io[] = {
	{ .name = "io",
	  .help = "threads make uncached accesses: op=read, write, wc (full "
		  "write-combining buffers), in, out (ports), cfgread, "
		  "cfgwrite (configuration) or mix; target=hub0 or socket1; "
		  "port=STACK.PART of the device on a Xeon Scalable; count",
	  .step = io_step,
	  .is_shared = true,
	  .num_steps = workload_counted,
	  .ops = io_ops,
	  .num_threads = 1,
	  .size_bytes = 64,
	  .count = 10000 },
	{ .name = "dma",
	  .help = "devices at the I/O hubs (hub=0: at one) read and write "
		  "`size` bytes of socket `node`: op=mix, read, write, "
		  "twice (each line is written twice in a row), "
		  "nosnoop (reads, writes and writes of parts without snoops), "
		  "interrupt (target=CPU), bell (door bells of the CPU's "
		  "socket); of a Xeon E5-2600 also wire (interrupts by legacy "
		  "wires), hold (writes that hold the bus); of a Xeon Scalable "
		  "port=STACK.PART (1.0 by default), and to=STACK.PART: they "
		  "ask devices at that port; count, gap (uncore cycles)",
	  .device = dma_step,
	  .num_steps = workload_counted,
	  .ops = dma_ops,
	  .size_bytes = 4 << 20,
	  .count = 10000 },
	{ .name = "ipi",
	  .help = "threads send interrupts to all other CPUs in turn "
		  "(target=CPU: to one); count",
	  .step = ipi_step,
	  .is_shared = true,
	  .num_steps = workload_counted,
	  .num_threads = 1,
	  .size_bytes = 64,
	  .count = 1000 },
	{ .name = "lock",
	  .help = "threads store under a bus lock to the same `size` bytes; "
		  "count",
	  .step = lock_step,
	  .num_steps = workload_counted,
	  .is_shared = true,
	  .num_threads = 2,
	  .size_bytes = 64,
	  .count = 200 },
	{ .name = "special",
	  .help = "threads send special cycles: op=shutdown, invd, wbinvd or "
		  "mix; count",
	  .step = special_step,
	  .is_shared = true,
	  .num_steps = workload_counted,
	  .ops = special_ops,
	  .num_threads = 1,
	  .size_bytes = 64,
	  .count = 1000 },
	{ .name = "sleep",
	  .help = "on each socket one thread wakes the others, which write "
		  "some lines and sleep `count` times; gap is the time awake; "
		  "op=interrupt, or monitor (by a write to a line that they "
		  "monitor, on a Xeon E5-2600)",
	  .step = sleep_step,
	  .num_steps = without_end,
	  .ops = sleep_ops,
	  .num_threads = 4,
	  .size_bytes = 64 << 10,
	  .count = 100,
	  .gap = 500 },
	{ 0 },
};
