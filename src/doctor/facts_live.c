/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What only the machine itself can tell: whether its registers answer, whether
 * the kernel opens an event, whether clocks move, who else counts. We write
 * nothing: the clocks that are looked at are those that run anyhow.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "access/access.h"
#include "base/text.h"
#include "doctor/facts.h"
#include "doctor/way.h"
#include "session/neighbour.h"
#include "table/enable.h"
#include "table/table.h"
#include "uncore/address.h"
#include "uncore/error.h"

enum { PAUSE_NS = 2000000 };

/* One event of the first PMU, which counts nothing yet. Other refusals than
 * those of rights are about the event. */
static void try_perf(struct facts *facts)
{
	struct perf_event_attr attributes = { .size = sizeof(attributes),
					      .disabled = 1 };
	const struct facts_pmu *pmu = facts->pmus;
	char *type =
		root_text(&facts->root, "/sys/bus/event_source/devices/%s/type",
			  pmu->name);
	int cpu = atoi(pmu->cpumask);
	long file;

	attributes.type = type ? (uint32_t)strtoul(type, NULL, 10) : 0;
	free(type);
	file = syscall(SYS_perf_event_open, &attributes, -1, cpu, -1,
		       PERF_FLAG_FD_CLOEXEC);
	if (file >= 0)
		close((int)file);
	else if (errno == EACCES || errno == EPERM || errno == ENOSYS)
		text_error(0, &facts->perf_refused,
			   "perf_event_open for %s on CPU %d: %s", pmu->name,
			   cpu, strerror(errno));
}

static const struct uc_register *first_msr(const struct uc_family *family)
{
	for (unsigned i = 0; i < family->num_registers; i++)
		if (uncore_address_space(family->registers[i].address) ==
		    UNCORE_SPACE_MSR)
			return &family->registers[i];
	return NULL;
}

/* Whether the processor answers; a hypervisor's may not. */
static void try_register(struct facts *facts, struct uncore_target *target)
{
	const struct uc_register *reg = first_msr(facts->family);
	uint64_t value;
	int code =
		reg ? uncore_target_read(target, 0, reg->address, &value) : 0;
	const char *why = uncore_target_error(target);

	if (code)
		text_error(0, &facts->registers_refused, "reading %s: %s",
			   reg->name, *why ? why : uncore_error_message(code));
}

/* Clocks: registers that count cycles, and run. A fixed counter does if it is
 * enabled; a time stamp always does. */
static bool is_running(struct uncore_target *target, unsigned socket,
		       const struct uc_register *reg)
{
	const struct uc_family *family =
		uc_family_find(uncore_family_name(target->family));
	struct enable enable;
	uint64_t control, box;

	if (access_missing(target, socket, reg->address))
		return false;
	if (reg->role == UC_ROLE_TIMESTAMP)
		return true;
	return reg->role == UC_ROLE_FIXED_COUNTER &&
	       enable_find(family, reg, &enable) &&
	       !uncore_target_read(target, socket, enable.control->address,
				   &control) &&
	       !uncore_target_read(target, socket, enable.box->address, &box) &&
	       control & enable.control_bit &&
	       (box & enable.box_bits) == enable.box_on;
}

static void look_at_clock(struct uncore_target *target, unsigned socket,
			  const struct uc_register *reg, struct text texts[2])
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	uint64_t before, after;
	struct text *text;

	if (uncore_target_read(target, socket, reg->address, &before))
		return;
	nanosleep(&pause, NULL);
	if (uncore_target_read(target, socket, reg->address, &after))
		return;
	text = &texts[before == after];
	text_add(text, "%s%s of socket %u", text->length ? ", " : "", reg->name,
		 socket);
}

static void look_at_clocks(struct facts *facts, struct uncore_target *target)
{
	const struct uc_family *family = facts->family;
	struct text texts[2] = { { 0 }, { 0 } }; /* those that move, and not */

	for (unsigned s = 0; s < uncore_target_sockets(target); s++)
		for (unsigned i = 0; i < family->num_registers; i++)
			if (is_running(target, s, &family->registers[i]))
				look_at_clock(target, s, &family->registers[i],
					      texts);
	facts->clocks = texts[0].length ? text_take(&texts[0]) : NULL;
	facts->dead_clocks = texts[1].length ? text_take(&texts[1]) : NULL;
}

static void look_at_registers(struct facts *facts)
{
	struct uncore_target *target;
	bool is_shared;

	if (!facts->family ||
	    (facts->msr < ROOT_READ && facts->msr_safe < ROOT_READ))
		return;
	target = uncore_target_machine(&facts->registers_refused);
	if (!target)
		return;
	try_register(facts, target);
	if (!facts->registers_refused && !facts->is_quick) {
		neighbour_check(target, false, &is_shared, &facts->neighbour);
		look_at_clocks(facts, target);
	}
	uncore_target_free(target);
}

/* With an event the kernel's driver enables the box, and leaves it so: where
 * the registers are ours to use, nobody touches them through perf. */
void facts_live(struct facts *facts)
{
	char *closed;

	look_at_registers(facts);
	closed = way_closed(facts, UNCORE_WAY_REGISTERS);
	if (facts->num_pmus && closed)
		try_perf(facts);
	free(closed);
}
