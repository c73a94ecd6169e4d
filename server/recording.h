/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Writes a recording: what reached the model between a guest's marks, portion
 * by portion; and what both its writer and its reader know of the format.
 *
 *   uncore-recording 1
 *   machine NAME
 *   set PARAMETER=VALUE     for every parameter of the machine
 *   end
 *   items, then RECORDING_LAST and 8 bytes: FNV-1a of all before them
 *
 * An item is a letter and what follows it; numbers have 7 bits a byte, the
 * lowest first, the highest bit set in all but the last.
 *
 *   RECORDING_BEGIN, RECORDING_END   a region begins, ends
 *   RECORDING_PORTION num_cpus       then per CPU: its number, num_records,
 *                                    the records
 *
 * A record is the place of its kind in recording_kinds[] + 8 * depends + 16 *
 * is_clean, gap and, unless only time passes, the distance from the CPU's
 * previous line (zigzag: the sign is the lowest bit).
 */
#ifndef SERVER_RECORDING_H
#define SERVER_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "uncore/model.h"

struct portion;
struct recording;
struct uncore_model_config;

#define RECORDING_HEAD "uncore-recording 1\n"
#define RECORDING_TAIL "end\n"

enum {
	RECORDING_BEGIN = 'B',
	RECORDING_PORTION = 'P',
	RECORDING_END = 'E',
	RECORDING_LAST = 'Z',
	RECORDING_DEPENDS = 8,
	RECORDING_CLEAN = 16,
	RECORDING_KINDS = 7,
};

static const uint8_t recording_kinds[RECORDING_KINDS] = {
	UNCORE_ACCESS_READ,	 UNCORE_ACCESS_CODE, UNCORE_ACCESS_OWN,
	UNCORE_ACCESS_WRITEBACK, UNCORE_ACCESS_NONE, UNCORE_ACCESS_NT_WRITE,
	UNCORE_ACCESS_NT_PART,
};

/* The file appears under its name when it is complete. */
int recording_new(const char *path, const struct uncore_model_config *machine,
		  const char *machine_name, struct recording **recording,
		  char **error);

void recording_begin(struct recording *recording);
void recording_portion(struct recording *recording,
		       const struct portion *portion);
void recording_end(struct recording *recording);

/* Completes the file; an error says why it is not there. */
int recording_finish(struct recording *recording, char **error);

/* Gives up what was not finished. NULL is allowed. */
void recording_free(struct recording *recording);

#endif
