/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "guest_summary.h"

#include <inttypes.h>
#include <string.h>

#include "tool/json.h"
#include "uncore/model.h"

enum { NUM_ROWS = 11 };

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
		{ "accesses_quick", "of these the quick way (--detail)",
		  uncore_model_quick(summary->model) },
		{ "accesses_lost", "accesses outside the guest's RAM",
		  status->lost },
		{ "rounds", "rounds of all CPUs", status->rounds },
		{ "regions", "marked regions", status->regions },
		{ "uncore_cycles", "uncore cycles",
		  uncore_model_cycle(summary->model) +
			  uncore_model_skipped(summary->model) },
		{ "exit_code", "exit status", (uint64_t)status->exit_code },
	};

	memcpy(rows, filled, sizeof(filled));
}

/* What went through the engine though it need not have, and which counters are
 * none of what happened. */
static void print_detail(const struct uncore_model *model, FILE *file)
{
	uint64_t kept;
	const char *event, *reason = uncore_model_needs_detail(model, &kept);

	if (reason)
		fprintf(file,
			"uncore: %" PRIu64 " accesses in detail because %s\n",
			kept, reason);
	if (uncore_model_grown(model, 0))
		fprintf(file, "uncore: events of time, whose counters grew by "
			      "estimate in quick stretches:\n");
	for (size_t i = 0; (event = uncore_model_grown(model, i)); i++)
		fprintf(file, "%22s%s\n", "", event);
}

static void json_detail(struct json *json, const struct uncore_model *model)
{
	uint64_t kept;
	const char *event, *reason = uncore_model_needs_detail(model, &kept);

	if (reason) {
		json_uint(json, "kept", kept);
		json_string(json, "kept_because", reason);
	}
	json_open(json, "estimated_events", '[');
	for (size_t i = 0; (event = uncore_model_grown(model, i)); i++)
		json_string(json, NULL, event);
	json_close(json);
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
		print_detail(summary->model, file);
		return;
	}
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "uncore-guest-1");
	json_string(&json, "machine", uncore_model_machine(summary->model));
	json_uint(&json, "sockets", uncore_model_sockets(summary->model));
	for (unsigned i = 0; i < NUM_ROWS; i++)
		json_uint(&json, rows[i].name, rows[i].value);
	json_detail(&json, summary->model);
	json_close(&json);
	fputc('\n', file);
}
