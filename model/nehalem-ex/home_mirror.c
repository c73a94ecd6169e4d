/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Mirroring (`bbox.mirror`, guide 2.4.4.1 on MHOMOQ and MDRSOQ). The two home
 * agents of a socket are each other's slaves. The master of a line sends what
 * it writes to its slave too (NonSnpWr on HOM, NonSnpWrData on DRS, both on
 * VN1) and completes the write when its own memory and the slave's Cmp are
 * there. A line that memory gives back as bad is read from the slave (RdCode);
 * only when that fails as well it travels on as poisoned.
 *
 * A slave orders nothing: its master has. Its own memory's half above or below
 * takes the copies; the model's memory has no contents, so it is not made
 * smaller by mirroring. What was bad is not written anew, since the next
 * write-back does it.
 */
#include "model/nehalem-ex/home_parts.h"

enum { MIRROR_NETWORK = 1 };

static struct home *slave_of(const struct ex *ex, const struct home *home)
{
	return ex->sockets[home->socket].homes[!home->side];
}

static struct packet packet_to(const struct home *from, const struct home *to,
			       uint64_t line)
{
	return (struct packet){
		.line = line,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)from->node,
		.dest = (uint8_t)to->node,
		.requester = (uint8_t)from->node,
		.home = (uint8_t)to->node,
		.network = MIRROR_NETWORK,
	};
}

/* Sends it; the cycle in which the other one acts on it. */
static uint64_t pass(struct ex *ex, struct home *from, struct home *to,
		     struct packet *packet, uint64_t at)
{
	uint64_t arrived = home_send(ex, from, packet, at + 1, 0);

	home_take(to, packet, arrived);
	return arrived + to->cycles;
}

/* The same work in the slave's memory. */
static struct home_work work_for(const struct home *slave,
				 const struct home_work *work, unsigned row)
{
	return (struct home_work){
		.line = work->line,
		.local = (work->local + slave->memory_lines / 2) %
			 slave->memory_lines,
		.row = (uint8_t)row,
		.is_poisoned = work->is_poisoned,
	};
}

uint64_t home_mirror_write(struct ex *ex, struct home *home,
			   const struct home_work *work)
{
	struct home *slave = slave_of(ex, home);
	struct home_work copy = work_for(slave, work, HOME_WRITE);
	struct packet packet = packet_to(home, slave, work->line);
	uint64_t at = home_window_from(&home->mhomoq, 1, work->copied), request;

	packet.cls = PACKET_HOM;
	packet.mc = MC_HOM0;
	packet.opcode = HOM0_NON_SNP_WR;
	request = pass(ex, home, slave, &packet, at);
	packet = packet_to(home, slave, work->line);
	packet.cls = PACKET_DRS;
	packet.mc = MC_DRS;
	packet.opcode = DRS_NON_SNP_WR_DATA;
	packet.flits = PACKET_FLITS_LINE;
	packet.is_poisoned = work->is_poisoned;
	at = pass(ex, home, slave, &packet, at);
	home_note_poison(slave, copy.line, copy.is_poisoned, false);
	home_work_off(ex, slave, &copy, sim_later(request, at));
	packet = packet_to(slave, home, work->line);
	packet.cls = PACKET_NDR;
	packet.mc = MC_NDR;
	packet.opcode = NDR_CMP;
	at = pass(ex, slave, home, &packet, copy.done);
	home_window_take(&home->mhomoq, at);
	return at;
}

uint64_t home_mirror_read(struct ex *ex, struct home *home,
			  struct home_work *work)
{
	struct home *slave = slave_of(ex, home);
	struct home_work copy = work_for(slave, work, HOME_READ);
	struct packet packet = packet_to(home, slave, work->line);
	uint64_t at = home_window_from(&home->mhomoq, 1, work->done);

	packet.cls = PACKET_HOM;
	packet.mc = MC_HOM0;
	packet.opcode = HOM0_RD_CODE;
	at = pass(ex, home, slave, &packet, at);
	home_work_off(ex, slave, &copy, at);
	work->is_bad = copy.is_bad || home_is_poisoned(slave, work->line);
	packet = packet_to(slave, home, work->line);
	packet.cls = PACKET_DRS;
	packet.mc = MC_DRS;
	packet.opcode = DRS_DATA_C_CMP;
	packet.flits = PACKET_FLITS_LINE;
	packet.is_poisoned = work->is_bad;
	at = pass(ex, slave, home, &packet, copy.done);
	home_window_take(&home->mhomoq, at);
	return at;
}
