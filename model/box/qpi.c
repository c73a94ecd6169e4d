/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lanes and the link clock. The uncore clock and the flit clock of a link have
 * a ratio that is no whole number (5/3 cycles a flit at 2.667 GHz and 6.4
 * GT/s), so a link's time runs in ticks that divide both.
 */
#include "model/box/qpi.h"

#include <stdlib.h>
#include <string.h>

#include "model/sim/bug.h"

enum { NUM_PLACES = 2 * PACKET_NUM_CLASSES };

bool qpi_lane_init(struct qpi_lane *lane, unsigned vna_flits)
{
	uint32_t places = 8;

	/* The shortest packet is a flit. */
	while (places < vna_flits + NUM_PLACES)
		places *= 2;
	memset(lane, 0, sizeof(*lane));
	lane->mask = places - 1;
	lane->vna_free = vna_flits;
	lane->places_free = (1u << NUM_PLACES) - 1;
	lane->parcels = calloc(places, sizeof(*lane->parcels));
	lane->credits = calloc(places, sizeof(*lane->credits));
	return lane->parcels && lane->credits;
}

void qpi_lane_fini(struct qpi_lane *lane)
{
	free(lane->parcels);
	free(lane->credits);
	free(lane->notices);
}

bool qpi_exchange_parcels(struct qpi_lane *lane)
{
	bool is_new = lane->visible_parcels != lane->sent;

	lane->visible_parcels = lane->sent;
	return is_new;
}

bool qpi_exchange_credits(struct qpi_lane *lane)
{
	bool is_new = lane->visible_credits != lane->credits_given;

	lane->visible_credits = lane->credits_given;
	return is_new;
}

void qpi_restore_credit(struct qpi_lane *lane, unsigned cls, unsigned vn,
			unsigned flits)
{
	if (vn == QPI_VNA)
		lane->vna_free += flits;
	else
		lane->places_free |= qpi_place(vn, cls);
}

uint64_t qpi_take_new_credits(struct qpi_lane *lane, uint64_t now)
{
	while (lane->credits_taken != lane->visible_credits) {
		const struct qpi_credit *credit =
			&lane->credits[lane->credits_taken & lane->mask];

		if (credit->time > now)
			return credit->time;
		qpi_restore_credit(lane, credit->cls, credit->vn,
				   credit->flits);
		lane->credits_taken++;
	}
	return SIM_NEVER;
}

void qpi_spend_credit(struct qpi_lane *lane, unsigned network,
		      struct packet *packet)
{
	if (lane->vna_free >= packet->flits) {
		lane->vna_free -= packet->flits;
		packet->vn = QPI_VNA;
	} else {
		lane->places_free &= ~qpi_place(network, packet->cls);
		packet->vn = (uint8_t)network;
	}
}

void qpi_return_credit(struct qpi_lane *lane, const struct packet *packet,
		       uint64_t time, bool is_idle_flit)
{
	struct qpi_credit *credit =
		&lane->credits[lane->credits_given++ & lane->mask];

	credit->time = time;
	credit->cls = packet->cls;
	credit->vn = packet->vn;
	credit->flits = packet->flits;
	credit->is_idle_flit = is_idle_flit;
}

void qpi_notify(struct qpi_lane *lane, uint64_t time, enum qpi_notice_kind kind)
{
	if (lane->num_notices == lane->room_notices) {
		lane->room_notices = lane->room_notices * 2 + 8;
		lane->notices =
			realloc(lane->notices,
				lane->room_notices * sizeof(*lane->notices));
		if (!lane->notices)
			bug_no_memory();
	}
	lane->notices[lane->num_notices++] = (struct qpi_notice){ time, kind };
}

bool qpi_link_init(struct qpi_link *link)
{
	uint32_t room = 16;

	while (room < link->output_flits || room < link->retry_flits)
		room *= 2;
	link->mask = room - 1;
	link->flit_ends = calloc(room, sizeof(*link->flit_ends));
	return link->flit_ends;
}

void qpi_link_fini(struct qpi_link *link)
{
	free(link->flit_ends);
}

static uint64_t cycles_up(const struct qpi_link *link, uint64_t ticks)
{
	return (ticks + link->ticks_per_cycle - 1) / link->ticks_per_cycle;
}

/* Room for n flits is there when all but the youngest output_flits - n of those
 * accepted have been sent. */
uint64_t qpi_room_time(const struct qpi_link *link, unsigned flits)
{
	uint32_t last = link->num_flits + flits - 1 - link->output_flits;

	return cycles_up(link, link->flit_ends[last & link->mask]);
}

/* When the flit is acknowledged that has to be for the n-th from now; 0 where
 * there is none. */
static uint64_t acknowledged(const struct qpi_link *link, uint32_t n)
{
	uint32_t oldest = link->num_flits + n - link->retry_flits;
	uint64_t end = link->flit_ends[oldest & link->mask];

	return end ? end + 2ull * link->latency_cycles * link->ticks_per_cycle
		   : 0;
}

static inline void transmit_flit(struct qpi_link *link)
{
	link->free_ticks += link->flit_ticks;
	link->flit_ends[link->num_flits++ & link->mask] = link->free_ticks;
}

bool qpi_transmit(struct qpi_link *link, uint64_t now, unsigned flits)
{
	bool waits = false;

	qpi_start(link, now);
	if (flits <= link->retry_flits &&
	    acknowledged(link, flits - 1) <= link->free_ticks) {
		while (flits--)
			transmit_flit(link);
		return false;
	}
	while (flits--) {
		uint64_t time = acknowledged(link, 0);

		if (link->free_ticks < time) {
			link->free_ticks = time;
			waits = true;
		}
		transmit_flit(link);
	}
	return waits;
}

void qpi_transmit_again(struct qpi_link *link)
{
	link->free_ticks += link->flit_ticks;
	link->flit_ends[(link->num_flits - 1) & link->mask] = link->free_ticks;
}

void qpi_start(struct qpi_link *link, uint64_t now)
{
	if (link->free_ticks < now * link->ticks_per_cycle)
		link->free_ticks = now * link->ticks_per_cycle;
}

void qpi_occupy(struct qpi_link *link, uint64_t ticks)
{
	link->free_ticks += ticks;
}

uint64_t qpi_idle_time(const struct qpi_link *link)
{
	return cycles_up(link, link->free_ticks);
}
