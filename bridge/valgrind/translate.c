/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * Before and around Valgrind's own work on a block.
 *
 * A turn ends between blocks. Compilers unroll loops of locked instructions, so
 * a block may be left behind each of them, too: while it is not optimised yet,
 * the registers are as the program has them there.
 *
 * Valgrind drops a load whose value nobody uses, which the processor does not:
 * before it optimises a block, each load gets a call behind it that says where
 * it was. instrument.c makes of it what is made of an access.
 *
 * Left out is what nothing here needs: the checks of the intermediate code,
 * several times for each block (--check-code brings them back, for tests), and
 * the line numbers of the program, which take longer to read than many programs
 * run. Symbols and frames are still read.
 */
#include "bridge/valgrind/core.h"

Bool translate_checks;

extern void __real_sanityCheckIRSB(const IRSB *block, const HChar *caller,
				   Bool is_flat, IRType word);
void __wrap_sanityCheckIRSB(const IRSB *block, const HChar *caller,
			    Bool is_flat, IRType word);

void __wrap_sanityCheckIRSB(const IRSB *block, const HChar *caller,
			    Bool is_flat, IRType word)
{
	if (translate_checks)
		__real_sanityCheckIRSB(block, caller, is_flat, word);
}

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void)
{
}

/* Loads */

static IRSB *out;

static Bool is_atom(const IRExpr *e)
{
	return e->tag == Iex_RdTmp || e->tag == Iex_Const;
}

/* Only a plain address is still the same behind the statement. */
static void note(IRExpr *address, IRType type, IRExpr *guard, Bool is_behind)
{
	IRExpr *size;
	IRDirty *dirty;

	if (is_atom(address) != is_behind)
		return;
	size = IRExpr_Const(IRConst_U64((uint64_t)sizeofIRType(type)));
	dirty = unsafeIRDirty_0_N(2, "load", VG_(fnptr_to_fnentry)(access_load),
				  mkIRExprVec_2(address, size));
	if (guard)
		dirty->guard = guard;
	addStmtToIRSB(out, IRStmt_Dirty(dirty));
}

static void note_in(IRExpr *e, Bool is_behind);

static void note_in_all(IRExpr **e, Bool is_behind)
{
	for (; *e; e++)
		note_in(*e, is_behind);
}

static void note_in(IRExpr *e, Bool is_behind)
{
	switch (e->tag) {
	case Iex_Load:
		note_in(e->Iex.Load.addr, is_behind);
		note(e->Iex.Load.addr, e->Iex.Load.ty, NULL, is_behind);
		break;
	case Iex_Unop: note_in(e->Iex.Unop.arg, is_behind); break;
	case Iex_Binop:
		note_in(e->Iex.Binop.arg1, is_behind);
		note_in(e->Iex.Binop.arg2, is_behind);
		break;
	case Iex_Triop:
		note_in(e->Iex.Triop.details->arg1, is_behind);
		note_in(e->Iex.Triop.details->arg2, is_behind);
		note_in(e->Iex.Triop.details->arg3, is_behind);
		break;
	case Iex_Qop:
		note_in(e->Iex.Qop.details->arg1, is_behind);
		note_in(e->Iex.Qop.details->arg2, is_behind);
		note_in(e->Iex.Qop.details->arg3, is_behind);
		note_in(e->Iex.Qop.details->arg4, is_behind);
		break;
	case Iex_ITE:
		note_in(e->Iex.ITE.cond, is_behind);
		note_in(e->Iex.ITE.iftrue, is_behind);
		note_in(e->Iex.ITE.iffalse, is_behind);
		break;
	case Iex_CCall: note_in_all(e->Iex.CCall.args, is_behind); break;
	case Iex_GetI: note_in(e->Iex.GetI.ix, is_behind); break;
	default: break;
	}
}

/* The loads of a statement that is before us, or (is_behind) was. */
static void note_loads(const IRStmt *s, Bool is_behind)
{
	switch (s->tag) {
	case Ist_WrTmp: note_in(s->Ist.WrTmp.data, is_behind); break;
	case Ist_Put: note_in(s->Ist.Put.data, is_behind); break;
	case Ist_PutI:
		note_in(s->Ist.PutI.details->ix, is_behind);
		note_in(s->Ist.PutI.details->data, is_behind);
		break;
	case Ist_Store:
		note_in(s->Ist.Store.addr, is_behind);
		note_in(s->Ist.Store.data, is_behind);
		break;
	case Ist_StoreG: note_in(s->Ist.StoreG.details->data, is_behind); break;
	case Ist_LoadG: {
		const IRLoadG *g = s->Ist.LoadG.details;
		IRType wide = Ity_INVALID, type = Ity_INVALID;

		typeOfIRLoadGOp(g->cvt, &wide, &type);
		note(g->addr, type, g->guard, is_behind);
		break;
	}
	case Ist_Dirty:
		note_in_all(s->Ist.Dirty.details->args, is_behind);
		break;
	case Ist_Exit: note_in(s->Ist.Exit.guard, is_behind); break;
	default: break;
	}
}

/* Exits */

/* The address behind the locked instruction whose statements end at `end`; 0:
 * it is none, or the block ends with it. */
static Addr behind_locked(const IRSB *in, Int end)
{
	Int i;

	if (end == in->stmts_used || in->stmts[end]->tag != Ist_IMark)
		return 0;
	for (i = end - 1; i >= 0 && in->stmts[i]->tag != Ist_IMark; i--)
		if (in->stmts[i]->tag == Ist_CAS)
			return in->stmts[end]->Ist.IMark.addr;
	return 0;
}

static IRExpr *assign(IRType type, IRExpr *value)
{
	IRTemp temp = newIRTemp(out->tyenv, type);

	addStmtToIRSB(out, IRStmt_WrTmp(temp, value));
	return IRExpr_RdTmp(temp);
}

static void leave_when_cut(Addr next)
{
	IRExpr *flag = IRExpr_Const(IRConst_U64((uint64_t)(Addr)&front.is_cut));
	IRExpr *is_cut;

	if (!next)
		return;
	flag = assign(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, flag));
	is_cut = assign(Ity_I1, IRExpr_Binop(Iop_CmpNE64, flag,
					     IRExpr_Const(IRConst_U64(0))));
	addStmtToIRSB(out,
		      IRStmt_Exit(is_cut, Ijk_Boring, IRConst_U64(next),
				  offsetof(VexGuestAMD64State, guest_RIP)));
}

/* What the call looks at: registers of arguments, and who has called. */
static void call_enter(int function, Addr address)
{
	static const UShort read[] = { REGISTER(RDI), REGISTER(RSI),
				       REGISTER(RDX), REGISTER(RSP),
				       REGISTER(RBP), REGISTER(RIP) };
	enum { NUM = sizeof(read) / sizeof(read[0]) };
	IRDirty *dirty = unsafeIRDirty_0_N(
		1, "enter", VG_(fnptr_to_fnentry)(objects_enter),
		mkIRExprVec_1(IRExpr_Const(IRConst_U64((ULong)function))));
	UInt i;

	addStmtToIRSB(out,
		      IRStmt_Put(REGISTER(RIP),
				 IRExpr_Const(IRConst_U64((ULong)address))));
	dirty->nFxState = NUM;
	for (i = 0; i < NUM; i++) {
		VG_(memset)(&dirty->fxState[i], 0, sizeof(dirty->fxState[i]));
		dirty->fxState[i].fx = Ifx_Read;
		dirty->fxState[i].offset = read[i];
		dirty->fxState[i].size = sizeof(ULong);
	}
	addStmtToIRSB(out, IRStmt_Dirty(dirty));
}

/* A function is entered by a jump or call only: where a block begins, or where
 * it goes on elsewhere. */
static void note_function(const IRStmt *mark, Addr *follows)
{
	Addr address = mark->Ist.IMark.addr;
	int function = address == *follows ? -1 : objects_function(address);

	*follows = address + mark->Ist.IMark.len;
	if (function >= 0)
		call_enter(function, address);
}

extern IRSB *__real_do_iropt_BB(IRSB *in, UWord a, UWord b, UWord c, UWord d,
				UWord e);
IRSB *__wrap_do_iropt_BB(IRSB *in, UWord a, UWord b, UWord c, UWord d, UWord e);

/* The other parameters are those of the original. */
IRSB *__wrap_do_iropt_BB(IRSB *in, UWord a, UWord b, UWord c, UWord d, UWord e)
{
	Addr follows = 0;
	Int i;

	out = deepCopyIRSBExceptStmts(in);
	for (i = 0; i < in->stmts_used; i++) {
		leave_when_cut(behind_locked(in, i));
		note_loads(in->stmts[i], False);
		addStmtToIRSB(out, in->stmts[i]);
		if (arena->has_sites && in->stmts[i]->tag == Ist_IMark)
			note_function(in->stmts[i], &follows);
		note_loads(in->stmts[i], True);
	}
	return __real_do_iropt_BB(out, a, b, c, d, e);
}
