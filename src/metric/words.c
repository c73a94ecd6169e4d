/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Words of a line: plain ones, "quoted ones", key=value and key="value".
 */
#include "metric/words.h"

#include <ctype.h>
#include <string.h>

static bool is_blank(char character)
{
	return character == ' ' || character == '\t' || character == '\r';
}

static void wrong(struct words *words, const char *at, const char *expected)
{
	if (words->wrong)
		return;
	words->wrong = (unsigned)(at - words->copy) + 1;
	words->expected = expected;
}

/* The word in quotes that begins at `at`; returns what follows it. */
static char *quoted(struct words *words, struct word *word, char *at)
{
	char *end = strchr(at + 1, '"');

	word->text = at + 1;
	word->is_quoted = true;
	if (!end) {
		wrong(words, at, "a \" that ends the text begun here");
		return at + strlen(at);
	}
	*end = 0;
	if (end[1] && !is_blank(end[1]))
		wrong(words, end + 1, "a blank after the \"");
	return end + 1;
}

static char *one_word(struct words *words, char *at)
{
	struct word *word;
	char *end = at;

	if (words->num == WORDS_MAX) {
		wrong(words, at, "the end of the line: it has too many words");
		return at + strlen(at);
	}
	word = &words->words[words->num++];
	word->column = (unsigned)(at - words->copy) + 1;
	if (*at == '"')
		return quoted(words, word, at);
	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	if (end > at && *end == '=') {
		word->key = at;
		*end = 0;
		at = end + 1;
		word->column = (unsigned)(at - words->copy) + 1;
		if (*at == '"')
			return quoted(words, word, at);
	}
	word->text = at;
	for (end = at; *end && !is_blank(*end);)
		end++;
	if (*end)
		*end++ = 0;
	return end;
}

void words_split(struct arena *arena, const char *line, size_t length,
		 struct words *words)
{
	char *at;

	*words = (struct words){ .copy = arena_text(arena, line, length) };
	at = words->copy;
	words->is_child = at[0] == '\t' || (at[0] == ' ' && at[1] == ' ');
	while (!words->wrong) {
		while (is_blank(*at))
			at++;
		if (!*at)
			break;
		at = one_word(words, at);
	}
}

const struct word *words_key(const struct words *words, const char *key)
{
	for (size_t i = 0; i < words->num; i++)
		if (words->words[i].key && !strcmp(words->words[i].key, key))
			return &words->words[i];
	return NULL;
}

const struct word *words_plain(const struct words *words, size_t index)
{
	for (size_t i = 0; i < words->num; i++)
		if (!words->words[i].key && index-- == 0)
			return &words->words[i];
	return NULL;
}
