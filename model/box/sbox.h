/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An S-Box: the QPI caching agent of half of the C-Boxes. System bound it turns
 * requests of C-Boxes into HOM messages and snoops to all other sockets, or
 * into non-coherent messages; ring bound it brings snoops, completions, data
 * and messages to the ring.
 */
#ifndef UNCORE_SBOX_H
#define UNCORE_SBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/box/packet_queue.h"
#include "model/box/ring.h"
#include "model/sim/sim.h"

struct socket;

enum {
	SBOX_TABLE_ROOM = 48,
	SBOX_CBOXES = 5,
	SBOX_MAX_NODES = 32,
	SBOX_NDR_ROOM = 16,
};

/* A request that is out. */
struct sbox_request {
	uint64_t line;
	uint32_t number;
	uint8_t cbox; /* in the socket */
	uint8_t maf;
	uint8_t home;	     /* node */
	uint8_t core, entry; /* where data go beside the slice */
	bool is_used, has_data, is_complete, is_write_back, is_nc;
	bool is_forced; /* has to acknowledge a conflict */
};

/* System bound queues (Table 2-36); per C-Box where they begin a row of
 * SBOX_CBOXES. SBOX_LOC_NCS is for the U-Box of the own socket. */
enum sbox_queue {
	SBOX_HOM_R,
	SBOX_HOM_B,
	SBOX_SNP,
	SBOX_NDR,
	SBOX_DRS,
	SBOX_NCB = SBOX_DRS + SBOX_CBOXES,
	SBOX_NCS = SBOX_NCB + SBOX_CBOXES,
	SBOX_LOC_NCS = SBOX_NCS + SBOX_CBOXES,
	SBOX_NUM_QUEUES = SBOX_LOC_NCS + SBOX_CBOXES,
};

/* Ring bound queues. */
enum sbox_ring_queue {
	SBOX_RING_SNP,
	SBOX_RING_NCS,
	SBOX_RING_NCB,
	SBOX_RING_NDR,
	SBOX_RING_R2S,
	SBOX_RING_B2S,
	SBOX_NUM_RING_QUEUES,
};

/* Pumps move the heads of queues on: two to the links of R-Box and B-Box, the
 * others to the ring. */
enum sbox_pump_kind {
	SBOX_TO_R,
	SBOX_TO_B,
	SBOX_NUM_LINKS,
	SBOX_PUMP_SNP = SBOX_NUM_LINKS,
	SBOX_PUMP_NDR,
	SBOX_PUMP_DRS,
	SBOX_PUMP_NC,
	SBOX_NUM_PUMPS,
};

struct sbox_pump {
	uint64_t at;	  /* when it runs next, or SIM_NEVER */
	uint64_t free_at; /* when what it feeds has room again */
};

/* Links that carry idle flits with credits; see sbox_credit.c. */
enum sbox_idle_link {
	SBOX_IDLE_TO_R,
	SBOX_IDLE_TO_B,
	SBOX_IDLE_FROM_R,
	SBOX_IDLE_FROM_B,
	SBOX_NUM_IDLE_LINKS,
};

/* A message on its way to cores, to be answered when all have it. */
struct sbox_delivery {
	struct packet packet;
	uint16_t cores_left; /* still to be sent to */
	uint8_t num_left;    /* still to arrive */
	bool is_used;
};

struct sbox {
	struct socket *socket;
	struct sigbank *bank;
	unsigned side, stop, node;
	unsigned cycles, bypass_cycles, egress_room;
	bool sends_snoops;
	unsigned table_room, tracker_room, num_requests;
	uint32_t number;
	unsigned tracker_credits[SBOX_MAX_NODES];
	unsigned ipq_credits[SBOX_CBOXES];
	struct sbox_request table[SBOX_TABLE_ROOM];
	struct packet_queue out[SBOX_NUM_QUEUES];
	struct packet_queue in[SBOX_NUM_RING_QUEUES];
	struct sbox_pump pumps[SBOX_NUM_PUMPS];
	/* Bit per queue: its head goes over this link; it had no credit. */
	uint32_t heads[SBOX_NUM_LINKS], refused;
	unsigned next[SBOX_NUM_LINKS]; /* round robin */
	unsigned next_drs, next_nc;
	unsigned shared_room; /* ring bound SNP, NCS and NCB together */
	bool was_shared_full; /* and somebody was refused for that */
	/* Credits for the input buffer of the B-Box: flits of HOM, and a place
	 * of it on VN0. */
	unsigned b_vna_free;
	bool b_vn0_is_used[PACKET_NUM_CLASSES];
	uint64_t last_idle_flit[SBOX_NUM_IDLE_LINKS]; /* cycle + 1 */
	/* The last DRS of each C-Box, to tell the second of a pair. */
	uint32_t last_number[SBOX_CBOXES];
	uint8_t last_requester[SBOX_CBOXES];
	unsigned nc_waiting; /* bit per C-Box that was refused a place */
	unsigned num_deliveries;
	struct sbox_delivery deliveries[SBOX_NDR_ROOM];
	struct sbox_delivery *started[2]; /* of the heads of NCS and NCB */
	struct egress ad[NUM_RING_DIRECTIONS];
	struct egress ak[NUM_RING_DIRECTIONS];
	struct egress bl[NUM_RING_DIRECTIONS];
};

/* What does not go together in the settings of a socket, or NULL. */
const char *sbox_config_check(const struct socket *socket);

int sbox_init(struct sbox *sbox, struct socket *socket, unsigned side,
	      unsigned stop, struct sigbank *bank);
void sbox_fini(struct sbox *sbox);
bool sbox_is_idle(const struct sbox *sbox);

enum sbox_refusal { SBOX_OK, SBOX_NO_ENTRY, SBOX_NO_TRACKER };

/* Reserves a request table entry and a tracker credit of the line's home for a
 * request of a C-Box; *serial is the entry. */
enum sbox_refusal sbox_reserve(struct sbox *sbox, uint64_t line, unsigned cbox,
			       unsigned maf, unsigned *serial);

/* The reserved request has come over the ring: send it to the home and, unless
 * it is a write-back, snoops to all other sockets. False: a queue is full. */
bool sbox_request(struct sbox *sbox, unsigned serial, unsigned opcode);

/* Where the data of a request go beside the slice. */
void sbox_set_core(struct sbox *sbox, unsigned serial, unsigned core,
		   unsigned entry);

/* Number of the request in an entry, for RspCnflt. */
uint32_t sbox_number(const struct sbox *sbox, unsigned serial);

/* A non-coherent request (class NCS or NCB) of a C-Box. The packet has cls, mc,
 * opcode, flits, line, dest, cbox, core, message; the S-Box fills in the rest
 * and takes a request table entry (no tracker credit). False: no entry or no
 * room in the queue, nothing has happened; cbox_credit() is called later. At
 * its end data go to the core's miss `entry` over BL, and in any case
 * cbox_complete(cbox, maf) is called over AK. */
bool sbox_request_nc(struct sbox *sbox, const struct packet *packet,
		     unsigned maf, unsigned entry);

/* A snoop response, data to the home or to another requester. */
bool sbox_send(struct sbox *sbox, const struct packet *packet);

/* A snoop has left the IPQ of a C-Box. */
void sbox_ipq_credit(struct sbox *sbox, unsigned cbox);

/* From the B-Box of its side; false: no room, the B-Box is called back when
 * there is (bbox_sbox_has_room()). */
bool sbox_from_bbox(struct sbox *sbox, const struct packet *packet);

/* The B-Box has taken a packet that came over the direct link out of its input
 * buffer (vn as it was handed over). */
void sbox_bbox_credit(struct sbox *sbox, const struct packet *packet);

/* Parts of the S-Box used across its files. */

/* Its port of the R-Box (enum rbox_port). */
unsigned sbox_port(const struct sbox *sbox);

/* Whether the request table has no entry for a request of a MAF entry (or a
 * write-back: CBOX_NONE). */
bool sbox_table_is_full(const struct sbox *sbox, unsigned maf);

/* Takes a free entry of the table, which there must be. */
struct sbox_request *sbox_take_entry(struct sbox *sbox,
				     const struct sbox_request *request);

/* The request is complete: entry and credit are free again. */
void sbox_free_request(struct sbox *sbox, struct sbox_request *request);

/* Sees to it that a pump runs in a cycle, or as soon after it as what it feeds
 * has room. */
void sbox_run_at(struct sbox *sbox, enum sbox_pump_kind kind, uint64_t time);

/* What the pumps do; sbox_out.c, sbox_in.c, sbox_nc.c. */
void sbox_pump_out(struct sbox *sbox, enum sbox_pump_kind link);
void sbox_pump_snp(struct sbox *sbox);
void sbox_pump_ndr(struct sbox *sbox);
void sbox_pump_drs(struct sbox *sbox);
void sbox_pump_nc(struct sbox *sbox);

/* Appends to a system bound queue, which must have room. */
void sbox_put(struct sbox *sbox, unsigned which, const struct packet *packet);

/* The queue of the own cbox has room again. */
void sbox_nc_has_room(struct sbox *sbox, unsigned which);

/* The egress queue of a ring that leads to a stop. */
struct egress *sbox_egress(struct sbox *sbox, struct egress egress[],
			   unsigned stop);

/* Whether it has room; if not that is counted, and the pumps of the ring side
 * run again when it has. */
bool sbox_egress_has_room(struct sbox *sbox, struct egress *egress);

/* A packet has left a ring bound queue: others may come, and a credit goes
 * back. */
void sbox_give_back(struct sbox *sbox, unsigned cls, bool is_direct);

/* A credit of a link is back: its queues that had none try again. */
void sbox_try_again(struct sbox *sbox, enum sbox_pump_kind link);

/* Spends a credit for the direct link, VNA first, and notes it in vn; false:
 * there is none. */
bool sbox_spend_bbox_credit(struct sbox *sbox, struct packet *packet);

/* From the R-Box: a packet (false: no room), a credit. */
bool sbox_from_rbox(void *sbox, const struct packet *packet);
void sbox_rbox_credit(void *sbox, enum packet_class cls, unsigned vn,
		      unsigned flits);

#endif
