/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What Linux tells of its memory nodes in files: to the program they are the
 * sockets of the modelled machine, so that libnuma and numactl find them.
 */
#ifndef UNCORE_NODES_H
#define UNCORE_NODES_H

#include "bridge/valgrind/core.h"

/* open(), getdents64() and close() of a program: true when the call is answered
 * with *result, else it is the kernel's. */
bool nodes_open(Addr path, UWord flags, Long *result);
bool nodes_list(UWord fd, Addr entries, UWord size_bytes, Long *result);
bool nodes_close(UWord fd);

#endif
