/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a guest tells of itself: lines that it writes to its fourth serial line
 * (/dev/ttyS3), which QEMU puts into a file of ours without a name. Any line
 * says that the guest is up; "exit N" is the exit status of what ran in it.
 * guest-init writes both. A guest that is not up in time hangs: what counts is
 * the time that QEMU computes and that all CPUs are halted, not what other
 * programs take.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "guest.h"
#include "uncore/error.h"

enum { REPORT_BYTES = 256, NS = 1000 * 1000 * 1000 };

#define EXIT_WORD "exit "

int guest_make_report(struct uncore_guest *guest, char **error)
{
	guest->report_fd = memfd_create("uncore-guest-report", MFD_CLOEXEC);
	if (guest->report_fd >= 0)
		return 0;
	return text_error(UNCORE_ERR_NO_MEMORY, error,
			  "cannot make a file in memory: %s", strerror(errno));
}

/* What the guest has written. */
static void look(const struct uncore_guest *guest, char text[REPORT_BYTES])
{
	ssize_t num = pread(guest->report_fd, text, REPORT_BYTES - 1, 0);

	text[num > 0 ? num : 0] = '\0';
}

static uint64_t computed_ns(const struct uncore_guest *guest)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(guest->pid, &clock) ||
	    clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * NS + (uint64_t)time.tv_nsec;
}

bool guest_is_late(struct uncore_guest *guest)
{
	uint64_t limit_ns = (uint64_t)guest->config.boot_limit_s * NS;
	char text[REPORT_BYTES];

	if (!limit_ns || guest->is_up)
		return false;
	look(guest, text);
	guest->is_up = *text;
	return !guest->is_up && computed_ns(guest) + guest->idle_ns > limit_ns;
}

/* A sentence for whoever reads the log. */
static void complain(const struct uncore_guest *guest, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void complain(const struct uncore_guest *guest, const char *format, ...)
{
	va_list arguments;
	char *line = NULL;

	if (!guest->config.log)
		return;
	va_start(arguments, format);
	if (vasprintf(&line, format, arguments) < 0)
		line = NULL;
	va_end(arguments);
	if (line)
		guest->config.log(guest->config.log_context, line);
	free(line);
}

/* False if the guest has not told. */
static bool find_exit(const struct uncore_guest *guest, int *exit_code)
{
	char text[REPORT_BYTES], *end;
	const char *word;
	long code;

	look(guest, text);
	word = strstr(text, EXIT_WORD);
	if (!word)
		return false;
	code = strtol(word + strlen(EXIT_WORD), &end, 10);
	if (end == word + strlen(EXIT_WORD) || code < 0 || code > UINT8_MAX)
		return false;
	*exit_code = (int)code;
	return true;
}

void guest_take_report(struct uncore_guest *guest, bool late)
{
	struct uncore_guest_status *status = &guest->status;

	if (late) {
		status->exit_code = EXIT_FAILURE;
		complain(guest,
			 "the guest was not up after %u seconds of computing "
			 "and waiting, and was ended; the last lines of its "
			 "console say where it hangs",
			 guest->config.boot_limit_s);
	} else if (status->exit_code) {
		return;
	} else if (atomic_load(&guest->channel->restarted)) {
		/* A kernel that panics restarts its machine. */
		status->exit_code = EXIT_FAILURE;
		complain(guest, "the guest ended by restarting its machine, as "
				"a kernel does after a panic; its last lines "
				"say why");
	} else {
		status->has_told = find_exit(guest, &status->exit_code);
	}
}
