/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The laws of the catalogue for R-Box and M-Box; see coverage_laws.c. An event
 * of the R-Box is tried at several ports, where it can be seen at one alone.
 */
#include "coverage.h"

#define PORTS "port=qpi0 port=sbox0 port=bbox0 port=qpi3 port=sbox1 port=bbox1"

#define MOST                                                                   \
	"share io vn0 mirror eight eightvn0 notify8 crowd8 ipi posted crowd "  \
	"fario"

/* What the input port put forward has passed or was turned down. */
#define TURNED_DOWN(CLASS)                                                     \
	{                                                                      \
		"rbox/GLOBAL_ARB_BID_FAIL.VN[01]." CLASS, MOST, PORTS,         \
			"= GLOBAL_ARB_BID." CLASS                              \
			" - NEW_PACKETS_RECV.ANY." CLASS " - .VN0." CLASS      \
			" - .VN1." CLASS " + GLOBAL_ARB_BID_FAIL.*"            \
	}

/* Packets that come in at a port are granted once: small ones and large ones,
 * whatever credit they came with and take. */
#define SMALL                                                                  \
	" + TARGET_AVAILABLE.VN0.VSM + TARGET_AVAILABLE.VN0.HOM"               \
	" + TARGET_AVAILABLE.VN0.SNP + TARGET_AVAILABLE.VN0.NDR"               \
	" + TARGET_AVAILABLE.VN0.NCS + TARGET_AVAILABLE.VN1.VSM"               \
	" + TARGET_AVAILABLE.VN1.HOM + TARGET_AVAILABLE.VN1.SNP"               \
	" + TARGET_AVAILABLE.VN1.NDR + TARGET_AVAILABLE.VN1.NCS"               \
	" - NEW_PACKETS_RECV.ANY.HOM - NEW_PACKETS_RECV.ANY.SNP"               \
	" - NEW_PACKETS_RECV.ANY.NDR - NEW_PACKETS_RECV.ANY.NCS"
#define LARGE                                                                  \
	" + TARGET_AVAILABLE.VN0.VLG + TARGET_AVAILABLE.VN0.DRS"               \
	" + TARGET_AVAILABLE.VN0.NCB + TARGET_AVAILABLE.VN1.VLG"               \
	" + TARGET_AVAILABLE.VN1.DRS + TARGET_AVAILABLE.VN1.NCB"               \
	" - NEW_PACKETS_RECV.ANY.DRS - NEW_PACKETS_RECV.ANY.NCB"

/* First what can be seen in few runs and at few ports. */
const struct coverage_law coverage_rbox[] = {
	TURNED_DOWN("HOM"),
	TURNED_DOWN("SNP"),
	TURNED_DOWN("NDR"),
	TURNED_DOWN("NCS"),
	TURNED_DOWN("DRS"),
	TURNED_DOWN("NCB"),
	{ "rbox/NEW_PACKETS_RECV.VN1.NCS", "notify8 eightvn0",
	  "port=qpi3 port=qpi0", "= NEW_PACKETS_RECV.*" SMALL },
	{ "rbox/NEW_PACKETS_RECV.VN1.NCB", "notify8 eightvn0",
	  "port=qpi3 port=qpi0", "= NEW_PACKETS_RECV.*" LARGE },
	{ "rbox/NEW_PACKETS_RECV.VN1.NDR", "eightvn0 notify8",
	  "port=qpi3 port=qpi0", "= NEW_PACKETS_RECV.*" SMALL },
	{ "rbox/NEW_PACKETS_RECV.VN1.DRS", "eight eightvn0",
	  "port=qpi3 port=qpi0", "= NEW_PACKETS_RECV.*" LARGE },
	{ "rbox/NEW_PACKETS_RECV.VN1.[SH]*", "eight eightvn0",
	  "port=qpi3 port=qpi0", "= NEW_PACKETS_RECV.*" SMALL },
	{ "rbox/NEW_PACKETS_RECV.V*.NCB", "io vn0", "port=qpi0",
	  "= NEW_PACKETS_RECV.*" LARGE },
	{ "rbox/NEW_PACKETS_RECV.V*.DRS", "share vn0", "port=qpi0",
	  "= NEW_PACKETS_RECV.*" LARGE },
	{ "rbox/NEW_PACKETS_RECV.V*.NCS", "io vn0", "port=qpi0",
	  "= NEW_PACKETS_RECV.*" SMALL },
	{ "rbox/NEW_PACKETS_RECV.V*.[SNH][NDO][PRM]", "share vn0", "port=qpi0",
	  "= NEW_PACKETS_RECV.*" SMALL },
	{ "rbox/TARGET_AVAILABLE.VN0.VSM", "share", "port=qpi0",
	  "= TARGET_AVAILABLE.*" SMALL },
	{ "rbox/TARGET_AVAILABLE.VN0.VLG", "share", "port=qpi0",
	  "= TARGET_AVAILABLE.*" LARGE },
	{ "rbox/TARGET_AVAILABLE.VN1.VSM", "mirror", "port=bbox0",
	  "= TARGET_AVAILABLE.*" SMALL },
	/* each mirrored write is a request and its data */
	{ "rbox/TARGET_AVAILABLE.VN1.VLG", "mirror", "port=bbox0",
	  "= TARGET_AVAILABLE.*" LARGE " ; = ALLOC_TO_ARB.HOM_VN1 - .VN1.DRS" },
	{ "rbox/TARGET_AVAILABLE.*.NCB", MOST, PORTS,
	  "= TARGET_AVAILABLE.*" LARGE },
	{ "rbox/TARGET_AVAILABLE.*.DRS", MOST, PORTS,
	  "= TARGET_AVAILABLE.*" LARGE },
	{ "rbox/TARGET_AVAILABLE.*", MOST, PORTS,
	  "= TARGET_AVAILABLE.*" SMALL },
	{ "rbox/ALLOC_TO_ARB.DRS_VN01", "share", "port=qpi0",
	  "= NEW_PACKETS_RECV.ANY.DRS" },
	{ "rbox/ALLOC_TO_ARB.HOM_VN0", "share", "port=qpi0",
	  "= NEW_PACKETS_RECV.ANY.HOM - .HOM_VN1" },
	/* each mirrored write is a request and its data */
	{ "rbox/ALLOC_TO_ARB.HOM_VN1", "mirror", "port=bbox0",
	  "= NEW_PACKETS_RECV.ANY.HOM - .HOM_VN0 ; = NEW_PACKETS_RECV.ANY.DRS "
	  "- TARGET_AVAILABLE.VN0.VLG - TARGET_AVAILABLE.VN0.DRS" },
	{ "rbox/ALLOC_TO_ARB.NC?", "io", "port=qpi0",
	  "= NEW_PACKETS_RECV.ANY.*" },
	{ "rbox/ALLOC_TO_ARB.[NS][DN][RP]", "share", "port=qpi0",
	  "= NEW_PACKETS_RECV.ANY.*" },
	{ "rbox/QUE_ARB_BID.NC[SB]", "io", PORTS,
	  "= LOCAL_ARB_BID.* + QUE_ARB_BID_FAIL.*" },
	{ "rbox/QUE_ARB_BID.*", "share", PORTS,
	  "= LOCAL_ARB_BID.* + QUE_ARB_BID_FAIL.*" },
	{ "rbox/QUE_ARB_BID_FAIL.NC[SB]", "io vn0 crowd", PORTS,
	  "= QUE_ARB_BID.* - LOCAL_ARB_BID.*" },
	{ "rbox/QUE_ARB_BID_FAIL.*", "share vn0 busy", PORTS,
	  "= QUE_ARB_BID.* - LOCAL_ARB_BID.*" },
	/* a packet needs a cycle in which its class puts it forward */
	{ "rbox/LOCAL_ARB_BID.NC[SB]", "io", PORTS,
	  "= QUE_ARB_BID.* - QUE_ARB_BID_FAIL.* ; >= NEW_PACKETS_RECV.ANY.*" },
	{ "rbox/LOCAL_ARB_BID.*", "share", PORTS,
	  "= QUE_ARB_BID.* - QUE_ARB_BID_FAIL.* ; >= NEW_PACKETS_RECV.ANY.*" },
	/* who does not fail bids at the last stage */
	{ "rbox/LOCAL_ARB_BID_FAIL.NC[SB]", "io vn0 ipi eightvn0 crowd", PORTS,
	  "<= LOCAL_ARB_BID.* ; >= LOCAL_ARB_BID.* - "
	  "GLOBAL_ARB_BID.*" WHY_MEETINGS },
	{ "rbox/LOCAL_ARB_BID_FAIL.*", "share busy vn0", PORTS,
	  "<= LOCAL_ARB_BID.* ; >= LOCAL_ARB_BID.* - "
	  "NEW_PACKETS_RECV.ANY.*" WHY_MEETINGS },
	{ "rbox/GLOBAL_ARB_BID.NC[SB]", "io", PORTS,
	  ">= NEW_PACKETS_RECV.ANY.* ; = NEW_PACKETS_RECV.ANY.* + "
	  "GLOBAL_ARB_BID_FAIL.VN0.* + GLOBAL_ARB_BID_FAIL.VN1.*" },
	{ "rbox/GLOBAL_ARB_BID.*", "share", PORTS,
	  ">= NEW_PACKETS_RECV.ANY.* ; = NEW_PACKETS_RECV.ANY.* + "
	  "GLOBAL_ARB_BID_FAIL.VN0.* + GLOBAL_ARB_BID_FAIL.VN1.*" },
	/* a flit of 6.4 GT/s takes 5/3 cycles; what is sent is in the queue */
	{ "rbox/OUTPUTQ_NE", "share", "port=qpi0",
	  ">= 1.66666 * FLITS_SENT ; <= 1.66667 * FLITS_SENT + PACKETS" },
	{ "rbox/OUTPUTQ_OVFL", "share", "port=qpi0",
	  "<= PACKETS" WHY_MEETINGS },
	{ "rbox/RETRYQ_NE", "share", "port=qpi0", ">= OUTPUTQ_NE" WHY_WAITS },
	{ "rbox/NULL_IDLE", "share", "port=qpi0", "= cycles - OUTPUTQ_NE" },
	/* a packet's credit comes back once, alone or with others */
	{ "rbox/FLITS_RECV_SPEC", "alone", "port=qpi0", "= PACKETS" },
	{ "rbox/NCB.AnyMsg9flits", "io", "port=qpi0",
	  "= NEW_PACKETS_RECV.ANY.NCB - .AnyMsg11flits" },
	{ "rbox/NCB.AnyMsg11flits", "io", "port=qpi0",
	  "= NEW_PACKETS_RECV.ANY.NCB - .AnyMsg9flits" },
	{ "rbox/NCB.AnyInt", "ipi vn0", "port=qpi0",
	  "= .AnyMsg11flits ; <= ubox/IPIS_SENT" },
	{ "rbox/EOT_NE_CYCLES", "crowd", "port=sbox0",
	  "<= EOT_OCCUPANCY.HOM_VN0 + EOT_OCCUPANCY.HOM_VN1 + "
	  "EOT_OCCUPANCY.NDR + EOT_OCCUPANCY.DRS_VN0 + EOT_OCCUPANCY.SNP + "
	  "EOT_OCCUPANCY.NCB + EOT_OCCUPANCY.NCS + EOT_OCCUPANCY.DRS_VN1 + "
	  "8 * 128 * 2 ; >= EOT_INSERTS.SNP" WHY_WAITS },
	{ "rbox/NEW_PACKETS_RECV.VN1.*", "eight eightvn0",
	  "port=qpi3 port=qpi0", NULL },
	{ "rbox/EOT_OCCUPANCY.NCS", "slowpairs posted",
	  "port=sbox0 port=sbox1 port=qpi0 port=bbox1",
	  ">= EOT_INSERTS.* - 128 * 8" WHY_WAITS },
	{ "rbox/EOT_INSERTS.NCS", "crowd slowpairs", "port=qpi0 port=sbox0",
	  "<= ALLOC_TO_ARB.*" WHY_MEETINGS },
	{ "rbox/EOT_INSERTS.NDR", "crowd slowanswers", PORTS,
	  "<= ALLOC_TO_ARB.*" WHY_MEETINGS },
	{ "rbox/EOT_INSERTS.DRS_VN1", "crowd crowd8", "port=bbox0 port=qpi0",
	  "<= ALLOC_TO_ARB.DRS_VN01 - EOT_INSERTS.DRS_VN0" WHY_MEETINGS },
	{ "rbox/EOT_INSERTS.HOM_VN1", "crowd slaves", "port=bbox0 port=qpi0",
	  "<= ALLOC_TO_ARB.*" WHY_MEETINGS },
	{ "rbox/EOT_INSERTS.DRS_VN0", "share busy vn0 crowd crowd8", PORTS,
	  "<= ALLOC_TO_ARB.DRS_VN01 - EOT_INSERTS.DRS_VN1" WHY_MEETINGS },
	{ "rbox/EOT_OCCUPANCY.*_VN1", "crowd slaves", "port=bbox0 port=qpi0",
	  ">= EOT_INSERTS.* - 128 * 8" WHY_WAITS },
	{ "rbox/EOT_OCCUPANCY.NDR", "slowanswers", "port=bbox0 port=qpi0",
	  ">= EOT_INSERTS.* - 128 * 8" WHY_WAITS },
	{ "rbox/EOT_INSERTS.NCB", "posted crowd", PORTS,
	  "<= ALLOC_TO_ARB.*" WHY_MEETINGS },
	{ "rbox/EOT_OCCUPANCY.NCB", "posted crowd", PORTS,
	  ">= EOT_INSERTS.* - 128 * 8" WHY_WAITS },
	{ "rbox/STARVING.*", "vn0 io busy", "port=sbox0 port=qpi0 port=sbox1",
	  "<= cycles" WHY_MEETINGS },
	{ "rbox/RETRYQ_OV", "vn0 pbox", "port=qpi0", "<= cycles" WHY_MEETINGS },
	{ "rbox/DRS.WbEData", "twice", "port=bbox0",
	  "= N - DRS.WbEData,port=bbox1" },
	/* a part of a line: header, mask and eight flits of data */
	{ "rbox/DRS.AnyResp11flits", "nosnoop", "port=bbox0",
	  "= N - DRS.AnyResp11flits,port=bbox1" },
	{ "rbox/*NC[SB]*", "io vn0 ipi posted eightvn0 notify8 crowd", PORTS,
	  NULL },
	{ "rbox/EOT_OCCUPANCY.*", "share busy vn0 crowd crowd8", PORTS,
	  ">= EOT_INSERTS.* - 128 * 8" WHY_WAITS },
	{ "rbox/EOT_INSERTS.*", "share busy vn0 crowd crowd8", PORTS,
	  "<= ALLOC_TO_ARB.*" WHY_MEETINGS },
	{ "rbox/*VN0*", "share vn0 eightvn0", PORTS, NULL },
	{ "rbox/*VN1*", "mirror eight eightvn0 notify8 crowd8", PORTS, NULL },
	{ "rbox/FLITS_RECV_ERR", "qpi", "port=qpi0", "= injected:qpi-crc" },
	/* without non-coherent messages: lines have nine flits, the rest one */
	{ "rbox/FLITS_SENT", "share", "port=qpi0",
	  "= NEW_PACKETS_RECV.ANY.ALL + 8 * NEW_PACKETS_RECV.ANY.DRS" },
	{ "rbox/PACKETS", "share", "port=qpi0", "= NEW_PACKETS_RECV.ANY.ALL" },
	{ "rbox/INQUE_READ_WIN", "share", "port=qpi0",
	  "= NEW_PACKETS_RECV.ANY.ALL + 8 * NEW_PACKETS_RECV.ANY.DRS" },
	{ "rbox/DRS.AnyResp", "share", "port=qpi0",
	  "= .AnyResp9flits + .AnyResp11flits" },
	/* both halves of a socket; lines go to the home or to the requester */
	{ "rbox/DRS.AnyDataC", "share", "port=sbox0",
	  "= sbox/PKTS_RCVD_DRS_FROM_R - DRS.AnyDataC,port=sbox1" },
	{ "rbox/DRS.DataC_M", "states", "port=sbox0",
	  "= N - DRS.DataC_M,port=sbox1" },
	{ "rbox/DRS.WbIData", "stores", "port=bbox0",
	  "= N - DRS.WbIData,port=bbox1" },
	{ "rbox/DRS.WbSData", "states", "port=bbox0",
	  "= N - DRS.WbSData,port=bbox1" },
	/* what leaves one socket comes to the other */
	{ "rbox/DRS.AnyResp9flits", "share", "port=qpi0",
	  "= NEW_PACKETS_RECV.ANY.DRS - .AnyResp11flits" },
	{ "rbox/*", "share busy dma vn0 eightvn0 flush", PORTS, NULL },
	{ NULL, NULL, NULL, NULL },
};

#define M_SCENES                                                               \
	"adaptive writes open closed init rest sparing mirror nosnoop "        \
	"overtaken smi idle"
/* A frame of five cycles is of one type; the last one of each of two M-Boxes
 * has begun. */
#define OTHER_FRAMES                                                           \
	"0.2 * cycles - FRM_TYPE.FRM_TYPE_3CMD - FRM_TYPE.FRM_TYPE_WDAT - "    \
	"FRM_TYPE.FRM_TYPE_SYNC - FRM_TYPE.FRM_TYPE_CHNL - "                   \
	"FRM_TYPE.FRM_TYPE_NOP - FRM_TYPE.FRM_TYPE_1CMD + FRM_TYPE.*"

/* An entry of the scheduler's queue holds a command of one kind. */
#define OTHER_COMMANDS                                                         \
	"= .ALL - .READS - .WRITES - .MERGE - .V2F - .V2V - .F2V - .F2B - "    \
	".SPRWR + BCMD_SCHEDQ_OCCUPANCY.*"

const struct coverage_law coverage_mbox[] = {
	/* the same seen in two ways */
	{ "mbox/DSP_FILL.RDQ_FULL", M_SCENES, NULL,
	  "= CYCLES_DSP_FILL.* ; <= cycles - .RDQ_EMPTY" },
	{ "mbox/DSP_FILL.RDQ_EMPTY", M_SCENES, NULL,
	  "= CYCLES_DSP_FILL.* ; <= cycles - .RDQ_FULL" },
	{ "mbox/DSP_FILL.WRQ_FULL", M_SCENES, NULL,
	  "= CYCLES_DSP_FILL.* ; <= cycles - .WRQ_EMPTY" },
	{ "mbox/DSP_FILL.WRQ_EMPTY", M_SCENES, NULL,
	  "= CYCLES_DSP_FILL.* ; <= cycles - .WRQ_FULL" },
	{ "mbox/CYCLES_DSP_FILL.*", M_SCENES, NULL, "= DSP_FILL.*" },
	{ "mbox/CYCLES_MFULL", M_SCENES, NULL,
	  "= CYCLES_RETRYQ_MFULL ; <= CYCLES_RETRYQ_STARVED" },
	{ "mbox/CYCLES_RETRYQ_MFULL", M_SCENES, NULL, "= CYCLES_MFULL" },
	{ "mbox/CYCLES_RETRYQ_STARVED", M_SCENES, NULL,
	  ">= CYCLES_RETRYQ_MFULL" WHY_WAITS },
	{ "mbox/RETRY_MFULL", M_SCENES, NULL,
	  "<= RETRY_STARVE ; <= CYCLES_MFULL" WHY_ORDER },
	{ "mbox/RETRY_STARVE", M_SCENES, NULL,
	  "<= DRAM_MISC.RETRIES_ALL|RETRIES.ALL ; <= "
	  "CYCLES_RETRYQ_STARVED" WHY_ORDER },
	{ "mbox/DRAM_MISC.RETRIES_ALL", "adaptive smi", NULL,
	  ">= RETRY_STARVE" WHY_ORDER },
	{ "mbox/DRAM_MISC.RETRIES_FVID", "adaptive smi", NULL,
	  "<= .RETRIES_ALL" WHY_ORDER },
	{ "mbox/RETRIES.ALL", "adaptive smi", NULL,
	  ">= RETRY_STARVE" WHY_ORDER },
	{ "mbox/RETRIES.FVID", "adaptive smi", NULL, "<= .ALL" WHY_ORDER },
	/* of some translations the mode is looked at once */
	{ "mbox/ISS_SCHED.CHANGES", "adaptive", NULL,
	  "<= 0.00390625 * TRANS_CMDS" WHY_ORDER },
	{ "mbox/SCHED_MODE_CHANGES", "adaptive", NULL,
	  "<= 0.00390625 * TRANS_CMDS" WHY_ORDER },
	{ "mbox/PGT_PAGE_EV.OPN2CLS", M_SCENES, NULL,
	  "<= .CLS2OPN + 2 ; >= .CLS2OPN - 2" WHY_ORDER },
	{ "mbox/PGT_PAGE_EV.CLS2OPN", M_SCENES, NULL,
	  "<= .OPN2CLS + 2 ; >= .OPN2CLS - 2" WHY_ORDER },
	/* but for the last frame of each M-Box, which has begun */
	{ "mbox/ISS_SCHED.FRAME_BEAT", "adaptive", NULL,
	  "<= FRM_TYPE.FRM_TYPE_3CMD + FRM_TYPE.FRM_TYPE_WDAT + "
	  "FRM_TYPE.FRM_TYPE_SYNC + FRM_TYPE.FRM_TYPE_CHNL + "
	  "FRM_TYPE.FRM_TYPE_NOP + FRM_TYPE.FRM_TYPE_1CMD + 2 ; >= "
	  "FRM_TYPE.FRM_TYPE_3CMD + FRM_TYPE.FRM_TYPE_WDAT + "
	  "FRM_TYPE.FRM_TYPE_SYNC + FRM_TYPE.FRM_TYPE_CHNL + "
	  "FRM_TYPE.FRM_TYPE_NOP + FRM_TYPE.FRM_TYPE_1CMD - 2" },
	/* commands */
	{ "mbox/DRAM_CMD.ALL", "adaptive", NULL,
	  "= .PREALL + .RAS + .CAS_RD_OPN + .CAS_WR_OPN + .CAS_RD_CLS + "
	  ".CAS_WR_CLS + .RFR + .PRE + .ZQCAL" },
	{ "mbox/DRAM_CMD.ADDR_MATCH", "adaptive", NULL, "= .ALL" },
	{ "mbox/DRAM_CMD.RAS", "adaptive", NULL,
	  "= PAGE_MISS + PGT_PAGE_EV2.PAGE_EMPTY|PAGE_EMPTY" },
	{ "mbox/PAGE_EMPTY", "adaptive", NULL,
	  "= DRAM_CMD.RAS - PAGE_MISS ; = TRANS_CMDS - PAGE_HIT - PAGE_MISS" },
	{ "mbox/PGT_PAGE_EV2.PAGE_EMPTY", "adaptive", NULL,
	  "= DRAM_CMD.RAS - PAGE_MISS ; = TRANS_CMDS - PAGE_HIT - PAGE_MISS" },
	{ "mbox/PGT_PAGE_EV2.AUTO_CLS", "adaptive", NULL,
	  "= DRAM_CMD.PRE - PAGE_MISS" },
	{ "mbox/DRAM_CMD.CAS_RD_OPN", "adaptive", NULL,
	  "= FVC_EV0.BBOX_CMDS.READS + PATROL_TXNS - .CAS_RD_CLS" },
	{ "mbox/DRAM_CMD.CAS_RD_CLS", "adaptive", NULL,
	  "= FVC_EV0.BBOX_CMDS.READS + PATROL_TXNS - .CAS_RD_OPN" },
	{ "mbox/DRAM_CMD.CAS_WR_OPN", "adaptive", NULL,
	  "= FVC_EV0.BBOX_CMDS.WRITES - .CAS_WR_CLS" },
	{ "mbox/DRAM_CMD.CAS_WR_CLS", "adaptive", NULL,
	  "= FVC_EV0.BBOX_CMDS.WRITES - .CAS_WR_OPN" },
	{ "mbox/DRAM_CMD.RFR", "adaptive", NULL, "= REFRESH" },
	{ "mbox/DRAM_CMD.PREALL", "adaptive", NULL, "<= .RFR" WHY_ORDER },
	{ "mbox/DRAM_CMD.PRE", "adaptive", NULL,
	  "= PAGE_MISS + PGT_PAGE_EV2.AUTO_CLS ; >= PAGE_MISS" WHY_ORDER },
	/* of each of 16 ranks every fourth refresh */
	{ "mbox/DRAM_CMD.ZQCAL", "adaptive", NULL,
	  "<= 0.25 * .RFR ; >= 0.25 * .RFR - 16" },
	{ "mbox/DRAM_CMD.TRKL", "adaptive", NULL,
	  "<= 4 * FVC_EV0.BBOX_CMDS.WRITES" WHY_ORDER },
	{ "mbox/DRAM_CMD.SYNC", "adaptive", NULL, "= FRM_TYPE.FRM_TYPE_SYNC" },
	/* initialisation: of each of 16 ranks, of each of two M-Boxes */
	{ "mbox/DRAM_CMD.*MRS*", "init", NULL, "= 16" },
	{ "mbox/DRAM_CMD.GENDRM", "init", NULL, "= 16" },
	{ "mbox/DRAM_CMD.NOP", "init", NULL, "= 16" },
	{ "mbox/DRAM_CMD.CKE_HI", "init", NULL, "= 16" },
	{ "mbox/DRAM_CMD.SOFT_RST", "init", NULL, "= 2" },
	{ "mbox/DRAM_CMD.*_CFG", "init", NULL, "= 2" },
	{ "mbox/DRAM_CMD.POLL", "init", NULL, "= 2" },
	/* each of 16 ranks is asleep or not */
	{ "mbox/DRAM_CMD.ENSR", "rest", NULL, ">= .EXSR ; <= .EXSR + 16" },
	{ "mbox/DRAM_CMD.EXSR", "rest", NULL, "<= .ENSR ; >= .ENSR - 16" },
	{ "mbox/DRAM_CMD.CKE_LO", "rest", NULL,
	  ">= .CKE_HI ; <= .CKE_HI + 16" },
	/* a rank goes into power-down or into self-refresh */
	{ "mbox/DRAM_CMD.NOWPE", "rest", NULL, "= .CKE_LO - .ENSR" },
	{ "mbox/DRAM_CMD.IBD", "smi", NULL, "= injected:smi-crc" },
	{ "mbox/INFLIGHT_CMDS", "open", NULL, "= TRANS_CMDS" },
	{ "mbox/SCHED_INFLIGHT_CMDS", "open", NULL, "= TRANS_CMDS" },
	{ "mbox/MULTICAS", M_SCENES, NULL, "<= PAGE_HIT" WHY_ORDER },
	{ "mbox/REFRESH_CONFLICT", M_SCENES, NULL,
	  "<= TRANS_CMDS + DRAM_MISC.RETRIES_ALL|RETRIES.ALL" WHY_ORDER },
	{ "mbox/TT_CMD_CONFLICT", "warm heat", NULL,
	  "<= TRANS_CMDS + DRAM_MISC.RETRIES_ALL|RETRIES.ALL" WHY_ORDER },
	/* four ways to see one thing */
	{ "mbox/FVC_EV[1-3].*SPR*", "sparing", NULL, "= FVC_EV0.*" },
	{ "mbox/FVC_EV[1-3].BBOX_CMDS.V2F", "overtaken", NULL, "= FVC_EV0.*" },
	{ "mbox/FVC_EV[1-3].BBOX_CMDS.F2B", "overtaken", NULL, "= FVC_EV0.*" },
	{ "mbox/FVC_EV[1-3].BBOX_CMDS.V2V", "mirror", NULL, "= FVC_EV0.*" },
	{ "mbox/FVC_EV[1-3].POISON_TXN", "poison", NULL, "= FVC_EV0.*" },
	{ "mbox/FVC_EV[1-3].BBOX_RSP.SPEC_ACK", "early", NULL, "= FVC_EV0.*" },
	{ "mbox/FVC_EV[1-3].SMI_NB_TRIG", "smi", NULL, "= FVC_EV0.*" },
	{ "mbox/FVC_EV0.BBOX_CMDS.SPRWR", "sparing", NULL,
	  "= 1024 * injected:sparing" },
	{ "mbox/FVC_EV0.BBOX_RSP.SPR_UNCOR", "sparing", NULL,
	  "<= injected:ecc-uncorrectable" WHY_STRIKES },
	{ "mbox/FVC_EV0.BBOX_RSP.SPR_ACK", "sparing", NULL,
	  "<= DRAM_CMD.CAS_RD_OPN + DRAM_CMD.CAS_RD_CLS" WHY_STRIKES },
	{ "mbox/FVC_EV0.BBOX_CMDS.V2F", "overtaken", NULL, "= .BBOX_CMDS.F2B" },
	{ "mbox/FVC_EV0.BBOX_CMDS.F2B", "overtaken", NULL, "= .BBOX_CMDS.V2F" },
	/* each write of a master is written by its slave, too */
	{ "mbox/FVC_EV0.BBOX_CMDS.V2V", "mirror", NULL,
	  "= 0.5 * .BBOX_CMDS.WRITES" },
	{ "mbox/FVC_EV0.POISON_TXN", "poison", NULL, "= injected:poison" },
	/* all reads are so long that their data can be early */
	{ "mbox/FVC_EV0.BBOX_RSP.SPEC_ACK", "early", NULL,
	  "= .BBOX_CMDS.READS - PATROL_TXNS ; = bbox/EARLY_ACK" },
	{ "mbox/FVC_EV0.SMI_NB_TRIG", "smi", NULL, "= injected:smi-crc" },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.V2F", "overtaken", NULL, OTHER_COMMANDS },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.F2B", "overtaken", NULL, OTHER_COMMANDS },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.V2V", "mirror", NULL, OTHER_COMMANDS },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.MERGE", "nosnoop", NULL, OTHER_COMMANDS },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.F2V", "nosnoop", NULL, OTHER_COMMANDS },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.READS", "adaptive", NULL,
	  "= .ALL - .WRITES" },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.WRITES", "adaptive", NULL,
	  "= .ALL - .READS" },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.ALL", "adaptive", NULL,
	  "= .READS + .WRITES" },
	{ "mbox/CYCLES", "idle", NULL, "= cycles" },
	{ "mbox/CYCLES_SCHED_MODE.TRADEOFF", "tradeoff", NULL, "= cycles" },
	{ "mbox/CYCLES_SCHED_MODE.RDPRIO", "rdprio", NULL, "= cycles" },
	{ "mbox/CYCLES_SCHED_MODE.WRPRIO", "wrprio", NULL, "= cycles" },
	{ "mbox/CYCLES_SCHED_MODE.ADAPTIVE", "adaptive", NULL, "= cycles" },
	{ "mbox/CYCLES_PGT_STATE.OPEN", "open", NULL, "= cycles" },
	{ "mbox/CYCLES_PGT_STATE.CLOSED", "closed", NULL, "= cycles" },
	{ "mbox/DRAM_CMD.*.TRDOFF", "tradeoff", NULL, "= DRAM_CMD.^" },
	{ "mbox/DRAM_CMD.*.RDPRIO", "rdprio", NULL, "= DRAM_CMD.^" },
	{ "mbox/DRAM_CMD.*.WRPRIO", "wrprio", NULL, "= DRAM_CMD.^" },
	{ "mbox/DRAM_CMD.*.ADAPT*", "adaptive", NULL, "= DRAM_CMD.^" },
	{ "mbox/DRAM_MISC.NON_NOP_TRKL", "adaptive", NULL,
	  "= .VALID - DRAM_CMD.TRKL" },
	{ "mbox/DRAM_MISC.VALID", "adaptive", NULL,
	  "= .NON_NOP_TRKL + DRAM_CMD.TRKL" },
	{ "mbox/DRAM_MISC.CAS*", "adaptive open closed", NULL, "= DRAM_CMD.*" },
	{ "mbox/DRAM_MISC.*", "adaptive writes init rest smi idle", NULL,
	  "= DRAM_CMD.*" },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.SPRWR", "sparing", "fvid=30 fvid=62",
	  OTHER_COMMANDS },
	{ "mbox/REFRESH", "adaptive", NULL, "= DRAM_CMD.RFR" },
	{ "mbox/FRM_TYPE.FRM_TYPE_CHNL", "init", NULL,
	  "= DRAM_CMD.SOFT_RST + DRAM_CMD.POLL + DRAM_CMD.WR_CFG + "
	  "DRAM_CMD.RD_CFG" },
	{ "mbox/FRM_TYPE.*", "adaptive", NULL,
	  "<= " OTHER_FRAMES " + 2 ; >= " OTHER_FRAMES " - 2" },
	{ "mbox/BBOX_CMDS_ALL", "open", NULL,
	  "= FVC_EV0.BBOX_CMDS.READS + FVC_EV0.BBOX_CMDS.WRITES" },
	{ "mbox/FVC_EV[0-3].BBOX_CMDS.READS", "reads", NULL,
	  "= N + PATROL_TXNS" },
	{ "mbox/FVC_EV[0-3].BBOX_CMDS.WRITES", "open", NULL,
	  "= BBOX_CMDS_ALL - FVC_EV0.BBOX_CMDS.READS" },
	{ "mbox/FVC_EV[0-3].BBOX_RSP.ACK", "reads", NULL, "= N" },
	{ "mbox/FVC_EV[0-3].SMI_CRC_ERR", "smi", NULL, "= injected:smi-crc" },
	{ "mbox/FVC_EV[0-3].ALERT_FRAMES", "smi", NULL, "= injected:smi-crc" },
	{ "mbox/FVC_EV[0-3].FAST_RESET", "smi", NULL, "= injected:smi-crc" },
	{ "mbox/FVC_EV[0-3].MEM_ECC_ERR", "ecc", NULL, "= injected:ecc" },
	{ "mbox/FVC_EV[0-3].BBOX_RSP.COR", "ecc", NULL, "= injected:ecc" },
	{ "mbox/FVC_EV[0-3].BBOX_RSP.UNCOR", "eccfatal", NULL,
	  "= injected:ecc-uncorrectable" },
	{ "mbox/FVC_EV[0-3].BBOX_RSP.RETRY", "ecc", NULL, "= injected:ecc" },
	{ "mbox/FVC_EV[0-3].PBOX_INIT_ERR", "mpbox", NULL,
	  "= injected:pbox-reset" },
	{ "mbox/FVC_EV[0-3].BBOX_CMDS.MERGE", "nosnoop", NULL, "= N" },
	{ "mbox/FVC_EV[0-3].BBOX_CMDS.F2V", "nosnoop", NULL, "= N" },
	{ "mbox/MA_PAR_ERR", "parity", NULL, "= injected:address-parity" },
	{ "mbox/PATROL_TXNS", "idle", NULL, "~2 100 * 4" },
	{ "mbox/TRANS_CMDS", "open", NULL,
	  "= BBOX_CMDS_ALL + PATROL_TXNS ; "
	  "= PAGE_HIT + PAGE_MISS + PGT_PAGE_EV2.PAGE_EMPTY|PAGE_EMPTY" },
	{ "mbox/PAGE_HIT", "open", NULL,
	  "= TRANS_CMDS - PAGE_MISS - PGT_PAGE_EV2.PAGE_EMPTY|PAGE_EMPTY" },
	{ "mbox/PAGE_MISS", "open", NULL,
	  "= TRANS_CMDS - PAGE_HIT - PGT_PAGE_EV2.PAGE_EMPTY|PAGE_EMPTY" },
	/* a pair of DIMMs is heated and cools down; nothing else is warm */
	{ "mbox/THERM_TRP_UP.ALL.GT_MID_FALL", "warm heat", NULL,
	  ">= .DIMM.GT_MID_FALL" WHY_STRIKES },
	{ "mbox/THERM_TRP_UP.DIMM.GT_MID_FALL", "warm heat", NULL,
	  "<= .ALL.GT_MID_FALL" WHY_STRIKES },
	{ "mbox/THERM_TRP_*", "ramp", NULL, "= injected:heat" },
	{ "mbox/*", M_SCENES, NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};
