/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The table of perf's options: a row for each answer.
 */
#include "perf_options.h"

#include <string.h>

#include "tool.h"

enum {
	STAT = PERF_STAT,
	RECORD = PERF_RECORD,
	REPORT = PERF_REPORT,
	TOP = PERF_TOP,
	LIST = PERF_LIST,
	C2C = PERF_C2C_RECORD,
	C2C_REPORT = PERF_C2C_REPORT,
	RECORDS = RECORD | C2C,
	REPORTS = REPORT | C2C_REPORT,
	COUNTS = STAT | RECORD | C2C | TOP,
	SHOWS = REPORTS | TOP,
	MOST_NAMES = 64, /* of a row */
};

static void take_callers(const struct option_row *row, void *at, char *text,
			 const struct argp_state *state)
{
	static const char *const words[] = { "fp", "dwarf", "lbr", "no" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(text, words[i], strlen(words[i])))
			return;
	options_refuse(row, at, text, state);
}

/* Sentences that several options are answered with. */
#define PROCESS                                                                \
	"the counters of an uncore see all cores of their socket and cannot "  \
	"tell processes apart; run the program itself (-- PROGRAM), or count " \
	"everything for a while (--on msr --duration SECONDS)"
#define CPU                                                                    \
	"the counters of an uncore belong to a socket, not to a CPU; "         \
	"'uncore stat --per-socket' and '--per-box' split what they count"
#define RIGHTS                                                                 \
	"an uncore cannot tell what the kernel does from what programs do; "   \
	"leave it out (a model counts the program alone, or with "             \
	"--kernel-copies what the kernel copies for it, too)"
#define BRANCH                                                                 \
	"that is of cores or of the kernel, and 'perf record' has it; an "     \
	"uncore samples who asks for memory: leave it out"
#define TOPDOWN                                                                \
	"that is of cores: 'perf stat' shows it; of an uncore: -M "            \
	"summary, -M llc, -M memory ('uncore list --metrics')"
#define FILTER                                                                 \
	"what is counted is chosen by options of the event: -e "               \
	"BOX/EVENT,option=value/ ('uncore explain BOX/EVENT' shows them)"
#define ROWS                                                                   \
	"a report is narrowed by --by=VIEW, --top=N and --socket=N; 'uncore "  \
	"report --json' has all rows for another program"
#define CODE                                                                   \
	"code is not shown here; 'uncore report --by=symbol' has functions, "  \
	"'--by=line' the data that they use"
#define WHOLE "that is part of each recording: 'uncore report --json'"
#define CONTROL                                                                \
	"a PROGRAM chooses itself what is counted: <uncore/mark.h>, then "     \
	"--start-off or --region"
#define SWITCH                                                                 \
	"a recording is one file; --write-every TIME says what a kill can "    \
	"lose at most"
#define LINES                                                                  \
	"'uncore c2c' always shows lines by what they cost, with their "       \
	"users: leave it out; 'uncore report --by=line --top=N' shows more"
#define PERIODS                                                                \
	"'uncore c2c' finds its periods itself; 'uncore record -c N -e "       \
	"cbox/LLC_HITS.ALL/ PROGRAM', then 'uncore report --by=line', "        \
	"takes yours"
#define BEFORE "put it into one command: sh -c 'BEFORE; PROGRAM; BEHIND'"

/* Each option is "LETTER HOW NAME" without the blanks: '-' for no letter; ':'
 * without a value, '=' with one, '?' with one that may be left out. */
static const struct perf_option_row {
	int commands;
	const char *answer; /* NULL: it makes no difference here */
	const char *const *names;
	void (*take)(const struct option_row *row, void *at, char *text,
		     const struct argp_state *state);
} table[] = {
#define LIST_OF(...)                                                           \
	(const char *const[])                                                  \
	{                                                                      \
		__VA_ARGS__, NULL                                              \
	}
#define SAID(COMMANDS, ANSWER, ...)                                            \
	{ COMMANDS, ANSWER, LIST_OF(__VA_ARGS__), options_refuse },
#define TAKEN(COMMANDS, ...)                                                   \
	{ COMMANDS, NULL, LIST_OF(__VA_ARGS__), options_ignore },
	/* clang-format off */
	SAID(C2C, RIGHTS, "u:all-user", "k:all-kernel")
	SAID(COUNTS, PROCESS, "p=pid", "t=tid", "u=uid", "G=cgroup")
	SAID(STAT, PROCESS, "-=for-each-cgroup", "b=bpf-prog")
	SAID(STAT | RECORDS, PROCESS "; 'uncore record' and 'uncore report "
	     "--by=thread' say who asked", "-:per-thread")
	SAID(COUNTS | REPORT, CPU, "C=cpu")
	SAID(STAT, CPU, "-=cputype", "-:per-core", "-:per-die", "-:per-cluster",
	     "-:per-cache", "-:percore-show-thread")
	SAID(STAT, "a node is a socket here: --per-socket, or -M numa",
	     "-:per-node")
	SAID(COUNTS, RIGHTS, "-:all-user", "-:all-kernel")
	SAID(TOP, RIGHTS, "U:hide_user_symbols", "K:hide_kernel_symbols")
	SAID(COUNTS, "children are counted with their parents, as is all that "
	     "shares the socket: leave it out", "i:no-inherit")
	/* it is always so, or how perf takes samples: nothing to tune here */
	TAKEN(COUNTS, "-:inherit", "-:exclude-perf")
	TAKEN(RECORDS | TOP, "a:all-cpus", "-=mmap-pages",
	      "-=num-thread-synthesize", "-=proc-map-timeout", "-:overwrite",
	      "-:no-bpf-event", "-:all-cgroups")
	SAID(STAT, "perf shows caches then; here: -M llc, -M memory, -M qpi, "
	     "-M CATEGORY:all ('uncore list --metrics')", "d:detailed")
	SAID(STAT, TOPDOWN, "T:transaction", "-:topdown", "-=td-level",
	     "-:smi-cost")
	SAID(STAT, "what goes to and from devices: 'uncore list --metrics' "
	     "and 'uncore list PCIe'", "-?iostat")
	SAID(STAT, "without an event a summary is counted; -M time counts "
	     "least", "n:null")
	SAID(COUNTS, FILTER, "-=filter")
	TAKEN(COUNTS | REPORT, "-:group")
	TAKEN(STAT, "g:", "-:bpf-counters", "-:metric-no-group",
	      "-:metric-no-merge", "-:metric-no-threshold", "-:hybrid-merge",
	      "-:merge", "-:scale", "S:sync", "-:interval-clear", "B:big-num",
	      "-:metric-only", "-:no-csv-summary")
	SAID(TOP, "'uncore top' shows metrics: -M NAME,...; 'uncore stat -I "
	     "1s -e EVENT' shows events as they go", "e=event")
	SAID(TOP, "'uncore top' counts, without samples: 'uncore record -c "
	     "N', then 'uncore report'", "c=count")
	SAID(TOP, "'uncore top' counts and takes no samples: leave it out, or "
	     "'uncore record PROGRAM'", "F=freq")
	SAID(C2C, PERIODS, "F=freq", "c=count", "l=ldlat", "e=event")
	SAID(STAT, "counts that took turns are estimates; --no-multiplex "
	     "refuses such", "-:no-scale")
	SAID(STAT, BEFORE, "-=pre", "-=post")
	SAID(STAT | RECORDS, CONTROL, "-=control")
	SAID(RECORDS, CONTROL "; 'uncore stat -D TIME' leaves out the start",
	     "D=delay")
	SAID(STAT, "give -I TIME", "-=interval-print")
	SAID(STAT, "give --timeout TIME, N times that of -I",
	     "-=interval-count")
	TAKEN(RECORD, "r=realtime")
	TAKEN(C2C | TOP, "r=realtime")
	TAKEN(RECORDS, "-=mmap-flush", "-:no-buffering", "-=affinity", "-?aio",
	      "-?threads", "z?compression-level", "k=clockid", "-:strict-freq",
	      "-:tail-synthesize", "-=synth", "-:buildid-all", "-:buildid-mmap",
	      "B:no-buildid", "-:no-buildid-cache", "-?debuginfod",
	      "-=clang-path", "-=clang-opt", "-:kcore", "-:namespaces", "g:",
	      "d:data", "-:phys-data", "W:weight", "P:period", "T:timestamp",
	      "-:timestamp-boundary", "-:sample-cpu", "-:sample-identifier",
	      "-:running-time", "R:raw-samples", "s:stat", "-:data-page-size",
	      "-:code-page-size", "-:user-callchains")
	TAKEN(TOP, "-:namespaces", "-:tui")
	SAID(RECORDS, "'uncore schedule EVENT...' says what would count where",
	     "-:dry-run")
	SAID(RECORDS, "'uncore stat' counts without samples", "n:no-samples")
	SAID(RECORDS, BRANCH, "-:off-cpu", "-?aux-sample", "I?intr-regs",
	     "-?user-regs", "-:transaction", "-:switch-events")
	SAID(RECORDS, SWITCH "; -c N with a larger N takes fewer samples",
	     "-=max-size")
	SAID(RECORDS, SWITCH, "-?switch-output", "-=switch-output-event",
	     "-=switch-max-files", "-:timestamp-filename", "-?snapshot")
	SAID(RECORDS, "a recording is of one run: give -o FILE; 'uncore "
	     "compare' reads two", "-:append")
	SAID(RECORDS, RIGHTS, "-:kernel-callchains", "-=vmlinux")
	SAID(RECORDS | TOP, BRANCH, "b:branch-any", "j=branch-filter")
	SAID(STAT, "-x, and --json print plain digits", "-:no-big-num")
	SAID(STAT, "leave out -I for the sums of a run", "-:summary")
	SAID(STAT, "-r N shows means and standard errors; '-r N --json' has "
	     "each run", "-:table")
	SAID(STAT, "give -o FILE: what is counted goes there", "-:quiet")
	SAID(STAT, "'uncore compare FILE FILE' reads what --json wrote",
	     "i=input")
	SAID(C2C_REPORT, LINES, "c=coalesce", "d=display")
	/* lines have 64 bytes and no callers, and nothing is hidden */
	TAKEN(C2C_REPORT, "N:node-info", "-:show-all", "-:stats",
	      "-:full-symbols", "-:no-source", "-:double-cl", "g?")
	SAID(REPORT, ROWS, "c=comms", "d=dsos", "S=symbols", "-=pid", "-=tid",
	     "-=symbol-filter", "-=time", "p=parent", "-:exclude-other",
	     "U:hide-unresolved")
	SAID(TOP, ROWS, "-=comms", "-=dsos", "-=symbols", "D:dump-symtab")
	SAID(TOP, CODE, "-=sym-annotate")
	SAID(REPORT, "give --socket=N", "-=socket-filter")
	SAID(REPORT, "give --by=time --steps=N", "-=time-quantum")
	SAID(SHOWS, "give --top=N instead", "-=percent-limit")
	SAID(SHOWS, ROWS, "-=ignore-callees", "-=switch-on", "-=switch-off",
	     "-:show-on-off-events")
	SAID(REPORT, "give --by=VIEW; each view has its columns", "F=fields")
	SAID(TOP, "give -M NAME,...", "-=fields", "E=entries", "f=count-filter")
	SAID(TOP, "give -M NAME,...: rows are in the order in which they are "
	     "named", "s=sort")
	SAID(TOP, "give -I TIME, as -I 2s", "d=delay")
	SAID(TOP, "'uncore top' shows figures: 'uncore record PROGRAM', then "
	     "'uncore report --by=stack'", "g?call-graph")
	SAID(TOP, "'uncore top' has a minute of history; the figures are "
	     "those of the last interval", "z:zero")
	TAKEN(REPORT, "G:inverted", "-:header")
	/* each sample is in one row, names are whole, the kernel has none */
	TAKEN(SHOWS, "-:children", "-:no-children", "-:hierarchy",
	      "-=group-sort-idx", "-=percentage", "-=percent-type",
	      "-:show-total-period", "n:show-nr-samples",
	      "-:show-ref-call-graph", "-=max-stack", "-:stitch-lbr",
	      "-:inline", "-=samples", "-:skip-empty", "-:demangle",
	      "-:demangle-kernel", "w=column-widths", "-:full-source-path",
	      "-:ns", "-:disable-order", "f:force", "-:stdio", "-:stdio2",
	      "-=stdio-color", "k=vmlinux", "-:ignore-vmlinux", "-=kallsyms",
	      "m:modules", "-=pretty")
	SAID(REPORT, "give --by=thread", "T:threads", "-:tasks")
	SAID(REPORT, WHOLE, "-:mmaps", "-:header-only", "I:show-info")
	SAID(REPORT, "give --by=event", "-:stats")
	SAID(REPORT, WHOLE ", or 'sqlite3 " TOOL_RECORDING "'",
	     "D:dump-raw-trace")
	SAID(SHOWS, WHOLE, "-:raw-trace")
	SAID(REPORT, "give --by=line or --by=page", "-:mem-mode")
	SAID(REPORT, BRANCH, "b:branch-stack", "-:branch-history",
	     "-:total-cycles")
	SAID(SHOWS, BRANCH, "-?itrace")
	SAID(SHOWS, RIGHTS, "-:show-cpu-utilization")
	SAID(SHOWS, "names are always demangled: leave it out", "-:no-demangle")
	SAID(REPORTS, "'uncore top FILE' shows a recording on the whole screen",
	     "-:tui")
	SAID(REPORTS, "'uncore report --json' has what a window would show; "
	     "'uncore top FILE' shows it on the screen", "-:gtk")
	TAKEN(REPORTS, "q:quiet")
	TAKEN(COUNTS | SHOWS | LIST, "v:verbose")
	SAID(REPORT, "give -x SEP", "t=")
	SAID(SHOWS, CODE, "-:annotate", "-=disassembler-style", "-=objdump",
	     "-=addr2line", "-:asm-raw", "-:source", "-=prefix",
	     "-=prefix-strip")
	SAID(SHOWS, "names were looked up while it was recorded: record it "
	     "again where the program's files are", "-=symfs")
	TAKEN(LIST, "d:desc", "-:deprecated", "-:debug")
	SAID(LIST, "'uncore list --names' has bare names", "-:no-desc")
	SAID(LIST, "'uncore explain BOX/EVENT' says all", "-:long-desc")
	SAID(LIST, "'uncore encode EVENT' and 'uncore explain EVENT' say it",
	     "-:details")
	SAID(LIST, "'uncore list --names' prints bare names", "-:raw-dump")
	SAID(LIST, "'uncore list 'BOX/*'' shows a box", "-=unit")
	SAID(LIST, "'uncore list -m MACHINE' shows another processor's",
	     "-=cputype")
	SAID(LIST, "'uncore list > FILE'", "o=output")
	{ RECORDS, "callers are always recorded; perf's ways are fp, dwarf and "
	  "lbr", LIST_OF("-=call-graph"), take_callers },
	/* clang-format on */
};

bool perf_options_next(int commands, size_t *at, struct option_row *option)
{
	size_t index = *at / MOST_NAMES;

	for (; index < sizeof(table) / sizeof(table[0]);
	     *at = ++index * MOST_NAMES) {
		const struct perf_option_row *row = &table[index];
		const char *name = row->names[*at % MOST_NAMES];

		if (!(row->commands & commands) || !name)
			continue;
		*option = (struct option_row){
			.name = name[2] ? name + 2 : NULL,
			.letter = *name == '-' ? 0 : *name,
			.value = name[1] == ':' ? NULL : "VALUE",
			.help = row->answer,
			.take = row->take,
			.flags = name[1] == '?' ? OPTION_ARG_OPTIONAL : 0,
		};
		++*at;
		return true;
	}
	return false;
}

void perf_options_word(int commands, const char *word,
		       const struct argp_state *state)
{
	static const struct {
		int commands;
		const char *word, *instead;
	} words[] = {
		{ STAT, "record",
		  "'uncore stat --json -o FILE PROGRAM' keeps what was "
		  "counted, for 'uncore compare'; 'uncore record -I TIME -e "
		  "EVENT PROGRAM' keeps it over time" },
		{ STAT, "report",
		  "'uncore compare FILE FILE' reads what 'uncore stat --json' "
		  "wrote; 'uncore report FILE' what 'uncore record' wrote" },
		{ LIST, "hw", "those are of cores: 'perf list hw'" },
		{ LIST, "hwcache", "those are of cores: 'perf list hwcache'" },
		{ LIST, "tracepoint",
		  "those are of the kernel: 'perf list tracepoint'" },
		{ LIST, "sdt", "those are of programs: 'perf list sdt'" },
		{ LIST, "pmu", "'uncore list' alone shows all boxes" },
		{ LIST, "metric", "'uncore list --metrics'" },
		{ LIST, "metrics", "'uncore list --metrics'" },
		{ LIST, "metricgroup", "'uncore list --metrics'" },
		{ LIST, "metricgroups", "'uncore list --metrics'" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].commands & commands && !state->quoted &&
		    !strcmp(words[i].word, word))
			argp_failure(state, TOOL_USAGE, 0,
				     "'%s' is perf's: %s (a program of that "
				     "name runs behind '--')",
				     word, words[i].instead);
}
