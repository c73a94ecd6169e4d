/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the B-Box share.
 */
#ifndef UNCORE_HOME_PARTS_H
#define UNCORE_HOME_PARTS_H

#include "model/nehalem-ex/home.h"
#include "model/nehalem-ex/overlap.h"
#include "model/parts/memory/directory.h"
#include "model/pmu/visit.h"
#include "model/station/calendar.h"
#include "model/station/places.h"

enum {
	HOME_BUCKETS = 256,
	HOME_WINDOW = 256, /* SNPOQ, MHOMOQ */
	HOME_MAX_POISONED = 64,
	HOME_DRSQ = 4, /* guide 2.4.6, DRSQ_OCCUPANCY */
	/* Rows of home.levels (overlap.h): no more than one place is left in
	 * the DRSQ, a request waits for an entry of the IMT. */
	HOME_IN_DRSQ = 0,
	HOME_ALLOC_WAIT = HOME_DRSQ - 1,
	HOME_ROWS,
	/* What arrives so many cycles ahead is worked off then. Without them
	 * nothing does. */
	HOME_SOON = 384,
};

static inline bool home_is_soon(const struct ex *ex, uint64_t at)
{
	return at < engine_now(&ex->engine) + HOME_SOON;
}

/* A queue of HOME_WINDOW places that are given back in the order in which they
 * were taken. */
struct home_window {
	uint64_t until[HOME_WINDOW];
	unsigned next;
};

/* A line of which somebody wants, or wanted, something. */
struct home_line {
	uint64_t line;
	uint64_t until;		       /* a request for it is under way, */
	uint64_t written;	       /* data for memory are */
	struct home_job *first, *last; /* they wait for it, in this order */
	uint16_t next; /* of the same bucket, or that is free; 0: none */
	bool is_held;  /* a request waits for answers, at least up to `until` */
};

/* Those that matter still: `until` or `written` is to come. The first of each
 * bucket stands in its place, the others behind all those. */
struct home_lines {
	struct home_line *pool;
	unsigned num;
	uint16_t free;
};

enum { HOME_TO_SBOX, HOME_TO_RBOX, HOME_NUM_WAYS };

struct home {
	struct ex *ex;
	struct sigbank *bank;
	struct visits *visits;
	unsigned socket, side, node, cycles;
	unsigned own_sbox;	      /* the node behind the direct link */
	struct memory *const *memory; /* of its side */
	unsigned half_cores;	      /* C-Boxes from here on are of side 1 */
	bool has_directory, has_core;
	uint8_t shared_state; /* RDS_F, or RDS_S where there is no state F */
	struct calendar links[HOME_NUM_WAYS];
	struct board levels; /* HOME_IN_DRSQ, HOME_ALLOC_WAIT */
	struct places imt;
	struct home_lines lines;
	uint64_t memory_lines;	    /* of this home */
	struct directory directory; /* by line, the sockets that may have it */
	struct home_window snpoq, mhomoq;
	struct pool writes;		      /* whose data are on their way */
	uint64_t poisoned[HOME_MAX_POISONED]; /* lines of memory */
	unsigned num_poisoned;
};

/* What an IMT entry is for; rows of commands in home_memory.c. */
enum home_row {
	HOME_READ,
	HOME_WRITE,
	HOME_PARTIAL,	  /* write of some bytes */
	HOME_WRITE_TWICE, /* with a copy for the mirror slave */
	HOME_PARTIAL_TWICE,
	HOME_REFILL, /* a read that a write has overtaken */
};

struct home_work {
	uint64_t line, local;
	uint8_t row, opcode; /* of the request; 0: there is none */
	bool is_ioh, is_poisoned;
	/* Filled in by home_work_off(). */
	uint64_t begun;	 /* it has its IMT entry, */
	uint64_t copied; /* the copy for the slave is in its buffer, */
	uint64_t done;
	bool is_bad; /* memory could not correct the line */
};

/* Memory side, home_memory.c. */
void home_work_off(struct ex *ex, struct home *home, struct home_work *work,
		   uint64_t at);
/* The read of a request that has begun. */
void home_fetch(struct ex *ex, struct home *home, struct home_job *job);
/* An insert into the IMT that takes no entry. Conflicts and AckCnflt count as
 * such (guide 2.4.6, notes on all IMT_INSERTS events). */
void home_note_insert(struct home *home, const struct packet *request,
		      bool is_write, uint64_t at);
/* Data of a line are written in the cycle `at`, to the slave's memory too. The
 * cycle in which all of that is done. */
uint64_t home_write(struct ex *ex, struct home *home, struct home_work *work,
		    uint64_t at);
/* The same, where nobody wants to know when: not before the data are there. */
void home_write_later(struct ex *ex, struct home *home, struct home_work *work,
		      uint64_t at);
void home_writes_init(struct home *home);

/* The order of requests for a line, home_lines.c. */
bool home_lines_init(struct home_lines *lines);
void home_lines_fini(struct home_lines *lines);
unsigned home_line_seek(struct home_lines *lines, uint64_t now, uint64_t line,
			unsigned bucket);

/* Whether nothing of a line is to come. */
static inline bool home_line_has_passed(const struct home_line *line,
					uint64_t now)
{
	return line->until <= now && line->written <= now && !line->first &&
	       !line->is_held;
}

/* The place of a line, which is put in if need be. It keeps it as long as
 * `until` or `written` is to come. */
static inline unsigned home_line_place(struct home_lines *lines, uint64_t now,
				       uint64_t line)
{
	unsigned bucket = line * UINT64_C(0x9e3779b97f4a7c15) >> 56;
	struct home_line *first = &lines->pool[bucket];

	if (first->next || !home_line_has_passed(first, now))
		return home_line_seek(lines, now, line, bucket);
	first->line = line; /* what has passed does no harm */
	return bucket;
}

/* Where the line of a request is; until the next one is put in. */
static inline struct home_line *home_line_of(struct home *home,
					     const struct home_job *job)
{
	return &home->lines.pool[job->place];
}

/* Answers, home_answers.c. */
enum {
	HOME_SHARER = 1,    /* somebody may have a copy, */
	HOME_PEER_DATA = 2, /* has sent the line to the requester, */
	HOME_RIVAL = 4,	    /* wants the line himself */
	HOME_GONE = 8,	    /* who answered has no copy */
};
/* The request has met another one for its line. */
void home_conflict(struct home *home, struct home_job *job, uint64_t at);

/* Fills in the reply, home_reply.c. */
void home_reply(const struct home *home, struct home_job *job);
/* The request is in the tracker file at least until this cycle. */
void home_show_tracker(const struct home *home, struct home_job *job,
		       uint64_t until);

/* Write-backs and writes, home_write.c: it is known when their data come and
 * whether they are good, from the beginning; their home_end(). */
void home_take_write_data(struct home *home, const struct home_job *job);
void home_end_write(struct ex *ex, struct home *home, struct home_job *job);

/* Messages, home_out.c. */
/* One comes in; it is data. */
void home_take(struct home *home, const struct packet *packet, uint64_t at);
void home_take_data(struct home *home, uint64_t line, unsigned opcode,
		    unsigned flits, uint64_t at);
/* An NDR message about a transaction; by itself the completion. */
static inline void home_complete(const struct home *home,
				 const struct packet *request, unsigned dest,
				 struct packet *packet)
{
	*packet = (struct packet){
		.line = request->line,
		.serial = request->serial,
		.cls = PACKET_NDR,
		.mc = MC_NDR,
		.opcode = NDR_CMP,
		.flits = PACKET_FLITS_SHORT,
		.source = (uint8_t)home->node,
		.dest = (uint8_t)dest,
		.requester = request->requester,
		.home = (uint8_t)home->node,
		.cbox = request->cbox,
		.number = request->number,
	};
}

/* Lines of memory known to be bad, home_poison.c. */
bool home_is_poisoned(const struct home *home, uint64_t line);
void home_note_poison(struct home *home, uint64_t line, bool is_poisoned,
		      bool is_partial);

/* Mirroring, home_mirror.c: the slave shall write what this does, or stand in.
 * Both return the cycle in which the master has acted on the slave's answer. */
uint64_t home_mirror_write(struct ex *ex, struct home *home,
			   const struct home_work *work);
uint64_t home_mirror_read(struct ex *ex, struct home *home,
			  struct home_work *work);

/* Directory, home_directory.c. */
/* The directory's bits have come with memory's data. */
void home_directory_look_up(struct home *home, struct home_job *job);
/* A request changes who may have the line. */
void home_directory_update(struct home *home, const struct home_job *job);

static inline bool home_is_write(unsigned opcode)
{
	const unsigned writes = 1u << HOM0_WB_MTO_I | 1u << HOM0_WB_MTO_E |
				1u << HOM0_WB_MTO_S | 1u << HOM0_NON_SNP_WR;

	return writes >> opcode & 1;
}

/* Requests as most events tell them apart. */
enum home_kind { HOME_KIND_READ, HOME_KIND_WRITE, HOME_KIND_INVITOE };

static inline uint8_t home_kind(unsigned opcode, bool is_write)
{
	return is_write ? HOME_KIND_WRITE
			: (uint8_t)((opcode == HOM0_INV_ITO_E) *
				    HOME_KIND_INVITOE);
}

static inline bool home_is_grant(unsigned opcode)
{
	return opcode == HOM0_INV_ITO_E || opcode == HOM0_INV_XTO_I;
}

static inline bool home_has_lookup(const struct home *home, unsigned opcode)
{
	return home->has_directory && opcode != HOM0_NON_SNP_RD;
}

/* From which cycle on (not before `at`) there are `num` places. */
static inline uint64_t home_window_from(const struct home_window *window,
					unsigned num, uint64_t at)
{
	for (unsigned i = 0; i < num; i++)
		at = sim_later(at,
			       window->until[(window->next + i) % HOME_WINDOW]);
	return at;
}

static inline void home_window_take(struct home_window *window, uint64_t until)
{
	window->until[window->next++ % HOME_WINDOW] = until;
}

/* What is told of all that (home_tell.c); times that are 32 bits wide are so
 * long after the first. */

/* What filters see of a packet; all that is told has it in one piece. */
struct home_header {
	uint8_t mc, opcode, state, flits;
};

static inline struct home_header home_header(const struct packet *packet)
{
	return (struct home_header){ packet->mc, packet->opcode, packet->state,
				     packet->flits };
}

/* A message has come. */
struct home_came {
	struct visit visit;
	uint64_t at, line;
	struct home_header header;
	bool is_direct; /* HOM from the S-Box of the side */
};
void tell_came(struct sigbank *bank, const void *visit);

/* A message was ready, would have had the link if there had been room, and was
 * sent. */
enum {
	LEFT_DIRECT = 1 << 0,  /* over the direct link */
	LEFT_NO_ROOM = 1 << 1, /* it has waited for its receiver */
	LEFT_DRSQ = 1 << 2,    /* the queue that it was in */
	LEFT_SNPOQ = 1 << 3,
};
struct home_left {
	struct visit visit;
	uint64_t ready, line;
	uint32_t slot, sent;
	struct home_header header;
	uint8_t flags;
};
void tell_left(struct sigbank *bank, const void *visit);

/* A piece of work for memory was done: it wanted an entry of the IMT, had it,
 * and gave it back. */
struct home_worked {
	struct visit visit;
	uint64_t asked;
	uint32_t begun, done;
	uint8_t kind; /* enum home_kind */
	bool is_ioh;
};
void tell_worked(struct sigbank *bank, const void *visit);

/* A request has been in the tracker file. */
struct home_held {
	struct visit visit;
	uint64_t from, until;
	uint8_t kind; /* enum home_kind */
	bool is_ioh;
};
void tell_held(struct sigbank *bank, const void *visit);

/* The facts of what came, left and was worked off, while time stands. */
void home_count_came(const struct home *home, uint64_t line,
		     struct home_header header, bool is_direct);
void home_count_left(const struct home *home, const struct packet *packet,
		     bool is_direct, bool is_in_drsq);
void home_count_worked(const struct home *home, unsigned kind, bool is_ioh);

#endif
