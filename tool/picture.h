/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore model picture` draws: for each part of the machine how busy it
 * was, and a figure or two. picture_count.c counts, picture_draw.c draws one
 * socket, picture.c the system.
 */
#ifndef UNCORE_TOOL_PICTURE_H
#define UNCORE_TOOL_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "svg.h"

struct uncore_event;
struct uncore_model;
struct uncore_session;
struct uncore_target;

enum {
	PICTURE_SOCKETS = 8,
	PICTURE_CORES = 10,
	PICTURE_SIDES = 2,
	PICTURE_LINKS = 4,
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
	struct picture_part sboxes[PICTURE_SIDES], bboxes[PICTURE_SIDES];
	struct picture_part mboxes[PICTURE_SIDES];
	struct picture_part smi[PICTURE_SIDES][2]; /* northbound, southbound */
	struct picture_part rbox, links[PICTURE_LINKS], ubox, wbox, hub;
};

struct picture {
	unsigned num_sockets, num_cores;
	unsigned num_dimms; /* on each bus */
	double clock_hz, seconds, link_flits_per_s;
	char *what; /* that ran */
	const char *machine;
	struct uncore_event *events[PICTURE_EVENTS]; /* owned */
	struct picture_socket sockets[PICTURE_SOCKETS];
	/* UNCORE_LINK_*, and the other end */
	int link_kinds[PICTURE_SOCKETS][PICTURE_LINKS];
	unsigned peers[PICTURE_SOCKETS][PICTURE_LINKS];
	unsigned peer_links[PICTURE_SOCKETS][PICTURE_LINKS];
};

/* Counters for all of it. A TOOL_* status. */
int picture_open(struct picture *picture, struct uncore_target *target,
		 struct uncore_session **session);

/* From the session that has been read to what is drawn. */
void picture_fill(struct picture *picture,
		  const struct uncore_session *session);

void picture_draw(const struct picture *picture, FILE *file);

/* Colour of a part. */
uint32_t picture_colour(double busy);

/* One socket with its upper left corner at x and y; `down`: its links leave
 * downward, else upward. */
enum { PICTURE_SOCKET_WIDTH = 580, PICTURE_SOCKET_HEIGHT = 440 };
void picture_socket(const struct picture *picture, struct svg *svg,
		    unsigned socket, double x, double y, bool down);

/* Where a link leaves the socket, from its corner. */
double picture_link_x(unsigned link);

#endif
