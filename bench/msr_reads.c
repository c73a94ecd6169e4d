/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Clients that read registers as fast as they can:
 *
 *   msr_reads MILLISECONDS CLIENTS ADDRESS FILE...
 *
 * Each client is a process of its own with the next one of the files open, and
 * reads 8 bytes at ADDRESS. Prints the reads per second of all together, and
 * the median of what one read took in nanoseconds.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CLIENTS = 64, SAMPLES = 4096 };

struct result {
	uint64_t reads, ns;
	uint32_t sample_ns[SAMPLES]; /* the last ones */
};

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int run(const char *path, off_t address, uint64_t duration_ns,
	       struct result *result)
{
	int fd = open(path, O_RDONLY);
	uint64_t start = now_ns(), before = start, now;
	uint64_t value;

	if (fd < 0)
		return 1;
	do {
		if (pread(fd, &value, sizeof(value), address) != sizeof(value))
			return 1;
		now = now_ns();
		result->sample_ns[result->reads++ % SAMPLES] =
			(uint32_t)(now - before);
		before = now;
	} while (now - start < duration_ns);
	result->ns = now - start;
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void report(struct result *results, unsigned clients)
{
	double per_second = 0;
	size_t num = results->reads < SAMPLES ? results->reads : SAMPLES;

	for (unsigned i = 0; i < clients; i++)
		per_second +=
			(double)results[i].reads * 1e9 / (double)results[i].ns;
	qsort(results->sample_ns, num, sizeof(uint32_t), compare);
	printf("%.0f %u\n", per_second, results->sample_ns[num / 2]);
}

int main(int argc, char **argv)
{
	unsigned clients = argc > 4 ? (unsigned)atoi(argv[2]) : 0;
	struct result *results;
	int status, failed = 0;

	if (!clients || clients > MAX_CLIENTS)
		return 2;
	results =
		mmap(NULL, sizeof(*results) * MAX_CLIENTS,
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < clients; i++)
		if (!fork())
			_exit(run(argv[4 + i % (unsigned)(argc - 4)],
				  strtol(argv[3], NULL, 0),
				  (uint64_t)atoi(argv[1]) * 1000000,
				  &results[i]));
	while (wait(&status) > 0)
		failed |= status;
	if (failed)
		return 1;
	report(results, clients);
	return 0;
}
