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
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int msr[128];
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

static void open_registers(void)
{
	int fd = open("/msr.ko", O_RDONLY);
	char path[64];

	if (fd >= 0 && syscall(SYS_finit_module, fd, "", 0) < 0)
		printf("FAILED msr.ko: %s\n", strerror(errno));
	for (num_cpus = 0; num_cpus < 128; num_cpus++) {
		snprintf(path, sizeof(path), "/dev/cpu/%d/msr", num_cpus);
		msr[num_cpus] = open(path, O_RDWR);
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
	check(get(0, HARNESS_SCRATCH) == UINT64_C(0x123456789abcdef0) ||
		      get(0, HARNESS_SCRATCH) == UINT64_C(0xfedcba9876543210),
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

static void measure_registers(void)
{
	double begin = now();
	int i;

	for (i = 0; i < 100000; i++)
		get(0, HARNESS_SCRATCH);
	printf("%.0f reads per second on CPU 0\n", 100000 / (now() - begin));
	begin = now();
	for (i = 0; i < 100000; i++)
		get(0, HARNESS_LAST + 1);
	printf("%.0f reads per second of QEMU's\n", 100000 / (now() - begin));
	begin = now();
	for (i = 0; i < 5000; i++)
		get(num_cpus - 1, HARNESS_SCRATCH);
	printf("%.0f reads per second on last CPU\n", 5000 / (now() - begin));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	mkdir("/proc", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, "");
	mount("dev", "/dev", "devtmpfs", 0, "");
	printf("guest: uptime %.2f\n", now());
	open_registers();
	test_registers();
	measure_registers();
	printf("%s\n", failures ? "FAILED" : "PASSED");
	sync();
	reboot(RB_POWER_OFF);
	return 0;
}
