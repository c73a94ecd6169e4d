/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Writes JSON as it goes along. Numbers of 64 bits are written as they are,
 * which most libraries cannot do.
 */
#ifndef UNCORE_TOOL_JSON_H
#define UNCORE_TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct uncore_family;

struct json {
	FILE *file;
	unsigned depth;
	bool one_line;
	bool more; /* something stands before, in this object or array */
};

/* `name` is NULL in arrays and at the top. */
void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);
void json_string(struct json *json, const char *name, const char *value);
void json_uint(struct json *json, const char *name, uint64_t value);
void json_number(struct json *json, const char *name, double value);
void json_bool(struct json *json, const char *name, bool value);
/* A register's: all of it as "address", and of what is no MSR its parts and,
 * in PCI, the id of its function. */
void json_address(struct json *json, const struct uncore_family *family,
		  uint64_t address);
void json_null(struct json *json, const char *name);

#endif
