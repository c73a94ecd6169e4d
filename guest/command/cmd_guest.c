/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore guest`: boots a machine under QEMU whose uncore is the model's.
 */
#include "tool/clock_word.h"
#include "tool/tool.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "guest_demo.h"
#include "guest_run.h"
#include "guest_summary.h"
#include "tool/complaints.h"
#include "tool/machine.h"
#include "uncore/error.h"
#include "uncore/guest.h"
#include "uncore/live.h"
#include "uncore/model.h"

struct settings {
	struct machine_settings machine;
	struct uncore_guest_config guest;
	const char *memory, *workload, *socket, *output, *limit;
	const char *program;
	struct option_texts with;
	bool has_traffic, has_clock, json, replace, demo, strict;
};

/* Everything that must be undone at the end. */
struct run {
	struct settings *settings;
	struct uncore_model_config *config;
	struct uncore_model *model;
	struct uncore_live *live;
	struct uncore_guest *guest;
	struct uncore_server *server;
	struct complaints complaints;
	struct guest_demo demo;
	struct guest_run program;
	struct termios terminal;
	bool has_terminal, has_run;
};

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const char *const traffic_words[] = { "counting", "always", "marked",
					     NULL };

static void set_traffic(const struct option_row *row, void *at, char *text,
			const struct argp_state *state)
{
	struct settings *settings = at;

	settings->has_traffic = true;
	settings->guest.traffic = (enum uncore_guest_traffic)options_choose(
		row, text, traffic_words, state);
}

static void set_clock(const struct option_row *row, void *at, char *text,
		      const struct argp_state *state)
{
	static const enum uncore_guest_clock clocks[] = {
		[CLOCK_MODEL] = UNCORE_GUEST_SKIP,
		[CLOCK_HOST] = UNCORE_GUEST_REAL,
		[CLOCK_INSTRUCTIONS] = UNCORE_GUEST_INSTRUCTIONS,
	};
	struct settings *settings = at;

	settings->has_clock = true;
	settings->guest.clock = clocks[clock_word(
		row, text,
		1u << CLOCK_MODEL | 1u << CLOCK_HOST | 1u << CLOCK_INSTRUCTIONS,
		state)];
}

static const struct option_row rows[] = {
	{ "kernel", 'k', "FILE", "Kernel to boot; its console is ttyS0",
	  AT(guest.kernel) },
	{ "initrd", 'i', "FILE", "Its initial file system", AT(guest.initrd) },
	{ "append", 0, "TEXT", "Added to its command line", AT(guest.append) },
	{ "disk", 0, "FILE",
	  "Disk (virtio), raw or qcow2, to boot from or for the kernel",
	  AT(guest.disk) },
	{ "memory", 0, "MIB",
	  "Memory of all sockets together, up to 3072 (default 1024)",
	  AT(memory) },
	{ "demo", 0, NULL,
	  "Make a small Linux of Debian's packages, run a program under its "
	  "perf, and compare it with the model",
	  AT(demo) },
	{ "run", 0, "TOOL",
	  "Make that Linux with a program of this machine in it, run TOOL "
	  "there with the arguments behind --, and end as it ends",
	  AT(program) },
	{ "with", 0, "WHAT",
	  "With --run: a file, a folder or an installed package that TOOL "
	  "needs besides (again for more)",
	  AT(with), .take = options_add },
	{ "boot-limit", 0, "SECONDS",
	  "End a guest that has not told that it is up after computing and "
	  "waiting so long (default 300 with --demo and --run, else none)",
	  AT(limit) },
	{ "traffic", 0, "WHEN",
	  "The guest's memory accesses reach the model while 'counting' is "
	  "enabled (default), 'always', or between the marks of a program "
	  "('marked', outside of which the model's time stands still)",
	  .group = 1, .take = set_traffic },
	{ "workload", 'w', "SPEC",
	  "Built-in traffic instead of the guest's; it runs between the marks "
	  "of a program",
	  AT(workload), .group = 1 },
	{ "clock", 0, "HOW",
	  "While all CPUs are halted time goes on to the next timer at once "
	  "('model', default with --demo and --run) or as outside ('host', "
	  "default); or so for the guest, while the model's stands still "
	  "('instructions')",
	  .group = 1, .take = set_clock },
	{ "detail", 0, "HOW",
	  "How much of the accesses goes through all of the model's queues: "
	  "'full' (default), or a part of them (2%, or 'auto': the first "
	  "100,000 and 20,000 whenever counters begin to count, of the others "
	  "a quarter, later 1%): counts of what happened stay exact, and "
	  "between these parts counters of what depends on time grow by what "
	  "they say. ,seed=N behind it says where these parts lie",
	  AT(machine.detail), .group = 1 },
	{ "record", 0, "FILE",
	  "Keep what reaches the model between the marks, for 'uncore stat "
	  "--replay'; --traffic is marked then",
	  AT(guest.record), .group = 1 },
	{ "socket", 's', "PATH",
	  "The same registers for 'uncore stat --on socket:PATH'", AT(socket),
	  .group = 2 },
	{ "strict", 0, NULL, "Writes with a reserved bit set raise #GP",
	  AT(strict), .group = 2 },
	{ "output", 'o', "FILE",
	  "Print the summary to FILE, not to standard error", AT(output),
	  .group = 2 },
	OPTION_REPLACE(AT(replace), .group = 2),
	OPTION_JSON(AT(json), .group = 2),
	{ 0 },
};

/* QEMU's options stand behind "--". */
static void take_rest(struct settings *settings, struct argp_state *state)
{
	if (!state->quoted || state->next != state->quoted)
		argp_error(state,
			   "'%s' is too much; options for QEMU stand behind --",
			   state->argv[state->next]);
	/* Behind --run TOOL they are the program's. */
	settings->guest.options =
		(const char *const *)state->argv + state->next;
}

static error_t take_words(int key, char *word, struct argp_state *state)
{
	struct settings *settings = state->input;

	(void)word;
	switch (key) {
	case ARGP_KEY_ARGS: take_rest(settings, state); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct options options = {
	.rows = rows,
	.words = "--kernel FILE --initrd FILE [-- QEMU-OPTION...]\n"
		 "--disk FILE [-- QEMU-OPTION...]\n"
		 "--demo\n"
		 "--run TOOL [-- ARGUMENT...]",
	.help = "Boot a machine under QEMU that has the uncore of a model: "
		"what its kernel and programs read and write in uncore "
		"registers, and what they load and store, reaches the model."
		"\vThe terminal is the guest's console; Ctrl-A X ends it. "
		"QEMU's emulation is used; KVM is not needed, and cannot be "
		"used. A program marks its region of interest with two "
		"no-operations (see docs/tools.md). Exit status: of what ran "
		"in the guest, if that tells; else that of QEMU; 1 if "
		"something failed, or the guest restarted, as after a panic, "
		"or did not come up; 2 if what was asked for does not exist "
		"or fit.",
	.more = take_words,
	.others = &machine_options,
	.others_at = offsetof(struct settings, machine),
	.others_title = "The modelled machine:",
	.others_group = 3,
};

static volatile int stop; /* the signal that ends us */

static void end(int number)
{
	stop = number;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = end };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* A guest of ours comes up within seconds on any machine of these days. */
enum { BOOT_LIMIT_S = 300 };

static int check_numbers(struct settings *settings)
{
	struct uncore_guest_config *guest = &settings->guest;
	unsigned long long mib, limit_s;

	if (settings->demo || settings->program)
		guest->boot_limit_s = BOOT_LIMIT_S;
	if ((settings->demo || settings->program) && !settings->has_clock)
		guest->clock = UNCORE_GUEST_SKIP;
	if (settings->limit) {
		if (!tool_number("limit of the boot", settings->limit,
				 &limit_s))
			return TOOL_USAGE;
		guest->boot_limit_s =
			limit_s > UINT_MAX ? UINT_MAX : (unsigned)limit_s;
	}
	if (!settings->memory)
		return TOOL_OK;
	if (!tool_number("size of the memory", settings->memory, &mib))
		return TOOL_USAGE;
	guest->memory_mib = !mib || mib > UINT_MAX ? UINT_MAX : (unsigned)mib;
	return TOOL_OK;
}

static int check_settings(struct settings *settings)
{
	struct uncore_guest_config *guest = &settings->guest;

	if (settings->workload && settings->has_traffic)
		return tool_fail(TOOL_USAGE, "the traffic is the --workload's "
					     "or the guest's (--traffic), not "
					     "both");
	if (settings->workload && guest->record)
		return tool_fail(TOOL_USAGE,
				 "--record is for the guest's own traffic; a "
				 "--workload can be run again");
	if (settings->workload)
		guest->traffic = UNCORE_GUEST_NONE;
	else if (guest->record && !settings->has_traffic)
		guest->traffic = UNCORE_GUEST_MARKED;
	if (settings->demo && (guest->kernel || guest->initrd || guest->disk))
		return tool_fail(TOOL_USAGE,
				 "--demo brings its own kernel and initrd");
	if (settings->demo && (settings->has_traffic || settings->workload))
		return tool_fail(TOOL_USAGE,
				 "--demo counts the guest's traffic between "
				 "the marks of its program");
	if (settings->program &&
	    (settings->demo || guest->kernel || guest->initrd || guest->disk))
		return tool_fail(TOOL_USAGE,
				 "--run brings its own kernel and initrd");
	if (settings->demo && settings->machine.detail &&
	    strcmp(settings->machine.detail, "full"))
		return tool_fail(TOOL_USAGE,
				 "--demo compares counts to the digit: leave "
				 "--detail out");
	if (settings->with.num && !settings->program)
		return tool_fail(TOOL_USAGE, "--with goes with --run");
	return check_numbers(settings);
}

#define FEW_CORES "4"

static bool sets(const struct machine_settings *settings, const char *name)
{
	size_t length = strlen(name);

	for (unsigned i = 0; i < settings->sets.num; i++)
		if (!strncmp(settings->sets.list[i], name, length) &&
		    settings->sets.list[i][length] == '=')
			return true;
	return false;
}

/* A guest has a CPU for each core, which QEMU emulates one after the other.
 * Where CHAs need no cores a few of these run, if nobody says how many. */
static int leave_cores_out(const struct machine_settings *settings,
			   struct uncore_model_config *config)
{
	struct uncore_model_param cores, chas;
	char text[64], *error = NULL;
	int code;

	if (sets(settings, "cores") || sets(settings, "chas") ||
	    !machine_parameter(config, "chas", &chas) ||
	    !machine_parameter(config, "cores", &cores))
		return TOOL_OK;
	tool_warn("note: " FEW_CORES " of a socket's %s cores run, beside %s "
		  "CHAs ('--set cores=%s' for all)",
		  cores.value, cores.value, cores.value);
	snprintf(text, sizeof(text), "chas=%s", cores.value);
	code = uncore_model_config_set(config, text, &error);
	if (!code)
		code = uncore_model_config_set(config, "cores=" FEW_CORES,
					       &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static int open_model(struct run *run)
{
	struct settings *settings = run->settings;
	const struct machine_how how = {
		.workload = settings->workload,
		.strict = settings->strict,
		.log = complaints_log,
		.context = &run->complaints,
		.config = &run->config,
	};
	struct uncore_model_config *config;
	int status = machine_config(&settings->machine, &config);

	if (status)
		return status;
	status = leave_cores_out(&settings->machine, config);
	if (status) {
		uncore_model_config_free(config);
		return status;
	}
	status = machine_make(&settings->machine, &how, config, &run->model);
	if (status)
		return status;
	run->live = uncore_live_new(run->model, UNCORE_LIVE_STEP);
	return run->live ? TOOL_OK : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
}

static int open_guest(struct run *run)
{
	struct settings *settings = run->settings;
	char *error = NULL;
	int code;

	settings->guest.machine = run->config;
	settings->guest.log = complaints_log;
	settings->guest.log_context = &run->complaints;
	run->has_terminal = !tcgetattr(STDIN_FILENO, &run->terminal);
	code = uncore_guest_start(run->live, &settings->guest, &run->guest,
				  &error);
	if (!code && settings->socket)
		code = uncore_server_new(run->live, settings->socket,
					 &run->server, &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* A QEMU that was killed leaves the terminal as the guest had it. */
static void restore_terminal(const struct run *run)
{
	if (run->has_terminal)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &run->terminal);
}

static int serve(struct run *run, FILE *file)
{
	struct guest_summary summary = { .model = run->model };
	char *error = NULL;
	int code;

	catch_signals();
	code = uncore_guest_run(run->guest, &stop, &summary.status, &error);
	restore_terminal(run);
	run->has_run = true;
	/* From here on only this thread has the model. */
	uncore_server_free(run->server);
	run->server = NULL;
	if (run->settings->program)
		guest_run_finish(&run->program,
				 summary.status.has_told || stop);
	complaints_finish(&run->complaints);
	/* A program's errors stay its own unless the summary is asked for. */
	if (!run->settings->program || run->settings->json ||
	    run->settings->output)
		guest_summary_print(&summary, run->settings->json, file);
	if (code)
		return tool_fail_with(code, error);
	if (run->settings->guest.traffic >= UNCORE_GUEST_MARKED &&
	    !summary.status.regions)
		tool_warn("note: no program in the guest marked a region; "
			  "nothing reached the model");
	if (summary.status.signal)
		tool_warn("QEMU was killed by signal %d (%s); what the guest "
			  "did until then is counted",
			  summary.status.signal,
			  strsignal(summary.status.signal));
	if (run->settings->program && !summary.status.has_told && stop)
		return 128 + stop;
	if (run->settings->program && !summary.status.exit_code &&
	    !summary.status.has_told)
		return tool_fail(TOOL_FAILED, "the guest ended before the "
					      "program in it did");
	return summary.status.exit_code;
}

static int tear_down(struct run *run, int status)
{
	uncore_server_free(run->server);
	uncore_guest_free(run->guest);
	uncore_live_free(run->live);
	if (run->config)
		uncore_model_config_free(run->config);
	return machine_free(run->model, status);
}

int cmd_guest(int argc, char **argv)
{
	struct settings settings = {
		.machine.is_live = true,
		.guest.struct_size = sizeof(settings.guest),
	};
	static struct run run;
	FILE *file = NULL;
	int status;

	options_parse(&options, argc, argv, ARGP_IN_ORDER, &settings);
	run.settings = &settings;
	status = check_settings(&settings);
	if (!status && settings.guest.record)
		status = tool_check_loss(settings.guest.record,
					 settings.replace ? TOOL_GUEST_RECORDING
							  : NULL);
	if (!status)
		status = tool_open(settings.output, stderr,
				   settings.json && settings.replace
					   ? "uncore-guest-1"
					   : NULL,
				   &file);
	/* From here on there may be something to remove. */
	if (settings.program || settings.demo)
		catch_signals();
	/* The guest has the terminal. */
	run.complaints.is_held = true;
	if (!status && settings.program)
		status = guest_run_prepare(&run.program, settings.program,
					   settings.with.list, &settings.guest);
	if (!status && settings.demo)
		status = guest_demo_prepare(&run.demo, &settings.guest);
	if (!status)
		status = open_model(&run);
	if (!status)
		status = open_guest(&run);
	if (!status)
		status = serve(&run, file);
	status = tear_down(&run, status);
	if (settings.demo && run.has_run)
		status = guest_demo_compare(&run.demo, status);
	guest_demo_free(&run.demo);
	guest_run_free(&run.program);
	if (file && file != stderr)
		status = tool_finish(status, file, settings.output);
	return status;
}
