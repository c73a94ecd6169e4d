/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the CBo share with each other and with nobody else.
 *
 * A request passes the pipeline, again and again until nothing is in its way;
 * then it has its entry of the TOR, and is worked off to its end at once, or to
 * where memory's channel has to choose its read (cbo_miss.c). So what it meets
 * is known, or can be when it has to, and of two requests for a line the one
 * that started first goes first.
 */
#ifndef UNCORE_CBO_PARTS_H
#define UNCORE_CBO_PARTS_H

#include "model/box/copies.h"
#include "model/pmu/visit.h"
#include "model/sandy-bridge-ep/parts.h"
#include "model/station/calendar.h"
#include "model/station/lines.h"
#include "model/station/places.h"
#include "signals.h"

/* Opcodes of requests, as the filter has them (libpfm4). */
enum cbo_opcode {
	/* Of a flush, whose code no source has, and of a snoop: beyond the ten
	 * bits of a filter's, so that none is meant. */
	OPCODE_NONE = 0x400,
	OPCODE_RFO = 0x180,
	OPCODE_CRD = 0x181,
	OPCODE_DRD = 0x182,
	OPCODE_WCILF = 0x18c,
	OPCODE_WCIL = 0x18d,
	OPCODE_PREF_RFO = 0x190,
	OPCODE_PREF_CODE = 0x191,
	OPCODE_PREF_DATA = 0x192,
	OPCODE_PCI_WIL = 0x194,
	OPCODE_PCI_ITOM = 0x19c,
	OPCODE_PCI_RD_CUR = 0x19e,
	OPCODE_WB_MTOI = 0x1c4,
	OPCODE_ITOM = 0x1c8,
};

enum cbo_queue { QUEUE_IRQ, QUEUE_VFIFO, QUEUE_IPQ, CBO_NUM_QUEUES };

/* Why a pass came to nothing. */
enum cbo_retry {
	RETRY_NONE,
	RETRY_FULL,
	RETRY_ADDR_CONFLICT,
	RETRY_RTID,
	RETRY_QPI_CREDITS,
	RETRY_IIO_CREDITS,
};

/* What a look-up counts as. */
enum cbo_lookup {
	LOOKUP_READ,
	LOOKUP_WRITE,
	LOOKUP_SNOOP,
	LOOKUP_OTHER,
	LOOKUP_DEVICE_READ,
};

struct cbo_read;

struct cbo {
	struct ep *ep;
	struct socket *socket;
	unsigned index, number, stop; /* index: of the socket */
	unsigned node, first;	      /* first: the number of its first slice */
	unsigned slice;		      /* its number in the node or cluster */
	struct sigbank *bank;
	struct visits *visits;
	struct llc llc;
	struct calendar pipe;
	unsigned lookup_cycles, data_cycles, idf_cycles, line_cycles;
	unsigned starve_cycles;
	struct calendar intake; /* of the core at the same stop: lines */
	struct places queues[CBO_NUM_QUEUES];
	struct places tor;
	struct places iio_credits;
	struct lines lines; /* of the entries of the TOR */
	/* Of a slice that does not include what cores have: by set, the ways
	 * whose data it has, a bit each; places of a set for these, and for
	 * what cores have. NULL: it has the data of every entry. */
	uint32_t *held;
	unsigned data_ways, filter_ways;
	/* By entry of the TOR, what its end waits for, or NULL; by entry of the
	 * core at the same stop, its misses. */
	struct cbo_read *waiting[PLACES_MAX], *reads;
};

static inline bool cbo_has_data(const struct cbo *cbo,
				const struct llc_way *way)
{
	struct llc_place place;

	if (!cbo->held)
		return true;
	place = llc_place_of(&cbo->llc, way);
	return cbo->held[place.set] >> place.way & 1;
}

/* Somebody's request at a slice: a core's, a snoop, a device's, or (no queue)
 * a victim's. */
struct cbo_job {
	struct cbo *cbo;
	uint64_t line;
	struct llc_spot spot;
	struct ep_home home; /* the node alone, unless the home is needed */
	struct llc_way *way; /* as the look-up found it */
	/* In the order of a record. */
	uint8_t thread; /* 255: of nobody */
	uint8_t state;	/* RDS code that the look-up found */
	uint8_t queue, lookup;
	bool is_miss, is_eviction, is_write_back, needs_home, is_drd;
	bool is_clean; /* of a write-back: it is not changed */
	bool is_homes; /* its home looks up, nobody is asked */
	bool to_llc;   /* a prefetch, of which the core gets nothing */
	uint16_t opcode;
	uint8_t kind;		   /* enum uncore_access_kind, of a core's */
	unsigned place, tor, rtid; /* in the queue, the TOR, at the home */
	uint64_t arrived, rejected, passed; /* rejected: first, or 0 */
	uint64_t data_at; /* of a miss: it has come to the slice */
	uint64_t shown;	  /* it has been told up to there; 0: not yet */
};

/* Its record, told when it is over, or in parts: the first one has what comes
 * before, all have a part of its stay in the TOR, from .. until. */
struct cbo_visit {
	struct visit visit; /* stands first */
	struct cbo *cbo;
	uint64_t arrived, rejected, passed, from, data_at, until;
	uint8_t thread, state, queue, lookup;
	bool is_miss, is_eviction, is_write_back, needs_home, is_drd;
	bool is_first;
	uint16_t opcode;
	uint8_t home;
};

/* The slice of a line, of those of a slice's node, and where it may stand
 * there; the one that in another node has the lines that this one has here, in
 * the same places. */
static inline struct cbo *cbo_of(const struct cbo *any, uint64_t line,
				 struct llc_spot *spot)
{
	unsigned slice = llc_slice_and_spot(&any->llc, line, spot);

	return any->ep->sockets[any->index].cbos[any->first + slice];
}

static inline struct cbo *cbo_peer(const struct cbo *cbo, unsigned node)
{
	const struct ep *ep = cbo->ep;

	return ep->sockets[node / ep->num_nodes]
		.cbos[ep_first_slice(ep, node) + cbo->number - cbo->first];
}

/* The slice that a core of its socket is beside. */
static inline struct cbo *cbo_beside(const struct cbo *cbo, unsigned core)
{
	return cbo->ep->sockets[cbo->index].cbos[ep_beside(cbo->ep, core)];
}

static inline struct cbo *cbo_own(const struct core *core)
{
	const struct ep *ep = core->socket->ep;

	return ep->sockets[core->socket->index]
		.cbos[ep_beside(ep, core->index)];
}

/* It has come over the ring to its queue in the cycle `at`, which it enters
 * when there is a place; the look-up that ends all refusals is in job->passed,
 * and the TOR's entry is held from then on. */
void cbo_take(struct cbo_job *job, uint64_t at);

/* A pass from a cycle on: when its result is there; one of a queue, or of the
 * ISMQ (CBO_NUM_QUEUES), came to nothing in a cycle. */
static inline uint64_t cbo_pass(struct cbo *cbo, uint64_t from)
{
	uint64_t now = engine_now(&cbo->ep->engine);

	if (cbo->ep->engine.is_quick)
		return from;
	calendar_forget(&cbo->pipe, now);
	return calendar_take(&cbo->pipe, now, from, 1) + cbo->lookup_cycles;
}
void cbo_count_retry(const struct cbo_job *job, unsigned queue,
		     enum cbo_retry why, uint64_t at);

/* An entry of the TOR without a queue, with a request id of the home for a
 * write-back; the cycle from which it is held. ISMQ passes that are refused are
 * counted. */
uint64_t cbo_take_quietly(struct cbo_job *job, uint64_t at);

/* Its entry is free from a cycle on, and so is the request id of its home from
 * `home_done` (0: it had none). */
void cbo_leave(struct cbo_job *job, uint64_t until, uint64_t home_done);
static inline void cbo_end(struct cbo_job *job, uint64_t until,
			   uint64_t home_done)
{
	if (!job->cbo->ep->engine.is_quick || job->cbo->visits->num_heard)
		cbo_leave(job, until, home_done);
}

/* The end of its entry of the TOR waits for a read; it is known to be there up
 * to a cycle at least. The channel chooses the read now. */
void cbo_wait(struct cbo_job *job, struct cbo_read *read);
void cbo_stay(struct cbo_job *job, uint64_t until);
void cbo_hurry(struct cbo_read *read);

/* Of the misses of a core; NULL without memory, freed with free(). */
struct cbo_read *cbo_reads_new(void);

/* Cores of the slice's socket (a bit each) are asked for the line over the IV
 * ring in the cycle `at`; dirty: that one sends data (-1: none does). Returns
 * the cycle in which the slice has all answers; while time stands the messages
 * are counted. */
uint64_t cbo_send_snoops(struct cbo *cbo, unsigned cores, uint64_t at,
			 int dirty);
void cbo_count_snoops(struct cbo *cbo, unsigned cores, int dirty);
static inline uint64_t cbo_ask_cores(struct cbo *cbo, unsigned cores,
				     uint64_t at, int dirty)
{
	if (!cbo->ep->engine.is_quick)
		return cbo_send_snoops(cbo, cores, at, dirty);
	cbo_count_snoops(cbo, cores, dirty);
	return at;
}

/* The core's request is over when what it waits for, a line or an answer, has
 * come to its stop in the cycle `at`; lines are taken one after the other. */
void cbo_done(struct cbo *cbo, struct core *core, unsigned entry, uint64_t at,
	      bool has_line);

/* The line of a way leaves tags and cores now, and memory has it: what is left
 * to be done is that it goes, from a cycle on. That is asked of the cores, and
 * what was changed travels to memory. for_miss: a fill wants its way. */
struct cbo_victim {
	uint64_t line;
	unsigned cores; /* that had it, a bit each; */
	int dirty;	/* the one that had changed it, or -1 */
	uint8_t state;	/* enum llc_state */
	bool is_there, for_miss;
};
void cbo_take_out(struct cbo *cbo, struct llc_way *way, uint64_t line,
		  bool for_miss, struct cbo_victim *victim);
void cbo_victim_goes(struct cbo *cbo, const struct cbo_victim *victim,
		     uint64_t at);

/* A line, or a part of one, with a version goes to memory from a cycle on; when
 * the home has confirmed it. The same of a version that it has already. */
uint64_t cbo_write_memory(struct cbo *cbo, uint64_t line, uint32_t value,
			  bool is_partial, uint64_t at);
uint64_t cbo_write_back(struct cbo *cbo, uint64_t line, bool is_partial,
			uint64_t at);

/* A snoop is at the slice's stop in the cycle `at`; whether the line's home is
 * in the slice, too. */
struct cbo_answer {
	uint64_t at; /* the answer is at the slice's stop to be sent */
	unsigned node;
	uint8_t response; /* HOM1 opcode */
	uint8_t state;	  /* RDS of data to the requester, if has_data */
	bool has_data, is_modified;
	uint32_t value;
};
struct cbo_answer cbo_snoop(struct cbo *cbo, uint64_t line,
			    struct llc_spot spot, const struct ep_home *home,
			    unsigned opcode, uint64_t at);
static inline bool cbo_is_home(const struct ep *ep, unsigned node,
			       const struct ep_home *home)
{
	return ep->kind->has_home_in_slice && node == home->node;
}

/* The other nodes' and the home's answer to a request that missed, sent in
 * the cycle `at`. */
struct cbo_grant {
	uint64_t done;	  /* the home has completed it, the slice knows */
	uint64_t data_at; /* the line is at the slice, or with core_at at */
	uint64_t core_at; /* the core's stop; 0: not sent straight there */
	uint32_t value;
	enum llc_state state;
	bool from_peer, is_modified;
};
struct cbo_grant cbo_ask_home(struct cbo_job *job, unsigned opcode, int core,
			      uint64_t at);

/* The same in two halves, as those of struct ha_ask: behind the first all of
 * `grant` is known but its times. */
struct cbo_ask {
	const struct imc_owner *owner;
	void *object;
	struct ha_ask home;
	struct cbo_answer answer;
	struct cbo_grant grant;
};
/* A core's request from its begin on, and what its miss waits for. */
struct cbo_read {
	struct cbo_job job;
	struct cbo_ask ask;
	struct cbo_victim victim;
	struct core *core;
	unsigned entry;
	bool is_begun; /* the first half is over */
	uint64_t data; /* 0: it is not known when it is at the home */
};

void cbo_ask_begin(struct cbo_job *job, struct cbo_ask *ask, unsigned opcode,
		   int core, uint64_t at);
void cbo_ask_end(struct cbo_job *job, struct cbo_ask *ask, uint64_t data);

/* Whether a core's request has to go to the home. */
bool cbo_needs_home(const struct cbo_job *job);

/* What a miss asks its home for (HOM0_*), and who has answered. */
unsigned cbo_home_opcode(const struct cbo_job *job);
enum core_answer cbo_answer_of(const struct cbo_job *job,
			       const struct cbo_grant *grant);

/* It has been looked up, and is worked off: hit, miss, write-back and others.
 */
void cbo_serve(struct cbo_job *job, struct core *core, unsigned entry);
void cbo_miss(struct cbo_job *job, struct core *core, unsigned entry);

/* A prefetch into the LLC alone is worked off; a line that has come for one,
 * with what came with it, has a way. */
void cbo_ahead(struct cbo_job *job, struct core *core, unsigned entry);
void cbo_ahead_fill(struct cbo_job *job, struct llc_way *way, struct core *core,
		    unsigned entry, const struct cbo_grant *grant);

/* What is told: a job that is over (a visit); a retry of one; a queue that got
 * no turn (CBO_NUM_QUEUES: the ISMQ), or was full, from .. to; something in an
 * egress of the stop, of the slice or of the core, and that it waited there. */
visit_tell_fn cbo_tell_job;
void cbo_tell_queue(struct sigbank *bank, const struct cbo_visit *visit);
void cbo_tell_retry(const struct cbo_job *job, unsigned queue, uint64_t at);
void cbo_tell_wait(struct cbo *cbo, unsigned queue, uint64_t from, uint64_t to);
void cbo_tell_full(struct cbo *cbo, enum cbo_queue queue, uint64_t from,
		   uint64_t to);
void cbo_tell_starved(struct cbo *cbo, enum ring_kind kind, bool is_core,
		      uint64_t from, uint64_t to);

/* Cores are asked for a line that the slice's tags say they have (a bit each),
 * before the tags change: for a request of a core, from outside (a snoop, a
 * device), or as the line is thrown out; takes: they lose it. */
enum cbo_cause { CAUSE_EXTERNAL, CAUSE_CORE, CAUSE_EVICTION };
static inline void cbo_tell_asked(struct cbo *cbo, enum cbo_cause cause,
				  const struct llc_way *way, unsigned cores,
				  bool takes, uint64_t at)
{
	if (cores && cbo->ep->kind->tell_asked)
		cbo->ep->kind->tell_asked(cbo, cause, way, cores, takes, at);
}

static inline void cbo_count_egress(struct cbo *cbo, enum ring_kind kind,
				    bool is_core, uint64_t ready)
{
	static const uint16_t inserts[][2] = {
		[RING_AD] = { SIG_CBO_TXR_INSERTS_AD_CACHE,
			      SIG_CBO_TXR_INSERTS_AD_CORE },
		[RING_AK] = { SIG_CBO_TXR_INSERTS_AK_CACHE,
			      SIG_CBO_TXR_INSERTS_AK_CORE },
		[RING_BL] = { SIG_CBO_TXR_INSERTS_BL_CACHE,
			      SIG_CBO_TXR_INSERTS_BL_CORE },
		[RING_IV] = { SIG_CBO_TXR_INSERTS_IV_CACHE,
			      SIG_CBO_TXR_INSERTS_IV_CACHE },
	};

	engine_count(&cbo->ep->engine, cbo->bank, inserts[kind][is_core],
		     ready);
}

static inline void cbo_tell_egress(struct cbo *cbo, enum ring_kind kind,
				   bool is_core, uint64_t ready,
				   uint64_t injected)
{
	cbo_count_egress(cbo, kind, is_core, ready);
	if (injected > ready + cbo->starve_cycles)
		cbo_tell_starved(cbo, kind, is_core, ready + cbo->starve_cycles,
				 injected);
}

/* The slice sends something to another stop of its ring; it has left. */
static inline struct ring_ride cbo_send(struct cbo *cbo, enum ring_kind kind,
					unsigned stop, uint64_t at,
					unsigned slots)
{
	struct ring_ride ride = ring_send(cbo->ep, cbo->index, kind, cbo->stop,
					  stop, at, slots);

	cbo_tell_egress(cbo, kind, false, at, ride.injected);
	return ride;
}

/* Data, or an acknowledgement, to a core's stop. */
static inline uint64_t cbo_send_line(struct cbo *cbo, unsigned core,
				     uint64_t at)
{
	return cbo_send(cbo, RING_BL, ep_core_stop(cbo->ep, core), at, 2)
		.arrived;
}

static inline uint64_t cbo_send_go(struct cbo *cbo, unsigned core, uint64_t at)
{
	return cbo_send(cbo, RING_AK, ep_core_stop(cbo->ep, core), at, 1)
		.arrived;
}

/* A way for a line, which is put there; the old one is taken out, or goes from
 * a cycle on. */
struct llc_way *cbo_take_way(struct cbo *cbo, struct llc_spot spot,
			     struct cbo_victim *victim);
struct llc_way *cbo_make_room(struct cbo *cbo, struct llc_spot spot,
			      uint64_t at);

/* What a core's request changes in the slice and in the core, whenever that is:
 * of a hit, told in a cycle, with what comes of it; of a line that is given
 * back (way: where it is, or NULL); of one that has come, in a state, and has a
 * way. */
struct cbo_hit {
	unsigned asked; /* cores, a bit each */
	bool was_dirty; /* in the one that is */
	bool needs_data;
};
void cbo_take_hit(struct cbo *cbo, struct llc_way *way, struct core *core,
		  unsigned entry, uint64_t at, struct cbo_hit *hit);
void cbo_take_back(struct cbo *cbo, struct llc_way *way, struct core *core,
		   unsigned entry);
void cbo_fill(struct cbo *cbo, struct llc_way *way, struct core *core,
	      unsigned entry, enum llc_state state, uint32_t value);

/* The cores of a hit are asked from a cycle on: they have answered. It does not
 * belong to what others of the class tell. */
uint64_t cbo_ask_for_hit(struct cbo *cbo, const struct cbo_hit *hit,
			 uint64_t at);

static inline bool cbo_is_owned(const struct llc_way *way)
{
	return way && (way->state == LLC_E || way->state == LLC_M);
}

/* A line is to go to memory: true if time stands and it has; else it goes the
 * engine's way, up to facts_end() if *facts is not NULL. */
bool cbo_write_at_once(struct cbo *cbo, uint64_t line, bool is_partial,
		       struct facts **facts);

static inline struct copies_line
cbo_copy(struct cbo *cbo, const struct llc_way *way, uint64_t line)
{
	return (struct copies_line){ cbo->socket, &cbo->llc, way, line };
}

/* A core's access of a line in a way, for --check. */
static inline struct copies_access cbo_access(struct cbo *cbo,
					      const struct llc_way *way,
					      const struct core *core,
					      unsigned entry)
{
	const struct core_miss *miss = &core->misses[entry];

	return (struct copies_access){
		.at = cbo_copy(cbo, way, miss->line),
		.kind = miss->kind,
		.core = core->number,
		.oldest = miss->floor,
	};
}

static inline uint8_t cbo_rds(const struct llc_way *way)
{
	static const uint8_t codes[] = {
		[LLC_I] = RDS_I, [LLC_S] = RDS_S, [LLC_E] = RDS_E,
		[LLC_M] = RDS_M, [LLC_F] = RDS_F,
	};

	if (!way)
		return RDS_I;
	return way->is_core_dirty ? RDS_M : codes[way->state];
}

#endif
