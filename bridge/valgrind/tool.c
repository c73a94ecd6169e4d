/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What Valgrind asks of a tool: its options, its start and its end, and who is
 * followed when the program executes others.
 */
#include "bridge/valgrind/clock.h"
#include "bridge/valgrind/core.h"
#include "bridge/valgrind/random.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

struct arena *arena;
uint32_t arena_frames_per_socket;
struct front front;

static const HChar *arena_option;
static bool is_tracer, is_debugged;

/* Of Valgrind's core. */
extern Bool vgPlain_is_exiting(ThreadId tid);
extern Bool vgPlain_search_transtab(Addr *code, UShort *section, UShort *entry,
				    Addr guest, Bool keeps);

void front_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
	struct vki_timespec timeout = {
		.tv_sec = (long)(timeout_ns / 1000000000),
		.tv_nsec = (long)(timeout_ns % 1000000000),
	};

	VG_(do_syscall)
	(__NR_futex, (UWord)word, VKI_FUTEX_WAIT, value, (UWord)&timeout, 0, 0,
	 0, 0);
}

void front_wake(_Atomic uint32_t *word)
{
	VG_(do_syscall)
	(__NR_futex, (UWord)word, VKI_FUTEX_WAKE, 0x7fffffff, 0, 0, 0, 0, 0);
}

/* Turns */

extern void __real_vgPlain_disp_run_translations(HWord *result, void *state,
						 Addr code);
void __wrap_vgPlain_disp_run_translations(HWord *result, void *state,
					  Addr code);

extern Bool vgPlain_in_generated_code;
/* Valgrind's own statistics of jumps, which it wants to find at 0. */
extern UInt vgPlain_stats__n_xIndirs_32;
extern UInt vgPlain_stats__n_xIndir_hits1_32;
extern UInt vgPlain_stats__n_xIndir_hits2_32;
extern UInt vgPlain_stats__n_xIndir_hits3_32;
extern UInt vgPlain_stats__n_xIndir_misses_32;

extern void __real_vgPlain_reap_threads(ThreadId self);
void __wrap_vgPlain_reap_threads(ThreadId self);

static VexGuestAMD64State *running;
static UInt cut_blocks; /* that it was not to run */

void front_cut(void)
{
	front.is_cut = 1;
	if (!running || (Int)running->host_EvC_COUNTER <= 0)
		return;
	cut_blocks += running->host_EvC_COUNTER;
	running->host_EvC_COUNTER = 0;
}

/* Another thread may run now, in the midst of this one's code. */
static void leave_code(void)
{
	vgPlain_in_generated_code = False;
	vgPlain_stats__n_xIndirs_32 = 0;
	vgPlain_stats__n_xIndir_hits1_32 = 0;
	vgPlain_stats__n_xIndir_hits2_32 = 0;
	vgPlain_stats__n_xIndir_hits3_32 = 0;
	vgPlain_stats__n_xIndir_misses_32 = 0;
}

/* Who dies of a fault lets all others end, before it leaves its own code; they
 * come here from their gate, which Valgrind does not know of. */
void __wrap_vgPlain_reap_threads(ThreadId self)
{
	Bool was_in_code = vgPlain_in_generated_code;

	leave_code();
	__real_vgPlain_reap_threads(self);
	vgPlain_in_generated_code = was_in_code;
}

void front_stops(void)
{
	VexGuestAMD64State *guest = running;
	UInt cut = cut_blocks;

	if (!guest)
		return;
	leave_code();
	turns_start(VG_(get_running_tid)());
	vgPlain_in_generated_code = True;
	front.is_cut = 0;
	cut_blocks = cut;
	running = guest;
}

/* As many blocks as there are in a piece of the turn, of `left`. */
static UInt run_piece(HWord *result, VexGuestAMD64State *guest, Addr code,
		      UInt left)
{
	UInt blocks = (UInt)turns_blocks();

	if (blocks > left)
		blocks = left; /* none: the thread ends */
	guest->host_EvC_COUNTER = blocks;
	cut_blocks = 0;
	front.is_cut = 0;
	running = guest;
	__real_vgPlain_disp_run_translations(result, guest, code);
	running = NULL;
	blocks -= cut_blocks + guest->host_EvC_COUNTER;
	turns_ran(blocks);
	return blocks;
}

/* Valgrind is about to run the thread's code, for as many blocks as it says.
 * What it does between two pieces (its lock, signals) costs more than a piece,
 * so in the midst of a turn the next one begins here. The count of blocks falls
 * below zero where one was not begun since it had run out. */
void __wrap_vgPlain_disp_run_translations(HWord *result, void *state, Addr code)
{
	VexGuestAMD64State *guest = state;
	UInt left = guest->host_EvC_COUNTER;

	if (vgPlain_is_exiting(VG_(get_running_tid)()))
		left = 0;
	do
		left -= run_piece(result, guest, code, left);
	while ((Int)guest->host_EvC_COUNTER < 0 &&
	       (Int)left >= TURNS_MAX_BLOCKS &&
	       !vgPlain_is_exiting(VG_(get_running_tid)()) && turns_go_on() &&
	       vgPlain_search_transtab(&code, NULL, NULL, guest->guest_RIP,
				       True));
}

static void thread_starts(ThreadId tid, ULong blocks)
{
	(void)blocks;
	turns_start(tid);
	copies_make(tid);
	clock_goes_on(tid);
}

static void thread_is_made(ThreadId tid, ThreadId child)
{
	(void)tid;
	turns_make(child);
	objects_begin(child);
}

static void before_fork(ThreadId tid)
{
	(void)tid;
	if (front.is_off)
		return;
	pages_forked();
	turns_make(0);
}

static void after_fork(ThreadId tid)
{
	is_debugged = false;
	objects_begin(tid);
	if (!front.is_off)
		turns_fork_child(tid);
}

/* Who is followed */

extern Bool __real_vgPlain_should_we_trace_this_child(const HChar *path,
						      const HChar **argv);
Bool __wrap_vgPlain_should_we_trace_this_child(const HChar *path,
					       const HChar **argv);

enum {
	HEAD_BYTES = 20,
	CLASS_AT = 4,
	CLASS_64 = 2,
	MACHINE_AT = 18,
	MACHINE_X86_64 = 62
};

/* Programs for another processor, those that get other rights, and those that a
 * debugger starts run without the front end. What cannot be read fails by
 * itself. */
static bool can_follow(const HChar *path)
{
	struct vg_stat status;
	UChar head[HEAD_BYTES];
	SysRes opened;
	Int length;

	if (sr_isError(VG_(stat)(path, &status)))
		return true;
	if (is_debugged)
		return false;
	if (status.mode & (VKI_S_ISUID | VKI_S_ISGID))
		return VG_(geteuid)() == 0;
	opened = VG_(open)(path, VKI_O_RDONLY, 0);
	if (sr_isError(opened))
		return false;
	length = VG_(read)((Int)sr_Res(opened), head, sizeof(head));
	VG_(close)((Int)sr_Res(opened));
	if (length < (Int)sizeof(head) || head[0] != 0x7f || head[1] != 'E')
		return true;
	return head[CLASS_AT] == CLASS_64 && head[MACHINE_AT] == MACHINE_X86_64;
}

/* Who is not followed has no turn any more, or others would wait for it until
 * it ends. */
Bool __wrap_vgPlain_should_we_trace_this_child(const HChar *path,
					       const HChar **argv)
{
	bool counts = !front.is_off || is_tracer;

	if (counts && !atomic_load(&arena->stop) && can_follow(path))
		return __real_vgPlain_should_we_trace_this_child(path, argv);
	atomic_fetch_add(&arena->not_followed, 1);
	if (!front.is_off)
		turns_leave(True);
	return False;
}

/* A process that others stop and let go on as they like, and one that does this
 * to others, cannot take turns with them: both run uncounted. The first process
 * has uncore for its parent, which lets it go on at once. What a tracer
 * executes is followed as ever; a debugger wants to see its program and not
 * Valgrind. */
void front_traces(UWord request)
{
	enum { TRACE_ME };

	if (front.is_off ||
	    (request == TRACE_ME && front.pid == arena->threads[0].pid))
		return;
	is_debugged = request == TRACE_ME;
	is_tracer = !is_debugged;
	atomic_fetch_add(&arena->num_traced, 1);
	turns_leave(True);
	front.is_off = 1;
}

/* Start and end */

static Bool take_option(const HChar *option)
{
	return VG_STR_CLO(option, "--arena", arena_option) ||
	       VG_BOOL_CLO(option, "--check-code", translate_checks);
}

static void print_usage(void)
{
	VG_(printf)("    --arena=NUMBERS   what is shared with uncore\n");
}

static void print_debug_usage(void)
{
	VG_(printf)("    --check-code=yes   checks of intermediate code\n");
}

static void after_options(void)
{
	const HChar *reason = outside_open(arena_option);

	if (reason) {
		VG_(umsg)
		("uncore: this tool is started by 'uncore stat'; %s %s\n",
		 reason, arena_option ? arena_option : "(--arena=)");
		VG_(exit)(1);
	}
	front.pid = outside_pid();
	pages_init();
	if (!atomic_load(&arena->num_threads))
		world_begin();
	turns_drop_former_self();
	front.space = (uint32_t)arena->spaces++;
	objects_init();
	if (atomic_load(&arena->stop))
		front.is_off = 1;
	atomic_store(&arena->ready, 1);
}

/* Of Valgrind's core: the program's, where it reads it. */
extern HChar **vgPlain_client_envp;

/* Valgrind has programs load a library of its own, which nothing here needs,
 * and which is not there in every sandbox. */
static void forget_preload(void)
{
	static const HChar name[] = "LD_PRELOAD=";
	HChar **entry = vgPlain_client_envp;

	for (; entry && *entry; entry++) {
		HChar *value = *entry + sizeof(name) - 1;
		const HChar *more = VG_(strchr)(*entry, ':');

		if (VG_(strncmp)(*entry, name, sizeof(name) - 1) == 0 &&
		    VG_(strstr)(value, "/vgpreload_core-"))
			VG_(memmove)
		(value, more ? more + 1 : "",
		 more ? VG_(strlen)(more + 1) + 1 : 1);
	}
}

static void first_instruction(ThreadId tid)
{
	if (tid != 1)
		return;
	forget_preload();
	random_start();
}

/* What lies at an address of this process: a variable or a kind of memory. */
static void name_address(Addr address, HChar *text, SizeT size_bytes)
{
	const NSegment *segment = VG_(am_find_nsegment)(address);
	const HChar *name = NULL;
	PtrdiffT offset = 0;

	if (VG_(get_datasym_and_offset)(VG_(current_DiEpoch)(), address, &name,
					&offset))
		VG_(snprintf)
	(text, (Int)size_bytes, offset ? "%s+0x%lx" : "%s", name,
	 (UWord)offset);
	else VG_(snprintf)(text, (Int)size_bytes, "0x%lx (%s)", address,
			   !segment		      ? "unmapped"
			   : segment->isCH	      ? "heap"
			   : segment->kind == SkFileC ? "a file"
						      : "anonymous memory");
}

/* The busiest lines of this process get their names while it can tell. */
static void name_lines(void)
{
	unsigned i;

	for (i = 0; i < ARENA_BUSY_LINES; i++) {
		struct arena_busy *busy = &arena->busy[i];

		if (busy->pid != front.pid || !busy->transfers)
			continue;
		name_address(busy->address, busy->symbol, sizeof(busy->symbol));
		shares_tell(busy->site);
	}
}

static void end(Int code)
{
	(void)code;
	words_end();
	if (front.is_off)
		return;
	name_lines();
	shares_end();
	if (arena->has_stacks) /* samples want names */
		stream_drain();
	pages_leave();
	turns_leave(False);
}

static void before_options(void)
{
	VG_(details_name)("uncore");
	VG_(details_version)(UNCORE_VERSION);
	VG_(details_description)("the accesses of a program as traffic");
	VG_(details_copyright_author)("Copyright (c) 2026 The uncore authors");
	VG_(details_bug_reports_to)("the uncore authors");
	VG_(details_avg_translation_sizeB)(700);
	VG_(basic_tool_funcs)(after_options, instrument, end);
	VG_(needs_command_line_options)
	(take_option, print_usage, print_debug_usage);
	VG_(track_start_client_code)(thread_starts);
	VG_(track_pre_thread_ll_create)(thread_is_made);
	VG_(track_pre_thread_ll_exit)(turns_end);
	VG_(track_pre_thread_first_insn)(first_instruction);
	VG_(atfork)(before_fork, NULL, after_fork);
	calls_init();
}

VG_DETERMINE_INTERFACE_VERSION(before_options)
