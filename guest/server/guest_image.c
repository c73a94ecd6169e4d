/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The image of a small guest: guest-image, which belongs to this program, makes
 * it where it is missing or old, and prints where it is.
 */
#include "uncore/guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/find.h"
#include "base/text.h"
#include "uncore/error.h"

#define MAKER "guest-image"

enum { EXIT_NOT_RUN = 127 };

/* A line without its end, or NULL. */
static char *take_line(FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length = getline(&line, &size, file);

	if (length <= 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* Runs the maker; what it has to say goes to the standard error. */
static int make(char *const *words, char **kernel, char **initrd)
{
	int out[2], status = 0;
	FILE *file;
	pid_t pid;

	if (pipe(out) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		execv(words[0], words);
		_exit(EXIT_NOT_RUN);
	}
	close(out[1]);
	file = pid > 0 ? fdopen(out[0], "r") : NULL;
	if (!file) {
		close(out[0]);
		return -1;
	}
	*kernel = take_line(file);
	*initrd = take_line(file);
	fclose(file);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status || !*kernel || !*initrd ? -1 : 0;
}

/* With the maker's own name in the place of the first word. */
static int find_and_make(const char **words, char **kernel, char **initrd,
			 char **error)
{
	char *tried = NULL;
	char *maker = find_helper(MAKER, &tried);
	int code = 0;

	*kernel = *initrd = NULL;
	words[0] = maker;
	if (!maker)
		code = text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s was not found at %s; it is part of the "
				  "build",
				  MAKER, tried ? tried : MAKER);
	else if (make((char *const *)words, kernel, initrd))
		code = text_error(UNCORE_ERR_IO, error,
				  "%s could not make the guest's image; what "
				  "it said stands above",
				  maker);
	if (code) {
		free(*kernel);
		free(*initrd);
		*kernel = *initrd = NULL;
	}
	free(maker);
	free(tried);
	return code;
}

int uncore_guest_image(char **kernel, char **initrd, char **error)
{
	const char *words[2] = { NULL };

	return find_and_make(words, kernel, initrd, error);
}

static size_t length_of(const char *const *list)
{
	size_t num = 0;

	while (list && list[num])
		num++;
	return num;
}

int uncore_guest_image_run(const char *path, const char *const *words,
			   const char *const *with, char **kernel, char **error)
{
	size_t num = 0, num_with = length_of(with);
	size_t room = 5 + 2 * num_with + length_of(words);
	const char **all = calloc(room, sizeof(*all));
	char *initrd;
	int code;

	if (!all)
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	all[++num] = "--run";
	all[++num] = path;
	for (size_t i = 0; i < num_with; i++) {
		all[++num] = "--with";
		all[++num] = with[i];
	}
	all[++num] = "--";
	for (; *words; words++)
		all[++num] = *words;
	code = find_and_make(all, kernel, &initrd, error);
	if (!code)
		free(initrd);
	free(all);
	return code;
}
