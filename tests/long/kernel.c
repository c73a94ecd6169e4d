/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A kernel in the manner of the NAS benchmarks, with OpenMP: the conjugate
 * gradient method on a sparse matrix whose entries lie in an order without a
 * pattern. Rows, entries of a row and steps are arguments. The matrix is
 * symmetric and its diagonal dominates, so the residual shrinks with each step;
 * it prints how far, and ends with 1 if it does not.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix {
	size_t rows;
	size_t width;	   /* entries of a row beside the diagonal */
	uint32_t *columns; /* rows * width */
	double diagonal;
};

/* Row i has -1 in the columns (i + d) and (i - d) for width / 2 distances d. */
static void make(struct matrix *matrix)
{
	size_t i, k;

	matrix->diagonal = (double)matrix->width + 1;
	matrix->columns =
		malloc(matrix->rows * matrix->width * sizeof(*matrix->columns));
	if (!matrix->columns)
		exit(2);
#pragma omp parallel for private(k)
	for (i = 0; i < matrix->rows; i++) {
		uint32_t *row = matrix->columns + i * matrix->width;

		for (k = 0; k < matrix->width; k += 2) {
			size_t d = (k + 1) * 7919 % matrix->rows;

			row[k] = (uint32_t)((i + d) % matrix->rows);
			row[k + 1] = (uint32_t)((i + matrix->rows - d) %
						matrix->rows);
		}
	}
}

static void multiply(const struct matrix *matrix, const double *x, double *y)
{
	size_t i;

#pragma omp parallel for
	for (i = 0; i < matrix->rows; i++) {
		const uint32_t *row = matrix->columns + i * matrix->width;
		double sum = matrix->diagonal * x[i];
		size_t k;

		for (k = 0; k < matrix->width; k++)
			sum -= x[row[k]];
		y[i] = sum;
	}
}

static double dot(const double *x, const double *y, size_t num)
{
	double sum = 0;
	size_t i;

#pragma omp parallel for reduction(+ : sum)
	for (i = 0; i < num; i++)
		sum += x[i] * y[i];
	return sum;
}

static void add(double *x, double factor, const double *y, size_t num)
{
	size_t i;

#pragma omp parallel for
	for (i = 0; i < num; i++)
		x[i] += factor * y[i];
}

static void scale_and_add(double *x, double factor, const double *y, size_t num)
{
	size_t i;

#pragma omp parallel for
	for (i = 0; i < num; i++)
		x[i] = factor * x[i] + y[i];
}

static double *vector(size_t num, double value)
{
	double *x = malloc(num * sizeof(*x));
	size_t i;

	if (!x)
		exit(2);
#pragma omp parallel for
	for (i = 0; i < num; i++)
		x[i] = value * (double)(1 + i % 17);
	return x;
}

int main(int argc, char **argv)
{
	struct matrix matrix = { 0 };
	double *solution, *residual, *direction, *image;
	double start, square;
	long steps;

	if (argc != 4)
		return 2;
	matrix.rows = strtoul(argv[1], NULL, 0);
	matrix.width = strtoul(argv[2], NULL, 0) / 2 * 2;
	make(&matrix);
	solution = vector(matrix.rows, 0);
	residual = vector(matrix.rows, 1);
	direction = vector(matrix.rows, 1);
	image = vector(matrix.rows, 0);
	start = square = dot(residual, residual, matrix.rows);
	for (steps = strtol(argv[3], NULL, 0); steps > 0; steps--) {
		double before = square;
		double step;

		multiply(&matrix, direction, image);
		step = square / dot(direction, image, matrix.rows);
		add(solution, step, direction, matrix.rows);
		add(residual, -step, image, matrix.rows);
		square = dot(residual, residual, matrix.rows);
		scale_and_add(direction, square / before, residual,
			      matrix.rows);
	}
	printf("residual below a tenth: %s\n",
	       sqrt(square / start) < 0.1 ? "yes" : "no");
	return sqrt(square / start) < 0.1 ? 0 : 1;
}
