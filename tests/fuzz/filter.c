/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Filters: a byte for the family, one that chooses an event that has filters,
 * then its options as text.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/identity.h"

/* One for each set of words that there is. */
static const char *const events[] = {
	"sbox0/TO_R_PROG_EV",
	"rbox0/PACKETS,port=qpi0",
	"rbox0/DRS.AnyResp,port=qpi1",
	"bbox0/MSG_IN_MATCH",
	"bbox0/MSG_OUT_MATCH",
	"bbox0/ADDR_IN_MATCH",
	"bbox0/MSG_OPCODE_ADDR_IN_MATCH",
	"bbox0/OPCODE_IN_MATCH",
	"mbox0/DRAM_CMD.CAS_RD_OPN",
	"mbox0/DRAM_MISC.TRP",
	"rbox0/NCB.AnyMsg,port=qpi0",
	"mbox0/FVC_EV0.BBOX_CMDS.WRITES",
};
enum { NUM_EVENTS = sizeof(events) / sizeof(events[0]) };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	bool with_sentence = size && data[0] & 2;
	const struct uncore_family *family = fuzz_family(&bytes);
	const char *name = events[fuzz_number(&bytes, 1) % NUM_EVENTS];
	char *options = fuzz_text(&bytes), *text = NULL;
	struct uncore_event *event;

	fuzz_must(asprintf(&text, "%s,%s/", name, options) > 0, "no memory");
	event = identity_parse(family, text, with_sentence);
	if (event)
		identity_check(family, event);
	uncore_event_free(event);
	free(text);
	free(options);
	return 0;
}
