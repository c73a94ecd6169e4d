/* SPDX-License-Identifier: BSD-3-Clause Copyright (c) 2026 The uncore authors
 *
 * Devices: DMA goes through the slices (DDIO). A read takes the line from the
 * LLC or the memory and leaves everything as it is; a whole line that is
 * written stays in the LLC, changed, and so does a part of one that a cache of
 * the node has; of another line a part goes to memory.
 *
 * */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "model/sandy-bridge-ep/iio.h"

/* To R2PCIe, with a credit; when it is there. */
static uint64_t send(const struct cbo_job *job, enum ring_kind kind,
		     uint64_t at, unsigned slots)
{
	struct cbo *cbo = job->cbo;
	uint64_t from = at, arrived;
	unsigned credit = places_take(&cbo->iio_credits,
				      engine_now(&cbo->ep->engine), &at);

	if (at > from)
		cbo_count_retry(job, CBO_NUM_QUEUES, RETRY_IIO_CREDITS, from);
	arrived = cbo_send(cbo, kind, ep_io_stop(cbo->ep), at, slots).arrived;
	places_hold(&cbo->iio_credits, credit, arrived);
	return arrived;
}

/* Cores and the other nodes give up the line, which may have had it; when that
 * is done. */
static uint64_t take_away(struct cbo_job *job)
{
	struct cbo *cbo = job->cbo;
	struct llc_way *way = job->way;
	uint64_t at = job->passed;

	if (job->needs_home)
		at = cbo_ask_home(job, HOM0_INV_ITO_E, -1, at).done;
	if (way) {
		int dirty = way->is_core_dirty && way->cores
				    ? __builtin_ctz(way->cores)
				    : -1;

		copies_recall(cbo_copy(cbo, way, job->line));
		if (way->cores) {
			cbo_tell_asked(cbo, CAUSE_EXTERNAL, way, way->cores,
				       true, job->passed);
			copies_take(cbo->socket, way->cores, job->line, false,
				    false);
			at = sim_later(at, cbo_ask_cores(cbo, way->cores,
							 job->passed, dirty));
		}
		way->cores = 0;
		way->is_core_dirty = false;
	}
	return at;
}

/* A place for the data in the slice. */
static struct llc_way *take_data(struct cbo_job *job, uint64_t at)
{
	const struct ep_kind *kind = job->cbo->ep->kind;

	return kind->hold ? kind->hold(job->cbo, job->way, job->spot, at)
			  : cbo_make_room(job->cbo, job->spot, at);
}

/* What nobody has is written to memory if it is a part of a line; all else
 * stays in the slice. */
static uint64_t write_line(struct cbo_job *job, bool is_whole)
{
	struct cbo *cbo = job->cbo;
	struct values *values = cbo->socket->values;
	uint64_t done = take_away(job);
	uint32_t value =
		values ? values_write(values, job->line, values_hub(cbo->index))
		       : 0;

	if (is_whole || job->way) {
		if (!job->way || !cbo_has_data(cbo, job->way))
			job->way = take_data(job, cbo_pass(cbo, done));
		job->way->state = LLC_M;
		job->way->cores = 0;
		job->way->is_core_dirty = false;
		if (values)
			cbo->llc.values[llc_entry(&cbo->llc, job->way)] = value;
	} else {
		cbo_write_memory(cbo, job->line, value, true, done);
	}
	cbo_end(job, done, job->needs_home ? done : 0);
	return send(job, RING_AK, done, 1);
}

static uint64_t read_line(struct cbo_job *job)
{
	struct cbo *cbo = job->cbo;
	struct values *values = cbo->socket->values;
	struct llc_way *way = job->way;
	uint64_t at = job->passed, home_done = 0;
	uint32_t value;

	if (way) {
		int dirty = way->is_core_dirty && way->cores
				    ? __builtin_ctz(way->cores)
				    : -1;

		value = copies_recall(cbo_copy(cbo, way, job->line));
		if (dirty >= 0) {
			cbo_tell_asked(cbo, CAUSE_EXTERNAL, way, way->cores,
				       false, at);
			copies_take(cbo->socket, way->cores, job->line, true,
				    false);
			at = cbo_ask_cores(cbo, way->cores, at, dirty);
			way->state = LLC_M;
			way->is_core_dirty = false;
		} else if (!cbo_has_data(cbo, way)) {
			dirty = __builtin_ctz(way->cores);
			cbo_tell_asked(cbo, CAUSE_EXTERNAL, way, 1u << dirty,
				       false, at);
			at = cbo_ask_cores(cbo, 1u << dirty, at, dirty);
		}
		at += cbo->data_cycles;
	} else {
		struct cbo_grant grant = cbo_ask_home(job, HOM0_RD_CUR, -1, at);

		job->is_miss = true;
		job->data_at = at = grant.data_at;
		home_done = grant.done;
		value = grant.value;
	}
	if (values)
		values_read(values, job->line, values_hub(cbo->index),
			    values_latest(values, job->line), value,
			    engine_now(&cbo->ep->engine));
	cbo_end(job, at, home_done);
	return send(job, RING_BL, at, 2);
}

uint64_t cbo_device(struct ep *ep, unsigned socket, enum cbo_device kind,
		    uint64_t line, uint64_t at)
{
	static const uint16_t opcodes[] = {
		[CBO_DEVICE_READ] = OPCODE_PCI_RD_CUR,
		[CBO_DEVICE_WRITE] = OPCODE_PCI_ITOM,
		[CBO_DEVICE_PARTIAL] = OPCODE_PCI_WIL,
	};
	struct ep_home home = ep_home(ep, line);
	unsigned node =
		home.socket == socket ? home.node : ep_node(ep, socket, 0);
	const struct cbo *first =
		ep->sockets[socket].cbos[ep_first_slice(ep, node)];
	struct llc_spot spot;
	struct cbo *cbo = cbo_of(first, line, &spot);
	struct cbo_job job = {
		.cbo = cbo,
		.line = line,
		.spot = spot,
		.home = home,
		.queue = QUEUE_IRQ,
		.opcode = opcodes[kind],
		.thread = UINT8_MAX,
	};
	uint64_t arrived =
		iio_send(ep, socket, RING_AD, cbo->stop, at, 1).arrived;

	if (kind != CBO_DEVICE_READ)
		arrived = sim_later(
			arrived, iio_send(ep, socket, RING_BL, cbo->stop, at, 2)
					 .arrived);
	job.way = llc_find_at(&cbo->llc, job.spot);
	job.lookup =
		kind == CBO_DEVICE_READ ? LOOKUP_DEVICE_READ : LOOKUP_WRITE;
	job.kind = kind == CBO_DEVICE_READ ? UNCORE_ACCESS_READ
					   : UNCORE_ACCESS_OWN;
	job.is_miss = kind != CBO_DEVICE_READ && !job.way;
	cbo_take(&job, arrived);
	return kind == CBO_DEVICE_READ
		       ? read_line(&job)
		       : write_line(&job, kind == CBO_DEVICE_WRITE);
}
