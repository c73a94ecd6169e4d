/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One way of a link: which slots a packet's flits have. They follow each other
 * without a gap; a packet takes the first slots that are free for all of them.
 *
 * Half width (L0p): a way that has sent nothing for `half_after` link cycles
 * gives up half of its lanes. A packet that comes then is sent with the others,
 * a flit in two slots, and all lanes are there again behind it. Whether it is
 * time is looked at in each eighth of `half_after`.
 *
 * Shut down (L1): the same of both ways together, after `sleep_after`. A packet
 * that comes then wakes it, which takes `wake` link cycles.
 *
 * A flit stays in the buffer for repeats until it is acknowledged, a flight
 * there and back; a packet waits while there is no room for all of its flits.
 *
 * Errors (FAULT_QPI_CRC, an opportunity is a flit): the receiver drops a flit
 * that is wrong and what follows, and the packet is sent once more after a
 * flight there and back. After `retry_limit` tries, or at FAULT_PBOX_RESET, the
 * link is initialised: both ways are down for `reset`, then have `init_flits`
 * flits, in which errors are found, too (LINK_INIT). What has been planned for
 * that time already is not disturbed.
 */
#include "model/sandy-bridge-ep/qll_parts.h"
#include "model/sandy-bridge-ep/ubox.h"
#include "signals.h"

enum { MARK_SLOTS = 64, ANSWER_SLOTS = 4 };

static unsigned round_trip(const struct qll *qll)
{
	return 2 * qll_flight(qll) + ANSWER_SLOTS;
}

/* From the end of a packet on, whole parts of `after`. */
static uint64_t stays_until(uint64_t end, unsigned after)
{
	unsigned part = after / QLL_AWAKE_PARTS + 1;

	return (end + after + part - 1) / part * part;
}

static bool covers(const struct awake *awake, uint64_t from, uint64_t to)
{
	const struct stretch_awake *last;

	if (!awake->num)
		return false;
	last = &awake->stretches[awake->num - 1];
	return last->from <= from && to <= last->to;
}

static uint64_t cycle_now(const struct qll *qll)
{
	return ep_to_clock(qll->clock, engine_now(&qll->ep->engine));
}

/* It sends in link cycles from .. until - 1, and may do so for some time
 * behind; with all lanes from `full_from` on. */
static void keep_awake(struct qll *qll, uint64_t from, uint64_t full_from,
		       uint64_t until)
{
	const struct qll_config *config = &qll->config;
	uint64_t full = until + config->latency, up;

	if (config->half_after) {
		uint64_t to = stays_until(until, config->half_after);

		if (!covers(&qll->wire.full, full_from, to))
			awake_add(&qll->wire.full, cycle_now(qll), full_from,
				  to, qll_tell_full, qll);
		full = to + config->latency;
	}
	if (!config->sleep_after)
		return;
	up = stays_until(until + config->latency, config->sleep_after);
	up = sim_later(up, full);
	if (!covers(qll->up, from, up))
		awake_add(qll->up, cycle_now(qll), from, up, qll_tell_up, qll);
}

void wire_start(struct qll *qll)
{
	uint64_t now = cycle_now(qll);

	qll->wire.may_fill_retry =
		qll->config.retry_flits < round_trip(qll) + 3 * QLL_MAX_FLITS;
	keep_awake(qll, now, now, now + 1);
}

void wire_stop(struct qll *qll)
{
	occupancy_free(&qll->wire.retry);
	awake_free(&qll->wire.full);
}

void wire_wake(struct qll *qll, uint64_t slot)
{
	uint64_t cycle = qll_cycle_of(qll, slot),
		 woken = cycle + qll->config.wake;

	if (!qll->config.sleep_after || awake_at(qll->up, cycle))
		return;
	if (woken < awake_from(qll->up, cycle))
		keep_awake(qll, woken, woken, woken + 1);
}

/* The first slot from one on that the link is up in. */
static uint64_t up_from(const struct qll *qll, uint64_t slot)
{
	uint64_t cycle = qll_cycle_of(qll, slot);

	if (!qll->config.sleep_after || awake_at(qll->up, cycle))
		return slot;
	return qll_slot_of(qll, awake_from(qll->up, cycle));
}

/* The first slot from one on in which the buffer for repeats has room for some
 * flits, until they have been acknowledged. */
static uint64_t retry_room(const struct qll *qll, uint64_t slot, unsigned flits,
			   unsigned slots)
{
	const struct occupancy *retry = &qll->wire.retry;
	unsigned most = qll->config.retry_flits - flits;

	if (!qll->wire.may_fill_retry)
		return slot;
	for (unsigned i = 0; i + 1 < retry->num; i++) {
		const struct occupancy_step *step = &retry->steps[i];

		if (step->count > most && step[1].at > slot &&
		    step->at < slot + slots + round_trip(qll))
			slot = step[1].at;
	}
	return slot;
}

/* Where flits are slots of larger ones, data fill these. */
uint64_t wire_begins(const struct qll_passage *passage, uint64_t from,
		     unsigned pace)
{
	unsigned group = passage->qll->form->group;
	unsigned data = qll_data_flits(passage),
		 headers = passage->flits - data;
	uint64_t flit = (from + pace - 1) / pace;

	if (data)
		flit += (group - (flit + headers) % group) % group;
	return flit * pace;
}

static bool has_all_lanes(const struct qll *qll, uint64_t slot)
{
	return !qll->config.half_after ||
	       awake_at(&qll->wire.full, qll_cycle_of(qll, slot));
}

uint64_t wire_find(struct qll *qll, uint64_t from,
		   const struct qll_passage *passage, unsigned *pace)
{
	const struct wire *wire = &qll->wire;
	uint64_t slot, next = up_from(qll, from);

	do {
		unsigned slots;

		slot = next;
		*pace = has_all_lanes(qll, slot) ? 1 : 2;
		next = wire_begins(passage, slot, *pace);
		if (next != slot)
			continue;
		slots = passage->flits * *pace;
		if (!calendar_is_free(&wire->busy, slot, slots))
			next = calendar_free_from(&wire->busy, slot, slots);
		next = retry_room(qll, next, passage->flits, slots);
	} while (next != slot);
	return slot;
}

/* Takes slots however many, free or not. */
static void mark(struct calendar *busy, uint64_t from, uint64_t to)
{
	while (from < to) {
		unsigned num = to - from < MARK_SLOTS ? (unsigned)(to - from)
						      : MARK_SLOTS;

		calendar_mark(busy, from, num);
		from += num;
	}
}

static bool is_wrong(const struct qll *qll, uint64_t slot)
{
	return fault_strikes(qll->faults, FAULT_QPI_CRC, qll->number,
			     sim_later(qll_slot_begins(qll, slot),
				       engine_now(&qll->ep->engine)));
}

/* The far end sees a flit of a slot that is wrong. */
static void tell_error(const struct qll *qll, unsigned signal, uint64_t slot)
{
	uint64_t cycle = qll_cycle_of(qll, slot + qll_flight(qll));

	sig_later(qll->far->qpi, signal, qll_cycle_begins(qll, cycle), 1);
}

/* The link is down from a slot on; until when. */
static uint64_t initialise(struct qll *qll, uint64_t slot)
{
	uint64_t begins = slot + qll_slot_of(qll, qll->config.reset);
	uint64_t end = begins + qll->config.init_flits;

	mark(&qll->wire.busy, slot, end);
	mark(&qll->far->wire.busy, slot, end);
	for (; begins < end; begins++) {
		if (is_wrong(qll, begins))
			tell_error(qll, SIG_QPI_RXL_CRC_ERRORS_LINK_INIT,
				   begins);
		if (is_wrong(qll->far, begins))
			tell_error(qll->far, SIG_QPI_RXL_CRC_ERRORS_LINK_INIT,
				   begins);
	}
	return end;
}

/* The first flit of a packet that arrives wrong; its number if there is none.
 */
static unsigned wrong_flit(const struct qll *qll, uint64_t slot, unsigned flits,
			   unsigned pace)
{
	unsigned flit = 0;

	while (flit < flits && !is_wrong(qll, slot + (uint64_t)flit * pace))
		flit++;
	return flit;
}

/* The slots in which the packet, planned for a slot, arrives as it should. */
static SIG_SLOW uint64_t with_errors(struct qll *qll, uint64_t slot,
				     const struct qll_passage *passage)
{
	unsigned pace = passage->pace, slots = passage->flits * pace;

	if (fault_strikes(qll->faults, FAULT_PBOX_RESET, qll->number,
			  qll_slot_begins(qll, slot)))
		slot = initialise(qll, slot);
	for (unsigned tries = 1;; tries++) {
		unsigned flit = wrong_flit(qll, slot, passage->flits, pace);
		uint64_t sent, end;

		if (flit == passage->flits)
			return slot;
		sent = slot + (uint64_t)flit * pace;
		tell_error(qll, SIG_QPI_RXL_CRC_ERRORS_NORMAL_OP, sent);
		ubox_tell(qll->ep, !qll->socket, UBOX_CORRECTED,
			  qll_slot_begins(qll, sent + qll_flight(qll)));
		end = sent + round_trip(qll);
		mark(&qll->wire.busy, slot, end);
		if (tries == qll->config.retry_limit)
			end = initialise(qll, end);
		slot = wire_begins(
			passage,
			calendar_free_from(&qll->wire.busy, end, slots), pace);
		if (tries == qll->config.retry_limit)
			return slot;
	}
}

static bool has_trouble(const struct qll *qll)
{
	return fault_is_active(qll->faults, FAULT_QPI_CRC) ||
	       fault_is_active(qll->faults, FAULT_PBOX_RESET);
}

/* From a slot until another one the buffer for repeats has kept a packet. */
static void tell_no_retry(const struct qll *qll, uint64_t from, uint64_t until)
{
	const struct occupancy *retry = &qll->wire.retry;

	for (unsigned i = 0; i + 1 < retry->num; i++) {
		const struct occupancy_step *step = &retry->steps[i];
		uint64_t begins = sim_later(step->at, from), ends = step[1].at;
		unsigned id = SIG_QPI_TXL_CRC_NO_CREDITS_ALMOST_FULL;

		if (step->count >= qll->config.retry_flits)
			id = SIG_QPI_TXL_CRC_NO_CREDITS_FULL;
		ends = ends < until ? ends : until;
		if (begins < ends)
			qll_span(qll, id, qll_cycle_of(qll, begins),
				 qll_cycle_of(qll, ends), 1);
	}
}

static SIG_SLOW void take_slowly(struct qll *qll, uint64_t now, uint64_t from,
				 struct qll_passage *passage)
{
	struct wire *wire = &qll->wire;
	unsigned pace, slots;
	uint64_t slot = wire_find(qll, from, passage, &pace), free;

	passage->pace = (uint8_t)pace;
	slots = passage->flits * pace;
	if (wire->may_fill_retry) {
		free = calendar_free_from(&wire->busy, passage->wanted, slots);
		if (free < slot)
			tell_no_retry(qll, free, slot);
		occupancy_forget(&wire->retry, ep_to_clock(qll->slots, now));
	}
	if (has_trouble(qll))
		slot = with_errors(qll, slot, passage);
	if (wire->may_fill_retry)
		occupancy_enter(&wire->retry, slot,
				slot + slots + round_trip(qll), passage->flits);
	calendar_mark(&wire->busy, slot, slots);
	passage->sent = slot;
}

void wire_take(struct qll *qll, uint64_t now, uint64_t from,
	       struct qll_passage *passage)
{
	struct wire *wire = &qll->wire;
	const struct qll_config *config = &qll->config;
	unsigned flits = passage->flits;
	uint64_t begin, end;

	if (from >= wire->busy.base + QLL_FORGET_SLOTS)
		calendar_forget(&wire->busy, ep_to_clock(qll->slots, now));
	passage->pace = 1;
	passage->sent = from;
	if (config->sleep_after || wire->may_fill_retry || has_trouble(qll) ||
	    !has_all_lanes(qll, from) ||
	    !calendar_try(&wire->busy, from, flits))
		take_slowly(qll, now, from, passage);
	begin = qll_cycle_of(qll, passage->sent);
	end = qll_cycle_from(qll, passage->sent + flits * passage->pace);
	if (config->half_after || config->sleep_after)
		keep_awake(qll, begin, passage->pace == 1 ? begin : end, end);
}
