/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Each kind of name is a row of the table; names of options end in '=' where a
 * value follows.
 */
#include "list_names.h"

#include <string.h>

#include "tool/machine.h"
#include "tool/metrics.h"
#include "tool/tool.h"
#include "uncore/model.h"

struct kind {
	const char *name;
	void (*print)(const struct uncore_family *family, const char *machine);
};

/* A kind whose names are given one by one: `row` is filled in by NEXT until
 * that is false, and printed as the format and the values behind it say. */
#define NAMES(KIND, TYPE, NEXT, ...)                                           \
	static void print_##KIND(const struct uncore_family *family,           \
				 const char *machine)                          \
	{                                                                      \
		TYPE row;                                                      \
		(void)family;                                                  \
		(void)machine;                                                 \
		for (size_t i = 0; NEXT; i++)                                  \
			printf(__VA_ARGS__);                                   \
	}

NAMES(machines, const struct uncore_family *, (row = uncore_family_at(i)),
      "%s\n", tool_shown(uncore_family_name(row)))
NAMES(boxes, struct uncore_box, uncore_family_box(family, i, &row), "%s\n",
      tool_shown(row.name))
NAMES(registers, struct uncore_register,
      uncore_family_register(family, i, &row), "%s\n", tool_shown(row.name))
NAMES(ports, struct uncore_port, uncore_family_port(family, i, &row), "%s\n",
      tool_shown(row.name))
NAMES(classes, struct uncore_message_class,
      uncore_family_class(family, i, &row), "%s\n", tool_shown(row.name))
NAMES(opcodes, struct uncore_opcode, uncore_family_opcode(family, i, &row),
      "%s\n", tool_shown(row.name))
NAMES(options, struct uncore_option, uncore_family_option(family, i, &row),
      "%s %s%s\n", tool_shown(row.box), tool_shown(row.name),
      row.takes_value ? "=" : "")
NAMES(workloads, const char *,
      uncore_model_workload(i, &row, &(const char *){ NULL }), "%s\n",
      tool_shown(row))
NAMES(faults, const char *,
      uncore_model_fault(i, &row, &(const char *){ NULL }), "%s\n",
      tool_shown(row))

static void print_models(const struct uncore_family *family,
			 const char *machine)
{
	(void)machine;
	for (size_t i = 0; (family = uncore_family_at(i)); i++)
		if (uncore_family_has_model(family))
			printf("%s\n", uncore_family_name(family));
}

static void print_events(const struct uncore_family *family,
			 const char *machine)
{
	struct uncore_event_info event;
	struct uncore_unit_mask mask;

	(void)machine;
	for (size_t i = 0; uncore_family_event(family, i, &event); i++) {
		size_t m = 0;

		for (; uncore_event_info_unit_mask(&event, m, &mask); m++)
			printf("%s/%s.%s/\n", tool_shown(event.box),
			       tool_shown(event.name), tool_shown(mask.name));
		if (!m)
			printf("%s/%s/\n", tool_shown(event.box),
			       tool_shown(event.name));
	}
}

static void print_parameters(const struct uncore_family *family,
			     const char *machine)
{
	const struct machine_settings settings = { .machine = machine };
	struct uncore_model_config *config;
	struct uncore_model_param param;

	if (!uncore_family_has_model(family) ||
	    machine_config(&settings, &config))
		return;
	for (size_t i = 0; uncore_model_config_param(config, i, &param); i++)
		printf("%s=\n", param.name);
	uncore_model_config_free(config);
}

static void print_metrics(const struct uncore_family *family,
			  const char *machine)
{
	struct metric_list list = { 0 };
	struct uncore_metric metric;

	(void)machine;
	if (!metrics_open(family, NULL, "all", NULL, &list))
		for (size_t i = 0; uncore_metrics_at(list.set, i, &metric); i++)
			printf("%s\n", tool_shown(metric.name));
	metrics_close(&list);
}

static void print_categories(const struct uncore_family *family,
			     const char *machine)
{
	struct metric_list list = { 0 };
	struct uncore_metric_category category;

	(void)machine;
	if (!metrics_open(family, NULL, "all", NULL, &list))
		for (size_t i = 0;
		     uncore_metrics_category(list.set, i, &category); i++)
			printf("%s\n", tool_shown(category.name));
	metrics_close(&list);
}

static const struct kind kinds[] = {
	{ "events", print_events },
	{ "boxes", print_boxes },
	{ "metrics", print_metrics },
	{ "categories", print_categories },
	{ "registers", print_registers },
	{ "machines", print_machines },
	{ "workloads", print_workloads },
	{ "faults", print_faults },
	{ "parameters", print_parameters },
	{ "ports", print_ports },
	{ "classes", print_classes },
	{ "opcodes", print_opcodes },
	{ "options", print_options },
	{ "models", print_models },
	{ NULL, NULL },
};

int list_names(const struct uncore_family *family, const char *machine,
	       const char *kind)
{
	const char *wanted = kind ? kind : kinds[0].name;

	for (const struct kind *row = kinds; row->name; row++)
		if (!strcmp(row->name, wanted)) {
			row->print(family, machine);
			return TOOL_OK;
		}
	tool_fail(0,
		  "--names=%s: there are names of events, boxes, metrics, "
		  "registers, machines, models, workloads, faults, parameters, "
		  "ports, classes, opcodes and options",
		  wanted);
	return TOOL_USAGE;
}
