/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What commands count and suggest where nobody says what, by family.
 */
#ifndef UNCORE_TOOL_USUAL_H
#define UNCORE_TOOL_USUAL_H

#include "uncore/family.h"

/* Events, up to NULL, and a category of metrics. Static, nobody frees them. */
struct usual {
	const char *box;       /* of whose slices they are */
	const char *misses[2]; /* reads that the last-level cache misses */
	const char *hits;      /* reads that find their line there */
	/* What finds a line that others have, or had: a look-up of a CBo is of
	 * own and other sockets, by one filter; a CHA snoops who has it. */
	const char *lines[4];
	const char *links; /* between the sockets */
};

const struct usual *usual_of(const struct uncore_family *family);

#endif
