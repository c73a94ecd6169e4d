/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * After a session that died: registers go back to what its journal says, or,
 * where nobody knows what that was, all of them to the state after a hardware
 * reset. A live session has the lock, so nothing is taken from one.
 */
#include "uncore/session.h"

#include <stdlib.h>

#include "access/access.h"
#include "base/sized.h"
#include "base/text.h"
#include "event/event.h"
#include "session/batch.h"
#include "session/journal.h"
#include "session/neighbour.h"
#include "table/enable.h"
#include "uncore/error.h"

static int put_back(struct uncore_target *target,
		    const struct session_lock *lock, char **what, char **error)
{
	struct saved saved;
	struct lock_owner owner;
	int result = journal_read(target, lock, &saved, &owner, error);

	if (result < 0)
		return result;
	if (!result) {
		text_error(0, what, "nobody has left anything behind at '%s'",
			   uncore_target_origin(target));
		return 0;
	}
	result = saved_put_back(&saved, target, error);
	if (!result) {
		text_error(0, what,
			   "%zu registers at '%s' are as they were before "
			   "process %ld (%s) began, %s",
			   saved.num, uncore_target_origin(target),
			   owner.process, owner.command, owner.since);
		journal_remove(lock);
	}
	saved_free(&saved);
	return result;
}

/* Whether software may write it, and it holds what it is given. */
static bool is_setting(const struct uc_register *reg)
{
	switch (reg->role) {
	case UC_ROLE_NONE:
	case UC_ROLE_GLOBAL_STATUS:
	case UC_ROLE_SUMMARY:
	case UC_ROLE_TIMESTAMP:
	case UC_ROLE_OVF_CTL: return false;
	default: return reg->access != UC_ACCESS_RO;
	}
}

/* What all of a socket's registers are written to. */
struct resetting {
	struct session_batch batch;
	const struct uncore_target *target;
	const struct uc_family *family;
	unsigned socket;
};

static void add(struct resetting *resetting, const struct uc_register *reg,
		uint64_t value)
{
	if (!access_missing(resetting->target, resetting->socket, reg->address))
		batch_write(&resetting->batch, resetting->socket, reg, value);
}

static void add_role(struct resetting *resetting, enum uc_role role)
{
	const struct uc_family *family = resetting->family;

	for (unsigned i = 0; i < family->num_registers; i++)
		if (family->registers[i].role == role)
			add(resetting, &family->registers[i],
			    family->registers[i].layout->reset);
}

/* Overflow bits that a control clears, or writing 1 to themselves. */
static void add_overflows(struct resetting *resetting)
{
	const struct uc_family *family = resetting->family;

	for (unsigned i = 0; i < family->num_registers; i++) {
		const struct uc_register *reg = &family->registers[i];

		if (reg->role == UC_ROLE_OVF_CTL ||
		    (reg->role == UC_ROLE_GLOBAL_STATUS &&
		     !uc_register_of(family, reg->box, reg->instance,
				     UC_ROLE_OVF_CTL, reg->index)))
			add(resetting, reg, reg->layout->writable);
	}
}

/* Everything stops, filters go off, then all else; overflow bits at last, and
 * what was frozen is not. */
static void add_socket(struct resetting *resetting)
{
	const struct uc_family *family = resetting->family;

	for (unsigned i = 0; i < family->num_registers; i++) {
		const struct uc_domain *domain =
			uc_domain_governed(family, &family->registers[i]);

		if (domain)
			add(resetting, &family->registers[i],
			    domain->stop | domain->reset);
	}
	add_role(resetting, UC_ROLE_GLOBAL_CTL);
	for (unsigned role = UC_FIRST_SUB_ROLE; role < UC_NUM_ROLES; role++)
		if (uc_role_kinds[role] == UC_ROLE_IS_SWITCH)
			add_role(resetting, (enum uc_role)role);
	for (unsigned i = 0; i < family->num_registers; i++) {
		const struct uc_register *reg = &family->registers[i];

		if (is_setting(reg) && reg->role != UC_ROLE_GLOBAL_CTL &&
		    uc_role_kinds[reg->role] != UC_ROLE_IS_SWITCH)
			add(resetting, reg,
			    enable_is_counter(reg) ? 0 : reg->layout->reset);
	}
	add_overflows(resetting);
	if (family->freeze)
		add(resetting, &family->registers[family->freeze->reg],
		    family->freeze->go);
}

static int reset_all(struct uncore_target *target,
		     const struct session_lock *lock, bool force, char **what,
		     char **error)
{
	struct resetting resetting = {
		.target = target,
		.family = family_row(uncore_target_family(target)),
	};
	bool is_shared;
	int result = neighbour_check(target, force, &is_shared, error);

	for (; resetting.socket < target->num_sockets && !result;
	     resetting.socket++)
		add_socket(&resetting);
	if (!result)
		result = batch_run(&resetting.batch, target, error);
	if (!result) {
		text_error(0, what,
			   "%zu registers at '%s' are as after a hardware "
			   "reset",
			   resetting.batch.num, uncore_target_origin(target));
		journal_remove(lock);
	}
	batch_free(&resetting.batch);
	return result;
}

int uncore_reset(struct uncore_target *target,
		 const struct uncore_reset_options *options, char **what,
		 char **error)
{
	struct uncore_reset_options own;
	char *command = lock_command();
	struct session_lock *lock = NULL;
	int result = command ? sized_take(&own, sizeof(own), options, error)
			     : UNCORE_ERR_NO_MEMORY;

	if (!result)
		result = lock_take(target, command, &lock, error);
	free(command);
	if (result)
		return result;
	lock_enter(lock, target);
	if (own.all)
		result = reset_all(target, lock, own.force, what, error);
	else
		result = put_back(target, lock, what, error);
	lock_drop(lock);
	return result;
}
