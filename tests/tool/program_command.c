/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The command line that runs a program in QEMU, or the interpreter of a script.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridge/qemu/command.h"

static const struct command_host host = { "/q", "/p,1/plugin.so", "/proc/1/2" };

static char *no_strings[] = { NULL };

/* The words, separated by blanks. */
static void expect(char *const *strings, const char *wanted)
{
	char all[1024] = "";

	for (; *strings; strings++) {
		strcat(all, *strings);
		if (strings[1])
			strcat(all, " ");
	}
	assert_string_equal(all, wanted);
}

static void commas_in_paths_are_doubled(void **state)
{
	char *argv[] = { "name", "one", NULL };
	struct command command;

	(void)state;
	assert_int_equal(
		command_make(&host, "/bin/true", argv, no_strings, &command),
		COMMAND_OK);
	assert_string_equal(command.path, "/q");
	expect(command.argv, "/q -plugin /p,,1/plugin.so,arena=/proc/1/2 "
			     "-seed 1 -0 name /bin/true one");
	command_free(&command);
}

static void variables_of_the_linker_are_the_program_s(void **state)
{
	char *argv[] = { "t", NULL };
	char *envp[] = { "A=1", "LD_PRELOAD=x.so", "LD_DEBUG=a,b", NULL };
	struct command command;

	(void)state;
	assert_int_equal(command_make(&host, "/bin/true", argv, envp, &command),
			 COMMAND_OK);
	expect(command.argv, "/q -plugin /p,,1/plugin.so,arena=/proc/1/2 "
			     "-seed 1 -E LD_PRELOAD=x.so -0 t /bin/true");
	expect(command.envp, "A=1 LD_DEBUG=a,b");
	command_free(&command);
}

/* A script in a new file; removed by the caller. */
static void make_script(char *path, const char *text)
{
	int fd;

	strcpy(path, "/tmp/uncore-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	fchmod(fd, 0700);
	close(fd);
}

static void script_becomes_its_interpreter(void **state)
{
	char *argv[] = { "dropped", "one", "two", NULL };
	struct command command;
	char path[32];
	char wanted[256] = "/q -plugin /p,,1/plugin.so,arena=/proc/1/2 "
			   "-seed 1 -0 /bin/sh /bin/sh -e x ";

	(void)state;
	make_script(path, "#!  /bin/sh \t-e x \necho\n");
	strcat(wanted, path);
	strcat(wanted, " one two");
	assert_int_equal(command_make(&host, path, argv, no_strings, &command),
			 COMMAND_OK);
	expect(command.argv, wanted);
	command_free(&command);
	unlink(path);
}

static void script_that_runs_itself_is_refused(void **state)
{
	char *argv[] = { "s", NULL };
	struct command command;
	char path[32];
	char text[64] = "#!";
	FILE *file;

	(void)state;
	make_script(path, "");
	strcat(text, path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(command_make(&host, path, argv, no_strings, &command),
			 COMMAND_UNKNOWN);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_in_paths_are_doubled),
		cmocka_unit_test(variables_of_the_linker_are_the_program_s),
		cmocka_unit_test(script_becomes_its_interpreter),
		cmocka_unit_test(script_that_runs_itself_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
