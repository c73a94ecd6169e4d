/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What a block of Valgrind's intermediate code costs, in the terms of cost.h.
 *
 * Places that outlive the block are registers, in pieces of 8 bytes, and what
 * lies at an address that is the same at the block's end: a constant, or a
 * constant beside a register that has come back to its value. A register of the
 * x87's stack is such a one, too: it lies beside the top of the stack.
 *
 * Arithmetic that only makes addresses is part of the load or store. What
 * widens, narrows or picks a half takes no time: the processor mostly does it
 * within another instruction. A store's address is not waited for.
 */
#include "bridge/valgrind/weigh.h"

#include "bridge/valgrind/clock.h"

enum {
	MAX_PLACES = COST_MAX_PLACES,
	MAX_OPS = COST_MAX_OPS,
	MAX_TEMPS = COST_MAX_VALUES - MAX_PLACES,
	MAX_EXITS = 512,
	SLOT_BYTES = 8,
	NUM_SLOTS = 128, /* of the guest's state */
	UNKNOWN = -1,
	CONSTANT = -2,
};

/* What is known of a value: what a register had at the beginning, or nothing,
 * and so much more. */
struct origin {
	Int slot;
	Long more;
};

struct memory {
	struct origin address;
	Int array; /* of the guest's state; 0: memory */
	UInt place;
};

static struct weigh {
	const struct cost_processor *processor;
	const IRSB *in;
	Addr start;
	struct cost_sum sum;
	UInt num_places;	      /* and one: 0 is none */
	UInt of_slot[NUM_SLOTS];      /* its place; 0: not yet */
	struct origin now[NUM_SLOTS]; /* what is in it */
	struct memory memory[MAX_PLACES];
	UInt num_memory;
	struct origin origins[MAX_TEMPS];
	UChar is_value[MAX_TEMPS]; /* it is used for more than addresses */
	struct cost_op ops[MAX_OPS];
	UInt num_ops;
	uint8_t chain[MAX_OPS];
	Bool is_too_large;
	/* The instruction: */
	Bool loads, stores, floats, computes, fuses;
	UInt loads_before;
	Addr address, window;
	UInt length;
	Bool was_compare;
	/* Exits, in their order; a place where the program reads the time is
	 * one, too, and the last one is the block's end. */
	UInt num_exits;
	UInt instructions[MAX_EXITS]; /* so far */
	UInt alone[MAX_EXITS];	      /* so far in the part: cost_alone() */
	UInt jumps[MAX_EXITS];	      /* what guessing wrong costs there */
	UInt until[MAX_EXITS];	      /* so far, without that */
	/* The part: what is between two readings of the time. */
	UInt first_exit, first_op;
	UInt base;
} w;

/* The flags need renaming alone, the stack pointer is the stack engine's, and
 * where the program is does not wait for anything. */
static Bool is_carried(Int slot)
{
	enum { RSP = 48, FLAGS = 144, RIP = 184 };

	return slot * SLOT_BYTES != RSP &&
	       (slot * SLOT_BYTES < FLAGS || slot * SLOT_BYTES > RIP);
}

/* Where values come from */

static struct origin unknown(void)
{
	return (struct origin){ .slot = UNKNOWN };
}

static struct origin origin_of(const IRExpr *e)
{
	if (e->tag == Iex_RdTmp)
		return w.origins[e->Iex.RdTmp.tmp];
	if (e->tag != Iex_Const)
		return unknown();
	switch (e->Iex.Const.con->tag) {
	case Ico_U64:
		return (struct origin){ CONSTANT,
					(Long)e->Iex.Const.con->Ico.U64 };
	case Ico_U32:
		return (struct origin){ CONSTANT,
					(Int)e->Iex.Const.con->Ico.U32 };
	default: return unknown();
	}
}

static struct origin sum_of(struct origin a, struct origin b, Bool is_minus)
{
	if (a.slot == CONSTANT && !is_minus) {
		struct origin other = a;

		a = b;
		b = other;
	}
	if (a.slot == UNKNOWN || b.slot != CONSTANT)
		return unknown();
	a.more += is_minus ? -b.more : b.more;
	return a;
}

static struct origin origin_of_value(const IRExpr *e)
{
	switch (e->tag) {
	case Iex_Get: {
		Int slot = e->Iex.Get.offset / SLOT_BYTES;

		if (e->Iex.Get.offset % SLOT_BYTES || slot >= NUM_SLOTS ||
		    (e->Iex.Get.ty != Ity_I64 && e->Iex.Get.ty != Ity_I32))
			return unknown();
		return w.now[slot];
	}
	case Iex_Binop:
		if (e->Iex.Binop.op != Iop_Add64 &&
		    e->Iex.Binop.op != Iop_Sub64 &&
		    e->Iex.Binop.op != Iop_Add32 &&
		    e->Iex.Binop.op != Iop_Sub32)
			return unknown();
		return sum_of(origin_of(e->Iex.Binop.arg1),
			      origin_of(e->Iex.Binop.arg2),
			      e->Iex.Binop.op == Iop_Sub64 ||
				      e->Iex.Binop.op == Iop_Sub32);
	default: return origin_of(e);
	}
}

static void find_origins(void)
{
	Int i, slot;

	for (slot = 0; slot < NUM_SLOTS; slot++)
		w.now[slot] = (struct origin){ slot, 0 };
	for (i = 0; i < w.in->stmts_used; i++) {
		const IRStmt *s = w.in->stmts[i];

		if (s->tag == Ist_WrTmp) {
			w.origins[s->Ist.WrTmp.tmp] =
				origin_of_value(s->Ist.WrTmp.data);
		} else if (s->tag == Ist_Put) {
			slot = s->Ist.Put.offset / SLOT_BYTES;
			if (slot >= NUM_SLOTS)
				continue;
			w.now[slot] = unknown();
			if (s->Ist.Put.offset % SLOT_BYTES == 0)
				w.now[slot] = origin_of(s->Ist.Put.data);
		}
	}
}

/* Whether the address is the same when the block has ended. */
static Bool stays(struct origin address)
{
	if (address.slot == CONSTANT)
		return True;
	return address.slot != UNKNOWN &&
	       w.now[address.slot].slot == address.slot &&
	       !w.now[address.slot].more;
}

/* What addresses alone need */

static void mark(const IRExpr *e)
{
	if (e && e->tag == Iex_RdTmp)
		w.is_value[e->Iex.RdTmp.tmp] = 1;
}

static void mark_all(IRExpr *const *e)
{
	for (; *e; e++)
		mark(*e);
}

static void mark_operands(const IRExpr *e)
{
	switch (e->tag) {
	case Iex_RdTmp: mark(e); break;
	case Iex_Unop: mark(e->Iex.Unop.arg); break;
	case Iex_Binop:
		mark(e->Iex.Binop.arg1);
		mark(e->Iex.Binop.arg2);
		break;
	case Iex_Triop:
		mark(e->Iex.Triop.details->arg1);
		mark(e->Iex.Triop.details->arg2);
		mark(e->Iex.Triop.details->arg3);
		break;
	case Iex_Qop:
		mark(e->Iex.Qop.details->arg1);
		mark(e->Iex.Qop.details->arg2);
		mark(e->Iex.Qop.details->arg3);
		mark(e->Iex.Qop.details->arg4);
		break;
	case Iex_ITE:
		mark(e->Iex.ITE.cond);
		mark(e->Iex.ITE.iftrue);
		mark(e->Iex.ITE.iffalse);
		break;
	case Iex_CCall: mark_all(e->Iex.CCall.args); break;
	default: break;
	}
}

static Bool makes_address(const IRExpr *e)
{
	return e->tag == Iex_Binop &&
	       (e->Iex.Binop.op == Iop_Add64 || e->Iex.Binop.op == Iop_Sub64 ||
		e->Iex.Binop.op == Iop_Shl64);
}

static Bool is_note(const IRStmt *s) /* of a load, by translate.c */
{
	return s->tag == Ist_Dirty &&
	       s->Ist.Dirty.details->cee->addr == access_load;
}

/* From the end on: a sum of which no use was seen but in addresses is one. */
static void find_addresses(void)
{
	Int i;

	VG_(memset)(w.is_value, 0, (SizeT)w.in->tyenv->types_used);
	mark(w.in->next);
	for (i = w.in->stmts_used - 1; i >= 0; i--) {
		const IRStmt *s = w.in->stmts[i];

		switch (s->tag) {
		case Ist_WrTmp:
			if (w.is_value[s->Ist.WrTmp.tmp] ||
			    !makes_address(s->Ist.WrTmp.data))
				mark_operands(s->Ist.WrTmp.data);
			break;
		case Ist_Put: mark(s->Ist.Put.data); break;
		case Ist_PutI: mark(s->Ist.PutI.details->data); break;
		case Ist_Store: mark(s->Ist.Store.data); break;
		case Ist_StoreG: mark(s->Ist.StoreG.details->data); break;
		case Ist_Exit: mark(s->Ist.Exit.guard); break;
		case Ist_Dirty:
			if (!is_note(s))
				mark_all(s->Ist.Dirty.details->args);
			break;
		default: break;
		}
	}
}

/* Places */

static UInt new_place(void)
{
	if (w.num_places == MAX_PLACES) {
		w.is_too_large = True;
		return 0;
	}
	return w.num_places++;
}

static UInt place_of_slot(Int slot)
{
	if (slot >= NUM_SLOTS || !is_carried(slot))
		return 0;
	if (!w.of_slot[slot])
		w.of_slot[slot] = new_place();
	return w.of_slot[slot];
}

static UInt place_of_memory(struct origin address, Int array)
{
	struct memory *at;
	UInt i;

	if (!stays(address))
		return 0;
	for (i = 0; i < w.num_memory; i++) {
		at = &w.memory[i];
		if (at->address.slot == address.slot &&
		    at->address.more == address.more && at->array == array)
			return at->place;
	}
	if (w.num_memory == MAX_PLACES)
		return 0;
	at = &w.memory[w.num_memory++];
	*at = (struct memory){ address, array, new_place() };
	return at->place;
}

static UInt place_in_array(const IRRegArray *array, const IRExpr *index,
			   Int bias)
{
	struct origin at = origin_of(index);

	at.more += bias;
	return place_of_memory(at, array->base);
}

/* Results */

static UInt value_of(const IRExpr *e)
{
	if (!e || e->tag != Iex_RdTmp)
		return 0;
	return MAX_PLACES + e->Iex.RdTmp.tmp;
}

static void put(enum cost_kind kind, Bool keeps, UInt to, const UInt from[4])
{
	struct cost_op *op = &w.ops[w.num_ops];
	UInt i, num = 0;

	if (w.num_ops == MAX_OPS)
		w.is_too_large = True;
	if (!to || w.num_ops == MAX_OPS)
		return;
	w.num_ops++;
	*op = (struct cost_op){ .kind = (uint8_t)kind,
				.keeps = keeps,
				.to = (uint16_t)to };
	for (i = 0; i < 4; i++)
		if (from[i])
			op->from[num++] = (uint16_t)from[i];
}

static void put_one(enum cost_kind kind, Bool keeps, UInt to, UInt from)
{
	const UInt all[4] = { from };

	put(kind, keeps, to, all);
}

/* It takes a port of the L1 two cycles. */
static Bool is_wide(IRType type)
{
	return type == Ity_V256 && w.processor->is_narrow;
}

/* Valgrind has an operation, and a load, for each lane of a fused one. */
static void use(enum cost_kind kind)
{
	w.sum.num[kind] += kind != COST_FP_FUSED || !w.fuses;
	w.fuses |= kind == COST_FP_FUSED;
	if (kind >= COST_FP_ADD && kind <= COST_CONVERT)
		w.floats = True;
	else if (kind != COST_MOVE)
		w.computes = True;
}

static void get(UInt to, Int offset, IRType type)
{
	Int end = offset + sizeofIRType(type);
	UInt from[4] = { 0 };
	UInt num = 0;

	for (; offset < end && num < 4; offset += SLOT_BYTES)
		from[num++] = place_of_slot(offset / SLOT_BYTES);
	put(COST_MOVE, False, to, from);
}

static void set(Int offset, IRType type, UInt from)
{
	Int end = offset + sizeofIRType(type);
	Bool keeps = sizeofIRType(type) < SLOT_BYTES;

	for (; offset < end; offset += SLOT_BYTES)
		put_one(COST_MOVE, keeps, place_of_slot(offset / SLOT_BYTES),
			from);
}

static void load(UInt to, const IRExpr *address)
{
	UInt place = place_of_memory(origin_of(address), 0);

	put_one(COST_LOAD, False, to, value_of(address));
	if (place)
		put_one(COST_FORWARD, True, to, place);
}

static void store(const IRExpr *address, const IRExpr *data, Bool keeps)
{
	put_one(COST_MOVE, keeps, place_of_memory(origin_of(address), 0),
		value_of(data));
}

static void operate(IRTemp to, IROp op, const UInt from[4])
{
	Bool is_address =
		!w.is_value[to] &&
		(op == Iop_Add64 || op == Iop_Sub64 || op == Iop_Shl64);
	enum cost_kind kind = is_address ? COST_MOVE : weigh_kind(op);

	use(kind);
	put(kind, False, MAX_PLACES + to, from);
}

static const UChar *skip_prefixes(Addr address)
{
	const UChar *at = (const UChar *)address;

	while (*at == 0x66 || (*at & 0xf0) == 0x40)
		at++;
	return at;
}

/* Where Valgrind makes one block of two, registers are chosen between what they
 * have with the second one and without: that is no cmov. */
static Bool is_cmov(void)
{
	const UChar *at = skip_prefixes(w.address);

	return at[0] == 0x0f && (at[1] & 0xf0) == 0x40;
}

static void choose(IRTemp to, const IRExpr *e)
{
	const UInt from[4] = { value_of(e->Iex.ITE.cond),
			       value_of(e->Iex.ITE.iftrue),
			       value_of(e->Iex.ITE.iffalse) };

	enum cost_kind kind = is_cmov() ? COST_CHOOSE : COST_MOVE;

	use(kind);
	put(kind, False, MAX_PLACES + to, from);
}

static void call_helper(IRTemp to, IRExpr *const *args)
{
	UInt from[4] = { 0 };
	UInt i;

	for (i = 0; i < 4 && args[i]; i++)
		from[i] = value_of(args[i]);
	use(COST_INT);
	put(COST_INT, False, MAX_PLACES + to, from);
}

static void compute(IRTemp to, const IRExpr *e)
{
	switch (e->tag) {
	case Iex_Get:
		get(MAX_PLACES + to, e->Iex.Get.offset, e->Iex.Get.ty);
		break;
	case Iex_GetI:
		put_one(COST_MOVE, False, MAX_PLACES + to,
			place_in_array(e->Iex.GetI.descr, e->Iex.GetI.ix,
				       e->Iex.GetI.bias));
		break;
	case Iex_Load:
		load(MAX_PLACES + to, e->Iex.Load.addr);
		w.sum.loads += is_wide(e->Iex.Load.ty);
		break;
	case Iex_Unop: {
		const UInt from[4] = { value_of(e->Iex.Unop.arg) };

		operate(to, e->Iex.Unop.op, from);
		break;
	}
	case Iex_Binop: {
		const UInt from[4] = { value_of(e->Iex.Binop.arg1),
				       value_of(e->Iex.Binop.arg2) };

		operate(to, e->Iex.Binop.op, from);
		break;
	}
	case Iex_Triop: {
		const IRTriop *t = e->Iex.Triop.details;
		const UInt from[4] = { value_of(t->arg1), value_of(t->arg2),
				       value_of(t->arg3) };

		operate(to, t->op, from);
		break;
	}
	case Iex_Qop: {
		const IRQop *q = e->Iex.Qop.details;
		const UInt from[4] = { value_of(q->arg1), value_of(q->arg2),
				       value_of(q->arg3), value_of(q->arg4) };

		operate(to, q->op, from);
		break;
	}
	case Iex_ITE: choose(to, e); break;
	case Iex_CCall: call_helper(to, e->Iex.CCall.args); break;
	default: put_one(COST_MOVE, False, MAX_PLACES + to, value_of(e)); break;
	}
}

/* Instructions */

static Bool is_conditional(Addr address)
{
	const UChar *at = skip_prefixes(address);

	return (at[0] & 0xf0) == 0x70 ||
	       (at[0] == 0x0f && (at[1] & 0xf0) == 0x80);
}

/* One that jumps back closes a loop. The distance ends the instruction: a byte,
 * or four; its sign is in the last one. */
static Bool jumps_on(Addr address, UInt length)
{
	return is_conditional(address) &&
	       !(((const UChar *)address)[length - 1] & 0x80);
}

/* cmp or test: one micro-operation with the jump behind it. */
static Bool is_compare(Addr address)
{
	const UChar *at = skip_prefixes(address);
	UInt extension = at[1] >> 3 & 7;

	if ((at[0] >= 0x38 && at[0] <= 0x3d) || at[0] == 0x84 ||
	    at[0] == 0x85 || at[0] == 0xa8 || at[0] == 0xa9)
		return True;
	if (at[0] == 0x80 || at[0] == 0x81 || at[0] == 0x83)
		return extension == 7;
	return (at[0] == 0xf6 || at[0] == 0xf7) && extension == 0;
}

static void end_instruction(void)
{
	Bool moves = w.loads || w.stores || w.floats;

	if (!w.length)
		return;
	if (w.fuses && w.loads)
		w.sum.loads = w.loads_before + 1;
	if (w.was_compare && is_conditional(w.address)) {
		w.was_compare = False;
		return; /* counted with what is before it */
	}
	w.was_compare = is_compare(w.address);
	w.sum.uops += 1 + (w.loads && w.stores);
	w.sum.arith += w.floats + (!moves || w.computes);
}

static void begin_instruction(const IRStmt *s)
{
	Addr last;

	end_instruction();
	w.address = s->Ist.IMark.addr;
	w.length = s->Ist.IMark.len;
	w.loads = w.stores = w.floats = w.computes = w.fuses = False;
	w.loads_before = w.sum.loads;
	if (!w.length)
		return;
	w.instructions[w.num_exits]++;
	if (jumps_on(w.address, w.length))
		w.jumps[w.num_exits] += cost_jump(w.processor);
	w.sum.rounds += w.address == w.start;
	last = (w.address + w.length - 1) / 16;
	w.sum.windows += w.address / 16 != w.window;
	w.sum.windows += last != w.address / 16;
	w.window = last;
}

static void leave(void)
{
	if (w.num_exits + 1 == MAX_EXITS) {
		w.is_too_large = True;
		return;
	}
	w.alone[w.num_exits] = cost_alone(w.processor, &w.sum);
	w.num_exits++;
	w.instructions[w.num_exits] = w.instructions[w.num_exits - 1];
	w.jumps[w.num_exits] = 0;
}

/* What is behind an exit overlaps with what is before it, but for what is done
 * alone. */
static UInt share_of(UInt exit, UInt base)
{
	UInt all = w.num_exits - 1;
	UInt begun = w.first_exit ? w.instructions[w.first_exit - 1] : 0;
	UInt overlapping = base - w.alone[all];

	if (w.instructions[all] != begun)
		overlapping = (UInt)((ULong)overlapping *
				     (w.instructions[exit] - begun) /
				     (w.instructions[all] - begun));
	return overlapping + w.alone[exit];
}

/* The last exit is the end of a part. */
static void end_part(void)
{
	UInt before = w.first_exit ? w.until[w.first_exit - 1] : 0;
	UInt carried = 0;
	UInt base, i;

	if (!w.is_too_large)
		carried = cost_carried(w.processor, w.ops + w.first_op,
				       w.num_ops - w.first_op, w.num_places);
	base = cost_block(w.processor, &w.sum, carried);
	for (i = w.first_exit; i < w.num_exits; i++)
		w.until[i] = before + share_of(i, base);
	w.base += base;
	w.first_exit = w.num_exits;
}

/* What was computed in the part before is there when the next one begins. */
static void forget_values(void)
{
	UInt last = w.num_ops, i;

	for (i = w.first_op; i < last; i++)
		if (w.ops[i].to >= MAX_PLACES)
			put_one(COST_MOVE, False, w.ops[i].to, 0);
	w.first_op = last;
}

/* The program reads the time here: what is before has passed, and nothing of
 * what is behind. */
static void read_time(void)
{
	Bool is_loop = w.sum.is_loop;

	leave();
	end_part();
	forget_values();
	VG_(memset)(&w.sum, 0, sizeof(w.sum));
	w.sum.is_loop = is_loop;
}

/* Where to is guessed, too; of a return it is known. */
static Bool ends_anywhere(const IRSB *in)
{
	return in->next->tag != Iex_Const &&
	       (in->jumpkind == Ijk_Boring || in->jumpkind == Ijk_Call);
}

static void call(const IRDirty *dirty)
{
	const UInt from[4] = { 0 };

	if (clock_reads(dirty))
		read_time();
	if (VG_(strncmp)(dirty->cee->name, "amd64g_", 7) == 0)
		w.sum.num[COST_HELPER]++;
	if (dirty->tmp != IRTemp_INVALID)
		put(COST_MOVE, False, MAX_PLACES + dirty->tmp, from);
}

static void swap(const IRCAS *cas)
{
	put_one(COST_LOCK, False, MAX_PLACES + cas->oldLo, value_of(cas->addr));
	w.sum.num[COST_LOCK]++;
	w.stores = True;
}

static void weigh_statement(const IRStmt *s)
{
	switch (s->tag) {
	case Ist_IMark: begin_instruction(s); break;
	case Ist_WrTmp: compute(s->Ist.WrTmp.tmp, s->Ist.WrTmp.data); break;
	case Ist_Put:
		set(s->Ist.Put.offset,
		    typeOfIRExpr(w.in->tyenv, s->Ist.Put.data),
		    value_of(s->Ist.Put.data));
		break;
	case Ist_PutI: {
		const IRPutI *p = s->Ist.PutI.details;

		put_one(COST_MOVE, False,
			place_in_array(p->descr, p->ix, p->bias),
			value_of(p->data));
		break;
	}
	case Ist_Store:
		store(s->Ist.Store.addr, s->Ist.Store.data, False);
		w.sum.stores += 1 + is_wide(typeOfIRExpr(w.in->tyenv,
							 s->Ist.Store.data));
		w.stores = True;
		break;
	case Ist_StoreG:
		store(s->Ist.StoreG.details->addr, s->Ist.StoreG.details->data,
		      True);
		w.sum.stores++;
		w.stores = True;
		break;
	case Ist_LoadG:
		load(MAX_PLACES + s->Ist.LoadG.details->dst,
		     s->Ist.LoadG.details->addr);
		break;
	case Ist_CAS: swap(s->Ist.CAS.details); break;
	case Ist_Dirty:
		if (!is_note(s)) {
			call(s->Ist.Dirty.details);
		} else {
			w.sum.loads++;
			w.loads = True;
		}
		break;
	case Ist_Exit:
		w.sum.is_loop |= (Addr)s->Ist.Exit.dst->Ico.U64 == w.start;
		leave();
		break;
	default: break;
	}
}

static void begin(const IRSB *in)
{
	Int i;

	w.processor = cost_processor(arena->processor);
	w.in = in;
	VG_(memset)(&w.sum, 0, sizeof(w.sum));
	VG_(memset)(w.of_slot, 0, sizeof(w.of_slot));
	w.num_places = 1;
	w.num_memory = w.num_ops = w.num_exits = 0;
	w.first_exit = w.first_op = 0;
	w.instructions[0] = w.jumps[0] = 0;
	w.length = 0;
	w.window = 0;
	w.was_compare = False;
	w.is_too_large = in->tyenv->types_used > MAX_TEMPS;
	w.start = 0;
	for (i = 0; i < in->stmts_used && !w.start; i++)
		if (in->stmts[i]->tag == Ist_IMark)
			w.start = in->stmts[i]->Ist.IMark.addr;
}

void weigh_begin(const IRSB *in)
{
	Int i;

	begin(in);
	w.base = 0;
	if (arena->cycles_per_instruction || w.is_too_large)
		return;
	find_origins();
	find_addresses();
	for (i = 0; i < in->stmts_used; i++)
		weigh_statement(in->stmts[i]);
	end_instruction();
	if (ends_anywhere(in))
		w.jumps[w.num_exits] += cost_jump(w.processor);
	w.sum.is_loop |= in->next->tag == Iex_Const &&
			 (Addr)in->next->Iex.Const.con->Ico.U64 == w.start;
	leave();
	end_part();
	if (w.sum.loads && !w.is_too_large)
		cost_find_chains(w.ops, w.num_ops,
				 MAX_PLACES + (UInt)in->tyenv->types_used,
				 w.num_places, w.chain);
}

UInt weigh_chain(const IRExpr *address)
{
	UInt i;

	if (!w.base || w.is_too_large || address->tag != Iex_RdTmp)
		return 0;
	for (i = 0; i < w.num_ops; i++)
		if (w.chain[i] &&
		    w.ops[i].from[0] == MAX_PLACES + address->Iex.RdTmp.tmp)
			return 1 + (UInt)((w.start * 41 + w.chain[i]) %
					  (ACCESS_NUM_CHAINS - 1));
	return 0;
}

UInt weigh_exit(UInt number)
{
	if (!w.base || number >= w.num_exits ||
	    !w.instructions[w.num_exits - 1])
		return 0;
	return w.until[number] - (number ? w.until[number - 1] : 0) +
	       w.jumps[number];
}
