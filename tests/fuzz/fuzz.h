/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A harness is a file with one function that is given bytes of any kind. Built
 * with libFuzzer it is called by that, millions of times; built as everything
 * else is, by driver.c, with the seeds and some changes of them.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uncore_family;
struct uncore_model;

/* Returns 0, or -1 for an input that is not worth keeping. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes that are used up from the front; 0 behind the last one. */
struct fuzz_bytes {
	const uint8_t *data;
	size_t size;
};

uint64_t fuzz_number(struct fuzz_bytes *bytes, unsigned num_bytes);

/* The rest as a text, which the caller frees. */
char *fuzz_text(struct fuzz_bytes *bytes);

/* One of the families, by the first byte. */
const struct uncore_family *fuzz_family(struct fuzz_bytes *bytes);

/* What can never be: ends the process with the sentence. */
void fuzz_must(bool is_so, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The smallest machine there is, made anew: one socket of two cores. */
struct uncore_model *fuzz_model(void);

/* The same, kept for FUZZ_KEPT inputs, since making it takes longer than most
 * inputs do; NULL, or what is to be called before it is freed. */
enum { FUZZ_KEPT = 1000 };
struct uncore_model *fuzz_kept_model(void (*before)(void));

/* It is in a state from which no input can go on: the next one has another. */
void fuzz_drop_model(void);

/* A file without a name that has these bytes; the path is good until the next
 * call. */
const char *fuzz_file(const void *data, size_t size);

#endif
