/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Random settings of the machine, with a liking for small queues, and random
 * programming of its PMU: events with options, and writes to any register.
 */
#include "random_rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/table.h"

/* A setting of 0..num-1 words; by words where there are some, else a number. */
static const struct setting {
	const char *name;
	unsigned least, most;
	const char *words;
} ex_settings[] = {
	{ "cbox.irq", 1, 24, NULL },
	{ "cbox.ipq", 1, 8, NULL },
	{ "cbox.viq", 1, 8, NULL },
	{ "cbox.maf", 2, 16, NULL },
	{ "cbox.rwrf", 1, 12, NULL },
	{ "cbox.rspf", 1, 8, NULL },
	{ "cbox.pass_cycles", 1, 3, NULL },
	{ "llc.slice", 6, 96, NULL },
	{ "llc.forward", 0, 1, NULL },
	{ "sbox.request_table", 7, 48, NULL },
	{ "sbox.hom_queue", 2, 64, NULL },
	{ "sbox.snp_queue", 8, 32, NULL },
	{ "sbox.ring_snp_queue", 1, 31, NULL },
	{ "sbox.ring_ndr_queue", 1, 32, NULL },
	{ "sbox.ring_r2s_queue", 1, 8, NULL },
	{ "sbox.ring_b2s_queue", 1, 8, NULL },
	{ "bbox.imt", 1, 32, NULL },
	{ "bbox.directory", 0, 2, "off\0on" },
	{ "bbox.mirror", 0, 2, "off\0on" },
	{ "qpi.latency", 8, 200, NULL },
	{ "rbox.vna", 11, 96, NULL },
	{ "io.tracker", 1, 8, NULL },
	{ "io.requests", 1, 24, NULL },
	{ "io.interrupts", 1, 8, NULL },
	{ "core.window", 1, 256, NULL },
	{ "core.fill_buffers", 1, 16, NULL },
	{ "core.super_queue", 1, 16, NULL },
	{ "core.snoop_cycles", 1, 150, NULL },
	{ "mbox.read_queue", 1, 32, NULL },
	{ "mbox.write_queue", 2, 32, NULL },
	{ "mbox.page_policy", 0, 3, "open\0closed\0adaptive" },
	{ "mbox.sched", 0, 4, "tradeoff\0rdprio\0wrprio\0adaptive" },
	{ "mbox.patrol_cycles", 1000, 50000, NULL },
	{ "core.c6_accesses", 1, 16, NULL },
	{ NULL, 0, 0, NULL },
}, ep_settings[] = {
	{ "cbo.irq", 1, 20, NULL },
	{ "cbo.ipq", 1, 20, NULL },
	{ "cbo.vfifo", 1, 20, NULL },
	{ "cbo.tor", 2, 20, NULL },
	{ "llc.slice", 6, 96, NULL },
	{ "ha.tracker", 4, 128, NULL },
	{ "ha.snoop", 0, 3, "source\0home\0directory" },
	{ "ha.direct2core", 0, 2, "off\0on" },
	{ "ha.read_credits", 1, 22, NULL },
	{ "ha.write_credits", 1, 32, NULL },
	{ "ha.egress", 1, 16, NULL },
	{ "qpi.latency", 8, 200, NULL },
	{ "core.window", 1, 256, NULL },
	{ "core.fill_buffers", 1, 16, NULL },
	{ "core.super_queue", 1, 16, NULL },
	{ "core.snoop_cycles", 1, 150, NULL },
	{ "core.c6_accesses", 1, 16, NULL },
	{ NULL, 0, 0, NULL },
};

static bool set(struct chaos *chaos, struct uncore_model_config *config,
		const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool set(struct chaos *chaos, struct uncore_model_config *config,
		const char *format, ...)
{
	char text[80], *error = NULL;
	size_t used = strlen(chaos->settings);
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (uncore_model_config_set(config, text, &error)) {
		free(error); /* a setting of a machine to come */
		return false;
	}
	snprintf(chaos->settings + used, CHAOS_TEXT - used, " %s", text);
	return true;
}

static void set_some(struct chaos *chaos, struct uncore_model_config *config,
		     const struct setting *setting)
{
	unsigned span = setting->most - setting->least;
	const char *word = setting->words;
	unsigned value;

	if (word) {
		for (value = (unsigned)chaos_random(&chaos->random, span);
		     value; value--)
			word += strlen(word) + 1;
		set(chaos, config, "%s=%s", setting->name, word);
		return;
	}
	/* small ones are where the mistakes are */
	if (!chaos_random(&chaos->random, 2))
		span = span / 8 + 1;
	value = setting->least +
		(unsigned)chaos_random(&chaos->random, span + 1);
	if (value > setting->most)
		value = setting->most;
	set(chaos, config, "%s=%u", setting->name, value);
}

struct uncore_model *chaos_machine(struct chaos *chaos)
{
	static const unsigned trackers[] = { 32, 64, 128, 256 };
	unsigned likely = (unsigned)chaos_random(&chaos->random, 4);
	unsigned hubs = chaos->plan.sockets < 8 ? chaos->plan.sockets : 0;
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new(chaos->plan.machine, &error);
	const struct setting *setting =
		strcmp(chaos->plan.machine, "xeon-e5-2600") ? ex_settings
							    : ep_settings;
	struct uncore_model *model;

	uncore_model_config_sockets(config, chaos->plan.sockets, &error);
	uncore_model_config_check(config, true);
	for (; setting->name; setting++)
		if (chaos_random(&chaos->random, 4) < likely)
			set_some(chaos, config, setting);
	set(chaos, config, "core.c6_timer=%u",
	    1000 + (unsigned)chaos_random(&chaos->random, 50000));
	set(chaos, config, "llc.ways=%u",
	    2u << chaos_random(&chaos->random, 3));
	set(chaos, config, "bbox.tracker=%u",
	    trackers[chaos_random(&chaos->random, 4)]);
	set(chaos, config, "cores=%u",
	    2 * (1 + (unsigned)chaos_random(&chaos->random, 5)));
	set(chaos, config, "io.hubs=%u",
	    (unsigned)chaos_random(&chaos->random, hubs + 1u));
	model = uncore_model_new(config, &error);
	uncore_model_config_free(config);
	free(error);
	return model;
}

/* The PMU */

static void write_event(struct chaos *chaos, char text[200])
{
	const struct uc_family *family = chaos->model->family;
	uint64_t *random = &chaos->random;
	const struct uc_box *box =
		&family->boxes[chaos_random(random, family->num_boxes)];
	const struct uc_event *event =
		&box->events[chaos_random(random, box->num_events)];
	int used = snprintf(text, 200, "%s/%s", box->name, event->name);

	if (event->num_unit_masks)
		used += snprintf(
			text + used, 200u - (unsigned)used, ".%s",
			event->unit_masks[chaos_random(random,
						       event->num_unit_masks)]
				.name);
	if (!chaos_random(random, 3))
		used += snprintf(text + used, 200u - (unsigned)used,
				 ",threshold=%u",
				 (unsigned)chaos_random(random, 4));
	if (!chaos_random(random, 4))
		used += snprintf(text + used, 200u - (unsigned)used, ",invert");
	if (!chaos_random(random, 4))
		used += snprintf(text + used, 200u - (unsigned)used,
				 ",edge_detect");
	snprintf(text + used, 200u - (unsigned)used, "/");
}

static void stop_counting(struct chaos *chaos)
{
	if (chaos->session)
		uncore_session_close(chaos->session);
	chaos->session = NULL;
	for (unsigned i = 0; i < chaos->num_events; i++)
		uncore_event_free(chaos->events[i]);
	chaos->num_events = 0;
}

/* As many events as fit together, out of some that come up. */
void chaos_count(struct chaos *chaos)
{
	const struct uncore_family *family =
		uncore_target_family(chaos->target);
	char text[200], *error = NULL;

	stop_counting(chaos);
	for (unsigned i = 0; i < CHAOS_MAX_EVENTS; i++) {
		struct uncore_event **event = &chaos->events[chaos->num_events];
		struct uncore_plan *plan;

		write_event(chaos, text);
		if (uncore_event_parse(family, text, event, &error)) {
			free(error);
			continue;
		}
		if (uncore_session_can_count(chaos->target, *event, &error) ||
		    uncore_plan_new(family, chaos->events,
				    chaos->num_events + 1, &plan, &error)) {
			free(error);
			uncore_event_free(*event);
			continue;
		}
		uncore_plan_free(plan);
		chaos->num_events++;
	}
	if (uncore_session_open(chaos->target, chaos->events, chaos->num_events,
				&chaos->session, &error) ||
	    uncore_session_start(chaos->session, &error)) {
		free(error);
		stop_counting(chaos);
	}
}

/* A write to any register of any socket, of any value. */
static void write_register(struct chaos *chaos)
{
	const struct uc_family *family = chaos->model->family;
	uint64_t value = chaos_random(&chaos->random, UINT64_MAX);
	unsigned shift = (unsigned)chaos_random(&chaos->random, 64);
	uint32_t address =
		family->registers[chaos_random(&chaos->random,
					       family->num_registers)]
			.address;

	uncore_model_write(
		chaos->model,
		(unsigned)chaos_random(&chaos->random, chaos->plan.sockets),
		address, value >> shift);
}

void chaos_disturb(struct chaos *chaos)
{
	struct uncore_model_pmi pmi;

	while (uncore_model_take_pmi(chaos->model, &pmi))
		continue;
	switch (chaos_random(&chaos->random, 16)) {
	case 0: chaos_count(chaos); break;
	case 1: stop_counting(chaos); break;
	case 2:
		for (unsigned i = 0; i < 50; i++)
			write_register(chaos);
		break;
	default: break;
	}
}
