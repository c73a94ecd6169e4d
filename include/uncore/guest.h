/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A whole guest under QEMU's full-system emulation whose processors have the
 * uncore of a model: its RDMSR and WRMSR reach the model, and its loads, stores
 * and fetches are the model's traffic, by physical address.
 */
#ifndef UNCORE_GUEST_H
#define UNCORE_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_live;
struct uncore_guest;
struct uncore_model;
struct uncore_model_config;

/* When the guest's memory accesses drive the model. Registers always work. */
enum uncore_guest_traffic {
	UNCORE_GUEST_COUNTING, /* while a counter is enabled */
	UNCORE_GUEST_ALWAYS,
	UNCORE_GUEST_MARKED, /* between the marks of a guest program; the
			      * model's time stands still elsewhere */
	UNCORE_GUEST_NONE,   /* the model has traffic of its own, which passes
			      * between the marks */
};

/* What passes in the guest besides its instructions, while all its CPUs are
 * halted. */
enum uncore_guest_clock {
	UNCORE_GUEST_REAL,	   /* wall time */
	UNCORE_GUEST_INSTRUCTIONS, /* the same, but nothing in the model */
	UNCORE_GUEST_SKIP,	   /* the time to the next timer, at once: rates
				    * do not depend on the host */
};

/* All pointers stay the caller's and may be NULL. */
struct uncore_guest_config {
	size_t struct_size; /* sizeof, by the caller */
	const char *qemu;   /* NULL: $UNCORE_QEMU_SYSTEM, else
			     * qemu-system-x86_64 in $PATH */
	const char *plugin; /* NULL: beside this executable, in
			     * $UNCORE_LIBEXEC, or where it was installed */
	const char *kernel, *initrd, *disk;
	const char *append;  /* added to the kernel's command line */
	unsigned memory_mib; /* of all sockets; 0: 1024 */
	/* A guest that has not told within so many seconds that it is up is
	 * ended. They are those that QEMU computes and that all CPUs are
	 * halted. 0: no limit, for a guest that does not tell; the image of
	 * uncore_guest_image() does (docs/tools.md). */
	unsigned boot_limit_s;
	const char *const *options; /* for QEMU, NULL at the end */
	enum uncore_guest_traffic traffic;
	enum uncore_guest_clock clock;
	const struct uncore_model_config *machine; /* the model's: must be
						    * given */
	/* MARKED: what reaches the model between the marks goes into this file,
	 * which is there when the guest has been freed; see below. */
	const char *record;
	/* Hears of registers that the processor refused; called by
	 * uncore_guest_run(). */
	void (*log)(void *context, const char *text);
	void *log_context;
};

struct uncore_guest_status {
	/* Of what ran in the guest, if it told; else QEMU's, 128 + signal as a
	 * shell has it, or 1 where the guest restarted or was not up in time.
	 */
	int exit_code;
	bool has_told; /* exit_code is what the guest told */
	int signal;
	uint64_t reads, writes, faults; /* of uncore registers, by the guest */
	uint64_t instructions;
	uint64_t accesses; /* that reached the model */
	uint64_t lost;	   /* accesses outside the guest's RAM */
	uint64_t rounds;
	uint64_t regions; /* that marks ended */
};

/* Starts QEMU. The live model's clock must not run by itself
 * (UNCORE_LIVE_STEP, not started). *guest is to be freed with
 * uncore_guest_free(). On error *error (to be freed) is a sentence. */
int uncore_guest_start(struct uncore_live *live,
		       const struct uncore_guest_config *config,
		       struct uncore_guest **guest, char **error);

/* Serves the guest until it ends, or *stop is set (QEMU is then ended). */
int uncore_guest_run(struct uncore_guest *guest, const volatile int *stop,
		     struct uncore_guest_status *status, char **error);

/* Kills QEMU if it still runs. NULL is allowed. */
void uncore_guest_free(struct uncore_guest *guest);

/* Paths, to be freed, of a kernel and initrd made of Debian's packages, which
 * may be fetched for it and are kept in the user's cache. */
int uncore_guest_image(char **kernel, char **initrd, char **error);

/* The same kernel, and an initrd that is written to `path` and has a program of
 * this machine as well, with its libraries, its interpreter, its package and
 * the files that its arguments name. words are the program and its arguments,
 * `with` (may be NULL) files, folders or installed packages that it needs
 * besides; NULL ends both. With uncore.run=run on its kernel's command line
 * such a guest runs the program; the program's output is the second serial
 * line, its errors are the third. */
int uncore_guest_image_run(const char *path, const char *const *words,
			   const char *const *with, char **kernel,
			   char **error);

/* A recording of what a guest's programs did between their marks, run again
 * into a fresh model of the same machine: cycle for cycle what happened then,
 * so that other events can be counted, or the same ones by other means. Each
 * pair of marks made one region. */
struct uncore_replay;

/* Opens a recording and checks that it is whole. *replay is to be freed with
 * uncore_replay_free(). On error *error (to be freed) is a sentence. */
int uncore_replay_open(const char *path, struct uncore_replay **replay,
		       char **error);

/* After the model. NULL is allowed. */
void uncore_replay_free(struct uncore_replay *replay);

/* The machine that was modelled, and its parameter number index as
 * "name=value" (NULL past the last one), for uncore_model_config_set(). Strings
 * live as long as the replay. */
const char *uncore_replay_machine(const struct uncore_replay *replay);
const char *uncore_replay_setting(const struct uncore_replay *replay,
				  size_t index);

/* Who is called after each portion of a region, some ten thousand cycles; NULL:
 * nobody. It may read and write registers, and not run the model. */
void uncore_replay_on_portion(struct uncore_replay *replay,
			      void (*handler)(void *context), void *context);

unsigned uncore_replay_regions(const struct uncore_replay *replay);

/* The model's traffic comes from the replay from now on. It must be fresh, and
 * have as many CPUs as the recorded one, else UNCORE_ERR_BAD_PARAMETER. */
int uncore_replay_attach(struct uncore_replay *replay,
			 struct uncore_model *model, char **error);

/* Runs the next region to its end, or until *stop is set (NULL: never), which
 * is looked at every some ten thousand cycles. False when there is none. */
bool uncore_replay_region(struct uncore_replay *replay,
			  const volatile int *stop);

#ifdef __cplusplus
}
#endif

#endif
