/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a CHA tells of its table, its tags and the cores that it asks; facts by
 * their attributes (data/xeon-scalable-1/facts.txt).
 */
#include "model/skylake-sp/cha.h"
#include "signals.h"

/* Opcodes of the filter (libpfm4), by those of a CBo. */
uint16_t cha_opcode(const struct cbo_job *job)
{
	static const struct {
		uint16_t of, opcode;
	} opcodes[] = {
		{ OPCODE_RFO, 0x200 },	      { OPCODE_CRD, 0x201 },
		{ OPCODE_DRD, 0x202 },	      { OPCODE_WCILF, 0x20c },
		{ OPCODE_WCIL, 0x20d },	      { OPCODE_PREF_RFO, 0x200 },
		{ OPCODE_PREF_CODE, 0x201 },  { OPCODE_PREF_DATA, 0x202 },
		{ OPCODE_PCI_WIL, 0x200 },    { OPCODE_PCI_ITOM, 0x248 },
		{ OPCODE_PCI_RD_CUR, 0x21e }, { OPCODE_ITOM, 0x248 },
	};

	if (job->to_llc)
		return job->opcode - OPCODE_PREF_RFO + 0x258;
	if (job->opcode == OPCODE_WB_MTOI)
		return job->is_clean ? 0x246 : 0x244;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++)
		if (opcodes[i].of == job->opcode)
			return opcodes[i].opcode;
	return OPCODE_NONE;
}

/* As the filter has it: of the LLC where that has the data, else of the snoop
 * filter. */
uint8_t cha_state(const struct cbo *cbo, const struct llc_way *way)
{
	if (!way || cbo_has_data(cbo, way))
		return cbo_rds(way);
	switch (way->state) {
	case LLC_S:
	case LLC_F: return CHA_SF_S;
	default: return CHA_SF_E;
	}
}

void cha_drive(struct sigbank *bank)
{
	sig_drives(bank, CHA_RXC_INSERTS(0), NUM_CHA_RXC_INSERTS);
	sig_drives(bank, CHA_RXC_REJECTED(0), NUM_CHA_RXC_REJECTED);
	sig_drives(bank, CHA_RXC_OCCUPANCY(0), NUM_CHA_RXC_OCCUPANCY);
	sig_drives(bank, CHA_LLC_LOOKUP(0, 0), NUM_CHA_LLC_LOOKUP);
	sig_drives(bank, CHA_TOR_INSERTS(0, 0), NUM_CHA_TOR_INSERTS);
	sig_drives(bank, CHA_TOR_OCCUPANCY(0, 0), NUM_CHA_TOR_OCCUPANCY);
	sig_drives(bank, CHA_CORE_SNP(0, 0), NUM_CHA_CORE_SNP);
	sig_drives(bank, CHA_XSNP_RESP(0, 0), NUM_CHA_XSNP_RESP);
	sig_drives(bank, CHA_SF_EVICTION(0), NUM_CHA_SF_EVICTION);
	sig_drives(bank, CHA_LLC_VICTIMS(0, 0), NUM_CHA_LLC_VICTIMS);
	sig_drives(bank, SIG_CHA_RXC_IRQ_PA_MATCH, 1);
	sig_drives(bank, SIG_CHA_DIR_UPDATE_HA, 1);
	sig_drives(bank, SIG_CHA_DIR_UPDATE_TOR, 1);
	sig_drives(bank, SIG_CHA_HITME_HIT_EX_RDS, 1);
}

/* All memory is "not near memory", which is a cache of another. */
enum { TRAIT_FAR = 0x21, TRAIT_NEAR = 0x22 };

enum { TOR_IRQ, TOR_EVICT, TOR_PRQ, TOR_IPQ };

static unsigned source_of(const struct cbo_visit *v)
{
	if (v->queue == QUEUE_IPQ)
		return TOR_IPQ;
	if (v->queue == CBO_NUM_QUEUES)
		return TOR_EVICT;
	return v->thread == UINT8_MAX ? TOR_PRQ : TOR_IRQ;
}

/* Requests of cores, write-backs too, come in by one queue, of devices by
 * another. */
static void tell_ingress(struct sigbank *bank, const struct cbo_visit *v,
			 unsigned source)
{
	static const uint8_t ingress[] = {
		[TOR_IRQ] = 0, [TOR_PRQ] = 1, [TOR_IPQ] = 2
	};
	unsigned queue = ingress[source];

	if (bank->heard[CHA_RXC_INSERTS(queue)])
		engine_count(&v->cbo->ep->engine, bank, CHA_RXC_INSERTS(queue),
			     v->arrived);
	tell_span(bank, CHA_RXC_OCCUPANCY(queue), v->arrived, v->passed, 1);
	if (v->rejected)
		tell_later(bank, CHA_RXC_REJECTED(queue), v->rejected, 1);
}

/* A miss is what needs its home, for a line or for the right to write to it:
 * all that goes to a memory or another socket. */
void cha_tell_job(struct sigbank *bank, const void *visit)
{
	const struct cbo_visit *v = visit;
	struct engine *engine = &v->cbo->ep->engine;
	const struct sig_header header = {
		.thread = v->thread == UINT8_MAX ? UINT8_MAX
						 : (uint8_t)(v->thread << 2),
		.core_opcode = v->opcode,
		.home_node = v->home,
		.state = v->state,
		.traits = v->home != v->cbo->node ? TRAIT_FAR : TRAIT_NEAR,
	};
	unsigned is_far = v->home != v->cbo->node;
	unsigned source = source_of(v), id;

	if (v->is_first && v->queue < CBO_NUM_QUEUES) {
		tell_ingress(bank, v, source);
		id = CHA_LLC_LOOKUP(v->lookup, is_far);
		if (bank->heard[id])
			engine_count_packet(engine, bank, id, v->passed,
					    &header);
	}
	id = CHA_TOR_INSERTS(source, v->needs_home);
	if (v->is_first && bank->heard[id])
		engine_count_packet(engine, bank, id, v->passed, &header);
	tell_span_packet(bank, CHA_TOR_OCCUPANCY(source, v->needs_home),
			 v->from, v->until, 1, &header);
}

static void count(struct cbo *cbo, unsigned id, uint64_t at)
{
	engine_count(&cbo->ep->engine, cbo->bank, id, at);
}

enum {
	HIT_FSE,
	SENT_CLEAN_KEPT,
	SENT_CLEAN_GIVEN,
	SENT_CHANGED_KEPT,
	SENT_CHANGED_GIVEN
};

void cha_tell_asked(struct cbo *cbo, unsigned cause, const struct llc_way *way,
		    unsigned cores, bool takes, uint64_t at)
{
	bool is_changed = way->is_core_dirty;
	bool is_sent = is_changed || !cbo_has_data(cbo, way);
	unsigned answer = is_changed	     ? SENT_CHANGED_KEPT + takes
			  : is_sent || takes ? SENT_CLEAN_KEPT + takes
					     : HIT_FSE;

	count(cbo, CHA_CORE_SNP(cause, (cores & (cores - 1)) != 0), at);
	count(cbo, CHA_XSNP_RESP(cause, answer), at);
}

/* M: a core has changed it. */
static unsigned filter_state(const struct llc_way *way)
{
	if (way->is_core_dirty)
		return 0;
	return cbo_is_owned(way) ? 1 : 2;
}

void cha_tell_filter_victim(struct cbo *cbo, const struct llc_way *way,
			    uint64_t at)
{
	count(cbo, CHA_SF_EVICTION(filter_state(way)), at);
}

void cha_tell_victim(struct cbo *cbo, const struct llc_way *way, uint64_t line,
		     uint64_t at)
{
	static const uint8_t states[] = {
		[LLC_M] = 0, [LLC_E] = 1, [LLC_S] = 2, [LLC_F] = 3
	};

	count(cbo,
	      CHA_LLC_VICTIMS(states[way->state],
			      ep_range(cbo->ep, line)->node != cbo->node),
	      at);
}
