/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From the guest's accesses to those that leave its private caches. Lines are
 * the model's.
 */
#ifndef UNCORE_GUEST_MEMORY_H
#define UNCORE_GUEST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "vcpu.h"

#define MEMORY_NO_LINE UINT64_MAX

void memory_start(struct channel *channel);

/* Accesses are wanted from now on: the running block has to be left, because
 * the code of all CPUs is made anew. */
void memory_begin(void);

/* They are not wanted for a long time. */
void memory_end(void);

/* Whether code that is made now has to show its accesses. */
bool memory_is_watched(void);

/* The line of a place in this process, or MEMORY_NO_LINE if it is not the
 * guest's RAM. */
uint64_t memory_line(const void *host);

/* The guest has changed its address space. */
void memory_forget_pages(struct vcpu *vcpu);

/* The model has lost count of a CPU's lines. */
void memory_forget_lines(struct vcpu *vcpu);

/* The model takes a line, or the right to write to it. */
void memory_invalidate(struct vcpu *vcpu,
		       const struct channel_invalidation *invalidation);

/* A load or store (`info` is QEMU's) after `executed` instructions of the turn,
 * within the line of vaddr. False where it is none of RAM. */
bool memory_use_data(struct vcpu *vcpu, uint32_t info, uint64_t vaddr,
		     uint64_t executed, bool store);

/* A streaming store, of so many bytes. */
void memory_stream(struct vcpu *vcpu, uint32_t info, uint64_t vaddr,
		   uint64_t executed, unsigned size_bytes);

/* The buffers of streaming stores are emptied after `executed` instructions of
 * the turn; how many these are in the turn that goes on. */
uint64_t memory_fence(struct vcpu *vcpu, uint64_t executed);

void memory_use_code(struct vcpu *vcpu, uint64_t line);

#endif
