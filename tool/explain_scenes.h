/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The runs of the catalogue of `uncore model coverage` in which events count.
 */
#ifndef UNCORE_TOOL_EXPLAIN_SCENES_H
#define UNCORE_TOOL_EXPLAIN_SCENES_H

struct explain_scene {
	const char *name;    /* BOX/EVENT.MASK */
	const char *family;  /* NULL: of all */
	const char *scene;   /* see coverage.h */
	const char *options; /* port=qpi0, or "" */
};

/* Ended by a row of NULLs; what counts in its first run is not here. */
extern const struct explain_scene explain_scenes[];

#endif
