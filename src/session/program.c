/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a session's slices write, and to which registers.
 */
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "session/enable.h"
#include "session/session.h"
#include "uncore/error.h"

static const struct uc_family *family_of(const struct uncore_session *session)
{
	return family_row(uncore_target_family(session->target));
}

bool session_room(void *array, size_t num, size_t size)
{
	void *old, *more;

	if (num & (num - 1)) /* full only at powers of two */
		return true;
	memcpy(&old, array, sizeof(old));
	more = realloc(old, (num ? 2 * num : 1) * size);
	if (more)
		memcpy(array, &more, sizeof(more));
	return more;
}

/* Places and registers */

size_t program_place(struct uncore_session *session, unsigned box,
		     unsigned instance)
{
	size_t i;

	for (i = 0; i < session->num_places; i++)
		if (session->places[i].box == box &&
		    session->places[i].instance == instance)
			return i;
	if (!session_room(&session->places, i, sizeof(*session->places)))
		return SIZE_MAX;
	session->places[session->num_places++] = (struct session_place){
		.box = box,
		.instance = instance,
	};
	return i;
}

static size_t find_register(struct uncore_session *session,
			    const struct uc_register *reg)
{
	size_t i, place;

	for (i = 0; i < session->num_registers; i++)
		if (session->registers[i].reg == reg)
			return i;
	place = reg ? program_place(session, reg->box, reg->instance)
		    : SIZE_MAX;
	if (place == SIZE_MAX ||
	    !session_room(&session->registers, i, sizeof(*session->registers)))
		return SIZE_MAX;
	session->registers[session->num_registers++] =
		(struct session_register){ .reg = reg, .place = place };
	return i;
}

/* Slices */

static void mark_final(struct session_slice *slice, size_t index)
{
	slice->steps[index].is_final = true;
	for (size_t i = 0; i < index; i++)
		if (slice->steps[i].reg == slice->steps[index].reg)
			slice->steps[i].is_final = false;
}

/* The writes of the plan without the reset and the enable of all, which are
 * the session's affair. */
static int make_steps(struct uncore_session *session,
		      struct session_slice *slice, char **error)
{
	struct uncore_write *writes = NULL;
	size_t num = 0, items = 0;
	int result;

	for (size_t e = 0; e < session->num_events; e++)
		items += uncore_schedule_item(
				 session->schedule,
				 (size_t)(slice - session->slices), e) >= 0;
	result = uncore_plan_writes(slice->plan, 0, items - 1, &writes, &num,
				    error);
	if (result)
		return result;
	slice->steps = calloc(num, sizeof(*slice->steps));
	for (size_t i = 0; slice->steps && i < num; i++) {
		size_t reg = find_register(
			session, uc_register_at(family_of(session),
						writes[i].address));

		if (reg == session->master)
			continue;
		if (reg == SIZE_MAX) {
			result = UNCORE_ERR_NO_MEMORY;
			break;
		}
		slice->steps[slice->num_steps] = (struct session_step){
			.reg = reg,
			.value = writes[i].value,
		};
		mark_final(slice, slice->num_steps++);
	}
	free(writes);
	slice->master = uncore_plan_start(slice->plan).value;
	return slice->steps ? result : UNCORE_ERR_NO_MEMORY;
}

static int make_slices(struct uncore_session *session, char **error)
{
	int result = 0;

	session->num_slices = uncore_schedule_slices(session->schedule);
	session->slices = calloc(session->num_slices, sizeof(*session->slices));
	if (!session->slices)
		return UNCORE_ERR_NO_MEMORY;
	session->master =
		find_register(session, enable_master(family_of(session)));
	if (session->master == SIZE_MAX)
		return UNCORE_ERR_NO_REGISTER;
	for (size_t i = 0; i < session->num_slices && !result; i++) {
		session->slices[i].plan =
			uncore_schedule_plan(session->schedule, i);
		result = make_steps(session, &session->slices[i], error);
	}
	return result;
}

/* What each slice writes to each register in the end. */
static int make_finals(struct uncore_session *session)
{
	for (size_t s = 0; s < session->num_slices; s++) {
		struct session_slice *slice = &session->slices[s];

		slice->final =
			calloc(session->num_registers, sizeof(*slice->final));
		slice->has =
			calloc(session->num_registers, sizeof(*slice->has));
		if (!slice->final || !slice->has)
			return UNCORE_ERR_NO_MEMORY;
		for (size_t i = 0; i < slice->num_steps; i++) {
			slice->final[slice->steps[i].reg] =
				slice->steps[i].value;
			slice->has[slice->steps[i].reg] = true;
		}
	}
	session->keep = calloc(session->num_registers *
				       session->target->num_sockets,
			       sizeof(*session->keep));
	return session->keep ? 0 : UNCORE_ERR_NO_MEMORY;
}

static int make_units(struct uncore_session *session)
{
	unsigned num_sockets = session->target->num_sockets;

	session->units = calloc(num_sockets * session->num_places,
				sizeof(*session->units));
	if (!session->units)
		return UNCORE_ERR_NO_MEMORY;
	for (unsigned s = 0; s < num_sockets; s++)
		for (size_t p = 0; p < session->num_places; p++) {
			struct session_unit *unit =
				&session->units[session->num_units++];

			unit->socket = s;
			unit->place = p;
			unit->ticks = calloc(session->num_slices,
					     sizeof(*unit->ticks));
			if (!unit->ticks)
				return UNCORE_ERR_NO_MEMORY;
		}
	return 0;
}

int program_make(struct uncore_session *session, char **error)
{
	int result = make_slices(session, error);

	if (!result)
		result = make_finals(session);
	if (!result)
		result = make_units(session);
	if (!result)
		result = rows_make(session);
	return result;
}

void program_free(struct uncore_session *session)
{
	for (size_t i = 0; session->slices && i < session->num_slices; i++) {
		free(session->slices[i].steps);
		free(session->slices[i].final);
		free(session->slices[i].has);
		free(session->slices[i].counters);
		free(session->slices[i].entries);
	}
	for (size_t i = 0; session->units && i < session->num_units; i++)
		free(session->units[i].ticks);
	free(session->registers);
	free(session->places);
	free(session->units);
	free(session->counters);
	free(session->slices);
	free(session->rows);
	free(session->entries);
	free(session->cells);
	free(session->keep);
}
