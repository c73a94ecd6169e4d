/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The R-Box: the crossbar of a socket with eight ports (guide 2.6), and the QPI
 * links that join sockets. Boxes of the socket hand packets to it with
 * rbox_send() and get theirs through the functions of struct rbox_client. Both
 * directions may refuse, so back pressure is always seen:
 *
 *	box -> R-Box	rbox_send() is false without a credit for the input
 *			buffer of the port; client.credit() is called whenever
 *			a credit of that port comes back: try again then.
 *	R-Box -> box	client.deliver() is false while the box has no room for
 *			this class; the packet waits in the R-Box and the box
 *			calls rbox_resume() when it has room. Packets of other
 *			classes pass meanwhile.
 *
 * Packets of one source, destination and class stay in order. Each class gets
 * through whatever the others do, as long as its receivers take it sometime.
 *
 * Sockets have a struct sim each and run in windows of at most
 * rbox_window_cycles(). During a window an R-Box touches nothing of another
 * socket but its own end of the links, so the sims may run in parallel threads.
 * Between windows, when all sims stand at the same cycle, one thread calls
 * rbox_exchange() for every R-Box: that hands over what the links carried.
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

/* A box behind an internal port (S-Box, B-Box and U-Box), or an I/O hub at the
 * far end of the link of a QPI port. The functions are called from the socket's
 * sim and may call rbox_send() and rbox_resume(). */
struct rbox_client {
	void *object;
	/* Takes the packet whose last flit arrives in this cycle (it is copied
	 * if wanted), or is false where the box has no room for its class. */
	bool (*deliver)(void *object, const struct packet *packet);
	/* A packet has left the input buffer: vn is 2 (VNA, `flits` flits are
	 * free again) or 0 or 1 (the place of this class in VN0 or VN1). May
	 * be NULL. */
	void (*credit)(void *object, enum packet_class cls, unsigned vn,
		       unsigned flits);
};

struct rbox;

/* Defaults of the Xeon E7 at 2.667 GHz with links of 6.4 GT/s. */
void rbox_config_init(struct rbox_config *config);

/* Sets link_num and link_den; a flit is four transfers. */
void rbox_config_link(struct rbox_config *config, double transfers_hz,
		      double clock_hz);

/* An R-Box without traffic, or NULL without memory or with a config that
 * cannot work; freed with rbox_free() (all those connected together, after the
 * last window). `bank` is the socket's R-Box bank: element SIG * 8 + port. */
struct rbox *rbox_new(struct sim *sim, struct sigbank *bank,
		      const struct rbox_config *config, unsigned socket,
		      unsigned num_sockets);
void rbox_free(struct rbox *rbox);

/* Who sits behind a port; before the first packet for it. On a QPI port without
 * a neighbour it is an I/O hub (NODE_IOH() of this socket): its packets pay for
 * the link in both directions, and so do credits. False without memory. */
bool rbox_attach(struct rbox *rbox, enum rbox_port port,
		 const struct rbox_client *client);

/* An S-Box has sent an idle flit with credits: a special flit received. What
 * other boxes take gives its credit back at once, and the R-Box sees to the
 * idle flits itself. */
void rbox_idle_flit(struct rbox *rbox, enum rbox_port port);

/* Joins two QPI ports by a link of both directions. rbox_connect_all() makes
 * the links of qpi_map.h between rboxes[0..num-1]; needed for num > 1. */
void rbox_connect(struct rbox *a, enum rbox_port port_a, struct rbox *b,
		  enum rbox_port port_b);
void rbox_connect_all(struct rbox *const *rboxes, unsigned num);

/* Hands over a packet (copied) with cls, flits, dest, network and whatever else
 * its receiver needs; its first flit enters in this cycle or as soon as the
 * port has taken those before. False: no credit, nothing has happened. `vn` is
 * set by the R-Box, hop by hop; the second link of a route is taken on VN1,
 * whatever `network` says. */
bool rbox_send(struct rbox *rbox, enum rbox_port port,
	       const struct packet *packet);

/* Credits that a box has on its port: VNA flits, and whether the place of a
 * class in VN0 or VN1 is free. rbox_can_send(): rbox_send() of a packet of
 * network 0 would be true. */
unsigned rbox_vna_free(const struct rbox *rbox, enum rbox_port port);
bool rbox_vn0_free(const struct rbox *rbox, enum rbox_port port,
		   enum packet_class cls);
bool rbox_vn1_free(const struct rbox *rbox, enum rbox_port port,
		   enum packet_class cls);
bool rbox_can_send(const struct rbox *rbox, enum rbox_port port,
		   enum packet_class cls, unsigned flits);

/* The link over which packets reach a node sleeps (see idle_cycles). */
bool rbox_link_sleeps(const struct rbox *rbox, unsigned node);

/* Whether a packet is crossing to the box behind this port. */
bool rbox_is_sending(const struct rbox *rbox, enum rbox_port port);

/* The box behind this port has room again for this class. Harmless when nothing
 * waits. */
void rbox_resume(struct rbox *rbox, enum rbox_port port, enum packet_class cls);

/* The longest window: what is sent in a window arrives after its end. */
unsigned rbox_window_cycles(const struct rbox_config *config);

/* Takes over packets and credits that neighbours sent in the past window. */
void rbox_exchange(struct rbox *rbox);

/* No packet is in the R-Box or on a link towards it (right after an exchange;
 * within a window, as far as known). */
bool rbox_is_idle(const struct rbox *rbox);

/* At rest: every credit of every port is back; else *port lacks one. */
bool rbox_credits_are_back(const struct rbox *rbox, unsigned *port);

#endif
