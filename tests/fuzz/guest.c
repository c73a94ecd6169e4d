/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What QEMU's plugin writes to the memory that it shares with the model: in
 * each step a request or a round of some turns. Times are bounded: how fast the
 * model passes them is not what is looked at.
 */
#include <stdlib.h>

#include "guest/server/guest.h"
#include "tests/fuzz/fuzz.h"
#include "uncore/live.h"
#include "uncore/model.h"

enum {
	NUM_CPUS = 2,
	MAX_STEPS = 32,
	MAX_TURNS = 3,
	MEMORY_MIB = 128,
	/* together: more records than there is room for, which takes long */
	TOO_MANY = 0xff,
	TOO_LONG = 0xffff,
};

static struct uncore_live *live;
static struct uncore_guest *guest;

static void forget(void)
{
	uncore_guest_free(guest);
	uncore_live_free(live);
	guest = NULL;
	live = NULL;
}

static void need_guest(void)
{
	static struct uncore_model_config *machine;
	struct uncore_guest_config config = {
		.struct_size = sizeof(config),
		.traffic = UNCORE_GUEST_MARKED,
		.clock = UNCORE_GUEST_INSTRUCTIONS,
		.memory_mib = MEMORY_MIB,
	};
	struct uncore_model *model = fuzz_kept_model(forget);
	char *error = NULL;

	if (guest)
		return;
	if (!machine)
		machine = uncore_model_config_new("xeon-e7", &error);
	config.machine = machine;
	live = uncore_live_new(model, UNCORE_LIVE_STEP);
	fuzz_must(machine && live, "no memory");
	fuzz_must(!guest_new(live, &config, &guest, &error), "%s", error);
}

static void ask(struct fuzz_bytes *bytes, const volatile int *stop)
{
	struct channel_request *request = &guest->channel->request;

	request->kind = (uint32_t)fuzz_number(bytes, 1);
	request->cpu = (uint32_t)fuzz_number(bytes, 1);
	request->address = (uint32_t)fuzz_number(bytes, 2);
	request->value = fuzz_number(bytes, 8);
	atomic_store(&request->state, REQUEST_MADE);
	guest_serve_request(guest, stop);
	fuzz_must(atomic_load(&request->state) == REQUEST_ANSWERED &&
			  request->fault <= 1,
		  "a request is not answered");
}

static void fill_turn(struct channel_turn *turn, struct fuzz_bytes *bytes)
{
	uint32_t num = (uint32_t)fuzz_number(bytes, 1);

	/* the number need not be that of the records that follow */
	turn->num_records = num % 64;
	turn->instructions = fuzz_number(bytes, 2);
	if (num == TOO_MANY && turn->instructions == TOO_LONG)
		turn->num_records = UINT32_MAX;
	turn->num_invalidations = (uint32_t)fuzz_number(bytes, 1) << 10;
	for (uint32_t i = 0; i < num % 32; i++)
		turn->records[i] = (struct uncore_access){
			.line = fuzz_number(bytes, 3),
			.gap = (uint32_t)fuzz_number(bytes, 1),
			.kind = (uint8_t)fuzz_number(bytes, 1),
			.depends = (uint8_t)fuzz_number(bytes, 1),
			.target = (uint16_t)fuzz_number(bytes, 1),
			.after_core = (uint8_t)fuzz_number(bytes, 1),
			.prefetch = (uint8_t)fuzz_number(bytes, 1),
		};
}

static void clean(struct channel_turn *turn)
{
	for (uint32_t i = 0; i < 64; i++)
		turn->records[i] =
			(struct uncore_access){ .kind = UNCORE_ACCESS_NONE };
	turn->num_records = 0;
	turn->instructions = 0;
}

static void hand_over(struct fuzz_bytes *bytes, const volatile int *stop)
{
	struct channel_round *round =
		&guest->channel->rounds[guest->next_round];
	unsigned turns = (unsigned)fuzz_number(bytes, 1) % MAX_TURNS;

	for (unsigned i = 0; i < NUM_CPUS; i++)
		clean(&round->turns[i]);
	for (unsigned i = 0; i < turns; i++)
		fill_turn(&round->turns[i % NUM_CPUS], bytes);
	atomic_store(&round->state, ROUND_FULL);
	fuzz_must(guest_serve_round(guest, stop), "a round is not served");
	for (unsigned i = 0; i < NUM_CPUS; i++)
		fuzz_must(round->turns[i].num_invalidations <=
				  CHANNEL_INVALIDATIONS,
			  "%u invalidations",
			  round->turns[i].num_invalidations);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	static const int stop;

	need_guest();
	guest_begin_region(guest);
	for (unsigned i = 0; bytes.size && i < MAX_STEPS; i++)
		if (fuzz_number(&bytes, 1) % 2)
			ask(&bytes, &stop);
		else
			hand_over(&bytes, &stop);
	guest_end_region(guest, &stop);
	return 0;
}
