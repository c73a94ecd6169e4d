/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "perf/pmus.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "uncore/error.h"

enum { MAX_SOCKETS = 64, MAX_INSTANCES = 255 };

/* CPUs and packages */

/* The numbers of a list like 0,4-7; NULL without memory. */
static int *read_cpus(const char *text, unsigned *num)
{
	int *cpus = calloc(1, sizeof(*cpus)), *more = cpus;
	char *end;

	*num = 0;
	while (more && isdigit((unsigned char)*text)) {
		long first = strtol(text, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		for (long i = first; i <= last && more; i++) {
			more = realloc(cpus, (*num + 1) * sizeof(*cpus));
			if (more) {
				cpus = more;
				cpus[(*num)++] = (int)i;
			}
		}
		text = *end == ',' ? end + 1 : end;
	}
	if (!more) {
		free(cpus);
		return NULL;
	}
	return cpus;
}

/* The package of a CPU, or of the nearest one below it of which it is said; -1:
 * of none. */
static int package_said(const struct perf_pmus *pmus, int cpu)
{
	const char *text = NULL;

	for (; cpu >= 0 && !text; cpu--)
		text = perf_tree_text(&pmus->tree,
				      "devices/system/cpu/cpu%d/topology/"
				      "physical_package_id",
				      cpu);
	return text ? atoi(text) : -1;
}

/* Where nobody says it of any CPU, each of a mask is taken for a package. */
static int package_of(const struct perf_pmus *pmus, const struct perf_pmu *pmu,
		      unsigned n)
{
	int package = package_said(pmus, pmu->cpus[n]);

	return package >= 0 ? package : (int)n;
}

static unsigned socket_of(const struct perf_pmus *pmus, int package)
{
	unsigned socket = 0;

	while (socket < pmus->num_sockets && pmus->packages[socket] != package)
		socket++;
	return socket;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int find_packages(struct perf_pmus *pmus)
{
	pmus->packages = calloc(MAX_SOCKETS, sizeof(*pmus->packages));
	if (!pmus->packages)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < pmus->num; i++)
		for (unsigned n = 0; n < pmus->list[i].num_cpus; n++) {
			int package = package_of(pmus, &pmus->list[i], n);

			if (socket_of(pmus, package) == pmus->num_sockets &&
			    pmus->num_sockets < MAX_SOCKETS)
				pmus->packages[pmus->num_sockets++] = package;
		}
	qsort(pmus->packages, pmus->num_sockets, sizeof(*pmus->packages),
	      by_number);
	return 0;
}

/* PMUs */

/* Whether a name ends in an address, as in arm_dmc620_10008c000. */
static const char *address_in(const char *name)
{
	const char *last = strrchr(name, '_');
	size_t length = last ? strlen(last + 1) : 0;

	if (length < 5 || strspn(last + 1, "0123456789abcdef") != length ||
	    strcspn(last + 1, "0123456789") == length)
		return NULL;
	return last + 1;
}

/* The number at the end of a name, and how long it is without. */
static size_t cut_number(const char *name, double *order)
{
	const char *address = address_in(name);
	size_t length = strlen(name), at = length;

	*order = 0;
	if (address) {
		at = (size_t)(address - name);
		*order = (double)strtoull(address, NULL, 16);
	} else {
		while (at && strchr("0123456789.", name[at - 1]))
			at--;
		*order = strtod(name + at, NULL);
	}
	/* amd_l3 is one name, uncore_imc_0 a name and a number */
	if (!at || at == length || (name[at - 1] != '_' && at + 1 == length))
		return length;
	return name[at - 1] == '_' ? at - 1 : at;
}

static int add_pmu(struct perf_pmus *pmus, const char *name,
		   const char *cpumask)
{
	struct perf_pmu *list =
		realloc(pmus->list, (pmus->num + 1) * sizeof(*list));
	const char *type =
		perf_tree_text(&pmus->tree, PERF_DEVICES "/%s/type", name);
	struct perf_pmu *pmu;

	if (!list)
		return UNCORE_ERR_NO_MEMORY;
	pmus->list = list;
	pmu = &list[pmus->num++];
	*pmu = (struct perf_pmu){
		.name = strdup(name),
		.type = type ? (uint32_t)strtoul(type, NULL, 0) : 0,
	};
	pmu->cpus = read_cpus(cpumask, &pmu->num_cpus);
	pmu->base = cut_number(name, &pmu->order);
	return pmu->name && pmu->cpus ? 0 : UNCORE_ERR_NO_MEMORY;
}

static int by_name(const void *a, const void *b)
{
	const struct perf_pmu *one = a, *other = b;
	size_t least = one->base < other->base ? one->base : other->base;
	int differ = strncmp(one->name, other->name, least);

	if (!differ && one->base != other->base)
		differ = one->base < other->base ? -1 : 1;
	return differ ? differ
		      : (one->order > other->order) -
				(one->order < other->order);
}

/* Those that have a cpumask and are no boxes all the same: samples of a core's
 * instructions, residencies of cores. */
static bool is_no_box(const char *name)
{
	static const char *const starts[] = { "arm_spe_", "cstate_core" };

	for (unsigned i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static int list_pmus(struct perf_pmus *pmus)
{
	const struct perf_tree *tree = &pmus->tree;
	const char *start = PERF_DEVICES "/";
	size_t length = strlen(start);
	int code = 0;

	for (size_t i = perf_tree_first(tree, start); i < tree->num && !code;
	     i++) {
		const char *path = tree->files[i].path, *end;
		char name[64];

		if (strncmp(path, start, length))
			break;
		end = strchr(path + length, '/');
		if (!end || strcmp(end, "/cpumask") || !*tree->files[i].text ||
		    is_no_box(path + length))
			continue;
		snprintf(name, sizeof(name), "%.*s",
			 (int)(end - path - (ptrdiff_t)length), path + length);
		code = add_pmu(pmus, name, tree->files[i].text);
	}
	if (pmus->num)
		qsort(pmus->list, pmus->num, sizeof(*pmus->list), by_name);
	return code;
}

/* What a box has */

/* The files below a folder of a PMU, whose names are stored in turn. */
static const struct perf_file *next_file(const struct perf_tree *tree,
					 const char *pmu, const char *folder,
					 size_t *at, const char **name)
{
	char start[160];
	size_t length;

	snprintf(start, sizeof(start), PERF_DEVICES "/%s/%s/", pmu, folder);
	length = strlen(start);
	if (!*at)
		*at = perf_tree_first(tree, start);
	if (*at >= tree->num || strncmp(tree->files[*at].path, start, length))
		return NULL;
	*name = tree->files[*at].path + length;
	return &tree->files[(*at)++];
}

/* config1:0-7,32-35 */
static bool read_term(struct perf_term *term, const char *text)
{
	char *end;

	if (strncmp(text, "config", 6))
		return false;
	term->word =
		isdigit((unsigned char)text[6]) ? (uint8_t)(text[6] - '0') : 0;
	text = strchr(text, ':');
	while (text && isdigit((unsigned char)text[1])) {
		unsigned long low = strtoul(text + 1, &end, 10), high = low;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (low > high || high > 63)
			return false;
		term->bits |= (~UINT64_C(0) >> (63 - (high - low))) << low;
		text = *end == ',' ? end : NULL;
	}
	return term->bits && term->word < PERF_NUM_WORDS;
}

static int read_terms(struct perf_box *box, const struct perf_tree *tree)
{
	const struct perf_file *file;
	const char *name;
	size_t at = 0;

	while ((file = next_file(tree, box->pmu->name, "format", &at, &name))) {
		struct perf_term *terms = realloc(
			box->terms, (box->num_terms + 1) * sizeof(*terms));

		if (!terms)
			return UNCORE_ERR_NO_MEMORY;
		box->terms = terms;
		terms[box->num_terms] = (struct perf_term){ .name = name };
		box->num_terms += read_term(&terms[box->num_terms], file->text);
	}
	return 0;
}

static int read_aliases(struct perf_box *box, const struct perf_tree *tree)
{
	const struct perf_file *file;
	const char *name, *scale;
	size_t at = 0;

	while ((file = next_file(tree, box->pmu->name, "events", &at, &name))) {
		struct perf_alias *list;

		if (strchr(name, '.'))
			continue; /* .scale, .unit and others */
		list = realloc(box->aliases,
			       (box->num_aliases + 1) * sizeof(*list));
		if (!list)
			return UNCORE_ERR_NO_MEMORY;
		box->aliases = list;
		scale = perf_tree_text(tree, PERF_DEVICES "/%s/events/%s.scale",
				       box->pmu->name, name);
		list[box->num_aliases++] = (struct perf_alias){
			.name = name,
			.terms = file->text,
			.unit = perf_tree_text(
				tree, PERF_DEVICES "/%s/events/%s.unit",
				box->pmu->name, name),
			.scale = scale ? strtod(scale, NULL) : 1,
			.counters = UINT32_MAX,
		};
	}
	return 0;
}

/* Boxes */

#define KERNEL_PREFIX "uncore_"

/* How many CPUs of one package these PMUs have at most. */
static unsigned per_package(const struct perf_pmus *pmus,
			    const struct perf_pmu *list, size_t num)
{
	unsigned used[MAX_SOCKETS] = { 0 }, most = 0;

	for (size_t i = 0; i < num; i++)
		for (unsigned n = 0; n < list[i].num_cpus; n++) {
			unsigned socket =
				socket_of(pmus, package_of(pmus, &list[i], n));

			if (socket < pmus->num_sockets && ++used[socket] > most)
				most = used[socket];
		}
	return most < MAX_INSTANCES ? most : MAX_INSTANCES;
}

/* A PMU's places, behind those of the sockets that are used. */
static void settle(const struct perf_pmus *pmus, struct perf_box *box,
		   const struct perf_pmu *pmu, unsigned used[MAX_SOCKETS])
{
	for (unsigned n = 0; n < pmu->num_cpus; n++) {
		unsigned socket = socket_of(pmus, package_of(pmus, pmu, n));

		if (socket == pmus->num_sockets ||
		    used[socket] == box->num_instances)
			continue;
		box->places[socket * box->num_instances + used[socket]++] =
			(struct perf_place){ pmu, pmu->cpus[n] };
	}
}

/* Whether the two are instances of one box. */
static bool is_like(const struct perf_pmus *pmus, const struct perf_pmu *one,
		    const struct perf_pmu *other)
{
	const struct perf_tree *tree = &pmus->tree;
	const struct perf_file *a, *b;
	const char *name, *its_name;
	size_t at = 0, its_at = 0;

	if (one->base != other->base ||
	    strncmp(one->name, other->name, one->base))
		return false;
	do {
		a = next_file(tree, one->name, "format", &at, &name);
		b = next_file(tree, other->name, "format", &its_at, &its_name);
		if (a && b &&
		    (strcmp(name, its_name) || strcmp(a->text, b->text)))
			return false;
	} while (a && b);
	return !a && !b;
}

/* PMUs of a box are neighbours in the list; those that differ in what they
 * have keep their whole names. */
static int make_box(struct perf_pmus *pmus, size_t first, size_t num)
{
	struct perf_box *boxes =
		realloc(pmus->boxes, (pmus->num_boxes + 1) * sizeof(*boxes));
	const struct perf_pmu *pmu = &pmus->list[first];
	const char *name = pmu->name;
	size_t skip = strlen(KERNEL_PREFIX), length = pmu->base;
	unsigned used[MAX_SOCKETS] = { 0 };
	struct perf_box *box;

	if (!boxes)
		return UNCORE_ERR_NO_MEMORY;
	pmus->boxes = boxes;
	box = &boxes[pmus->num_boxes++];
	*box = (struct perf_box){ .pmu = pmu };
	if (first && !is_like(pmus, pmu - 1, pmu) && pmu[-1].base == length &&
	    !strncmp(pmu[-1].name, name, length))
		length = strlen(name);
	if (!strncmp(name, KERNEL_PREFIX, skip)) {
		name += skip;
		length -= skip;
	}
	box->name = strndup(name, length);
	box->num_instances = per_package(pmus, pmu, num);
	box->places = calloc((size_t)pmus->num_sockets * box->num_instances + 1,
			     sizeof(*box->places));
	if (!box->name || !box->places)
		return UNCORE_ERR_NO_MEMORY;
	for (size_t i = 0; i < num; i++)
		settle(pmus, box, &pmu[i], used);
	return 0;
}

static int make_boxes(struct perf_pmus *pmus)
{
	size_t first = 0;
	int code = 0;

	while (first < pmus->num && !code) {
		size_t num = 1;
		struct perf_box *box;

		while (first + num < pmus->num &&
		       is_like(pmus, &pmus->list[first],
			       &pmus->list[first + num]))
			num++;
		code = make_box(pmus, first, num);
		box = &pmus->boxes[pmus->num_boxes - 1];
		if (!code)
			code = read_terms(box, &pmus->tree);
		if (!code)
			code = read_aliases(box, &pmus->tree);
		first += num;
	}
	return code;
}

/* From a tree that has been read. */
static int make(struct perf_pmus *pmus, const char *place, char **error)
{
	int code = list_pmus(pmus);

	if (!code)
		code = find_packages(pmus);
	if (!code)
		code = make_boxes(pmus);
	if (!code && !pmus->num_boxes)
		code = text_error(
			UNCORE_ERR_NO_HARDWARE, error,
			"%s shows no PMU outside of the cores (none has a "
			"cpumask): the kernel has no driver for this "
			"machine's, or it is a virtual machine",
			place);
	return code;
}

int perf_pmus_read(struct perf_pmus *pmus, const char *place, char **error)
{
	int code;

	*pmus = (struct perf_pmus){ 0 };
	code = perf_tree_read(&pmus->tree, place, error);
	return code ? code : make(pmus, place, error);
}

int perf_pmus_of_text(struct perf_pmus *pmus, const char *text, char **error)
{
	int code;

	*pmus = (struct perf_pmus){ 0 };
	code = perf_tree_parse(&pmus->tree, text, error);
	return code ? code : make(pmus, "the capture", error);
}

void perf_pmus_free(struct perf_pmus *pmus)
{
	for (unsigned i = 0; i < pmus->num_boxes; i++) {
		free((char *)pmus->boxes[i].name);
		free(pmus->boxes[i].terms);
		free(pmus->boxes[i].aliases);
		free(pmus->boxes[i].places);
	}
	for (size_t i = 0; i < pmus->num; i++) {
		free(pmus->list[i].name);
		free(pmus->list[i].cpus);
	}
	for (size_t i = 0; i < pmus->num_texts; i++)
		free(pmus->texts[i]);
	free(pmus->texts);
	free(pmus->boxes);
	free(pmus->list);
	free(pmus->packages);
	perf_tree_free(&pmus->tree);
}

const struct perf_place *perf_place_of(const struct perf_pmus *pmus,
				       const struct perf_box *box,
				       unsigned socket, unsigned instance)
{
	if (socket >= pmus->num_sockets || instance >= box->num_instances)
		return NULL;
	return &box->places[socket * box->num_instances + instance];
}
