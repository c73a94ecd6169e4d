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

static uint64_t cycle_of(const struct mc *mc, uint64_t clock)
{
	return memory_cycle(mc->owner, clock);
}

static void enter(struct mc *mc, uint64_t cycle)
{
	memory_enter(mc->owner, cycle);
}

static void slide(struct mc *mc, uint64_t clock)
{
	struct memory *memory = mc->owner;

	memory_frames_until(memory, clock);
	memory_queue_forget(memory, memory_cycle(memory, clock));
}

static const struct mc_step power_down[] = { { DRAM_NOWPE, MC_ONE },
					     { DRAM_CKEL, MC_CKE },
					     { 0 } };
static const struct mc_step power_up[] = { { DRAM_CKEH, MC_ONE },
					   { DRAM_NOP, MC_XP },
					   { 0 } };

static const struct mc_kind mbox_kind = {
	.power_down = power_down,
	.power_up = power_up,
	.cycle = cycle_of,
	.enter = enter,
	.tell = memory_tell_command,
	.tell_past = memory_tell_past,
	.next = memory_next,
	.work_off = memory_work_off,
	.rest = memory_rest,
	.slide = slide,
	.close = memory_write_rank,
	.ready = memory_error_command,
	.decide = memory_tell_column,
};

/* A refresh is never postponed for traffic. */
static struct mc_config part_config(const struct memory *memory)
{
	const struct mbox_config *c = &memory->config;

	return (struct mc_config){
		.dram = c->dram,
		.page_idle_clocks =
			c->page_policy == MBOX_PAGE_ADAPTIVE
				? memory_clock_after(memory,
						     c->page_idle_cycles)
				: 0,
		.refresh_high = 1,
		.refresh_panic = 1,
		.has_power_down = c->power_down_cycles,
		.power_down_clocks =
			memory_clock_after(memory, c->power_down_cycles),
		.self_refresh_clocks =
			memory_clock_after(memory, c->self_refresh_cycles),
		.has_check = c->has_check,
	};
}

struct memory *memory_new(struct ex *ex, struct sigbank *bank,
			  const struct mbox_config *config)
{
	struct memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->ex = ex;
	memory->sim = ex->engine.sim;
	memory->signals = bank;
	memory->config = *config;
	memory->now = engine_now(&ex->engine);
	memory->mc = (struct mc){
		.kind = &mbox_kind,
		.owner = memory,
		.sim = memory->sim,
		.signals = bank,
		.config = part_config(memory),
	};
	memory->visits = visits_new(bank, sizeof(struct memory_txn));
	if (!mc_init(&memory->mc) || !memory->visits) {
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
	if (config->has_init)
		memory_init_ranks(memory, 1, true);
	memory_patrol_start(memory);
	mc_start(&memory->mc);
	memory_frame_start(memory);
	bank->settle = settle;
	bank->settle_object = memory;
	return memory;
}

void memory_free(struct memory *memory)
{
	if (!memory)
		return;
	for (unsigned i = 0; i < 2; i++)
		occupancy_free(&memory->occupancies[i]);
	occupancy_free(&memory->retries);
	mc_fini(&memory->mc);
	free(memory);
}

uint64_t memory_num_lines(const struct memory *memory)
{
	return memory->mc.map.num_lines;
}

/* Begins whatever somebody asks of the M-Box in a cycle. */
void memory_enter(struct memory *memory, uint64_t now)
{
	memory->now = now;
	mc_enter(&memory->mc, memory_clock(memory, now));
	memory->moment = now;
}

int memory_trace(struct memory *memory, dram_trace_fn *fn, void *object)
{
	return mc_trace(&memory->mc, fn, object);
}

const char *memory_check(const struct memory *memory)
{
	return mc_check(&memory->mc);
}

/* The energy of its commands. */
static void add_heat(struct memory *memory, const struct mc_txn *txn)
{
	if (txn->activate != MC_NEVER)
		memory_heat_add(memory, DRAM_RAS, txn->place.bank);
	memory_heat_add(memory, DRAM_CAS_RD, txn->place.bank);
}

/* A transaction that would keep its rank from a refresh for another tREFI lets
 * it pass: where frames are lost many times commands wait for that long. */
static void let_refresh_pass(struct memory *memory, const struct mc_txn *txn,
			     uint64_t clock)
{
	struct mc *mc = &memory->mc;
	const struct bank *bank = &mc->banks->banks[txn->place.bank];
	uint64_t trefi = mc->config.dram.trefi_clocks;

	clock = sim_later(clock, bank->row < 0 ? bank->act : bank->cas);
	clock = banks_from(mc->banks, clock);
	if (trefi && mc->ranks[txn->rank].refresh + trefi <= clock)
		mc_rank_until(mc, txn->rank, clock);
}

/* The transaction's column command closes the page, for the present. */
static void keep_packet(struct memory *memory, const struct memory_txn *txn)
{
	struct memory_bank *page = &memory->pages[txn->dram.place.bank];

	page->tells = true;
	page->address = txn->address;
	page->fvid = txn->fvid;
	page->requester = sim_requester(memory->sim);
}

/* Where writes wait the page stays open. */
uint64_t memory_issue(struct memory *memory, struct memory_txn *txn,
		      uint64_t start, uint64_t data)
{
	struct mc *mc = &memory->mc;
	unsigned bank = txn->dram.place.bank;
	bool stays_open = memory->pages[bank].num_parked;

	txn->has_commands = true;
	if (memory->command_faults)
		let_refresh_pass(memory, &txn->dram, start);
	mc->is_closed = memory->is_closed_policy && !stays_open;
	mc_issue(mc, &txn->dram, start, data,
		 memory_clock(memory, memory->moment) + 1);
	if (stays_open)
		mc_page_forget(mc, bank);
	if (txn->dram.closes)
		keep_packet(memory, txn);
	if (memory->heat.is_watched)
		add_heat(memory, &txn->dram);
	txn->left = memory_cycle(memory, txn->dram.column);
	return txn->left;
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
	       !places_taken(&memory->queues[true], now);
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
	txn->left = end;
	return respond(memory, txn, MBOX_RSP_ACK, end);
}

/* From the column command of a read to its answer. */
static unsigned back_cycles(const struct memory *memory)
{
	const struct mbox_config *c = &memory->config;
	unsigned clocks = c->dram.cl_clocks + c->dram.burst_clocks;

	return clocks * c->dram.cycles_per_clock + 2 * c->smi_cycles +
	       c->response_cycles;
}

/* Until its data are at the B-Box, whatever they are. */
static uint64_t read_once(struct memory *memory, struct memory_txn *txn,
			  uint64_t at)
{
	uint64_t cycle = memory_dispatch(memory, txn, at);
	uint64_t start =
		memory_clock_after(memory, cycle + memory->config.front_cycles);
	unsigned place = memory_queue_take(memory, txn);
	uint64_t column = memory_issue(memory, txn, start, start);

	memory_queue_leave(memory, txn, place, cycle, column);
	memory->reads_until = sim_later(memory->reads_until, column);
	if (column > memory->turn_until && cycle < memory->turn_until)
		memory->owed_until = sim_later(memory->owed_until, column);
	return column + back_cycles(memory);
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
		.dram = memory_again(&first->dram),
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
	memset(txn, 0, sizeof(*txn));
	txn->at = at;
	txn->dram = mc_txn(&memory->mc, line, command != MBOX_CMD_READ, at);
	txn->command = (uint8_t)command;
	txn->has_arrival = true;
}

void memory_pass(struct memory *memory, unsigned command, uint64_t line)
{
	struct dram_place place = dram_place_of(&memory->mc.map, line);

	memory_enter(memory, sim_now(memory->sim));
	memory_page_pass(memory, place, command != MBOX_CMD_READ);
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
		uint64_t line = memory_patrol_line(memory);

		memory_pass(memory, MBOX_CMD_READ, line);
		memory_count(memory, MBOX_CMD_READ, line * 64,
			     MBOX_NUM_RESPONSES);
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
