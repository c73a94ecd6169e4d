/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The machine that QEMU shows to the guest is the modelled one: its family,
 * sockets and cores, and memory with a node for every socket. It has a machine
 * type whose memory lies in one piece (pc; q35, where the uncore has registers
 * that need a window for PCI), no hypervisor bit, which
 * would keep the kernel's uncore driver away, and all CPUs in one thread, so
 * that they run by turns.
 */
#include "guest_command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/find.h"
#include "base/text.h"
#include "uncore/error.h"
#include "uncore/family.h"

#define QEMU   "qemu-system-x86_64"
#define PLUGIN "libuncore-guest.so"
/* The kernel's console; and what else it is told, unless users say otherwise:
 * not to doubt the timer, whose ticks come late on a busy host, and to restart
 * after a panic, which ends QEMU, instead of waiting for somebody to look. */
#define CONSOLE "console=ttyS0"
#define CALM	"no_timer_check panic=-1"
/* Where the uncore has buses, which no bridge tells of. */
#define ALL_BUSES " pci=lastbus=255"

/* What QEMU's emulation lacks, or versions of it. */
#define WITHOUT_TIMER ",-x2apic,-tsc-deadline"
#define WITHOUT_IDS   WITHOUT_TIMER ",-pcid,-invpcid"
#define WITHOUT_WIDE                                                           \
	WITHOUT_IDS                                                            \
	",-avx512f,-avx512dq,-avx512cd,-avx512bw,-avx512vl,-avx512vnni,"       \
	"-rdseed,-spec-ctrl,-ssbd,-arch-capabilities,-3dnowprefetch,-xsavec,"  \
	"-rdctl-no,-ibrs-all,-skip-l1dfl-vmentry,-mds-no"

enum { CPU_FAMILIES = 16, CPU_MODELS = 256 };

struct refused {
	const char *option;
	const char *why;
};

/* QEMU's CPU with the instructions of a family's cores. */
static const struct cpu {
	const char *family, *base;
	unsigned stepping;
} cpus[] = {
	{ "xeon-e7", "Westmere", 2 },
	{ "xeon-e5-2600", "SandyBridge" WITHOUT_TIMER, 7 },
	{ "xeon-e5-v2", "IvyBridge" WITHOUT_TIMER, 4 },
	{ "xeon-e5-v3", "Haswell-noTSX" WITHOUT_IDS, 2 },
	{ "xeon-e5-v4", "Broadwell-noTSX" WITHOUT_IDS, 1 },
	{ "xeon-scalable-1", "Skylake-Server-noTSX-IBRS" WITHOUT_WIDE, 4 },
	{ "xeon-scalable-2", "Cascadelake-Server-noTSX" WITHOUT_WIDE, 7 },
	{ "xeon-7500", "Nehalem", 6 },
};

/* What users may not say, because the modelled machine says it. */
static const struct refused refused[] = {
	{ "enable-kvm", "registers and memory accesses are only seen under "
			"emulation, and KVM is not needed" },
	{ "accel", "registers and memory accesses are only seen under "
		   "emulation with all CPUs in one thread" },
	{ "machine",
	  "the memory of the model needs the machine type that it has" },
	{ "M", "the memory of the model needs the machine type that it has" },
	{ "cpu", "the CPU is that of the modelled machine; choose it with "
		 "--machine" },
	{ "smp", "sockets and cores are those of the modelled machine; choose "
		 "them with --sockets and --set cores=N" },
	{ "m", "memory is shared out among the sockets; choose its size with "
	       "--memory" },
	{ "numa", "each socket of the modelled machine is a node already" },
	{ "icount", "time in the guest is the model's already" },
	{ "daemonize", "the guest ends with uncore, not after it" },
};

static void add(struct guest_command *command, const char *format, ...)
{
	va_list arguments;
	char *word = NULL;

	if (command->num + 1 >= command->room) {
		unsigned room = command->room ? command->room * 2 : 64;
		char **words = realloc(command->words, room * sizeof(*words));

		if (!words) {
			command->failed = true;
			return;
		}
		command->words = words;
		command->room = room;
	}
	va_start(arguments, format);
	if (vasprintf(&word, format, arguments) < 0)
		word = NULL;
	va_end(arguments);
	command->failed |= !word;
	command->words[command->num++] = word;
	command->words[command->num] = NULL;
}

void guest_command_free(struct guest_command *command)
{
	for (unsigned i = 0; i < command->num; i++)
		free(command->words[i]);
	free(command->words);
}

/* QEMU's option syntax: a comma in a value is written twice. */
static char *escaped(const char *value)
{
	struct text text = { 0 };

	for (; *value; value++)
		text_add(&text, *value == ',' ? ",," : "%c", *value);
	return text_take(&text);
}

/* Checks */

static int check_options(const char *const *options, char **error)
{
	for (; options && *options; options++) {
		const char *name = *options;

		if (*name != '-')
			continue;
		name += name[1] == '-' ? 2 : 1;
		for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]);
		     i++)
			if (!strcmp(name, refused[i].option))
				return text_error(
					UNCORE_ERR_BAD_OPTION, error,
					"QEMU's option %s does not go with a "
					"model: %s",
					*options, refused[i].why);
	}
	return 0;
}

static int check_file(const char *what, const char *path, char **error)
{
	int fd;

	if (!path)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "the %s %s cannot be read: %s%s", what, path,
				  strerror(errno),
				  errno == EACCES ? "; copy it, or let root "
						    "make it readable"
						  : "");
	close(fd);
	if (!find_is_file(path) && strncmp(path, "/dev/", 5))
		return text_error(UNCORE_ERR_BAD_OPTION, error,
				  "the %s %s is not a file", what, path);
	return 0;
}

static int check(const struct uncore_guest_config *config, char **error)
{
	int code = check_options(config->options, error);

	if (!code && !config->kernel && !config->disk &&
	    !(config->options && *config->options))
		code = text_error(UNCORE_ERR_BAD_OPTION, error,
				  "nothing to boot: name a kernel and its "
				  "initrd, or a disk");
	if (!code && !config->kernel && (config->initrd || config->append))
		code = text_error(UNCORE_ERR_BAD_OPTION, error,
				  "%s goes with a kernel: name it as well",
				  config->initrd ? "an initrd"
						 : "a text to append");
	if (!code)
		code = check_file("kernel", config->kernel, error);
	if (!code)
		code = check_file("initrd", config->initrd, error);
	return code ? code : check_file("disk", config->disk, error);
}

/* Parts */

static int add_qemu(const struct uncore_guest *guest,
		    struct guest_command *command, char **error)
{
	const char *wanted = guest->config.qemu;
	char *path;

	if (!wanted)
		wanted = getenv("UNCORE_QEMU_SYSTEM");
	if (!wanted || !*wanted)
		wanted = QEMU;
	path = find_program(wanted);
	if (path && find_is_file(path) && access(path, X_OK) == 0) {
		add(command, "%s", path);
		free(path);
		return 0;
	}
	free(path);
	return text_error(UNCORE_ERR_NO_HELPER, error,
			  "%s was not found; guests run under QEMU: install "
			  "the package qemu-system-x86 (apt-get install "
			  "qemu-system-x86)",
			  wanted);
}

static int add_plugin(const struct uncore_guest *guest,
		      struct guest_command *command, char **error)
{
	char *tried = NULL, *path, *plugin;

	if (guest->config.plugin) {
		tried = strdup(guest->config.plugin);
		path = realpath(guest->config.plugin, NULL);
	} else {
		path = find_helper(PLUGIN, &tried);
	}
	if (!path) {
		text_error(UNCORE_ERR_NO_HELPER, error,
			   "the plugin for QEMU was not found at %s; build it "
			   "(it is part of the build), or name its folder in "
			   "UNCORE_LIBEXEC",
			   tried ? tried : PLUGIN);
		free(tried);
		return UNCORE_ERR_NO_HELPER;
	}
	plugin = escaped(path);
	add(command, "-plugin");
	add(command, "file=%s,channel=/proc/%d/fd/%d", plugin ? plugin : "",
	    (int)getpid(), guest->fd);
	command->failed |= !plugin;
	free(plugin);
	free(path);
	free(tried);
	return 0;
}

static const struct cpu *cpu_of(const struct uncore_family *family)
{
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		if (!strcmp(cpus[i].family, uncore_family_name(family)))
			return &cpus[i];
	return &cpus[0];
}

/* The brand ends with the modelled clock, as some do by themselves. */
static void add_cpu(const struct uncore_guest *guest,
		    struct guest_command *command, unsigned cpu_family,
		    unsigned cpu_model)
{
	const struct cpu *cpu = cpu_of(guest->family);

	add(command,
	    "%s,family=%u,model=%u,stepping=%u,-hypervisor,+rdtscp,"
	    "model-id=%.*s @ %.2fGHz",
	    cpu->base, cpu_family, cpu_model, cpu->stepping,
	    (int)strcspn(guest->brand, "@") -
		    (strchr(guest->brand, '@') != NULL),
	    guest->brand, guest_param(guest, "core.clock") / 1000);
}

static int add_cpus(const struct uncore_guest *guest,
		    struct guest_command *command, char **error)
{
	const struct channel *channel = guest->channel;
	unsigned stepping = cpu_of(guest->family)->stepping;

	add(command, "-smp");
	add(command, "%u,sockets=%u,cores=%u,threads=1", channel->num_cpus,
	    channel->num_sockets, channel->cores_per_socket);
	add(command, "-cpu");
	for (unsigned f = 0; f < CPU_FAMILIES; f++)
		for (unsigned m = 0; m < CPU_MODELS; m++)
			if (uncore_family_of_cpu(f, m, stepping) ==
			    guest->family) {
				add_cpu(guest, command, f, m);
				return 0;
			}
	return text_error(UNCORE_ERR_UNKNOWN_FAMILY, error,
			  "the model number of %s is not known",
			  uncore_family_name(guest->family));
}

static void add_memory(const struct uncore_guest *guest,
		       struct guest_command *command)
{
	const struct channel *channel = guest->channel;
	unsigned cores = channel->cores_per_socket;

	add(command, "-m");
	add(command, "%u", guest->config.memory_mib);
	for (unsigned i = 0; i < channel->num_sockets; i++) {
		add(command, "-object");
		add(command, "memory-backend-ram,id=socket%u,size=%llu", i,
		    (unsigned long long)channel->ram_bytes[i]);
		add(command, "-numa");
		add(command, "node,nodeid=%u,memdev=socket%u,cpus=%u-%u", i, i,
		    i * cores, (i + 1) * cores - 1);
	}
}

/* Disks with a format of QEMU's own say so in their first bytes. */
static bool is_qcow2(const char *path)
{
	unsigned char head[4] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return got == sizeof(head) && !memcmp(head, "QFI\xfb", sizeof(head));
}

static void add_boot(const struct uncore_guest *guest,
		     struct guest_command *command)
{
	const struct uncore_guest_config *config = &guest->config;

	if (config->kernel) {
		/* Else the firmware talks on the serial line first, and clears
		 * the user's terminal. */
		add(command, "-machine");
		add(command, "graphics=on");
		add(command, "-kernel");
		add(command, "%s", config->kernel);
		add(command, "-append");
		add(command, CONSOLE " " CALM "%s%s%s",
		    guest->has_pci ? ALL_BUSES : "", config->append ? " " : "",
		    config->append ? config->append : "");
	}
	if (config->initrd) {
		add(command, "-initrd");
		add(command, "%s", config->initrd);
	}
	if (config->disk) {
		char *path = escaped(config->disk);

		add(command, "-drive");
		add(command, "file=%s,format=%s,if=virtio", path ? path : "",
		    is_qcow2(config->disk) ? "qcow2" : "raw");
		command->failed |= !path;
		free(path);
	}
}

static bool has_option(const struct uncore_guest_config *config,
		       const char *name)
{
	for (const char *const *word = config->options; word && *word; word++) {
		const char *option = *word;

		if (*option == '-' &&
		    !strcmp(option + (option[1] == '-' ? 2 : 1), name))
			return true;
	}
	return false;
}

/* The console, which QEMU makes by itself only where it is told of no serial
 * line; and the fourth line, whatever users make of the others. */
static void add_report(const struct uncore_guest *guest,
		       struct guest_command *command)
{
	if (!has_option(&guest->config, "serial")) {
		add(command, "-serial");
		add(command, has_option(&guest->config, "monitor") ||
					     has_option(&guest->config, "mon")
				     ? "stdio"
				     : "mon:stdio");
	}
	add(command, "-chardev");
	add(command, "file,id=uncore-report,path=/proc/%d/fd/%d", (int)getpid(),
	    guest->report_fd);
	add(command, "-device");
	add(command, "isa-serial,index=3,chardev=uncore-report");
}

int guest_command_make(const struct uncore_guest *guest,
		       struct guest_command *command, char **error)
{
	const struct uncore_guest_config *config = &guest->config;
	int code = check(config, error);

	memset(command, 0, sizeof(*command));
	if (!code)
		code = add_qemu(guest, command, error);
	if (!code)
		code = add_plugin(guest, command, error);
	if (!code) {
		add(command, "-machine");
		add(command, guest->has_pci ? "q35" : "pc");
		add(command, "-accel");
		add(command, "tcg,thread=single");
		code = add_cpus(guest, command, error);
	}
	if (code) {
		guest_command_free(command);
		return code;
	}
	add_memory(guest, command);
	add(command, "-nographic");
	add(command, "-no-reboot");
	/* The clock of the date goes as the guest's others. */
	add(command, "-rtc");
	add(command, "clock=vm");
	add(command, "-nic");
	add(command, "none");
	add_report(guest, command);
	add_boot(guest, command);
	for (const char *const *word = config->options; word && *word; word++)
		add(command, "%s", *word);
	if (!command->failed)
		return 0;
	guest_command_free(command);
	return text_error(UNCORE_ERR_NO_MEMORY, error, "out of memory");
}
