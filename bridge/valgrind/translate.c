/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is left out of Valgrind's own work, since nothing here needs it: the
 * checks of its intermediate code, several times for each block (--check-code
 * brings them back, for tests), and the line numbers of the program, which take
 * longer to read than many programs run. Symbols and frames are still read.
 */
#include "bridge/valgrind/core.h"

Bool translate_checks;

extern void __real_sanityCheckIRSB(const IRSB *block, const HChar *caller,
				   Bool is_flat, IRType word);
void __wrap_sanityCheckIRSB(const IRSB *block, const HChar *caller,
			    Bool is_flat, IRType word);

void __wrap_sanityCheckIRSB(const IRSB *block, const HChar *caller,
			    Bool is_flat, IRType word)
{
	if (translate_checks)
		__real_sanityCheckIRSB(block, caller, is_flat, word);
}

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void)
{
}
