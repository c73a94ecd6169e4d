/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the cores and devices of random_rig.h do. A core keeps the rules that
 * every traffic keeps: it asks for what its private caches do not have, and
 * gives back what it has written to.
 */
#include "random_rig.h"

/* How likely a kind is, where a seed has it at all. */
static const struct {
	uint8_t kind;
	uint8_t likely; /* of a round: out of 4 */
	uint16_t most;	/* its weight there, at most */
} kinds[] = {
	{ UNCORE_ACCESS_READ, 4, 1000 },    { UNCORE_ACCESS_OWN, 4, 800 },
	{ UNCORE_ACCESS_CODE, 2, 200 },	    { UNCORE_ACCESS_WRITEBACK, 1, 100 },
	{ UNCORE_ACCESS_UC_READ, 2, 60 },   { UNCORE_ACCESS_UC_WRITE, 2, 60 },
	{ UNCORE_ACCESS_WC_WRITE, 2, 60 },  { UNCORE_ACCESS_IO_READ, 1, 40 },
	{ UNCORE_ACCESS_IO_WRITE, 1, 40 },  { UNCORE_ACCESS_CFG_READ, 1, 40 },
	{ UNCORE_ACCESS_CFG_WRITE, 1, 40 }, { UNCORE_ACCESS_LOCK, 1, 20 },
	{ UNCORE_ACCESS_INTERRUPT, 2, 40 }, { UNCORE_ACCESS_SPECIAL, 1, 20 },
	{ UNCORE_ACCESS_FLUSH, 2, 150 },    { UNCORE_ACCESS_NT_WRITE, 2, 150 },
	{ UNCORE_ACCESS_SLEEP, 1, 3 },	    { UNCORE_ACCESS_NT_PART, 2, 150 },
};

enum { NUM_KINDS = sizeof(kinds) / sizeof(kinds[0]), NUM_PLAIN = 3 };

static uint64_t some_line(const struct chaos *chaos, uint64_t *random)
{
	unsigned sockets = chaos->plan.sockets;
	uint64_t index = chaos_random(random, chaos->lines);
	unsigned home = chaos->at_one_home ? 0 : (unsigned)(index % sockets);
	uint64_t place = chaos->at_one_home ? index : index / sockets;

	return uncore_model_memory_first_line(chaos->model, home) +
	       place * chaos->stride;
}

static unsigned some_kind(const struct chaos *chaos, uint64_t *random)
{
	unsigned dice = (unsigned)chaos_random(random, chaos->sum_of_weights);
	unsigned i = 0;

	while (dice >= chaos->weights[kinds[i].kind])
		dice -= chaos->weights[kinds[i++].kind];
	return kinds[i].kind;
}

static struct uncore_access *add(struct chaos_agent *agent, unsigned kind,
				 uint64_t line)
{
	struct uncore_access *access = &agent->requests[agent->num_requests++];

	*access = (struct uncore_access){ .line = line, .kind = (uint8_t)kind };
	return access;
}

static void use(struct chaos_agent *core, unsigned kind, uint64_t line)
{
	struct privcache_request out[PRIVCACHE_MAX_REQUESTS];
	enum privcache_use how = PRIVCACHE_STORE;
	unsigned num;

	if (kind == UNCORE_ACCESS_READ)
		how = PRIVCACHE_LOAD;
	else if (kind == UNCORE_ACCESS_CODE)
		how = PRIVCACHE_FETCH;
	num = privcache_access(&core->cache, line, how, 0, out);

	if (kind == UNCORE_ACCESS_LOCK && (!num || out[0].line != line))
		add(core, kind, line);
	for (unsigned i = 0; i < num; i++)
		add(core,
		    kind == UNCORE_ACCESS_LOCK && out[i].line == line
			    ? kind
			    : out[i].kind,
		    out[i].line)
			->prefetch = out[i].prefetch;
}

static uint16_t some_target(const struct chaos *chaos, unsigned kind,
			    uint64_t *random)
{
	unsigned nodes = chaos->num_hubs + chaos->plan.sockets;
	unsigned node;

	if (kind == UNCORE_ACCESS_INTERRUPT)
		return (uint16_t)chaos_random(random, chaos->num_cores);
	if (kind == UNCORE_ACCESS_SPECIAL)
		return (uint16_t)chaos_random(random, 3);
	node = (unsigned)chaos_random(random, nodes);
	return node < chaos->num_hubs
		       ? UNCORE_IO_HUB(node)
		       : UNCORE_IO_SOCKET(node - chaos->num_hubs);
}

static void act(const struct chaos *chaos, struct chaos_agent *core)
{
	unsigned kind = some_kind(chaos, &core->random);
	uint64_t line = some_line(chaos, &core->random);

	core->first = core->num_requests = 0;
	switch (kind) {
	case UNCORE_ACCESS_READ:
	case UNCORE_ACCESS_CODE:
	case UNCORE_ACCESS_OWN:
	case UNCORE_ACCESS_LOCK: use(core, kind, line); break;
	case UNCORE_ACCESS_FLUSH:
	case UNCORE_ACCESS_NT_WRITE:
	case UNCORE_ACCESS_NT_PART:
	case UNCORE_ACCESS_WRITEBACK:
		if (privcache_invalidate(&core->cache, line, false))
			add(core, UNCORE_ACCESS_WRITEBACK, line);
		if (kind != UNCORE_ACCESS_WRITEBACK)
			add(core, kind, line);
		break;
	default:
		add(core, kind, line);
		core->requests[0].target =
			some_target(chaos, kind, &core->random);
		break;
	}
}

static int next(void *context, unsigned index, struct uncore_access *access)
{
	struct chaos *chaos = context;
	struct chaos_agent *core = &chaos->cores[index];

	*access = (struct uncore_access){ .kind = UNCORE_ACCESS_NONE };
	if (core->first == core->num_requests) {
		if (!core->left)
			return 0;
		core->left--;
		act(chaos, core);
		access->gap =
			(uint32_t)chaos_random(&core->random, chaos->gap + 1u);
	}
	if (core->first < core->num_requests) {
		uint32_t gap = access->gap;

		*access = core->requests[core->first++];
		access->gap = gap;
		access->depends = !chaos_random(&core->random, 8);
	} else {
		access->gap++; /* a hit: time passes, others may act */
	}
	return 1;
}

static bool invalidate(void *context, unsigned index, uint64_t line,
		       bool downgrade)
{
	struct chaos *chaos = context;

	return privcache_invalidate(&chaos->cores[index].cache, line,
				    downgrade);
}

static int next_io(void *context, unsigned index, struct uncore_access *access)
{
	struct chaos *chaos = context;
	struct chaos_agent *hub = &chaos->hubs[index];
	unsigned dice;

	if (!hub->left)
		return 0;
	hub->left--;
	dice = (unsigned)chaos_random(&hub->random, 20);
	*access = (struct uncore_access){
		.line = some_line(chaos, &hub->random),
		.kind = dice < 10   ? UNCORE_ACCESS_READ
			: dice < 16 ? UNCORE_ACCESS_OWN
			: dice < 19 ? UNCORE_ACCESS_NT_WRITE
				    : UNCORE_ACCESS_INTERRUPT,
		.gap = (uint32_t)chaos_random(&hub->random, chaos->gap * 2 + 1),
		.target =
			(uint16_t)chaos_random(&hub->random, chaos->num_cores),
	};
	return 1;
}

static void choose_kinds(struct chaos *chaos)
{
	unsigned num = chaos->plan.plain ? NUM_PLAIN : NUM_KINDS;

	for (unsigned i = 0; i < num; i++) {
		bool has = chaos_random(&chaos->random, 4) < kinds[i].likely;
		unsigned weight = 1 + (unsigned)chaos_random(&chaos->random,
							     kinds[i].most);

		chaos->weights[kinds[i].kind] = has ? weight : 0;
		chaos->sum_of_weights += has ? weight : 0;
	}
}

static void start(struct chaos *chaos, struct chaos_agent *agent, unsigned n,
		  uint64_t left)
{
	agent->random = (chaos->plan.seed * 1000003u + n) *
				UINT64_C(0x9e3779b97f4a7c15) |
			1;
	agent->cache.shape =
		chaos->plan.seed & 4
			? (struct privcache_shape){ 8, 16, 7, false, 0 }
			: (struct privcache_shape){ 4, 8, 9, false, 0 };
	/* on every other machine, of each core its own */
	if (chaos->plan.seed & 1)
		agent->cache.prefetchers =
			(chaos->plan.seed / 2 + n * 5) & PREFETCH_ALL;
	agent->left = left;
}

void chaos_traffic(struct chaos *chaos, struct uncore_traffic *traffic)
{
	static const unsigned lines[] = { 1, 4, 30, 300, 3000, 40000 };
	static const unsigned strides[] = { 1, 1, 1, 512, 15360 };
	static const unsigned gaps[] = { 0, 5, 50, 500 };
	unsigned live, hubs = chaos->plan.plain ? 0 : chaos->num_hubs;

	chaos->lines = lines[chaos_random(&chaos->random, 6)];
	chaos->stride = strides[chaos_random(&chaos->random, 5)];
	chaos->gap = gaps[chaos_random(&chaos->random, 4)];
	chaos->at_one_home = !chaos_random(&chaos->random, 3);
	choose_kinds(chaos);
	live = 1 + (unsigned)chaos_random(&chaos->random, chaos->num_cores);
	for (unsigned i = 0; i < live; i++) {
		unsigned sockets = chaos->plan.sockets;
		unsigned core = i % sockets * (chaos->num_cores / sockets) +
				i / sockets;

		start(chaos, &chaos->cores[core], core,
		      chaos->plan.transactions / live + 1);
	}
	for (unsigned i = 0; i < hubs; i++)
		start(chaos, &chaos->hubs[i], 1000 + i,
		      chaos_random(&chaos->random,
				   chaos->plan.transactions / 4 + 1));
	*traffic = (struct uncore_traffic){ .context = chaos,
					    .next = next,
					    .invalidate = invalidate,
					    .next_io = hubs ? next_io : NULL };
}
