/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names for addresses of this process itself: its functions and their lines,
 * its variables, heaps, stacks, files.
 */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "uncore/recording.h"

static int numbers[16] = { 1, 2, 3 };
static char zeros[1 << 20];

/* The sanitizers have a malloc() of their own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const bool has_own_malloc = true;
#else
static const bool has_own_malloc = false;
#endif

static struct uncore_symbols *symbols;

static int begin(void **state)
{
	(void)state;
	symbols = uncore_symbols_new();
	return symbols ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	uncore_symbols_free(symbols);
	return 0;
}

static uint64_t find(const volatile void *address, struct uncore_datum *datum)
{
	uint64_t offset = 99;

	assert_true(uncore_symbols_find_datum(
		symbols, getpid(), 0, (uintptr_t)address, datum, &offset));
	return offset;
}

static void functions_have_names_and_lines(void **state)
{
	uintptr_t here = (uintptr_t)functions_have_names_and_lines;
	struct uncore_position position, again;

	(void)state;
	uncore_symbols_find(symbols, getpid(), 0, here, &position);
	assert_string_equal(position.symbol, "functions_have_names_and_lines");
	assert_int_equal(position.offset, 0);
	assert_non_null(strstr(position.object, "symbols"));
	assert_non_null(position.source);
	assert_ptr_equal(strstr(position.source, "symbols.c:"),
			 position.source);
	uncore_symbols_find(symbols, getpid(), 0, here, &again);
	assert_string_equal(again.source, position.source);
	/* a call at the very end of a function returns to the next one */
	uncore_symbols_find_caller(symbols, getpid(), 0, here, &position);
	assert_string_not_equal(position.symbol,
				"functions_have_names_and_lines");
	assert_true(position.address == here);
}

static void many_addresses_are_remembered(void **state)
{
	uintptr_t here = (uintptr_t)many_addresses_are_remembered;
	struct uncore_position position;

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 1000; i++) {
			uncore_symbols_find(symbols, getpid(), 0,
					    here - 500 + i, &position);
			assert_true(position.address == here - 500 + i);
			assert_true(i < 500 || !position.symbol ||
				    position.offset <= i);
		}
	uncore_symbols_find(symbols, getpid(), 0, 1, &position);
	assert_null(position.object);
	assert_true(position.address == 1);
}

static void variables_have_names(void **state)
{
	struct uncore_datum datum;

	(void)state;
	assert_int_equal(find(&numbers[3], &datum), 12);
	assert_int_equal(datum.kind, UNCORE_DATUM_SYMBOL);
	assert_string_equal(datum.symbol, "numbers");
	assert_non_null(strstr(datum.object, "symbols"));
	assert_int_equal(find(&zeros[900000], &datum), 900000);
	assert_int_equal(datum.kind, UNCORE_DATUM_SYMBOL);
	assert_string_equal(datum.symbol, "zeros");
}

/* What lies on the stack of another thread, and in its heap. */
static void *look_at_own_memory(void *argument)
{
	struct uncore_datum *data = argument;
	void *mine = malloc(100);
	int local = 0;

	find(&local, &data[0]);
	find(mine, &data[1]);
	free(mine);
	return NULL;
}

static void stacks_and_heaps_are_told(void **state)
{
	enum { BIG = 1 << 24, OLD_US = 50000 };
	struct uncore_datum datum, data[2];
	void *small, *big;
	pthread_t thread;
	int local = 0;

	(void)state;
	if (has_own_malloc)
		skip();
	small = malloc(100);
	big = malloc(BIG);
	find(&local, &datum);
	assert_int_equal(datum.kind, UNCORE_DATUM_STACK);
	assert_null(datum.object);
	find(small, &datum);
	assert_int_equal(datum.kind, UNCORE_DATUM_HEAP);
	find((char *)big + BIG / 2, &datum);
	assert_int_equal(datum.kind, UNCORE_DATUM_ANONYMOUS);
	free(big);
	free(small);
	usleep(OLD_US); /* the thread's stack may be where `big` was */
	assert_int_equal(
		pthread_create(&thread, NULL, look_at_own_memory, data), 0);
	pthread_join(thread, NULL);
	assert_int_equal(data[0].kind, UNCORE_DATUM_STACK);
	assert_int_equal(data[1].kind, UNCORE_DATUM_HEAP);
}

/* The access that makes the first thread's stack grow is below it. */
static void first_stack_grows(void **state)
{
	enum { FAR = 64 << 20 };
	uint64_t start = 0, end = 0;
	struct uncore_datum datum;
	char line[256];
	FILE *maps = fopen("/proc/self/maps", "r");

	(void)state;
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]"))
			sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end);
	fclose(maps);
	assert_true(start < end);
	for (uint64_t below = 0; below < 8192; below += 4096) {
		const void *at = (const void *)(uintptr_t)(start - below);

		assert_int_equal(find(at, &datum), end - start + below);
		assert_int_equal(datum.kind, UNCORE_DATUM_STACK);
	}
	if (uncore_symbols_find_datum(symbols, getpid(), 0, start - FAR, &datum,
				      &start))
		assert_int_not_equal(datum.kind, UNCORE_DATUM_STACK);
}

static void files_are_called_by_their_names(void **state)
{
	char path[] = "/tmp/symbols-XXXXXX";
	int file = mkstemp(path);
	struct uncore_datum datum;
	char *bytes;

	(void)state;
	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, 8192), 0);
	bytes = mmap(NULL, 8192, PROT_READ, MAP_SHARED, file, 0);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	find(bytes + 5000, &datum);
	assert_int_equal(datum.kind, UNCORE_DATUM_FILE);
	assert_string_equal(datum.object, path);
	munmap(bytes, 8192);
	close(file);
	unlink(path);
}

static void nothing_is_nowhere(void **state)
{
	struct uncore_datum datum;
	uint64_t offset;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		assert_false(uncore_symbols_find_datum(symbols, getpid(), 0, i,
						       &datum, &offset));
	assert_false(uncore_symbols_find_datum(symbols, -1, 7, 4096, &datum,
					       &offset));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_have_names_and_lines),
		TEST(many_addresses_are_remembered),
		TEST(variables_have_names),
		TEST(stacks_and_heaps_are_told),
		TEST(first_stack_grows),
		TEST(files_are_called_by_their_names),
		TEST(nothing_is_nowhere),
	};

	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
