/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Complaints of the model, counted. The model's lock is held while one is told,
 * so no other is needed.
 */
#include "complaints.h"

#include <inttypes.h>
#include <string.h>

#include "tool.h"

enum { MAX_PER_SECOND = 20 };

static struct complaint *find(struct complaints *complaints, const char *text)
{
	struct complaint *complaint;

	for (unsigned i = 0; i < COMPLAINTS_KEPT; i++) {
		complaint = &complaints->kept[i];
		if (!strncmp(complaint->text, text, COMPLAINT_LENGTH - 1))
			return complaint;
	}
	complaint = &complaints->kept[complaints->next++ % COMPLAINTS_KEPT];
	*complaint = (struct complaint){ .num = 0 };
	strncpy(complaint->text, text, COMPLAINT_LENGTH - 1);
	return complaint;
}

static bool is_power_of_ten(uint64_t number)
{
	while (number && number % 10 == 0)
		number /= 10;
	return number == 1;
}

static void tell(struct complaint *complaint, const char *when)
{
	if (complaint->num == 1)
		tool_warn("%s", complaint->text);
	else
		tool_warn("%s (%" PRIu64 " times %s)", complaint->text,
			  complaint->num, when);
	complaint->num_told = complaint->num;
}

static void tell_all(struct complaints *complaints)
{
	unsigned left_out = complaints->next > COMPLAINTS_KEPT
				    ? complaints->next - COMPLAINTS_KEPT
				    : 0;

	for (unsigned i = 0; i < COMPLAINTS_KEPT; i++)
		if (complaints->kept[i].num)
			tell(&complaints->kept[i], "in all");
	if (left_out)
		tool_warn("%u earlier complaints of the model were left out",
			  left_out);
}

static void tell_left_out(struct complaints *complaints)
{
	if (complaints->num_left_out)
		tool_warn("%" PRIu64 " other complaints of the model were "
			  "left out",
			  complaints->num_left_out);
	complaints->num_left_out = 0;
	complaints->num_told = 0;
}

void complaints_log(void *context, const char *text)
{
	struct complaints *complaints = context;
	struct complaint *complaint = find(complaints, text);
	struct timespec now;

	complaint->num++;
	if (complaints->is_held || !is_power_of_ten(complaint->num))
		return;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	if (now.tv_sec != complaints->second)
		tell_left_out(complaints);
	complaints->second = now.tv_sec;
	if (complaints->num_told++ < MAX_PER_SECOND)
		tell(complaint, "so far");
	else
		complaints->num_left_out++;
}

void complaints_finish(struct complaints *complaints)
{
	if (complaints->is_held) {
		tell_all(complaints);
		return;
	}
	tell_left_out(complaints);
	for (unsigned i = 0; i < COMPLAINTS_KEPT; i++)
		if (complaints->kept[i].num > complaints->kept[i].num_told &&
		    complaints->kept[i].num_told)
			tell(&complaints->kept[i], "in all");
}
