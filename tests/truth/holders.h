/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who has which line when a model has come to rest.
 */
#ifndef UNCORE_HOLDERS_H
#define UNCORE_HOLDERS_H

#include "model/model.h"

/* Lines that two nodes have of which one has it for itself (E, M), or that a
 * node has of whom the home's directory does not say so; each is said. */
unsigned holders_in_conflict(const struct uncore_model *model, bool is_ep);

#endif
