/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The figures of a machine: those whose rows say how, and those that are
 * measured together, or by counting.
 */
#include "proof/validate.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "proof/figures.h"
#include "tool/machine.h"
#include "tool/tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

enum {
	SOCKETS = 4,
	LINE_BYTES = 64,
	LOADED_CYCLES = 200000,
	MAX_CYCLES = 200000000
};

#define XEON_E7	  "xeon-e7"
#define XEON_7500 "xeon-7500"

static struct validate_row rows[NUM_FIGURES + 1];

/* The latency of memory from each of four sockets to each. */
static int measure_pairs(void)
{
	const unsigned cores = 10;
	double local = 0, sum = 0, slowest = 0, fastest = 1e9;
	int status = TOOL_OK;

	for (unsigned pair = 0; pair < SOCKETS * SOCKETS && !status; pair++) {
		unsigned from = pair / SOCKETS, to = pair % SOCKETS;
		char text[128];
		struct validate_row row = {
			.model = XEON_E7 " sockets=4 core.prefetch=0 "
					 "core.tlb=2",
			.run = text,
			.per_ns = 6000,
		};

		snprintf(text, sizeof(text),
			 "chase:threads=1,gap=1,size=4G,cpu=%u,node=%u,"
			 "offset=0,count={1000|7000}",
			 from * cores, to);
		status = validate_measure_row(&row);
		if (from == to) {
			local += row.value / SOCKETS;
			continue;
		}
		sum += row.value;
		slowest = row.value > slowest ? row.value : slowest;
		fastest = row.value < fastest ? row.value : fastest;
	}
	rows[LOCAL_LATENCY].value = local;
	rows[HOP_LATENCY].value = sum / (SOCKETS * (SOCKETS - 1));
	rows[HOP_RATIO].value = rows[HOP_LATENCY].value / local;
	rows[HOP_SPREAD].value = slowest - fastest;
	return status;
}

struct counted {
	uint64_t sum, most; /* of all counters */
};

static void add_up(const struct uncore_session *session,
		   struct counted *counted)
{
	struct uncore_count count;

	for (size_t i = 0; uncore_session_count(session, i, &count); i++) {
		counted->sum += count.value;
		if (count.value > counted->most)
			counted->most = count.value;
	}
}

enum { MOST_EVENTS = 4 };

/* Counts events of a model, whose texts end with NULL, until its traffic ends,
 * or for so many cycles. */
static int count_events(struct uncore_model *model, const char *const *texts,
			uint64_t cycles, struct counted *counted)
{
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_event *events[MOST_EVENTS] = { NULL };
	struct uncore_session *session = NULL;
	char *error = NULL;
	size_t num = 0;
	int code = target ? 0 : UNCORE_ERR_NO_MEMORY;

	for (; texts[num] && !code; num++)
		code = uncore_event_parse(uncore_target_family(target),
					  texts[num], &events[num], &error);
	if (!code)
		code = uncore_session_open(target, events, num, &session,
					   &error);
	if (!code)
		code = uncore_session_start(session, &error);
	if (!code && cycles)
		uncore_model_run(model, cycles);
	else if (!code)
		uncore_model_finish(model, MAX_CYCLES, NULL);
	if (!code)
		code = uncore_session_stop(session, &error);
	if (!code)
		code = uncore_session_read(session, &error);
	if (!code)
		add_up(session, counted);
	uncore_session_close(session);
	for (size_t i = 0; i < num; i++)
		uncore_event_free(events[i]);
	uncore_target_free(target);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* All cores of socket 0 read the memory of socket 1. */
static int measure_link(const char *machine, unsigned cores, double *value)
{
	const struct machine_settings settings = {
		.machine = machine,
		.sockets = "2",
		.sets = { { "core.prefetch=15", "core.tlb=1" }, 2 },
	};
	char workload[64];
	const struct machine_how how = { .workload = workload };
	static const char *const ports[] = {
		"rbox/DRS.AnyResp9flits,port=qpi0/",
		"rbox/DRS.AnyResp9flits,port=qpi1/",
		"rbox/DRS.AnyResp9flits,port=qpi2/",
		"rbox/DRS.AnyResp9flits,port=qpi3/", NULL
	};
	struct uncore_model *model;
	struct counted packets = { 0 };
	double seconds;
	int status;

	snprintf(workload, sizeof(workload),
		 "stream:threads=%u,op=read,size=4M,gap=1,node=1", cores);
	status = machine_model(&settings, &how, &model);
	if (status)
		return status;
	status = count_events(model, ports, 0, &packets);
	seconds = (double)uncore_model_cycle(model) /
		  uncore_model_clock_hz(model);
	*value = (double)packets.most * LINE_BYTES / seconds / 1e9;
	return machine_free(model, status);
}

static int measure_link_e7(void)
{
	return measure_link(XEON_E7, 10, &rows[QPI_DATA].value);
}

static int measure_link_7500(void)
{
	return measure_link(XEON_7500, 8, &rows[QPI_DATA_7500].value);
}

/* Nanoseconds of a load of core 0 from local memory while the nine others of
 * the socket stream from there, with so many instructions a line (NULL: they do
 * not): lines that it took off the ring are its loads, one after the other. */
static int chase_beside(const char *gap, double *ns)
{
	static const char *const lines[] = { "cbox0/SINKS_S2P_BL/", NULL };
	static const struct machine_settings settings = {
		.machine = XEON_E7,
		.sockets = "2",
		.sets = { { "core.prefetch=0", "core.tlb=2" }, 2 },
	};
	char workload[128];
	const struct machine_how how = { .workload = workload };
	struct uncore_model *model;
	struct counted halves = { 0 }; /* a line is two on the ring */
	int status;

	snprintf(workload, sizeof(workload),
		 "chase:threads=1,cpu=0,gap=1,size=4G,node=0%s%s",
		 gap ? "+stream:threads=9,cpu=1,op=read,size=1G,node=0,gap="
		     : "",
		 gap ? gap : "");
	status = machine_model(&settings, &how, &model);
	if (status)
		return status;
	uncore_model_run(model, LOADED_CYCLES / 2);
	status = count_events(model, lines, LOADED_CYCLES, &halves);
	*ns = 2e9 * LOADED_CYCLES / uncore_model_clock_hz(model) /
	      (double)halves.sum;
	return machine_free(model, status);
}

/* 100 instructions a line are half of the most bandwidth. */
static int measure_loaded(void)
{
	double idle = 0, half = 0, full = 0;
	int status = chase_beside(NULL, &idle);

	if (!status)
		status = chase_beside("100", &half);
	if (!status)
		status = chase_beside("0", &full);
	rows[LOADED_HALF].value = half / idle;
	rows[LOADED_FULL].value = full / idle;
	return status;
}

/* What is measured together, with the first of its rows. */
static const struct group {
	const char *machine;
	int (*measure)(void);
	enum figure_name first, last;
} groups[] = {
	{ XEON_E7, measure_pairs, LOCAL_LATENCY, HOP_SPREAD },
	{ XEON_E7, measure_loaded, LOADED_HALF, LOADED_FULL },
	{ XEON_E7, measure_link_e7, QPI_DATA, QPI_DATA },
	{ XEON_7500, measure_link_7500, QPI_DATA_7500, QPI_DATA_7500 },
};

static const struct group *group_of(unsigned figure)
{
	const struct group *group = groups;

	while (figure < group->first || figure > group->last)
		group++;
	return group;
}

static bool is_of(unsigned figure, const char *machine)
{
	if (rows[figure].model)
		return validate_is_of(&rows[figure], machine);
	return !machine || !strcasecmp(machine, group_of(figure)->machine);
}

static int measure(unsigned figure)
{
	struct validate_row *row = &rows[figure];
	int status;

	if (!row->model)
		return figure == group_of(figure)->first
			       ? group_of(figure)->measure()
			       : TOOL_OK;
	status = validate_measure_row(row);
	if (row->less)
		row->value -= rows[row->less - 1].value;
	if (row->over)
		row->value /= rows[row->over - 1].value;
	return status;
}

int validate_measure(const char *machine, bool with_long,
		     const struct validate_row **list)
{
	static struct validate_row chosen[NUM_FIGURES + 1];
	unsigned num = 0;
	int status = TOOL_OK;

	memcpy(rows, validate_published, sizeof(rows));
	for (unsigned i = 0; i < NUM_FIGURES && !status; i++) {
		if (!is_of(i, machine) || (rows[i].is_long && !with_long))
			continue;
		status = measure(i);
		chosen[num++] = rows[i];
	}
	chosen[num] = (struct validate_row){ 0 };
	*list = chosen;
	return status;
}
