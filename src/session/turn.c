/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From one slice to the next, in one batch: boxes whose programming changes
 * stop, all counters of the slice are read, registers that differ are written,
 * the boxes go on. Nothing else is touched: a box that does not take part
 * counts on undisturbed, and a counter whose turn is over keeps its event until
 * somebody needs it, so that sub-counters go on where they were.
 *
 * Where others count, bits of enable registers that are theirs are kept, and
 * nothing of theirs is reset or stopped.
 */
#include <stdlib.h>

#include "access/access.h"
#include "base/clock.h"
#include "session/batch.h"
#include "session/change.h"
#include "session/guard.h"
#include "table/enable.h"
#include "uncore/error.h"

/* Starting */

static int run(struct uncore_session *session, struct session_batch *batch,
	       char **error)
{
	int result = batch_run(batch, session->pmu->target, error);

	batch_free(batch);
	return result;
}

/* Whether something resets all counters of a box at once. */
static bool has_reset(const struct uc_family *family, unsigned box)
{
	const struct uc_domain *domain = uc_domain_of(family, box);

	return domain && domain->reset;
}

/* Everything but what makes it count. Where nobody else counts, all counters
 * and sub-counters begin at 0; else only those that are used. */
static void ask_reset(struct uncore_session *session,
		      struct session_batch *batch)
{
	const struct uc_family *family = session_family(session);

	for (size_t i = 0; i < session->num_counters; i++) {
		const struct session_counter *counter = &session->counters[i];

		if (&session->pmus[counter->pmu] != session->pmu)
			continue;
		if (session->is_shared || !has_reset(family, counter->reg->box))
			batch_write(batch, counter->socket, counter->reg, 0);
	}
	if (session->is_shared)
		return;
	for (unsigned s = 0; s < session->target->num_sockets; s++)
		for (size_t i = 0; i < session->num_registers; i++) {
			const struct uc_register *reg =
				session->registers[i].reg;
			const struct uc_domain *domain =
				uc_domain_governed(family, reg);

			if (domain)
				batch_write(batch, s, reg,
					    domain->stop | domain->reset);
		}
	for (size_t i = 0; i < session->pmu->saved.num; i++) {
		const struct saved_value *saved =
			&session->pmu->saved.values[i];

		/* Boxes that somebody left enabled would count again. */
		if (saved->reg->role == UC_ROLE_GLOBAL_CTL &&
		    enable_is_gated(family, saved->reg->box) &&
		    !enable_is_switch(family, saved->reg) && saved->value)
			batch_write(batch, saved->socket, saved->reg, 0);
	}
}

static int prepare(struct uncore_session *session, struct changes *changes,
		   char **error)
{
	const struct session_slice *slice =
		&session->slices[session->rounds.present];
	struct session_batch batch = { 0 };
	size_t done;
	int result;

	if (!change_make(session, slice, changes))
		return UNCORE_ERR_NO_MEMORY;
	done = changes->num;
	change_add_enables(session, slice, true, changes);
	if (!session->is_shared)
		ask_reset(session, &batch);
	change_ask(session, changes, 0, done, &batch);
	if (session->is_shared)
		ask_reset(session, &batch);
	else /* their switch is off, so these do not start anything */
		change_ask(session, changes, done, changes->num - done, &batch);
	if (!session->is_shared)
		done = changes->num;
	result = run(session, &batch, error);
	change_add_enables(session, slice, false, changes);
	changes->num -= done;
	for (size_t i = 0; i < changes->num; i++)
		changes->list[i] = changes->list[done + i];
	return result;
}

static void begin_units(struct uncore_session *session, uint64_t now)
{
	for (size_t i = 0; i < session->num_units; i++)
		session->units[i].since = now;
	session->start = session->last = now;
	count_begin_turn(session, now);
}

/* Somebody may have left the socket frozen, which no register tells. */
static void ask_go(const struct uncore_session *session,
		   struct session_batch *batch)
{
	const struct uc_family *family = session_family(session);
	const struct uc_freeze *freeze = family->freeze;

	if (!freeze || session->is_shared)
		return;
	for (unsigned s = 0; s < session->target->num_sockets; s++) {
		const struct uc_register *reg = &family->registers[freeze->reg];

		batch_write(batch, s, reg,
			    saved_value(&session->pmu->saved, s, reg) |
				    freeze->go);
	}
}

int turn_start(struct uncore_session *session, char **error)
{
	const struct session_slice *slice =
		&session->slices[session->rounds.present];
	struct session_batch batch = { 0 };
	struct changes changes = { 0 };
	int result;

	for (size_t i = 0; i < session->num_registers; i++)
		session->registers[i].is_known = false;
	result = prepare(session, &changes, error);
	if (!result)
		result = count_base(session, error);
	if (!result) {
		change_add_switches(session, slice, &changes);
		guard_put(session, &batch);
		ask_go(session, &batch);
		change_ask(session, &changes, 0, changes.num, &batch);
		result = batch_run(&batch, session->pmu->target, error);
	}
	if (!result) {
		session->start_cycle = batch.cycle;
		begin_units(session, time_of_batch(session, &batch));
	}
	batch_free(&batch);
	change_free(&changes);
	return result;
}

/* Going on */

static struct session_unit *unit_of(struct uncore_session *session,
				    unsigned socket, size_t reg)
{
	return &session->units[socket * session->num_places +
			       session->registers[reg].place];
}

/* The time at which each box stopped, or went on, by its own write. */
static void time_changes(struct uncore_session *session,
			 const struct changes *changes,
			 const struct session_batch *batch, size_t first,
			 size_t from, size_t num, uint64_t now, bool is_stop)
{
	size_t op = first;

	for (unsigned s = 0; s < session->target->num_sockets; s++)
		for (size_t i = from; i < from + num; i++, op++) {
			struct session_unit *unit =
				unit_of(session, s, changes->list[i].reg);
			uint64_t at = time_of_op(session, batch, op, now);

			if (is_stop && at > unit->since) {
				unit->ticks[session->rounds.present] +=
					at - unit->since;
				unit->since = now;
			} else if (!is_stop) {
				unit->since = at;
			}
		}
}

/* The settings and enables of the next slice, behind the reads. */
static int change_over(struct uncore_session *session, size_t slice,
		       struct changes *changes, char **error)
{
	struct session_slice *next = &session->slices[slice];
	unsigned num_sockets = session->target->num_sockets;
	struct session_batch batch = { 0 };
	size_t reads, enables;
	uint64_t now;
	int result;

	change_ask(session, changes, 0, changes->num_stops, &batch);
	reads = batch.num;
	count_ask(session, &batch);
	change_ask(session, changes, changes->num_stops, changes->num_settings,
		   &batch);
	enables = changes->num;
	change_add_enables(session, next, true, changes);
	change_add_enables(session, next, false, changes);
	change_add_switches(session, next, changes);
	change_ask(session, changes, enables, changes->num - enables, &batch);
	result = batch_run(&batch, session->pmu->target, error);
	if (!result) {
		now = time_of_batch(session, &batch);
		time_changes(session, changes, &batch, 0, 0, changes->num_stops,
			     now, true);
		time_pass(session, now);
		count_take(session, &batch, reads, now);
		count_end_turn(session);
		time_changes(session, changes, &batch,
			     batch.num - num_sockets * (changes->num - enables),
			     enables, changes->num - enables, now, false);
		session->rounds.present = slice;
		count_begin_turn(session, now);
	}
	batch_free(&batch);
	return result;
}

int turn_next(struct uncore_session *session, char **error)
{
	struct changes changes;
	uint64_t begin = clock_now_ns();
	size_t slice;
	int result;

	if (!session->cells)
		return count_read(session, error);
	result = guard_look(session, error);
	if (result)
		return result;
	/* What was counted belongs to the cell that is being filled. */
	result = UNCORE_ERR_NO_MEMORY;
	slice = rounds_peek(session);
	if (slice == session->rounds.present) {
		result = count_read(session, error);
	} else if (change_make(session, &session->slices[slice], &changes)) {
		result = change_over(session, slice, &changes, error);
		change_free(&changes);
	}
	if (!result)
		rounds_end_turn(session);
	rounds_cost(session, clock_now_ns() - begin);
	return result;
}

static void ask_one(const struct uncore_session *session, size_t reg,
		    uint64_t value, struct session_batch *batch)
{
	struct change change = { reg, value };
	struct changes one = { &change, 1, 0, 0 };

	change_ask(session, &one, 0, 1, batch);
}

/* Where others count, the boxes that are used stop, and nobody else; so do
 * those that no switch governs. */
static void ask_stop(struct uncore_session *session,
		     struct session_batch *batch)
{
	const struct session_slice *slice =
		&session->slices[session->rounds.present];
	const struct session_register *registers = session->registers;
	struct uncore_switch each;

	for (size_t i = 0; i < session->num_registers; i++)
		if (session->registers[i].is_enable &&
		    slice->final[i] != registers[i].off &&
		    (session->is_shared ||
		     !enable_is_gated(session_family(session),
				      registers[i].reg->box)))
			ask_one(session, i, registers[i].off, batch);
	for (size_t i = 0; i < session->num_switches; i++) {
		const struct session_switch *of = &session->switches[i];
		size_t n = 0;

		if (session->is_shared && !(registers[of->reg].now & of->en))
			continue; /* nothing in it is ours */
		while (uncore_plan_switch(slice->plan, n, &each) &&
		       each.address != registers[of->reg].reg->address)
			n++;
		if (uncore_plan_switch(slice->plan, n, &each))
			ask_one(session, of->reg,
				session->is_shared ? each.stop & ~of->en
						   : each.stop,
				batch);
	}
}

int turn_stop(struct uncore_session *session, char **error)
{
	struct session_batch batch = { 0 };
	int result;

	guard_ask(session, &batch);
	ask_stop(session, &batch);
	result = batch_run(&batch, session->pmu->target, error);
	if (!result) {
		guard_take(session, &batch, 0);
		session->stop_cycle = batch.cycle;
		time_pass(session, time_of_batch(session, &batch));
	}
	batch_free(&batch);
	return result;
}
