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
#include <stdlib.h>

#include "model/sim/bug.h"

#include "model/box/bbox.h"
#include "model/box/socket.h"

uint64_t bbox_mirror_local(const struct bbox *bbox, uint64_t local)
{
	uint64_t lines = bbox->socket->memory_lines / SOCKET_SIDES;

	return (local + lines / 2) % lines;
}

static struct packet packet_to(const struct bbox *bbox, uint64_t line,
			       uint32_t serial)
{
	return (struct packet){
		.line = line,
		.serial = serial,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)bbox->node,
		.dest = (uint8_t)NODE_BBOX(bbox->socket->index, !bbox->side),
		.requester = (uint8_t)bbox->node,
		.home = (uint8_t)NODE_BBOX(bbox->socket->index, !bbox->side),
		.cbox = (uint8_t)socket_slice(bbox->socket, line),
		.network = BBOX_MIRROR_NETWORK,
	};
}

/* The master */

static void send_op(struct bbox *bbox, const struct bbox_mirror_op *op)
{
	struct packet packet =
		packet_to(bbox, op->line, (uint32_t)(op - bbox->ops));

	bbox->num_ops_sent++;
	packet.cls = PACKET_HOM;
	packet.mc = MC_HOM0;
	packet.opcode = op->is_read ? HOM0_RD_CODE : HOM0_NON_SNP_WR;
	bbox_send(bbox, &packet);
	if (op->is_read)
		return;
	packet.cls = PACKET_DRS;
	packet.mc = MC_DRS;
	packet.opcode = DRS_NON_SNP_WR_DATA;
	packet.flits = PACKET_FLITS_LINE;
	packet.is_poisoned = op->is_poisoned;
	bbox_send(bbox, &packet);
}

static void begin(struct bbox *bbox, struct bbox_mirror_op op)
{
	struct bbox_mirror_op *place;

	if (bbox->num_ops == BBOX_MIRROR_OPS)
		BUG("more than two operations per tracker entry");
	while (bbox->ops[bbox->next_op].is_used)
		bbox->next_op = (bbox->next_op + 1) % BBOX_MIRROR_OPS;
	place = &bbox->ops[bbox->next_op];
	*place = op;
	place->is_used = true;
	bbox->num_ops++;
	if (bbox->num_ops_sent < BBOX_MIRROR_ROOM) {
		send_op(bbox, place);
		return;
	}
	if (bbox->op_last)
		bbox->op_last->next = place;
	else
		bbox->op_first = place;
	bbox->op_last = place;
}

void bbox_mirror_write(struct bbox *bbox, const struct bbox_imt *imt)
{
	begin(bbox, (struct bbox_mirror_op){
			    .entry = imt->entry,
			    .line = imt->line,
			    .is_poisoned = imt->is_poisoned,
		    });
}

void bbox_mirror_read(struct bbox *bbox, struct bbox_entry *entry)
{
	begin(bbox, (struct bbox_mirror_op){
			    .entry = entry,
			    .line = entry->line,
			    .is_read = true,
		    });
}

/* Who waits for room in the queues to the slave. */
static void send_next(struct bbox *bbox)
{
	struct bbox_mirror_op *op = bbox->op_first;

	if (!op)
		return;
	bbox->op_first = op->next;
	if (!bbox->op_first)
		bbox->op_last = NULL;
	send_op(bbox, op);
}

/* The slave has answered. */
static void end(struct bbox *bbox, const struct packet *packet)
{
	struct bbox_mirror_op op = bbox->ops[packet->serial];

	bbox->ops[packet->serial].is_used = false;
	bbox->num_ops--;
	bbox->num_ops_sent--;
	send_next(bbox);
	if (op.is_read) {
		op.entry->is_poisoned = packet->is_poisoned;
		bbox_memory_done(bbox, op.entry);
	} else if (op.entry) {
		op.entry->mirror_done = true;
		if (op.entry->memory_done)
			bbox_memory_done(bbox, op.entry);
	}
}

/* The slave */

void bbox_mirror_has_written(struct bbox *bbox, const struct bbox_imt *imt)
{
	struct packet packet = packet_to(bbox, imt->line, imt->serial);

	packet.cls = PACKET_NDR;
	packet.mc = MC_NDR;
	packet.opcode = NDR_CMP;
	bbox_send(bbox, &packet);
}

void bbox_mirror_has_read(struct bbox *bbox, const struct bbox_imt *imt,
			  bool is_bad_line)
{
	struct packet packet = packet_to(bbox, imt->line, imt->serial);

	packet.cls = PACKET_DRS;
	packet.mc = MC_DRS;
	packet.opcode = DRS_DATA_C_CMP;
	packet.flits = PACKET_FLITS_LINE;
	packet.state = RDS_I;
	packet.is_poisoned = is_bad_line;
	bbox_send(bbox, &packet);
}

/* A write is there when both its parts are. */
static void take_half(struct bbox *bbox, const struct packet *packet)
{
	struct bbox_half *half = &bbox->halves[packet->serial];
	struct packet data = *packet;

	if (!half->is_here) {
		half->is_here = true;
		half->is_poisoned = packet->is_poisoned;
		bbox->num_halves++;
		return;
	}
	half->is_here = false;
	bbox->num_halves--;
	data.cls = PACKET_DRS;
	data.is_poisoned |= half->is_poisoned;
	bbox_serve_packet(bbox, &data);
}

void bbox_mirror_take(struct bbox *bbox, const struct packet *packet)
{
	if (packet->cls == PACKET_NDR || packet->opcode == DRS_DATA_C_CMP)
		end(bbox, packet);
	else if (packet->opcode == HOM0_RD_CODE)
		bbox_serve_packet(bbox, packet);
	else
		take_half(bbox, packet);
}
