/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The guest's perf counts with the kernel's driver, which reads the registers
 * of the model that the guest's memory accesses drive. What reached that model
 * is recorded; a fresh one does it again, and a session counts the same events
 * there. The guest tells what perf counted over its second serial line, with
 * our names of the events.
 */
#include "guest_demo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/machine.h"
#include "tool/target.h"
#include "tool/tool.h"
#include "uncore/guest.h"
#include "uncore/model.h"
#include "uncore/uncore.h"

#define FOLDER "/tmp/uncore-demo-XXXXXX"
#define APPEND "quiet mitigations=off uncore.run=demo"

enum { MAX_ROWS = 64 };

/* An event that the guest counted. */
struct row {
	char *name;
	struct uncore_event *event;
	bool counted;
	uint64_t guest, model;
};

struct table {
	struct row rows[MAX_ROWS];
	size_t num_rows;
};

/* The second serial line, then what the user wants. */
static int add_options(struct guest_demo *demo,
		       struct uncore_guest_config *config)
{
	const char *const mine[] = { "-serial", "mon:stdio", "-serial",
				     demo->serial };
	unsigned num = 0;

	for (; num < sizeof(mine) / sizeof(mine[0]); num++)
		demo->options[num] = mine[num];
	for (const char *const *word = config->options; word && *word; word++) {
		if (num == GUEST_DEMO_MAX_OPTIONS)
			return tool_fail(TOOL_USAGE,
					 "too many options for QEMU");
		demo->options[num++] = *word;
	}
	config->options = demo->options;
	return TOOL_OK;
}

int guest_demo_prepare(struct guest_demo *demo,
		       struct uncore_guest_config *config)
{
	char *error = NULL;
	int code = uncore_guest_image(&demo->kernel, &demo->initrd, &error);

	if (code)
		return tool_fail_with(code, error);
	demo->folder = strdup(FOLDER);
	if (demo->folder && !mkdtemp(demo->folder)) {
		free(demo->folder);
		demo->folder = NULL;
		return tool_fail(TOOL_FAILED,
				 "cannot make a folder in /tmp: "
				 "%s",
				 strerror(errno));
	}
	/* The user may want to keep it. */
	demo->recording = config->record
				  ? strdup(config->record)
				  : tool_print("%s/recording", demo->folder);
	demo->counts = tool_print("%s/counts", demo->folder);
	demo->serial = tool_print("file:%s/counts", demo->folder);
	demo->append = tool_print(APPEND "%s%s", config->append ? " " : "",
				  config->append ? config->append : "");
	if (!demo->folder || !demo->recording || !demo->counts ||
	    !demo->serial || !demo->append)
		return tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	config->kernel = demo->kernel;
	config->initrd = demo->initrd;
	config->append = demo->append;
	config->traffic = UNCORE_GUEST_MARKED;
	config->record = demo->recording;
	return add_options(demo, config);
}

/* "COUNT NAME"; the count is no number if perf had none. */
static void add_row(struct table *table, char *line)
{
	char *name = strrchr(line, ' ');
	struct row *row = &table->rows[table->num_rows];
	char *end;

	if (!name || table->num_rows == MAX_ROWS)
		return;
	name[1 + strcspn(name + 1, "\r\n")] = '\0';
	row->guest = strtoull(line, &end, 10);
	row->counted = end == name;
	row->name = strdup(name + 1);
	table->num_rows += row->name != NULL;
}

static void read_counts(struct table *table, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0)
		add_row(table, line);
	free(line);
	if (file)
		fclose(file);
}

/* All sockets together, as perf adds them up. */
static void take_counts(struct table *table,
			const struct uncore_session *session)
{
	struct uncore_count count;

	for (size_t i = 0; uncore_session_count(session, i, &count); i++)
		table->rows[count.event_index].model += count.value;
}

static int count(struct table *table, struct uncore_replay *replay,
		 struct uncore_target *target)
{
	struct uncore_event *events[MAX_ROWS];
	struct uncore_session *session = NULL;
	static const volatile int never;
	char *error = NULL;
	int code = 0;

	for (size_t i = 0; i < table->num_rows && !code; i++) {
		struct row *row = &table->rows[i];

		code = uncore_event_parse(uncore_target_family(target),
					  row->name, &row->event, &error);
		events[i] = row->event;
	}
	if (!code)
		code = uncore_session_open(target, events, table->num_rows,
					   &session, &error);
	if (!code)
		code = uncore_session_start(session, &error);
	if (!code) {
		replay_run(replay, NULL, &never);
		code = uncore_session_read(session, &error);
	}
	if (!code)
		take_counts(table, session);
	uncore_session_close(session);
	return code ? tool_fail_with(code, error) : TOOL_OK;
}

static int count_recording(struct table *table, const char *path)
{
	const struct machine_settings as_recorded = { .machine = NULL };
	struct uncore_replay *replay = NULL;
	struct uncore_target *target = NULL;
	struct uncore_model *model = NULL;
	int status = replay_open(path, NULL, &as_recorded, &model, &replay);

	if (!status) {
		target = uncore_target_model(model);
		status = target ? count(table, replay, target)
				: tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	}
	uncore_target_free(target);
	if (model)
		uncore_model_free(model);
	uncore_replay_free(replay);
	return status;
}

static int print_table(const struct table *table)
{
	size_t num_equal = 0;

	printf("\nWhat perf counted in the guest, and what uncore counts when "
	       "a fresh model does\nagain what reached the first one:\n\n"
	       "%18s %18s\n",
	       "perf", "model");
	for (size_t i = 0; i < table->num_rows; i++) {
		const struct row *row = &table->rows[i];
		bool is_equal = row->counted && row->guest == row->model;

		num_equal += is_equal;
		if (row->counted)
			printf("%18" PRIu64, row->guest);
		else
			printf("%18s", "n/a");
		printf(" %18" PRIu64 "  %s%s\n", row->model, row->name,
		       is_equal ? "" : "  differs");
	}
	printf("\n%zu of %zu are equal.\n", num_equal, table->num_rows);
	return tool_finish(num_equal == table->num_rows ? TOOL_OK : TOOL_FAILED,
			   stdout, NULL);
}

int guest_demo_compare(const struct guest_demo *demo, int status)
{
	struct table table = { .num_rows = 0 };

	if (status)
		return status;
	read_counts(&table, demo->counts);
	if (!table.num_rows)
		status = tool_fail(TOOL_FAILED, "the guest has not told what "
						"perf counted; see above");
	if (!status)
		status = count_recording(&table, demo->recording);
	if (!status)
		status = print_table(&table);
	for (size_t i = 0; i < table.num_rows; i++) {
		uncore_event_free(table.rows[i].event);
		free(table.rows[i].name);
	}
	return status;
}

void guest_demo_free(struct guest_demo *demo)
{
	char *kept =
		demo->folder ? tool_print("%s/recording", demo->folder) : NULL;

	if (demo->counts)
		unlink(demo->counts);
	if (kept)
		unlink(kept);
	if (demo->folder)
		rmdir(demo->folder);
	free(kept);
	free(demo->kernel);
	free(demo->initrd);
	free(demo->append);
	free(demo->folder);
	free(demo->recording);
	free(demo->counts);
	free(demo->serial);
}
