/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The options of an event: name=value, each of which sets a field. A name
 * is looked for in this order: where the event is counted (counter, port,
 * slot), parameters of the event, words of its filters, fields of the
 * control register, whole sub-registers (match=0x5000), fields of sub-registers
 * (match.addr=1), words of perf and PCM (config=0x304, word.c).
 */
#include "event/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "uncore/error.h"

/* Short names that people know from elsewhere. */
static const struct {
	const char *name;
	const char *canonical;
} short_names[] = {
	{ "thresh", "threshold" }, { "edge", "edge_detect" },
	{ "inv", "invert" },	   { "pmi", "pmi_en" },
	{ "event", "ev_sel" },
};

static const char *long_name(const char *name)
{
	for (size_t i = 0; i < sizeof(short_names) / sizeof(short_names[0]);
	     i++)
		if (!strcasecmp(name, short_names[i].name))
			return short_names[i].canonical;
	return name;
}

static int bad_number(const char *name, const char *value, char **error)
{
	return text_error(UNCORE_ERR_BAD_OPTION, error,
			  "%s=%s: '%s' is not a number (12, 0xc)", name, value,
			  value);
}

int event_set_bits(struct uncore_event *event, const char *name,
		   enum uc_role role, unsigned high, unsigned low,
		   uint64_t value, char **error)
{
	struct event_setting setting = {
		.value = value,
		.name = event_role_name(role),
		.role = (uint8_t)role,
		.high = (uint8_t)high,
		.low = (uint8_t)low,
	};
	const struct uc_field *field = NULL;
	const struct uc_layout *layout =
		uc_layout_of(event->family, event->box_index, role);
	const char *other;

	if (layout)
		field = event_field_at(layout, low);
	if (field && field->low == low && field->high == high)
		setting.name = field->canonical;
	if (event_set(event, &setting, &other))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "%s=0x%llx contradicts %s, which has set the "
				  "same bits to another value",
				  name, (unsigned long long)value, other);
	return 0;
}

int event_set_text(struct uncore_event *event, const char *name,
		   enum uc_role role, unsigned high, unsigned low,
		   const char *value, char **error)
{
	uint64_t number, largest = uc_bits(high - low, 0);

	if (!text_number(value, &number))
		return bad_number(name, value, error);
	if (number > largest)
		return text_error(UNCORE_ERR_VALUE_TOO_WIDE, error,
				  "%s=%s does not fit into the %u bit%s of the "
				  "field (0 to %llu)",
				  name, value, high - low + 1,
				  high == low ? "" : "s",
				  (unsigned long long)largest);
	return event_set_bits(event, name, role, high, low, number, error);
}

/* A whole sub-register: only bits that exist may be set. */
static int set_register(struct uncore_event *event, const char *name,
			enum uc_role role, const struct uc_layout *layout,
			const char *value, char **error)
{
	const struct uc_select *select =
		uc_slot_select(event->family, event->box_index, role);
	uint64_t number, writable = layout->writable;
	unsigned high = 63;

	if (!text_number(value, &number))
		return bad_number(name, value, error);
	if (select && select->slot_shift) {
		high = select->slot_shift - 1u;
		writable &= uc_bits(high, 0);
	}
	if (number & ~writable)
		return text_error(UNCORE_ERR_VALUE_TOO_WIDE, error,
				  "%s=0x%llx sets bits that %s does not have; "
				  "it has 0x%llx",
				  name, (unsigned long long)number,
				  layout->name, (unsigned long long)writable);
	return event_set_bits(event, name, role, high, 0, number, error);
}

/* `place` is what the option says already, EVENT_ANY if nothing. */
static int set_once(int *place, int number, const char *name, const char *value,
		    char **error)
{
	if (*place != EVENT_ANY && *place != number)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "%s=%s contradicts the %s= before it", name,
				  value, name);
	*place = number;
	return 0;
}

static int set_counter(struct uncore_event *event, const char *value,
		       char **error)
{
	unsigned num = event->box->num_counters + event->box->num_fixed;
	uint64_t number;

	if (!text_number(value, &number))
		return bad_number("counter", value, error);
	if (number >= num)
		return text_error(UNCORE_ERR_BAD_COUNTER, error,
				  "there is no counter %llu: a %s has %u "
				  "(0 to %u)",
				  (unsigned long long)number,
				  event->box->guide_name, num, num - 1);
	return set_once(&event->counter, (int)number, "counter", value, error);
}

static void say_ports(const struct uc_family *family, struct text *text)
{
	for (unsigned i = 0; i < family->num_ports; i++)
		text_add(text, "%s%s", i ? ", " : "", family->ports[i].name);
}

int event_bad_port(const struct uncore_event *event, const char *value,
		   char **error)
{
	struct text text = { 0 };

	if (value)
		text_add(&text,
			 "there is no port '%s'; the ports are: ", value);
	else
		text_add(&text, "'%s' needs a port: add port=NAME, one of: ",
			 event->text);
	say_ports(event->family, &text);
	return text_fail(&text, UNCORE_ERR_BAD_PORT, error);
}

static int set_port(struct uncore_event *event, const char *value, char **error)
{
	const struct uc_family *family = event->family;
	uint64_t number;

	if (event->box->num_ports < 2)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "port=%s: a %s has no ports", value,
				  event->box->guide_name);
	if (text_number(value, &number) && number < event->box->num_ports)
		return set_once(&event->port, (int)number, "port", value,
				error);
	for (unsigned i = 0; i < family->num_ports; i++) {
		if (strcasecmp(family->ports[i].name, value) &&
		    strcasecmp(family->ports[i].guide_name, value))
			continue;
		return set_once(&event->port, family->ports[i].port, "port",
				value, error);
	}
	return event_bad_port(event, value, error);
}

static int set_slot(struct uncore_event *event, const char *value, char **error)
{
	uint64_t number;

	if (event->box->num_ports < 2)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "slot=%s: a %s has no slots", value,
				  event->box->guide_name);
	if (!text_number(value, &number) || number > 1)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "slot=%s: the slots of a port are 0 and 1",
				  value);
	return set_once(&event->slot, (int)number, "slot", value, error);
}

static const struct uc_param *find_param(const struct uncore_event *event,
					 const char *name)
{
	if (!event->row)
		return NULL;
	for (unsigned i = 0; i < event->row->num_params; i++)
		if (!strcasecmp(event->row->params[i].name, name))
			return &event->row->params[i];
	for (unsigned m = 0; m < event->num_masks; m++)
		for (unsigned i = 0; i < event->masks[m]->num_params; i++)
			if (!strcasecmp(event->masks[m]->params[i].name, name))
				return &event->masks[m]->params[i];
	return NULL;
}

static int set_field(struct uncore_event *event, const char *name,
		     enum uc_role role, const struct uc_field *field,
		     const char *value, char **error)
{
	if (field->kind == UC_KIND_RO || !strcasecmp(field->canonical, "en"))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "%s=%s: the field %s is not for events to "
				  "set",
				  name, value, field->name);
	return event_set_text(event, name, role, field->high, field->low, value,
			      error);
}

/* event=0x138: its bit 8 is a field of its own where there is one. */
static int set_code(struct uncore_event *event, enum uc_role role,
		    const struct uc_layout *layout,
		    const struct uc_field *field, const char *name,
		    const char *value, char **error)
{
	const struct uc_field *high = uc_field_find(layout, "ev_sel_ext");
	uint64_t number;
	int result;

	if (!high || strcasecmp(field->canonical, "ev_sel") != 0 ||
	    !text_number(value, &number) || number >> 8 != 1)
		return set_field(event, name, role, field, value, error);
	result = event_set_bits(event, name, role, high->high, high->low, 1,
				error);
	return result ? result
		      : event_set_bits(event, name, role, field->high,
				       field->low, number & 0xff, error);
}

/* A field of slot 0 in a register that has several slots: ev_type. */
static const struct uc_field *find_slot_field(const struct uncore_event *event,
					      enum uc_role role,
					      const struct uc_layout *layout,
					      const char *name)
{
	const struct uc_select *select =
		uc_slot_select(event->family, event->box_index, role);
	size_t length =
		select && select->slot_field ? strlen(select->slot_field) : 0;
	char first[32];

	if (!length || strncasecmp(name, select->slot_field, length) ||
	    name[length] != '_')
		return NULL;
	snprintf(first, sizeof(first), "%s0%s", select->slot_field,
		 name + length);
	return uc_field_find(layout, first);
}

/* ROLE=VALUE and ROLE.FIELD=VALUE. */
static int set_sub(struct uncore_event *event, const char *name,
		   const char *value, bool *found, char **error)
{
	size_t length = strcspn(name, ".");
	enum uc_role role = uc_role_named(name, length);
	const struct uc_layout *layout = NULL;
	const struct uc_field *field;

	if (role != UC_ROLE_NONE)
		layout = uc_layout_of(event->family, event->box_index, role);
	if (!layout)
		return 0;
	*found = true;
	if (!name[length])
		return set_register(event, name, role, layout, value, error);
	name += length + 1;
	field = uc_field_find(layout, name);
	if (!field)
		field = find_slot_field(event, role, layout, name);
	if (!field)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "there is no field '%s' in %s", name,
				  layout->name);
	return set_field(event, name, role, field, value, error);
}

static void offer_fields(const struct uc_layout *layout,
			 struct nearest *nearest, struct text *text)
{
	for (unsigned i = 0; layout && i < layout->num_fields; i++) {
		const struct uc_field *field = &layout->fields[i];

		if (field->kind == UC_KIND_IG || field->kind == UC_KIND_RSV ||
		    !strcasecmp(field->canonical, "en"))
			continue;
		nearest_offer(nearest, field->canonical);
		text_add(text, ", %s", field->canonical);
	}
}

static int bad_option(const struct uncore_event *event, const char *name,
		      char **error)
{
	struct nearest nearest = { .wanted = name };
	struct text known = { 0 }, text = { 0 };
	enum uc_role control = event_control_role(event);

	text_add(&known, "counter");
	if (event->box->num_ports > 1)
		text_add(&known, ", port, slot");
	event_filter_names(event, &nearest, &known);
	for (unsigned i = 0; event->row && i < event->row->num_params; i++)
		text_add(&known, ", %s", event->row->params[i].name);
	for (unsigned m = 0; m < event->num_masks; m++)
		for (unsigned i = 0; i < event->masks[m]->num_params; i++)
			text_add(&known, ", %s",
				 event->masks[m]->params[i].name);
	offer_fields(uc_layout_of(event->family, event->box_index, control),
		     &nearest, &known);
	for (unsigned role = UC_FIRST_SUB_ROLE; role < UC_FIRST_SHARED_ROLE;
	     role++)
		offer_fields(uc_layout_of(event->family, event->box_index,
					  (enum uc_role)role),
			     &nearest, &known);
	for (unsigned role = UC_FIRST_SHARED_ROLE; role < UC_NUM_ROLES; role++)
		if (uc_layout_of(event->family, event->box_index,
				 (enum uc_role)role))
			text_add(&known, ", %s",
				 event_role_name((enum uc_role)role));
	text_add(&text, "there is no option '%s' for events of the %s", name,
		 event->box->guide_name);
	nearest_say(&nearest, &text);
	text_add(&text, " (options: %s)", known.data ? known.data : "none");
	if (error)
		*error = text_take(&text);
	text_free(&known);
	text_free(&text);
	return UNCORE_ERR_BAD_OPTION;
}

/* Of what a control has no room for; UC_ROLE_NONE: none has it. */
static enum uc_role role_with_term(const struct uncore_event *event,
				   const char *name)
{
	for (unsigned role = UC_FIRST_SUB_ROLE; role < UC_FIRST_SHARED_ROLE;
	     role++) {
		const struct uc_layout *layout = uc_layout_of(
			event->family, event->box_index, (enum uc_role)role);

		if (layout && uc_field_find(layout, name))
			return (enum uc_role)role;
	}
	return UC_ROLE_NONE;
}

int event_option(struct uncore_event *event, const char *name,
		 const char *value, char **error)
{
	enum uc_role control = event_control_role(event);
	const struct uc_layout *layout;
	const struct uc_param *param;
	const struct uc_field *field;
	bool found = false;
	int result;

	if (!strcasecmp(name, "counter"))
		return set_counter(event, value, error);
	if (!strcasecmp(name, "port"))
		return set_port(event, value, error);
	if (!strcasecmp(name, "slot"))
		return set_slot(event, value, error);
	result = event_filter_option(event, name, value, &found, error);
	if (found)
		return result;
	param = find_param(event, name);
	if (param)
		return event_set_text(event, name, param->role, param->high,
				      param->low, value, error);
	layout = uc_layout_of(event->family, event->box_index, control);
	field = layout ? uc_field_find(layout, long_name(name)) : NULL;
	if (!field && (control = role_with_term(event, name))) {
		layout = uc_layout_of(event->family, event->box_index, control);
		field = uc_field_find(layout, name);
	}
	if (field)
		return set_code(event, control, layout, field, name, value,
				error);
	result = set_sub(event, name, value, &found, error);
	if (!found)
		result = event_word(event, name, value, &found, error);
	return found ? result : bad_option(event, name, error);
}
