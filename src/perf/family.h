/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A *live* family: tables made at start from the kernel's PMUs instead of
 * data/. Its registers are no hardware's. Each counter of a box has a control,
 * two registers for what that has no room for, and a count; a term of the
 * PMU's format/ is a field of one of them, one behind the other whatever bits
 * of config the kernel wants it in; map.h puts them there.
 */
#ifndef UNCORE_PERF_FAMILY_H
#define UNCORE_PERF_FAMILY_H

#include "perf/pmus.h"
#include "table/table.h"

/* perf[:PLACE][,events=PLACE]: whether a name is one of a live family. */
bool perf_family_is(const char *name);

/* The family of such a name: made with the first call, and there as long as the
 * program. NULL and *error if it cannot be had. From any thread. */
const struct uc_family *perf_family_open(const char *name, char **error);

/* The same, by who is going to count: how many counters the PMUs have is tried,
 * which writes to their registers. (Only with the first call of either.) */
const struct uc_family *perf_family_try(const char *name, char **error);

/* The same of the text of a capture, as a recording holds it. */
const struct uc_family *perf_family_of_capture(const char *text, char **error);

/* The PMUs that a live family was made from, or NULL: it is none. */
const struct perf_pmus *perf_family_pmus(const struct uc_family *family);

/* What is to be said of the vendor's list that such a family was made with: how
 * many of its events cannot be used. NULL: nothing. */
const char *perf_family_note(const struct uc_family *family);

/* The name that all families have for what the kernel calls so: event is
 * ev_sel; others are their own. */
const char *perf_canonical(const char *term);

#endif
