/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options that describe the modelled machine, the same for every command
 * that makes one; and the register console.
 */
#ifndef UNCORE_TOOL_MACHINE_H
#define UNCORE_TOOL_MACHINE_H

#include <stdbool.h>
#include <stdio.h>

#include "options.h"

struct json;
struct uncore_model;
struct uncore_model_config;
struct uncore_model_param;

/* As given on the command line. */
struct machine_settings {
	const char *machine; /* NULL: the default */
	const char *sockets; /* NULL: as the machine has it */
	struct option_texts sets, faults;
	bool check;
	const char
		*detail;  /* as --detail has it; NULL: auto or full, by this: */
	bool has_windows; /* who counts makes estimates of them */
	unsigned run;	  /* of several, each with other windows */
	bool is_live;	  /* registers are read at any moment: full */
};

/* Fills in a struct machine_settings. */
extern const struct options machine_options;

/* Whether nobody says how much of a run as a whole is in detail: `auto`. */
bool machine_is_auto(const struct machine_settings *settings);

/* Parameters, --detail and --check; an exit code. */
int machine_apply(const struct machine_settings *settings,
		  struct uncore_model_config *config);

/* The configuration, to be freed; or an exit code, a sentence and NULL. */
int machine_config(const struct machine_settings *settings,
		   struct uncore_model_config **config);

/* The parameter of a name; false: there is none. */
bool machine_parameter(const struct uncore_model_config *config,
		       const char *name, struct uncore_model_param *param);

/* The model, or an exit code and a sentence. */
struct machine_how {
	const char *workload; /* NULL: none */
	bool strict;	      /* writes with a reserved bit set raise #GP */
	void (*log)(void *context, const char *text); /* of complaints */
	void *context;
	struct uncore_model_config **config; /* NULL; else it is to be freed */
};
int machine_model(const struct machine_settings *settings,
		  const struct machine_how *how, struct uncore_model **model);

/* The same of a configuration, which is taken. */
int machine_make(const struct machine_settings *settings,
		 const struct machine_how *how,
		 struct uncore_model_config *config,
		 struct uncore_model **model);

/* Frees the model (NULL is allowed); with --check it looks a last time. Returns
 * status, or TOOL_FAILED and a sentence if the model was ever wrong. */
int machine_free(struct uncore_model *model, int status);

/* Answers lines until the input ends; the exit code. */
int console_run(struct uncore_model *model, FILE *in, FILE *out);

/* The links as an array "links": where each end of one leads, so that a link
 * between sockets stands there twice. */
void machine_put_links(const struct uncore_model *model, struct json *json);

#endif
