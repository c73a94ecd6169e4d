/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A link that takes a fixed time.
 */
#include "model/sandy-bridge-ep/qll.h"

#include <stdlib.h>

struct qll {
	unsigned number;
};

struct qll *qll_new(struct ep *ep, unsigned socket, unsigned number,
		      const struct uc_family *family)
{
	struct qll *qll = calloc(1, sizeof(*qll));

	(void)ep, (void)socket, (void)family;
	if (qll)
		qll->number = number;
	return qll;
}
void qll_free(struct qll *qll) { free(qll); }
const char *qll_config_check(const struct socket *socket) { (void)socket; return NULL; }
unsigned qll_of(uint64_t line) { return (line ^ line >> 6 ^ line >> 13) & 1; }
struct qll_trip qll_send(struct ep *ep, unsigned socket,
			   struct packet *packet, uint64_t at, bool direct)
{
	(void)ep, (void)socket, (void)packet;
	return (struct qll_trip){ at, at + 60, direct };
}
uint64_t qll_room_from(struct ep *ep, unsigned socket, uint64_t line,
			enum packet_class cls, uint64_t at)
{
	(void)ep, (void)socket, (void)line, (void)cls;
	return at;
}
void qll_leaves(struct ep *ep, unsigned socket, uint64_t line, unsigned ring,
		 enum packet_class cls, uint64_t arrived, uint64_t injected)
{
	(void)ep, (void)socket, (void)line, (void)ring, (void)cls, (void)arrived, (void)injected;
}
bool qll_sleeps(const struct ep *ep, unsigned socket, uint64_t line, uint64_t at)
{
	(void)ep, (void)socket, (void)line, (void)at;
	return false;
}
const char *qll_check_rest(const struct qll *qll, uint64_t now) { (void)qll, (void)now; return NULL; }
