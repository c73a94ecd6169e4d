/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What the parts of the event code share: a parsed event is a list of settings,
 * each of some bits of a register that is named by its role. Which register of
 * that role it is follows later, from the instance, counter, port and slot.
 */
#ifndef UNCORE_EVENT_EVENT_H
#define UNCORE_EVENT_EVENT_H

#include "base/text.h"
#include "table/select.h"
#include "table/table.h"
#include "uncore/event.h"

enum {
	EVENT_MAX_SETTINGS = 48,
	EVENT_MAX_MASKS = 16,
	EVENT_MAX_FILTERS = 12,
	EVENT_ANY = -1, /* instance, counter, slot or port not given */
};

struct event_setting {
	uint64_t value;
	const char *name; /* for messages */
	uint8_t role;	  /* enum uc_role */
	uint8_t high, low;
	bool contains; /* further bits may be ORed in */
	bool implied;  /* by the name of the event or unit mask */
};

/* An option in the words of a filter, while the text is parsed. */
struct event_filter {
	const struct uc_filter_word *word;
	const char *value; /* NULL: only the mask was given */
	const char *mask;
};

struct uncore_event {
	const struct uc_family *family;
	const struct uc_box *box;
	const struct uc_event *row; /* NULL: raw codes */
	const struct uc_unit_mask *masks[EVENT_MAX_MASKS];
	struct event_setting settings[EVENT_MAX_SETTINGS];
	struct event_filter filters[EVENT_MAX_FILTERS];
	char *text;
	char *canonical;
	unsigned num_masks;
	unsigned num_settings;
	unsigned num_filters;
	unsigned box_index;
	int instance;
	const struct perf_pmu *pmu; /* of a live family, named; or NULL */
	int counter;
	int port;
	int slot;
	int select; /* of the family's, EVENT_ANY if raw codes choose */
};

/* The registers that decide what one counter counts. One that holds several
 * slots has the bits of its slot, as if it were slot 0. */
struct event_view {
	uint64_t value[UC_NUM_ROLES];
	uint64_t claimed[UC_NUM_ROLES]; /* bits that the event cares about */
};

/* The box and instance of a PMU of a live family that is called so in sysfs;
 * false: there is none, or the family is no live one. */
bool event_find_pmu(struct uncore_event *event, const char *name);

/* Whether any socket has an instance of the event's box. */
bool event_has_instance(const struct uncore_event *event, uint64_t instance);

/* Whether an instance of its box in a socket is one that it is to be counted
 * in: a PMU that is named may be in one socket only. */
bool event_is_of(const struct uncore_event *event, unsigned socket,
		 unsigned instance);

/* Whether its options compare what happens in a cycle, or note changes. */
bool event_compares(const struct uncore_event *event);

const struct uc_family *family_row(const struct uncore_family *family);

/* Adds a setting; UNCORE_ERR_CONFLICT where it contradicts an earlier one,
 * whose name is then stored in *other. */
int event_set(struct uncore_event *event, const struct event_setting *setting,
	      const char **other);

/* Whether some setting covers any of these bits. */
bool event_covers(const struct uncore_event *event, enum uc_role role,
		  unsigned high, unsigned low);

/* The role whose field chooses and enables: CONTROL or FIXED_CTL. */
enum uc_role event_control_role(const struct uncore_event *event);

/* Name of a role in options (match). */
const char *event_role_name(enum uc_role role);

/* A text in the words of others in ours, to be freed; NULL where
 * it is in ours already. An error where it is perf's name for an event of cores
 * (alias.c). */
int event_alias(const struct uc_family *family, const char *text, char **ours,
		char **error);

/* The box of a name such as imc3; the event of a path EVENT.MASK in that box,
 * or in the only box that has it; *rest is what follows, or NULL (find.c). */
int event_find_box(struct uncore_event *event, const char *name, char **error);
int event_find(struct uncore_event *event, const char *path, const char **rest,
	       char **error);

/* One option name=value (option.c). */
int event_option(struct uncore_event *event, const char *name,
		 const char *value, char **error);

/* A whole word of perf's, config=0x304, or its name=; *found tells whether the
 * option is one (word.c). */
int event_word(struct uncore_event *event, const char *name, const char *value,
	       bool *found, char **error);

/* Sets bits of a register of that role, from a number or a text; `name` is what
 * the user called them (option.c). */
int event_set_bits(struct uncore_event *event, const char *name,
		   enum uc_role role, unsigned high, unsigned low,
		   uint64_t value, char **error);
int event_set_text(struct uncore_event *event, const char *name,
		   enum uc_role role, unsigned high, unsigned low,
		   const char *value, char **error);

/* The error for a port that is missing (value NULL) or unknown (option.c). */
int event_bad_port(const struct uncore_event *event, const char *value,
		   char **error);

/* The error for a unit mask that is missing (`what` NULL) or unknown
 * (parse.c). */
int event_bad_mask(const struct uncore_event *event, const char *what,
		   char **error);

/* One option that filters; *found tells whether it is one of the event's. And
 * once all options are known: the settings that they make (filter.c). */
int event_filter_option(struct uncore_event *event, const char *name,
			const char *value, bool *found, char **error);
int event_filter_defaults(struct uncore_event *event, char **error);
void event_filter_names(const struct uncore_event *event,
			struct nearest *nearest, struct text *text);

/* Settings that the event implies and no option gave, and last checks
 * (default.c). */
int event_defaults(struct uncore_event *event, char **error);

/* The text with all defaults, to be freed (canonical.c). */
char *event_say(const struct uncore_event *event);

/* Counters that may count it. */
uint32_t event_counters(const struct uncore_event *event);

/* Register values of the event without what points at a slot, and en. */
void event_view(const struct uncore_event *event, struct event_view *view);

/* The box, and its instance if one was named, for messages. */
void event_say_box(const struct uncore_event *event, struct text *text);

/* The field of a layout that holds a bit, or NULL. */
const struct uc_field *event_field_at(const struct uc_layout *layout,
				      unsigned bit);

/* The way through slots of a port by which the event is counted, or NULL. */
const struct uc_select *event_routed(const struct uncore_event *event);

#endif
