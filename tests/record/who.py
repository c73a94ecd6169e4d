#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Who is blamed. Two threads, one on each socket, use lines of memory whose home
is the first socket: the one there twice as many as the other, at the same time.
So two thirds of what home agent, memory controller and links there do is on
behalf of the one, a third on that of the other, whatever is between them."""
import math
import subprocess
import unittest

import rig

LINES, PERIOD, TOLERANCE = 6000, 40, 5

PROGRAM = r"""
#define _GNU_SOURCE
#include <emmintrin.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static size_t lines;
static int mode;
static char *near, *far;
static pthread_barrier_t both;
static char *take(size_t num)
{
    unsigned long first = 1;
    void *at = mmap(NULL, num * 64, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    syscall(SYS_mbind, at, num * 64, 2 /* MPOL_BIND */, &first, 64, 0);
    return at;
}
static inline __attribute__((always_inline)) void use(char *at, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        ((volatile char *)at)[i * 64] = 1;
        if (mode == 'f') _mm_clflush(&at[i * 64]);
    }
}
__attribute__((noinline)) void use_near(void) { use(near, 2 * lines); }
__attribute__((noinline)) void use_far(void) { use(far, lines); }
__attribute__((noinline)) void read_near(void)
{
    for (size_t i = 0; i < lines; i++) (void)((volatile char *)near)[i * 64];
}
static void *other(void *unused)
{
    pthread_barrier_wait(&both);
    if (mode != 'r') use_far();
    pthread_barrier_wait(&both);
    if (mode == 'r') read_near();
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    lines = atol(argv[1]);
    mode = argv[2][0];
    near = take(2 * lines);
    far = take(lines);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, other, NULL);
    pthread_barrier_wait(&both);
    use_near();
    pthread_barrier_wait(&both);
    pthread_join(thread, NULL);
    return argc > 9;
}
"""


class Who(rig.TestCase):
    def setUp(self):
        super().setUp()
        with open(self.path("who.c"), "w", encoding="ascii") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O2", "-g", "-o", self.path("who"),
                        self.path("who.c"), "-pthread"], check=True)

    def blamed(self, event, mode, *more, lines=LINES, socket=0):
        """{function: samples in the socket}, of functions of the program; those
        of each are its thread's, which is on its socket."""
        recording = self.record([event], "--place", "scatter", *more, "--",
                                self.path("who"), str(lines), mode)
        rows = recording.all(
            "SELECT symbol, access.core / %s, count(*) FROM sample"
            " JOIN access ON access.sample = sample.id"
            " JOIN position ON position.id = sample.position"
            " WHERE sample.kind = 'period' AND sample.socket = ?"
            " AND symbol LIKE '%%\\_%%' ESCAPE '\\' AND object = ?"
            " AND use <> 'fetch'"  # of a line where another function ends
            " GROUP BY 1, 2" % recording.meta()["cores"], socket,
            self.path("who"))
        found = {}
        for symbol, at, number in rows:
            if symbol in ("use_near", "use_far", "read_near"):
                self.assertEqual(at, 0 if symbol == "use_near" else 1)
                found[symbol] = number
        return found

    def expect_thirds(self, event, mode, *more, num=3 * LINES):
        """The number of both is known, and the share is that of the lines but
        for chance."""
        found = self.blamed(event, mode, *more)
        near, far = found.get("use_near", 0), found.get("use_far", 0)
        both = near + far
        if num:
            self.assertAlmostEqual(both, num / PERIOD,
                                   delta=num / PERIOD / 20 + 4)
        self.assertGreater(both, 100)
        self.assertAlmostEqual(
            far / both, 1 / 3,
            delta=TOLERANCE * math.sqrt(1 / 3 * 2 / 3 / both), msg=found)

    def test_reads_at_the_home_agent(self):
        for machine in ("xeon-e7", "xeon-7500"):
            self.expect_thirds("bbox/IMT_INSERTS_RD,period=%d/" % PERIOD, "w",
                               "-m", machine)

    def test_writes_at_the_home_agent(self):
        self.expect_thirds("bbox/IMT_INSERTS_WR,period=%d/" % PERIOD, "f")

    def test_reads_at_the_memory_controller(self):
        self.expect_thirds("mbox/BBOX_CMDS_ALL,period=%d/" % PERIOD, "w")

    def test_writes_that_wait_there(self):
        self.expect_thirds("mbox/DRAM_CMD.CAS_WR_OPN,period=%d/" % PERIOD, "f")

    def test_columns_that_close_a_page(self):
        self.expect_thirds("mbox/DRAM_CMD.CAS_RD_CLS,period=%d/" % PERIOD, "w",
                           "--set", "mbox.page_policy=closed", num=0)

    def test_answers_come_over_a_link_for_who_is_behind_it(self):
        found = {}
        for port in range(8):
            found.update(self.blamed(
                "rbox/NEW_PACKETS_RECV.ANY.DRS,port=%d,period=%d/"
                % (port, PERIOD), "w", socket=1))
        self.assertEqual(list(found), ["use_far"])
        self.assertAlmostEqual(found["use_far"], LINES / PERIOD, delta=4)

    def test_a_link_brings_requests_of_the_one_and_snoops_of_the_other(self):
        """Home's link from the other socket: for each line of the one who is
        there a request, for each of the other a response to his snoop."""
        self.expect_thirds("rbox/NEW_PACKETS_RECV.ANY.HOM,port=1,period=%d/"
                           % PERIOD, "w")

    def test_the_box_of_the_requester(self):
        for socket, name in ((0, "use_near"), (1, "use_far")):
            found = self.blamed("sbox/REQ_TBL_OCCUPANCY.ALL,period=8000/", "w",
                                socket=socket)
            self.assertEqual(list(found), [name])

    def test_write_backs_are_those_of_who_drives_them_out(self):
        """Of each thread all lines go to memory that do not fit in the
        last-level cache of its socket."""
        lines, fit = 16000, 10 * 64 * 1024 // 64
        found = self.blamed("bbox/IMT_INSERTS_WR,period=%d/" % PERIOD, "w",
                            "--set", "llc.slice=64", lines=lines)
        for name, num in (("use_near", 2 * lines), ("use_far", lines)):
            spread = TOLERANCE * math.sqrt(num / PERIOD)
            self.assertLess(found.get(name, 0), num / PERIOD + spread, found)
            self.assertGreater(found.get(name, 0),
                               (num - fit) / PERIOD - spread, found)

    def test_snoops_are_those_of_who_wants_the_line(self):
        """The lines are dirty in the first socket; the other one reads them."""
        found = self.blamed("cbox/SNP_HITS.REMOTE_HITM,period=%d/" % PERIOD,
                            "r")
        self.assertEqual(list(found), ["read_near"], found)
        self.assertAlmostEqual(found["read_near"], LINES / PERIOD, delta=14)


if __name__ == "__main__":
    unittest.main()
