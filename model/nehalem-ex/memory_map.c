/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * MAP, the memory mapper (guide 2.7.4.4), and the transactions that it makes.
 * The guide does not print the mapping; which one it is stands in
 * model/box/dram_map.c, of which this is a shorter way.
 */
#include "model/nehalem-ex/memory_parts.h"

static struct dram_place place_of(const struct memory *memory, uint64_t line)
{
	const struct dram *map = &memory->map;
	const struct dram_config *c = &map->config;
	unsigned bus = line & (c->buses - 1);
	uint64_t stripe = line >> map->bus_bits;
	uint64_t above = stripe >> map->stripe_bits;
	unsigned bank = (unsigned)above, rank, high;
	uint64_t row;

	above >>= map->bank_bits;
	rank = (unsigned)above;
	above >>= map->rank_bits;
	row = above >> (map->column_bits - map->stripe_bits);
	if (row >= c->rows)
		return dram_place_of(map, line);
	high = (unsigned)above & ((c->lines_per_row >> map->stripe_bits) - 1);
	if (c->bank_hash) {
		bank ^= (unsigned)(row ^ row >> 3 ^ high);
		rank ^= (unsigned)(row >> 2 ^ high >> 1);
	}
	rank = (rank & (c->ranks - 1)) | bus << map->rank_bits;
	return (struct dram_place){
		.row = (uint32_t)row,
		.column = (uint16_t)(high << map->stripe_bits |
				     (stripe & (c->lines_per_stripe - 1))),
		.bank = (uint8_t)(rank << map->bank_bits |
				  (bank & (c->banks - 1))),
	};
}

/* Room for one more in the ring. */
struct memory_txn *memory_txn_next(struct memory *memory)
{
	struct memory_txn *txn =
		&memory->txns[memory->num_txns++ % MEMORY_TXNS];

	if (txn->is_coming)
		memory_publish_column(memory, txn);
	return txn;
}

/* A new one. */
struct memory_txn *memory_txn(struct memory *memory, uint64_t line,
			      unsigned command)
{
	struct memory_txn *txn = memory_txn_next(memory);

	*txn = (struct memory_txn){
		.place = place_of(memory, line),
		.command = (uint8_t)command,
		.direction =
			command == MBOX_CMD_READ ? MEMORY_READ : MEMORY_WRITE,
	};
	txn->rank = (uint8_t)(txn->place.bank >> memory->banks.bank_bits);
	return txn;
}
