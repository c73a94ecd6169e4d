/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The bench of rbox_rig.h. Time runs in windows as it does in the machine.
 * Signals are recorded by stand-ins for the functions of model/pmu/tap.c.
 */
#include "rbox_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signals.h"

static const unsigned box_ports[RIG_PORTS] = { RBOX_PORT_SBOX0, RBOX_PORT_BBOX0,
					       RBOX_PORT_SBOX1,
					       RBOX_PORT_BBOX1 };

/* A recorder of one signal. */
struct sig_tap {
	uint64_t pulses;
	uint64_t integral; /* of the level, up to `since` */
	uint64_t since;
	uint64_t busy_until;
};

static void integrate(struct sigbank *bank, struct sig_tap *tap, int64_t level)
{
	uint64_t now = sim_now(bank->sim);

	assert_true(level >= 0);
	tap->integral += (uint64_t)level * (now - tap->since);
	tap->since = now;
}

void sig_tapped_pulse(struct sigbank *bank, unsigned id, unsigned n)
{
	bank->signals[id].taps->pulses += n;
}

void sig_tapped_level(struct sigbank *bank, unsigned id, int64_t delta)
{
	integrate(bank, bank->signals[id].taps,
		  bank->signals[id].level - delta);
}

void sig_tapped_busy(struct sigbank *bank, unsigned id, uint64_t until)
{
	struct sig_tap *tap = bank->signals[id].taps;
	uint64_t from = sim_now(bank->sim);

	if (from < tap->busy_until)
		from = tap->busy_until;
	if (until > from) {
		tap->integral += until - from;
		tap->busy_until = until;
	}
}

/* Of levels the R-Box publishes none for times to come. */
void sig_log_full(struct sigbank *bank)
{
	struct sig_entry *entry = bank->log_next - 1;

	bank->log_next = entry;
	assert_true(entry->from >= sim_now(bank->sim));
	assert_int_equal(entry->kind, SIG_PULSE);
	if (bank->signals[entry->id].taps)
		bank->signals[entry->id].taps->pulses += (uint64_t)entry->n;
}

void sig_tapped_packet(struct sigbank *bank, unsigned id,
		       const struct sig_header *header)
{
	assert_true(header->flits > 0);
	bank->signals[id].taps->pulses++;
}

void sig_drives(struct sigbank *bank, unsigned first, unsigned n)
{
	memset(bank->driven + first, true, n);
}

uint64_t rig_signal(struct rig *rig, unsigned socket, unsigned signal,
		    unsigned port)
{
	struct sigbank *bank = &rig->banks[socket];
	unsigned id = signal * RBOX_NUM_PORTS + port;
	struct sig_tap *tap = bank->signals[id].taps;

	assert_true(bank->driven[id]);
	integrate(bank, tap, bank->signals[id].level);
	if (tap->busy_until > rig->now) /* was counted in advance */
		return tap->pulses + tap->integral -
		       (tap->busy_until - rig->now);
	return tap->pulses + tap->integral;
}

static struct sig_tap *make_taps(struct rig *rig, unsigned socket)
{
	struct sigbank *bank = &rig->banks[socket];

	rig->taps[socket] = calloc(bank->num_signals, sizeof(struct sig_tap));
	return rig->taps[socket];
}

void rig_listen(struct rig *rig)
{
	for (unsigned socket = 0; socket < rig->num_sockets; socket++) {
		struct sigbank *bank = &rig->banks[socket];
		struct sig_tap *taps = make_taps(rig, socket);

		for (unsigned id = 0; id < bank->num_signals; id++) {
			uint64_t until = bank->signals[id].busy_until;

			taps[id].since = rig->now;
			bank->signals[id].taps = &taps[id];
			bank->on_tap(bank->on_tap_object, id);
			if (until > rig->now)
				sig_tapped_busy(bank, id, until);
		}
	}
}

uint64_t rig_signal_sum(struct rig *rig, unsigned signal)
{
	uint64_t sum = 0;

	for (unsigned socket = 0; socket < rig->num_sockets; socket++)
		for (unsigned port = 0; port < RBOX_NUM_PORTS; port++)
			sum += rig_signal(rig, socket, signal, port);
	return sum;
}

int64_t rig_level(struct rig *rig, unsigned socket, unsigned signal,
		  unsigned port)
{
	return rig->banks[socket].signals[signal * RBOX_NUM_PORTS + port].level;
}

static unsigned random_below(struct rig_box *box, unsigned limit)
{
	box->random ^= box->random << 13;
	box->random ^= box->random >> 7;
	box->random ^= box->random << 17;
	return (unsigned)(box->random >> 20) % limit;
}

/* HOM, SNP, NDR, DRS, NCS, NCB */
static const uint8_t flits_of[PACKET_NUM_CLASSES] = { 1, 1, 1, 9, 3, 11 };
static const uint8_t codes_of[PACKET_NUM_CLASSES] = { MC_HOM0, MC_SNP, MC_NDR,
						      MC_DRS,  MC_NCS, MC_NCB };

static void make_next(struct rig_box *box)
{
	struct rig *rig = box->rig;
	unsigned cls = box->only_class, dest = (unsigned)box->only_dest;

	if (cls == PACKET_NUM_CLASSES)
		cls = random_below(box, PACKET_NUM_CLASSES);
	while (box->only_dest < 0) {
		dest = random_below(box, rig->num_boxes);
		if (dest != box->index)
			break;
	}
	box->next = (struct packet){
		.line = box->num_sent,
		.serial = box->sent[dest][cls]++,
		.cls = (uint8_t)cls,
		.mc = codes_of[cls],
		.flits = flits_of[cls],
		.source = (uint8_t)box->index,
		.dest = (uint8_t)rig->boxes[dest].node,
		.other_serial = (uint8_t)dest,
		.network = box->uses_vn1 && dest & 1,
	};
	box->has_next = true;
}

/* Sends as long as there are credits. */
static void pump(void *object, uint64_t unused)
{
	struct rig_box *box = object;
	struct rbox *rbox = box->rig->rboxes[box->socket];

	(void)unused;
	box->is_waiting = false;
	while (box->num_sent < box->num_to_send) {
		bool can;

		if (!box->has_next)
			make_next(box);
		can = rbox_vna_free(rbox, box->port) >= box->next.flits ||
		      (box->next.network ? rbox_vn1_free : rbox_vn0_free)(
			      rbox, box->port, box->next.cls);
		if (!box->next.network)
			assert_int_equal(can, rbox_can_send(rbox, box->port,
							    box->next.cls,
							    box->next.flits));
		assert_int_equal(can, rbox_send(rbox, box->port, &box->next));
		if (!can) {
			box->is_waiting = true;
			return;
		}
		box->has_next = false;
		box->num_sent++;
		box->flits_sent += box->next.flits;
		if (box->pace_cycles) {
			struct sim *sim = box->rig->sims[box->socket];

			sim_at(sim,
			       sim_now(sim) + 1 +
				       random_below(box, box->pace_cycles),
			       pump, box, 0);
			return;
		}
	}
}

static void on_credit(void *object, enum packet_class cls, unsigned vn,
		      unsigned flits)
{
	struct rig_box *box = object;
	struct rbox *rbox = box->rig->rboxes[box->socket];

	if (vn == 2)
		assert_true(rbox_vna_free(rbox, box->port) >= flits);
	else
		assert_true((vn ? rbox_vn1_free
				: rbox_vn0_free)(rbox, box->port, cls));
	if (box->is_waiting)
		pump(box, 0);
}

static void resume(void *object, uint64_t cls)
{
	struct rig_box *box = object;

	box->refused_classes &= ~(1u << cls);
	rbox_resume(box->rig->rboxes[box->socket], box->port,
		    (enum packet_class)cls);
}

static bool refuse(struct rig_box *box, unsigned cls)
{
	struct sim *sim = box->rig->sims[box->socket];

	assert_false(box->refused_classes & 1u << cls);
	if (box->closed_classes & 1u << cls) {
		box->refused_classes |= 1u << cls;
		return true;
	}
	if (random_below(box, 100) >= box->refuse_percent)
		return false;
	box->refused_classes |= 1u << cls;
	sim_at(sim, sim_now(sim) + 1 + random_below(box, 200), resume, box,
	       cls);
	return true;
}

static bool on_deliver(void *object, const struct packet *packet)
{
	struct rig_box *box = object;

	assert_int_equal(packet->dest, box->node);
	if (refuse(box, packet->cls))
		return false;
	assert_int_equal(packet->serial,
			 box->got[packet->source][packet->cls]++);
	box->last_time = sim_now(box->rig->sims[box->socket]);
	if (!box->num_got++)
		box->first_time = box->last_time;
	box->flits_got += packet->flits;
	return true;
}

static void make_bank(struct rig *rig, unsigned socket, bool tapped)
{
	unsigned num_signals = NUM_SIG_RBOX * RBOX_NUM_PORTS;
	struct sigbank *bank = &rig->banks[socket];
	struct sig_tap *taps;

	bank->sim = rig->sims[socket];
	bank->num_signals = num_signals;
	bank->log_next = &rig->logs[socket];
	bank->log_end = bank->log_next + 1;
	bank->signals = calloc(num_signals, sizeof(*bank->signals));
	bank->driven = calloc(num_signals, sizeof(*bank->driven));
	if (!tapped)
		return;
	taps = make_taps(rig, socket);
	for (unsigned id = 0; id < num_signals; id++)
		bank->signals[id].taps = &taps[id];
}

static void make_box(struct rig *rig, unsigned index, unsigned node,
		     unsigned port)
{
	struct rig_box *box = &rig->boxes[index];
	struct rbox_client client = { box, on_deliver, on_credit };

	box->rig = rig;
	box->socket = NODE_AT(node);
	box->port = port;
	box->index = index;
	box->node = node;
	box->only_class = PACKET_NUM_CLASSES;
	box->only_dest = -1;
	assert_true(rbox_attach(rig->rboxes[box->socket], port, &client));
}

static void count_corrected(void *object, unsigned port)
{
	struct rig *rig = object;

	assert_true(port < RBOX_NUM_PORTS);
	rig->num_corrected++;
}

static void make_socket(struct rig *rig, unsigned socket, bool tapped)
{
	struct rbox_config config = rig->config;

	rig->faults[socket] =
		(struct faults){ .plan = &rig->plan, .socket = socket };
	config.faults = &rig->faults[socket];
	config.corrected = count_corrected;
	config.object = rig;
	rig->sims[socket] = sim_new();
	make_bank(rig, socket, tapped);
	rig->rboxes[socket] = rbox_new(rig->sims[socket], &rig->banks[socket],
				       &config, socket, rig->num_sockets);
	assert_non_null(rig->rboxes[socket]);
	for (unsigned i = 0; i < RIG_PORTS; i++)
		make_box(rig, socket * 4 + i, socket * 4 + i, box_ports[i]);
}

struct rig *rig_new_with_hubs(unsigned num_sockets, unsigned num_hubs,
			      const struct rbox_config *config, bool tapped)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	rig->config = *config;
	rig->num_sockets = num_sockets;
	rig->num_hubs = num_hubs;
	rig->num_boxes = num_sockets * 4 + num_hubs;
	rig->window_cycles = rbox_window_cycles(config);
	fault_plan_init(&rig->plan, 1);
	for (unsigned socket = 0; socket < num_sockets; socket++)
		make_socket(rig, socket, tapped);
	for (unsigned hub = 0; hub < num_hubs; hub++)
		make_box(rig, num_sockets * 4 + hub, NODE_IOH(hub),
			 RBOX_PORT_QPI3);
	rbox_connect_all(rig->rboxes, num_sockets);
	return rig;
}

struct rig *rig_new(unsigned num_sockets, const struct rbox_config *config,
		    bool tapped)
{
	return rig_new_with_hubs(num_sockets, 0, config, tapped);
}

void rig_inject(struct rig *rig, const char *spec)
{
	char *error = fault_plan_add(&rig->plan, spec);

	assert_null(error);
}

uint64_t rig_injected(const struct rig *rig, enum fault fault)
{
	uint64_t sum = 0;

	for (unsigned socket = 0; socket < rig->num_sockets; socket++)
		sum += rig->faults[socket].injected[fault];
	return sum;
}

uint32_t rig_got(struct rig *rig, unsigned from, unsigned to, unsigned cls)
{
	return rig->boxes[to].got[from][cls];
}

void rig_free(struct rig *rig)
{
	for (unsigned socket = 0; socket < rig->num_sockets; socket++) {
		rbox_free(rig->rboxes[socket]);
		sim_free(rig->sims[socket]);
		free(rig->taps[socket]);
		free(rig->banks[socket].signals);
		free(rig->banks[socket].driven);
	}
	free(rig);
}

struct rig_box *rig_box(struct rig *rig, unsigned index)
{
	return &rig->boxes[index];
}

void rig_start(struct rig_box *box)
{
	sim_at(box->rig->sims[box->socket], box->rig->now, pump, box, 0);
}

void rig_fill(struct rig *rig, uint64_t packets_per_box, unsigned seed)
{
	for (unsigned i = 0; i < rig->num_boxes; i++) {
		struct rig_box *box = &rig->boxes[i];

		box->random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) +
			      i * UINT64_C(0xbf58476d1ce4e5b9);
		box->num_to_send += packets_per_box;
		rig_start(box);
	}
}

static void run_window(struct rig *rig, uint64_t cycles)
{
	rig->now += cycles;
	for (unsigned socket = 0; socket < rig->num_sockets; socket++)
		sim_run_until(rig->sims[socket], rig->now);
	for (unsigned socket = 0; socket < rig->num_sockets; socket++)
		rbox_exchange(rig->rboxes[socket]);
}

void rig_run(struct rig *rig, uint64_t cycles)
{
	uint64_t window = rig->window_cycles;
	uint64_t end = rig->now + cycles;

	while (rig->now < end)
		run_window(rig,
			   end - rig->now < window ? end - rig->now : window);
}

static bool is_quiet(struct rig *rig)
{
	for (unsigned socket = 0; socket < rig->num_sockets; socket++)
		if (!rbox_is_idle(rig->rboxes[socket]) ||
		    sim_next(rig->sims[socket]) != SIM_NEVER)
			return false;
	return true;
}

bool rig_finish(struct rig *rig, uint64_t cycles)
{
	uint64_t end = rig->now + cycles;

	while (rig->now < end) {
		run_window(rig, rig->window_cycles);
		if (is_quiet(rig))
			return true;
	}
	return false;
}

void rig_open(struct rig_box *box)
{
	unsigned classes = box->refused_classes;

	box->closed_classes = 0;
	for (; classes; classes &= classes - 1)
		sim_at(box->rig->sims[box->socket], box->rig->now, resume, box,
		       (unsigned)__builtin_ctz(classes));
}

void rig_check_quiet(struct rig *rig)
{
	uint64_t sent = 0, got = 0;

	for (unsigned i = 0; i < rig->num_boxes; i++) {
		struct rig_box *box = &rig->boxes[i];
		struct rbox *rbox = rig->rboxes[box->socket];

		assert_int_equal(box->num_sent, box->num_to_send);
		assert_int_equal(rbox_vna_free(rbox, box->port),
				 rig->config.vna_flits);
		for (unsigned cls = 0; cls < PACKET_NUM_CLASSES; cls++) {
			assert_true(rbox_vn0_free(rbox, box->port, cls));
			assert_true(rbox_vn1_free(rbox, box->port, cls));
			for (unsigned to = 0; to < rig->num_boxes; to++)
				assert_int_equal(box->sent[to][cls],
						 rig->boxes[to].got[i][cls]);
		}
		sent += box->flits_sent;
		got += box->flits_got;
	}
	assert_int_equal(sent, got);
}

uint64_t rig_lone_packet(struct rig *rig, unsigned from, unsigned to,
			 unsigned cls)
{
	struct rig_box *box = rig_box(rig, from);
	uint64_t time;

	box->only_class = cls;
	box->only_dest = (int)to;
	box->num_to_send = 1;
	rig_start(box);
	assert_true(rig_finish(rig, 10000));
	rig_check_quiet(rig);
	time = rig_box(rig, to)->first_time;
	rig_free(rig);
	return time;
}
