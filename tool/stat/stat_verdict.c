/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What `uncore stat` says first. Thresholds are far from where programs without
 * the fault are (docs/first-hour.md); between them nothing is said.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"
#include "tool/target.h"
#include "tool/tool.h"
#include "tool/usual.h"
#include "uncore/model.h"
#include "uncore/program.h"
#include "uncore/recording.h"
#include "uncore/sampler.h"

/* What stays within the LLC is no miss of it; which events and metrics these
 * are is the processor's (tool/usual.h). */
#define RECORD_HITS "uncore record -e %s"
#define STAT_LINKS  "uncore stat -M %s"

static const struct verdict_rule rules[] = {
	/* A line that cores take from each other costs each of them a wait of
	 * some hundred cycles; one in fifty requests is no accident. Threads
	 * that hand on what they have made do not wait. */
	{ "shared_lines",
	  { { "transfers", 1000, INFINITY },
	    { "transfer_share", 2, INFINITY },
	    { "wait", 5, INFINITY } },
	  "Cores take changed lines from each other: {transfers} times, "
	  "{of_busiest} of them the line of {busiest}. Give each thread lines "
	  "of its own; what all have to change, change less often. (How often "
	  "depends on who comes first: -r N shows how much.)",
	  "Who uses them",
	  "uncore c2c",
	  false },
	/* Interleaved memory of two sockets is half remote, and may be meant:
	 * where lines are many all wait for them. */
	{ "remote",
	  { { "remote_lines", 10000, INFINITY },
	    { "remote_share", 15, INFINITY },
	    { "remote_each", 1, INFINITY } },
	  "{remote_share} of what a socket's own cache does not have comes "
	  "from another socket{remote_of}: let each thread be the first to "
	  "touch what it uses, or keep threads and data on one socket.",
	  "Whose they are",
	  "uncore record",
	  false },
	/* Four arrays side by side have half of their fills crowded, and all of
	 * them room in a set of eight. */
	{ "stride",
	  { { "l1d_fills", 10000, INFINITY },
	    { "l1d_fills_each", 5, INFINITY },
	    { "crowded", 80, INFINITY } },
	  "{crowded} of the {l1d_fills} lines that came into the L1D came into "
	  "one of the same few sets: they lie a power of two apart and push "
	  "each other out. Make rows longer by a line of 64 bytes, or go "
	  "through them in another order.{memory}",
	  "Where",
	  RECORD_HITS,
	  false },
	/* What DDR3 sustains is 60 to 80 % of its peak. */
	{ "bandwidth",
	  { { "memory_bandwidth_use", 60, INFINITY } },
	  "Bound by the bandwidth of memory: {memory_bandwidth_use} of its "
	  "peak is used. Fewer bytes help, more threads do not.{memory}",
	  "More",
	  "uncore stat -M memory",
	  false },
	{ "link",
	  { { "link_use", 60, INFINITY }, { "remote_share", 20, INFINITY } },
	  "Bound by the link between the sockets, which is used in "
	  "{link_use} of the time{remote_of}.",
	  "More",
	  STAT_LINKS,
	  false },
	{ "latency",
	  { { "memory_lines", 20000, INFINITY },
	    { "memory_part", 30, INFINITY },
	    { "wait", 40, INFINITY },
	    { "memory_bandwidth_use", 0, 40 } },
	  "Bound by how long memory takes to answer, not by its bandwidth: "
	  "cores wait in {wait} of their time, and {memory_bandwidth_use} of "
	  "the peak is used. More would have to be under way at once: "
	  "prefetches, accesses that do not need each other, more "
	  "threads.{memory}",
	  "Where",
	  "uncore record",
	  true },
	{ "cached",
	  { { "requests", 20000, INFINITY },
	    { "memory_part", 0, 10 },
	    { "wait", 40, INFINITY } },
	  "Bound by the last-level cache: cores wait in {wait} of their time "
	  "for lines that are there. A working set that fits the private "
	  "caches ({private}) would not wait.{memory}",
	  "Where",
	  RECORD_HITS,
	  true },
	{ "computing",
	  { { "busy", 1000000, INFINITY },
	    { "wait", 0, 10 },
	    { "memory_each", 0, 1 } },
	  "Not bound by memory: cores wait for lines in {wait} of their time.",
	  NULL,
	  NULL,
	  true },
};

/* What cores did, all together. */
struct sum {
	double busy, instructions;
	double llc, remote, local_memory, memory; /* lines from there */
	double wait; /* of the core that waits most: per cent of its time */
};

static double share_of(double part, double all)
{
	return all > 0 ? 100 * part / all : NAN;
}

static void add(struct sum *sum, const struct uncore_model_work *work,
		double longest)
{
	double busy = (double)work->busy;

	sum->busy += busy;
	sum->remote += (double)(work->remote_cache + work->remote_memory);
	sum->local_memory += (double)work->local_memory;
	sum->memory += (double)(work->local_memory + work->remote_memory);
	sum->llc += (double)(work->llc + work->changed);
	/* a thread that spins until another one is done computes */
	if (busy >= longest / 2)
		sum->wait = fmax(sum->wait,
				 100 - share_of((double)work->computing, busy));
}

static struct sum sum_of(const struct uncore_model *model)
{
	struct uncore_model_work work;
	struct sum sum = { .wait = NAN };
	double longest = 0;

	if (!model)
		return sum;
	sum.instructions = (double)uncore_model_instructions(model);
	for (unsigned i = 0; uncore_model_work(model, i, &work); i++)
		longest = fmax(longest, (double)work.busy);
	for (unsigned i = 0; uncore_model_work(model, i, &work); i++)
		add(&sum, &work, longest);
	return sum;
}

static double metric_of(const struct report_part *part, const char *name)
{
	for (size_t i = 0; i < part->num_rows; i++) {
		const struct report_row *row = &part->rows[i];

		if (row->is_metric && row->socket < 0 && row->valid &&
		    !strcmp(row->name, name))
			return row->value;
	}
	return NAN;
}

/* "malloc at numa.c:22 < main", as far as it is known; to be freed. NULL: who
 * has called there is not. */
static char *name_of(const struct report *report, unsigned number)
{
	const struct uncore_program *program = report->target->run.program;
	struct uncore_symbols *symbols = uncore_symbols_new();
	struct uncore_mapped_file file;
	struct uncore_position at = { 0 };
	struct uncore_program_site site;
	uint64_t address;
	char *name = NULL;

	if (symbols && uncore_program_site(program, number, &site) &&
	    uncore_program_caller(program, number, &file, &address))
		uncore_symbols_find_past(symbols, &file, address, &at);
	if (at.source)
		name = tool_print("%s at %s < %s", site.function, at.source,
				  at.symbol ? at.symbol : "?");
	else if (at.symbol)
		name = tool_print("%s < %s+0x%llx", site.function, at.symbol,
				  (unsigned long long)at.offset);
	uncore_symbols_free(symbols);
	return name;
}

char *report_memory(const struct report *report, const char *region,
		    bool is_remote, double *part)
{
	enum { LEAST_LOOKS = 50, LEAST_PER_CENT = 25 };
	const struct uncore_program *program = report->target->run.program;
	struct uncore_program_share share;
	unsigned most = 0;

	*part = 0;
	for (unsigned i = 0;
	     program && uncore_program_share(program, region, i, &share); i++) {
		double its = is_remote ? share.remote_part : share.part;

		if (share.looks < LEAST_LOOKS || its <= *part)
			continue;
		*part = its;
		most = share.site;
	}
	return 100 * *part >= LEAST_PER_CENT ? name_of(report, most) : NULL;
}

char *report_memory_text(const struct report *report, const char *region)
{
	double part;
	char *name = report_memory(report, region, false, &part);
	char *text = name ? tool_print(" %.0f %% of the accesses beyond the "
				       "private caches are to memory of %s.",
				       100 * part, name)
			  : tool_copy("");

	free(name);
	return text;
}

static char *remote_of(const struct report *report)
{
	double part;
	char *name = report_memory(report, NULL, true, &part);
	char *text = name ? tool_print(", %.0f %% of it memory of %s",
				       100 * part, name)
			  : tool_copy("");

	free(name);
	return text;
}

/* What a core's L2 holds. */
static char *private_of(const struct uncore_model *model)
{
	unsigned kb = model ? uncore_model_l2_kb(model) : 0;

	return kb < 1024 ? tool_print("%u KB", kb)
			 : tool_print("%u MB", kb / 1024);
}

/* The options of a run; without those of its machine for another one. */
static char *options_of(const struct run *run, bool is_other)
{
	const char *const *all = run->options;
	const char **kept;
	size_t num = 0, n = 0;
	char *text;

	while (all && all[num])
		num++;
	kept = tool_new(num + 1, sizeof(*kept));
	for (size_t i = 0; i < num; i++)
		if (is_other &&
		    (!strcmp(all[i], "-m") || !strcmp(all[i], "-S") ||
		     !strcmp(all[i], "--inject")))
			i++; /* its value, too */
		else
			kept[n++] = all[i];
	text = tool_shell_words(kept);
	free(kept);
	return text;
}

/* A command for the same run again: on the default machine where it takes
 * samples, and counters of this one interrupt nobody. */
static char *same_run(const struct run *run, const char *command)
{
	static const char *const nothing[] = { NULL };
	const struct uncore_family *family =
		uncore_family_find(uncore_model_family(run->model));
	bool is_other = strncmp(command, "uncore stat", 11) &&
			!uncore_sampler_has_interrupt(family);
	char *before = options_of(run, is_other);
	char *words = tool_shell_words(
		run->argv ? (const char *const *)run->argv : nothing);
	const struct usual *usual = usual_of(
		is_other ? uncore_family_find(TOOL_DEFAULT_MACHINE) : family);
	const char *const hits[] = { usual->hits, NULL };
	char *quoted = tool_shell_words(hits);
	char *first = !strcmp(command, RECORD_HITS)
			      ? tool_print(RECORD_HITS, quoted)
		      : !strcmp(command, STAT_LINKS)
			      ? tool_print(STAT_LINKS, usual->links)
			      : tool_copy(command);
	char *made = tool_print("%s%s%s%s%s", first, *before ? " " : "", before,
				*words ? " -- " : "", words);

	free(quoted);
	free(first);
	free(before);
	free(words);
	return made;
}

void report_verdict(struct report *report)
{
	const struct run *run = &report->target->run;
	const struct uncore_program_status *ended = &run->ended;
	const struct sum sum = sum_of(run->model);
	const double beyond = sum.remote + sum.local_memory;
	const double thousands = sum.instructions / 1000;
	const double fills = (double)ended->l1d_fills;
	/* a line that others take away comes back to its set each time */
	const double crowded = fmax(0, (double)ended->crowded_fills -
					       (double)ended->transfers);
	/* the figure that people see below, where they see it */
	const double requests = metric_of(&report->about, "remote_share");
	char *memory = report_memory_text(report, NULL);
	char *remote = remote_of(report);
	char *private = private_of(run->model);
	char *busiest = ended->busiest_site
				? name_of(report, ended->busiest_site)
				: NULL;
	const struct verdict_fact facts[] = {
		{ "memory", 0, "", memory },
		{ "private", 0, "", private },
		{ "remote_of", 0, "", remote },
		{ "busy", sum.busy, "", NULL },
		{ "wait", sum.wait, "%", NULL },
		{ "requests", sum.llc + beyond, "", NULL },
		{ "requests_each", (sum.llc + beyond) / thousands, "", NULL },
		{ "memory_lines", sum.memory, "", NULL },
		{ "memory_each", sum.memory / thousands, "", NULL },
		{ "memory_part", share_of(sum.memory, sum.llc + beyond), "%",
		  NULL },
		{ "remote_lines", sum.remote, "", NULL },
		{ "remote_each", sum.remote / thousands, "", NULL },
		{ "remote_share",
		  isnan(requests) ? share_of(sum.remote, beyond) : requests,
		  "%", NULL },
		{ "transfers", (double)ended->transfers, "", NULL },
		{ "transfer_share",
		  share_of((double)ended->transfers, (double)ended->accesses),
		  "%", NULL },
		{ "of_busiest", (double)ended->of_busiest, "", NULL },
		{ "busiest", 0, "", busiest ? busiest : ended->busiest },
		{ "l1d_fills", fills, "", NULL },
		{ "l1d_fills_each", fills / thousands, "", NULL },
		{ "crowded", share_of(crowded, fills), "%", NULL },
		{ "memory_bandwidth_use",
		  metric_of(&report->about, "memory_bandwidth_use"), "%",
		  NULL },
		{ "link_use", report->about.link_use, "%", NULL },
	};

	report->num_verdicts = verdict_find(
		rules, sizeof(rules) / sizeof(rules[0]), facts,
		sizeof(facts) / sizeof(facts[0]), report->verdicts);
	free(memory);
	free(remote);
	free(private);
	free(busiest);
	for (size_t i = 0; i < report->num_verdicts; i++) {
		struct verdict *verdict = &report->verdicts[i];

		if (verdict->rule->command)
			verdict->command =
				same_run(run, verdict->rule->command);
	}
}
