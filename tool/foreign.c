/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The table of perf's options. The help of a row is what is answered, or, where
 * it is taken without a word, why it makes no difference.
 */
#include "foreign.h"

#include <string.h>

#include "tool.h"

enum {
	STAT = FOREIGN_STAT,
	RECORD = FOREIGN_RECORD,
	REPORT = FOREIGN_REPORT,
	TOP = FOREIGN_TOP,
	LIST = FOREIGN_LIST,
	C2C = FOREIGN_C2C_RECORD,
	C2C_REPORT = FOREIGN_C2C_REPORT,
	RECORDS = RECORD | C2C,
	REPORTS = REPORT | C2C_REPORT,
	COUNTS = STAT | RECORD | C2C | TOP,
	SHOWS = REPORTS | TOP,
	MAY = OPTION_ARG_OPTIONAL,
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
#define BEFORE	"put it into one command: sh -c 'BEFORE; PROGRAM; BEHIND'"
#define ALL	"the whole machine is counted anyway"
#define ALWAYS	"it is always so"
#define NO_TUNE "how perf takes its samples; there is nothing to tune here"

static const struct foreign_row {
	int commands;
	struct option_row row;
} table[] = {
#define TAKEN(COMMANDS, NAME, LETTER, VALUE, WHY, ...)                         \
	{ COMMANDS,                                                            \
	  { NAME, LETTER, VALUE, WHY, .take = options_ignore, __VA_ARGS__ } },
#define SAID(COMMANDS, NAME, LETTER, VALUE, WHAT, ...)                         \
	{ COMMANDS,                                                            \
	  { NAME, LETTER, VALUE, WHAT, .take = options_refuse,                 \
	    __VA_ARGS__ } },
	/* clang-format off */
	/* which processes, CPUs, levels */
	SAID(COUNTS, "pid", 'p', "PID", PROCESS)
	SAID(COUNTS, "tid", 't', "TID", PROCESS)
	SAID(C2C, "all-user", 'u', NULL, RIGHTS)
	SAID(COUNTS, "uid", 'u', "USER", PROCESS)
	SAID(COUNTS, "cgroup", 'G', "NAME", PROCESS)
	SAID(STAT, "for-each-cgroup", 0, "NAME", PROCESS)
	SAID(STAT | RECORDS, "per-thread", 0, NULL, PROCESS "; 'uncore record' "
	     "and 'uncore report --by=thread' say who asked")
	SAID(COUNTS | REPORT, "cpu", 'C', "CPUS", CPU)
	SAID(STAT, "cputype", 0, "TYPE", CPU)
	SAID(STAT, "per-core", 0, NULL, CPU)
	SAID(STAT, "per-die", 0, NULL, CPU)
	SAID(STAT, "per-cluster", 0, NULL, CPU)
	SAID(STAT, "per-cache", 0, NULL, CPU)
	SAID(STAT, "per-node", 0, NULL, "a node is a socket here: "
	     "--per-socket, or -M numa")
	SAID(STAT, "percore-show-thread", 0, NULL, CPU)
	SAID(COUNTS, "all-user", 0, NULL, RIGHTS)
	SAID(C2C, "all-kernel", 'k', NULL, RIGHTS)
	SAID(COUNTS, "all-kernel", 0, NULL, RIGHTS)
	SAID(TOP, "hide_user_symbols", 'U', NULL, RIGHTS)
	SAID(TOP, "hide_kernel_symbols", 'K', NULL, RIGHTS)
	SAID(COUNTS, "no-inherit", 'i', NULL, "children are counted with their "
	     "parents, as is all that shares the socket: leave it out")
	TAKEN(COUNTS, "inherit", 0, NULL, ALWAYS)
	TAKEN(RECORDS | TOP, "all-cpus", 'a', NULL, ALL)
	TAKEN(COUNTS, "exclude-perf", 0, NULL,
	      "nothing of uncore's own is in the counts of a model")

	/* which events */
	SAID(STAT, "detailed", 'd', NULL, "perf shows caches then; here: -M "
	     "llc, -M memory, -M qpi, -M CATEGORY:all ('uncore list "
	     "--metrics')")
	SAID(STAT, "transaction", 'T', NULL, TOPDOWN)
	SAID(STAT, "topdown", 0, NULL, TOPDOWN)
	SAID(STAT, "td-level", 0, "N", TOPDOWN)
	SAID(STAT, "smi-cost", 0, NULL, TOPDOWN)
	SAID(STAT, "iostat", 0, "PORTS", "what goes to and from devices: "
	     "'uncore list --metrics' and 'uncore list PCIe'", .flags = MAY)
	SAID(STAT, "null", 'n', NULL, "without an event a summary is counted; "
	     "-M time counts least")
	SAID(COUNTS, "filter", 0, "FILTER", FILTER)
	TAKEN(COUNTS | REPORT, "group", 0, NULL,
	      "events that fit count together anyway")
	TAKEN(STAT, NULL, 'g', NULL, "events that fit count together anyway")
	SAID(STAT, "bpf-prog", 'b', "ID", PROCESS)
	TAKEN(STAT, "bpf-counters", 0, NULL, NO_TUNE)
	TAKEN(STAT, "metric-no-group", 0, NULL,
	      "metrics take turns only where they have to")
	TAKEN(STAT, "metric-no-merge", 0, NULL,
	      "metrics take turns only where they have to")
	TAKEN(STAT, "metric-no-threshold", 0, NULL, "there are no thresholds")
	TAKEN(STAT, "hybrid-merge", 0, NULL, "boxes are summed")
	TAKEN(STAT, "merge", 0, NULL, "boxes are summed")
	SAID(TOP, "event", 'e', "EVENT", "'uncore top' shows metrics: -M "
	     "NAME,...; 'uncore stat -I 1s -e EVENT' shows events as they go")
	SAID(TOP, "count", 'c', "N", "'uncore top' counts, without samples: "
	     "'uncore record -c N', then 'uncore report'")
	SAID(TOP, "freq", 'F', "HERTZ", "'uncore top' counts and takes no "
	     "samples: leave it out, or 'uncore record PROGRAM'")
	SAID(C2C, "freq", 'F', "HERTZ", PERIODS)
	SAID(C2C, "count", 'c', "N", PERIODS)
	SAID(C2C, "ldlat", 'l', "CYCLES", PERIODS)
	SAID(C2C, "event", 'e', "EVENT", PERIODS)

	/* how it is counted */
	TAKEN(STAT, "scale", 0, NULL, ALWAYS)
	SAID(STAT, "no-scale", 0, NULL, "counts that took turns are estimates; "
	     "--no-multiplex refuses such")
	TAKEN(STAT, "sync", 'S', NULL, "files are not counted")
	SAID(STAT, "pre", 0, "COMMAND", BEFORE)
	SAID(STAT, "post", 0, "COMMAND", BEFORE)
	SAID(STAT | RECORDS, "control", 0, "HOW", CONTROL)
	SAID(RECORDS, "delay", 'D', "TIME", CONTROL "; 'uncore stat -D TIME' "
	     "leaves out the start")
	SAID(STAT, "interval-print", 0, "TIME", "give -I TIME")
	SAID(STAT, "interval-count", 0, "N", "give --timeout TIME, N times "
	     "that of -I")
	TAKEN(STAT, "interval-clear", 0, NULL, "'uncore top' has a screen")
	TAKEN(RECORD, "realtime", 'r', "PRIORITY", NO_TUNE)
	TAKEN(C2C | TOP, "realtime", 'r', "PRIORITY", NO_TUNE)
	TAKEN(RECORDS | TOP, "mmap-pages", 0, "PAGES", NO_TUNE)
	TAKEN(RECORDS, "mmap-flush", 0, "SIZE", NO_TUNE)
	TAKEN(RECORDS, "no-buffering", 0, NULL, NO_TUNE)
	TAKEN(RECORDS, "affinity", 0, "HOW", NO_TUNE)
	TAKEN(RECORDS, "aio", 0, "N", NO_TUNE, .flags = MAY)
	TAKEN(RECORDS, "threads", 0, "HOW", NO_TUNE, .flags = MAY)
	TAKEN(RECORDS, "compression-level", 'z', "N",
	      "a recording is one small file", .flags = MAY)
	TAKEN(RECORDS, "clockid", 'k', "CLOCK", "time is that of the model")
	TAKEN(RECORDS, "strict-freq", 0, NULL, NO_TUNE)
	TAKEN(RECORDS, "tail-synthesize", 0, NULL, NO_TUNE)
	TAKEN(RECORDS, "synth", 0, "WHAT", NO_TUNE)
	TAKEN(RECORDS | TOP, "num-thread-synthesize", 0, "N", NO_TUNE)
	TAKEN(RECORDS | TOP, "proc-map-timeout", 0, "TIME", NO_TUNE)
	TAKEN(RECORDS | TOP, "overwrite", 0, NULL, NO_TUNE)
	TAKEN(RECORDS | TOP, "no-bpf-event", 0, NULL, NO_TUNE)
	TAKEN(RECORDS, "buildid-all", 0, NULL, NO_TUNE)
	TAKEN(RECORDS, "buildid-mmap", 0, NULL, NO_TUNE)
	TAKEN(RECORDS, "no-buildid", 'B', NULL, NO_TUNE)
	TAKEN(RECORDS, "no-buildid-cache", 0, NULL, NO_TUNE)
	TAKEN(RECORDS, "debuginfod", 0, "URL", NO_TUNE, .flags = MAY)
	TAKEN(RECORDS, "clang-path", 0, "FILE", NO_TUNE)
	TAKEN(RECORDS, "clang-opt", 0, "OPTIONS", NO_TUNE)
	TAKEN(RECORDS, "kcore", 0, NULL, NO_TUNE)
	TAKEN(RECORDS, "namespaces", 0, NULL, NO_TUNE)
	TAKEN(TOP, "namespaces", 0, NULL, NO_TUNE)
	TAKEN(RECORDS | TOP, "all-cgroups", 0, NULL, NO_TUNE)
	SAID(RECORDS, "dry-run", 0, NULL, "'uncore schedule EVENT...' says "
	     "what would count where")
	SAID(RECORDS, "no-samples", 'n', NULL, "'uncore stat' counts without "
	     "samples")
	SAID(RECORDS, "off-cpu", 0, NULL, BRANCH)
	SAID(RECORDS, "max-size", 0, "SIZE", SWITCH "; -c N with a larger N "
	     "takes fewer samples")
	SAID(RECORDS, "switch-output", 0, "WHEN", SWITCH, .flags = MAY)
	SAID(RECORDS, "switch-output-event", 0, "EVENT", SWITCH)
	SAID(RECORDS, "switch-max-files", 0, "N", SWITCH)
	SAID(RECORDS, "timestamp-filename", 0, NULL, SWITCH)
	SAID(RECORDS, "snapshot", 0, "HOW", SWITCH, .flags = MAY)
	SAID(RECORDS, "aux-sample", 0, "HOW", BRANCH, .flags = MAY)
	SAID(RECORDS, "append", 0, NULL, "a recording is of one run: give -o "
	     "FILE; 'uncore compare' reads two")

	/* what a sample holds */
	{ RECORDS, { "call-graph", 0, "HOW", "callers are always recorded; "
		     "perf's ways are fp, dwarf and lbr",
		     .take = take_callers } },
	TAKEN(RECORDS, NULL, 'g', NULL, ALWAYS)
	TAKEN(RECORDS, "data", 'd', NULL, ALWAYS)
	TAKEN(RECORDS, "phys-data", 0, NULL, ALWAYS)
	TAKEN(RECORDS, "weight", 'W', NULL, "each sample stands for its period")
	TAKEN(RECORDS, "period", 'P', NULL, ALWAYS)
	TAKEN(RECORDS, "timestamp", 'T', NULL, ALWAYS)
	TAKEN(RECORDS, "timestamp-boundary", 0, NULL, ALWAYS)
	TAKEN(RECORDS, "sample-cpu", 0, NULL, ALWAYS)
	TAKEN(RECORDS, "sample-identifier", 0, NULL, ALWAYS)
	TAKEN(RECORDS, "running-time", 0, NULL, ALWAYS)
	TAKEN(RECORDS, "raw-samples", 'R', NULL, ALWAYS)
	TAKEN(RECORDS, "stat", 's', NULL, ALWAYS)
	TAKEN(RECORDS, "data-page-size", 0, NULL, "--by=page has pages")
	TAKEN(RECORDS, "code-page-size", 0, NULL, "--by=page has pages")
	TAKEN(RECORDS, "user-callchains", 0, NULL, ALWAYS)
	SAID(RECORDS, "kernel-callchains", 0, NULL, RIGHTS)
	SAID(RECORDS | TOP, "branch-any", 'b', NULL, BRANCH)
	SAID(RECORDS | TOP, "branch-filter", 'j', "WHICH", BRANCH)
	SAID(RECORDS, "intr-regs", 'I', "NAMES", BRANCH, .flags = MAY)
	SAID(RECORDS, "user-regs", 0, "NAMES", BRANCH, .flags = MAY)
	SAID(RECORDS, "transaction", 0, NULL, BRANCH)
	SAID(RECORDS, "switch-events", 0, NULL, BRANCH)
	SAID(RECORDS, "vmlinux", 0, "FILE", RIGHTS)

	/* how stat prints */
	TAKEN(STAT, "big-num", 'B', NULL, ALWAYS)
	SAID(STAT, "no-big-num", 0, NULL, "-x, and --json print plain digits")
	TAKEN(STAT, "metric-only", 0, NULL,
	      "what -M names is shown as metrics anyway")
	SAID(STAT, "summary", 0, NULL, "leave out -I for the sums of a run")
	TAKEN(STAT, "no-csv-summary", 0, NULL, "-x has no such rows")
	SAID(STAT, "table", 0, NULL, "-r N shows means and standard errors; "
	     "'-r N --json' has each run")
	SAID(STAT, "quiet", 0, NULL, "give -o FILE: what is counted goes there")
	SAID(STAT, "input", 'i', "FILE", "'uncore compare FILE FILE' reads "
	     "what --json wrote")

	/* which rows of a report, and which columns */
	SAID(C2C_REPORT, "coalesce", 'c', "FIELDS", LINES)
	SAID(C2C_REPORT, "display", 'd', "TYPE", LINES)
	TAKEN(C2C_REPORT, "node-info", 'N', NULL, "users have their sockets")
	TAKEN(C2C_REPORT, "show-all", 0, NULL, "nothing is hidden but by --top")
	TAKEN(C2C_REPORT, "stats", 0, NULL, "lines are shown, too")
	TAKEN(C2C_REPORT, "full-symbols", 0, NULL, "--json has whole names")
	TAKEN(C2C_REPORT, "no-source", 0, NULL, "sources are shown if known")
	TAKEN(C2C_REPORT, "double-cl", 0, NULL, "lines have 64 bytes")
	SAID(REPORT, "comms", 'c', "NAMES", ROWS)
	SAID(TOP, "comms", 0, "NAMES", ROWS)
	SAID(REPORT, "dsos", 'd', "NAMES", ROWS)
	SAID(TOP, "dsos", 0, "NAMES", ROWS)
	SAID(REPORT, "symbols", 'S', "NAMES", ROWS)
	SAID(TOP, "symbols", 0, "NAMES", ROWS)
	SAID(TOP, "sym-annotate", 0, "NAME", CODE)
	SAID(REPORT, "pid", 0, "PIDS", ROWS)
	SAID(REPORT, "tid", 0, "TIDS", ROWS)
	SAID(REPORT, "symbol-filter", 0, "TEXT", ROWS)
	SAID(REPORT, "socket-filter", 0, "N", "give --socket=N")
	SAID(REPORT, "time", 0, "SPAN", ROWS)
	SAID(REPORT, "time-quantum", 0, "TIME", "give --by=time --steps=N")
	SAID(SHOWS, "percent-limit", 0, "PERCENT", "give --top=N instead")
	SAID(REPORT, "parent", 'p', "REGEX", ROWS)
	SAID(REPORT, "exclude-other", 0, NULL, ROWS)
	SAID(SHOWS, "ignore-callees", 0, "REGEX", ROWS)
	SAID(SHOWS, "switch-on", 0, "EVENT", ROWS)
	SAID(SHOWS, "switch-off", 0, "EVENT", ROWS)
	SAID(SHOWS, "show-on-off-events", 0, NULL, ROWS)
	SAID(REPORT, "fields", 'F', "KEYS", "give --by=VIEW; each view has its "
	     "columns")
	SAID(TOP, "fields", 0, "KEYS", "give -M NAME,...")
	SAID(TOP, "sort", 's', "KEYS", "give -M NAME,...: rows are in the "
	     "order in which they are named")
	SAID(TOP, "entries", 'E', "N", "give -M NAME,...")
	SAID(TOP, "count-filter", 'f', "N", "give -M NAME,...")
	SAID(TOP, "delay", 'd', "SECONDS", "give -I TIME, as -I 2s")
	SAID(TOP, "call-graph", 'g', "HOW", "'uncore top' shows figures: "
	     "'uncore record PROGRAM', then 'uncore report --by=stack'",
	     .flags = MAY)
	SAID(TOP, "zero", 'z', NULL, "'uncore top' has a minute of history; "
	     "the figures are those of the last interval")
	TAKEN(REPORT, "inverted", 'G', NULL, "--by=stack goes from where "
	      "samples were taken to their callers")
	TAKEN(C2C_REPORT, NULL, 'g', "HOW", "lines have no callers",
	      .flags = MAY)
	TAKEN(SHOWS, "children", 0, NULL, "each sample is in one row")
	TAKEN(SHOWS, "no-children", 0, NULL, "each sample is in one row")
	SAID(REPORT, "hide-unresolved", 'U', NULL, ROWS)
	SAID(REPORT, "threads", 'T', NULL, "give --by=thread")
	SAID(REPORT, "tasks", 0, NULL, "give --by=thread")
	SAID(REPORT, "mmaps", 0, NULL, WHOLE)
	SAID(REPORT, "stats", 0, NULL, "give --by=event")
	SAID(REPORT, "dump-raw-trace", 'D', NULL, WHOLE ", or 'sqlite3 "
	     TOOL_RECORDING "'")
	SAID(SHOWS, "raw-trace", 0, NULL, WHOLE)
	SAID(TOP, "dump-symtab", 'D', NULL, ROWS)
	SAID(REPORT, "mem-mode", 0, NULL, "give --by=line or --by=page")
	SAID(REPORT, "branch-stack", 'b', NULL, BRANCH)
	SAID(REPORT, "branch-history", 0, NULL, BRANCH)
	SAID(REPORT, "total-cycles", 0, NULL, BRANCH)
	SAID(SHOWS, "itrace", 0, "HOW", BRANCH, .flags = MAY)
	TAKEN(SHOWS, "hierarchy", 0, NULL, "lines and stacks are above users")
	TAKEN(SHOWS, "group-sort-idx", 0, "N", "each event has its column")
	TAKEN(SHOWS, "percentage", 0, "HOW", "shares are of all samples")
	TAKEN(SHOWS, "percent-type", 0, "HOW", "shares are of all samples")
	TAKEN(SHOWS, "show-total-period", 0, NULL, ALWAYS)
	TAKEN(SHOWS, "show-nr-samples", 'n', NULL, ALWAYS)
	SAID(SHOWS, "show-cpu-utilization", 0, NULL, RIGHTS)
	TAKEN(SHOWS, "show-ref-call-graph", 0, NULL, ALWAYS)
	TAKEN(SHOWS, "max-stack", 0, "N", "stacks end at the program's start")
	TAKEN(SHOWS, "stitch-lbr", 0, NULL, "stacks end at the program's start")
	TAKEN(SHOWS, "inline", 0, NULL, "functions are those of the program")
	TAKEN(SHOWS, "samples", 0, "N", "there is nothing to browse")
	TAKEN(SHOWS, "skip-empty", 0, NULL, ALWAYS)
	TAKEN(SHOWS, "demangle", 0, NULL, ALWAYS)
	SAID(SHOWS, "no-demangle", 0, NULL, "names are always demangled: leave "
	     "it out")
	TAKEN(SHOWS, "demangle-kernel", 0, NULL, "the kernel is not sampled")
	TAKEN(SHOWS, "column-widths", 'w', "WIDTHS",
	      "columns are as wide as they need")
	TAKEN(SHOWS, "full-source-path", 0, NULL, ALWAYS)
	TAKEN(SHOWS, "ns", 0, NULL, ALWAYS)
	TAKEN(SHOWS, "disable-order", 0, NULL, NO_TUNE)
	TAKEN(SHOWS, "force", 'f', NULL, "recordings of anyone are read")
	TAKEN(SHOWS, "stdio", 0, NULL, ALWAYS)
	TAKEN(SHOWS, "stdio2", 0, NULL, ALWAYS)
	TAKEN(SHOWS, "stdio-color", 0, "MODE", "a report has no colours")
	SAID(REPORTS, "tui", 0, NULL, "'uncore top FILE' shows a recording on "
	     "the whole screen")
	SAID(REPORTS, "gtk", 0, NULL, "'uncore report --json' has what a "
	     "window would show; 'uncore top FILE' shows it on the screen")
	TAKEN(TOP, "tui", 0, NULL, ALWAYS)
	TAKEN(REPORT, "header", 0, NULL, ALWAYS)
	SAID(REPORT, "header-only", 0, NULL, WHOLE)
	SAID(REPORT, "show-info", 'I', NULL, WHOLE)
	TAKEN(REPORTS, "quiet", 'q', NULL, "a report has no messages")
	TAKEN(COUNTS | SHOWS | LIST, "verbose", 'v', NULL,
	      "what there is to say is said")
	SAID(REPORT, NULL, 't', "SEP", "give -x SEP")
	SAID(SHOWS, "annotate", 0, NULL, CODE)
	SAID(SHOWS, "disassembler-style", 0, "STYLE", CODE)
	SAID(SHOWS, "objdump", 0, "FILE", CODE)
	SAID(SHOWS, "addr2line", 0, "FILE", CODE)
	SAID(SHOWS, "asm-raw", 0, NULL, CODE)
	SAID(SHOWS, "source", 0, NULL, CODE)
	SAID(SHOWS, "prefix", 0, "FOLDER", CODE)
	SAID(SHOWS, "prefix-strip", 0, "N", CODE)
	TAKEN(SHOWS, "vmlinux", 'k', "FILE", "the kernel is not sampled")
	TAKEN(SHOWS, "ignore-vmlinux", 0, NULL, "the kernel is not sampled")
	TAKEN(SHOWS, "kallsyms", 0, "FILE", "the kernel is not sampled")
	TAKEN(SHOWS, "modules", 'm', NULL, "the kernel is not sampled")
	SAID(SHOWS, "symfs", 0, "FOLDER", "names were looked up while it was "
	     "recorded: record it again where the program's files are")
	TAKEN(SHOWS, "pretty", 0, "STYLE", NO_TUNE)

	/* lists */
	TAKEN(LIST, "desc", 'd', NULL, ALWAYS)
	SAID(LIST, "no-desc", 0, NULL, "'uncore list --names' has bare names")
	SAID(LIST, "long-desc", 0, NULL, "'uncore explain BOX/EVENT' says all")
	SAID(LIST, "details", 0, NULL, "'uncore encode EVENT' and 'uncore "
	     "explain EVENT' say it")
	SAID(LIST, "raw-dump", 0, NULL, "'uncore list --names' prints bare "
	     "names")
	SAID(LIST, "unit", 0, "PMU", "'uncore list 'BOX/*'' shows a box")
	SAID(LIST, "cputype", 0, "TYPE", "'uncore list -m MACHINE' shows "
	     "another processor's")
	SAID(LIST, "output", 'o', "FILE", "'uncore list > FILE'")
	TAKEN(LIST, "deprecated", 0, NULL, ALWAYS)
	TAKEN(LIST, "debug", 0, NULL, NO_TUNE)
	/* clang-format on */
};

const struct option_row *foreign_next(int commands, size_t *at)
{
	while (*at < sizeof(table) / sizeof(table[0])) {
		const struct foreign_row *row = &table[(*at)++];

		if (row->commands & commands)
			return &row->row;
	}
	return NULL;
}

void foreign_word(int commands, const char *word,
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
