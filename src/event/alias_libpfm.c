/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * libpfm4's words for an event, as PAPI and perf with libpfm4 take them:
 * hswep_unc_imc0::UNC_M_CAS_COUNT:RD:t=1. Its unit masks have Intel's names,
 * but for rows of the family; opcodes and states of a filter are unit masks
 * there.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/alias.h"
#include "uncore/error.h"

#define UNC   "_unc_"
#define STATE "STATE_"
#define OPC   "OPC_"

struct libpfm {
	const struct uc_family *family;
	struct uncore_event event; /* box and row alone */
	struct text masks, states, options;
	const char *whole;
};

bool alias_is_libpfm(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && !strchr(text, '/') &&
	       (colon[1] == ':' || alias_begins(text, "UNC_"));
}

static int refuse(const struct libpfm *libpfm, char **error, const char *what,
		  const char *why)
{
	return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
			  "'%s' has the form of libpfm4's PMU::EVENT:MASK, but "
			  "'%s' %s",
			  libpfm->whole, what, why);
}

/* hswep_unc_imc0: the box, and its number. */
static int find_pmu(struct libpfm *libpfm, const char *pmu, char **error)
{
	const struct uc_family *family = libpfm->family;
	const struct uc_alias *arch =
		uc_alias_find(family, UC_ALIAS_LIBPFM_ARCH, 0, NULL, 0);
	const char *unc = strstr(pmu, UNC);
	size_t length = unc ? (size_t)(unc - pmu) : 0;
	const char *box = unc ? unc + strlen(UNC) : "";

	if (!arch || !length)
		return refuse(libpfm, error, pmu, "is no PMU of this family");
	if (!text_same(pmu, length, arch->name))
		return text_error(UNCORE_ERR_UNKNOWN_EVENT, error,
				  "'%s': '%.*s' is another processor of "
				  "libpfm4's; that of %s is '%s_unc_...'",
				  libpfm->whole, (int)length, pmu, family->name,
				  arch->name);
	for (unsigned i = 0; i < family->num_aliases; i++)
		if (family->aliases[i].kind == UC_ALIAS_LIBPFM_PMU &&
		    !strcasecmp(family->aliases[i].name, box))
			box = family->boxes[family->aliases[i].box].name;
	return event_find_box(&libpfm->event, box, error);
}

static bool has_mask(const struct libpfm *libpfm, const char *name,
		     size_t length)
{
	const struct uc_event *row = libpfm->event.row;

	for (unsigned i = 0; i < row->num_unit_masks; i++)
		if (text_same(name, length, row->unit_masks[i].name))
			return true;
	return false;
}

/* A modifier: e, t=1. False if it is none. */
static bool add_modifier(struct libpfm *libpfm, const char *word)
{
	static const struct {
		const char *name, *kernel, *ours;
	} rows[] = {
		{ "e", "edge", "edge" },
		{ "i", "inv", "inv" },
		{ "t", "thresh", "thresh" },
		{ "nf", "filter_nid", "filter_nid" },
		{ "nc", "filter_nc", "filter_nc" },
		{ "isoc", "filter_isoc", "filter_isoc" },
		{ "loc", "filter_loc", "filter_loc" },
		{ "rem", "filter_rem", "filter_rem" },
		{ "lmem", "filter_nm", "filter_nm" },
		{ "rmem", "filter_not_nm", "filter_not_nm" },
	};
	size_t length = strcspn(word, "=");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!text_same(word, length, rows[i].name))
			continue;
		text_add(&libpfm->options, ",%s%s",
			 alias_option(libpfm->family, libpfm->event.box_index,
				      rows[i].kernel, rows[i].ours),
			 word + length);
		return true;
	}
	return false;
}

/* What is behind the event's name. Who knows neither mask nor modifier is told
 * the masks that there are. */
static int add_word(struct libpfm *libpfm, const char *word, char **error)
{
	const struct uc_alias *row =
		uc_alias_find(libpfm->family, UC_ALIAS_LIBPFM,
			      libpfm->event.box_index, word, strlen(word));

	if (has_mask(libpfm, word, strlen(word))) {
		text_add(&libpfm->masks, ".%s", word);
	} else if (row && has_mask(libpfm, row->ours, strlen(row->ours))) {
		text_add(&libpfm->masks, ".%s", row->ours);
	} else if (row && strchr(row->ours, '=')) {
		text_add(&libpfm->options, ",%s", row->ours);
	} else if (alias_begins(word, OPC)) {
		text_add(&libpfm->options, ",opc=%s", word + strlen(OPC));
	} else if (alias_begins(word, STATE)) {
		text_add(&libpfm->states, "%s%s",
			 libpfm->states.data ? "|" : ",state=",
			 word + strlen(STATE));
	} else if (alias_begins(word, "cpu=")) {
		return refuse(libpfm, error, word,
			      "is PAPI's choice of a socket: leave it out, and "
			      "give --per-socket");
	} else if (strchr(word, '=')) {
		if (!add_modifier(libpfm, word))
			return refuse(libpfm, error, word,
				      "is no modifier that is known here");
	} else if (strlen(word) == 1 && strchr("ukhUKH", *word)) {
		return refuse(libpfm, error, word,
			      "chooses what cores do; an uncore cannot tell "
			      "that apart: leave it out");
	} else if (!add_modifier(libpfm, word)) {
		return event_bad_mask(&libpfm->event, word, error);
	}
	return 0;
}

/* EVENT:WORD:... */
static int add_event(struct libpfm *libpfm, char *name, struct text *ours,
		     char **error)
{
	char *save = NULL, *event = strtok_r(name, ":", &save);
	const char *rest = NULL;
	int result =
		event_find(&libpfm->event, event ? event : "", &rest, error);

	for (char *word = strtok_r(NULL, ":", &save); word && !result;
	     word = strtok_r(NULL, ":", &save))
		result = add_word(libpfm, word, error);
	if (result)
		return result;
	text_add(ours, "%s", libpfm->event.box->name);
	if (libpfm->event.instance != EVENT_ANY)
		text_add(ours, "%d", libpfm->event.instance);
	text_add(ours, "/%s%s%s%s%s%s/", libpfm->event.row->name,
		 rest ? "." : "", rest ? rest : "",
		 libpfm->masks.data ? libpfm->masks.data : "",
		 libpfm->states.data ? libpfm->states.data : "",
		 libpfm->options.data ? libpfm->options.data : "");
	return ours->failed || libpfm->masks.failed || libpfm->states.failed ||
			       libpfm->options.failed
		       ? UNCORE_ERR_NO_MEMORY
		       : 0;
}

int alias_libpfm(const struct uc_family *family, const char *text,
		 struct text *ours, char **error)
{
	struct libpfm libpfm = {
		.family = family,
		.event = { .family = family, .instance = EVENT_ANY },
		.whole = text,
	};
	char *copy = strdup(text), *event = copy ? strstr(copy, "::") : NULL;
	int result = copy ? 0 : UNCORE_ERR_NO_MEMORY;

	if (event) {
		*event = 0;
		event += 2;
		result = find_pmu(&libpfm, copy, error);
	}
	if (!result)
		result = add_event(&libpfm, event ? event : copy, ours, error);
	text_free(&libpfm.masks);
	text_free(&libpfm.states);
	text_free(&libpfm.options);
	free(copy);
	return result;
}
