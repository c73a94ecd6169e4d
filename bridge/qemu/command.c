/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Scripts are resolved here, because the kernel would start their interpreter
 * outside QEMU. Variables of the dynamic linker are meant for the program, not
 * for QEMU: they go to the program by QEMU's option -E, and QEMU does not get
 * them. The option splits its value at commas; a variable that holds one stays
 * in the environment of both.
 */
#include "bridge/qemu/command.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAX_SCRIPTS = 5, /* interpreters that are scripts, as in the kernel */
	HEAD_BYTES = 256,
};

/* A list of owned strings, NULL at its end. */
struct list {
	char **item;
	size_t num;
	bool failed;
};

static void add(struct list *list, const char *text)
{
	char **item = realloc(list->item, (list->num + 2) * sizeof(*item));

	if (!item) {
		list->failed = true;
		return;
	}
	list->item = item;
	item[list->num] = strdup(text);
	item[list->num + 1] = NULL;
	if (item[list->num])
		list->num++;
	else
		list->failed = true;
}

static void add_all(struct list *list, char *const *item)
{
	for (; item && *item; item++)
		add(list, *item);
}

static void free_items(char **item)
{
	char **at;

	for (at = item; at && *at; at++)
		free(*at);
	free(item);
}

/* Options of QEMU are split at commas; a doubled one stands for itself. */
static char *double_commas(const char *text)
{
	char *copy = malloc(2 * strlen(text) + 1);
	char *to = copy;

	if (!copy)
		return NULL;
	do {
		if (*text == ',')
			*to++ = ',';
		*to++ = *text;
	} while (*text++);
	return copy;
}

static void add_plugin(struct list *list, const struct command_host *host)
{
	char *plugin = double_commas(host->plugin);
	char *arena = double_commas(host->arena);
	char *option = NULL;

	if (plugin && arena)
		option = malloc(strlen(plugin) + strlen(arena) + 8);
	if (option) {
		strcpy(option, plugin);
		strcat(option, ",arena=");
		strcat(option, arena);
		add(list, "-plugin");
		add(list, option);
	} else {
		list->failed = true;
	}
	free(option);
	free(arena);
	free(plugin);
}

static bool for_linker(const char *variable)
{
	return strncmp(variable, "LD_", 3) == 0 && !strchr(variable, ',');
}

static enum command_kind examine(const char *path, char head[HEAD_BYTES])
{
	struct stat status;
	ssize_t length;
	int fd;

	if (stat(path, &status) < 0)
		return COMMAND_MISSING;
	if (!S_ISREG(status.st_mode) || access(path, X_OK) < 0)
		return COMMAND_DENIED;
	if (((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
	    ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) &&
	     status.st_gid != getegid()))
		return COMMAND_PRIVILEGED;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return COMMAND_MISSING;
	memset(head, 0, HEAD_BYTES);
	length = read(fd, head, HEAD_BYTES - 1);
	close(fd);
	if (length < 0)
		return COMMAND_MISSING;
	return COMMAND_OK;
}

static enum command_kind check_elf(const char *head)
{
	Elf64_Ehdr elf;

	memcpy(&elf, head, sizeof(elf));
	if (elf.e_ident[EI_CLASS] == ELFCLASS64 &&
	    elf.e_ident[EI_DATA] == ELFDATA2LSB && elf.e_machine == EM_X86_64)
		return COMMAND_OK;
	return COMMAND_FOREIGN;
}

/* Splits "#!interpreter argument" in place, as the kernel does: everything
 * after the interpreter is one argument. */
static bool split_script(char *head, char **interpreter, char **argument)
{
	char *end;

	head[strcspn(head, "\n")] = '\0';
	*interpreter = head + 2 + strspn(head + 2, " \t");
	end = *interpreter + strcspn(*interpreter, " \t");
	*argument = end + strspn(end, " \t");
	*end = '\0';
	end = *argument + strlen(*argument);
	while (end > *argument && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return **interpreter;
}

/* Replaces a script by its interpreter: *path, and argv in *list. */
static enum command_kind unscript(char **path, struct list *list, char *head)
{
	char *interpreter;
	char *argument;
	struct list longer = { NULL, 0, false };

	if (!split_script(head, &interpreter, &argument))
		return COMMAND_UNKNOWN;
	add(&longer, interpreter);
	if (*argument)
		add(&longer, argument);
	add(&longer, *path);
	if (list->num > 1)
		add_all(&longer, list->item + 1);
	free_items(list->item);
	*list = longer;
	free(*path);
	*path = strdup(interpreter);
	return *path && !list->failed ? COMMAND_OK : COMMAND_NO_MEMORY;
}

/* Follows scripts to the program that is to run. */
static enum command_kind resolve(char **path, struct list *list)
{
	char head[HEAD_BYTES];
	unsigned depth;

	for (depth = 0; depth <= MAX_SCRIPTS; depth++) {
		enum command_kind kind = examine(*path, head);

		if (kind != COMMAND_OK)
			return kind;
		if (memcmp(head, ELFMAG, SELFMAG) == 0)
			return check_elf(head);
		if (memcmp(head, "#!", 2) != 0)
			return COMMAND_UNKNOWN;
		kind = unscript(path, list, head);
		if (kind != COMMAND_OK)
			return kind;
	}
	return COMMAND_UNKNOWN;
}

/* The path must not look like an option. */
static void add_program(struct list *list, const char *path)
{
	char *longer;

	if (path[0] != '-') {
		add(list, path);
		return;
	}
	longer = malloc(strlen(path) + 3);
	if (longer) {
		strcpy(longer, "./");
		strcat(longer, path);
		add(list, longer);
	} else {
		list->failed = true;
	}
	free(longer);
}

/* QEMU's own arguments and environment, then the program's. The seed fixes the
 * random bytes that a program gets at its start. */
static void fill(const struct command_host *host, const char *path,
		 char *const *argv, char *const *envp, struct list *out_argv,
		 struct list *out_envp)
{
	add(out_argv, host->qemu);
	add_plugin(out_argv, host);
	add(out_argv, "-seed");
	add(out_argv, "1");
	for (; envp && *envp; envp++) {
		if (for_linker(*envp)) {
			add(out_argv, "-E");
			add(out_argv, *envp);
		} else {
			add(out_envp, *envp);
		}
	}
	add(out_argv, "-0");
	add(out_argv, argv && argv[0] ? argv[0] : path);
	add_program(out_argv, path);
	if (argv && argv[0])
		add_all(out_argv, argv + 1);
}

enum command_kind command_make(const struct command_host *host,
			       const char *path, char *const *argv,
			       char *const *envp, struct command *command)
{
	struct list plain = { NULL, 0, false };
	struct list out_argv = { calloc(1, sizeof(char *)), 0, false };
	struct list out_envp = { calloc(1, sizeof(char *)), 0, false };
	char *program = strdup(path);
	enum command_kind kind = COMMAND_NO_MEMORY;

	add_all(&plain, argv);
	if (program && !plain.failed)
		kind = resolve(&program, &plain);
	if (kind == COMMAND_OK) {
		fill(host, program, plain.item, envp, &out_argv, &out_envp);
		command->path = strdup(host->qemu);
		command->argv = out_argv.item;
		command->envp = out_envp.item;
		if (command->path && !out_argv.failed && !out_envp.failed)
			goto out;
		free(command->path);
		kind = COMMAND_NO_MEMORY;
	}
	free_items(out_argv.item);
	free_items(out_envp.item);
out:
	free_items(plain.item);
	free(program);
	return kind;
}

void command_free(struct command *command)
{
	free(command->path);
	free_items(command->argv);
	free_items(command->envp);
}
