/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a CBo tells of its queues and its table.
 */
#include "model/sandy-bridge-ep/cbo_parts.h"
#include "signals.h"

void cbo_tell_queue(struct sigbank *bank, const struct cbo_visit *v)
{
	static const uint16_t inserts[] = { SIG_CBO_RXR_INSERTS_IRQ,
					    SIG_CBO_RXR_INSERTS_VFIFO,
					    SIG_CBO_RXR_INSERTS_IPQ };
	static const uint16_t stays[] = { SIG_CBO_RXR_OCCUPANCY_IRQ,
					  SIG_CBO_RXR_OCCUPANCY_VFIFO,
					  SIG_CBO_RXR_OCCUPANCY_IPQ };

	if (bank->heard[inserts[v->queue]])
		engine_count(&v->cbo->ep->engine, bank, inserts[v->queue],
			     v->arrived);
	tell_span(bank, stays[v->queue], v->arrived, v->passed, 1);
	if (v->rejected && v->queue != QUEUE_IPQ) {
		tell_later(bank, SIG_CBO_RXR_INSERTS_IRQ_REJECTED, v->rejected,
			   1);
		tell_span(bank, SIG_CBO_RXR_OCCUPANCY_IRQ_REJECTED, v->rejected,
			  v->passed, 1);
	}
}

static void tell_packet(struct sigbank *bank, const struct cbo_visit *v,
			const struct sig_header *header, unsigned id)
{
	if (bank->heard[id])
		engine_count_packet(&v->cbo->ep->engine, bank, id, v->passed,
				    header);
}

static void tell_entry(struct sigbank *bank, const struct cbo_visit *v,
		       const struct sig_header *header, unsigned insert,
		       unsigned stay)
{
	if (v->is_first)
		tell_packet(bank, v, header, insert);
	if (stay)
		tell_span_packet(bank, stay, v->from, v->until, 1, header);
}

void cbo_tell_job(struct sigbank *bank, const void *visit)
{
	static const uint16_t lookups[] = { SIG_CBO_LLC_LOOKUP_DATA_READ,
					    SIG_CBO_LLC_LOOKUP_WRITE,
					    SIG_CBO_LLC_LOOKUP_REMOTE_SNOOP,
					    SIG_CBO_LLC_LOOKUP_OTHER,
					    SIG_CBO_LLC_LOOKUP_DEVICE_READ };
	const struct cbo_visit *v = visit;
	const struct sig_header header = {
		.thread = v->thread,
		.core_opcode = v->opcode,
		.home_node = v->home,
		.state = v->state,
	};
	bool is_far = v->home != v->cbo->node;

	if (v->is_first && v->queue < CBO_NUM_QUEUES) {
		cbo_tell_queue(bank, v);
		tell_packet(bank, v, &header, lookups[v->lookup]);
	}
	tell_entry(bank, v, &header, SIG_CBO_TOR_INSERTS,
		   SIG_CBO_TOR_OCCUPANCY);
	tell_entry(bank, v, &header,
		   is_far ? SIG_CBO_TOR_INSERTS_REMOTE
			  : SIG_CBO_TOR_INSERTS_LOCAL,
		   is_far ? SIG_CBO_TOR_OCCUPANCY_REMOTE
			  : SIG_CBO_TOR_OCCUPANCY_LOCAL);
	if (v->is_miss) {
		tell_entry(bank, v, &header, SIG_CBO_TOR_INSERTS_MISS,
			   SIG_CBO_TOR_OCCUPANCY_MISS);
		tell_entry(bank, v, &header,
			   is_far ? SIG_CBO_TOR_INSERTS_MISS_REMOTE
				  : SIG_CBO_TOR_INSERTS_MISS_LOCAL,
			   is_far ? SIG_CBO_TOR_OCCUPANCY_MISS_REMOTE
				  : SIG_CBO_TOR_OCCUPANCY_MISS_LOCAL);
	}
	if (v->is_eviction)
		tell_entry(bank, v, &header, SIG_CBO_TOR_INSERTS_EVICTION,
			   SIG_CBO_TOR_OCCUPANCY_EVICTION);
	if (v->is_write_back)
		tell_entry(bank, v, &header, SIG_CBO_TOR_INSERTS_WB,
			   SIG_CBO_TOR_OCCUPANCY_WB);
	if (v->is_miss && v->is_drd)
		tell_span(bank, SIG_CBO_ISMQ_DRD_MISS_OCC, v->from, v->data_at,
			  1);
}

void cbo_tell_retry(const struct cbo_job *job, unsigned queue, uint64_t at)
{
	static const uint16_t retried[] = {
		[QUEUE_IRQ] = BY_RETRIED_IRQ,
		[QUEUE_VFIFO] = BY_RETRIED_IRQ,
		[QUEUE_IPQ] = BY_RETRIED_IPQ,
		[CBO_NUM_QUEUES] = BY_RETRIED_ISMQ,
	};
	const struct sig_header header = {
		.thread = job->thread,
		.core_opcode = job->opcode,
		.home_node = (uint8_t)job->home.node,
		.state = job->state,
	};

	sig_packet_at(job->cbo->bank, CBO_RXR_RETRIES(retried[queue]), at,
		      &header);
}

void cbo_tell_wait(struct cbo *cbo, unsigned queue, uint64_t from, uint64_t to)
{
	static const uint16_t signals[] = {
		[QUEUE_IRQ] = SIG_CBO_RXR_INT_STARVED_IRQ,
		[QUEUE_VFIFO] = SIG_CBO_RXR_INT_STARVED_IRQ,
		[QUEUE_IPQ] = SIG_CBO_RXR_INT_STARVED_IPQ,
		[CBO_NUM_QUEUES] = SIG_CBO_RXR_INT_STARVED_ISMQ,
	};

	sig_span(cbo->bank, signals[queue], from, to, 1);
}

void cbo_tell_full(struct cbo *cbo, enum cbo_queue queue, uint64_t from,
		   uint64_t to)
{
	sig_span(cbo->bank,
		 queue == QUEUE_IPQ ? SIG_CBO_RXR_EXT_STARVED_IPQ
				    : SIG_CBO_RXR_EXT_STARVED_IRQ,
		 from, to, 1);
}

void cbo_tell_starved(struct cbo *cbo, enum ring_kind kind, bool is_core,
		      uint64_t from, uint64_t to)
{
	sig_span(cbo->bank, CBO_TXR_STARVED(kind, is_core), from, to, 1);
}
