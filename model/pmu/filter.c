/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The guide's filters speak four dialects:
 *   R-Box  (Tables 2-50 to 2-52) a mask bit of 1 compares; flits may count.
 *   B-Box  (Tables 2-22, 2-23)   the same sense, fields chosen by the event.
 *   S-Box  (Tables 2-33 to 2-35) one bit per class, opcode and state; a mask
 *          bit of 1 leaves an address bit out.
 *   M-Box  (Tables 2-71, 2-72, 2-79) command code, scheduling mode, address; a
 *          mask bit of 1 leaves an address bit out.
 * Which reading of the guide was taken where is in docs/errata.md.
 */
#include "model/pmu/filter.h"

#include <string.h>

#define ALL_16	   UINT16_MAX
#define LINE_SHIFT 6 /* address fields of the S- and B-Box count lines */

/* A register of the filter with its present value. */
struct part {
	const struct uc_register *reg; /* NULL: the box has none */
	uint64_t value;
};

static struct part part_of(const struct filter_place *place, enum uc_role role)
{
	struct part part = { NULL, 0 };

	part.reg = register_find(place->registers, place->box, place->instance,
				 role, place->index);
	if (part.reg)
		part.value = *register_place(place->registers, part.reg);
	return part;
}

/* M-Box: the sub-control registers exist once, whatever the filter's index. */
static struct part sub_part_of(const struct filter_place *place,
			       enum uc_role role)
{
	struct filter_place only = *place;

	only.index = 0;
	return part_of(&only, role);
}

static uint64_t get(const struct part *part, const char *name)
{
	return part->reg ? register_field(part->reg, name, part->value) : 0;
}

static unsigned width_of(const struct part *part, const char *name)
{
	const struct uc_field *field =
		part->reg ? uc_field_find(part->reg->layout, name) : NULL;

	return field ? field->high - field->low + 1u : 0;
}

static void pass_nothing(struct filter *filter)
{
	filter->states = 0;
}

static void keep_opcodes(struct filter *filter, unsigned message_class,
			 uint16_t opcodes)
{
	filter->opcodes[message_class % FILTER_CLASSES] &= opcodes;
}

/* R-Box */

/* Bits of the virtual network field: 0 VN0, 1 VN1, 2 and 3 VNA. */
#define VN_IS_VNA 2

static void compile_ports(struct filter *filter,
			  const struct filter_place *place)
{
	struct part match = part_of(place, UC_ROLE_MATCH);
	struct part mask = part_of(place, UC_ROLE_MASK);
	struct part cfg = part_of(place, UC_ROLE_MM_CFG);
	uint64_t first_flit = get(&cfg, "match_flit_cnt");

	if (!cfg.reg || get(&cfg, "dis") || !get(&cfg, "mm_trig_en") ||
	    (get(&cfg, "match_71_64") & get(&cfg, "mask_71_64")))
		pass_nothing(filter);
	filter->each_flit = get(&cfg, "ig_flit_cnt") || !first_flit;
	filter->min_flits = filter->each_flit ? 0 : (uint8_t)first_flit;
	filter->match.message_class = (uint8_t)get(&match, "MC");
	filter->care.message_class = (uint8_t)get(&mask, "MC");
	filter->match.opcode = (uint8_t)get(&match, "OPC");
	filter->care.opcode = (uint8_t)get(&mask, "OPC");
	filter->match.state = (uint8_t)get(&match, "RDS");
	filter->care.state = (uint8_t)get(&mask, "RDS");
	filter->match.dest_node = (uint8_t)get(&match, "DNID");
	filter->care.dest_node = (uint8_t)get(&mask, "DNID");
	filter->match.requester_node = (uint8_t)get(&match, "RNID");
	filter->care.requester_node = (uint8_t)get(&mask, "RNID");
	filter->match.vn = (uint8_t)get(&match, "VNW");
	filter->care.vn = (uint8_t)get(&mask, "VNW");
	if (filter->match.vn & filter->care.vn & VN_IS_VNA)
		filter->care.vn = VN_IS_VNA;
}

/* B-Box */

static void compile_home(struct filter *filter,
			 const struct filter_place *place, uint8_t code)
{
	struct part match = part_of(place, UC_ROLE_MATCH);
	struct part mask = part_of(place, UC_ROLE_MASK);
	const char *class_name = code & UC_FILTER_OUT ? "msg_out" : "msg_in";
	const char *opcode_name = code & UC_FILTER_OUT ? "opc_out" : "opc_in";

	if (code & UC_FILTER_MSG) {
		filter->match.message_class = (uint8_t)get(&match, class_name);
		filter->care.message_class = (uint8_t)get(&mask, class_name);
	}
	if (code & UC_FILTER_OPC) {
		filter->match.opcode = (uint8_t)get(&match, opcode_name);
		filter->care.opcode = (uint8_t)get(&mask, opcode_name);
	}
	if (code & UC_FILTER_ADDR) {
		filter->match.address = get(&match, "addr") << LINE_SHIFT;
		filter->care.address = get(&mask, "addr") << LINE_SHIFT;
	}
}

/* S-Box */

/* Table 2-33: the response bits from the lowest up, as codes of RDS. */
static const uint8_t response_states[] = { 0, 8, 4, 2, 1 }; /* I M E S F */

/* Bit n of the class field stands for the nth class that has one-hot opcodes,
 * in the order of the class codes (Table 2-33: HOM0, HOM1, NDR, NCS, NCB). */
static int class_bit(const struct uc_family *family, unsigned message_class)
{
	bool seen[FILTER_CLASSES] = { false };
	int bit = 0;

	for (size_t i = 0; i < family->num_onehots; i++)
		seen[family->onehots[i].message_class % FILTER_CLASSES] = true;
	if (!seen[message_class])
		return -1;
	for (unsigned n = 0; n < message_class; n++)
		bit += seen[n];
	return bit;
}

static void keep_classes(struct filter *filter, const struct uc_family *family,
			 uint64_t classes)
{
	for (unsigned n = 0; n < FILTER_CLASSES; n++) {
		int bit = class_bit(family, n);

		if (bit < 0 || !(classes >> bit & 1))
			keep_opcodes(filter, n, 0);
	}
}

static void keep_onehots(struct filter *filter, const struct uc_family *family,
			 uint64_t match)
{
	uint16_t chosen[FILTER_CLASSES] = { 0 };

	for (size_t i = 0; i < family->num_onehots; i++) {
		const struct uc_onehot *row = &family->onehots[i];

		if (match >> row->bit & 1)
			chosen[row->message_class % FILTER_CLASSES] |=
				(uint16_t)(1u << (row->opcode & 15));
	}
	for (unsigned n = 0; n < FILTER_CLASSES; n++)
		keep_opcodes(filter, n, chosen[n]);
}

/* Responses are looked at in data responses only, so only those pass: the
 * DataC opcodes of class DRS. */
static void keep_responses(struct filter *filter,
			   const struct uc_family *family, uint64_t responses)
{
	uint16_t chosen[FILTER_CLASSES] = { 0 };

	filter->states = 0;
	for (unsigned n = 0; n < sizeof(response_states); n++)
		if (responses >> n & 1)
			filter->states |= (uint16_t)(1u << response_states[n]);
	for (size_t i = 0; i < family->num_opcodes; i++) {
		const struct uc_opcode *row = &family->opcodes[i];

		if (!strncmp(row->name, "DataC", 5))
			chosen[row->message_class % FILTER_CLASSES] |=
				(uint16_t)(1u << (row->code & 15));
	}
	for (unsigned n = 0; n < FILTER_CLASSES; n++)
		keep_opcodes(filter, n, chosen[n]);
}

static void compile_system(struct filter *filter,
			   const struct filter_place *place)
{
	const struct uc_family *family = place->registers->family;
	struct part match = part_of(place, UC_ROLE_MATCH);
	struct part mask = part_of(place, UC_ROLE_MASK);
	struct part cfg = part_of(place, UC_ROLE_MM_CFG);
	unsigned address_bits = width_of(&match, "addr");

	if (get(&match, "mc"))
		keep_classes(filter, family, get(&match, "mc"));
	if (get(&match, "opc"))
		keep_onehots(filter, family, match.value);
	if (get(&match, "resp"))
		keep_responses(filter, family, get(&match, "resp"));
	if (!get(&cfg, "mm_en") || !address_bits) {
		pass_nothing(filter);
		return;
	}
	filter->match.address = get(&match, "addr") << LINE_SHIFT;
	filter->care.address =
		(~get(&mask, "addr") & uc_bits(address_bits - 1, 0))
		<< LINE_SHIFT;
	filter->match.home_node = (uint8_t)get(&match, "hnid");
	if (!get(&mask, "hnid"))
		filter->care.home_node =
			(uint8_t)uc_bits(width_of(&match, "hnid") - 1, 0);
}

/* M-Box */

static void compile_dram(struct filter *filter,
			 const struct filter_place *place, bool second)
{
	struct part pld = sub_part_of(place, UC_ROLE_PLD);
	struct part iss = sub_part_of(place, UC_ROLE_ISS);
	struct part match = sub_part_of(place, UC_ROLE_MATCH);
	struct part mask = sub_part_of(place, UC_ROLE_MASK);
	struct part cfg = sub_part_of(place, UC_ROLE_MM_CFG);
	unsigned bits = width_of(&match, "address");
	unsigned masked = width_of(&mask, "address");

	filter->match.dram_cmd =
		(uint8_t)get(&pld, second ? "dram_cmd1" : "dram_cmd");
	filter->care.dram_cmd = filter->match.dram_cmd ? UINT8_MAX : 0;
	if (!second && get(&pld, "cmd")) {
		filter->match.sched_mode =
			(uint8_t)get(&iss, "sched_mode_pld_trig");
		filter->care.sched_mode = UINT8_MAX;
	}
	if (!get(&pld, "addr_match1") || !masked || bits < masked)
		return;
	if (!get(&cfg, "mm_en"))
		pass_nothing(filter);
	filter->match.address = get(&match, "address");
	filter->care.address = (~get(&mask, "address") & uc_bits(masked - 1, 0))
			       << (bits - masked);
}

void filter_compile(struct filter *filter, const struct filter_place *place,
		    uint8_t code)
{
	const struct uc_box *box = &place->registers->family->boxes[place->box];

	memset(filter, 0, sizeof(*filter));
	memset(filter->opcodes, 0xff, sizeof(filter->opcodes));
	filter->states = ALL_16;
	if (code & UC_FILTER_PARTS)
		compile_home(filter, place, code);
	else if (code == UC_FILTER_PLD || code == UC_FILTER_PLD1)
		compile_dram(filter, place, code == UC_FILTER_PLD1);
	else if (code == UC_FILTER_MM && box->num_ports > 1)
		compile_ports(filter, place);
	else if (code == UC_FILTER_MM)
		compile_system(filter, place);
}

enum { HEADER_WORDS = sizeof(struct sig_header) / sizeof(uint64_t) };

_Static_assert(sizeof(struct sig_header) == HEADER_WORDS * sizeof(uint64_t),
	       "has_bits() compares headers by words");

static bool has_bits(const struct filter *filter,
		     const struct sig_header *header)
{
	uint64_t is[HEADER_WORDS], match[HEADER_WORDS], care[HEADER_WORDS];
	uint64_t differ = 0;

	memcpy(is, header, sizeof(is));
	memcpy(match, &filter->match, sizeof(match));
	memcpy(care, &filter->care, sizeof(care));
	for (unsigned i = 0; i < HEADER_WORDS; i++)
		differ |= (is[i] ^ match[i]) & care[i];
	return !differ;
}

unsigned filter_count(const struct filter *filter,
		      const struct sig_header *header)
{
	unsigned message_class = header->message_class % FILTER_CLASSES;

	if (!has_bits(filter, header) ||
	    !(filter->opcodes[message_class] >> (header->opcode & 15) & 1) ||
	    !(filter->states >> (header->state & 15) & 1))
		return 0;
	if (filter->each_flit)
		return header->flits;
	return header->flits >= filter->min_flits;
}
