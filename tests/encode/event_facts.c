/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The families against facts that were read from the guides and from public
 * code apart from data/: tests/encode/facts-both.txt, which explains its rows,
 * and facts-FAMILY.txt. Every event has its row, with code, largest increment
 * and counters; what is absent cannot be asked for; and every unit mask that
 * has a row puts the bits of that row into the registers at their addresses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "uncore/uncore.h"

enum { MAX_PLACES = 32, MAX_WORDS = 16, NUM_COUNTERS = 16 };

struct place {
	char box[8], name[8];
	uint32_t address;
};

struct facts {
	const struct uncore_family *family;
	struct place places[MAX_PLACES];
	size_t num_places;
	struct place selects[MAX_PLACES]; /* name: the bits */
	size_t num_selects;
	size_t num_events, num_sets, num_absent;
	const char *file;
	unsigned line;
};

#define wrong(facts, ...)                                                      \
	do {                                                                   \
		print_error("%s:%u, %s: ", (facts)->file, (facts)->line,       \
			    uncore_family_name((facts)->family));              \
		fail_msg(__VA_ARGS__);                                         \
	} while (0)

/* The writes that count an event, and the event's row. */
struct counted {
	struct uncore_write *writes;
	size_t num;
};

static bool encode(const struct facts *facts, const char *box, const char *name,
		   struct counted *counted)
{
	struct uncore_event *event = NULL;
	struct uncore_plan *plan = NULL;
	char text[128], *error = NULL;
	bool done = false;

	*counted = (struct counted){ 0 };
	snprintf(text, sizeof(text), "%s%s/%s%s/", box,
		 strcmp(box, "rbox") ? "0" : "", name,
		 strcmp(box, "rbox") ? "" : ",port=0,slot=0");
	if (!uncore_event_parse(facts->family, text, &event, &error) &&
	    !uncore_plan_new(facts->family, &event, 1, &plan, &error))
		done = !uncore_plan_writes(plan, 0, 0, &counted->writes,
					   &counted->num, NULL);
	uncore_plan_free(plan);
	uncore_event_free(event);
	if (error)
		print_error("%s\n", error);
	free(error);
	return done;
}

static const struct place *find(const struct place *places, size_t num,
				const char *box, const char *name)
{
	for (size_t i = 0; i < num; i++)
		if (!strcmp(places[i].box, box) &&
		    (!name || !strcmp(places[i].name, name)))
			return &places[i];
	return NULL;
}

/* The value written to a register; a control stands at any counter's place. */
static uint64_t written(const struct facts *facts,
			const struct counted *counted, const char *box,
			const char *name)
{
	const struct place *place =
		find(facts->places, facts->num_places, box, name);
	unsigned copies = strcmp(name, "CTL") ? 1 : NUM_COUNTERS;

	if (!place)
		wrong(facts, "%s of the %s has no place", name, box);
	for (size_t i = 0; i < counted->num; i++)
		for (unsigned n = 0; n < copies; n++)
			if (counted->writes[i].address ==
			    place->address + 2 * n)
				return counted->writes[i].value;
	wrong(facts, "%s of the %s is not written", name, box);
	return 0;
}

/* "7:5", "0-5" or "23": the first and the last number. */
static void read_range(const char *text, unsigned *first, unsigned *last)
{
	char *end;

	*first = *last = (unsigned)strtoul(text, &end, 10);
	if (*end)
		*last = (unsigned)strtoul(end + 1, NULL, 10);
}

static uint64_t ones(unsigned num)
{
	return ~UINT64_C(0) >> (64 - num);
}

/* The bits "7:5" or "23" of a value. */
static uint64_t bits(const char *range, uint64_t value)
{
	unsigned high, low;

	read_range(range, &high, &low);
	return value >> low & ones(high - low + 1);
}

/* As much of a code as fits into the bits. */
static uint64_t fitting(const char *range, uint64_t code)
{
	unsigned high, low;

	read_range(range, &high, &low);
	return code & ones(high - low + 1);
}

/* FVC[13:11]=0x5 */
static void check_set(const struct facts *facts, const struct counted *counted,
		      const char *box, const char *text)
{
	char name[8], range[8];
	unsigned value;
	uint64_t have;

	if (sscanf(text, "%7[A-Z][%7[0-9:]]=%x", name, range, &value) != 3)
		wrong(facts, "'%s' is no set", text);
	have = bits(range, written(facts, counted, box, name));
	if (have != value)
		wrong(facts, "%s, but it is 0x%llx", text,
		      (unsigned long long)have);
}

static uint32_t counters(const char *text)
{
	unsigned first, last;

	read_range(text, &first, &last);
	return (uint32_t)(ones(last - first + 1) << first);
}

static bool has_name(const struct uncore_event_info *event, const char *name)
{
	const char *alias;

	if (!strcasecmp(event->name, name))
		return true;
	for (size_t i = 0; (alias = uncore_event_info_alias(event, i)); i++)
		if (!strcasecmp(alias, name))
			return true;
	return false;
}

static bool look_up(const struct facts *facts, const char *box,
		    const char *name, struct uncore_event_info *event)
{
	for (size_t i = 0; uncore_family_event(facts->family, i, event); i++)
		if (!strcmp(event->box, box) && has_name(event, name))
			return true;
	return false;
}

/* The code of an event without unit masks is where the code belongs. */
static void check_select(const struct facts *facts,
			 const struct uncore_event_info *event, char **words,
			 bool by_flag)
{
	const struct place *select =
		find(facts->selects, facts->num_selects, words[1], NULL);
	const char *range = by_flag ? "21:19" : select ? select->name : NULL;
	struct counted counted;
	uint64_t control;

	if (event->num_unit_masks || !strcmp(words[3], "-") || !range)
		return;
	if (!encode(facts, words[1], words[2], &counted))
		wrong(facts, "%s cannot be encoded", words[2]);
	control = written(facts, &counted, words[1], "CTL");
	if (bits(range, control) != fitting(range, event->code) ||
	    (by_flag && !bits("7", control)))
		wrong(facts, "%s is chosen by 0x%llx", words[2],
		      (unsigned long long)control);
	free(counted.writes);
}

static void event_row(struct facts *facts, char **words, size_t num)
{
	struct uncore_event_info event;

	if (!look_up(facts, words[1], words[2], &event))
		wrong(facts, "there is no %s", words[2]);
	if (strcmp(words[3], "-") && event.code != strtoul(words[3], NULL, 16))
		wrong(facts, "%s has the code 0x%x", words[2], event.code);
	if (event.max_increment != strtoul(words[4], NULL, 10))
		wrong(facts, "%s adds up to %u", words[2], event.max_increment);
	if (event.counters != counters(words[5]))
		wrong(facts, "%s has the counters 0x%x", words[2],
		      event.counters);
	check_select(facts, &event, words, num > 6);
	facts->num_events++;
}

static void set_row(struct facts *facts, char **words, size_t num)
{
	struct counted counted;

	if (!encode(facts, words[1], words[2], &counted))
		wrong(facts, "%s cannot be encoded", words[2]);
	for (size_t i = 3; i < num; i++)
		check_set(facts, &counted, words[1], words[i]);
	free(counted.writes);
	facts->num_sets++;
}

static void absent_row(struct facts *facts, char **words)
{
	struct uncore_event_info event;

	if (look_up(facts, words[1], words[2], &event))
		wrong(facts, "there is %s", words[2]);
	facts->num_absent++;
}

static void place_row(struct place *places, size_t *num, char **words)
{
	struct place *place = &places[*num];

	assert_true(*num < MAX_PLACES);
	snprintf(place->box, sizeof(place->box), "%s", words[1]);
	snprintf(place->name, sizeof(place->name), "%s", words[2]);
	if (words[3])
		place->address = (uint32_t)strtoul(words[3], NULL, 16);
	++*num;
}

static void row(struct facts *facts, char **words, size_t num)
{
	if (!strcmp(words[0], "place"))
		place_row(facts->places, &facts->num_places, words);
	else if (!strcmp(words[0], "select"))
		place_row(facts->selects, &facts->num_selects, words);
	else if (!strcmp(words[0], "event") && num > 5)
		event_row(facts, words, num);
	else if (!strcmp(words[0], "set") && num > 3)
		set_row(facts, words, num);
	else if (!strcmp(words[0], "absent"))
		absent_row(facts, words);
	else
		wrong(facts, "'%s' is no row", words[0]);
}

static void read_facts(struct facts *facts, const char *file)
{
	FILE *stream = fopen(file, "r");
	char line[256];

	if (!stream)
		fail_msg("%s cannot be read", file);
	facts->file = file;
	facts->line = 0;
	while (fgets(line, sizeof(line), stream)) {
		char *words[MAX_WORDS] = { NULL }, *save = NULL;
		size_t num = 0;

		facts->line++;
		for (char *word = strtok_r(line, " \n", &save);
		     word && *word != '#' && num < MAX_WORDS - 1;
		     word = strtok_r(NULL, " \n", &save))
			words[num++] = word;
		if (num)
			row(facts, words, num);
	}
	fclose(stream);
}

/* The rows of both files hold, and the family has no event without one. */
static void the_family_is_what_the_sources_say(void **state)
{
	struct facts facts = { .family = uncore_family_find(*state) };
	struct uncore_event_info event;
	size_t num_events = 0;
	char file[64];

	assert_non_null(facts.family);
	read_facts(&facts, "tests/encode/facts-both.txt");
	snprintf(file, sizeof(file), "tests/encode/facts-%s.txt",
		 uncore_family_name(facts.family));
	read_facts(&facts, file);
	while (uncore_family_event(facts.family, num_events, &event))
		num_events++;
	if (facts.num_events != num_events)
		fail_msg("%zu events have a row, %s has %zu", facts.num_events,
			 uncore_family_name(facts.family), num_events);
	print_message("%s: %zu events, %zu settings, %zu absent\n",
		      uncore_family_name(facts.family), num_events,
		      facts.num_sets, facts.num_absent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(the_family_is_what_the_sources_say,
					  "xeon-e7"),
		cmocka_unit_test_prestate(the_family_is_what_the_sources_say,
					  "xeon-7500"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
