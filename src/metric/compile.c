/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Formulas to trees. The grammar, from weak to strong:
 *
 *     sum      product { + product | - product }
 *     product  factor { * factor | / factor }
 *     factor   - factor | number | ( sum ) | {event} | name
 *              | max(sum) min(sum) mean(sum) | max(sum, sum...) min(...)
 *              | socket_sum(sum)
 *
 * A name is that of an event, a sub-formula (let) or a fact of the files, or
 * one of seconds, cycles, clock_hz, sockets, cboxes, bboxes and so on.
 */
#include "metric/compile.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uncore/error.h"
#include "uncore/event.h"
#include "uncore/family.h"

enum { MAX_DEPTH = 100, MAX_LETS = 20 };

static int sum(struct compiler *compiler);

static int fail(struct compiler *compiler, const char *at, const char *format,
		...) __attribute__((format(printf, 3, 4)));

/* Says what is wrong at a place, once; returns no node. */
static int fail(struct compiler *compiler, const char *at, const char *format,
		...)
{
	char message[400];
	va_list arguments;

	if (compiler->code)
		return -1;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	compiler->code = metric_fail(compiler->error, compiler->text,
				     (size_t)(at - compiler->text->text),
				     compiler->row, "%s", message);
	return -1;
}

static int no_memory(struct compiler *compiler)
{
	if (!compiler->code)
		compiler->code = UNCORE_ERR_NO_MEMORY;
	return -1;
}

static void skip(struct compiler *compiler)
{
	while (isspace((unsigned char)*compiler->at))
		compiler->at++;
}

static bool take(struct compiler *compiler, char character)
{
	skip(compiler);
	if (*compiler->at != character)
		return false;
	compiler->at++;
	return true;
}

static int node(struct compiler *compiler, struct metric_node node)
{
	struct metric_tree *tree = compiler->tree;
	struct metric_node *nodes =
		reallocarray(tree->nodes, tree->num_nodes + 1, sizeof(*nodes));

	if (!nodes)
		return no_memory(compiler);
	tree->nodes = nodes;
	nodes[tree->num_nodes] = node;
	return (int)tree->num_nodes++;
}

static int pair(struct compiler *compiler, enum metric_op op, int first,
		int second)
{
	if (first < 0 || second < 0)
		return -1;
	return node(compiler, (struct metric_node){ .op = op,
						    .first = first,
						    .second = second });
}

/* The name of the box of an event, as long as the program, and its number of
 * instances. */
static const char *box_of(const struct uncore_family *family,
			  const struct uncore_event *event)
{
	struct uncore_box box;

	for (size_t i = 0; uncore_family_box(family, i, &box); i++)
		if (!strcmp(box.name, uncore_event_box(event)))
			return box.name;
	return NULL;
}

static unsigned instances(const struct uncore_family *family, const char *name)
{
	struct uncore_box box;

	for (size_t i = 0; uncore_family_box(family, i, &box); i++)
		if (!strcmp(box.name, name))
			return box.num_instances;
	return 0;
}

/* The event of the row with this text, added if it is new. */
static int event_node(struct compiler *compiler, const char *at, char *text)
{
	struct metric_row *row = compiler->row;
	struct metric_node found = { .op = OP_EVENT };
	struct uncore_event *event = NULL;
	struct metric_event *events;
	char *error = NULL;

	for (size_t i = 0; i < row->num_events; i++)
		if (!strcmp(row->events[i].text, text)) {
			free(text);
			found.first = (int)i;
			return node(compiler, found);
		}
	if (uncore_event_parse(compiler->metrics->family, text, &event,
			       &error)) {
		fail(compiler, at, "expected an event: %s",
		     error ? error : text);
		free(error);
		free(text);
		return -1;
	}
	if (row->num_events == METRIC_MAX_EVENTS) {
		uncore_event_free(event);
		free(text);
		return fail(compiler, at, "expected no more than %d events",
			    METRIC_MAX_EVENTS);
	}
	events =
		reallocarray(row->events, row->num_events + 1, sizeof(*events));
	if (!events) {
		uncore_event_free(event);
		free(text);
		return no_memory(compiler);
	}
	row->events = events;
	events[row->num_events] = (struct metric_event){
		.text = text, .box = box_of(compiler->metrics->family, event)
	};
	uncore_event_free(event);
	found.first = (int)row->num_events++;
	return node(compiler, found);
}

static int inline_event(struct compiler *compiler)
{
	const char *start = compiler->at;
	size_t length = strcspn(start, "}");
	char *text;

	if (!start[length])
		return fail(compiler, start - 1,
			    "expected a } that ends the event begun here");
	compiler->at += length + 1;
	text = strndup(start, length);
	return text ? event_node(compiler, start, text) : no_memory(compiler);
}

/* The formula of a let, compiled anew at each place that names it. */
static int sub_formula(struct compiler *compiler, const char *at,
		       const struct metric_key *key)
{
	struct compiler outer = *compiler;
	int result;

	if (compiler->lets >= MAX_LETS)
		return fail(compiler, at,
			    "expected a key that does not lead "
			    "back to itself");
	compiler->text = &key->text;
	compiler->at = key->text.text;
	compiler->lets++;
	result = sum(compiler);
	skip(compiler);
	if (result >= 0 && *compiler->at)
		result = fail(compiler, compiler->at,
			      "expected an operator or the end of the line");
	compiler->text = outer.text;
	compiler->at = outer.at;
	compiler->lets = outer.lets;
	return result;
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

static int over_boxes(struct compiler *compiler, const char *at,
		      enum metric_op op, int argument)
{
	const char *box = NULL, *other = NULL;

	if (argument < 0)
		return -1;
	if (!find_box(compiler, argument, &box, &other))
		return fail(compiler, at,
			    "expected events of one kind of box, "
			    "not of %s and %s",
			    box, other);
	if (!box)
		return fail(compiler, at,
			    "expected events of a box of which a socket has "
			    "several");
	return node(compiler, (struct metric_node){ .op = op,
						    .first = argument,
						    .second = -1,
						    .box = box });
}

static const struct function {
	const char *name;
	enum metric_op over_boxes, of_two; /* OP_NUMBER: there is none */
} functions[] = {
	{ "max", OP_MAX, OP_LARGER },
	{ "min", OP_MIN, OP_SMALLER },
	{ "mean", OP_MEAN, OP_NUMBER },
	{ "socket_sum", OP_SOCKET_SUM, OP_NUMBER },
};

static int call(struct compiler *compiler, const char *at,
		const struct function *function)
{
	int result = sum(compiler);
	unsigned arguments = 1;

	while (result >= 0 && take(compiler, ',')) {
		if (function->of_two == OP_NUMBER)
			return fail(compiler, compiler->at - 1,
				    "expected ): %s takes one formula",
				    function->name);
		result =
			pair(compiler, function->of_two, result, sum(compiler));
		arguments++;
	}
	if (result < 0)
		return -1;
	if (!take(compiler, ')'))
		return fail(compiler, compiler->at,
			    "expected ) or an operator");
	if (function->over_boxes == OP_SOCKET_SUM)
		return node(compiler, (struct metric_node){ .op = OP_SOCKET_SUM,
							    .first = result });
	return arguments > 1
		       ? result
		       : over_boxes(compiler, at, function->over_boxes, result);
}

static bool is(const char *name, size_t length, const char *wanted)
{
	return strlen(wanted) == length && !strncmp(name, wanted, length);
}

static int built_in(struct compiler *compiler, const char *name, size_t length)
{
	static const struct {
		const char *name;
		enum metric_op op;
	} rows[] = {
		{ "seconds", OP_SECONDS },
		{ "cycles", OP_CYCLES },
		{ "clock_hz", OP_CLOCK },
		{ "sockets", OP_SOCKETS },
	};
	struct uncore_box box;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is(name, length, rows[i].name))
			return node(compiler,
				    (struct metric_node){ .op = rows[i].op });
	for (size_t i = 0;
	     uncore_family_box(compiler->metrics->family, i, &box); i++)
		if (length == strlen(box.name) + 2 &&
		    !strncmp(name, box.name, length - 2) &&
		    !strncmp(name + length - 2, "es", 2))
			return node(compiler,
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
	char *wanted = strndup(at, length), *said;

	if (!wanted)
		return no_memory(compiler);
	nearest.wanted = wanted;
	for (size_t i = 0; i < compiler->metrics->num_keys; i++)
		nearest_offer(&nearest, compiler->metrics->keys[i].name);
	text_add(&text,
		 "expected a key, a fact, seconds, cycles, clock_hz, "
		 "sockets or {EVENT}, not '%s'",
		 wanted);
	nearest_say(&nearest, &text);
	said = text_take(&text);
	fail(compiler, at, "%s", said ? said : "expected a key");
	free(said);
	free(wanted);
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
	keys = reallocarray(row->keys, row->num_keys + 1, sizeof(*keys));
	if (!keys)
		return false;
	row->keys = keys;
	keys[row->num_keys++] = index;
	return true;
}

static int name(struct compiler *compiler)
{
	const char *at = compiler->at;
	const struct metric_key *key;
	size_t length = 0;
	char *text;
	int result;

	while (isalnum((unsigned char)at[length]) || at[length] == '_')
		length++;
	compiler->at += length;
	skip(compiler);
	if (*compiler->at == '(') {
		for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]);
		     i++)
			if (is(at, length, functions[i].name)) {
				compiler->at++;
				return call(compiler, at, &functions[i]);
			}
		return fail(compiler, at,
			    "expected max, min, mean or "
			    "socket_sum before a (");
	}
	result = built_in(compiler, at, length);
	if (result >= 0 || compiler->code)
		return result;
	key = metric_key_find(compiler->metrics, at, length);
	if (!key)
		return unknown(compiler, at, length);
	if (!add_key(compiler, key))
		return no_memory(compiler);
	if (key->kind == KEY_LET)
		return sub_formula(compiler, at, key);
	if (key->kind == KEY_FACT)
		return node(compiler,
			    (struct metric_node){
				    .op = OP_FACT,
				    .first = (int)(key -
						   compiler->metrics->keys) });
	text = strdup(key->text.text);
	return text ? event_node(compiler, at, text) : no_memory(compiler);
}

static int number(struct compiler *compiler)
{
	char *end;
	double value = strtod(compiler->at, &end);

	if (end == compiler->at)
		return fail(compiler, compiler->at,
			    "expected a number, a name, {EVENT}, ( or -");
	compiler->at = end;
	return node(compiler,
		    (struct metric_node){ .op = OP_NUMBER, .number = value });
}

static int factor(struct compiler *compiler)
{
	int result;

	skip(compiler);
	if (compiler->depth >= MAX_DEPTH)
		return fail(compiler, compiler->at,
			    "expected fewer things within each other");
	compiler->depth++;
	if (take(compiler, '-')) {
		result = pair(compiler, OP_NEGATE, factor(compiler), 0);
	} else if (take(compiler, '(')) {
		result = sum(compiler);
		if (result >= 0 && !take(compiler, ')'))
			result = fail(compiler, compiler->at,
				      "expected ) or an operator");
	} else if (take(compiler, '{')) {
		result = inline_event(compiler);
	} else if (isalpha((unsigned char)*compiler->at)) {
		result = name(compiler);
	} else if (isdigit((unsigned char)*compiler->at) ||
		   *compiler->at == '.') {
		result = number(compiler);
	} else {
		result = fail(compiler, compiler->at,
			      "expected a number, a name, {EVENT}, ( or -");
	}
	compiler->depth--;
	return result;
}

static int product(struct compiler *compiler)
{
	int result = factor(compiler);

	while (result >= 0) {
		if (take(compiler, '*'))
			result = pair(compiler, OP_MULTIPLY, result,
				      factor(compiler));
		else if (take(compiler, '/'))
			result = pair(compiler, OP_DIVIDE, result,
				      factor(compiler));
		else
			break;
	}
	return result;
}

static int sum(struct compiler *compiler)
{
	int result = product(compiler);

	while (result >= 0) {
		if (take(compiler, '+'))
			result = pair(compiler, OP_ADD, result,
				      product(compiler));
		else if (take(compiler, '-'))
			result = pair(compiler, OP_SUBTRACT, result,
				      product(compiler));
		else
			break;
	}
	return result;
}

int compile_formula(struct compiler *compiler, const struct metric_text *text,
		    struct metric_tree *tree)
{
	compiler->text = text;
	compiler->at = text->text;
	compiler->tree = tree;
	compiler->depth = 0;
	tree->root = sum(compiler);
	skip(compiler);
	if (tree->root >= 0 && *compiler->at)
		fail(compiler, compiler->at,
		     "expected an operator or the end of the line");
	return compiler->code;
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
		fail(compiler, row->formula.text,
		     "expected events of one kind of box, of which a socket "
		     "has several, or another split= above");
	if (row->split < 0)
		row->split = most;
	row->box = row->split == UNCORE_SPLIT_BOX ? box : NULL;
	return compiler->code;
}
