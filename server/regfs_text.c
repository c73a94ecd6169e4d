/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the two text files of the tree say, and what may be written to the
 * clock.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/regfs_parts.h"

static const char *const clock_names[] = {
	[UNCORE_LIVE_REAL] = "real",
	[UNCORE_LIVE_FREE] = "free",
	[UNCORE_LIVE_STEP] = "step",
};

void regfs_text_clock(struct regfs_text *text, struct uncore_live *live)
{
	text->length =
		(size_t)snprintf(text->data, sizeof(text->data),
				 "%" PRIu64 "\n", uncore_live_cycle(live));
}

void regfs_text_status(struct regfs_text *text, struct uncore_live *live,
		       const struct regfs_machine *machine)
{
	struct uncore_live_status s;

	uncore_live_status(live, &s);
	/* All numbers at their longest fit. */
	text->length = (size_t)snprintf(
		text->data, sizeof(text->data),
		"protocol: msr-files 1\n"
		"version: " UNCORE_VERSION "\n"
		"machine: %s\n"
		"family: %s\n"
		"sockets: %u\n"
		"cores_per_socket: %u\n"
		"cpus: %u\n"
		"clock: %s\n"
		"cycle: %" PRIu64 "\n"
		"clock_hz: %.0f\n"
		"modelled_seconds: %.6f\n"
		"wall_seconds: %.6f\n"
		"lag_seconds: %.6f\n"
		"traffic: %s\n"
		"accesses: %" PRIu64 "\n"
		"reads: %" PRIu64 "\n"
		"writes: %" PRIu64 "\n"
		"faults: %" PRIu64 "\n",
		machine->name, machine->family, machine->sockets,
		machine->cores, machine->sockets * machine->cores,
		clock_names[s.clock], s.cycle, s.clock_hz, s.modelled_seconds,
		s.wall_seconds, s.lag_seconds,
		s.traffic_ended ? "ended" : "running", s.accesses, s.reads,
		s.writes, s.faults);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || !c;
}

bool regfs_parse_cycles(const char *data, size_t length, uint64_t *cycles)
{
	size_t i = 0;

	while (length && is_blank(data[length - 1]))
		length--;
	while (i < length && is_blank(data[i]))
		i++;
	if (i == length)
		return false;
	for (*cycles = 0; i < length; i++) {
		unsigned digit = (unsigned)(data[i] - '0');

		/* No clock runs for 2^62 cycles, and none overflows. */
		if (digit > 9 || *cycles > (UINT64_MAX >> 2) / 10)
			return false;
		*cycles = *cycles * 10 + digit;
	}
	return true;
}
