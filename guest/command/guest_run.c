/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "guest_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tool/tool.h"
#include "uncore/error.h"

#define FOLDER "uncore-run-XXXXXX"
#define APPEND "quiet mitigations=off uncore.run=run"

enum { CHUNK_BYTES = 1 << 14, TAIL_LINES = 20, TAIL_BYTES = 4096 };

/* A name by which QEMU opens a descriptor of ours. */
static char *place_of(int fd)
{
	return tool_print("file:/proc/%d/fd/%d", (int)getpid(), fd);
}

/* All of it, or as much as somebody wants to have. */
static void put(int fd, const char *bytes, ssize_t num)
{
	while (num > 0) {
		ssize_t done = write(fd, bytes, (size_t)num);

		if (done < 0 && errno != EINTR)
			return;
		bytes += done > 0 ? done : 0;
		num -= done > 0 ? done : 0;
	}
}

static void *copy(void *data)
{
	const struct guest_run_line *line = data;
	char bytes[CHUNK_BYTES];
	ssize_t num;

	while ((num = read(line->in[0], bytes, sizeof(bytes))) != 0)
		if (num > 0)
			put(line->out, bytes, num);
		else if (errno != EINTR)
			break;
	return NULL;
}

static int open_line(struct guest_run_line *line, int out)
{
	sigset_t all, before;
	int code;

	line->out = out;
	if (pipe2(line->in, O_CLOEXEC) < 0)
		return tool_fail(TOOL_FAILED, "cannot make a pipe: %s",
				 strerror(errno));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&line->thread, NULL, copy, line);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code) {
		close(line->in[0]);
		close(line->in[1]);
		return tool_fail(TOOL_FAILED, "cannot start a thread: %s",
				 strerror(code));
	}
	line->is_open = true;
	line->place = place_of(line->in[1]);
	return line->place ? TOOL_OK
			   : tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
}

static void close_line(struct guest_run_line *line)
{
	if (!line->is_open)
		return;
	line->is_open = false;
	close(line->in[1]);
	pthread_join(line->thread, NULL);
	close(line->in[0]);
}

static int make_image(struct guest_run *run, const char *program,
		      const char *const *with,
		      const struct uncore_guest_config *config)
{
	const char *const *arguments = config->options;
	const char *place = getenv("TMPDIR");
	char *error = NULL;
	const char **words;
	size_t num = 0;
	int code;

	run->folder =
		tool_print("%s/" FOLDER, place && *place ? place : "/tmp");
	if (run->folder && !mkdtemp(run->folder)) {
		tool_fail(TOOL_FAILED, "cannot make the folder %s: %s",
			  run->folder, strerror(errno));
		free(run->folder);
		run->folder = NULL;
		return TOOL_FAILED;
	}
	while (arguments && arguments[num])
		num++;
	words = calloc(num + 2, sizeof(*words));
	run->initrd = tool_print("%s/initrd", run->folder ? run->folder : "");
	if (!run->folder || !words || !run->initrd) {
		free(words);
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	}
	words[0] = program;
	for (size_t i = 0; i < num; i++)
		words[i + 1] = arguments[i];
	code = uncore_guest_image_run(run->initrd, words, with, &run->kernel,
				      &error);
	free(words);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* The console, the program's output and its errors are serial lines; QEMU has
 * no monitor at the terminal. */
static int set_options(struct guest_run *run,
		       struct uncore_guest_config *config)
{
	unsigned num = 0;

	run->console = memfd_create("uncore-guest-console", MFD_CLOEXEC);
	if (run->console < 0) {
		run->console = 0;
		return tool_fail(TOOL_FAILED,
				 "cannot make a file in memory: "
				 "%s",
				 strerror(errno));
	}
	run->console_place = place_of(run->console);
	run->append = tool_print(APPEND "%s%s", config->append ? " " : "",
				 config->append ? config->append : "");
	if (!run->console_place || !run->append)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	run->options[num++] = "-monitor";
	run->options[num++] = "none";
	run->options[num++] = "-serial";
	run->options[num++] = run->console_place;
	for (unsigned i = 0; i < 2; i++) {
		run->options[num++] = "-serial";
		run->options[num++] = run->lines[i].place;
	}
	config->kernel = run->kernel;
	config->initrd = run->initrd;
	config->append = run->append;
	config->options = run->options;
	return TOOL_OK;
}

int guest_run_prepare(struct guest_run *run, const char *program,
		      const char *const *with,
		      struct uncore_guest_config *config)
{
	int status = make_image(run, program, with, config);

	if (!status)
		status = open_line(&run->lines[0], STDOUT_FILENO);
	if (!status)
		status = open_line(&run->lines[1], STDERR_FILENO);
	return status ? status : set_options(run, config);
}

static void tell_console(const struct guest_run *run)
{
	off_t end = lseek(run->console, 0, SEEK_END);
	off_t begin = end > TAIL_BYTES ? end - TAIL_BYTES : 0;
	char text[TAIL_BYTES + 1], *line, *rest = text;
	int num = 0;
	ssize_t got = pread(run->console, text, TAIL_BYTES, begin);

	text[got > 0 ? got : 0] = '\0';
	for (char *at = text; *at; at++)
		num += *at == '\n';
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "\r")] = '\0';
		if (num-- < TAIL_LINES && *line)
			tool_warn("the guest's console: %s", tool_shown(line));
	}
}

void guest_run_finish(struct guest_run *run, bool has_ended)
{
	for (unsigned i = 0; i < 2; i++)
		close_line(&run->lines[i]);
	if (!has_ended && run->console)
		tell_console(run);
}

void guest_run_free(struct guest_run *run)
{
	for (unsigned i = 0; i < 2; i++) {
		close_line(&run->lines[i]);
		free(run->lines[i].place);
	}
	if (run->console)
		close(run->console);
	if (run->initrd)
		unlink(run->initrd);
	if (run->folder)
		rmdir(run->folder);
	free(run->kernel);
	free(run->append);
	free(run->folder);
	free(run->initrd);
	free(run->console_place);
}
