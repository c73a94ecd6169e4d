/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the copies of a slice and of its cores hold, for --check; see
 * model/truth/values.h. The slice's copy keeps the version that it was filled
 * with or that a core gave back; a core's copy is the slice's, or, once the
 * core has written to it, the one that it made itself. A core that the slice
 * asks can write no more, so what it will answer is known when it is asked.
 */
#include "model/box/cbox.h"

#include <stdlib.h>

#include "model/box/core.h"
#include "model/box/socket.h"

int cbox_values_init(struct cbox *cbox)
{
	struct llc *llc = &cbox->llc;
	llc->values = calloc(llc_num_entries(llc), sizeof(*llc->values));
	return llc->values ? 0 : -1;
}

static uint32_t *value_of(struct cbox *cbox, const struct llc_way *way)
{
	return &cbox->llc.values[llc_entry(&cbox->llc, way)];
}

uint32_t cbox_value_recall(struct cbox *cbox, const struct llc_way *way,
			   uint64_t line)
{
	struct socket *socket = cbox->socket;
	uint32_t *value = value_of(cbox, way);

	if (way->is_core_dirty && way->cores)
		*value = values_of_owner(
			socket->values, line,
			socket->cores[__builtin_ctz(way->cores)].number);
	return *value;
}

void cbox_value_write(struct cbox *cbox, const struct llc_way *way,
		      uint64_t line, unsigned core)
{
	struct socket *socket = cbox->socket;

	values_write_to(socket->values, line, socket->cores[core].number,
			cbox_value_recall(cbox, way, line),
			sim_now(socket->sim));
}

/* A load has its data with this. Stores write later, and are looked at then. */
static void look_at(struct cbox *cbox, const struct cbox_maf *maf,
		    uint32_t value)
{
	struct socket *socket = cbox->socket;
	const struct core *core = &socket->cores[maf->core];

	if (maf->kind == UNCORE_ACCESS_READ || maf->kind == UNCORE_ACCESS_CODE)
		values_read(socket->values, maf->line, core->number,
			    core->misses[maf->entry].floor, value,
			    sim_now(socket->sim));
}

void cbox_value_data(struct cbox *cbox, unsigned index, uint32_t value)
{
	struct cbox_maf *maf = &cbox->maf[index];

	maf->value = value;
	look_at(cbox, maf, value);
}

void cbox_value_fill(struct cbox *cbox, const struct cbox_maf *maf,
		     const struct llc_way *way)
{
	struct socket *socket = cbox->socket;

	*value_of(cbox, way) = maf->value;
	if (maf->kind == UNCORE_ACCESS_OWN)
		values_write_to(socket->values, maf->line,
				socket->cores[maf->core].number, maf->value,
				sim_now(socket->sim));
}

void cbox_value_read(struct cbox *cbox, const struct cbox_maf *maf)
{
	const struct llc_way *way = llc_find(&cbox->llc, maf->line);

	if (way)
		look_at(cbox, maf, *value_of(cbox, way));
}
