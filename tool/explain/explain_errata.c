/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The slips of the guide that a page has to warn of.
 */
#include "explain.h"

#include <stdlib.h>

#include "tool/tool.h"
#include "uncore/family.h"

static void say(struct page *page, const struct uncore_erratum *erratum)
{
	char *text = tool_print("(%s) %s Read as: %s", erratum->where,
				erratum->printed, erratum->reading);

	if (text)
		page_pair(page, "number", erratum->number, text);
	free(text);
}

void explain_errata(struct explain *explain,
		    bool (*concerns)(const struct explain *explain,
				     const void *about,
				     const struct uncore_erratum *erratum),
		    const void *about)
{
	struct uncore_erratum erratum;
	bool any = false;

	for (size_t i = 0; uncore_family_erratum(explain->family, i, &erratum);
	     i++) {
		if (!concerns(explain, about, &erratum))
			continue;
		if (!any)
			page_list(&explain->page, "errata",
				  "Slips of the guide that concern it "
				  "(docs/errata.md)");
		any = true;
		say(&explain->page, &erratum);
	}
	if (any)
		page_list_end(&explain->page);
}
