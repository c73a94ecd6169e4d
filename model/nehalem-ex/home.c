/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.4. What a home agent does with a request. The requester has sent the
 * snoops (source snooping) and the home only gathers the answers; with
 * `bbox.directory` it sends them itself.
 *
 * One request of a line is active at a time; who comes meanwhile waits for its
 * end and counts as a conflict. Memory is read as soon as a request is active
 * (prefetch), not waiting for the answers; where the IMT had no entry until
 * they were in, that is a demand fetch. A read is not called back when a peer
 * has sent the data. Of what data are written meanwhile (write-backs, announced
 * or with an answer) a request that wants memory's data or the right to the
 * line waits for all, and reads again what it has read too early.
 *
 * Write-backs and writes have no place in that order. Nobody snoops a hub: what
 * it reads is a snapshot, and a line that it was granted stays busy here until
 * it has written it.
 *
 * Cuts. The home knows of a request, and of data on their way, long before they
 * arrive where links are slow or crowded. What it held for them from then on,
 * an entry of the IMT, a bank's turn in memory, would be lost to those who come
 * first; and so would be the links for a reply that cannot leave before. So who
 * arrives late (HOME_SOON) is worked off when he does, by an event, and replied
 * to when all is there. His place in the order of the line he has from the
 * beginning, since those who were snooped have answered in that order.
 *
 * Invariants
 * 1. A request is acted on bbox.cycles after its arrival, and so is all that
 *    comes in later. What it leads to leaves a cycle later.
 * 2. The tracker has room for it: its requester has a credit.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/box/socket.h"
#include "model/nehalem-ex/home_parts.h"
#include "signals.h"

static void drive_signals(struct sigbank *bank)
{
	static const uint16_t signals[] = {
		SIG_BBOX_MSG_IN,
		SIG_BBOX_TF_ALL,
		SIG_BBOX_TF_WR,
		SIG_BBOX_TF_INVITOE,
		SIG_BBOX_TF_IOH,
		SIG_BBOX_TF_IOH_WR,
		SIG_BBOX_TF_IOH_INVITOE,
		SIG_BBOX_TF_IOH_NON_INVITOE_RD,
		SIG_BBOX_IMT_VALID_OCCUPANCY,
		SIG_BBOX_DRSQ_OCCUPANCY,
		SIG_BBOX_MSG_OUT,
		SIG_BBOX_IMT_INSERTS_ALL,
		SIG_BBOX_DRSQ_INSERTS,
		SIG_BBOX_IMT_INSERTS_NON_IOH,
		SIG_BBOX_IMT_INSERTS_WR,
		SIG_BBOX_IMT_INSERTS_NON_IOH_WR,
		SIG_BBOX_IMT_INSERTS_INVITOE,
		SIG_BBOX_IMT_INSERTS_NON_IOH_INVITOE,
		SIG_BBOX_IMT_INSERTS_RD,
		SIG_BBOX_IMT_INSERTS_NON_IOH_RD,
		SIG_BBOX_IMT_INSERTS_IOH,
		SIG_BBOX_IMT_INSERTS_IOH_WR,
		SIG_BBOX_IMT_INSERTS_IOH_INVITOE,
		SIG_BBOX_SNPOQ_OCCUPANCY,
		SIG_BBOX_SNPOQ_INSERTS,
		SIG_BBOX_DIRQ_OCCUPANCY,
		SIG_BBOX_DIRQ_INSERTS,
		SIG_BBOX_MSG_IN_NON_SNP,
		SIG_BBOX_MSG_S_TO_B,
		SIG_BBOX_MSG_B_TO_S,
		SIG_BBOX_EARLY_ACK,
		SIG_BBOX_IMT_PREALLOC,
		SIG_BBOX_COHQ_BYPASS,
		SIG_BBOX_DEMAND_FETCH,
		SIG_BBOX_IMPLICIT_WBS,
		SIG_BBOX_COHQ_IMT_ALLOC_WAIT,
		SIG_BBOX_SBOX_VN0_UNAVAIL,
		SIG_BBOX_RBOX_VNA_UNAVAIL,
		SIG_BBOX_IMT_FULL,
		SIG_BBOX_CONFLICTS,
		SIG_BBOX_ACK_BEFORE_LAST_SNP,
	};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sig_drives(bank, signals[i], 1);
}

static void read_parameters(struct home *home, const struct socket *socket)
{
	home->cycles = socket_param(socket, PARAM_BBOX_CYCLES);
	home->shared_state =
		socket_param(socket, PARAM_LLC_FORWARD) ? RDS_F : RDS_S;
	home->has_core = socket_param(socket, PARAM_BBOX_MIRROR);
	home->has_directory = socket_param(socket, PARAM_BBOX_DIRECTORY);
	home->half_cores = socket->num_cores / 2;
	home->memory_lines = socket->memory_lines / SOCKET_SIDES;
	places_init(&home->imt, socket_param(socket, PARAM_BBOX_IMT));
}

struct home *home_new(struct ex *ex, unsigned socket, unsigned side,
		      struct sigbank *bank)
{
	struct home *home = calloc(1, sizeof(*home));

	if (!home)
		return NULL;
	home->ex = ex;
	home->bank = bank;
	home->socket = socket;
	home->side = side;
	home->node = NODE_BBOX(socket, side);
	home->own_sbox = NODE_SBOX(socket, side);
	home->memory = &ex->sockets[socket].memories[side];
	read_parameters(home, ex->sockets[socket].socket);
	home_writes_init(home);
	drive_signals(bank);
	home->visits = visits_new(bank, sizeof(struct home_left));
	if (home->visits && board_init(&home->levels, HOME_ROWS) &&
	    home_lines_init(&home->lines) &&
	    (!home->has_directory ||
	     directory_init(&home->directory, home->memory_lines)))
		return home;
	home_free(home);
	return NULL;
}

void home_free(struct home *home)
{
	if (!home)
		return;
	directory_fini(&home->directory);
	home_lines_fini(&home->lines);
	pool_fini(&home->writes);
	board_fini(&home->levels);
	free(home);
}

/* What memory has given is known to be bad, or may be: the slave is asked. */
static SIG_SLOW void fetch_again(struct ex *ex, struct home *home,
				 struct home_job *job)
{
	struct home_work work = { .line = job->line, .local = job->local };

	job->is_bad |= home_is_poisoned(home, job->line);
	if (!job->is_bad || !home->has_core)
		return;
	work.is_bad = true;
	work.done = job->memory_at;
	job->memory_at = home_mirror_read(ex, home, &work);
	job->is_bad = work.is_bad;
}

static bool has_place_in_line(const struct home_job *job)
{
	const unsigned others = 1u << HOM0_WB_MTO_I | 1u << HOM0_WB_MTO_E |
				1u << HOM0_WB_MTO_S | 1u << HOM0_NON_SNP_WR |
				1u << HOM0_EVCT_CLN;

	return !(others >> job->request.opcode & 1);
}

void home_arrive(struct ex *ex, struct home *home, struct home_job *job)
{
	home_take(home, &job->request, job->arrived);
	job->home = home;
	job->entered = job->shown =
		job->arrived + (ex->engine.is_quick ? 0 : home->cycles);
	memset(&job->answered, 0,
	       offsetof(struct home_job, begun) -
		       offsetof(struct home_job, answered));
	if (!ex->engine.is_quick)
		job->place = home_line_place(
			&home->lines, engine_now(&ex->engine), job->line);
}

static void wake(void *object, uint64_t place);

/* It waits for the line at least until that is free as far as is known. */
static void tell(struct home *home, struct home_job *job, uint64_t until)
{
	uint64_t before = sim_act_for(home->ex->engine.sim, job->requester);

	if (until > job->shown)
		home_show_tracker(home, job, until);
	if (until > job->entered)
		home_conflict(
			home, job,
			sim_later(job->entered, engine_now(&home->ex->engine)));
	job->waits(job, until);
	sim_act_for(home->ex->engine.sim, before);
}

/* When the first of those who wait for a line may begin. */
static uint64_t turn_of_first(const struct home_line *line)
{
	return sim_later(line->until, line->first->entered);
}

static void plan_wake(struct home *home, struct home_line *line)
{
	uint64_t turn;

	if (!line->first)
		return;
	turn = turn_of_first(line);
	for (struct home_job *job = line->first; job; job = job->next)
		tell(home, job, turn);
	if (line->is_held)
		return;
	sim_at(home->ex->engine.sim,
	       sim_later(turn, engine_now(&home->ex->engine)), wake, home,
	       (uint64_t)(line - home->lines.pool));
}

/* The line is free for the first of those who wait, who has arrived. */
static void wake(void *object, uint64_t place)
{
	struct home *home = object;
	struct home_line *line = &home->lines.pool[place];
	struct home_job *job = line->first;

	if (turn_of_first(line) <= engine_now(&home->ex->engine)) {
		line->until = engine_now(&home->ex->engine) + 1;
		line->first = job->next;
		sim_act_for(home->ex->engine.sim, job->requester);
		job->go_on(job);
	}
	plan_wake(home, &home->lines.pool[place]);
}

unsigned home_owing(const struct home *home, const struct home_job *job)
{
	const struct home_line *line = &home->lines.pool[job->place];
	unsigned sockets = 0;

	if (home->ex->engine.is_quick)
		return 0;
	for (job = line->first; job; job = job->next)
		sockets |= job->rivals;
	return sockets;
}

bool home_wait(struct ex *ex, struct home *home, struct home_job *job)
{
	struct home_line *line = home_line_of(home, job);

	if (ex->engine.is_quick || !has_place_in_line(job) ||
	    (!line->first && !line->is_held && line->until <= job->entered &&
	     home_is_soon(ex, job->entered)))
		return false;
	job->next = NULL;
	job->requester = sim_requester(ex->engine.sim);
	if (line->first) {
		line->last->next = job;
		line->last = job;
		tell(home, job, turn_of_first(line));
		return true;
	}
	line->first = line->last = job;
	plan_wake(home, line);
	return true;
}

static void begin_in_line(struct ex *ex, struct home *home,
			  struct home_job *job)
{
	job->begun = sim_later(job->entered, engine_now(&ex->engine));
	if (!ex->engine.is_quick) /* until its end is known */
		home_line_of(home, job)->until = job->begun + 1;
	home_fetch(ex, home, job);
	if (home->num_poisoned || job->is_bad)
		fetch_again(ex, home, job);
	if (home_has_lookup(home, job->request.opcode))
		home_directory_look_up(home, job);
}

/* Whoever gives a line up may ask for it again, and have it before the write is
 * done: the directory forgets him now. */
static void begin_write(struct home *home, struct home_job *job)
{
	struct home_line *line = home_line_of(home, job);

	job->begun = job->entered;
	if (job->request.opcode != HOM0_EVCT_CLN) {
		home_take_write_data(home, job);
		if (!home->ex->engine.is_quick)
			line->written = sim_later(line->written,
						  job->data_at + home->cycles);
	}
	if (home->has_directory)
		home_directory_update(home, job);
}

void home_begin(struct ex *ex, struct home *home, struct home_job *job)
{
	if (has_place_in_line(job))
		begin_in_line(ex, home, job);
	else
		begin_write(home, job);
}

/* What the answered request waited for in the coherence queue, if the IMT had
 * no entry for its read. */
static void show_alloc_wait(struct ex *ex, struct home *home, uint64_t from,
			    uint64_t to)
{
	board_forget(&home->levels, engine_now(&ex->engine));
	overlap_add(&home->levels, HOME_ALLOC_WAIT, 1, home->bank,
		    SIG_BBOX_COHQ_IMT_ALLOC_WAIT, from, to);
}

/* The newer line from the write that came after the read. */
static SIG_SLOW uint64_t refill(struct ex *ex, struct home *home,
				struct home_job *job, uint64_t at)
{
	struct home_work work = {
		.line = job->line,
		.local = job->local,
		.row = HOME_REFILL,
		.opcode = job->request.opcode,
		.is_ioh = NODE_IS_IOH(job->request.requester),
	};

	home_work_off(ex, home, &work, at);
	show_alloc_wait(ex, home, at, work.begun);
	job->is_bad |= work.is_bad;
	return work.done;
}

/* How the answers and memory's came after each other, as soon as it is known.
 */
static void show_order(struct ex *ex, struct home *home, struct home_job *job,
		       uint64_t ready)
{
	if (job->is_order_shown)
		return;
	job->is_order_shown = true;
	if (job->memory_at < ready &&
	    !home_has_lookup(home, job->request.opcode))
		sig_later(home->bank, SIG_BBOX_ACK_BEFORE_LAST_SNP,
			  job->memory_at, 1);
	if (ready >= job->fetched || job->fetched == job->begun)
		return;
	show_alloc_wait(ex, home, ready, job->fetched);
	sig_later(home->bank, SIG_BBOX_DEMAND_FETCH, job->fetched, 1);
}

/* The cycle in which nothing is missing any more. It leaves by the coherence
 * queue if something was when the last answer came. */
static uint64_t completion(struct ex *ex, struct home *home,
			   struct home_job *job, uint64_t ready)
{
	struct home_line *line = home_line_of(home, job);
	uint64_t at = sim_later(ready, job->memory_at);
	uint64_t written = sim_later(line->written, job->written);
	bool is_in_cohq = at > ready;

	if (written > job->begun && !(job->said & HOME_PEER_DATA)) {
		is_in_cohq |= line->written > at;
		at = sim_later(at, line->written);
		if (!home_is_grant(job->request.opcode)) {
			at = refill(ex, home, job, at);
			is_in_cohq = true;
		}
	}
	if (!is_in_cohq)
		sig_later(home->bank, SIG_BBOX_COHQ_BYPASS, at, 1);
	line->written = written;
	return at;
}

/* The request is out of the way; who comes next may begin. */
static void finish(struct home *home, struct home_job *job, uint64_t at)
{
	struct home_line *line = home_line_of(home, job);

	if (home->has_directory)
		home_directory_update(home, job);
	if (home->ex->engine.is_quick)
		return;
	home_show_tracker(home, job, at);
	line->until = sim_later(line->until, at);
}

/* All answers are there. */
static uint64_t ready_from(const struct home *home, const struct home_job *job)
{
	uint64_t ready = sim_later(job->begun, job->answered);

	if (home_has_lookup(home, job->request.opcode))
		ready = sim_later(ready, job->snoop_at - 1);
	return ready;
}

static void answers_are_there(void *object, uint64_t place)
{
	struct home_job *job = object;
	struct home *home = job->home;

	home->lines.pool[place].is_held = false;
	job->go_on(job);
	plan_wake(home, &home->lines.pool[place]);
}

bool home_wait_for_answers(struct ex *ex, struct home *home,
			   struct home_job *job)
{
	struct home_line *line = home_line_of(home, job);
	uint64_t ready = ready_from(home, job);
	uint64_t at = sim_later(ready, job->memory_at);

	if (ex->engine.is_quick || home_is_soon(ex, at))
		return false;
	show_order(ex, home, job, ready);
	line->until = at;
	line->is_held = true;
	home_show_tracker(home, job, at);
	job->waits(job, at);
	sim_at(ex->engine.sim, at, answers_are_there, job, job->place);
	return true;
}

static void end_in_line(struct ex *ex, struct home *home, struct home_job *job)
{
	uint64_t ready = ready_from(home, job), at;

	if (ex->engine.is_quick) {
		at = ready;
	} else {
		show_order(ex, home, job, ready);
		at = completion(ex, home, job, ready);
	}
	job->is_forced = job->said & HOME_RIVAL;
	home_reply(home, job);
	job->reply_at = at + 1;
	if (!job->is_forced)
		finish(home, job, at);
}

void home_acknowledged(struct home *home, struct home_job *job, uint64_t at)
{
	struct packet acknowledgement = job->request;

	acknowledgement.opcode = HOM0_ACK_CNFLT;
	home_take(home, &acknowledgement, at);
	at += home->cycles;
	home_note_insert(home, &job->request, false, at);
	finish(home, job, at);
	home_complete(home, &job->request, job->request.requester, &job->reply);
	job->reply_at = at + 1;
}

void home_end(struct ex *ex, struct home *home, struct home_job *job)
{
	if (has_place_in_line(job)) {
		end_in_line(ex, home, job);
		return;
	}
	home_complete(home, &job->request, job->request.requester, &job->reply);
	job->reply_at = job->entered + 1;
	if (home_is_write(job->request.opcode))
		home_end_write(ex, home, job);
}
