/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Before C6 a core's state goes to an SRAM of the C-Box at its stop, access by
 * access, and afterwards it comes back (core_special.c). Such an access ends in
 * the C-Box. News of power go from the U-Box to all others, as NcMsgB.
 */
#include "model/nehalem-ex/sleep.h"

#include "model/box/socket.h"
#include "model/nehalem-ex/special.h"
#include "model/nehalem-ex/system.h"
#include "signals.h"

void sleep_move_state(struct special *special)
{
	special_end(special, NULL,
		    special->acknowledged + special->access.floor->sram_cycles);
}

/* To one other socket and back; *sent: it has left. */
static uint64_t tell(struct ex *ex, unsigned socket, unsigned other,
		     uint64_t granted, uint64_t *sent)
{
	struct system *there = system_of(ex, other);
	struct system_visit visit;
	struct packet answer, packet = {
		.cls = PACKET_NCB,
		.mc = MC_NCB,
		.opcode = NCB_NC_MSG_B,
		.flits = PACKET_FLITS_NCB,
		.dest = (uint8_t)NODE_UBOX(other),
		.requester = (uint8_t)NODE_UBOX(socket),
		.message = MESSAGE_POWER,
	};
	uint64_t at;

	at = system_send(ex, system_of(ex, socket), &packet, granted, sent);
	visit = system_arrive(there, SYSTEM_PM_IN, at);
	at = system_serve(ex, there, &visit, &packet);
	return system_answer(ex, there, &packet, at, &answer);
}

/* Returns when all have heard. */
static uint64_t tell_all(struct ex *ex, unsigned socket)
{
	struct system *system = system_of(ex, socket);
	unsigned num = ex->num_sockets;
	struct system_visit visit;
	uint64_t granted, sent = 0, last = 0;

	visit = system_arrive(system, SYSTEM_PM_OUT, engine_now(&ex->engine));
	granted = system_grant(ex, system, visit.ready, num - 1,
			       PACKET_FLITS_NCB);
	for (unsigned i = 1; i < num; i++)
		last = sim_later(last, tell(ex, socket, (socket + i) % num,
					    granted, &sent));
	system_leave(ex, system, &visit, sent);
	return last;
}

static void tell_more(void *object, uint64_t socket)
{
	struct ex *ex = object;

	system_of(ex, (unsigned)socket)->has_more_news = false;
	sleep_tell_news(ex, (unsigned)socket);
}

void sleep_tell_news(struct ex *ex, unsigned socket)
{
	struct system *system = system_of(ex, socket);

	if (ex->num_sockets < 2)
		return;
	if (system->news_until <= engine_now(&ex->engine)) {
		system->news_until = tell_all(ex, socket);
	} else if (!system->has_more_news) {
		system->has_more_news = true;
		sim_at(ex->engine.sim, system->news_until, tell_more, ex,
		       socket);
	}
}

void sleep_woken(struct ex *ex, unsigned socket)
{
	sig_pulse(system_of(ex, socket)->bank, SIG_UBOX_WOKEN, 1);
	sleep_tell_news(ex, socket);
}
