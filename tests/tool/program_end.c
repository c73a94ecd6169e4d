/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Programs that cannot be run, and programs that end in other ways than by
 * themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bridge/valgrind/arena.h"
#include "tests/tool/program_rig.h"
#include "uncore/error.h"

static const struct rig_options plain;

static void guest(const struct rig_options *options, const char *what,
		  const char *argument, struct rig_result *result)
{
	if (!rig_has_valgrind())
		skip();
	rig_run(options, what, argument, result);
	assert_int_equal(result->error, 0);
	rig_free(result);
}

/* Refused, with a sentence that holds these words. */
static void refused(const struct rig_options *options, const char *program,
		    int error, const char *words)
{
	struct rig_result result;

	if (!rig_has_valgrind())
		skip();
	rig_run(options, program, NULL, &result);
	assert_int_equal(result.error, error);
	assert_non_null(result.sentence);
	if (!strstr(result.sentence, words))
		fail_msg("'%s' does not say '%s'", result.sentence, words);
	rig_free(&result);
}

/* A file made for the test, with these bytes; removed by the caller. */
static void make_file(char *path, mode_t mode, const void *bytes, size_t length)
{
	int fd;

	strcpy(path, "/tmp/uncore-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void refused_file(mode_t mode, const void *bytes, size_t length,
			 const char *words)
{
	char path[32];

	make_file(path, mode, bytes, length);
	refused(&plain, path, UNCORE_ERR_BAD_PROGRAM, words);
	unlink(path);
}

static void exit_code_is_the_program_s(void **state)
{
	struct rig_result result;

	(void)state;
	guest(&plain, "exit", "42", &result);
	assert_int_equal(result.status.exit_code, 42);
	assert_int_equal(result.status.signal, 0);
}

static void signal_is_told(void **state)
{
	struct rig_result result;

	(void)state;
	guest(&plain, "signal", "15", &result);
	assert_int_equal(result.status.signal, SIGTERM);
	assert_int_equal(result.status.exit_code, 128 + SIGTERM);
}

static void killed_program_ends_the_traffic(void **state)
{
	const struct rig_options killing = { .kill_after = 50000 };
	struct rig_result result;

	(void)state;
	guest(&killing, "forever", "0", &result);
	assert_int_equal(result.status.signal, SIGKILL);
	assert_true(result.kind[UNCORE_ACCESS_READ] > 0);
}

static void what_is_left_behind_is_not_waited_for(void **state)
{
	struct rig_result result;
	time_t start = time(NULL);

	(void)state;
	guest(&plain, "leave", "4", &result);
	assert_int_equal(result.status.exit_code, 3);
	assert_true(time(NULL) - start < 4);
}

static void shell_command_is_followed(void **state)
{
	static const char script[] = "#! /bin/sh -e\n"
				     "cat \"$0\" | wc -l >/dev/null\n"
				     "env -i /bin/true\n"
				     "exit 5\n";
	struct rig_result result;
	char path[32];

	(void)state;
	if (!rig_has_valgrind())
		skip();
	make_file(path, 0700, script, sizeof(script) - 1);
	rig_run(&plain, path, NULL, &result);
	unlink(path);
	assert_int_equal(result.error, 0);
	assert_int_equal(result.status.exit_code, 5);
	assert_int_equal(result.status.not_followed, 0);
	/* The shell, and the commands one after the other or side by side. */
	assert_true(result.core[0] > 0 && result.core[1] > 0);
	rig_free(&result);
}

static void missing_program_is_named(void **state)
{
	(void)state;
	refused(&plain, "/nowhere/at/all", UNCORE_ERR_BAD_PROGRAM,
		"/nowhere/at/all");
	refused(&plain, "uncore-no-such-program", UNCORE_ERR_BAD_PROGRAM,
		"PATH");
}

static void file_that_cannot_run_is_refused(void **state)
{
	/* The head of a 32-bit i386 program. */
	static const char foreign[64] = { 0x7f, 'E', 'L', 'F', 1, 1, 1 };
	static const char bad_script[] = "#!/nowhere/sh\n";
	/* A 64-bit one whose program headers are behind its end. */
	static const char cut_off[64] = {
		0x7f, 'E', 'L', 'F', 2, 1, 1, [18] = 62, [32] = 64, [56] = 4
	};

	(void)state;
	refused(&plain, "/tmp", UNCORE_ERR_BAD_PROGRAM, "executable file");
	refused_file(0600, "#!/bin/sh\n", 10, "chmod");
	refused_file(0700, "echo\n", 5, "neither");
	refused_file(0700, foreign, sizeof(foreign), "64-bit");
	refused_file(0700, cut_off, sizeof(cut_off), "cut off");
	refused_file(0700, bad_script, sizeof(bad_script) - 1, "interpreter");
}

static void missing_valgrind_says_what_to_install(void **state)
{
	const struct rig_options none = { .valgrind = "/nowhere/valgrind" };
	const struct rig_options other = { .valgrind = "/bin/false" };
	const struct rig_options no_tool = { .tool = "/nowhere/tool" };

	(void)state;
	refused(&none, "/bin/true", UNCORE_ERR_NO_HELPER, "install");
	refused(&other, "/bin/true", UNCORE_ERR_NO_HELPER, "tool");
	refused(&no_tool, "/bin/true", UNCORE_ERR_NO_HELPER, "/nowhere/tool");
}

/* What the program shares with us. */
static struct arena *map_shared(void)
{
	char path[64], target[64] = "";
	void *memory = MAP_FAILED;
	int fd;

	for (fd = 3; fd < 1024 && !strstr(target, "memfd:uncore"); fd++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof(target) - 1);
		target[length > 0 ? length : 0] = '\0';
	}
	if (*target)
		memory = mmap(NULL, sizeof(struct arena),
			      PROT_READ | PROT_WRITE, MAP_SHARED, fd - 1, 0);
	assert_true(memory != MAP_FAILED);
	return memory;
}

static pid_t start_bystander(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	assert_true(pid > 0);
	return pid;
}

/* A program can write what it likes to the memory that it shares. When it is
 * given up, numbers of processes there are no reason to kill them. */
static void strangers_are_not_killed(void **state)
{
	const char *const argv[] = { "sleep", "1000", NULL };
	const struct uncore_program_config config = {
		.struct_size = sizeof(config),
		.argv = argv,
		.num_sockets = 1,
		.cores_per_socket = 1,
		.num_lines = { 1 << 20 },
	};
	struct uncore_program *program;
	struct arena *arena;
	pid_t bystander;

	(void)state;
	if (!rig_has_valgrind())
		skip();
	bystander = start_bystander();
	assert_int_equal(uncore_program_start(&config, &program, NULL), 0);
	arena = map_shared();
	for (unsigned i = 1; i < 4; i++) {
		arena->threads[i].pid = (uint32_t)bystander;
		arena->threads[i].state = THREAD_WAITS;
	}
	arena->num_threads = 4;
	munmap(arena, sizeof(*arena));
	uncore_program_free(program);
	assert_int_equal(waitpid(bystander, NULL, WNOHANG), 0);
	kill(bystander, SIGKILL);
	waitpid(bystander, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_code_is_the_program_s),
		cmocka_unit_test(signal_is_told),
		cmocka_unit_test(killed_program_ends_the_traffic),
		cmocka_unit_test(what_is_left_behind_is_not_waited_for),
		cmocka_unit_test(strangers_are_not_killed),
		cmocka_unit_test(shell_command_is_followed),
		cmocka_unit_test(missing_program_is_named),
		cmocka_unit_test(file_that_cannot_run_is_refused),
		cmocka_unit_test(missing_valgrind_says_what_to_install),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
