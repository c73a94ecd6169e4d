/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * QEMU runs its virtual CPUs one after the other and changes between them when
 * it likes, about every 100 ms. Here one is sent away when it has executed its
 * turn's instructions, and one that comes before the other's turn is over is
 * sent away, too, so that wall time does not decide who executes what. Which
 * one comes next is seen when it does.
 *
 * Invariants:
 *  1. vcpu->limit is 0 except for the one whose turn it is, and for that one,
 *     too, once its turn is over or it lets others run; so every change comes
 *     through turn_enter().
 *  2. Rounds are handed over in the order 0, 1, 0, 1, ...
 *  3. While recording, the gaps of a turn's records add up to its instructions.
 */
#include "turn.h"

#include <string.h>

#include "clock.h"
#include "link.h"
#include "memory.h"
#include "qemu_symbols.h"

enum {
	/* Without traffic turns are longer, because nothing depends on who was
	 * first. */
	QUIET_TURN_INSTRUCTIONS = 10 * CHANNEL_TURN_INSTRUCTIONS,
	/* After so many rounds of that accesses are not even seen. */
	QUIET_ROUNDS = 400,
	/* What an instruction that lets others run takes without traffic: a
	 * CPU that waits for a time to come would execute billions. */
	QUIET_PAUSE_INSTRUCTIONS = 2000,
};

struct vcpu vcpus[CHANNEL_MAX_CPUS];
bool turn_recording;

static struct channel *channel; /* NULL: nobody listens */
static unsigned filling;
static struct vcpu *current;
static unsigned num_awake;
static unsigned quiet_rounds;
static unsigned num_refused; /* in a row */

static unsigned index_of(const struct vcpu *vcpu)
{
	return (unsigned)(vcpu - vcpus);
}

bool turn_is_on(void)
{
	return channel;
}

/* Nobody listens any more: the guest runs on as fast as it can until QEMU ends,
 * and its registers are QEMU's. */
static void switch_off(void)
{
	unsigned i;

	for (i = 0; i < CHANNEL_MAX_CPUS; i++)
		vcpus[i].limit = UINT64_MAX;
	turn_recording = false;
	channel = NULL;
}

static void put_record(struct vcpu *vcpu, uint64_t executed,
		       const struct privcache_request *request, bool depends)
{
	struct channel_turn *turn = vcpu->turn;
	struct uncore_access *record = &turn->records[turn->num_records++];

	/* A block's second page is looked at with its beginning's count. */
	if ((int64_t)(executed - vcpu->recorded) < 0)
		executed = vcpu->recorded;
	record->line = request->line;
	record->gap = (uint32_t)(executed - vcpu->recorded);
	record->kind = request->kind;
	record->prefetch = request->prefetch;
	record->depends = depends;
	record->is_near = request->is_near;
	record->is_clean = request->is_clean;
	vcpu->recorded = executed;
}

/* The turn as the model gets it. What was not executed yet of the present block
 * belongs to the next round. */
static void end_turn(struct vcpu *vcpu, uint64_t executed)
{
	static const struct privcache_request nothing = {
		.kind = UNCORE_ACCESS_NONE,
	};

	if (turn_recording && executed != vcpu->recorded)
		put_record(vcpu, executed, &nothing, false);
	vcpu->turn->instructions = executed;
	vcpu->turn->waited = vcpu->waited;
	vcpu->waited = 0;
	memcpy(vcpu->turn->counts, vcpu->cache.counts,
	       sizeof(vcpu->cache.counts));
	vcpu->instructions -= executed;
	vcpu->before -= executed;
	vcpu->recorded = 0;
	vcpu->turn = NULL;
}

static void end_turns(const struct vcpu *present, uint64_t executed)
{
	unsigned i;

	for (i = 0; i < channel->num_cpus; i++)
		if (vcpus[i].turn && &vcpus[i] != present)
			end_turn(&vcpus[i], vcpus[i].instructions);
	if (present && present->turn)
		end_turn(&vcpus[index_of(present)], executed);
}

static void take_back(struct channel_round *round)
{
	unsigned i, k;

	clock_take_back((unsigned)(round - channel->rounds), round->end_ticks);
	for (i = 0; i < channel->num_cpus; i++) {
		struct channel_turn *turn = &round->turns[i];

		if (turn->forget)
			memory_forget_lines(&vcpus[i]);
		else
			for (k = 0; k < turn->num_invalidations; k++)
				memory_invalidate(&vcpus[i],
						  &turn->invalidations[k]);
		turn->forget = 0;
		turn->num_invalidations = 0;
		turn->num_records = 0;
		turn->instructions = 0;
		turn->waited = 0;
	}
}

static uint64_t longest_turn(const struct channel_round *round)
{
	uint64_t most = 0;
	unsigned i;

	for (i = 0; i < channel->num_cpus; i++)
		if (round->turns[i].instructions > most)
			most = round->turns[i].instructions;
	return most;
}

/* Waits for the round that is filled next. */
static bool get_round(void)
{
	struct channel_round *round = &channel->rounds[filling];

	if (atomic_load(&round->state) == ROUND_FILLING)
		return true;
	if (!link_await(channel, &round->state, ROUND_DONE)) {
		switch_off();
		return false;
	}
	take_back(round);
	atomic_store(&round->state, ROUND_FILLING);
	return true;
}

/* After a request the model holds nothing: what it has done takes hold. */
static bool get_other_round(void)
{
	struct channel_round *round = &channel->rounds[!filling];

	if (!link_await(channel, &round->state, ROUND_DONE)) {
		switch_off();
		return false;
	}
	take_back(round);
	return true;
}

/* The model gets the round; present->instructions up to `executed` are done. */
static void hand_over(struct vcpu *present, uint64_t executed)
{
	struct channel_round *round = &channel->rounds[filling];

	end_turns(present, executed);
	clock_hand_over(filling, longest_turn(round));
	filling = !filling;
	link_set(channel, &round->state, ROUND_FULL);
}

/* Goes on with the turn in the round that is filled next. */
static void go_on(struct vcpu *vcpu, uint64_t executed)
{
	if (!vcpu)
		return;
	vcpu->turn = &channel->rounds[filling].turns[index_of(vcpu)];
	vcpu->end -= executed < vcpu->end ? executed : vcpu->end;
	if (vcpu->limit)
		vcpu->limit = vcpu->end;
}

/* What comes does not depend on how much of the turn had passed. */
static void begin_anew(struct vcpu *vcpu)
{
	vcpu->end = CHANNEL_TURN_INSTRUCTIONS;
	vcpu->limit = vcpu->end;
}

static void want_records(bool wanted)
{
	if (wanted == turn_recording)
		return;
	turn_recording = wanted;
	quiet_rounds = 0;
	if (wanted)
		memory_begin();
}

void turn_start(struct channel *with)
{
	channel = with;
	clock_start(channel);
	memory_start(channel);
	want_records(atomic_load(&channel->traffic));
}

/* Traffic switched off and on again soon must not cost the translated code. */
static void count_quiet(void)
{
	if (turn_recording || ++quiet_rounds != QUIET_ROUNDS)
		return;
	memory_end();
}

static void *cpu_of(const struct vcpu *vcpu)
{
	return qemu.get_cpu((int)index_of(vcpu));
}

static void fall_asleep(struct vcpu *vcpu)
{
	if (vcpu->awake)
		num_awake--;
	vcpu->awake = false;
	vcpu->limit = 0;
}

/* Whose turn it is when a CPU comes: the present one's until that is over, then
 * the next one's that is awake. NULL: nobody's in particular. */
static struct vcpu *due(void)
{
	unsigned i, index;

	if (!current || current->limit)
		return current;
	index = index_of(current);
	for (i = 1; i <= channel->num_cpus; i++) {
		struct vcpu *next = &vcpus[(index + i) % channel->num_cpus];

		if (next->awake)
			return next;
	}
	return NULL;
}

/* Sends a CPU away that QEMU has changed to too early. */
static void await_turn(const struct vcpu *vcpu)
{
	struct vcpu *expected = due();

	/* One that wakes up comes when it comes, between turns. */
	while (expected && expected != vcpu &&
	       (vcpu->awake || expected->limit)) {
		if (++num_refused <= 2 * channel->num_cpus) {
			qemu.end_turn(cpu_of(vcpu));
			qemu.leave(cpu_of(vcpu));
		}
		/* It does not come: another CPU has halted it. */
		fall_asleep(expected);
		expected = due();
	}
}

static void begin_turn(struct vcpu *vcpu)
{
	if (!num_awake)
		clock_wake();
	num_refused = 0;
	if (vcpu->turn && vcpu->instructions >= vcpu->end) {
		hand_over(NULL, 0);
		count_quiet();
		if (!get_round())
			return;
	}
	if (!vcpu->awake) {
		vcpu->awake = true;
		num_awake++;
		memory_forget_pages(vcpu);
	}
	if (!vcpu->turn)
		vcpu->end = turn_recording ? CHANNEL_TURN_INSTRUCTIONS
					   : QUIET_TURN_INSTRUCTIONS;
	vcpu->turn = &channel->rounds[filling].turns[index_of(vcpu)];
	vcpu->limit = vcpu->end;
}

void turn_enter(struct vcpu *vcpu, unsigned block_instructions)
{
	if (!channel)
		return;
	if (current != vcpu || !vcpu->limit) {
		await_turn(vcpu);
		if (current)
			clock_turn(current->instructions);
		current = vcpu;
		begin_turn(vcpu);
	}
	if (vcpu->instructions + block_instructions < vcpu->limit)
		return;
	vcpu->limit = 0;
	qemu.end_turn(cpu_of(vcpu));
}

uint64_t turn_put(struct vcpu *vcpu, uint64_t executed,
		  const struct privcache_request *requests, unsigned num,
		  bool depends)
{
	unsigned i;

	if (vcpu->turn->num_records + PRIVCACHE_MAX_REQUESTS + 1 >
	    CHANNEL_RECORDS) {
		hand_over(vcpu, executed);
		if (!get_round())
			return executed;
		go_on(vcpu, executed);
		executed = 0;
	}
	for (i = 0; i < num; i++)
		put_record(vcpu, executed, &requests[i], !i && depends);
	return executed;
}

/* A CPU that waits for another halts, too, and often. What is held back then is
 * some instructions, but no access. */
static bool is_small(void)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < channel->num_cpus; i++)
		sum += vcpus[i].instructions;
	return sum < CHANNEL_TURN_INSTRUCTIONS;
}

/* The model works off what it has got, so that time goes on from there. */
static void sleep_on(void)
{
	struct channel_round *other = &channel->rounds[!filling];

	if (atomic_load(&other->state) == ROUND_FULL &&
	    !link_await(channel, &other->state, ROUND_DONE))
		switch_off();
	else
		clock_sleep();
}

void turn_halt(struct vcpu *vcpu)
{
	if (!channel || !vcpu->awake)
		return;
	clock_turn(vcpu->instructions);
	fall_asleep(vcpu);
	if (num_awake)
		return;
	if (turn_recording || !is_small()) {
		hand_over(NULL, 0);
		count_quiet();
		get_round();
	}
	if (channel)
		sleep_on();
}

void turn_yield(struct vcpu *vcpu)
{
	if (!channel)
		return;
	vcpu->limit = 0;
	if (turn_recording)
		return;
	vcpu->instructions += QUIET_PAUSE_INSTRUCTIONS;
	vcpu->before += QUIET_PAUSE_INSTRUCTIONS;
	vcpu->waited += QUIET_PAUSE_INSTRUCTIONS;
}

uint64_t turn_executed(void)
{
	return current ? current->instructions : 0;
}

void turn_reset(struct vcpu *vcpu)
{
	unsigned i;

	for (i = 0; channel && i < channel->num_cpus; i++)
		if (&vcpus[i] != vcpu)
			fall_asleep(&vcpus[i]);
}

void turn_end(void)
{
	/* Not while the CPUs' thread waits for the model. */
	if (!channel ||
	    atomic_load(&channel->rounds[filling].state) != ROUND_FILLING)
		return;
	hand_over(NULL, 0);
	channel = NULL;
}

bool turn_request(struct vcpu *vcpu, uint64_t executed,
		  enum channel_request_kind kind, uint32_t address,
		  uint64_t value)
{
	struct channel_request *request = &channel->request;

	executed = memory_fence(vcpu, executed);
	if (!channel)
		return false;
	hand_over(vcpu, executed);
	request->kind = kind;
	request->cpu = index_of(vcpu);
	request->address = address;
	request->value = value;
	if (!link_ask(channel)) {
		switch_off();
		return false;
	}
	if (!get_round() || !get_other_round())
		return false;
	go_on(vcpu, executed);
	want_records(atomic_load(&channel->traffic));
	if (kind == REQUEST_MARK_BEGIN ||
	    (turn_recording && vcpu->end > CHANNEL_TURN_INSTRUCTIONS))
		begin_anew(vcpu);
	return true;
}

bool turn_request_pci(enum channel_request_kind kind, uint32_t address,
		      unsigned bytes, uint64_t value)
{
	struct vcpu *vcpu = current;
	uint64_t executed;

	if (!channel || !vcpu)
		return false;
	/* Not more than is certain; what has been recorded has happened. */
	executed = vcpu->before;
	if ((int64_t)(executed - vcpu->recorded) < 0)
		executed = vcpu->recorded;
	channel->request.bytes = bytes;
	return turn_request(vcpu, executed, kind, address, value);
}
