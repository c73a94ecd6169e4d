/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A channel that answers after a fixed time.
 */
#include "model/sandy-bridge-ep/imc.h"

#include <stdlib.h>

struct imc {
	uint64_t busy_until;
};

struct imc *imc_new(struct ep *ep, unsigned socket, unsigned channel,
		    const struct uc_family *family)
{
	(void)ep, (void)socket, (void)channel, (void)family;
	return calloc(1, sizeof(struct imc));
}

void imc_free(struct imc *imc)
{
	free(imc);
}
const char *imc_config_check(const struct socket *socket)
{
	(void)socket;
	return NULL;
}
uint64_t imc_read_from(struct imc *imc, uint64_t at)
{
	(void)imc;
	return at;
}
uint64_t imc_write_from(struct imc *imc, uint64_t at)
{
	(void)imc;
	return at;
}
uint64_t imc_read(struct imc *imc, enum imc_request kind, uint64_t local,
		  uint64_t at)
{
	(void)imc, (void)kind, (void)local;
	return at + 150;
}
void imc_write(struct imc *imc, enum imc_request kind, uint64_t local,
	       uint64_t at)
{
	(void)imc, (void)kind, (void)local, (void)at;
}
bool imc_is_idle(const struct imc *imc, uint64_t now)
{
	return now >= imc->busy_until;
}
const char *imc_check(const struct imc *imc)
{
	(void)imc;
	return NULL;
}
