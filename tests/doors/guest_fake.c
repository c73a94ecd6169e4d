/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Stands in for QEMU: attaches to the channel as the plugin does, then acts as
 * $FAKE says. Its words go to $FAKE_WORDS, one a line.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/plugin/channel.h"

enum { EXIT_FAKE = 5, NUM_READS = 1000, NUM_LINES = 1000 };

static struct channel *attach(int argc, char **argv)
{
	struct channel *channel;
	const char *path = NULL;
	int fd;

	for (int i = 1; i < argc; i++)
		if (strstr(argv[i], ",channel="))
			path = strstr(argv[i], ",channel=") + 9;
	fd = path ? open(path, O_RDWR) : -1;
	if (fd < 0)
		exit(99);
	channel = mmap(NULL, sizeof(*channel), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	close(fd);
	if (channel == MAP_FAILED || channel->magic != CHANNEL_MAGIC)
		exit(99);
	return channel;
}

static void note_words(char **argv)
{
	const char *path = getenv("FAKE_WORDS");
	FILE *file = path ? fopen(path, "w") : NULL;

	for (; file && *argv; argv++)
		fprintf(file, "%s\n", *argv);
	if (file)
		fclose(file);
}

static void ring(struct channel *channel)
{
	atomic_fetch_add(&channel->model_bell, 1);
	syscall(SYS_futex, &channel->model_bell, FUTEX_WAKE, INT_MAX, NULL,
		NULL, 0);
}

static void await(_Atomic uint32_t *state, uint32_t value)
{
	while (atomic_load(state) != value)
		usleep(1);
}

static void ask(struct channel *channel, enum channel_request_kind kind,
		uint32_t cpu, uint32_t address)
{
	struct channel_request *request = &channel->request;

	request->kind = kind;
	request->cpu = cpu;
	request->address = address;
	atomic_store(&request->state, REQUEST_MADE);
	ring(channel);
	await(&request->state, REQUEST_ANSWERED);
	atomic_store(&request->state, REQUEST_NONE);
}

static void read_registers(struct channel *channel)
{
	for (unsigned i = 0; i < NUM_READS; i++)
		ask(channel, REQUEST_READ, i % channel->num_cpus,
		    channel->registers[i % channel->num_registers]);
}

/* A region in which one CPU reads so many lines of a socket. */
static void walk(struct channel *channel, struct channel_round *round,
		 unsigned cpu, unsigned socket, unsigned num_lines)
{
	struct channel_turn *turn = &round->turns[cpu];

	ask(channel, REQUEST_MARK_BEGIN, 0, 0);
	turn->instructions = turn->num_records = num_lines;
	for (unsigned i = 0; i < num_lines; i++)
		turn->records[i] = (struct uncore_access){
			.line = channel->first_line[socket] + i,
			.gap = 1,
			.kind = UNCORE_ACCESS_READ,
		};
	atomic_store(&round->state, ROUND_FULL);
	ring(channel);
	await(&round->state, ROUND_DONE);
	ask(channel, REQUEST_MARK_END, 0, 0);
}

int main(int argc, char **argv)
{
	const char *what = getenv("FAKE") ? getenv("FAKE") : "";
	struct channel *channel;

	note_words(argv);
	if (!strcmp(what, "exit"))
		return EXIT_FAKE;
	if (!strcmp(what, "signal"))
		raise(SIGKILL);
	if (!strcmp(what, "silent"))
		for (;;)
			pause();
	channel = attach(argc, argv);
	atomic_store(&channel->ready, 1);
	if (!strcmp(what, "exit-later"))
		return EXIT_FAKE;
	if (!strcmp(what, "signal-later"))
		raise(SIGKILL);
	if (!strcmp(what, "read"))
		read_registers(channel);
	if (!strcmp(what, "walk")) {
		walk(channel, &channel->rounds[0], 0, 0, NUM_LINES);
		walk(channel, &channel->rounds[1], channel->num_cpus - 1, 1,
		     2 * NUM_LINES);
	}
	if (!strcmp(what, "deaf"))
		signal(SIGTERM, SIG_IGN);
	while (!strcmp(what, "deaf") || !strcmp(what, "stay")) {
		/* An answer means that uncore is past its start. */
		ask(channel, REQUEST_READ, 0, channel->registers[0]);
		printf("here\n");
		fflush(stdout);
		atomic_store(&channel->idle, 1); /* all CPUs are halted */
		do {
			usleep(1000);
			channel->request.value =
				channel->now_ticks + channel->tick_khz;
			ask(channel, REQUEST_PASS, 0, 0);
		} while (!strcmp(what, "stay"));
		pause();
		atomic_store(&channel->idle, 0);
	}
	return 0;
}
