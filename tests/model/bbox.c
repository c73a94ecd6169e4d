/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home agent: what I/O hubs ask of it, its directory, its mirror. The laws
 * are not its own: lines that a device moves, snoops and their answers, writes
 * of the master and of the slave.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/truth/coherence_rig.h"
#include "tests/truth/lab.h"

static uint64_t in(const struct lab *lab, const char *cls, const char *opcode)
{
	return lab_countf(lab, LAB_ALL,
			  "bbox/MSG_OPCODE_IN_MATCH,mc=%s,opc=%s/", cls,
			  opcode);
}

static uint64_t out(const struct lab *lab, const char *cls, const char *opcode)
{
	return lab_countf(lab, LAB_ALL,
			  "bbox/MSG_OPCODE_OUT_MATCH,mc=%s,opc=%s/", cls,
			  opcode);
}

static uint64_t questions(const struct lab *lab)
{
	return out(lab, "NDR", "Cmp_FwdCode") +
	       out(lab, "NDR", "Cmp_FwdInvOwn") +
	       out(lab, "NDR", "Cmp_FwdInvItoE");
}

/* Devices */

enum { LINES = 600 };

/* Lines that nobody has in a cache: each is one read of memory. */
static void a_device_reads_each_line_once(void **state)
{
	(void)state;
	for (unsigned sockets = 1; sockets <= 4; sockets *= 2) {
		struct lab lab = { .sockets = sockets,
				   .workload = "dma:op=read,count=600" };

		assert_int_equal(in(&lab, "HOM0", "RdCur"), LINES);
		assert_int_equal(all(&lab, "bbox/IMT_INSERTS_IOH/"), LINES);
		assert_int_equal(all(&lab, "bbox/IMT_INSERTS_RD/"), LINES);
		assert_int_equal(all(&lab, "bbox/IMT_INSERTS_NON_IOH/"), 0);
		assert_int_equal(all(&lab, "bbox/IMT_INSERTS_NON_IOH_RD/"), 0);
		assert_int_equal(all(&lab, "bbox/IMT_INSERTS_IOH_WR/"), 0);
		assert_int_equal(all(&lab, "cbox/SNPS.REMOTE_RD/"),
				 LINES * sockets);
		assert_int_equal(out(&lab, "DRS", "DataC_(FEIMS)_Cmp"), LINES);
	}
}

/* Each is an InvItoE that memory is read for, and a write. */
static void a_device_writes_each_line_once(void **state)
{
	(void)state;
	for (unsigned sockets = 1; sockets <= 4; sockets *= 2) {
		struct lab lab = { .sockets = sockets,
				   .workload = "dma:op=write,count=600" };

		assert_int_equal(all(&lab, "bbox/IMT_INSERTS_IOH/"), 2 * LINES);
		assert_int_equal(all(&lab, "bbox/IMT_INSERTS_IOH_INVITOE/"),
				 LINES);
		assert_int_equal(all(&lab, "bbox/IMT_INSERTS_IOH_WR/"), LINES);
		assert_int_equal(in(&lab, "DRS", "WbIData"), LINES);
		assert_int_equal(out(&lab, "NDR", "Gnt_Cmp"), LINES);
		assert_int_equal(all(&lab, "cbox/SNPS.REMOTE_RFO/"),
				 LINES * sockets);
	}
}

/* Cores write to more lines than the slices hold, and what they drive out waits
 * for one of few entries of the request table, while a device reads the same
 * lines: it gets the data, and memory still does (values are checked). */
static void a_device_reads_what_is_on_its_way_out(void **state)
{
	const struct lab lab = {
		.sockets = 1,
		.workload = "random:threads=8,shared=1,write=90,size=24K,"
			    "count=2000,gap=0,offset=0+"
			    "dma:op=read,size=24K,count=4000,gap=0,offset=0",
		.settings = { "llc.slice=1", "llc.ways=2",
			      "sbox.request_table=7" },
	};

	(void)state;
	assert_true(in(&lab, "HOM1", "RspFwd") > 0);
}

/* By turns a read, a write, a write of some bytes: the last reads the line,
 * merges the bytes and writes it. */
static void devices_may_do_without_snoops(void **state)
{
	struct lab lab = { .sockets = 2,
			   .workload = "dma:op=nosnoop,count=600",
			   .settings = { "mbox.patrol_cycles=0" } };

	(void)state;
	assert_int_equal(in(&lab, "HOM0", "NonSnpRd"), LINES / 3);
	assert_int_equal(in(&lab, "HOM0", "NonSnpWr"), 2 * LINES / 3);
	assert_int_equal(in(&lab, "DRS", "NonSnpWrData"), LINES / 3);
	assert_int_equal(in(&lab, "DRS", "NonSnpWrDataPtl"), LINES / 3);
	assert_int_equal(all(&lab, "cbox/SNPS.REMOTE_ANY/"), 0);
	assert_int_equal(all(&lab, "bbox/IMT_INSERTS_IOH/"), LINES);
	assert_int_equal(all(&lab, "bbox/IMT_INSERTS_IOH_WR/"), 2 * LINES / 3);
	assert_int_equal(all(&lab, "mbox/FVC_EV0.BBOX_CMDS.READS/"),
			 2 * LINES / 3);
	assert_int_equal(all(&lab, "mbox/FVC_EV0.BBOX_CMDS.WRITES/"),
			 2 * LINES / 3);
	assert_int_equal(all(&lab, "mbox/FVC_EV0.BBOX_CMDS.F2V/"), LINES / 3);
	assert_int_equal(all(&lab, "mbox/FVC_EV0.BBOX_CMDS.MERGE/"), LINES / 3);
}

/* Only writes, only InvItoE or only reads stand in the tracker: the sum of the
 * three is all, but for what each accumulator holds back until it is 256. */
static void the_tracker_tells_requests_of_hubs_apart(void **state)
{
	struct lab lab = { .sockets = 2,
			   .workload = "dma:op=mix,count=3000,gap=10" };
	uint64_t sum, total = all(&lab, "bbox/TF_IOH/");

	(void)state;
	sum = all(&lab, "bbox/TF_IOH_WR/") + all(&lab, "bbox/TF_IOH_INVITOE/") +
	      all(&lab, "bbox/TF_IOH_NON_INVITOE_RD/");
	assert_true(all(&lab, "bbox/TF_IOH_WR/") > 0);
	assert_true(all(&lab, "bbox/TF_IOH_INVITOE/") > 0);
	assert_true(all(&lab, "bbox/TF_IOH_NON_INVITOE_RD/") > 0);
	assert_in_range(total, sum, sum + 12 * 256);
	assert_int_equal(total, all(&lab, "bbox/TF_ALL/"));
}

/* The directory */

static void directories_know_every_copy(void **state)
{
	static const unsigned lines[] = { 1, 8, 300 };

	(void)state;
	for (unsigned sockets = 1; sockets <= 8; sockets *= 2)
		for (unsigned i = 0; i < 3; i++) {
			struct fight fight = {
				.sockets = sockets,
				.threads = sockets * 5,
				.lines = lines[i],
				.count = 150,
				.write_percent = 30,
				.code_percent = 5,
				.gap = 20,
				.seed = sockets + i,
				.at_one_home = i & 1,
				.settings = { "bbox.directory=on",
					      "llc.slice=24", "llc.ways=4" },
			};
			struct rig *rig = rig_new(&fight);

			rig_run(rig, i ? 0 : 50);
			rig_check_rest(rig);
			rig_free(rig);
		}
}

static void private_lines_are_not_snooped(void **state)
{
	struct lab lab = { .sockets = 4,
			   .workload = "chase:size=64K,passes=1,threads=1",
			   .settings = { "bbox.directory=on" } };

	(void)state;
	assert_int_equal(all(&lab, "bbox/DIRQ_INSERTS/"), 1024);
	assert_int_equal(all(&lab, "sbox/PKTS_RCVD_SNP/"), 0);
	assert_int_equal(all(&lab, "sbox/PKTS_SENT_SNP/"), 0);
	assert_true(all(&lab, "bbox/DIRQ_OCCUPANCY/") > 0);
}

static void homes_snoop_where_copies_are(void **state)
{
	struct lab lab = { .sockets = 4,
			   .workload = "random:threads=16,shared=1,"
				       "place=scatter,size=64K,count=500,"
				       "write=30",
			   .settings = { "bbox.directory=on" } };
	uint64_t requests, snoops, source;

	(void)state;
	requests = lab_count(&lab, LAB_ALL, "bbox/MSG_IN_MATCH,mc=HOM0/") -
		   in(&lab, "HOM0", "WbMtoI") - in(&lab, "HOM0", "AckCnflt");
	snoops = all(&lab, "bbox/MSG_OUT_MATCH,mc=SNP/");
	assert_int_equal(all(&lab, "bbox/DIRQ_INSERTS/"), requests);
	assert_int_equal(snoops, all(&lab, "cbox/SNPS.REMOTE_ANY/"));
	assert_int_equal(all(&lab, "bbox/MSG_IN_MATCH,mc=HOM1/"),
			 snoops + questions(&lab));
	assert_true(all(&lab, "bbox/SNPOQ_INSERTS/") > 0);
	assert_true(all(&lab, "bbox/SNPOQ_INSERTS/") <= snoops);
	/* requesters would have sent three for each request */
	lab.settings[0] = NULL;
	source = all(&lab, "cbox/SNPS.REMOTE_ANY/");
	assert_true(snoops > 0 && snoops < source * 3 / 4);
}

/* A line that a device reads or writes is snooped where it is, too. */
static void devices_see_what_the_directory_knows(void **state)
{
	struct lab lab = { .sockets = 2,
			   .workload = "dma:op=write,count=600",
			   .settings = { "bbox.directory=on" } };

	(void)state;
	assert_int_equal(all(&lab, "sbox/PKTS_RCVD_SNP/"), 0);
	assert_int_equal(all(&lab, "bbox/DIRQ_INSERTS/"), LINES);
}

/* Conflicts */

/* Far sockets that fill the S-Boxes' queues, so that messages bounce on the
 * ring: an answer that the line was given away must not come late. */
static void answers_of_an_agent_stay_in_order(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= (getenv("UNCORE_LONG") ? 3 : 1);
	     seed++) {
		struct fight fight = {
			.sockets = 4,
			.threads = 32,
			.lines = 1000,
			.count = 400,
			.write_percent = 60,
			.gap = 2,
			.seed = seed,
			.at_one_home = true,
			.settings = { "qpi.latency=1000", "llc.slice=6",
				      "llc.ways=4", "sbox.hom_queue=4" },
		};
		struct rig *rig = rig_new(&fight);

		rig_run(rig, 0);
		rig_check_rest(rig);
		rig_free(rig);
	}
}

/* A request whose peers told of a rival is forced to acknowledge it. */
static void every_forced_request_acknowledges(void **state)
{
	struct lab lab = { .sockets = 4,
			   .workload = "random:threads=16,shared=1,"
				       "place=scatter,size=1K,count=300,"
				       "write=50" };
	uint64_t forced, conflicts = all(&lab, "bbox/CONFLICTS/");

	(void)state;
	forced = out(&lab, "NDR", "FrcAckCnflt") +
		 out(&lab, "NDR", "Gnt_FrcAckCnflt") +
		 out(&lab, "DRS", "DataC_(FEIMS)_FrcAckCnflt");
	assert_true(forced > 0 && conflicts >= forced);
	assert_int_equal(in(&lab, "HOM0", "AckCnflt"), forced);
	assert_true(in(&lab, "HOM1", "RspCnflt") >= forced);
}

/* Memory */

/* Another socket wants lines that are just being written back. */
static void reads_that_were_overtaken_are_filled_again(void **state)
{
	struct lab lab = { .sockets = 4,
			   .workload = "random:threads=16,shared=1,"
				       "place=scatter,size=256K,count=1500,"
				       "write=50",
			   .settings = { "llc.slice=6", "llc.ways=4" } };
	uint64_t refills = all(&lab, "mbox/FVC_EV0.BBOX_CMDS.V2F/");

	(void)state;
	assert_true(refills > 0);
	assert_int_equal(all(&lab, "mbox/FVC_EV0.BBOX_CMDS.F2B/"), refills);
}

static void early_acknowledgements_are_those_of_reads(void **state)
{
	struct lab lab = { .sockets = 1,
			   .workload = "chase:size=64K,passes=1,threads=1",
			   .settings = { "mbox.early_ack=8",
					 "mbox.patrol_cycles=0" } };

	(void)state;
	assert_int_equal(all(&lab, "bbox/EARLY_ACK/"), 1024);
	assert_int_equal(all(&lab, "mbox/FVC_EV0.BBOX_RSP.SPEC_ACK/"), 1024);
	lab.settings[0] = NULL;
	assert_int_equal(all(&lab, "bbox/EARLY_ACK/"), 0);
}

/* Mirroring */

static void the_slave_writes_what_the_master_writes(void **state)
{
	struct lab lab = { .sockets = 2,
			   .workload = "random:threads=8,shared=1,"
				       "place=scatter,size=256K,count=700,"
				       "write=50",
			   .settings = { "llc.slice=6", "llc.ways=4",
					 "bbox.mirror=on" } };
	uint64_t writes =
		in(&lab, "HOM0", "WbMtoI") + all(&lab, "bbox/IMPLICIT_WBS/");

	(void)state;
	assert_true(writes > 0);
	assert_int_equal(in(&lab, "HOM0", "NonSnpWr"), writes);
	assert_int_equal(in(&lab, "DRS", "NonSnpWrData"), writes);
	assert_int_equal(out(&lab, "HOM0", "NonSnpWr"), writes);
	assert_int_equal(all(&lab, "mbox/FVC_EV0.BBOX_CMDS.WRITES/"),
			 2 * writes);
	assert_int_equal(all(&lab, "mbox/FVC_EV0.BBOX_CMDS.V2V/"), writes);
	assert_int_equal(all(&lab, "bbox/IMT_INSERTS_WR/"), 2 * writes);
	assert_int_equal(
		lab_ports(&lab, LAB_ALL, "bbox", "ALLOC_TO_ARB.HOM_VN1"),
		writes);
}

/* An event of all boxes, while a hundredth of the reads of memory fails. */
static uint64_t with_bad_memory(const char *mirror, const char *text)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);
	struct uncore_model *model;
	struct uncore_target *target;
	struct uncore_session *session;
	struct uncore_event *event;
	struct uncore_count count;
	uint64_t sum = 0;

	uncore_model_config_check(config, true);
	if (uncore_model_config_set(config, mirror, &error) ||
	    uncore_model_config_inject(config, "ecc-uncorrectable:rate=0.01",
				       &error))
		fail_msg("%s", error);
	model = uncore_model_new(config, &error);
	target = uncore_target_model(model);
	if (uncore_event_parse(uncore_target_family(target), text, &event,
			       &error) ||
	    uncore_session_open(target, &event, 1, &session, &error) ||
	    uncore_session_start(session, &error) ||
	    uncore_model_set_workload(model,
				      "random:threads=4,size=4M,count=3000,"
				      "write=30,place=scatter",
				      &error))
		fail_msg("%s", error);
	assert_true(uncore_model_finish(model, 100000000, NULL));
	assert_null(uncore_model_check(model));
	assert_int_equal(uncore_session_stop(session, &error), 0);
	assert_int_equal(uncore_session_read(session, &error), 0);
	for (size_t i = 0; uncore_session_count(session, i, &count); i++)
		sum += count.value;
	uncore_session_close(session);
	uncore_event_free(event);
	uncore_target_free(target);
	uncore_model_free(model);
	uncore_model_config_free(config);
	return sum;
}

static void the_slave_stands_in_for_memory_that_fails(void **state)
{
	static const char *const asked =
		"bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=RdCode/";
	static const char *const failed = "mbox/FVC_EV0.BBOX_RSP.UNCOR/";
	uint64_t num_failed = with_bad_memory("bbox.mirror=on", failed);

	(void)state;
	assert_true(num_failed > 0);
	/* a slave's own memory may fail as well; nobody stands in for that */
	assert_in_range(with_bad_memory("bbox.mirror=on", asked),
			num_failed - num_failed / 10, num_failed);
	assert_true(with_bad_memory("bbox.mirror=off", failed) > 0);
	assert_int_equal(with_bad_memory("bbox.mirror=off", asked), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_reads_each_line_once),
		cmocka_unit_test(a_device_writes_each_line_once),
		cmocka_unit_test(a_device_reads_what_is_on_its_way_out),
		cmocka_unit_test(devices_may_do_without_snoops),
		cmocka_unit_test(the_tracker_tells_requests_of_hubs_apart),
		cmocka_unit_test(directories_know_every_copy),
		cmocka_unit_test(private_lines_are_not_snooped),
		cmocka_unit_test(homes_snoop_where_copies_are),
		cmocka_unit_test(devices_see_what_the_directory_knows),
		cmocka_unit_test(answers_of_an_agent_stay_in_order),
		cmocka_unit_test(every_forced_request_acknowledges),
		cmocka_unit_test(reads_that_were_overtaken_are_filled_again),
		cmocka_unit_test(early_acknowledgements_are_those_of_reads),
		cmocka_unit_test(the_slave_writes_what_the_master_writes),
		cmocka_unit_test(the_slave_stands_in_for_memory_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
