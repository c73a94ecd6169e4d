/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What all ways to the registers have in common.
 */
#include "access/access.h"

#include <stdlib.h>

#include "uncore/error.h"

struct uncore_target *access_new(const struct access_ops *ops, void *context,
				 const struct uncore_family *family,
				 unsigned num_sockets)
{
	struct uncore_target *target = calloc(1, sizeof(*target));

	if (!target)
		return NULL;
	*target = (struct uncore_target){
		.ops = ops,
		.context = context,
		.family = family,
		.num_sockets = num_sockets,
	};
	return target;
}

bool access_counts(const struct uncore_target *target, const char *box,
		   const char *event, const char *unit_mask, unsigned port)
{
	return !target->ops->counts ||
	       target->ops->counts(target->context, box, event, unit_mask,
				   port);
}

void uncore_target_free(struct uncore_target *target)
{
	if (!target)
		return;
	if (target->ops->close)
		target->ops->close(target->context);
	free(target);
}

const char *uncore_target_origin(const struct uncore_target *target)
{
	return target->ops->name;
}

const struct uncore_family *
uncore_target_family(const struct uncore_target *target)
{
	return target->family;
}

unsigned uncore_target_sockets(const struct uncore_target *target)
{
	return target->num_sockets;
}

int uncore_target_read(struct uncore_target *target, unsigned socket,
		       uint32_t address, uint64_t *value)
{
	if (socket >= target->num_sockets)
		return UNCORE_ERR_SOCKET;
	return target->ops->read(target->context, socket, address, value);
}

int uncore_target_write(struct uncore_target *target, unsigned socket,
			uint32_t address, uint64_t value)
{
	if (socket >= target->num_sockets)
		return UNCORE_ERR_SOCKET;
	return target->ops->write(target->context, socket, address, value);
}
