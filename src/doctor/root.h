/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Files of this machine, or of a tree that looks like one.
 */
#ifndef UNCORE_DOCTOR_ROOT_H
#define UNCORE_DOCTOR_ROOT_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of CapEff in /proc/self/status. */
enum {
	ROOT_CAP_DAC_OVERRIDE = 1,
	ROOT_CAP_SYS_RAWIO = 17,
	ROOT_CAP_SYS_ADMIN = 21,
	ROOT_CAP_PERFMON = 38,
};

struct root {
	const char *path; /* "": this machine */
	bool is_here;
	bool is_inner; /* in a user namespace, whose rights end with it */
	uint64_t capabilities;
	unsigned user;
};

enum root_right {
	ROOT_MISSING,
	ROOT_CLOSED,
	ROOT_READ, /* may be read, and not written */
	ROOT_WRITE,
};

/* `path` NULL: this machine. Reads who we are. */
void root_open(struct root *root, const char *path);

/* Whether a capability counts outside of a user namespace. */
bool root_can(const struct root *root, unsigned capability);

/* The contents of a file without blanks at the end, to be freed; NULL: it
 * cannot be read. Bytes that are zero become blanks. */
char *root_text(const struct root *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool root_has(const struct root *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What may be done to a file. */
enum root_right root_right(const struct root *root, const char *path);

/* Mode and owner of a file in words, to be freed. */
char *root_mode(const struct root *root, const char *path);

/* The path in the tree, to be freed. */
char *root_path(const struct root *root, const char *path);

/* The number after "key:" (or "key\t:") at the beginning of a line; false
 * without one. */
bool root_number(const char *text, const char *key, unsigned base,
		 uint64_t *number);

/* The text after "key:", to be freed, or NULL. */
char *root_value(const char *text, const char *key);

#endif
