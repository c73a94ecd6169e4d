/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Uncached, port and configuration accesses: S-Box -> R-Box -> hub, where a
 * device answers, or U-Box, where a register does; and back.
 */
#include "model/nehalem-ex/hub.h"
#include "model/nehalem-ex/special.h"
#include "model/nehalem-ex/system.h"

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
