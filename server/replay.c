/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads a recording (recording.h has the format). The file is looked through
 * once when it is opened, checksum and structure, so that it can be trusted
 * afterwards.
 */
#include "uncore/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "server/portion.h"
#include "server/recording.h"
#include "uncore/error.h"

enum { SUM_BYTES = 8, NUMBER_BITS = 64 };

/* Records of one CPU, read for the portion at hand. */
struct replay_turn {
	struct uncore_access *records;
	uint32_t room;
	uint64_t line; /* the previous one */
};

struct uncore_replay {
	const unsigned char *bytes;
	size_t num_bytes; /* without the checksum */
	size_t size_bytes;
	size_t at;
	bool is_broken;
	unsigned num_regions;
	unsigned num_cpus; /* the highest number and 1 */
	char *machine;
	char **settings;
	size_t num_settings;
	struct uncore_model *model;
	void (*on_portion)(void *context);
	void *context;
	struct portion portion;
	struct replay_turn turns[PORTION_MAX_CPUS];
};

/* Reading */

static unsigned take(struct uncore_replay *replay)
{
	if (replay->at < replay->num_bytes)
		return replay->bytes[replay->at++];
	replay->is_broken = true;
	return RECORDING_LAST;
}

static uint64_t take_number(struct uncore_replay *replay)
{
	uint64_t number = 0;
	unsigned shift = 0, byte;

	do {
		byte = take(replay);
		number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < NUMBER_BITS && !replay->is_broken);
	return number;
}

/* A line of the head as a new string, or NULL. */
static char *take_line(struct uncore_replay *replay)
{
	const unsigned char *start = replay->bytes + replay->at;
	const unsigned char *end =
		memchr(start, '\n', replay->num_bytes - replay->at);

	if (!end)
		return NULL;
	replay->at += (size_t)(end - start) + 1;
	return strndup((const char *)start, (size_t)(end - start));
}

static struct uncore_access take_access(struct uncore_replay *replay,
					uint64_t *line)
{
	struct uncore_access access = { 0 };
	unsigned byte = take(replay), code = byte & (RECORDING_DEPENDS - 1);
	uint64_t way;

	access.depends = !!(byte & RECORDING_DEPENDS);
	access.is_clean = !!(byte & RECORDING_CLEAN);
	access.gap = (uint32_t)take_number(replay);
	access.kind = UNCORE_ACCESS_NONE;
	if (code >= RECORDING_KINDS)
		replay->is_broken = true;
	else
		access.kind = recording_kinds[code];
	if (access.kind == UNCORE_ACCESS_NONE)
		return access;
	way = take_number(replay);
	*line += way >> 1 ^ -(way & 1);
	access.line = *line;
	return access;
}

static bool make_room(struct replay_turn *turn, uint64_t num)
{
	struct uncore_access *records;

	if (num <= turn->room)
		return true;
	records = num < UINT32_MAX
			  ? realloc(turn->records, num * sizeof(*records))
			  : NULL;
	if (!records)
		return false;
	turn->records = records;
	turn->room = (uint32_t)num;
	return true;
}

/* What one CPU does in a portion; false where the file makes no sense. */
static bool take_turn(struct uncore_replay *replay)
{
	uint64_t cpu = take_number(replay);
	uint64_t num = take_number(replay);
	struct replay_turn *turn;

	/* A record takes two bytes and more. */
	if (replay->is_broken || cpu >= PORTION_MAX_CPUS ||
	    num > (replay->num_bytes - replay->at) / 2)
		return false;
	turn = &replay->turns[cpu];
	if (!make_room(turn, num))
		return false;
	for (uint64_t i = 0; i < num; i++)
		turn->records[i] = take_access(replay, &turn->line);
	portion_add(&replay->portion, (unsigned)cpu, turn->records,
		    (uint32_t)num);
	if (cpu >= replay->num_cpus)
		replay->num_cpus = (unsigned)cpu + 1;
	return !replay->is_broken;
}

static bool take_portion(struct uncore_replay *replay)
{
	for (uint64_t num = take_number(replay); num; num--)
		if (!take_turn(replay))
			return false;
	return !replay->is_broken;
}

/* Looking through */

static bool take_setting(struct uncore_replay *replay, const char *line)
{
	char **settings = realloc(replay->settings, (replay->num_settings + 1) *
							    sizeof(*settings));

	if (!settings)
		return false;
	replay->settings = settings;
	settings[replay->num_settings] = strdup(line);
	return settings[replay->num_settings++];
}

static bool take_head_line(struct uncore_replay *replay, const char *line)
{
	if (!strncmp(line, "machine ", 8) && !replay->machine)
		replay->machine = strdup(line + 8);
	else if (!strncmp(line, "set ", 4))
		return take_setting(replay, line + 4);
	return replay->machine;
}

static bool take_head(struct uncore_replay *replay)
{
	bool is_whole = true;

	replay->at = strlen(RECORDING_HEAD);
	while (is_whole) {
		char *line = take_line(replay);
		bool is_last = line && !strcmp(line, "end");

		is_whole = line && (is_last || take_head_line(replay, line));
		free(line);
		if (is_last)
			break;
	}
	return is_whole && replay->machine;
}

static bool take_items(struct uncore_replay *replay)
{
	bool is_inside = false;

	for (;;) {
		switch (take(replay)) {
		case RECORDING_BEGIN:
			if (is_inside)
				return false;
			is_inside = true;
			break;
		case RECORDING_END:
			if (!is_inside)
				return false;
			is_inside = false;
			replay->num_regions++;
			break;
		case RECORDING_PORTION:
			if (!is_inside || !take_portion(replay))
				return false;
			break;
		case RECORDING_LAST:
			return !replay->is_broken && !is_inside &&
			       replay->at == replay->num_bytes;
		default: return false;
		}
	}
}

static bool is_sum_right(const struct uncore_replay *replay)
{
	uint64_t sum = text_hash(TEXT_HASH, replay->bytes, replay->num_bytes);
	uint64_t wanted = 0;

	for (unsigned i = 0; i < SUM_BYTES; i++)
		wanted |= (uint64_t)replay->bytes[replay->num_bytes + i]
			  << 8 * i;
	return sum == wanted;
}

static int look_through(struct uncore_replay *replay, const char *path,
			char **error)
{
	size_t start;

	if (replay->size_bytes < strlen(RECORDING_HEAD) + SUM_BYTES ||
	    memcmp(replay->bytes, RECORDING_HEAD, strlen(RECORDING_HEAD)))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "%s is not a recording of this version of "
				  "'uncore guest --record'",
				  path);
	replay->num_bytes = replay->size_bytes - SUM_BYTES;
	if (!is_sum_right(replay) || !take_head(replay))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "the recording %s is damaged; make it again",
				  path);
	start = replay->at;
	if (!take_items(replay))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "the recording %s makes no sense at byte "
				  "%zu; make it again",
				  path, replay->at);
	replay->at = start;
	for (unsigned i = 0; i < PORTION_MAX_CPUS; i++)
		replay->turns[i].line = 0;
	return 0;
}

/* From outside */

static int map(struct uncore_replay *replay, const char *path, char **error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	void *bytes;

	if (fd < 0 || fstat(fd, &status) < 0) {
		int code = errno;

		if (fd >= 0)
			close(fd);
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "cannot read the recording %s: %s", path,
				  strerror(code));
	}
	replay->size_bytes =
		S_ISREG(status.st_mode) ? (size_t)status.st_size : 0;
	bytes = replay->size_bytes ? mmap(NULL, replay->size_bytes, PROT_READ,
					  MAP_PRIVATE, fd, 0)
				   : NULL;
	close(fd);
	if (bytes == MAP_FAILED) {
		replay->size_bytes = 0;
		return text_error(UNCORE_ERR_NO_MEMORY, error,
				  "cannot map the recording %s: %s", path,
				  strerror(errno));
	}
	replay->bytes = bytes;
	return 0;
}

int uncore_replay_open(const char *path, struct uncore_replay **replay,
		       char **error)
{
	struct uncore_replay *made = calloc(1, sizeof(*made));
	int code;

	*replay = NULL;
	if (!made)
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	code = map(made, path, error);
	if (!code)
		code = look_through(made, path, error);
	if (code)
		uncore_replay_free(made);
	else
		*replay = made;
	return code;
}

void uncore_replay_free(struct uncore_replay *replay)
{
	if (!replay)
		return;
	if (replay->size_bytes)
		munmap((void *)replay->bytes, replay->size_bytes);
	for (unsigned i = 0; i < PORTION_MAX_CPUS; i++)
		free(replay->turns[i].records);
	for (size_t i = 0; i < replay->num_settings; i++)
		free(replay->settings[i]);
	free(replay->settings);
	free(replay->machine);
	free(replay);
}

const char *uncore_replay_machine(const struct uncore_replay *replay)
{
	return replay->machine;
}

const char *uncore_replay_setting(const struct uncore_replay *replay,
				  size_t index)
{
	return index < replay->num_settings ? replay->settings[index] : NULL;
}

unsigned uncore_replay_regions(const struct uncore_replay *replay)
{
	return replay->num_regions;
}

int uncore_replay_attach(struct uncore_replay *replay,
			 struct uncore_model *model, char **error)
{
	portion_init(&replay->portion, model);
	if (replay->num_cpus > replay->portion.num_cpus)
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "the recording has traffic of CPU %u, and "
				  "the machine has only %u CPUs",
				  replay->num_cpus - 1,
				  replay->portion.num_cpus);
	replay->model = model;
	portion_attach(&replay->portion, model);
	return 0;
}

void uncore_replay_on_portion(struct uncore_replay *replay,
			      void (*handler)(void *context), void *context)
{
	replay->on_portion = handler;
	replay->context = context;
}

bool uncore_replay_region(struct uncore_replay *replay,
			  const volatile int *stop)
{
	if (take(replay) != RECORDING_BEGIN)
		return false;
	while (take(replay) == RECORDING_PORTION) {
		take_portion(replay);
		portion_begin(&replay->portion, replay->model);
		while (!portion_work(&replay->portion, replay->model))
			if (stop && *stop)
				return true;
		if (replay->on_portion)
			replay->on_portion(replay->context);
		if (stop && *stop)
			return true;
	}
	uncore_model_settle(replay->model);
	return true;
}
