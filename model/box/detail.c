/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/box/detail_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/box/costs.h"
#include "model/box/growth.h"
#include "model/box/kind.h"
#include "model/box/socket.h"

/* SETTLE_CYCLES: between two looks whether all is over; WARM_ACCESSES: of each
 * core that is at work, before the window behind it begins. */
enum { JITTER_PERCENT = 40, SETTLE_CYCLES = 16, WARM_ACCESSES = 64 };

/* So many instructions cost a program's front end what an access costs in the
 * engine. */
enum { INSTRUCTIONS = 1500 };

/* Where the share adapts: of the accesses behind the start at most a quarter,
 * as long as that is no more than about so many. */
enum { FIRST = 50000 };
static const double most_share = 0.25;

/* Accesses in the engine, about, when counters begin to count. */
enum { FIRST_OF_COUNTERS = 20000 };

/* Cores fight for lines where more than one access in PEACE, and more than a
 * SKIRMISH, is about one that is fought for. In a stretch this is looked at now
 * and then. */
enum { PEACE = 100, SKIRMISH = 8, PEACE_LOOK = 512 };

/* So many accesses, about, are remembered for what all cores need more or less
 * than was thought, and for what a core does beside the others; both stay
 * between these. */
enum { REMEMBERED = 2048, REMEMBERED_OF_CORE = 4096 };
static const double least = 0.25, most = 4;

bool detail_new(struct socket *const *sockets, struct detail **detail)
{
	const double *p = sockets[0]->param;
	uint64_t window = (uint64_t)p[PARAM_DETAIL_WINDOW];
	struct detail *made;

	*detail = NULL;
	if (p[PARAM_DETAIL_SHARE] >= 100 || !sockets[0]->kind->set_quick ||
	    sockets[0]->values)
		return true;
	made = calloc(1, sizeof(*made));
	if (!made)
		return false;
	made->sockets = sockets;
	made->num_cores = sockets[0]->num_sockets * sockets[0]->num_cores;
	made->window = window;
	made->share = p[PARAM_DETAIL_SHARE] / 100;
	made->adapts = p[PARAM_DETAIL_ADAPTS] != 0;
	made->start = (uint64_t)p[PARAM_DETAIL_START];
	made->left = made->start;
	made->credit = p[PARAM_DETAIL_START];
	made->is_long = true;
	made->begins_at = UINT64_MAX;
	made->end = UINT64_MAX;
	made->random = (uint64_t)p[PARAM_DETAIL_SEED] * 2 + 1;
	made->costs = calloc(1, sizeof(*made->costs));
	made->cores = calloc(made->num_cores, sizeof(*made->cores));
	if (!made->costs || !made->cores) {
		detail_free(made);
		return false;
	}
	for (unsigned i = 0; i < made->num_cores; i++)
		made->cores[i].pace.factor = 1;
	made->pace.factor = 1;
	*detail = made;
	return true;
}

void detail_free(struct detail *detail)
{
	if (!detail)
		return;
	growth_free(detail->growth);
	free(detail->costs);
	free(detail->cores);
	free(detail);
}

/* What accesses cost */

static void begin_look(struct look *look, const struct core *core)
{
	look->is_valid = core->state == CORE_RUNS;
	look->ready = core_later(core);
	look->gap_cycles = core->gap_cycles;
	look->waited = core->waited;
	memcpy(look->classes, core->classes, sizeof(look->classes));
}

static void begin_looks(struct detail *detail)
{
	for (unsigned i = 0; i < detail->num_cores; i++)
		begin_look(&detail->cores[i].look, core_of(detail, i));
}

/* What its accesses took, and what they should have. */
static void end_look(const struct detail *detail, struct detail_core *own,
		     const struct core *core)
{
	uint64_t classes[COSTS_COLUMNS] = { 0 };
	const struct look *look = &own->look;

	own->num = own->cycles = own->expected = 0;
	if (!look->is_valid || core->state != CORE_RUNS)
		return;
	for (unsigned i = 0; i < CORE_NUM_CLASSES; i++) {
		classes[i] = core->classes[i] - look->classes[i];
		own->num += (double)classes[i];
	}
	if (own->num <= 0)
		return;
	/* less than nothing, by a part of a cycle, where accesses take no time:
	 * who waits goes on in a whole cycle */
	own->cycles = (double)(int64_t)(core_later(core) - look->ready) -
		      (double)(core->gap_cycles - look->gap_cycles) -
		      (double)(core->waited - look->waited);
	own->expected = costs_of(detail->costs, classes);
	costs_learn(detail->costs, classes, own->cycles);
	if (own->expected <= 0) /* nothing was known of them */
		own->num = own->cycles = 0;
}

static void learn(struct detail_pace *pace, double part, double cycles,
		  double expected)
{
	double keep = 1 - fmin(part, 1);

	pace->cycles = pace->cycles * keep + cycles;
	pace->expected = pace->expected * keep + expected;
	if (pace->expected > 0)
		pace->factor =
			fmin(fmax(pace->cycles / pace->expected, least), most);
}

/* What all cores need changes soon. What a core needs beside them has to be
 * known better, or those that do the same would be driven out of step, and meet
 * in rows where they do not. */
static void learn_paces(struct detail *detail)
{
	double num = 0, cycles = 0, expected = 0;

	for (unsigned i = 0; i < detail->num_cores; i++) {
		num += detail->cores[i].num;
		cycles += detail->cores[i].cycles;
		expected += detail->cores[i].expected;
	}
	if (cycles <= 0 || expected <= 0)
		return;
	learn(&detail->pace, num / REMEMBERED, cycles, expected);
	for (unsigned i = 0; i < detail->num_cores; i++) {
		struct detail_core *own = &detail->cores[i];

		learn(&own->pace, own->num / REMEMBERED_OF_CORE, own->cycles,
		      own->expected * cycles / expected);
	}
}

void detail_look(struct detail *detail)
{
	for (unsigned i = 0; i < detail->num_cores; i++)
		end_look(detail, &detail->cores[i], core_of(detail, i));
	learn_paces(detail);
	costs_fit(detail->costs);
	begin_looks(detail);
	if (detail->left < detail->begins_at)
		growth_look(detail->growth);
}

/* What an access of each class costs each core in the stretch that begins. */
static void set_costs(const struct detail *detail)
{
	for (unsigned n = 0; n < detail->num_cores; n++) {
		struct detail_core *own = &detail->cores[n];

		for (unsigned i = 0; i < CORE_NUM_CLASSES; i++)
			own->costs[i] = (uint64_t)(detail->costs->cycles[i] *
						   detail->pace.factor *
						   own->pace.factor);
	}
}

/* The access that a core has made costs it time. */
static void pay(const struct detail *detail, struct core *core)
{
	if (core->latest_class < CORE_NUM_CLASSES)
		core->ready +=
			detail->cores[core->number].costs[core->latest_class];
}

/* Stretches */

/* A number of accesses, more or less. */
static uint64_t jitter(struct detail *detail, uint64_t num)
{
	uint64_t spread = num * JITTER_PERCENT / 100;

	detail->random = detail->random * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
	return num - spread + (detail->random >> 33) % (2 * spread + 1);
}

static bool has_access(struct core *core)
{
	return core->state == CORE_RUNS && !core->step && core_fetch(core) &&
	       (!(core->access.after_core | core->access.after_reads) ||
		core_is_its_turn(core));
}

/* Of the cores that have an access which may go now the one that is furthest
 * behind; NULL: none. */
static struct core *look_for_next(struct detail *detail)
{
	const struct socket *any = detail->sockets[0];
	struct core *next = NULL;
	uint64_t first = UINT64_MAX;

	detail->others = UINT64_MAX;
	for (unsigned i = 0; i < any->num_sockets; i++) {
		struct socket *socket = detail->sockets[i];

		for (unsigned n = 0; socket->num_running && n < any->num_cores;
		     n++) {
			struct core *core = &socket->cores[n];
			uint64_t later = first;

			if (core->state != CORE_RUNS)
				continue;
			if (core->ready < first && has_access(core) &&
			    core->ready < first) {
				first = core->ready;
				next = core;
			} else {
				later = core->ready;
			}
			if (later < detail->others && core->state == CORE_RUNS)
				detail->others = later;
		}
	}
	return next;
}

/* The same behind an access of `latest` (NULL: there was none), who mostly goes
 * on. */
static struct core *next_core(struct detail *detail, struct core *latest)
{
	if (latest && latest->ready < detail->others && has_access(latest) &&
	    latest->ready < detail->others)
		return latest;
	return look_for_next(detail);
}

/* What follows is behind what is under way by as much as it was. */
struct place {
	uint64_t instruction, ready;
	uint32_t number;
	bool has_timer;
};

static void shift(struct core *core, const struct place *before)
{
	uint64_t more = core->instruction - before->instruction;

	core->oldest_load += more;
	for (uint64_t used = core->used; used; used &= used - 1) {
		struct core_miss *miss = &core->misses[__builtin_ctzll(used)];

		miss->instruction += more;
		miss->number += core->num_started - before->number;
	}
	for (unsigned i = 0; i < core->num_held; i++)
		core->held[(core->first_held + i) % CORE_MAX_OUTSTANDING]
			.from += more;
}

/* Until the first core goes on; where none does, until the last has ended. */
static uint64_t time_passed(const struct detail *detail)
{
	uint64_t now = sim_now(detail->sockets[0]->sim) << 16;
	uint64_t first = UINT64_MAX, last = now;

	for (unsigned i = 0; i < detail->num_cores; i++) {
		const struct core *core = core_of(detail, i);

		if (core->state == CORE_RUNS && core->ready < first)
			first = core->ready;
		if (core->ready > last)
			last = core->ready;
	}
	if (first == UINT64_MAX)
		return last - now;
	return first < now ? 0 : first - now;
}

/* What a core has fetched and not begun is none of its accesses yet: behind a
 * window more cores have such a one than behind a stretch, and windows would
 * have more accesses than answers. */
void detail_classes(const struct detail *detail, uint64_t *classes)
{
	uint64_t computed = -detail->rested;

	memset(classes, 0, UNCORE_MODEL_CLASSES * sizeof(*classes));
	for (unsigned i = 0; i < detail->num_cores; i++) {
		struct core *core = core_of(detail, i);

		classes[0] += core->num_accesses;
		computed += core->gap_cycles;
		if (core->has_access) {
			classes[0] -= core->access.kind != UNCORE_ACCESS_NONE;
			computed -= core->latest_gap - *rested_of(detail, core);
		}
		core_add_classes(core, classes + 2);
	}
	classes[1] = computed >> 16;
}

void detail_tell(const struct detail *detail, enum uncore_model_seam seam)
{
	uint64_t classes[UNCORE_MODEL_CLASSES];

	if (!detail->on_window)
		return;
	detail_classes(detail, classes);
	detail->on_window(detail->window_context, seam, classes);
}

/* A window begins, or goes on. */
static void set_seam(struct detail *detail)
{
	struct detail_seam *seam = &detail->seam;

	*seam = (struct detail_seam){ .moves = detail->num_moves };
	for (unsigned i = 0; i < detail->num_cores; i++) {
		seam->accesses += core_of(detail, i)->num_accesses;
		seam->instructions += core_of(detail, i)->instruction;
	}
}

static void tell_begin(struct detail *detail)
{
	set_seam(detail);
	growth_begin(detail->growth);
	detail_tell(detail, UNCORE_MODEL_WINDOW_BEGINS);
}

/* A window ends, and a stretch begins. */
static void tell_end(struct detail *detail)
{
	growth_leave(detail->growth);
	detail_tell(detail, UNCORE_MODEL_WINDOW_ENDS);
}

void detail_begin_window(struct detail *detail)
{
	tell_begin(detail);
}

/* Of an access. What windows tell hangs on how many there are, and not on their
 * part of the run. */
static double share(const struct detail *detail)
{
	double behind = (double)detail->seam.accesses - (double)detail->start;

	if (!detail->adapts)
		return detail->share;
	return fmax(fmin(FIRST / fmax(behind, 1), most_share), detail->share);
}

/* Of an instruction. */
static double worth(const struct detail *detail)
{
	return detail->adapts ? 1. / INSTRUCTIONS : 0;
}

/* The window that ends now goes on, as long as another one. */
static void go_on(struct detail *detail)
{
	if (!detail->is_long) {
		detail_tell(detail, UNCORE_MODEL_WINDOW_ENDS);
		detail_tell(detail, UNCORE_MODEL_WINDOW_BEGINS);
	}
	detail->is_long = true;
	detail->left = jitter(detail, detail->window);
	detail->begins_at = UINT64_MAX;
}

static bool is_fight(uint64_t moves, uint64_t accesses)
{
	return moves > accesses / PEACE + SKIRMISH;
}

/* A window has ended: whether another one follows at once. */
static bool stays(struct detail *detail)
{
	const struct kind *kind = detail->sockets[0]->kind;
	const struct detail_seam last = detail->seam;
	const char *reason = detail->keeps;
	uint64_t num;

	set_seam(detail);
	num = detail->seam.accesses - last.accesses;
	if (!reason && kind->needs_detail)
		reason = kind->needs_detail(detail->sockets[0]);
	if (!reason)
		reason = growth_needs_detail(detail->growth);
	if (!reason && is_fight(detail->seam.moves - last.moves, num))
		reason = "cores fight for lines";
	if (reason) {
		detail->reason = reason;
		detail->kept += num;
		return true;
	}
	detail->credit += (share(detail) - 1) * (double)num +
			  worth(detail) * (double)(detail->seam.instructions -
						   last.instructions);
	return detail->credit >= 0;
}

static unsigned num_running(const struct detail *detail)
{
	unsigned num = 0;

	for (unsigned i = 0; i < detail->sockets[0]->num_sockets; i++)
		num += detail->sockets[i]->num_running;
	return num;
}

/* A core that was woken in the stretch, or had to wait for another one's
 * access, does not go on in the past. */
static void catch_up(const struct detail *detail, struct core *core)
{
	if (core->state != CORE_RUNS || core->ready >= detail->front)
		return;
	detail->cores[core->number].busy -= detail->front - core_later(core);
	core->ready = detail->front;
}

/* Counters have run over by the latest access: who is interrupted sees all that
 * happened until now, and may listen to more, or less, from now on. */
static void interrupt(struct detail *detail)
{
	const struct socket *any = detail->sockets[0];
	uint64_t now = sim_now(any->sim) << 16;

	detail->num_due = 0;
	detail->passed = detail->front > now ? detail->front - now : 0;
	any->kind->publish(any);
	for (unsigned i = 0; i < any->num_sockets; i++)
		for (unsigned n = 0; n < any->all[i]->num_pmus; n++)
			pmu_interrupt(any->all[i]->pmus[n]);
	any->kind->publish(any);
}

static bool pass(struct detail *detail, struct core *core)
{
	catch_up(detail, core);
	detail->front = core->ready;
	if (!core_pass(core))
		return false;
	if (detail->num_due)
		interrupt(detail);
	return true;
}

/* The engine's time stands from now on, or goes on. */
static void stand(struct detail *detail, bool stands)
{
	const struct socket *any = detail->sockets[0];
	unsigned *num_due =
		stands && any->kind->publish ? &detail->num_due : NULL;

	any->kind->set_quick(any, stands);
	for (unsigned i = 0; i < any->num_sockets; i++)
		for (unsigned n = 0; n < any->all[i]->num_pmus; n++)
			pmu_stand(any->all[i]->pmus[n], num_due);
}

/* Where the model is to return, as cores have it. */
static uint64_t end_of_run(const struct detail *detail)
{
	uint64_t now = sim_now(detail->sockets[0]->sim) << 16;
	uint64_t total = now + detail->skipped;

	if (detail->end == UINT64_MAX)
		return UINT64_MAX;
	return now + (detail->end > total ? detail->end - total : 0);
}

/* A portion of the traffic is. */
static bool is_used_up(const struct detail *detail)
{
	return detail->sockets[0]->stops_dry && !num_running(detail);
}

/* An access has been passed, and paid. */
static void note_busy(struct detail *detail, const struct core *core)
{
	if (core->access.kind == UNCORE_ACCESS_NONE)
		detail->computed += core->latest_gap - *rested_of(detail, core);
	else
		detail->computed = 0;
	if (core->access.kind != UNCORE_ACCESS_NONE &&
	    core->ready > detail->busy_until)
		detail->busy_until = core->ready;
}

/* Whether nobody asks for anything for long before this core does. Counters
 * that are read at any moment learn what such cycles cost (growth.h). */
static bool lies_idle(const struct detail *detail, const struct core *next)
{
	return next->ready > detail->busy_until +
				     ((uint64_t)(DETAIL_IDLE + DETAIL_SETTLED)
				      << 16) &&
	       detail->on_window && !detail_is_any_awaited(detail);
}

/* Accesses that are quick, until the credit is back or cores fight, or there
 * are none at the time; whether nobody asks for any for long. */
static bool pass_accesses(struct detail *detail)
{
	uint64_t num = 0, moves = detail->num_moves;
	double each = share(detail), instruction = worth(detail);
	struct core *next = NULL;
	uint64_t end = end_of_run(detail);
	bool fights = false, idle = false, waits;

	if (!detail->is_paused && detail->credit < 0)
		detail->credit =
			-(double)jitter(detail, (uint64_t)-detail->credit + 1);
	detail->front = 0;
	detail->busy_until = sim_now(detail->sockets[0]->sim) << 16;
	set_costs(detail);
	while (!fights && detail->credit < 0 &&
	       (next = next_core(detail, next)) && next->ready < end &&
	       !detail->keeps && !detail->is_stopped &&
	       !(idle = lies_idle(detail, next)) && pass(detail, next)) {
		pay(detail, next);
		note_busy(detail, next);
		detail->credit += each + instruction * next->access.gap;
		num++;
		fights = !(num % PEACE_LOOK) &&
			 is_fight(detail->num_moves - moves, num);
	}
	waits = idle || detail->is_stopped || is_used_up(detail) ||
		(detail->is_paused && !num && !num_running(detail));
	detail->is_paused = detail->credit < 0 && !fights && !detail->keeps &&
			    (waits || (next && next->ready >= end));
	detail->is_stopped = false;
	if (idle)
		detail->busy_until += (uint64_t)DETAIL_SETTLED << 16;
	for (unsigned i = 0; i < detail->num_cores; i++)
		catch_up(detail, core_of(detail, i));
	return idle;
}

static uint64_t num_accesses(const struct detail *detail)
{
	uint64_t num = 0;

	for (unsigned i = 0; i < detail->num_cores; i++)
		num += core_of(detail, i)->num_accesses;
	return num;
}

/* Behind a stretch. */
static void begin_window(struct detail *detail)
{
	unsigned num = num_running(detail);

	begin_looks(detail);
	detail->is_paused = false;
	detail->is_long = false;
	detail->left = detail->begins_at = jitter(detail, detail->window);
	if (detail->sockets[0]->kind->is_over)
		detail->left += WARM_ACCESSES * (num + !num);
	else
		tell_begin(detail);
}

static void look_again(void *object, uint64_t unused);

void detail_settle(struct detail *detail, uint64_t cycles)
{
	struct sim *sim = detail->sockets[0]->sim;

	if (!detail->is_settling)
		sim_at(sim, sim_now(sim) + cycles, look_again, detail, 0);
	detail->is_settling = true;
}

/* The model is to return within a stretch. */
static void hold(struct detail *detail)
{
	struct sim *sim = detail->sockets[0]->sim;

	for (unsigned i = 0; i < detail->num_cores; i++)
		core_hold(core_of(detail, i));
	detail_settle(detail, 1);
	sim_stop_at(sim, sim_now(sim) + 1);
}

uint64_t detail_busy_cycles(const struct detail *detail, unsigned core)
{
	uint64_t busy = detail->cores[core].busy;

	if (detail->is_quick) /* see pass_stretch() */
		busy += core_later(core_of(detail, core));
	return busy >> 16;
}

/* The core that is running now goes on by itself. */
static void pass_stretch(struct detail *detail, const struct core *running)
{
	struct place places[SOCKET_MAX_CORES * 8];
	const struct kind *kind = detail->sockets[0]->kind;
	uint64_t passed, before = num_accesses(detail);
	bool idle;

	for (unsigned i = 0; i < detail->num_cores; i++) {
		const struct core *c = core_of(detail, i);

		places[i] = (struct place){
			c->instruction,
			core_later(c),
			c->num_started,
			c != running && core_has_timer(c),
		};
		detail->cores[i].busy -= core_later(c);
	}
	if (!kind->is_over && !detail->is_paused)
		tell_end(detail);
	growth_stand(detail->growth);
	for (unsigned i = 0; i < detail->num_cores; i++)
		core_write_joined(core_of(detail, i));
	detail->is_quick = true;
	stand(detail, true);
	idle = pass_accesses(detail);
	detail->num_quick += num_accesses(detail) - before;
	passed = idle ? detail->busy_until -
				 (sim_now(detail->sockets[0]->sim) << 16)
		      : time_passed(detail);
	if (kind->pass_cycles)
		kind->pass_cycles(detail->sockets[0], passed >> 16);
	if (detail->num_due)
		interrupt(detail);
	stand(detail, false);
	detail->is_quick = false;
	detail->skipped += passed;
	detail->passed = 0;
	for (unsigned i = 0; i < detail->num_cores; i++) {
		struct core *c = core_of(detail, i);

		uint64_t later = core_later(c);

		if (idle && later > detail->busy_until)
			later = detail->busy_until;
		if (later > places[i].ready)
			c->passed += later - places[i].ready;
		detail->cores[i].busy += later;
		c->ready -= c->ready < passed ? c->ready : passed;
		shift(c, &places[i]);
		if (places[i].has_timer)
			core_set_timer(c);
	}
	growth_pass(detail->growth);
	if (!detail->is_paused)
		begin_window(detail);
	else if (idle)
		detail_lie_idle(detail);
	else if (num_running(detail))
		hold(detail);
	if (detail->sleeper)
		detail_begin_rest(detail);
}

static bool is_interrupting(const struct socket *any)
{
	bool is = false;

	for (unsigned i = 0; i < any->num_sockets; i++)
		for (unsigned n = 0; n < any->all[i]->num_pmus; n++)
			is |= pmu_is_interrupting(any->all[i]->pmus[n]);
	return is;
}

static void look_again(void *object, uint64_t unused)
{
	struct detail *detail = object;
	const struct socket *any = detail->sockets[0];

	(void)unused;
	detail->is_settling = false;
	if (detail->is_idle)
		detail_end_idle(detail);
	if (any->kind->is_over && !detail->is_paused &&
	    (!any->kind->is_over(any) || is_interrupting(any))) {
		detail_settle(detail, SETTLE_CYCLES);
		return;
	}
	if (!detail->left)
		pass_stretch(detail, NULL);
	for (unsigned i = 0; i < detail->num_cores && !detail->is_settling; i++)
		core_run(core_of(detail, i));
}

bool detail_stretch(struct detail *detail, const struct core *core)
{
	const struct kind *kind = detail->sockets[0]->kind;

	if (detail->is_settling)
		return false;
	if (!detail->is_paused && stays(detail)) {
		go_on(detail);
		return true;
	}
	if (!detail->is_paused && kind->is_over) {
		tell_end(detail);
		detail_settle(detail, SETTLE_CYCLES);
		return false;
	}
	pass_stretch(detail, core);
	return !detail->is_settling;
}

void detail_renew(struct detail *detail)
{
	const struct detail_seam last = detail->seam;

	/* What was executed while nobody counted brings nothing. */
	set_seam(detail);
	detail->seam.accesses = last.accesses;
	detail->seam.moves = last.moves;
	detail->credit =
		fmax(detail->credit, detail->adapts ? FIRST_OF_COUNTERS : 0);
	if (detail->is_paused)
		begin_window(detail);
	else if (detail->left && detail->left <= detail->begins_at)
		detail->left += jitter(detail, detail->window);
}
