/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A B-Box: the home agent of the memory behind one M-Box. It holds each request
 * in the tracker file until all snoop responses are in and memory has answered,
 * and orders requests for the same line.
 */
#ifndef UNCORE_BBOX_H
#define UNCORE_BBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/packet.h"
#include "model/pmu/signal.h"

struct socket;

enum {
	BBOX_AGENTS = 16, /* caching agents in the system */
	BBOX_SERIALS = 48,
	BBOX_BUCKETS = 256,
	BBOX_IMT_ROOM = 32,
	BBOX_OUT_ROOM = 512,
	BBOX_IN_ROOM = 2048,
};

/* A transaction; its place is (requester, serial), known to all messages that
 * belong to it, so responses may come before the request. */
struct bbox_entry {
	uint64_t line, local;
	uint32_t number;	  /* of the request */
	uint32_t last_number;	  /* of the last request completed here */
	struct bbox_entry *later; /* same line, came after this one */
	struct bbox_entry *bucket_next;
	struct bbox_entry *wait_next; /* for an IMT entry */
	uint16_t rivals;	  /* agents that answered RspCnflt, */
	uint32_t rival_numbers[BBOX_AGENTS]; /* for these requests */
	uint8_t rival_serials[BBOX_AGENTS];
	uint16_t agents_to_ask;	  /* agents whose answer was too early, */
	uint32_t owner_numbers[BBOX_AGENTS]; /* given before these requests */
	uint8_t requester, serial, opcode;
	uint8_t num_needed, num_responses;
	/* Implicit write-backs: announced by responses, and their data. An
	 * owner asked again may announce one more. */
	uint8_t num_writes_due, num_writes;
	uint8_t imt; /* BBOX_NO_IMT or its index */
	bool is_used;	 /* any message of it has come */
	bool has_request;
	bool is_active;	 /* first of its line */
	bool waits_for_imt, was_ready;
	bool memory_done, has_peer_data, has_sharer;
	bool has_write_data; /* of an explicit write-back */
};

enum { BBOX_NO_IMT = 0xff };

/* A memory command: a read of an entry, or a write of its own. */
struct bbox_imt {
	struct bbox_entry *entry; /* read; or explicit write-back */
	uint64_t line, local;
	bool is_used, is_write, is_implicit, is_issued;
};

/* Outgoing packets of one class to one neighbour. */
struct bbox_queue {
	unsigned first, count;
	struct packet packets[BBOX_OUT_ROOM];
};

enum { BBOX_TO_SBOX, BBOX_TO_RBOX, BBOX_NUM_WAYS };

struct bbox {
	struct socket *socket;
	struct sigbank *bank;
	unsigned side, node, cycles;
	unsigned imt_room, num_imt, num_entries, num_ready_waiting;
	struct bbox_entry entries[BBOX_AGENTS][BBOX_SERIALS];
	struct bbox_entry *buckets[BBOX_BUCKETS];
	struct bbox_imt imt[BBOX_IMT_ROOM];
	struct bbox_entry *wait_first, *wait_last; /* for IMT entries */
	unsigned implicit_first, implicit_count;   /* writes that wait too */
	struct packet implicit[BBOX_AGENTS * BBOX_SERIALS];
	struct bbox_queue drs[BBOX_NUM_WAYS], ndr[BBOX_NUM_WAYS];
	bool is_pumping[BBOX_NUM_WAYS], is_stuck[BBOX_NUM_WAYS];
	uint64_t free_at[BBOX_NUM_WAYS]; /* when the link has room again */
	bool waits_for_mbox;
	unsigned in_first, in_count;
	struct packet in[BBOX_IN_ROOM];
};

int bbox_init(struct bbox *bbox, struct socket *socket, unsigned side,
	      struct sigbank *bank);
bool bbox_is_idle(const struct bbox *bbox);

/* A message over the direct link. */
void bbox_from_sbox(struct bbox *bbox, const struct packet *packet);

/* From the R-Box: a packet, a credit. The U-Box, which shares the port of side
 * 1, passes on what is not its own. */
bool bbox_from_rbox(void *object, const struct packet *packet);
void bbox_rbox_credit(void *object, enum packet_class cls, unsigned vn,
		      unsigned flits);

/* The S-Box of the side has room again. */
void bbox_sbox_has_room(struct bbox *bbox);

/* Memory side, see bbox_memory.c. */
void bbox_memory_init(struct bbox *bbox);
void bbox_read_memory(struct bbox *bbox, struct bbox_entry *entry);
void bbox_write_back(struct bbox *bbox, struct bbox_entry *entry);
void bbox_write_implicit(struct bbox *bbox, const struct packet *packet);

/* Outgoing side, see bbox_out.c. */
void bbox_out_init(struct bbox *bbox);
void bbox_send(struct bbox *bbox, const struct packet *packet);
bool bbox_out_is_idle(const struct bbox *bbox);

/* Called by the memory side: the read has its data, the write is done. */
void bbox_memory_done(struct bbox *bbox, struct bbox_entry *entry);

/* All snoop responses of the entry are in. */
bool bbox_entry_is_answered(const struct bbox_entry *entry);

#endif
