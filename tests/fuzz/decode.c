/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Contents of registers: a byte for the family, then some of: two bytes for a
 * register of its list (or an address, where there is none of that number),
 * eight for what it holds.
 */
#include <stdlib.h>

#include "tests/fuzz/identity.h"
#include "uncore/family.h"

enum { MAX_WRITES = 8 };

static uint32_t address(const struct uncore_family *family, unsigned number)
{
	struct uncore_register reg;

	return uncore_family_register(family, number, &reg) ? reg.address
							    : number;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	const struct uncore_family *family = fuzz_family(&bytes);
	struct uncore_write writes[MAX_WRITES];
	char *text = NULL, *error = NULL;
	size_t num = 0;
	int code;

	while (num < MAX_WRITES && (bytes.size || !num)) {
		unsigned number = (unsigned)fuzz_number(&bytes, 2);

		writes[num++] = (struct uncore_write){
			.address = address(family, number),
			.value = fuzz_number(&bytes, 8),
		};
	}
	code = uncore_event_decode(family, writes, num, &text, &error);
	fuzz_must(!code == !error && !code == !!text,
		  "decoding has code %d, and %s", code,
		  error ? error : "no sentence");
	if (text) /* which need not have a place, but makes sense */
		uncore_event_free(identity_parse(family, text, true));
	free(text);
	free(error);
	error = NULL;
	text = NULL;
	code = uncore_event_explain(family, writes, num, &text, &error);
	fuzz_must(!code == !error && !code == !!text,
		  "explaining has code %d, and %s", code,
		  error ? error : "no sentence");
	free(text);
	free(error);
	return 0;
}
