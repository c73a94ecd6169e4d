/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Lists of events in JSON, for a machine of some PMUs: a byte for which of two
 * machines, then the list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/live.h"

#define PMU(NAME, TERMS)                                                       \
	"bus/event_source/devices/" NAME "/type = 9\n"                         \
	"bus/event_source/devices/" NAME "/cpumask = 0\n" TERMS
#define TERM(PMU, NAME, BITS)                                                  \
	"bus/event_source/devices/" PMU "/format/" NAME " = " BITS "\n"
#define INTEL(NAME)                                                            \
	PMU(NAME, TERM(NAME, "event", "config:0-7") TERM(NAME, "umask",        \
							 "config:8-15,32-55")  \
			  TERM(NAME, "edge", "config:18") TERM(NAME, "inv",    \
							       "config:23")    \
				  TERM(NAME, "thresh", "config:24-31"))

static const char *const captures[] = {
	INTEL("uncore_cha_0") INTEL("uncore_cha_1") INTEL("uncore_imc_0") PMU(
		"uncore_iio_0",
		TERM("uncore_iio_0", "event",
		     "config:0-7") TERM("uncore_iio_0", "umask", "config:8-15")
			TERM("uncore_iio_0", "ch_mask", "config:36-43") TERM(
				"uncore_iio_0", "fc_mask", "config:44-46")),
	PMU("amd_l3", TERM("amd_l3", "event", "config:0-7")
			      TERM("amd_l3", "umask", "config:8-15"))
		PMU("amd_df", TERM("amd_df", "event", "config:0-7,32-37") TERM(
				      "amd_df", "umask", "config:8-15,24-27"))
			PMU("amd_umc_0",
			    TERM("amd_umc_0", "event", "config:0-7")
				    TERM("amd_umc_0", "rdwrmask", "config:8-9"))
				PMU("arm_cmn_0",
				    TERM("arm_cmn_0", "eventid", "config:16-26")
					    TERM("arm_cmn_0", "type",
						 "config:0-15")),
};

/* Where a file is that has the text, which is there as long as the process. */
static void keep(const char *text, char path[64])
{
	int file = memfd_create("capture", MFD_CLOEXEC);

	fuzz_must(file >= 0 && write(file, text, strlen(text)) ==
				       (ssize_t)strlen(text),
		  "no memory for a file");
	snprintf(path, 64, "/proc/self/fd/%d", file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char paths[2][64];
	struct fuzz_bytes bytes = { data, size };
	unsigned machine = (unsigned)fuzz_number(&bytes, 1) % 2;
	char name[192];

	if (!*paths[machine])
		keep(captures[machine], paths[machine]);
	snprintf(name, sizeof(name), "perf:%s,events=%s", paths[machine],
		 fuzz_file(bytes.data, bytes.size));
	live_try(name, NULL);
	return 0;
}
