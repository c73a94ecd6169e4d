/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers that the kernel's PMUs stand behind. They hold what is written to
 * them. What counts follows from them as it would in the processor (control,
 * box and domain enable it) and is handed to the kernel, as the events that
 * these registers describe, at the end of a batch or before a count is read.
 * Whoever else counts has counters of his own there: the kernel sees to that,
 * so there is no lock and nothing to put back.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "access/access.h"
#include "access/perf_unit.h"
#include "base/clock.h"
#include "base/text.h"
#include "perf/map.h"
#include "table/select.h"
#include "uncore/error.h"

struct way {
	const struct uc_family *family;
	struct perf_map map;
	struct perf_pmus own; /* of a family of data/ */
	unsigned num_sockets;
	uint64_t *values;	 /* of each socket, each register */
	uint64_t *bases;	 /* of counters: what they held at count 0 */
	struct perf_unit *units; /* of each socket, each instance of a box */
	size_t num_units;	 /* of a socket */
	size_t *first_unit;	 /* of each box */
	uint64_t batch;		 /* the present one's number */
	bool is_changed;	 /* and not handed over yet */
	char *error;
};

static size_t index_of(const struct way *way, unsigned socket,
		       const struct uc_register *reg)
{
	return (size_t)socket * way->family->num_registers +
	       (size_t)(reg - way->family->registers);
}

static bool is_counter(const struct uc_register *reg)
{
	return reg->role == UC_ROLE_COUNTER ||
	       reg->role == UC_ROLE_FIXED_COUNTER;
}

/* Fixed counters follow the others. */
static unsigned number_of(const struct way *way, const struct uc_register *reg)
{
	return reg->role == UC_ROLE_FIXED_COUNTER
		       ? way->family->boxes[reg->box].num_counters + reg->index
		       : reg->index;
}

static struct perf_unit *unit_of(const struct way *way, unsigned socket,
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

/* What counts */

struct looker {
	const struct way *way;
	unsigned socket, box, instance;
};

static uint64_t value_of(const struct looker *looker, enum uc_role role,
			 unsigned index)
{
	const struct way *way = looker->way;
	const struct uc_register *reg = uc_register_of(
		way->family, looker->box, looker->instance, role, index);

	return reg ? way->values[index_of(way, looker->socket, reg)] : 0;
}

static uint64_t read_value(const void *object, enum uc_role role,
			   unsigned index)
{
	return value_of(object, role, index);
}

/* Whether the field of the register that enables its box has this bit. */
static bool has_bit(const struct looker *looker, const struct uc_register *reg,
		    const char *field, unsigned bit)
{
	const struct uc_field *found = uc_field_find(reg->layout, field);
	uint64_t value =
		looker->way->values[index_of(looker->way, looker->socket, reg)];

	return !found || uc_field_get(found, value) >> bit & 1;
}

/* Whether what governs the box lets it count. */
static bool domain_lets(const struct looker *looker)
{
	const struct uc_family *family = looker->way->family;
	const struct uc_domain *domain = uc_domain_of(family, looker->box);
	const struct uc_register *reg = uc_domain_register(
		family, domain, looker->box, looker->instance);
	uint64_t value, bits;

	if (!reg)
		return true;
	value = looker->way->values[index_of(looker->way, looker->socket, reg)];
	bits = domain->scope == UC_SCOPE_BOX ? domain->run ^ domain->stop
					     : domain->run;
	return (value & bits) == (domain->run & bits);
}

static bool box_lets(const struct looker *looker, unsigned counter,
		     bool is_fixed)
{
	const struct uc_family *family = looker->way->family;
	const struct uc_domain *domain = uc_domain_of(family, looker->box);
	unsigned span = is_fixed ? 0 : family->boxes[looker->box].global_span;
	const struct uc_register *reg =
		uc_register_of(family, looker->box, looker->instance,
			       UC_ROLE_GLOBAL_CTL, span ? counter / span : 0);

	if (!reg || (domain && domain->scope == UC_SCOPE_BOX))
		return true;
	if (is_fixed)
		return has_bit(looker, reg, "fixed_en", 0);
	if (uc_field_find(reg->layout, "ctr_en"))
		return has_bit(looker, reg, "ctr_en",
			       span ? counter % span : counter);
	return has_bit(looker, reg, "en", 0);
}

/* What the registers of a counter ask for; false if it is not to count. */
static bool ask(const struct looker *looker, const struct uc_register *counter,
		struct perf_asked *asked)
{
	const struct uc_family *family = looker->way->family;
	bool is_fixed = counter->role == UC_ROLE_FIXED_COUNTER;
	enum uc_role role = is_fixed ? UC_ROLE_FIXED_CTL : UC_ROLE_CONTROL;
	const struct uc_register *control = uc_register_of(
		family, looker->box, looker->instance, role, counter->index);

	*asked = (struct perf_asked){
		.box = looker->box,
		.counter = counter->index,
		.is_fixed = is_fixed,
	};
	if (!control || !has_bit(looker, control, "en", 0) ||
	    !domain_lets(looker) || !box_lets(looker, counter->index, is_fixed))
		return false;
	asked->view[UC_ROLE_CONTROL] = value_of(looker, role, counter->index);
	if (is_fixed)
		return true;
	asked->route = uc_route_of(
		family, looker->box, counter->index,
		uc_select_code(&family->selects[UC_SELECT_EV_SEL],
			       control->layout, asked->view[UC_ROLE_CONTROL]));
	uc_read_view(family, looker->box, asked->route, read_value, looker,
		     asked->view);
	for (unsigned own = UC_FIRST_SUB_ROLE; own < UC_FIRST_SHARED_ROLE;
	     own++)
		asked->view[own] =
			value_of(looker, (enum uc_role)own, counter->index);
	return true;
}

static int refuse(struct way *way, int code, char *error)
{
	free(way->error);
	way->error = error;
	return code;
}

/* A PMU of a capture or another folder may be counted if this machine has it
 * under the same number. The first numbers are the same everywhere. */
static int check_is_here(struct way *way, const struct perf_pmu *pmu)
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
	return refuse(way, UNCORE_ERR_NO_HARDWARE, error);
}

/* The wishes of all units of a socket. */
struct wishes {
	struct perf_wish list[PERF_MAX_COUNTERS];
	unsigned num;
};

static int add_wish(struct way *way, unsigned socket,
		    const struct uc_register *counter, struct wishes *wishes)
{
	struct looker looker = { way, socket, counter->box, counter->instance };
	const struct perf_unit *unit = unit_of(way, socket, counter);
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
		return refuse(way, code, error);
	}
	code = check_is_here(way, unit->place->pmu);
	if (code)
		return code;
	if (asked.is_fixed && !way->map.boxes[counter->box].has_fixed) {
		code = text_error(UNCORE_ERR_NO_HARDWARE, &error,
				  "the kernel's driver has no event for the "
				  "fixed counter of %s",
				  unit->place->pmu->name);
		return refuse(way, code, error);
	}
	perf_map_words(&way->map, &asked, of->list[of->num].words);
	of->list[of->num++].counter = number_of(way, counter);
	return 0;
}

static int hand_over(struct way *way)
{
	size_t num = way->num_sockets * way->num_units;
	struct wishes *wishes = calloc(num + 1, sizeof(*wishes));
	int code = wishes ? 0 : UNCORE_ERR_NO_MEMORY;
	char *error = NULL;

	for (unsigned s = 0; s < way->num_sockets && !code; s++)
		for (unsigned i = 0; i < way->family->num_registers && !code;
		     i++)
			if (is_counter(&way->family->registers[i]))
				code = add_wish(way, s,
						&way->family->registers[i],
						wishes);
	for (size_t i = 0; i < num && !code; i++) {
		code = perf_unit_count(&way->units[i], wishes[i].list,
				       wishes[i].num, &error);
		if (code)
			refuse(way, code, error);
	}
	free(wishes);
	way->is_changed = code;
	return code;
}

/* The calls of a target */

static int read_one(struct way *way, unsigned socket, uint64_t address,
		    uint64_t *value)
{
	const struct uc_register *reg = uc_register_at(way->family, address);
	struct perf_unit *unit;
	char *error = NULL;
	size_t i;
	int code = 0;

	if (!reg)
		return UNCORE_ERR_GP;
	i = index_of(way, socket, reg);
	*value = way->values[i];
	if (!is_counter(reg))
		return 0;
	if (way->is_changed)
		code = hand_over(way);
	unit = unit_of(way, socket, reg);
	if (code || !unit)
		return code;
	if (unit->read_in != way->batch)
		code = perf_unit_read(unit, &error);
	if (code)
		return refuse(way, code, error);
	unit->read_in = way->batch;
	*value += unit->counts[number_of(way, reg)].value - way->bases[i];
	return 0;
}

static int write_one(struct way *way, unsigned socket, uint64_t address,
		     uint64_t value)
{
	const struct uc_register *reg = uc_register_at(way->family, address);
	uint64_t old;
	size_t i;
	int code;

	if (!reg)
		return UNCORE_ERR_GP;
	i = index_of(way, socket, reg);
	if (is_counter(reg)) {
		code = read_one(way, socket, address, &old);
		if (code)
			return code;
		way->bases[i] += old - way->values[i];
	} else if (way->values[i] != value) {
		way->is_changed = true;
	}
	way->values[i] = value;
	return 0;
}

static int perf_read(void *context, unsigned socket, uint64_t address,
		     uint64_t *value)
{
	struct way *way = context;

	way->batch++;
	return read_one(way, socket, address, value);
}

static int perf_write(void *context, unsigned socket, uint64_t address,
		      uint64_t value)
{
	struct way *way = context;
	int code;

	way->batch++;
	code = write_one(way, socket, address, value);
	return code || !way->is_changed ? code : hand_over(way);
}

static int perf_batch(void *context, struct uncore_target_op *ops, size_t num,
		      uint64_t *cycle)
{
	struct way *way = context;
	size_t since = 0;
	int code = 0;

	(void)cycle;
	way->batch++;
	for (size_t i = 0; i <= num && !code; i++) {
		/* what was written takes effect when it is handed over */
		if (way->is_changed && (i == num || !ops[i].is_write)) {
			code = hand_over(way);
			while (since < i)
				ops[since++].time_ns = clock_now_ns();
			way->batch++;
		}
		if (i == num || code)
			break;
		ops[i].code = ops[i].is_write
				      ? write_one(way, ops[i].socket,
						  ops[i].address, ops[i].value)
				      : read_one(way, ops[i].socket,
						 ops[i].address, &ops[i].value);
		ops[i].time_ns = clock_now_ns();
		since = ops[i].is_write ? since : i + 1;
	}
	return code;
}

static const char *perf_error(void *context)
{
	return ((struct way *)context)->error;
}

static const char *perf_missing(void *context, unsigned socket,
				uint64_t address)
{
	const struct way *way = context;
	const struct uc_register *reg = uc_register_at(way->family, address);
	const struct perf_unit *unit = reg && reg->box != UC_BOX_NONE
					       ? unit_of(way, socket, reg)
					       : NULL;

	if (!reg || reg->role == UC_ROLE_NONE ||
	    (unit && unit->place && unit->place->pmu))
		return NULL;
	return way->map.boxes[reg->box].pmus
		       ? "the kernel has no PMU for it in this socket"
		       : "the kernel's driver has no PMU for this box";
}

static double perf_share(void *context, unsigned socket, uint64_t address)
{
	const struct way *way = context;
	const struct uc_register *reg = uc_register_at(way->family, address);
	const struct perf_unit *unit =
		reg && is_counter(reg) ? unit_of(way, socket, reg) : NULL;

	return unit ? perf_unit_share(unit, number_of(way, reg)) : 1;
}

static void perf_close(void *context)
{
	struct way *way = context;

	for (size_t i = 0; way->units && i < way->num_sockets * way->num_units;
	     i++)
		perf_unit_close(&way->units[i]);
	perf_map_free(&way->map);
	perf_pmus_free(&way->own);
	free(way->units);
	free(way->first_unit);
	free(way->values);
	free(way->bases);
	free(way->error);
	free(way);
}

static const struct access_ops perf_ops = {
	.name = "perf",
	.read = perf_read,
	.write = perf_write,
	.batch = perf_batch,
	.tells_all = true,
	.error = perf_error,
	.missing = perf_missing,
	.share = perf_share,
	.close = perf_close,
};

/* Opening */

static bool make_units(struct way *way)
{
	const struct uc_family *family = way->family;
	size_t num_values = (size_t)way->num_sockets * family->num_registers;

	way->first_unit =
		calloc(family->num_boxes + 1u, sizeof(*way->first_unit));
	for (unsigned b = 0; way->first_unit && b < family->num_boxes; b++) {
		way->first_unit[b] = way->num_units;
		if (way->map.boxes[b].pmus)
			way->num_units += way->map.boxes[b].pmus->num_instances;
	}
	way->units = calloc(way->num_sockets * way->num_units + 1,
			    sizeof(*way->units));
	way->values = calloc(num_values + 1, sizeof(*way->values));
	way->bases = calloc(num_values + 1, sizeof(*way->bases));
	if (!way->first_unit || !way->units || !way->values || !way->bases)
		return false;
	for (unsigned s = 0; s < way->num_sockets; s++)
		for (unsigned b = 0; b < family->num_boxes; b++) {
			const struct perf_box *pmus = way->map.boxes[b].pmus;

			for (unsigned i = 0; pmus && i < pmus->num_instances;
			     i++)
				way->units[s * way->num_units +
					   way->first_unit[b] + i]
					.place = perf_place_of(way->map.pmus,
							       pmus, s, i);
		}
	return true;
}

/* Each event takes a file in each PMU. */
static void allow_files(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) &&
	    limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* The PMUs of this machine for a family of data/, if they are its. */
static const struct perf_pmus *own_pmus(struct way *way, const char *name,
					char **error)
{
	const struct uncore_family *host = uncore_family_of_host();
	const struct uc_family *family =
		host && !strcmp(name, "perf")
			? uc_family_find(uncore_family_name(host))
			: NULL;

	if (!family || perf_pmus_read(&way->own, "/sys", error))
		return NULL;
	if (!perf_map_make(&way->map, family, &way->own))
		return NULL;
	for (unsigned b = 0; b < family->num_boxes; b++)
		if (way->map.boxes[b].pmus) {
			way->family = family;
			return &way->own;
		}
	perf_map_free(&way->map);
	way->map = (struct perf_map){ 0 };
	return NULL;
}

static struct uncore_target *open_way(struct way *way, const char *name,
				      char **error)
{
	const struct perf_pmus *pmus = own_pmus(way, name, NULL);
	struct uncore_target *target;

	if (!pmus) {
		way->family = perf_family_open(name, error);
		pmus = way->family ? perf_family_pmus(way->family) : NULL;
		if (!pmus || !perf_map_make(&way->map, way->family, pmus))
			return NULL;
	}
	way->num_sockets = pmus->num_sockets;
	if (!make_units(way))
		return NULL;
	allow_files();
	target = uc_access_new(&perf_ops, way,
			       (const struct uncore_family *)way->family,
			       way->num_sockets);
	if (target && strcmp(name, "perf"))
		target->origin = strdup(name);
	return target;
}

struct uncore_target *uncore_target_perf(const char *name, char **error)
{
	struct way *way = calloc(1, sizeof(*way));
	struct uncore_target *target;

	if (!way)
		return NULL;
	target = open_way(way, name ? name : "perf", error);
	if (!target)
		perf_close(way);
	return target;
}
