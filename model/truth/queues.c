/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See queues.h. A table of queues, and a small function for each kind of table
 * that counts its entries.
 */
#include "model/truth/queues.h"

#include "model/box/mbox_parts.h"
#include "model/box/rbox_parts.h"
#include "model/box/socket.h"
#include "signals.h"

/* C-Boxes and the cores beside them */

static unsigned irq(const struct socket *socket, unsigned i)
{
	const struct cbox *cbox = &socket->cboxes[i];
	unsigned num = 0;

	for (unsigned n = 0; n < CBOX_IRQ_ROOM; n++)
		num += cbox->irq[n].is_used;
	return num;
}

/* Snoops; what homes ask is not for the IPQ. */
static unsigned ipq(const struct socket *socket, unsigned i)
{
	const struct cbox *cbox = &socket->cboxes[i];
	unsigned num = 0;

	for (unsigned n = 0; n < CBOX_PROBE_ROOM; n++)
		num += cbox->ipq[n].is_used && !cbox->ipq[n].from_home;
	return num;
}

static unsigned viq(const struct socket *socket, unsigned i)
{
	const struct cbox *cbox = &socket->cboxes[i];
	unsigned num = 0;

	for (unsigned n = 0; n < CBOX_VIQ_ROOM; n++)
		num += cbox->viq[n].is_used;
	return num;
}

static unsigned maf(const struct socket *socket, unsigned i)
{
	const struct cbox *cbox = &socket->cboxes[i];
	unsigned num = 0;

	for (unsigned n = 0; n < CBOX_MAF_ROOM; n++)
		num += cbox->maf[n].is_used;
	return num;
}

static unsigned rwrf(const struct socket *socket, unsigned i)
{
	const struct core *core = &socket->cores[i];

	return core->ad[0].count + core->ad[1].count;
}

static unsigned rspf(const struct socket *socket, unsigned i)
{
	const struct core *core = &socket->cores[i];

	return core->ak[0].count + core->ak[1].count;
}

/* S-Boxes */

static unsigned request_table(const struct socket *socket, unsigned side)
{
	const struct sbox *sbox = &socket->sboxes[side];
	unsigned num = 0;

	for (unsigned n = 0; n < SBOX_TABLE_ROOM; n++)
		num += sbox->table[n].is_used;
	return num;
}

static unsigned out(const struct socket *socket, unsigned side, unsigned first,
		    unsigned num)
{
	unsigned sum = 0;

	for (unsigned n = first; n < first + num; n++)
		sum += socket->sboxes[side].out[n].count;
	return sum;
}

static unsigned hom(const struct socket *socket, unsigned side)
{
	return out(socket, side, SBOX_HOM_R, 2);
}

static unsigned snp(const struct socket *socket, unsigned side)
{
	return out(socket, side, SBOX_SNP, 1);
}

static unsigned ndr(const struct socket *socket, unsigned side)
{
	return out(socket, side, SBOX_NDR, 1);
}

static unsigned drs(const struct socket *socket, unsigned side)
{
	return out(socket, side, SBOX_DRS, SBOX_CBOXES);
}

static unsigned ncb(const struct socket *socket, unsigned side)
{
	return out(socket, side, SBOX_NCB, SBOX_CBOXES);
}

static unsigned ncs(const struct socket *socket, unsigned side)
{
	return out(socket, side, SBOX_NCS, SBOX_CBOXES);
}

static unsigned loc_ncs(const struct socket *socket, unsigned side)
{
	return out(socket, side, SBOX_LOC_NCS, SBOX_CBOXES);
}

static unsigned ring_snp(const struct socket *socket, unsigned side)
{
	return socket->sboxes[side].in[SBOX_RING_SNP].count;
}

static unsigned ring_ncs(const struct socket *socket, unsigned side)
{
	return socket->sboxes[side].in[SBOX_RING_NCS].count;
}

static unsigned ring_ncb(const struct socket *socket, unsigned side)
{
	return socket->sboxes[side].in[SBOX_RING_NCB].count;
}

static unsigned ring_ndr(const struct socket *socket, unsigned side)
{
	return socket->sboxes[side].in[SBOX_RING_NDR].count;
}

static unsigned ring_r2s(const struct socket *socket, unsigned side)
{
	return socket->sboxes[side].in[SBOX_RING_R2S].count;
}

static unsigned ring_b2s(const struct socket *socket, unsigned side)
{
	return socket->sboxes[side].in[SBOX_RING_B2S].count;
}

/* B-Boxes */

static unsigned tracked(const struct socket *socket, unsigned side,
			bool hubs_only)
{
	const struct bbox *bbox = &socket->bboxes[side];
	unsigned num = 0;

	for (unsigned a = hubs_only ? BBOX_CACHES : 0; a < BBOX_AGENTS; a++)
		for (unsigned n = 0; n < BBOX_SERIALS; n++)
			num += bbox->entries[a][n].is_used &&
			       bbox->entries[a][n].has_request;
	return num;
}

static unsigned tracker(const struct socket *socket, unsigned side)
{
	return tracked(socket, side, false);
}

static unsigned tracker_of_hubs(const struct socket *socket, unsigned side)
{
	return tracked(socket, side, true);
}

static unsigned imt(const struct socket *socket, unsigned side)
{
	const struct bbox *bbox = &socket->bboxes[side];
	unsigned num = 0;

	for (unsigned n = 0; n < BBOX_IMT_ROOM; n++)
		num += bbox->imt[n].is_used;
	return num;
}

static unsigned drsq(const struct socket *socket, unsigned side)
{
	const struct bbox *bbox = &socket->bboxes[side];

	return bbox->queues[BBOX_TO_SBOX][BBOX_DRSOQ].count +
	       bbox->queues[BBOX_TO_RBOX][BBOX_DRSOQ].count;
}

/* A snoop that goes straight out was never in the queue. */
static unsigned snpoq(const struct socket *socket, unsigned side)
{
	const struct bbox *bbox = &socket->bboxes[side];
	unsigned sum = 0;

	for (unsigned way = 0; way < BBOX_NUM_WAYS; way++)
		sum += bbox->queues[way][BBOX_SNPOQ].count -
		       bbox->snoop_passes[way];
	return sum;
}

/* M-Boxes: one index of the scheduler queue. */

enum { SOME_FVID = 3 };

static unsigned schedq(const struct socket *socket, unsigned side)
{
	const struct mbox *mbox = socket->mboxes[side];
	unsigned num = mbox->holder[SOME_FVID] != NULL;

	for (unsigned n = 0; n < mbox->num_moves; n++)
		num += mbox->moves[(mbox->first_move + n) % MBOX_NUM_FVIDS]
			       .fvid == SOME_FVID;
	return num;
}

/* R-Box ports */

static unsigned overflow(const struct socket *socket, unsigned port,
			 enum packet_class cls)
{
	const struct rbox *rbox = socket->rbox;
	unsigned count = rbox->inputs[port].queues[cls].count;

	return count > rbox->config.entry_table
		       ? count - rbox->config.entry_table
		       : 0;
}

static unsigned overflow_snp(const struct socket *socket, unsigned port)
{
	return overflow(socket, port, PACKET_SNP);
}

static unsigned overflow_ndr(const struct socket *socket, unsigned port)
{
	return overflow(socket, port, PACKET_NDR);
}

static unsigned overflow_hom(const struct socket *socket, unsigned port)
{
	return overflow(socket, port, PACKET_HOM);
}

static unsigned overflow_drs(const struct socket *socket, unsigned port)
{
	return overflow(socket, port, PACKET_DRS);
}

#define PER_CBOX(signal)                                                       \
	{                                                                      \
		signal, signal + 1, signal + 2, signal + 3, signal + 4         \
	}

static const struct queue queues[] = {
	{ "IRQ",
	  "cbox/OCCUPANCY_IRQ/",
	  "cbox/TRANS_IRQ/",
	  QUEUE_CBOX,
	  { SIG_CBOX_OCCUPANCY_IRQ },
	  irq },
	{ "IPQ",
	  "cbox/OCCUPANCY_IPQ/",
	  "cbox/TRANS_IPQ/",
	  QUEUE_CBOX,
	  { SIG_CBOX_OCCUPANCY_IPQ },
	  ipq },
	{ "VIQ",
	  "cbox/OCCUPANCY_VIQ/",
	  "cbox/TRANS_VIQ/",
	  QUEUE_CBOX,
	  { SIG_CBOX_OCCUPANCY_VIQ },
	  viq },
	{ "MAF",
	  "cbox/OCCUPANCY_MAF/",
	  "cbox/TRANS_MAF/",
	  QUEUE_CBOX,
	  { SIG_CBOX_OCCUPANCY_MAF },
	  maf },
	{ "RWRF",
	  "cbox/OCCUPANCY_RWRF/",
	  "cbox/TRANS_RWRF/",
	  QUEUE_CBOX,
	  { SIG_CBOX_OCCUPANCY_RWRF },
	  rwrf },
	{ "RSPF",
	  "cbox/OCCUPANCY_RSPF/",
	  "cbox/TRANS_RSPF/",
	  QUEUE_CBOX,
	  { SIG_CBOX_OCCUPANCY_RSPF },
	  rspf },
	{ "request table",
	  "sbox/REQ_TBL_OCCUPANCY.ALL/",
	  NULL,
	  QUEUE_SBOX,
	  { SIG_SBOX_REQ_TBL_LOCAL, SIG_SBOX_REQ_TBL_REMOTE },
	  request_table },
	{ "HOM queue",
	  "sbox/TO_R_B_HOM_MSGQ_OCCUPANCY.RBBOX/",
	  NULL,
	  QUEUE_SBOX,
	  { SIG_SBOX_TO_R_B_HOM_MSGQ_RBOX, SIG_SBOX_TO_R_B_HOM_MSGQ_BBOX },
	  hom },
	{ "SNP queue",
	  "sbox/TO_R_SNP_MSGQ_OCCUPANCY/",
	  NULL,
	  QUEUE_SBOX,
	  { SIG_SBOX_TO_R_SNP_MSGQ },
	  snp },
	{ "NDR queue",
	  "sbox/TO_R_NDR_MSGQ_OCCUPANCY/",
	  "sbox/PKTS_SENT_NDR/",
	  QUEUE_SBOX,
	  { SIG_SBOX_TO_R_NDR_MSGQ },
	  ndr },
	{ "DRS queues", "sbox/TO_R_DRS_MSGQ_OCCUPANCY.ALL/", NULL, QUEUE_SBOX,
	  PER_CBOX(SIG_SBOX_TO_R_DRS_MSGQ), drs },
	{ "NCB queues", "sbox/TO_R_NCB_MSGQ_OCCUPANCY.ALL/", NULL, QUEUE_SBOX,
	  PER_CBOX(SIG_SBOX_TO_R_NCB_MSGQ), ncb },
	{ "NCS queues", "sbox/TO_R_NCS_MSGQ_OCCUPANCY.ALL/", NULL, QUEUE_SBOX,
	  PER_CBOX(SIG_SBOX_TO_R_NCS_MSGQ), ncs },
	{ "local NCS queues", "sbox/TO_R_LOC_NCS_MSGQ_OCCUPANCY.ALL/", NULL,
	  QUEUE_SBOX, PER_CBOX(SIG_SBOX_TO_R_LOC_NCS_MSGQ), loc_ncs },
	{ "ring SNP queue",
	  "sbox/TO_RING_MSGQ_OCCUPANCY.SNP/",
	  "sbox/PKTS_RCVD_SNP/",
	  QUEUE_SBOX,
	  { SIG_SBOX_TO_RING_SNP_MSGQ },
	  ring_snp },
	{ "ring NCS queue",
	  "sbox/TO_RING_MSGQ_OCCUPANCY.NCS/",
	  NULL,
	  QUEUE_SBOX,
	  { SIG_SBOX_TO_RING_NCS_MSGQ },
	  ring_ncs },
	{ "ring NCB queue",
	  "sbox/TO_RING_MSGQ_OCCUPANCY.NCB/",
	  "sbox/PKTS_RCVD_NCB/",
	  QUEUE_SBOX,
	  { SIG_SBOX_TO_RING_NCB_MSGQ },
	  ring_ncb },
	{ "ring NDR queue",
	  "sbox/TO_RING_NDR_MSGQ_OCCUPANCY/",
	  "sbox/PKTS_RCVD_NDR/",
	  QUEUE_SBOX,
	  { SIG_SBOX_TO_RING_NDR_MSGQ },
	  ring_ndr },
	{ "ring R2S queue",
	  "sbox/TO_RING_R2S_MSGQ_OCCUPANCY/",
	  "sbox/PKTS_RCVD_DRS_FROM_R/",
	  QUEUE_SBOX,
	  { SIG_SBOX_TO_RING_R2S_MSGQ },
	  ring_r2s },
	{ "ring B2S queue",
	  "sbox/TO_RING_B2S_MSGQ_OCCUPANCY/",
	  "sbox/PKTS_RCVD_DRS_FROM_B/",
	  QUEUE_SBOX,
	  { SIG_SBOX_TO_RING_B2S_MSGQ },
	  ring_b2s },
	{ "tracker",
	  "bbox/TF_ALL/",
	  NULL,
	  QUEUE_BBOX,
	  { SIG_BBOX_TF_ALL },
	  tracker },
	{ "tracker, hubs",
	  "bbox/TF_IOH/",
	  NULL,
	  QUEUE_BBOX,
	  { SIG_BBOX_TF_IOH },
	  tracker_of_hubs },
	{ "IMT",
	  "bbox/IMT_VALID_OCCUPANCY/",
	  "bbox/IMT_INSERTS_ALL/",
	  QUEUE_BBOX,
	  { SIG_BBOX_IMT_VALID_OCCUPANCY },
	  imt },
	{ "DRSQ",
	  "bbox/DRSQ_OCCUPANCY/",
	  "bbox/DRSQ_INSERTS/",
	  QUEUE_BBOX,
	  { SIG_BBOX_DRSQ_OCCUPANCY },
	  drsq },
	{ "SNPOQ",
	  "bbox/SNPOQ_OCCUPANCY/",
	  "bbox/SNPOQ_INSERTS/",
	  QUEUE_BBOX,
	  { SIG_BBOX_SNPOQ_OCCUPANCY },
	  snpoq },
	{ "scheduler queue, index 3",
	  "mbox/BCMD_SCHEDQ_OCCUPANCY.ALL,fvid=3/",
	  NULL,
	  QUEUE_MBOX,
	  { SIG_MBOX_SCHEDQ_ALL + SOME_FVID },
	  schedq },
	{ "overflow table, HOM",
	  "rbox/EOT_OCCUPANCY.HOM_VN0,port=%s/",
	  "rbox/EOT_INSERTS.HOM_VN0,port=%s/",
	  QUEUE_RBOX,
	  { SIG_RBOX_EOT_DEPTH_HOM_VN0, SIG_RBOX_EOT_DEPTH_HOM_VN1 },
	  overflow_hom },
	{ "overflow table, SNP",
	  "rbox/EOT_OCCUPANCY.SNP,port=%s/",
	  "rbox/EOT_INSERTS.SNP,port=%s/",
	  QUEUE_RBOX,
	  { SIG_RBOX_EOT_DEPTH_SNP },
	  overflow_snp },
	{ "overflow table, NDR",
	  "rbox/EOT_OCCUPANCY.NDR,port=%s/",
	  "rbox/EOT_INSERTS.NDR,port=%s/",
	  QUEUE_RBOX,
	  { SIG_RBOX_EOT_DEPTH_NDR },
	  overflow_ndr },
	{ "overflow table, DRS",
	  "rbox/EOT_OCCUPANCY.DRS_VN0,port=%s/",
	  "rbox/EOT_INSERTS.DRS_VN0,port=%s/",
	  QUEUE_RBOX,
	  { SIG_RBOX_EOT_DEPTH_DRS_VN0, SIG_RBOX_EOT_DEPTH_DRS_VN1 },
	  overflow_drs },
};

enum { NUM_QUEUES = sizeof(queues) / sizeof(queues[0]) };

const struct queue *queue_at(size_t index)
{
	return index < NUM_QUEUES ? &queues[index] : NULL;
}

unsigned queue_instances(const struct queue *queue, const struct socket *socket)
{
	switch (queue->box) {
	case QUEUE_CBOX: return socket->num_cores;
	case QUEUE_RBOX: return RBOX_NUM_PORTS;
	default: return SOCKET_SIDES;
	}
}

static const struct sigbank *bank_of(const struct queue *queue,
				     const struct socket *socket, unsigned i)
{
	switch (queue->box) {
	case QUEUE_CBOX: return socket->cboxes[i].bank;
	case QUEUE_SBOX: return socket->sboxes[i].bank;
	case QUEUE_BBOX: return socket->bboxes[i].bank;
	case QUEUE_MBOX: return socket->mboxes[i]->signals;
	default: return socket->rbox->bank;
	}
}

int64_t queue_level(const struct queue *queue, const struct socket *socket,
		    unsigned instance)
{
	const struct sigbank *bank = bank_of(queue, socket, instance);
	int64_t sum = 0;

	/* number 0 is a signal too, but no queue's second one */
	for (unsigned n = 0; n < 5 && (!n || queue->signals[n]); n++) {
		unsigned signal = queue->signals[n];

		if (queue->box == QUEUE_RBOX)
			signal = rbox_signal(signal, instance);
		sum += bank->signals[signal].level;
	}
	return sum;
}
