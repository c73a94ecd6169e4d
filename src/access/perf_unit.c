/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "access/perf_unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uncore/error.h"

struct member {
	struct perf_wish wish;
	int file;
	bool leads; /* those behind it, up to the next one that leads */
	uint64_t value, enabled, running; /* at the last read */
	uint64_t unseen; /* enabled since it was last running */
};

struct perf_set {
	struct member *members;
	unsigned num;
};

/* Opening */

/* How much the kernel keeps to root. (Debian's has 3, where CAP_PERFMON does
 * not help.) */
static int paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 2;

	if (!file)
		return level;
	if (fscanf(file, "%d", &level) != 1)
		level = 2;
	fclose(file);
	return level;
}

static int refused(const struct perf_place *place,
		   const uint64_t words[PERF_NUM_WORDS], int why, char **error)
{
	const char *name = place->pmu->name;
	struct text event = { 0 };
	int code;

	for (unsigned i = 0; i < PERF_NUM_WORDS; i++)
		if (!i || words[i])
			text_add(&event, "%sconfig%.0u=0x%llx", i ? "," : "", i,
				 (unsigned long long)words[i]);
	if (why == EACCES || why == EPERM)
		code = text_error(
			UNCORE_ERR_NO_PERMISSION, error,
			"the kernel does not let you count on %s: that takes "
			"root, or CAP_PERFMON while "
			"kernel.perf_event_paranoid is at most 2, or 0 there; "
			"here it is %d ('sysctl kernel.perf_event_paranoid=0' "
			"as root changes it)",
			name, paranoid());
	else if (why == EMFILE || why == ENFILE)
		code = text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "no more files can be opened, and each event "
				  "takes one in each PMU: 'ulimit -n' says how "
				  "many there may be");
	else if (why == EINVAL || why == ENOENT || why == EOPNOTSUPP)
		code = text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "the kernel's driver of %s refuses the event "
				  "%s (%s): it does not know the code, or "
				  "cannot set up what goes with it",
				  name, event.data ? event.data : "",
				  strerror(why));
	else if (why == EBUSY)
		code = text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "%s is in use: somebody has it for himself "
				  "alone",
				  name);
	else
		code = text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "cannot count %s on %s, CPU %d: %s",
				  event.data ? event.data : "", name,
				  place->cpu, strerror(why));
	text_free(&event);
	return code;
}

static void set_close(struct perf_set *set)
{
	for (unsigned i = 0; i < set->num; i++)
		if (set->members[i].file >= 0)
			perf_kernel->close(set->members[i].file);
	free(set->members);
}

/* Those that the first one's group takes follow it; the others lead
 * themselves. */
static int set_open(struct perf_set *set, const struct perf_place *place,
		    const struct perf_wish *wishes, unsigned num, char **error)
{
	unsigned alone = num, joined = 0;
	int code = 0;

	set->members = calloc(num ? num : 1, sizeof(*set->members));
	if (!set->members)
		return UNCORE_ERR_NO_MEMORY;
	for (unsigned i = 0; i < num && !code; i++) {
		int group = joined ? set->members[0].file : -1;
		int file = perf_kernel->open(place, wishes[i].words, group);
		bool leads = group < 0;
		struct member *member;

		if (file < 0 && group >= 0) {
			leads = true;
			file = perf_kernel->open(place, wishes[i].words, -1);
		}
		if (file < 0) {
			code = refused(place, wishes[i].words, errno, error);
			break;
		}
		member = leads && joined ? &set->members[--alone]
					 : &set->members[joined++];
		*member = (struct member){ wishes[i], file, leads, 0, 0, 0, 0 };
		set->num++;
	}
	if (code) {
		set->num = num;
		for (; joined < alone; joined++)
			set->members[joined].file = -1;
		set_close(set);
		*set = (struct perf_set){ 0 };
	}
	return code;
}

/* Reading */

static void take(struct perf_unit *unit, struct member *member,
		 const struct perf_reading *reading, unsigned n,
		 bool is_counted)
{
	uint64_t grown = reading->values[n] - member->value;
	uint64_t enabled = reading->enabled - member->enabled;
	uint64_t running = reading->running - member->running;
	struct perf_count *count = &unit->counts[member->wish.counter];

	member->value = reading->values[n];
	member->enabled = reading->enabled;
	member->running = reading->running;
	if (!is_counted)
		return;
	count->enabled += (double)enabled;
	count->running += (double)running;
	member->unseen += enabled;
	if (!running)
		return;
	count->value += grown;
	if (running < member->unseen)
		count->rest += (double)grown *
			       (double)(member->unseen - running) /
			       (double)running;
	count->value += (uint64_t)count->rest;
	count->rest -= (double)(uint64_t)count->rest;
	member->unseen = 0;
}

static int read_set(struct perf_unit *unit, struct perf_set *set,
		    bool is_counted, char **error)
{
	for (unsigned i = 0; i < set->num;) {
		struct perf_reading reading = { 0 };
		unsigned first = i++;

		if (!perf_kernel->read(set->members[first].file, &reading))
			return text_error(
				UNCORE_ERR_NO_HARDWARE, error,
				"cannot read what %s counts on CPU %d: %s",
				unit->place->pmu->name, unit->place->cpu,
				errno ? strerror(errno) : "it has stopped");
		while (i < set->num && !set->members[i].leads)
			i++;
		for (unsigned n = first; n < i && n - first < reading.num; n++)
			take(unit, &set->members[n], &reading, n - first,
			     is_counted);
	}
	return 0;
}

int perf_unit_read(struct perf_unit *unit, char **error)
{
	return unit->active ? read_set(unit, unit->active, true, error) : 0;
}

/* Changing */

static void set_switch(const struct perf_set *set, bool is_on)
{
	for (unsigned i = 0; i < set->num; i++)
		if (set->members[i].leads)
			perf_kernel->enable(set->members[i].file, is_on);
}

static bool is_wished(const struct perf_set *set,
		      const struct perf_wish *wishes, unsigned num)
{
	unsigned found = 0;

	for (unsigned i = 0; i < num; i++)
		for (unsigned n = 0; n < set->num; n++)
			found += set->members[n].wish.counter ==
					 wishes[i].counter &&
				 !memcmp(set->members[n].wish.words,
					 wishes[i].words,
					 sizeof(wishes[i].words));
	return found == num && set->num == num;
}

/* Sets move when there are more of them. */
static int add_set(struct perf_unit *unit, const struct perf_wish *wishes,
		   unsigned num, char **error)
{
	size_t active = unit->active ? (size_t)(unit->active - unit->sets) : 0;
	struct perf_set *sets =
		realloc(unit->sets, (unit->num_sets + 1) * sizeof(*sets));
	int code;

	if (!sets)
		return UNCORE_ERR_NO_MEMORY;
	unit->sets = sets;
	if (unit->active)
		unit->active = &sets[active];
	sets[unit->num_sets] = (struct perf_set){ 0 };
	code = set_open(&sets[unit->num_sets], unit->place, wishes, num, error);
	unit->num_sets += !code;
	return code;
}

int perf_unit_count(struct perf_unit *unit, const struct perf_wish *wishes,
		    unsigned num, char **error)
{
	size_t i = 0;
	int code = 0;

	if (unit->active ? is_wished(unit->active, wishes, num) : !num)
		return 0;
	while (i < unit->num_sets && !is_wished(&unit->sets[i], wishes, num))
		i++;
	if (i == unit->num_sets && num)
		code = add_set(unit, wishes, num, error);
	if (!code && unit->active) {
		set_switch(unit->active, false);
		code = perf_unit_read(unit, error);
	}
	if (code)
		return code;
	unit->active = num ? &unit->sets[i] : NULL;
	if (!num)
		return 0;
	code = read_set(unit, unit->active, false, error);
	set_switch(unit->active, true);
	return code;
}

double perf_unit_share(const struct perf_unit *unit, unsigned counter)
{
	const struct perf_count *count = &unit->counts[counter];

	return count->enabled > count->running ? count->running / count->enabled
					       : 1;
}

void perf_unit_close(struct perf_unit *unit)
{
	for (size_t i = 0; i < unit->num_sets; i++)
		set_close(&unit->sets[i]);
	free(unit->sets);
	*unit = (struct perf_unit){ .place = unit->place };
}
