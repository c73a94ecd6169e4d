/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A *node* is a counter to be found: one for all events of a kind, but several
 * where options (counter=, slot=) pull events of a kind apart. Nodes are made
 * one event after the other; only an event that would narrow a node has a
 * choice, and then both ways are tried. With the nodes known, slots and
 * counters do not depend on each other:
 *   - a content that is pinned to a slot has it; each other content takes a
 *     slot that is free;
 *   - counters are a bipartite matching, found by augmenting paths.
 * So what has a solution always gets one.
 */
#include "event/assign.h"

#include <string.h>

enum { MAX_NODES = 33, MAX_OWNERS = 128 };

struct node {
	const struct need *need; /* of the first event */
	uint32_t counters;
	uint8_t slots;
	int wish_counter, wish_slot;
	int counter, slot;
	bool keep;
};

/* A slot that has its content. */
struct owner {
	uint8_t family, slot;
	uint16_t content;
};

struct state {
	struct assign_item *items;
	size_t num;
	uint8_t *node_of; /* each item */
	struct node nodes[MAX_NODES];
	unsigned num_nodes, max_nodes;
	struct owner owners[MAX_OWNERS];
	unsigned num_owners;
	bool named; /* slots are those of the names */
	enum assign_result why;
};

static const struct owner *owner_of(const struct state *state, unsigned family,
				    unsigned slot)
{
	for (unsigned i = 0; i < state->num_owners; i++)
		if (state->owners[i].family == family &&
		    state->owners[i].slot == slot)
			return &state->owners[i];
	return NULL;
}

/* The content gets the slot, unless another one has it. */
static bool own(struct state *state, const struct hold *hold, unsigned slot)
{
	const struct owner *owner = owner_of(state, hold->family, slot);

	if (owner)
		return owner->content == hold->content;
	if (state->num_owners == MAX_OWNERS)
		return false;
	state->owners[state->num_owners++] =
		(struct owner){ hold->family, (uint8_t)slot, hold->content };
	return true;
}

static bool is_pinned(unsigned slots)
{
	return !(slots & (slots - 1));
}

static bool own_pinned(struct state *state)
{
	for (size_t i = 0; i < state->num; i++) {
		const struct need *need = state->items[i].need;

		for (unsigned h = need->has_home; h < need->num_holds; h++)
			if (!own(state, &need->holds[h],
				 (unsigned)__builtin_ctz(need->holds[h].slots)))
				return false;
	}
	for (unsigned n = 0; n < state->num_nodes; n++) {
		const struct node *node = &state->nodes[n];

		if (node->need->has_home && is_pinned(node->slots) &&
		    !own(state, &node->need->holds[0],
			 (unsigned)__builtin_ctz(node->slots)))
			return false;
	}
	return true;
}

/* The slot that a node gets: where its content is; the wished, the named, the
 * first free one; or -1. */
static int find_slot(const struct state *state, const struct node *node)
{
	const struct hold *home = &node->need->holds[0];
	int wishes[2] = { node->wish_slot, node->need->named };

	for (unsigned i = 0; i < state->num_owners; i++) {
		const struct owner *owner = &state->owners[i];

		if (owner->family == home->family &&
		    owner->content == home->content &&
		    node->slots >> owner->slot & 1)
			return owner->slot;
	}
	for (unsigned i = 0; i < 2; i++)
		if (wishes[i] >= 0 && node->slots >> wishes[i] & 1 &&
		    !owner_of(state, home->family, (unsigned)wishes[i]))
			return wishes[i];
	for (int s = 0; s < UC_MAX_TWINS; s++)
		if (node->slots >> s & 1 &&
		    !owner_of(state, home->family, (unsigned)s))
			return s;
	return -1;
}

/* Rounds: wishes to be kept, other wishes, names, the rest. */
static bool give_slots(struct state *state)
{
	state->num_owners = 0;
	if (!own_pinned(state))
		return false;
	for (unsigned round = 0; round < 4; round++)
		for (unsigned n = 0; n < state->num_nodes; n++) {
			struct node *node = &state->nodes[n];
			int slot;

			if (!node->need->has_home)
				continue;
			slot = find_slot(state, node);
			if ((round == 0 && !node->keep) ||
			    (round <= 1 && slot != node->wish_slot) ||
			    (round == 2 && slot != node->need->named))
				continue;
			if (slot < 0 ||
			    !own(state, &node->need->holds[0], (unsigned)slot))
				return false;
			node->slot = slot;
		}
	return true;
}

/* An augmenting path from a node; owner[c] is the node of counter c. */
static bool augment(struct state *state, unsigned n, int *owner,
		    uint32_t *visited)
{
	uint32_t free = state->nodes[n].counters & ~*visited;

	for (uint32_t rest = free; rest; rest &= rest - 1) {
		int c = __builtin_ctz(rest);

		if (owner[c] < 0) {
			owner[c] = (int)n;
			return true;
		}
	}
	for (uint32_t rest = free; rest; rest &= rest - 1) {
		int c = __builtin_ctz(rest);

		if (*visited >> c & 1)
			continue;
		*visited |= UINT32_C(1) << c;
		if (augment(state, (unsigned)owner[c], owner, visited)) {
			owner[c] = (int)n;
			return true;
		}
	}
	return false;
}

static void grant_wishes(struct state *state, bool keep, int *owner,
			 uint64_t *done)
{
	for (unsigned n = 0; n < state->num_nodes; n++) {
		const struct node *node = &state->nodes[n];
		int c = node->wish_counter;

		if (c < 0 || node->keep != keep || !(node->counters >> c & 1) ||
		    owner[c] >= 0)
			continue;
		owner[c] = (int)n;
		*done |= UINT64_C(1) << n;
	}
}

/* Nodes by the number of their counters, the fewest first. */
static void sort_nodes(const struct state *state, unsigned *order)
{
	unsigned room[MAX_NODES];

	for (unsigned n = 0; n < state->num_nodes; n++) {
		unsigned at = n;

		room[n] =
			(unsigned)__builtin_popcount(state->nodes[n].counters);
		for (; at > 0 && room[order[at - 1]] > room[n]; at--)
			order[at] = order[at - 1];
		order[at] = n;
	}
}

/* The events with the fewest counters to choose from come first. */
static bool give_counters(struct state *state)
{
	unsigned order[MAX_NODES];
	int owner[32];
	uint64_t done = 0;

	memset(owner, -1, sizeof(owner));
	grant_wishes(state, true, owner, &done);
	grant_wishes(state, false, owner, &done);
	sort_nodes(state, order);
	for (unsigned i = 0; i < state->num_nodes; i++) {
		uint32_t visited = 0;

		if (!(done >> order[i] & 1) &&
		    !augment(state, order[i], owner, &visited))
			return false;
	}
	for (int c = 0; c < 32; c++)
		if (owner[c] >= 0)
			state->nodes[owner[c]].counter = c;
	return true;
}

static bool finish(struct state *state)
{
	if (!give_slots(state)) {
		state->why = ASSIGN_NO_SLOT;
		return false;
	}
	if (!give_counters(state)) {
		state->why = ASSIGN_NO_COUNTER;
		return false;
	}
	for (size_t i = 0; i < state->num; i++) {
		const struct node *node = &state->nodes[state->node_of[i]];

		state->items[i].counter = (unsigned)node->counter;
		state->items[i].slot = (unsigned)node->slot;
	}
	return true;
}

static unsigned slots_of(const struct state *state, const struct need *need)
{
	if (!need->has_home)
		return 0;
	if (state->named && need->named >= 0)
		return 1u << need->named;
	return need->holds[0].slots;
}

static bool place(struct state *state, size_t i);

static bool new_node(struct state *state, size_t i, unsigned slots)
{
	const struct assign_item *item = &state->items[i];
	unsigned n = state->num_nodes;
	bool done;

	if (n == state->max_nodes) {
		state->why = ASSIGN_NO_COUNTER;
		return false;
	}
	state->nodes[n] = (struct node){
		.need = item->need,
		.counters = item->need->counters,
		.slots = (uint8_t)slots,
		.wish_counter = item->wish_counter,
		.wish_slot = item->wish_slot,
		.keep = item->keep,
	};
	state->node_of[i] = (uint8_t)n;
	state->num_nodes++;
	done = place(state, i + 1);
	state->num_nodes = n;
	return done;
}

/* The node that takes the event as it is, or -1. */
static int same_node(const struct state *state, const struct need *need,
		     unsigned slots)
{
	for (unsigned n = 0; n < state->num_nodes; n++) {
		const struct node *node = &state->nodes[n];

		if (node->need->kind == need->kind &&
		    !(node->counters & ~need->counters) &&
		    !(node->slots & ~slots))
			return (int)n;
	}
	return -1;
}

static bool narrow(struct state *state, size_t i, unsigned n, unsigned slots)
{
	const struct need *need = state->items[i].need;
	struct node *node = &state->nodes[n];
	struct node old = *node;

	if (node->need->kind != need->kind ||
	    !(node->counters & need->counters) ||
	    (need->has_home && !(node->slots & slots)))
		return false;
	node->counters &= need->counters;
	node->slots &= (uint8_t)slots;
	state->node_of[i] = (uint8_t)n;
	if (place(state, i + 1))
		return true;
	state->nodes[n] = old;
	return false;
}

static bool place(struct state *state, size_t i)
{
	const struct need *need;
	unsigned slots;
	int same;

	if (i == state->num)
		return finish(state);
	need = state->items[i].need;
	slots = slots_of(state, need);
	same = same_node(state, need, slots);
	if (same >= 0) {
		state->node_of[i] = (uint8_t)same;
		if (state->nodes[same].wish_counter < 0 ||
		    (state->items[i].keep && !state->nodes[same].keep))
			state->nodes[same].wish_counter =
				state->items[i].wish_counter;
		return place(state, i + 1);
	}
	for (unsigned n = 0; n < state->num_nodes; n++)
		if (narrow(state, i, n, slots))
			return true;
	return new_node(state, i, slots);
}

static enum assign_result try_assign(struct assign_item *items, size_t num,
				     bool named)
{
	uint8_t node_of[num];
	struct state state;

	state.items = items;
	state.num = num;
	state.node_of = node_of;
	state.num_nodes = 0;
	state.max_nodes = items->need->event->box->num_counters +
			  items->need->event->box->num_fixed;
	state.named = named;
	if (state.max_nodes > MAX_NODES)
		state.max_nodes = MAX_NODES;
	return place(&state, 0) ? ASSIGN_FITS : state.why;
}

enum assign_result assign(struct assign_item *items, size_t num)
{
	bool named = false;

	if (!num)
		return ASSIGN_FITS;
	for (size_t i = 0; i < num; i++)
		named |= items[i].need->named >= 0;
	if (named && try_assign(items, num, true) == ASSIGN_FITS)
		return ASSIGN_FITS;
	return try_assign(items, num, false);
}

/* Whether there are more kinds than a box has counters: what is of two kinds
 * never shares one, so nothing has to be tried. */
static bool are_too_many(const struct need *const *needs, size_t num)
{
	const struct uc_box *box = needs[0]->event->box;
	unsigned most = box->num_counters + box->num_fixed, kinds = 0;
	unsigned firsts[MAX_NODES];

	for (size_t i = 0; i < num; i++) {
		unsigned k = 0;

		while (k < kinds && needs[firsts[k]]->kind != needs[i]->kind)
			k++;
		if (k < kinds)
			continue;
		if (kinds == most || kinds == MAX_NODES)
			return true;
		firsts[kinds++] = (unsigned)i;
	}
	return false;
}

enum assign_result assign_without_wish(const struct need *const *needs,
				       size_t num)
{
	struct assign_item items[num ? num : 1];

	if (num && are_too_many(needs, num))
		return ASSIGN_NO_COUNTER;
	for (size_t i = 0; i < num; i++)
		items[i] = (struct assign_item){
			.need = needs[i],
			.wish_counter = NEED_ANY,
			.wish_slot = NEED_ANY,
		};
	return num ? try_assign(items, num, false) : ASSIGN_FITS;
}

bool assign_fits(const struct need *const *needs, size_t num)
{
	return assign_without_wish(needs, num) == ASSIGN_FITS;
}
