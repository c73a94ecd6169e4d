/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Credits that go back over the links of the S-Box. A credit that falls due
 * while its link carries a packet travels in one of the flits of that packet;
 * else it takes an idle flit of its own, which all credits of a cycle share.
 * Idle flits fill cycles that nobody wanted, so they hold up nothing and need
 * no event: a credit is usable at once, as if it had been on its way before.
 *
 * The bypasses of the channels between S-Box and B-Box carry idle flits too, as
 * the guide says of S2B_HOM_BYPASS and B2S_DRS_BYPASS.
 */
#include "model/box/bbox.h"
#include "model/box/rbox.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

static bool link_is_busy(const struct sbox *sbox, enum sbox_idle_link link)
{
	const struct socket *socket = sbox->socket;
	uint64_t now = sim_now(socket->sim);

	switch (link) {
	case SBOX_IDLE_TO_R: return sbox->pumps[SBOX_TO_R].free_at > now;
	case SBOX_IDLE_TO_B: return sbox->pumps[SBOX_TO_B].free_at > now;
	case SBOX_IDLE_FROM_R:
		return rbox_is_sending(socket->rbox, sbox_port(sbox));
	default:
		return socket->bboxes[sbox->side].free_at[BBOX_TO_SBOX] > now;
	}
}

/* A credit for this link: it takes an idle flit if the link carries nothing. */
static void idle_flit(struct sbox *sbox, enum sbox_idle_link link)
{
	static const uint16_t signals[] = {
		[SBOX_IDLE_TO_R] = SIG_SBOX_RBOX_CREDIT_RETURNS,
		[SBOX_IDLE_TO_B] = SIG_SBOX_BBOX_CREDIT_RETURNS,
		[SBOX_IDLE_FROM_R] = SIG_SBOX_RBOX_CREDIT_CARRIERS,
		[SBOX_IDLE_FROM_B] = SIG_SBOX_BBOX_CREDITS,
	};
	uint64_t next = sim_now(sbox->socket->sim) + 1;

	if (sbox->last_idle_flit[link] == next || link_is_busy(sbox, link))
		return;
	sbox->last_idle_flit[link] = next;
	sig_pulse(sbox->bank, signals[link], 1);
	if (link == SBOX_IDLE_TO_R)
		rbox_idle_flit(sbox->socket->rbox, sbox_port(sbox));
	else if (link == SBOX_IDLE_TO_B)
		sig_busy(sbox->bank, SIG_SBOX_S2B_HOM_BYPASS, next);
	else if (link == SBOX_IDLE_FROM_B)
		sig_busy(sbox->bank, SIG_SBOX_B2S_DRS_BYPASS, next);
}

/* A place is shared by the classes of a buffer, and but for DRS by R-Box and
 * B-Box: all that may have found it taken try again. */
static void resume(struct sbox *sbox, unsigned cls)
{
	struct rbox *rbox = sbox->socket->rbox;
	unsigned port = sbox_port(sbox);

	rbox_resume(rbox, port, cls);
	if (cls == PACKET_NDR || cls == PACKET_DRS || !sbox->was_shared_full)
		return;
	sbox->was_shared_full = false;
	for (unsigned i = 0; i < PACKET_NUM_CLASSES; i++)
		if (i != cls && (i == PACKET_SNP || i == PACKET_NCS ||
				 i == PACKET_NCB))
			rbox_resume(rbox, port, i);
}

void sbox_give_back(struct sbox *sbox, unsigned cls, bool is_direct)
{
	idle_flit(sbox, is_direct ? SBOX_IDLE_TO_B : SBOX_IDLE_TO_R);
	/* with a directory the B-Box sends snoops, into the same queue */
	if (is_direct || cls != PACKET_DRS)
		bbox_sbox_has_room(&sbox->socket->bboxes[sbox->side]);
	if (!is_direct || cls == PACKET_NDR)
		resume(sbox, cls);
}

void sbox_rbox_credit(void *object, enum packet_class cls, unsigned vn,
		      unsigned flits)
{
	struct sbox *sbox = object;

	(void)cls, (void)vn, (void)flits;
	idle_flit(sbox, SBOX_IDLE_FROM_R);
	sbox_try_again(sbox, SBOX_TO_R);
}

void sbox_bbox_credit(struct sbox *sbox, const struct packet *packet)
{
	if (packet->vn)
		sbox->b_vna_free += packet->flits;
	else
		sbox->b_vn0_is_used[packet->cls] = false;
	idle_flit(sbox, SBOX_IDLE_FROM_B);
	sbox_try_again(sbox, SBOX_TO_B);
}

bool sbox_spend_bbox_credit(struct sbox *sbox, struct packet *packet)
{
	if (sbox->b_vna_free >= packet->flits) {
		sbox->b_vna_free -= packet->flits;
		packet->vn = 2;
		return true;
	}
	sig_pulse(sbox->bank, SIG_SBOX_NO_CREDIT_VNA_BBOX, 1);
	if (sbox->b_vn0_is_used[packet->cls])
		return false;
	sbox->b_vn0_is_used[packet->cls] = true;
	packet->vn = 0;
	return true;
}
