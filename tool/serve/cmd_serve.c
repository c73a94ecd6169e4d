/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore model serve`: a model that runs by itself, and doors to its registers
 * for other programs.
 */
#include "tool/clock_word.h"
#include "tool/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/complaints.h"
#include "tool/machine.h"
#include "uncore/error.h"
#include "uncore/live.h"
#include "uncore/model.h"

enum { MAX_TREES = 2 };

struct settings {
	struct machine_settings machine;
	const char *msr, *pci, *socket, *workload, *log;
	enum clock_word clock;
	bool allow_other, strict, is_daemon;
};

struct serving {
	const struct settings *settings;
	struct complaints complaints;
	struct uncore_model *model;
	struct uncore_live *live;
	struct uncore_regfs *trees[MAX_TREES];
	size_t num_trees;
	struct uncore_server *server;
	sigset_t mask_before;
};

static const enum uncore_live_clock clocks[] = {
	[CLOCK_MODEL] = UNCORE_LIVE_FREE,
	[CLOCK_HOST] = UNCORE_LIVE_REAL,
	[CLOCK_STEP] = UNCORE_LIVE_STEP,
};

static void set_clock(const struct option_row *row, void *at, char *text,
		      const struct argp_state *state)
{
	*(enum clock_word *)at = clock_word(
		row, text,
		1u << CLOCK_MODEL | 1u << CLOCK_HOST | 1u << CLOCK_STEP, state);
}

#define AT(MEMBER) .at = offsetof(struct settings, MEMBER)

static const struct option_row rows[] = {
	{ "msr", 0, "DIR",
	  "Register files DIR/<cpu>/msr as in /dev/cpu (which DIR may be), "
	  "DIR/clock and DIR/status",
	  AT(msr) },
	{ "pci", 0, "DIR",
	  "PCI functions of processors that have boxes there: DIR/BB/DD.F and "
	  "DIR/devices as in /proc/bus/pci, DIR/clock and DIR/status",
	  AT(pci) },
	{ "socket", 's', "PATH",
	  "A Unix socket for 'uncore stat --on socket:PATH'", AT(socket) },
	{ "workload", 'w', "SPEC",
	  "Traffic of the machine (default idle); 'uncore model workloads' "
	  "lists them",
	  AT(workload) },
	{ "clock", 0, "HOW",
	  "host: follows wall time as far as the model keeps up (default); "
	  "model: as fast as the model can; step: only when a number of cycles "
	  "is written to DIR/clock or asked for at the socket",
	  AT(clock), .take = set_clock },
	{ "detail", 0, "HOW",
	  "How much of the accesses goes through all of the model's queues: "
	  "'full' (default), or a part of them (2%, or 'auto': the first "
	  "100,000 and 20,000 whenever counters begin to count, of the others "
	  "a quarter, later 1%): counts of what happened stay exact, and "
	  "between these parts counters of what depends on time grow by what "
	  "they say. ,seed=N behind it says where these parts lie",
	  AT(machine.detail) },
	{ "allow-other", 0, NULL,
	  "Let every user read and write the files, not this one alone",
	  AT(allow_other) },
	{ "strict", 0, NULL, "Writes with a reserved bit set raise #GP",
	  AT(strict) },
	{ "daemon", 0, NULL,
	  "Go to the background as soon as everything is ready",
	  AT(is_daemon) },
	{ "log", 0, "FILE",
	  "Add what the model complains of to FILE (default: standard error; "
	  "with --daemon nowhere)",
	  AT(log) },
	{ 0 },
};

static const struct options serve_options = {
	.rows = rows,
	.help = "Serve the registers of a modelled machine to other programs: "
		"as files like Linux's /dev/cpu/<cpu>/msr and "
		"/proc/bus/pci/BB/DD.F, at a socket, or all of it. Prints one "
		"line 'ready: ...' when they can be used, "
		"and ends with 0 on Ctrl-C, SIGTERM, SIGHUP and 'fusermount3 "
		"-u DIR'.",
	.too_much = "is too much; the folder is an option: --msr DIR",
	.others = &machine_options,
	.others_at = offsetof(struct settings, machine),
};

/* Ending */

static struct uncore_regfs *volatile stopped_tree;
static volatile sig_atomic_t is_stopped;

static void stop(int signal)
{
	(void)signal;
	is_stopped = 1;
	if (stopped_tree)
		uncore_regfs_stop(stopped_tree);
}

static const int end_signals[] = { SIGINT, SIGTERM, SIGHUP };

enum { NUM_END_SIGNALS = sizeof(end_signals) / sizeof(end_signals[0]) };

/* From now on threads start with these blocked: this one handles them. */
static void block_signals(struct serving *serving)
{
	sigset_t set;

	sigemptyset(&set);
	for (unsigned i = 0; i < NUM_END_SIGNALS; i++)
		sigaddset(&set, end_signals[i]);
	pthread_sigmask(SIG_BLOCK, &set, &serving->mask_before);
}

/* What the caller wants ignored (nohup, a shell's '&') stays so. A second
 * signal of a kind kills, should the way out ever hang. */
static void handle_signals(struct serving *serving)
{
	struct sigaction action = { .sa_handler = stop,
				    .sa_flags = (int)SA_RESETHAND };
	struct sigaction before;

	stopped_tree = serving->trees[0];
	for (unsigned i = 0; i < NUM_END_SIGNALS; i++)
		if (!sigaction(end_signals[i], NULL, &before) &&
		    before.sa_handler != SIG_IGN)
			sigaction(end_signals[i], &action, NULL);
}

/* Beginning */

static int make_model(struct serving *serving)
{
	const struct settings *settings = serving->settings;
	const struct machine_how how = {
		.workload = settings->workload ? settings->workload : "idle",
		.strict = settings->strict,
		.log = complaints_log,
		.context = &serving->complaints,
	};
	int status = machine_model(&settings->machine, &how, &serving->model);

	if (status)
		return status;
	serving->live =
		uncore_live_new(serving->model, clocks[settings->clock]);
	return serving->live ? TOOL_OK
			     : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
}

/* Programs that look for registers there ask the processor itself first who it
 * is. */
static void warn_of_host(const struct serving *serving, const char *path)
{
	const struct uncore_family *host = uncore_family_of_host();
	const char *machine = uncore_model_machine(serving->model);
	char *folder = realpath(path, NULL);

	if (folder && !strcmp(folder, "/dev/cpu") &&
	    (!host || strcmp(uncore_family_name(host),
			     uncore_model_family(serving->model))))
		tool_warn("note: this processor is no %s: rdmsr and wrmsr do "
			  "not mind, but tools that ask CPUID (LIKWID, PCM) "
			  "refuse it; 'uncore guest --run TOOL' runs those",
			  machine);
	free(folder);
}

static int open_tree(struct serving *serving, const char *folder, bool is_pci)
{
	const struct uncore_regfs_config config = {
		.struct_size = sizeof(config),
		.folder = folder,
		.allow_other = serving->settings->allow_other,
		.is_pci = is_pci,
	};
	struct uncore_regfs **tree = &serving->trees[serving->num_trees];
	char *error = NULL;
	int code = uncore_regfs_new(serving->live, &config, tree, &error);

	if (code)
		return tool_fail_with(code, error);
	serving->num_trees++;
	if (uncore_regfs_has_replaced(*tree))
		tool_warn("a server that died had left its mount on '%s'; it "
			  "is replaced",
			  folder);
	warn_of_host(serving, folder);
	return TOOL_OK;
}

static int open_socket(struct serving *serving)
{
	char *error = NULL;
	int code = uncore_server_new(serving->live, serving->settings->socket,
				     &serving->server, &error);

	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static int open_doors(struct serving *serving)
{
	const struct settings *settings = serving->settings;
	int status = TOOL_OK, code;

	if (settings->msr)
		status = open_tree(serving, settings->msr, false);
	if (!status && settings->pci)
		status = open_tree(serving, settings->pci, true);
	block_signals(serving);
	if (!status && settings->socket)
		status = open_socket(serving);
	if (status)
		return status;
	code = uncore_live_start(serving->live);
	return code ? tool_fail_with(code, NULL) : TOOL_OK;
}

static int say_ready(const struct serving *serving)
{
	const struct settings *settings = serving->settings;

	printf("ready: %s, %u sockets, %u CPUs, clock %s",
	       uncore_model_machine(serving->model),
	       uncore_model_sockets(serving->model),
	       uncore_live_cpus(serving->live),
	       clock_word_name(settings->clock));
	if (settings->msr)
		printf(", msr %s", settings->msr);
	if (settings->pci)
		printf(", pci %s", settings->pci);
	if (settings->socket)
		printf(", socket %s", settings->socket);
	printf(", pid %ld\n", (long)getpid());
	return tool_finish(TOOL_OK, stdout, NULL);
}

static int run(struct serving *serving)
{
	char *error = NULL;
	int code;

	pthread_sigmask(SIG_SETMASK, &serving->mask_before, NULL);
	if (serving->num_trees) {
		code = uncore_regfs_run(serving->trees, serving->num_trees,
					&error);
		return code ? tool_fail_with(code, error) : TOOL_OK;
	}
	block_signals(serving);
	while (!is_stopped)
		sigsuspend(&serving->mask_before);
	return TOOL_OK;
}

/* Makes a file descriptor add to a file. An exit code. */
static int redirect(int fd, const char *name)
{
	int file = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

	if (file < 0)
		return tool_fail(TOOL_USAGE, "cannot open '%s': %s", name,
				 strerror(errno));
	dup2(file, fd);
	close(file);
	return TOOL_OK;
}

/* Forks. The parent waits until the child is ready or has failed, and ends with
 * 0 or the child's exit code: so a script may rely on it in its next line, and
 * learns of every failure before. In the child, returns a file descriptor for
 * detach(). */
static int enter_background(void)
{
	int fds[2], status;
	char byte;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC) || (child = fork()) < 0)
		exit(tool_fail(TOOL_FAILED, "cannot start a process: %s",
			       strerror(errno)));
	if (!child) {
		close(fds[0]);
		setsid();
		return fds[1];
	}
	close(fds[1]);
	if (read(fds[0], &byte, 1) == 1)
		_exit(TOOL_OK);
	if (waitpid(child, &status, 0) == child && WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	_exit(TOOL_FAILED);
}

/* The child is ready: lets go of the terminal (of standard error only if it is
 * to be silent), then of the parent. An exit code. */
static int detach(int ready_fd, bool is_silent)
{
	int status = redirect(STDOUT_FILENO, "/dev/null");

	if (!status && is_silent)
		status = redirect(STDERR_FILENO, "/dev/null");
	if (!status && dup2(STDOUT_FILENO, STDIN_FILENO) >= 0 &&
	    write(ready_fd, "", 1) != 1)
		status = TOOL_FAILED;
	close(ready_fd);
	return status;
}

static int serve(struct serving *serving)
{
	const struct settings *settings = serving->settings;
	int ready_fd = settings->is_daemon ? enter_background() : -1;
	int status = make_model(serving);

	if (!status)
		status = open_doors(serving);
	if (!status && settings->log)
		status = tool_check_loss(settings->log, NULL);
	if (!status && settings->log)
		status = redirect(STDERR_FILENO, settings->log);
	if (!status) {
		handle_signals(serving);
		status = say_ready(serving);
	}
	if (!status && ready_fd >= 0)
		status = detach(ready_fd, !settings->log);
	if (!status)
		status = run(serving);
	stopped_tree = NULL;
	uncore_server_free(serving->server);
	for (size_t i = 0; i < serving->num_trees; i++)
		uncore_regfs_free(serving->trees[i]);
	uncore_live_free(serving->live);
	status = machine_free(serving->model, status);
	complaints_finish(&serving->complaints);
	return status;
}

int cmd_serve(int argc, char **argv)
{
	struct settings settings = { .machine.is_live = true,
				     .clock = CLOCK_HOST };
	struct serving serving = { .settings = &settings };

	options_parse(&serve_options, argc, argv, 0, &settings);
	if (!settings.msr && !settings.pci && !settings.socket)
		return tool_fail(TOOL_USAGE,
				 "nothing to serve: give --msr DIR, --pci DIR, "
				 "--socket PATH, or several");
	if (settings.allow_other && !settings.msr && !settings.pci)
		return tool_fail(TOOL_USAGE,
				 "--allow-other is about the files of --msr "
				 "and --pci; the socket is for its owner "
				 "alone");
	return serve(&serving);
}
