/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Whether what a call waits for comes from outside of the run. Who waits for
 * the world waits for the host's time; who waits for another thread of the run
 * does not, and time passes at once when there is nothing else.
 *
 * - A pipe is the run's if it was not there when the run began.
 * - A socket is if it is connected to one of the run: a local one by the
 *   process at its other end, one of the Internet's by its port on this host.
 *   One that others may connect to is the world's.
 * - Descriptors of events, timers, signals and processes are the run's.
 * - Where some process of the run is not followed all may be the world's.
 */
#include "bridge/valgrind/turns.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum {
	LINK_BYTES = 64,
	INFO_BYTES = 1 << 14,
	DEPTH = 3, /* of epoll in epoll */
	BITS = 8 * sizeof(UWord),
};

/* As the kernel numbers them. */
enum {
	OF_SOCKETS = 1, /* SOL_SOCKET */
	PEER = 17,	/* SO_PEERCRED */
	LISTENS = 30,	/* SO_ACCEPTCONN */
	LOCAL = 1,	/* AF_UNIX */
	INTERNET = 2,
	INTERNET_6 = 10,
	LOOP = 127,
};

static SysRes call(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e)
{
	return VG_(do_syscall)(number, a, b, c, d, e, 0, 0, 0);
}

static bool begins(const HChar *text, const HChar *with)
{
	return VG_(strncmp)(text, with, VG_(strlen)(with)) == 0;
}

/* Pipes */

static uint64_t number_in(const HChar *link)
{
	const HChar *number = VG_(strchr)(link, '[');

	return number ? (uint64_t)VG_(strtoll10)(number + 1, NULL) : 0;
}

static bool read_fd_link(Int fd, HChar *text)
{
	HChar path[LINK_BYTES];
	SSizeT length;

	VG_(sprintf)(path, "/proc/self/fd/%d", fd);
	length = VG_(readlink)(path, text, LINK_BYTES - 1);
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* The first process begins: these pipes are the world's. */
void world_begin(void)
{
	HChar link[LINK_BYTES];
	Int fd;

	if (arena->num_world_pipes)
		return;
	for (fd = 0; fd < ARENA_MAX_WORLD_PIPES; fd++)
		if (read_fd_link(fd, link) && begins(link, "pipe:"))
			arena->world_pipes[arena->num_world_pipes++] =
				number_in(link);
}

static bool is_world_pipe(uint64_t number)
{
	uint32_t i;

	for (i = 0; i < arena->num_world_pipes; i++)
		if (arena->world_pipes[i] == number)
			return true;
	return false;
}

/* Sockets */

struct address {
	UShort family;
	UShort port; /* in the order of the network */
	UChar rest[108];
};

static bool get_address(UWord which, Int fd, struct address *address)
{
	UInt size_bytes = sizeof(*address);

	VG_(memset)(address, 0, sizeof(*address));
	return !sr_isError(call(which, (UWord)fd, (UWord)address,
				(UWord)&size_bytes, 0, 0));
}

static bool get_option(Int fd, UWord option, Int *values, UInt size_bytes)
{
	return !sr_isError(call(__NR_getsockopt, (UWord)fd, OF_SOCKETS, option,
				(UWord)values, (UWord)&size_bytes));
}

static bool is_internet(const struct address *address)
{
	return address->family == INTERNET || address->family == INTERNET_6;
}

/* Whether a port of this host was one of the run's. */
static bool has_port(const struct address *address)
{
	return arena->ports[address->port / 8] >> address->port % 8 & 1;
}

/* What is connected to its own host has the same address at both ends. */
static bool is_on_host(const struct address *mine, const struct address *other)
{
	enum { AT_4 = 0, AT_6 = 4, BYTES_4 = 4, BYTES_6 = 16 };
	bool is_4 = other->family == INTERNET;

	if (is_4 && other->rest[AT_4] == LOOP)
		return true;
	return VG_(memcmp)(mine->rest + (is_4 ? AT_4 : AT_6),
			   other->rest + (is_4 ? AT_4 : AT_6),
			   is_4 ? BYTES_4 : BYTES_6) == 0;
}

static bool is_of_run(Int pid)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	for (i = 0; i < num; i++)
		if (arena->threads[i].pid == (uint32_t)pid)
			return true;
	return false;
}

static bool is_inside_socket(Int fd)
{
	struct address mine, other;
	Int peer[3] = { 0 };
	Int listens = 0;

	if (!get_option(fd, LISTENS, &listens, sizeof(listens)) || listens ||
	    !get_address(__NR_getsockname, fd, &mine))
		return false;
	if (mine.family == LOCAL)
		return get_option(fd, PEER, peer, sizeof(peer)) &&
		       is_of_run(peer[0]);
	return is_internet(&mine) &&
	       get_address(__NR_getpeername, fd, &other) &&
	       is_on_host(&mine, &other) && has_port(&other);
}

/* A socket waits for others, or has been connected: its port is the run's. */
void world_note_port(Int fd)
{
	struct address mine;

	if (get_address(__NR_getsockname, fd, &mine) && is_internet(&mine))
		arena->ports[mine.port / 8] |= (uint8_t)(1 << mine.port % 8);
}

/* Descriptors */

static bool is_inside(Int fd, unsigned depth);

/* Lines of `tfd: NUMBER` and more name what is looked for. */
static bool is_inside_epoll(Int fd, unsigned depth)
{
	static HChar text[INFO_BYTES];
	HChar path[LINK_BYTES];
	const HChar *line = text;
	Int targets[INFO_BYTES / 64];
	UInt num = 0, i;
	SysRes opened;
	Int length;

	VG_(sprintf)(path, "/proc/self/fdinfo/%d", fd);
	opened = VG_(open)(path, VKI_O_RDONLY, 0);
	if (sr_isError(opened) || !depth)
		return false;
	length = VG_(read)((Int)sr_Res(opened), text, sizeof(text) - 1);
	VG_(close)((Int)sr_Res(opened));
	if (length <= 0 || length == sizeof(text) - 1)
		return false;
	text[length] = '\0';
	while ((line = VG_(strstr)(line, "tfd:"))) {
		line += 4;
		while (*line == ' ')
			line++;
		if (num == sizeof(targets) / sizeof(targets[0]))
			return false;
		targets[num++] = (Int)VG_(strtoll10)(line, NULL);
	}
	for (i = 0; i < num; i++)
		if (!is_inside(targets[i], depth - 1))
			return false;
	return true;
}

static bool is_inside(Int fd, unsigned depth)
{
	HChar link[LINK_BYTES];

	if (!read_fd_link(fd, link))
		return false;
	if (begins(link, "pipe:"))
		return !is_world_pipe(number_in(link));
	if (begins(link, "socket:"))
		return is_inside_socket(fd);
	if (begins(link, "anon_inode:[eventpoll]"))
		return is_inside_epoll(fd, depth);
	return begins(link, "anon_inode:[eventfd]") ||
	       begins(link, "anon_inode:[timerfd]") ||
	       begins(link, "anon_inode:[signalfd]") ||
	       begins(link, "anon_inode:[pidfd]");
}

/* Calls */

static bool can(Addr address, SizeT size_bytes)
{
	return VG_(am_is_valid_for_client)(address, size_bytes, VKI_PROT_READ);
}

static bool are_inside(Addr pollfds, UWord num)
{
	const struct vki_pollfd *pollfd = (const struct vki_pollfd *)pollfds;
	UWord i;

	if (!can(pollfds, num * sizeof(*pollfd)))
		return false;
	for (i = 0; i < num; i++)
		if (pollfd[i].fd >= 0 && !is_inside(pollfd[i].fd, DEPTH))
			return false;
	return true;
}

static bool is_set_inside(Addr set, UWord num)
{
	UWord i;

	if (set && !can(set, (num + BITS - 1) / BITS * sizeof(UWord)))
		return false;
	for (i = 0; set && i < num; i++)
		if ((((const UWord *)set)[i / BITS] >> i % BITS & 1) &&
		    !is_inside((Int)i, DEPTH))
			return false;
	return true;
}

/* Who waits for another thread, a child, a lock or a signal waits for what
 * happens inside. */
static bool waits_inside(UInt number, const UWord *args)
{
	switch (number) {
	case __NR_futex:
	case __NR_wait4:
	case __NR_waitid:
	case __NR_pause:
	case __NR_rt_sigsuspend:
	case __NR_rt_sigtimedwait:
	case __NR_flock:
	case __NR_fcntl:
	case __NR_semop:
	case __NR_semtimedop:
	case __NR_msgrcv:
	case __NR_msgsnd:
	case __NR_clone:
	case __NR_clone3:
	case __NR_vfork:
	case __NR_exit:
	case __NR_exit_group:
	case __NR_execve: return true;
	case __NR_read:
	case __NR_readv:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_write:
	case __NR_writev:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_epoll_wait:
	case __NR_epoll_pwait: return is_inside((Int)args[0], DEPTH);
	case __NR_poll:
	case __NR_ppoll: return are_inside(args[0], args[1]);
	case __NR_select:
	case __NR_pselect6:
		return is_set_inside(args[1], args[0]) &&
		       is_set_inside(args[2], args[0]) &&
		       is_set_inside(args[3], args[0]);
	default: return false;
	}
}

bool world_ends(UInt number, const UWord *args)
{
	return atomic_load(&arena->not_followed) ||
	       atomic_load(&arena->num_traced) || !waits_inside(number, args);
}
