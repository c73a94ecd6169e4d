/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A QPI link of a socket: its link layer (box qpi) and its ring stop's part
 * (R3QPI). ep_route() says which one a message takes.
 */
#ifndef UNCORE_QLL_H
#define UNCORE_QLL_H

#include "model/sandy-bridge-ep/ep.h"
#include "model/sandy-bridge-ep/ring.h"

/* One end of a link, or NULL without memory. The end of the socket that comes
 * later joins both; with one socket a link leads nowhere and is shut down. */
struct qll *qll_new(struct ep *ep, unsigned socket, unsigned number,
		    const struct uc_family *family);
void qll_free(struct qll *qll);

/* The same with the banks of its two boxes. Of the socket it wants the
 * parameters, num_sockets and the faults, and no other box. */
struct qll *qll_new_on(struct ep *ep, unsigned socket, unsigned number,
		       struct sigbank *qpi, struct sigbank *r3qpi);

/* What does not go together in the settings, or NULL. */
const char *qll_config_check(const struct socket *socket);

/* Of several links between two sockets the one that a line's messages take. */
static inline unsigned qll_of(const struct ep *ep, uint64_t line)
{
	return (line ^ line >> 6 ^ line >> 13) % ep->num_links;
}

/* How a message has gone. */
struct qll_trip {
	uint64_t taken; /* the link's ring stop has room for it from then on */
	uint64_t arrived; /* ready for the ring at the far R3QPI's stop */
	bool is_direct; /* of data: Direct2Core, it may go to the core itself */
};

/* A packet (cls, mc, opcode, state, flits, line, home, requester, dest are
 * filled in) is at the ring stop of a socket's link in the cycle `at`, to go to
 * the other socket; its vn and network are filled in. The queues of both R3QPI,
 * credits and flits of the link are held and told of. `direct`: the receiver
 * could take data by Direct2Core. What is for an I/O hub (NODE_IOH) takes a
 * credit of the far IIO. */
struct qll_trip qll_send(struct ep *ep, unsigned socket, unsigned link,
			 struct packet *packet, uint64_t at, bool direct);

/* Whether anybody listens to a link. */
bool qll_is_any_heard(const struct ep *ep);

/* A packet passes while time stands (engine.is_quick): its flits are told. */
void qll_pass(struct ep *ep, unsigned socket, unsigned link,
	      const struct packet *packet);

/* From when on the ring stop of a link takes a message of the class
 * that comes off the ring in the cycle `at`. */
uint64_t qll_room_from(struct ep *ep, unsigned socket, unsigned link,
		       enum packet_class cls, uint64_t at);

/* The message that qll_send() named leaves the far R3QPI's egress for its ring
 * by a ride, ready since `arrived`. `socket` is the one that it has come to.
 * Until this is said it counts as if it left at once. */
void qll_leaves(struct ep *ep, unsigned socket, unsigned link, uint64_t line,
		enum packet_class cls, uint64_t arrived,
		const struct ring_ride *ride);

/* Nothing crosses between the clocks of links and ring of a socket from a
 * cycle, not before now, until another one: the PCU changes the ring's clock.
 */
void qll_hold(struct ep *ep, unsigned socket, uint64_t from, uint64_t until);

/* A link sleeps (L1) at the cycle. */
bool qll_sleeps(const struct ep *ep, unsigned socket, unsigned link,
		uint64_t at);

/* Credits that were never given back, of a machine at rest, or NULL. */
const char *qll_check_rest(const struct qll *qll, uint64_t now);

/* A read of another socket has its line asked for ahead where a link ends. */
void qll_tell_spawn(struct ep *ep, unsigned socket, unsigned link, uint64_t at);

#endif
