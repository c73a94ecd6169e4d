/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What lies where: blocks that the program's allocator has given it, and
 * mappings, with the place of the program that asked for them. Each process has
 * its own; places, of all, are in the arena. Only live blocks and places cost
 * memory.
 *
 * The program keeps its allocator. Instructions that enter a function which
 * makes memory call here, and so does each that returns while a thread is in
 * one: that function has returned when the stack pointer is above where its
 * return address lay. Functions that call others of these, or jump to them, as
 * operator new does to malloc(), are pending until they return; the outermost
 * names the place, and what it returns replaces what those within it have
 * returned. A function that was left by longjmp() is known by its return
 * address, which is there no longer, or by a stack pointer beyond it.
 *
 * A block begins to live when it is returned: calloc()'s zeros are written to
 * no block yet. It ends when the call that frees it begins, or where another
 * one begins in its place.
 */
#include "bridge/valgrind/core.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_oset.h>

/* Of Valgrind's core: the name of the function that an address is in, as the
 * linker has it, and how far in. */
extern Bool vgPlain_get_fnname_raw(DiEpoch epoch, Addr address,
				   const HChar **name);
extern Bool vgPlain_get_inst_offset_in_function(DiEpoch epoch, Addr address,
						PtrdiffT *offset);

enum { MAX_PENDING = 8, POOL_NODES = 1024, NO_REGISTER = 0 };

/* By the names that the linker has for them, without prefixes of the C
 * library's. Behind a * may come what says more of the arguments, but no
 * pointer: operator new with one puts an object where memory is already. */
static const struct hook {
	const HChar *name;
	enum arena_function function;
	UShort size, times; /* registers; size NO_REGISTER: it allocates none */
	bool frees;	    /* what RDI points to */
	bool gives;	    /* what it allocates, by way of RDI */
} hooks[] = {
	{ "malloc", ARENA_MALLOC, .size = REGISTER(RDI) },
	{ "calloc", ARENA_CALLOC, .size = REGISTER(RDI),
	  .times = REGISTER(RSI) },
	{ "realloc", ARENA_REALLOC, .size = REGISTER(RSI), .frees = true },
	{ "reallocarray", ARENA_REALLOC, .size = REGISTER(RSI),
	  .times = REGISTER(RDX), .frees = true },
	{ "aligned_alloc", ARENA_ALIGNED, .size = REGISTER(RSI) },
	{ "memalign", ARENA_ALIGNED, .size = REGISTER(RSI) },
	{ "posix_memalign", ARENA_ALIGNED, .size = REGISTER(RDX),
	  .gives = true },
	{ "valloc", ARENA_ALIGNED, .size = REGISTER(RDI) },
	{ "pvalloc", ARENA_ALIGNED, .size = REGISTER(RDI) },
	{ "_Znwm*", ARENA_NEW, .size = REGISTER(RDI) },
	{ "_Znam*", ARENA_NEW_ARRAY, .size = REGISTER(RDI) },
	{ "free", .frees = true },
	{ "cfree", .frees = true },
	{ "_ZdlPv*", .frees = true },
	{ "_ZdaPv*", .frees = true },
};
enum { NUM_HOOKS = sizeof(hooks) / sizeof(hooks[0]) };

/* A function that has not returned. */
struct pending {
	const struct hook *hook;
	Addr slot, returns_to; /* where its return address lies, and that */
	SizeT size_bytes;
	Addr freed;	/* block that it frees, if it succeeds, */
	uint64_t born;	/* when that was made; 0: there is none */
	uint64_t begun; /* after so many blocks */
	Addr gives;	/* where it puts the block; 0: it returns it */
	uint32_t site;
};

static struct calls {
	struct pending pending[MAX_PENDING];
	unsigned num;
	bool is_new;	    /* its stack is not known yet */
} * all_calls;		    /* by Valgrind's numbers of threads */
static struct calls *calls; /* of the thread that has the turn */

/* Those of one set do not overlap. */
struct block {
	Addr start;
	SizeT size_bytes;
	uint64_t born; /* number, counted from 1 */
	uint16_t site;
	uint16_t owner; /* of a stack: thread, plus 1 */
};

static OSet *blocks, *mappings;
static uint64_t num_born, program;

/* Two that overlap are the same. */
static Word compare(const void *key, const void *element)
{
	const struct block *a = key, *b = element;

	if (a->start + a->size_bytes <= b->start)
		return -1;
	return a->start >= b->start + b->size_bytes;
}

void objects_init(void)
{
	if (!arena->has_sites)
		return;
	program = front.space + 1;
	all_calls =
		VG_(calloc)("uncore.calls", TURNS_MAX_TIDS, sizeof(*all_calls));
	calls = all_calls;
	blocks = VG_(OSetGen_Create_With_Pool)(
		0, compare, VG_(malloc), "uncore.blocks", VG_(free), POOL_NODES,
		sizeof(struct block));
	mappings = VG_(OSetGen_EmptyClone)(blocks);
}

/* Sites */

static void add_live(const struct block *block)
{
	struct arena_site *site = &arena->sites[block->site];

	site->live_bytes += block->size_bytes;
	if (site->live_bytes > site->most_bytes)
		site->most_bytes = site->live_bytes;
}

static void add_to_site(const struct block *block)
{
	struct arena_site *site = &arena->sites[block->site];

	site->objects++;
	site->bytes += block->size_bytes;
	add_live(block);
}

/* Of a block that was there before a fork both processes may free theirs. */
static void take_from_site(const struct block *block)
{
	struct arena_site *site = &arena->sites[block->site];

	site->live_bytes -= block->size_bytes < site->live_bytes
				    ? block->size_bytes
				    : site->live_bytes;
}

static uint32_t site_of(enum arena_function function)
{
	uint64_t key = program * ARENA_NUM_FUNCTIONS + function;
	uint32_t number = arena->has_stacks || function >= ARENA_MMAP
				  ? callers_find(arena->site_stacks, key)
				  : callers_first(arena->site_stacks, key);

	arena->sites[number].function =
		(uint8_t)(number == ARENA_OTHERS ? ARENA_ANY : function);
	return number;
}

/* Blocks */

static void drop(OSet *set, const struct block *block)
{
	struct block *old = VG_(OSetGen_Remove)(set, block);

	if (!old)
		return;
	take_from_site(old);
	VG_(OSetGen_FreeNode)(set, old);
}

static struct block *find(OSet *set, Addr start)
{
	struct block key = { .start = start, .size_bytes = 1 };

	return VG_(OSetGen_Lookup)(set, &key);
}

static struct block *insert(OSet *set, const struct block *block)
{
	struct block *new = VG_(OSetGen_AllocNode)(set, sizeof(*new));

	*new = *block;
	VG_(OSetGen_Insert)(set, new);
	return new;
}

/* Those that were born since `begun`, within the same call, are the same. */
static void add(Addr start, SizeT size_bytes, uint32_t site, uint64_t begun)
{
	const struct block block = { .start = start,
				     .size_bytes = size_bytes ? size_bytes : 1,
				     .born = ++num_born,
				     .site = (uint16_t)site };
	const struct block *old;

	while ((old = VG_(OSetGen_Lookup)(blocks, &block)) != NULL) {
		if (old->born > begun) {
			arena->sites[old->site].objects--;
			arena->sites[old->site].bytes -= old->size_bytes;
		}
		drop(blocks, &block);
	}
	add_to_site(&block);
	insert(blocks, &block);
}

static void free_block(Addr start, uint64_t born)
{
	struct block *block = start ? find(blocks, start) : NULL;

	if (block && block->start == start && (!born || block->born == born))
		drop(blocks, block);
}

/* Mappings */

/* Nothing of any lies there; what is left of one is one or two of the same. */
static void clear(Addr start, SizeT size_bytes)
{
	const struct block range = { .start = start, .size_bytes = size_bytes };
	Addr end = start + size_bytes;
	const struct block *found;

	while ((found = VG_(OSetGen_Lookup)(mappings, &range)) != NULL) {
		struct block old = *found, left = old, right = old;

		drop(mappings, &old);
		if (old.start < start) {
			left.size_bytes = start - old.start;
			add_live(insert(mappings, &left));
		}
		if (old.start + old.size_bytes > end) {
			right.start = end;
			right.size_bytes = old.start + old.size_bytes - end;
			add_live(insert(mappings, &right));
		}
	}
}

void objects_map(Addr start, SizeT size_bytes, enum arena_function function)
{
	struct block block = { .start = start, .size_bytes = size_bytes };

	if (!mappings || !size_bytes)
		return;
	clear(start, size_bytes);
	if (function == ARENA_NO_FUNCTION)
		return;
	block.site = (uint16_t)site_of(function);
	add_to_site(insert(mappings, &block));
}

void objects_unmap(Addr start, SizeT size_bytes)
{
	if (mappings && size_bytes)
		clear(start, size_bytes);
}

void objects_move(Addr from, Addr to, SizeT size_bytes)
{
	const struct block *found = mappings ? find(mappings, from) : NULL;
	struct block moved;

	if (!found || !size_bytes)
		return;
	moved = *found;
	moved.start = to;
	moved.size_bytes = size_bytes;
	clear(from, size_bytes);
	clear(to, size_bytes);
	add_live(insert(mappings, &moved));
}

/* Of the present thread, which begins at the upper end of what was mapped for
 * it, below its own variables; a heap that has a stack in it, as Go's, stays
 * one. The first one's grows downward as it is used. */
static void own_stack(ThreadId tid)
{
	enum { FIRST_STACK = 8 << 20, MOST_ABOVE = 64 << 10 };
	Addr stack_pointer = VG_(get_SP)(tid);
	const NSegment *segment = VG_(am_find_nsegment)(stack_pointer);
	struct block *block = find(mappings, stack_pointer);
	struct block first = { .size_bytes = FIRST_STACK };

	if (!block && segment) {
		first.start = segment->end + 1 - FIRST_STACK;
		clear(first.start, FIRST_STACK);
		block = insert(mappings, &first);
	}
	if (!block ||
	    block->start + block->size_bytes - stack_pointer > MOST_ABOVE)
		return;
	take_from_site(block);
	block->site = 0;
	block->owner = (uint16_t)(front.thread_number + 1);
}

/* Calls */

static const HChar *skip(const HChar *name, const HChar *prefix)
{
	SizeT length = VG_(strlen)(prefix);

	return VG_(strncmp)(name, prefix, length) ? name : name + length;
}

static bool is_named(const struct hook *hook, const HChar *name)
{
	SizeT length = VG_(strlen)(hook->name) - 1;

	if (hook->name[length] != '*')
		return VG_(strcmp)(name, hook->name) == 0;
	return VG_(strncmp)(name, hook->name, length) == 0 &&
	       name[length] != 'P' && VG_(strncmp)(name + length, "S_", 2);
}

int objects_function(Addr address)
{
	const HChar *name;
	PtrdiffT offset;
	int i = 0;

	if (!vgPlain_get_fnname_raw(VG_(current_DiEpoch)(), address, &name))
		return -1;
	name = skip(skip(skip(name, "__GI_"), "__libc_"), "__");
	while (i < NUM_HOOKS && !is_named(&hooks[i], name))
		i++;
	if (i == NUM_HOOKS ||
	    !vgPlain_get_inst_offset_in_function(VG_(current_DiEpoch)(),
						 address, &offset) ||
	    offset)
		return -1;
	return i;
}

static void set_making(void)
{
	front.making =
		calls->num ? calls->pending[calls->num - 1].slot : UINT64_MAX;
}

void objects_resume(ThreadId tid)
{
	if (!all_calls)
		return;
	calls = &all_calls[tid];
	set_making();
	if (calls->is_new)
		own_stack(tid);
	calls->is_new = false;
}

void objects_begin(ThreadId tid)
{
	if (all_calls)
		all_calls[tid] = (struct calls){ .is_new = true };
}

/* Those that were left without returning. */
static void drop_left(Addr stack_pointer)
{
	unsigned i;

	for (i = 0; i < calls->num; i++) {
		const struct pending *one = &calls->pending[i];

		if (one->slot < stack_pointer ||
		    *(const Addr *)one->slot != one->returns_to)
			calls->num = i;
	}
}

static UWord get(SizeT offset)
{
	return calls_register(front.tid, offset);
}

static void begin(struct pending *one, const struct hook *hook,
		  Addr stack_pointer, uint32_t site)
{
	const struct block *old;

	*one = (struct pending){
		.hook = hook,
		.slot = stack_pointer,
		.returns_to = *(const Addr *)stack_pointer,
		.size_bytes = get(hook->size),
		.freed = hook->frees ? get(REGISTER(RDI)) : 0,
		.gives = hook->gives ? get(REGISTER(RDI)) : 0,
		.begun = num_born,
		.site = site,
	};
	if (hook->times)
		one->size_bytes *= get(hook->times);
	old = one->freed ? find(blocks, one->freed) : NULL;
	one->born = old && old->start == one->freed ? old->born : 0;
}

void objects_enter(UWord number)
{
	const struct hook *hook = &hooks[number];
	Addr stack_pointer = VG_(get_SP)(front.tid);
	uint32_t site;

	if (front.is_off)
		return;
	if (!hook->size) {
		free_block(get(REGISTER(RDI)), 0);
		return;
	}
	drop_left(stack_pointer);
	site = calls->num ? calls->pending[0].site : site_of(hook->function);
	/* a jump: where the first one returns, this one does */
	if (calls->num && calls->pending[calls->num - 1].slot == stack_pointer)
		calls->num--;
	if (calls->num == MAX_PENDING)
		return;
	begin(&calls->pending[calls->num], hook, stack_pointer, site);
	calls->num++;
	set_making();
}

static void end(const struct pending *one, Addr result)
{
	if (one->gives)
		result = result ? 0 : *(const Addr *)one->gives;
	if (one->born && (result || !one->size_bytes))
		free_block(one->freed, one->born);
	if (result && one->site)
		add(result, one->size_bytes, one->site, one->begun);
}

void objects_return(Addr stack_pointer)
{
	while (calls->num) {
		const struct pending *one = &calls->pending[calls->num - 1];

		if (one->slot >= stack_pointer)
			break;
		calls->num--;
		if (one->slot + sizeof(Addr) == stack_pointer &&
		    *(const Addr *)one->slot == one->returns_to &&
		    !front.is_off)
			end(one, get(REGISTER(RAX)));
	}
	set_making();
}

struct arena_object objects_at(Addr address)
{
	const struct block *block = find(blocks, address);
	struct arena_object object = { .is_block = block };

	object.toucher = pages_toucher(address, &object.touch_core);
	if (!block && calls->num) { /* the allocator's own */
		object.start = address;
		object.size_bytes = 1;
		object.site = (uint16_t)calls->pending[0].site;
		return object;
	}
	if (!block)
		block = find(mappings, address);
	if (block) {
		object.start = block->start;
		object.size_bytes = block->size_bytes;
		object.site = block->site;
		object.owner = block->owner;
	}
	return object;
}

bool objects_has_made(const struct arena_stack *site)
{
	return site->key / ARENA_NUM_FUNCTIONS == program;
}
