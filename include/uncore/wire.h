/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What passes between a server of a model's registers and its clients, over a
 * Unix stream socket; docs/formats.md explains it with an example.
 *
 * Both sides send frames: a header and, for each type, one fixed layout. All
 * numbers are little-endian; these structs have no padding, so on a
 * little-endian machine a frame is the struct. Reserved fields are 0. Names end
 * in a zero byte inside their field, and zeros follow.
 *
 * A client sends HELLO first, then requests; each is answered once, in their
 * order, by a frame of the same type and id. Events may come between answers.
 * A frame against these rules is answered by ERROR, and the connection closed.
 */
#ifndef UNCORE_WIRE_H
#define UNCORE_WIRE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Eight bytes, without the zero at the end. The line end shows a channel that
 * changes text. */
#define UNCORE_WIRE_MAGIC "uncore\r\n"

enum {
	UNCORE_WIRE_VERSION = 2, /* the newest described here */
	UNCORE_WIRE_MAX_OPS = 1024,
	UNCORE_WIRE_NAME_BYTES = 64,
	UNCORE_WIRE_TEXT_BYTES = 256,
};

enum uncore_wire_type {
	UNCORE_WIRE_HELLO = 1,
	UNCORE_WIRE_BATCH = 2,
	UNCORE_WIRE_STEP = 3,
	UNCORE_WIRE_STATUS = 4,
	UNCORE_WIRE_COUNTS = 5,
	UNCORE_WIRE_SUBSCRIBE = 6,
	/* From the server alone, with id 0: */
	UNCORE_WIRE_PMI = 64,
	UNCORE_WIRE_ENDED = 65,
	UNCORE_WIRE_ERROR = 127, /* the last frame; id of the guilty one */
};

/* What makes the uncore clock go. */
enum uncore_wire_clock {
	UNCORE_WIRE_CLOCK_REAL = 0, /* wall time, as far as it keeps up */
	UNCORE_WIRE_CLOCK_FREE = 1, /* as fast as the model can */
	UNCORE_WIRE_CLOCK_STEP = 2, /* STEP alone */
};

struct uncore_wire_header {
	uint32_t size_bytes; /* of the whole frame with this header */
	uint16_t type;
	uint16_t reserved;
	uint32_t id;  /* the client's choice; the answer has the same */
	int32_t code; /* of an answer: 0 or a negative UNCORE_ERR_*; else 0 */
};

/* HELLO, 32 bytes: the versions that the client speaks. */
struct uncore_wire_hello {
	struct uncore_wire_header header;
	uint8_t magic[8];
	uint16_t first_version, last_version;
	uint32_t reserved;
};

/* Its answer, 192 bytes: the version to be used from here on, the newest that
 * both speak, and what is behind the socket. CPU n is core n % cores of socket
 * n / cores. */
struct uncore_wire_welcome {
	struct uncore_wire_header header;
	uint8_t magic[8];
	uint16_t version;
	uint16_t clock; /* enum uncore_wire_clock */
	uint32_t max_ops;
	uint32_t sockets;
	uint32_t cores_per_socket;
	uint64_t cycle;
	uint64_t clock_hz;
	uint64_t reserved;
	char machine[UNCORE_WIRE_NAME_BYTES];
	char family[UNCORE_WIRE_NAME_BYTES];
};

/* One access of a batch. The address is that of address.h. */
struct uncore_wire_op {
	uint32_t cpu;
	uint32_t is_write; /* 1 or 0 */
	int32_t code;	   /* in the answer: 0, UNCORE_ERR_GP, ..._SOCKET */
	uint32_t reserved;
	uint64_t address;
	uint64_t value; /* to be written; in the answer also what was read */
};

/* The same in version 1, which knows MSRs only. */
struct uncore_wire_op_1 {
	uint32_t cpu;
	uint32_t address;
	uint32_t is_write;
	int32_t code;
	uint64_t value;
};

/* BATCH and its answer, 32 + 32 * num bytes (in version 1: 32 + 24 * num): all
 * accesses in their order, at one cycle; each has its own code, and one that is
 * refused stops no other. In the answer `cycle` is set. */
struct uncore_wire_batch {
	struct uncore_wire_header header;
	uint32_t num; /* 0 to max_ops */
	uint32_t reserved;
	uint64_t cycle;
	/* struct uncore_wire_op ops[num]; version 1: ..._op_1 */
};

/* STEP and its answer, 24 bytes: advances a stepped clock by so many cycles; in
 * the answer it is the cycle then. UNCORE_ERR_STATE if the clock runs by
 * itself. Other clients go on meanwhile. Closing the connection ends it
 * early. */
struct uncore_wire_step {
	struct uncore_wire_header header;
	uint64_t cycles;
};

/* STATUS is a header alone. Its answer, 80 bytes: */
struct uncore_wire_status {
	struct uncore_wire_header header;
	uint64_t cycle;
	uint64_t accesses; /* of the traffic, so far */
	uint64_t reads;	   /* of registers, by all clients */
	uint64_t writes;
	uint64_t faults;      /* of them, #GP */
	uint64_t modelled_ns; /* since the server's start */
	uint64_t wall_ns;
	uint32_t clock; /* enum uncore_wire_clock */
	uint32_t traffic_ended;
};

/* COUNTS and its answer, 216 bytes: can an event count anything here? Named as
 * `uncore list` has it; a unit mask may be empty. `port` is that of an R-Box.
 * In the answer `counts` is 1 or 0. UNCORE_ERR_UNKNOWN_BOX, _UNKNOWN_EVENT or
 * _BAD_UMASK for a name that does not exist. */
struct uncore_wire_counts {
	struct uncore_wire_header header;
	char box[UNCORE_WIRE_NAME_BYTES];
	char event[UNCORE_WIRE_NAME_BYTES];
	char unit_mask[UNCORE_WIRE_NAME_BYTES];
	uint32_t port;
	uint32_t counts;
};

enum uncore_wire_events {
	UNCORE_WIRE_WANTS_PMI = 1,
	UNCORE_WIRE_WANTS_ENDED = 2,
};

/* SUBSCRIBE and its answer, 24 bytes: the events that are wanted from now on,
 * instead of those before. UNCORE_ERR_BAD_OPTION for others. */
struct uncore_wire_subscribe {
	struct uncore_wire_header header;
	uint32_t events; /* enum uncore_wire_events, or-ed */
	uint32_t reserved;
};

/* PMI and ENDED, 40 bytes. PMI: a core received a PMI, at that cycle. ENDED,
 * once: the traffic has ended, and this was noticed at that cycle. Of a client
 * that does not read, events are thrown away; `lost` is how many just before.
 * Events that happened before a STEP was over come before its answer. */
struct uncore_wire_event {
	struct uncore_wire_header header;
	uint32_t socket;
	uint32_t core; /* of the socket */
	uint64_t cycle;
	uint64_t lost;
};

/* ERROR, 272 bytes. */
struct uncore_wire_error {
	struct uncore_wire_header header;
	char text[UNCORE_WIRE_TEXT_BYTES];
};

#ifdef __cplusplus
}
#endif

#endif
