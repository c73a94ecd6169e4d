/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The M-Box as a whole, and FVC, fill and victim control (guide 2.7.4.4): takes
 * the commands of the B-Box (Table 2-83), moves lines between its buffers, and
 * answers (Table 2-82).
 *
 * Reads and writes go on to the page table. The commands for buffers stay here:
 * one line at a time is moved, in the order of arrival.
 *
 * Choices: a write is acknowledged once it has its place in the dispatch queue,
 * since nothing that the B-Box could help with goes wrong afterwards and order
 * per bank is kept. Reads of the patrol scrubber count as B-Box reads, as a
 * footnote to Table 2-89 says, but nobody is answered. An index (FVID) of which
 * a command comes while the one before has not been answered is a race: the
 * B-Box's table would have used its entry again too early. It never does.
 */
#include "model/nehalem-ex/memory.h"

#include <stdlib.h>
#include <string.h>

#include "model/nehalem-ex/memory_parts.h"

static void settle(void *object)
{
	struct memory *memory = object;

	memory_settle(memory, sim_now(memory->sim));
}

struct memory *memory_new(struct ex *ex, struct sigbank *bank,
			  const struct mbox_config *config)
{
	struct memory *memory =
		aligned_alloc(64, (sizeof(*memory) + 63) & ~(size_t)63);

	if (!memory)
		return NULL;
	*memory = (struct memory){
		.ex = ex,
		.sim = ex->engine.sim,
		.signals = bank,
		.config = *config,
		.clock_cycles = config->dram.cycles_per_clock,
		.front_cycles = config->front_cycles,
		.back_cycles =
			(config->dram.cl_clocks + config->dram.burst_clocks) *
				config->dram.cycles_per_clock +
			2 * config->smi_cycles + config->response_cycles,
		.has_adaptive_pages = config->page_policy == MBOX_PAGE_ADAPTIVE,
		.has_adaptive_modes = config->sched == MBOX_SCHED_ADAPTIVE,
		.now = engine_now(&ex->engine),
	};
	memory->reciprocal =
		(UINT64_C(1) << 63) / config->dram.cycles_per_clock + 1;
	dram_init(&memory->map, &config->dram);
	memory->banks = banks_new(&config->dram);
	memory->visits = visits_new(bank, sizeof(struct memory_txn));
	if (!memory->banks || !memory->visits || memory_trace_new(memory)) {
		memory_free(memory);
		return NULL;
	}
	/* all but the one that the guide calls unobservable (errata E188) */
	sig_drives(bank, 0, SIG_MBOX_FVID_RACE);
	sig_drives(bank, SIG_MBOX_FVID_RACE + 1,
		   NUM_SIG_MBOX - SIG_MBOX_FVID_RACE - 1);
	sig_set(bank, SIG_MBOX_CYCLES, 1);
	memory_queue_start(memory);
	memory_page_start(memory);
	memory_write_start(memory);
	memory_heat_start(memory);
	memory_error_start(memory);
	memory->watches = memory->trace || memory->heat.is_watched;
	memory_rank_start(memory);
	memory_due_start(memory);
	memory_frame_start(memory);
	bank->settle = settle;
	bank->settle_object = memory;
	return memory;
}

void memory_free(struct memory *memory)
{
	if (!memory)
		return;
	dram_trace_free(memory->trace);
	for (unsigned i = 0; i < 2; i++)
		occupancy_free(&memory->occupancies[i]);
	occupancy_free(&memory->retries);
	banks_free(memory->banks);
	free(memory);
}

uint64_t memory_num_lines(const struct memory *memory)
{
	return memory->map.num_lines;
}

/* The rest of memory_span(). */
void memory_past_span(struct memory *memory, unsigned id, uint64_t from,
		      uint64_t until, int n)
{
	uint64_t end = until < memory->now ? until : memory->now;

	if (from >= until)
		return;
	sig_past(memory->signals, id, (uint64_t)n * (end - from));
	sig_span(memory->signals, id, end, until, n);
}

void memory_level(struct memory *memory, unsigned id, uint64_t cycle,
		  int64_t value)
{
	struct sigbank *bank = memory->signals;
	int64_t delta = value - bank->signals[id].level;

	if (!delta)
		return;
	sig_add(bank, id, delta);
	if (cycle < memory->now)
		sig_past(bank, id, (uint64_t)delta * (memory->now - cycle));
	else
		sig_span(bank, id, memory->now, cycle, (int)-delta);
}

/* Nothing begins before a cycle any more; the distances that DRAM commands
 * keep reach back a bit. */
void memory_slide(struct memory *memory, uint64_t cycle)
{
	uint64_t clock = memory_clock(memory, cycle);
	uint64_t back = memory->banks->gap;

	if (clock < memory->banks->base + back + 64)
		return;
	memory->next_slide = memory_cycle(
		memory, ((clock - back) & ~UINT64_C(63)) + back + 64);
	memory_frames_until(memory, clock);
	banks_forget(memory->banks, clock - back);
	memory_queue_forget(memory, cycle);
}

/* Begins whatever somebody asks of the M-Box in a cycle. */
void memory_enter(struct memory *memory, uint64_t now)
{
	memory->now = now;
	if (now >= memory->next_due)
		memory_due(memory, now);
	memory->moment = now;
	if (now >= memory->next_slide)
		memory_slide(memory, now);
	if (memory->trace)
		dram_trace_until(memory->trace, memory_clock(memory, now));
}

void memory_settle(struct memory *memory, uint64_t now)
{
	memory_enter(memory, now);
	memory_tell_columns(memory);
	memory_frames_until(memory, memory_clock(memory, now));
}

bool memory_is_idle(const struct memory *memory, uint64_t now)
{
	return !memory->num_writes && !memory->spare.is_busy &&
	       memory->last_answer <= now && memory->reads_until <= now &&
	       !places_taken(&memory->queues[MEMORY_WRITE], now);
}

uint64_t memory_ready_from(struct ex *ex, struct memory *memory, uint64_t from)
{
	(void)ex;
	return memory->full.num ? memory_full_until(memory, from) : from;
}

/* A write that has been acknowledged gives its index up; anything else before
 * its answer is a race. */
static void take_index(struct memory *memory, unsigned command, unsigned fvid,
		       uint64_t at)
{
	struct memory_held *held = &memory->held[fvid];

	if (held->answered > at)
		memory_pulse(memory, SIG_MBOX_FVID_RACE, at);
	if (held->until > at || held->is_parked)
		memory_release(memory, fvid, at);
	held->from = held->until = at;
	held->command = (uint8_t)command;
}

/* The B-Box hears of its command. */
static uint64_t respond(struct memory *memory, struct memory_txn *txn,
			enum mbox_response response, uint64_t cycle)
{
	if (memory->last_answer < cycle)
		memory->last_answer = cycle;
	memory->held[txn->fvid].answered = cycle;
	txn->answered = cycle;
	txn->response = (uint8_t)response;
	memory_tell(memory, txn);
	return cycle;
}

static uint64_t move(struct memory *memory, struct memory_txn *txn, uint64_t at)
{
	unsigned cycles = memory->config.buffer_cycles;
	uint64_t end = at;

	if (cycles)
		end = calendar_take(&memory->buffers, memory->now, at, cycles) +
		      cycles;
	txn->commands[MEMORY_CAS] = end; /* it leaves the scheduler queue */
	return respond(memory, txn, MBOX_RSP_ACK, end);
}

/* Until its data are at the B-Box, whatever they are. */
static uint64_t read_once(struct memory *memory, struct memory_txn *txn,
			  uint64_t at)
{
	uint64_t cycle = memory_dispatch(memory, txn, at);
	uint64_t start =
		memory_clock_after(memory, cycle + memory->front_cycles);
	unsigned place = memory_queue_take(memory, txn);
	uint64_t column = memory_issue(memory, txn, start, start);

	memory_queue_leave(memory, txn, place, cycle, column);
	memory->reads_until = sim_later(memory->reads_until, column);
	if (column > memory->turn_until && cycle < memory->turn_until)
		memory->owed_until = sim_later(memory->owed_until, column);
	return column + memory->back_cycles;
}

/* A read and, where its data are wrong, its repetitions. */
static uint64_t read(struct memory *memory, struct memory_txn *txn, uint64_t at,
		     enum mbox_response *response)
{
	uint64_t cycle = read_once(memory, txn, at);

	if (txn->was_lost)
		*response = MBOX_RSP_COR;
	if (memory->read_faults)
		cycle = memory_error_read(memory, txn, cycle, response);
	return cycle;
}

/* Another trial. */
uint64_t memory_read_again(struct memory *memory,
			   const struct memory_txn *first, uint64_t at)
{
	struct memory_txn txn = {
		.place = first->place,
		.rank = first->rank,
		.fvid = first->fvid,
		.address = first->address,
		.is_patrol = first->is_patrol,
	};
	uint64_t cycle = read_once(memory, &txn, at);

	memory_tell(memory, &txn);
	return cycle;
}

static uint64_t answer_read(struct memory *memory, struct memory_txn *txn,
			    uint64_t at, enum mbox_response *response)
{
	unsigned early = memory->config.early_ack_cycles;
	uint64_t cycle = read(memory, txn, at, response);

	if (memory->spare.is_busy)
		*response = memory_spare_response(memory, txn, *response);
	if (early && *response == MBOX_RSP_ACK) {
		*response = MBOX_RSP_SPEC_ACK;
		cycle -= early;
	}
	return respond(memory, txn, *response, cycle);
}

static uint64_t answer_write(struct memory *memory, struct memory_txn *txn,
			     uint64_t at, enum mbox_response *response)
{
	uint64_t cycle = memory_write(memory, txn, at);

	if (memory->spare.is_busy)
		*response = memory_spare_response(memory, txn, *response);
	return respond(memory, txn, *response,
		       cycle + memory->config.response_cycles);
}

static void begin(const struct memory *memory, struct memory_txn *txn,
		  uint64_t line, unsigned command, uint64_t at)
{
	struct dram_place place = dram_place_of(&memory->map, line);

	memset(txn, 0, sizeof(*txn));
	txn->at = at;
	txn->place = place;
	txn->rank = (uint8_t)(place.bank >> memory->banks->bank_bits);
	txn->command = (uint8_t)command;
	txn->direction = command == MBOX_CMD_READ ? MEMORY_READ : MEMORY_WRITE;
	txn->has_arrival = true;
}

void memory_pass(struct memory *memory, unsigned command, uint64_t line)
{
	struct dram_place place = dram_place_of(&memory->map, line);

	memory_enter(memory, sim_now(memory->sim));
	memory_page_pass(memory, place,
			 command == MBOX_CMD_READ ? MEMORY_READ : MEMORY_WRITE);
}

static uint64_t pass(struct memory *memory, unsigned command, uint64_t line,
		     uint64_t address, enum mbox_response *response)
{
	bool is_read = command == MBOX_CMD_READ;

	*response = is_read && memory->config.early_ack_cycles
			    ? MBOX_RSP_SPEC_ACK
			    : MBOX_RSP_ACK;
	if (is_read || command == MBOX_CMD_WRITE)
		memory_pass(memory, command, line);
	memory_count(memory, command, address, *response);
	return engine_now(&memory->ex->engine);
}

void memory_pass_cycles(struct memory *memory, uint64_t cycles)
{
	uint64_t interval = memory->config.patrol_interval_cycles;

	if (!interval)
		return;
	memory->cycles_passed += cycles;
	for (; memory->cycles_passed >= interval;
	     memory->cycles_passed -= interval) {
		memory_pass(memory, MBOX_CMD_READ, memory->patrol_line);
		memory_count(memory, MBOX_CMD_READ, memory->patrol_line * 64,
			     MBOX_NUM_RESPONSES);
		if (++memory->patrol_line == memory->map.num_lines)
			memory->patrol_line = 0;
	}
}

uint64_t memory_command(struct ex *ex, struct memory *memory, unsigned command,
			uint64_t line, uint64_t address, unsigned fvid,
			uint64_t at, enum mbox_response *response)
{
	unsigned kind = command & ~(unsigned)MBOX_POISONED;
	struct memory_txn txn;

	if (ex->engine.is_quick)
		return pass(memory, kind, line, address, response);
	begin(memory, &txn, line, kind, at);
	txn.address = address;
	txn.fvid = fvid % MEMORY_FVIDS;
	memory_enter(memory, engine_now(&ex->engine));
	*response = MBOX_RSP_ACK;
	take_index(memory, kind, txn.fvid, at);
	if (command & MBOX_POISONED)
		memory_pulse(memory, SIG_MBOX_POISON_TXN, at);
	if (kind == MBOX_CMD_READ)
		return answer_read(memory, &txn, at, response);
	if (kind == MBOX_CMD_WRITE || kind == MBOX_CMD_SPRWR)
		return answer_write(memory, &txn, at, response);
	return move(memory, &txn, at);
}

/* A read of the patrol scrubber: like one of the B-Box, but without FVID. */
void memory_patrol(struct memory *memory, uint64_t line, uint64_t at)
{
	enum mbox_response response = MBOX_RSP_ACK;
	struct memory_txn txn;

	begin(memory, &txn, line, MBOX_CMD_READ, at);
	txn.address = line * 64;
	txn.fvid = MEMORY_PATROL_FVID;
	txn.is_patrol = true;
	memory_pulse(memory, SIG_MBOX_PATROL_TXNS, at);
	read(memory, &txn, at, &response);
	memory_tell(memory, &txn);
}
