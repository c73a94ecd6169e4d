/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What is known of a processor family: its boxes, registers, fields, events
 * and ports, to be read only. The functions fill in a description that the
 * caller provides; strings and inner pointers in it live as long as the
 * program. They return true, or false past the last item, and cannot fail
 * otherwise.
 */
#ifndef UNCORE_FAMILY_H
#define UNCORE_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_family; /* never freed */

struct uncore_box {
	const char *name;	/* cbox */
	const char *guide_name; /* C-Box */
	const char *source;	/* where the guide says so */
	unsigned num_instances; /* per socket */
	unsigned num_counters;	/* per instance, without fixed ones */
	unsigned num_fixed;	/* their counter numbers follow */
	unsigned width_bits;	/* of a counter */
	unsigned num_ports;	/* 1, or each event exists once per port */
	size_t num_events;
};

struct uncore_register {
	const char *name;
	const char *box;
	const char *layout; /* name of its list of fields */
	const char *access; /* as printed, RW_RO: software_hardware */
	const char *brief;
	const char *source;
	uint64_t address;  /* see address.h */
	unsigned instance; /* of the box */
	unsigned width_bits;
	size_t num_fields;
	uint64_t writable;  /* bits that a write may change */
	bool is_guests;	    /* an RDMSR of a guest reaches the model */
	const void *handle; /* for the library's functions */
};

/* What holds the registers of a box instance, where that is not the processor
 * itself: a PCI function or a window of memory. */
struct uncore_unit {
	const char *box;
	unsigned instance;
	unsigned space;		 /* enum uncore_space */
	unsigned number;	 /* the unit of an address */
	unsigned vendor, device; /* PCI: the id to look for */
};

/* A PCI function of a socket's uncore, whether or not it has counters. */
struct uncore_function {
	const char *brief;
	const char *source;
	unsigned number;	 /* device * 8 + function */
	unsigned vendor, device; /* its id */
	unsigned size_bytes;	 /* of the configuration space: 256, 4096 */
};

struct uncore_field {
	const char *name;      /* as the guide prints it */
	const char *canonical; /* one name for the same thing in every box */
	const char *kind;      /* rw, ro, wo, w1c, rsv, ig */
	const char *brief;
	uint64_t reset;
	unsigned high, low;
};

struct uncore_event_info {
	const char *box;
	const char *name;
	const char *brief;
	const char *note;     /* "" if there is none */
	const char *category; /* as in the guide */
	const char *source;
	const char *excluded; /* NULL, or why the guide rules the event out; of
				 a live family: why it cannot be asked for */
	uint64_t code;
	unsigned max_increment; /* per cycle; 0: not published */
	unsigned multiplier;	/* events that one count stands for */
	unsigned at_least;	/* 0: signals are added; N: cycles with a sum
				   of at least N are counted */
	uint32_t counters;	/* bit n: counter n may count it */
	size_t num_unit_masks;
	size_t num_aliases;
	const void *handle; /* for the library's functions */
};

struct uncore_unit_mask {
	const char *name;
	const char *brief;
	const char *note;
	const char *excluded;
	uint64_t value; /* of the umask field or of the sub-control fields */
	const void *handle; /* for the library's functions */
};

struct uncore_port {
	const char *name; /* qpi0 */
	const char *guide_name;
	unsigned number;
};

struct uncore_message_class {
	const char *name; /* HOM0 */
	const char *brief;
	const char *source;
	unsigned code;
};

struct uncore_opcode {
	const char *name; /* RdData */
	const char *message_class;
	const char *brief;
	const char *source;
	unsigned code;
};

/* An option of the events of a box. */
struct uncore_option {
	const char *box;
	const char *name;
	bool takes_value; /* else the name alone will do */
};

/* Family number index, or NULL past the last one. */
const struct uncore_family *uncore_family_at(size_t index);

/* The family called name (xeon-e7, case ignored), or that of the modelled
 * machine called so (xeon-e5-2670); NULL: there is none. */
const struct uncore_family *uncore_family_find(const char *name);

/* The same; NULL and *error with what exists when there is no such family. */
const struct uncore_family *uncore_family_open(const char *name, char **error);

/* What is to be said once of a live family with a vendor's list: that some of
 * its events cannot be used, and of one of them why. NULL: nothing. */
const char *uncore_family_note(const struct uncore_family *family);

/* What a live family (docs/machines.md) was made from, as text: a capture, to
 * be freed with free(). NULL: it is no live one, or there is no memory. And the
 * family of such a text, there as long as the program; NULL and *error. */
char *uncore_family_capture(const struct uncore_family *family);
const struct uncore_family *uncore_family_of_capture(const char *capture,
						     char **error);

/* The family of a processor by CPUID, or NULL. Of some models it hangs on the
 * stepping. */
const struct uncore_family *uncore_family_of_cpu(unsigned cpu_family,
						 unsigned cpu_model,
						 unsigned stepping);
/* Of the processor that this runs on, or NULL. */
const struct uncore_family *uncore_family_of_host(void);

const char *uncore_family_name(const struct uncore_family *family);
const char *uncore_family_title(const struct uncore_family *family);
const char *uncore_family_guide(const struct uncore_family *family);

/* Of a live family the names of the kernel's PMUs that the tables have no room
 * for, which cannot be counted; NULL: all can. As long as the family. */
const char *uncore_family_left_out(const struct uncore_family *family);
/* Whether the model's library has a processor of it; else it is known from its
 * tables alone. */
bool uncore_family_has_model(const struct uncore_family *family);

bool uncore_family_box(const struct uncore_family *family, size_t index,
		       struct uncore_box *box);

/* Registers in the order of their addresses. */
bool uncore_family_register(const struct uncore_family *family, size_t index,
			    struct uncore_register *reg);
bool uncore_family_register_at(const struct uncore_family *family,
			       uint64_t address, struct uncore_register *reg);

/* The unit in which an address lies; false where it has none. */
bool uncore_family_unit_at(const struct uncore_family *family, uint64_t address,
			   struct uncore_unit *unit);

/* The PCI functions of a socket in the order of their numbers, for families
 * that have any. Devices below UNCORE_FIRST_BUS_DEVICES are on the socket's
 * first bus, with its I/O, the others on that of the uncore; or the uncore has
 * several buses, by which a number is larger than 255. */
enum { UNCORE_FIRST_BUS_DEVICES = 8 };
bool uncore_family_function(const struct uncore_family *family, size_t index,
			    struct uncore_function *function);

/* Registers of a logical CPU that are not the uncore's (box "core"), likewise;
 * they are a list of their own. */
bool uncore_family_core_register(const struct uncore_family *family,
				 size_t index, struct uncore_register *reg);

bool uncore_register_field(const struct uncore_register *reg, size_t index,
			   struct uncore_field *field);

/* Events of all boxes, box by box. */
bool uncore_family_event(const struct uncore_family *family, size_t index,
			 struct uncore_event_info *event);
bool uncore_event_info_unit_mask(const struct uncore_event_info *event,
				 size_t index, struct uncore_unit_mask *mask);
/* The names of the signals behind an event without unit masks (mask NULL) or
 * behind one of its unit masks, with blanks between them; of one that follows
 * another counter a sentence that says so. To be freed with
 * free(). NULL without memory. */
char *uncore_event_info_signals(const struct uncore_family *family,
				const struct uncore_event_info *event,
				const struct uncore_unit_mask *mask);
const char *uncore_event_info_alias(const struct uncore_event_info *event,
				    size_t index);

/* Whether an event may need the register: the control and the counter of one
 * that may count it, a sub-register that it sets or is filtered by, the head of
 * its box. */
bool uncore_event_info_needs(const struct uncore_event_info *event,
			     const struct uncore_register *reg);

bool uncore_family_port(const struct uncore_family *family, size_t index,
			struct uncore_port *port);

/* Options of events, box by box. */
bool uncore_family_option(const struct uncore_family *family, size_t index,
			  struct uncore_option *option);

/* Message classes and opcodes of packets, which filters look at. */
bool uncore_family_class(const struct uncore_family *family, size_t index,
			 struct uncore_message_class *message_class);
bool uncore_family_opcode(const struct uncore_family *family, size_t index,
			  struct uncore_opcode *opcode);

/* Where the guide of a family contradicts itself, and how it is read: a row of
 * docs/errata.md, with the events, registers and fields that it is about
 * (data/FORMAT.md). Nothing here fails or has to be freed. */
struct uncore_erratum {
	const char *number;  /* E43 */
	const char *section; /* C-Box; All boxes */
	const char *where;   /* in the guide */
	const char *printed; /* the contradiction, gap or slip */
	const char *reading; /* what the library and the model do */
	const char *reason;
	const void *handle; /* for the library's functions */
};

/* Describes row number index of a family's guide, in the order of the document;
 * false past the last one. */
bool uncore_family_erratum(const struct uncore_family *family, size_t index,
			   struct uncore_erratum *erratum);

/* Whether a row is about the event, which must be of the row's family; with a
 * unit mask, an exact name: whether it is about the event counted with that
 * one. */
bool uncore_erratum_names_event(const struct uncore_erratum *erratum,
				const struct uncore_event_info *event,
				const char *unit_mask);

/* Whether a row is about the register, as a whole or about a field of it. */
bool uncore_erratum_names_register(const struct uncore_erratum *erratum,
				   const struct uncore_register *reg);

/* Whether a row is about what an event sets when it writes the value to the
 * register: about a field that is not 0 then, fields apart that every event
 * sets (enable, event select, unit mask), or about a filter as a whole. */
bool uncore_erratum_names_setting(const struct uncore_erratum *erratum,
				  const struct uncore_register *reg,
				  uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
