/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The state folder is $UNCORE_STATE; else /run/uncore for root, and
 * $XDG_RUNTIME_DIR/uncore for others; else one of the user's own among the
 * temporary files. A place is the way to the registers and its path without
 * links; the names of its files come from a hash of it:
 *
 *     HASH.S0.lock, HASH.S1.lock, ...   one for each socket
 *     HASH.journal                      see journal.c
 */
#include "session/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "access/access.h"
#include "base/text.h"
#include "uncore/error.h"

enum { COMMAND_BYTES = 512, OWNER_BYTES = 1024, MOST_SOCKETS = 8 };

struct session_lock {
	int places[ACCESS_MAX_PLACES]; /* folders, while others wait; or -1 */
	char *folder;
	char *journal;
	int *files;
	unsigned num_files;
};

char *lock_command_of(const char *process)
{
	char bytes[COMMAND_BYTES], path[64];
	ssize_t size;
	int file;

	snprintf(path, sizeof(path), "/proc/%s/cmdline", process);
	file = open(path, O_RDONLY | O_CLOEXEC);
	size = file < 0 ? 0 : read(file, bytes, sizeof(bytes) - 1);

	if (file >= 0)
		close(file);
	if (size <= 0)
		return strdup("unknown command");
	while (size && !bytes[size - 1])
		size--;
	for (ssize_t i = 0; i < size; i++)
		if ((unsigned char)bytes[i] < ' ')
			bytes[i] = ' ';
	bytes[size] = 0;
	return strdup(bytes);
}

char *lock_command(void)
{
	return lock_command_of("self");
}

/* The folder */

static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

char *lock_user_folder(void)
{
	const char *state = getenv("UNCORE_STATE");
	const char *run = getenv("XDG_RUNTIME_DIR");
	const char *temporary = getenv("TMPDIR");
	char *path;

	if (state && *state)
		return strdup(state);
	if (!geteuid())
		return strdup("/run/uncore");
	if (run && *run)
		return join(run, "uncore");
	if (asprintf(&path, "%s/uncore-%u",
		     temporary && *temporary ? temporary : P_tmpdir,
		     (unsigned)geteuid()) < 0)
		return NULL;
	return path;
}

/* A folder of our own, by a name of our own: nobody else may put a journal
 * there. */
static char *make_folder(char **error)
{
	char *folder = lock_user_folder();
	struct stat found, name; /* and where it leads, if it is a link */

	if (!folder)
		return NULL;
	if (!mkdir(folder, 0700) || errno == EEXIST)
		errno = 0;
	if (!errno && !lstat(folder, &name) && name.st_uid == geteuid() &&
	    !stat(folder, &found) && S_ISDIR(found.st_mode) &&
	    found.st_uid == geteuid() && !(found.st_mode & 022))
		return folder;
	text_error(UNCORE_ERR_NO_PERMISSION, error,
		   "cannot keep locks in %s: %s; UNCORE_STATE names another "
		   "folder",
		   folder,
		   errno ? strerror(errno)
			 : "it belongs to somebody else, or others can write "
			   "to it");
	free(folder);
	return NULL;
}

/* The same place has the same name however it is written. */
static uint64_t hash_of_place(const char *path)
{
	char *real = realpath(path, NULL);
	const char *place = real ? real : path;
	uint64_t sum = text_hash(TEXT_HASH, place, strlen(place));

	free(real);
	return sum;
}

/* Owners */

int lock_print_owner(char *text, size_t size, const char *command)
{
	time_t now = time(NULL);
	struct tm local;
	char since[32] = "";

	if (localtime_r(&now, &local))
		strftime(since, sizeof(since), "%Y-%m-%d %H:%M:%S", &local);
	return snprintf(text, size, "process %ld\nsince %s\ncommand %.500s\n",
			(long)getpid(), since, command);
}

static void scan_line(const char *text, const char *key, char *value,
		      size_t size)
{
	const char *line = text;
	size_t length = strlen(key);

	*value = 0;
	while (line && strncmp(line, key, length)) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (line)
		snprintf(value, size, "%.*s", (int)strcspn(line + length, "\n"),
			 line + length);
}

void lock_scan_owner(const char *text, struct lock_owner *owner)
{
	char process[32];

	scan_line(text, "process ", process, sizeof(process));
	owner->process = strtol(process, NULL, 10);
	scan_line(text, "since ", owner->since, sizeof(owner->since));
	scan_line(text, "command ", owner->command, sizeof(owner->command));
}

static void read_owner(int file, struct lock_owner *owner)
{
	char text[OWNER_BYTES] = "";
	ssize_t size = pread(file, text, sizeof(text) - 1, 0);

	text[size > 0 ? size : 0] = 0;
	lock_scan_owner(text, owner);
}

/* Taking and letting go */

static int is_held(const struct uncore_target *target, unsigned socket,
		   int file, char **error)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct lock_owner owner = { 0 };

	/* who has just taken it writes a name at once */
	for (int i = 0; i < 100 && !owner.process; i++) {
		if (i)
			nanosleep(&pause, NULL);
		read_owner(file, &owner);
	}
	if (!owner.process)
		return text_error(UNCORE_ERR_IN_USE, error,
				  "socket %u of '%s' is counted by another "
				  "uncore, which has not said who it is",
				  socket, uncore_target_origin(target));
	return text_error(UNCORE_ERR_IN_USE, error,
			  "socket %u of '%s' is counted by another uncore: "
			  "process %ld (%s), since %s",
			  socket, uncore_target_origin(target), owner.process,
			  owner.command, owner.since);
}

static int take_socket(const struct uncore_target *target, const char *place,
		       unsigned socket, const char *command,
		       struct session_lock *lock, char **error)
{
	char text[OWNER_BYTES], *path;
	int size = lock_print_owner(text, sizeof(text), command);
	int file, result = 0;

	if (asprintf(&path, "%s/%016" PRIx64 ".S%u.lock", lock->folder,
		     hash_of_place(place), socket) < 0)
		return UNCORE_ERR_NO_MEMORY;
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0)
		result = text_error(UNCORE_ERR_NO_PERMISSION, error,
				    "cannot open the lock %s: %s", path,
				    strerror(errno));
	else if (flock(file, LOCK_EX | LOCK_NB))
		result = is_held(target, socket, file, error);
	else if (ftruncate(file, 0) || pwrite(file, text, (size_t)size, 0) < 0)
		result = text_error(UNCORE_ERR_IO, error,
				    "cannot write to the lock %s: %s", path,
				    strerror(errno));
	free(path);
	if (result && file >= 0)
		close(file);
	if (!result)
		lock->files[lock->num_files++] = file;
	return result;
}

int lock_take(const struct uncore_target *target, const char *command,
	      struct session_lock **lock, char **error)
{
	struct session_lock *new;
	int result = 0;

	*lock = NULL;
	if (!target->ops->is_shared)
		return 0;
	new = calloc(1, sizeof(*new));
	if (!new)
		return UNCORE_ERR_NO_MEMORY;
	for (unsigned p = 0; p < ACCESS_MAX_PLACES; p++)
		new->places[p] = -1;
	new->files = calloc((size_t)target->num_sockets * ACCESS_MAX_PLACES,
			    sizeof(*new->files));
	new->folder = make_folder(error);
	if (!new->folder)
		result = UNCORE_ERR_NO_PERMISSION;
	else if (!new->files ||
		 asprintf(&new->journal, "%s/%016" PRIx64 ".journal",
			  new->folder, hash_of_place(target->places[0])) < 0)
		result = UNCORE_ERR_NO_MEMORY;
	for (unsigned p = 0; p < ACCESS_MAX_PLACES && target->places[p]; p++)
		for (unsigned s = 0; s < target->num_sockets && !result; s++)
			result = take_socket(target, target->places[p], s,
					     command, new, error);
	if (result)
		lock_drop(new);
	else
		*lock = new;
	return result;
}

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The folder of a place; of a socket, that in which it is. */
static int folder_of(const char *place)
{
	int file = open_folder(place);
	char *folder;

	if (file >= 0)
		return file;
	folder = strdup(place);
	file = folder ? open_folder(dirname(folder)) : -1;
	free(folder);
	return file;
}

static int hold_folder(const char *place)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int file = folder_of(place);

	for (int i = 0; i < 400 && file >= 0 && flock(file, LOCK_EX | LOCK_NB);
	     i++)
		nanosleep(&pause, NULL);
	return file;
}

void lock_enter(struct session_lock *lock, const struct uncore_target *target)
{
	for (unsigned p = 0; lock && p < ACCESS_MAX_PLACES && target->places[p];
	     p++)
		if (lock->places[p] < 0)
			lock->places[p] = hold_folder(target->places[p]);
}

void lock_leave(struct session_lock *lock)
{
	for (unsigned p = 0; lock && p < ACCESS_MAX_PLACES; p++) {
		if (lock->places[p] >= 0)
			close(lock->places[p]);
		lock->places[p] = -1;
	}
}

/* Reads a lock or a journal; true if somebody holds it. */
static bool scan_file(const char *path, struct lock_owner *owner)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	bool is_held_now = false;

	*owner = (struct lock_owner){ 0 };
	if (file < 0)
		return false;
	read_owner(file, owner);
	is_held_now = flock(file, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(file);
	return is_held_now;
}

enum lock_holder lock_look(const char *folder, const char *place,
			   struct lock_owner *owner)
{
	uint64_t hash = hash_of_place(place);
	bool is_found = false;
	char *path;

	for (unsigned s = 0; s < MOST_SOCKETS && !is_found; s++) {
		if (asprintf(&path, "%s/%016" PRIx64 ".S%u.lock", folder, hash,
			     s) < 0)
			return LOCK_FREE;
		is_found = scan_file(path, owner);
		free(path);
	}
	if (is_found)
		return LOCK_HELD;
	if (asprintf(&path, "%s/%016" PRIx64 ".journal", folder, hash) < 0)
		return LOCK_FREE;
	scan_file(path, owner);
	free(path);
	return owner->process ? LOCK_LEFT : LOCK_FREE;
}

void lock_drop(struct session_lock *lock)
{
	if (!lock)
		return;
	lock_leave(lock);
	for (unsigned i = 0; i < lock->num_files; i++)
		close(lock->files[i]);
	free(lock->files);
	free(lock->folder);
	free(lock->journal);
	free(lock);
}

const char *lock_journal(const struct session_lock *lock)
{
	return lock ? lock->journal : NULL;
}

const char *lock_folder(const struct session_lock *lock)
{
	return lock ? lock->folder : NULL;
}
