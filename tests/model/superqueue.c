/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * When prefetchers hold back. Latency and sizes are made up, so that each time
 * is a product of them; in the private caches a stream of lines is followed by
 * hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/box/privcache.h"
#include "model/box/superqueue.h"

enum { SIZE = 16, BUFFERS = 10, LIMIT = 12, WINDOW = 100, LATENCY = 1000 };
enum { REQUESTS = 5000 };

static const struct superqueue fresh = { .size = SIZE,
					 .buffers = BUFFERS,
					 .limit = LIMIT,
					 .window = WINDOW,
					 .latency = LATENCY };

static uint64_t time_of(const struct superqueue *queue)
{
	return queue->cycles + queue->stood;
}

static void prefetches_find_so_many_entries(void **state)
{
	struct superqueue queue = fresh;
	uint64_t line;

	(void)state;
	for (line = 1; line <= LIMIT; line++)
		assert_true(superqueue_prefetch(&queue, line));
	assert_false(superqueue_prefetch(&queue, line));
	queue.cycles = LATENCY - 1;
	superqueue_begin(&queue);
	assert_false(superqueue_prefetch(&queue, line));
	queue.cycles = LATENCY;
	superqueue_begin(&queue);
	assert_true(superqueue_prefetch(&queue, line));
}

/* Of loads that need nothing of each other each round of BUFFERS takes one
 * latency; what is written takes buffers, too. */
static void buffers_bound_what_is_asked_for(void **state)
{
	(void)state;
	for (unsigned is_load = 0; is_load < 2; is_load++) {
		struct superqueue queue = fresh;

		for (uint64_t line = 1; line <= 5 * BUFFERS; line++) {
			superqueue_begin(&queue);
			superqueue_demand(&queue, line, is_load);
		}
		assert_int_equal(time_of(&queue), 4 * LATENCY);
		assert_true(superqueue_prefetch(&queue, 1000));
		assert_true(superqueue_prefetch(&queue, 1001));
		assert_false(superqueue_prefetch(&queue, 1002));
	}
}

static void chained_loads_follow_each_other(void **state)
{
	struct superqueue queue = fresh;

	(void)state;
	queue.is_chained = true;
	for (uint64_t line = 1; line <= 5; line++) {
		superqueue_begin(&queue);
		superqueue_demand(&queue, line, true);
	}
	assert_int_equal(time_of(&queue), 4 * LATENCY);
}

/* Only loads fill the window. */
static void window_ends_behind_a_load(void **state)
{
	(void)state;
	for (unsigned is_load = 0; is_load < 2; is_load++) {
		struct superqueue queue = fresh;

		superqueue_demand(&queue, 1, is_load);
		queue.cycles = queue.instructions = WINDOW;
		superqueue_begin(&queue);
		assert_int_equal(time_of(&queue), WINDOW);
		queue.cycles = queue.instructions = WINDOW + 1;
		superqueue_begin(&queue);
		assert_int_equal(time_of(&queue),
				 is_load ? LATENCY : WINDOW + 1);
	}
}

/* Half a latency after a line was asked for half of it is left. */
static void use_of_a_prefetched_line_waits_for_the_rest(void **state)
{
	struct superqueue queue = fresh;

	(void)state;
	assert_true(superqueue_prefetch(&queue, 1));
	queue.cycles = LATENCY / 2;
	queue.is_chained = true;
	superqueue_begin(&queue);
	superqueue_use(&queue, 1);
	superqueue_begin(&queue);
	assert_int_equal(time_of(&queue), LATENCY);
}

/* Lines of one page after the other, as slowly as they come one by one: each is
 * asked for once and, but for the first three of each page, ahead. At full
 * speed each is still asked for once, but most by their use. */
static void stream_asks_for_each_line_once(void **state)
{
	static struct privcache cache;
	unsigned pages = 4, ahead[2] = { 0, 0 };

	(void)state;
	for (unsigned is_fast = 0; is_fast < 2; is_fast++) {
		struct privcache_request out[PRIVCACHE_MAX_REQUESTS];
		unsigned asked = 0;

		cache.shape = (struct privcache_shape){ 4, 8, 9, false, 0 };
		privcache_reset(&cache);
		cache.queue = fresh;
		cache.prefetchers = PREFETCH_STREAMER;
		for (uint64_t line = 6400; line < 6400 + pages * 64; line++) {
			unsigned num = privcache_access(
				&cache, line, PRIVCACHE_LOAD, 0x400, out);

			for (unsigned i = 0; i < num; i++) {
				asked +=
					out[i].prefetch != UNCORE_PREFETCH_USED;
				ahead[is_fast] +=
					out[i].prefetch == UNCORE_PREFETCH;
			}
			cache.queue.cycles += is_fast ? 1 : LATENCY;
			cache.queue.instructions += 1;
		}
		assert_int_equal(asked, pages * 64);
	}
	assert_int_equal(ahead[0], pages * (64 - 3));
	assert_true(ahead[1] < pages * 64 / 2);
}

/* The same rules a second time, by going through all requests ever made. */
struct plain {
	uint64_t ends[REQUESTS], instruction[REQUESTS];
	bool has_buffer[REQUESTS], is_load[REQUESTS];
	unsigned num;
	uint64_t time;
};

static unsigned under_way(const struct plain *plain, bool with_buffer,
			  uint64_t *first_end)
{
	unsigned num = 0;

	*first_end = UINT64_MAX;
	for (unsigned i = plain->num > 64 ? plain->num - 64 : 0; i < plain->num;
	     i++) {
		if (plain->ends[i] <= plain->time ||
		    (with_buffer && !plain->has_buffer[i]))
			continue;
		num++;
		if (plain->ends[i] < *first_end)
			*first_end = plain->ends[i];
	}
	return num;
}

static void plain_begin(struct plain *plain, uint64_t instructions)
{
	for (unsigned i = 0; i < plain->num; i++)
		if (plain->is_load[i] &&
		    instructions - plain->instruction[i] > WINDOW &&
		    plain->ends[i] > plain->time)
			plain->time = plain->ends[i];
}

static void plain_ask(struct plain *plain, uint64_t instructions, bool is_load,
		      bool is_demand)
{
	uint64_t end;

	while (is_demand && (under_way(plain, true, &end) >= BUFFERS ||
			     under_way(plain, false, &end) >= SIZE))
		plain->time = end;
	if (!is_demand && under_way(plain, false, &end) >= LIMIT)
		return;
	plain->ends[plain->num] = plain->time + LATENCY;
	plain->instruction[plain->num] = instructions;
	plain->has_buffer[plain->num] = is_demand;
	plain->is_load[plain->num++] = is_load && is_demand;
}

static void random_requests_are_as_by_plain_rules(void **state)
{
	static struct plain plain;
	struct superqueue queue = fresh;
	uint64_t draw = 1;

	(void)state;
	for (uint64_t line = 1; line <= REQUESTS; line++) {
		bool is_load, is_demand;

		draw = draw * UINT64_C(6364136223846793005) + 1;
		is_load = draw >> 40 & 1;
		is_demand = (draw >> 41 & 3) != 0;
		queue.cycles += draw >> 44 & 255;
		plain.time += draw >> 44 & 255;
		queue.instructions += draw >> 54 & 31;
		superqueue_begin(&queue);
		plain_begin(&plain, queue.instructions);
		if (is_demand)
			superqueue_demand(&queue, line, is_load);
		else
			superqueue_prefetch(&queue, line);
		plain_ask(&plain, queue.instructions, is_load, is_demand);
		assert_int_equal(time_of(&queue), plain.time);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prefetches_find_so_many_entries),
		cmocka_unit_test(buffers_bound_what_is_asked_for),
		cmocka_unit_test(chained_loads_follow_each_other),
		cmocka_unit_test(window_ends_behind_a_load),
		cmocka_unit_test(use_of_a_prefetched_line_waits_for_the_rest),
		cmocka_unit_test(stream_asks_for_each_line_once),
		cmocka_unit_test(random_requests_are_as_by_plain_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
