/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The laws of the catalogue, box by box: the runs in which a row counts, and
 * what its count is compared with there.
 */
#include "coverage.h"

#define MEMORY "share evict busy"

static const struct coverage_law ubox[] = {
	{ "ubox/*", "ipi lock special io sleep", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law cbox[] = {
	{ "cbox/*", "share evict busy fight io sleep flush eight", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law bbox[] = {
	{ "bbox/*", "share evict busy dma fight eight", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law sbox[] = {
	{ "sbox/*", "share evict busy io ipi lock dma fight eight", NULL,
	  NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law rbox[] = {
	{ "rbox/*", "share busy io dma eight",
	  "port=qpi0 port=sbox0 port=bbox0", NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law mbox[] = {
	{ "mbox/*.TRDOFF", "tradeoff", NULL, NULL },
	{ "mbox/*.RDPRIO", "rdprio", NULL, NULL },
	{ "mbox/*.WRPRIO", "wrprio", NULL, NULL },
	{ "mbox/*", "busy writes open closed idle", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law wbox[] = {
	{ "wbox/FIXED_CTR", "idle", NULL, "= 2 * N" },
	{ "wbox/*", "busy sleep", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

const struct coverage_law *const coverage_laws[] = {
	ubox, cbox, bbox, sbox, rbox, mbox, wbox, NULL,
};
