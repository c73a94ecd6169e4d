/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The catalogue behind `uncore model coverage`: runs of the model (scenes), and
 * for every event and unit mask the scenes in which it counts and the law that
 * its count obeys there. The same scene always gives the same counts, whatever
 * is counted; so it is run as often as the counters need, and a law may compare
 * counts of different runs of one scene.
 */
#ifndef UNCORE_PROOF_COVERAGE_H
#define UNCORE_PROOF_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proof/proof.h"
#include "uncore/family.h"

/* The law for an event of a family, BOX/EVENT[.MASK], or NULL. */
const struct coverage_law *coverage_law(const char *family, const char *name);

enum coverage_state {
	COVERAGE_WAITS, /* scenes are left to be tried */
	COVERAGE_PASSED,
	COVERAGE_FAILED,  /* it counted, and the law is broken */
	COVERAGE_NOTHING, /* it never counted anything */
	COVERAGE_NO_MECHANISM,
	COVERAGE_EXCLUDED,
};

/* An event, or one of its unit masks. */
struct coverage_row {
	struct uncore_event_info event;
	struct uncore_unit_mask mask;
	bool has_mask;
	char name[96]; /* EVENT or EVENT.MASK */
	char *signals;
	const char *excluded;
	const struct coverage_law *law;
	enum coverage_state state;
	unsigned tried; /* scenes times options */
	const struct coverage_scene *scene;
	char options[64];
	uint64_t count;
	char *check;	 /* the law with its numbers */
	const char *why; /* it is a bound alone; NULL: or an equality */
};

/* One count of a scene: the sum over sockets and instances. */
struct coverage_count {
	const struct coverage_scene *scene;
	char *text; /* of the event */
	bool is_done;
	char *problem; /* NULL, or why it could not be counted */
	uint64_t value;
	uint64_t time;	 /* cycles of the run */
	uint64_t cycles; /* the same, times the counters that were added */
};

struct coverage {
	const struct uncore_family *family;
	const char *machine;
	const char *like;	     /* whose parameters it has, or NULL */
	unsigned cores;		     /* of a socket */
	struct uncore_target *probe; /* to ask what can be counted */
	struct coverage_row *rows;
	size_t num_rows;
	struct coverage_count *counts;
	size_t num_counts, room;
	unsigned long long num_runs;
	struct injected *injected; /* of scenes with faults */
	size_t num_injected;
};

/* The faults of a scene that struck, by name. */
struct injected {
	const struct coverage_scene *scene;
	const char *name;
	uint64_t number;
};

/* Notes that a scene has to count an event, and returns the place of its count
 * in coverage->counts; SIZE_MAX without memory. */
size_t coverage_want(struct coverage *coverage,
		     const struct coverage_scene *scene, const char *text);

/* Runs what was wanted and has not been counted yet; a TOOL_* status. */
int coverage_run(struct coverage *coverage);

/* "BOX/EVENT.MASK,options/" */
void coverage_text(char *text, size_t size, const char *box, const char *name,
		   const char *options);

/* Looks at the law of a row in its present scene. First the events that it
 * speaks of are wanted (judge false), then it is judged: true if it holds; the
 * law with its numbers is in row->check. */
bool coverage_check(struct coverage *coverage, struct coverage_row *row,
		    bool judge);

const struct coverage_scene *coverage_scene(const char *name, size_t length);

/* Cores of a socket of a machine; of one without a model as many as the
 * catalogue was written for. */
unsigned coverage_cores(const char *machine);

/* The workload of a scene for so many cores of a socket, freed by the caller;
 * NULL without memory. And what a law calls N there. */
char *coverage_workload(const struct coverage_scene *scene, unsigned cores);
double coverage_number(const struct coverage_scene *scene, unsigned cores);

/* The options of a scene but for its machine, as `uncore stat` wants them, for
 * print; freed by the caller, NULL without memory. */
char *coverage_command(const struct coverage_scene *scene, unsigned cores);

#endif
