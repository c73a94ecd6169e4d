/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See old_home.h.
 */
#include "old_home.h"
#include "sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t classes[CLASSES] = { MC_HOM0, MC_HOM1, MC_DRS };

static int fetch(struct old *old, unsigned who, struct uncore_access *access)
{
	for (unsigned i = 0; i < STEPS; i++) {
		const struct step *step = &old->scene->steps[i];

		if (!step->gap || step->who != who || old->fetched >> i & 1)
			continue;
		old->fetched |= 1u << i;
		*access = (struct uncore_access){ .line = old->line,
						  .kind = step->kind,
						  .gap = step->gap };
		return 1;
	}
	return 0;
}

static int next(void *context, unsigned core, struct uncore_access *access)
{
	return fetch(context, core, access);
}

static int next_io(void *context, unsigned hub, struct uncore_access *access)
{
	return hub ? 0 : fetch(context, HUB, access);
}

static struct uncore_model *make(const struct scene *scene)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);
	struct uncore_model *model;

	assert_non_null(config);
	assert_int_equal(
		uncore_model_config_sockets(config, scene->sockets, &error), 0);
	for (unsigned i = 0; scene->settings[i]; i++)
		assert_int_equal(uncore_model_config_set(
					 config, scene->settings[i], &error),
				 0);
	model = uncore_model_new(config, &error);
	assert_non_null(model);
	uncore_model_config_free(config);
	return model;
}

/* The counter of messages that come to B-Box 0 with a class and an opcode. */
static void listen(struct counter *counter, struct sigbank *bank, unsigned mc,
		   unsigned opcode)
{
	struct expression expression;
	struct term term;

	memset(&expression, 0, sizeof(expression));
	memset(&term, 0, sizeof(term));
	term.signal = SIG_BBOX_MSG_IN;
	term.filtered = true;
	term.filter.opcodes[mc] = (uint16_t)(1u << opcode);
	term.filter.states = UINT16_MAX;
	expression.terms = &term;
	expression.num_terms = expression.max_terms = 1;
	assert_true(counter_init(counter, bank, 1));
	counter_configure(counter, &expression, true);
}

static void note_messages(struct old *old, uint64_t cycle)
{
	for (unsigned i = 0; i < CLASSES; i++)
		for (unsigned opcode = 0; opcode < OPCODES; opcode++) {
			struct counter *counter = &old->counters[i][opcode];

			assert_true(counter_read(counter) <= 1);
			if (!counter_read(counter))
				continue;
			counter_reset(counter);
			assert_true(old->num_messages < MESSAGES);
			old->messages[old->num_messages++] =
				(struct message){ cycle, classes[i],
						  (uint8_t)opcode };
		}
}

static void note_signals(struct old *old, unsigned side,
			 uint64_t totals[NUM_SIG_BBOX], uint64_t cycle)
{
	struct sigbank *bank = old->model->sockets[0]->bboxes[side].bank;

	for (unsigned id = 0; id < NUM_SIG_BBOX; id++) {
		uint64_t total = sums_total(bank, id);

		old->traces[side][cycle].value[id] =
			(int16_t)(total - totals[id]);
		totals[id] = total;
	}
}

static void run(struct old *old)
{
	static uint64_t totals[EX_SIDES][NUM_SIG_BBOX];
	struct uncore_traffic traffic = { .context = old,
					  .next = next,
					  .next_io = next_io };
	struct socket *socket;
	uint64_t local;

	old->model = make(old->scene);
	socket = old->model->sockets[0];
	while (socket_home(socket, ++old->line, &local) != NODE_BBOX(0, 0) ||
	       socket_side(socket, socket_slice(socket, old->line)))
		;
	uncore_model_set_traffic(old->model, &traffic);
	memset(totals, 0, sizeof(totals));
	for (unsigned side = 0; side < EX_SIDES; side++)
		for (unsigned id = 0; id < NUM_SIG_BBOX; id++)
			assert_true(
				sums_keep(socket->bboxes[side].bank, id));
	for (unsigned i = 0; i < CLASSES; i++)
		for (unsigned opcode = 0; opcode < OPCODES; opcode++)
			listen(&old->counters[i][opcode],
			       socket->bboxes[0].bank, classes[i], opcode);
	for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
		uncore_model_run(old->model, 1);
		for (unsigned side = 0; side < EX_SIDES; side++)
			note_signals(old, side, totals[side], cycle);
		note_messages(old, cycle);
	}
}

/* A write ends before a read that is under way: the M-Box has a place for
 * it sooner than it has read a line. */
unsigned old_durations(const struct old *old, unsigned side, uint64_t *lengths)
{
	const struct rig_moment *trace = old->traces[side];
	uint64_t begun[MESSAGES] = { 0 };
	bool is_write[MESSAGES] = { false };
	unsigned num = 0;
	int level = 0;

	for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
		const int16_t *value = trace[cycle].value;

		for (; level > value[SIG_BBOX_IMT_VALID_OCCUPANCY]; level--) {
			unsigned open = num, i;

			for (i = num; i--;)
				if (!lengths[i] &&
				    (open == num || is_write[i] ||
				     !is_write[open]))
					open = i;
			lengths[open] = cycle - begun[open];
		}
		for (; level < value[SIG_BBOX_IMT_VALID_OCCUPANCY]; level++) {
			is_write[num] = value[SIG_BBOX_IMT_INSERTS_WR];
			lengths[num] = 0;
			begun[num++] = cycle;
		}
	}
	return num;
}

const struct message *old_take(struct old *old, unsigned mc)
{
	for (unsigned i = 0; i < old->num_messages; i++)
		if (old->messages[i].at && old->messages[i].mc == mc) {
			static struct message message;

			message = old->messages[i];
			old->messages[i].at = 0;
			return &message;
		}
	return NULL;
}

struct old *old_run(const struct scene *scene)
{
	struct old *old = calloc(1, sizeof(*old));

	assert_non_null(old);
	old->scene = scene;
	run(old);
	/* something has come */
	assert_true(old->num_messages > 0);
	return old;
}

void old_free(struct old *old)
{
	for (unsigned i = 0; i < CLASSES * OPCODES; i++)
		counter_free(&old->counters[i / OPCODES][i % OPCODES]);
	uncore_model_free(old->model);
	free(old);
}
