/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of a model in this process: the one file that joins the library
 * and the model.
 */
#include "uncore/model.h"

#include <stdlib.h>

#include "access/access.h"

static int model_read(void *context, unsigned socket, uint32_t address,
		      uint64_t *value)
{
	return uncore_model_read(context, socket, address, value);
}

static int model_write(void *context, unsigned socket, uint32_t address,
		       uint64_t value)
{
	return uncore_model_write(context, socket, address, value);
}

static bool model_counts(void *context, const char *box, const char *event,
			 const char *unit_mask, unsigned port)
{
	return uncore_model_is_modelled(context, box, event, unit_mask, port);
}

static int model_batch(void *context, struct uncore_target_op *ops, size_t num,
		       uint64_t *cycle)
{
	for (size_t i = 0; i < num; i++) {
		struct uncore_target_op *op = &ops[i];

		op->code = op->is_write
				   ? uncore_model_write(context, op->socket,
							op->address, op->value)
				   : uncore_model_read(context, op->socket,
						       op->address, &op->value);
	}
	*cycle = uncore_model_cycle(context);
	return 0;
}

/* Its time passes by uncore_model_run(), and not by itself. */
static int model_status(void *context, struct uncore_target_status *status)
{
	*status = (struct uncore_target_status){
		.cycle = uncore_model_cycle(context),
		.clock_hz = uncore_model_clock_hz(context),
		.is_stepped = true,
	};
	return 0;
}

static int model_step(void *context, uint64_t cycles)
{
	uncore_model_run(context, cycles);
	return 0;
}

static void handle(void *context, const struct uncore_model_pmi *pmi)
{
	const struct access_pmi *to = context;

	to->handler(to->context, pmi->socket, pmi->core, pmi->cycle);
}

static int model_on_pmi(void *context, const struct access_pmi *pmi)
{
	uncore_model_on_pmi(context, pmi ? handle : NULL, (void *)pmi);
	return 0;
}

/* Another PMU of the model's. */
struct beside {
	struct uncore_model *model;
	unsigned pmu;
};

static int beside_read(void *context, unsigned socket, uint32_t address,
		       uint64_t *value)
{
	const struct beside *beside = context;

	return uncore_model_pmu_read(beside->model, beside->pmu, socket,
				     address, value);
}

static int beside_write(void *context, unsigned socket, uint32_t address,
			uint64_t value)
{
	const struct beside *beside = context;

	return uncore_model_pmu_write(beside->model, beside->pmu, socket,
				      address, value);
}

static int beside_batch(void *context, struct uncore_target_op *ops, size_t num,
			uint64_t *cycle)
{
	const struct beside *beside = context;

	for (size_t i = 0; i < num; i++) {
		struct uncore_target_op *op = &ops[i];

		op->code = op->is_write
				   ? beside_write(context, op->socket,
						  op->address, op->value)
				   : beside_read(context, op->socket,
						 op->address, &op->value);
	}
	*cycle = uncore_model_cycle(beside->model);
	return 0;
}

static int beside_status(void *context, struct uncore_target_status *status)
{
	const struct beside *beside = context;

	return model_status(beside->model, status);
}

static bool beside_counts(void *context, const char *box, const char *event,
			  const char *unit_mask, unsigned port)
{
	const struct beside *beside = context;

	return model_counts(beside->model, box, event, unit_mask, port);
}

static const struct access_ops beside_ops = {
	.name = "model",
	.read = beside_read,
	.write = beside_write,
	.batch = beside_batch,
	.status = beside_status,
	.counts = beside_counts,
	.close = free,
};

static struct uncore_target *model_beside(void *context, unsigned pmu)
{
	struct uncore_model *model = context;
	struct beside *beside = malloc(sizeof(*beside));
	struct uncore_target *target = NULL;

	if (beside && !uncore_model_pmus(model, pmu + 1)) {
		*beside = (struct beside){ model, pmu };
		target = access_new(
			&beside_ops, beside,
			uncore_family_find(uncore_model_machine(model)),
			uncore_model_sockets(model));
	}
	if (!target)
		free(beside);
	return target;
}

static const struct access_ops model_ops = {
	.name = "model",
	.read = model_read,
	.write = model_write,
	.batch = model_batch,
	.on_pmi = model_on_pmi,
	.status = model_status,
	.step = model_step,
	.counts = model_counts,
	.beside = model_beside,
};

struct uncore_target *uncore_target_model(struct uncore_model *model)
{
	const struct uncore_family *family =
		uncore_family_find(uncore_model_machine(model));

	if (!family)
		return NULL;
	return access_new(&model_ops, model, family,
			  uncore_model_sockets(model));
}
