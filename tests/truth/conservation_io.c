/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What leaves one box arrives at the next, for what is not coherent: uncached
 * and port accesses, interrupts, bus locks, and accesses of devices. See
 * docs/proof.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab.h"

enum { DMA = 300 };

/* Beside them cores share lines, so that nothing has the links for itself. */
static struct lab mixture(unsigned sockets)
{
	return (struct lab){
		.sockets = sockets,
		.workload = "random:threads=2,shared=1,size=64K,count=300,"
			    "write=33+io:threads=2,op=mix,count=60+"
			    "ipi:threads=2,count=30+lock:threads=2,count=30+"
			    "dma:size=64K,count=300,gap=20",
	};
}

static void for_all(void (*law)(const struct lab *lab))
{
	for (unsigned sockets = 1; sockets <= 4; sockets *= 2) {
		struct lab lab = mixture(sockets);

		law(&lab);
	}
}

static void wires(const struct lab *lab)
{
	uint64_t ncb = all(lab, "sbox/PKTS_SENT_NCB.ALL/");
	struct lab only = *lab;

	assert_true(ncb > 0);
	assert_int_equal(ncb, ports(lab, "sbox", "NEW_PACKETS_RECV.ANY.NCB"));
	/* to the U-Box of the own socket go others, which it does not count */
	only.workload = "io:threads=2,op=mix,target=hub0,count=60";
	assert_int_equal(all(&only, "sbox/PKTS_SENT_NCS.ALL/"),
			 ports(&only, "sbox", "NEW_PACKETS_RECV.ANY.NCS"));
	assert_in_range(all(lab, "sbox/PKTS_SENT_NCS.ALL/"), 1,
			ports(lab, "sbox", "NEW_PACKETS_RECV.ANY.NCS"));
	assert_int_equal(all(lab, "sbox/PKTS_SENT_NDR/"),
			 ports(lab, "sbox", "NEW_PACKETS_RECV.ANY.NDR"));
}

static void what_an_s_box_sends_the_r_box_receives(void **state)
{
	(void)state;
	for_all(wires);
}

static void answers(const struct lab *lab)
{
	uint64_t answered = all(lab, "sbox/PKTS_SENT_NDR/");
	uint64_t seen = all(lab, "sbox/PKTS_RCVD_NCS/") +
			all(lab, "sbox/PKTS_RCVD_NCB/");

	assert_true(answered > 0);
	/* a processor may have no event for those of the own U-Box */
	if (lab_has("sbox/PKTS_RCVD_LOC_NCS/"))
		assert_int_equal(answered,
				 seen + all(lab, "sbox/PKTS_RCVD_LOC_NCS/"));
	else
		assert_true(seen > 0 && answered > seen);
}

/* An S-Box sends no other NDR than that. */
static void every_message_to_cores_is_answered(void **state)
{
	(void)state;
	for_all(answers);
}

static void lines(const struct lab *lab)
{
	assert_int_equal(all(lab, "sbox/FLITS_SENT_NCB/"),
			 11 * all(lab, "sbox/PKTS_SENT_NCB.ALL/"));
}

static void a_non_coherent_write_has_eleven_flits(void **state)
{
	(void)state;
	for_all(lines);
}

static void interrupts(const struct lab *lab)
{
	struct lab only = *lab;

	only.workload = "ipi:threads=2,count=30";
	assert_int_equal(all(&only, "ubox/IPIS_SENT/"), 60);
	assert_int_equal(all(&only, "sbox/PKTS_RCVD_NCB/"), 60);
	assert_int_equal(all(&only, "sbox/PKTS_SENT_NCB.ALL/"), 60);
}

static void every_interrupt_reaches_a_core(void **state)
{
	(void)state;
	for_all(interrupts);
}

static void devices(const struct lab *lab)
{
	struct lab reads = *lab, writes = *lab;

	reads.workload = "dma:op=read,size=64K,count=300";
	assert_int_equal(all(&reads, "bbox/IMT_INSERTS_IOH/"), DMA);
	assert_int_equal(all(&reads, "bbox/IMT_INSERTS_IOH_WR/"), 0);
	writes.workload = "dma:op=write,size=64K,count=300";
	/* the right to a line, and the line */
	assert_int_equal(all(&writes, "bbox/IMT_INSERTS_IOH/"), 2 * DMA);
	assert_int_equal(all(&writes, "bbox/IMT_INSERTS_IOH_WR/"), DMA);
	assert_int_equal(all(&writes, "bbox/IMT_INSERTS_IOH_INVITOE/"), DMA);
	assert_int_equal(all(&writes, "mbox/FVC_EV0.BBOX_CMDS.WRITES/"), DMA);
	/* each is snooped in every socket */
	assert_int_equal(all(&writes, "cbox/SNPS.REMOTE_RFO/"),
			 (uint64_t)DMA * lab->sockets);
}

static void every_access_of_a_device_reaches_memory(void **state)
{
	(void)state;
	for_all(devices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_s_box_sends_the_r_box_receives),
		cmocka_unit_test(every_message_to_cores_is_answered),
		cmocka_unit_test(a_non_coherent_write_has_eleven_flits),
		cmocka_unit_test(every_interrupt_reaches_a_core),
		cmocka_unit_test(every_access_of_a_device_reaches_memory),
	};

	return LAB_RUN(tests);
}
