/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What leaves one box arrives at the next, and what enters a queue leaves it:
 * equations between counters of different boxes, under traffic with reads,
 * writes, sharing and victims. See docs/proof.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lab.h"

#define SMALL_LLC "llc.slice=6", "llc.ways=4"

/* Threads on all sockets, a third of the uses are stores. The 4096 lines are
 * shared, lie in the memory of socket 0, and are more than the 96 in each slice
 * of a socket. */
static struct lab crowd(unsigned sockets)
{
	const char *workload = "random:threads=16,shared=1,place=scatter,"
			       "size=256K,count=350,write=33";

	if (sockets == 1)
		workload = "random:threads=8,shared=1,size=256K,count=700,"
			   "write=33";
	return (struct lab){ .sockets = sockets,
			     .workload = workload,
			     .settings = { SMALL_LLC } };
}

/* The equations hold for each of these machines. */
static void for_all(void (*law)(const struct lab *lab))
{
	for (unsigned sockets = 1; sockets <= lab_most_sockets();
	     sockets *= 2) {
		struct lab lab = crowd(sockets);

		law(&lab);
	}
}

static void lookups(const struct lab *lab)
{
	uint64_t hits = all(lab, "cbox/LLC_HITS.ALL/");
	uint64_t misses = all(lab, "cbox/LLC_MISSES.ALL/");
	uint64_t requests = all(lab, "cbox/TRANS_IRQ/");

	assert_true(hits && misses);
	assert_int_equal(hits + misses, all(lab, "cbox/TRANS_MAF/"));
	/* write-backs of cores need no MAF entry */
	assert_int_equal(requests, all(lab, "cbox/MAF_ACK/"));
	assert_true(requests >= hits + misses);
	assert_int_equal(requests, all(lab, "cbox/TRANS_RWRF/"));
	assert_int_equal(requests, all(lab, "cbox/SINKS_P2C.AD/"));
}

static void hits_and_misses_are_all_lookups(void **state)
{
	(void)state;
	for_all(lookups);
}

static void lines(const struct lab *lab)
{
	/* an upgrade of a copy (a miss in S or F) brings no line */
	uint64_t fills = all(lab, "cbox/LLC_S_FILLS.ALL/");

	assert_int_equal(fills, all(lab, "cbox/LLC_VICTIMS.M/") +
					all(lab, "cbox/LLC_VICTIMS.E/") +
					all(lab, "cbox/LLC_VICTIMS.S/") +
					all(lab, "cbox/LLC_VICTIMS.F/") +
					all(lab, "cbox/LLC_VICTIMS.I/"));
	assert_int_equal(all(lab, "cbox/TRANS_VIQ/"),
			 fills - all(lab, "cbox/LLC_VICTIMS.I/"));
	/* a line is two transfers on the BL ring */
	assert_int_equal(all(lab, "cbox/SINKS_S2C.BL/"), 2 * fills);
}

static void every_fill_drives_something_out(void **state)
{
	(void)state;
	for_all(lines);
}

static void wires(const struct lab *lab)
{
	uint64_t sent = all(lab, "sbox/PKTS_SENT_HOM.RBOX/");

	assert_int_equal(sent, ports(lab, "sbox", "NEW_PACKETS_RECV.ANY.HOM"));
	assert_int_equal(ports(lab, "sbox", "NEW_PACKETS_RECV.ANY.SNP"),
			 all(lab, "sbox/PKTS_RCVD_SNP/"));
	assert_int_equal(ports(lab, "sbox", "DRS.AnyDataC"),
			 all(lab, "sbox/PKTS_RCVD_DRS_FROM_R/"));
	/* what ports send over links, the ports at the other ends receive */
	assert_int_equal(ports(lab, "qpi", "NEW_PACKETS_RECV.ANY.DRS"),
			 ports(lab, "qpi", "DRS.AnyResp"));
	/* nothing but the two R-Box ports and the direct link feeds a B-Box */
	assert_int_equal(all(lab, "bbox/MSG_IN_NON_SNP/"),
			 all(lab, "bbox/MSG_S_TO_B/") +
				 ports(lab, "bbox", "PACKETS"));
}

static void what_a_box_sends_the_next_receives(void **state)
{
	(void)state;
	for_all(wires);
}

static void requests(const struct lab *lab)
{
	uint64_t sent = all(lab, "sbox/TO_R_B_REQUESTS.ALL/");
	uint64_t others = lab->sockets - 1;
	uint64_t write_backs =
		all(lab, "bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=WbMtoI/");
	uint64_t acknowledged =
		all(lab, "bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=AckCnflt/");

	assert_int_equal(sent + acknowledged,
			 all(lab, "bbox/MSG_IN_MATCH,mc=HOM0/"));
	assert_true(write_backs > 0);
	assert_int_equal(all(lab, "cbox/SNPS.REMOTE_ANY/"),
			 (sent - write_backs) * others);
}

static void every_request_snoops_every_other_socket(void **state)
{
	(void)state;
	for_all(requests);
}

static void memory(const struct lab *lab)
{
	uint64_t patrol = all(lab, "mbox/PATROL_TXNS/");
	uint64_t reads = all(lab, "mbox/FVC_EV0.BBOX_CMDS.READS/");
	uint64_t writes = all(lab, "mbox/FVC_EV0.BBOX_CMDS.WRITES/");
	/* the guide counts both as inserts */
	uint64_t conflicts =
		all(lab, "bbox/CONFLICTS/") +
		all(lab, "bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=AckCnflt/");

	/* reads that a write overtook: V2F, then F2B */
	uint64_t refills = all(lab, "mbox/FVC_EV0.BBOX_CMDS.V2F/");

	assert_int_equal(all(lab, "bbox/IMT_INSERTS_WR/"), writes);
	/* victims, and what snoops found modified */
	assert_int_equal(
		writes,
		all(lab, "bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=WbMtoI/") +
			all(lab, "bbox/IMPLICIT_WBS/"));
	assert_int_equal(all(lab, "bbox/IMT_INSERTS_RD/") +
				 all(lab, "bbox/IMT_INSERTS_INVITOE/"),
			 reads + refills - patrol + conflicts);
	assert_int_equal(all(lab, "bbox/IMT_INSERTS_ALL/"),
			 reads + writes + refills - patrol + conflicts);
	assert_int_equal(all(lab, "mbox/FVC_EV0.BBOX_CMDS.F2B/"), refills);
	assert_int_equal(all(lab, "mbox/BBOX_CMDS_ALL/"),
			 reads + writes + 2 * refills);
}

static void every_imt_entry_is_a_memory_command(void **state)
{
	(void)state;
	for_all(memory);
}

static void pages(const struct lab *lab)
{
	uint64_t hits = all(lab, "mbox/PAGE_HIT/");
	uint64_t misses = all(lab, "mbox/PAGE_MISS/");
	uint64_t empty = all(lab, lab_has("mbox/PAGE_EMPTY/")
					  ? "mbox/PAGE_EMPTY/"
					  : "mbox/PGT_PAGE_EV2.PAGE_EMPTY/");
	uint64_t columns = all(lab, "mbox/DRAM_CMD.CAS_RD_OPN/") +
			   all(lab, "mbox/DRAM_CMD.CAS_WR_OPN/") +
			   all(lab, "mbox/DRAM_CMD.CAS_RD_CLS/") +
			   all(lab, "mbox/DRAM_CMD.CAS_WR_CLS/");

	assert_int_equal(hits + misses + empty, columns);
	assert_int_equal(all(lab, "mbox/DRAM_CMD.RAS/"), misses + empty);
	/* nothing is asked for twice: each command is one column access */
	assert_int_equal(columns,
			 all(lab, "mbox/FVC_EV0.BBOX_CMDS.READS/") +
				 all(lab, "mbox/FVC_EV0.BBOX_CMDS.WRITES/"));
}

static void a_column_access_hits_misses_or_finds_no_page(void **state)
{
	(void)state;
	for_all(pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_and_misses_are_all_lookups),
		cmocka_unit_test(every_fill_drives_something_out),
		cmocka_unit_test(what_a_box_sends_the_next_receives),
		cmocka_unit_test(every_request_snoops_every_other_socket),
		cmocka_unit_test(every_imt_entry_is_a_memory_command),
		cmocka_unit_test(a_column_access_hits_misses_or_finds_no_page),
	};

	return LAB_RUN(tests);
}
