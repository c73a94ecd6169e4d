/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The keys of a row of a vendor's list. What a key means is what perf's own
 * generator makes of it (tools/perf/pmu-events/jevents.py of the kernel's
 * sources), and for Intel's files, before these are the kernel's, what their
 * publisher's converter does (scripts/create_perf_json.py of perfmon).
 */
#include "perf/keys.h"
#include "base/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Keys whose value is that of a term. */
static const struct {
	const char *key, *term;
} term_keys[] = {
	{ "AnyThread", "any" },		{ "PortMask", "ch_mask" },
	{ "CounterMask", "cmask" },	{ "EdgeDetect", "edge" },
	{ "FCMask", "fc_mask" },	{ "Invert", "inv" },
	{ "NodeType", "type" },		{ "RdWrMask", "rdwrmask" },
	{ "EnAllCores", "enallcores" }, { "EnAllSlices", "enallslices" },
	{ "SliceId", "sliceid" },	{ "ThreadMask", "threadmask" },
};

/* Keys that are looked at one by one below. */
static const char *const own_keys[] = {
	"EventCode", "ExtSel", "ConfigCode", "EventidCode",  "UMask",
	"UMaskExt",  "Filter", "MSRIndex",   "FILTER_VALUE", "CounterType",
};

/* Keys that say nothing of what is counted. */
static const char *const texts[] = {
	"AggregationMode",
	"BriefDescription",
	"CollectPEBSRecord",
	"Compat",
	"Counter",
	"CounterHTOff",
	"Data_LA",
	"DefaultMetricgroupName",
	"DefaultShowEvents",
	"Deprecated",
	"Description",
	"ELLC",
	"Errata",
	"EventName",
	"EventStatus",
	"Experimental",
	"L1_Hit_Indication",
	"MSRValue",
	"MetricConstraint",
	"MetricExpr",
	"MetricGroup",
	"MetricName",
	"MetricThreshold",
	"MetricgroupNoGroup",
	"Offcore",
	"PDIR_COUNTER",
	"PDISTCounter",
	"PEBS",
	"PEBScounters",
	"PRECISE_STORE",
	"PerPkg",
	"Precise",
	"PublicDescription",
	"SampleAfterValue",
	"ScaleUnit",
	"Speculative",
	"TakenAlone",
	"Topic",
	"Unit",
};

/* Registers of the core that have a term: those of "MSRIndex". */
static const struct {
	uint64_t index;
	const char *term;
} msrs[] = {
	{ 0x3f6, "ldlat" },
	{ 0x1a6, "offcore_rsp" },
	{ 0x1a7, "offcore_rsp" },
	{ 0x3f7, "frontend" },
};

/* Units that are not called like their PMU. */
static const char *const units[][2] = {
	{ "QPI LL", "qpi" },	 { "UPI LL", "upi" },	{ "iMPH-U", "arb" },
	{ "L3PMC", "amd_l3" },	 { "DFPMC", "amd_df" }, { "NCU", "clock" },
	{ "UMCPMC", "amd_umc" }, { "iMC_DCLK", "imc" },
};

const char *perf_key_text(struct json_object *row, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(row, key, &value) && value
		       ? json_object_get_string(value)
		       : NULL;
}

/* A text that the lists have for nothing: what is left out, or any 0. */
static bool is_nothing(const char *text)
{
	static const char *const words[] = { "", "na", "null", "tbd", "false" };
	uint64_t value;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!text || !strcasecmp(text, words[i]))
			return true;
	return text_number(text, &value) && !value;
}

/* Which PMU */

/* Whether nothing, or a number as instances have it, is left of a name. */
static bool is_number(const char *rest)
{
	size_t length = strlen(rest);

	return !length || (strspn(rest, "0123456789abcdef_.") == length &&
			   (*rest == '_' || isdigit((unsigned char)*rest)) &&
			   strcspn(rest, "0123456789") < length);
}

/* Whether a PMU has the name's pieces between its commas, one behind the other,
 * and numbers between and behind them: hisi_sccl,ddrc. */
static bool is_called(const char *pmu, const char *name)
{
	for (;;) {
		size_t length = strcspn(name, ",");

		if (strncasecmp(pmu, name, length))
			return false;
		pmu += length;
		if (!name[length])
			return is_number(pmu);
		name += length + 1;
		pmu += strspn(pmu, "0123456789_");
	}
}

/* Intel's units in -BO have an x more in the kernel. */
static bool is_of_unit(const char *pmu, const char *unit)
{
	size_t length = strlen(unit), skip = strlen("uncore_");
	const char *name = unit;
	char longer[64];

	if (length > 2 && !strcasecmp(unit + length - 2, "BO")) {
		snprintf(longer, sizeof(longer), "%sx", unit);
		name = longer;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcasecmp(unit, units[i][0]))
			name = units[i][1];
	return is_called(pmu, name) ||
	       (!strncmp(pmu, "uncore_", skip) && is_called(pmu + skip, name));
}

static bool is_like(const char *text, const char *expression)
{
	size_t length = strlen(text);
	regmatch_t match;
	regex_t regex;
	bool found;

	if (regcomp(&regex, expression, REG_EXTENDED))
		return false;
	found = !regexec(&regex, text, 1, &match, 0) && !match.rm_so &&
		(size_t)match.rm_eo == length;
	regfree(&regex);
	return found;
}

/* (434|436).* of "Compat", or 434*;436* of older files, against what the kernel
 * says is built in. */
static bool is_compatible(const char *identifier, const char *compat)
{
	char *patterns = strdup(compat), *save = NULL;
	bool found = !patterns || is_like(identifier, compat);

	for (char *one = patterns ? strtok_r(patterns, ";", &save) : NULL;
	     one && !found; one = strtok_r(NULL, ";", &save))
		found = !fnmatch(one, identifier, 0);
	free(patterns);
	return found;
}

bool perf_keys_match(const struct perf_tree *tree, const char *pmu,
		     struct json_object *row)
{
	const char *unit = perf_key_text(row, "Unit");
	const char *compat = perf_key_text(row, "Compat");
	const char *identifier =
		perf_tree_text(tree, PERF_DEVICES "/%s/identifier", pmu);

	return unit && is_of_unit(pmu, unit) &&
	       (!compat || !identifier || is_compatible(identifier, compat));
}

/* Which terms */

struct reading {
	struct json_object *row;
	const struct perf_box *box;
	struct text terms, why;
};

/* What follows is why the row cannot be used. */
static struct text *blame(struct reading *reading, const char *key)
{
	const char *text = perf_key_text(reading->row, key);

	text_add(&reading->why, "the list says %s=%s: ", key, text ? text : "");
	return &reading->why;
}

/* The number of a key; 0 if it has none, or one that cannot be read. */
static uint64_t number_of(struct reading *reading, const char *key)
{
	const char *text = perf_key_text(reading->row, key);
	uint64_t value = 0;

	if (!is_nothing(text) && !text_number(text, &value) &&
	    !reading->why.length)
		text_add(blame(reading, key), "that is no number");
	return value;
}

/* Adds term=value, which the key wants. */
static void add_term(struct reading *reading, const char *key, const char *term,
		     uint64_t value)
{
	struct text why = { 0 };

	if (reading->why.length)
		return;
	if (!perf_term_takes(reading->box, term, value, &why))
		text_add(blame(reading, key), "%s", why.data ? why.data : "");
	text_free(&why);
	text_add(&reading->terms, "%s%s=0x%llx",
		 reading->terms.length ? "," : "", term,
		 (unsigned long long)value);
}

/* A counter of its own, which the drivers call event 0xff. */
static bool is_fixed(struct reading *reading)
{
	const char *counter = perf_key_text(reading->row, "Counter");

	return counter && !strcasecmp(counter, "FIXED");
}

/* A code of 0 is one; an empty text is none. */
static bool is_code(struct reading *reading, const char *key)
{
	const char *text = perf_key_text(reading->row, key);

	return text && *text;
}

/* One of the three words that may choose an event. */
static void read_code(struct reading *reading)
{
	uint64_t code = number_of(reading, "EventCode");
	uint64_t more = number_of(reading, "ExtSel");

	if (is_code(reading, "ConfigCode"))
		add_term(reading, "ConfigCode", "config",
			 number_of(reading, "ConfigCode"));
	else if (is_code(reading, "EventidCode"))
		add_term(reading, "EventidCode", "eventid",
			 number_of(reading, "EventidCode"));
	else if (is_fixed(reading))
		add_term(reading, "Counter", "event", 0xff);
	else if (more >> 56)
		text_add(blame(reading, "ExtSel"), "that is too much");
	else
		add_term(reading, more ? "ExtSel" : "EventCode", "event",
			 code | more << 8);
}

/* In the kernel's files "UMask" has all bits already. */
static void read_mask(struct reading *reading)
{
	uint64_t mask = number_of(reading, "UMask");
	uint64_t more = number_of(reading, "UMaskExt");

	if (is_fixed(reading))
		return;
	if (more && (more >> 56 || (mask >> 8 && mask >> 8 != more)))
		text_add(blame(reading, "UMaskExt"),
			 "that does not go with UMask=0x%llx",
			 (unsigned long long)mask);
	mask |= more << 8;
	if (mask)
		add_term(reading, more ? "UMaskExt" : "UMask", "umask", mask);
}

/* Terms as a text: filter_opc=0x182; or "Filter1", whose value is a key of its
 * own. */
static void read_filter(struct reading *reading)
{
	const char *terms = perf_key_text(reading->row, "Filter");
	uint64_t value = number_of(reading, "FILTER_VALUE");
	struct perf_said said;

	if (is_nothing(terms))
		terms = "";
	if (!strcasecmp(terms, "Filter1")) {
		if (!value && !reading->why.length)
			text_add(blame(reading, "Filter"),
				 "there is no FILTER_VALUE for it");
		add_term(reading, "Filter", "config1", value);
		return;
	}
	if (value && !reading->why.length)
		text_add(blame(reading, "FILTER_VALUE"),
			 "which filter that is for, it does not say");
	while (!reading->why.length &&
	       (terms = perf_terms_next(terms, &said))) {
		if (said.is == PERF_SAID_VALUE)
			add_term(reading, "Filter", said.name, said.value);
		else
			text_add(blame(reading, "Filter"),
				 "%s has no number there", said.name);
	}
}

static void read_msr(struct reading *reading)
{
	uint64_t index = number_of(reading, "MSRIndex");
	uint64_t value = number_of(reading, "MSRValue");

	if (reading->why.length || (!index && !value))
		return;
	for (size_t i = 0; i < sizeof(msrs) / sizeof(msrs[0]); i++)
		if (msrs[i].index == index) {
			add_term(reading, "MSRIndex", msrs[i].term, value);
			return;
		}
	text_add(blame(reading, index ? "MSRIndex" : "MSRValue"),
		 "a register that perf has no term for");
}

/* Counters that always run have a PMU of their own, whose codes are not those
 * of the list. */
static void read_kind(struct reading *reading)
{
	const char *type = perf_key_text(reading->row, "CounterType");

	if (type && !strcasecmp(type, "FREERUN") &&
	    !strstr(reading->box->pmu->name, "free_running"))
		text_add(blame(reading, "CounterType"),
			 "such counters have another PMU, with codes of its "
			 "own");
}

static bool is_one_of(const char *key, const char *const *keys, size_t num)
{
	for (size_t i = 0; i < num; i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static bool is_known(const char *key)
{
	for (size_t i = 0; i < sizeof(term_keys) / sizeof(term_keys[0]); i++)
		if (!strcmp(key, term_keys[i].key))
			return true;
	return is_one_of(key, own_keys,
			 sizeof(own_keys) / sizeof(own_keys[0])) ||
	       is_one_of(key, texts, sizeof(texts) / sizeof(texts[0]));
}

/* BOX/NAME,option=value/ could not be taken apart. */
static void look_at_name(struct reading *reading)
{
	const char *name = perf_key_text(reading->row, "EventName");

	if (name && strpbrk(name, ",/="))
		text_add(blame(reading, "EventName"),
			 "a name with '%c' cannot be typed; type its words",
			 *strpbrk(name, ",/="));
}

/* A key that nobody knows may change what is counted. */
static void look_for_others(struct reading *reading)
{
	struct json_object_iterator at = json_object_iter_begin(reading->row),
				    end = json_object_iter_end(reading->row);

	for (; !json_object_iter_equal(&at, &end) && !reading->why.length;
	     json_object_iter_next(&at)) {
		const char *key = json_object_iter_peek_name(&at);

		if (!is_known(key) &&
		    !is_nothing(perf_key_text(reading->row, key)))
			text_add(blame(reading, key),
				 "this key is not known here");
	}
}

char *perf_keys_terms(struct json_object *row, const struct perf_box *box,
		      char **why)
{
	struct reading reading = { .row = row, .box = box };

	look_at_name(&reading);
	if (!reading.why.length)
		look_for_others(&reading);
	if (!reading.why.length)
		read_kind(&reading);
	if (!reading.why.length)
		read_code(&reading);
	if (!reading.why.length)
		read_mask(&reading);
	for (size_t i = 0; i < sizeof(term_keys) / sizeof(term_keys[0]); i++) {
		uint64_t value = number_of(&reading, term_keys[i].key);

		if (value)
			add_term(&reading, term_keys[i].key, term_keys[i].term,
				 value);
	}
	if (!reading.why.length)
		read_filter(&reading);
	if (!reading.why.length)
		read_msr(&reading);
	*why = reading.why.length ? text_take(&reading.why) : NULL;
	if (!*why)
		return text_take(&reading.terms);
	text_free(&reading.terms);
	return NULL;
}
