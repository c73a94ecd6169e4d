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

int uncore_msrfs_new(struct uncore_live *live,
		     const struct uncore_msrfs_config *config,
		     struct uncore_msrfs **fs, char **error)
{
	*fs = NULL;
	return text_error(UNCORE_ERR_NO_HELPER, error,
			  "uncore was built without FUSE (-Dfuse), so there "
			  "are no register files");
}

/* What follows is never called with a tree. */

int uncore_msrfs_run(struct uncore_msrfs *fs, char **error)
{
	return uncore_msrfs_new(NULL, NULL, &fs, error);
}

void uncore_msrfs_stop(struct uncore_msrfs *fs)
{
}

bool uncore_msrfs_has_replaced(const struct uncore_msrfs *fs)
{
	return false;
}

void uncore_msrfs_free(struct uncore_msrfs *fs)
{
}
