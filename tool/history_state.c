/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What boxes held when `--freeze-after` stopped everything.
 */
#include <stdio.h>

#include "history.h"
#include "tool.h"
#include "uncore/uncore.h"

static const char *const kinds[] = {
	[UNCORE_STATE_STATUS] = "status",
	[UNCORE_STATE_COUNT] = "count",
	[UNCORE_STATE_LEVEL] = "level",
};

bool history_has_state(struct history *history)
{
	struct uncore_state state;

	return uncore_recording_state(history->recording, 0, &state);
}

int history_state(struct history *history, struct sheet *sheet)
{
	struct uncore_state state;
	char box[64];

	sheet_init(sheet, "state", "What boxes held when everything stopped");
	sheet_add_column(sheet, "box", "", SHEET_TEXT);
	sheet_add_column(sheet, "value", "", SHEET_COUNT);
	sheet_add_column(sheet, "kind", "", SHEET_TEXT);
	sheet_add_column(sheet, "name", "", SHEET_TEXT);
	sheet->chart_column = 1;
	for (size_t i = 0;
	     uncore_recording_state(history->recording, i, &state) &&
	     !sheet->failed;
	     i++) {
		size_t row;

		if (history->socket >= 0 &&
		    (unsigned)history->socket != state.socket)
			continue;
		row = sheet_add_row(sheet);
		snprintf(box, sizeof(box), "S%u %s%u", state.socket, state.box,
			 state.instance);
		sheet_set_text(sheet, row, 0, box);
		sheet_set(sheet, row, 1, (double)state.value);
		sheet_set_text(sheet, row, 2, kinds[state.kind]);
		sheet_set_text(sheet, row, 3, state.name);
	}
	return sheet->failed ? tool_fail_with(UNCORE_ERR_NO_MEMORY, NULL)
			     : TOOL_OK;
}
