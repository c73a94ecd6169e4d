/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See pcu_rig.h.
 */
#include "pcu_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/pmu/tap.h"

static struct sigbank *bank_of(struct pcu_rig *rig, unsigned socket)
{
	return socket_bank(rig->system.model->sockets[socket],
			   rig->system.model->family, "pcu", 0);
}

static uint64_t total(struct pcu_rig *rig, unsigned socket, unsigned id)
{
	struct tap_wish wish = { .signal = (uint16_t)id };
	struct sigbank *bank = bank_of(rig, socket);

	tap_look(bank);
	return tap_sums(bank, &wish).total;
}

uint64_t rig_sum(struct pcu_rig *rig, unsigned socket, unsigned id)
{
	return total(rig, socket, id) - rig->before[socket][id];
}

static void listen(struct pcu_rig *rig, unsigned socket)
{
	for (unsigned id = 0; id < NUM_SIG_PCU; id++) {
		struct tap_wish wish = { .signal = (uint16_t)id };

		assert_true(tap_sums_begin(bank_of(rig, socket), &wish));
		rig->before[socket][id] = total(rig, socket, id);
	}
}

void rig_start(struct pcu_rig *rig, unsigned sockets,
	       const char *const *settings)
{
	static const char *const own[] = {
		"uncore.clock=800",    "qpi.rate=6.4",
		"pcu.volt_cycles=100", "pcu.switch_cycles=1000",
		"pcu.c3_cycles=0",     "pcu.c6_cycles=0",
	};
	unsigned num = sizeof(own) / sizeof(own[0]);

	memcpy(rig->system.settings, own, sizeof(own));
	for (unsigned i = 0; i < RIG_SETTINGS && settings[i]; i++)
		rig->system.settings[num++] = settings[i];
	rig->system.machine = "xeon-e5-2600";
	rig->system.sockets = sockets;
	system_start(&rig->system, NULL);
	for (unsigned i = 0; i < sockets; i++)
		listen(rig, i);
}

void rig_stop(struct pcu_rig *rig)
{
	for (unsigned i = 0; i < rig->system.sockets; i++) {
		uint64_t clock = rig_sum(rig, i, SIG_PCU_CLOCKTICKS);
		uint64_t up =
			rig_sum(rig, i, SIG_PCU_VOLT_TRANS_CYCLES_INCREASE);
		uint64_t down =
			rig_sum(rig, i, SIG_PCU_VOLT_TRANS_CYCLES_DECREASE);

		assert_true(clock > 0);
		assert_int_equal(
			up + down,
			rig_sum(rig, i, SIG_PCU_VOLT_TRANS_CYCLES_CHANGE));
	}
	system_end(&rig->system);
}

void rig_run_to(struct pcu_rig *rig, uint64_t cycle)
{
	struct uncore_model *model = rig->system.model;

	uncore_model_run(model, cycle - sim_now(model->sockets[0]->sim));
}

struct script rig_computes(unsigned times)
{
	return (struct script){
		.steps = { { .gap = 1000, .kind = UNCORE_ACCESS_NONE } },
		.num_steps = 1,
		.repeat = times,
	};
}

struct script rig_sleeps(unsigned times)
{
	return (struct script){
		.steps = { { .gap = 1000, .kind = UNCORE_ACCESS_SLEEP } },
		.num_steps = 1,
		.repeat = times,
	};
}
