/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home agent: a request has an entry of the tracker from its arrival until
 * its last message has left; of two for a line the one that comes second waits
 * for the end of the first.
 */
#include "model/sandy-bridge-ep/ha_parts.h"

#include <assert.h>
#include <stdlib.h>

#include "model/sandy-bridge-ep/cbo_parts.h"
#include "model/sandy-bridge-ep/qll.h"
#include "signals.h"

struct ha *ha_new(struct ep *ep, unsigned socket, unsigned number,
		  const struct uc_family *family)
{
	struct ha *ha = calloc(1, sizeof(*ha));
	const struct socket *s = ep->sockets[socket].socket;
	unsigned nodes = ep->num_sockets * ep->num_nodes, half;

	if (!ha)
		return NULL;
	ha->ep = ep;
	ha->socket = socket;
	ha->number = number;
	ha->node =
		socket * ep->num_nodes + number * ep->num_nodes / ep->num_homes;
	ha->bank = socket_bank(s, family, ep->kind->home, number);
	ha->cycles = socket_param(s, PARAM_HA_CYCLES);
	ha->mode = (enum ha_mode)socket_param(s, PARAM_HA_SNOOP);
	ha->has_direct = socket_param(s, PARAM_HA_DIRECT2CORE);
	ha->has_prefetch = socket_param(s, PARAM_HA_UPI_PREFETCH);
	ha->broadcasts_below = socket_param(s, PARAM_HA_OSB_REQUESTS);
	ha->starve_cycles = socket_param(s, PARAM_CBO_STARVE_CYCLES);
	ha->alike[0] = HA_TRACKED;
	ha->num_tracked = socket_param(s, PARAM_HA_TRACKER);
	half = ha->num_tracked / 2;
	for (unsigned i = 0; i < nodes; i++)
		places_init(&ha->rtids[i],
			    i == ha->node ? half : half / (nodes - 1));
	for (unsigned i = 0; i < ep->num_channels; i++) {
		places_init(&ha->read_credits[i],
			    socket_param(s, PARAM_HA_READ_CREDITS));
		places_init(&ha->write_credits[i],
			    socket_param(s, PARAM_HA_WRITE_CREDITS));
	}
	for (unsigned i = 0; i < HA_EGRESSES; i++)
		places_init(&ha->egress[i].places,
			    socket_param(s, PARAM_HA_EGRESS));
	if (ha->mode >= HA_DIRECTORY)
		ha->directory = &ep->sockets[socket].directory;
	ha->visits = visits_new(ha->bank, sizeof(struct ha_visit));
	if (!ha->visits ||
	    (ha->directory &&
	     !ha_hitme_new(ha, socket_param(s, PARAM_HA_HITME)))) {
		ha_free(ha);
		return NULL;
	}
	ha_drive_signals(ha);
	sig_set(ha->bank, SIG_HA_CLOCKTICKS, 1);
	if (!ha->has_direct)
		sig_set(ha->bank, SIG_HA_DIRECT2CORE_CYCLES_DISABLED, 1);
	return ha;
}

void ha_free(struct ha *ha)
{
	if (!ha)
		return;
	free(ha->hitme);
	free(ha);
}

struct trip_stop ha_stop(const struct ha *ha)
{
	return (struct trip_stop){ ha->socket,
				   ep_home_stop(ha->ep, ha->number) };
}

struct places *ha_rtids(struct ha *ha, unsigned node)
{
	return &ha->rtids[node];
}

bool ha_snoops(const struct ha *ha)
{
	return ha->mode != HA_SOURCE;
}

/* The tracker */

/* Until when another request for the line is in it, from a cycle on. */
static uint64_t conflict_until(struct ha *ha, uint64_t line, uint64_t at)
{
	uint64_t until = at;

	if (!ha->alike[line % HA_ALIKE])
		return at;
	for (unsigned i = 0; i < ha->num_entries; i++) {
		const struct ha_entry *other = &ha->entries[i];

		if (other->line != line)
			continue;
		if (other->imc)
			imc_choose_for(other->imc, other->object);
		if (other->until != SIM_NEVER)
			until = sim_later(until, other->until);
	}
	return until;
}

/* A place that is free, looked for behind the latest one; where none is, the
 * one that is so first. */
static unsigned free_place(struct ha *ha)
{
	uint64_t now = engine_now(&ha->ep->engine), until = SIM_NEVER;
	unsigned first = 0, place = ha->latest;

	for (unsigned i = 0; i < ha->num_entries && until > now; i++) {
		place = place + 1 < ha->num_entries ? place + 1 : 0;
		if (ha->entries[place].until < until) {
			until = ha->entries[place].until;
			first = place;
		}
	}
	if (until > now && ha->num_entries < HA_TRACKED)
		first = ha->num_entries++;
	return ha->latest = first;
}

/* It is acted on from then on, behind those of the same line. */
static uint64_t track(struct ha *ha, const struct ha_request *request,
		      unsigned *place)
{
	uint64_t at = request->arrived, until;

	if (ha->ep->engine.is_quick)
		return at;
	until = conflict_until(ha, request->line, at);
	*place = free_place(ha);
	sig_span(ha->bank, SIG_HA_CONFLICT_CYCLES_CONFLICT, at, until, 1);
	ha->alike[ha->entries[*place].line % HA_ALIKE]--;
	ha->alike[request->line % HA_ALIKE]++;
	ha->entries[*place] = (struct ha_entry){ .line = request->line,
						 .from = at,
						 .until = SIM_NEVER };
	return until + ha->cycles;
}

static void leave_tracker(struct ha *ha, const struct ha_request *request,
			  unsigned place, uint64_t from, uint64_t until)
{
	if (ha->ep->engine.is_quick)
		return;
	ha->entries[place].until = until;
	ha->entries[place].imc = NULL;
	ha_tell_tracked(ha, request, place, from, until);
	engine_busy_until(&ha->ep->engine, until);
}

void ha_hurry(struct ha *ha, unsigned node, uint64_t at)
{
	uint64_t now = engine_now(&ha->ep->engine);

	while (places_from(&ha->rtids[node], now, at) == PLACES_NEVER) {
		const struct ha_entry *oldest = NULL;

		for (unsigned i = 0; i < ha->num_entries; i++) {
			const struct ha_entry *entry = &ha->entries[i];

			if (entry->imc &&
			    (!oldest || entry->from < oldest->from))
				oldest = entry;
		}
		assert(oldest);
		imc_choose_for(oldest->imc, oldest->object);
	}
}

/* Memory */

/* Somebody waits in these cycles; of several each cycle counts once. */
static void tell_wait(struct ha *ha, struct spans *told, unsigned id,
		      uint64_t from, uint64_t until)
{
	uint64_t at = from, end;

	if (from >= until)
		return;
	for (; spans_gap(told, &at, until, &end); at = end)
		sig_span(ha->bank, id, at, end, 1);
	spans_add(told, engine_now(&ha->ep->engine), from, until);
}

/* A credit of the channel's queue, from a cycle on; the queue has room. */
static uint64_t take_credit(struct ha *ha, unsigned channel, bool is_write,
			    uint64_t at, unsigned *place)
{
	struct places *credits = is_write ? &ha->write_credits[channel]
					  : &ha->read_credits[channel];
	uint64_t from = at;

	*place = places_take(credits, engine_now(&ha->ep->engine), &at);
	tell_wait(ha, &ha->no_credit[is_write][channel],
		  (is_write ? SIG_HA_WPQ_CYCLES_NO_REG_CREDITS_CHN0
			    : SIG_HA_RPQ_CYCLES_NO_REG_CREDITS_CHN0) +
			  ep_own_channel(ha->ep, channel),
		  from, at);
	return at;
}

/* The channel's queue takes it; what it has no room for is asked again. */
static uint64_t find_room(struct ha *ha, struct imc *imc, unsigned channel,
			  bool is_write, uint64_t at)
{
	uint64_t from = at, again;

	for (;;) {
		again = is_write ? imc_write_from(imc, at)
				 : imc_read_from(imc, at);
		if (again <= at)
			break;
		sig_later(ha->bank, SIG_HA_IMC_RETRY, at, 1);
		at = again == SIM_NEVER ? at + HA_RETRY_CYCLES : again;
	}
	tell_wait(ha, &ha->no_room[is_write][channel],
		  (is_write ? SIG_HA_WPQ_CYCLES_NO_SPEC_CREDITS_CHN0
			    : SIG_HA_RPQ_CYCLES_NO_SPEC_CREDITS_CHN0) +
			  ep_own_channel(ha->ep, channel),
		  from, at);
	return at;
}

/* Between the home and the stop of the memory, which may be the same. */
static uint64_t to_memory(struct ha *ha, unsigned channel, enum ring_kind kind,
			  uint64_t at)
{
	unsigned home = ep_home_stop(ha->ep, ha->number);
	unsigned stop = ep_memory_stop(ha->ep, ha->number, channel);

	if (home == stop)
		return at;
	return ring_send(ha->ep, ha->socket, kind, home, stop, at,
			 1 + (kind == RING_BL))
		.arrived;
}

/* Nobody else has a credit of the channel's in a cycle. */
static bool is_alone(const struct places *credits, unsigned own, uint64_t at)
{
	uint64_t others = places_held(credits) & ~(UINT64_C(1) << own);

	for (; others; others &= others - 1)
		if (credits->until[__builtin_ctzll(others)] > at)
			return false;
	return true;
}

static bool is_prefetched(const struct ha *ha, const struct ha_request *request)
{
	return ha->has_prefetch &&
	       request->node / ha->ep->num_nodes != ha->socket;
}

/* The link asks for the line as the request comes, and M2M keeps what it has
 * asked for until the request is there: when it is at M2M, at the latest with
 * the request. */
static uint64_t prefetch(struct ha *ha, const struct ha_request *request,
			 uint64_t at)
{
	struct ep *ep = ha->ep;
	unsigned channel = request->home.channel;
	unsigned link = ep_route(ep, ha->socket, request->node / ep->num_nodes,
				 request->line);
	uint64_t came = at;

	qll_tell_spawn(ep, ha->socket, link,
		       ep->engine.is_quick ? at : request->landed);
	if (!ep->engine.is_quick)
		came = ring_send(ep, ha->socket, RING_AD,
				 ep_link_stop(ep, link),
				 ep_memory_stop(ep, ha->number, channel),
				 request->landed, 1)
			       .arrived;
	came = came < at ? came : at;
	ep_hold_memory(ep, ha->socket, channel, MEMORY_RXC_AD, came, came + 1);
	ep_tell_memory(ep, ha->socket, channel, MEMORY_PREFETCH, came);
	ep_tell_memory(ep, ha->socket, channel, MEMORY_PROMOTION, at);
	return came;
}

/* A place in the channel's read queue, and a credit for it; when the request
 * itself is at the channel. */
static uint64_t enter_channel(struct ha *ha, struct ha_ask *ask, uint64_t at,
			      uint64_t *there)
{
	unsigned channel = ask->request.home.channel;
	struct imc *imc = ha->ep->sockets[ha->socket].imcs[channel];
	struct places *credits = &ha->read_credits[channel];
	uint64_t now = engine_now(&ha->ep->engine), from;

	from = *there = at = to_memory(ha, channel, RING_AD, at);
	if (is_prefetched(ha, &ask->request))
		at = prefetch(ha, &ask->request, at);
	while (places_from(credits, now, at) == PLACES_NEVER)
		imc_choose(imc);
	at = take_credit(ha, channel, false, at, &ask->credit);
	at = find_room(ha, imc, channel, false, at);
	sig_later(ha->bank, SIG_HA_IMC_READS_NORMAL, at, 1);
	sig_later(ha->bank,
		  at == from && is_alone(credits, ask->credit, at)
			  ? SIG_HA_BYPASS_IMC_TAKEN
			  : SIG_HA_BYPASS_IMC_NOT_TAKEN,
		  at, 1);
	ep_hold_memory(ha->ep, ha->socket, channel, MEMORY_RXC_AD, from,
		       sim_later(from, at) + 1);
	return at;
}

/* The line of the request comes from memory; 0: it is not known when. */
static uint64_t read_memory(struct ha *ha, struct ha_ask *ask, uint64_t at,
			    const struct imc_owner *owner, void *object)
{
	const struct ha_request *request = &ask->request;
	unsigned channel = request->home.channel;
	struct imc *imc = ha->ep->sockets[ha->socket].imcs[channel];
	uint64_t back, there;

	ep_tell_memory(ha->ep, ha->socket, channel, MEMORY_READ, at);
	if (ha->ep->engine.is_quick) {
		engine_count(&ha->ep->engine, ha->bank, SIG_HA_IMC_READS_NORMAL,
			     at);
		ep_hold_memory(ha->ep, ha->socket, channel, MEMORY_RXC_AD, at,
			       at);
		if (is_prefetched(ha, request))
			prefetch(ha, request, at);
		return imc_pass(imc, IMC_READ, request->home.local, at);
	}
	at = enter_channel(ha, ask, at, &there);
	back = owner && !is_prefetched(ha, request)
		       ? imc_read_later(imc, request->home.local, at, owner,
					object, &ask->shown)
		       : imc_read(imc, IMC_READ, request->home.local, at);
	if (back) {
		places_hold(&ha->read_credits[channel], ask->credit, back);
	} else {
		ha->entries[ask->place].imc = imc;
		ha->entries[ask->place].object = object;
	}
	return back ? sim_later(back, there) : 0;
}

static uint64_t write_memory(struct ha *ha, const struct ha_request *request,
			     bool is_partial, uint64_t at)
{
	unsigned channel = request->home.channel, place;
	struct imc *imc = ha->ep->sockets[ha->socket].imcs[channel];
	uint64_t from;

	unsigned id =
		is_partial ? SIG_HA_IMC_WRITES_PARTIAL : SIG_HA_IMC_WRITES_FULL;

	ep_tell_memory(ha->ep, ha->socket, channel,
		       is_partial ? MEMORY_PARTIAL : MEMORY_WRITE, at);
	if (ha->ep->engine.is_quick) {
		engine_count(&ha->ep->engine, ha->bank, id, at);
		ep_hold_memory(ha->ep, ha->socket, channel, MEMORY_RXC_BL, at,
			       at);
		if (is_partial)
			imc_pass(imc, IMC_UNDERFILL, request->home.local, at);
		return imc_pass(imc, IMC_WRITE, request->home.local, at);
	}
	from = at = to_memory(ha, channel, RING_BL, at);
	if (is_partial)
		at = imc_read(imc, IMC_UNDERFILL, request->home.local,
			      find_room(ha, imc, channel, false, at));
	at = take_credit(ha, channel, true, at, &place);
	at = find_room(ha, imc, channel, true, at);
	sig_later(ha->bank, id, at, 1);
	imc_write(imc, IMC_WRITE, request->home.local, at);
	ep_hold_memory(ha->ep, ha->socket, channel, MEMORY_RXC_BL, from,
		       at + 1);
	places_hold(&ha->write_credits[channel], place, at + ha->cycles);
	return at;
}

uint64_t ha_write(struct ep *ep, const struct ha_request *request,
		  bool is_partial)
{
	struct ha *ha = ep_agent(ep, request->home);
	unsigned place = 0;
	uint64_t at;

	ha_tell_request(ha, request, true);
	at = track(ha, request, &place);
	at = write_memory(ha, request, is_partial, at);
	if (request->node != ha->node)
		ha_forget(ha, request, at);
	ha_hitme_written(ha, request->line, at);
	leave_tracker(ha, request, place, request->arrived, at);
	return at;
}

/* Reads */

static bool wants_data(unsigned opcode)
{
	return opcode != HOM0_INV_ITO_E && opcode != HOM0_INV_XTO_I;
}

/* A line that another node has changed comes home: of reads that share it, and
 * of a claim that wants no data. */
static bool is_written_back(unsigned opcode)
{
	return opcode == HOM0_RD_CODE || opcode == HOM0_RD_DATA ||
	       opcode == HOM0_INV_ITO_E;
}

/* Direct2Core is for lines that come from memory alone. */
static bool goes_direct(struct ha *ha, const struct ha_ask *ask, uint64_t at)
{
	const struct ha_request *request = &ask->request;
	const struct ha_reply *reply = &ask->reply;
	bool is_far = request->node != ha->node;
	bool is_forbidden = ha_directory_forbids(ha, ask);

	if (!ha->has_direct || request->core < 0 || !reply->data_at)
		return false;
	if (is_forbidden)
		ep_tell_memory(ha->ep, ha->socket, request->home.channel,
			       is_far ? MEMORY_FAR_DIRSTATE : MEMORY_DIRSTATE,
			       at);
	if (is_forbidden || request->has_data || reply->has_data ||
	    request->snooped > reply->data_at) {
		engine_count(&ha->ep->engine, ha->bank,
			     SIG_HA_DIRECT2CORE_TXN_OVERRIDE, at);
		ep_tell_memory(ha->ep, ha->socket, request->home.channel,
			       is_far ? MEMORY_FAR_OVERRIDE : MEMORY_OVERRIDE,
			       at);
		return false;
	}
	engine_count(&ha->ep->engine, ha->bank, SIG_HA_DIRECT2CORE_COUNT, at);
	ep_tell_memory(ha->ep, ha->socket, request->home.channel,
		       is_far ? MEMORY_FAR : MEMORY_DIRECT, at);
	return true;
}

/* No other node could have the line, or this one does not ask. */
static bool has_no_others(const struct ha *ha)
{
	return ha->ep->num_sockets * ha->ep->num_nodes == 1 || !ha_snoops(ha);
}

/* Whether the order of the requests, and not the time of the line, decides on
 * all else: nobody is snooped, and no directory written, because of what comes
 * with the line. */
static bool may_wait(const struct ha *ha, const struct ha_ask *ask)
{
	return !ha->ep->engine.is_quick &&
	       (ha->mode < HA_DIRECTORY || ask->snoops.is_clear ||
		has_no_others(ha));
}

void ha_begin(struct ep *ep, struct ha_ask *ask, const struct imc_owner *owner,
	      void *object)
{
	const struct ha_request *request = &ask->request;
	struct ha *ha = ep_agent(ep, request->home);
	const struct socket *socket = ep->sockets[ha->socket].socket;
	struct ha_reply *reply = &ask->reply;

	ha_tell_request(ha, request, false);
	ask->at = track(ha, request, &ask->place);
	ask->from = request->arrived;
	ask->known = request->snooped;
	if (!has_no_others(ha))
		ha_look_up(ha, ask);
	if (wants_data(request->opcode)) {
		if (!may_wait(ha, ask))
			owner = NULL;
		reply->data_at = read_memory(ha, ask, ask->at, owner, object);
		ask->waits = !reply->data_at;
	}
	if (socket->values)
		reply->value = values_memory(socket->values, request->line);
	ha_ask_others(ha, ask,
		      ha_snoops_late(ask) ? sim_later(ask->at, reply->data_at)
					  : ask->at);
	ha_tell_snooped(ha, request, ask->known);
	ask->update = ha_remember(ha, request, reply);
	if (ask->waits)
		ha_waits(ep, ask, ask->shown);
}

void ha_waits(struct ep *ep, struct ha_ask *ask, uint64_t until)
{
	ha_tell_tracked(ep_agent(ep, ask->request.home), &ask->request,
			ask->place, ask->from, until);
	ask->from = until;
}

void ha_end(struct ep *ep, struct ha_ask *ask, uint64_t data)
{
	const struct ha_request *request = &ask->request;
	struct ha *ha = ep_agent(ep, request->home);
	struct ha_reply *reply = &ask->reply;
	uint64_t at = ask->at, known = ask->known;

	if (ask->waits) {
		reply->data_at = data;
		places_hold(&ha->read_credits[request->home.channel],
			    ask->credit, data);
	}
	if (ep->num_sockets * ep->num_nodes > 1 && ha_snoops(ha))
		ha_tell_looked_up(ha, ask, sim_later(at, reply->data_at));
	reply->cmp_at = sim_later(sim_later(at, reply->data_at), known);
	if ((request->is_modified || reply->is_modified) &&
	    is_written_back(request->opcode))
		reply->cmp_at = sim_later(
			reply->cmp_at,
			write_memory(ha, request, false, sim_later(at, known)));
	ha_tell_wait(ha, request, reply->data_at, known, reply->cmp_at);
	reply->is_direct = goes_direct(ha, ask, reply->cmp_at);
	if (reply->data_at)
		reply->data_at = reply->cmp_at;
	ha_tell_update(ha, request, &ask->update, reply->cmp_at);
	leave_tracker(ha, request, ask->place, ask->from,
		      sim_later(reply->cmp_at, ask->answered));
}
