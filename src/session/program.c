/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a session's slices write, and to which registers.
 */
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "base/array.h"
#include "session/session.h"
#include "table/enable.h"
#include "uncore/error.h"

/* Places and registers */

size_t program_place(struct uncore_session *session, unsigned box,
		     unsigned instance)
{
	size_t i;

	for (i = 0; i < session->num_places; i++)
		if (session->places[i].box == box &&
		    session->places[i].instance == instance)
			return i;
	if (!array_room(&session->places, i, sizeof(*session->places)))
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
	    !array_room(&session->registers, i, sizeof(*session->registers)))
		return SIZE_MAX;
	session->registers[session->num_registers++] =
		(struct session_register){
			.reg = reg,
			.place = place,
			.is_enable =
				enable_is_enable(session_family(session), reg),
			.off = enable_off(session_family(session), reg),
		};
	return i;
}

/* Slices */

static bool is_used(const struct uncore_session *session,
		    const struct uc_domain *domain)
{
	for (size_t i = 0; i < session->num_events; i++)
		if (domain->boxes >> session->events[i]->box_index & 1)
			return true;
	return false;
}

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
		items += slice->items[e] >= 0;
	result = uncore_plan_writes(slice->plan, 0, items - 1, &writes, &num,
				    error);
	if (result)
		return result;
	slice->steps = calloc(num, sizeof(*slice->steps));
	for (size_t i = 0; slice->steps && i < num; i++) {
		size_t reg = find_register(
			session, uc_register_at(session_family(session),
						writes[i].address));

		if (reg == SIZE_MAX) {
			result = UNCORE_ERR_NO_MEMORY;
			break;
		}
		if (enable_is_switch(session_family(session),
				     session->registers[reg].reg))
			continue;
		slice->steps[slice->num_steps] = (struct session_step){
			.reg = reg,
			.value = writes[i].value,
		};
		mark_final(slice, slice->num_steps++);
	}
	free(writes);
	return slice->steps ? result : UNCORE_ERR_NO_MEMORY;
}

/* A switch is the first to be known, since all else is under it. */
static int find_switches(struct uncore_session *session)
{
	const struct uc_family *family = session_family(session);

	session->switches =
		calloc(family->num_domains + 1u, sizeof(*session->switches));
	if (!session->switches)
		return UNCORE_ERR_NO_MEMORY;
	for (unsigned i = 0; i < family->num_domains; i++) {
		const struct uc_domain *domain = &family->domains[i];
		const struct uc_register *reg;
		size_t found;

		if (domain->scope != UC_SCOPE_SOCKET ||
		    !is_used(session, domain))
			continue;
		reg = &family->registers[domain->reg];
		found = find_register(session, reg);
		if (found == SIZE_MAX)
			return UNCORE_ERR_NO_MEMORY;
		session->switches[session->num_switches++] =
			(struct session_switch){ found,
						 enable_bits(reg, "en") };
	}
	return 0;
}

/* What starts each of them in a slice; one of a domain that the slice does not
 * use stays off. */
static bool find_starts(struct uncore_session *session,
			struct session_slice *slice)
{
	struct uncore_switch each;

	slice->switches =
		calloc(session->num_switches + 1, sizeof(*slice->switches));
	if (!slice->switches)
		return false;
	for (size_t i = 0; i < session->num_switches; i++) {
		const struct uc_register *reg =
			session->registers[session->switches[i].reg].reg;

		slice->switches[i] =
			uc_domain_governed(session_family(session), reg)->stop;
		for (size_t n = 0; uncore_plan_switch(slice->plan, n, &each);
		     n++)
			if (each.address == reg->address)
				slice->switches[i] = each.start;
	}
	return true;
}

/* An event may run in several slices where there is room: on a PMU of its own
 * once is enough. */
static bool is_new(const struct uncore_schedule *schedule, size_t slice,
		   size_t event)
{
	for (size_t s = 0; s < slice; s++)
		if (uncore_schedule_item(schedule, s, event) >= 0)
			return false;
	return uncore_schedule_item(schedule, slice, event) >= 0;
}

/* What of a slice of the schedule belongs on a PMU of its own; nothing, if all
 * of it is elsewhere. */
static int make_own(struct uncore_session *session, size_t of, char **error)
{
	struct session_slice *slice = &session->slices[session->num_slices];
	struct uncore_event **events =
		calloc(session->num_events, sizeof(*events));
	size_t num = 0;
	int result = events ? 0 : UNCORE_ERR_NO_MEMORY;

	for (size_t e = 0; events && e < session->num_events; e++) {
		slice->items[e] = -1;
		if (!is_new(session->schedule, of, e))
			continue;
		slice->items[e] = (long)num;
		events[num++] = session->events[e];
	}
	if (num)
		result = uncore_plan_new(uncore_target_family(session->target),
					 events, num, &slice->own_plan, error);
	slice->plan = slice->own_plan;
	session->num_slices += num > 0;
	free(events);
	return result;
}

/* The next slice, from one of the schedule. */
static int make_slice(struct uncore_session *session, size_t of, bool has_pmus,
		      char **error)
{
	struct session_slice *slice = &session->slices[session->num_slices];

	if (!slice->items)
		slice->items =
			calloc(session->num_events, sizeof(*slice->items));
	if (!slice->items)
		return UNCORE_ERR_NO_MEMORY;
	if (has_pmus)
		return make_own(session, of, error);
	slice->plan = uncore_schedule_plan(session->schedule, of);
	for (size_t e = 0; e < session->num_events; e++)
		slice->items[e] =
			uncore_schedule_item(session->schedule, of, e);
	session->num_slices++;
	return 0;
}

static int make_pmus(struct uncore_session *session, bool has_pmus)
{
	struct uncore_target *target = session->target;

	session->num_pmus = has_pmus ? session->num_slices : 1;
	session->pmus = calloc(session->num_pmus, sizeof(*session->pmus));
	session->pmu = session->pmus;
	if (!session->pmus)
		return UNCORE_ERR_NO_MEMORY;
	session->pmus[0].target = target;
	for (size_t i = 1; i < session->num_pmus; i++) {
		session->pmus[i].target =
			target->ops->beside(target->context, (unsigned)i);
		if (!session->pmus[i].target)
			return UNCORE_ERR_NO_MEMORY;
	}
	return 0;
}

int program_each(struct uncore_session *session,
		 int (*call)(struct uncore_session *session, char **error),
		 char **error)
{
	int result = 0;

	for (size_t i = 0; i < session->num_pmus && !result; i++) {
		if (session->num_pmus > 1)
			session->rounds.present = i;
		session->pmu = &session->pmus[i];
		result = call(session, error);
	}
	return result;
}

static int make_slices(struct uncore_session *session, bool has_pmus,
		       char **error)
{
	size_t num = uncore_schedule_slices(session->schedule);
	int result = 0;

	session->slices = calloc(num + 1, sizeof(*session->slices));
	if (!session->slices)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < num && !result; i++)
		result = make_slice(session, i, has_pmus, error);
	if (!result)
		result = make_pmus(session, has_pmus);
	if (!result)
		result = find_switches(session);
	for (size_t i = 0; i < session->num_slices && !result; i++) {
		result = make_steps(session, &session->slices[i], error);
		if (!result && !find_starts(session, &session->slices[i]))
			result = UNCORE_ERR_NO_MEMORY;
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
		for (size_t i = 0; i < session->num_registers; i++)
			slice->final[i] = session->registers[i].off;
		for (size_t i = 0; i < slice->num_steps; i++) {
			slice->final[slice->steps[i].reg] =
				slice->steps[i].value;
			slice->has[slice->steps[i].reg] = true;
		}
	}
	session->keep =
		calloc(session->num_registers * session->target->num_sockets,
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

int program_make(struct uncore_session *session, bool has_pmus, char **error)
{
	int result = make_slices(session, has_pmus, error);

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
	for (size_t i = 0; session->pmus && i < session->num_pmus; i++) {
		saved_free(&session->pmus[i].saved);
		if (i)
			uncore_target_free(session->pmus[i].target);
	}
	/* and the one behind them, of which nothing was left to do */
	for (size_t i = 0; session->slices && i <= session->num_slices; i++) {
		uncore_plan_free(session->slices[i].own_plan);
		free(session->slices[i].items);
		free(session->slices[i].steps);
		free(session->slices[i].switches);
		free(session->slices[i].final);
		free(session->slices[i].has);
		free(session->slices[i].counters);
		free(session->slices[i].entries);
	}
	for (size_t i = 0; session->units && i < session->num_units; i++) {
		free(session->units[i].ticks);
		free(session->units[i].why);
	}
	free(session->registers);
	free(session->switches);
	free(session->pmus);
	free(session->places);
	free(session->units);
	free(session->counters);
	free(session->slices);
	free(session->rows);
	free(session->entries);
	free(session->cells);
	free(session->keep);
}
