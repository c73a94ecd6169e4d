/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * See holders.h. Tags are read as they stand; of directories those of the kinds
 * that have three states are.
 */
#include "holders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/box/socket.h"
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "model/sandy-bridge-ep/ha_parts.h"

struct holder {
	uint64_t line;
	unsigned socket, slice;
	uint8_t state;
};

static bool owns(const struct holder *holder)
{
	return holder->state == LLC_E || holder->state == LLC_M;
}

static int by_line(const void *a, const void *b)
{
	const struct holder *left = a, *right = b;

	return (left->line > right->line) - (left->line < right->line);
}

/* All of a slice. Its number among those that share a memory's lines is not
 * that in the socket where there are nodes or clusters. */
static size_t find_in_slice(const struct uncore_model *model, bool is_ep,
			    struct holder at, struct holder *found)
{
	const struct socket *socket = model->sockets[at.socket];
	const struct llc *llc = socket->llcs[at.slice];
	unsigned number =
		is_ep ? socket->ep->sockets[at.socket].cbos[at.slice]->slice
		      : at.slice;
	size_t num = 0;

	for (size_t i = 0; i < llc_num_entries(llc); i++)
		if (llc_line(llc, i, number, &at.line)) {
			at.state = llc_way(llc, i)->state;
			if (at.state != LLC_I)
				found[num++] = at;
		}
	return num;
}

static size_t find_all(const struct uncore_model *model, bool is_ep,
		       struct holder **found)
{
	const struct socket *first = model->sockets[0];
	size_t room = (size_t)model->num_sockets * first->num_slices *
		      llc_num_entries(first->llcs[0]),
	       num = 0;

	*found = calloc(room, sizeof(**found));
	assert_non_null(*found);
	for (unsigned i = 0; i < model->num_sockets; i++)
		for (unsigned n = 0; n < first->num_slices; n++)
			num += find_in_slice(
				model, is_ep,
				(struct holder){ .socket = i, .slice = n },
				*found + num);
	qsort(*found, num, sizeof(**found), by_line);
	return num;
}

/* The directory may say that somebody has a line who does not any more. */
static bool is_known(const struct ep *ep, const struct holder *holder)
{
	const struct ep_home home = ep_home(ep, holder->line);
	const struct directory *directory = &ep->sockets[home.socket].directory;
	unsigned node = ep->sockets[holder->socket].cbos[holder->slice]->node;
	unsigned state;

	if (!directory->regions || node == home.node)
		return true;
	state = directory_get(directory,
			      home.local * ep->num_channels + home.channel);
	return state == HA_STATE_A || (state == HA_STATE_S && !owns(holder));
}

static void say(const char *what, const struct holder *holder)
{
	print_message("line %llx in slice %u of socket %u, state %u: %s\n",
		      (unsigned long long)holder->line, holder->slice,
		      holder->socket, holder->state, what);
}

unsigned holders_in_conflict(const struct uncore_model *model, bool is_ep)
{
	const struct ep *ep = is_ep ? model->sockets[0]->ep : NULL;
	struct holder *found;
	size_t num = find_all(model, is_ep, &found);
	unsigned conflicts = 0;

	for (size_t i = 0; i < num; i++) {
		bool has_other =
			i + 1 < num && found[i].line == found[i + 1].line;

		if (has_other && (owns(&found[i]) || owns(&found[i + 1]))) {
			say("another one has it, too", &found[i]);
			conflicts++;
		}
		if (ep && !is_known(ep, &found[i])) {
			say("the home does not know", &found[i]);
			conflicts++;
		}
	}
	free(found);
	return conflicts;
}
