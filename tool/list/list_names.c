/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names of all kinds: each kind is a row, with the columns of its table. Names
 * of options and parameters end in '=' where a value follows.
 */
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "tool/machine.h"
#include "tool/metrics.h"
#include "tool/table.h"
#include "tool/tool.h"
#include "uncore/model.h"

/* Where names come from; the last two only for kinds that need them. */
struct source {
	const struct uncore_family *family;
	struct uncore_metrics *metrics;
	struct uncore_model_config *config;
};

/* A kind whose rows are given one by one: `row` is filled in by NEXT until that
 * is false, and the cells are the values behind it. */
#define KIND(NAME, TYPE, NEXT, ...)                                            \
	static void fill_##NAME(const struct source *from,                     \
				struct table *table)                           \
	{                                                                      \
		TYPE row;                                                      \
		(void)from;                                                    \
		for (size_t i = 0; NEXT; i++)                                  \
			table_add(table, __VA_ARGS__);                         \
	}

KIND(boxes, struct uncore_box, uncore_family_box(from->family, i, &row),
     row.name, (double)row.num_instances, (double)row.num_counters,
     (double)row.width_bits)
KIND(ports, struct uncore_port, uncore_family_port(from->family, i, &row),
     row.name, (double)row.number)
KIND(classes, struct uncore_message_class,
     uncore_family_class(from->family, i, &row), row.name, (double)row.code,
     row.brief)
KIND(opcodes, struct uncore_opcode, uncore_family_opcode(from->family, i, &row),
     row.name, row.message_class, (double)row.code, row.brief)
KIND(registers, struct uncore_register,
     uncore_family_register(from->family, i, &row), row.name)
KIND(machines, const char *,
     uncore_model_machine_at(i, &row, &(const char *){ NULL },
			     &(const char *){ NULL }),
     row)
KIND(workloads, const char *,
     uncore_model_workload(i, &row, &(const char *){ NULL }), row)
KIND(faults, const char *, uncore_model_fault(i, &row, &(const char *){ NULL }),
     row)
KIND(metrics, struct uncore_metric, uncore_metrics_at(from->metrics, i, &row),
     row.name)
KIND(categories, struct uncore_metric_category,
     uncore_metrics_category(from->metrics, i, &row), row.name)

/* Takes the text. */
static void add_text(struct table *table, char *text)
{
	table_add(table, text);
	free(text);
}

static void fill_options(const struct source *from, struct table *table)
{
	struct uncore_option row;

	for (size_t i = 0; uncore_family_option(from->family, i, &row); i++)
		add_text(table, tool_print("%s %s%s", row.box, row.name,
					   row.takes_value ? "=" : ""));
}

static void fill_parameters(const struct source *from, struct table *table)
{
	struct uncore_model_param row;

	for (size_t i = 0;
	     from->config && uncore_model_config_param(from->config, i, &row);
	     i++)
		add_text(table, tool_print("%s=", row.name));
}

static void fill_models(const struct source *from, struct table *table)
{
	const struct uncore_family *family;

	(void)from;
	for (size_t i = 0; (family = uncore_family_at(i)); i++)
		if (uncore_family_has_model(family))
			table_add(table, uncore_family_name(family));
}

static void fill_events(const struct source *from, struct table *table)
{
	struct uncore_event_info event;
	struct uncore_unit_mask mask;

	for (size_t i = 0; uncore_family_event(from->family, i, &event); i++) {
		size_t m = 0;

		for (; uncore_event_info_unit_mask(&event, m, &mask); m++)
			add_text(table, tool_print("%s/%s.%s/", event.box,
						   event.name, mask.name));
		if (!m)
			add_text(table,
				 tool_print("%s/%s/", event.box, event.name));
	}
}

static const struct kind {
	const char *name;
	void (*fill)(const struct source *from, struct table *table);
	const char *columns;
} kinds[] = {
	{ "events", fill_events, "name:t" },
	{ "boxes", fill_boxes, "name:t instances:n counters:n width:n" },
	{ "metrics", fill_metrics, "name:t" },
	{ "categories", fill_categories, "name:t" },
	{ "registers", fill_registers, "name:t" },
	{ "machines", fill_machines, "name:t" },
	{ "workloads", fill_workloads, "name:t" },
	{ "faults", fill_faults, "name:t" },
	{ "parameters", fill_parameters, "name:t" },
	{ "ports", fill_ports, "name:t number:n" },
	{ "classes", fill_classes, "name:t code:n brief:t" },
	{ "opcodes", fill_opcodes, "name:t class:t code:n brief:t" },
	{ "options", fill_options, "name:t" },
	{ "models", fill_models, "name:t" },
	{ 0 },
};

bool list_table(const struct uncore_family *family, const char *machine,
		const char *name, struct table *table)
{
	const struct machine_settings settings = { .machine = machine };
	struct metric_list metrics = { 0 };
	struct source from = { .family = family };
	const struct kind *kind = kinds;

	while (kind->name && strcmp(kind->name, name))
		kind++;
	if (!kind->name)
		return false;
	if (kind->fill == fill_metrics || kind->fill == fill_categories)
		metrics_open(family, NULL, "all", NULL, &metrics);
	else if (kind->fill == fill_parameters &&
		 uncore_family_has_model(family))
		machine_config(&settings, &from.config);
	from.metrics = metrics.set;
	table_init(table, kind->name, "");
	table_add_columns(table, kind->columns);
	kind->fill(&from, table);
	metrics_close(&metrics);
	uncore_model_config_free(from.config);
	return true;
}
