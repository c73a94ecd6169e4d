/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The sending end of links: what a flit goes through until it has arrived, and
 * what leaves a port while nothing is sent.
 *
 * A flit may arrive with a wrong CRC (FAULT_QPI_CRC). The receiver drops it and
 * all that follow, and asks for them with a special flit; the sender answers
 * with another one and replays from the bad flit on. All this is known as soon
 * as the flit is put on the link: replayed flits come in the order of the first
 * time, so the receiver never sees the dropped ones, and the link is busy with
 * the bad flit for a round trip and two flits more. The receiver learns by a
 * notice what it has seen. After `retry_limit` bad tries of a flit, or at
 * FAULT_PBOX_RESET, the physical layer is initialised again at both ends: the
 * link is down for `reset_cycles` and comes up with `init_flits` special flits.
 * The lanes that caused it are left out from then on, so the same flit cannot
 * fail again.
 */
#include "model/box/rbox_parts.h"
#include "signals.h"

/* Notices are events of their own rank, after all packets of a cycle. */
enum { NOTICE_RANK = RBOX_NUM_PORTS + 1 };

/* The way of a packet over a link of a port; `lane` is the receiver's. */
struct passage {
	struct rbox *rbox;
	unsigned port;
	struct qpi_link *link;
	struct qpi_lane *lane;
	bool is_from_hub, is_to_hub;
};

/* Signal of what leaves the port */

static uint64_t busy_until(const struct rbox_output *output)
{
	return output->lane ? qpi_idle_time(&output->link) : output->free;
}

static uint64_t phase_end(const struct rbox *rbox,
			  const struct rbox_output *output)
{
	unsigned idle_cycles = rbox->config.idle_cycles;

	if (output->phase == RBOX_BUSY)
		return busy_until(output);
	if (output->phase == RBOX_IDLE && output->lane && idle_cycles)
		return busy_until(output) + idle_cycles;
	return SIM_NEVER;
}

void rbox_start_phase(struct rbox *rbox, unsigned port, enum rbox_phase phase)
{
	rbox->outputs[port].phase = (uint8_t)phase;
	sig_set(rbox->bank, rbox_signal(SIG_RBOX_NULL_IDLE, port),
		phase == RBOX_IDLE);
}

static void phase_ends(void *object, uint64_t port)
{
	struct rbox *rbox = object;

	if (rbox->outputs[port].timed == sim_now(rbox->sim))
		rbox->outputs[port].timed = SIM_NEVER;
	rbox_check_phase(rbox, (unsigned)port);
}

/* Says that a phase is over as soon as it is. While nobody listens to the null
 * flits a look once per window is enough, and no event is spent on it; who
 * begins to listen does so between windows. */
void rbox_check_phase(struct rbox *rbox, unsigned port)
{
	struct rbox_output *output = &rbox->outputs[port];
	uint64_t end = phase_end(rbox, output);

	for (; end <= sim_now(rbox->sim); end = phase_end(rbox, output))
		rbox_start_phase(rbox, port, output->phase + 1u);
	if (end >= output->timed ||
	    !sig_is_tapped(rbox->bank, rbox_signal(SIG_RBOX_NULL_IDLE, port)))
		return;
	output->timed = end;
	sim_at(rbox->sim, end, phase_ends, rbox, port);
}

/* A link that is up sends null flits while it has nothing else. */
void rbox_link_up(struct rbox *rbox, unsigned port)
{
	rbox_start_phase(rbox, port, RBOX_IDLE);
	rbox_check_phase(rbox, port);
}

/* The phase as it is, for somebody who begins to listen. */
void rbox_find_phase(struct rbox *rbox, unsigned port)
{
	struct rbox_output *output = &rbox->outputs[port];
	uint64_t now = sim_now(rbox->sim);

	if (!output->lane && !output->client.deliver)
		return;
	for (output->phase = RBOX_BUSY; phase_end(rbox, output) <= now;)
		output->phase++;
	rbox->bank->signals[rbox_signal(SIG_RBOX_NULL_IDLE, port)].level =
		output->phase == RBOX_IDLE;
}

static bool is_asleep(const struct rbox *rbox, const struct qpi_link *link)
{
	unsigned idle_cycles = rbox->config.idle_cycles;

	return idle_cycles &&
	       sim_now(rbox->sim) >= qpi_idle_time(link) + idle_cycles;
}

bool rbox_link_sleeps(const struct rbox *rbox, unsigned node)
{
	unsigned socket = NODE_AT(node), port = RBOX_PORT_QPI3;

	if (socket != rbox->socket)
		port = rbox->routes[socket];
	else if (!NODE_IS_IOH(node))
		return false;
	return is_asleep(rbox, &rbox->outputs[port].link);
}

/* Notices */

static void special_flit(void *object, uint64_t port)
{
	struct rbox *rbox = object;

	sig_pulse(rbox->bank,
		  rbox_signal(SIG_RBOX_FLITS_RECV_SPEC, (unsigned)port), 1);
}

static void report(const struct rbox *rbox, unsigned port)
{
	if (rbox->config.corrected)
		rbox->config.corrected(rbox->config.object, port);
}

static void bad_flit(void *object, uint64_t port)
{
	struct rbox *rbox = object;

	sig_pulse(rbox->bank,
		  rbox_signal(SIG_RBOX_FLITS_RECV_ERR, (unsigned)port), 1);
	report(rbox, (unsigned)port);
}

static sim_fn reset_by_neighbour;

static void see(struct rbox *rbox, unsigned port,
		const struct qpi_notice *notice)
{
	static sim_fn *const what[] = {
		[QPI_BAD_FLIT] = bad_flit,
		[QPI_SPECIAL_FLIT] = special_flit,
		[QPI_RESET] = reset_by_neighbour,
	};

	sim_first(rbox->sim, notice->time, NOTICE_RANK, what[notice->kind],
		  rbox, port);
}

void rbox_take_notices(struct rbox *rbox, unsigned port)
{
	struct qpi_lane *lane = &rbox->inputs[port].lane;

	for (uint32_t i = 0; i < lane->num_notices; i++)
		see(rbox, port, &lane->notices[i]);
	lane->num_notices = 0;
}

/* The receiver sees it as late as it would see a packet, so a neighbour has not
 * come there yet. A hub has no counters. */
static void notify(const struct passage *passage, uint64_t sent,
		   enum qpi_notice_kind kind)
{
	uint64_t time = sent + rbox_window_cycles(&passage->rbox->config);

	if (passage->is_from_hub)
		see(passage->rbox, passage->port,
		    &(struct qpi_notice){ time, kind });
	else if (!passage->is_to_hub)
		qpi_notify(passage->lane, time, kind);
}

/* Errors */

static void initialise(const struct passage *passage)
{
	const struct rbox_config *config = &passage->rbox->config;
	struct qpi_link *link = passage->link;

	qpi_occupy(link,
		   (uint64_t)config->reset_cycles * link->ticks_per_cycle);
	for (unsigned flit = 0; flit < config->init_flits; flit++) {
		qpi_occupy(link, link->flit_ticks);
		notify(passage, qpi_idle_time(link), QPI_SPECIAL_FLIT);
	}
}

/* From the present cycle on, or as soon as all before has been sent. */
static void take_down(const struct passage *passage)
{
	qpi_start(passage->link, sim_now(passage->rbox->sim));
	initialise(passage);
}

static struct passage passage_of(struct rbox *rbox, unsigned port,
				 struct qpi_link *link, struct qpi_lane *lane)
{
	bool is_from_hub = lane == &rbox->inputs[port].lane;

	return (struct passage){
		rbox, port,	   link,
		lane, is_from_hub, rbox->inputs[port].hub && !is_from_hub,
	};
}

/* The way opposite to that on which a reset began. */
static void reset_by_neighbour(void *object, uint64_t argument)
{
	struct rbox *rbox = object;
	unsigned port = (unsigned)argument;
	struct rbox_output *output = &rbox->outputs[port];
	struct passage passage =
		passage_of(rbox, port, &output->link, output->lane);

	report(rbox, port);
	take_down(&passage);
	rbox_start_phase(rbox, port, RBOX_BUSY);
	rbox_check_phase(rbox, port);
}

/* Both ends of the link; a hub's is reset at once. */
static void reset(const struct passage *passage)
{
	struct rbox_input *input = &passage->rbox->inputs[passage->port];

	initialise(passage);
	if (passage->is_to_hub) {
		struct passage back =
			passage_of(passage->rbox, passage->port,
				   rbox_hub_link(input->hub), &input->lane);

		report(passage->rbox, passage->port);
		take_down(&back);
		return;
	}
	notify(passage, sim_now(passage->rbox->sim), QPI_RESET);
}

/* The flit put on the link last arrives bad: sends it again. */
static void replay(const struct passage *passage)
{
	struct qpi_link *link = passage->link;

	notify(passage, qpi_idle_time(link), QPI_BAD_FLIT);
	/* the bad flit to the receiver, its request back */
	qpi_occupy(link, 2ull * link->latency_cycles * link->ticks_per_cycle +
				 link->flit_ticks);
	if (!passage->is_from_hub)
		sim_at(passage->rbox->sim, qpi_idle_time(link), special_flit,
		       passage->rbox, passage->port);
	qpi_occupy(link, link->flit_ticks); /* "here they are" */
	notify(passage, qpi_idle_time(link), QPI_SPECIAL_FLIT);
	qpi_transmit_again(link);
}

/* True when a flit has arrived bad as often as it may. */
static bool replay_bad_tries(const struct passage *passage)
{
	struct rbox *rbox = passage->rbox;

	for (unsigned i = 0; i < rbox->config.retry_limit; i++) {
		if (!fault_strikes(rbox->config.faults, FAULT_QPI_CRC,
				   passage->port, sim_now(rbox->sim)))
			return false;
		replay(passage);
	}
	reset(passage);
	qpi_transmit_again(passage->link);
	return true;
}

/* One by one, since each may fail. */
static bool transmit_flits(const struct passage *passage, unsigned flits)
{
	uint64_t now = sim_now(passage->rbox->sim);
	bool may_fail = true, was_full = false;

	for (unsigned flit = 0; flit < flits; flit++) {
		was_full |= qpi_transmit(passage->link, now, 1);
		if (may_fail)
			may_fail = !replay_bad_tries(passage);
	}
	return was_full;
}

/* The way over a link on which something may go wrong, or that sleeps. */
static bool transmit_carefully(const struct passage *passage, unsigned flits)
{
	struct rbox *rbox = passage->rbox;
	struct faults *faults = rbox->config.faults;
	struct qpi_link *link = passage->link;
	uint64_t now = sim_now(rbox->sim);

	if (is_asleep(rbox, link)) {
		qpi_start(link, now);
		qpi_occupy(link, (uint64_t)rbox->config.wake_cycles *
					 link->ticks_per_cycle);
	}
	if (fault_strikes(faults, FAULT_PBOX_RESET, passage->port, now)) {
		qpi_start(link, now);
		reset(passage);
	}
	if (!passage->is_to_hub && fault_is_active(faults, FAULT_QPI_CRC))
		return transmit_flits(passage, flits);
	return qpi_transmit(link, now, flits);
}

uint64_t rbox_transmit(struct rbox *rbox, unsigned port, struct qpi_link *link,
		       struct qpi_lane *lane, unsigned flits)
{
	const struct rbox_config *config = &rbox->config;
	bool was_full;

	if (config->idle_cycles ||
	    fault_is_active(config->faults, FAULT_PBOX_RESET) ||
	    fault_is_active(config->faults, FAULT_QPI_CRC)) {
		struct passage passage = passage_of(rbox, port, link, lane);

		was_full = transmit_carefully(&passage, flits);
	} else {
		was_full = qpi_transmit(link, sim_now(rbox->sim), flits);
	}
	if (was_full && link == &rbox->outputs[port].link)
		sig_pulse(rbox->bank, rbox_signal(SIG_RBOX_RETRYQ_OV, port), 1);
	return qpi_idle_time(link) + link->latency_cycles;
}
