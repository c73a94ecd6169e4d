/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * From a text to a target.
 */
#include "target.h"

#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "uncore/target.h"

/* Folders of register files: "" is this machine's, NULL none. */
struct folders {
	const char *msr, *pci;
};

/* What follows "name:", or NULL. */
static const char *after(const char *where, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(where, name, length) || where[length] != ':' ||
	    !where[length + 1])
		return NULL;
	return where + length + 1;
}

/* The folder of "name:FOLDER", "" of "name" alone, or NULL. */
static const char *folder_of(const char *part, const char *name)
{
	return strcmp(part, name) ? after(part, name) : "";
}

/* Takes "msr", "pci" or both with a comma apart, each with a folder or not. */
static bool split(char *where, struct folders *folders)
{
	char *comma = strstr(where, ",pci");

	while (comma && !folder_of(comma + 1, "pci"))
		comma = strstr(comma + 1, ",pci");
	if (comma)
		*comma = '\0';
	*folders = (struct folders){
		.msr = folder_of(where, "msr"),
		.pci = folder_of(comma ? comma + 1 : where, "pci"),
	};
	return folders->msr || (folders->pci && !comma);
}

bool where_is_perf(const char *where)
{
	return !strncmp(where, "perf", 4) &&
	       (!where[4] || strchr(":,", where[4]));
}

bool where_is_known(const char *where)
{
	struct folders folders;
	char *copy = tool_copy(where);
	bool is_files = split(copy, &folders);

	free(copy);
	return is_files || !strcmp(where, "model") || after(where, "socket") ||
	       where_is_perf(where);
}

struct uncore_target *where_open(const char *where, char **error)
{
	struct uncore_target *target = NULL;
	struct folders folders;
	char *copy;

	if (!where)
		return uncore_target_machine(error);
	if (after(where, "socket"))
		return uncore_target_socket(after(where, "socket"), error);
	if (where_is_perf(where))
		return uncore_target_perf(where, error);
	copy = tool_copy(where);
	if (split(copy, &folders))
		target = uncore_target_files(folders.msr, folders.pci, error);
	free(copy);
	return target;
}
