/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A guest's rounds, requests and marks, with numbers that can be computed by
 * hand: each access of a round is a miss of the private caches by itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/recording.h"
#include "tests/doors/guest_rig.h"
#include "uncore/guest.h"
#include "uncore/live.h"

#define MISSES "cbox/LLC_MISSES.ALL/"
#define HITS   "cbox/LLC_HITS.ALL/"
#define CYCLES "wbox/FIXED_CTR/"

enum {
	CORES = 4,
	LINES = 1000,
	NUM_READS = 500,
	NUM_PARTS = 29,
	HOURS_RECORDS = 100000
};

/* Lines that no other call has touched, one after the other. */
static void stream(struct guest_rig *rig, unsigned cpu, uint64_t first,
		   unsigned num)
{
	for (unsigned i = 0; i < num; i++)
		rig_access(rig, cpu, UNCORE_ACCESS_READ, first + i);
}

static uint64_t memory_of(struct guest_rig *rig, unsigned socket)
{
	return uncore_model_memory_first_line(rig->model, socket);
}

static void each_line_misses_once_and_then_hits(void **state)
{
	struct guest_rig rig;

	(void)state;
	rig_start(&rig, 1, UNCORE_GUEST_ALWAYS, NULL, NULL);
	rig_count(&rig, MISSES);
	rig_count(&rig, HITS);
	stream(&rig, 0, 0, LINES);
	rig_hand_over(&rig);
	stream(&rig, 1, LINES, LINES);
	rig_hand_over(&rig);
	stream(&rig, 1, LINES, LINES);
	rig_stop(&rig);
	assert_int_equal(rig_value(&rig, 0, 0), 2 * LINES);
	assert_int_equal(rig_value(&rig, 1, 0), LINES);
	assert_int_equal(rig.status.accesses, 3 * LINES);
	assert_int_equal(rig.status.lost, 0);
	rig_free(&rig);
}

/* Whether the model complains that a counter of the core will stand still: with
 * the event's code and unit mask. */
static bool complains(struct guest_rig *rig, unsigned code, unsigned umask)
{
	enum { EVTSEL0 = 0x186, ALL = 3u << 16, ENABLE = 1u << 22 };
	unsigned before = rig->complaints;

	uncore_live_enter(rig->live);
	assert_int_equal(
		uncore_model_cpu_write(rig->model, 0, EVTSEL0,
				       code | umask << 8 | ALL | ENABLE),
		0);
	uncore_live_leave(rig->live);
	return rig->complaints != before;
}

/* A guest has neither TLBs nor prefetchers of the model: their events read 0,
 * which is the truth of prefetches while these are off, and else is told. */
static void what_a_guest_has_not_is_told(void **state)
{
	static const struct {
		unsigned code, umask;
		bool of_prefetch;
	} events[] = {
		{ 0x24, 0x40, true },  { 0x24, 0x80, true },
		{ 0x24, 0xAA, true },  { 0x24, 0xFF, true },
		{ 0xF2, 0x04, true },  { 0xF2, 0x08, true },
		{ 0xF2, 0x0F, true },  { 0x24, 0x03, false },
		{ 0x24, 0x30, false }, { 0x80, 0x01, false },
		{ 0x80, 0x02, false }, { 0x80, 0x03, false },
		{ 0xF2, 0x03, false }, { 0xCB, 0x5F, false },
		{ 0x0B, 0x03, false },
	};

	(void)state;
	for (unsigned on = 0; on < 2; on++) {
		struct guest_rig rig;

		rig_setting = on ? "core.prefetch=15" : "core.prefetch=0";
		rig_start(&rig, 1, UNCORE_GUEST_ALWAYS, NULL, NULL);
		stream(&rig, 0, 0, LINES);
		rig_hand_over(&rig);
		for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]);
		     i++)
			assert_int_equal(complains(&rig, events[i].code,
						   events[i].umask),
					 on && events[i].of_prefetch);
		assert_true(complains(&rig, 0xCB, 0x80));
		assert_true(complains(&rig, 0x80, 0x04));
		rig_stop(&rig);
		rig_free(&rig);
	}
	rig_setting = NULL;
}

static void each_socket_counts_its_own_cores_and_memory(void **state)
{
	struct guest_rig rig;

	(void)state;
	rig_start(&rig, 2, UNCORE_GUEST_ALWAYS, NULL, NULL);
	rig_count(&rig, MISSES);
	rig_count(&rig, "bbox/IMT_INSERTS_ALL/");
	/* Core 0 of socket 0 reads from both memories, of socket 1 from one. */
	stream(&rig, 0, memory_of(&rig, 0), LINES);
	stream(&rig, 0, memory_of(&rig, 1), 2 * LINES);
	stream(&rig, CORES, memory_of(&rig, 1) + 2 * LINES, 3 * LINES);
	rig_stop(&rig);
	assert_int_equal(rig_value(&rig, 0, 0), 3 * LINES);
	assert_int_equal(rig_value(&rig, 0, 1), 3 * LINES);
	assert_int_equal(rig_value(&rig, 1, 0), LINES);
	assert_int_equal(rig_value(&rig, 1, 1), 5 * LINES);
	rig_free(&rig);
}

static void lines_taken_away_go_back_with_a_round(void **state)
{
	struct guest_rig rig;

	(void)state;
	rig_start(&rig, 1, UNCORE_GUEST_ALWAYS, NULL, NULL);
	stream(&rig, 0, 0, LINES);
	rig_hand_over(&rig);
	for (unsigned i = 0; i < LINES; i++)
		rig_access(&rig, 1, UNCORE_ACCESS_OWN, i);
	/* What is under way at the end of a round comes with a later one. */
	for (unsigned i = 0; i < 10; i++)
		rig_drain(&rig);
	rig_stop(&rig);
	assert_int_equal(rig.taken[0], LINES);
	assert_int_equal(rig.taken[1], 0);
	rig_free(&rig);
}

static void access_beyond_the_memory_is_lost_and_told(void **state)
{
	struct guest_rig rig;

	(void)state;
	rig_start(&rig, 1, UNCORE_GUEST_ALWAYS, NULL, NULL);
	rig_access(&rig, 0, UNCORE_ACCESS_READ, UINT64_MAX / 64);
	rig_access(&rig, 0, 77, 0);
	stream(&rig, 0, 0, 10);
	rig_stop(&rig);
	assert_int_equal(rig.status.accesses, 10);
	assert_int_equal(rig.status.lost, 2);
	rig_free(&rig);
}

static void request_sees_the_round_before_it(void **state)
{
	const uint32_t counter = rig_register("W_MSR_PMON_FIXED_COUNTER");
	struct guest_rig rig;
	uint64_t before;

	(void)state;
	rig_start(&rig, 1, UNCORE_GUEST_ALWAYS, NULL, NULL);
	rig_count(&rig, CYCLES);
	rig_request(&rig, REQUEST_READ, 0, counter, 0);
	for (unsigned i = 0; i < NUM_READS; i++) {
		before = rig.channel->request.value;
		stream(&rig, 0, i * 100, 100);
		rig_request(&rig, REQUEST_READ, 0, counter, 0);
		assert_true(rig.channel->request.value > before + 100);
		assert_int_equal(rig.channel->request.fault, 0);
	}
	rig_stop(&rig);
	assert_int_equal(rig.status.reads, NUM_READS + 1);
	assert_int_equal(rig.status.faults, 0);
	rig_free(&rig);
}

static void said(void *context, const char *text)
{
	snprintf(context, 256, "%s", text);
}

static void refusal_is_a_fault_that_names_register_and_field(void **state)
{
	const uint32_t control = rig_register("CB0_CR_C_MSR_PMON_EVT_SEL_0");
	char text[256] = "";
	struct guest_rig rig;

	(void)state;
	rig_start(&rig, 1, UNCORE_GUEST_ALWAYS, NULL, NULL);
	rig.guest->config.log = said;
	rig.guest->config.log_context = text;
	rig_request(&rig, REQUEST_WRITE, 2, control, ~UINT64_C(0));
	assert_int_equal(rig.channel->request.fault, 1);
	rig_request(&rig, REQUEST_READ, 2, control, 0);
	assert_int_equal(rig.channel->request.value, 0);
	rig_stop(&rig);
	assert_int_equal(rig.status.faults, 1);
	assert_non_null(strstr(text, "CB0_CR_C_MSR_PMON_EVT_SEL_0"));
	assert_non_null(strstr(text, "reserved"));
	assert_non_null(strstr(text, "CPU 2"));
	rig_free(&rig);
}

static void traffic_is_wanted_while_a_counter_is_enabled(void **state)
{
	const uint32_t global = rig_register("U_MSR_PMON_GLOBAL_CTL");
	struct guest_rig rig;

	(void)state;
	rig_start(&rig, 1, UNCORE_GUEST_COUNTING, NULL, NULL);
	assert_int_equal(rig.channel->traffic, 0);
	rig_count(&rig, MISSES);
	/* Any write makes the guest's side look. */
	rig_request(&rig, REQUEST_READ, 0, global, 0);
	rig_request(&rig, REQUEST_WRITE, 0, global, rig.channel->request.value);
	assert_int_equal(rig.channel->traffic, 1);
	rig_request(&rig, REQUEST_WRITE, 0, global, 0);
	assert_int_equal(rig.channel->traffic, 0);
	rig_stop(&rig);
	rig_free(&rig);
}

static void time_passes_with_instructions_alone(void **state)
{
	struct guest_rig rig;
	uint64_t cycles;

	(void)state;
	rig_start(&rig, 1, UNCORE_GUEST_ALWAYS, NULL, NULL);
	rig_drain(&rig);
	cycles = uncore_live_cycle(rig.live);
	for (unsigned i = 0; i < 9; i++)
		rig_hand_over(&rig);
	rig_drain(&rig);
	/* 100 instructions at 2.4 GHz are 111.1 cycles at 2.67 GHz; a round
	 * begins in the cycle after the one that ended the one before it. */
	cycles = uncore_live_cycle(rig.live) - cycles;
	assert_in_range(cycles, 10 * 111, 10 * 114);
	rig_stop(&rig);
	rig_free(&rig);
}

static void time_stands_still_outside_of_marks(void **state)
{
	struct guest_rig rig;
	uint64_t cycle;

	(void)state;
	rig_start(&rig, 1, UNCORE_GUEST_MARKED, NULL, NULL);
	assert_int_equal(rig.channel->traffic, 0);
	cycle = uncore_live_cycle(rig.live);
	rig_drain(&rig);
	assert_int_equal(uncore_live_cycle(rig.live), cycle);
	rig_request(&rig, REQUEST_MARK_BEGIN, 0, 0, 0);
	assert_int_equal(rig.channel->traffic, 1);
	stream(&rig, 0, 0, LINES);
	rig_request(&rig, REQUEST_MARK_END, 0, 0, 0);
	assert_int_equal(rig.channel->traffic, 0);
	assert_true(uncore_live_cycle(rig.live) > cycle + LINES);
	cycle = uncore_live_cycle(rig.live);
	rig_drain(&rig);
	assert_int_equal(uncore_live_cycle(rig.live), cycle);
	rig_stop(&rig);
	assert_int_equal(rig.status.regions, 1);
	rig_free(&rig);
}

/* A guest with its own counters beside the same workload by itself. */
static void workload_between_marks_counts_as_from_reset(void **state)
{
	static const char workload[] = "stream:size=1M";
	struct guest_rig rig, alone;

	(void)state;
	rig_start(&rig, 2, UNCORE_GUEST_NONE, workload, NULL);
	rig_count(&rig, MISSES);
	rig_count(&rig, CYCLES);
	rig_drain(&rig);
	rig_request(&rig, REQUEST_MARK_BEGIN, 0, 0, 0);
	for (unsigned i = 0; i < 100; i++)
		rig_hand_over(&rig);
	rig_request(&rig, REQUEST_MARK_END, 0, 0, 0);
	rig_drain(&rig);
	rig_stop(&rig);

	rig_start(&alone, 2, UNCORE_GUEST_NONE, workload, NULL);
	rig_count(&alone, MISSES);
	rig_count(&alone, CYCLES);
	assert_true(uncore_model_finish(alone.model, 0, NULL));
	rig_stop(&alone);
	assert_true(rig_value(&rig, 0, -1) > 0);
	assert_int_equal(rig_value(&rig, 0, -1), rig_value(&alone, 0, -1));
	assert_int_equal(rig_value(&rig, 1, -1), rig_value(&alone, 1, -1));
	rig_free(&rig);
	rig_free(&alone);
}

/* Two regions of both sockets' traffic, with rounds of all sizes. */
static void two_regions(struct guest_rig *rig)
{
	uint64_t remote = memory_of(rig, 1);

	for (unsigned region = 0; region < 2; region++) {
		rig_request(rig, REQUEST_MARK_BEGIN, 0, 0, 0);
		for (unsigned i = 1; i <= NUM_PARTS; i++) {
			stream(rig, i % (2 * CORES), i * 5000, i * 10);
			stream(rig, CORES + 1, remote + region * 7 + i, i);
			rig_access(rig, 3, UNCORE_ACCESS_OWN, i * 5000 + 3);
			rig_access(rig, 3, UNCORE_ACCESS_WRITEBACK,
				   i * 5000 + 3);
			rig_access(rig, 2, UNCORE_ACCESS_NT_WRITE,
				   i * 5000 + 4000);
			rig_access(rig, 2, UNCORE_ACCESS_NT_PART,
				   i * 5000 + 4001);
			rig_hand_over(rig);
		}
		rig_request(rig, REQUEST_MARK_END, 0, 0, 0);
	}
}

static const char *const events[] = {
	MISSES,
	CYCLES,
	"cbox/SNPS.REMOTE_ANY/",
	"bbox/IMT_INSERTS_ALL/",
	"rbox/NEW_PACKETS_RECV.ANY.DRS,port=qpi0/",
	"mbox/FVC_EV0.BBOX_CMDS.MERGE/", /* of streaming stores of parts */
};

enum { NUM_EVENTS = sizeof(events) / sizeof(events[0]) };

/* What a session counts over a region (0: all) of a recording. */
static void count_recording(const char *path, unsigned region,
			    uint64_t values[NUM_EVENTS])
{
	struct uncore_replay *replay;
	struct guest_rig rig;

	assert_int_equal(uncore_replay_open(path, &replay, NULL), 0);
	assert_string_equal(uncore_replay_machine(replay), "xeon-e7");
	assert_int_equal(uncore_replay_regions(replay), 2);
	rig_start(&rig, 2, UNCORE_GUEST_NONE, NULL, NULL);
	assert_int_equal(uncore_replay_attach(replay, rig.model, NULL), 0);
	for (unsigned i = 1; i < region; i++)
		assert_true(uncore_replay_region(replay, NULL));
	for (unsigned i = 0; i < NUM_EVENTS; i++)
		rig_count(&rig, events[i]);
	assert_true(uncore_replay_region(replay, NULL));
	if (!region)
		assert_true(uncore_replay_region(replay, NULL));
	rig_stop(&rig);
	for (unsigned i = 0; i < NUM_EVENTS; i++)
		values[i] = rig_value(&rig, i, -1);
	rig_free(&rig);
	uncore_replay_free(replay);
}

static void record(const char *path, uint64_t values[NUM_EVENTS])
{
	struct guest_rig rig;

	rig_start(&rig, 2, UNCORE_GUEST_MARKED, NULL, path);
	for (unsigned i = 0; i < NUM_EVENTS; i++)
		rig_count(&rig, events[i]);
	two_regions(&rig);
	rig_stop(&rig);
	assert_int_equal(rig.code, 0);
	for (unsigned i = 0; i < NUM_EVENTS; i++)
		values[i] = rig_value(&rig, i, -1);
	rig_free(&rig);
}

static void recording_counts_what_the_guest_counted(void **state)
{
	uint64_t guest[NUM_EVENTS], again[NUM_EVENTS], replayed[NUM_EVENTS];
	uint64_t first[NUM_EVENTS], second[NUM_EVENTS];
	char path[] = "/tmp/uncore-recording-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	record(path, again);
	record(path, guest);
	count_recording(path, 0, replayed);
	count_recording(path, 1, first);
	count_recording(path, 2, second);
	unlink(path);
	for (unsigned i = 0; i < NUM_EVENTS; i++) {
		assert_true(guest[i] > 0);
		assert_int_equal(guest[i], again[i]);
		assert_int_equal(guest[i], replayed[i]);
		assert_int_equal(guest[i], first[i] + second[i]);
	}
	assert_int_equal(guest[NUM_EVENTS - 1], 2 * NUM_PARTS);
}

/* One byte at a time is wrong, then the file is too short. */
static void damaged_recording_is_refused(void **state)
{
	uint64_t values[NUM_EVENTS];
	char path[] = "/tmp/uncore-recording-XXXXXX";
	int fd = mkstemp(path);
	struct uncore_replay *replay;
	char *error = NULL;
	off_t size;

	(void)state;
	assert_true(fd >= 0);
	record(path, values);
	close(fd);
	fd = open(path, O_RDWR);
	size = lseek(fd, 0, SEEK_END);
	for (off_t at = 0; at < size; at += size / 50) {
		unsigned char byte, bad;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		bad = byte ^ 0x10;
		assert_int_equal(pwrite(fd, &bad, 1, at), 1);
		assert_true(uncore_replay_open(path, &replay, &error) < 0);
		assert_non_null(strstr(error, path));
		free(error);
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	for (unsigned i = 1; i < 20; i++) {
		assert_int_equal(ftruncate(fd, size - i * (size / 20)), 0);
		assert_true(uncore_replay_open(path, &replay, NULL) < 0);
	}
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_true(uncore_replay_open(path, &replay, NULL) < 0);
	close(fd);
	unlink(path);
}

static void put_number(FILE *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		fputc((int)(0x80 | (number & 0x7f)), out);
	fputc((int)number, out);
}

/* FNV-1a, as recording.h says. */
static void put_sum(FILE *out)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);
	int byte;

	rewind(out);
	while ((byte = fgetc(out)) != EOF)
		sum = (sum ^ (unsigned char)byte) * UINT64_C(0x100000001b3);
	for (unsigned i = 0; i < 8; i++)
		fputc((int)(sum >> 8 * i & 0xff), out);
}

/* A recording of one portion in which hours pass. */
static void write_hours(const char *path)
{
	FILE *out = fopen(path, "w+");

	assert_non_null(out);
	fprintf(out,
		RECORDING_HEAD "machine xeon-e7\n" RECORDING_TAIL "%c%c%c%c",
		RECORDING_BEGIN, RECORDING_PORTION, 1, 0);
	put_number(out, HOURS_RECORDS);
	for (unsigned i = 0; i < HOURS_RECORDS; i++) {
		fputc(UNCORE_ACCESS_NONE, out);
		put_number(out, UINT32_MAX);
	}
	fprintf(out, "%c%c", RECORDING_END, RECORDING_LAST);
	put_sum(out);
	fclose(out);
}

static void replay_ends_when_asked_to(void **state)
{
	const volatile int stop = 1;
	char path[] = "/tmp/uncore-recording-XXXXXX";
	int fd = mkstemp(path);
	struct uncore_replay *replay;
	struct guest_rig rig;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_hours(path);
	assert_int_equal(uncore_replay_open(path, &replay, NULL), 0);
	rig_start(&rig, 2, UNCORE_GUEST_NONE, NULL, NULL);
	assert_int_equal(uncore_replay_attach(replay, rig.model, NULL), 0);
	assert_true(uncore_replay_region(replay, &stop));
	rig_stop(&rig);
	rig_free(&rig);
	uncore_replay_free(replay);
	unlink(path);
}

/* No file may grow beyond a few bytes, as on a full disk. */
static void full_disk_is_noticed_and_leaves_nothing(void **state)
{
	const struct rlimit tight = { 4096, RLIM_INFINITY };
	struct rlimit before;
	char folder[] = "/tmp/uncore-recording-XXXXXX";
	char path[64];
	struct guest_rig rig;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	rig_start(&rig, 2, UNCORE_GUEST_MARKED, NULL, path);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	two_regions(&rig);
	rig_stop(&rig);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_true(rig.code < 0);
	assert_non_null(strstr(rig.error, path));
	rig_free(&rig);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_misses_once_and_then_hits),
		cmocka_unit_test(what_a_guest_has_not_is_told),
		cmocka_unit_test(each_socket_counts_its_own_cores_and_memory),
		cmocka_unit_test(lines_taken_away_go_back_with_a_round),
		cmocka_unit_test(access_beyond_the_memory_is_lost_and_told),
		cmocka_unit_test(request_sees_the_round_before_it),
		cmocka_unit_test(
			refusal_is_a_fault_that_names_register_and_field),
		cmocka_unit_test(traffic_is_wanted_while_a_counter_is_enabled),
		cmocka_unit_test(time_passes_with_instructions_alone),
		cmocka_unit_test(time_stands_still_outside_of_marks),
		cmocka_unit_test(workload_between_marks_counts_as_from_reset),
		cmocka_unit_test(recording_counts_what_the_guest_counted),
		cmocka_unit_test(damaged_recording_is_refused),
		cmocka_unit_test(replay_ends_when_asked_to),
		cmocka_unit_test(full_disk_is_noticed_and_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
