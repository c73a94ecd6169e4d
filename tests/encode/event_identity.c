/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Value to text to value is the identity, and so is text to text: every event
 * of every family, with every unit mask, is encoded, decoded and encoded again;
 * so are random contents of every control register with its sub-registers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "uncore/uncore.h"

enum { NUM_RANDOM = 4000 };

/* The family that a test is at. */
static const struct uncore_family *family;

struct encoded {
	struct uncore_write *writes;
	size_t num;
	char *canonical;
};

static bool encode(const char *text, struct encoded *encoded)
{
	struct uncore_event *event = NULL;
	struct uncore_plan *plan = NULL;
	bool done = false;

	*encoded = (struct encoded){ 0 };
	if (uncore_event_parse(family, text, &event, NULL))
		return false;
	encoded->canonical = strdup(uncore_event_canonical(event));
	if (!uncore_plan_new(family, &event, 1, &plan, NULL))
		done = !uncore_plan_writes(plan, 0, 0, &encoded->writes,
					   &encoded->num, NULL);
	uncore_plan_free(plan);
	uncore_event_free(event);
	return done;
}

static void drop(struct encoded *encoded)
{
	free(encoded->writes);
	free(encoded->canonical);
}

/* The control register first, as decoding wants it. */
static char *decode(struct encoded *encoded)
{
	char *text = NULL;

	for (size_t i = 0; i < encoded->num && !text; i++) {
		struct uncore_write first = encoded->writes[0];

		encoded->writes[0] = encoded->writes[i];
		encoded->writes[i] = first;
		if (!uncore_event_decode(family, encoded->writes, encoded->num,
					 &text, NULL))
			continue;
		encoded->writes[i] = encoded->writes[0];
		encoded->writes[0] = first;
	}
	return text;
}

static bool has_write(const struct encoded *encoded,
		      const struct uncore_write *write)
{
	for (size_t i = 0; i < encoded->num; i++)
		if (encoded->writes[i].address == write->address &&
		    encoded->writes[i].value == write->value)
			return true;
	return false;
}

/* Bits that a register ignores. */
static uint64_t ignored_by(uint32_t address)
{
	struct uncore_register reg;
	struct uncore_field field;
	uint64_t ignored = 0;

	if (!uncore_family_register_at(family, address, &reg))
		return 0;
	for (size_t f = 0; uncore_register_field(&reg, f, &field); f++)
		if (!strcmp(field.kind, "ig"))
			ignored |= ~UINT64_C(0) >>
				   (63 - (field.high - field.low)) << field.low;
	return ignored;
}

/* They change nothing. */
static void check_ignored(const char *text, struct encoded *encoded,
			  const char *decoded)
{
	char *again;

	for (size_t i = 0; i < encoded->num; i++)
		encoded->writes[i].value |=
			ignored_by(encoded->writes[i].address);
	again = decode(encoded);
	if (!again || strcmp(again, decoded))
		fail_msg("%s: decoded to %s, with bits that are ignored to %s",
			 text, decoded, again);
	free(again);
}

static void check_text(const char *text)
{
	struct encoded first, again, canonical;
	char *decoded;

	if (!encode(text, &first))
		fail_msg("%s cannot be encoded", text);
	if (!encode(first.canonical, &canonical))
		fail_msg("%s: canonical %s cannot be encoded", text,
			 first.canonical);
	if (strcmp(first.canonical, canonical.canonical))
		fail_msg("%s: canonical %s became %s", text, first.canonical,
			 canonical.canonical);
	decoded = decode(&first);
	if (!decoded || !encode(decoded, &again))
		fail_msg("%s: decoded to %s", text, decoded);
	for (size_t i = 0; i < first.num; i++)
		if (!has_write(&again, &first.writes[i]) ||
		    !has_write(&canonical, &first.writes[i]))
			fail_msg("%s, decoded to %s: %s=0x%llx is lost", text,
				 decoded, first.writes[i].name,
				 (unsigned long long)first.writes[i].value);
	/* The decoded text names the event, not raw codes. */
	if (!strstr(text, "/event=") && strstr(decoded, "ev_sel="))
		fail_msg("%s was decoded to %s", text, decoded);
	check_ignored(text, &first, decoded);
	free(decoded);
	drop(&first);
	drop(&again);
	drop(&canonical);
}

static unsigned num_ports(const char *name)
{
	struct uncore_box box;

	for (size_t i = 0; uncore_family_box(family, i, &box); i++)
		if (!strcmp(box.name, name))
			return box.num_ports;
	return 1;
}

static void check_masks(const struct uncore_event_info *event, const char *tail)
{
	struct uncore_unit_mask mask;
	char text[256];

	if (!event->num_unit_masks) {
		snprintf(text, sizeof(text), "%s0/%s%s/", event->box,
			 event->name, tail);
		check_text(text);
	}
	for (size_t i = 0; uncore_event_info_unit_mask(event, i, &mask); i++) {
		snprintf(text, sizeof(text), "%s0/%s.%s%s/", event->box,
			 event->name, mask.name, tail);
		check_text(text);
	}
}

static void every_event_survives_encoding_and_decoding(void **state)
{
	struct uncore_event_info event;
	char tail[64];

	family = uncore_family_find(*state);
	for (size_t i = 0; uncore_family_event(family, i, &event); i++) {
		unsigned ports = num_ports(event.box);

		if (ports == 1)
			check_masks(&event, "");
		for (unsigned port = 0; ports > 1 && port < ports; port++)
			for (unsigned slot = 0; slot < 2; slot++) {
				snprintf(tail, sizeof(tail), ",port=%u,slot=%u",
					 port, slot);
				check_masks(&event, tail);
			}
	}
}

/* Of every family, of the Xeon E7 alone, of the Xeon 7500 alone. */
static const char *const any_texts[] = {
	"cbox3/LLC_MISSES.ALL,thresh=1,edge/",
	"cbox0/ARB_WINS.AD_ALL.AK_SB,inv,threshold=200,pmi/",
	"cbox7/event=0xff,umask=0xaa/",
	"sbox1/TO_R_PROG_EV,mc=HOM1,opc=RspIWb,addr=77,hnid=9/",
	"bbox1/MSG_ADDR_IN_MATCH,mc=5,addr=0x123456/",
	"mbox1/DRAM_CMD.ADDR_MATCH,dram_cmd=3,match=5,mask=1/",
	"mbox0/BCMD_SCHEDQ_OCCUPANCY.SPRWR,fvid=31,inc_sel=0x1d/",
	"mbox0/PAGE_HIT,storage_mode=1,flag_mode,set_flag_sel=5/",
	"mbox1/inc_sel=0xd,fvc=0xffffff/",
	"mbox0/inc_sel=0xa,pld=0x7fff/",
	"rbox/iperf=0xf0000000,port=qpi2/",
	"rbox/qlx=0x9a,port=sbox1,slot=1/",
	"rbox/mm_cfg=0x210000,match=0x1c00,mask=0x1e00,port=7/",
	"rbox0/port=0,slot=1,mm_cfg=0x0,counter=5/",
	"rbox/PACKETS,port=qpi0,match.OPC=3,mask.OPC=0xf/",
	"wbox/C_CYCLES_TURBO.CORE0.CORE7,thresh=2/",
	"wbox/FIXED_CTR,pmi/",
	NULL,
};
static const char *const xeon_e7_texts[] = {
	"cbox9/event=0xff,umask=0xaa/",
	"sbox0/PKTS_SENT_DRS.CBOX4_9/",
	"mbox0/BCMD_SCHEDQ_OCCUPANCY.SPRWR,fvid=63,inc_sel=0x1d/",
	"mbox1/DRAM_MISC.RETRIES_FVID,fvid=63/",
	NULL,
};
static const char *const xeon_7500_texts[] = {
	"cbox4/LLC_VICTIMS.ALL,edge/",
	"sbox1/PKTS_SENT_DRS.CBOX0_4.CBOX3_7/",
	"mbox1/RETRIES.FVID,fvid=31/",
	"mbox0/SCHED_MODE_CHANGES,pmi/",
	"mbox0/PAGE_EMPTY,count_mode=1/",
	NULL,
};

static void check_texts(const char *const *texts)
{
	while (*texts)
		check_text(*texts++);
}

static void options_survive_encoding_and_decoding(void **state)
{
	family = uncore_family_find(*state);
	check_texts(any_texts);
	check_texts(strcmp(uncore_family_name(family), "xeon-e7")
			    ? xeon_7500_texts
			    : xeon_e7_texts);
}

/* What the other family alone has is refused, not bent into something else. */
static void what_another_family_has_is_refused(void **state)
{
	const char *const *texts;
	struct encoded encoded;

	family = uncore_family_find(*state);
	texts = strcmp(uncore_family_name(family), "xeon-e7") ? xeon_e7_texts
							      : xeon_7500_texts;
	for (; *texts; texts++) {
		if (encode(*texts, &encoded))
			fail_msg("%s has no %s", uncore_family_name(family),
				 *texts);
		drop(&encoded);
	}
}

/* Any value of a control register that enables it has a text, and the text
 * gives the value back (bits that can be written, apart from the enable). */
static void random_controls_survive_decoding_and_encoding(void **state)
{
	struct uncore_register reg;
	uint64_t random = 1;
	size_t num = 0, tried = 0;

	family = uncore_family_find(*state);
	while (uncore_family_register(family, num, &reg))
		num++;
	for (unsigned i = 0; i < NUM_RANDOM; i++) {
		struct uncore_field field;
		struct uncore_write write = { 0 };
		struct encoded again;
		uint64_t writable = 0;
		char *text = NULL;
		bool enables = false;

		random = random * UINT64_C(6364136223846793005) + 1;
		uncore_family_register(family, (random >> 33) % num, &reg);
		for (size_t f = 0; uncore_register_field(&reg, f, &field);
		     f++) {
			uint64_t bits =
				~UINT64_C(0) >> (63 - (field.high - field.low));

			if (!strcmp(field.kind, "rw"))
				writable |= bits << field.low;
			enables |= !strcmp(field.canonical, "en");
		}
		if (!enables || strstr(reg.name, "GLOBAL"))
			continue;
		random = random * UINT64_C(6364136223846793005) + 1;
		write.address = reg.address;
		write.value = random & writable;
		for (size_t f = 0; uncore_register_field(&reg, f, &field); f++)
			if (!strcmp(field.canonical, "en"))
				write.value |= UINT64_C(1) << field.low;
		if (uncore_event_decode(family, &write, 1, &text, NULL))
			fail_msg("%s=0x%llx has no text", reg.name,
				 (unsigned long long)write.value);
		if (!encode(text, &again))
			fail_msg("%s=0x%llx: %s cannot be encoded", reg.name,
				 (unsigned long long)write.value, text);
		if (!has_write(&again, &write))
			fail_msg("%s=0x%llx is lost in %s", reg.name,
				 (unsigned long long)write.value, text);
		free(text);
		drop(&again);
		tried++;
	}
	assert_true(tried > NUM_RANDOM / 5);
}

#define TEST(test, family) cmocka_unit_test_prestate(test, family)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_event_survives_encoding_and_decoding, "xeon-e7"),
		TEST(every_event_survives_encoding_and_decoding, "xeon-7500"),
		TEST(every_event_survives_encoding_and_decoding,
		     "xeon-e5-2600"),
		TEST(options_survive_encoding_and_decoding, "xeon-e7"),
		TEST(options_survive_encoding_and_decoding, "xeon-7500"),
		TEST(what_another_family_has_is_refused, "xeon-e7"),
		TEST(what_another_family_has_is_refused, "xeon-7500"),
		TEST(what_another_family_has_is_refused, "xeon-e5-2600"),
		TEST(random_controls_survive_decoding_and_encoding, "xeon-e7"),
		TEST(random_controls_survive_decoding_and_encoding,
		     "xeon-7500"),
		TEST(random_controls_survive_decoding_and_encoding,
		     "xeon-e5-2600"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
