/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "tests/doors/guest_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uncore/live.h"

enum { INSTRUCTIONS = 100 }; /* of a turn */

static void *serve(void *argument)
{
	struct guest_rig *rig = argument;

	rig->code = uncore_guest_run(rig->guest, &rig->stop, &rig->status,
				     &rig->error);
	return NULL;
}

const char *rig_setting;

static void count_complaint(void *context, const char *text)
{
	struct guest_rig *rig = context;

	(void)text;
	rig->complaints++;
}

static void set_all(struct guest_rig *rig)
{
	char *settings = strdup(rig_setting ? rig_setting : ""), *rest;
	char *error = NULL;

	assert_non_null(settings);
	for (char *setting = strtok_r(settings, " ", &rest); setting;
	     setting = strtok_r(NULL, " ", &rest))
		assert_int_equal(
			uncore_model_config_set(rig->machine, setting, &error),
			0);
	free(settings);
}

static void configure(struct guest_rig *rig, unsigned sockets)
{
	char *error = NULL;

	rig->machine = uncore_model_config_new("xeon-e7", &error);
	assert_non_null(rig->machine);
	assert_int_equal(
		uncore_model_config_sockets(rig->machine, sockets, &error), 0);
	assert_int_equal(
		uncore_model_config_set(rig->machine, "cores=4", &error), 0);
	/* Nothing but the traffic reads memory. */
	assert_int_equal(uncore_model_config_set(
				 rig->machine, "mbox.patrol_cycles=0", &error),
			 0);
	set_all(rig);
	uncore_model_config_log(rig->machine, count_complaint, rig);
	uncore_model_config_strict(rig->machine, true);
	rig->model = uncore_model_new(rig->machine, &error);
	assert_non_null(rig->model);
}

void rig_start(struct guest_rig *rig, unsigned sockets,
	       enum uncore_guest_traffic traffic, const char *workload,
	       const char *record)
{
	struct uncore_guest_config config = {
		.struct_size = sizeof(config),
		.traffic = traffic,
		.clock = UNCORE_GUEST_INSTRUCTIONS,
		.record = record,
	};
	char *error = NULL;

	memset(rig, 0, sizeof(*rig));
	configure(rig, sockets);
	config.machine = rig->machine;
	if (workload)
		assert_int_equal(
			uncore_model_set_workload(rig->model, workload, &error),
			0);
	rig->live = uncore_live_new(rig->model, UNCORE_LIVE_STEP);
	assert_int_equal(guest_new(rig->live, &config, &rig->guest, &error), 0);
	rig->channel = rig->guest->channel;
	rig->target = uncore_target_model(rig->model);
	assert_int_equal(pthread_create(&rig->thread, NULL, serve, rig), 0);
}

void rig_stop(struct guest_rig *rig)
{
	rig_drain(rig);
	rig->stop = 1;
	pthread_join(rig->thread, NULL);
	uncore_model_settle(rig->model);
	if (rig->session)
		assert_int_equal(uncore_session_read(rig->session, NULL), 0);
}

void rig_free(struct guest_rig *rig)
{
	uncore_session_close(rig->session);
	for (size_t i = 0; i < rig->num_events; i++)
		uncore_event_free(rig->events[i]);
	uncore_target_free(rig->target);
	uncore_guest_free(rig->guest);
	uncore_live_free(rig->live);
	uncore_model_free(rig->model);
	uncore_model_config_free(rig->machine);
	free(rig->error);
}

void rig_count(struct guest_rig *rig, const char *event)
{
	size_t n = rig->num_events++;

	assert_int_equal(uncore_event_parse(uncore_family_find("xeon-e7"),
					    event, &rig->events[n], NULL),
			 0);
	uncore_live_enter(rig->live);
	uncore_session_close(rig->session);
	assert_int_equal(uncore_session_open(rig->target, rig->events, n + 1,
					     &rig->session, NULL),
			 0);
	assert_int_equal(uncore_session_start(rig->session, NULL), 0);
	uncore_live_leave(rig->live);
}

uint64_t rig_value(struct guest_rig *rig, size_t index, int socket)
{
	struct uncore_count count;
	uint64_t sum = 0;

	for (size_t i = 0; uncore_session_count(rig->session, i, &count); i++)
		if (count.event_index == index &&
		    (socket < 0 || count.socket == (unsigned)socket))
			sum += count.value;
	return sum;
}

void rig_access(struct guest_rig *rig, unsigned cpu, unsigned kind,
		uint64_t line)
{
	struct channel_turn *turn =
		&rig->channel->rounds[rig->round].turns[cpu];

	assert_true(turn->num_records < CHANNEL_RECORDS);
	turn->records[turn->num_records++] = (struct uncore_access){
		.line = line,
		.gap = 1,
		.kind = (uint8_t)kind,
	};
}

static void ring(struct guest_rig *rig)
{
	atomic_fetch_add(&rig->channel->model_bell, 1);
	syscall(SYS_futex, &rig->channel->model_bell, FUTEX_WAKE, 1, NULL, NULL,
		0);
}

static void await(_Atomic uint32_t *state, uint32_t value)
{
	while (atomic_load(state) != value)
		sched_yield();
}

/* Empties a round that the model has given back. */
static void reuse(struct guest_rig *rig, unsigned index)
{
	struct channel_round *round = &rig->channel->rounds[index];

	for (unsigned i = 0; i < rig->channel->num_cpus; i++) {
		rig->taken[i] += round->turns[i].num_invalidations;
		round->turns[i].num_records = 0;
		round->turns[i].instructions = 0;
	}
	atomic_store(&round->state, ROUND_FILLING);
}

void rig_hand_over(struct guest_rig *rig)
{
	struct channel_round *round = &rig->channel->rounds[rig->round];
	struct channel_round *other = &rig->channel->rounds[rig->round ^ 1];

	for (unsigned i = 0; i < rig->channel->num_cpus; i++)
		round->turns[i].instructions = INSTRUCTIONS;
	atomic_store(&round->state, ROUND_FULL);
	ring(rig);
	rig->round ^= 1;
	if (atomic_load(&other->state) != ROUND_FILLING) {
		await(&other->state, ROUND_DONE);
		reuse(rig, rig->round);
	}
}

void rig_drain(struct guest_rig *rig)
{
	rig_hand_over(rig);
	await(&rig->channel->rounds[rig->round ^ 1].state, ROUND_DONE);
}

void rig_request(struct guest_rig *rig, enum channel_request_kind kind,
		 unsigned cpu, uint32_t address, uint64_t value)
{
	struct channel_request *request = &rig->channel->request;

	rig_hand_over(rig);
	request->kind = kind;
	request->cpu = cpu;
	request->address = address;
	request->value = value;
	atomic_store(&request->state, REQUEST_MADE);
	ring(rig);
	await(&request->state, REQUEST_ANSWERED);
	atomic_store(&request->state, REQUEST_NONE);
	await(&rig->channel->rounds[rig->round ^ 1].state, ROUND_DONE);
}

uint32_t rig_register(const char *name)
{
	const struct uncore_family *family = uncore_family_find("xeon-e7");
	struct uncore_register reg;

	for (size_t i = 0; uncore_family_register(family, i, &reg); i++)
		if (!strcmp(reg.name, name))
			return reg.address;
	fail_msg("no register %s", name);
	return 0;
}
