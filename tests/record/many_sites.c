/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore record` does with samples of data that was allocated at many
 * sites, each called from a place of its own: `many_sites FILE NUMBER`. The
 * program and its symbols are made up, the recording is real. linear.py counts
 * the instructions.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tool/record/record.h"
#include "tool/tool.h"
#include "uncore/uncore.h"

enum { SITE_BYTES = 64, CODE = 0x1000, HEAP = 1 << 30, HOUR_SECONDS = 3600 };

static unsigned made;

bool uncore_program_origin(const struct uncore_program *program,
			   uint64_t requester,
			   struct uncore_program_origin *origin)
{
	(void)program;
	*origin = (struct uncore_program_origin){
		.address = CODE,
		.data = HEAP + requester * SITE_BYTES,
		.line = requester,
		.process = 1,
		.thread = 1,
		.object = { .start = HEAP + requester * SITE_BYTES,
			    .size_bytes = SITE_BYTES,
			    .site = (unsigned)requester,
			    .is_block = true },
	};
	return true;
}

bool uncore_program_site(const struct uncore_program *program, unsigned number,
			 struct uncore_program_site *site)
{
	(void)program;
	*site = (struct uncore_program_site){
		.function = "malloc",
		.objects = 1,
		.most_bytes = SITE_BYTES,
		.num_frames = 2,
		.frames = { CODE + number, CODE },
	};
	return number;
}

void record_meta(struct record *record, const char *key, const char *format,
		 double value)
{
	(void)record;
	(void)key;
	(void)format;
	(void)value;
}

void uncore_symbols_find_caller(struct uncore_symbols *symbols, long process,
				unsigned space, uint64_t address,
				struct uncore_position *position)
{
	(void)symbols;
	(void)process;
	(void)space;
	*position = (struct uncore_position){ .address = address,
					      .object = "/bin/x",
					      .symbol = "main" };
}

void uncore_symbols_find(struct uncore_symbols *symbols, long process,
			 unsigned space, uint64_t address,
			 struct uncore_position *position)
{
	uncore_symbols_find_caller(symbols, process, space, address, position);
}

bool uncore_symbols_is_outermost(struct uncore_symbols *symbols, long process,
				 unsigned space, uint64_t address)
{
	(void)symbols;
	(void)process;
	(void)space;
	(void)address;
	return false;
}

void *tool_new(size_t num, size_t bytes)
{
	return calloc(num ? num : 1, bytes);
}

void *tool_more(void *list, size_t num, size_t bytes)
{
	if (num & (num - 1))
		return list;
	return reallocarray(list, num ? 2 * num : 1, bytes);
}

void record_failed(struct record *record, int code, char *error)
{
	(void)record;
	if (!code)
		return;
	fprintf(stderr, "%s\n", error);
	exit(1);
}

static void sample(struct record *record, void *note, unsigned site)
{
	struct uncore_sample sample = { 0 };
	char *error = NULL;

	record_place_note(record, site, note);
	record_place_find(record, note, &sample);
	record_failed(record,
		      uncore_recorder_sample(record->recorder, &sample, NULL, 0,
					     &error),
		      error);
	made += sample.access.datum >= 0;
}

int main(int argc, char **argv)
{
	const char *const none[] = { NULL };
	struct target target = {
		.run.program = (struct uncore_program *)&target,
	};
	struct record record = { .target = &target };
	unsigned num = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 0) : 0;
	void *note = malloc(record_place_bytes());
	char *error = NULL;

	record_failed(&record,
		      uncore_recorder_new(argv[1], false, none,
					  &record.recorder, &error),
		      error);
	uncore_recorder_every(record.recorder, HOUR_SECONDS);
	for (unsigned i = 1; i <= num; i++)
		sample(&record, note, i);
	record_place_end(&record);
	record_place_close(&record);
	record_failed(&record, uncore_recorder_finish(record.recorder, &error),
		      error);
	free(note);
	printf("%u\n", made);
	return 0;
}
