/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the files of a guest share: guest_channel.c makes the memory that QEMU's
 * plugin shares with us, guest_launch.c starts QEMU, guest.c serves it and ends
 * it, guest_traffic.c makes the rounds the model's traffic, guest_request.c
 * answers what the guest asks, guest_report.c hears what it tells of itself.
 */
#ifndef SERVER_GUEST_H
#define SERVER_GUEST_H

#include <sys/types.h>

#include "guest/plugin/channel.h"
#include "server/portion.h"
#include "uncore/guest.h"

struct uncore_family;
struct uncore_model;
struct recording;

/* Lines taken away while no round was worked on; they go back with the next. */
struct guest_leftover {
	struct channel_invalidation *list;
	uint32_t num, room;
	bool forget;
};

struct uncore_guest {
	struct uncore_live *live;
	struct uncore_guest_config config; /* strings: until started */
	const struct uncore_family *family;
	const char *machine, *brand;
	bool has_pci; /* the family has boxes in PCI functions */
	struct channel *channel;
	size_t size_bytes;
	int fd, report_fd;
	pid_t pid;
	bool ended;
	int wait_status;  /* once ended */
	bool is_up;	  /* the guest has said so */
	uint64_t idle_ns; /* of wall time while all CPUs were halted */
	unsigned num_cpus;
	double cycles_per_instruction;
	uint32_t tick_khz; /* of the time stamp counter */
	double ticks_per_instruction, ticks_per_cycle;
	double more_ticks; /* the guest's time less the model's */
	struct uncore_guest_status status;

	struct portion portion;
	struct channel_round *working; /* whose portion the model works on */
	unsigned next_round;	       /* that QEMU will hand over */
	bool in_region;		       /* between the marks */
	bool workload_ended;	       /* NONE */
	double owed_cycles;	       /* NONE: not yet passed */
	uint64_t seen_ns; /* when it was last looked whether CPUs are halted */
	struct guest_leftover leftovers[CHANNEL_MAX_CPUS];
	struct recording *recording;
};

/* guest.c: a parameter of the modelled machine. */
double guest_param(const struct uncore_guest *guest, const char *name);

/* guest_channel.c: the shared memory, filled in; 0 or an error. */
int guest_make_channel(struct uncore_guest *guest, char **error);
void guest_free_channel(struct uncore_guest *guest);

/* Tells the plugin that something has changed. */
void guest_ring(struct uncore_guest *guest);

/* guest_report.c: the file for what the guest tells; 0 or an error. */
int guest_make_report(struct uncore_guest *guest, char **error);
/* Whether it should have said by now that it is up. */
bool guest_is_late(struct uncore_guest *guest);
/* The guest has ended, or was ended because it was late: fills in its exit
 * status, and says what was wrong. */
void guest_take_report(struct uncore_guest *guest, bool late);

/* guest_launch.c: starts QEMU and waits for its plugin. */
int guest_launch(struct uncore_guest *guest, char **error);

/* guest.c: takes notice if QEMU has ended; true if it has. */
bool guest_poll(struct uncore_guest *guest);

/* The guest without QEMU: whoever tests plays its plugin. */
int guest_new(struct uncore_live *live,
	      const struct uncore_guest_config *config,
	      struct uncore_guest **guest, char **error);

/* guest_traffic.c */
void guest_start_traffic(struct uncore_guest *guest);
/* Works on the next round if QEMU has handed it over; true if it had. */
bool guest_serve_round(struct uncore_guest *guest, const volatile int *stop);
void guest_begin_region(struct uncore_guest *guest);
void guest_end_region(struct uncore_guest *guest, const volatile int *stop);
/* Says whether records are wanted. */
void guest_want_traffic(struct uncore_guest *guest);
/* All CPUs are halted until the guest's time is so many ticks, or for as long
 * as is done at a time. */
void guest_pass(struct uncore_guest *guest, uint64_t end_ticks);

/* guest_request.c: answers the request that was made. */
void guest_serve_request(struct uncore_guest *guest, const volatile int *stop);

#endif
