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

/* One command of the work, whose answer is there in the cycle returned. */
static uint64_t give(struct ex *ex, struct home *home, struct home_work *work,
		     unsigned command, unsigned fvid, uint64_t at)
{
	struct memory *memory = ex->sockets[home->socket].memories[home->side];
	enum mbox_response response;

	if (command == MBOX_CMD_WRITE && (work->is_poisoned || work->is_bad))
		command |= MBOX_POISONED;
	at = memory_command(ex, memory, command, work->local, work->line * 64,
			    fvid, memory_ready_from(ex, memory, at), &response);
	if (response == MBOX_RSP_SPEC_ACK)
		sig_later(home->bank, SIG_BBOX_EARLY_ACK, at, 1);
	work->is_bad |=
		response == MBOX_RSP_UNCOR || response == MBOX_RSP_SPR_UNCOR;
	return at;
}

/* The place that is taken from *at on, or later if there is none. One that is
 * wanted late (for data that are still on their way) had better be busy up to
 * then than idle. */
static unsigned take_entry(struct places *imt, uint64_t now, uint64_t *at)
{
	unsigned best = imt->num;

	if (*at - now < SOON_CYCLES)
		return places_take(imt, now, at);
	for (unsigned i = 0; i < imt->num; i++)
		if (!(imt->free >> i & 1) && imt->until[i] <= *at &&
		    (best == imt->num || imt->until[i] > imt->until[best]))
			best = i;
	if (best == imt->num)
		return places_take(imt, now, at);
	imt->until[best] = UINT64_MAX;
	return best;
}

static void tell(const struct home *home, unsigned kind, bool is_ioh,
		 uint64_t asked, uint64_t begun, uint64_t done)
{
	struct home_worked *worked = visits_next(home->visits);

	*worked = (struct home_worked){
		.visit = { .tell = tell_worked, .last = done },
		.asked = asked,
		.begun = (uint32_t)(begun - asked),
		.done = (uint32_t)(done - asked),
		.kind = (uint8_t)kind,
		.is_ioh = is_ioh,
	};
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
	unsigned place = take_entry(&home->imt, ex_now(ex), &at);

	work->begun = at;
	work->is_bad = false;
	for (; *command != LAST; command++) {
		at = give(ex, home, work, *command, place, at);
		if (*command == MBOX_CMD_V2V)
			work->copied = at;
	}
	work->done = at;
	places_hold(&home->imt, place, at);
	tell(home, home_kind(work->opcode, is_write(work->row)), work->is_ioh,
	     asked, work->begun, at);
}

/* With a copy for the slave, where there is one. */
static uint8_t row_of(const struct home *home, unsigned row)
{
	if (!home->is_mirrored)
		return (uint8_t)row;
	return row == HOME_PARTIAL ? HOME_PARTIAL_TWICE : HOME_WRITE_TWICE;
}

uint64_t home_write(struct ex *ex, struct home *home, struct home_work *work,
		    uint64_t at)
{
	work->row = row_of(home, work->row);
	home_work_off(ex, home, work, at);
	if (!home->is_mirrored)
		return work->done;
	return ex_later(work->done, home_mirror_write(ex, home, work));
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
	ex_busy_until(ex, at + 1);
	sim_at(ex->sim, at, data_are_there, later, at);
}
