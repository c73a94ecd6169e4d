/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * First program of a Linux guest under plugin_harness: uses registers and
 * memory, and asks the harness what was seen of it.
 */
#include "tests/doors/plugin_harness.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, LINE = 64, LINES = PAGE / LINE, MAX_CPUS = 128, TRIES = 5 };

static int msr[MAX_CPUS];
static int num_cpus;
static int failures;

static void check(bool good, const char *what)
{
	printf("%s %s\n", good ? "ok" : "FAILED", what);
	failures += !good;
}

static uint64_t get(int cpu, uint32_t address)
{
	uint64_t value = ~UINT64_C(0);

	if (pread(msr[cpu], &value, 8, address) != 8)
		printf("FAILED reading %x on %d: %s\n", address, cpu,
		       strerror(errno));
	return value;
}

static void set(int cpu, uint32_t address, uint64_t value)
{
	if (pwrite(msr[cpu], &value, 8, address) != 8)
		printf("FAILED writing %x on %d: %s\n", address, cpu,
		       strerror(errno));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0)
		printf("FAILED affinity %d\n", cpu);
}

static void open_registers(void)
{
	int fd = open("/msr.ko", O_RDONLY);
	char path[64];

	if (fd >= 0 && syscall(SYS_finit_module, fd, "", 0) < 0)
		printf("FAILED msr.ko: %s\n", strerror(errno));
	for (num_cpus = 0; num_cpus < MAX_CPUS; num_cpus++) {
		snprintf(path, sizeof(path), "/dev/cpu/%d/msr", num_cpus);
		msr[num_cpus] = open(path, O_RDWR | O_CLOEXEC);
		if (msr[num_cpus] < 0)
			break;
	}
	printf("%d CPUs\n", num_cpus);
}

static void test_registers(void)
{
	uint64_t value;
	unsigned a, b, c, d;
	int i;

	for (i = 0; i < num_cpus; i++)
		if (get(i, HARNESS_CPU) != (uint64_t)i)
			check(false, "CPU number");
	set(0, HARNESS_SCRATCH, UINT64_C(0x123456789abcdef0));
	set(num_cpus - 1, HARNESS_SCRATCH, UINT64_C(0xfedcba9876543210));
	check(get(num_cpus - 1, HARNESS_SCRATCH) ==
		      UINT64_C(0xfedcba9876543210),
	      "scratch, last CPU");
	value = get(0, HARNESS_SCRATCH);
	check(value == UINT64_C(0x123456789abcdef0) ||
		      value == UINT64_C(0xfedcba9876543210),
	      "scratch, first CPU");
	check(pread(msr[0], &value, 8, HARNESS_FAULT) < 0 && errno == EIO,
	      "read fault");
	check(pwrite(msr[0], &value, 8, HARNESS_FAULT) < 0 && errno == EIO,
	      "write fault");
	check(pread(msr[0], &value, 8, HARNESS_LAST + 1) == 8 && !value,
	      "other registers are QEMU's");
	value = get(0, 0x10);
	check(__builtin_ia32_rdtsc() > value &&
		      __builtin_ia32_rdtsc() - value < 10000000,
	      "TSC");
	__cpuid(0xa, a, b, c, d);
	check(a == 0x07300403 && d == 0x603 && !b && !c, "CPUID");
	__cpuid(0, a, b, c, d);
	check(b == 0x756e6547, "CPUID of QEMU");
}

static void *map_at(void *where, size_t bytes, int protection)
{
	void *p = mmap(where, bytes, protection,
		       MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0),
		       -1, 0);

	if (p == MAP_FAILED) {
		printf("FAILED mmap: %s\n", strerror(errno));
		exit(1);
	}
	return p;
}

static uint64_t frame_of(const void *p)
{
	static int pagemap;
	static pid_t owner;
	uint64_t entry = 0;

	if (owner != getpid())
		pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	owner = getpid();
	if (pread(pagemap, &entry, 8, (off_t)((uintptr_t)p / PAGE * 8)) != 8)
		printf("FAILED pagemap\n");
	return entry & ((UINT64_C(1) << 55) - 1);
}

static void store(volatile char *page)
{
	int i;

	for (i = 0; i < LINES; i++)
		page[i * LINE] = (char)i;
}

/* How many lines of a frame were made one's own. */
static uint64_t owns(uint64_t frame)
{
	set(0, HARNESS_FRAME, frame);
	return get(0, HARNESS_OWNS);
}

static bool all_owned(uint64_t frame, const char *what)
{
	uint64_t seen = owns(frame);

	if (seen == LINES)
		return true;
	printf("%s: %llu of %d lines of frame %llx\n", what,
	       (unsigned long long)seen, LINES, (unsigned long long)frame);
	return false;
}

/* Stores to a page and looks for them in its frame. */
static bool stores_seen(char *page, const char *what)
{
	uint64_t frame;

	*(volatile char *)page = 1;
	frame = frame_of(page);
	set(0, HARNESS_CLEAR, 1);
	store(page);
	return all_owned(frame, what);
}

static void test_pages(int cpu)
{
	enum { PAGES = 48 };
	uint64_t frames[PAGES];
	char *area = map_at(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE);
	bool good = true;
	int i;

	run_on(cpu);
	for (i = 0; i < PAGES; i++) {
		area[i * PAGE] = 1;
		frames[i] = frame_of(area + i * PAGE);
	}
	set(0, HARNESS_CLEAR, 1);
	for (i = 0; i < PAGES; i++)
		store(area + i * PAGE);
	for (i = 0; i < PAGES; i++)
		good &= all_owned(frames[i], "pages");
	printf("CPU %d, frame %llx: ", cpu, (unsigned long long)frames[0]);
	check(good, "stores to pages");
	munmap(area, PAGES * PAGE);
}

static void test_remap(void)
{
	char *place = map_at(NULL, 2 * PAGE, PROT_READ | PROT_WRITE);
	uint64_t before, after;
	bool good = true;
	char *moved;
	int i;

	for (i = 0; i < 200; i++) {
		map_at(place, PAGE, PROT_READ | PROT_WRITE);
		good &= stores_seen(place, "mapped anew");
	}
	check(good, "mapped anew at the same address");
	before = frame_of(place);
	moved = mremap(place, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       place + PAGE);
	check(moved == place + PAGE && frame_of(moved) == before &&
		      stores_seen(moved, "moved"),
	      "mremap");
	map_at(place, PAGE, PROT_READ | PROT_WRITE);
	check(stores_seen(place, "behind"), "mapped where it was");
	after = frame_of(place);
	check(before != after && !owns(before), "nothing in the old frame");
	munmap(place, 2 * PAGE);
}

static void test_fork(void)
{
	char *page = map_at(NULL, PAGE, PROT_READ | PROT_WRITE);
	uint64_t parents, childs;
	bool good = true;
	int i, status;

	for (i = 0; i < 20; i++) {
		store(page);
		parents = frame_of(page);
		if (fork() == 0) {
			bool seen = stores_seen(page, "child");

			childs = frame_of(page);
			_exit(!(seen && childs != parents && !owns(parents)));
		}
		wait(&status);
		good &= status == 0;
		good &= frame_of(page) == parents;
		good &= stores_seen(page, "parent");
	}
	check(good, "copies on write after fork");
	munmap(page, PAGE);
}

/* Two processes on one CPU use the same address by turns. */
static void test_switch(void)
{
	char *page = map_at(NULL, PAGE, PROT_READ | PROT_WRITE);
	int to_child[2], to_parent[2];
	bool good = true;
	char byte = 0;
	int i, status;
	pid_t child;

	store(page);
	if (pipe(to_child) < 0 || pipe(to_parent) < 0)
		exit(1);
	child = fork();
	for (i = 0; i < 50; i++) {
		if (child && (write(to_child[1], &byte, 1) != 1 ||
			      read(to_parent[0], &byte, 1) != 1))
			exit(1);
		if (!child && read(to_child[0], &byte, 1) != 1)
			_exit(1);
		good &= stores_seen(page, child ? "parent" : "child");
		if (!child && write(to_parent[1], &byte, 1) != 1)
			_exit(1);
	}
	if (!child)
		_exit(!good);
	wait(&status);
	check(good && status == 0, "two address spaces by turns");
	munmap(page, PAGE);
}

static char *volatile shared;
static atomic_int stage;

static void *write_on_other(void *data)
{
	int seen = 0;

	(void)data;
	run_on(num_cpus - 1);
	while (seen >= 0) {
		int next = atomic_load(&stage);

		if (next == seen)
			continue;
		if (next > 0)
			store(shared);
		seen = next;
		atomic_store(&stage, seen = -seen);
		if (next == INT32_MAX)
			break;
		while (atomic_load(&stage) == seen)
			;
		seen = 0;
	}
	return NULL;
}

static void tell_other(int what)
{
	atomic_store(&stage, what);
	while (atomic_load(&stage) == what)
		;
}

/* Another CPU writes to an address whose page is exchanged. */
static void test_exchange(void)
{
	char *page = map_at(NULL, PAGE, PROT_READ | PROT_WRITE);
	char *kept = map_at(NULL, PAGE, PROT_READ | PROT_WRITE);
	bool good = true;
	pthread_t thread;
	int i;

	shared = page;
	run_on(0);
	store(page);
	pthread_create(&thread, NULL, write_on_other, NULL);
	for (i = 1; i <= 50; i++) {
		char *fresh = map_at(NULL, PAGE, PROT_READ | PROT_WRITE);
		uint64_t old = frame_of(page), frame;

		tell_other(2 * i);
		store(fresh);
		frame = frame_of(fresh);
		/* The old frame must not be anybody else's. */
		mremap(page, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, kept);
		mremap(fresh, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page);
		set(0, HARNESS_CLEAR, 1);
		tell_other(2 * i + 1);
		good &= all_owned(frame, "exchanged");
		good &= frame_of(page) == frame && !owns(old);
	}
	tell_other(INT32_MAX);
	pthread_join(thread, NULL);
	check(good, "page exchanged under another CPU");
	munmap(page, PAGE);
}

/* How many lines of the page are fetched when it is executed. They are taken
 * away again at the end of a round, and one that ends in the middle makes the
 * line fetched there count twice: so the least of some tries, none of which may
 * be less than the page has. */
static uint64_t lines_fetched(char *page, uint64_t frame)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t seen;

		set(0, HARNESS_CLEAR, 1);
		((void (*)(void))(uintptr_t)page)();
		set(0, HARNESS_FRAME, frame);
		seen = get(0, HARNESS_CODE);
		if (seen < least)
			least = seen;
	}
	return least;
}

static void test_code(void)
{
	enum { NOP = 0x90, RET = 0xc3 };
	char *page = map_at(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	uint64_t frame;

	memset(page, NOP, PAGE);
	page[PAGE - 1] = (char)RET;
	frame = frame_of(page);
	set(0, HARNESS_TAKE, 1);
	check(lines_fetched(page, frame) == LINES, "lines of code");
	munmap(page, PAGE);
}

/* The kernel writes for the program. */
static void test_kernel(void)
{
	char *page = map_at(NULL, PAGE, PROT_READ | PROT_WRITE);
	int fd = open("/dev/zero", O_RDONLY);
	uint64_t frame;

	*(volatile char *)page = 1;
	frame = frame_of(page);
	set(0, HARNESS_CLEAR, 1);
	check(read(fd, page, PAGE) == PAGE && all_owned(frame, "kernel"),
	      "stores of the kernel");
	close(fd);
	munmap(page, PAGE);
}

static void mark_begin(void)
{
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x01, 0x63, 0x6e, 0x75" ::
				 : "memory");
}

static void mark_end(void)
{
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x02, 0x63, 0x6e, 0x75" ::
				 : "memory");
}

static void test_marks(void)
{
	char *page = map_at(NULL, 3 * PAGE, PROT_READ | PROT_WRITE);
	uint64_t frames[3];
	int i;

	for (i = 0; i < 3; i++) {
		store(page + i * PAGE);
		frames[i] = frame_of(page + i * PAGE);
	}
	set(0, HARNESS_TRAFFIC, 0);
	set(0, HARNESS_CLEAR, 1);
	store(page);
	mark_begin();
	store(page + PAGE);
	mark_end();
	store(page + 2 * PAGE);
	check(get(0, HARNESS_MARKS) == UINT64_C(0x100000001), "marks");
	check(!owns(frames[0]) && all_owned(frames[1], "marked") &&
		      !owns(frames[2]),
	      "stores between the marks only");
	munmap(page, 3 * PAGE);
}

static void test_traffic(void)
{
	int i;

	/* In this order. A line that is stored to before lines are taken away
	 * stays the CPU's own for good, and a fork can set its frame free (the
	 * stack, the thread's data): stores of the page that gets the frame
	 * next do not have to ask for that line. */
	set(0, HARNESS_TAKE, 1);
	set(0, HARNESS_TRAFFIC, 1);
	for (i = 0; i<num_cpus; i += num_cpus> 4 ? num_cpus / 4 : 1)
		test_pages(i);
	test_pages(num_cpus - 1);
	run_on(0);
	test_remap();
	test_fork();
	test_switch();
	test_exchange();
	test_code();
	test_kernel();
	test_marks();
	set(0, HARNESS_TRAFFIC, 0);
	check(!get(0, HARNESS_OUTSIDE), "no line outside RAM");
	check(!get(0, HARNESS_LOST), "nothing lost");
	check(!get(0, HARNESS_BAD_GAPS), "gaps add up");
}

static void measure_reads(const char *what, int cpu, uint32_t address)
{
	double begin = now();
	int reads = 0;

	do
		for (int i = 0; i < 100; i++, reads++)
			get(cpu, address);
	while (now() < begin + 0.5);
	printf("%.0f reads per second %s\n", reads / (now() - begin), what);
}

static void measure_registers(void)
{
	measure_reads("on CPU 0", 0, HARNESS_SCRATCH);
	measure_reads("of QEMU's", 0, HARNESS_LAST + 1);
	measure_reads("on the last CPU", num_cpus - 1, HARNESS_SCRATCH);
}

static void walk(char *area, size_t bytes)
{
	double begin = now();
	size_t i;
	int k;

	for (k = 0; k < 4; k++)
		for (i = 0; i < bytes; i += LINE)
			((volatile char *)area)[i]++;
	printf("%.3f s for a walk\n", now() - begin);
}

static void measure_memory(void)
{
	enum { BYTES = 64 << 20 };
	char *area = map_at(NULL, BYTES, PROT_READ | PROT_WRITE);

	memset(area, 1, BYTES);
	set(0, HARNESS_TRAFFIC, 0);
	set(0, HARNESS_TAKE, 0);
	walk(area, BYTES);
	set(0, HARNESS_TRAFFIC, 1);
	walk(area, BYTES);
	set(0, HARNESS_TRAFFIC, 0);
	walk(area, BYTES);
	munmap(area, BYTES);
}

int main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	setvbuf(stdout, NULL, _IOLBF, 0);
	mkdir("/proc", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, "");
	mount("dev", "/dev", "devtmpfs", 0, "");
	printf("guest: uptime %.2f\n", now());
	open_registers();
	test_registers();
	if (getenv("measure"))
		measure_registers();
	test_traffic();
	if (getenv("measure")) {
		measure_registers();
		measure_memory();
	}
	printf("%s\n", failures ? "FAILED" : "PASSED");
	sync();
	reboot(RB_POWER_OFF);
	return 0;
}
