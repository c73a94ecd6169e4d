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
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "access/access.h"
#include "access/perf_way.h"
#include "base/clock.h"
#include "uncore/error.h"

/* The calls of a target */

static int read_one(struct perf_way *way, unsigned socket,
		    const struct uc_register *reg, uint64_t *value)
{
	size_t i = perf_index(way, socket, reg);
	struct perf_unit *unit;
	char *error = NULL;
	int code = 0;

	*value = way->values[i];
	if (!enable_is_counter(reg))
		return 0;
	if (way->is_changed)
		code = perf_hand_over(way);
	unit = perf_unit_of(way, socket, reg);
	if (code || !unit)
		return code;
	if (unit->read_in != way->batch)
		code = perf_unit_read(unit, &error);
	if (code)
		return perf_refuse(way, code, error);
	unit->read_in = way->batch;
	*value += unit->counts[perf_number(way, reg)].value - way->bases[i];
	return 0;
}

static int write_one(struct perf_way *way, unsigned socket,
		     const struct uc_register *reg, uint64_t value)
{
	size_t i = perf_index(way, socket, reg);
	uint64_t old;
	int code;

	if (enable_is_counter(reg)) {
		code = read_one(way, socket, reg, &old);
		if (code)
			return code;
		way->bases[i] += old - way->values[i];
	} else if (way->values[i] != value) {
		way->is_changed = true;
	}
	way->values[i] = value;
	return 0;
}

static int do_one(struct perf_way *way, struct uncore_target_op *op)
{
	const struct uc_register *reg =
		uc_register_at(way->family, op->address);

	if (!reg)
		return UNCORE_ERR_GP;
	return op->is_write ? write_one(way, op->socket, reg, op->value)
			    : read_one(way, op->socket, reg, &op->value);
}

static int perf_read(void *context, unsigned socket, uint64_t address,
		     uint64_t *value)
{
	struct uncore_target_op op = { .socket = socket, .address = address };
	struct perf_way *way = context;
	int code;

	way->batch++;
	code = do_one(way, &op);
	*value = op.value;
	return code;
}

static int perf_write(void *context, unsigned socket, uint64_t address,
		      uint64_t value)
{
	struct uncore_target_op op = { .socket = socket,
				       .address = address,
				       .is_write = true,
				       .value = value };
	struct perf_way *way = context;
	int code;

	way->batch++;
	code = do_one(way, &op);
	return code || !way->is_changed ? code : perf_hand_over(way);
}

static int perf_batch(void *context, struct uncore_target_op *ops, size_t num,
		      uint64_t *cycle)
{
	struct perf_way *way = context;
	size_t since = 0;
	int code = 0;

	(void)cycle;
	way->batch++;
	for (size_t i = 0; i <= num && !code; i++) {
		/* what was written takes effect when it is handed over */
		if (way->is_changed && (i == num || !ops[i].is_write)) {
			code = perf_hand_over(way);
			while (since < i)
				ops[since++].time_ns = clock_now_ns();
			way->batch++;
		}
		if (i == num || code)
			break;
		ops[i].code = do_one(way, &ops[i]);
		ops[i].time_ns = clock_now_ns();
		since = ops[i].is_write ? since : i + 1;
	}
	return code;
}

static const char *perf_error(void *context)
{
	return ((struct perf_way *)context)->error;
}

static const char *perf_missing(void *context, unsigned socket,
				uint64_t address)
{
	const struct perf_way *way = context;
	const struct uc_register *reg = uc_register_at(way->family, address);
	const struct perf_unit *unit = reg && reg->box != UC_BOX_NONE
					       ? perf_unit_of(way, socket, reg)
					       : NULL;

	if (!reg || reg->role == UC_ROLE_NONE ||
	    (unit && unit->place && unit->place->pmu))
		return NULL;
	return way->map.boxes[reg->box].pmus
		       ? "the kernel has no PMU for it in this socket"
		       : "the kernel's driver has no PMU for this box";
}

/* The kernel makes a PMU of each instance that the processor has. */
static bool perf_absent(void *context, unsigned socket, uint64_t address)
{
	const struct perf_way *way = context;
	const struct uc_register *reg = uc_register_at(way->family, address);

	return reg && reg->box != UC_BOX_NONE &&
	       way->map.boxes[reg->box].pmus &&
	       perf_missing(context, socket, address);
}

static double perf_share(void *context, unsigned socket, uint64_t address)
{
	const struct perf_way *way = context;
	const struct uc_register *reg = uc_register_at(way->family, address);
	const struct perf_unit *unit = reg && enable_is_counter(reg)
					       ? perf_unit_of(way, socket, reg)
					       : NULL;

	return unit ? perf_unit_share(unit, perf_number(way, reg)) : 1;
}

static void perf_close(void *context)
{
	struct perf_way *way = context;

	for (size_t i = 0; way->units && i < way->num_sockets * way->num_units;
	     i++)
		perf_unit_close(&way->units[i]);
	perf_map_free(&way->map);
	perf_pmus_free(&way->own);
	free(way->units);
	free(way->first_unit);
	free(way->enables);
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
	.absent = perf_absent,
	.share = perf_share,
	.close = perf_close,
};

/* Opening */

static bool make_units(struct perf_way *way)
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
	if (!way->first_unit || !way->units || !way->values || !way->bases ||
	    !perf_find_enables(way))
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
static const struct perf_pmus *own_pmus(struct perf_way *way, const char *name,
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

static struct uncore_target *open_way(struct perf_way *way, const char *name,
				      char **error)
{
	const struct perf_pmus *pmus = own_pmus(way, name, NULL);
	struct uncore_target *target;

	if (!pmus) {
		way->family = perf_family_try(name, error);
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
	struct perf_way *way = calloc(1, sizeof(*way));
	struct uncore_target *target;

	if (!way)
		return NULL;
	target = open_way(way, name ? name : "perf", error);
	if (!target)
		perf_close(way);
	return target;
}
