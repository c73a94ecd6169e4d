/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A model that several clients use at a time and whose clock runs by itself:
 * what stands behind every door; and two of the doors, a socket and a tree of
 * files. All calls of uncore_live_*() are thread safe. Registers are
 * addressed as a logical CPU sees them, CPU n being core n % cores of socket
 * n / cores.
 *
 * Functions return 0 or a negative UNCORE_ERR_*.
 */
#ifndef UNCORE_LIVE_H
#define UNCORE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_model;
struct uncore_model_pmi;
struct uncore_live;

/* What makes the uncore clock go. */
enum uncore_live_clock {
	UNCORE_LIVE_REAL, /* wall time, as far as the model keeps up */
	UNCORE_LIVE_FREE, /* as fast as the model can */
	UNCORE_LIVE_STEP, /* uncore_live_step() alone */
};

/* One access of a batch. */
struct uncore_live_op {
	uint32_t cpu;
	uint8_t bytes; /* 0: a register; 1, 2, 4: so much of the configuration
			* space of a PCI function, see model.h */
	uint64_t address;
	bool is_write;
	int code;	/* out: 0, UNCORE_ERR_GP, UNCORE_ERR_SOCKET */
	uint64_t value; /* to write; or out: what was read */
};

struct uncore_live_status {
	enum uncore_live_clock clock;
	uint64_t cycle;
	uint64_t accesses;  /* of the traffic, so far */
	bool traffic_ended; /* the machine is idle and will stay so */
	double clock_hz;
	double modelled_seconds; /* since the start */
	double wall_seconds;	 /* since the start */
	double lag_seconds;	 /* the model is behind wall time (REAL) */
	uint64_t reads, writes;	 /* of registers, by all clients */
	uint64_t faults;	 /* of them, #GP */
};

/* The model is the caller's, who must not touch it until the live model is
 * freed, except inside uncore_live_enter(). NULL without memory. */
struct uncore_live *uncore_live_new(struct uncore_model *model,
				    enum uncore_live_clock clock);

/* Starts the clock; without it time stands still (STEP needs no start). */
int uncore_live_start(struct uncore_live *live);

/* Stops the clock. NULL is allowed. */
void uncore_live_free(struct uncore_live *live);

/* Logical CPUs of the machine. */
unsigned uncore_live_cpus(const struct uncore_live *live);

/* The model to the caller alone, as soon as the clock's present slice (well
 * below a millisecond) is over; PMIs are handed out by uncore_live_leave(). */
struct uncore_model *uncore_live_enter(struct uncore_live *live);
void uncore_live_leave(struct uncore_live *live);

/* RDMSR and WRMSR on a logical CPU. UNCORE_ERR_GP where the processor refuses,
 * UNCORE_ERR_SOCKET for a CPU that is not there. */
int uncore_live_read(struct uncore_live *live, unsigned cpu, uint64_t address,
		     uint64_t *value);
int uncore_live_write(struct uncore_live *live, unsigned cpu, uint64_t address,
		      uint64_t value);

/* All of a batch in its order, at one cycle, which is returned. Each has its
 * own code. */
uint64_t uncore_live_batch(struct uncore_live *live, struct uncore_live_op *ops,
			   size_t num);

/* Advances by exactly so many cycles. UNCORE_ERR_STATE when the clock runs by
 * itself. The lock is let go now and then, so that others are not kept out;
 * *stop (NULL: never) ends it early. */
int uncore_live_step(struct uncore_live *live, uint64_t cycles,
		     const volatile int *stop);

uint64_t uncore_live_cycle(struct uncore_live *live);
void uncore_live_status(struct uncore_live *live,
			struct uncore_live_status *status);

/* Who wants to hear of PMIs; called with the lock held, must return soon and
 * not call back. Several may be there. Returns a handle, or NULL. */
struct uncore_live_listener *uncore_live_listen(
	struct uncore_live *live,
	void (*pmi)(void *context, const struct uncore_model_pmi *pmi),
	void *context);
void uncore_live_unlisten(struct uncore_live *live,
			  struct uncore_live_listener *listener);

/* The registers of a live model at a Unix socket, for programs of the same
 * user; wire.h and docs/formats.md describe the protocol. */
struct uncore_server;

/* Listens at a path, which only the owner may use, and answers in a thread of
 * its own. A socket file whose server is dead is replaced, a living one
 * refused (UNCORE_ERR_STATE). On error *error (to be freed) is a sentence. */
int uncore_server_new(struct uncore_live *live, const char *path,
		      struct uncore_server **server, char **error);

/* Ends all connections and removes the file. NULL is allowed. */
void uncore_server_free(struct uncore_server *server);

/* The registers of a live model as a tree of files, like Linux's /dev/cpu or
 * /proc/bus/pci:
 *
 *   DIR/<cpu>/msr   8-byte reads and writes at offset = register address
 * or
 *   DIR/BB/DD.F     the configuration space of a function, bus, device and
 *                   function in hexadecimal
 *   DIR/devices     a line for each, as the kernel's
 * and in both
 *   DIR/clock       the uncore cycle; with a stepped clock, writing a number
 *                   of cycles advances by so many
 *   DIR/status      what is modelled, and how far it lags, "key: value" lines
 */
struct uncore_regfs;

struct uncore_regfs_config {
	size_t struct_size; /* sizeof, by the caller */
	const char *folder; /* must exist */
	bool allow_other;   /* everybody may use it, not the owner alone */
	bool is_pci;	    /* PCI functions, not MSRs */
};

/* Mounts; *fs is to be freed with uncore_regfs_free(), which unmounts. A mount
 * that a dead server left behind is replaced; a living one is refused
 * (UNCORE_ERR_STATE); UNCORE_ERR_BAD_OPTION if the processor has no PCI
 * functions. On error *error (to be freed) is a sentence. */
int uncore_regfs_new(struct uncore_live *live,
		     const struct uncore_regfs_config *config,
		     struct uncore_regfs **fs, char **error);

/* Answers in all of them until one is unmounted from outside, or until
 * uncore_regfs_stop() of one. */
int uncore_regfs_run(struct uncore_regfs *const *trees, size_t num,
		     char **error);

/* May be called from a signal handler and from any thread. */
void uncore_regfs_stop(struct uncore_regfs *fs);

/* Whether a mount that a dead server left behind was replaced. */
bool uncore_regfs_has_replaced(const struct uncore_regfs *fs);

/* Unmounts, though clients may have files open: they get errors from then on.
 * NULL is allowed. */
void uncore_regfs_free(struct uncore_regfs *fs);

#ifdef __cplusplus
}
#endif

#endif
