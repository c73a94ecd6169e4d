/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lists: a node has a pointer to the next one and a number, and is as large as
 * the argument says; all nodes of a list are 8 MB.
 */
#include "proof/pairs/pairs.h"

#include <stdlib.h>

enum {
	LIST_BYTES = 8 * MB,
	PAGE_BYTES = 4096,
};

struct node {
	struct node *next;
	uint64_t number;
};

static struct node *first[2];
static uint64_t sum;

/* Joins nodes in this order; all of them follow each other in a circle. */
static struct node *join(unsigned char *nodes, const uint32_t *order,
			 size_t num, size_t bytes)
{
	for (size_t i = 0; i < num; i++) {
		struct node *node = (void *)(nodes + order[i] * bytes);

		node->next = (void *)(nodes + order[(i + 1) % num] * bytes);
		node->number = order[i] % 16;
	}
	return (void *)(nodes + order[0] * bytes);
}

static void lay_parts(size_t bytes, size_t parts, bool shuffled)
{
	size_t num = LIST_BYTES / bytes / parts;
	unsigned char *nodes = pairs_memory(0, LIST_BYTES);
	uint32_t *order = calloc(num, sizeof(*order));

	if (!order)
		exit(1);
	for (size_t i = 0; i < parts; i++) {
		pairs_order(order, num, shuffled);
		first[i] = join(nodes + i * num * bytes, order, num, bytes);
	}
	free(order);
}

static void lay(enum side side, size_t bytes)
{
	lay_parts(bytes, 1, side == BAD);
}

static void lay_two(enum side side, size_t bytes)
{
	(void)side;
	lay_parts(bytes, 2, true);
}

/* Bad: shuffled all over; good: page after page, shuffled within each. */
static void lay_pages(enum side side, size_t bytes)
{
	size_t num = LIST_BYTES / bytes, in_page = PAGE_BYTES / bytes;
	uint32_t *order = calloc(num, sizeof(*order));

	if (!order)
		exit(1);
	pairs_order(order, num, side == BAD);
	for (size_t page = 0; side == GOOD && page < num; page += in_page) {
		pairs_order(order + page, in_page, true);
		for (size_t i = page; i < page + in_page; i++)
			order[i] += (uint32_t)page;
	}
	first[0] = join(pairs_memory(0, LIST_BYTES), order, num, bytes);
	free(order);
}

static void follow(size_t bytes)
{
	const struct node *node = first[0];
	uint64_t result = 0;

	for (size_t i = LIST_BYTES / bytes; i; i--) {
		result += node->number;
		node = node->next;
	}
	sum = result;
}

static uint64_t follow_one(const struct node *node, size_t num)
{
	uint64_t result = 0;

	for (; num; num--) {
		result += node->number;
		node = node->next;
	}
	return result;
}

static void one_by_one(size_t bytes)
{
	sum = follow_one(first[0], LIST_BYTES / bytes / 2);
	sum += follow_one(first[1], LIST_BYTES / bytes / 2);
}

static void both_at_once(size_t bytes)
{
	const struct node *one = first[0], *other = first[1];
	uint64_t result = 0;

	for (size_t i = LIST_BYTES / bytes / 2; i; i--) {
		result += one->number + other->number;
		one = one->next;
		other = other->next;
	}
	sum = result;
}

static double result(size_t bytes)
{
	(void)bytes;
	return (double)sum;
}

const struct pair list_pairs[] = {
	{ "list", 64, lay, { follow, follow }, result, false },
	{ "list-16", 16, lay, { follow, follow }, result, false },
	{ "list-32", 32, lay, { follow, follow }, result, false },
	{ "list-256", 256, lay, { follow, follow }, result, false },
	{ "list-pages", 64, lay_pages, { follow, follow }, result, false },
	{ "list-two",
	  64,
	  lay_two,
	  { one_by_one, both_at_once },
	  result,
	  false },
	{ 0 },
};
