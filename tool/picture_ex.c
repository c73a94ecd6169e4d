/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The Xeon E7 and the Xeon 7500 in a picture: each side of a socket has its S-,
 * B- and M-Box below each other, with the DIMMs at the end; the R-Box stands
 * over the links.
 */
#include "picture.h"
#include "uncore/model.h"

/* Of an R-Box one event for each port. */
enum {
	S_REQUESTS = PICTURE_OWN,
	S_PACKETS,
	B_IMT,
	B_INSERTS,
	M_READS,
	M_COMMANDS,
	M_ROW_HITS,
	M_ROW_MISSES,
	R_FLITS_QPI0,
	R_FLITS_QPI1,
	R_FLITS_QPI2,
	R_FLITS_QPI3,
	R_FLITS_SBOX0,
	R_FLITS_SBOX1,
	R_FLITS_BBOX0,
	R_FLITS_BBOX1,
	R_FROM_HUB,
	NUM_EVENTS
};

static const char *const events[NUM_EVENTS] = {
	[PICTURE_REQUESTS] = "cbox/TRANS_RWRF/",
	[PICTURE_HITS] = "cbox/LLC_HITS.ALL/",
	[PICTURE_MISSES] = "cbox/LLC_MISSES.ALL/",
	[PICTURE_UNDER_WAY] = "cbox/OCCUPANCY_MAF/",
	[PICTURE_MESSAGES] = "cbox/ARB_WINS.ALL/",
	[PICTURE_INTERRUPTS] = "ubox/IPIS_SENT/",
	[PICTURE_CYCLES] = "wbox/FIXED_CTR/",
	[S_REQUESTS] = "sbox/REQ_TBL_OCCUPANCY.ALL/",
	[S_PACKETS] = "sbox/PKTS_SENT_HOM.ALL/",
	[B_IMT] = "bbox/IMT_VALID_OCCUPANCY/",
	[B_INSERTS] = "bbox/IMT_INSERTS_ALL/",
	[M_READS] = "mbox/FVC_EV0.BBOX_CMDS.READS/",
	[M_COMMANDS] = "mbox/BBOX_CMDS_ALL/",
	[M_ROW_HITS] = "mbox/PAGE_HIT/",
	[M_ROW_MISSES] = "mbox/PAGE_MISS/",
	[R_FLITS_QPI0] = "rbox/FLITS_SENT,port=qpi0/",
	[R_FLITS_QPI1] = "rbox/FLITS_SENT,port=qpi1/",
	[R_FLITS_QPI2] = "rbox/FLITS_SENT,port=qpi2/",
	[R_FLITS_QPI3] = "rbox/FLITS_SENT,port=qpi3/",
	[R_FLITS_SBOX0] = "rbox/FLITS_SENT,port=sbox0/",
	[R_FLITS_SBOX1] = "rbox/FLITS_SENT,port=sbox1/",
	[R_FLITS_BBOX0] = "rbox/FLITS_SENT,port=bbox0/",
	[R_FLITS_BBOX1] = "rbox/FLITS_SENT,port=bbox1/",
	[R_FROM_HUB] = "rbox/NEW_PACKETS_RECV.ANY.ALL,port=qpi3/",
};

enum {
	REQUEST_TABLE = 48, /* entries of a S-Box, guide Table 2-36 */
	IMT = 32,	    /* entries of a B-Box, guide 2.4.4.2 */
	ROUTER_PORTS = 8,
	LINE_BYTES = 64,
	FLIT_BYTES = 8,
	DIMM_COLUMNS = 4, /* of an M-Box */
};

/* Two SMI channels in lockstep, DDR3-1066 behind each. */
static const double mbox_bytes_per_s = 2 * 8 * 1066.67e6;

static const char *const legend[] = {
	"Core: requests a cycle. C-Box: lookups a cycle, and the share "
	"that hit the LLC slice.",
	"Rings: messages sent, of 7 a cycle at each C-Box. R-Box: "
	"flits, of one a cycle at each port.",
	"S-Box: requests under way, of 48. B-Box: transactions in "
	"memory, of 32 (averages).",
	"M-Box, DIMMs, SMI: data, of 17.1 GB/s. QPI: flits sent, of "
	"what the link carries; each half",
	"of a link has the colour of its sender. Hub: packets. U-Box: "
	"interrupts. W-Box: uncore clock.",
	NULL,
};

static void fill_memory(const struct picture *p, struct picture_socket *s,
			const struct picture_counts *c, unsigned side)
{
	double reads = c->value[M_READS][side];
	double writes = c->value[M_COMMANDS][side] - reads;
	double hits = c->value[M_ROW_HITS][side];
	double misses = c->value[M_ROW_MISSES][side];
	struct picture_part *box = &s->ex.mboxes[side];
	double most = mbox_bytes_per_s * p->seconds;

	box->busy = picture_share((reads + writes) * LINE_BYTES, most);
	picture_number(box->text, sizeof(box->text),
		       (reads + writes) * LINE_BYTES / p->seconds, "B/s");
	snprintf(box->tip, sizeof(box->tip),
		 "M-Box %u: %.0f lines read, %.0f written; %.0f row hits, "
		 "%.0f row conflicts",
		 side, reads, writes, hits, misses);
	s->ex.smi[side][0].busy = picture_share(reads * LINE_BYTES, most);
	s->ex.smi[side][1].busy = picture_share(writes * LINE_BYTES, most);
	snprintf(s->ex.smi[side][0].tip, sizeof(s->ex.smi[side][0].tip),
		 "SMI northbound: %.0f lines read", reads);
	snprintf(s->ex.smi[side][1].tip, sizeof(s->ex.smi[side][1].tip),
		 "SMI southbound: %.0f lines written", writes);
}

static void fill_agents(const struct picture *p, struct picture_socket *s,
			const struct picture_counts *c, double cycles)
{
	for (unsigned side = 0; side < PICTURE_SIDES; side++) {
		struct picture_part *sbox = &s->ex.sboxes[side];
		struct picture_part *bbox = &s->ex.bboxes[side];
		double requests = c->value[S_REQUESTS][side] / cycles;
		double imt = c->value[B_IMT][side] / cycles;

		sbox->busy = picture_share(requests, REQUEST_TABLE);
		snprintf(sbox->text, sizeof(sbox->text), "%.1f of %d", requests,
			 REQUEST_TABLE);
		snprintf(sbox->tip, sizeof(sbox->tip),
			 "S-Box %u: %.2f requests under way on average; %.0f "
			 "HOM packets sent",
			 side, requests, c->value[S_PACKETS][side]);
		bbox->busy = picture_share(imt, IMT);
		snprintf(bbox->text, sizeof(bbox->text), "%.1f of %d", imt,
			 IMT);
		snprintf(bbox->tip, sizeof(bbox->tip),
			 "B-Box %u: %.2f transactions in memory on average; "
			 "%.0f of them in all",
			 side, imt, c->value[B_INSERTS][side]);
		fill_memory(p, s, c, side);
	}
}

static void fill_router(const struct picture *p, struct picture_socket *s,
			const struct picture_counts *c, double cycles)
{
	double flits = 0;

	for (unsigned i = R_FLITS_QPI0; i <= R_FLITS_BBOX1; i++)
		flits += c->value[i][0];
	s->ex.rbox.busy = picture_share(flits, cycles * ROUTER_PORTS);
	picture_number(s->ex.rbox.text, sizeof(s->ex.rbox.text),
		       flits / p->seconds, " flits/s");
	snprintf(s->ex.rbox.tip, sizeof(s->ex.rbox.tip),
		 "R-Box: %.0f flits sent by all ports", flits);
	for (unsigned i = 0; i < PICTURE_LINKS; i++) {
		struct picture_part *link = &s->links[i];
		double sent = c->value[R_FLITS_QPI0 + i][0];

		link->busy =
			picture_share(sent, p->link_flits_per_s * p->seconds);
		picture_number(link->text, sizeof(link->text),
			       sent * FLIT_BYTES / p->seconds, "B/s");
		snprintf(link->tip, sizeof(link->tip),
			 "QPI%u: %.0f flits sent, %.1f %% of what the link "
			 "carries",
			 i, sent, link->busy * 100);
	}
	picture_number(s->ex.hub.text, sizeof(s->ex.hub.text),
		       c->value[R_FROM_HUB][0] / p->seconds, " pkt/s");
	s->ex.hub.busy = picture_share(c->value[R_FROM_HUB][0],
				       p->link_flits_per_s * p->seconds);
	snprintf(s->ex.hub.tip, sizeof(s->ex.hub.tip),
		 "I/O hub: %.0f packets sent to the socket",
		 c->value[R_FROM_HUB][0]);
}

static void fill(const struct picture *p, struct picture_socket *s,
		 const struct picture_counts *c, double cycles)
{
	fill_agents(p, s, c, cycles);
	fill_router(p, s, c, cycles);
	picture_number(s->power.text, sizeof(s->power.text), p->clock_hz, "Hz");
	snprintf(s->power.tip, sizeof(s->power.tip),
		 "W-Box: %.0f cycles of the uncore clock", cycles);
}

static void draw_side(const struct picture_place *place,
		      const struct picture_socket *s, unsigned side)
{
	double x = side ? PICTURE_RIGHT : PICTURE_LEFT,
	       middle = x + PICTURE_SIDE_WIDTH / 2.0;
	double ring =
		side ? PICTURE_MIDDLE + PICTURE_RING_WIDTH : PICTURE_MIDDLE;
	double edge = side ? x : x + PICTURE_SIDE_WIDTH;
	double router =
		side ? PICTURE_MIDDLE + PICTURE_RING_WIDTH : PICTURE_MIDDLE;
	char id[24], name[24];

	picture_wire(place, edge, 153, ring, 153, PICTURE_WIRE, 5);
	picture_wire(place, middle, 180, middle, 350, PICTURE_WIRE, 3);
	picture_wire(place, edge, 244, router, 332, PICTURE_WIRE, 3);
	picture_wire(place, edge, 175, router, 320, PICTURE_WIRE, 3);
	picture_wire(place, x + 20, 352, x + 20, 373,
		     picture_colour(s->ex.smi[side][0].busy), 6);
	picture_wire(place, x + 64, 352, x + 64, 373,
		     picture_colour(s->ex.smi[side][1].busy), 6);
	picture_label(place, middle, 359, "SMI");
	snprintf(id, sizeof(id), "sbox%u", side);
	snprintf(name, sizeof(name), "S-Box %u", side);
	picture_box(place, id, name, &s->ex.sboxes[side],
		    picture_at(place, x, 124, PICTURE_SIDE_WIDTH, 58));
	snprintf(id, sizeof(id), "bbox%u", side);
	snprintf(name, sizeof(name), "B-Box %u", side);
	picture_box(place, id, name, &s->ex.bboxes[side],
		    picture_at(place, x, 216, PICTURE_SIDE_WIDTH, 52));
	snprintf(id, sizeof(id), "mbox%u", side);
	snprintf(name, sizeof(name), "M-Box %u", side);
	picture_box(place, id, name, &s->ex.mboxes[side],
		    picture_at(place, x, 302, PICTURE_SIDE_WIDTH, 52));
	picture_dimms(place, side, x, &s->ex.mboxes[side], DIMM_COLUMNS);
}

static void draw(const struct picture_place *place,
		 const struct picture_socket *s)
{
	const int *kinds = place->picture->link_kinds[place->socket];

	draw_side(place, s, 0);
	draw_side(place, s, 1);
	for (unsigned i = 0; i < PICTURE_LINKS; i++) {
		char id[24], name[24];

		snprintf(id, sizeof(id), "qpi%u", i);
		snprintf(name, sizeof(name), "QPI%u", i);
		if (kinds[i] == UNCORE_LINK_HUB)
			picture_port(place, "hub", "I/O hub", i, &s->ex.hub);
		else if (kinds[i] != UNCORE_LINK_NONE)
			picture_port(place, id, name, i, &s->links[i]);
	}
	picture_box(
		place, "rbox", "R-Box", &s->ex.rbox,
		picture_at(place, PICTURE_MIDDLE, 312, PICTURE_RING_WIDTH, 38));
}

const struct picture_kind picture_ex = {
	.events = events,
	.num_events = NUM_EVENTS,
	.slice = "C-Box",
	.slice_id = "cbox",
	.power = "W-Box",
	.power_id = "wbox",
	.legend = legend,
	.link_left = PICTURE_MIDDLE + PICTURE_PORT_WIDTH / 2.0,
	.link_step = PICTURE_PORT_WIDTH + 8,
	.fill = fill,
	.draw = draw,
};
