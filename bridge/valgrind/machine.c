/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * These files lie in a folder of the run's, which uncore makes and removes, and
 * which is filled when a program first names one of them. Calls with such a
 * path are made there, so that all of them agree, and what is opened there goes
 * on by itself. Of files that change, an unnamed one is made at each open.
 */
#include "bridge/valgrind/machine.h"

#include <pub_tool_aspacemgr.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

enum {
	PATH_BYTES = 256,
	CLOSE_ON_EXEC = 02000000, /* O_CLOEXEC */
	HERE = -100,		  /* AT_FDCWD */
	NOT_FOLLOWED = 0x100,	  /* AT_SYMLINK_NOFOLLOW */
	OPEN_PATH = 010000000,	  /* O_PATH */
	NOT_SUPPORTED = 95,	  /* EOPNOTSUPP */
	FILE_RIGHTS = 0444,
	FOLDER_RIGHTS = 0755,
	MASKED_RIGHTS = 022,
	FRAME_KB = 4,
	FREE_PART = 16, /* the kernel's own needs: one in 16 */
	NEAR = 10,	/* as in the ACPI's table of distances */
	FAR = 21,
	NUM_CACHES = 4,
};

#define CPUS	   "sys/devices/system/cpu"
#define NODES	   "sys/devices/system/node"
#define CPU_LINKS  "sys/bus/cpu/devices"
#define NODE_LINKS "sys/bus/node/devices"

/* What is made of them; each has the folder's path without a slash in front. */
static const struct {
	const HChar *path;
	bool is_of_cpus;
} places[] = {
	{ CPUS, true },	  { CPU_LINKS, true },	 { "proc/cpuinfo", true },
	{ NODES, false }, { NODE_LINKS, false },
};
enum { NUM_PLACES = sizeof(places) / sizeof(places[0]) };

static SysRes call(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e)
{
	return VG_(do_syscall)(number, a, b, c, d, e, 0, 0, 0);
}

static Long result_of(SysRes result)
{
	return sr_isError(result) ? -(Long)sr_Err(result)
				  : (Long)sr_Res(result);
}

/* Filling the folder */

static bool has_failed; /* to make one of them */

static void make_folder(const HChar *format, ...)
	__attribute__((format(printf, 1, 2)));
static void make_folder(const HChar *format, ...)
{
	HChar path[PATH_BYTES];
	va_list list;

	va_start(list, format);
	VG_(vsnprintf)(path, sizeof(path), format, list);
	va_end(list);
	has_failed |= sr_isError(call(__NR_mkdirat, (UWord)outside_folder(),
				      (UWord)path, FOLDER_RIGHTS, 0, 0));
}

static void make_link(const HChar *to, const HChar *format, ...)
	__attribute__((format(printf, 2, 3)));
static void make_link(const HChar *to, const HChar *format, ...)
{
	HChar path[PATH_BYTES];
	va_list list;

	va_start(list, format);
	VG_(vsnprintf)(path, sizeof(path), format, list);
	va_end(list);
	has_failed |=
		sr_isError(call(__NR_symlinkat, (UWord)to,
				(UWord)outside_folder(), (UWord)path, 0, 0));
}

/* The text is empty again afterwards. */
static void make_file(struct text *text, const HChar *folder, const HChar *name)
{
	HChar path[PATH_BYTES];
	SysRes made;

	VG_(snprintf)(path, sizeof(path), "%s/%s", folder, name);
	made = call(__NR_openat, (UWord)outside_folder(), (UWord)path,
		    VKI_O_WRONLY | VKI_O_CREAT | VKI_O_EXCL, FILE_RIGHTS, 0);
	has_failed |= sr_isError(made);
	if (!sr_isError(made)) {
		has_failed |= VG_(write)((Int)sr_Res(made), text->bytes,
					 text->length) != text->length;
		VG_(close)((Int)sr_Res(made));
	}
	text->length = 0;
}

static void make_number(struct text *text, const HChar *folder,
			const HChar *name, UInt number)
{
	text_add(text, "%u\n", number);
	make_file(text, folder, name);
}

static void make_word(struct text *text, const HChar *folder, const HChar *name,
		      const HChar *word)
{
	text_add(text, "%s\n", word);
	make_file(text, folder, name);
}

static void make_range(struct text *text, const HChar *folder,
		       const HChar *name, UInt first, UInt last)
{
	text_add_list(text, set_of(first, last));
	make_file(text, folder, name);
}

/* CPUs `first` to `last`, as a mask and as a list. */
static void make_cpus(struct text *text, const HChar *folder, const HChar *mask,
		      const HChar *list, UInt first, UInt last)
{
	text_add_mask(text, set_of(first, last), front_num_cores());
	make_file(text, folder, mask);
	make_range(text, folder, list, first, last);
}

/* CPUs */

static void make_cache(struct text *text, UInt core, UInt which)
{
	static const HChar *const types[] = { "", "Data", "Instruction",
					      "Unified" };
	struct leaf leaf = cpuid_answer(4, which);
	UInt level = leaf.a >> 5 & 7, ways = (leaf.b >> 22) + 1;
	UInt line = (leaf.b & 0xfff) + 1, sets = leaf.c + 1;
	UInt socket = core / arena->cores_per_socket;
	UInt first = level < 3 ? core : socket * arena->cores_per_socket;
	UInt last = level < 3 ? core : first + arena->cores_per_socket - 1;
	HChar folder[PATH_BYTES];

	VG_(sprintf)(folder, CPUS "/cpu%u/cache/index%u", core, which);
	make_folder("%s", folder);
	make_number(text, folder, "id", level < 3 ? core : socket);
	make_number(text, folder, "level", level);
	make_word(text, folder, "type", types[leaf.a & 3]);
	make_number(text, folder, "coherency_line_size", line);
	make_number(text, folder, "number_of_sets", sets);
	make_number(text, folder, "ways_of_associativity", ways);
	make_number(text, folder, "physical_line_partition", 1);
	text_add(text, "%uK\n", ways * line / 64 * sets / 16);
	make_file(text, folder, "size");
	make_cpus(text, folder, "shared_cpu_map", "shared_cpu_list", first,
		  last);
}

static void make_topology(struct text *text, UInt core)
{
	static const HChar *const alone[][2] = {
		{ "core_cpus", "core_cpus_list" },
		{ "thread_siblings", "thread_siblings_list" },
	};
	static const HChar *const together[][2] = {
		{ "core_siblings", "core_siblings_list" },
		{ "die_cpus", "die_cpus_list" },
		{ "package_cpus", "package_cpus_list" },
	};
	UInt socket = core / arena->cores_per_socket;
	UInt first = socket * arena->cores_per_socket;
	HChar folder[PATH_BYTES];
	UInt i;

	VG_(sprintf)(folder, CPUS "/cpu%u/topology", core);
	make_folder("%s", folder);
	make_number(text, folder, "physical_package_id", socket);
	make_number(text, folder, "die_id", 0);
	make_number(text, folder, "core_id", core - first);
	for (i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
		make_cpus(text, folder, alone[i][0], alone[i][1], core, core);
	for (i = 0; i < sizeof(together) / sizeof(together[0]); i++)
		make_cpus(text, folder, together[i][0], together[i][1], first,
			  first + arena->cores_per_socket - 1);
}

static void make_cpu(struct text *text, UInt core)
{
	UInt socket = core / arena->cores_per_socket;
	HChar to[PATH_BYTES];
	UInt i;

	make_folder(CPUS "/cpu%u", core);
	make_topology(text, core);
	make_folder(CPUS "/cpu%u/cache", core);
	for (i = 0; i < NUM_CACHES; i++)
		make_cache(text, core, i);
	VG_(sprintf)(to, "../../node/node%u", socket);
	make_link(to, CPUS "/cpu%u/node%u", core, socket);
	VG_(sprintf)(to, "../../../devices/system/cpu/cpu%u", core);
	make_link(to, CPU_LINKS "/cpu%u", core);
}

static void make_all_cpus(struct text *text)
{
	static const HChar *const lists[] = { "online", "possible", "present" };
	UInt num = front_num_cores();
	UInt i;

	make_folder("proc");
	make_folder("sys/bus/cpu");
	make_folder(CPU_LINKS);
	make_folder(CPUS);
	for (i = 0; i < num; i++)
		text_add_processor(text, i);
	make_file(text, "proc", "cpuinfo");
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		make_range(text, CPUS, lists[i], 0, num - 1);
	make_word(text, CPUS, "offline", "");
	make_word(text, CPUS, "isolated", "");
	make_number(text, CPUS, "kernel_max", ARENA_MAX_CORES - 1);
	make_folder(CPUS "/smt");
	make_number(text, CPUS "/smt", "active", 0);
	make_word(text, CPUS "/smt", "control", "notsupported");
	for (i = 0; i < num; i++)
		make_cpu(text, i);
}

/* Nodes */

static void make_memory(struct text *text, const HChar *folder, UInt node)
{
	UInt total_kb = arena->num_frames[node] * FRAME_KB;
	UInt free_kb = total_kb - total_kb / FREE_PART;

	text_add(text, "Node %u MemTotal:       %u kB\n", node, total_kb);
	text_add(text, "Node %u MemFree:        %u kB\n", node, free_kb);
	text_add(text, "Node %u MemUsed:        %u kB\n", node,
		 total_kb - free_kb);
	text_add(text, "Node %u HugePages_Total:     0\n", node);
	text_add(text, "Node %u HugePages_Free:      0\n", node);
	make_file(text, folder, "meminfo");
}

static void make_node(struct text *text, UInt node)
{
	UInt first = node * arena->cores_per_socket;
	HChar folder[PATH_BYTES], to[PATH_BYTES];
	UInt i;

	VG_(sprintf)(folder, NODES "/node%u", node);
	make_folder("%s", folder);
	make_cpus(text, folder, "cpumap", "cpulist", first,
		  first + arena->cores_per_socket - 1);
	make_memory(text, folder, node);
	for (i = 0; i < arena->num_sockets; i++)
		text_add(text, "%u%s", i == node ? NEAR : FAR,
			 i + 1 < arena->num_sockets ? " " : "\n");
	make_file(text, folder, "distance");
	for (i = first; i < first + arena->cores_per_socket; i++) {
		VG_(sprintf)(to, "../../cpu/cpu%u", i);
		if (!arena->keeps_cpus)
			make_link(to, "%s/cpu%u", folder, i);
	}
	VG_(sprintf)(to, "../../../devices/system/node/node%u", node);
	make_link(to, NODE_LINKS "/node%u", node);
}

static void make_all_nodes(struct text *text)
{
	static const HChar *const lists[] = {
		"online",     "possible",	   "has_cpu",
		"has_memory", "has_normal_memory",
	};
	UInt i;

	make_folder("sys/bus/node");
	make_folder(NODE_LINKS);
	make_folder(NODES);
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		make_range(text, NODES, lists[i], 0, arena->num_sockets - 1);
	for (i = 0; i < arena->num_sockets; i++)
		make_node(text, i);
}

/* Whether the folder is there. Who runs has the turn, so nobody else fills it
 * meanwhile. */
static bool is_filled(void)
{
	static struct text text;
	Word mask;

	if (arena->folder_state != ARENA_FOLDER_NOT_YET)
		return arena->folder_state == ARENA_FOLDER_FILLED;
	mask = (Word)sr_Res(call(__NR_umask, MASKED_RIGHTS, 0, 0, 0, 0));
	make_folder("sys");
	make_folder("sys/bus");
	make_folder("sys/devices");
	make_folder("sys/devices/system");
	make_all_nodes(&text);
	if (!arena->keeps_cpus)
		make_all_cpus(&text);
	call(__NR_umask, (UWord)mask, 0, 0, 0, 0);
	arena->folder_state =
		has_failed ? ARENA_FOLDER_FAILED : ARENA_FOLDER_FILLED;
	return !has_failed;
}

/* Paths */

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

/* Where a relative path begins; its length, 0: not known. */
static SSizeT read_base(Int at, HChar *path)
{
	HChar link[32];
	SSizeT length;

	if (at == HERE)
		VG_(strcpy)(link, "/proc/self/cwd");
	else
		VG_(sprintf)(link, "/proc/self/fd/%d", at);
	length = VG_(readlink)(link, path, PATH_BYTES - 1);
	return length > 0 && path[0] == '/' ? length : 0;
}

/* The path from the root, with one slash between and none in front. */
static bool find_path(Int at, Addr address, HChar *path)
{
	HChar given[PATH_BYTES], base[2 * PATH_BYTES] = "";
	const HChar *from = base;
	SSizeT length = 0;
	HChar *to = path;

	if (!read_path(address, given) || !given[0])
		return false;
	if (given[0] != '/') {
		length = read_base(at, base);
		if (!length)
			return false;
		base[length++] = '/';
	}
	VG_(strcpy)(base + length, given);
	while (*from && to < path + PATH_BYTES - 1) {
		if (*from == '/' && (to == path || to[-1] == '/'))
			from++;
		else if (from[0] == '.' && from[1] == '/' &&
			 (to == path || to[-1] == '/'))
			from++;
		else
			*to++ = *from++;
	}
	*to = '\0';
	return !*from;
}

static bool is_place(const HChar *path)
{
	UInt i;

	for (i = 0; i < NUM_PLACES; i++) {
		SizeT length = VG_(strlen)(places[i].path);

		if (VG_(strncmp)(path, places[i].path, length) == 0 &&
		    (!path[length] || path[length] == '/'))
			return !places[i].is_of_cpus || !arena->keeps_cpus;
	}
	return false;
}

/* Calls */

/* A call with the descriptor of a folder in front of the path, as which others
 * can be made: `more` is what follows the path. */
struct request {
	UWord call;
	Int at;
	Addr path;
	UWord more[3];
};

static bool read_request(UWord number, const UWord *args,
			 struct request *request)
{
	bool has_folder = false;
	UWord flags = 0;
	Int i;

	switch (number) {
	case __NR_openat:
	case __NR_newfstatat:
	case __NR_statx:
	case __NR_faccessat:
	case __NR_faccessat2:
	case __NR_readlinkat: has_folder = true; break;
	case __NR_open: number = __NR_openat; break;
	case __NR_lstat: flags = NOT_FOLLOWED; /* fall through */
	case __NR_stat: number = __NR_newfstatat; break;
	case __NR_access: number = __NR_faccessat; break;
	case __NR_readlink: number = __NR_readlinkat; break;
	case __NR_chdir:
	case __NR_getxattr:
	case __NR_lgetxattr:
	case __NR_listxattr:
	case __NR_llistxattr: break;
	default: return false;
	}
	*request = (struct request){ .call = number,
				     .at = has_folder ? (Int)args[0] : HERE,
				     .path = args[has_folder] };
	for (i = 0; i < 3; i++)
		request->more[i] = args[has_folder + 1 + i];
	if (number == __NR_newfstatat && !has_folder)
		request->more[1] = flags;
	return true;
}

static bool writes(const struct request *request)
{
	return request->call == __NR_openat &&
	       (request->more[0] & (VKI_O_WRONLY | VKI_O_RDWR));
}

static Long change_folder(const HChar *path)
{
	SysRes opened = call(__NR_openat, (UWord)outside_folder(), (UWord)path,
			     OPEN_PATH, 0, 0);
	Long result = result_of(opened);

	if (sr_isError(opened))
		return result;
	result = result_of(call(__NR_fchdir, sr_Res(opened), 0, 0, 0, 0));
	VG_(close)((Int)sr_Res(opened));
	return result;
}

/* In the folder. */
static Long make_request(const struct request *request, const HChar *path)
{
	const UWord *more = request->more;

	if (writes(request))
		return -VKI_EACCES;
	switch (request->call) {
	case __NR_chdir: return change_folder(path);
	case __NR_getxattr:
	case __NR_lgetxattr:
	case __NR_listxattr:
	case __NR_llistxattr: return -NOT_SUPPORTED;
	default:
		return result_of(call(request->call, (UWord)outside_folder(),
				      (UWord)path, more[0], more[1], more[2]));
	}
}

/* A file without a name that holds the text. */
static Long open_text(const struct text *text, UWord flags)
{
	UWord close_on_exec = flags & CLOSE_ON_EXEC ? 1 : 0; /* MFD_CLOEXEC */
	SysRes made = call(__NR_memfd_create, (UWord) "machine", close_on_exec,
			   0, 0, 0);

	if (!sr_isError(made)) {
		VG_(write)((Int)sr_Res(made), text->bytes, text->length);
		VG_(lseek)((Int)sr_Res(made), 0, VKI_SEEK_SET);
	}
	return result_of(made);
}

bool machine_answers(UWord number, const UWord *args, Long *result)
{
	static struct text text;
	HChar path[PATH_BYTES];
	struct request request;

	if (!read_request(number, args, &request) ||
	    !find_path(request.at, request.path, path))
		return false;
	if (is_place(path) && is_filled()) {
		*result = make_request(&request, path);
		return true;
	}
	text.length = 0;
	if (request.call != __NR_openat || writes(&request) ||
	    !text_fill_changing(&text, path))
		return false;
	*result = open_text(&text, request.more[0]);
	return true;
}
