/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What has to be written on the way to a slice: the same for every socket.
 */
#ifndef UNCORE_SESSION_CHANGE_H
#define UNCORE_SESSION_CHANGE_H

#include "session/session.h"

struct change {
	size_t reg;
	uint64_t value;
};

/* Stops, then settings, then enables. */
struct changes {
	struct change *list;
	size_t num, num_stops, num_settings;
};

/* Stops and settings that bring a slice about; *changes is to be freed with
 * change_free(). False without memory. */
bool change_make(struct uncore_session *session,
		 const struct session_slice *next, struct changes *changes);
void change_free(struct changes *changes);

/* Adds the enables of the boxes that a switch governs, or of the others; adds
 * the switches that differ. */
void change_add_enables(struct uncore_session *session,
			const struct session_slice *next, bool gated,
			struct changes *changes);
void change_add_switches(struct uncore_session *session,
			 const struct session_slice *next,
			 struct changes *changes);

/* Puts changes into a batch, for every socket with the bits that others have
 * there. */
void change_ask(const struct uncore_session *session,
		const struct changes *changes, size_t first, size_t num,
		struct session_batch *batch);

#endif
