/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The laws of the catalogue for U-, C-, B-, S- and W-Box: the runs in which a
 * row counts, and what its count is compared with there. A row without a law of
 * its own is the sum of the other unit masks of its event whose signals it
 * adds up, if there are such, and else bounded by its largest increment.
 */
#include <fnmatch.h>
#include <string.h>

#include "coverage.h"

static const struct coverage_law ubox[] = {
	/* a packet waits for ubox.cycles, and leaves or is served after that */
	{ "ubox/BUF_VALID_DOOR_BELL", "bell", NULL, "= 13 * N" },
	{ "ubox/BUF_VALID_*_INT", "ipi", NULL, ">= N ; <= 26 * N" WHY_WAITS },
	{ "ubox/BUF_VALID_LOCK", "lock", NULL, ">= 2 * 12 * N" WHY_WAITS },
	/* stop and start, to four S-Boxes, 3 flits each */
	{ "ubox/BUF_VALID_STST", "lock", NULL, ">= 2 * 10 * N" WHY_WAITS },
	{ "ubox/BUF_VALID_SPC_CYCLES", "special", NULL, ">= N" WHY_WAITS },
	/* news when a core falls asleep and when it wakes; what goes out may
	 * have to wait for answers that leave */
	{ "ubox/BUF_VALID_PMI_IN", "naps", NULL, "= 13 * 2 * N" },
	{ "ubox/BUF_VALID_PMI_OUT", "naps", NULL,
	  ">= 13 * 2 * N ; <= 2 * 13 * 2 * N" },
	/* of both halves one of four accesses to the ring, two to B-Boxes, 16
	 * cycles each */
	{ "ubox/U2R_REQUESTS", "config", NULL, "= 0.5 * N" },
	{ "ubox/U2B_REQUEST_CYCLES", "config", NULL, "= 16 * N" },
	{ "ubox/IPIS_SENT", "ipi", NULL, "= N ; = sbox/PKTS_RCVD_NCB" },
	{ "ubox/WOKEN", "naps", NULL, "= cbox/SPOOF_DEASSERT ; = N" },
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

/* A pass is refused for one reason. */
#define NACKS1                                                                 \
	".GO_PENDING + .VIC_PENDING + .SNP_PENDING + .AC_PENDING + "           \
	".IDX_BLOCK + .PA_BLOCK + .IDLE_QPI + .ALL_MAF_NACK2"
#define OTHER_NACKS1                                                           \
	"= .TOTAL_MAF_NACKS - .GO_PENDING - .VIC_PENDING - .SNP_PENDING - "    \
	".AC_PENDING - .IDX_BLOCK - .PA_BLOCK - .IDLE_QPI - "                  \
	".ALL_MAF_NACK2 + MAF_NACK1.*"
#define NACKS2                                                                 \
	"MAF_NACK2.MAF_FULL + MAF_NACK2.EGRESS_FULL + MAF_NACK2.VIQ_FULL + "   \
	"MAF_NACK2.NO_TRACKER_CREDITS + MAF_NACK2.NO_S_FIFO_CREDITS + "        \
	"MAF_NACK2.NO_S_REQTBL_ENTRIES + MAF_NACK2.WB_PENDING + "              \
	"MAF_NACK2.NACK2_ELSE"
#define OTHER_NACKS2                                                           \
	"= MAF_NACK1.ALL_MAF_NACK2 - .MAF_FULL - .EGRESS_FULL - .VIQ_FULL - "  \
	".NO_TRACKER_CREDITS - .NO_S_FIFO_CREDITS - .NO_S_REQTBL_ENTRIES - "   \
	".WB_PENDING - .NACK2_ELSE + MAF_NACK2.*"

static const struct coverage_law cbox[] = {
	/* a line (two slots) waits for the only credit, which comes back after
	 * 200 cycles; more often than not one is waiting */
	{ "cbox/IDF_NONZERO_NO_BL_CRD", "backs narrow", NULL,
	  "<= 100 * SINKS_P2C.BL ; >= 50 * SINKS_P2C.BL" },
	{ "cbox/SPL_IN_FULL_IRQ", "iobusy " C_SCENES, NULL,
	  "<= SPL_ARB_PRI_SW" WHY_MEETINGS },
	{ "cbox/SPL_DEAD", "iobusy " C_SCENES, NULL,
	  "<= SPL_CO_SB + SPL_CO_NSB" WHY_MEETINGS },
	{ "cbox/SPL_ARB_PRI_SW", "iobusy " C_SCENES, NULL,
	  "<= SPL_CO_SB + SPL_CO_NSB" WHY_MEETINGS },
	/* a head that waits has lost, or one of its queue has won, for two
	 * cycles if that was a line */
	{ "cbox/STARVED_EGRESS.P2C_AD_SB", "share narrow " C_SCENES, NULL,
	  "<= ARB_LOSSES.AD_SB + ARB_WINS.AD_SB" WHY_MEETINGS },
	{ "cbox/STARVED_EGRESS.C2S_AD_SB", "share narrow " C_SCENES, NULL,
	  "<= ARB_LOSSES.AD_SB + ARB_WINS.AD_SB" WHY_MEETINGS },
	{ "cbox/STARVED_EGRESS.A[DK]_*", "share narrow " C_SCENES, NULL,
	  "<= ARB_LOSSES.* + ARB_WINS.*" WHY_MEETINGS },
	{ "cbox/STARVED_EGRESS.BL_*", "share narrow " C_SCENES, NULL,
	  "<= ARB_LOSSES.* + 2 * ARB_WINS.*" WHY_MEETINGS },
	{ "cbox/STARVED_EGRESS.IV", "share narrow " C_SCENES, NULL,
	  "<= ARB_LOSSES.IV" WHY_MEETINGS },
	/* what one agent puts on a ring another takes off */
	{ "cbox/SINKS_P2C.AD", "share", NULL, "= TRANS_IRQ" },
	{ "cbox/SINKS_P2C.AK", "share", NULL, "= SINKS_C2P.IV" },
	/* two transfers for each line that a core writes or gives up */
	{ "cbox/SINKS_P2C.BL", "turns", NULL, "= 2 * 2 * N - 2" },
	{ "cbox/SINKS_C2P.IV", "share", NULL, ">= ARB_WINS.IV ; = TRANS_RSPF" },
	{ "cbox/SINKS_C2P.AK", "share", NULL, "= SINKS_P2C.AD" },
	{ "cbox/SINKS_C2P.BL", "hits", NULL, "= 2 * LLC_HITS.ALL ; = 2 * N" },
	{ "cbox/SINKS_S2C.AD", "share", NULL, "= sbox/EGRESS_ARB_WINS.AD" },
	{ "cbox/SINKS_S2C.AK", "share", NULL, "= sbox/EGRESS_ARB_WINS.AK" },
	{ "cbox/SINKS_S2C.BL", "share", NULL,
	  "= 2 * LLC_S_FILLS.ALL ; = 2 * sbox/PKTS_RCVD_DRS_FROM_R + "
	  "2 * sbox/PKTS_RCVD_DRS_FROM_B" },
	{ "cbox/SINKS_S2P_BL", "share", NULL, "= SINKS_S2C.BL" },
	{ "cbox/ARB_WINS.AD_[SN]*", "reads", NULL,
	  "= SINKS_P2C.AD + ARB_WINS.* - .AD_ALL + sbox/PKTS_SENT_HOM.ALL" },
	{ "cbox/ARB_WINS.AK_[SN]*", "share", NULL,
	  "= SINKS_P2C.AK + SINKS_C2P.AK + ARB_WINS.* - .AK_ALL" },
	{ "cbox/ARB_WINS.BL_[SN]*", "triad", NULL,
	  "= 0.5 * SINKS_P2C.BL + 0.5 * SINKS_C2P.BL + ARB_WINS.* - .BL_ALL "
	  "+ sbox/PKTS_SENT_DRS.ALL" },
	/* all rounds but the first read and write what the other core has */
	{ "cbox/ARB_WINS.IV", "turns", NULL, "= SINKS_C2P.IV ; = 4 * N - 2" },
	{ "cbox/ARB_WINS_P2C_SB", "share", NULL,
	  "= SINKS_P2C.AD - ARB_WINS_P2C_NSB" },
	{ "cbox/ARB_WINS_P2C_NSB", "share", NULL,
	  "= SINKS_P2C.AD - ARB_WINS_P2C_SB" },
	/* a slot is taken by what passes, 6 stops at most, or goes round */
	{ "cbox/ARB_LOSSES.AD_[SN]*", "share", NULL,
	  "<= 12 * ARB_WINS.AD_ALL + 12 * sbox/EGRESS_ARB_WINS.AD + "
	  "24 * BOUNCES_P2C_AD.ALL" WHY_MEETINGS },
	{ "cbox/ARB_LOSSES.AK_[SN]*", "share", NULL,
	  "<= 12 * ARB_WINS.AK_ALL + 12 * sbox/EGRESS_ARB_WINS.AK + "
	  "24 * BOUNCES_C2P_AK.ALL" WHY_MEETINGS },
	{ "cbox/ARB_LOSSES.BL_[SN]*", "share", NULL,
	  "<= 24 * ARB_WINS.BL_ALL + 12 * sbox/EGRESS_ARB_WINS.BL + "
	  "24 * BOUNCES_C2P_BL.ALL" WHY_MEETINGS },
	{ "cbox/ARB_LOSSES.IV", "share", NULL,
	  "<= 12 * ARB_WINS.IV + 12 * BOUNCES_C2P_IV" WHY_MEETINGS },
	/* of two that come at once one goes round; IV, while RSPF is full */
	{ "cbox/BOUNCES_P2C_AD.[SN]*", "narrow " C_SCENES, NULL,
	  "<= OCCUPANCY_IRQ" WHY_MEETINGS },
	{ "cbox/BOUNCES_C2P_AK.[SN]*", "share " C_SCENES, NULL,
	  "<= SINKS_C2P.AK" WHY_MEETINGS },
	{ "cbox/BOUNCES_C2P_BL.[SN]*", "share " C_SCENES, NULL,
	  "<= SINKS_C2P.BL + SINKS_S2P_BL" WHY_MEETINGS },
	{ "cbox/BOUNCES_C2P_IV", C_SCENES, NULL,
	  ">= BOUNCE_ASSERT" WHY_MEETINGS },
	{ "cbox/BOUNCE_ASSERT", C_SCENES, NULL,
	  "<= BOUNCES_C2P_IV ; = BOUNCE_DEASSERT" },
	{ "cbox/LLC_MISSES.[SF]", "share", NULL,
	  "= TRANS_MAF - LLC_HITS.ALL - .ALL + LLC_MISSES.*" },
	{ "cbox/LLC_HITS.[MESF]", "share", NULL,
	  "= TRANS_MAF - LLC_MISSES.ALL - .ALL + LLC_HITS.*" },
	{ "cbox/LLC_S_FILLS.[MFS]", "share shared", NULL,
	  "= LLC_VICTIMS.M + LLC_VICTIMS.E + LLC_VICTIMS.S + LLC_VICTIMS.F + "
	  "LLC_VICTIMS.I - .ALL + LLC_S_FILLS.*" },
	{ "cbox/TRANS_VIQ", "share", NULL,
	  "= LLC_VICTIMS.M + LLC_VICTIMS.E + LLC_VICTIMS.S + LLC_VICTIMS.F" },
	{ "cbox/TRANS_RSPF", "share", NULL, "= SINKS_P2C.AK" },
	{ "cbox/OCCUPANCY_RSPF", "share", NULL,
	  "<= 8 * ARB_LOSSES.AK_ALL + 8 * ARB_WINS.AK_ALL" WHY_WAITS },
	{ "cbox/OCCUPANCY_RWRF", "share", NULL,
	  "<= 12 * ARB_LOSSES.AD_ALL" WHY_WAITS },
	{ "cbox/SNPS.REMOTE_RD", "share", NULL,
	  "= sbox/PKTS_RCVD_SNP - SNPS.REMOTE_RFO" },
	{ "cbox/SNPS.REMOTE_RFO", "share", NULL,
	  "= sbox/PKTS_RCVD_SNP - SNPS.REMOTE_RD" },
	/* N of each of seven kinds; a core's directions take turns */
	{ "cbox/SPL_CO_*", "io", NULL, "= 3.5 * N" },
	{ "cbox/SPL_EGR_*SB", "io", NULL, "= 3.5 * N" },
	{ "cbox/SPL_NOT_CO", "ipi", NULL, "= sbox/PKTS_RCVD_NCB ; = N" },
	/* a core's state is 64 lines, and is read when it wakes */
	{ "cbox/IGR_OP_SRAM", "sleep", NULL, "= 64 * SPOOF_DEASSERT" },
	{ "cbox/SPOOF_ASSERT", "sleep", NULL, "= SPOOF_DEASSERT" },
	{ "cbox/SPOOF_CRD_EMPTY", "spoof", NULL, "<= cycles" WHY_MEETINGS },
	/* a line (two slots) is read out in eight cycles */
	{ "cbox/IDF_NONZERO_NO_VLD", "turns", NULL,
	  "= 4 * SINKS_P2C.BL ; = 8 * 2 * N - 8" },
	{ "cbox/IGR_BID_BLOCKED", "share", NULL,
	  "<= OCCUPANCY_IRQ + OCCUPANCY_IPQ + OCCUPANCY_VIQ + "
	  "OCCUPANCY_MAF" WHY_MEETINGS },
	{ "cbox/MAF_NACK1.TOTAL_MAF_NACKS", C_SCENES, NULL, "= " NACKS1 },
	{ "cbox/MAF_NACK1.ALL_MAF_NACK2", C_SCENES, NULL, "= " NACKS2 },
	{ "cbox/MAF_NACK1.IDLE_QPI", "sleepy", NULL, OTHER_NACKS1 },
	{ "cbox/MAF_NACK1.IDX_BLOCK", "oneway", NULL, OTHER_NACKS1 },
	/* each flush of a line that is here finds it on its way out */
	{ "cbox/MAF_NACK1.VIC_PENDING", "flush", NULL,
	  OTHER_NACKS1 " ; = 1000" },
	{ "cbox/MAF_NACK1.*", "share " C_SCENES, NULL, OTHER_NACKS1 },
	{ "cbox/MAF_NACK2.NO_TRACKER_CREDITS", "tracker", NULL, OTHER_NACKS2 },
	{ "cbox/MAF_NACK2.NACK2_ELSE", "rivals overtaken", NULL, OTHER_NACKS2 },
	{ "cbox/MAF_NACK2.*", "share narrow " C_SCENES, NULL, OTHER_NACKS2 },
	{ "cbox/LLC_MISSES.I", "reads share", NULL, "= N" },
	{ "cbox/LLC_S_FILLS.E", "reads", NULL, "= N" },
	/* a slice of 12 KB has 192 lines */
	{ "cbox/LLC_VICTIMS.E", "reads", NULL, "= N - 192 * cores" },
	{ "cbox/LLC_VICTIMS.I", "reads", NULL, "= 192 * cores" },
	{ "cbox/LLC_VICTIMS.*", "evict share", NULL,
	  "= TRANS_VIQ - .M - .E - .S - .F + LLC_VICTIMS.*" },
	/* a look-up takes 10 cycles, the data of a hit 14; the new line of a
	 * streaming store goes on after one */
	{ "cbox/OCCUPANCY_IRQ", "alone", NULL, "= 10 * TRANS_IRQ ; = 10 * N" },
	{ "cbox/OCCUPANCY_IPQ", "alone", NULL, "= 10 * TRANS_IPQ ; = 10 * N" },
	{ "cbox/OCCUPANCY_VIQ", "stores", NULL, "= TRANS_VIQ ; = N" },
	{ "cbox/OCCUPANCY_MAF", "share", NULL, ">= TRANS_MAF" WHY_WAITS },
	{ "cbox/TRANS_IPQ", "share", NULL, "= sbox/PKTS_RCVD_SNP" },
	{ "cbox/TRANS_MAF", "reads", NULL, "= N" },
	{ "cbox/TRANS_RWRF", "reads", NULL, "= N" },
	{ "cbox/TRANS_IRQ", "reads", NULL, "= N" },
	{ "cbox/SNPS.REMOTE_ANY", "share", NULL, "= sbox/PKTS_RCVD_SNP" },
	{ "cbox/SNP_HITS.REMOTE_HIT?", "share", NULL, NULL },
	{ "cbox/SNP_HITS.REMOTE_ANY", "share", NULL,
	  "= .REMOTE_HITM + .REMOTE_HITE + .REMOTE_HITS + .REMOTE_HITF ; "
	  "<= SNPS.REMOTE_ANY" },
	{ "cbox/SNP_HITS.REMOTE_RFO_HITS", "states", NULL, "= 2 * N" },
	{ "cbox/SNP_HITS.REMOTE_R*", "states", NULL, "= N" },
	/* request, and answer of the other socket; GO; data of hits */
	{ "cbox/EGRESS_BYPASS_WINS.AD_BYP0", "alone", NULL,
	  "= ARB_WINS.AD_ALL ; = 3 * N" },
	{ "cbox/EGRESS_BYPASS_WINS.AK_BYP0", "alone", NULL,
	  "= ARB_WINS.AK_ALL ; = N" },
	{ "cbox/EGRESS_BYPASS_WINS.BL_BYP0", "hits", NULL,
	  "= ARB_WINS.BL_ALL ; = N" },
	{ "cbox/EGRESS_BYPASS_WINS.IV_BYP0", "turns", NULL,
	  "= ARB_WINS.IV ; = 4 * N - 2" },
	{ "cbox/EGRESS_BYPASS_WINS.AD*", C_SCENES, NULL,
	  "<= ARB_WINS.AD_ALL" WHY_MEETINGS },
	{ "cbox/EGRESS_BYPASS_WINS.AK*", C_SCENES, NULL,
	  "<= ARB_WINS.AK_ALL" WHY_MEETINGS },
	{ "cbox/EGRESS_BYPASS_WINS.BL*", C_SCENES, NULL,
	  "<= ARB_WINS.BL_ALL" WHY_MEETINGS },
	{ "cbox/EGRESS_BYPASS_WINS.IV*", C_SCENES, NULL,
	  "<= ARB_WINS.IV" WHY_MEETINGS },
	{ "cbox/INGRESS_BYPASS_WINS_AD.IRQ_BYP0", "alone", NULL,
	  "= TRANS_IRQ ; = N" },
	{ "cbox/INGRESS_BYPASS_WINS_AD.IPQ_BYP0", "alone", NULL,
	  "= TRANS_IPQ ; = N" },
	{ "cbox/INGRESS_BYPASS_WINS_AD.IRQ*", C_SCENES, NULL,
	  "<= TRANS_IRQ" WHY_MEETINGS },
	{ "cbox/INGRESS_BYPASS_WINS_AD.IPQ*", C_SCENES, NULL,
	  "<= TRANS_IPQ" WHY_MEETINGS },
	{ "cbox/MAF_ACK", "reads", NULL, "= TRANS_IRQ ; = N" },
	{ "cbox/IGR_OP_UC", "io", NULL, "= 3 * N" },
	{ "cbox/BOUNCE_DEASSERT", C_SCENES, NULL, "= BOUNCE_ASSERT" },
	{ "cbox/SPOOF_DEASSERT", "sleep", NULL, "= SPOOF_ASSERT" },
	{ "cbox/*", C_SCENES, NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

#define B_SCENES                                                               \
	"dma share evict busy fight directory mirror early slowring pinched "  \
	"slowsbox slowboth"

static const struct coverage_law bbox[] = {
	/* each message asks at most once for a credit that is not there */
	{ "bbox/SBOX_VN0_UNAVAIL", "pinched slowsbox", NULL,
	  "<= MSG_OUT_MATCH" WHY_MEETINGS },
	{ "bbox/RBOX_VNA_UNAVAIL", B_SCENES, NULL,
	  "<= rbox/INQUE_READ_WIN,port=bbox0 + "
	  "rbox/INQUE_READ_WIN,port=bbox1" WHY_MEETINGS },
	/* of N reads with one answer each, with data; they are a cycle in the
	 * DRSQ */
	{ "bbox/*_OUT_MATCH", "reads", NULL, "= N" },
	{ "bbox/MSG_B_TO_S", "reads", NULL, "= sbox/PKTS_RCVD_DRS_FROM_B" },
	{ "bbox/MSG_S_TO_B", "share", NULL, "= sbox/PKTS_SENT_HOM.BBOX" },
	{ "bbox/DRSQ_INSERTS", "reads", NULL, "= N" },
	/* a device's write is an InvItoE and a write; its read is a read */
	{ "bbox/IMT_INSERTS_IOH", "dmawrite", NULL, "= 2 * N" },
	{ "bbox/IMT_INSERTS_IOH_*", "dmawrite", NULL, "= N" },
	{ "bbox/IMT_INSERTS_NON_IOH_INVITOE", "stores", NULL, "= N" },
	{ "bbox/IMT_INSERTS_NON_IOH_WR", "stores", NULL, "= N" },
	{ "bbox/IMT_INSERTS_NON_IOH", "stores", NULL,
	  "= 2 * N ; = IMT_INSERTS_ALL" },
	{ "bbox/TF_IOH", "dmaread", NULL, "= TF_ALL" },
	{ "bbox/TF_IOH_NON_INVITOE_RD", "dmaread", NULL, "= TF_ALL" },
	{ "bbox/TF_ALL", "dmaread", NULL, "= TF_IOH" },
	{ "bbox/TF_IOH_WR", "dmawrite", NULL, "= TF_WR" },
	{ "bbox/TF_WR", "dmawrite", NULL, "= TF_IOH_WR" },
	{ "bbox/TF_IOH_INVITOE", "dmawrite", NULL, "= TF_INVITOE" },
	{ "bbox/TF_INVITOE", "dmawrite", NULL, "= TF_IOH_INVITOE" },
	{ "bbox/EARLY_ACK", "early", NULL, "= mbox/FVC_EV0.BBOX_RSP.SPEC_ACK" },
	/* what another socket reads goes to memory, too */
	{ "bbox/IMPLICIT_WBS", "states", NULL,
	  "= cbox/SNP_HITS.REMOTE_RD_HITM ; = N" },
	/* without a filter: requests, responses, and the data of each write;
	 * a completion for each request, and what conflicts need */
	{ "bbox/MSG_IN_NON_SNP", "share", NULL, "= MSG_IN_MATCH" },
	{ "bbox/*_IN_MATCH", "share", NULL,
	  "= sbox/PKTS_SENT_HOM.ALL + IMT_INSERTS_WR ; = MSG_IN_NON_SNP" },
	/* 4, 256 and 32: what a sub-counter may still keep */
	{ "bbox/DRSQ_OCCUPANCY", "share", NULL,
	  ">= DRSQ_INSERTS - 4 * 4" WHY_WAITS },
	{ "bbox/SNPOQ_OCCUPANCY", "directory", NULL,
	  ">= SNPOQ_INSERTS - 256 * 8" WHY_WAITS },
	{ "bbox/DIRQ_OCCUPANCY", "directory", NULL,
	  ">= DIRQ_INSERTS - 256 * 8" WHY_WAITS },
	{ "bbox/IMT_NE_CYCLES", "share", NULL,
	  "<= IMT_VALID_OCCUPANCY + 32 * 4 ; >= 0.03125 * "
	  "IMT_VALID_OCCUPANCY" WHY_WAITS },
	{ "bbox/COHQ_BYPASS", "share", NULL, "<= MSG_OUT_MATCH" WHY_MEETINGS },
	{ "bbox/CONFLICTS", "share", NULL, "<= IMT_INSERTS_ALL" WHY_MEETINGS },
	{ "bbox/COHQ_IMT_ALLOC_WAIT", B_SCENES, NULL,
	  "<= IMT_NE_CYCLES" WHY_MEETINGS },
	{ "bbox/IMT_PREALLOC", B_SCENES, NULL,
	  "<= DRSQ_OCCUPANCY + 4 * 8" WHY_MEETINGS },
	{ "bbox/IMT_INSERTS_ALL", "dma", NULL,
	  "= IMT_INSERTS_IOH + IMT_INSERTS_NON_IOH" },
	{ "bbox/IMT_INSERTS_WR", "dma", NULL,
	  "= IMT_INSERTS_IOH_WR + IMT_INSERTS_NON_IOH_WR" },
	{ "bbox/IMT_INSERTS_INVITOE", "dma share", NULL,
	  "= IMT_INSERTS_IOH_INVITOE + IMT_INSERTS_NON_IOH_INVITOE" },
	{ "bbox/IMT_INSERTS_NON_IOH_RD", "reads", NULL, "= N" },
	{ "bbox/IMT_INSERTS_RD", "reads", NULL, "= N" },
	{ "bbox/SNPOQ_INSERTS", "directory", NULL,
	  "<= SNPOQ_OCCUPANCY + 256 * 8" WHY_WAITS },
	{ "bbox/DIRQ_INSERTS", "directory", NULL,
	  "<= DIRQ_OCCUPANCY + 256 * 8" WHY_WAITS },
	{ "bbox/IMT_VALID_OCCUPANCY", "share", NULL,
	  ">= IMT_NE_CYCLES - 32 * 4" WHY_WAITS },
	{ "bbox/IMT_FULL", B_SCENES, NULL, "<= IMT_NE_CYCLES" WHY_MEETINGS },
	{ "bbox/DEMAND_FETCH", B_SCENES, NULL,
	  "<= IMT_INSERTS_ALL" WHY_MEETINGS },
	{ "bbox/ACK_BEFORE_LAST_SNP", B_SCENES, NULL,
	  "<= IMT_INSERTS_ALL" WHY_MEETINGS },
	{ "bbox/*", B_SCENES, NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

#define S_SCENES                                                               \
	"share evict busy io posted config local ipi lock special dma "        \
	"slowring slowlink vn0 eightvn0 notify backs slowsbox "                \
	"slowboth grants pinched slowhome slowio slowipi slowspecial fullring"

static const struct coverage_law sbox[] = {
	/* One at a time: a packet is in its queue for sbox.cycles = 6, less 2
	 * for each bypass. A snoop goes behind a request to the R-Box. A
	 * sub-counter of each S-Box keeps up to 127. */
	{ "sbox/RBOX_HOM_BYPASS", "alone", NULL,
	  "= PKTS_SENT_HOM.RBOX ; = 2 * N - BBOX_HOM_BYPASS" },
	{ "sbox/BBOX_HOM_BYPASS", "alone", NULL,
	  "= PKTS_SENT_HOM.BBOX ; = 2 * N - RBOX_HOM_BYPASS" },
	{ "sbox/RBOX_SNP_BYPASS.ALL", "alone", NULL,
	  "= .SNP + .BIG_SNP ; = N" },
	{ "sbox/RBOX_SNP_BYPASS.SNP", "alone", NULL, "= PKTS_SENT_SNP ; = N" },
	{ "sbox/RBOX_SNP_BYPASS.BIG_SNP", "alone4", NULL, "= N" },
	{ "sbox/HALFLINE_BYPASS", "alone", NULL,
	  "= PKTS_RCVD_DRS_FROM_R + PKTS_RCVD_DRS_FROM_B ; = N" },
	{ "sbox/S2B_HOM_BYPASS", "alone", NULL,
	  "= BBOX_HOM_BYPASS + BBOX_CREDIT_RETURNS" },
	{ "sbox/B2S_DRS_BYPASS", "alone", NULL,
	  "= 9 * PKTS_RCVD_DRS_FROM_B + BBOX_CREDITS" },
	{ "sbox/BBOX_CREDIT_RETURNS", "alone", NULL, "= PKTS_RCVD_DRS_FROM_B" },
	{ "sbox/BBOX_CREDITS", "alone", NULL, "= PKTS_SENT_HOM.BBOX" },
	{ "sbox/RBOX_CREDIT_CARRIERS", "alone", NULL, "= TO_R_PROG_EV" },
	{ "sbox/EGRESS_BYPASS.AD*", "alone", NULL, "= EGRESS_ARB_WINS.*" },
	{ "sbox/EGRESS_BYPASS.AK*", "stores", NULL, "= EGRESS_ARB_WINS.*" },
	{ "sbox/TO_R_B_HOM_MSGQ_CYCLES_NE.[RB]BOX", "alone", NULL,
	  "= 4 * PKTS_SENT_HOM.*" },
	{ "sbox/TO_R_B_HOM_MSGQ_CYCLES_NE.RBBOX", "alone", NULL,
	  "= 4 * PKTS_SENT_HOM.ALL ; = .RBOX + .BBOX" },
	{ "sbox/TO_R_B_HOM_MSGQ_OCCUPANCY.[RB]BOX", "alone", NULL,
	  "<= 4 * PKTS_SENT_HOM.* ; >= 4 * PKTS_SENT_HOM.* - 127 * 4" },
	{ "sbox/TO_R_SNP_MSGQ_CYCLES_NE", "alone", NULL,
	  "= 4 * PKTS_SENT_SNP + PKTS_SENT_HOM.RBOX - PKTS_RCVD_SNP" },
	{ "sbox/TO_R_SNP_MSGQ_OCCUPANCY", "alone", NULL,
	  "<= TO_R_SNP_MSGQ_CYCLES_NE ; >= TO_R_SNP_MSGQ_CYCLES_NE - 127 * 4" },
	{ "sbox/TO_RING_SNP_MSGQ_CYCLES_NE", "alone", NULL,
	  "= 6 * PKTS_RCVD_SNP ; = 6 * N" },
	{ "sbox/TO_RING_MSGQ_OCCUPANCY.SNP", "alone", NULL,
	  "<= 6 * N ; >= 6 * N - 127 * 4" },
	{ "sbox/TO_RING_NDR_MSGQ_CYCLES_NE", "stores", NULL,
	  "= 6 * PKTS_RCVD_NDR ; = 6 * 2 * N" },
	{ "sbox/TO_RING_NDR_MSGQ_OCCUPANCY", "stores", NULL,
	  "<= 6 * 2 * N ; >= 6 * 2 * N - 127 * 4" },
	{ "sbox/TO_RING_R2S_MSGQ_CYCLES_NE", "alone", NULL,
	  "= 4 * PKTS_RCVD_DRS_FROM_R" },
	{ "sbox/TO_RING_R2S_MSGQ_OCCUPANCY", "far", NULL,
	  "<= 4 * N ; >= 4 * N - 127 * 4" },
	{ "sbox/TO_RING_B2S_MSGQ_CYCLES_NE", "alone", NULL,
	  "= 2 * PKTS_RCVD_DRS_FROM_B" },
	{ "sbox/TO_RING_B2S_MSGQ_OCCUPANCY", "alone", NULL,
	  "<= 2 * PKTS_RCVD_DRS_FROM_B ; "
	  ">= 2 * PKTS_RCVD_DRS_FROM_B - 127 * 4" },
	{ "sbox/TO_R_DRS_MSGQ_CYCLES_NE.ALL", "stores", NULL,
	  "= .CBOX?_? ; = 6 * N" },
	{ "sbox/TO_R_DRS_MSGQ_CYCLES_NE.*", "stores", NULL,
	  "= 6 * PKTS_SENT_DRS.*" },
	{ "sbox/TO_R_DRS_MSGQ_OCCUPANCY.CBOX*", "stores", NULL,
	  "<= 6 * PKTS_SENT_DRS.* ; >= 6 * PKTS_SENT_DRS.* - 127 * 4" },
	{ "sbox/TO_R_NC[SB]_MSGQ_CYCLES_NE.ALL", "ioalone", NULL,
	  "= .CBOX?_?" },
	{ "sbox/TO_R_NCB_MSGQ_CYCLES_NE.*", "ioalone", NULL,
	  "= 6 * PKTS_SENT_NCB.*" },
	{ "sbox/TO_R_NCS_MSGQ_CYCLES_NE.*", "ioalone", NULL,
	  "= 6 * PKTS_SENT_NCS.*" },
	/* of seven kinds two are port writes, of three flits */
	{ "sbox/FLITS_SENT_NCS", "io", NULL, "= 9 * N" },
	{ "sbox/PKTS_RCVD_NDR", "stores", NULL, "= 2 * N" },
	{ "sbox/TO_R_B_REQUESTS.REMOTE", "far", NULL, "= N" },
	/* what passes the box is in a queue for sbox.cycles = 6; each bypass
	 * saves 2 of them */
	{ "sbox/TO_RING_NCS_MSGQ_CYCLES_NE", "lock", NULL,
	  "= TO_RING_MSGQ_OCCUPANCY.NCS" },
	{ "sbox/TO_RING_NCB_MSGQ_CYCLES_NE", "ipi", NULL,
	  "= 6 * PKTS_RCVD_NCB" },
	{ "sbox/TO_RING_MSGQ_OCCUPANCY.NCS", "lock", NULL,
	  ">= 6 * PKTS_RCVD_NCS + 6 * PKTS_RCVD_LOC_NCS ; "
	  "= TO_RING_NCS_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_MSGQ_OCCUPANCY.NCB", "ipi", NULL,
	  "= 6 * PKTS_RCVD_NCB" },
	{ "sbox/TO_R_NDR_MSGQ_CYCLES_NE", "ipi", NULL, "= 6 * PKTS_SENT_NDR" },
	{ "sbox/TO_R_NDR_MSGQ_OCCUPANCY", "ipi", NULL, "= 6 * PKTS_SENT_NDR" },
	{ "sbox/TO_R_LOC_NCS_MSGQ_CYCLES_NE.ALL", "local", NULL,
	  "<= .CBOX?_? ; >= max:.CBOX?_?" WHY_MEETINGS },
	{ "sbox/TO_R_NCB_MSGQ_OCCUPANCY.CBOX*", "io", NULL,
	  ">= 6 * PKTS_SENT_NCB.* ; <= 2 * TO_R_NCB_MSGQ_CYCLES_NE.* ; "
	  "= TO_R_NCB_MSGQ_CYCLES_NE.* + TO_R_NCB_MSGQ_CYCLES_FULL.*" },
	{ "sbox/TO_R_NCS_MSGQ_OCCUPANCY.CBOX*", "io", NULL,
	  ">= 6 * PKTS_SENT_NCS.* ; <= 2 * TO_R_NCS_MSGQ_CYCLES_NE.* ; "
	  "= TO_R_NCS_MSGQ_CYCLES_NE.* + TO_R_NCS_MSGQ_CYCLES_FULL.*" },
	{ "sbox/TO_R_LOC_NCS_MSGQ_CYCLES_NE.*", "local", NULL,
	  "= TO_R_LOC_NCS_MSGQ_OCCUPANCY.* - "
	  "TO_R_LOC_NCS_MSGQ_CYCLES_FULL.*" },
	/* 80 from each core, two of which a unit mask stands for */
	{ "sbox/TO_R_LOC_NCS_MSGQ_OCCUPANCY.CBOX*", "local", NULL,
	  ">= 6 * 160 ; <= 2 * TO_R_LOC_NCS_MSGQ_CYCLES_NE.* ; "
	  "= TO_R_LOC_NCS_MSGQ_CYCLES_NE.* + TO_R_LOC_NCS_MSGQ_CYCLES_FULL.*" },
	{ "sbox/REQ_TBL_OCCUPANCY.LOCAL", "share", NULL,
	  ">= 100 * TO_R_B_REQUESTS.* ; <= 48 * cycles" WHY_WAITS },
	{ "sbox/REQ_TBL_OCCUPANCY.REMOTE", "share", NULL,
	  ">= 200 * TO_R_B_REQUESTS.* ; <= 48 * cycles" WHY_WAITS },
	{ "sbox/EGRESS_ARB_WINS.AD_CW", "share", NULL,
	  "= cbox/SINKS_S2C.AD - .AD_CCW" },
	{ "sbox/EGRESS_ARB_WINS.AD_CCW", "share", NULL,
	  "= cbox/SINKS_S2C.AD - .AD_CW" },
	{ "sbox/EGRESS_ARB_WINS.AK_CW", "share", NULL,
	  "= cbox/SINKS_S2C.AK - .AK_CCW" },
	{ "sbox/EGRESS_ARB_WINS.AK_CCW", "share", NULL,
	  "= cbox/SINKS_S2C.AK - .AK_CW" },
	{ "sbox/EGRESS_ARB_WINS.BL_CW", "share", NULL,
	  "= cbox/SINKS_S2C.BL - .BL_CCW" },
	{ "sbox/EGRESS_ARB_WINS.BL_CCW", "share", NULL,
	  "= cbox/SINKS_S2C.BL - .BL_CW" },
	{ "sbox/PKTS_SENT_HOM.RBOX", "share", NULL,
	  "= rbox/NEW_PACKETS_RECV.ANY.HOM,port=sbox0 + "
	  "rbox/NEW_PACKETS_RECV.ANY.HOM,port=sbox1" },
	{ "sbox/PKTS_SENT_HOM.BBOX", "share", NULL, "= bbox/MSG_S_TO_B" },
	/* ten of each kind from each core, four of which a unit mask stands
	 * for; five of seven kinds, and two */
	{ "sbox/PKTS_SENT_NCS.CBOX*", "io", NULL, "= 4 * 5 * 10" },
	{ "sbox/PKTS_SENT_NCB.CBOX*", "io", NULL, "= 4 * 2 * 10" },
	{ "sbox/PKTS_SENT_DRS.CBOX*", "triad", NULL,
	  "<= PKTS_SENT_DRS.ALL ; = bbox/IMT_INSERTS_WR + PKTS_SENT_DRS.* - "
	  ".CBOX?_?" },
	/* StopReq1 and StartReq2 to each of four S-Boxes, two of which are
	 * behind a link from the quiesce master */
	{ "sbox/PKTS_RCVD_NCS", "lock", NULL,
	  "= 8 * N - PKTS_RCVD_LOC_NCS - PKTS_RCVD_NCB ; = 2 * 2 * N" },
	{ "sbox/PKTS_RCVD_LOC_NCS", "special", NULL, "= 2 * N" },
	/* not seen: data that go to the home as well as to the requester */
	{ "sbox/TO_R_PROG_EV", "share", NULL,
	  ">= PKTS_SENT_HOM.RBOX + PKTS_SENT_SNP + PKTS_SENT_DRS.ALL ; "
	  "<= PKTS_SENT_HOM.RBOX + PKTS_SENT_SNP + PKTS_SENT_DRS.ALL + "
	  "bbox/IMPLICIT_WBS ; = rbox/NEW_PACKETS_RECV.ANY.ALL,port=sbox0 + "
	  "rbox/NEW_PACKETS_RECV.ANY.ALL,port=sbox1" },
	{ "sbox/RBOX_CREDIT_RETURNS", "share", NULL,
	  "= rbox/FLITS_RECV_SPEC,port=sbox0 + "
	  "rbox/FLITS_RECV_SPEC,port=sbox1 ; "
	  "<= PKTS_RCVD_SNP + PKTS_RCVD_NDR + PKTS_RCVD_DRS_FROM_R" },
	/* somebody has to wait for the credit */
	{ "sbox/NO_CREDIT_HOM", "vn0 slowring notify", NULL,
	  "<= TO_R_B_HOM_MSGQ_OCCUPANCY.RBBOX" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_SNP", "vn0 share slowring notify", NULL,
	  "<= TO_R_SNP_MSGQ_OCCUPANCY" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_DRS", "share slowring notify", NULL,
	  "<= TO_R_DRS_MSGQ_OCCUPANCY.ALL" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_NCS", "notify vn0 " S_SCENES, NULL,
	  "<= TO_R_NCS_MSGQ_OCCUPANCY.ALL" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_NCB", "notify vn0 " S_SCENES, NULL,
	  "<= TO_R_NCB_MSGQ_OCCUPANCY.ALL" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_NDR", "notify vn0 " S_SCENES, NULL,
	  "<= TO_R_NDR_MSGQ_OCCUPANCY" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_LOC_NCS", "notify vn0 local " S_SCENES, NULL,
	  "<= TO_R_LOC_NCS_MSGQ_OCCUPANCY.ALL" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_IPQ", "slowring " S_SCENES, NULL,
	  "<= TO_RING_SNP_MSGQ_CYCLES_NE" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_AD", "slowring " S_SCENES " fullring4", NULL,
	  "<= TO_RING_MSGQ_OCCUPANCY.ALL" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_AK", "slowring " S_SCENES, NULL,
	  "<= TO_RING_NDR_MSGQ_OCCUPANCY" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_BL", "slowring " S_SCENES, NULL,
	  "<= TO_RING_R2S_MSGQ_OCCUPANCY + "
	  "TO_RING_B2S_MSGQ_OCCUPANCY" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_VNA.RBOX", "share slowring notify", NULL,
	  "<= TO_R_PROG_EV ; >= NO_CREDIT_DRS" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_VNA.BBOX", "share slowring notify slowboth", NULL,
	  "<= PKTS_SENT_HOM.BBOX" WHY_MEETINGS },
	/* a slot is taken by what passes, 6 stops at most, or goes round */
	{ "sbox/EGRESS_ARB_LOSSES.AD_*", "share notify", NULL,
	  "<= 6 * cbox/ARB_WINS.AD_ALL + 6 * "
	  "EGRESS_ARB_WINS.AD" WHY_MEETINGS },
	{ "sbox/EGRESS_ARB_LOSSES.AK_*", "share", NULL,
	  "<= 6 * cbox/ARB_WINS.AK_ALL + 6 * EGRESS_ARB_WINS.AK + "
	  "12 * cbox/BOUNCES_C2P_AK.ALL" WHY_MEETINGS },
	{ "sbox/EGRESS_ARB_LOSSES.BL_*", "share", NULL,
	  "<= 12 * cbox/ARB_WINS.BL_ALL + 6 * EGRESS_ARB_WINS.BL + "
	  "12 * cbox/BOUNCES_C2P_BL.ALL" WHY_MEETINGS },
	{ "sbox/PKTS_RCVD_NCB", "ipi", NULL, "= N ; = ubox/IPIS_SENT" },
	{ "sbox/PKTS_SENT_NDR", "ipi", NULL, "= PKTS_RCVD_NCB" },
	{ "sbox/TO_RING_R2S_MSGQ_CYCLES_FULL", "slowsbox", NULL,
	  "<= TO_RING_R2S_MSGQ_CYCLES_NE" WHY_MEETINGS },
	{ "sbox/TO_RING_B2S_MSGQ_CYCLES_FULL", "slowsbox", NULL,
	  "<= TO_RING_B2S_MSGQ_CYCLES_NE" WHY_MEETINGS },
	{ "sbox/TO_RING_NCS_MSGQ_CYCLES_FULL", "slowsbox slowspecial", NULL,
	  "<= TO_RING_NCS_MSGQ_CYCLES_NE" WHY_MEETINGS },
	{ "sbox/TO_RING_NCB_MSGQ_CYCLES_FULL", "slowsbox slowbells", NULL,
	  "<= TO_RING_NCB_MSGQ_CYCLES_NE" WHY_MEETINGS },
	{ "sbox/EGRESS_STARVED.*_*", "slowring grants " S_SCENES, NULL,
	  "<= EGRESS_ARB_LOSSES.* + 2 * EGRESS_ARB_WINS.*" WHY_MEETINGS },
	{ "sbox/NO_CREDIT_*", "share slowring notify " S_SCENES, NULL, NULL },
	{ "sbox/TO_R_B_HOM_MSGQ_CYCLES_FULL.*", "slowlink narrowhom", NULL,
	  "<= TO_R_B_HOM_MSGQ_CYCLES_NE.*" WHY_MEETINGS },
	{ "sbox/TO_R_DRS_MSGQ_CYCLES_FULL.*", S_SCENES, NULL,
	  "<= TO_R_DRS_MSGQ_CYCLES_NE.*" WHY_MEETINGS },
	{ "sbox/TO_R_NCB_MSGQ_CYCLES_FULL.*", S_SCENES, NULL,
	  "= TO_R_NCB_MSGQ_OCCUPANCY.* - TO_R_NCB_MSGQ_CYCLES_NE.*" },
	{ "sbox/TO_R_NCS_MSGQ_CYCLES_FULL.*", "pairs", NULL,
	  "= TO_R_NCS_MSGQ_OCCUPANCY.* - TO_R_NCS_MSGQ_CYCLES_NE.*" },
	{ "sbox/TO_R_LOC_NCS_MSGQ_CYCLES_FULL.*", "localpairs", NULL,
	  "= TO_R_LOC_NCS_MSGQ_OCCUPANCY.* - TO_R_LOC_NCS_MSGQ_CYCLES_NE.*" },
	{ "sbox/TO_R_SNP_MSGQ_CYCLES_FULL", S_SCENES, NULL,
	  "<= TO_R_SNP_MSGQ_CYCLES_NE" WHY_MEETINGS },
	{ "sbox/TO_R_NDR_MSGQ_CYCLES_FULL", "slowipi", NULL,
	  "= TO_R_NDR_MSGQ_CYCLES_NE" },
	{ "sbox/TO_RING_SNP_MSGQ_CYCLES_FULL", S_SCENES, NULL,
	  "<= TO_RING_SNP_MSGQ_CYCLES_NE" WHY_MEETINGS },
	{ "sbox/TO_RING_NDR_MSGQ_CYCLES_FULL", "pinched", NULL,
	  "= TO_RING_NDR_MSGQ_CYCLES_NE" },
	{ "sbox/FLITS_SENT_DRS", "triad", NULL, "= 9 * PKTS_SENT_DRS.ALL" },
	{ "sbox/FLITS_SENT_NCB", "io", NULL, "= 11 * PKTS_SENT_NCB.ALL" },
	{ "sbox/FLITS_SENT_LOC_NCS", "local", NULL, "= N" },
	{ "sbox/PKTS_RCVD_SNP", "share", NULL, "= PKTS_SENT_SNP" },
	{ "sbox/PKTS_SENT_SNP", "reads", NULL, "= N" },
	{ "sbox/PKTS_SENT_HOM.ALL", "share", NULL, "= .RBOX + .BBOX" },
	{ "sbox/PKTS_RCVD_DRS_FROM_B", "reads", NULL,
	  "= N - PKTS_RCVD_DRS_FROM_R" },
	{ "sbox/PKTS_RCVD_DRS_FROM_R", "reads", NULL,
	  "= N - PKTS_RCVD_DRS_FROM_B" },
	{ "sbox/TO_R_B_REQUESTS.LOCAL", "reads", NULL, "= N" },
	{ "sbox/EGRESS_BYPASS.*", "share", NULL,
	  "<= EGRESS_ARB_WINS.*" WHY_MEETINGS },
	{ "sbox/*NC[SB]*", "io posted config local lock ipi " S_SCENES, NULL,
	  NULL },
	{ "sbox/*", S_SCENES, NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law wbox[] = {
	{ "wbox/FIXED_CTR", "idle", NULL, "= 2 * N" },
	/* asserted every 2000 cycles, five times, for 1500 each */
	{ "wbox/C_C0_THROTTLE_PROCHOT.*", "hot", NULL, "= 7500" },
	/* 40 degrees up, on the way to 1000: 30000 * ln(1000 / 960) = 1224.7
	 * cycles; slow after 500 more, modulated after 2000 more */
	{ "wbox/C_THROTTLE_TMP.*", "boiling", NULL, "= time - 1225" },
	{ "wbox/PROCHOT", "boiling", NULL, "= time - 1225" },
	{ "wbox/C_C0_THROTTLE_DIE.*", "boiling", NULL,
	  "= C_THROTTLE_TMP.* - 500" },
	{ "wbox/TM1_ON.*", "boiling", NULL, "= C_THROTTLE_TMP.* - 2000" },
	/* the wish is felt after the first cycle, fulfilled 500 later */
	{ "wbox/C_CYCLES_TURBO.*", "fast", NULL, "= time - 501" },
	{ "wbox/RATIO_CHANGE_ABORT.*", "unsteady", NULL, "= 1" },
	{ "wbox/*", "hot turbo", NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};

static const struct coverage_law *const laws[] = {
	ubox, cbox, bbox, sbox, coverage_rbox, coverage_mbox, wbox, NULL,
};

const struct coverage_law *coverage_law(const char *name)
{
	for (unsigned i = 0; laws[i]; i++)
		for (const struct coverage_law *law = laws[i]; law->pattern;
		     law++)
			if (!fnmatch(law->pattern, name, 0))
				return law;
	return NULL;
}

const char *coverage_why(const struct coverage_law *law)
{
	const char *sign = law && law->check ? strchr(law->check, '#') : NULL;

	return sign ? sign + strlen("# ") : NULL;
}
