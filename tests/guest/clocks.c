/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Runs in a guest (clock.py) and compares its clocks. For each source of the
 * kernel's clock: ticks of the time stamp counter for a microsecond of it,
 * while this works, sleeps and both by turns. And whether the time stamp
 * counters of all CPUs are one: each reading is later than the one before, on
 * whichever CPU, by RDTSC, by RDTSCP, and by the register of that number.
 * With the argument `naps`: naps, and how long each was by two clocks. With
 * `calibrate`: how fast the time stamp counter goes as tools find out, LIKWID
 * among them (whose naps are ten times as long): the least of two naps by the
 * counter, over the last one by the time of day.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define CHOICE                                                                 \
	"/sys/devices/system/clocksource/clocksource0/"                        \
	"current_clocksource"

enum {
	PARTS = 10,
	PART_BYTES = 1 << 20,
	NAP_US = 2000,
	LONG_NAP_US = 20000,
	NAPS = 50,
	CALIBRATION_NS = 50000000,
	CALIBRATIONS = 30,
	READINGS = 300,
	TRIES = 20,
	TIME_STAMP = 0x10,
	CORE_MHZ = 2400,
};

static volatile unsigned char memory[PART_BYTES];

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void work(void)
{
	for (unsigned i = 0; i < PART_BYTES; i += 64)
		memory[i]++;
}

static int choose(const char *source)
{
	int fd = open(CHOICE, O_WRONLY);
	int good = fd >= 0 && write(fd, source, strlen(source)) > 0;

	if (fd >= 0)
		close(fd);
	return good;
}

/* Both at the same time, as far as can be: of some tries the one in which least
 * time has passed meanwhile, since others were interrupted. */
static uint64_t read_both(uint64_t *ticks)
{
	uint64_t least = UINT64_MAX, ns = 0;

	*ticks = 0;
	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc(), present = now_ns();
		uint64_t apart = __rdtsc() - before;

		if (apart >= least)
			continue;
		least = apart;
		ns = present;
		*ticks = before + apart / 2;
	}
	return ns;
}

/* Bit 0 of `how`: work, bit 1: sleep. */
static double rate(unsigned how)
{
	uint64_t ticks, end, ns = read_both(&ticks);

	for (unsigned part = 0; part < PARTS; part++) {
		if (how & 1)
			work();
		if (how & 2)
			usleep(NAP_US);
	}
	ns = read_both(&end) - ns;
	return (double)(end - ticks) * 1000 / (double)ns;
}

static uint64_t read_register(unsigned cpu)
{
	uint64_t value = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	fd = open(path, O_RDONLY);
	if (fd < 0 ||
	    pread(fd, &value, sizeof(value), TIME_STAMP) != sizeof(value))
		perror(path);
	if (fd >= 0)
		close(fd);
	return value;
}

static unsigned count_steps_back(unsigned cpus)
{
	uint64_t last = 0, now;
	unsigned back = 0;

	for (unsigned i = 0; i < READINGS; i++) {
		unsigned cpu = i % cpus, told;
		cpu_set_t only;

		CPU_ZERO(&only);
		CPU_SET(cpu, &only);
		sched_setaffinity(0, sizeof(only), &only);
		now = i % 3 == 0   ? __rdtsc()
		      : i % 3 == 1 ? __rdtscp(&told)
				   : read_register((i + 1) % cpus);
		back += now <= last || (i % 3 == 1 && (told & 0xfff) != cpu);
		last = now;
	}
	return back;
}

/* In microseconds, by the time stamp counter and by the kernel's clock, with
 * other CPUs halted from before its begin to after its end. */
static void nap(unsigned cpu)
{
	uint64_t ticks, end, ns;
	cpu_set_t only;

	CPU_ZERO(&only);
	CPU_SET(cpu, &only);
	sched_setaffinity(0, sizeof(only), &only);
	ns = read_both(&ticks);
	usleep(LONG_NAP_US);
	ns = read_both(&end) - ns;
	printf("%.1f %.1f\n", (double)(end - ticks) / CORE_MHZ,
	       (double)ns / 1000);
}

static double calibrate(void)
{
	static const struct timespec delay = { .tv_nsec = CALIBRATION_NS };
	uint64_t least = UINT64_MAX, ticks;
	struct timeval begin, end;

	for (unsigned i = 0; i < 2; i++) {
		gettimeofday(&begin, NULL);
		ticks = __rdtsc();
		nanosleep(&delay, NULL);
		ticks = __rdtsc() - ticks;
		gettimeofday(&end, NULL);
		if (ticks < least)
			least = ticks;
	}
	return (double)least / ((double)(end.tv_sec - begin.tv_sec) * 1e6 +
				(double)(end.tv_usec - begin.tv_usec));
}

int main(int argc, char **argv)
{
	static const char *const sources[] = { "tsc", "hpet", "acpi_pm" };

	if (argc > 1 && !strcmp(argv[1], "calibrate")) {
		for (unsigned i = 0; i < CALIBRATIONS; i++)
			printf("%.3f\n", calibrate());
		return 0;
	}
	if (argc > 1) {
		for (unsigned i = 0; i < NAPS; i++)
			nap(i % (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
		return 0;
	}
	for (unsigned i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		if (!choose(sources[i])) {
			printf("no %s\n", sources[i]);
			continue;
		}
		printf("%s %.3f", sources[i], rate(1));
		printf(" %.3f", rate(2));
		printf(" %.3f\n", rate(3));
	}
	choose(sources[0]);
	printf("back %u\n",
	       count_steps_back((unsigned)sysconf(_SC_NPROCESSORS_ONLN)));
	return 0;
}
