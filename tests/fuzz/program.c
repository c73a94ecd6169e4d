/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a program's front end writes to the memory that it shares with the
 * model, and so can the program: the head's numbers, records, and what is known
 * of lines. The model takes what there is, or gives the program up.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/traffic/program.h"
#include "tests/fuzz/fuzz.h"
#include "uncore/model.h"

enum {
	NUM_CORES = 2,
	MAX_RECORDS = 64,
	MAX_CYCLES = 100000,
	IS_RAW = 0x80,
	PLAIN_KINDS = 4,
};

static struct arena *arena;

/* Memory that is there where it is touched, and 0 again for each input. */
static void need_arena(void)
{
	if (arena) {
		madvise(arena, sizeof(*arena), MADV_DONTNEED);
		return;
	}
	arena = mmap(NULL, sizeof(*arena), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	fuzz_must(arena != MAP_FAILED, "no room for the shared memory");
}

/* As a front end writes it, but for what it is about. */
static void put_plain(struct arena_record *record, unsigned what,
		      struct fuzz_bytes *bytes)
{
	uint64_t flags = fuzz_number(bytes, 1);

	*record = (struct arena_record){
		.access = {
			.line = fuzz_number(bytes, flags & 0x80 ? 4 : 1),
			.gap = (uint32_t)fuzz_number(bytes, 1),
			.kind = (uint8_t)(what % PLAIN_KINDS),
			.depends = flags & 1,
			.waits = flags >> 1 & 1,
			.is_read = flags >> 2 & 1,
		},
		.code = flags & 8 ? 0x400000 : 0,
		.data = flags >> 4 & 7,
		.core = what >> 4 & 1,
		.event = what >> 5 & 3,
	};
}

static void put_raw(struct arena_record *record, struct fuzz_bytes *bytes)
{
	uint8_t *at = (uint8_t *)record;

	for (size_t i = 0; i < sizeof(*record) && bytes->size; i++)
		at[i] = (uint8_t)fuzz_number(bytes, 1);
}

/* The number of records, and other numbers that somebody has changed. */
static void fill(struct fuzz_bytes *bytes)
{
	unsigned change = (unsigned)fuzz_number(bytes, 1);
	uint64_t number = change & 1 ? fuzz_number(bytes, 8) : 0;
	unsigned num = 0;

	while (bytes->size && num < MAX_RECORDS) {
		struct arena_record *record = &arena->ring[num++];
		unsigned what = (unsigned)fuzz_number(bytes, 1);

		if (what & IS_RAW)
			put_raw(record, bytes);
		else
			put_plain(record, what, bytes);
	}
	atomic_store(&arena->head, change & 2 ? number : num);
	atomic_store(&arena->wake_at, change & 4 ? number : 0);
	atomic_store(&arena->num_threads,
		     change & 8 ? (uint32_t)number : NUM_CORES);
	atomic_store(&arena->victims_head, change & 16 ? number : 0);
	arena->stacks[1].frames[0] = number;
	arena->regions[0][0] = (char)number;
}

/* Whether the model has come to rest. */
static bool use(struct uncore_program *program, struct uncore_model *model)
{
	struct uncore_program_origin origin;
	struct uncore_program_progress progress;
	struct uncore_program_mark mark;
	unsigned rounds = 0;
	bool is_over;

	while (!(is_over = uncore_model_finish(model, MAX_CYCLES, NULL)) &&
	       uncore_program_mark(program, &mark))
		fuzz_must(rounds++ <= MAX_RECORDS && mark.core < NUM_CORES,
			  "more marks than records");
	if (uncore_program_origin(program, UINT64_C(1) << 48 | 1, &origin))
		fuzz_must(origin.core < NUM_CORES && !origin.home &&
				  origin.num_frames <= UNCORE_ORIGIN_FRAMES,
			  "an origin that cannot be");
	uncore_program_progress(program, &progress);
	return is_over;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	struct uncore_program program = {
		.files = { -1, -1, -1 },
		.ended = true,
		.stopped = 1,
		.num_cores = NUM_CORES,
		.num_sockets = 1,
		.frames_per_socket = ARENA_MAX_FRAMES,
		.stops_at_marks = true,
	};
	struct uncore_traffic traffic;

	need_arena();
	program.arena = arena;
	program.model = fuzz_kept_model(NULL);
	program.num_lines = uncore_model_memory_lines(program.model, 0);
	arena->num_sockets = 1;
	arena->num_frames[0] = (uint32_t)(program.num_lines / 64);
	fill(&bytes);
	uncore_program_traffic(&program, &traffic);
	uncore_model_set_traffic(program.model, &traffic);
	/* where accesses wait for what never comes, they are under way still */
	if (!use(&program, program.model))
		fuzz_drop_model();
	for (unsigned i = 0; i < NUM_CORES; i++)
		free(program.cores[i].queue);
	return 0;
}
