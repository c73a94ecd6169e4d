/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The terminal. While the screen is on it, a program that is counted would
 * write into it and read its keys, and so would our own sentences: standard
 * output and error are kept in files without names, where they are this
 * terminal, and come out when it is given back. The program's input is empty.
 */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/tool.h"
#include "top.h"

static struct {
	SCREEN *screen;
	FILE *in, *out;	       /* the terminal */
	int saved[3];	       /* our 0, 1, 2, elsewhere; -1: as they were */
	FILE *kept[3];	       /* what stands in their place */
	struct sigaction quit; /* as it was */
} term = { .saved = { -1, -1, -1 } };

static FILE *reopen(int file, const char *mode)
{
	int copy = fcntl(file, F_DUPFD_CLOEXEC, 3);
	FILE *stream;

	if (copy < 0)
		return NULL;
	stream = fdopen(copy, mode);
	if (!stream)
		close(copy);
	return stream;
}

/* Puts another file in the place of one of ours. */
static void replace(int file, FILE *by)
{
	if (!by)
		return;
	term.kept[file] = by;
	term.saved[file] = fcntl(file, F_DUPFD_CLOEXEC, 3);
	if (term.saved[file] >= 0)
		dup2(fileno(by), file);
}

static void keep_output(void)
{
	fflush(NULL);
	replace(STDIN_FILENO, fopen("/dev/null", "re"));
	if (isatty(STDOUT_FILENO))
		replace(STDOUT_FILENO, tmpfile());
	if (isatty(STDERR_FILENO))
		replace(STDERR_FILENO, tmpfile());
}

/* What was kept comes out. */
static void give_back(int file)
{
	char text[4096];
	ssize_t num;

	if (term.saved[file] >= 0) {
		dup2(term.saved[file], file);
		close(term.saved[file]);
	}
	term.saved[file] = -1;
	if (!term.kept[file])
		return;
	if (file != STDIN_FILENO) {
		lseek(fileno(term.kept[file]), 0, SEEK_SET);
		while ((num = read(fileno(term.kept[file]), text,
				   sizeof(text))) > 0)
			if (write(file, text, (size_t)num) < num)
				break;
	}
	fclose(term.kept[file]);
	term.kept[file] = NULL;
}

static int refuse(const char *why)
{
	const char *name = getenv("TERM");

	top_term_close();
	return tool_fail(TOOL_USAGE,
			 "TERM=%s: %s; --once prints one table, and 'uncore "
			 "stat -I' a row for each interval",
			 name ? name : "", why);
}

static void set_colours(void)
{
	if (!has_colors() || start_color() != OK)
		return;
	use_default_colors();
	init_pair(1, COLOR_CYAN, -1);  /* bars */
	init_pair(2, COLOR_GREEN, -1); /* history */
	init_pair(3, COLOR_RED, -1);   /* a recording is written */
}

/* Ctrl-\ would leave the terminal as it is. */
static void no_core(int number)
{
	(void)number;
}

static void catch_quit(void)
{
	struct sigaction action = { .sa_flags = SA_RESTART };

	action.sa_handler = no_core;
	sigemptyset(&action.sa_mask);
	sigaction(SIGQUIT, &action, &term.quit);
}

int top_term_open(struct top_screen *screen)
{
	atexit(top_term_close);
	setlocale(LC_CTYPE, "");
	screen->is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	term.in = reopen(STDIN_FILENO, "r");
	term.out = reopen(STDOUT_FILENO, "w");
	if (!term.in || !term.out)
		return refuse(strerror(errno));
	term.screen = newterm(NULL, term.out, term.in);
	if (!term.screen)
		return refuse("nothing is known of such a terminal");
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1)
		return refuse("this terminal cannot move its cursor, so "
			      "nothing can be drawn on it");
	catch_quit();
	set_escdelay(25);
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_colours();
	keep_output();
	return TOOL_OK;
}

void top_term_close(void)
{
	if (term.screen) {
		endwin();
		delscreen(term.screen);
		if (term.quit.sa_handler)
			sigaction(SIGQUIT, &term.quit, NULL);
	}
	term.screen = NULL;
	fflush(NULL);
	for (int i = 0; i < 3; i++)
		give_back(i);
	if (term.in)
		fclose(term.in);
	if (term.out)
		fclose(term.out);
	term.in = term.out = NULL;
}

int top_term_key(double seconds)
{
	struct pollfd wait = { .fd = fileno(term.in), .events = POLLIN };
	int key = getch();

	if (key != ERR)
		return key;
	if (poll(&wait, 1, (int)(seconds * 1e3 + 0.999)) > 0 &&
	    wait.revents & (POLLHUP | POLLERR))
		return 'q'; /* nobody will press it any more */
	return getch();
}
