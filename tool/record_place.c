/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the program was when a sample was taken: the interrupt remembers whose
 * access was the last one, and when the model stands still names are looked up.
 */
#include "record.h"
#include "uncore/program.h"
#include "uncore/symbol.h"
#include "uncore/uncore.h"

struct place {
	struct uncore_program_origin origin;
	bool is_known;
};

size_t record_place_bytes(void)
{
	return sizeof(struct place);
}

void record_place_note(void *context, unsigned socket, void *note)
{
	const struct record *record = context;
	const struct uncore_program *program = record->subject.run.program;
	struct place *place = note;

	place->is_known = program && uncore_program_origin(program, socket,
							   &place->origin);
}

void record_place_find(struct record *record, const void *note,
		       struct uncore_sample *sample)
{
	const struct place *place = note;
	struct uncore_position position;
	char *error = NULL;
	int code;

	if (!place || !place->is_known)
		return;
	if (!record->symbols)
		record->symbols = uncore_symbols_new();
	if (!record->symbols)
		return;
	uncore_symbols_find(record->symbols, place->origin.process,
			    place->origin.space, place->origin.address,
			    &position);
	code = uncore_recorder_position(record->recorder, &position,
					&sample->position, &error);
	if (!code)
		code = uncore_recorder_thread(
			record->recorder, place->origin.process,
			place->origin.thread, NULL, &sample->thread, &error);
	if (code)
		record_failed(record, code, error);
}
