/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The U-Box: all that is for cores as such. It takes a message a cycle, has it
 * for ubox.cycles, and sends a message a cycle on to cores, which answer.
 *
 *	core, device -BL-> U-Box -AD-> core			interrupts
 *	     <-AK------------+ <-AK-----+
 *	core -BL-> U-Box (registers), R2PCIe (devices) -BL or AK-> core
 *
 * Chosen: an IPI is counted where it is received, in the socket of its CPU. The
 * register access unit serves one access at a time; of four neighbouring lines
 * the first is the U-Box's own, the others are of units on the message channel,
 * which moves 4 bytes of configuration and ports, 8 of memory. A core that goes
 * to sleep or wakes tells of its priority. A device's interrupt names its CPU:
 * no APIC routes it. What the U-Box tells of errors, heat and stops it tells
 * every core of the socket.
 */
#include "model/sandy-bridge-ep/ubox.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/iio.h"
#include "model/sandy-bridge-ep/ring.h"
#include "signals.h"

static void drive_signals(struct sigbank *bank)
{
	sig_drives(bank, SIG_UBOX_EP_CLOCKTICKS, 1);
	sig_drives(bank, SIG_UBOX_EP_EVENT_MSG_VLW_RCVD, UBOX_PRIORITY + 1);
	sig_drives(bank, SIG_UBOX_EP_U2C_EVENTS_MONITOR_T0, 1);
	sig_drives(bank, SIG_UBOX_EP_U2C_EVENTS_CMC, 1);
	sig_drives(bank, SIG_UBOX_EP_U2C_EVENTS_UMC, 1);
	sig_drives(bank, SIG_UBOX_EP_U2C_EVENTS_OTHER, 1);
	sig_drives(bank, SIG_UBOX_EP_LOCK_CYCLES, 1);
	sig_drives(bank, SIG_UBOX_EP_PHOLD_CYCLES_ASSERT_TO_ACK, 2);
	sig_drives(bank, SIG_UBOX_EP_RACU_REQUESTS_COUNT, 1);
	sig_drives(bank, SIG_UBOX_EP_MSG_CHNL_SIZE_COUNT_4B, 2);
	sig_add(bank, SIG_UBOX_EP_CLOCKTICKS, 1);
}

struct ubox *ubox_new(struct ep *ep, unsigned socket,
		      const struct uc_family *family)
{
	struct socket *own = ep->sockets[socket].socket;
	struct ubox *ubox = calloc(1, sizeof(*ubox));

	if (!ubox)
		return NULL;
	ubox->ep = ep;
	ubox->socket = own;
	ubox->index = socket;
	ubox->bank = socket_bank(own, family, "ubox", 0);
	ubox->cycles = socket_param(own, PARAM_UBOX_CYCLES);
	ubox->register_cycles = socket_param(own, PARAM_UBOX_CONFIG_CYCLES);
	ubox->channel_cycles = socket_param(own, PARAM_UBOX_CHANNEL_CYCLES);
	ubox->save_cycles = socket_param(own, PARAM_UBOX_SAVE_CYCLES);
	drive_signals(ubox->bank);
	machine_check_start(own);
	if (socket || (ubox->lock = ubox_lock_new(ep)))
		return ubox;
	ubox_free(ubox);
	return NULL;
}

void ubox_free(struct ubox *ubox)
{
	if (ubox)
		free(ubox->lock);
	free(ubox);
}

static uint64_t take(struct ubox *ubox, uint64_t at)
{
	return calendar_take(&ubox->in, engine_now(&ubox->ep->engine), at, 1);
}

/* Messages to cores */

uint64_t ubox_tell_cores(struct ubox *ubox, uint32_t cores,
			 enum packet_message message, unsigned signal,
			 uint64_t at)
{
	struct ep *ep = ubox->ep;
	uint64_t last = at;

	for (; cores; cores &= cores - 1) {
		unsigned core = (unsigned)__builtin_ctz(cores);
		unsigned stop = ep_core_stop(ep, core);
		struct ring_ride ride;

		at = calendar_take(&ubox->out, engine_now(&ep->engine), at, 1);
		if (signal)
			sig_later(ubox->bank, signal, at, 1);
		ride = ring_send(ep, ubox->index, RING_AD, ep_ubox_stop(ep),
				 stop, at, 1);
		message_tell(&ep->engine, &ubox->socket->cores[core], message,
			     ride.arrived);
		ride = ring_send(ep, ubox->index, RING_AK, stop,
				 ep_ubox_stop(ep), ride.arrived + 1, 1);
		last = sim_later(last, ride.arrived);
	}
	engine_busy_until(&ep->engine, last);
	return last;
}

void ubox_tell(struct ep *ep, unsigned socket, enum ubox_news news, uint64_t at)
{
	static const unsigned signals[] = {
		[UBOX_CORRECTED] = SIG_UBOX_EP_U2C_EVENTS_CMC,
		[UBOX_UNCORRECTED] = SIG_UBOX_EP_U2C_EVENTS_UMC,
		[UBOX_OTHER] = SIG_UBOX_EP_U2C_EVENTS_OTHER,
	};
	struct ubox *ubox = ep->sockets[socket].ubox;

	if (ubox) /* who is tried by himself has none */
		ubox_tell_cores(ubox, ubox_all_cores(ubox), MESSAGE_SPECIAL,
				signals[news], at);
}

/* Messages for cores */

enum ubox_message ubox_message_of(unsigned target)
{
	if (target >= UNCORE_IO_WIRE(0))
		return UBOX_WIRE;
	return target >= UNCORE_IO_SOCKET(0) ? UBOX_DOORBELL : UBOX_MSI;
}

/* Without its kind: a CPU, or of a door bell the socket. */
static unsigned number_of(unsigned target)
{
	return target % UNCORE_IO_SOCKET(0);
}

unsigned ubox_socket_of(const struct ep *ep, unsigned target)
{
	unsigned number = number_of(target);

	if (ubox_message_of(target) != UBOX_DOORBELL)
		number /= ep->num_cores;
	return number % ep->num_sockets;
}

uint64_t ubox_get(struct ep *ep, unsigned socket, enum ubox_message message,
		  unsigned target, uint64_t at)
{
	struct ubox *ubox = ep->sockets[socket].ubox;
	unsigned cpu = number_of(target);

	at = take(ubox, at);
	sig_later(ubox->bank, SIG_UBOX_EP_EVENT_MSG_VLW_RCVD + message, at, 1);
	at += ubox->cycles;
	if (message >= UBOX_DOORBELL || cpu / ep->num_cores != socket)
		return at;
	return ubox_tell_cores(ubox, UINT32_C(1) << cpu % ep->num_cores,
			       MESSAGE_INTERRUPT, 0, at);
}

/* Requests of cores */

static uint64_t access_register(struct ubox *ubox, const struct packet *packet,
				uint64_t at)
{
	bool is_own = packet->line % 4 == 0;
	bool is_long =
		packet->opcode == NCS_NC_RD || packet->opcode == NCS_NC_RD_PTL;
	unsigned cycles =
		ubox->register_cycles + (is_own ? 0 : ubox->channel_cycles);

	at = spans_take(&ubox->registers, engine_now(&ubox->ep->engine),
			take(ubox, at) + ubox->cycles, cycles);
	sig_later(ubox->bank, SIG_UBOX_EP_RACU_REQUESTS_COUNT, at, 1);
	if (!is_own)
		sig_later(ubox->bank,
			  is_long ? SIG_UBOX_EP_MSG_CHNL_SIZE_COUNT_8B
				  : SIG_UBOX_EP_MSG_CHNL_SIZE_COUNT_4B,
			  at, 1);
	return at + cycles;
}

void ubox_end(struct ep *ep, struct core *core, unsigned entry, uint64_t at)
{
	at += core->fill_cycles;
	if (core->misses[entry].kind < UNCORE_NUM_ACCESS_KINDS)
		core_answered(core, entry, ANSWER_IO);
	sim_at(ep->engine.sim, at, core_done, core, entry);
	engine_busy_until(&ep->engine, at);
}

/* Where it goes: what is meant for nobody goes to the U-Box of the socket. */
static struct trip_stop end_of(const struct ep *ep, const struct core *core,
			       const struct core_miss *miss)
{
	struct trip_stop own = ubox_stop(ep, core->socket->index);
	unsigned target = miss->target;

	if (miss->kind == UNCORE_ACCESS_SPECIAL)
		return own;
	if (miss->kind == UNCORE_ACCESS_INTERRUPT)
		return target < ep->num_cores * ep->num_sockets
			       ? ubox_stop(ep, target / ep->num_cores)
			       : own;
	target %= 1U << UNCORE_IO_PORT_SHIFT;
	if (target < ep->num_sockets)
		return (struct trip_stop){ target, ep_io_stop(ep) };
	if (target >= UNCORE_IO_SOCKET(0) &&
	    target < UNCORE_IO_SOCKET(ep->num_sockets))
		own.socket = target - UNCORE_IO_SOCKET(0);
	return own;
}

/* The U-Box has it: when the answer is ready. */
static uint64_t serve(struct ubox *ubox, const struct core_miss *miss,
		      const struct packet *packet, uint64_t at)
{
	if (miss->kind == UNCORE_ACCESS_INTERRUPT)
		return ubox_get(ubox->ep, ubox->index, UBOX_IPI, miss->target,
				at);
	if (miss->kind == UNCORE_ACCESS_SPECIAL)
		return ubox_tell_cores(ubox, ubox_all_cores(ubox),
				       MESSAGE_SPECIAL,
				       SIG_UBOX_EP_U2C_EVENTS_OTHER,
				       take(ubox, at) + ubox->cycles);
	if (packet->cls == PACKET_NCB)
		return ubox_get(ubox->ep, ubox->index, UBOX_DOORBELL, 0, at);
	return access_register(ubox, packet, at);
}

static void ask(struct ep *ep, struct core *core, unsigned entry)
{
	const struct core_miss *miss = &core->misses[entry];
	struct trip_stop from = { core->socket->index,
				  ep_core_stop(ep, core->index) };
	struct trip_stop to = end_of(ep, core, miss);
	struct ep_socket *there = &ep->sockets[to.socket];
	struct packet packet = message_of(miss);
	bool is_device = to.stop == ep_io_stop(ep);
	uint64_t at = engine_now(&ep->engine);

	packet.requester = (uint8_t)NODE_SBOX(from.socket, 0);
	packet.core = (uint8_t)core->index;
	if (is_device)
		at = iio_room_from(there->iio, packet.cls, at);
	at = trip_go(ep, from, to, &packet, at, -1).arrived;
	at = is_device ? iio_serve(there->iio, miss->kind, miss->target, at)
		       : serve(there->ubox, miss, &packet, at);
	ubox_end(ep, core, entry, trip_answer(ep, to, from, &packet, at));
}

void ubox_begin(struct ep *ep, struct core *core, unsigned entry)
{
	const struct ubox *ubox = ep->sockets[core->socket->index].ubox;

	switch (core->misses[entry].kind) {
	case CORE_ACCESS_SRAM_READ:
	case CORE_ACCESS_SRAM_WRITE:
		ubox_end(ep, core, entry,
			 engine_now(&ep->engine) + ubox->save_cycles);
		break;
	case UNCORE_ACCESS_LOCK: ubox_lock_ask(ep, core, entry); break;
	case CORE_ACCESS_UNLOCK: ubox_lock_give_back(ep, core, entry); break;
	default: ask(ep, core, entry);
	}
}

/* Sleep */

static void tell_priority(struct ep *ep, const struct core *core)
{
	unsigned socket = core->socket->index;
	struct ring_ride ride =
		ring_send(ep, socket, RING_BL, ep_core_stop(ep, core->index),
			  ep_ubox_stop(ep), engine_now(&ep->engine), 1);

	engine_busy_until(&ep->engine,
			  ubox_get(ep, socket, UBOX_PRIORITY, 0, ride.arrived));
}

static void disarm(struct ubox *ubox, unsigned core)
{
	ubox->ep->num_monitors -= ubox->armed >> core & 1;
	ubox->armed &= ~(UINT32_C(1) << core);
}

void ubox_dozes(struct ep *ep, struct core *core)
{
	struct ubox *ubox = ep->sockets[core->socket->index].ubox;

	ubox->armed |= UINT32_C(1) << core->index;
	ubox->monitored[core->index] = core->access.line;
	ep->num_monitors++;
}

void ubox_sleeps(struct ep *ep, struct core *core)
{
	tell_priority(ep, core);
}

void ubox_wakes(struct ep *ep, struct core *core)
{
	disarm(ep->sockets[core->socket->index].ubox, core->index);
	tell_priority(ep, core);
}

void ubox_find_monitor(struct ep *ep, unsigned socket, unsigned stop,
		       uint64_t line, uint64_t at)
{
	for (unsigned i = 0; i < ep->num_sockets; i++) {
		struct ubox *ubox = ep->sockets[i].ubox;
		struct packet packet = {
			.line = line,
			.cls = PACKET_NCB,
			.mc = MC_NCB,
			.opcode = NCB_NC_MSG_B,
		};
		struct trip trip;
		uint32_t cores = 0;

		for (unsigned core = 0; core < ep->num_cores; core++)
			if (ubox->armed >> core & 1 &&
			    ubox->monitored[core] == line)
				cores |= UINT32_C(1) << core;
		if (!cores)
			continue;
		for (uint32_t left = cores; left; left &= left - 1)
			disarm(ubox, (unsigned)__builtin_ctz(left));
		trip = trip_go(ep, (struct trip_stop){ socket, stop },
			       ubox_stop(ep, i), &packet, at, -1);
		ubox_tell_cores(ubox, cores, MESSAGE_INTERRUPT,
				SIG_UBOX_EP_U2C_EVENTS_MONITOR_T0,
				take(ubox, trip.arrived) + ubox->cycles);
	}
}
