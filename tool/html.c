/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A stream into which JSON is printed, and which writes the page around it. The
 * JSON stands within <script>, which ends at the first "</" something that the
 * browser takes for its end: so each <, > and & is told by its number. JSON has
 * them in texts alone, where that is allowed.
 */
#include "html.h"

#include <errno.h>
#include <stdlib.h>

#include "tool.h"
#include "uncore/error.h"

struct page {
	FILE *file;
	off64_t size; /* of the JSON as it stands there */
};

static ssize_t put(void *cookie, const char *bytes, size_t size)
{
	struct page *page = cookie;

	if (!page->size)
		fputs(html_head, page->file);
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == '<' || bytes[i] == '>' || bytes[i] == '&')
			page->size += fprintf(page->file, "\\u%04x", bytes[i]);
		else
			page->size += fputc(bytes[i], page->file) != EOF;
	return ferror(page->file) ? 0 : (ssize_t)size;
}

/* For ftell(), which tells whether there is something. */
static int tell(void *cookie, off64_t *offset, int whence)
{
	const struct page *page = cookie;

	if (whence != SEEK_CUR || *offset) {
		errno = ESPIPE;
		return -1;
	}
	*offset = page->size;
	return 0;
}

static int end(void *cookie)
{
	struct page *page = cookie;
	int failed;

	if (page->size)
		fputs(html_tail, page->file);
	failed = ferror(page->file);
	failed |= fclose(page->file);
	free(page);
	return failed ? -1 : 0;
}

int html_open(const char *name, FILE *standard, FILE **file)
{
	const cookie_io_functions_t how = { NULL, put, tell, end };
	struct page *page;
	int status;

	*file = NULL;
	if (!*name)
		return tool_fail(TOOL_USAGE, "--html needs the name of a file");
	page = tool_new(1, sizeof(*page));
	status = tool_open(name, standard, NULL, &page->file);
	if (!status && !(*file = fopencookie(page, "w", how))) {
		fclose(page->file);
		status = tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL);
	}
	if (status)
		free(page);
	return status;
}
