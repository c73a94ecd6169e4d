/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A bench for R-Boxes without the rest of the machine: sockets joined by links,
 * a stand-in behind each internal port that sends random packets and refuses
 * some of what it gets, and a checker that every packet arrives once, at the
 * right place and in order. All signals are recorded.
 */
#ifndef UNCORE_RBOX_RIG_H
#define UNCORE_RBOX_RIG_H

#include "model/box/rbox.h"

enum { RIG_PORTS = 4, RIG_MAX_BOXES = RBOX_MAX_SOCKETS * RIG_PORTS };

struct rig;

/* Stands in for an S-Box or a B-Box, or for a hub: those come behind all boxes
 * in the numbering. */
struct rig_box {
	struct rig *rig;
	unsigned socket, port;
	unsigned index; /* among the rig's boxes; of sockets' boxes the node */
	unsigned node;
	uint64_t num_to_send;
	uint64_t random;
	unsigned refuse_percent;  /* of the offers */
	unsigned closed_classes;  /* bit per class that is refused */
	unsigned refused_classes; /* bit per class that waits for resume */
	unsigned only_class;	  /* to send, or PACKET_NUM_CLASSES */
	bool uses_vn1;		  /* for half of the receivers */
	unsigned pace_cycles; /* at most this between packets, or 0: no pause */
	int only_dest;	      /* index of a box, or -1 */
	struct packet next;
	bool has_next, is_waiting;
	uint64_t num_sent, num_got, flits_sent, flits_got;
	uint64_t first_time, last_time; /* of packets got */
	/* Next sequence number, by the other box and class. */
	uint32_t sent[RIG_MAX_BOXES][PACKET_NUM_CLASSES];
	uint32_t got[RIG_MAX_BOXES][PACKET_NUM_CLASSES];
};

struct rig {
	struct rbox_config config;
	unsigned num_sockets, num_hubs, num_boxes;
	unsigned window_cycles; /* the longest, or what a test asks for */
	uint64_t now;
	struct fault_plan plan;
	struct faults faults[RBOX_MAX_SOCKETS];
	uint64_t num_corrected;
	struct sim *sims[RBOX_MAX_SOCKETS];
	struct sigbank banks[RBOX_MAX_SOCKETS];
	struct sig_entry logs[RBOX_MAX_SOCKETS]; /* full with each entry */
	struct sig_tap *taps[RBOX_MAX_SOCKETS]; /* NULL: nobody listens */
	struct rbox *rboxes[RBOX_MAX_SOCKETS];
	struct rig_box boxes[RIG_MAX_BOXES];
	bool is_done; /* no box has anything to send */
};

/* A rig of idle boxes; `tapped`: signals are recorded from the start. Hubs are
 * one at each of the first sockets. */
struct rig *rig_new(unsigned num_sockets, const struct rbox_config *config,
		    bool tapped);
struct rig *rig_new_with_hubs(unsigned num_sockets, unsigned num_hubs,
			      const struct rbox_config *config, bool tapped);
void rig_free(struct rig *rig);

/* Sends one packet at cycle 0 over an idle network and frees the rig; when it
 * arrived. */
uint64_t rig_lone_packet(struct rig *rig, unsigned from, unsigned to,
			 unsigned cls);

/* Gives every box random packets to send. */
void rig_fill(struct rig *rig, uint64_t packets_per_box, unsigned seed);
struct rig_box *rig_box(struct rig *rig, unsigned index);

/* Lets a fault happen, as --inject would; how often it did. */
void rig_inject(struct rig *rig, const char *spec);
uint64_t rig_injected(const struct rig *rig, enum fault fault);

/* Packets of this box that a box got. */
uint32_t rig_got(struct rig *rig, unsigned from, unsigned to, unsigned cls);

/* Starts sending; more packets may have been given to the box. */
void rig_start(struct rig_box *box);

/* Runs that many cycles, or until all is quiet: true if it is by `cycles`. */
void rig_run(struct rig *rig, uint64_t cycles);
bool rig_finish(struct rig *rig, uint64_t cycles);

/* The box takes these classes again. */
void rig_open(struct rig_box *box);

/* Demands that all credits are back, all packets accounted for. */
void rig_check_quiet(struct rig *rig);

/* Begins to record all signals of a rig that is not tapped, as a PMU does. */
void rig_listen(struct rig *rig);

/* What a signal of a port has counted so far: pulses or level times cycles. */
uint64_t rig_signal(struct rig *rig, unsigned socket, unsigned signal,
		    unsigned port);
uint64_t rig_signal_sum(struct rig *rig, unsigned signal);
int64_t rig_level(struct rig *rig, unsigned socket, unsigned signal,
		  unsigned port);

#endif
