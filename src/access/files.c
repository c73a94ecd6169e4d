/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers through files: MSRs through those of Linux's msr driver, PCI
 * functions through their configuration spaces, both of this machine or of a
 * tree that looks like it; memory windows as FOLDER/CPU/mem/N beside the MSRs.
 * Every processor of a package reaches the package's MSRs; the first one that
 * is online is used. A file is opened for reading, and for writing when
 * something is written: who only looks needs no more. Where the msr driver's
 * file is not there or closed, that of msr-safe will do.
 */
#include "access/access.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "access/msr_map.h"
#include "access/pci_map.h"
#include "access/served.h"
#include "access/unit_files.h"
#include "base/text.h"
#include "uncore/address.h"
#include "uncore/error.h"

#define MSR_FOLDER   "/dev/cpu"
#define PCI_FOLDER   "/sys/bus/pci/devices"
#define ALLOW_WRITES "/sys/module/msr/parameters/allow_writes"

enum { HEAD_BYTES = 64, PLAIN_BYTES = 256 };

struct files {
	char *msr_folder, *pci_folder; /* NULL: not this way */
	struct msr_map map;
	struct pci_map pci;
	int msr[MSR_MAX_SOCKETS];
	bool msr_is_written[MSR_MAX_SOCKETS]; /* it is open for that, too */
	const char *msr_names[MSR_MAX_SOCKETS];
	unsigned num_msr;
	struct unit_files units;
	uint8_t *answers; /* of each socket, each register: enum answer */
	char *error;	  /* a sentence, when the way itself is closed */
	char *missing;	  /* what files_missing() said last */
};

/* Where a model says what it is, if one is behind the files. */
static const char *main_folder(const struct files *files)
{
	return files->msr_folder ? files->msr_folder : files->pci_folder;
}

/* msr-safe gives away what its list has, and nothing else. */
static int not_listed(struct files *files)
{
	if (!files->error)
		text_error(0, &files->error,
			   "msr-safe refuses a register that its list, %s/"
			   "msr_allowlist, lacks; 'uncore encode --allowlist "
			   "-m %s' prints what it must have",
			   files->msr_folder,
			   uncore_family_name(files->map.family));
	return UNCORE_ERR_NO_PERMISSION;
}

/* The driver answers EIO where the instruction raised #GP. */
static int code_of(struct files *files, ssize_t size)
{
	if (size == (ssize_t)sizeof(uint64_t))
		return 0;
	if (size < 0 && errno == EIO)
		return UNCORE_ERR_GP;
	if (size < 0 && errno == EPERM && !files->map.is_served) {
		if (!files->error)
			text_error(0, &files->error,
				   "the kernel lets nobody write registers; "
				   "'echo on >" ALLOW_WRITES "' allows it, "
				   "unless the kernel is locked down (Secure "
				   "Boot)");
		return UNCORE_ERR_NO_PERMISSION;
	}
	if (size < 0 && errno == EACCES && !files->map.is_served)
		return not_listed(files);
	if (!files->map.is_served)
		return UNCORE_ERR_IO;
	if (!files->error)
		text_error(0, &files->error, "the server of %s is gone",
			   main_folder(files));
	return UNCORE_ERR_DIED;
}

static const struct uc_family *family_of(const struct files *files)
{
	return uc_family_find(uncore_family_name(files->map.family));
}

/* The path of a PCI function or a window, to be freed; NULL: there is none. */
static char *unit_path(const struct files *files, unsigned socket,
		       uint64_t address)
{
	const struct uc_unit *unit = uc_unit_at(family_of(files), address);
	const struct pci_bus *bus;
	char *path = NULL;

	if (uncore_address_space(address) == UNCORE_SPACE_PCI) {
		bus = pci_map_bus(&files->pci, files->map.packages[socket]);
		return bus && unit ? pci_map_path(&files->pci, bus, unit)
				   : NULL;
	}
	if (files->msr_folder &&
	    asprintf(&path, "%s/%u/mem/%u", files->msr_folder,
		     files->map.cpus[socket], uncore_address_unit(address)) < 0)
		return NULL;
	return path;
}

static int unit_file(struct files *files, unsigned socket, uint64_t address,
		     bool writes)
{
	uint64_t unit = address & ~(uint64_t)UINT32_MAX;
	int file = unit_files_find(&files->units, socket, unit, writes);
	char *path;

	if (file >= 0)
		return file;
	path = unit_path(files, socket, address);
	file = unit_files_open(&files->units, socket, unit, path, writes);
	free(path);
	return file;
}

/* Whether the processor knows an MSR; asked once. */
enum answer { ANSWER_UNKNOWN, ANSWER_GIVEN, ANSWER_REFUSED };

static bool is_refused(struct files *files, unsigned socket,
		       const struct uc_register *reg)
{
	const struct uc_family *family = family_of(files);
	uint8_t *answer;
	uint64_t value;

	if (!files->answers)
		files->answers = calloc(
			(size_t)files->num_msr * family->num_registers, 1);
	if (!files->answers || socket >= files->num_msr ||
	    reg->access == UC_ACCESS_WO)
		return false;
	answer = &files->answers[(size_t)socket * family->num_registers +
				 (size_t)(reg - family->registers)];
	if (*answer == ANSWER_UNKNOWN)
		*answer = pread(files->msr[socket], &value, sizeof(value),
				(off_t)reg->address) < 0 &&
					  errno == EIO
				  ? ANSWER_REFUSED
				  : ANSWER_GIVEN;
	return *answer == ANSWER_REFUSED;
}

/* What keeps a register from being reached */

static void say_hidden(struct files *files, unsigned socket, uint64_t address)
{
	const struct uc_family *family = family_of(files);
	const struct uc_unit *unit = uc_unit_at(family, address);
	const struct pci_bus *bus =
		pci_map_bus(&files->pci, files->map.packages[socket]);
	char text[UNCORE_ADDRESS_BYTES];

	if (uncore_address_space(address) != UNCORE_SPACE_PCI)
		text_error(0, &files->missing, "%s has no file for %s",
			   main_folder(files),
			   uncore_address_say(address, text));
	else if (!bus)
		text_error(0, &files->missing,
			   "%s does not tell which bus is that of socket %u",
			   files->pci_folder, socket);
	else
		text_error(0, &files->missing,
			   "socket %u has no PCI function %04x:%04x (%s %u, "
			   "%s%02x:%02x.%x): the BIOS hides it",
			   socket, unit->vendor, unit->device,
			   family->boxes[unit->box].guide_name, unit->instance,
			   unit->unit >> 8 ? "behind bus " : "", bus->bus,
			   unit->unit >> 3 & 31, unit->unit & 7);
}

static void say_short(struct files *files, const struct uc_register *reg)
{
	bool is_extended = uncore_address_offset(reg->address) >= PLAIN_BYTES;

	text_error(0, &files->missing, "the file of %s ends before it: %s",
		   reg->name,
		   is_extended ? "the kernel does not reach the extended "
				 "configuration space (MMCONFIG)"
			       : "who is not root with CAP_SYS_ADMIN sees 64 "
				 "bytes");
}

static const char *files_missing(void *context, unsigned socket,
				 uint64_t address)
{
	struct files *files = context;
	unsigned space = uncore_address_space(address);
	bool is_msr = space == UNCORE_SPACE_MSR;
	const struct uc_register *reg;
	int file;

	free(files->missing);
	files->missing = NULL;
	if (is_msr ? !files->msr_folder
		   : space == UNCORE_SPACE_PCI && !files->pci_folder)
		text_error(0, &files->missing,
			   "its registers are %s, of which these files have "
			   "none ('--on msr,pci' has both)",
			   is_msr ? "MSRs" : "in PCI functions");
	reg = uc_register_at(family_of(files), address);
	if (is_msr && files->msr_folder && reg && reg->box != UC_BOX_NONE &&
	    is_refused(files, socket, reg))
		text_error(0, &files->missing,
			   "the processor of socket %u refuses %s, as it does "
			   "where this part has no such box",
			   socket, reg->name);
	if (is_msr || files->missing)
		return files->missing;
	file = unit_file(files, socket, address, false);
	if (file < 0 && errno == ENOENT)
		say_hidden(files, socket, address);
	else if (file >= 0 && reg && !unit_file_has(file, reg))
		say_short(files, reg);
	return files->missing;
}

/* Of a PCI function the file is not there, while those of others are. */
static bool files_absent(void *context, unsigned socket, uint64_t address)
{
	struct files *files = context;
	const struct uc_register *reg =
		uc_register_at(family_of(files), address);
	unsigned space = uncore_address_space(address);

	if (!reg || reg->box == UC_BOX_NONE)
		return false;
	if (space == UNCORE_SPACE_MSR)
		return files->msr_folder && is_refused(files, socket, reg);
	return space == UNCORE_SPACE_PCI && files->pci_folder &&
	       pci_map_bus(&files->pci, files->map.packages[socket]) &&
	       unit_file(files, socket, address, false) < 0 && errno == ENOENT;
}

static int no_file(struct files *files, unsigned socket, uint64_t address,
		   bool writes)
{
	bool is_closed = errno == EACCES || errno == EPERM || errno == EROFS;
	const char *why = files_missing(files, socket, address);
	char text[UNCORE_ADDRESS_BYTES];

	if (files->error)
		return is_closed ? UNCORE_ERR_NO_PERMISSION
				 : UNCORE_ERR_NO_HARDWARE;
	if (!is_closed)
		return text_error(UNCORE_ERR_NO_HARDWARE, &files->error, "%s",
				  why ? why : strerror(errno));
	return text_error(UNCORE_ERR_NO_PERMISSION, &files->error,
			  "the file of %s may not be %s",
			  uncore_address_say(address, text),
			  writes ? "written" : "read");
}

/* The path of a socket's MSRs, to be freed. */
static char *msr_path(const struct files *files, unsigned socket,
		      const char *name)
{
	char *path;

	return asprintf(&path, "%s/%u/%s", files->msr_folder,
			files->map.cpus[socket], name) < 0
		       ? NULL
		       : path;
}

/* Opens a socket's MSRs for writing, too. */
static int write_msrs(struct files *files, unsigned socket)
{
	char *path = msr_path(files, socket, files->msr_names[socket]);
	int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	int code = 0;

	if (file >= 0) {
		close(files->msr[socket]);
		files->msr[socket] = file;
		files->msr_is_written[socket] = true;
	} else if (errno == EACCES || errno == EPERM || errno == EROFS) {
		code = UNCORE_ERR_NO_PERMISSION;
		if (path && !files->error)
			text_error(0, &files->error,
				   "%s may be read, and not written: %s; who "
				   "counts must write to it",
				   path, strerror(errno));
	} else {
		code = code_of(files, -1);
	}
	free(path);
	return code;
}

/* The calls of access.h */

static int files_read(void *context, unsigned socket, uint64_t address,
		      uint64_t *value)
{
	struct files *files = context;
	const struct uc_register *reg;
	int file;

	if (uncore_address_space(address) == UNCORE_SPACE_MSR &&
	    files->msr_folder)
		return code_of(files, pread(files->msr[socket], value,
					    sizeof(*value), (off_t)address));
	reg = uc_register_at(family_of(files), address);
	if (!reg)
		return UNCORE_ERR_GP;
	file = unit_file(files, socket, address, false);
	return file < 0 ? no_file(files, socket, address, false)
			: unit_file_read(file, reg, value);
}

static int files_write(void *context, unsigned socket, uint64_t address,
		       uint64_t value)
{
	struct files *files = context;
	const struct uc_register *reg;
	int file, code = 0;

	if (uncore_address_space(address) == UNCORE_SPACE_MSR &&
	    files->msr_folder) {
		if (!files->msr_is_written[socket])
			code = write_msrs(files, socket);
		return code ? code
			    : code_of(files,
				      pwrite(files->msr[socket], &value,
					     sizeof(value), (off_t)address));
	}
	reg = uc_register_at(family_of(files), address);
	if (!reg)
		return UNCORE_ERR_GP;
	file = unit_file(files, socket, address, true);
	return file < 0 ? no_file(files, socket, address, true)
			: unit_file_write(file, reg, value);
}

static const char *files_error(void *context)
{
	const struct files *files = context;

	return files->error;
}

static int files_status(void *context, struct uncore_target_status *status)
{
	struct files *files = context;
	int code;

	if (!files->map.is_served)
		return UNCORE_ERR_STATE;
	code = served_status(main_folder(files), status);
	return code ? code_of(files, 0) : 0;
}

static int files_step(void *context, uint64_t cycles)
{
	const struct files *files = context;

	return files->map.is_served ? served_step(main_folder(files), cycles)
				    : UNCORE_ERR_STATE;
}

static void files_close(void *context)
{
	struct files *files = context;

	for (unsigned i = 0; i < files->num_msr; i++)
		close(files->msr[i]);
	unit_files_close(&files->units);
	pci_map_free(&files->pci);
	free(files->msr_folder);
	free(files->pci_folder);
	free(files->answers);
	free(files->error);
	free(files->missing);
	free(files);
}

static const struct access_ops files_ops = {
	.name = "files",
	.is_shared = true,
	.read = files_read,
	.write = files_write,
	.status = files_status,
	.step = files_step,
	.error = files_error,
	.missing = files_missing,
	.absent = files_absent,
	.close = files_close,
};

/* Opening */

/* Why there is no file: `why` is errno's value. */
static int say_no_msr(const struct files *files, const char *path, int why,
		      char **error)
{
	if (why != ENOENT && why != ENXIO)
		return text_error(UNCORE_ERR_NO_PERMISSION, error,
				  "cannot open %s: %s; the registers need "
				  "root%s",
				  path, strerror(why),
				  geteuid() ? ""
					    : " with CAP_SYS_RAWIO, and a "
					      "kernel that is not locked down "
					      "(Secure Boot)");
	if (strcmp(files->msr_folder, MSR_FOLDER))
		return text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "%s is not there; 'uncore model serve --msr "
				  "%s' makes it",
				  path, files->msr_folder);
	return text_error(UNCORE_ERR_NO_HARDWARE, error,
			  "%s is not there; 'modprobe msr' makes it", path);
}

/* Opens the MSRs of the next socket. */
static int open_cpu(struct files *files, char **error)
{
	static const char *const names[] = { "msr", "msr_safe" };
	unsigned socket = files->num_msr;
	char *first = msr_path(files, socket, names[0]);
	int file = -1, why = ENOMEM, code = UNCORE_ERR_NO_MEMORY;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && file < 0;
	     i++) {
		char *path = msr_path(files, socket, names[i]);

		file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
			    : -1;
		why = i ? why : errno;
		files->msr_names[socket] = names[i];
		free(path);
	}
	if (file >= 0)
		files->msr[files->num_msr++] = file;
	if (first)
		code = file >= 0 ? 0 : say_no_msr(files, first, why, error);
	free(first);
	return code;
}

static int open_msrs(struct files *files, char **error)
{
	int code = 0;

	if (!msr_map_make(&files->map, files->msr_folder, error))
		return UNCORE_ERR_NO_HARDWARE;
	for (unsigned i = 0; i < files->map.num_sockets && !code; i++)
		code = open_cpu(files, error);
	return code;
}

/* Without MSRs the functions say what machine it is. */
static int map_by_pci(struct files *files, char **error)
{
	const struct uc_family *family = pci_map_family(&files->pci);
	FILE *status = served_open(files->pci_folder);

	files->map.is_served = status;
	if (status)
		fclose(status);
	if (!family)
		return text_error(UNCORE_ERR_NO_HARDWARE, error,
				  "%s has functions of no processor family "
				  "known here",
				  files->pci_folder);
	files->map.family = uncore_family_find(family->name);
	return 0;
}

static int open_pci(struct files *files, char **error)
{
	struct msr_map *map = &files->map;
	int code = 0;

	if (!files->msr_folder)
		code = map_by_pci(files, error);
	if (!code)
		code = pci_map_find_buses(&files->pci, family_of(files), error);
	if (code || files->msr_folder)
		return code;
	map->num_sockets = files->pci.num_buses;
	for (unsigned i = 0; i < map->num_sockets; i++)
		map->packages[i] = files->pci.buses[i].socket;
	return 0;
}

/* The name of a part, "msr" or "msr:FOLDER"; a model's numbers never look like
 * the processor's. */
static void name_part(const struct files *files, const char *folder,
		      const char *way, const char *system, struct text *origin)
{
	if (!folder)
		return;
	text_add(origin, "%s%s", origin->length ? "," : "", way);
	if (files->map.is_served || strcmp(folder, system))
		text_add(origin, ":%s", folder);
}

/* A copy on a disk, rather than a device or what behaves like one. */
static bool is_plain(int file)
{
	struct statfs system;
	struct stat status;

	return !fstat(file, &status) && S_ISREG(status.st_mode) &&
	       !fstatfs(file, &system) && system.f_type != FUSE_SUPER_MAGIC;
}

static struct uncore_target *make_target(struct files *files)
{
	struct uncore_target *target = uc_access_new(
		&files_ops, files, files->map.family, files->map.num_sockets);
	struct text origin = { 0 };

	if (!target)
		return NULL;
	name_part(files, files->msr_folder, "msr", MSR_FOLDER, &origin);
	name_part(files, files->pci_folder, "pci", PCI_FOLDER, &origin);
	target->origin = text_take(&origin);
	target->places[0] = main_folder(files);
	target->is_plain = files->num_msr && is_plain(files->msr[0]);
	if (files->msr_folder)
		target->places[1] = files->pci_folder;
	return target;
}

/* Whether a folder that was named is there. */
static int find_folder(const char *way, const char *folder, char **error)
{
	struct stat status;

	if (!folder || !*folder ||
	    (stat(folder, &status) ? errno != ENOENT && errno != ENOTDIR
				   : S_ISDIR(status.st_mode)))
		return 0; /* one that is closed has an answer of its own */
	return text_error(UNCORE_ERR_NO_HARDWARE, error,
			  "%s:%s: there is no such folder", way, folder);
}

struct uncore_target *uncore_target_files(const char *msr, const char *pci,
					  char **error)
{
	struct files *files = calloc(1, sizeof(*files));
	struct uncore_target *target = NULL;
	int code = 0;

	if (!files)
		return NULL;
	code = find_folder("msr", msr, error);
	if (!code)
		code = find_folder("pci", pci, error);
	if (msr)
		files->msr_folder = strdup(*msr ? msr : MSR_FOLDER);
	if (pci)
		files->pci_folder = strdup(*pci ? pci : PCI_FOLDER);
	if (!code && files->pci_folder)
		code = pci_map_list(&files->pci, files->pci_folder, error);
	if (!code && files->msr_folder)
		code = open_msrs(files, error);
	if (!code && files->pci_folder)
		code = open_pci(files, error);
	if (!code && main_folder(files))
		target = make_target(files);
	if (!target)
		files_close(files);
	return target;
}

struct uncore_target *uncore_target_machine(char **error)
{
	const struct uncore_family *host = uncore_family_of_host();
	bool has_pci = host &&
		       pci_map_is_for(uc_family_find(uncore_family_name(host)));

	return uncore_target_files("", has_pci ? "" : NULL, error);
}
