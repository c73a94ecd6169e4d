/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options that describe the modelled machine, the same for every command
 * that makes one; and the register console.
 */
#ifndef UNCORE_TOOL_MACHINE_H
#define UNCORE_TOOL_MACHINE_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

struct uncore_model;
struct uncore_model_config;

enum { MACHINE_MAX_SETS = 64, MACHINE_MAX_FAULTS = 16 };

/* As given on the command line. */
struct machine_settings {
	const char *machine; /* NULL: the default */
	const char *sockets; /* NULL: as the machine has it */
	const char *sets[MACHINE_MAX_SETS];
	unsigned num_sets;
	const char *faults[MACHINE_MAX_FAULTS];
	unsigned num_faults;
	bool check;
};

/* A child parser; its input is a struct machine_settings. */
extern const struct argp machine_argp;

/* The configuration, to be freed; or an exit code, a sentence and NULL. */
int machine_config(const struct machine_settings *settings,
		   struct uncore_model_config **config);

/* The model, or an exit code and a sentence. */
int machine_model(const struct machine_settings *settings, bool strict,
		  struct uncore_model **model);

/* Frees the model (NULL is allowed); with --check it looks a last time. Returns
 * status, or TOOL_FAILED and a sentence if the model was ever wrong. */
int machine_free(struct uncore_model *model, int status);

/* Answers lines until the input ends; the exit code. */
int console_run(struct uncore_model *model, FILE *in, FILE *out);

#endif
