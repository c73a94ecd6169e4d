/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore model picture` draws: for each part of the machine how busy it
 * was, and a figure or two. picture_count.c counts, picture_draw.c draws what
 * sockets of all kinds have, picture_ex.c and picture_ep.c know the boxes of
 * one kind each, picture.c draws the system.
 */
#ifndef UNCORE_TOOL_PICTURE_H
#define UNCORE_TOOL_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "svg.h"

struct machine_settings;
struct uncore_event;
struct uncore_family;
struct uncore_model;
struct uncore_session;
struct uncore_target;

enum {
	PICTURE_SOCKETS = 8,
	PICTURE_CORES = 10,
	PICTURE_SIDES = 2,
	PICTURE_LINKS = 4,
	PICTURE_CHANNELS = 4,
	PICTURE_EVENTS = 24,
};

/* A part of the machine. */
struct picture_part {
	double busy;   /* 0 to 1 of what it could do */
	char text[24]; /* in the box */
	char tip[256]; /* beside the pointer */
};

struct picture_socket {
	struct picture_part cores[PICTURE_CORES], cboxes[PICTURE_CORES], ring;
	struct picture_part links[PICTURE_LINKS], ubox;
	struct picture_part power; /* W-Box or PCU */
	struct {
		struct picture_part sboxes[PICTURE_SIDES];
		struct picture_part bboxes[PICTURE_SIDES];
		struct picture_part mboxes[PICTURE_SIDES];
		struct picture_part smi[PICTURE_SIDES][2]; /* from, to DIMMs */
		struct picture_part rbox, hub;
	} ex;
	struct {
		struct picture_part ha, imcs[PICTURE_CHANNELS];
		struct picture_part r2pcie, r3qpis[PICTURE_SIDES];
	} ep;
};

struct picture {
	unsigned num_sockets, num_cores;
	unsigned num_dimms; /* on each bus */
	double clock_hz, seconds, link_flits_per_s;
	char *what; /* that ran */
	const char *machine;
	const struct picture_kind *kind;
	struct uncore_event *events[PICTURE_EVENTS]; /* owned */
	struct picture_socket sockets[PICTURE_SOCKETS];
	/* UNCORE_LINK_*, and the other end */
	int link_kinds[PICTURE_SOCKETS][PICTURE_LINKS];
	unsigned peers[PICTURE_SOCKETS][PICTURE_LINKS];
	unsigned peer_links[PICTURE_SOCKETS][PICTURE_LINKS];
};

/* The events that each kind counts, before its own. */
enum picture_what {
	PICTURE_REQUESTS, /* of a core */
	PICTURE_HITS,
	PICTURE_MISSES,
	PICTURE_UNDER_WAY, /* in a slice */
	PICTURE_MESSAGES,  /* of a slice and its core */
	PICTURE_INTERRUPTS,
	PICTURE_CYCLES, /* of the uncore */
	PICTURE_OWN
};

/* Of a socket, by instance. */
struct picture_counts {
	double value[PICTURE_EVENTS][PICTURE_CORES];
};

/* Where a socket is; `down`: its links leave downward, else upward, and what is
 * drawn for the one is reflected for the other. */
struct picture_place {
	const struct picture *picture;
	struct svg *svg;
	unsigned socket;
	double x, y;
	bool down;
};

/* A kind of processor. */
struct picture_kind {
	const char *const *events;
	unsigned num_events;
	const char *slice, *slice_id, *power, *power_id; /* names of boxes */
	const char *const *legend;			 /* up to NULL */
	double link_left, link_step; /* middles of the links */

	/* From counts to the boxes of this kind alone, and their drawing. */
	void (*fill)(const struct picture *picture, struct picture_socket *s,
		     const struct picture_counts *c, double cycles);
	void (*draw)(const struct picture_place *place,
		     const struct picture_socket *s);
};
extern const struct picture_kind picture_ex, picture_ep;

/* The machine of the model: an exit code. Its settings tell what the model does
 * not. */
int picture_describe(struct picture *picture,
		     const struct machine_settings *settings,
		     const struct uncore_model *model);

/* The kind of picture that is drawn of a family; NULL: none is. */
const struct picture_kind *picture_kind_of(const struct uncore_family *family);

/* Counters for all of it. A TOOL_* status. */
int picture_open(struct picture *picture, struct uncore_target *target,
		 struct uncore_session **session);

/* From the session that has been read to what is drawn; or from counts, those
 * of PICTURE_SOCKETS sockets. */
void picture_fill(struct picture *picture,
		  const struct uncore_session *session);
void picture_fill_counts(struct picture *picture,
			 const struct picture_counts *counted);

void picture_draw(const struct picture *picture, FILE *file);

/* Colour of a part. */
uint32_t picture_colour(double busy);

/* 1234567 as "1.23 M", 0 as "-". */
void picture_number(char *text, size_t size, double value, const char *unit);

/* Part of a whole, at most 1; 0 of nothing. */
double picture_share(double part, double whole);

/* One socket. */
enum {
	PICTURE_SOCKET_WIDTH = 580,
	PICTURE_SOCKET_HEIGHT = 440,
	PICTURE_TITLE_HEIGHT = 30,
	PICTURE_SIDE_WIDTH = 84,
	PICTURE_LEFT = 10,
	PICTURE_RIGHT = PICTURE_SOCKET_WIDTH - 10 - PICTURE_SIDE_WIDTH,
	PICTURE_MIDDLE = 106, /* first column of cores */
	PICTURE_RING_WIDTH = 366,
	PICTURE_PORT_WIDTH = 86,
	PICTURE_WIRE = 0xcbd5e1,
};
void picture_socket(const struct picture_place *place);

/* Parts of it; y is from below the title, or from the other end. A box has its
 * name and what it did, a label is a text of the height 9; DIMMs stand in
 * columns, each with the colour of a part of which there is one for `shared` of
 * them. */
struct svg_box picture_at(const struct picture_place *place, double x, double y,
			  double width, double height);
void picture_box(const struct picture_place *place, const char *id,
		 const char *name, const struct picture_part *part,
		 struct svg_box where);
void picture_wire(const struct picture_place *place, double x1, double y1,
		  double x2, double y2, uint32_t colour, double width);
void picture_label(const struct picture_place *place, double x, double y,
		   const char *text);
void picture_dimms(const struct picture_place *place, unsigned side, double x,
		   const struct picture_part *parts, unsigned shared);

/* A link's box, the wires from it to what is above and to the outside. */
void picture_port(const struct picture_place *place, const char *id,
		  const char *name, unsigned link,
		  const struct picture_part *part);

/* Where a link leaves the socket, from its corner. */
double picture_link_x(const struct picture *picture, unsigned link);

#endif
