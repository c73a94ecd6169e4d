/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See message.h.
 */
#include "model/parts/system/message.h"

#include "model/box/socket.h"

enum { HALF_PAGE_LINES = 32 };

static bool reads(const struct packet *packet)
{
	return packet->cls == PACKET_NCS && packet->opcode != NCS_NC_CFG_WR &&
	       packet->opcode != NCS_NC_IO_WR && packet->opcode != NCS_NC_MSG_S;
}

unsigned message_flits(const struct packet *packet)
{
	switch (packet->cls) {
	case PACKET_DRS: return PACKET_FLITS_LINE;
	case PACKET_NCB: return PACKET_FLITS_NCB;
	case PACKET_NCS:
		return reads(packet) ? PACKET_FLITS_NCS_READ
				     : PACKET_FLITS_NCS_WRITE;
	default: return PACKET_FLITS_SHORT;
	}
}

/* What a kind becomes; `whole` where it is of a whole line. */
static const struct form {
	uint8_t mc, opcode, whole, message;
} forms[CORE_NUM_ACCESS_KINDS] = {
	[UNCORE_ACCESS_UC_READ] = { MC_NCS, NCS_NC_RD_PTL, NCS_NC_RD, 0 },
	[UNCORE_ACCESS_UC_WRITE] = { MC_NCB, NCB_NC_WR_PTL, NCB_NC_WR, 0 },
	[UNCORE_ACCESS_WC_WRITE] = { MC_NCB, NCB_WC_WR_PTL, NCB_WC_WR, 0 },
	[UNCORE_ACCESS_IO_READ] = { MC_NCS, NCS_NC_IO_RD, NCS_NC_IO_RD, 0 },
	[UNCORE_ACCESS_IO_WRITE] = { MC_NCS, NCS_NC_IO_WR, NCS_NC_IO_WR, 0 },
	[UNCORE_ACCESS_CFG_READ] = { MC_NCS, NCS_NC_CFG_RD, NCS_NC_CFG_RD, 0 },
	[UNCORE_ACCESS_CFG_WRITE] = { MC_NCS, NCS_NC_CFG_WR, NCS_NC_CFG_WR, 0 },
	[UNCORE_ACCESS_LOCK] = { MC_NCS, NCS_NC_MSG_S, NCS_NC_MSG_S,
				 MESSAGE_LOCK },
	[CORE_ACCESS_UNLOCK] = { MC_NCS, NCS_NC_MSG_S, NCS_NC_MSG_S,
				 MESSAGE_UNLOCK },
	[UNCORE_ACCESS_INTERRUPT] = { MC_NCB, NCB_INT_PHYSICAL,
				      NCB_INT_PHYSICAL, MESSAGE_INTERRUPT },
	[UNCORE_ACCESS_SPECIAL] = { MC_NCS, NCS_NC_MSG_S, NCS_NC_MSG_S,
				    MESSAGE_SPECIAL },
};

struct packet message_of(const struct core_miss *miss)
{
	const struct form *form = &forms[miss->kind];
	struct packet packet = {
		.line = miss->kind == UNCORE_ACCESS_SPECIAL ? miss->target
							    : miss->line,
		.cls = form->mc == MC_NCB ? PACKET_NCB : PACKET_NCS,
		.mc = form->mc,
		.opcode = miss->line & HALF_PAGE_LINES ? form->whole
						       : form->opcode,
		.message = form->message,
	};

	packet.flits = (uint8_t)message_flits(&packet);
	return packet;
}

struct packet message_answer(const struct packet *request)
{
	bool has_data = reads(request);
	struct packet answer = *request;

	answer.source = request->dest;
	answer.dest = request->source;
	answer.cls = has_data ? PACKET_DRS : PACKET_NDR;
	answer.mc = has_data ? MC_DRS : MC_NDR;
	answer.opcode = has_data ? DRS_DATA_NC : NDR_CMP;
	if (request->cls == PACKET_NCS && request->opcode == NCS_NC_MSG_S)
		answer.opcode = NDR_CMP_D;
	answer.flits = (uint8_t)message_flits(&answer);
	answer.message = MESSAGE_NONE;
	return answer;
}

/* By events */

static void hear(void *core, uint64_t message)
{
	core_message(core, (enum packet_message)message);
}

void message_tell(struct engine *engine, struct core *core,
		  enum packet_message message, uint64_t at)
{
	sim_at(engine->sim, at, hear, core, message);
	engine_busy_until(engine, at + 1);
}

static void rise(void *bank, uint64_t signal)
{
	sig_add(bank, (unsigned)signal, 1);
}

static void fall(void *bank, uint64_t signal)
{
	sig_add(bank, (unsigned)signal, -1);
}

void message_rise(struct engine *engine, struct sigbank *bank, unsigned signal,
		  uint64_t at)
{
	sim_at(engine->sim, at, rise, bank, signal);
}

void message_fall(struct engine *engine, struct sigbank *bank, unsigned signal,
		  uint64_t at)
{
	sim_at(engine->sim, at, fall, bank, signal);
}

/* Machine checks: every fault.check_cycles each core may report an error of
 * each severity that is asked for. The modelled cores have no parts that could
 * fail by themselves, and nobody handles the exception, so an error is
 * reported, counted once, and the core goes on. */

static void look(void *object, uint64_t cycles)
{
	struct socket *socket = object;
	uint64_t now = sim_now(socket->sim);

	for (unsigned fault = FAULT_MC_RECOVERABLE; fault <= FAULT_MC_FATAL;
	     fault++)
		for (unsigned core = 0; core < socket->num_cores; core++)
			if (fault_strikes(&socket->faults, fault, core, now))
				socket->kind->machine_check(socket, fault);
	sim_at(socket->sim, now + cycles, look, socket, cycles);
}

void machine_check_start(struct socket *socket)
{
	uint64_t cycles = (uint64_t)socket->param[PARAM_FAULT_CHECK_CYCLES];
	bool is_any = false;

	for (unsigned i = FAULT_MC_RECOVERABLE; i <= FAULT_MC_FATAL; i++)
		is_any |= fault_is_active(&socket->faults, i);
	if (is_any)
		sim_at(socket->sim, sim_now(socket->sim) + cycles, look, socket,
		       cycles);
}
