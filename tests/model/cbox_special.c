/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What cores ask of the C-Box at their own ring stop, and lines that programs
 * drive out of the caches: each count can be worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/truth/lab.h"

enum { N = 100, CORES = 10, LINES = 1024 };

/* Events of the C-Box, and what each must count. */
struct expected {
	const char *event;
	uint64_t count;
};

static void check(const struct lab *lab, const struct expected *expected)
{
	for (; expected->event; expected++) {
		uint64_t count = lab_count(lab, LAB_ALL, expected->event);

		if (count != expected->count)
			fail_msg("%s: %s is %llu, not %llu", lab->workload,
				 expected->event, (unsigned long long)count,
				 (unsigned long long)expected->count);
	}
}

/* A read goes through everything once and brings a line: two slots. */
static void a_read_is_one_of_everything(void **state)
{
	static const char *const workloads[] = {
		"io:threads=1,op=read,count=100",
		"io:threads=1,op=in,count=100",
		"io:threads=1,op=cfgread,count=100",
	};
	static const struct expected expected[] = {
		{ "cbox/TRANS_RWRF/", N },
		{ "cbox/SPL_EGR_SB/", N / 2 }, /* directions take turns */
		{ "cbox/SPL_EGR_NSB/", N / 2 },
		{ "cbox/SPL_CO_SB/", N / 2 },
		{ "cbox/SPL_CO_NSB/", N / 2 },
		{ "cbox/SPL_NOT_CO/", 0 },
		{ "cbox/SINKS_P2C.AD/", N },
		{ "cbox/TRANS_IRQ/", N },
		{ "cbox/IGR_OP_UC/", N },
		{ "cbox/IGR_OP_SRAM/", 0 },
		{ "cbox/MAF_ACK/", N },
		{ "cbox/TRANS_MAF/", N },
		{ "cbox/LLC_HITS.ALL/", 0 },
		{ "cbox/LLC_MISSES.ALL/", 0 },
		{ "sbox/PKTS_SENT_NCS/", N },
		{ "sbox/PKTS_SENT_NCB/", 0 },
		{ "cbox/SINKS_S2P_BL/", 2 * N },
		{ "cbox/SINKS_S2C.AK/", N },
		{ "cbox/SINKS_C2P.AK/", N },
		{ NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
		struct lab lab = { .sockets = 2, .workload = workloads[i] };

		check(&lab, expected);
	}
}

/* A write brings a line along, which is read out of the caches for 22 cycles
 * (core.idf_cycles), and is no read. */
static void a_write_brings_data_along(void **state)
{
	static const struct expected expected[] = {
		{ "cbox/TRANS_IRQ/", N },
		{ "cbox/IGR_OP_UC/", 0 },
		{ "cbox/SINKS_P2C.BL/", 2 * N },
		{ "cbox/IDF_NONZERO_NO_VLD/", 22 * N },
		{ "cbox/SINKS_S2P_BL/", 0 },
		{ "cbox/SINKS_S2C.AK/", N },
		{ "sbox/PKTS_SENT_NCS/", 0 },
		{ "sbox/PKTS_SENT_NCB/", N },
		{ NULL, 0 },
	};
	struct lab lab = { .sockets = 2,
			   .workload = "io:threads=1,op=write,count=100" };

	(void)state;
	check(&lab, expected);
	lab.settings[0] = "core.idf_cycles=9";
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/IDF_NONZERO_NO_VLD/"),
			 9 * N);
}

/* Of two sockets all cores but one get StopReq1, and all StartReq2. The write
 * itself is an ordinary one, if the core does not own the line already. */
static void a_lock_is_two_messages_and_stops_the_others(void **state)
{
	static const struct expected expected[] = {
		{ "cbox/SPL_EGR_SB/", N },
		{ "cbox/SPL_EGR_NSB/", N },
		{ "cbox/SPL_NOT_CO/", N * (2 * CORES - 1 + 2 * CORES) },
		{ "cbox/LLC_MISSES.ALL/", 1 },
		{ NULL, 0 },
	};
	struct lab lab = {
		.sockets = 2,
		.workload = "lock:threads=1,count=100,size=64",
	};

	(void)state;
	check(&lab, expected);
	assert_int_equal(lab_count(&lab, 1, "cbox/SPL_NOT_CO/"), 2 * CORES * N);
}

/* A special cycle goes to the U-Box of the socket, and from there to all of its
 * cores. */
static void a_special_cycle_comes_to_all_cores(void **state)
{
	static const struct expected expected[] = {
		{ "cbox/TRANS_IRQ/", N },
		{ "cbox/SPL_NOT_CO/", N * CORES },
		{ "sbox/FLITS_SENT_LOC_NCS/", 3 * N },
		{ NULL, 0 },
	};
	struct lab lab = { .sockets = 2,
			   .workload = "special:threads=1,count=100" };

	(void)state;
	check(&lab, expected);
}

/* Asleep or not, a core is interrupted by one message. */
static void an_interrupt_comes_to_one_core(void **state)
{
	static const struct expected expected[] = {
		{ "cbox/TRANS_IRQ/", N },
		{ "cbox/SPL_NOT_CO/", N },
		{ "ubox/IPIS_SENT/", N },
		{ NULL, 0 },
	};
	struct lab lab = { .sockets = 2,
			   .workload = "ipi:threads=1,count=100" };

	(void)state;
	check(&lab, expected);
}

/* Five threads of a socket sleep three times each: the state goes to the SRAM
 * and comes back, 64 accesses either way unless the machine says otherwise. */
static void c6_saves_and_restores(void **state)
{
	enum { SLEEPS = 5 * 3 };
	static const struct expected expected[] = {
		{ "cbox/IGR_OP_SRAM/", 64 * SLEEPS },
		{ "cbox/SPOOF_ASSERT/", SLEEPS },
		{ "cbox/SPOOF_DEASSERT/", SLEEPS },
		{ "ubox/WOKEN/", SLEEPS },
		{ NULL, 0 },
	};
	struct lab lab = { .sockets = 1,
			   .workload = "sleep:threads=6,count=3" };

	(void)state;
	check(&lab, expected);
	lab.settings[0] = "core.c6_accesses=7";
	assert_int_equal(lab_count(&lab, 0, "cbox/IGR_OP_SRAM/"), 7 * SLEEPS);
}

/* A request whose link has gone to sleep is refused once; the links rest
 * between any two reads of memory behind them. */
static void a_sleeping_link_refuses_once(void **state)
{
	struct lab lab = {
		.sockets = 2,
		.workload = "chase:threads=1,size=64K,passes=1,node=1",
		.settings = { "qpi.idle_cycles=20" },
	};

	(void)state;
	assert_in_range(lab_count(&lab, 0, "cbox/MAF_NACK1.IDLE_QPI/"),
			LINES - 1, LINES);
	lab.settings[0] = "qpi.idle_cycles=0";
	assert_int_equal(lab_count(&lab, 0, "cbox/MAF_NACK1.IDLE_QPI/"), 0);
}

/* Streaming stores write whole lines past the caches. */
static void streaming_stores_fill_nothing(void **state)
{
	static const struct expected expected[] = {
		{ "cbox/LLC_S_FILLS.ALL/", 0 },
		{ "cbox/LLC_MISSES.ALL/", 0 },
		{ "cbox/SINKS_P2C.BL/", 2 * LINES },
		{ "cbox/TRANS_VIQ/", LINES },
		{ "cbox/SNPS.REMOTE_RFO/", LINES },
		{ "bbox/IMT_INSERTS_INVITOE/", LINES },
		{ "mbox/FVC_EV0.BBOX_CMDS.WRITES/", LINES },
		{ NULL, 0 },
	};
	struct lab lab = { .sockets = 2,
			   .workload = "ntstore:threads=1,size=64K" };

	(void)state;
	check(&lab, expected);
}

/* Of a part of a line the data are WbIDataPtl (table 2-104); the home reads,
 * merges and writes (table 2-83), and has read for InvItoE, too. */
static void parts_of_lines_are_merged(void **state)
{
	static const struct expected expected[] = {
		{ "cbox/LLC_MISSES.ALL/", 0 },
		{ "cbox/TRANS_VIQ/", LINES },
		{ "cbox/SNPS.REMOTE_RFO/", LINES },
		{ "bbox/IMT_INSERTS_INVITOE/", LINES },
		{ "bbox/MSG_OPCODE_IN_MATCH,mc=DRS,opc=WbIDataPtl/", LINES },
		{ "bbox/MSG_OPCODE_IN_MATCH,mc=DRS,opc=WbIData/", 0 },
		{ "mbox/FVC_EV0.BBOX_CMDS.READS/", 2 * LINES },
		{ "mbox/FVC_EV0.BBOX_CMDS.MERGE/", LINES },
		{ "mbox/FVC_EV0.BBOX_CMDS.WRITES/", LINES },
		{ NULL, 0 },
	};
	struct lab lab = { .sockets = 2,
			   .workload = "ntstore:threads=1,size=64K,op=part" };

	(void)state;
	check(&lab, expected);
}

/* A line that was read or written and is flushed: the copy leaves through the
 * VIQ, to memory if it was written; the other socket is asked, too. */
static void a_flush_empties_all_caches(void **state)
{
	static const struct expected read[] = {
		{ "cbox/LLC_S_FILLS.ALL/", N },
		{ "cbox/TRANS_VIQ/", N },
		{ "cbox/LLC_VICTIMS.E/", 0 },
		{ "cbox/SNPS.REMOTE_RD/", N },
		{ "cbox/SNPS.REMOTE_RFO/", N },
		{ "mbox/FVC_EV0.BBOX_CMDS.WRITES/", 0 },
		{ NULL, 0 },
	};
	static const struct expected written[] = {
		{ "cbox/TRANS_VIQ/", N },
		{ "cbox/SNPS.REMOTE_RFO/", 2 * N },
		{ "mbox/FVC_EV0.BBOX_CMDS.WRITES/", N },
		{ NULL, 0 },
	};
	struct lab lab = { .sockets = 2,
			   .workload = "flush:threads=1,count=100" };

	(void)state;
	check(&lab, read);
	lab.workload = "flush:threads=1,count=100,op=write";
	check(&lab, written);
}

/* Where the F state does not exist, what came in F comes in S. */
static void shared_lines_come_in_f_or_s(void **state)
{
	struct lab lab = {
		.sockets = 2,
		.workload =
			"readshared:threads=4,size=64K,passes=1,place=scatter",
	};
	uint64_t shared = lab_count(&lab, LAB_ALL, "cbox/LLC_S_FILLS.F/");

	(void)state;
	assert_true(shared > LINES / 2);
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/LLC_S_FILLS.S/"), 0);
	lab.settings[0] = "llc.forward=0";
	assert_int_equal(lab_count(&lab, LAB_ALL, "cbox/LLC_S_FILLS.F/"), 0);
	assert_in_range(lab_count(&lab, LAB_ALL, "cbox/LLC_S_FILLS.S/"),
			LINES / 2, 2 * LINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_is_one_of_everything),
		cmocka_unit_test(a_write_brings_data_along),
		cmocka_unit_test(a_lock_is_two_messages_and_stops_the_others),
		cmocka_unit_test(a_special_cycle_comes_to_all_cores),
		cmocka_unit_test(an_interrupt_comes_to_one_core),
		cmocka_unit_test(c6_saves_and_restores),
		cmocka_unit_test(a_sleeping_link_refuses_once),
		cmocka_unit_test(streaming_stores_fill_nothing),
		cmocka_unit_test(parts_of_lines_are_merged),
		cmocka_unit_test(a_flush_empties_all_caches),
		cmocka_unit_test(shared_lines_come_in_f_or_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
