/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Values as text: numbers of one width, bars, points of a line.
 */
#include <math.h>
#include <string.h>

#include "top.h"

enum { EIGHTHS = 8 };

/* From one eighth of a cell to a whole one: from the left, and from below. */
static const char *const across[] = {
	"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"
};
static const char *const upright[] = { " ", "▁", "▂", "▃", "▄",
				       "▅", "▆", "▇", "█" };
static const char *const plain[] = {
	" ", "_", ".", "-", "=", "+", "*", "%", "#"
};

const char *top_number(char text[TOP_NUMBER_BYTES], double value,
		       double largest)
{
	static const char letters[] = " kMGTPE";
	size_t letter = 0;
	int digits;

	if (isnan(value)) {
		snprintf(text, TOP_NUMBER_BYTES, "n/a");
		return text;
	}
	largest = fabs(largest);
	while (largest >= 999.95 && letters[letter + 1]) {
		largest /= 1000;
		value /= 1000;
		letter++;
	}
	if (value == 0)
		digits = 0;
	else
		digits = fabs(value) >= 99.995	 ? 1
			 : fabs(value) >= 9.9995 ? 2
						 : 3;
	if (value != 0 && fabs(value) < 0.0005 && !letter)
		snprintf(text, TOP_NUMBER_BYTES, "%.1e", value);
	else
		snprintf(text, TOP_NUMBER_BYTES, "%.*f%c", digits, value,
			 value == 0 ? ' ' : letters[letter]);
	text[strcspn(text, " ")] = '\0';
	return text;
}

/* In eighths; what is more than nothing is seen. */
static size_t eighths(double part, size_t cells)
{
	double wanted =
		isnan(part) ? 0 : fmin(part, 1) * (double)cells * EIGHTHS;

	if (!(wanted > 0))
		return 0;
	return wanted < 1 ? 1 : (size_t)(wanted + 0.5);
}

void top_bar(char *text, double part, size_t cells, bool is_ascii)
{
	size_t full = eighths(part, cells), whole = full / EIGHTHS;

	*text = '\0';
	for (size_t i = 0; i < cells; i++) {
		if (is_ascii)
			strcat(text, i < whole || (!i && full) ? "#" : ".");
		else if (i < whole)
			strcat(text, across[EIGHTHS]);
		else
			strcat(text, i == whole && full % EIGHTHS
					     ? across[full % EIGHTHS]
					     : " ");
	}
}

const char *top_point(double part, bool is_ascii)
{
	if (isnan(part))
		return " ";
	return (is_ascii ? plain : upright)[eighths(part, 1)];
}
