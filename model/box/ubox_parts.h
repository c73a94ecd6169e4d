/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the U-Box share with each other and with nobody else.
 */
#ifndef UNCORE_UBOX_PARTS_H
#define UNCORE_UBOX_PARTS_H

#include "model/box/outlet.h"
#include "model/box/packet_queue.h"
#include "model/box/ubox.h"

/* Packet buffers. The first five are broadcast in this order of priority
 * (guide 2.2.2); the guide says nothing about the others. */
enum ubox_buffer {
	UBOX_SPECIAL,
	UBOX_STST,
	UBOX_LOCK,
	UBOX_REMOTE_INT,
	UBOX_LOCAL_INT,
	UBOX_PM_OUT,
	UBOX_NUM_SENDING, /* what is in those after it sends nothing on */
	UBOX_DOOR_BELL = UBOX_NUM_SENDING,
	UBOX_PM_IN,
	UBOX_CONFIG,
	UBOX_NUM_BUFFERS
};

enum { UBOX_BUFFER_ROOM = 128, UBOX_TASKS = 256 };

/* Serials of the U-Box's own packets are numbers of tasks with this bit. */
#define UBOX_SERIAL 0x10000u

/* A buffer is valid from a packet's arrival until its last packet has gone. */
struct ubox_slot {
	struct packet packet;
	uint64_t ready; /* cycle from which it may be worked on */
};

struct ubox_fifo {
	unsigned first, count;
	struct ubox_slot slots[UBOX_BUFFER_ROOM];
	bool is_active; /* its server is busy, see ubox_serve.c */
};

/* Packets on their way whose answers end the request that caused them. */
struct ubox_task {
	struct packet request;
	uint8_t buffer;	     /* that it came from */
	uint16_t num_unsent; /* packets still in the outlet */
	uint16_t num_unanswered;
	bool is_used;
};

/* The quiesce master: one lock at a time. */
enum ubox_lock {
	UBOX_UNLOCKED,
	UBOX_STOPPING, /* StopReq1 is out */
	UBOX_LOCKED,
	UBOX_STARTING, /* StartReq2 is out */
};

struct ubox {
	struct socket *socket;
	struct sigbank *bank;
	struct outlet outlet;
	unsigned node;
	unsigned cycles, config_cycles, ring_cycles, bbox_cycles;
	struct ubox_fifo buffers[UBOX_NUM_BUFFERS];
	struct ubox_task tasks[UBOX_TASKS];
	unsigned num_tasks;
	unsigned next_task;
	int sending; /* task whose packets leave now, or -1 */
	uint64_t look_at; /* when the arbiter looks next, or SIM_NEVER */
	enum ubox_lock lock;
	struct packet locker; /* the Lock or Unlock being worked on */
	uint64_t check_cycles;
	bool has_power_news, has_more_power_news, is_shutting_down;
};

/* ubox_flow.c: work on what may be worked on, now or when it is ready. */
void ubox_arbitrate(struct ubox *ubox);
/* A packet has left for the R-Box; an answer has come. */
void ubox_sent(void *object, const struct packet *packet);
void ubox_answered(struct ubox *ubox, const struct packet *packet);

/* ubox_serve.c: the buffers that send nothing on. */
void ubox_serve(struct ubox *ubox, enum ubox_buffer buffer);

/* ubox_check.c: machine checks of cores, where they are injected. */
void ubox_check_start(struct ubox *ubox);

/* ubox.c */
void ubox_put(struct ubox *ubox, enum ubox_buffer buffer,
	      const struct packet *packet, unsigned cycles);
/* Takes slot n (0: the oldest) out of its buffer. */
void ubox_drop(struct ubox *ubox, enum ubox_buffer buffer, unsigned n);
struct ubox_slot *ubox_slot(struct ubox *ubox, enum ubox_buffer buffer,
			    unsigned n);
/* Ends a request of somebody: data, Cmp, or CmpD for NcMsgS. */
void ubox_complete(struct ubox *ubox, const struct packet *request);

#endif
