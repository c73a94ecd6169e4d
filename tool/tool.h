/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the commands of `uncore` share: exit codes, messages, output that
 * notices a full disk.
 */
#ifndef UNCORE_TOOL_TOOL_H
#define UNCORE_TOOL_TOOL_H

#include <stdbool.h>
#include <stdio.h>

#include "options.h"
#include "uncore/address.h"
#include "uncore/family.h"

/* docs/compare.md */
enum {
	TOOL_OK = 0,
	TOOL_FAILED = 1,  /* it should have worked and did not */
	TOOL_USAGE = 2,	  /* what was asked for does not exist or fit */
	TOOL_DIFFERS = 3, /* 'compare' or 'stat' was asked to tell so */
	TOOL_NOTHING = 4, /* 'doctor' found nothing real to count with */
};

#define TOOL_DEFAULT_MACHINE "xeon-e7"
#define TOOL_RECORDING	     "uncore.rec" /* where no name is given */

struct tool_command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv); /* argv[0]: "uncore NAME" */
};

int cmd_list(int argc, char **argv);
int cmd_registers(int argc, char **argv);
int cmd_encode(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_schedule(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_c2c(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_reset(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_report_c2c(int argc, char **argv); /* in the words of perf c2c */
int cmd_compare(int argc, char **argv);
int cmd_guest(int argc, char **argv);
int cmd_model(int argc, char **argv);
int cmd_coverage(int argc, char **argv); /* uncore model coverage */
int cmd_validate(int argc, char **argv); /* uncore model validate */
int cmd_machines(int argc, char **argv); /* uncore model machines */
int cmd_serve(int argc, char **argv);	 /* uncore model serve */

/* A list of what is published for a machine of this name, which `uncore model
 * validate` measures. */
struct page;
void validate_put_published(struct page *page, const char *machine);

/* Runs the command of the table that argv[1] names, with argv[0] made
 * "PREFIX NAME"; TOOL_USAGE and a sentence if there is none. */
int tool_dispatch(const struct tool_command *commands, const char *prefix,
		  int argc, char **argv);
void tool_show_commands(const struct tool_command *commands, FILE *file);

/* "uncore: sentence" on standard error; returns code. */
int tool_fail(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void tool_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From here on sentences of tool_fail() go to this file, without "uncore: ". */
void tool_keep_failures(FILE *file);

/* The same for an error of the library: `error` (freed, may be NULL) or the
 * general message of the code. Returns the exit code for it. */
int tool_fail_with(int error_code, char *error);

/* What somebody has measured is not lost by accident: a sentence and an exit
 * code where a file holds a recording or a result in JSON, but for one of this
 * schema (NULL: none). All that writes to a file which an option names asks
 * this first. */
#define TOOL_GUEST_RECORDING "recording of a guest"
int tool_check_loss(const char *name, const char *schema);

/* Opens an output file: `name`, or where it is NULL the standard one; or a
 * sentence. To be done before anything runs: a bad name costs no run. The
 * schema is that of the results which may be replaced (--replace; NULL: none).
 */
int tool_open(const char *name, FILE *standard, const char *schema,
	      FILE **file);

/* The same for a file that is written again and again without anybody's looking
 * at it: a link is replaced, not written through, but for names of what is open
 * already (/dev/stdout). */
int tool_open_new(const char *name, FILE **file);

/* The same for a file that keeps what it holds, which may be results of this
 * schema, and for one that whoever called the command has open under this
 * number. */
int tool_append(const char *name, const char *schema, FILE **file);
int tool_open_fd(const char *number, FILE **file);

/* Closes an output file and notices what could not be written; returns status,
 * or TOOL_FAILED with a sentence. `name` NULL: it has none. A named file is
 * replaced here, if all was written and there is something or success. */
int tool_finish(int status, FILE *file, const char *name);

/* Whether an output could not be written any more since its reader went
 * away: then the command ends as others do, killed by SIGPIPE. */
bool tool_reader_has_left(void);

/* The family of a machine, or NULL and a sentence. */
const struct uncore_family *tool_family(const char *machine);

/* Says what is to be said of how it was had, for who opens one otherwise. */
void tool_note_family(const struct uncore_family *family);

/* The box of a name; false if there is none. */
bool tool_box(const struct uncore_family *family, const char *name,
	      struct uncore_box *box);

/* A number in C notation, or a sentence and false. */
bool tool_number(const char *what, const char *text, unsigned long long *value);

/* A register address as address.h has it; says what is wrong with another
 * text. */
bool tool_address(const char *text, uint64_t *address);

/* Digits as printf() makes them, in groups: 1,234,567; returns text. */
const char *tool_grouped(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A text as printf() makes it, to be freed. */
char *tool_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory, to be freed; where there is no more of it the command ends here with
 * a sentence. Room for so many, all zero; for one more than `num`, of a list
 * that is NULL at first and is only ever made longer by this; a copy of a text
 * (NULL: NULL); a stream into a text that is there when it is closed. */
void *tool_new(size_t num, size_t bytes);
void *tool_more(void *list, size_t num, size_t bytes);
char *tool_copy(const char *text);
FILE *tool_text(char **text);

/* The id of the PCI function that holds a register (8086:3cb0), "" where it is
 * no PCI register; in `text`, which is returned. */
enum { TOOL_ID_BYTES = 12 };
const char *tool_id(const struct uncore_family *family, uint64_t address,
		    char text[TOOL_ID_BYTES]);

/* Time of a CPU that this process has used, without its children; NAN: nobody
 * knows. */
double tool_cpu_seconds(void);

/* A time as an option has it: 100ms, 20us, 1s; without a unit milliseconds. In
 * seconds, or a sentence and an exit code. */
int tool_time(const char *option, const char *text, double *seconds);

/* Words (up to a NULL) as a shell has to be given them, to be freed. */
char *tool_shell_words(const char *const *words);

/* Bytes of the character of UTF-8 that the text begins with, 0 if it is none:
 * names of files are any bytes, JSON and XML are not. */
unsigned tool_utf8_length(const char *text);

/* A text for people: each control character, also those of C1 and those that
 * turn the direction of writing, and each byte that is no UTF-8 is a '?'. All
 * names that others may have made up are printed through it: of PMUs, events,
 * units, threads, functions, files. It is the text itself where that has
 * none, else good for the next 15 calls. */
const char *tool_shown(const char *text);

/* Prints a text that may have several lines: what is harmful in it as \xNN. */
void tool_put_lines(const char *text, FILE *file);

#endif
