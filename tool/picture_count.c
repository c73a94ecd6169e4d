/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is counted for a picture, and what it says about each box. How busy a
 * box was is its count over what it could have done in the time: see the rows
 * of `busy` in the functions below, and the legend of the picture.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "tool.h"
#include "uncore/uncore.h"

/* In the order of enum what; of an R-Box one event for each port. */
enum what {
	C_REQUESTS,
	C_HITS,
	C_MISSES,
	C_MAF,
	C_MESSAGES,
	S_REQUESTS,
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
	U_INTERRUPTS,
	W_CYCLES,
	NUM_WHAT = PICTURE_EVENTS
};

static const char *const events[NUM_WHAT] = {
	[C_REQUESTS] = "cbox/TRANS_RWRF/",
	[C_HITS] = "cbox/LLC_HITS.ALL/",
	[C_MISSES] = "cbox/LLC_MISSES.ALL/",
	[C_MAF] = "cbox/OCCUPANCY_MAF/",
	[C_MESSAGES] = "cbox/ARB_WINS.ALL/",
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
	[U_INTERRUPTS] = "ubox/IPIS_SENT/",
	[W_CYCLES] = "wbox/FIXED_CTR/",
};

/* Of a socket, by instance. */
struct counted {
	double value[NUM_WHAT][PICTURE_CORES];
};

enum {
	REQUEST_TABLE = 48, /* entries of a S-Box, guide Table 2-36 */
	IMT = 32,	    /* entries of a B-Box, guide 2.4.4.2 */
	RING_MESSAGES = 7,  /* a C-Box's in one cycle, guide Table 2-15 */
	ROUTER_PORTS = 8,
	LINE_BYTES = 64,
	FLIT_BYTES = 8,
};

/* Two SMI channels in lockstep, DDR3-1066 behind each. */
static const double mbox_bytes_per_s = 2 * 8 * 1066.67e6;

int picture_open(struct picture *picture, struct uncore_target *target,
		 struct uncore_session **session)
{
	const struct uncore_family *family = uncore_target_family(target);
	struct uncore_event **parsed = picture->events;
	char *error = NULL;
	int code = 0;

	for (unsigned i = 0; i < NUM_WHAT && !code; i++)
		code = uncore_event_parse(family, events[i], &parsed[i],
					  &error);
	if (!code)
		code = uncore_session_open(target, parsed, NUM_WHAT, session,
					   &error);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

/* 1234567 as "1.23 M" */
static void number(char *text, size_t size, double value, const char *unit)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T" };
	unsigned prefix = 0;

	if (value == 0) {
		snprintf(text, size, "-");
		return;
	}
	while (value >= 999.5 && prefix < 4) {
		value /= 1000;
		prefix++;
	}
	snprintf(text, size, "%.*f %s%s",
		 value >= 100  ? 0
		 : value >= 10 ? 1
			       : 2,
		 value, prefixes[prefix], unit);
}

static double share(double part, double whole)
{
	double value = whole > 0 ? part / whole : 0;

	return value > 1 ? 1 : value;
}

static void fill_slices(const struct picture *p, struct picture_socket *s,
			const struct counted *c, double cycles)
{
	double messages = 0;

	for (unsigned i = 0; i < p->num_cores; i++) {
		struct picture_part *core = &s->cores[i], *box = &s->cboxes[i];
		double hits = c->value[C_HITS][i];
		double misses = c->value[C_MISSES][i];
		double requests = c->value[C_REQUESTS][i];

		core->busy = share(requests, cycles);
		number(core->text, sizeof(core->text), requests / p->seconds,
		       "/s");
		snprintf(core->tip, sizeof(core->tip),
			 "Core %u: %.0f requests to the uncore", i, requests);
		box->busy = share(hits + misses, cycles);
		snprintf(box->text, sizeof(box->text), "-");
		if (hits + misses > 0)
			snprintf(box->text, sizeof(box->text), "%.0f%% hit",
				 share(hits, hits + misses) * 100);
		snprintf(box->tip, sizeof(box->tip),
			 "C-Box %u: %.0f hits, %.0f misses of its LLC slice; "
			 "%.2f misses under way on average",
			 i, hits, misses, c->value[C_MAF][i] / cycles);
		messages += c->value[C_MESSAGES][i];
	}
	s->ring.busy = share(messages, cycles * p->num_cores * RING_MESSAGES);
	number(s->ring.text, sizeof(s->ring.text), messages / p->seconds,
	       " messages/s");
	snprintf(s->ring.tip, sizeof(s->ring.tip),
		 "Rings: %.0f messages of cores and C-Boxes", messages);
}

static void fill_memory(const struct picture *p, struct picture_socket *s,
			const struct counted *c, unsigned side)
{
	double reads = c->value[M_READS][side];
	double writes = c->value[M_COMMANDS][side] - reads;
	double hits = c->value[M_ROW_HITS][side];
	double misses = c->value[M_ROW_MISSES][side];
	struct picture_part *box = &s->mboxes[side];
	double most = mbox_bytes_per_s * p->seconds;

	box->busy = share((reads + writes) * LINE_BYTES, most);
	number(box->text, sizeof(box->text),
	       (reads + writes) * LINE_BYTES / p->seconds, "B/s");
	snprintf(box->tip, sizeof(box->tip),
		 "M-Box %u: %.0f lines read, %.0f written; %.0f row hits, "
		 "%.0f row conflicts",
		 side, reads, writes, hits, misses);
	s->smi[side][0].busy = share(reads * LINE_BYTES, most);
	s->smi[side][1].busy = share(writes * LINE_BYTES, most);
	snprintf(s->smi[side][0].tip, sizeof(s->smi[side][0].tip),
		 "SMI northbound: %.0f lines read", reads);
	snprintf(s->smi[side][1].tip, sizeof(s->smi[side][1].tip),
		 "SMI southbound: %.0f lines written", writes);
}

static void fill_agents(const struct picture *p, struct picture_socket *s,
			const struct counted *c, double cycles)
{
	for (unsigned side = 0; side < PICTURE_SIDES; side++) {
		struct picture_part *sbox = &s->sboxes[side];
		struct picture_part *bbox = &s->bboxes[side];
		double requests = c->value[S_REQUESTS][side] / cycles;
		double imt = c->value[B_IMT][side] / cycles;

		sbox->busy = share(requests, REQUEST_TABLE);
		snprintf(sbox->text, sizeof(sbox->text), "%.1f of %d", requests,
			 REQUEST_TABLE);
		snprintf(sbox->tip, sizeof(sbox->tip),
			 "S-Box %u: %.2f requests under way on average; %.0f "
			 "HOM packets sent",
			 side, requests, c->value[S_PACKETS][side]);
		bbox->busy = share(imt, IMT);
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
			const struct counted *c, double cycles)
{
	double flits = 0;

	for (unsigned i = R_FLITS_QPI0; i <= R_FLITS_BBOX1; i++)
		flits += c->value[i][0];
	s->rbox.busy = share(flits, cycles * ROUTER_PORTS);
	number(s->rbox.text, sizeof(s->rbox.text), flits / p->seconds,
	       " flits/s");
	snprintf(s->rbox.tip, sizeof(s->rbox.tip),
		 "R-Box: %.0f flits sent by all ports", flits);
	for (unsigned i = 0; i < PICTURE_LINKS; i++) {
		struct picture_part *link = &s->links[i];
		double sent = c->value[R_FLITS_QPI0 + i][0];

		link->busy = share(sent, p->link_flits_per_s * p->seconds);
		number(link->text, sizeof(link->text),
		       sent * FLIT_BYTES / p->seconds, "B/s");
		snprintf(link->tip, sizeof(link->tip),
			 "QPI%u: %.0f flits sent, %.1f %% of what the link "
			 "carries",
			 i, sent, link->busy * 100);
	}
	number(s->hub.text, sizeof(s->hub.text),
	       c->value[R_FROM_HUB][0] / p->seconds, " pkt/s");
	s->hub.busy = share(c->value[R_FROM_HUB][0],
			    p->link_flits_per_s * p->seconds);
	snprintf(s->hub.tip, sizeof(s->hub.tip),
		 "I/O hub: %.0f packets sent to the socket",
		 c->value[R_FROM_HUB][0]);
}

static void fill_socket(const struct picture *p, struct picture_socket *s,
			const struct counted *c)
{
	double cycles = c->value[W_CYCLES][0];
	double interrupts = c->value[U_INTERRUPTS][0];

	if (cycles < 1)
		cycles = 1;
	fill_slices(p, s, c, cycles);
	fill_agents(p, s, c, cycles);
	fill_router(p, s, c, cycles);
	number(s->ubox.text, sizeof(s->ubox.text), interrupts / p->seconds,
	       " IPI/s");
	s->ubox.busy = share(interrupts, cycles);
	snprintf(s->ubox.tip, sizeof(s->ubox.tip),
		 "U-Box: %.0f interrupts sent to cores", interrupts);
	number(s->wbox.text, sizeof(s->wbox.text), p->clock_hz, "Hz");
	snprintf(s->wbox.tip, sizeof(s->wbox.tip),
		 "W-Box: %.0f cycles of the uncore clock", cycles);
}

void picture_fill(struct picture *picture, const struct uncore_session *session)
{
	struct counted *counted = calloc(PICTURE_SOCKETS, sizeof(*counted));
	struct uncore_count count;

	if (!counted)
		return;
	for (size_t i = 0; uncore_session_count(session, i, &count); i++)
		if (count.valid && count.instance < PICTURE_CORES &&
		    count.socket < PICTURE_SOCKETS)
			counted[count.socket]
				.value[count.event_index][count.instance] =
				(double)count.value;
	for (unsigned i = 0; i < picture->num_sockets; i++)
		fill_socket(picture, &picture->sockets[i], &counted[i]);
	free(counted);
}
