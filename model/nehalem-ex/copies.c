/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/nehalem-ex/copies.h"

#include "model/box/socket.h"

static uint32_t *value_of(struct slice *slice, const struct llc_way *way)
{
	return &slice->llc.values[llc_entry(&slice->llc, way)];
}

uint32_t copies_recall(struct slice *slice, const struct llc_way *way,
		       uint64_t line)
{
	struct socket *socket = slice->floor->socket;
	uint32_t *value;

	if (!socket->values)
		return 0;
	value = value_of(slice, way);
	if (way->is_core_dirty && way->cores)
		*value = values_of_owner(
			socket->values, line,
			socket->cores[__builtin_ctz(way->cores)].number);
	return *value;
}

void copies_write(const struct access *access, const struct llc_way *way)
{
	struct socket *socket = access->here->socket;

	if (socket->values)
		values_write_to(socket->values, access->line,
				access->core->number,
				copies_recall(access->slice, way, access->line),
				ex_now(access->ex));
}

void copies_read(const struct access *access, uint32_t value)
{
	struct socket *socket = access->here->socket;

	if (socket->values && core_is_load(access->kind))
		values_read(socket->values, access->line, access->core->number,
			    access->oldest, value, ex_now(access->ex));
}

void copies_fill(const struct access *access, const struct llc_way *way,
		 uint32_t value)
{
	struct socket *socket = access->here->socket;

	if (!socket->values)
		return;
	*value_of(access->slice, way) = value;
	if (access->kind == UNCORE_ACCESS_OWN)
		values_write_to(socket->values, access->line,
				access->core->number, value,
				ex_now(access->ex));
	else
		copies_read(access, value);
}

void copies_take(struct floor *floor, unsigned cores, uint64_t line,
		 bool downgrade, bool is_victim)
{
	struct socket *socket = floor->socket;
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
