/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A harness without libFuzzer, for the ordinary tests:
 *
 *   HARNESS FOLDER CHANGES [FIRST]
 *
 * gives it each seed of the folder as it is, then so many inputs made of them.
 * Which these are follows from their numbers alone, from FIRST on; where one
 * ends the process its number is told, so that FIRST brings it back.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "tests/fuzz/fuzz.h"

enum { MAX_BYTES = 1 << 14, MAX_CHANGES = 8 };

struct seed {
	char *name;
	uint8_t *bytes;
	size_t size;
};

static struct seed *seeds;
static size_t num_seeds;
static unsigned long long present; /* number of the input at hand */
static const char *present_seed;   /* as it is; NULL: a change */

static void tell(void)
{
	if (present_seed)
		dprintf(STDERR_FILENO, "fuzz: seed %s\n", present_seed);
	else
		dprintf(STDERR_FILENO, "fuzz: input number %llu\n", present);
}

static void on_signal(int number)
{
	tell();
	signal(number, SIG_DFL);
	raise(number);
}

/* Of AddressSanitizer, where it is; gcc's UBSan has no such thing, and names
 * the line alone. */
void __sanitizer_set_death_callback(void (*callback)(void))
	__attribute__((weak));

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void read_seed(const char *folder, const char *name)
{
	struct seed *more = realloc(seeds, (num_seeds + 1) * sizeof(*seeds));
	struct seed *seed;
	char path[4096];
	FILE *file;

	fuzz_must(more, "no memory");
	seeds = more;
	seed = &seeds[num_seeds++];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	seed->name = strdup(name);
	seed->bytes = malloc(MAX_BYTES);
	file = fopen(path, "rb");
	fuzz_must(file && seed->bytes, "cannot read %s", path);
	seed->size = fread(seed->bytes, 1, MAX_BYTES, file);
	fclose(file);
}

static void read_seeds(const char *folder)
{
	struct dirent **entries;
	int num = scandir(folder, &entries, is_file, alphasort);

	fuzz_must(num > 0, "%s has no seeds", folder);
	for (int i = 0; i < num; i++) {
		read_seed(folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

static uint8_t byte(uint64_t *state)
{
	static const uint8_t liked[] = { 0,   1,   0x7f, 0x80, 0xff, ' ', '\n',
					 ',', '.', '/',	 '=',  '0',  '9', '-' };

	if (random_next(state) % 2)
		return liked[random_next(state) % sizeof(liked)];
	return (uint8_t)random_next(state);
}

/* Part of some seed takes the place of `cut` bytes. */
static size_t splice(uint8_t *input, size_t size, size_t at, size_t cut,
		     uint64_t *state)
{
	const struct seed *seed = &seeds[random_next(state) % num_seeds];
	size_t from = seed->size ? random_next(state) % seed->size : 0;
	size_t length =
		seed->size ? random_next(state) % (seed->size - from) : 0;

	if (size - cut + length > MAX_BYTES)
		return size;
	memmove(input + at + length, input + at + cut, size - at - cut);
	memcpy(input + at, seed->bytes + from, length);
	return size - cut + length;
}

static size_t change(uint8_t *input, size_t size, uint64_t *state)
{
	size_t at = size ? random_next(state) % size : 0;
	size_t cut = size ? random_next(state) % (size - at) % 16 + 1 : 0;

	switch (size ? random_next(state) % 5 : 2) {
	case 0: input[at] = byte(state); return size;
	case 1:
		input[at] = (uint8_t)(input[at] ^ 1U << random_next(state) % 8);
		return size;
	case 2:
		if (size == MAX_BYTES)
			return size;
		memmove(input + at + 1, input + at, size - at);
		input[at] = byte(state);
		return size + 1;
	case 3:
		memmove(input + at, input + at + cut, size - at - cut);
		return size - cut;
	default: return splice(input, size, at, cut, state);
	}
}

static void run_one(const uint8_t *bytes, size_t size)
{
	/* of its very size, so that a step too far is seen */
	uint8_t *copy = malloc(size ? size : 1);

	fuzz_must(copy, "no memory");
	memcpy(copy, bytes, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_changed(unsigned long long number)
{
	uint64_t state = number;
	const struct seed *seed = &seeds[random_next(&state) % num_seeds];
	uint64_t changes = random_next(&state) % MAX_CHANGES + 1;
	uint8_t input[MAX_BYTES];
	size_t size = seed->size;

	memcpy(input, seed->bytes, size);
	while (changes--)
		size = change(input, size, &state);
	run_one(input, size);
}

int main(int argc, char **argv)
{
	unsigned long long first, num;

	fuzz_must(argc == 3 || argc == 4, "usage: %s FOLDER CHANGES [FIRST]",
		  argv[0]);
	num = strtoull(argv[2], NULL, 0);
	first = argc == 4 ? strtoull(argv[3], NULL, 0) : 0;
	signal(SIGABRT, on_signal);
	signal(SIGSEGV, on_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(tell);
	read_seeds(argv[1]);
	for (size_t i = 0; argc == 3 && i < num_seeds; i++) {
		present_seed = seeds[i].name;
		run_one(seeds[i].bytes, seeds[i].size);
	}
	present_seed = NULL;
	for (present = first; present < first + num; present++)
		run_changed(present);
	for (size_t i = 0; i < num_seeds; i++) {
		free(seeds[i].name);
		free(seeds[i].bytes);
	}
	free(seeds);
	printf("%zu seeds, %llu changes of them\n", num_seeds, num);
	return 0;
}
