/* SPDX-License-Identifier: BSD-3-Clause Copyright (c) 2026 The uncore authors
 *
 * A CBo: a slice of the LLC, its ingress queues (IRQ of cores, IPQ of snoops,
 * VFIFO of write-backs, ISMQ of what goes on), its table of outstanding
 * requests (TOR), its ring stop.
 *
 * */
#ifndef UNCORE_CBO_H
#define UNCORE_CBO_H

#include "model/sandy-bridge-ep/ep.h"

/* NULL without memory. */
struct cbo *cbo_new(struct ep *ep, unsigned socket, unsigned number,
		    const struct uc_family *family);
void cbo_free(struct cbo *cbo);

/* The classes of what a socket's cores tell while time stands, freed with
 * free(); NULL without memory. */
struct cbo_quick *cbo_quick_new(void);

/* A core's request for a line (read, code, own, write-back, flush, streaming
 * store) begins now; core_done() follows by an event. The same while time
 * stands, by class: it is over at once. */
void cbo_go(struct ep *ep, struct core *core, unsigned entry);
void cbo_begin_at_once(struct ep *ep, struct core *core, unsigned entry);

/* As kind->write_silently. */
bool cbo_write_silently(struct core *core, uint64_t line);

/* A device of socket's IIO reads (PCIRdCur), or writes a whole line (PCIItoM;
 * with DDIO into the LLC) or a part of one (PCIRFO and a write): the request is
 * ready at R2PCIe's stop in the cycle `at`, which is not before now. Returns
 * the cycle in which R2PCIe has data or completion. */
enum cbo_device { CBO_DEVICE_READ, CBO_DEVICE_WRITE, CBO_DEVICE_PARTIAL };
uint64_t cbo_device(struct ep *ep, unsigned socket, enum cbo_device kind,
		    uint64_t line, uint64_t at);

#endif
