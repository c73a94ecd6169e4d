/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of the front end share. It is a Valgrind tool: it has no C
 * library, runs one thread of its process at a time, and stands in for a few
 * functions of Valgrind's core, to which it is linked (see meson.build).
 *
 *   tool.c         what Valgrind asks for: options, start, end
 *   instrument.c   which of the program's instructions call what
 *   translate.c    what Valgrind's translation leaves out
 *   weigh.c        what a block costs the core; kinds.c has its operations
 *   cost.c         and what processors take for them
 *   special.c      instructions that reach the uncore by themselves
 *   access.c       lines, private caches
 *   holders.c      who has which line
 *   contest.c      lines that cores fight for, by the rules of travel.c
 *   stream.c       records to the model, and what it takes away
 *   callers.c      who has called the present instruction
 *   shares.c       whose memory most accesses are to
 *   objects.c      what lies where: memory that the program has made
 *   waits.c        what a core waits for in its own L2 and TLBs
 *   pages.c        page frames
 *   regions.c      marks, and what is counted between them
 *   turns*.c       which thread runs, and how long
 *   threads.c      which threads there are, and on which cores
 *   settle.c       whether all of them sleep or wait for their turn
 *   calls.c        system calls that are answered here, or noted
 *   machine.c      files that tell of the machine, and machine_text.c, how
 *   clock.c        the time, as the program reads it
 *   sleep.c        calls that wait for time
 *   timers.c       and what tells when it has come
 *   world.c        what comes from outside of the run
 *   terminal.c     whether the program uses the one that shows progress
 *   words.c        what Valgrind says when it gives up
 *   outside.c      what reaches out of namespaces and other roots
 *   random.c       random bytes, and who asked for them
 */
#ifndef UNCORE_FRONT_H
#define UNCORE_FRONT_H

#include <libvex_guest_amd64.h>
#include <pub_tool_basics.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_tooliface.h>

#include "bridge/valgrind/arena.h"

enum { LINE_BYTES = 64, PAGE_BYTES = 4096, LARGE_BYTES = 2 << 20 };

/* Lines (virtual, whole addresses) that were used last in their set of the L1s;
 * of `store` they are dirty. Their use changes nothing. */
struct recent {
	uint64_t load[PRIVCACHE_L1D_SETS];
	uint64_t store[PRIVCACHE_L1D_SETS];
	uint64_t code[PRIVCACHE_L1I_MAX_SETS];
};

/* The thread that has the turn: what every access needs, in one place. */
struct front {
	struct recent recent;
	/* Since stream_settle(): instructions that were executed on this core,
	 * and from bit 32 on what they take by themselves, in units of
	 * uncore_access.cycles. */
	uint64_t executed;
	uint64_t is_off;     /* nothing is counted (any more) */
	uint64_t is_outside; /* of all regions, and only they are counted */
	uint64_t wants_to_yield;
	uint64_t is_cut;	/* the turn ends as soon as it can */
	uint64_t hears;		/* until a signal ends what it waits for */
	uint64_t num_combining; /* of the core's buffers: in use */
	/* Where the thread returns to from the call that makes memory, by its
	 * stack pointer; UINT64_MAX: it is in none. */
	uint64_t making;
	struct arena_core *core;
	struct arena_thread *thread;
	uint32_t core_number, thread_number;
	uint32_t space; /* of this process */
	uint32_t pid;	/* as uncore's /proc has it */
	unsigned socket;
	ThreadId tid;
	Addr fresh_page; /* that the kernel is to have cleared, or 0 */
	/* A line, with the next one if the bytes are in both: loads from them
	 * are never "recent", so that random_read() is told of each. */
	Addr random_line, random_rest;
};

extern struct arena *arena;
extern uint32_t arena_frames_per_socket; /* that the table has */
extern struct front front;

/* tool.c: ptrace(2) is about to be called. */
void front_traces(UWord request);
/* Valgrind runs no block behind the present one, nor what is behind a locked
 * instruction in it, before it has asked. */
void front_cut(void);
/* A core stands: in the midst of the block, behind an access, the thread waits
 * for its next turn, if this one is over. */
void front_stops(void);

static inline unsigned front_num_cores(void) /* of the modelled machine */
{
	return arena->num_sockets * arena->cores_per_socket;
}

/* The private caches of every core. */
static inline const struct privcache_shape *front_caches(void)
{
	return &arena->cores[0].cache.shape;
}

/* The set of the L1I that a line (an address) belongs to. */
static inline unsigned front_code_set(uint64_t line)
{
	return line / LINE_BYTES & (privcache_l1i_sets(front_caches()) - 1);
}

/* Whether what the program does now reaches the caches and the model. */
static inline bool front_counts(void)
{
	return !front.is_off && !front.is_outside;
}

/* A line that no address is on. */
#define NO_LINE UINT64_MAX

/* access.c: called by the program's instructions. `code` is their address; in
 * a `site` there is the size of the access, too, in bytes: each argument of a
 * call is loaded whether it is made or not. */
enum {
	ACCESS_SIZE_SHIFT = 48,
	ACCESS_CHAIN_SHIFT = 56, /* of a load: see weigh.h */
	ACCESS_NUM_CHAINS = 256,
};
void access_load(Addr address, UWord site);
void access_store(Addr address, UWord site);
void access_locked(Addr address, UWord site);
void access_stream(Addr address, UWord site);
/* Of these bytes (bit n: byte n) only. */
void access_stream_some(Addr address, UWord code, UWord bytes);
void access_fetch(Addr address);
void access_prefetch(Addr address, UWord code, UWord is_to_write);
void access_flush(Addr address, UWord code, UWord keeps);
/* Buffers of non-temporal stores are emptied: what enters the kernel does so,
 * too. */
void access_fence(void);
/* All shortcuts, of all cores. */
void access_forget(void);
/* Somebody else may have changed the private caches of this core. */
void access_look(void);
/* A turn on this core ends or begins. */
void access_leave(void);
void access_enter(void);

/* Lines of memory that the kernel reads or writes. */
void access_kernel(Addr address, SizeT size_bytes, Bool is_write);

/* copies.c: a call is done that has copied so many bytes, and its thread goes
 * on. */
void copies_note(ThreadId tid, UInt call, const UWord *args, UWord num_bytes);
void copies_make(ThreadId tid);

/* holders.c: what is known of a line. */
struct arena_line *holders_of(uint64_t line);
/* The present core asks for the record's line (of which `who` is known), and
 * does so for the instruction that uses `address`: the model is told what that
 * is to wait for, and for --check. True: the clock has to do with it elsewhere.
 */
bool holders_ask(struct uncore_access *access, struct arena_line *who,
		 Addr address);
/* A second core is used: who has which line is kept from now on. */
void holders_share(void);

/* contest.c: who has a line that cores fight for, and when. Whether the line
 * has gone from core to core not long ago; it does so now. */
bool contest_is_recent(const struct arena_line *who);
void contest_moves(struct arena_line *who);
/* The owner of one that the present core asks for keeps it for a while (false:
 * it has to be taken at once); *is_new: until now nobody else had asked. */
bool contest_lends(struct arena_core *owner, uint64_t line, bool keeps_copy,
		   bool *is_new);
/* When the line comes that is being asked for, as far as its owners lend it; 0:
 * there were none. */
extern uint64_t contest_asked;
/* The present core has asked all of them; false: it waits by the estimate. */
bool contest_claims(uint64_t line);
/* The present core is about to use a line to which it may have a claim; true:
 * it had what it wants from its store buffer. */
bool contest_answers(uint64_t line, Addr address, enum privcache_use how,
		     enum arena_use use);
/* It has used it: waits if it has asked for it. True: it has a claim to it, and
 * no use is to be overlooked. */
bool contest_waits(uint64_t line, Addr address, enum privcache_use how,
		   enum arena_use use);
void contest_drains(void); /* all stores are to be done */
void contest_enter(void);  /* what other cores have got meanwhile goes */

/* stream.c */
void stream_publish(void);
void stream_drain(void);
/* Waits until the model has read all that was written and cannot go on without
 * more: arena.times is then as it will be whenever the program runs. False: it
 * never will. */
bool stream_catch_up(void);
/* Records of what leaves the core for one access, in this order. `depends` is
 * the first one's. */
void stream_put(const struct privcache_request *requests, unsigned num,
		uint64_t code, uint64_t data, enum arena_use use,
		uint8_t depends);
void stream_event(enum arena_event event, uint32_t core, uint64_t data);
/* Instructions passed without an access. */
void stream_pass_time(void);
/* What was executed is added to the present core's counts and clock. */
void stream_settle(void);
uint64_t stream_clock(void); /* of the present core, as estimated */

/* callers.c: the number of the callers of the present instruction in a table of
 * ARENA_MAX_STACKS; 0: there are none; ARENA_OTHERS: too many different ones.
 * Of a site `key` says whose it is. */
uint32_t callers_find(struct arena_stack *table, uint64_t key);
/* The same at the entry of a function, with where it returns to alone. */
uint32_t callers_first(struct arena_stack *table, uint64_t key);
/* Memory has gone, or may not be read any more. */
void callers_forget(void);

/* objects.c, where arena->has_sites is set. */
void objects_init(void);
/* Instructions that enter a function which makes or frees memory call
 * objects_enter() with its number, those that return from any with a higher
 * stack pointer than front.making call objects_return(). */
int objects_function(Addr address); /* that begins there; -1: none such */
void objects_enter(UWord function);
void objects_return(Addr stack_pointer);
/* The thread is new here; it has the turn. */
void objects_begin(ThreadId tid);
void objects_resume(ThreadId tid);
/* The kernel has given memory (ARENA_NO_FUNCTION: of a file), moved or taken
 * it. */
void objects_map(Addr start, SizeT size_bytes, enum arena_function function);
void objects_move(Addr from, Addr to, SizeT size_bytes);
void objects_unmap(Addr start, SizeT size_bytes);
/* What lies at an address. */
struct arena_object objects_at(Addr address);
bool objects_has_made(const struct arena_stack *site); /* this program */

/* shares.c: an access, by its first request and virtual address; a site that
 * others are to be told of; and all that matter, before the process ends. */
void shares_look(const struct privcache_request *request, Addr data,
		 enum arena_use use);
void shares_tell(uint32_t site);
void shares_end(void);

/* waits.c: core cycles. The core stands so long; lines have gone from the L2 to
 * an L1, or down; a walk takes so long. */
uint64_t waits_now(void); /* what the present core has taken by itself */
void waits_for(unsigned cycles);
void waits_for_lines(unsigned num);
void waits_for_walk(unsigned cycles, Bool is_chained);

/* pages.c */
/* Who has used it first: thread (plus 1; 0: nobody) and core. */
uint16_t pages_toucher(Addr address, uint8_t *core);
uint64_t pages_line(Addr address, Bool is_write); /* physical */
void pages_expect(Addr address);		  /* pages_line() comes soon */
/* The program asks for pages of 2 MB there, or no longer does. */
void pages_large(Addr address, SizeT size_bytes, Bool is_asked_for);
Bool pages_is_large(Addr address);
extern Bool pages_has_large; /* at all */
uint64_t pages_table_line(const struct tlb_load *load);
void pages_drop(Addr address, SizeT size_bytes);
void pages_move(Addr from, Addr to, SizeT size_bytes);
Bool pages_move_to(Addr address, unsigned socket);
Int pages_socket(Addr address); /* -1: has no frame */
void pages_init(void);

/* A frame's number in memory, where the sockets' frames do not follow each
 * other. */
void frames_init(void);
uint32_t frames_in_memory(uint32_t frame);
void pages_forked(void); /* to be called by the parent before */
/* The process uses none any more: it ends, or executes another program. Nothing
 * is done where it has not got the turn. */
void pages_leave(void);

/* turns*.c */
bool turns_is_own(void); /* the thread that was here last has it */
/* The present core gets what was counted for it. */
void turns_leave_core(void);
void turns_start(ThreadId tid); /* about to run: waits for the turn */
void turns_call(ThreadId tid, UInt call, const UWord *args);
/* `argument` is the second one (the operation of a futex). */
void turns_called(ThreadId tid, UInt call, UWord argument, Bool is_ok,
		  UWord result);
/* The present thread waits at its gate for so many cycles by the estimate, as
 * long as nobody wakes `word` (0: none): until `until`, core cycles of the
 * model's time, which passes where nobody runs. While somebody waits for the
 * world it takes `ns` of the host's time as well. False: a signal came. */
bool turns_nap(ThreadId tid, uint64_t cycles, uint64_t until, uint64_t ns,
	       uint64_t word);
/* Wakes up to so many threads that nap at a word, of this process or (0) of
 * any; how many it were. */
unsigned turns_wake(uint64_t word, uint32_t pid, unsigned most);
/* Who naps has to look: signals may have been sent, or (not for_signals) what
 * descriptors are waited for may have changed. */
void turns_look_again(bool for_signals);
/* The thread, which has the turn, takes signals that are pending; whether it
 * goes on elsewhere then, or not at all. */
bool turns_take_signals(ThreadId tid);
/* sleep.c: whether what this thread watches has come, within so long. */
bool sleep_sees(ThreadId tid, Int ms);
/* The present turn ends when so many cycles more have passed, at the latest. */
void turns_limit(uint64_t cycles);
/* Of a thread that is none of Valgrind's (arena_thread.is_teller), and naps: it
 * ends its turn if it has one, and waits for the next. False: it has to end. */
bool turns_tell(struct arena_thread *me);
/* Until when it naps, as with turns_nap(); ARENA_NEVER: it does not wake. */
void turns_tell_at(struct arena_thread *me, uint64_t cycles, uint64_t until,
		   uint64_t ns);
/* Somebody fights for a line: the present turn is a short one. */
void turns_shorten(void);
/* Between two instructions of a block: whether the turn is over there. */
void turns_look(void);
/* Between two pieces of a turn. False: it is over, or Valgrind has yet to look
 * for what came while the thread waited for it. */
bool turns_go_on(void);
enum { TURNS_MAX_BLOCKS = 10000 }; /* in a piece */
Int turns_blocks(void);		   /* that may run now */
void turns_ran(uint64_t blocks);   /* so many have */

/* Cores whose threads all sleep are idle from here on, others are not. */
void turns_tell_idle(void);

/* world.c: the first process of the run begins; a socket of the run has a port
 * now. */
void world_begin(void);
void world_note_port(Int fd);

/* timers.c: a turn of this process begins; so many cycles of one are over. */
void timers_begin_turn(void);
void timers_ran(uint64_t cycles);
/* The process executes another program, which gets its timers. */
void timers_pause(void);
/* It was made by another one; it ends, or (lives_on) is counted no more. */
void timers_forked(void);
void timers_leave(Bool lives_on);

/* threads.c */
/* A thread that tells of this process's timers, on the present core; NULL if
 * there is no room. */
struct arena_thread *threads_make_teller(void);
enum { TURNS_MAX_TIDS = 4096 };
/* A thread (its number) or a process (0) is about to be made. */
void turns_make(ThreadId child);
void turns_made(Bool is_ok); /* or could not be */
void turns_fork_child(ThreadId tid);
void turns_end(ThreadId tid);
/* The process ends with all its threads, or lives on uncounted. */
void turns_leave(Bool lives_on);
void turns_drop_former_self(void);
struct arena_thread *turns_thread(ThreadId tid);
/* Of any process, by the number that the kernel has for it here; NULL: there is
 * none, or this process has other numbers than the arena. */
struct arena_thread *turns_find(uint32_t number);
/* The thread may run on these cores only (bit n of word n / 64: core n). */
void turns_pin(struct arena_thread *thread, const uint64_t mask[2]);

/* regions.c: a mark of uncore/mark.h was passed; `name` is RAX. */
void region_mark(UWord mark, UWord name);
/* This process has the turn: others may have entered or left regions. */
void region_look(void);

/* calls.c */
#define REGISTER(name) offsetof(VexGuestAMD64State, guest_##name)
UWord calls_register(ThreadId tid, SizeT offset);
void calls_init(void);
/* Valgrind executes a program: nothing of this one's comes any more, if it is
 * for a call of the program's. */
void calls_execute(void);
/* What the thread's call gives. */
void calls_answer(ThreadId tid, Long value);

/* outside.c: takes what uncore gave, as --arena has it; NULL, or why not. */
const HChar *outside_open(const HChar *option);
/* The run's folder, see machine.c. */
Int outside_folder(void);
/* This process and this thread, as uncore's /proc has them. */
uint32_t outside_pid(void);
uint32_t outside_tid(void);
/* Whether a path, without its first slash, is that of this process's own file
 * of that name in /proc. */
bool outside_is_own(const HChar *path, const HChar *name);
/* A file there, up to the size less 1; its length, or -1. */
Int outside_read(const HChar *path, HChar *text, Int size_bytes);
/* If uncore has been killed this process ends, too. */
void outside_end_with_owner(void);

/* terminal.c: a call with this descriptor comes. */
void terminal_look(UInt call, UWord file);

/* words.c: the program ends, and not Valgrind for a reason of its own. */
void words_end(void);
bool words_have_ended(void);
/* With which status the process is to end. */
UWord words_exit_status(UWord status);

/* instrument.c */
IRSB *instrument(VgCallbackClosure *closure, IRSB *in,
		 const VexGuestLayout *layout, const VexGuestExtents *extents,
		 const VexArchInfo *host, IRType guest_word, IRType host_word);

/* translate.c */
extern Bool translate_checks; /* Valgrind's intermediate code, as it does */

/* Of Valgrind's core: a system call of our own. */
extern SysRes vgPlain_do_syscall(UWord number, UWord a1, UWord a2, UWord a3,
				 UWord a4, UWord a5, UWord a6, UWord a7,
				 UWord a8);

/* futex(2) on a word of the arena. */
void front_wait(_Atomic uint32_t *word, uint32_t value, uint64_t timeout_ns);
void front_wake(_Atomic uint32_t *word);

#endif
