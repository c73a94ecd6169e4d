/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A fault to find: sums the columns of a matrix whose rows are 4,096 bytes, so
 * that all cells of a column lie in one set of the L1D, and in eight of the L2.
 * -DMENDED: rows are a line longer.
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef MENDED
enum { PAD = 8 };
#else
enum { PAD = 0 };
#endif
enum { ROWS = 256, COLUMNS = 512, PASSES = 8 };

typedef double row[COLUMNS + PAD];

static double sum_columns(row *matrix)
{
	double sum = 0;

	for (int column = 0; column < COLUMNS; column++)
		for (int i = 0; i < ROWS; i++)
			sum += matrix[i][column] * (column + 1);
	return sum;
}

int main(void)
{
	row *matrix =
		aligned_alloc(4096, (ROWS + 1) * sizeof(row) / 4096 * 4096);
	double sum = 0;

	if (!matrix)
		return 1;
	for (int i = 0; i < ROWS; i++)
		for (int column = 0; column < COLUMNS; column++)
			matrix[i][column] = i + column;
	for (int i = 0; i < PASSES; i++)
		sum += sum_columns(matrix);
	printf("%g\n", sum);
	free(matrix);
	return 0;
}
