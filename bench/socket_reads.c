/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads a register as fast as a target answers:
 *
 *   socket_reads MILLISECONDS ADDRESS BATCH [PATH]
 *
 * BATCH reads at a time (1: single reads), in a model in this process, or
 * through the socket PATH. Prints the reads per second.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "uncore/model.h"
#include "uncore/uncore.h"

enum { MAX_BATCH = 1024, BETWEEN_LOOKS = 16 };

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static struct uncore_target *open_target(const char *path)
{
	struct uncore_model_config *config;
	struct uncore_model *model;
	char *error = NULL;

	if (path)
		return uncore_target_socket(path, &error);
	config = uncore_model_config_new("xeon-e7", &error);
	model = config ? uncore_model_new(config, &error) : NULL;
	return model ? uncore_target_model(model) : NULL;
}

static int read_some(struct uncore_target *target, uint32_t address,
		     unsigned batch)
{
	static struct uncore_target_op ops[MAX_BATCH];
	uint64_t value;

	if (batch == 1)
		return uncore_target_read(target, 0, address, &value);
	for (unsigned i = 0; i < batch; i++)
		ops[i] = (struct uncore_target_op){ .address = address };
	return uncore_target_batch(target, ops, batch, NULL);
}

int main(int argc, char **argv)
{
	uint64_t duration_ns, start, now, reads = 0;
	struct uncore_target *target;
	unsigned batch;
	uint32_t address;

	if (argc < 4)
		return 2;
	duration_ns = strtoull(argv[1], NULL, 0) * 1000000;
	address = (uint32_t)strtoul(argv[2], NULL, 0);
	batch = (unsigned)strtoul(argv[3], NULL, 0);
	target = open_target(argv[4]);
	if (!target || !batch || batch > MAX_BATCH)
		return 1;
	start = now_ns();
	do {
		for (unsigned i = 0; i < BETWEEN_LOOKS; i++)
			if (read_some(target, address, batch))
				return 1;
		reads += BETWEEN_LOOKS * batch;
		now = now_ns();
	} while (now - start < duration_ns);
	printf("%.0f\n", (double)reads * 1e9 / (double)(now - start));
	return 0;
}
