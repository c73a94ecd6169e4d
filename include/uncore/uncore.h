/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * All of libuncore: describe a processor, name events, count them, make figures
 * of the counts. The model of the processor is a library of its own, model.h.
 */
#ifndef UNCORE_UNCORE_H
#define UNCORE_UNCORE_H

#include "uncore/address.h"
#include "uncore/doctor.h"
#include "uncore/error.h"
#include "uncore/event.h"
#include "uncore/family.h"
#include "uncore/metric.h"
#include "uncore/recording.h"
#include "uncore/sampler.h"
#include "uncore/schedule.h"
#include "uncore/session.h"
#include "uncore/target.h"

#endif
