/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lists of events in JSON, as Intel publishes them for each processor and as
 * the kernel's sources hold them, Intel's and others': an array of objects, or
 * an object with such an array as "Events". An object is an event of the boxes
 * that its "Unit" names; keys.h has what the other keys say.
 */
#ifndef UNCORE_PERF_JSON_H
#define UNCORE_PERF_JSON_H

#include "perf/pmus.h"

/* Adds the events of a file, or of all files *.json of a folder, to the boxes
 * that they are for; one that is not understood is there, with the reason. An
 * error where a file is no such list, or where none of its events is for a box
 * that is there. */
int perf_json_read(struct perf_pmus *pmus, const char *place, char **error);

#endif
