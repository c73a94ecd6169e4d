/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the program was when a sample was taken: the interrupt remembers whose
 * access was the last one, and when the model stands still names are looked up.
 * The same few call stacks come again and again: those that were written are
 * remembered by what they are made of.
 *
 * All that is allocated at one site is one datum; how much that was is asked in
 * the end.
 */
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "tool/tool.h"
#include "uncore/model.h"
#include "uncore/program.h"
#include "uncore/recording.h"
#include "uncore/uncore.h"

enum { MANY_STACKS = 1024 };

struct place {
	uint64_t requester;
	struct uncore_program_origin origin;
	struct uncore_program_site site; /* of what was accessed */
	bool is_known, has_site;
};

/* Who has called, in a process. */
struct chain {
	long process;
	unsigned space, num_frames;
	uint64_t frames[UNCORE_ORIGIN_FRAMES];
};

struct record_stack {
	struct chain chain; /* without frames: none */
	long id;
};

/* A datum that allocation sites are, as the recording has it. */
struct record_size {
	uint64_t size_bytes, num_objects;
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

/* Their names are looked up as long as the process lives and the code is there;
 * what is found is remembered. How many there are: what lies behind where a
 * thread began is no caller. */
static unsigned look_at(struct uncore_symbols *symbols,
			const struct uncore_program_origin *at,
			const uint64_t *frames, unsigned num)
{
	struct uncore_position position;

	for (unsigned i = 0; i < num; i++) {
		uncore_symbols_find_caller(symbols, at->process, at->space,
					   frames[i], &position);
		if (uncore_symbols_is_outermost(symbols, at->process, at->space,
						frames[i]))
			return i + 1;
	}
	return num;
}

static void look_around(struct uncore_symbols *symbols, struct place *place)
{
	struct uncore_program_origin *at = &place->origin;
	struct uncore_position position;

	uncore_symbols_find(symbols, at->process, at->space, at->address,
			    &position);
	if (uncore_symbols_is_outermost(symbols, at->process, at->space,
					at->address + 1))
		at->num_frames = 0;
	at->num_frames = look_at(symbols, at, at->frames, at->num_frames);
	if (place->has_site)
		place->site.num_frames =
			look_at(symbols, at, place->site.frames,
				place->site.num_frames);
}

void record_place_note(void *context, uint64_t requester, void *note)
{
	const struct record *record = context;
	const struct uncore_program *program = record->target->run.program;
	struct place *place = note;

	place->is_known = program && uncore_program_origin(program, requester,
							   &place->origin);
	place->has_site =
		place->is_known &&
		uncore_program_site(program, place->origin.object.site,
				    &place->site);
	place->requester = requester;
	if (place->is_known && record->target->model)
		uncore_model_await_answer(record->target->model, requester);
	if (place->is_known && record->symbols)
		look_around(record->symbols, place);
}

/* Where a stack is remembered, or another one is. */
static struct record_stack *remembered(struct record *record,
				       const struct chain *chain)
{
	uint64_t hash = (uint64_t)chain->process * 31 + chain->space;

	if (!record->stacks)
		record->stacks = tool_new(MANY_STACKS, sizeof(*record->stacks));
	for (unsigned i = 0; i < chain->num_frames; i++)
		hash = (hash ^ chain->frames[i]) * 0x9e3779b97f4a7c15u;
	return &record->stacks[(hash >> 32) % MANY_STACKS];
}

static bool is_same(const struct chain *one, const struct chain *other)
{
	return one->num_frames == other->num_frames &&
	       one->process == other->process && one->space == other->space &&
	       !memcmp(one->frames, other->frames,
		       one->num_frames * sizeof(one->frames[0]));
}

/* The outermost caller is written first. */
static int write_stack(struct record *record, const struct chain *chain,
		       long *id, char **error)
{
	int code = 0;

	*id = -1;
	for (unsigned i = chain->num_frames; i-- && !code;) {
		struct uncore_position caller;
		long position;

		uncore_symbols_find_caller(record->symbols, chain->process,
					   chain->space, chain->frames[i],
					   &caller);
		code = uncore_recorder_position(record->recorder, &caller,
						&position, error);
		if (!code)
			code = uncore_recorder_stack(record->recorder, position,
						     *id, id, error);
	}
	return code;
}

static int find_stack(struct record *record,
		      const struct uncore_program_origin *at,
		      const uint64_t *frames, unsigned num_frames, long *id,
		      char **error)
{
	struct chain chain = { at->process, at->space, num_frames, { 0 } };
	struct record_stack *stack;
	int code;

	*id = -1;
	if (!num_frames)
		return 0;
	memcpy(chain.frames, frames, num_frames * sizeof(frames[0]));
	stack = remembered(record, &chain);
	if (is_same(&stack->chain, &chain)) {
		*id = stack->id;
		return 0;
	}
	code = write_stack(record, &chain, id, error);
	if (!code)
		*stack = (struct record_stack){ chain, *id };
	return code;
}

/* Data */

/* Where the datum of a site is remembered, plus 1; 0: it was not written. */
static long *datum_of(struct record *record, unsigned site)
{
	for (; record->num_sites <= site; record->num_sites++) {
		record->sites = tool_more(record->sites, record->num_sites,
					  sizeof(*record->sites));
		record->sites[record->num_sites] = 0;
	}
	return &record->sites[site];
}

static int write_site(struct record *record, const struct place *place,
		      long *id, char **error)
{
	struct uncore_datum datum = {
		.kind = UNCORE_DATUM_ALLOCATED,
		.symbol = place->site.function,
		.thread = -1,
		.size_bytes = place->site.most_bytes,
		.num_objects = place->site.objects,
	};
	long *known = datum_of(record, place->origin.object.site);
	int code;

	*id = *known - 1;
	if (*id >= 0)
		return 0;
	code = find_stack(record, &place->origin, place->site.frames,
			  place->site.num_frames, &datum.stack, error);
	if (!code)
		code = uncore_recorder_datum(record->recorder, &datum, id,
					     error);
	if (!code)
		*known = *id + 1;
	return code;
}

/* Sites of several processes may be the same in names, and so one datum. */
void record_place_end(struct record *record)
{
	struct record_size *sizes;
	struct uncore_program_site site;
	long num = 0;

	if (record->target->run.program &&
	    uncore_program_site(record->target->run.program,
				UNCORE_PROGRAM_OTHER_SITES, &site))
		record_meta(record, "sites_told", "%.0f", UNCORE_PROGRAM_SITES);
	for (size_t i = 0; i < record->num_sites; i++)
		num = record->sites[i] > num ? record->sites[i] : num;
	sizes = tool_new((size_t)num, sizeof(*sizes));
	for (size_t i = 0; i < record->num_sites; i++)
		if (record->sites[i] &&
		    uncore_program_site(record->target->run.program,
					(unsigned)i, &site)) {
			sizes[record->sites[i] - 1].size_bytes +=
				site.most_bytes;
			sizes[record->sites[i] - 1].num_objects += site.objects;
		}
	for (long i = 0; i < num && !record->status; i++) {
		char *error = NULL;

		if (sizes[i].num_objects)
			record_failed(record,
				      uncore_recorder_datum_size(
					      record->recorder, i,
					      sizes[i].size_bytes,
					      sizes[i].num_objects, &error),
				      error);
	}
	free(sizes);
}

/* What is no block has a better name, if any. */
static int find_datum(struct record *record, const struct place *place,
		      struct uncore_sampled_access *access, char **error)
{
	const struct uncore_program_origin *at = &place->origin;
	struct uncore_datum datum = { .kind = UNCORE_DATUM_ANONYMOUS };
	bool is_known = false;
	int code = 0;

	if (!place->has_site || !at->object.is_block)
		is_known = uncore_symbols_find_datum(
			record->symbols, at->process, at->space, at->data,
			&datum, &access->offset);
	if (place->has_site && (datum.kind == UNCORE_DATUM_ANONYMOUS ||
				datum.kind == UNCORE_DATUM_HEAP)) {
		access->offset = at->data - at->object.start;
		return write_site(record, place, &access->datum, error);
	}
	if (!is_known)
		return 0;
	access->field = datum.field;
	if (datum.kind == UNCORE_DATUM_STACK && at->object.owner)
		code = uncore_recorder_thread(record->recorder, at->process,
					      at->object.owner, NULL,
					      &datum.thread, error);
	if (!code)
		code = uncore_recorder_datum(record->recorder, &datum,
					     &access->datum, error);
	return code;
}

/* What was accessed; not known of a program that does not tell addresses. */
static int find_access(struct record *record, const struct place *place,
		       struct uncore_sampled_access *access, char **error)
{
	const struct uncore_program_origin *at = &place->origin;
	int code = 0;

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
		.touch_core = at->touch_thread ? (long)at->touch_core : -1,
		.touch_thread = -1,
	};
	if (at->touch_thread)
		code = uncore_recorder_thread(
			record->recorder, at->touch_process, at->touch_thread,
			NULL, &access->touch_thread, error);
	if (!code)
		code = find_datum(record, place, access, error);
	if (!code)
		code = find_stack(record, at, at->frames, at->num_frames,
				  &access->stack, error);
	return code;
}

static int find(struct record *record, const struct place *place,
		struct uncore_sample *sample, char **error)
{
	const struct uncore_program_origin *at = &place->origin;
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
		code = find_access(record, place, &sample->access, error);
	return code;
}

/* Who answered, and how long that took. */
static void find_answer(const struct record *record, uint64_t requester,
			struct uncore_sampled_access *access)
{
	static const char *const from[] = {
		[UNCORE_ANSWER_LLC] = "llc",
		[UNCORE_ANSWER_CORE] = "core",
		[UNCORE_ANSWER_CORE_MODIFIED] = "core hitm",
		[UNCORE_ANSWER_REMOTE_MODIFIED] = "remote hitm",
		[UNCORE_ANSWER_REMOTE] = "remote cache",
		[UNCORE_ANSWER_REMOTE_MEMORY] = "remote memory",
		[UNCORE_ANSWER_LOCAL_MEMORY] = "local memory",
		[UNCORE_ANSWER_IO] = "io",
	};
	struct uncore_model *model = record->target->model;
	struct uncore_answer answer;

	if (!model || !uncore_model_answer(model, requester, &answer))
		return;
	access->answered = from[answer.from];
	access->latency_seconds = answer.cycles / record->clock_hz;
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
	code = find(record, place, sample, &error);
	if (sample->access.is_known)
		find_answer(record, place->requester, &sample->access);
	record_failed(record, code, error);
}

void record_place_close(struct record *record)
{
	uncore_symbols_free(record->symbols);
	free(record->stacks);
	free(record->sites);
}
