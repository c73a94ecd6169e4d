/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home's directory: a bit of each line of memory, kept with its data, says
 * that another node may have it, in whatever state (A), or that none has (I).
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

static uint64_t *word_of(const struct ha *ha, const struct ep_home *home,
			 uint64_t *bit)
{
	uint64_t index = home->local * ha->ep->num_channels + home->channel;

	*bit = UINT64_C(1) << index % 64;
	return &ha->directory[index / 64];
}

uint32_t ha_must_snoop(struct ha *ha, const struct ha_request *request,
		       bool *is_set)
{
	uint32_t others =
		ep_all_nodes(ha->ep) & ~(UINT32_C(1) << request->node);
	uint32_t must = others;
	uint64_t bit;

	if (!ha->directory)
		return others;
	/* Of a request of another node this one is asked, always. */
	*is_set = *word_of(ha, &request->home, &bit) & bit;
	if (!*is_set)
		must &= UINT32_C(1) << ha->node;
	return must;
}

static void set(struct ha *ha, const struct ha_request *request, bool is_there,
		uint64_t at)
{
	uint64_t bit, *word = word_of(ha, &request->home, &bit);

	if (!(*word & bit) == !is_there)
		return;
	*word ^= bit;
	engine_count(&ha->ep->engine, ha->bank, HA_DIRECTORY_UPDATE(is_there),
		     at);
	ep_tell_memory(ha->ep, ha->socket, request->home.channel,
		       is_there ? DIRECTORY_I2A : DIRECTORY_A2I, at);
}

void ha_remember(struct ha *ha, const struct ha_request *request,
		 const struct ha_reply *reply, uint64_t at)
{
	if (!ha->directory || request->opcode == HOM0_RD_CUR)
		return;
	if (request->node != ha->node)
		set(ha, request, request->opcode != HOM0_INV_XTO_I, at);
	else if (reply->has_snooped &&
		 (ha_takes_away(request->opcode) || !reply->is_shared))
		set(ha, request, false, at);
}

void ha_forget(struct ha *ha, const struct ha_request *request, uint64_t at)
{
	if (ha->directory)
		set(ha, request, false, at);
}

bool ha_knows_by_bit(const struct ha *ha, const struct ep_home *home,
		     uint64_t line, bool *is_set)
{
	uint64_t bit;

	*is_set = ha->directory && *word_of(ha, home, &bit) & bit;
	return !ha_hitme_has(ha, line);
}

void ha_set_bit(struct ha *ha, const struct ep_home *home, bool is_set)
{
	uint64_t bit, *word;

	if (!ha->directory)
		return;
	word = word_of(ha, home, &bit);
	*word = is_set ? *word | bit : *word & ~bit;
}
