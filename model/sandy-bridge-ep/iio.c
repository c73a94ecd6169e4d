/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Devices behind R2PCIe, which are no more than their traffic. Each access of
 * one begins by an event. A read or write of memory goes to the CBo of its line
 * (cbo_device()); read data pass the ingress like all that goes to the IIO. An
 * interrupt is a message to the U-Box of the CPU's socket. A device of the old
 * kind asks for the bus (PHOLD), makes its access while it has it, and gives it
 * back; nothing else of its socket's devices begins meanwhile.
 *
 * Chosen: of one line a socket's IIO has one access under way. Accesses that
 * need no snoops go the way of those that do.
 */
#include "model/sandy-bridge-ep/iio.h"

#include <stdlib.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/cbo.h"
#include "model/sandy-bridge-ep/iio_parts.h"
#include "model/sandy-bridge-ep/pcu.h"
#include "model/sandy-bridge-ep/trip.h"
#include "model/sandy-bridge-ep/ubox.h"

/* As in core.c: how often devices without traffic are asked again. */
enum { POLL_CYCLES = 2000, MAX_POLL_CYCLES = 64000 };

#define NO_LINE UINT64_MAX

struct iio *iio_new(struct ep *ep, unsigned socket,
		    const struct uc_family *family)
{
	struct socket *own = ep->sockets[socket].socket;
	struct iio *iio = calloc(1, sizeof(*iio));

	if (!iio)
		return NULL;
	iio->ep = ep;
	iio->socket = own;
	iio->index = socket;
	iio->bank = socket_bank(own, family, "r2pcie", 0);
	iio->latency = socket_param(own, PARAM_IO_LATENCY);
	iio->line_cycles = socket_param(own, PARAM_R2PCIE_LINE_CYCLES);
	iio->credit_cycles = socket_param(own, PARAM_R2PCIE_CREDIT_CYCLES);
	iio->state = IIO_ENDED;
	places_init(&iio->requests, socket_param(own, PARAM_R2PCIE_REQUESTS));
	places_init(&iio->interrupts,
		    socket_param(own, PARAM_R2PCIE_INTERRUPTS));
	for (unsigned i = 0; i < PLACES_MAX; i++)
		iio->lines[i] = NO_LINE;
	iio_stop_init(iio);
	return iio;
}

void iio_free(struct iio *iio)
{
	if (iio)
		iio_stop_fini(iio);
	free(iio);
}

/* Memory */

/* A read, or one write, that is ready at R2PCIe: when it is over. */
static uint64_t move_line(struct iio *iio, unsigned kind, uint64_t line,
			  uint64_t at)
{
	bool is_read =
		kind == UNCORE_ACCESS_READ || kind == UNCORE_ACCESS_UC_READ;
	enum cbo_device device = is_read ? CBO_DEVICE_READ
				 : kind == UNCORE_ACCESS_UC_WRITE
					 ? CBO_DEVICE_PARTIAL
					 : CBO_DEVICE_WRITE;

	iio->num_reads += is_read;
	iio->num_writes += !is_read;
	if (!is_read)
		ubox_is_written(iio->ep, iio->index, ep_io_stop(iio->ep), line,
				at);
	at = cbo_device(iio->ep, iio->index, device, line, at);
	if (is_read)
		at = iio_hand_over(iio, IIO_DRS, at);
	iio->busy_until = sim_later(iio->busy_until, at);
	engine_busy_until(&iio->ep->engine, at);
	pcu_io_until(iio->ep->sockets[iio->index].pcu, at);
	return at;
}

static void look(struct iio *iio);

/* sim_fn: the second write of a line, that is in a place of the requests. */
static void write_again(void *object, uint64_t place)
{
	struct iio *iio = object;
	uint64_t at = move_line(iio, UNCORE_ACCESS_OWN, iio->lines[place],
				engine_now(&iio->ep->engine));

	places_hold(&iio->requests, (unsigned)place, at);
	iio->num_twice--;
	look(iio);
}

static void begin_dma(struct iio *iio)
{
	const struct uncore_access *access = &iio->access;
	uint64_t now = engine_now(&iio->ep->engine), at = now;
	unsigned place = places_take(&iio->requests, now, &at);

	iio->number++;
	iio->lines[place] = access->line;
	at = move_line(iio, access->kind, access->line, now);
	if (access->kind != UNCORE_ACCESS_NT_WRITE) {
		places_hold(&iio->requests, place, at);
		return;
	}
	iio->num_twice++;
	sim_at(iio->ep->engine.sim, at, write_again, iio, place);
}

/* All accesses to a line that were begun are over (SIM_NEVER: when that is, is
 * not known yet), and there is a place. */
static uint64_t dma_from(struct iio *iio, uint64_t line)
{
	uint64_t now = engine_now(&iio->ep->engine);
	uint64_t from = places_from(&iio->requests, now, now);

	for (unsigned i = 0; i < iio->requests.num; i++)
		if (iio->lines[i] == line)
			from = sim_later(from, iio->requests.until[i]);
	return from;
}

/* Interrupts */

/* Of a device for a CPU, as a message or by a legacy wire; or a door bell. */
static void interrupt(struct iio *iio, unsigned target)
{
	struct ep *ep = iio->ep;
	enum ubox_message message = ubox_message_of(target);
	unsigned socket = ubox_socket_of(ep, target);
	struct packet packet = {
		.line = target,
		.cls = PACKET_NCB,
		.mc = MC_NCB,
		.opcode = message == UBOX_DOORBELL ? NCB_NC_MSG_B
						   : NCB_INT_PHYSICAL,
	};
	struct trip_stop here = { iio->index, ep_io_stop(iio->ep) };
	struct trip_stop there = { socket, ep_ubox_stop(iio->ep) };
	uint64_t now = engine_now(&ep->engine), at = now;
	unsigned place = places_take(&iio->interrupts, now, &at);

	iio->number++;
	at = trip_go(ep, here, there, &packet, at, -1).arrived;
	at = ubox_get(ep, socket, message, target, at);
	at = trip_answer(ep, there, here, &packet, at);
	engine_busy_until(&ep->engine, at);
	places_hold(&iio->interrupts, place, at);
	iio->busy_until = sim_later(iio->busy_until, at);
}

/* Traffic */

static void run(struct iio *iio);

/* A run ends when neither a core nor a device has traffic. */
static void set_state(struct iio *iio, enum iio_state state)
{
	struct socket *socket = iio->socket;

	socket->num_live -= iio->state != IIO_ENDED;
	socket->num_live += state != IIO_ENDED;
	socket->num_running -= iio->state == IIO_RUNS;
	socket->num_running += state == IIO_RUNS;
	iio->state = state;
	if (!socket->num_running && socket->stops_dry)
		sim_stop_at(socket->sim, sim_now(socket->sim) + 1);
}

static void run_again(void *object, uint64_t time)
{
	struct iio *iio = object;

	if (iio->run_at == time)
		run(iio);
}

static void run_at(struct iio *iio, uint64_t time)
{
	iio->run_at = time;
	sim_at(iio->ep->engine.sim, time, run_again, iio, time);
}

static bool fetch(struct iio *iio)
{
	struct uncore_traffic *traffic = iio->socket->traffic;
	int got;

	if (iio->has_access)
		return true;
	if (iio->state == IIO_ENDED)
		return false;
	got = traffic->next_io(traffic->context, iio->index, &iio->access);
	if (got <= 0) {
		set_state(iio, got ? IIO_WAITS : IIO_ENDED);
		return false;
	}
	set_state(iio, IIO_RUNS);
	iio->poll_cycles = POLL_CYCLES;
	iio->has_access = true;
	iio->ready += iio->access.gap;
	return true;
}

/* The cycle in which the next access may begin. */
static uint64_t begin_from(struct iio *iio)
{
	uint64_t now = engine_now(&iio->ep->engine);

	if (iio->ready > now)
		return iio->ready;
	if (iio->access.kind == UNCORE_ACCESS_INTERRUPT)
		return places_from(&iio->interrupts, now, now);
	if (iio->access.kind == UNCORE_ACCESS_LOCK)
		return iio->num_twice ? SIM_NEVER
				      : sim_later(now, iio->busy_until);
	return dma_from(iio, iio->access.line);
}

/* The access is over with, but for a PHOLD, which is so when the bus has been
 * given back. */
static void begin(struct iio *iio)
{
	switch (iio->access.kind) {
	case UNCORE_ACCESS_INTERRUPT: interrupt(iio, iio->access.target); break;
	case UNCORE_ACCESS_LOCK:
		iio->number++;
		iio->holds = true;
		ubox_hold(iio->ep, iio->index);
		return;
	default: begin_dma(iio);
	}
	iio->has_access = false;
}

static void run(struct iio *iio)
{
	uint64_t now = engine_now(&iio->ep->engine);

	while (!iio->is_stopped && !iio->holds && fetch(iio)) {
		uint64_t from = begin_from(iio);

		if (from > now && from != SIM_NEVER)
			run_at(iio, from);
		if (from > now)
			return;
		begin(iio);
		iio->ready = now;
	}
	if (iio->state != IIO_WAITS)
		return;
	run_at(iio, now + iio->poll_cycles);
	if (iio->poll_cycles < MAX_POLL_CYCLES)
		iio->poll_cycles *= 2;
}

/* Something has ended, or may go on. */
static void look(struct iio *iio)
{
	if (iio->then && !iio->num_twice) {
		sim_at(iio->ep->engine.sim,
		       sim_later(engine_now(&iio->ep->engine), iio->busy_until),
		       iio->then, iio->then_object, iio->index);
		iio->then = NULL;
	}
	if (iio->state != IIO_ENDED)
		run_at(iio, engine_now(&iio->ep->engine));
}

void iio_stop(struct iio *iio, sim_fn *then, void *object)
{
	iio->is_stopped = true;
	iio->then = then;
	iio->then_object = object;
	look(iio);
}

void iio_go_on(struct iio *iio)
{
	iio->is_stopped = false;
	look(iio);
}

/* sim_fn */
static void give_back(void *object, uint64_t unused)
{
	struct iio *iio = object;

	(void)unused;
	iio->holds = false;
	iio->has_access = false;
	iio->ready = engine_now(&iio->ep->engine);
	look(iio);
}

uint64_t iio_hold(struct iio *iio)
{
	uint64_t now = engine_now(&iio->ep->engine), at;

	at = move_line(iio, UNCORE_ACCESS_UC_WRITE, iio->access.line, now);
	sim_at(iio->ep->engine.sim, at, give_back, iio, 0);
	return at;
}

void iio_start(struct iio *iio)
{
	bool has_traffic = iio->socket->traffic->next_io;

	set_state(iio, has_traffic ? IIO_RUNS : IIO_ENDED);
	iio->has_access = iio->holds;
	iio->poll_cycles = POLL_CYCLES;
	iio->ready = engine_now(&iio->ep->engine);
	if (has_traffic)
		run_at(iio, iio->ready);
	else
		iio->run_at = SIM_NEVER;
}

/* For those who look */

bool iio_device(const struct iio *iio, uint64_t *latest, uint64_t *line)
{
	uint64_t now = engine_now(&iio->ep->engine);

	for (unsigned i = 0; i < iio->requests.num; i++)
		if (!(iio->requests.free >> i & 1) &&
		    iio->requests.until[i] > now) {
			*latest = iio->number;
			*line = iio->lines[i];
			return true;
		}
	return false;
}

bool iio_is_settled(const struct iio *iio, uint64_t now)
{
	return !iio->num_twice && !iio->holds && now >= iio->busy_until;
}

/* Places and credits are given back within some cycles; what is held for much
 * longer never is. */
#define LONG_CYCLES (UINT64_C(1) << 32)

const char *iio_check_rest(const struct iio *iio, uint64_t now)
{
	uint64_t late = now + LONG_CYCLES;

	for (unsigned i = 0; i < IIO_NUM_CLASSES; i++) {
		if (places_taken(&iio->ingress[i].credits, late))
			return "a credit of R2PCIe for the IIO is lost";
		if (places_taken(&iio->ingress[i].room, late))
			return "R2PCIe's ingress has a message for ever";
	}
	for (unsigned i = 0; i < IIO_RINGS; i++)
		if (places_taken(&iio->egress[i].room, late))
			return "R2PCIe's egress has a message for ever";
	if (places_taken(&iio->requests, late) ||
	    places_taken(&iio->interrupts, late))
		return "a device has an access for ever";
	return NULL;
}

bool iio_has_traffic(const struct iio *iio)
{
	return iio->state != IIO_ENDED;
}
