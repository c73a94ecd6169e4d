/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Anything goes: random machines with random traffic and a random PMU, under
 * every check there is. As a test it runs a few rounds that are always the
 * same, at length some more; by hand it runs as long as one likes:
 *
 *     tests-truth-random --transactions 10000000 --sockets 4 --seed 7 \
 *         --machine xeon-7500
 *
 * A round that fails is named, and can be run alone (--round).
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_rig.h"

enum {
	TEST_TRANSACTIONS = 60000, /* for each number of sockets */
	SHORTER = 3,		   /* unless it is to be long */
	LONGEST_ROUND = 20000,
};

struct options {
	const char *machine; /* NULL: all in turn */
	uint64_t transactions, seed, per_round;
	unsigned sockets; /* 0: all in turn */
	bool plain, is_single, is_verbose;
};

static void say(const struct options *options, const struct chaos *chaos,
		const char *wrong)
{
	const struct chaos_plan *plan = &chaos->plan;

	if (!wrong && !options->is_verbose)
		return;
	printf("%s: --round --machine %s --sockets %u --seed %llu "
	       "--transactions %llu%s\n",
	       wrong ? wrong : "clean", plan->machine, plan->sockets,
	       (unsigned long long)plan->seed,
	       (unsigned long long)plan->transactions,
	       plan->plain ? " --plain" : "");
	if (wrong || options->is_verbose)
		printf("  lines=%u stride=%u gap=%u hubs=%u%s\n", chaos->lines,
		       chaos->stride, chaos->gap, chaos->num_hubs,
		       chaos->settings);
	fflush(stdout);
}

/* One machine; adds its transactions. */
static bool run_round(const struct options *options, unsigned sockets,
		      uint64_t seed, uint64_t *transactions)
{
	struct chaos_plan plan = { .machine = options->machine,
				   .sockets = sockets,
				   .seed = seed,
				   .plain = options->plain };
	uint64_t random = seed * 2 + 1;
	struct chaos *chaos;
	const char *wrong;

	for (unsigned i = 0; i < 8; i++)
		chaos_random(&random, 2);
	plan.transactions = options->transactions;
	if (!options->is_single)
		plan.transactions = 100 + chaos_random(&random, LONGEST_ROUND);
	chaos = chaos_new(&plan);
	if (!chaos)
		return true; /* no such machine */
	wrong = chaos_run(chaos);
	say(options, chaos, wrong);
	*transactions += chaos_transactions(chaos);
	chaos_free(chaos);
	return !wrong;
}

static bool run(const struct options *options, unsigned sockets)
{
	uint64_t transactions = 0, seed = options->seed, failed = 0;

	if (options->is_single)
		return run_round(options, sockets, seed, &transactions);
	while (transactions < options->transactions)
		failed += !run_round(options, sockets, seed++, &transactions);
	printf("%s, %u sockets: %llu transactions in %llu rounds from seed "
	       "%llu, %llu failed\n",
	       options->machine, sockets, (unsigned long long)transactions,
	       (unsigned long long)(seed - options->seed),
	       (unsigned long long)options->seed, (unsigned long long)failed);
	fflush(stdout);
	return !failed;
}

/* Rounds that found something which the short test would not find again. */
static bool run_again(const struct options *options)
{
	static const struct {
		unsigned sockets;
		uint64_t seed;
	} found[] = {
		/* a home's snoop that no S-Box called back (bbox.directory) */
		{ 1, 70000041 },
	};
	uint64_t transactions = 0;
	bool is_clean = true;

	for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++)
		is_clean &= run_round(options, found[i].sockets, found[i].seed,
				      &transactions);
	return is_clean;
}

static bool parse(struct options *options, int argc, char **argv)
{
	static const struct option names[] = {
		{ "machine", required_argument, NULL, 'm' },
		{ "transactions", required_argument, NULL, 't' },
		{ "sockets", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'r' },
		{ "plain", no_argument, NULL, 'p' },
		{ "round", no_argument, NULL, '1' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int name;

	while ((name = getopt_long(argc, argv, "", names, NULL)) != -1)
		switch (name) {
		case 'm': options->machine = optarg; break;
		case 't':
			options->transactions = strtoull(optarg, NULL, 0);
			break;
		case 's': options->sockets = (unsigned)atoi(optarg); break;
		case 'r': options->seed = strtoull(optarg, NULL, 0); break;
		case 'p': options->plain = true; break;
		case '1': options->is_single = true; break;
		case 'v': options->is_verbose = true; break;
		default: return false;
		}
	return optind == argc &&
	       (!options->machine || uncore_family_find(options->machine));
}

static bool run_machine(struct options *options, const char *machine,
			unsigned most_sockets)
{
	bool is_clean = true;

	options->machine = machine;
	for (unsigned sockets = 1; sockets <= most_sockets; sockets *= 2)
		if (!options->sockets || options->sockets == sockets)
			is_clean &= run(options, sockets);
	return is_clean;
}

int main(int argc, char **argv)
{
	struct options options = { .transactions = TEST_TRANSACTIONS,
				   .seed = 1 };
	const char *machine;
	bool is_clean = true;

	if (!parse(&options, argc, argv)) {
		fprintf(stderr, "random [--machine NAME] [--transactions N] "
				"[--sockets N] [--seed S] [--plain] "
				"[--round] [--verbose]\n");
		return 2;
	}
	if (argc == 1 && !getenv("UNCORE_LONG"))
		options.transactions /= SHORTER;
	machine = options.machine;
	if (!machine || !strcmp(machine, "xeon-e7"))
		is_clean &= run_machine(&options, "xeon-e7", 8);
	if (argc == 1)
		is_clean &= run_again(&options);
	if (argc == 1)
		options.transactions /= 2;
	if (!machine || !strcmp(machine, "xeon-7500"))
		is_clean &= run_machine(&options, "xeon-7500", 8);
	if (!machine || !strcmp(machine, "xeon-e5-2600"))
		is_clean &= run_machine(&options, "xeon-e5-2600", 2);
	return !is_clean;
}
