/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What filter options make of the registers lets pass exactly what was asked
 * for; and where they refuse, the two nearest that they name are allowed, hold
 * what they say, and nothing is nearer: all by trying everything, against the
 * guide's rules written down here once more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filter_rig.h"

enum { NUM_RANGES = 1500, NUM_SETS = 120 };

static const char *const machines[] = { "xeon-e7", "xeon-7500" };

/* Addresses: which bits of the registers hold which address bits. */
struct rule {
	const char *event;
	unsigned low, top;	    /* address bits compared: top - 1 to low */
	unsigned match_at, mask_at; /* register bits of address bit `low` */
	bool one_compares;
};

static const struct rule rules[] = {
	/* Tables 2-33, 2-35: match 42:5, mask 38:1 for 43:6. */
	{ "sbox0/TO_R_PROG_EV", 6, 44, 5, 1, false },
	/* Tables 2-22, 2-23: 43:0 for 49:6. */
	{ "bbox0/ADDR_IN_MATCH", 6, 50, 0, 0, true },
	{ "bbox0/MSG_OPCODE_ADDR_IN_MATCH,mc=HOM0,opc=RdData", 6, 50, 0, 0,
	  true },
	/* Tables 2-71, 2-72: match 33:0 as they are, mask 27:0 for 33:6. */
	{ "mbox0/DRAM_CMD.RAS", 6, 34, 6, 0, false },
	{ "mbox0/DRAM_CMD.ALL", 6, 34, 6, 0, false },
};

static uint64_t ones(unsigned bits)
{
	return bits ? ~UINT64_C(0) >> (64 - bits) : 0;
}

/* The address bits that are compared, as a mask over addresses. */
static uint64_t compared(const struct rule *rule,
			 const struct filter_regs *regs)
{
	uint64_t all = ones(rule->top - rule->low);
	uint64_t mask = regs->mask >> rule->mask_at & all;

	return (rule->one_compares ? mask : ~mask & all) << rule->low;
}

static bool passes(const struct rule *rule, const struct filter_regs *regs,
		   uint64_t address)
{
	uint64_t match = regs->match >> rule->match_at << rule->low;

	return !((address ^ match) & compared(rule, regs));
}

static bool try_range(const char *machine, const struct rule *rule,
		      uint64_t first, uint64_t last, struct filter_regs *regs,
		      char **error)
{
	char text[256];

	snprintf(text, sizeof(text), "%s,addr=0x%llx..0x%llx/", rule->event,
		 (unsigned long long)first, (unsigned long long)last);
	return filter_encode_text(machine, text, regs, error);
}

static void check_exact(const struct rule *rule, const struct filter_regs *regs,
			uint64_t first, uint64_t last)
{
	uint64_t granule = UINT64_C(1) << rule->low;
	uint64_t window = 1024 * granule, size = last - first + 1;
	uint64_t from = first > window ? first - window : 0;
	uint64_t to = first + 2 * window;
	unsigned ignored;

	for (uint64_t at = from; at < to && at < UINT64_C(1) << rule->top;
	     at += granule) {
		bool inside = at >= first && at <= last;

		if (passes(rule, regs, at) != inside)
			fail_msg("%s: 0x%llx in 0x%llx..0x%llx", rule->event,
				 (unsigned long long)at,
				 (unsigned long long)first,
				 (unsigned long long)last);
	}
	assert_true(passes(rule, regs, first));
	assert_true(passes(rule, regs, last));
	/* As many pass as there are, so there are no others far away. */
	ignored = rule->top - rule->low -
		  (unsigned)__builtin_popcountll(compared(rule, regs));
	assert_true(size == granule << ignored);
}

/* The number behind the nth "addr=" or ".." of a sentence. */
static const char *after(const char *text, const char *what)
{
	const char *found = strstr(text, what);

	return found ? found + strlen(what) : NULL;
}

static void check_nearest(const char *machine, const struct rule *rule,
			  uint64_t first, uint64_t last, const char *error)
{
	uint64_t granule = UINT64_C(1) << rule->low;
	const char *outer = after(error, "nearest: addr="), *inner;
	uint64_t a, b, best = 0;
	struct filter_regs regs;
	char *end;

	if (!outer)
		fail_msg("no suggestion in: %s", error);
	a = strtoull(outer, &end, 0);
	b = strtoull(end + 2, NULL, 0);
	assert_true(try_range(machine, rule, a, b, &regs, NULL));
	assert_true(a <= first && b >= last);
	/* No smaller block holds both ends. */
	for (unsigned bits = rule->low; ones(bits) < b - a; bits++)
		assert_true(first >> bits != last >> bits);
	/* The largest block inside, by looking at all of them. */
	for (unsigned bits = rule->low; bits <= rule->top; bits++)
		for (uint64_t at = first >> bits << bits; at <= last;
		     at += UINT64_C(1) << bits)
			if (at >= first && at + ones(bits) <= last)
				best = ones(bits) + 1;
	inner = after(error, "holds all of it, addr=");
	assert_int_equal(!inner, !best);
	if (!inner)
		return;
	a = strtoull(inner, &end, 0);
	b = strtoull(end + 2, NULL, 0);
	assert_true(try_range(machine, rule, a, b, &regs, NULL));
	assert_true(a >= first && b <= last);
	assert_true(b - a + 1 == best);
	check_exact(rule, &regs, a, b);
	assert_true(best >= granule);
}

static bool is_block(const struct rule *rule, uint64_t first, uint64_t last)
{
	uint64_t size = last - first + 1;

	return !(size & (size - 1)) && !(first & (size - 1)) &&
	       size >= UINT64_C(1) << rule->low;
}

static void random_range(const struct rule *rule, uint64_t *first,
			 uint64_t *last)
{
	uint64_t granule = UINT64_C(1) << rule->low;
	unsigned bits = rule->low + (unsigned)filter_random(9);
	uint64_t room = UINT64_C(1) << rule->top;

	*first = filter_random(room - 1024 * granule);
	if (filter_random(2)) /* often a block */
		*first = *first >> bits << bits;
	else if (filter_random(2))
		*first = *first / granule * granule;
	*last = *first + (UINT64_C(1) << bits) - 1;
	if (filter_random(2))
		*last = *first + filter_random(300 * granule);
}

static void ranges_are_exact_or_refused_with_the_nearest(void **state)
{
	unsigned num_exact = 0, num_refused = 0;

	(void)state;
	for (unsigned i = 0; i < NUM_RANGES; i++) {
		const char *machine = machines[i % 2];
		const struct rule *rule = &rules[i / 2 % 5];
		struct filter_regs regs;
		uint64_t first, last;
		char *error = NULL;
		bool fine;

		random_range(rule, &first, &last);
		fine = try_range(machine, rule, first, last, &regs, &error);
		assert_int_equal(fine, is_block(rule, first, last));
		if (fine)
			check_exact(rule, &regs, first, last);
		else
			check_nearest(machine, rule, first, last, error);
		num_exact += fine;
		num_refused += !fine;
		free(error);
	}
	assert_true(num_exact > NUM_RANGES / 10);
	assert_true(num_refused > NUM_RANGES / 10);
}

static void the_forms_of_an_address_say_the_same(void **state)
{
	static const char *const same[][2] = {
		{ "addr=0x12345678", "addr=0x12345640..0x1234567f" },
		{ "addr=0x10000+64K", "addr=0x10000..0x1ffff" },
		{ "addr=1G+1G", "addr=0x40000000..0x7fffffff" },
		{ "addr=4M..0x7fffff", "addr=4194304+4m" },
		{ "addr=0+0x40", "addr=63" },
	};

	(void)state;
	for (unsigned r = 0; r < 5; r++)
		for (unsigned i = 0; i < 5; i++) {
			struct filter_regs regs[2];
			char text[256];

			for (unsigned n = 0; n < 2; n++) {
				snprintf(text, sizeof(text), "%s,%s/",
					 rules[r].event, same[i][n]);
				assert_true(filter_encode_text(
					machines[r % 2], text, &regs[n], NULL));
			}
			assert_memory_equal(&regs[0], &regs[1],
					    sizeof(regs[0]));
		}
}

/* Sets of opcodes: bit n of a set is pair number n of the family. */
__extension__ typedef unsigned __int128 pair_set;

#define PAIR(n) ((pair_set)1 << (n))

static unsigned size_of(pair_set set)
{
	return (unsigned)(__builtin_popcountll((uint64_t)set) +
			  __builtin_popcountll((uint64_t)(set >> 64)));
}

struct universe {
	const char *machine;
	uint8_t pairs[128];
	const char *names[256];
	unsigned num;
};

static void learn(struct universe *u, const char *machine)
{
	*u = (struct universe){ .machine = machine };
	u->num = filter_pairs(machine, u->pairs, u->names);
	assert_in_range(u->num, 40, 128);
}

/* B-Box and R-Box: opcode and class, each with mask bits that compare. */
struct fields {
	const char *event;
	unsigned class_at, opcode_at;
};

static const struct fields masked[] = {
	/* Table 2-22: msg_in 47:44, opc_in 55:52. */
	{ "bbox0/MSG_OPCODE_IN_MATCH", 44, 52 },
	{ "bbox0/MSG_OPCODE_OUT_MATCH", 48, 56 },
	/* Table 2-51: MC 12:9, OPC 8:5. */
	{ "rbox/PACKETS,port=0", 9, 5 },
};

static pair_set passed_masked(const struct universe *u, unsigned value,
			      unsigned care)
{
	pair_set set = 0;

	for (unsigned n = 0; n < u->num; n++)
		if (!((u->pairs[n] ^ value) & care))
			set |= PAIR(n);
	return set;
}

static pair_set set_of_masked(const struct universe *u, const struct fields *f,
			      const struct filter_regs *regs)
{
	unsigned value = (unsigned)(regs->match >> f->class_at & 15) << 4 |
			 (unsigned)(regs->match >> f->opcode_at & 15);
	unsigned care = (unsigned)(regs->mask >> f->class_at & 15) << 4 |
			(unsigned)(regs->mask >> f->opcode_at & 15);

	return passed_masked(u, value, care);
}

/* S-Box, Tables 2-33 and 2-34, typed in: class bits 43 up, opcodes 48 up. */
static const struct {
	uint8_t class, opcode, class_bit, bit;
} onehots[] = {
	{ 0, 1, 43, 48 },   { 0, 2, 43, 49 },	{ 0, 4, 43, 50 },
	{ 0, 8, 43, 51 },   { 0, 9, 43, 52 },	{ 0, 12, 43, 53 },
	{ 0, 13, 43, 54 },  { 0, 15, 43, 55 },	{ 1, 0, 44, 48 },
	{ 1, 1, 44, 49 },   { 1, 4, 44, 50 },	{ 1, 9, 44, 51 },
	{ 1, 10, 44, 52 },  { 1, 11, 44, 53 },	{ 1, 12, 44, 54 },
	{ 1, 13, 44, 55 },  { 1, 14, 44, 56 },	{ 2, 8, 45, 48 },
	{ 2, 4, 45, 49 },   { 4, 0, 46, 48 },	{ 4, 1, 46, 49 },
	{ 4, 3, 46, 50 },   { 4, 4, 46, 51 },	{ 4, 5, 46, 52 },
	{ 4, 7, 46, 54 },   { 4, 9, 46, 55 },	{ 4, 11, 46, 57 },
	{ 4, 12, 46, 58 },  { 12, 0, 47, 48 },	{ 12, 1, 47, 49 },
	{ 12, 8, 47, 50 },  { 12, 9, 47, 51 },	{ 12, 10, 47, 52 },
	{ 12, 11, 47, 53 }, { 12, 12, 47, 54 }, { 12, 13, 47, 55 },
	{ 12, 15, 47, 56 },
};

enum { NUM_ONEHOTS = sizeof(onehots) / sizeof(onehots[0]) };

static pair_set pair_bit(const struct universe *u, unsigned class,
			 unsigned opcode)
{
	for (unsigned n = 0; n < u->num; n++)
		if (u->pairs[n] == class * 16 + opcode)
			return PAIR(n);
	fail_msg("class %u has no opcode %u", class, opcode);
	return 0;
}

static pair_set set_of_onehot(const struct universe *u, uint64_t match)
{
	pair_set set = 0;

	for (unsigned i = 0; i < NUM_ONEHOTS; i++)
		if (match >> onehots[i].class_bit & 1 &&
		    match >> onehots[i].bit & 1)
			set |= pair_bit(u, onehots[i].class, onehots[i].opcode);
	return set;
}

struct best {
	pair_set wanted;
	bool exact;
	unsigned least, most; /* sizes of the nearest sets */
};

static void consider(struct best *best, pair_set set)
{
	unsigned size = size_of(set);

	best->exact = best->exact || set == best->wanted;
	if (!(best->wanted & ~set) && size < best->least)
		best->least = size;
	if (!(set & ~best->wanted) && size > best->most)
		best->most = size;
}

/* Every match under every mask. */
static struct best best_masked(const struct universe *u, pair_set wanted)
{
	struct best best = { .wanted = wanted, .least = 99 };

	for (unsigned care = 0; care < 256; care++)
		for (unsigned value = care;; value = (value - 1) & care) {
			consider(&best, passed_masked(u, value, care));
			if (!value)
				break;
		}
	return best;
}

/* Every set of classes with every set of opcode bits. */
static struct best best_onehot(const struct universe *u, pair_set wanted)
{
	struct best best = { .wanted = wanted, .least = 99 };
	pair_set passed[5][11] = { { 0 } };

	for (unsigned c = 0; c < 5; c++)
		for (unsigned b = 0; b < 11; b++)
			passed[c][b] = set_of_onehot(
				u, UINT64_C(1) << (43 + c) |
					   UINT64_C(1) << (48 + b));
	for (unsigned classes = 1; classes < 32; classes++) {
		pair_set by_bit[11] = { 0 };

		for (unsigned c = 0; c < 5; c++)
			for (unsigned b = 0; b < 11 && classes >> c & 1; b++)
				by_bit[b] |= passed[c][b];
		for (unsigned bits = 1; bits < 2048; bits++) {
			pair_set set = 0;

			for (unsigned b = 0; b < 11; b++)
				set |= bits >> b & 1 ? by_bit[b] : 0;
			consider(&best, set);
		}
	}
	return best;
}

/* A few opcodes of one class, or of two; only such as the S-Box knows. */
static pair_set random_set(const struct universe *u, bool onehot)
{
	pair_set known = 0, set = 0;
	unsigned wanted = 1 + (unsigned)filter_random(4);
	unsigned class = u->pairs[filter_random(u->num)] >> 4;
	unsigned other = u->pairs[filter_random(u->num)] >> 4;
	bool two = !filter_random(3);

	for (unsigned i = 0; i < NUM_ONEHOTS; i++)
		known |= pair_bit(u, onehots[i].class, onehots[i].opcode);
	for (unsigned tries = 0; tries < 400 && size_of(set) < wanted;
	     tries++) {
		unsigned n = (unsigned)filter_random(u->num);
		unsigned of = u->pairs[n] >> 4;

		if ((of == class || (two && of == other)) &&
		    (!onehot || known >> n & 1))
			set |= PAIR(n);
	}
	return set;
}

static void text_of(const struct universe *u, const char *event, pair_set set,
		    char *text, size_t size)
{
	int at = snprintf(text, size, "%s,opc=", event);
	const char *between = "";

	for (unsigned n = 0; n < u->num; n++) {
		if (!(set >> n & 1))
			continue;
		at += snprintf(text + at, size - (size_t)at, "%s%s", between,
			       u->names[u->pairs[n]]);
		between = "|";
	}
	snprintf(text + at, size - (size_t)at, "/");
}

/* The set that a pasted suggestion gives. */
static pair_set pasted(const struct universe *u, const char *event,
		       const struct fields *f, const char *suggestion)
{
	struct filter_regs regs;
	char text[2048];

	snprintf(text, sizeof(text), "%s,%.*s/", event,
		 (int)strcspn(suggestion, " "), suggestion);
	if (!filter_encode_text(u->machine, text, &regs, NULL))
		fail_msg("%s was suggested and is refused", text);
	return f ? set_of_masked(u, f, &regs) : set_of_onehot(u, regs.match);
}

static bool check_set(const struct universe *u, const char *event,
		      const struct fields *f, pair_set wanted)
{
	struct best best = f ? best_masked(u, wanted) : best_onehot(u, wanted);
	struct filter_regs regs;
	const char *outer, *inner;
	char text[2048], *error = NULL;
	pair_set set;
	bool fine;

	text_of(u, event, wanted, text, sizeof(text));
	fine = filter_encode_text(u->machine, text, &regs, &error);
	if (fine != best.exact)
		fail_msg("%s: %s", text, fine ? "encoded" : error);
	if (fine) {
		set = f ? set_of_masked(u, f, &regs)
			: set_of_onehot(u, regs.match);
		if (set != wanted)
			fail_msg("%s lets others pass", text);
		return true;
	}
	outer = after(error, "nearest: ");
	inner = after(error, "holds all of them, ");
	if (!outer || !inner)
		fail_msg("%s: no suggestion in: %s", text, error);
	set = pasted(u, event, f, outer);
	assert_true(!(wanted & ~set));
	assert_int_equal(size_of(set), best.least);
	set = pasted(u, event, f, inner);
	assert_true(!(set & ~wanted));
	assert_int_equal(size_of(set), best.most);
	free(error);
	return false;
}

static void check_sets(const struct fields *fields, unsigned num_fields)
{
	unsigned num_exact = 0, num_tried = 0;
	struct universe u;

	for (unsigned i = 0; i < NUM_SETS; i++) {
		const struct fields *f =
			fields ? &fields[i % num_fields] : NULL;
		const char *event = f ? f->event : "sbox0/TO_R_PROG_EV";
		pair_set set;

		learn(&u, machines[i / 3 % 2]);
		set = random_set(&u, !f);
		/* The S-Box has no bit for some classes. */
		if (!set)
			continue;
		num_exact += check_set(&u, event, f, set);
		num_tried++;
	}
	assert_in_range(num_exact, num_tried / 10, num_tried * 9 / 10);
}

static void sets_of_opcodes_are_exact_or_refused_with_the_nearest(void **state)
{
	(void)state;
	check_sets(masked, 3);
}

static void sets_of_onehot_opcodes_likewise(void **state)
{
	(void)state;
	check_sets(NULL, 0);
}

/* All sets of states, networks, and some of nodes, by trying all masks. */
struct choices {
	const char *option;
	const char *names[5];
	unsigned codes[5]; /* bit n: code n */
	unsigned num, bits, at;
};

static const struct choices choices[] = {
	/* Table 2-51: RDS 51:48, bits that exclude each other; VNW 4:3. */
	{ "state",
	  { "M", "E", "S", "F", "I" },
	  { 1 << 8, 1 << 4, 1 << 2, 1 << 1, 1 << 0 },
	  5,
	  4,
	  48 },
	{ "vn", { "VN0", "VN1", "VNA" }, { 1, 2, 4 | 8 }, 3, 2, 3 },
};

static unsigned choices_in(const struct choices *c, unsigned value,
			   unsigned care, bool *whole)
{
	unsigned set = 0;

	*whole = true;
	for (unsigned n = 0; n < c->num; n++) {
		unsigned in = 0;

		for (unsigned code = 0; code < 16; code++)
			if (c->codes[n] >> code & 1 && !((code ^ value) & care))
				in |= 1u << code;
		if (in == c->codes[n])
			set |= 1u << n;
		else if (in)
			*whole = false;
	}
	return set;
}

static void check_choice(const char *machine, const struct choices *c,
			 unsigned wanted)
{
	struct best best = { .wanted = wanted, .least = 99 };
	struct filter_regs regs;
	char text[256], *error = NULL;
	unsigned width = (1u << c->bits) - 1;
	const char *between = "";
	bool fine, whole;
	int at;

	for (unsigned care = 0; care <= width; care++)
		for (unsigned value = 0; value <= width; value++) {
			unsigned set = choices_in(c, value, care, &whole);

			if (whole)
				consider(&best, set);
		}
	at = snprintf(text, sizeof(text), "rbox/PACKETS,port=0,%s=", c->option);
	for (unsigned n = 0; n < c->num; n++) {
		if (!(wanted >> n & 1))
			continue;
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%s",
			       between, c->names[n]);
		between = "|";
	}
	snprintf(text + at, sizeof(text) - (size_t)at, "/");
	fine = filter_encode_text(machine, text, &regs, &error);
	if (fine != best.exact)
		fail_msg("%s: %s", text, fine ? "encoded" : error);
	if (fine) {
		unsigned value = (unsigned)(regs.match >> c->at) & width;
		unsigned care = (unsigned)(regs.mask >> c->at) & width;

		assert_int_equal(choices_in(c, value, care, &whole), wanted);
	} else {
		char of[64];

		snprintf(of, sizeof(of), "nearest: %s=", c->option);
		assert_non_null(after(error, of));
		snprintf(of, sizeof(of), "of them, %s=", c->option);
		assert_non_null(after(error, of));
	}
	free(error);
}

static void sets_of_states_and_networks_likewise(void **state)
{
	(void)state;
	for (unsigned m = 0; m < 2; m++)
		for (unsigned i = 0; i < 2; i++)
			for (unsigned set = 1; set < 1u << choices[i].num;
			     set++)
				check_choice(machines[m], &choices[i], set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_exact_or_refused_with_the_nearest),
		cmocka_unit_test(the_forms_of_an_address_say_the_same),
		cmocka_unit_test(
			sets_of_opcodes_are_exact_or_refused_with_the_nearest),
		cmocka_unit_test(sets_of_onehot_opcodes_likewise),
		cmocka_unit_test(sets_of_states_and_networks_likewise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
