/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/pmu/facts.h"

#include <stdlib.h>

#include "model/pmu/tap.h"
#include "model/sim/bug.h"

struct facts_note {
	struct sigbank *bank;
	uint32_t header; /* its number, or no_header */
	uint16_t id, n;
};

enum { FIRST_ROOM = 256 };
static const uint32_t no_header = UINT32_MAX;

void facts_init(struct facts_book *book)
{
	*book = (struct facts_book){ .edition = 1 };
}

void facts_fini(struct facts_book *book)
{
	free(book->notes);
	free(book->headers);
}

static void *with_room(void *array, unsigned num, unsigned *room, size_t size)
{
	if (num < *room)
		return array;
	*room = *room ? *room * 2 : FIRST_ROOM;
	array = realloc(array, *room * size);
	if (!array)
		bug_no_memory();
	return array;
}

void facts_renew(struct facts_book *book, unsigned num_changes)
{
	if (book->num_changes == num_changes)
		return;
	book->num_changes = num_changes;
	book->edition++;
	book->num_notes = book->num_headers = 0;
}

void facts_publish(struct facts_book *book)
{
	struct facts *facts = book->counted;

	for (; facts; facts = facts->next) {
		const struct facts_note *note = book->notes + facts->first;
		const struct facts_note *end = note + facts->num;

		for (; note != end; note++) {
			uint64_t n = (uint64_t)note->n * facts->times;

			if (note->header == no_header)
				sig_past(note->bank, note->id, n);
			else
				sig_past_packets(note->bank, note->id, n,
						 book->headers + note->header);
		}
		facts->times = 0;
	}
	book->counted = NULL;
}

void facts_tell_urgent(const struct facts_book *book, const struct facts *facts)
{
	const struct facts_note *note = book->notes + facts->first;
	const struct facts_note *end = note + facts->num;

	for (; note != end; note++)
		tap_fact(note->bank, note->id, note->n,
			 note->header == no_header
				 ? NULL
				 : book->headers + note->header);
}

void facts_note(struct facts_book *book, struct facts *facts)
{
	if (book->noted)
		return;
	book->noted = facts;
	book->num_around = book->num_apart;
	book->num_apart = 0;
	book->is_lost = false;
	facts->is_urgent = false;
	facts->first = book->num_notes;
	book->first_header = book->num_headers;
}

void facts_end(struct facts_book *book, const struct facts *facts)
{
	struct facts *noted = book->noted;

	if (noted != facts)
		return;
	book->noted = NULL;
	book->num_apart = book->num_around;
	if (book->is_lost) {
		book->num_notes = noted->first;
		book->num_headers = book->first_header;
		return;
	}
	noted->num = book->num_notes - noted->first;
	noted->edition = book->edition;
}

static void keep(struct facts_book *book, struct sigbank *bank, unsigned id,
		 unsigned n, uint32_t header)
{
	book->is_lost |= n > UINT16_MAX;
	book->noted->is_urgent |= tap_has_urgent(bank, id);
	book->notes = with_room(book->notes, book->num_notes, &book->notes_room,
				sizeof(*book->notes));
	book->notes[book->num_notes++] =
		(struct facts_note){ bank, header, (uint16_t)id, (uint16_t)n };
}

static bool is_noted(const struct facts_book *book)
{
	return book->noted && !book->num_apart;
}

void facts_tell_heard(struct facts_book *book, struct sigbank *bank,
		      unsigned id, unsigned n)
{
	if (is_noted(book) && n)
		keep(book, bank, id, n, no_header);
	sig_past(bank, id, n);
	tap_fact(bank, id, n, NULL);
}

void facts_tell_packet_heard(struct facts_book *book, struct sigbank *bank,
			     unsigned id, const struct sig_header *header)
{
	if (is_noted(book)) {
		book->is_lost |= sig_is_address_seen(bank, id);
		book->headers =
			with_room(book->headers, book->num_headers,
				  &book->headers_room, sizeof(*book->headers));
		book->headers[book->num_headers] = *header;
		keep(book, bank, id, 1, book->num_headers++);
	}
	sig_past_packets(bank, id, 1, header);
	tap_fact(bank, id, 1, header);
}
