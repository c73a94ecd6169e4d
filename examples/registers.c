/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A monitoring session register by register, in the steps of Intel's guide:
 * setting it up (2.1.3), finding who has overflowed (2.1.4), going on (2.1.5).
 * The event that the guide names there does not exist (docs/errata.md, E18);
 * here counter 1 of B-Box 1 counts IMT_INSERTS_ALL, event 0x07. Addresses and
 * places of fields come from the library's tables, by the guide's names.
 *
 *     cc registers.c $(pkg-config --cflags --libs uncore-model)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uncore/model.h>
#include <uncore/uncore.h>

#define GLOBAL	"U_MSR_PMON_GLOBAL_CTL"
#define STATUS	"U_MSR_PMON_GLOBAL_STATUS"
#define CONTROL "BB1_CR_B_MSR_PERF_CTL1_REG"
#define COUNTER "BB1_CR_B_MSR_PERF_CNT1_REG"

enum { SAMPLE = 1000, CORE = 3, CYCLES = 2000, MAX_RUNS = 100 };

static const uint64_t modulus = UINT64_C(1) << 48; /* of a counter */
static struct uncore_model *model;

static void fail(const char *error)
{
	fprintf(stderr, "registers: %s\n", error ? error : "out of memory");
	exit(1);
}

static struct uncore_register find(const char *name)
{
	const struct uncore_family *family = uncore_family_find("xeon-e7");
	struct uncore_register reg;

	for (size_t i = 0; uncore_family_register(family, i, &reg); i++)
		if (!strcmp(reg.name, name))
			return reg;
	fail(name);
	return reg;
}

/* A value at the place of a field. */
static uint64_t in(const char *name, const char *field, uint64_t value)
{
	const struct uncore_register reg = find(name);
	struct uncore_field known;

	for (size_t i = 0; uncore_register_field(&reg, i, &known); i++)
		if (!strcmp(known.name, field))
			return value << known.low;
	fail(field);
	return 0;
}

static void put(const char *name, uint64_t value)
{
	printf("  wrmsr %-32s 0x%" PRIx64 "\n", name, value);
	if (uncore_model_write(model, 0, find(name).address, value))
		fail(name);
}

static uint64_t get(const char *name)
{
	uint64_t value;

	if (uncore_model_read(model, 0, find(name).address, &value))
		fail(name);
	printf("  rdmsr %-32s 0x%" PRIx64 "\n", name, value);
	return value;
}

static void set_up(void)
{
	printf("2.1.3, a monitoring session\n");
	put(GLOBAL, in(GLOBAL, "rst_all", 1));
	put(CONTROL, in(CONTROL, "ev_sel", 0x7) | in(CONTROL, "en", 1) |
			     in(CONTROL, "pmi_en", 1));
	put("BB1_CR_B_MSR_PERF_GLOBAL_CTL",
	    in("BB1_CR_B_MSR_PERF_GLOBAL_CTL", "ctr_en", 1 << 1));
}

static void start(void)
{
	put(COUNTER, modulus - SAMPLE);
	put(GLOBAL, in(GLOBAL, "frz_all", 1) | in(GLOBAL, "en_all", 1) |
			    in(GLOBAL, "pmi_core_sel", 1 << CORE));
}

static void wait_for_pmi(void)
{
	struct uncore_model_pmi pmi;

	for (int i = 0; i < MAX_RUNS; i++) {
		uncore_model_run(model, CYCLES);
		if (uncore_model_take_pmi(model, &pmi)) {
			printf("PMI to core %u in cycle %" PRIu64 "\n",
			       pmi.core, pmi.cycle);
			return;
		}
	}
	fail("no PMI came");
}

/* From the top of the tree of overflow bits down to the counter. */
static void look(void)
{
	printf("2.1.4, the sample\n");
	if (!(get(STATUS) & in(STATUS, "ov_s1", 1)) ||
	    !(get("SR1_CR_S_MSR_PMON_SUMMARY") &
	      in("SR1_CR_S_MSR_PMON_SUMMARY", "ov_mb", 1)) ||
	    !(get("BB1_CR_B_MSR_PMON_GLOBAL_STATUS") &
	      in("BB1_CR_B_MSR_PMON_GLOBAL_STATUS", "ov", 1 << 1)))
		fail("the overflow is not reported");
	get(COUNTER);
}

int main(void)
{
	char *error = NULL;
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", &error);

	model = config ? uncore_model_new(config, &error) : NULL;
	if (!model || uncore_model_set_workload(
			      model, "random:threads=4,size=256M", &error))
		fail(error);
	uncore_model_config_free(config);

	set_up();
	start();
	wait_for_pmi();
	look();
	printf("2.1.5, the next sample\n");
	put(GLOBAL, in(GLOBAL, "rst_all", 1));
	put("BB1_CR_B_MSR_PMON_GLOBAL_OVF_CTL",
	    in("BB1_CR_B_MSR_PMON_GLOBAL_OVF_CTL", "clr_ov", 1 << 1));
	start();
	wait_for_pmi();
	look();
	uncore_model_free(model);
	return 0;
}
