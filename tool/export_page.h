/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The page that `uncore export` has for people.
 */
#ifndef UNCORE_TOOL_EXPORT_PAGE_H
#define UNCORE_TOOL_EXPORT_PAGE_H

/* What nobody can guess, so that only the page's own script runs in it: in
 * `nonce`. An exit code. */
enum { EXPORT_NONCE_BYTES = 33 };
int export_nonce(char nonce[EXPORT_NONCE_BYTES]);

/* HTML that shows /picture.svg, and fetches it again and again; to be freed.
 * NULL without memory. */
char *export_page(const char *nonce);

#endif
