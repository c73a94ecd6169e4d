/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "tool/usual.h"

#include "tool/tool.h"

static const struct usual table[] = {
	{ "cbox",
	  { "cbox/LLC_MISSES.ALL/" },
	  "cbox/LLC_HITS.ALL/",
	  { "cbox/LLC_HITS.ALL/", "cbox/SNP_HITS.REMOTE_HITM/" },
	  "qpi" },
	{ "cha",
	  { "cha/TOR_INSERTS.IA_MISS_DRD/" },
	  "cha/TOR_INSERTS.IA_HIT_DRD/",
	  { "cha/CORE_SNP.CORE_ONE/", "cha/CORE_SNP.CORE_GTONE/",
	    "cha/CORE_SNP.EXT_ONE/" },
	  "upi" },
	{ "cbo",
	  { "cbo/LLC_LOOKUP.DATA_READ,state=I/" },
	  "cbo/LLC_LOOKUP.DATA_READ,state=S|E|M|F/",
	  { "cbo/LLC_LOOKUP.ANY,state=S|E|M|F/" },
	  "qpi" },
};

const struct usual *usual_of(const struct uncore_family *family)
{
	const struct usual *of = table;
	struct uncore_box box;

	while (of < table + 2 && !tool_box(family, of->box, &box))
		of++;
	return of;
}
