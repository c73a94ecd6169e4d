/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The laws of the catalogue, box by box: the runs in which a row counts, and
 * what its count is compared with there.
 */
#include "coverage.h"

static const struct coverage_law ubox[] = {
	/* a packet waits for ubox.cycles, and leaves or is served after that */
	{ "ubox/BUF_VALID_DOOR_BELL", "bell", NULL, "<= 13 * N" },
	{ "ubox/BUF_VALID_*_INT", "ipi", NULL, ">= N ; <= 26 * N" },
	{ "ubox/BUF_VALID_LOCK", "lock", NULL, ">= 2 * 12 * N" },
	/* stop and start, to four S-Boxes, 3 flits each */
	{ "ubox/BUF_VALID_STST", "lock", NULL, ">= 2 * 10 * N" },
	{ "ubox/BUF_VALID_SPC_CYCLES", "special", NULL, ">= N" },
	{ "ubox/BUF_VALID_PMI_IN", "sleep", NULL,
	  "<= ubox/BUF_VALID_PMI_OUT" },
	/* one of four accesses to the ring, two to B-Boxes, 16 cycles each */
	{ "ubox/U2R_REQUESTS", "config", NULL, "= 400" },
	{ "ubox/U2B_REQUEST_CYCLES", "config", NULL, "= 16 * N" },
	{ "ubox/IPIS_SENT", "ipi", NULL, "= N ; = sbox/PKTS_RCVD_NCB" },
	{ "ubox/WOKEN", "sleep", NULL, "<= ubox/IPIS_SENT" },
	{ "ubox/RECOV", "mc", NULL, "= injected:mc-recoverable" },
	{ "ubox/CORRECTED_ERR", "mc", NULL, "= injected:mc-corrected" },
	{ "ubox/UNCORRECTED_ERR", "mc", NULL, "= injected:mc-uncorrected" },
	{ "ubox/FATAL_ERR", "mc", NULL, "= injected:mc-fatal" },
	{ "ubox/*", "ipi lock special sleep", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law cbox[] = {
	{ "cbox/*",
	  "share evict busy fight io sleep flush narrow tracker oneway shared "
	  "sleepy slowring slowlink iobusy spoof",
	  NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law bbox[] = {
	{ "bbox/*",
	  "share evict busy dma fight directory mirror early slowring", NULL,
	  NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law sbox[] = {
	{ "sbox/*",
	  "share evict busy io posted config local ipi lock special dma "
	  "slowring slowlink vn0 eightvn0 slowhome slowio slowipi slowspecial "
	  "fullring",
	  NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

#define PORTS "port=qpi0 port=sbox0 port=bbox0 port=qpi3 port=bbox1"

static const struct coverage_law rbox[] = {
	{ "rbox/*NC[SB]*", "io vn0 ipi eightvn0", PORTS, NULL },
	{ "rbox/*VN0*", "share vn0 eightvn0", PORTS, NULL },
	{ "rbox/*VN1*", "mirror eightvn0", PORTS, NULL },
	{ "rbox/FLITS_RECV_ERR", "qpi", "port=qpi0", NULL },
	{ "rbox/*", "share busy dma vn0 eightvn0 flush", PORTS, NULL },
	{ NULL, NULL, NULL, NULL },
};

#define ERRORS "smi ecc eccfatal parity poison sparing pbox"

static const struct coverage_law mbox[] = {
	{ "mbox/*.TRDOFF", "tradeoff", NULL, NULL },
	{ "mbox/*.TRADEOFF", "tradeoff", NULL, NULL },
	{ "mbox/*.RDPRIO", "rdprio", NULL, NULL },
	{ "mbox/*.WRPRIO", "wrprio", NULL, NULL },
	{ "mbox/THERM*", "warm heat", NULL, NULL },
	{ "mbox/TT_*", "warm heat", NULL, NULL },
	{ "mbox/FVC_EV[0-3].BBOX_CMDS.MERGE", "nosnoop", NULL, "= N" },
	{ "mbox/FVC_EV[0-3].BBOX_CMDS.F2V", "nosnoop", NULL, "= N" },
	{ "mbox/FVC_EV[0-3].*", "adaptive mirror early overtaken pbox " ERRORS,
	  NULL, NULL },
	{ "mbox/MA_PAR_ERR", "parity", NULL, "= injected:address-parity" },
	{ "mbox/*",
	  "adaptive writes open closed init rest sparing mirror nosnoop "
	  "overtaken smi idle",
	  NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law wbox[] = {
	{ "wbox/FIXED_CTR", "idle", NULL, "= 2 * N" },
	/* asserted every 2000 cycles, five times, for 3000 each */
	{ "wbox/C_C0_THROTTLE_PROCHOT.*", "hot", NULL, "= 11000" },
	{ "wbox/RATIO_CHANGE_ABORT.*", "unsteady", NULL, "= N" },
	{ "wbox/*", "hot turbo", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

const struct coverage_law *const coverage_laws[] = {
	ubox, cbox, bbox, sbox, rbox, mbox, wbox, NULL,
};
