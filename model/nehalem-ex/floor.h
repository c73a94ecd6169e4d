/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The floor of a socket: its four rings with the stops on them, the slices of
 * the LLC behind their C-Boxes, and the side of the cores that the rings see
 * (guide 2.3).
 */
#ifndef UNCORE_FLOOR_H
#define UNCORE_FLOOR_H

#include "model/box/core.h" /* CORE_MAX_OUTSTANDING */
#include "model/box/llc.h"
#include "model/nehalem-ex/ex.h"
#include "model/nehalem-ex/ring.h" /* enum ring_kind, ring_direction */
#include "model/pmu/visit.h"
#include "model/station/board.h"
#include "model/station/calendar.h"
#include "model/station/lines.h"
#include "model/station/places.h"
#include "model/station/spans.h"

enum {
	FLOOR_DATA_RINGS = 3,
	FLOOR_EGRESS_MAX = 32,
	/* Of a record in floor.visits. */
	FLOOR_VISIT_BYTES = sizeof(struct visit) + 32,
	FLOOR_NO_PORT = 0 /* a row that is always free */
};

/* What a ring stop takes off one at a time, whatever direction it comes from;
 * an S-Box has those of a slice. */
enum floor_port {
	PORT_CORE_AK,
	PORT_CORE_BL,
	PORT_CORE_IV,
	PORT_SLICE_AD, /* of cores */
	PORT_SLICE_AK,
	PORT_SLICE_BL,
	NUM_PORTS
};

/* From a stop to another one, the shorter way. */
struct floor_way {
	uint8_t direction, hops;
};

/* One end of a ring: the queue of an agent for one direction of it. */
struct floor_end {
	struct floor_ends *all; /* the agent's */
	struct sigbank *bank;
	uint64_t free_from; /* the one before has left by then, */
	uint64_t lost_to;   /* and told of what it lost up to here */
	uint32_t starve_cycles;
	/* Signals, or NO_SIGNAL. */
	int16_t win, win_too, loss, bypass0, bypass1, starved, bounce;
	int16_t occupancy, entries;
	uint8_t ring, direction, stop;
	uint8_t limit; /* of messages that wait, for those who look; 0: none */
	uint8_t last;
	uint64_t left[FLOOR_EGRESS_MAX]; /* when those who waited did */
};

struct floor_ends {
	struct floor_end ends[FLOOR_DATA_RINGS][NUM_RING_DIRECTIONS];
	uint64_t room_from; /* in all queues, of those with a limit */
	unsigned stop;
};

/* From a queue to where its messages leave the ring; all that does not change,
 * so that it is worked out once. */
struct floor_route {
	struct floor_end *end;	/* the queue */
	struct sigbank *bank;	/* of who takes it off */
	const uint8_t *passing; /* the slots, by the phase of a cycle */
	/* Bits of the board if all is free: of its slots, of its port. */
	uint16_t first, second, to_take;
	int16_t sink;  /* counts its slots, or NO_SIGNAL */
	uint8_t row;   /* of the ring's first slot, */
	uint8_t port;  /* and of the port, or FLOOR_NO_PORT */
	uint8_t hops;  /* 1 to the stop where it starts */
	uint8_t slots; /* 2: a line on BL */
	/* If its receiver is busy it goes round once more; else it begins when
	 * it will not be. */
	bool goes_round;
	uint8_t reach; /* cycles until all of it is there */
};

/* What goes from a core to a slice, or back. */
enum floor_cargo {
	CARGO_REQUEST,
	CARGO_GO,
	CARGO_LINE,
	CARGO_ANSWER, /* to a snoop */
	CARGO_DIRTY_LINE,
	NUM_CARGOS
};

/* To the slice or the core at a ring stop. */
struct floor_routes {
	struct floor_route to_slice[FLOOR_DATA_RINGS];
	struct floor_route to_core[FLOOR_DATA_RINGS];
};

/* A line that a C-Box is busy with, in its MAF, VIQ or IPQ. */
struct slice_stay {
	uint64_t asks, asked;	/* cores are asked in these cycles, */
	uint64_t home, granted; /* a request is out at the home in these */
	uint64_t from;		/* MAF: shown there up to here */
};

/* A line on its way out; cores (a bit each) have to give it up. */
struct slice_victim {
	uint64_t line;
	uint64_t from; /* in the VIQ */
	uint32_t value;
	uint16_t cores;
	int8_t dirty_core; /* -1: none */
	bool is_dirty;
	bool is_partial; /* some bytes, of a streaming store */
	bool is_waiting; /* it has not left the slice yet, */
	uint64_t again;	 /* and tries to then */
};

/* A fill of a MAF entry whose victim has not found its place yet. */
struct slice_fill {
	uint64_t line;
	uint8_t core; /* gets its GO when all is done */
	struct slice_victim victim;
};

/* Places of slice.lines: MAF, victims of its fills, VIQ, IPQ. */
enum {
	SLICE_MAF = 0,
	SLICE_OUT = 16,
	SLICE_VIQ = 32,
	SLICE_IPQ = 48,
	SLICE_MAF_MAX = SLICE_OUT,
	SLICE_VIQ_MAX = SLICE_IPQ - SLICE_VIQ,
};

/* The same as bits of lines_find(). */
#define SLICE_MAF_BITS (UINT64_MAX >> (64 - SLICE_MAF_MAX))
#define SLICE_VIQ_BITS (UINT64_MAX >> (64 - SLICE_VIQ_MAX) << SLICE_VIQ)
#define SLICE_IPQ_BITS (UINT64_MAX << SLICE_IPQ)

struct slice {
	struct floor *floor;
	struct sigbank *bank;
	struct llc llc;
	unsigned index, stop, side;
	unsigned to_sbox; /* direction of its ring stop's nearest S-Box */
	struct calendar passes;
	struct spans blocked; /* somebody waits for one */
	struct places irq, maf, viq, ipq, credits;
	struct lines lines;
	struct slice_stay stays[LINES_MAX];
	struct slice_victim victims[SLICE_VIQ_MAX];
	struct slice_fill fills[SLICE_MAF_MAX];
	struct floor_wait *waits[SLICE_MAF_MAX]; /* for a miss of unknown end */
	uint64_t bounced;     /* a refused request is on its way round */
	uint64_t kept;	      /* the IRQ's place for special requests alone, */
	uint64_t special;     /* and any: there was one in it until then, */
	unsigned num_special; /* so many are still */
	struct floor_ends ends;
};

/* The ring stop of a core. */
struct stop {
	struct sigbank *bank;
	unsigned stop;
	struct places rspf, spoofs, idf, bl_credits;
	struct spans idf_seen; /* somebody is in the IDF, and that is shown */
	uint64_t bounces_until;
	uint64_t next; /* the RWRF has taken its last request before */
	struct floor_ends ends;
};

/* A request of a core that its slice has not acknowledged yet. */
struct floor_wait {
	uint64_t arrived;	 /* in the IRQ, or shown there up to here */
	struct floor_wait *next; /* waits for the end of the same miss */
	uint8_t core, entry;
	uint8_t place;
	bool is_in, has_waited; /* for a link that slept */
	/* Of special requests: it comes by the way that does not lead to the
	 * S-Box, and is in the place that is kept for such. */
	bool is_away, is_kept;
};

struct floor {
	struct ex *ex;
	struct socket *socket;
	unsigned num_stops, num_cores;
	unsigned pass_cycles, lookup_cycles, data_cycles;
	unsigned starve_cycles, snoop_cycles;
	unsigned idf_cycles, bl_credit_cycles;
	unsigned sram_cycles;
	bool has_forward, links_sleep;
	uint64_t reciprocal;   /* of num_stops, times 2^64 */
	struct visits *visits; /* of all slices, cores and S-Boxes */
	/* The slot that is at a stop in a cycle: slot k is at stop k + t, or
	 * k - t. By the phase, t % num_stops, and one more. */
	uint8_t slots_at[NUM_RING_DIRECTIONS][RING_MAX_STOPS]
			[RING_MAX_STOPS + 1];
	uint8_t hops[NUM_RING_DIRECTIONS][RING_MAX_STOPS][RING_MAX_STOPS];
	struct floor_way ways[RING_MAX_STOPS][RING_MAX_STOPS];
	struct board board; /* rows: no port, slots, ports by stop */
	struct slice slices[EX_MAX_CORES];
	struct stop stops[EX_MAX_CORES];
	struct floor_wait waits[EX_MAX_CORES][CORE_QUICK + 1];
	struct floor_ends sboxes[EX_SIDES];
	unsigned sbox_stops[EX_SIDES];
	struct floor_route cargos[EX_MAX_CORES][EX_MAX_CORES] /* core, slice */
				 [NUM_CARGOS];
	struct floor_route rounds[EX_MAX_CORES][NUM_RING_DIRECTIONS];
	struct floor_route to_sbox[EX_MAX_CORES][FLOOR_DATA_RINGS];
	struct floor_routes from_sbox[EX_SIDES][EX_MAX_CORES];
};

/* Of a ring's slots the row of the first one; behind all of them those of the
 * ports. */
static inline unsigned floor_row(const struct floor *floor, unsigned ring,
				 unsigned direction)
{
	return 1 + (ring * NUM_RING_DIRECTIONS + direction) * floor->num_stops;
}

/* A core puts a request a cycle into its RWRF: the next one is there then. */
static inline uint64_t stop_request_from(struct stop *stop, uint64_t now)
{
	uint64_t at = sim_later(now, stop->next);

	stop->next = at + 1;
	return at;
}

/* The row of what takes messages off. */
static inline unsigned floor_port_row(const struct floor *floor, unsigned stop,
				      enum floor_port port)
{
	return floor_row(floor, NUM_RINGS, 0) + stop * NUM_PORTS + port;
}

/* Of a cycle, by which floor_route.passing says what slot passes: % num_stops.
 */
static inline unsigned floor_phase(const struct floor *floor, uint64_t cycle)
{
	uint64_t rounds =
		(uint64_t)((unsigned __int128)cycle * floor->reciprocal >> 64);

	return (unsigned)(cycle - rounds * floor->num_stops);
}

/* A signal that is 1 while something is so, however often: in from .. to - 1,
 * but where it has been seen. */
void floor_show_once(struct sigbank *bank, unsigned signal,
		     const struct spans *seen, uint64_t from, uint64_t to);

/* route.c: when all ends are there. */
void floor_lay_routes(struct floor *floor);

struct floor *floor_new(struct ex *ex, unsigned socket);
void floor_free(struct floor *floor);

/* Nothing is in a slice beyond a cycle: no request, miss or victim. */
bool floor_is_settled(const struct floor *floor, uint64_t now);

/* A message on a ring. */
struct floor_ride {
	uint64_t injected; /* it got its slot, or the first of them */
	uint64_t arrived;  /* the last slot is taken off */
};

/* A message waits at its end for a slot from `ready` on and goes where the
 * route says. */
struct floor_ride floor_ride(struct floor *floor,
			     const struct floor_route *route, uint64_t ready);

/* A special request of a core: its slot of AD takes it once round the ring, to
 * the slice of the stop where it starts (guide 2.3.6, SPL_*). */
struct floor_ride floor_round(struct floor *floor, unsigned core,
			      enum ring_direction direction, uint64_t ready);

/* From which cycle on (not before `at`) none of the queues of an agent is at
 * its limit. */
static inline uint64_t floor_room_from(const struct floor_ends *ends,
				       uint64_t at)
{
	return ends->room_from > at ? ends->room_from : at;
}

/* A slice asks cores (a bit each) for their copies of a line, over the IV ring;
 * they answer over AK, and a dirty core (-1: none) sends its line over BL.
 * Returns the cycle in which the last of that is at the slice. */
uint64_t floor_ask_cores(struct floor *floor, struct slice *slice,
			 unsigned cores, uint64_t from, int dirty_core);

/* While time stands what is told of the question, and of the answers. */
void floor_tell_asked(struct slice *slice);
void floor_answer_at_once(struct slice *slice, unsigned cores, int dirty_core);

/* A core's line leaves for a slice through the IDF: it is there. */
uint64_t floor_send_line(struct floor *floor, unsigned core, unsigned slice,
			 uint64_t from);

/* The line, or only GO, goes from a slice to a core: its last part is there. */
uint64_t floor_send_data(struct floor *floor, struct slice *slice,
			 unsigned core, uint64_t from);
uint64_t floor_send_go(struct floor *floor, struct slice *slice, unsigned core,
		       uint64_t from);

/* The same of line and GO at once: the line is there. */
uint64_t floor_send_both(struct floor *floor, const struct slice *slice,
			 unsigned core, uint64_t ready);

/* The line in a place of SLICE_OUT or SLICE_VIQ that has not left yet; or NULL.
 */
struct slice_victim *slice_victim(struct slice *slice, unsigned place);

/* A pass through the pipeline of a slice: its result is there. */
uint64_t slice_pass(struct floor *floor, struct slice *slice, uint64_t from);

/* A refusal. */
void slice_refuse(struct slice *slice, unsigned signal, uint64_t at);

#endif
