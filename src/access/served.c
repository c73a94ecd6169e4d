/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "access/served.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "uncore/error.h"

enum { LINE_BYTES = 256 };

FILE *served_open(const char *folder)
{
	FILE *file = NULL;
	char *path;

	if (asprintf(&path, "%s/status", folder) < 0)
		return NULL;
	file = file_open(path);
	free(path);
	return file;
}

int served_is_closed(const char *folder, char **error)
{
	return text_error(UNCORE_ERR_NO_PERMISSION, error,
			  "%s is another user's, and closed to you; 'uncore "
			  "model serve --allow-other' shows its files to all",
			  folder);
}

char *served_says(const char *folder, const char *key)
{
	size_t length = strlen(key);
	char line[LINE_BYTES];
	char *found = NULL;
	FILE *file = served_open(folder);

	while (file && !found && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, length) || line[length] != ':')
			continue;
		line[strcspn(line, "\n")] = 0;
		found = strdup(line + length + 1 +
			       strspn(line + length + 1, " \t"));
	}
	if (file)
		fclose(file);
	return found;
}

static bool is_said(const char *folder, const char *key, const char *text)
{
	char *found = served_says(folder, key);
	bool is_same = found && !strcmp(found, text);

	free(found);
	return is_same;
}

static double said_number(const char *folder, const char *key)
{
	char *found = served_says(folder, key);
	double number = found ? strtod(found, NULL) : 0;

	free(found);
	return number;
}

int served_status(const char *folder, struct uncore_target_status *status)
{
	char *cycle;

	*status = (struct uncore_target_status){
		.clock_hz = said_number(folder, "clock_hz"),
		.is_stepped = is_said(folder, "clock", "step"),
		.traffic_ended = is_said(folder, "traffic", "ended"),
	};
	cycle = served_says(folder, "cycle");
	if (!cycle)
		return UNCORE_ERR_DIED;
	status->cycle = strtoull(cycle, NULL, 10);
	free(cycle);
	return 0;
}

int served_step(const char *folder, uint64_t cycles)
{
	char *path, text[24];
	int size = snprintf(text, sizeof(text), "%" PRIu64 "\n", cycles);
	int file, code = 0;

	if (!is_said(folder, "clock", "step"))
		return UNCORE_ERR_STATE;
	if (asprintf(&path, "%s/clock", folder) < 0)
		return UNCORE_ERR_NO_MEMORY;
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0 || write(file, text, (size_t)size) != size)
		code = UNCORE_ERR_DIED;
	if (file >= 0)
		close(file);
	free(path);
	return code;
}
