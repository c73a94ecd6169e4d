/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The B-Box's memory side: each piece of work for the M-Box holds one of the
 * entries of the in-memory table (IMT), whose index is the FVID of its
 * commands. A command that the M-Box cannot take yet waits in its entry (the
 * guide's MAQ).
 *
 * The guide names the commands (Table 2-83) but not when they are used. Here
 * work is a row of commands: of a partial write the old line is read, goes to a
 * victim buffer (F2V), gets the new bytes (MERGE) and is written; a read that a
 * write has overtaken gets the newer line from that write's victim buffer (V2F)
 * and reads the fill buffer once more (F2B); what is mirrored is copied to the
 * buffer that feeds the slave (V2V). Spare writes are the M-Box's own.
 */
#include "model/nehalem-ex/home_parts.h"
#include "model/nehalem-ex/memory.h"
#include "signals.h"

enum { LAST = MBOX_NUM_COMMANDS, SOON_CYCLES = 256 };

static const uint8_t commands[][6] = {
	[HOME_READ] = { MBOX_CMD_READ, LAST },
	[HOME_WRITE] = { MBOX_CMD_WRITE, LAST },
	[HOME_PARTIAL] = { MBOX_CMD_READ, MBOX_CMD_F2V, MBOX_CMD_MERGE,
			   MBOX_CMD_WRITE, LAST },
	[HOME_WRITE_TWICE] = { MBOX_CMD_V2V, MBOX_CMD_WRITE, LAST },
	[HOME_PARTIAL_TWICE] = { MBOX_CMD_READ, MBOX_CMD_F2V, MBOX_CMD_MERGE,
				 MBOX_CMD_V2V, MBOX_CMD_WRITE, LAST },
	[HOME_REFILL] = { MBOX_CMD_V2F, MBOX_CMD_F2B, LAST },
};

static bool is_write(unsigned row)
{
	return row != HOME_READ && row != HOME_REFILL;
}

/* One command for a line, whose answer is there in the cycle returned; *is_bad:
 * it could not be corrected. */
static inline uint64_t give(struct ex *ex, struct home *home, unsigned command,
			    uint64_t line, uint64_t local, unsigned fvid,
			    uint64_t at, bool *is_bad)
{
	struct memory *memory = *home->memory;
	enum mbox_response response;

	at = memory_command(ex, memory, command, local, line * 64, fvid,
			    memory_ready_from(ex, memory, at), &response);
	if (response == MBOX_RSP_SPEC_ACK)
		engine_count(&ex->engine, home->bank, SIG_BBOX_EARLY_ACK, at);
	*is_bad |= response == MBOX_RSP_UNCOR || response == MBOX_RSP_SPR_UNCOR;
	return at;
}

/* The place that is taken from *at on, or later if there is none. One that is
 * wanted late (for data that are still on their way) had better be busy up to
 * then than idle. */
static SIG_SLOW unsigned take_late(struct places *imt, uint64_t now,
				   uint64_t *at)
{
	unsigned best = imt->num;

	for (unsigned i = 0; i < imt->num; i++)
		if (!(imt->free >> i & 1) && imt->until[i] <= *at &&
		    (best == imt->num || imt->until[i] > imt->until[best]))
			best = i;
	if (best == imt->num)
		return places_take(imt, now, at);
	imt->until[best] = UINT64_MAX;
	return best;
}

static inline unsigned take_entry(struct places *imt, uint64_t now,
				  uint64_t *at)
{
	return *at - now < SOON_CYCLES ? places_take(imt, now, at)
				       : take_late(imt, now, at);
}

static inline void tell(const struct home *home, unsigned kind, bool is_ioh,
			uint64_t asked, uint64_t begun, uint64_t done)
{
	struct home_worked *worked = visits_next(home->visits);

	if (home->ex->engine.is_quick) {
		home_count_worked(home, kind, is_ioh);
		return;
	}
	worked->visit.tell = tell_worked;
	worked->visit.last = done;
	worked->asked = asked;
	worked->begun = (uint32_t)(begun - asked);
	worked->done = (uint32_t)(done - asked);
	worked->kind = (uint8_t)kind;
	worked->is_ioh = is_ioh;
	visits_keep(home->visits);
}

void home_note_insert(struct home *home, const struct packet *request,
		      bool is_write, uint64_t at)
{
	tell(home, home_kind(request->opcode, is_write),
	     NODE_IS_IOH(request->requester), at, at, at);
}

void home_work_off(struct ex *ex, struct home *home, struct home_work *work,
		   uint64_t at)
{
	const uint8_t *command = commands[work->row];
	uint64_t asked = at;
	unsigned place = take_entry(&home->imt, engine_now(&ex->engine), &at),
		 flags;

	work->begun = at;
	work->is_bad = false;
	for (; *command != LAST; command++) {
		flags = *command == MBOX_CMD_WRITE &&
					(work->is_poisoned || work->is_bad)
				? MBOX_POISONED
				: 0;
		at = give(ex, home, *command | flags, work->line, work->local,
			  place, at, &work->is_bad);
		if (*command == MBOX_CMD_V2V)
			work->copied = at;
	}
	work->done = at;
	places_hold(&home->imt, place, at);
	tell(home, home_kind(work->opcode, is_write(work->row)), work->is_ioh,
	     asked, work->begun, at);
}

void home_fetch(struct ex *ex, struct home *home, struct home_job *job)
{
	const struct packet *request = &job->request;
	uint64_t at = job->begun;
	unsigned place = take_entry(&home->imt, engine_now(&ex->engine), &at);

	job->fetched = at;
	job->memory_at = give(ex, home, MBOX_CMD_READ, job->line, job->local,
			      place, at, &job->is_bad);
	places_hold(&home->imt, place, job->memory_at);
	tell(home, home_kind(request->opcode, false),
	     NODE_IS_IOH(request->requester), job->begun, at, job->memory_at);
}

/* With a copy for the slave, where there is one. */
static uint8_t row_of(const struct home *home, unsigned row)
{
	if (!home->has_core)
		return (uint8_t)row;
	return row == HOME_PARTIAL ? HOME_PARTIAL_TWICE : HOME_WRITE_TWICE;
}

uint64_t home_write(struct ex *ex, struct home *home, struct home_work *work,
		    uint64_t at)
{
	work->row = row_of(home, work->row);
	home_work_off(ex, home, work, at);
	if (!home->has_core)
		return work->done;
	return sim_later(work->done, home_mirror_write(ex, home, work));
}

/* A write whose data are still on their way. */
struct later {
	struct home *home;
	struct home_work work;
};

void home_writes_init(struct home *home)
{
	home->writes.size = sizeof(struct later);
}

static void data_are_there(void *object, uint64_t cycle)
{
	struct later *later = object;
	struct home *home = later->home;

	home_write(home->ex, home, &later->work, cycle);
	pool_put(&home->writes, later);
}

void home_write_later(struct ex *ex, struct home *home, struct home_work *work,
		      uint64_t at)
{
	struct later *later;

	if (home_is_soon(ex, at)) {
		home_write(ex, home, work, at);
		return;
	}
	later = pool_take(&home->writes);
	*later = (struct later){ .home = home, .work = *work };
	engine_busy_until(&ex->engine, at + 1);
	sim_at(ex->engine.sim, at, data_are_there, later, at);
}
