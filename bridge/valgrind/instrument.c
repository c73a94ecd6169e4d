/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Which of the program's instructions call what. Most accesses use the line
 * that was used last in its set of the L1: they change nothing, and are
 * recognised by a comparison in line with the program's code. Everything else
 * is a call.
 *
 * An address is compared with its lowest bits, up to the size of the access:
 * one that is aligned cannot leave its line; one that is not aligned is never
 * equal, and calls.
 */
#include "bridge/valgrind/clock.h"
#include "bridge/valgrind/machine.h"
#include "bridge/valgrind/random.h"

#include "bridge/valgrind/special.h"
#include "bridge/valgrind/weigh.h"

/* The block that is being made. */
struct block {
	IRSB *out;
	IRType word;
	unsigned instructions; /* not yet added, */
	unsigned cycles;       /* nor what they take, */
	unsigned round_cycles; /* nor what rounds of a string instruction do */
	unsigned num_exits;
	Addr instruction; /* its address */
	Addr line;	  /* of code that was fetched last */
	enum special_kind kind;
	IRExpr *locked; /* address of the instruction's CAS, or NULL */
};

static void add(struct block *block, IRStmt *statement)
{
	addStmtToIRSB(block->out, statement);
}

static IRExpr *constant(uint64_t value)
{
	return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *assign(struct block *block, IRType type, IRExpr *value)
{
	IRTemp temp = newIRTemp(block->out->tyenv, type);

	add(block, IRStmt_WrTmp(temp, value));
	return IRExpr_RdTmp(temp);
}

static IRExpr *binary(struct block *block, IROp op, IRExpr *a, IRExpr *b)
{
	IRType type =
		op == Iop_CmpNE64 || op == Iop_CmpLT64U ? Ity_I1 : Ity_I64;

	return assign(block, type, IRExpr_Binop(op, a, b));
}

static IRExpr *peek(struct block *block, const void *where)
{
	return assign(
		block, Ity_I64,
		IRExpr_Load(Iend_LE, Ity_I64, constant((uint64_t)(Addr)where)));
}

/* Instructions so far are added to the core's, with their cycles. */
static void count(struct block *block)
{
	IRExpr *sum;

	block->cycles += weigh_exit(block->num_exits++);
	/* rounds alone are not weighed as what Valgrind has in their stead */
	if (!block->instructions)
		block->cycles = 0;
	block->cycles += block->round_cycles;
	block->round_cycles = 0;
	if (!block->instructions && !block->cycles)
		return;
	sum = binary(
		block, Iop_Add64, peek(block, &front.executed),
		constant((uint64_t)block->cycles << 32 | block->instructions));
	add(block,
	    IRStmt_Store(Iend_LE, constant((uint64_t)(Addr)&front.executed),
			 sum));
	block->instructions = 0;
	block->cycles = 0;
}

static IRDirty *call(const HChar *name, void *function, IRExpr **arguments)
{
	Int num = 0;

	while (arguments[num])
		num++;
	return unsafeIRDirty_0_N(num < 3 ? num : 3, name,
				 VG_(fnptr_to_fnentry)(function), arguments);
}

#define CALL(function, arguments) call(#function, function, arguments)

/* Calls only when the line is not the one used last in its set. */
static IRExpr *differs(struct block *block, const uint64_t *recent,
		       IRExpr *address, Int size_bytes)
{
	uint64_t low = 1;
	IRExpr *set;
	IRExpr *line;

	while (low < (uint64_t)size_bytes && low < LINE_BYTES)
		low *= 2;
	/* the set's place in the array: bits 6 to 11 of the address, times 8 */
	set = binary(
		block, Iop_And64,
		binary(block, Iop_Shr64, address, IRExpr_Const(IRConst_U8(3))),
		constant((PRIVCACHE_L1D_SETS - 1) * 8));
	set = binary(block, Iop_Add64, set, constant((uint64_t)(Addr)recent));
	line = binary(block, Iop_And64, address,
		      constant(~(uint64_t)(LINE_BYTES - 1) | (low - 1)));
	return binary(
		block, Iop_CmpNE64, line,
		assign(block, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, set)));
}

static IRExpr *both(struct block *block, IRExpr *a, IRExpr *b)
{
	IRExpr *sum;

	if (!b)
		return a;
	sum = binary(block, Iop_And64,
		     assign(block, Ity_I64, IRExpr_Unop(Iop_1Uto64, a)),
		     assign(block, Ity_I64, IRExpr_Unop(Iop_1Uto64, b)));
	return binary(block, Iop_CmpNE64, sum, constant(0));
}

static IRExpr *either(struct block *block, IRExpr *a, IRExpr *b)
{
	IRExpr *sum =
		binary(block, Iop_Or64,
		       assign(block, Ity_I64, IRExpr_Unop(Iop_1Uto64, a)),
		       assign(block, Ity_I64, IRExpr_Unop(Iop_1Uto64, b)));

	return binary(block, Iop_CmpNE64, sum, constant(0));
}

static IRExpr *site(const struct block *block, UWord size_bytes, UWord chain)
{
	return constant(block->instruction | size_bytes << ACCESS_SIZE_SHIFT |
			chain << ACCESS_CHAIN_SHIFT);
}

static void use(struct block *block, IRExpr *address, Int size_bytes,
		Bool is_store, IRExpr *guard)
{
	const uint64_t *recent =
		is_store ? front.recent.store : front.recent.load;
	UWord chain = is_store ? 0 : weigh_chain(address);
	IRExpr **arguments =
		mkIRExprVec_2(address, site(block, (UWord)size_bytes, chain));
	IRDirty *dirty = is_store ? CALL(access_store, arguments)
				  : CALL(access_load, arguments);

	dirty->guard =
		both(block, differs(block, recent, address, size_bytes), guard);
	/* The call may look at the line: Valgrind must not move a load behind
	 * it, which it does not where memory might change. */
	dirty->mFx = Ifx_Modify;
	dirty->mAddr = address;
	dirty->mSize = 1;
	add(block, IRStmt_Dirty(dirty));
}

static void stream(struct block *block, IRExpr *address, Int size_bytes)
{
	IRExpr **arguments =
		mkIRExprVec_2(address, site(block, (UWord)size_bytes, 0));

	add(block, IRStmt_Dirty(CALL(access_stream, arguments)));
}

static void use_locked(struct block *block, IRExpr *address, Int size_bytes)
{
	IRExpr **arguments =
		mkIRExprVec_2(address, site(block, (UWord)size_bytes, 0));
	IRDirty *dirty = CALL(access_locked, arguments);

	dirty->guard = either(
		block, differs(block, front.recent.store, address, size_bytes),
		binary(block, Iop_CmpNE64, peek(block, &front.num_combining),
		       constant(0)));
	add(block, IRStmt_Dirty(dirty));
}

static void fetch_line(struct block *block, Addr line)
{
	const uint64_t *recent = &front.recent.code[front_code_set(line)];
	IRDirty *dirty =
		CALL(access_fetch, mkIRExprVec_1(constant((uint64_t)line)));

	if (block->line == line)
		return;
	block->line = line;
	dirty->guard = binary(block, Iop_CmpNE64, peek(block, recent),
			      constant((uint64_t)line));
	add(block, IRStmt_Dirty(dirty));
}

static IRExpr *locked_address(IRSB *in, Int i)
{
	for (i++; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
		if (in->stmts[i]->tag == Ist_CAS)
			return in->stmts[i]->Ist.CAS.details->addr;
	return NULL;
}

static void begin_instruction(struct block *block, IRSB *in, Int i)
{
	struct special special = special_of(in->stmts[i]->Ist.IMark.addr);
	const IRStmt *mark = in->stmts[i];
	Addr first = mark->Ist.IMark.addr;
	Addr last = first + mark->Ist.IMark.len - 1;

	fetch_line(block, first & ~(Addr)(LINE_BYTES - 1));
	if (mark->Ist.IMark.len)
		fetch_line(block, last & ~(Addr)(LINE_BYTES - 1));
	block->instruction = first;
	block->kind = special.kind;
	block->round_cycles += cost_round(special.round_bytes);
	/* rounds of a repeated instruction are none of their own */
	block->instructions += block->kind != SPECIAL_STRING;
	block->locked = locked_address(in, i);
}

static Bool same(const IRExpr *a, const IRExpr *b)
{
	return a && b && a->tag == b->tag &&
	       (a->tag == Iex_RdTmp
			? a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp
			: a->tag == Iex_Const && eqIRConst(a->Iex.Const.con,
							   b->Iex.Const.con));
}

/* As translate.c has noted it. */
static void load(struct block *block, const IRDirty *note)
{
	const IRExpr *guard = note->guard;
	IRExpr *address = note->args[0];

	if (guard->tag == Iex_Const && !guard->Iex.Const.con->Ico.U1)
		return;
	if (same(address, block->locked)) /* asks for the line once */
		return;
	if (block->kind == SPECIAL_MASKED) /* nor does it load anything */
		return;
	use(block, address, (Int)note->args[1]->Iex.Const.con->Ico.U64, False,
	    guard->tag == Iex_Const ? NULL : note->guard);
}

static void store(struct block *block, IRExpr *address, IRType type,
		  IRExpr *guard)
{
	if (block->kind == SPECIAL_STREAM)
		stream(block, address, sizeofIRType(type));
	else if (block->kind != SPECIAL_MASKED)
		use(block, address, sizeofIRType(type), True, guard);
}

static void compare_and_swap(struct block *block, const IRCAS *cas)
{
	Int size = sizeofIRType(typeOfIRExpr(block->out->tyenv, cas->dataLo));

	if (cas->dataHi)
		size *= 2;
	use_locked(block, cas->addr, size);
}

static void helper(struct block *block, const IRDirty *dirty)
{
	if (dirty->mFx == Ifx_Read || dirty->mFx == Ifx_Modify)
		use(block, dirty->mAddr, dirty->mSize, False, dirty->guard);
	if (dirty->mFx == Ifx_Write || dirty->mFx == Ifx_Modify)
		use(block, dirty->mAddr, dirty->mSize, True, dirty->guard);
}

/* Loads are told after they have happened: a fault is no access, and their line
 * can then be looked at. */
static void statement(struct block *block, IRSB *in, Int i)
{
	IRStmt *s = in->stmts[i];

	switch (s->tag) {
	case Ist_IMark:
		begin_instruction(block, in, i);
		add(block, s);
		return;
	case Ist_Exit:
		count(block);
		add(block, s);
		return;
	case Ist_Store:
		add(block, s);
		store(block, s->Ist.Store.addr,
		      typeOfIRExpr(block->out->tyenv, s->Ist.Store.data), NULL);
		return;
	case Ist_StoreG: {
		IRStoreG *g = s->Ist.StoreG.details;

		add(block, s);
		store(block, g->addr, typeOfIRExpr(block->out->tyenv, g->data),
		      g->guard);
		return;
	}
	case Ist_CAS:
		compare_and_swap(block, s->Ist.CAS.details);
		add(block, s);
		return;
	case Ist_Dirty:
		if (s->Ist.Dirty.details->cee->addr == access_load) {
			load(block, s->Ist.Dirty.details);
			return;
		}
		special_replace(s->Ist.Dirty.details);
		random_replace(s->Ist.Dirty.details);
		if (clock_replace(s->Ist.Dirty.details, block->instruction))
			count(block);
		add(block, s);
		helper(block, s->Ist.Dirty.details);
		return;
	default: add(block, s); return;
	}
}

/* An instruction that Valgrind does not know, but special.c does, is done. Of
 * others the bytes are kept for the sentence that the program dies with. */
static void skip_unknown(IRSB *out)
{
	Addr address = (Addr)out->next->Iex.Const.con->Ico.U64;
	struct special special = special_of(address);
	UInt bytes;

	if (special.kind == SPECIAL_FLUSH || special.kind == SPECIAL_CLEAN ||
	    special.kind == SPECIAL_DEMOTE) {
		out->next = constant(address + special.length);
		out->jumpkind = Ijk_Boring;
		return;
	}
	VG_(memcpy)(&bytes, (const void *)address, sizeof(bytes));
	atomic_store(&arena->unknown_bytes, bytes);
}

/* From a function that makes memory, or from one that has called such. */
static void note_return(struct block *block)
{
	IRExpr *stack_pointer =
		assign(block, Ity_I64, IRExpr_Get(REGISTER(RSP), Ity_I64));
	IRDirty *dirty = CALL(objects_return, mkIRExprVec_1(stack_pointer));

	dirty->guard = binary(block, Iop_CmpLT64U, peek(block, &front.making),
			      stack_pointer);
	add(block, IRStmt_Dirty(dirty));
}

IRSB *instrument(VgCallbackClosure *closure, IRSB *in,
		 const VexGuestLayout *layout, const VexGuestExtents *extents,
		 const VexArchInfo *host, IRType guest_word, IRType host_word)
{
	struct block block = { .line = 1 };
	Int i = 0;

	(void)closure;
	(void)layout;
	(void)extents;
	(void)guest_word;
	(void)host_word;
	cpuid_begin(host->hwcaps);
	weigh_begin(in);
	block.out = deepCopyIRSBExceptStmts(in);
	while (i < in->stmts_used && in->stmts[i]->tag != Ist_IMark)
		addStmtToIRSB(block.out, in->stmts[i++]);
	for (; i < in->stmts_used; i++)
		if (in->stmts[i] && in->stmts[i]->tag != Ist_NoOp)
			statement(&block, in, i);
	if (in->jumpkind == Ijk_NoDecode && in->next->tag == Iex_Const)
		skip_unknown(block.out);
	count(&block);
	if (arena->has_sites && in->jumpkind == Ijk_Ret)
		note_return(&block);
	return block.out;
}
