/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is looked at: registers somewhere, and the program, workload, recording
 * or span of time that passes meanwhile. `uncore stat` counts it, `uncore
 * record` writes it down.
 */
#ifndef UNCORE_TOOL_TARGET_H
#define UNCORE_TOOL_TARGET_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "event_set.h"
#include "machine.h"
#include "run.h"
#include "uncore/metric.h"

struct uncore_target;

/* --- where.c: where registers are, as a person writes it: "msr", "msr:FOLDER",
 * "pci", "pci:FOLDER", one of each with a comma between, "socket:PATH", "perf";
 * "model" is a model in this process. --- */

bool where_is_known(const char *where);

/* "perf", "perf:PLACE": the kernel's PMUs, also with ",events=PLACE". */
bool where_is_perf(const char *where);

/* Anything but "model"; `where` NULL: this machine's registers, all that its
 * processor has. NULL and *error, to be freed, if it cannot be had. */
struct uncore_target *where_open(const char *where, char **error);

/* --- choice.c: where a command counts that was told no place --- */

/* What is to be counted; what is NULL is not asked for. */
struct choice_wish {
	const struct event_list *events;
	const char *metrics; /* as -M has them */
	const struct option_texts *metric_files;
};

/* The best of this machine's own ways, as 'uncore doctor' tells it; NULL where
 * nothing real is open, or where the wish is one that only the model's default
 * machine knows, and the model is to be taken. *because (to be freed; may be
 * NULL) is the part of a sentence on why it is this one. */
struct uncore_target *choice_open(const struct choice_wish *wish,
				  char **because);

/* --- replay.c: a recording as the traffic of a model --- */

/* A model of the recorded machine, changed as --set says, with the recording as
 * its traffic; `region` (its number as text, or NULL) is the next one to run,
 * after all before it. An exit code. */
int replay_open(const char *path, const char *region,
		const struct machine_settings *machine,
		struct uncore_model **model, struct uncore_replay **replay);

/* Runs one region, or all (region NULL). */
void replay_run(struct uncore_replay *replay, const char *region,
		const volatile int *stop);

/* --- target_settings.c --- */

/* As given on the command line. */
struct target_settings {
	struct machine_settings machine;
	const char *workload;
	const char *replay;
	const char *region;
	const char *on;
	const char *events;	/* a list of names; on perf */
	struct run_program how; /* the program runs */
	bool hides_progress;
	const char *seed;
	const char *cycles;
	const char *duration;
	bool looks_on;	/* with none of these it counts on, where anything real
			* can be counted: of who only looks */
	char **program; /* the first word that is no option, and the rest */
};

/* A child parser; its input is a struct target_settings. The parent is to be
 * parsed with ARGP_IN_ORDER. */
extern const struct options target_options;

/* Whether all that goes together; an exit code. */
int target_settings_check(const struct target_settings *settings,
			  const char *command);

/* Whether a model in this process is asked for by what was said. */
bool target_wants_model(const struct target_settings *settings);

/* Whether --detail goes with what is looked at, of which `part` (NULL: none) is
 * an option that makes it a part of the run, or such that all is in detail; an
 * exit code. */
int target_settings_detail(struct target_settings *settings, const char *part);

/* --- target.c --- */

/* Two words for each text that may be given again, and one for each of the
 * others. */
enum { TARGET_MOST_WORDS = 4 * OPTION_MOST_TEXTS + 20 };

struct target {
	const struct target_settings *settings;
	struct choice_wish wish;    /* set by who opens it */
	struct uncore_model *model; /* NULL: registers elsewhere */
	struct uncore_target *registers;
	struct run run;
	const char *same[TARGET_MOST_WORDS]; /* options of the same run */
	char *what;	  /* the program or workload, in words */
	bool is_modelled; /* here or elsewhere, and not counted by hardware */
	char *because;	  /* where nobody said where: why it is here; or NULL */
};

/* The words of a program with blanks between them, to be freed. */
char *target_join(char **words);

/* Opens registers and model after looking whether the settings go together;
 * `command` ("uncore stat") is for the messages. An exit code; in any case
 * target_close() is to be called. */
int target_open(struct target *target, const struct target_settings *settings,
		const char *command);

/* Starts the program where it runs on the model: the last step before
 * run_all(&target->run, ...). An exit code. */
int target_prepare(struct target *target);

/* The cycle of the model, wherever it is; false on real hardware. */
bool target_cycle(const struct target *target, uint64_t *cycle,
		  double *clock_hz);

/* How far it has come in seconds, by that or else by the clock on the wall. */
double target_seconds(const struct target *target);

/* How far it has come in all that is known of it (cycles are whole numbers),
 * and what has passed since then. */
struct uncore_metric_run target_now(const struct target *target);
struct uncore_metric_run target_since(const struct uncore_metric_run *then,
				      const struct uncore_metric_run *now);

/* What is counted on: a modelled machine, or else the processor's family. */
const char *target_machine(const struct target *target);

/* Ends what runs, closes the registers. Returns status, or an exit code for
 * what --check found. */
int target_close(struct target *target, int status);

#endif
