/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options that say what is looked at, and which of them go together.
 */
#include "target.h"

#include <string.h>

#include "tool.h"

#define AT(MEMBER) .at = offsetof(struct target_settings, MEMBER)

static const struct option_row option_rows[] = {
	OPTION_WORKLOAD(AT(workload)),
	{ "seed", 0, "N",
	  "Seed of the workload; of a PROGRAM it draws how many cycles (0 to "
	  "1,000) after its creation each thread starts",
	  AT(seed) },
	{ "replay", 0, "FILE",
	  "What a guest did between marks, from 'uncore guest --record'",
	  AT(replay) },
	{ "region", 0, "NAME",
	  "Count only what is in this region: the number of a pair of marks "
	  "of the recording; of a PROGRAM, with 'uncore stat', also a name",
	  AT(region) },
	{ "start-off", 0, NULL,
	  "Let nothing of the PROGRAM reach caches and model but its regions, "
	  "marked with uncore/mark.h",
	  AT(how.starts_off) },
	{ "place", 0, "HOW",
	  "Threads of the PROGRAM on cores: compact (default) or scatter; a "
	  "workload has it in its SPEC (NAME:place=scatter)",
	  AT(how.place) },
	{ "host-cpuid", 0, NULL,
	  "The PROGRAM sees this machine's processor instead of the modelled "
	  "one, and takes the paths that it would take here",
	  AT(how.keeps_cpuid) },
	{ "clock", 0, "HOW",
	  "The PROGRAM reads the time of the 'model' (default), or of the "
	  "'host'",
	  AT(how.clock), .take = clock_word_of_program },
	{ "cpus", 0, "WHOSE",
	  "The PROGRAM sees the processors of the 'model' (default), or of the "
	  "'host', and starts as many threads as it would there",
	  AT(how.cpus) },
	{ "repeatable", 0, NULL,
	  "The PROGRAM gets the same random bytes and date in every run, so "
	  "that its counts can be compared to the digit; what it makes of them "
	  "(keys, "
	  "names) is no secret",
	  AT(how.repeats_random) },
	{ "kernel-copies", 0, NULL,
	  "What the kernel copies for read(), write() and their kin of the "
	  "PROGRAM, and its filling of new pages, is traffic, too",
	  AT(how.counts_kernel) },
	{ "no-progress", 0, NULL,
	  "Show no line of progress on the terminal; there is none anyway as "
	  "soon as the PROGRAM uses it",
	  AT(hides_progress) },
	{ "on", 0, "WHERE",
	  "Count on the 'model', on this machine's registers ('msr', 'pci' or "
	  "'msr,pci'), on the PMUs of its kernel ('perf'), or on registers "
	  "that 'uncore model serve' shows "
	  "('msr:FOLDER', 'msr:FOLDER,pci:FOLDER', 'socket:PATH')",
	  AT(on) },
	{ "events", 0, "PLACE",
	  "On perf: names of events of this list in JSON, or of all those in a "
	  "folder, as the processor's vendor publishes them",
	  AT(events) },
	{ "cycles", 0, "N",
	  "Count for N uncore cycles: of a workload, or of a served model "
	  "with a stepped clock",
	  AT(cycles) },
	{ "duration", 0, "SECONDS", "Count for so long, on registers elsewhere",
	  AT(duration) },
	{ 0 },
};

const struct options target_options = {
	.rows = option_rows,
	.is_program = true,
	.words_at = offsetof(struct target_settings, program),
	.others = &machine_options,
	.others_at = offsetof(struct target_settings, machine),
	.others_title = "The modelled machine:",
	.others_group = 2,
};

/* The first option that was given of those that are for a model in this process
 * (of them, those for a PROGRAM alone), or NULL. */
static const char *option_of_model(const struct target_settings *settings,
				   bool of_program)
{
	const struct machine_settings *machine = &settings->machine;
	const struct run_program *how = &settings->how;
	const struct {
		bool is_given;
		const char *option;
		bool of_program;
	} rows[] = {
		{ settings->workload, "--workload", false },
		{ settings->replay, "--replay", false },
		{ settings->region, "--region", false },
		{ how->starts_off, "--start-off", true },
		{ settings->seed, "--seed", false },
		{ how->place, "--place", true },
		{ how->keeps_cpuid, "--host-cpuid", true },
		{ how->counts_kernel, "--kernel-copies", true },
		{ how->repeats_random, "--repeatable", true },
		{ how->clock, "--clock", true },
		{ how->cpus, "--cpus", true },
		{ machine->machine, "--machine", false },
		{ machine->sockets, "--sockets", false },
		{ machine->sets.num, "--set", false },
		{ machine->detail, "--detail", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].is_given && rows[i].of_program >= of_program)
			return rows[i].option;
	return NULL;
}

/* Registers elsewhere have a machine and traffic already. */
static int check_elsewhere(const struct target_settings *settings)
{
	const char *option = option_of_model(settings, false);

	if (option)
		return tool_fail(TOOL_USAGE,
				 "%s is for a model in this process; what is "
				 "behind '%s' is given already",
				 option, settings->on ? settings->on : "perf");
	if (!!settings->program + !!settings->cycles + !!settings->duration > 1)
		return tool_fail(TOOL_USAGE, "give a PROGRAM, --cycles or "
					     "--duration, not several");
	return TOOL_OK;
}

static int check_here(const struct target_settings *settings,
		      const char *command)
{
	const char *option = option_of_model(settings, true);

	if (settings->replay && (settings->program || settings->workload))
		return tool_fail(TOOL_USAGE, "--replay goes without a PROGRAM "
					     "and a --workload");
	if (settings->region && !settings->replay && !settings->program)
		return tool_fail(TOOL_USAGE, "--region is for a PROGRAM and "
					     "for --replay");
	if (settings->program && settings->workload)
		return tool_fail(TOOL_USAGE, "give a PROGRAM or a --workload, "
					     "not both");
	if (!settings->program && !settings->workload && !settings->replay &&
	    (!settings->looks_on || target_wants_model(settings)))
		return tool_fail(TOOL_USAGE,
				 "name a PROGRAM to run, or a "
				 "--workload; '%s --help' explains",
				 command);
	if (run_check_place(settings->how.place) ||
	    run_check_cpus(settings->how.cpus))
		return TOOL_USAGE;
	if (settings->how.place && settings->workload)
		return tool_fail(TOOL_USAGE,
				 "--place is for a PROGRAM; of a workload it "
				 "is a key of its SPEC: '-w %s%cplace=%s'",
				 settings->workload,
				 strchr(settings->workload, ':') ? ',' : ':',
				 settings->how.place);
	if (option && !settings->program)
		return tool_fail(TOOL_USAGE, "%s is for a PROGRAM", option);
	if (settings->seed && !settings->workload && !settings->program)
		return tool_fail(TOOL_USAGE, "--seed is for workloads and for "
					     "a PROGRAM");
	if (settings->cycles && !settings->workload)
		return tool_fail(TOOL_USAGE, "--cycles is for workloads and "
					     "for served models (--on)");
	if (settings->duration)
		return tool_fail(TOOL_USAGE, "--duration is for registers "
					     "elsewhere (--on)");
	return TOOL_OK;
}

int target_settings_check(const struct target_settings *settings,
			  const char *command)
{
	if (settings->on && !where_is_known(settings->on))
		return tool_fail(TOOL_USAGE,
				 "--on=%s: events are counted on the 'model', "
				 "on 'msr' or 'msr:FOLDER', on 'pci' or "
				 "'pci:FOLDER', on one of each with a comma "
				 "between, on 'perf', or on 'socket:PATH'",
				 settings->on);
	if (settings->events && settings->on && !where_is_perf(settings->on))
		return tool_fail(TOOL_USAGE, "--events is for the kernel's "
					     "PMUs (--on perf)");
	if (settings->events || (settings->on && strcmp(settings->on, "model")))
		return check_elsewhere(settings);
	return check_here(settings, command);
}

int target_settings_detail(struct target_settings *settings, const char *part)
{
	const char *detail = settings->machine.detail;

	part = part				      ? part
	       : settings->cycles		      ? "--cycles"
	       : settings->region && settings->replay ? "--region"
						      : NULL;
	settings->machine.has_windows = !part;
	if (!part || !detail || !strcmp(detail, "full"))
		return TOOL_OK;
	return tool_fail(TOOL_USAGE, "--detail is for a run as a whole, not %s",
			 part);
}

bool target_wants_model(const struct target_settings *settings)
{
	if (settings->on || settings->events)
		return settings->on && !strcmp(settings->on, "model");
	return option_of_model(settings, false);
}
