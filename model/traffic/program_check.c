/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Looks at a program before Valgrind does, to say in one sentence what is wrong
 * with it. Scripts are followed to the program that runs them.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "model/traffic/program_find.h"
#include "uncore/error.h"

enum {
	MAX_SCRIPTS = 5, /* interpreters that are scripts, as in the kernel */
	HEAD_BYTES = 256,
};

enum check {
	CHECK_OK,
	CHECK_MISSING,	  /* cannot be opened or examined; errno says why */
	CHECK_DENIED,	  /* no right to execute it, or not a file */
	CHECK_FOREIGN,	  /* made for another kind of processor */
	CHECK_UNKNOWN,	  /* neither a program nor a script */
	CHECK_PRIVILEGED, /* gets other rights when executed (setuid) */
	CHECK_BROKEN,	  /* a program's head and not more */
};

static enum check examine(const char *path, char head[HEAD_BYTES],
			  size_t *size_bytes)
{
	struct stat status;
	ssize_t length;
	int fd;

	if (stat(path, &status) < 0)
		return CHECK_MISSING;
	if (!S_ISREG(status.st_mode) || access(path, X_OK) < 0)
		return CHECK_DENIED;
	if (((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
	    ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) &&
	     status.st_gid != getegid()))
		return CHECK_PRIVILEGED;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return CHECK_MISSING;
	memset(head, 0, HEAD_BYTES);
	length = read(fd, head, HEAD_BYTES - 1);
	close(fd);
	*size_bytes = (size_t)status.st_size;
	return length < 0 ? CHECK_MISSING : CHECK_OK;
}

static enum check check_elf(const char *head, size_t size_bytes)
{
	Elf64_Ehdr elf;

	memcpy(&elf, head, sizeof(elf));
	if (elf.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.e_ident[EI_DATA] != ELFDATA2LSB || elf.e_machine != EM_X86_64)
		return CHECK_FOREIGN;
	if (size_bytes < sizeof(elf) ||
	    elf.e_phoff + elf.e_phnum * sizeof(Elf64_Phdr) > size_bytes)
		return CHECK_BROKEN;
	return CHECK_OK;
}

/* The interpreter of "#!interpreter argument", in place; NULL: none. */
static char *interpreter(char *head)
{
	char *name = head + 2;

	name[strcspn(name, "\n")] = '\0';
	name += strspn(name, " \t");
	name[strcspn(name, " \t")] = '\0';
	return *name ? name : NULL;
}

static enum check follow(const char *path)
{
	char heads[2][HEAD_BYTES];
	unsigned depth;

	for (depth = 0; depth <= MAX_SCRIPTS; depth++) {
		char *head = heads[depth % 2];
		size_t size_bytes = 0;
		enum check found = examine(path, head, &size_bytes);

		if (found != CHECK_OK)
			return found;
		if (memcmp(head, ELFMAG, SELFMAG) == 0)
			return check_elf(head, size_bytes);
		if (memcmp(head, "#!", 2) != 0)
			return CHECK_UNKNOWN;
		path = interpreter(head);
		if (!path)
			return CHECK_UNKNOWN;
	}
	return CHECK_UNKNOWN;
}

static int refuse(enum check kind, const char *path, char **error)
{
	int code = errno;

	switch (kind) {
	case CHECK_MISSING:
		if (code == ENOENT && access(path, F_OK) == 0)
			return text_error(UNCORE_ERR_BAD_PROGRAM, error,
					  "the interpreter that %s names in "
					  "its first line does not exist; "
					  "correct the line, or install it",
					  path);
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s cannot be read: %s", path,
				  strerror(code));
	case CHECK_DENIED:
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s is not an executable file; check the "
				  "path, or make it executable (chmod +x)",
				  path);
	case CHECK_FOREIGN:
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s is not a 64-bit x86 program; build it "
				  "for x86-64",
				  path);
	case CHECK_UNKNOWN:
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s is neither a program nor a script that "
				  "begins with #! and an interpreter; put its "
				  "interpreter in front of it",
				  path);
	case CHECK_PRIVILEGED:
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s runs with other rights (setuid), which "
				  "it would not get under Valgrind; run uncore "
				  "itself with them",
				  path);
	default:
		return text_error(UNCORE_ERR_BAD_PROGRAM, error,
				  "%s ends before what its head promises; it "
				  "was cut off, so copy or build it again",
				  path);
	}
}

int program_check(const char *path, char **error)
{
	enum check found = follow(path);

	return found == CHECK_OK ? 0 : refuse(found, path, error);
}
