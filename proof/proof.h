/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The rows of the text files beside this as tables, each with zeros at its end.
 */
#ifndef UNCORE_PROOF_PROOF_H
#define UNCORE_PROOF_PROOF_H

#include <stdbool.h>

/* One run of the model, as the options of `uncore stat` say it, for ten cores a
 * socket. Where there are fewer, and the threads are too many for them, all
 * parts have so much fewer threads. */
struct coverage_scene {
	const char *name;
	const char *workload;
	const char *sets;    /* --set, with blanks between them; or NULL */
	const char *injects; /* --inject, likewise */
	unsigned sockets;
	unsigned long long cycles; /* 0: until the traffic has ended */
	unsigned long long n;	   /* what a law calls N */
};

/* What is known of the events whose BOX/EVENT.MASK fits a pattern (as a shell
 * has them). The first row that fits counts, those of the family first. */
struct coverage_law {
	const char *pattern;
	const char *family;  /* a pattern, too; NULL: of each */
	const char *scenes;  /* one is tried after the other */
	const char *beside;  /* an event that the same PMU counts; NULL */
	const char *options; /* "port=qpi0": alternatives with blanks between
				them, each tried in each scene; or NULL */
	const char *check;   /* see coverage_check.c; NULL: a bound alone */
	const char *why;     /* it is a bound, and perhaps a loose one; or
				NULL */
};

/* Where an event counts that does not count in the first scene, with the first
 * options, of its law. */
struct coverage_found {
	const char *name;   /* BOX/EVENT[.MASK] */
	const char *family; /* NULL: of each */
	const char *scene;
	const char *options; /* "" if none */
};

/* A figure published for a real machine, and the model's. */
struct validate_row {
	const char *metric;
	const char *unit;
	const char *machine; /* what is modelled, and how it is measured */
	const char *source;
	double published_low, published_high;
	double low, high; /* accepted */
	unsigned digits;  /* to be printed behind the point */
	double value;	  /* of the model; 0 in the table */
	/* Why it is not met, or NULL: it is. The value then lies between the
	 * limit, which is the worst that is known, and what is accepted. */
	const char *unmet;
	double limit;
	bool is_long; /* measured where it is asked for alone */
	/* How it is measured, NULL: by a function of its own. The machine with
	 * its parameters, and a workload in which {LESS|MORE} is one or the
	 * other; what MORE takes longer is divided by one of these numbers, in
	 * ns or core cycles, or divides so many bytes, in GB/s. */
	const char *model, *run;
	double per_ns, per_cycles, per_bytes;
	unsigned less, over; /* 1 + place of a figure that is taken off, or
				that divides; 0: none */
};

/* A pair of loops of proof/pairs, and what is asked of their times. */
struct validate_pair {
	const char *name;
	const char *metric;
	const char *why;
	const char *bad, *good; /* closed forms of their times */
	double low, high;	/* high 0: no end */
	/* Machines on which the ratio is not as asked, each with the worst one
	 * that is known (xeon-e7=1.0 ...), and why; NULL: none. */
	const char *limits, *unmet;
};

extern const struct coverage_scene coverage_scenes[];
extern const struct coverage_law coverage_laws[];
extern const struct coverage_found coverage_found[];
extern const struct validate_row validate_published[];
extern const struct validate_pair validate_pairs[];

#endif
