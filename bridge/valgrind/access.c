/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A line is used: by the private caches of the thread's core, and where they do
 * not have it, or not to write, the core asks for it (holders.c).
 *
 * Which pages' lines this process has in the L1s is remembered (struct near):
 * as long as nobody else has changed these, their next use needs no frame.
 *
 * Outside of regions, where only they are counted, an access does no more than
 * give its page a frame: who touches memory first decides where it lies. The
 * shortcuts then mean that nothing else is to be done for a line; they are
 * forgotten when a region begins.
 *
 * Choice: clwb empties the caches of the line like clflushopt, which its
 * definition allows and processors that have it do.
 */
#include "bridge/valgrind/core.h"
#include "bridge/valgrind/random.h"

#include "model/box/chase.h"
#include <pub_tool_aspacemgr.h>
#include <pub_tool_vki.h>

/* The lines in the L1s of a core by their virtual pages, 0 where this process
 * does not know: set by set, and way by way. Bit n of `dirty`: way n of the set
 * is, and its page may be written to. Where the L1I has four ways half of its
 * sets have odd pages; both halves are searched at once. */
struct near {
	uint32_t data[PRIVCACHE_L1D_SETS][PRIVCACHE_L1D_WAYS];
	uint8_t dirty[PRIVCACHE_L1D_SETS];
	uint32_t code[PRIVCACHE_L1I_LINES / 8][8];
	uint32_t changes; /* of the caches, when this was right */
	bool is_used;
	struct recent recent; /* at the end of the latest turn */
};

static struct near nears[ARENA_MAX_CORES];
static struct near *near = &nears[0]; /* of the present core */
static struct chase chases[ARENA_MAX_CORES];

/* Loads of which each needs what one brought a round before (weigh.h). A round
 * is an execution of their block, in which the number of instructions stays. */
struct chain {
	uint32_t last; /* access of theirs, as num_records counts; 0: none */
	uint32_t previous; /* of a round before the latest's */
	uint64_t round;
	/* In this round this load was waited for, and no other is. */
	uint64_t waited;
	UWord waiter;
};
static struct chain chains[ARENA_MAX_CORES][ACCESS_NUM_CHAINS];

static void forget_recent(void)
{
	VG_(memset)(&front.recent, 0xff, sizeof(front.recent));
}

void access_forget(void)
{
	unsigned i;

	forget_recent();
	for (i = 0; i < ARENA_MAX_CORES; i++)
		if (nears[i].is_used)
			VG_(memset)(&nears[i], 0, sizeof(nears[i]));
}

static __attribute__((noinline)) void forget_near(void)
{
	VG_(memset)(near, 0, sizeof(*near));
	near->changes = front.core->cache.changes;
	forget_recent();
}

void access_look(void)
{
	if (near->changes != front.core->cache.changes)
		forget_near();
}

void access_leave(void)
{
	near->recent = front.recent;
	near->is_used = true;
}

void access_enter(void)
{
	near = &nears[front.core_number];
	if (front.core->last_pid != front.pid) {
		front.core->last_pid = front.pid;
		front.core->cache.changes++;
	}
	front.num_combining = front.core->combining.num;
	contest_enter();
	access_look();
	if (near->is_used)
		front.recent = near->recent;
	else
		forget_recent();
}

/* Use of lines */

/* The shortcuts of instrument.c: the line is the latest of its set. */
static void show(Addr line, bool is_code, bool is_dirty)
{
	unsigned set = line / LINE_BYTES % PRIVCACHE_L1D_SETS;

	if (is_code) {
		front.recent.code[front_code_set(line)] = line;
		return;
	}
	front.recent.load[set] = line;
	front.recent.store[set] = is_dirty ? line : NO_LINE;
}

/* As it is kept: Valgrind gives a program addresses below 2^44 only. */
static inline uint32_t page_of(Addr line)
{
	return (uint32_t)(line / PAGE_BYTES);
}

static inline bool use_again(Addr line, enum privcache_use how)
{
	unsigned set = line / LINE_BYTES % PRIVCACHE_L1D_SETS;
	bool is_code = how == PRIVCACHE_FETCH;
	unsigned found =
		lru_match(is_code ? near->code[set] : near->data[set],
			  page_of(line), UINT32_MAX, PRIVCACHE_L1D_WAYS);
	unsigned way = (unsigned)__builtin_ctz(found | 1U << 8);

	if (how == PRIVCACHE_STORE)
		found &= near->dirty[set];
	if (!found)
		return false;
	if (is_code && front_caches()->l1i_ways == 4)
		privcache_use_again(&front.core->cache, set | (way & 4) << 4,
				    way & 3, how);
	else
		privcache_use_again(&front.core->cache, set, way, how);
	show(line, is_code, near->dirty[set] >> way & 1);
	return true;
}

/* A line has come to this place of the L1D without a use by the program. */
static void forget_place(struct privcache_place place)
{
	near->data[place.set][place.way] = 0;
	front.recent.load[place.set] = NO_LINE;
	front.recent.store[place.set] = NO_LINE;
}

static inline void forget_ahead(void)
{
	struct privcache *cache = &front.core->cache;

	while (cache->num_ahead)
		forget_place(cache->ahead[--cache->num_ahead]);
}

/* A line was used and is in the L1 now. */
static inline void remember(Addr address, enum privcache_use how)
{
	Addr line = address & ~(Addr)(LINE_BYTES - 1);
	struct privcache_place place = front.core->cache.latest;
	unsigned set = line / LINE_BYTES % PRIVCACHE_L1D_SETS;

	access_look();
	forget_ahead();
	show(line, how == PRIVCACHE_FETCH, how == PRIVCACHE_STORE);
	if (line - front.random_line <= front.random_rest)
		return;
	near->is_used = true;
	if (how == PRIVCACHE_FETCH) {
		near->code[set][place.way | (place.set >> 4 & 4)] =
			page_of(line);
		return;
	}
	near->data[set][place.way] = page_of(line);
	near->dirty[set] &= (uint8_t) ~(1U << place.way);
	near->dirty[set] |= (uint8_t)((how == PRIVCACHE_STORE) << place.way);
}

/* What needs an access of this core, 0: none, as uncore_access.depends says it
 * of the next one. */
static uint8_t needs(uint32_t number)
{
	uint32_t behind = front.core->num_records + 1 - number;

	return number && behind < UINT8_MAX ? (uint8_t)(behind + 1) : 0;
}

/* NULL: it is in none. */
static struct chain *chain_of(UWord site)
{
	UWord number = site >> ACCESS_CHAIN_SHIFT;

	return number ? &chains[front.core_number][number] : NULL;
}

static uint64_t present_round(void)
{
	return front.core->instructions + (uint32_t)front.executed;
}

/* The access that the chain's loads of this round need. */
static uint32_t needed_by(struct chain *chain)
{
	if (chain->round != present_round()) {
		chain->round = present_round();
		chain->previous = chain->last;
	}
	return chain->previous;
}

/* Whether a chain waits where this load does: for one in a round, since they go
 * on at the same time; for all that this one waits for, since these follow each
 * other. */
static bool is_waited_for(UWord site)
{
	struct chain *chain = chain_of(site);

	if (!chain)
		return false;
	if (chain->waited != present_round()) {
		chain->waited = present_round();
		chain->waiter = site;
	}
	return chain->waiter == site;
}

static void touch(Addr address, enum privcache_use how)
{
	pages_line(address, how == PRIVCACHE_STORE);
	front.fresh_page = 0;
	show(address & ~(Addr)(LINE_BYTES - 1), how == PRIVCACHE_FETCH,
	     how == PRIVCACHE_STORE);
}

static inline UWord code_at(UWord site)
{
	return site & ((UINT64_C(1) << ACCESS_SIZE_SHIFT) - 1);
}

static inline UWord size_at(UWord site)
{
	return site << 8 >> 8 >> ACCESS_SIZE_SHIFT;
}

/* What the prefetchers have to know of time. */
static inline void note_time(UWord site, enum privcache_use how)
{
	struct privcache *cache = &front.core->cache;
	struct superqueue *queue = &cache->queue;

	if (!cache->prefetchers)
		return;
	queue->cycles = waits_now();
	queue->instructions = present_round();
	queue->is_chained = how == PRIVCACHE_LOAD && chain_of(site);
}

/* The latest access of the walk for the present one, 0: none. */
static uint32_t walked;

/* The walker loads entries of page tables, each at the address that the one
 * before has brought. */
static void walk(const struct tlb_walk *loads, Addr address, UWord site)
{
	struct privcache *cache = &front.core->cache;
	struct privcache_request out[PRIVCACHE_MAX_REQUESTS];
	struct chain *chain = chain_of(site);
	unsigned cycles = 0;
	unsigned i;

	note_time(site, PRIVCACHE_LOAD);
	walked = chain ? needed_by(chain) : 0;
	for (i = 0; i < loads->num; i++) {
		uint64_t line = pages_table_line(&loads->loads[i]);
		unsigned num = privcache_access(cache, line, PRIVCACHE_WALK,
						code_at(site), out);

		access_look();
		forget_place(cache->latest);
		cycles += cache->found == PRIVCACHE_IN_L1 ? arena->l1_cycles
							  : arena->l2_cycles;
		if (!num)
			continue;
		stream_put(out, num, code_at(site), address, ARENA_WALK,
			   needs(walked));
		walked = front.core->num_records + 1 - num;
	}
	waits_for_walk(cycles, is_waited_for(site));
}

static __attribute__((noinline)) void translate_slowly(Addr address, UWord site,
						       bool is_fetch)
{
	unsigned use = is_fetch ? TLB_CODE : 0;
	struct tlb_walk loads;
	enum tlb_found found;

	if (pages_is_large(address))
		use |= TLB_LARGE;
	found = tlb_use(&front.core->tlb, address / PAGE_BYTES, use, front.pid,
			&loads);
	if (found == TLB_WALK)
		walk(&loads, address, site);
	else if (found == TLB_SECOND && (is_fetch || is_waited_for(site)))
		waits_for(arena->stlb_cycles);
}

/* A page that is not the latest of its set. */
static __attribute__((noinline)) void translate(Addr address, UWord site,
						bool is_fetch)
{
	if (front.is_outside)
		return;
	pages_expect(address);
	if (pages_has_large ||
	    !tlb_use_second(&front.core->tlb, address / PAGE_BYTES, is_fetch,
			    front.pid))
		translate_slowly(address, site, is_fetch);
}

/* What the kernel did before the present access, a little late. */
static __attribute__((noinline)) void fill_page(void)
{
	Addr page = front.fresh_page;

	front.fresh_page = 0;
	access_kernel(page, PAGE_BYTES, True);
}

/* Requests of the buffers, which have changed. */
static void send_combined(struct privcache_request *out, unsigned num,
			  UWord code, Addr address)
{
	front.num_combining = front.core->combining.num;
	if (num)
		stream_put(out, num, code, address, ARENA_STREAM, false);
}

/* The line is used by others than non-temporal stores. */
static __attribute__((noinline)) void leave_buffer(uint64_t line, UWord code)
{
	struct privcache_request out[1];
	unsigned num = combining_leave(&front.core->combining, line, out);

	send_combined(out, num, code, 0);
}

static void empty_buffers(UWord code)
{
	struct privcache_request out[COMBINING_BUFFERS];
	unsigned num = combining_empty(&front.core->combining, out);

	send_combined(out, num, code, 0);
}

/* Lines have moved between the L1s and the L2: the core waits for the way that
 * they take, and for the L2 where nothing else can be done. */
static void wait_for_l2(UWord site, enum privcache_use how)
{
	struct privcache *cache = &front.core->cache;

	if (cache->found == PRIVCACHE_IN_L2 &&
	    (how == PRIVCACHE_FETCH || is_waited_for(site)))
		waits_for(arena->l2_cycles - arena->l1_cycles);
	waits_for_lines(cache->moves);
	cache->moves = 0;
}

/* What a load that leaves the core needs: its walk, what its chain brought a
 * round before, or else it is guessed from addresses. The line can be read: the
 * program has just done so. */
static uint8_t depends(Addr address, UWord site)
{
	const void *bytes = (const void *)(address & ~(Addr)(LINE_BYTES - 1));
	struct chase *chase = &chases[front.core_number];
	struct chain *chain = chain_of(site);
	uint32_t needed = walked;

	if (!chain && !needed)
		return chase_note(chase, address, bytes);
	chase_pass(chase, address, bytes);
	if (!chain)
		return needs(needed);
	if (!needed)
		needed = needed_by(chain);
	chain->last = front.core->num_records + 1;
	return needs(needed);
}

/* One that was not used lately. */
static inline __attribute__((always_inline)) void
use_other_as(Addr address, UWord site, enum privcache_use how,
	     enum arena_use use)
{
	struct privcache_request out[PRIVCACHE_MAX_REQUESTS];
	UWord code = code_at(site);
	uint64_t line;
	unsigned num;

	if (front.is_outside) {
		touch(address, how);
		return;
	}
	line = pages_line(address, how == PRIVCACHE_STORE);
	if (front.core->travel.num && how != PRIVCACHE_FETCH &&
	    contest_answers(line, address, how, use)) {
		walked = 0;
		return;
	}
	note_time(site, how);
	num = privcache_access(&front.core->cache, line, how, code, out);
	remember(address, how);
	if (front.core->cache.moves)
		wait_for_l2(site, how);
	if (num && front.num_combining)
		leave_buffer(line, code);
	if (num)
		stream_put(out, num, code, address, use,
			   out[0].kind == UNCORE_ACCESS_READ &&
					   use == ARENA_LOAD &&
					   out[0].prefetch != UNCORE_PREFETCH
				   ? depends(address, site)
				   : 0);
	walked = 0;
	if (front.core->travel.num && how != PRIVCACHE_FETCH &&
	    contest_waits(line, address, how, use))
		forget_place(front.core->cache.latest);
	if (front.fresh_page)
		fill_page();
	if (front.is_cut && use != ARENA_LOCK)
		front_stops();
}

static __attribute__((noinline)) void
use_other(Addr address, UWord site, enum privcache_use how, enum arena_use use)
{
	use_other_as(address, site, how, use);
}

/* The same, for by far the most. */
static __attribute__((noinline)) void load_other(Addr address, UWord site)
{
	Addr line = address & ~(Addr)(LINE_BYTES - 1);

	use_other_as(address, site, PRIVCACHE_LOAD, ARENA_LOAD);
	if (line - front.random_line > front.random_rest)
		return;
	front.recent.load[line / LINE_BYTES % PRIVCACHE_L1D_SETS] = NO_LINE;
	random_read(address, code_at(site), size_at(site));
}

static inline void use_line(Addr address, UWord site, enum privcache_use how,
			    enum arena_use use)
{
	if (front.is_off)
		return;
	if (arena->has_tlb &&
	    !tlb_is_latest(&front.core->tlb, address / PAGE_BYTES,
			   how == PRIVCACHE_FETCH, front.pid))
		translate(address, site, how == PRIVCACHE_FETCH);
	if (use_again(address & ~(Addr)(LINE_BYTES - 1), how)) {
		walked = 0;
		return;
	}
	if (how == PRIVCACHE_LOAD && use == ARENA_LOAD)
		load_other(address, site);
	else
		use_other(address, site, how, use);
}

/* The line of the last byte. */
static inline Addr last_line(Addr address, UWord site)
{
	return (address + size_at(site) - 1) & ~(Addr)(LINE_BYTES - 1);
}

static __attribute__((noinline)) void use_both_lines(Addr address, UWord site,
						     enum privcache_use how,
						     enum arena_use use)
{
	use_line(address, site, how, use);
	use_line(last_line(address, site), code_at(site), how, use);
}

static inline void use_bytes(Addr address, UWord site, enum privcache_use how,
			     enum arena_use use)
{
	if (last_line(address, site) > address)
		use_both_lines(address, site, how, use);
	else
		use_line(address, site, how, use);
}

void access_load(Addr address, UWord site)
{
	use_bytes(address, site, PRIVCACHE_LOAD, ARENA_LOAD);
}

void access_store(Addr address, UWord site)
{
	use_bytes(address, site, PRIVCACHE_STORE, ARENA_STORE);
}

void access_fetch(Addr address)
{
	use_line(address, address, PRIVCACHE_FETCH, ARENA_FETCH);
}

/* An access that straddles two lines locks the bus. */
static void lock_bus(Addr address, UWord code)
{
	struct privcache_request out[PRIVCACHE_MAX_REQUESTS + 1];
	uint64_t line = pages_line(address, true);
	unsigned num = privcache_access(&front.core->cache, line,
					PRIVCACHE_STORE, code, out);

	remember(address, PRIVCACHE_STORE);
	if (!num || out[0].line != line || out[0].kind != UNCORE_ACCESS_OWN) {
		unsigned i;

		for (i = num; i; i--)
			out[i] = out[i - 1];
		out[0] = (struct privcache_request){ .line = line };
		num++;
	}
	out[0].kind = UNCORE_ACCESS_LOCK;
	stream_put(out, num, code, address, ARENA_LOCK, false);
}

void access_locked(Addr address, UWord site)
{
	Addr last = last_line(address, site);
	UWord code = code_at(site);

	if (!front_counts()) {
		use_bytes(address, site, PRIVCACHE_STORE, ARENA_LOCK);
		return;
	}
	empty_buffers(code);
	contest_drains();
	if (last > address)
		lock_bus(address, code);
	use_line(last > address ? last : address, code, PRIVCACHE_STORE,
		 ARENA_LOCK);
	turns_look();
}

void access_prefetch(Addr address, UWord code, UWord is_to_write)
{
	struct privcache_request out[PRIVCACHE_MAX_REQUESTS];
	uint64_t line;
	unsigned num;

	if (!front_counts() ||
	    !VG_(am_is_valid_for_client)(address, 1, VKI_PROT_READ))
		return;
	line = pages_line(address, is_to_write);
	num = privcache_access(&front.core->cache, line, PRIVCACHE_LOAD, code,
			       out);
	remember(address, PRIVCACHE_LOAD);
	if (num && out[0].line == line && !out[0].prefetch &&
	    out[0].kind == UNCORE_ACCESS_READ) {
		if (is_to_write)
			out[0].kind = UNCORE_ACCESS_OWN;
		else
			out[0].prefetch = UNCORE_PREFETCH;
	}
	if (num)
		stream_put(out, num, code, address, ARENA_PREFETCH, false);
}

/* Non-temporal stores */

static void stream_part(Addr address, UWord code, UWord size_bytes)
{
	struct privcache_request out[COMBINING_MAX_REQUESTS];
	unsigned num =
		combining_store(&front.core->combining, &front.core->cache,
				pages_line(address, true), address % LINE_BYTES,
				(unsigned)size_bytes, out);

	access_look();
	send_combined(out, num, code, address);
}

void access_stream(Addr address, UWord site)
{
	UWord size_bytes = size_at(site);
	UWord first = LINE_BYTES - address % LINE_BYTES;
	UWord code = code_at(site);

	if (!front_counts()) {
		use_bytes(address, site, PRIVCACHE_STORE, ARENA_STREAM);
		return;
	}
	if (first > size_bytes)
		first = size_bytes;
	stream_part(address, code, first);
	if (first < size_bytes)
		stream_part(address + first, code, size_bytes - first);
}

void access_stream_some(Addr address, UWord code, UWord bytes)
{
	for (; bytes; bytes &= bytes - 1)
		access_stream(address + (Addr)__builtin_ctzl(bytes),
			      code | UINT64_C(1) << ACCESS_SIZE_SHIFT);
}

void access_fence(void)
{
	if (front_counts() && front.num_combining)
		empty_buffers(0);
}

void access_flush(Addr address, UWord code, UWord keeps)
{
	struct privcache_request out[2];
	unsigned num = 0;
	uint64_t line;

	(void)keeps;
	if (!front_counts() ||
	    !VG_(am_is_valid_for_client)(address, 1, VKI_PROT_READ))
		return;
	line = pages_line(address, false);
	leave_buffer(line, code);
	if (privcache_invalidate(&front.core->cache, line, false))
		out[num++] = (struct privcache_request){
			.line = line,
			.kind = UNCORE_ACCESS_WRITEBACK,
		};
	access_look();
	out[num] = (struct privcache_request){ .line = line,
					       .kind = UNCORE_ACCESS_FLUSH };
	stream_put(out, num + 1, code, address, ARENA_FLUSH, false);
}

/* What the kernel does for a call: it goes through the same core's caches. */
void access_kernel(Addr address, SizeT size_bytes, Bool is_write)
{
	Addr line = address & ~(Addr)(LINE_BYTES - 1);

	if (front.is_off || !arena->has_kernel)
		return;
	for (; line < address + size_bytes; line += LINE_BYTES)
		use_line(line, 0, is_write ? PRIVCACHE_STORE : PRIVCACHE_LOAD,
			 ARENA_KERNEL);
}
