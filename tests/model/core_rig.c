/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See core_rig.h.
 */
#include "core_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "uncore/error.h"

static uint8_t kind_of(const struct rig_traffic *traffic, unsigned left)
{
	if (traffic->is_computed)
		return UNCORE_ACCESS_NONE;
	if (!traffic->is_written)
		return UNCORE_ACCESS_READ;
	return left % 2 ? UNCORE_ACCESS_OWN : UNCORE_ACCESS_WRITEBACK;
}

static int next_access(void *context, unsigned core,
		       struct uncore_access *access)
{
	struct rig_traffic *traffic = context;

	if (!traffic->left[core])
		return 0;
	if (traffic->is_paused)
		return -1;
	traffic->left[core]--;
	*access = (struct uncore_access){
		.line = traffic->line,
		.gap = GAP,
		.cycles = traffic->cycles << UNCORE_CYCLES_SHIFT,
		.kind = kind_of(traffic, traffic->left[core]),
		.depends = traffic->is_chain,
	};
	traffic->line += access->kind != UNCORE_ACCESS_OWN;
	return 1;
}

static void keep_log(void *context, const char *text)
{
	struct rig *rig = context;
	size_t length = strlen(rig->log);

	snprintf(rig->log + length, sizeof(rig->log) - length, "%s\n", text);
}

const char *rig_machine = "xeon-e7";

void rig_set_up(struct rig *rig)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new(rig_machine, &error);

	memset(rig, 0, sizeof(*rig));
	assert_non_null(config);
	uncore_model_config_log(config, keep_log, rig);
	rig->model = uncore_model_new(config, &error);
	if (!rig->model)
		fail_msg("%s", error);
	uncore_model_config_free(config);
}

void rig_start(struct rig *rig)
{
	struct uncore_traffic traffic = {
		.context = &rig->traffic,
		.next = next_access,
	};

	uncore_model_set_traffic(rig->model, &traffic);
}

uint64_t rig_get(struct rig *rig, unsigned cpu, uint32_t address)
{
	uint64_t value = 0;
	int result = uncore_model_cpu_read(rig->model, cpu, address, &value);

	if (result)
		fail_msg("read of 0x%x on CPU %u: %d", address, cpu, result);
	return value;
}

void rig_put(struct rig *rig, unsigned cpu, uint32_t address, uint64_t value)
{
	int result = uncore_model_cpu_write(rig->model, cpu, address, value);

	if (result)
		fail_msg("write of 0x%llx to 0x%x on CPU %u: %d: %s",
			 (unsigned long long)value, address, cpu, result,
			 rig->log);
}

void rig_refuse(struct rig *rig, uint32_t address, uint64_t value)
{
	if (uncore_model_cpu_write(rig->model, 0, address, value) !=
	    UNCORE_ERR_GP)
		fail_msg("0x%llx goes into 0x%x", (unsigned long long)value,
			 address);
}

void rig_finish(struct rig *rig)
{
	assert_true(uncore_model_finish(rig->model, UINT64_C(100000000), NULL));
}

/* 2400 MHz beside 2666.67 MHz. */
uint64_t rig_tsc_of(uint64_t cycles)
{
	return cycles * 2400000 / 2666670;
}
