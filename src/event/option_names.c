/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The names of the options that events of a box take, for those who list or
 * complete them. option.c says what they do.
 */
#include "event/event.h"

bool uncore_family_option(const struct uncore_family *family, size_t index,
			  struct uncore_option *option)
{
	const struct uc_family *row = family_row(family);
	const struct uc_box *box = row->boxes;

	while (box < row->boxes + row->num_boxes && index >= box->num_options)
		index -= box++->num_options;
	if (box == row->boxes + row->num_boxes)
		return false;
	*option = (struct uncore_option){
		.box = box->name,
		.name = box->options[index].name,
		.takes_value = box->options[index].takes_value,
	};
	return true;
}
