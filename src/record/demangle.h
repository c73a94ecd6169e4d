/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names as compilers make them and as people write them.
 */
#ifndef UNCORE_RECORD_DEMANGLE_H
#define UNCORE_RECORD_DEMANGLE_H

/* What a mangled name of C++, Rust or D stands for, without its parameters, to
 * be freed; NULL: it is none. */
char *demangle(const char *name);

#endif
