/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The front end for programs alone: takes what it writes, in the model's place
 * and of all cores in turn, as the model would, and throws it away.
 * Prints the CPU seconds of the program's side and the number of records.
 *
 *     bench-front [--set NAME=VALUE]... [--sites] PROGRAM [ARGUMENT...]
 *
 * With --sites it knows whose memory accesses are to, as for `uncore stat`.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "uncore/program.h"

enum { SOCKETS = 2, CORES = 10, MEMORY_LINES = 1 << 29, IN_TURN = 64 };

/* The machine, as --set has it; the number of arguments that it took. */
static int set_machine(char **argv, struct uncore_model **model)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);
	int taken = 1;

	if (config && !uncore_model_config_sockets(config, SOCKETS, &error))
		for (; argv[taken] && !strcmp(argv[taken], "--set") &&
		       argv[taken + 1] && !error;
		     taken += 2)
			uncore_model_config_set(config, argv[taken + 1],
						&error);
	if (!error)
		*model = uncore_model_new(config, &error);
	if (error)
		fprintf(stderr, "bench-front: %s\n", error);
	uncore_model_config_free(config);
	return error ? -1 : taken;
}

int main(int argc, char **argv)
{
	struct uncore_program_config config = {
		.struct_size = sizeof(config),
		.repeats_random = true,
		.num_sockets = SOCKETS,
		.cores_per_socket = CORES,
		.first_line = { 0, MEMORY_LINES },
		.num_lines = { MEMORY_LINES, MEMORY_LINES },
	};
	struct uncore_program_status status;
	struct uncore_program *program;
	struct uncore_traffic traffic;
	struct uncore_access access;
	struct rusage used;
	char *error = NULL;
	unsigned long num = 0;
	unsigned live = 1;
	int taken = set_machine(argv, &config.model);

	if (taken > 0 && argv[taken] && !strcmp(argv[taken], "--sites")) {
		config.keeps_sites = true;
		taken++;
	}
	if (taken < 0 || taken >= argc) {
		fprintf(stderr, "bench-front: name a program\n");
		return 2;
	}
	config.argv = (const char *const *)argv + taken;
	if (uncore_program_start(&config, &program, &error)) {
		fprintf(stderr, "bench-front: %s\n", error);
		return 2;
	}
	uncore_program_traffic(program, &traffic);
	while (live) {
		live = 0;
		for (unsigned i = 0; i < SOCKETS * CORES; i++) {
			unsigned left = IN_TURN;
			int got = 1;

			while (got == 1 && left--) {
				got = traffic.next(traffic.context, i, &access);
				num += got == 1;
			}
			live += got != 0;
		}
	}
	if (uncore_program_finish(program, &status, &error))
		fprintf(stderr, "bench-front: %s\n", error);
	getrusage(RUSAGE_CHILDREN, &used);
	printf("%.2f seconds, %lu records\n",
	       (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) /
			       1e6,
	       num);
	uncore_program_free(program);
	return status.exit_code;
}
