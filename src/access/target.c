/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What all ways to the registers have in common.
 */
#include "access/access.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "uncore/error.h"

struct uncore_target *uc_access_new(const struct access_ops *ops, void *context,
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

struct uncore_target *access_new_at(const struct access_ops *ops, void *context,
				    const struct uncore_family *family,
				    unsigned num_sockets, const char *place)
{
	struct uncore_target *target =
		uc_access_new(ops, context, family, num_sockets);

	if (target &&
	    asprintf(&target->origin, "%s:%s", ops->name, place) < 0) {
		free(target);
		return NULL;
	}
	if (target)
		target->places[0] = target->origin + strlen(ops->name) + 1;
	return target;
}

bool access_counts(const struct uncore_target *target, const char *box,
		   const char *event, const char *unit_mask, unsigned port)
{
	return !target->ops->counts ||
	       target->ops->counts(target->context, box, event, unit_mask,
				   port);
}

const char *access_missing(const struct uncore_target *target, unsigned socket,
			   uint64_t address)
{
	return target->ops->missing
		       ? target->ops->missing(target->context, socket, address)
		       : NULL;
}

bool access_absent(const struct uncore_target *target, unsigned socket,
		   uint64_t address)
{
	return target->ops->absent &&
	       target->ops->absent(target->context, socket, address);
}

double access_share(const struct uncore_target *target, unsigned socket,
		    uint64_t address)
{
	return target->ops->share
		       ? target->ops->share(target->context, socket, address)
		       : 1;
}

uint64_t access_requester(const struct uncore_target *target, unsigned socket,
			  uint64_t address)
{
	return target->ops->requester ? target->ops->requester(target->context,
							       socket, address)
				      : 0;
}

void uncore_target_free(struct uncore_target *target)
{
	if (!target)
		return;
	if (target->ops->close)
		target->ops->close(target->context);
	free(target->origin);
	free(target);
}

const char *uncore_target_origin(const struct uncore_target *target)
{
	return target->origin ? target->origin : target->ops->name;
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
		       uint64_t address, uint64_t *value)
{
	if (socket >= target->num_sockets)
		return UNCORE_ERR_SOCKET;
	return target->ops->read(target->context, socket, address, value);
}

int uncore_target_write(struct uncore_target *target, unsigned socket,
			uint64_t address, uint64_t value)
{
	if (socket >= target->num_sockets)
		return UNCORE_ERR_SOCKET;
	return target->ops->write(target->context, socket, address, value);
}

static int one_by_one(struct uncore_target *target,
		      struct uncore_target_op *ops, size_t num)
{
	const struct access_ops *way = target->ops;
	void *context = target->context;

	for (size_t i = 0; i < num; i++) {
		struct uncore_target_op *op = &ops[i];

		op->code = op->is_write ? way->write(context, op->socket,
						     op->address, op->value)
					: way->read(context, op->socket,
						    op->address, &op->value);
		op->time_ns = clock_now_ns();
	}
	return 0;
}

int uncore_target_batch(struct uncore_target *target,
			struct uncore_target_op *ops, size_t num,
			uint64_t *cycle)
{
	uint64_t at = UNCORE_NO_CYCLE;
	int code = 0;

	for (size_t i = 0; i < num && !code; i++)
		if (ops[i].socket >= target->num_sockets)
			code = UNCORE_ERR_SOCKET;
	if (!code && target->ops->batch)
		code = target->ops->batch(target->context, ops, num, &at);
	else if (!code)
		code = one_by_one(target, ops, num);
	if (cycle)
		*cycle = at;
	for (size_t i = 0; i < num; i++) {
		if (code)
			ops[i].code = code;
		else if (ops[i].code)
			return ops[i].code;
	}
	return code;
}

const char *uncore_target_error(const struct uncore_target *target)
{
	const char *error = NULL;

	if (target->ops->error)
		error = target->ops->error(target->context);
	return error ? error : "";
}

int uncore_target_status(struct uncore_target *target,
			 struct uncore_target_status *status)
{
	if (!target->ops->status)
		return UNCORE_ERR_STATE;
	return target->ops->status(target->context, status);
}

int uncore_target_step(struct uncore_target *target, uint64_t cycles)
{
	if (!target->ops->step)
		return UNCORE_ERR_STATE;
	return target->ops->step(target->context, cycles);
}

int uncore_target_subscribe(struct uncore_target *target, unsigned kinds)
{
	if (!target->ops->subscribe)
		return UNCORE_ERR_STATE;
	return target->ops->subscribe(target->context, kinds);
}

int uncore_target_wait(struct uncore_target *target, int timeout_ms,
		       struct uncore_target_event *event)
{
	if (!target->ops->wait)
		return UNCORE_ERR_STATE;
	return target->ops->wait(target->context, timeout_ms, event);
}

int uncore_target_on_pmi(struct uncore_target *target,
			 void (*handler)(void *context, unsigned socket,
					 unsigned core, uint64_t cycle),
			 void *context)
{
	if (!target->ops->on_pmi)
		return UNCORE_ERR_STATE;
	target->pmi = (struct access_pmi){ handler, context };
	return target->ops->on_pmi(target->context,
				   handler ? &target->pmi : NULL);
}
