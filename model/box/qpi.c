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

bool qpi_lane_init(struct qpi_lane *lane, unsigned vna_flits)
{
	uint32_t places = 8;

	/* The shortest packet is a flit; VN0 has one packet of each class. */
	while (places < vna_flits + PACKET_NUM_CLASSES)
		places *= 2;
	memset(lane, 0, sizeof(*lane));
	lane->mask = places - 1;
	lane->vna_free = vna_flits;
	lane->vn0_free = (1u << PACKET_NUM_CLASSES) - 1;
	lane->parcels = calloc(places, sizeof(*lane->parcels));
	lane->credits = calloc(places, sizeof(*lane->credits));
	return lane->parcels && lane->credits;
}

void qpi_lane_fini(struct qpi_lane *lane)
{
	free(lane->parcels);
	free(lane->credits);
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

static void gain(struct qpi_lane *lane, unsigned cls, unsigned vn,
		 unsigned flits)
{
	if (vn)
		lane->vna_free += flits;
	else
		lane->vn0_free |= 1u << cls;
}

uint64_t qpi_take_new_credits(struct qpi_lane *lane, uint64_t now)
{
	while (lane->credits_taken != lane->visible_credits) {
		const struct qpi_credit *credit =
			&lane->credits[lane->credits_taken & lane->mask];

		if (credit->time > now)
			return credit->time;
		gain(lane, credit->cls, credit->vn, credit->flits);
		lane->credits_taken++;
	}
	return SIM_NEVER;
}

void qpi_spend_credit(struct qpi_lane *lane, struct packet *packet)
{
	if (lane->vna_free >= packet->flits) {
		lane->vna_free -= packet->flits;
		packet->vn = 2;
	} else {
		lane->vn0_free &= ~(1u << packet->cls);
		packet->vn = 0;
	}
}

void qpi_return_credit(struct qpi_lane *lane, const struct packet *packet,
		       uint64_t time)
{
	struct qpi_credit *credit =
		&lane->credits[lane->credits_given++ & lane->mask];

	credit->time = time;
	credit->cls = packet->cls;
	credit->vn = packet->vn;
	credit->flits = packet->flits;
}

void qpi_restore_credit(struct qpi_lane *lane, const struct packet *packet)
{
	gain(lane, packet->cls, packet->vn, packet->flits);
}

static uint64_t cycles_up(const struct qpi_link *link, uint64_t ticks)
{
	return (ticks + link->ticks_per_cycle - 1) / link->ticks_per_cycle;
}

uint64_t qpi_room_time(const struct qpi_link *link, unsigned flits)
{
	uint64_t own = (uint64_t)flits * link->flit_ticks;

	if (link->free_ticks + own <= link->room_ticks)
		return 0;
	return cycles_up(link, link->free_ticks + own - link->room_ticks);
}

uint64_t qpi_transmit(struct qpi_link *link, uint64_t now, unsigned flits)
{
	uint64_t now_ticks = now * link->ticks_per_cycle;

	if (link->free_ticks < now_ticks)
		link->free_ticks = now_ticks;
	link->free_ticks += (uint64_t)flits * link->flit_ticks;
	return cycles_up(link, link->free_ticks) + link->latency_cycles;
}

uint64_t qpi_idle_time(const struct qpi_link *link)
{
	return cycles_up(link, link->free_ticks);
}
