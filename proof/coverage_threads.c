/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The runs of the catalogue on processors with fewer cores than they were
 * written for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/coverage.h"
#include "tool/machine.h"
#include "uncore/model.h"

#define THREADS "threads="

enum { WRITTEN_FOR = 10 }; /* cores of a socket */

/* The next number of threads in a workload, or NULL. */
static const char *next_threads(const char *text)
{
	text = strstr(text, THREADS);
	return text ? text + strlen(THREADS) : NULL;
}

unsigned coverage_cores(const char *machine)
{
	struct uncore_model_config *config =
		uncore_model_config_new(machine, NULL);
	struct uncore_model_param cores;
	unsigned num = WRITTEN_FOR;

	if (config && machine_parameter(config, "cores", &cores))
		num = (unsigned)strtoul(cores.value, NULL, 10);
	uncore_model_config_free(config);
	return num;
}

/* Where a run sets how many it has. */
static unsigned cores_of(const struct coverage_scene *scene, unsigned cores)
{
	const char *set = scene->sets ? strstr(scene->sets, " cores=") : NULL;

	return set ? (unsigned)strtoul(set + strlen(" cores="), NULL, 10)
		   : cores;
}

static bool has_room(const struct coverage_scene *scene, unsigned cores)
{
	const char *text = scene->workload;
	unsigned long sum = 0;

	while ((text = next_threads(text)))
		sum += strtoul(text, NULL, 10);
	return sum <= (unsigned long)cores * scene->sockets;
}

/* So many threads where there is no room for those that were written. */
static unsigned long fewer(unsigned long threads, unsigned cores)
{
	unsigned long some =
		(threads * cores * 2 + WRITTEN_FOR) / (2 * WRITTEN_FOR);

	return some ? some : 1;
}

char *coverage_workload(const struct coverage_scene *scene, unsigned cores)
{
	const char *text = scene->workload, *number;
	char *workload = NULL, *end;
	size_t size;
	FILE *file;

	cores = cores_of(scene, cores);
	if (has_room(scene, cores))
		return strdup(text);
	file = open_memstream(&workload, &size);
	if (!file)
		return NULL;
	while ((number = next_threads(text))) {
		fprintf(file, "%.*s%lu", (int)(number - text), text,
			fewer(strtoul(number, &end, 10), cores));
		text = end;
	}
	fputs(text, file);
	return fclose(file) ? NULL : workload;
}

double coverage_number(const struct coverage_scene *scene, unsigned cores)
{
	const char *number = next_threads(scene->workload);
	unsigned long threads;

	cores = cores_of(scene, cores);
	if (!number || has_room(scene, cores))
		return (double)scene->n;
	threads = strtoul(number, NULL, 10);
	return (double)(scene->n * fewer(threads, cores)) / (double)threads;
}
