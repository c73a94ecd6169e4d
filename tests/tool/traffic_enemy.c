/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A program that writes to the memory which it shares with uncore:
 *
 *   enemy SEED WRITES    so many words at places and of values that follow
 *                        from SEED, and loads of its own between them
 *   shrink               cuts the memory off
 *
 * It ends with 3 if it cannot find the memory or the kernel refuses.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridge/valgrind/arena.h"
#include "tests/tool/traffic.h"

enum { BYTES = 1 << 20 }; /* of its own */

static int open_shared(off_t *size_bytes)
{
	char folder[64], name[96], target[256];
	struct stat status;
	struct dirent *entry;
	DIR *files;
	int file = -1;

	snprintf(folder, sizeof(folder), "/proc/%d/fd", (int)getppid());
	files = opendir(folder);
	while (files && file < 0 && (entry = readdir(files))) {
		ssize_t length;

		snprintf(name, sizeof(name), "%s/%.20s", folder, entry->d_name);
		length = readlink(name, target, sizeof(target) - 1);
		if (length < 0)
			continue;
		target[length] = '\0';
		if (strstr(target, "memfd:uncore"))
			file = open(name, O_RDWR);
	}
	if (files)
		closedir(files);
	if (file < 0 || fstat(file, &status) < 0)
		exit(REFUSED);
	*size_bytes = status.st_size;
	return file;
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1;
	return *state >> 16;
}

/* What numbers, flags, counters and addresses are turned into. */
static uint64_t value(uint64_t *state)
{
	switch (next_random(state) % 4) {
	case 0: return 0;
	case 1: return UINT64_MAX;
	case 2: return next_random(state) % 256;
	default: return next_random(state) * next_random(state);
	}
}

/* Rather where something is decided than in the large tables. */
static off_t place(uint64_t *state)
{
	static const size_t parts[][2] = {
		{ 0, offsetof(struct arena, busy) },
		{ offsetof(struct arena, num_open),
		  offsetof(struct arena, ring) },
		{ offsetof(struct arena, ring),
		  offsetof(struct arena, victims) },
		{ offsetof(struct arena, threads),
		  offsetof(struct arena, files) },
		{ 0, sizeof(struct arena) },
	};
	const size_t *part = parts[next_random(state) % 5];

	return (off_t)((part[0] + next_random(state) % (part[1] - part[0])) &
		       ~UINT64_C(7));
}

static int enemy(int argc, char **argv)
{
	volatile uint8_t *own = fresh(BYTES);
	uint64_t state = number(argv[0]);
	size_t writes = number(argv[1]);
	off_t size_bytes;
	int file = open_shared(&size_bytes);

	(void)argc;
	while (writes--) {
		uint64_t word = value(&state);

		if (pwrite(file, &word, sizeof(word), place(&state)) < 0)
			return REFUSED;
		load_lines(own + next_random(&state) % 16 * (BYTES / 16),
			   BYTES / 16);
	}
	return 0;
}

static int shrink(int argc, char **argv)
{
	off_t size_bytes;
	int file = open_shared(&size_bytes);

	(void)argc;
	(void)argv;
	return ftruncate(file, size_bytes / 2) < 0 ? 0 : WRONG;
}

int main(int argc, char **argv)
{
	static const struct deed deeds[] = {
		{ "enemy", enemy, 2 },
		{ "shrink", shrink, 0 },
		{ NULL, NULL, 0 },
	};

	return do_deed(deeds, argc, argv);
}
