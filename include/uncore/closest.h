/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which names look most like one that does not exist.
 */
#ifndef UNCORE_CLOSEST_H
#define UNCORE_CLOSEST_H

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_closest;

/* A search for names near `wanted`; NULL without memory. The names that are
 * offered must stay until the end. */
struct uncore_closest *uncore_closest_new(const char *wanted);
void uncore_closest_offer(struct uncore_closest *closest, const char *name);

/* Ends the search: "; did you mean A, B or C?" or "", to be freed with free();
 * NULL without memory. */
char *uncore_closest_say(struct uncore_closest *closest);

#ifdef __cplusplus
}
#endif

#endif
