/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The S-Box's classes seen from outside: one packet for each access of a core,
 * as many flits as guide 2.5.4.3 says, one answer for each message, and queues
 * that hold a packet as long as the box takes to pass it on. See docs/proof.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/truth/lab.h"

enum { N = 400, SBOX_CYCLES = 6 };

static struct lab lab_of(const char *workload)
{
	return (struct lab){ .sockets = 2, .workload = workload };
}

/* 4 threads on both sockets, 100 accesses each. */
#define IO(op) lab_of("io:threads=4,place=scatter,target=hub0,count=100,op=" op)

/* Packets and flits of a class, and how the accesses are answered: by data, or
 * without. */
static void io(struct lab lab, const char *cls, unsigned flits, bool has_data)
{
	assert_int_equal(
		lab_countf(&lab, LAB_ALL, "sbox/PKTS_SENT_%s.ALL/", cls), N);
	assert_int_equal(lab_countf(&lab, LAB_ALL, "sbox/FLITS_SENT_%s/", cls),
			 flits * N);
	assert_int_equal(all(&lab, "sbox/PKTS_RCVD_DRS_FROM_R/"),
			 has_data ? N : 0);
	assert_int_equal(all(&lab, "sbox/PKTS_RCVD_NDR/"), has_data ? 0 : N);
	assert_int_equal(all(&lab, "sbox/TO_R_B_REQUESTS.REMOTE/"), N);
	assert_int_equal(all(&lab, "sbox/TO_R_B_REQUESTS.LOCAL/"), 0);
}

static void reads_are_one_flit_and_bring_data(void **state)
{
	(void)state;
	io(IO("read"), "NCS", 1, true);
	io(IO("in"), "NCS", 1, true);
}

static void port_writes_are_three_flits(void **state)
{
	(void)state;
	io(IO("out"), "NCS", 3, false);
}

static void memory_writes_are_eleven_flits(void **state)
{
	(void)state;
	io(IO("write"), "NCB", 11, false);
	io(IO("wc"), "NCB", 11, false);
}

/* What goes to the own socket's U-Box is local, what goes to another's is not;
 * together they are what the R-Box gets. */
static void ncs_to_the_own_ubox_is_local(void **state)
{
	struct lab lab = lab_of("io:threads=4,place=scatter,target=socket1,"
				"count=100,op=cfgread");

	(void)state;
	assert_int_equal(lab_count(&lab, 0, "sbox/PKTS_SENT_NCS.ALL/"), N / 2);
	assert_int_equal(lab_count(&lab, 1, "sbox/PKTS_SENT_NCS.ALL/"), 0);
	assert_int_equal(lab_count(&lab, 0, "sbox/FLITS_SENT_LOC_NCS/"), 0);
	assert_int_equal(lab_count(&lab, 1, "sbox/FLITS_SENT_LOC_NCS/"), N / 2);
	assert_int_equal(
		lab_ports(&lab, LAB_ALL, "sbox", "NEW_PACKETS_RECV.ANY.NCS"),
		N);
}

/* An S-Box answers each message and interrupt that it brings to cores. */
static void answers(const char *workload)
{
	struct lab lab = lab_of(workload);
	uint64_t messages = all(&lab, "sbox/PKTS_RCVD_NCS/") +
			    all(&lab, "sbox/PKTS_RCVD_LOC_NCS/") +
			    all(&lab, "sbox/PKTS_RCVD_NCB/");

	assert_true(messages > 0);
	assert_int_equal(all(&lab, "sbox/PKTS_SENT_NDR/"), messages);
	assert_int_equal(
		lab_ports(&lab, LAB_ALL, "sbox", "NEW_PACKETS_RECV.ANY.NDR"),
		messages);
}

static void each_message_is_answered(void **state)
{
	(void)state;
	answers("lock:threads=4,place=scatter,count=20");
	answers("special:threads=4,place=scatter,count=20");
	answers("ipi:threads=4,place=scatter,count=50");
}

/* A lock stops and starts all four S-Boxes; those of socket 0, where the
 * quiesce master is, are told by their own U-Box. */
static void a_lock_stops_and_starts_every_sbox(void **state)
{
	struct lab lab = lab_of("lock:threads=4,place=scatter,count=20");

	(void)state;
	assert_int_equal(lab_count(&lab, 0, "sbox/PKTS_RCVD_LOC_NCS/"),
			 2 * 2 * 80);
	assert_int_equal(lab_count(&lab, 0, "sbox/PKTS_RCVD_NCS/"), 0);
	assert_int_equal(lab_count(&lab, 1, "sbox/PKTS_RCVD_NCS/"), 2 * 2 * 80);
	/* Lock and Unlock of each thread, of three flits */
	assert_int_equal(lab_count(&lab, 0, "sbox/FLITS_SENT_LOC_NCS/"),
			 2 * 40 * 3);
	assert_int_equal(lab_count(&lab, 1, "sbox/FLITS_SENT_NCS/"),
			 2 * 40 * 3);
}

/* Little's law: a packet alone stays as long as it takes through the box. */
static void a_packet_alone_stays_for_its_way(void **state)
{
	static const struct {
		const char *setting;
		unsigned cycles;
	} ways[] = { { NULL, SBOX_CYCLES }, { "sbox.cycles=20", 20 } };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct lab lab = lab_of("io:target=hub0,count=100,op=read");

		lab.settings[0] = ways[i].setting;
		assert_int_equal(all(&lab, "sbox/TO_R_NCS_MSGQ_OCCUPANCY.ALL/"),
				 100 * ways[i].cycles);
		lab.workload = "io:target=hub0,count=100,op=write";
		assert_int_equal(all(&lab, "sbox/TO_R_NCB_MSGQ_OCCUPANCY.ALL/"),
				 100 * ways[i].cycles);
		lab.workload = "ipi:target=3,count=100";
		assert_int_equal(all(&lab, "sbox/TO_R_NDR_MSGQ_OCCUPANCY/"),
				 100 * ways[i].cycles);
		assert_int_equal(all(&lab, "sbox/TO_RING_MSGQ_OCCUPANCY.NCB/"),
				 100 * ways[i].cycles);
	}
}

/* A flush finds the line in no other cache: a request, a snoop and a completion
 * without data. */
static void a_flush_brings_no_data(void **state)
{
	struct lab lab = lab_of("flush:threads=1,op=read,count=100");

	(void)state;
	assert_int_equal(
		all(&lab, "bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=InvXtoI/"),
		100);
	assert_int_equal(all(&lab, "sbox/PKTS_RCVD_NDR/"), 100);
	/* the line is read first */
	assert_int_equal(all(&lab, "sbox/PKTS_RCVD_SNP/"), 200);
}

/* Of data that go to requester and home the second packet is not counted, but
 * its flits are; RspFwdSWb and RspFwdIWb say how often that was. */
static void of_two_data_packets_one_is_counted(void **state)
{
	struct lab lab = lab_of("random:threads=8,place=scatter,shared=1,"
				"size=64K,count=300,write=40");
	uint64_t twice =
		all(&lab, "bbox/MSG_OPCODE_IN_MATCH,mc=HOM1,opc=RspFwdSWb/") +
		all(&lab, "bbox/MSG_OPCODE_IN_MATCH,mc=HOM1,opc=RspFwdIWb/");

	(void)state;
	assert_true(twice > 0);
	assert_int_equal(all(&lab, "sbox/FLITS_SENT_DRS/"),
			 9 * (all(&lab, "sbox/PKTS_SENT_DRS.ALL/") + twice));
}

/* With a directory the homes send the snoops. */
static void no_snoops_with_a_directory(void **state)
{
	struct lab lab = lab_of("random:threads=8,place=scatter,shared=1,"
				"size=64K,count=100,write=40");

	(void)state;
	assert_true(all(&lab, "sbox/PKTS_SENT_SNP/") > 0);
	lab.settings[0] = "bbox.directory=on";
	assert_int_equal(all(&lab, "sbox/PKTS_SENT_SNP/"), 0);
	assert_int_equal(all(&lab, "sbox/TO_R_SNP_MSGQ_OCCUPANCY/"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_are_one_flit_and_bring_data),
		cmocka_unit_test(port_writes_are_three_flits),
		cmocka_unit_test(memory_writes_are_eleven_flits),
		cmocka_unit_test(ncs_to_the_own_ubox_is_local),
		cmocka_unit_test(each_message_is_answered),
		cmocka_unit_test(a_lock_stops_and_starts_every_sbox),
		cmocka_unit_test(a_packet_alone_stays_for_its_way),
		cmocka_unit_test(a_flush_brings_no_data),
		cmocka_unit_test(of_two_data_packets_one_is_counted),
		cmocka_unit_test(no_snoops_with_a_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
