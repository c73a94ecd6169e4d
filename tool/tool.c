/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Messages, exit codes and the table of commands.
 */
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

#include "uncore/error.h"

enum { SHOWN_AT_ONCE = 16 };

static FILE *failures; /* NULL: standard error */

unsigned tool_utf8_length(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	unsigned length = *bytes < 0x80			    ? 1
			  : *bytes >= 0xc2 && *bytes < 0xe0 ? 2
			  : *bytes >= 0xe0 && *bytes < 0xf0 ? 3
			  : *bytes >= 0xf0 && *bytes < 0xf5 ? 4
							    : 0;

	for (unsigned i = 1; i < length; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	/* too long a form, a half of a pair, beyond the last one */
	if ((*bytes == 0xe0 && bytes[1] < 0xa0) ||
	    (*bytes == 0xed && bytes[1] >= 0xa0) ||
	    (*bytes == 0xf0 && bytes[1] < 0x90) ||
	    (*bytes == 0xf4 && bytes[1] >= 0x90))
		return 0;
	return length;
}

/* Whether a character of UTF-8 does something to a terminal. */
static bool is_control(const char *text, unsigned length)
{
	const unsigned char *bytes = (const unsigned char *)text;

	if (length == 1)
		return *bytes < ' ' || *bytes == 0x7f;
	if (length == 2)
		return *bytes == 0xc2 && bytes[1] < 0xa0;
	/* U+202A to U+202E, U+2066 to U+2069 */
	return length == 3 && *bytes == 0xe2 &&
	       ((bytes[1] == 0x80 && bytes[2] >= 0xaa && bytes[2] <= 0xae) ||
		(bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9));
}

/* Length of what stands at the begin of a text and is no control character, or
 * 0. */
static unsigned harmless(const char *text)
{
	unsigned length;

	if (*text >= ' ' && *text < 0x7f)
		return 1;
	length = tool_utf8_length(text);

	return length && !is_control(text, length) ? length : 0;
}

const char *tool_shown(const char *text)
{
	static char *copies[SHOWN_AT_ONCE];
	static unsigned next;
	const char *from = text;
	char *to;

	for (unsigned length; *from && (length = harmless(from));)
		from += length;
	if (!*from)
		return text;
	next = (next + 1) % SHOWN_AT_ONCE;
	free(copies[next]);
	to = copies[next] = strdup(text);
	while (to && *text) {
		unsigned length = harmless(text), all = tool_utf8_length(text);

		to = length ? mempcpy(to, text, length) : stpcpy(to, "?");
		text += all ? all : 1;
	}
	if (to)
		*to = '\0';
	return to ? copies[next] : "?";
}

void tool_put_lines(const char *text, FILE *file)
{
	while (*text) {
		unsigned length = *text == '\n' ? 1 : harmless(text);

		if (length)
			fwrite(text, 1, length, file);
		else
			fprintf(file, "\\x%02x", (unsigned char)*text);
		text += length ? length : 1;
	}
}

static void say(FILE *file, const char *format, va_list arguments)
{
	char *text;

	/* Standard output first, so that the two do not mix in a log. */
	fflush(stdout);
	if (file == stderr)
		fprintf(stderr, "uncore: ");
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	tool_put_lines(text ? text : "out of memory", file);
	fputc('\n', file);
	free(text);
}

void tool_keep_failures(FILE *file)
{
	failures = file;
}

int tool_fail(int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(failures ? failures : stderr, format, arguments);
	va_end(arguments);
	return code;
}

void tool_warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(stderr, format, arguments);
	va_end(arguments);
}

/* Errors that better input would not have avoided. */
static int exit_code(int error_code)
{
	switch (error_code) {
	case UNCORE_ERR_NO_MEMORY:
	case UNCORE_ERR_IO:
	case UNCORE_ERR_GP:
	case UNCORE_ERR_NO_PERMISSION:
	case UNCORE_ERR_NO_HARDWARE:
	case UNCORE_ERR_NO_HELPER:
	case UNCORE_ERR_DIED:
	case UNCORE_ERR_IN_USE:
	case UNCORE_ERR_STATE: return TOOL_FAILED;
	default: return TOOL_USAGE;
	}
}

int tool_fail_with(int error_code, char *error)
{
	tool_fail(0, "%s", error ? error : uncore_error_message(error_code));
	free(error);
	return exit_code(error_code);
}

const struct uncore_family *tool_family(const char *machine)
{
	char *error = NULL;
	const struct uncore_family *family =
		uncore_family_open(machine, &error);

	if (!family)
		tool_fail_with(UNCORE_ERR_UNKNOWN_FAMILY, error);
	else
		tool_note_family(family);
	return family;
}

void tool_note_family(const struct uncore_family *family)
{
	const char *note = uncore_family_note(family);
	const char *left_out = uncore_family_left_out(family);

	if (left_out)
		tool_warn("warning: there is no room for all PMUs of this "
			  "machine; left out: %s",
			  left_out);
	if (note)
		tool_warn("note: %s", tool_shown(note));
}

bool tool_box(const struct uncore_family *family, const char *name,
	      struct uncore_box *box)
{
	for (size_t i = 0; uncore_family_box(family, i, box); i++)
		if (!strcmp(box->name, name))
			return true;
	return false;
}

bool tool_number(const char *what, const char *text, unsigned long long *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, strncasecmp(text, "0x", 2) ? 10 : 16);
	if (text[0] >= '0' && text[0] <= '9' && !*end && !errno)
		return true;
	tool_fail(0, "%s '%s' is not a number of 64 bits (12, 0xc)", what,
		  text);
	return false;
}

bool tool_address(const char *text, uint64_t *address)
{
	if (uncore_address_parse(text, address))
		return true;
	tool_fail(0,
		  "'%s' is no address of a register: that is the number of an "
		  "MSR of 32 bits (0x3f6), pci:DEVICE.FUNCTION+OFFSET or "
		  "mem:WINDOW+OFFSET",
		  text);
	return false;
}

const char *tool_grouped(char *text, size_t size, const char *format, ...)
{
	char digits[400];
	size_t length, at = 0;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(digits, sizeof(digits), format, arguments);
	va_end(arguments);
	length = strlen(digits);
	for (size_t i = 0; i < length && at + 2 < size; i++) {
		if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = 0;
	return text;
}

static void *needed(void *memory)
{
	if (!memory)
		exit(tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL));
	return memory;
}

char *tool_print(const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	return needed(length < 0 ? NULL : text);
}

void *tool_new(size_t num, size_t bytes)
{
	return needed(calloc(num ? num : 1, bytes));
}

/* A list has room for a power of two of elements. */
void *tool_more(void *list, size_t num, size_t bytes)
{
	if (num & (num - 1))
		return list;
	return needed(reallocarray(list, num ? 2 * num : 1, bytes));
}

char *tool_copy(const char *text)
{
	return text ? needed(strdup(text)) : NULL;
}

FILE *tool_text(char **text)
{
	static size_t size; /* the text has a zero at its end */

	return needed(open_memstream(text, &size));
}

const char *tool_id(const struct uncore_family *family, uint64_t address,
		    char text[TOOL_ID_BYTES])
{
	struct uncore_unit unit;

	*text = 0;
	if (uncore_address_space(address) == UNCORE_SPACE_PCI &&
	    uncore_family_unit_at(family, address, &unit))
		snprintf(text, TOOL_ID_BYTES, "%04x:%04x", unit.vendor & 0xFFFF,
			 unit.device & 0xFFFF);
	return text;
}

int tool_time(const char *option, const char *text, double *seconds)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {
		{ "s", 1 },
		{ "ms", 1e-3 },
		{ "us", 1e-6 },
		{ "", 1e-3 },
	};
	char *end;
	double value = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (end == text || strcmp(end, units[i].unit))
			continue;
		*seconds = value * units[i].seconds;
		if (*seconds >= 1e-6 && *seconds <= 1e6)
			return TOOL_OK;
	}
	return tool_fail(TOOL_USAGE,
			 "%s %s: that is no time between 1us and 1000000s, "
			 "such as 100ms",
			 option, text);
}

void tool_show_commands(const struct tool_command *commands, FILE *file)
{
	for (; commands->name; commands++)
		fprintf(file, "  %-11s %s\n", commands->name, commands->help);
}

static int unknown(const struct tool_command *commands, const char *prefix,
		   const char *name)
{
	fflush(stdout);
	fprintf(stderr,
		"uncore: there is no command '%s'; the commands of "
		"'%s' are:",
		tool_shown(name), prefix);
	for (; commands->name; commands++)
		fprintf(stderr, " %s", commands->name);
	fprintf(stderr, "\n");
	return TOOL_USAGE;
}

int tool_dispatch(const struct tool_command *commands, const char *prefix,
		  int argc, char **argv)
{
	for (const struct tool_command *command = commands; command->name;
	     command++) {
		static char name[64], help[] = "--help";

		if (strcmp(command->name, argv[1]))
			continue;
		snprintf(name, sizeof(name), "%s %s", prefix, command->name);
		argv[1] = name;
		if (argc > 2 && !strcmp(argv[2], "-h"))
			argv[2] = help;
		return command->run(argc - 1, argv + 1);
	}
	return unknown(commands, prefix, argv[1]);
}

/* What a terminal would obey is written so that a shell makes it again. */
static void put_word(FILE *file, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_-./=:,+@%";
	bool is_odd;

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, file);
		return;
	}
	is_odd = tool_shown(word) != word;
	fputs(is_odd ? "$'" : "'", file);
	for (unsigned length; *word; word += length ? length : 1) {
		length = harmless(word);
		if (!length)
			fprintf(file, "\\%03o", (unsigned char)*word);
		else if (is_odd && (*word == '\'' || *word == '\\'))
			fprintf(file, "\\%c", *word);
		else if (*word == '\'')
			fputs("'\\''", file);
		else
			fwrite(word, 1, length, file);
	}
	fputc('\'', file);
}

char *tool_shell_words(const char *const *words)
{
	char *text = NULL;
	FILE *file = tool_text(&text);

	for (size_t i = 0; words[i]; i++) {
		if (i)
			fputc(' ', file);
		put_word(file, words[i]);
	}
	fclose(file);
	return text;
}

double tool_cpu_seconds(void)
{
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used))
		return NAN;
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}
