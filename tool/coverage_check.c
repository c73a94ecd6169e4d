/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The laws of the catalogue. A law is one or more conditions on the count of a
 * row, with " ; " between them:
 *
 *     = SUM     the same         <= SUM    at most
 *     >= SUM    at least         ~5 SUM    within 5 per cent
 *
 * SUM is made of products and sums, "2 * .READS + N - 1", all words apart:
 *
 *     .MASK             a unit mask of the same event
 *     EVENT.MASK        an event of the same box, with the row's options
 *     box/EVENT.MASK    of another box; ,OPTIONS may follow each of them
 *     EVENT.*           its unit mask that is called as the row's
 *     EVENT.^           the same without what follows the last dot
 *     cycles            of all counters together: boxes times the run's length
 *     time              the length of the run
 *     N                 the scene's number
 *     injected:FAULT    how often the fault struck in the scene
 *     123               a number
 *
 * Counts of all sockets and instances are added up; sub-counters of B-Box and
 * R-Box stand for the events that they count. Besides, no count exceeds its
 * largest increment per cycle.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coverage.h"

enum { WORD_SIZE = 160 };

struct judge {
	struct coverage *coverage;
	struct coverage_row *row;
	bool counts;	     /* false: look for what is needed */
	const char *unknown; /* a word that means nothing, or has no count */
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

/* The count of an event that a law speaks of, in the row's scene. */
static double reference(struct judge *judge, const char *word)
{
	const struct coverage_row *row = judge->row;
	const char *slash = strchr(word, '/'), *comma = strchr(word, ',');
	char box[32], name[WORD_SIZE], text[2 * WORD_SIZE];
	const char *options = row->options;
	const struct coverage_count *count;
	size_t place;

	snprintf(box, sizeof(box), "%s", row->event.box);
	if (slash) {
		snprintf(box, sizeof(box), "%.*s", (int)(slash - word), word);
		word = slash + 1;
	}
	snprintf(name, sizeof(name), "%s%s",
		 *word == '.' ? row->event.name : "", word);
	if (comma) {
		*strchr(name, ',') = '\0';
		options = comma + 1;
	} else if (strcmp(box, row->event.box)) {
		options = "";
	}
	same_mask(row, name, sizeof(name));
	coverage_text(text, sizeof(text), box, name, options);
	place = coverage_want(judge->coverage, row->scene, text);
	if (!judge->counts || place == SIZE_MAX)
		return 0;
	count = &judge->coverage->counts[place];
	if (!count->is_done)
		judge->unknown = count->text;
	return (double)count->value;
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

static double factor(struct judge *judge, const char *word)
{
	if (isdigit((unsigned char)*word))
		return strtod(word, NULL);
	if (!strcmp(word, "cycles"))
		return judge->cycles;
	if (!strcmp(word, "time"))
		return judge->time;
	if (!strcmp(word, "N"))
		return (double)judge->row->scene->n;
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

			if (other->event.row != row->event.row ||
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
	bool good = true;

	while (*law) {
		char relation[WORD_SIZE];
		const char *start;
		double value;

		next_word(&law, relation);
		start = law;
		value = sum(judge, &law);
		if (!judge->counts)
			continue;
		good = good && holds(relation, count, value) && !judge->unknown;
		fprintf(file, "%s%s%.*s: %.0f", separator, relation,
			length_of(start, law), start, count);
		if (value != count)
			fprintf(file, " to %.0f", value);
		separator = "; ";
	}
	if (!*separator)
		fprintf(file, "<= %u a cycle, of %.0f cycles",
			row->event.max_increment * row->event.multiplier,
			judge->cycles);
	return good && count <= most;
}

bool coverage_check(struct coverage *coverage, struct coverage_row *row,
		    bool judge_it)
{
	struct judge judge = { coverage, row, judge_it, NULL, 0, 0 };
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
