/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A line on its way out of a slice. The LLC is inclusive, so the cores that
 * have it give it up first; what was changed goes to memory (WbMtoI with its
 * data), the rest silently. A changed line stays in the VIQ until there is an
 * entry of the S-Box's request table for it, and a tracker credit of its home.
 *
 * A victim leaves long after the miss that drives it out has begun, so that is
 * a transaction of its own, which starts when its time has come.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/access.h"
#include "model/nehalem-ex/memory.h"
#include "model/nehalem-ex/out.h"
#include "model/nehalem-ex/quick.h"
#include "signals.h"

/* How soon a victim that finds the VIQ full tries again. */
enum { RETRY_CYCLES = 8 };

static struct ex_socket *socket_of(const struct slice *slice)
{
	return &slice->floor->ex->sockets[slice->floor->socket->index];
}

struct slice_victim *slice_victim(struct slice *slice, unsigned place)
{
	struct slice_victim *victim =
		place < SLICE_VIQ ? &slice->fills[place - SLICE_OUT].victim
				  : &slice->victims[place - SLICE_VIQ];

	return victim->is_waiting ? victim : NULL;
}

/* It is in the VIQ up to a cycle, if not longer. */
static void show(struct slice *slice, struct slice_victim *victim,
		 uint64_t until)
{
	sig_span(slice->bank, SIG_CBOX_OCCUPANCY_VIQ, victim->from, until, 1);
	victim->from = until;
}

/* The VIQ's entry is free: the line has gone, to memory if it was changed. */
static void leave(struct slice *slice, unsigned place, uint64_t at)
{
	struct slice_victim *victim = &slice->victims[place];

	victim->is_waiting = false;
	places_hold(&slice->viq, place, at);
	lines_put(&slice->lines, SLICE_VIQ + place, victim->line, at);
	show(slice, victim, at);
}

/* It stays for an unknown time; it tries to go on in some cycle. */
static void wait(struct slice *slice, unsigned place, uint64_t again)
{
	struct slice_victim *victim = slice_victim(slice, place);

	victim->again = again;
	lines_put(&slice->lines, place, victim->line, SIM_NEVER);
}

static void write_back(void *object, uint64_t place);

/* Both an entry of the table and a credit are there at `at`, or it comes back
 * when they are. */
static void try_write(struct slice *slice, unsigned place, uint64_t at)
{
	struct ex_socket *own = socket_of(slice);
	struct ex *ex = slice->floor->ex;
	struct slice_victim *victim = &slice->victims[place];
	struct agent *agent = own->agents[slice->side];
	uint64_t local, from;
	unsigned home = socket_home(own->socket, victim->line, &local), serial;
	uint32_t number;

	if (!victim->is_dirty) { /* a snoop has taken the data along */
		leave(slice, place, at);
		return;
	}
	from = sim_later(
		access_known(agent_table_from(ex, agent, at, true), at),
		access_known(agent_tracker_from(ex, agent, home, at, true),
			     at));
	if (from > at) {
		show(slice, victim, from);
		wait(slice, SLICE_VIQ + place, from);
		sim_at(ex->engine.sim, from, write_back, slice, place);
		return;
	}
	leave(slice, place, at);
	if (own->socket->values)
		values_memory_write(own->socket->values, victim->line,
				    victim->value);
	serial = agent_take(ex, agent, (int)home, at, true, &number);
	out_write_back(ex, own->socket->index, slice, victim, serial, number,
		       at);
}

static void write_back(void *object, uint64_t place)
{
	struct slice *slice = object;

	try_write(slice, (unsigned)place,
		  engine_now(&slice->floor->ex->engine));
}

/* While time stands a changed line goes to memory. Of a whole one that no
 * directory knows all is told by its home. */
static SIG_SLOW void write_at_once(struct slice *slice,
				   const struct slice_victim *victim)
{
	struct ex_socket *own = socket_of(slice);
	struct ex *ex = slice->floor->ex;
	struct facts_book *book = &ex->engine.facts;
	uint64_t now = engine_now(&ex->engine), local;
	unsigned home = socket_home_of(own->socket, victim->line, slice->index,
				       &local),
		 serial;
	struct facts *facts =
		&own->quick->writes[quick_home(home)][slice->index];
	bool is_plain = !ex->has_directory && !victim->is_partial;
	uint32_t number;

	if (is_plain && facts_are_known(book, facts)) {
		facts_count(book, facts);
		memory_pass(ex->sockets[NODE_SOCKET(home)]
				    .memories[NODE_SIDE(home)],
			    MBOX_CMD_WRITE, local);
		return;
	}
	if (is_plain)
		facts_note(book, facts);
	serial = agent_take(ex, own->agents[slice->side], (int)home, now, true,
			    &number);
	out_write_back(ex, own->socket->index, slice, victim, serial, number,
		       now);
	facts_end(book, facts);
}

static inline void leave_at_once(struct slice *slice,
				 const struct slice_victim *victim)
{
	struct facts_book *book = &slice->floor->ex->engine.facts;
	struct quick *quick = socket_of(slice)->quick;
	struct facts *facts = &quick->leaves[victim->cores > 0][slice->index];

	if (facts_begin(book, facts)) {
		facts_tell(book, slice->bank, SIG_CBOX_TRANS_VIQ, 1);
		if (victim->cores)
			floor_tell_asked(slice);
		facts_end(book, facts);
	}
	floor_answer_at_once(slice, victim->cores, victim->dirty_core);
	if (victim->is_dirty)
		write_at_once(slice, victim);
}

/* Into the VIQ, which has a place at `at`. */
static void enter(struct slice *slice, const struct slice_victim *victim,
		  uint64_t at)
{
	struct floor *floor = slice->floor;
	unsigned place =
		places_take(&slice->viq, engine_now(&floor->ex->engine), &at);
	struct slice_victim *own = &slice->victims[place];
	uint64_t given_up = at + 1;

	*own = *victim;
	own->from = at;
	slice->stays[SLICE_VIQ + place] = (struct slice_stay){ .from = at };
	sig_later(slice->bank, SIG_CBOX_TRANS_VIQ, at, 1);
	if (own->cores)
		given_up = floor_ask_cores(floor, slice, own->cores, at,
					   own->dirty_core);
	if (own->is_dirty)
		try_write(slice, place, given_up);
	else
		leave(slice, place, given_up);
}

/* The line of a way, of which the tags know nothing from now on. */
static struct slice_victim take_line(struct slice *slice, struct llc_way *way,
				     uint64_t line)
{
	bool core_is_dirty = way->cores && way->is_core_dirty;
	struct slice_victim victim = {
		.line = line,
		.value = copies_recall(slice_copy(slice, way, line)),
		.cores = way->cores,
		.dirty_core =
			core_is_dirty ? (int8_t)__builtin_ctz(way->cores) : -1,
		.is_dirty = way->state == LLC_M || core_is_dirty,
		.is_waiting = true,
	};

	if (way->cores)
		copies_take(slice->floor->socket, way->cores, line, false,
			    true);
	llc_drop(&slice->llc, way);
	return victim;
}

/* The fill of a MAF entry is there, and so has its victim to be. */
static void fill_is_there(void *object, uint64_t place)
{
	struct slice *slice = object;
	struct slice_fill *fill = &slice->fills[place];
	struct ex *ex = slice->floor->ex;
	uint64_t now = engine_now(&ex->engine);

	if (places_from(&slice->viq, now, now) > now) {
		slice_refuse(slice, SIG_CBOX_MAF_NACK2_VIQ_FULL, now);
		now = slice_pass(slice->floor, slice, now + RETRY_CYCLES);
		access_show_maf(slice, (unsigned)place, now);
		lines_put(&slice->lines, SLICE_MAF + (unsigned)place,
			  fill->line, now + 1);
		wait(slice, SLICE_OUT + (unsigned)place, now);
		sim_at(ex->engine.sim, now, fill_is_there, slice, place);
		return;
	}
	enter(slice, &fill->victim, now);
	fill->victim.is_waiting = false;
	lines_drop(&slice->lines, SLICE_OUT + (unsigned)place);
	access_end_fill(slice, (unsigned)place, now);
}

void line_make_way(struct slice *slice, unsigned place, uint64_t line,
		   struct llc_way *way, uint64_t victim, uint64_t at)
{
	struct slice_fill *fill = &slice->fills[place];
	struct ex *ex = slice->floor->ex;
	uint64_t now = engine_now(&ex->engine);

	fill->line = line;
	fill->victim = take_line(slice, way, victim);
	if (!fill->victim.cores && !fill->victim.is_dirty &&
	    places_from(&slice->viq, now, at) <= at) {
		enter(slice, &fill->victim, at);
		fill->victim.is_waiting = false;
		access_end_fill(slice, place, at);
		return;
	}
	access_show_maf(slice, place, at);
	lines_put(&slice->lines, SLICE_MAF + place, line, at + 1);
	wait(slice, SLICE_OUT + place, at);
	slice->stays[SLICE_OUT + place] = (struct slice_stay){ .from = at };
	sim_at(ex->engine.sim, at, fill_is_there, slice, place);
}

void line_evict(struct slice *slice, struct llc_way *way, uint64_t line,
		uint64_t from)
{
	struct slice_victim victim = take_line(slice, way, line);

	if (slice->floor->ex->engine.is_quick)
		leave_at_once(slice, &victim);
	else
		enter(slice, &victim, from);
}

void line_evict_new(struct slice *slice, const struct slice_victim *line,
		    uint64_t from)
{
	struct slice_victim victim = *line;

	victim.is_waiting = true;
	if (slice->floor->ex->engine.is_quick)
		leave_at_once(slice, &victim);
	else
		enter(slice, &victim, from);
}
