/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A flush drives the socket's copy out through the VIQ and then has the home
 * collect all others (InvXtoI). A streaming store gets the right to the line
 * (InvItoE), drops all copies and sends the new line to memory; its home has to
 * know before it is done, so it asks even where the slice may write. One of a
 * part of the line drives out first what the socket has changed, and its data
 * are WbIDataPtl. None of these counts as hit, miss or victim of the LLC.
 *
 * Choice: a snoop that meets such a part on its way to memory takes it along
 * like a line.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/access.h"
#include "model/nehalem-ex/out.h"
#include "signals.h"

enum { RETRY_CYCLES = 8 };

bool access_flush_needs_home(const struct access *access)
{
	return access->kind != UNCORE_ACCESS_FLUSH || !access->way;
}

/* The socket's copy has to leave through the VIQ before. */
static bool is_driven_out(const struct access *access)
{
	const struct llc_way *way = access->way;

	if (!way || access->kind == UNCORE_ACCESS_NT_WRITE)
		return false;
	return access->kind == UNCORE_ACCESS_FLUSH || way->state == LLC_M ||
	       (way->cores && way->is_core_dirty);
}

SIG_SLOW int access_flush_refusal(struct access *access, uint64_t at,
				  uint64_t *again)
{
	struct slice *slice = access->slice;

	if (!is_driven_out(access))
		return -1;
	*again = at + RETRY_CYCLES;
	if (places_from(&slice->viq, engine_now(&access->ex->engine), at) > at)
		return SIG_CBOX_MAF_NACK2_VIQ_FULL;
	line_evict(slice, access->way, access->line, at);
	*again = at + RETRY_CYCLES;
	return SIG_CBOX_MAF_NACK1_VIC_PENDING;
}

/* Copies of the line are worth nothing from now on. */
static uint64_t drop_copies(struct access *access, struct slice_stay *stay,
			    uint64_t at)
{
	struct llc_way *way = access->way;
	unsigned cores = way->cores;
	int dirty = cores && way->is_core_dirty ? __builtin_ctz(cores) : -1;

	if (cores) {
		copies_take(access->floor->socket, cores, access->line, false,
			    false);
		stay->asks = at;
		at = floor_ask_cores(access->floor, access->slice, cores, at,
				     dirty);
		stay->asked = at;
	}
	llc_drop(&access->slice->llc, way);
	return at;
}

static void end(const struct access *access, unsigned place, uint64_t at)
{
	struct socket *socket = access->here->socket;
	uint64_t local;

	core_answered(access->core, access->entry,
		      NODE_SOCKET(socket_home(socket, access->line, &local)) ==
				      socket->index
			      ? ANSWER_LOCAL_DRAM
			      : ANSWER_REMOTE_DRAM);
	access_done(access, at);
	floor_send_go(access->floor, access->slice, access->core->index, at);
	access_free_maf(access, place, at);
}

/* The new line of a streaming store waits for a place in the VIQ. Whoever asks
 * for it meets it as a line on its way out, from the pass on that dropped the
 * old one. */
static void keep_new(const struct access *access, unsigned place, uint64_t at,
		     uint64_t done)
{
	struct slice *slice = access->slice;
	struct values *values = access->here->socket->values;

	slice->fills[place].victim = (struct slice_victim){
		.line = access->line,
		.value = values ? values_write(values, access->line,
					       access->core->number)
				: 0,
		.dirty_core = -1,
		.is_dirty = true,
		.is_partial = access->kind == UNCORE_ACCESS_NT_PART,
		.is_waiting = true,
		.again = done,
	};
	slice->stays[SLICE_OUT + place] = (struct slice_stay){ .from = at };
	lines_drop(&slice->lines, place); /* it was the miss that was busy */
	lines_put(&slice->lines, SLICE_OUT + place, access->line, SIM_NEVER);
}

/* It goes to memory, if no snoop has taken it along. */
static void stream(void *core, uint64_t entry)
{
	struct access access = access_of(core, (unsigned)entry);
	struct slice *slice = access.slice;
	unsigned place = access.wait->place;
	struct slice_victim *victim = &slice->fills[place].victim;
	uint64_t now = engine_now(&access.ex->engine);

	if (places_from(&slice->viq, now, now) > now) {
		victim->again = now + RETRY_CYCLES;
		access_show_maf(slice, place, victim->again);
		sim_at(access.ex->engine.sim, victim->again, stream, core,
		       entry);
		return;
	}
	victim->is_waiting = false;
	lines_drop(&slice->lines, SLICE_OUT + place);
	if (victim->is_dirty)
		line_evict_new(slice, victim, now);
	end(&access, place, now);
}

/* A streaming store, or a flush, that asks the home. */
struct flush {
	struct out_request request; /* stands first */
	struct access access;
	unsigned place; /* in the MAF */
	uint64_t at;	/* its pass */
	uint64_t done;	/* copies are gone */
};

_Static_assert(sizeof(struct flush) <= OUT_REQUEST_SIZE, "see out.h");

/* Nobody has the line any more. */
static void go_on(const struct access *access, unsigned place, uint64_t at,
		  uint64_t done)
{
	if (!core_streams(access->kind)) {
		end(access, place, done);
		return;
	}
	access->wait->place = (uint8_t)place;
	keep_new(access, place, at, done);
	if (access->ex->engine.is_quick) {
		stream(access->core, access->entry);
		return;
	}
	access_show_maf(access->slice, place, done);
	sim_at(access->ex->engine.sim, done, stream, access->core,
	       access->entry);
}

/* The home has taken the line from everybody else. */
static void agreed(struct out_request *request)
{
	struct flush *flush = (struct flush *)request;
	struct delivery delivery;

	out_take_reply(request);
	delivery = out_deliver(request->ex, request->agent, &request->reply,
			       request->reply_at, request->is_direct, 0, -1);
	if (request->is_forced)
		delivery.slice_at = out_acknowledge(request, delivery.left);
	agent_release(request->ex, request->agent, request->serial,
		      delivery.left);
	flush->access.slice->stays[flush->place].granted = delivery.slice_at;
	go_on(&flush->access, flush->place, flush->at,
	      sim_later(flush->done, delivery.slice_at));
	pool_put(&request->ex->requests, flush);
}

static void waits(struct out_request *request, uint64_t until)
{
	const struct flush *flush = (const struct flush *)request;

	access_keep_maf(&flush->access, flush->place, until);
	agent_keep(request->agent, request->serial, until);
}

static void ask_home(const struct access *access, unsigned place, uint64_t at,
		     uint64_t done)
{
	struct flush *flush = pool_take(&access->ex->requests);
	struct out_request *request = &flush->request;
	uint64_t local;
	unsigned home = socket_home(access->here->socket, access->line, &local);

	*flush = (struct flush){
		.request = {
			.ex = access->ex,
			.socket = access->socket,
			.agent = access->agent,
			.slice = access->slice,
			.line = access->line,
			.opcode = access->kind == UNCORE_ACCESS_FLUSH
					  ? HOM0_INV_XTO_I
					  : HOM0_INV_ITO_E,
			.then = agreed,
			.waits = waits,
		},
		.access = *access,
		.place = place,
		.at = at,
		.done = done,
	};
	request->serial = agent_take(access->ex, access->agent, (int)home, at,
				     false, &request->number);
	access->slice->stays[place].home = at;
	out_ask(request, at);
	out_settle(request);
}

SIG_SLOW void access_flush(struct access *access, uint64_t at)
{
	unsigned place = access_take_maf(access, at);
	struct slice_stay *stay = &access->slice->stays[place];
	bool needs_home = access_flush_needs_home(access);
	uint64_t done = at + !access->ex->engine.is_quick;

	if (access->way)
		done = sim_later(done, drop_copies(access, stay, at));
	if (needs_home)
		ask_home(access, place, at, done);
	else
		go_on(access, place, at, done);
}
