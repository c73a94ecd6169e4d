/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * How a C-Box asks cores for their copies: one message on the IV ring passes
 * all stops, each core that is meant takes it or lets it bounce, and answers
 * over AK. The IV egress is a queue in time: a snoop that finds the slot taken
 * waits for the next free one.
 */
#include "model/box/cbox.h"
#include "model/box/core.h"
#include "model/box/socket.h"
#include "signals.h"

void cbox_drive_snoop_signals(struct cbox *cbox)
{
	sig_drives(cbox->bank, SIG_CBOX_BOUNCES_C2P_IV, 1);
}

/* Arguments of a snoop: core 4 bits, downgrade, dirty, token 16, line. */
static void arrives(void *object, uint64_t argument)
{
	struct cbox *cbox = object;
	struct socket *socket = cbox->socket;
	struct core *core = &socket->cores[argument & 0xf];
	uint64_t now = sim_now(socket->sim);

	if (core_snoop(core, cbox->index, argument >> 24, argument >> 4 & 1,
		       argument >> 5 & 1, argument >> 8 & 0xffff))
		return;
	sig_pulse(cbox->bank, SIG_CBOX_BOUNCES_C2P_IV, 1);
	ring_broadcast_again(
		&socket->ring, core->stop,
		ring_hops(&socket->ring, RING_CW, cbox->stop, core->stop), now);
	sim_at(socket->sim, now + socket->ring.num_stops, arrives, cbox,
	       argument);
}

static void starves(void *object, uint64_t unused)
{
	struct cbox *cbox = object;

	(void)unused;
	if (!cbox->num_iv_starved++)
		sig_set(cbox->bank, SIG_CBOX_STARVED_EGRESS_IV, 1);
}

static void is_fed(void *object, uint64_t unused)
{
	struct cbox *cbox = object;

	(void)unused;
	if (!--cbox->num_iv_starved)
		sig_set(cbox->bank, SIG_CBOX_STARVED_EGRESS_IV, 0);
}

/* The cycle in which a snoop is on the ring. */
static uint64_t inject(struct cbox *cbox)
{
	struct socket *socket = cbox->socket;
	uint64_t now = sim_now(socket->sim);
	unsigned losses, starve = cbox->ad[0].starve_cycles;
	uint64_t start =
		ring_broadcast(&socket->ring, cbox->stop, now, &losses);

	for (unsigned i = 0; i < losses; i++)
		sig_later(cbox->bank, SIG_CBOX_ARB_LOSSES_IV, now + i, 1);
	sig_later(cbox->bank, SIG_CBOX_ARB_WINS_IV, start, 1);
	if (!losses)
		sig_pulse(cbox->bank, SIG_CBOX_EGRESS_BYPASS_WINS_IV_BYP0, 1);
	else if (losses == 1)
		sig_later(cbox->bank, SIG_CBOX_EGRESS_BYPASS_WINS_IV_BYP1,
			  start, 1);
	if (losses > starve) {
		sim_at(socket->sim, now + starve, starves, cbox, 0);
		sim_at(socket->sim, start, is_fed, cbox, 0);
	}
	return start;
}

unsigned cbox_snoop_cores(struct cbox *cbox, uint64_t line, unsigned cores,
			  bool downgrade, bool is_dirty, uint64_t token)
{
	struct socket *socket = cbox->socket;
	uint64_t start = inject(cbox);
	unsigned num = 0;

	for (unsigned core = 0; core < socket->num_cores; core++) {
		unsigned hops;

		if (!(cores >> core & 1))
			continue;
		hops = ring_hops(&socket->ring, RING_CW, cbox->stop,
				 socket->cores[core].stop);
		sim_at(socket->sim, start + (hops ? hops : 1), arrives, cbox,
		       line << 24 | token << 8 | (uint64_t)is_dirty << 5 |
			       (uint64_t)downgrade << 4 | core);
		num++;
	}
	return num;
}

void cbox_snoop_response(struct cbox *cbox, uint64_t token, bool is_dirty)
{
	unsigned index = token & 0xff;

	switch (token >> 8) {
	case TOKEN_MAF: cbox_maf_snooped(cbox, index, is_dirty); break;
	case TOKEN_VIQ: cbox_viq_snooped(cbox, index, is_dirty); break;
	default: cbox_probe_snooped(cbox, index, is_dirty); break;
	}
}
