/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The C-Box's probe path: snoops of other sockets, and the Cmp_Fwd* by which a
 * home agent asks on behalf of a conflicting request (Table 2-104).
 *
 * What is answered: M to a device that reads: data forwarded, the line stays
 * (RspFwd); M to a read: data forwarded and written to the home, the
 * line stays shared (RspFwdSWb); M to an RFO: forwarded (RspFwdI); E and F
 * forward a clean copy; S says so; a line with a request of our own out at the
 * home is in conflict (RspCnflt), which the home settles.
 */
#include <stdlib.h>

#include "model/sim/bug.h"

#include "model/box/cbox.h"
#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

/* Of 0 cycles, followed by that of 1 cycle. */
enum { IPQ_BYPASS = SIG_CBOX_INGRESS_BYPASS_WINS_AD_IPQ_BYP0 };

void cbox_drive_probe_signals(struct cbox *cbox)
{
	sig_drives(cbox->bank, SIG_CBOX_OCCUPANCY_IPQ, 2);
	sig_drives(cbox->bank, SIG_CBOX_SNPS_REMOTE_RD, 10); /* and hits */
}

static bool wants_it_alone(const struct packet *packet)
{
	if (packet->mc == MC_SNP)
		return packet->opcode == SNP_INV_OWN ||
		       packet->opcode == SNP_INV_ITO_E ||
		       packet->opcode == SNP_INV_XTO_I;
	return packet->opcode != NDR_CMP_FWD_CODE;
}

/* The requester wants no data. */
static bool wants_no_data(const struct packet *packet)
{
	return packet->mc == MC_SNP ? packet->opcode == SNP_INV_ITO_E ||
					      packet->opcode == SNP_INV_XTO_I
				    : packet->opcode == NDR_CMP_FWD_INV_ITO_E;
}

/* A device reads: nobody's copy changes. */
static bool wants_a_look(const struct packet *packet)
{
	return packet->mc == MC_SNP
		       ? packet->opcode == SNP_CUR
		       : NODE_IS_IOH(packet->requester) &&
				 packet->opcode == NDR_CMP_FWD_CODE;
}

static void pass(void *object, uint64_t index);

static void schedule_pass(struct cbox *cbox, unsigned index)
{
	sim_at(cbox->socket->sim, cbox_next_pass(cbox) + cbox->lookup_cycles,
	       pass, cbox, index);
}

void cbox_probe(struct cbox *cbox, const struct packet *packet)
{
	uint64_t now = sim_now(cbox->socket->sim);
	bool from_home = packet->mc == MC_NDR;
	unsigned i = from_home ? CBOX_IPQ_ROOM : 0;

	while (i < CBOX_PROBE_ROOM && cbox->ipq[i].is_used)
		i++;
	if (i == CBOX_PROBE_ROOM)
		BUG("homes ask about more lines than the MAF has");
	cbox->num_home_probes += from_home;
	cbox->ipq[i] = (struct cbox_probe){
		.packet = *packet,
		.is_used = true,
		.from_home = from_home,
	};
	cbox->num_ipq++;
	sig_pulse(cbox->bank, SIG_CBOX_SINKS_S2C_AD, 1);
	if (!from_home) {
		sig_pulse(cbox->bank, SIG_CBOX_TRANS_IPQ, 1);
		sig_add(cbox->bank, SIG_CBOX_OCCUPANCY_IPQ, 1);
		sig_pulse(cbox->bank,
			  wants_it_alone(packet) ? SIG_CBOX_SNPS_REMOTE_RFO
						 : SIG_CBOX_SNPS_REMOTE_RD,
			  1);
		if (cbox->next_pass <= now)
			sig_pulse(cbox->bank, IPQ_BYPASS, 1);
		else if (cbox->next_pass == now + 1)
			sig_pulse(cbox->bank, IPQ_BYPASS + 1, 1);
	}
	schedule_pass(cbox, i);
}

/* Places in use lie before this one. */
static unsigned probes_end(const struct cbox *cbox)
{
	return cbox->num_home_probes ? CBOX_PROBE_ROOM : CBOX_IPQ_ROOM;
}

bool cbox_has_probe(const struct cbox *cbox, uint64_t line)
{
	if (cbox->num_ipq)
		for (unsigned i = 0; i < probes_end(cbox); i++)
			if (cbox->ipq[i].is_used &&
			    cbox->ipq[i].packet.line == line)
				return true;
	return false;
}

bool cbox_is_probed(const struct cbox *cbox, uint64_t line)
{
	if (cbox->num_ipq)
		for (unsigned i = 0; i < probes_end(cbox); i++)
			if (cbox->ipq[i].is_used && cbox->ipq[i].num_snoops &&
			    cbox->ipq[i].packet.line == line)
				return true;
	return false;
}

static void release(struct cbox *cbox, struct cbox_probe *probe)
{
	bool from_home = probe->from_home;

	probe->is_used = false;
	cbox->num_ipq--;
	cbox->num_home_probes -= from_home;
	cbox_wake(cbox, BLOCK_LINE, probe->packet.line);
	if (from_home)
		return;
	sig_add(cbox->bank, SIG_CBOX_OCCUPANCY_IPQ, -1);
	sbox_ipq_credit(&cbox->socket->sboxes[cbox->side], cbox->index);
}

/* The answer to the home, and data to requester (state) and home (opcode). */
struct answer {
	uint8_t response;     /* HOM1 opcode */
	uint8_t forward;      /* RDS of data to the requester, if sends_data */
	uint8_t write_opcode; /* DRS opcode of data to the home, if writes */
	bool sends_data, writes;
};

static void respond(struct cbox *cbox, struct cbox_probe *probe,
		    const struct answer *answer, const struct cbox_maf *busy)
{
	const struct packet *asked = &probe->packet;
	struct sbox *sbox = &cbox->socket->sboxes[cbox->side];
	struct packet packet = {
		.line = asked->line,
		.serial = asked->serial,
		.number = asked->number,
		.cls = PACKET_HOM,
		.mc = MC_HOM1,
		.opcode = answer->response,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)sbox->node,
		.dest = asked->home,
		.requester = asked->requester,
		.home = asked->home,
		.cbox = (uint8_t)cbox->index,
	};

	if (busy) {
		packet.other_serial = busy->serial;
		packet.other_number = busy->number;
	}
	cbox_send_packet(cbox, &packet);
	packet.cls = PACKET_DRS;
	packet.mc = MC_DRS;
	packet.flits = PACKET_FLITS_LINE;
	if (answer->sends_data) {
		packet.opcode = DRS_DATA_C;
		packet.value = asked->value;
		packet.state = answer->forward;
		packet.is_modified =
			answer->writes || answer->forward == RDS_M;
		packet.dest = asked->requester;
		cbox_send_packet(cbox, &packet);
	}
	if (answer->writes) {
		packet.value = asked->value;
		packet.opcode = answer->write_opcode;
		packet.state = 0;
		packet.is_modified = false;
		packet.dest = asked->home;
		cbox_send_packet(cbox, &packet);
	}
	release(cbox, probe);
}

static void count_hit(struct cbox *cbox, const struct cbox_probe *probe,
		      unsigned state)
{
	static const uint8_t place[] = {
		[LLC_M] = 0,
		[LLC_E] = 1,
		[LLC_S] = 2,
		[LLC_F] = 3,
	};

	if (!probe->from_home)
		sig_pulse(cbox->bank,
			  (wants_it_alone(&probe->packet)
				   ? SIG_CBOX_SNP_HITS_REMOTE_RFO_HITM
				   : SIG_CBOX_SNP_HITS_REMOTE_RD_HITM) +
				  place[state],
			  1);
}

/* What a line in a state answers, and the state it goes to. */
static struct answer answer_for(const struct cbox *cbox,
				const struct packet *packet, unsigned state,
				enum llc_state *next)
{
	bool alone = wants_it_alone(packet);
	uint8_t shared = cbox->has_forward ? RDS_F : RDS_S;

	*next = (enum llc_state)state;
	if (wants_a_look(packet))
		return state == LLC_M
			       ? (struct answer){ .response = HOM1_RSP_FWD,
						  .forward = RDS_I,
						  .sends_data = true }
			       : (struct answer){ .response = HOM1_RSP_S };
	*next = alone ? LLC_I : LLC_S;
	if (state == LLC_M && wants_no_data(packet))
		return (struct answer){ .response = HOM1_RSP_I_WB,
					.write_opcode = DRS_WB_I_DATA,
					.writes = true };
	if (alone && wants_no_data(packet))
		return (struct answer){ .response = HOM1_RSP_I };
	if (state == LLC_M && alone)
		return (struct answer){ .response = HOM1_RSP_FWD_I,
					.forward = RDS_M,
					.sends_data = true };
	if (state == LLC_M)
		return (struct answer){ .response = HOM1_RSP_FWD_S_WB,
					.write_opcode = DRS_WB_S_DATA,
					.forward = shared,
					.sends_data = true,
					.writes = true };
	if (state == LLC_S)
		return (struct answer){ .response = alone ? HOM1_RSP_I
							  : HOM1_RSP_S };
	return (struct answer){ .response =
					alone ? HOM1_RSP_FWD_I : HOM1_RSP_FWD_S,
				.forward = alone ? RDS_E : shared,
				.sends_data = true };
}

/* All cores have answered (or none had to): the line's state is known. */
static void finish(struct cbox *cbox, struct cbox_probe *probe)
{
	struct llc_way *way = llc_find(&cbox->llc, probe->packet.line);
	unsigned state = way->state;
	enum llc_state next;
	struct answer answer;

	if (probe->is_dirty)
		state = LLC_M;
	count_hit(cbox, probe, state);
	answer = answer_for(cbox, &probe->packet, state, &next);
	if (next == LLC_I) {
		llc_drop(&cbox->llc, way);
	} else {
		way->state = (uint8_t)next;
		way->is_core_dirty = false;
	}
	respond(cbox, probe, &answer, NULL);
}

void cbox_probe_snooped(struct cbox *cbox, unsigned index, bool is_dirty)
{
	struct cbox_probe *probe = &cbox->ipq[index];

	probe->is_dirty |= is_dirty;
	if (!--probe->num_snoops)
		finish(cbox, probe);
}

/* Our own request for the line is out: the home has to order the two. A copy
 * that was to be upgraded is lost to an RFO and no longer forwards. */
static void conflict(struct cbox *cbox, struct cbox_probe *probe,
		     struct cbox_maf *maf)
{
	struct answer answer = { .response = HOM1_RSP_CNFLT };
	struct llc_way *way = llc_find(&cbox->llc, maf->line);

	/* asked by the home: it knows that ours comes later */
	if (probe->from_home)
		answer.response = way && !wants_it_alone(&probe->packet)
					  ? HOM1_RSP_S
					  : HOM1_RSP_I;

	if (way && wants_it_alone(&probe->packet)) {
		struct uncore_traffic *traffic = cbox->socket->traffic;

		if (traffic->invalidate && !traffic->decides_owners)
			for (unsigned c = 0; c < cbox->socket->num_cores; c++)
				if (way->cores >> c & 1)
					traffic->invalidate(
						traffic->context,
						cbox->socket->cores[c].number,
						maf->line, false);
		llc_drop(&cbox->llc, way);
		maf->has_copy_lost = true;
	} else if (way && way->state == LLC_F &&
		   !wants_a_look(&probe->packet)) {
		way->state = LLC_S;
	}
	respond(cbox, probe, &answer, probe->from_home ? NULL : maf);
}

static void count_nack(struct cbox *cbox, unsigned signal)
{
	sig_pulse(cbox->bank, signal, 1);
	if (signal >= SIG_CBOX_MAF_NACK2_MAF_FULL)
		sig_pulse(cbox->bank, SIG_CBOX_MAF_NACK1_ALL_MAF_NACK2, 1);
}

static void block(struct cbox *cbox, struct cbox_probe *probe, unsigned signal)
{
	probe->is_blocked = true;
	cbox->num_probes_blocked++;
	count_nack(cbox, signal);
}

/* No event will say when the reason is gone. */
static void retry(struct cbox *cbox, struct cbox_probe *probe, unsigned signal)
{
	count_nack(cbox, signal);
	sim_at(cbox->socket->sim,
	       sim_now(cbox->socket->sim) + CBOX_RETRY_CYCLES, pass, cbox,
	       (uint64_t)(probe - cbox->ipq));
}

void cbox_wake_probes(struct cbox *cbox, uint64_t line)
{
	if (!cbox->num_probes_blocked)
		return;
	for (unsigned i = 0; i < probes_end(cbox); i++) {
		struct cbox_probe *probe = &cbox->ipq[i];

		if (!probe->is_used || !probe->is_blocked ||
		    probe->packet.line != line)
			continue;
		probe->is_blocked = false;
		cbox->num_probes_blocked--;
		schedule_pass(cbox, i);
	}
}

static void look_up(struct cbox *cbox, struct cbox_probe *probe)
{
	static const struct answer nothing = { .response = HOM1_RSP_I };
	struct llc_way *way = llc_find(&cbox->llc, probe->packet.line);
	bool alone = wants_it_alone(&probe->packet);
	bool may_be_dirty, has_one;
	unsigned cores;

	if (!way) {
		respond(cbox, probe, &nothing, NULL);
		return;
	}
	if (cbox->socket->values)
		probe->packet.value =
			cbox_value_recall(cbox, way, probe->packet.line);
	cores = way->cores;
	may_be_dirty = way->state == LLC_E || way->state == LLC_M;
	has_one = !(cores & (cores - 1));
	if (!cores || (!alone && !(may_be_dirty && has_one))) {
		finish(cbox, probe);
		return;
	}
	probe->num_snoops = (uint8_t)cbox_snoop_cores(
		cbox, probe->packet.line, cores, !alone, way->is_core_dirty,
		TOKEN(TOKEN_IPQ, probe - cbox->ipq));
}

/* The home asks because this very request made us the owner: what it sent us is
 * on its way, and the answer has to wait for it. */
static bool is_completed_at_home(const struct cbox_probe *probe,
				 const struct cbox_maf *maf)
{
	return probe->from_home && !maf->is_refetching &&
	       (int32_t)(probe->packet.other_number - maf->number) >= 0;
}

/* The line is modified and waits in the VIQ for a credit. To let the probe wait
 * as well could close a circle of waiting; so it takes the data along. */
static void answer_from_victim(struct cbox *cbox, struct cbox_probe *probe,
			       struct cbox_victim *victim)
{
	struct answer answer;
	enum llc_state next;

	probe->packet.value = victim->value;
	count_hit(cbox, probe, LLC_M);
	answer = answer_for(cbox, &probe->packet, LLC_M, &next);
	if (next == LLC_S) {
		answer.response = HOM1_RSP_FWD_I_WB;
		answer.write_opcode = DRS_WB_I_DATA;
	}
	respond(cbox, probe, &answer, NULL);
	if (next != LLC_M)
		cbox_viq_cancel(cbox, victim);
}

static void pass(void *object, uint64_t index)
{
	struct cbox *cbox = object;
	struct cbox_probe *probe = &cbox->ipq[index];
	struct cbox_maf *maf = cbox_maf_find(cbox, probe->packet.line);
	struct cbox_victim *victim = cbox_viq_find(cbox, probe->packet.line);

	if (cbox->num_full)
		retry(cbox, probe, SIG_CBOX_MAF_NACK2_EGRESS_FULL);
	else if (cbox->s_credits <= 0)
		retry(cbox, probe, SIG_CBOX_MAF_NACK2_NO_S_FIFO_CREDITS);
	else if (maf && maf->at_home && !is_completed_at_home(probe, maf))
		conflict(cbox, probe, maf);
	else if (maf)
		block(cbox, probe,
		      maf->at_home ? SIG_CBOX_MAF_NACK1_AC_PENDING
				   : SIG_CBOX_MAF_NACK1_SNP_PENDING);
	else if (victim && victim->is_waiting)
		answer_from_victim(cbox, probe, victim);
	else if (victim)
		block(cbox, probe, SIG_CBOX_MAF_NACK2_WB_PENDING);
	else if (cbox_is_probed(cbox, probe->packet.line))
		retry(cbox, probe, SIG_CBOX_MAF_NACK2_NACK2_ELSE);
	else
		look_up(cbox, probe);
}
