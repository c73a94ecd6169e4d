/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * There and back with filters: random options are encoded,
 * decoded and encoded again; random contents of match, mask and configuration
 * registers are decoded and encoded. The same values come out, the canonical
 * text gives them too, and what has words is told in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filter_rig.h"

enum { NUM_RANDOM = 3000 };

static const char *const machines[] = { "xeon-e7", "xeon-7500" };

/* Values that an option may have; several of them are tried at random. */
struct option {
	const char *name;
	const char *values[8];
};

struct form {
	const char *event;
	struct option options[7];
};

#define ADDRESSES                                                              \
	"any", "0x12345678", "0x10000..0x1ffff", "1G+1G", "0+64", "0x40..0x7f"

static const struct form forms[] = {
	{ "sbox1/TO_R_PROG_EV",
	  { { "mc", { "any", "HOM0", "HOM0|HOM1", "NCB|NCS", "0x1f" } },
	    { "addr", { ADDRESSES, "0..0xfffffffffff" } },
	    { "hnid", { "any", "0", "2", "31" } } } },
	{ "sbox0/TO_R_PROG_EV",
	  { { "opc", { "RdCode", "RdCode|RdData", "Cmp", "RspI|RspS" } },
	    { "addr", { ADDRESSES } } } },
	{ "sbox0/TO_R_PROG_EV",
	  { { "state", { "any", "M", "M|E|S|F|I", "S|I", "0x3" } },
	    { "hnid", { "1" } } } },
	{ "sbox0/TO_R_PROG_EV",
	  { { "mc", { "any", "0x11", "HOM0|HOM1" } },
	    { "opc", { "0x7ff", "0x2" } } } },
	{ "bbox0/MSG_OPCODE_ADDR_IN_MATCH",
	  { { "mc", { "HOM0" } },
	    { "opc",
	      { "any", "RdData", "WbMtoI|WbMtoE", "InvItoE|AckCnfltWbI" } },
	    { "addr", { ADDRESSES, "0..0x3ffffffffffff" } } } },
	{ "bbox1/MSG_OUT_MATCH",
	  { { "mc", { "any", "SNP", "NCB|DRS", "HOM0|HOM1", "5" } } } },
	{ "bbox0/OPCODE_IN_MATCH",
	  { { "opc", { "any", "0x4", "0|1|2|3", "0x0", "8|9|10|11" } },
	    { "opc_mask", { "0xf" } } } },
	{ "bbox0/OPCODE_OUT_MATCH", { { "opc", { "any", "4", "4|5" } } } },
	{ "rbox/PACKETS,port=qpi0",
	  { { "mc", { "any", "DRS", "NDR", "HOM0|HOM1", "4", "9" } },
	    { "vn", { "any", "VN0", "VN1", "VNA", "VN0|VN1" } },
	    { "dnid", { "any", "0", "0..3", "5|7", "31" } },
	    { "rnid", { "any", "4..7", "1" } },
	    { "flit", { "0", "1", "9", "15" } } } },
	{ "rbox/PACKETS,port=bbox1,slot=1",
	  { { "state", { "any", "M", "E|I", "F" } },
	    { "opc", { "DataC", "DataC_Cmp", "DataC|DataC_FrcAckCnflt" } },
	    { "vn", { "any", "VNA" } } } },
	{ "rbox/PACKETS,port=0",
	  { { "opc", { "0x3", "4|5|6|7", "any" } }, { "mc", { "any" } } } },
	{ "rbox/DRS.AnyResp,port=1",
	  { { "opc",
	      { "any", "WbIData",
		"DataC|DataNc|DataC_Cmp|"
		"DataC_FrcAckCnflt" } },
	    { "dnid", { "any", "2" } } } },
	{ "rbox/DRS.DataC_M,port=4", { { "vn", { "any", "VN1" } } } },
	{ "rbox/NCB.AnyInt,port=5", { { "rnid", { "any", "3" } } } },
	{ "mbox0/DRAM_CMD.RAS",
	  { { "addr", { ADDRESSES, "0..0x3ffffffff" } } } },
	{ "mbox1/DRAM_CMD.CAS_RD_OPN.RDPRIO", { { "addr", { ADDRESSES } } } },
	{ "mbox1/DRAM_CMD.ADDR_MATCH",
	  { { "dram_cmd", { "2", "5" } }, { "addr", { ADDRESSES } } } },
	{ "mbox0/DRAM_CMD.ALL", { { "addr", { ADDRESSES } } } },
};

static const struct form e5_forms[] = {
	{ "cbo0/TOR_INSERTS.OPCODE",
	  { { "opc", { "DRd", "RFO", "ItoM", "PCIRdCur", "0x1ff" } },
	    { "tid", { "0", "6", "14" } } } },
	{ "cbo1/TOR_INSERTS.NID_OPCODE",
	  { { "opc", { "CRd", "WbMtoI" } },
	    { "nid", { "NODE0", "NODE0|NODE1", "0x81" } } } },
	{ "cbo7/LLC_LOOKUP.ANY",
	  { { "state", { "M", "I", "S|E|M|F", "0x1f" } },
	    { "tid", { "2" } } } },
	{ "pcu/FREQ_BAND0_CYCLES", { { "band0", { "0", "12", "255" } } } },
	{ "pcu/FREQ_BAND3_CYCLES", { { "band3", { "1", "29" } } } },
	{ "ha/ADDR_OPC_MATCH.FILT",
	  { { "opc", { "0", "0x11", "0x3f" } },
	    { "lo_addr", { "0", "0x12345" } },
	    { "hi_addr", { "0", "1", "0x3fff" } } } },
	{ "qpi1/CTO_COUNT",
	  { { "mc", { "DRS", "HOM0", "NCB" } },
	    { "vn", { "VN0", "VN1", "VNA" } },
	    { "dnid", { "0", "3", "7" } } } },
};

static void random_text(const struct form *form, char *text, size_t size)
{
	int at = snprintf(text, size, "%s", form->event);

	for (unsigned i = 0; i < 7 && form->options[i].name; i++) {
		const struct option *option = &form->options[i];
		unsigned num = 0;

		while (num < 8 && option->values[num])
			num++;
		if (i && !filter_random(3))
			continue;
		at += snprintf(text + at, size - (size_t)at, ",%s=%s",
			       option->name,
			       option->values[filter_random(num)]);
	}
	snprintf(text + at, size - (size_t)at, "/");
}

static void same_writes(const char *text, const char *again,
			const struct uncore_write *writes, size_t num,
			const char *machine)
{
	size_t other;
	char *error = NULL;
	struct uncore_write *back =
		filter_writes(machine, again, &other, &error);

	if (!back)
		fail_msg("%s became %s: %s", text, again, error);
	for (size_t i = 0; i < num; i++) {
		bool found = false;

		for (size_t j = 0; j < other; j++)
			found |= writes[i].address == back[j].address &&
				 writes[i].value == back[j].value;
		if (!found)
			fail_msg("%s became %s: %s=0x%llx is lost", text, again,
				 writes[i].name,
				 (unsigned long long)writes[i].value);
	}
	free(back);
	free(error);
}

static void survives(const char *machine, const struct form *form)
{
	char text[512], *canonical = NULL, *decoded = NULL;
	struct uncore_write *writes;
	size_t num;

	random_text(form, text, sizeof(text));
	writes = filter_writes(machine, text, &num, &canonical);
	if (!writes)
		fail_msg("%s: %s", text, canonical);
	same_writes(text, canonical, writes, num, machine);
	if (uncore_event_decode(uncore_family_find(machine), writes, num,
				&decoded, NULL))
		fail_msg("%s cannot be decoded", text);
	same_writes(text, decoded, writes, num, machine);
	/* In words, but for a mask that was no word. */
	if (!strstr(text, "opc_mask") &&
	    (strstr(decoded, "match.") || strstr(decoded, "mask.") ||
	     strstr(decoded, "filter.") || strstr(canonical, "match.")))
		fail_msg("%s became %s", text, decoded);
	free(writes);
	free(canonical);
	free(decoded);
}

static void options_survive(void **state)
{
	const unsigned num_forms = sizeof(forms) / sizeof(forms[0]);

	(void)state;
	for (unsigned i = 0; i < NUM_RANDOM; i++)
		survives(machines[filter_random(2)], &forms[i % num_forms]);
}

static void options_of_the_xeon_e5_2600_survive(void **state)
{
	const unsigned num_forms = sizeof(e5_forms) / sizeof(e5_forms[0]);

	(void)state;
	for (unsigned i = 0; i < NUM_RANDOM / 4; i++)
		survives("xeon-e5-2600", &e5_forms[i % num_forms]);
}

/* A control register, and those that filter for it. */
struct place {
	const char *event;
	unsigned num_bits; /* of the fields, from bit 0 up */
};

static const struct place places[] = {
	{ "sbox0/TO_R_PROG_EV/", 64 },
	{ "bbox0/MSG_OPCODE_ADDR_IN_MATCH/", 60 },
	{ "bbox1/MSG_OPCODE_OUT_MATCH/", 60 },
	{ "rbox/PACKETS,port=qpi2/", 52 },
	{ "rbox/DRS.AnyResp,port=sbox0,slot=1/", 52 },
	{ "mbox0/DRAM_CMD.RAS,addr=0/", 34 },
};

static uint64_t fields_of(const char *machine, uint32_t address)
{
	const struct uncore_family *family = uncore_family_find(machine);
	struct uncore_register reg;
	struct uncore_field field;
	uint64_t bits = 0;

	assert_true(uncore_family_register_at(family, address, &reg));
	for (size_t f = 0; uncore_register_field(&reg, f, &field); f++)
		if (!strcmp(field.kind, "rw"))
			bits |= ~UINT64_C(0) >> (63 - (field.high - field.low))
							<< field.low;
	return bits;
}

/* Sparse and dense values as well as even ones. */
static uint64_t random_bits(void)
{
	uint64_t a = filter_random(UINT64_C(1) << 32) << 32 |
		     filter_random(UINT64_C(1) << 32);
	uint64_t b = filter_random(UINT64_C(1) << 32) << 32 |
		     filter_random(UINT64_C(1) << 32);

	switch (filter_random(5)) {
	case 0: return 0;
	case 1: return ~UINT64_C(0);
	case 2: return a & b;
	case 3: return a | b;
	default: return a;
	}
}

static void registers_survive(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NUM_RANDOM; i++) {
		const struct place *place = &places[i % 6];
		const char *machine = machines[filter_random(2)];
		struct uncore_write *writes;
		char *decoded = NULL;
		char said[200];
		size_t num, n;

		writes = filter_writes(machine, place->event, &num, NULL);
		assert_non_null(writes);
		for (n = 0; n < num; n++) {
			bool filters = strstr(writes[n].name, "MATCH") ||
				       strstr(writes[n].name, "MASK");

			if (filters)
				writes[n].value =
					random_bits() &
					fields_of(machine, writes[n].address);
		}
		if (uncore_event_decode(uncore_family_find(machine), writes,
					num, &decoded, NULL))
			fail_msg("%s cannot be decoded", place->event);
		snprintf(said, sizeof(said), "%s with random filters",
			 place->event);
		same_writes(said, decoded, writes, num, machine);
		free(writes);
		free(decoded);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_survive),
		cmocka_unit_test(options_of_the_xeon_e5_2600_survive),
		cmocka_unit_test(registers_survive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
