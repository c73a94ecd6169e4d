/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A recording comes back as it was written, complete or not; what stands in the
 * way is not destroyed; a full disk keeps what was written before.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "uncore/error.h"
#include "uncore/recording.h"
#include "uncore/target.h"

static char folder[4096];
static char path[4200];

static int make_folder(void **state)
{
	const char *base = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof(folder), "%s/recording-XXXXXX",
		 base ? base : "/tmp");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file", folder);
	return 0;
}

static int remove_folder(void **state)
{
	char journal[4300];

	(void)state;
	snprintf(journal, sizeof(journal), "%s-journal", path);
	unlink(path);
	unlink(journal);
	return rmdir(folder);
}

static const char *const meta[] = { "machine", "xeon-e7", "sockets", "2",
				    NULL };

static struct uncore_recorder *make(bool replace)
{
	struct uncore_recorder *recorder = NULL;
	char *error = NULL;

	if (uncore_recorder_new(path, replace, meta, &recorder, &error))
		fail_msg("%s", error);
	return recorder;
}

static void add_event(struct uncore_recorder *recorder)
{
	const struct uncore_recorded_event event = {
		.text = "LLC_MISSES.ALL",
		.canonical = "cbox/LLC_MISSES.ALL/",
		.box = "cbox",
		.multiplier = 1,
		.period = 1000,
	};
	size_t id = 99;

	assert_int_equal(uncore_recorder_event(recorder, &event, &id, NULL), 0);
	assert_int_equal(id, 0);
}

static int add_sample(struct uncore_recorder *recorder, unsigned n,
		      char **error)
{
	const struct uncore_sample sample = {
		.kind = UNCORE_SAMPLE_PERIOD,
		.socket = n % 2,
		.cycle = 1000 * n,
		.seconds = n / 2.5e6,
		.length_seconds = 1 / 2.5e6,
		.event = 0,
		.instance = 3,
		.overrun = n,
		.core = 1,
		.position = -1,
		.thread = -1,
	};
	const struct uncore_sample_count counts[] = {
		{ .event = 0, .instance = 0, .value = n, .seconds = 1 },
		{ .event = 0, .instance = 3, .value = 1000, .seconds = 1 },
	};

	return uncore_recorder_sample(recorder, &sample, counts, 2, error);
}

/* Samples that come back in order, up to `num`. */
static unsigned read_samples(struct uncore_recording *recording)
{
	const struct uncore_sample_count *counts;
	struct uncore_sample sample;
	size_t num_counts;
	unsigned num = 0;

	while (uncore_recording_next(recording, &sample, &counts, &num_counts,
				     NULL) > 0) {
		assert_int_equal(sample.kind, UNCORE_SAMPLE_PERIOD);
		assert_int_equal(sample.cycle, 1000 * num);
		assert_int_equal(sample.socket, num % 2);
		assert_int_equal(sample.overrun, num);
		assert_int_equal(sample.position, -1);
		assert_int_equal(num_counts, 2);
		assert_int_equal(counts[0].value, num);
		assert_int_equal(counts[1].instance, 3);
		assert_int_equal(counts[1].value, 1000);
		num++;
	}
	return num;
}

static struct uncore_recording *open_file(void)
{
	struct uncore_recording *recording = NULL;
	char *error = NULL;

	if (uncore_recording_open(path, &recording, &error))
		fail_msg("%s", error);
	return recording;
}

static void comes_back_as_it_was_written(void **state)
{
	struct uncore_recorder *recorder = make(false);
	struct uncore_recorded_event event;
	struct uncore_recording *recording;

	(void)state;
	add_event(recorder);
	for (unsigned n = 0; n < 1000; n++)
		assert_int_equal(add_sample(recorder, n, NULL), 0);
	assert_int_equal(uncore_recorder_finish(recorder, NULL), 0);
	recording = open_file();
	assert_string_equal(uncore_recording_meta(recording, "sockets"), "2");
	assert_null(uncore_recording_meta(recording, "nothing"));
	assert_true(uncore_recording_is_complete(recording));
	assert_true(uncore_recording_event(recording, 0, &event));
	assert_string_equal(event.canonical, "cbox/LLC_MISSES.ALL/");
	assert_int_equal(event.period, 1000);
	assert_false(uncore_recording_event(recording, 1, &event));
	assert_int_equal(read_samples(recording), 1000);
	uncore_recording_rewind(recording);
	assert_int_equal(read_samples(recording), 1000);
	uncore_recording_free(recording);
}

static void positions_and_threads_are_written_once(void **state)
{
	struct uncore_recorder *recorder = make(false);
	struct uncore_position place = { .address = UINT64_MAX - 4,
					 .object = "/bin/x",
					 .symbol = "main",
					 .offset = 4,
					 .source = "x.c:9" };
	struct uncore_position nowhere = { .address = 77 }, found;
	struct uncore_recording *recording;
	long id[4], process, thread;
	const char *name;

	(void)state;
	uncore_recorder_position(recorder, &place, &id[0], NULL);
	uncore_recorder_position(recorder, &nowhere, &id[1], NULL);
	uncore_recorder_position(recorder, &place, &id[2], NULL);
	uncore_recorder_position(recorder, &nowhere, &id[3], NULL);
	assert_int_equal(id[0], 0);
	assert_int_equal(id[1], 1);
	assert_int_equal(id[2], 0);
	assert_int_equal(id[3], 1);
	uncore_recorder_thread(recorder, 5, 6, NULL, &id[0], NULL);
	uncore_recorder_thread(recorder, 5, 7, "x", &id[1], NULL);
	uncore_recorder_thread(recorder, 5, 6, NULL, &id[2], NULL);
	assert_int_equal(id[0], 0);
	assert_int_equal(id[1], 1);
	assert_int_equal(id[2], 0);
	assert_int_equal(uncore_recorder_finish(recorder, NULL), 0);
	recording = open_file();
	assert_true(uncore_recording_position(recording, 0, &found));
	assert_true(found.address == UINT64_MAX - 4);
	assert_string_equal(found.symbol, "main");
	assert_string_equal(found.source, "x.c:9");
	assert_true(uncore_recording_position(recording, 1, &found));
	assert_null(found.object);
	assert_false(uncore_recording_position(recording, 2, &found));
	assert_true(uncore_recording_thread(recording, 1, &process, &thread,
					    &name));
	assert_int_equal(process, 5);
	assert_int_equal(thread, 7);
	assert_string_equal(name, "x");
	uncore_recording_free(recording);
}

static void accesses_come_back(void **state)
{
	struct uncore_recorder *recorder = make(false);
	struct uncore_sample sample = {
		.kind = UNCORE_SAMPLE_PERIOD,
		.event = 0,
		.instance = 3,
		.core = -1,
		.position = -1,
		.thread = -1,
		.access = { .is_known = true,
			    .use = UNCORE_SAMPLED_LOCK,
			    .address = UINT64_MAX - 63,
			    .line = 1234567,
			    .core = 12,
			    .home = 1,
			    .stack = -1,
			    .datum = 0,
			    .offset = 8 },
	};
	const struct uncore_sample_count *counts;
	struct uncore_recording *recording;
	size_t num_counts;

	(void)state;
	add_event(recorder);
	uncore_recorder_sample(recorder, &sample, NULL, 0, NULL);
	sample.access.is_known = false;
	uncore_recorder_sample(recorder, &sample, NULL, 0, NULL);
	assert_int_equal(uncore_recorder_finish(recorder, NULL), 0);
	recording = open_file();
	assert_int_equal(uncore_recording_next(recording, &sample, &counts,
					       &num_counts, NULL),
			 1);
	assert_true(sample.access.is_known);
	assert_int_equal(sample.access.use, UNCORE_SAMPLED_LOCK);
	assert_true(sample.access.address == UINT64_MAX - 63);
	assert_int_equal(sample.access.line, 1234567);
	assert_int_equal(sample.access.core, 12);
	assert_int_equal(sample.access.home, 1);
	assert_int_equal(sample.access.stack, -1);
	assert_int_equal(sample.access.datum, 0);
	assert_int_equal(sample.access.offset, 8);
	assert_int_equal(uncore_recording_next(recording, &sample, &counts,
					       &num_counts, NULL),
			 1);
	assert_false(sample.access.is_known);
	uncore_recording_free(recording);
}

static void stacks_and_data_are_written_once(void **state)
{
	const struct uncore_datum counter = { .kind = UNCORE_DATUM_SYMBOL,
					      .object = "/bin/x",
					      .symbol = "counter" };
	const struct uncore_datum heap = { .kind = UNCORE_DATUM_HEAP };
	const struct uncore_datum site = { .kind = UNCORE_DATUM_ALLOCATED,
					   .symbol = "malloc",
					   .stack = 1,
					   .thread = -1,
					   .size_bytes = 5 };
	const struct uncore_datum other = { .kind = UNCORE_DATUM_ALLOCATED,
					    .symbol = "malloc",
					    .stack = 0,
					    .thread = -1 };
	struct uncore_recorder *recorder = make(false);
	struct uncore_recording *recording;
	struct uncore_datum datum;
	long id[5], position, caller;

	(void)state;
	uncore_recorder_stack(recorder, 7, -1, &id[0], NULL);
	uncore_recorder_stack(recorder, 8, id[0], &id[1], NULL);
	uncore_recorder_stack(recorder, 8, -1, &id[2], NULL);
	uncore_recorder_stack(recorder, 7, -1, &id[3], NULL);
	uncore_recorder_stack(recorder, 8, id[3], &id[4], NULL);
	assert_int_equal(id[0], 0);
	assert_int_equal(id[1], 1);
	assert_int_equal(id[2], 2);
	assert_int_equal(id[3], 0);
	assert_int_equal(id[4], 1);
	uncore_recorder_datum(recorder, &counter, &id[0], NULL);
	uncore_recorder_datum(recorder, &heap, &id[1], NULL);
	uncore_recorder_datum(recorder, &counter, &id[2], NULL);
	assert_int_equal(id[0], 0);
	assert_int_equal(id[1], 1);
	assert_int_equal(id[2], 0);
	uncore_recorder_datum(recorder, &site, &id[0], NULL);
	uncore_recorder_datum(recorder, &other, &id[1], NULL);
	assert_int_equal(id[0], 2);
	assert_int_equal(id[1], 3);
	uncore_recorder_datum_size(recorder, 2, 77, 6, NULL);
	assert_int_equal(uncore_recorder_finish(recorder, NULL), 0);
	recording = open_file();
	assert_true(uncore_recording_stack(recording, 1, &position, &caller));
	assert_int_equal(position, 8);
	assert_int_equal(caller, 0);
	assert_true(uncore_recording_stack(recording, 0, &position, &caller));
	assert_int_equal(caller, -1);
	assert_false(uncore_recording_stack(recording, 3, &position, &caller));
	assert_true(uncore_recording_datum(recording, 0, &datum));
	assert_string_equal(datum.symbol, "counter");
	assert_true(uncore_recording_datum(recording, 1, &datum));
	assert_int_equal(datum.kind, UNCORE_DATUM_HEAP);
	assert_null(datum.object);
	assert_true(uncore_recording_datum(recording, 2, &datum));
	assert_int_equal(datum.stack, 1);
	assert_int_equal(datum.thread, -1);
	assert_int_equal(datum.size_bytes, 77);
	assert_int_equal(datum.num_objects, 6);
	assert_true(uncore_recording_datum(recording, 3, &datum));
	assert_int_equal(datum.size_bytes, 0);
	assert_false(uncore_recording_datum(recording, 4, &datum));
	uncore_recording_free(recording);
}

static bool say_row(void *context, const struct uncore_recorded_value *row)
{
	char *text = context;
	size_t length = strlen(text);

	snprintf(text + length, 256 - length, "%s=%g %s;", row[0].text,
		 row[0].number, row[1].text ? row[1].text : "nothing");
	return strcmp(row[0].text, "2"); /* enough then */
}

static int ask(struct uncore_recording *recording, const char *question,
	       char *text)
{
	static const long values[] = { 1, 2 };

	return uncore_recording_query(recording, question, values, 2, say_row,
				      text, NULL);
}

static void a_question_is_answered_row_by_row(void **state)
{
	struct uncore_recorder *recorder = make(false);
	struct uncore_recording *recording;
	char text[256] = "";

	(void)state;
	add_event(recorder);
	assert_int_equal(uncore_recorder_finish(recorder, NULL), 0);
	recording = open_file();
	assert_int_equal(ask(recording,
			     "SELECT ?1, box FROM event UNION ALL"
			     " SELECT ?2, NULL UNION ALL SELECT 3, 'never'",
			     text),
			 0);
	assert_string_equal(text, "1=1 cbox;2=2 nothing;");
	assert_int_equal(ask(recording, "SELECT id FROM nowhere", text),
			 UNCORE_ERR_BAD_RECORDING);
	assert_int_equal(ask(recording, "DELETE FROM event", text),
			 UNCORE_ERR_BAD_OPTION);
	text[0] = 0;
	assert_int_equal(ask(recording, "SELECT count(*), 1 FROM event", text),
			 0);
	assert_string_equal(text, "1=1 1;");
	uncore_recording_free(recording);
}

static void state_of_boxes_comes_back(void **state)
{
	struct uncore_recorder *recorder = make(false);
	struct uncore_state held = { .kind = UNCORE_STATE_LEVEL,
				     .socket = 1,
				     .box = "mbox",
				     .instance = 1,
				     .name = "fvid",
				     .value = 17 };
	struct uncore_recording *recording;

	(void)state;
	assert_int_equal(uncore_recorder_state(recorder, &held, NULL), 0);
	assert_int_equal(uncore_recorder_finish(recorder, NULL), 0);
	recording = open_file();
	assert_true(uncore_recording_state(recording, 0, &held));
	assert_int_equal(held.value, 17);
	assert_int_equal(held.kind, UNCORE_STATE_LEVEL);
	assert_false(uncore_recording_state(recording, 1, &held));
	uncore_recording_free(recording);
}

static void what_was_not_committed_is_lost_alone(void **state)
{
	struct uncore_recorder *recorder = make(false);
	struct uncore_recording *recording;

	(void)state;
	add_event(recorder);
	for (unsigned n = 0; n < 10; n++)
		add_sample(recorder, n, NULL);
	assert_int_equal(uncore_recorder_commit(recorder, NULL), 0);
	assert_int_equal(uncore_recorder_written(recorder), 10);
	add_sample(recorder, 10, NULL);
	uncore_recorder_free(recorder);
	recording = open_file();
	assert_false(uncore_recording_is_complete(recording));
	assert_int_equal(read_samples(recording), 10);
	uncore_recording_free(recording);
}

static void can_be_read_while_it_is_written(void **state)
{
	struct uncore_recorder *recorder = make(false);
	struct uncore_recording *recording;

	(void)state;
	add_event(recorder);
	for (unsigned n = 0; n < 10; n++)
		add_sample(recorder, n, NULL);
	uncore_recorder_commit(recorder, NULL);
	add_sample(recorder, 10, NULL);
	recording = open_file();
	assert_int_equal(read_samples(recording), 10);
	uncore_recording_free(recording);
	assert_int_equal(uncore_recorder_finish(recorder, NULL), 0);
	recording = open_file();
	assert_int_equal(read_samples(recording), 11);
	uncore_recording_free(recording);
}

/* A reader that stays in the middle of a query holds a commit up, and no
 * more. */
static void a_slow_reader_only_delays(void **state)
{
	struct uncore_recorder *recorder = make(false);
	const struct uncore_sample_count *counts;
	struct uncore_recording *recording;
	struct uncore_sample sample;
	size_t num;

	(void)state;
	add_event(recorder);
	for (unsigned n = 0; n < 10; n++)
		add_sample(recorder, n, NULL);
	uncore_recorder_commit(recorder, NULL);
	recording = open_file();
	assert_int_equal(
		uncore_recording_next(recording, &sample, &counts, &num, NULL),
		1);
	add_sample(recorder, 10, NULL);
	assert_int_equal(uncore_recorder_commit(recorder, NULL), 0);
	assert_int_equal(uncore_recorder_written(recorder), 10);
	uncore_recording_free(recording);
	add_sample(recorder, 11, NULL);
	assert_int_equal(uncore_recorder_commit(recorder, NULL), 0);
	assert_int_equal(uncore_recorder_written(recorder), 12);
	uncore_recorder_free(recorder);
}

static void an_existing_file_stays(void **state)
{
	struct uncore_recorder *recorder = make(false);
	char *error = NULL;
	FILE *file;

	(void)state;
	uncore_recorder_finish(recorder, NULL);
	assert_int_equal(
		uncore_recorder_new(path, false, meta, &recorder, &error),
		UNCORE_ERR_BAD_OPTION);
	assert_non_null(strstr(error, "exists already"));
	free(error);
	uncore_recorder_finish(make(true), NULL);
	file = fopen(path, "w");
	fputs("a letter", file);
	fclose(file);
	assert_int_equal(
		uncore_recorder_new(path, true, meta, &recorder, &error),
		UNCORE_ERR_BAD_OPTION);
	assert_non_null(strstr(error, "is no recording"));
	free(error);
}

static void other_files_are_no_recordings(void **state)
{
	struct uncore_recording *recording;
	char *error = NULL;
	FILE *file = fopen(path, "w");

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		fputs("a letter", file);
	fclose(file);
	assert_int_equal(uncore_recording_open(path, &recording, &error),
			 UNCORE_ERR_BAD_RECORDING);
	free(error);
	unlink(path);
	assert_int_equal(uncore_recording_open(path, &recording, &error),
			 UNCORE_ERR_BAD_RECORDING);
	assert_non_null(strstr(error, path));
	free(error);
}

static void another_version_is_refused(void **state)
{
	struct uncore_recording *recording;
	char *error = NULL;
	FILE *file;

	(void)state;
	uncore_recorder_finish(make(false), NULL);
	file = fopen(path, "r+");
	fseek(file, 63, SEEK_SET); /* the low byte of user_version */
	fputc(99, file);
	fclose(file);
	assert_int_equal(uncore_recording_open(path, &recording, &error),
			 UNCORE_ERR_BAD_RECORDING);
	assert_non_null(strstr(error, "version 99"));
	free(error);
}

enum { SMALL_BYTES = 200 * 1024 };

/* Writes until the file may not grow any more; the exit status says whether
 * the sentence was right. *written goes through a pipe. */
static void write_until_full(int out)
{
	const struct rlimit limit = { SMALL_BYTES, SMALL_BYTES };
	struct uncore_recorder *recorder = make(false);
	char *error = NULL, *again = NULL;
	uint64_t written;
	int code = 0;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	add_event(recorder);
	for (unsigned n = 0; n < 100000 && !code; n++) {
		code = add_sample(recorder, n, &error);
		if (!code && n % 100 == 99)
			code = uncore_recorder_commit(recorder, &error);
	}
	written = uncore_recorder_written(recorder);
	if (code != UNCORE_ERR_IO || !strstr(error, "are kept") ||
	    add_sample(recorder, 0, &again) != UNCORE_ERR_IO ||
	    strcmp(error, again) ||
	    write(out, &written, sizeof(written)) != sizeof(written))
		_exit(1);
	free(error);
	free(again);
	uncore_recorder_free(recorder);
	_exit(0);
}

static void a_full_disk_keeps_what_was_written(void **state)
{
	struct uncore_recording *recording;
	uint64_t written = 0;
	int ends[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child)
		write_until_full(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], &written, sizeof(written)),
			 sizeof(written));
	close(ends[0]);
	close(ends[1]);
	assert_true(written >= 100);
	recording = open_file();
	assert_false(uncore_recording_is_complete(recording));
	assert_int_equal(read_samples(recording), written);
	uncore_recording_free(recording);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(comes_back_as_it_was_written),
		TEST(positions_and_threads_are_written_once),
		TEST(accesses_come_back),
		TEST(stacks_and_data_are_written_once),
		TEST(a_question_is_answered_row_by_row),
		TEST(state_of_boxes_comes_back),
		TEST(what_was_not_committed_is_lost_alone),
		TEST(can_be_read_while_it_is_written),
		TEST(a_slow_reader_only_delays),
		TEST(an_existing_file_stays),
		TEST(other_files_are_no_recordings),
		TEST(another_version_is_refused),
		TEST(a_full_disk_keeps_what_was_written),
	};

	return cmocka_run_group_tests_name("a recording", tests, NULL, NULL);
}
