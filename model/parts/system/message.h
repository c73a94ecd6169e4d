/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What passes between cores, U-Boxes and devices and is of no memory: the
 * packets (classes NCS and NCB) and their answers, and what is known of them by
 * events only.
 */
#ifndef UNCORE_MESSAGE_H
#define UNCORE_MESSAGE_H

#include "model/box/core.h"
#include "model/pmu/engine.h"

struct socket;

/* The flits of a packet, of any class but with some bytes of a line. */
unsigned message_flits(const struct packet *packet);

/* What a core's special request (core_is_special(), but for its state before
 * C6) leaves as; who sends it to whom is to be filled in. The lower half of a
 * device's page has registers, which are read and written by parts of a line,
 * the upper half memory, which goes by whole lines. */
struct packet message_of(const struct core_miss *miss);

/* The answer to a request of class NCS or NCB: a line of data to what reads,
 * else a completion. */
struct packet message_answer(const struct packet *request);

/* The core hears of something in the cycle `at`; by an event, since it changes
 * what the core begins. */
void message_tell(struct engine *engine, struct core *core,
		  enum packet_message message, uint64_t at);

/* The level of a signal rises by 1, or falls again, in a cycle to come. */
void message_rise(struct engine *engine, struct sigbank *bank, unsigned signal,
		  uint64_t at);
void message_fall(struct engine *engine, struct sigbank *bank, unsigned signal,
		  uint64_t at);

/* Machine checks of cores, where they are injected: kind->machine_check(). */
void machine_check_start(struct socket *socket);

#endif
