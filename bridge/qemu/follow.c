/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The arguments of execve() and execveat() are read from the program's memory
 * through the kernel, so that a bad pointer of the program is an error and not
 * a crash. QEMU keeps the program's memory at an offset, its variable
 * guest_base.
 */
#include "bridge/qemu/follow.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bridge/qemu/arena.h"
#include "bridge/qemu/command.h"
#include "bridge/guest/qemu_plugin.h"

enum {
	MAX_STRINGS = 1 << 16,
	MAX_STRING_BYTES = 1 << 17, /* the kernel's own limit */
	CHUNK_BYTES = 256,
};

static const uint64_t *guest_base;

bool follow_init(void)
{
	guest_base = dlsym(RTLD_DEFAULT, "guest_base");
	return guest_base;
}

const void *follow_memory(uint64_t address)
{
	if (!guest_base)
		return NULL;
	return (const void *)(uintptr_t)(address + *guest_base);
}

/* Up to size_bytes, less where the memory ends. */
static size_t read_some(uint64_t address, void *to, size_t size_bytes)
{
	struct iovec local = { to, size_bytes };
	struct iovec remote = { (void *)(uintptr_t)(address + *guest_base),
				size_bytes };
	ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	return got < 0 ? 0 : (size_t)got;
}

static bool read_all(uint64_t address, void *to, size_t size_bytes)
{
	return read_some(address, to, size_bytes) == size_bytes;
}

/* A copy of a string, to be freed. Chunks end where pages may end. */
static char *read_string(uint64_t address)
{
	char *text = NULL;
	size_t length = 0;

	while (length < MAX_STRING_BYTES) {
		size_t want = CHUNK_BYTES - (address + length) % CHUNK_BYTES;
		char *longer = realloc(text, length + want + 1);
		size_t got;

		if (!longer)
			break;
		text = longer;
		got = read_some(address + length, text + length, want);
		text[length + got] = '\0';
		if (strlen(text + length) < got)
			return text;
		if (got < want)
			break;
		length += got;
	}
	free(text);
	return NULL;
}

static void free_strings(char **strings)
{
	char **at;

	for (at = strings; at && *at; at++)
		free(*at);
	free(strings);
}

/* A copy of an array of strings, NULL at its end; NULL may stand for an empty
 * one. */
static char **read_strings(uint64_t address)
{
	char **strings = NULL;
	size_t num;

	for (num = 0; num < MAX_STRINGS; num++) {
		char **longer = realloc(strings, (num + 1) * sizeof(*strings));
		uint64_t pointer = 0;

		if (!longer)
			break;
		strings = longer;
		strings[num] = NULL;
		if (address && !read_all(address + num * sizeof(pointer),
					 &pointer, sizeof(pointer)))
			break;
		if (!pointer)
			return strings;
		strings[num] = read_string(pointer);
		if (!strings[num])
			break;
	}
	if (strings && num == MAX_STRINGS)
		strings[num - 1] = NULL;
	free_strings(strings);
	return NULL;
}

static char *read_link(const char *path)
{
	char *target = malloc(PATH_MAX);
	ssize_t length = target ? readlink(path, target, PATH_MAX - 1) : -1;

	if (length < 0) {
		free(target);
		return NULL;
	}
	target[length] = '\0';
	return target;
}

/* What a path means that is relative to an open folder, or that is the open
 * file itself. Takes `path` over. */
static char *resolve_at(int folder, char *path)
{
	char link[64];
	char *base;
	char *whole = NULL;

	if (path[0] == '/' || (folder == AT_FDCWD && path[0]))
		return path;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", folder);
	base = read_link(link);
	if (base && path[0]) {
		whole = malloc(strlen(base) + strlen(path) + 2);
		if (whole)
			sprintf(whole, "%s/%s", base, path);
		free(base);
	} else {
		whole = base;
	}
	free(path);
	return whole;
}

/* /proc/self/exe is QEMU here, and open files may be closed by the execution:
 * such a path is replaced by what it leads to. Takes `path` over. */
static char *resolve_proc(char *path)
{
	char *target = NULL;

	if (strcmp(path, "/proc/self/exe") == 0)
		target = qemu_plugin_path_to_binary();
	else if (strncmp(path, "/proc/self/fd/", 14) == 0 ||
		 strncmp(path, "/dev/fd/", 8) == 0)
		target = read_link(path);
	if (!target)
		return path;
	free(path);
	return target;
}

bool follow_is_exec(int64_t number)
{
	return number == SYS_execve || number == SYS_execveat;
}

/* A program that has changed its user or its root folder may not be able to
 * open what QEMU needs; it can still run, uncounted. */
static bool is_reachable(const struct arena *arena)
{
	int fd = open(arena->path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return faccessat(AT_FDCWD, arena->qemu, X_OK, AT_EACCESS) == 0 &&
	       faccessat(AT_FDCWD, arena->plugin, R_OK, AT_EACCESS) == 0;
}

static void execute(struct arena *arena, const char *path, char *const *argv,
		    char *const *envp)
{
	const struct command_host host = { arena->qemu, arena->plugin,
					   arena->path };
	struct command command;
	enum command_kind kind =
		command_make(&host, path, argv, envp, &command);

	if (kind == COMMAND_OK) {
		if (is_reachable(arena))
			execve(command.path, command.argv, command.envp);
		command_free(&command);
	}
	/* Missing, denied, unknown: QEMU's attempt will fail too. */
	if (kind == COMMAND_OK || kind == COMMAND_FOREIGN ||
	    kind == COMMAND_PRIVILEGED)
		atomic_fetch_add(&arena->not_followed, 1);
}

void follow_exec(struct arena *arena, int64_t number, uint64_t a1, uint64_t a2,
		 uint64_t a3, uint64_t a4, uint64_t a5)
{
	bool at = number == SYS_execveat;
	int folder = at ? (int)a1 : AT_FDCWD;
	char *path = NULL;
	char **argv = NULL;
	char **envp = NULL;

	if (!guest_base) {
		atomic_fetch_add(&arena->not_followed, 1);
		return;
	}
	path = read_string(at ? a2 : a1);
	if (path && !path[0] && !(at && (a5 & AT_EMPTY_PATH))) {
		free(path);
		path = NULL;
	}
	if (path)
		path = resolve_at(folder, path);
	if (path)
		path = resolve_proc(path);
	argv = read_strings(at ? a3 : a2);
	envp = read_strings(at ? a4 : a3);
	if (path && argv && envp)
		execute(arena, path, argv, envp);
	free(path);
	free_strings(argv);
	free_strings(envp);
}
