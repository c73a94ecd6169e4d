/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Looks for Valgrind, for our tool for it and for the program, and says what to
 * do where one is missing.
 */
#include "model/traffic/program_find.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/find.h"
#include "base/text.h"
#include "uncore/error.h"

#define VALGRIND "valgrind"
#define TOOL	 "uncore-amd64-linux"

int program_find_valgrind(const struct uncore_program_config *config,
			  char **path, char **error)
{
	const char *wanted = config->valgrind;

	if (!wanted)
		wanted = getenv("UNCORE_VALGRIND");
	if (!wanted || !*wanted)
		wanted = VALGRIND;
	*path = find_program(wanted);
	if (*path && find_is_file(*path) && access(*path, X_OK) == 0)
		return 0;
	free(*path);
	*path = NULL;
	return text_error(UNCORE_ERR_NO_HELPER, error,
			  "%s was not found; programs run under Valgrind: "
			  "install the package valgrind (apt-get install "
			  "valgrind)",
			  wanted);
}

int program_find_tool(const struct uncore_program_config *config, char **path,
		      char **error)
{
	char *tried = NULL;

	if (config->tool) {
		tried = strdup(config->tool);
		*path = realpath(config->tool, NULL);
	} else {
		*path = find_helper(TOOL, &tried);
	}
	if (*path) {
		free(tried);
		return 0;
	}
	text_error(UNCORE_ERR_NO_HELPER, error,
		   "the tool for Valgrind was not found at %s; build it (it "
		   "is part of the build), or name its folder in "
		   "UNCORE_LIBEXEC",
		   tried ? tried : TOOL);
	free(tried);
	return UNCORE_ERR_NO_HELPER;
}

int program_find_target(const struct uncore_program_config *config, char **path,
			char **error)
{
	const char *name = config->argv ? config->argv[0] : NULL;

	if (!name || !*name)
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "no program was named");
	*path = find_program(name);
	if (*path)
		return 0;
	return text_error(UNCORE_ERR_BAD_PROGRAM, error,
			  "%s: there is no such program in PATH; check the "
			  "name, or give its path",
			  name);
}
