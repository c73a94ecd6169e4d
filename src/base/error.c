/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Names and messages of the errors, made from the one list in error.h.
 */
#include "uncore/error.h"

#include <stddef.h>

struct error_row {
	int code;
	const char *name;
	const char *message;
};

static const struct error_row rows[] = {
#define ERROR_ROW(number, name, message) { -(number), #name, message },
	UNCORE_ERRORS(ERROR_ROW)
#undef ERROR_ROW
};

static const struct error_row *find(int error)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == error)
			return &rows[i];
	return NULL;
}

const char *uncore_error_name(int error)
{
	const struct error_row *row = find(error);

	if (!error)
		return "OK";
	return row ? row->name : "UNKNOWN";
}

const char *uncore_error_message(int error)
{
	const struct error_row *row = find(error);

	if (!error)
		return "no error";
	return row ? row->message : "unknown error";
}
