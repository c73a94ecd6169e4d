/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The registers of this machine, through the files of Linux's msr driver. Every
 * processor of a package reaches the package's uncore; the first one that is
 * online is used.
 */
#include "access/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/text.h"
#include "uncore/error.h"

enum { MAX_SOCKETS = 8, MAX_CPUS = 4096 };

struct msr {
	int files[MAX_SOCKETS];
	int packages[MAX_SOCKETS];
	unsigned num_sockets;
};

static int msr_read(void *context, unsigned socket, uint32_t address,
		    uint64_t *value)
{
	const struct msr *msr = context;
	ssize_t size = pread(msr->files[socket], value, sizeof(*value),
			     (off_t)address);

	if (size == (ssize_t)sizeof(*value))
		return 0;
	/* The driver answers EIO where the instruction raised #GP. */
	return size < 0 && errno == EIO ? UNCORE_ERR_GP : UNCORE_ERR_IO;
}

static int msr_write(void *context, unsigned socket, uint32_t address,
		     uint64_t value)
{
	const struct msr *msr = context;
	ssize_t size = pwrite(msr->files[socket], &value, sizeof(value),
			      (off_t)address);

	if (size == (ssize_t)sizeof(value))
		return 0;
	return size < 0 && errno == EIO ? UNCORE_ERR_GP : UNCORE_ERR_IO;
}

static void msr_close(void *context)
{
	struct msr *msr = context;

	for (unsigned i = 0; i < msr->num_sockets; i++)
		close(msr->files[i]);
	free(msr);
}

static const struct access_ops msr_ops = {
	.name = "msr",
	.read = msr_read,
	.write = msr_write,
	.close = msr_close,
};

/* The family of this processor, or NULL. */
static const struct uncore_family *this_family(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned eax, ebx, ecx, edx, family, model;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return NULL;
	family = (eax >> 8 & 0xf) + (eax >> 20 & 0xff);
	model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);
	return uncore_family_of_cpu(family, model);
#else
	return NULL;
#endif
}

/* The package that a processor belongs to, or -1 if there is none. */
static int package_of(unsigned cpu)
{
	char path[96];
	int package = -1;
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%u/topology/physical_package_id",
		 cpu);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &package) != 1)
		package = -1;
	fclose(file);
	return package;
}

static bool is_known(const struct msr *msr, int package)
{
	for (unsigned i = 0; i < msr->num_sockets; i++)
		if (msr->packages[i] == package)
			return true;
	return false;
}

static int open_cpu(unsigned cpu, char **error)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file >= 0)
		return file;
	if (errno == ENOENT || errno == ENXIO)
		text_error(UNCORE_ERR_NO_HARDWARE, error,
			   "%s is not there; 'modprobe msr' makes it", path);
	else
		text_error(UNCORE_ERR_NO_PERMISSION, error,
			   "cannot open %s: %s; the registers need root", path,
			   strerror(errno));
	return -1;
}

static bool open_all(struct msr *msr, char **error)
{
	for (unsigned cpu = 0; cpu < MAX_CPUS; cpu++) {
		int package = package_of(cpu);
		int file;

		if (package < 0 || is_known(msr, package) ||
		    msr->num_sockets == MAX_SOCKETS)
			continue;
		file = open_cpu(cpu, error);
		if (file < 0)
			return false;
		msr->packages[msr->num_sockets] = package;
		msr->files[msr->num_sockets++] = file;
	}
	if (!msr->num_sockets)
		text_error(UNCORE_ERR_NO_HARDWARE, error,
			   "no processor is found below /sys/devices/system");
	return msr->num_sockets;
}

struct uncore_target *uncore_target_msr(char **error)
{
	const struct uncore_family *family = this_family();
	struct uncore_target *target = NULL;
	struct msr *msr;

	if (!family) {
		text_error(UNCORE_ERR_NO_HARDWARE, error,
			   "this machine's processor is of no family known "
			   "here; use the model");
		return NULL;
	}
	msr = calloc(1, sizeof(*msr));
	if (!msr)
		return NULL;
	if (open_all(msr, error))
		target = access_new(&msr_ops, msr, family, msr->num_sockets);
	if (!target)
		msr_close(msr);
	return target;
}
