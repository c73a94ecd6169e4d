/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The home agent of a socket's memory: its tracker, snoops and their answers,
 * directory, the four channels' credits.
 */
#ifndef UNCORE_HA_H
#define UNCORE_HA_H

#include "model/sandy-bridge-ep/ep.h"
#include "model/sandy-bridge-ep/imc.h"
#include "model/sandy-bridge-ep/trip.h"
#include "model/station/places.h"

/* NULL without memory. */
struct ha *ha_new(struct ep *ep, unsigned socket, unsigned number,
		  const struct uc_family *family);
void ha_free(struct ha *ha);

/* Who snoops: the slice that misses; the home; the home where its directory
 * says so, of one node or of two a socket (cluster on die). By ha.snoop. */
enum ha_mode { HA_SOURCE, HA_HOME, HA_DIRECTORY, HA_CLUSTERS };

/* What the directory says of a line: that other nodes do not have it, that they
 * may, unchanged, or that one may in any state. */
enum ha_state { HA_STATE_I, HA_STATE_S, HA_STATE_A };

/* The request ids that a node has at the home. */
struct places *ha_rtids(struct ha *ha, unsigned node);

/* Whether the home snoops, not the requester. */
bool ha_snoops(const struct ha *ha);

/* A request for a line of the home's memory that has come to it. */
struct ha_request {
	uint64_t line;
	struct ep_home home;
	unsigned node;	  /* of the requester: its CBo .. */
	int core;	  /* .. and core, -1: of none */
	unsigned opcode;  /* HOM0_* */
	uint64_t arrived; /* at the home agent's stop */
	uint64_t landed;  /* of another socket: it has left the link */
	uint64_t snooped; /* the other nodes' answers are there, where the
				requester has snooped; 0: nobody has */
	bool has_data;	  /* another node sends the line, .. */
	bool is_modified; /* .. which it had changed: memory gets it, too */
	uint32_t value;	  /* of that line */
};

/* What becomes of it. */
struct ha_reply {
	uint64_t data_at; /* the line is on its way from then on; 0: none */
	uint64_t cmp_at;  /* the completion is */
	bool is_direct;	  /* the line goes to the core itself */
	uint32_t value;	  /* of memory's line */
	/* Of a home that snoops: the other nodes' answers; others may have it
	 * that were not asked. */
	bool has_snooped, has_data, is_modified, is_shared, is_unasked;
	unsigned peer;	       /* who sends the line, if has_data; */
	uint64_t peer_data_at; /* ready at its slice, to be sent */
	uint32_t peer_value;
};

/* A request at the home in two halves. ha_begin() does all that depends on the
 * order of the requests, and has the line read; where that waits at its
 * channel, `waits` is set, and the owner (model/sandy-bridge-ep/imc.h) gets
 * `object` with the cycle for ha_end(). That may be called at once where
 * nothing waits. An owner of NULL: nothing may. */
struct ha_ask {
	struct ha_request request;
	struct ha_reply reply; /* after ha_begin(): all but times */
	bool waits;
	uint64_t shown; /* waits: neither line nor completion is there before */
	/* ha.c alone */
	uint64_t at, known, answered, from;
	unsigned place, credit; /* in the tracker; of the channel */
	struct ha_snoops {
		uint32_t must, asked; /* nodes, a bit each */
		enum ha_state state;
		bool is_early, is_guess, is_clear;
	} snoops;
	struct ha_update {
		enum ha_state from, to; /* of the directory; alike: none */
		bool is_forwarded;
	} update;
};
void ha_begin(struct ep *ep, struct ha_ask *ask, const struct imc_owner *owner,
	      void *object);
void ha_end(struct ep *ep, struct ha_ask *ask, uint64_t data);

/* While it waits, its owner is told that it does so longer; somebody cannot
 * wait for a request id of a node to be free in a cycle that is known. */
void ha_waits(struct ep *ep, struct ha_ask *ask, uint64_t until);
void ha_hurry(struct ha *ha, unsigned node, uint64_t at);

/* A request for the home's line `local` counts by the region that it is in. */
void ha_count_region(struct ha *ha, uint64_t local, uint64_t at);

/* An answer to a snoop (HOM1_*), for a node's request, comes to it in a cycle.
 */
void ha_tell_answer(struct ha *ha, unsigned requester, unsigned response,
		    uint64_t at);

/* Whether who may have a line is looked up with it. */
bool ha_has_directory(const struct ha *ha);

/* For a line that no other node has than the one that asks: true if all that
 * the home does is known by *is_set, whether its directory says A; false: it
 * says S, or HitME knows of the line, too. What the directory says
 * behind a read or a write of the line, which is not told. */
bool ha_knows_by_bit(const struct ha *ha, const struct ep_home *home,
		     uint64_t line, bool *is_set);
void ha_set_state(struct ha *ha, const struct ep_home *home,
		  enum ha_state state);

/* Where it is; it sends a packet to a stop of any socket, as trip_go(). */
struct trip_stop ha_stop(const struct ha *ha);
struct trip ha_send(struct ha *ha, struct trip_stop to, struct packet *packet,
		    uint64_t ready, int core);

/* Of a HOM0 opcode: the snoop that it needs; whether it leaves nobody else a
 * copy. */
unsigned ha_snoop_opcode(unsigned opcode);
bool ha_takes_away(unsigned opcode);

/* A write-back with its line is at the home agent: when it is confirmed. */
uint64_t ha_write(struct ep *ep, const struct ha_request *request,
		  bool is_partial);

#endif
