/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Parts of a program, marked; each part loads from memory of its own that is in
 * no cache, one load a line:
 *
 *   marks A B C    A bytes, then B between marks, then C
 *   twice A B C    A bytes between marks, B outside, C between marks
 *   named A B C    A bytes in region `first`, B in none, C in region `second`
 *   nested A B C   A, B and C bytes in region `outer`, B also in `inner`
 *   again A B C    A bytes in region `part`, B in `other`, C again in `part`
 *   open A B C     A bytes in no region, B in `open`, which never ends
 *   deep A B C     A, B and C bytes in `deep`; for B it is entered again
 *   threads A B C  A bytes in region `work` while another thread is in it and
 *                  loads B; then C outside
 *   children A B C A bytes in no region; B in `child`, by a child; C in none
 *
 * It ends with 77 where uncore/mark.h has no named regions.
 */
#include "uncore/mark.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tool/traffic.h"

enum { PARTS = 3, NO_NAMES = 77 };

struct part {
	volatile uint8_t *memory;
	size_t size;
};

static struct part parts[PARTS];

static void prepare(char **argv)
{
	unsigned i;

	for (i = 0; i < PARTS; i++) {
		parts[i].size = number(argv[i]);
		parts[i].memory = cold(parts[i].size);
	}
}

static void load_part(unsigned i)
{
	load_lines(parts[i].memory, parts[i].size);
}

static int marks(int argc, char **argv)
{
	(void)argc;
	prepare(argv);
	load_part(0);
	uncore_mark_begin();
	load_part(1);
	uncore_mark_end();
	load_part(2);
	return 0;
}

static int twice(int argc, char **argv)
{
	(void)argc;
	prepare(argv);
	uncore_mark_begin();
	load_part(0);
	uncore_mark_end();
	load_part(1);
	uncore_mark_begin();
	load_part(2);
	uncore_mark_end();
	return 0;
}

#ifdef uncore_region_begin

static int named(int argc, char **argv)
{
	(void)argc;
	prepare(argv);
	uncore_region_begin("first");
	load_part(0);
	uncore_region_end("first");
	load_part(1);
	uncore_region_begin("second");
	load_part(2);
	uncore_region_end("second");
	return 0;
}

static int nested(int argc, char **argv)
{
	(void)argc;
	prepare(argv);
	uncore_region_begin("outer");
	load_part(0);
	uncore_region_begin("inner");
	load_part(1);
	uncore_region_end("inner");
	load_part(2);
	uncore_region_end("outer");
	return 0;
}

static int again(int argc, char **argv)
{
	(void)argc;
	prepare(argv);
	uncore_region_begin("part");
	load_part(0);
	uncore_region_end("part");
	uncore_region_begin("other");
	load_part(1);
	uncore_region_end("other");
	uncore_region_begin("part");
	load_part(2);
	uncore_region_end("part");
	return 0;
}

static int open_end(int argc, char **argv)
{
	(void)argc;
	prepare(argv);
	load_part(0);
	uncore_region_begin("open");
	load_part(1);
	return 0;
}

static int deep(int argc, char **argv)
{
	(void)argc;
	prepare(argv);
	uncore_region_end("deep");
	uncore_region_begin("deep");
	load_part(0);
	uncore_region_begin("deep");
	load_part(1);
	uncore_region_end("deep");
	load_part(2);
	uncore_region_end("deep");
	return 0;
}

/* Both threads are in the region when the loads begin. */
static pthread_barrier_t both;

static void *work(void *part)
{
	pthread_barrier_wait(&both);
	uncore_region_begin("work");
	pthread_barrier_wait(&both);
	load_part(*(unsigned *)part);
	pthread_barrier_wait(&both);
	uncore_region_end("work");
	return NULL;
}

static int threads(int argc, char **argv)
{
	unsigned parts_of[] = { 0, 1 };
	pthread_t thread;

	(void)argc;
	prepare(argv);
	pthread_barrier_init(&both, NULL, 2);
	if (pthread_create(&thread, NULL, work, &parts_of[1]))
		return REFUSED;
	work(&parts_of[0]);
	pthread_join(thread, NULL);
	load_part(2);
	return 0;
}

static int children(int argc, char **argv)
{
	pid_t child;
	int status;

	(void)argc;
	prepare(argv);
	load_part(0);
	child = fork();
	if (child < 0)
		return REFUSED;
	if (!child) {
		uncore_region_begin("child");
		load_part(1);
		uncore_region_end("child");
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		return WRONG;
	load_part(2);
	return 0;
}

#else

static int no_names(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return NO_NAMES;
}

#define named	 no_names
#define nested	 no_names
#define again	 no_names
#define open_end no_names
#define deep	 no_names
#define threads	 no_names
#define children no_names

#endif

int main(int argc, char **argv)
{
	static const struct deed deeds[] = {
		{ "marks", marks, PARTS },	 { "twice", twice, PARTS },
		{ "named", named, PARTS },	 { "nested", nested, PARTS },
		{ "again", again, PARTS },	 { "open", open_end, PARTS },
		{ "deep", deep, PARTS },	 { "threads", threads, PARTS },
		{ "children", children, PARTS }, { NULL, NULL, 0 },
	};

	return do_deed(deeds, argc, argv);
}
