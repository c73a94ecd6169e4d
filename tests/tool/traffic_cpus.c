/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a program learns of the machine's processors, and what it costs to wait
 * for one of them.
 *
 *   cpus            how many there are, by each way to ask: "NAME NUMBER"
 *   paths PATH...   of each path: "KIND RIGHTS OPENED BELOW LINK", what stat(2)
 *                   says (file, folder, none), whether it may be read, whether
 *                   it opens, the same by the name in its opened folder, and
 *                   what readlink(2) gives (-: none)
 *   spin N THREADS  so many threads wait in a loop with "pause" while the main
 *                   thread adds N times: ticks that it took, and by how many
 *                   the last of them noticed its end late; ticks since the
 *                   first of them was made
 *   yield N THREADS the same with sched_yield(2)
 */
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>
#include <x86intrin.h>

#include "tests/tool/traffic.h"

#define CPUS "/sys/devices/system/cpu"

enum { TEXT_BYTES = 1 << 16 };

static void count_files(void)
{
	DIR *folder = opendir(CPUS);
	const struct dirent *entry;
	unsigned num = 0, number;
	int length;

	while (folder && (entry = readdir(folder)))
		num += sscanf(entry->d_name, "cpu%u%n", &number, &length) ==
			       1 &&
		       !entry->d_name[length];
	if (folder)
		closedir(folder);
	printf("folders %u\n", num);
}

static void count_lines(const char *path, const char *begin, bool has_number)
{
	static char line[TEXT_BYTES];
	FILE *file = fopen(path, "r");
	unsigned num = 0;

	while (file && fgets(line, sizeof(line), file))
		num += !strncmp(line, begin, strlen(begin)) &&
		       (!has_number || (line[strlen(begin)] >= '0' &&
					line[strlen(begin)] <= '9'));
	if (file)
		fclose(file);
	printf("%s %u\n", path, num);
}

static int cpus(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	printf("online %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
	printf("configured %ld\n", sysconf(_SC_NPROCESSORS_CONF));
	printf("affinity %d\n", CPU_COUNT(&set));
	count_files();
	count_lines("/proc/cpuinfo", "processor", false);
	count_lines("/proc/stat", "cpu", true);
	return 0;
}

static bool opens_below(const char *path)
{
	char before[PAGE], name[PAGE];
	int folder, file;

	snprintf(before, sizeof(before), "%s", path);
	snprintf(name, sizeof(name), "%s", path);
	folder = open(dirname(before), O_RDONLY | O_DIRECTORY);
	file = openat(folder, basename(name), O_RDONLY);
	close(file);
	close(folder);
	return file >= 0;
}

static void look_at(const char *path)
{
	char link[PAGE] = "-";
	struct stat status;
	bool is_there = !stat(path, &status);
	ssize_t length = readlink(path, link, sizeof(link) - 1);
	int file = open(path, O_RDONLY);

	if (length > 0)
		link[length] = '\0';
	printf("%s %d %d %d %s\n",
	       !is_there		 ? "none"
	       : S_ISDIR(status.st_mode) ? "folder"
					 : "file",
	       access(path, R_OK) == 0, file >= 0, opens_below(path), link);
	close(file);
}

/* Waiting */

static _Atomic bool is_over;
static _Atomic unsigned num_ready;
static bool yields;
static uint64_t ended, late[MAX_THREADS];

static void *wait_for_end(void *argument)
{
	num_ready++;
	while (!is_over)
		if (yields)
			sched_yield();
		else
			_mm_pause();
	*(uint64_t *)argument = __rdtsc() - ended;
	return NULL;
}

static int wait_with(size_t n, size_t num_threads)
{
	pthread_t threads[MAX_THREADS];
	uint64_t first = __rdtsc(), began, most = 0;
	size_t i, sum = 0;

	for (i = 0; i < num_threads; i++)
		if (pthread_create(&threads[i], NULL, wait_for_end, &late[i]))
			return REFUSED;
	while (num_ready < num_threads)
		sched_yield();
	began = __rdtsc();
	for (i = 0; i < n; i++)
		__asm__ volatile("add $1, %0" : "+r"(sum));
	ended = __rdtsc();
	is_over = true;
	for (i = 0; i < num_threads; i++) {
		pthread_join(threads[i], NULL);
		most = late[i] > most ? late[i] : most;
	}
	printf("%llu %llu %llu\n", (unsigned long long)(ended - began),
	       (unsigned long long)most, (unsigned long long)(ended - first));
	return sum == n ? 0 : WRONG;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "cpus"))
		return cpus();
	if (argc > 2 && !strcmp(argv[1], "paths")) {
		for (int i = 2; i < argc; i++)
			look_at(argv[i]);
		return 0;
	}
	if (argc != 4 || number(argv[3]) > MAX_THREADS)
		return USAGE;
	yields = !strcmp(argv[1], "yield");
	return wait_with(number(argv[2]), number(argv[3]));
}
