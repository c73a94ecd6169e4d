/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of a live model as a tree of files, like Linux's /dev/cpu:
 *
 *   DIR/<cpu>/msr   8-byte reads and writes at offset = register address
 *   DIR/clock       the uncore cycle; with a stepped clock, writing a number
 *                   of cycles advances by so many
 *   DIR/status      what is modelled, and how far it lags, "key: value" lines
 */
#ifndef UNCORE_MSRFS_H
#define UNCORE_MSRFS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_live;
struct uncore_msrfs;

struct uncore_msrfs_config {
	size_t struct_size; /* sizeof, by the caller */
	const char *folder; /* must exist */
	bool allow_other;   /* everybody may use it, not the owner alone */
};

/* Mounts; *fs is to be freed with uncore_msrfs_free(), which unmounts. A mount
 * that a dead server left behind is replaced; a living one is refused
 * (UNCORE_ERR_STATE). On error *error (to be freed) is a sentence. */
int uncore_msrfs_new(struct uncore_live *live,
		     const struct uncore_msrfs_config *config,
		     struct uncore_msrfs **fs, char **error);

/* Answers until it is unmounted from outside, or until uncore_msrfs_stop(). */
int uncore_msrfs_run(struct uncore_msrfs *fs, char **error);

/* May be called from a signal handler and from any thread. */
void uncore_msrfs_stop(struct uncore_msrfs *fs);

/* Whether a mount that a dead server left behind was replaced. */
bool uncore_msrfs_has_replaced(const struct uncore_msrfs *fs);

/* Unmounts, though clients may have files open: they get errors from then on.
 * NULL is allowed. */
void uncore_msrfs_free(struct uncore_msrfs *fs);

#ifdef __cplusplus
}
#endif

#endif
