/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The ends of a link: how they are made, and joined.
 */
#include <math.h>
#include <stdlib.h>

#include "model/sandy-bridge-ep/qll_parts.h"

enum { LINK_CYCLE_TRANSFERS = 8 };

static struct ep_clock clock_of(const struct socket *socket, double transfers)
{
	return ep_clock(socket,
			socket->param[PARAM_QPI_RATE] * 1000 / transfers);
}

/* Cycles as whole link cycles, at least one where there are any. */
static unsigned link_cycles(const struct qll *qll, const struct socket *socket,
			    enum param param)
{
	double cycles = socket->param[param] * (double)qll->clock.num /
			(double)qll->clock.den;

	return cycles > 0 && cycles < 1 ? 1 : (unsigned)llround(cycles);
}

static void configure(struct qll *qll, const struct socket *socket)
{
	struct qll_config *config = &qll->config;

	config->ingress = socket_param(socket, PARAM_R3QPI_INGRESS);
	config->egress = socket_param(socket, PARAM_R3QPI_EGRESS);
	config->in_cycles = socket_param(socket, PARAM_R3QPI_CYCLES);
	config->bypass_cycles = socket_param(socket, PARAM_R3QPI_BYPASS_CYCLES);
	config->iio_cycles = socket_param(socket, PARAM_R3QPI_IIO_CYCLES);
	config->vna = socket_param(socket, PARAM_QLL_VNA);
	config->tx_flits = socket_param(socket, PARAM_QLL_TX_QUEUE);
	config->retry_flits = socket_param(socket, PARAM_QLL_RETRY_BUFFER);
	config->cross_cycles = socket_param(socket, PARAM_QLL_CROSS_CYCLES);
	config->link_cycles = socket_param(socket, PARAM_QLL_CYCLES);
	config->return_cycles = socket_param(socket, PARAM_QLL_RETURN_CYCLES);
	config->half_after = socket_param(socket, PARAM_QLL_HALF_AFTER);
	/* Whole slots. */
	config->latency = link_cycles(qll, socket, PARAM_QPI_LATENCY);
	config->latency += config->latency % qll->form->cycles;
	config->sleep_after = link_cycles(qll, socket, PARAM_QPI_IDLE_CYCLES);
	config->wake = link_cycles(qll, socket, PARAM_QPI_WAKE_CYCLES);
	config->retry_limit = socket_param(socket, PARAM_QPI_RETRY_LIMIT);
	config->reset = link_cycles(qll, socket, PARAM_QPI_RESET_CYCLES);
	config->init_flits = socket_param(socket, PARAM_QPI_INIT_FLITS);
}

static void make_queues(struct qll *qll)
{
	for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++) {
		places_init(&qll->ingress[cls], qll->config.ingress);
		places_init(&qll->iio[cls], 1);
	}
	for (unsigned ring = 0; ring < QLL_RINGS; ring++)
		places_init(&qll->egress[ring], qll->config.egress);
	qll_credits_init(&qll->credits, qll->config.vna);
}

/* Both ends are there. */
static bool join(struct qll *first, struct qll *second)
{
	struct qll *ends[] = { first, second };

	first->far = second;
	second->far = first;
	first->visits = visits_new(first->qpi, sizeof(struct qll_passage));
	if (!first->visits || !visits_join(first->visits, first->r3qpi) ||
	    !visits_join(first->visits, second->qpi) ||
	    !visits_join(first->visits, second->r3qpi))
		return false;
	second->visits = first->visits;
	first->up = second->up = &first->own_up;
	for (unsigned i = 0; i < 2; i++)
		qll_start_levels(ends[i]);
	for (unsigned i = 0; i < 2; i++)
		wire_start(ends[i]);
	return true;
}

struct qll *qll_new_on(struct ep *ep, unsigned socket, unsigned number,
		       struct sigbank *qpi, struct sigbank *r3qpi)
{
	struct socket *place = ep->sockets[socket].socket;
	struct qll *qll = calloc(1, sizeof(*qll)), *other;
	unsigned far_end;

	if (!qll)
		return NULL;
	qll->ep = ep;
	qll->socket = socket;
	qll->number = number;
	qll->qpi = qpi;
	qll->r3qpi = r3qpi;
	qll->faults = &place->faults;
	qll->clock = clock_of(place, LINK_CYCLE_TRANSFERS);
	qll->form = &ep->kind->flits;
	qll->slots =
		clock_of(place, (double)LINK_CYCLE_TRANSFERS *
					qll->form->cycles / qll->form->flits);
	configure(qll, place);
	make_queues(qll);
	qll_drive_signals(qll);
	far_end = ep_far_end(ep, socket, number);
	other = far_end < socket ? ep->sockets[far_end].qlls[number] : NULL;
	if (far_end >= ep->num_sockets)
		qll_start_levels(qll);
	if (!other || join(other, qll))
		return qll;
	other->far = NULL;
	qll_free(qll);
	return NULL;
}

struct qll *qll_new(struct ep *ep, unsigned socket, unsigned number,
		    const struct uc_family *family)
{
	const struct socket *place = ep->sockets[socket].socket;

	return qll_new_on(
		ep, socket, number,
		socket_bank(place, family, ep->kind->link, number),
		socket_bank(place, family, ep->kind->link_stop, number));
}

void qll_free(struct qll *qll)
{
	if (!qll)
		return;
	wire_stop(qll);
	awake_free(&qll->own_up);
	qll_credits_free(&qll->credits);
	free(qll);
}

const char *qll_config_check(const struct socket *socket)
{
	double link =
		socket->param[PARAM_QPI_RATE] * 1000 / LINK_CYCLE_TRANSFERS;
	double asleep = socket->param[PARAM_QPI_IDLE_CYCLES] * link /
			socket->param[PARAM_UNCORE_CLOCK];

	if (asleep > 0 && asleep < socket->param[PARAM_QLL_HALF_AFTER])
		return "qpi.idle_cycles shuts a link down before "
		       "qll.half_after makes it narrow";
	return NULL;
}
