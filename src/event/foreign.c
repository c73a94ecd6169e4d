/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Events in the words of others: the kernel's uncore_cbox_0/event=0x14/, as
 * sysfs shows them, and LIKWID's LLC_MISSES_ALL:CBOX0C0. Both are turned into
 * our words and read as such. perf's names for events of cores are answered
 * with what an uncore has instead.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/event.h"
#include "uncore/error.h"

#define KERNEL_PREFIX "uncore_"

/* Each R-Box of the kernel has four ports with six events each: two slots of
 * IPERF, of QLX and of match and mask. */
enum { RBOX_PORTS = 4, PORT_EVENTS = 6 };

/* Names in sysfs. */
static const struct {
	const char *box, *name, *ours;
} kernel_names[] = {
	{ "mbox", "bbox_cmds_read", "FVC_EV0.BBOX_CMDS.READS" },
	{ "mbox", "bbox_cmds_write", "FVC_EV0.BBOX_CMDS.WRITES" },
	{ "wbox", "clockticks", "FIXED_CTR" },
	{ "rbox", "qpi0_flit_send", "event=0x0,iperf_cfg=0x80000000" },
	{ "rbox", "qpi1_filt_send", "event=0x6,iperf_cfg=0x80000000" },
	{ "rbox", "qpi0_idle_filt", "event=0x0,iperf_cfg=0x40000000" },
	{ "rbox", "qpi1_idle_filt", "event=0x6,iperf_cfg=0x40000000" },
	{ "rbox", "qpi0_date_response", "event=0x0,iperf_cfg=0xc4" },
	{ "rbox", "qpi1_date_response", "event=0x6,iperf_cfg=0xc4" },
};

/* Options of a kernel's R-Box in ours. */
static const struct {
	const char *name, *ours;
} rbox_options[] = {
	{ "iperf_cfg=", "iperf=" },   { "qlx_cfg=", "qlx=" },
	{ "xbr_mm_cfg=", "mm_cfg=" }, { "xbr_match=", "match=" },
	{ "xbr_mask=", "mask=" },
};

static bool begins(const char *text, const char *start)
{
	return !strncasecmp(text, start, strlen(start));
}

static void add_rbox_option(struct text *text, const char *word, unsigned rbox)
{
	if (begins(word, "event=")) {
		unsigned number =
			(unsigned)strtoul(word + strlen("event="), NULL, 0);

		text_add(text, "port=%u,slot=%u",
			 number / PORT_EVENTS + RBOX_PORTS * rbox,
			 number % PORT_EVENTS % 2);
		return;
	}
	for (size_t i = 0; i < sizeof(rbox_options) / sizeof(rbox_options[0]);
	     i++)
		if (begins(word, rbox_options[i].name)) {
			text_add(text, "%s%s", rbox_options[i].ours,
				 word + strlen(rbox_options[i].name));
			return;
		}
	text_add(text, "%s", word);
}

/* The kernel switches an S-Box's match and mask on by itself. */
static void add_options(struct text *text, const char *box, unsigned instance,
			char *words)
{
	bool is_rbox = !strcmp(box, "rbox"), matches = false;
	char *save = NULL;

	for (char *word = strtok_r(words, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		if (text->data[text->length - 1] != '/')
			text_add(text, ",");
		if (is_rbox)
			add_rbox_option(text, word, instance);
		else
			text_add(text, "%s", word);
		matches |= begins(word, "match=") || begins(word, "mask=");
	}
	if (matches && !strcmp(box, "sbox"))
		text_add(text, ",mm_cfg=0x8000000000000000");
}

static const char *kernel_name(const char *box, const char *name)
{
	for (size_t i = 0; i < sizeof(kernel_names) / sizeof(kernel_names[0]);
	     i++)
		if (!strcmp(kernel_names[i].box, box) &&
		    !strcasecmp(kernel_names[i].name, name))
			return kernel_names[i].ours;
	return name;
}

/* uncore_BOX[_N]/WORDS/ */
static int from_kernel(const char *text, struct text *ours)
{
	char *box = strdup(text + strlen(KERNEL_PREFIX));
	char *slash = box ? strchr(box, '/') : NULL, *words = NULL, *end;
	unsigned instance = 0;
	bool has_instance = false;

	if (slash) {
		*slash++ = 0;
		slash[strcspn(slash, "/")] = 0;
	}
	end = box ? strrchr(box, '_') : NULL;
	if (end && isdigit((unsigned char)end[1])) {
		instance = (unsigned)strtoul(end + 1, NULL, 10);
		has_instance = true;
		*end = 0;
	}
	if (slash)
		words = strdup(kernel_name(box, slash));
	if (box && (!slash || words)) {
		text_add(ours, "%s", box);
		if (has_instance && strcmp(box, "rbox"))
			text_add(ours, "%u", instance);
		text_add(ours, "/");
		if (words)
			add_options(ours, box, instance, words);
		text_add(ours, "/");
	}
	free(words);
	free(box);
	return ours->data && !ours->failed ? 0 : UNCORE_ERR_NO_MEMORY;
}

/* Length of a name at the start of LIKWID's, in which dots are underscores; 0
 * if it is none. */
static size_t likwid_match(const char *name, const char *likwid)
{
	size_t i = 0;

	for (; name[i]; i++)
		if (toupper((unsigned char)name[i]) !=
			    toupper((unsigned char)likwid[i]) &&
		    !(name[i] == '.' && likwid[i] == '_'))
			return 0;
	return !likwid[i] || likwid[i] == '_' ? i : 0;
}

/* The unit masks, and ports and slots of the R-Box, that follow an event's
 * name; false if something else does. */
static bool add_masks(const struct uc_event *row, const char *rest,
		      struct text *masks, struct text *options)
{
	while (*rest) {
		size_t best = 0;
		const char *name = NULL;
		unsigned port, slot;
		int used = 0;

		rest += *rest == '_';
		if (sscanf(rest, "PORT%u_IPERF%u%n", &port, &slot, &used) ==
			    2 ||
		    sscanf(rest, "PORT%u_QLX%u%n", &port, &slot, &used) == 2) {
			text_add(options, ",port=%u,slot=%u", port, slot);
			rest += used;
			continue;
		}
		for (unsigned i = 0; i < row->num_unit_masks; i++) {
			size_t length =
				likwid_match(row->unit_masks[i].name, rest);

			if (length > best) {
				best = length;
				name = row->unit_masks[i].name;
			}
		}
		if (!best)
			return false;
		text_add(masks, ".%s", name);
		rest += best;
	}
	return true;
}

static bool add_likwid_name(const struct uc_box *box, const char *likwid,
			    struct text *ours)
{
	for (unsigned i = 0; i < box->num_events; i++) {
		const struct uc_event *row = &box->events[i];
		size_t length = likwid_match(row->name, likwid);
		struct text masks = { 0 }, options = { 0 };
		bool fits = length &&
			    add_masks(row, likwid + length, &masks, &options);

		if (fits)
			text_add(ours, "%s%s%s", row->name,
				 masks.data ? masks.data : "",
				 options.data ? options.data : "");
		text_free(&masks);
		text_free(&options);
		if (fits)
			return true;
	}
	return false;
}

/* Options behind the counter. */
static bool add_likwid_options(char *words, struct text *ours)
{
	static const struct {
		const char *name, *ours;
	} rows[] = {
		{ "EDGEDETECT", "edge" },    { "INVERT", "inv" },
		{ "THRESHOLD=", "thresh=" }, { "MATCH0=", "match=" },
		{ "MASK0=", "mask=" },
	};
	char *save = NULL;

	for (char *word = strtok_r(words, ":", &save); word;
	     word = strtok_r(NULL, ":", &save)) {
		bool found = false;

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (!begins(word, rows[i].name))
				continue;
			text_add(ours, ",%s%s", rows[i].ours,
				 word + strlen(rows[i].name));
			found = true;
		}
		if (!found)
			return false;
	}
	return true;
}

/* The box that LIKWID's counter CBOX3C1 is in, and how many letters name it and
 * its instance; NULL: no such box. */
static const struct uc_box *likwid_box(const struct uc_family *family,
				       const char *counter)
{
	for (unsigned i = 0; i < family->num_boxes; i++)
		if (begins(counter, family->boxes[i].name) ||
		    (!strcmp(family->boxes[i].name, "ubox") &&
		     begins(counter, "UPMC")))
			return &family->boxes[i];
	return NULL;
}

/* NAME:COUNTER[:OPTION...] */
static int from_likwid(const struct uc_family *family, const char *text,
		       struct text *ours, char **error)
{
	char *name = strdup(text);
	char *counter = name ? strchr(name, ':') : NULL, *options, *digits;
	const struct uc_box *box;
	bool fits = false;

	if (!counter) {
		free(name);
		return UNCORE_ERR_NO_MEMORY;
	}
	*counter++ = 0;
	options = counter + strcspn(counter, ":");
	if (*options)
		*options++ = 0;
	box = likwid_box(family, counter);
	if (box) {
		digits = counter + strlen(box->name);
		text_add(ours, "%s", box->name);
		if (isdigit((unsigned char)*digits) &&
		    strcmp(box->name, "rbox") && box->num_instances > 1)
			text_add(ours, "%lu", strtoul(digits, NULL, 10));
		text_add(ours, "/");
		fits = !strcasecmp(name, "UNCORE_CLOCKTICKS")
			       ? !strcmp(box->name, "wbox")
			       : add_likwid_name(box, name, ours);
		if (fits && !strcasecmp(name, "UNCORE_CLOCKTICKS"))
			text_add(ours, "FIXED_CTR");
		fits = fits && add_likwid_options(options, ours);
		text_add(ours, "/");
	}
	free(name);
	if (fits)
		return ours->failed ? UNCORE_ERR_NO_MEMORY : 0;
	return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
			  box ? "'%s' has the form of LIKWID's EVENT:COUNTER, "
				"but names no event that the box has, or an "
				"option that is not known here; 'uncore list' "
				"shows ours"
			      : "'%s' has the form of LIKWID's EVENT:COUNTER, "
				"but there is no such box",
			  text);
}

/* perf's names for what cores and the kernel count, by their beginnings. */
static const struct {
	const char *begin, *ours;
} generic[] = {
	{ "cycles", "wbox/FIXED_CTR/ (cycles of the uncore)" },
	{ "cpu-cycles", "wbox/FIXED_CTR/ (cycles of the uncore)" },
	{ "bus-cycles", "wbox/FIXED_CTR/ (cycles of the uncore)" },
	{ "ref-cycles", "wbox/FIXED_CTR/ (cycles of the uncore)" },
	{ "instructions", "-M instructions,llc_mpki on the model" },
	{ "cache-references", "-M llc_lookups" },
	{ "cache-misses", "cbox/LLC_MISSES.ALL/, or -M llc" },
	{ "LLC-load-misses", "cbox/LLC_MISSES.ALL/, or -M llc" },
	{ "LLC-store-misses", "cbox/LLC_MISSES.ALL/, or -M llc" },
	{ "LLC-prefetch-misses", "cbox/LLC_MISSES.ALL/, or -M llc" },
	{ "LLC-", "-M llc_lookups,llc_hit_ratio" },
	{ "node-", "-M numa" },
	{ "mem-", "-M memory" },
	{ "L1-", NULL },
	{ "dTLB-", NULL },
	{ "iTLB-", NULL },
	{ "branch", NULL },
	{ "stalled-cycles", NULL },
	{ "topdown-", NULL },
	{ "task-clock", NULL },
	{ "cpu-clock", NULL },
	{ "page-faults", NULL },
	{ "context-switches", NULL },
	{ "cpu-migrations", NULL },
};

static int from_perf(const char *text, char **error)
{
	if (strchr(text, '/'))
		return 0;
	for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++) {
		const char *begin = generic[i].begin;
		char last = begin[strlen(begin) - 1];

		if (strncmp(text, begin, strlen(begin)) ||
		    (last != '-' && strcmp(text, begin) &&
		     strcmp(begin, "branch")))
			continue;
		if (!generic[i].ours)
			return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
					  "'%s' is perf's name for what cores "
					  "or the kernel count; 'perf stat' "
					  "counts it, an uncore does not",
					  text);
		return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
				  "'%s' is perf's name for an event of cores; "
				  "an uncore has: %s",
				  text, generic[i].ours);
	}
	return 0;
}

int event_foreign(const struct uc_family *family, const char *text, char **ours,
		  char **error)
{
	struct text made = { 0 };
	int result;

	*ours = NULL;
	if (begins(text, KERNEL_PREFIX) && strchr(text, '/'))
		result = from_kernel(text, &made);
	else if (strchr(text, ':') && !strchr(text, '/'))
		result = from_likwid(family, text, &made, error);
	else
		return from_perf(text, error);
	if (!result)
		*ours = text_take(&made);
	text_free(&made);
	return result || *ours ? result : UNCORE_ERR_NO_MEMORY;
}
