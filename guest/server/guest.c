/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A guest from its start to its end. While it runs, its plugin and we wait for
 * each other by turns: a bell says that there may be something to do, and a
 * waiter that hears none looks now and then whether the other one lives.
 */
#include "guest.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sized.h"
#include "base/text.h"
#include "server/recording.h"
#include "uncore/error.h"
#include "uncore/family.h"
#include "uncore/live.h"

enum {
	EXIT_SIGNALLED = 128,
	SPINS = 400,
	PAUSES = 32, /* between two times that others may run */
	NAP_NS = 1000 * 1000,
	SERVED = 256,	 /* rounds between two looks whether it is late */
	END_NAPS = 2000, /* that QEMU gets to end by itself */
	NS = 1000 * 1000 * 1000,
};

static const volatile int never;

bool guest_poll(struct uncore_guest *guest)
{
	if (!guest->ended && guest->pid > 0 &&
	    waitpid(guest->pid, &guest->wait_status, WNOHANG) == guest->pid)
		guest->ended = true;
	return guest->ended;
}

/* Start */

double guest_param(const struct uncore_guest *guest, const char *name)
{
	struct uncore_model_param found;

	for (size_t i = 0;
	     uncore_model_config_param(guest->config.machine, i, &found); i++)
		if (!strcmp(found.name, name))
			return strtod(found.value, NULL);
	return 0;
}

/* How long an instruction takes at least, and what the time stamp counter
 * counts meanwhile. */
static void set_pace(struct uncore_guest *guest)
{
	double core = guest_param(guest, "core.clock");

	guest->ticks_per_instruction = guest_param(guest, "core.cpi");
	if (guest->ticks_per_instruction <= 0)
		guest->ticks_per_instruction = 1;
	guest->ticks_per_cycle = core / guest_param(guest, "uncore.clock");
	guest->cycles_per_instruction =
		guest->ticks_per_instruction / guest->ticks_per_cycle;
	guest->tick_khz = (uint32_t)(core * 1000);
}

static int start_recording(struct uncore_guest *guest, char **error)
{
	const struct uncore_guest_config *config = &guest->config;

	if (!config->record)
		return 0;
	if (config->traffic != UNCORE_GUEST_MARKED)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "a recording holds what happens between "
				  "marks, and goes with marked traffic only");
	return recording_new(config->record, config->machine, guest->machine,
			     &guest->recording, error);
}

int guest_new(struct uncore_live *live,
	      const struct uncore_guest_config *config,
	      struct uncore_guest **guest, char **error)
{
	struct uncore_guest *made = calloc(1, sizeof(*made));
	struct uncore_function function;
	struct uncore_model *model;
	int code;

	*guest = NULL;
	if (!made)
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	made->fd = made->report_fd = -1;
	made->live = live;
	code = sized_take(&made->config, sizeof(made->config), config, error);
	if (code) {
		uncore_guest_free(made);
		return code;
	}
	set_pace(made);
	model = uncore_live_enter(live);
	made->family = uncore_family_find(uncore_model_family(model));
	made->machine = uncore_model_machine(model);
	made->brand = uncore_model_brand(model);
	uncore_live_leave(live);
	made->has_pci = made->family &&
			uncore_family_function(made->family, 0, &function);
	code = made->family ? guest_make_channel(made, error)
			    : UNCORE_ERR_UNKNOWN_FAMILY;
	if (!code)
		code = guest_make_report(made, error);
	if (!code)
		code = start_recording(made, error);
	if (code) {
		uncore_guest_free(made);
		return code;
	}
	guest_start_traffic(made);
	*guest = made;
	return 0;
}

int uncore_guest_start(struct uncore_live *live,
		       const struct uncore_guest_config *config,
		       struct uncore_guest **guest, char **error)
{
	int code = guest_new(live, config, guest, error);

	if (!code)
		code = guest_launch(*guest, error);
	if (code) {
		uncore_guest_free(*guest);
		*guest = NULL;
	}
	return code;
}

/* Run */

static bool serve(struct uncore_guest *guest, const volatile int *stop)
{
	bool is_asked =
		atomic_load(&guest->channel->request.state) == REQUEST_MADE;
	bool served = is_asked;

	/* The rounds that were handed over before the request go first; to see
	 * them for certain, the request is looked for before them. */
	while (guest_serve_round(guest, stop))
		served = true;
	if (is_asked)
		guest_serve_request(guest, stop);
	return served;
}

/* Waits for the plugin's bell, which had this number of strokes; false when it
 * stayed silent. */
static bool wait_for_bell(struct uncore_guest *guest, uint32_t strokes)
{
	_Atomic uint32_t *bell = &guest->channel->model_bell;
	const struct timespec nap = { 0, NAP_NS };

	for (unsigned i = 0; i < SPINS; i++) {
		if (atomic_load(bell) != strokes)
			return true;
		__builtin_ia32_pause();
		/* QEMU may be waiting for this processor. */
		if (i % PAUSES == PAUSES - 1)
			sched_yield();
	}
	syscall(SYS_futex, bell, FUTEX_WAIT, strokes, &nap, NULL, 0);
	return atomic_load(bell) != strokes;
}

/* How long all CPUs have been halted. */
static void note_idle(struct uncore_guest *guest)
{
	uint64_t now_ns = clock_now_ns();

	if (atomic_load(&guest->channel->idle))
		guest->idle_ns += now_ns - guest->seen_ns;
	guest->seen_ns = now_ns;
}

/* Until it ends, *stop is set, or it is late. */
static bool serve_to_the_end(struct uncore_guest *guest,
			     const volatile int *stop)
{
	bool is_late = false;
	unsigned served = 0;

	while (!*stop && !is_late) {
		uint32_t strokes = atomic_load(&guest->channel->model_bell);

		if (serve(guest, stop)) {
			if (++served % SERVED == 0)
				is_late = guest_is_late(guest);
			continue;
		}
		if (guest->ended)
			break;
		if (wait_for_bell(guest, strokes))
			continue;
		note_idle(guest);
		guest_poll(guest); /* what came before is served above */
		is_late = guest_is_late(guest);
	}
	return is_late;
}

/* Nobody listens any more: QEMU ends by itself, or is killed. */
static void end_qemu(struct uncore_guest *guest)
{
	const struct timespec nap = { 0, NAP_NS };

	if (guest->pid <= 0 || guest_poll(guest))
		return;
	atomic_store(&guest->channel->stop, 1);
	guest_ring(guest);
	kill(guest->pid, SIGTERM);
	for (unsigned i = 0; i < END_NAPS && !guest_poll(guest); i++)
		nanosleep(&nap, NULL);
	if (guest->ended)
		return;
	kill(guest->pid, SIGKILL);
	while (waitpid(guest->pid, &guest->wait_status, 0) < 0 &&
	       errno == EINTR)
		;
	guest->ended = true;
}

static void fill_status(struct uncore_guest *guest, bool late)
{
	struct uncore_guest_status *status = &guest->status;

	status->accesses = guest->portion.accesses;
	status->lost = atomic_load(&guest->channel->lost) + guest->portion.bad;
	if (WIFSIGNALED(guest->wait_status)) {
		status->signal = WTERMSIG(guest->wait_status);
		status->exit_code = EXIT_SIGNALLED + status->signal;
	} else {
		status->exit_code = WEXITSTATUS(guest->wait_status);
	}
	guest_take_report(guest, late);
}

int uncore_guest_run(struct uncore_guest *guest, const volatile int *stop,
		     struct uncore_guest_status *status, char **error)
{
	bool late;
	int code = 0;

	if (!stop)
		stop = &never;
	late = serve_to_the_end(guest, stop);
	end_qemu(guest);
	guest_end_region(guest, stop);
	if (guest->recording)
		code = recording_finish(guest->recording, error);
	fill_status(guest, late);
	*status = guest->status;
	return code;
}

static int no_access(void *context, unsigned cpu, struct uncore_access *access)
{
	(void)context, (void)cpu, (void)access;
	return 0;
}

/* The model may live on. */
static void end_traffic(struct uncore_guest *guest)
{
	const struct uncore_traffic none = { .next = no_access };

	if (!guest->portion.num_cpus ||
	    guest->config.traffic == UNCORE_GUEST_NONE)
		return;
	uncore_model_set_traffic(uncore_live_enter(guest->live), &none);
	uncore_live_leave(guest->live);
}

void uncore_guest_free(struct uncore_guest *guest)
{
	if (!guest)
		return;
	end_traffic(guest);
	if (guest->pid > 0 && !guest_poll(guest)) {
		kill(guest->pid, SIGKILL);
		while (waitpid(guest->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	recording_free(guest->recording);
	guest_free_channel(guest);
	free(guest);
}
