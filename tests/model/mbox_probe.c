/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See mbox_probe.h. A test has one M-Box at a time, so the probe is found by
 * the bank that it contains.
 */
#include "mbox_probe.h"

#include <stddef.h>
#include <string.h>

static struct mbox_probe *probe_of(struct sigbank *bank)
{
	return (struct mbox_probe *)((char *)bank -
				     offsetof(struct mbox_probe, bank));
}

void sig_tapped_pulse(struct sigbank *bank, unsigned id, unsigned n)
{
	probe_of(bank)->pulses[id] += n;
}

void sig_tapped_level(struct sigbank *bank, unsigned id, int64_t delta)
{
	struct mbox_probe *probe = probe_of(bank);
	uint64_t now = sim_now(bank->sim);

	probe->area[id] += (uint64_t)(bank->signals[id].level - delta) *
			   (now - probe->since[id]);
	probe->since[id] = now;
}

void sig_tapped_busy(struct sigbank *bank, unsigned id, uint64_t until)
{
	(void)bank;
	(void)id;
	(void)until;
}

void sig_log_full(struct sigbank *bank)
{
	struct mbox_probe *probe = probe_of(bank);
	const struct sig_entry *entry = probe->log;

	bank->log_next = probe->log;
	if (!bank->signals[entry->id].taps)
		return;
	if (entry->kind == SIG_PULSE)
		probe->pulses[entry->id] += (uint64_t)entry->n;
	else
		probe->area[entry->id] +=
			(uint64_t)entry->n * (entry->to - entry->from);
}

void sig_tapped_packet(struct sigbank *bank, unsigned id,
		       const struct sig_header *header)
{
	struct mbox_probe *probe = probe_of(bank);

	probe->pulses[id]++;
	probe->commands[header->dram_cmd & 31]++;
}

void sig_drives(struct sigbank *bank, unsigned first, unsigned n)
{
	memset(bank->driven + first, true, n);
}

void mbox_probe_start(struct mbox_probe *probe,
		      const struct mbox_config *config)
{
	memset(probe, 0, sizeof(*probe));
	probe->sim = sim_new();
	probe->bank = (struct sigbank){
		.sim = probe->sim,
		.signals = probe->signals,
		.driven = probe->driven,
		.num_signals = NUM_SIG_MBOX,
		.log_next = probe->log,
		.log_end = probe->log + 1,
	};
	/* Nobody looks behind the pointer but the functions above. */
	for (unsigned i = 0; i < NUM_SIG_MBOX; i++)
		probe->signals[i].taps = (struct sig_tap *)probe;
	probe->mbox = mbox_new(probe->sim, &probe->bank, config);
}

void mbox_probe_stop(struct mbox_probe *probe)
{
	mbox_free(probe->mbox);
	sim_free(probe->sim);
}

uint64_t mbox_probe_area(const struct mbox_probe *probe, unsigned id)
{
	return probe->area[id] +
	       (uint64_t)probe->signals[id].level *
		       (sim_now(probe->sim) - probe->since[id]);
}
