/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Stands in for the model's process at the other end of the guest plugin's
 * channel: starts QEMU, keeps a few registers (plugin_harness.h) and counts
 * records by frame, so that a guest can ask what was seen of its accesses.
 *
 * plugin_harness SOCKETS CORES MIB-PER-SOCKET PLUGIN QEMU-COMMAND...
 *
 * $HARNESS_TRAFFIC: records from the start; $HARNESS_FOR_EVER: the guest is not
 * to end by itself; $HARNESS_STOP: stop listening after so many requests.
 */
#include "tests/doors/plugin_harness.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest/plugin/channel.h"

enum {
	LINES_PER_FRAME = 64,
	NUM_REGISTERS = HARNESS_LAST - HARNESS_FIRST + 1,
	MAX_FRAMES = 3 << 18,
	CLEAN = UNCORE_NUM_ACCESS_KINDS, /* WRITEBACK, of a clean line */
	NUM_KINDS,
	WATCHED_MS = 1,
	SPIN_LOOKS = 50,
	TICK_MHZ = 2400,
};

#define LINE_BYTES UINT64_C(64)
/* The modelled machine has a gap before each socket's memory. */
#define LINE_OF_SOCKET(s) ((UINT64_C(3) << 28) * ((s) + 1) + 4096)

static struct channel *channel;
static unsigned next_round;
static uint64_t scratch[CHANNEL_MAX_SOCKETS];
static uint32_t frames[MAX_FRAMES][NUM_KINDS];
static uint64_t frame, records, outside, instructions, marks, bad_gaps;
static uint64_t rounds, requests, turns[CHANNEL_MAX_CPUS];
static uint64_t fetches[CHANNEL_MAX_CPUS], once, trace;
static bool take, marked;

static uint64_t frame_of(uint64_t line)
{
	unsigned i;

	for (i = 0; i < channel->num_sockets; i++) {
		uint64_t offset = line - channel->first_line[i];

		if (offset < channel->ram_bytes[i] / LINE_BYTES)
			return (channel->ram_first[i] / LINE_BYTES + offset) /
			       LINES_PER_FRAME;
	}
	return UINT64_MAX;
}

static void count(struct channel_turn *turn, const struct uncore_access *access)
{
	uint64_t where = frame_of(access->line);

	records++;
	if (where >= MAX_FRAMES) {
		outside++;
		return;
	}
	frames[where][access->is_clean ? (unsigned)CLEAN : access->kind]++;
	if (take && access->kind != UNCORE_ACCESS_WRITEBACK) {
		if (turn->num_invalidations == CHANNEL_INVALIDATIONS)
			turn->forget = 1;
		else
			turn->invalidations[turn->num_invalidations++].line =
				access->line;
	}
}

/* What two runs must have in common between the marks. */
static void mix(uint64_t value)
{
	trace = (trace ^ value) * UINT64_C(0x100000001b3);
	trace ^= trace >> 29;
}

static void remember(const struct channel_turn *turn, unsigned cpu)
{
	uint32_t i;

	mix(cpu);
	mix(turn->instructions);
	for (i = 0; i < turn->num_records; i++) {
		mix(turn->records[i].line);
		mix((uint64_t)turn->records[i].gap << 16 |
		    (uint64_t)turn->records[i].kind << 8 |
		    turn->records[i].depends);
	}
}

static void work_on(struct channel_turn *turn, unsigned cpu)
{
	uint64_t passed = 0;
	uint32_t i;

	for (i = 0; i < turn->num_records; i++) {
		passed += turn->records[i].gap;
		if (turn->records[i].kind != UNCORE_ACCESS_NONE)
			count(turn, &turn->records[i]);
	}
	instructions += turn->instructions;
	turns[cpu] += turn->instructions > 0;
	if (turn->instructions)
		fetches[cpu] = turn->counts[UNCORE_CORE_L1I_READS];
	if (atomic_load(&channel->traffic) && passed != turn->instructions)
		bad_gaps++;
	if (marked)
		remember(turn, cpu);
}

static void ring(void)
{
	atomic_fetch_add(&channel->plugin_bell, 1);
	syscall(SYS_futex, &channel->plugin_bell, FUTEX_WAKE, INT_MAX, NULL,
		NULL, 0);
}

static bool serve_round(void)
{
	struct channel_round *round = &channel->rounds[next_round];
	uint64_t longest = 0;
	unsigned i;

	if (atomic_load(&round->state) != ROUND_FULL)
		return false;
	for (i = 0; i < channel->num_cpus; i++) {
		work_on(&round->turns[i], i);
		if (round->turns[i].instructions > longest)
			longest = round->turns[i].instructions;
	}
	atomic_fetch_add(&channel->now_ticks, longest);
	round->end_ticks = atomic_load(&channel->now_ticks);
	rounds++;
	next_round = !next_round;
	atomic_store(&round->state, ROUND_DONE);
	ring();
	return true;
}

static void clear(void)
{
	memset(frames, 0, sizeof(frames));
	records = outside = marks = 0;
}

static void write_register(struct channel_request *request)
{
	unsigned socket = request->cpu / channel->cores_per_socket;

	switch (request->address) {
	case HARNESS_SCRATCH: scratch[socket] = request->value; break;
	case HARNESS_TRAFFIC:
		atomic_store(&channel->traffic, request->value != 0);
		break;
	case HARNESS_FRAME: frame = request->value; break;
	case HARNESS_CLEAR: clear(); break;
	case HARNESS_ONCE: once = request->value; break;
	case HARNESS_TAKE: take = request->value; break;
	default: request->fault = 1;
	}
}

static uint64_t read_register(struct channel_request *request)
{
	unsigned socket = request->cpu / channel->cores_per_socket;
	const uint32_t *counts = frames[frame < MAX_FRAMES ? frame : 0];

	switch (request->address) {
	case HARNESS_SCRATCH: return scratch[socket];
	case HARNESS_ONCE: return once;
	case HARNESS_CPU: return request->cpu;
	case HARNESS_TRAFFIC: return atomic_load(&channel->traffic);
	case HARNESS_READS: return counts[UNCORE_ACCESS_READ];
	case HARNESS_CODE: return counts[UNCORE_ACCESS_CODE];
	case HARNESS_OWNS: return counts[UNCORE_ACCESS_OWN];
	case HARNESS_WRITEBACKS: return counts[UNCORE_ACCESS_WRITEBACK];
	case HARNESS_CLEAN: return counts[CLEAN];
	case HARNESS_LINES: return counts[UNCORE_ACCESS_NT_WRITE];
	case HARNESS_PARTS: return counts[UNCORE_ACCESS_NT_PART];
	case HARNESS_RECORDS: return records;
	case HARNESS_OUTSIDE: return outside;
	case HARNESS_LOST: return atomic_load(&channel->lost);
	case HARNESS_INSTRUCTIONS: return instructions;
	case HARNESS_MARKS: return marks;
	case HARNESS_BAD_GAPS: return bad_gaps;
	case HARNESS_ROUNDS: return rounds;
	case HARNESS_FETCHES: return fetches[request->cpu];
	case HARNESS_TURNS: return turns[request->cpu];
	default: request->fault = 1; return 0;
	}
}

static bool serve_request(void)
{
	struct channel_request *request = &channel->request;

	if (atomic_load(&request->state) != REQUEST_MADE)
		return false;
	while (serve_round())
		;
	requests++;
	request->fault = 0;
	switch (request->kind) {
	case REQUEST_READ: request->value = read_register(request); break;
	case REQUEST_WRITE: write_register(request); break;
	case REQUEST_MARK_BEGIN:
		marks++;
		marked = true;
		atomic_store(&channel->traffic, 1);
		break;
	default:
		marks += UINT64_C(1) << 32;
		marked = false;
		atomic_store(&channel->traffic, 0);
	}
	atomic_store(&request->state, REQUEST_ANSWERED);
	ring();
	return true;
}

static int make_channel(char **argv)
{
	int fd = memfd_create("plugin-harness", 0);
	unsigned i;

	if (fd < 0 || ftruncate(fd, sizeof(*channel)) < 0)
		return -1;
	channel = mmap(NULL, sizeof(*channel), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	if (channel == MAP_FAILED)
		return -1;
	channel->magic = CHANNEL_MAGIC;
	channel->size_bytes = sizeof(*channel);
	channel->owner = (uint32_t)getpid();
	channel->tick_khz = TICK_MHZ * 1000;
	channel->ticks_per_instruction = 1;
	channel->num_sockets = (uint32_t)atoi(argv[1]);
	channel->cores_per_socket = (uint32_t)atoi(argv[2]);
	channel->num_cpus = channel->num_sockets * channel->cores_per_socket;
	channel->l1i_ways = 4;
	channel->l2_ways = 8;
	channel->l2_sets = 512;
	channel->tells_clean = 1;
	for (i = 0; i < channel->num_sockets; i++) {
		channel->ram_bytes[i] = (uint64_t)atoi(argv[3]) << 20;
		channel->ram_first[i] = i * channel->ram_bytes[i];
		channel->first_line[i] = LINE_OF_SOCKET(i);
	}
	for (i = 0; i < NUM_REGISTERS; i++)
		channel->registers[i] = HARNESS_FIRST + i;
	channel->num_registers = NUM_REGISTERS;
	if (getenv("HARNESS_TRAFFIC"))
		atomic_store(&channel->traffic, 1);
	if (getenv("HARNESS_FOR_EVER"))
		once = HARNESS_FOR_EVER;
	return fd;
}

static pid_t start(int fd, char **argv, int argc)
{
	char **command = calloc((size_t)argc + 8, sizeof(*command));
	char plugin[PATH_MAX];
	pid_t pid;
	int i, n = 0;

	snprintf(plugin, sizeof(plugin), "%s,channel=/proc/%d/fd/%d", argv[4],
		 (int)getpid(), fd);
	command[n++] = argv[5];
	if (strcmp(argv[4], "-") != 0) {
		command[n++] = "-plugin";
		command[n++] = plugin;
	}
	for (i = 6; i < argc; i++)
		command[n++] = argv[i];
	pid = fork();
	if (pid == 0) {
		execvp(command[0], command);
		fprintf(stderr, "plugin_harness: cannot execute %s: %s\n",
			command[0], strerror(errno));
		_exit(127);
	}
	free(command);
	return pid;
}

static void stop_listening(pid_t pid, int *status)
{
	atomic_store(&channel->stop, 1);
	ring();
	waitpid(pid, status, 0);
}

/* While all CPUs are halted; else the plugin has a time of its own. */
static void pass_time(void)
{
	static uint64_t before_ns;
	struct timespec now;
	uint64_t ns, ticks;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	ticks = (ns - before_ns) * TICK_MHZ / 1000;
	before_ns = ns;
	if (atomic_load(&channel->idle))
		atomic_fetch_add(&channel->now_ticks, ticks);
}

static void serve(pid_t pid, int *status)
{
	const char *stop = getenv("HARNESS_STOP");
	static const struct timespec timeout = { .tv_nsec =
							 WATCHED_MS * 1000000 };
	unsigned looks = 0;

	for (;;) {
		uint32_t bell = atomic_load(&channel->model_bell);

		pass_time();
		if (stop && requests >= strtoull(stop, NULL, 0)) {
			stop_listening(pid, status);
			return;
		}
		if (serve_round() | serve_request())
			looks = 0;
		else if (++looks < SPIN_LOOKS)
			sched_yield();
		else if (syscall(SYS_futex, &channel->model_bell, FUTEX_WAIT,
				 bell, &timeout, NULL, 0) < 0 &&
			 errno == ETIMEDOUT &&
			 waitpid(pid, status, WNOHANG) == pid)
			return;
	}
}

static double seconds_of_qemu(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

int main(int argc, char **argv)
{
	int fd, status = 0;
	pid_t pid;

	if (argc < 6) {
		fprintf(stderr, "plugin_harness SOCKETS CORES MIB-PER-SOCKET "
				"PLUGIN QEMU-COMMAND...\n");
		return 2;
	}
	fd = make_channel(argv);
	if (fd < 0) {
		perror("plugin_harness: memory");
		return 2;
	}
	pid = start(fd, argv, argc);
	if (pid < 0) {
		perror("plugin_harness: fork");
		return 2;
	}
	serve(pid, &status);
	fprintf(stderr,
		"harness: %llu requests, %llu rounds, %llu instructions, "
		"%llu records, %llu outside, %llu bad gaps, %llu lost, "
		"trace %llx, %.2f s of QEMU\n",
		(unsigned long long)requests, (unsigned long long)rounds,
		(unsigned long long)instructions, (unsigned long long)records,
		(unsigned long long)outside, (unsigned long long)bad_gaps,
		(unsigned long long)atomic_load(&channel->lost),
		(unsigned long long)trace, seconds_of_qemu());
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
