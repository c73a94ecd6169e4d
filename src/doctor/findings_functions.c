/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The PCI functions of a family that has registers in some.
 */
#include <stdlib.h>

#include "access/pci_map.h"
#include "base/text.h"
#include "doctor/findings.h"
#include "table/table.h"

#define FOLDER "/sys/bus/pci/devices"

static void look_at_rights(struct uncore_doctor *doctor)
{
	bool can = root_can(&doctor->facts.root, ROOT_CAP_SYS_ADMIN);

	finding_add(doctor, "pci-rights",
		    can ? UNCORE_FINDING_OK : UNCORE_FINDING_OBSTACLE,
		    can ? say("PCI functions can be read as a whole")
			: say("who lacks CAP_SYS_ADMIN sees 64 bytes of a PCI "
			      "function, and no counters"),
		    say("/proc/self/status: CapEff %016llx",
			(unsigned long long)doctor->facts.root.capabilities),
		    can ? NULL : say("sudo uncore ..."));
}

static char *list_hidden(const struct facts *facts)
{
	struct text text = { 0 };

	for (size_t i = 0; i < facts->num_hidden; i++) {
		const struct facts_hidden *hidden = &facts->hidden[i];

		text_add(&text, "%s%04x:%04x (%s %u)", i ? ", " : "",
			 hidden->unit->vendor, hidden->unit->device,
			 facts->family->boxes[hidden->unit->box].guide_name,
			 hidden->unit->instance);
		if (hidden->shown)
			text_add(&text, " of %u of %u sockets",
				 hidden->sockets - hidden->shown,
				 hidden->sockets);
	}
	return text_take(&text);
}

static void look_at_hidden(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;
	char *list = facts->num_hidden ? list_hidden(facts) : NULL;

	if (!facts->num_hidden)
		finding_add(doctor, "pci-functions", UNCORE_FINDING_OK,
			    say("all PCI functions with counters are there"),
			    say(FOLDER), NULL);
	else
		finding_add(doctor, "pci-functions", UNCORE_FINDING_OBSTACLE,
			    say("the BIOS hides PCI functions with counters; "
				"what is in them cannot be counted"),
			    say(FOLDER ": lacks %s", list ? list : ""),
			    say("look for 'performance monitor devices' or "
				"'uncore' among the options of the BIOS, or "
				"for a newer one"));
	free(list);
}

void findings_of_functions(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;

	if (!facts->family || !pci_map_is_for(facts->family))
		return;
	look_at_rights(doctor);
	if (facts->lists_functions)
		look_at_hidden(doctor);
	else
		finding_add(doctor, "pci-functions", UNCORE_FINDING_OBSTACLE,
			    say("no PCI functions are to be seen, and the "
				"processor has counters in some"),
			    say(FOLDER ": empty or not there"), NULL);
}
