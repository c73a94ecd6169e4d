/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the registers are: in a model in this process, or in this machine's own
 * processors. A session does not know which.
 *
 * Functions return 0 or a negative UNCORE_ERR_*; see error.h for `char
 * **error`.
 */
#ifndef UNCORE_TARGET_H
#define UNCORE_TARGET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_family;
struct uncore_model;
struct uncore_target;

/* The registers of a model, which must outlive the target. NULL: no memory,
 * or a machine whose family is not known. */
struct uncore_target *uncore_target_model(struct uncore_model *model);

/* The registers of this machine, through /dev/cpu/N/msr of the first processor
 * of each package. NULL and *error when there is no processor of a known
 * family, no msr driver, or no permission. */
struct uncore_target *uncore_target_msr(char **error);

/* Closes it; the registers stay as they are. */
void uncore_target_free(struct uncore_target *target);

/* "model" or "msr": every output says where its numbers come from. */
const char *uncore_target_origin(const struct uncore_target *target);
const struct uncore_family *
uncore_target_family(const struct uncore_target *target);
unsigned uncore_target_sockets(const struct uncore_target *target);

/* One register of a socket. UNCORE_ERR_GP where the processor refuses. */
int uncore_target_read(struct uncore_target *target, unsigned socket,
		       uint32_t address, uint64_t *value);
int uncore_target_write(struct uncore_target *target, unsigned socket,
			uint32_t address, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
