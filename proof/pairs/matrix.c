/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Matrices of doubles, by rows (which lie in memory one after the other) and by
 * columns. The argument is their width and height; all values are small whole
 * numbers, so that sums are exact in any order.
 */
#include "proof/pairs/pairs.h"

enum {
	BLOCK = 8, /* as many lines of a column as a set of the L1 has ways */
};

static double *from, *to, *left, sum;

static void fill(double *matrix, size_t num)
{
	for (size_t i = 0; i < num; i++)
		matrix[i] = (double)(i % 7);
}

static void lay(enum side side, size_t n)
{
	(void)side;
	from = pairs_memory(0, n * n * sizeof(double));
	fill(from, n * n);
}

static void lay_two(enum side side, size_t n)
{
	lay(side, n);
	to = pairs_memory(1, n * n * sizeof(double));
	for (size_t i = 0; i < n * n; i++)
		to[i] = 0;
}

static void lay_three(enum side side, size_t n)
{
	lay_two(side, n);
	left = pairs_memory(2, n * n * sizeof(double));
	fill(left, n * n);
}

static double result_sum(size_t n)
{
	(void)n;
	return sum;
}

/* Another one for each order of what is in a matrix. */
static double checksum(const double *matrix, size_t num)
{
	double result = 0;

	for (size_t i = 0; i < num; i++)
		result += (double)(i % 1009) * matrix[i];
	return result;
}

static double result_from(size_t n)
{
	return checksum(from, n * n);
}

static double result_to(size_t n)
{
	return checksum(to, n * n);
}

/* Both ways are one loop, with other steps. */
__attribute__((noinline)) static double sum_lines(size_t n, size_t line,
						  size_t element)
{
	double result = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			result += from[i * line + j * element];
	return result;
}

static void sum_columns(size_t n)
{
	sum = sum_lines(n, 1, n);
}

static void sum_rows(size_t n)
{
	sum = sum_lines(n, n, 1);
}

static void transpose_plainly(size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			to[j * n + i] = from[i * n + j];
}

static void transpose_block(size_t n, size_t row, size_t column)
{
	for (size_t i = row; i < row + BLOCK; i++)
		for (size_t j = column; j < column + BLOCK; j++)
			to[j * n + i] = from[i * n + j];
}

static void transpose_in_blocks(size_t n)
{
	for (size_t i = 0; i < n; i += BLOCK)
		for (size_t j = 0; j < n; j += BLOCK)
			transpose_block(n, i, j);
}

/* Each element gets the same from both. */
__attribute__((noinline)) static void store_lines(size_t n, size_t line,
						  size_t element)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			from[i * line + j * element] = (double)(int)(i + j);
}

static void store_columns(size_t n)
{
	store_lines(n, 1, n);
}

static void store_rows(size_t n)
{
	store_lines(n, n, 1);
}

/* The inner loop goes down a column of `from`. */
static void multiply_columns(size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double result = 0;

			for (size_t k = 0; k < n; k++)
				result += left[i * n + k] * from[k * n + j];
			to[i * n + j] = result;
		}
}

static void multiply_rows(size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			double factor = left[i * n + k];

			for (size_t j = 0; j < n; j++)
				to[i * n + j] += factor * from[k * n + j];
		}
}

static double around(const double *at, size_t n)
{
	return at[0] + at[-1] + at[1] + *(at - n) + at[n];
}

__attribute__((noinline)) static void stencil_lines(size_t n, size_t line,
						    size_t element)
{
	for (size_t i = 1; i < n - 1; i++)
		for (size_t j = 1; j < n - 1; j++) {
			size_t at = i * line + j * element;

			to[at] = around(&from[at], n);
		}
}

static void stencil_columns(size_t n)
{
	stencil_lines(n, 1, n);
}

static void stencil_rows(size_t n)
{
	stencil_lines(n, n, 1);
}

#define BY_COLUMNS_AND_ROWS(NAME)                                              \
	{                                                                      \
		NAME##_columns, NAME##_rows                                    \
	}

const struct pair matrix_pairs[] = {
	{ "sum", 1024, lay, BY_COLUMNS_AND_ROWS(sum), result_sum, false },
	{ "transpose",
	  1024,
	  lay_two,
	  { transpose_plainly, transpose_in_blocks },
	  result_to,
	  false },
	{ "transpose-1000",
	  1000,
	  lay_two,
	  { transpose_plainly, transpose_in_blocks },
	  result_to,
	  false },
	{ "store", 1024, lay, BY_COLUMNS_AND_ROWS(store), result_from, false },
	{ "store-1000", 1000, lay, BY_COLUMNS_AND_ROWS(store), result_from,
	  false },
	{ "product", 192, lay_three, BY_COLUMNS_AND_ROWS(multiply), result_to,
	  false },
	{ "stencil", 1024, lay_two, BY_COLUMNS_AND_ROWS(stencil), result_to,
	  false },
	{ 0 },
};
