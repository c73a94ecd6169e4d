/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The register files of a library that was built without FUSE: there are none,
 * and who asks for them is told so. The functions are there all the same, so
 * that the library is one, however it was built.
 */
#include "base/text.h"
#include "uncore/error.h"
#include "uncore/live.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

int uncore_regfs_new(struct uncore_live *live,
		     const struct uncore_regfs_config *config,
		     struct uncore_regfs **fs, char **error)
{
	*fs = NULL;
	return text_error(UNCORE_ERR_NO_HELPER, error,
			  "uncore was built without FUSE (-Dfuse), so there "
			  "are no register files");
}

/* What follows is never called with a tree. */

int uncore_regfs_run(struct uncore_regfs *const *trees, size_t num,
		     char **error)
{
	struct uncore_regfs *fs;

	return uncore_regfs_new(NULL, NULL, &fs, error);
}

void uncore_regfs_stop(struct uncore_regfs *fs)
{
}

bool uncore_regfs_has_replaced(const struct uncore_regfs *fs)
{
	return false;
}

void uncore_regfs_free(struct uncore_regfs *fs)
{
}
