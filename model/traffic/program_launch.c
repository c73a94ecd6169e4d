/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Starts QEMU with the program: checks what was asked for, makes the shared
 * memory, and waits until the plugin has answered.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/spawn.h"
#include "base/text.h"
#include "bridge/qemu/command.h"
#include "model/traffic/program.h"
#include "model/traffic/program_find.h"
#include "uncore/error.h"

enum {
	START_NAP_NS = 1000 * 1000,
	START_NAPS = 20000,
};

void uncore_program_config_init(struct uncore_program_config *config,
				const struct uncore_model *model)
{
	unsigned i;

	memset(config, 0, sizeof(*config));
	config->num_sockets = uncore_model_sockets(model);
	config->cores_per_socket = uncore_model_cores(model);
	for (i = 0; i < config->num_sockets; i++) {
		config->first_line[i] =
			uncore_model_memory_first_line(model, i);
		config->num_lines[i] = uncore_model_memory_lines(model, i);
	}
}

static int check_config(const struct uncore_program_config *config,
			char **error)
{
	unsigned i;

	if (!config->num_sockets || config->num_sockets > ARENA_MAX_SOCKETS ||
	    !config->cores_per_socket ||
	    config->num_sockets * config->cores_per_socket > ARENA_MAX_CORES)
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "%u sockets of %u cores do not fit: up to %d "
				  "sockets and %d cores are possible",
				  config->num_sockets, config->cores_per_socket,
				  ARENA_MAX_SOCKETS, ARENA_MAX_CORES);
	for (i = 0; i < config->num_sockets; i++)
		if (config->first_line[i] % ARENA_LINES_PER_PAGE ||
		    config->num_lines[i] < ARENA_LINES_PER_PAGE ||
		    config->first_line[i] + config->num_lines[i] >
			    PRIVCACHE_MAX_LINES)
			return text_error(UNCORE_ERR_BAD_PARAMETER, error,
					  "the memory of socket %u does not "
					  "fit: it must begin at a page and "
					  "end below 4 TB",
					  i);
	return 0;
}

/* The file has no name; others reach it through this process's descriptor. */
static int make_arena(struct uncore_program *program,
		      const struct uncore_program_config *config, char **error)
{
	struct arena *arena;
	unsigned i;

	program->num_cores = config->num_sockets * config->cores_per_socket;
	program->size_bytes =
		sizeof(*arena) + program->num_cores * sizeof(arena->cores[0]);
	program->fd = memfd_create("uncore", MFD_CLOEXEC);
	if (program->fd < 0 ||
	    ftruncate(program->fd, (off_t)program->size_bytes) < 0)
		return text_error(UNCORE_ERR_NO_MEMORY, error,
				  "cannot make %zu bytes of shared memory: %s",
				  program->size_bytes, strerror(errno));
	arena = mmap(NULL, program->size_bytes, PROT_READ | PROT_WRITE,
		     MAP_SHARED, program->fd, 0);
	if (arena == MAP_FAILED)
		return text_error(UNCORE_ERR_NO_MEMORY, error,
				  "cannot map %zu bytes of shared memory: %s",
				  program->size_bytes, strerror(errno));
	program->arena = arena;
	arena->magic = ARENA_MAGIC;
	arena->size_bytes = program->size_bytes;
	arena->owner = (uint32_t)getpid();
	arena->num_sockets = config->num_sockets;
	arena->cores_per_socket = config->cores_per_socket;
	arena->scatter = config->placement == UNCORE_PROGRAM_SCATTER;
	for (i = 0; i < config->num_sockets; i++) {
		arena->first_frame[i] =
			config->first_line[i] / ARENA_LINES_PER_PAGE;
		arena->num_frames[i] =
			config->num_lines[i] / ARENA_LINES_PER_PAGE;
	}
	return 0;
}

static int note_path(char *to, const char *path, char **error)
{
	if (strlen(path) >= ARENA_PATH_BYTES)
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "the path %s is too long (more than %d "
				  "bytes); move the file",
				  path, ARENA_PATH_BYTES - 1);
	strcpy(to, path);
	return 0;
}

/* Tells the plugin how to run further programs. */
static int note_host(struct uncore_program *program,
		     const struct uncore_program_config *config, char **error)
{
	struct arena *arena = program->arena;
	char *path = NULL;
	int result = program_find_qemu(config, &path, error);

	if (!result)
		result = note_path(arena->qemu, path, error);
	free(path);
	if (result)
		return result;
	path = NULL;
	result = program_find_plugin(config, &path, error);
	if (!result)
		result = note_path(arena->plugin, path, error);
	free(path);
	snprintf(arena->path, sizeof(arena->path), "/proc/%d/fd/%d",
		 (int)getpid(), program->fd);
	return result;
}

static int refuse(enum command_kind kind, const char *path, char **error)
{
	int code = errno;

	switch (kind) {
	case COMMAND_MISSING:
		if (code == ENOENT && access(path, F_OK) == 0)
			return text_error(UNCORE_ERR_BAD_PROGRAM, error,
					  "the interpreter that %s names in "
					  "its first line does not exist; "
					  "correct the line, or install it",
					  path);
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s cannot be read: %s", path,
				  strerror(code));
	case COMMAND_DENIED:
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s is not an executable file; check the "
				  "path, or make it executable (chmod +x)",
				  path);
	case COMMAND_FOREIGN:
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s is not a 64-bit x86 program; build it "
				  "for x86-64",
				  path);
	case COMMAND_UNKNOWN:
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s is neither a program nor a script that "
				  "begins with #! and an interpreter; put its "
				  "interpreter in front of it",
				  path);
	case COMMAND_PRIVILEGED:
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s runs with other rights (setuid), which "
				  "it would not get under QEMU; run uncore "
				  "itself with them",
				  path);
	default:
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	}
}

/* Waits until the plugin has answered. */
static int await_plugin(struct uncore_program *program, char **error)
{
	const struct timespec nap = { 0, START_NAP_NS };
	const struct arena *arena = program->arena;
	unsigned naps;

	for (naps = 0; naps < START_NAPS; naps++) {
		if (atomic_load(&arena->ready))
			return 0;
		if (program_poll(program))
			break;
		nanosleep(&nap, NULL);
	}
	if (atomic_load(&arena->ready))
		return 0;
	return text_error(UNCORE_ERR_NO_QEMU, error,
			  "%s could not load the plugin %s; a QEMU with "
			  "plugins is needed, version 4.2 or later (Debian's "
			  "package qemu-user has them)",
			  arena->qemu, arena->plugin);
}

/* The config's list of strings is not written to; execve() wants it so. */
static char *const *strings(const char *const *list)
{
	return (char *const *)list;
}

int program_launch(struct uncore_program *program,
		   const struct uncore_program_config *config, char **error)
{
	struct command_host host;
	struct command command;
	enum command_kind kind;
	char *path = NULL;
	int result = check_config(config, error);

	if (!result)
		result = program_find_target(config, &path, error);
	if (!result)
		result = make_arena(program, config, error);
	if (!result)
		result = note_host(program, config, error);
	if (result) {
		free(path);
		return result;
	}
	host.qemu = program->arena->qemu;
	host.plugin = program->arena->plugin;
	host.arena = program->arena->path;
	kind = command_make(&host, path, strings(config->argv),
			    config->envp ? strings(config->envp) : environ,
			    &command);
	if (kind != COMMAND_OK)
		result = refuse(kind, path, error);
	free(path);
	if (result)
		return result;
	result = spawn(
		&(struct spawn){
			.path = command.path,
			.argv = command.argv,
			.envp = command.envp,
			.death_signal = SIGKILL,
			.fixed_addresses = true,
		},
		&program->pid, error);
	command_free(&command);
	return result ? result : await_plugin(program, error);
}
