/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The memory that the model's process shares with the QEMU that runs a guest.
 *
 * QEMU runs all virtual CPUs by turns in one thread (-accel tcg,thread=single),
 * so there is one producer, the plugin, and one consumer, the model. Traffic
 * goes over in rounds: in a round every virtual CPU that is not halted has one
 * turn of CHANNEL_TURN_INSTRUCTIONS (ten times as many while no traffic is
 * wanted), and the turns are meant to have happened at the same time. There are
 * two rounds: while QEMU fills one, the model works on the other. The lines
 * that the model took from the private caches while it worked on a round are
 * given back with it, and take hold when the plugin gets the round back, so
 * that a guest that executes the same instructions makes the same counts.
 *
 *   round.state:  ROUND_FILLING --plugin--> ROUND_FULL --model--> ROUND_DONE
 *                       ^----------------------plugin----------------'
 *
 * Requests (RDMSR, WRMSR, PCI, marks) are answered one at a time. The plugin
 * first hands over the round it is filling, however little is in it, and waits
 * for both, so that a register is read at the very instruction:
 *
 *   request.state:  REQUEST_NONE --plugin--> REQUEST_MADE --model-->
 *                   REQUEST_ANSWERED --plugin--> REQUEST_NONE
 *
 * Time in the guest is the model's: with a round the model gives back when it
 * ended. While all CPUs are halted, the plugin asks the model to let time pass,
 * and how much (REQUEST_PASS).
 *
 * Whoever changes a state adds one to the other side's bell and wakes it
 * (futex). A side that waits looks now and then whether the other process still
 * lives. No pointers inside.
 */
#ifndef UNCORE_GUEST_CHANNEL_H
#define UNCORE_GUEST_CHANNEL_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "uncore/mark.h"
#include "uncore/model.h"

#define CHANNEL_MAGIC UINT64_C(0x756e636f67753032)

enum {
	CHANNEL_MAX_CPUS = 128,
	CHANNEL_MAX_SOCKETS = 8,
	CHANNEL_RECORDS = 1 << 15,	 /* of a CPU in a round */
	CHANNEL_INVALIDATIONS = 1 << 14, /* of a CPU in a round */
	CHANNEL_TURN_INSTRUCTIONS = 20000,
	CHANNEL_MAX_REGISTERS = 1024,
};

enum channel_round_state { ROUND_FILLING, ROUND_FULL, ROUND_DONE };

enum channel_request_state { REQUEST_NONE, REQUEST_MADE, REQUEST_ANSWERED };

enum channel_request_kind {
	REQUEST_READ,
	REQUEST_WRITE,
	/* Of a configuration space; the address is bus << 20 | (device * 8 +
	 * function) << 12 | offset. */
	REQUEST_PCI_READ,
	REQUEST_PCI_WRITE,
	REQUEST_MARK_BEGIN, /* the guest program's region of interest begins */
	REQUEST_MARK_END,
	/* All CPUs are halted until the guest's time is `value`, in ticks. */
	REQUEST_PASS,
};

struct channel_invalidation {
	uint64_t line;
	uint32_t downgrade;
};

/* What one CPU did in a round, and what the model did to its caches. */
struct channel_turn {
	uint32_t num_records;
	uint32_t num_invalidations;
	uint32_t forget; /* invalidations were lost: drop all lines */
	/* Executed in all; what followed the latest access is the last record
	 * (UNCORE_ACCESS_NONE). Also counted while no traffic is wanted, then
	 * without records. */
	uint64_t instructions;
	uint64_t waited; /* of these, what only stands for time */
	/* By enum uncore_core_count: at its end, since the CPU began. */
	uint64_t counts[UNCORE_NUM_CORE_COUNTS];
	struct channel_invalidation invalidations[CHANNEL_INVALIDATIONS];
	struct uncore_access records[CHANNEL_RECORDS];
};

struct channel_round {
	alignas(64) _Atomic uint32_t state;
	/* When it was done: the guest's time, in ticks of its time stamp
	 * counter since it was switched on. */
	uint64_t end_ticks;
	struct channel_turn turns[CHANNEL_MAX_CPUS];
};

struct channel_request {
	alignas(64) _Atomic uint32_t state;
	uint32_t kind;
	uint32_t cpu;
	uint32_t address;
	uint64_t value; /* to write; answer: what was read */
	uint32_t bytes; /* PCI: 1, 2 or 4 */
	uint32_t fault; /* answer: raise #GP */
};

struct channel {
	/* Set before QEMU starts. */
	uint64_t magic;
	uint64_t size_bytes;
	uint32_t owner; /* process that runs the model */
	uint32_t num_cpus;
	uint32_t num_sockets;
	uint32_t cores_per_socket;
	/* Guest RAM of a socket (guest physical, bytes) and where it lies in
	 * the modelled machine (physical address / 64). */
	uint64_t ram_first[CHANNEL_MAX_SOCKETS];
	uint64_t ram_bytes[CHANNEL_MAX_SOCKETS];
	uint64_t first_line[CHANNEL_MAX_SOCKETS];
	/* The last of the buses with each uncore's PCI functions, and how many
	 * there are, whose numbers follow each other; 0: there are none. */
	uint32_t pci_buses[CHANNEL_MAX_SOCKETS];
	uint32_t pci_num_buses;
	/* The first bus of each socket, of which one function (device * 8 +
	 * function) comes here, or none (0). */
	uint32_t pci_first_buses[CHANNEL_MAX_SOCKETS];
	uint32_t pci_first_unit;
	/* The LLC of a socket; no ways: CPUID has QEMU's caches. */
	uint32_t llc_bytes, llc_ways;
	/* Of each CPU. */
	uint32_t l1i_ways, l2_ways, l2_sets;
	uint32_t tells_clean; /* see struct privcache_shape */
	/* The time stamp counter's rate, and what an instruction takes at
	 * least. */
	uint32_t tick_khz;
	double ticks_per_instruction;
	/* While all CPUs are halted, time goes on to the next timer at once,
	 * not with the host's. */
	uint32_t skips;
	/* The registers whose RDMSR and WRMSR come here; all others are QEMU's.
	 * Ascending. */
	uint32_t num_registers;
	uint32_t registers[CHANNEL_MAX_REGISTERS];

	alignas(64) _Atomic uint32_t ready; /* the plugin has attached */
	/* Records are wanted; the model's side sets it before it answers a
	 * request. */
	_Atomic uint32_t traffic;
	/* All CPUs are halted. */
	_Atomic uint32_t idle;
	/* The guest's time when the model last worked something off, or let
	 * time pass. */
	_Atomic uint64_t now_ticks;
	_Atomic uint32_t stop;	    /* nobody listens any more */
	_Atomic uint32_t restarted; /* the guest ends by a restart */
	_Atomic uint64_t lost;	    /* accesses without a place in RAM */

	alignas(64) _Atomic uint32_t model_bell;
	alignas(64) _Atomic uint32_t plugin_bell;

	struct channel_request request;
	struct channel_round rounds[2];
};

/* The no-operations by which a guest program marks its region of interest. */
#define CHANNEL_NOP_BYTES  3 /* 0f 1f 80, then the displacement, little end */
#define CHANNEL_MARK_BEGIN ((uint32_t)UNCORE_MARK_BEGIN)
#define CHANNEL_MARK_END   ((uint32_t)UNCORE_MARK_END)

#endif
