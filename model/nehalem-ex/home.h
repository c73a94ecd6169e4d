/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A B-Box: the home agent of the memory behind one M-Box (guide 2.4). It holds
 * each request in the tracker file until all answers are in and memory has
 * answered, and orders requests for the same line.
 *
 * A read, a request to own or a flush is worked off like this:
 *
 *	home_begin()		arrival, order of the line, memory read
 *	[snoops by the home	home_snoop(), home_send(): with a directory]
 *	...			the caller fills in the answers of the peers
 *	[home_forward()		a rival that was completed meanwhile is asked
 *				again; its answer is one more]
 *	home_end()		the reply
 *	home_send()		and its way to the requester
 *	[home_acknowledged()	where job->is_forced: AckCnflt has come, another
 *				reply is ready for home_send()]
 *
 * Write-backs, writes and EvctCln have no answers: home_begin(), home_end(),
 * home_send(). All requests of one line come to their home in the order in
 * which their transactions are worked off. A line that was granted to an I/O
 * hub (InvItoE) is busy until the hub's WbMtoI is written: home_keep().
 */
#ifndef UNCORE_HOME_H
#define UNCORE_HOME_H

#include "model/nehalem-ex/ex.h"

struct home;

/* NULL without memory. The directory (bbox.directory) and the mirror
 * (bbox.mirror) are there if the parameters say so. */
struct home *home_new(struct ex *ex, unsigned socket, unsigned side,
		      struct sigbank *bank);
void home_free(struct home *home);

/* An answer to a snoop (HOM1), and the data that go to memory with it. */
struct home_answer {
	/* as it was sent; is_poisoned: of the data */
	struct packet packet;
	uint64_t at;	  /* it is at the home */
	uint64_t data_at; /* its DRS to the home is; 0: there is none */
};

/* One request at its home. The caller sets what stands first before
 * home_arrive(). */
struct home_job {
	struct packet request; /* HOM0 */
	uint64_t line, local;  /* local: its place in this home's memory */
	uint64_t arrived;      /* the request is at the B-Box */
	uint64_t data_at;      /* write-backs, writes: their DRS is here */
	bool is_poisoned;      /* these data are known to be bad, */
	bool is_partial;       /* and only some bytes of the line */
	/* Of one that has to wait, see home_wait() and those that follow. */
	void (*waits)(struct home_job *job, uint64_t until);
	void (*go_on)(struct home_job *job);
	/* 0 from home_arrive() on; then filled in by home_hear(), */
	uint64_t answered; /* the last answer has been acted on, */
	uint64_t written;  /* and the last data; 0: there are none */
	uint8_t said;	   /* HOME_*, by any of them */
	uint8_t rivals;	   /* sockets that answered RspCnflt (bit each), */
	uint8_t gone;	   /* or to have no copy */
	bool has_conflict; /* has met another request for its line */
	/* by home_begin(), */
	bool is_bad;	       /* memory's data are */
	bool is_order_shown;   /* see show_order() */
	uint8_t snoop_sockets; /* directory: to be snooped (bit each), */
	uint64_t snoop_at;     /* snoops may leave the B-Box then */
	uint64_t memory_at; /* memory's data are at the B-Box; 0: not asked */
	/* and by home_end(). */
	bool is_forced;	     /* an AckCnflt is to come, and one more reply */
	uint64_t begun;	     /* it is the first of its line: home_begin() */
	struct packet reply; /* NDR or DRS, complete but for vn and value */
	uint64_t reply_at;   /* it may leave the B-Box */
	/* The home's own. */
	struct home *home;
	struct home_job *next; /* waits behind this one */
	uint64_t requester;    /* of one that waits */
	uint64_t entered;      /* the request was acted on, */
	uint64_t shown;	  /* its place in the tracker file is up to here, */
	uint64_t fetched; /* and it has an IMT entry */
	unsigned place;	  /* of its line */
};

/* The request has come in. */
void home_arrive(struct ex *ex, struct home *home, struct home_job *job);

/* An answer to it has, by way of a snoop of the requester's, the home's or one
 * asked again. */
void home_hear(struct ex *ex, struct home *home, struct home_job *job,
	       const struct home_answer *answer);

/* The sockets (a bit each) that have told others, who wait for this line, of a
 * request of their own: what they have is to go there. */
unsigned home_owing(const struct home *home, const struct home_job *job);

/* Whether another request for its line is before it, or it is long until it
 * arrives; not said of write-backs and writes. Then job->go_on() is called when
 * it is the first and there, in the cycle in which it may begin; until then
 * job->waits() whenever more is known: it waits until that cycle, if not
 * longer. */
bool home_wait(struct ex *ex, struct home *home, struct home_job *job);

/* After home_begin() of a write-back or a write: whether it is long until its
 * data are there. Then job->go_on() is called when they are, for home_end();
 * and job->waits() now. */
bool home_wait_for_data(struct ex *ex, struct home *home, struct home_job *job);

/* It is the first of its line: takes an IMT entry, has memory read (and, with a
 * directory, looks up who may have the line). */
void home_begin(struct ex *ex, struct home *home, struct home_job *job);

/* The answers so far are all that were asked for: whether it is long until the
 * last of them is there, or memory's data are. Then job->go_on() is called when
 * they are; and job->waits() now. */
bool home_wait_for_answers(struct ex *ex, struct home *home,
			   struct home_job *job);

/* All answers and data are known with their times: the reply, what is written
 * to memory, and when line and IMT entry are free again. */
void home_end(struct ex *ex, struct home *home, struct home_job *job);

/* After home_end() of a hub's InvItoE whose WbMtoI is worked off later: the
 * line stays busy, until that is written, or until then if it is later. */
void home_keep(struct home *home, const struct home_job *job, uint64_t until);

/* AckCnflt has come to the home of a forced request in the cycle `at`: the last
 * reply (Cmp) is in job->reply, job->reply_at. */
void home_acknowledged(struct home *home, struct home_job *job, uint64_t at);

/* The answers so far are all that were asked for. A rival (an S-Box), whose
 * request was completed after it had answered, is to be asked again: its
 * Cmp_Fwd*, and the cycle in which that may leave the B-Box. */
uint64_t home_forward(const struct home *home, const struct home_job *job,
		      unsigned agent, struct packet *packet);

/* With a directory: the snoop to one of job->snoop_sockets; it may leave at
 * job->snoop_at. */
struct packet home_snoop(const struct home *home, const struct home_job *job,
			 unsigned socket);

/* Sends what may leave in the cycle `at` or later on its way: over the direct
 * link to the S-Box of the side, or through the R-Box; returns the cycle in
 * which packet->dest has it. `room_from`: the receiver has room from then on.
 */
uint64_t home_send(struct ex *ex, struct home *home, struct packet *packet,
		   uint64_t at, uint64_t room_from);

#endif
