/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who has a line: the table of all lines of memory, which is kept from the
 * moment when a second core is used. A core that asks for a line takes it from
 * the others at once. So a line has one writer or some readers at every moment,
 * and the model is told in which order.
 */
#include "bridge/valgrind/core.h"

/* Of one line, before it counts as fought for. */
enum { MANY_TRANSFERS = 4 };

struct arena_line *holders_of(uint64_t line)
{
	return arena_line_of(arena, arena_frames_per_socket, arena->num_sockets,
			     line);
}

static bool is_fought_for(const struct arena_line *who)
{
	return who->transfers == MANY_TRANSFERS && contest_is_recent(who);
}

static void shorten_turns(struct arena_core *from)
{
	from->skew = 0;
	front.core->skew = 0;
	from->fought = from->clock + (uint64_t)from->ahead;
	front.core->fought = stream_clock() + (uint64_t)front.core->ahead;
	turns_shorten();
}

/* The line has gone from one core to another. Where it does so again and again,
 * the core that had it and this one take short turns for a while. */
static void note_transfer(uint64_t line, Addr address, struct arena_core *from)
{
	struct arena_busy *least = &arena->busy[0];
	struct arena_line *who = holders_of(line);
	unsigned i;

	if (is_fought_for(who))
		shorten_turns(from);
	contest_moves(who);
	if (who->transfers < MANY_TRANSFERS) {
		who->transfers++;
		return;
	}
	arena->num_transfers++;
	for (i = 0; i < ARENA_BUSY_LINES; i++) {
		struct arena_busy *busy = &arena->busy[i];

		if (busy->line == line && busy->transfers) {
			least = busy;
			break;
		}
		if (busy->transfers < least->transfers)
			least = busy;
	}
	/* who fights, not who looks at it or its neighbours in the end */
	if (!least->transfers || least->line != line) {
		least->line = line;
		least->address = address;
		least->pid = front.thread->pid;
		least->site = arena->has_sites ? objects_at(address).site : 0;
	}
	least->transfers++;
}

/* Takes the line, or (downgrade) the right to write to it, from a core; where
 * they fight for it (lends), after a while. */
static bool take(unsigned core, uint64_t line, bool downgrade, bool lends,
		 Addr address)
{
	struct arena_core *from = &arena->cores[core];
	enum privcache_state state = privcache_state(&from->cache, line);
	bool is_new = true;

	if (state == PRIVCACHE_NONE)
		return false;
	if (!lends || !contest_lends(from, line, downgrade, &is_new))
		privcache_invalidate(&from->cache, line, downgrade);
	if (is_new && (state == PRIVCACHE_DIRTY || !downgrade))
		note_transfer(line, address, from);
	return true;
}

static void take_from_all(uint64_t line, bool lends, Addr address)
{
	unsigned num = front_num_cores();
	unsigned i;

	for (i = 0; i < num; i++)
		if (i != front.core_number && arena->cores[i].is_used)
			take(i, line, false, lends, address);
}

static void ask_to_read(struct arena_line *who, struct uncore_access *access,
			bool lends, Addr address)
{
	uint8_t me = (uint8_t)(front.core_number + 1);

	if (who->core && who->core != me && !who->is_shared)
		who->is_shared = take(who->core - 1u, access->line, true, lends,
				      address);
	who->was_read = 1;
	who->reads++;
	access->is_read = 1;
	if (who->is_written && who->own_core) {
		access->has_writer = 1;
		access->writer = (uint8_t)(who->own_core - 1);
	}
}

static void ask_to_write(struct arena_line *who, struct uncore_access *access,
			 bool lends, Addr address)
{
	uint8_t me = (uint8_t)(front.core_number + 1);

	if (who->is_shared)
		take_from_all(access->line, lends, address);
	else if (who->core && who->core != me)
		take(who->core - 1u, access->line, false, lends, address);
	access->after_reads = who->was_read;
	access->target = who->reads;
	who->is_shared = 0;
	who->was_read = 0;
	who->is_written = access->kind != UNCORE_ACCESS_FLUSH;
	who->own_core = me;
	who->own_after = front.core->num_records + 1;
}

/* One that has been given away, and that the core kept for a while, is not
 * written back. Nobody has to wait for a clean one, of which others may have
 * copies, too. */
static void write_back(struct arena_line *who, struct uncore_access *access)
{
	uint8_t me = (uint8_t)(front.core_number + 1);

	if (who->core != me && !(access->is_clean && who->is_shared)) {
		access->kind = UNCORE_ACCESS_NONE;
		return;
	}
	if (access->is_clean)
		return;
	who->own_core = me;
	who->own_after = front.core->num_records + 1;
	who->is_written = 1;
}

/* The LLC of the core's socket asks for a line that the core does not get: from
 * whoever has it as for the core. With the right to write nobody has written
 * yet, but who asks next waits until this has begun. */
static void ask_for_llc(struct arena_line *who, struct uncore_access *access,
			Addr address)
{
	if (access->kind != UNCORE_ACCESS_OWN) {
		ask_to_read(who, access, false, address);
		return;
	}
	ask_to_write(who, access, false, address);
	who->is_written = 0;
}

static void wait_for_owner(const struct arena_line *who,
			   struct uncore_access *access)
{
	if (who->own_core == front.core_number + 1)
		return;
	access->after_core = who->own_core;
	access->after = who->own_after;
}

bool holders_ask(struct uncore_access *access, struct arena_line *who,
		 Addr address)
{
	uint8_t me = (uint8_t)(front.core_number + 1);
	bool lends;

	if (access->kind == UNCORE_ACCESS_WRITEBACK) {
		write_back(who, access);
		return false;
	}
	lends = is_fought_for(who);
	contest_asked = 0;
	wait_for_owner(who, access);
	if (access->to_llc) {
		ask_for_llc(who, access, address);
		return false;
	}
	switch (access->kind) {
	case UNCORE_ACCESS_READ:
		ask_to_read(who, access, lends, address);
		break;
	case UNCORE_ACCESS_CODE:
		ask_to_read(who, access, false, address);
		break;
	case UNCORE_ACCESS_OWN:
		ask_to_write(who, access, lends, address);
		break;
	case UNCORE_ACCESS_LOCK:
	case UNCORE_ACCESS_NT_WRITE:
	case UNCORE_ACCESS_NT_PART:
	case UNCORE_ACCESS_FLUSH:
		ask_to_write(who, access, false, address);
		break;
	default: access->after_core = 0; return false;
	}
	who->core = me;
	return contest_claims(access->line);
}

/* From now on. Until now one core had all lines that are in a cache. */
static void note_lines(unsigned core)
{
	uint32_t count = arena->cores[core].num_records;
	uint64_t lines[PRIVCACHE_MAX_WAYS];
	unsigned at = 0;
	unsigned num;
	unsigned i;

	while ((num = privcache_lines(&arena->cores[core].cache, &at, lines)))
		for (i = 0; i < num; i++) {
			struct arena_line *who = holders_of(lines[i]);

			who->core = (uint8_t)(core + 1);
			who->own_core = who->core;
			who->own_after = count;
		}
}

void holders_share(void)
{
	unsigned num = front_num_cores();
	unsigned i;

	arena->is_shared = 1;
	for (i = 0; i < num; i++)
		if (arena->cores[i].is_used)
			note_lines(i);
}
