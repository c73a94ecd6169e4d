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

#include <pub_tool_debuginfo.h>
#include <pub_tool_oset.h>

/* Of Valgrind's core: the name of the function that an address is in, as the
 * linker has it, and how far in. */
extern Bool vgPlain_get_fnname_raw(DiEpoch epoch, Addr address,
				   const HChar **name);
extern Bool vgPlain_get_inst_offset_in_function(DiEpoch epoch, Addr address,
						PtrdiffT *offset);

enum { MAX_PENDING = 8, POOL_NODES = 1024, NO_REGISTER = 0 };

/* By the names that the linker has for them. */
static const struct hook {
	const HChar *name; /* with all that follows, if it ends with * */
	enum arena_function function;
	UShort size, times; /* registers; size NO_REGISTER: it makes none */
	bool frees;	    /* what RDI points to */
	bool gives;	    /* what it makes, by way of RDI */
} hooks[] = {
	{ "malloc", ARENA_MALLOC, .size = REGISTER(RDI) },
	{ "free", ARENA_NO_FUNCTION, .frees = true },
};
enum { NUM_HOOKS = sizeof(hooks) / sizeof(hooks[0]) };

/* A function that has not returned. */
struct pending {
	const struct hook *hook;
	Addr slot, returns_to; /* where its return address lies, and that */
	SizeT size_bytes;
	Addr freed;    /* block that it frees, if it succeeds, */
	uint64_t born; /* when that was made; 0: there is none */
	Addr gives;    /* where it puts the block; 0: it returns it */
	uint32_t site;
};

static struct calls {
	struct pending pending[MAX_PENDING];
	unsigned num;
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

static OSet *blocks;
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
	if (!arena->has_stacks)
		return;
	program = front.space + 1;
	all_calls =
		VG_(calloc)("uncore.calls", TURNS_MAX_TIDS, sizeof(*all_calls));
	calls = all_calls;
	blocks = VG_(OSetGen_Create_With_Pool)(
		0, compare, VG_(malloc), "uncore.blocks", VG_(free), POOL_NODES,
		sizeof(struct block));
}

/* Sites */

static void add_to_site(const struct block *block)
{
	struct arena_site *site = &arena->sites[block->site];

	site->objects++;
	site->bytes += block->size_bytes;
	site->live_bytes += block->size_bytes;
	if (site->live_bytes > site->most_bytes)
		site->most_bytes = site->live_bytes;
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
	uint32_t number = callers_find(
		arena->site_stacks, program * ARENA_NUM_FUNCTIONS + function);

	arena->sites[number].function = (uint8_t)function;
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

static void add(OSet *set, Addr start, SizeT size_bytes, uint32_t site)
{
	struct block *block = VG_(OSetGen_AllocNode)(set, sizeof(struct block));

	*block = (struct block){ .start = start,
				 .size_bytes = size_bytes ? size_bytes : 1,
				 .born = ++num_born,
				 .site = (uint16_t)site };
	while (VG_(OSetGen_Contains)(set, block))
		drop(set, block);
	add_to_site(block);
	VG_(OSetGen_Insert)(set, block);
}

static void free_block(Addr start, uint64_t born)
{
	struct block *block = start ? find(blocks, start) : NULL;

	if (block && block->start == start && (!born || block->born == born))
		drop(blocks, block);
}

/* Calls */

int objects_function(Addr address)
{
	const HChar *name;
	PtrdiffT offset;
	unsigned i;

	if (!vgPlain_get_fnname_raw(VG_(current_DiEpoch)(), address, &name))
		return -1;
	for (i = 0; i < NUM_HOOKS; i++) {
		SizeT length = VG_(strlen)(hooks[i].name);
		bool is_prefix = hooks[i].name[length - 1] == '*';

		if (VG_(strncmp)(name, hooks[i].name,
				 is_prefix ? length - 1 : length + 1) == 0)
			break;
	}
	if (i == NUM_HOOKS ||
	    !vgPlain_get_inst_offset_in_function(VG_(current_DiEpoch)(),
						 address, &offset) ||
	    offset)
		return -1;
	return (int)i;
}

static void set_making(void)
{
	front.making =
		calls->num ? calls->pending[calls->num - 1].slot : UINT64_MAX;
}

void objects_resume(ThreadId tid, Bool is_new)
{
	if (!all_calls)
		return;
	if (is_new)
		all_calls[tid].num = 0;
	calls = &all_calls[tid];
	set_making();
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
		  Addr stack_pointer)
{
	const struct block *old;

	*one = (struct pending){
		.hook = hook,
		.slot = stack_pointer,
		.returns_to = *(const Addr *)stack_pointer,
		.size_bytes = get(hook->size),
		.freed = hook->frees ? get(REGISTER(RDI)) : 0,
		.gives = hook->gives ? get(REGISTER(RDI)) : 0,
		.site = calls->num ? calls->pending[0].site
				   : site_of(hook->function),
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

	if (front.is_off)
		return;
	if (!hook->size) {
		free_block(get(REGISTER(RDI)), 0);
		return;
	}
	drop_left(stack_pointer);
	/* a jump: where the first one returns, this one does */
	if (calls->num && calls->pending[calls->num - 1].slot == stack_pointer)
		calls->num--;
	if (calls->num == MAX_PENDING)
		return;
	begin(&calls->pending[calls->num], hook, stack_pointer);
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
		add(blocks, result, one->size_bytes, one->site);
}

void objects_return(Addr stack_pointer)
{
	while (calls->num) {
		const struct pending *one = &calls->pending[calls->num - 1];

		if (one->slot >= stack_pointer)
			break;
		calls->num--;
		if (one->slot + sizeof(Addr) == stack_pointer && !front.is_off)
			end(one, get(REGISTER(RAX)));
	}
	set_making();
}

struct arena_object objects_at(Addr address)
{
	const struct block *block = find(blocks, address);
	struct arena_object object = { 0 };

	object.toucher = pages_toucher(address, &object.touch_core);
	if (!block)
		return object;
	object.start = block->start;
	object.size_bytes = block->size_bytes;
	object.site = block->site;
	object.owner = block->owner;
	return object;
}
