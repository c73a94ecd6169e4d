/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who may run must not depend on how fast things happen here. So before the
 * next thread is chosen, every thread that is in a system call has to be seen
 * either asleep in it, by what the kernel says, or back at its gate: a thread
 * that was woken by what another did is then always there.
 */
#include "bridge/valgrind/turns.h"

#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

/* What the kernel says */

/* The letter of its state; X (dead) also when there is no such thread.
 * *num_threads is how many its process has. */
static HChar state_and_threads(const struct arena_thread *thread,
			       Long *num_threads)
{
	enum { STATE = 3, NUM_THREADS = 20 }; /* fields of the file */
	HChar path[64];
	HChar text[512];
	const HChar *state, *at;
	UInt field;

	*num_threads = 0;
	VG_(sprintf)(path, "%u/task/%u/stat", thread->pid, thread->tid);
	if (outside_read(path, text, sizeof(text)) <= 0)
		return 'X';
	state = at = VG_(strrchr)(text, ')');
	for (field = STATE - 1; at && field < NUM_THREADS; field++)
		at = VG_(strchr)(at + 1, ' ');
	if (at)
		*num_threads = VG_(strtoll10)(at + 1, NULL);
	return state ? state[2] : '\0';
}

static HChar state_of(const struct arena_thread *thread)
{
	Long num_threads;

	return state_and_threads(thread, &num_threads);
}

static bool lives_without(const struct arena_thread *thread)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	for (i = 0; i < num; i++) {
		const struct arena_thread *other = &arena->threads[i];

		if (other->pid == thread->pid && !other->is_teller &&
		    atomic_load(&other->state) < THREAD_LEAVES)
			return true;
	}
	return false;
}

/* Asleep by its state; also when it is gone. Who waits until a child made by
 * vfork() or posix_spawn() executes something does so in a state of its own. */
static bool sleeps(const struct arena_thread *thread, HChar state)
{
	if (state == 'D')
		return thread->call == __NR_clone &&
		       (thread->call_argument & VKI_CLONE_VFORK);
	return state == 'S' || state == 'Z' || state == 'X';
}

/* Of a process that ends the first thread is a zombie while others of the
 * kernel's still end, of which Valgrind does not know all: who waits for the
 * process is told behind the last. */
static bool is_gone(const struct arena_thread *thread)
{
	Long num_threads;
	HChar state = state_and_threads(thread, &num_threads);

	return state == 'X' ||
	       (state == 'Z' && (num_threads <= 1 || lives_without(thread)));
}

static bool means_stopped(HChar state)
{
	return state == 'T' || state == 't';
}

bool settle_is_stopped(const struct arena_thread *thread)
{
	return means_stopped(state_of(thread));
}

/* Who is stopped may be so at any place. */
bool settle_sleeps_in_call(const struct arena_thread *thread)
{
	HChar state = state_of(thread);
	HChar path[64];
	HChar text[256];
	HChar *end;

	if (means_stopped(state))
		return true;
	if (!sleeps(thread, state))
		return false;
	VG_(sprintf)
	(path, "%u/task/%u/syscall", thread->pid, thread->tid);
	if (outside_read(path, text, sizeof(text)) <= 0)
		return true; /* the kernel does not tell */
	if (text[0] < '0' || text[0] > '9')
		return false;
	if (VG_(strtoll10)(text, &end) == __NR_restart_syscall)
		return true;
	if (VG_(strtoll10)(text, &end) != (Long)thread->call)
		return false;
	/* Valgrind sleeps in two calls itself. */
	if (thread->call != __NR_futex && thread->call != __NR_read)
		return true;
	return (uint32_t)VG_(strtoull16)(end + 1, NULL) ==
	       thread->call_argument;
}

/* Whether all sleep or have come */

void settle_stir(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	for (i = 0; i < num; i++)
		arena->threads[i].is_asleep = false;
	turns_look_again(false);
}

bool settle_all(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t before = atomic_load(&arena->arrivals);
	uint32_t i;

	for (i = 0; i < num; i++) {
		struct arena_thread *thread = &arena->threads[i];

		switch (atomic_load(&thread->state)) {
		case THREAD_COMES:
			if (!thread->pid || !is_gone(thread))
				return false;
			threads_end(thread, THREAD_ENDED);
			break;
		case THREAD_LEAVES:
			if (!is_gone(thread))
				return false;
			atomic_store(&thread->state, THREAD_ENDED);
			settle_stir();
			turns_look_again(true);
			return false;
		case THREAD_WAITS:
			if (thread->naps &&
			    thread->calm_at != atomic_load(&thread->go) &&
			    !thread->is_teller)
				return false;
			break;
		case THREAD_BLOCKED:
			if (thread->is_asleep)
				break;
			if (!settle_sleeps_in_call(thread))
				return false;
			thread->is_asleep = true;
			break;
		default: break;
		}
	}
	return atomic_load(&arena->arrivals) == before;
}

bool settle_waits_for_world(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	for (i = 0; i < num; i++) {
		const struct arena_thread *thread = &arena->threads[i];
		uint32_t state = atomic_load(&thread->state);

		if (thread->waits_for_world &&
		    (state == THREAD_BLOCKED ||
		     (state == THREAD_WAITS && thread->watches)))
			return true;
	}
	return false;
}

bool settle_any_blocked(void)
{
	uint32_t num = atomic_load(&arena->num_threads);
	uint32_t i;

	if (atomic_load(&arena->num_live) < 2)
		return false;
	for (i = 0; i < num; i++) {
		uint32_t state = atomic_load(&arena->threads[i].state);

		if (state == THREAD_BLOCKED || state == THREAD_COMES ||
		    state == THREAD_LEAVES || arena->threads[i].watches)
			return true;
	}
	return false;
}

/* Calls */

bool settle_most_often_sleeps(UInt call)
{
	switch (call) {
	case __NR_futex:
	case __NR_nanosleep:
	case __NR_clock_nanosleep:
	case __NR_poll:
	case __NR_ppoll:
	case __NR_select:
	case __NR_pselect6:
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
	case __NR_wait4:
	case __NR_waitid:
	case __NR_pause:
	case __NR_rt_sigsuspend:
	case __NR_rt_sigtimedwait:
	case __NR_semop:
	case __NR_semtimedop:
	case __NR_accept:
	case __NR_accept4:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_sched_yield: return true;
	default: return false;
	}
}

bool settle_makes_thread(UInt call)
{
	return call == __NR_clone || call == __NR_clone3 || call == __NR_fork ||
	       call == __NR_vfork;
}

bool settle_sends_signal(UInt call)
{
	switch (call) {
	case __NR_kill:
	case __NR_tkill:
	case __NR_tgkill:
	case __NR_rt_sigqueueinfo:
	case __NR_rt_tgsigqueueinfo: return true;
	default: return false;
	}
}

bool settle_is_quiet(UInt call, UWord argument)
{
	switch (call) {
	case __NR_futex: /* FUTEX_WAIT and its like */
		argument &= 0x7f;
		return argument == 0 || argument == 9 || argument == 11;
	case __NR_pread64:
	case __NR_open:
	case __NR_openat:
	case __NR_stat:
	case __NR_fstat:
	case __NR_lstat:
	case __NR_newfstatat:
	case __NR_lseek:
	case __NR_mmap:
	case __NR_munmap:
	case __NR_mprotect:
	case __NR_mremap:
	case __NR_madvise:
	case __NR_brk:
	case __NR_rt_sigaction:
	case __NR_rt_sigprocmask:
	case __NR_rt_sigreturn:
	case __NR_sigaltstack:
	case __NR_access:
	case __NR_getpid:
	case __NR_gettid:
	case __NR_getrandom:
	case __NR_getrusage:
	case __NR_gettimeofday:
	case __NR_clock_gettime:
	case __NR_times:
	case __NR_uname:
	case __NR_getcpu:
	case __NR_nanosleep:
	case __NR_clock_nanosleep:
	case __NR_poll:
	case __NR_select:
	case __NR_sched_yield:
	case __NR_set_robust_list:
	case __NR_arch_prctl:
	case __NR_prctl:
	case __NR_wait4: return true;
	default: return false;
	}
}
