/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The command line with which QEMU runs a program under the plugin. Used to
 * start the program, and by the plugin whenever the program executes another.
 */
#ifndef UNCORE_COMMAND_H
#define UNCORE_COMMAND_H

enum command_kind {
	COMMAND_OK,
	COMMAND_MISSING,    /* cannot be opened or examined; errno says why */
	COMMAND_DENIED,	    /* no right to execute it, or not a file */
	COMMAND_FOREIGN,    /* made for another kind of processor */
	COMMAND_UNKNOWN,    /* neither a program nor a script */
	COMMAND_PRIVILEGED, /* gets other rights when executed (setuid) */
	COMMAND_NO_MEMORY,
};

/* What to hand to execve(). */
struct command {
	char *path; /* of QEMU */
	char **argv;
	char **envp;
};

/* How QEMU is called. */
struct command_host {
	const char *qemu;
	const char *plugin;
	const char *arena; /* path of the shared memory */
};

/* The command for the program at `path`, or for the interpreter if it is a
 * script. On COMMAND_OK *command is to be freed with command_free(). */
enum command_kind command_make(const struct command_host *host,
			       const char *path, char *const *argv,
			       char *const *envp, struct command *command);
void command_free(struct command *command);

#endif
