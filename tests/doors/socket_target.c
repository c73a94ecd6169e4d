/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A session that reaches its registers through the socket counts what a session
 * in the model's own process counts: the same deterministic workload, the same
 * number of cycles, every count the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "socket_rig.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

enum { MAX_EVENTS = 32, MAX_COUNTS = 4096, CYCLES = 123457 };

#define WORKLOAD                                                               \
	"random:threads=8,place=scatter,shared=1,size=2M,count=3000,write=33," \
	"seed=5"

/* At least two events for each type of box, with filters, sub-controls, edge
 * detect and threshold; those of a list fit into the counters together. */
static const char *const lists[][MAX_EVENTS] = {
	{ "cbox/LLC_MISSES.ALL/", "cbox/OCCUPANCY_MAF,threshold=2,edge/",
	  "cbox/LLC_VICTIMS.M/", "bbox/IMT_VALID_OCCUPANCY/",
	  "bbox/MSG_OPCODE_IN_MATCH,mc=HOM0,opc=RdData/", "bbox/IMT_NE_CYCLES/",
	  "sbox/TO_R_PROG_EV,mc=HOM0,opc=RdData/",
	  "sbox/REQ_TBL_OCCUPANCY.ALL/", "sbox/FLITS_SENT_DRS/",
	  "mbox/FVC_EV0.BBOX_CMDS.READS/", "mbox/PAGE_MISS/",
	  "mbox/CYCLES_DSP_FILL.WRQ_EMPTY/", "mbox/DRAM_CMD.RAS/",
	  "rbox/FLITS_SENT,port=qpi0/", "rbox/EOT_INSERTS.SNP,port=sbox0/",
	  "rbox/QUE_ARB_BID.HOM,port=sbox0/", "wbox/FIXED_CTR/" },
	{ "bbox/MSG_ADDR_IN_MATCH,mc=HOM0,addr=0,addr_mask=1/",
	  "bbox/IMT_INSERTS_RD/", "cbox/SNPS.REMOTE_RD/",
	  "cbox/STARVED_EGRESS.AD/", "sbox/TO_R_B_REQUESTS.ALL/",
	  "sbox/TO_R_SNP_MSGQ_OCCUPANCY,threshold=1,invert/",
	  "rbox/DRS.AnyDataC,port=sbox0/",
	  "rbox/GLOBAL_ARB_BID.DRS,port=sbox0/", "mbox/TRANS_CMDS/",
	  "mbox/BCMD_SCHEDQ_OCCUPANCY/", "mbox/REFRESH/" },
};

static void count(struct uncore_target *target, const char *const *texts,
		  int (*pass)(void *context), void *context, uint64_t *values,
		  size_t *num)
{
	struct uncore_event *events[MAX_EVENTS];
	struct uncore_session *session = NULL;
	struct uncore_count count;
	char *error = NULL;
	size_t num_events = 0;
	uint64_t cycles = 0;

	for (; num_events < MAX_EVENTS && texts[num_events]; num_events++)
		if (uncore_event_parse(uncore_target_family(target),
				       texts[num_events], &events[num_events],
				       &error))
			fail_msg("%s", error);
	if (uncore_session_open(target, events, num_events, &session, &error))
		fail_msg("%s", error);
	assert_int_equal(uncore_session_start(session, &error), 0);
	assert_int_equal(pass(context), 0);
	assert_int_equal(uncore_session_stop(session, &error), 0);
	assert_int_equal(uncore_session_read(session, &error), 0);
	assert_true(uncore_session_cycles(session, &cycles));
	assert_int_equal(cycles, CYCLES);
	for (*num = 0; uncore_session_count(session, *num, &count); ++*num)
		values[*num] = count.value;
	uncore_session_close(session);
	for (size_t i = 0; i < num_events; i++)
		uncore_event_free(events[i]);
}

static int run_model(void *context)
{
	uncore_model_run(context, CYCLES);
	return 0;
}

static int step_target(void *context)
{
	return uncore_target_step(context, CYCLES);
}

static void both(unsigned sockets, const char *const *texts)
{
	static uint64_t here[MAX_COUNTS], there[MAX_COUNTS];
	struct uncore_model *model = rig_model(sockets, WORKLOAD);
	struct uncore_target *target = uncore_target_model(model);
	size_t num_here, num_there;
	char *error = NULL;
	struct rig rig;

	count(target, texts, run_model, model, here, &num_here);
	uncore_target_free(target);
	uncore_model_free(model);
	rig_open(&rig, sockets, WORKLOAD, UNCORE_LIVE_STEP);
	target = uncore_target_socket(rig.path, &error);
	if (!target)
		fail_msg("%s", error);
	count(target, texts, step_target, target, there, &num_there);
	uncore_target_free(target);
	rig_close(&rig);
	assert_int_equal(num_here, num_there);
	for (size_t i = 0; i < num_here; i++)
		assert_int_equal(here[i], there[i]);
}

static void counts_are_those_of_the_model_itself(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		both(1, lists[i]);
		both(2, lists[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_the_model_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
