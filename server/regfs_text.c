/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the text files of the tree say, and what may be written to the clock.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "server/regfs_parts.h"

enum { NUM_WINDOWS = 7 };

static const char *const clock_names[] = {
	[UNCORE_LIVE_REAL] = "real",
	[UNCORE_LIVE_FREE] = "free",
	[UNCORE_LIVE_STEP] = "step",
};

static void add_status(struct text *text, const struct uncore_regfs *fs)
{
	const struct regfs_machine *machine = &fs->machine;
	struct uncore_live_status s;

	uncore_live_status(fs->live, &s);
	text_add(text,
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

/* As the kernel has it: bus and function, id, interrupt, then places and sizes
 * of six windows and a ROM, which these functions have not, and a driver. */
static void add_devices(struct text *text, const struct uncore_regfs *fs)
{
	for (unsigned b = 0; b < fs->num_folders; b++)
		for (unsigned i = 0; i < fs->num_files; i++) {
			const struct uncore_function *f = &fs->functions[i];

			if (!regfs_is_in(fs, b, i))
				continue;
			text_add(text, "%02x%02x\t%04x%04x\t0",
				 fs->machine.buses[b], regfs_unit(f), f->vendor,
				 f->device);
			for (unsigned n = 0; n < 2 * NUM_WINDOWS; n++)
				text_add(text, "\t%16x", 0);
			text_add(text, "\t\n");
		}
}

bool regfs_text_make(struct regfs_text *text, const struct uncore_regfs *fs,
		     fuse_ino_t inode)
{
	struct text made = { 0 };

	if (inode == REGFS_CLOCK)
		text_add(&made, "%" PRIu64 "\n", uncore_live_cycle(fs->live));
	else if (inode == REGFS_STATUS)
		add_status(&made, fs);
	else
		add_devices(&made, fs);
	free(text->data);
	text->length = made.length;
	text->data = text_take(&made);
	return text->data;
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
