/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The const tables made from data/ (see data/FORMAT.md): one description of a
 * processor family that the library reads to encode and the model reads to
 * decode. The tables are produced by tools/gentables.py; all pointers live as
 * long as the program.
 */
#ifndef UNCORE_TABLE_H
#define UNCORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum uc_kind {
	UC_KIND_RW,
	UC_KIND_RO,
	UC_KIND_WO,
	UC_KIND_W1C,
	UC_KIND_RSV, /* must be written 0, else undefined */
	UC_KIND_IG,  /* reads zero, writes ignored */
};

/* What a register is for; the only thing that code may ask of a register. */
enum uc_role {
	UC_ROLE_NONE,
	UC_ROLE_GLOBAL_CTL,
	UC_ROLE_GLOBAL_STATUS,
	UC_ROLE_OVF_CTL,
	UC_ROLE_SUMMARY,
	UC_ROLE_CONTROL,
	UC_ROLE_COUNTER,
	UC_ROLE_FIXED_CTL,
	UC_ROLE_FIXED_COUNTER,
	UC_ROLE_TIMESTAMP,
	UC_ROLE_NODE_ID,  /* PCI: of the socket that the bus belongs to */
	UC_ROLE_NODE_MAP, /* ids of all sockets, that of socket 0 lowest */
	UC_ROLE_IDENTITY, /* tells what this processor is, see FORMAT.md */
	/* From here on what the families name: sub-registers that an event
	 * may need besides its control, in the order in which they are set
	 * up. */
	UC_FIRST_SUB_ROLE,
	UC_ROLE_TERMS1 = UC_FIRST_SUB_ROLE, /* of live families (src/perf): */
	UC_ROLE_TERMS2,			    /* what a control has no room for */
	UC_FIRST_SHARED_ROLE,
	UC_NUM_ROLES = 32 /* or fewer */
};

/* What a sub-register is. */
enum uc_role_kind {
	UC_ROLE_IS_COMMON, /* not one */
	UC_ROLE_IS_OWN,	   /* each counter has its own, beside its control */
	UC_ROLE_IS_CONFIG,
	UC_ROLE_IS_SWITCH, /* switches the comparison by match and mask on */
	UC_ROLE_IS_MATCH,
	UC_ROLE_IS_MASK,
};

enum uc_access { UC_ACCESS_RW, UC_ACCESS_RO, UC_ACCESS_WO, UC_ACCESS_W1C };

struct uc_field {
	const char *name;      /* as the guide prints it */
	const char *canonical; /* the project's name for it; often the same */
	const char *brief;
	uint64_t reset; /* value of the field after hardware reset */
	uint8_t high, low;
	uint8_t kind; /* enum uc_kind */
};

struct uc_layout {
	const char *name;
	const char *source;
	const struct uc_field *fields;
	uint16_t num_fields;
	uint64_t writable; /* what a write may change: not ig, rsv, ro */
	uint64_t reserved; /* bits that must be written 0 */
	uint64_t reset;
};

struct uc_register {
	const char *name;
	const char *brief;
	const char *source;
	const char *access_text; /* as printed, e.g. RW_RO: software_hardware */
	const struct uc_layout *layout;
	uint64_t address;
	uint8_t box;	   /* index into uc_family.boxes */
	uint8_t instance;  /* of the box */
	uint8_t role;	   /* enum uc_role */
	uint8_t index;	   /* within the role: counter, port*2+slot, ... */
	uint8_t width;	   /* bits, 32 or 64 */
	uint8_t access;	   /* enum uc_access: what software may do */
	uint8_t part_bits; /* of one access; wider ones take several */
	uint8_t off_role;  /* may be written only while this bit of the one */
	uint8_t off_bit;   /* with this role is 0; UC_ROLE_NONE: always */
	uint16_t sums;	   /* 0, or 1 + the signal that it adds up for ever */
};

/* One signal, or one element of a signal array chosen by a register field. */
struct uc_signal_ref {
	uint16_t signal; /* in the box's signal numbering (see num_elements) */
	uint8_t filter;	 /* bits of the box's looks; 0: none */
	uint8_t index_role; /* UC_ROLE_NONE, or the register with the index */
	uint8_t index_high, index_low;
};

/* A condition on, or an assignment to, bits of a register of the box. */
struct uc_set {
	const char *field; /* printed name; "" for the whole register */
	uint64_t value;
	uint8_t role;
	uint8_t high, low;
	bool contains; /* decode: has these bits (|=); else equals (=) */
};

/* A user option that goes into a field, e.g. fvid=3. */
struct uc_param {
	const char *name;
	uint8_t role;
	uint8_t high, low;
};

struct uc_unit_mask {
	const char *name;
	const char *brief;
	const char *note;     /* "" if none */
	const char *excluded; /* NULL, or why the guide rules it out */
	const struct uc_set *sets;
	const struct uc_signal_ref *signals;
	const struct uc_param *params;
	uint64_t value; /* what list prints: umask or sub-control value */
	uint8_t num_sets;
	uint8_t num_signals; /* 0: the union of the unit masks it contains */
	uint8_t num_params;
	bool is_state; /* as of uc_event */
};

/* Ways to choose an event that all families have. */
enum {
	UC_SELECT_EV_SEL, /* the code in ev_sel of the control */
	UC_SELECT_FIXED,  /* a fixed counter: nothing to select */
	UC_MAX_SELECTS = 8
};

/* A way to choose an event: a code in the control's field of that name. Or
 * ev_sel points at a slot of a port (routes), and the registers of that slot
 * are the event. */
struct uc_select {
	const char *name;
	const char *more; /* the field with higher bits of the code, or NULL */
	const char *title;
	const char *slot_field;	   /* ev: field ev_X means ev0_X in slot 0 */
	const struct uc_set *when; /* it holds if any of these does, or none */
	const struct uc_set *gate; /* then it says in which cycles others do */
	uint32_t registers;	   /* bit n: role n is in the slot */
	uint8_t box;		   /* or UC_BOX_NONE: any */
	uint8_t num_slots;	   /* 0: it is a code */
	uint8_t slot_shift; /* 0, or by which fields of slot 1 lie higher in
			     * a register that is there once for the port */
	uint8_t num_when;
	uint8_t num_gate;
	bool is_filter; /* what is set there filters, for every event alike */
};

/* What filters compare of a packet or command. */
enum uc_header {
	UC_HEADER_NONE,
	UC_HEADER_CLASS,
	UC_HEADER_OPCODE,
	UC_HEADER_ADDRESS,
	UC_HEADER_STATE,
	UC_HEADER_VN,
	UC_HEADER_DEST_NODE,
	UC_HEADER_REQUESTER_NODE,
	UC_HEADER_HOME_NODE,
	UC_HEADER_FLITS,
	UC_HEADER_EACH_FLIT, /* 1: flits count, not packets */
	UC_HEADER_DRAM_CMD,
	UC_HEADER_SCHED_MODE,
	UC_HEADER_CORE_OPCODE, /* ten bits */
	UC_HEADER_THREAD,
	UC_HEADER_MESSAGE, /* class above the four bits of the opcode */
	UC_HEADER_LEVEL,   /* nothing of a packet: a level of at least that */
	UC_HEADER_SOME_OPCODE, /* of the core: one of several words' */
	UC_HEADER_TRAIT,       /* 0: what is so does not pass */
	UC_NUM_HEADERS
};

/* Bits of a register of the box; UC_ROLE_NONE: none. */
struct uc_place {
	uint8_t role, high, low;
};

/* A field that filters look at, besides those of filter words. */
struct uc_look {
	uint8_t box;
	uint8_t of; /* bits of the filters */
	struct uc_place field;
	struct uc_place unless; /* not if this field is 0 */
	struct uc_place mask;	/* bits of the field that matter */
	uint8_t is;		/* enum uc_header: compared with it, */
	int8_t must;		/* or -1, or nothing passes else */
	bool zero_is_any;	/* 0 compares nothing */
};

struct uc_event {
	const char *name;
	const char *brief;
	const char *note;
	const char *category;
	const char *source;
	const char *excluded;
	const char *const *aliases;
	const struct uc_set *sets;
	const struct uc_signal_ref
		*signals; /* of an event without unit masks */
	const struct uc_unit_mask *unit_masks;
	const struct uc_param *params;
	uint64_t code;
	uint32_t counters;	/* bit n: counter n may count it */
	uint16_t max_increment; /* per cycle */
	uint16_t combine_ge;	/* 0: sum; N: 1 in cycles with sum >= N */
	uint16_t accumulate;	/* 0, or the modulus of the sub-counter */
	uint16_t num_unit_masks;
	uint8_t box;
	uint8_t select;	    /* index into uc_family.selects */
	uint8_t tally_bits; /* 0, or the width of an occupancy counter */
	uint8_t num_aliases;
	uint8_t num_sets;
	uint8_t num_signals;
	uint8_t num_params;
	uint8_t of_counter; /* 0, or 1 + the counter whose level it is */
	uint32_t roles; /* bit n: it, or a unit mask, needs sub-register n */
	/* How often it happens follows from the order of accesses alone, not
	 * from when they come (of one without unit masks). */
	bool is_state;
	/* What it counts comes after a rest that is longer than many accesses
	 * take, and lasts. */
	bool is_slow;
	/* That a row was not open: it hangs on who came before whom. */
	bool is_of_rows;
	const char *unit; /* NULL: a count is one of what is counted, */
	double scale;	  /* else so much of this unit */
};

/* An occupancy that any event of a box may be combined with: codes with these
 * bits choose it. Without more it is what is counted, compared with the
 * threshold if there is one; with more, what else the code chooses is counted
 * while the comparison holds, or while there is any. */
struct uc_occupancy {
	const char
		*invert;  /* fields of the control: the comparison is turned, */
	const char *edge; /* and it counts when it comes true */
	uint16_t event;	  /* index into the box's events */
	uint16_t bits;	  /* of the code */
	uint8_t box;
};

enum uc_signal_kind {
	UC_SIGNAL_PULSE,
	UC_SIGNAL_LEVEL,
	UC_SIGNAL_PACKET,
	UC_SIGNAL_SPAN, /* a level of what carries headers */
	UC_SIGNAL_CLOCK /* a level that is 1 for ever: cycles of the box */
};

static inline bool uc_is_level(enum uc_signal_kind kind)
{
	return kind == UC_SIGNAL_LEVEL || kind == UC_SIGNAL_SPAN ||
	       kind == UC_SIGNAL_CLOCK;
}

struct uc_signal {
	const char *name;
	uint16_t first; /* number of element 0 */
	uint16_t dim;	/* elements, without its ports */
	uint8_t kind;	/* enum uc_signal_kind */
};

/* What events of a box may be told behind their names. */
struct uc_option {
	const char *name;
	bool takes_value; /* else the name alone will do */
};

enum { UC_MAX_TWINS = 8 };

/* Events of a box that are the same but for the field that chooses what they
 * count, such as four of one name with a number: each has its code and its
 * field, and any of them counts what the others count. Such a field is set by
 * the unit mask, or is the word of a filter that a level is compared with. */
struct uc_twins {
	const struct uc_event *rows[UC_MAX_TWINS];
	uint8_t high[UC_MAX_TWINS], low[UC_MAX_TWINS]; /* of its field */
	uint8_t role; /* of the register that has all these fields */
	uint8_t num;
	bool by_word; /* the fields are words of a filter */
};

struct uc_box {
	const char *name;	/* imc */
	const char *guide_name; /* as the guide writes it */
	const char *source;
	const struct uc_event *events;
	const struct uc_signal *signals;
	const struct uc_twins *twins; /* NULL: none */
	const struct uc_option *options;
	uint32_t num_events;
	uint16_t num_signals;  /* rows of signals */
	uint16_t num_elements; /* element e of port p is e * ports + p */
	uint8_t num_instances;
	uint8_t num_counters; /* general ones */
	uint8_t width_bits;
	uint8_t global_span; /* counters per global register; 0: all */
	uint8_t num_fixed; /* fixed counters; their index follows the general */
	uint8_t num_ports; /* 1, or each event exists once per port */
	uint8_t early_carry; /* 0, or N: for two counts after a carry into bit N
			      * a counter reads 2^N too high */
	uint8_t clock;	     /* index into uc_clock_names; 0 is the uncore's */
	uint16_t num_options;
	/* By role: 1 + the index of the first of its registers; 0: none has. */
	uint16_t first[UC_NUM_ROLES];
};

struct uc_class {
	const char *name;
	const char *brief;
	const char *source;
	uint8_t code;
	int8_t bit; /* in a field with a bit for each class, or -1 */
};

struct uc_opcode {
	const char *name;
	const char *plain; /* without what stands in brackets */
	const char *brief;
	const char *generated_by;
	const char *source;
	uint8_t message_class; /* code of the class */
	uint8_t code;
	int8_t bit; /* in a register with a bit for each opcode, or -1 */
};

struct uc_port {
	const char *name;	/* option value: qpi0, ... */
	const char *guide_name; /* QPI0 */
	const char *source;
	uint8_t port;
	char side; /* 'L' or 'R' */
};

/* The ev_sel code that points a counter at a slot of a port. */
struct uc_route {
	uint8_t port;
	uint8_t select; /* index into uc_family.selects */
	uint8_t slot;
	uint8_t code;
};

/* The bit of the one-hot opcode field for an opcode of a class. */
struct uc_onehot {
	uint8_t message_class;
	uint8_t opcode;
	uint8_t bit;
};

/* What an option that filters packets or commands says. */
enum uc_word_kind {
	UC_WORD_CLASS,	 /* message classes by name */
	UC_WORD_OPCODE,	 /* opcodes by name */
	UC_WORD_ADDRESS, /* a range of physical addresses */
	UC_WORD_CHOICE,	 /* values that have names: states, networks */
	UC_WORD_NUMBER,	 /* node ids */
};

/* How its register fields say it. */
enum uc_word_sense {
	UC_SENSE_COMPARE, /* a mask bit of 1 compares the bit of the match */
	UC_SENSE_IGNORE,  /* a mask bit of 1 leaves it out; a mask of one bit
			   * stands for the whole field */
	UC_SENSE_ONEHOT,  /* a bit per value, 0 for all; no mask */
	UC_SENSE_VALUE,	  /* the number itself; no mask */
};

/* A name and the codes of the field that it stands for: bit n is code n; with
 * UC_SENSE_VALUE the code itself. */
struct uc_choice {
	const char *name;
	uint32_t codes;
	bool is_lacking; /* on a model, where nothing that happens is one */
};

/* One option of the events with a filter, and where it goes. */
struct uc_filter_word {
	const char *name;
	const char *alias; /* the guide's name, or NULL */
	const char *brief;
	const char *source;
	const char *group; /* of words that are told together, or NULL */
	const char *note;  /* why a model lacks some of it, or NULL */
	const struct uc_choice *choices;
	const struct uc_set *sets; /* that switch the comparison on */
	uint64_t initial;	   /* without a mask: if it is not given */
	uint16_t needs_opcodes;	   /* bit n: defined for opcode n of ... */
	int8_t needs_class;	   /* ... this class only, or -1 */
	uint8_t box;
	uint8_t filter; /* bits of the filters that have the word */
	uint8_t kind;	/* enum uc_word_kind */
	uint8_t sense;	/* enum uc_word_sense */
	uint8_t is;	/* enum uc_header: what it compares */
	uint8_t match_role, match_high, match_low;
	uint8_t mask_role, mask_high, mask_low; /* UC_ROLE_NONE: no mask */
	uint8_t match_from, mask_from; /* address bit that bit `low` means */
	uint8_t num_choices;
	uint8_t num_sets;
};

/* Registers of a logical CPU that are not the uncore's; a table of its own. */

enum uc_core_role {
	UC_CORE_STORED, /* holds what is written */
	UC_CORE_TSC,
	UC_CORE_MPERF,
	UC_CORE_APERF,
	UC_CORE_COUNTER,
	UC_CORE_CONTROL,
	UC_CORE_FIXED_COUNTER,
	UC_CORE_FIXED_CONTROL,
	UC_CORE_GLOBAL_STATUS,
	UC_CORE_GLOBAL_CONTROL,
	UC_CORE_GLOBAL_OVERFLOW,
	UC_CORE_THERM_STATUS,
	UC_CORE_PERF_STATUS,
	UC_CORE_C6_RESIDENCY,
	UC_CORE_PREFETCH,
	UC_CORE_OFFCORE,
	UC_CORE_LOAD_LATENCY,
	UC_CORE_PACKAGE_THERM, /* of the hottest core */
	UC_CORE_PACKAGE_ENERGY,
	UC_CORE_CORES_ENERGY,
	UC_CORE_MEMORY_ENERGY,
	UC_NUM_CORE_ROLES
};

/* Who shares a register. */
enum uc_core_scope {
	UC_CORE_SCOPE_THREAD,
	UC_CORE_SCOPE_CORE,
	UC_CORE_SCOPE_PACKAGE,
};

/* What a counter of the core counts. */
enum uc_core_counts {
	UC_COUNTS_NOTHING,
	UC_COUNTS_INSTRUCTIONS,
	UC_COUNTS_CORE_CYCLES,
	UC_COUNTS_REFERENCE_CYCLES,
	UC_COUNTS_LLC_REFERENCES,
	UC_COUNTS_LLC_MISSES,
	UC_COUNTS_LOADS,
	UC_COUNTS_STORES,
	UC_COUNTS_SLOW_LOADS,
	UC_COUNTS_L2_LOAD_HITS,
	UC_COUNTS_L2_LOAD_MISSES,
	UC_COUNTS_L2_RFO_HITS,
	UC_COUNTS_L2_RFO_MISSES,
	UC_COUNTS_L2_CODE_HITS,
	UC_COUNTS_L2_CODE_MISSES,
	UC_COUNTS_L2_PREFETCH_HITS,
	UC_COUNTS_L2_PREFETCH_MISSES,
	UC_COUNTS_L1D_FILLS,
	UC_COUNTS_L1D_DIRTY_FILLS,
	UC_COUNTS_L1D_DIRTY_VICTIMS,
	UC_COUNTS_L1D_DIRTY_SNOOPS,
	UC_COUNTS_L1I_HITS,
	UC_COUNTS_L1I_MISSES,
	UC_COUNTS_OFFCORE_0,
	UC_COUNTS_OFFCORE_1,
	UC_COUNTS_LOADS_L1D,
	UC_COUNTS_LOADS_L2,
	UC_COUNTS_LOADS_LLC,
	UC_COUNTS_LOADS_OTHER_CORE,
	UC_COUNTS_LOADS_LLC_MISS,
	UC_COUNTS_LOADS_LATE,
	UC_COUNTS_LOADS_DTLB_MISS,
	UC_COUNTS_L2_FILLS_SHARED,
	UC_COUNTS_L2_FILLS_EXCLUSIVE,
	UC_COUNTS_L2_OUT_CLEAN,
	UC_COUNTS_L2_OUT_DIRTY,
	UC_COUNTS_L2_OUT_PREFETCH_CLEAN,
	UC_COUNTS_L2_OUT_PREFETCH_DIRTY,
	UC_NUM_COUNTS
};

enum uc_core_value_kind {
	UC_CORE_VALUE_CONSTANT, /* the field's reset value */
	UC_CORE_VALUE_PARAM,	/* a parameter of the machine, divided */
	UC_CORE_VALUE_BSP,	/* 1 on CPU 0 */
};

/* Where the value of a field after reset comes from. */
struct uc_core_value {
	const char *param; /* core.clock; NULL */
	double per;
	uint8_t kind;	 /* enum uc_core_value_kind */
	bool unmodelled; /* another value than that has no effect */
};

enum { UC_BOX_NONE = 0xFF };

struct uc_core_register {
	const struct uc_core_value *values; /* of each field of its layout */
	struct uc_register reg; /* box is UC_BOX_NONE, role UC_ROLE_NONE */
	uint8_t role;		/* enum uc_core_role */
	uint8_t scope;		/* enum uc_core_scope */
	uint8_t counts;		/* enum uc_core_counts: of a fixed counter */
	bool canonical;		/* other addresses than canonical ones fault */
	bool guest; /* in a guest the model answers, not the emulator */
};

/* An event of the general counters. */
struct uc_core_event {
	const char *name;
	const char *brief;
	const char *source;
	uint8_t code, unit_mask;
	uint8_t counters; /* bit n: general counter n can */
	uint64_t counts;  /* bit per enum uc_core_counts; their sum, 0: none */
};

/* A PCI function or a window of memory that holds a box instance. */
struct uc_unit {
	uint32_t unit;		 /* of the address, see uncore/address.h */
	uint16_t vendor, device; /* PCI: its id */
	uint8_t space;		 /* enum uncore_space */
	uint8_t box, instance;
};

/* A PCI function of a socket's uncore, whether or not it has counters. */
struct uc_function {
	const char *brief;
	const char *source;
	uint16_t unit; /* device * 8 + function */
	uint16_t vendor, device, class_code;
	uint8_t revision;
	bool is_extended; /* has registers beyond the first 256 bytes */
};

/* How far one register governs counting. */
enum uc_scope {
	UC_SCOPE_SOCKET, /* one register for all boxes of the domain */
	UC_SCOPE_BOX,	 /* one for each instance, with UC_ROLE_GLOBAL_CTL */
};

/* Boxes that start and stop together: what is written to the register that
 * governs them. Boxes of no domain count whenever their controls say so. */
struct uc_domain {
	const char *name;
	const char *source;
	const char *no_interrupt;  /* why an overflow interrupts nobody; NULL */
	uint64_t run, stop, reset; /* the register's value */
	uint32_t boxes;		   /* bit n: box n belongs to it */
	uint16_t reg;		   /* socket: index among the registers */
	uint8_t scope;		   /* enum uc_scope */
};

/* Where an overflow of a box is told besides its own status register. */
struct uc_overflow {
	uint64_t summary_bit; /* 0: nowhere; reg `summary` has it meanwhile */
	uint64_t latch_bit;   /* set in the status beside what governs all */
	uint64_t told_bit; /* set in that of a freeze when the message comes; */
	uint64_t told_fixed;	      /* if it is of a fixed counter */
	uint16_t summary;	      /* index among the registers */
	uint8_t box, instance, index; /* of the box's status register */
};

/* Commands that stop all boxes of a socket and let them go on, whatever else
 * lets them count. An overflow that a control wants to be told does the first,
 * unless the bits that told the last one have not been cleared. */
struct uc_freeze {
	uint64_t hold, go;    /* bits that act when they are written */
	uint16_t reg, status; /* indices among the registers */
};

/* What others call things; data/FORMAT.md, "aliases.txt". */
enum uc_alias_kind {
	UC_ALIAS_KERNEL,	/* an event of a box's PMU in sysfs */
	UC_ALIAS_KERNEL_OPTION, /* an option of such an event */
	UC_ALIAS_KERNEL_WITH,	/* an option, and what it sets besides */
	UC_ALIAS_KERNEL_PORTS,	/* events are numbered through the ports */
	UC_ALIAS_KERNEL_NAME,	/* of a box's PMU, if it is not the box's */
	UC_ALIAS_KERNEL_CODE,	/* an event= that stands for an event of ours */
	UC_ALIAS_KERNEL_WORD,	/* config1 or 2, and what registers it is */
	UC_ALIAS_LIKWID_COUNTER, /* how counters of the box begin */
	UC_ALIAS_LIKWID,	 /* an event of the box */
	UC_ALIAS_LIBPFM_ARCH,	 /* how PMUs of libpfm4 begin; of no box */
	UC_ALIAS_LIBPFM_PMU,	 /* of the box, if it is not the box's */
	UC_ALIAS_LIBPFM,	 /* a unit mask or filter of the box */
	UC_ALIAS_PERF,		 /* an event of perf's lists, of the box */
	UC_ALIAS_CORE,		 /* perf's, by its beginning; of no box */
};

struct uc_alias {
	const char *name, *ours;
	uint8_t kind; /* enum uc_alias_kind */
	uint8_t box;
	uint8_t ports, events; /* KERNEL_PORTS: of a PMU, of a port */
};

struct uc_family {
	const char *name; /* xeon-e7 */
	const char *title;
	const char *guide;
	const struct uc_box *boxes;
	const struct uc_register *registers; /* sorted by address */
	const struct uc_class *classes;
	const struct uc_opcode *opcodes;
	const struct uc_port *ports;
	const struct uc_route *routes;
	const struct uc_onehot *onehots;
	const struct uc_core_register *core_registers; /* by address */
	const struct uc_core_event *core_events;
	const struct uc_filter_word *filter_words;
	const struct uc_unit *units;
	const struct uc_domain *domains;
	const struct uc_alias *aliases;
	const struct uc_overflow *overflows;
	const struct uc_freeze *freeze; /* one, or NULL */
	const struct uc_select *selects;
	const struct uc_look *looks;
	const struct uc_function *functions; /* by their unit */
	const struct uc_occupancy *occupancies;
	uint16_t num_boxes;
	uint16_t num_registers;
	uint16_t num_classes;
	uint16_t num_opcodes;
	uint16_t num_ports;
	uint16_t num_routes;
	uint16_t num_onehots;
	uint16_t num_core_registers;
	uint16_t num_core_events;
	uint16_t num_filter_words;
	uint16_t num_units;
	uint16_t num_domains;
	uint16_t num_aliases;
	uint16_t num_overflows;
	uint16_t num_freeze;
	uint16_t num_selects;
	uint16_t num_looks;
	uint16_t num_functions;
	uint16_t num_occupancies;
	uint16_t cpuid_family;
	uint16_t cpuid_model;
	bool has_model; /* its events name signals */
};

/* A string that stands alone in a table. */
struct uc_text {
	const char *text;
};

/* Rows of one kind in the tables of a family as they are compiled: offsets
 * stand where pointers belong, at the front of each row. */
struct uc_block {
	uint32_t offset, num;
	uint16_t size, pointers; /* of a row; how many it begins with */
};

/* A family compiled in, and what is known of it without its tables. A program
 * that starts has no pointers to relocate; uc_family_nth() makes them when
 * somebody first asks for the family. An offset is one from the beginning of
 * the tables, or from UC_TEXTS on one into uc_texts; 0 is NULL. */
struct uc_image {
	const char *name; /* NULL: there are no more */
	void *tables;	  /* begin with the struct uc_family */
	const struct uc_block *blocks;
	uint16_t num_blocks;
	uint16_t cpuid_family, cpuid_model;
	uint8_t first_stepping, last_stepping;
	_Atomic bool is_ready; /* it has pointers */
};

enum { UC_TEXTS = 1 << 30 };
extern struct uc_image uc_images[];
extern const char uc_texts[];

/* The families compiled in, one by one; NULL behind the last. */
const struct uc_family *uc_family_nth(size_t n);

/* Names of roles, as options have them: match; NULL: none. And enum
 * uc_role_kind of each. */
extern const char *const uc_role_names[UC_NUM_ROLES];
extern const uint8_t uc_role_kinds[UC_NUM_ROLES];

/* What clocks of boxes are called, over all families; NULL: no more. */
enum { UC_MAX_CLOCKS = 8 };
extern const char *const uc_clock_names[UC_MAX_CLOCKS];

/* Machines by their names, each with its family; ended by one without. */
struct uc_machine_name {
	const char *name, *family;
};
extern const struct uc_machine_name uc_machine_names[];

/* The family called name, or of the machine called so; NULL: none. Those that
 * were added count, too. */
const struct uc_family *uc_family_find(const char *name);

/* That of a processor with this CPUID, or NULL. */
const struct uc_family *uc_family_of_cpu(unsigned family, unsigned model,
					 unsigned stepping);

/* Adds a family that was made at run time and lives as long as the program;
 * from any thread. False where there are too many. */
bool uc_family_add(const struct uc_family *family);

/* The box called name (imc) or NULL; index in *index if not NULL. */
const struct uc_box *uc_box_find(const struct uc_family *family,
				 const char *name, unsigned *index);

/* The register at an address, or NULL. */
const struct uc_register *uc_register_at(const struct uc_family *family,
					 uint64_t address);

/* The unit that an address is in, or NULL. */
const struct uc_unit *uc_unit_at(const struct uc_family *family,
				 uint64_t address);

/* The register of a box instance with this role and index, or NULL. */
const struct uc_register *uc_register_of(const struct uc_family *family,
					 unsigned box, unsigned instance,
					 enum uc_role role, unsigned index);

/* The layout of the box's registers with a role, or NULL. */
const struct uc_layout *uc_layout_of(const struct uc_family *family,
				     unsigned box, enum uc_role role);

/* The role that options call so, or UC_ROLE_NONE. */
enum uc_role uc_role_named(const char *name, size_t length);

/* The first row of what others call a kind of thing of a box, with that name
 * (NULL: any); NULL: there is none. */
const struct uc_alias *uc_alias_find(const struct uc_family *family,
				     enum uc_alias_kind kind, unsigned box,
				     const char *name, size_t length);

/* The register of a logical CPU at an address, or NULL. */
const struct uc_core_register *
uc_core_register_at(const struct uc_family *family, uint64_t address);

/* The core's event with this code and unit mask, or NULL. */
const struct uc_core_event *uc_core_event_find(const struct uc_family *family,
					       unsigned code,
					       unsigned unit_mask);

/* What a code counts with a unit mask that may be of no event: the sum of what
 * the events of its bits count; 0 where a bit has none. */
uint64_t uc_core_event_counts(const struct uc_family *family, unsigned code,
			      unsigned unit_mask);

/* The domain of a box, or NULL; and the register that governs an instance of
 * it, or NULL. */
const struct uc_domain *uc_domain_of(const struct uc_family *family,
				     unsigned box);
const struct uc_register *uc_domain_register(const struct uc_family *family,
					     const struct uc_domain *domain,
					     unsigned box, unsigned instance);

/* The domain that a register governs, or NULL. */
const struct uc_domain *uc_domain_governed(const struct uc_family *family,
					   const struct uc_register *reg);

/* The field with this canonical or printed name, or NULL. */
const struct uc_field *uc_field_find(const struct uc_layout *layout,
				     const char *name);

/* Value of a field in a register value, and a register value with it set. */
uint64_t uc_field_get(const struct uc_field *field, uint64_t reg);
uint64_t uc_field_put(const struct uc_field *field, uint64_t reg,
		      uint64_t value);

/* A mask of bits high..low. */
static inline uint64_t uc_bits(unsigned high, unsigned low)
{
	return (~UINT64_C(0) >> (63 - (high - low))) << low;
}

#endif
