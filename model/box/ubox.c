/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Guide 2.2. What comes to the U-Box goes into the packet buffer of its kind;
 * ubox_flow.c sends on what others must hear of, ubox_serve.c ends what
 * concerns this box alone. Port 7 of the R-Box serves it and B-Box 1: NCS, NCB
 * and NDR are the U-Box's, the rest is the home agent's.
 *
 * Left out: interrupt routing by priority and the cores' APICs (an interrupt
 * names its CPU), FERR, peer-to-peer packets. Choices: no requester has more
 * under way than a buffer has room for, but writes without answer to a door
 * bell, which wait in the R-Box; a fatal error broadcasts one Shutdown to the
 * cores and the model goes on, as a machine does whose software ignores it.
 */
#include "model/box/ubox.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/box/ubox_parts.h"
#include "model/nehalem-ex/interrupt.h"
#include "model/nehalem-ex/sleep.h"
#include "model/sim/bug.h"
#include "signals.h"

static const uint16_t valid_signals[UBOX_CONFIG] = {
	[UBOX_SPECIAL] = SIG_UBOX_BUF_VALID_SPC_CYCLES,
	[UBOX_STST] = SIG_UBOX_BUF_VALID_STST,
	[UBOX_LOCK] = SIG_UBOX_BUF_VALID_LOCK,
	[UBOX_REMOTE_INT] = SIG_UBOX_BUF_VALID_REMOTE_INT,
	[UBOX_LOCAL_INT] = SIG_UBOX_BUF_VALID_LOCAL_INT,
	[UBOX_PM_OUT] = SIG_UBOX_BUF_VALID_PMI_OUT,
	[UBOX_DOOR_BELL] = SIG_UBOX_BUF_VALID_DOOR_BELL,
	[UBOX_PM_IN] = SIG_UBOX_BUF_VALID_PMI_IN,
};

static const uint16_t error_signals[] = {
	[UBOX_RECOVERABLE] = SIG_UBOX_RECOV,
	[UBOX_CORRECTED] = SIG_UBOX_CORRECTED_ERR,
	[UBOX_UNCORRECTED] = SIG_UBOX_UNCORRECTED_ERR,
	[UBOX_FATAL] = SIG_UBOX_FATAL_ERR,
};

/* Buffers */

static void show_valid(struct ubox *ubox, enum ubox_buffer buffer)
{
	if (buffer < UBOX_CONFIG)
		sig_set(ubox->bank, valid_signals[buffer],
			ubox->buffers[buffer].count > 0);
}

struct ubox_slot *ubox_slot(struct ubox *ubox, enum ubox_buffer buffer,
			    unsigned n)
{
	struct ubox_fifo *fifo = &ubox->buffers[buffer];

	return n < fifo->count
		       ? &fifo->slots[(fifo->first + n) % UBOX_BUFFER_ROOM]
		       : NULL;
}

void ubox_put(struct ubox *ubox, enum ubox_buffer buffer,
	      const struct packet *packet, unsigned cycles)
{
	struct ubox_fifo *fifo = &ubox->buffers[buffer];

	if (fifo->count == UBOX_BUFFER_ROOM)
		BUG("a full buffer was not refused");
	fifo->slots[(fifo->first + fifo->count++) % UBOX_BUFFER_ROOM] =
		(struct ubox_slot){
			*packet, sim_now(ubox->socket->sim) + cycles };
	show_valid(ubox, buffer);
	ubox_arbitrate(ubox);
}

void ubox_drop(struct ubox *ubox, enum ubox_buffer buffer, unsigned n)
{
	struct ubox_fifo *fifo = &ubox->buffers[buffer];
	bool was_full = fifo->count == UBOX_BUFFER_ROOM;

	for (; n; n--) /* those before it move up */
		*ubox_slot(ubox, buffer, n) = *ubox_slot(ubox, buffer, n - 1);
	fifo->first = (fifo->first + 1) % UBOX_BUFFER_ROOM;
	fifo->count--;
	show_valid(ubox, buffer);
	if (!was_full)
		return;
	rbox_resume(ubox->socket->rbox, RBOX_PORT_BBOX1, PACKET_NCS);
	rbox_resume(ubox->socket->rbox, RBOX_PORT_BBOX1, PACKET_NCB);
}

/* Arrivals */

static enum ubox_buffer buffer_of_message(const struct packet *packet)
{
	switch (packet->message) {
	case MESSAGE_LOCK:
	case MESSAGE_UNLOCK: return UBOX_LOCK;
	case MESSAGE_SPECIAL: return UBOX_SPECIAL;
	case MESSAGE_POWER: return UBOX_PM_IN;
	case MESSAGE_DOOR_BELL: return UBOX_DOOR_BELL;
	default: return UBOX_CONFIG;
	}
}

static enum ubox_buffer buffer_of(const struct ubox *ubox,
				  const struct packet *packet)
{
	const struct socket *socket = ubox->socket;

	if (packet->cls == PACKET_NCS)
		return packet->opcode == NCS_NC_MSG_S
			       ? buffer_of_message(packet)
			       : UBOX_CONFIG;
	switch (packet->opcode) {
	case NCB_INT_PHYSICAL:
	case NCB_INT_LOGICAL:
		return packet->core / socket->num_cores == socket->index
			       ? UBOX_LOCAL_INT
			       : UBOX_REMOTE_INT;
	case NCB_NC_WR:
	case NCB_NC_WR_PTL:
	case NCB_WC_WR:
	case NCB_WC_WR_PTL: return UBOX_DOOR_BELL;
	case NCB_NC_MSG_B: return buffer_of_message(packet);
	default: return UBOX_CONFIG;
	}
}

static bool deliver(void *object, const struct packet *packet)
{
	struct ubox *ubox = object;
	enum ubox_buffer buffer;

	switch (packet->cls) {
	case PACKET_NCS:
	case PACKET_NCB: break;
	case PACKET_NDR:
		if (packet->serial & UBOX_SERIAL) {
			ubox_answered(ubox, packet);
			return true;
		} /* else of home agents that mirror */
		/* fall through */
	default: return bbox_from_rbox(&ubox->socket->bboxes[1], packet);
	}
	buffer = buffer_of(ubox, packet);
	if (ubox->buffers[buffer].count == UBOX_BUFFER_ROOM)
		return false;
	ubox_put(ubox, buffer, packet, ubox->cycles);
	return true;
}

static void credit(void *object, enum packet_class cls, unsigned vn,
		   unsigned flits)
{
	struct ubox *ubox = object;

	outlet_credit(&ubox->outlet);
	bbox_rbox_credit(&ubox->socket->bboxes[1], cls, vn, flits);
}

void ubox_complete(struct ubox *ubox, const struct packet *request)
{
	struct packet packet = *request;
	bool reads = request->cls == PACKET_NCS &&
		     request->opcode != NCS_NC_CFG_WR &&
		     request->opcode != NCS_NC_IO_WR &&
		     request->opcode != NCS_NC_MSG_S;

	packet.source = (uint8_t)ubox->node;
	packet.dest = request->source;
	packet.cls = reads ? PACKET_DRS : PACKET_NDR;
	packet.mc = reads ? MC_DRS : MC_NDR;
	packet.opcode = reads			    ? DRS_DATA_NC
			: request->cls == PACKET_NCS &&
					request->opcode == NCS_NC_MSG_S
				? NDR_CMP_D
				: NDR_CMP;
	packet.flits = reads ? PACKET_FLITS_LINE : PACKET_FLITS_SHORT;
	packet.message = MESSAGE_NONE;
	outlet_send(&ubox->outlet, &packet);
}

/* Errors and news */

void ubox_error(struct ubox *ubox, enum ubox_error error)
{
	struct packet shutdown = {
		.line = UNCORE_SPECIAL_SHUTDOWN,
		.source = (uint8_t)ubox->node,
		.message = MESSAGE_SPECIAL,
	};

	sig_pulse(ubox->bank, error_signals[error], 1);
	if (error == UBOX_FATAL && ubox->socket->ex) {
		interrupt_shut_down(ubox->socket->ex, ubox->socket->index);
		return;
	}
	if (error != UBOX_FATAL || ubox->is_shutting_down)
		return;
	ubox->is_shutting_down = true;
	ubox_put(ubox, UBOX_SPECIAL, &shutdown, ubox->cycles);
}

void ubox_core_woken(struct ubox *ubox)
{
	sig_pulse(ubox->bank, SIG_UBOX_WOKEN, 1);
}

void ubox_power_news(struct ubox *ubox)
{
	struct packet news = {
		.source = (uint8_t)ubox->node,
		.message = MESSAGE_POWER,
	};

	if (ubox->socket->ex) {
		sleep_tell_news(ubox->socket->ex, ubox->socket->index);
		return;
	}
	if (ubox->socket->num_sockets < 2)
		return;
	ubox->has_more_power_news = ubox->has_power_news;
	if (ubox->has_power_news)
		return;
	ubox->has_power_news = true;
	ubox_put(ubox, UBOX_PM_OUT, &news, ubox->cycles);
}

/* Construction */

struct ubox *ubox_new(struct socket *socket, struct sigbank *bank)
{
	struct ubox *ubox = calloc(1, sizeof(*ubox));
	struct rbox_client client = { ubox, deliver, credit };

	if (!ubox)
		return NULL;
	ubox->socket = socket;
	ubox->bank = bank;
	ubox->node = NODE_UBOX(socket->index);
	ubox->cycles = socket_param(socket, PARAM_UBOX_CYCLES);
	ubox->config_cycles = socket_param(socket, PARAM_UBOX_CONFIG_CYCLES);
	ubox->ring_cycles = socket_param(socket, PARAM_UBOX_RING_CYCLES);
	ubox->bbox_cycles = socket_param(socket, PARAM_UBOX_BBOX_CYCLES);
	ubox->sending = -1;
	ubox->look_at = SIM_NEVER;
	outlet_init(&ubox->outlet, socket->sim, socket->rbox, RBOX_PORT_BBOX1);
	ubox->outlet.sent = ubox_sent;
	ubox->outlet.object = ubox;
	rbox_attach(socket->rbox, RBOX_PORT_BBOX1, &client);
	for (unsigned i = 0; i < UBOX_CONFIG; i++)
		sig_drives(bank, valid_signals[i], 1);
	for (unsigned i = UBOX_RECOVERABLE; i <= UBOX_FATAL; i++)
		sig_drives(bank, error_signals[i], 1);
	sig_drives(bank, SIG_UBOX_U2R_REQUESTS, 1);
	sig_drives(bank, SIG_UBOX_U2B_REQUEST_CYCLES, 1);
	sig_drives(bank, SIG_UBOX_WOKEN, 1);
	sig_drives(bank, SIG_UBOX_IPIS_SENT, 1);
	ubox_check_start(ubox);
	return ubox;
}

void ubox_free(struct ubox *ubox)
{
	free(ubox);
}

bool ubox_is_idle(const struct ubox *ubox)
{
	for (unsigned i = 0; i < UBOX_NUM_BUFFERS; i++)
		if (ubox->buffers[i].count)
			return false;
	return !ubox->num_tasks && !ubox->outlet.count &&
	       ubox->lock == UBOX_UNLOCKED;
}
