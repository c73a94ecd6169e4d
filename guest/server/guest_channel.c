/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The memory that the plugin shares with us, with what QEMU's side must know of
 * the machine. The file has no name; QEMU reaches it through our descriptor.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "guest.h"
#include "uncore/address.h"
#include "uncore/error.h"
#include "uncore/family.h"
#include "uncore/live.h"

/* QEMU's PC keeps memory in one piece, from address 0, up to this size. */
enum { DEFAULT_MIB = 1024, MIN_MIB = 128, MAX_MIB = 3072 };

/* Its q35, which has a window for PCI, up to this. */
enum { MAX_PCI_MIB = 2560 };

#define MIB_BYTES  (UINT64_C(1) << 20)
#define LINE_BYTES 64
#define KB_BYTES   1024

static int check_memory(const struct uncore_guest *guest, unsigned sockets,
			char **error)
{
	unsigned mib = guest->config.memory_mib;
	unsigned most = guest->has_pci ? MAX_PCI_MIB : MAX_MIB;

	if (mib < MIN_MIB || mib > most)
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "%u MiB of memory do not fit: a guest has "
				  "%d to %u MiB",
				  mib, MIN_MIB, most);
	if (mib % sockets)
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "%u MiB of memory cannot be shared among %u "
				  "sockets; take %u MiB",
				  mib, sockets, mib / sockets * sockets);
	return 0;
}

static int place_memory(struct uncore_guest *guest,
			const struct uncore_model *model, char **error)
{
	struct channel *channel = guest->channel;
	uint64_t bytes =
		guest->config.memory_mib * MIB_BYTES / channel->num_sockets;

	for (unsigned i = 0; i < channel->num_sockets; i++) {
		if (bytes / LINE_BYTES > uncore_model_memory_lines(model, i))
			return text_error(UNCORE_ERR_BAD_PARAMETER, error,
					  "%u MiB of memory are more than the "
					  "modelled machine has; raise its "
					  "parameter memory.size",
					  guest->config.memory_mib);
		channel->ram_first[i] = i * bytes;
		channel->ram_bytes[i] = bytes;
		channel->first_line[i] =
			uncore_model_memory_first_line(model, i);
	}
	return 0;
}

static int add_register(struct uncore_guest *guest,
			const struct uncore_register *reg, char **error)
{
	struct channel *channel = guest->channel;

	if (!reg->is_guests ||
	    uncore_address_space(reg->address) != UNCORE_SPACE_MSR)
		return 0;
	if (channel->num_registers == CHANNEL_MAX_REGISTERS)
		return text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "the family %s has more than %d registers",
				  uncore_family_name(guest->family),
				  CHANNEL_MAX_REGISTERS);
	channel->registers[channel->num_registers++] =
		uncore_address_offset(reg->address);
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

/* All of the uncore, and of the core those that QEMU has nothing for. */
static int list_registers(struct uncore_guest *guest, char **error)
{
	struct channel *channel = guest->channel;
	struct uncore_register reg;
	int code = 0;

	for (size_t i = 0;
	     !code && uncore_family_register(guest->family, i, &reg); i++)
		code = add_register(guest, &reg, error);
	for (size_t i = 0;
	     !code && uncore_family_core_register(guest->family, i, &reg); i++)
		code = add_register(guest, &reg, error);
	qsort(channel->registers, channel->num_registers,
	      sizeof(*channel->registers), compare);
	return code;
}

static int map(struct uncore_guest *guest, char **error)
{
	guest->size_bytes = sizeof(*guest->channel);
	guest->fd = memfd_create("uncore-guest", MFD_CLOEXEC);
	if (guest->fd < 0 || ftruncate(guest->fd, (off_t)guest->size_bytes) < 0)
		return text_error(UNCORE_ERR_NO_MEMORY, error,
				  "cannot make %zu bytes of shared memory: %s",
				  guest->size_bytes, strerror(errno));
	guest->channel = mmap(NULL, guest->size_bytes, PROT_READ | PROT_WRITE,
			      MAP_SHARED, guest->fd, 0);
	if (guest->channel != MAP_FAILED)
		return 0;
	guest->channel = NULL;
	return text_error(UNCORE_ERR_NO_MEMORY, error,
			  "cannot map %zu bytes of shared memory: %s",
			  guest->size_bytes, strerror(errno));
}

/* The function of a socket's first bus, or 0: they stand in their order. */
static uint32_t first_unit(const struct uncore_guest *guest)
{
	struct uncore_function function;

	if (!uncore_family_function(guest->family, 0, &function) ||
	    guest->channel->pci_num_buses > 1 ||
	    function.number >> 3 >= UNCORE_FIRST_BUS_DEVICES)
		return 0;
	return function.number;
}

/* Slices of the LLC: one for each core, or more. */
static unsigned num_slices(const struct uncore_guest *guest)
{
	double chas = guest_param(guest, "chas");

	return (unsigned)(chas > 0 ? chas : guest_param(guest, "cores"));
}

static int fill(struct uncore_guest *guest, const struct uncore_model *model,
		char **error)
{
	struct channel *channel = guest->channel;
	int code;

	channel->magic = CHANNEL_MAGIC;
	channel->size_bytes = guest->size_bytes;
	channel->owner = (uint32_t)getpid();
	channel->num_sockets = uncore_model_sockets(model);
	channel->cores_per_socket = uncore_model_cores(model);
	channel->num_cpus = guest->num_cpus;
	channel->llc_ways = (uint32_t)guest_param(guest, "llc.ways");
	channel->llc_bytes = (uint32_t)(guest_param(guest, "llc.slice") *
					num_slices(guest) * KB_BYTES);
	channel->l1i_ways = (uint32_t)guest_param(guest, "core.l1i_ways");
	channel->l2_ways = (uint32_t)guest_param(guest, "core.l2_ways");
	channel->l2_sets = (uint32_t)guest_param(guest, "core.l2") * KB_BYTES /
			   64 / channel->l2_ways;
	channel->tells_clean = guest_param(guest, "core.tells_clean") > 0;
	for (unsigned i = 0; guest->has_pci && i < channel->num_sockets; i++) {
		channel->pci_buses[i] = uncore_model_pci_bus(model, i);
		channel->pci_first_buses[i] =
			uncore_model_pci_first_bus(model, i);
	}
	if (guest->has_pci) {
		channel->pci_num_buses = uncore_model_pci_buses(model);
		channel->pci_first_unit = first_unit(guest);
	}
	channel->tick_khz = guest->tick_khz;
	channel->ticks_per_instruction = guest->ticks_per_instruction;
	channel->skips = guest->config.clock == UNCORE_GUEST_SKIP;
	code = place_memory(guest, model, error);
	return code ? code : list_registers(guest, error);
}

int guest_make_channel(struct uncore_guest *guest, char **error)
{
	const struct uncore_model *model = uncore_live_enter(guest->live);
	unsigned sockets = uncore_model_sockets(model);
	int code = 0;

	guest->num_cpus = sockets * uncore_model_cores(model);
	if (sockets > CHANNEL_MAX_SOCKETS || guest->num_cpus > CHANNEL_MAX_CPUS)
		code = text_error(UNCORE_ERR_BAD_PARAMETER, error,
				  "a guest has up to %d sockets and %d CPUs",
				  CHANNEL_MAX_SOCKETS, CHANNEL_MAX_CPUS);
	if (!guest->config.memory_mib)
		guest->config.memory_mib = DEFAULT_MIB;
	if (!code)
		code = check_memory(guest, sockets, error);
	if (!code)
		code = map(guest, error);
	if (!code)
		code = fill(guest, model, error);
	uncore_live_leave(guest->live);
	return code;
}

void guest_free_channel(struct uncore_guest *guest)
{
	if (guest->channel)
		munmap(guest->channel, guest->size_bytes);
	if (guest->fd >= 0)
		close(guest->fd);
	if (guest->report_fd >= 0)
		close(guest->report_fd);
	for (unsigned i = 0; i < CHANNEL_MAX_CPUS; i++)
		free(guest->leftovers[i].list);
}

void guest_ring(struct uncore_guest *guest)
{
	_Atomic uint32_t *bell = &guest->channel->plugin_bell;

	atomic_fetch_add(bell, 1);
	syscall(SYS_futex, bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
