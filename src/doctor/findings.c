/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A finding is a row: its name, when it is one, and what is said then. Of rows
 * of one name that follow each other the first that fits is meant. A {word} in
 * a text stands for a value, which is a fact in words.
 */
#include "doctor/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/pci_map.h"
#include "base/text.h"
#include "doctor/way.h"
#include "table/table.h"

#define MSR	 "/dev/cpu/0/msr"
#define MSR_SAFE "/dev/cpu/0/msr_safe"
#define ALLOWED	 "/sys/module/msr/parameters/allow_writes"
#define LIST	 "/dev/cpu/msr_allowlist"
#define FOLDER	 "/sys/bus/pci/devices"
#define PMUS	 "/sys/bus/event_source/devices"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define RELEASE	 "/proc/sys/kernel/osrelease"
#define OWNER	 "process {process} ({command}), since {since}"
#define MODEL	 "uncore stat --on model -- ./app"

enum {
	OK = UNCORE_FINDING_OK,
	NOTE = UNCORE_FINDING_NOTE,
	OBSTACLE = UNCORE_FINDING_OBSTACLE,
};

struct row {
	const char *id;
	bool when;
	int status;
	const char *what, *evidence, *todo; /* NULL: none */
};

struct value {
	const char *word;
	const char *text; /* NULL: it is the number */
	long long number;
};

/* The text with values in place of their words, to be freed. */
static char *fill(const char *text, const struct value *values)
{
	struct text filled = { 0 };

	text_add(&filled, "%s", "");
	while (text && *text) {
		size_t length = strcspn(text, "{");
		const struct value *value = values;

		text_add(&filled, "%.*s", (int)length, text);
		text += length;
		if (!*text)
			break;
		length = strcspn(++text, "}");
		while (strlen(value->word) != length ||
		       strncmp(value->word, text, length) != 0)
			value++;
		if (value->text)
			text_add(&filled, "%s", value->text);
		else
			text_add(&filled, "%lld", value->number);
		text += length + 1;
	}
	return text_take(&filled);
}

static void add(struct findings *findings, const struct row *row,
		const struct value *values)
{
	struct finding *list =
		realloc(findings->list, (findings->num + 1) * sizeof(*list));
	struct finding *last;

	if (!list) {
		findings->has_failed = true;
		return;
	}
	findings->list = list;
	last = &list[findings->num++];
	*last = (struct finding){
		.id = row->id,
		.status = (enum uncore_finding_status)row->status,
		.what = fill(row->what, values),
		.evidence = fill(row->evidence, values),
		.todo = fill(row->todo, values),
	};
	findings->has_failed |= !last->what || !last->evidence || !last->todo;
}

static void add_rows(struct findings *findings, const struct row *rows,
		     const struct value *values)
{
	const char *last = "";

	for (; rows->id; rows++)
		if (rows->when && strcmp(rows->id, last) != 0) {
			add(findings, rows, values);
			last = rows->id;
		}
}

/* "uncore_cbox (10), uncore_ubox": the boxes that the PMUs are. */
static char *list_pmus(const struct facts *facts)
{
	struct text text = { 0 };

	for (size_t i = 0, num; i < facts->num_pmus; i += num) {
		const char *box = facts->pmus[i].box;

		for (num = 1; box && i + num < facts->num_pmus; num++)
			if (!facts->pmus[i + num].box ||
			    strcmp(facts->pmus[i + num].box, box) != 0)
				break;
		text_add(&text, "%s%s", i ? ", " : "", box ? box : "?");
		if (num > 1)
			text_add(&text, " (%zu)", num);
	}
	return text_take(&text);
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

/* The capabilities that matter, of those which this process has or lacks. */
static void list_rights(const struct root *root, bool has, char words[64])
{
	static const struct {
		unsigned number;
		const char *name;
	} rows[] = {
		{ ROOT_CAP_SYS_RAWIO, "CAP_SYS_RAWIO" },
		{ ROOT_CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
		{ ROOT_CAP_PERFMON, "CAP_PERFMON" },
	};

	*words = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (root_can(root, rows[i].number) == has)
			strcat(strcat(words, *words ? ", " : ""), rows[i].name);
}

/* CAP_PERFMON came with 5.8. What makes all of a machine useless is an obstacle
 * only where nothing real is left. */
static void look_at_machine(struct findings *findings, const struct facts *f,
			    bool is_real, const struct value *values)
{
	bool is_old = f->major < 5 || (f->major == 5 && f->minor < 8);
	const char *has = values[0].text, *lacks = values[1].text;
	const struct row rows[] = {
		{ "processor", f->family, OK,
		  "the processor is an {title}, whose registers are known here",
		  "/proc/cpuinfo: {processor}", NULL },
		{ "processor", true, NOTE,
		  "the processor is of no family whose registers are known "
		  "here; what the kernel counts of it can be had with --on "
		  "perf",
		  "/proc/cpuinfo: {processor}", NULL },
		{ "virtual-machine", !f->hypervisor, OK,
		  "this is no virtual machine, as far as can be seen", NULL,
		  NULL },
		{ "virtual-machine", is_real, NOTE,
		  "this is a virtual machine, but what it has of the uncore "
		  "can be counted",
		  "{hypervisor}", NULL },
		{ "virtual-machine", true, OBSTACLE,
		  "this is a virtual machine, and there is nothing to count in "
		  "it; the model works",
		  "{hypervisor}", MODEL },
		{ "container", !f->container, OK,
		  "this is no container, as far as can be seen", NULL, NULL },
		{ "container", is_real, NOTE,
		  "this is a container, but what it has of the uncore can be "
		  "counted",
		  "{container}", NULL },
		{ "container", true, OBSTACLE,
		  "this is a container, and there is nothing to count in it; "
		  "the model works",
		  "{container}", MODEL },
		{ "kernel", !f->release, NOTE,
		  "which kernel this is cannot be seen", RELEASE ": not there",
		  NULL },
		{ "kernel", is_old, NOTE,
		  "the kernel is older than 5.8 and knows no CAP_PERFMON: "
		  "CAP_SYS_ADMIN takes its place",
		  RELEASE ": {release}", NULL },
		{ "kernel", true, OK, "the kernel is Linux {release}",
		  RELEASE ": {release}", NULL },
		{ "lockdown", f->is_locked, f->family ? OBSTACLE : NOTE,
		  "the kernel is locked down, as with Secure Boot: it writes "
		  "no registers for anybody, root included; its own PMUs still "
		  "count",
		  "/sys/kernel/security/lockdown: {lockdown}",
		  f->family ? "count with --on perf, or switch Secure Boot off "
			      "in the firmware and start without lockdown="
			    : NULL },
		{ "lockdown", true, OK, "the kernel is not locked down",
		  "/sys/kernel/security/lockdown: {lockdown}", NULL },
		{ "capabilities", !*lacks, OK, "this process has {has}",
		  "/proc/self/status: CapEff {capabilities}", NULL },
		{ "capabilities", f->root.is_inner, NOTE,
		  "this process is in a user namespace, where its capabilities "
		  "are none of the kernel's",
		  "/proc/self/status: CapEff {capabilities}", NULL },
		{ "capabilities", true, NOTE,
		  *has ? "this process has {has}, and lacks {lacks}"
		       : "this process lacks {lacks}",
		  "/proc/self/status: CapEff {capabilities}", NULL },
		{ 0 },
	};

	add_rows(findings, rows, values);
}

/* The MSRs of a family that is known. What stands in the way of the msr module
 * hurts nobody who has msr-safe, and the kernel's own file is enough for who
 * may open it. */
static void look_at_registers(struct findings *findings, const struct facts *f,
			      const struct value *values)
{
	int module = way_has_msr_safe(f) ? NOTE : OBSTACLE;
	int safe = f->msr != ROOT_WRITE ? OBSTACLE : NOTE;
	bool can = root_can(&f->root, ROOT_CAP_SYS_RAWIO);
	bool is_off = way_is_off(f->allow_writes);
	const struct row rows[] = {
		{ "msr-module", f->msr != ROOT_MISSING, OK,
		  "the msr module is there", MSR ": there", NULL },
		{ "msr-module", f->container, module,
		  "the container has no msr files", MSR ": not there",
		  "modprobe msr outside of it, and give it /dev/cpu (docker "
		  "run --device=/dev/cpu/0/msr --cap-add=SYS_RAWIO ...)" },
		{ "msr-module", true, module, "the msr module is not loaded",
		  MSR ": not there; /sys/module/msr: {module}",
		  "modprobe msr" },
		{ "msr-rights", f->msr == ROOT_WRITE, OK,
		  "the file of the registers can be opened", MSR ": {mode}",
		  NULL },
		{ "msr-rights", f->msr != ROOT_MISSING, module,
		  f->msr == ROOT_READ
			  ? "the file of the registers may be read, and not "
			    "written"
		  : can ? "the file of the registers is closed to this user"
			: "the registers are closed to who lacks "
			  "CAP_SYS_RAWIO, whatever the mode of their file",
		  can ? MSR ": {mode}; user {user}"
		      : MSR ": {mode}; user {user} without CAP_SYS_RAWIO",
		  "sudo uncore ..., or as docs/machines.md has it" },
		{ "msr-writes", is_off, module,
		  "the msr module lets nobody write registers",
		  ALLOWED ": {allow_writes}", "echo on >" ALLOWED },
		{ "msr-writes", f->allow_writes, OK,
		  !f->allow_writes || strcmp(f->allow_writes, "default") != 0
			  ? "the msr module lets registers be written"
			  : "the msr module lets registers be written, and "
			    "says so in the kernel's log",
		  ALLOWED ": {allow_writes}", NULL },
		{ "msr-safe",
		  f->msr_safe != ROOT_MISSING && f->msr_safe != ROOT_WRITE,
		  safe,
		  "msr-safe is loaded, and its files are closed to this user",
		  MSR_SAFE ": closed to user {user}",
		  "chgrp and chmod g+rw /dev/cpu/*/msr_safe for a group of "
		  "yours" },
		{ "msr-safe", f->msr_safe == ROOT_WRITE && !f->allowlist, NOTE,
		  "msr-safe is loaded; what its list has cannot be read",
		  LIST ": closed", NULL },
		{ "msr-safe", f->msr_safe == ROOT_WRITE && f->not_listed, safe,
		  "msr-safe is loaded, and its list lacks {not_listed} "
		  "registers of the uncore or bits of them",
		  LIST ": not enough for {not_listed_name}, the first of them",
		  "(cat " LIST "; uncore encode --allowlist -m {family}) "
		  ">list, without what is twice; cat list >" LIST },
		{ "msr-safe", f->msr_safe == ROOT_WRITE, OK,
		  "msr-safe lets all registers of the uncore be read and "
		  "written",
		  LIST ": has them", NULL },
		{ "registers", f->registers_refused, OBSTACLE,
		  "the registers do not answer", "{registers_refused}", NULL },
		{ 0 },
	};

	add_rows(findings, rows, values);
}

/* The PCI functions of a family that has registers in some. */
static void look_at_functions(struct findings *findings, const struct facts *f,
			      const struct value *values)
{
	const struct row rows[] = {
		{ "pci-rights", root_can(&f->root, ROOT_CAP_SYS_ADMIN), OK,
		  "PCI functions can be read as a whole",
		  "/proc/self/status: CapEff {capabilities}", NULL },
		{ "pci-rights", true, OBSTACLE,
		  "who lacks CAP_SYS_ADMIN sees 64 bytes of a PCI function, "
		  "and no counters",
		  "/proc/self/status: CapEff {capabilities}",
		  "sudo uncore ..." },
		{ "pci-functions", !f->lists_functions, OBSTACLE,
		  "no PCI functions are to be seen, and the processor has "
		  "counters in some",
		  FOLDER ": empty or not there", NULL },
		{ "pci-functions", !f->num_hidden, OK,
		  "all PCI functions with counters are there", FOLDER, NULL },
		{ "pci-functions", true, OBSTACLE,
		  "the BIOS hides PCI functions with counters; what is in them "
		  "cannot be counted",
		  FOLDER ": lacks {hidden}",
		  "look for 'performance monitor devices' or 'uncore' among "
		  "the options of the BIOS, or for a newer one" },
		{ 0 },
	};

	add_rows(findings, rows, values);
}

/* The kernel's PMUs. A driver leaves virtual machines alone, and some
 * processors it does not know. */
static void look_at_perf(struct findings *findings, const struct facts *f,
			 const struct value *values)
{
	bool lacks = f->driver && !f->num_pmus, has = f->num_pmus;
	bool may = way_may_perf(f);
	const struct row rows[] = {
		{ "driver", lacks && f->hypervisor, NOTE,
		  "the kernel's driver of the uncore, {driver}, does nothing "
		  "in a virtual machine",
		  "/sys/module/{driver}: {has_driver}", NULL },
		{ "driver", lacks && f->has_driver, OBSTACLE,
		  "the kernel's driver of the uncore, {driver}, is loaded and "
		  "makes no PMU: it does not know this processor",
		  "/sys/module/{driver}: there", "try a newer kernel" },
		{ "driver", lacks, OBSTACLE,
		  "the kernel's driver of the uncore, {driver}, is not loaded",
		  "/sys/module/{driver}: not there", "modprobe {driver}" },
		{ "pmus", has, OK,
		  f->num_pmus == 1
			  ? "the kernel has {num_pmus} PMU of the uncore"
			  : "the kernel has {num_pmus} PMUs of the uncore",
		  PMUS ": {pmus}; cpumask {cpumask}", NULL },
		{ "pmus", true, NOTE, "the kernel has no PMU of the uncore",
		  PMUS ": none with a cpumask", NULL },
		{ "paranoid", has && !f->has_paranoid, OBSTACLE,
		  "the kernel is built without perf events",
		  PARANOID ": not there", NULL },
		{ "paranoid", has && may, OK,
		  f->paranoid <= 0
			  ? "the kernel opens its PMUs to everybody"
			  : "the kernel opens its PMUs to this process",
		  PARANOID ": {paranoid}", NULL },
		{ "paranoid", has && f->paranoid > WAY_PERFMON_HELPS, OBSTACLE,
		  "this kernel keeps its PMUs to root, whoever has CAP_PERFMON "
		  "(Debian's way)",
		  PARANOID ": {paranoid}",
		  "sysctl kernel.perf_event_paranoid=2, and setcap "
		  "cap_perfmon+ep $(command -v uncore)" },
		{ "paranoid", has, OBSTACLE,
		  "the kernel opens PMUs that count for all to nobody without "
		  "CAP_PERFMON",
		  PARANOID ": {paranoid}",
		  "sysctl kernel.perf_event_paranoid=0, or setcap "
		  "cap_perfmon+ep $(command -v uncore)" },
		{ "perf", has && may && f->perf_refused && f->container,
		  OBSTACLE,
		  "the kernel refuses an event of its own PMU; containers "
		  "filter the call",
		  "{perf_refused}",
		  "docker run --cap-add=PERFMON --security-opt seccomp=... "
		  "lets it pass" },
		{ "perf", has && may && f->perf_refused, OBSTACLE,
		  "the kernel refuses an event of its own PMU",
		  "{perf_refused}", NULL },
		{ 0 },
	};

	add_rows(findings, rows, values);
}

/* Who counts already, and whether clocks move. */
static void look_at_use(struct findings *findings, const struct facts *f,
			const struct value *values)
{
	bool is_free = f->holder != LOCK_HELD && f->holder != LOCK_LEFT;
	bool has_clocks = !f->is_quick && !f->registers_refused;
	const struct row rows[] = {
		{ "in-use", f->holder == LOCK_HELD, OBSTACLE,
		  "another uncore counts with the registers",
		  "its lock: " OWNER, "wait, or end process {process}" },
		{ "left-behind", f->holder == LOCK_LEFT, OBSTACLE,
		  "a command that was killed has left its settings in the "
		  "registers",
		  "its journal: " OWNER, "uncore reset" },
		{ "in-use", is_free && f->neighbour, OBSTACLE,
		  "somebody else counts with the registers", "{neighbour}",
		  NULL },
		{ "in-use", is_free, OK,
		  "nobody else counts with the registers, as far as can be "
		  "seen",
		  NULL, NULL },
		{ "clock", has_clocks && !f->root.is_here, NOTE,
		  "whether the clocks of the boxes move was not looked at: a "
		  "tree of files has none",
		  NULL, NULL },
		{ "clock", has_clocks && f->dead_clocks, OBSTACLE,
		  "clocks of boxes stand still: the boxes are switched off, or "
		  "are not those of the guide",
		  "the same when read twice: {dead_clocks}", NULL },
		{ "clock", has_clocks && f->clocks, OK,
		  "the clocks that can be read without writing move",
		  "read twice: {clocks}", NULL },
		{ "clock", has_clocks, NOTE,
		  "no clock of a box runs that could be read without writing",
		  NULL, NULL },
		{ 0 },
	};

	add_rows(findings, rows, values);
}

void findings_make(struct findings *findings, const struct facts *f,
		   bool is_real)
{
	char has[64], lacks[64], capabilities[20];
	char *pmus = list_pmus(f), *hidden = list_hidden(f);
	char *mode = f->family ? root_mode(&f->root, MSR) : NULL;
	const struct value values[] = {
		{ "has", has, 0 },
		{ "lacks", lacks, 0 },
		{ "allow_writes", f->allow_writes, 0 },
		{ "capabilities", capabilities, 0 },
		{ "clocks", f->clocks, 0 },
		{ "command", f->owner.command, 0 },
		{ "container", f->container, 0 },
		{ "cpumask", f->num_pmus ? f->pmus->cpumask : "", 0 },
		{ "dead_clocks", f->dead_clocks, 0 },
		{ "driver", f->driver, 0 },
		{ "family", f->family ? f->family->name : "", 0 },
		{ "has_driver", f->has_driver ? "there" : "not there", 0 },
		{ "hidden", hidden ? hidden : "", 0 },
		{ "hypervisor", f->hypervisor, 0 },
		{ "lockdown", f->lockdown ? f->lockdown : "not there", 0 },
		{ "mode", mode ? mode : "", 0 },
		{ "module", f->has_msr_module ? "there" : "not there", 0 },
		{ "neighbour", f->neighbour, 0 },
		{ "not_listed", NULL, (long long)f->not_listed },
		{ "not_listed_name", f->not_listed_name, 0 },
		{ "num_pmus", NULL, (long long)f->num_pmus },
		{ "paranoid", NULL, f->paranoid },
		{ "perf_refused", f->perf_refused, 0 },
		{ "pmus", pmus ? pmus : "", 0 },
		{ "process", NULL, f->owner.process },
		{ "processor", f->processor, 0 },
		{ "registers_refused", f->registers_refused, 0 },
		{ "release", f->release, 0 },
		{ "since", f->owner.since, 0 },
		{ "title", f->family ? f->family->title : "", 0 },
		{ "user", NULL, f->root.user },
	};

	list_rights(&f->root, true, has);
	list_rights(&f->root, false, lacks);
	snprintf(capabilities, sizeof(capabilities), "%016llx",
		 (unsigned long long)f->root.capabilities);
	look_at_machine(findings, f, is_real, values);
	if (f->family)
		look_at_registers(findings, f, values);
	if (f->family && pci_map_is_for(f->family))
		look_at_functions(findings, f, values);
	look_at_perf(findings, f, values);
	if (f->family && f->msr != ROOT_MISSING)
		look_at_use(findings, f, values);
	free(pmus);
	free(hidden);
	free(mode);
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->num; i++) {
		free(findings->list[i].what);
		free(findings->list[i].evidence);
		free(findings->list[i].todo);
	}
	free(findings->list);
}
