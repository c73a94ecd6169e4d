/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Families that are made of what others have written. Linked with
 * --wrap=uc_family_add,--wrap=perf_family_pmus: a family is looked at where it
 * is about to be kept for good, which it then is not.
 */
#ifndef TESTS_FUZZ_LIVE_H
#define TESTS_FUZZ_LIVE_H

/* Of the text of a capture, or, where that is NULL, of a name. */
void live_try(const char *name, const char *capture);

#endif
