/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What registers ask the kernel to count.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/perf_way.h"
#include "base/text.h"
#include "table/select.h"
#include "uncore/error.h"

size_t perf_index(const struct perf_way *way, unsigned socket,
		  const struct uc_register *reg)
{
	return (size_t)socket * way->family->num_registers +
	       (size_t)(reg - way->family->registers);
}

unsigned perf_number(const struct perf_way *way, const struct uc_register *reg)
{
	return reg->role == UC_ROLE_FIXED_COUNTER
		       ? way->family->boxes[reg->box].num_counters + reg->index
		       : reg->index;
}

struct perf_unit *perf_unit_of(const struct perf_way *way, unsigned socket,
			       const struct uc_register *reg)
{
	const struct perf_box *pmus = way->map.boxes[reg->box].pmus;
	unsigned instance = perf_map_instance(&way->map, reg->box,
					      reg->instance, reg->index);

	if (!pmus || instance >= pmus->num_instances)
		return NULL;
	return &way->units[socket * way->num_units + way->first_unit[reg->box] +
			   instance];
}

bool perf_find_enables(struct perf_way *way)
{
	const struct uc_family *family = way->family;

	way->enables =
		calloc(family->num_registers + 1u, sizeof(*way->enables));
	for (unsigned i = 0; way->enables && i < family->num_registers; i++)
		if (enable_is_counter(&family->registers[i]) &&
		    !enable_find(family, &family->registers[i],
				 &way->enables[i]))
			way->enables[i].control = NULL;
	return way->enables;
}

/* What counts */

struct looker {
	const struct perf_way *way;
	unsigned socket, box, instance;
};

static uint64_t value_at(const struct looker *looker,
			 const struct uc_register *reg)
{
	return looker->way
		->values[perf_index(looker->way, looker->socket, reg)];
}

static uint64_t value_of(const void *object, enum uc_role role, unsigned index)
{
	const struct looker *looker = object;
	const struct uc_register *reg =
		uc_register_of(looker->way->family, looker->box,
			       looker->instance, role, index);

	return reg ? value_at(looker, reg) : 0;
}

/* Whether control, box and what switches all of its domain let it count. */
static bool is_on(const struct looker *looker, const struct enable *enable)
{
	const struct uc_family *family = looker->way->family;
	const struct uc_domain *domain = uc_domain_of(family, looker->box);

	if (!enable->control ||
	    !(value_at(looker, enable->control) & enable->control_bit) ||
	    (value_at(looker, enable->box) & enable->box_bits) !=
		    enable->box_on)
		return false;
	return !domain || domain->scope != UC_SCOPE_SOCKET ||
	       !(~value_at(looker, &family->registers[domain->reg]) &
		 domain->run);
}

/* What the registers of a counter ask for; false if it is not to count. */
static bool ask(const struct looker *looker, const struct uc_register *counter,
		struct perf_asked *asked)
{
	const struct uc_family *family = looker->way->family;
	const struct enable *enable =
		&looker->way->enables[counter - family->registers];

	*asked = (struct perf_asked){
		.box = looker->box,
		.counter = counter->index,
		.is_fixed = counter->role == UC_ROLE_FIXED_COUNTER,
	};
	if (!is_on(looker, enable))
		return false;
	asked->view[UC_ROLE_CONTROL] = value_at(looker, enable->control);
	if (asked->is_fixed)
		return true;
	asked->route =
		uc_route_of(family, looker->box, counter->index,
			    uc_select_code(&family->selects[UC_SELECT_EV_SEL],
					   enable->control->layout,
					   asked->view[UC_ROLE_CONTROL]));
	uc_read_view(family, looker->box, asked->route, value_of, looker,
		     asked->view);
	for (unsigned own = UC_FIRST_SUB_ROLE; own < UC_FIRST_SHARED_ROLE;
	     own++)
		asked->view[own] =
			value_of(looker, (enum uc_role)own, counter->index);
	return true;
}

int perf_refuse(struct perf_way *way, int code, char *error)
{
	free(way->error);
	way->error = error;
	return code;
}

/* A PMU of a capture or another folder may be counted if this machine has it
 * under the same number. The first numbers are the same everywhere. */
static int check_is_here(struct perf_way *way, const struct perf_pmu *pmu)
{
	char path[128], text[16] = "";
	char *error = NULL;
	FILE *file;

	if (pmu->type < PERF_TYPE_MAX)
		return 0;
	snprintf(path, sizeof(path), "/sys/" PERF_DEVICES "/%.64s/type",
		 pmu->name);
	file = fopen(path, "re");
	if (file && !fgets(text, sizeof(text), file))
		text[0] = '\0';
	if (file)
		fclose(file);
	if (*text && strtoul(text, NULL, 0) == pmu->type)
		return 0;
	text_error(
		0, &error,
		"%s is not a PMU of this machine: of a capture events can be "
		"listed, explained and encoded, and only where it was made "
		"they can be counted",
		pmu->name);
	return perf_refuse(way, UNCORE_ERR_NO_HARDWARE, error);
}

/* The wishes of all units of a socket. */
struct wishes {
	struct perf_wish list[PERF_MAX_COUNTERS];
	unsigned num;
};

static int add_wish(struct perf_way *way, unsigned socket,
		    const struct uc_register *counter, struct wishes *wishes)
{
	struct looker looker = { way, socket, counter->box, counter->instance };
	const struct perf_unit *unit = perf_unit_of(way, socket, counter);
	struct wishes *of = &wishes[unit ? unit - way->units : 0];
	struct perf_asked asked;
	char *error = NULL;
	int code;

	if (!ask(&looker, counter, &asked))
		return 0;
	if (!unit || !unit->place->pmu) {
		code = text_error(UNCORE_ERR_NO_HARDWARE, &error,
				  "the kernel has no PMU for %s of socket %u",
				  counter->name, socket);
		return perf_refuse(way, code, error);
	}
	/* once: what was counted there is there */
	code = unit->num_sets ? 0 : check_is_here(way, unit->place->pmu);
	if (code)
		return code;
	if (asked.is_fixed && !way->map.boxes[counter->box].has_fixed) {
		code = text_error(UNCORE_ERR_NO_HARDWARE, &error,
				  "the kernel's driver has no event for the "
				  "fixed counter of %s",
				  unit->place->pmu->name);
		return perf_refuse(way, code, error);
	}
	perf_map_words(&way->map, &asked, of->list[of->num].words);
	of->list[of->num++].counter = perf_number(way, counter);
	return 0;
}

int perf_hand_over(struct perf_way *way)
{
	size_t num = way->num_sockets * way->num_units;
	struct wishes *wishes = calloc(num + 1, sizeof(*wishes));
	int code = wishes ? 0 : UNCORE_ERR_NO_MEMORY;
	char *error = NULL;

	for (unsigned s = 0; s < way->num_sockets && !code; s++)
		for (unsigned i = 0; i < way->family->num_registers && !code;
		     i++)
			if (enable_is_counter(&way->family->registers[i]))
				code = add_wish(way, s,
						&way->family->registers[i],
						wishes);
	for (size_t i = 0; i < num && !code; i++) {
		code = perf_unit_count(&way->units[i], wishes[i].list,
				       wishes[i].num, &error);
		if (code)
			perf_refuse(way, code, error);
	}
	free(wishes);
	way->is_changed = code;
	return code;
}
