/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#ifndef UNCORE_TOOL_REPORT_VERDICT_H
#define UNCORE_TOOL_REPORT_VERDICT_H

#include <stdio.h>

#include "reader.h"

/* Looks at the data of a recording, whose path is for commands, and says what
 * there is to say of them to a file, or in JSON (NULL: a text); an exit code.
 */
int report_verdict_print(struct reader *reader, const char *path, FILE *file,
			 struct json *json);

#endif
