/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A program as the model's traffic: how it is started, and what is to be said
 * of it when it has ended.
 */
#include "run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/model.h"
#include "uncore/program.h"
#include "uncore/recording.h"

/* The first byte of all AVX-512 instructions. */
enum { EVEX = 0x62 };

/* The exit status of a process that Valgrind gave up on. */
enum { GAVE_UP = 101 };

static void say_unknown(const struct run *run,
			const struct uncore_program_status *status)
{
	uint32_t bytes = status->unknown_instruction;
	bool has_avx_512 = strstr(status->not_shown, "AVX-512");

	if ((bytes & 0xff) == EVEX)
		tool_warn("'%s' uses AVX-512, which %s: build it with "
			  "-march=%s (or without -march), or take a library "
			  "that looks before it uses it",
			  run->argv[0],
			  has_avx_512 ? "the modelled processor has, and "
					"Valgrind, which runs the program, "
					"has not"
				      : "neither the modelled processor nor "
					"Valgrind has",
			  has_avx_512 ? "haswell, for AVX2" : "westmere");
	else
		tool_warn("'%s' uses an instruction that Valgrind does not "
			  "know (bytes %02x %02x %02x %02x): build it with "
			  "-march=westmere (or without -march)",
			  run->argv[0], bytes & 0xff, bytes >> 8 & 0xff,
			  bytes >> 16 & 0xff, bytes >> 24);
}

static void say_gave_up(const struct run *run,
			const struct uncore_program_status *status)
{
	const char *line = status->words;

	if (status->exit_code == GAVE_UP)
		tool_warn("Valgrind gave up on '%s', and counts end there; it "
			  "said:",
			  run->argv[0]);
	else
		tool_warn("note: Valgrind gave up on %u processes that '%s' "
			  "made, and their counts end there; it said:",
			  status->gave_up, run->argv[0]);
	for (; *line; line += strcspn(line, "\n") + 1)
		tool_warn("  %.*s", (int)strcspn(line, "\n"), line);
}

struct run_random run_random(const struct run *run)
{
	struct uncore_program_progress progress = { 0 };

	if (run->program)
		uncore_program_progress(run->program, &progress);
	return (struct run_random){
		.is_known = run->model && !run_was_interrupted(),
		.asked = progress.asked_random,
		.repeats = run->repeats_random,
	};
}

const char *run_say_random(const struct run_random *random)
{
	if (random->repeats)
		return random->asked
			       ? "the program's random bytes were the same as "
				 "in every run (--repeatable): they are no "
				 "secrets"
			       : "random bytes were the same as in every run "
				 "(--repeatable), and so no secrets; the "
				 "program asked for none";
	if (random->asked)
		return "the program asked for random bytes, so its next run "
		       "may count otherwise; with --repeatable it gets the "
		       "same ones in every run";
	return NULL;
}

static void say_status(const struct run *run,
		       const struct uncore_program_status *status)
{
	struct run_random random;

	if (status->signal)
		tool_warn("'%s' was killed by signal %d (%s)", run->argv[0],
			  status->signal, strsignal(status->signal));
	if (status->gave_up)
		say_gave_up(run, status);
	if (status->unknown_instruction)
		say_unknown(run, status);
	if (status->left_running)
		tool_warn("note: %u threads of '%s' live on and are not "
			  "counted any more",
			  status->left_running, run->argv[0]);
	if (status->not_followed)
		tool_warn("note: %u programs that '%s' ran could not be "
			  "followed; what they did is not counted",
			  status->not_followed, run->argv[0]);
	if (status->traced)
		tool_warn("note: %u processes of '%s' traced others or were "
			  "traced (ptrace); what they did from then on is not "
			  "counted",
			  status->traced, run->argv[0]);
	if (run->starts_off && !run->num_marks)
		tool_warn("note: '%s' began no region (uncore/mark.h), and "
			  "with --start-off nothing else is counted",
			  run->argv[0]);
	if (status->lost)
		tool_warn("note: %llu threads came when there was no room for "
			  "more; what they did is not counted",
			  (unsigned long long)status->lost);
	random = run_random(run);
	if (random.repeats && !run->tells_random)
		tool_warn("note: %s", run_say_random(&random));
	if (status->saw_host)
		tool_warn("warning: there was no room below %s for files that "
			  "show the modelled processors, so '%s' saw the "
			  "host's and may have made as many threads as fit "
			  "those; make room, or set TMPDIR to a folder that "
			  "has some",
			  getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
			  run->argv[0]);
	if (status->not_shown[0])
		tool_warn("note: Valgrind does not run %s on this machine, so "
			  "'%s' was shown the modelled processor without, and "
			  "may have taken other paths than there",
			  status->not_shown, run->argv[0]);
	if (status->memory_full)
		tool_warn("note: '%s' touched more memory than the machine "
			  "has; pages share frames",
			  run->argv[0]);
}

int run_check_place(const char *how)
{
	if (!how || !strcmp(how, "compact") || !strcmp(how, "scatter"))
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
			 "--place=%s: threads are placed 'compact' or "
			 "'scatter'",
			 how);
}

int run_check_cpus(const char *whose)
{
	if (!whose || !strcmp(whose, "model") || !strcmp(whose, "host"))
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
			 "--cpus=%s is not possible; what is: model, host",
			 whose);
}

/* What is found is remembered. */
static void note_space(void *symbols, long process, unsigned space,
		       uint64_t address)
{
	struct uncore_position position;

	uncore_symbols_find(symbols, process, space, address, &position);
}

int run_prepare_program(struct run *run, const struct run_program *how)
{
	struct uncore_program_config config = { .struct_size = sizeof(config) };
	struct uncore_traffic traffic;
	char *error = NULL;
	int code;

	uncore_program_config_init(&config, run->model);
	config.argv = (const char *const *)run->argv;
	/* also where nobody counts regions: it is the same run then */
	config.stops_at_marks = true;
	config.placement = how->place && !strcmp(how->place, "scatter")
				   ? UNCORE_PROGRAM_SCATTER
				   : UNCORE_PROGRAM_COMPACT;
	config.keeps_cpuid = how->keeps_cpuid;
	config.counts_kernel = how->counts_kernel;
	run->starts_off = config.starts_off = how->starts_off;
	run->repeats_random = config.repeats_random = how->repeats_random;
	config.seed = how->seed;
	config.keeps_clock = how->clock == CLOCK_HOST;
	config.keeps_cpus = how->cpus && !strcmp(how->cpus, "host");
	config.keeps_callers = how->symbols;
	config.keeps_sites = how->keeps_sites;
	config.on_space = note_space;
	config.context = how->symbols;
	/* What the program writes to a closed pipe is its own affair. */
	signal(SIGPIPE, SIG_DFL);
	code = uncore_program_start(&config, &run->program, &error);
	signal(SIGPIPE, SIG_IGN);
	if (code)
		return tool_fail_with(code, error);
	uncore_program_traffic(run->program, &traffic);
	uncore_model_set_traffic(run->model, &traffic);
	return TOOL_OK;
}

int run_finish_program(struct run *run, int *status)
{
	char *error = NULL;
	int code = uncore_program_finish(run->program, &run->ended, &error);

	*status = run->ended.exit_code;
	if (code)
		return tool_fail_with(code, error);
	say_status(run, &run->ended);
	return TOOL_OK;
}
