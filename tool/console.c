/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The register console: one line in, one line out, so that any script can drive
 * the PMU of the model. A line that makes no sense changes nothing.
 */
#include "machine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tool.h"
#include "uncore/error.h"
#include "uncore/model.h"

enum { MAX_WORDS = 5 };

struct console {
	struct uncore_model *model;
	FILE *out;
	uint64_t numbers[MAX_WORDS];
	bool is_over;
};

struct verb {
	const char *name;
	const char *arguments;
	unsigned num_arguments;
	void (*run)(struct console *console);
};

static void answer(struct console *console, int code, const char *ok)
{
	if (!code)
		fprintf(console->out, "%s\n", ok);
	else if (code == UNCORE_ERR_GP)
		fprintf(console->out, "#GP\n");
	else if (code == UNCORE_ERR_SOCKET)
		fprintf(console->out,
			"error: there is no socket %" PRIu64 ": the machine "
			"has %u\n",
			console->numbers[0],
			uncore_model_sockets(console->model));
	else
		fprintf(console->out, "error: %s\n",
			uncore_error_message(code));
}

/* A number that does not fit is no socket either. */
static unsigned socket_of(const struct console *console)
{
	uint64_t socket = console->numbers[0];

	return socket > UINT32_MAX ? UINT32_MAX : (unsigned)socket;
}

/* Some six minutes of modelled time; hours of ours. */
#define MAX_RUN UINT64_C(1000000000000)

static void run_rdmsr(struct console *console)
{
	uint64_t value = 0;
	char text[32];
	int code = uncore_model_read(console->model, socket_of(console),
				     console->numbers[1], &value);

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	answer(console, code, text);
}

static void run_wrmsr(struct console *console)
{
	answer(console,
	       uncore_model_write(console->model, socket_of(console),
				  console->numbers[1], console->numbers[2]),
	       "ok");
}

static void run_run(struct console *console)
{
	if (console->numbers[0] > MAX_RUN) {
		fprintf(console->out, "error: at most %" PRIu64 " cycles\n",
			MAX_RUN);
		return;
	}
	uncore_model_run(console->model, console->numbers[0]);
	fprintf(console->out, "%" PRIu64 "\n",
		uncore_model_cycle(console->model));
}

static void run_pmi(struct console *console)
{
	struct uncore_model_pmi pmi;
	unsigned num = 0;

	while (uncore_model_take_pmi(console->model, &pmi))
		fprintf(console->out, "%s%u %u %" PRIu64, num++ ? " " : "",
			pmi.socket, pmi.core, pmi.cycle);
	fprintf(console->out, "%s\n", num ? "" : "none");
}

static void run_help(struct console *console);

static void run_quit(struct console *console)
{
	console->is_over = true;
}

static const struct verb verbs[] = {
	{ "rdmsr", "SOCKET ADDRESS", 2, run_rdmsr },
	{ "wrmsr", "SOCKET ADDRESS VALUE", 3, run_wrmsr },
	{ "run", "CYCLES", 1, run_run },
	{ "pmi", "", 0, run_pmi },
	{ "help", "", 0, run_help },
	{ "quit", "", 0, run_quit },
	{ 0 },
};

static void run_help(struct console *console)
{
	for (const struct verb *verb = verbs; verb->name; verb++)
		fprintf(console->out, "%s%s%s%s", verb == verbs ? "" : ", ",
			verb->name, *verb->arguments ? " " : "",
			verb->arguments);
	fprintf(console->out, "\n");
}

static bool number(const char *word, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(word, &end, strncasecmp(word, "0x", 2) ? 10 : 16);
	return word[0] >= '0' && word[0] <= '9' && !*end && !errno;
}

static void run_words(struct console *console, const struct verb *verb,
		      char **words, unsigned num)
{
	if (num != verb->num_arguments + 1) {
		fprintf(console->out, "error: write '%s%s%s'\n", verb->name,
			*verb->arguments ? " " : "", verb->arguments);
		return;
	}
	for (unsigned i = 1; i < num; i++)
		if (!number(words[i], &console->numbers[i - 1])) {
			fprintf(console->out,
				"error: '%s' is not a number of 64 bits\n",
				words[i]);
			return;
		}
	verb->run(console);
}

static void run_line(struct console *console, char *line)
{
	char *words[MAX_WORDS], *save = NULL;
	unsigned num = 0;

	for (char *word = strtok_r(line, " \t\r\n", &save);
	     word && num < MAX_WORDS; word = strtok_r(NULL, " \t\r\n", &save))
		words[num++] = word;
	if (!num) {
		fprintf(console->out, "error: the line is empty\n");
		return;
	}
	for (const struct verb *verb = verbs; verb->name; verb++)
		if (!strcmp(words[0], verb->name)) {
			run_words(console, verb, words, num);
			return;
		}
	fprintf(console->out,
		"error: there is no command '%s'; 'help' shows all\n",
		words[0]);
}

int console_run(struct uncore_model *model, FILE *in, FILE *out)
{
	struct console console = { .model = model, .out = out };
	char *line = NULL;
	size_t size = 0;
	int status = TOOL_OK;

	while (!console.is_over && getline(&line, &size, in) >= 0) {
		run_line(&console, line);
		if (fflush(out))
			break;
	}
	if (ferror(in))
		status = tool_fail(TOOL_FAILED,
				   "cannot read the standard input");
	free(line);
	return status;
}
