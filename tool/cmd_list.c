/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore list [PATTERN]`: boxes, events and unit masks.
 */
#include "tool.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json.h"
#include "list_metrics.h"
#include "list_names.h"
#include "metrics.h"
#include "uncore/model.h"

enum { KEY_NAMES = 0x100, KEY_METRICS };

struct settings {
	const char *machine;
	const char *pattern;
	bool json;
	bool names;
	const char *kind; /* of names; NULL: events */
	bool metrics;
	struct metric_files metric_files;
};

static const struct argp_option options[] = {
	TOOL_OPTION_MACHINE,
	TOOL_OPTION_JSON,
	{ "metrics", KEY_METRICS, NULL, 0,
	  "Show metrics instead; PATTERN is names, globs and categories", 0 },
	{ "metric-file", TOOL_KEY_METRIC_FILE, "FILE", 0,
	  "With --metrics: those of this file, too", 0 },
	{ "names", KEY_NAMES, "KIND", OPTION_ARG_OPTIONAL,
	  "Print bare names, one a line: of events, or of KIND (boxes, "
	  "metrics, registers, machines, workloads, faults, parameters, ports, "
	  "classes, opcodes, options)",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct settings *settings = state->input;

	switch (key) {
	case 'm': settings->machine = argument; return 0;
	case 'j': settings->json = true; return 0;
	case KEY_METRICS: settings->metrics = true; return 0;
	case TOOL_KEY_METRIC_FILE:
		metric_files_add(&settings->metric_files, argument, state);
		return 0;
	case KEY_NAMES:
		settings->names = true;
		settings->kind = argument;
		return 0;
	case ARGP_KEY_ARG:
		if (settings->pattern)
			argp_error(state, "one PATTERN is enough");
		settings->pattern = argument;
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options,
	parse,
	"[PATTERN]",
	"Show the boxes and events of a processor, with the counters that may "
	"count them."
	"\vPATTERN chooses events: a part of a name or of a description, or a "
	"glob (LLC_*, cbox/*, *.ALL) over the name, BOX/NAME or "
	"BOX/NAME.MASK.",
	NULL,
	NULL,
	NULL,
};

static bool is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[");
}

static bool fits_name(const char *pattern, const char *name)
{
	if (is_glob(pattern))
		return !fnmatch(pattern, name, FNM_CASEFOLD);
	return strcasestr(name, pattern);
}

static bool fits_masks(const char *pattern,
		       const struct uncore_event_info *event)
{
	struct uncore_unit_mask mask;
	char name[256];

	for (size_t i = 0; uncore_event_info_unit_mask(event, i, &mask); i++) {
		snprintf(name, sizeof(name), "%s/%s.%s", event->box,
			 event->name, mask.name);
		if (fits_name(pattern, name) ||
		    fits_name(pattern, strchr(name, '/') + 1))
			return true;
	}
	return false;
}

static bool fits(const char *pattern, const struct uncore_event_info *event)
{
	char name[256];

	if (!pattern)
		return true;
	snprintf(name, sizeof(name), "%s/%s", event->box, event->name);
	if (fits_name(pattern, event->name) || fits_name(pattern, name))
		return true;
	for (size_t i = 0; i < event->num_aliases; i++)
		if (fits_name(pattern, uncore_event_info_alias(event, i)))
			return true;
	if (!is_glob(pattern) && strcasestr(event->brief, pattern))
		return true;
	return fits_masks(pattern, event);
}

/* The model of the machine, to ask what it models; NULL if there is none. */
static struct uncore_model *model_of(const char *machine)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new(machine, &error);
	struct uncore_model *model = NULL;

	if (config && !uncore_model_config_sockets(config, 1, &error))
		model = uncore_model_new(config, &error);
	if (config)
		uncore_model_config_free(config);
	free(error);
	return model;
}

/* Over all ports, of which a model drives those that are wired. */
static bool is_modelled(const struct uncore_model *model,
			const struct uncore_event_info *event, const char *mask,
			unsigned num_ports)
{
	for (unsigned port = 0; model && port < num_ports; port++)
		if (uncore_model_is_modelled(model, event->box, event->name,
					     mask, port))
			return true;
	return !model;
}

static unsigned ports_of(const struct uncore_family *family, const char *box)
{
	struct uncore_box found;

	for (size_t i = 0; uncore_family_box(family, i, &found); i++)
		if (!strcmp(found.name, box))
			return found.num_ports;
	return 1;
}

static void json_boxes(struct json *json, const struct uncore_family *family)
{
	struct uncore_box box;

	json_open(json, "boxes", '[');
	for (size_t i = 0; uncore_family_box(family, i, &box); i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", box.name);
		json_uint(json, "instances", box.num_instances);
		json_uint(json, "counters", box.num_counters);
		json_uint(json, "width", box.width_bits);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Values of the options port, mc and opc. */
static void json_packets(struct json *json, const struct uncore_family *family)
{
	struct uncore_message_class message_class;
	struct uncore_opcode opcode;
	struct uncore_port port;

	json_open(json, "ports", '[');
	for (size_t i = 0; uncore_family_port(family, i, &port); i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", port.name);
		json_uint(json, "number", port.number);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_open(json, "classes", '[');
	for (size_t i = 0; uncore_family_class(family, i, &message_class);
	     i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", message_class.name);
		json_uint(json, "code", message_class.code);
		json_string(json, "brief", message_class.brief);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_open(json, "opcodes", '[');
	for (size_t i = 0; uncore_family_opcode(family, i, &opcode); i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", opcode.name);
		json_string(json, "class", opcode.message_class);
		json_uint(json, "code", opcode.code);
		json_string(json, "brief", opcode.brief);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void json_event(struct json *json, const struct uncore_family *family,
		       const struct uncore_model *model,
		       const struct uncore_event_info *event)
{
	unsigned num_ports = ports_of(family, event->box);
	struct uncore_unit_mask mask;
	bool modelled = false;

	json_open(json, NULL, '{');
	json_string(json, "box", event->box);
	json_string(json, "name", event->name);
	json_uint(json, "code", event->code);
	json_uint(json, "max_increment", event->max_increment);
	json_open(json, "counters", '[');
	for (unsigned i = 0; i < 32; i++)
		if (event->counters >> i & 1)
			json_uint(json, NULL, i);
	json_close(json, ']');
	json_open(json, "unit_masks", '[');
	for (size_t i = 0; uncore_event_info_unit_mask(event, i, &mask); i++) {
		bool one = is_modelled(model, event, mask.name, num_ports);

		json_open(json, NULL, '{');
		json_string(json, "name", mask.name);
		json_uint(json, "value", mask.value);
		json_string(json, "brief", mask.brief);
		json_bool(json, "modelled", one);
		json_close(json, '}');
		modelled |= one;
	}
	json_close(json, ']');
	json_open(json, "aliases", '[');
	for (size_t i = 0; i < event->num_aliases; i++)
		json_string(json, NULL, uncore_event_info_alias(event, i));
	json_close(json, ']');
	json_string(json, "brief", event->brief);
	json_string(json, "source", event->source);
	if (!event->num_unit_masks)
		modelled = is_modelled(model, event, NULL, num_ports);
	json_bool(json, "modelled", modelled);
	json_close(json, '}');
}

static size_t list_json(const struct uncore_family *family,
			const struct uncore_model *model, const char *pattern)
{
	struct json json = { .file = stdout };
	struct uncore_event_info event;
	size_t found = 0;

	json_open(&json, NULL, '{');
	json_string(&json, "machine", uncore_family_name(family));
	json_boxes(&json, family);
	json_open(&json, "events", '[');
	for (size_t i = 0; uncore_family_event(family, i, &event); i++) {
		if (!fits(pattern, &event))
			continue;
		json_event(&json, family, model, &event);
		found++;
	}
	json_close(&json, ']');
	json_packets(&json, family);
	json_close(&json, '}');
	return found;
}

static void print_box(const struct uncore_family *family, const char *name)
{
	struct uncore_box box;

	for (size_t i = 0; uncore_family_box(family, i, &box); i++) {
		if (strcmp(box.name, name))
			continue;
		printf("%s (%s): %u per socket, %u counter%s of %u bits",
		       box.name, box.guide_name, box.num_instances,
		       box.num_counters, box.num_counters == 1 ? "" : "s",
		       box.width_bits);
		if (box.num_fixed)
			printf(" and %u fixed", box.num_fixed);
		printf("\n");
	}
}

static void print_ports(const struct uncore_family *family)
{
	struct uncore_port port;

	printf("  events need a port:");
	for (size_t i = 0; uncore_family_port(family, i, &port); i++)
		printf(" port=%s", port.name);
	printf("\n");
}

/* 0-5, or 0,2: the counters of a mask. */
static void print_counters(uint32_t counters)
{
	const char *separator = "";

	for (unsigned i = 0; i < 32; i++) {
		unsigned last = i;

		if (!(counters >> i & 1))
			continue;
		while (last < 31 && counters >> (last + 1) & 1)
			last++;
		printf("%s%u", separator, i);
		if (last > i)
			printf("-%u", last);
		separator = ",";
		i = last;
	}
}

static void print_masks(const struct uncore_model *model,
			const struct uncore_event_info *event,
			unsigned num_ports)
{
	struct uncore_unit_mask mask;

	for (size_t i = 0; uncore_event_info_unit_mask(event, i, &mask); i++) {
		printf("    .%-18s %s%s\n", mask.name, mask.brief,
		       is_modelled(model, event, mask.name, num_ports)
			       ? ""
			       : "  [not modelled]");
		if (mask.excluded)
			printf("%25sDo not use: %s\n", "", mask.excluded);
	}
}

static void print_event(const struct uncore_family *family,
			const struct uncore_model *model,
			const struct uncore_event_info *event)
{
	unsigned num_ports = ports_of(family, event->box);
	bool plain = !event->num_unit_masks &&
		     !is_modelled(model, event, NULL, num_ports);

	printf("  %-30s code 0x%02x, counter ", event->name, event->code);
	print_counters(event->counters);
	if (event->max_increment > 1)
		printf(", up to %u a cycle", event->max_increment);
	printf("%s\n      %s\n", plain ? "  [not modelled]" : "", event->brief);
	if (*event->note)
		printf("      Note: %s\n", event->note);
	if (event->excluded)
		printf("      Do not use: %s\n", event->excluded);
	print_masks(model, event, num_ports);
}

static size_t list_text(const struct uncore_family *family,
			const struct uncore_model *model, const char *pattern)
{
	struct uncore_event_info event;
	const char *box = "";
	size_t found = 0;

	for (size_t i = 0; uncore_family_event(family, i, &event); i++) {
		if (!fits(pattern, &event))
			continue;
		if (strcmp(box, event.box)) {
			printf("%s", found ? "\n" : "");
			box = event.box;
			print_box(family, box);
			if (ports_of(family, box) > 1)
				print_ports(family);
		}
		print_event(family, model, &event);
		found++;
	}
	return found;
}

int cmd_list(int argc, char **argv)
{
	struct settings settings = { .machine = TOOL_DEFAULT_MACHINE };
	const struct uncore_family *family;
	struct uncore_model *model;
	int status = TOOL_OK;
	size_t found;

	argp_parse(&argp, argc, argv, 0, NULL, &settings);
	family = tool_family(settings.machine);
	if (!family)
		return TOOL_USAGE;
	if (settings.names)
		return tool_finish(
			list_names(family, settings.machine, settings.kind),
			stdout, NULL);
	if (settings.metrics) {
		status = list_metrics(family, &settings.metric_files,
				      settings.pattern, settings.json);
		return tool_finish(status, stdout, NULL);
	}
	model = model_of(settings.machine);
	if (settings.json)
		found = list_json(family, model, settings.pattern);
	else
		found = list_text(family, model, settings.pattern);
	if (model)
		uncore_model_free(model);
	if (!found && settings.pattern)
		status = tool_fail(TOOL_FAILED, "no event fits '%s'",
				   settings.pattern);
	return tool_finish(status, stdout, NULL);
}
