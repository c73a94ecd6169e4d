/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 */
#include "model/box/combining.h"

enum { LINE_BYTES = 64 };

static struct privcache_request let_go(struct combining *combining, unsigned i)
{
	struct privcache_request request = {
		.line = combining->buffers[i].line,
		.kind = ~combining->buffers[i].bytes ? UNCORE_ACCESS_NT_PART
						     : UNCORE_ACCESS_NT_WRITE,
	};

	combining->num--;
	for (; i < combining->num; i++)
		combining->buffers[i] = combining->buffers[i + 1];
	return request;
}

/* The line's buffer, or combining->num. */
static unsigned find(const struct combining *combining, uint64_t line)
{
	unsigned i = 0;

	while (i < combining->num && combining->buffers[i].line != line)
		i++;
	return i;
}

unsigned combining_store(struct combining *combining, struct privcache *cache,
			 uint64_t line, unsigned offset, unsigned size_bytes,
			 struct privcache_request out[COMBINING_MAX_REQUESTS])
{
	uint64_t bytes = UINT64_MAX >> (LINE_BYTES - size_bytes) << offset;
	unsigned i = find(combining, line);
	unsigned num = 0;

	if (i == combining->num) {
		if (i == COMBINING_BUFFERS)
			out[num++] = let_go(combining, 0);
		if (privcache_invalidate(cache, line, false))
			out[num++] = (struct privcache_request){
				.line = line,
				.kind = UNCORE_ACCESS_WRITEBACK,
			};
		i = combining->num++;
		combining->buffers[i] =
			(struct combining_buffer){ .line = line };
	}
	combining->buffers[i].bytes |= bytes;
	if (!~combining->buffers[i].bytes)
		out[num++] = let_go(combining, i);
	return num;
}

unsigned combining_leave(struct combining *combining, uint64_t line,
			 struct privcache_request *out)
{
	unsigned i = find(combining, line);

	if (i == combining->num)
		return 0;
	*out = let_go(combining, i);
	return 1;
}

unsigned combining_empty(struct combining *combining,
			 struct privcache_request out[COMBINING_BUFFERS])
{
	unsigned num = 0;

	while (combining->num)
		out[num++] = let_go(combining, 0);
	return num;
}
