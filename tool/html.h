/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A page of HTML that shows JSON: share/viewer.html with the JSON in it.
 */
#ifndef UNCORE_TOOL_HTML_H
#define UNCORE_TOOL_HTML_H

#include <stdio.h>

/* The page before and behind the JSON, made of the viewer. */
extern const char html_head[], html_tail[];

/* Opens an output file as tool_open() does, to be ended by tool_finish(): what
 * is printed to it is JSON, in one piece or one line after the other. */
int html_open(const char *name, FILE *standard, FILE **file);

#endif
