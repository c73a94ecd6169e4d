/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A model of the processor: cores, caches, rings, QPI, memory, and a PMU with
 * the registers of the real one. Time is in uncore clock cycles.
 *
 * Functions return 0 or a negative UNCORE_ERR_* (error.h, which also says what
 * `error` is) unless said otherwise. A NULL model is a caller's bug.
 */
#ifndef UNCORE_MODEL_H
#define UNCORE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct uncore_model;
struct uncore_model_config;

/* One parameter of the modelled machine. Strings live as long as the config. */
struct uncore_model_param {
	const char *name;    /* llc.ways */
	const char *value;   /* present value, as text */
	const char *initial; /* the machine's default */
	const char *unit;    /* "ways", "MHz", "cycles", ... */
	const char *source;  /* where the default comes from */
	const char *brief;   /* one sentence */
};

/* A core received a PMI. */
struct uncore_model_pmi {
	unsigned socket;
	unsigned core;
	uint64_t cycle;
};

/* One memory access of the traffic, after the private caches of the core. */
enum uncore_access_kind {
	UNCORE_ACCESS_READ, /* load miss */
	UNCORE_ACCESS_CODE, /* instruction fetch miss */
	UNCORE_ACCESS_OWN,  /* store miss, or first store to a clean line */
	UNCORE_ACCESS_WRITEBACK, /* a dirty line leaves the private caches, or
				  * a clean one (is_clean) */
	/* only time passes: `gap` instructions, and `target` core cycles in
	 * which the core waits for its private caches (with `depends`, once the
	 * loads before have their data) */
	UNCORE_ACCESS_NONE,
	/* The following do not pass private caches; `target` says whose they
	 * are. The core waits for the end of each, but for WC_WRITE, NT_WRITE
	 * and NT_PART. */
	UNCORE_ACCESS_UC_READ,	/* uncached read of memory-mapped I/O */
	UNCORE_ACCESS_UC_WRITE, /* uncached write of a part of a line */
	UNCORE_ACCESS_WC_WRITE, /* a full write-combining buffer */
	UNCORE_ACCESS_IO_READ,	/* IN, from an I/O port */
	UNCORE_ACCESS_IO_WRITE, /* OUT */
	UNCORE_ACCESS_CFG_READ, /* configuration space */
	UNCORE_ACCESS_CFG_WRITE,
	UNCORE_ACCESS_LOCK,	 /* bus lock around a store to `line` */
	UNCORE_ACCESS_INTERRUPT, /* to the CPU `target` */
	UNCORE_ACCESS_SPECIAL,	 /* special cycle, target: UNCORE_SPECIAL_* */
	UNCORE_ACCESS_FLUSH,	 /* CLFLUSH: out of all caches */
	UNCORE_ACCESS_NT_WRITE,	 /* non-temporal store of a line of memory */
	/* C6: until an interrupt comes or, on a Xeon E5-2600, `line` is written
	 * to */
	UNCORE_ACCESS_SLEEP,
	UNCORE_ACCESS_NT_PART, /* as NT_WRITE, of some bytes of the line */
	UNCORE_NUM_ACCESS_KINDS
};

/* Targets of uncached, port and configuration accesses: an I/O hub, or the
 * configuration agent (U-Box) of a socket. */
#define UNCORE_IO_HUB(hub)	 ((uint16_t)(hub))
#define UNCORE_IO_SOCKET(socket) ((uint16_t)(0x100 + (socket)))

/* Targets of interrupts of devices besides CPUs: a door bell of a socket's
 * U-Box (UNCORE_IO_SOCKET()); a CPU by a legacy wire of the chip set, on a Xeon
 * E5-2600 (else a door bell). */
#define UNCORE_IO_WIRE(cpu) ((uint16_t)(0x200 + (cpu)))

/* Where the devices are that ask or are asked: the port of an I/O stack of the
 * socket, a part of its lanes. Added to the target of a core's access to
 * devices, or the target of a device's access to memory; without it they are
 * where the kind has them by default, and so they are on all kinds but the Xeon
 * Scalable. UNCORE_IO_PEER() besides, of a device's READ or OWN: it asks the
 * device at that port and not memory. */
enum { UNCORE_IO_PARTS = 4, UNCORE_IO_PORT_SHIFT = 10 };
#define UNCORE_IO_PEER(stack, part)                                            \
	((uint16_t)((stack)*UNCORE_IO_PARTS + (part) + 1))
#define UNCORE_IO_PORT(stack, part)                                            \
	((uint16_t)(UNCORE_IO_PEER(stack, part) << UNCORE_IO_PORT_SHIFT))

/* An access that hardware prefetchers had to do with: one that nobody waits
 * for; the first use of a line that was asked for so, which takes no time of
 * its own but waits, as its `kind` would, where the line is still under way. */
enum { UNCORE_PREFETCH = 1, UNCORE_PREFETCH_USED = 2 };

/* Special cycles. */
enum { UNCORE_SPECIAL_SHUTDOWN, UNCORE_SPECIAL_INVD, UNCORE_SPECIAL_WBINVD };

/* Parts of a cycle in uncore_access.cycles. */
enum { UNCORE_CYCLES_SHIFT = 8 };

struct uncore_access {
	uint64_t line; /* physical address / 64 */
	uint32_t gap;  /* instructions since the previous access of this core */
	/* What these take by themselves, in core cycles <<
	 * UNCORE_CYCLES_SHIFT; 0: core.cpi each. */
	uint32_t cycles;
	uint8_t kind; /* enum uncore_access_kind */
	/* 1: cannot start before all loads before it are done; n + 1: before
	 * the n-th access before it of this core is, if that is a load. */
	uint8_t depends;
	uint16_t target; /* of kinds that have one, and see after_reads */
	/* Who wrote to the line last: that core plus 1 (0: none). The access
	 * starts only when that core has started `after` accesses (modulo 2^32)
	 * and none of them that is of this line is under way. */
	uint8_t after_core;
	uint8_t prefetch;  /* 0, UNCORE_PREFETCH or UNCORE_PREFETCH_USED */
	uint8_t waits : 1; /* an OWN that the core waits for as for a load */
	/* A READ or CODE that uncore_traffic.reads() is told of. */
	uint8_t is_read : 1;
	/* One that writes: it starts only when `target` of these (modulo 2^16)
	 * have started, and no access of the line is under way. */
	uint8_t after_reads : 1;
	uint8_t has_writer : 1; /* of a READ or CODE: `writer` is known */
	/* Of an OWN and of the first use of a prefetched line: the L1D has the
	 * line. Of a prefetch: it is for the L1D. */
	uint8_t is_near : 1;
	uint8_t is_walk : 1; /* a READ of the page walker: no instruction's */
	/* Of a WRITEBACK: the line was not changed. Others may have it, too,
	 * and may have taken it meanwhile: then there is nothing to give back.
	 * Only for machines that are told (core.tells_clean). */
	uint8_t is_clean : 1;
	/* Of a prefetch (READ, CODE, or OWN for the right to write): the
	 * last-level cache alone gets the line. Only for machines that have
	 * core.llc_prefetch. */
	uint8_t to_llc : 1;
	uint8_t writer; /* core that was the last to write to the line: for
			 * --check */
	uint32_t after;
};

/* What the private caches of a core count: for events of the core. */
enum uncore_core_count {
	/* Instructions that load; page walks are none. Where the line was. */
	UNCORE_CORE_LOADS_L1D,
	UNCORE_CORE_LOADS_L2,
	UNCORE_CORE_LOADS_OUTSIDE,
	UNCORE_CORE_STORES,
	UNCORE_CORE_DTLB_MISSES, /* loads whose page the first DTLB lacked */
	/* Look-ups in the L2: data (walks and prefetches of the L1D, too), for
	 * stores, for the L1I, by its own prefetchers. */
	UNCORE_CORE_L2_LOAD_HITS,
	UNCORE_CORE_L2_LOAD_MISSES,
	UNCORE_CORE_L2_RFO_HITS,
	UNCORE_CORE_L2_RFO_MISSES,
	UNCORE_CORE_L2_CODE_HITS,
	UNCORE_CORE_L2_CODE_MISSES,
	UNCORE_CORE_L2_PREFETCH_HITS,
	UNCORE_CORE_L2_PREFETCH_MISSES,
	/* Changed lines of the L1D that came from the L2, made room for others,
	 * were taken from it or had to be shown. */
	UNCORE_CORE_L1D_DIRTY_FILLS,
	UNCORE_CORE_L1D_DIRTY_VICTIMS,
	UNCORE_CORE_L1D_DIRTY_SNOOPS,
	/* Lines that made room in the L2, for what the core needs or for what
	 * the L2's prefetchers want. */
	UNCORE_CORE_L2_OUT_CLEAN,
	UNCORE_CORE_L2_OUT_DIRTY,
	UNCORE_CORE_L2_OUT_PREFETCH_CLEAN,
	UNCORE_CORE_L2_OUT_PREFETCH_DIRTY,
	/* Look-ups in the L1I: each gets 16 bytes of code, aligned. */
	UNCORE_CORE_L1I_READS,
	/* Lines that came into the L1D, and of these such as came into the set
	 * of two of the four before: nearly all where lines lie so far apart
	 * that they share a few sets; none where they come one after another;
	 * half where four arrays do so whose lines share a set. */
	UNCORE_CORE_L1D_FILLS,
	UNCORE_CORE_L1D_CROWDED_FILLS,
	UNCORE_NUM_CORE_COUNTS
};

/* Where traffic comes from; filled in by the caller of
 * uncore_model_set_traffic(). */
struct uncore_traffic {
	void *context;
	/* Next access of a core: 1 and *access filled in; 0 when this core will
	 * never have one again; -1 when there is none at present (asked again
	 * after some cycles), -2 when there is none until
	 * uncore_model_wake(). `core` counts over all sockets: socket *
	 * cores_per_socket + core. Called from a thread that runs the
	 * model. */
	int (*next)(void *context, unsigned core, struct uncore_access *access);
	/* The modelled machine took a line away from a core's private caches
	 * (inclusive LLC victim, or another core wants to own it). `dirty` is
	 * to be set by the callee if the line was modified there. May be
	 * NULL. `downgrade`: the core may keep a clean copy. Returns whether
	 * the line was dirty. */
	bool (*invalidate)(void *context, unsigned core, uint64_t line,
			   bool downgrade);
	/* The same for an I/O hub (its number; hub n is at socket n): READ is a
	 * read of memory by a device (DMA), OWN a write of a whole line,
	 * NT_WRITE two of the same line, between which the hub keeps it;
	 * UC_READ, WC_WRITE and UC_WRITE (of some bytes) are of memory too, but
	 * without snoops; `target` of all these says who asks, and whom
	 * (UNCORE_IO_PORT(), UNCORE_IO_PEER()); INTERRUPT is an interrupt
	 * message to the CPU `target`; LOCK, on a Xeon E5-2600 alone, some
	 * bytes that a device of the old kind writes to memory while it holds
	 * the bus; `gap` counts
	 * uncore cycles. No other kinds. May be NULL: hubs are silent. */
	int (*next_io)(void *context, unsigned hub,
		       struct uncore_access *access);
	/* The source itself takes a line from the other cores when one asks
	 * for it: `invalidate` is only called for lines that the LLC gives up.
	 */
	bool decides_owners;
	/* An access with is_read starts (`begun` is 1); returns how many of its
	 * line have, modulo 2^16. NULL where there are none such. */
	uint16_t (*reads)(void *context, uint64_t line, unsigned begun);
	/* What the private caches of a core have counted so far, a number for
	 * each enum uncore_core_count; bit n of `tells` says that number n is
	 * counted at all. Valid until the model runs on; called while it does
	 * not run. NULL: nothing is known, and the core's events that need it
	 * say so. */
	const uint64_t *(*counts)(void *context, unsigned core);
	uint32_t tells;
};

/* Machine number index: its name, its family's, what it is; false past the last
 * one. One is called as its family is, which is what runs by default. */
bool uncore_model_machine_at(size_t index, const char **name,
			     const char **family, const char **title);

/* The settings of a machine (`xeon-e7`), all at their defaults; NULL and
 * *error (to be freed) when there is no such machine. */
struct uncore_model_config *uncore_model_config_new(const char *machine,
						    char **error);
void uncore_model_config_free(struct uncore_model_config *config);

/* Sets one parameter from "name=value"; the value may carry the parameter's
 * unit. On error *error (to be freed) says what exists or what fits. */
int uncore_model_config_set(struct uncore_model_config *config,
			    const char *assignment, char **error);

/* Parameter number index, or false past the last one. */
bool uncore_model_config_param(const struct uncore_model_config *config,
			       size_t index, struct uncore_model_param *param);

/* Number of sockets (1 to 8), also the parameter "sockets". */
int uncore_model_config_sockets(struct uncore_model_config *config,
				unsigned sockets, char **error);

/* Strict: a write with a reserved bit set raises #GP. */
void uncore_model_config_strict(struct uncore_model_config *config,
				bool strict);

/* The model looks now and then, and whenever it comes to rest, for what can
 * never be: two owners of a line, a credit lost, a counter that disagrees with
 * its signals, an old value read. It makes runs some ten to twenty per cent
 * longer. Builds of type debug always do. */
void uncore_model_config_check(struct uncore_model_config *config, bool check);

/* Faults to be injected, as "NAME:key=value,..." (rate=, at=, count=, socket=,
 * box=); uncore_model_fault() lists the names. May be called several times. On
 * error *error (to be freed) says what exists. */
int uncore_model_config_inject(struct uncore_model_config *config,
			       const char *spec, char **error);

/* Fault number index: name and one line of help; false past the last one. */
bool uncore_model_fault(size_t index, const char **name, const char **help);

/* Receives complaints of the PMU (software broke a rule; not modelled). */
void uncore_model_config_log(struct uncore_model_config *config,
			     void (*log)(void *context, const char *text),
			     void *context);

/* A machine after hardware reset; the config may be freed afterwards. NULL and
 * *error (to be freed) where settings contradict each other or memory ends. */
struct uncore_model *uncore_model_new(const struct uncore_model_config *config,
				      char **error);
void uncore_model_free(struct uncore_model *model);

/* The machine's name, and the family (uncore_family_name()) that it is of. */
const char *uncore_model_machine(const struct uncore_model *model);
const char *uncore_model_family(const struct uncore_model *model);
/* What its processors call themselves, as cpuid has it. */
const char *uncore_model_brand(const struct uncore_model *model);
unsigned uncore_model_sockets(const struct uncore_model *model);
unsigned uncore_model_cores(const struct uncore_model *model); /* per socket */
unsigned uncore_model_l2_kb(const struct uncore_model *model); /* of a core */
double uncore_model_clock_hz(const struct uncore_model *model);

/* What is at the other end of QPI link `qpi` (0 to 3) of a socket: nothing; a
 * socket, *peer, whose link *peer_qpi it is; or the I/O hub *peer. */
enum { UNCORE_LINK_NONE, UNCORE_LINK_SOCKET, UNCORE_LINK_HUB };
int uncore_model_link(const struct uncore_model *model, unsigned socket,
		      unsigned qpi, unsigned *peer, unsigned *peer_qpi);

/* RDMSR and WRMSR on a socket: 0, UNCORE_ERR_GP where the processor would
 * raise #GP, UNCORE_ERR_SOCKET for a socket that is not there. */
int uncore_model_read(struct uncore_model *model, unsigned socket,
		      uint64_t address, uint64_t *value);
int uncore_model_write(struct uncore_model *model, unsigned socket,
		       uint64_t address, uint64_t value);

/* The bus on which the PCI functions of a socket's uncore are, as the firmware
 * of the machine numbers it: 0x7F and 0xFF of two sockets; where they are on
 * several, the last of these. */
unsigned uncore_model_pci_bus(const struct uncore_model *model,
			      unsigned socket);

/* On how many buses a socket has them, whose numbers follow each other: a
 * function's number divided by 256 is its bus among these. */
unsigned uncore_model_pci_buses(const struct uncore_model *model);

/* The first bus of a socket, on which its I/O is: 0 and 0x80 of two. */
unsigned uncore_model_pci_first_bus(const struct uncore_model *model,
				    unsigned socket);

/* One access to the configuration space of a function (device * 8 + function)
 * of a socket: 1, 2 or 4 bytes within four that are aligned. As on a bus
 * nothing fails: what is not there reads as all ones, and ignores what is
 * written. */
uint32_t uncore_model_pci_read(struct uncore_model *model, unsigned socket,
			       unsigned function, unsigned offset,
			       unsigned bytes);
void uncore_model_pci_write(struct uncore_model *model, unsigned socket,
			    unsigned function, unsigned offset, unsigned bytes,
			    uint32_t value);

/* What a processor cannot: more PMUs than one in each socket (`num` in all, and
 * they stay), which listen to the same signals. Each has all registers of the
 * uncore, and counts, freezes and interrupts by its own. Their number is the
 * `pmu` of an access, 0 the processor's. UNCORE_ERR_NO_MEMORY. */
int uncore_model_pmus(struct uncore_model *model, unsigned num);
int uncore_model_pmu_read(struct uncore_model *model, unsigned pmu,
			  unsigned socket, uint64_t address, uint64_t *value);
int uncore_model_pmu_write(struct uncore_model *model, unsigned pmu,
			   unsigned socket, uint64_t address, uint64_t value);

/* Who asked for what made a counter run over last: the number of a core (over
 * all sockets) plus 1, shifted left by 48, and which of the accesses that the
 * traffic has given to that core it was (1 and on); 0: nobody, as for a clock
 * or a refresh. What an access causes is the same one's: victims, snoops, their
 * answers, what memory does. */
uint64_t uncore_model_requester(struct uncore_model *model, unsigned pmu,
				unsigned socket, uint64_t address);

/* Where the answer to a request came from, as MSR_OFFCORE_RSP_0 tells it. */
enum uncore_answer_from {
	UNCORE_ANSWER_UNKNOWN,
	UNCORE_ANSWER_LLC,	       /* of the socket, which asked nobody */
	UNCORE_ANSWER_CORE,	       /* another core of the socket, where the
					* line was not changed; */
	UNCORE_ANSWER_CORE_MODIFIED,   /* where it was */
	UNCORE_ANSWER_REMOTE_MODIFIED, /* a cache of another socket; */
	UNCORE_ANSWER_REMOTE,	       /* where it was not changed */
	UNCORE_ANSWER_REMOTE_MEMORY,
	UNCORE_ANSWER_LOCAL_MEMORY,
	UNCORE_ANSWER_IO, /* no memory */
};
struct uncore_answer {
	enum uncore_answer_from from;
	uint32_t cycles; /* of the uncore, from the core's request until it has
			  * the answer; 0: not measured, since time stood */
};

/* From now on answers are remembered, for those who ask soon. Somebody is going
 * to ask for that of a requester (above); and asks, when it has come: false if
 * it has not, or nobody answers such a request, as a write-back.
 * UNCORE_ERR_NO_MEMORY. */
int uncore_model_keep_answers(struct uncore_model *model);
void uncore_model_await_answer(struct uncore_model *model, uint64_t requester);
bool uncore_model_answer(struct uncore_model *model, uint64_t requester,
			 struct uncore_answer *answer);

/* Registers as a logical CPU sees them: CPU n is core n % cores of socket n /
 * cores, and has registers of its own besides its socket's uncore.
 * UNCORE_ERR_SOCKET for a CPU that is not there. */
int uncore_model_cpu_read(struct uncore_model *model, unsigned cpu,
			  uint64_t address, uint64_t *value);
int uncore_model_cpu_write(struct uncore_model *model, unsigned cpu,
			   uint64_t address, uint64_t value);

/* The hardware prefetchers of a CPU that are on now (core.prefetch, MSR 0x1A4),
 * a sum: L2 streamer 1, L2 adjacent line 2, L1 next line 4, L1 stride 8. Who
 * holds the private caches does what they do. May be asked in
 * uncore_traffic.next for the CPU that it is called for. */
unsigned uncore_model_prefetchers(const struct uncore_model *model,
				  unsigned cpu);

/* Whether any counter of any box is enabled, so that traffic would count. */
bool uncore_model_is_counting(const struct uncore_model *model);

/* Built-in traffic "NAME:key=value,..."; *error (to be freed) says what is
 * wrong. Replaces what was set before. */
int uncore_model_set_workload(struct uncore_model *model, const char *spec,
			      char **error);

/* Built-in workload number index: name and one line of help; false past it. */
bool uncore_model_workload(size_t index, const char **name, const char **help);

/* Traffic from outside; the struct is copied. Replaces what was set before. */
void uncore_model_set_traffic(struct uncore_model *model,
			      const struct uncore_traffic *traffic);

/* Where the settings detail.* send accesses the quick way (docs/sampled.md):
 * fn (NULL: nobody) is told when a window begins, and when it has ended, with
 * UNCORE_MODEL_CLASSES numbers so far: all accesses, the uncore cycles that
 * cores computed between them, and accesses by class. Time stands between the
 * end of a window and the beginning of the next: counters whose overflow
 * interrupts do so at once there, of facts of state. But it goes on in a rest,
 * within a window or between two: from its beginning to its end all cores wait
 * for time. */
enum { UNCORE_MODEL_CLASSES = 28 };
enum uncore_model_seam {
	UNCORE_MODEL_WINDOW_ENDS,
	UNCORE_MODEL_WINDOW_BEGINS,
	UNCORE_MODEL_REST_BEGINS,
	UNCORE_MODEL_REST_ENDS,
};
void uncore_model_on_window(struct uncore_model *model,
			    void (*fn)(void *context,
				       enum uncore_model_seam seam,
				       const uint64_t *classes),
			    void *context);

/* The same numbers now (NULL: they are not wanted); false where all accesses go
 * through the engine. */
bool uncore_model_classes(const struct uncore_model *model, uint64_t *classes);

/* Why accesses that could have gone the quick way went through the engine all
 * the same, as half a sentence (a constant: "cores fight for lines"), and how
 * many; NULL: there were none. */
const char *uncore_model_needs_detail(const struct uncore_model *model,
				      uint64_t *accesses);

/* Accesses that went the quick way, up to the latest window. */
uint64_t uncore_model_quick(const struct uncore_model *model);

/* Cycles of the uncore clock that quick stretches took so far, beside those of
 * uncore_model_cycle(): about as long as they would have been. */
uint64_t uncore_model_skipped(const struct uncore_model *model);

/* From now on software may read the counters at any moment: those of facts of
 * state and of clocks are right also in quick stretches, and those of events of
 * time grow there by as many as what went through the engine of late says
 * (docs/sampled.md). When counters begin to count, the accesses that follow go
 * through the engine. Nothing where all do; UNCORE_ERR_NO_MEMORY. */
int uncore_model_read_live(struct uncore_model *model);

/* The events of time, "cbox/EVENT.UNIT_MASK", whose counters have grown so;
 * NULL past the last one. */
const char *uncore_model_grown(const struct uncore_model *model, size_t index);

/* From now on all accesses go through the engine, for that reason (half a
 * sentence that outlives the model); NULL: no longer. */
void uncore_model_keep_detail(struct uncore_model *model, const char *reason);

/* The cycle now; all cycles before it are past. */
uint64_t uncore_model_cycle(const struct uncore_model *model);

/* What all cores have executed of programs, workloads and recordings. */
uint64_t uncore_model_instructions(const struct uncore_model *model);

/* What a core did since the start, in windows and stretches. */
struct uncore_model_work {
	/* Uncore cycles in which it was not halted, and of these such as its
	 * instructions took by themselves, with what hit private caches: in the
	 * others it waited for lines. */
	uint64_t busy, computing;
	/* Lines that it asked for, by where the answer came from: the LLC of
	 * its socket (or a core of it that had not changed the line), a core of
	 * it that had, a cache of another socket, the memory of its socket,
	 * that of another. Write-backs are none. */
	uint64_t llc, changed, remote_cache, local_memory, remote_memory;
};

/* `core` counts over all sockets; false past the last one. */
bool uncore_model_work(const struct uncore_model *model, unsigned core,
		       struct uncore_model_work *work);

/* Advances by that many cycles. */
void uncore_model_run(struct uncore_model *model, uint64_t cycles);

/* To be called in uncore_traffic.next, of traffic that is not parallel: the
 * present uncore_model_run(), _run_dry() or _finish() returns in the next
 * cycle, or a few later where another socket is ahead, with all sockets in the
 * same cycle. The next call goes on from there. */
void uncore_model_pause(struct uncore_model *model);

/* For traffic that comes in portions: `next` has answered -1 for this core, and
 * now has an access again; the core asks in the present cycle. */
void uncore_model_wake(struct uncore_model *model, unsigned core);

/* Advances until `next` has answered -1 or 0 to every core, that is until a
 * portion is used up (what it started may still be under way), or until
 * max_cycles have passed (0: no bound). True when it is used up. */
bool uncore_model_run_dry(struct uncore_model *model, uint64_t max_cycles);

/* Advances until every transaction that was started is complete, though the
 * traffic may go on later. The traffic must be dry. */
void uncore_model_settle(struct uncore_model *model);

/* Advances until the traffic has ended and every transaction is complete, or
 * until max_cycles have passed (0: no bound), or until *stop is set (NULL:
 * never; may be set from a signal handler). True when the traffic has ended. */
bool uncore_model_finish(struct uncore_model *model, uint64_t max_cycles,
			 const volatile int *stop);

/* Whether the model has a mechanism for an event of a box (and one of its unit
 * masks, NULL where it has none), named as in the family's tables; port: of an
 * R-Box, else 0. False also for names that do not exist. */
bool uncore_model_is_modelled(const struct uncore_model *model, const char *box,
			      const char *event, const char *unit_mask,
			      unsigned port);

/* Whether the machine has the box that a register of a socket belongs to: parts
 * have fewer than the largest of their family, whose registers there are. */
bool uncore_model_has_box(const struct uncore_model *model, unsigned socket,
			  uint64_t address);

/* An interrupt handler: called for every PMI in the cycle in which a core gets
 * it, while the model runs, on the thread that runs the socket. It may access
 * the registers of the PMI's socket, and of no other, with uncore_model_read()
 * and uncore_model_write(), in that very cycle: no event passes meanwhile. It
 * may not run the model. PMIs that were handled cannot be taken any more. NULL
 * handler: PMIs are kept again. */
void uncore_model_on_pmi(struct uncore_model *model,
			 void (*handler)(void *context,
					 const struct uncore_model_pmi *pmi),
			 void *context);

/* A signal that has a value for a while: entries in a queue, a condition. */
struct uncore_model_level {
	const char *box; /* cbox */
	unsigned instance;
	const char *name; /* as the family's data call it: occupancy_maf */
	unsigned index, num_indices; /* of a signal that is an array */
	unsigned port, num_ports;    /* of a R-Box, else 1 */
	int64_t value;
};

/* Calls `visit` for all that are not 0 in a socket at present. May be called in
 * the handler of a PMI of that socket. */
void uncore_model_levels(const struct uncore_model *model, unsigned socket,
			 void (*visit)(void *context,
				       const struct uncore_model_level *level),
			 void *context);

/* The oldest PMI not yet taken; false when there is none. */
bool uncore_model_take_pmi(struct uncore_model *model,
			   struct uncore_model_pmi *pmi);

/* The socket whose memory holds a physical address / 64 (first-touch placement
 * needs the inverse: the first line of a socket's memory and its size). */
uint64_t uncore_model_memory_first_line(const struct uncore_model *model,
					unsigned socket);
uint64_t uncore_model_memory_lines(const struct uncore_model *model,
				   unsigned socket);

/* Looks now, if uncore_model_config_check() was asked for. The sentence about
 * the first violation found so far, or NULL; the log has been told. */
const char *uncore_model_check(struct uncore_model *model);

/* How often fault number index has been injected so far. */
uint64_t uncore_model_injected(const struct uncore_model *model, size_t index);

/* Work of the simulator itself since the start, for benchmarks. */
uint64_t uncore_model_num_events(const struct uncore_model *model);
uint64_t uncore_model_num_accesses(const struct uncore_model *model);

#ifdef __cplusplus
}
#endif

#endif
