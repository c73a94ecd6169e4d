/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What must be true of a machine at rest: nothing is under way in any box, so
 * every credit is back where it began, and what was written last is in a cache
 * or in memory.
 */
#include "model/check.h"

#include <stddef.h>

#include "model/box/ioh_parts.h"
#include "model/model.h"

static const char *check_sbox(const struct socket *socket,
			      const struct sbox *sbox)
{
	unsigned tracker = socket_param(socket, PARAM_BBOX_TRACKER) /
			   (SOCKET_SIDES * socket->num_sockets);

	for (unsigned n = 0; n < SBOX_MAX_NODES; n++)
		if (sbox->tracker_credits[n] != tracker)
			return "a tracker credit of an S-Box is lost";
	for (unsigned c = 0; c < socket->num_cores / 2; c++)
		if (sbox->ipq_credits[c] !=
		    socket_param(socket, PARAM_CBOX_IPQ))
			return "an IPQ credit of an S-Box is lost";
	if (sbox->b_vna_free != socket_param(socket, PARAM_SBOX_BBOX_VNA))
		return "a VNA credit of an S-Box for its B-Box is lost";
	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++)
		if (sbox->b_vn0_is_used[cls])
			return "a VN0 credit of an S-Box for its B-Box is lost";
	return NULL;
}

static const char *check_core(const struct socket *socket,
			      const struct core *core)
{
	if (core->snoops)
		return "a core at rest has snoops to answer";
	if (core->spoof_credits !=
	    socket_param(socket, PARAM_CORE_SPOOF_CREDITS))
		return "a spoof credit of a core is lost";
	if (core->idf.credits + core->idf.num_back !=
	    socket_param(socket, PARAM_CORE_BL_CREDITS))
		return "a BL credit of a core is lost";
	return NULL;
}

static const char *check_ioh(const struct socket *socket)
{
	const struct ioh *ioh = socket->ioh;

	for (unsigned n = 0; ioh && n < IOH_MAX_HOMES; n++)
		if (ioh->credits[n] != socket_param(socket, PARAM_IO_TRACKER))
			return "a tracker credit of an I/O hub is lost";
	return NULL;
}

static const char *check_socket(const struct socket *socket)
{
	const char *wrong = check_ioh(socket);
	unsigned port;

	for (unsigned side = 0; !wrong && side < SOCKET_SIDES; side++)
		wrong = check_sbox(socket, &socket->sboxes[side]);
	for (unsigned i = 0; !wrong && i < socket->num_cores; i++)
		wrong = check_core(socket, &socket->cores[i]);
	for (unsigned i = 0; !wrong && i < socket->num_cores; i++)
		if (socket->cboxes[i].s_credits !=
		    (int)socket_param(socket, PARAM_CBOX_S_CREDITS))
			wrong = "a credit of a C-Box for its S-Box is lost";
	if (!wrong && !rbox_credits_are_back(socket->rbox, &port))
		wrong = "a credit of an R-Box port is lost";
	return wrong;
}

static bool is_modified_somewhere(const struct uncore_model *model,
				  uint64_t line)
{
	unsigned slice = llc_slice(line, model->num_cores);

	for (unsigned i = 0; i < model->num_sockets; i++) {
		const struct llc_way *way =
			llc_find(&model->sockets[i]->cboxes[slice].llc, line);

		if (way && model_is_modified(way))
			return true;
	}
	return false;
}

static void check_memory(struct uncore_model *model)
{
	struct values_line line;
	size_t place = 0;

	while (values_next(model->values, &place, &line))
		if (line.memory != line.latest &&
		    !is_modified_somewhere(model, line.line))
			model_violate(
				model,
				model_error("check: version %u of line 0x%llx "
					    "is lost, memory has %u: cycle "
					    "%llu",
					    line.latest,
					    (unsigned long long)line.line,
					    line.memory,
					    (unsigned long long)model->now));
}

void model_check_rest(struct uncore_model *model)
{
	for (unsigned i = 0; i < model->num_sockets; i++)
		if (!socket_is_settled(model->sockets[i]))
			return;
	for (unsigned i = 0; !model->ex && i < model->num_sockets; i++) {
		const char *wrong = check_socket(model->sockets[i]);

		if (wrong)
			model_violate(
				model,
				model_error("check: %s: socket %u, cycle "
					    "%llu",
					    wrong, i,
					    (unsigned long long)model->now));
	}
	check_memory(model);
}
