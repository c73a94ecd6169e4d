/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the program's pages lie, as Linux would have it. A page gets a frame
 * when it is used first:
 *  - anonymous memory that is read and holds nothing but zeros lies in the zero
 *    page, until it is written to;
 *  - a page of a file, or of memory that processes share, has one frame for all
 *    of them; a private mapping of a file gets its own when it is written to;
 *  - any other page gets a frame of the socket that its policy names, or of the
 *    socket whose core uses it first;
 *  - after a fork both processes lie in the same frames, until one writes.
 * Frames come back when they are unmapped, and those freed last are used first.
 * Those of a process that is killed while another one has the turn do not.
 *
 * The table is the process's own: a forked child inherits it. Frames, files and
 * the number of users of each frame are in the arena.
 */
#include "bridge/valgrind/core.h"

#include "bridge/valgrind/policy.h"
#include <pub_tool_aspacemgr.h>
#include <pub_tool_hashtable.h>
#include <pub_tool_vki.h>

enum { CACHE_ENTRIES = 1 << 15 };

struct page {
	struct page *next; /* these two are the hash table's */
	UWord number;	   /* virtual page */
	uint32_t frame;
	bool is_shared : 1; /* with other processes, also when written to */
	bool is_copied : 1; /* when it is written to: zero page, file, fork */
	uint8_t core;	    /* that got the frame, */
	uint16_t toucher;   /* and thread, plus 1 */
};

/* Translations used lately: eight bytes each, since programs use many pages. */
static struct entry {
	/* What of the page's number its place does not tell, plus 1, and
	 * IS_WRITABLE; 0: none. */
	uint32_t page;
	uint32_t frame; /* its number in memory */
} cache[CACHE_ENTRIES];

#define IS_WRITABLE (UINT32_C(1) << 31)

/* Page tables have numbers behind those of a program's pages. */
enum { TABLES_SHIFT = 44, LEVEL_SHIFT = 40 };

static inline struct entry *entry_of(UWord number)
{
	return &cache[number % CACHE_ENTRIES];
}

static inline uint32_t tag_of(UWord number)
{
	return (uint32_t)(number / CACHE_ENTRIES % (IS_WRITABLE / 2)) + 1;
}

static VgHashTable *table;
static VgHashTable *large; /* of VgHashNodes: numbers of pages of 2 MB */
Bool pages_has_large;

static void forget_page(UWord number)
{
	struct entry *entry = entry_of(number);

	if ((entry->page & ~IS_WRITABLE) == tag_of(number))
		entry->page = 0;
}

static void forget(void)
{
	VG_(memset)(cache, 0, sizeof(cache));
	access_forget();
}

/* Frames */

static inline uint64_t first_line(uint32_t in_memory)
{
	return (uint64_t)in_memory * ARENA_LINES_PER_PAGE;
}

static bool take_frame(unsigned socket, uint32_t *frame)
{
	uint32_t base = socket * arena_frames_per_socket;
	uint32_t free = arena->free_frames[socket];

	if (free) {
		*frame = free - 1;
		arena->free_frames[socket] = arena->frames[*frame].next;
		return true;
	}
	if (arena->frames_used[socket] >= arena->num_frames[socket])
		return false;
	*frame = base + arena->frames_used[socket]++;
	return true;
}

/* Of this socket, else of the sockets after it; when all memory is used, frames
 * are used twice. */
static uint32_t new_frame(unsigned socket)
{
	uint32_t frame;
	unsigned i;

	arena->num_pages++;
	for (i = 0; i < arena->num_sockets; i++)
		if (take_frame((socket + i) % arena->num_sockets, &frame)) {
			arena->frames[frame].users = 1;
			return frame;
		}
	atomic_store(&arena->is_full, 1);
	frame = socket * arena_frames_per_socket +
		(uint32_t)(arena->num_pages % arena->num_frames[socket]);
	arena->frames[frame].users++;
	return frame;
}

/* Who uses the frame next is not who has used it. */
static void forget_transfers(uint32_t frame)
{
	struct arena_line *lines = arena_line_of(
		arena, arena_frames_per_socket, arena->num_sockets,
		first_line(frames_in_memory(frame)));
	unsigned i;

	for (i = 0; i < ARENA_LINES_PER_PAGE; i++)
		lines[i].transfers = 0;
}

static void leave_frame(uint32_t frame)
{
	unsigned socket = frame / arena_frames_per_socket;

	if (frame + 1 == arena->zero_frame || !arena->frames[frame].users ||
	    --arena->frames[frame].users)
		return;
	forget_transfers(frame);
	arena->frames[frame].next = arena->free_frames[socket];
	arena->free_frames[socket] = frame + 1;
}

static uint32_t zero_frame(void)
{
	if (!arena->zero_frame)
		arena->zero_frame = new_frame(0) + 1;
	return arena->zero_frame - 1;
}

/* The frame of a page of a file, with one more user. */
static uint32_t file_frame(uint64_t device, uint64_t inode, uint64_t page,
			   unsigned socket)
{
	uint64_t place = (device * 31 + inode) * UINT64_C(0x9e3779b97f4a7c15);
	unsigned tries;

	place = (place >> 20) + page;
	for (tries = 0; tries < ARENA_MAX_FILES / 2; tries++, place++) {
		struct arena_file *file =
			&arena->files[place % ARENA_MAX_FILES];

		if (!file->frame) {
			file->device = device;
			file->inode = inode;
			file->page = page;
			file->frame = new_frame(socket) + 1;
		}
		if (file->device == device && file->inode == inode &&
		    file->page == page) {
			arena->frames[file->frame - 1].users++;
			return file->frame - 1;
		}
	}
	return new_frame(socket);
}

/* Pages */

static bool is_zero(UWord number)
{
	const uint64_t *word = (const uint64_t *)(number << ARENA_PAGE_SHIFT);
	unsigned i;

	for (i = 0; i < PAGE_BYTES / sizeof(*word); i++)
		if (word[i])
			return false;
	return true;
}

/* The kernel fills a page before a program has it. */
static void is_fresh(Addr address)
{
	if (arena->has_kernel)
		front.fresh_page = address;
}

static void is_touched(struct page *page)
{
	page->core = (uint8_t)front.core_number;
	page->toucher = (uint16_t)(front.thread_number + 1);
}

static void give_frame(struct page *page, Bool is_write)
{
	Addr address = page->number << ARENA_PAGE_SHIFT;
	unsigned socket = policy_socket(address);
	struct policy_object object = policy_object(address);

	is_touched(page);
	page->is_shared = object.is_shared;
	if (object.is_known && (object.is_shared || !is_write)) {
		page->frame = file_frame(object.device, object.inode,
					 object.page, socket);
		page->is_copied = !object.is_shared;
	} else if (!is_write && !object.is_known && is_zero(page->number)) {
		page->frame = zero_frame();
		page->is_copied = true;
	} else {
		page->frame = new_frame(socket);
		is_fresh(address);
	}
}

/* A page that others have, too, is about to be written to. */
static void copy(struct page *page)
{
	Addr address = page->number << ARENA_PAGE_SHIFT;
	uint32_t old = page->frame;

	page->is_copied = false;
	if (old + 1 != arena->zero_frame && arena->frames[old].users == 1)
		return;
	page->frame = new_frame(policy_socket(address));
	is_touched(page);
	is_fresh(address);
	leave_frame(old);
	access_forget();
}

static inline uint64_t line_in_page(Addr address)
{
	return address / LINE_BYTES % ARENA_LINES_PER_PAGE;
}

static struct page *add_page(UWord number)
{
	struct page *page = VG_(malloc)("uncore.page", sizeof(*page));

	VG_(memset)(page, 0, sizeof(*page));
	page->number = number;
	return page;
}

/* Apart from what is used each time, which is to need no registers. */
static __attribute__((noinline)) uint64_t look_up(Addr address, Bool is_write)
{
	UWord number = address >> ARENA_PAGE_SHIFT;
	struct page *page = VG_(HT_lookup)(table, number);
	struct entry *entry = entry_of(number);

	if (!page) {
		page = add_page(number);
		give_frame(page, is_write);
		VG_(HT_add_node)(table, page);
	}
	if (is_write && page->is_copied)
		copy(page);
	entry->page = tag_of(number) | (page->is_copied ? 0 : IS_WRITABLE);
	entry->frame = frames_in_memory(page->frame);
	return first_line(entry->frame) + line_in_page(address);
}

uint64_t pages_line(Addr address, Bool is_write)
{
	UWord number = address >> ARENA_PAGE_SHIFT;
	const struct entry *entry = entry_of(number);

	if (entry->page != (tag_of(number) | IS_WRITABLE) &&
	    (is_write || entry->page != tag_of(number)))
		return look_up(address, is_write);
	return first_line(entry->frame) + line_in_page(address);
}

/* Pages of 2 MB that the program has asked for. Their frames are those of 4 KB,
 * so they have a say in translation alone. */
void pages_large(Addr address, SizeT size_bytes, Bool is_asked_for)
{
	UWord at = (address + LARGE_BYTES - 1) / LARGE_BYTES;
	UWord end = (address + size_bytes) / LARGE_BYTES;

	for (; at < end && (is_asked_for || pages_has_large); at++) {
		VgHashNode *node = VG_(HT_lookup)(large, at);

		if (is_asked_for && !node) {
			node = VG_(malloc)("uncore.large", sizeof(*node));
			node->key = at;
			VG_(HT_add_node)(large, node);
		} else if (!is_asked_for && node) {
			VG_(free)(VG_(HT_remove)(large, at));
		}
		pages_has_large = VG_(HT_count_nodes)(large) != 0;
	}
}

Bool pages_is_large(Addr address)
{
	return pages_has_large && VG_(HT_lookup)(large, address / LARGE_BYTES);
}

void pages_expect(Addr address)
{
	__builtin_prefetch(entry_of(address >> ARENA_PAGE_SHIFT));
}

/* Tables of a process lie where its first walk to them was made. */
uint64_t pages_table_line(const struct tlb_load *load)
{
	UWord number = UINT64_C(1) << TABLES_SHIFT |
		       (UWord)load->level << LEVEL_SHIFT | load->table;
	struct entry *entry = entry_of(number);

	if (entry->page != tag_of(number)) {
		struct page *page = VG_(HT_lookup)(table, number);

		if (!page) {
			page = add_page(number);
			page->frame = new_frame(front.socket);
			VG_(HT_add_node)(table, page);
		}
		entry->page = tag_of(number);
		entry->frame = frames_in_memory(page->frame);
	}
	return first_line(entry->frame) + load->entry * 8u / LINE_BYTES;
}

void pages_init(void)
{
	frames_init();
	table = VG_(HT_construct)("uncore.pages");
	large = VG_(HT_construct)("uncore.large");
}

static void drop(UWord number)
{
	struct page *page = VG_(HT_remove)(table, number);

	if (!page)
		return;
	forget_page(number);
	leave_frame(page->frame);
	VG_(free)(page);
}

/* Of a large range that holds few pages, the pages are gone through. */
static void drop_found(UWord first, UWord num)
{
	UInt count = 0;
	VgHashNode **nodes = VG_(HT_to_array)(table, &count);
	UInt i;

	for (i = 0; i < count; i++)
		if (nodes[i]->key - first < num)
			drop(nodes[i]->key);
	if (nodes)
		VG_(free)(nodes);
}

void pages_drop(Addr address, SizeT size_bytes)
{
	UWord first = (address + PAGE_BYTES - 1) >> ARENA_PAGE_SHIFT;
	UWord end = (address + size_bytes) >> ARENA_PAGE_SHIFT;
	UWord i;

	if (end <= first)
		return;
	if (end - first > VG_(HT_count_nodes)(table)) {
		drop_found(first, end - first);
	} else {
		for (i = first; i < end; i++)
			drop(i);
	}
	access_forget();
}

void pages_move(Addr from, Addr to, SizeT size_bytes)
{
	UWord num = size_bytes >> ARENA_PAGE_SHIFT;
	UWord i;

	if (from == to)
		return;
	for (i = 0; i < num; i++) {
		struct page *page =
			VG_(HT_remove)(table, (from >> ARENA_PAGE_SHIFT) + i);

		drop((to >> ARENA_PAGE_SHIFT) + i);
		if (!page)
			continue;
		forget_page(page->number);
		page->number = (to >> ARENA_PAGE_SHIFT) + i;
		VG_(HT_add_node)(table, page);
	}
	access_forget();
}

Bool pages_move_to(Addr address, unsigned socket)
{
	UWord number = address >> ARENA_PAGE_SHIFT;
	struct page *page = VG_(HT_lookup)(table, number);

	if (!page)
		return False;
	if (page->frame + 1 != arena->zero_frame &&
	    page->frame / arena_frames_per_socket != socket &&
	    !page->is_shared) {
		leave_frame(page->frame);
		page->frame = new_frame(socket);
		page->is_copied = false;
		forget_page(number);
		access_forget();
	}
	return True;
}

Int pages_socket(Addr address)
{
	struct page *page = VG_(HT_lookup)(table, address >> ARENA_PAGE_SHIFT);

	if (!page)
		return -1;
	return (Int)(page->frame / arena_frames_per_socket);
}

uint16_t pages_toucher(Addr address, uint8_t *core)
{
	const struct page *page =
		VG_(HT_lookup)(table, address >> ARENA_PAGE_SHIFT);

	*core = page ? page->core : 0;
	return page ? page->toucher : 0;
}

void pages_forked(void)
{
	struct page *page;

	VG_(HT_ResetIter)(table);
	while ((page = VG_(HT_Next)(table))) {
		if (page->frame + 1 != arena->zero_frame)
			arena->frames[page->frame].users++;
		if (!page->is_shared)
			page->is_copied = true;
	}
	forget();
}

void pages_leave(void)
{
	struct page *page;

	if (!turns_is_own())
		return;
	VG_(HT_ResetIter)(table);
	while ((page = VG_(HT_Next)(table)))
		leave_frame(page->frame);
	VG_(HT_destruct)(table, VG_(free));
	table = VG_(HT_construct)("uncore.pages");
	forget();
}
