/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The uncore authors
 *
 * A fault to find: each of four threads counts in an object of its own, which
 * it has from the heap. The objects are small, and the main thread makes them
 * one after another, so they lie beside each other. -DMENDED: each has a line
 * of 64 bytes.
 */
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

namespace
{
constexpr int threads = 4, items = 100000;

#ifdef MENDED
struct alignas(64) Tally {
#else
struct Tally {
#endif
	std::uint64_t even = 0, odd = 0;
};

void count(Tally &tally, std::uint64_t seed)
{
	volatile std::uint64_t *even = &tally.even, *odd = &tally.odd;

	for (int i = 0; i < items; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		(seed >> 33 & 1 ? *odd : *even)++;
	}
}
}

int main()
{
	std::vector<std::unique_ptr<Tally>> tallies;
	std::vector<std::thread> workers;
	std::uint64_t odd = 0;

	for (int i = 0; i < threads; i++)
		tallies.push_back(std::make_unique<Tally>());
	for (int i = 0; i < threads; i++)
		workers.emplace_back(count, std::ref(*tallies[i]), i);
	for (auto &worker : workers)
		worker.join();
	for (auto &tally : tallies)
		odd += tally->odd;
	std::printf("%llu of %d were odd\n", (unsigned long long)odd,
		    threads * items);
	return 0;
}
