/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads. One that has come to RPQ waits there without clocks for its commands
 * until the channel chooses it: of those that have come the one whose column
 * command can go first, as banks and buses stand (an open row, the rank that
 * has the bus), of several the oldest; but one that so many others have passed
 * goes before all (FR-FCFS with a bound). A choice is made when that command is
 * no further ahead than a read for another row has to go before its own
 * (imc_ahead()), so that rows are opened in time and no clock is given away
 * before those are known who may want it.
 *
 * Who asks for a read by imc_read_later() is called when it has been chosen.
 * Who cannot wait (imc_read(), imc_choose_for()) has the channel choose now,
 * among those that are known, until his is: they go first who would have.
 *
 * A read that waits is published as being in RPQ up to a clock, `shown`, before
 * which it cannot have its data; its owner is told of that clock, and publishes
 * what he holds for it likewise.
 *
 * Choices: a read that finds a write of its line in WPQ gets its data from
 * there, has an entry of RPQ while it looks, and needs no commands. An
 * underfill read lets others pass until it has waited for imc.underfill; from
 * then on until its column command is partial mode, in which nothing else
 * begins. The same is isoch mode for an isochronous request from its first
 * clock on. What has clocks already keeps them, in each mode.
 */
#include "model/sandy-bridge-ep/imc_parts.h"
#include "model/sandy-bridge-ep/ubox.h"

/* A read that is answered out of WPQ. */
static uint64_t forward(struct imc *imc, struct imc_txn *txn, unsigned write)
{
	const struct imc_config *c = &imc->config;
	uint64_t clock = sim_later(txn->dram.entry, imc->entries[write]), until;
	unsigned place =
		places_take(&imc->rpq, imc->now_from, &txn->dram.entry);

	until = sim_later(txn->dram.entry, clock) + c->front_clocks;
	places_hold(&imc->rpq, place, until);
	imc_pulse(imc, SIG_IMC_RPQ_INSERTS, txn->dram.entry);
	imc_pulse(imc, SIG_IMC_WPQ_READ_HIT, sim_later(txn->dram.entry, clock));
	imc_stay(imc, SIG_IMC_RPQ_OCCUPANCY, txn->dram.entry, until);
	return imc_done(imc, until + c->forward_clocks + c->back_clocks);
}

/* The request has the channel for itself from a clock until its column command:
 * for the mode's name, and for reads without a clock. */
void imc_reserve(struct imc *imc, unsigned id, uint64_t from, uint64_t column)
{
	imc_mode(imc, id, from, column + 1);
	banks_no_reads(imc->mc.banks, from, column + 1);
}

/* Its column command has a clock: the cycle in which its line is at the home
 * agent. */
static uint64_t back_from(struct imc *imc, const struct imc_txn *txn,
			  unsigned place)
{
	const struct imc_config *c = &imc->config;
	uint64_t column = txn->dram.column, data;

	places_hold(&imc->rpq, place, column);
	imc->reads_until = sim_later(imc->reads_until, column);
	imc_tell(imc, txn);
	data = column + c->mc.dram.cl_clocks + c->mc.dram.burst_clocks;
	if (fault_strikes(&imc->socket->faults, FAULT_ECC, imc->number,
			  imc_cycle(imc, data))) {
		imc_pulse(imc, SIG_IMC_ECC_CORRECTABLE_ERRORS, data);
		ubox_tell(imc->ep, imc->socket->index, UBOX_CORRECTED,
			  imc_cycle(imc, data));
		data += c->ecc_clocks;
	}
	return imc_done(imc, data + c->back_clocks);
}

/* Reads that do not wait to be chosen */

/* Other reads go first, but not for ever. */
static uint64_t underfill_from(const struct imc *imc, uint64_t start)
{
	uint64_t patience = start + imc->config.underfill_clocks;

	if (imc->reads_until < start)
		return start;
	return imc->reads_until < patience ? imc->reads_until + 1 : patience;
}

static void issue_apart(struct imc *imc, struct imc_txn *txn)
{
	uint64_t start = txn->dram.entry + imc->config.front_clocks, column;

	if (txn->kind == IMC_UNDERFILL) {
		uint64_t patience = start + imc->config.underfill_clocks;

		start = underfill_from(imc, start);
		column = imc_issue(imc, txn, start, start);
		if (column >= patience)
			imc_reserve(imc, SIG_IMC_MAJOR_MODES_PARTIAL, patience,
				    column);
		return;
	}
	column = imc_issue(imc, txn, start, start);
	imc_reserve(imc, SIG_IMC_MAJOR_MODES_ISOCH, txn->dram.entry, column);
}

static uint64_t read_apart(struct imc *imc, enum imc_request kind,
			   uint64_t local, uint64_t at)
{
	struct imc_txn txn = imc_txn(imc, kind, local, at);
	unsigned place;
	int write;

	imc_enter(imc, engine_now(&imc->ep->engine));
	write = imc_find_write(imc, local, txn.dram.entry);
	if (write >= 0)
		return forward(imc, &txn, (unsigned)write);
	place = places_take(&imc->rpq, imc->now_from, &txn.dram.entry);
	issue_apart(imc, &txn);
	imc_pulse(imc, SIG_IMC_RPQ_INSERTS, txn.dram.entry);
	imc_stay(imc, SIG_IMC_RPQ_OCCUPANCY, txn.dram.entry, txn.dram.column);
	return back_from(imc, &txn, place);
}

/* Choosing */

/* Of those that have come by a clock; -1: none has. *column: when its command
 * can go. */
static int find_ready(const struct imc *imc, uint64_t clock, uint64_t *column)
{
	int best = -1;

	*column = IMC_NEVER;
	for (unsigned i = 0; i < imc->num_reads; i++) {
		const struct imc_read *read = &imc->reads[i];
		unsigned rank = read->txn.dram.rank;
		uint64_t start = sim_later(read->start, imc->now_from), from;

		if (read->txn.dram.entry > clock)
			continue;
		start = sim_later(start, imc->mc.ranks[rank].busy_until);
		from = mc_column_from(&imc->mc, &read->txn.dram, start, start);
		if (read->num_passed >= IMC_MOST_PASSED)
			from = 0;
		if (from < *column) {
			*column = from;
			best = (int)i;
		}
	}
	return best;
}

/* The read gets its commands, and its owner is told. */
static void choose(struct imc *imc, unsigned index)
{
	struct imc_read read = imc->reads[index];
	uint64_t start = sim_later(read.start, imc->now_from), before, data;

	imc->num_reads--;
	for (unsigned i = 0; i < index; i++)
		imc->reads[i].num_passed++;
	for (unsigned i = index; i < imc->num_reads; i++)
		imc->reads[i] = imc->reads[i + 1];
	before = sim_act_for(imc->ep->engine.sim, read.requester);
	imc->delay += imc_issue(imc, &read.txn, start, start) - read.begun -
		      imc->delay / IMC_DELAY_PARTS;
	imc_stay(imc, SIG_IMC_RPQ_OCCUPANCY, read.shown, read.txn.dram.column);
	data = back_from(imc, &read.txn, read.place);
	read.owner->comes(read.object, data);
	sim_act_for(imc->ep->engine.sim, before);
}

void imc_choose(struct imc *imc)
{
	uint64_t column;

	imc_enter(imc, engine_now(&imc->ep->engine));
	choose(imc, (unsigned)find_ready(imc, IMC_NEVER, &column));
}

static bool waits(const struct imc *imc, const void *object)
{
	for (unsigned i = 0; i < imc->num_reads; i++)
		if (imc->reads[i].object == object)
			return true;
	return false;
}

void imc_choose_for(struct imc *imc, const void *object)
{
	while (waits(imc, object))
		imc_choose(imc);
}

/* From a read's arrival to its column command, if it has to open its row. */
static uint64_t ahead(const struct imc *imc)
{
	const struct dram_config *d = &imc->config.mc.dram;

	return imc->config.front_clocks + d->trp_clocks + d->trcd_clocks +
	       d->burst_clocks;
}

/* The data of a read without clocks are not there before. */
static uint64_t data_from(const struct imc *imc, uint64_t start)
{
	const struct dram_config *d = &imc->config.mc.dram;

	return sim_later(start, imc->now_from) + d->cl_clocks +
	       d->burst_clocks + imc->config.back_clocks;
}

/* All that wait are in the queue up to a clock at least. */
static void show(struct imc *imc, uint64_t until)
{
	for (unsigned i = 0; i < imc->num_reads; i++) {
		struct imc_read *read = &imc->reads[i];
		uint64_t shown = data_from(imc, read->start), before;

		if (read->shown >= until)
			continue;
		before = sim_act_for(imc->ep->engine.sim, read->requester);
		imc_stay(imc, SIG_IMC_RPQ_OCCUPANCY, read->shown, shown);
		read->shown = shown;
		read->owner->waits(read->object, imc_cycle(imc, shown));
		sim_act_for(imc->ep->engine.sim, before);
	}
}

static void choose_event(void *object, uint64_t cycle);

static void look_at(struct imc *imc, uint64_t clock)
{
	uint64_t cycle = imc_cycle(imc, clock);

	if (cycle >= imc->look_cycle)
		return;
	imc->look_cycle = cycle;
	sim_at(imc->ep->engine.sim, cycle, choose_event, imc, cycle);
}

/* Looks again when the next read comes, or when the one that could go first is
 * near; those that wait are shown up to then. */
static void look_again(struct imc *imc, uint64_t column)
{
	uint64_t clock = data_from(imc, 0) - 1;

	if (column != IMC_NEVER && column - ahead(imc) < clock)
		clock = column - ahead(imc);
	for (unsigned i = 0; i < imc->num_reads; i++) {
		uint64_t entry = imc->reads[i].txn.dram.entry;

		if (entry > imc->now_from && entry < clock)
			clock = entry;
	}
	show(imc, clock + 1);
	look_at(imc, clock);
}

static void choose_event(void *object, uint64_t cycle)
{
	struct imc *imc = object;
	uint64_t column;
	int ready;

	if (imc->look_cycle != cycle)
		return;
	imc->look_cycle = SIM_NEVER;
	for (;;) {
		imc_enter(imc, cycle);
		ready = find_ready(imc, imc->now_from, &column);
		if (ready < 0 || column > imc->now_from + ahead(imc))
			break;
		choose(imc, (unsigned)ready);
	}
	if (imc->num_reads)
		look_again(imc, column);
}

/* Coming */

uint64_t imc_read_later(struct imc *imc, uint64_t local, uint64_t at,
			const struct imc_owner *owner, void *object,
			uint64_t *shown)
{
	struct imc_read read = { .txn = imc_txn(imc, IMC_READ, local, at),
				 .owner = owner,
				 .object = object };
	uint64_t *entry = &read.txn.dram.entry;
	int write;

	imc_enter(imc, engine_now(&imc->ep->engine));
	write = imc_find_write(imc, local, *entry);
	if (write >= 0)
		return forward(imc, &read.txn, (unsigned)write);
	read.place = places_take(&imc->rpq, imc->now_from, entry);
	read.start = *entry + imc->config.front_clocks;
	read.begun = imc->mc.present;
	read.requester = sim_requester(imc->ep->engine.sim);
	read.shown = data_from(imc, read.start);
	imc_pulse(imc, SIG_IMC_RPQ_INSERTS, *entry);
	imc_stay(imc, SIG_IMC_RPQ_OCCUPANCY, *entry, read.shown);
	*shown = imc_cycle(imc, read.shown);
	imc->reads[imc->num_reads++] = read;
	look_at(imc, *entry);
	return 0;
}

static void keep(void *object, uint64_t data)
{
	*(uint64_t *)object = data;
}

static void let_wait(void *object, uint64_t until)
{
	(void)object;
	(void)until;
}

uint64_t imc_read(struct imc *imc, enum imc_request kind, uint64_t local,
		  uint64_t at)
{
	static const struct imc_owner owner = { keep, let_wait };
	uint64_t data = 0, shown, known;

	if (kind != IMC_READ)
		return read_apart(imc, kind, local, at);
	known = imc_read_later(imc, local, at, &owner, &data, &shown);
	imc_choose_for(imc, &data);
	return known ? known : data;
}
