/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A ring stop without devices.
 */
#include "model/sandy-bridge-ep/iio.h"

#include <stdlib.h>

struct iio {
	unsigned socket;
};
struct iio *iio_new(struct ep *ep, unsigned socket,
		    const struct uc_family *family)
{
	(void)ep, (void)socket, (void)family;
	return calloc(1, sizeof(struct iio));
}
void iio_free(struct iio *iio)
{
	free(iio);
}
void iio_start(struct iio *iio)
{
	(void)iio;
}
bool iio_device(const struct iio *iio, uint64_t *latest, uint64_t *line)
{
	(void)iio, (void)latest, (void)line;
	return false;
}
bool iio_is_settled(const struct iio *iio, uint64_t now)
{
	(void)iio, (void)now;
	return true;
}
uint64_t iio_serve(struct iio *iio, unsigned kind, uint64_t at)
{
	(void)iio, (void)kind;
	return at + 400;
}
const char *iio_check_rest(const struct iio *iio, uint64_t now)
{
	(void)iio, (void)now;
	return NULL;
}
