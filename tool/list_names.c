/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Each kind of name is a row of the table; names of options end in '=' where a
 * value follows.
 */
#include "list_names.h"

#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "tool.h"
#include "uncore/model.h"

struct kind {
	const char *name;
	void (*print)(const struct uncore_family *family, const char *machine);
};

static void print_machines(const struct uncore_family *family,
			   const char *machine)
{
	(void)family;
	(void)machine;
	for (size_t i = 0; (family = uncore_family_at(i)); i++)
		printf("%s\n", uncore_family_name(family));
}

static void print_models(const struct uncore_family *family,
			 const char *machine)
{
	(void)family;
	(void)machine;
	for (size_t i = 0; (family = uncore_family_at(i)); i++)
		if (uncore_family_has_model(family))
			printf("%s\n", uncore_family_name(family));
}

static void print_boxes(const struct uncore_family *family, const char *machine)
{
	struct uncore_box box;

	(void)machine;
	for (size_t i = 0; uncore_family_box(family, i, &box); i++)
		printf("%s\n", box.name);
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
			printf("%s/%s.%s/\n", event.box, event.name, mask.name);
		if (!m)
			printf("%s/%s/\n", event.box, event.name);
	}
}

static void print_registers(const struct uncore_family *family,
			    const char *machine)
{
	struct uncore_register reg;

	(void)machine;
	for (size_t i = 0; uncore_family_register(family, i, &reg); i++)
		printf("%s\n", reg.name);
}

static void print_metrics(const struct uncore_family *family,
			  const char *machine)
{
	struct metric_list list = { 0 };
	struct uncore_metric metric;

	(void)machine;
	if (!metrics_open(family, NULL, "all", NULL, &list))
		for (size_t i = 0; uncore_metrics_at(list.set, i, &metric); i++)
			printf("%s\n", metric.name);
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
			printf("%s\n", category.name);
	metrics_close(&list);
}

static void print_workloads(const struct uncore_family *family,
			    const char *machine)
{
	const char *name, *help;

	(void)family;
	(void)machine;
	for (size_t i = 0; uncore_model_workload(i, &name, &help); i++)
		printf("%s\n", name);
}

static void print_faults(const struct uncore_family *family,
			 const char *machine)
{
	const char *name, *help;

	(void)family;
	(void)machine;
	for (size_t i = 0; uncore_model_fault(i, &name, &help); i++)
		printf("%s\n", name);
}

static void print_parameters(const struct uncore_family *family,
			     const char *machine)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new(machine, &error);
	struct uncore_model_param param;

	(void)family;
	for (size_t i = 0;
	     config && uncore_model_config_param(config, i, &param); i++)
		printf("%s=\n", param.name);
	uncore_model_config_free(config);
	free(error);
}

static void print_ports(const struct uncore_family *family, const char *machine)
{
	struct uncore_port port;

	(void)machine;
	for (size_t i = 0; uncore_family_port(family, i, &port); i++)
		printf("%s\n", port.name);
}

static void print_classes(const struct uncore_family *family,
			  const char *machine)
{
	struct uncore_message_class found;

	(void)machine;
	for (size_t i = 0; uncore_family_class(family, i, &found); i++)
		printf("%s\n", found.name);
}

static void print_opcodes(const struct uncore_family *family,
			  const char *machine)
{
	struct uncore_opcode opcode;

	(void)machine;
	for (size_t i = 0; uncore_family_opcode(family, i, &opcode); i++)
		printf("%s\n", opcode.name);
}

static void print_options(const struct uncore_family *family,
			  const char *machine)
{
	struct uncore_option option;

	(void)machine;
	for (size_t i = 0; uncore_family_option(family, i, &option); i++)
		printf("%s %s%s\n", option.box, option.name,
		       option.takes_value ? "=" : "");
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
