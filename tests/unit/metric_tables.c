/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The tables that the generator makes of the built-in metrics are what the
 * library itself makes of the same texts at run time: all rows, keys,
 * categories, and each node of each formula. The two were written apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metric/metric.h"
#include "uncore/uncore.h"

static void same_text(const char *where, const char *a, const char *b)
{
	if (!a != !b || (a && strcmp(a, b)))
		fail_msg("%s: '%s' and '%s'", where, a ? a : "none",
			 b ? b : "none");
}

static void same_tree(const char *name, const struct metric_tree *a,
		      const struct metric_tree *b)
{
	if (a->num_nodes != b->num_nodes || a->root != b->root)
		fail_msg("%s: %zu and %zu nodes, roots %d and %d", name,
			 a->num_nodes, b->num_nodes, a->root, b->root);
	for (size_t i = 0; i < a->num_nodes; i++) {
		const struct metric_node *one = &a->nodes[i];
		const struct metric_node *two = &b->nodes[i];

		if (one->op != two->op || one->number != two->number ||
		    one->first != two->first || one->second != two->second)
			fail_msg("%s: node %zu differs", name, i);
		same_text(name, one->box, two->box);
	}
}

static void same_strings(const struct metric_row *a, const struct metric_row *b)
{
	const char *const pairs[][2] = {
		{ a->name, b->name },
		{ a->title, b->title },
		{ a->categories, b->categories },
		{ a->unit, b->unit },
		{ a->source, b->source },
		{ a->includes, b->includes },
		{ a->excludes, b->excludes },
		{ a->note, b->note },
		{ a->file, b->file },
		{ a->box, b->box },
		{ a->formula.text, b->formula.text },
		{ a->minimum.text, b->minimum.text },
		{ a->maximum.text, b->maximum.text },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		same_text(b->name, pairs[i][0], pairs[i][1]);
}

static void same_row(const struct metric_row *a, const struct metric_row *b)
{
	same_strings(a, b);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->split, b->split);
	same_tree(b->name, &a->tree, &b->tree);
	same_tree(b->name, &a->minimum_tree, &b->minimum_tree);
	same_tree(b->name, &a->maximum_tree, &b->maximum_tree);
	assert_int_equal(a->num_doubts, b->num_doubts);
	for (size_t i = 0; i < a->num_doubts; i++) {
		const struct metric_doubt *one = &a->doubts[i];
		const struct metric_doubt *two = &b->doubts[i];

		same_text(b->name, one->left.text, two->left.text);
		same_text(b->name, one->right.text, two->right.text);
		same_text(b->name, one->why, two->why);
		same_tree(b->name, &one->left_tree, &two->left_tree);
		same_tree(b->name, &one->right_tree, &two->right_tree);
	}
	assert_int_equal(a->num_events, b->num_events);
	for (size_t i = 0; i < a->num_events; i++) {
		same_text(b->name, a->events[i].text, b->events[i].text);
		same_text(b->name, a->events[i].box, b->events[i].box);
	}
	assert_int_equal(a->num_keys, b->num_keys);
	for (size_t i = 0; i < a->num_keys; i++)
		assert_int_equal(a->keys[i], b->keys[i]);
}

static void same_key(const struct metric_key *a, const struct metric_key *b)
{
	same_text("a key", a->name, b->name);
	assert_int_equal(a->kind, b->kind);
	same_text(b->name, a->text.text, b->text.text);
	same_text(b->name, a->text.file, b->text.file);
	assert_int_equal(a->text.line, b->text.line);
	assert_int_equal(a->text.column, b->text.column);
	same_text(b->name, a->unit, b->unit);
	same_text(b->name, a->title, b->title);
	same_text(b->name, a->param, b->param);
	same_text(b->name, a->number, b->number);
	assert_true(a->value == b->value);
}

static void same_set(const struct uncore_metrics *a,
		     const struct uncore_metrics *b)
{
	assert_int_equal(a->num_rows, b->num_rows);
	for (size_t i = 0; i < a->num_rows; i++)
		same_row(a->rows[i], b->rows[i]);
	assert_int_equal(a->num_keys, b->num_keys);
	for (size_t i = 0; i < a->num_keys; i++)
		same_key(&a->keys[i], &b->keys[i]);
	assert_int_equal(a->num_categories, b->num_categories);
	for (size_t i = 0; i < a->num_categories; i++) {
		const struct metric_category *one = &a->categories[i];
		const struct metric_category *two = &b->categories[i];

		same_text("a category", one->name, two->name);
		same_text(two->name, one->title, two->title);
		same_text(two->name, one->shows, two->shows);
	}
}

/* What the library makes of the text of a file. */
static struct uncore_metrics *read_set(const struct uncore_family *family,
				       const struct metric_file *file)
{
	struct uncore_metrics *set = calloc(1, sizeof(*set));
	char *error = NULL;

	assert_non_null(set);
	set->family = family;
	if (metric_read(set, file->name, file->text, 0, &error) ||
	    metric_compile(set, &error))
		fail_msg("%s", error ? error : "no memory");
	return set;
}

static void tables_are_what_the_texts_say(void **state)
{
	size_t num = 0;

	(void)state;
	for (const struct metric_file *file = metric_files; file->family;
	     file++) {
		const struct uncore_family *family =
			uncore_family_find(file->family);
		struct uncore_metrics *table, *text;

		if (!family)
			continue;
		assert_non_null(file->table);
		assert_int_equal(uncore_metrics_new(family, &table, NULL), 0);
		assert_true(table->rows[0] == file->table->rows[0]);
		text = read_set(family, file);
		assert_true(text->rows[0] != file->table->rows[0]);
		same_set(table, text);
		uncore_metrics_free(text);
		uncore_metrics_free(table);
		num++;
	}
	assert_true(num >= 3);
}

/* Facts are of a set, not of the table that it began with. */
static void a_fact_changes_in_one_set_only(void **state)
{
	const struct uncore_family *family = uncore_family_at(0);
	struct uncore_metrics *one, *two;
	struct uncore_metric_fact fact;
	double before;

	(void)state;
	assert_int_equal(uncore_metrics_new(family, &one, NULL), 0);
	assert_true(uncore_metrics_fact(one, 0, &fact));
	before = fact.value;
	uncore_metrics_set_fact(one, 0, before + 1);
	assert_true(uncore_metrics_fact(one, 0, &fact));
	assert_true(fact.value == before + 1);
	assert_int_equal(uncore_metrics_new(family, &two, NULL), 0);
	assert_true(uncore_metrics_fact(two, 0, &fact));
	assert_true(fact.value == before);
	uncore_metrics_free(two);
	uncore_metrics_free(one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_what_the_texts_say),
		cmocka_unit_test(a_fact_changes_in_one_set_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
