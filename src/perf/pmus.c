/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "perf/pmus.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "perf/names.h"
#include "uncore/error.h"

enum { MAX_SOCKETS = 64, MAX_INSTANCES = 255 };

/* No kernel has more CPUs, no machine more in the masks of all its PMUs, and no
 * PMU more terms. */
enum { MOST_CPU = (1 << 16) - 1, MOST_CPUS = 1 << 16, MOST_TERMS = 256 };

enum { MOST_PMUS = 4096, NAME_BYTES = 64 };

/* CPUs and packages */

/* The numbers of a list like 0,4-7 behind those that a PMU has, as the kernel
 * writes them: each once, from the lowest up. False without memory, where that
 * is no such list (*text is where), or where all PMUs together would have more
 * CPUs than any machine's (*left is 0). */
static bool read_cpus(struct perf_pmu *pmu, const char **text, size_t *left)
{
	long next = 0, first, last;
	char *end;

	pmu->cpus = calloc(1, sizeof(*pmu->cpus));
	while (pmu->cpus && isdigit((unsigned char)**text)) {
		int *cpus;

		first = last = strtol(*text, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtol(end + 1, &end, 10);
		if (first < next || last < first || !strchr(", ", *end) ||
		    (*end == ',' && !isdigit((unsigned char)end[1])))
			return false;
		if (last > MOST_CPU || (size_t)(last - first) >= *left) {
			*left = 0;
			return false;
		}
		*left -= (size_t)(last - first) + 1;
		cpus = realloc(pmu->cpus,
			       (pmu->num_cpus + (size_t)(last - first) + 1) *
				       sizeof(*cpus));
		if (!cpus)
			return false;
		pmu->cpus = cpus;
		for (next = first; next <= last; next++)
			cpus[pmu->num_cpus++] = (int)next;
		*text = *end == ',' ? end + 1 : end + strspn(end, " ");
		if (*end == ' ')
			break;
	}
	return pmu->cpus && !**text;
}

static int by_cpu(const void *a, const void *b)
{
	const struct perf_cpu *one = a, *other = b;

	return (one->cpu > other->cpu) - (one->cpu < other->cpu);
}

/* The packages of all CPUs of which they are said. */
static bool read_packages(struct perf_pmus *pmus)
{
	static const char start[] = "devices/system/cpu/cpu";
	const struct perf_tree *tree = &pmus->tree;
	size_t first = perf_tree_first(tree, start), end = first;

	while (end < tree->num &&
	       !strncmp(tree->files[end].path, start, sizeof(start) - 1))
		end++;
	pmus->cpus = calloc(end - first + 1, sizeof(*pmus->cpus));
	for (size_t i = first; pmus->cpus && i < end; i++) {
		const char *path = tree->files[i].path + sizeof(start) - 1;
		char *rest;
		unsigned long cpu = strtoul(path, &rest, 10);

		if (cpu <= MOST_CPU &&
		    !strcmp(rest, "/topology/physical_package_id"))
			pmus->cpus[pmus->num_cpus++] =
				(struct perf_cpu){ (int)cpu,
						   atoi(tree->files[i].text) };
	}
	if (pmus->num_cpus)
		qsort(pmus->cpus, pmus->num_cpus, sizeof(*pmus->cpus), by_cpu);
	return pmus->cpus;
}

/* The package of a CPU, or of the nearest one below it of which it is said; -1:
 * of none. */
static int package_said(const struct perf_pmus *pmus, int cpu)
{
	size_t from = 0, until = pmus->num_cpus;

	while (from < until) {
		size_t middle = from + (until - from) / 2;

		if (pmus->cpus[middle].cpu <= cpu)
			from = middle + 1;
		else
			until = middle;
	}
	return from ? pmus->cpus[from - 1].package : -1;
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

static int add_pmu(struct perf_pmus *pmus, const char *name,
		   const char *cpumask, size_t *left, char **error)
{
	const char *type =
		perf_tree_text(&pmus->tree, PERF_DEVICES "/%s/type", name);
	const char *rest = cpumask;
	struct perf_pmu *pmu;

	if (!array_room(&pmus->list, pmus->num, sizeof(*pmus->list)))
		return UNCORE_ERR_NO_MEMORY;
	pmu = &pmus->list[pmus->num++];
	*pmu = (struct perf_pmu){
		.name = strdup(name),
		.type = type ? (uint32_t)strtoul(type, NULL, 0) : 0,
	};
	if (pmu->name && read_cpus(pmu, &rest, left))
		return 0;
	if (*left && pmu->name && pmu->cpus && *rest)
		return text_error(UNCORE_ERR_BAD_SYNTAX, error,
				  "PMU %s has the cpumask '%.60s', which is no "
				  "list of CPUs from the lowest up (0,8-15)",
				  name, cpumask);
	if (*left)
		return UNCORE_ERR_NO_MEMORY;
	return text_error(UNCORE_ERR_BAD_SYNTAX, error,
			  "PMU %s has the cpumask '%.60s': it names a CPU "
			  "beyond %d, or the PMUs have more than %d CPUs "
			  "together, which no machine's have",
			  name, cpumask, MOST_CPU, MOST_CPUS);
}

static int by_name(const void *a, const void *b)
{
	const struct perf_pmu *one = a, *other = b;
	int differ = strcmp(one->box, other->box);

	return differ ? differ : perf_name_order(one->name, other->name);
}

/* Once all are known. */
static int name_boxes(struct perf_pmus *pmus)
{
	const char **names = calloc(pmus->num + 1, sizeof(*names));
	bool has_room = names;

	for (size_t i = 0; has_room && i < pmus->num; i++)
		names[i] = pmus->list[i].name;
	for (size_t i = 0; has_room && i < pmus->num; i++) {
		pmus->list[i].box = perf_box_name(names[i], names, pmus->num);
		has_room = pmus->list[i].box;
	}
	free(names);
	if (!has_room)
		return UNCORE_ERR_NO_MEMORY;
	if (pmus->num)
		qsort(pmus->list, pmus->num, sizeof(*pmus->list), by_name);
	return 0;
}

static int list_pmus(struct perf_pmus *pmus, char **error)
{
	const struct perf_tree *tree = &pmus->tree;
	const char *start = PERF_DEVICES "/";
	size_t length = strlen(start), left = MOST_CPUS;
	struct text left_out = { 0 };
	ptrdiff_t name_length;
	int code = 0;

	for (size_t i = perf_tree_first(tree, start); i < tree->num && !code;
	     i++) {
		const char *path = tree->files[i].path, *end;
		char name[NAME_BYTES];

		if (strncmp(path, start, length))
			break;
		end = strchr(path + length, '/');
		if (!end || strcmp(end, "/cpumask") || !*tree->files[i].text ||
		    perf_kind_of(path + length) == PERF_KIND_CORE)
			continue;
		if (pmus->num == MOST_PMUS) {
			code = text_error(UNCORE_ERR_BAD_SYNTAX, error,
					  "there are more than %d PMUs",
					  MOST_PMUS);
			continue;
		}
		name_length = end - path - (ptrdiff_t)length;
		if (name_length >= NAME_BYTES) {
			text_add(&left_out, "%s%.*s...",
				 left_out.length ? ", " : "", NAME_BYTES - 1,
				 path + length);
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)name_length,
			 path + length);
		code = add_pmu(pmus, name, tree->files[i].text, &left, error);
	}
	if (left_out.length)
		pmus->left_out = text_take(&left_out);
	return code ? code : name_boxes(pmus);
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
		if (low > high || high > 63 || (*end && *end != ','))
			return false;
		term->bits |= (~UINT64_C(0) >> (63 - (high - low))) << low;
		text = *end == ',' ? end : NULL;
	}
	return term->bits && term->word < PERF_NUM_WORDS;
}

static int read_terms(struct perf_box *box, const struct perf_tree *tree,
		      char **error)
{
	const struct perf_file *file;
	const char *name;
	size_t at = 0;

	while ((file = next_file(tree, box->pmu->name, "format", &at, &name))) {
		if (box->num_terms == MOST_TERMS)
			return text_error(UNCORE_ERR_BAD_SYNTAX, error,
					  "PMU %s has more than %d terms in "
					  "format/",
					  box->pmu->name, MOST_TERMS);
		if (!array_room(&box->terms, box->num_terms,
				sizeof(*box->terms)))
			return UNCORE_ERR_NO_MEMORY;
		box->terms[box->num_terms] = (struct perf_term){ .name = name };
		if (read_term(&box->terms[box->num_terms], file->text))
			box->num_terms++;
	}
	return 0;
}

static int read_aliases(struct perf_box *box, const struct perf_tree *tree)
{
	const struct perf_file *file;
	const char *name, *scale;
	size_t at = 0;

	while ((file = next_file(tree, box->pmu->name, "events", &at, &name))) {
		if (strchr(name, '.'))
			continue; /* .scale, .unit and others */
		if (!array_room(&box->aliases, box->num_aliases,
				sizeof(*box->aliases)))
			return UNCORE_ERR_NO_MEMORY;
		scale = perf_tree_text(tree, PERF_DEVICES "/%s/events/%s.scale",
				       box->pmu->name, name);
		box->aliases[box->num_aliases++] = (struct perf_alias){
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

/* The PMUs that are instances of a box. The kernel numbers them in all sockets
 * alike, or through all: then `first` is the lowest number of each socket. */
struct instances {
	const struct perf_pmu *list;
	size_t num;
	unsigned used[MAX_SOCKETS], first[MAX_SOCKETS];
	unsigned most, least; /* of each of these */
	bool has_numbers;     /* one each, and each is once in a socket */
};

static void look_at_pmu(const struct perf_pmus *pmus,
			const struct perf_pmu *pmu, struct instances *of)
{
	unsigned number, socket, before = MAX_SOCKETS;

	of->has_numbers &= perf_name_number(pmu->name, pmu->box, &number);
	for (unsigned n = 0; n < pmu->num_cpus; n++) {
		socket = socket_of(pmus, package_of(pmus, pmu, n));
		if (socket == pmus->num_sockets)
			continue;
		of->has_numbers &= socket != before;
		before = socket;
		if (!of->used[socket]++ || number < of->first[socket])
			of->first[socket] = number;
		if (of->used[socket] > of->most)
			of->most = of->used[socket];
	}
}

static struct instances look_at_all(const struct perf_pmus *pmus,
				    const struct perf_pmu *list, size_t num)
{
	struct instances of = { list, num, .has_numbers = true };

	for (size_t i = 0; i < num; i++)
		look_at_pmu(pmus, &list[i], &of);
	for (size_t i = 0; i < num; i++)
		if (list[i].num_cpus > 1)
			memset(of.first, 0, sizeof(of.first));
	for (unsigned s = pmus->num_sockets; s-- > 0;)
		of.least = of.used[s] ? of.first[s] : of.least;
	return of;
}

static unsigned instance_of(const struct instances *of,
			    const struct perf_pmu *pmu, unsigned socket)
{
	unsigned number;

	perf_name_number(pmu->name, pmu->box, &number);
	return of->least + number - of->first[socket];
}

/* Numbers with more holes than PMUs say something else. */
enum { MOST_HOLES = 3 };

static unsigned num_instances(const struct perf_pmus *pmus,
			      struct instances *of)
{
	unsigned highest = 0;

	for (size_t i = 0; i < of->num; i++)
		for (unsigned n = 0; n < of->list[i].num_cpus; n++) {
			unsigned socket = socket_of(
				pmus, package_of(pmus, &of->list[i], n));
			unsigned number =
				socket < pmus->num_sockets
					? instance_of(of, &of->list[i], socket)
					: 0;

			highest = number > highest ? number : highest;
		}
	of->has_numbers &= highest < MAX_INSTANCES &&
			   highest <= (MOST_HOLES + 1) * of->most;
	if (of->has_numbers)
		return highest + 1;
	return of->most < MAX_INSTANCES ? of->most : MAX_INSTANCES;
}

static void settle(const struct perf_pmus *pmus, struct perf_box *box,
		   const struct instances *of)
{
	unsigned used[MAX_SOCKETS] = { 0 };

	for (size_t i = 0; i < of->num; i++)
		for (unsigned n = 0; n < of->list[i].num_cpus; n++) {
			const struct perf_pmu *pmu = &of->list[i];
			unsigned socket =
				socket_of(pmus, package_of(pmus, pmu, n));
			unsigned at = of->has_numbers && socket < MAX_SOCKETS
					      ? instance_of(of, pmu, socket)
				      : socket < MAX_SOCKETS ? used[socket]++
							     : MAX_INSTANCES;

			if (socket < pmus->num_sockets &&
			    at < box->num_instances)
				box->places[socket * box->num_instances + at] =
					(struct perf_place){ pmu,
							     pmu->cpus[n] };
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

	if (strcmp(one->box, other->box))
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
	const struct perf_pmu *pmu = &pmus->list[first];
	const char *name = pmu->box;
	size_t skip = strlen(PERF_KERNEL_PREFIX);
	struct instances of = look_at_all(pmus, pmu, num);
	struct perf_box *box;

	if (!array_room(&pmus->boxes, pmus->num_boxes, sizeof(*pmus->boxes)))
		return UNCORE_ERR_NO_MEMORY;
	box = &pmus->boxes[pmus->num_boxes++];
	*box = (struct perf_box){ .pmu = pmu, .num_pmus = num };
	if (first && !strcmp(pmu[-1].box, name))
		name = pmu->name;
	if (!strncmp(name, PERF_KERNEL_PREFIX, skip))
		name += skip;
	box->name = strdup(name);
	box->num_instances = num_instances(pmus, &of);
	box->num_there = of.most;
	box->places = calloc((size_t)pmus->num_sockets * box->num_instances + 1,
			     sizeof(*box->places));
	if (!box->name || !box->places)
		return UNCORE_ERR_NO_MEMORY;
	settle(pmus, box, &of);
	return 0;
}

static int make_boxes(struct perf_pmus *pmus, char **error)
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
			code = read_terms(box, &pmus->tree, error);
		if (!code)
			code = read_aliases(box, &pmus->tree);
		first += num;
	}
	return code;
}

/* From a tree that has been read. */
static int make(struct perf_pmus *pmus, const char *place, char **error)
{
	int code = list_pmus(pmus, error);

	if (!code && !read_packages(pmus))
		code = UNCORE_ERR_NO_MEMORY;
	if (!code)
		code = find_packages(pmus);
	if (!code)
		code = make_boxes(pmus, error);
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

void perf_box_free(struct perf_box *box)
{
	free((char *)box->name);
	free(box->terms);
	free(box->aliases);
	free(box->places);
}

void perf_pmus_free(struct perf_pmus *pmus)
{
	for (unsigned i = 0; i < pmus->num_boxes; i++)
		perf_box_free(&pmus->boxes[i]);
	for (size_t i = 0; i < pmus->num; i++) {
		free(pmus->list[i].name);
		free(pmus->list[i].box);
		free(pmus->list[i].cpus);
	}
	for (size_t i = 0; i < pmus->num_texts; i++)
		free(pmus->texts[i]);
	free(pmus->texts);
	free(pmus->boxes);
	free(pmus->list);
	free(pmus->packages);
	free(pmus->cpus);
	free(pmus->left_out);
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
