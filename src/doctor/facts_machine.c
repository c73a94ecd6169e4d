/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which processor, and in what it is: a machine of its own, one that a
 * hypervisor makes, a container.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "doctor/facts.h"
#include "table/table.h"
#include "uncore/family.h"

enum { MAX_PACKAGES = 64, MAX_CPUS = 4096 };

static const struct {
	const char *vendor;
	enum facts_maker maker;
} vendors[] = {
	{ "GenuineIntel", FACTS_INTEL },
	{ "AuthenticAMD", FACTS_AMD },
	{ "HygonGenuine", FACTS_AMD },
};

/* Files that a container's manager leaves in it, and what they mean. */
static const struct {
	const char *path, *kind;
} containers[] = {
	{ "/.dockerenv", "Docker" },
	{ "/run/.containerenv", "Podman" },
};

/* Words of the paths in /proc/1/cgroup. */
static const struct {
	const char *word, *kind;
} groups[] = {
	{ "docker", "Docker" },
	{ "kubepods", "Kubernetes" },
	{ "libpod", "Podman" },
	{ "lxc", "LXC" },
};

/* An x86: vendor, family, model. */
static void name_x86(struct facts *facts, const char *text, const char *vendor)
{
	char *name = root_value(text, "model name");
	uint64_t family = 0, model = 0, stepping = 0;

	root_number(text, "cpu family", 10, &family);
	root_number(text, "model", 10, &model);
	root_number(text, "stepping", 10, &stepping);
	facts->cpu_family = (unsigned)family;
	facts->cpu_model = (unsigned)model;
	for (size_t i = 0; i < sizeof(vendors) / sizeof(*vendors); i++)
		if (!strcmp(vendor, vendors[i].vendor))
			facts->maker = vendors[i].maker;
	if (facts->maker == FACTS_INTEL) {
		const struct uncore_family *known = uncore_family_of_cpu(
			facts->cpu_family, facts->cpu_model,
			(unsigned)stepping);

		facts->family =
			known ? uc_family_find(uncore_family_name(known))
			      : NULL;
	}
	if (asprintf(&facts->processor, "%s, family %u, model %u%s%s%s", vendor,
		     facts->cpu_family, facts->cpu_model, name ? " (" : "",
		     name ? name : "", name ? ")" : "") < 0)
		facts->processor = NULL;
	free(name);
}

static void name_arm(struct facts *facts, const char *text,
		     const char *implementer)
{
	char *part = root_value(text, "CPU part");

	facts->maker = FACTS_ARM;
	if (asprintf(&facts->processor, "ARM, implementer %s, part %s",
		     implementer, part ? part : "unknown") < 0)
		facts->processor = NULL;
	free(part);
}

static void count_sockets(struct facts *facts)
{
	unsigned packages[MAX_PACKAGES];

	for (unsigned cpu = 0; cpu < MAX_CPUS; cpu++) {
		char *text = root_text(&facts->root,
				       "/sys/devices/system/cpu/cpu%u/topology/"
				       "physical_package_id",
				       cpu);
		unsigned package, i = 0;
		bool is_one = text && sscanf(text, "%u", &package) == 1;

		free(text);
		if (!is_one && cpu &&
		    !root_has(&facts->root, "/sys/devices/system/cpu/cpu%u",
			      cpu))
			break;
		if (!is_one)
			continue;
		while (i < facts->num_sockets && packages[i] != package)
			i++;
		if (i == facts->num_sockets && i < MAX_PACKAGES)
			packages[facts->num_sockets++] = package;
	}
}

void facts_processor(struct facts *facts)
{
	char *text = root_text(&facts->root, "/proc/cpuinfo");
	char *vendor = text ? root_value(text, "vendor_id") : NULL;
	char *implementer = text ? root_value(text, "CPU implementer") : NULL;

	if (vendor)
		name_x86(facts, text, vendor);
	else if (implementer)
		name_arm(facts, text, implementer);
	else
		facts->processor = strdup("a processor that does not say "
					  "what it is");
	count_sockets(facts);
	free(implementer);
	free(vendor);
	free(text);
}

/* Whether a word is among those of a line. */
static bool has_word(const char *line, const char *word)
{
	size_t length = strlen(word);

	for (; line; line = strchr(line, ' ')) {
		line += *line == ' ';
		if (!strncmp(line, word, length) &&
		    (line[length] == ' ' || !line[length]))
			return true;
	}
	return false;
}

static char *who_makes_it(const struct root *root)
{
	char *vendor = root_text(root, "/sys/class/dmi/id/sys_vendor");
	char *product = root_text(root, "/sys/class/dmi/id/product_name");
	char *words = NULL;

	if (vendor && asprintf(&words, "%s%s%s", vendor, product ? " " : "",
			       product ? product : "") < 0)
		words = NULL;
	free(vendor);
	free(product);
	return words;
}

static bool is_virtual_product(const char *who)
{
	static const char *const names[] = { "QEMU", "KVM", "Virtual",
					     "VMware" };

	for (size_t i = 0; who && i < sizeof(names) / sizeof(*names); i++)
		if (strstr(who, names[i]))
			return true;
	return false;
}

/* x86 has a bit for it; elsewhere the firmware's names tell. */
static void find_hypervisor(struct facts *facts)
{
	const struct root *root = &facts->root;
	char *text = root_text(root, "/proc/cpuinfo");
	char *flags = text ? root_value(text, "flags") : NULL;
	char *xen = root_text(root, "/sys/hypervisor/type");
	char *who = who_makes_it(root);
	int made = 0;

	if (flags && has_word(flags, "hypervisor"))
		made = asprintf(&facts->hypervisor,
				"/proc/cpuinfo: flag hypervisor%s%s",
				who ? "; /sys/class/dmi/id: " : "",
				who ? who : "");
	else if (xen)
		made = asprintf(&facts->hypervisor, "/sys/hypervisor/type: %s",
				xen);
	else if (!flags && is_virtual_product(who))
		made = asprintf(&facts->hypervisor, "/sys/class/dmi/id: %s",
				who);
	if (made < 0)
		facts->hypervisor = NULL;
	free(who);
	free(xen);
	free(flags);
	free(text);
}

static void find_container(struct facts *facts)
{
	const struct root *root = &facts->root;
	char *group = root_text(root, "/proc/1/cgroup");
	char *said = root_text(root, "/run/systemd/container");
	int made = 0;

	for (size_t i = 0; i < sizeof(containers) / sizeof(*containers); i++)
		if (!facts->container &&
		    root_has(root, "%s", containers[i].path))
			made = asprintf(&facts->container, "%s is there (%s)",
					containers[i].path, containers[i].kind);
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (!facts->container && group && strstr(group, groups[i].word))
			made = asprintf(
				&facts->container, "/proc/1/cgroup: %s (%s)",
				strstr(group, groups[i].word), groups[i].kind);
	if (!facts->container && said)
		made = asprintf(&facts->container, "/run/systemd/container: %s",
				said);
	if (made < 0)
		facts->container = NULL;
	if (facts->container)
		facts->container[strcspn(facts->container, "\n")] = 0;
	free(said);
	free(group);
}

void facts_place(struct facts *facts)
{
	find_hypervisor(facts);
	find_container(facts);
}
