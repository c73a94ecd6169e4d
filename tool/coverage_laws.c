/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The laws of the catalogue for U-, C-, B-, S- and W-Box: the runs in which a
 * row counts, and what its count is compared with there. A row without a law of
 * its own is the sum of the other unit masks of its event whose signals it
 * adds up, if there are such, and else bounded by its largest increment.
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
	{ "ubox/BUF_VALID_PMI_IN", "sleep", NULL, "<= ubox/BUF_VALID_PMI_OUT" },
	/* one of four accesses to the ring, two to B-Boxes, 16 cycles each */
	{ "ubox/U2R_REQUESTS", "config", NULL, "= 400" },
	{ "ubox/U2B_REQUEST_CYCLES", "config", NULL, "= 16 * N" },
	{ "ubox/IPIS_SENT", "ipi", NULL, "= N ; = sbox/PKTS_RCVD_NCB" },
	{ "ubox/WOKEN", "sleep", NULL, "<= ubox/IPIS_SENT" },
	{ "ubox/RECOV", "mc", NULL, "= injected:mc-recoverable" },
	{ "ubox/CORRECTED_ERR", "mc", NULL, "= injected:mc-corrected" },
	{ "ubox/UNCORRECTED_ERR", "mc", NULL, "= injected:mc-uncorrected" },
	{ "ubox/FATAL_ERR", "mc", NULL, "= injected:mc-fatal" },
	{ "ubox/*", "sleep ipi", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

#define C_SCENES                                                               \
	"share evict busy fight io sleep flush narrow tracker oneway shared "  \
	"sleepy slowring slowlink iobusy spoof backs pinched"

static const struct coverage_law cbox[] = {
	{ "cbox/IDF_NONZERO_NO_BL_CRD", "backs narrow", NULL, NULL },
	{ "cbox/SPL_IN_FULL_IRQ", "iobusy " C_SCENES, NULL,
	  "<= SPL_ARB_PRI_SW" },
	{ "cbox/SPL_DEAD", "iobusy " C_SCENES, NULL,
	  "<= SPL_CO_SB + SPL_CO_NSB" },
	{ "cbox/SPL_ARB_PRI_SW", "iobusy " C_SCENES, NULL,
	  "<= SPL_CO_SB + SPL_CO_NSB" },
	{ "cbox/STARVED_EGRESS.*", "share narrow " C_SCENES, NULL, NULL },
	{ "cbox/MAF_NACK1.IDLE_QPI", "sleepy", NULL, "<= .TOTAL_MAF_NACKS" },
	{ "cbox/MAF_NACK1.IDX_BLOCK", "oneway narrow", NULL,
	  "<= .TOTAL_MAF_NACKS" },
	{ "cbox/MAF_NACK2.NO_TRACKER_CREDITS", "tracker", NULL,
	  "<= MAF_NACK1.ALL_MAF_NACK2" },
	{ "cbox/MAF_NACK2.*", "share narrow " C_SCENES, NULL,
	  "<= MAF_NACK1.ALL_MAF_NACK2" },
	{ "cbox/LLC_MISSES.I", "reads share", NULL, "= N" },
	{ "cbox/LLC_S_FILLS.E", "reads", NULL, "= N" },
	{ "cbox/LLC_VICTIMS.E", "reads", NULL, "= N - 1920" },
	{ "cbox/LLC_VICTIMS.I", "reads", NULL, "= 1920" },
	{ "cbox/LLC_VICTIMS.*", "evict share", NULL, "<= LLC_S_FILLS.ALL" },
	{ "cbox/OCCUPANCY_IRQ", "share", NULL, ">= TRANS_IRQ" },
	{ "cbox/OCCUPANCY_IPQ", "share", NULL, ">= TRANS_IPQ" },
	{ "cbox/OCCUPANCY_VIQ", "share", NULL, ">= TRANS_VIQ" },
	{ "cbox/OCCUPANCY_MAF", "share", NULL, ">= TRANS_MAF" },
	{ "cbox/TRANS_IPQ", "share", NULL, "= sbox/PKTS_RCVD_SNP" },
	{ "cbox/TRANS_MAF", "reads", NULL, "= N" },
	{ "cbox/TRANS_RWRF", "reads", NULL, "= N" },
	{ "cbox/TRANS_IRQ", "reads", NULL, "= N" },
	{ "cbox/SNPS.REMOTE_ANY", "share", NULL, "= sbox/PKTS_RCVD_SNP" },
	{ "cbox/SNP_HITS.REMOTE_HIT*", "share shared fight evict", NULL,
	  "<= SNPS.REMOTE_ANY" },
	{ "cbox/SNP_HITS.REMOTE_ANY", "share", NULL, "<= SNPS.REMOTE_ANY" },
	{ "cbox/SNP_HITS.REMOTE_RD*", "share shared fight evict upgrade", NULL,
	  "<= SNPS.REMOTE_RD" },
	{ "cbox/SNP_HITS.REMOTE_RFO*", "share shared fight evict upgrade", NULL,
	  "<= SNPS.REMOTE_RFO" },
	{ "cbox/EGRESS_BYPASS_WINS.AD*", C_SCENES, NULL, "<= ARB_WINS.AD_ALL" },
	{ "cbox/EGRESS_BYPASS_WINS.AK*", C_SCENES, NULL, "<= ARB_WINS.AK_ALL" },
	{ "cbox/EGRESS_BYPASS_WINS.BL*", C_SCENES, NULL, "<= ARB_WINS.BL_ALL" },
	{ "cbox/EGRESS_BYPASS_WINS.IV*", C_SCENES, NULL, "<= ARB_WINS.IV" },
	{ "cbox/INGRESS_BYPASS_WINS_AD.IRQ*", C_SCENES, NULL, "<= TRANS_IRQ" },
	{ "cbox/INGRESS_BYPASS_WINS_AD.IPQ*", C_SCENES, NULL, "<= TRANS_IPQ" },
	{ "cbox/MAF_NACK1.TOTAL_MAF_NACKS", C_SCENES, NULL,
	  ">= .ALL_MAF_NACK2" },
	{ "cbox/MAF_NACK1.ALL_MAF_NACK2", C_SCENES, NULL,
	  "<= .TOTAL_MAF_NACKS" },
	{ "cbox/MAF_NACK1.*", C_SCENES, NULL, "<= .TOTAL_MAF_NACKS" },
	{ "cbox/MAF_NACK2.*", C_SCENES, NULL, "<= MAF_NACK1.ALL_MAF_NACK2" },
	{ "cbox/MAF_ACK", "reads", NULL, ">= N" },
	{ "cbox/LLC_S_FILLS.S", "shared", NULL, "<= LLC_S_FILLS.ALL" },
	{ "cbox/IGR_OP_UC", "io", NULL, "= 3 * N" },
	{ "cbox/IGR_OP_SRAM", "sleep", NULL, NULL },
	{ "cbox/SPL_CO_NSB", C_SCENES, NULL, NULL },
	{ "cbox/BOUNCE_DEASSERT", C_SCENES, NULL, "<= BOUNCE_ASSERT" },
	{ "cbox/SPOOF_DEASSERT", "sleep", NULL, "<= SPOOF_ASSERT" },
	{ "cbox/*", C_SCENES, NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

#define B_SCENES                                                               \
	"dma share evict busy fight directory mirror early slowring pinched "  \
	"slowsbox slowboth"

static const struct coverage_law bbox[] = {
	{ "bbox/SBOX_VN0_UNAVAIL", "pinched slowsbox", NULL, NULL },
	{ "bbox/*MATCH", "share", NULL, NULL },
	{ "bbox/IMT_INSERTS_ALL", "dma", NULL,
	  "= IMT_INSERTS_IOH + IMT_INSERTS_NON_IOH" },
	{ "bbox/IMT_INSERTS_WR", "dma", NULL,
	  "= IMT_INSERTS_IOH_WR + IMT_INSERTS_NON_IOH_WR" },
	{ "bbox/IMT_INSERTS_INVITOE", "dma share", NULL,
	  "= IMT_INSERTS_IOH_INVITOE + IMT_INSERTS_NON_IOH_INVITOE" },
	{ "bbox/IMT_INSERTS_NON_IOH_RD", "reads", NULL, "= N" },
	{ "bbox/IMT_INSERTS_RD", "reads", NULL, "= N" },
	{ "bbox/IMT_INSERTS_*", "dma share", NULL, "<= IMT_INSERTS_ALL" },
	{ "bbox/TF_ALL", "share", NULL, ">= TF_WR + TF_INVITOE" },
	{ "bbox/TF_IOH", "dma", NULL, "<= TF_ALL" },
	{ "bbox/TF_IOH_*", "dma", NULL, "<= TF_IOH + 256 * 4" },
	{ "bbox/TF_*", "share dma", NULL, "<= TF_ALL" },
	{ "bbox/DRSQ_INSERTS", "share", NULL, "<= 1 * DRSQ_OCCUPANCY + 4 * 4" },
	{ "bbox/SNPOQ_INSERTS", "directory", NULL,
	  "<= SNPOQ_OCCUPANCY + 256 * 8" },
	{ "bbox/DIRQ_INSERTS", "directory", NULL,
	  "<= DIRQ_OCCUPANCY + 256 * 8" },
	{ "bbox/IMT_VALID_OCCUPANCY", "share", NULL,
	  ">= IMT_NE_CYCLES - 32 * 4" },
	{ "bbox/IMT_FULL", B_SCENES, NULL, "<= IMT_NE_CYCLES" },
	{ "bbox/DEMAND_FETCH", B_SCENES, NULL, "<= IMT_INSERTS_ALL" },
	{ "bbox/IMPLICIT_WBS", B_SCENES, NULL, "<= IMT_INSERTS_ALL" },
	{ "bbox/ACK_BEFORE_LAST_SNP", B_SCENES, NULL, "<= IMT_INSERTS_ALL" },
	{ "bbox/EARLY_ACK", B_SCENES, NULL, "<= IMT_INSERTS_ALL" },
	{ "bbox/MSG_S_TO_B", "share", NULL, ">= sbox/PKTS_SENT_HOM.BBOX" },
	{ "bbox/MSG_B_TO_S", "share", NULL, ">= sbox/PKTS_RCVD_DRS_FROM_B" },
	{ "bbox/*", B_SCENES, NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

#define S_SCENES                                                               \
	"share evict busy io posted config local ipi lock special dma "        \
	"slowring slowlink vn0 eightvn0 notify backs slowsbox "                \
	"slowboth grants pinched slowhome slowio slowipi slowspecial fullring"

static const struct coverage_law sbox[] = {
	{ "sbox/TO_RING_NC[SB]_MSGQ_CYCLES_NE", "lock ipi", NULL, NULL },
	{ "sbox/TO_RING_MSGQ_OCCUPANCY.NC[SB]", "lock ipi", NULL, NULL },
	{ "sbox/PKTS_RCVD_NCS", "lock special", NULL, NULL },
	{ "sbox/PKTS_RCVD_NCB", "ipi", NULL, "= N ; = ubox/IPIS_SENT" },
	{ "sbox/PKTS_SENT_NDR", "ipi", NULL, "= PKTS_RCVD_NCB" },
	{ "sbox/TO_R_NDR_MSGQ_CYCLES_NE", "ipi", NULL, NULL },
	{ "sbox/TO_R_NDR_MSGQ_OCCUPANCY", "ipi", NULL, NULL },
	{ "sbox/TO_RING_R2S_MSGQ_CYCLES_FULL", "slowsbox", NULL,
	  "<= TO_RING_R2S_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_B2S_MSGQ_CYCLES_FULL", "slowsbox", NULL,
	  "<= TO_RING_B2S_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_NCS_MSGQ_CYCLES_FULL", "slowsbox", NULL,
	  "<= TO_RING_NCS_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_NCB_MSGQ_CYCLES_FULL", "slowsbox", NULL,
	  "<= TO_RING_NCB_MSGQ_CYCLES_NE" },
	{ "sbox/EGRESS_STARVED.*", "slowring grants " S_SCENES, NULL, NULL },
	{ "sbox/NO_CREDIT_N*", "notify vn0 " S_SCENES, NULL, NULL },
	{ "sbox/NO_CREDIT_*", "share slowring notify " S_SCENES, NULL, NULL },
	{ "sbox/TO_R_B_HOM_MSGQ_CYCLES_FULL.*", "slowlink farhome slowhome",
	  NULL, "<= TO_R_B_HOM_MSGQ_CYCLES_NE.*" },
	{ "sbox/TO_R_B_HOM_MSGQ_CYCLES_NE.*", S_SCENES, NULL,
	  "<= TO_R_B_HOM_MSGQ_OCCUPANCY.* + 128 * 4" },
	{ "sbox/TO_R_DRS_MSGQ_CYCLES_FULL.*", S_SCENES, NULL,
	  "<= TO_R_DRS_MSGQ_CYCLES_NE.*" },
	{ "sbox/TO_R_NCB_MSGQ_CYCLES_FULL.*", S_SCENES, NULL,
	  "<= TO_R_NCB_MSGQ_CYCLES_NE.*" },
	{ "sbox/TO_R_NCS_MSGQ_CYCLES_FULL.*", "pairs slowio", NULL,
	  "<= TO_R_NCS_MSGQ_CYCLES_NE.*" },
	{ "sbox/TO_R_LOC_NCS_MSGQ_CYCLES_FULL.*", "localpairs slowspecial",
	  NULL, "<= TO_R_LOC_NCS_MSGQ_CYCLES_NE.*" },
	{ "sbox/TO_R_SNP_MSGQ_CYCLES_FULL", S_SCENES, NULL,
	  "<= TO_R_SNP_MSGQ_CYCLES_NE" },
	{ "sbox/TO_R_NDR_MSGQ_CYCLES_FULL", "answers slowsbox slowipi", NULL,
	  "<= TO_R_NDR_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_SNP_MSGQ_CYCLES_FULL", S_SCENES, NULL,
	  "<= TO_RING_SNP_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_NCB_MSGQ_CYCLES_FULL", S_SCENES, NULL,
	  "<= TO_RING_NCB_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_NCS_MSGQ_CYCLES_FULL", S_SCENES, NULL,
	  "<= TO_RING_NCS_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_NDR_MSGQ_CYCLES_FULL",
	  "slowsbox farhome slowboth pinched", NULL,
	  "<= TO_RING_NDR_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_R2S_MSGQ_CYCLES_FULL", S_SCENES, NULL,
	  "<= TO_RING_R2S_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_B2S_MSGQ_CYCLES_FULL", S_SCENES, NULL,
	  "<= TO_RING_B2S_MSGQ_CYCLES_NE" },
	{ "sbox/FLITS_SENT_DRS", "triad", NULL, "= 9 * PKTS_SENT_DRS.ALL" },
	{ "sbox/FLITS_SENT_NCB", "io", NULL, "= 11 * PKTS_SENT_NCB.ALL" },
	{ "sbox/FLITS_SENT_NCS", "io", NULL,
	  ">= PKTS_SENT_NCS.ALL ; <= 3 * PKTS_SENT_NCS.ALL" },
	{ "sbox/FLITS_SENT_LOC_NCS", "local", NULL, "= N" },
	{ "sbox/PKTS_RCVD_LOC_NCS", "special lock local", NULL, NULL },
	{ "sbox/PKTS_RCVD_SNP", "share", NULL, "= PKTS_SENT_SNP" },
	{ "sbox/PKTS_SENT_SNP", "reads", NULL, "= N" },
	{ "sbox/PKTS_SENT_HOM.ALL", "share", NULL, "= .RBOX + .BBOX" },
	{ "sbox/PKTS_RCVD_DRS_FROM_B", "reads", NULL,
	  "= N - PKTS_RCVD_DRS_FROM_R" },
	{ "sbox/PKTS_RCVD_DRS_FROM_R", "reads", NULL,
	  "= N - PKTS_RCVD_DRS_FROM_B" },
	{ "sbox/TO_R_B_REQUESTS.LOCAL", "reads", NULL, "= N" },
	{ "sbox/EGRESS_BYPASS.*", "share", NULL, "<= EGRESS_ARB_WINS.*" },
	{ "sbox/RBOX_HOM_BYPASS", "share reads", NULL,
	  "<= PKTS_SENT_HOM.RBOX" },

	{ "sbox/BBOX_HOM_BYPASS", "share reads", NULL,
	  "<= PKTS_SENT_HOM.BBOX" },

	{ "sbox/RBOX_SNP_BYPASS.*", "share eight", NULL, "<= PKTS_SENT_SNP" },
	{ "sbox/HALFLINE_BYPASS", "share reads", NULL,
	  "<= PKTS_RCVD_DRS_FROM_R + PKTS_RCVD_DRS_FROM_B" },
	{ "sbox/TO_R_PROG_EV", "share", NULL, NULL },
	{ "sbox/*NC[SB]*", "io posted config local lock ipi " S_SCENES, NULL,
	  NULL },
	{ "sbox/*", S_SCENES, NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law wbox[] = {
	{ "wbox/FIXED_CTR", "idle", NULL, "= 2 * N" },
	/* asserted every 2000 cycles, five times, for 1500 each */
	{ "wbox/C_C0_THROTTLE_PROCHOT.*", "hot", NULL, "= 7500" },
	{ "wbox/C_C0_THROTTLE_DIE.*", "hot", NULL, "<= C_THROTTLE_TMP.*" },
	{ "wbox/TM1_ON.*", "hot", NULL, "<= C_THROTTLE_TMP.* + PROCHOT" },
	{ "wbox/C_CYCLES_TURBO.*", "turbo", NULL, "<= time" },
	{ "wbox/RATIO_CHANGE_ABORT.*", "unsteady", NULL, "= N" },
	{ "wbox/*", "hot turbo", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

const struct coverage_law *const coverage_laws[] = {
	ubox, cbox, bbox, sbox, coverage_rbox, coverage_mbox, wbox, NULL,
};
