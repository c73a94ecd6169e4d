/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Direct memory access. A read is RdCur: the present data, wherever they are,
 * without a copy being taken. A write is InvItoE (everybody else gives the line
 * up), then WbMtoI with the data. Of a line that a device writes twice in a row
 * memory gets the first version with WbMtoE, and the line stays the hub's.
 *
 *	hub -> R-Box -> B-Box of the line -> R-Box -> hub
 *	  +--> S-Box of the line's side in each socket -> ... -> B-Box, hub
 *
 * As requester the hub sends the snoops itself, to its own socket, too, unless
 * homes have a directory. Accesses that need no coherence (NonSnpRd, and
 * NonSnpWr of a line or of some bytes) go to memory alone. One credit of the
 * home's tracker covers an access from its first request to its last answer.
 *
 * The transaction is cut where a write is granted, since that is so much later
 * that what begins meanwhile must not find the write before it in memory's
 * queues: each write of the line begins by an event. Values change in the order
 * of the grants.
 */
#include "model/box/socket.h"
#include "model/nehalem-ex/hub.h"
#include "model/nehalem-ex/out.h"

/* Serials: those of write-backs follow those of the requests. */
enum { FIRST_WRITE = HUB_REQUESTS };

/* The flits of a line on their way, and what the home does with it. */
enum { LINE_CYCLES = 32 };

static unsigned home_index(unsigned home)
{
	return home >> 1; /* home agents have odd node ids */
}

static unsigned place_of(const struct hub *hub, const struct dma *dma)
{
	return (unsigned)(dma - hub->dmas);
}

static struct packet packet_of(const struct hub *hub, const struct dma *dma,
			       unsigned opcode, bool is_write)
{
	return (struct packet){
		.line = dma->line,
		.serial = place_of(hub, dma) + (is_write ? FIRST_WRITE : 0),
		.number = hub->devices.number,
		.cls = PACKET_HOM,
		.mc = MC_HOM0,
		.opcode = (uint8_t)opcode,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)hub->node,
		.dest = dma->home,
		.requester = (uint8_t)hub->node,
		.home = dma->home,
		.cbox = (uint8_t)socket_slice(hub->socket, dma->line),
	};
}

static struct home *home_of(const struct hub *hub, const struct dma *dma)
{
	return hub->ex->sockets[NODE_SOCKET(dma->home)]
		.homes[NODE_SIDE(dma->home)];
}

static void fill_in(const struct hub *hub, const struct packet *request,
		    struct home_job *job)
{
	job->request = *request;
	job->line = request->line;
	socket_home(hub->socket, request->line, &job->local);
}

/* The home's reply is at the hub. */
static uint64_t hear(const struct hub *hub, const struct dma *dma,
		     struct home_job *job)
{
	return home_send(hub->ex, home_of(hub, dma), &job->reply, job->reply_at,
			 0);
}

/* Coherent */

static void snoop_all(struct hub *hub, struct out_request *request, uint64_t at)
{
	struct packet snoop = request->job.request;

	snoop.cls = PACKET_SNP;
	snoop.mc = MC_SNP;
	snoop.opcode = (uint8_t)agent_snoop_opcode(request->opcode);
	for (unsigned i = 0; i < hub->ex->num_sockets; i++) {
		snoop.dest = (uint8_t)NODE_SBOX(i, request->slice->side);
		out_hear(request, i, &snoop, hub_send(hub, &snoop, at));
	}
}

/* The home wants to know that nothing is under way to this requester. */
static uint64_t acknowledge(struct hub *hub, const struct dma *dma,
			    struct home_job *job, uint64_t at)
{
	struct packet packet = packet_of(hub, dma, HOM0_ACK_CNFLT, false);

	at = hub_send(hub, &packet, at);
	home_acknowledged(home_of(hub, dma), job, at);
	return hear(hub, dma, job);
}

/* The request of an access, and when it is complete. */
struct ask {
	struct out_request request; /* stands first */
	struct hub *hub;
	struct dma *dma;
	uint64_t start;
	uint32_t floor; /* the line's value is as new as this, for --check */
};

_Static_assert(sizeof(struct ask) <= OUT_REQUEST_SIZE, "see out.h");

static uint64_t complete(struct ask *ask)
{
	struct out_request *request = &ask->request;
	uint64_t at = hear(ask->hub, ask->dma, &request->job);

	if (request->is_forced)
		at = acknowledge(ask->hub, ask->dma, &request->job, at);
	return request->forward.is_there
		       ? sim_later(at, request->forward.arrived)
		       : at;
}

/* Nothing is shown of a hub's requests. */
static void waits(struct out_request *request, uint64_t until)
{
	(void)request;
	(void)until;
}

static void ask_home(struct hub *hub, struct dma *dma, unsigned opcode,
		     void (*then)(struct out_request *request))
{
	struct ex *ex = hub->ex;
	struct ask *ask = pool_take(&ex->requests);
	struct out_request *request = &ask->request;
	unsigned slice = socket_slice(hub->socket, dma->line);
	struct packet packet = packet_of(hub, dma, opcode, false);
	struct values *values = hub->socket->values;

	*ask = (struct ask){
		.request = {
			.ex = ex,
			.socket = hub->index,
			.slice = &ex->sockets[hub->index].floor->slices[slice],
			.line = dma->line,
			.opcode = opcode,
			.then = then,
			.waits = waits,
		},
		.hub = hub,
		.dma = dma,
		.start = engine_now(&ex->engine),
		.floor = values ? values_latest(values, dma->line) : 0,
	};
	fill_in(hub, &packet, &request->job);
	request->job.arrived = hub_send(hub, &packet, ask->start);
	out_arrive(request);
	if (!ex->has_directory)
		snoop_all(hub, request, ask->start);
	out_settle(request);
}

/* An access is over in the cycle `at`. */
static void end(struct hub *hub, const struct dma *dma, uint64_t at)
{
	places_hold(&hub->credits[home_index(dma->home)], dma->credit, at);
	devices_end(&hub->devices, place_of(hub, dma), at);
}

static void has_read(struct out_request *request)
{
	struct ask *ask = (struct ask *)request;
	struct hub *hub = ask->hub;
	struct values *values = hub->socket->values;
	uint64_t at = complete(ask);

	if (values)
		values_read(values, ask->dma->line, values_hub(hub->index),
			    ask->floor, request->value, at);
	pool_put(&hub->ex->requests, ask);
	end(hub, ask->dma, at);
}

/* To memory alone */

static uint64_t read_plain(struct hub *hub, const struct dma *dma)
{
	struct packet packet = packet_of(hub, dma, HOM0_NON_SNP_RD, false);
	struct home_job job = { 0 };

	fill_in(hub, &packet, &job);
	job.arrived = hub_send(hub, &packet, engine_now(&hub->ex->engine));
	home_arrive(hub->ex, home_of(hub, dma), &job);
	home_begin(hub->ex, home_of(hub, dma), &job);
	home_end(hub->ex, home_of(hub, dma), &job);
	return hear(hub, dma, &job);
}

/* A request and, behind it, the data of a write. */
static uint64_t write(struct hub *hub, const struct dma *dma, unsigned opcode,
		      unsigned data_opcode)
{
	struct packet packet = packet_of(hub, dma, opcode, true), data = packet;
	uint64_t now = engine_now(&hub->ex->engine);
	struct home_job job = { 0 };

	fill_in(hub, &packet, &job);
	job.is_partial = data_opcode == DRS_NON_SNP_WR_DATA_PTL;
	data.cls = PACKET_DRS;
	data.mc = MC_DRS;
	data.opcode = (uint8_t)data_opcode;
	data.state = opcode == HOM0_NON_SNP_WR ? 0 : RDS_M;
	data.flits = job.is_partial ? PACKET_FLITS_PARTIAL : PACKET_FLITS_LINE;
	job.arrived = hub_send(hub, &packet, now);
	job.data_at = hub_send(hub, &data, now);
	home_arrive(hub->ex, home_of(hub, dma), &job);
	home_begin(hub->ex, home_of(hub, dma), &job);
	home_end(hub->ex, home_of(hub, dma), &job);
	return hear(hub, dma, &job);
}

/* Lines that are granted */

static void write_line(void *object, uint64_t place);

static void plan_write(struct hub *hub, const struct dma *dma, uint64_t at)
{
	sim_at(hub->ex->engine.sim, at, write_line, hub, place_of(hub, dma));
	engine_busy_until(&hub->ex->engine, at + 1);
}

/* The line is the hub's: it writes, and with the last write gives it to the
 * home. */
static void write_line(void *object, uint64_t place)
{
	struct hub *hub = object;
	struct dma *dma = &hub->dmas[place];
	bool is_last = !--dma->writes_left;
	uint64_t at;

	hub->devices.number++;
	at = write(hub, dma, is_last ? HOM0_WB_MTO_I : HOM0_WB_MTO_E,
		   is_last ? DRS_WB_I_DATA : DRS_WB_E_DATA);
	if (!is_last) {
		plan_write(hub, dma, at);
		return;
	}
	end(hub, dma, at);
}

/* Until when the home has the writes, if nothing is in their way; each goes the
 * way that the request went, and so does the answer to all but the last. */
static uint64_t written_at(const struct dma *dma, const struct home_job *job,
			   uint64_t start, uint64_t granted)
{
	uint64_t way = job->arrived - start;

	return granted + (2u * dma->writes_left - 1) * way +
	       dma->writes_left * (uint64_t)LINE_CYCLES;
}

static void owns_line(struct out_request *request)
{
	struct ask *ask = (struct ask *)request;
	struct hub *hub = ask->hub;
	struct dma *dma = ask->dma;
	struct values *values = hub->socket->values;
	uint64_t at = complete(ask);

	for (unsigned times = dma->writes_left; values && times; times--)
		values_memory_write(values, dma->line,
				    values_write(values, dma->line,
						 values_hub(hub->index)));
	home_keep(home_of(hub, dma), &request->job,
		  written_at(dma, &request->job, ask->start, at));
	plan_write(hub, dma, at);
	pool_put(&hub->ex->requests, ask);
}

static void own_line(struct hub *hub, struct dma *dma, unsigned times)
{
	dma->writes_left = (uint8_t)times;
	ask_home(hub, dma, HOM0_INV_ITO_E, owns_line);
}

/* Accesses of devices */

uint64_t dma_room_from(void *object, uint64_t line)
{
	struct hub *hub = object;
	uint64_t now = engine_now(&hub->ex->engine), local;
	unsigned home = socket_home(hub->socket, line, &local);

	return places_from(&hub->credits[home_index(home)], now, now);
}

void dma_begin(void *object, unsigned place, unsigned kind)
{
	struct hub *hub = object;
	struct dma *dma = &hub->dmas[place];
	uint64_t line = hub->devices.lines[place],
		 at = engine_now(&hub->ex->engine), local;
	unsigned home = socket_home(hub->socket, line, &local);

	*dma = (struct dma){
		.line = line,
		.home = (uint8_t)home,
		.credit = (uint8_t)places_take(&hub->credits[home_index(home)],
					       at, &at),
	};
	switch (kind) {
	case UNCORE_ACCESS_OWN: own_line(hub, dma, 1); break;
	case UNCORE_ACCESS_NT_WRITE: own_line(hub, dma, 2); break;
	case UNCORE_ACCESS_READ:
		ask_home(hub, dma, HOM0_RD_CUR, has_read);
		break;
	case UNCORE_ACCESS_UC_READ: end(hub, dma, read_plain(hub, dma)); break;
	case UNCORE_ACCESS_UC_WRITE:
		end(hub, dma,
		    write(hub, dma, HOM0_NON_SNP_WR, DRS_NON_SNP_WR_DATA_PTL));
		break;
	default:
		end(hub, dma,
		    write(hub, dma, HOM0_NON_SNP_WR, DRS_NON_SNP_WR_DATA));
	}
}
