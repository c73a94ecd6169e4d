# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The same events in two languages: the terms of the kernel's driver, as perf
# takes them (/sys/bus/event_source/devices/uncore_*/format), and ours. All rows
# fit on the counters at once. Raw values are written out here by hand, so that
# they do not come from what is tested. Those of the Xeon 7500 differ in M-Boxes.

import re

# (perf's PMU, its terms, our box, our event and its options)
ROWS = (
    ("cbox_0", "event=0x14,umask=0x7", "cbox0", "LLC_MISSES.ALL"),
    ("cbox_0", "event=0x15,umask=0xf,thresh=0x1,edge=0x1",
     "cbox0", "LLC_HITS.ALL,thresh=1,edge"),
    ("cbox_0", "event=0x1e", "cbox0", "OCCUPANCY_MAF"),
    ("cbox_1", "event=0x1e,thresh=0x2", "cbox1", "OCCUPANCY_MAF,thresh=2"),
    ("cbox_1", "event=0x19,thresh=0x1,inv=0x1",
     "cbox1", "TRANS_IRQ,thresh=1,invert"),
    ("cbox_1", "event=0x9,umask=0x3", "cbox1", "ARB_WINS.AD_SB.AD_NSB"),

    ("bbox_0", "counter=0x0,event=0x3,match=0x20000000000000,"
     "mask=0xf0f00000000000",
     "bbox0", "MSG_OPCODE_ADDR_IN_MATCH,mc=HOM0,opc=RdData"),
    ("bbox_0", "counter=0x1,event=0x1d", "bbox0", "IMT_INSERTS_RD"),
    ("bbox_0", "counter=0x2,event=0x2", "bbox0", "MSG_S_TO_B"),
    ("bbox_0", "counter=0x3,event=0x19", "bbox0", "ACK_BEFORE_LAST_SNP"),
    ("bbox_1", "counter=0x0,event=0x4", "bbox1", "event=0x4,counter=0"),
    ("bbox_1", "counter=0x1,event=0x1d", "bbox1", "IMT_INSERTS_RD"),
    ("bbox_1", "counter=0x2,event=0x7", "bbox1", "IMT_NE_CYCLES"),

    ("sbox_0", "event=0x0,match=0x80000000000,mask=0x7fffffffff",
     "sbox0", "TO_R_PROG_EV,mc=HOM0"),
    ("sbox_0", "event=0x60,umask=0x2", "sbox0", "PKTS_SENT_HOM.BBOX"),
    ("sbox_0", "event=0x31,umask=0x3,thresh=0x1",
     "sbox0", "REQ_TBL_OCCUPANCY.ALL,thresh=1,reset_occ_cnt=0"),
    ("sbox_1", "event=0x41,umask=0x30", "sbox1", "EGRESS_ARB_WINS.BL"),
    ("sbox_1", "event=0x6c,umask=0x1", "sbox1", "TO_R_B_REQUESTS.LOCAL"),

    ("rbox_0", "event=0xc,iperf_cfg=0xe0",
     "rbox", "NEW_PACKETS_RECV.ANY.HOM,port=sbox0"),
    ("rbox_0", "event=0xe,qlx_cfg=0x0", "rbox", "QUE_ARB_BID.HOM,port=sbox0"),
    ("rbox_0", "event=0x6,iperf_cfg=0x80000000",
     "rbox", "FLITS_SENT,port=qpi0"),
    # The kernel counts QPI ports as the R-Box does; the guide calls port 0 QPI1.
    ("rbox_0", "qpi0_flit_send", "rbox", "FLITS_SENT,port=qpi1"),
    ("rbox_0", "event=0x7,iperf_cfg=0xc4",
     "rbox", "NEW_PACKETS_RECV.ANY.DRS,port=qpi0,slot=1"),
    ("rbox_0", "event=0x16,xbr_mm_cfg=0x210000,xbr_match=0x1c00,"
     "xbr_mask=0x1f80", "rbox", "DRS.AnyDataC,port=bbox0"),
    ("rbox_1", "event=0x12,iperf_cfg=0x80000000",
     "rbox", "FLITS_SENT,port=bbox1"),
    ("rbox_1", "event=0x14,qlx_cfg=0x42",
     "rbox", "GLOBAL_ARB_BID.DRS,port=bbox1"),

    ("mbox_0", "inc_sel=0xd,fvc=0x5000", "mbox0", "FVC_EV0.BBOX_CMDS.READS"),
    ("mbox_0", "inc_sel=0xe,fvc=0x30000", "mbox0", "FVC_EV1.BBOX_RSP.ACK"),
    ("mbox_0", "inc_sel=0xb,pld=0x110000", "mbox0", "DRAM_MISC.RAS"),
    ("mbox_0", "flag_mode=0x1,dsp=0x200",
     "mbox0", "CYCLES_DSP_FILL.RDQ_EMPTY"),
    ("mbox_1", "bbox_cmds_read", "mbox1", "FVC_EV0.BBOX_CMDS.READS"),
    ("mbox_1", "flag_mode=0x1,set_flag_sel=0x6,map=0x200",
     "mbox1", "BCMD_SCHEDQ_OCCUPANCY.ALL"),
    ("mbox_1", "inc_sel=0x13", "mbox1", "PAGE_MISS"),
    ("mbox_1", "inc_sel=0x1b", "mbox1", "CYCLES"),

    ("wbox", "clockticks", "wbox", "FIXED_CTR"),
)

# FVC, MAP, DSP and PLD have an index of five bits and what lies above it a bit
# lower; 0x15 needs no sub-register. What FVC counters share must be equal.
MBOX_7500 = (
    ("mbox_0", "inc_sel=0xd,fvc=0x2800", "mbox0", "FVC_EV0.BBOX_CMDS.READS"),
    ("mbox_0", "inc_sel=0xe,fvc=0x18000", "mbox0", "FVC_EV1.BBOX_RSP.ACK"),
    ("mbox_0", "inc_sel=0xa,pld=0x100", "mbox0", "DRAM_CMD.RAS"),
    ("mbox_0", "flag_mode=0x1,dsp=0x100",
     "mbox0", "CYCLES_DSP_FILL.RDQ_EMPTY"),
    ("mbox_0", "inc_sel=0x15", "mbox0", "PAGE_EMPTY"),
    ("mbox_1", "bbox_cmds_write", "mbox1", "FVC_EV0.BBOX_CMDS.WRITES"),
    ("mbox_1", "inc_sel=0xf,fvc=0xc0020", "mbox1", "FVC_EV2.BBOX_RSP.ACK"),
    ("mbox_1", "flag_mode=0x1,set_flag_sel=0x6,map=0x100",
     "mbox1", "BCMD_SCHEDQ_OCCUPANCY.ALL"),
    ("mbox_1", "inc_sel=0x13", "mbox1", "PAGE_MISS"),
    ("mbox_1", "inc_sel=0x1b", "mbox1", "CYCLES"),
)
ROWS_7500 = tuple(row for row in ROWS if not row[0].startswith("mbox")) + \
    MBOX_7500

# The Xeon E5-2600: the driver's aliases, and others of each box.
ROWS_E5 = (
    ("cbox_0", "event=0x36,umask=0xa", "cbo0", "TOR_OCCUPANCY.MISS_ALL"),
    ("cbox_0", "event=0x35,umask=0xa", "cbo0", "TOR_INSERTS.MISS_ALL"),
    ("cbox_0", "event=0x1b,umask=0x1", "cbo0", "RING_AD_USED.UP_EVEN"),
    ("cbox_1", "event=0x35,umask=0x3,filter_opc=0x182",
     "cbo1", "TOR_INSERTS.MISS_OPCODE,opc=DRd"),
    ("cbox_1", "event=0x34,umask=0x3,filter_state=0x1f",
     "cbo1", "LLC_LOOKUP.DATA_READ"),
    ("cbox_1", "event=0x0", "cbo1", "CLOCKTICKS"),

    ("ha", "event=0x1,umask=0x3", "ha", "REQUESTS.READS"),
    ("ha", "event=0x1,umask=0xc", "ha", "REQUESTS.WRITES"),
    ("ha", "event=0x0", "ha", "CLOCKTICKS"),

    ("imc_0", "event=0x4,umask=0x3", "imc0", "CAS_COUNT.RD"),
    ("imc_0", "clockticks", "imc0", "FIXED_CTR"),
    ("imc_1", "event=0x4,umask=0xc", "imc1", "CAS_COUNT.WR"),
    ("imc_2", "event=0x4,umask=0x3,thresh=0x1,edge=0x1",
     "imc2", "CAS_COUNT.RD,thresh=1,edge"),
    ("imc_3", "event=0x0", "imc3", "CLOCKTICKS"),

    ("qpi_0", "clockticks", "qpi0", "CLOCKTICKS"),
    ("qpi_0", "drs_data", "qpi0", "RxL_FLITS_G1.DRS_DATA"),
    ("qpi_0", "event=0x138,match_mc=0xe,mask_mc=0xf",
     "qpi0", "CTO_COUNT,mc=DRS"),
    ("qpi_1", "txl_flits_active", "qpi1", "TxL_FLITS_G0.DATA.NON_DATA"),
    ("qpi_1", "ncb_data", "qpi1", "RxL_FLITS_G2.NCB_DATA"),

    ("r2pcie", "event=0x1", "r2pcie", "CLOCKTICKS"),
    ("r2pcie", "event=0x7,umask=0x1", "r2pcie", "RING_AD_USED.CW_EVEN"),
    ("r3qpi_0", "event=0x1", "r3qpi0", "CLOCKTICKS"),
    ("r3qpi_1", "event=0x11,umask=0x8", "r3qpi1", "RxR_INSERTS.DRS"),

    ("pcu", "event=0x0", "pcu", "CLOCKTICKS"),
    ("pcu", "event=0x80,occ_sel=0x1", "pcu", "POWER_STATE_OCCUPANCY.CORES_C0"),
    ("pcu", "event=0xb,filter_band0=0xc", "pcu", "FREQ_BAND0_CYCLES,band0=12"),

    ("ubox", "event=0xff", "ubox", "FIXED_CTR"),
    ("ubox", "event=0x44", "ubox", "LOCK_CYCLES"),
)

# Its successors: more boxes of some kinds, so that each has a number; no aliases
# of the links; channels of two controllers are two of each four.
def of_successor(channels, *more):
    return (
        ("cbox_0", "event=0x36,umask=0x8", "cbo0", "TOR_OCCUPANCY.ALL"),
        ("cbox_0", "event=0x35,umask=0x8", "cbo0", "TOR_INSERTS.ALL"),
        ("cbox_1", "event=0x35,umask=0x3,filter_opc=0x182",
         "cbo1", "TOR_INSERTS.MISS_OPCODE,opc=DRd"),
        ("cbox_1", "event=0x34,umask=0x3,filter_state=0x1",
         "cbo1", "LLC_LOOKUP.DATA_READ,state=I"),
        ("cbox_1", "event=0x0", "cbo1", "CLOCKTICKS"),

        ("ha_0", "event=0x1,umask=0x3", "ha0", "REQUESTS.READS"),
        ("ha_0", "event=0x1,umask=0xc", "ha0", "REQUESTS.WRITES"),
        ("ha_0", "event=0x0", "ha0", "CLOCKTICKS"),

        ("imc_%d" % channels[0], "event=0x4,umask=0x3",
         "imc%d" % channels[0], "CAS_COUNT.RD"),
        ("imc_%d" % channels[1], "event=0x4,umask=0xc",
         "imc%d" % channels[1], "CAS_COUNT.WR"),
        ("imc_%d" % channels[2], "event=0x4,umask=0x3,thresh=0x1,edge=0x1",
         "imc%d" % channels[2], "CAS_COUNT.RD,thresh=1,edge"),
        ("imc_%d" % channels[3], "event=0x4,umask=0xf",
         "imc%d" % channels[3], "CAS_COUNT.ALL"),

        ("qpi_0", "event=0x14", "qpi0", "CLOCKTICKS"),
        ("qpi_0", "event=0x102,umask=0x8", "qpi0", "RxL_FLITS_G1.DRS_DATA"),
        ("qpi_0", "event=0x138,match_mc=0xe,mask_mc=0xf",
         "qpi0", "CTO_COUNT,mc=DRS"),
        ("qpi_1", "event=0x0,umask=0x6", "qpi1", "TxL_FLITS_G0.DATA.NON_DATA"),

        ("r2pcie", "event=0x1", "r2pcie", "CLOCKTICKS"),
        ("r3qpi_0", "event=0x1", "r3qpi0", "CLOCKTICKS"),
        ("irp", "event=0x0", "irp", "CLOCKTICKS"),

        ("pcu", "event=0x0", "pcu", "CLOCKTICKS"),
        ("pcu", "event=0x80,occ_sel=0x1", "pcu",
         "POWER_STATE_OCCUPANCY.CORES_C0"),
        ("pcu", "event=0xb,filter_band0=0xc", "pcu",
         "FREQ_BAND0_CYCLES,band0=12"),

        ("ubox", "event=0xff", "ubox", "FIXED_CTR"),
        *more)


SBOX = ("sbox_0", "event=0x0", "sbo0", "CLOCKTICKS")
ROWS_SUCCESSORS = {
    "xeon-e5-v2": of_successor((0, 1, 2, 3)),
    "xeon-e5-v3": of_successor((0, 1, 4, 5), SBOX),
    "xeon-e5-v4": of_successor((0, 1, 4, 5), SBOX),
}


def perf_name(row):
    return "uncore_%s/%s/" % row[:2]


def our_name(row):
    return "%s/%s/" % row[2:]


def type_of(row):
    """cbox, bbox..."""
    return re.sub(r"[_0-9]", "", row[0])


def our_place(socket, row):
    """As uncore stat --per-box --per-socket names it: S0-mbox1."""
    box = row[2] if row[2][-1].isdigit() else row[2] + "0"
    return "%s-%s" % (socket, box)
