/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore doctor`: what is here, what can be counted, what stands in the way,
 * and what to type to mend it.
 */
#include "tool.h"

#include "json.h"
#include "table.h"
#include "uncore/doctor.h"

struct doctor_settings {
	const char *root;
	bool json;
};

#define AT(MEMBER) .at = offsetof(struct doctor_settings, MEMBER)

static const struct option_row rows[] = {
	OPTION_JSON(AT(json)),
	{ "root", 0, "DIR",
	  "Look at DIR/proc, DIR/sys, DIR/dev and DIR/run, a tree of another "
	  "machine's files, in place of this machine's",
	  AT(root) },
	{ 0 },
};

static const struct options doctor_options = {
	.rows = rows,
	.help = "Say what this machine has to count with, and what stands in "
		"the way: processor, hypervisor or container, kernel and its "
		"lockdown, rights, registers, PCI functions, the kernel's "
		"PMUs, who else counts. Each finding has the file that says "
		"so and, where something can be done, what to do. Nothing is "
		"written. The last line says which way 'uncore stat' takes "
		"that is told none."
		"\vExit status: 0 if something real can be counted, 4 if "
		"nothing but the model works.",
	.too_much = "is one too many",
};

/* By enum uncore_finding_status and enum uncore_way. */
static const char *const statuses[] = { "ok", "note", "obstacle" };
static const char *const ways[] = { "registers", "perf", "model" };
static const char *const places[] = {
	"the registers of this machine",
	"the kernel's PMUs (--on perf)",
	"the model",
};

static void print_json(const struct uncore_doctor *doctor)
{
	struct json json = { .file = stdout };
	struct uncore_finding row;
	struct table table;

	table_init(&table, "findings", "");
	table_add_columns(&table, "id:t status:t what:t evidence:t todo:t");
	for (size_t i = 0; uncore_doctor_finding(doctor, i, &row); i++)
		table_add(&table, row.id, statuses[row.status], row.what,
			  row.evidence, row.todo);
	json_open(&json, NULL, '{');
	json_members(&json, "schema:%s way:%s reason:%s", "uncore-doctor-1",
		     ways[uncore_doctor_way(doctor)],
		     uncore_doctor_reason(doctor));
	table_print_json(&table, &json);
	json_close(&json);
	table_free(&table);
}

/* What files hold is any bytes. */
static void print_line(const char *before, const char *text)
{
	if (*text)
		printf("%26s%s%s\n", "", before, tool_shown(text));
}

static void print_text(const struct uncore_doctor *doctor)
{
	struct uncore_finding row;

	for (size_t i = 0; uncore_doctor_finding(doctor, i, &row); i++) {
		printf("%-9s %-15s %s\n", statuses[row.status], row.id,
		       tool_shown(row.what));
		print_line("", row.evidence);
		print_line("to do: ", row.todo);
	}
	printf("\n'uncore stat -- ./app' counts on %s: %s\n",
	       places[uncore_doctor_way(doctor)],
	       tool_shown(uncore_doctor_reason(doctor)));
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_settings settings = { 0 };
	struct uncore_doctor_options options = { .struct_size =
							 sizeof(options) };
	struct uncore_doctor *doctor;
	char *error = NULL;
	int code, status;

	options_parse(&doctor_options, argc, argv, 0, &settings);
	options.root = settings.root;
	code = uncore_doctor_new(&options, &doctor, &error);
	if (code) {
		status = tool_fail_with(code, error);
		return settings.root ? TOOL_USAGE : status;
	}
	if (settings.json)
		print_json(doctor);
	else
		print_text(doctor);
	status = uncore_doctor_way(doctor) == UNCORE_WAY_MODEL ? TOOL_NOTHING
							       : TOOL_OK;
	uncore_doctor_free(doctor);
	return tool_finish(status, stdout, NULL);
}
