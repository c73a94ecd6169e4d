/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a process of the program has of the world outside, wherever it puts
 * itself: in namespaces of its own, below another root, as another user. It
 * inherits descriptors from uncore and hands them on when it executes another
 * program: of the memory that is shared, of /proc as uncore sees it, of this
 * tool, and of a folder of the run's. So all processes know each other by the
 * same numbers, whoever
 * they are for themselves. They lie where the program's own cannot be.
 */
#include "bridge/valgrind/core.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>
#include <pub_tool_xarray.h>

#define OPTION "--arena="

enum {
	TEXT_BYTES = 96,
	NUMBER_BYTES = 24,
	EMPTY_PATH = 0x1000,
	WRITE_LOCK = 1,
	NO_LOCK = 2
};
enum descriptor { MEMORY, PROC, TOOL, FOLDER, NUM_DESCRIPTORS };

static HChar key[TEXT_BYTES / 2]; /* of the run, as uncore knows it */
static Int descriptors[NUM_DESCRIPTORS];

/* Of Valgrind's core. */
extern SysRes vgPlain_am_shared_mmap_file_float_valgrind(SizeT length,
							 UInt prot, Int fd,
							 Off64T offset);
extern Int vgPlain_fcntl(Int fd, Int command, Addr argument);
extern Int vgPlain_safe_fd(Int fd);
extern const HChar *vgPlain_name_of_launcher;

static SysRes call(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e)
{
	return VG_(do_syscall)(number, a, b, c, d, e, 0, 0, 0);
}

/* KEY:MEMORY:PROC:TOOL:FOLDER */
static bool read_option(const HChar *text)
{
	const HChar *end = VG_(strchr)(text, ':');
	unsigned i;

	if (!end || (SizeT)(end - text) >= sizeof(key))
		return false;
	VG_(memcpy)(key, text, (SizeT)(end - text));
	for (i = 0; i < NUM_DESCRIPTORS; i++) {
		HChar *next;

		if (*end != ':')
			return false;
		descriptors[i] = (Int)VG_(strtoll10)(end + 1, &next);
		end = next;
		if (VG_(fcntl)(descriptors[i], VKI_F_GETFD, 0) < 0)
			return false;
	}
	return !*end;
}

const HChar *outside_open(const HChar *option)
{
	static const HChar none[] = "there is no shared memory";
	struct vg_stat status;
	SysRes mapped;
	unsigned i;

	if (!option || !read_option(option) ||
	    VG_(fstat)(descriptors[MEMORY], &status) ||
	    status.size < (Long)arena_size(1))
		return none;
	mapped = vgPlain_am_shared_mmap_file_float_valgrind(
		(SizeT)status.size, VKI_PROT_READ | VKI_PROT_WRITE,
		descriptors[MEMORY], 0);
	if (sr_isError(mapped))
		return "a limit of address space (ulimit -v) has to leave room "
		       "for the shared memory, or to be set before uncore "
		       "starts, which then needs less:";
	arena = (struct arena *)sr_Res(mapped);
	for (i = 0; i < NUM_DESCRIPTORS; i++)
		descriptors[i] = vgPlain_safe_fd(descriptors[i]);
	if (arena->magic != ARENA_MAGIC)
		return "its build is not that of the uncore that started it:";
	if (!arena->num_sockets || arena->size_bytes != (uint64_t)status.size)
		return none;
	arena_frames_per_socket =
		arena_frames(arena->size_bytes) / arena->num_sockets;
	return NULL;
}

/* Numbers */

static Int read_link(const HChar *path, HChar *text, Int size_bytes)
{
	SysRes length =
		call(__NR_readlinkat, (UWord)descriptors[PROC], (UWord)path,
		     (UWord)text, (UWord)size_bytes - 1, 0);

	if (sr_isError(length))
		return -1;
	text[sr_Res(length)] = '\0';
	return (Int)sr_Res(length);
}

Int outside_folder(void)
{
	return descriptors[FOLDER];
}

uint32_t outside_pid(void)
{
	HChar text[NUMBER_BYTES];

	if (read_link("self", text, sizeof(text)) <= 0)
		return (uint32_t)VG_(getpid)();
	return (uint32_t)VG_(strtoll10)(text, NULL);
}

uint32_t outside_tid(void) /* PID/task/TID */
{
	HChar text[2 * NUMBER_BYTES];

	if (read_link("thread-self", text, sizeof(text)) <= 0)
		return (uint32_t)VG_(gettid)();
	return (uint32_t)VG_(strtoll10)(VG_(strrchr)(text, '/') + 1, NULL);
}

bool outside_is_own(const HChar *path, const HChar *name)
{
	HChar mine[NUMBER_BYTES], own[64];
	const HChar *const whose[] = { "self", "thread-self", mine };
	unsigned i;

	VG_(sprintf)(mine, "%d", VG_(getpid)());
	for (i = 0; i < sizeof(whose) / sizeof(whose[0]); i++) {
		VG_(sprintf)(own, "proc/%s/%s", whose[i], name);
		if (VG_(strcmp)(path, own) == 0)
			return true;
	}
	return false;
}

Int outside_read(const HChar *path, HChar *text, Int size_bytes)
{
	SysRes opened = call(__NR_openat, (UWord)descriptors[PROC], (UWord)path,
			     VKI_O_RDONLY, 0, 0);
	Int length;

	if (sr_isError(opened))
		return -1;
	length = VG_(read)((Int)sr_Res(opened), text, size_bytes - 1);
	VG_(close)((Int)sr_Res(opened));
	text[length > 0 ? length : 0] = '\0';
	return length;
}

/* The end of uncore */

/* It holds a lock on the memory for as long as it lives. */
static bool owner_lives(void)
{
	struct vki_flock lock = { .l_type = WRITE_LOCK, .l_len = 1 };

	return VG_(fcntl)(descriptors[MEMORY], VKI_F_GETLK, (Addr)&lock) < 0 ||
	       lock.l_type != NO_LOCK;
}

void outside_end_with_owner(void)
{
	if (atomic_load(&arena->stop) || owner_lives() ||
	    atomic_load(&arena->stop))
		return;
	words_end();
	call(__NR_exit_group, 128 + VKI_SIGKILL, 0, 0, 0, 0);
}

/* Programs that are executed */

static void keep_open(bool keep)
{
	unsigned i;

	for (i = 0; i < NUM_DESCRIPTORS; i++)
		VG_(fcntl)
	(descriptors[i], VKI_F_SETFD, keep ? 0 : VKI_FD_CLOEXEC);
}

static void set_option(const HChar **argv)
{
	static HChar text[TEXT_BYTES];

	VG_(sprintf)
	(text, OPTION "%s:%d:%d:%d:%d", key, descriptors[MEMORY],
	 descriptors[PROC], descriptors[TOOL], descriptors[FOLDER]);
	for (; *argv; argv++)
		if (VG_(strncmp)(*argv, OPTION, sizeof(OPTION) - 1) == 0) {
			*argv = text;
			return;
		}
}

/* With what Valgrind's command adds, in whose stead this tool is executed. */
static const HChar **with_launcher(const HChar **envp)
{
	static const HChar name[] = "VALGRIND_LAUNCHER=";
	const HChar **made;
	HChar *entry;
	SizeT num = 0;

	while (envp[num])
		num++;
	made = VG_(malloc)("uncore.envp", (num + 2) * sizeof(*made));
	entry = VG_(malloc)("uncore.launcher",
			    sizeof(name) +
				    VG_(strlen)(vgPlain_name_of_launcher));
	VG_(memcpy)(made, envp, num * sizeof(*made));
	VG_(sprintf)(entry, "%s%s", name, vgPlain_name_of_launcher);
	made[num] = entry;
	made[num + 1] = NULL;
	return made;
}

extern SysRes __real_vgPlain_do_syscall(UWord number, UWord a1, UWord a2,
					UWord a3, UWord a4, UWord a5, UWord a6,
					UWord a7, UWord a8);
SysRes __wrap_vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3,
				 UWord a4, UWord a5, UWord a6, UWord a7,
				 UWord a8);

/* A program that is followed is Valgrind's command with the program as its
 * argument; that command may be out of reach, this tool is not. */
SysRes __wrap_vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3,
				 UWord a4, UWord a5, UWord a6, UWord a7,
				 UWord a8)
{
	SysRes result;

	if (number == __NR_exit_group)
		a1 = words_exit_status(a1);
	/* who dies in the end takes the signal itself: a thread that is still
	 * leaving would do so too late */
	if (number == __NR_kill && words_have_ended())
		return __real_vgPlain_do_syscall(__NR_tgkill, a1,
						 (UWord)VG_(gettid)(), a2, 0, 0,
						 0, 0, 0);
	if (arena && (number == __NR_execve || number == __NR_execveat))
		calls_execute();
	if (number != __NR_execve || !arena ||
	    a1 != (UWord)vgPlain_name_of_launcher)
		return __real_vgPlain_do_syscall(number, a1, a2, a3, a4, a5, a6,
						 a7, a8);
	set_option((const HChar **)a2);
	keep_open(true);
	result = call(__NR_execveat, (UWord)descriptors[TOOL], (UWord) "", a2,
		      (UWord)with_launcher((const HChar **)a3), EMPTY_PATH);
	keep_open(false);
	return result;
}
