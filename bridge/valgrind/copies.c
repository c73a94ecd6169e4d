/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * With --kernel-copies: what the kernel reads and writes for a program is read
 * and written by the core that called. A call may end before its thread has the
 * turn again, so its copy shows when the thread goes on. The other side of a
 * copy, the kernel's own memory, is nowhere in the model.
 */
#include "bridge/valgrind/core.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

/* A buffer, or as many as `vectors` says. */
struct copy {
	Addr address;
	UWord vectors;
	UWord left_bytes;
	Bool is_write;
};

static struct copy copies[TURNS_MAX_TIDS];

/* Another thread may have unmapped it since the call. */
static bool can(Addr address, SizeT size_bytes, UInt rights)
{
	return VG_(am_is_valid_for_client)(address, size_bytes, rights);
}

/* Takes the vectors out of a message. */
static void open_message(struct copy *copy)
{
	const struct vki_msghdr *message = (const void *)copy->address;

	if (!can(copy->address, sizeof(*message), VKI_PROT_READ)) {
		copy->left_bytes = 0;
		return;
	}
	copy->address = (Addr)message->msg_iov;
	copy->vectors = message->msg_iovlen;
}

void copies_note(ThreadId tid, UInt call, const UWord *args, UWord num_bytes)
{
	struct copy copy = { .address = args[1], .left_bytes = num_bytes };

	if (!arena->has_kernel || front.is_off || tid >= TURNS_MAX_TIDS)
		return;
	switch (call) {
	case __NR_read:
	case __NR_pread64:
	case __NR_recvfrom: copy.is_write = True; break;
	case __NR_write:
	case __NR_pwrite64:
	case __NR_sendto: break;
	case __NR_readv:
	case __NR_preadv: copy.is_write = True; /* fall through */
	case __NR_writev:
	case __NR_pwritev: copy.vectors = args[2]; break;
	case __NR_recvmsg: copy.is_write = True; /* fall through */
	case __NR_sendmsg: open_message(&copy); break;
	default: return;
	}
	copies[tid] = copy;
}

static UWord use(Addr address, UWord size_bytes, const struct copy *copy)
{
	if (size_bytes > copy->left_bytes)
		size_bytes = copy->left_bytes;
	if (can(address, size_bytes,
		copy->is_write ? VKI_PROT_WRITE : VKI_PROT_READ))
		access_kernel(address, size_bytes, copy->is_write);
	return size_bytes;
}

void copies_make(ThreadId tid)
{
	struct copy *copy = &copies[tid % TURNS_MAX_TIDS];
	const struct vki_iovec *vector = (const void *)copy->address;
	UWord i;

	if (!copy->left_bytes)
		return;
	if (!copy->vectors)
		use(copy->address, copy->left_bytes, copy);
	for (i = 0; i < copy->vectors && copy->left_bytes; i++) {
		if (!can((Addr)&vector[i], sizeof(*vector), VKI_PROT_READ))
			break;
		copy->left_bytes -=
			use((Addr)vector[i].iov_base, vector[i].iov_len, copy);
	}
	copy->left_bytes = 0;
}
