/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A snoop of another socket, or the Cmp_Fwd* by which a home asks in the name
 * of a request that met a rival (Table 2-104): S-Box, AD ring, IPQ, pipeline,
 * if need be the cores, and the answer back to the home.
 *
 * What is answered: M to a device that reads: data forwarded, the line stays
 * (RspFwd); M to a read: data forwarded and written to the home, the line stays
 * shared (RspFwdSWb); M to an RFO: forwarded (RspFwdI); E and F forward a clean
 * copy; S says so; a line with a request of our own out at the home is in
 * conflict (RspCnflt), and so is one that was, until it has gone to those who
 * were told so.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/access.h"
#include "model/nehalem-ex/out.h"
#include "signals.h"

/* How soon what no known time ends tries again. */
enum { RETRY_CYCLES = 8 };

/* A snoop at a slice. */
struct probe {
	struct ex *ex;
	unsigned socket;
	struct floor *floor;
	struct slice *slice;
	const struct packet *asked;
	struct home_answer *answer;
	struct line_forward *forward;
	struct slice_victim *victim; /* changed, and still on its way out */
	uint64_t start;		     /* of the first pass */
	uint32_t value;
	bool from_home, is_conflict;
};

/* The answer to the home, and data to requester (state) and home (opcode). */
struct verdict {
	uint8_t response;     /* HOM1 opcode */
	uint8_t forward;      /* RDS of data to the requester, if sends_data */
	uint8_t write_opcode; /* DRS opcode of data to the home, if writes */
	bool sends_data, writes;
};

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

/* What a line in a state answers, and the state it goes to. */
static struct verdict verdict_for(const struct floor *floor,
				  const struct packet *packet, unsigned state,
				  enum llc_state *next)
{
	bool alone = wants_it_alone(packet);
	uint8_t shared = floor->has_forward ? RDS_F : RDS_S;

	*next = (enum llc_state)state;
	if (wants_a_look(packet))
		return state == LLC_M
			       ? (struct verdict){ .response = HOM1_RSP_FWD,
						   .forward = RDS_I,
						   .sends_data = true }
			       : (struct verdict){ .response = HOM1_RSP_S };
	*next = alone ? LLC_I : LLC_S;
	if (state == LLC_M && wants_no_data(packet))
		return (struct verdict){ .response = HOM1_RSP_I_WB,
					 .write_opcode = DRS_WB_I_DATA,
					 .writes = true };
	if (alone && wants_no_data(packet))
		return (struct verdict){ .response = HOM1_RSP_I };
	if (state == LLC_M && alone)
		return (struct verdict){ .response = HOM1_RSP_FWD_I,
					 .forward = RDS_M,
					 .sends_data = true };
	if (state == LLC_M)
		return (struct verdict){ .response = HOM1_RSP_FWD_S_WB,
					 .write_opcode = DRS_WB_S_DATA,
					 .forward = shared,
					 .sends_data = true,
					 .writes = true };
	if (state == LLC_S)
		return (struct verdict){ .response = alone ? HOM1_RSP_I
							   : HOM1_RSP_S };
	return (struct verdict){ .response = alone ? HOM1_RSP_FWD_I
						   : HOM1_RSP_FWD_S,
				 .forward = alone ? RDS_E : shared,
				 .sends_data = true };
}

/* Data, in a packet that is else like the answer. */
static SIG_SLOW void send_data(struct probe *probe,
			       const struct verdict *verdict,
			       struct packet packet, uint64_t at)
{
	const struct packet *asked = probe->asked;

	packet.cls = PACKET_DRS;
	packet.mc = MC_DRS;
	packet.flits = PACKET_FLITS_LINE;
	packet.value = probe->value;
	if (verdict->sends_data) {
		packet.opcode = DRS_DATA_C;
		packet.state = verdict->forward;
		packet.is_modified =
			verdict->writes || verdict->forward == RDS_M;
		packet.dest = asked->requester;
		probe->forward->is_there = true;
		probe->forward->packet = packet;
		probe->forward->arrived =
			out_send(probe->ex, probe->socket, probe->slice,
				 &packet, at, true);
	}
	if (!verdict->writes)
		return;
	packet.opcode = verdict->write_opcode;
	packet.state = 0;
	packet.is_modified = false;
	packet.dest = asked->home;
	probe->answer->data_at = out_send(probe->ex, probe->socket,
					  probe->slice, &packet, at, true);
	if (probe->floor->socket->values)
		values_memory_write(probe->floor->socket->values, asked->line,
				    probe->value);
}

/* The answer leaves for the home, data for the requester and the home. */
static void respond(struct probe *probe, const struct verdict *verdict,
		    uint64_t at)
{
	const struct packet *asked = probe->asked;
	struct home_answer *answer = probe->answer;
	unsigned node = NODE_SBOX(probe->socket, probe->slice->side);
	struct packet packet = {
		.line = asked->line,
		.serial = asked->serial,
		.number = asked->number,
		.cls = PACKET_HOM,
		.mc = MC_HOM1,
		.opcode = verdict->response,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)node,
		.dest = asked->home,
		.requester = asked->requester,
		.home = asked->home,
		.cbox = (uint8_t)probe->slice->index,
	};

	answer->packet = packet;
	answer->at = out_send(probe->ex, probe->socket, probe->slice, &packet,
			      at, true);
	if (verdict->sends_data || verdict->writes)
		send_data(probe, verdict, packet, at);
}

static void count_hit(const struct probe *probe, unsigned state, uint64_t at)
{
	static const uint8_t place[] = {
		[LLC_M] = 0,
		[LLC_E] = 1,
		[LLC_S] = 2,
		[LLC_F] = 3,
	};

	if (!probe->from_home)
		engine_count(&probe->ex->engine, probe->slice->bank,
			     (wants_it_alone(probe->asked)
				      ? SIG_CBOX_SNP_HITS_REMOTE_RFO_HITM
				      : SIG_CBOX_SNP_HITS_REMOTE_RD_HITM) +
				     place[state],
			     at);
}

/* Cores that have to be asked before the slice can answer. */
static unsigned cores_to_ask(const struct probe *probe,
			     const struct llc_way *way)
{
	unsigned cores = way->cores;
	bool may_be_dirty = way->state == LLC_E || way->state == LLC_M;

	if (!wants_it_alone(probe->asked) &&
	    (!may_be_dirty || (cores & (cores - 1))))
		return 0;
	return cores;
}

/* The line is here: the cycle in which all is known and has been answered. */
static uint64_t answer_from(struct probe *probe, struct llc_way *way,
			    struct slice_stay *stay, uint64_t at)
{
	const struct packet *asked = probe->asked;
	unsigned cores = cores_to_ask(probe, way), state = way->state;
	int dirty = cores && way->is_core_dirty ? __builtin_ctz(cores) : -1;
	struct verdict verdict;
	enum llc_state next;

	probe->value =
		copies_recall(slice_copy(probe->slice, way, asked->line));
	if (cores) {
		copies_take(probe->floor->socket, cores, asked->line,
			    !wants_it_alone(asked), false);
		stay->asks = at;
		stay->asked = floor_ask_cores(probe->floor, probe->slice, cores,
					      at, dirty);
		at = slice_pass(probe->floor, probe->slice, stay->asked);
	}
	if (dirty >= 0)
		state = LLC_M;
	count_hit(probe, state, at);
	verdict = verdict_for(probe->floor, asked, state, &next);
	if (next == LLC_I) {
		llc_drop(&probe->slice->llc, way);
	} else {
		way->state = (uint8_t)next;
		way->is_core_dirty = false;
	}
	respond(probe, &verdict, at);
	return at;
}

/* Our own request for the line is out. A copy that was to be upgraded is lost
 * to an RFO and no longer forwards: it stands in the tags already as what our
 * request makes it, and the home asks again once that is complete. */
static void conflict(struct probe *probe, uint64_t at)
{
	static const struct verdict verdict = { .response = HOM1_RSP_CNFLT };

	respond(probe, &verdict, at);
}

/* The line is changed and on its way to memory, where nobody knows of it yet:
 * the snoop takes its data along. */
static void answer_from_victim(struct probe *probe, uint64_t at)
{
	struct slice_victim *victim = probe->victim;
	struct verdict verdict;
	enum llc_state next;

	probe->value = victim->value;
	count_hit(probe, LLC_M, at);
	verdict = verdict_for(probe->floor, probe->asked, LLC_M, &next);
	if (next == LLC_S) {
		verdict.response = HOM1_RSP_FWD_I_WB;
		verdict.write_opcode = DRS_WB_I_DATA;
	}
	respond(probe, &verdict, at);
	if (next != LLC_M)
		victim->is_dirty = false;
}

/* The line is in the MAF: what refusal() returns. */
static int meet_maf(struct probe *probe, unsigned place, uint64_t at,
		    uint64_t *again)
{
	const struct slice_stay *stay = &probe->slice->stays[place];
	bool at_home = stay->home < stay->granted;

	probe->is_conflict = at_home && at < stay->granted && !probe->from_home;
	if (probe->is_conflict)
		return -1;
	/* behind it at a home with a directory */
	if (stay->granted == SIM_NEVER)
		return -1;
	*again = probe->slice->lines.until[place];
	return at_home ? SIG_CBOX_MAF_NACK1_AC_PENDING
		       : SIG_CBOX_MAF_NACK1_SNP_PENDING;
}

/* Until when the cores are asked for a victim that goes into the VIQ in a
 * cycle: IV goes round once, and the last core answers. */
static uint64_t given_up(const struct probe *probe,
			 const struct slice_victim *victim)
{
	const struct floor *floor = probe->floor;

	return victim->cores
		       ? victim->again + floor->num_stops + floor->snoop_cycles
		       : victim->again;
}

/* The line is on its way out: cores are asked for it, or it waits. */
static int meet_victim(struct probe *probe, unsigned place, uint64_t at,
		       uint64_t *again)
{
	struct slice_victim *victim = slice_victim(probe->slice, place);

	if (!victim) {
		*again = probe->slice->lines.until[place];
		return probe->slice->stays[place].from > at
			       ? -1
			       : SIG_CBOX_MAF_NACK2_WB_PENDING;
	}
	if (place < SLICE_VIQ && victim->again <= at &&
	    at < given_up(probe, victim)) {
		*again = given_up(probe, victim);
		return SIG_CBOX_MAF_NACK2_WB_PENDING;
	}
	if (victim->is_dirty)
		probe->victim = victim;
	return -1;
}

/* Another snoop looks at the line. */
static int meet_probe(const struct probe *probe, unsigned place, uint64_t at)
{
	const struct slice_stay *stay = &probe->slice->stays[place];

	return stay->asks <= at && at < stay->asked
		       ? SIG_CBOX_MAF_NACK2_NACK2_ELSE
		       : -1;
}

/* Whatever goes on with the line, in MAF, VIQ and IPQ in this order. */
static int meet_line(struct probe *probe, uint64_t at, uint64_t *again)
{
	uint64_t places =
		lines_find(&probe->slice->lines, probe->asked->line, at);
	int signal = -1;

	if (probe->is_conflict)
		return -1;
	for (; places && signal < 0; places &= places - 1) {
		unsigned place = (unsigned)__builtin_ctzll(places);

		if (place < SLICE_OUT)
			return meet_maf(probe, place, at, again);
		signal = place < SLICE_IPQ
				 ? meet_victim(probe, place, at, again)
				 : meet_probe(probe, place, at);
		if (probe->victim)
			return -1;
	}
	return signal;
}

/* A signal that says why the pass came to nothing, with the cycle of the next
 * try; -1: it came to something. */
static int refusal(struct probe *probe, uint64_t at, uint64_t *again)
{
	struct slice *slice = probe->slice;

	*again = at + RETRY_CYCLES;
	if (floor_room_from(&slice->ends, at) > at)
		return SIG_CBOX_MAF_NACK2_EGRESS_FULL;
	if (places_from(&slice->credits, engine_now(&probe->ex->engine), at) >
	    at)
		return SIG_CBOX_MAF_NACK2_NO_S_FIFO_CREDITS;
	return meet_line(probe, at, again);
}

static uint64_t pass(struct probe *probe, uint64_t arrived)
{
	struct slice *slice = probe->slice;
	uint64_t at = slice_pass(probe->floor, slice, arrived), again;
	int signal;

	if (probe->ex->engine.is_quick)
		return at;
	probe->start = at - probe->floor->lookup_cycles;
	while ((signal = refusal(probe, at, &again)) >= 0) {
		slice_refuse(slice, (unsigned)signal, at);
		at = slice_pass(probe->floor, slice, again);
	}
	return at;
}

/* From the cycle `arrived` on, in which it is at the slice; the cycle in which
 * it has been answered. */
static uint64_t look_up(struct probe *probe, struct slice_stay *stay,
			uint64_t arrived)
{
	static const struct verdict nothing = { .response = HOM1_RSP_I };
	uint64_t at = pass(probe, arrived);
	struct llc_way *way;

	if (probe->is_conflict) {
		conflict(probe, at);
		return at;
	}
	if (probe->victim) {
		answer_from_victim(probe, at);
		return at;
	}
	way = llc_find(&probe->slice->llc, probe->asked->line);
	if (way)
		return answer_from(probe, way, stay, at);
	respond(probe, &nothing, at);
	return at;
}

/* A snoop's stay in the IPQ. */
struct snoop_visit {
	struct visit visit; /* last: it leaves */
	struct slice *slice;
	uint32_t arrived, start; /* so long before that */
	int16_t signal;
};

_Static_assert(sizeof(struct snoop_visit) <= FLOOR_VISIT_BYTES, "see floor.h");

static void tell_snoop(struct sigbank *first, const void *visit)
{
	const struct snoop_visit *snoop = visit;
	struct sigbank *bank = snoop->slice->bank;
	uint64_t last = snoop->visit.last, arrived = last - snoop->arrived;
	uint64_t start = last - snoop->start;

	(void)first;
	if (start <= arrived + 1)
		tell_later(bank,
			   start == arrived
				   ? SIG_CBOX_INGRESS_BYPASS_WINS_AD_IPQ_BYP0
				   : SIG_CBOX_INGRESS_BYPASS_WINS_AD_IPQ_BYP1,
			   arrived, 1);
	tell_later(bank, SIG_CBOX_TRANS_IPQ, arrived, 1);
	tell_later(bank, (unsigned)snoop->signal, arrived, 1);
	tell_span(bank, SIG_CBOX_OCCUPANCY_IPQ, arrived, last, 1);
}

static unsigned snoop_signal(const struct probe *probe)
{
	return wants_it_alone(probe->asked) ? SIG_CBOX_SNPS_REMOTE_RFO
					    : SIG_CBOX_SNPS_REMOTE_RD;
}

static void keep_snoop(const struct probe *probe, uint64_t arrived, uint64_t at)
{
	struct snoop_visit *visit = visits_next(probe->floor->visits);

	if (probe->ex->engine.is_quick) {
		engine_count(&probe->ex->engine, probe->slice->bank,
			     SIG_CBOX_TRANS_IPQ, at);
		engine_count(&probe->ex->engine, probe->slice->bank,
			     snoop_signal(probe), at);
		return;
	}
	visit->visit.tell = tell_snoop;
	visit->visit.last = at;
	visit->slice = probe->slice;
	visit->arrived = (uint32_t)(at - arrived);
	visit->start = (uint32_t)(at - probe->start);
	visit->signal = (int16_t)snoop_signal(probe);
	visits_keep(probe->floor->visits);
}

void line_snoop(struct ex *ex, unsigned socket, const struct packet *snoop,
		uint64_t arrived, bool is_owed, struct home_answer *answer,
		struct line_forward *forward)
{
	struct floor *floor = ex->sockets[socket].floor;
	struct slice *slice = &floor->slices[snoop->cbox];
	struct probe probe = {
		.ex = ex,
		.socket = socket,
		.floor = floor,
		.slice = slice,
		.asked = snoop,
		.answer = answer,
		.forward = forward,
		.from_home = snoop->mc == MC_NDR,
		.is_conflict = is_owed,
	};
	struct slice_stay stay = { .from = arrived };
	struct agent *agent = ex->sockets[socket].agents[slice->side];
	uint64_t from = arrived, at;
	unsigned place;

	if (probe.from_home) {
		at = out_deliver(ex, agent, snoop, arrived, false, 0, -1)
			     .slice_at;
		look_up(&probe, &stay, at);
		return;
	}
	place = places_take(&slice->ipq, engine_now(&ex->engine), &from);
	stay.from = out_deliver(ex, agent, snoop, arrived, false, from, -1)
			    .slice_at;
	at = look_up(&probe, &stay, stay.from);
	places_hold(&slice->ipq, place, at);
	slice->stays[SLICE_IPQ + place] = stay;
	lines_put(&slice->lines, SLICE_IPQ + place, snoop->line, at);
	keep_snoop(&probe, stay.from, at);
}
