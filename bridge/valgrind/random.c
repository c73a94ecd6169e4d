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
	DEVICE_RANDOM = 0x108,	/* character devices 1:8, */
	DEVICE_URANDOM = 0x109, /* 1:9 */
	DEVICE_HWRNG = 0xab7,	/* and 10:183 */
	FROM_HERE = 1,		/* SEEK_CUR */
	FAMILY_ALG = 38,	/* AF_ALG */
	TYPE_AT = 2,		/* in its addresses */
	REQUEST_READ = 0,	/* IOCB_CMD_PREAD */
	REQUEST_READ_PARTS = 7, /* IOCB_CMD_PREADV */
	DREW = 1,		/* carry flag of RDRAND, above 32 bits */
	DREW_SHIFT = 32,
	KEY_BYTES = 8,
	WORD_BYTES = 8,
	UUID_BYTES = 37,
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

/* What gives some: bytes as they come, or the text of a UUID, of which each
 * read makes another one. */
enum source { NO_SOURCE, DEVICE, UUID };

static UChar draw_byte(ThreadId tid, enum source source, UWord position)
{
	static const HChar form[UUID_BYTES + 1] =
		"xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx\n";
	uint64_t drawn = draw(tid);

	if (source != UUID)
		return (UChar)drawn;
	return (UChar)(form[position] == 'x' ? "0123456789abcdef"[drawn % 16]
					     : form[position]);
}

static void fill(ThreadId tid, enum source source, Addr address,
		 UWord size_bytes, UWord position)
{
	UWord i;

	if (!VG_(am_is_valid_for_client)(address, size_bytes, VKI_PROT_WRITE))
		return;
	if (source == UUID && position + size_bytes > UUID_BYTES)
		size_bytes = position < UUID_BYTES ? UUID_BYTES - position : 0;
	for (i = 0; i < size_bytes; i++)
		((UChar *)address)[i] = draw_byte(tid, source, position + i);
}

static void fill_vectors(ThreadId tid, enum source source, const UWord *args,
			 UWord size_bytes, UWord position)
{
	const struct vki_iovec *vector = (const void *)args[1];
	UWord i, part;

	for (i = 0; i < args[2] && size_bytes; i++) {
		if (!VG_(am_is_valid_for_client)(
			    (Addr)&vector[i], sizeof(*vector), VKI_PROT_READ))
			return;
		part = vector[i].iov_len < size_bytes ? vector[i].iov_len
						      : size_bytes;
		fill(tid, source, (Addr)vector[i].iov_base, part, position);
		size_bytes -= part;
		position += part;
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

/* Wherever /proc is mounted. */
static bool is_uuid(UWord fd)
{
	static const HChar end[] = "/sys/kernel/random/uuid";
	HChar link[32], path[64];
	SSizeT length;

	VG_(sprintf)(link, "/proc/self/fd/%d", (Int)fd);
	length = VG_(readlink)(link, path, sizeof(path) - 1);
	if (length < (SSizeT)sizeof(end) - 1)
		return false;
	path[length] = '\0';
	return !VG_(strcmp)(path + length - (sizeof(end) - 1), end);
}

static enum source source_of(UWord fd)
{
	struct vg_stat status;

	if (VG_(fstat)((Int)fd, &status))
		return NO_SOURCE;
	if (VKI_S_ISCHR(status.mode))
		return status.rdev == DEVICE_RANDOM ||
				       status.rdev == DEVICE_URANDOM ||
				       status.rdev == DEVICE_HWRNG
			       ? DEVICE
			       : NO_SOURCE;
	return VKI_S_ISREG(status.mode) && !status.size && is_uuid(fd)
		       ? UUID
		       : NO_SOURCE;
}

/* System calls */

static bool is_of_ring(UWord call)
{
	return call == __NR_io_uring_setup || call == __NR_io_uring_enter ||
	       call == __NR_io_uring_register;
}

/* A socket to a generator of the kernel's. */
static bool names_generator(Addr address, UWord size_bytes)
{
	return size_bytes > TYPE_AT + 3 &&
	       VG_(am_is_valid_for_client)(address, size_bytes,
					   VKI_PROT_READ) &&
	       *(const UShort *)address == FAMILY_ALG &&
	       !VG_(strncmp)((const HChar *)address + TYPE_AT, "rng", 3);
}

/* What moves such bytes to where nobody sees them arrive. */
static bool moves_some(UWord call, const UWord *args)
{
	switch (call) {
	case __NR_splice: return source_of(args[0]);
	case __NR_sendfile: return source_of(args[1]);
	case __NR_bind: return names_generator(args[1], args[2]);
	default: return is_of_ring(call);
	}
}

Int random_refuses(UWord call, const UWord *args)
{
	if (!arena->repeats_random || !moves_some(call, args))
		return 0;
	return is_of_ring(call)	   ? VKI_ENOSYS
	       : call == __NR_bind ? VKI_ENOENT
				   : VKI_EINVAL;
}

/* Where in its file the first of the bytes was. */
static UWord position_of(UInt call, const UWord *args, UWord num_bytes)
{
	if (call != __NR_read && call != __NR_readv && args[3] != ~(UWord)0)
		return args[3];
	return (UWord)VG_(lseek)((Int)args[0], 0, FROM_HERE) - num_bytes;
}

static void was_read(ThreadId tid, UInt call, const UWord *args,
		     UWord num_bytes)
{
	enum source source = num_bytes ? source_of(args[0]) : NO_SOURCE;
	UWord position;

	if (!source)
		return;
	note_asked();
	if (!arena->repeats_random)
		return;
	position = position_of(call, args, num_bytes);
	if (call == __NR_read || call == __NR_pread64)
		fill(tid, source, args[1], num_bytes, position);
	else
		fill_vectors(tid, source, args, num_bytes, position);
}

/* These reads are done when the call is. */
static void were_requested(ThreadId tid, Addr requests, UWord num)
{
	const struct vki_iocb *const *request = (const void *)requests;

	for (; num; num--, request++) {
		UWord args[] = { (*request)->aio_fildes, (*request)->aio_buf,
				 (*request)->aio_nbytes,
				 (UWord)(*request)->aio_offset };

		if ((*request)->aio_lio_opcode == REQUEST_READ)
			was_read(tid, __NR_pread64, args, args[2]);
		else if ((*request)->aio_lio_opcode == REQUEST_READ_PARTS)
			was_read(tid, __NR_preadv, args, ~(UWord)0);
	}
}

void random_called(ThreadId tid, UInt call, const UWord *args, UWord num_bytes)
{
	switch (call) {
	case __NR_getrandom:
		if (num_bytes && !is_key_of_malloc(tid, args))
			note_asked();
		if (arena->repeats_random)
			fill(tid, DEVICE, args[0], num_bytes, 0);
		break;
	case __NR_read:
	case __NR_pread64:
	case __NR_readv:
	case __NR_preadv:
	case __NR_preadv2: was_read(tid, call, args, num_bytes); break;
	case __NR_io_submit: were_requested(tid, args[2], num_bytes); break;
	default:
		if (moves_some(call, args))
			note_asked();
	}
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
	front.random_rest = (given + AT_RANDOM_BYTES - 1 - front.random_line) &
			    ~(Addr)(LINE_BYTES - 1);
}

static bool is_of_loader(Addr code)
{
	const HChar *object = NULL, *name;

	VG_(DebugInfo_sect_kind)(&object, code);
	name = object ? VG_(strrchr)(object, '/') : NULL;
	return name && VG_(strncmp)(name, "/ld-", 4) == 0;
}

/* Functions of strings load vectors from multiples of their size, by what may
 * load from there alone. Those for AVX2, which no machine here has, are not
 * told from others. */
static bool loads_from_anywhere(Addr code)
{
	const UChar *at = (const UChar *)code;
	UChar prefix = 0;

	if (*at == 0x66 || *at == 0xf2 || *at == 0xf3)
		prefix = *at++;
	if ((*at & 0xf0) == 0x40) /* REX */
		at++;
	if (*at != 0x0f) /* VEX */
		return true;
	return at[1] == 0x10 || at[1] == 0xf0 ||
	       (at[1] == 0x6f && prefix == 0xf3);
}

/* The C library takes two words, each once, which guard the stack and kept
 * addresses: no address and no branch depends on them. In a program without a
 * loader nobody can tell its code from the program's, but it is the first to
 * come. Functions of strings that end beside the bytes read on into them: they
 * take vectors, and seldom from the first byte on. */
void random_read(Addr address, Addr code, UWord size_bytes)
{
	static bool was_taken[AT_RANDOM_BYTES / WORD_BYTES];
	UWord at = address - given;
	bool *is_taken = &was_taken[at / WORD_BYTES % 2];

	if (!size_bytes || at >= AT_RANDOM_BYTES ||
	    (has_loader && is_of_loader(code)))
		return;
	if (size_bytes > WORD_BYTES && (at || !loads_from_anywhere(code)))
		return;
	if (has_loader || size_bytes != WORD_BYTES || at % WORD_BYTES ||
	    *is_taken)
		note_asked();
	*is_taken = true;
}

/* The kernel does, for a call. */
static void hand_over(CorePart part, ThreadId tid, const HChar *name,
		      Addr address, SizeT size_bytes)
{
	(void)tid;
	(void)name;
	if (part == Vg_CoreSysCall && given &&
	    address < given + AT_RANDOM_BYTES && given - address < size_bytes)
		note_asked();
}

void random_init(void)
{
	VG_(track_pre_mem_read)(hand_over);
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
