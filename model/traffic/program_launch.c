/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Starts Valgrind with the program: checks what was asked for, makes the shared
 * memory, and waits until the front end has answered.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "base/sized.h"
#include "base/spawn.h"
#include "base/text.h"
#include "model/model.h"
#include "model/traffic/program.h"
#include "model/traffic/program_find.h"
#include "model/traffic/program_folder.h"
#include "uncore/error.h"

#define LOG_FILE "UNCORE_VALGRIND_LOG"

enum {
	START_NAP_NS = 1000 * 1000,
	START_NAPS = 20000,
	LEAST_FRAMES = 1 << 16,
	MOST_DELAY = 1000,	    /* core cycles */
	DEFAULT_SKEW = 500000,	    /* core cycles, where there is no model */
	REPEATED_DATE = 1577836800, /* 1 January 2020, 0:00 UTC */
};

void uncore_program_config_init(struct uncore_program_config *config,
				struct uncore_model *model)
{
	unsigned nodes = socket_numa_nodes(model->sockets[0]), i;
	/* Of two nodes of a socket each is like one to programs. */
	struct uncore_program_config own = {
		.model = model,
		.num_sockets = uncore_model_sockets(model) * nodes,
		.cores_per_socket = uncore_model_cores(model) / nodes,
	};

	for (i = 0; i < own.num_sockets; i++) {
		own.num_lines[i] = uncore_model_memory_lines(model, 0) / nodes;
		own.first_line[i] = i * own.num_lines[i];
	}
	sized_give(config, &own, sizeof(own));
}

static int check_config(const struct uncore_program_config *config,
			char **error)
{
	unsigned i;

	if (!config->num_sockets || config->num_sockets > ARENA_MAX_SOCKETS ||
	    !config->cores_per_socket ||
	    config->num_sockets * config->cores_per_socket > ARENA_MAX_CORES)
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "%u sockets of %u cores do not fit: up to %d "
				  "sockets and %d cores are possible",
				  config->num_sockets, config->cores_per_socket,
				  ARENA_MAX_SOCKETS, ARENA_MAX_CORES);
	for (i = 0; i < config->num_sockets; i++)
		if (config->first_line[i] % ARENA_LINES_PER_PAGE ||
		    config->num_lines[i] < ARENA_LINES_PER_PAGE ||
		    config->first_line[i] + config->num_lines[i] >
			    PRIVCACHE_MAX_LINES)
			return text_error(UNCORE_ERR_BAD_PARAMETER, error,
					  "the memory of socket %u does not "
					  "fit: it must begin at a page and "
					  "end below 4 TB",
					  i);
	return 0;
}

static unsigned whole(double value)
{
	return (unsigned)(value + 0.5);
}

/* Of a generation that only steppings tell from another one; else 15. */
static unsigned last_stepping(const struct uc_family *family)
{
	unsigned stepping = 15;

	while (stepping &&
	       uc_family_of_cpu(family->cpuid_family, family->cpuid_model,
				stepping) != family)
		stepping--;
	return stepping;
}

/* What the front end wants to know of the machine. */
static void note_machine(struct arena *arena, const struct uncore_model *model)
{
	const double *param = model->param;
	unsigned ways = whole(param[PARAM_LLC_WAYS]);
	unsigned lines = (unsigned)(param[PARAM_LLC_SLICE] * 1024 / 64 + 0.5) *
			 model->num_slices / model->sockets[0]->num_nodes;

	arena->cycles_per_instruction =
		(unsigned)(param[PARAM_CORE_CPI] * 65536 + 0.5);
	arena->max_skew = whole(param[PARAM_CORE_SKEW]);
	arena->has_tlb = param[PARAM_CORE_TLB] > 0;
	arena->l1_cycles = whole(param[PARAM_CORE_L1_CYCLES]);
	arena->l2_cycles = whole(param[PARAM_CORE_L2_CYCLES]);
	arena->stlb_cycles = whole(param[PARAM_CORE_STLB_CYCLES]);
	arena->line_cycles = whole(param[PARAM_CORE_L2_LINE_CYCLES]);
	arena->fill_buffers = whole(param[PARAM_CORE_FILL_BUFFERS]);
	arena->window = whole(param[PARAM_CORE_WINDOW]);
	arena->store_buffer = whole(param[PARAM_CORE_STORE_BUFFER]);
	arena->peer_cycles = whole(param[PARAM_CORE_PEER_CYCLES]);
	arena->far_cycles = whole(param[PARAM_CORE_FAR_CYCLES]);
	for (unsigned i = 0; i < model->num_sockets * model->num_cores; i++) {
		arena->cores[i].cache.prefetchers =
			uncore_model_prefetchers(model, i);
		arena->cores[i].cache.queue = core_queue(param);
		arena->cores[i].cache.shape = core_caches(param);
	}
	arena->core_khz = whole(param[PARAM_CORE_CLOCK] * 1e3);
	arena->clock_hz = (uint64_t)(param[PARAM_CORE_CLOCK] * 1e6 + 0.5);
	arena->processor = model->family->cpuid_model;
	arena->stepping = last_stepping(model->family);
	arena->llc_ways = ways;
	arena->llc_sets = lines / ways;
	snprintf(arena->brand, sizeof(arena->brand), "%s",
		 uncore_model_machine(model));
}

/* What a limit of address space lets a process touch, no table needs more for.
 */
static uint32_t num_frames(void)
{
	struct rlimit limit;
	rlim_t frames = ARENA_MAX_FRAMES;

	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY)
		frames = limit.rlim_cur >> ARENA_PAGE_SHIFT;
	if (frames < LEAST_FRAMES)
		return LEAST_FRAMES;
	return frames < ARENA_MAX_FRAMES ? (uint32_t)frames : ARENA_MAX_FRAMES;
}

/* The file has no name. Its first byte is locked as long as this process lives,
 * by which the others know. */
static int make_arena(struct uncore_program *program,
		      const struct uncore_program_config *config, char **error)
{
	struct stat status;
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
	struct arena *arena;
	size_t size_bytes;
	unsigned i;
	int fd;

	program->model = config->model;
	program->num_sockets = config->num_sockets;
	program->num_cores = config->num_sockets * config->cores_per_socket;
	program->frames_per_socket = num_frames() / config->num_sockets;
	size_bytes =
		arena_size(config->num_sockets * program->frames_per_socket);
	program->stops_at_marks = config->stops_at_marks;
	fd = memfd_create("uncore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	program->files[PROGRAM_MEMORY] = fd;
	if (fd < 0 || ftruncate(fd, (off_t)size_bytes) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0 ||
	    fcntl(fd, F_SETLK, &lock) < 0)
		return text_error(UNCORE_ERR_NO_MEMORY, error,
				  "cannot make %zu bytes of shared memory: %s",
				  size_bytes, strerror(errno));
	arena = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (arena == MAP_FAILED)
		return text_error(
			UNCORE_ERR_NO_MEMORY, error,
			"cannot map %zu bytes of shared memory: %s; a "
			"limit of address space (ulimit -v) has to "
			"leave room for it, twice",
			size_bytes, strerror(errno));
	program->arena = arena;
	arena->magic = ARENA_MAGIC;
	arena->size_bytes = size_bytes;
	arena->num_sockets = config->num_sockets;
	arena->cores_per_socket = config->cores_per_socket;
	arena->scatter = config->placement == UNCORE_PROGRAM_SCATTER;
	arena->keeps_cpuid = config->keeps_cpuid;
	arena->keeps_cpus = config->keeps_cpus || !config->model;
	arena->has_stacks = config->keeps_callers;
	arena->has_sites = config->keeps_callers || config->keeps_sites;
	arena->next_look = config->keeps_sites ? 0 : UINT64_MAX;
	program->on_space = config->keeps_callers ? config->on_space : NULL;
	program->context = config->context;
	arena->has_kernel = config->counts_kernel;
	arena->starts_off = config->starts_off;
	if (isatty(STDERR_FILENO) && !fstat(STDERR_FILENO, &status))
		arena->terminal = status.st_rdev;
	arena->keeps_log = getenv(LOG_FILE) && *getenv(LOG_FILE);
	arena->repeats_random = config->repeats_random;
	for (i = 1; config->seed && i < ARENA_MAX_THREADS; i++)
		arena->threads[i].delay =
			(uint32_t)(random_at(config->seed, i) %
				   (MOST_DELAY + 1));
	arena->max_skew = DEFAULT_SKEW;
	for (i = 0; i < ARENA_MAX_CORES; i++) /* of no machine */
		arena->cores[i].cache.shape = (struct privcache_shape){
			.l1i_ways = 4, .l2_ways = 8, .l2_set_shift = 9
		};
	if (config->model)
		note_machine(arena, config->model);
	if (config->model && config->model->param[PARAM_MEMORY_FRAMES] > 0)
		arena->frame_seed = config->seed + 1;
	if (config->keeps_clock)
		arena->clock_hz = 0;
	arena->start_date =
		config->repeats_random ? REPEATED_DATE : (uint64_t)time(NULL);
	for (i = 0; i < config->num_sockets; i++) {
		uint64_t frames = config->num_lines[i] / ARENA_LINES_PER_PAGE;

		if (program->num_lines <
		    config->first_line[i] + config->num_lines[i])
			program->num_lines =
				config->first_line[i] + config->num_lines[i];
		arena->first_frame[i] =
			config->first_line[i] / ARENA_LINES_PER_PAGE;
		arena->num_frames[i] = frames < program->frames_per_socket
					       ? (uint32_t)frames
					       : program->frames_per_socket;
	}
	return 0;
}

static int note_path(char *to, const char *path, char **error)
{
	if (strlen(path) >= ARENA_PATH_BYTES)
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "the path %s is too long (more than %d "
				  "bytes); move the file",
				  path, ARENA_PATH_BYTES - 1);
	strcpy(to, path);
	return 0;
}

/* Where Valgrind and the tool are. */
static int note_host(struct uncore_program *program,
		     const struct uncore_program_config *config, char **error)
{
	struct arena *arena = program->arena;
	char *path = NULL;
	int result = program_find_valgrind(config, &path, error);

	if (!result)
		result = note_path(arena->program, path, error);
	free(path);
	if (result)
		return result;
	path = NULL;
	result = program_find_tool(config, &path, error);
	if (!result)
		result = note_path(arena->folder, path, error);
	free(path);
	if (result)
		return result;
	program->files[PROGRAM_PROC] =
		open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	program->files[PROGRAM_TOOL] = open(arena->folder, O_PATH | O_CLOEXEC);
	if (program->files[PROGRAM_PROC] < 0 ||
	    program->files[PROGRAM_TOOL] < 0)
		result = text_error(UNCORE_ERR_IO, error,
				    "cannot open /proc and %s: %s",
				    arena->folder, strerror(errno));
	if (strrchr(arena->folder, '/'))
		*strrchr(arena->folder, '/') = '\0';
	return result;
}

/* Two programs of one process differ by the number of their memory. */
int program_option(const struct uncore_program *program,
		   char text[PROGRAM_OPTION_BYTES])
{
	return snprintf(text, PROGRAM_OPTION_BYTES,
			"--arena=%d.%d:", (int)getpid(),
			program->files[PROGRAM_MEMORY]);
}

/* Waits until the front end has answered. */
static int await_front_end(struct uncore_program *program, char **error)
{
	const struct timespec nap = { 0, START_NAP_NS };
	const struct arena *arena = program->arena;
	unsigned naps;

	for (naps = 0; naps < START_NAPS; naps++) {
		if (atomic_load(&arena->ready))
			return 0;
		if (program_poll(program))
			break;
		nanosleep(&nap, NULL);
	}
	if (atomic_load(&arena->ready))
		return 0;
	return text_error(UNCORE_ERR_NO_HELPER, error,
			  "%s ended before the program began; what it said, if "
			  "anything, stands above. The tool in %s has to be "
			  "built for the Valgrind that is installed",
			  arena->program, arena->folder);
}

/* A list of strings for execve(); what stands in it is not its own. */
struct list {
	const char **item;
	size_t num;
};

static void add(struct list *list, const char *text)
{
	if (list->item)
		list->item[list->num++] = text;
}

static struct list new_list(const char *const *from, size_t more)
{
	struct list list = { NULL, 0 };
	size_t num = 0;

	while (from && from[num])
		num++;
	list.item = calloc(num + more + 1, sizeof(*list.item));
	return list;
}

static void add_all(struct list *list, const char *const *from)
{
	for (; from && *from; from++)
		add(list, *from);
}

/* Runs Valgrind without what it would read or say by itself. */
static int start(struct uncore_program *program,
		 const struct uncore_program_config *config, char **error)
{
	static const char *const options[] = {
		"--command-line-only=yes",
		"--tool=uncore",
		"-q",
		"--trace-children=yes",
		"--vgdb=no",
		"--fair-sched=yes",
		"--default-suppressions=no",
		"--sigill-diagnostics=no",
		"--max-threads=4000",
		NULL,
	};
	const char *const *environment =
		config->envp ? config->envp : (const char *const *)environ;
	const struct arena *arena = program->arena;
	struct list argv = new_list(config->argv, 20);
	struct list envp = new_list(environment, 2);
	char memory[PROGRAM_OPTION_BYTES];
	char folder[ARENA_PATH_BYTES + 16];
	char log[ARENA_PATH_BYTES + 16];
	char *name = NULL;
	int result = UNCORE_ERR_NO_MEMORY;
	int length;

	length = program_option(program, memory);
	snprintf(memory + length, sizeof(memory) - (size_t)length,
		 "%d:%d:%d:%d", program->files[PROGRAM_MEMORY],
		 program->files[PROGRAM_PROC], program->files[PROGRAM_TOOL],
		 program->files[PROGRAM_FOLDER]);
	snprintf(log, sizeof(log), "--log-file=%s",
		 arena->keeps_log ? getenv(LOG_FILE) : "");
	snprintf(folder, sizeof(folder), "VALGRIND_LIB=%s", arena->folder);
	add(&argv, arena->program);
	add_all(&argv, options);
	if (getenv("UNCORE_CHECK_CODE"))
		add(&argv, "--check-code=yes");
	add(&argv, memory);
	if (arena->keeps_log)
		add(&argv, log);
	/* must not look like an option */
	if (asprintf(&name, "%s%s", config->argv[0][0] == '-' ? "./" : "",
		     config->argv[0]) < 0)
		name = NULL;
	add(&argv, name);
	add_all(&argv, config->argv + 1);
	add_all(&envp, environment);
	add(&envp, folder);
	if (argv.item && envp.item && name)
		result =
			spawn(&(struct spawn){ .path = arena->program,
					       .argv = (char **)argv.item,
					       .envp = (char **)envp.item,
					       .death_signal = SIGKILL,
					       .fixed_addresses = true,
					       .files = program->files,
					       .num_files = PROGRAM_NUM_FILES },
			      &program->pid, error);
	else
		text_error(result, error, "out of memory");
	free(argv.item);
	free(envp.item);
	free(name);
	return result;
}

int program_launch(struct uncore_program *program,
		   const struct uncore_program_config *config, char **error)
{
	char *path = NULL;
	int result = check_config(config, error);

	if (!result)
		result = program_find_target(config, &path, error);
	if (!result)
		result = program_check(path, error);
	if (!result)
		result = make_arena(program, config, error);
	if (!result)
		result = note_host(program, config, error);
	if (!result)
		result = program_folder_make(&program->folder,
					     &program->files[PROGRAM_FOLDER],
					     error);
	if (!result)
		result = start(program, config, error);
	free(path);
	return result ? result : await_front_end(program, error);
}
