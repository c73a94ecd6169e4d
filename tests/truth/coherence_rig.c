/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See coherence_rig.h.
 */
#include "coherence_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/box/kind.h"
#include "model/check.h"

/* No single use may hold up its core for longer, on average. */
enum { PATIENCE_CYCLES = 20000 };

const char *rig_machine = "xeon-e7";

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

uint64_t rig_line(const struct rig *rig, unsigned index)
{
	const struct fight *fight = &rig->fight;
	unsigned home = fight->at_one_home ? 0 : index % fight->sockets;
	unsigned place = fight->at_one_home ? index : index / fight->sockets;

	return uncore_model_memory_first_line(rig->model, home) +
	       (uint64_t)place * (fight->stride ? fight->stride : 1);
}

static void use(struct rig *rig, struct fighter *fighter)
{
	const struct fight *fight = &rig->fight;
	unsigned index =
		(unsigned)(random_next(&fighter->random) % fight->lines);
	unsigned dice = (unsigned)(random_next(&fighter->random) % 100);
	enum privcache_use how =
		dice < fight->write_percent ? PRIVCACHE_STORE : PRIVCACHE_LOAD;

	if (dice >= 100 - fight->code_percent)
		how = PRIVCACHE_FETCH;
	fighter->left--;
	fighter->first = 0;
	fighter->num_requests =
		privcache_access(&fighter->cache, rig_line(rig, index), how, 0,
				 fighter->requests);
	fighter->gap =
		(uint32_t)(random_next(&fighter->random) % (fight->gap + 1));
}

static int next(void *context, unsigned core, struct uncore_access *access)
{
	struct rig *rig = context;
	struct fighter *fighter = &rig->fighters[core];

	*access = (struct uncore_access){ .kind = UNCORE_ACCESS_NONE };
	if (fighter->first == fighter->num_requests) {
		if (!fighter->left)
			return 0;
		use(rig, fighter);
	}
	access->gap = fighter->gap;
	fighter->gap = 0;
	if (fighter->first < fighter->num_requests) {
		access->line = fighter->requests[fighter->first].line;
		access->kind = fighter->requests[fighter->first].kind;
		access->prefetch = fighter->requests[fighter->first].prefetch;
		access->to_llc = fighter->requests[fighter->first].to_llc;
		fighter->first++;
		rig->num_requests++;
	} else {
		access->gap++; /* a hit: time passes, others may act */
	}
	return 1;
}

static bool invalidate(void *context, unsigned core, uint64_t line,
		       bool downgrade)
{
	struct rig *rig = context;

	return privcache_invalidate(&rig->fighters[core].cache, line,
				    downgrade);
}

static struct uncore_model *make_model(const struct fight *fight)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new(rig_machine, &error);
	struct uncore_model *model;

	assert_non_null(config);
	assert_int_equal(
		uncore_model_config_sockets(config, fight->sockets, &error), 0);
	for (unsigned i = 0; i < RIG_MAX_SETTINGS && fight->settings[i]; i++)
		if (uncore_model_config_set(config, fight->settings[i], &error))
			fail_msg("%s", error);
	uncore_model_config_check(config, true);
	model = uncore_model_new(config, &error);
	if (!model)
		fail_msg("%s", error);
	uncore_model_config_free(config);
	return model;
}

struct rig *rig_new(const struct fight *fight)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct uncore_traffic traffic = { .context = rig,
					  .next = next,
					  .invalidate = invalidate };
	unsigned num_cores;

	assert_non_null(rig);
	rig->fight = *fight;
	rig->model = make_model(fight);
	rig->cores_per_socket = uncore_model_cores(rig->model);
	num_cores = fight->sockets * rig->cores_per_socket;
	if (fight->threads < num_cores)
		num_cores = fight->threads;
	for (unsigned i = 0; i < num_cores; i++) {
		unsigned core = i % fight->sockets * rig->cores_per_socket +
				i / fight->sockets;
		struct fighter *fighter = &rig->fighters[core];

		fighter->cache.prefetchers = fight->prefetchers;
		fighter->cache.shape =
			(struct privcache_shape){ 4, 8, 9, false,
						  (uint8_t)fight->llc_ahead };
		fighter->left = fight->count;
		fighter->random = (fight->seed * 1000003u + i) *
					  UINT64_C(0x9e3779b97f4a7c15) |
				  1;
	}
	uncore_model_set_traffic(rig->model, &traffic);
	return rig;
}

void rig_free(struct rig *rig)
{
	uncore_model_free(rig->model);
	free(rig);
}

static unsigned num_nodes(const struct rig *rig)
{
	return rig->fight.sockets * rig->model->sockets[0]->num_nodes;
}

static bool is_alone(const struct llc_way *way)
{
	return way->state == LLC_E || way->state == LLC_M;
}

static void say(const struct rig *rig, uint64_t line, const char *what)
{
	fprintf(stderr, "line 0x%llx, cycle %llu: %s\n",
		(unsigned long long)line,
		(unsigned long long)uncore_model_cycle(rig->model), what);
	for (unsigned i = 0; i < num_nodes(rig); i++) {
		const struct llc_way *way = model_way(rig->model, i, line);

		if (way)
			fprintf(stderr, "  node %u: %c cores 0x%x%s\n", i,
				"ISEMF"[way->state], way -> cores,
				way -> is_core_dirty ? " dirty" : "");
	}
	fail_msg("%s", what);
}

static void check_line(const struct rig *rig, uint64_t line)
{
	unsigned num = 0, num_alone = 0, num_forward = 0;

	for (unsigned i = 0; i < num_nodes(rig); i++) {
		const struct llc_way *way = model_way(rig->model, i, line);

		if (!way)
			continue;
		num++;
		num_alone += is_alone(way);
		num_forward += way->state == LLC_F;
		if (way->is_core_dirty &&
		    (!is_alone(way) || way->cores & (way->cores - 1)))
			say(rig, line, "a core wrote to what others may have");
	}
	if (num_alone && num > 1)
		say(rig, line, "one node owns what another has");
	if (num_forward > 1)
		say(rig, line, "two nodes forward");
}

void rig_check_slices(const struct rig *rig)
{
	for (unsigned i = 0; i < rig->fight.lines; i++)
		check_line(rig, rig_line(rig, i));
}

/* What a core has at rest must be known to its node's slice. */
static void check_holder(struct rig *rig, unsigned core, uint64_t line,
			 unsigned *num_dirty)
{
	struct privcache *cache = &rig->fighters[core].cache;
	unsigned bit = 1u << core % rig->cores_per_socket;
	const struct llc_way *way =
		model_way(rig->model,
			  core * rig->model->sockets[0]->num_nodes /
				  rig->cores_per_socket,
			  line);

	if (!way)
		say(rig, line, "a core has what its slice has not");
	if (!(way->cores & bit))
		say(rig, line, "the slice does not know of a core's copy");
	if (!privcache_invalidate(cache, line, true))
		return;
	++*num_dirty;
	if (!is_alone(way) || way->cores != bit || !way->is_core_dirty)
		say(rig, line, "the slice does not know of a core's write");
}

static void check_cores(struct rig *rig, uint64_t line)
{
	unsigned num = 0, num_dirty = 0;

	for (unsigned i = 0; i < rig->fight.sockets * rig->cores_per_socket;
	     i++)
		if (privcache_holds(&rig->fighters[i].cache, line)) {
			num++;
			check_holder(rig, i, line, &num_dirty);
		}
	if (num_dirty && num > 1)
		say(rig, line, "a core wrote to what another core has");
}

void rig_check_rest(struct rig *rig)
{
	const char *violation = uncore_model_check(rig->model);

	if (violation)
		fail_msg("%s", violation);
	rig_check_slices(rig);
	for (unsigned i = 0; i < rig->fight.lines; i++)
		check_cores(rig, rig_line(rig, i));
	assert_true(rig->model->kind->is_settled(rig->model->sockets[0]));
	assert_int_equal(rig->num_requests,
			 uncore_model_num_accesses(rig->model));
}

/* What stands still, for whoever has to find out why. */
static void say_stuck(const struct rig *rig)
{
	for (unsigned i = 0; i < rig->fight.sockets; i++) {
		const struct socket *socket = rig->model->sockets[i];

		fprintf(stderr, "socket %u: %u cores live\n", i,
			socket->num_live);
		for (unsigned c = 0; c < rig->cores_per_socket; c++)
			if (socket->cores[c].used)
				fprintf(stderr, "  core %u: misses %llx\n", c,
					(unsigned long long)socket->cores[c]
						.used);
	}
	fail_msg("the machine stands still");
}

void rig_run(struct rig *rig, uint64_t step_cycles)
{
	uint64_t bound = (uint64_t)rig->fight.count * PATIENCE_CYCLES;
	uint64_t step = step_cycles ? step_cycles : bound;
	uint64_t start = uncore_model_cycle(rig->model);

	while (!uncore_model_finish(rig->model, step, NULL)) {
		rig_check_slices(rig);
		if (uncore_model_cycle(rig->model) - start >= bound)
			say_stuck(rig);
	}
}
