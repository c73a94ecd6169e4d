/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options that say what is looked at, and which of them go together.
 */
#include "subject.h"

#include <string.h>

#include "subject_settings.h"
#include "tool.h"
#include "where.h"

enum {
	KEY_ON = 0x100,
	KEY_PLACE,
	KEY_SEED,
	KEY_REPLAY,
	KEY_REGION,
	KEY_CYCLES,
	KEY_DURATION,
	KEY_HOST_CPUID,
	KEY_KERNEL,
	KEY_START_OFF,
};

static const struct argp_option options[] = {
	TOOL_OPTION_WORKLOAD,
	{ "seed", KEY_SEED, "N", 0, "Seed of the workload", 0 },
	{ "replay", KEY_REPLAY, "FILE", 0,
	  "What a guest did between marks, from 'uncore guest --record'", 0 },
	{ "region", KEY_REGION, "NAME", 0,
	  "Count only what is in this region: the number of a pair of marks "
	  "of the recording; of a PROGRAM, with 'uncore stat', also a name",
	  0 },
	{ "start-off", KEY_START_OFF, NULL, 0,
	  "Let nothing of the PROGRAM reach caches and model but its regions, "
	  "which it marks with uncore/mark.h",
	  0 },
	{ "place", KEY_PLACE, "HOW", 0,
	  "Threads on cores: compact (default) or scatter", 0 },
	{ "host-cpuid", KEY_HOST_CPUID, 0, 0,
	  "The PROGRAM sees this machine's processor instead of the modelled "
	  "one, and takes the paths that it would take here",
	  0 },
	{ "kernel-copies", KEY_KERNEL, 0, 0,
	  "What the kernel copies for read(), write() and their kin of the "
	  "PROGRAM, and its filling of new pages, is traffic, too",
	  0 },
	{ "on", KEY_ON, "WHERE", 0,
	  "Count on the 'model', on this machine's registers ('msr'), or on "
	  "those that 'uncore model serve' shows ('msr:FOLDER', "
	  "'socket:PATH')",
	  0 },
	{ "cycles", KEY_CYCLES, "N", 0,
	  "Count for N uncore cycles: of a workload, or of a served model "
	  "with a stepped clock",
	  0 },
	{ "duration", KEY_DURATION, "SECONDS", 0,
	  "Count for so long, on registers elsewhere", 0 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct subject_settings *settings = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &settings->machine;
		return 0;
	case 'w': settings->workload = argument; return 0;
	case KEY_REPLAY: settings->replay = argument; return 0;
	case KEY_REGION: settings->region = argument; return 0;
	case KEY_ON: settings->on = argument; return 0;
	case KEY_START_OFF: settings->how.starts_off = true; return 0;
	case KEY_PLACE: settings->how.place = argument; return 0;
	case KEY_HOST_CPUID: settings->how.keeps_cpuid = true; return 0;
	case KEY_KERNEL: settings->how.counts_kernel = true; return 0;
	case KEY_SEED: settings->seed = argument; return 0;
	case KEY_CYCLES: settings->cycles = argument; return 0;
	case KEY_DURATION: settings->duration = argument; return 0;
	case ARGP_KEY_ARGS:
		settings->program = state->argv + state->next;
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &machine_argp, 0, "The modelled machine:", 2 }, { 0 }
};

const struct argp subject_argp = {
	options, parse, NULL, NULL, children, NULL, NULL,
};

/* Registers elsewhere have a machine and traffic already. */
static int check_elsewhere(const struct subject_settings *settings)
{
	const struct {
		bool is_given;
		const char *option;
	} rows[] = {
		{ settings->workload, "--workload" },
		{ settings->replay, "--replay" },
		{ settings->region, "--region" },
		{ settings->how.starts_off, "--start-off" },
		{ settings->seed, "--seed" },
		{ settings->how.place, "--place" },
		{ settings->how.keeps_cpuid, "--host-cpuid" },
		{ settings->how.counts_kernel, "--kernel-copies" },
		{ settings->machine.machine, "--machine" },
		{ settings->machine.sockets, "--sockets" },
		{ settings->machine.num_sets, "--set" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].is_given)
			return tool_fail(TOOL_USAGE,
					 "%s is for a model in this process; "
					 "what is behind '%s' is given already",
					 rows[i].option, settings->on);
	if (!!settings->program + !!settings->cycles + !!settings->duration > 1)
		return tool_fail(TOOL_USAGE, "give a PROGRAM, --cycles or "
					     "--duration, not several");
	return TOOL_OK;
}

static int check_here(const struct subject_settings *settings,
		      const char *command)
{
	if (settings->replay && (settings->program || settings->workload))
		return tool_fail(TOOL_USAGE, "--replay goes without a PROGRAM "
					     "and a --workload");
	if (settings->region && !settings->replay && !settings->program)
		return tool_fail(TOOL_USAGE, "--region is for a PROGRAM and "
					     "for --replay");
	if (settings->how.starts_off && !settings->program)
		return tool_fail(TOOL_USAGE, "--start-off is for a PROGRAM");
	if (settings->program && settings->workload)
		return tool_fail(TOOL_USAGE, "give a PROGRAM or a --workload, "
					     "not both");
	if (!settings->program && !settings->workload && !settings->replay)
		return tool_fail(TOOL_USAGE,
				 "name a PROGRAM to run, or a "
				 "--workload; '%s --help' explains",
				 command);
	if (run_check_place(settings->how.place))
		return TOOL_USAGE;
	if ((settings->how.keeps_cpuid || settings->how.counts_kernel) &&
	    !settings->program)
		return tool_fail(TOOL_USAGE, "%s is for a PROGRAM",
				 settings->how.keeps_cpuid ? "--host-cpuid"
							   : "--kernel-copies");
	if (settings->seed && !settings->workload)
		return tool_fail(TOOL_USAGE, "--seed is for workloads");
	if (settings->cycles && !settings->workload)
		return tool_fail(TOOL_USAGE, "--cycles is for workloads and "
					     "for served models (--on)");
	if (settings->duration)
		return tool_fail(TOOL_USAGE, "--duration is for registers "
					     "elsewhere (--on)");
	return TOOL_OK;
}

int subject_settings_check(const struct subject_settings *settings,
			   const char *command)
{
	if (settings->on && !where_is_known(settings->on))
		return tool_fail(TOOL_USAGE,
				 "--on=%s: events are counted on the 'model', "
				 "on 'msr', on 'msr:FOLDER' or on "
				 "'socket:PATH'",
				 settings->on);
	if (settings->on && strcmp(settings->on, "model"))
		return check_elsewhere(settings);
	return check_here(settings, command);
}

bool subject_wants_model(const struct subject_settings *settings)
{
	if (settings->on)
		return !strcmp(settings->on, "model");
	return settings->workload || settings->replay || settings->region ||
	       settings->how.starts_off || settings->machine.machine ||
	       settings->machine.sockets || settings->machine.num_sets;
}
