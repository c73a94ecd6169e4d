/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One lock round the model. The clock's thread holds it for slices short enough
 * that a register access does not wait long; whoever wants the model raises its
 * hand first, and the clock lets all raised hands go before its next slice.
 */
#include "uncore/live.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "uncore/address.h"
#include "uncore/error.h"
#include "uncore/model.h"

enum {
	SLICE_NS = 20 * 1000, /* wall time of a slice, aimed at */
	NAP_NS = 200 * 1000,  /* of a clock that is ahead of wall time */
	FIRST_SLICE_CYCLES = 2000,
	SAMPLED_SLICE_CYCLES = 16384,
	MIN_SLICE_CYCLES = 200,
	MAX_SLICE_CYCLES = 1 << 22,
	NS = 1000 * 1000 * 1000,
};

struct uncore_live_listener {
	struct uncore_live_listener *next;
	void (*pmi)(void *context, const struct uncore_model_pmi *pmi);
	void *context;
};

struct uncore_live {
	struct uncore_model *model;
	enum uncore_live_clock clock;
	pthread_mutex_t lock;
	pthread_cond_t hands_down;
	pthread_cond_t wake; /* of the clock, to end it */
	pthread_t thread;
	bool is_started;
	bool stop;		/* under the lock */
	_Atomic unsigned hands; /* that are raised */
	struct uncore_live_listener *listeners;
	uint64_t slice_cycles;
	bool slice_is_fixed; /* or what is left out would not repeat */
	uint64_t start_ns, start_cycle;
	uint64_t reads, writes, faults;
	bool traffic_ended;
};

/* The model's time, those cycles with it that it left out of detail. */
static uint64_t cycle_of(const struct uncore_model *model)
{
	return uncore_model_cycle(model) + uncore_model_skipped(model);
}

struct uncore_live *uncore_live_new(struct uncore_model *model,
				    enum uncore_live_clock clock)
{
	struct uncore_live *live = calloc(1, sizeof(*live));
	pthread_condattr_t monotonic;

	if (!live || uncore_model_read_live(model)) {
		free(live);
		return NULL;
	}
	live->model = model;
	live->clock = clock;
	live->slice_is_fixed = uncore_model_classes(model, NULL);
	live->slice_cycles = live->slice_is_fixed ? SAMPLED_SLICE_CYCLES
						  : FIRST_SLICE_CYCLES;
	live->start_ns = clock_now_ns();
	live->start_cycle = cycle_of(model);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_mutex_init(&live->lock, NULL);
	pthread_cond_init(&live->hands_down, NULL);
	pthread_cond_init(&live->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return live;
}

static void tell_listeners(struct uncore_live *live)
{
	struct uncore_model_pmi pmi;

	while (uncore_model_take_pmi(live->model, &pmi))
		for (struct uncore_live_listener *l = live->listeners; l;
		     l = l->next)
			l->pmi(l->context, &pmi);
}

struct uncore_model *uncore_live_enter(struct uncore_live *live)
{
	atomic_fetch_add(&live->hands, 1);
	pthread_mutex_lock(&live->lock);
	if (atomic_fetch_sub(&live->hands, 1) == 1)
		pthread_cond_broadcast(&live->hands_down);
	return live->model;
}

void uncore_live_leave(struct uncore_live *live)
{
	tell_listeners(live);
	pthread_mutex_unlock(&live->lock);
}

/* The clock's way in: after everybody who has raised a hand. */
static void enter_last(struct uncore_live *live)
{
	pthread_mutex_lock(&live->lock);
	while (atomic_load(&live->hands))
		pthread_cond_wait(&live->hands_down, &live->lock);
}

/* Runs at most so many cycles, fewer where the traffic ends, and learns how
 * many make a slice. */
static void run_slice(struct uncore_live *live, uint64_t cycles)
{
	uint64_t start = clock_now_ns(), took;

	if (cycles > live->slice_cycles)
		cycles = live->slice_cycles;
	if (live->traffic_ended)
		uncore_model_run(live->model, cycles);
	else
		live->traffic_ended =
			uncore_model_finish(live->model, cycles, NULL);
	took = clock_now_ns() - start;
	if (live->slice_is_fixed)
		return;
	if (took > SLICE_NS && live->slice_cycles > MIN_SLICE_CYCLES)
		live->slice_cycles /= 2;
	else if (took < SLICE_NS / 4 && live->slice_cycles < MAX_SLICE_CYCLES)
		live->slice_cycles *= 2;
}

/* Where the clock should be by now. */
static uint64_t wall_cycle(const struct uncore_live *live)
{
	double seconds = (double)(clock_now_ns() - live->start_ns) / NS;

	return live->start_cycle +
	       (uint64_t)(seconds * uncore_model_clock_hz(live->model));
}

/* Waits until the clock is wanted again. */
static void nap(struct uncore_live *live)
{
	uint64_t until = clock_now_ns() + NAP_NS;
	struct timespec time = { .tv_sec = (time_t)(until / NS),
				 .tv_nsec = (long)(until % NS) };

	pthread_cond_timedwait(&live->wake, &live->lock, &time);
}

static void *run_clock(void *argument)
{
	struct uncore_live *live = argument;
	uint64_t nap_cycles =
		(uint64_t)(uncore_model_clock_hz(live->model) * NAP_NS / NS);

	for (;;) {
		uint64_t cycles = UINT64_MAX;

		enter_last(live);
		if (live->stop)
			break;
		if (live->clock == UNCORE_LIVE_REAL) {
			uint64_t wall = wall_cycle(live);
			uint64_t cycle = cycle_of(live->model);

			cycles = wall > cycle ? wall - cycle : 0;
		}
		if (cycles > nap_cycles)
			run_slice(live, cycles);
		else
			nap(live);
		uncore_live_leave(live);
	}
	pthread_mutex_unlock(&live->lock);
	return NULL;
}

int uncore_live_start(struct uncore_live *live)
{
	if (live->clock == UNCORE_LIVE_STEP || live->is_started)
		return 0;
	live->start_ns = clock_now_ns();
	live->start_cycle = cycle_of(live->model);
	if (pthread_create(&live->thread, NULL, run_clock, live))
		return UNCORE_ERR_NO_MEMORY;
	live->is_started = true;
	return 0;
}

void uncore_live_free(struct uncore_live *live)
{
	if (!live)
		return;
	if (live->is_started) {
		uncore_live_enter(live);
		live->stop = true;
		pthread_cond_signal(&live->wake);
		uncore_live_leave(live);
		pthread_join(live->thread, NULL);
	}
	while (live->listeners) {
		struct uncore_live_listener *next = live->listeners->next;

		free(live->listeners);
		live->listeners = next;
	}
	pthread_cond_destroy(&live->wake);
	pthread_cond_destroy(&live->hands_down);
	pthread_mutex_destroy(&live->lock);
	free(live);
}

unsigned uncore_live_cpus(const struct uncore_live *live)
{
	return uncore_model_sockets(live->model) *
	       uncore_model_cores(live->model);
}

/* In the configuration space of a PCI function. */
static void do_pci(struct uncore_live *live, struct uncore_live_op *op)
{
	unsigned socket = op->cpu / uncore_model_cores(live->model);
	unsigned function = uncore_address_unit(op->address);
	unsigned offset = uncore_address_offset(op->address);

	if (op->is_write)
		uncore_model_pci_write(live->model, socket, function, offset,
				       op->bytes, (uint32_t)op->value);
	else
		op->value = uncore_model_pci_read(live->model, socket, function,
						  offset, op->bytes);
	op->code = 0;
}

static void do_op(struct uncore_live *live, struct uncore_live_op *op)
{
	live->writes += op->is_write;
	live->reads += !op->is_write;
	if (op->bytes)
		do_pci(live, op);
	else if (op->is_write)
		op->code = uncore_model_cpu_write(live->model, op->cpu,
						  op->address, op->value);
	else
		op->code = uncore_model_cpu_read(live->model, op->cpu,
						 op->address, &op->value);
	live->faults += op->code == UNCORE_ERR_GP;
}

uint64_t uncore_live_batch(struct uncore_live *live, struct uncore_live_op *ops,
			   size_t num)
{
	uint64_t cycle = cycle_of(uncore_live_enter(live));

	for (size_t i = 0; i < num; i++)
		do_op(live, &ops[i]);
	uncore_live_leave(live);
	return cycle;
}

int uncore_live_read(struct uncore_live *live, unsigned cpu, uint64_t address,
		     uint64_t *value)
{
	struct uncore_live_op op = { .cpu = cpu, .address = address };

	uncore_live_batch(live, &op, 1);
	if (!op.code)
		*value = op.value;
	return op.code;
}

int uncore_live_write(struct uncore_live *live, unsigned cpu, uint64_t address,
		      uint64_t value)
{
	struct uncore_live_op op = {
		.cpu = cpu, .address = address, .is_write = true, .value = value
	};

	uncore_live_batch(live, &op, 1);
	return op.code;
}

int uncore_live_step(struct uncore_live *live, uint64_t cycles,
		     const volatile int *stop)
{
	uint64_t end;

	if (live->clock != UNCORE_LIVE_STEP)
		return UNCORE_ERR_STATE;
	end = uncore_live_cycle(live) + cycles;
	while (cycles && !(stop && __atomic_load_n(stop, __ATOMIC_RELAXED))) {
		uint64_t now;

		enter_last(live);
		run_slice(live, cycles);
		now = cycle_of(live->model);
		cycles = now < end ? end - now : 0;
		uncore_live_leave(live);
	}
	return 0;
}

uint64_t uncore_live_cycle(struct uncore_live *live)
{
	uint64_t cycle = cycle_of(uncore_live_enter(live));

	uncore_live_leave(live);
	return cycle;
}

void uncore_live_status(struct uncore_live *live,
			struct uncore_live_status *status)
{
	struct uncore_model *model = uncore_live_enter(live);
	double hz = uncore_model_clock_hz(model);

	*status = (struct uncore_live_status){
		.clock = live->clock,
		.cycle = cycle_of(model),
		.accesses = uncore_model_num_accesses(model),
		.traffic_ended = live->traffic_ended,
		.clock_hz = hz,
		.wall_seconds = (double)(clock_now_ns() - live->start_ns) / NS,
		.reads = live->reads,
		.writes = live->writes,
		.faults = live->faults,
	};
	status->modelled_seconds =
		(double)(status->cycle - live->start_cycle) / hz;
	if (live->clock == UNCORE_LIVE_REAL &&
	    status->wall_seconds > status->modelled_seconds)
		status->lag_seconds =
			status->wall_seconds - status->modelled_seconds;
	uncore_live_leave(live);
}

struct uncore_live_listener *uncore_live_listen(
	struct uncore_live *live,
	void (*pmi)(void *context, const struct uncore_model_pmi *pmi),
	void *context)
{
	struct uncore_live_listener *listener = calloc(1, sizeof(*listener));

	if (!listener)
		return NULL;
	listener->pmi = pmi;
	listener->context = context;
	uncore_live_enter(live);
	listener->next = live->listeners;
	live->listeners = listener;
	uncore_live_leave(live);
	return listener;
}

void uncore_live_unlisten(struct uncore_live *live,
			  struct uncore_live_listener *listener)
{
	struct uncore_live_listener **at;

	if (!listener)
		return;
	uncore_live_enter(live);
	for (at = &live->listeners; *at && *at != listener; at = &(*at)->next)
		;
	if (*at)
		*at = listener->next;
	uncore_live_leave(live);
	free(listener);
}
