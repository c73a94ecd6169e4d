/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * It takes its place when it is complete: whoever opens a recording finds a
 * whole one. A write that
 * fails is remembered and told at the end.
 */
#include "server/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/text.h"
#include "server/portion.h"
#include "uncore/error.h"

enum { BUFFER_BYTES = 1 << 16, NUMBER_BYTES = 10 };

struct recording {
	struct beside file;
	int failed;   /* errno of the first write that failed */
	uint64_t sum; /* of what was written */
	uint64_t lines[PORTION_MAX_CPUS]; /* the previous ones */
	size_t num_bytes;
	unsigned char bytes[BUFFER_BYTES];
};

static void flush(struct recording *recording)
{
	size_t done = 0;

	recording->sum = text_hash(recording->sum, recording->bytes,
				   recording->num_bytes);
	while (done < recording->num_bytes && !recording->failed) {
		ssize_t wrote =
			write(recording->file.fd, recording->bytes + done,
			      recording->num_bytes - done);

		if (wrote >= 0)
			done += (size_t)wrote;
		else if (errno != EINTR)
			recording->failed = errno;
	}
	recording->num_bytes = 0;
}

static void put(struct recording *recording, unsigned byte)
{
	if (recording->num_bytes == BUFFER_BYTES)
		flush(recording);
	recording->bytes[recording->num_bytes++] = (unsigned char)byte;
}

static void put_text(struct recording *recording, const char *text)
{
	while (*text)
		put(recording, (unsigned char)*text++);
}

static void put_number(struct recording *recording, uint64_t number)
{
	while (number > 0x7f) {
		put(recording, 0x80 | (number & 0x7f));
		number >>= 7;
	}
	put(recording, (unsigned)number);
}

static void put_head(struct recording *recording,
		     const struct uncore_model_config *machine,
		     const char *machine_name)
{
	struct uncore_model_param param;

	put_text(recording, RECORDING_HEAD "machine ");
	put_text(recording, machine_name);
	put_text(recording, "\n");
	for (size_t i = 0; uncore_model_config_param(machine, i, &param); i++) {
		put_text(recording, "set ");
		put_text(recording, param.name);
		put_text(recording, "=");
		put_text(recording, param.value);
		put_text(recording, "\n");
	}
	put_text(recording, RECORDING_TAIL);
}

int recording_new(const char *path, const struct uncore_model_config *machine,
		  const char *machine_name, struct recording **recording,
		  char **error)
{
	struct recording *made = calloc(1, sizeof(*made));
	int reason;

	*recording = NULL;
	if (!made)
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	made->sum = TEXT_HASH;
	reason = beside_open(&made->file, path, 0644);
	if (reason) {
		free(made);
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "cannot write the recording %s: %s", path,
				  strerror(reason));
	}
	put_head(made, machine, machine_name);
	*recording = made;
	return 0;
}

void recording_begin(struct recording *recording)
{
	put(recording, RECORDING_BEGIN);
}

void recording_end(struct recording *recording)
{
	put(recording, RECORDING_END);
}

static unsigned code_of(unsigned kind)
{
	unsigned code = 0;

	while (recording_kinds[code] != kind)
		code++;
	return code;
}

static void put_turn(struct recording *recording, unsigned cpu,
		     const struct portion_turn *turn)
{
	put_number(recording, cpu);
	put_number(recording, turn->num_records);
	for (uint32_t i = 0; i < turn->num_records; i++) {
		const struct uncore_access *access = &turn->records[i];
		uint64_t *line = &recording->lines[cpu];
		int64_t way = (int64_t)(access->line - *line);

		/* of others only the time passes, then and now */
		unsigned kind = portion_has(access->kind) ? access->kind
							  : UNCORE_ACCESS_NONE;

		put(recording,
		    code_of(kind) |
			    (access->depends & 1 ? RECORDING_DEPENDS : 0u) |
			    (access->is_clean ? RECORDING_CLEAN : 0u));
		put_number(recording, access->gap);
		if (kind == UNCORE_ACCESS_NONE)
			continue;
		put_number(recording,
			   (uint64_t)way << 1 ^ (way < 0 ? UINT64_MAX : 0));
		*line = access->line;
	}
}

void recording_portion(struct recording *recording,
		       const struct portion *portion)
{
	unsigned num = 0;

	for (unsigned i = 0; i < portion->num_cpus; i++)
		num += portion->turns[i].next < portion->turns[i].num_records;
	put(recording, RECORDING_PORTION);
	put_number(recording, num);
	for (unsigned i = 0; i < portion->num_cpus; i++)
		if (portion->turns[i].next < portion->turns[i].num_records)
			put_turn(recording, i, &portion->turns[i]);
}

int recording_finish(struct recording *recording, char **error)
{
	uint64_t sum;

	put(recording, RECORDING_LAST);
	flush(recording);
	sum = recording->sum;
	for (unsigned i = 0; i < 8; i++)
		put(recording, (unsigned)(sum >> 8 * i) & 0xff);
	flush(recording);
	if (!recording->failed && fsync(recording->file.fd) < 0 &&
	    errno != EINVAL)
		recording->failed = errno;
	if (!recording->failed)
		recording->failed = beside_keep(&recording->file);
	if (recording->failed)
		return text_error(UNCORE_ERR_IO, error,
				  "cannot write the recording %s: %s",
				  recording->file.path,
				  strerror(recording->failed));
	return 0;
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	beside_close(&recording->file);
	free(recording);
}
