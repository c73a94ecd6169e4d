/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A journal is text, and complete if its last line is there:
 *
 *     uncore journal 2
 *     process 4711
 *     since 2011-04-05 12:00:00
 *     command uncore stat -- ./app
 *     family xeon-e7
 *     others yes                  what is not listed counts for somebody else
 *     SOCKET ADDRESS VALUE        hexadecimal, one line for each register
 *     sum SUM                     FNV-1a of all before this line
 *
 * It is written beside its place and renamed, so that there is a whole one or
 * none, and reaches the disk before the first register is written.
 */
#include "session/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/access.h"
#include "base/file.h"
#include "base/text.h"
#include "event/event.h"
#include "uncore/error.h"

#define HEAD	   "uncore journal 2\n"
#define SUM	   "sum "
#define MAX_BYTES  (4 << 20)
#define HEAD_BYTES 2048

static char *lines_of(const struct uncore_target *target, const char *command,
		      const struct saved *saved)
{
	char owner[HEAD_BYTES];
	struct text text = { 0 };

	lock_print_owner(owner, sizeof(owner), command);
	text_add(&text, HEAD "%sfamily %s\nothers %s\n", owner,
		 uncore_family_name(target->family),
		 saved->is_shared ? "yes" : "no");
	for (size_t i = 0; i < saved->num; i++)
		text_add(&text, "%u 0x%" PRIx64 " 0x%" PRIx64 "\n",
			 saved->values[i].socket, saved->values[i].reg->address,
			 saved->values[i].value);
	if (text.data)
		text_add(&text, SUM "%016" PRIx64 "\n",
			 text_hash(TEXT_HASH, text.data, strlen(text.data)));
	return text_take(&text);
}

static bool write_lines(FILE *file, const struct uncore_target *target,
			const char *command, const struct saved *saved)
{
	char *lines = lines_of(target, command, saved);
	bool is_written = lines && fputs(lines, file) >= 0 && !fflush(file) &&
			  !ferror(file) && !fsync(fileno(file));

	free(lines);
	return is_written;
}

static bool sync_folder(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_synced = folder >= 0 && !fsync(folder);

	if (folder >= 0)
		close(folder);
	return is_synced;
}

int journal_write(const struct uncore_target *target, const char *command,
		  const struct saved *saved, const struct session_lock *lock,
		  char **error)
{
	const char *path = lock_journal(lock);
	char *beside;
	bool is_written;
	FILE *file;

	if (!path)
		return 0;
	if (asprintf(&beside, "%s.new", path) < 0)
		return UNCORE_ERR_NO_MEMORY;
	file = fopen(beside, "we");
	is_written = file && write_lines(file, target, command, saved);
	if (file && fclose(file))
		is_written = false;
	is_written = is_written && !rename(beside, path) &&
		     sync_folder(lock_folder(lock));
	if (!is_written) {
		text_error(UNCORE_ERR_IO, error,
			   "cannot write down what the registers hold, to %s: "
			   "%s; nothing was touched",
			   path, strerror(errno));
		unlink(beside);
	}
	free(beside);
	return is_written ? 0 : UNCORE_ERR_IO;
}

void journal_remove(const struct session_lock *lock)
{
	if (lock_journal(lock))
		unlink(lock_journal(lock));
}

/* Reading */

static bool add_value(const struct uncore_target *target, struct saved *saved,
		      const char *line)
{
	const struct uc_register *reg;
	uint64_t address, value;
	unsigned socket;

	if (sscanf(line, "%u 0x%" SCNx64 " 0x%" SCNx64, &socket, &address,
		   &value) != 3)
		return false;
	reg = uc_register_at(family_row(target->family), address);
	if (!reg || socket >= target->num_sockets ||
	    !saved_want(saved, socket, reg))
		return false;
	saved->values[saved->num - 1].value = value;
	return true;
}

/* Whether all lines make sense up to the one with the sum. */
static bool scan_values(const struct uncore_target *target, const char *text,
			struct saved *saved)
{
	const char *line = strstr(text, "\nothers ");

	saved->is_shared = line && !strncmp(line + 8, "yes", 3);
	line = line ? strchr(line + 1, '\n') : NULL;
	while (line && strncmp(line + 1, SUM, strlen(SUM))) {
		if (!add_value(target, saved, line + 1))
			return false;
		line = strchr(line + 1, '\n');
	}
	return line;
}

/* Whether it ends with the sum of what is before. */
static bool is_whole(const char *text)
{
	const char *last = strstr(text, "\n" SUM);
	char line[64];

	if (!last)
		return false;
	snprintf(line, sizeof(line), SUM "%016" PRIx64 "\n",
		 text_hash(TEXT_HASH, text, (size_t)(last + 1 - text)));
	return !strcmp(last + 1, line);
}

static bool scan(const struct uncore_target *target, const char *text,
		 struct saved *saved)
{
	char family[64];

	snprintf(family, sizeof(family), "\nfamily %s\n",
		 uncore_family_name(target->family));
	return !strncmp(text, HEAD, strlen(HEAD)) && is_whole(text) &&
	       strstr(text, family) && scan_values(target, text, saved);
}

int journal_read(const struct uncore_target *target,
		 const struct session_lock *lock, struct saved *saved,
		 struct lock_owner *owner, char **error)
{
	const char *path = lock_journal(lock);
	char *text;
	bool is_good;

	*saved = (struct saved){ 0 };
	if (!path || access(path, F_OK))
		return 0;
	text = file_text(path, MAX_BYTES, NULL);
	if (!text)
		return text_error(UNCORE_ERR_IO, error,
				  "cannot read %s, which a dead session has "
				  "left: %s",
				  path, strerror(errno));
	lock_scan_owner(text, owner);
	is_good = scan(target, text, saved);
	free(text);
	if (is_good)
		return 1;
	saved_free(saved);
	return text_error(UNCORE_ERR_STATE, error,
			  "%s, left by process %ld (%s), makes no sense for "
			  "this machine; if nobody counts, 'uncore reset "
			  "--all --on %s' clears all counters and removes it",
			  path, owner->process, owner->command,
			  uncore_target_origin(target));
}

int journal_check(struct uncore_target *target, const struct session_lock *lock,
		  bool force, char **error)
{
	struct saved saved;
	struct lock_owner owner;
	int result = journal_read(target, lock, &saved, &owner, error);

	if (result <= 0)
		return result;
	result = 0;
	if (force)
		result = saved_put_back(&saved, target, error);
	else if (!saved_is_back(&saved, target))
		result = text_error(
			UNCORE_ERR_IN_USE, error,
			"process %ld (%s), which began %s, has died and left "
			"its programming at '%s'; 'uncore reset --on %s' puts "
			"the registers back",
			owner.process, owner.command, owner.since,
			uncore_target_origin(target),
			uncore_target_origin(target));
	if (!result)
		journal_remove(lock);
	saved_free(&saved);
	return result;
}
