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
 * one of seconds, cycles, clock_hz, sockets, and the names of boxes with "es".
 */
#include "metric/compile.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uncore/error.h"

enum { MAX_DEPTH = 100, MAX_LETS = 20 };

static int sum(struct compiler *compiler);

/* Says what is wrong at a place, once; returns no node. */
int compile_fail(struct compiler *compiler, const char *at, const char *format,
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

int compile_no_memory(struct compiler *compiler)
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

int compile_node(struct compiler *compiler, struct metric_node node)
{
	struct metric_tree *tree = compiler->tree;
	struct metric_node *nodes =
		arena_grown(&compiler->metrics->arena, tree->nodes,
			    tree->num_nodes, sizeof(*nodes));

	if (!nodes)
		return compile_no_memory(compiler);
	tree->nodes = nodes;
	nodes[tree->num_nodes] = node;
	return (int)tree->num_nodes++;
}

static int pair(struct compiler *compiler, enum metric_op op, int first,
		int second)
{
	if (first < 0 || second < 0)
		return -1;
	return compile_node(compiler, (struct metric_node){ .op = op,
							    .first = first,
							    .second = second });
}

static int inline_event(struct compiler *compiler)
{
	const char *start = compiler->at;
	size_t length = strcspn(start, "}");

	if (!start[length])
		return compile_fail(
			compiler, start - 1,
			"expected a } that ends the event begun here");
	compiler->at += length + 1;
	return compile_event(
		compiler, start,
		arena_text(&compiler->metrics->arena, start, length));
}

/* The formula of a let, compiled anew at each place that names it. */
int compile_let(struct compiler *compiler, const char *at,
		const struct metric_key *key)
{
	struct compiler outer = *compiler;
	int result;

	if (compiler->lets >= MAX_LETS)
		return compile_fail(compiler, at,
				    "expected a key that does not lead "
				    "back to itself");
	compiler->text = &key->text;
	compiler->at = key->text.text;
	compiler->lets++;
	result = sum(compiler);
	skip(compiler);
	if (result >= 0 && *compiler->at)
		result = compile_fail(
			compiler, compiler->at,
			"expected an operator or the end of the line");
	compiler->text = outer.text;
	compiler->at = outer.at;
	compiler->lets = outer.lets;
	return result;
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
			return compile_fail(compiler, compiler->at - 1,
					    "expected ): %s takes one formula",
					    function->name);
		result =
			pair(compiler, function->of_two, result, sum(compiler));
		arguments++;
	}
	if (result < 0)
		return -1;
	if (!take(compiler, ')'))
		return compile_fail(compiler, compiler->at,
				    "expected ) or an operator");
	if (function->over_boxes == OP_SOCKET_SUM)
		return compile_node(compiler,
				    (struct metric_node){ .op = OP_SOCKET_SUM,
							  .first = result });
	return arguments > 1 ? result
			     : compile_over_boxes(compiler, at,
						  function->over_boxes, result);
}

static int name(struct compiler *compiler)
{
	const char *at = compiler->at;
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || at[length] == '_')
		length++;
	compiler->at += length;
	skip(compiler);
	if (*compiler->at == '(') {
		for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]);
		     i++)
			if (compile_is(at, length, functions[i].name)) {
				compiler->at++;
				return call(compiler, at, &functions[i]);
			}
		return compile_fail(compiler, at,
				    "expected max, min, mean or "
				    "socket_sum before a (");
	}
	return compile_name(compiler, at, length);
}

static int number(struct compiler *compiler)
{
	char *end;
	double value = strtod(compiler->at, &end);

	if (end == compiler->at)
		return compile_fail(
			compiler, compiler->at,
			"expected a number, a name, {EVENT}, ( or -");
	compiler->at = end;
	return compile_node(compiler, (struct metric_node){ .op = OP_NUMBER,
							    .number = value });
}

static int factor(struct compiler *compiler)
{
	int result;

	skip(compiler);
	if (compiler->depth >= MAX_DEPTH)
		return compile_fail(compiler, compiler->at,
				    "expected fewer things within each other");
	compiler->depth++;
	if (take(compiler, '-')) {
		result = pair(compiler, OP_NEGATE, factor(compiler), 0);
	} else if (take(compiler, '(')) {
		result = sum(compiler);
		if (result >= 0 && !take(compiler, ')'))
			result = compile_fail(compiler, compiler->at,
					      "expected ) or an operator");
	} else if (take(compiler, '{')) {
		result = inline_event(compiler);
	} else if (isalpha((unsigned char)*compiler->at)) {
		result = name(compiler);
	} else if (isdigit((unsigned char)*compiler->at) ||
		   *compiler->at == '.') {
		result = number(compiler);
	} else {
		result = compile_fail(
			compiler, compiler->at,
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
		compile_fail(compiler, compiler->at,
			     "expected an operator or the end of the line");
	return compiler->code;
}
