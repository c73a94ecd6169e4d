/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "session/batch.h"

#include <stdlib.h>

#include "access/access.h"
#include "base/array.h"
#include "base/text.h"
#include "table/table.h"
#include "uncore/error.h"

static void add(struct session_batch *batch, const struct uc_register *reg,
		struct uncore_target_op op)
{
	if (!array_room(&batch->ops, batch->num, sizeof(op)) ||
	    !array_room(&batch->registers, batch->num, sizeof(reg)))
		batch->has_failed = true;
	if (batch->has_failed)
		return;
	op.address = reg->address;
	batch->registers[batch->num] = reg;
	batch->ops[batch->num++] = op;
}

void batch_read(struct session_batch *batch, unsigned socket,
		const struct uc_register *reg)
{
	add(batch, reg, (struct uncore_target_op){ .socket = socket });
}

void batch_write(struct session_batch *batch, unsigned socket,
		 const struct uc_register *reg, uint64_t value)
{
	add(batch, reg,
	    (struct uncore_target_op){
		    .socket = socket,
		    .value = value,
		    .is_write = true,
	    });
}

/* Whether it is the way to the registers that failed, not a register. */
static bool is_of_the_way(int code)
{
	return code == UNCORE_ERR_DIED || code == UNCORE_ERR_NO_PERMISSION ||
	       code == UNCORE_ERR_NO_HARDWARE;
}

int batch_refused(const struct session_batch *batch,
		  const struct uncore_target *target, char **error)
{
	const char *why = uncore_target_error(target);

	for (size_t i = 0; i < batch->num; i++) {
		const struct uncore_target_op *op = &batch->ops[i];

		if (!op->code)
			continue;
		if (target->ops->tells_all && *why)
			return text_error(op->code, error, "%s", why);
		return text_error(op->code, error,
				  "cannot %s %s of socket %u: %s",
				  op->is_write ? "write" : "read",
				  batch->registers[i]->name, op->socket,
				  is_of_the_way(op->code) && *why
					  ? why
					  : uncore_error_message(op->code));
	}
	return 0;
}

/* Does all but what is of boxes that the machine lacks, which reads as 0. */
static int run_there(struct session_batch *batch, struct uncore_target *target)
{
	struct uncore_target_op *ops = calloc(batch->num + 1, sizeof(*ops));
	size_t *from = calloc(batch->num + 1, sizeof(*from));
	size_t num = 0;
	int code;

	for (size_t i = 0; ops && from && i < batch->num; i++) {
		const struct uncore_target_op *op = &batch->ops[i];

		if (access_absent(target, op->socket, op->address))
			continue;
		from[num] = i;
		ops[num++] = *op;
	}
	batch->has_failed = !ops || !from;
	code = batch->has_failed
		       ? UNCORE_ERR_NO_MEMORY
		       : uncore_target_batch(target, ops, num, &batch->cycle);
	for (size_t i = 0; i < num; i++)
		batch->ops[from[i]] = ops[i];
	free(ops);
	free(from);
	return code;
}

int batch_run(struct session_batch *batch, struct uncore_target *target,
	      char **error)
{
	int code;

	if (batch->has_failed)
		return UNCORE_ERR_NO_MEMORY;
	if (target->ops->absent)
		code = run_there(batch, target);
	else
		code = uncore_target_batch(target, batch->ops, batch->num,
					   &batch->cycle);
	if (batch->has_failed)
		return UNCORE_ERR_NO_MEMORY;
	return code ? batch_refused(batch, target, error) : 0;
}

void batch_free(struct session_batch *batch)
{
	free(batch->ops);
	free(batch->registers);
	*batch = (struct session_batch){ 0 };
}
