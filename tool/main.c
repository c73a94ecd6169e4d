/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The command `uncore`: chooses one of its commands.
 */
#include "tool.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct tool_command commands[] = {
	{ "stat", "run a program or a workload and count what it does",
	  cmd_stat },
	{ "top", "show what the uncore does while it does it", cmd_top },
	{ "record", "record events over time into a file", cmd_record },
	{ "report", "show what a recording says", cmd_report },
	{ "c2c", "show lines of memory that cores take from each other",
	  cmd_c2c },
	{ "compare", "say what differs between two results or recordings",
	  cmd_compare },
	{ "doctor", "say what can be counted here, and what stands in the way",
	  cmd_doctor },
	{ "export", "tell Prometheus what is counted", cmd_export },
	{ "reset", "put back what a killed command left in the registers",
	  cmd_reset },
	{ "guest", "boot a machine under QEMU that has a modelled uncore",
	  cmd_guest },
	{ "list", "show boxes and events", cmd_list },
	{ "explain", "say all that is known of an event, metric or register",
	  cmd_explain },
	{ "registers", "show registers and their fields", cmd_registers },
	{ "encode", "show the register writes that count an event",
	  cmd_encode },
	{ "schedule", "show which events count at the same time, and why not",
	  cmd_schedule },
	{ "decode", "say what a register value means", cmd_decode },
	{ "model", "the model of the processor: coverage, validate, serve, ...",
	  cmd_model },
	{ 0 },
};

/* What others call commands, and what does here what they do. */
static const struct {
	const char *name, *instead;
} others[] = {
	{ "--build-options", "'uncore --version'" },
	{ "-v", "'uncore --version'" },
	{ "annotate", "'uncore report --by=symbol', or '--by=line' for data" },
	{ "bench", "'uncore model workloads', then 'uncore stat -w WORKLOAD'" },
	{ "diff", "'uncore compare BEFORE AFTER'" },
	{ "evlist", "'uncore report --by=event'" },
	{ "inject", "'uncore stat --inject FAULT' for faults of the model, or "
		    "'perf inject'" },
	{ "iostat", "'uncore list --metrics', or 'uncore list PCIe'" },
	{ "kvm", "'uncore guest'" },
	{ "lock", "'uncore c2c PROGRAM' for lines that locks are in, or 'perf "
		  "lock'" },
	{ "mem", "'uncore record -- PROGRAM', then 'uncore report --by=line' "
		 "or '--by=page'" },
	{ "probe", "regions: <uncore/mark.h> and 'uncore stat'" },
	{ "script", "'uncore report --json', or 'sqlite3 " TOOL_RECORDING "'" },
	{ "test", "'uncore model coverage', or './quickstart test' where it "
		  "was built" },
	{ "timechart", "'uncore record -I TIME', then 'uncore report "
		       "--by=time'" },
	{ "trace", "'uncore record -I TIME -e EVENT -- PROGRAM'" },
	{ "version", "'uncore --version'" },
};

static int say_instead(const char *name)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i].name, name))
			return tool_fail(TOOL_USAGE,
					 "there is no command '%s'; type %s",
					 name, others[i].instead);
	return TOOL_OK;
}

static void show_help(FILE *file)
{
	fprintf(file,
		"Usage: uncore COMMAND [OPTION...] [ARGUMENT...]\n"
		"Uncore performance monitoring: on a Xeon E7, 7500 or E5 (to "
		"v4), on what the\nkernel of any machine can count, or on a "
		"model of these and of a Xeon Scalable.\n\n"
		"Commands:\n");
	tool_show_commands(commands, file);
	fprintf(file,
		"\n'uncore COMMAND --help' explains a command.\n\n"
		"Exit status: 0 success; 1 something failed; 2 what was asked "
		"for does not exist\nor does not fit; after 'stat -- PROGRAM' "
		"the exit status of the program;\n'doctor' ends with 4 where "
		"nothing real can be counted.\n");
}

/* What is printed must not land in a file that is opened where standard output
 * was closed: reading or writing at these ends is refused, as it was. */
static void fill_closed_files(void)
{
	for (int file = 0; file <= STDERR_FILENO; file++) {
		int mode = file ? O_RDONLY : O_WRONLY;

		if (fcntl(file, F_GETFD) >= 0)
			continue;
		/* It stays open: it is the file. */
		/* cppcheck-suppress leakReturnValNotUsed */
		if (open("/dev/null", mode) != file)
			return;
	}
}

static int run(int argc, char **argv)
{
	static char help[] = "--help";

	if (argc < 2) {
		show_help(stderr);
		return TOOL_USAGE;
	}
	if (!strcmp(argv[1], "help") && argc > 2) {
		argv[1] = argv[2];
		argv[2] = help;
		return tool_dispatch(commands, "uncore", 3, argv);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		show_help(stdout);
		return tool_finish(TOOL_OK, stdout, NULL);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("uncore %s\n", UNCORE_VERSION);
		return tool_finish(TOOL_OK, stdout, NULL);
	}
	if (say_instead(argv[1]))
		return TOOL_USAGE;
	return tool_dispatch(commands, "uncore", argc, argv);
}

int main(int argc, char **argv)
{
	int status;

	fill_closed_files();
	argp_err_exit_status = TOOL_USAGE;
	/* A reader that has gone away is a write error like a full disk; what
	 * was begun is put back first. */
	signal(SIGPIPE, SIG_IGN);
	status = run(argc, argv);
	if (!tool_reader_has_left())
		return status;
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
	return 128 + SIGPIPE; /* it is blocked */
}
