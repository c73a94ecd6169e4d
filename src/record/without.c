/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The recordings of a library that was built without SQLite and libdw: there
 * are none, and who wants to make or open one is told so. The functions are
 * there all the same, so that the library is one, however it was built; those
 * of an open recording are never called. Addresses have no names.
 */
#include <stdlib.h>

#include "base/text.h"
#include "uncore/error.h"
#include "uncore/recording.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

struct uncore_symbols {
	char nothing;
};

static int without(char **error)
{
	return text_error(UNCORE_ERR_NO_HELPER, error,
			  "uncore was built without SQLite and libdw "
			  "(-Drecording), so there are no recordings");
}

#define REFUSED(name, ...)                                                     \
	int name(__VA_ARGS__)                                                  \
	{                                                                      \
		return without(error);                                         \
	}
#define UNKNOWN(name, ...)                                                     \
	bool name(__VA_ARGS__)                                                 \
	{                                                                      \
		return false;                                                  \
	}

int uncore_recorder_new(const char *path, bool replace, const char *const *meta,
			struct uncore_recorder **recorder, char **error)
{
	*recorder = NULL;
	return without(error);
}

REFUSED(uncore_recorder_thin, struct uncore_recorder *recorder, size_t event,
	uint64_t period, uint64_t *num, char **error)

REFUSED(uncore_recorder_event, struct uncore_recorder *recorder,
	const struct uncore_recorded_event *event, size_t *id, char **error)

REFUSED(uncore_recorder_position, struct uncore_recorder *recorder,
	const struct uncore_position *position, long *id, char **error)

REFUSED(uncore_recorder_thread, struct uncore_recorder *recorder, long process,
	long thread, const char *name, long *id, char **error)

REFUSED(uncore_recorder_datum, struct uncore_recorder *recorder,
	const struct uncore_datum *datum, long *id, char **error)

REFUSED(uncore_recorder_datum_size, struct uncore_recorder *recorder, long id,
	uint64_t size_bytes, uint64_t num_objects, char **error)

REFUSED(uncore_recorder_stack, struct uncore_recorder *recorder, long position,
	long caller, long *id, char **error)

REFUSED(uncore_recorder_state, struct uncore_recorder *recorder,
	const struct uncore_state *state, char **error)

REFUSED(uncore_recorder_sample, struct uncore_recorder *recorder,
	const struct uncore_sample *sample,
	const struct uncore_sample_count *counts, size_t num_counts,
	char **error)

REFUSED(uncore_recorder_commit, struct uncore_recorder *recorder, char **error)

void uncore_recorder_every(struct uncore_recorder *recorder, double seconds)
{
}

uint64_t uncore_recorder_written(const struct uncore_recorder *recorder)
{
	return 0;
}

REFUSED(uncore_recorder_meta, struct uncore_recorder *recorder, const char *key,
	const char *value, char **error)

REFUSED(uncore_recorder_finish, struct uncore_recorder *recorder, char **error)

void uncore_recorder_free(struct uncore_recorder *recorder)
{
}

int uncore_recording_open(const char *path, struct uncore_recording **recording,
			  char **error)
{
	*recording = NULL;
	return without(error);
}

void uncore_recording_free(struct uncore_recording *recording)
{
}

const char *uncore_recording_meta(struct uncore_recording *recording,
				  const char *key)
{
	return NULL;
}

UNKNOWN(uncore_recording_is_complete, struct uncore_recording *recording)

UNKNOWN(uncore_recording_event, struct uncore_recording *recording,
	size_t index, struct uncore_recorded_event *event)

UNKNOWN(uncore_recording_position, struct uncore_recording *recording,
	size_t index, struct uncore_position *position)

UNKNOWN(uncore_recording_thread, struct uncore_recording *recording,
	size_t index, long *process, long *thread, const char **name)

UNKNOWN(uncore_recording_datum, struct uncore_recording *recording,
	size_t index, struct uncore_datum *datum)

UNKNOWN(uncore_recording_stack, struct uncore_recording *recording,
	size_t index, long *position, long *caller)

UNKNOWN(uncore_recording_state, struct uncore_recording *recording,
	size_t index, struct uncore_state *state)

REFUSED(uncore_recording_next, struct uncore_recording *recording,
	struct uncore_sample *sample, const struct uncore_sample_count **counts,
	size_t *num_counts, char **error)

REFUSED(uncore_recording_query, struct uncore_recording *recording,
	const char *text, const long *values, size_t num_values,
	bool (*take)(void *context, const struct uncore_recorded_value *row),
	void *context, char **error)

void uncore_recording_rewind(struct uncore_recording *recording)
{
}

struct uncore_symbols *uncore_symbols_new(void)
{
	return malloc(sizeof(struct uncore_symbols));
}

void uncore_symbols_free(struct uncore_symbols *symbols)
{
	free(symbols);
}

void uncore_symbols_find(struct uncore_symbols *symbols, long process,
			 unsigned space, uint64_t address,
			 struct uncore_position *position)
{
	*position = (struct uncore_position){ .address = address };
}

UNKNOWN(uncore_symbols_is_outermost, struct uncore_symbols *symbols,
	long process, unsigned space, uint64_t address)

void uncore_symbols_find_caller(struct uncore_symbols *symbols, long process,
				unsigned space, uint64_t address,
				struct uncore_position *position)
{
	uncore_symbols_find(symbols, process, space, address, position);
}

void uncore_symbols_find_past(struct uncore_symbols *symbols,
			      const struct uncore_mapped_file *file,
			      uint64_t address,
			      struct uncore_position *position)
{
	(void)file;
	uncore_symbols_find(symbols, 0, 0, address, position);
}

UNKNOWN(uncore_symbols_find_datum, struct uncore_symbols *symbols, long process,
	unsigned space, uint64_t address, struct uncore_datum *datum,
	uint64_t *offset)
