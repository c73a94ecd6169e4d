/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The producer's end of the stream. Records go out in batches, so that the two
 * processors share a cache line rarely, and wake a model that sleeps once in a
 * window; a full stream stops the program, nothing is dropped. What the model
 * took from the caches takes hold at the end of each window of records, at a
 * place that depends on nothing but the stream.
 */
#include "bridge/valgrind/core.h"

#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum {
	LOOK_AROUND_NS = 20 * 1000 * 1000,
	QUIET_INSTRUCTIONS = 20000,
	DRAIN_NAPS = 10000,
	DRAIN_NAP_NS = 1000 * 1000,
	PUT_AHEAD = 8, /* records */
};

/* What a miss costs by the estimate, until the model has told: core cycles. */
static const uint16_t cost[UNCORE_NUM_ACCESS_KINDS] = {
	[UNCORE_ACCESS_READ] = 60,   [UNCORE_ACCESS_CODE] = 60,
	[UNCORE_ACCESS_OWN] = 40,    [UNCORE_ACCESS_WRITEBACK] = 4,
	[UNCORE_ACCESS_FLUSH] = 100, [UNCORE_ACCESS_NT_WRITE] = 30,
	[UNCORE_ACCESS_LOCK] = 400,  [UNCORE_ACCESS_NT_PART] = 30,
};

/* Only for who has the turn: a record of another may be half written. */
void stream_publish(void)
{
	if (atomic_load_explicit(&arena->head, memory_order_relaxed) !=
	    arena->next)
		atomic_store(&arena->head, arena->next);
	if (atomic_load(&arena->waiting) &&
	    atomic_exchange(&arena->waiting, 0)) {
		atomic_fetch_add(&arena->doorbell, 1);
		front_wake(&arena->doorbell);
	}
}

/* Waits until the model has read so far; false when it never will. */
static bool await(uint64_t tail)
{
	arena->tail_seen = atomic_load(&arena->tail);
	if (arena->tail_seen >= tail)
		return true;
	stream_publish();
	for (;;) {
		uint32_t room = atomic_load(&arena->room);

		atomic_store(&arena->wake_at, tail);
		arena->tail_seen = atomic_load(&arena->tail);
		if (arena->tail_seen >= tail)
			break;
		outside_end_with_owner();
		if (atomic_load(&arena->stop)) {
			front.is_off = 1;
			return false;
		}
		front_wait(&arena->room, room, LOOK_AROUND_NS);
	}
	atomic_store(&arena->wake_at, 0);
	return true;
}

/* Waits until the model has worked off what was written and asks for more, or
 * for a while: as long as a process lives, names can be had for its addresses.
 */
void stream_drain(void)
{
	unsigned naps;

	for (naps = 0; naps < DRAIN_NAPS && !atomic_load(&arena->stop);
	     naps++) {
		uint32_t room = atomic_load(&arena->room);

		if (atomic_load(&arena->tail) >= arena->next &&
		    atomic_load(&arena->waiting))
			return;
		front_wait(&arena->room, room, DRAIN_NAP_NS);
	}
}

bool stream_catch_up(void)
{
	while (atomic_load(&arena->tail) != arena->next ||
	       !atomic_load(&arena->waiting)) {
		uint32_t room = atomic_load(&arena->room);

		stream_publish();
		atomic_store(&arena->wake_at, arena->next);
		if (atomic_load(&arena->tail) == arena->next &&
		    atomic_load(&arena->waiting))
			break;
		outside_end_with_owner();
		if (atomic_load(&arena->stop))
			return false;
		front_wait(&arena->room, room, LOOK_AROUND_NS);
		if (front.hears && turns_take_signals(front.tid)) {
			front.hears = false;
			atomic_fetch_add(&arena->num_heard, 1);
		}
	}
	atomic_store(&arena->wake_at, 0);
	return true;
}

static bool make_room(void)
{
	if (arena->next - arena->tail_seen <
	    ARENA_RECORDS - PRIVCACHE_MAX_REQUESTS - 1)
		return true;
	return await(arena->next - ARENA_RECORDS / 2);
}

static void take_victims(uint64_t read)
{
	uint64_t head = atomic_load(&arena->victims_head);
	uint64_t oldest = head > ARENA_VICTIMS ? head - ARENA_VICTIMS : 0;

	if (arena->victims_taken < oldest)
		arena->victims_taken = oldest; /* lost: they stay a while */
	for (; arena->victims_taken != head; arena->victims_taken++) {
		const struct arena_victim *victim =
			&arena->victims[arena->victims_taken % ARENA_VICTIMS];

		if (victim->read > read)
			break;
		privcache_invalidate(&arena->cores[victim->core].cache,
				     victim->line, victim->downgrade);
	}
	access_look();
}

/* At equal times of the model some cores had come further by the estimate than
 * others: those were estimated too fast. */
static void correct_clocks(uint64_t window)
{
	const uint64_t *clocks = arena->clocks[window % 4];
	unsigned num = front_num_cores();
	uint64_t most = 0;
	unsigned i;

	for (i = 0; i < num; i++)
		if (clocks[i] > most)
			most = clocks[i];
	for (i = 0; i < num; i++) {
		struct arena_core *core = &arena->cores[i];
		int64_t before = core->ahead;

		if (!clocks[i] || !core->is_busy)
			continue;
		core->ahead = (int64_t)(most - clocks[i]);
		travel_shift(&core->travel, core->ahead - before);
	}
}

static void end_window(uint64_t window)
{
	if (window < 2)
		return;
	if (!await((window - 1) * ARENA_WINDOW + 1))
		return;
	take_victims((window - 1) * ARENA_WINDOW);
	if (arena->is_shared)
		correct_clocks(window - 1);
}

/* Whole cycles of the sum go to the clock: none is lost, however often this is
 * called. */
void stream_settle(void)
{
	struct arena_core *core = front.core;
	uint32_t instructions = (uint32_t)front.executed;
	uint64_t cycles = front.executed >> 32;
	uint64_t before = core->cycles >> UNCORE_CYCLES_SHIFT;

	if (arena->cycles_per_instruction)
		cycles = (uint64_t)instructions *
				 arena->cycles_per_instruction >>
			 (16 - UNCORE_CYCLES_SHIFT);
	front.executed = 0;
	core->cycles += cycles;
	core->clock += (core->cycles >> UNCORE_CYCLES_SHIFT) - before;
	atomic_store_explicit(&core->instructions,
			      atomic_load_explicit(&core->instructions,
						   memory_order_relaxed) +
				      instructions,
			      memory_order_relaxed);
}

uint64_t stream_clock(void)
{
	stream_settle();
	return front.core->clock;
}

static uint64_t passed(void) /* since the latest record, settled */
{
	return atomic_load_explicit(&front.core->instructions,
				    memory_order_relaxed) -
	       front.core->last_instructions;
}

static uint32_t capped(uint64_t number)
{
	return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

/* A record has what has passed on this core since the one before. Where each
 * instruction takes the same the model knows how long. */
static void put_gap(struct uncore_access *access)
{
	struct arena_core *core = front.core;
	uint64_t instructions = passed();

	access->gap = capped(instructions);
	if (!arena->cycles_per_instruction)
		access->cycles = capped(core->cycles - core->last_cycles);
	core->last_instructions += instructions;
	core->last_cycles = core->cycles;
}

static void finish(uint64_t before)
{
	if (before / ARENA_PUBLISH == arena->next / ARENA_PUBLISH)
		return;
	atomic_store(&arena->head, arena->next);
	if (before / ARENA_WINDOW == arena->next / ARENA_WINDOW)
		return;
	stream_publish();
	end_window(arena->next / ARENA_WINDOW);
}

/* What the records of the present access have in common. */
static struct arena_record common;
static struct arena_object object; /* and for samples: what it was to */

/* Who made it, and where. */
static inline void set_common(uint64_t code, uint64_t data, enum arena_use use)
{
	uint16_t stack = 0;

	if (arena->has_stacks) {
		stack = code ? (uint16_t)callers_find(arena->stacks, 0) : 0;
		object = objects_at(data);
	}
	common = (struct arena_record){
		.access.writer = UINT8_MAX,
		.access.waits = use == ARENA_LOCK,
		.code = code,
		.data = data,
		.clock_and_thread = (uint64_t)front.thread_number << 48,
		.space = front.space,
		.stack = stack,
		.core = (uint8_t)front.core_number,
		.event_and_use = (uint8_t)(ARENA_ACCESS | use << 4),
	};
}

/* And what the model is to do. The reader has had the place: it is asked for a
 * few records ahead. */
static inline struct arena_record *put(const struct privcache_request *request,
				       uint64_t next)
{
	struct arena_record *ring = arena->ring;
	struct arena_record *record = &ring[next % ARENA_RECORDS];

	__builtin_prefetch(&ring[(next + PUT_AHEAD) % ARENA_RECORDS], true);
	*record = common;
	record->access.line = request->line;
	record->access.kind = request->kind;
	record->access.prefetch = request->prefetch;
	if (request->is_clean)
		record->access.is_clean = 1;
	if (request->prefetch == UNCORE_PREFETCH) {
		record->access.to_llc = request->to_llc;
		record->event_and_use = ARENA_ACCESS | ARENA_PREFETCH << 4;
	}
	return record;
}

static void put_object(void)
{
	object.record = front.core->num_records;
	arena->accessed[front.core_number][object.record % ARENA_OBJECTS] =
		object;
}

/* What is known of the lines, where other cores may have them, too. */
static inline void look_up(struct arena_line **who,
			   const struct privcache_request *requests,
			   unsigned num)
{
	unsigned i;

	for (i = 0; i < num; i++) {
		who[i] = holders_of(requests[i].line);
		__builtin_prefetch(who[i], true);
	}
}

/* One record after the other. Others are asked at the time of the access; then
 * the clock goes on by what it costs, where it has not to do with them. */
static inline void put_all(const struct privcache_request *requests,
			   unsigned num)
{
	struct arena_line *who[PRIVCACHE_MAX_REQUESTS];
	struct arena_core *core = front.core;
	bool is_shared = arena->is_shared;
	uint64_t next = arena->next, clock = core->clock;
	unsigned i;

	if (is_shared)
		look_up(who, requests, num);
	for (i = 0; i < num; i++) {
		struct arena_record *record = put(&requests[i], next++);

		if (!is_shared ||
		    requests[i].prefetch == UNCORE_PREFETCH_USED ||
		    !holders_ask(&record->access, who[i], common.data))
			clock += cost[record->access.kind];
		record->clock_and_thread |=
			(clock - core->out_clock) << 16 >> 16;
		core->num_records++;
		if (arena->has_stacks)
			put_object();
	}
	core->clock = clock;
	arena->next = next;
}

void stream_put(const struct privcache_request *requests, unsigned num,
		uint64_t code, uint64_t data, enum arena_use use,
		uint8_t depends)
{
	uint64_t before = arena->next;
	struct uncore_access *first =
		&arena->ring[before % ARENA_RECORDS].access;

	if (!make_room())
		return;
	set_common(code, data, use);
	stream_settle();
	put_all(requests, num);
	if (before >= arena->next_look)
		shares_look(requests, data, use);
	first->depends = depends;
	put_gap(first);
	finish(before);
}

void stream_pass_time(void)
{
	static const struct privcache_request nothing = {
		.kind = UNCORE_ACCESS_NONE,
	};

	if (!front_counts())
		return;
	stream_settle();
	if (passed() < QUIET_INSTRUCTIONS)
		return;
	stream_put(&nothing, 1, 0, 0, ARENA_LOAD, false);
}

void stream_event(enum arena_event event, uint32_t core, uint64_t data)
{
	uint64_t before = arena->next;
	struct arena_record *record;

	if (!make_room())
		return;
	if (front.core)
		stream_settle();
	record = &arena->ring[arena->next++ % ARENA_RECORDS];
	record->access = (struct uncore_access){ .kind = UNCORE_ACCESS_NONE };
	record->code = 0;
	record->data = data;
	record->clock = arena->cores[core].clock - arena->cores[core].out_clock;
	record->stack = 0;
	record->core = (uint8_t)core;
	record->thread = (uint16_t)front.thread_number;
	record->event = (uint8_t)event;
	if (front.core == &arena->cores[core])
		put_gap(&record->access);
	/* whoever woke its thread had the turn before */
	if (event == ARENA_BUSY && arena->last_core != core) {
		record->access.after_core = (uint8_t)(arena->last_core + 1);
		record->access.after =
			arena->cores[arena->last_core].num_records;
	}
	if (event != ARENA_IDLE && event != ARENA_PASS) /* no core takes them */
		arena->cores[core].num_records++;
	finish(before);
}
