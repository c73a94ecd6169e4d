/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The smallest program with libuncore-model: a machine that counts its cycles.
 */
#include <inttypes.h>
#include <stdio.h>
#include <uncore/model.h>

int main(void)
{
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", NULL);
	struct uncore_model *model = uncore_model_new(config, NULL);

	uncore_model_config_free(config);
	uncore_model_run(model, 1000);
	printf("%" PRIu64 "\n", uncore_model_cycle(model));
	uncore_model_free(model);
	return 0;
}
