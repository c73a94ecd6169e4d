/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Value to text to value is the identity, and so is text to text: every event
 * with every unit mask is encoded, decoded and encoded again; so are random
 * contents of every control register with its sub-registers.
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

static const struct uncore_family *family(void)
{
	return uncore_family_find("xeon-e7");
}

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
	if (uncore_event_parse(family(), text, &event, NULL))
		return false;
	encoded->canonical = strdup(uncore_event_canonical(event));
	if (!uncore_plan_new(family(), &event, 1, &plan, NULL))
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
		if (!uncore_event_decode(family(), encoded->writes,
					 encoded->num, &text, NULL))
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
	free(decoded);
	drop(&first);
	drop(&again);
	drop(&canonical);
}

static unsigned num_ports(const char *name)
{
	struct uncore_box box;

	for (size_t i = 0; uncore_family_box(family(), i, &box); i++)
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

	(void)state;
	for (size_t i = 0; uncore_family_event(family(), i, &event); i++) {
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

static void options_survive_encoding_and_decoding(void **state)
{
	static const char *const texts[] = {
		"cbox3/LLC_MISSES.ALL,thresh=1,edge/",
		"cbox0/ARB_WINS.AD_ALL.AK_SB,inv,threshold=200,pmi/",
		"cbox9/event=0xff,umask=0xaa/",
		"sbox1/TO_R_PROG_EV,mc=HOM1,opc=RspIWb,addr=77,hnid=9/",
		"bbox1/MSG_ADDR_IN_MATCH,mc=5,addr=0x123456/",
		"mbox1/DRAM_CMD.ADDR_MATCH,dram_cmd=3,match=5,mask=1/",
		"mbox0/BCMD_SCHEDQ_OCCUPANCY.SPRWR,fvid=63,inc_sel=0x1d/",
		"mbox0/PAGE_HIT,storage_mode=1,flag_mode,set_flag_sel=5/",
		"rbox/iperf=0xf0000000,port=qpi2/",
		"rbox/qlx=0x9a,port=sbox1,slot=1/",
		"rbox/mm_cfg=0x210000,match=0x1c00,mask=0x1e00,port=7/",
		"rbox/PACKETS,port=qpi0,match.OPC=3,mask.OPC=0xf/",
		"wbox/FIXED_CTR,pmi/",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_text(texts[i]);
}

/* Any value of a control register that enables it has a text, and the text
 * gives the value back (bits that can be written, apart from the enable). */
static void random_controls_survive_decoding_and_encoding(void **state)
{
	struct uncore_register reg;
	uint64_t random = 1;
	size_t num = 0, tried = 0;

	(void)state;
	while (uncore_family_register(family(), num, &reg))
		num++;
	for (unsigned i = 0; i < NUM_RANDOM; i++) {
		struct uncore_field field;
		struct uncore_write write = { 0 };
		struct encoded again;
		uint64_t writable = 0;
		char *text = NULL;
		bool enables = false;

		random = random * UINT64_C(6364136223846793005) + 1;
		uncore_family_register(family(), (random >> 33) % num, &reg);
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
		if (uncore_event_decode(family(), &write, 1, &text, NULL))
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_survives_encoding_and_decoding),
		cmocka_unit_test(options_survive_encoding_and_decoding),
		cmocka_unit_test(random_controls_survive_decoding_and_encoding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
