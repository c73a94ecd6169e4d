/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Who does not want a sentence gives NULL for it, and gets the code as well:
 * each function that takes one is called here so that it fails. Left out are
 * those of a guest, a program, a replay, a mount or a sampled run that is under
 * way: what it takes to have one is more than a unit test.
 * tests/house/headers.sh sees to it that no other is forgotten.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "access/access.h"
#include "uncore/guest.h"
#include "uncore/live.h"
#include "uncore/model.h"
#include "uncore/program.h"
#include "uncore/uncore.h"

static struct uncore_model_config *new_config(void)
{
	struct uncore_model_config *config =
		uncore_model_config_new("xeon-e7", NULL);

	assert_non_null(config);
	return config;
}

static void test_config(void **state)
{
	struct uncore_model_config *config = new_config();

	(void)state;
	assert_null(uncore_model_config_new("xeon-e8", NULL));
	assert_int_equal(uncore_model_config_set(config, "llc.ways", NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_set(config, "llc.wais=1", NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_set(config, "llc.ways=x", NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_set(config, "llc.ways=1e9", NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(
		uncore_model_config_set(config, "mbox.page_policy=x", NULL),
		UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_sockets(config, 99, NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_inject(config, "flood", NULL),
			 UNCORE_ERR_BAD_PARAMETER);
	assert_int_equal(uncore_model_config_set(config, "llc.ways=8", NULL),
			 0);
	assert_int_equal(uncore_model_config_inject(config, "qpi-crc", NULL),
			 0);
	uncore_model_config_free(config);
}

static void test_model(void **state)
{
	struct uncore_model_config *config = new_config();
	struct uncore_model *model = uncore_model_new(config, NULL);

	(void)state;
	assert_non_null(model);
	assert_int_equal(uncore_model_set_workload(model, "walk", NULL),
			 UNCORE_ERR_BAD_WORKLOAD);
	assert_int_equal(
		uncore_model_set_workload(model, "stream:threads=99", NULL),
		UNCORE_ERR_BAD_WORKLOAD);
	assert_int_equal(uncore_model_set_workload(model, "stream", NULL), 0);
	uncore_model_free(model);
	assert_int_equal(uncore_model_config_set(config, "llc.slice=1", NULL),
			 0);
	assert_int_equal(uncore_model_config_set(config, "llc.ways=24", NULL),
			 0);
	uncore_model_free(uncore_model_new(config, NULL));
	uncore_model_config_free(config);
}

/* What is wrong with each of these is found at another place. */
static const char *const bad_texts[] = {
	"",
	"/",
	"cbox",
	"cbox/",
	"nobox/LLC_MISSES.ALL/",
	"cbox99/LLC_MISSES.ALL/",
	"cbox/LLC_MISES.ALL/",
	"cbox/LLC_MISSES.SOME/",
	"cbox/LLC_MISSES.ALL,colour=1/",
	"cbox/LLC_MISSES.ALL,threshold=99999/",
	"cbox/LLC_MISSES.ALL,threshold=x/",
	"cbox/LLC_MISSES.ALL,counter=99/",
	"cbox/LLC_MISSES.ALL,match=0/",
	"rbox/FLITS_SENT/",
	"rbox/FLITS_SENT,port=qpi9/",
	"sbox/EGRESS_BYPASS/",
	"mbox/BBOX_CMDS_ALL,threshold=1,threshold=2/",
	"bbox/IMT_INSERTS_ALL,opcode=Nothing/",
	"wbox/FIXED_CTR,edge/",
	"cbox/event=0x1ff/",
	"uncore_cbox_0/event=0x14,nothing=1/",
};

static const struct uncore_family *family(void)
{
	return uncore_family_open("xeon-e7", NULL);
}

static struct uncore_event *event(const char *text)
{
	struct uncore_event *event;

	assert_int_equal(uncore_event_parse(family(), text, &event, NULL), 0);
	return event;
}

static void test_texts(void **state)
{
	(void)state;
	assert_null(uncore_family_open("xeon-e8", NULL));
	assert_null(uncore_family_of_capture("no capture", NULL));
	assert_null(uncore_target_files("/nowhere", NULL, NULL));
	assert_null(uncore_target_perf("perf:/nowhere", NULL));
	assert_null(uncore_target_socket("/nowhere", NULL));
	if (!uncore_family_of_host())
		assert_null(uncore_target_machine(NULL));
	for (size_t i = 0; i < sizeof(bad_texts) / sizeof(*bad_texts); i++) {
		struct uncore_event *event = NULL;
		char *error = NULL;
		int code = uncore_event_parse(family(), bad_texts[i], &event,
					      &error);

		if (code >= 0)
			fail_msg("'%s' is no mistake", bad_texts[i]);
		assert_non_null(error);
		free(error);
		assert_int_equal(uncore_event_parse(family(), bad_texts[i],
						    &event, NULL),
				 code);
	}
}

static void test_values(void **state)
{
	struct uncore_write write = { .address = 1 };
	char *text;

	(void)state;
	assert_int_equal(uncore_event_decode(family(), &write, 1, &text, NULL),
			 UNCORE_ERR_NO_REGISTER);
	assert_int_equal(uncore_event_explain(family(), &write, 1, &text, NULL),
			 UNCORE_ERR_NO_REGISTER);
}

/* They need the same counter. */
static void test_plans(void **state)
{
	struct uncore_event *events[] = {
		event("bbox/IMT_INSERTS_ALL/"),
		event("bbox/IMT_INSERTS_WR/"),
	};
	const size_t both[] = { 0, 1 };
	const struct uncore_group group = { both, 2, NULL };
	struct uncore_schedule *schedule;
	struct uncore_plan *plan;

	(void)state;
	assert_true(uncore_plan_new(family(), events, 2, &plan, NULL) < 0);
	assert_true(uncore_schedule_new(family(), events, 2, &group, 1,
					&schedule, NULL) < 0);
	uncore_event_free(events[0]);
	uncore_event_free(events[1]);
}

static void test_metrics(void **state)
{
	struct uncore_metrics *metrics;
	size_t *chosen, num;

	(void)state;
	assert_int_equal(uncore_metrics_new(family(), &metrics, NULL), 0);
	assert_true(uncore_metrics_read(metrics, "/nowhere", NULL) < 0);
	assert_true(uncore_metrics_read(metrics, "/dev", NULL) < 0);
	assert_int_equal(
		uncore_metrics_choose(metrics, "nothing", &chosen, &num, NULL),
		UNCORE_ERR_BAD_METRIC);
	uncore_metrics_free(metrics);
}

/* Registers that do nothing, until they refuse everything. */
static bool refuses;

static int read_nothing(void *context, unsigned socket, uint64_t address,
			uint64_t *value)
{
	(void)context;
	(void)socket;
	(void)address;
	*value = 0;
	return refuses ? UNCORE_ERR_GP : 0;
}

static int write_nothing(void *context, unsigned socket, uint64_t address,
			 uint64_t value)
{
	return read_nothing(context, socket, address, &value);
}

static bool counts_nothing(void *context, const char *box, const char *event,
			   const char *unit_mask, unsigned port)
{
	(void)context;
	(void)box;
	(void)event;
	(void)unit_mask;
	(void)port;
	return !refuses;
}

static const struct access_ops nothing = {
	.name = "nothing",
	.read = read_nothing,
	.write = write_nothing,
	.counts = counts_nothing,
};

static void test_session(void **state)
{
	struct uncore_target *target =
		uc_access_new(&nothing, NULL, family(), 1);
	struct uncore_event *events[] = {
		event("bbox/IMT_INSERTS_ALL/"),
		event("bbox/IMT_INSERTS_WR/"),
	};
	const struct uncore_session_options whole = { .struct_size =
							      sizeof(whole),
						      .no_multiplex = true };
	struct uncore_session *session;

	(void)state;
	assert_true(uncore_session_open_with(target, events, 2, &whole,
					     &session, NULL) < 0);
	refuses = true;
	assert_int_equal(uncore_session_can_count(target, events[0], NULL),
			 UNCORE_ERR_NOT_MODELLED);
	assert_true(uncore_session_open(target, events, 1, &session, NULL) < 0);
	refuses = false;
	assert_int_equal(uncore_session_open(target, events, 2, &session, NULL),
			 0);
	refuses = true;
	assert_true(uncore_session_start(session, NULL) < 0);
	refuses = false;
	assert_int_equal(uncore_session_start(session, NULL), 0);
	refuses = true;
	assert_true(uncore_session_rotate(session, NULL) < 0);
	assert_true(uncore_session_read(session, NULL) < 0);
	assert_true(uncore_session_stop(session, NULL) < 0);
	refuses = false;
	uncore_session_close(session);
	uncore_event_free(events[0]);
	uncore_event_free(events[1]);
	uncore_target_free(target);
}

static void test_sampler(void **state)
{
	struct uncore_target *target =
		uc_access_new(&nothing, NULL, family(), 1);
	struct uncore_sampled sampled = { event("bbox/IMT_INSERTS_ALL/"),
					  1000 };
	const struct uncore_sampler_options options = { .struct_size = sizeof(
								options) };
	struct uncore_sampler *sampler;

	(void)state;
	assert_true(uncore_sampler_check(sampled.event, UINT64_MAX, NULL) < 0);
	refuses = true;
	assert_true(uncore_sampler_open(target, &sampled, 1, &options, &sampler,
					NULL) < 0);
	refuses = false;
	assert_int_equal(uncore_sampler_open(target, &sampled, 1, &options,
					     &sampler, NULL),
			 0);
	refuses = true;
	assert_true(uncore_sampler_start(sampler, NULL) < 0);
	refuses = false;
	assert_int_equal(uncore_sampler_start(sampler, NULL), 0);
	refuses = true;
	assert_true(uncore_sampler_poll(sampler, NULL) < 0);
	assert_true(uncore_sampler_serve(sampler, 0, 0, 0, NULL) < 0);
	assert_true(uncore_sampler_stop(sampler, NULL) < 0);
	refuses = false;
	uncore_sampler_close(sampler);
	uncore_event_free(sampled.event);
	uncore_target_free(target);
}

static void test_reset(void **state)
{
	const struct uncore_reset_options options = { .struct_size =
							      sizeof(options),
						      .all = true };
	struct uncore_target *target =
		uc_access_new(&nothing, NULL, family(), 1);
	char *what = NULL;

	(void)state;
	refuses = true;
	assert_true(uncore_reset(target, &options, &what, NULL) < 0);
	refuses = false;
	uncore_target_free(target);
}

static void test_doctor(void **state)
{
	const struct uncore_doctor_options options = {
		.struct_size = sizeof(options),
		.root = "/nonexistent",
	};
	struct uncore_doctor *doctor;

	(void)state;
	assert_true(uncore_doctor_new(&options, &doctor, NULL) < 0);
	assert_null(doctor);
}

/* A disk that is full: nothing more fits into the file. */
static void test_recorder(void **state)
{
	static const char *const meta[] = { "what", "nothing", NULL };
	char path[] = "/tmp/uncore-null-XXXXXX";
	const struct uncore_recorded_event recorded = { "x", "x", "cbox", 1,
							0 };
	const struct uncore_sample sample = { .event = -1 };
	const struct uncore_position position = { .address = 1 };
	const struct uncore_datum datum = { .kind = UNCORE_DATUM_HEAP };
	const struct uncore_state kept = { .box = "cbox", .name = "x" };
	struct rlimit limit, small;
	struct uncore_recorder *recorder;
	size_t event_id;
	uint64_t num = 0;
	long id;

	(void)state;
	close(mkstemp(path));
	assert_true(uncore_recorder_new(path, false, meta, &recorder, NULL) <
		    0);
	assert_int_equal(uncore_recorder_new(path, true, meta, &recorder, NULL),
			 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = 0;
	setrlimit(RLIMIT_FSIZE, &small);
	uncore_recorder_meta(recorder, "what", "something", NULL);
	assert_true(uncore_recorder_commit(recorder, NULL) < 0);
	assert_true(uncore_recorder_meta(recorder, "a", "b", NULL) < 0);
	assert_true(uncore_recorder_event(recorder, &recorded, &event_id,
					  NULL) < 0);
	assert_true(uncore_recorder_position(recorder, &position, &id, NULL) <
		    0);
	assert_true(uncore_recorder_thread(recorder, 1, 1, "x", &id, NULL) < 0);
	assert_true(uncore_recorder_datum(recorder, &datum, &id, NULL) < 0);
	assert_true(uncore_recorder_datum_size(recorder, 0, 1, 1, NULL) < 0);
	assert_true(uncore_recorder_stack(recorder, 0, -1, &id, NULL) < 0);
	assert_true(uncore_recorder_state(recorder, &kept, NULL) < 0);
	assert_true(uncore_recorder_sample(recorder, &sample, NULL, 0, NULL) <
		    0);
	assert_true(uncore_recorder_thin(recorder, 0, 2, &num, NULL) < 0);
	assert_true(uncore_recorder_finish(recorder, NULL) < 0);
	setrlimit(RLIMIT_FSIZE, &limit);
	unlink(path);
}

static bool take_none(void *context, const struct uncore_recorded_value *row)
{
	(void)context;
	(void)row;
	return false;
}

/* Opened before what is in it is overwritten. */
static void test_recording(void **state)
{
	static const char *const meta[] = { "what", "nothing", NULL };
	char path[] = "/tmp/uncore-null-XXXXXX";
	struct uncore_recorder *recorder;
	struct uncore_recording *recording;
	struct uncore_sample sample;
	const struct uncore_sample_count *counts;
	size_t num;

	(void)state;
	assert_true(uncore_recording_open("/nowhere", &recording, NULL) < 0);
	assert_true(uncore_recording_open("/dev/null", &recording, NULL) < 0);
	close(mkstemp(path));
	assert_int_equal(uncore_recorder_new(path, true, meta, &recorder, NULL),
			 0);
	assert_int_equal(uncore_recorder_finish(recorder, NULL), 0);
	assert_int_equal(uncore_recording_open(path, &recording, NULL), 0);
	assert_int_equal(truncate(path, 1), 0);
	assert_true(uncore_recording_query(recording, "SELECT * FROM sample",
					   NULL, 0, take_none, NULL, NULL) < 0);
	assert_true(uncore_recording_next(recording, &sample, &counts, &num,
					  NULL) <= 0);
	uncore_recording_free(recording);
	unlink(path);
}

static void test_doors(void **state)
{
	struct uncore_model_config *config = new_config();
	struct uncore_model *model = uncore_model_new(config, NULL);
	struct uncore_live *live = uncore_live_new(model, UNCORE_LIVE_STEP);
	const struct uncore_regfs_config files = { .struct_size = sizeof(files),
						   .folder = "/nowhere" };
	const struct uncore_guest_config machine = {
		.struct_size = sizeof(machine),
		.qemu = "/nowhere",
		.machine = config,
	};
	static const char *const words[] = { "/nowhere", NULL };
	struct uncore_program_config program = { .struct_size =
							 sizeof(program) };
	struct uncore_program *started;
	struct uncore_guest *guest;
	struct uncore_server *server;
	struct uncore_regfs *fs;
	struct uncore_replay *replay;
	char *kernel = NULL, *initrd = NULL;

	(void)state;
	assert_true(uncore_regfs_new(live, &files, &fs, NULL) < 0);
	assert_true(uncore_server_new(live, "/nowhere/socket", &server, NULL) <
		    0);
	assert_true(uncore_guest_start(live, &machine, &guest, NULL) < 0);
	assert_true(uncore_replay_open("/nowhere", &replay, NULL) < 0);
	uncore_program_config_init(&program, model);
	program.argv = words;
	assert_true(uncore_program_start(&program, &started, NULL) < 0);
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	assert_true(uncore_guest_image(&kernel, &initrd, NULL) < 0);
	assert_true(uncore_guest_image_run("/nowhere/image", words, NULL,
					   &kernel, NULL) < 0);
	uncore_live_free(live);
	uncore_model_free(model);
	uncore_model_config_free(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_sampler),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_doctor),
		cmocka_unit_test(test_recorder),
		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_doors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
