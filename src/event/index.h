/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is looked up for every text of an event.
 */
#ifndef UNCORE_EVENT_INDEX_H
#define UNCORE_EVENT_INDEX_H

#include <stddef.h>

#include "event/twins.h"

/* Length of the longest beginning of path, up to a dot or the end, that is a
 * name of an event of the box, which is stored in *row; 0 if none is. A name of
 * the guide wins over an alias: there is one that is another event's alias. */
size_t index_event(const struct uc_family *family, unsigned box,
		   const char *path, const struct uc_event **row);

/* The layout of the box's registers with a role, or NULL. */
const struct uc_layout *index_layout(const struct uc_family *family,
				     unsigned box, enum uc_role role);

/* What uc_register_of() finds. */
const struct uc_register *index_register(const struct uc_family *family,
					 unsigned box, unsigned instance,
					 enum uc_role role, unsigned number);

/* The twins of a box. */
void index_twins(const struct uc_family *family, unsigned box,
		 struct twins *twins);

#endif
