/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The Xeon E5-2600 in a picture: the home agent on the left with the memory
 * controllers below it and their DIMMs at the end, each R3QPI over its link,
 * R2PCIe on the right.
 */
#include "picture.h"

enum {
	H_READS = PICTURE_OWN,
	H_WRITES,
	I_READS,
	I_WRITES,
	I_ROWS,
	I_CYCLES,
	Q_FLITS,
	Q_CYCLES,
	R3_MESSAGES,
	R2_MESSAGES,
	P_RUNNING,
	P_CYCLES,
	NUM_EVENTS
};

static const char *const events[NUM_EVENTS] = {
	[PICTURE_REQUESTS] = "cbo/TxR_INSERTS.AD_CORE/",
	[PICTURE_HITS] = "cbo/LLC_LOOKUP.ANY,state=S|E|M|F/",
	[PICTURE_MISSES] = "cbo/LLC_LOOKUP.ANY,state=I/",
	[PICTURE_UNDER_WAY] = "cbo/TOR_OCCUPANCY.ALL/",
	[PICTURE_MESSAGES] = "cbo/TxR_INSERTS.AD_CACHE.AK_CACHE.BL_CACHE."
			     "IV_CACHE.AD_CORE.AK_CORE.BL_CORE/",
	[PICTURE_INTERRUPTS] = "ubox/EVENT_MSG.MSI_RCVD.IPI_RCVD/",
	[PICTURE_CYCLES] = "ubox/FIXED_CTR/",
	[H_READS] = "ha/REQUESTS.READS/",
	[H_WRITES] = "ha/REQUESTS.WRITES/",
	[I_READS] = "imc/CAS_COUNT.RD/",
	[I_WRITES] = "imc/CAS_COUNT.WR/",
	[I_ROWS] = "imc/ACT_COUNT/",
	[I_CYCLES] = "imc/FIXED_CTR/",
	[Q_FLITS] = "qpi/TxL_FLITS_G0.DATA.NON_DATA/",
	[Q_CYCLES] = "qpi/CLOCKTICKS/",
	[R3_MESSAGES] = "r3qpi/TxR_INSERTS/",
	[R2_MESSAGES] = "r2pcie/TxR_INSERTS/",
	[P_RUNNING] = "pcu/POWER_STATE_OCCUPANCY.CORES_C0/",
	[P_CYCLES] = "pcu/CLOCKTICKS/",
};

enum {
	LINE_DCLK = 4,	/* a line of 64 bytes on the bus of a channel */
	LINK_FLITS = 2, /* in one cycle of a link */
	LINE_BYTES = 64,
	FLIT_BYTES = 8,
	CHANNEL_TOP = 182, /* of the first memory controller */
	CHANNEL_STEP = 40,
	CHANNEL_HEIGHT = 36,
};

static const char *const legend[] = {
	"Core: requests a cycle. CBo: lookups a cycle, and the share that hit "
	"the LLC slice.",
	"Rings: messages sent, of 7 a cycle at each CBo. HA: requests a cycle. "
	"R3QPI, R2PCIe:",
	"messages that came from there, of one a cycle. iMC, DIMMs: the time "
	"in which the channel",
	"moved data. QPI: flits sent, of two a cycle of the link; each half of "
	"a link has the colour",
	"of its sender. U-Box: interrupts. PCU: cores that were in C0 on "
	"average.",
	NULL,
};

static void fill_memory(const struct picture *p, struct picture_socket *s,
			const struct picture_counts *c, double cycles)
{
	double requests = c->value[H_READS][0] + c->value[H_WRITES][0];
	struct picture_part *ha = &s->ep.ha;

	ha->busy = picture_share(requests, cycles);
	picture_number(ha->text, sizeof(ha->text), requests / p->seconds, "/s");
	snprintf(ha->tip, sizeof(ha->tip),
		 "Home agent: %.0f requests to read, %.0f to write",
		 c->value[H_READS][0], c->value[H_WRITES][0]);
	for (unsigned i = 0; i < PICTURE_CHANNELS; i++) {
		struct picture_part *imc = &s->ep.imcs[i];
		double reads = c->value[I_READS][i];
		double lines = reads + c->value[I_WRITES][i];

		imc->busy =
			picture_share(lines * LINE_DCLK, c->value[I_CYCLES][i]);
		picture_number(imc->text, sizeof(imc->text),
			       lines * LINE_BYTES / p->seconds, "B/s");
		snprintf(imc->tip, sizeof(imc->tip),
			 "iMC %u: %.0f lines read, %.0f written; %.0f rows "
			 "opened",
			 i, reads, lines - reads, c->value[I_ROWS][i]);
	}
}

static void fill_links(const struct picture *p, struct picture_socket *s,
		       const struct picture_counts *c, double cycles)
{
	for (unsigned i = 0; i < PICTURE_SIDES; i++) {
		struct picture_part *r3qpi = &s->ep.r3qpis[i];
		struct picture_part *link = &s->links[i];
		double messages = c->value[R3_MESSAGES][i];
		double sent = c->value[Q_FLITS][i];

		r3qpi->busy = picture_share(messages, cycles);
		picture_number(r3qpi->text, sizeof(r3qpi->text),
			       messages / p->seconds, "/s");
		snprintf(r3qpi->tip, sizeof(r3qpi->tip),
			 "R3QPI %u: %.0f messages of the other socket to the "
			 "ring",
			 i, messages);
		link->busy =
			picture_share(sent, LINK_FLITS * c->value[Q_CYCLES][i]);
		picture_number(link->text, sizeof(link->text),
			       sent * FLIT_BYTES / p->seconds, "B/s");
		snprintf(link->tip, sizeof(link->tip),
			 "QPI%u: %.0f flits sent, %.1f %% of what the link "
			 "carries",
			 i, sent, link->busy * 100);
	}
}

static void fill(const struct picture *p, struct picture_socket *s,
		 const struct picture_counts *c, double cycles)
{
	struct picture_part *r2pcie = &s->ep.r2pcie;
	double messages = c->value[R2_MESSAGES][0];
	double running = c->value[P_RUNNING][0];

	if (c->value[P_CYCLES][0] > 0)
		running /= c->value[P_CYCLES][0];
	fill_memory(p, s, c, cycles);
	fill_links(p, s, c, cycles);
	r2pcie->busy = picture_share(messages, cycles);
	picture_number(r2pcie->text, sizeof(r2pcie->text),
		       messages / p->seconds, "/s");
	snprintf(r2pcie->tip, sizeof(r2pcie->tip),
		 "R2PCIe: %.0f messages of devices to the ring", messages);
	snprintf(s->power.text, sizeof(s->power.text), "%.1f in C0", running);
	snprintf(s->power.tip, sizeof(s->power.tip),
		 "PCU: %.2f cores in C0 on average", running);
}

static void draw_memory(const struct picture_place *place,
			const struct picture_socket *s)
{
	double middle = PICTURE_LEFT + PICTURE_SIDE_WIDTH / 2.0;

	picture_wire(place, PICTURE_LEFT + PICTURE_SIDE_WIDTH, 149,
		     PICTURE_MIDDLE, 149, PICTURE_WIRE, 5);
	picture_wire(place, middle, 170, middle, 340, PICTURE_WIRE, 3);
	picture_box(
		place, "ha", "HA", &s->ep.ha,
		picture_at(place, PICTURE_LEFT, 124, PICTURE_SIDE_WIDTH, 48));
	for (unsigned i = 0; i < PICTURE_CHANNELS; i++) {
		double y = CHANNEL_TOP + CHANNEL_STEP * i;
		double x = PICTURE_LEFT + 9 + 22.0 * i;
		char id[24], name[24];

		picture_wire(place, x, 338, x, 373,
			     picture_colour(s->ep.imcs[i].busy), 6);
		snprintf(id, sizeof(id), "imc%u", i);
		snprintf(name, sizeof(name), "iMC %u", i);
		picture_box(place, id, name, &s->ep.imcs[i],
			    picture_at(place, PICTURE_LEFT, y,
				       PICTURE_SIDE_WIDTH, CHANNEL_HEIGHT));
	}
	picture_dimms(place, 0, PICTURE_LEFT, s->ep.imcs, 1);
}

static void draw(const struct picture_place *place,
		 const struct picture_socket *s)
{
	unsigned last = PICTURE_MIDDLE + PICTURE_RING_WIDTH;

	draw_memory(place, s);
	picture_wire(place, last, 153, PICTURE_RIGHT, 153, PICTURE_WIRE, 5);
	picture_box(
		place, "r2pcie", "R2PCIe", &s->ep.r2pcie,
		picture_at(place, PICTURE_RIGHT, 124, PICTURE_SIDE_WIDTH, 58));
	for (unsigned i = 0; i < PICTURE_SIDES; i++) {
		double width = PICTURE_RING_WIDTH / 2.0;
		double x = PICTURE_MIDDLE + i * width;
		char id[24], name[24];

		/* between two columns of cores */
		picture_wire(place, x + (i ? 74 : 109), 198, x + (i ? 74 : 109),
			     314, PICTURE_WIRE, 3);
		if (place->picture->num_sockets > 1) {
			snprintf(id, sizeof(id), "qpi%u", i);
			snprintf(name, sizeof(name), "QPI%u", i);
			picture_port(place, id, name, i, &s->links[i]);
		}
		snprintf(id, sizeof(id), "r3qpi%u", i);
		snprintf(name, sizeof(name), "R3QPI %u", i);
		picture_box(
			place, id, name, &s->ep.r3qpis[i],
			picture_at(place, x + (i ? 4 : 0), 312, width - 4, 38));
	}
}

const struct picture_kind picture_ep = {
	.events = events,
	.num_events = NUM_EVENTS,
	.slice = "CBo",
	.slice_id = "cbo",
	.power = "PCU",
	.power_id = "pcu",
	.legend = legend,
	.link_left = PICTURE_MIDDLE + PICTURE_RING_WIDTH / 4.0,
	.link_step = PICTURE_RING_WIDTH / 2.0,
	.fill = fill,
	.draw = draw,
};
