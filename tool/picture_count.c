/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is counted for a picture, and what it says about the boxes that all
 * kinds have. How busy a box was is its count over what it could have done in
 * the time: see the rows of `busy`, and the legend of the picture.
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "picture.h"
#include "tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

enum { RING_MESSAGES = 7 }; /* of a C-Box or CBo and its core in one cycle */

static double param_of(const struct uncore_model_config *config,
		       const char *name)
{
	struct uncore_model_param param;

	return machine_parameter(config, name, &param)
		       ? strtod(param.value, NULL)
		       : 0;
}

int picture_describe(struct picture *picture,
		     const struct machine_settings *settings,
		     const struct uncore_model *model)
{
	struct uncore_model_config *config;
	int status = machine_config(settings, &config);

	if (status)
		return status;
	picture->machine = uncore_model_machine(model);
	picture->num_sockets = uncore_model_sockets(model);
	picture->num_cores = uncore_model_cores(model);
	picture->clock_hz = uncore_model_clock_hz(model);
	picture->num_dimms = (unsigned)param_of(config, "dram.dimms");
	/* a flit is four transfers */
	picture->link_flits_per_s = param_of(config, "qpi.rate") * 1e9 / 4;
	uncore_model_config_free(config);
	for (unsigned i = 0; i < picture->num_sockets; i++)
		for (unsigned link = 0; link < PICTURE_LINKS; link++)
			picture->link_kinds[i][link] = uncore_model_link(
				model, i, link, &picture->peers[i][link],
				&picture->peer_links[i][link]);
	return TOOL_OK;
}

static bool has_event(const struct uncore_family *family, const char *text)
{
	struct uncore_event *event = NULL;
	char *error = NULL;
	bool has = !uncore_event_parse(family, text, &event, &error);

	free(error);
	uncore_event_free(event);
	return has;
}

static bool has_events(const struct uncore_family *family,
		       const struct picture_kind *kind)
{
	for (unsigned i = 0; i < kind->num_events; i++)
		if (!has_event(family, kind->events[i]))
			return false;
	return true;
}

const struct picture_kind *picture_kind_of(const struct uncore_family *family)
{
	if (has_events(family, &picture_ep))
		return &picture_ep;
	return has_events(family, &picture_ex) ? &picture_ex : NULL;
}

int picture_open(struct picture *picture, struct uncore_target *target,
		 struct uncore_session **session)
{
	const struct uncore_family *family = uncore_target_family(target);
	const struct picture_kind *kind = picture_kind_of(family);
	struct uncore_event **parsed = picture->events;
	char *error = NULL;
	int code = 0;

	if (!kind)
		return tool_fail(TOOL_USAGE, "there is no drawing of a %s",
				 uncore_family_title(family));
	picture->kind = kind;
	for (unsigned i = 0; i < kind->num_events && !code; i++)
		code = uncore_event_parse(family, kind->events[i], &parsed[i],
					  &error);
	if (!code)
		code = uncore_session_open(target, parsed, kind->num_events,
					   session, &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

void picture_number(char *text, size_t size, double value, const char *unit)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T" };
	unsigned prefix = 0;

	if (value == 0) {
		snprintf(text, size, "-");
		return;
	}
	while (value >= 999.5 && prefix < 4) {
		value /= 1000;
		prefix++;
	}
	snprintf(text, size, "%.*f %s%s",
		 value >= 100  ? 0
		 : value >= 10 ? 1
			       : 2,
		 value, prefixes[prefix], unit);
}

double picture_share(double part, double whole)
{
	double value = whole > 0 ? part / whole : 0;

	return value > 1 ? 1 : value;
}

static void fill_slices(const struct picture *p, struct picture_socket *s,
			const struct picture_counts *c, double cycles)
{
	double messages = 0;

	for (unsigned i = 0; i < p->num_cores; i++) {
		struct picture_part *core = &s->cores[i], *box = &s->cboxes[i];
		double hits = c->value[PICTURE_HITS][i];
		double misses = c->value[PICTURE_MISSES][i];
		double requests = c->value[PICTURE_REQUESTS][i];

		core->busy = picture_share(requests, cycles);
		picture_number(core->text, sizeof(core->text),
			       requests / p->seconds, "/s");
		snprintf(core->tip, sizeof(core->tip),
			 "Core %u: %.0f requests to the uncore", i, requests);
		box->busy = picture_share(hits + misses, cycles);
		snprintf(box->text, sizeof(box->text), "-");
		if (hits + misses > 0)
			snprintf(box->text, sizeof(box->text), "%.0f%% hit",
				 picture_share(hits, hits + misses) * 100);
		snprintf(box->tip, sizeof(box->tip),
			 "%s %u: %.0f hits, %.0f misses of its LLC slice; "
			 "%.2f under way on average",
			 p->kind->slice, i, hits, misses,
			 c->value[PICTURE_UNDER_WAY][i] / cycles);
		messages += c->value[PICTURE_MESSAGES][i];
	}
	s->ring.busy =
		picture_share(messages, cycles * p->num_cores * RING_MESSAGES);
	picture_number(s->ring.text, sizeof(s->ring.text),
		       messages / p->seconds, " messages/s");
	snprintf(s->ring.tip, sizeof(s->ring.tip),
		 "Rings: %.0f messages of cores and slices", messages);
}

static void fill_socket(const struct picture *p, struct picture_socket *s,
			const struct picture_counts *c)
{
	double cycles = c->value[PICTURE_CYCLES][0];
	double interrupts = c->value[PICTURE_INTERRUPTS][0];

	if (cycles < 1)
		cycles = 1;
	fill_slices(p, s, c, cycles);
	picture_number(s->ubox.text, sizeof(s->ubox.text),
		       interrupts / p->seconds, " int/s");
	s->ubox.busy = picture_share(interrupts, cycles);
	snprintf(s->ubox.tip, sizeof(s->ubox.tip),
		 "U-Box: %.0f interrupts sent to cores", interrupts);
	p->kind->fill(p, s, c, cycles);
}

void picture_fill_counts(struct picture *picture,
			 const struct picture_counts *counted)
{
	for (unsigned i = 0; i < picture->num_sockets; i++)
		fill_socket(picture, &picture->sockets[i], &counted[i]);
}

void picture_fill(struct picture *picture, const struct uncore_session *session)
{
	struct picture_counts *counted =
		calloc(PICTURE_SOCKETS, sizeof(*counted));
	struct uncore_count count;

	if (!counted)
		return;
	for (size_t i = 0; uncore_session_count(session, i, &count); i++)
		if (count.valid && count.instance < PICTURE_CORES &&
		    count.socket < PICTURE_SOCKETS)
			counted[count.socket]
				.value[count.event_index][count.instance] =
				(double)count.value;
	picture_fill_counts(picture, counted);
	free(counted);
}
