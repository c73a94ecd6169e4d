/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A counter that samples: its control says pmi_en, and it begins a period at
 * 2^48 minus what is left of it (E7 guide, 2.1.3 e). What governs the socket
 * says frz_all, unless an overflow freezes it anyway (E5 v2 guide, p. 15), and
 * one core that hears of overflows: the first, through which the
 * socket's registers are reached. None hears of them where nobody could tell
 * us: the kernel of a machine would take the interrupt for a fault.
 *
 * A counter whose control has wrap_mode stops where it runs over unless that is
 * set (errata, E144). For samples it is: what comes between the
 * overflow and the freeze belongs to the next period.
 *
 * Where a carry shows early (early_carry) the bits below it may not be all
 * ones in a period, or one less; what is left of one after some events were
 * counted beyond the last may well be so, and is then made up to two events
 * longer: the sample comes as much later, and the next one when it would have
 * come.
 */
#include "session/sampler.h"

#include <string.h>

#include "access/access.h"
#include "base/random.h"
#include "session/guard.h"
#include "session/session.h"
#include "table/enable.h"
#include "table/overflow.h"
#include "uncore/error.h"

/* The bits below an early carry; 0: there is none. */
static uint64_t low_bits(const struct uncore_event *event)
{
	return (UINT64_C(1) << event->box->early_carry) - 1;
}

static bool is_forbidden(const struct uncore_event *event, uint64_t interval)
{
	uint64_t low = low_bits(event);

	return low && (interval & low) >= low - 1;
}

int sampler_find_registers(struct uncore_sampler *sampler,
			   struct sampler_counter *counter, char **error)
{
	const struct uc_family *family = family_row(sampler->target->family);
	const struct uc_register *reg = counter->reg;
	bool is_fixed = reg->role == UC_ROLE_FIXED_COUNTER;
	struct overflow_place place = uc_overflow_place(
		family, reg->box, reg->instance,
		is_fixed ? family->boxes[reg->box].num_counters : reg->index);

	counter->control = uc_register_of(
		family, reg->box, reg->instance,
		is_fixed ? UC_ROLE_FIXED_CTL : UC_ROLE_CONTROL, reg->index);
	counter->clear = place.clear;
	counter->clear_bit = place.clear_bit;
	counter->pmi_en = enable_bits(counter->control, "pmi_en");
	if (!sampler->options.once)
		counter->wrap_mode = enable_bits(counter->control, "wrap_mode");
	counter->mask = count_mask(counter->event);
	if (counter->pmi_en && (place.clear_bit || family->freeze))
		return 0;
	return text_error(UNCORE_ERR_NO_REGISTER, error,
			  "'%s' cannot be sampled: %s has no interrupt",
			  uncore_event_text(counter->event), reg->name);
}

/* All fields whose name begins like that. */
static uint64_t masks_of(const struct uc_register *reg, const char *prefix)
{
	uint64_t bits = 0;

	for (size_t i = 0; reg && i < reg->layout->num_fields; i++) {
		const struct uc_field *field = &reg->layout->fields[i];

		if (!strncmp(field->canonical, prefix, strlen(prefix)))
			bits |= uc_bits(field->high, field->low);
	}
	return bits;
}

/* The socket is frozen by commands, and by every overflow. */
static int find_freeze(struct uncore_sampler *sampler,
		       const struct uc_family *family, char **error)
{
	if (sampler->options.no_freeze)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "the %s stops counting at every overflow: "
				  "leave --no-freeze out",
				  family->title);
	sampler->master = &family->registers[family->freeze->reg];
	sampler->master_status = &family->registers[family->freeze->status];
	sampler->master_clear = sampler->master_status;
	sampler->run = family->freeze->go;
	sampler->stop = family->freeze->hold;
	return 0;
}

static int find_switch(struct uncore_sampler *sampler,
		       const struct uc_family *family, char **error)
{
	struct uncore_switch of = { 0 };
	const struct uc_register *reg;
	const struct uc_domain *domain;

	uncore_plan_switch(sampler->plan, 0, &of);
	reg = uc_register_at(family, of.address);
	domain = reg ? uc_domain_governed(family, reg) : NULL;
	if (!domain || domain->no_interrupt || domain->scope != UC_SCOPE_SOCKET)
		return text_error(
			UNCORE_ERR_NO_REGISTER, error,
			"the %s cannot be sampled: %s; 'uncore record "
			"-I' has counts at intervals of time",
			family->title,
			domain && domain->no_interrupt
				? domain->no_interrupt
				: "an overflow interrupts nobody");
	sampler->master = reg;
	sampler->master_status = uc_register_of(family, reg->box, reg->instance,
						UC_ROLE_GLOBAL_STATUS, 0);
	sampler->master_clear = uc_register_of(family, reg->box, reg->instance,
					       UC_ROLE_OVF_CTL, 0);
	sampler->run = sampler->shows_run = enable_bits(reg, "en_all");
	sampler->frz_all = enable_bits(reg, "frz_all");
	if (sampler->master_status && sampler->master_clear && sampler->frz_all)
		return 0;
	return text_error(UNCORE_ERR_NO_REGISTER, error,
			  "the %s cannot be sampled: it has no interrupt",
			  family->title);
}

bool uncore_sampler_has_interrupt(const struct uncore_family *opaque)
{
	const struct uc_family *family = family_row(opaque);

	for (unsigned i = 0; i < family->num_domains; i++)
		if (family->domains[i].no_interrupt)
			return false;
	return true;
}

int sampler_find_master(struct uncore_sampler *sampler, char **error)
{
	const struct uc_family *family = family_row(sampler->target->family);
	int code = family->freeze ? find_freeze(sampler, family, error)
				  : find_switch(sampler, family, error);
	uint64_t cores;

	if (code)
		return code;
	cores = enable_bits(sampler->master, "pmi_core_sel");
	sampler->core_sel = cores & -cores;
	sampler->clear_all = masks_of(sampler->master_clear,
				      family->freeze ? "ov_" : "clr_");
	sampler->overflow_bits = masks_of(sampler->master_status, "ov_") |
				 enable_bits(sampler->master_status, "pmi");
	return 0;
}

uint64_t sampler_still(const struct sampler_socket *socket)
{
	return (socket->master & ~socket->sampler->run) | socket->sampler->stop;
}

/* From half a period to one and a half. */
uint64_t sampler_stretch(const struct uncore_sampler *sampler,
			 struct sampler_counter *counter)
{
	uint64_t period = counter->period;

	if (!sampler->options.by_lot || period < 2)
		return period;
	return period - period / 2 +
	       random_next(&counter->lot) % (period / 2 * 2 + 1);
}

void sampler_clear(struct sampler_socket *socket,
		   const struct sampler_counter *counter)
{
	if (counter->clear_bit)
		batch_write(&socket->batch, socket->socket, counter->clear,
			    counter->clear_bit);
}

void sampler_arm(struct sampler_socket *socket, struct sampler_counter *counter)
{
	uint64_t distance = counter->next - counter->counted;

	if (is_forbidden(counter->event, distance))
		distance = (distance | low_bits(counter->event)) + 1;
	counter->written = counter->raw = (0 - distance) & counter->mask;
	batch_write(&socket->batch, socket->socket, counter->reg,
		    counter->written);
}

static uint64_t core_that_hears(const struct uncore_sampler *sampler)
{
	bool is_told = sampler->is_exact || sampler->target->ops->subscribe;

	return is_told ? sampler->core_sel : 0;
}

/* Begins the first period: counting stops for it where it has begun. */
static int arm_socket(struct sampler_socket *socket, uint64_t *cycle)
{
	struct uncore_sampler *sampler = socket->sampler;
	struct sampler_counter *counters = socket->counters;
	size_t num = sampler->num_counters;
	uint64_t value;
	int code;

	batch_read(&socket->batch, socket->socket, sampler->master);
	for (size_t i = 0; i < num; i++)
		batch_read(&socket->batch, socket->socket, counters[i].control);
	code = sampler_run(socket, NULL);
	if (code)
		return code;
	value = socket->batch.ops[0].value;
	for (size_t i = 0; i < num; i++)
		counters[i].written =
			socket->batch.ops[i + 1].value; /* control */
	socket->master = value | sampler->run | core_that_hears(sampler) |
			 (sampler->options.no_freeze ? 0 : sampler->frz_all);
	guard_expect(sampler->session, sampler->master, socket->master);
	batch_write(&socket->batch, socket->socket, sampler->master,
		    (value & ~sampler->run) | sampler->stop);
	for (size_t i = 0; i < num; i++) {
		uint64_t control = counters[i].written;

		counters[i].written = 0;
		if (counters[i].same)
			continue;
		if (!counters[i].period) {
			batch_write(&socket->batch, socket->socket,
				    counters[i].reg, 0);
			continue;
		}
		batch_write(&socket->batch, socket->socket, counters[i].control,
			    control | counters[i].pmi_en |
				    counters[i].wrap_mode);
		guard_expect(sampler->session, counters[i].control,
			     counters[i].pmi_en | counters[i].wrap_mode);
		sampler_clear(socket, &counters[i]);
		sampler_arm(socket, &counters[i]);
	}
	batch_write(&socket->batch, socket->socket, sampler->master_clear,
		    sampler->clear_all);
	batch_write(&socket->batch, socket->socket, sampler->master,
		    socket->master);
	return sampler_run(socket, cycle);
}

int sampler_arm_all(struct uncore_sampler *sampler, char **error)
{
	sampler->start_cycle = UNCORE_NO_CYCLE;
	for (size_t i = 0; i < sampler->num_sockets; i++) {
		struct sampler_socket *socket = &sampler->sockets[i];
		uint64_t cycle = UNCORE_NO_CYCLE;

		if (arm_socket(socket, &cycle))
			return sampler_refused(socket, error);
		if (sampler->start_cycle == UNCORE_NO_CYCLE)
			sampler->start_cycle = cycle;
	}
	return 0;
}

static int bad_multiple(const struct uncore_event *event, uint64_t period,
			unsigned multiplier, char **error)
{
	unsigned long long below = period / multiplier * multiplier;

	if (!below)
		return text_error(
			UNCORE_ERR_BAD_OPTION, error,
			"'%s': period %llu: the counter counts %u events at a "
			"time; the nearest period is %u",
			uncore_event_text(event), (unsigned long long)period,
			multiplier, multiplier);
	return text_error(UNCORE_ERR_BAD_OPTION, error,
			  "'%s': period %llu: the counter counts %u events at "
			  "a time; the nearest periods are %llu and %llu",
			  uncore_event_text(event), (unsigned long long)period,
			  multiplier, below, below + multiplier);
}

int uncore_sampler_check(const struct uncore_event *event, uint64_t period,
			 char **error)
{
	unsigned multiplier = uncore_event_multiplier(event);
	uint64_t longest = (count_mask(event) / 2 + 1) * multiplier;
	unsigned long long fine = (period | low_bits(event)) - 2;

	if (!period || period > longest)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "'%s': period %llu: a period has 1 to %llu "
				  "events",
				  uncore_event_text(event),
				  (unsigned long long)period,
				  (unsigned long long)longest);
	if (period % multiplier)
		return bad_multiple(event, period, multiplier, error);
	if (is_forbidden(event, period / multiplier))
		return text_error(
			UNCORE_ERR_BAD_OPTION, error,
			"'%s': period %llu: the %s miscounts intervals that "
			"end in 0x%llx or 0x%llx; the nearest are %llu and "
			"%llu",
			uncore_event_text(event), (unsigned long long)period,
			event->box->guide_name,
			(unsigned long long)low_bits(event) - 1,
			(unsigned long long)low_bits(event), fine, fine + 3);
	return 0;
}
