/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How the figures are measured on the model. A latency is the time that a
 * pointer chase takes for each of its loads: of two runs that differ in length
 * alone the difference is taken, so that the way to the steady state is left
 * out. A chase through a region much larger than it has loads touches each line
 * once: all of them come from memory.
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
	TRIAD_BYTES = 24 << 20,
	MAX_CYCLES = 200000000
};

#define XEON_E7	  "xeon-e7"
#define XEON_7500 "xeon-7500"
#define XEON_E5	  "xeon-e5-2600"

static struct validate_row rows[NUM_FIGURES + 1];

/* A machine as text. */
struct setup {
	const char *machine, *sockets;
	const char *sets[4];
};

static int make_model(const struct setup *setup, const char *workload,
		      struct uncore_model **model)
{
	struct machine_settings settings = { .machine = setup->machine,
					     .sockets = setup->sockets };
	const struct machine_how how = { .workload = workload };

	while (settings.sets.num < 4 && setup->sets[settings.sets.num]) {
		settings.sets.list[settings.sets.num] =
			setup->sets[settings.sets.num];
		settings.sets.num++;
	}
	return machine_model(&settings, &how, model);
}

/* Seconds until the workload has ended. */
static int run(const struct setup *setup, const char *workload, double *seconds)
{
	struct uncore_model *model;
	int status = make_model(setup, workload, &model);

	if (status)
		return status;
	if (!uncore_model_finish(model, MAX_CYCLES, NULL))
		status = tool_fail(TOOL_FAILED, "%s does not come to an end",
				   workload);
	*seconds = (double)uncore_model_cycle(model) /
		   uncore_model_clock_hz(model);
	return machine_free(model, status);
}

/* Nanoseconds of one load of a pointer chase by a CPU in memory of a socket,
 * beside other workloads ("" or each with a "+"). */
static int chase_beside(const struct setup *setup, const char *others,
			const char *size, unsigned cpu, unsigned node,
			unsigned warm, unsigned loads, double *ns)
{
	double seconds[2] = { 0 };
	int status = TOOL_OK;

	for (unsigned i = 0; i < 2 && !status; i++) {
		char text[224];

		snprintf(text, sizeof(text),
			 "%schase:threads=1,gap=1,size=%s,cpu=%u,node=%u,"
			 "offset=0,count=%u",
			 others, size, cpu, node, warm + i * loads);
		status = run(setup, text, &seconds[i]);
	}
	*ns = (seconds[1] - seconds[0]) / loads * 1e9;
	return status;
}

static int chase(const struct setup *setup, const char *size, unsigned cpu,
		 unsigned node, unsigned warm, unsigned loads, double *ns)
{
	return chase_beside(setup, "", size, cpu, node, warm, loads, ns);
}

/* In core cycles. */
static int measure_private(const char *machine, double core_ghz, double *l1,
			   double *l2)
{
	const struct setup one = { machine, "1", { NULL } };
	int status = chase(&one, "16K", 0, 0, 20000, 20000, l1);

	if (!status)
		status = chase(&one, "128K", 0, 0, 20000, 20000, l2);
	*l1 *= core_ghz;
	*l2 *= core_ghz;
	return status;
}

static int measure_caches_e7(void)
{
	return measure_private(XEON_E7, 2.4, &rows[L1_LATENCY].value,
			       &rows[L2_LATENCY].value);
}

static int measure_caches_7500(void)
{
	static const struct setup one = { XEON_7500, "1", { NULL } };
	int status = measure_private(XEON_7500, 2.26667,
				     &rows[L1_LATENCY_7500].value,
				     &rows[L2_LATENCY_7500].value);

	return status ? status
		      : chase(&one, "8M", 0, 0, 140000, 100000,
			      &rows[LLC_LATENCY].value);
}

static int measure_e5(void)
{
	static const struct setup one = { XEON_E5, "1", { NULL } };
	static const struct setup two = { XEON_E5, "2", { NULL } };
	int status = measure_private(XEON_E5, 2.9, &rows[L1_LATENCY_E5].value,
				     &rows[L2_LATENCY_E5].value);

	if (!status)
		status = chase(&one, "8M", 0, 0, 140000, 100000,
			       &rows[LLC_LATENCY_E5].value);
	if (!status)
		status = chase(&two, "4G", 0, 0, 1000, 6000,
			       &rows[LOCAL_LATENCY_E5].value);
	return status ? status
		      : chase(&two, "4G", 0, 1, 1000, 6000,
			      &rows[HOP_LATENCY_E5].value);
}

static int measure_pairs(void)
{
	static const struct setup four = { XEON_E7, "4", { NULL } };
	const unsigned cores = 10;
	double local = 0, sum = 0, slowest = 0, fastest = 1e9;
	int status = TOOL_OK;

	for (unsigned pair = 0; pair < SOCKETS * SOCKETS && !status; pair++) {
		unsigned from = pair / SOCKETS, to = pair % SOCKETS;
		double ns = 0;

		status = chase(&four, "4G", from * cores, to, 1000, 6000, &ns);
		if (from == to) {
			local += ns / SOCKETS;
			continue;
		}
		sum += ns;
		slowest = ns > slowest ? ns : slowest;
		fastest = ns < fastest ? ns : fastest;
	}
	rows[LOCAL_LATENCY].value = local;
	rows[HOP_LATENCY].value = sum / (SOCKETS * (SOCKETS - 1));
	rows[HOP_RATIO].value = rows[HOP_LATENCY].value / local;
	rows[HOP_SPREAD].value = slowest - fastest;
	return status;
}

/* Core 1 reads or writes as much as its L2 holds, while core 0 chases through
 * half of it; of the other half each line is in core 1 alone. */
static int measure_peers(void)
{
	static const struct setup one = { XEON_E7, "1", { NULL } };
	static const char reads[] = "stream:threads=1,op=read,cpu=1,node=0,"
				    "offset=0,size=128K,gap=1+";
	static const char writes[] = "stream:threads=1,op=write,cpu=1,node=0,"
				     "offset=0,size=128K,gap=1+";
	double hit = 0, clean = 0, dirty = 0;
	int status = chase(&one, "8M", 0, 0, 140000, 60000, &hit);

	if (!status)
		status = chase_beside(&one, reads, "128K", 0, 0, 1024, 1000,
				      &clean);
	if (!status)
		status = chase_beside(&one, writes, "128K", 0, 0, 1024, 1000,
				      &dirty);
	rows[PEER_CLEAN].value = clean - hit;
	rows[PEER_DIRTY].value = dirty - hit;
	rows[PEER_HOP].value = dirty / rows[HOP_LATENCY].value;
	return status;
}

/* Seconds of a triad over TRIAD_BYTES, the last half of a run: the first 24 MB
 * fill the LLC, and nothing is written back before. */
static int run_triad(const struct setup *setup, const char *how,
		     double *seconds)
{
	double less = 0, more = 0;
	char text[64];
	int status;

	snprintf(text, sizeof(text), "stream:op=triad,size=24M,%s", how);
	status = run(setup, text, &less);
	if (!status) {
		snprintf(text, sizeof(text), "stream:op=triad,size=48M,%s",
			 how);
		status = run(setup, text, &more);
	}
	*seconds = more - less;
	return status;
}

static int measure_controllers(void)
{
	static const struct setup full = { XEON_7500, "1", { NULL } };
	static const struct setup one = { XEON_7500,
					  "1",
					  { "memory.controllers=1" } };
	static const struct setup dimm = { XEON_7500, "1", { "dram.dimms=1" } };
	static const char all_cores[] = "threads=8,gap=2";
	double all = 0, half = 0, few = 0;
	int status = run_triad(&full, all_cores, &all);

	if (!status)
		status = run_triad(&one, all_cores, &half);
	if (!status)
		status = run_triad(&dimm, all_cores, &few);
	rows[ONE_CONTROLLER].value = all / half;
	rows[ONE_DIMM].value = all / few;
	return status;
}

/* Eight elements a line, so some 8 instructions for each of its three lines. As
 * STREAM counts: a line that is written is one, though it is read before. */
static int measure_thread(void)
{
	static const struct setup four = { XEON_7500, "4", { NULL } };
	double seconds = 1;
	int status = run_triad(&four, "threads=1,gap=8", &seconds);

	rows[ONE_THREAD].value = TRIAD_BYTES / seconds / 1e9;
	return status;
}

/* Of the packets with data that leave a socket over a port, the most. */
static uint64_t most_packets(const struct uncore_session *session)
{
	struct uncore_count count;
	uint64_t most = 0;

	for (size_t i = 0; uncore_session_count(session, i, &count); i++)
		if (count.value > most)
			most = count.value;
	return most;
}

static int count_packets(struct uncore_model *model, uint64_t *packets)
{
	struct uncore_target *target = uncore_target_model(model);
	struct uncore_event *events[4] = { NULL };
	struct uncore_session *session = NULL;
	char *error = NULL;
	int code = target ? 0 : UNCORE_ERR_NO_MEMORY;

	for (unsigned port = 0; port < 4 && !code; port++) {
		char text[64];

		snprintf(text, sizeof(text),
			 "rbox/DRS.AnyResp9flits,port=qpi%u/", port);
		code = uncore_event_parse(uncore_target_family(target), text,
					  &events[port], &error);
	}
	if (!code)
		code = uncore_session_open(target, events, 4, &session, &error);
	if (!code)
		code = uncore_session_start(session, &error);
	if (!code)
		uncore_model_finish(model, MAX_CYCLES, NULL);
	if (!code)
		code = uncore_session_stop(session, &error);
	if (!code)
		code = uncore_session_read(session, &error);
	if (!code)
		*packets = most_packets(session);
	uncore_session_close(session);
	for (unsigned port = 0; port < 4; port++)
		uncore_event_free(events[port]);
	uncore_target_free(target);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* All cores of socket 0 read the memory of socket 1. */
static int measure_link(const char *machine, unsigned cores, double *value)
{
	const struct setup two = { machine, "2", { NULL } };
	struct uncore_model *model;
	uint64_t packets = 0;
	double seconds;
	char workload[64];
	int status;

	snprintf(workload, sizeof(workload),
		 "stream:threads=%u,op=read,size=4M,gap=1,node=1", cores);
	status = make_model(&two, workload, &model);
	if (status)
		return status;
	status = count_packets(model, &packets);
	seconds = (double)uncore_model_cycle(model) /
		  uncore_model_clock_hz(model);
	*value = (double)packets * LINE_BYTES / seconds / 1e9;
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

/* What is measured together, in the order of the first of its rows. */
static const struct {
	const char *machine;
	int (*measure)(void);
	enum figure_name first, last;
} figures[] = {
	{ XEON_E7, measure_caches_e7, L1_LATENCY, L2_LATENCY },
	{ XEON_7500, measure_caches_7500, L1_LATENCY_7500, LLC_LATENCY },
	{ XEON_E7, measure_pairs, LOCAL_LATENCY, HOP_SPREAD },
	{ XEON_E7, measure_peers, PEER_CLEAN, PEER_HOP },
	{ XEON_7500, measure_controllers, ONE_CONTROLLER, ONE_DIMM },
	{ XEON_7500, measure_thread, ONE_THREAD, ONE_THREAD },
	{ XEON_E7, measure_link_e7, QPI_DATA, QPI_DATA },
	{ XEON_7500, measure_link_7500, QPI_DATA_7500, QPI_DATA_7500 },
	{ XEON_E5, measure_e5, L1_LATENCY_E5, HOP_LATENCY_E5 },
};

int validate_measure(const char *machine, const struct validate_row **list)
{
	static struct validate_row chosen[NUM_FIGURES + 1];
	unsigned num = 0;
	int status = TOOL_OK;

	memcpy(rows, validate_published, sizeof(rows));
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		if (status)
			break;
		if (machine && strcasecmp(machine, figures[i].machine))
			continue;
		status = figures[i].measure();
		for (unsigned m = figures[i].first; m <= figures[i].last; m++)
			chosen[num++] = rows[m];
	}
	chosen[num] = (struct validate_row){ 0 };
	*list = chosen;
	return status;
}
