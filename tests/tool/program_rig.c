/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "tests/tool/program_rig.h"
#include "model/traffic/program.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY_LINES = 1 << 24 };

/* Beside this executable. */
static void guest_path(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 32);

	path[length > 0 ? length : 0] = '\0';
	strcpy(strrchr(path, '/') + 1, "tests-tool-program_guest");
}

int rig_has_valgrind(void)
{
	return system("command -v valgrind >/dev/null") == 0;
}

static void note(struct rig_result *result, unsigned core,
		 const struct uncore_access *access)
{
	uint64_t word = access->line * 4 + access->kind +
			((uint64_t)access->gap << 32) + core;

	result->kind[access->kind]++;
	result->clean +=
		access->kind == UNCORE_ACCESS_WRITEBACK && access->is_clean;
	result->core[core] += access->kind != UNCORE_ACCESS_NONE;
	result->depends += access->depends != 0;
	result->instructions += access->gap;
	if (access->kind < UNCORE_ACCESS_WRITEBACK)
		result->socket_lines[access->line / MEMORY_LINES]++;
	result->hash = (result->hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	result->hash ^= result->hash >> 32;
}

/* One access of every core in turn, until no core has one. */
static void drain(const struct rig_options *options,
		  struct uncore_program *program, struct rig_result *result)
{
	struct uncore_traffic traffic;
	uint64_t num = 0;
	unsigned live = RIG_ALL;
	unsigned i;

	uncore_program_traffic(program, &traffic);
	while (live) {
		live = 0;
		for (i = 0; i < RIG_ALL; i++) {
			struct uncore_access access;
			int got = traffic.next(traffic.context, i, &access);

			live += got != 0;
			if (got != 1)
				continue;
			note(result, i, &access);
			num++;
			if (options->invalidate_every &&
			    num % options->invalidate_every == 0)
				traffic.invalidate(traffic.context, i,
						   access.line, num % 2);
			if (num == options->kill_after)
				uncore_program_signal(program, SIGKILL);
		}
	}
}

void rig_run(const struct rig_options *options, const char *what,
	     const char *argument, struct rig_result *result)
{
	char guest[PATH_MAX];
	const char *with[] = { guest, what, argument, NULL };
	const char *plain[] = { what, NULL };
	struct uncore_program_config config = {
		.struct_size = sizeof(config),
		.argv = argument ? with : plain,
		.placement = options->placement,
		.num_sockets = RIG_SOCKETS,
		.cores_per_socket = RIG_CORES,
		.first_line = { 0, MEMORY_LINES },
		.num_lines = { MEMORY_LINES, MEMORY_LINES },
		.tool = options->tool,
		.valgrind = options->valgrind,
	};
	struct uncore_program *program;

	memset(result, 0, sizeof(*result));
	guest_path(guest);
	result->error =
		uncore_program_start(&config, &program, &result->sentence);
	if (result->error)
		return;
	for (unsigned i = 0; i < RIG_ALL; i++)
		program->arena->cores[i].cache.shape.tells_clean =
			options->tells_clean;
	drain(options, program, result);
	result->error = uncore_program_finish(program, &result->status,
					      &result->sentence);
	uncore_program_free(program);
}

void rig_free(struct rig_result *result)
{
	free(result->sentence);
}
