/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * DIMM sparing: the lines of a rank that fails too often are copied to the
 * spare one, a line at a time: a read of the failing rank, then a spare write.
 * Commands for that rank have responses of their own meanwhile (SPR_ACK,
 * SPR_UNCOR), so the B-Box can tell.
 *
 * Choices: the spare rank stands in the failing rank's place, so both share its
 * timing. The model's home agent does not know of sparing; the copying is done
 * here, by an event for each command, with commands that count as its own and
 * an index (FVID) that the table of the home agent does not have; where events
 * know 32 of them it is seen as index 30. Of a rank the first `spare_lines`
 * lines are copied, since all of them would take seconds of modelled time.
 */
#include "model/nehalem-ex/memory_parts.h"

enum { SPARE_FVID = 62 };

static void copy(void *object, uint64_t command);

/* One rank at a time, and each one once. */
bool memory_spare_may_begin(const struct memory *memory)
{
	return !memory->spare.is_busy &&
	       memory->spare.num_copied < memory->mc.map.num_ranks;
}

/* What the B-Box hears of a command while a rank is copied. */
enum mbox_response memory_spare_response(const struct memory *memory,
					 const struct memory_txn *txn,
					 enum mbox_response response)
{
	if (txn->dram.rank != memory->spare.rank)
		return response;
	if (response == MBOX_RSP_UNCOR)
		return MBOX_RSP_SPR_UNCOR;
	return response == MBOX_RSP_ACK ? MBOX_RSP_SPR_ACK : response;
}

void memory_spare_begin(struct memory *memory)
{
	memory->spare.rank = memory->spare.num_copied++;
	memory->spare.is_busy = true;
	memory->spare.next = 0;
	copy(memory, MBOX_CMD_READ);
}

static uint64_t lines_of_rank(const struct memory *memory)
{
	uint64_t all = memory->mc.map.num_lines / memory->mc.map.num_ranks;
	uint64_t some = memory->config.spare_lines;

	return some && some < all ? some : all;
}

/* The n-th line of the rank: bank after bank, then column, then row. */
static uint64_t present_line(const struct memory *memory)
{
	const struct dram_config *d = &memory->config.dram;
	uint64_t n = memory->spare.next;
	struct dram_place place = {
		.bank = (uint8_t)(memory->spare.rank
					  << memory->mc.map.bank_bits |
				  (n & (d->banks - 1))),
		.column = (uint16_t)(n / d->banks % d->lines_per_row),
		.row = (uint32_t)(n / d->banks / d->lines_per_row),
	};

	return dram_line_at(&memory->mc.map, place);
}

/* A command of its own; the next one comes when it has been answered. */
static void copy(void *object, uint64_t command)
{
	struct memory *memory = object;
	uint64_t line = present_line(memory), from, done;
	bool is_read = command == MBOX_CMD_READ;
	enum mbox_response response;

	if (memory->spare.next == lines_of_rank(memory)) {
		memory->spare.is_busy = false;
		return;
	}
	memory->spare.next += !is_read;
	from = memory_ready_from(memory->ex, memory, sim_now(memory->sim));
	done = memory_command(memory->ex, memory, (unsigned)command, line,
			      line * 64, SPARE_FVID, from, &response);
	sim_at(memory->sim, done, copy, memory,
	       is_read ? MBOX_CMD_SPRWR : MBOX_CMD_READ);
}
