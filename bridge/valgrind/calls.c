/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * System calls. Where a thread runs and where memory lies are things of the
 * modelled machine: such calls are answered here and never reach the kernel.
 * Others are noted: what maps and unmaps memory, and what sleeps or wakes. For
 * that the linker lets Valgrind call what is here first (--wrap in
 * meson.build).
 */
#include "bridge/valgrind/core.h"

#include "bridge/valgrind/clock.h"
#include "bridge/valgrind/machine.h"
#include "bridge/valgrind/policy.h"
#include "bridge/valgrind/random.h"
#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_machine.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

extern void __real_vgPlain_client_syscall(ThreadId tid, UInt kind);
void __wrap_vgPlain_client_syscall(ThreadId tid, UInt kind);

UWord calls_register(ThreadId tid, SizeT offset)
{
	UWord value = 0;

	VG_(get_shadow_regs_area)
	(tid, (UChar *)&value, 0, (PtrdiffT)offset, sizeof(value));
	return value;
}

void calls_answer(ThreadId tid, Long value)
{
	VG_(set_shadow_regs_area)
	(tid, 0, REGISTER(RAX), sizeof(value), (const UChar *)&value);
}

static bool can(Addr address, SizeT size_bytes, UInt rights)
{
	return VG_(am_is_valid_for_client)(address, size_bytes, rights);
}

/* A mask of the kernel's, as far as it fits; false: it cannot be read. */
static bool read_mask(Addr address, UWord num_bits, uint64_t *mask, UInt words)
{
	SizeT size_bytes = (num_bits + 63) / 64 * 8;
	UInt i;

	VG_(memset)(mask, 0, words * 8);
	if (!address || !num_bits)
		return true;
	if (!can(address, size_bytes, VKI_PROT_READ))
		return false;
	for (i = 0; i < words && i < size_bytes / 8; i++)
		mask[i] = ((const uint64_t *)address)[i];
	return true;
}

/* CPUs */

/* Of Valgrind's core. */
extern ThreadId vgPlain_lwpid_to_vgtid(Int lwpid);

/* The thread of the run with that number of the kernel's; 0: this one. */
static struct arena_thread *thread_of(ThreadId tid, UWord target)
{
	if (target)
		tid = vgPlain_lwpid_to_vgtid((Int)target);
	return tid == VG_INVALID_THREADID ? turns_find((uint32_t)target)
					  : turns_thread(tid);
}

static Long set_affinity(struct arena_thread *thread, UWord size_bytes,
			 Addr address)
{
	unsigned num = front_num_cores();
	uint64_t mask[2];
	unsigned i;

	if (!thread)
		return -VKI_ESRCH;
	if (!read_mask(address, size_bytes * 8, mask, 2))
		return -VKI_EFAULT;
	for (i = num; i < 128; i++)
		mask[i / 64] &= ~(UINT64_C(1) << i % 64);
	if (!mask[0] && !mask[1])
		return -VKI_EINVAL;
	turns_pin(thread, mask);
	return 0;
}

/* The program's own mask, else all cores; where the program is to see the
 * host's CPUs and has set none, the kernel's answer stands. */
static bool get_affinity(const struct arena_thread *thread, UWord size_bytes,
			 Addr address, Long *result)
{
	struct set set = set_of(0, front_num_cores() - 1);
	SizeT needed = (front_num_cores() + 63) / 64 * 8;

	if (!thread)
		return false;
	if (thread->mask[0] || thread->mask[1])
		set = (struct set){ { thread->mask[0], thread->mask[1] } };
	else if (arena->keeps_cpus)
		return false;
	*result = -VKI_EINVAL;
	if (size_bytes < needed || size_bytes % 8)
		return true;
	*result = -VKI_EFAULT;
	if (!can(address, needed, VKI_PROT_WRITE))
		return true;
	VG_(memcpy)((void *)address, set.words, needed);
	*result = (Long)needed;
	return true;
}

static Long get_cpu(Addr cpu, Addr socket)
{
	if (cpu && can(cpu, 4, VKI_PROT_WRITE))
		*(UInt *)cpu = front.core_number;
	if (socket && can(socket, 4, VKI_PROT_WRITE))
		*(UInt *)socket = front.socket;
	return 0;
}

/* Memory policies */

static Long bind(Addr address, SizeT size_bytes, UInt mode, Addr nodes,
		 UWord num_bits, UInt flags)
{
	uint64_t mask;
	Addr at;

	if (!read_mask(nodes, num_bits, &mask, 1))
		return -VKI_EFAULT;
	if (!policy_bind(address, size_bytes, mode, mask))
		return -VKI_EINVAL;
	if (flags & 6) /* MPOL_MF_MOVE, _MOVE_ALL */
		for (at = address; at < address + size_bytes; at += PAGE_BYTES)
			if (pages_socket(at) >= 0)
				pages_move_to(at, policy_socket(at));
	return 0;
}

static Long get_policy(Addr mode, Addr nodes, UWord num_bits, Addr address,
		       UWord flags)
{
	uint64_t mask = 0;
	UInt which = policy_mode(flags & 2 ? address : 0, &mask);

	if (flags & 4) /* MPOL_F_MEMS_ALLOWED */
		mask = (UINT64_C(1) << arena->num_sockets) - 1;
	if ((flags & 3) == 3) /* MPOL_F_NODE | MPOL_F_ADDR */
		which = pages_socket(address) < 0 ? policy_socket(address)
						  : (UInt)pages_socket(address);
	if (mode) {
		if (!can(mode, 4, VKI_PROT_WRITE))
			return -VKI_EFAULT;
		*(UInt *)mode = which;
	}
	if (nodes && num_bits) {
		SizeT size_bytes = (num_bits + 63) / 64 * 8;

		if (!can(nodes, size_bytes, VKI_PROT_WRITE))
			return -VKI_EFAULT;
		VG_(memset)((void *)nodes, 0, size_bytes);
		*(uint64_t *)nodes = mask;
	}
	return 0;
}

static Long move_pages(UWord num, Addr pages, Addr nodes, Addr status)
{
	UWord i;

	if (!can(pages, num * 8, VKI_PROT_READ) ||
	    !can(status, num * 4, VKI_PROT_WRITE) ||
	    (nodes && !can(nodes, num * 4, VKI_PROT_READ)))
		return -VKI_EFAULT;
	for (i = 0; i < num; i++) {
		Addr address = ((const Addr *)pages)[i];
		Int *to = (Int *)status + i;

		if (nodes) {
			Int node = ((const Int *)nodes)[i];

			if (node < 0 || node >= (Int)arena->num_sockets)
				return -VKI_ENODEV;
			pages_move_to(address, (unsigned)node);
		}
		*to = pages_socket(address);
		if (*to < 0)
			*to = -VKI_ENOENT;
	}
	return 0;
}

/* True when the call was answered. */
static bool answered(ThreadId tid, UWord call, Long *result)
{
	UWord a = calls_register(tid, REGISTER(RDI));
	UWord b = calls_register(tid, REGISTER(RSI));
	UWord c = calls_register(tid, REGISTER(RDX));
	UWord d = calls_register(tid, REGISTER(R10));
	UWord e = calls_register(tid, REGISTER(R8));
	UWord f = calls_register(tid, REGISTER(R9));

	switch (call) {
	case __NR_sched_setaffinity:
		*result = set_affinity(thread_of(tid, a), b, c);
		return true;
	case __NR_sched_getaffinity:
		return get_affinity(thread_of(tid, a), b, c, result);
	case __NR_getcpu: *result = get_cpu(a, b); return true;
	case __NR_mbind:
		*result = bind(a, b, (UInt)c, d, e, (UInt)f);
		return true;
	case __NR_set_mempolicy:
		*result = bind(0, 0, (UInt)a, b, c, 0);
		return true;
	case __NR_get_mempolicy:
		*result = get_policy(a, b, c, d, e);
		return true;
	case __NR_move_pages: *result = move_pages(b, c, d, e); return true;
	case __NR_migrate_pages: *result = 0; return true;
	default: return false;
	}
}

/* Of the program, as Valgrind has it open. */
extern Int vgPlain_cl_exec_fd;

/* Of Valgrind's core. */
extern Bool vgPlain_extend_stack(ThreadId tid, Addr address);

enum { REDZONE_BYTES = 128 };

/* A program that executes /proc/self/exe means itself and not Valgrind. Its
 * path is put where nothing is of its own: below the stack. */
static void name_program(ThreadId tid)
{
	UWord name = calls_register(tid, REGISTER(RDI));
	HChar link[64];
	HChar path[ARENA_PATH_BYTES];
	Addr place = VG_(get_SP)(tid) - REDZONE_BYTES - sizeof(path);
	SSizeT length;

	if (!can(name, 1, VKI_PROT_READ) || *(HChar *)name != '/' ||
	    !outside_is_own((HChar *)name + 1, "exe"))
		return;
	VG_(sprintf)(link, "/proc/self/fd/%d", vgPlain_cl_exec_fd);
	length = VG_(readlink)(link, path, sizeof(path) - 1);
	if (length <= 0)
		return;
	if (!can(place, sizeof(path), VKI_PROT_WRITE) &&
	    !vgPlain_extend_stack(tid, place))
		return;
	path[length] = '\0';
	VG_(memcpy)((void *)place, path, (SizeT)length + 1);
	VG_(set_shadow_regs_area)
	(tid, 0, REGISTER(RDI), sizeof(place), (const UChar *)&place);
}

/* Of Valgrind's core. */
extern void vgPlain_poll_signals(ThreadId tid);
extern Bool vgPlain_is_exiting(ThreadId tid);
extern void vgPlain_set_IP(ThreadId tid, Addr address);

enum { SYSCALL_BYTES = 2 };

/* Valgrind drops what is pending when a program executes another one, so it is
 * taken before; whether there was something: the call comes again after it. */
static bool takes_signal(ThreadId tid)
{
	Addr call = VG_(get_IP)(tid) - SYSCALL_BYTES;

	vgPlain_set_IP(tid, call);
	vgPlain_poll_signals(tid);
	if (vgPlain_is_exiting(tid) || VG_(get_IP)(tid) != call)
		return true;
	vgPlain_set_IP(tid, call + SYSCALL_BYTES);
	return false;
}

static void set(ThreadId tid, SizeT offset, UWord value)
{
	VG_(set_shadow_regs_area)
	(tid, 0, (PtrdiffT)offset, sizeof(value), (const UChar *)&value);
}

/* timerfd_create(): the descriptor is one of eventfd2(). */
static void make_timer_file(ThreadId tid, UInt kind, const UWord *args)
{
	Int file;

	set(tid, REGISTER(RAX), __NR_eventfd2);
	set(tid, REGISTER(RDI), 0);
	__real_vgPlain_client_syscall(tid, kind);
	set(tid, REGISTER(RDI), args[0]);
	file = (Int)calls_register(tid, REGISTER(RAX));
	if (file >= 0)
		timers_opened(args[0], file);
}

void __wrap_vgPlain_client_syscall(ThreadId tid, UInt kind)
{
	UWord args[] = { calls_register(tid, REGISTER(RDI)),
			 calls_register(tid, REGISTER(RSI)),
			 calls_register(tid, REGISTER(RDX)),
			 calls_register(tid, REGISTER(R10)),
			 calls_register(tid, REGISTER(R8)),
			 calls_register(tid, REGISTER(R9)) };
	bool is_left = false;
	Long result;

	if (calls_register(tid, REGISTER(RAX)) == __NR_execve) {
		if (takes_signal(tid))
			return;
		name_program(tid);
	}

	result = -random_refuses(calls_register(tid, REGISTER(RAX)), args);
	if (result ||
	    clock_answers(calls_register(tid, REGISTER(RAX)), args, &result) ||
	    timers_answer(tid, calls_register(tid, REGISTER(RAX)), args,
			  &result) ||
	    sleep_answers(tid, calls_register(tid, REGISTER(RAX)), args,
			  &result, &is_left)) {
		if (!is_left)
			calls_answer(tid, result);
		return;
	}
	if (!front.is_off && front.core &&
	    (answered(tid, calls_register(tid, REGISTER(RAX)), &result) ||
	     machine_answers(calls_register(tid, REGISTER(RAX)), args,
			     &result))) {
		calls_answer(tid, result);
		return;
	}
	if (calls_register(tid, REGISTER(RAX)) == __NR_timerfd_create &&
	    timers_take_file(args))
		make_timer_file(tid, kind, args);
	else
		__real_vgPlain_client_syscall(tid, kind);
}

/* Notes */

/* Whether a call takes code of a file out of memory. */
static bool removes_code(UInt call, const UWord *args)
{
	bool is_fixed = call == __NR_mmap && (args[3] & VKI_MAP_FIXED);
	const NSegment *segment;
	Addr at = args[0];

	if (call != __NR_munmap && !is_fixed)
		return false;
	while (at - args[0] < args[1]) {
		segment = VG_(am_find_nsegment)(at);
		if (!segment)
			return false;
		if (segment->kind == SkFileC && segment->hasX)
			return true;
		at = segment->end + 1;
	}
	return false;
}

static bool is_sampled(void)
{
	return arena->has_stacks && !front.is_off && front.thread;
}

static void before(ThreadId tid, UInt call, UWord *args, UInt num)
{
	(void)num;
	access_fence();
	/* Samples want names while the code is there. */
	if (is_sampled() && removes_code(call, args)) {
		stream_publish();
		stream_drain();
		front.space = (uint32_t)arena->spaces++;
	}
	if (call == __NR_ptrace)
		front_traces(args[0]);
	terminal_look(call, args[0]);
	turns_call(tid, call, args);
	if (call == __NR_exit_group)
		pages_leave();
}

void calls_execute(void)
{
	UInt call = front.thread ? front.thread->call : 0;

	if (front.is_off || (call != __NR_execve && call != __NR_execveat))
		return;
	shares_end();
	pages_leave();
	timers_pause();
}

static void note_mapping(const UWord *args, UWord at)
{
	UWord flags = args[3];
	uint64_t id = 0;

	if (is_sampled() && (args[2] & VKI_PROT_EXEC) &&
	    !(flags & VKI_MAP_ANONYMOUS))
		front.space = (uint32_t)arena->spaces++;
	objects_map(at, args[1],
		    flags & VKI_MAP_ANONYMOUS ? ARENA_MMAP : ARENA_NO_FUNCTION);
	if (flags & 0x40000 /* MAP_HUGETLB */)
		pages_large(at, args[1], True);
	if ((flags & VKI_MAP_SHARED) == 0)
		return;
	if (flags & VKI_MAP_ANONYMOUS)
		id = ++arena->objects;
	policy_share(at, (args[1] + PAGE_BYTES - 1) & ~(UWord)(PAGE_BYTES - 1),
		     id);
}

static void after(ThreadId tid, UInt call, UWord *args, UInt num, SysRes res)
{
	bool is_ok = !sr_isError(res);

	(void)num;
	if (call == __NR_connect) /* also one that is still under way */
		world_note_port((Int)args[0]);
	turns_called(tid, call, args[1], is_ok, sr_Res(res));
	if (call == __NR_clone || call == __NR_fork || call == __NR_vfork)
		turns_made(is_ok);
	if (!is_ok)
		return;
	random_called(tid, call, args, sr_Res(res));
	clock_called(tid, call, args, sr_Res(res));
	switch (call) {
	case __NR_mmap: note_mapping(args, sr_Res(res)); break;
	case __NR_mremap:
		objects_move(sr_Res(res), sr_Res(res), args[2]);
		break;
	case __NR_listen: world_note_port((Int)args[0]); break;
	case __NR_close: timers_closed((Int)args[0]); break;
	case __NR_dup2:
	case __NR_dup3:
		if (args[0] != args[1])
			timers_closed((Int)args[1]);
		break;
	case __NR_shmat: {
		const NSegment *segment = VG_(am_find_nsegment)(sr_Res(res));

		if (segment)
			policy_share(segment->start,
				     segment->end - segment->start + 1,
				     (UINT64_C(1) << 32) + args[0]);
		break;
	}
	case __NR_madvise:
		if (args[2] == 4 || args[2] == 8) /* _DONTNEED, _FREE */
			pages_drop(args[0], args[1]);
		if (args[2] == 14 || args[2] == 15) /* _HUGEPAGE, _NOHUGEPAGE */
			pages_large(args[0], args[1], args[2] == 14);
		break;
	default: copies_note(tid, call, args, sr_Res(res)); break;
	}
}

/* Memory */

static void grown(Addr address, SizeT size_bytes, ThreadId tid)
{
	(void)tid;
	objects_map(address, size_bytes, ARENA_BRK);
}

static void unmapped(Addr address, SizeT size_bytes)
{
	callers_forget();
	objects_unmap(address, size_bytes);
	pages_drop(address, size_bytes);
	pages_large(address, size_bytes, False);
	policy_forget(address, size_bytes);
}

static void moved(Addr from, Addr to, SizeT size_bytes)
{
	callers_forget();
	objects_move(from, to, size_bytes);
	pages_move(from, to, size_bytes);
	pages_large(from, size_bytes, False);
	policy_move(from, to, size_bytes);
}

static void protected(Addr address, SizeT size_bytes, Bool is_readable,
		      Bool is_writable, Bool is_executable)
{
	(void)address;
	(void)size_bytes;
	(void)is_writable;
	(void)is_executable;
	if (!is_readable)
		callers_forget();
}

void calls_init(void)
{
	VG_(needs_syscall_wrapper)(before, after);
	VG_(track_die_mem_munmap)(unmapped);
	VG_(track_new_mem_brk)(grown);
	VG_(track_die_mem_brk)(unmapped);
	VG_(track_change_mem_mprotect)(protected);
	VG_(track_copy_mem_remap)(moved);
	random_init();
}
