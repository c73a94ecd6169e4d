/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the registers of a guest hold, through its own msr driver and without
 * uncore: `peek CPU... <ADDRESSES` prints "CPU ADDRESS VALUE" for each address
 * that it reads. A command for each register would take minutes there. `peek
 * begin` and `peek end` are marks round whatever runs between them.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "uncore/mark.h"

enum { MAX_CPUS = 16 };

static int open_cpu(const char *cpu)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/dev/cpu/%s/msr", cpu);
	file = open(path, O_RDONLY);
	if (file >= 0)
		return file;
	perror(path);
	exit(1);
}

int main(int count, char **words)
{
	int files[MAX_CPUS];
	uint32_t address;
	uint64_t value;

	if (count == 2 && !strcmp(words[1], "begin")) {
		uncore_mark_begin();
		return 0;
	}
	if (count == 2 && !strcmp(words[1], "end")) {
		uncore_mark_end();
		return 0;
	}
	if (count < 2 || count > MAX_CPUS)
		return 2;
	for (int i = 1; i < count; i++)
		files[i] = open_cpu(words[i]);
	while (scanf("%" SCNx32, &address) == 1)
		for (int i = 1; i < count; i++)
			if (pread(files[i], &value, sizeof(value), address) ==
			    sizeof(value))
				printf("%s %" PRIx32 " %" PRIx64 "\n", words[i],
				       address, value);
	return 0;
}
