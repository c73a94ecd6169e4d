/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a frozen PMU shows: which boxes have seen an overflow, from the global
 * status down to the box (guide, 2.1.4), and what the counters hold.
 */
#include "session/sampler.h"

#include <stdlib.h>

#include "access/access.h"
#include "session/session.h"
#include "uncore/error.h"

static bool is_status(const struct uncore_sampler *sampler,
		      const struct uc_register *reg)
{
	return session_tells(sampler->session, reg) ||
	       reg->role == UC_ROLE_SUMMARY;
}

static int read_status(struct uncore_sampler *sampler,
		       struct sampler_socket *socket,
		       const struct uc_register *reg)
{
	uint64_t value = 0;
	int code;

	batch_read(&socket->batch, socket->socket, reg);
	code = sampler_run(socket, NULL);
	if (code)
		return code;
	value = socket->batch.ops[0].value;
	if (!value)
		return 0;
	sampler->states[sampler->num_states++] = (struct uncore_state){
		.kind = UNCORE_STATE_STATUS,
		.socket = socket->socket,
		.box = family_row(sampler->target->family)
			       ->boxes[reg->box]
			       .name,
		.instance = reg->instance,
		.name = reg->name,
		.value = value,
	};
	return 0;
}

static void add_counts(struct uncore_sampler *sampler,
		       const struct sampler_socket *socket)
{
	for (size_t i = 0; i < sampler->num_counters; i++) {
		const struct sampler_counter *counter = &socket->counters[i];

		sampler->states[sampler->num_states++] = (struct uncore_state){
			.kind = UNCORE_STATE_COUNT,
			.socket = socket->socket,
			.box = uncore_event_box(counter->event),
			.instance = counter->instance,
			.name = uncore_event_text(counter->event),
			.value = counter->counted * counter->multiplier,
		};
	}
}

int sampler_keep_state(struct uncore_sampler *sampler)
{
	const struct uc_family *family = family_row(sampler->target->family);
	int code = 0;

	sampler->states = calloc(sampler->num_sockets * (sampler->num_counters +
							 family->num_registers),
				 sizeof(*sampler->states));
	if (!sampler->states)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < sampler->num_sockets && !code; i++) {
		struct sampler_socket *socket = &sampler->sockets[i];

		for (unsigned r = 0; r < family->num_registers && !code; r++)
			if (is_status(sampler, &family->registers[r]))
				code = read_status(sampler, socket,
						   &family->registers[r]);
		if (!code)
			add_counts(sampler, socket);
	}
	return code;
}

bool uncore_sampler_state(const struct uncore_sampler *sampler, size_t index,
			  struct uncore_state *state)
{
	if (index >= sampler->num_states)
		return false;
	*state = sampler->states[index];
	return true;
}
