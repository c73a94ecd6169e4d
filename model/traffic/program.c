/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A program under QEMU from its start to its end:
 *
 *   running --(it ends: program_poll)--> ended --(rings empty)--> drained
 *      \----(uncore_program_stop)-----> stopped ----^
 *
 * Ended or stopped, the plugins run uncounted (program_cut), so that whatever
 * the program has left behind neither waits for the model nor disturbs it.
 */
#include "model/traffic/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "uncore/error.h"

enum { EXIT_SIGNALLED = 128 };

int uncore_program_start(const struct uncore_program_config *config,
			 struct uncore_program **program, char **error)
{
	struct uncore_program *made = calloc(1, sizeof(*made));
	int result;

	*program = NULL;
	if (!made)
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	made->fd = -1;
	result = program_launch(made, config, error);
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
	};
}

void program_cut(struct uncore_program *program)
{
	struct arena *arena = program->arena;
	unsigned i;

	atomic_store(&arena->stop, 1);
	for (i = 0; i < program->num_cores; i++) {
		atomic_fetch_or(&arena->cores[i].attention, CORE_STOP);
		arena_wake(&arena->cores[i].room);
	}
}

bool program_poll(struct uncore_program *program)
{
	if (program->ended || program->pid <= 0)
		return program->ended;
	if (waitpid(program->pid, &program->wait_status, WNOHANG) !=
	    program->pid)
		return false;
	program->ended = true;
	program_reap(program);
	program_cut(program);
	return true;
}

/* A process that is gone, or only waits to be waited for. */
static bool is_dead(uint32_t pid, uint32_t tid)
{
	char path[64];
	char text[512];
	const char *state;
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
	return state && (state[2] == 'Z' || state[2] == 'X');
}

void program_reap(struct uncore_program *program)
{
	struct arena *arena = program->arena;
	unsigned num = atomic_load(&arena->threads_made);
	unsigned i;

	for (i = 0; i < num && i < ARENA_MAX_THREADS; i++) {
		struct arena_thread *thread = &arena->threads[i];
		uint32_t pid = atomic_load(&thread->pid);

		if (pid && is_dead(pid, atomic_load(&thread->tid)))
			arena_release_thread(arena, thread);
	}
}

void uncore_program_progress(const struct uncore_program *program,
			     struct uncore_program_progress *progress)
{
	const struct arena *arena = program->arena;
	unsigned i;

	memset(progress, 0, sizeof(*progress));
	for (i = 0; i < program->num_cores; i++) {
		progress->accesses += program->cores[i].tail;
		progress->instructions +=
			atomic_load(&arena->cores[i].instructions);
	}
	progress->pages = atomic_load(&arena->num_pages);
	progress->threads = atomic_load(&arena->num_users);
	progress->running = !program->ended;
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
	arena_wake(&program->arena->doorbell);
}

static void wait_for_end(struct uncore_program *program)
{
	while (!program->ended) {
		if (waitpid(program->pid, &program->wait_status, 0) ==
		    program->pid)
			program->ended = true;
		else if (errno != EINTR)
			break;
	}
}

static void fill_status(const struct uncore_program *program,
			struct uncore_program_status *status)
{
	const struct arena *arena = program->arena;
	unsigned i;

	memset(status, 0, sizeof(*status));
	if (WIFSIGNALED(program->wait_status)) {
		status->signal = WTERMSIG(program->wait_status);
		status->exit_code = EXIT_SIGNALLED + status->signal;
	} else {
		status->exit_code = WEXITSTATUS(program->wait_status);
	}
	status->left_running = atomic_load(&arena->num_users);
	status->not_followed = atomic_load(&arena->not_followed);
	status->lost = atomic_load(&arena->lost);
	status->memory_full =
		atomic_load(&arena->num_pages) >= ARENA_PAGES / 4 * 3;
	for (i = 0; i < arena->num_sockets; i++)
		if (atomic_load(&arena->frames_used[i]) > arena->num_frames[i])
			status->memory_full = true;
}

int uncore_program_finish(struct uncore_program *program,
			  struct uncore_program_status *status, char **error)
{
	if (!program->drained)
		uncore_program_stop(program);
	wait_for_end(program);
	if (!program->ended)
		return text_error(UNCORE_ERR_DIED, error,
				  "QEMU (process %d) is gone, and how the "
				  "program ended is not known",
				  (int)program->pid);
	program_reap(program);
	fill_status(program, status);
	return 0;
}

/* The program is given up: it and the processes that it has made. */
static void kill_all(struct uncore_program *program)
{
	struct arena *arena = program->arena;
	unsigned num = atomic_load(&arena->threads_made);
	unsigned i;

	program_reap(program);
	for (i = 0; i < num && i < ARENA_MAX_THREADS; i++) {
		uint32_t pid = atomic_load(&arena->threads[i].pid);

		if (pid)
			kill((pid_t)pid, SIGKILL);
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
		munmap(program->arena, program->size_bytes);
	if (program->fd >= 0)
		close(program->fd);
	free(program);
}
