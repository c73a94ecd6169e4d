/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Holds a count against its law; proof/README.md has the language.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proof/coverage.h"

enum { WORD_SIZE = 160 };

struct judge {
	struct coverage *coverage;
	struct coverage_row *row;
	bool counts;	     /* false: look for what is needed */
	const char *unknown; /* a word that means nothing, or has no count */
	bool is_void; /* the condition is about what the processor lacks */
	double cycles, time; /* of the row's count */
};

/* Puts the row's unit mask where a name ends in .* or .^ */
static void same_mask(const struct coverage_row *row, char *name, size_t size)
{
	size_t length = strlen(name);
	char sign = length ? name[length - 1] : '\0';
	char *dot;

	if (!row->has_mask || (sign != '*' && sign != '^'))
		return;
	snprintf(name + length - 1, size - length + 1, "%s", row->mask.name);
	dot = strrchr(name, '.');
	if (sign == '^' && dot && dot >= name + length)
		*dot = '\0';
}

/* An event that a law speaks of. */
struct target {
	char box[32], name[WORD_SIZE];
	const char *options;
};

static void read_subject(const struct coverage_row *row, const char *word,
			 struct target *target)
{
	const char *slash = strchr(word, '/'), *comma = strchr(word, ',');
	const char *box = row->event.box;

	target->options = row->options;
	snprintf(target->box, sizeof(target->box), "%s", box);
	if (slash) {
		snprintf(target->box, sizeof(target->box), "%.*s",
			 (int)(slash - word), word);
		word = slash + 1;
	}
	snprintf(target->name, sizeof(target->name), "%s%s",
		 *word == '.' ? row->event.name : "", word);
	if (comma) {
		*strchr(target->name, ',') = '\0';
		target->options = comma + 1;
	} else if (strcmp(target->box, box)) {
		target->options = "";
	}
	same_mask(row, target->name, sizeof(target->name));
}

/* Whether a processor has an event, or one whose unit mask fits. */
static bool has(const struct uncore_family *family, const struct target *target)
{
	struct uncore_event_info event;
	struct uncore_unit_mask mask;
	char name[WORD_SIZE];

	for (size_t i = 0; uncore_family_event(family, i, &event); i++) {
		if (strcmp(event.box, target->box))
			continue;
		if (!strcmp(event.name, target->name))
			return true;
		for (size_t m = 0;
		     uncore_event_info_unit_mask(&event, m, &mask); m++) {
			snprintf(name, sizeof(name), "%s.%s", event.name,
				 mask.name);
			if (!fnmatch(target->name, name, 0))
				return true;
		}
	}
	return false;
}

static bool some_family_has(const struct target *target)
{
	const struct uncore_family *family;

	for (size_t i = 0; (family = uncore_family_at(i)); i++)
		if (has(family, target))
			return true;
	return false;
}

/* The count of one event in the row's scene. */
static double count_of(struct judge *judge, const char *box, const char *name,
		       const char *options)
{
	const struct coverage_count *count;
	char text[2 * WORD_SIZE];
	size_t place;

	coverage_text(text, sizeof(text), box, name, options);
	place = coverage_want(judge->coverage, judge->row->scene, text);
	if (!judge->counts || place == SIZE_MAX)
		return 0;
	count = &judge->coverage->counts[place];
	if (!count->is_done)
		judge->unknown = count->text;
	return (double)count->value;
}

/* The sum over all unit masks that fit, or the largest. */
static double count_all(struct judge *judge, const struct target *target,
			bool is_largest)
{
	const struct coverage *coverage = judge->coverage;
	double total = 0;

	for (size_t i = 0; i < coverage->num_rows; i++) {
		const struct coverage_row *row = &coverage->rows[i];
		double count;

		if (strcmp(row->event.box, target->box) ||
		    fnmatch(target->name, row->name, 0))
			continue;
		count = count_of(judge, target->box, row->name,
				 target->options);
		if (!is_largest)
			total += count;
		else if (count > total)
			total = count;
	}
	return total;
}

/* What a law calls by the name of an event, or of several. */
static double reference(struct judge *judge, char *word)
{
	bool is_largest = !strncmp(word, "max:", 4), is_known = false;
	struct target target;
	char *save;

	word += is_largest ? 4 : 0;
	for (word = strtok_r(word, "|", &save); word;
	     word = strtok_r(NULL, "|", &save)) {
		read_subject(judge->row, word, &target);
		if (has(judge->coverage->family, &target))
			break;
		is_known = is_known || some_family_has(&target);
	}
	if (!word) {
		judge->is_void = judge->is_void || is_known;
		judge->unknown = is_known ? judge->unknown : "no event fits";
		return 0;
	}
	if (strchr(target.name, '?'))
		return count_all(judge, &target, is_largest);
	return count_of(judge, target.box, target.name, target.options);
}

static double injected(struct judge *judge, const char *fault)
{
	const struct coverage *coverage = judge->coverage;

	for (size_t i = 0; i < coverage->num_injected; i++)
		if (coverage->injected[i].scene == judge->row->scene &&
		    !strcmp(coverage->injected[i].name, fault))
			return (double)coverage->injected[i].number;
	judge->unknown = judge->counts ? "injected" : NULL;
	return 0;
}

static double factor(struct judge *judge, char *word)
{
	if (isdigit((unsigned char)*word))
		return strtod(word, NULL);
	if (!strcmp(word, "cycles"))
		return judge->cycles;
	if (!strcmp(word, "time"))
		return judge->time;
	if (!strcmp(word, "N"))
		return coverage_number(judge->row->scene,
				       judge->coverage->cores);
	if (!strcmp(word, "cores"))
		return judge->coverage->cores;
	if (!strncmp(word, "injected:", 9))
		return injected(judge, word + 9);
	return reference(judge, word);
}

/* The next word, or "" at the end of the condition. */
static const char *next_word(const char **text, char *word)
{
	size_t length;

	*text += strspn(*text, " ");
	length = strcspn(*text, " ");
	if (length >= WORD_SIZE)
		length = WORD_SIZE - 1;
	memcpy(word, *text, length);
	word[length] = '\0';
	*text += length;
	return word;
}

static double sum(struct judge *judge, const char **text)
{
	char word[WORD_SIZE];
	double total = 0, product = 1, sign = 1;

	while (*next_word(text, word) && strcmp(word, ";")) {
		if (!strcmp(word, "*"))
			continue;
		if (!strcmp(word, "+") || !strcmp(word, "-")) {
			total += sign * product;
			sign = *word == '-' ? -1 : 1;
			product = 1;
			continue;
		}
		product *= factor(judge, word);
	}
	return total + sign * product;
}

static bool holds(const char *relation, double count, double value)
{
	double percent;

	if (!strcmp(relation, "="))
		return count == value;
	if (!strcmp(relation, "<="))
		return count <= value;
	if (!strcmp(relation, ">="))
		return count >= value;
	percent = strtod(relation + 1, NULL);
	return *relation == '~' && count >= value * (1 - percent / 100) &&
	       count <= value * (1 + percent / 100);
}

/* The other unit masks of the event whose signals together are the row's. */
static void sum_of_masks(const struct coverage *coverage,
			 const struct coverage_row *row, FILE *file)
{
	char *signals = strdup(row->signals), *save = NULL;
	const char *separator = "= ";
	unsigned num = 0, found = 0;
	char *text = NULL;
	size_t size;
	FILE *sum = open_memstream(&text, &size);

	if (!signals || !sum)
		goto out;
	for (char *name = strtok_r(signals, " ", &save); name;
	     name = strtok_r(NULL, " ", &save), num++)
		for (size_t i = 0; i < coverage->num_rows; i++) {
			const struct coverage_row *other = &coverage->rows[i];

			if (other->event.handle != row->event.handle ||
			    strcmp(other->signals, name) || other->excluded)
				continue;
			fprintf(sum, "%s.%s", separator, other->mask.name);
			separator = " + ";
			found++;
			break;
		}
	fflush(sum);
	if (num > 1 && found == num)
		fputs(text, file);
out:
	if (sum)
		fclose(sum);
	free(text);
	free(signals);
}

/* The law of a row: its own, or that it is the sum of its parts. */
static char *law_of(const struct coverage *coverage,
		    const struct coverage_row *row)
{
	char *law = NULL;
	size_t size;
	FILE *file;

	if (row->law && row->law->check)
		return strdup(row->law->check);
	file = open_memstream(&law, &size);
	if (!file)
		return NULL;
	if (!row->event.at_least && row->event.multiplier == 1 && row->has_mask)
		sum_of_masks(coverage, row, file);
	return fclose(file) ? NULL : law;
}

/* Of a condition, without the " ;" at its end. */
static int length_of(const char *start, const char *end)
{
	if (end > start && end[-1] == ';')
		end--;
	while (end > start && end[-1] == ' ')
		end--;
	return (int)(end - start);
}

static bool judge_law(struct judge *judge, const char *law, FILE *file)
{
	const struct coverage_row *row = judge->row;
	double count = (double)row->count;
	double most = judge->cycles * row->event.max_increment *
		      row->event.multiplier;
	const char *separator = "";
	bool good = true, is_exact = false;
	bool has_most = row->event.max_increment; /* it is published */

	while (*law) {
		char relation[WORD_SIZE];
		const char *start;
		double value;

		next_word(&law, relation);
		start = law;
		judge->is_void = false;
		value = sum(judge, &law);
		if (!judge->counts || judge->is_void)
			continue;
		good = good && holds(relation, count, value) && !judge->unknown;
		is_exact = is_exact || strchr("=~", *relation);
		fprintf(file, "%s%s%.*s: %.0f", separator, relation,
			length_of(start, law), start, count);
		if (value != count)
			fprintf(file, " to %.0f", value);
		separator = "; ";
	}
	judge->row->why = is_exact || !row->law ? NULL : row->law->why;
	if (!*separator && has_most)
		fprintf(file, "<= %u a cycle, of %.0f cycles",
			row->event.max_increment * row->event.multiplier,
			judge->cycles);
	else if (!*separator)
		fputs("no law, and no largest increment is published", file);
	return good && (has_most ? count <= most : *separator);
}

bool coverage_check(struct coverage *coverage, struct coverage_row *row,
		    bool judge_it)
{
	struct judge judge = { .coverage = coverage,
			       .row = row,
			       .counts = judge_it };
	char *law = law_of(coverage, row), *text = NULL;
	char name[2 * WORD_SIZE];
	bool good = false;
	size_t size, place;
	FILE *file;

	coverage_text(name, sizeof(name), row->event.box, row->name,
		      row->options);
	place = coverage_want(coverage, row->scene, name);
	file = open_memstream(&text, &size);
	if (law && file && place != SIZE_MAX) {
		judge.cycles = (double)coverage->counts[place].cycles;
		judge.time = (double)coverage->counts[place].time;
		row->count = coverage->counts[place].value;
		good = judge_law(&judge, law, file);
	}
	free(law);
	if (file)
		fclose(file);
	free(row->check);
	row->check = text;
	return good;
}
