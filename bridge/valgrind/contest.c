/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lines that cores fight for, by the rules of travel.h. A core that asks for
 * such a line has it in its caches at once, and the model is told at once; but
 * the one that had it keeps its copy as long as the request is on its way, and
 * the one that asks waits until the line is there: it stands, and its turn ends
 * with that load or store, or behind a locked instruction, or its stores fill
 * the buffer.
 * As long as a core has a claim every access to the line comes here; there are
 * no shortcuts.
 *
 * What a core waits here moves its estimated clock alone: in the model it waits
 * for the line itself. Latencies are fixed ones of the machine; nothing here
 * follows from the model's answers but that clocks of cores are compared as it
 * has corrected them.
 */
#include "bridge/valgrind/core.h"

enum {
	CALM_LATENCIES = 16, /* after these nobody fights for a line any more */
	UNEVEN_SHARE = 8,    /* of a latency */
	MOVE_CYCLES = 2048,  /* as when a line moved is kept */
	MOVES = 1024,
};

uint64_t contest_asked;
static uint64_t asks_at; /* 0: now */

static uint64_t clock_of(const struct arena_core *core)
{
	return core->clock + (uint64_t)core->ahead;
}

static uint64_t now(void)
{
	return stream_clock() + (uint64_t)front.core->ahead;
}

static uint64_t calm(void)
{
	return (uint64_t)CALM_LATENCIES * arena->peer_cycles;
}

/* Turns are no longer than half of the time since a fight, so what moves once a
 * barrier is longer ago; but two that begin to fight meet once a turn. */
bool contest_is_recent(const struct arena_line *who)
{
	uint64_t skew = front.core->skew;
	uint64_t ago;

	if (who->core && arena->cores[who->core - 1].skew > skew)
		skew = arena->cores[who->core - 1].skew;
	ago = ((now() + skew) / MOVE_CYCLES - who->moved) % MOVES;
	return ago * MOVE_CYCLES <= calm() + 2 * skew;
}

void contest_moves(struct arena_line *who)
{
	who->moved = now() / MOVE_CYCLES % MOVES;
}

static unsigned socket_of(const struct arena_core *core)
{
	return (unsigned)(core - arena->cores) / arena->cores_per_socket;
}

static uint64_t half(bool is_near)
{
	return (is_near ? arena->peer_cycles : arena->far_cycles) / 2;
}

/* Of the agents that know who has the line the one that serves both. */
static bool is_near_home(const struct arena_core *owner, uint64_t line)
{
	unsigned socket = socket_of(owner);
	uint64_t frame = line / ARENA_LINES_PER_PAGE;

	return socket == front.socket ||
	       frame - arena->first_frame[socket] < arena->num_frames[socket];
}

/* A core whose time has come gives a line away. */
static void give(struct arena_core *core, const struct travel_claim *claim)
{
	if (claim->line)
		privcache_invalidate(&core->cache, claim->line - 1,
				     claim->keeps_copy);
}

/* A place in the core's claims; NULL: it has too many. */
static struct travel_claim *claim_of(struct arena_core *core, uint64_t line)
{
	struct travel_claim lost;
	struct travel_claim *claim = travel_claim(
		&core->travel, line, clock_of(core), calm(), &lost);

	give(core, &lost);
	return claim;
}

bool contest_lends(struct arena_core *owner, uint64_t line, bool keeps_copy,
		   bool *is_new)
{
	struct travel_claim *claim;
	bool is_near = socket_of(owner) == front.socket;
	uint64_t reaches;

	if (!arena->peer_cycles)
		return false;
	claim = claim_of(owner, line);
	if (!claim)
		return false;
	*is_new = claim->until == TRAVEL_NEVER;
	if (!*is_new && (keeps_copy || !claim->keeps_copy))
		return true;
	reaches =
		travel_reaches(claim, asks_at ? asks_at : now(), half(is_near),
			       half(is_near_home(owner, line)));
	claim->until = reaches;
	claim->keeps_copy = keeps_copy;
	owner->cache.changes++;
	if (clock_of(owner) >= reaches)
		give(owner, claim);
	reaches += half(is_near);
	if (contest_asked < reaches)
		contest_asked = reaches;
	return true;
}

bool contest_claims(uint64_t line)
{
	struct travel_claim *claim;

	if (!contest_asked)
		return false;
	claim = claim_of(front.core, line);
	if (claim) {
		claim->asked = now();
		claim->from = contest_asked;
		claim->until = TRAVEL_NEVER;
		claim->waiting = 0;
		claim->stood = false;
		claim->is_asked = true;
	}
	return claim;
}

static void stand(uint64_t until)
{
	uint64_t time = now();

	if (until <= time)
		return;
	front.core->clock += until - time;
	front_cut();
}

/* As travel.h tells uses from each other. The program has made it already, so
 * that the word is there; who only asks for the line does not load it. */
static struct travel_use use_of(Addr address, enum privcache_use how,
				enum arena_use use)
{
	enum { WORD_BYTES = 8 };
	const uint64_t *word = (const uint64_t *)(address & -(Addr)WORD_BYTES);

	return (struct travel_use){
		.kind = how != PRIVCACHE_STORE ? TRAVEL_LOAD
			: use == ARENA_LOCK    ? TRAVEL_LOCK
					       : TRAVEL_STORE,
		.word = address / WORD_BYTES % TRAVEL_WORDS,
		.value = use == ARENA_LOAD || use == ARENA_STORE ? *word : 0,
	};
}

/* A load has what another core stored after it had asked for the line. */
static bool is_too_old(const struct travel_claim *claim, uint64_t line,
		       struct travel_use use)
{
	struct arena_line *who = holders_of(line);
	struct travel_claim *owner = NULL;

	if (use.kind != TRAVEL_LOAD || travel_is_own(claim, use, now()))
		return false;
	if (who->own_core && who->own_core != front.core_number + 1)
		owner = travel_find(&arena->cores[who->own_core - 1].travel,
				    line);
	return owner && travel_is_newer(owner, use);
}

bool contest_answers(uint64_t line, Addr address, enum privcache_use how,
		     enum arena_use use)
{
	struct travel_claim *claim = travel_find(&front.core->travel, line);
	uint64_t time = now();
	enum travel_next next;
	struct travel_use made;
	uint64_t until;

	asks_at = 0;
	if (!claim)
		return false;
	if (claim->until == TRAVEL_NEVER && claim->from + calm() <= time) {
		claim->line = 0;
		return false;
	}
	made = use_of(address, how, use);
	if (claim->until != TRAVEL_NEVER && is_too_old(claim, line, made)) {
		stand(claim->from);
		time = now();
		claim->until = time;
	}
	next = travel_use(claim, made, time, arena->store_buffer,
			  arena->peer_cycles, &until);
	if (next == TRAVEL_DONE)
		return true;
	if (next == TRAVEL_ASKS) {
		asks_at = until;
		give(front.core, claim);
		claim->until = TRAVEL_NEVER;
	} else {
		stand(until);
	}
	return false;
}

/* Loops of equal length would meet a line at the same place of a round for
 * ever: who asks and goes on does so a little later, now more, now less. */
static uint64_t uneven(void)
{
	uint32_t drawn = (uint32_t)arena->num_transfers * UINT32_C(0x9e3779b1);

	return (drawn >> 16) % (arena->peer_cycles / UNEVEN_SHARE + 1);
}

bool contest_waits(uint64_t line, Addr address, enum privcache_use how,
		   enum arena_use use)
{
	struct travel_claim *claim = travel_find(&front.core->travel, line);
	uint64_t time;

	asks_at = 0;
	if (!claim || !claim->is_asked)
		return claim;
	time = now();
	stand(travel_asked(claim, use_of(address, how, use), time,
			   claim->from));
	if (now() == time)
		front.core->clock += uneven();
	return true;
}

void contest_drains(void)
{
	uint32_t i;

	for (i = 0; i < front.core->travel.num; i++)
		if (front.core->travel.claims[i].waiting)
			stand(front.core->travel.claims[i].from);
}

void contest_enter(void)
{
	struct arena_core *core = front.core;
	uint64_t time = clock_of(core);
	uint32_t i;

	for (i = 0; i < core->travel.num; i++)
		if (core->travel.claims[i].until <= time)
			give(core, &core->travel.claims[i]);
}
