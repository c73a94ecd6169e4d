/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The accesses of a program, core by core, as the model asks for them.
 *
 * The stream is one for all cores and is read in its order, only when a core
 * that is busy by what was read wants its next access: what is read for others
 * on the way is kept for them. So what the model does depends on nothing but
 * the stream. When all cores are idle the stream is read until one is not; the
 * model's time stands still meanwhile, so that it does not depend on how fast
 * the program runs here.
 *
 * Records a little ahead are looked at, one for each that is read, so that the
 * host has the tags near when the model looks for the line. That is not to read
 * them: nothing that the model does, or when, depends on it.
 *
 * A mark is an instruction that waits for the loads before it. The core that
 * has it reaches it when it asks for what follows, and there it stays until the
 * mark was taken; the model's run ends meanwhile.
 */
#include "model/traffic/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum {
	TELL_RECORDS = 64, /* records between two publications of the tail */
	LOOK_AHEAD = 16,   /* records */
	NAP_NS = 2 * 1000 * 1000,
	REAP_NAPS = 16,
	FIRST_ROOM = 64,
};

/* Says how far the stream has been read, and wakes who wants room. */
static void tell(struct uncore_program *program)
{
	struct arena *arena = program->arena;
	uint64_t wake_at;

	atomic_store(&arena->tail, program->tail);
	wake_at = atomic_load(&arena->wake_at);
	if (!wake_at || program->tail < wake_at)
		return;
	atomic_store(&arena->wake_at, 0);
	atomic_fetch_add(&arena->room, 1);
	program_wake(&arena->room);
}

/* The program can write to what it shares. */
static bool fail(struct uncore_program *program)
{
	program->has_failed = true;
	uncore_program_stop(program);
	return false;
}

/* No front end writes more than the ring holds, or waits until more is read
 * than it has written. */
static bool look(struct uncore_program *program)
{
	uint64_t wake_at = atomic_load(&program->arena->wake_at);

	program->head = atomic_load(&program->arena->head);
	if (program->head - program->tail > ARENA_RECORDS ||
	    wake_at > program->head) {
		program->head = program->tail;
		return fail(program);
	}
	return program->head != program->tail;
}

/* All that was published is read, and time stands until more is. */
static void tell_times(struct uncore_program *program)
{
	unsigned i;

	if (!program->arena->clock_hz)
		return;
	for (i = 0; i < program->num_cores; i++) {
		const struct program_core *core = &program->cores[i];
		struct arena_time *time = &program->arena->times[i];

		model_core_time(program->model, i, &time->cycles, &time->busy);
		time->clock = core->is_waking ? 0 : core->clock;
	}
}

/* Cores that were to be woken are told, too. */
static void end_all(struct uncore_program *program)
{
	unsigned i;

	program->drained = true;
	for (i = 0; program->model && i < program->num_cores; i++)
		uncore_model_wake(program->model, i);
}

/* Waits until there is a record; false when there will be none. */
static bool await_record(struct uncore_program *program)
{
	struct arena *arena = program->arena;
	unsigned naps;

	tell_times(program);
	for (naps = 0;; naps++) {
		uint32_t bell = atomic_load(&arena->doorbell);
		bool over;

		atomic_store(&arena->waiting, 1);
		tell(program);
		/* The end is looked for first: what was published before it
		 * is then seen for certain. */
		over = program->ended || atomic_load(&program->stopped);
		if (look(program))
			break;
		if (over) {
			end_all(program);
			break;
		}
		program_wait(&arena->doorbell, bell, NAP_NS);
		if (program_poll(program))
			continue;
		if (naps % REAP_NAPS == REAP_NAPS - 1)
			program_reap(program);
	}
	atomic_store(&arena->waiting, 0);
	return !program->drained;
}

/* The clocks that the cores' accesses had where the model is now; 0 of a core
 * that sleeps, whose clock stands while time passes. */
static void end_window(struct uncore_program *program)
{
	uint64_t *clocks =
		program->arena->clocks[program->tail / ARENA_WINDOW % 4];
	unsigned i;

	for (i = 0; i < program->num_cores; i++) {
		const struct program_core *core = &program->cores[i];

		clocks[i] = core->is_busy && !core->is_waking ? core->clock : 0;
	}
	tell(program);
}

static bool keep(struct uncore_program *program, struct program_core *core,
		 const struct arena_record *record)
{
	if (core->count == core->room) {
		size_t room = core->room ? core->room * 2 : FIRST_ROOM;
		struct arena_record *queue =
			aligned_alloc(sizeof(*queue), room * sizeof(*queue));
		size_t i;

		if (!queue)
			return fail(program);
		for (i = 0; i < core->count; i++)
			queue[i] = core->queue[(core->first + i) &
					       (core->room - 1)];
		free(core->queue);
		core->queue = queue;
		core->room = room;
		core->first = 0;
	}
	core->queue[(core->first + core->count++) & (core->room - 1)] = *record;
	return true;
}

/* The process waits before it takes code away until what it did before is read,
 * so its map can be read now. */
static void tell_space(const struct uncore_program *program,
		       struct program_core *core,
		       const struct arena_record *record)
{
	if (!program->on_space || !record->code ||
	    (record->space == core->space && record->thread == core->thread))
		return;
	core->space = record->space;
	core->thread = record->thread;
	program->on_space(
		program->context,
		program->arena->threads[record->thread % ARENA_MAX_THREADS].pid,
		record->space, record->code);
}

static void set_busy(struct uncore_program *program, unsigned index, bool busy)
{
	struct program_core *core = &program->cores[index];

	if (core->is_busy == busy)
		return;
	core->is_busy = busy;
	core->is_waking = busy;
	program->num_busy += busy;
	program->num_busy -= !busy;
	if (busy && program->model)
		uncore_model_wake(program->model, index);
}

/* A record that no front end writes does not reach the model. */
static bool is_sound(const struct uncore_program *program,
		     const struct arena_record *record)
{
	const struct uncore_access *access = &record->access;

	return record->core < program->num_cores &&
	       access->kind < UNCORE_NUM_ACCESS_KINDS &&
	       access->after_core <= program->num_cores &&
	       access->line < program->num_lines &&
	       (!access->prefetch || access->kind == UNCORE_ACCESS_READ ||
		access->kind == UNCORE_ACCESS_CODE ||
		(access->kind == UNCORE_ACCESS_OWN && access->to_llc) ||
		access->prefetch == UNCORE_PREFETCH_USED) &&
	       access->prefetch <= UNCORE_PREFETCH_USED &&
	       record->use <= UNCORE_USE_KERNEL;
}

/* The record may be unsound, and the program may write to it meanwhile. */
static void look_ahead(const struct uncore_program *program)
{
	uint64_t number = program->tail + LOOK_AHEAD;
	const volatile struct arena_record *record =
		&program->arena->ring[number % ARENA_RECORDS];
	unsigned core;

	if (number >= program->head || !program->model)
		return;
	core = record->core;
	if (core < program->num_cores)
		model_expect(program->model, core, record->access.line);
}

/* The core is woken then, and goes on reading. */
static void pass_until(struct uncore_program *program,
		       const struct arena_record *record)
{
	if (!program->num_busy && program->model)
		program->passes_until = model_wake_at(
			program->model, record->core, record->data);
}

/* Copies the next record of the stream, to which the program may write
 * meanwhile: the compiler must not look at it there again. */
static const struct arena_record *copy_record(struct uncore_program *program)
{
	program->read = program->arena->ring[program->tail % ARENA_RECORDS];
	atomic_signal_fence(memory_order_seq_cst);
	return &program->read;
}

/* The next record of the stream goes to its core; false when there is none. The
 * core that wants one has it at once. */
static bool read_record(struct uncore_program *program, unsigned wants,
			bool *has_one)
{
	const struct arena_record *record;
	struct program_core *core;

	if (program->head == program->tail && !look(program) &&
	    !await_record(program))
		return false;
	look_ahead(program);
	record = copy_record(program);
	if (!is_sound(program, record))
		return fail(program);
	core = &program->cores[record->core];
	if (record->event == ARENA_IDLE)
		set_busy(program, record->core, false);
	else if (record->event == ARENA_PASS)
		pass_until(program, record);
	else if (record->core != wants && !keep(program, core, record))
		return false;
	else
		set_busy(program, record->core, true);
	*has_one = record->core == wants && record->event != ARENA_IDLE &&
		   record->event != ARENA_PASS;
	if (*has_one)
		core->next = *record;
	tell_space(program, core, record);
	if (++program->tail % ARENA_WINDOW == 0)
		end_window(program);
	else if (program->tail % TELL_RECORDS == 0)
		tell(program);
	return true;
}

/* For samples; without memory nobody knows who it was. */
static void remember(struct program_core *core)
{
	if (!core->past)
		core->past = aligned_alloc(sizeof(*core->past),
					   PROGRAM_PAST * sizeof(*core->past));
	if (core->past)
		core->past[core->num_taken % PROGRAM_PAST] = core->next;
}

static void take_kept(struct program_core *core)
{
	core->next = core->queue[core->first];
	core->first = (core->first + 1) & (core->room - 1);
	core->count--;
}

/* What is next of the core. */
static void give(const struct uncore_program *program,
		 struct program_core *core, struct uncore_access *access)
{
	core->num_taken++;
	if (program->arena->has_stacks)
		remember(core);
	core->clock = core->next.clock;
	if (core->next.event == ARENA_BUSY) { /* with the clock of before */
		core->clock = 0;
		core->is_waking = false;
	}
	*access = core->next.access;
}

static bool is_mark(const struct arena_record *record)
{
	return record->event == ARENA_BEGIN || record->event == ARENA_END;
}

/* Whether a mark keeps the core from what follows. */
static bool is_at_mark(struct uncore_program *program, unsigned index)
{
	struct program_core *core = &program->cores[index];

	if (core->mark == PROGRAM_MARK_AHEAD) {
		core->mark = PROGRAM_MARK_REACHED;
		program->marks[program->num_marks++] = index;
		uncore_model_pause(program->model);
	}
	return core->mark != PROGRAM_NO_MARK;
}

/* The program can write to what it shares. */
static void name_region(const struct uncore_program *program, uint64_t number,
			char *name)
{
	if (number >= ARENA_MAX_REGIONS)
		number = ARENA_MAX_REGIONS - 1;
	snprintf(name, UNCORE_PROGRAM_REGION_BYTES, "%.*s",
		 UNCORE_PROGRAM_REGION_BYTES - 1,
		 program->arena->regions[number]);
}

bool uncore_program_mark(struct uncore_program *program,
			 struct uncore_program_mark *mark)
{
	struct program_core *core;
	unsigned index;

	if (!program->num_marks)
		return false;
	index = program->marks[0];
	core = &program->cores[index];
	program->num_marks--;
	memmove(program->marks, program->marks + 1,
		program->num_marks * sizeof(program->marks[0]));
	*mark = (struct uncore_program_mark){
		.begins = core->next.event == ARENA_BEGIN,
		.core = index,
		.thread = core->next.thread,
	};
	name_region(program, core->next.data, mark->region);
	core->mark = PROGRAM_NO_MARK;
	uncore_model_wake(program->model, index);
	return true;
}

/* No core has anything to do until then. */
static bool passes(const struct uncore_program *program)
{
	return program->passes_until &&
	       !model_has_reached(program->model, program->passes_until);
}

void uncore_program_look(struct uncore_program *program)
{
	enum {
		LOOKS = 1024
	}; /* until its death is looked for, a system call */
	uint32_t heard;

	if (!passes(program))
		return;
	heard = atomic_load(&program->arena->num_heard);
	if (heard == program->num_heard &&
	    (++program->num_looks % LOOKS || !program_poll(program)))
		return;
	program->num_heard = heard;
	if (model_end_wait(program->model))
		program->passes_until = 0;
}

int program_next(void *context, unsigned index, struct uncore_access *access)
{
	struct uncore_program *program = context;
	struct program_core *core = &program->cores[index];

	bool has_one = core->count;

	if (is_at_mark(program, index))
		return -1;
	if (has_one)
		take_kept(core);
	while (!has_one) {
		if (program->drained)
			return 0;
		if (!core->is_busy && program->num_busy)
			return -1;
		if (!core->is_busy && passes(program))
			return -2;
		if (!read_record(program, index, &has_one))
			return program->drained ? 0 : -1;
	}
	give(program, core, access);
	if (is_mark(&core->next)) {
		access->depends = 1;
		if (program->stops_at_marks && program->model)
			core->mark = PROGRAM_MARK_AHEAD;
	}
	return 1;
}

static unsigned home_of(const struct uncore_program *program, uint64_t line)
{
	const struct arena *arena = program->arena;
	uint64_t frame = line / ARENA_LINES_PER_PAGE;
	unsigned i;

	for (i = 0; i < program->num_sockets; i++)
		if (frame - arena->first_frame[i] < arena->num_frames[i])
			return i;
	return 0;
}

/* How many there are. */
static unsigned copy_frames(const struct arena_stack *stack,
			    uint64_t frames[UNCORE_ORIGIN_FRAMES])
{
	unsigned num = 0;

	while (num < UNCORE_ORIGIN_FRAMES &&
	       (frames[num] = stack->frames[num]) != 0)
		num++;
	return num;
}

bool uncore_program_site(const struct uncore_program *program, unsigned number,
			 struct uncore_program_site *site)
{
	static const char *const functions[ARENA_NUM_FUNCTIONS] = {
		[ARENA_MALLOC] = "malloc",
		[ARENA_CALLOC] = "calloc",
		[ARENA_REALLOC] = "realloc",
		[ARENA_ALIGNED] = "aligned_alloc",
		[ARENA_NEW] = "operator new",
		[ARENA_NEW_ARRAY] = "operator new[]",
		[ARENA_MMAP] = "mmap",
		[ARENA_BRK] = "brk",
		[ARENA_ANY] = "other sites",
	};
	const struct arena_site *found;

	_Static_assert((int)ARENA_OTHERS == (int)UNCORE_PROGRAM_OTHER_SITES &&
			       (int)ARENA_STACKS_TOLD ==
				       (int)UNCORE_PROGRAM_SITES,
		       "the header's numbers are the arena's");
	if (!number || number >= ARENA_MAX_STACKS)
		return false;
	found = &program->arena->sites[number];
	*site = (struct uncore_program_site){
		.function = functions[found->function % ARENA_NUM_FUNCTIONS],
		.objects = found->objects,
		.bytes = found->bytes,
		.live_bytes = found->live_bytes,
		.most_bytes = found->most_bytes,
	};
	site->num_frames =
		copy_frames(&program->arena->site_stacks[number], site->frames);
	return site->function;
}

/* Where the front end has left it for the access, and for none since. */
static void add_object(const struct arena *arena, uint64_t number,
		       struct uncore_program_origin *origin)
{
	const struct arena_object *object =
		&arena->accessed[origin->core][number % ARENA_OBJECTS];
	const struct arena_thread *thread;

	if (object->record != (uint32_t)number)
		return;
	origin->object = (struct uncore_program_object){
		.start = object->start,
		.size_bytes = object->size_bytes,
		.site = object->site,
		.is_block = object->is_block,
	};
	if (object->owner)
		origin->object.owner =
			arena->threads[(object->owner - 1) % ARENA_MAX_THREADS]
				.tid;
	if (!object->toucher)
		return;
	thread = &arena->threads[(object->toucher - 1) % ARENA_MAX_THREADS];
	origin->touch_process = thread->pid;
	origin->touch_thread = thread->tid;
	origin->touch_core = object->touch_core;
}

/* As uncore_traffic.reads. The table is shared with the program. */
uint16_t program_reads(void *context, uint64_t line, unsigned begun)
{
	struct uncore_program *program = context;
	struct arena_line *who =
		arena_line_of(program->arena, program->frames_per_socket,
			      program->num_sockets, line);

	return (uint16_t)(atomic_fetch_add(&who->reads_begun, begun) + begun);
}

/* The record with a number, or NULL. */
static const struct arena_record *past_record(const struct program_core *core,
					      uint64_t number)
{
	if (!core->past || !number || number > core->num_taken ||
	    core->num_taken - number >= PROGRAM_PAST)
		return NULL;
	return &core->past[number % PROGRAM_PAST];
}

/* The line that an access was to. It stands with the write-back of another one
 * that it drove out. */
static uint64_t line_of(const struct program_core *core, uint64_t number,
			const struct arena_record *code)
{
	enum { AROUND = PRIVCACHE_MAX_REQUESTS };

	for (uint64_t i = number > AROUND ? number - AROUND : 1;
	     code->access.kind == UNCORE_ACCESS_WRITEBACK &&
	     i <= number + AROUND;
	     i++) {
		const struct arena_record *other = past_record(core, i);

		if (other && other->code == code->code &&
		    other->data == code->data && other->event == ARENA_ACCESS &&
		    other->access.kind != UNCORE_ACCESS_WRITEBACK &&
		    other->access.line % ARENA_LINES_PER_PAGE ==
			    code->data / 64 % ARENA_LINES_PER_PAGE)
			return other->access.line;
	}
	return code->access.line;
}

bool uncore_program_origin(const struct uncore_program *program,
			   uint64_t requester,
			   struct uncore_program_origin *origin)
{
	uint64_t number = requester & ((UINT64_C(1) << 48) - 1), line;
	unsigned index = (unsigned)(requester >> 48) - 1;
	const struct program_core *core;
	const struct arena_record *code;
	const struct arena_thread *thread;

	if (index >= program->num_cores)
		return false;
	core = &program->cores[index];
	code = past_record(core, number);
	if (!code || !code->code)
		return false;
	line = line_of(core, number, code);
	thread = &program->arena->threads[code->thread % ARENA_MAX_THREADS];
	*origin = (struct uncore_program_origin){
		.address = code->code,
		.data = code->data,
		.line = line,
		.use = (enum uncore_program_use)code->use,
		.home = home_of(program, line),
		.process = thread->pid,
		.thread = thread->tid,
		.space = code->space,
		.core = index,
	};
	if (code->stack)
		origin->num_frames = copy_frames(
			&program->arena->stacks[code->stack], origin->frames);
	if (program->arena->has_stacks)
		add_object(program->arena, number, origin);
	return true;
}

/* The line leaves the private caches a fixed number of records behind. */
bool program_invalidate(void *context, unsigned index, uint64_t line,
			bool downgrade)
{
	struct uncore_program *program = context;
	struct arena *arena = program->arena;
	uint64_t head = atomic_load(&arena->victims_head);

	arena->victims[head % ARENA_VICTIMS] = (struct arena_victim){
		.line = line,
		.read = program->tail,
		.core = index,
		.downgrade = downgrade,
	};
	atomic_store(&arena->victims_head, head + 1);
	return false;
}
