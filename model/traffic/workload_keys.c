/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Reads the keys of a part of a workload, "key=value,...".
 */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/setting.h"
#include "base/text.h"
#include "model/model.h"
#include "model/traffic/workload_parts.h"

static bool parse_number(const char *text, uint64_t *value)
{
	static const char suffixes[] = "kmgt";
	char *end;
	const char *found;

	if (!isdigit((unsigned char)*text))
		return false;
	*value = strtoull(text, &end, 0);
	if (!*end)
		return true;
	found = strchr(suffixes, tolower((unsigned char)*end));
	if (!found || end[1])
		return false;
	*value <<= 10 * (found - suffixes + 1);
	return true;
}

static char *set_op(struct part *part, const char *value)
{
	const char *const *ops = part->pattern->ops;
	char names[128] = "";

	if (!ops)
		return text_format("op=%s: %s has no op", value,
				   part->pattern->name);
	for (unsigned i = 0; ops[i]; i++) {
		if (!strcasecmp(value, ops[i])) {
			part->op = i;
			return NULL;
		}
		if (i)
			strcat(names, ops[i + 1] ? ", " : " or ");
		strcat(names, ops[i]);
	}
	return text_format("op=%s: it is %s", value, names);
}

static char *set_place(struct part *part, const char *value)
{
	part->scatter = !strcasecmp(value, "scatter");
	if (part->scatter || !strcasecmp(value, "compact"))
		return NULL;
	return text_format("place=%s: it is compact or scatter", value);
}

static bool parse_node(const char *text, const char *name, unsigned num,
		       unsigned *number)
{
	size_t length = strlen(name);
	uint64_t value;

	if (strncasecmp(text, name, length) ||
	    !parse_number(text + length, &value) || value >= num)
		return false;
	*number = (unsigned)value;
	return true;
}

static char *set_target(struct part *part, const char *value)
{
	const struct workload *w = part->workload;
	unsigned number;

	if (parse_node(value, "hub", w->num_hubs, &number))
		part->target = UNCORE_IO_HUB(number);
	else if (parse_node(value, "socket", w->num_sockets, &number))
		part->target = UNCORE_IO_SOCKET(number);
	else if (parse_node(value, "", w->num_cores, &number))
		part->target = (int32_t)number;
	else
		return text_format(
			"target=%s: it is hubN (the machine has %u), "
			"socketN (%u) or the number of a CPU (%u)",
			value, w->num_hubs, w->num_sockets, w->num_cores);
	return NULL;
}

/* S.P, a part of a stack. */
static char *set_port(const struct part *part, const char *name,
		      const char *value, uint16_t *port)
{
	unsigned num = part->workload->num_stacks;
	unsigned stack, of_stack;
	const char *dot = strchr(value, '.');
	char first[16] = "";

	if (!num)
		return text_format("%s=%s: devices of this machine have no "
				   "ports to choose",
				   name, value);
	if (dot && (size_t)(dot - value) < sizeof(first))
		memcpy(first, value, (size_t)(dot - value));
	if (!dot || !parse_node(first, "", num, &stack) ||
	    !parse_node(dot + 1, "", UNCORE_IO_PARTS, &of_stack))
		return text_format("%s=%s: it is STACK.PART, 0.0 to %u.%u",
				   name, value, num - 1, UNCORE_IO_PARTS - 1);
	*port = UNCORE_IO_PEER(stack, of_stack);
	return NULL;
}

enum key_kind { KEY_64, KEY_32, KEY_BOOL };

/* Keys with a number; `max` is what larger ones become. */
static const struct key {
	const char *name;
	size_t offset;
	enum key_kind kind;
	uint64_t max;
} keys[] = {
	{ "threads", offsetof(struct part, num_threads), KEY_32, 100000 },
	{ "size", offsetof(struct part, size_bytes), KEY_64, UINT64_MAX },
	{ "count", offsetof(struct part, count), KEY_64, UINT64_MAX / 4 },
	{ "passes", offsetof(struct part, passes), KEY_64, UINT64_MAX },
	{ "seed", offsetof(struct part, seed), KEY_64, UINT64_MAX },
	{ "stride", offsetof(struct part, stride_bytes), KEY_64, UINT64_MAX },
	{ "gap", offsetof(struct part, gap), KEY_32, 1000000 },
	{ "write", offsetof(struct part, write_percent), KEY_32, 1000 },
	{ "shared", offsetof(struct part, is_shared), KEY_BOOL, UINT64_MAX },
	{ "node", offsetof(struct part, node), KEY_32, 1000 },
	{ "hub", offsetof(struct part, hub), KEY_32, 1000 },
	{ "cpu", offsetof(struct part, cpu), KEY_32, 1000 },
	{ "offset", offsetof(struct part, offset_bytes), KEY_64,
	  UINT64_C(1) << 60 },
};

static void store(struct part *part, const struct key *key, uint64_t number)
{
	char *where = (char *)part + key->offset;
	uint32_t small;
	bool flag = number != 0;

	if (number > key->max)
		number = key->max;
	small = (uint32_t)number;
	if (key->kind == KEY_BOOL)
		memcpy(where, &flag, sizeof(flag));
	else if (key->kind == KEY_32)
		memcpy(where, &small, sizeof(small));
	else
		memcpy(where, &number, sizeof(number));
}

static char *set_number(struct part *part, const char *name, const char *value)
{
	uint64_t number;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcasecmp(name, keys[i].name))
			continue;
		if (!parse_number(value, &number))
			return text_format("%s=%s: not a number (64, 4k, 64M, "
					   "1G)",
					   name, value);
		store(part, &keys[i], number);
		part->has_count |= !strcasecmp(name, "count");
		return NULL;
	}
	return text_format("there is no key '%s'; there are threads, size, "
			   "count, passes, seed, stride, gap, write, shared, "
			   "op, node, cpu, hub, port, to, target, offset "
			   "and place",
			   name);
}

static char *set_key(struct part *part, const char *name, const char *value)
{
	if (!strcasecmp(name, "op"))
		return set_op(part, value);
	if (!strcasecmp(name, "place"))
		return set_place(part, value);
	if (!strcasecmp(name, "target"))
		return set_target(part, value);
	if (!strcasecmp(name, "port"))
		return set_port(part, name, value, &part->port);
	if (!strcasecmp(name, "to"))
		return set_port(part, name, value, &part->peer);
	return set_number(part, name, value);
}

char *workload_keys(struct part *part, char *text)
{
	struct setting setting;
	char *problem = NULL;

	while (!problem && setting_next(&text, &setting))
		problem = setting.value
				  ? set_key(part, setting.name, setting.value)
				  : text_format("'%s' is no key=value",
						setting.name);
	return problem;
}
