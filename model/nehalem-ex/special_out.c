/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A special request that its C-Box has acknowledged: to the S-Box, and what
 * ends it.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/hub.h"
#include "model/nehalem-ex/out.h"
#include "model/nehalem-ex/special.h"
#include "model/nehalem-ex/system.h"
#include "model/parts/system/message.h"
#include "signals.h"

void special_take_entry(struct special *special, uint64_t at)
{
	struct access *access = &special->access;

	special->serial = agent_take(access->ex, access->agent, -1, at, false,
				     &special->packet.number);
	special->packet.serial = special->serial;
}

uint64_t special_send(struct special *special, uint64_t at)
{
	struct access *access = &special->access;

	return out_carry(access->agent, access->slice, &special->packet, at,
			 true, &special->taken);
}

/* The entry of the request table is free. */
static void release(const struct special *special, uint64_t at)
{
	const struct access *access = &special->access;
	struct sigbank *bank =
		access->here->socket->sbox_banks[access->slice->side];

	agent_show_from(access->agent, special->serial,
			special->is_open ? at : special->taken);
	agent_release(access->ex, access->agent, special->serial, at);
	if (special->is_open)
		message_fall(&access->ex->engine, bank, SIG_SBOX_REQ_TBL_REMOTE,
			     at);
}

static void free_maf(const struct special *special, uint64_t at)
{
	const struct access *access = &special->access;
	struct slice *slice = access->slice;

	places_hold(&slice->maf, special->maf, at);
	if (special->is_open)
		message_fall(&access->ex->engine, slice->bank,
			     SIG_CBOX_OCCUPANCY_MAF, at);
	else
		sig_span(slice->bank, SIG_CBOX_OCCUPANCY_MAF,
			 special->acknowledged, at, 1);
}

void special_end(struct special *special, const struct packet *answer,
		 uint64_t at)
{
	struct access *access = &special->access;
	unsigned core = access->core->index;
	bool has_data = special_is_read(access->kind);
	struct delivery delivery;

	if (!special_is_sram(access->kind)) {
		delivery = out_deliver(access->ex, access->agent, answer, at,
				       false, 0, has_data ? (int)core : -1);
		release(special, delivery.left);
		at = delivery.slice_at;
	} else if (has_data) {
		delivery.core_at =
			floor_send_data(access->floor, access->slice, core, at);
	}
	if (access->kind < UNCORE_NUM_ACCESS_KINDS)
		core_answered(access->core, access->entry, ANSWER_IO);
	access_done(access, has_data ? delivery.core_at : at);
	floor_send_go(access->floor, access->slice, core, at);
	free_maf(special, at);
	engine_busy_until(&access->ex->engine, at);
}

/* Uncached, port and configuration accesses: S-Box -> R-Box -> hub, where a
 * device answers, or U-Box, where a register does; and back. */

static void ask_hub(struct special *special)
{
	struct ex *ex = special->access.ex;
	uint64_t at = special_send(special, special->acknowledged);
	struct packet answer;

	at = hub_answer(ex->sockets[NODE_HUB(special->packet.dest)].hub,
			&special->packet, at, &answer);
	special_end(special, &answer, at);
}

/* A write rings a bell, all else is of a register. */
static void ask_system(struct special *special)
{
	struct ex *ex = special->access.ex;
	struct system *system =
		system_of(ex, NODE_SOCKET(special->packet.dest));
	struct system_visit visit = system_arrive(
		system,
		special->packet.cls == PACKET_NCB ? SYSTEM_DOOR_BELL
						  : SYSTEM_CONFIG,
		special_send(special, special->acknowledged));
	struct packet answer;
	uint64_t at = system_serve(ex, system, &visit, &special->packet);

	at = system_answer(ex, system, &special->packet, at, &answer);
	special_end(special, &answer, at);
}

void uncached_go(struct special *special)
{
	special_take_entry(special, special->acknowledged);
	if (NODE_IS_IOH(special->packet.dest))
		ask_hub(special);
	else
		ask_system(special);
}
