/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A file that takes the place of another, or of none, when it is complete. As
 * long as it is written it has no name, where the file system can do that, so
 * that whoever is killed meanwhile leaves nothing; elsewhere (NFS) it stands
 * beside its place.
 */
#ifndef UNCORE_BASE_BESIDE_H
#define UNCORE_BASE_BESIDE_H

#include <sys/stat.h>

struct beside {
	int fd;	    /* to write to; -1: not open */
	char *path; /* its place */
	char *part; /* its name until then; NULL: none */
};

/* Opens one with these rights, in the folder of its place. 0, or errno; then
 * there is nothing to be closed. A link at its place is replaced like a file,
 * never followed. */
int beside_open(struct beside *beside, const char *path, mode_t mode);

/* Puts it in its place; 0, or errno. In any case it is to be closed: what is
 * not in its place is gone then. */
int beside_keep(struct beside *beside);
void beside_close(struct beside *beside); /* no harm where none is open */

#endif
