/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A guest without a kernel, under plugin_harness: it owns the page tables and
 * takes no interrupts, so what it executes is known to the instruction.
 */
#include "tests/doors/plugin_harness.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	PAGE = 4096,
	LINE = 64,
	LINES = PAGE / LINE,
	PRESENT = 3, /* and writable */
	MSR_LOCAL_APIC = 0x1b,
	PORT_CONSOLE = 0xe9,
	PORT_EXIT = 0xf4,
	PORT_RESET = 0xcf9,
	VECTOR_FAULT = 13,
	TRAMPOLINE_PAGE = 8,
	COUNT = 10000,
};

/* Physical pages far from the program, two of them in each half of RAM. */
#define FRAME(i) (0x2000 + (i)*0x17)
#define WINDOW	 ((char *)0x10000000000)
#define APIC	 ((volatile uint32_t *)0xfee00000)
#define FIRMWARE ((volatile char *)0xfffff000)

struct gate {
	uint16_t low, selector, type, middle;
	uint32_t high, zero;
};

extern uint64_t tables[6][512];
extern volatile uint32_t num_started, num_faults;
extern char fault[];
void run(unsigned index);

static uint64_t window_tables[3][512] __attribute__((aligned(PAGE)));
static struct gate gates[VECTOR_FAULT + 1];
static volatile unsigned stage;
static bool failed;

static void out(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}

static void print(const char *text)
{
	while (*text)
		out(PORT_CONSOLE, (uint8_t)*text++);
}

static void print_number(uint64_t value)
{
	if (value > 9)
		print_number(value / 10);
	out(PORT_CONSOLE, (uint8_t)('0' + value % 10));
}

static void expect(const char *what, uint64_t seen, uint64_t expected)
{
	if (seen == expected) {
		print("ok ");
		print(what);
	} else {
		failed = true;
		print("FAILED ");
		print(what);
		print(": ");
		print_number(seen);
		print(" instead of ");
		print_number(expected);
	}
	print("\n");
}

static uint64_t get(uint32_t address)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(address));
	return (uint64_t)high << 32 | low;
}

static void set(uint32_t address, uint64_t value)
{
	__asm__ volatile("wrmsr" ::"c"(address), "a"((uint32_t)value),
			 "d"((uint32_t)(value >> 32))
			 : "memory");
}

static void pause(void)
{
	__asm__ volatile("pause" ::: "memory");
}

static void mark_begin(void)
{
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x01, 0x63, 0x6e, 0x75" ::
				 : "memory");
}

static void mark_end(void)
{
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80, 0x02, 0x63, 0x6e, 0x75" ::
				 : "memory");
}

static void set_up_faults(void)
{
	struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed))
	pointer = { sizeof(gates) - 1, (uintptr_t)gates };
	uint64_t handler = (uintptr_t)fault;

	gates[VECTOR_FAULT] = (struct gate){
		(uint16_t)handler,	   8, 0x8e00, (uint16_t)(handler >> 16),
		(uint32_t)(handler >> 32), 0
	};
	__asm__ volatile("lidt %0" ::"m"(pointer));
}

static void test_registers(void)
{
	uint64_t sum = 0;
	int i;

	set(HARNESS_SCRATCH, UINT64_C(0xfedcba9876543210));
	expect("a register keeps its value", get(HARNESS_SCRATCH),
	       UINT64_C(0xfedcba9876543210));
	/* In the middle of a block, and one behind the other. */
	for (i = 0; i < 10; i++) {
		set(HARNESS_SCRATCH, (uint64_t)i);
		sum += get(HARNESS_SCRATCH) + get(HARNESS_SCRATCH) * 100;
		set(HARNESS_SCRATCH, 7);
		set(HARNESS_SCRATCH, 8);
		sum += get(HARNESS_SCRATCH) * 10000;
	}
	expect("registers in a row", sum, 45 + 4500 + 800000);
	get(HARNESS_FAULT);
	expect("a read faults", num_faults, 1);
	set(HARNESS_FAULT, 1);
	expect("a write faults", num_faults, 2);
	expect("another register is QEMU's", get(MSR_LOCAL_APIC) >> 12,
	       0xfee00);
	expect("the time stamp runs", get(0x10) < __builtin_ia32_rdtsc(), 1);
	expect("no fault", num_faults, 2);
}

static void test_cpuid(void)
{
	uint32_t a = 0xa, b, c, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
	expect("the kernel sees no performance counters", a, 0);
}

static uint64_t spend(unsigned loops)
{
	uint64_t before = get(HARNESS_INSTRUCTIONS);

	__asm__ volatile("1: nop\n nop\n dec %0\n jnz 1b" : "+r"(loops));
	return get(HARNESS_INSTRUCTIONS) - before;
}

static void test_instructions(void)
{
	uint64_t few = spend(1000), many = spend(101000);

	expect("instructions are counted", many - few, 400000);
}

static void map(unsigned page, unsigned frame)
{
	window_tables[2][page] = (uint64_t)frame * PAGE | PRESENT;
}

static void forget_page(unsigned page)
{
	__asm__ volatile("invlpg %0" ::"m"(WINDOW[page * PAGE]) : "memory");
}

static void forget_all(void)
{
	uint64_t root;

	__asm__ volatile("mov %%cr3, %0\n mov %0, %%cr3"
			 : "=r"(root)::"memory");
}

static void open_window(void)
{
	unsigned i;

	tables[0][2] = (uintptr_t)window_tables[0] | PRESENT;
	window_tables[0][0] = (uintptr_t)window_tables[1] | PRESENT;
	window_tables[1][0] = (uintptr_t)window_tables[2] | PRESENT;
	for (i = 0; i < 512; i++)
		map(i, FRAME(i));
	forget_all();
}

static void store(unsigned page)
{
	int i;

	for (i = 0; i < LINES; i++)
		((volatile char *)WINDOW)[page * PAGE + i * LINE] = 1;
}

static uint64_t owns(unsigned frame)
{
	set(HARNESS_FRAME, frame);
	return get(HARNESS_OWNS);
}

static void test_pages(void)
{
	volatile uint64_t *crossing = (uint64_t *)(WINDOW + 9 * PAGE - 4);

	set(HARNESS_TAKE, 1);
	set(HARNESS_TRAFFIC, 1);
	set(HARNESS_CLEAR, 1);
	store(1);
	expect("stores to a page", owns(FRAME(1)), LINES);
	map(1, FRAME(100));
	forget_page(1);
	store(1);
	expect("after INVLPG", owns(FRAME(100)), LINES);
	expect("none in the old frame", owns(FRAME(1)), LINES);
	map(1, FRAME(101));
	forget_all();
	store(1);
	expect("after a new CR3", owns(FRAME(101)), LINES);
	expect("none in the old frame", owns(FRAME(100)), LINES);
	*crossing = 1;
	expect("one line each", owns(FRAME(8)) * 10 + owns(FRAME(9)), 11);
	set(HARNESS_CLEAR, 1);
	(void)APIC[8];
	(void)*FIRMWARE;
	expect("no line outside RAM", get(HARNESS_OUTSIDE), 0);
	expect("nothing lost", get(HARNESS_LOST), 0);
	__asm__ volatile("rep stosb"
			 :
			 : "D"(WINDOW + 20 * PAGE), "a"(0), "c"(3 * PAGE)
			 : "memory");
	expect("a string of bytes", owns(FRAME(21)), LINES);
	set(HARNESS_TRAFFIC, 0);
	set(HARNESS_CLEAR, 1);
	store(1);
	expect("no traffic", get(HARNESS_RECORDS), 0);
}

static void test_taken(void)
{
	int i;

	set(HARNESS_TAKE, 0);
	set(HARNESS_TRAFFIC, 1);
	store(30);
	set(HARNESS_CLEAR, 1);
	for (i = 0; i < 10; i++)
		store(30);
	expect("lines that one has are not asked for", owns(FRAME(30)), 0);
	set(HARNESS_TAKE, 1);
	set(HARNESS_CLEAR, 1);
	store(31);
	get(HARNESS_CPU);
	store(31);
	expect("lines that were taken are", owns(FRAME(31)), 2 * LINES);
	set(HARNESS_TAKE, 0);
	set(HARNESS_TRAFFIC, 0);
}

static void load_page(unsigned page)
{
	for (int i = 0; i < LINES; i++)
		(void)((volatile char *)WINDOW)[page * PAGE + i * LINE];
}

/* The L2 has 64 pages, and as many of them in a row in all its sets alike. */
static void test_victims(void)
{
	enum { CHANGED = 200, CLEAN, OTHERS, NUM_OTHERS = 80 };

	set(HARNESS_TAKE, 0);
	set(HARNESS_TRAFFIC, 1);
	set(HARNESS_CLEAR, 1);
	store(CHANGED);
	load_page(CLEAN);
	for (unsigned i = 0; i < NUM_OTHERS; i++)
		load_page(OTHERS + i);
	set(HARNESS_FRAME, FRAME(CHANGED));
	expect("changed victims", get(HARNESS_WRITEBACKS), LINES);
	expect("none of them is clean", get(HARNESS_CLEAN), 0);
	set(HARNESS_FRAME, FRAME(CLEAN));
	expect("clean victims", get(HARNESS_CLEAN), LINES);
	expect("none of them is changed", get(HARNESS_WRITEBACKS), 0);
	set(HARNESS_TRAFFIC, 0);
}

static void test_code(void)
{
	char *code = WINDOW + 40 * PAGE;
	int i;

	for (i = 0; i < 2 * PAGE; i++)
		code[i] = (char)0x90;
	code[2 * PAGE - 1] = (char)0xc3;
	set(HARNESS_TRAFFIC, 1);
	set(HARNESS_CLEAR, 1);
	__asm__ volatile("call *%0" ::"r"(code) : "memory");
	set(HARNESS_FRAME, FRAME(40));
	expect("lines of code", get(HARNESS_CODE), LINES);
	set(HARNESS_FRAME, FRAME(41));
	expect("lines of code, next page", get(HARNESS_CODE), LINES);
	set(HARNESS_TRAFFIC, 0);
}

enum { PIECE = 16, BRANCHES = 7, BRANCH = 0x72, RET = 0xc3, NOP = 0x90 };

/* So many look-ups in the L1I does a call make. */
static __attribute__((noinline)) uint64_t fetches_of(const char *code)
{
	uint64_t before;

	set(HARNESS_TRAFFIC, 1);
	before = get(HARNESS_FETCHES);
	__asm__ volatile("clc\n\tcall *%0" ::"r"(code) : "memory", "rcx");
	before = get(HARNESS_FETCHES) - before;
	set(HARNESS_TRAFFIC, 0);
	return before;
}

/* Code from `first` on, of `bytes` with the return at its end, and a branch
 * that is not taken every so many bytes (0: none): as many look-ups as there
 * are aligned 16 bytes that it lies in. */
static void expect_pieces(const char *what, char *first, unsigned bytes,
			  unsigned every)
{
	uintptr_t at = (uintptr_t)first;
	uint64_t own;
	unsigned i;

	*first = (char)RET;
	own = fetches_of(first) - 1;
	for (i = 0; i + 1 < bytes; i++)
		first[i] = (char)NOP;
	for (i = every; every && i + 2 < bytes; i += every) {
		first[i] = BRANCH; /* to the next instruction, if carry */
		first[i + 1] = 0;
	}
	first[bytes - 1] = (char)RET;
	expect(what, fetches_of(first) - own,
	       (at + bytes - 1) / PIECE - at / PIECE + 1);
}

/* Each turn of a loop begins with a look-up. */
static void expect_loop(char *first, uint32_t turns)
{
	static const char loop[] = { (char)0xff, (char)0xc9, 0x75, (char)0xfc,
				     (char)RET };
	uint64_t own;
	unsigned i;

	first[PIECE] = (char)RET;
	own = fetches_of(first + PIECE) - 1;
	for (i = 0; i < PIECE; i++)
		first[i] = (char)NOP;
	first[0] = (char)0xb9; /* mov ecx, turns */
	for (i = 0; i < 4; i++)
		first[1 + i] = (char)(turns >> 8 * i);
	for (i = 0; i < sizeof(loop); i++)
		first[PIECE + i] = loop[i];
	expect("look-ups of a loop", fetches_of(first) - own, 1 + turns);
}

static void test_fetches(void)
{
	char *code = WINDOW + 44 * PAGE;
	unsigned i;

	expect_pieces("look-ups of straight code", code, 1024, 0);
	expect_pieces("of code in two pages", code, 2 * PAGE, 0);
	for (i = 1; i < PIECE; i += 5)
		expect_pieces("of code that begins anywhere", code + i,
			      300 + 3 * i, 0);
	expect_pieces("of code with branches", code, 1024, BRANCHES);
	expect_pieces("of code full of branches", code + 3, 500, 2);
	expect_loop(code, 1000);
}

enum { STREAM_PAGE = 60, WORDS = 8, HALF = WORDS / 2 };

static char *line_of(unsigned line)
{
	return WINDOW + STREAM_PAGE * PAGE + line * LINE;
}

/* MOVNTI of some of a line's eight words. */
static void stream(unsigned line, unsigned from, unsigned to)
{
	for (; from < to; from++)
		__asm__ volatile("movnti %1, %0"
				 : "=m"(((uint64_t *)line_of(line))[from])
				 : "r"(UINT64_C(1)));
}

static void begin_streams(void)
{
	set(HARNESS_TRAFFIC, 1);
	set(HARNESS_CLEAR, 1);
}

/* To the page, since then; whatever reads a register empties the buffers. */
static void expect_streams(const char *what, uint64_t lines, uint64_t parts)
{
	set(HARNESS_FRAME, FRAME(STREAM_PAGE));
	expect(what, get(HARNESS_LINES) * 1000 + get(HARNESS_PARTS),
	       lines * 1000 + parts);
	set(HARNESS_TRAFFIC, 0);
}

/* Sixteen lines by halves, and something between. */
#define AROUND(what, lines, parts, instruction)                                \
	begin_streams();                                                       \
	for (unsigned i = 0; i < 16; i++) {                                    \
		stream(i, 0, HALF);                                            \
		__asm__ volatile(instruction                                   \
				 :                                             \
				 : "a"(0), "c"(0), "S"(&stage),                \
				   "D"(line_of(i))                             \
				 : "rbx", "rdx", "memory", "cc");              \
		stream(i, HALF, WORDS);                                        \
	}                                                                      \
	expect_streams(what, lines, parts)

/* Ten buffers, as in Intel's manuals: full ones are lines, those that go before
 * are parts. */
static void test_buffers(void)
{
	unsigned i;

	begin_streams();
	for (i = 0; i < LINES; i++)
		stream(i, 0, HALF);
	expect_streams("halves of lines", 0, LINES);
	begin_streams();
	for (i = 0; i < LINES; i++)
		stream(i, 0, WORDS);
	expect_streams("whole lines", LINES, 0);
	begin_streams();
	for (i = 0; i < 10 * WORDS; i++)
		stream(i % 10, i / 10, i / 10 + 1);
	expect_streams("ten lines by turns", 10, 0);
	begin_streams();
	for (i = 0; i < 11 * WORDS; i++)
		stream(i % 11, i / 11, i / 11 + 1);
	expect_streams("eleven lines by turns", 0, 11 * WORDS);
	AROUND("nothing between", 16, 0, "nop");
	AROUND("LFENCE", 16, 0, "lfence");
	AROUND("SFENCE", 0, 32, "sfence");
	AROUND("MFENCE", 0, 32, "mfence");
	AROUND("a locked operation", 0, 32, "lock addl $0, (%%rsi)");
	AROUND("XCHG", 0, 32, "xchg %%edx, 4(%%rsi)");
	AROUND("CPUID", 0, 32,
	       "push %%rax\n push %%rcx\n cpuid\n pop %%rcx\n pop %%rax");
	AROUND("a load of the line", 0, 32, "mov 56(%%rdi), %%edx");
	AROUND("a store to the line", 0, 32, "movl $1, 56(%%rdi)");
}

/* The other instructions; SSE is switched on for them. */
static void test_vectors(void)
{
	static const uint64_t odd[2]
		__attribute__((aligned(16))) = { UINT64_C(0x8000800080008000),
						 UINT64_C(0x8000800080008000) };
	char *at = line_of(0);
	uint64_t control;

	__asm__ volatile("mov %%cr0, %0\n and $~0xc, %0\n or $2, %0\n"
			 "mov %0, %%cr0\n"
			 "mov %%cr4, %0\n or $0x600, %0\n mov %0, %%cr4"
			 : "=&r"(control));
	begin_streams();
	__asm__ volatile("movntps %%xmm0, 16(%0)\n movntdq %%xmm0, 64(%0)\n"
			 "movntpd %%xmm0, 128(%0)\n movntq %%mm0, 192(%0)\n"
			 "movnti %%eax, 256(%0)\n emms" ::"r"(line_of(0))
			 : "memory");
	expect_streams("one of each", 0, 5);
	begin_streams();
	__asm__ volatile("movdqa %1, %%xmm1\n maskmovdqu %%xmm1, %%xmm0\n"
			 "pxor %%xmm1, %%xmm1\n add $64, %%rdi\n"
			 "maskmovdqu %%xmm1, %%xmm0"
			 : "+D"(at)
			 : "m"(odd)
			 : "memory");
	expect_streams("of bytes by a mask", 0, 1);
	at = line_of(3);
	begin_streams();
	__asm__ volatile("pcmpeqd %%xmm1, %%xmm1\n mov $4, %%ecx\n"
			 "1: maskmovdqu %%xmm1, %%xmm0\n add $16, %%rdi\n"
			 "dec %%ecx\n jnz 1b"
			 : "+D"(at)
			 :
			 : "memory", "rcx");
	expect_streams("of all bytes by a mask", 1, 0);
}

/* Stores that cross lines, one behind the other: more records than a turn has
 * room for. */
static void test_full(void)
{
	enum { FIRST = 0x4000, PAGES = 4096 };
	char *place = (char *)(FIRST * (uintptr_t)PAGE) + LINE - 4;
	unsigned blocks = PAGES / 2;
	uint64_t sum = 0;
	unsigned i;

	set(HARNESS_TRAFFIC, 1);
	set(HARNESS_CLEAR, 1);
	__asm__ volatile("1: i = 0\n"
			 ".rept 64\n"
			 "mov %%rax, i(%0)\n"
			 "i = i + 128\n"
			 ".endr\n"
			 "add $8192, %0\n"
			 "dec %1\n"
			 "jnz 1b"
			 : "+r"(place), "+r"(blocks)
			 :
			 : "memory");
	for (i = 0; i < PAGES; i++)
		sum += owns(FIRST + i);
	expect("turns full of records", sum, PAGES * LINES);
	expect("gaps add up", get(HARNESS_BAD_GAPS), 0);
	set(HARNESS_TRAFFIC, 0);
}

/* Both CPUs write to pages of their own and to a common one, and wait for each
 * other now and then. */
static void work(unsigned index)
{
	static volatile uint32_t meeting[2];
	unsigned i;

	for (i = 0; i < COUNT; i++) {
		store(50 + index * 50 + i % 50);
		store(150);
		if (i % 10)
			continue;
		meeting[index] = i + 1;
		while (meeting[!index] < i + 1)
			pause();
	}
}

static void test_two(void)
{
	set(HARNESS_CLEAR, 1);
	set(HARNESS_TAKE, 1);
	stage = 1;
	while (stage == 1)
		pause();
	mark_begin();
	stage = 3;
	work(0);
	while (stage == 3)
		pause();
	mark_end();
	expect("marks", get(HARNESS_MARKS), UINT64_C(0x100000001));
	expect("gaps add up", get(HARNESS_BAD_GAPS), 0);
	expect("a page of one's own", owns(FRAME(50)) >= LINES, 1);
	expect("a page of the other's own", owns(FRAME(100)) >= LINES, 1);
}

static void start_others(void)
{
	APIC[0xf0 / 4] = 0x1ff;
	APIC[0x300 / 4] = 0xc4500;
	for (unsigned i = 0; i < 1000000; i++)
		__asm__ volatile("");
	APIC[0x300 / 4] = 0xc4600 | TRAMPOLINE_PAGE;
	for (unsigned i = 0; num_started < 2 && i < 10000; i++)
		pause();
	expect("another CPU", num_started, 2);
}

static void other(void)
{
	set(HARNESS_SCRATCH, 1);
	while (stage != 1)
		pause();
	stage = 2;
	while (stage != 3)
		pause();
	work(1);
	stage = 4;
	for (;;)
		__asm__ volatile("hlt");
}

void run(unsigned index)
{
	if (index)
		other();
	set_up_faults();
	while (get(HARNESS_ONCE) == HARNESS_FOR_EVER)
		set(HARNESS_SCRATCH, 0);
	if (get(HARNESS_ONCE)) {
		print("started again\n");
	} else {
		test_registers();
		test_cpuid();
		test_instructions();
		open_window();
		test_pages();
		test_taken();
		test_victims();
		test_code();
		test_fetches();
		test_buffers();
		test_vectors();
		test_full();
		start_others();
		test_two();
		print(failed ? "FAILED\n" : "PASSED\n");
		set(HARNESS_ONCE, 1);
		out(PORT_RESET, 6);
		for (;;)
			__asm__ volatile("hlt");
	}
	out(PORT_EXIT, 0);
	for (;;)
		__asm__ volatile("hlt");
}
