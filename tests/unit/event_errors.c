/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Bad events: the error each text must give, and what its sentence must hold,
 * so that a reader knows what was wrong and what exists.
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

struct row {
	const char *events; /* separated by blanks */
	int code;
	const char *words[3]; /* that the sentence holds */
};

static const struct row rows[] = {
	{ "cbox/LLC_MISES.ALL/",
	  UNCORE_ERR_UNKNOWN_EVENT,
	  { "LLC_MISES", "did you mean", "LLC_MISSES" } },
	{ "LLC_MISES", UNCORE_ERR_UNKNOWN_EVENT, { "LLC_MISSES" } },
	{ "bbox/LLC_MISSES.ALL/", UNCORE_ERR_UNKNOWN_EVENT, { "B-Box" } },
	{ "TO_R_B", UNCORE_ERR_UNKNOWN_EVENT, { "TO_R_B_REQUESTS" } },
	{ "cbox/LLC_MISSES.Q/", UNCORE_ERR_BAD_UMASK, { "'Q'", "S, F, I" } },
	{ "cbox/OCCUPANCY_IRQ.ALL/", UNCORE_ERR_BAD_UMASK, { "none at all" } },
	{ "cbox/SNPS.REMOTE_RD.X/", UNCORE_ERR_BAD_UMASK, { "'X'" } },
	{ "mbox/FRM_TYPE/", UNCORE_ERR_BAD_UMASK, { "FRM_TYPE_3CMD" } },
	{ "mbox/FRM_TYPE.FRM_TYPE_NOP.FRM_TYPE_SYNC/",
	  UNCORE_ERR_BAD_UMASK,
	  { "FRM_TYPE_NOP", "FRM_TYPE_SYNC", "frm_type" } },
	{ "cbox/LLC_MISSES.ALL,umask=1/",
	  UNCORE_ERR_BAD_OPTION,
	  { "umask=0x1", "ALL" } },
	{ "cbox10/LLC_MISSES.ALL/",
	  UNCORE_ERR_UNKNOWN_BOX,
	  { "10", "(0 to 9)" } },
	{ "cbox99999999999999999999/LLC_MISSES.ALL/",
	  UNCORE_ERR_UNKNOWN_BOX,
	  { "(0 to 9)" } },
	{ "qbox/LLC_MISSES.ALL/", UNCORE_ERR_UNKNOWN_BOX, { "qbox", "rbox" } },
	{ "/LLC_MISSES.ALL/", UNCORE_ERR_UNKNOWN_BOX, { "cbox" } },
	{ "cbox/LLC_MISSES.ALL", UNCORE_ERR_BAD_SYNTAX, { "end with '/'" } },
	{ "cbox/LLC/MISSES/", UNCORE_ERR_BAD_SYNTAX, { "two '/'" } },
	{ "cbox//", UNCORE_ERR_BAD_SYNTAX, { "names no event" } },
	{ "cbox/,thresh=1/", UNCORE_ERR_BAD_SYNTAX, { "names no event" } },
	{ "LLC_MISSES.ALL,thresh=1/",
	  UNCORE_ERR_BAD_SYNTAX,
	  { "LLC_MISSES.ALL,thresh=1/", "behind the '/'", "leave" } },
	{ "event=0x14", UNCORE_ERR_BAD_SYNTAX, { "names no box" } },
	{ "cbox/LLC_MISSES.ALL,thresh=256/",
	  UNCORE_ERR_VALUE_TOO_WIDE,
	  { "thresh=256", "8 bits", "0 to 255" } },
	{ "cbox/event=0x100/", UNCORE_ERR_VALUE_TOO_WIDE, { "event=0x100" } },
	{ "mbox/fvc=0x2000000/",
	  UNCORE_ERR_VALUE_TOO_WIDE,
	  { "M_MSR_PMU_ZDP_CTL_FVC" } },
	{ "mbox/BCMD_SCHEDQ_OCCUPANCY.READS,fvid=64/",
	  UNCORE_ERR_VALUE_TOO_WIDE,
	  { "fvid=64", "0 to 63" } },
	{ "rbox/qlx=0x100,port=0/", UNCORE_ERR_VALUE_TOO_WIDE, { "qlx" } },
	{ "cbox/LLC_MISSES.ALL,treshold=1/",
	  UNCORE_ERR_BAD_OPTION,
	  { "treshold", "threshold" } },
	{ "cbox/LLC_MISSES.ALL,edge=2/",
	  UNCORE_ERR_VALUE_TOO_WIDE,
	  { "edge=2", "1 bit " } },
	{ "cbox/LLC_MISSES.ALL,thresh=-1/", UNCORE_ERR_BAD_OPTION, { "'-1'" } },
	{ "cbox/LLC_MISSES.ALL,thresh=/", UNCORE_ERR_BAD_OPTION, { "''" } },
	{ "cbox/LLC_MISSES.ALL,thresh=1,thresh=2/",
	  UNCORE_ERR_BAD_OPTION,
	  { "thresh=0x2", "threshold" } },
	{ "cbox/LLC_MISSES.ALL,en=0/", UNCORE_ERR_BAD_OPTION, { "en=0" } },
	{ "cbox/LLC_MISSES.ALL,port=qpi0/",
	  UNCORE_ERR_BAD_OPTION,
	  { "no ports" } },
	{ "cbox/LLC_MISSES.ALL,counter=6/",
	  UNCORE_ERR_BAD_COUNTER,
	  { "counter 6", "(0 to 5)" } },
	{ "bbox/TF_ALL,counter=1/", UNCORE_ERR_BAD_COUNTER, { "can: 0" } },
	{ "rbox/FLITS_SENT,port=qpi2,counter=3/",
	  UNCORE_ERR_BAD_COUNTER,
	  { "can: 8, 9" } },
	{ "rbox/FLITS_SENT/", UNCORE_ERR_BAD_PORT, { "port=", "qpi0" } },
	{ "rbox/FLITS_SENT,port=qpi0,port=qpi1/",
	  UNCORE_ERR_BAD_OPTION,
	  { "port=qpi1 contradicts" } },
	{ "rbox/FLITS_SENT,port=qpi0,slot=0,slot=1/",
	  UNCORE_ERR_BAD_OPTION,
	  { "slot=1 contradicts" } },
	{ "cbox/LLC_MISSES.ALL,counter=1,counter=2/",
	  UNCORE_ERR_BAD_OPTION,
	  { "counter=2 contradicts" } },
	{ "rbox/FLITS_SENT,port=qpi9/",
	  UNCORE_ERR_BAD_PORT,
	  { "qpi9", "sbox0" } },
	{ "rbox/FLITS_SENT,port=8/", UNCORE_ERR_BAD_PORT, { "'8'" } },
	{ "rbox/FLITS_SENT,port=0,slot=2/",
	  UNCORE_ERR_BAD_OPTION,
	  { "0 and 1" } },
	{ "bbox/OPCODE_IN_MATCH,opc=RdNothing/",
	  UNCORE_ERR_BAD_OPTION,
	  { "RdNothing" } },

	/* Filters: what is wrong, and what there is. */
	{ "sbox/TO_R_PROG_EV,mc=HOM9/",
	  UNCORE_ERR_BAD_OPTION,
	  { "'HOM9'", "did you mean HOM0", "NCB, DRS" } },
	{ "sbox/TO_R_PROG_EV,mc=DRS/",
	  UNCORE_ERR_BAD_OPTION,
	  { "no bit for class DRS", "HOM0, HOM1, NDR, NCS, NCB", "state=" } },
	{ "sbox/TO_R_PROG_EV,opc=WbMtoS/",
	  UNCORE_ERR_BAD_OPTION,
	  { "no bit for WbMtoS", "WbMtoI, WbMtoE" } },
	{ "sbox/TO_R_PROG_EV,mc=HOM0,opc=RspI/",
	  UNCORE_ERR_BAD_OPTION,
	  { "one of HOM1" } },
	{ "sbox/TO_R_PROG_EV,mc=HOM0|HOM1,opc=RdData/",
	  UNCORE_ERR_BAD_OPTION,
	  { "none of these opcodes is of class HOM1" } },
	{ "sbox/TO_R_PROG_EV,state=Q/",
	  UNCORE_ERR_BAD_OPTION,
	  { "'Q'", "M, E, S, F, I" } },
	{ "sbox/TO_R_PROG_EV,mc=HOM0,state=M/",
	  UNCORE_ERR_BAD_OPTION,
	  { "state=", "DataC", "leave out mc=" } },
	{ "sbox/TO_R_PROG_EV,hnid=1|2/",
	  UNCORE_ERR_BAD_OPTION,
	  { "hnid=any holds all", "hnid=1 is the most" } },
	{ "sbox/TO_R_PROG_EV,hnid=32/",
	  UNCORE_ERR_BAD_OPTION,
	  { "'32'", "0 to 31" } },
	{ "sbox/TO_R_PROG_EV,addr=4..1/",
	  UNCORE_ERR_BAD_OPTION,
	  { "'4..1'", "A..B", "A+SIZE" } },
	{ "sbox/TO_R_PROG_EV,addr=0x10+4Q/",
	  UNCORE_ERR_BAD_OPTION,
	  { "K, M, G or T" } },
	{ "sbox/TO_R_PROG_EV,addr=1,addr=2/",
	  UNCORE_ERR_BAD_OPTION,
	  { "addr=2 contradicts addr=1" } },
	{ "sbox/TO_R_PROG_EV,addr=0x1000..0x4fff/",
	  UNCORE_ERR_BAD_OPTION,
	  { "bits 43:6", "addr=0x0..0x7fff", "addr=0x2000..0x3fff" } },
	{ "sbox/TO_R_PROG_EV,addr=16T/",
	  UNCORE_ERR_BAD_OPTION,
	  { "bits 43:6", "0xfffffffffff" } },
	{ "sbox/TO_R_PROG_EV,adr=1/",
	  UNCORE_ERR_BAD_OPTION,
	  { "did you mean addr", "mc, opc, state, addr, hnid" } },
	{ "bbox/MSG_IN_MATCH,opc=RdCode/",
	  UNCORE_ERR_BAD_OPTION,
	  { "'opc'", "counter, mc" } },
	{ "bbox/OPCODE_IN_MATCH,opc=RdCode/",
	  UNCORE_ERR_BAD_OPTION,
	  { "compares no message class", "opc=0x1 holds all" } },
	{ "rbox/PACKETS,port=0,opc=WbIData,state=M/",
	  UNCORE_ERR_BAD_OPTION,
	  { "state=", "DataC_Cmp", "DRS" } },
	{ "rbox/PACKETS,port=0,vn=VN2/",
	  UNCORE_ERR_BAD_OPTION,
	  { "'VN2'", "VN0, VN1, VNA" } },
	{ "rbox/PACKETS,port=0,flit=1|2/",
	  UNCORE_ERR_BAD_OPTION,
	  { "one number" } },
	{ "rbox/DRS.WbIData,port=0,opc=WbSData/",
	  UNCORE_ERR_BAD_OPTION,
	  { "opc", "contradicts WbIData" } },
	{ "mbox/DRAM_CMD.RAS,addr=16G+64K/",
	  UNCORE_ERR_BAD_OPTION,
	  { "bits 33:6", "addr=0x0..0xffff", "16 GiB apart" } },
	{ "mbox/PAGE_HIT,addr=0/", UNCORE_ERR_BAD_OPTION, { "'addr'" } },

	/* Together. */
	{ "bbox/TF_ALL/ bbox/TF_WR/",
	  UNCORE_ERR_CONFLICT,
	  { "TF_ALL", "TF_WR", "same counter" } },
	{ "mbox/FVC_EV0.BBOX_CMDS.READS/ mbox1/FVC_EV1.BBOX_CMDS.WRITES/",
	  UNCORE_ERR_CONFLICT,
	  { "READS", "WRITES", "bcmd" } },
	{ "mbox/DSP_FILL.RDQ_FULL/ mbox/CYCLES_DSP_FILL.WRQ_FULL/",
	  UNCORE_ERR_CONFLICT,
	  { "DSP_FILL", "CYCLES_DSP_FILL", "WRQ_FULL" } },
	{ "sbox0/TO_R_PROG_EV,addr=64/ sbox0/TO_R_PROG_EV,addr=128/",
	  UNCORE_ERR_CONFLICT,
	  { "addr=64", "addr=128", "addr" } },
	{ "rbox/FLITS_SENT,port=0/ rbox/NULL_IDLE,port=0/ "
	  "rbox/OUTPUTQ_NE,port=0/",
	  UNCORE_ERR_CONFLICT,
	  { "FLITS_SENT", "NULL_IDLE", "OUTPUTQ_NE" } },
	{ "rbox/FLITS_SENT,port=0,slot=1/ rbox/NULL_IDLE,port=0,slot=1/",
	  UNCORE_ERR_CONFLICT,
	  { "FLITS_SENT", "NULL_IDLE", "slot 1" } },
	{ "ubox/WOKEN/ ubox/IPIS_SENT/",
	  UNCORE_ERR_CONFLICT,
	  { "WOKEN", "IPIS_SENT" } },
	{ "cbox/TRANS_IRQ/ cbox/TRANS_IPQ/ cbox/TRANS_VIQ/ cbox/TRANS_MAF/ "
	  "cbox/TRANS_RWRF/ cbox/TRANS_RSPF/ cbox3/LLC_HITS/",
	  UNCORE_ERR_NO_COUNTER,
	  { "cbox3/LLC_HITS/", "6" } },
};

static int plan(const char *texts, char **error)
{
	const struct uncore_family *family = uncore_family_find("xeon-e7");
	struct uncore_event *events[64] = { NULL };
	struct uncore_plan *made = NULL;
	char *words = strdup(texts), *save = NULL;
	size_t num = 0;
	int code = 0;

	for (char *word = strtok_r(words, " ", &save); word && !code;
	     word = strtok_r(NULL, " ", &save))
		code = uncore_event_parse(family, word, &events[num++], error);
	if (!code)
		code = uncore_plan_new(family, events, num, &made, error);
	uncore_plan_free(made);
	for (size_t i = 0; i < num; i++)
		uncore_event_free(events[i]);
	free(words);
	return code;
}

static void a_bad_event_gives_its_error_and_a_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *error = NULL;
		int code = plan(rows[i].events, &error);

		if (code != rows[i].code || !error)
			fail_msg("%s: %s, '%s'", rows[i].events,
				 uncore_error_name(code), error);
		for (unsigned w = 0; w < 3 && rows[i].words[w]; w++)
			if (!strstr(error, rows[i].words[w]))
				fail_msg("%s: no '%s' in '%s'", rows[i].events,
					 rows[i].words[w], error);
		free(error);
		/* Nobody has to listen. */
		assert_int_equal(plan(rows[i].events, NULL), rows[i].code);
	}
}

static void events_of_other_boxes_and_shared_settings_go_together(void **state)
{
	static const char *const fine[] = {
		"mbox0/FVC_EV0.BBOX_CMDS.READS/ "
		"mbox1/FVC_EV1.BBOX_CMDS.WRITES/",
		"mbox/FVC_EV0.BBOX_CMDS.READS/ mbox/FVC_EV1.BBOX_CMDS.READS/",
		"mbox/DRAM_CMD.CAS_WR_OPN/ mbox/DRAM_MISC.CAS_WR_CLS/",
		"mbox/DSP_FILL.RDQ_FULL/ mbox/CYCLES_DSP_FILL.RDQ_FULL/",
		"sbox0/TO_R_PROG_EV,addr=64/ sbox1/TO_R_PROG_EV,addr=128/",
		"rbox/FLITS_SENT,port=0/ rbox/NULL_IDLE,port=0/ "
		"rbox/FLITS_SENT,port=0/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++) {
		char *error = NULL;

		if (plan(fine[i], &error))
			fail_msg("%s: %s", fine[i], error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bad_event_gives_its_error_and_a_sentence),
		cmocka_unit_test(
			events_of_other_boxes_and_shared_settings_go_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
