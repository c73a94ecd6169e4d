/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The settings of an M-Box, a memory controller with two SMI channels in
 * lockstep (guide 2.7), and the codes of what its B-Box asks for. All times are
 * uncore cycles unless a name says otherwise.
 */
#ifndef UNCORE_MBOX_H
#define UNCORE_MBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fault/fault.h"
#include "model/pmu/signal.h"
#include "model/sim/sim.h"
#include "model/station/dram.h"

/* Whether a page stays open after an access. */
enum mbox_page_policy {
	MBOX_PAGE_OPEN,	    /* until another row or a refresh needs the bank */
	MBOX_PAGE_CLOSED,   /* the last column command closes it */
	MBOX_PAGE_ADAPTIVE, /* one or the other, by what would have helped; open
			     * pages are closed when idle */
};

/* Codes of Table 2-74, sched_mode. */
enum mbox_sched {
	MBOX_SCHED_TRADEOFF = 0, /* reads first until writes pile up */
	MBOX_SCHED_RDPRIO = 1,	 /* writes only if no read waits or no room */
	MBOX_SCHED_WRPRIO = 2,	 /* writes first */
	MBOX_SCHED_ADAPTIVE = 3, /* one of the above, by the share of writes */
};

/* What the B-Box may ask for; codes of Table 2-83. */
enum mbox_command {
	MBOX_CMD_READ = 0,
	MBOX_CMD_WRITE = 1,
	MBOX_CMD_MERGE = 2, /* bytes of a partial write into the line read */
	MBOX_CMD_V2F = 3,   /* victim buffer to fill buffer, */
	MBOX_CMD_V2V = 4,   /* to another victim buffer; */
	MBOX_CMD_F2V = 5,   /* fill buffer to victim buffer, */
	MBOX_CMD_F2B = 6,   /* once more to the B-Box */
	MBOX_CMD_SPRWR = 7, /* a write to the spare rank */
	MBOX_NUM_COMMANDS,
	MBOX_POISONED = 0x10, /* with a write: the line is known to be bad */
};

/* How a command ended; codes of Table 2-82. */
enum mbox_response {
	MBOX_RSP_ACK = 0,
	MBOX_RSP_RETRY = 1,	/* counted only: the B-Box goes on waiting */
	MBOX_RSP_COR = 2,	/* good, after a correction or a retry */
	MBOX_RSP_UNCOR = 3,	/* the data are poisoned */
	MBOX_RSP_SPEC_ACK = 4,	/* good, and early: before the check of ECC */
	MBOX_RSP_SPR_ACK = 5,	/* as ACK, of a rank that is being spared */
	MBOX_RSP_SPR_UNCOR = 7, /* as UNCOR, of such a rank */
	MBOX_NUM_RESPONSES,
};

/* Errors that the M-Box has found and dealt with. */
enum mbox_error {
	MBOX_ERROR_CORRECTED,	/* by ECC or by doing it again */
	MBOX_ERROR_UNCORRECTED, /* the line is poisoned */
};
typedef void mbox_error_fn(void *object, enum mbox_error error);

/* A DIMM's temperature follows its power through one thermal resistance and
 * one capacity: dT/dt = (ambient + power * resistance - T) / tau. */
struct mbox_heat_config {
	unsigned dimms;		       /* on each DDR3 bus: 1 or 2 */
	double ambient_c, lo_c, mid_c; /* trip points of the sensor */
	double resistance_k_per_w;
	double tau_cycles;
	double cycle_ns;
	double idle_w, row_nj, column_nj, refresh_nj; /* of one DIMM */
	uint64_t look_cycles;	  /* from reading a sensor to the next time */
	uint64_t throttle_cycles; /* a hot DIMM rests so long, then works */
	double fault_k;		  /* injected heat: so much at most, */
	uint64_t fault_cycles;	  /* in so long up, and down again */
};

struct mbox_config {
	struct dram_config dram;
	enum mbox_page_policy page_policy;
	enum mbox_sched sched;
	unsigned read_queue_entries; /* of the dispatch queue */
	unsigned write_queue_entries;
	unsigned write_high_entries; /* trade-off: writes first from here on, */
	unsigned write_low_entries;  /* until no more than these are left */
	unsigned retry_queue_entries;  /* commands waiting: M-Box is full */
	unsigned retry_resume_entries; /* takes commands again */
	unsigned retry_starve_entries; /* the retry queue counts as starved */
	unsigned front_cycles; /* MAP, PGT, DSP: arrival to first SMI frame */
	unsigned smi_cycles;   /* SMI link and memory buffer, one way */
	unsigned response_cycles;  /* FVC: data or acceptance to the B-Box */
	unsigned write_frames;	   /* SMI frames for the data of one write */
	uint64_t page_idle_cycles; /* adaptive: idle page is closed; 0: never */
	uint64_t patrol_interval_cycles;   /* patrol scrub reads; 0: none */
	unsigned page_window, mode_window; /* adaptive: translations */
	unsigned buffer_cycles;	   /* FVC: a line from buffer to buffer */
	unsigned early_ack_cycles; /* data of reads come so much earlier, with
				    * SPEC_ACK; 0: never */
	unsigned sync_frames;	   /* frames from SYNC to SYNC; 0: none */
	bool has_init;		   /* the run begins with initialisation */
	unsigned link_init_frames; /* of the link to the memory buffers */
	/* An idle rank is put to sleep after so long; 0: never. */
	uint64_t power_down_cycles;
	uint64_t self_refresh_cycles;
	/* Errors: */
	unsigned fast_reset_frames; /* the link is down for so long */
	unsigned error_trials;	    /* repetitions of an uncorrectable read */
	unsigned loss_limit;	    /* losses of a command in a row */
	uint64_t spare_lines;	    /* of a rank that sparing copies; 0: all */
	struct mbox_heat_config heat;
	bool has_check; /* every DRAM command is held against JEDEC's rules */
	/* What goes wrong (NULL: nothing), at which instance (box=), and who
	 * is told (NULL: nobody). */
	struct faults *faults;
	unsigned instance;
	unsigned num_fvids; /* that sub-registers can name: 64, or 32 */
	mbox_error_fn *on_error;
	void *on_error_object;
};

struct socket;

/* The parameters as an M-Box wants them; to be checked before use. */
void mbox_configure(const struct socket *socket, struct mbox_config *config);

/* NULL or a sentence that says which setting cannot be. */
const char *mbox_config_check(const struct mbox_config *config);

#endif
