/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Only bits that software reads as it wrote them are compared, and of enables
 * only those of our own counters: others may begin and end beside us.
 */
#include "session/guard.h"

#include <inttypes.h>
#include <unistd.h>

#include "access/access.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "session/batch.h"
#include "session/session.h"
#include "table/enable.h"

/* A number in an unused counter: the upper half says that it is one; all of it
 * fits into the narrowest counters, of 44 bits. */
#define TOKEN	   UINT64_C(0x0b5e0000000)
#define TOKEN_MARK UINT64_C(0xfff00000000)
enum { HALF = 32, TOLD = 1 }; /* the bit that other sessions change */

static bool is_token(uint64_t value)
{
	return (value & TOKEN_MARK) == (TOKEN & TOKEN_MARK);
}

/* Whether what is read back can tell anything: of plain files it does not. */
static bool can_look(const struct uncore_session *session)
{
	return session->target->ops->is_shared && !session->target->is_plain;
}

/* Bits of an enable register that let our counters of a socket count. Who
 * samples has all of the switch, but what a freeze takes back. */
static uint64_t own_enables(const struct uncore_session *session,
			    unsigned socket, const struct uc_register *reg)
{
	const struct uc_domain *domain =
		uc_domain_governed(session_family(session), reg);
	uint64_t bits = 0;
	struct enable enable;

	if (domain && domain->scope == UC_SCOPE_SOCKET)
		bits = session->is_sampled ? ~domain->run : domain->run;
	for (size_t i = 0; i < session->num_counters; i++)
		if (session->counters[i].socket == socket &&
		    enable_find(session_family(session),
				session->counters[i].reg, &enable) &&
		    enable.box == reg)
			bits |= enable.box_bits;
	return bits;
}

static uint64_t plain_bits(const struct uc_register *reg)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < reg->layout->num_fields; i++) {
		const struct uc_field *field = &reg->layout->fields[i];

		if (field->kind == UC_KIND_RW)
			bits |= uc_bits(field->high, field->low);
	}
	/* written 1 to set back what a queue holds, it reads 0 again */
	bits &= ~enable_bits(reg, "reset_occ_cnt");
	return reg->access == UC_ACCESS_RW ? bits : 0;
}

static bool is_switch(const struct uncore_session *session,
		      const struct session_register *of)
{
	return enable_is_switch(session_family(session), of->reg);
}

/* What of a register is to be as it was written; 0: nothing. */
static uint64_t guarded(const struct uncore_session *session, unsigned socket,
			const struct session_register *of)
{
	bool is_stopped = session->state == SESSION_STOPPED;
	uint64_t bits = plain_bits(of->reg);

	if (!of->is_known ||
	    (is_stopped && (of->is_enable || is_switch(session, of))) ||
	    access_absent(session->target, socket, of->reg->address))
		return 0;
	if (of->reg->role == UC_ROLE_GLOBAL_CTL)
		bits &= own_enables(session, socket, of->reg);
	return bits;
}

/* Numbers in counters */

static bool is_used(const struct uncore_session *session,
		    const struct uc_register *reg)
{
	for (size_t i = 0; i < session->num_counters; i++)
		if (session->counters[i].reg == reg)
			return true;
	return false;
}

/* Whether a register is a counter of the unit's box that nobody here uses. */
static bool is_unused(const struct uncore_session *session,
		      const struct session_unit *unit,
		      const struct uc_register *reg)
{
	const struct session_place *place = &session->places[unit->place];

	return reg->role == UC_ROLE_COUNTER && reg->box == place->box &&
	       reg->instance == place->instance && !is_used(session, reg);
}

static const struct uc_register *
unused_counter(const struct uncore_session *session,
	       const struct session_unit *unit)
{
	const struct uc_family *family = session_family(session);

	for (unsigned i = 0; i < family->num_registers; i++)
		if (is_unused(session, unit, &family->registers[i]) &&
		    !access_missing(session->target, unit->socket,
				    family->registers[i].address))
			return &family->registers[i];
	return NULL;
}

static bool has_counters(const struct uncore_session *session, size_t unit)
{
	for (size_t i = 0; i < session->num_counters; i++)
		if (session->counters[i].unit == unit)
			return true;
	return false;
}

/* Where others count, counters that stand still may hold what they want. */
void guard_choose(struct uncore_session *session)
{
	uint64_t state = clock_now_ns() ^ (uint64_t)getpid() << HALF;

	if (!can_look(session) || session->is_shared || session->shows_all)
		return;
	for (size_t i = 0; i < session->num_units; i++) {
		struct session_unit *unit = &session->units[i];

		if (!has_counters(session, i))
			continue;
		unit->witness = unused_counter(session, unit);
		/* the lowest bits say more than others about carries */
		unit->token = TOKEN | random_next(&state) >> HALF | 0x10;
	}
}

void guard_put(const struct uncore_session *session,
	       struct session_batch *batch)
{
	for (size_t i = 0; i < session->num_units; i++) {
		const struct session_unit *unit = &session->units[i];

		if (unit->witness)
			batch_write(batch, unit->socket, unit->witness,
				    unit->token);
	}
}

/* Whether we take a counter of this box that somebody had enabled. */
static bool takes_any(const struct uncore_session *session, size_t unit)
{
	struct enable enable;

	for (size_t i = 0; i < session->num_counters; i++) {
		const struct session_counter *counter = &session->counters[i];

		if (counter->unit == unit &&
		    enable_find(session_family(session), counter->reg,
				&enable) &&
		    saved_value(&session->pmu->saved, counter->socket,
				enable.control) &
			    enable.control_bit)
			return true;
	}
	return false;
}

/* Other sessions' numbers in a box are changed, which tells them. */
static int change_tokens(struct uncore_session *session,
			 const struct session_unit *unit, char **error)
{
	const struct uc_family *family = session_family(session);
	struct session_batch reads = { 0 }, writes = { 0 };
	int result;

	for (unsigned i = 0; i < family->num_registers; i++)
		if (is_unused(session, unit, &family->registers[i]))
			batch_read(&reads, unit->socket, &family->registers[i]);
	result = batch_run(&reads, session->target, error);
	for (size_t i = 0; i < reads.num && !result; i++)
		if (is_token(reads.ops[i].value))
			batch_write(&writes, unit->socket, reads.registers[i],
				    reads.ops[i].value ^ TOLD);
	if (!result)
		result = batch_run(&writes, session->target, error);
	batch_free(&reads);
	batch_free(&writes);
	return result;
}

int guard_tell_others(struct uncore_session *session, char **error)
{
	int result = 0;

	for (size_t i = 0; i < session->num_units && !result; i++)
		if (session->is_shared && can_look(session) &&
		    takes_any(session, i))
			result = change_tokens(session, &session->units[i],
					       error);
	return result;
}

int guard_find(struct uncore_target *target, bool *is_there, char **error)
{
	const struct uc_family *family =
		family_row(uncore_target_family(target));
	struct session_batch batch = { 0 };
	int result;

	for (unsigned s = 0; s < target->num_sockets; s++)
		for (unsigned i = 0; i < family->num_registers; i++) {
			const struct uc_register *reg = &family->registers[i];

			if (reg->role == UC_ROLE_COUNTER &&
			    !access_missing(target, s, reg->address))
				batch_read(&batch, s, reg);
		}
	result = batch_run(&batch, target, error);
	*is_there = false;
	for (size_t i = 0; i < batch.num && !result; i++)
		*is_there |= is_token(batch.ops[i].value);
	batch_free(&batch);
	return result;
}

/* Looking */

void guard_ask(const struct uncore_session *session,
	       struct session_batch *batch)
{
	if (!can_look(session))
		return;
	for (unsigned s = 0; s < session->target->num_sockets; s++)
		for (size_t i = 0; i < session->num_registers; i++)
			if (guarded(session, s, &session->registers[i]))
				batch_read(batch, s, session->registers[i].reg);
	for (size_t i = 0; i < session->num_units; i++)
		if (session->units[i].witness)
			batch_read(batch, session->units[i].socket,
				   session->units[i].witness);
}

/* A switch is that of all boxes of its domain. */
static bool concerns(const struct uncore_session *session,
		     const struct session_register *of,
		     const struct session_unit *unit)
{
	const struct uc_domain *domain =
		uc_domain_governed(session_family(session), of->reg);

	return unit->place == of->place ||
	       (domain && domain->scope == UC_SCOPE_SOCKET &&
		domain->boxes >> session->places[unit->place].box & 1);
}

static void note_change(struct uncore_session *session, unsigned socket,
			const struct session_register *of, uint64_t due,
			uint64_t value)
{
	for (size_t i = 0; i < session->num_units; i++) {
		struct session_unit *unit = &session->units[i];

		if (!unit->why && unit->socket == socket &&
		    concerns(session, of, unit))
			text_error(0, &unit->why,
				   "somebody else has changed %s of socket %u "
				   "meanwhile: it is 0x%" PRIx64
				   ", and was 0x%" PRIx64,
				   of->reg->name, socket, value, due);
	}
}

void guard_take(struct uncore_session *session,
		const struct session_batch *batch, size_t first)
{
	size_t op = first;

	if (!can_look(session))
		return;
	for (unsigned s = 0; s < session->target->num_sockets; s++)
		for (size_t i = 0; i < session->num_registers; i++) {
			struct session_register *of = &session->registers[i];
			uint64_t bits = guarded(session, s, of);
			uint64_t value;

			if (!bits)
				continue;
			value = batch->ops[op++].value;
			if ((value ^ of->now) & bits)
				note_change(session, s, of, of->now, value);
		}
	for (size_t i = 0; i < session->num_units; i++) {
		struct session_unit *unit = &session->units[i];
		uint64_t value;

		if (!unit->witness)
			continue;
		value = batch->ops[op++].value;
		if (value != unit->token && !unit->why)
			text_error(0, &unit->why,
				   "somebody else has written to counters of "
				   "its box meanwhile: %s of socket %u, which "
				   "nobody uses, does not hold what it was "
				   "given",
				   unit->witness->name, unit->socket);
	}
}

int guard_look(struct uncore_session *session, char **error)
{
	struct session_batch batch = { 0 };
	int result;

	guard_ask(session, &batch);
	result = batch_run(&batch, session->target, error);
	if (!result)
		guard_take(session, &batch, 0);
	batch_free(&batch);
	return result;
}

static struct session_register *find_register(struct uncore_session *session,
					      const struct uc_register *reg)
{
	for (size_t i = 0; i < session->num_registers; i++)
		if (session->registers[i].reg == reg)
			return &session->registers[i];
	return NULL;
}

void guard_expect(struct uncore_session *session, const struct uc_register *reg,
		  uint64_t bits)
{
	struct session_register *of = find_register(session, reg);

	if (of)
		of->now |= bits;
}

void guard_note(struct uncore_session *session, unsigned socket,
		const struct uc_register *reg, uint64_t value)
{
	const struct session_register *of = find_register(session, reg);

	if (of)
		note_change(session, socket, of, of->now, value);
}

void guard_note_set_back(struct uncore_session *session, unsigned socket,
			 const struct uc_register *counter)
{
	for (size_t i = 0; i < session->num_counters; i++) {
		const struct session_counter *of = &session->counters[i];
		struct session_unit *unit = &session->units[of->unit];

		if (of->reg == counter && of->socket == socket && !unit->why)
			text_error(0, &unit->why,
				   "somebody else has set back %s of socket %u "
				   "meanwhile",
				   counter->name, socket);
	}
}

const char *guard_why(const struct uncore_session *session)
{
	for (size_t i = 0; i < session->num_units; i++)
		if (session->units[i].why)
			return session->units[i].why;
	return NULL;
}
