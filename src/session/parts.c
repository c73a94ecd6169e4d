/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "session/parts.h"

#include <stdlib.h>

#include "access/access.h"
#include "uncore/error.h"

/* One slice. The first has the processor's own PMU. */
struct session_part {
	struct uncore_target *target; /* NULL: that of the session */
	struct uncore_session *session;
	size_t *events; /* which of the whole list these are */
	size_t num_events;
	size_t num_added; /* rows of it among those of the whole */
};

/* A count of the whole, and where it comes from. */
struct session_part_row {
	size_t part, index, event;
};

struct session_parts {
	struct session_part *list;
	size_t num;
	struct session_part_row *rows; /* event by event */
	size_t num_rows;
};

/* An event may run in several slices where there is room: one is enough. */
static bool is_of(const struct uncore_schedule *schedule, size_t slice,
		  size_t event)
{
	for (size_t s = 0; s < slice; s++)
		if (uncore_schedule_item(schedule, s, event) >= 0)
			return false;
	return uncore_schedule_item(schedule, slice, event) >= 0;
}

/* The first slice has the PMU of the session's own target. */
static int open_part(struct uncore_session *session, size_t slice,
		     struct uncore_event *const *events,
		     const struct uncore_session_options *options, char **error)
{
	struct session_part *part = &session->parts->list[slice];
	struct uncore_target *target = session->target;
	struct uncore_session_options own = *options;
	int result;

	own.groups = NULL;
	own.num_groups = 0;
	own.takes_turns = true; /* it has one PMU */
	if (slice) {
		part->target =
			target->ops->beside(target->context, (unsigned)slice);
		target = part->target;
	}
	if (!target)
		return UNCORE_ERR_NO_MEMORY;
	result = uncore_session_open_with(target, events, part->num_events,
					  &own, &part->session, error);
	if (!result)
		part->session->is_part = true;
	return result;
}

/* One whose events all run in slices before it has nothing to do. */
static int make_part(struct uncore_session *session, size_t slice,
		     struct uncore_event *const *events,
		     const struct uncore_session_options *options, char **error)
{
	struct session_part *part = &session->parts->list[slice];
	struct uncore_event **list = calloc(session->num_events, sizeof(*list));
	int result = UNCORE_ERR_NO_MEMORY;

	part->events = calloc(session->num_events, sizeof(*part->events));
	if (list && part->events) {
		for (size_t i = 0; i < session->num_events; i++)
			if (is_of(session->schedule, slice, i)) {
				part->events[part->num_events] = i;
				list[part->num_events++] = events[i];
			}
		result = part->num_events ? open_part(session, slice, list,
						      options, error)
					  : 0;
	}
	free(list);
	return result;
}

/* The rows of an event. Those of a part are in the order of its events. */
static bool add_rows(struct session_parts *parts, size_t p, size_t event)
{
	struct session_part *part = &parts->list[p];
	const struct uncore_session *own = part->session;

	for (; own && part->num_added < own->num_rows; part->num_added++) {
		size_t i = part->num_added;

		if (part->events[own->rows[i].event] != event)
			break;
		if (!session_room(&parts->rows, parts->num_rows,
				  sizeof(*parts->rows)))
			return false;
		parts->rows[parts->num_rows++] =
			(struct session_part_row){ p, i, event };
	}
	return true;
}

int parts_make(struct uncore_session *session,
	       struct uncore_event *const *events,
	       const struct uncore_session_options *options, char **error)
{
	struct session_parts *parts = calloc(1, sizeof(*parts));
	int result = 0;

	session->parts = parts;
	if (!parts)
		return UNCORE_ERR_NO_MEMORY;
	parts->num = uncore_schedule_slices(session->schedule);
	parts->list = calloc(parts->num, sizeof(*parts->list));
	if (!parts->list)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < parts->num && !result; i++)
		result = make_part(session, i, events, options, error);
	for (size_t e = 0; e < session->num_events && !result; e++)
		for (size_t p = 0; p < parts->num && !result; p++)
			if (!add_rows(parts, p, e))
				result = UNCORE_ERR_NO_MEMORY;
	return result;
}

void parts_free(struct uncore_session *session)
{
	struct session_parts *parts = session->parts;

	if (!parts)
		return;
	for (size_t i = 0; parts->list && i < parts->num; i++) {
		uncore_session_close(parts->list[i].session);
		uncore_target_free(parts->list[i].target);
		free(parts->list[i].events);
	}
	free(parts->list);
	free(parts->rows);
	free(parts);
}

static int for_all(struct uncore_session *session,
		   int (*call)(struct uncore_session *session, char **error),
		   char **error)
{
	int result = 0;

	for (size_t i = 0; i < session->parts->num && !result; i++)
		if (session->parts->list[i].session)
			result = call(session->parts->list[i].session, error);
	return result;
}

int parts_start(struct uncore_session *session, char **error)
{
	return for_all(session, uncore_session_start, error);
}

int parts_read(struct uncore_session *session, char **error)
{
	return for_all(session, uncore_session_read, error);
}

int parts_read_estimated(struct uncore_session *session, char **error)
{
	return for_all(session, session_read_estimated, error);
}

int parts_rotate(struct uncore_session *session, char **error)
{
	return for_all(session, uncore_session_rotate, error);
}

int parts_stop(struct uncore_session *session, char **error)
{
	return for_all(session, uncore_session_stop, error);
}

bool parts_cycles(const struct uncore_session *session, uint64_t *cycles)
{
	return uncore_session_cycles(session->parts->list[0].session, cycles);
}

bool parts_slice_time(const struct uncore_session *session,
		      struct uncore_slice_time *time)
{
	return uncore_session_slice_time(session->parts->list[0].session, 0,
					 time);
}

uint64_t parts_seen(const struct uncore_session *session, size_t index)
{
	const struct session_parts *parts = session->parts;
	const struct session_part_row *row = &parts->rows[index];

	return count_seen(parts->list[row->part].session, row->index);
}

bool parts_count(const struct uncore_session *session, size_t index,
		 struct uncore_count *count)
{
	const struct session_parts *parts = session->parts;
	const struct session_part_row *row;

	if (index >= parts->num_rows)
		return false;
	row = &parts->rows[index];
	uncore_session_count(parts->list[row->part].session, row->index, count);
	count->event_index = row->event;
	return true;
}

bool parts_sum(const struct uncore_session *session, const size_t *indices,
	       size_t num, struct uncore_count *sum)
{
	const struct session_parts *parts = session->parts;
	const struct session_part_row *first;
	size_t *own;
	bool is_done;

	if (!num || indices[0] >= parts->num_rows)
		return false;
	first = &parts->rows[indices[0]];
	own = calloc(num, sizeof(*own));
	is_done = own;
	for (size_t i = 0; i < num && is_done; i++) {
		is_done = indices[i] < parts->num_rows &&
			  parts->rows[indices[i]].event == first->event;
		if (is_done)
			own[i] = parts->rows[indices[i]].index;
	}
	if (is_done)
		is_done = uncore_session_sum(parts->list[first->part].session,
					     own, num, sum);
	sum->event_index = first->event;
	free(own);
	return is_done;
}
