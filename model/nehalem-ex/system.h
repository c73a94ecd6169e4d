/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The U-Box as a system agent (guide 2.2): the stations that interrupts, bus
 * locks, special cycles, messages and configuration accesses meet there. It
 * shares port 7 of the R-Box with B-Box 1: NCS, NCB and the NDR that answer
 * them are its own.
 */
#ifndef UNCORE_SYSTEM_H
#define UNCORE_SYSTEM_H

#include "model/nehalem-ex/agent.h"
#include "model/nehalem-ex/ex.h"
#include "model/nehalem-ex/rbox.h"
#include "model/parts/system/message.h"
#include "model/station/calendar.h"
#include "model/station/spans.h"

struct system_lock; /* lock.c */

/* Packet buffers; each is valid (BUF_VALID_*) from a packet's arrival until its
 * last packet has gone, or it has been served. */
enum system_buffer {
	SYSTEM_SPECIAL,
	SYSTEM_STST,
	SYSTEM_LOCK,
	SYSTEM_REMOTE_INT,
	SYSTEM_LOCAL_INT,
	SYSTEM_PM_OUT,
	SYSTEM_DOOR_BELL,
	SYSTEM_PM_IN,
	SYSTEM_CONFIG, /* the guide names none */
	SYSTEM_NUM_BUFFERS
};

struct system {
	struct sigbank *bank;
	unsigned socket, node;
	unsigned cycles, config_cycles, ring_cycles, bbox_cycles;
	struct spans way;     /* the arbiter's */
	struct calendar port; /* flits into the R-Box */
	struct spans config;
	struct calendar bells, power_in;
	struct spans valid[SYSTEM_NUM_BUFFERS]; /* when BUF_VALID_* is 1 */
	uint64_t shut_down_until; /* a Shutdown cycle is under way, */
	uint64_t news_until;	  /* or power news are, */
	bool has_more_news;	  /* and more are to come */
	struct system_lock *lock; /* of the quiesce master: in socket 0 */
};

/* NULL without memory. */
struct system *system_new(struct ex *ex, unsigned socket, struct sigbank *bank);
void system_free(struct system *system);

/* A packet's stay in a buffer. */
struct system_visit {
	enum system_buffer buffer;
	uint64_t arrived, ready; /* it may be worked on */
};

/* It has come; it leaves. */
struct system_visit system_arrive(const struct system *system,
				  enum system_buffer buffer, uint64_t at);
void system_leave(struct ex *ex, struct system *system,
		  const struct system_visit *visit, uint64_t until);

/* The arbiter gives the way out to an entry that makes `num` packets of so many
 * flits, from `ready` on: when. */
uint64_t system_grant(struct ex *ex, struct system *system, uint64_t ready,
		      unsigned num, unsigned flits);

/* A packet that was made in the cycle `at` leaves; when packet->dest has it.
 * *sent: it has entered the R-Box. */
uint64_t system_send(struct ex *ex, struct system *system,
		     struct packet *packet, uint64_t at, uint64_t *sent);

/* The same for anybody who sends by a port of an R-Box, that takes a flit at a
 * time. */
uint64_t system_carry(struct ex *ex, struct calendar *flits, unsigned socket,
		      enum rbox_port port, struct packet *packet, uint64_t at,
		      uint64_t *entered);

/* The buffers that send nothing on: one packet at a time, that is done in the
 * cycle that is returned. The visit ends then. */
uint64_t system_serve(struct ex *ex, struct system *system,
		      const struct system_visit *visit,
		      const struct packet *packet);

/* Ends a request in the cycle `at`: its answer is data, Cmp, or CmpD to NcMsgS,
 * and is there in the cycle that is returned. */
uint64_t system_answer(struct ex *ex, struct system *system,
		       const struct packet *request, uint64_t at,
		       struct packet *answer);

/* An error that some box has found and dealt with; counts once. A fatal one
 * brings a Shutdown cycle (interrupt_shut_down()). */
enum system_error {
	SYSTEM_RECOVERABLE,
	SYSTEM_CORRECTED,
	SYSTEM_UNCORRECTED,
	SYSTEM_FATAL,
};
void system_error(struct ex *ex, unsigned socket, enum system_error error);

static inline struct system *system_of(const struct ex *ex, unsigned socket)
{
	return ex->sockets[socket].system;
}

/* lock.c: a free one, to be freed; NULL without memory. */
struct system_lock *system_lock_new(struct ex *ex);

/* interrupt.c: messages. */

/* A message or an interrupt is at the S-Box packet->dest in the cycle `at`: its
 * cores are told of it. Returns when the sender has the answer. */
uint64_t interrupt_tell(struct ex *ex, const struct packet *packet,
			uint64_t at);

/* The buffer of a U-Box for an interrupt to a CPU. */
enum system_buffer interrupt_buffer(const struct ex *ex, unsigned socket,
				    unsigned cpu);

/* An interrupt (packet->core: the CPU) is in the buffer of a U-Box: it goes to
 * that CPU. Returns when the requester, in *answer, has heard that it has. */
uint64_t interrupt_pass_on(struct ex *ex, struct system *system,
			   const struct system_visit *visit,
			   const struct packet *packet, struct packet *answer);

/* A fatal error: one Shutdown cycle at a time to the socket's cores. */
void interrupt_shut_down(struct ex *ex, unsigned socket);

/* A core sleeps or runs again, or a frequency changes: the other sockets hear
 * of it. One such message is under way at a time. */
void sleep_tell_news(struct ex *ex, unsigned socket);

/* A core that slept has been woken, which is news. */
void sleep_woken(struct ex *ex, unsigned socket);

#endif
