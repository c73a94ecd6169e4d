/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * The closing of idle pages: with the adaptive policy, a page that nobody has
 * used for some time is closed before the next transaction, which is likely to
 * need another row, has to do it. Banks with an idle open page stand in a list
 * in the order of their last use, so only its head is ever looked at.
 */
#include "model/box/mbox_parts.h"

void mbox_page_start(struct mbox *mbox)
{
	mbox->idle_first = mbox->idle_last = MBOX_NO_BANK;
}

/* The bank has an open page and nothing to do: last in the list of such. */
void mbox_page_touch(struct mbox *mbox, unsigned index, uint64_t clock)
{
	struct mbox_bank *bank = &mbox->banks[index];

	if (mbox->config.page_policy != MBOX_PAGE_ADAPTIVE ||
	    !mbox->config.page_idle_cycles || bank->is_idle ||
	    mbox->dram.banks[index].row < 0)
		return;
	bank->is_idle = true;
	bank->idle_deadline =
		clock + mbox_clock_after(mbox, mbox->config.page_idle_cycles);
	bank->idle_next = MBOX_NO_BANK;
	bank->idle_previous = mbox->idle_last;
	if (mbox->idle_last == MBOX_NO_BANK)
		mbox->idle_first = (uint8_t)index;
	else
		mbox->banks[mbox->idle_last].idle_next = (uint8_t)index;
	mbox->idle_last = (uint8_t)index;
}

/* The bank has work, or no open page any more. */
void mbox_page_forget(struct mbox *mbox, unsigned index)
{
	struct mbox_bank *bank = &mbox->banks[index];

	mbox_bus_of(mbox, index)->closing &= ~mbox_bit_of(mbox, index);
	if (!bank->is_idle)
		return;
	bank->is_idle = false;
	if (bank->idle_previous == MBOX_NO_BANK)
		mbox->idle_first = bank->idle_next;
	else
		mbox->banks[bank->idle_previous].idle_next = bank->idle_next;
	if (bank->idle_next == MBOX_NO_BANK)
		mbox->idle_last = bank->idle_previous;
	else
		mbox->banks[bank->idle_next].idle_previous =
			bank->idle_previous;
}

/* The clock in which the first idle page is to be closed. */
uint64_t mbox_page_deadline(const struct mbox *mbox)
{
	if (mbox->idle_first == MBOX_NO_BANK)
		return MBOX_NO_CLOCK;
	return mbox->banks[mbox->idle_first].idle_deadline;
}

/* Shows the issue logic the pages that have been idle for long enough. */
void mbox_page_expire(struct mbox *mbox, uint64_t clock)
{
	while (mbox_page_deadline(mbox) <= clock) {
		unsigned index = mbox->idle_first;

		mbox_page_forget(mbox, index);
		mbox_bus_of(mbox, index)->closing |= mbox_bit_of(mbox, index);
	}
}
