/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Direct memory access. A read is RdCur: the present data, wherever they are,
 * without a copy being taken. A write is InvItoE (everybody else gives the line
 * up), then WbMtoI with the data. Of a line that a device writes twice in a row
 * memory gets the first version with WbMtoE, and the line stays the hub's.
 * As requester the hub sends the snoops itself, to the caching agents of the
 * line's side in all sockets, unless homes have a directory. Accesses that need
 * no coherence (NonSnpRd, and NonSnpWr of a line or of some bytes) go to memory
 * alone. One credit of the home's tracker covers an access from its first
 * request to its last answer.
 */
#include "model/box/ioh_parts.h"
#include "model/box/socket.h"
#include "model/truth/values.h"

static unsigned home_index(unsigned home)
{
	return home >> 1; /* home agents have odd node ids */
}

static struct packet packet_of(const struct ioh *ioh,
			       const struct ioh_request *request)
{
	return (struct packet){
		.line = request->line,
		.serial = (uint32_t)(request - ioh->requests) +
			  (request->is_writing ? IOH_WRITES : 0),
		.number = request->number,
		.cls = PACKET_HOM,
		.mc = MC_HOM0,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)ioh->node,
		.dest = request->home,
		.requester = (uint8_t)ioh->node,
		.home = request->home,
		.cbox = (uint8_t)socket_slice(ioh->socket, request->line),
	};
}

static void send_request(struct ioh *ioh, const struct ioh_request *request,
			 enum packet_opcode opcode, enum packet_opcode snoop)
{
	const struct socket *socket = ioh->socket;
	struct packet packet = packet_of(ioh, request);

	packet.opcode = (uint8_t)opcode;
	outlet_send(&ioh->outlet, &packet);
	if (ioh->home_snoops)
		return;
	packet.cls = PACKET_SNP;
	packet.mc = MC_SNP;
	packet.opcode = (uint8_t)snoop;
	for (unsigned i = 0; i < socket->num_sockets; i++) {
		packet.dest =
			(uint8_t)NODE_SBOX(i, socket_side(socket, packet.cbox));
		outlet_send(&ioh->outlet, &packet);
	}
}

/* A place for a request, and a credit of its home; NULL: none. */
static struct ioh_request *take_place(struct ioh *ioh, uint64_t line)
{
	struct values *values = ioh->socket->values;
	struct ioh_request *request = ioh->requests;
	uint64_t local;
	unsigned home = socket_home(ioh->socket, line, &local);

	if (ioh->num_requests >= ioh->room || !ioh->credits[home_index(home)])
		return NULL;
	while (request->is_used)
		request++;
	ioh->num_requests++;
	ioh->credits[home_index(home)]--;
	*request = (struct ioh_request){
		.line = line,
		.number = ++ioh->number,
		.floor = values ? values_latest(values, line) : 0,
		.home = (uint8_t)home,
		.is_used = true,
	};
	return request;
}

bool ioh_begin(struct ioh *ioh, uint64_t line, unsigned writes)
{
	struct ioh_request *request = take_place(ioh, line);

	if (!request)
		return false;
	request->is_write = writes > 0;
	request->writes_left = (uint8_t)writes;
	if (writes)
		send_request(ioh, request, HOM0_INV_ITO_E, SNP_INV_ITO_E);
	else
		send_request(ioh, request, HOM0_RD_CUR, SNP_CUR);
	return true;
}

bool ioh_begin_plain(struct ioh *ioh, uint64_t line,
		     enum packet_opcode data_opcode)
{
	struct ioh_request *request = take_place(ioh, line);
	struct packet packet;

	if (!request)
		return false;
	request->is_plain = true;
	request->is_write = request->is_writing = data_opcode != 0;
	request->has_data = request->is_write; /* there are none to wait for */
	packet = packet_of(ioh, request);
	packet.opcode = data_opcode ? HOM0_NON_SNP_WR : HOM0_NON_SNP_RD;
	outlet_send(&ioh->outlet, &packet);
	if (!data_opcode)
		return true;
	packet.cls = PACKET_DRS;
	packet.mc = MC_DRS;
	packet.opcode = (uint8_t)data_opcode;
	packet.flits = data_opcode == DRS_NON_SNP_WR_DATA_PTL
			       ? PACKET_FLITS_PARTIAL
			       : PACKET_FLITS_LINE;
	outlet_send(&ioh->outlet, &packet);
	return true;
}

/* The line is the hub's: it writes, and with the last write gives the line to
 * the home. */
static void write_line(struct ioh *ioh, struct ioh_request *request)
{
	struct values *values = ioh->socket->values;
	bool is_last = !--request->writes_left;
	struct packet packet;

	request->is_writing = true;
	request->is_complete = false;
	request->number = ++ioh->number;
	if (values)
		request->value = values_write(values, request->line,
					      values_hub(ioh->hub));
	packet = packet_of(ioh, request);
	packet.opcode = is_last ? HOM0_WB_MTO_I : HOM0_WB_MTO_E;
	outlet_send(&ioh->outlet, &packet);
	packet.cls = PACKET_DRS;
	packet.mc = MC_DRS;
	packet.opcode = is_last ? DRS_WB_I_DATA : DRS_WB_E_DATA;
	packet.flits = PACKET_FLITS_LINE;
	packet.state = RDS_M;
	packet.value = request->value;
	outlet_send(&ioh->outlet, &packet);
}

static void end(struct ioh *ioh, struct ioh_request *request)
{
	struct values *values = ioh->socket->values;

	if (request->is_write)
		ioh->num_writes++;
	else
		ioh->num_reads++;
	if (values && !request->is_write && !request->is_plain)
		values_read(values, request->line, values_hub(ioh->hub),
			    request->floor, request->value,
			    sim_now(ioh->socket->sim));
	request->is_used = false;
	ioh->num_requests--;
	ioh->credits[home_index(request->home)]++;
	ioh_go_on(ioh);
}

static void look(struct ioh *ioh, struct ioh_request *request)
{
	if (!request->has_data || !request->is_complete)
		return;
	if (request->writes_left)
		write_line(ioh, request);
	else
		end(ioh, request);
}

/* The request that an answer belongs to, or NULL: it has what it needs. */
static struct ioh_request *find(struct ioh *ioh, const struct packet *packet)
{
	unsigned serial = packet->serial % IOH_INTERRUPTS;
	struct ioh_request *request = &ioh->requests[serial % IOH_REQUESTS];

	return request->is_used && request->number == packet->number &&
			       request->is_writing == (serial >= IOH_WRITES)
		       ? request
		       : NULL;
}

/* The home wants to know that nothing is under way to this requester. */
static void acknowledge(struct ioh *ioh, const struct ioh_request *request)
{
	struct packet packet = packet_of(ioh, request);

	packet.opcode = HOM0_ACK_CNFLT;
	outlet_send(&ioh->outlet, &packet);
}

void ioh_take_data(struct ioh *ioh, const struct packet *packet)
{
	struct ioh_request *request = find(ioh, packet);

	if (!request || request->has_data)
		return; /* a second forwarder in a conflict */
	request->has_data = true;
	request->value = packet->value;
	if (packet->opcode == DRS_DATA_C_CMP)
		request->is_complete = true;
	else if (packet->opcode == DRS_DATA_C_FRC_ACK_CNFLT)
		acknowledge(ioh, request);
	look(ioh, request);
}

void ioh_take_completion(struct ioh *ioh, const struct packet *packet)
{
	struct ioh_request *request = find(ioh, packet);

	if (!request)
		return;
	switch (packet->opcode) {
	case NDR_GNT_CMP:
		request->has_data = request->is_complete = true;
		break;
	case NDR_GNT_FRC_ACK_CNFLT:
		request->has_data = true;
		acknowledge(ioh, request);
		break;
	case NDR_FRC_ACK_CNFLT: acknowledge(ioh, request); break;
	default: request->is_complete = true; break;
	}
	look(ioh, request);
}
