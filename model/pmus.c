/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The PMUs of a model: the one that each socket has, and as many beside it as
 * somebody wants, so that events which do not fit into one can be counted in
 * one run; their registers, and their interrupts.
 */
#include <math.h>
#include <stdlib.h>

#include "model/box/socket.h"
#include "model/model.h"
#include "uncore/error.h"

enum { MAX_PMIS = 65536 };

static void keep_pmi(void *context, unsigned socket, unsigned core,
		     uint64_t cycle)
{
	struct uncore_model *model = context;
	struct pmi_list *list = &model->pmis[socket];
	struct uncore_model_pmi pmi = { socket, core, cycle };

	if (model->on_pmi) {
		model->on_pmi(model->pmi_context, &pmi);
		return;
	}
	if (list->count == list->room) {
		size_t room = list->room ? list->room * 2 : 64;
		struct uncore_model_pmi *pmis;

		if (room > MAX_PMIS)
			return; /* nobody takes them */
		pmis = realloc(list->pmis, room * sizeof(*pmis));
		if (!pmis)
			return;
		list->pmis = pmis;
		list->room = room;
	}
	list->pmis[list->count++] = pmi;
}

static void complain(void *context, enum pmu_complaint kind, const char *text)
{
	struct uncore_model *model = context;

	(void)kind;
	if (model->log)
		model->log(model->log_context, text);
}

/* Of a rate in GT/s: 2 is 5.6, and each step 0.8 more (Xeon E5-2600 guide,
 * p. 94). */
static uint64_t rate_code(double rate)
{
	long code = lround((rate - 4.0) / 0.8);

	return code < 0 ? 0 : code > 7 ? 7 : (uint64_t)code;
}

static uint64_t bus_numbers(const struct uncore_model *model, unsigned socket)
{
	unsigned num = uncore_model_pci_buses(model);
	uint64_t numbers = 0;

	for (unsigned i = 0; i < num; i++)
		numbers |= (uint64_t)(uncore_model_pci_bus(model, socket) + 1 -
				      num + i)
			   << 8 * i;
	return numbers;
}

/* Registers that tell what this processor is. */
static void preset(struct pmu *pmu, const struct uncore_model *model,
		   unsigned socket)
{
	pmu_preset(pmu, "qpi_rate", rate_code(model->param[PARAM_QPI_RATE]));
	pmu_preset(pmu, "num_cha", model->num_slices);
	pmu_preset(pmu, "cha", (UINT64_C(1) << model->num_slices) - 1);
	pmu_preset(pmu, "cpubusno", bus_numbers(model, socket));
}

static struct pmu *new_pmu(struct uncore_model *model, struct socket *socket)
{
	struct pmu *made;
	struct pmu_config config = {
		.family = model->family,
		.sim = socket->sim,
		.socket = socket->index,
		.num_cores = model->num_cores,
		.pmi_delay_cycles =
			(unsigned)model->param[PARAM_PMU_DELAY_CYCLES],
		.strict = model->is_strict,
		.beside = socket->pmu,
		.pmi = keep_pmi,
		.complain = complain,
		.context = model,
	};

	for (unsigned i = 1; i < UC_MAX_CLOCKS && uc_clock_names[i]; i++)
		if (model->kind->clock)
			config.clocks[i] =
				model->kind->clock(socket, uc_clock_names[i]);
	made = pmu_new(&config);
	if (made)
		preset(made, model, socket->index);
	return made;
}

int pmus_make(struct uncore_model *model, unsigned index, unsigned num)
{
	struct socket *socket = model->sockets[index];
	struct pmu **pmus;

	if (num <= socket->num_pmus)
		return 0;
	pmus = realloc(socket->pmus, num * sizeof(*pmus));
	if (!pmus)
		return UNCORE_ERR_NO_MEMORY;
	socket->pmus = pmus;
	while (socket->num_pmus < num) {
		pmus[socket->num_pmus] = new_pmu(model, socket);
		if (!pmus[socket->num_pmus])
			return UNCORE_ERR_NO_MEMORY;
		socket->num_pmus++;
		socket->pmu = pmus[0];
	}
	return 0;
}

/* The first one last: the others listen to its signals. */
void pmus_free(struct socket *socket)
{
	while (socket->num_pmus)
		pmu_free(socket->pmus[--socket->num_pmus]);
	free(socket->pmus);
}

int uncore_model_pmus(struct uncore_model *model, unsigned num)
{
	int result = 0;

	for (unsigned i = 0; i < model->num_sockets && !result; i++)
		result = pmus_make(model, i, num);
	return result;
}

static struct pmu *find(const struct uncore_model *model, unsigned socket,
			unsigned pmu)
{
	if (socket >= model->num_sockets ||
	    pmu >= model->sockets[socket]->num_pmus)
		return NULL;
	return model->sockets[socket]->pmus[pmu];
}

int uncore_model_pmu_read(struct uncore_model *model, unsigned pmu,
			  unsigned socket, uint64_t address, uint64_t *value)
{
	struct pmu *found = find(model, socket, pmu);

	if (!found)
		return UNCORE_ERR_SOCKET;
	return pmu_read(found, address, value) ? UNCORE_ERR_GP : 0;
}

int uncore_model_pmu_write(struct uncore_model *model, unsigned pmu,
			   unsigned socket, uint64_t address, uint64_t value)
{
	struct pmu *found = find(model, socket, pmu);
	unsigned before = model_begin_write(model);
	int result;

	if (!found)
		return UNCORE_ERR_SOCKET;
	result = pmu_write(found, address, value);
	model_end_write(model, before);
	return result ? UNCORE_ERR_GP : 0;
}

uint64_t uncore_model_requester(struct uncore_model *model, unsigned pmu,
				unsigned socket, uint64_t address)
{
	struct pmu *found = find(model, socket, pmu);

	return found ? pmu_requester(found, address) : 0;
}

int uncore_model_keep_answers(struct uncore_model *model)
{
	if (!model->answers)
		model->answers = calloc(1, sizeof(*model->answers));
	for (unsigned i = 0; i < model->num_sockets; i++)
		model->sockets[i]->answers = model->answers;
	return model->answers ? 0 : UNCORE_ERR_NO_MEMORY;
}

void uncore_model_await_answer(struct uncore_model *model, uint64_t requester)
{
	if (model->answers)
		answers_await(model->answers, requester);
}

bool uncore_model_answer(struct uncore_model *model, uint64_t requester,
			 struct uncore_answer *answer)
{
	return model->answers &&
	       answers_take(model->answers, requester, answer);
}

int uncore_model_read(struct uncore_model *model, unsigned socket,
		      uint64_t address, uint64_t *value)
{
	return uncore_model_pmu_read(model, 0, socket, address, value);
}

int uncore_model_write(struct uncore_model *model, unsigned socket,
		       uint64_t address, uint64_t value)
{
	return uncore_model_pmu_write(model, 0, socket, address, value);
}

void uncore_model_on_pmi(struct uncore_model *model,
			 void (*handler)(void *context,
					 const struct uncore_model_pmi *pmi),
			 void *context)
{
	model->on_pmi = handler;
	model->pmi_context = context;
}

bool uncore_model_take_pmi(struct uncore_model *model,
			   struct uncore_model_pmi *pmi)
{
	struct pmi_list *oldest = NULL;

	for (unsigned i = 0; i < model->num_sockets; i++) {
		struct pmi_list *list = &model->pmis[i];

		if (list->first < list->count &&
		    (!oldest || list->pmis[list->first].cycle <
					oldest->pmis[oldest->first].cycle))
			oldest = list;
	}
	if (!oldest)
		return false;
	*pmi = oldest->pmis[oldest->first++];
	if (oldest->first == oldest->count)
		oldest->first = oldest->count = 0;
	return true;
}
