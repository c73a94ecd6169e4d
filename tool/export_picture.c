/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A drawing is fed with what was counted since the sweep before. An event that
 * had no turn meanwhile goes on as in its last one.
 */
#include "export_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "event_set.h"
#include "machine.h"
#include "picture.h"
#include "tool.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

int export_picture_events(struct event_set *set)
{
	const struct picture_kind *kind = picture_kind_of(set->family);
	int status = TOOL_OK;

	for (unsigned i = 0; kind && i < kind->num_events && !status; i++)
		if (!event_set_has(set, kind->events[i]))
			status = event_set_add(set, kind->events[i]);
	return status;
}

static int slot_of(const struct picture_kind *kind,
		   const struct uncore_event *event)
{
	for (unsigned i = 0; i < kind->num_events; i++)
		if (!strcmp(uncore_event_text(event), kind->events[i]))
			return (int)i;
	return -1;
}

/* Of registers elsewhere it is known which processor has them and how many
 * there are; how they are wired is taken from a model of such a machine. */
static int describe(struct picture *drawing, const struct subject *subject)
{
	char sockets[12];
	struct machine_settings settings = {
		.machine = uncore_family_name(
			uncore_target_family(subject->target)),
		.sockets = sockets,
	};
	struct uncore_model *model;
	int status;

	if (subject->model)
		return picture_describe(drawing, &subject->settings->machine,
					subject->model);
	snprintf(sockets, sizeof(sockets), "%u",
		 uncore_target_sockets(subject->target));
	status = machine_model(&settings, &(struct machine_how){ 0 }, &model);
	if (status)
		return status;
	status = picture_describe(drawing, &settings, model);
	return machine_free(model, status);
}

/* Several rooms are needed for several sockets of a model: no more than a
 * drawing has room for. */
static bool can_draw(const struct export_view *view)
{
	const struct uncore_family *family = view->watch->counting.set.family;
	const struct subject *subject = &view->watch->counting.subject;

	return picture_kind_of(family) && uncore_family_has_model(family) &&
	       uncore_target_sockets(subject->target) <= PICTURE_SOCKETS;
}

static int open_drawing(struct export_picture *picture)
{
	const struct watch *watch = picture->view->watch;
	const struct subject *subject = &watch->counting.subject;
	struct picture *drawing = calloc(1, sizeof(*drawing));
	int status;

	picture->drawing = drawing;
	picture->slots = calloc(watch->num_counts + 1, sizeof(int));
	picture->speeds = calloc(watch->num_counts + 1, sizeof(double));
	if (!drawing || !picture->slots || !picture->speeds)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	drawing->kind = picture_kind_of(watch->counting.set.family);
	drawing->seconds = 1e-9; /* nothing has passed */
	for (size_t i = 0; i < watch->num_counts; i++)
		picture->slots[i] =
			slot_of(drawing->kind, watch->counts[i].event);
	status = describe(drawing, subject);
	drawing->machine = uncore_family_title(watch->counting.set.family);
	drawing->what = tool_print("%s", subject->what);
	if (!status && !drawing->what)
		status = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	return status;
}

int export_picture_open(struct export_picture *picture,
			const struct export_view *view, bool with_drawing)
{
	*picture = (struct export_picture){ .view = view };
	if (with_drawing && can_draw(view))
		return open_drawing(picture);
	picture->fullest = calloc(export_bars_rows(view) + 1, sizeof(double));
	return picture->fullest ? TOOL_OK
				: tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
}

void export_picture_close(struct export_picture *picture)
{
	if (picture->drawing)
		free(picture->drawing->what);
	free(picture->drawing);
	free(picture->slots);
	free(picture->speeds);
	free(picture->fullest);
	*picture = (struct export_picture){ 0 };
}

void export_picture_take(struct export_picture *picture)
{
	const struct watch *watch = picture->view->watch;
	double seconds = watch->since.seconds;

	if (!picture->drawing) {
		export_bars_take(picture->view, picture->fullest);
		return;
	}
	if (!(seconds > 0)) /* it has ended: what was there stays */
		return;
	picture->drawing->seconds = seconds;
	for (size_t i = 0; i < watch->num_counts; i++)
		if (!isnan(watch->counts[i].growth))
			picture->speeds[i] = watch->counts[i].growth / seconds;
}

static void draw(const struct export_picture *picture, FILE *file)
{
	const struct watch *watch = picture->view->watch;
	struct picture_counts *counted =
		calloc(PICTURE_SOCKETS, sizeof(*counted));

	if (!counted)
		return;
	for (size_t i = 0; i < watch->num_counts; i++) {
		const struct watch_count *count = &watch->counts[i];

		if (picture->slots[i] >= 0 && count->valid &&
		    count->socket < PICTURE_SOCKETS &&
		    count->instance < PICTURE_CORES)
			counted[count->socket]
				.value[picture->slots[i]][count->instance] =
				picture->speeds[i] * picture->drawing->seconds;
	}
	picture_fill_counts(picture->drawing, counted);
	picture_draw(picture->drawing, file);
	free(counted);
}

void export_picture_draw(struct export_picture *picture, FILE *file)
{
	if (picture->drawing)
		draw(picture, file);
	else
		export_bars_draw(picture->view, picture->fullest, file);
}
