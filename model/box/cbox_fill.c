/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The C-Box's data side: fills from the S-Box, and the victims they drive out.
 * The LLC is inclusive, so a victim is first taken from the cores that have it;
 * what was modified goes to memory (WbMtoI with its data), the rest silently.
 */
#include <string.h>

#include "model/box/cbox.h"
#include "model/box/core.h"
#include "model/box/sbox.h"
#include "model/box/socket.h"
#include "signals.h"

void cbox_drive_fill_signals(struct cbox *cbox)
{
	sig_drives(cbox->bank, SIG_CBOX_SINKS_S2C_AD, 4); /* and S2P */
	sig_drives(cbox->bank, SIG_CBOX_LLC_S_FILLS_M, 4);
	sig_drives(cbox->bank, SIG_CBOX_LLC_VICTIMS_M, 5);
	sig_drives(cbox->bank, SIG_CBOX_OCCUPANCY_VIQ, 2);
}

struct cbox_victim *cbox_viq_find(struct cbox *cbox, uint64_t line)
{
	if (cbox->num_viq)
		for (unsigned i = 0; i < cbox->viq_room; i++)
			if (cbox->viq[i].is_used && cbox->viq[i].line == line)
				return &cbox->viq[i];
	return NULL;
}

static void free_victim(struct cbox *cbox, struct cbox_victim *victim)
{
	uint64_t line = victim->line;

	victim->is_used = false;
	cbox->num_viq--;
	sig_add(cbox->bank, SIG_CBOX_OCCUPANCY_VIQ, -1);
	cbox_wake(cbox, BLOCK_LINE, line);
	cbox_wake_probes(cbox, line);
}

/* Hands a modified victim to the S-Box; false: no credit at present. */
static bool write_to_memory(struct cbox *cbox, struct cbox_victim *victim)
{
	struct socket *socket = cbox->socket;
	struct sbox *sbox = &socket->sboxes[cbox->side];
	struct packet data = {
		.line = victim->line,
		.cls = PACKET_DRS,
		.mc = MC_DRS,
		.opcode = DRS_WB_I_DATA,
		.flits = PACKET_FLITS_LINE,
		.source = (uint8_t)sbox->node,
		.requester = (uint8_t)sbox->node,
		.cbox = (uint8_t)cbox->index,
		.value = victim->value,
	};
	unsigned serial;
	uint64_t local;

	if (sbox_reserve(sbox, victim->line, cbox->index, CBOX_NONE, &serial))
		return false;
	data.serial = serial;
	data.home = (uint8_t)socket_home(socket, victim->line, &local);
	data.dest = data.home;
	data.number = sbox_number(sbox, serial);
	data.is_poisoned = fault_strikes(&socket->faults, FAULT_POISON,
					 cbox->index, sim_now(socket->sim));
	cbox_send_request(cbox, serial, HOM0_WB_MTO_I);
	cbox_send_packet(cbox, &data);
	return true;
}

/* The cores have given the victim up. */
static void finish_victim(struct cbox *cbox, struct cbox_victim *victim)
{
	if (victim->is_dirty && !write_to_memory(cbox, victim)) {
		if (!victim->is_waiting)
			cbox->num_victims_waiting++;
		victim->is_waiting = true;
		return;
	}
	if (victim->is_waiting)
		cbox->num_victims_waiting--;
	free_victim(cbox, victim);
}

/* A probe has taken the data of a victim that still waited for a credit. */
void cbox_viq_cancel(struct cbox *cbox, struct cbox_victim *victim)
{
	cbox->num_victims_waiting--;
	free_victim(cbox, victim);
}

void cbox_send_victims(struct cbox *cbox)
{
	if (!cbox->num_victims_waiting)
		return;
	for (unsigned i = 0; i < cbox->viq_room; i++)
		if (cbox->viq[i].is_used && cbox->viq[i].is_waiting)
			finish_victim(cbox, &cbox->viq[i]);
}

void cbox_viq_snooped(struct cbox *cbox, unsigned index, bool is_dirty)
{
	struct cbox_victim *victim = &cbox->viq[index];

	victim->is_dirty |= is_dirty;
	if (!--victim->num_snoops)
		finish_victim(cbox, victim);
}

static void victim_passes(void *object, uint64_t index)
{
	struct cbox *cbox = object;

	finish_victim(cbox, &cbox->viq[index]);
}

static void count_victim(struct cbox *cbox, const struct llc_way *way)
{
	static const uint16_t signal[] = {
		[LLC_I] = SIG_CBOX_LLC_VICTIMS_I,
		[LLC_M] = SIG_CBOX_LLC_VICTIMS_M,
		[LLC_E] = SIG_CBOX_LLC_VICTIMS_E,
		[LLC_S] = SIG_CBOX_LLC_VICTIMS_S,
		[LLC_F] = SIG_CBOX_LLC_VICTIMS_F,
	};
	unsigned state = way->is_core_dirty ? LLC_M : way->state;

	sig_pulse(cbox->bank, signal[state], 1);
}

/* A place in the VIQ; there is one. */
static struct cbox_victim *new_victim(struct cbox *cbox, uint64_t line,
				      bool is_dirty)
{
	struct cbox_victim *victim = cbox->viq;

	while (victim->is_used)
		victim++;
	*victim = (struct cbox_victim){
		.line = line,
		.is_used = true,
		.is_dirty = is_dirty,
	};
	cbox->num_viq++;
	sig_add(cbox->bank, SIG_CBOX_OCCUPANCY_VIQ, 1);
	sig_pulse(cbox->bank, SIG_CBOX_TRANS_VIQ, 1);
	return victim;
}

static void pass_soon(struct cbox *cbox, const struct cbox_victim *victim)
{
	sim_at(cbox->socket->sim, sim_now(cbox->socket->sim) + 1, victim_passes,
	       cbox, (uint64_t)(victim - cbox->viq));
}

/* Moves the line of a way to the VIQ. */
void cbox_evict(struct cbox *cbox, struct llc_way *way, uint64_t line)
{
	struct cbox_victim *victim =
		new_victim(cbox, line, way->state == LLC_M);

	if (cbox->socket->values)
		victim->value = cbox_value_recall(cbox, way, line);
	if (way->cores)
		victim->num_snoops = (uint8_t)cbox_snoop_cores(
			cbox, line, way->cores, false, way->is_core_dirty,
			TOKEN(TOKEN_VIQ, victim - cbox->viq));
	else
		pass_soon(cbox, victim);
}

/* A line that never was in the slice goes to memory. */
void cbox_evict_new(struct cbox *cbox, uint64_t line, uint32_t value)
{
	struct cbox_victim *victim = new_victim(cbox, line, true);

	victim->value = value;
	pass_soon(cbox, victim);
}

/* A way for the line, not one whose line is in the midst of something. */
static struct llc_way *choose(struct cbox *cbox, uint64_t line,
			      uint64_t *victim)
{
	for (unsigned tries = 0; tries < cbox->llc.num_ways; tries++) {
		struct llc_way *way = llc_choose(&cbox->llc, line, victim);

		if (way->state == LLC_I || (!cbox_maf_find(cbox, *victim) &&
					    !cbox_has_probe(cbox, *victim)))
			return way;
		llc_touch(&cbox->llc, way);
	}
	return NULL;
}

static void place(struct cbox *cbox, struct cbox_maf *maf, struct llc_way *way)
{
	static const uint16_t signal[] = {
		[LLC_M] = SIG_CBOX_LLC_S_FILLS_M,
		[LLC_E] = SIG_CBOX_LLC_S_FILLS_E,
		[LLC_S] = SIG_CBOX_LLC_S_FILLS_S,
		[LLC_F] = SIG_CBOX_LLC_S_FILLS_F,
	};
	bool owns = maf->kind == UNCORE_ACCESS_OWN;

	sig_pulse(cbox->bank, signal[maf->fill_state], 1);
	llc_place(&cbox->llc, way, maf->line);
	way->state = owns ? LLC_M : maf->fill_state;
	way->cores = (uint16_t)(1u << maf->core);
	way->is_core_dirty = owns;
	if (cbox->socket->values)
		cbox_value_fill(cbox, maf, way);
}

static void fill_pass(void *object, uint64_t index)
{
	struct cbox *cbox = object;
	struct socket *socket = cbox->socket;
	struct cbox_maf *maf = &cbox->maf[index];
	uint64_t line = 0;
	struct llc_way *way = choose(cbox, maf->line, &line);

	if (!way || (way->state != LLC_I && cbox->num_viq >= cbox->viq_room)) {
		sig_pulse(cbox->bank,
			  way ? SIG_CBOX_MAF_NACK2_VIQ_FULL
			      : SIG_CBOX_MAF_NACK1_IDX_BLOCK,
			  1);
		if (way)
			sig_pulse(cbox->bank, SIG_CBOX_MAF_NACK1_ALL_MAF_NACK2,
				  1);
		sim_at(socket->sim, sim_now(socket->sim) + CBOX_RETRY_CYCLES,
		       fill_pass, cbox, index);
		return;
	}
	count_victim(cbox, way);
	if (way->state != LLC_I) {
		cbox_evict(cbox, way, line);
		llc_drop(&cbox->llc, way);
	}
	place(cbox, maf, way);
	maf->is_filling = false;
	maf->is_filled = true;
	cbox_maf_try_finish(cbox, maf);
}

void cbox_start_fill(struct cbox *cbox, unsigned index)
{
	cbox->maf[index].is_filling = true;
	sim_at(cbox->socket->sim, cbox_next_pass(cbox) + cbox->lookup_cycles,
	       fill_pass, cbox, index);
}

void cbox_fill(struct cbox *cbox, unsigned index, enum packet_state state)
{
	struct cbox_maf *maf = &cbox->maf[index];

	maf->fill_state = state == RDS_M   ? LLC_M
			  : state == RDS_E ? LLC_E
			  : state == RDS_S ? LLC_S
					   : LLC_F;
	cbox_maf_try_finish(cbox, maf);
}
