/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The session with the kernel. One thread answers all requests one by one:
 * a register access takes well below a microsecond, so more threads would only
 * wait for each other. Access is as FUSE has it: without allow_other the kernel
 * turns away everybody but the user who mounted, be it root; with it, the
 * permission bits count, which then let everybody in.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/sized.h"
#include "base/text.h"
#include "server/regfs_parts.h"
#include "uncore/error.h"
#include "uncore/family.h"
#include "uncore/model.h"

enum { MAX_TREES = 2 };

/* What libfuse said last. It has one log for all sessions. */
static char fuse_said[256];

static void keep_log(enum fuse_log_level level, const char *format,
		     va_list arguments)
{
	(void)level;
	vsnprintf(fuse_said, sizeof(fuse_said), format, arguments);
	fuse_said[strcspn(fuse_said, "\n")] = '\0';
}

static void describe(struct uncore_regfs *fs)
{
	struct uncore_model *model = uncore_live_enter(fs->live);
	struct uncore_live_status status;

	fs->machine.name = uncore_model_machine(model);
	fs->machine.family = uncore_model_family(model);
	fs->machine.sockets = uncore_model_sockets(model);
	fs->machine.cores = uncore_model_cores(model);
	fs->machine.num_buses = uncore_model_pci_buses(model);
	uncore_live_leave(fs->live);
	uncore_live_status(fs->live, &status);
	fs->is_stepped = status.clock == UNCORE_LIVE_STEP;
	fs->num_folders = uncore_live_cpus(fs->live);
	fs->num_files = 1;
	fs->uid = geteuid();
	fs->gid = getegid();
	clock_gettime(CLOCK_REALTIME, &fs->start);
}

/* Whether the machine has it: a part lacks some of the largest one's boxes. */
static bool has_function(struct uncore_regfs *fs,
			 const struct uncore_function *function)
{
	struct uncore_model *model = uncore_live_enter(fs->live);
	uint32_t id = uncore_model_pci_read(model, 0, function->number, 0, 4);

	uncore_live_leave(fs->live);
	return id != UINT32_MAX;
}

/* An uncore's buses follow each other; uncore_model_pci_bus() is the last. */
static void number_buses(struct uncore_regfs *fs)
{
	struct regfs_machine *machine = &fs->machine;
	struct uncore_model *model = uncore_live_enter(fs->live);
	unsigned *bus = machine->buses;

	machine->has_first =
		machine->num_buses == 1 &&
		fs->functions[0].number >> 3 < UNCORE_FIRST_BUS_DEVICES;
	for (unsigned n = machine->num_buses; n; n--)
		for (unsigned i = 0; i < machine->sockets; i++)
			*bus++ = uncore_model_pci_bus(model, i) + 1 - n;
	for (unsigned i = 0; machine->has_first && i < machine->sockets; i++)
		*bus++ = uncore_model_pci_first_bus(model, i);
	uncore_live_leave(fs->live);
	fs->num_folders = (unsigned)(bus - machine->buses);
}

/* The functions of each socket. */
static int list_functions(struct uncore_regfs *fs, char **error)
{
	const struct uncore_family *family =
		uncore_family_find(fs->machine.family);
	struct uncore_function function;
	unsigned num = 0;

	while (family && uncore_family_function(family, num, &function))
		num++;
	if (!num)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "the boxes of the %s are in no PCI functions",
				  fs->machine.name);
	fs->functions = calloc(num, sizeof(*fs->functions));
	if (!fs->functions)
		return UNCORE_ERR_NO_MEMORY;
	fs->num_files = 0;
	for (unsigned i = 0; uncore_family_function(family, i, &function); i++)
		if (has_function(fs, &function))
			fs->functions[fs->num_files++] = function;
	number_buses(fs);
	return 0;
}

static int say_why(const struct uncore_regfs *fs, char **error)
{
	const char *hint = "";

	if (access("/dev/fuse", F_OK))
		hint = "; there is no /dev/fuse: load the kernel's module "
		       "'fuse', or give the container that device";
	else if (access("/dev/fuse", R_OK | W_OK))
		hint = "; users may mount where /dev/fuse has mode 0666";
	else if (geteuid() && fs->allow_other)
		hint = "; for --allow-other, /etc/fuse.conf must have the line "
		       "'user_allow_other'";
	else if (geteuid())
		hint = "; users need fusermount3 (package fuse3) and a folder "
		       "of their own";
	else
		hint = "; in a container, root needs the capability SYS_ADMIN "
		       "to mount";
	return text_error(UNCORE_ERR_NO_PERMISSION, error,
			  "cannot mount on '%s'%s%s%s", fs->mount.path,
			  *fuse_said ? ": " : "", fuse_said, hint);
}

static int open_session(struct uncore_regfs *fs, char **error)
{
	char *words[] = { "uncore", "-o",
			  "fsname=uncore,subtype=" REGFS_SUBTYPE
			  ",default_permissions",
			  fs->allow_other ? "-oallow_other" : NULL };
	struct fuse_args args = FUSE_ARGS_INIT(fs->allow_other ? 4 : 3, words);

	fuse_set_log_func(keep_log);
	*fuse_said = '\0';
	fs->session = fuse_session_new(&args, &regfs_tree_ops,
				       sizeof(regfs_tree_ops), fs);
	fuse_opt_free_args(&args);
	if (!fs->session)
		return text_error(UNCORE_ERR_NO_MEMORY, error,
				  "libfuse cannot start: %s", fuse_said);
	if (fuse_session_mount(fs->session, fs->mount.path))
		return say_why(fs, error);
	regfs_mount_remember(&fs->mount);
	fcntl(fuse_session_fd(fs->session), F_SETFL, O_NONBLOCK);
	return 0;
}

static int mount_it(struct uncore_regfs *fs, const char *folder, char **error)
{
	int lock_fd;
	int code = regfs_mount_claim(&fs->mount, folder, &lock_fd, error);

	if (!code)
		code = regfs_guardian_start(&fs->mount, error);
	if (!code)
		code = open_session(fs, error);
	if (lock_fd >= 0)
		close(lock_fd);
	return code;
}

int uncore_regfs_new(struct uncore_live *live,
		     const struct uncore_regfs_config *config,
		     struct uncore_regfs **result, char **error)
{
	struct uncore_regfs_config own;
	struct uncore_regfs *fs;
	int code = sized_take(&own, sizeof(own), config, error);

	if (code)
		return code;
	fs = calloc(1, sizeof(*fs));
	if (!fs)
		return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
	fs->live = live;
	fs->allow_other = own.allow_other;
	fs->is_pci = own.is_pci;
	regfs_clock_init(&fs->clock, live);
	describe(fs);
	fs->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fs->stop_fd < 0)
		code = text_error(UNCORE_ERR_IO, error,
				  "cannot make an eventfd: %s",
				  strerror(errno));
	else if (fs->is_pci)
		code = list_functions(fs, error);
	if (!code)
		code = mount_it(fs, own.folder, error);
	if (code)
		uncore_regfs_free(fs);
	else
		*result = fs;
	return code;
}

/* Until the kernel has a request for one of them or somebody wants to stop:
 * which one it is for, or -1. */
static int wait_for_request(struct uncore_regfs *const *trees, size_t num)
{
	struct pollfd fds[2 * MAX_TREES];

	for (size_t i = 0; i < num; i++) {
		fds[2 * i] = (struct pollfd){
			.fd = fuse_session_fd(trees[i]->session),
			.events = POLLIN,
		};
		fds[2 * i + 1] = (struct pollfd){ .fd = trees[i]->stop_fd,
						  .events = POLLIN };
	}
	while (poll(fds, 2 * num, -1) < 0)
		if (errno != EINTR)
			return -1;
	for (size_t i = 0; i < num; i++) {
		if (fds[2 * i + 1].revents)
			fuse_session_exit(trees[i]->session);
		if (fds[2 * i].revents || fds[2 * i + 1].revents)
			return (int)i;
	}
	return -1;
}

int uncore_regfs_run(struct uncore_regfs *const *trees, size_t num,
		     char **error)
{
	struct fuse_buf buffer = { .mem = NULL };
	const struct uncore_regfs *fs = trees[0];
	int got = 0;

	for (int at; (at = wait_for_request(trees, num)) >= 0;) {
		fs = trees[at];
		if (fuse_session_exited(fs->session))
			break;
		got = fuse_session_receive_buf(fs->session, &buffer);
		if (got == -EINTR || got == -EAGAIN)
			continue;
		if (got <= 0)
			break;
		fuse_session_process_buf(fs->session, &buffer);
	}
	free(buffer.mem);
	/* An unmount that meets a request on its way here says the last. */
	if (got >= 0 || fuse_session_exited(fs->session) ||
	    got == -ECONNABORTED)
		return 0;
	return text_error(UNCORE_ERR_IO, error,
			  "the kernel's requests for '%s' cannot be read: %s",
			  fs->mount.path, strerror(-got));
}

void uncore_regfs_stop(struct uncore_regfs *fs)
{
	const uint64_t one = 1;
	int saved = errno;

	/* Can only fail when it is pending already. */
	if (write(fs->stop_fd, &one, sizeof(one)) < 0)
		errno = saved;
}

bool uncore_regfs_has_replaced(const struct uncore_regfs *fs)
{
	return fs->mount.has_replaced;
}

/* libfuse unmounts whatever is on the folder by now, unless its descriptor says
 * that nothing is mounted any more. Where it is no longer ours, a pipe that
 * nobody reads takes the descriptor's place: it says the same. */
static void close_session(struct uncore_regfs *fs)
{
	int fds[2];

	if (!regfs_mount_is_there(&fs->mount) &&
	    fuse_session_fd(fs->session) >= 0 && !pipe2(fds, O_CLOEXEC)) {
		dup3(fds[1], fuse_session_fd(fs->session), O_CLOEXEC);
		close(fds[0]);
		close(fds[1]);
	}
	fuse_session_unmount(fs->session);
	fuse_session_destroy(fs->session);
}

void uncore_regfs_free(struct uncore_regfs *fs)
{
	if (!fs)
		return;
	/* Clients that wait for a step get their answer while they can. */
	regfs_clock_fini(&fs->clock);
	if (fs->session)
		close_session(fs);
	regfs_file_close_all(fs);
	regfs_guardian_end(&fs->mount);
	regfs_mount_fini(&fs->mount);
	if (fs->stop_fd >= 0)
		close(fs->stop_fd);
	free(fs->functions);
	free(fs);
}
