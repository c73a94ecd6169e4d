/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See system_rig.h.
 */
#include "system_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { PATIENCE_CYCLES = 50000000 };

static int take(const struct script *script, unsigned *done,
		struct uncore_access *access)
{
	unsigned n = *done;

	if (n >= script->num_steps * script->repeat)
		return script->waits ? -1 : 0;
	++*done;
	*access = script->steps[n % script->num_steps];
	access->line += n / script->num_steps * script->spread;
	return 1;
}

static int next(void *context, unsigned core, struct uncore_access *access)
{
	struct system *system = context;

	return take(&system->cpus[core], &system->done_cpus[core], access);
}

static int next_io(void *context, unsigned hub, struct uncore_access *access)
{
	struct system *system = context;

	return take(&system->hubs[hub], &system->done_hubs[hub], access);
}

static void make(struct system *system)
{
	char *error = NULL;
	struct uncore_model_config *config = uncore_model_config_new(
		system->machine ? system->machine : "xeon-e7", &error);

	assert_non_null(config);
	if (uncore_model_config_sockets(config, system->sockets, &error))
		fail_msg("%s", error);
	for (unsigned i = 0; i < SYSTEM_TEXTS && system->settings[i]; i++)
		if (uncore_model_config_set(config, system->settings[i],
					    &error))
			fail_msg("%s", error);
	for (unsigned i = 0; i < SYSTEM_TEXTS && system->faults[i]; i++)
		if (uncore_model_config_inject(config, system->faults[i],
					       &error))
			fail_msg("%s", error);
	uncore_model_config_check(config, true);
	system->model = uncore_model_new(config, &error);
	if (!system->model)
		fail_msg("%s", error);
	uncore_model_config_free(config);
}

static void count(struct system *system, const char *const *events)
{
	char *error = NULL;

	system->target = uncore_target_model(system->model);
	system->num_events = 0;
	system->session = NULL;
	for (unsigned i = 0; i < SYSTEM_EVENTS && events && events[i]; i++) {
		if (uncore_event_parse(uncore_target_family(system->target),
				       events[i], &system->events[i], &error) ||
		    uncore_session_can_count(system->target, system->events[i],
					     &error))
			fail_msg("%s", error);
		system->num_events++;
	}
	if (system->num_events &&
	    (uncore_session_open(system->target, system->events,
				 system->num_events, &system->session,
				 &error) ||
	     uncore_session_start(system->session, &error)))
		fail_msg("%s", error);
}

void system_start(struct system *system, const char *const *events)
{
	struct uncore_traffic traffic = {
		.context = system,
		.next = next,
		.next_io = next_io,
	};

	make(system);
	count(system, events);
	memset(system->done_cpus, 0, sizeof(system->done_cpus));
	memset(system->done_hubs, 0, sizeof(system->done_hubs));
	uncore_model_set_traffic(system->model, &traffic);
}

void system_finish(struct system *system)
{
	if (!uncore_model_finish(system->model, PATIENCE_CYCLES, NULL))
		fail_msg("the machine stands still");
}

uint64_t system_read(struct system *system, unsigned n, int socket)
{
	struct uncore_count count;
	char *error = NULL;
	uint64_t sum = 0;

	if (uncore_session_read(system->session, &error))
		fail_msg("%s", error);
	for (size_t i = 0; uncore_session_count(system->session, i, &count);
	     i++)
		if (count.event_index == n &&
		    (socket == SYSTEM_ALL || count.socket == (unsigned)socket))
			sum += count.value;
	return sum;
}

void system_end(struct system *system)
{
	const char *violation = uncore_model_check(system->model);

	if (violation)
		fail_msg("%s", violation);
	uncore_session_close(system->session);
	for (unsigned i = 0; i < system->num_events; i++)
		uncore_event_free(system->events[i]);
	uncore_target_free(system->target);
	uncore_model_free(system->model);
}

uint64_t system_count(struct system *system, int socket, const char *event)
{
	const char *const events[] = { event, NULL };
	uint64_t value;

	system_start(system, events);
	system_finish(system);
	value = system_read(system, 0, socket);
	system_end(system);
	return value;
}

void system_counts(struct system *system, int socket, const char *event,
		   uint64_t expected)
{
	uint64_t counted = system_count(system, socket, event);

	if (counted != expected)
		fail_msg("%s: %ju, not %ju", event, (uintmax_t)counted,
			 (uintmax_t)expected);
}

uint64_t system_takes(struct system *system)
{
	uint64_t cycles;

	system_start(system, NULL);
	system_finish(system);
	cycles = uncore_model_cycle(system->model);
	system_end(system);
	return cycles;
}
