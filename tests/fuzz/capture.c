/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Captures of what a kernel shows of its PMUs, as files and as recordings hold
 * them; and families made of them.
 */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/live.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	char *text = fuzz_text(&bytes);

	live_try(NULL, text);
	free(text);
	return 0;
}
