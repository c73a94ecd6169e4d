/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "tests/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uncore/family.h"
#include "uncore/model.h"

uint64_t fuzz_number(struct fuzz_bytes *bytes, unsigned num_bytes)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < num_bytes && bytes->size; i++) {
		number |= (uint64_t)*bytes->data++ << 8 * i;
		bytes->size--;
	}
	return number;
}

char *fuzz_text(struct fuzz_bytes *bytes)
{
	char *text = malloc(bytes->size + 1);

	fuzz_must(text, "no memory");
	if (bytes->size)
		memcpy(text, bytes->data, bytes->size);
	text[bytes->size] = '\0';
	bytes->size = 0;
	return text;
}

const struct uncore_family *fuzz_family(struct fuzz_bytes *bytes)
{
	static const char *const names[] = { "xeon-e7", "xeon-7500",
					     "xeon-e5-2600" };

	return uncore_family_find(names[fuzz_number(bytes, 1) % 3]);
}

void fuzz_must(bool is_so, const char *format, ...)
{
	va_list arguments;

	if (is_so)
		return;
	/* not stderr: what a command says may go elsewhere */
	va_start(arguments, format);
	vdprintf(STDERR_FILENO, format, arguments);
	va_end(arguments);
	dprintf(STDERR_FILENO, "\n");
	abort();
}

struct uncore_model *fuzz_model(void)
{
	static const char *const settings[] = { "cores=2", "llc.slice=1",
						"llc.ways=4",
						"mbox.patrol_cycles=0",
						"dram.trefi=0" };
	static struct uncore_model_config *config;
	struct uncore_model *model;
	char *error = NULL;

	if (!config) {
		config = uncore_model_config_new("xeon-e7", &error);
		fuzz_must(config, "%s", error);
		fuzz_must(!uncore_model_config_sockets(config, 1, &error), "%s",
			  error);
		for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]);
		     i++)
			fuzz_must(!uncore_model_config_set(config, settings[i],
							   &error),
				  "%s", error);
	}
	model = uncore_model_new(config, &error);
	fuzz_must(model, "%s", error);
	return model;
}

static struct uncore_model *kept;
static unsigned kept_for;

struct uncore_model *fuzz_kept_model(void (*before)(void))
{
	if (!kept_for) {
		if (kept && before)
			before();
		uncore_model_free(kept);
		kept = fuzz_model();
		kept_for = FUZZ_KEPT;
	}
	kept_for--;
	return kept;
}

void fuzz_drop_model(void)
{
	kept_for = 0;
}

const char *fuzz_file(const void *data, size_t size)
{
	static char path[64];
	static int file = -1;

	if (file < 0)
		file = memfd_create("fuzz", MFD_CLOEXEC);
	fuzz_must(file >= 0 && !ftruncate(file, 0) &&
			  pwrite(file, data, size, 0) == (ssize_t)size,
		  "no memory for a file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return path;
}
