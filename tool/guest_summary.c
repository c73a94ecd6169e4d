/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "guest_summary.h"

#include <inttypes.h>
#include <string.h>

#include "json.h"
#include "uncore/model.h"

enum { NUM_ROWS = 10 };

struct row {
	const char *name; /* in JSON */
	const char *text;
	uint64_t value;
};

static void fill(const struct guest_summary *summary, struct row rows[NUM_ROWS])
{
	const struct uncore_guest_status *status = &summary->status;
	const struct row filled[NUM_ROWS] = {
		{ "register_reads", "reads of uncore registers",
		  status->reads },
		{ "register_writes", "writes of uncore registers",
		  status->writes },
		{ "register_faults", "of these refused (#GP)", status->faults },
		{ "instructions", "instructions", status->instructions },
		{ "accesses", "accesses that reached the model",
		  status->accesses },
		{ "accesses_lost", "accesses outside the guest's RAM",
		  status->lost },
		{ "rounds", "rounds of all CPUs", status->rounds },
		{ "regions", "marked regions", status->regions },
		{ "uncore_cycles", "uncore cycles",
		  uncore_model_cycle(summary->model) },
		{ "exit_code", "exit status", (uint64_t)status->exit_code },
	};

	memcpy(rows, filled, sizeof(filled));
}

void guest_summary_print(const struct guest_summary *summary, bool as_json,
			 FILE *file)
{
	struct json json = { .file = file };
	struct row rows[NUM_ROWS];

	fill(summary, rows);
	if (!as_json) {
		fprintf(file, "uncore: what the guest did:\n");
		for (unsigned i = 0; i < NUM_ROWS; i++)
			fprintf(file, "%20" PRIu64 "  %s\n", rows[i].value,
				rows[i].text);
		return;
	}
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "uncore-guest-1");
	json_string(&json, "machine", uncore_model_machine(summary->model));
	json_uint(&json, "sockets", uncore_model_sockets(summary->model));
	for (unsigned i = 0; i < NUM_ROWS; i++)
		json_uint(&json, rows[i].name, rows[i].value);
	json_close(&json);
	fputc('\n', file);
}
