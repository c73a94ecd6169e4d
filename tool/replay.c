/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "target.h"

#include <stddef.h>

#include "machine.h"
#include "tool.h"
#include "uncore/error.h"
#include "uncore/guest.h"
#include "uncore/model.h"

/* The recorded parameters first, then those of the user. */
static int make_model(const struct uncore_replay *replay,
		      const struct machine_settings *machine,
		      struct uncore_model **model)
{
	const char *setting;
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new(uncore_replay_machine(replay), &error);
	int code = 0, status;

	if (!config)
		return tool_fail_with(UNCORE_ERR_UNKNOWN_FAMILY, error);
	for (size_t i = 0;
	     !code && (setting = uncore_replay_setting(replay, i)); i++)
		code = uncore_model_config_set(config, setting, &error);
	status = code ? tool_fail_with(code, error)
		      : machine_apply(machine, config);
	if (!status)
		return machine_make(machine, &(struct machine_how){ 0 }, config,
				    model);
	uncore_model_config_free(config);
	return status;
}

/* Runs what comes before the region that is wanted. */
static int skip(struct uncore_replay *replay, const char *region)
{
	unsigned num = uncore_replay_regions(replay);
	unsigned long long wanted;

	if (!num)
		return tool_fail(TOOL_USAGE, "the recording is empty: no "
					     "program in the guest marked a "
					     "region");
	if (!region)
		return TOOL_OK;
	if (!tool_number("number of the region", region, &wanted))
		return TOOL_USAGE;
	if (!wanted || wanted > num)
		return tool_fail(TOOL_USAGE,
				 "--region=%s: the recording has the regions "
				 "1 to %u",
				 region, num);
	while (--wanted)
		uncore_replay_region(replay, NULL);
	return TOOL_OK;
}

int replay_open(const char *path, const char *region,
		const struct machine_settings *machine,
		struct uncore_model **model, struct uncore_replay **replay)
{
	char *error = NULL;
	int code, status;

	if (machine->machine || machine->sockets)
		return tool_fail(TOOL_USAGE,
				 "the recording says which machine it is; only "
				 "--set goes with --replay");
	code = uncore_replay_open(path, replay, &error);
	if (code)
		return tool_fail_with(code, error);
	status = make_model(*replay, machine, model);
	if (status)
		return status;
	code = uncore_replay_attach(*replay, *model, &error);
	return code ? tool_fail_with(code, error) : skip(*replay, region);
}

void replay_run(struct uncore_replay *replay, const char *region,
		const volatile int *stop)
{
	while (uncore_replay_region(replay, stop) && !region && !*stop)
		;
}
