/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A counter is in use if its control, its box and the socket enable it, and it
 * moves. Whether it moves is seen by reading it twice; where the clock stands
 * still it cannot be seen, and what is enabled is taken to be in use; so is it
 * where another uncore's number is in some counter.
 */
#include "session/neighbour.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "access/access.h"
#include "base/text.h"
#include "event/event.h"
#include "session/batch.h"
#include "session/guard.h"
#include "session/lock.h"
#include "table/enable.h"
#include "uncore/error.h"

enum { MS_NS = 1000000, NUM_LOOKS = 4, MAX_WRITES = 128 };

/* Between two looks, in ms: what moves is mostly seen at once. */
static const unsigned look_ms[NUM_LOOKS] = { 1, 5, 20, 60 };

struct running {
	const struct uc_register *counter;
	struct enable enable;
	unsigned socket;
	uint64_t value;
	uint64_t growth;
};

struct runners {
	struct running *list;
	size_t num;
};

static const struct uc_family *family_of(const struct uncore_target *target)
{
	return family_row(uncore_target_family(target));
}

/* All counters of these boxes that are enabled. */
static int add_socket(struct uncore_target *target, unsigned socket,
		      uint32_t boxes, struct runners *runners, char **error)
{
	const struct uc_family *family = family_of(target);
	struct session_batch batch = { 0 };
	size_t first = runners->num, end;
	int result;

	for (unsigned i = 0; i < family->num_registers; i++) {
		struct running *new = &runners->list[runners->num];

		new->counter = &family->registers[i];
		new->socket = socket;
		if (!enable_is_counter(new->counter) ||
		    !(boxes >> new->counter->box & 1) ||
		    access_missing(target, socket, new->counter->address) ||
		    !enable_find(family, new->counter, &new->enable))
			continue;
		batch_read(&batch, socket, new->enable.control);
		batch_read(&batch, socket, new->enable.box);
		runners->num++;
	}
	result = batch_run(&batch, target, error);
	end = runners->num;
	runners->num = first;
	for (size_t i = first, op = 0; !result && i < end; i++, op += 2) {
		struct running running = runners->list[i];

		if (batch.ops[op].value & running.enable.control_bit &&
		    (batch.ops[op + 1].value & running.enable.box_bits) ==
			    running.enable.box_on)
			runners->list[runners->num++] = running;
	}
	batch_free(&batch);
	return result;
}

/* Of each socket, the boxes (bit n: box n) whose switch is on, or that need
 * none. */
static int read_switches(struct uncore_target *target, uint32_t *boxes,
			 char **error)
{
	const struct uc_family *family = family_of(target);
	struct session_batch batch = { 0 };
	size_t op = 0;
	int result;

	for (unsigned s = 0; s < target->num_sockets; s++)
		for (unsigned d = 0; d < family->num_domains; d++)
			if (family->domains[d].scope == UC_SCOPE_SOCKET)
				batch_read(&batch, s,
					   &family->registers[family->domains[d]
								      .reg]);
	result = batch_run(&batch, target, error);
	for (unsigned s = 0; s < target->num_sockets && !result; s++) {
		boxes[s] = UINT32_MAX;
		for (unsigned d = 0; d < family->num_domains; d++) {
			const struct uc_domain *domain = &family->domains[d];

			if (domain->scope == UC_SCOPE_SOCKET &&
			    (batch.ops[op++].value & domain->run) !=
				    domain->run)
				boxes[s] &= ~domain->boxes;
		}
	}
	batch_free(&batch);
	return result;
}

/* Every counter that is enabled. */
static int find_runners(struct uncore_target *target, struct runners *runners,
			char **error)
{
	uint32_t *boxes = calloc(target->num_sockets, sizeof(*boxes));
	int result = UNCORE_ERR_NO_MEMORY;

	runners->list = calloc((size_t)family_of(target)->num_registers *
				       target->num_sockets,
			       sizeof(*runners->list));
	if (boxes && runners->list)
		result = read_switches(target, boxes, error);
	for (unsigned s = 0; s < target->num_sockets && !result; s++)
		if (boxes[s])
			result =
				add_socket(target, s, boxes[s], runners, error);
	free(boxes);
	return result;
}

/* Reads all that are enabled: what grew since the last time. */
static int look(struct uncore_target *target, struct runners *runners,
		char **error)
{
	struct session_batch batch = { 0 };
	int result;

	for (size_t i = 0; i < runners->num; i++)
		batch_read(&batch, runners->list[i].socket,
			   runners->list[i].counter);
	result = batch_run(&batch, target, error);
	for (size_t i = 0; i < runners->num && !result; i++) {
		struct running *running = &runners->list[i];

		running->growth = batch.ops[i].value - running->value;
		running->value = batch.ops[i].value;
	}
	batch_free(&batch);
	return result;
}

static const struct running *first_moving(const struct runners *runners)
{
	for (size_t i = 0; i < runners->num; i++)
		if (runners->list[i].growth)
			return &runners->list[i];
	return NULL;
}

static bool stands_still(struct uncore_target *target)
{
	struct uncore_target_status status;

	return !target->ops->is_shared ||
	       (!uncore_target_status(target, &status) && status.is_stepped);
}

static int find_moving(struct uncore_target *target, struct runners *runners,
		       const struct running **moving, char **error)
{
	int result;
	bool is_held = false;

	*moving = NULL;
	result = guard_find(target, &is_held, error);
	if (!result)
		result = look(target, runners, error);
	if (!result && (is_held || stands_still(target)))
		*moving = &runners->list[0];
	for (unsigned i = 0; i < NUM_LOOKS && !*moving && !result; i++) {
		struct timespec pause = { .tv_nsec = (long)look_ms[i] * MS_NS };

		nanosleep(&pause, NULL);
		result = look(target, runners, error);
		*moving = result ? NULL : first_moving(runners);
	}
	return result;
}

/* Saying who */

/* Who may have programmed them. A register does not say who wrote it. What can
 * be known are the processes that have the msr files open, and, for this
 * machine's own registers, those that have events of the kernel open, whose
 * driver then writes for them. Root sees all of them, others their own. An
 * event may be of another PMU, and a file may only be read, hence "perhaps". */

#define KERNEL_PMUS  "/sys/bus/event_source/devices/uncore_*"
#define OPEN_FILES   "/proc/[0-9]*/fd/*"
#define KERNEL_EVENT "anon_inode:[perf_event]"

enum { PATH_BYTES = 512, NUMBER_BYTES = 16, MAX_NAMED = 3 };

struct search {
	char *folder; /* of the msr files */
	bool has_driver;
	struct text text;
	char last[NUMBER_BYTES]; /* process that was named */
	unsigned num_named;
};

static bool has_kernel_pmus(void)
{
	glob_t found;
	bool has_any = !glob(KERNEL_PMUS, GLOB_NOSORT, NULL, &found);

	globfree(&found);
	return has_any;
}

static bool is_msr(const struct search *search, const char *path)
{
	size_t folder = search->folder ? strlen(search->folder) : 0;
	size_t length = strlen(path);

	return folder && !strncmp(path, search->folder, folder) &&
	       path[folder] == '/' && length > 4 &&
	       !strcmp(path + length - 4, "/msr");
}

static void name(struct search *search, const char *process, const char *how)
{
	char *command;

	if (!strcmp(process, search->last) || search->num_named == MAX_NAMED)
		return;
	command = lock_command_of(process);
	text_add(&search->text, "%s by process %s (%s), %s",
		 search->num_named++ ? " or" : "perhaps", process,
		 command ? command : "", how);
	free(command);
	strcpy(search->last, process);
}

/* `file` is /proc/PROCESS/fd/N. */
static void look_at(struct search *search, const char *file)
{
	char process[NUMBER_BYTES] = "", path[PATH_BYTES];
	ssize_t size = readlink(file, path, sizeof(path) - 1);
	const char *number = file + strlen("/proc/");
	size_t digits = strcspn(number, "/");

	if (size <= 0 || digits >= sizeof(process))
		return;
	path[size] = 0;
	memcpy(process, number, digits);
	if (strtol(process, NULL, 10) == (long)getpid())
		return;
	if (search->has_driver && !strcmp(path, KERNEL_EVENT))
		name(search, process, "through the kernel's driver");
	else if (is_msr(search, path))
		name(search, process, "which has the registers open");
}

/* Words such as "perhaps by process 97 (perf stat -a), through the kernel's
 * driver", to be freed; NULL if nobody is known. */
static char *find_holder(const struct uncore_target *target)
{
	const char *origin = uncore_target_origin(target);
	bool is_here = !strchr(origin, ':');
	struct search search = { .has_driver = is_here && has_kernel_pmus() };
	glob_t files;

	search.folder = realpath(target->places[0], NULL);
	if (!glob(OPEN_FILES, GLOB_NOSORT, NULL, &files))
		for (size_t i = 0; i < files.gl_pathc; i++)
			look_at(&search, files.gl_pathv[i]);
	globfree(&files);
	free(search.folder);
	if (!search.num_named && search.has_driver)
		text_add(&search.text,
			 "perhaps by the kernel's driver, through perf");
	return search.num_named || search.has_driver ? text_take(&search.text)
						     : NULL;
}

/* The event of a counter, to be freed, from its control and what else its box
 * holds; NULL if it is none of the guide. */
static char *event_of(struct uncore_target *target,
		      const struct running *running)
{
	const struct uc_family *family = family_of(target);
	struct uncore_write writes[MAX_WRITES];
	char *text = NULL;
	size_t num = 0;

	writes[num++] = (struct uncore_write){
		.address = running->enable.control->address,
		.name = running->enable.control->name,
	};
	for (unsigned i = 0; i < family->num_registers && num < MAX_WRITES;
	     i++) {
		const struct uc_register *reg = &family->registers[i];

		if (reg->box == running->counter->box &&
		    reg->instance == running->counter->instance &&
		    reg->role >= UC_FIRST_SUB_ROLE && reg->role < UC_NUM_ROLES)
			writes[num++] =
				(struct uncore_write){ .address = reg->address,
						       .name = reg->name };
	}
	for (size_t i = 0; i < num; i++)
		uncore_target_read(target, running->socket, writes[i].address,
				   &writes[i].value);
	uncore_event_decode(target->family, writes, num, &text, NULL);
	return text;
}

static int in_use(struct uncore_target *target, const struct runners *runners,
		  const struct running *running, char **error)
{
	const struct uc_box *box =
		&family_of(target)->boxes[running->counter->box];
	char *event = event_of(target, running);
	char *who = find_holder(target);
	char others[64] = "";
	int code;

	if (runners->num > 1)
		snprintf(others, sizeof(others),
			 "; %zu other counter%s enabled", runners->num - 1,
			 runners->num == 2 ? " is" : "s are");
	code = text_error(
		UNCORE_ERR_IN_USE, error,
		"socket %u of '%s' is in use: counter %u of %s %u is enabled "
		"%s%s counts %s%s%s%s; %s; --force takes what is needed all "
		"the same",
		running->socket, uncore_target_origin(target),
		running->counter->index, box->guide_name,
		running->counter->instance, running->growth ? "and moves" : "",
		running->growth ? "; it" : "and", event ? "'" : "",
		event ? event : "no event of the guide", event ? "'" : "",
		others, who ? who : "by whom is not known");
	free(who);
	free(event);
	return code;
}

int neighbour_check(struct uncore_target *target, bool force, bool *is_shared,
		    char **error)
{
	const struct running *moving = NULL;
	struct runners runners = { 0 };
	int result = find_runners(target, &runners, error);

	*is_shared = runners.num;
	if (!result && runners.num && !force)
		result = find_moving(target, &runners, &moving, error);
	if (!result && moving)
		result = in_use(target, &runners, moving, error);
	free(runners.list);
	return result;
}
