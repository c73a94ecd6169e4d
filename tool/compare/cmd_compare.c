/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * `uncore compare`: what is different between two results or recordings.
 */
#include "tool/tool.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "compare.h"
#include "tool/html.h"
#include "tool/json.h"
#include "tool/table.h"

#define COMPARE_SCHEMA "uncore-compare-1"

static const char *const titles[] = {
	[FIGURE_EVENT] = "Events",
	[FIGURE_METRIC] = "Metrics",
	[FIGURE_SYMBOL] = "Symbols: whose access it was",
	[FIGURE_STACK] = "Stacks: whose access it was, and who called",
};

/* Drops rows that nobody asked for. */
static void choose(const struct compare_settings *settings,
		   struct compare_list *list)
{
	const struct option_texts *patterns = &settings->patterns;
	size_t kept = 0;

	for (size_t i = 0; i < list->num; i++) {
		const struct figure *figure = compare_figure(&list->rows[i]);
		bool fits = !patterns->num;

		for (size_t n = 0; n < patterns->num; n++)
			fits |= !fnmatch(patterns->list[n], figure->name, 0);
		if (fits && settings->shows[figure->kind])
			list->rows[kept++] = list->rows[i];
	}
	list->num = kept;
}

/* What is said of all rows. */
struct summary {
	size_t num, tested, verdicts[VERDICT_NONE + 1];
};

static struct summary sum_up(const struct compare_list *list)
{
	struct summary summary = { .num = list->num };

	for (size_t i = 0; i < list->num; i++) {
		const struct comparison *row = &list->rows[i];

		summary.verdicts[row->verdict]++;
		summary.tested += row->verdict == VERDICT_CHANGED ||
				  row->verdict == VERDICT_CHANCE;
	}
	return summary;
}

/* The rows of one kind, or of all (-1); an exit code. */
static int make_table(const struct compare_settings *settings,
		      const struct compare_list *list, int kind,
		      struct table *table)
{
	table_init(table, "rows", kind < 0 ? "" : titles[kind]);
	compare_columns(table, kind < 0);
	for (size_t i = 0;
	     i < list->num && table->num_rows < settings->most_rows; i++) {
		const struct comparison *row = &list->rows[i];

		if ((!settings->changed || row->verdict < VERDICT_CHANCE) &&
		    (kind < 0 || (int)compare_figure(row)->kind == kind))
			compare_add(table, row, kind < 0);
	}
	return TOOL_OK;
}

/* Where the program is what makes runs differ. */
static const char advice[] =
	"The program asked for random bytes, so each run of it may count "
	"otherwise. Run both sides with --repeatable, or several times (-r 5), "
	"which shows what chance does.";

/* Where only one side is made of windows. */
static const char mixed[] =
	"One side was sampled, the other was not: threads may have met in "
	"another order, so even counts without an error may differ by that. "
	"Count both with the same --detail.";

static double share(const struct results_detail *detail)
{
	return detail->detailed / detail->accesses;
}

static void say_side(const char *name, const struct results *side, FILE *file)
{
	const struct results_detail *detail = &side->detail;
	const char *text = side->what ? tool_shown(side->what) : "";
	char accesses[40];

	fprintf(file, " %s: %s%s%s (%u run%s)\n", name, tool_shown(side->path),
		*text ? ": " : "", text, side->runs,
		side->runs == 1 ? "" : "s");
	if (!detail->runs)
		return;
	tool_grouped(accesses, sizeof(accesses), "%.0f", detail->accesses);
	fprintf(file, "    %.3g %% of %s accesses in detail",
		100 * share(detail), accesses);
	if (!isnan(detail->time_error))
		fprintf(file, ", time +- %.2g %%", 100 * detail->time_error);
	fputc('\n', file);
}

static void put_plain(const char *text, FILE *file)
{
	fputs(tool_shown(text), file);
}

static void say_summary(const struct compare_settings *settings,
			const struct compare_list *list,
			const struct summary *summary, FILE *file)
{
	size_t changed = summary->verdicts[VERDICT_CHANGED];
	size_t one = summary->verdicts[VERDICT_ONE_RUN];
	size_t exact = summary->verdicts[VERDICT_EXACT];

	fputc('\n', file);
	if (changed || summary->tested || !(exact + one))
		fprintf(file, " %zu of %zu rows changed%s", changed,
			summary->num, summary->tested ? "" : ".\n");
	if (summary->tested)
		fprintf(file,
			"; chance alone changes %.2g of the %zu that vary.\n",
			(1 - settings->level) * (double)summary->tested,
			summary->tested);
	if (exact)
		fprintf(file,
			" %zu of %zu rows differ exactly: on the model other "
			"runs of the same would be as these.\n",
			exact, summary->num);
	if (list->is_random)
		fprintf(file, " %s\n", advice);
	else if (one)
		fprintf(file,
			" %zu of %zu rows differ, but come from one run on "
			"each "
			"side: repeat the runs to see what\n chance does.\n",
			one, summary->num);
	if (list->is_mixed)
		fprintf(file, " %s\n", mixed);
	limit_say(settings, list, put_plain, file);
	fputc('\n', file);
}

/* The tables of all kinds, as people read them. */
static int print_tables(const struct compare_settings *settings,
			const struct compare_list *list,
			void (*put)(const struct table *, FILE *), FILE *file)
{
	int status = TOOL_OK;

	for (int kind = 0; kind < NUM_FIGURE_KINDS && !status; kind++) {
		struct table table;

		status = make_table(settings, list, kind, &table);
		if (!status && table.num_rows)
			put(&table, file);
		table_free(&table);
	}
	return status;
}

static int print_markdown(const struct compare_settings *settings,
			  const struct results *sides,
			  const struct compare_list *list, FILE *file)
{
	limit_say(settings, list, table_put_markdown, file);
	for (int i = 0; i < 2; i++) {
		fprintf(file, "\n%s: ", i ? "B" : "A");
		table_put_markdown(sides[i].path, file);
		fprintf(file, " (%u run%s) ", sides[i].runs,
			sides[i].runs == 1 ? "" : "s");
		table_put_markdown(sides[i].what ? sides[i].what : "", file);
		fputc('\n', file);
	}
	return print_tables(settings, list, table_print_markdown, file);
}

static int print_text(const struct compare_settings *settings,
		      const struct results *sides,
		      const struct compare_list *list,
		      const struct summary *summary, FILE *file)
{
	int status;

	fputc('\n', file);
	say_side("A", &sides[0], file);
	say_side("B", &sides[1], file);
	status = print_tables(settings, list, table_print_text, file);
	say_summary(settings, list, summary, file);
	return status;
}

static void put_side(const char *name, const struct results *side,
		     struct json *json)
{
	const struct results_detail *detail = &side->detail;

	json_open(json, name, '{');
	json_members(json, "file:%s command:%s? machine:%s? runs:%u",
		     side->path, side->what, side->machine, side->runs);
	if (detail->runs) {
		json_open(json, "detail", '{');
		json_members(json, "runs:%u accesses:%g share:%g time_error:%g",
			     detail->runs, detail->accesses, share(detail),
			     detail->time_error);
		json_close(json);
	}
	if (side->random.is_known)
		json_members(json, "random_asked:%d random_repeatable:%d",
			     side->random.asked, side->random.repeats);
	json_close(json);
}

static void print_json(const struct compare_settings *settings,
		       const struct results *sides,
		       const struct compare_list *list,
		       const struct table *table, const struct summary *summary,
		       FILE *file)
{
	struct json json = { .file = file, .is_page = settings->html };

	json_open(&json, NULL, '{');
	json_string(&json, "schema", COMPARE_SCHEMA);
	put_side("a", &sides[0], &json);
	put_side("b", &sides[1], &json);
	json_members(
		&json,
		"confidence:%g compared:%lu tested:%lu changed:%lu exact:%lu "
		"note:%s? detail_note:%s?",
		settings->level, summary->num, summary->tested,
		summary->verdicts[VERDICT_CHANGED],
		summary->verdicts[VERDICT_EXACT],
		list->is_random ? advice : NULL, list->is_mixed ? mixed : NULL);
	if (settings->fail_above)
		json_uint(&json, "above",
			  limit_count(settings, list, LIMIT_BEYOND));
	table_print_json(table, &json);
	json_close(&json);
}

static int print(const struct compare_settings *settings,
		 const struct results *sides, const struct compare_list *list,
		 const struct summary *summary, FILE *file)
{
	struct table table;
	int status = TOOL_OK;

	if (settings->markdown_file)
		status = print_markdown(settings, sides, list,
					settings->markdown_file);
	if (status)
		return status;
	if (!settings->json && !settings->separator)
		return print_text(settings, sides, list, summary, file);
	status = make_table(settings, list, -1, &table);
	if (!status && settings->json)
		print_json(settings, sides, list, &table, summary, file);
	else if (!status)
		table_print_separated(&table, settings->separator, file);
	table_free(&table);
	return status;
}

static int read_sides(const struct compare_settings *settings,
		      struct results *sides)
{
	const struct results_options how = { &settings->metric_files,
					     settings->only_socket,
					     settings->shows[FIGURE_STACK] };
	int status = TOOL_OK;

	if (!strcmp(settings->paths.list[0], "-") &&
	    !strcmp(settings->paths.list[1], "-"))
		return tool_fail(TOOL_USAGE, "standard input can be one of "
					     "the two sides, not both");
	for (int i = 0; i < 2 && !status; i++)
		status = results_read(&sides[i], settings->paths.list[i], &how);
	if (!status && sides[0].machine && sides[1].machine &&
	    strcmp(sides[0].machine, sides[1].machine))
		tool_warn("note: A is of a machine '%s', B of '%s'",
			  sides[0].machine, sides[1].machine);
	return status;
}

/* Where nothing is compared a script shall not take it for "no change". */
static int check_list(const struct compare_settings *settings,
		      const struct results *sides,
		      const struct compare_list *list)
{
	for (size_t i = 0; i < list->num; i++)
		if (!isnan(list->rows[i].significance.difference))
			return TOOL_OK;
	return tool_fail(settings->is_gate ? TOOL_FAILED : TOOL_USAGE,
			 "%s and %s have nothing in common%s: no row of the "
			 "same name has a value in both",
			 sides[0].path, sides[1].path,
			 settings->by || settings->patterns.num
				 ? " that --by and --only ask for"
				 : "");
}

static int open_output(const struct compare_settings *settings, FILE **file)
{
	if (settings->html)
		return html_open(settings->output, stdout, file);
	return tool_open(settings->output, stdout,
			 !settings->replace || !settings->json ? NULL
			 : settings->merge ? "uncore-sweep-1"
					   : COMPARE_SCHEMA,
			 file);
}

int compare_sides(const struct compare_settings *settings,
		  struct results *sides, FILE **file)
{
	struct compare_list list = { 0 };
	struct summary summary;
	int status;

	compare_make(&list, &sides[0], &sides[1], settings->level);
	choose(settings, &list);
	status = check_list(settings, sides, &list);
	if (!status && !*file)
		status = open_output(settings, file);
	if (!status) {
		compare_sort(&list, settings->order);
		summary = sum_up(&list);
		status = print(settings, sides, &list, &summary, *file);
	}
	if (!status && limit_count(settings, &list, LIMIT_BEYOND))
		status = TOOL_DIFFERS;
	if (!status && limit_count(settings, &list, LIMIT_UNTOLD))
		status = tool_fail(TOOL_FAILED,
				   "not all rows of %s and of %s can be "
				   "compared: count the same in both",
				   sides[0].path, sides[1].path);
	compare_free(&list);
	return status;
}

static int compare_two(struct compare_settings *settings, FILE **file)
{
	struct results sides[2] = { 0 };
	int status = read_sides(settings, sides);

	if (!status && settings->markdown)
		status = tool_open(settings->markdown, NULL, NULL,
				   &settings->markdown_file);
	if (!status)
		status = compare_sides(settings, sides, file);
	if (settings->markdown_file)
		status = tool_finish(status, settings->markdown_file,
				     settings->markdown);
	results_free(&sides[0]);
	results_free(&sides[1]);
	return status;
}

int cmd_compare(int argc, char **argv)
{
	struct compare_settings settings = { 0 };
	FILE *file = NULL;
	int status;

	options_parse(&compare_options, argc, argv, 0, &settings);
	status = compare_settings_check(&settings);
	if (!status && !settings.merge) {
		status = compare_two(&settings, &file);
	} else if (!status) {
		status = open_output(&settings, &file);
		if (!status)
			status = compare_merge(&settings, file);
	}
	return file ? tool_finish(status, file, settings.output) : status;
}
