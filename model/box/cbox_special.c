/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Special requests: what a core asks of the C-Box at its own ring stop and no
 * slice can answer (guide 2.3.6, SPL_* and IGR_*). Accesses of the SRAM that
 * keeps a core's state in C6 end here; all others leave through the S-Box as
 * packets of the classes NCS and NCB. Each holds a MAF entry until it is done.
 *
 * Chosen: the lower half of a device's page has registers, which are read and
 * written by parts of a line (NcRdPtl, NcWrPtl, WcWrPtl), the upper half
 * memory, which goes by whole lines (NcRd, NcWr, WcWr). What is meant for a hub
 * that is not there goes to the U-Box of the socket, which answers for nobody.
 */
#include "model/box/cbox.h"
#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

enum { TARGET_SOCKETS = UNCORE_IO_SOCKET(0), HALF_PAGE_LINES = 32 };

/* What a kind becomes; `whole` where it is of a whole line. */
struct form {
	uint8_t mc, opcode, whole, flits, message;
};

static const struct form forms[CORE_NUM_ACCESS_KINDS] = {
	[UNCORE_ACCESS_UC_READ] = { MC_NCS, NCS_NC_RD_PTL, NCS_NC_RD,
				    PACKET_FLITS_NCS_READ, 0 },
	[UNCORE_ACCESS_UC_WRITE] = { MC_NCB, NCB_NC_WR_PTL, NCB_NC_WR,
				     PACKET_FLITS_NCB, 0 },
	[UNCORE_ACCESS_WC_WRITE] = { MC_NCB, NCB_WC_WR_PTL, NCB_WC_WR,
				     PACKET_FLITS_NCB, 0 },
	[UNCORE_ACCESS_IO_READ] = { MC_NCS, NCS_NC_IO_RD, NCS_NC_IO_RD,
				    PACKET_FLITS_NCS_READ, 0 },
	[UNCORE_ACCESS_IO_WRITE] = { MC_NCS, NCS_NC_IO_WR, NCS_NC_IO_WR,
				     PACKET_FLITS_NCS_WRITE, 0 },
	[UNCORE_ACCESS_CFG_READ] = { MC_NCS, NCS_NC_CFG_RD, NCS_NC_CFG_RD,
				     PACKET_FLITS_NCS_READ, 0 },
	[UNCORE_ACCESS_CFG_WRITE] = { MC_NCS, NCS_NC_CFG_WR, NCS_NC_CFG_WR,
				      PACKET_FLITS_NCS_WRITE, 0 },
	[UNCORE_ACCESS_LOCK] = { MC_NCS, NCS_NC_MSG_S, NCS_NC_MSG_S,
				 PACKET_FLITS_MESSAGE, MESSAGE_LOCK },
	[CORE_ACCESS_UNLOCK] = { MC_NCS, NCS_NC_MSG_S, NCS_NC_MSG_S,
				 PACKET_FLITS_MESSAGE, MESSAGE_UNLOCK },
	[UNCORE_ACCESS_INTERRUPT] = { MC_NCB, NCB_INT_PHYSICAL,
				      NCB_INT_PHYSICAL, PACKET_FLITS_NCB,
				      MESSAGE_INTERRUPT },
	[UNCORE_ACCESS_SPECIAL] = { MC_NCS, NCS_NC_MSG_S, NCS_NC_MSG_S,
				    PACKET_FLITS_MESSAGE, MESSAGE_SPECIAL },
};

void cbox_drive_special_signals(struct cbox *cbox)
{
	sig_drives(cbox->bank, SIG_CBOX_SPL_DEAD, 1);
	sig_drives(cbox->bank, SIG_CBOX_SPL_ARB_PRI_SW, 1);
	sig_drives(cbox->bank, SIG_CBOX_SPL_NOT_CO, 1);
	sig_drives(cbox->bank, SIG_CBOX_SPL_CO_SB, 1);
	sig_drives(cbox->bank, SIG_CBOX_SPL_CO_NSB, 1);
	sig_drives(cbox->bank, SIG_CBOX_SPL_IN_FULL_IRQ, 1);
	sig_drives(cbox->bank, SIG_CBOX_SPL_EGR_SB, 1);
	sig_drives(cbox->bank, SIG_CBOX_SPL_EGR_NSB, 1);
	sig_drives(cbox->bank, SIG_CBOX_IGR_OP_SRAM, 1);
	sig_drives(cbox->bank, SIG_CBOX_IGR_OP_UC, 1);
}

static bool is_read(unsigned kind)
{
	return kind == UNCORE_ACCESS_UC_READ || kind == UNCORE_ACCESS_IO_READ ||
	       kind == UNCORE_ACCESS_CFG_READ || kind == CORE_ACCESS_SRAM_READ;
}

static bool is_sram(unsigned kind)
{
	return kind == CORE_ACCESS_SRAM_READ || kind == CORE_ACCESS_SRAM_WRITE;
}

bool cbox_special_has_data(unsigned kind)
{
	return kind == UNCORE_ACCESS_UC_WRITE ||
	       kind == UNCORE_ACCESS_WC_WRITE ||
	       kind == UNCORE_ACCESS_IO_WRITE ||
	       kind == UNCORE_ACCESS_CFG_WRITE ||
	       kind == CORE_ACCESS_SRAM_WRITE;
}

/* Leaves the ingress array to bid for the pipeline. */
static void count_read_out(struct cbox *cbox, unsigned kind)
{
	if (is_read(kind))
		sig_pulse(cbox->bank,
			  is_sram(kind) ? SIG_CBOX_IGR_OP_SRAM
					: SIG_CBOX_IGR_OP_UC,
			  1);
}

static unsigned node_of(const struct cbox *cbox, const struct core_miss *miss)
{
	const struct socket *socket = cbox->socket;

	switch (miss->kind) {
	case UNCORE_ACCESS_LOCK:
	case CORE_ACCESS_UNLOCK: return NODE_UBOX(0); /* the quiesce master */
	case UNCORE_ACCESS_INTERRUPT:
	case UNCORE_ACCESS_SPECIAL: return NODE_UBOX(socket->index);
	default: break;
	}
	if (miss->target < socket->num_hubs)
		return NODE_IOH(miss->target);
	if (miss->target >= TARGET_SOCKETS &&
	    miss->target < TARGET_SOCKETS + socket->num_sockets)
		return NODE_UBOX(miss->target - TARGET_SOCKETS);
	return NODE_UBOX(socket->index);
}

static struct packet packet_of(const struct cbox *cbox, unsigned core,
			       const struct core_miss *miss)
{
	const struct form *form = &forms[miss->kind];
	bool is_whole = miss->line & HALF_PAGE_LINES;
	bool is_interrupt = miss->kind == UNCORE_ACCESS_INTERRUPT;

	return (struct packet){
		.line = miss->kind == UNCORE_ACCESS_SPECIAL ? miss->target
							    : miss->line,
		.cls = form->mc == MC_NCB ? PACKET_NCB : PACKET_NCS,
		.mc = form->mc,
		.opcode = is_whole ? form->whole : form->opcode,
		.flits = form->flits,
		.dest = (uint8_t)node_of(cbox, miss),
		.message = form->message,
		.core = (uint8_t)(is_interrupt ? miss->target : core),
		.cbox = (uint8_t)cbox->index,
	};
}

/* Argument: MAF entry, miss of the core. */
static bool nc_sink(void *object, uint64_t argument)
{
	struct packet_node *node = object;
	struct cbox *cbox = node->owner;
	struct socket *socket = cbox->socket;

	if (!sbox_request_nc(&socket->sboxes[cbox->side], &node->packet,
			     argument & 0xff, (unsigned)(argument >> 8)))
		return false;
	cbox->s_credits++;
	packet_give(&socket->packets, node);
	return true;
}

static void send(struct cbox *cbox, const struct cbox_maf *maf)
{
	struct socket *socket = cbox->socket;
	const struct core *core = &socket->cores[maf->core];
	struct packet packet =
		packet_of(cbox, core->index, &core->misses[maf->entry]);
	unsigned stop = socket->sboxes[cbox->side].stop;
	struct egress *egress = packet.cls == PACKET_NCB ? cbox->bl : cbox->ad;

	cbox->s_credits--;
	egress_send(&egress[ring_direction(&socket->ring, cbox->stop, stop)],
		    nc_sink, packet_take(&socket->packets, &packet, cbox),
		    (uint64_t)(maf - cbox->maf) | (uint64_t)maf->entry << 8,
		    stop);
}

static void sram_done(void *object, uint64_t index)
{
	struct cbox *cbox = object;
	struct cbox_maf *maf = &cbox->maf[index];

	if (maf->kind == CORE_ACCESS_SRAM_READ)
		cbox_send_data(cbox, maf->core, maf->entry);
	cbox_special_complete(cbox, maf);
}

void cbox_special_pass(struct cbox *cbox, struct cbox_request *request)
{
	struct socket *socket = cbox->socket;
	struct sbox *sbox = &socket->sboxes[cbox->side];
	struct cbox_maf *maf;

	count_read_out(cbox, request->kind);
	if (cbox->num_maf >= cbox->maf_room) {
		cbox_nack(cbox, request, BLOCK_MAF,
			  SIG_CBOX_MAF_NACK2_MAF_FULL);
		return;
	}
	if (!is_sram(request->kind) && sbox->num_requests >= sbox->table_room) {
		cbox_nack(cbox, request, BLOCK_REQTBL,
			  SIG_CBOX_MAF_NACK2_NO_S_REQTBL_ENTRIES);
		return;
	}
	if (!is_sram(request->kind) && !cbox_may_send(cbox, request))
		return;
	maf = cbox_maf_alloc(cbox, request);
	cbox_ack(cbox, request);
	if (is_sram(request->kind))
		sim_at(socket->sim, sim_now(socket->sim) + cbox->sram_cycles,
		       sram_done, cbox, (uint64_t)(maf - cbox->maf));
	else
		send(cbox, maf);
}

void cbox_special_complete(struct cbox *cbox, struct cbox_maf *maf)
{
	if (maf->kind < UNCORE_NUM_ACCESS_KINDS)
		core_answered(&cbox->socket->cores[maf->core], maf->entry,
			      ANSWER_IO);
	if (!is_read(maf->kind))
		core_grant(&cbox->socket->cores[maf->core], maf->entry);
	cbox_send_go(cbox, maf->core);
	cbox_maf_free(cbox, maf);
}
