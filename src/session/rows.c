/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which counters are read in which slice, and for which rows.
 */
#include <stdlib.h>

#include "access/access.h"
#include "base/array.h"
#include "session/session.h"
#include "uncore/error.h"

static unsigned first_instance(const struct uncore_event *event)
{
	return event->instance == EVENT_ANY ? 0 : (unsigned)event->instance;
}

static unsigned num_instances(const struct uncore_event *event)
{
	return event->instance == EVENT_ANY ? event->box->num_instances : 1;
}

static size_t find_counter(struct uncore_session *session, unsigned socket,
			   const struct uc_register *reg, size_t slice,
			   size_t event)
{
	size_t pmu = session->num_pmus > 1 ? slice : 0;
	size_t i, place;

	for (i = 0; i < session->num_counters; i++)
		if (session->counters[i].reg == reg &&
		    session->counters[i].socket == socket &&
		    session->counters[i].pmu == pmu)
			return i;
	place = reg ? program_place(session, reg->box, reg->instance)
		    : SIZE_MAX;
	if (place == SIZE_MAX ||
	    !array_room(&session->counters, i, sizeof(*session->counters)))
		return SIZE_MAX;
	session->counters[session->num_counters++] = (struct session_counter){
		.reg = reg,
		.event = event,
		.socket = socket,
		.place = place,
		.unit = socket * session->num_places + place,
		.pmu = pmu,
	};
	return i;
}

static bool add_to(size_t **list, size_t *num, size_t what)
{
	if (!array_room(list, *num, sizeof(**list)))
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

static uint64_t address_of(const struct session_slice *slice, long item,
			   unsigned instance)
{
	return uncore_plan_counter_address(slice->plan, (size_t)item, instance);
}

/* Whether the event is of this instance, and the machine has it: parts have
 * fewer boxes than the largest of their family. */
static bool is_there(const struct uncore_session *session, size_t event,
		     unsigned socket, unsigned instance)
{
	if (!event_is_of(session->events[event], socket, instance))
		return false;
	for (size_t s = 0; s < session->num_slices; s++) {
		long item = session->slices[s].items[event];

		if (item >= 0)
			return !access_absent(session->target, socket,
					      address_of(&session->slices[s],
							 item, instance));
	}
	return true;
}

/* The counters of a row in all slices in which it runs. */
static int add_entries(struct uncore_session *session, size_t index)
{
	struct session_row *row = &session->rows[index];

	row->first_entry = session->num_entries;
	for (size_t s = 0; s < session->num_slices; s++) {
		struct session_slice *slice = &session->slices[s];
		long item = slice->items[row->event];
		size_t counter, entry = session->num_entries;
		bool is_first;

		if (item < 0)
			continue;
		counter = find_counter(
			session, row->socket,
			uc_register_at(session_family(session),
				       address_of(slice, item, row->instance)),
			s, row->event);
		is_first = !is_in(slice, counter);
		if (counter == SIZE_MAX ||
		    !array_room(&session->entries, entry,
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

	if (!array_room(&session->rows, session->num_rows,
			sizeof(*session->rows)))
		return UNCORE_ERR_NO_MEMORY;
	row = &session->rows[session->num_rows++];
	*row = (struct session_row){
		.event = event,
		.socket = socket,
		.instance = instance,
	};
	return add_entries(session, session->num_rows - 1);
}

/* What was counted in which stretch of the run is asked for only where events
 * take turns. */
static int add_cells(struct uncore_session *session)
{
	if (session->num_slices == session->num_pmus)
		return 0;
	session->cells = calloc(session->num_entries,
				SESSION_MAX_CELLS * sizeof(*session->cells));
	if (!session->cells)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < session->num_entries; i++)
		session->entries[i].cells =
			session->cells + i * SESSION_MAX_CELLS;
	return 0;
}

/* Event by event, socket by socket, box by box. */
int rows_make(struct uncore_session *session)
{
	int result = 0;

	for (size_t e = 0; e < session->num_events; e++) {
		const struct uncore_event *event = session->events[e];
		unsigned first = first_instance(event);

		for (unsigned s = 0; s < session->target->num_sockets; s++)
			for (unsigned i = 0; i < num_instances(event); i++)
				if (!result &&
				    is_there(session, e, s, first + i))
					result = add_row(session, e, s,
							 first + i);
	}
	return result ? result : add_cells(session);
}
