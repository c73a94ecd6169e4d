/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore guest`: boots a machine under QEMU whose uncore is the model's.
 */
#include "tool.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "complaints.h"
#include "guest_demo.h"
#include "guest_run.h"
#include "guest_summary.h"
#include "machine.h"
#include "uncore/error.h"
#include "uncore/guest.h"
#include "uncore/live.h"
#include "uncore/model.h"

enum {
	KEY_APPEND = 0x100,
	KEY_TRAFFIC,
	KEY_CLOCK,
	KEY_DEMO,
	KEY_RUN,
	KEY_WITH,
	KEY_LIMIT,
	KEY_RECORD,
	KEY_STRICT,
	KEY_DISK,
	KEY_MEMORY,
};

struct settings {
	struct machine_settings machine;
	struct uncore_guest_config guest;
	const char *memory, *workload, *socket, *output, *limit;
	const char *program, *with[GUEST_RUN_MAX_WITH + 1];
	unsigned num_with;
	bool has_traffic, json, demo, strict;
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

static const struct argp_option options[] = {
	{ "kernel", 'k', "FILE", 0, "Kernel to boot; its console is ttyS0", 0 },
	{ "initrd", 'i', "FILE", 0, "Its initial file system", 0 },
	{ "append", KEY_APPEND, "TEXT", 0, "Added to its command line", 0 },
	{ "disk", KEY_DISK, "FILE", 0,
	  "Disk (virtio), raw or qcow2, to boot from or for the kernel", 0 },
	{ "memory", KEY_MEMORY, "MIB", 0,
	  "Memory of all sockets together, up to 3072 (default 1024)", 0 },
	{ "demo", KEY_DEMO, NULL, 0,
	  "Make a small Linux of Debian's packages, run a program under its "
	  "perf, and compare it with the model",
	  0 },
	{ "run", KEY_RUN, "TOOL", 0,
	  "Make that Linux with a program of this machine in it, run TOOL "
	  "there with the arguments behind --, and end as it ends",
	  0 },
	{ "with", KEY_WITH, "WHAT", 0,
	  "With --run: a file, a folder or an installed package that TOOL "
	  "needs besides (again for more)",
	  0 },
	{ "boot-limit", KEY_LIMIT, "SECONDS", 0,
	  "End a guest that has not told that it is up after computing and "
	  "waiting so long (default 300 with --demo and --run, else none)",
	  0 },
	{ "traffic", KEY_TRAFFIC, "WHEN", 0,
	  "The guest's memory accesses reach the model while 'counting' is "
	  "enabled (default), 'always', or between the marks of a program "
	  "('marked', outside of which the model's time stands still)",
	  1 },
	{ "workload", 'w', "SPEC", 0,
	  "Built-in traffic instead of the guest's; it runs between the marks "
	  "of a program",
	  1 },
	{ "clock", KEY_CLOCK, "HOW", 0,
	  "While all CPUs are halted the model's time follows the 'real' one "
	  "(default), or stands still ('instructions')",
	  1 },
	{ "record", KEY_RECORD, "FILE", 0,
	  "Keep what reaches the model between the marks, for 'uncore stat "
	  "--replay'; --traffic is marked then",
	  1 },
	{ "socket", 's', "PATH", 0,
	  "The same registers for 'uncore stat --on socket:PATH'", 2 },
	{ "strict", KEY_STRICT, NULL, 0,
	  "Writes with a reserved bit set raise #GP", 2 },
	{ "output", 'o', "FILE", 0,
	  "Print the summary to FILE, not to standard error", 2 },
	{ "json", 'j', NULL, 0, "Print it as JSON", 2 },
	{ 0 },
};

/* The index of a word in a list that NULL ends. */
static int choose(struct argp_state *state, const char *option,
		  const char *word, const char *const words[])
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(word, words[i]))
			return i;
	argp_error(state, "--%s=%s is not possible; try --%s=%s", option, word,
		   option, words[0]);
	return 0;
}

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

static const char *const traffic_words[] = { "counting", "always", "marked",
					     NULL };
static const char *const clock_words[] = { "real", "instructions", NULL };

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;
	struct uncore_guest_config *guest = &settings->guest;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &settings->machine;
		return 0;
	case 'k': guest->kernel = argument; return 0;
	case 'i': guest->initrd = argument; return 0;
	case KEY_DISK: guest->disk = argument; return 0;
	case KEY_APPEND: guest->append = argument; return 0;
	case KEY_MEMORY: settings->memory = argument; return 0;
	case KEY_DEMO: settings->demo = true; return 0;
	case KEY_RUN: settings->program = argument; return 0;
	case KEY_WITH:
		if (settings->num_with == GUEST_RUN_MAX_WITH)
			argp_error(state, "--with is given too often");
		settings->with[settings->num_with++] = argument;
		return 0;
	case KEY_LIMIT: settings->limit = argument; return 0;
	case KEY_TRAFFIC:
		settings->has_traffic = true;
		guest->traffic = (enum uncore_guest_traffic)choose(
			state, "traffic", argument, traffic_words);
		return 0;
	case KEY_CLOCK:
		guest->clock = (enum uncore_guest_clock)choose(
			state, "clock", argument, clock_words);
		return 0;
	case 'w': settings->workload = argument; return 0;
	case KEY_RECORD: guest->record = argument; return 0;
	case 's': settings->socket = argument; return 0;
	case KEY_STRICT: settings->strict = true; return 0;
	case 'o': settings->output = argument; return 0;
	case 'j': settings->json = true; return 0;
	case ARGP_KEY_ARGS: take_rest(settings, state); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &machine_argp, 0, "The modelled machine:", 3 }, { 0 }
};

static const struct argp argp = {
	options,
	parse,
	"--kernel FILE --initrd FILE [-- QEMU-OPTION...]\n"
	"--disk FILE [-- QEMU-OPTION...]\n--demo\n--run TOOL [-- ARGUMENT...]",
	"Boot a machine under QEMU that has the uncore of a model: what its "
	"kernel and programs read and write in uncore registers, and what "
	"they load and store, reaches the model."
	"\vThe terminal is the guest's console; Ctrl-A X ends it. QEMU's "
	"emulation is used; KVM is not needed, and cannot be used. A program "
	"marks its region of interest with two no-operations (see "
	"docs/doors.md). Exit status: of what ran in the guest, if that tells; "
	"else that of QEMU; 1 if something failed, or the guest restarted, as "
	"after a panic, or did not come up; 2 if what was asked for does not "
	"exist or fit.",
	children,
	NULL,
	NULL,
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
	if (settings->num_with && !settings->program)
		return tool_fail(TOOL_USAGE, "--with goes with --run");
	return check_numbers(settings);
}
static int open_model(struct run *run)
{
	struct settings *settings = run->settings;
	char *error = NULL;
	int code, status = machine_config(&settings->machine, &run->config);

	if (status)
		return status;
	uncore_model_config_strict(run->config, settings->strict);
	uncore_model_config_log(run->config, complaints_log, &run->complaints);
	run->model = uncore_model_new(run->config, &error);
	if (!run->model)
		return tool_fail_with(UNCORE_ERR_BAD_PARAMETER, error);
	code = settings->workload
		       ? uncore_model_set_workload(run->model,
						   settings->workload, &error)
		       : 0;
	if (code)
		return tool_fail_with(code, error);
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
	struct settings settings = { .guest = { .struct_size = sizeof(
							settings.guest) } };
	static struct run run;
	FILE *file = NULL;
	int status;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &settings);
	run.settings = &settings;
	status = check_settings(&settings);
	if (!status)
		status = tool_open(settings.output, stderr, &file);
	/* From here on there may be something to remove. */
	if (settings.program || settings.demo)
		catch_signals();
	/* The guest has the terminal. */
	run.complaints.is_held = true;
	if (!status && settings.program)
		status = guest_run_prepare(&run.program, settings.program,
					   settings.with, &settings.guest);
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
