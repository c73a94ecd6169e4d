/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A C-Box: one slice of the last-level cache and the coherence engine before
 * it. Requests of cores wait in the IRQ, snoops of other sockets in the IPQ;
 * what passes the pipeline is acknowledged (and then tracked in the MAF) or
 * refused for a reason and tried again when the reason is gone. Victims leave
 * through the VIQ.
 */
#ifndef UNCORE_CBOX_H
#define UNCORE_CBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/llc.h"
#include "model/box/packet.h"
#include "model/box/ring.h"

struct socket;

enum {
	CBOX_IRQ_ROOM = 24,
	CBOX_IPQ_ROOM = 8,
	/* and those of homes: one for each line under way elsewhere */
	CBOX_PROBE_ROOM = CBOX_IPQ_ROOM + 7 * 16,
	CBOX_VIQ_ROOM = 8,
	CBOX_MAF_ROOM = 16,
	CBOX_NONE = 0xff,
	/* after which what no event will wake tries again */
	CBOX_RETRY_CYCLES = 8,
};

/* Of what concerns no line of memory. */
#define CBOX_NO_LINE UINT64_MAX

/* Why a request was refused; it waits until that is gone. */
enum cbox_block {
	BLOCK_NONE,
	BLOCK_LINE,    /* the line is busy in MAF or VIQ */
	BLOCK_MAF,     /* no MAF entry */
	BLOCK_REQTBL,  /* no request table entry in the S-Box */
	BLOCK_TRACKER, /* no tracker credit of the home agent */
	BLOCK_TIME,    /* something else: tried again after a while */
};

/* A request of a core in the IRQ. */
struct cbox_request {
	uint64_t line;
	uint8_t kind; /* enum uncore_access_kind */
	uint8_t core;
	uint8_t entry; /* miss of the core */
	uint8_t block; /* enum cbox_block */
	bool is_used, is_special, has_waited;
};

/* A transaction in the miss address file. */
struct cbox_maf {
	uint64_t line;
	uint8_t kind, core, entry;
	uint8_t num_snoops; /* responses of cores still to come */
	uint8_t fill_state; /* enum llc_state the home or a peer granted */
	bool is_used;
	bool at_home;	    /* a request is out */
	bool is_granted;    /* the home has completed it */
	bool needs_data;    /* the core gets data from this slice */
	bool has_copy_lost; /* a snoop took the copy that was to be upgraded */
	bool is_refetching; /* and so it is fetched after all, once it can */
	bool is_filling, is_filled;
	bool way_kept;	 /* an upgrade: the line is in the slice */
	bool is_alone;	 /* no other core has the line when it is answered */
	uint8_t answer;	 /* enum core_answer, of the slice's */
	uint8_t serial;	 /* of the request that is out, */
	uint32_t number; /* and its number */
	uint32_t value;	 /* of its data, see model/truth/values.h */
};

/* A snoop from another socket in the IPQ. */
struct cbox_probe {
	struct packet packet;
	uint8_t num_snoops;
	bool is_used, is_blocked, is_dirty;
	bool from_home; /* Cmp_Fwd*: sent by the home agent */
};

/* A line on its way out. */
struct cbox_victim {
	uint64_t line;
	uint8_t num_snoops;
	bool is_used, is_dirty, is_waiting;
	uint32_t value;
};

struct cbox {
	struct socket *socket;
	struct sigbank *bank;
	unsigned index, stop;
	unsigned side;	  /* its S-Box */
	bool has_forward; /* state F exists */
	bool links_sleep; /* when they have nothing to do */
	unsigned irq_room, ipq_room, viq_room, maf_room;
	unsigned pass_cycles, lookup_cycles, data_cycles, sram_cycles;
	uint64_t next_pass;
	struct llc llc;
	unsigned num_irq, num_ipq, num_viq, num_maf, num_blocked;
	unsigned num_full;	 /* egress queues at their limit */
	unsigned num_iv_starved; /* snoops that wait for the IV ring too long */
	int s_credits;	   /* for messages to the S-Box; write-backs overdraw */
	unsigned irq_turn; /* the place behind the last one acknowledged */
	uint32_t hom_sent, hom_taken; /* those that have to stay in order */
	unsigned num_special;	/* entries of the IRQ with special requests */
	uint64_t bounced_until; /* a refused request is on its way round */
	unsigned num_probes_blocked, num_victims_waiting;
	struct cbox_request irq[CBOX_IRQ_ROOM];
	unsigned num_home_probes;
	struct cbox_probe ipq[CBOX_PROBE_ROOM];
	struct cbox_victim viq[CBOX_VIQ_ROOM];
	struct cbox_maf maf[CBOX_MAF_ROOM];
	struct egress ad[NUM_RING_DIRECTIONS]; /* to the S-Box */
	struct egress ak[NUM_RING_DIRECTIONS]; /* GO to cores */
	struct egress bl[NUM_RING_DIRECTIONS]; /* data to cores and S-Box */
};

int cbox_init(struct cbox *cbox, struct socket *socket, unsigned index,
	      unsigned stop, struct sigbank *bank);
void cbox_fini(struct cbox *cbox);
bool cbox_is_idle(const struct cbox *cbox);

/* Ring sink for requests of cores; see CBOX_REQUEST(). */
bool cbox_request_sink(void *cbox, uint64_t argument);
#define CBOX_REQUEST(line, entry, core, kind)                                  \
	((uint64_t)(line) << 15 | (uint64_t)(entry) << 9 |                     \
	 (uint64_t)(core) << 5 | (kind))
#define CBOX_REQUEST_LINE(request)  ((request) >> 15)
#define CBOX_REQUEST_ENTRY(request) ((request) >> 9 & 0x3f)
#define CBOX_REQUEST_CORE(request)  ((request) >> 5 & 0xf)
#define CBOX_REQUEST_KIND(request)  ((request)&0x1f)

/* The same for special requests, which come once round the ring; the line is
 * in the core's miss. */
bool cbox_special_sink(void *cbox, uint64_t argument);
#define CBOX_SPECIAL(entry, core, kind, is_away)                               \
	(CBOX_REQUEST(0, entry, core, kind) | (uint64_t)(is_away) << 15)
/* Whether the core sends data with it. */
bool cbox_special_has_data(unsigned kind);

/* The core is the only one with a copy and may write it without asking: true,
 * and the slice knows from now on that the copy is dirty. */
bool cbox_write_silently(struct cbox *cbox, uint64_t line, unsigned core);

/* A core's response to a snoop is here. */
void cbox_snoop_response(struct cbox *cbox, uint64_t token, bool is_dirty);

/* A snoop from the S-Box (its IPQ credit is taken), or a Cmp_Fwd*. */
void cbox_probe(struct cbox *cbox, const struct packet *packet);

/* From the S-Box: data of a miss (a state of packet.h), and completion. */
void cbox_fill(struct cbox *cbox, unsigned maf, enum packet_state state);
void cbox_complete(struct cbox *cbox, unsigned maf);

/* A request table entry or a tracker credit has become free. */
void cbox_credit(struct cbox *cbox); /* victims first */

/* Parts of the C-Box used across its files. */
sim_fn cbox_pass; /* argument: the place in the IRQ */
void cbox_try_miss(struct cbox *cbox, struct cbox_request *request,
		   struct llc_way *way);
void cbox_ack(struct cbox *cbox, struct cbox_request *request);
void cbox_nack(struct cbox *cbox, struct cbox_request *request,
	       enum cbox_block block, unsigned signal);
struct cbox_maf *cbox_maf_alloc(struct cbox *cbox,
				const struct cbox_request *request);
bool cbox_may_send(struct cbox *cbox, struct cbox_request *request);
/* A MAF entry, and what the request needs for the home; NULL: refused. */
struct cbox_maf *cbox_reserve(struct cbox *cbox, struct cbox_request *request,
			      unsigned *serial);
void cbox_send_to_home(struct cbox *cbox, struct cbox_maf *maf,
		       unsigned serial);
/* The line of a way goes to the VIQ, and from there to memory if it has to. */
void cbox_evict(struct cbox *cbox, struct llc_way *way, uint64_t line);
void cbox_evict_new(struct cbox *cbox, uint64_t line, uint32_t value);
/* A flush or a streaming store passes the pipeline; it may be done. */
void cbox_flush_pass(struct cbox *cbox, struct cbox_request *request,
		     struct llc_way *way);
void cbox_flush_finish(struct cbox *cbox, struct cbox_maf *maf);
/* A special request passes the pipeline; it is complete. */
void cbox_special_pass(struct cbox *cbox, struct cbox_request *request);
void cbox_special_complete(struct cbox *cbox, struct cbox_maf *maf);
void cbox_drive_special_signals(struct cbox *cbox);
void cbox_drive_snoop_signals(struct cbox *cbox);
uint64_t cbox_next_pass(struct cbox *cbox);
struct cbox_maf *cbox_maf_find(struct cbox *cbox, uint64_t line);
void cbox_maf_free(struct cbox *cbox, struct cbox_maf *maf);
struct cbox_victim *cbox_viq_find(struct cbox *cbox, uint64_t line);
void cbox_wake(struct cbox *cbox, enum cbox_block block, uint64_t line);
void cbox_wake_probes(struct cbox *cbox, uint64_t line);
bool cbox_is_probed(const struct cbox *cbox, uint64_t line);
unsigned cbox_snoop_cores(struct cbox *cbox, uint64_t line, unsigned cores,
			  bool downgrade, bool is_dirty, uint64_t token);
void cbox_send_data(struct cbox *cbox, unsigned core, unsigned entry);
/* The core gets the line, or only the permission to go on, from the slice. */
void cbox_answer(struct cbox *cbox, const struct cbox_maf *maf);
void cbox_send_go(struct cbox *cbox, unsigned core);
void cbox_start_fill(struct cbox *cbox, unsigned maf);
void cbox_maf_try_finish(struct cbox *cbox, struct cbox_maf *maf);
void cbox_maf_snooped(struct cbox *cbox, unsigned maf, bool is_dirty);
void cbox_viq_snooped(struct cbox *cbox, unsigned victim, bool is_dirty);
void cbox_probe_snooped(struct cbox *cbox, unsigned probe, bool is_dirty);
void cbox_send_victims(struct cbox *cbox);
/* Over the ring to the S-Box: a reserved request (HOM0 opcode), a packet. */
void cbox_send_request(struct cbox *cbox, unsigned serial, unsigned opcode);
void cbox_send_packet(struct cbox *cbox, const struct packet *packet);
void cbox_viq_cancel(struct cbox *cbox, struct cbox_victim *victim);
bool cbox_has_probe(const struct cbox *cbox, uint64_t line);
void cbox_drive_probe_signals(struct cbox *cbox);
void cbox_drive_fill_signals(struct cbox *cbox);

/* Values of lines, for --check (cbox_values.c); called where socket->values is
 * set. Recall: what the slice holds, once a core that wrote has given it back.
 * Write: the core writes to its copy, which it is about to be alone with. Data:
 * of a miss have come; fill: they are put into the way. Read: a hit. */
int cbox_values_init(struct cbox *cbox);
uint32_t cbox_value_recall(struct cbox *cbox, const struct llc_way *way,
			   uint64_t line);
void cbox_value_write(struct cbox *cbox, const struct llc_way *way,
		      uint64_t line, unsigned core);
void cbox_value_data(struct cbox *cbox, unsigned maf, uint32_t value);
void cbox_value_fill(struct cbox *cbox, const struct cbox_maf *maf,
		     const struct llc_way *way);
void cbox_value_read(struct cbox *cbox, const struct cbox_maf *maf);

/* Tokens of snoops: what waits for the response. */
enum { TOKEN_MAF = 0, TOKEN_VIQ = 1, TOKEN_IPQ = 2 };
#define TOKEN(kind, index) ((uint64_t)(kind) << 8 | (index))

#endif
