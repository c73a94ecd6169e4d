/* SPDX-License-Identifier: BSD-3-Clause Copyright (c) 2026 The uncore authors
 *
 * A machine of the kind of Sandy Bridge-EP (Xeon E5-2600): what its sockets
 * consist of, and the conventions of all files here.
 *
 * An access that leaves the private caches is a transaction, as in
 * model/nehalem-ex: it is worked off in one call, in the order of the starts,
 * and passes from station to station with the time; but reads of memory wait
 * for their channel to choose them (cbo_miss.c). So a function here takes
 * the cycle in which something arrives and returns the cycle in which it is
 * done, and publishes with their exact times the signals of all that happens in
 * between. A box knows its own stations and nothing of its neighbours.
 *
 * Every time is in cycles of the uncore, which is the clock of cores, ring,
 * CBo, home agent, R2PCIe, R3QPI and U-Box. A box with a slower clock rounds up
 * to its own cycles (ep_clock); its bank counts in these. `now` is the start of
 * the present transaction (engine_now()); nobody asks a station for an earlier
 * cycle and nothing is published for one.
 *
 * */
#ifndef UNCORE_EP_H
#define UNCORE_EP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/packet.h"
#include "model/box/socket.h"
#include "model/parts/memory/directory.h"
#include "model/pmu/engine.h"
#include "model/station/spans.h"

/* The most that a machine's file can ask for. */
enum {
	EP_MAX_SOCKETS = 4,
	EP_MAX_NODES = 2 * EP_MAX_SOCKETS,
	EP_MAX_RANGES = 2 * EP_MAX_NODES,
	EP_MAX_CORES = SOCKET_MAX_CORES,
	EP_MAX_HOMES = EP_MAX_CORES,
	EP_MAX_CONTROLLERS = 2,
	EP_MAX_CHANNELS = 8,
	EP_MAX_LINKS = 3,
	EP_MAX_RINGS = 2,
	EP_BRIDGES = 2, /* of two rings; each has a stop on both */
	EP_MAX_STOPS = EP_MAX_CORES + EP_MAX_LINKS + EP_MAX_CONTROLLERS +
		       EP_BRIDGES + 2
};

/* Stops of a ring in their order are two columns: CBos (each with its core)
 * upwards from the home agent to the links and R2PCIe, and others back to the
 * U-Box (and PCU). Where there are two rings the second has a home agent and
 * CBos, and at both ends of the columns there is a bridge to the other. */
struct ep_stops {
	uint8_t num[EP_MAX_RINGS];
	uint8_t cbos[EP_MAX_CORES], controllers[EP_MAX_CONTROLLERS];
	uint8_t links[EP_MAX_LINKS];
	uint8_t tiles[EP_MAX_STOPS]; /* of a mesh, by stop */
	uint8_t io, ubox, bridges[EP_MAX_RINGS][EP_BRIDGES];
};

struct cbo;
struct cbo_job;
struct ep;

enum ring_kind { RING_AD, RING_AK, RING_BL, RING_IV, RING_NUM_KINDS };

struct ring_ride {
	uint64_t injected, arrived; /* of the last of its slots */
	bool is_counter_clockwise;
};

/* What a home does with the memory. */
enum ep_memory {
	MEMORY_READ,
	MEMORY_WRITE,
	MEMORY_PARTIAL,
	MEMORY_DIRECT,	 /* its line goes to the core itself, .. */
	MEMORY_OVERRIDE, /* .. or might have */
	MEMORY_DIRSTATE, /* .. but for the directory */
	MEMORY_FAR,	 /* the same, of another socket that asked */
	MEMORY_FAR_OVERRIDE,
	MEMORY_FAR_DIRSTATE,
	MEMORY_PREFETCH, /* a link asks for a line ahead; the read comes */
	MEMORY_PROMOTION,
	DIRECTORY_LOOKUPS,			   /* by state (ha.h) */
	DIRECTORY_UPDATES = DIRECTORY_LOOKUPS + 3, /* from one to another */
};

#define DIRECTORY_LOOKUP(state)                                                \
	(enum ep_memory)(DIRECTORY_LOOKUPS + (unsigned)(state))
#define DIRECTORY_UPDATE(from, to)                                             \
	(enum ep_memory)(DIRECTORY_UPDATES + 3 * (unsigned)(from) +            \
			 (unsigned)(to))

/* Where a message waits between the mesh and a channel: for the channel, with a
 * request or with a line; for the mesh, with a line. */
enum ep_memory_queue { MEMORY_RXC_AD, MEMORY_RXC_BL, MEMORY_TXC_BL };

/* With a stop from which something is sent: its core sends it, not the slice.
 */
enum { EP_CORE_SENDS = 0x80 };

/* How flits go over a link: in `cycles` link cycles there are so many; a line's
 * data are some, the first of which is a multiple of `group` (of UPI, whose
 * flits have three slots, a flit here is a slot). */
struct ep_flits {
	uint8_t flits, cycles, data, group;
};

/* What kinds of these processors have not in common: how the boxes are called,
 * and what joins them. */
struct ep_kind {
	/* As kind->check, of what this kind alone has. */
	char *(*check)(const struct socket *socket);
	const char *slice, *home, *link, *link_stop, *io;
	unsigned controller; /* boxes imc of a controller, there or not */
	unsigned device;     /* box of I/O that the devices are behind */
	unsigned pcu_mhz, io_mhz;
	struct ep_flits flits;
	bool has_home_in_slice;
	bool has_directory_s; /* a state S, see ha_directory.c */
	/* The mesh of a socket and how messages go over it, as ring_carry();
	 * NULL: there are rings. */
	struct mesh *(*mesh)(struct ep *ep, unsigned socket,
			     const struct uc_family *family);
	struct ring_ride (*carry)(struct ep *ep, unsigned socket,
				  enum ring_kind kind, unsigned from,
				  unsigned to, uint64_t ready, unsigned slots);
	/* Of a channel, where boxes of their own are between homes and memory.
	 */
	void (*tell_memory)(struct ep *ep, unsigned socket, unsigned channel,
			    enum ep_memory what, uint64_t at);
	void (*hold_memory)(struct ep *ep, unsigned socket, unsigned channel,
			    enum ep_memory_queue queue, uint64_t from,
			    uint64_t until);
	/* What a slice does with its tags, and tells (skylake-sp/cha.h); NULL:
	 * as a CBo does, whose LLC includes what cores have. Of a hit, of what
	 * a core gives back and of a line that comes (track) there is what
	 * changes alone, for accesses while time stands. */
	bool (*init)(struct cbo *cbo);
	void (*serve)(struct cbo_job *job, struct core *core, unsigned entry);
	void (*take_hit)(struct cbo_job *job, struct core *core,
			 unsigned entry);
	void (*take_back)(struct cbo_job *job, struct core *core,
			  unsigned entry);
	struct llc_way *(*track)(struct cbo *cbo, struct llc_way *way,
				 struct llc_spot spot, uint64_t at);
	struct llc_way *(*hold)(struct cbo *cbo, struct llc_way *way,
				struct llc_spot spot, uint64_t at);
	uint8_t (*state)(const struct cbo *cbo, const struct llc_way *way);
	uint16_t (*opcode)(const struct cbo_job *job);
	void (*tell_job)(struct sigbank *bank, const void *visit);
	void (*tell_asked)(struct cbo *cbo, unsigned cause,
			   const struct llc_way *way, unsigned cores,
			   bool takes, uint64_t at);
};

/* What is between the mesh and the channels of a controller. */
struct ep_m2m {
	struct sigbank *bank; /* NULL: there is none */
	struct spans waiting; /* cycles in which a request is in its ingress */
};

extern const struct ep_kind skx_kind; /* model/skylake-sp */

struct ep_socket {
	struct socket *socket;
	struct ring *rings[EP_MAX_RINGS];
	struct mesh *mesh; /* NULL where there are rings */
	struct ep_m2m m2m[EP_MAX_CONTROLLERS];
	struct cbo *cbos[EP_MAX_CORES];
	struct ha *homes[EP_MAX_HOMES];
	struct directory directory; /* of all of them */
	struct imc *imcs[EP_MAX_CHANNELS];
	struct qll *qlls[EP_MAX_LINKS]; /* QPI and R3QPI */
	struct iio *iio;		/* R2PCIe and what is behind it */
	struct ubox *ubox;
	struct pcu *pcu;
	struct cbo_quick *quick; /* NULL where all is detailed */
};

/* A range of memory: whose it is, and the first of its channels there. */
struct ep_range {
	uint8_t node, socket, channel;
};

struct ep {
	struct engine engine;
	const struct ep_kind *kind;
	unsigned num_sockets;
	unsigned num_nodes; /* of each socket: 2 with cluster on die */
	/* Nodes, and clusters of them, have ranges of the memory one behind the
	 * other, each of so many lines in so many channels. */
	unsigned num_ranges, range_channels;
	uint64_t range_lines;
	struct ep_range ranges[EP_MAX_RANGES];
	/* Of each socket: channels, of which each controller has as many;
	 * places for cores on each ring, of which some may be empty. */
	unsigned num_cores, num_slices, num_homes, num_controllers,
		num_channels;
	unsigned num_links, num_rings;
	unsigned num_places[EP_MAX_RINGS];
	struct ep_stops stops;
	uint8_t beside[EP_MAX_CORES]; /* see ep_beside() */
	unsigned num_monitors;	      /* that are armed, see ubox.h */
	bool tells_flits;	      /* then: somebody listens to a link */
	uint64_t quick_cycle;	      /* that it would be if it did not */
	struct ep_socket sockets[EP_MAX_SOCKETS];
};

/* Where things are, once ep_lay_out() knows how many there are. A number of a
 * stop is the machine's: those of the second ring follow those of the first. */
static inline unsigned ep_cbo_stop(const struct ep *ep, unsigned cbo)
{
	return ep->stops.cbos[cbo];
}

/* The slice that a core is beside, and its stop. Where there are more slices
 * than cores these are spread over them. */
static inline unsigned ep_beside(const struct ep *ep, unsigned core)
{
	return ep->beside[core];
}

static inline unsigned ep_core_stop(const struct ep *ep, unsigned core)
{
	return ep_cbo_stop(ep, ep_beside(ep, core));
}

static inline unsigned ep_home_stop(const struct ep *ep, unsigned home)
{
	return ep->kind->has_home_in_slice ? ep->stops.cbos[home]
					   : ep->stops.controllers[home];
}

/* From which a home reads and writes a channel. */
static inline unsigned ep_memory_stop(const struct ep *ep, unsigned home,
				      unsigned channel)
{
	return ep->kind->has_home_in_slice
		       ? ep->stops.controllers[channel * ep->num_controllers /
					       ep->num_channels]
		       : ep_home_stop(ep, home);
}

static inline void ep_tell_memory(struct ep *ep, unsigned socket,
				  unsigned channel, enum ep_memory what,
				  uint64_t at)
{
	if (ep->kind->tell_memory)
		ep->kind->tell_memory(ep, socket, channel, what, at);
}

static inline void ep_hold_memory(struct ep *ep, unsigned socket,
				  unsigned channel, enum ep_memory_queue queue,
				  uint64_t from, uint64_t until)
{
	if (ep->kind->hold_memory)
		ep->kind->hold_memory(ep, socket, channel, queue, from, until);
}

static inline unsigned ep_link_stop(const struct ep *ep, unsigned link)
{
	return ep->stops.links[link];
}

static inline unsigned ep_io_stop(const struct ep *ep)
{
	return ep->stops.io;
}

static inline unsigned ep_ubox_stop(const struct ep *ep)
{
	return ep->stops.ubox;
}

static inline unsigned ep_ring_of(const struct ep *ep, unsigned stop)
{
	return stop >= ep->stops.num[0];
}

void ep_lay_out(struct ep *ep);

/* A node is half of a socket with cluster on die, else a socket: cores with
 * their slices, which keep all lines that they ask for, and channels of a part
 * of the memory. Of all nodes of the machine, that of a core. */
static inline unsigned ep_node(const struct ep *ep, unsigned socket,
			       unsigned core)
{
	return (socket * ep->num_cores + core) * ep->num_nodes / ep->num_cores;
}

/* Of its slices the first that is a node's. */
static inline unsigned ep_first_slice(const struct ep *ep, unsigned node)
{
	return node % ep->num_nodes * ep->num_slices / ep->num_nodes;
}

static inline uint32_t ep_all_nodes(const struct ep *ep)
{
	return (UINT32_C(1) << ep->num_sockets * ep->num_nodes) - 1;
}

/* The home of a line: a node, its socket, one of that one's home agents and
 * channels, and the line's index in that channel's memory. */
struct ep_home {
	unsigned node, socket, agent, channel;
	uint64_t local;
};
struct ep_home ep_home(const struct ep *ep, uint64_t line);

static inline const struct ep_range *ep_range(const struct ep *ep,
					      uint64_t line)
{
	return &ep->ranges[(unsigned)(line / ep->range_lines) % ep->num_ranges];
}

/* The far end of a socket's link: a socket, whose link has the same number; not
 * below num_sockets where it leads nowhere. All links of two sockets join them;
 * of four each leads to one of the others. */
static inline unsigned ep_far_end(const struct ep *ep, unsigned socket,
				  unsigned link)
{
	if (ep->num_sockets > 2)
		return socket ^ (link + 1);
	return ep->num_sockets > 1 ? !socket : ep->num_sockets;
}

/* The link by which a message for a line leaves a socket for another. */
unsigned ep_route(const struct ep *ep, unsigned from, unsigned to,
		  uint64_t line);

/* The channels of a controller follow each other: which controller's one is,
 * and which of these. */
static inline unsigned ep_controller(const struct ep *ep, unsigned channel)
{
	return channel * ep->num_controllers / ep->num_channels;
}

static inline unsigned ep_own_channel(const struct ep *ep, unsigned channel)
{
	return channel % (ep->num_channels / ep->num_controllers);
}

static inline struct ha *ep_agent(const struct ep *ep, struct ep_home home)
{
	return ep->sockets[home.socket].homes[home.agent];
}

/* A clock that is slower than the uncore's: in `den` cycles of the uncore it
 * has `num`. */
struct ep_clock {
	uint64_t num, den;
};

/* Of a rate in MHz, beside the uncore's; both are multiples of 10 kHz. */
struct ep_clock ep_clock(const struct socket *socket, double mhz);

/* (cycles * by + more) / over, rounded down; but for cycles the numbers are
 * below 2^20. */
static inline uint64_t ep_scale(uint64_t cycles, uint64_t by, uint64_t over,
				uint64_t more)
{
	if (cycles >> 43)
		return (uint64_t)(((unsigned __int128)cycles * by + more) /
				  over);
	return (cycles * by + more) / over;
}

/* The clock's cycle that an uncore cycle falls into; the first uncore cycle
 * that falls into one of the clock's. */
static inline uint64_t ep_to_clock(struct ep_clock clock, uint64_t cycle)
{
	return ep_scale(cycle, clock.num, clock.den, 0);
}

static inline uint64_t ep_from_clock(struct ep_clock clock, uint64_t own)
{
	return ep_scale(own, clock.den, clock.num, clock.num - 1);
}

#endif
