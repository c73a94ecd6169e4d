/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/nehalem-ex/copies.h"

#include "model/box/cbox.h"
#include "model/box/socket.h"

uint32_t copies_recall(struct floor *floor, struct slice *slice,
		       const struct llc_way *way, uint64_t line)
{
	if (!floor->socket->values)
		return 0;
	return cbox_value_recall(&floor->socket->cboxes[slice->index], way,
				 line);
}

void copies_write(const struct access *access, const struct llc_way *way)
{
	struct socket *socket = access->here->socket;

	if (socket->values)
		cbox_value_write(&socket->cboxes[access->slice->index], way,
				 access->line, access->core->index);
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
	struct llc *llc = access->slice->llc;

	if (!socket->values)
		return;
	llc->values[llc_entry(llc, way)] = value;
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
