/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Registers that plugin_harness.c has instead of a model, for programs that run
 * in its guest and check themselves what became of their accesses.
 */
#ifndef TESTS_DOORS_PLUGIN_HARNESS_H
#define TESTS_DOORS_PLUGIN_HARNESS_H

enum {
	HARNESS_SCRATCH = 0xc00, /* keeps what is written, per socket */
	HARNESS_FAULT = 0xc01,	 /* raises #GP */
	HARNESS_TRAFFIC = 0xc02, /* whether records are wanted */
	HARNESS_FRAME = 0xc03,	 /* guest frame that is asked about */
	HARNESS_CLEAR = 0xc04,	 /* write: all counts are 0 */
	HARNESS_CPU = 0xc05,	 /* who reads */
	HARNESS_READS = 0xc06,	 /* records in that frame: READ */
	HARNESS_CODE = 0xc07,
	HARNESS_OWNS = 0xc08,
	HARNESS_WRITEBACKS = 0xc09, /* of changed lines */
	HARNESS_RECORDS = 0xc0a,    /* of all frames */
	HARNESS_OUTSIDE = 0xc0b,    /* whose line is nobody's RAM */
	HARNESS_LOST = 0xc0c,
	HARNESS_INSTRUCTIONS = 0xc0d, /* since the start */
	HARNESS_TAKE = 0xc0e,	      /* 1: every line is taken away again */
	HARNESS_MARKS = 0xc0f,	      /* begins and (from bit 32) ends seen */
	HARNESS_BAD_GAPS = 0xc10,     /* turns whose gaps did not add up */
	HARNESS_ROUNDS = 0xc11,
	HARNESS_TURNS = 0xc12,	 /* with instructions, of the reader */
	HARNESS_ONCE = 0xc13,	 /* keeps what is written */
	HARNESS_FOR_EVER = 2,	 /* in that one: the guest is not to end */
	HARNESS_FETCHES = 0xc14, /* look-ups in the reader's L1I */
	HARNESS_LINES = 0xc15,	 /* records in the frame: NT_WRITE */
	HARNESS_PARTS = 0xc16,	 /* NT_PART */
	HARNESS_CLEAN = 0xc17,	 /* WRITEBACK of lines that were not changed */
	HARNESS_FIRST = 0xc00,
	HARNESS_LAST = 0xc17,
};

#endif
