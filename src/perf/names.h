/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the names that the kernel gives its PMUs say: whether one is of the
 * uncore, which box it is an instance of, and in what order these are.
 */
#ifndef UNCORE_PERF_NAMES_H
#define UNCORE_PERF_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* What a PMU that has a cpumask counts. */
enum perf_kind {
	PERF_KIND_UNCORE,
	PERF_KIND_POWER, /* energy, time asleep, graphics: for a package, too */
	PERF_KIND_CORE,	 /* of a core all the same: no box */
};

enum perf_kind perf_kind_of(const char *name);

/* The name without the numbers of instances, to be freed, NULL without memory;
 * `all` are the PMUs of the machine. A number is an instance's if it
 *
 *     ends the name, behind an underscore           uncore_imc_0, arm_cmn_1
 *     is an address there                           ali_drw_21000
 *     is behind letters at the end, and is 0 or     dsa0, dsa2, imx8_ddr0; not
 *     another PMU's name differs in it              amd_l3 and i915
 *     is between underscores, likewise              l3cache_0_1
 *     is behind letters of HiSilicon's: a die, ...  hisi_sccl1_ddrc0
 *
 * One before letters is part of a word (l3c, m2pcie), uncore_type_8_2 is of
 * type 8, and the numbers of graphics (xe_0000_03_00.0) are places on a bus.
 */
char *perf_box_name(const char *name, const char *const *all, size_t num);

/* The one number that the name has behind that of its box, 0 where there is
 * none; false: there are several, or an address. */
bool perf_name_number(const char *name, const char *box, unsigned *number);

/* The order of two instances of a box, as strcmp(). */
int perf_name_order(const char *one, const char *other);

#endif
