/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Calls whose buffers the kernel copies, for kernel.py. Each begins with SIZE
 * bytes for each of two buffers, no line of them in any cache:
 *
 *   none SIZE      that is all
 *   read SIZE      one read() into a buffer, of a file
 *   write SIZE     one write() from a buffer
 *   readv SIZE     read() into two halves of a buffer, the second half first
 *   writev SIZE    write() from them
 *   pread SIZE     pread() and
 *   pwrite SIZE    pwrite()
 *   pipe SIZE      a thread on another core waits in read() for what the first
 *                  one writes from the other buffer; no more than a pipe holds
 *   refused SIZE   write() to a descriptor that is not open
 *   clear SIZE     one store to each page of memory that is new
 *   copy SIZE      the same in a child, to pages of its parent
 */
#include <pthread.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tool/traffic.h"

static volatile uint8_t *first, *second;
static size_t size;
static int ends[2];

static int file(void)
{
	int fd = memfd_create("kernel", 0);

	if (fd < 0 || ftruncate(fd, (off_t)size)) {
		perror("memfd_create");
		exit(REFUSED);
	}
	return fd;
}

static int result_of(ssize_t done)
{
	return done == (ssize_t)size ? 0 : WRONG;
}

static struct iovec *halves(void)
{
	static struct iovec vectors[2];

	vectors[0].iov_base = (void *)(first + size / 2);
	vectors[1].iov_base = (void *)first;
	vectors[0].iov_len = vectors[1].iov_len = size / 2;
	return vectors;
}

static void *await_all(void *unused)
{
	size_t done = 0;
	ssize_t got = 1;

	(void)unused;
	pin("1");
	while (done < size && got > 0) {
		got = read(ends[0], (void *)(second + done), size - done);
		done += got > 0 ? (size_t)got : 0;
	}
	return NULL;
}

static int through_pipe(void)
{
	pthread_t thread;
	int result;

	if (pipe(ends) || pthread_create(&thread, NULL, await_all, NULL))
		return REFUSED;
	usleep(1000); /* it waits by now */
	result = result_of(write(ends[1], (void *)first, size));
	close(ends[1]);
	pthread_join(thread, NULL);
	return result;
}

static void store_pages(volatile uint8_t *memory)
{
	for (size_t at = 0; at < size; at += PAGE)
		memory[at] = 2;
}

static int in_child(void)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		store_pages(first);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status ? WRONG : 0;
}

int main(int argc, char **argv)
{
	const char *deed = argc > 2 ? argv[1] : "";

	pin("0");
	size = argc > 2 ? number(argv[2]) : 0;
	first = cold(size);
	second = cold(size);
	if (!strcmp(deed, "none"))
		return 0;
	if (!strcmp(deed, "read"))
		return result_of(read(file(), (void *)first, size));
	if (!strcmp(deed, "write"))
		return result_of(write(file(), (void *)first, size));
	if (!strcmp(deed, "readv"))
		return result_of(readv(file(), halves(), 2));
	if (!strcmp(deed, "writev"))
		return result_of(writev(file(), halves(), 2));
	if (!strcmp(deed, "pread"))
		return result_of(pread(file(), (void *)first, size, 0));
	if (!strcmp(deed, "pwrite"))
		return result_of(pwrite(file(), (void *)first, size, 0));
	if (!strcmp(deed, "refused"))
		return write(-1, (void *)first, size) < 0 ? 0 : WRONG;
	if (!strcmp(deed, "pipe"))
		return through_pipe();
	if (!strcmp(deed, "clear")) {
		store_pages(fresh(size));
		return 0;
	}
	return strcmp(deed, "copy") ? USAGE : in_child();
}
