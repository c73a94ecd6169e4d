/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * CHA: a slice of an LLC that does not include what cores have, the snoop
 * filter that knows what they have, and the home of the slice's lines. Slice
 * and home are those of model/sandy-bridge-ep (cbo_parts.h, ha.h); here is what
 * this kind does with its tags.
 *
 * One set of tags has both: an entry is in the filter while a core may have the
 * line (way->cores), and in the LLC while the slice has the data (cbo->held). A
 * set has places for so many of either; an entry that is in neither is gone.
 */
#ifndef UNCORE_CHA_H
#define UNCORE_CHA_H

#include "model/sandy-bridge-ep/cbo_parts.h"

/* States of the snoop filter as they are told; those of the LLC are RDS codes.
 */
enum { CHA_SF_H = 9, CHA_SF_S = 10, CHA_SF_E = 12 };

/* Of struct ep_kind. */
bool cha_init(struct cbo *cbo);
void cha_serve(struct cbo_job *job, struct core *core, unsigned entry);
void cha_take_hit(struct cbo_job *job, struct core *core, unsigned entry);
void cha_take_back(struct cbo_job *job, struct core *core, unsigned entry);
uint8_t cha_state(const struct cbo *cbo, const struct llc_way *way);
uint16_t cha_opcode(const struct cbo_job *job);
visit_tell_fn cha_tell_job;

/* A place in the filter for a line that is not in its set, or that no core has
 * had (way, else NULL): where it is then. Another line may be thrown out. */
struct llc_way *cha_track(struct cbo *cbo, struct llc_way *way,
			  struct llc_spot spot, uint64_t at);

/* The slice takes the data of the line in the way, or with way NULL of one that
 * is not in its set, from a cycle on; another line may be thrown out. */
struct llc_way *cha_hold(struct cbo *cbo, struct llc_way *way,
			 struct llc_spot spot, uint64_t at);

/* The slice lets the data of a line go that cores have. */
void cha_let_go(struct cbo *cbo, struct llc_way *way);

/* What it has a mechanism for. */
void cha_drive(struct sigbank *bank);

/* What is told of cores that are asked, as cbo_tell_asked(); of victims. */
void cha_tell_asked(struct cbo *cbo, unsigned cause, const struct llc_way *way,
		    unsigned cores, bool takes, uint64_t at);
void cha_tell_filter_victim(struct cbo *cbo, const struct llc_way *way,
			    uint64_t at);
void cha_tell_victim(struct cbo *cbo, const struct llc_way *way, uint64_t line,
		     uint64_t at);

#endif
