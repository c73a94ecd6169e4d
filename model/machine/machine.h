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
	const char *family; /* a folder of data/ */
	const char *title;
	const char *brand;	 /* what its processors call themselves */
	const struct kind *kind; /* model/box/kind.h */
	/* NUM_PARAMS of them; or, of one that is like another but for their
	 * defaults, those that differ, ended by one without a name. */
	const struct machine *like;
	const struct machine_param *params;
};

/* Ended by a row without a name. */
extern const struct machine machines[];

/* The enum param of a name; -1: there is none. */
int machine_find(const struct machine *machine, const char *name);

/* By enum param. */
const struct machine_param *machine_param(const struct machine *machine,
					  unsigned index);

#endif
