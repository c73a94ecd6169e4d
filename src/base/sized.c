/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "base/sized.h"

#include <string.h>

#include "base/text.h"
#include "uncore/error.h"

int sized_take(void *own, size_t own_bytes, const void *given, char **error)
{
	const unsigned char *bytes = given;
	size_t given_bytes;

	memcpy(&given_bytes, given, sizeof(given_bytes));
	if (given_bytes < sizeof(given_bytes))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "struct_size is %zu: it is to be the size of "
				  "the structure",
				  given_bytes);
	for (size_t i = own_bytes; i < given_bytes; i++)
		if (bytes[i])
			return text_error(UNCORE_ERR_BAD_OPTION, error,
					  "byte %zu of the options is set, and "
					  "this version of the library does "
					  "not know what it says",
					  i);
	memset(own, 0, own_bytes);
	memcpy(own, given, given_bytes < own_bytes ? given_bytes : own_bytes);
	return 0;
}

void sized_give(void *given, const void *own, size_t own_bytes)
{
	size_t given_bytes;

	memcpy(&given_bytes, given, sizeof(given_bytes));
	if (given_bytes > own_bytes)
		memset((char *)given + own_bytes, 0, given_bytes - own_bytes);
	memcpy(given, own, given_bytes < own_bytes ? given_bytes : own_bytes);
	memcpy(given, &given_bytes, sizeof(given_bytes));
}
