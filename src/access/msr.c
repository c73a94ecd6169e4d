/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers through the files of Linux's msr driver, or of a tree that looks
 * like it; there PCI functions and memory windows are files as well. Every
 * processor of a package reaches the package's uncore; the first one that is
 * online is used.
 */
#include "access/access.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/msr_map.h"
#include "access/unit_files.h"
#include "base/text.h"
#include "uncore/address.h"
#include "uncore/error.h"

#define SYSTEM_FOLDER "/dev/cpu"
#define ALLOW_WRITES  "/sys/module/msr/parameters/allow_writes"

struct msr {
	char *folder;
	struct msr_map map;
	int files[MSR_MAX_SOCKETS];
	unsigned num_files;
	struct unit_files units;
	char *error; /* a sentence, when the way itself is closed */
};

/* The driver answers EIO where the instruction raised #GP. */
static int code_of(struct msr *msr, ssize_t size)
{
	if (size == (ssize_t)sizeof(uint64_t))
		return 0;
	if (size < 0 && errno == EIO)
		return UNCORE_ERR_GP;
	if (size < 0 && errno == EPERM && !msr->map.is_served) {
		if (!msr->error)
			text_error(0, &msr->error,
				   "the kernel lets nobody write registers; "
				   "'echo on >" ALLOW_WRITES "' allows it, "
				   "unless the kernel is locked down (Secure "
				   "Boot)");
		return UNCORE_ERR_NO_PERMISSION;
	}
	if (!msr->map.is_served)
		return UNCORE_ERR_IO;
	if (!msr->error)
		text_error(0, &msr->error, "the server of %s is gone",
			   msr->folder);
	return UNCORE_ERR_DIED;
}

static const struct uc_register *register_at(const struct msr *msr,
					     uint64_t address)
{
	return uc_register_at(
		uc_family_find(uncore_family_name(msr->map.family)), address);
}

static int unit_code(struct msr *msr, uint64_t address, int code)
{
	char text[UNCORE_ADDRESS_BYTES];

	uncore_address_say(address, text);
	if (code == UNCORE_ERR_NO_HARDWARE && !msr->error)
		text_error(0, &msr->error,
			   "%s has no file for %s: its unit is missing or "
			   "hidden",
			   msr->folder, text);
	if (code == UNCORE_ERR_NO_PERMISSION && !msr->error)
		text_error(0, &msr->error,
			   "the file of %s in %s may not be read and written",
			   text, msr->folder);
	return code;
}

static int msr_read(void *context, unsigned socket, uint64_t address,
		    uint64_t *value)
{
	struct msr *msr = context;

	if (uncore_address_space(address) != UNCORE_SPACE_MSR)
		return unit_code(msr, address,
				 unit_files_read(&msr->units, msr->folder,
						 msr->map.cpus[socket],
						 register_at(msr, address),
						 value));
	return code_of(msr, pread(msr->files[socket], value, sizeof(*value),
				  (off_t)address));
}

static int msr_write(void *context, unsigned socket, uint64_t address,
		     uint64_t value)
{
	struct msr *msr = context;

	if (uncore_address_space(address) != UNCORE_SPACE_MSR)
		return unit_code(msr, address,
				 unit_files_write(&msr->units, msr->folder,
						  msr->map.cpus[socket],
						  register_at(msr, address),
						  value));
	return code_of(msr, pwrite(msr->files[socket], &value, sizeof(value),
				   (off_t)address));
}

static const char *msr_error(void *context)
{
	const struct msr *msr = context;

	return msr->error;
}

static bool is_status(const struct msr *msr, const char *key, const char *text)
{
	char *found = msr_map_status(msr->folder, key);
	bool is_same = found && !strcmp(found, text);

	free(found);
	return is_same;
}

static double status_number(const struct msr *msr, const char *key)
{
	char *found = msr_map_status(msr->folder, key);
	double number = found ? strtod(found, NULL) : 0;

	free(found);
	return number;
}

static int msr_status(void *context, struct uncore_target_status *status)
{
	struct msr *msr = context;
	char *cycle;

	if (!msr->map.is_served)
		return UNCORE_ERR_STATE;
	*status = (struct uncore_target_status){
		.clock_hz = status_number(msr, "clock_hz"),
		.is_stepped = is_status(msr, "clock", "step"),
		.traffic_ended = is_status(msr, "traffic", "ended"),
	};
	cycle = msr_map_status(msr->folder, "cycle");
	if (!cycle)
		return code_of(msr, 0);
	status->cycle = strtoull(cycle, NULL, 10);
	free(cycle);
	return 0;
}

static int msr_step(void *context, uint64_t cycles)
{
	const struct msr *msr = context;
	char *path, text[24];
	int size = snprintf(text, sizeof(text), "%" PRIu64 "\n", cycles);
	int file, code = 0;

	if (!msr->map.is_served || !is_status(msr, "clock", "step"))
		return UNCORE_ERR_STATE;
	if (asprintf(&path, "%s/clock", msr->folder) < 0)
		return UNCORE_ERR_NO_MEMORY;
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0 || write(file, text, (size_t)size) != size)
		code = UNCORE_ERR_DIED;
	if (file >= 0)
		close(file);
	free(path);
	return code;
}

static void msr_close(void *context)
{
	struct msr *msr = context;

	for (unsigned i = 0; i < msr->num_files; i++)
		close(msr->files[i]);
	unit_files_close(&msr->units);
	free(msr->folder);
	free(msr->error);
	free(msr);
}

static const struct access_ops msr_ops = {
	.name = "msr",
	.is_shared = true,
	.read = msr_read,
	.write = msr_write,
	.status = msr_status,
	.step = msr_step,
	.error = msr_error,
	.close = msr_close,
};

static bool open_cpu(struct msr *msr, unsigned cpu, char **error)
{
	char *path;
	int file;

	if (asprintf(&path, "%s/%u/msr", msr->folder, cpu) < 0)
		return false;
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file >= 0)
		msr->files[msr->num_files++] = file;
	else if (errno != ENOENT && errno != ENXIO)
		text_error(UNCORE_ERR_NO_PERMISSION, error,
			   "cannot open %s: %s; the registers need root%s",
			   path, strerror(errno),
			   geteuid() ? ""
				     : " with CAP_SYS_RAWIO, and a kernel that "
				       "is not locked down (Secure Boot)");
	else if (strcmp(msr->folder, SYSTEM_FOLDER))
		text_error(UNCORE_ERR_NO_HARDWARE, error,
			   "%s is not there; 'uncore model serve --msr %s' "
			   "makes it",
			   path, msr->folder);
	else
		text_error(UNCORE_ERR_NO_HARDWARE, error,
			   "%s is not there; 'modprobe msr' makes it", path);
	free(path);
	return file >= 0;
}

static bool open_all(struct msr *msr, char **error)
{
	if (!msr_map_make(&msr->map, msr->folder, error))
		return false;
	for (unsigned i = 0; i < msr->map.num_sockets; i++)
		if (!open_cpu(msr, msr->map.cpus[i], error))
			return false;
	return true;
}

static struct uncore_target *make_target(struct msr *msr)
{
	/* A model's numbers never look like the processor's. */
	if (!msr->map.is_served && !strcmp(msr->folder, SYSTEM_FOLDER))
		return uc_access_new(&msr_ops, msr, msr->map.family,
				     msr->num_files);
	return access_new_at(&msr_ops, msr, msr->map.family, msr->num_files,
			     msr->folder);
}

struct uncore_target *uncore_target_msr_at(const char *folder, char **error)
{
	struct msr *msr = calloc(1, sizeof(*msr));
	struct uncore_target *target = NULL;

	if (!msr)
		return NULL;
	msr->folder = strdup(folder);
	if (msr->folder && open_all(msr, error))
		target = make_target(msr);
	if (!target)
		msr_close(msr);
	return target;
}

struct uncore_target *uncore_target_msr(char **error)
{
	return uncore_target_msr_at(SYSTEM_FOLDER, error);
}
