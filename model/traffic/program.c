/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A program under Valgrind from its start to its end:
 *
 *   running --(it ends: program_poll)--> ended --(rings empty)--> drained
 *      \----(uncore_program_stop)-----> stopped ----^
 *
 * Ended or stopped, the front ends run uncounted (program_cut), so that
 * whatever the program has left behind neither waits for the model nor disturbs
 * it.
 */
#include "model/traffic/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/sized.h"
#include "base/text.h"
#include "model/traffic/program_folder.h"
#include "uncore/error.h"
#include "uncore/recording.h"

enum { EXIT_SIGNALLED = 128, MAX_OPTION_BYTES = 8192 };

int uncore_program_start(const struct uncore_program_config *config,
			 struct uncore_program **program, char **error)
{
	struct uncore_program_config own;
	struct uncore_program *made;
	int result = sized_take(&own, sizeof(own), config, error);

	*program = NULL;
	if (result)
		return result;
	made = calloc(1, sizeof(*made));
	if (!made)
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	for (unsigned i = 0; i < PROGRAM_NUM_FILES; i++)
		made->files[i] = -1;
	result = program_launch(made, &own, error);
	if (result) {
		uncore_program_free(made);
		return result;
	}
	*program = made;
	return 0;
}

void uncore_program_traffic(struct uncore_program *program,
			    struct uncore_traffic *traffic)
{
	*traffic = (struct uncore_traffic){
		.context = program,
		.next = program_next,
		.invalidate = program_invalidate,
		.reads = program_reads,
		.decides_owners = true,
	};
}

void program_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	struct timespec timeout = {
		.tv_sec = (time_t)(timeout_ns / 1000000000),
		.tv_nsec = (long)(timeout_ns % 1000000000),
	};

	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

void program_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void program_cut(struct uncore_program *program)
{
	struct arena *arena = program->arena;
	unsigned num = atomic_load(&arena->num_threads);
	unsigned i;

	atomic_store(&arena->stop, 1);
	atomic_fetch_add(&arena->room, 1);
	program_wake(&arena->room);
	for (i = 0; i < num && i < ARENA_MAX_THREADS; i++) {
		atomic_fetch_add(&arena->threads[i].go, 1);
		program_wake(&arena->threads[i].go);
	}
}

/* Whether it has ended. A program may have asked to be traced by its parent
 * (PTRACE_TRACEME), and has then only stopped: it goes on, with its signal. */
static bool wait_program(struct uncore_program *program, int options)
{
	int status, number;

	if (waitpid(program->pid, &status, options) != program->pid)
		return false;
	program->wait_status = status;
	program->ended = !WIFSTOPPED(status);
	if (program->ended)
		return true;
	number = WSTOPSIG(status);
	if (number == SIGSTOP || number == SIGTRAP)
		number = 0;
	ptrace(PTRACE_CONT, program->pid, NULL, number);
	return false;
}

bool program_poll(struct uncore_program *program)
{
	if (program->ended || program->pid <= 0)
		return program->ended;
	if (!wait_program(program, WNOHANG))
		return false;
	program_reap(program);
	program_cut(program);
	return true;
}

/* A thread (tid 0: a process) that is gone, or only waits to be waited for. Of
 * a process whose first thread has ended the others may live. */
static bool is_dead(uint32_t pid, uint32_t tid)
{
	char path[64];
	char text[512];
	const char *state;
	unsigned num_threads = 0;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/stat", pid,
		 tid ? tid : pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return true;
	text[length] = '\0';
	state = strrchr(text, ')');
	if (!state || (state[2] != 'Z' && state[2] != 'X'))
		return false;
	/* behind 16 others */
	sscanf(state + 3, "%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%u",
	       &num_threads);
	return tid || num_threads <= 1;
}

/* A thread that was killed holds its turn, and perhaps the lock, for ever. What
 * waits looks after itself every few milliseconds. */
void program_reap(struct uncore_program *program)
{
	struct arena *arena = program->arena;
	unsigned num = atomic_load(&arena->num_threads);
	uint32_t holder = atomic_load(&arena->lock);
	unsigned i;

	if (holder && is_dead(holder & INT32_MAX, 0))
		atomic_compare_exchange_strong(&arena->lock, &holder, 0);
	for (i = 0; i < num && i < ARENA_MAX_THREADS; i++) {
		struct arena_thread *thread = &arena->threads[i];
		uint32_t state = atomic_load(&thread->state);
		uint32_t turn = i + 1;

		if (state == THREAD_NONE || state >= THREAD_LEAVES ||
		    !thread->pid || !is_dead(thread->pid, thread->tid))
			continue;
		if (!atomic_compare_exchange_strong(&thread->state, &state,
						    THREAD_ENDED))
			continue;
		atomic_compare_exchange_strong(&arena->turn, &turn, 0);
		if (thread->is_teller)
			continue;
		arena->cores[thread->core % ARENA_MAX_CORES].users--;
		atomic_fetch_sub(&arena->num_live, 1);
	}
}

void uncore_program_progress(const struct uncore_program *program,
			     struct uncore_program_progress *progress)
{
	const struct arena *arena = program->arena;
	unsigned i;

	memset(progress, 0, sizeof(*progress));
	progress->accesses = program->tail;
	for (i = 0; i < program->num_cores; i++)
		progress->instructions +=
			atomic_load(&arena->cores[i].instructions);
	progress->pages = arena->num_pages;
	progress->threads = atomic_load(&arena->num_live);
	progress->running = !program->ended;
	progress->asked_random = atomic_load(&arena->asked_random);
}

bool uncore_program_may_show(struct uncore_program *program)
{
	atomic_store(&program->arena->shows_progress, 1);
	return !atomic_load(&program->arena->uses_terminal);
}

int uncore_program_signal(struct uncore_program *program, int number)
{
	if (program->ended || program->pid <= 0)
		return UNCORE_ERR_STATE;
	return kill(program->pid, number) < 0 ? UNCORE_ERR_IO : 0;
}

void uncore_program_stop(struct uncore_program *program)
{
	atomic_store(&program->stopped, 1);
	program_cut(program);
	atomic_fetch_add(&program->arena->doorbell, 1);
	program_wake(&program->arena->doorbell);
}

static void wait_for_end(struct uncore_program *program)
{
	while (!program->ended) {
		errno = 0;
		if (!wait_program(program, 0) && errno && errno != EINTR)
			break;
	}
}

static void fill_busiest(const struct arena *arena,
			 struct uncore_program_status *status)
{
	const struct arena_busy *most = &arena->busy[0];

	for (unsigned i = 1; i < ARENA_BUSY_LINES; i++)
		if (arena->busy[i].transfers > most->transfers)
			most = &arena->busy[i];
	status->transfers = arena->num_transfers;
	status->of_busiest = most->transfers;
	status->busiest_site = most->site;
	snprintf(status->busiest, sizeof(status->busiest), "%.*s",
		 (int)sizeof(most->symbol) - 1, most->symbol);
	if (!*status->busiest)
		snprintf(status->busiest, sizeof(status->busiest), "0x%llx",
			 (unsigned long long)most->address);
	/* the program can write to what it shares */
	for (char *at = status->busiest; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
}

static const struct arena_shares *shares_of(const struct arena *arena,
					    const char *region)
{
	uint32_t num = atomic_load(&arena->num_regions);

	if (!region)
		return &arena->used[ARENA_MAX_REGIONS];
	for (uint32_t i = 0; i < num && i < ARENA_MAX_REGIONS; i++)
		if (!strncmp(arena->regions[i], region, ARENA_REGION_BYTES))
			return &arena->used[i];
	return NULL;
}

bool uncore_program_share(const struct uncore_program *program,
			  const char *region, unsigned index,
			  struct uncore_program_share *share)
{
	const struct arena_shares *shares = shares_of(program->arena, region);
	const struct arena_share *site;

	for (unsigned i = 0; shares && i < ARENA_SHARES; i++) {
		site = &shares->sites[i];
		if (!site->site || index--)
			continue;
		share->site = site->site;
		share->looks = (double)(site->looks - site->over);
		share->part = share->looks / (double)shares->looks;
		share->remote_part =
			shares->remote
				? (double)site->remote / (double)shares->remote
				: 0;
		return true;
	}
	return false;
}

bool uncore_program_caller(const struct uncore_program *program, unsigned site,
			   struct uncore_mapped_file *file, uint64_t *address)
{
	const struct arena *arena = program->arena;

	for (unsigned i = 0; site && i < ARENA_CALLERS; i++) {
		const struct arena_caller *caller = &arena->callers[i];

		if (caller->site != site)
			continue;
		snprintf(file->name, sizeof(file->name), "%.*s",
			 (int)sizeof(caller->file) - 1, caller->file);
		file->start = caller->start;
		file->end = caller->end;
		*address =
			arena->site_stacks[site % ARENA_MAX_STACKS].frames[0] +
			1;
		return true;
	}
	return false;
}

static void fill_fills(const struct arena *arena,
		       struct uncore_program_status *status)
{
	for (unsigned i = 0; i < ARENA_MAX_CORES; i++) {
		const uint64_t *counts = arena->cores[i].cache.counts;

		status->l1d_fills += counts[UNCORE_CORE_L1D_FILLS];
		status->crowded_fills += counts[UNCORE_CORE_L1D_CROWDED_FILLS];
	}
}

/* What Valgrind said, without "==123== " and without what follows its reason,
 * which is of use to who maintains it. The program can write to it. */
static void fill_words(const struct arena *arena,
		       struct uncore_program_status *status)
{
	char words[ARENA_WORDS_BYTES];
	char *line, *rest = words;
	size_t to = 0;

	memcpy(words, arena->words, sizeof(words));
	words[sizeof(words) - 1] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (line[strspn(line, "=0123456789")] == ' ')
			line += strspn(line, "=0123456789 ");
		if (!strncmp(line, "host stack", 10) ||
		    !strncmp(line, "This may be", 11))
			break;
		if (!*line || to + strlen(line) + 2 > sizeof(status->words))
			continue;
		to += (size_t)sprintf(status->words + to, "%s\n", line);
	}
	for (size_t i = 0; i < to; i++)
		if (status->words[i] != '\n' &&
		    (status->words[i] < ' ' || status->words[i] > '~'))
			status->words[i] = '?';
}

static void fill_status(const struct uncore_program *program,
			struct uncore_program_status *status)
{
	const struct arena *arena = program->arena;

	memset(status, 0, sizeof(*status));
	if (WIFSIGNALED(program->wait_status)) {
		status->signal = WTERMSIG(program->wait_status);
		status->exit_code = EXIT_SIGNALLED + status->signal;
	} else {
		status->exit_code = WEXITSTATUS(program->wait_status);
	}
	status->left_running = atomic_load(&arena->num_live);
	status->not_followed = atomic_load(&arena->not_followed);
	status->gave_up = atomic_load(&arena->num_gave_up);
	if (status->gave_up)
		fill_words(arena, status);
	status->traced = atomic_load(&arena->num_traced);
	status->lost = atomic_load(&arena->lost);
	status->memory_full = atomic_load(&arena->is_full);
	status->saw_host =
		atomic_load(&arena->folder_state) == ARENA_FOLDER_FAILED;
	snprintf(status->not_shown, sizeof(status->not_shown), "%s",
		 arena->not_shown);
	status->unknown_instruction =
		status->signal == SIGILL ? atomic_load(&arena->unknown_bytes)
					 : 0;
	status->accesses = program->tail;
	fill_busiest(arena, status);
	fill_fills(arena, status);
}

int uncore_program_finish(struct uncore_program *program,
			  struct uncore_program_status *status, char **error)
{
	if (!program->drained)
		uncore_program_stop(program);
	wait_for_end(program);
	if (!program->ended)
		return text_error(UNCORE_ERR_DIED, error,
				  "Valgrind (process %d) is gone, and how the "
				  "program ended is not known",
				  (int)program->pid);
	program_reap(program);
	fill_status(program, status);
	if (program->has_failed)
		return text_error(UNCORE_ERR_DIED, error,
				  "what the program's side sent could not be "
				  "used: it has written to the memory that it "
				  "shares with uncore, or there is no more "
				  "memory; counts end there");
	return 0;
}

/* Whether a process is a front end of this program's: the program can write any
 * number there is to what it shares. */
static bool is_ours(const struct uncore_program *program, int process)
{
	char option[PROGRAM_OPTION_BYTES], words[MAX_OPTION_BYTES];
	size_t bytes = (size_t)program_option(program, option);
	ssize_t length;
	int fd = openat(process, "cmdline", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	length = read(fd, words, sizeof(words));
	close(fd);
	return length > 0 && memmem(words, (size_t)length, option, bytes);
}

/* By its folder in /proc, whose numbers may not be those that kill() takes. */
static void kill_process(const struct uncore_program *program, uint32_t pid)
{
	char path[32];
	int process;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	process = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (process < 0)
		return;
	if (is_ours(program, process))
		syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
	close(process);
}

/* The program is given up: it and the processes that it has made. */
static void kill_all(struct uncore_program *program)
{
	struct arena *arena = program->arena;
	unsigned num = atomic_load(&arena->num_threads);
	unsigned i;

	program_reap(program);
	for (i = 0; i < num && i < ARENA_MAX_THREADS; i++) {
		const struct arena_thread *thread = &arena->threads[i];
		uint32_t state = atomic_load(&thread->state);

		if (thread->pid > 1 && state != THREAD_NONE &&
		    state < THREAD_LEAVES)
			kill_process(program, thread->pid);
	}
	kill(program->pid, SIGKILL);
	wait_for_end(program);
}

void uncore_program_free(struct uncore_program *program)
{
	if (!program)
		return;
	if (program->pid > 0 && !program->ended)
		kill_all(program);
	if (program->arena)
		program_cut(program);
	if (program->arena)
		munmap(program->arena, arena_size(program->num_sockets *
						  program->frames_per_socket));
	if (program->folder)
		program_folder_remove(program->folder);
	free(program->folder);
	for (unsigned i = 0; i < PROGRAM_NUM_FILES; i++)
		if (program->files[i] >= 0)
			close(program->files[i]);
	for (unsigned i = 0; i < program->num_cores; i++) {
		free(program->cores[i].queue);
		free(program->cores[i].past);
	}
	free(program);
}
