/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The machine: its sockets, and how time passes for all of them, by one queue
 * of events.
 */
#include "model/model.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/box/detail.h"
#include "model/box/growth.h"
#include "model/check.h"
#include "model/core/registers.h"
#include "model/machine/config.h"
#include "uncore/error.h"

/* How often an ending run looks whether all is done. */
enum {
	FINISH_STEP_CYCLES = 1024,
	SETTLE_STEP_CYCLES = 64,
	CHECK_CYCLES = 1 << 20,
	CHECK_ACCESSES = 4096,
};

/* Construction */

static void complain_of_core(void *context, const char *text)
{
	struct uncore_model *model = context;

	if (model->log)
		model->log(model->log_context, text);
}

static int no_access(void *context, unsigned core, struct uncore_access *access)
{
	(void)context, (void)core, (void)access;
	return 0;
}

static int init_socket(struct uncore_model *model, unsigned index)
{
	struct socket *socket = calloc(1, sizeof(*socket));

	if (!socket)
		return -1;
	model->sockets[index] = socket;
	socket->param = model->param;
	socket->traffic = &model->traffic;
	socket->values = model->values;
	socket->all = model->sockets;
	socket->index = index;
	socket->faults =
		(struct faults){ .plan = &model->plan, .socket = index };
	socket->num_sockets = model->num_sockets;
	socket->num_nodes = 1;
	socket->num_clusters = 1;
	socket->num_cores = model->num_cores;
	socket->num_slices = model->num_slices;
	socket->memory_lines = (uint64_t)(model->param[PARAM_MEMORY_SIZE] + 0.5)
			       << (30 - 6);
	socket->sim = model->sim;
	socket->faults.sim = model->sim;
	socket->kind = model->kind;
	for (unsigned i = 0; i < socket->num_cores; i++)
		core_init(&socket->cores[i], socket, i);
	return pmus_make(model, index, 1);
}

static int init_cpus(struct uncore_model *model)
{
	struct cpus_config config = {
		.family = model->family,
		.machine = model->machine,
		.param = model->param,
		.sockets = model->sockets,
		.num_sockets = model->num_sockets,
		.num_cores = model->num_cores,
		.complain = complain_of_core,
		.context = model,
	};

	model->cpus = cpus_new(&config);
	return model->cpus ? 0 : -1;
}

static bool init_detail(struct uncore_model *model)
{
	if (!detail_new(model->sockets, &model->detail))
		return false;
	for (unsigned i = 0; i < model->num_sockets; i++)
		model->sockets[i]->detail = model->detail;
	return true;
}

/* What single limits cannot say: settings that do not go together. */
static char *check(const struct uncore_model *model)
{
	struct socket socket = {
		.kind = model->kind,
		.param = model->param,
		.num_sockets = model->num_sockets,
		.num_cores = model->num_cores,
		.num_slices = model->num_slices,
		.memory_lines =
			(uint64_t)(model->param[PARAM_MEMORY_SIZE] + 0.5)
			<< (30 - 6),
	};
	const char *problem;
	char *sentence = model->kind->check(&socket);

	if (sentence) /* made anew, of no lifetime but its own */
		/* cppcheck-suppress returnDanglingLifetime */
		return sentence;
	if (model->param[PARAM_DETAIL_SHARE] < 100 && !model->kind->set_quick)
		return text_format("this machine cannot leave accesses out of "
				   "detail (--detail, detail.share) yet");
	problem = llc_config_check(
		(uint64_t)socket_param(&socket, PARAM_LLC_SLICE) * 1024,
		socket_param(&socket, PARAM_LLC_WAYS), model->num_slices,
		socket.memory_lines * socket.num_sockets);
	if (problem)
		return text_format("the LLC cannot be built: %s", problem);
	return fault_plan_check(&model->plan, model->kind->faults,
				socket.num_sockets, model->param);
}

struct uncore_model *uncore_model_new(const struct uncore_model_config *config,
				      char **error)
{
	struct uncore_model *model = calloc(1, sizeof(*model));

	char *problem;

	text_give(error, NULL);
	if (!model) {
		text_give(error, text_format("out of memory"));
		return NULL;
	}
	model->family = config->family;
	model->machine = config->machine;
	model->kind = config->machine->kind;
	memcpy(model->param, config->value, sizeof(model->param));
	model->plan = config->plan;
	model->is_strict = config->strict;
	model->plan.seed = (uint64_t)model->param[PARAM_SEED];
	model->num_sockets = (unsigned)model->param[PARAM_SOCKETS];
	model->num_cores = (unsigned)model->param[PARAM_CORES];
	model->num_slices = (unsigned)model->param[PARAM_CHAS];
	if (!model->num_slices)
		model->num_slices = model->num_cores;
	model->log = config->log;
	model->log_context = config->log_context;
	model->next_check = config->check ? CHECK_CYCLES : SIM_NEVER;
	model->traffic.next = no_access;
	problem = check(model);
	if (!problem && !(model->sim = sim_new()))
		problem = text_format("out of memory");
	if (config->check && (!(model->values = values_new()) ||
			      !(model->watch = watch_new(model))))
		problem = text_format("out of memory for checks");
	for (unsigned i = 0; !problem && i < model->num_sockets; i++)
		if (init_socket(model, i))
			problem = text_format("out of memory for a machine of "
					      "%u sockets",
					      model->num_sockets);
	if (!problem && init_cpus(model))
		problem = text_format("out of memory for the registers of %u "
				      "CPUs",
				      model->num_sockets * model->num_cores);
	if (!problem && !model->kind->build(model->sockets, model->family))
		problem = text_format("out of memory for the boxes of %u "
				      "sockets",
				      model->num_sockets);
	if (!problem && !init_detail(model))
		problem = text_format("out of memory");
	if (!problem)
		return model;
	text_give(error, problem);
	uncore_model_free(model);
	return NULL;
}

static void free_boxes(struct uncore_model *model)
{
	unsigned num = 0;

	while (num < MODEL_MAX_SOCKETS && model->sockets[num])
		num++;
	model->kind->free(model->sockets, num);
}

static void end_traffic(struct uncore_model *model)
{
	if (model->end_traffic)
		model->end_traffic(model->traffic.context);
	model->end_traffic = NULL;
}

void uncore_model_free(struct uncore_model *model)
{
	if (!model)
		return;
	detail_free(model->detail);
	free_boxes(model);
	for (unsigned i = 0; i < MODEL_MAX_SOCKETS; i++)
		if (model->sockets[i]) {
			pmus_free(model->sockets[i]);
			free(model->sockets[i]);
		}
	sim_free(model->sim);
	cpus_free(model->cpus);
	values_free(model->values);
	free(model->answers);
	watch_free(model->watch);
	end_traffic(model);
	for (unsigned i = 0; i < MODEL_MAX_SOCKETS; i++)
		free(model->pmis[i].pmis);
	free(model->violation);
	free(model);
}

/* What it is */

const char *uncore_model_machine(const struct uncore_model *model)
{
	return model->machine->name;
}

const char *uncore_model_family(const struct uncore_model *model)
{
	return model->family->name;
}

const char *uncore_model_brand(const struct uncore_model *model)
{
	return model->machine->brand;
}

unsigned uncore_model_sockets(const struct uncore_model *model)
{
	return model->num_sockets;
}

unsigned uncore_model_cores(const struct uncore_model *model)
{
	return model->num_cores;
}

unsigned uncore_model_l2_kb(const struct uncore_model *model)
{
	return 128u << (unsigned)model->param[PARAM_CORE_L2];
}

double uncore_model_clock_hz(const struct uncore_model *model)
{
	return model->param[PARAM_UNCORE_CLOCK] * 1e6;
}

uint64_t uncore_model_memory_lines(const struct uncore_model *model,
				   unsigned socket)
{
	return model->sockets[socket]->memory_lines;
}

uint64_t uncore_model_memory_first_line(const struct uncore_model *model,
					unsigned socket)
{
	return socket * model->sockets[socket]->memory_lines;
}

uint64_t uncore_model_num_events(const struct uncore_model *model)
{
	return sim_num_events(model->sim);
}

uint64_t uncore_model_num_accesses(const struct uncore_model *model)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < model->num_sockets; i++)
		for (unsigned c = 0; c < model->num_cores; c++)
			sum += model->sockets[i]->cores[c].num_accesses;
	return sum;
}

uint64_t uncore_model_injected(const struct uncore_model *model, size_t index)
{
	uint64_t sum = 0;

	for (unsigned i = 0; index < FAULT_NUM && i < model->num_sockets; i++)
		sum += model->sockets[i]->faults.injected[index];
	return sum;
}

/* Registers */

/* The CPU's own registers first, then those of its socket's uncore. */
int uncore_model_cpu_read(struct uncore_model *model, unsigned cpu,
			  uint64_t address, uint64_t *value)
{
	unsigned socket = cpu / model->num_cores;

	if (socket >= model->num_sockets)
		return UNCORE_ERR_SOCKET;
	switch (cpus_read(model->cpus, cpu, address, value)) {
	case CPUS_OK: return 0;
	case CPUS_GP: return UNCORE_ERR_GP;
	default: return uncore_model_read(model, socket, address, value);
	}
}

int uncore_model_cpu_write(struct uncore_model *model, unsigned cpu,
			   uint64_t address, uint64_t value)
{
	unsigned socket = cpu / model->num_cores;

	if (socket >= model->num_sockets)
		return UNCORE_ERR_SOCKET;
	switch (cpus_write(model->cpus, cpu, address, value)) {
	case CPUS_OK: return 0;
	case CPUS_GP: return UNCORE_ERR_GP;
	default: return uncore_model_write(model, socket, address, value);
	}
}

unsigned uncore_model_prefetchers(const struct uncore_model *model,
				  unsigned cpu)
{
	const struct socket *socket = model->sockets[cpu / model->num_cores];

	return socket->cores[cpu % model->num_cores].prefetchers;
}

bool uncore_model_is_counting(const struct uncore_model *model)
{
	for (unsigned i = 0; i < model->num_sockets; i++)
		for (unsigned p = 0; p < model->sockets[i]->num_pmus; p++)
			if (pmu_is_counting(model->sockets[i]->pmus[p]))
				return true;
	return cpus_are_counting(model->cpus);
}

static const struct uc_unit_mask *find_unit_mask(const struct uc_event *event,
						 const char *name)
{
	for (unsigned i = 0; i < event->num_unit_masks; i++)
		if (!strcasecmp(event->unit_masks[i].name, name))
			return &event->unit_masks[i];
	return NULL;
}

const char *uncore_model_check(struct uncore_model *model)
{
	if (model->next_check != SIM_NEVER)
		model_check(model);
	return model->violation;
}

bool uncore_model_is_modelled(const struct uncore_model *model, const char *box,
			      const char *event, const char *unit_mask,
			      unsigned port)
{
	const struct uc_box *found = uc_box_find(model->family, box, NULL);
	const struct uc_unit_mask *mask = NULL;

	for (unsigned i = 0; found && i < found->num_events; i++) {
		const struct uc_event *e = &found->events[i];

		if (strcasecmp(e->name, event))
			continue;
		if (unit_mask && !(mask = find_unit_mask(e, unit_mask)))
			return false;
		return pmu_is_modelled(model->sockets[0]->pmu, e, mask, port);
	}
	return false;
}

bool uncore_model_has_box(const struct uncore_model *model, unsigned socket,
			  uint64_t address)
{
	const struct uc_register *reg = uc_register_at(model->family, address);

	return reg && socket < model->num_sockets &&
	       pmu_has_box(model->sockets[socket]->pmu, reg->box,
			   reg->instance);
}

/* Traffic */

static void start_traffic(struct uncore_model *model)
{
	for (unsigned i = 0; i < model->num_sockets; i++) {
		for (unsigned c = 0; c < model->num_cores; c++)
			core_start(&model->sockets[i]->cores[c]);
		model->kind->start(model->sockets[i]);
	}
}

void uncore_model_set_traffic(struct uncore_model *model,
			      const struct uncore_traffic *traffic)
{
	cpus_end_traffic(model->cpus);
	end_traffic(model);
	model->traffic = *traffic;
	start_traffic(model);
	cpus_begin_traffic(model->cpus);
}

/* Windows */

void uncore_model_on_window(struct uncore_model *model,
			    void (*fn)(void *context,
				       enum uncore_model_seam seam,
				       const uint64_t *classes),
			    void *context)
{
	if (!model->detail)
		return;
	model->detail->on_window = fn;
	model->detail->window_context = context;
}

bool uncore_model_classes(const struct uncore_model *model, uint64_t *classes)
{
	if (model->detail && classes)
		detail_classes(model->detail, classes);
	return model->detail;
}

const char *uncore_model_needs_detail(const struct uncore_model *model,
				      uint64_t *accesses)
{
	*accesses = model->detail ? model->detail->kept : 0;
	return model->detail ? model->detail->reason : NULL;
}

static void log_line(void *context, const char *text)
{
	const struct uncore_model *model = context;

	if (model->log)
		model->log(model->log_context, text);
}

int uncore_model_read_live(struct uncore_model *model)
{
	struct detail *detail = model->detail;

	if (!detail || detail->growth)
		return 0;
	detail->growth = growth_new(detail, log_line, model);
	return detail->growth ? 0 : UNCORE_ERR_NO_MEMORY;
}

const char *uncore_model_grown(const struct uncore_model *model, size_t index)
{
	return model->detail ? growth_event(model->detail->growth, index)
			     : NULL;
}

unsigned model_begin_write(const struct uncore_model *model)
{
	if (!model->detail || !model->detail->growth)
		return 0;
	return socket_num_changes(model->sockets[0]);
}

void model_end_write(const struct uncore_model *model, unsigned before)
{
	if (model_begin_write(model) != before)
		detail_renew(model->detail);
}

void uncore_model_keep_detail(struct uncore_model *model, const char *reason)
{
	if (model->detail)
		model->detail->keeps = reason;
}

/* Time */

/* Also for who is told of something while the model runs. */
uint64_t uncore_model_cycle(const struct uncore_model *model)
{
	return sim_now(model->sim);
}

uint64_t uncore_model_instructions(const struct uncore_model *model)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < model->num_sockets; i++)
		for (unsigned c = 0; c < model->num_cores; c++)
			sum += core_instructions(&model->sockets[i]->cores[c]);
	return sum;
}

static void add_answers(const struct core *core, struct uncore_model_work *work)
{
	for (unsigned i = 0; i < CORE_NUM_REQUESTS; i++) {
		const uint64_t *answers = core->counts.answers[i];

		if (i == REQUEST_WRITE_BACK || i == REQUEST_OTHER)
			continue;
		work->llc += answers[ANSWER_SLICE] + answers[ANSWER_CORE];
		work->changed += answers[ANSWER_CORE_MODIFIED];
		work->remote_cache += answers[ANSWER_REMOTE_MODIFIED] +
				      answers[ANSWER_REMOTE];
		work->local_memory += answers[ANSWER_LOCAL_DRAM];
		work->remote_memory += answers[ANSWER_REMOTE_DRAM];
	}
}

bool uncore_model_work(const struct uncore_model *model, unsigned number,
		       struct uncore_model_work *work)
{
	const struct core *core;

	*work = (struct uncore_model_work){ 0 };
	if (number >= model->num_sockets * model->num_cores)
		return false;
	core = socket_any_core(model->sockets[0], number);
	work->busy = core_busy_cycles(core);
	if (model->detail)
		work->busy += detail_busy_cycles(model->detail, number);
	work->computing = core->gap_cycles >> 16;
	add_answers(core, work);
	return true;
}

/* Little can have gone wrong while little happened, and a look takes long. */
static void check_sometimes(struct uncore_model *model)
{
	uint64_t accesses = uncore_model_num_accesses(model);

	model->next_check = model->now + CHECK_CYCLES;
	watch_look(model->watch, model);
	if (accesses - model->checked_accesses < CHECK_ACCESSES)
		return;
	model->checked_accesses = accesses;
	model_check(model);
}

/* Until `end`, the next look, or an event that stops the run. */
static void run_slice(struct uncore_model *model, uint64_t end)
{
	if (end > model->next_check)
		end = model->next_check;
	model->now = sim_run_until(model->sim, end);
	if (model->now >= model->next_check)
		check_sometimes(model);
}

/* For who reads registers at any moment quick stretches are a part of the time.
 */
static uint64_t cycles_passed(const struct uncore_model *model)
{
	return model->detail && model->detail->growth
		       ? model->now + detail_skipped(model->detail)
		       : model->now;
}

static void set_end(const struct uncore_model *model, uint64_t end)
{
	if (model->detail && model->detail->growth)
		model->detail->end =
			end < UINT64_MAX >> 16 ? end << 16 : UINT64_MAX;
}

static void run_until(struct uncore_model *model, uint64_t end)
{
	while (cycles_passed(model) < end && !model->is_paused)
		run_slice(model, end - cycles_passed(model) + model->now);
}

/* So many cycles from now. */
static uint64_t later(const struct uncore_model *model, uint64_t cycles)
{
	uint64_t now = cycles_passed(model);

	return cycles < SIM_NEVER - now ? now + cycles : SIM_NEVER;
}

void uncore_model_run(struct uncore_model *model, uint64_t cycles)
{
	uint64_t end = later(model, cycles);

	model->is_paused = false;
	set_end(model, end);
	run_until(model, end);
	set_end(model, UINT64_MAX);
}

void uncore_model_pause(struct uncore_model *model)
{
	model->is_paused = true;
	detail_stop(model->detail);
	sim_stop_at(model->sim, sim_now(model->sim) + 1);
}

void uncore_model_wake(struct uncore_model *model, unsigned core)
{
	core_wake(&model->sockets[core / model->num_cores]
			   ->cores[core % model->num_cores]);
}

void model_expect(const struct uncore_model *model, unsigned core,
		  uint64_t line)
{
	const struct llc *const *llcs =
		model->sockets[core / model->num_cores]->llcs;
	struct llc_spot spot;
	unsigned slice = llc_slice_and_spot(llcs[0], line, &spot);

	llc_prefetch(llcs[slice], spot);
}

/* Uncore cycles that have passed while the engine's time stood. */
static double model_skipped(const struct uncore_model *model)
{
	return model->detail ? (double)model->detail->skipped / (1 << 16) : 0;
}

uint64_t uncore_model_skipped(const struct uncore_model *model)
{
	return detail_skipped(model->detail);
}

uint64_t uncore_model_quick(const struct uncore_model *model)
{
	return model->detail ? model->detail->num_quick : 0;
}

static uint64_t busy_cycles(const struct uncore_model *model, unsigned core)
{
	return core_busy_cycles(socket_any_core(model->sockets[0], core)) +
	       (model->detail ? detail_busy_cycles(model->detail, core) : 0);
}

void model_core_time(const struct uncore_model *model, unsigned core,
		     uint64_t *cycles, uint64_t *busy)
{
	const struct core *of = socket_any_core(model->sockets[0], core);
	double ratio = model->param[PARAM_CORE_CLOCK] /
		       model->param[PARAM_UNCORE_CLOCK];

	*cycles = (uint64_t)((core_time(of) + model_skipped(model)) * ratio);
	*busy = (uint64_t)((double)busy_cycles(model, core) * ratio);
}

static double now_of_all(const struct uncore_model *model)
{
	return (double)sim_now(model->sim) + model_skipped(model);
}

static void wake_core(void *object, uint64_t unused)
{
	(void)unused;
	core_wake(object);
}

uint64_t model_wake_at(struct uncore_model *model, unsigned core,
		       uint64_t core_cycles)
{
	struct core *of = &model->sockets[core / model->num_cores]
				   ->cores[core % model->num_cores];
	double ratio = model->param[PARAM_UNCORE_CLOCK] /
		       model->param[PARAM_CORE_CLOCK];
	double cycle = ceil((double)core_cycles * ratio);

	if (cycle <= now_of_all(model))
		return 0;
	if (model->detail)
		detail_rest(model->detail, of, cycle);
	else
		sim_at(model->sim, (uint64_t)cycle, wake_core, of, 0);
	return (uint64_t)cycle;
}

bool model_end_wait(struct uncore_model *model)
{
	if (model->detail)
		return detail_end_rest(model->detail);
	for (unsigned i = 0; i < model->num_sockets * model->num_cores; i++)
		uncore_model_wake(model, i);
	return true;
}

bool model_has_reached(const struct uncore_model *model, uint64_t cycle)
{
	return now_of_all(model) >= (double)cycle;
}

static void set_stops_dry(struct uncore_model *model, bool stops_dry)
{
	for (unsigned i = 0; i < model->num_sockets; i++)
		model->sockets[i]->stops_dry = stops_dry;
}

static bool is_dry(const struct uncore_model *model)
{
	for (unsigned i = 0; i < model->num_sockets; i++)
		if (model->sockets[i]->num_running)
			return false;
	return true;
}

bool uncore_model_run_dry(struct uncore_model *model, uint64_t max_cycles)
{
	uint64_t end = max_cycles ? later(model, max_cycles) : SIM_NEVER;

	model->is_paused = false;
	set_stops_dry(model, true);
	while (cycles_passed(model) < end && !is_dry(model) &&
	       !model->is_paused)
		run_slice(model, end - cycles_passed(model) + model->now);
	set_stops_dry(model, false);
	return is_dry(model);
}

void uncore_model_settle(struct uncore_model *model)
{
	while (!model->kind->is_settled(model->sockets[0])) {
		model->is_paused = false;
		run_until(model, later(model, SETTLE_STEP_CYCLES));
	}
}

static bool has_traffic(const struct uncore_model *model)
{
	for (unsigned i = 0; i < model->num_sockets; i++)
		if (model->sockets[i]->num_live)
			return true;
	return false;
}

static bool is_idle(const struct uncore_model *model)
{
	return !has_traffic(model) &&
	       model->kind->is_settled(model->sockets[0]);
}

/* The next look for the end of all traffic: steps of the same length, but for
 * those in which nothing happens. What is left when the traffic has ended may
 * be over without an event. */
static uint64_t finish_step(const struct uncore_model *model)
{
	uint64_t next = sim_next(model->sim) - model->now;

	if (!has_traffic(model))
		return later(model, FINISH_STEP_CYCLES);
	return later(model,
		     (next / FINISH_STEP_CYCLES + 1) * FINISH_STEP_CYCLES);
}

bool uncore_model_finish(struct uncore_model *model, uint64_t max_cycles,
			 const volatile int *stop)
{
	uint64_t end = max_cycles ? later(model, max_cycles) : SIM_NEVER;
	bool is_over = is_idle(model);

	model->is_paused = false;
	set_end(model, end);
	/* traffic that was set in this cycle has not begun yet */
	while (cycles_passed(model) < end && !model->is_paused &&
	       !(stop && *stop)) {
		uint64_t step = finish_step(model);

		run_until(model, step < end ? step : end);
		is_over = is_idle(model);
		if (is_over)
			break;
	}
	set_end(model, UINT64_MAX);
	return is_over;
}
