/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 */
#include "model/box/copies.h"

#include <stdlib.h>

static uint32_t *value_of(struct copies_line line)
{
	return &line.llc->values[llc_entry(line.llc, line.way)];
}

uint32_t copies_recall_checked(struct copies_line line)
{
	const struct llc_way *way = line.way;
	struct socket *socket = line.socket;
	uint32_t *value = value_of(line);

	if (way->is_core_dirty && way->cores)
		*value = values_of_owner(
			socket->values, line.line,
			socket->cores[__builtin_ctz(way->cores)].number);
	return *value;
}

void copies_write_checked(struct copies_access access)
{
	struct socket *socket = access.at.socket;

	values_write_to(socket->values, access.at.line, access.core,
			copies_recall(access.at), sim_now(socket->sim));
}

void copies_read_checked(struct copies_access access, uint32_t value)
{
	struct socket *socket = access.at.socket;

	values_read(socket->values, access.at.line, access.core, access.oldest,
		    value, sim_now(socket->sim));
}

void copies_fill_checked(struct copies_access access, uint32_t value)
{
	struct socket *socket = access.at.socket;

	*value_of(access.at) = value;
	if (access.kind == UNCORE_ACCESS_OWN)
		values_write_to(socket->values, access.at.line, access.core,
				value, sim_now(socket->sim));
	else
		copies_read(access, value);
}

void copies_take(const struct socket *socket, unsigned cores, uint64_t line,
		 bool downgrade, bool is_victim)
{
	struct uncore_traffic *traffic = socket->traffic;

	if (!traffic->invalidate || (traffic->decides_owners && !is_victim))
		return;
	for (; cores; cores &= cores - 1) {
		unsigned core = (unsigned)__builtin_ctz(cores);

		traffic->invalidate(traffic->context,
				    socket->cores[core].number, line,
				    downgrade);
	}
}

bool copies_init(const struct socket *socket, struct llc *llc)
{
	if (!socket->values)
		return true;
	llc->values = calloc(llc_num_entries(llc), sizeof(*llc->values));
	return llc->values;
}
