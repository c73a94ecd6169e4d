/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore doctor`: what is here, what can be counted, what stands in the way,
 * and what to type to mend it.
 */
#include "tool.h"

#include "page.h"
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

static void put_findings(struct page *page, const struct uncore_doctor *doctor)
{
	struct uncore_finding row;

	json_open(page->json, "findings", '[');
	for (size_t i = 0; uncore_doctor_finding(doctor, i, &row); i++) {
		page_line(page, 0, "%-9s %-15s %s", statuses[row.status],
			  row.id, row.what);
		if (*row.evidence)
			page_line(page, 26, "%s", row.evidence);
		if (*row.todo)
			page_line(page, 26, "to do: %s", row.todo);
		json_add_row(page->json,
			     "id:%s status:%s what:%s evidence:%s todo:%s",
			     row.id, statuses[row.status], row.what,
			     row.evidence, row.todo);
	}
	json_close(page->json);
}

static void put_all(struct page *page, const struct uncore_doctor *doctor)
{
	enum uncore_way way = uncore_doctor_way(doctor);
	const char *reason = uncore_doctor_reason(doctor);

	json_open(page->json, NULL, '{');
	json_members(page->json, "schema:%s way:%s reason:%s",
		     "uncore-doctor-1", ways[way], reason);
	put_findings(page, doctor);
	page_heading(page, "'uncore stat -- ./app' counts on %s: %s",
		     places[way], reason);
	json_close(page->json);
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_settings settings = { 0 };
	struct uncore_doctor_options options = { .struct_size =
							 sizeof(options) };
	struct json json = { .file = stdout };
	struct page page = { .file = stdout };
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
	page.json = settings.json ? &json : NULL;
	put_all(&page, doctor);
	status = uncore_doctor_way(doctor) == UNCORE_WAY_MODEL ? TOOL_NOTHING
							       : TOOL_OK;
	uncore_doctor_free(doctor);
	return tool_finish(status, stdout, NULL);
}
