/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore guest --record` writes, run again. A byte says whether the head
 * of the file is to be read from the rest, too, or only what follows it; the
 * checksum is always right. Linked with --wrap=portion_work, which asks the
 * replay to stop after a while.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/portion.h"
#include "server/recording.h"
#include "tests/fuzz/fuzz.h"
#include "uncore/error.h"
#include "uncore/guest.h"

enum { MAX_SLICES = 2 };

static volatile int stop;
static unsigned slices;

bool __real_portion_work(struct portion *portion, struct uncore_model *model);
bool __wrap_portion_work(struct portion *portion, struct uncore_model *model);
bool __wrap_portion_work(struct portion *portion, struct uncore_model *model)
{
	fuzz_must(!stop, "a replay that was stopped goes on");
	stop = ++slices == MAX_SLICES;
	return __real_portion_work(portion, model);
}

static const char *make_file(const struct fuzz_bytes *bytes, bool with_head)
{
	static const char head[] =
		RECORDING_HEAD "machine xeon-e7\n"
			       "set cores=2\n" RECORDING_TAIL;
	size_t first = with_head ? strlen(RECORDING_HEAD) : strlen(head);
	size_t size = first + bytes->size;
	unsigned char *file = malloc(size + 8);
	const char *path;
	uint64_t sum;

	fuzz_must(file, "no memory");
	memcpy(file, head, first);
	if (bytes->size)
		memcpy(file + first, bytes->data, bytes->size);
	sum = text_hash(TEXT_HASH, file, size);
	for (unsigned i = 0; i < 8; i++)
		file[size + i] = (unsigned char)(sum >> 8 * i);
	path = fuzz_file(file, size + 8);
	free(file);
	return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	bool with_head = fuzz_number(&bytes, 1) % 2;
	const char *path = make_file(&bytes, with_head);
	struct uncore_replay *replay = NULL;
	char *error = NULL;
	unsigned ran = 0;
	int code = uncore_replay_open(path, &replay, &error);

	fuzz_must(!code == !error && !code == !!replay, "code %d, and %s", code,
		  error ? error : "no sentence");
	stop = 0;
	slices = 0;
	if (!code)
		code = uncore_replay_attach(replay, fuzz_kept_model(NULL),
					    &error);
	for (size_t i = 0; replay && uncore_replay_setting(replay, i); i++)
		fuzz_must(uncore_replay_machine(replay), "no machine");
	while (!code && !stop && uncore_replay_region(replay, &stop))
		ran++;
	fuzz_must(code || stop || ran == uncore_replay_regions(replay),
		  "%u regions ran, and there are more", ran);
	uncore_replay_free(replay);
	free(error);
	return 0;
}
