/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The public, read-only view of the tables of a family. A family handle is
 * the table row itself; descriptions are filled in from rows.
 */
#include "uncore/family.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/text.h"
#include "event/event.h"
#include "perf/family.h"
#include "table/table.h"
#include "uncore/error.h"

static const char *const kind_names[] = {
	"rw", "ro", "wo", "w1c", "rsv", "ig"
};

const struct uc_family *family_row(const struct uncore_family *family)
{
	return (const struct uc_family *)family;
}

static const struct uncore_family *handle(const struct uc_family *row)
{
	return (const struct uncore_family *)row;
}

const struct uncore_family *uncore_family_at(size_t index)
{
	return handle(uc_family_nth(index));
}

const struct uncore_family *uncore_family_find(const char *name)
{
	return handle(uc_family_find(name));
}

static bool is_machine(const char *name)
{
	for (size_t i = 0; uc_machine_names[i].name; i++)
		if (!strcmp(uc_machine_names[i].name, name))
			return true;
	return false;
}

const struct uncore_family *uncore_family_open(const char *name, char **error)
{
	const struct uncore_family *family = uncore_family_find(name);
	struct text known = { 0 }, others = { 0 }, nearest_one = { 0 };
	struct nearest nearest = { .wanted = name };

	if (family)
		return family;
	if (perf_family_is(name))
		return handle(perf_family_open(name, error));
	for (size_t i = 0; uc_machine_names[i].name; i++) {
		nearest_offer(&nearest, uc_machine_names[i].name);
		text_add(&known, "%s%s", i ? ", " : "",
			 uc_machine_names[i].name);
	}
	nearest_say(&nearest, &nearest_one);
	for (size_t i = 0; uc_images[i].name; i++)
		if (!is_machine(uc_images[i].name))
			text_add(&others, "%s%s", others.data ? ", " : "",
				 uc_images[i].name);
	text_error(UNCORE_ERR_UNKNOWN_FAMILY, error,
		   "there is no machine '%s'; the machines are: %s%s%s, and "
		   "'perf' for what the kernel of this one can count%s",
		   name, known.data ? known.data : "none",
		   others.data ? ", without a model " : "",
		   others.data ? others.data : "",
		   nearest_one.data ? nearest_one.data : "");
	text_free(&others);
	text_free(&known);
	text_free(&nearest_one);
	return NULL;
}

char *uncore_family_capture(const struct uncore_family *family)
{
	const struct perf_pmus *pmus = perf_family_pmus(family_row(family));

	return pmus ? perf_tree_say(&pmus->tree) : NULL;
}

const char *uncore_family_note(const struct uncore_family *family)
{
	return perf_family_note(family_row(family));
}

const struct uncore_family *uncore_family_of_capture(const char *capture,
						     char **error)
{
	return handle(perf_family_of_capture(capture, error));
}

const struct uncore_family *
uncore_family_of_cpu(unsigned cpu_family, unsigned cpu_model, unsigned stepping)
{
	return handle(uc_family_of_cpu(cpu_family, cpu_model, stepping));
}

const struct uncore_family *uncore_family_of_host(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned eax, ebx, ecx, edx, family, model;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return NULL;
	family = (eax >> 8 & 0xf) + (eax >> 20 & 0xff);
	model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);
	return uncore_family_of_cpu(family, model, eax & 0xf);
#else
	return NULL;
#endif
}

const char *uncore_family_name(const struct uncore_family *family)
{
	return family_row(family)->name;
}

const char *uncore_family_title(const struct uncore_family *family)
{
	return family_row(family)->title;
}

const char *uncore_family_guide(const struct uncore_family *family)
{
	return family_row(family)->guide;
}

const char *uncore_family_left_out(const struct uncore_family *family)
{
	const struct perf_pmus *pmus = perf_family_pmus(family_row(family));

	return pmus ? pmus->left_out : NULL;
}

bool uncore_family_has_model(const struct uncore_family *family)
{
	return family_row(family)->has_model;
}

/* As many instances as a socket has, whatever their numbers. */
static unsigned num_there(const struct uc_family *family, size_t box)
{
	const struct perf_pmus *pmus = perf_family_pmus(family);
	unsigned num = family->boxes[box].num_instances;

	return pmus && pmus->boxes[box].num_there < num
		       ? pmus->boxes[box].num_there
		       : num;
}

bool uncore_family_box(const struct uncore_family *family, size_t index,
		       struct uncore_box *box)
{
	const struct uc_family *table = family_row(family);
	const struct uc_box *row;

	if (index >= table->num_boxes)
		return false;
	row = &table->boxes[index];
	*box = (struct uncore_box){
		.name = row->name,
		.guide_name = row->guide_name,
		.source = row->source,
		.num_instances = num_there(table, index),
		.num_counters = row->num_counters,
		.num_fixed = row->num_fixed,
		.width_bits = row->width_bits,
		.num_ports = row->num_ports,
		.num_events = row->num_events,
	};
	return true;
}

static void describe_register(const struct uc_family *table,
			      const struct uc_register *row,
			      struct uncore_register *reg)
{
	*reg = (struct uncore_register){
		.name = row->name,
		.box = row->box == UC_BOX_NONE ? "core"
					       : table->boxes[row->box].name,
		.layout = row->layout->name,
		.access = row->access_text,
		.brief = row->brief,
		.source = row->source,
		.address = row->address,
		.instance = row->instance,
		.width_bits = row->width,
		.num_fields = row->layout->num_fields,
		.writable =
			row->access == UC_ACCESS_RO ? 0 : row->layout->writable,
		.is_guests = true,
		.handle = row,
	};
}

bool uncore_family_register(const struct uncore_family *family, size_t index,
			    struct uncore_register *reg)
{
	const struct uc_family *table = family_row(family);

	if (index >= table->num_registers)
		return false;
	describe_register(table, &table->registers[index], reg);
	return true;
}

bool uncore_family_register_at(const struct uncore_family *family,
			       uint64_t address, struct uncore_register *reg)
{
	const struct uc_family *table = family_row(family);
	const struct uc_register *row = uc_register_at(table, address);

	if (!row)
		return false;
	describe_register(table, row, reg);
	return true;
}

bool uncore_family_core_register(const struct uncore_family *family,
				 size_t index, struct uncore_register *reg)
{
	const struct uc_family *table = family_row(family);

	if (index >= table->num_core_registers)
		return false;
	describe_register(table, &table->core_registers[index].reg, reg);
	reg->is_guests = table->core_registers[index].guest;
	return true;
}

bool uncore_register_field(const struct uncore_register *reg, size_t index,
			   struct uncore_field *field)
{
	const struct uc_register *of = reg->handle;
	const struct uc_layout *layout = of->layout;
	const struct uc_field *row;

	if (index >= layout->num_fields)
		return false;
	row = &layout->fields[index];
	*field = (struct uncore_field){
		.name = row->name,
		.canonical = row->canonical,
		.kind = kind_names[row->kind],
		.brief = row->brief,
		.reset = row->reset,
		.high = row->high,
		.low = row->low,
	};
	return true;
}

bool uncore_family_event(const struct uncore_family *family, size_t index,
			 struct uncore_event_info *event)
{
	const struct uc_family *table = family_row(family);
	const struct uc_event *row;
	unsigned box = 0;

	while (box < table->num_boxes && index >= table->boxes[box].num_events)
		index -= table->boxes[box++].num_events;
	if (box == table->num_boxes)
		return false;
	row = &table->boxes[box].events[index];
	*event = (struct uncore_event_info){
		.box = table->boxes[box].name,
		.name = row->name,
		.brief = row->brief,
		.note = row->note,
		.category = row->category,
		.source = row->source,
		.excluded = row->excluded,
		.code = row->code,
		.max_increment = row->max_increment,
		.multiplier = row->accumulate ? row->accumulate : 1,
		.at_least = row->combine_ge,
		.counters = row->counters,
		.num_unit_masks = row->num_unit_masks,
		.num_aliases = row->num_aliases,
		.handle = row,
	};
	return true;
}

bool uncore_event_info_unit_mask(const struct uncore_event_info *event,
				 size_t index, struct uncore_unit_mask *mask)
{
	const struct uc_event *of = event->handle;
	const struct uc_unit_mask *row;

	if (index >= of->num_unit_masks)
		return false;
	row = &of->unit_masks[index];
	*mask = (struct uncore_unit_mask){
		.name = row->name,
		.brief = row->brief,
		.note = row->note,
		.excluded = row->excluded,
		.value = row->value,
		.handle = row,
	};
	return true;
}

const char *uncore_event_info_alias(const struct uncore_event_info *event,
				    size_t index)
{
	const struct uc_event *row = event->handle;

	return index < row->num_aliases ? row->aliases[index] : NULL;
}

bool uncore_family_unit_at(const struct uncore_family *family, uint64_t address,
			   struct uncore_unit *unit)
{
	const struct uc_family *table = family_row(family);
	const struct uc_unit *row = uc_unit_at(table, address);

	if (!row)
		return false;
	*unit = (struct uncore_unit){
		.box = table->boxes[row->box].name,
		.instance = row->instance,
		.space = row->space,
		.number = row->unit,
		.vendor = row->vendor,
		.device = row->device,
	};
	return true;
}

bool uncore_family_function(const struct uncore_family *family, size_t index,
			    struct uncore_function *function)
{
	const struct uc_family *table = family_row(family);
	const struct uc_function *row;

	if (index >= table->num_functions)
		return false;
	row = &table->functions[index];
	*function = (struct uncore_function){
		.brief = row->brief,
		.source = row->source,
		.number = row->unit,
		.vendor = row->vendor,
		.device = row->device,
		.size_bytes = row->is_extended ? 4096 : 256,
	};
	return true;
}

bool uncore_family_port(const struct uncore_family *family, size_t index,
			struct uncore_port *port)
{
	const struct uc_family *table = family_row(family);

	if (index >= table->num_ports)
		return false;
	*port = (struct uncore_port){
		.name = table->ports[index].name,
		.guide_name = table->ports[index].guide_name,
		.number = table->ports[index].port,
	};
	return true;
}

bool uncore_family_class(const struct uncore_family *family, size_t index,
			 struct uncore_message_class *message_class)
{
	const struct uc_family *table = family_row(family);

	if (index >= table->num_classes)
		return false;
	*message_class = (struct uncore_message_class){
		.name = table->classes[index].name,
		.brief = table->classes[index].brief,
		.source = table->classes[index].source,
		.code = table->classes[index].code,
	};
	return true;
}

static const char *class_name(const struct uc_family *table, unsigned code)
{
	for (unsigned i = 0; i < table->num_classes; i++)
		if (table->classes[i].code == code)
			return table->classes[i].name;
	return "";
}

bool uncore_family_opcode(const struct uncore_family *family, size_t index,
			  struct uncore_opcode *opcode)
{
	const struct uc_family *table = family_row(family);
	const struct uc_opcode *row;

	if (index >= table->num_opcodes)
		return false;
	row = &table->opcodes[index];
	*opcode = (struct uncore_opcode){
		.name = row->name,
		.message_class = class_name(table, row->message_class),
		.brief = row->brief,
		.source = row->source,
		.code = row->code,
	};
	return true;
}
