/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a session's slices write, and to which registers; which counters are
 * read in which slice, and for which rows.
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

/* Arrays that grow one by one; false without memory. */
static bool room(void *array, size_t num, size_t size)
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

static unsigned first_instance(const struct uncore_event *event)
{
	return event->instance == EVENT_ANY ? 0 : (unsigned)event->instance;
}

static unsigned num_instances(const struct uncore_event *event)
{
	return event->instance == EVENT_ANY ? event->box->num_instances : 1;
}

/* Places and registers */

static size_t find_place(struct uncore_session *session, unsigned box,
			 unsigned instance)
{
	size_t i;

	for (i = 0; i < session->num_places; i++)
		if (session->places[i].box == box &&
		    session->places[i].instance == instance)
			return i;
	if (!room(&session->places, i, sizeof(*session->places)))
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
	place = reg ? find_place(session, reg->box, reg->instance) : SIZE_MAX;
	if (place == SIZE_MAX ||
	    !room(&session->registers, i, sizeof(*session->registers)))
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

/* Counters and rows */

static size_t find_counter(struct uncore_session *session, unsigned socket,
			   const struct uc_register *reg, size_t event)
{
	size_t i, place;

	for (i = 0; i < session->num_counters; i++)
		if (session->counters[i].reg == reg &&
		    session->counters[i].socket == socket)
			return i;
	place = reg ? find_place(session, reg->box, reg->instance) : SIZE_MAX;
	if (place == SIZE_MAX ||
	    !room(&session->counters, i, sizeof(*session->counters)))
		return SIZE_MAX;
	session->counters[session->num_counters++] = (struct session_counter){
		.reg = reg,
		.event = event,
		.socket = socket,
		.place = place,
		.unit = socket * session->num_places + place,
	};
	return i;
}

static bool add_to(size_t **list, size_t *num, size_t what)
{
	if (!room(list, *num, sizeof(**list)))
		return false;
	(*list)[(*num)++] = what;
	return true;
}

static bool is_in(const struct session_slice *slice, size_t counter)
{
	for (size_t i = 0; i < slice->num_counters; i++)
		if (slice->counters[i] == counter)
			return true;
	return false;
}

static bool add_counter(struct session_slice *slice, size_t counter)
{
	if (is_in(slice, counter))
		return true;
	return add_to(&slice->counters, &slice->num_counters, counter);
}

/* The counters of a row in all slices in which it runs. */
static int add_entries(struct uncore_session *session, size_t index)
{
	struct session_row *row = &session->rows[index];

	row->first_entry = session->num_entries;
	for (size_t s = 0; s < session->num_slices; s++) {
		struct session_slice *slice = &session->slices[s];
		long item = uncore_schedule_item(session->schedule, s,
						 row->event);
		size_t counter, entry = session->num_entries;
		bool is_first;

		if (item < 0)
			continue;
		counter = find_counter(
			session, row->socket,
			uc_register_at(family_of(session),
				       uncore_plan_counter_address(
					       slice->plan, (size_t)item,
					       row->instance)),
			row->event);
		is_first = !is_in(slice, counter);
		if (counter == SIZE_MAX ||
		    !room(&session->entries, entry,
			  sizeof(*session->entries)) ||
		    !add_counter(slice, counter) ||
		    !add_to(&slice->entries, &slice->num_entries, entry))
			return UNCORE_ERR_NO_MEMORY;
		session->entries[session->num_entries++] =
			(struct session_entry){ .slice = s,
						.row = index,
						.is_first = is_first,
						.counter = counter };
		row->num_entries++;
	}
	return 0;
}

static int add_row(struct uncore_session *session, size_t event,
		   unsigned socket, unsigned instance)
{
	struct session_row *row;

	if (!room(&session->rows, session->num_rows, sizeof(*session->rows)))
		return UNCORE_ERR_NO_MEMORY;
	row = &session->rows[session->num_rows++];
	*row = (struct session_row){
		.event = event,
		.socket = socket,
		.instance = instance,
	};
	if (session->num_slices > 1)
		row->cells = calloc(SESSION_MAX_CELLS, sizeof(*row->cells));
	if (session->num_slices > 1 && !row->cells)
		return UNCORE_ERR_NO_MEMORY;
	return add_entries(session, session->num_rows - 1);
}

/* Event by event, socket by socket, box by box. */
static int make_rows(struct uncore_session *session)
{
	int result = 0;

	for (size_t e = 0; e < session->num_events; e++) {
		const struct uncore_event *event = session->events[e];
		unsigned first = first_instance(event);

		for (unsigned s = 0; s < session->target->num_sockets; s++)
			for (unsigned i = 0; i < num_instances(event); i++)
				if (!result)
					result = add_row(session, e, s,
							 first + i);
	}
	return result;
}

int program_make(struct uncore_session *session, char **error)
{
	int result = make_slices(session, error);

	if (!result)
		result = make_finals(session);
	if (!result)
		result = make_units(session);
	if (!result)
		result = make_rows(session);
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
	for (size_t i = 0; i < session->num_rows; i++)
		free(session->rows[i].cells);
	for (size_t i = 0; session->units && i < session->num_units; i++)
		free(session->units[i].ticks);
	free(session->registers);
	free(session->places);
	free(session->units);
	free(session->counters);
	free(session->slices);
	free(session->rows);
	free(session->entries);
	free(session->keep);
}
