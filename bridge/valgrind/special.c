/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * What these instructions do is put into the program's code in front of them,
 * where Valgrind has just begun to translate one: only there all registers are
 * in the guest state, so that addresses can be worked out. For that the linker
 * lets Valgrind call special_translate() first (--wrap in meson.build).
 */
#include "bridge/valgrind/special.h"

#include "uncore/mark.h"

enum { OPERAND_SIZE = 0x66, REPNE = 0xf2, REP = 0xf3, ESCAPED = 0x100 };

/* Prefixes and opcode, up to the operand. */
struct bytes {
	const UChar *at;
	UChar size, rep, rex, segment;
	UInt opcode; /* those behind 0f are ESCAPED and more */
};

static Bool is_prefix(UChar byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3: return True;
	default: return False;
	}
}

/* VEX prefix: map 1 is that of 0x0f; the last two bits stand for 66, f3, f2. */
static void take_vex(struct bytes *bytes)
{
	static const UChar implied[] = { 0, OPERAND_SIZE, REP, REPNE };
	Bool is_long = bytes->at[0] == 0xc4;
	UChar last = bytes->at[is_long ? 2 : 1];
	UChar map = is_long ? bytes->at[1] & 0x1f : 1;

	bytes->size = implied[last & 3] == OPERAND_SIZE ? OPERAND_SIZE : 0;
	bytes->rep = implied[last & 3] == OPERAND_SIZE ? 0 : implied[last & 3];
	bytes->rex = (UChar)(~bytes->at[1] >> 7 & 1) << 2;
	if (is_long)
		bytes->rex |= (UChar)(~bytes->at[1] >> 5 & 3);
	bytes->at += is_long ? 3 : 2;
	bytes->opcode = map == 1 ? ESCAPED | *bytes->at : 0;
	bytes->at++;
}

static void take_prefixes(struct bytes *bytes)
{
	for (; is_prefix(*bytes->at); bytes->at++) {
		if (*bytes->at == OPERAND_SIZE)
			bytes->size = OPERAND_SIZE;
		else if (*bytes->at == REP || *bytes->at == REPNE)
			bytes->rep = *bytes->at;
		else if (*bytes->at == 0x64 || *bytes->at == 0x65)
			bytes->segment = *bytes->at;
	}
	if ((*bytes->at & 0xf0) == 0x40)
		bytes->rex = *bytes->at++ & 0xf;
}

static struct bytes read_bytes(Addr address)
{
	struct bytes bytes = { .at = (const UChar *)address };

	take_prefixes(&bytes);
	if (*bytes.at == 0xc4 || *bytes.at == 0xc5) {
		take_vex(&bytes);
	} else if (*bytes.at == 0x0f) {
		bytes.opcode = ESCAPED | bytes.at[1];
		bytes.at += 2;
	} else {
		bytes.opcode = *bytes.at++;
	}
	return bytes;
}

static Bool has_memory(const UChar *operand)
{
	return operand[0] >> 6 != 3;
}

/* Bytes of ModRM, SIB and displacement. */
static UInt operand_length(const UChar *operand)
{
	UInt mod = operand[0] >> 6;
	UInt length = 1;
	Bool has_sib = mod != 3 && (operand[0] & 7) == 4;

	length += has_sib;
	if (mod == 1)
		length += 1;
	else if (mod == 2 || (mod == 0 && (operand[0] & 7) == 5) ||
		 (mod == 0 && has_sib && (operand[1] & 7) == 5))
		length += 4;
	return length;
}

static Int number_at(const UChar *at)
{
	Int number;

	VG_(memcpy)(&number, at, sizeof(number));
	return number;
}

/* Group 15 (0f ae). */
static enum special_kind group15(const struct bytes *bytes)
{
	UInt which = *bytes->at >> 3 & 7;

	if (!has_memory(bytes->at))
		return which >= 6 && !bytes->rep ? SPECIAL_FENCE : SPECIAL_NONE;
	if (which == 7 && !bytes->rep)
		return SPECIAL_FLUSH;
	if (which == 6 && bytes->size)
		return SPECIAL_CLEAN;
	return SPECIAL_NONE;
}

static enum special_kind kind_of(const struct bytes *bytes, UInt *mark)
{
	UInt which = *bytes->at >> 3 & 7;

	switch (bytes->opcode) {
	case ESCAPED + 0x2b:
	case ESCAPED + 0xc3:
	case ESCAPED + 0xe7:
		if (bytes->opcode == ESCAPED + 0xe7 && bytes->rep)
			return SPECIAL_NONE;
		return has_memory(bytes->at) ? SPECIAL_STREAM : SPECIAL_NONE;
	case ESCAPED + 0xf7:
		return has_memory(bytes->at) || bytes->rep ? SPECIAL_NONE
							   : SPECIAL_MASKED;
	case ESCAPED + 0xa2: return SPECIAL_FENCE; /* cpuid */
	case ESCAPED + 0x18:
		return has_memory(bytes->at) && which <= 3 ? SPECIAL_PREFETCH
							   : SPECIAL_NONE;
	case ESCAPED + 0x0d:
		if (!has_memory(bytes->at))
			return SPECIAL_NONE;
		return which == 1 ? SPECIAL_PREFETCH_W : SPECIAL_PREFETCH;
	case ESCAPED + 0x1c:
		return has_memory(bytes->at) && !which && !bytes->rep
			       ? SPECIAL_DEMOTE
			       : SPECIAL_NONE;
	case ESCAPED + 0x1f:
		if (bytes->at[0] != 0x80 || bytes->rex ||
		    ((UInt)number_at(bytes->at + 1) & 0xffffff00u) !=
			    (UNCORE_MARK_BEGIN & 0xffffff00u))
			return SPECIAL_NONE;
		*mark = (UInt)number_at(bytes->at + 1);
		return SPECIAL_MARK;
	case ESCAPED + 0xae: return group15(bytes);
	case 0x90: return bytes->rep == REP ? SPECIAL_PAUSE : SPECIAL_NONE;
	case 0xa4:
	case 0xa5:
	case 0xaa:
	case 0xab: return bytes->rep ? SPECIAL_STRING : SPECIAL_NONE;
	case 0x62: return SPECIAL_EVEX;
	default: return SPECIAL_NONE;
	}
}

/* What a round of a string instruction stores. */
static UInt round_bytes(const struct bytes *bytes)
{
	enum { IS_BYTES = 1, WIDE = 8 }; /* opcode: not set; REX.W */

	if (!(bytes->opcode & IS_BYTES))
		return 1;
	if (bytes->rex & WIDE)
		return 8;
	return bytes->size ? 2 : 4;
}

struct special special_of(Addr address)
{
	struct bytes bytes = read_bytes(address);
	struct special special = { .kind = SPECIAL_NONE };
	const UChar *end = bytes.at;

	special.kind = kind_of(&bytes, &special.mark);
	if (!special.kind)
		return special;
	if (bytes.opcode >= ESCAPED) {
		if (has_memory(bytes.at))
			special.operand = (Addr)bytes.at;
		end += operand_length(bytes.at);
	}
	if (special.kind == SPECIAL_STRING)
		special.round_bytes = round_bytes(&bytes);
	if (special.kind == SPECIAL_MASKED)
		special.mask = (UChar)((*bytes.at & 7) | (bytes.rex & 1) << 3);
	special.is_xmm = bytes.size != 0;
	special.rex = bytes.rex;
	special.segment = bytes.segment;
	special.length = (UInt)(end - (const UChar *)address);
	return special;
}

/* Addresses in IR */

static IRExpr *constant(uint64_t value)
{
	return IRExpr_Const(IRConst_U64(value));
}

static IRExpr *assign(IRSB *out, IRExpr *value)
{
	IRTemp temp = newIRTemp(out->tyenv, Ity_I64);

	addStmtToIRSB(out, IRStmt_WrTmp(temp, value));
	return IRExpr_RdTmp(temp);
}

static IRExpr *sum(IRSB *out, IRExpr *a, IRExpr *b)
{
	return assign(out, IRExpr_Binop(Iop_Add64, a, b));
}

static IRExpr *get(IRSB *out, Int offset)
{
	return assign(out, IRExpr_Get(offset, Ity_I64));
}

static IRExpr *get_register(IRSB *out, UInt number)
{
	static const Int offsets[] = {
		REGISTER(RAX), REGISTER(RCX), REGISTER(RDX), REGISTER(RBX),
		REGISTER(RSP), REGISTER(RBP), REGISTER(RSI), REGISTER(RDI),
		REGISTER(R8),  REGISTER(R9),  REGISTER(R10), REGISTER(R11),
		REGISTER(R12), REGISTER(R13), REGISTER(R14), REGISTER(R15),
	};

	return get(out, offsets[number & 15]);
}

/* Base and index of an operand with SIB; the displacement is added later. */
static IRExpr *from_sib(IRSB *out, const UChar *operand, UInt rex)
{
	UInt base = (operand[1] & 7) | (rex & 1) << 3;
	UInt index = (operand[1] >> 3 & 7) | (rex >> 1 & 1) << 3;
	IRExpr *address = constant(0);

	if ((operand[1] & 7) != 5 || operand[0] >> 6)
		address = get_register(out, base);
	if (index != 4)
		address = sum(
			out, address,
			assign(out,
			       IRExpr_Binop(Iop_Shl64, get_register(out, index),
					    IRExpr_Const(IRConst_U8(
						    operand[1] >> 6)))));
	return address;
}

static int64_t displacement(const UChar *operand)
{
	UInt length = operand_length(operand);
	UInt before = 1u + ((operand[0] & 7) == 4);

	if (length == before)
		return 0;
	return length == before + 1 ? (Char)operand[before]
				    : number_at(operand + before);
}

static IRExpr *in_segment(IRSB *out, const struct special *special,
			  IRExpr *address)
{
	if (special->segment == 0x64)
		return sum(out, address, get(out, REGISTER(FS_CONST)));
	if (special->segment == 0x65)
		return sum(out, address, get(out, REGISTER(GS_CONST)));
	return address;
}

static IRExpr *address_of(IRSB *out, const struct special *special, Addr next)
{
	const UChar *operand = (const UChar *)special->operand;
	IRExpr *address;

	if ((operand[0] & 7) == 4)
		address = from_sib(out, operand, special->rex);
	else if (operand[0] >> 6 == 0 && (operand[0] & 7) == 5)
		address = constant(next);
	else
		address = get_register(out, (operand[0] & 7) |
						    (special->rex & 1u) << 3);
	address = sum(out, address, constant((uint64_t)displacement(operand)));
	return in_segment(out, special, address);
}

/* The highest bits of the mask's bytes: bit n of byte n. */
static IRExpr *masked_bytes(IRSB *out, const struct special *special)
{
	Int xmm = REGISTER(YMM0) + special->mask * (Int)sizeof(U256);
	Int mmx = REGISTER(FPREG) + (special->mask & 7) * (Int)sizeof(ULong);
	IRTemp mask =
		newIRTemp(out->tyenv, special->is_xmm ? Ity_V128 : Ity_I64);
	IRTemp bits = newIRTemp(out->tyenv, special->is_xmm ? Ity_I16 : Ity_I8);

	addStmtToIRSB(out,
		      IRStmt_WrTmp(mask, special->is_xmm
						 ? IRExpr_Get(xmm, Ity_V128)
						 : IRExpr_Get(mmx, Ity_I64)));
	addStmtToIRSB(
		out,
		IRStmt_WrTmp(bits, IRExpr_Unop(special->is_xmm ? Iop_GetMSBs8x16
							       : Iop_GetMSBs8x8,
					       IRExpr_RdTmp(mask))));
	return assign(out,
		      IRExpr_Unop(special->is_xmm ? Iop_16Uto64 : Iop_8Uto64,
				  IRExpr_RdTmp(bits)));
}

/* What they do */

static void yield(void)
{
	front.wants_to_yield = 1;
}

static void call(IRSB *out, const HChar *name, void *function,
		 IRExpr **arguments)
{
	Int num = 0;

	while (arguments[num])
		num++;
	addStmtToIRSB(out,
		      IRStmt_Dirty(unsafeIRDirty_0_N(
			      num < 3 ? num : 3, name,
			      VG_(fnptr_to_fnentry)(function), arguments)));
}

static void emit(IRSB *out, const struct special *special, Addr instruction)
{
	Addr next = instruction + special->length;
	IRExpr *code = constant(instruction);

	switch (special->kind) {
	case SPECIAL_PREFETCH:
	case SPECIAL_PREFETCH_W:
		call(out, "prefetch", access_prefetch,
		     mkIRExprVec_3(
			     address_of(out, special, next), code,
			     constant(special->kind == SPECIAL_PREFETCH_W)));
		break;
	case SPECIAL_FLUSH:
	case SPECIAL_CLEAN:
		call(out, "flush", access_flush,
		     mkIRExprVec_3(address_of(out, special, next), code,
				   constant(special->kind == SPECIAL_CLEAN)));
		break;
	case SPECIAL_MASKED:
		call(out, "stream_some", access_stream_some,
		     mkIRExprVec_3(
			     in_segment(out, special, get(out, REGISTER(RDI))),
			     code, masked_bytes(out, special)));
		break;
	case SPECIAL_FENCE:
		call(out, "fence", access_fence, mkIRExprVec_0());
		break;
	case SPECIAL_PAUSE: call(out, "yield", yield, mkIRExprVec_0()); break;
	case SPECIAL_MARK:
		call(out, "mark", region_mark,
		     mkIRExprVec_2(constant(special->mark),
				   get(out, REGISTER(RAX))));
		break;
	default: break;
	}
}

/* Called by Valgrind's translation of one instruction, before that: its
 * parameters, as they lie in registers. Whether a place for the result comes
 * first depends on the version. */
__attribute__((used)) void special_before(UWord a, UWord b, UWord c, UWord d,
					  UWord e);
void special_before(UWord a, UWord b, UWord c, UWord d, UWord e)
{
	Bool has_result = b + c != d && c + d == e;
	IRSB *out = (IRSB *)(has_result ? b : a);
	Addr address = has_result ? e : d;
	struct special special;

	if (!has_result && b + c != d)
		return;
	special = special_of(address);
	if (special.kind)
		emit(out, &special, address);
}

__asm__(".text\n"
	".globl __wrap_disInstr_AMD64\n"
	"__wrap_disInstr_AMD64:\n"
	"	push %rdi\n"
	"	push %rsi\n"
	"	push %rdx\n"
	"	push %rcx\n"
	"	push %r8\n"
	"	push %r9\n"
	"	sub $8, %rsp\n"
	"	call special_before\n"
	"	add $8, %rsp\n"
	"	pop %r9\n"
	"	pop %r8\n"
	"	pop %rcx\n"
	"	pop %rdx\n"
	"	pop %rsi\n"
	"	pop %rdi\n"
	"	jmp __real_disInstr_AMD64\n");
