/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the program was when a sample was taken: the interrupt remembers whose
 * access was the last one, and when the model stands still names are looked up.
 * The same few call stacks come again and again: those that were written are
 * remembered by what they are made of.
 */
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "uncore/program.h"
#include "uncore/recording.h"
#include "uncore/uncore.h"

enum { MANY_STACKS = 1024 };

struct place {
	struct uncore_program_origin origin;
	bool is_known;
};

struct record_stack {
	long process;
	unsigned space, num_frames; /* 0: none */
	uint64_t frames[UNCORE_ORIGIN_FRAMES];
	long id;
};

static const enum uncore_sampled_use uses[] = {
	[UNCORE_USE_LOAD] = UNCORE_SAMPLED_LOAD,
	[UNCORE_USE_STORE] = UNCORE_SAMPLED_STORE,
	[UNCORE_USE_FETCH] = UNCORE_SAMPLED_FETCH,
	[UNCORE_USE_PREFETCH] = UNCORE_SAMPLED_PREFETCH,
	[UNCORE_USE_LOCK] = UNCORE_SAMPLED_LOCK,
	[UNCORE_USE_FLUSH] = UNCORE_SAMPLED_FLUSH,
	[UNCORE_USE_STREAM] = UNCORE_SAMPLED_STREAM,
	[UNCORE_USE_WALK] = UNCORE_SAMPLED_WALK,
	[UNCORE_USE_KERNEL] = UNCORE_SAMPLED_KERNEL,
};
static const size_t num_uses = sizeof(uses) / sizeof(uses[0]);

size_t record_place_bytes(void)
{
	return sizeof(struct place);
}

/* As long as the process lives and the code is there; what is found is
 * remembered. What lies behind where a thread began is no caller. */
static void look_around(struct uncore_symbols *symbols,
			struct uncore_program_origin *at)
{
	struct uncore_position position;
	unsigned num = 0;

	uncore_symbols_find(symbols, at->process, at->space, at->address,
			    &position);
	if (uncore_symbols_is_outermost(symbols, at->process, at->space,
					at->address + 1))
		at->num_frames = 0;
	while (num < at->num_frames && num < UNCORE_ORIGIN_FRAMES) {
		uint64_t frame = at->frames[num++];

		uncore_symbols_find_caller(symbols, at->process, at->space,
					   frame, &position);
		if (uncore_symbols_is_outermost(symbols, at->process, at->space,
						frame))
			break;
	}
	at->num_frames = num;
}

void record_place_note(void *context, uint64_t requester, void *note)
{
	const struct record *record = context;
	const struct uncore_program *program = record->subject->run.program;
	struct place *place = note;

	place->is_known = program && uncore_program_origin(program, requester,
							   &place->origin);
	if (place->is_known && record->symbols)
		look_around(record->symbols, &place->origin);
}

/* Where a stack is remembered, or another one is. */
static struct record_stack *remembered(struct record *record,
				       const struct uncore_program_origin *at)
{
	uint64_t hash = (uint64_t)at->process * 31 + at->space;

	if (!record->stacks)
		record->stacks = calloc(MANY_STACKS, sizeof(*record->stacks));
	for (unsigned i = 0; i < at->num_frames; i++)
		hash = (hash ^ at->frames[i]) * 0x9e3779b97f4a7c15u;
	return record->stacks ? &record->stacks[(hash >> 32) % MANY_STACKS]
			      : NULL;
}

static bool is_same(const struct record_stack *stack,
		    const struct uncore_program_origin *at)
{
	return stack->num_frames == at->num_frames &&
	       stack->process == at->process && stack->space == at->space &&
	       !memcmp(stack->frames, at->frames,
		       stack->num_frames * sizeof(at->frames[0]));
}

/* The outermost caller is written first. */
static int write_stack(struct record *record,
		       const struct uncore_program_origin *at, long *id,
		       char **error)
{
	int code = 0;

	*id = -1;
	for (unsigned i = at->num_frames; i-- && !code;) {
		struct uncore_position caller;
		long position;

		uncore_symbols_find_caller(record->symbols, at->process,
					   at->space, at->frames[i], &caller);
		code = uncore_recorder_position(record->recorder, &caller,
						&position, error);
		if (!code)
			code = uncore_recorder_stack(record->recorder, position,
						     *id, id, error);
	}
	return code;
}

static int find_stack(struct record *record,
		      const struct uncore_program_origin *at, long *id,
		      char **error)
{
	struct record_stack *stack;
	int code;

	*id = -1;
	if (!at->num_frames)
		return 0;
	stack = remembered(record, at);
	if (stack && is_same(stack, at)) {
		*id = stack->id;
		return 0;
	}
	code = write_stack(record, at, id, error);
	if (code || !stack)
		return code;
	stack->process = at->process;
	stack->space = at->space;
	stack->num_frames = at->num_frames;
	stack->id = *id;
	memcpy(stack->frames, at->frames,
	       stack->num_frames * sizeof(at->frames[0]));
	return 0;
}

/* What was accessed; not known of a program that does not tell addresses. */
static int find_access(struct record *record,
		       const struct uncore_program_origin *at,
		       struct uncore_sampled_access *access, char **error)
{
	struct uncore_datum datum;

	if (!at->data && !at->line)
		return 0;
	*access = (struct uncore_sampled_access){
		.is_known = true,
		.use = (size_t)at->use < num_uses ? uses[at->use]
						  : UNCORE_SAMPLED_LOAD,
		.address = at->data,
		.line = at->line,
		.core = at->core,
		.home = at->home,
		.stack = -1,
		.datum = -1,
	};
	if (!uncore_symbols_find_datum(record->symbols, at->process, at->space,
				       at->data, &datum, &access->offset))
		return 0;
	return uncore_recorder_datum(record->recorder, &datum, &access->datum,
				     error);
}

static int find(struct record *record, const struct uncore_program_origin *at,
		struct uncore_sample *sample, char **error)
{
	struct uncore_position position;
	int code;

	uncore_symbols_find(record->symbols, at->process, at->space,
			    at->address, &position);
	code = uncore_recorder_position(record->recorder, &position,
					&sample->position, error);
	if (!code)
		code = uncore_recorder_thread(record->recorder, at->process,
					      at->thread, NULL, &sample->thread,
					      error);
	if (!code)
		code = find_access(record, at, &sample->access, error);
	if (!code && sample->access.is_known)
		code = find_stack(record, at, &sample->access.stack, error);
	return code;
}

void record_place_find(struct record *record, const void *note,
		       struct uncore_sample *sample)
{
	const struct place *place = note;
	char *error = NULL;
	int code;

	if (!place || !place->is_known)
		return;
	if (!record->symbols)
		record->symbols = uncore_symbols_new();
	if (!record->symbols)
		return;
	code = find(record, &place->origin, sample, &error);
	if (code)
		record_failed(record, code, error);
}

void record_place_close(struct record *record)
{
	uncore_symbols_free(record->symbols);
	free(record->stacks);
}
