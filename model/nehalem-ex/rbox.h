/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The ports and settings of an R-Box: the crossbar of a socket with eight ports
 * (guide 2.6), and the QPI links that join sockets.
 */
#ifndef UNCORE_RBOX_H
#define UNCORE_RBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/packet.h"
#include "model/fault/fault.h"
#include "model/pmu/signal.h"
#include "model/sim/sim.h"

/* Ports as Table 2-40 numbers them. */
enum rbox_port {
	RBOX_PORT_QPI1,
	RBOX_PORT_QPI0,
	RBOX_PORT_SBOX0,
	RBOX_PORT_BBOX0,
	RBOX_PORT_QPI2,
	RBOX_PORT_QPI3,
	RBOX_PORT_SBOX1,
	RBOX_PORT_BBOX1, /* the U-Box sits here too */
	RBOX_NUM_PORTS
};

enum { RBOX_MAX_SOCKETS = 8, RBOX_MAX_FLITS = 11 };

/* A flit takes link_num / link_den cycles on a QPI link, at least one cycle:
 * ports of the crossbar move one flit per cycle and faster links wait. */
struct rbox_config {
	unsigned link_num, link_den;
	unsigned link_latency_cycles; /* last beat sent to last beat there */
	unsigned pipeline_cycles;     /* input port to output port, >= 2 */
	unsigned vna_flits;	      /* shared input buffer of a port */
	unsigned entry_table;	 /* packets per class that the arbiter sees */
	unsigned output_flits;	 /* output queue of a QPI port */
	unsigned output_packets; /* per class in front of a box, >= 2 */
	unsigned retry_flits;	 /* sent, not yet acknowledged */
	unsigned starvation_cycles; /* a class waiting longer is starving */
	unsigned retry_limit;	    /* bad tries before a link is initialised */
	unsigned reset_cycles;	    /* a link is down for, and then has these */
	unsigned init_flits;	    /* special flits */
	unsigned idle_cycles;	    /* a link sleeps then; 0: never */
	unsigned wake_cycles;
	struct faults *faults; /* of the socket, or NULL */
	/* An error on the link of a port has been found and mended; or NULL. */
	void (*corrected)(void *object, unsigned port);
	void *object;
};

/* Defaults of the Xeon E7 at 2.667 GHz with links of 6.4 GT/s. */
void rbox_config_init(struct rbox_config *config);

/* Sets link_num and link_den; a flit is four transfers. */
void rbox_config_link(struct rbox_config *config, double transfers_hz,
		      double clock_hz);

/* How long a credit takes over a link: from the cycle in which a flit has left
 * to the one in which it has arrived. */
unsigned rbox_window_cycles(const struct rbox_config *config);

#endif
