/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * One socket: its PMU, its cores, and what its boxes are built with. Ring
 * stops: two halves, each with its C-Boxes (and their cores) in order and the
 * S-Box in the middle of them; so "toward the nearest S-Box" is the short way.
 */
#ifndef UNCORE_SOCKET_H
#define UNCORE_SOCKET_H

#include "model/box/answers.h"
#include "model/box/core.h"
#include "model/box/kind.h"
#include "model/box/llc.h"
#include "model/box/privcache.h"
#include "model/box/slice_hash.h"
#include "model/box/superqueue.h"
#include "model/fault/fault.h"
#include "model/machine/machine.h"
#include "model/pmu/pmu.h"
#include "model/truth/values.h"
#include "uncore/model.h"

enum { SOCKET_MAX_CORES = LLC_MAX_CORES, SOCKET_SIDES = 2 };

struct socket {
	struct sim *sim;
	const struct kind *kind;
	struct ex *ex;	   /* the machine that it belongs to, of one kind .. */
	struct ep *ep;	   /* .. or of the other */
	struct pmu *pmu;   /* the processor's */
	struct pmu **pmus; /* it, and those beside it */
	unsigned num_pmus;
	const double *param; /* NUM_PARAMS values, by enum param */
	struct uncore_traffic *traffic;
	struct socket *const *all; /* of the system, by index */
	unsigned index, num_sockets, num_cores;
	unsigned num_slices;   /* of the LLC: one beside each core, or more */
	unsigned num_nodes;    /* of each socket, of as many cores each: to
				  each other what other sockets are */
	unsigned num_clusters; /* of each node: its slices and channels */
	uint64_t memory_lines; /* behind each socket */
	unsigned num_live;     /* cores that have traffic left */
	unsigned num_running;  /* of them, those that have some now */
	bool stops_dry;	       /* the run ends when none has */
	unsigned num_hubs;     /* in the system; sockets 0.. have one each */
	unsigned num_stacks;   /* of I/O, whose ports devices are at; 0: none */
	struct faults faults;
	struct detail *detail;	 /* shared by all; NULL: all is detailed */
	struct values *values;	 /* shared by all sockets; NULL: not checked */
	struct answers *answers; /* the same; NULL: nobody asks for them */
	struct core cores[SOCKET_MAX_CORES];
	const struct llc *llcs[SOCKET_MAX_CORES]; /* slices, for who looks */
	/* On which C- and S-Boxes publish. */
	struct sigbank *cbox_banks[SOCKET_MAX_CORES];
	struct sigbank *sbox_banks[SOCKET_SIDES];
};

/* Where a box publishes; NULL for one that the family does not have. */
struct sigbank *socket_bank(const struct socket *socket,
			    const struct uc_family *family, const char *box,
			    unsigned instance);

/* pmu_num_changes() of all sockets. */
unsigned socket_num_changes(const struct socket *any);

/* Whether a line's home is on the side of its slice. */
bool socket_is_hemisphere(const struct socket *socket);

/* The home agent of a line: a node, and its index in that node's memory. */
unsigned socket_home_of(const struct socket *socket, uint64_t line,
			unsigned slice, uint64_t *local);
unsigned socket_home(const struct socket *socket, uint64_t line,
		     uint64_t *local);

/* Core cycles of an instruction of traffic that does not say what its own
 * take. */
static inline double core_cpi(const double *param)
{
	return param[PARAM_CORE_CPI] > 0 ? param[PARAM_CORE_CPI] : 1;
}

/* What decides whether a core's prefetches are dropped, at first. */
static inline struct superqueue core_queue(const double *param)
{
	return (struct superqueue){
		.size = (unsigned)param[PARAM_CORE_SUPER_QUEUE],
		.buffers = (unsigned)param[PARAM_CORE_FILL_BUFFERS],
		.limit = (unsigned)param[PARAM_CORE_PREFETCH_LIMIT],
		.window = (unsigned)param[PARAM_CORE_WINDOW],
		.latency = (unsigned)param[PARAM_CORE_PREFETCH_CYCLES],
	};
}

static inline struct privcache_shape core_caches(const double *param)
{
	unsigned ways = param[PARAM_CORE_L2_WAYS] > 0 ? 16 : 8;
	unsigned shift = 11 + (unsigned)param[PARAM_CORE_L2]; /* of 128 KB */

	return (struct privcache_shape){
		.l1i_ways = param[PARAM_CORE_L1I_WAYS] > 0 ? 8 : 4,
		.l2_ways = (uint8_t)ways,
		.l2_set_shift = (uint8_t)(shift - (ways == 8 ? 3 : 4)),
		.tells_clean = param[PARAM_CORE_TELLS_CLEAN] > 0,
		.llc_ahead = (uint8_t)param[PARAM_CORE_LLC_PREFETCH],
	};
}

static inline unsigned socket_param(const struct socket *socket,
				    enum param param)
{
	return (unsigned)(socket->param[param] + 0.5);
}

/* A core of the system, by its number over all sockets. */
static inline const struct core *socket_any_core(const struct socket *socket,
						 unsigned number)
{
	return &socket->all[number / socket->num_cores]
			->cores[number % socket->num_cores];
}

/* Nodes as programs see them: cores and their memory. */
static inline unsigned socket_numa_nodes(const struct socket *socket)
{
	return socket->num_nodes * socket->num_clusters;
}

/* The slice that a line belongs to in one of the socket's nodes, in every
 * socket the same: each node has slices of its own for all that its cores ask
 * for. Of its clusters each has those for its part of the memory. */
static inline unsigned socket_node_slice(const struct socket *socket,
					 unsigned node, uint64_t line)
{
	unsigned num = socket->num_slices / socket->num_nodes;

	if (socket->num_clusters > 1)
		return llc_slice(line, num / 2) +
		       num / 2 * llc_cluster(line, socket->memory_lines / 2);
	if (socket->param[PARAM_HASH] > 0)
		return node * num + slice_hash(line, num);
	return node * num + llc_slice(line, num);
}

static inline unsigned socket_slice(const struct socket *socket, uint64_t line)
{
	return socket_node_slice(socket, 0, line);
}

/* Ring stops. */
unsigned socket_cbox_stop(const struct socket *socket, unsigned cbox);
unsigned socket_sbox_stop(const struct socket *socket, unsigned side);

/* The S-Box (side) of a C-Box, and the C-Box's place behind it. */
static inline unsigned socket_side(const struct socket *socket, unsigned cbox)
{
	return cbox >= socket->num_cores / 2;
}

static inline unsigned socket_place(const struct socket *socket, unsigned cbox)
{
	return cbox - socket_side(socket, cbox) * (socket->num_cores / 2);
}

#endif
