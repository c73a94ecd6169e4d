/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Skylake-SP (Xeon Scalable) as boxes: each slice of the LLC has the home of
 * its lines beside it, in one stop (CHA).
 */
#include "base/text.h"
#include "model/skylake-sp/cha.h"
#include "model/skylake-sp/fabric.h"
#include "model/skylake-sp/m2m.h"

/* What is published of the hash says nothing of others. */
static char *check_hash(const struct socket *socket)
{
	unsigned sets = socket_param(socket, PARAM_LLC_SLICE) * 16 /
			socket_param(socket, PARAM_LLC_WAYS);

	if (!slice_hash_is_known(socket->num_slices))
		return text_format("the hash is published of " SLICE_HASH_KNOWN
				   " slices (chas), not of %u: hash=even",
				   socket->num_slices);
	if (socket->memory_lines * socket->num_sockets > SLICE_HASH_LINES)
		return text_format("the hash is published of 256 GB, which all "
				   "sockets' memory.size exceeds");
	if (sets & (sets - 1))
		return text_format("with hash=published a slice has a power of "
				   "two of sets (llc.slice, llc.ways), not %u",
				   sets);
	return NULL;
}

/* Sub-NUMA clusters. */
static char *check_clusters(const struct socket *socket)
{
	const double *p = socket->param;

	if (p[PARAM_HASH] > 0)
		return text_format("the hash is published of one cluster "
				   "(snc=1)");
	if (socket->num_cores % 2 || socket->num_slices % 2 ||
	    socket_param(socket, PARAM_HA_AGENTS) != 2)
		return text_format("two clusters (snc=2) halve a socket: "
				   "cores=%u and %u CHAs (chas) have to be "
				   "even numbers, and ha.agents=%u has to be 2",
				   socket->num_cores, socket->num_slices,
				   socket_param(socket, PARAM_HA_AGENTS));
	return NULL;
}

static char *check(const struct socket *socket)
{
	const double *p = socket->param;
	char *problem;

	if (p[PARAM_HA_SNOOP] != HA_DIRECTORY)
		return text_format("this kind has a directory in memory "
				   "(ha.snoop=directory) and no other way");
	if (!p[PARAM_CORE_TELLS_CLEAN])
		return text_format("the LLC has what the private caches give "
				   "up, clean lines, too: core.tells_clean "
				   "is 1");
	problem = p[PARAM_SNC] > 1    ? check_clusters(socket)
		  : p[PARAM_HASH] > 0 ? check_hash(socket)
				      : NULL;
	return problem ? problem : skx_check_die(socket);
}

const struct ep_kind skx_kind = {
	.check = check,
	.slice = "cha",
	.home = "cha",
	.link = "upi",
	.link_stop = "m3upi",
	.io = "iio",
	.controller = 3,
	.device = 1, /* the first of PCIe; 0 has chip set and DMA engine */
	.pcu_mhz = 1100,
	.io_mhz = 1000,
	/* 192 bits by 20 lanes: five flits, of three slots, in 48 transfers. */
	.flits = { .flits = 5, .cycles = 2, .data = 9, .group = 3 },
	.has_home_in_slice = true,
	.has_directory_s = true,
	.mesh = skx_mesh,
	.carry = skx_carry,
	.tell_memory = m2m_tell,
	.hold_memory = m2m_hold,
	.init = cha_init,
	.serve = cha_serve,
	.take_hit = cha_take_hit,
	.take_back = cha_take_back,
	.track = cha_track,
	.hold = cha_hold,
	.state = cha_state,
	.opcode = cha_opcode,
	.tell_job = cha_tell_job,
	.tell_asked = cha_tell_asked,
};
