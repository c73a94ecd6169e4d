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
#define XEON_E5	  "xeon-e5-2600"
#define XEON_SKX  "xeon-scalable-1"

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

/* How loads of core 0 are counted while other cores stream. */
struct beside {
	const char *machine;
	const char *prefetch; /* of those that stream: core.prefetch */
	const char *loads[2]; /* an event and NULL: */
	unsigned per_load;    /* so many of it are a load */
	unsigned cores;	      /* that stream */
	const char *half;     /* instructions a line for half of the most */
};

/* Nanoseconds of a load of core 0 from local memory while others of the socket
 * stream from there, with so many instructions a line (NULL: they do not). */
static int chase_beside(const struct beside *beside, const char *gap,
			double *ns)
{
	const struct machine_settings settings = {
		.machine = beside->machine,
		.sockets = "2",
		.sets = { { beside->prefetch, "core.tlb=2" }, 2 },
	};
	char workload[128], streams[64] = "";
	const struct machine_how how = { .workload = workload };
	struct uncore_model *model;
	struct counted loads = { 0 };
	uint64_t cycles = LOADED_CYCLES;
	int status;

	if (gap)
		snprintf(streams, sizeof(streams),
			 "+stream:threads=%u,cpu=1,op=read,size=1G,node=0,"
			 "gap=%s",
			 beside->cores, gap);
	snprintf(workload, sizeof(workload),
		 "chase:threads=1,cpu=0,gap=1,size=4G,node=0%s", streams);
	status = machine_model(&settings, &how, &model);
	if (status)
		return status;
	uncore_model_run(model, cycles / 2);
	status = count_events(model, beside->loads, cycles, &loads);
	*ns = 1e9 * (double)(cycles * beside->per_load) /
	      uncore_model_clock_hz(model) / (double)loads.sum;
	return machine_free(model, status);
}

static int measure_loaded(const struct beside *beside, enum figure_name first)
{
	double idle = 0, half = 0, full = 0;
	int status = chase_beside(beside, NULL, &idle);

	if (!status)
		status = chase_beside(beside, beside->half, &half);
	if (!status)
		status = chase_beside(beside, "0", &full);
	rows[first].value = half / idle;
	rows[first + 1].value = full / idle;
	return status;
}

/* A core takes its lines off the ring, each in two pieces. */
static int measure_loaded_e7(void)
{
	static const struct beside beside = {
		XEON_E7, "core.prefetch=0", { "cbox0/SINKS_S2P_BL/" }, 2, 9,
		"100"
	};

	return measure_loaded(&beside, LOADED_HALF);
}

static int measure_loaded_7500(void)
{
	static const struct beside beside = {
		XEON_7500, "core.prefetch=0", { "cbox0/SINKS_S2P_BL/" }, 2, 7,
		"35"
	};

	return measure_loaded(&beside, LOADED_HALF_7500);
}

/* Each load of core 0 is looked up in one of the slices. */
static int measure_loaded_e5(void)
{
	static const struct beside beside = {
		XEON_E5,
		"core.prefetch=0",
		{ "cbo/LLC_LOOKUP.DATA_READ,tid=0/" },
		1,
		7,
		"55"
	};

	return measure_loaded(&beside, LOADED_HALF_E5);
}

/* Those that stream have their streamer, as the Memory Latency Checker's; a
 * chase has no use for it. */
static int measure_loaded_skx(void)
{
	static const struct beside beside = {
		XEON_SKX,
		"core.prefetch=1",
		{ "cha/TOR_INSERTS.IA_MISS_DRD,tid=0/" },
		1,
		27,
		"43"
	};

	return measure_loaded(&beside, LOADED_HALF_SKX);
}

/* What is measured together, with the first of its rows. */
static const struct group {
	const char *machine;
	int (*measure)(void);
	enum figure_name first, last;
} groups[] = {
	{ XEON_E7, measure_pairs, LOCAL_LATENCY, HOP_SPREAD },
	{ XEON_E7, measure_loaded_e7, LOADED_HALF, LOADED_FULL },
	{ XEON_E7, measure_link_e7, QPI_DATA, QPI_DATA },
	{ XEON_7500, measure_loaded_7500, LOADED_HALF_7500, LOADED_FULL_7500 },
	{ XEON_7500, measure_link_7500, QPI_DATA_7500, QPI_DATA_7500 },
	{ XEON_E5, measure_loaded_e5, LOADED_HALF_E5, LOADED_FULL_E5 },
	{ XEON_SKX, measure_loaded_skx, LOADED_HALF_SKX, LOADED_FULL_SKX },
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
	if (validate_published[figure].model)
		return validate_is_of(&validate_published[figure], machine);
	return !machine || !strcasecmp(machine, group_of(figure)->machine);
}

const struct validate_row *validate_next(const char *machine, unsigned *index)
{
	while (*index < NUM_FIGURES && !is_of(*index, machine))
		++*index;
	return *index < NUM_FIGURES ? &validate_published[(*index)++] : NULL;
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
