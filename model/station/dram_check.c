/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A rule says how many clocks have to lie between a command of one kind and a
 * later one of another, and where both have to be for it to matter. Since only
 * the last command of a kind at a place can be too near, the checker remembers
 * its clock per bank and per rank, and looks at every rule. Beside that it
 * follows the state of each rank: open rows, clock enable, self-refresh, and
 * how far its initialisation has come.
 *
 * Bursts are of four beats, fixed by the mode register, as in dram.c.
 */
#include "model/station/dram_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum scope {
	SAME_BANK,  /* of the same rank */
	SAME_GROUP, /* of banks of the same rank */
	SAME_RANK,  /* any bank of it */
	OTHER_RANK, /* of the same bus */
	ANY_RANK,   /* of the same bus */
	ANY_BUS,
};

enum kind {
	ROW,
	PRECHARGE,
	PRECHARGE_ALL,
	READ,
	WRITE,
	CLOSING_READ,
	CLOSING_WRITE,
	REFRESH,
	CALIBRATE,
	MODE,	  /* registers 1 to 3 */
	MODE_DLL, /* register 0, which also resets the DLL */
	ENTER_SELF_REFRESH,
	LEAVE_SELF_REFRESH,
	CLOCK_ON,
	CLOCK_OFF,
	IDLE, /* NOP, training */
	NUM_KINDS,
	NO_KIND = NUM_KINDS /* not for the DRAMs */
};

#define BIT(kind) (1u << (kind))

enum {
	ANY_READ = BIT(READ) | BIT(CLOSING_READ),
	ANY_WRITE = BIT(WRITE) | BIT(CLOSING_WRITE),
	COLUMN = ANY_READ | ANY_WRITE,
	ANY_MODE = BIT(MODE) | BIT(MODE_DLL),
	CLOSED = BIT(REFRESH) | BIT(CALIBRATE) | BIT(ENTER_SELF_REFRESH) |
		 BIT(CLOCK_OFF) | ANY_MODE, /* want all banks closed */
	ANY = BIT(NUM_KINDS) - 1,
	USE = COLUMN | BIT(ROW) | BIT(PRECHARGE) | BIT(PRECHARGE_ALL) |
	      BIT(REFRESH) | BIT(CALIBRATE),
	MAX_RULES = 48,
	LATE_REFRESHES = 9, /* eight may be postponed */
	NUM_FAW = 4,
};

static const uint8_t kinds[32] = {
	[0] = NO_KIND,
	[DRAM_PREALL] = PRECHARGE_ALL,
	[DRAM_RAS] = ROW,
	[DRAM_CAS_RD] = READ,
	[DRAM_CAS_WR] = WRITE,
	[DRAM_CASPRE_RD] = CLOSING_READ,
	[DRAM_CASPRE_WR] = CLOSING_WRITE,
	[DRAM_MRS] = MODE_DLL,
	[DRAM_EMRS] = MODE,
	[DRAM_RFR] = REFRESH,
	[DRAM_ENSR] = ENTER_SELF_REFRESH,
	[DRAM_EXSR] = LEAVE_SELF_REFRESH,
	[DRAM_NOP] = IDLE,
	[DRAM_EMRS2] = MODE,
	[DRAM_EMRS3] = MODE,
	[DRAM_GENDRM] = IDLE,
	[DRAM_TRKL] = NO_KIND,
	[DRAM_PRE] = PRECHARGE,
	[DRAM_SYNC] = NO_KIND,
	[DRAM_POLL] = NO_KIND,
	[DRAM_CKEH] = CLOCK_ON,
	[DRAM_CKEL] = CLOCK_OFF,
	[DRAM_IBD] = NO_KIND,
	[DRAM_SFT_RST] = NO_KIND,
	[DRAM_NOWPE] = IDLE,
	[DRAM_WCR] = NO_KIND,
	[DRAM_RCR] = NO_KIND,
	[DRAM_ZQCAL] = CALIBRATE,
	[0x19] = NO_KIND,
	[0x1a] = NO_KIND,
	[0x1b] = NO_KIND,
	[0x1f] = NO_KIND,
};

/* The registers of a DRAM are set in this order, then it is calibrated. */
static const uint8_t init_order[] = { DRAM_EMRS2, DRAM_EMRS3, DRAM_EMRS,
				      DRAM_MRS, DRAM_ZQCAL };

struct rule {
	const char *name;
	unsigned before, after; /* bits of kinds */
	enum scope scope;
	unsigned clocks;
};

/* Clock + 1 of the last command of each kind; 0: none. */
struct last {
	uint64_t clock[NUM_KINDS];
};

struct rank {
	struct last last;
	uint64_t activates[NUM_FAW]; /* clock + 1, `next` the oldest */
	uint64_t refreshed;
	uint64_t calibrated; /* the long calibration lasts until then, */
	uint64_t reset;	     /* and the time after a reset */
	unsigned next, init_step;
	bool is_off, is_self_refreshing, has_data;
};

struct dram_check {
	struct dram_config config;
	struct rule rules[MAX_RULES];
	unsigned num_rules;
	uint64_t clock;
	struct last last; /* anywhere */
	struct rank ranks[DRAM_MAX_RANKS];
	struct last banks[DRAM_MAX_BANKS];
	int64_t open_row[DRAM_MAX_BANKS];
	char fault[256]; /* first one */
};

static void rule(struct dram_check *check, const char *name, unsigned before,
		 unsigned after, enum scope scope, int clocks)
{
	if (clocks > 0)
		check->rules[check->num_rules++] = (struct rule){
			name, before, after, scope, (unsigned)clocks,
		};
}

static void make_row_rules(struct dram_check *k)
{
	const struct dram_config *c = &k->config;
	int rp = (int)c->trp_clocks, ras = (int)c->tras_clocks;
	unsigned row = BIT(ROW), pre = BIT(PRECHARGE);
	unsigned all = BIT(PRECHARGE_ALL);

	rule(k, "command bus", ANY, ANY, ANY_RANK, 1);
	rule(k, "tRC", row, row, SAME_BANK, ras + rp);
	rule(k, "tRC", row, CLOSED, SAME_RANK, ras + rp);
	rule(k, "tRRD", row, row, SAME_RANK, (int)c->trrd_clocks);
	if (c->groups > 1)
		rule(k, "tRRD_L", row, row, SAME_GROUP, (int)c->trrd_l_clocks);
	rule(k, "tRCD", row, COLUMN, SAME_BANK, (int)c->trcd_clocks);
	rule(k, "tRAS", row, pre, SAME_BANK, ras);
	rule(k, "tRAS", row, all, SAME_RANK, ras);
	rule(k, "tRP", pre, row, SAME_BANK, rp);
	rule(k, "tRP", all, row, SAME_RANK, rp);
	rule(k, "tRP", pre | all, CLOSED, SAME_RANK, rp);
	rule(k, "tRFC", BIT(REFRESH), ANY, SAME_RANK, (int)c->trfc_clocks);
	rule(k, "tZQCS", BIT(CALIBRATE), ANY, SAME_RANK, (int)c->tzqcs_clocks);
}

static void make_column_rules(struct dram_check *k)
{
	const struct dram_config *c = &k->config;
	int burst = (int)c->burst_clocks, rp = (int)c->trp_clocks;
	int cl = (int)c->cl_clocks, cwl = (int)c->cwl_clocks;
	int rtp = (int)c->trtp_clocks, rtrs = (int)c->trtrs_clocks;
	int wr = cwl + burst + (int)c->twr_clocks;
	unsigned row = BIT(ROW), pre = BIT(PRECHARGE);
	unsigned all = BIT(PRECHARGE_ALL);

	rule(k, "tRTP", BIT(READ), pre, SAME_BANK, rtp);
	rule(k, "tRTP", BIT(READ), all, SAME_RANK, rtp);
	rule(k, "tRTP+tRP", BIT(CLOSING_READ), row, SAME_BANK, rtp + rp);
	rule(k, "tRTP+tRP", BIT(CLOSING_READ), CLOSED, SAME_RANK, rtp + rp);
	rule(k, "tWR", BIT(WRITE), pre, SAME_BANK, wr);
	rule(k, "tWR", BIT(WRITE), all, SAME_RANK, wr);
	rule(k, "tWR+tRP", BIT(CLOSING_WRITE), row, SAME_BANK, wr + rp);
	rule(k, "tWR+tRP", BIT(CLOSING_WRITE), CLOSED, SAME_RANK, wr + rp);
	rule(k, "tCCD", ANY_READ, ANY_READ, SAME_RANK, (int)c->tccd_clocks);
	rule(k, "tCCD", ANY_WRITE, ANY_WRITE, SAME_RANK, (int)c->tccd_clocks);
	rule(k, "tWTR", ANY_WRITE, ANY_READ, SAME_RANK,
	     cwl + burst + (int)c->twtr_clocks);
	if (c->groups > 1) {
		int ccd_l = (int)c->tccd_l_clocks;

		rule(k, "tCCD_L", ANY_READ, ANY_READ, SAME_GROUP, ccd_l);
		rule(k, "tCCD_L", ANY_WRITE, ANY_WRITE, SAME_GROUP, ccd_l);
		rule(k, "tWTR_L", ANY_WRITE, ANY_READ, SAME_GROUP,
		     cwl + burst + (int)c->twtr_l_clocks);
	}
	rule(k, "tRTW", ANY_READ, ANY_WRITE, ANY_RANK, cl + burst + 2 - cwl);
	rule(k, "rank switch", ANY_READ, ANY_READ, OTHER_RANK, burst + rtrs);
	rule(k, "rank switch", ANY_WRITE, ANY_WRITE, OTHER_RANK, burst + rtrs);
	rule(k, "rank switch", ANY_WRITE, ANY_READ, OTHER_RANK,
	     cwl + burst + rtrs - cl);
	rule(k, "northbound link", ANY_READ, ANY_READ, ANY_BUS, burst);
}

static void make_state_rules(struct dram_check *k)
{
	const struct dram_config *c = &k->config;
	int dll = (int)c->tdllk_clocks, xs = (int)c->txs_clocks;

	rule(k, "tMRD", ANY_MODE, ANY_MODE, SAME_RANK, (int)c->tmrd_clocks);
	rule(k, "tMOD", ANY_MODE, ANY & ~(unsigned)(ANY_MODE | BIT(IDLE)),
	     SAME_RANK, (int)c->tmod_clocks);
	rule(k, "tDLLK", BIT(MODE_DLL) | BIT(LEAVE_SELF_REFRESH), ANY_READ,
	     SAME_RANK, dll);
	rule(k, "tXS", BIT(LEAVE_SELF_REFRESH), USE | ANY_MODE, SAME_RANK, xs);
	rule(k, "tXP", BIT(CLOCK_ON), USE | ANY_MODE, SAME_RANK,
	     (int)c->txp_clocks);
	rule(k, "tCKE", BIT(CLOCK_OFF), BIT(CLOCK_ON), SAME_RANK,
	     (int)c->tcke_clocks);
	rule(k, "tCKE", BIT(CLOCK_ON), BIT(CLOCK_OFF), SAME_RANK,
	     (int)c->tcke_clocks);
}

struct dram_check *dram_check_new(const struct dram_config *config)
{
	struct dram_check *check = calloc(1, sizeof(*check));

	if (!check)
		return NULL;
	check->config = *config;
	for (unsigned i = 0; i < DRAM_MAX_BANKS; i++)
		check->open_row[i] = -1;
	make_row_rules(check);
	make_column_rules(check);
	make_state_rules(check);
	return check;
}

void dram_check_free(struct dram_check *check)
{
	free(check);
}

const char *dram_check_fault(const struct dram_check *check)
{
	return check->fault[0] ? check->fault : NULL;
}

static void fault(struct dram_check *check, const char *what,
		  const struct dram_command *b)
{
	if (!check->fault[0])
		snprintf(check->fault, sizeof(check->fault),
			 "%s: command 0x%x at clock %" PRIu64
			 " to bus %u rank %u bank %u row %u",
			 what, b->cmd, b->clock, b->bus, b->rank, b->bank,
			 b->row);
}

/* Places */

static unsigned rank_at(const struct dram_check *check,
			const struct dram_command *b)
{
	return b->bus * check->config.ranks + b->rank;
}

static unsigned bank_at(const struct dram_check *check,
			const struct dram_command *b)
{
	return rank_at(check, b) * check->config.banks + b->bank;
}

/* Clock + 1 of the last command of the kinds within the scope. */
static uint64_t latest(const struct last *last, unsigned before)
{
	uint64_t clock = 0;

	for (; before; before &= before - 1) {
		uint64_t of_kind = last->clock[__builtin_ctz(before)];

		clock = of_kind > clock ? of_kind : clock;
	}
	return clock;
}

static uint64_t latest_of_bus(const struct dram_check *check,
			      const struct rule *rule,
			      const struct dram_command *b)
{
	unsigned first = b->bus * check->config.ranks;
	uint64_t clock = 0;

	for (unsigned i = 0; i < check->config.ranks; i++) {
		uint64_t of_rank;

		if (rule->scope == OTHER_RANK && i == b->rank)
			continue;
		of_rank = latest(&check->ranks[first + i].last, rule->before);
		clock = of_rank > clock ? of_rank : clock;
	}
	return clock;
}

static uint64_t latest_of_group(const struct dram_check *check,
				const struct rule *rule,
				const struct dram_command *b)
{
	unsigned groups = check->config.groups;
	unsigned first = rank_at(check, b) * check->config.banks;
	uint64_t clock = 0;

	for (unsigned i = b->bank % groups; i < check->config.banks;
	     i += groups) {
		uint64_t of_bank =
			latest(&check->banks[first + i], rule->before);

		clock = of_bank > clock ? of_bank : clock;
	}
	return clock;
}

static uint64_t latest_in_scope(const struct dram_check *check,
				const struct rule *rule,
				const struct dram_command *b)
{
	switch (rule->scope) {
	case SAME_BANK:
		return latest(&check->banks[bank_at(check, b)], rule->before);
	case SAME_GROUP: return latest_of_group(check, rule, b);
	case SAME_RANK:
		return latest(&check->ranks[rank_at(check, b)].last,
			      rule->before);
	case OTHER_RANK:
	case ANY_RANK: return latest_of_bus(check, rule, b);
	default: return latest(&check->last, rule->before);
	}
}

/* Checks */

static void check_times(struct dram_check *check, const struct dram_command *b,
			unsigned after)
{
	for (unsigned i = 0; i < check->num_rules; i++) {
		const struct rule *rule = &check->rules[i];
		uint64_t last;

		if (!(rule->after & after))
			continue;
		last = latest_in_scope(check, rule, b);
		if (last && b->clock - (last - 1) < rule->clocks)
			fault(check, rule->name, b);
	}
}

static void check_activates(struct dram_check *check,
			    const struct dram_command *b)
{
	struct rank *rank = &check->ranks[rank_at(check, b)];
	uint64_t oldest = rank->activates[rank->next];

	if (oldest && b->clock - (oldest - 1) < check->config.tfaw_clocks)
		fault(check, "tFAW", b);
	rank->activates[rank->next] = b->clock + 1;
	rank->next = (rank->next + 1) % NUM_FAW;
}

static void check_closed(struct dram_check *check, const struct dram_command *b)
{
	unsigned first = rank_at(check, b) * check->config.banks;

	for (unsigned i = 0; i < check->config.banks; i++)
		if (check->open_row[first + i] >= 0)
			fault(check, "open bank at a command for the rank", b);
}

static void close_all(struct dram_check *check, const struct dram_command *b)
{
	unsigned first = rank_at(check, b) * check->config.banks;

	for (unsigned i = 0; i < check->config.banks; i++)
		check->open_row[first + i] = -1;
}

/* Commands fit the state of their bank. */
static void check_rows(struct dram_check *check, const struct dram_command *b,
		       enum kind kind)
{
	int64_t *row = &check->open_row[bank_at(check, b)];

	if (BIT(kind) & COLUMN && *row != (int64_t)b->row)
		fault(check, "column command to another row", b);
	if (kind == ROW && *row >= 0)
		fault(check, "activate of an open bank", b);
	if (kind == PRECHARGE && *row < 0)
		fault(check, "precharge of a closed bank", b);
	if (BIT(kind) & CLOSED)
		check_closed(check, b);
	if (kind == ROW)
		*row = b->row;
	else if (kind == PRECHARGE || kind == CLOSING_READ ||
		 kind == CLOSING_WRITE)
		*row = -1;
	else if (kind == PRECHARGE_ALL)
		close_all(check, b);
}

static void check_init(struct dram_check *check, const struct dram_command *b,
		       enum kind kind)
{
	struct rank *rank = &check->ranks[rank_at(check, b)];
	bool is_step =
		BIT(kind) & ANY_MODE || (kind == CALIBRATE && rank->init_step);

	if (rank->calibrated > b->clock)
		fault(check, "tZQinit", b);
	if (rank->init_step && !is_step && BIT(kind) & USE)
		fault(check, "use of a rank before all its registers are set",
		      b);
	if (!is_step)
		return;
	if (rank->reset > b->clock)
		fault(check, "tXPR", b);
	if (init_order[rank->init_step] != b->cmd) {
		fault(check, "initialisation out of order", b);
		return;
	}
	rank->init_step = (rank->init_step + 1) % sizeof(init_order);
	if (!rank->init_step)
		rank->calibrated = b->clock + check->config.tzqinit_clocks;
	rank->refreshed = b->clock;
}

/* Clock enable and self-refresh. */
static void check_sleep(struct dram_check *check, const struct dram_command *b,
			enum kind kind)
{
	struct rank *rank = &check->ranks[rank_at(check, b)];

	if (rank->is_off && kind != CLOCK_ON)
		fault(check, "command to a rank whose clock is off", b);
	if (rank->is_self_refreshing && kind != CLOCK_ON && kind != CLOCK_OFF &&
	    kind != LEAVE_SELF_REFRESH)
		fault(check, "command to a rank that refreshes itself", b);
	if (kind == CLOCK_ON && !rank->is_off)
		rank->reset = b->clock + check->config.txs_clocks;
	if (kind == CLOCK_ON)
		rank->is_off = false;
	else if (kind == CLOCK_OFF)
		rank->is_off = true;
	else if (kind == ENTER_SELF_REFRESH)
		rank->is_self_refreshing = true;
	if (kind == LEAVE_SELF_REFRESH) {
		if (!rank->is_self_refreshing)
			fault(check, "end of a self-refresh that is not", b);
		rank->is_self_refreshing = false;
		rank->refreshed = b->clock;
	}
}

void dram_check_excuse(struct dram_check *check, uint64_t clocks)
{
	if (!check)
		return;
	for (unsigned i = 0; i < check->config.buses * check->config.ranks; i++)
		check->ranks[i].refreshed += clocks;
}

/* A rank must be refreshed every tREFI, from its first row on: initialisation
 * may take as long as it likes. */
static void check_refresh(struct dram_check *check,
			  const struct dram_command *b, enum kind kind)
{
	struct rank *rank = &check->ranks[rank_at(check, b)];
	uint64_t most = (uint64_t)LATE_REFRESHES * check->config.trefi_clocks;

	if (!most || rank->is_self_refreshing)
		return;
	if (!rank->has_data && kind == ROW && rank->refreshed + most < b->clock)
		rank->refreshed = b->clock;
	rank->has_data |= kind == ROW;
	if (rank->has_data && b->clock > rank->refreshed + most)
		fault(check, "refresh is late", b);
	if (kind == REFRESH)
		rank->refreshed = b->clock;
}

void dram_check_command(void *object, const struct dram_command *b)
{
	struct dram_check *check = object;
	enum kind kind = kinds[b->cmd & 31];
	uint64_t clock = b->clock + 1;

	if (b->clock < check->clock)
		fault(check, "time runs backwards", b);
	check->clock = b->clock;
	if (kind == NO_KIND)
		return;
	check_times(check, b, BIT(kind));
	if (kind == ROW)
		check_activates(check, b);
	check_rows(check, b, kind);
	check_sleep(check, b, kind);
	check_init(check, b, kind);
	check_refresh(check, b, kind);
	check->last.clock[kind] = clock;
	check->ranks[rank_at(check, b)].last.clock[kind] = clock;
	check->banks[bank_at(check, b)].clock[kind] = clock;
}
