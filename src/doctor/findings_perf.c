/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The kernel's PMUs: the driver that makes them, which there are, who may open
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "doctor/findings.h"
#include "doctor/way.h"

#define PMUS	 "/sys/bus/event_source/devices"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* "uncore_cbox (10), uncore_ubox": the boxes that they are. */
static char *list_pmus(const struct facts *facts)
{
	struct text text = { 0 };

	for (size_t i = 0, num; i < facts->num_pmus; i += num) {
		const char *box = facts->pmus[i].box;

		for (num = 1; box && i + num < facts->num_pmus; num++)
			if (!facts->pmus[i + num].box ||
			    strcmp(facts->pmus[i + num].box, box))
				break;
		text_add(&text, "%s%s", i ? ", " : "", box ? box : "?");
		if (num > 1)
			text_add(&text, " (%zu)", num);
	}
	return text_take(&text);
}

/* A driver leaves virtual machines alone, and some processors it does not
 * know. */
static void look_at_driver(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;

	if (!facts->driver || facts->num_pmus)
		return;
	if (facts->hypervisor)
		finding_add(doctor, "driver", UNCORE_FINDING_NOTE,
			    say("the kernel's driver of the uncore, %s, does "
				"nothing in a virtual machine",
				facts->driver),
			    say("/sys/module/%s: %s", facts->driver,
				facts->has_driver ? "there" : "not there"),
			    NULL);
	else if (facts->has_driver)
		finding_add(doctor, "driver", UNCORE_FINDING_OBSTACLE,
			    say("the kernel's driver of the uncore, %s, is "
				"loaded and makes no PMU: it does not know "
				"this processor",
				facts->driver),
			    say("/sys/module/%s: there", facts->driver),
			    say("try a newer kernel"));
	else
		finding_add(doctor, "driver", UNCORE_FINDING_OBSTACLE,
			    say("the kernel's driver of the uncore, %s, is not "
				"loaded",
				facts->driver),
			    say("/sys/module/%s: not there", facts->driver),
			    say("modprobe %s", facts->driver));
}

static void look_at_pmus(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;
	char *list = list_pmus(facts);

	if (facts->num_pmus)
		finding_add(doctor, "pmus", UNCORE_FINDING_OK,
			    say("the kernel has %zu PMU%s of the uncore",
				facts->num_pmus,
				facts->num_pmus == 1 ? "" : "s"),
			    say(PMUS ": %s; cpumask %s", list ? list : "",
				facts->pmus[0].cpumask),
			    NULL);
	else
		finding_add(doctor, "pmus", UNCORE_FINDING_NOTE,
			    say("the kernel has no PMU of the uncore"),
			    say(PMUS ": none with a cpumask"), NULL);
	free(list);
}

static void look_at_paranoid(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;

	if (!facts->has_paranoid)
		finding_add(doctor, "paranoid", UNCORE_FINDING_OBSTACLE,
			    say("the kernel is built without perf events"),
			    say(PARANOID ": not there"), NULL);
	else if (way_may_perf(facts))
		finding_add(doctor, "paranoid", UNCORE_FINDING_OK,
			    facts->paranoid <= 0
				    ? say("the kernel opens its PMUs to "
					  "everybody")
				    : say("the kernel opens its PMUs to this "
					  "process"),
			    say(PARANOID ": %d", facts->paranoid), NULL);
	else if (facts->paranoid > WAY_PERFMON_HELPS)
		finding_add(doctor, "paranoid", UNCORE_FINDING_OBSTACLE,
			    say("this kernel keeps its PMUs to root, whoever "
				"has CAP_PERFMON (Debian's way)"),
			    say(PARANOID ": %d", facts->paranoid),
			    say("sysctl kernel.perf_event_paranoid=2, and "
				"setcap cap_perfmon+ep $(command -v uncore)"));
	else
		finding_add(doctor, "paranoid", UNCORE_FINDING_OBSTACLE,
			    say("the kernel opens PMUs that count for all to "
				"nobody without CAP_PERFMON"),
			    say(PARANOID ": %d", facts->paranoid),
			    say("sysctl kernel.perf_event_paranoid=0, or "
				"setcap cap_perfmon+ep $(command -v uncore)"));
}

void findings_of_perf(struct uncore_doctor *doctor)
{
	const struct facts *facts = &doctor->facts;

	look_at_driver(doctor);
	look_at_pmus(doctor);
	if (!facts->num_pmus)
		return;
	look_at_paranoid(doctor);
	if (facts->perf_refused && way_may_perf(facts))
		finding_add(doctor, "perf", UNCORE_FINDING_OBSTACLE,
			    say("the kernel refuses an event of its own PMU%s",
				facts->container
					? "; containers filter the call"
					: ""),
			    say("%s", facts->perf_refused),
			    facts->container
				    ? say("docker run --cap-add=PERFMON "
					  "--security-opt seccomp=... lets it "
					  "pass")
				    : NULL);
}
