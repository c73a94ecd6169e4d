/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What names in formulas stand for: events of the row, keys of the files, what
 * is built in; and the boxes that functions and splits go over.
 */
#include "metric/compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uncore/error.h"
#include "uncore/event.h"
#include "uncore/family.h"

static unsigned instances(const struct uncore_family *family, const char *name)
{
	struct uncore_box box;

	for (size_t i = 0; uncore_family_box(family, i, &box); i++)
		if (!strcmp(box.name, name))
			return box.num_instances;
	return 0;
}

/* The event of the row with this text, added if it is new. */
int compile_event(struct compiler *compiler, const char *at, const char *text)
{
	struct metric_row *row = compiler->row;
	struct metric_node found = { .op = OP_EVENT };
	struct uncore_event *event = NULL;
	struct metric_event *events;
	char *error = NULL;

	for (size_t i = 0; i < row->num_events; i++)
		if (!strcmp(row->events[i].text, text)) {
			found.first = (int)i;
			return compile_node(compiler, found);
		}
	if (uncore_event_parse(compiler->metrics->family, text, &event,
			       &error)) {
		compile_fail(compiler, at, "expected an event: %s",
			     error ? error : text);
		free(error);
		return -1;
	}
	if (row->num_events == METRIC_MAX_EVENTS) {
		uncore_event_free(event);
		return compile_fail(compiler, at,
				    "expected no more than %d events",
				    METRIC_MAX_EVENTS);
	}
	events = arena_grown(&compiler->metrics->arena, row->events,
			     row->num_events, sizeof(*events));
	if (!events) {
		uncore_event_free(event);
		return compile_no_memory(compiler);
	}
	row->events = events;
	events[row->num_events] =
		(struct metric_event){ .text = text,
				       .box = uncore_event_box(event) };
	uncore_event_free(event);
	found.first = (int)row->num_events++;
	return compile_node(compiler, found);
}

/* The box whose instances a function goes over: that of all events below which
 * has several. */
static bool find_box(struct compiler *compiler, int index, const char **box,
		     const char **other)
{
	const struct metric_node *found = &compiler->tree->nodes[index];
	const char *mine;

	switch (found->op) {
	case OP_EVENT:
		mine = compiler->row->events[found->first].box;
		if (instances(compiler->metrics->family, mine) < 2)
			return true;
		if (*box && strcmp(*box, mine)) {
			*other = mine;
			return false;
		}
		*box = mine;
		return true;
	case OP_NEGATE:
	case OP_MAX:
	case OP_MIN:
	case OP_MEAN:
	case OP_SOCKET_SUM: return find_box(compiler, found->first, box, other);
	case OP_ADD:
	case OP_SUBTRACT:
	case OP_MULTIPLY:
	case OP_DIVIDE:
	case OP_LARGER:
	case OP_SMALLER:
		return find_box(compiler, found->first, box, other) &&
		       find_box(compiler, found->second, box, other);
	default: return true;
	}
}

int compile_over_boxes(struct compiler *compiler, const char *at,
		       enum metric_op op, int argument)
{
	const char *box = NULL, *other = NULL;

	if (argument < 0)
		return -1;
	if (!find_box(compiler, argument, &box, &other))
		return compile_fail(compiler, at,
				    "expected events of one kind of box, "
				    "not of %s and %s",
				    box, other);
	if (!box)
		return compile_fail(
			compiler, at,
			"expected events of a box of which a socket has "
			"several");
	return compile_node(compiler, (struct metric_node){ .op = op,
							    .first = argument,
							    .second = -1,
							    .box = box });
}

bool compile_is(const char *name, size_t length, const char *wanted)
{
	return strlen(wanted) == length && !strncmp(name, wanted, length);
}

static int built_in(struct compiler *compiler, const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum metric_op op;
	} rows[] = {
		{ "seconds", OP_SECONDS }, { "cycles", OP_CYCLES },
		{ "clock_hz", OP_CLOCK },  { "instructions", OP_INSTRUCTIONS },
		{ "sockets", OP_SOCKETS },
	};
	struct uncore_box box;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (compile_is(name, length, rows[i].name))
			return compile_node(
				compiler,
				(struct metric_node){ .op = rows[i].op });
	for (size_t i = 0;
	     uncore_family_box(compiler->metrics->family, i, &box); i++)
		if (length == strlen(box.name) + 2 &&
		    !strncmp(name, box.name, length - 2) &&
		    !strncmp(name + length - 2, "es", 2))
			return compile_node(compiler,
					    (struct metric_node){
						    .op = OP_BOXES,
						    .box = box.name,
						    .number = box.num_instances,
					    });
	return -1;
}

static int unknown(struct compiler *compiler, const char *at, size_t length)
{
	struct nearest nearest = { 0 };
	struct text text = { 0 };
	const char *wanted = arena_text(&compiler->metrics->arena, at, length);

	nearest.wanted = wanted;
	for (size_t i = 0; i < compiler->metrics->num_keys; i++)
		nearest_offer(&nearest, compiler->metrics->keys[i].name);
	text_add(&text,
		 "expected a key, a fact, seconds, cycles, clock_hz, "
		 "instructions, sockets or {EVENT}, not '%s'",
		 wanted);
	nearest_say(&nearest, &text);
	compile_fail(compiler, at, "%s", text.data ? text.data : "");
	text_free(&text);
	return -1;
}

/* Remembers that the row names a key. */
static bool add_key(struct compiler *compiler, const struct metric_key *key)
{
	struct metric_row *row = compiler->row;
	size_t index = (size_t)(key - compiler->metrics->keys), *keys;

	for (size_t i = 0; i < row->num_keys; i++)
		if (row->keys[i] == index)
			return true;
	keys = arena_grown(&compiler->metrics->arena, row->keys, row->num_keys,
			   sizeof(*keys));
	if (!keys)
		return false;
	row->keys = keys;
	keys[row->num_keys++] = index;
	return true;
}

int compile_name(struct compiler *compiler, const char *at, size_t length)
{
	const struct metric_key *key;
	int result;

	result = built_in(compiler, at, length);
	if (result >= 0 || compiler->code)
		return result;
	key = metric_key_find(compiler->metrics, at, length);
	if (!key)
		return unknown(compiler, at, length);
	if (!add_key(compiler, key))
		return compile_no_memory(compiler);
	if (key->kind == KEY_LET)
		return compile_let(compiler, at, key);
	if (key->kind == KEY_FACT)
		return compile_node(
			compiler,
			(struct metric_node){
				.op = OP_FACT,
				.first =
					(int)(key - compiler->metrics->keys) });
	return compile_event(compiler, at, key->text.text);
}

int compile_split(struct compiler *compiler)
{
	struct metric_row *row = compiler->row;
	const char *box = NULL;
	bool several = false;
	int most;

	compiler->text = &row->formula;
	for (size_t i = 0; i < row->num_events; i++) {
		const char *mine = row->events[i].box;

		if (instances(compiler->metrics->family, mine) < 2)
			continue;
		several |= box && strcmp(box, mine);
		box = mine;
	}
	most = !row->num_events	 ? UNCORE_SPLIT_MACHINE
	       : box && !several ? UNCORE_SPLIT_BOX
				 : UNCORE_SPLIT_SOCKET;
	if (row->split > most)
		compile_fail(
			compiler, row->formula.text,
			"expected events of one kind of box, of which a socket "
			"has several, or another split= above");
	if (row->split < 0)
		row->split = most;
	row->box = row->split == UNCORE_SPLIT_BOX ? box : NULL;
	return compiler->code;
}
