/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "tests/nehalem-ex/agent_laws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signals.h"
#include "tests/nehalem-ex/agent_rig.h"

/* Who is where: by the signal of the queue, for S-Box 0 of socket 0. */
struct law {
	unsigned signal, full, num;
	const char *room; /* parameter */
	uint8_t *count;	  /* in each cycle */
	uint64_t total;
};

#define QUEUE(name, num, room)                                                 \
	{                                                                      \
		SIG_SBOX_##name, SIG_SBOX_##name##_FULL, num, room, NULL, 0    \
	}

static struct law laws[] = {
	QUEUE(TO_R_B_HOM_MSGQ_RBOX, 1, "sbox.hom_queue"),
	QUEUE(TO_R_B_HOM_MSGQ_BBOX, 1, "sbox.hom_queue"),
	QUEUE(TO_R_SNP_MSGQ, 1, "sbox.snp_queue"),
	QUEUE(TO_R_DRS_MSGQ, 5, "sbox.drs_queue"),
	QUEUE(TO_R_NCB_MSGQ, 5, "sbox.ncb_queue"),
	QUEUE(TO_R_NCS_MSGQ, 5, "sbox.ncs_queue"),
	QUEUE(TO_R_LOC_NCS_MSGQ, 5, "sbox.ncs_queue"),
	QUEUE(TO_R_NDR_MSGQ, 1, "sbox.ndr_queue"),
	QUEUE(TO_RING_SNP_MSGQ, 1, "sbox.ring_snp_queue"),
	QUEUE(TO_RING_NCS_MSGQ, 1, "sbox.ring_nc_queue"),
	QUEUE(TO_RING_NCB_MSGQ, 1, "sbox.ring_nc_queue"),
	QUEUE(TO_RING_NDR_MSGQ, 1, "sbox.ring_ndr_queue"),
	QUEUE(TO_RING_R2S_MSGQ, 1, "sbox.ring_r2s_queue"),
	QUEUE(TO_RING_B2S_MSGQ, 1, "sbox.ring_b2s_queue"),
};

enum { NUM_LAWS = sizeof(laws) / sizeof(*laws) };

static struct law each[NUM_SIG_SBOX];
static uint8_t busy[3][CYCLES]; /* links and pumps */

void laws_begin(void)
{
	memset(each, 0, sizeof(each));
	memset(busy, 0, sizeof(busy));
	for (unsigned i = 0; i < NUM_LAWS; i++)
		for (unsigned j = 0; j < laws[i].num; j++) {
			struct law *law = &each[laws[i].signal + j];

			*law = laws[i];
			law->signal += j;
			law->full += j;
			law->count = calloc(CYCLES, 1);
			assert_non_null(law->count);
		}
}

void stays(unsigned signal, uint64_t from, uint64_t until)
{
	struct law *law = &each[signal];

	assert_non_null(law->count);
	assert_true(from <= until && until < CYCLES);
	for (uint64_t t = from; t < until; t++)
		law->count[t]++;
	law->total += until - from;
}

void serves(unsigned what, uint64_t from, unsigned cycles)
{
	for (unsigned i = 0; i < cycles; i++)
		assert_int_equal(busy[what][from + i]++, 0);
}

/* How exactly a full queue is seen: a stay that is known only later may hide
 * some of it. */
static void law_holds(const struct law *law, unsigned room, bool is_ordered)
{
	uint64_t not_empty = 0, full = 0;

	for (unsigned t = 0; t < CYCLES; t++) {
		not_empty += law->count[t] > 0;
		full += law->count[t] == room;
		assert_true(law->count[t] <= room);
	}
	assert_int_equal(rig_sum(law->signal), law->total);
	assert_int_equal(rig_busy(law->signal), not_empty);
	assert_int_equal(rig_sum(law->full), rig_busy(law->full));
	assert_true(rig_sum(law->full) <= full);
	if (is_ordered)
		assert_int_equal(rig_sum(law->full), full);
	else
		assert_true(rig_sum(law->full) * 10 >= full * 9);
}

/* Queues that share a buffer: in how many cycles it is full. */
static uint64_t shared(const unsigned *signals, unsigned num, unsigned room)
{
	uint64_t full = 0;

	for (unsigned t = 0; t < CYCLES; t++) {
		unsigned count = 0;

		for (unsigned i = 0; i < num; i++)
			count += each[signals[i]].count[t];
		assert_true(count <= room);
		full += count == room;
	}
	return full;
}

static void sharing_holds(void)
{
	static const unsigned home[] = { SIG_SBOX_TO_R_B_HOM_MSGQ_RBOX,
					 SIG_SBOX_TO_R_B_HOM_MSGQ_BBOX };
	static const unsigned ring[] = { SIG_SBOX_TO_RING_SNP_MSGQ,
					 SIG_SBOX_TO_RING_NCS_MSGQ,
					 SIG_SBOX_TO_RING_NCB_MSGQ };
	uint64_t full = shared(home, 2, rig_param("sbox.hom_queue"));
	uint64_t seen = rig_sum(SIG_SBOX_TO_R_B_HOM_MSGQ_FULL);

	assert_int_equal(rig_busy(SIG_SBOX_TO_R_B_HOM_MSGQ_FULL), seen);
	assert_true(seen <= full && seen * 10 >= full * 9);
	shared(ring, 3, rig_param("sbox.ring_queue"));
}

void laws_end(bool is_ordered)
{
	sharing_holds();
	for (unsigned i = 0; i < NUM_LAWS; i++)
		for (unsigned j = 0; j < laws[i].num; j++) {
			struct law *law = &each[laws[i].signal + j];

			law_holds(law, rig_param(law->room), is_ordered);
			free(law->count);
		}
}
