/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Only what differs is written, and only boxes in which something differs stop.
 * A counter that the next slice does not use keeps its control, so sub-counters
 * stay as they are until somebody else needs it.
 */
#include "session/change.h"

#include <stdlib.h>

#include "access/access.h"
#include "session/batch.h"
#include "table/enable.h"

static bool is_switch(const struct uncore_session *session, size_t reg)
{
	for (size_t i = 0; i < session->num_switches; i++)
		if (session->switches[i].reg == reg)
			return true;
	return false;
}

static bool differs(const struct session_register *reg, uint64_t value)
{
	return !reg->is_known || reg->now != value;
}

static bool is_filter(const struct uc_register *reg)
{
	return uc_role_kinds[reg->role] >= UC_ROLE_IS_MATCH;
}

/* A switch may have the enable of its own box in it. */
static bool switch_differs(const struct uncore_session *session,
			   const struct session_slice *next, size_t i)
{
	const struct session_register *reg =
		&session->registers[session->switches[i].reg];

	return differs(reg, next->switches[i]) &&
	       (reg->now ^ next->switches[i]) & session->switches[i].en;
}

static struct session_place *place_of(struct uncore_session *session, size_t i)
{
	return &session->places[session->registers[session->switches[i].reg]
					.place];
}

static void mark_changes(struct uncore_session *session,
			 const struct session_slice *next)
{
	for (size_t i = 0; i < session->num_places; i++) {
		session->places[i].is_changed = false;
		session->places[i].is_refiltered = false;
	}
	for (size_t i = 0; i < session->num_registers; i++) {
		const struct session_register *reg = &session->registers[i];
		struct session_place *place = &session->places[reg->place];

		if (is_switch(session, i) ||
		    (!next->has[i] && !session->registers[i].is_enable) ||
		    !differs(reg, next->final[i]))
			continue;
		place->is_changed = true;
		if (is_filter(reg->reg))
			place->is_refiltered = true;
	}
	for (size_t i = 0; i < session->num_switches; i++)
		if (switch_differs(session, next, i))
			place_of(session, i)->is_changed = true;
}

static void add(struct changes *changes, struct session_register *registers,
		size_t reg, uint64_t value)
{
	registers[reg].now = value;
	registers[reg].is_known = true;
	changes->list[changes->num++] =
		(struct change){ .reg = reg, .value = value };
}

static void add_stops(struct uncore_session *session, struct changes *changes)
{
	struct session_register *registers = session->registers;

	for (size_t i = 0; i < session->num_registers; i++)
		if (session->registers[i].is_enable &&
		    session->places[registers[i].place].is_changed &&
		    differs(&registers[i], registers[i].off))
			add(changes, registers, i, registers[i].off);
	for (size_t i = 0; i < session->num_switches; i++) {
		const struct session_switch *of = &session->switches[i];
		uint64_t now = registers[of->reg].now;

		if (place_of(session, i)->is_changed && now & of->en)
			add(changes, registers, of->reg, now & ~of->en);
	}
	changes->num_stops = changes->num;
}

/* A step that is not the last for its register switches a filter off while
 * match and mask change. */
static void add_settings(struct uncore_session *session,
			 const struct session_slice *next,
			 struct changes *changes)
{
	for (size_t i = 0; i < next->num_steps; i++) {
		const struct session_step *step = &next->steps[i];
		const struct session_register *reg =
			&session->registers[step->reg];

		if (session->registers[step->reg].is_enable ||
		    !differs(reg, step->value) ||
		    (!step->is_final &&
		     !session->places[reg->place].is_refiltered))
			continue;
		add(changes, session->registers, step->reg, step->value);
	}
	changes->num_settings = changes->num - changes->num_stops;
}

void change_add_enables(struct uncore_session *session,
			const struct session_slice *next, bool gated,
			struct changes *changes)
{
	struct session_register *registers = session->registers;

	for (size_t i = 0; i < session->num_registers; i++)
		if (session->registers[i].is_enable && next->has[i] &&
		    enable_is_gated(session_family(session),
				    registers[i].reg->box) == gated &&
		    differs(&registers[i], next->final[i]))
			add(changes, registers, i, next->final[i]);
}

bool change_make(struct uncore_session *session,
		 const struct session_slice *next, struct changes *changes)
{
	size_t most = 2 * session->num_registers + next->num_steps +
		      2 * session->num_switches;

	*changes = (struct changes){ 0 };
	changes->list = calloc(most, sizeof(*changes->list));
	if (!changes->list)
		return false;
	mark_changes(session, next);
	add_stops(session, changes);
	add_settings(session, next, changes);
	return true;
}

static uint64_t kept(const struct uncore_session *session, unsigned socket,
		     size_t reg)
{
	return session->keep[socket * session->num_registers + reg];
}

void change_ask(const struct uncore_session *session,
		const struct changes *changes, size_t first, size_t num,
		struct session_batch *batch)
{
	for (unsigned s = 0; s < session->target->num_sockets; s++)
		for (size_t i = first; i < first + num; i++) {
			size_t reg = changes->list[i].reg;

			batch_write(batch, s, session->registers[reg].reg,
				    changes->list[i].value |
					    kept(session, s, reg));
		}
}

void change_add_switches(struct uncore_session *session,
			 const struct session_slice *next,
			 struct changes *changes)
{
	for (size_t i = 0; i < session->num_switches; i++) {
		size_t reg = session->switches[i].reg;

		if (differs(&session->registers[reg], next->switches[i]))
			add(changes, session->registers, reg,
			    next->switches[i]);
	}
}

void change_free(struct changes *changes)
{
	free(changes->list);
	*changes = (struct changes){ 0 };
}
