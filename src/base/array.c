/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool array_room(void *array, size_t num, size_t size)
{
	void *old, *more;

	if (num & (num - 1)) /* full only at powers of two */
		return true;
	memcpy(&old, array, sizeof(old));
	more = reallocarray(old, num ? 2 * num : 1, size);
	if (more)
		memcpy(array, &more, sizeof(more));
	return more;
}
