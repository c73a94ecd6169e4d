/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Events and the register writes that count them, worked out by hand from the
 * guide: address=value, in the order of the set-up sequence. The first write
 * (rst_all) and, unless a row shows another one, the last (en_all) are the same
 * for all and are left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uncore/uncore.h"

#define RESET "c00=20000000 "
#define START " c00=10000000"

struct row {
	int line;
	const char *family;
	const char *events; /* separated by blanks */
	const char *writes;
};

#define E7    "xeon-e7"
#define X7500 "xeon-7500"
#define ROW_OF(family, events, writes)                                         \
	{                                                                      \
		__LINE__, family, events, RESET writes START                   \
	}
#define ROW(events, writes) ROW_OF(E7, events, writes)
#define WHOLE(events, writes)                                                  \
	{                                                                      \
		__LINE__, E7, events, RESET writes                             \
	}

static const struct row rows[] = {
	/* C-Box, Table 2-13: ev_sel 7:0, umask 15:8, edge 18, pmi 20, en 22,
	 * invert 23, threshold 31:24. Table 2-9: addresses out of order. */
	ROW("cbox3/LLC_MISSES.ALL/", "dd0=400714 dc0=1"),
	ROW("cbox3/LLC_MISSES.ALL,thresh=1,edge/", "dd0=1440714 dc0=1"),
	ROW("cbox3/LLC_MISSES.ALL,threshold=255,inv,pmi/",
	    "dd0=ffd00714 dc0=1"),
	ROW("CBOX3/llc_misses.all,THRESH=0x1,Edge_Detect=1/",
	    "dd0=1440714 dc0=1"),
	ROW("cbox0/LLC_MISSES/", "d10=400714 d00=1"),
	ROW("cbox0/LLC_MISSES.S.I/", "d10=400514 d00=1"),
	ROW("cbox8/LLC_HITS.M,counter=5/", "f5a=400115 f40=20"),
	ROW("cbox9/OCCUPANCY_IRQ/", "fd0=400018 fc0=1"),
	ROW("cbox0/event=0x14,umask=0x7/", "d10=400714 d00=1"),
	ROW("cbox0/SNP_HITS.REMOTE_HITM/", "d10=401128 d00=1"),
	ROW("cbox/LLC_MISSES.ALL/",
	    "d10=400714 d90=400714 d50=400714 dd0=400714 d30=400714 "
	    "db0=400714 d70=400714 df0=400714 f50=400714 fd0=400714 "
	    "d00=1 d80=1 d40=1 dc0=1 d20=1 da0=1 d60=1 de0=1 f40=1 fc0=1"),
	/* Two events: counters 0 and 1 of the same box. */
	ROW("cbox0/LLC_HITS.ALL/ cbox0/LLC_MISSES.ALL/",
	    "d10=400f15 d12=400714 d00=3"),
	/* The second one insists on counter 0, so the first moves. */
	ROW("cbox0/LLC_HITS.ALL/ cbox0/LLC_MISSES.ALL,counter=0/",
	    "d12=400f15 d10=400714 d00=3"),

	/* U-Box: its enable goes with en_all; codes above 0xFF are cut. */
	WHOLE("ubox/IPIS_SENT/", "c10=4000f9 c00=10000001"),
	WHOLE("ubox/RECOV/", "c10=4000df c00=10000001"),
	WHOLE("ubox/WOKEN,edge/ wbox/FIXED_CTR/",
	      "c10=4400f8 395=1 c80=80000000 c00=10000001"),

	/* B-Box, Table 2-20: en 0, ev_sel 5:1, pmi 20. Each event has its
	 * counter. */
	ROW("bbox0/TF_ALL/", "c30=9 c20=1"),
	ROW("bbox0/IMT_INSERTS_ALL/", "c32=f c20=2"),
	ROW("bbox1/ACK_BEFORE_LAST_SNP/", "c76=33 c60=8"),
	/* 2.1.3: ev_sel 0x03 in counter 3, stop after a sample (pmi_en). */
	ROW("bbox1/event=0x03,counter=3/", "c76=7 c60=8"),
	ROW("bbox1/event=0x03,counter=3,pmi_en/", "c76=100007 c60=8"),
	ROW("bbox0/TF_OCCUPANCY_ALL/ bbox0/IMT_INSERTS_ALL/",
	    "c30=9 c32=f c20=3"),
	/* Match: class in 47:44, opcode in 55:52; mask bits compare. HOM0 is
	 * class 0, RdInvOwn opcode 4. */
	ROW("bbox0/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=RdInvOwn/",
	    "e45=40000000000000 e46=f0f00000000000 c32=b c20=2"),
	/* WbMtoI 1100 and WbMtoE 1101; 2 MiB at 4 GiB: address bits 49:21 are
	 * mask bits 43:15, bit 32 is match bit 26. */
	ROW("bbox0/MSG_OPCODE_ADDR_IN_MATCH,opc=WbMtoI|WbMtoE,addr=4G+2M/",
	    "e45=c0000004000000 e46=e0ffffffff8000 c30=7 c20=1"),
	ROW("bbox0/OPCODE_IN_MATCH,opc=0xc,opc_mask=0x8/",
	    "e45=c0000000000000 e46=80000000000000 c32=7 c20=2"),

	/* S-Box: an occupancy starts from 0 (reset_occ_cnt 17). */
	ROW("sbox0/TO_R_SNP_MSGQ_OCCUPANCY/", "c50=42000a c40=1"),
	ROW("sbox1/PKTS_SENT_DRS.ALL/", "cd0=401f64 cc0=1"),
	/* 2.5.3.4: mm_en off, match, mask, control, mm_en on. HOM0 is bit 43,
	 * RdData bit 49; nothing else is compared. */
	ROW("sbox0/TO_R_PROG_EV,mc=HOM0,opc=RdData/",
	    "e48=0 e49=2080000000000 e4a=7fffffffff c50=400000 "
	    "e48=8000000000000000 c40=1"),
	/* States M and F are bits 60 and 63; 4 KiB are mask bits 6:1. */
	ROW("sbox0/TO_R_PROG_EV,state=M|F,addr=0x3000..0x3fff/",
	    "e48=0 e49=9000000000001800 e4a=7f c50=400000 "
	    "e48=8000000000000000 c40=1"),
	ROW("sbox1/TO_R_PROG_EV,addr=0x400,hnid=3/",
	    "e58=0 e59=203 e5a=0 cd0=400000 e58=8000000000000000 cc0=1"),

	/* R-Box 2.6.2.1: FLITS_SENT of QPI0 in counter 3 by IPERF1: bit 31,
	 * ev_sel 7. */
	ROW("rbox/FLITS_SENT,port=qpi0,counter=3,slot=1/",
	    "e25=80000000 e16=f e00=8"),
	ROW("rbox/FLITS_SENT,port=1,counter=3,slot=1/",
	    "e25=80000000 e16=f e00=8"),
	ROW("rbox/NEW_PACKETS_RECV.ANY.DRS,port=qpi0/", "e05=c4 e10=d e00=1"),
	/* QPI3 is port 5: right half, counters from 8 on. */
	ROW("rbox/NEW_PACKETS_RECV.ANY.DRS.ANY.SNP,port=qpi3/",
	    "e09=d4 e30=d e20=1"),
	/* QLX: type 3:0, class 6:4; slot 1 lies 8 bits higher. */
	ROW("rbox/QUE_ARB_BID_FAIL.DRS,port=sbox0/", "e0e=43 e10=1d e00=1"),
	ROW("rbox/STARVING.DRS,port=sbox0,slot=1/", "e0e=4a00 e10=1f e00=1"),
	ROW("rbox/QUE_ARB_BID_FAIL.DRS,port=2/ rbox/STARVING.DRS,port=2/",
	    "e0e=4a43 e10=1d e12=1f e00=3"),
	/* The same event twice shares its slot. */
	ROW("rbox/FLITS_SENT,port=0/ rbox/FLITS_SENT,port=0,pmi/",
	    "e04=80000000 e10=1 e12=41 e00=3"),
	/* Table 2-53: MM_CFG, match and mask of set 1 of port 0. */
	ROW("rbox/DRS.AnyDataC,port=qpi1/",
	    "e61=1c00 e62=1f80 e60=210000 e10=9 e00=1"),

	/* The other rows of Table 2-53, and filters on top of them: DNID is
	 * 17:13, VNW 4:3, RDS 51:48. */
	ROW("rbox/DRS.DataC_M,port=0/",
	    "e61=8000000001c00 e62=f000000001fe0 e60=210000 e10=9 e00=1"),
	ROW("rbox/DRS.WbIData,port=0/",
	    "e61=1c80 e62=1fe0 e60=210000 e10=9 e00=1"),
	ROW("rbox/DRS.WbSData,port=0/",
	    "e61=1ca0 e62=1fe0 e60=210000 e10=9 e00=1"),
	ROW("rbox/DRS.WbEData,port=0/",
	    "e61=1cc0 e62=1fe0 e60=210000 e10=9 e00=1"),
	ROW("rbox/DRS.AnyResp,port=0/",
	    "e61=1c00 e62=1e00 e60=210000 e10=9 e00=1"),
	ROW("rbox/DRS.AnyResp9flits,port=0/",
	    "e61=1c00 e62=1f00 e60=210000 e10=9 e00=1"),
	ROW("rbox/DRS.AnyResp11flits,port=0/",
	    "e61=1d00 e62=1f00 e60=210000 e10=9 e00=1"),
	ROW("rbox/NCB.AnyMsg9flits,port=0/",
	    "e61=1800 e62=1f00 e60=210000 e10=9 e00=1"),
	ROW("rbox/NCB.AnyMsg11flits,port=0/",
	    "e61=1900 e62=1f00 e60=210000 e10=9 e00=1"),
	ROW("rbox/NCB.AnyInt,port=0/",
	    "e61=1900 e62=1f80 e60=210000 e10=9 e00=1"),
	ROW("rbox/PACKETS,port=0,mc=DRS,opc=DataC,state=M/",
	    "e61=8000000001c00 e62=f000000001fe0 e60=210000 e10=9 e00=1"),
	ROW("rbox/PACKETS,port=0,opc=WbIData,dnid=5,vn=VNA/",
	    "e61=bc90 e62=3fff0 e60=210000 e10=9 e00=1"),
	ROW("rbox/DRS.AnyResp,port=0,dnid=0..3,flit=0/",
	    "e61=1c00 e62=39e00 e60=200000 e10=9 e00=1"),

	/* M-Box 2.7.3.1: RAS commands in counter 0; reads in the scheduler
	 * queue in counter 2. */
	ROW("mbox0/DRAM_CMD.RAS/", "caa=200 cb0=1401 ca0=1"),
	ROW("mbox0/PLD_DRAM_EV.RAS,counter=0/", "caa=200 cb0=1401 ca0=1"),
	ROW("mbox0/BCMD_SCHEDQ_OCCUPANCY.READS,fvid=5,counter=2/",
	    "ca7=5 cb4=300081 ca0=4"),
	/* Address match: all of bits 33:6 are left out unless match is given.
	 * Debug switch MM_CFG first off, then on. */
	ROW("mbox0/DRAM_CMD.ADDR_MATCH,dram_cmd=2/",
	    "e54=0 ca6=0 caa=2200 e55=0 e56=fffffff cb0=1401 "
	    "e54=8000000000000000 ca0=1"),
	/* 64 KiB at 1 GiB: mask bits 9:0 leave address bits 15:6 out. */
	ROW("mbox0/DRAM_CMD.RAS,addr=1G+64K/",
	    "e54=0 caa=2200 e55=40000000 e56=3ff cb0=1401 "
	    "e54=8000000000000000 ca0=1"),
	ROW("mbox0/DRAM_CMD.ADDR_MATCH,match=0x40/",
	    "e54=0 ca6=0 caa=2000 e55=40 e56=0 cb0=1401 "
	    "e54=8000000000000000 ca0=1"),
	/* Linux's names bbox_cmds_read and bbox_cmds_write. */
	ROW("mbox0/inc_sel=0xd,fvc=0x5000/", "cab=5000 cb0=1a01 ca0=1"),
	ROW("mbox0/FVC_EV0.BBOX_CMDS.READS/", "cab=5000 cb0=1a01 ca0=1"),
	ROW("mbox0/inc_sel=0xd,fvc=0x5040/", "cab=5040 cb0=1a01 ca0=1"),
	ROW("mbox0/FVC_EV0.BBOX_CMDS.WRITES/", "cab=5040 cb0=1a01 ca0=1"),
	/* Two events share FVC: evnt0=5, evnt1=6, bcmd=0, resp=0. */
	ROW("mbox1/FVC_EV0.BBOX_CMDS.READS/ mbox1/FVC_EV1.BBOX_RSP.ACK/",
	    "ceb=35000 cf0=1a01 cf2=1c01 ce0=3"),
	ROW("mbox1/PAGE_HIT,count_mode=1,wrap_mode/", "cf0=2845 ce0=1"),

	/* W-Box: bit n of the unit mask is core n. */
	ROW("wbox/C_CYCLES_TURBO.CORE0.CORE7/", "c90=408104 c80=1"),
	ROW("wbox/FIXED_CTR,pmi/", "395=3 c80=80000000"),

	/* Bare names. */
	ROW("PROCHOT", "c90=400002 c80=1"),

	/* Xeon 7500: eight C-Boxes. */
	ROW_OF(X7500, "cbox/LLC_MISSES.ALL/",
	       "d10=400714 d90=400714 d50=400714 dd0=400714 d30=400714 "
	       "db0=400714 d70=400714 df0=400714 "
	       "d00=1 d80=1 d40=1 dc0=1 d20=1 da0=1 d60=1 de0=1"),
	ROW_OF(X7500, "cbox7/LLC_VICTIMS.ALL/", "df0=401f17 de0=1"),
	ROW_OF(X7500, "sbox1/PKTS_SENT_DRS.ALL/", "cd0=400f64 cc0=1"),
	ROW_OF(X7500, "sbox0/TO_R_DRS_MSGQ_CYCLES_NE.CBOX3_7/",
	       "c50=40080f c40=1"),
	/* FVC one bit lower: fvid 4:0, bcmd 7:5, resp 10:8, evnt0 13:11.
	 * Linux's names bbox_cmds_read and bbox_cmds_write. */
	ROW_OF(X7500, "mbox0/inc_sel=0xd,fvc=0x2800/",
	       "cab=2800 cb0=1a01 ca0=1"),
	ROW_OF(X7500, "mbox0/FVC_EV0.BBOX_CMDS.READS/",
	       "cab=2800 cb0=1a01 ca0=1"),
	ROW_OF(X7500, "mbox0/inc_sel=0xd,fvc=0x2820/",
	       "cab=2820 cb0=1a01 ca0=1"),
	ROW_OF(X7500, "mbox0/FVC_EV0.BBOX_CMDS.WRITES/",
	       "cab=2820 cb0=1a01 ca0=1"),
	ROW_OF(X7500, "mbox1/FVC_EV3.PBOX_INIT_ERR/",
	       "ceb=f00000 cf0=2001 ce0=1"),
	/* evnt0=5, evnt1=6 << 14. */
	ROW_OF(X7500,
	       "mbox1/FVC_EV0.BBOX_CMDS.READS/ mbox1/FVC_EV1.BBOX_RSP.COR/",
	       "ceb=1aa00 cf0=1a01 cf2=1c01 ce0=3"),
	/* MAP: fvid 4:0, cmd 7:5, anycmd 8. */
	ROW_OF(X7500, "mbox0/BCMD_SCHEDQ_OCCUPANCY.MERGE,fvid=5/",
	       "ca7=45 cb0=300081 ca0=1"),
	ROW_OF(X7500, "mbox0/BCMD_SCHEDQ_OCCUPANCY.ALL,fvid=31/",
	       "ca7=11f cb0=300081 ca0=1"),
	/* PLD and DSP, by analogy: dram_cmd 11:7, wrq_full 7. */
	ROW_OF(X7500, "mbox0/DRAM_CMD.RAS/", "caa=100 cb0=1401 ca0=1"),
	ROW_OF(X7500, "mbox0/RETRIES.FVID,fvid=3/", "caa=46 cb0=1601 ca0=1"),
	ROW_OF(X7500, "mbox0/DSP_FILL.WRQ_FULL/", "ca5=80 cb0=1 ca0=1"),
	/* The three plain events. */
	ROW_OF(X7500, "mbox0/SCHED_MODE_CHANGES/", "cb0=1001 ca0=1"),
	ROW_OF(X7500, "mbox0/RETRIES.ALL/", "caa=0 cb0=1601 ca0=1"),
	ROW_OF(X7500, "mbox1/PAGE_EMPTY/", "cf0=2a01 ce0=1"),
	ROW_OF(X7500, "wbox/FIXED_CTR,pmi/", "395=3 c80=80000000"),
	ROW_OF(X7500, "wbox/C_CYCLES_TURBO.CORE0.CORE7/", "c90=408104 c80=1"),
};

static char *written(const struct uncore_plan *plan, size_t num)
{
	struct uncore_write *writes;
	size_t num_writes;
	static char text[8192];
	size_t at = 0;

	if (uncore_plan_writes(plan, 0, num - 1, &writes, &num_writes, NULL))
		return NULL;
	for (size_t i = 0; i < num_writes; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "%s%llx=%llx", i ? " " : "",
				       (unsigned long long)writes[i].address,
				       (unsigned long long)writes[i].value);
	free(writes);
	return text;
}

static void encode(const struct row *row, char *out, size_t size)
{
	const struct uncore_family *family = uncore_family_find(row->family);
	struct uncore_event *events[8] = { NULL };
	struct uncore_plan *plan = NULL;
	char *words = strdup(row->events), *save = NULL, *error = NULL;
	const char *text;
	size_t num = 0;

	out[0] = 0;
	for (char *word = strtok_r(words, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		int code =
			uncore_event_parse(family, word, &events[num], &error);

		if (code)
			fail_msg("line %d: %s", row->line, error);
		num++;
	}
	if (uncore_plan_new(family, events, num, &plan, &error))
		fail_msg("line %d: %s", row->line, error);
	text = written(plan, num);
	snprintf(out, size, "%s", text ? text : "");
	uncore_plan_free(plan);
	for (size_t i = 0; i < num; i++)
		uncore_event_free(events[i]);
	free(words);
}

static void every_row_is_encoded_as_worked_out_by_hand(void **state)
{
	char got[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		encode(row, got, sizeof(got));
		if (strcmp(got, row->writes))
			fail_msg("line %d: %s\n  expected %s\n  got      %s",
				 row->line, row->events, row->writes, got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_encoded_as_worked_out_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
