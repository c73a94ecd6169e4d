/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The order among requests for one line: one is active at a time, the others
 * queue behind it in the order of arrival, with one exception (3 below).
 *
 * Conflicts. A peer with a request of its own out for the line answers RspCnflt
 * and names that request (its table entry and number). Of two requests A and B
 * for a line, A completed first, B must not rest on an answer that A's
 * requester gave before A was complete. Either B's snoop met A outstanding,
 * then B was told RspCnflt; or it came before A was issued, then A's snoop,
 * sent later, met B outstanding and A was told. (A hub is not snooped, but the
 * home knows who has answered its request.) So
 *  1. once its first answers are in, the active request asks every rival again
 *     (Cmp_Fwd*) whose request is complete by then;
 *  2. when it is complete itself, each rival not yet complete gets a note to
 *     ask it, even where the rival's request has still to arrive.
 * What a rival that was asked knows is at least as new as its completed
 * request: it waits for that completion before it answers. A request that met a
 * rival is completed in two steps, as QPI has it: its data or grant come with
 * FrcAckCnflt, the requester says AckCnflt, and then comes Cmp.
 *
 * Data. Memory answers for a line only while nobody else holds or carries newer
 * data. So, before the home answers from memory or grants a line,
 *  3. another request to which a peer has sent the line (RspFwdI, RspFwdS) goes
 *     first, since that requester is where the line is now;
 *  4. data announced for memory (WbMtoI, Rsp*Wb) have to be in.
 * Messages of one agent to one home stay in order, so what was announced before
 * an answer was given is known when the answer is.
 */
#include <stdlib.h>

#include "model/sim/bug.h"

#include "model/box/bbox.h"
#include "model/box/socket.h"
#include "signals.h"

static unsigned hash(uint64_t line)
{
	return (unsigned)((line ^ line >> 8 ^ line >> 16) % BBOX_BUCKETS);
}

/* The first of each line */

static struct bbox_entry *first_of(const struct bbox *bbox, uint64_t line)
{
	struct bbox_entry *entry = bbox->buckets[hash(line)];

	while (entry && entry->line != line)
		entry = entry->bucket_next;
	return entry;
}

static void bucket_add(struct bbox *bbox, struct bbox_entry *entry)
{
	struct bbox_entry **bucket = &bbox->buckets[hash(entry->line)];

	entry->bucket_next = *bucket;
	*bucket = entry;
}

static void bucket_remove(struct bbox *bbox, struct bbox_entry *entry)
{
	struct bbox_entry **at = &bbox->buckets[hash(entry->line)];

	while (*at != entry)
		at = &(*at)->bucket_next;
	*at = entry->bucket_next;
}

/* Claims */

void bbox_line_claim(struct bbox *bbox, struct bbox_entry *entry)
{
	struct bbox_entry **bucket = &bbox->claims[hash(entry->line)];

	if (entry->is_claiming)
		return;
	entry->is_claiming = true;
	entry->claim_next = *bucket;
	*bucket = entry;
}

void bbox_line_unclaim(struct bbox *bbox, struct bbox_entry *entry)
{
	struct bbox_entry **at = &bbox->claims[hash(entry->line)];

	if (!entry->is_claiming)
		return;
	while (*at != entry)
		at = &(*at)->claim_next;
	*at = entry->claim_next;
	entry->is_claiming = false;
}

static bool owes_data(const struct bbox_entry *entry)
{
	return bbox_entry_is_write(entry)
		       ? entry->has_request && !entry->has_write_data
		       : entry->num_writes < entry->num_writes_due;
}

/* What has to come before this request, or NULL. */
static struct bbox_entry *rightful(const struct bbox *bbox,
				   const struct bbox_entry *entry)
{
	struct bbox_entry *other = bbox->claims[hash(entry->line)];

	while (other && (other->line != entry->line || other == entry ||
			 (!other->takes_line && !owes_data(other))))
		other = other->claim_next;
	return other;
}

/* Rivals */

void bbox_line_conflict(struct bbox *bbox, struct bbox_entry *entry)
{
	if (entry->is_in_conflict || !entry->has_request)
		return; /* counted, or what to count it as has still to come */
	entry->is_in_conflict = true;
	sig_pulse(bbox->bank, SIG_BBOX_CONFLICTS, 1);
	bbox_count_insert(bbox, entry);
}

/* Asks an agent that became the owner while this request was under way. */
static void ask_again(struct bbox *bbox, struct bbox_entry *entry,
		      unsigned agent)
{
	struct packet packet = bbox_completion(bbox, entry, agent << 1);

	packet.other_number = entry->owner_numbers[agent];
	switch (entry->opcode) {
	case HOM0_RD_INV_OWN: packet.opcode = NDR_CMP_FWD_INV_OWN; break;
	case HOM0_INV_ITO_E:
	case HOM0_INV_XTO_I: packet.opcode = NDR_CMP_FWD_INV_ITO_E; break;
	default: packet.opcode = NDR_CMP_FWD_CODE; break;
	}
	entry->num_needed++;
	bbox_send(bbox, &packet);
}

static void has_to_ask(struct bbox_entry *entry, unsigned agent,
		       uint32_t number)
{
	uint32_t bit = 1u << agent;

	if (entry->agents_to_ask & bit &&
	    (int32_t)(entry->owner_numbers[agent] - number) >= 0)
		return;
	entry->agents_to_ask |= bit;
	entry->owner_numbers[agent] = number;
}

/* Rivals whose requests are complete have to be asked. */
static void look_at_rivals(struct bbox *bbox, struct bbox_entry *entry)
{
	for (unsigned agent = 0; agent < BBOX_CACHES; agent++) {
		uint32_t number = entry->rival_numbers[agent];
		unsigned serial = entry->rival_serials[agent];

		if (!(entry->rivals >> agent & 1) ||
		    (int32_t)(bbox->entries[agent][serial].last_number -
			      number) < 0)
			continue;
		entry->rivals &= ~(1u << agent);
		has_to_ask(entry, agent, number);
	}
}

/* Once the first answers are in, asks those who have to be asked again. */
static void ask_owners(struct bbox *bbox, struct bbox_entry *entry)
{
	uint32_t agents;

	if (entry->num_responses < entry->num_needed)
		return;
	if (entry->rivals)
		look_at_rivals(bbox, entry);
	agents = entry->agents_to_ask;
	entry->agents_to_ask = 0;
	for (unsigned agent = 0; agents >> agent; agent++)
		if (agents >> agent & 1)
			ask_again(bbox, entry, agent);
}

/* The rivals that are left come later: they have to ask this requester. */
static void leave_notes(struct bbox *bbox, const struct bbox_entry *done)
{
	unsigned agent_done = bbox_agent(done->requester);

	if (agent_done >= BBOX_CACHES)
		return; /* a hub keeps nothing that could be asked for */
	for (unsigned agent = 0; done->rivals >> agent; agent++)
		if (done->rivals >> agent & 1)
			has_to_ask(bbox_entry_at(bbox, agent << 1,
						 done->rival_serials[agent],
						 done->rival_numbers[agent]),
				   agent_done, done->number);
}

/* Turns */

static void activate(struct bbox *bbox, struct bbox_entry *entry)
{
	entry->is_active = true;
	entry->is_held_up = false;
	if (!entry->has_fetched) {
		entry->has_fetched = true;
		if (entry->needs_lookup)
			bbox_directory_wait(bbox, entry);
		bbox_serve_entry(bbox, entry);
	}
	bbox_line_try(bbox, entry);
}

void bbox_line_enter(struct bbox *bbox, struct bbox_entry *entry)
{
	struct bbox_entry *first = first_of(bbox, entry->line);

	if (!first) {
		bucket_add(bbox, entry);
		activate(bbox, entry);
		return;
	}
	bbox_line_conflict(bbox, entry);
	while (first->later)
		first = first->later;
	first->later = entry;
	bbox_line_retry(bbox, entry->line);
}

/* The next request of the line is active now. */
static void next_in_line(struct bbox *bbox, struct bbox_entry *done)
{
	struct bbox_entry *next = done->later;

	bucket_remove(bbox, done);
	if (next) {
		bucket_add(bbox, next);
		activate(bbox, next);
	}
}

/* A request that waits behind the active one takes its place. */
static void go_first(struct bbox *bbox, struct bbox_entry *entry,
		     struct bbox_entry *active)
{
	struct bbox_entry *before = active;

	while (before->later != entry)
		before = before->later;
	before->later = entry->later;
	entry->later = active;
	active->is_active = false;
	bucket_remove(bbox, active);
	bucket_add(bbox, entry);
	activate(bbox, entry);
}

/* Whether something else has to come first (3 and 4 above). */
static bool is_held_up(struct bbox *bbox, struct bbox_entry *entry)
{
	struct bbox_entry *other;

	if (entry->has_peer_data)
		return false;
	other = rightful(bbox, entry);
	if (!other)
		return false;
	entry->is_held_up = true;
	if (other->takes_line && other->has_request)
		go_first(bbox, other, entry);
	return true;
}

/* The line is a hub's until the hub has written it. */
static void hold(struct bbox *bbox, struct bbox_entry *entry)
{
	struct bbox_entry *hold = bbox->holds;

	while (hold->is_used)
		if (++hold == bbox->holds + BBOX_HOLDS)
			BUG("more lines than a hub has credits for");
	*hold = (struct bbox_entry){
		.line = entry->line,
		.requester = entry->requester,
		.later = entry->later,
		.is_used = true,
		.is_hold = true,
	};
	bbox->num_holds++;
	bucket_remove(bbox, entry);
	bucket_add(bbox, hold);
}

void bbox_line_release(struct bbox *bbox, const struct bbox_entry *write)
{
	struct bbox_entry *hold = first_of(bbox, write->line);

	if (!hold || !hold->is_hold || hold->requester != write->requester)
		return;
	hold->is_used = false;
	bbox->num_holds--;
	next_in_line(bbox, hold);
}

static uint8_t state_granted(const struct bbox *bbox,
			     const struct bbox_entry *entry)
{
	switch (entry->opcode) {
	case HOM0_RD_CUR:
	case HOM0_NON_SNP_RD: return RDS_I;
	case HOM0_RD_INV_OWN: return RDS_E;
	case HOM0_RD_CODE: return bbox->shared_state;
	default: return entry->has_sharer ? bbox->shared_state : RDS_E;
	}
}

static bool is_grant(const struct bbox_entry *entry)
{
	return entry->opcode == HOM0_INV_ITO_E ||
	       entry->opcode == HOM0_INV_XTO_I;
}

/* What the requester is told: all is done, or (it is forced to acknowledge a
 * conflict first) all but that. */
static struct packet answer(const struct bbox *bbox,
			    const struct bbox_entry *entry, bool is_forced)
{
	struct packet packet = bbox_completion(bbox, entry, entry->requester);

	if (is_grant(entry)) {
		packet.opcode = is_forced ? NDR_GNT_FRC_ACK_CNFLT : NDR_GNT_CMP;
		return packet;
	}
	if (entry->has_peer_data) {
		packet.opcode = is_forced ? NDR_FRC_ACK_CNFLT : NDR_CMP;
		return packet;
	}
	packet.cls = PACKET_DRS;
	packet.mc = MC_DRS;
	packet.opcode = is_forced ? DRS_DATA_C_FRC_ACK_CNFLT : DRS_DATA_C_CMP;
	packet.flits = PACKET_FLITS_LINE;
	packet.state = state_granted(bbox, entry);
	packet.is_poisoned = entry->is_poisoned;
	if (bbox->socket->values)
		packet.value = values_memory(bbox->socket->values, entry->line);
	return packet;
}

/* Nobody snoops a hub, so a hub's request is no rival that others are told of.
 * But who answered it before the own request was complete is asked again. */
static void leave_notes_for_hubs(struct bbox *bbox,
				 const struct bbox_entry *done)
{
	unsigned agent = bbox_agent(done->requester);
	struct bbox_entry *other = bbox->claims[hash(done->line)];

	if (agent >= BBOX_CACHES)
		return;
	for (; other; other = other->claim_next)
		if (other->line == done->line && other->answered >> agent & 1)
			has_to_ask(other, agent, done->number);
}

/* The request is out of the way; who comes next may begin. */
static void finish(struct bbox *bbox, struct bbox_entry *entry)
{
	bbox_directory_update(bbox, entry);
	bbox_entry_free(bbox, entry);
	leave_notes(bbox, entry);
	leave_notes_for_hubs(bbox, entry);
	if (entry->opcode == HOM0_INV_ITO_E && NODE_IS_IOH(entry->requester))
		hold(bbox, entry);
	else
		next_in_line(bbox, entry);
}

static void complete(struct bbox *bbox, struct bbox_entry *entry)
{
	struct packet packet;

	entry->is_forced = entry->has_rival;
	packet = answer(bbox, entry, entry->is_forced);
	bbox_send(bbox, &packet);
	if (!entry->is_forced)
		finish(bbox, entry);
}

void bbox_line_acknowledged(struct bbox *bbox, struct bbox_entry *entry)
{
	struct packet packet = bbox_completion(bbox, entry, entry->requester);

	if (!entry->is_forced)
		BUG("nobody asked for this write");
	bbox_count_insert(bbox, entry);
	bbox_send(bbox, &packet);
	finish(bbox, entry);
}

/* The requester gets its data from here. */
static bool needs_memory(const struct bbox_entry *entry)
{
	return !is_grant(entry) && !entry->has_peer_data;
}

void bbox_line_try(struct bbox *bbox, struct bbox_entry *entry)
{
	if (!entry->is_active || !entry->has_request || entry->is_forced)
		return;
	if (!entry->needs_lookup)
		ask_owners(bbox, entry);
	if (!bbox_entry_is_answered(entry))
		return;
	if (entry->waits_for_imt && !entry->was_ready) {
		entry->was_ready = true;
		if (!bbox->num_ready_waiting++)
			sig_set(bbox->bank, SIG_BBOX_COHQ_IMT_ALLOC_WAIT, 1);
	}
	/* the memory read may not be recalled: its IMT entry has to end */
	if (!entry->memory_done || is_held_up(bbox, entry)) {
		entry->is_in_cohq = true;
		return;
	}
	if (entry->is_stale && needs_memory(entry)) {
		entry->is_stale = entry->memory_done = false;
		entry->needs_refill = entry->is_in_cohq = true;
		bbox_serve_entry(bbox, entry);
		return;
	}
	if (!entry->is_in_cohq)
		sig_pulse(bbox->bank, SIG_BBOX_COHQ_BYPASS, 1);
	complete(bbox, entry);
}

void bbox_line_written(struct bbox *bbox, uint64_t line)
{
	struct bbox_entry *entry = first_of(bbox, line);

	for (; entry; entry = entry->later)
		entry->is_stale = entry->has_fetched;
}

void bbox_line_retry(struct bbox *bbox, uint64_t line)
{
	struct bbox_entry *first = first_of(bbox, line);

	if (first && first->is_held_up)
		bbox_line_try(bbox, first);
}
