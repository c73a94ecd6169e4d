/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * For random_bytes.py: gets random bytes in each way that is named, and prints
 * them, a line each; "none" gets none.
 */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUM_BYTES = 16, HALF = NUM_BYTES / 2, OPENAT2 = 437 };

typedef unsigned char bytes[NUM_BYTES];

static void from_call(unsigned char *to)
{
	if (getrandom(to, NUM_BYTES, 0) != NUM_BYTES)
		exit(2);
}

static void from_entropy(unsigned char *to)
{
	if (getentropy(to, NUM_BYTES))
		exit(2);
}

static void take(int file, unsigned char *to)
{
	if (file < 0 || read(file, to, NUM_BYTES) != NUM_BYTES)
		exit(2);
	close(file);
}

static void from_random(unsigned char *to)
{
	take(open("/dev/random", O_RDONLY), to);
}

static void from_urandom(unsigned char *to)
{
	take(open("/dev/urandom", O_RDONLY), to);
}

static void from_other_path(unsigned char *to)
{
	if (chdir("/dev/shm"))
		exit(2);
	take(open("../././urandom", O_RDONLY), to);
}

static void from_folder(unsigned char *to)
{
	take(openat(open("/dev", O_RDONLY | O_DIRECTORY), "urandom", O_RDONLY),
	     to);
}

static void from_openat2(unsigned char *to)
{
	uint64_t how[3] = { O_RDONLY };
	long file =
		syscall(OPENAT2, AT_FDCWD, "/dev/urandom", how, sizeof(how));

	if (file < 0) /* neither kernel nor Valgrind need have it */
		from_urandom(to);
	else
		take((int)file, to);
}

static void from_copy_of_file(unsigned char *to)
{
	take(dup(open("/dev/urandom", O_RDONLY)), to);
}

static void from_parts(unsigned char *to)
{
	struct iovec parts[2] = { { to, HALF }, { to + HALF, HALF } };

	if (readv(open("/dev/urandom", O_RDONLY), parts, 2) != NUM_BYTES)
		exit(2);
}

static void from_place(unsigned char *to)
{
	if (pread(open("/dev/urandom", O_RDONLY), to, NUM_BYTES, 0) !=
	    NUM_BYTES)
		exit(2);
}

static void from_input(unsigned char *to)
{
	if (read(STDIN_FILENO, to, NUM_BYTES) != NUM_BYTES)
		exit(2);
}

/* Where the kernel moves no such bytes to a pipe, they are read. */
static void from_splice(unsigned char *to)
{
	int file = open("/dev/urandom", O_RDONLY), ends[2];

	if (pipe(ends))
		exit(2);
	if (splice(file, NULL, ends[1], NULL, NUM_BYTES, 0) == NUM_BYTES)
		take(ends[0], to);
	else
		take(file, to);
}

static void from_start(unsigned char *to)
{
	memcpy(to, (const void *)getauxval(AT_RANDOM), NUM_BYTES);
}

static void from_start_by_kernel(unsigned char *to)
{
	int ends[2];

	if (pipe(ends) || write(ends[1], (const void *)getauxval(AT_RANDOM),
				NUM_BYTES) != NUM_BYTES)
		exit(2);
	take(ends[0], to);
}

/* The second of two words. */
static void from_start_in_part(unsigned char *to)
{
	memset(to, 0, NUM_BYTES);
	memcpy(to, (const char *)getauxval(AT_RANDOM) + HALF, HALF);
}

static void from_request(unsigned char *to)
{
	struct iocb request = {
		.aio_fildes = (unsigned)open("/dev/urandom", O_RDONLY),
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_buf = (uintptr_t)to,
		.aio_nbytes = NUM_BYTES,
	};
	struct iocb *requests[] = { &request };
	struct io_event event;
	aio_context_t context = 0;

	if (syscall(SYS_io_setup, 1, &context) ||
	    syscall(SYS_io_submit, context, 1, requests) != 1 ||
	    syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1)
		from_urandom(to); /* kernels need not have it */
}

static void *map_ring(int ring, size_t size_bytes, off_t offset)
{
	void *at = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			ring, offset);

	if (at == MAP_FAILED)
		exit(2);
	return at;
}

/* Where there are no rings, as a library does. */
static void from_ring(unsigned char *to)
{
	struct io_uring_params how = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 1, &how);
	struct io_uring_sqe *request;
	char *queue;

	if (ring < 0) {
		from_urandom(to);
		return;
	}
	queue = map_ring(ring, how.sq_off.array + sizeof(unsigned),
			 IORING_OFF_SQ_RING);
	request = map_ring(ring, sizeof(*request), IORING_OFF_SQES);
	*request = (struct io_uring_sqe){
		.opcode = IORING_OP_READ,
		.fd = open("/dev/urandom", O_RDONLY),
		.addr = (uintptr_t)to,
		.len = NUM_BYTES,
	};
	*(unsigned *)(queue + how.sq_off.array) = 0;
	*(volatile unsigned *)(queue + how.sq_off.tail) = 1;
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS,
		    NULL, 0) != 1)
		exit(2);
}

static int digit(int letter)
{
	return letter <= '9' ? letter - '0' : letter - 'a' + 10;
}

static void from_uuid(unsigned char *to)
{
	static const char form[] = "########-####-4###-#####";
	char text[64];
	int file = open("/proc/sys/kernel/random/uuid", O_RDONLY), n = 0;

	if (read(file, text, 9) != 9 ||
	    read(file, text + 9, sizeof(text) - 9) != 28 || text[36] != '\n')
		exit(2);
	for (int i = 0; i < 36; i++)
		if (i < 23 && form[i] != '#' && text[i] != form[i])
			exit(2);
		else if (text[i] != '-' && n < 2 * NUM_BYTES) {
			to[n / 2] = (unsigned char)(to[n / 2] << 4 |
						    digit(text[i]));
			n++;
		}
}

static void from_rdrand(unsigned char *to)
{
	unsigned long long value;

	for (int i = 0; i < NUM_BYTES; i += 8) {
		__asm__ volatile("rdrand %0" : "=r"(value) : : "cc");
		memcpy(to + i, &value, sizeof(value));
	}
}

static void from_rdseed(unsigned char *to)
{
	unsigned long long value;

	for (int i = 0; i < NUM_BYTES; i += 8) {
		do /* it may have none at the moment */
			__asm__ volatile("rdseed %0" : "=r"(value) : : "cc");
		while (!value);
		memcpy(to + i, &value, sizeof(value));
	}
}

static void *in_thread(void *to)
{
	from_call(to);
	return NULL;
}

static void from_thread(unsigned char *to)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, in_thread, to) ||
	    pthread_join(thread, NULL))
		exit(2);
}

/* From a process that this one has made. */
static void of_child(unsigned char *to, void (*make)(unsigned char *, int))
{
	int ends[2], status;

	if (pipe(ends))
		exit(2);
	if (!fork()) {
		make(to, ends[1]);
		_exit(0);
	}
	take(ends[0], to);
	wait(&status);
}

static void write_call(unsigned char *to, int file)
{
	from_call(to);
	if (write(file, to, NUM_BYTES) != NUM_BYTES)
		_exit(2);
}

static void from_child(unsigned char *to)
{
	of_child(to, write_call);
}

static void write_other_program(unsigned char *to, int file)
{
	(void)to;
	dup2(file, STDOUT_FILENO);
	execl("/proc/self/exe", "traffic_random", "raw", NULL);
	_exit(2);
}

static void from_other_program(unsigned char *to)
{
	of_child(to, write_other_program);
}

/* A key as the C library draws one, but drawn by the program. */
static void from_short_call(unsigned char *to)
{
	static unsigned char key[8];

	if (getrandom(key, sizeof(key), GRND_NONBLOCK) != sizeof(key))
		exit(2);
	memset(to, 0, NUM_BYTES);
	memcpy(to, key, sizeof(key));
}

static void from_nowhere(unsigned char *to)
{
	void *block = malloc(NUM_BYTES); /* has the C library draw its key */

	memset(to, 0, NUM_BYTES);
	free(block);
}

static const struct {
	const char *name;
	void (*get)(unsigned char *to);
} ways[] = {
	{ "call", from_call },		{ "short", from_short_call },
	{ "entropy", from_entropy },	{ "random", from_random },
	{ "urandom", from_urandom },	{ "path", from_other_path },
	{ "folder", from_folder },	{ "openat2", from_openat2 },
	{ "dup", from_copy_of_file },	{ "parts", from_parts },
	{ "place", from_place },	{ "input", from_input },
	{ "splice", from_splice },	{ "start", from_start },
	{ "rdrand", from_rdrand },	{ "rdseed", from_rdseed },
	{ "thread", from_thread },	{ "child", from_child },
	{ "exec", from_other_program }, { "none", from_nowhere },
	{ "request", from_request },	{ "ring", from_ring },
	{ "uuid", from_uuid },		{ "written", from_start_by_kernel },
	{ "half", from_start_in_part },
};

static void show(const char *name)
{
	bytes got;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(ways[i].name, name))
			continue;
		ways[i].get(got);
		printf("%s ", name);
		for (int n = 0; n < NUM_BYTES; n++)
			printf("%02x", got[n]);
		puts("");
		return;
	}
	exit(2);
}

int main(int argc, char **argv)
{
	bytes got;

	if (argc == 2 && !strcmp(argv[1], "raw")) {
		from_call(got);
		return write(STDOUT_FILENO, got, NUM_BYTES) != NUM_BYTES;
	}
	for (int i = 1; i < argc; i++)
		show(argv[i]);
	return 0;
}
