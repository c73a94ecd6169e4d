/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Whether the program uses the terminal on which uncore would show progress.
 * It does from the first time on that it writes or reads there, before which a
 * line of progress is taken away.
 */
#include "bridge/valgrind/core.h"

#include <pub_tool_libcfile.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum { CONTROLLING_TERMINAL = 5 << 8 }; /* /dev/tty */

static bool is_transfer(UInt call)
{
	return call == __NR_write || call == __NR_writev || call == __NR_read ||
	       call == __NR_readv;
}

void terminal_look(UInt call, UWord file)
{
	static const HChar erase[] = "\r\033[K";
	struct vg_stat status;

	if (!arena->terminal || !is_transfer(call) ||
	    atomic_load(&arena->uses_terminal) ||
	    VG_(fstat)((Int)file, &status) ||
	    (status.mode & VKI_S_IFMT) != VKI_S_IFCHR ||
	    (status.rdev != arena->terminal &&
	     status.rdev != CONTROLLING_TERMINAL))
		return;
	atomic_store(&arena->uses_terminal, 1);
	if (atomic_load(&arena->shows_progress))
		VG_(do_syscall)
	(__NR_write, file, (UWord)erase, sizeof(erase) - 1, 0, 0, 0, 0, 0);
}
