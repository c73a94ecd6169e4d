/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Where the guest's RAM lies in this process is asked of QEMU once; an access
 * is placed by its address here. (What QEMU 7.2 gives as the physical address
 * is wrong with more than one memory backend; QEMU 10's address is the guest's,
 * and leads here by QEMU's map.) The address is valid only while
 * QEMU's own translation is, so pages are kept until the guest changes its
 * address space, which it can do only by instructions that are seen.
 *
 * Not seen, thus not counted: page walks, devices' accesses. Not forgotten:
 * pages when the A20 gate is switched (firmware does, before traffic matters).
 */
#include "memory.h"

#include <stdio.h>
#include <string.h>

#include "qemu_plugin.h"
#include "qemu_symbols.h"
#include "turn.h"

enum {
	LINE_BYTES = 64,
	PAGE_SHIFT = 12,
	PAGE_BYTES = 1 << PAGE_SHIFT,
	/* A virtual address has up to 57 bits that matter. */
	KEY_PAGE_BITS = 57 - PAGE_SHIFT,
};

#define MAX_GENERATION (UINT64_C(1) << (64 - KEY_PAGE_BITS))

/* As QEMU up to 7.2 has it; later ones are only asked. */
struct qemu_plugin_hwaddr {
	bool is_io;
	bool is_store;
	const char *host; /* of RAM */
};

static struct channel *channel;
static const char *ram[CHANNEL_MAX_SOCKETS]; /* NULL: not there */
static bool found;
static bool watched;

void memory_start(struct channel *with)
{
	unsigned i;

	channel = with;
	watched = false;
	for (i = 0; i < CHANNEL_MAX_CPUS; i++) {
		vcpus[i].generation = 1;
		vcpus[i].cache.shape = (struct privcache_shape){
			.l1i_ways = (uint8_t)channel->l1i_ways,
			.l2_ways = (uint8_t)channel->l2_ways,
			.l2_set_shift =
				(uint8_t)__builtin_ctz(channel->l2_sets),
			.tells_clean = channel->tells_clean,
		};
		memset(vcpus[i].recent, 0xff, sizeof(vcpus[i].recent));
		memset(vcpus[i].recent_code, 0xff,
		       sizeof(vcpus[i].recent_code));
	}
}

bool memory_is_watched(void)
{
	return watched;
}

/* Where a line of the guest's RAM lies here. */
static const char *host_of(uint64_t address)
{
	uint64_t bytes = LINE_BYTES;
	void *host = qemu.map(address, &bytes, false);

	if (host)
		qemu.unmap(host, bytes, false, 0);
	return host;
}

static void find_ram(void)
{
	unsigned i;

	found = true;
	for (i = 0; i < channel->num_sockets; i++) {
		uint64_t first = channel->ram_first[i];
		uint64_t last = channel->ram_bytes[i] - LINE_BYTES;
		const char *host = host_of(first);

		if (host && host_of(first + last) == host + last) {
			ram[i] = host;
			continue;
		}
		fprintf(stderr,
			"uncore: the guest's memory of socket %u is not in one "
			"piece; its accesses are not counted\n",
			i);
	}
}

/* QEMU makes code anew between two turns; no CPU is to run the old. */
static void flush(void)
{
	unsigned i;

	if (!qemu.get_cpu(0))
		return; /* before the guest is made */
	qemu.flush(qemu.get_cpu(0));
	for (i = 0; i < channel->num_cpus; i++) {
		void *cpu = qemu.get_cpu((int)i);

		if (cpu)
			qemu.end_turn(cpu);
	}
}

void memory_begin(void)
{
	unsigned i;

	if (watched)
		return;
	watched = true;
	for (i = 0; i < channel->num_cpus; i++)
		memory_forget_pages(&vcpus[i]);
	flush();
}

void memory_end(void)
{
	if (!watched)
		return;
	watched = false;
	flush();
}

uint64_t memory_line(const void *host)
{
	unsigned i;

	if (!found)
		find_ram();
	for (i = 0; i < channel->num_sockets; i++) {
		uint64_t offset = (uintptr_t)host - (uintptr_t)ram[i];

		if (ram[i] && offset < channel->ram_bytes[i])
			return channel->first_line[i] + offset / LINE_BYTES;
	}
	return MEMORY_NO_LINE;
}

void memory_forget_pages(struct vcpu *vcpu)
{
	memset(vcpu->recent, 0xff, sizeof(vcpu->recent));
	if (++vcpu->generation < MAX_GENERATION)
		return;
	vcpu->generation = 1;
	memset(vcpu->pages, 0, sizeof(vcpu->pages));
}

void memory_forget_lines(struct vcpu *vcpu)
{
	privcache_reset(&vcpu->cache);
	memset(vcpu->recent, 0xff, sizeof(vcpu->recent));
	memset(vcpu->recent_code, 0xff, sizeof(vcpu->recent_code));
}

static void forget_line(struct vcpu *vcpu, uint64_t line)
{
	vcpu->recent[line % PRIVCACHE_L1D_SETS] = VCPU_NOTHING;
	vcpu->recent_code[vcpu_code_set(vcpu, line)] = VCPU_NOTHING;
}

void memory_invalidate(struct vcpu *vcpu,
		       const struct channel_invalidation *invalidation)
{
	privcache_invalidate(&vcpu->cache, invalidation->line,
			     invalidation->downgrade);
	forget_line(vcpu, invalidation->line);
}

/* Where the place of an access lies here. */
static const char *host_of_place(const struct qemu_plugin_hwaddr *place)
{
	uint64_t address;
	const char *line;

	if (!qemu.is_physical)
		return place->host;
	address = qemu_plugin_hwaddr_phys_addr(place);
	line = host_of(address / LINE_BYTES * LINE_BYTES);
	return line ? line + address % LINE_BYTES : NULL;
}

/* Whether it is memory that a socket should have had: neither firmware nor a
 * device's, whose names say so, or the device's path. */
static bool is_ram(const char *host)
{
	static const char objects[] = "/objects/";
	static const char *const others[] = { "/", ".bios", ".rom", ".vram" };
	uint64_t offset;
	void *block = qemu.block_of(host, false, &offset);
	const char *name = block ? qemu.block_name(block) : "/";
	unsigned i;

	if (!strncmp(name, objects, strlen(objects)))
		return true;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strstr(name, others[i]))
			return false;
	return true;
}

/* The page of an access; NULL if that is not to be traffic. */
static const struct vcpu_page *translate(struct vcpu *vcpu, uint32_t info,
					 uint64_t vaddr)
{
	uint64_t number = vaddr >> PAGE_SHIFT;
	uint64_t key = vcpu->generation << KEY_PAGE_BITS |
		       (number & ((UINT64_C(1) << KEY_PAGE_BITS) - 1));
	struct vcpu_page *page = &vcpu->pages[number % VCPU_PAGES];
	const struct qemu_plugin_hwaddr *place;
	const char *host;

	if (page->key == key)
		return page->host ? page : NULL;
	place = qemu_plugin_get_hwaddr(info, vaddr);
	if (!place)
		atomic_fetch_add(&channel->lost, 1);
	if (!place || qemu_plugin_hwaddr_is_io(place))
		return NULL;
	host = host_of_place(place);
	if (!host)
		return NULL;
	page->host = host - vaddr % PAGE_BYTES;
	page->first_line = memory_line(page->host);
	page->key = key;
	if (page->first_line != MEMORY_NO_LINE)
		return page;
	/* Neither looked for again when it is a device's. */
	if (is_ram(page->host)) {
		atomic_fetch_add(&channel->lost, 1);
		page->key = 0;
	}
	page->host = NULL;
	return NULL;
}

/* The line is used by others than streaming stores. */
static uint64_t leave_buffer(struct vcpu *vcpu, uint64_t line,
			     uint64_t executed)
{
	struct privcache_request out[1];

	if (!combining_leave(&vcpu->combining, line, out))
		return executed;
	return turn_put(vcpu, executed, out, 1, false);
}

void memory_stream(struct vcpu *vcpu, uint32_t info, uint64_t vaddr,
		   uint64_t executed, unsigned size_bytes)
{
	struct privcache_request out[COMBINING_MAX_REQUESTS];
	const struct vcpu_page *page = translate(vcpu, info, vaddr);
	uint64_t line;
	unsigned num;

	if (!page)
		return;
	line = page->first_line + vaddr % PAGE_BYTES / LINE_BYTES;
	num = combining_store(&vcpu->combining, &vcpu->cache, line,
			      vaddr % LINE_BYTES, size_bytes, out);
	forget_line(vcpu, line);
	if (num)
		turn_put(vcpu, executed, out, num, false);
}

uint64_t memory_fence(struct vcpu *vcpu, uint64_t executed)
{
	struct privcache_request out[COMBINING_BUFFERS];
	unsigned num;

	if (!vcpu->combining.num || !turn_recording || !vcpu->turn)
		return executed;
	num = combining_empty(&vcpu->combining, out);
	return turn_put(vcpu, executed, out, num, false);
}

bool memory_use_data(struct vcpu *vcpu, uint32_t info, uint64_t vaddr,
		     uint64_t executed, bool store)
{
	struct privcache_request out[PRIVCACHE_MAX_REQUESTS];
	const struct vcpu_page *page = translate(vcpu, info, vaddr);
	uint64_t vline = vaddr / LINE_BYTES;
	bool depends = false;
	const char *host;
	uint64_t line;
	unsigned num;

	if (!page)
		return false;
	line = page->first_line + vaddr % PAGE_BYTES / LINE_BYTES;
	host = page->host + vaddr % PAGE_BYTES / LINE_BYTES * LINE_BYTES;
	num = privcache_access(&vcpu->cache, line,
			       store ? PRIVCACHE_STORE : PRIVCACHE_LOAD, 0,
			       out);
	vcpu->recent[vline % PRIVCACHE_L1D_SETS] =
		vline * 2 + vcpu->cache.latest.is_dirty;
	if (!num)
		return true;
	if (vcpu->combining.num)
		executed = leave_buffer(vcpu, line, executed);
	if (out[0].kind == UNCORE_ACCESS_READ &&
	    out[0].prefetch != UNCORE_PREFETCH)
		depends = chase_note(&vcpu->chase, vaddr, host);
	turn_put(vcpu, executed, out, num, depends);
	return true;
}

void memory_use_code(struct vcpu *vcpu, uint64_t line)
{
	struct privcache_request out[PRIVCACHE_MAX_REQUESTS];
	unsigned num =
		privcache_access(&vcpu->cache, line, PRIVCACHE_FETCH, 0, out);

	vcpu->recent_code[vcpu_code_set(vcpu, line)] = line;
	if (num)
		turn_put(vcpu, vcpu->before, out, num, false);
}
