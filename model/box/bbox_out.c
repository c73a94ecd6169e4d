/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What leaves a B-Box: completions (NDR), snoops where the home sends them, and
 * data (DRS), over the direct link to the S-Box of the same side or through the
 * R-Box. Either may refuse; then the queue stands until it has room or a credit
 * comes back. As the guide has it, a snoop enters the SNPOQ (and counts there)
 * only if it cannot leave at once.
 */

#include "model/sim/bug.h"

#include "model/box/bbox.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

/* Guide 2.4.6, DRSQ_OCCUPANCY. */
enum { DRSQ_DEPTH = 4 };

static void pump(void *object, uint64_t way);

static enum rbox_port port_of(const struct bbox *bbox)
{
	return bbox->side ? RBOX_PORT_BBOX1 : RBOX_PORT_BBOX0;
}

static void kick(struct bbox *bbox, unsigned way)
{
	struct sim *sim = bbox->socket->sim;
	uint64_t time = sim_now(sim) + 1;

	if (bbox->is_pumping[way])
		return;
	bbox->is_pumping[way] = true;
	bbox->is_stuck[way] = false;
	if (time < bbox->free_at[way])
		time = bbox->free_at[way];
	sim_at(sim, time, pump, bbox, way);
}

void bbox_rbox_credit(void *object, enum packet_class cls, unsigned vn,
		      unsigned flits)
{
	struct bbox *bbox = object;

	(void)cls, (void)vn, (void)flits;
	if (bbox->is_stuck[BBOX_TO_RBOX])
		kick(bbox, BBOX_TO_RBOX);
}

void bbox_sbox_has_room(struct bbox *bbox)
{
	if (bbox->is_stuck[BBOX_TO_SBOX])
		kick(bbox, BBOX_TO_SBOX);
}

void bbox_out_init(struct bbox *bbox)
{
	struct rbox_client client = { bbox, bbox_from_rbox, bbox_rbox_credit };

	rbox_attach(bbox->socket->rbox, port_of(bbox), &client);
}

bool bbox_out_is_idle(const struct bbox *bbox)
{
	for (unsigned way = 0; way < BBOX_NUM_WAYS; way++)
		for (unsigned q = 0; q < BBOX_NUM_QUEUES; q++)
			if (bbox->queues[way][q].count)
				return false;
	return true;
}

unsigned bbox_snoop_room(const struct bbox *bbox)
{
	unsigned num = bbox->queues[BBOX_TO_SBOX][BBOX_SNPOQ].count +
		       bbox->queues[BBOX_TO_RBOX][BBOX_SNPOQ].count;

	return num < BBOX_SNPOQ_ROOM ? BBOX_SNPOQ_ROOM - num : 0;
}

static bool way_is_free(const struct bbox *bbox, unsigned way)
{
	for (unsigned q = 0; q < BBOX_NUM_QUEUES; q++)
		if (bbox->queues[way][q].count)
			return false;
	return bbox->free_at[way] <= sim_now(bbox->socket->sim) + 1;
}

/* In the DRSQ (depth 4) no more than one place is left, so the IMT can set
 * aside a place for one read only. */
static void show_drsq(struct bbox *bbox, int change)
{
	sig_add(bbox->bank, SIG_BBOX_DRSQ_OCCUPANCY, change);
	bbox->num_drs += (unsigned)change;
	if (bbox->num_drs == DRSQ_DEPTH - 1 && change > 0)
		sig_set(bbox->bank, SIG_BBOX_IMT_PREALLOC, 1);
	else if (bbox->num_drs == DRSQ_DEPTH - 2 && change < 0)
		sig_set(bbox->bank, SIG_BBOX_IMT_PREALLOC, 0);
}

static void enter_snpoq(struct bbox *bbox)
{
	sig_pulse(bbox->bank, SIG_BBOX_SNPOQ_INSERTS, 1);
	sig_add(bbox->bank, SIG_BBOX_SNPOQ_OCCUPANCY, 1);
}

static unsigned queue_of(const struct packet *packet)
{
	if (packet->cls == PACKET_HOM)
		return BBOX_MHOMOQ;
	if (packet->opcode == DRS_NON_SNP_WR_DATA && packet->cls == PACKET_DRS)
		return BBOX_MDRSOQ;
	switch (packet->cls) {
	case PACKET_NDR: return BBOX_NDROQ;
	case PACKET_SNP: return BBOX_SNPOQ;
	default: return BBOX_DRSOQ;
	}
}

void bbox_send(struct bbox *bbox, const struct packet *packet)
{
	bool is_direct =
		packet->dest == NODE_SBOX(bbox->socket->index, bbox->side);
	unsigned way = is_direct ? BBOX_TO_SBOX : BBOX_TO_RBOX;
	unsigned which = queue_of(packet);
	struct bbox_queue *queue = &bbox->queues[way][which];

	if (queue->count == BBOX_OUT_ROOM)
		BUG("more to send than tracker entries");
	if (which == BBOX_SNPOQ) {
		if (way_is_free(bbox, way))
			bbox->snoop_passes[way] = true;
		else
			enter_snpoq(bbox);
	} else if (which == BBOX_DRSOQ) {
		sig_pulse(bbox->bank, SIG_BBOX_DRSQ_INSERTS, 1);
		show_drsq(bbox, 1);
	}
	queue->packets[(queue->first + queue->count++) % BBOX_OUT_ROOM] =
		*packet;
	kick(bbox, way);
}

static void count_refused(struct bbox *bbox, unsigned way, unsigned which)
{
	sig_pulse(bbox->bank,
		  way == BBOX_TO_SBOX ? SIG_BBOX_SBOX_VN0_UNAVAIL
				      : SIG_BBOX_RBOX_VNA_UNAVAIL,
		  1);
	if (which != BBOX_SNPOQ || !bbox->snoop_passes[way])
		return;
	bbox->snoop_passes[way] = false;
	enter_snpoq(bbox);
}

static void count_sent(struct bbox *bbox, unsigned way, unsigned which,
		       const struct packet *packet)
{
	packet_show(bbox->bank, SIG_BBOX_MSG_OUT, packet);
	if (way == BBOX_TO_SBOX)
		sig_pulse(bbox->bank, SIG_BBOX_MSG_B_TO_S, 1);
	if (which == BBOX_DRSOQ)
		show_drsq(bbox, -1);
	if (which != BBOX_SNPOQ)
		return;
	if (bbox->snoop_passes[way])
		bbox->snoop_passes[way] = false;
	else
		sig_add(bbox->bank, SIG_BBOX_SNPOQ_OCCUPANCY, -1);
}

/* Tries to send the head of a queue; returns its flits, or 0. */
static unsigned try_send(struct bbox *bbox, unsigned way, unsigned which)
{
	struct socket *socket = bbox->socket;
	struct bbox_queue *queue = &bbox->queues[way][which];
	const struct packet *packet = &queue->packets[queue->first];
	bool sent;

	if (!queue->count)
		return 0;
	if (way == BBOX_TO_SBOX)
		sent = sbox_from_bbox(&socket->sboxes[bbox->side], packet);
	else
		sent = rbox_send(socket->rbox, port_of(bbox), packet);
	if (!sent) {
		count_refused(bbox, way, which);
		bbox->is_stuck[way] = true;
		return 0;
	}
	count_sent(bbox, way, which, packet);
	queue->count--;
	queue->first = queue->count ? (queue->first + 1) % BBOX_OUT_ROOM : 0;
	return packet->flits;
}

/* Sends one packet, short ones first. */
static void pump(void *object, uint64_t way)
{
	struct bbox *bbox = object;
	unsigned flits = 0, left = 0, q = 0;

	bbox->is_pumping[way] = false;
	bbox->is_stuck[way] = false;
	while (q < BBOX_NUM_QUEUES && !flits)
		flits = try_send(bbox, (unsigned)way, q++);
	bbox->free_at[way] = sim_now(bbox->socket->sim) + flits;
	for (unsigned i = 0; i < BBOX_NUM_QUEUES; i++)
		left += bbox->queues[way][i].count;
	if (flits && left)
		kick(bbox, (unsigned)way);
	if (flits && q == BBOX_SNPOQ + 1 && bbox->dir_first)
		bbox_directory_go_on(bbox);
}
