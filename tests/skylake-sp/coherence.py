#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Every load of the Xeon Scalable's model has the last value stored, whoever has the
line and however small snoop filter and LLC are: traffic that shares, steals, writes
past the caches, flushes and comes from devices, with the model's own checks on."""
import json
import os
import subprocess
import tempfile
import unittest

UNCORE = os.environ["UNCORE"]
TRAFFIC = (
    "evict:threads=6,size=512K,count=1500", "pingpong:threads=4,size=1K,count=200",
    "readshared:threads=6,size=128K", "falsesharing:threads=6,count=200",
    "upgrade:threads=5,size=64K", "ntstore:threads=4,size=128K",
    "flush:threads=4,op=write,count=200", "dma:op=mix,size=64K,count=300",
    "lock:threads=3,count=30", "random:threads=8,size=256K,shared=1,write=50,count=1500")
SMALL = ("filter.ways=2", "llc.ways=2", "llc.slice=16", "core.l2=128")


# Lines leave the LLC while cores have them: the home has to know that they do.
WIDE = ("filter.ways=12", "llc.ways=2", "llc.slice=16", "core.l2=128")
SHARED = tuple("random:shared=1,threads=8,size=512K,write=30,count=4000,node=0,seed=%d" %
               seed for seed in range(2, 6))


# One of each two reads what the other writes to.
STREAMS = ("stream:op=triad,threads=8,size=384K,passes=2,shared=1",
           "code:threads=4,place=scatter,size=256K,shared=1,passes=2",
           "+".join("stream:op=%s,threads=4,place=scatter,size=128K,passes=3,node=0,offset=0" % op
                    for op in ("write", "read")))


BACK = """#include <pthread.h>
enum { PAGES = 64, LINE = 64, PAGE = 64 * LINE };
static volatile char lines[PAGES][PAGE] __attribute__((aligned(PAGE)));

static void write(int from, int to)
{
	for (int page = 0; page < PAGES; page++)
		for (int line = from; line <= to; line++)
			lines[page][line * LINE] = 1;
}

static void *begin(void *writes)
{
	for (int page = 0; page < PAGES; page++)
		for (int line = 0; line <= 24; line++) {
			if (*(char *)writes == 'w')
				lines[page][line * LINE] = 2;
			else
				(void)lines[page][line * LINE];
			for (volatile int slowly = 0; slowly < 100; slowly++)
				;
		}
	return 0;
}

int main(int number, char **words)
{
	pthread_t other;

	write(0, 63);
	pthread_create(&other, 0, begin, words[1]);
	pthread_join(other, 0);
	if (words[2][0] == 'a')
		write(30, 37);
}
"""


class Coherence(unittest.TestCase):
    def check(self, sockets, *settings, traffic=TRAFFIC):
        for workload in traffic:
            words = [UNCORE, "stat", "-m", "xeon-scalable-1", "-N", str(sockets), "--check",
                     "-w", workload, "-e", "cha/LLC_LOOKUP.ANY/"]
            for setting in settings:
                words += ["--set", setting]
            ended = subprocess.run(words, capture_output=True, text=True, timeout=120,
                                   check=False)
            self.assertEqual(ended.returncode, 0, " ".join(words) + ended.stderr)

    def test_one_socket(self):
        self.check(1, "cores=8")

    def test_two_sockets(self):
        self.check(2, "cores=8")

    def test_full_filters_and_caches(self):
        self.check(2, "cores=8", *SMALL)

    def test_cores_keep_what_the_cache_cannot(self):
        self.check(2, "cores=4", *WIDE, traffic=SHARED)

    def test_prefetches_into_the_cache_alone(self):
        for sockets, settings in ((1, ()), (2, SMALL), (2, WIDE), (1, ("snc=2",) + SMALL)):
            for far in (1, 8):
                self.check(sockets, "cores=8", "core.prefetch=15", "core.prefetch_limit=48",
                           "core.llc_prefetch=%d" % far, *settings, traffic=STREAMS)

    def test_what_another_socket_asked_for_ahead_is_no_more_to_be_written_to(self):
        # The other thread stops at line 24 of each page, whose streamer is at line 44 then: lines
        # from 29 on are in the LLC of its socket alone. So the first one has to ask once more for
        # each line from 30 to 37 if it comes back: for the right to write where the other has
        # read, for the line where it has written.
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "back.c"), os.path.join(folder, "back")
            with open(source, "w", encoding="utf-8") as file:
                file.write(BACK)
            subprocess.run(["gcc", "-O1", "-pthread", "-o", program, source], check=True)

            def missed(event, *arguments):
                words = [UNCORE, "stat", "--json", "--log-fd=1", "-m", "xeon-scalable-1", "-N", "2",
                         "--place=scatter", "--check", "-e", event, "--set", "core.prefetch=1",
                         "--set", "core.llc_prefetch=4", "--set", "core.prefetch_limit=48", "--",
                         program, *arguments]
                rows = json.loads(subprocess.run(words, stdout=subprocess.PIPE, text=True,
                                                 check=True, timeout=300).stdout)["counts"]
                return sum(row["value"] for row in rows)

            for does, event in (("r", "cha/TOR_INSERTS.IA_MISS_RFO/"), ("w", "cha/TOR_INSERTS.IA_MISS/")):
                again = missed(event, does, "again") - missed(event, does, "never")
                self.assertGreaterEqual(again, 64 * 8, does)
                if does == "r":  # else the first one's streamer has lines as well
                    self.assertLess(again, 64 * 8 + 20)

    def test_fewer_cores_than_slices(self):
        self.check(2, "cores=5", "chas=13", *SMALL)

    def test_published_slices(self):
        self.check(2, "cores=8", "chas=24", "hash=published", "filter.ways=2", "llc.ways=2",
                   "llc.slice=16", "core.l2=128")

    def test_clusters(self):
        self.check(1, "cores=8", "snc=2", *SMALL)
        self.check(2, "cores=6", "chas=10", "snc=2", *SMALL)
        self.check(2, "cores=4", "snc=2", *WIDE, traffic=SHARED[:2])

    def test_four_sockets_of_a_small_die(self):
        self.check(4, "cores=4", "mesh.die=lcc", "qpi.links=2", *SMALL)


if __name__ == "__main__":
    unittest.main()
