/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * With a the accesses of a window, x its row of columns (accesses,
 * computing, classes), near the accesses that it stands for, T the totals
 * of the columns between windows, and k a diagonal matrix of penalties:
 *
 *     D = near / a^2                         how much a window's row counts
 *     M = sum(D x x') + k
 *     w = D x' M^-1 T                        its weight
 *     h = D x' M^-1 x                        its leverage
 *
 *     gap = T - sum(w x)                     what the penalties leave
 *
 * which is what a regression of an event on the columns, without a constant,
 * says of T. Accesses alone make the ratio estimator: sum(y) / sum(a) times T.
 * With sqrt(D) x = Q R, k's root below it, nothing is inverted: w is
 * sqrt(D) Q z with R' z = T, h the square of a row of Q, and residuals are
 * y - Q Q' y; what the gap is worth is gap' R^-1 Q' y.
 *
 * Choices: classes are put together and dropped by their counts alone. A
 * weight below 0 would let an estimate be less than what was counted; such a
 * window stands for itself only, and the others are weighed again.
 */
#include "session/weights.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "uncore/error.h"

/* Of a column's mean square: classes; computing, of which some hundredth is
 * under way at a window's edges, so that windows which differ by less do so by
 * where they were cut. Accesses come out exactly. */
#define PENALTY		 0.003
#define PENALTY_COMPUTED 0.0001

/* The part of a column's square that must be left beside those before it. */
#define LEAST_LEFT 1e-12

/* A window that was cut short counts as a fourth of one, or its row would
 * outweigh all others. */
#define LEAST_SIZE 0.25

/* What a window decides by itself cannot be seen from the others. */
#define LEAST_FREE 1e-6

/* How far accesses that no window shows may be from the mean of all, as a part
 * of it: with the caution and the t of an error (windows_count.c) as far as it
 * is from none. */
#define PART_UNSEEN 0.34

/* How often windows may fall out before fewer columns are tried. */
enum { MAX_ROUNDS = 12 };

/* Which column a class is in; the last one may have several. */
struct columns {
	size_t num, num_common;
	bool has[WEIGHTS_MAX_COLUMNS][WEIGHTS_MAX_CLASSES];
};

static const double *row_of(const struct weights_counts *counts, size_t window)
{
	return counts->classes + window * counts->num_classes;
}

/* Sets the roots of D; windows that stand for nothing else have 0. */
static void set_roots(const struct weights_counts *counts,
		      struct weights *weights)
{
	double sum = 0, num = 0;

	for (size_t i = 0; i < counts->num; i++) {
		double accesses = row_of(counts, i)[WEIGHTS_ACCESSES];

		weights->roots[i] = accesses > 0 && counts->near[i] > 0;
		sum += weights->roots[i] * accesses;
		num += weights->roots[i];
	}
	for (size_t i = 0; i < counts->num; i++)
		if (weights->roots[i] > 0)
			weights->roots[i] =
				sqrt(counts->near[i]) /
				fmax(row_of(counts, i)[WEIGHTS_ACCESSES],
				     LEAST_SIZE * sum / num);
}

static size_t num_used(const struct weights *weights)
{
	size_t num = 0;

	for (size_t i = 0; i < weights->num; i++)
		num += weights->roots[i] > 0;
	return num;
}

/* How many accesses of a class there were, as far as it matters here. */
static double worth(const struct weights_counts *counts,
		    const struct weights *weights, size_t class)
{
	double sum = counts->totals[class];

	for (size_t i = 0; i < counts->num; i++)
		if (weights->roots[i] > 0)
			sum += row_of(counts, i)[class];
	return sum;
}

/* The most frequent class that has no column yet, or num_classes. */
static size_t next_class(const double *worths, const bool *is_placed,
			 size_t num_classes)
{
	size_t best = num_classes;

	for (size_t i = WEIGHTS_COMMON; i < num_classes; i++)
		if (!is_placed[i] && worths[i] > 0 &&
		    (best == num_classes || worths[i] > worths[best]))
			best = i;
	return best;
}

/* Columns of their own for the most frequent classes, one for all others. */
static void choose(const struct weights_counts *counts,
		   const struct weights *weights, size_t most,
		   struct columns *columns)
{
	double worths[WEIGHTS_MAX_CLASSES];
	bool is_placed[WEIGHTS_MAX_CLASSES] = { false };
	size_t class;

	*columns = (struct columns){ 0 };
	for (size_t i = 0; i < counts->num_classes; i++)
		worths[i] = worth(counts, weights, i);
	for (class = 0; class < WEIGHTS_COMMON && class < counts->num_classes &&
			class < most;
	     class ++)
		columns->has[columns->num++][class] = true;
	columns->num_common = columns->num;
	while (columns->num < most - 1 &&
	       (class = next_class(worths, is_placed, counts->num_classes)) <
		       counts->num_classes) {
		columns->has[columns->num++][class] = true;
		is_placed[class] = true;
	}
	if (columns->num >= most)
		return;
	for (class = WEIGHTS_COMMON; class < counts->num_classes; class ++)
		columns->has[columns->num][class] = !is_placed[class];
	columns->num++;
}

static double sum_of(const bool *has, const double *row, size_t num_classes)
{
	double sum = 0;

	for (size_t i = 0; i < num_classes; i++)
		if (has[i])
			sum += row[i];
	return sum;
}

static double product(const double *a, const double *b, size_t num)
{
	double sum = 0;

	for (size_t i = 0; i < num; i++)
		sum += a[i] * b[i];
	return sum;
}

/* What a factoring works on: the columns of the basis, their triangle, and the
 * totals in the columns' units. */
struct factors {
	const struct weights_counts *counts;
	struct weights *weights;
	size_t length; /* of a column: windows, then penalties */
	double triangle[WEIGHTS_MAX_COLUMNS][WEIGHTS_MAX_COLUMNS];
	double totals[WEIGHTS_MAX_COLUMNS];
	double roots[WEIGHTS_MAX_COLUMNS]; /* of penalties */
};

static double *column_of(const struct factors *factors, size_t column)
{
	return factors->weights->basis + column * factors->length;
}

/* Writes a column, of length 1, and its total; false if there is none of it. */
static bool fill(struct factors *factors, const bool *has, size_t column)
{
	const struct weights_counts *counts = factors->counts;
	double *to = column_of(factors, column), length;

	memset(to, 0, factors->length * sizeof(*to));
	for (size_t i = 0; i < counts->num; i++)
		to[i] = factors->weights->roots[i] *
			sum_of(has, row_of(counts, i), counts->num_classes);
	length = sqrt(product(to, to, counts->num));
	if (length <= 0)
		return false;
	for (size_t i = 0; i < counts->num; i++)
		to[i] /= length;
	factors->totals[column] =
		sum_of(has, counts->totals, counts->num_classes) / length;
	return true;
}

/* Takes from a column what those before it have of it (twice: the second time
 * takes what rounding left), and makes its length 1; the square of what was
 * left. */
static double straighten(struct factors *factors, size_t column)
{
	double *to = column_of(factors, column), left;

	for (size_t i = 0; i < column; i++)
		factors->triangle[i][column] = 0;
	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < column; i++) {
			const double *from = column_of(factors, i);
			double part = product(from, to, factors->length);

			factors->triangle[i][column] += part;
			for (size_t j = 0; j < factors->length; j++)
				to[j] -= part * from[j];
		}
	left = product(to, to, factors->length);
	factors->triangle[column][column] = sqrt(left);
	for (size_t j = 0; left > 0 && j < factors->length; j++)
		to[j] /= factors->triangle[column][column];
	return left;
}

/* Whether a column is that of all accesses or all computing. */
static bool is_common(const bool *has)
{
	return has[WEIGHTS_ACCESSES] || has[WEIGHTS_COMPUTED];
}

static double penalty_of(const bool *has)
{
	if (is_common(has))
		return has[WEIGHTS_ACCESSES] ? 0 : PENALTY_COMPUTED;
	return PENALTY;
}

/* Whether a column says nothing about a window that the others would not
 * know: of fewer windows' worth than one needs, or a sum of other columns. */
static bool is_idle(struct factors *factors, const bool *has, size_t column)
{
	double sum = 0;

	if (!fill(factors, has, column))
		return true;
	for (size_t i = 0; i < factors->counts->num; i++)
		sum += column_of(factors, column)[i];
	if (!is_common(has) && sum * sum < WEIGHTS_PER_COLUMN)
		return true;
	return straighten(factors, column) < LEAST_LEFT;
}

/* Leaves out idle columns. The rarest come first after those of all accesses
 * and computing, so that of classes that make up all accesses the most
 * frequent one goes, which the others tell; the penalty of a rare one is small.
 */
static void drop(struct factors *factors, struct columns *columns)
{
	struct columns all = *columns;

	columns->num = 0;
	for (size_t i = 0; i < all.num; i++) {
		size_t from = is_common(all.has[i])
				      ? i
				      : all.num - 1 - (i - all.num_common);

		if (!is_idle(factors, all.has[from], columns->num))
			memcpy(columns->has[columns->num++], all.has[from],
			       sizeof(all.has[from]));
	}
}

static void factor(struct factors *factors, const struct columns *columns)
{
	const size_t num = factors->counts->num;

	factors->weights->num_columns = columns->num;
	for (size_t i = 0; i < columns->num; i++) {
		fill(factors, columns->has[i], i);
		factors->roots[i] = sqrt(penalty_of(columns->has[i]));
		column_of(factors, i)[num + i] = factors->roots[i];
		straighten(factors, i);
	}
}

/* result = R'^-1 right */
static void substitute(const struct factors *factors, const double *right,
		       double *result)
{
	for (size_t i = 0; i < factors->weights->num_columns; i++) {
		result[i] = right[i];
		for (size_t j = 0; j < i; j++)
			result[i] -= factors->triangle[j][i] * result[j];
		result[i] /= factors->triangle[i][i];
	}
}

/* w = sqrt(D) Q z with R' z = T */
static void solve(const struct factors *factors)
{
	struct weights *weights = factors->weights;
	double parts[WEIGHTS_MAX_COLUMNS];

	memset(weights->weights, 0, weights->num * sizeof(*weights->weights));
	substitute(factors, factors->totals, parts);
	for (size_t i = 0; i < weights->num_columns; i++)
		for (size_t j = 0; j < weights->num; j++)
			weights->weights[j] += weights->roots[j] *
					       column_of(factors, i)[j] *
					       parts[i];
}

/* What the gap is worth, for parts Q' y of an event. Below the windows Q R is
 * the root of the penalties, so the gap is that times Q z. */
static void set_gaps(const struct factors *factors)
{
	struct weights *weights = factors->weights;
	const size_t num = weights->num;
	double parts[WEIGHTS_MAX_COLUMNS], gaps[WEIGHTS_MAX_COLUMNS];

	substitute(factors, factors->totals, parts);
	for (size_t i = 0; i < weights->num_columns; i++) {
		gaps[i] = 0;
		for (size_t j = 0; j < weights->num_columns; j++)
			gaps[i] += column_of(factors, j)[num + i] * parts[j];
		gaps[i] *= factors->roots[i];
	}
	substitute(factors, gaps, weights->gaps);
}

/* Windows of negative weight fall out; whether there were any. */
static bool leave_negative(struct weights *weights)
{
	bool any = false;

	for (size_t i = 0; i < weights->num; i++)
		if (weights->weights[i] < 0) {
			weights->roots[i] = weights->weights[i] = 0;
			any = true;
		}
	return any;
}

/* With so many columns at most; false if too many windows fell out. */
static bool try_columns(struct factors *factors, size_t most)
{
	struct weights *weights = factors->weights;
	size_t all;

	set_roots(factors->counts, weights);
	all = num_used(weights);
	for (unsigned round = 0; round < MAX_ROUNDS; round++) {
		struct columns columns;

		choose(factors->counts, weights, most, &columns);
		drop(factors, &columns);
		factor(factors, &columns);
		solve(factors);
		if (!leave_negative(weights))
			return true;
		if (2 * num_used(weights) < all)
			return false;
	}
	return false;
}

/* The error of a total that adds to what was seen: w (1 + w) in the place of
 * w^2 has the spread of what was not seen in it, too. */
static void set_spreads(const struct factors *factors)
{
	struct weights *weights = factors->weights;

	for (size_t i = 0; i < weights->num; i++) {
		double weight = weights->weights[i], leverage = 0;

		for (size_t j = 0; j < weights->num_columns; j++) {
			double part = column_of(factors, j)[i];

			leverage += part * part;
		}
		weights->spreads[i] = sqrt(weight * (1 + weight)) /
				      fmax(1 - leverage, LEAST_FREE);
	}
}

/* Computing that weighted windows have too little or too much of, as a part of
 * what they have: all that comes with it may be off by as much. */
static double unseen_computing(const struct weights_counts *counts,
			       const struct weights *weights)
{
	double total, sum = 0;

	if (counts->num_classes <= WEIGHTS_COMPUTED)
		return 0;
	total = counts->totals[WEIGHTS_COMPUTED];
	for (size_t i = 0; i < counts->num; i++)
		sum += weights->weights[i] *
		       row_of(counts, i)[WEIGHTS_COMPUTED];
	return fabs(total - sum) / fmax(1, sum);
}

/* Accesses of classes that too few windows had, and that no weight makes up
 * for: taken for ones of other classes, but who knows. */
static void set_unseen(const struct weights_counts *counts,
		       struct weights *weights)
{
	double unseen = 0;

	for (size_t class = WEIGHTS_COMMON; class < counts->num_classes;
	     class ++) {
		double sum = 0, squares = 0, left = counts->totals[class];

		for (size_t i = 0; i < counts->num; i++) {
			double num = row_of(counts, i)[class];

			if (weights->roots[i] <= 0)
				continue;
			sum += num;
			squares += num * num;
			left -= weights->weights[i] * num;
		}
		if (sum * sum < WEIGHTS_PER_COLUMN * squares || sum <= 0)
			unseen += fmax(0, left);
	}
	weights->unseen = unseen / fmax(1, counts->totals[WEIGHTS_ACCESSES]) +
			  unseen_computing(counts, weights);
}

static bool make_room(const struct weights_counts *counts,
		      struct weights *weights)
{
	const size_t num = counts->num + 1; /* never none */

	*weights = (struct weights){ .num = counts->num };
	weights->weights = calloc(num, sizeof(*weights->weights));
	weights->spreads = calloc(num, sizeof(*weights->spreads));
	weights->roots = calloc(num, sizeof(*weights->roots));
	weights->basis =
		calloc((num + WEIGHTS_MAX_COLUMNS) * WEIGHTS_MAX_COLUMNS,
		       sizeof(*weights->basis));
	return weights->weights && weights->spreads && weights->roots &&
	       weights->basis;
}

int weights_make(const struct weights_counts *counts, struct weights *weights)
{
	struct factors factors = {
		.counts = counts,
		.weights = weights,
		.length = counts->num + WEIGHTS_MAX_COLUMNS,
	};
	size_t most;

	if (!make_room(counts, weights))
		return UNCORE_ERR_NO_MEMORY;
	set_roots(counts, weights);
	most = num_used(weights) / WEIGHTS_PER_COLUMN;
	if (most > WEIGHTS_MAX_COLUMNS)
		most = WEIGHTS_MAX_COLUMNS;
	/* accesses and computing, before accesses alone, which have no weight
	 * below 0 */
	while (most > 1 && !try_columns(&factors, most))
		most = most == 3 ? 2 : most / 2;
	if (most <= 1)
		try_columns(&factors, 1);
	set_spreads(&factors);
	set_gaps(&factors);
	set_unseen(counts, weights);
	weights->num_used = num_used(weights);
	return 0;
}

void weights_clear(struct weights *weights)
{
	free(weights->weights);
	free(weights->spreads);
	free(weights->roots);
	free(weights->basis);
	*weights = (struct weights){ 0 };
}

void weights_influences(const struct weights *weights, const double *values,
			double *influences)
{
	const size_t num = weights->num, length = num + WEIGHTS_MAX_COLUMNS;
	double parts[WEIGHTS_MAX_COLUMNS];

	for (size_t i = 0; i < num; i++)
		influences[i] = weights->roots[i] * values[i];
	for (size_t j = 0; j < weights->num_columns; j++)
		parts[j] =
			product(weights->basis + j * length, influences, num);
	influences[num] = product(weights->gaps, parts, weights->num_columns);
	influences[num + 1] = PART_UNSEEN * weights->unseen *
			      product(weights->weights, values, num);
	for (size_t j = 0; j < weights->num_columns; j++)
		for (size_t i = 0; i < num; i++)
			influences[i] -=
				weights->basis[j * length + i] * parts[j];
	for (size_t i = 0; i < num; i++)
		if (weights->roots[i] > 0)
			influences[i] *=
				weights->spreads[i] / weights->roots[i];
}
