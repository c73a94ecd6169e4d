/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The plan of faults and its text. Whether a fault strikes is drawn from a hash
 * of seed, socket, fault and number of the opportunity: no state but the
 * number, so it repeats whatever else happens in the machine.
 */
#include "model/fault/fault.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/random.h"
#include "base/setting.h"
#include "base/text.h"

static const struct {
	const char *name, *help;
} faults[FAULT_NUM] = {
	[FAULT_SMI_CRC] = { "smi-crc",
			    "a frame on an SMI link arrives damaged: the link "
			    "is reset and its command given again" },
	[FAULT_ECC] = { "ecc",
			"a read of memory is wrong, and right when it is done "
			"again" },
	[FAULT_ECC_FATAL] = { "ecc-uncorrectable",
			      "a read of memory stays wrong when it is done "
			      "again: the line is poisoned" },
	[FAULT_ADDRESS_PARITY] = { "address-parity",
				   "a DIMM finds the parity of a command's "
				   "address wrong: it is given again" },
	[FAULT_QPI_CRC] = { "qpi-crc",
			    "a flit on a QPI link between sockets arrives "
			    "damaged and is sent again" },
	[FAULT_POISON] = { "poison",
			   "a cache writes back a line that is known to be "
			   "bad" },
	[FAULT_SPARING] = { "sparing",
			    "a rank fails too often: its lines are copied to "
			    "the spare rank" },
	[FAULT_PBOX_RESET] = { "pbox-reset",
			       "the physical layer of a link is initialised "
			       "again" },
	[FAULT_HEAT] = { "heat",
			 "a pair of DIMMs becomes hot and cools down again" },
	[FAULT_PROCHOT] = { "prochot",
			    "the package is told from outside (FORCEPR) to "
			    "slow down for a while" },
	[FAULT_MC_RECOVERABLE] = { "mc-recoverable",
				   "a core reports a recoverable error" },
	[FAULT_MC_CORRECTED] = { "mc-corrected",
				 "a core reports a corrected error" },
	[FAULT_MC_UNCORRECTED] = { "mc-uncorrected",
				   "a core reports an uncorrected error" },
	[FAULT_MC_FATAL] = { "mc-fatal",
			     "a core reports a fatal error: its socket gets a "
			     "Shutdown cycle" },
};

void fault_plan_init(struct fault_plan *plan, uint64_t seed)
{
	memset(plan, 0, sizeof(*plan));
	plan->seed = seed;
}

bool fault_describe(size_t index, const char **name, const char **help)
{
	if (index >= FAULT_NUM)
		return false;
	*name = faults[index].name;
	*help = faults[index].help;
	return true;
}

/* Text */

static char *say_unknown(const char *name)
{
	char all[512];
	size_t length = 0;

	for (int i = 0; i < FAULT_NUM; i++)
		length +=
			(size_t)snprintf(all + length, sizeof(all) - length,
					 "%s%s", i ? ", " : "", faults[i].name);
	return text_format("there is no fault '%s' to inject; there are %s",
			   name, all);
}

/* One "key=value" of a fault; NULL or a sentence. */
static char *set_key(struct fault_plan *plan, int fault, const char *key,
		     const char *value)
{
	unsigned long long number;
	char *end;

	if (!strcasecmp(key, "rate")) {
		double rate = strtod(value, &end);

		if (end == value || *end || !(rate > 0 && rate <= 1))
			return text_format(
				"rate is a probability above 0 and up to 1, "
				"not '%s'",
				value);
		plan->rate[fault] = rate;
		return NULL;
	}
	errno = 0;
	number = strtoull(value, &end, 0);
	if (!isdigit((unsigned char)*value) || *end || errno)
		return text_format(
			"%s of an injected fault is a number, not '%s'", key,
			value);
	if (!strcasecmp(key, "at"))
		plan->first[fault] = number;
	else if (!strcasecmp(key, "count") && number)
		plan->count[fault] = number;
	else if (!strcasecmp(key, "socket") && number < 8)
		plan->socket[fault] = (int)number;
	else if (!strcasecmp(key, "box") && number < 16)
		plan->box[fault] = (int)number;
	else if (!strcasecmp(key, "count"))
		return text_format(
			"count=0: what never happens need not be injected");
	else if (!strcasecmp(key, "socket") || !strcasecmp(key, "box"))
		return text_format("there is no %s %llu to inject '%s' into",
				   key, number, faults[fault].name);
	else
		return text_format(
			"an injected fault has rate=, at=, count=, socket= "
			"and box=, not '%s'",
			key);
	return NULL;
}

static char *set_keys(struct fault_plan *plan, int fault, char *text)
{
	struct setting setting;
	char *error = NULL;

	while (!error && setting_next(&text, &setting))
		error = setting.value
				? set_key(plan, fault, setting.name,
					  setting.value)
				: text_format("'%s' is no setting of a fault; "
					      "write KEY=VALUE",
					      setting.name);
	return error;
}

static int find(const char *name)
{
	for (int i = 0; i < FAULT_NUM; i++)
		if (!strcasecmp(faults[i].name, name))
			return i;
	return -1;
}

char *fault_plan_add(struct fault_plan *plan, const char *spec)
{
	char *text = strdup(spec), *keys, *error = NULL;
	int fault;

	if (!text)
		return text_format("out of memory");
	keys = text + strcspn(text, ":");
	if (*keys)
		*keys++ = '\0';
	fault = find(text);
	if (fault < 0) {
		error = say_unknown(text);
		free(text);
		return error;
	}
	plan->rate[fault] = 0;
	plan->first[fault] = plan->count[fault] = 0;
	plan->socket[fault] = plan->box[fault] = -1;
	error = set_keys(plan, fault, keys);
	free(text);
	if (error)
		return error;
	if (plan->rate[fault] == 0) {
		plan->rate[fault] = 1;
		if (!plan->count[fault])
			plan->count[fault] = 1;
	}
	if (!plan->count[fault])
		plan->count[fault] = UINT64_MAX;
	plan->is_active |= UINT32_C(1) << fault;
	return NULL;
}

/* Places */

static bool has_box(const struct fault_place *place, int box,
		    const double *param)
{
	if (place->param)
		return box < param[place->param];
	return place->boxes >> box & 1;
}

static char *say_no_such(const struct fault_place *places, int fault)
{
	char all[512] = "";
	size_t length = 0;

	for (int i = 0; i < FAULT_NUM; i++)
		if (places[i].name)
			length += (size_t)snprintf(
				all + length, sizeof(all) - length, "%s%s",
				length ? ", " : "", faults[i].name);
	return text_format(
		"this machine cannot have the fault '%s'; it can have %s",
		faults[fault].name, all);
}

/* Whether the machine can have the fault where it was asked for. */
static char *check_place(const struct fault_plan *plan, int fault,
			 const struct fault_place *place, unsigned sockets,
			 const double *param)
{
	if (plan->socket[fault] >= (int)sockets)
		return text_format(
			"there is no socket %d to inject '%s' into: the "
			"machine has %u",
			plan->socket[fault], faults[fault].name, sockets);
	if (plan->box[fault] >= 0 && !has_box(place, plan->box[fault], param))
		return text_format(
			"there is no box %d to inject '%s' into: box= is %s",
			plan->box[fault], faults[fault].name, place->name);
	return NULL;
}

char *fault_plan_check(const struct fault_plan *plan,
		       const struct fault_place places[FAULT_NUM],
		       unsigned sockets, const double *param)
{
	char *error = NULL;

	for (int i = 0; !error && i < FAULT_NUM; i++)
		if (plan->is_active >> i & 1)
			error = places[i].name
					? check_place(plan, i, &places[i],
						      sockets, param)
					: say_no_such(places, i);
	return error;
}

/* Opportunities */

static bool is_drawn(const struct faults *state, enum fault fault)
{
	const struct fault_plan *plan = state->plan;
	uint64_t draw = random_at(plan->seed,
				  state->opportunities[fault] << 12 ^
					  (uint64_t)fault << 4 ^ state->socket);

	return ldexp((double)(draw >> 11), -53) < plan->rate[fault];
}

bool fault_draw(struct faults *state, enum fault fault, unsigned box,
		uint64_t cycle)
{
	const struct fault_plan *plan = state->plan;

	if (cycle < plan->first[fault] ||
	    state->drawn[fault] >= plan->count[fault] ||
	    (plan->socket[fault] >= 0 &&
	     plan->socket[fault] != (int)state->socket) ||
	    (plan->box[fault] >= 0 && plan->box[fault] != (int)box))
		return false;
	state->opportunities[fault]++;
	if (!is_drawn(state, fault))
		return false;
	state->drawn[fault]++;
	return true;
}

static void count(void *object, uint64_t fault)
{
	struct faults *state = object;

	state->injected[fault]++;
}

void fault_count(struct faults *state, enum fault fault, uint64_t cycle)
{
	if (state->sim && cycle > sim_now(state->sim))
		sim_at(state->sim, cycle, count, state, fault);
	else
		count(state, fault);
}
