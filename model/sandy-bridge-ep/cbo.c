/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The CBo.
 */
#include "model/sandy-bridge-ep/cbo.h"

#include <stdlib.h>

#include "model/box/llc.h"
#include "model/sandy-bridge-ep/imc.h"

struct cbo {
	struct sigbank *bank;
	struct llc llc;
};

struct cbo *cbo_new(struct ep *ep, unsigned socket, unsigned number,
		    const struct uc_family *family)
{
	struct cbo *cbo = calloc(1, sizeof(*cbo));
	const struct socket *s = ep->sockets[socket].socket;

	if (!cbo)
		return NULL;
	cbo->bank = socket_bank(s, family, "cbo", number);
	if (llc_init(&cbo->llc, ep->num_cores,
		     (uint64_t)socket_param(s, PARAM_LLC_SLICE) * 1024,
		     socket_param(s, PARAM_LLC_WAYS))) {
		free(cbo);
		return NULL;
	}
	return cbo;
}

void cbo_free(struct cbo *cbo)
{
	if (cbo)
		llc_fini(&cbo->llc);
	free(cbo);
}

bool cbo_write_silently(struct core *core, uint64_t line)
{
	(void)core, (void)line;
	return false;
}

const struct llc *cbo_llc(const struct socket *socket, unsigned slice)
{
	return &socket->ep->sockets[socket->index].cbos[slice]->llc;
}

void cbo_begin(struct ep *ep, struct core *core, unsigned entry)
{
	const struct ep_home home = ep_home(ep, core->misses[entry].line);
	struct imc *imc = ep->sockets[home.socket].imcs[home.channel];
	uint64_t at = imc_read(imc, IMC_READ, home.local,
			       imc_read_from(imc, ep_now(ep) + 30));

	sim_at(ep->sim, at + 30, core_done, core, entry);
	ep_busy_until(ep, at + 30);
}

uint64_t cbo_device(struct ep *ep, unsigned socket, enum cbo_device kind,
		    uint64_t line, uint64_t at)
{
	(void)ep, (void)socket, (void)kind, (void)line;
	return at + 100;
}
