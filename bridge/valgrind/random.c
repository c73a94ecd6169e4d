/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Random bytes. A program gets the kernel's and the processor's, or, where that
 * was asked for, the same ones in every run: each thread draws from a row of
 * its own, since the order in which several threads draw is the host's. Either
 * way it is told whether the program wanted any.
 */
#include "bridge/valgrind/random.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum {
	AT_BASE = 7,
	AT_RANDOM = 25,
	AT_RANDOM_BYTES = 16,
	NON_BLOCKING = 1,	/* GRND_NONBLOCK */
	DEVICE_RANDOM = 0x108,	/* character devices 1:8 */
	DEVICE_URANDOM = 0x109, /* and 1:9 */
	DREW = 1,		/* carry flag of RDRAND, above 32 bits */
	DREW_SHIFT = 32,
	KEY_BYTES = 8,
};

/* Of Valgrind's core. */
extern UWord *vgPlain_client_auxv;
extern ULong amd64g_dirtyhelper_RDRAND(void);
extern ULong amd64g_dirtyhelper_RDSEED(void);

/* The same in every run */

static uint64_t draw(ThreadId tid)
{
	static uint64_t nobodys; /* of threads for which there was no room */
	struct arena_thread *thread = turns_thread(tid);
	uint64_t number = thread ? (uint64_t)(thread - arena->threads) : 0;
	uint64_t *state = thread ? &thread->random : &nobodys;

	if (!*state)
		*state = UINT64_C(0x2545f4914f6cdd1d) +
			 number * UINT64_C(0x9e3779b97f4a7c15);
	if (!*state)
		*state = 1;
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 32;
}

static void fill(ThreadId tid, Addr address, UWord size_bytes)
{
	UWord i;

	if (!VG_(am_is_valid_for_client)(address, size_bytes, VKI_PROT_WRITE))
		return;
	for (i = 0; i < size_bytes; i++)
		((UChar *)address)[i] = (UChar)draw(tid);
}

static void fill_vectors(ThreadId tid, Addr vectors, UWord num,
			 UWord size_bytes)
{
	const struct vki_iovec *vector = (const void *)vectors;
	UWord i, part;

	for (i = 0; i < num && size_bytes; i++) {
		if (!VG_(am_is_valid_for_client)(
			    (Addr)&vector[i], sizeof(*vector), VKI_PROT_READ))
			return;
		part = vector[i].iov_len < size_bytes ? vector[i].iov_len
						      : size_bytes;
		fill(tid, (Addr)vector[i].iov_base, part);
		size_bytes -= part;
	}
}

/* Who asked */

static void note_asked(void)
{
	atomic_store(&arena->asked_random, 1);
}

/* The C library marks what is freed with a key, which it draws at the first
 * malloc() into a variable of its own. No address and no branch of the program
 * depends on it. */
static bool is_key_of_malloc(ThreadId tid, const UWord *args)
{
	const HChar *of_buffer = NULL, *of_code = NULL;
	VgSectKind kind;

	if (args[1] != KEY_BYTES || args[2] != NON_BLOCKING)
		return false;
	kind = VG_(DebugInfo_sect_kind)(&of_buffer, args[0]);
	if (kind != Vg_SectData && kind != Vg_SectBSS)
		return false;
	VG_(DebugInfo_sect_kind)(&of_code, VG_(get_IP)(tid));
	return of_code && VG_(strcmp)(of_code, of_buffer) == 0;
}

static bool is_device(UWord fd)
{
	struct vg_stat status;

	return VG_(fstat)((Int)fd, &status) == 0 && VKI_S_ISCHR(status.mode) &&
	       (status.rdev == DEVICE_RANDOM || status.rdev == DEVICE_URANDOM);
}

/* System calls */

void random_called(ThreadId tid, UInt call, const UWord *args, UWord num_bytes)
{
	switch (call) {
	case __NR_getrandom:
		if (num_bytes && !is_key_of_malloc(tid, args))
			note_asked();
		break;
	case __NR_read:
	case __NR_pread64:
	case __NR_readv:
	case __NR_preadv:
	case __NR_preadv2:
	case __NR_splice:
	case __NR_sendfile:
		if (!num_bytes ||
		    !is_device(call == __NR_sendfile ? args[1] : args[0]))
			return;
		note_asked();
		break;
	default: return;
	}
	if (!arena->repeats_random)
		return;
	if (call == __NR_getrandom)
		fill(tid, args[0], num_bytes);
	else if (call == __NR_read || call == __NR_pread64)
		fill(tid, args[1], num_bytes);
	else
		fill_vectors(tid, args[1], args[2], num_bytes);
}

bool random_refuses(UWord call, UWord first, UWord second)
{
	return arena->repeats_random &&
	       (call == __NR_splice || call == __NR_sendfile) &&
	       is_device(call == __NR_sendfile ? second : first);
}

/* What the program is given at its start */

static Addr given;	/* AT_RANDOM_BYTES of them */
static bool has_loader; /* ld.so has read them before the program runs */

void random_start(void)
{
	UWord *entry = vgPlain_client_auxv;

	for (; entry && entry[0]; entry += 2) {
		if (entry[0] == AT_RANDOM)
			given = entry[1];
		if (entry[0] == AT_BASE)
			has_loader = entry[1];
	}
	if (given && arena->repeats_random)
		VG_(memset)((void *)given, 0x5a, AT_RANDOM_BYTES);
	front.random_line = given & ~(Addr)(LINE_BYTES - 1);
}

static bool is_of_loader(Addr code)
{
	const HChar *object = NULL, *name;

	VG_(DebugInfo_sect_kind)(&object, code);
	name = object ? VG_(strrchr)(object, '/') : NULL;
	return name && VG_(strncmp)(name, "/ld-", 4) == 0;
}

/* The C library takes two words, which guard the stack and kept addresses: no
 * address and no branch depends on them. In a program without a loader nobody
 * can tell its code from the program's, but it is the first to come, and takes
 * them as words. Functions of strings that end beside the bytes read on into
 * them, and seldom begin at their first one. */
void random_read(Addr address, Addr code)
{
	static Addr former; /* that has read the first one */
	bool is_next = address == given + 1 && code == former;

	if (address != given && !is_next)
		return;
	if (has_loader ? !is_of_loader(code) : former)
		note_asked();
	former = code;
}

/* Instructions */

static ULong take(ULong of_processor)
{
	note_asked();
	if (!arena->repeats_random)
		return of_processor;
	return (ULong)DREW << DREW_SHIFT | draw(VG_(get_running_tid)());
}

static ULong rdrand(void)
{
	return take(amd64g_dirtyhelper_RDRAND());
}

static ULong rdseed(void)
{
	return take(amd64g_dirtyhelper_RDSEED());
}

void random_replace(IRDirty *dirty)
{
	if (dirty->cee->addr == (void *)amd64g_dirtyhelper_RDRAND)
		dirty->cee->addr = VG_(fnptr_to_fnentry)(rdrand);
	else if (dirty->cee->addr == (void *)amd64g_dirtyhelper_RDSEED)
		dirty->cee->addr = VG_(fnptr_to_fnentry)(rdseed);
}
