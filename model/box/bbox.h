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
	BBOX_CACHES = 16, /* caching agents in the system: S-Boxes */
	BBOX_HUBS = 4,	  /* I/O hubs, which cache nothing */
	BBOX_AGENTS = BBOX_CACHES + BBOX_HUBS,
	BBOX_SERIALS = 48,
	BBOX_BUCKETS = 256,
	BBOX_IMT_ROOM = 32,
	BBOX_OUT_ROOM = 512,
	BBOX_IN_ROOM = 2048,
	BBOX_SNPOQ_ROOM = 256,
	BBOX_HOLDS = 256,
	/* Implicit write-backs, and what the mirror master wants. */
	BBOX_IMPLICIT_ROOM = BBOX_AGENTS * BBOX_SERIALS + 256,
	BBOX_MIRROR_OPS = 2 * BBOX_AGENTS * BBOX_SERIALS,
	BBOX_MIRROR_ROOM = 256, /* of them under way: the guide's MHOMOQ */
	BBOX_MIRROR_NETWORK = 1,
	BBOX_MAX_POISONED = 64,
};

/* A transaction; its place is (requester, serial), known to all messages that
 * belong to it, so responses may come before the request. */
struct bbox_entry {
	uint64_t line, local;
	uint32_t number;	  /* of the request */
	uint32_t last_number;	  /* of the last request completed here */
	struct bbox_entry *later; /* same line, came after this one */
	struct bbox_entry *bucket_next;
	struct bbox_entry *claim_next;
	struct bbox_entry *wait_next; /* for an IMT entry, or in the DIRQ */
	uint32_t rivals;	  /* agents that answered RspCnflt, */
	uint32_t rival_numbers[BBOX_CACHES]; /* for these requests */
	uint8_t rival_serials[BBOX_CACHES];
	uint32_t agents_to_ask;	  /* agents whose answer was too early, */
	uint32_t owner_numbers[BBOX_CACHES]; /* given before these requests */
	uint8_t requester, serial, opcode;
	uint8_t num_needed, num_responses;
	/* Implicit write-backs: announced by responses, and their data. An
	 * owner asked again may announce one more. */
	uint8_t num_writes_due, num_writes;
	uint16_t answered; /* a hub's: agents whose answers are here */
	uint8_t gone; /* directory: sockets that answered to have no copy */
	bool is_used; /* any message of it has come */
	bool has_request;
	bool is_active;	 /* first of its line */
	bool is_claiming; /* in the list of those others look for */
	bool is_hold;	 /* a hub's line, granted and not yet written */
	bool is_held_up; /* something else has to come first */
	bool is_in_conflict; /* has met another request for the line, */
	bool has_rival;	     /* one that a peer told of */
	bool is_forced;	     /* and has to acknowledge that */
	bool needs_lookup; /* of the directory, before snoops are sent */
	bool waits_for_imt, was_ready;
	bool is_in_cohq;   /* all answers are in, something else is not */
	bool has_fetched; /* memory has been asked, */
	bool is_stale;	  /* and a write came after that, */
	bool needs_refill; /* whose data have to be fetched */
	bool mirror_done; /* a write's copy is with the slave */
	bool memory_done, has_peer_data, has_sharer;
	bool takes_line;     /* a peer's data and rights went to it */
	bool has_write_data; /* of an explicit write-back */
	bool is_partial;     /* and only some bytes of the line */
	bool is_poisoned;
};

/* What an IMT entry is for; rows of commands in bbox_memory.c. */
enum bbox_job {
	BBOX_READ,
	BBOX_WRITE,
	BBOX_PARTIAL, /* write of some bytes */
	BBOX_WRITE_TWICE, /* with a copy for the mirror slave */
	BBOX_PARTIAL_TWICE,
	BBOX_REFILL, /* a read that a write has overtaken */
};

struct bbox_imt {
	struct bbox_entry *entry; /* NULL: implicit write-back, mirror */
	uint64_t line, local;
	uint32_t serial; /* of the mirror master's request */
	uint8_t job, step;
	bool is_used, is_issued, is_ioh, is_poisoned, is_bad;
	bool is_slave; /* for the mirror master */
};

/* What a mirror master wants of its slave; its place is the serial. */
struct bbox_mirror_op {
	struct bbox_entry *entry; /* that waits for it, or NULL */
	uint64_t line;
	struct bbox_mirror_op *next; /* waits for room */
	bool is_used, is_read, is_poisoned;
};

/* At a mirror slave: request or data of a write have come. */
struct bbox_half {
	bool is_here, is_poisoned;
};

/* Outgoing packets of one class to one neighbour. */
struct bbox_queue {
	unsigned first, count;
	struct packet packets[BBOX_OUT_ROOM];
};

enum { BBOX_TO_SBOX, BBOX_TO_RBOX, BBOX_NUM_WAYS };
/* In the order in which they are served. */
enum {
	BBOX_NDROQ,
	BBOX_SNPOQ,
	BBOX_DRSOQ,
	BBOX_MHOMOQ,
	BBOX_MDRSOQ,
	BBOX_NUM_QUEUES
};

struct bbox {
	struct socket *socket;
	struct sigbank *bank;
	unsigned side, node, cycles;
	unsigned imt_room, num_imt, num_entries, num_ready_waiting;
	bool has_directory, is_mirrored;
	uint8_t shared_state; /* RDS_F, or RDS_S where there is no state F */
	struct bbox_entry entries[BBOX_AGENTS][BBOX_SERIALS];
	struct bbox_entry *buckets[BBOX_BUCKETS];
	struct bbox_entry *claims[BBOX_BUCKETS];
	struct bbox_entry holds[BBOX_HOLDS];
	unsigned num_holds;
	struct bbox_imt imt[BBOX_IMT_ROOM];
	struct bbox_entry *wait_first, *wait_last; /* for IMT entries */
	unsigned implicit_first, implicit_count;   /* writes that wait too */
	struct packet implicit[BBOX_IMPLICIT_ROOM];
	struct bbox_queue queues[BBOX_NUM_WAYS][BBOX_NUM_QUEUES];
	bool is_pumping[BBOX_NUM_WAYS], is_stuck[BBOX_NUM_WAYS];
	/* The first snoop of a way goes straight out, unless it has to wait. */
	bool snoop_passes[BBOX_NUM_WAYS];
	unsigned num_drs; /* in both DRSOQ */
	uint64_t free_at[BBOX_NUM_WAYS]; /* when the link has room again */
	bool waits_for_mbox;
	unsigned in_first, in_count;
	struct packet in[BBOX_IN_ROOM];
	uint8_t **directory; /* chunks of lines, made when first needed */
	struct bbox_entry *dir_first, *dir_last; /* no room for their snoops */
	/* Mirroring: as master, */
	struct bbox_mirror_op ops[BBOX_MIRROR_OPS];
	struct bbox_mirror_op *op_first, *op_last;
	unsigned num_ops, num_ops_sent, next_op;
	/* and as slave, by serial. */
	struct bbox_half halves[BBOX_MIRROR_OPS];
	unsigned num_halves;
	uint64_t poisoned[BBOX_MAX_POISONED]; /* lines of memory */
	unsigned num_poisoned;
};

int bbox_init(struct bbox *bbox, struct socket *socket, unsigned side,
	      struct sigbank *bank);
void bbox_fini(struct bbox *bbox);
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

/* Requests of one line, see bbox_line.c. */

/* A request has come: it is active at once or waits for its turn. */
void bbox_line_enter(struct bbox *bbox, struct bbox_entry *entry);
/* An answer or data have come: whether all is there now. */
void bbox_line_try(struct bbox *bbox, struct bbox_entry *entry);
/* The request has met another one for its line. */
void bbox_line_conflict(struct bbox *bbox, struct bbox_entry *entry);
/* The requester has acknowledged the conflict. */
void bbox_line_acknowledged(struct bbox *bbox, struct bbox_entry *entry);
/* bbox_line_try() for whoever is first of a line. */
void bbox_line_retry(struct bbox *bbox, uint64_t line);
/* The entry announces data for its line, has a peer's line, or is a hub's. */
void bbox_line_claim(struct bbox *bbox, struct bbox_entry *entry);
void bbox_line_unclaim(struct bbox *bbox, struct bbox_entry *entry);
/* Data for memory have come: what was read before is old. */
void bbox_line_written(struct bbox *bbox, uint64_t line);
/* A hub has written the line that was granted to it. */
void bbox_line_release(struct bbox *bbox, const struct bbox_entry *write);

/* Entries, see bbox.c. */
unsigned bbox_agent(unsigned node);
struct bbox_entry *bbox_entry_at(struct bbox *bbox, unsigned requester,
				 unsigned serial, uint32_t number);
void bbox_entry_free(struct bbox *bbox, struct bbox_entry *entry);
bool bbox_entry_is_write(const struct bbox_entry *entry);
/* All snoop responses of the entry are in. */
bool bbox_entry_is_answered(const struct bbox_entry *entry);
/* An NDR message about a transaction; by itself the completion. */
struct packet bbox_completion(const struct bbox *bbox,
			      const struct bbox_entry *entry, unsigned dest);
/* Called by the memory side: the read has its data, the write is done. */
void bbox_memory_done(struct bbox *bbox, struct bbox_entry *entry);

/* Memory side, see bbox_memory.c. */
void bbox_memory_init(struct bbox *bbox);
/* An insert into the IMT; conflicts and AckCnflt count as such (guide 2.4.6,
 * notes on all IMT_INSERTS events), though they take no entry. */
void bbox_count_insert(struct bbox *bbox, const struct bbox_entry *entry);
/* The read or write of an entry; bbox_memory_done() follows. */
void bbox_serve_entry(struct bbox *bbox, struct bbox_entry *entry);
/* An implicit write-back, or a request of the mirror master. */
void bbox_serve_packet(struct bbox *bbox, const struct packet *packet);

/* Lines of memory known to be bad, see bbox_poison.c. */
bool bbox_is_poisoned(const struct bbox *bbox, uint64_t line);
void bbox_note_poison(struct bbox *bbox, uint64_t line, bool is_poisoned,
		      bool is_partial);

/* Mirroring, see bbox_mirror.c. */
/* The line's place in the slave's memory. */
uint64_t bbox_mirror_local(const struct bbox *bbox, uint64_t local);
/* Master: the slave shall write what this job writes, or stand in. */
void bbox_mirror_write(struct bbox *bbox, const struct bbox_imt *imt);
void bbox_mirror_read(struct bbox *bbox, struct bbox_entry *entry);
/* Slave: its memory has done what the master wants. */
void bbox_mirror_has_written(struct bbox *bbox, const struct bbox_imt *imt);
void bbox_mirror_has_read(struct bbox *bbox, const struct bbox_imt *imt,
			  bool is_bad_line);
/* A message between the two. */
void bbox_mirror_take(struct bbox *bbox, const struct packet *packet);

/* Outgoing side, see bbox_out.c. */
void bbox_out_init(struct bbox *bbox);
void bbox_send(struct bbox *bbox, const struct packet *packet);
bool bbox_out_is_idle(const struct bbox *bbox);
/* Places left for snoops. */
unsigned bbox_snoop_room(const struct bbox *bbox);

/* Directory, see bbox_directory.c. */
int bbox_directory_init(struct bbox *bbox);
void bbox_directory_fini(struct bbox *bbox);
/* The request waits for the directory's bits, which come with memory's data. */
void bbox_directory_wait(struct bbox *bbox, struct bbox_entry *entry);
/* They are here: snoops go to whoever may have the line. */
void bbox_directory_lookup(struct bbox *bbox, struct bbox_entry *entry);
/* There is room for snoops again. */
void bbox_directory_go_on(struct bbox *bbox);
/* A completed request changes who may have the line. */
void bbox_directory_update(struct bbox *bbox, const struct bbox_entry *entry);

#endif
