/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From options to a model of a machine.
 */
#include "machine.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "tool.h"
#include "uncore/error.h"
#include "uncore/model.h"

enum { MOST_LINKS = 4 }; /* of a socket */

#define AT(MEMBER) .at = offsetof(struct machine_settings, MEMBER)

static const struct option_row rows[] = {
	{ "machine", 'm', "NAME",
	  "Machine to model, or its family (default " TOOL_DEFAULT_MACHINE
	  "); 'uncore model machines' lists them",
	  AT(machine) },
	{ "sockets", 'N', "N",
	  "Number of sockets, at most what the machine has room for",
	  AT(sockets) },
	{ "set", 'S', "NAME=VALUE",
	  "Set a parameter of the machine; 'uncore model show' lists them",
	  AT(sets), .take = options_add },
	{ "inject", 0, "FAULT[:KEY=VALUE,...]",
	  "Let something go wrong: once, or with a probability (rate=), not "
	  "before a cycle (at=), so often at most (count=), in one socket or "
	  "box (socket=, box=); 'uncore model faults' lists what there is",
	  AT(faults), .take = options_add },
	{ "check", 0, NULL,
	  "Let the model look for what can never be, now and then and at its "
	  "end: two owners of a line, lost credits, counters and signals that "
	  "disagree",
	  AT(check) },
	{ 0 },
};

const struct options machine_options = {
	.rows = rows,
};

static int set_sockets(struct uncore_model_config *config, const char *text)
{
	unsigned long long number;
	char *error = NULL;
	int code;

	if (!tool_number("number of sockets", text, &number))
		return TOOL_USAGE;
	if (number > UINT_MAX)
		number = UINT_MAX;
	code = uncore_model_config_sockets(config, (unsigned)number, &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static int set(struct uncore_model_config *config, const char *text)
{
	char *error = NULL;
	int code = uncore_model_config_set(config, text, &error);

	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static int set_auto(struct uncore_model_config *config)
{
	int status = set(config, "detail.share=1");

	return status ? status : set(config, "detail.adapts=1");
}

/* A percentage is given to the parameter as it stands. */
static int set_share(struct uncore_model_config *config, const char *text,
		     size_t length)
{
	char share[64];
	int status;

	if (length == 4 && !strncmp(text, "full", length))
		return set(config, "detail.share=100");
	if (length == 4 && !strncmp(text, "auto", length))
		return set_auto(config);
	if (length < 2 || memchr(text, '%', length) != text + length - 1 ||
	    length > 20)
		return tool_fail(TOOL_USAGE,
				 "--detail=%s: 'full', 'auto', or a part "
				 "of the accesses such as 2%%",
				 text);
	snprintf(share, sizeof(share), "detail.share=%.*s", (int)length - 1,
		 text);
	status = set(config, share);
	return status ? status : set(config, "detail.adapts=0");
}

static int set_detail(const struct machine_settings *settings,
		      struct uncore_model_config *config)
{
	const char *text = settings->detail, *seed = strchr(text, ',');
	size_t length = seed ? (size_t)(seed - text) : strlen(text);
	char text_of_seed[64];
	int status;

	if (settings->check && strcmp(text, "full"))
		return tool_fail(TOOL_USAGE,
				 "--check looks at every access: leave "
				 "--detail out, or give --detail=full");
	status = set_share(config, text, length);
	if (status || !seed)
		return status;
	if (strncmp(seed, ",seed=", 6) || strlen(seed) > 30)
		return tool_fail(TOOL_USAGE,
				 "--detail=%s: what may follow is ,seed=N",
				 text);
	snprintf(text_of_seed, sizeof(text_of_seed), "detail.seed=%s",
		 seed + 6);
	return set(config, text_of_seed);
}

bool machine_is_auto(const struct machine_settings *settings)
{
	bool is_said = settings->detail || settings->check;

	for (unsigned i = 0; i < settings->sets.num; i++)
		is_said |=
			!strncmp(settings->sets.list[i], "detail.share=", 13);
	return settings->has_windows && !is_said;
}

bool machine_parameter(const struct uncore_model_config *config,
		       const char *name, struct uncore_model_param *param)
{
	for (size_t i = 0; uncore_model_config_param(config, i, param); i++)
		if (!strcmp(param->name, name))
			return true;
	return false;
}

/* Repeats that all had the same windows would all be off by the same. */
static int set_next_seed(const struct machine_settings *settings,
			 struct uncore_model_config *config)
{
	struct uncore_model_param seed;
	char text[64];

	if (!settings->run || !settings->has_windows ||
	    !machine_parameter(config, "detail.seed", &seed))
		return TOOL_OK;
	snprintf(text, sizeof(text), "detail.seed=%.0f",
		 strtod(seed.value, NULL) + settings->run);
	return set(config, text);
}

int machine_apply(const struct machine_settings *settings,
		  struct uncore_model_config *config)
{
	int status = machine_is_auto(settings) ? set_auto(config) : TOOL_OK;

	for (unsigned i = 0; i < settings->sets.num && !status; i++)
		status = set(config, settings->sets.list[i]);
	if (settings->detail && !status)
		status = set_detail(settings, config);
	if (!status)
		status = set_next_seed(settings, config);
	uncore_model_config_check(config, settings->check);
	return status;
}

/* Before a model is made: who makes no estimates has all in detail. */
static int check_detail(const struct machine_settings *settings,
			const struct uncore_model_config *config)
{
	struct uncore_model_param share;

	if (settings->has_windows || settings->is_live ||
	    !machine_parameter(config, "detail.share", &share) ||
	    strtod(share.value, NULL) >= 100)
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
			 "detail.share below 100 is for 'uncore stat' and "
			 "'uncore record' of a run as a whole, for guests and "
			 "served models (--detail)");
}

int machine_config(const struct machine_settings *settings,
		   struct uncore_model_config **config)
{
	const char *name =
		settings->machine ? settings->machine : TOOL_DEFAULT_MACHINE;
	char *error = NULL;
	int status = TOOL_OK;

	*config = NULL;
	if (isdigit((unsigned char)*name))
		return tool_fail(TOOL_USAGE,
				 "-m %s: here -m names a machine ('uncore list "
				 "--names=machines'); perf's pages of a buffer "
				 "are not needed: leave them out",
				 name);
	if (!tool_family(name))
		return TOOL_USAGE;
	*config = uncore_model_config_new(name, &error);
	if (!*config)
		return tool_fail_with(UNCORE_ERR_UNKNOWN_FAMILY, error);
	if (settings->sockets)
		status = set_sockets(*config, settings->sockets);
	if (!status)
		status = machine_apply(settings, *config);
	for (unsigned i = 0; i < settings->faults.num && !status; i++) {
		int code = uncore_model_config_inject(
			*config, settings->faults.list[i], &error);

		if (code)
			status = tool_fail_with(code, error);
	}
	if (status) {
		uncore_model_config_free(*config);
		*config = NULL;
	}
	return status;
}

int machine_make(const struct machine_settings *settings,
		 const struct machine_how *how,
		 struct uncore_model_config *config,
		 struct uncore_model **model)
{
	char *error = NULL;
	int code = 0, status = check_detail(settings, config);

	if (status) {
		uncore_model_config_free(config);
		return status;
	}
	uncore_model_config_strict(config, how->strict);
	if (how->log)
		uncore_model_config_log(config, how->log, how->context);
	*model = uncore_model_new(config, &error);
	if (how->config)
		*how->config = config;
	else
		uncore_model_config_free(config);
	if (!*model)
		return tool_fail_with(UNCORE_ERR_BAD_PARAMETER, error);
	if (how->workload)
		code = uncore_model_set_workload(*model, how->workload, &error);
	if (!code)
		return TOOL_OK;
	uncore_model_free(*model);
	*model = NULL;
	return tool_fail_with(code, error);
}

int machine_model(const struct machine_settings *settings,
		  const struct machine_how *how, struct uncore_model **model)
{
	struct uncore_model_config *config;
	int status = machine_config(settings, &config);

	return status ? status : machine_make(settings, how, config, model);
}

int machine_free(struct uncore_model *model, int status)
{
	const char *wrong = model ? uncore_model_check(model) : NULL;

	if (wrong)
		status =
			tool_fail(TOOL_FAILED,
				  "the model contradicts itself (%s); its "
				  "counts are not to be trusted: please report "
				  "this fault of uncore",
				  wrong);
	if (model)
		uncore_model_free(model);
	return status;
}

void machine_put_links(const struct uncore_model *model, struct json *json)
{
	struct table table;

	table_init(&table, "links", "");
	table_add_columns(&table, "socket:n link:n to:t peer:n peer_link:n");
	for (unsigned i = 0; i < uncore_model_sockets(model) * MOST_LINKS;
	     i++) {
		unsigned socket = i / MOST_LINKS, link = i % MOST_LINKS;
		unsigned peer, peer_link;
		int kind = uncore_model_link(model, socket, link, &peer,
					     &peer_link);
		bool is_hub = kind == UNCORE_LINK_HUB;

		if (kind != UNCORE_LINK_NONE)
			table_add(&table, (double)socket, (double)link,
				  is_hub ? "hub" : "socket", (double)peer,
				  is_hub ? NAN : (double)peer_link);
	}
	table_print_json(&table, json);
	table_free(&table);
}
