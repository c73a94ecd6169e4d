/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home's directory: two bits of each line of memory, kept with its data,
 * say that no other node has it (I), that others may, all of them unchanged
 * (S), or that one may in whatever state (A). What S is, is Intel's list's: it
 * needs no snoop for the latest data. Chosen: it is written as soon as the home
 * knows it. Kinds without S have A in its place.
 */
#include "model/sandy-bridge-ep/ha_parts.h"
#include "signals.h"

unsigned ha_snoop_opcode(unsigned opcode)
{
	switch (opcode) {
	case HOM0_RD_CODE: return SNP_CODE;
	case HOM0_RD_DATA: return SNP_DATA;
	case HOM0_RD_CUR: return SNP_CUR;
	case HOM0_RD_INV_OWN: return SNP_INV_OWN;
	case HOM0_INV_XTO_I: return SNP_INV_XTO_I;
	default: return SNP_INV_ITO_E;
	}
}

bool ha_takes_away(unsigned opcode)
{
	return opcode == HOM0_RD_INV_OWN || opcode == HOM0_INV_ITO_E ||
	       opcode == HOM0_INV_XTO_I;
}

bool ha_has_directory(const struct ha *ha)
{
	return ha->directory;
}

static uint64_t line_of(const struct ha *ha, const struct ep_home *home)
{
	return home->local * ha->ep->num_channels + home->channel;
}

static enum ha_state get(const struct ha *ha, const struct ep_home *home)
{
	return (enum ha_state)directory_get(ha->directory, line_of(ha, home));
}

static void put(struct ha *ha, const struct ep_home *home, enum ha_state state)
{
	directory_set(ha->directory, line_of(ha, home), (uint8_t)state);
}

uint32_t ha_must_snoop(struct ha *ha, const struct ha_request *request,
		       enum ha_state *state)
{
	uint32_t others =
		ep_all_nodes(ha->ep) & ~(UINT32_C(1) << request->node);

	*state = HA_STATE_I;
	if (!ha->directory)
		return others;
	*state = get(ha, &request->home);
	if (*state == HA_STATE_A ||
	    (*state == HA_STATE_S && ha_takes_away(request->opcode)))
		return others;
	/* Of a request of another node this one is asked, always. */
	return others & UINT32_C(1) << ha->node;
}

/* Which pipe of the CHA writes it: of a line that another socket has got out of
 * this one's caches that of the table. */
void ha_tell_update(struct ha *ha, const struct ha_request *request,
		    const struct ha_update *update, uint64_t at)
{
	struct engine *engine = &ha->ep->engine;

	if (update->from == update->to)
		return;
	engine_count(engine, ha->bank,
		     HA_DIRECTORY_UPDATE(update->to != HA_STATE_I), at);
	if (ha->ep->kind->has_home_in_slice)
		engine_count(engine, ha->bank,
			     update->is_forwarded ? SIG_CHA_DIR_UPDATE_TOR
						  : SIG_CHA_DIR_UPDATE_HA,
			     at);
	ep_tell_memory(ha->ep, ha->socket, request->home.channel,
		       DIRECTORY_UPDATE(update->from, update->to), at);
}

/* Written at once; told when the line is there. */
static struct ha_update set(struct ha *ha, const struct ha_request *request,
			    enum ha_state state, bool is_forwarded)
{
	struct ha_update update = { .from = get(ha, &request->home),
				    .is_forwarded = is_forwarded };

	if (state == HA_STATE_S && !ha->ep->kind->has_directory_s)
		state = HA_STATE_A;
	update.to = state;
	if (update.from != state)
		put(ha, &request->home, state);
	return update;
}

struct ha_update ha_remember(struct ha *ha, const struct ha_request *request,
			     const struct ha_reply *reply)
{
	bool takes = ha_takes_away(request->opcode);
	bool is_far = request->node != ha->node;

	if (!ha->directory || request->opcode == HOM0_RD_CUR)
		return (struct ha_update){ 0 };
	if (request->opcode == HOM0_INV_XTO_I)
		return set(ha, request, HA_STATE_I, false);
	if (is_far)
		return set(ha, request,
			   !takes && (reply->is_shared ||
				      request->opcode == HOM0_RD_CODE)
				   ? HA_STATE_S
				   : HA_STATE_A,
			   reply->has_data && reply->peer == ha->node);
	if (reply->has_snooped)
		return set(ha, request,
			   !takes && reply->is_shared ? HA_STATE_S : HA_STATE_I,
			   false);
	return (struct ha_update){ 0 };
}

void ha_forget(struct ha *ha, const struct ha_request *request, uint64_t at)
{
	struct ha_update update;

	if (!ha->directory)
		return;
	update = set(ha, request, HA_STATE_I, false);
	ha_tell_update(ha, request, &update, at);
}

bool ha_knows_by_bit(const struct ha *ha, const struct ep_home *home,
		     uint64_t line, bool *is_set)
{
	enum ha_state state = ha->directory ? get(ha, home) : HA_STATE_I;

	*is_set = state == HA_STATE_A;
	return state != HA_STATE_S && !ha_hitme_has(ha, line);
}

void ha_set_state(struct ha *ha, const struct ep_home *home,
		  enum ha_state state)
{
	if (ha->directory)
		put(ha, home,
		    state == HA_STATE_S && !ha->ep->kind->has_directory_s
			    ? HA_STATE_A
			    : state);
}
