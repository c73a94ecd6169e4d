/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The laws of the catalogue for R-Box and M-Box; see coverage_laws.c. An event
 * of the R-Box is tried at several ports, where it can be seen at one alone.
 */
#include "coverage.h"

#define PORTS "port=qpi0 port=sbox0 port=bbox0 port=qpi3 port=sbox1 port=bbox1"

const struct coverage_law coverage_rbox[] = {
	{ "rbox/*ARB_BID.NC[SB]", "io vn0 ipi eightvn0 crowd", PORTS, NULL },
	{ "rbox/LOCAL_ARB_BID_FAIL.NC[SB]", "io vn0 ipi eightvn0 crowd", PORTS,
	  "<= LOCAL_ARB_BID.*" },
	{ "rbox/EOT_OCCUPANCY.NC[SB]", "slowpairs io vn0 posted", PORTS,
	  ">= EOT_INSERTS.* - 128 * 8" },
	{ "rbox/*NC[SB]*", "io vn0 ipi posted eightvn0 notify8 crowd", PORTS,
	  NULL },
	{ "rbox/EOT_OCCUPANCY.*", "share busy vn0 crowd crowd8", PORTS,
	  ">= EOT_INSERTS.* - 128 * 8" },
	{ "rbox/EOT_INSERTS.*", "share busy vn0 crowd crowd8", PORTS,
	  "<= cycles" },
	{ "rbox/*VN0*", "share vn0 eightvn0", PORTS, NULL },
	{ "rbox/*VN1*", "mirror eight eightvn0 notify8 crowd8", PORTS, NULL },
	{ "rbox/FLITS_RECV_ERR", "qpi", "port=qpi0", "= injected:qpi-crc" },
	{ "rbox/LOCAL_ARB_BID.*", "share busy vn0", PORTS, "<= QUE_ARB_BID.*" },
	{ "rbox/LOCAL_ARB_BID_FAIL.*", "share busy vn0", PORTS,
	  "<= LOCAL_ARB_BID.*" },
	{ "rbox/FLITS_SENT", "share", "port=qpi0",
	  ">= PACKETS ; <= 11 * PACKETS ; <= cycles" },
	{ "rbox/PACKETS", "share", "port=qpi0", "= NEW_PACKETS_RECV.ANY.ALL" },
	{ "rbox/INQUE_READ_WIN", "share", "port=qpi0",
	  ">= NEW_PACKETS_RECV.ANY.ALL ; <= 11 * NEW_PACKETS_RECV.ANY.ALL" },
	{ "rbox/DRS.AnyResp", "share", "port=qpi0",
	  "= .AnyResp9flits + .AnyResp11flits" },
	{ "rbox/DRS.*", "share busy dma flush posted", PORTS, "<= PACKETS" },
	{ "rbox/*", "share busy dma vn0 eightvn0 flush", PORTS, NULL },
	{ NULL, NULL, NULL, NULL },
};

#define M_SCENES                                                               \
	"adaptive writes open closed init rest sparing mirror nosnoop "        \
	"overtaken smi idle"
#define M_ERRORS                                                               \
	"adaptive mirror early overtaken smi ecc eccfatal parity poison "      \
	"sparing mpbox"

const struct coverage_law coverage_mbox[] = {
	{ "mbox/CYCLES", "idle", NULL, "= cycles" },
	{ "mbox/CYCLES_SCHED_MODE.TRADEOFF", "tradeoff", NULL, "= cycles" },
	{ "mbox/CYCLES_SCHED_MODE.RDPRIO", "rdprio", NULL, "= cycles" },
	{ "mbox/CYCLES_SCHED_MODE.WRPRIO", "wrprio", NULL, "= cycles" },
	{ "mbox/CYCLES_SCHED_MODE.ADAPTIVE", "adaptive", NULL, "<= cycles" },
	{ "mbox/CYCLES_PGT_STATE.OPEN", "open", NULL, "= cycles" },
	{ "mbox/CYCLES_PGT_STATE.CLOSED", "closed", NULL, "= cycles" },
	{ "mbox/DRAM_CMD.*.TRDOFF", "tradeoff", NULL, "= DRAM_CMD.^" },
	{ "mbox/DRAM_CMD.*.RDPRIO", "rdprio", NULL, "= DRAM_CMD.^" },
	{ "mbox/DRAM_CMD.*.WRPRIO", "wrprio", NULL, "= DRAM_CMD.^" },
	{ "mbox/DRAM_CMD.*.ADAPT*", "adaptive", NULL, "= DRAM_CMD.^" },
	{ "mbox/DRAM_MISC.NON_NOP_TRKL", "adaptive", NULL,
	  "= .VALID - DRAM_CMD.TRKL" },
	{ "mbox/DRAM_MISC.RETRIES*", "smi parity ecc", NULL, NULL },
	{ "mbox/DRAM_MISC.VALID", "adaptive", NULL,
	  "= .NON_NOP_TRKL + DRAM_CMD.TRKL" },
	{ "mbox/DRAM_MISC.CAS*", "adaptive open closed", NULL, "= DRAM_CMD.*" },
	{ "mbox/DRAM_MISC.*", "adaptive writes init rest smi idle", NULL,
	  "= DRAM_CMD.*" },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.SPRWR", "sparing", "fvid=62", NULL },
	{ "mbox/REFRESH", "adaptive", NULL, "= DRAM_CMD.RFR" },
	{ "mbox/FRM_TYPE.*", M_SCENES, NULL, "<= ISS_SCHED.FRAME_BEAT" },
	{ "mbox/BBOX_CMDS_ALL", "open", NULL,
	  "= FVC_EV0.BBOX_CMDS.READS + FVC_EV0.BBOX_CMDS.WRITES" },
	{ "mbox/FVC_EV[0-3].BBOX_CMDS.READS", "reads", NULL,
	  "= N + PATROL_TXNS" },
	{ "mbox/FVC_EV[0-3].BBOX_CMDS.WRITES", "open", NULL,
	  "= BBOX_CMDS_ALL - FVC_EV0.BBOX_CMDS.READS" },
	{ "mbox/FVC_EV[0-3].BBOX_RSP.ACK", "reads", NULL, "= N" },
	{ "mbox/FVC_EV[0-3].SMI_CRC_ERR", "smi", NULL, "= injected:smi-crc" },
	{ "mbox/FVC_EV[0-3].ALERT_FRAMES", "smi", NULL, ">= injected:smi-crc" },
	{ "mbox/FVC_EV[0-3].FAST_RESET", "smi", NULL, ">= injected:smi-crc" },
	{ "mbox/FVC_EV[0-3].MEM_ECC_ERR", "ecc", NULL, "= injected:ecc" },
	{ "mbox/FVC_EV[0-3].BBOX_RSP.COR", "ecc", NULL, "<= injected:ecc" },
	{ "mbox/FVC_EV[0-3].BBOX_RSP.UNCOR", "eccfatal", NULL,
	  "<= injected:ecc-uncorrectable" },
	{ "mbox/FVC_EV[0-3].BBOX_RSP.RETRY", "ecc", NULL, "<= injected:ecc" },
	{ "mbox/FVC_EV[0-3].PBOX_INIT_ERR", "mpbox", NULL,
	  "= injected:pbox-reset" },
	{ "mbox/FVC_EV[0-3].BBOX_CMDS.MERGE", "nosnoop", NULL, "= N" },
	{ "mbox/FVC_EV[0-3].BBOX_CMDS.F2V", "nosnoop", NULL, "= N" },
	{ "mbox/FVC_EV[0-3].*", M_ERRORS, NULL, NULL },
	{ "mbox/MA_PAR_ERR", "parity", NULL, "= injected:address-parity" },
	{ "mbox/PATROL_TXNS", "idle", NULL, "~2 100 * 4" },
	{ "mbox/TRANS_CMDS", "open", NULL, ">= BBOX_CMDS_ALL" },
	{ "mbox/PAGE_HIT", "open", NULL, "<= TRANS_CMDS" },
	{ "mbox/PAGE_MISS", "open", NULL, "<= TRANS_CMDS" },
	{ "mbox/THERM*", "warm heat", NULL, NULL },
	{ "mbox/TT_*", "warm heat", NULL, NULL },
	{ "mbox/*", M_SCENES, NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};
