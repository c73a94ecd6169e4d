/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the boxes of a socket hold at this moment, by the signals that say so.
 * Signals that a box works out only while somebody counts them are as they were
 * when somebody last did.
 */
#include "model/model.h"
#include "model/pmu/pmu.h"
#include "model/pmu/signal.h"
#include "model/pmu/tap.h"

struct visit {
	void (*visit)(void *context, const struct uncore_model_level *level);
	void *context;
};

static void visit_signal(const struct visit *visit, const struct uc_box *box,
			 const struct uc_signal *row, unsigned instance,
			 struct sigbank *bank)
{
	for (unsigned i = 0; i < row->dim; i++) {
		for (unsigned port = 0; port < box->num_ports; port++) {
			unsigned id = (row->first + i) * box->num_ports + port;
			struct uncore_model_level level = {
				.box = box->name,
				.instance = instance,
				.name = row->name,
				.index = i,
				.num_indices = row->dim,
				.port = port,
				.num_ports = box->num_ports,
				.value = tap_level(bank, id),
			};

			if (bank->driven[id] && level.value)
				visit->visit(visit->context, &level);
		}
	}
}

static void visit_box(const struct visit *visit, struct pmu *pmu,
		      const struct uc_family *family, unsigned index)
{
	const struct uc_box *box = &family->boxes[index];

	for (unsigned n = 0; n < box->num_instances; n++) {
		struct sigbank *bank = pmu_bank(pmu, index, n);

		if (bank)
			tap_look(bank);
		for (unsigned i = 0; bank && i < box->num_signals; i++)
			if (uc_is_level(
				    (enum uc_signal_kind)box->signals[i].kind))
				visit_signal(visit, box, &box->signals[i], n,
					     bank);
	}
}

void uncore_model_levels(const struct uncore_model *model, unsigned socket,
			 void (*visit)(void *context,
				       const struct uncore_model_level *level),
			 void *context)
{
	const struct visit all = { visit, context };

	for (unsigned i = 0; i < model->family->num_boxes; i++)
		visit_box(&all, model->sockets[socket]->pmu, model->family, i);
}
