/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The QPI packet that boxes exchange, with the message classes and opcodes of
 * Tables 2-102 to 2-104, and the node ids by which boxes are addressed.
 */
#ifndef UNCORE_PACKET_H
#define UNCORE_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "model/pmu/signal.h"

/* Message classes in the order in which queues are kept. */
enum packet_class {
	PACKET_HOM, /* requests (HOM0) and responses (HOM1) share a channel */
	PACKET_SNP,
	PACKET_NDR,
	PACKET_DRS,
	PACKET_NCS,
	PACKET_NCB,
	PACKET_NUM_CLASSES
};

/* Codes of Table 2-102. */
enum packet_mc {
	MC_HOM0 = 0x0,
	MC_HOM1 = 0x1,
	MC_NDR = 0x2,
	MC_SNP = 0x3,
	MC_NCS = 0x4,
	MC_NCB = 0xc,
	MC_DRS = 0xe,
};

/* Codes of Table 2-103. */
enum packet_opcode {
	HOM0_RD_CUR = 0x0,
	HOM0_RD_CODE = 0x1,
	HOM0_RD_DATA = 0x2,
	HOM0_NON_SNP_RD = 0x3,
	HOM0_RD_INV_OWN = 0x4,
	HOM0_INV_XTO_I = 0x5,
	HOM0_EVCT_CLN = 0x6,
	HOM0_NON_SNP_WR = 0x7,
	HOM0_INV_ITO_E = 0x8,
	HOM0_ACK_CNFLT_WB_I = 0x9,
	HOM0_WB_MTO_I = 0xc,
	HOM0_WB_MTO_E = 0xd,
	HOM0_WB_MTO_S = 0xe,
	HOM0_ACK_CNFLT = 0xf,
	HOM1_RSP_I = 0x0,
	HOM1_RSP_S = 0x1,
	HOM1_RSP_CNFLT = 0x4,
	HOM1_RSP_CNFLT_OWN = 0x6,
	HOM1_RSP_FWD = 0x8,
	HOM1_RSP_FWD_I = 0x9,
	HOM1_RSP_FWD_S = 0xa,
	HOM1_RSP_FWD_I_WB = 0xb,
	HOM1_RSP_FWD_S_WB = 0xc,
	HOM1_RSP_I_WB = 0xd,
	HOM1_RSP_S_WB = 0xe,
	SNP_CUR = 0x0,
	SNP_CODE = 0x1,
	SNP_DATA = 0x2,
	SNP_INV_OWN = 0x4,
	SNP_INV_XTO_I = 0x5,
	SNP_INV_ITO_E = 0x8,
	DRS_DATA_C = 0x0,
	DRS_DATA_C_FRC_ACK_CNFLT = 0x1,
	DRS_DATA_C_CMP = 0x2,
	DRS_DATA_NC = 0x3,
	DRS_WB_I_DATA = 0x4,
	DRS_WB_S_DATA = 0x5,
	DRS_WB_E_DATA = 0x6,
	DRS_NON_SNP_WR_DATA = 0x7,
	DRS_WB_I_DATA_PTL = 0x8,
	DRS_WB_E_DATA_PTL = 0xa,
	DRS_NON_SNP_WR_DATA_PTL = 0xb,
	NDR_GNT_CMP = 0x0,
	NDR_GNT_FRC_ACK_CNFLT = 0x1,
	NDR_CMP_D = 0x4,
	NDR_ABORT_TO = 0x5,
	NDR_CMP = 0x8,
	NDR_FRC_ACK_CNFLT = 0x9,
	NDR_CMP_FWD_CODE = 0xa,
	NDR_CMP_FWD_INV_OWN = 0xb,
	NDR_CMP_FWD_INV_ITO_E = 0xc,
	NCB_NC_WR = 0x0,
	NCB_WC_WR = 0x1,
	NCB_NC_MSG_B = 0x8,
	NCB_INT_LOGICAL = 0x9,
	NCB_INT_PHYSICAL = 0xa,
	NCB_INT_PRIO_UPD = 0xb,
	NCB_NC_WR_PTL = 0xc,
	NCB_WC_WR_PTL = 0xd,
	NCB_NC_P2P_B = 0xe,
	NCS_NC_RD = 0x0,
	NCS_INT_ACK = 0x1,
	NCS_FERR = 0x3,
	NCS_NC_RD_PTL = 0x4,
	NCS_NC_CFG_RD = 0x5,
	NCS_NC_IO_RD = 0x7,
	NCS_NC_CFG_WR = 0x9,
	NCS_NC_IO_WR = 0xb,
	NCS_NC_MSG_S = 0xc,
	NCS_NC_P2P_S = 0xd,
};

/* What an NcMsgS or NcMsgB says; in packet.message. */
enum packet_message {
	MESSAGE_NONE,
	MESSAGE_STOP_REQ1, /* to every core but the one that locks */
	MESSAGE_START_REQ2,
	MESSAGE_LOCK, /* core to the quiesce master, and its broadcast */
	MESSAGE_UNLOCK,
	MESSAGE_SPECIAL, /* packet.line: UNCORE_SPECIAL_* */
	MESSAGE_DOOR_BELL,
	MESSAGE_POWER, /* power management between sockets */
	MESSAGE_INTERRUPT,
};

/* Response data states (RDS) as in Table 2-51. */
enum packet_state {
	RDS_I = 0,
	RDS_F = 1,
	RDS_S = 2,
	RDS_E = 4,
	RDS_M = 8,
};

/* Node ids: bits 4:2 the socket, bit 1 the side, bit 0 set for a home agent
 * (TO_R_B_REQUESTS in the guide: "Home NID[0] equal to 1"). */
#define NODE_SBOX(socket, side) ((socket)*4 + (side)*2)
#define NODE_BBOX(socket, side) ((socket)*4 + (side)*2 + 1)
#define NODE_SOCKET(node)	((node) >> 2)
#define NODE_SIDE(node)		(((node) >> 1) & 1)
#define NODE_IS_BBOX(node)	((node)&1)

/* The U-Box shares port and node id with B-Box 1 of its socket: what is of
 * class NCS, NCB or NDR there is its own. */
#define NODE_UBOX(socket) NODE_BBOX(socket, 1)

/* I/O hub n is behind port QPI3 of socket n, in machines of up to four sockets
 * (with eight the port joins sockets). NODE_SOCKET() and NODE_SIDE() are not
 * for it. Filters see the id 16 + 4 n, which no socket has then. */
#define NODE_IOH(hub)	  (32 + (hub))
#define NODE_IS_IOH(node) ((node) >= 32)
#define NODE_HUB(node)	  ((node)-32)
/* The socket at which a node is reached. */
#define NODE_AT(node) (NODE_IS_IOH(node) ? NODE_HUB(node) : NODE_SOCKET(node))

/* Flits of packets (guide 2.5.4.3 and the QPI formats): a header alone, with a
 * line, with some bytes of one and their mask (Table 2-51); NCS with up to 8
 * bytes, NcMsgS; NCB of a line, interrupts. */
enum {
	PACKET_FLITS_SHORT = 1,
	PACKET_FLITS_LINE = 9,
	PACKET_FLITS_PARTIAL = 11,
	PACKET_FLITS_NCS_READ = 1,
	PACKET_FLITS_NCS_WRITE = 3,
	PACKET_FLITS_MESSAGE = 3,
	PACKET_FLITS_NCB = 11,
};

/* A packet is passed by value. */
struct packet {
	uint64_t line;	 /* physical address / 64 */
	uint32_t serial; /* of the request at the requester: its table entry */
	uint8_t cls;	 /* enum packet_class */
	uint8_t mc;	 /* enum packet_mc */
	uint8_t opcode;	 /* enum packet_opcode */
	uint8_t state;	 /* enum packet_state of data */
	uint8_t flits;
	uint8_t source; /* node that sent it */
	uint8_t dest;	/* node it goes to */
	uint8_t requester;
	uint8_t home;
	uint8_t vn; /* 0 VN0, 1 VN1, 2 VNA: which credit carries it on a link */
	uint8_t network; /* the one it may use when VNA has no room: 0 or 1 */
	uint8_t message; /* enum packet_message */
	uint8_t core;	 /* NCS, NCB: of the requester; of interrupts: target */
	bool is_poisoned : 1;  /* DRS: the data are known to be bad */
	bool is_modified : 1;  /* DRS: a cache had them changed */
	uint8_t cbox;	       /* C-Box of the line, in every socket the same */
	uint8_t other_serial;  /* RspCnflt: the conflicting request's entry */
	uint32_t number;       /* of the request, counted by its S-Box */
	uint32_t other_number; /* RspCnflt: the conflicting request's number */
	uint32_t value; /* of the line in data, see model/truth/values.h */
};

#endif
