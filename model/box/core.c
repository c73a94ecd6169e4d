/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is left out: branch prediction, dependences between loads other than
 * those the traffic marks, SMT. Choices: a store takes a fill buffer but does
 * not hold up the instruction window; the right to write a line held
 * exclusively is taken silently, as the private caches do.
 */
#include "model/box/core.h"
#include "model/box/detail.h"
#include "model/box/prefetch.h"

#include <math.h>
#include <string.h>

#include "model/box/socket.h"

#define FIXED_BITS 16

/* Cycles after which a core without traffic asks again: the longer it had none,
 * the more rarely. */
enum { POLL_CYCLES = 2000, MAX_POLL_CYCLES = 64000 };

/* Cycles between two looks whether another core is done with a line. */
enum { AFTER_CYCLES = 8 };

static void run(void *object, uint64_t unused);

void core_init(struct core *core, struct socket *socket, unsigned index)
{
	const double *p = socket->param;
	double cycles =
		core_cpi(p) * p[PARAM_UNCORE_CLOCK] / p[PARAM_CORE_CLOCK];

	memset(core, 0, sizeof(*core));
	core->socket = socket;
	core->index = index;
	core->number = socket->index * socket->num_cores + index;
	core->state = CORE_ENDED;
	core->poll_cycles = POLL_CYCLES;
	core->nominal_cycles_per_instruction =
		fmax(1, floor(cycles * (1 << FIXED_BITS) + 0.5));
	core->nominal_cycles_per_core_cycle =
		floor(p[PARAM_UNCORE_CLOCK] / p[PARAM_CORE_CLOCK] *
			      (1 << FIXED_BITS) +
		      0.5);
	core_set_clock(core, 1);
	core->window = socket_param(socket, PARAM_CORE_WINDOW);
	core->fill_buffers = socket_param(socket, PARAM_CORE_FILL_BUFFERS);
	core->super_queue = socket_param(socket, PARAM_CORE_SUPER_QUEUE);
	core->prefetchers =

		socket_param(socket, PARAM_CORE_PREFETCH) & PREFETCH_ALL;
	core->max_uncached = socket_param(socket, PARAM_CORE_UNCACHED);
	core->rwrf_room = socket_param(socket, PARAM_CBOX_RWRF);
	if (!core->rwrf_room) /* the machine has no such queue */
		core->rwrf_room = CORE_MAX_OUTSTANDING;
	/* A core's clock may run a constant ahead: the way of the request to
	 * the ring is added to the way of the data from it. */
	core->fill_cycles = socket_param(socket, PARAM_CORE_REQUEST_CYCLES) +
			    socket_param(socket, PARAM_CORE_FILL_CYCLES);
	core->snoop_cycles = socket_param(socket, PARAM_CORE_SNOOP_CYCLES);
}

/* A core is halted while it has no instructions and waits for no access. The
 * sum of the ends of its busy times less the sum of their beginnings. */
void core_keep_time(struct core *core)
{
	bool sleeps = core->step == STEP_SLEEP;
	bool is_busy = (core->state == CORE_RUNS && !sleeps) || core->used;
	uint64_t now = sim_now(core->socket->sim);

	if (is_busy == core->is_busy)
		return;
	core->is_busy = is_busy;
	core->busy_cycles += is_busy ? -now : now;
	core->socket->kind->power_state(core, is_busy  ? POWER_C0
					      : sleeps ? POWER_C6
						       : POWER_C1);
}

/* What is left of the gap before the next access takes another time. The timer
 * stays as it is: the access is at the worst late by what the gap got shorter,
 * once. */
void core_set_clock(struct core *core, double slower)
{
	uint64_t before = core->cycles_per_instruction;
	uint64_t now;

	core->cycles_per_instruction =
		(uint64_t)(core->nominal_cycles_per_instruction * slower + 0.5);
	core->cycles_per_core_cycle =
		(uint64_t)(core->nominal_cycles_per_core_cycle * slower + 0.5);
	if (!core->has_access)
		return;
	now = sim_now(core->socket->sim) << FIXED_BITS;
	slower = (double)core->cycles_per_instruction / (double)before;
	core->pace = (uint64_t)((double)core->pace * slower + 0.5);
	if (core->ready > now)
		core->ready =
			now + (uint64_t)((double)(core->ready - now) * slower);
}

uint64_t core_later(const struct core *core)
{
	uint64_t now = sim_now(core->socket->sim) << FIXED_BITS;

	return core->ready > now ? core->ready : now;
}

double core_time(const struct core *core)
{
	return (double)core_later(core) / (1 << FIXED_BITS);
}

uint64_t core_busy_cycles(const struct core *core)
{
	return core->busy_cycles +
	       (core->is_busy ? sim_now(core->socket->sim) : 0);
}

/* Of the instructions up to the next access those are still to come for which
 * there was no time yet; the access itself retires when it starts. */
uint64_t core_instructions(const struct core *core)
{
	uint64_t now = sim_now(core->socket->sim) << FIXED_BITS;
	uint64_t ahead = 1;

	if (!core->has_access)
		return core->instruction;
	if (core->ready > now)
		ahead = (core->ready - now - 1) / core->pace + 1;
	if (ahead > core->access.gap)
		ahead = core->access.gap;
	return core->instruction - ahead;
}

/* The socket knows how many of its cores have traffic, so that a run can end
 * when a portion of the traffic is used up. */
static void set_state(struct core *core, enum core_state state)
{
	struct socket *socket = core->socket;

	if (core->state == state)
		return;
	socket->num_live -= state == CORE_ENDED;
	socket->num_live += core->state == CORE_ENDED;
	socket->num_running -= core->state == CORE_RUNS;
	socket->num_running += state == CORE_RUNS;
	core->state = state;
	core_keep_time(core);
	if (!socket->num_running && socket->stops_dry)
		sim_stop_at(socket->sim, sim_now(socket->sim) + 1);
}

/* What lies behind the window of a load does not run before the load is done.
 */
static void hold_up(struct core *core)
{
	for (; core->num_held; core->num_held--, core->first_held++) {
		const struct core_held *held =
			&core->held[core->first_held % CORE_MAX_OUTSTANDING];
		uint64_t earliest;

		if (core->instruction <= held->from)
			break;
		earliest = held->until +
			   (core->instruction - held->from) * core->pace;
		if (core->ready < earliest)
			core->ready = earliest;
	}
}

static struct core_held *last_held(struct core *core)
{
	unsigned last = core->first_held + core->num_held - 1;

	return &core->held[last % CORE_MAX_OUTSTANDING];
}

/* A load is done. Where those before it in time hold up nothing that it does
 * not, they are forgotten. If there is no room, the last one is until now. */
static void note_load(struct core *core, const struct core_miss *miss)
{
	uint64_t from = miss->instruction + core->window;
	uint64_t now = sim_now(core->socket->sim) << FIXED_BITS;

	if (miss->is_timed && now - miss->started > core->slow_cycles)
		core->counts.slow_loads++;
	while (core->num_held && last_held(core)->from >= from)
		core->num_held--;
	if (core->num_held == CORE_MAX_OUTSTANDING)
		from = last_held(core)->from;
	else
		core->num_held++;
	*last_held(core) = (struct core_held){ .from = from, .until = now };
	if (core->has_access)
		hold_up(core);
}

/* How long the instructions up to core->access take by themselves. */
static uint64_t gap_cycles(struct core *core)
{
	uint64_t gap = core->access.gap;
	uint64_t cycles = gap * core->cycles_per_instruction;

	core->pace = core->cycles_per_instruction;
	if (!core->access.cycles)
		return cycles;
	cycles = core->access.cycles * core->cycles_per_core_cycle >>
		 UNCORE_CYCLES_SHIFT;
	core->pace = cycles / (gap + !gap);
	core->pace += !core->pace;
	return cycles;
}

void core_end_load(struct core *core, unsigned entry)
{
	uint64_t bit = UINT64_C(1) << entry;

	if (core->loads & bit)
		note_load(core, &core->misses[entry]);
	core->loads &= ~bit;
}

/* Core cycles pass, whatever the uncore does. */
static void spend(struct core *core, uint64_t core_cycles)
{
	uint64_t cycles = core_cycles * core->cycles_per_core_cycle;

	core->gap_cycles += cycles;
	core->latest_gap += cycles;
	core->ready += cycles;
}

/* The next access of the traffic is in core->access; else the state says why
 * there is none. */
static bool fetch(struct core *core)
{
	struct uncore_traffic *traffic = core->socket->traffic;
	uint64_t cycles;
	int got;

	if (core->has_access)
		return true;
	if (core->state == CORE_ENDED)
		return false;
	got = traffic->next(traffic->context, core->number, &core->access);
	if (got <= 0) {
		set_state(core, got ? CORE_WAITS_FOR_TRAFFIC : CORE_ENDED);
		core->is_polled = got == -1;
		return false;
	}
	set_state(core, CORE_RUNS);
	core->poll_cycles = POLL_CYCLES;
	core->has_access = true;
	core->num_taken++;
	core->num_accesses += core->access.kind != UNCORE_ACCESS_NONE;
	core->instruction += core->access.gap;
	cycles = core->latest_gap = gap_cycles(core);
	core->gap_cycles += cycles;
	core->ready += cycles;
	if (core->access.kind == UNCORE_ACCESS_NONE && !core->access.depends)
		spend(core, core->access.target);
	hold_up(core);
	return true;
}

/* Only time passes, and now it has; if need be it begins with the end of the
 * loads before: false until then. */
static bool pass_time(struct core *core)
{
	uint64_t now = sim_now(core->socket->sim) << FIXED_BITS;

	if (!core->access.depends) {
		core_end_access(core);
		return true;
	}
	if (core->loads)
		return false;
	if (core->ready < now)
		core->ready = now;
	spend(core, core->access.target);
	core->access.depends = 0;
	return true;
}

static void run_again(void *object, uint64_t unused)
{
	(void)unused;
	core_run(object);
}

/* A place for the line that goes with a request. */
static bool has_data_room(struct core *core)
{
	struct sim *sim = core->socket->sim;
	uint64_t from;

	from = core->socket->kind->data_from(core);
	if (from <= sim_now(sim))
		return true;
	sim_at(sim, from, run_again, core, 0);
	return false;
}

/* What keeps back an access that is none of loads, stores and fetches. */
static SIG_SLOW bool must_wait_with_data(struct core *core, unsigned kind)
{
	if (core->used &&
	    (kind == UNCORE_ACCESS_LOCK || kind == UNCORE_ACCESS_SLEEP))
		return true;
	return kind != UNCORE_ACCESS_NONE && !has_data_room(core);
}

/* What `oldest_load` says may be done by now. */
bool core_has_old_load(struct core *core)
{
	uint64_t oldest = core->instruction;

	for (uint64_t loads = core->loads; loads; loads &= loads - 1) {
		const struct core_miss *miss =
			&core->misses[__builtin_ctzll(loads)];

		if (miss->instruction < oldest)
			oldest = miss->instruction;
	}
	core->oldest_load = oldest;
	return core->instruction - oldest > core->window;
}

bool core_needs_load(const struct core *core)
{
	const struct uncore_access *access = &core->access;
	uint32_t needed = core->num_started + 2 - access->depends;

	if (access->depends < 2)
		return access->depends && core->loads;
	for (uint64_t loads = core->loads; loads; loads &= loads - 1)
		if (core->misses[__builtin_ctzll(loads)].number == needed)
			return true;
	return false;
}

/* Whether the window, the fill buffers or a dependence forbid the access. On
 * the ring one request may overtake another; so of one line a core has one
 * request out at a time, a write-back included. */
static bool must_wait(struct core *core)
{
	const struct uncore_access *access = &core->access;
	unsigned kind = access->kind;

	if (core->rwrf >= core->rwrf_room || !~core->used || core->is_stopped)
		return true;
	if (kind >= UNCORE_ACCESS_WRITEBACK && must_wait_with_data(core, kind))
		return true;
	if (core_awaits_line(core, access->line))
		return true;
	return kind != UNCORE_ACCESS_WRITEBACK &&
	       (core->num_misses >= core->fill_buffers ||
		core_is_super_full(core) || core_needs_load(core) ||
		core_is_window_full(core));
}

/* What is asked for, as long as neither a prefetcher nor the page walker asks.
 */
static const uint8_t requests[CORE_NUM_ACCESS_KINDS] = {
	[UNCORE_ACCESS_READ] = REQUEST_LOAD,
	[UNCORE_ACCESS_CODE] = REQUEST_CODE,
	[UNCORE_ACCESS_OWN] = REQUEST_OWN,
	[UNCORE_ACCESS_WRITEBACK] = REQUEST_WRITE_BACK,
	[UNCORE_ACCESS_NONE... CORE_NUM_ACCESS_KINDS - 1] = REQUEST_OTHER,
};

static void start_walk(struct core_miss *miss)
{
	miss->is_timed = false;
	miss->request = REQUEST_DATA;
}

/* The first of the classes that an access may be of. */
static unsigned asks(const struct core_miss *miss)
{
	static const uint8_t who[CORE_NUM_REQUESTS] = {
		[REQUEST_DATA] = CLASS_AHEAD,
		[REQUEST_OWN] = CLASS_OWN,
		[REQUEST_CODE] = CLASS_CODE,
		[REQUEST_WRITE_BACK] = CLASS_REST,
		[REQUEST_PREFETCH_DATA] = CLASS_AHEAD,
		[REQUEST_PREFETCH_OWN] = CLASS_AHEAD,
		[REQUEST_PREFETCH_CODE] = CLASS_AHEAD,
		[REQUEST_OTHER] = CLASS_REST,
		[REQUEST_LOAD] = CLASS_LOAD,
	};

	return who[miss->request] == CLASS_LOAD && miss->is_chained
		       ? CLASS_CHAINED
		       : who[miss->request];
}

static uint8_t note_class(struct core *core, const struct core_miss *miss,
			  enum core_answer answer)
{
	static const uint8_t from[CORE_NUM_ANSWERS] = {
		[ANSWER_CORE] = 1,
		[ANSWER_CORE_MODIFIED] = 1,
		[ANSWER_REMOTE_MODIFIED] = 2,
		[ANSWER_REMOTE] = 2,
		[ANSWER_REMOTE_DRAM] = 3,
		[ANSWER_LOCAL_DRAM] = 4,
	};
	unsigned class = asks(miss);

	if (class == CLASS_REST)
		return CLASS_REST;
	core->latest_from[class / NUM_FROM] = from[answer];
	return (uint8_t)(class + from[answer]);
}

void core_add_classes(struct core *core, uint64_t *classes)
{
	for (unsigned i = 0; i < CORE_NUM_CLASSES; i++)
		classes[i] += core->classes[i];
	for (uint64_t used = core->used; used; used &= used - 1) {
		struct core_miss *miss = &core->misses[__builtin_ctzll(used)];
		unsigned class = asks(miss);

		if (miss->is_answered)
			continue;
		if (class != CLASS_REST)
			class += core->latest_from[class / NUM_FROM];
		if (!miss->told)
			miss->told = (uint8_t)(class + 1);
		classes[miss->told - 1]++;
	}
}

void core_tell_answer(struct core *core, const struct core_miss *miss)
{
	struct answers *answers = core->socket->answers;
	uint64_t now = sim_now(core->socket->sim);

	if (answers && miss->is_answered)
		answers_tell(answers, miss->requester,
			     (struct uncore_answer){
				     (enum uncore_answer_from)miss->from,
				     (uint32_t)(now - miss->asked) });
}

void core_answered(struct core *core, unsigned entry, enum core_answer answer)
{
	struct core_miss *miss = &core->misses[entry];

	core->counts.answers[miss->request][answer]++;
	miss->is_answered = true;
	miss->from = (uint8_t)(UNCORE_ANSWER_LLC + answer);
	if (entry == CORE_QUICK && core->socket->answers)
		answers_tell(core->socket->answers, core_requester(core),
			     (struct uncore_answer){
				     (enum uncore_answer_from)miss->from, 0 });
	if (!core->socket->detail)
		return;
	if (answer == ANSWER_CORE_MODIFIED || answer == ANSWER_REMOTE_MODIFIED)
		detail_moves(core->socket->detail, miss->line);
	if (miss->kind != UNCORE_ACCESS_WRITEBACK && !miss->to_llc)
		detail_uses(core->socket->detail, miss->line, core->number,
			    miss->kind == UNCORE_ACCESS_OWN);
	core->latest_class = note_class(core, miss, answer);
	core->classes[miss->told ? miss->told - 1u : core->latest_class]++;
	miss->told = 0;
}

unsigned core_take_entry(struct core *core, uint64_t line, unsigned kind)
{
	unsigned entry = (unsigned)__builtin_ctzll(~core->used);

	core->misses[entry] = (struct core_miss){
		.line = line,
		.instruction = core->instruction,
		.number = core->num_started,
		.kind = (uint8_t)kind,
		.target = core->access.target,
		.is_near = core->access.is_near,
		.is_clean = core->access.is_clean,
		.to_llc = core_asks_for_llc(core),
		.is_timed = kind == UNCORE_ACCESS_READ,
		.is_chained = core->access.depends,
		.request = requests[kind],
		.requester = sim_requester(core->socket->sim),
		.asked = sim_now(core->socket->sim),
		.started = sim_now(core->socket->sim) << FIXED_BITS,
	};
	if (core->socket->values) {
		core->misses[entry].floor =
			values_latest(core->socket->values, line);
		if (core->access.has_writer)
			core->misses[entry].writer =
				(uint16_t)(core->access.writer + 1);
	}
	core->used |= UINT64_C(1) << entry;
	core->num_like[core_line_sum(line)]++;
	core->num_misses += kind != UNCORE_ACCESS_WRITEBACK;
	if (core_is_load(kind) ||
	    (kind == UNCORE_ACCESS_OWN && core->access.waits))
		core_add_load(core, entry);
	return entry;
}

void core_send_request(struct core *core, unsigned entry)
{
	core->socket->kind->begin(core, entry);
}

static void left(void *object, uint64_t unused)
{
	struct core *core = object;

	(void)unused;
	core->rwrf--;
	core_run(core);
}

void core_leaves_at(struct core *core, uint64_t time)
{
	if (time <= sim_now(core->socket->sim))
		return;
	core->rwrf++;
	sim_at(core->socket->sim, time, left, core, 0);
}

static void begin_access(struct core *core)
{
	const struct uncore_access *access = &core->access;
	unsigned entry;

	core_end_access(core);
	if (access->kind > UNCORE_ACCESS_NONE) {
		core_start_special(core);
		return;
	}
	if (access->kind == UNCORE_ACCESS_OWN && !core_asks_for_llc(core)) {
		if (core->socket->kind->write_silently(core, access->line))
			return;
		core->counts.upgrades += access->is_near;
	}
	entry = core_take_entry(core, access->line, access->kind);
	if (access->prefetch)
		core_start_prefetch(core, entry);
	else if (access->is_walk)
		start_walk(&core->misses[entry]);
	core->num_requests += access->kind != UNCORE_ACCESS_WRITEBACK;
	core_send_request(core, entry);
}

/* Its entry is as others are, but that nobody waits for it. */
static void begin_quick(struct core *core)
{
	const struct uncore_access *access = &core->access;
	struct core_miss *miss = &core->misses[CORE_QUICK];

	*miss = (struct core_miss){
		.line = access->line,
		.kind = access->kind,
		.target = access->target,
		.is_near = access->is_near,
		.is_clean = access->is_clean,
		.to_llc = core_asks_for_llc(core),
		.is_chained = access->depends,
		.request = requests[access->kind],
	};
	if ((access->prefetch || access->is_walk) &&
	    miss->request == REQUEST_LOAD)
		miss->request = REQUEST_DATA;
	if (access->prefetch && !access->is_near)
		miss->request += REQUEST_PREFETCH_DATA - REQUEST_DATA;
	core->num_requests += access->kind != UNCORE_ACCESS_WRITEBACK;
	core_send_request(core, CORE_QUICK);
}

bool core_pass(struct core *core)
{
	const struct uncore_access *access = &core->access;
	struct sim *sim = core->socket->sim;
	uint64_t before;

	if (core_is_special(access->kind))
		return false;
	core_end_access(core);
	core->latest_class = CORE_NUM_CLASSES;
	if (access->kind == UNCORE_ACCESS_NONE) {
		if (access->depends)
			spend(core, access->target);
		return true;
	}
	if (access->prefetch == UNCORE_PREFETCH_USED)
		return true;
	before = sim_act_for(sim, core_requester(core));
	if (access->kind != UNCORE_ACCESS_OWN || core_asks_for_llc(core) ||
	    !core->socket->kind->write_silently(core, access->line)) {
		core->counts.upgrades +=
			access->kind == UNCORE_ACCESS_OWN && access->is_near;
		begin_quick(core);
	}
	sim_act_for(sim, before);
	return true;
}

static void start_access(struct core *core)
{
	struct sim *sim = core->socket->sim;
	uint64_t before = sim_act_for(sim, core_requester(core));

	begin_access(core);
	sim_act_for(sim, before);
	detail_count(core->socket->detail);
}

static void on_time(void *object, uint64_t number)
{
	struct core *core = object;

	if (number == core->timer)
		run(core, 0);
}

static void set_timer(struct core *core, uint64_t time)
{
	sim_at(core->socket->sim, time, on_time, core, core->timer);
}

bool core_has_timer(const struct core *core)
{
	return core->state == CORE_RUNS && !core->is_stuck && !core->step;
}

void core_set_timer(struct core *core)
{
	uint64_t now = sim_now(core->socket->sim);
	uint64_t start = core->ready >> FIXED_BITS;

	core->timer++;
	set_timer(core, start > now ? start : now);
}

void core_hold(struct core *core)
{
	if (!core_has_timer(core))
		return;
	core->timer++;
	core->is_stuck = true;
}

void core_tell_read(const struct core *core)
{
	const struct uncore_traffic *traffic = core->socket->traffic;

	traffic->reads(traffic->context, core->access.line, 1);
}

/* Whether no other core has a miss of the line under way, and those that are to
 * read it before have begun to. */
static bool is_read_by_all(const struct core *core)
{
	const struct uncore_access *access = &core->access;
	const struct socket *socket = core->socket;
	const struct uncore_traffic *traffic = socket->traffic;

	if (access->after_reads &&
	    (int16_t)(traffic->reads(traffic->context, access->line, 0) -
		      access->target) < 0)
		return false;
	for (unsigned i = 0; i < socket->num_sockets * socket->num_cores; i++) {
		const struct core *other = socket_any_core(socket, i);

		if (other != core && core_has_line(other, access->line))
			return false;
	}
	return true;
}

/* Whether those who had the line before are done with it (see uncore_access):
 * who reads waits for who wrote last, who writes for all who have read since,
 * too. */
static SIG_SLOW bool have_others_ended(const struct core *core)
{
	const struct uncore_access *access = &core->access;
	const struct core *other;

	if (access->after_core) {
		other = socket_any_core(core->socket, access->after_core - 1u);
		if ((int32_t)(other->num_started - access->after) < 0)
			return false;
		if (access->kind != UNCORE_ACCESS_NONE &&
		    core_has_line(other, access->line))
			return false;
	}
	return !access->after_reads || is_read_by_all(core);
}

static inline bool is_its_turn(const struct core *core)
{
	return !(core->access.after_core | core->access.after_reads) ||
	       have_others_ended(core);
}

bool core_fetch(struct core *core)
{
	return fetch(core);
}

bool core_is_its_turn(const struct core *core)
{
	return is_its_turn(core);
}

/* Asks the traffic again after a while without any. */
static void ask_again(void *object, uint64_t poll)
{
	struct core *core = object;

	if (core->poll == poll && core->state == CORE_WAITS_FOR_TRAFFIC)
		run(core, 0);
}

static bool next_access(struct core *core)
{
	if (!core->has_access && detail_is_due(core->socket->detail) &&
	    !detail_stretch(core->socket->detail, core)) {
		core->is_stuck = true;
		return false;
	}
	return fetch(core);
}

/* Starts what may start now; else a timer or a completion comes back here. */
static void run(void *object, uint64_t unused)
{
	struct core *core = object;
	uint64_t now = sim_now(core->socket->sim);

	(void)unused;
	core->is_stuck = core->step;
	while (!core->step && next_access(core)) {
		uint64_t start = core->ready >> FIXED_BITS;

		if (start > now) {
			set_timer(core, start);
			if (core->socket->detail && start - now > DETAIL_IDLE)
				detail_look_for_idle(core->socket->detail);
			return;
		}
		if (core->socket->detail && core->socket->detail->is_idle)
			detail_end_idle(core->socket->detail);
		if (!is_its_turn(core)) {
			core->is_stuck = false;
			set_timer(core, now + AFTER_CYCLES);
			return;
		}
		if (core->access.kind == UNCORE_ACCESS_NONE) {
			if (core->access.after_core && start < now)
				core->ready = now << FIXED_BITS;
			core->is_stuck = !pass_time(core);
			if (core->is_stuck)
				return;
			continue;
		}
		if (!(core->access.prefetch || core->num_prefetches) ||
		    !core_meets_prefetch(core, &core->is_stuck))
			core->is_stuck =
				!core_joins_miss(core) && must_wait(core);
		if (core->is_stuck)
			return;
		if (start < now)
			core->ready = now << FIXED_BITS;
		if (!core->has_access)
			continue;
		start_access(core);
		core->is_stuck = core->step;
	}
	if (core->state == CORE_WAITS_FOR_TRAFFIC && core->is_polled) {
		sim_at(core->socket->sim, now + core->poll_cycles, ask_again,
		       core, ++core->poll);
		if (core->poll_cycles < MAX_POLL_CYCLES)
			core->poll_cycles *= 2;
	}
}

void core_start(struct core *core)
{
	enum core_state before = core->state;

	set_state(core, CORE_RUNS);
	core->has_access = false;
	core->num_taken = 0;
	core->ready = sim_now(core->socket->sim) << FIXED_BITS;
	if (before != CORE_RUNS)
		set_timer(core, sim_now(core->socket->sim));
}

/* What comes next does not start before now. */
static void catch_up(struct core *core)
{
	uint64_t now = sim_now(core->socket->sim);

	if (core->ready >> FIXED_BITS < now)
		core->ready = now << FIXED_BITS;
}

void core_wake(struct core *core)
{
	struct sim *sim = core->socket->sim;

	if (core->state != CORE_WAITS_FOR_TRAFFIC)
		return;
	set_state(core, CORE_RUNS);
	detail_wakes(core->socket->detail);
	core->poll++;
	core->waited += core_later(core) - core->ready;
	catch_up(core);
	set_timer(core, sim_now(sim));
}

void core_done(void *object, uint64_t entry)
{
	struct core *core = object;
	struct core_miss *miss = &core->misses[entry];
	uint64_t bit = UINT64_C(1) << entry;

	/* Before a store that has waited for the line. */
	if (miss->writer)
		values_writer(core->socket->values, miss->line,
			      miss->writer - 1u);
	miss->writer = 0;
	if ((miss->is_ahead | miss->is_written) &&
	    !core_prefetch_done(core, (unsigned)entry))
		return;
	core_tell_answer(core, miss);
	core_end_load(core, (unsigned)entry);
	core->num_misses -= miss->kind != UNCORE_ACCESS_WRITEBACK;
	core->used &= ~bit;
	core->num_like[core_line_sum(miss->line)]--;
	if (core->step) {
		core_special_done(core, (unsigned)entry);
		catch_up(core);
	}
	if (!core->used)
		core_keep_time(core);
	if (core->is_stuck)
		run(core, 0);
}

void core_run(struct core *core)
{
	if (core->is_stuck)
		run(core, 0);
}

bool core_is_settled(const struct core *core)
{
	return !core->used && !core->rwrf;
}
