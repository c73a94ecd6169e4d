/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a core does besides reading and writing memory through its caches.
 * Uncached, port and configuration accesses, interrupts, locks and special
 * cycles leave as special requests to the C-Box at the core's own ring stop,
 * which hands them to its S-Box; flushes and streaming stores go to the slice
 * of their line. While one is out the core starts nothing else, but for
 * write-combining and streaming stores, which only take a fill buffer.
 *
 * A bus lock is three steps: lock, the write itself, unlock. C6 is three, too:
 * the state goes to an SRAM of the C-Box, access by access; then the core
 * sleeps until an interrupt comes or its timer ends; then the state comes back.
 *
 * Left out: that C6 empties the private caches. Traffic that wants it writes
 * its lines back first.
 */
#include "model/box/core.h"

#include "model/box/socket.h"

static void send(struct core *core, uint64_t line, unsigned kind)
{
	core->step_entry = (uint8_t)core_take_entry(core, line, kind);
	core_send_request(core, core->step_entry);
}

static void move_state(struct core *core, unsigned kind)
{
	core->sram_left--;
	send(core, 0, kind);
}

static void begin_move(struct core *core, unsigned kind)
{
	core->sram_left = socket_param(core->socket, PARAM_CORE_C6_ACCESSES);
	core->socket->kind->moves_state(core, true);
	move_state(core, kind);
}

/* Reads of devices, ports and configuration (class NCS). */
static bool is_uncached(unsigned kind)
{
	return kind == UNCORE_ACCESS_UC_READ ||
	       (kind >= UNCORE_ACCESS_IO_READ &&
		kind <= UNCORE_ACCESS_CFG_WRITE);
}

/* Whether the core may go on though such an access is under way: it has as many
 * threads, and each waits for its own. */
static bool overlaps(const struct core *core, unsigned kind)
{
	unsigned num = 1;

	if (!is_uncached(kind) || core->max_uncached < 2)
		return false;
	for (uint64_t used = core->used; used; used &= used - 1)
		num += is_uncached(core->misses[__builtin_ctzll(used)].kind);
	return num < core->max_uncached;
}

void core_start_special(struct core *core)
{
	const struct uncore_access *access = &core->access;

	if (access->kind == UNCORE_ACCESS_SLEEP) {
		core->step = STEP_SAVE;
		core->is_interrupted = false;
		begin_move(core, CORE_ACCESS_SRAM_WRITE);
		return;
	}
	if (access->kind == UNCORE_ACCESS_LOCK)
		core->step = STEP_LOCK;
	else if (access->kind != UNCORE_ACCESS_WC_WRITE &&
		 !core_streams(access->kind) && !overlaps(core, access->kind))
		core->step = STEP_SPECIAL;
	send(core, access->line, access->kind);
}

/* The bus is ours: the write, which no other core can disturb. */
static void write_locked(struct core *core, uint64_t line)
{
	if (core->socket->kind->write_silently(core, line)) {
		core->step = STEP_UNLOCK;
		send(core, line, CORE_ACCESS_UNLOCK);
		return;
	}
	core->step = STEP_LOCKED;
	core->num_requests++;
	send(core, line, UNCORE_ACCESS_OWN);
}

static void wake(struct core *core)
{
	core->step = STEP_RESTORE;
	core->socket->kind->wakes(core);
	begin_move(core, CORE_ACCESS_SRAM_READ);
	core_keep_time(core);
}

static void timer_ends(void *object, uint64_t number)
{
	struct core *core = object;

	if (core->step == STEP_SLEEP && core->num_sleeps == number)
		wake(core);
}

static void sleep(struct core *core)
{
	struct socket *socket = core->socket;
	uint64_t timer = (uint64_t)socket->param[PARAM_CORE_C6_TIMER];

	core->step = STEP_SLEEP;
	core->num_sleeps++;
	socket->kind->moves_state(core, false);
	core_keep_time(core);
	socket->kind->sleeps(core);
	if (core->is_interrupted)
		wake(core);
	else
		sim_at(socket->sim, sim_now(socket->sim) + timer, timer_ends,
		       core, core->num_sleeps);
}

static void restored(struct core *core)
{
	core->step = STEP_NONE;
	core->socket->kind->moves_state(core, false);
}

void core_special_done(struct core *core, unsigned entry)
{
	uint64_t line = core->misses[entry].line;

	if (entry != core->step_entry)
		return; /* a store from before the step */
	switch (core->step) {
	case STEP_LOCK: write_locked(core, line); break;
	case STEP_LOCKED:
		core->step = STEP_UNLOCK;
		send(core, line, CORE_ACCESS_UNLOCK);
		break;
	case STEP_SAVE:
		if (core->sram_left)
			move_state(core, CORE_ACCESS_SRAM_WRITE);
		else
			sleep(core);
		break;
	case STEP_RESTORE:
		if (core->sram_left)
			move_state(core, CORE_ACCESS_SRAM_READ);
		else
			restored(core);
		break;
	default: core->step = STEP_NONE; break;
	}
}

void core_message(struct core *core, enum packet_message message)
{
	core->socket->kind->is_told(core);
	switch (message) {
	case MESSAGE_STOP_REQ1: core->is_stopped = true; break;
	case MESSAGE_START_REQ2:
		core->is_stopped = false;
		core_run(core);
		break;
	case MESSAGE_INTERRUPT:
		core->is_interrupted = true;
		if (core->step == STEP_SLEEP)
			wake(core);
		break;
	default: break;
	}
}
