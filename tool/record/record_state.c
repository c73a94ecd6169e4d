/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What everything held when the Nth event froze it: printed, and kept in the
 * recording. What the boxes of a model hold is taken in the cycle of the
 * freeze; of a socket that was only stopped by it, when it was stopped.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "record.h"
#include "tool/tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

struct levels {
	struct uncore_model_level *list;
	size_t num;
	bool is_taken;
};

struct record_state {
	unsigned num_sockets;
	struct levels *levels; /* of each socket */
	char last[24];	       /* the box that was printed last */
	const char *title;     /* what is printed at present */
};

void record_state_open(struct record *record)
{
	struct record_state *state = tool_new(1, sizeof(*state));

	state->num_sockets = uncore_target_sockets(record->target->registers);
	state->levels = tool_new(state->num_sockets, sizeof(*state->levels));
	record->state = state;
}

void record_state_close(struct record *record)
{
	struct record_state *state = record->state;

	if (!state)
		return;
	for (unsigned i = 0; i < state->num_sockets; i++)
		free(state->levels[i].list);
	free(state->levels);
	free(state);
}

static void keep(void *context, const struct uncore_model_level *level)
{
	struct levels *levels = context;

	levels->list = tool_more(levels->list, levels->num, sizeof(*level));
	levels->list[levels->num++] = *level;
}

void record_state_take(struct record *record, unsigned socket)
{
	struct levels *levels = &record->state->levels[socket];

	if (!levels->is_taken && record->target->model)
		uncore_model_levels(record->target->model, socket, keep,
				    levels);
	levels->is_taken = true;
}

static const char *grouped(uint64_t value, char text[40])
{
	return tool_grouped(text, 40, "%" PRIu64, value);
}

static void say_freeze(const struct record *record,
		       const struct uncore_sample *sample)
{
	const struct uncore_event *event =
		record->set->rows[sample->event].event;
	char events[40], cycle[40] = "";

	if (sample->cycle != UNCORE_NO_CYCLE)
		grouped(sample->cycle, cycle);
	printf(" S%u froze at %.3f us%s%s: %s%ld had counted %s %s\n",
	       sample->socket, sample->seconds * 1e6, *cycle ? ", cycle " : "",
	       cycle, tool_shown(uncore_event_box(event)), sample->instance,
	       grouped(record->settings->freeze_events, events),
	       tool_shown(uncore_event_text(event)));
	printf("    and counted %" PRIu64 " more until the freeze had come\n",
	       sample->overrun);
}

/* How much later the others stopped. */
static void say_others(const struct record *record)
{
	uint64_t first = UINT64_MAX, cycle;
	unsigned num = record->state->num_sockets;
	char later[40];
	bool is_freeze;

	for (unsigned i = 0; i < num; i++)
		if (uncore_sampler_stopped(record->sampler, i, &is_freeze,
					   &cycle) &&
		    is_freeze && cycle < first)
			first = cycle;
	for (unsigned i = 0; i < num; i++) {
		bool is_known = uncore_sampler_stopped(record->sampler, i,
						       &is_freeze, &cycle);

		if (is_freeze)
			continue;
		if (is_known && first != UINT64_MAX)
			printf(" S%u was stopped %s cycles later\n", i,
			       grouped(cycle - first, later));
		else
			printf(" S%u was stopped as soon as could be\n", i);
	}
}

/* One line, and a row of the recording. */
static void show(struct record *record, const struct uncore_state *row,
		 const char *title)
{
	struct record_state *state = record->state;
	bool is_hex = row->kind == UNCORE_STATE_STATUS;
	char value[40], box[24], *error = NULL;
	int code;

	if (title != state->title)
		printf("\n %s\n", title);
	state->title = title;
	snprintf(box, sizeof(box), "S%u %s%u", row->socket, row->box,
		 row->instance);
	if (is_hex)
		snprintf(value, sizeof(value), "0x%" PRIx64, row->value);
	printf("   %-10s %16s  %s\n", tool_shown(box),
	       is_hex ? value : grouped(row->value, value),
	       tool_shown(row->name));
	if (record->status)
		return;
	code = uncore_recorder_state(record->recorder, row, &error);
	record_failed(record, code, error);
}

static void show_level(struct record *record, unsigned socket,
		       const struct uncore_model_level *level)
{
	struct uncore_state row = {
		.kind = UNCORE_STATE_LEVEL,
		.socket = socket,
		.box = level->box,
		.instance = level->instance,
		.value = (uint64_t)level->value,
	};
	const struct uncore_family *family =
		uncore_target_family(record->target->registers);
	struct uncore_port port = { .name = "" };
	char name[120], index[16] = "";

	if (level->num_indices > 1)
		snprintf(index, sizeof(index), "[%u]", level->index);
	for (size_t i = 0;
	     level->num_ports > 1 && uncore_family_port(family, i, &port) &&
	     port.number != level->port;
	     i++)
		;
	snprintf(name, sizeof(name), "%s%s%s%s", level->name, index,
		 level->num_ports > 1 ? " of port " : "", port.name);
	row.name = name;
	show(record, &row, "What the boxes held");
}

static void show_kind(struct record *record, enum uncore_state_kind kind,
		      const char *title)
{
	struct uncore_state row;

	for (size_t i = 0; uncore_sampler_state(record->sampler, i, &row); i++)
		if (row.kind == kind)
			show(record, &row, title);
}

void record_state_freeze(struct record *record,
			 const struct uncore_sample *sample)
{
	if (!record->has_frozen)
		printf("\n");
	record->has_frozen = true;
	say_freeze(record, sample);
}

int record_state_show(struct record *record)
{
	const struct record_state *state = record->state;
	const struct levels *levels;

	if (!record->has_frozen) {
		tool_warn("nothing froze: '%s' did not happen %s times in any "
			  "box",
			  uncore_event_text(record->set->rows[0].event),
			  record->settings->freeze_after);
		return TOOL_OK;
	}
	say_others(record);
	show_kind(record, UNCORE_STATE_COUNT, "What had been counted");
	show_kind(record, UNCORE_STATE_STATUS, "Who had seen an overflow");
	for (unsigned i = 0; i < state->num_sockets; i++) {
		record_state_take(record, i);
		levels = &state->levels[i];
		for (size_t at = 0; at < levels->num; at++)
			show_level(record, i, &levels->list[at]);
	}
	printf("\n");
	return TOOL_OK;
}
