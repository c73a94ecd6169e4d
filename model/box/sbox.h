/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * An S-Box: the QPI caching agent of half of the C-Boxes. System bound it turns
 * requests of C-Boxes into HOM messages and snoops to all other sockets; ring
 * bound it brings snoops, completions and data to the ring.
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
};

/* A request that is out. */
struct sbox_request {
	uint64_t line;
	uint32_t number;
	uint8_t cbox; /* in the socket */
	uint8_t maf;
	uint8_t home;	     /* node */
	uint8_t core, entry; /* where data go beside the slice */
	bool is_used, has_data, is_complete, is_write_back, sends_to_core;
};

/* System bound queues; one per C-Box for data. */
enum sbox_queue {
	SBOX_HOM_R,
	SBOX_HOM_B,
	SBOX_SNP,
	SBOX_DRS,
	SBOX_NUM_QUEUES = SBOX_DRS + SBOX_CBOXES,
};

struct sbox {
	struct socket *socket;
	struct sigbank *bank;
	unsigned side, stop, node;
	unsigned cycles;
	unsigned table_room, tracker_room, num_requests;
	uint32_t number;
	unsigned tracker_credits[SBOX_MAX_NODES];
	unsigned ipq_credits[SBOX_CBOXES];
	struct sbox_request table[SBOX_TABLE_ROOM];
	struct packet_queue out[SBOX_NUM_QUEUES];
	struct packet_queue ring_snp, ring_ndr, ring_r2s, ring_b2s;
	unsigned next_r, next_b; /* round robin */
	unsigned num_r, num_b;	 /* packets for R-Box and B-Box, all queues */
	uint64_t r_free_at, b_free_at; /* when the link has room again */
	uint64_t snp_free_at, ndr_free_at, drs_free_at;
	bool r_is_pumping, b_is_pumping, r_waits_for_credit;
	bool snp_is_pumping, ndr_is_pumping, drs_is_pumping;
	unsigned next_drs;
	struct egress ad[NUM_RING_DIRECTIONS];
	struct egress ak[NUM_RING_DIRECTIONS];
	struct egress bl[NUM_RING_DIRECTIONS];
};

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

/* Parts of the S-Box used across its files. */

/* Its port of the R-Box (enum rbox_port). */
unsigned sbox_port(const struct sbox *sbox);

/* Sees to it that a pump runs: not before what came last is through the box,
 * and not before the link is free. */
void sbox_start(struct sbox *sbox, bool *is_pumping, uint64_t free_at,
		sim_fn *pump);

/* A pump has sent something and the link is busy; it runs again if there is
 * more. */
void sbox_go_on(struct sbox *sbox, bool *is_pumping, uint64_t free_at,
		sim_fn *pump, bool has_more);

/* The request is complete: entry and credit are free again. */
void sbox_free_request(struct sbox *sbox, struct sbox_request *request);

/* From the R-Box: a packet (false: no room), a credit. */
bool sbox_from_rbox(void *sbox, const struct packet *packet);
void sbox_rbox_credit(void *sbox, enum packet_class cls, unsigned vn,
		      unsigned flits);

#endif
