/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore model machines [NAME]`: all machines, or what one is made of, with
 * where each figure comes from.
 */
#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "machine.h"
#include "page.h"
#include "table.h"
#include "uncore/model.h"

enum {
	EX_LINKS = 4,	 /* of a socket that has no qpi.links to say so */
	EX_LOCKSTEP = 2, /* memory buffers of a controller */
	SOURCE_AT = 50,	 /* column */
};

struct settings {
	const char *name;
	bool json;
};

static const struct option_row rows[] = {
	OPTION_JSON(.at = offsetof(struct settings, json)),
	{ 0 },
};

static const struct options options = {
	.rows = rows,
	.words = "[NAME]",
	.help = "Show the machines that -m can name, or of one NAME cores, "
		"caches, memory, links and latencies, each with where it comes "
		"from, and what is published for it."
		"\vOne of each family is called as the family is, and is what "
		"its other names differ from. 'uncore model show -m NAME' has "
		"all parameters, of which --set changes one; 'uncore model "
		"validate -m NAME' measures what is published.",
	.one = "one NAME is enough",
	.words_at = offsetof(struct settings, name),
};

static double param_of(const struct uncore_model_config *config,
		       const char *name)
{
	struct uncore_model_param param;

	return machine_parameter(config, name, &param)
		       ? strtod(param.value, NULL)
		       : NAN;
}

/* DDR channels of a socket: those of the Xeon E7 and 7500 are the buses behind
 * the memory buffers of their controllers. */
static double channels_of(const struct uncore_model_config *config)
{
	double channels = param_of(config, "imc.channels");

	return isnan(channels)
		       ? param_of(config, "memory.controllers") * EX_LOCKSTEP *
				 param_of(config, "dram.buses")
		       : channels;
}

static void add_machine(struct table *table, const char *name,
			const char *family, const char *title)
{
	struct uncore_model_config *config =
		uncore_model_config_new(name, NULL);
	double cores, links;

	if (!config)
		return;
	cores = param_of(config, "cores");
	links = param_of(config, "qpi.links");
	table_add(table, name, family, param_of(config, "sockets"), cores,
		  round(param_of(config, "core.clock")),
		  param_of(config, "llc.slice") * cores / 1024,
		  isnan(links) ? EX_LINKS : links, param_of(config, "qpi.rate"),
		  channels_of(config),
		  round(2000 / param_of(config, "dram.tck")),
		  param_of(config, "memory.size"), title);
	uncore_model_config_free(config);
}

/* A line of 80 columns for each. */
static void print_machines(const struct table *table, FILE *file)
{
	fputs("Machines that -m can name; 'uncore model machines NAME' says "
	      "more of one:\n\n"
	      "  machine            family         sockets   GHz  LLC  channels"
	      " links    memory\n"
	      "                                    x cores       MB   x MT/s"
	      "   x GT/s   GB\n",
	      file);
	for (size_t i = 0; i < table->num_rows; i++)
		fprintf(file,
			"  %-18s %-15s %.0f x %-2.0f %5.2f %4.0f  %2.0f x "
			"%-4.0f %2.0f x %-4g %4.0f\n",
			table_text(table, i, 0), table_text(table, i, 1),
			table_get(table, i, 2), table_get(table, i, 3),
			table_get(table, i, 4) / 1000, table_get(table, i, 5),
			table_get(table, i, 8), table_get(table, i, 9),
			table_get(table, i, 6), table_get(table, i, 7),
			table_get(table, i, 10));
}

static void put_machines(bool is_json)
{
	struct json json = { .file = stdout };
	const char *name, *family, *title;
	struct table table;

	table_init(&table, "machines", "");
	table_add_columns(&table, "machine:t family:t sockets:n cores:n");
	table_add_columns(&table, "core_clock:r llc:r links:n qpi:r");
	table_add_columns(&table, "channels:n dram:r memory:r what:t");
	for (size_t i = 0; uncore_model_machine_at(i, &name, &family, &title);
	     i++)
		add_machine(&table, name, family, title);
	if (is_json) {
		json_open(&json, NULL, '{');
		json_members(&json, "schema:%s", "uncore-machines-1");
		table_print_json(&table, &json);
		json_close(&json);
	} else {
		print_machines(&table, stdout);
	}
	table_free(&table);
}

/* What people ask of a machine, by groups. */
static const struct {
	const char *key, *heading, *names;
} groups[] = {
	{ "cores", "Cores",
	  "sockets cores core.clock core.turbo core.slow_clock core.window "
	  "core.fill_buffers uncore.clock pcu.power_limit" },
	{ "caches", "Caches", "core.l2 core.l2_ways llc.slice llc.ways" },
	{ "memory", "Memory of a socket",
	  "memory.size memory.controllers imc.channels ha.agents dram.buses "
	  "dram.dimms dram.ranks dram.tck dram.cl dram.trcd dram.trp "
	  "ha.snoop" },
	{ "links", "Rings and links",
	  "ring.cores ring.second_cores qpi.links qpi.rate io.hubs" },
	{ "latencies", "Latencies",
	  "core.l1_cycles core.l2_cycles core.request_cycles "
	  "core.fill_cycles core.snoop_cycles core.idf_cycles ha.cycles "
	  "mbox.cycles mbox.smi_cycles mbox.response_cycles imc.front imc.back "
	  "qpi.latency core.prefetch_cycles" },
};

/* Whether a name is one of these. */
static bool is_among(const char *names, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = names; (at = strstr(at, name)); at += length)
		if ((at == names || at[-1] == ' ') &&
		    (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static void put_param(struct page *page, const struct uncore_model_param *row)
{
	int length;

	json_add_row(page->json, "name:%s value:%s unit:%s brief:%s source:%s",
		     row->name, row->value, row->unit, row->brief, row->source);
	if (page->json)
		return;
	length = fprintf(page->file, "    %-21s %9s %-13s", row->name,
			 row->value, row->unit);
	fprintf(page->file, "%*s", SOURCE_AT - length, "");
	page_wrap(page->file, row->source, SOURCE_AT, SOURCE_AT);
}

static void put_groups(struct page *page,
		       const struct uncore_model_config *config)
{
	struct uncore_model_param row;

	for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
		page_heading(page, "%s", groups[g].heading);
		json_open(page->json, groups[g].key, '[');
		for (size_t i = 0; uncore_model_config_param(config, i, &row);
		     i++)
			if (is_among(groups[g].names, row.name))
				put_param(page, &row);
		json_close(page->json);
	}
}

/* Whether all parameters are those of the machine of the family's name. */
static bool is_the_familys(const struct uncore_model_config *config,
			   const char *family)
{
	struct uncore_model_config *other =
		uncore_model_config_new(family, NULL);
	struct uncore_model_param row, its;
	bool is_same = other;

	for (size_t i = 0;
	     is_same && uncore_model_config_param(config, i, &row) &&
	     uncore_model_config_param(other, i, &its);
	     i++)
		is_same = !strcmp(row.value, its.value);
	uncore_model_config_free(other);
	return is_same;
}

static int put_machine(struct page *page, const char *wanted)
{
	struct machine_settings settings = { .machine = wanted };
	struct uncore_model_config *config;
	const char *name, *family, *title;
	int status = machine_config(&settings, &config);
	size_t i = 0;

	if (status)
		return status;
	while (uncore_model_machine_at(i, &name, &family, &title) &&
	       strcasecmp(name, wanted) != 0)
		i++;
	page_heading(page, "%s: %s, family %s", name, title, family);
	json_open(page->json, NULL, '{');
	json_members(page->json, "schema:%s machine:%s family:%s what:%s",
		     "uncore-machine-1", name, family, title);
	put_groups(page, config);
	validate_put_published(page,
			       is_the_familys(config, family) ? family : name);
	json_close(page->json);
	uncore_model_config_free(config);
	return TOOL_OK;
}

int cmd_machines(int argc, char **argv)
{
	struct settings settings = { 0 };
	struct json json = { .file = stdout };
	struct page page = { .file = stdout };
	int status = TOOL_OK;

	options_parse(&options, argc, argv, 0, &settings);
	page.json = settings.json ? &json : NULL;
	if (settings.name)
		status = put_machine(&page, settings.name);
	else
		put_machines(settings.json);
	return tool_finish(status, stdout, NULL);
}
