/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The parameters of the modelled machines, made from the text files in this
 * folder.
 */
#ifndef UNCORE_MACHINE_H
#define UNCORE_MACHINE_H

#include "params.h"

struct kind;

/* All 0: the machine has no such parameter. */
struct machine_param {
	const char *name;
	const char *initial; /* default as written */
	const char *unit;
	const char *source;
	const char *brief;
	double value; /* default; for a choice its number */
	double min, max;
	const char *choices; /* "a,b,c" or NULL */
};

struct machine {
	const char *name;
	const char *title;
	const struct kind *kind;	    /* model/box/kind.h */
	const struct machine_param *params; /* NUM_PARAMS of them */
};

/* Ended by a row without a name. */
extern const struct machine machines[];

#endif
