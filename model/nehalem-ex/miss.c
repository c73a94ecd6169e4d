/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A miss from its C-Box to the home and back:
 *
 *	C-Box -AD-> S-Box -> [R-Box, link, R-Box] -> B-Box -> M-Box
 *	              |                                |
 *	              +--> R-Box, link, R-Box -> S-Box of each other socket
 *	                   -AD-> C-Box: its answer goes to the home, and data
 *	                   that it has to the requester
 *	B-Box -> [R-Box, link, R-Box] -> S-Box -BL-> core
 *	                                   |
 *	                                   +----BL-> C-Box: fill, victim
 *
 * It holds a MAF entry, a place in the S-Box's request table and a tracker
 * credit of the home, and ends when data and completion are in. It is cut at
 * the home if somebody is there before it with the same line, and if it or an
 * answer is long on its way.
 */
#include <string.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/access.h"
#include "model/nehalem-ex/memory.h"
#include "model/nehalem-ex/out.h"
#include "model/nehalem-ex/quick.h"
#include "signals.h"

/* A miss, and what has come back for it. */
struct miss {
	struct out_request request; /* stands first */
	struct access access;
	unsigned place;	  /* in the MAF */
	bool is_upgrade;  /* of a copy that is here, */
	bool needs_data;  /* but not in the core */
	bool has_line;	  /* from a peer */
	uint64_t granted; /* the home has completed it, the slice knows */
	uint64_t data_at; /* the slice has the line; 0: none was needed */
	enum llc_state state;
	uint64_t free_from; /* the S-Box has all that it waits for */
};

_Static_assert(sizeof(struct miss) <= OUT_REQUEST_SIZE, "see out.h");

static unsigned home_opcode(const struct access *access)
{
	if (access->kind == UNCORE_ACCESS_FLUSH)
		return HOM0_INV_XTO_I;
	if (core_streams(access->kind))
		return HOM0_INV_ITO_E;
	if (access->kind == UNCORE_ACCESS_CODE)
		return HOM0_RD_CODE;
	if (access->kind == UNCORE_ACCESS_READ)
		return HOM0_RD_DATA;
	return access->way ? HOM0_INV_ITO_E : HOM0_RD_INV_OWN;
}

static enum llc_state state_of(unsigned rds)
{
	return rds == RDS_M   ? LLC_M
	       : rds == RDS_E ? LLC_E
	       : rds == RDS_S ? LLC_S
			      : LLC_F;
}

/* The core has a line, in a state. */
static void tell_core(const struct access *access, enum core_answer answer,
		      enum llc_state state)
{
	core_answered(access->core, access->entry, answer);
	core_filled(access->core, access->kind == UNCORE_ACCESS_OWN ||
					  state == LLC_E || state == LLC_M);
}

static enum core_answer answer_of_home(const struct access *access,
				       unsigned home)
{
	return (unsigned)NODE_AT(home) == access->socket ? ANSWER_LOCAL_DRAM
							 : ANSWER_REMOTE_DRAM;
}

/* A line for the core, from a peer or from memory. */
static void deliver_line(struct miss *miss, const struct packet *packet,
			 uint64_t at, bool is_direct)
{
	const struct access *access = &miss->access;
	struct delivery delivery =
		out_deliver(access->ex, access->agent, packet, at, is_direct, 0,
			    (int)access->core->index);

	miss->data_at = delivery.slice_at;
	miss->state = state_of(packet->state);
	miss->free_from = sim_later(miss->free_from, delivery.left);
	tell_core(access,
		  packet->opcode != DRS_DATA_C
			  ? answer_of_home(access, packet->home)
		  : packet->is_modified ? ANSWER_REMOTE_MODIFIED
					: ANSWER_REMOTE,
		  miss->state);
	access_done(access, delivery.core_at);
}

/* If a peer has sent it; once. */
static void take_forward(struct miss *miss)
{
	const struct line_forward *forward = &miss->request.forward;

	if (!forward->is_there || miss->has_line)
		return;
	miss->has_line = true;
	deliver_line(miss, &forward->packet, forward->arrived, false);
}

/* The home's answer is at the requester's S-Box. */
static void take_reply(struct miss *miss)
{
	struct out_request *request = &miss->request;
	struct delivery delivery;

	out_take_reply(request);
	if (request->reply.cls == PACKET_DRS) {
		deliver_line(miss, &request->reply, request->reply_at,
			     request->is_direct);
		miss->granted = miss->data_at;
	} else {
		delivery = out_deliver(request->ex, request->agent,
				       &request->reply, request->reply_at,
				       request->is_direct, 0, -1);
		miss->granted = delivery.slice_at;
		miss->free_from = sim_later(miss->free_from, delivery.left);
	}
	if (request->is_forced)
		miss->granted = out_acknowledge(
			request, sim_later(miss->free_from, request->reply_at));
}

/* Of a line that is in some places. */
static bool waits_at_home(const struct slice *slice, uint64_t places)
{
	return !(places & SLICE_IPQ_BITS) &&
	       slice->lines.until[__builtin_ctzll(places)] == SIM_NEVER;
}

/* A way for the line, not one whose line is in the midst of something; if need
 * be one whose line waits at its home for the right to be written. */
static struct llc_way *choose(struct slice *slice, struct llc_spot spot,
			      uint64_t at, uint64_t *victim)
{
	struct llc_way *waiting = NULL;
	uint64_t its_line = 0;

	for (unsigned tries = 0; tries < slice->llc.num_ways; tries++) {
		struct llc_way *way =
			llc_choose(&slice->llc, spot, slice->index, victim);
		uint64_t busy;

		if (way->state == LLC_I)
			return way;
		busy = lines_find(&slice->lines, *victim, at) &
		       (SLICE_MAF_BITS | SLICE_IPQ_BITS);
		if (!busy)
			return way;
		if (!waiting && waits_at_home(slice, busy)) {
			waiting = way;
			its_line = *victim;
		}
		llc_touch(&slice->llc, way);
	}
	*victim = its_line;
	return waiting;
}

/* What a victim counts as. */
static enum llc_state victim_state(const struct llc_way *way)
{
	return way->is_core_dirty ? LLC_M : way->state;
}

static void count_victim(struct slice *slice, enum llc_state state, uint64_t at)
{
	static const uint16_t signal[] = {
		[LLC_I] = SIG_CBOX_LLC_VICTIMS_I,
		[LLC_M] = SIG_CBOX_LLC_VICTIMS_M,
		[LLC_E] = SIG_CBOX_LLC_VICTIMS_E,
		[LLC_S] = SIG_CBOX_LLC_VICTIMS_S,
		[LLC_F] = SIG_CBOX_LLC_VICTIMS_F,
	};

	engine_count(&slice->floor->ex->engine, slice->bank, signal[state], at);
}

/* The miss is over: its MAF entry is free, the core has its GO. */
static void free_after(struct access *access, unsigned place, uint64_t at)
{
	struct slice *slice = access->slice;

	slice->fills[place].line = access->line;
	slice->fills[place].core = (uint8_t)access->core->index;
	access_end_fill(slice, place, at);
}

/* How soon a fill that found no way tries again. */
enum { FILL_RETRY_CYCLES = 8 };

static void count_fill(const struct access *access, enum llc_state state,
		       uint64_t at)
{
	static const uint16_t signal[] = {
		[LLC_M] = SIG_CBOX_LLC_S_FILLS_M,
		[LLC_E] = SIG_CBOX_LLC_S_FILLS_E,
		[LLC_S] = SIG_CBOX_LLC_S_FILLS_S,
		[LLC_F] = SIG_CBOX_LLC_S_FILLS_F,
	};

	engine_count(&access->ex->engine, access->slice->bank, signal[state],
		     at);
}

/* The line, which came in a state, is in a way that is free. */
static void put(const struct access *access, struct llc_way *way,
		enum llc_state state, uint32_t value)
{
	bool owns = access->kind == UNCORE_ACCESS_OWN;

	llc_place(&access->slice->llc, way, access->spot);
	way->state = owns ? LLC_M : state;
	llc_set_cores(way, 1u << access->core->index);
	way->is_core_dirty = owns;
	copies_fill(access_copy(access, way), value);
}

/* While time stands. */
static void fill_at_once(const struct access *access, enum llc_state state,
			 uint32_t value)
{
	struct facts_book *book = &access->ex->engine.facts;
	struct slice *slice = access->slice;
	unsigned core = access->core->index;
	uint64_t now = engine_now(&access->ex->engine), victim = 0;
	struct llc_way *way =
		llc_choose(&slice->llc, access->spot, slice->index, &victim);
	enum llc_state other = victim_state(way);
	struct facts *facts =
		&access->here->quick->fills[state][other][core][slice->index];

	if (way->state != LLC_I)
		line_evict(slice, way, victim, now);
	if (facts_begin(book, facts)) {
		count_victim(slice, other, now);
		count_fill(access, state, now);
		floor_send_go(access->floor, slice, core, now);
		facts_end(book, facts);
	}
	put(access, way, state, value);
}

/* The line goes into the slice. */
static void fill(struct miss *miss)
{
	struct access *access = &miss->access;
	struct slice *slice = access->slice;
	uint64_t victim = 0;
	uint64_t at = slice_pass(access->floor, slice,
				 sim_later(miss->data_at, miss->granted));
	struct llc_way *way;

	while (!(way = choose(slice, access->spot, at, &victim))) {
		slice_refuse(slice, SIG_CBOX_MAF_NACK1_IDX_BLOCK, at);
		at = slice_pass(access->floor, slice, at + FILL_RETRY_CYCLES);
	}
	slice->fills[miss->place].core = (uint8_t)access->core->index;
	count_victim(slice, victim_state(way), at);
	if (way->state != LLC_I)
		line_make_way(slice, miss->place, access->line, way, victim,
			      at);
	else
		free_after(access, miss->place, at);
	count_fill(access, miss->state, at);
	put(access, way, miss->state, miss->request.value);
}

static void begin_fill(struct miss *miss)
{
	const struct access *access = &miss->access;

	if (!access->ex->engine.is_quick) {
		fill(miss);
		return;
	}
	access_free_maf(access, miss->place, engine_now(&access->ex->engine));
	fill_at_once(access, miss->state, miss->request.value);
}

/* The core has the right to write, and the line if it needs it. */
static void let_core_write(struct miss *miss)
{
	const struct access *access = &miss->access;

	core_answered(access->core, access->entry, ANSWER_SLICE);
	if (miss->needs_data)
		core_filled(access->core, true);
	access_done(access,
		    miss->needs_data
			    ? floor_send_data(access->floor, access->slice,
					      access->core->index,
					      miss->granted)
			    : miss->granted);
}

/* The right to write to a copy that is here. */
static void upgrade(struct miss *miss)
{
	struct access *access = &miss->access;
	struct llc_way *way = access->way;
	const struct slice_stay *stay = &access->slice->stays[miss->place];

	miss->granted = sim_later(miss->granted, stay->asked);
	copies_write(access_copy(access, way));
	way->state = LLC_M;
	llc_set_cores(way, 1u << access->core->index);
	way->is_core_dirty = true;
	let_core_write(miss);
	free_after(access, miss->place, miss->granted);
}

/* A copy that is here is to be written: the socket's other cores lose theirs.
 * Whether the core needs the line, too. */
static bool begin_upgrade(struct access *access, struct slice_stay *stay,
			  uint64_t at)
{
	struct llc_way *way = access->way;
	unsigned own = 1u << access->core->index, others = way->cores & ~own;

	llc_touch(&access->slice->llc, way);
	if (others) {
		copies_take(access->floor->socket, others, access->line, false,
			    false);
		stay->asks = at;
		stay->asked = floor_ask_cores(access->floor, access->slice,
					      others, at, -1);
	}
	return !(way->cores & own);
}

/* The home has answered. A copy that was to be upgraded is gone if a home with
 * a directory let somebody else go first: the line is a new one then. */
static void end(struct out_request *request)
{
	struct miss *miss = (struct miss *)request;
	struct access *access = &miss->access;

	take_forward(miss);
	take_reply(miss);
	agent_release(request->ex, request->agent, request->serial,
		      miss->free_from);
	if (access->told) {
		access->told->state = (uint8_t)miss->state;
		facts_end(&request->ex->engine.facts, &access->told->facts);
	}
	access->slice->stays[miss->place].granted = miss->granted;
	if (miss->is_upgrade)
		access->way = llc_find_at(&access->slice->llc, access->spot);
	if (miss->is_upgrade && access->way) {
		upgrade(miss);
	} else if (miss->is_upgrade) {
		miss->needs_data = true;
		miss->state = LLC_E;
		let_core_write(miss);
		begin_fill(miss);
	} else {
		begin_fill(miss);
	}
	pool_put(&request->ex->requests, miss);
}

/* What a peer has sent does not wait for the home. */
static void waits(struct out_request *request, uint64_t until)
{
	struct miss *miss = (struct miss *)request;

	take_forward(miss);
	access_keep_maf(&miss->access, miss->place, until);
	agent_keep(request->agent, request->serial, until);
}

static struct miss *new_miss(const struct access *access, uint64_t at)
{
	struct miss *miss = pool_take(&access->ex->requests);
	struct out_request *request = &miss->request;

	memset(&request->job, 0, sizeof(request->job));
	request->ex = access->ex;
	request->socket = access->socket;
	request->agent = access->agent;
	request->slice = access->slice;
	request->line = access->line;
	request->opcode = home_opcode(access);
	request->then = end;
	request->waits = waits;
	request->owing = 0;
	request->forward.is_there = request->is_forced = false;
	miss->access = *access;
	miss->place = access_take_maf(access, at);
	request->serial =
		agent_take(access->ex, access->agent, (int)access->home, at,
			   false, &request->number);
	miss->is_upgrade = miss->has_line = false;
	miss->needs_data = true;
	miss->granted = miss->data_at = miss->free_from = 0;
	miss->state = LLC_I;
	return miss;
}

static int miss_signal(const struct access *access)
{
	return !access->way		     ? SIG_CBOX_LLC_MISSES_I
	       : access->way->state == LLC_S ? SIG_CBOX_LLC_MISSES_S
					     : SIG_CBOX_LLC_MISSES_F;
}

void access_miss(struct access *access, uint64_t at, int *signal)
{
	struct slice *slice = access->slice;
	struct miss *miss = new_miss(access, at);
	struct slice_stay *stay = &slice->stays[miss->place];

	*signal = miss_signal(access);
	if (access->way) {
		miss->is_upgrade = true;
		miss->needs_data = begin_upgrade(access, stay, at);
	} else {
		access->core->num_llc_misses++;
	}
	stay->home = at;
	out_ask(&miss->request, at);
	take_forward(miss);
	out_settle(&miss->request);
}

/* Whether memory will answer: no peer has the line. Homes with a directory ask
 * whom they know of. */
static bool meets_nobody(const struct access *access)
{
	const struct ex *ex = access->ex;
	unsigned slice = access->slice->index;

	if (access->way || ex->has_directory)
		return false;
	for (unsigned i = 0; i < ex->num_sockets; i++)
		if (i != access->socket &&
		    llc_has_at(&ex->sockets[i].floor->slices[slice].llc,
			       access->spot))
			return false;
	return true;
}

/* Of a class that is known. */
static void take_from_memory(struct access *access, struct quick_miss *told,
			     uint64_t local)
{
	struct ex *ex = access->ex;
	const struct ex_socket *there = &ex->sockets[NODE_SOCKET(access->home)];

	facts_count(&ex->engine.facts, &told->facts);
	access->core->num_llc_misses++;
	memory_pass(there->memories[NODE_SIDE(access->home)], MBOX_CMD_READ,
		    local);
	tell_core(access, answer_of_home(access, access->home), told->state);
	fill_at_once(access, told->state, 0);
}

void access_miss_at_once(struct access *access)
{
	struct facts_book *book = &access->ex->engine.facts;
	struct quick_miss *told;
	uint64_t local;
	int signal;

	access->home = socket_home_of(access->here->socket, access->line,
				      access->slice->index, &local);
	if (meets_nobody(access)) {
		told = &access->here->quick->misses[quick_home(
			access->home)][access->kind][access->core->index]
						   [access->slice->index];
		if (facts_are_known(book, &told->facts)) {
			take_from_memory(access, told, local);
			return;
		}
		access->told = told;
		facts_note(book, &told->facts);
	}
	access_tell_arrival(access);
	facts_tell(book, access->slice->bank, (unsigned)miss_signal(access), 1);
	access_miss(access, engine_now(&access->ex->engine), &signal);
}
