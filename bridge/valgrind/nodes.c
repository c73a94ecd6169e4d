/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A file is one without a name that is made when it is opened. The folder of
 * the nodes is the host's, and only its entries are ours. Which CPUs there are
 * stays the host's answer: programs start as many threads as without the model.
 */
#include "bridge/valgrind/nodes.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#define FOLDER "/sys/devices/system/node"

enum {
	TEXT_BYTES = 8192,
	STATUS_LINE_BYTES = 1024,
	CLOSE_ON_EXEC = 02000000, /* O_CLOEXEC */
	PATH_BYTES = 128,
	NAME_BYTES = 16,
	FRAME_KB = 4,
	FREE_PART = 16, /* the kernel's own needs: one in 16 */
	NEAR = 10,	/* as in the ACPI's table of distances */
	FAR = 21,
	WORD_BITS = 32,
};

struct text {
	HChar bytes[TEXT_BYTES];
	Int length;
};

static Int listed = -1; /* descriptor of the folder */
static UInt next_entry;

#define ADD(text, ...)                                                         \
	((text)->length += (Int)VG_(snprintf)(                                 \
		 (text)->bytes + (text)->length,                               \
		 (Int)sizeof((text)->bytes) - (text)->length, __VA_ARGS__))

/* The path of a program; false: it is long or cannot be read. */
static bool read_path(Addr address, HChar *path)
{
	UInt i;

	for (i = 0; i < PATH_BYTES; i++) {
		if ((!i || (address + i) % PAGE_BYTES == 0) &&
		    !VG_(am_is_valid_for_client)(address + i, 1, VKI_PROT_READ))
			return false;
		path[i] = ((const HChar *)address)[i];
		if (!path[i])
			return true;
	}
	return false;
}

/* What is in the files */

/* Bits `first` to `last`, as the kernel writes masks: words of 32 bits from the
 * highest down. */
static void add_mask(struct text *text, UInt first, UInt last, UInt num_bits)
{
	UInt word = (num_bits + WORD_BITS - 1) / WORD_BITS;
	UInt bit;

	while (word--) {
		UInt bits = 0;

		for (bit = 0; bit < WORD_BITS; bit++)
			if (word * WORD_BITS + bit >= first &&
			    word * WORD_BITS + bit <= last)
				bits |= 1u << bit;
		ADD(text, "%08x%s", bits, word ? "," : "\n");
	}
}

static void add_range(struct text *text, UInt first, UInt last)
{
	if (first == last)
		ADD(text, "%u\n", first);
	else
		ADD(text, "%u-%u\n", first, last);
}

static void add_meminfo(struct text *text, UInt node)
{
	UInt total_kb = arena->num_frames[node] * FRAME_KB;
	UInt free_kb = total_kb - total_kb / FREE_PART;

	ADD(text, "Node %u MemTotal:       %u kB\n", node, total_kb);
	ADD(text, "Node %u MemFree:        %u kB\n", node, free_kb);
	ADD(text, "Node %u MemUsed:        %u kB\n", node, total_kb - free_kb);
	ADD(text, "Node %u HugePages_Total:     0\n", node);
	ADD(text, "Node %u HugePages_Free:      0\n", node);
}

static bool fill_node(struct text *text, UInt node, const HChar *name)
{
	UInt cores = arena->cores_per_socket;
	UInt num = front_num_cores();
	UInt i;

	if (VG_(strcmp)(name, "cpumap") == 0)
		add_mask(text, node * cores, (node + 1) * cores - 1, num);
	else if (VG_(strcmp)(name, "cpulist") == 0)
		add_range(text, node * cores, (node + 1) * cores - 1);
	else if (VG_(strcmp)(name, "meminfo") == 0)
		add_meminfo(text, node);
	else if (VG_(strcmp)(name, "distance") == 0)
		for (i = 0; i < arena->num_sockets; i++)
			ADD(text, "%u%s", i == node ? NEAR : FAR,
			    i + 1 < arena->num_sockets ? " " : "\n");
	else
		return false;
	return true;
}

static bool is_list_of_nodes(const HChar *name)
{
	static const HChar *const names[] = {
		"online",     "possible",	   "has_cpu",
		"has_memory", "has_normal_memory",
	};
	UInt i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (VG_(strcmp)(name, names[i]) == 0)
			return true;
	return false;
}

/* Of a file below the folder; false: there is none of that name. */
static bool fill(struct text *text, const HChar *name)
{
	HChar *end;
	Long node;

	if (is_list_of_nodes(name)) {
		add_range(text, 0, arena->num_sockets - 1);
		return true;
	}
	if (VG_(strncmp)(name, "node", 4) != 0 || name[4] < '0' ||
	    name[4] > '9')
		return false;
	node = VG_(strtoll10)(name + 4, &end);
	return *end == '/' && node < (Long)arena->num_sockets &&
	       fill_node(text, (UInt)node, end + 1);
}

/* /proc/self/status, but for the CPUs and nodes that may be used. */
static void add_status_line(struct text *text, const HChar *line)
{
	UInt cpus = front_num_cores();

	if (VG_(strncmp)(line, "Cpus_allowed:", 13) == 0) {
		ADD(text, "Cpus_allowed:\t");
		add_mask(text, 0, cpus - 1, cpus);
	} else if (VG_(strncmp)(line, "Cpus_allowed_list:", 18) == 0) {
		ADD(text, "Cpus_allowed_list:\t");
		add_range(text, 0, cpus - 1);
	} else if (VG_(strncmp)(line, "Mems_allowed:", 13) == 0) {
		ADD(text, "Mems_allowed:\t");
		add_mask(text, 0, arena->num_sockets - 1, WORD_BITS);
	} else if (VG_(strncmp)(line, "Mems_allowed_list:", 18) == 0) {
		ADD(text, "Mems_allowed_list:\t");
		add_range(text, 0, arena->num_sockets - 1);
	} else {
		ADD(text, "%s", line);
	}
}

static bool fill_status(struct text *text)
{
	static HChar real[TEXT_BYTES];
	HChar line[STATUS_LINE_BYTES];
	SysRes opened = VG_(open)("/proc/self/status", VKI_O_RDONLY, 0);
	Int length, i;
	UInt used = 0;

	if (sr_isError(opened))
		return false;
	length = VG_(read)((Int)sr_Res(opened), real, sizeof(real));
	VG_(close)((Int)sr_Res(opened));
	for (i = 0; i < length; i++) {
		if (used < sizeof(line) - 1)
			line[used++] = real[i];
		if (real[i] != '\n')
			continue;
		line[used] = '\0';
		add_status_line(text, line);
		used = 0;
	}
	return length > 0;
}

/* Calls */

/* A file without a name that holds the text. */
static Long open_text(const struct text *text, UWord flags)
{
	UInt close_on_exec = flags & CLOSE_ON_EXEC ? 1 : 0; /* MFD_CLOEXEC */
	SysRes made = VG_(do_syscall)(__NR_memfd_create, (UWord) "node",
				      close_on_exec, 0, 0, 0, 0, 0, 0);

	if (sr_isError(made))
		return -(Long)sr_Err(made);
	VG_(write)((Int)sr_Res(made), text->bytes, text->length);
	VG_(lseek)((Int)sr_Res(made), 0, VKI_SEEK_SET);
	return (Long)sr_Res(made);
}

static Long open_folder(UWord flags)
{
	SysRes opened = VG_(open)(FOLDER, (Int)flags, 0);

	if (sr_isError(opened)) /* a container may not show it */
		opened = VG_(open)("/", (Int)flags, 0);
	if (sr_isError(opened))
		return -(Long)sr_Err(opened);
	listed = (Int)sr_Res(opened);
	next_entry = 0;
	return listed;
}

static bool is_status(const HChar *path)
{
	HChar mine[PATH_BYTES];

	VG_(sprintf)(mine, "/proc/%d/status", VG_(getpid)());
	return VG_(strcmp)(path, "/proc/self/status") == 0 ||
	       VG_(strcmp)(path, mine) == 0;
}

bool nodes_open(Addr address, UWord flags, Long *result)
{
	static struct text text;
	const SizeT length = sizeof(FOLDER) - 1;
	HChar path[PATH_BYTES];

	if (!read_path(address, path) || path[0] != '/' ||
	    (flags & (VKI_O_WRONLY | VKI_O_RDWR)))
		return false;
	text.length = 0;
	if (is_status(path)) {
		if (!fill_status(&text))
			return false;
		*result = open_text(&text, flags);
		return true;
	}
	if (VG_(strncmp)(path, FOLDER, length) != 0)
		return false;
	if (!path[length] || VG_(strcmp)(path + length, "/") == 0)
		*result = open_folder(flags);
	else if (path[length] != '/')
		return false;
	else if (fill(&text, path + length + 1))
		*result = open_text(&text, flags);
	else
		*result = -VKI_ENOENT;
	return true;
}

/* As getdents64(2) has it. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t size_bytes;
	uint8_t type;
	HChar name[NAME_BYTES + 5];
};

enum { TYPE_FOLDER = 4 };

bool nodes_list(UWord fd, Addr entries, UWord size_bytes, Long *result)
{
	UWord used = 0;

	if (listed < 0 || (Int)fd != listed)
		return false;
	*result = -VKI_EFAULT;
	if (!VG_(am_is_valid_for_client)(entries, size_bytes, VKI_PROT_WRITE))
		return true;
	while (next_entry < arena->num_sockets &&
	       used + sizeof(struct entry) <= size_bytes) {
		struct entry entry = { .inode = next_entry + 1,
				       .offset = next_entry + 1,
				       .size_bytes = sizeof(entry),
				       .type = TYPE_FOLDER };

		VG_(sprintf)(entry.name, "node%u", next_entry++);
		VG_(memcpy)((void *)(entries + used), &entry, sizeof(entry));
		used += sizeof(entry);
	}
	*result = (Long)used;
	return true;
}

bool nodes_close(UWord fd)
{
	if ((Int)fd == listed)
		listed = -1;
	return false;
}
