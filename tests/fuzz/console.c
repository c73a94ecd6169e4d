/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lines of the register console. Each line has one answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "tests/fuzz/fuzz.h"
#include "tool.h"
#include "uncore/model.h"

/* The longest run in an input: the model's speed is not what is looked at. */
#define MAX_CYCLES UINT64_C(20000)

static bool runs_long(const char *text)
{
	bool is_long = false;

	while ((text = strstr(text, "run")) && !is_long)
		is_long = strtoull(text += 3, NULL, 0) > MAX_CYCLES;
	return is_long;
}

static size_t num_lines(const char *text, size_t size)
{
	size_t num = size && text[size - 1] != '\n';

	for (size_t i = 0; i < size; i++)
		num += text[i] == '\n';
	return num;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	char *text = fuzz_text(&bytes), *out = NULL;
	size_t length = strlen(text), out_size = 0;
	FILE *in, *answers;

	if (!length || runs_long(text)) {
		free(text);
		return -1;
	}
	in = fmemopen(text, length, "r");
	answers = open_memstream(&out, &out_size);
	fuzz_must(in && answers, "no memory");
	fuzz_must(console_run(fuzz_kept_model(NULL), in, answers) == TOOL_OK,
		  "the console failed");
	fclose(in);
	fclose(answers);
	fuzz_must(num_lines(out, out_size) == num_lines(text, length),
		  "not one answer for each line");
	free(out);
	free(text);
	return 0;
}
