/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "perf/kernel.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The size of attributes that have config3, and where; headers may be older. */
enum { ATTR_BYTES = 136, CONFIG3_AT = 16 };

static int open_event(const struct perf_place *place,
		      const uint64_t words[PERF_NUM_WORDS], int group)
{
	union {
		struct perf_event_attr attr;
		uint64_t words[ATTR_BYTES / sizeof(uint64_t)];
	} of = { .words = { 0 } };

	of.attr.type = place->pmu->type;
	of.attr.size = words[3] ? ATTR_BYTES : PERF_ATTR_SIZE_VER5;
	of.attr.config = words[0];
	of.attr.config1 = words[1];
	of.attr.config2 = words[2];
	of.words[CONFIG3_AT] = words[3];
	of.attr.disabled = group < 0;
	of.attr.read_format = PERF_FORMAT_GROUP |
			      PERF_FORMAT_TOTAL_TIME_ENABLED |
			      PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(SYS_perf_event_open, &of.attr, -1, place->cpu,
			    group, PERF_FLAG_FD_CLOEXEC);
}

static void enable(int file, bool is_on)
{
	ioctl(file, is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
	      PERF_IOC_FLAG_GROUP);
}

static bool read_group(int file, struct perf_reading *reading)
{
	ssize_t length = read(file, reading, sizeof(*reading));

	if (length >= (ssize_t)offsetof(struct perf_reading, values[1]))
		return true;
	errno = length < 0 ? errno : 0;
	return false;
}

static void close_event(int file)
{
	close(file);
}

static const struct perf_kernel real = {
	.open = open_event,
	.enable = enable,
	.read = read_group,
	.close = close_event,
};

const struct perf_kernel *perf_kernel = &real;

/* Whether so many run at a time. */
static bool do_run(const struct perf_place *place,
		   const uint64_t words[PERF_NUM_WORDS], unsigned num)
{
	const struct timespec pause = { .tv_nsec = 200000 };
	int files[PERF_MAX_COUNTERS] = { 0 };
	struct perf_reading reading = { 0 };
	unsigned opened = 0;
	bool run = false;

	while (opened < num) {
		files[opened] =
			perf_kernel->open(place, words, opened ? files[0] : -1);
		if (files[opened] < 0)
			break;
		opened++;
	}
	if (opened == num) {
		perf_kernel->enable(files[0], true);
		nanosleep(&pause, NULL);
		run = perf_kernel->read(files[0], &reading) && reading.running;
	}
	while (opened)
		perf_kernel->close(files[--opened]);
	return run;
}

unsigned perf_probe(const struct perf_place *place,
		    const uint64_t words[PERF_NUM_WORDS], unsigned most)
{
	while (most && !do_run(place, words, most))
		most--;
	return most;
}
