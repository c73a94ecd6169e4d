/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * With nothing in the way what passes no cache takes the same cycles in both
 * engines, and tells the same of itself. To go with the engine of events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/truth/lab.h"

static const char *const workloads[] = {
	"io:threads=1,op=read,count=40",
	"io:threads=1,op=write,count=40",
	"io:threads=1,op=in,count=40",
	"io:threads=1,op=out,count=40",
	"io:threads=1,op=cfgread,target=socket1,count=40",
	"io:threads=1,op=cfgwrite,target=socket0,count=40",
	"io:threads=1,op=wc,gap=3000,count=40",
	"io:threads=1,op=write,target=socket1,count=40",
	"ipi:threads=1,count=40",
	"special:threads=1,op=mix,count=40",
	"lock:threads=1,count=40",
	"dma:hub=0,op=read,size=64K,gap=3000,count=40",
	"dma:hub=0,op=interrupt,target=13,gap=3000,count=40",
};

static const char *const events[] = {
	"cbox/OCCUPANCY_MAF/",
	"cbox/OCCUPANCY_IRQ/",
	"cbox/SPL_CO_NSB/",
	"cbox/SPL_NOT_CO/",
	"cbox/IGR_OP_UC/",
	"sbox/REQ_TBL_OCCUPANCY.ALL/",
	"sbox/PKTS_SENT_NCB/",
	"sbox/PKTS_RCVD_NCS/",
	"ubox/BUF_VALID_LOCAL_INT/",
	"ubox/BUF_VALID_REMOTE_INT/",
	"ubox/BUF_VALID_LOCK/",
	"ubox/BUF_VALID_STST/",
	"ubox/BUF_VALID_SPC_CYCLES/",
	"ubox/BUF_VALID_DOOR_BELL/",
	"ubox/U2R_REQUESTS/",
	"ubox/U2B_REQUEST_CYCLES/",
	"ubox/IPIS_SENT/",
	"bbox/TF_IOH,sub_ctl=0/",
	"bbox/IMT_INSERTS_IOH/",
};

/* Under sanitizers, which tell nothing of numbers, few of the events. */
#ifdef __SANITIZE_ADDRESS__
enum { EVERY = 8 };
#else
enum { EVERY = 1 };
#endif

static uint64_t count(const struct lab *lab, const char *engine,
		      const char *event)
{
	setenv("UNCORE_ENGINE", engine, 1);
	return all(lab, event);
}

static void both_engines_agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++) {
		const struct lab lab = { .sockets = 2,
					 .workload = workloads[i] };

		for (size_t e = 0; e < sizeof(events) / sizeof(events[0]);
		     e += EVERY) {
			uint64_t new, old;

			if (!lab_has(events[e]))
				continue;
			new = count(&lab, "journeys", events[e]);
			old = count(&lab, "events", events[e]);
			if (new != old)
				fail_msg("%s: %s is %llu, was %llu",
					 workloads[i], events[e],
					 (unsigned long long)new,
					 (unsigned long long)old);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_engines_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
