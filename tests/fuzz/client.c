/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The client's side of the wire: all that a server ever sends, whatever it is
 * asked. Linked with --wrap=link_new, so that no server is needed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "access/access.h"
#include "access/socket_link.h"
#include "tests/fuzz/fuzz.h"
#include "uncore/error.h"

enum { MAX_ROUNDS = 4, MAX_BYTES = 1 << 16, NUM_OPS = 3 };

static struct fuzz_bytes sent;
static int server_end;

/* In place of link_new(): the server has already said all it will say. */
struct link *__wrap_link_new(const char *path, char **error);
struct link *__wrap_link_new(const char *path, char **error)
{
	struct link *link = calloc(1, sizeof(*link));
	int files[2];

	(void)error;
	fuzz_must(link && !socketpair(AF_UNIX, SOCK_STREAM, 0, files),
		  "no memory or files");
	link->path = strdup(path);
	link->file = files[0];
	server_end = files[1];
	if (sent.size)
		fuzz_must(send(server_end, sent.data, sent.size, 0) ==
				  (ssize_t)sent.size,
			  "the socket is full");
	shutdown(server_end, SHUT_WR);
	return link;
}

static bool is_alive(struct uncore_target *target)
{
	return !*uncore_target_error(target);
}

/* Each call there is, in the order in which the seeds have their answers. */
static void ask(struct uncore_target *target)
{
	struct uncore_target_op ops[NUM_OPS] = {
		{ .address = 0xc00 },
		{ .address = 0xc00, .is_write = true, .value = 1 },
		{ .address = 0xd00 },
	};
	struct uncore_target_event event;
	struct uncore_target_status status;
	uint64_t value, cycle;

	uncore_target_read(target, 0, 0xc00, &value);
	uncore_target_write(target, 0, 0xc00, 0);
	uncore_target_batch(target, ops, NUM_OPS, &cycle);
	uncore_target_status(target, &status);
	uncore_target_subscribe(target,
				UNCORE_TARGET_PMI | UNCORE_TARGET_ENDED);
	uncore_target_step(target, 1000);
	access_counts(target, "cbox", "LLC_MISSES", "ALL", 0);
	while (is_alive(target) && uncore_target_wait(target, 0, &event) > 0)
		fuzz_must(event.kind == UNCORE_TARGET_PMI ||
				  event.kind == UNCORE_TARGET_ENDED,
			  "an event of kind %d", event.kind);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct uncore_target *target;
	char *error = NULL;

	if (size > MAX_BYTES)
		return -1;
	sent = (struct fuzz_bytes){ data, size };
	target = uncore_target_socket("fuzz", &error);
	fuzz_must(!target == !!error, "no target, and no sentence");
	if (target)
		for (unsigned i = 0; i < MAX_ROUNDS && is_alive(target); i++)
			ask(target);
	uncore_target_free(target);
	close(server_end);
	free(error);
	return 0;
}
