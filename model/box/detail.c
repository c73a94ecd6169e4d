/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/box/detail.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/kind.h"

enum { JITTER_PERCENT = 40 };

static struct core *core_of(const struct detail *detail, unsigned number)
{
	unsigned num = detail->sockets[0]->num_cores;

	return &detail->sockets[number / num]->cores[number % num];
}

bool detail_new(struct socket *const *sockets, struct detail **detail)
{
	const double *p = sockets[0]->param;
	uint64_t window = (uint64_t)p[PARAM_DETAIL_WINDOW];
	struct detail *made;

	*detail = NULL;
	if (p[PARAM_DETAIL_SHARE] >= 100 || !sockets[0]->kind->set_quick ||
	    sockets[0]->values)
		return true;
	made = calloc(1, sizeof(*made));
	if (!made)
		return false;
	made->sockets = sockets;
	made->num_cores = sockets[0]->num_sockets * sockets[0]->num_cores;
	made->window = window;
	made->period = (uint64_t)((double)window * 100 / p[PARAM_DETAIL_SHARE]);
	made->left = (uint64_t)p[PARAM_DETAIL_START];
	made->random = (uint64_t)p[PARAM_SEED] * 2 + 1;
	*detail = made;
	return true;
}

/* A number of accesses, more or less. */
static uint64_t jitter(struct detail *detail, uint64_t num)
{
	uint64_t spread = num * JITTER_PERCENT / 100;

	detail->random = detail->random * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
	return num - spread + (detail->random >> 33) % (2 * spread + 1);
}

/* Of the cores that have an access which may go now the one that is furthest
 * behind; NULL: none. */
static struct core *next_core(const struct detail *detail)
{
	struct core *next = NULL;

	for (unsigned i = 0; i < detail->num_cores; i++) {
		struct core *core = core_of(detail, i);

		if (core->state != CORE_RUNS || core->step ||
		    (next && core->ready >= next->ready))
			continue;
		if (core_fetch(core) && core_is_its_turn(core) &&
		    (!next || core->ready < next->ready))
			next = core;
	}
	return next;
}

/* What follows is behind what is under way by as much as it was. */
struct place {
	uint64_t instruction;
	uint32_t number;
};

static void shift(struct core *core, const struct place *before)
{
	uint64_t more = core->instruction - before->instruction;

	core->oldest_load += more;
	for (uint64_t used = core->used; used; used &= used - 1) {
		struct core_miss *miss = &core->misses[__builtin_ctzll(used)];

		miss->instruction += more;
		miss->number += core->num_started - before->number;
	}
	for (unsigned i = 0; i < core->num_held; i++)
		core->held[(core->first_held + i) % CORE_MAX_OUTSTANDING]
			.from += more;
}

/* Until the first core goes on. */
static uint64_t time_passed(const struct detail *detail)
{
	uint64_t now = sim_now(detail->sockets[0]->sim) << 16;
	uint64_t first = UINT64_MAX;

	for (unsigned i = 0; i < detail->num_cores; i++) {
		const struct core *core = core_of(detail, i);

		if (core->state == CORE_RUNS && core->ready < first)
			first = core->ready;
	}
	return first == UINT64_MAX || first < now ? 0 : first - now;
}

void detail_stretch(struct detail *detail)
{
	struct place places[SOCKET_MAX_CORES * 8];
	uint64_t num = jitter(detail, detail->period - detail->window);
	struct core *next;
	uint64_t passed;

	for (unsigned i = 0; i < detail->num_cores; i++) {
		const struct core *c = core_of(detail, i);

		places[i] = (struct place){ c->instruction, c->num_started };
	}
	detail->sockets[0]->kind->set_quick(detail->sockets[0], true);
	while (num && (next = next_core(detail)) && core_pass(next)) {
		num--;
		detail->num_quick++;
	}
	detail->sockets[0]->kind->set_quick(detail->sockets[0], false);
	passed = time_passed(detail);
	detail->skipped += passed;
	for (unsigned i = 0; i < detail->num_cores; i++) {
		struct core *c = core_of(detail, i);

		c->ready -= c->ready < passed ? c->ready : passed;
		shift(c, &places[i]);
	}
	detail->left = jitter(detail, detail->window);
}
