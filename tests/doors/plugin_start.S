/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Start of plugin_bare.c: from a Multiboot loader, or from the start-up message
 * of another processor, to C in 64-bit mode. Memory is mapped one to one.
 */
#define FLAGS		0x10000 /* addresses are in the header */
#define MAGIC		0x1badb002
#define TRAMPOLINE	0x8000
#define STACK_BYTES	16384

	.section .text.start, "ax"
	.code32
	.globl start
start:
	jmp	first
	.balign	4
header:
	.long	MAGIC, FLAGS, -(MAGIC + FLAGS)
	.long	header, start, 0, _end, first

first:
	cli
	mov	$tables, %edi		/* 4 GiB in pages of 2 MiB */
	lea	4096 + 3(%edi), %eax
	mov	%eax, (%edi)
	mov	$4, %ecx
	lea	8192 + 3(%edi), %eax
	lea	4096(%edi), %ebx
1:	mov	%eax, (%ebx)
	add	$4096, %eax
	add	$8, %ebx
	loop	1b
	mov	$2048, %ecx
	mov	$0x83, %eax
	lea	8192(%edi), %ebx
2:	mov	%eax, (%ebx)
	add	$0x200000, %eax
	add	$8, %ebx
	loop	2b
	cld				/* the others' first instructions */
	mov	$others, %esi
	mov	$TRAMPOLINE, %edi
	mov	$others_end - others, %ecx
	rep movsb

long_mode:
	mov	%cr4, %eax
	or	$0x620, %eax		/* PAE, SSE */
	mov	%eax, %cr4
	mov	$tables, %eax
	mov	%eax, %cr3
	mov	$0xc0000080, %ecx	/* EFER: LME */
	rdmsr
	or	$0x100, %eax
	wrmsr
	mov	%cr0, %eax
	or	$0x80000001, %eax
	and	$~4, %eax
	mov	%eax, %cr0
	lgdt	gdt_pointer
	ljmp	$8, $in_long_mode

	.code64
in_long_mode:
	mov	$16, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	$1, %edi
	lock xadd %edi, num_started(%rip)
	mov	%edi, %eax
	inc	%eax
	imul	$STACK_BYTES, %eax
	lea	stacks(%rip), %rsp
	add	%rax, %rsp
	call	run
3:	hlt
	jmp	3b

	.code16
others:
	cli
	xor	%ax, %ax
	mov	%ax, %ds
	lgdtl	TRAMPOLINE + others_gdt - others
	mov	%cr0, %eax
	or	$1, %eax
	mov	%eax, %cr0
	ljmpl	$24, $others32
	.balign	4
others_gdt:
	.word	gdt_end - gdt - 1
	.long	gdt
others_end:

	.code32
others32:
	mov	$16, %eax
	mov	%eax, %ds
	jmp	long_mode

	.code64
	.globl fault
fault:					/* #GP: the error code, then RIP */
	incl	num_faults(%rip)
	add	$8, %rsp
	addq	$2, (%rsp)
	iretq

	.data
	.balign	8
gdt:	.quad	0
	.quad	0x00af9b000000ffff	/* 8: code, 64 bits */
	.quad	0x00cf93000000ffff	/* 16: data */
	.quad	0x00cf9b000000ffff	/* 24: code, 32 bits */
gdt_end:
gdt_pointer:
	.word	gdt_end - gdt - 1
	.quad	gdt

	.bss
	.balign	4096
	.globl tables
tables:	.skip	6 * 4096
	.globl num_started
num_started: .skip 4
	.globl num_faults
num_faults: .skip 4
	.balign	16
stacks:	.skip	16 * STACK_BYTES
	.section .note.GNU-stack, "", @progbits
