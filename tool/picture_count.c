/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is counted for a picture, and what it says about the boxes that all
 * kinds have. How busy a box was is its count over what it could have done in
 * the time: see the rows of `busy`, and the legend of the picture.
 */
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "tool.h"
#include "uncore/uncore.h"

enum { RING_MESSAGES = 7 }; /* of a C-Box or CBo and its core in one cycle */

/* The kind whose first event the family has. */
static const struct picture_kind *kind_of(const struct uncore_family *family)
{
	struct uncore_event *event = NULL;

	if (uncore_event_parse(family, picture_ep.events[0], &event, NULL))
		return &picture_ex;
	uncore_event_free(event);
	return &picture_ep;
}

int picture_open(struct picture *picture, struct uncore_target *target,
		 struct uncore_session **session)
{
	const struct uncore_family *family = uncore_target_family(target);
	const struct picture_kind *kind = kind_of(family);
	struct uncore_event **parsed = picture->events;
	char *error = NULL;
	int code = 0;

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
	for (unsigned i = 0; i < picture->num_sockets; i++)
		fill_socket(picture, &picture->sockets[i], &counted[i]);
	free(counted);
}
