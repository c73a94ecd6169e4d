/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of a model in this process: the one file that joins the library
 * and the model. A model has a PMU for each slice of a schedule.
 */
#include "uncore/model.h"

#include <stdlib.h>

#include "access/access.h"

_Static_assert(
	(unsigned)ACCESS_NUM_CLASSES == UNCORE_MODEL_CLASSES &&
		(unsigned)ACCESS_WINDOW_ENDS == UNCORE_MODEL_WINDOW_ENDS &&
		(unsigned)ACCESS_WINDOW_BEGINS == UNCORE_MODEL_WINDOW_BEGINS &&
		(unsigned)ACCESS_REST_BEGINS == UNCORE_MODEL_REST_BEGINS &&
		(unsigned)ACCESS_REST_ENDS == UNCORE_MODEL_REST_ENDS,
	"both sides have the same words");

struct place {
	struct uncore_model *model;
	unsigned pmu;
};

static int model_read(void *context, unsigned socket, uint64_t address,
		      uint64_t *value)
{
	const struct place *place = context;

	return uncore_model_pmu_read(place->model, place->pmu, socket, address,
				     value);
}

static int model_write(void *context, unsigned socket, uint64_t address,
		       uint64_t value)
{
	const struct place *place = context;

	return uncore_model_pmu_write(place->model, place->pmu, socket, address,
				      value);
}

static bool model_counts(void *context, const char *box, const char *event,
			 const char *unit_mask, unsigned port)
{
	const struct place *place = context;

	return uncore_model_is_modelled(place->model, box, event, unit_mask,
					port);
}

/* Its registers are there all the same. */
static bool model_absent(void *context, unsigned socket, uint64_t address)
{
	const struct place *place = context;

	return !uncore_model_has_box(place->model, socket, address);
}

static const char *model_missing(void *context, unsigned socket,
				 uint64_t address)
{
	return model_absent(context, socket, address)
		       ? "the machine has no such box"
		       : NULL;
}

static int model_batch(void *context, struct uncore_target_op *ops, size_t num,
		       uint64_t *cycle)
{
	const struct place *place = context;

	for (size_t i = 0; i < num; i++) {
		struct uncore_target_op *op = &ops[i];

		op->code = op->is_write ? model_write(context, op->socket,
						      op->address, op->value)
					: model_read(context, op->socket,
						     op->address, &op->value);
	}
	*cycle = uncore_model_cycle(place->model);
	return 0;
}

/* Its time passes by uncore_model_run(), and not by itself. */
static int model_status(void *context, struct uncore_target_status *status)
{
	const struct place *place = context;

	*status = (struct uncore_target_status){
		.cycle = uncore_model_cycle(place->model),
		.clock_hz = uncore_model_clock_hz(place->model),
		.is_stepped = true,
	};
	return 0;
}

static int model_step(void *context, uint64_t cycles)
{
	const struct place *place = context;

	uncore_model_run(place->model, cycles);
	return 0;
}

static void handle(void *context, const struct uncore_model_pmi *pmi)
{
	const struct access_pmi *to = context;

	to->handler(to->context, pmi->socket, pmi->core, pmi->cycle);
}

static int model_on_pmi(void *context, const struct access_pmi *pmi)
{
	const struct place *place = context;

	uncore_model_on_pmi(place->model, pmi ? handle : NULL, (void *)pmi);
	return 0;
}

static uint64_t model_requester(void *context, unsigned socket,
				uint64_t address)
{
	const struct place *place = context;

	return uncore_model_requester(place->model, place->pmu, socket,
				      address);
}

static void model_on_window(void *context, access_window_fn *fn, void *to)
{
	const struct place *place = context;

	uncore_model_on_window(place->model, fn, to);
}

static bool model_classes(void *context, uint64_t *classes)
{
	const struct place *place = context;

	return uncore_model_classes(place->model, classes);
}

static uint64_t model_skipped(void *context)
{
	const struct place *place = context;

	return uncore_model_skipped(place->model);
}

static const char *model_needs_detail(void *context, uint64_t *accesses)
{
	const struct place *place = context;

	return uncore_model_needs_detail(place->model, accesses);
}

static struct uncore_target *model_beside(void *context, unsigned pmu);

static const struct access_ops model_ops = {
	.name = "model",
	.read = model_read,
	.write = model_write,
	.batch = model_batch,
	.on_pmi = model_on_pmi,
	.status = model_status,
	.step = model_step,
	.counts = model_counts,
	.missing = model_missing,
	.absent = model_absent,
	.requester = model_requester,
	.beside = model_beside,
	.on_window = model_on_window,
	.classes = model_classes,
	.skipped = model_skipped,
	.needs_detail = model_needs_detail,
	.close = free,
};

static struct uncore_target *new_target(struct uncore_model *model,
					unsigned pmu)
{
	const struct uncore_family *family =
		uncore_family_find(uncore_model_family(model));
	struct place *place = malloc(sizeof(*place));
	struct uncore_target *target = NULL;

	if (family && place && !uncore_model_pmus(model, pmu + 1)) {
		*place = (struct place){ model, pmu };
		target = uc_access_new(&model_ops, place, family,
				       uncore_model_sockets(model));
	}
	if (!target)
		free(place);
	return target;
}

static struct uncore_target *model_beside(void *context, unsigned pmu)
{
	const struct place *place = context;

	return new_target(place->model, pmu);
}

struct uncore_target *uncore_target_model(struct uncore_model *model)
{
	return new_target(model, 0);
}
