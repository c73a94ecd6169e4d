/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What leaves a B-Box: completions (NDR) and data (DRS), over the direct link
 * to the S-Box of the same side or through the R-Box. Either may refuse; then
 * the queue stands until it has room or a credit comes back.
 */
#include <stdlib.h>

#include "model/box/bbox.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

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
		if (bbox->drs[way].count || bbox->ndr[way].count)
			return false;
	return true;
}

void bbox_send(struct bbox *bbox, const struct packet *packet)
{
	bool is_direct =
		packet->dest == NODE_SBOX(bbox->socket->index, bbox->side);
	unsigned way = is_direct ? BBOX_TO_SBOX : BBOX_TO_RBOX;
	struct bbox_queue *queue =
		packet->cls == PACKET_DRS ? bbox->drs : bbox->ndr;

	queue += way;
	if (queue->count == BBOX_OUT_ROOM)
		abort(); /* one per tracker entry and asked agent at most */
	queue->packets[(queue->first + queue->count++) % BBOX_OUT_ROOM] =
		*packet;
	if (packet->cls == PACKET_DRS) {
		sig_pulse(bbox->bank, SIG_BBOX_DRSQ_INSERTS, 1);
		sig_add(bbox->bank, SIG_BBOX_DRSQ_OCCUPANCY, 1);
	}
	kick(bbox, way);
}

/* Tries to send the head of a queue; returns its flits, or 0. */
static unsigned try_send(struct bbox *bbox, struct bbox_queue *queue,
			 unsigned way)
{
	struct socket *socket = bbox->socket;
	const struct packet *packet = &queue->packets[queue->first];
	bool sent;

	if (!queue->count)
		return 0;
	if (way == BBOX_TO_SBOX)
		sent = sbox_from_bbox(&socket->sboxes[bbox->side], packet);
	else
		sent = rbox_send(socket->rbox, port_of(bbox), packet);
	if (!sent) {
		sig_pulse(bbox->bank,
			  way == BBOX_TO_SBOX ? SIG_BBOX_SBOX_VN0_UNAVAIL
					      : SIG_BBOX_RBOX_VNA_UNAVAIL,
			  1);
		bbox->is_stuck[way] = true;
		return 0;
	}
	packet_show(bbox->bank, SIG_BBOX_MSG_OUT, packet);
	if (way == BBOX_TO_SBOX)
		sig_pulse(bbox->bank, SIG_BBOX_MSG_B_TO_S, 1);
	if (packet->cls == PACKET_DRS)
		sig_add(bbox->bank, SIG_BBOX_DRSQ_OCCUPANCY, -1);
	queue->count--;
	queue->first = queue->count ? (queue->first + 1) % BBOX_OUT_ROOM : 0;
	return packet->flits;
}

static void pump(void *object, uint64_t way)
{
	struct bbox *bbox = object;
	unsigned flits;

	bbox->is_pumping[way] = false;
	bbox->is_stuck[way] = false;
	flits = try_send(bbox, &bbox->ndr[way], (unsigned)way);
	if (!flits)
		flits = try_send(bbox, &bbox->drs[way], (unsigned)way);
	bbox->free_at[way] = sim_now(bbox->socket->sim) + flits;
	if (flits && (bbox->ndr[way].count || bbox->drs[way].count))
		kick(bbox, (unsigned)way);
}
