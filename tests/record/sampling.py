#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Sampling with period N over an event that happens K times gives floor(K/N)
samples, in every box, and everything that is read along adds up to what `uncore
stat` counts: taking a sample loses nothing and changes nothing."""
import json
import shutil
import subprocess
import unittest

import rig

STREAM = ("-w", "stream:size=256K,threads=4,place=scatter,passes=2")
SHARED = ("-w", "random:shared=1,threads=4,place=scatter,size=256K,count=1500,"
          "write=40,seed=3")
ALONG = "wbox/FIXED_CTR/"
# One of each type of box, with sub-counters (IMT, REQ_TBL, flits) and without.
CASES = (
    ("cbox/LLC_MISSES.ALL/", 50, STREAM),
    ("cbox/OCCUPANCY_MAF/", 3000, SHARED),
    ("bbox/IMT_INSERTS_ALL/", 100, STREAM),
    ("bbox/IMT_VALID_OCCUPANCY/", 32 * 100, SHARED),
    ("sbox/REQ_TBL_OCCUPANCY.ALL/", 2000, STREAM),
    ("sbox/TO_R_B_REQUESTS.ALL/", 77, SHARED),
    ("rbox/FLITS_SENT,port=qpi0/", 500, SHARED),
    ("mbox/BBOX_CMDS_ALL/", 64, STREAM),
    ("ubox/IPIS_SENT/", 7, ("-w", "ipi:count=60,threads=4")),
)


def period(event, events):
    return "%s,period=%d/" % (event.rstrip("/"), events)


class Sampling(rig.TestCase):
    def check(self, event, events, *more, stat_more=None):
        """The law, for one event and one that is read along."""
        recording = self.record((period(event, events), ALONG), *more)
        truth = rig.stat((event, ALONG), *(stat_more or more))
        self.assertEqual(recording.sums(), truth)
        samples = recording.samples()
        for (number, box), count in truth.items():
            if number == 0:
                taken, lost = samples.get(box, (0, 0))
                self.assertEqual(taken + lost, count // events, box)
        self.assertTrue(sum(truth.values()))
        return recording

    def test_every_type_of_box(self):
        for event, events, workload in CASES:
            with self.subTest(event=event):
                recording = self.check(event, events, *workload)
                self.assertEqual(
                    recording.one("SELECT sum(lost) FROM sample"), 0)
                self.assertGreater(recording.one(
                    "SELECT count(*) FROM sample WHERE kind = 'period'"), 5)

    def test_events_of_the_cycle_of_a_freeze(self):
        """What happened earlier in the cycle in which counters freeze and go
        on again, and signals that a box works out only while somebody
        listens."""
        for event, events, workload in (
                ("cbox/ARB_WINS.ALL/", 4, SHARED),
                ("bbox/DRSQ_INSERTS/", 9, SHARED),
                ("cbox/ARB_WINS.AD_NSB,threshold=1,invert/", 368, STREAM),
                ("rbox/NULL_IDLE,port=sbox1/", 102, SHARED),
                ("mbox/FRM_TYPE.FRM_TYPE_1CMD/", 5, STREAM)):
            with self.subTest(event=event):
                self.check(event, events, *workload)

    def test_without_freeze(self):
        for event, events, workload in CASES[:3] + CASES[-2:]:
            with self.subTest(event=event):
                self.check(event, events, *workload, "--no-freeze",
                           stat_more=workload)

    def test_one_socket_and_four(self):
        for sockets in "1", "4":
            with self.subTest(sockets=sockets):
                self.check("cbox/LLC_MISSES.ALL/", 30, "-N", sockets, *STREAM)

    def test_known_counts(self):
        """Closed forms: 60 interrupts; every line of the memory once."""
        recording = self.record(("ubox/IPIS_SENT,period=7",), "-w",
                                "ipi:count=60,threads=1,target=3")
        self.assertEqual(recording.samples(), {"S0-ubox0": (60 // 7, 0)})
        recording = self.record(("cbox/LLC_MISSES.ALL,period=32",),
                                "-N", "1", "-w",
                                "chase:size=256K,threads=1,passes=1")
        lines = 256 * 1024 // 64
        self.assertEqual(sum(recording.sums().values()), lines)
        self.assertEqual(sum(n for n, _ in recording.samples().values()),
                         sum(value // 32 for value
                             in recording.sums().values()))

    def test_time_itself(self):
        """The clock: a sample every 1000 cycles, whatever the freeze takes."""
        recording = self.record(("wbox/FIXED_CTR,period=1000",), "-N", "1",
                                "--cycles", "50500", "-w", "idle")
        cycles = [row[0] for row in recording.all(
            "SELECT cycle FROM sample WHERE kind = 'period' ORDER BY id")]
        self.assertEqual(len(cycles), 50)
        self.assertEqual({b - a for a, b in zip(cycles, cycles[1:])}, {1000})
        delay = cycles[0] - 1000
        self.assertGreater(delay, 0)
        self.assertEqual(recording.all("SELECT DISTINCT overrun FROM sample"
                                       " WHERE kind = 'period'"),
                         [(delay,)])

    def test_a_period_shorter_than_the_freeze(self):
        """Nothing is lost but samples, and that is told."""
        path = self.path()
        result = rig.run("record", "-o", path, "-e",
                         "wbox/FIXED_CTR,period=10", "-N", "1", "--cycles",
                         "5000", "-w", "idle")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, r"warning: \d+ periods passed without")
        recording = rig.Recording(path)
        self.addCleanup(recording.base.close)
        taken, lost = recording.samples()["S0-wbox0"]
        self.assertEqual(recording.sums(), {(0, "S0-wbox0"): 5000})
        self.assertEqual(taken + lost, 500)
        self.assertGreater(lost, taken)

    def test_two_events_sample(self):
        """Overflows that come while the freeze of another is on its way."""
        events = ("cbox/LLC_MISSES.ALL/", "bbox/IMT_INSERTS_ALL/")
        recording = self.record((period(events[0], 3), period(events[1], 2)),
                                *STREAM)
        truth = rig.stat(events, *STREAM)
        self.assertEqual(recording.sums(), truth)
        for number, events in ((0, 3), (1, 2)):
            samples = recording.samples(number)
            for (event, box), count in truth.items():
                if event == number:
                    self.assertEqual(sum(samples.get(box, (0, 0))),
                                     count // events)

    def test_one_event_twice(self):
        """Equal events share a counter: what is read along is what the other
        one samples, before or after it, in one box or in all."""
        event, events, workload = CASES[0]
        for along in event, "cbox3/LLC_MISSES.ALL/":
            for order in 1, -1:
                with self.subTest(along=along, order=order):
                    recording = self.record(
                        (period(event, events), along)[::order], *workload)
                    sums = recording.sums()
                    truth = rig.stat((event,), *workload)
                    for (number, box), value in sums.items():
                        self.assertEqual(value, truth[0, box], (number, box))
                    self.assertEqual(
                        recording.one("SELECT sum(lost) FROM sample"), 0)

    def test_one_event_with_two_periods(self):
        """A counter has one period, but there is more than one counter."""
        recording = self.record(("cbox/LLC_MISSES.ALL,counter=0,period=50/",
                                 "cbox/LLC_MISSES.ALL,counter=1,period=30/"),
                                *STREAM)
        sums = recording.sums()
        for number, events in (0, 50), (1, 30):
            samples = recording.samples(number)
            for (event, box), value in sums.items():
                self.assertEqual(value, sums[0, box])
                if event == number:
                    self.assertEqual(sum(samples.get(box, (0, 0))),
                                     value // events)

    def test_one_box_alone(self):
        recording = self.record(("cbox3/LLC_MISSES.ALL,period=20/",), *STREAM)
        truth = rig.stat(("cbox3/LLC_MISSES.ALL/",), *STREAM)
        self.assertEqual(recording.sums(), truth)
        self.assertEqual({box: n for box, (n, _)
                          in recording.samples().items()},
                         {box: count // 20 for (_, box), count
                          in truth.items()})

    def test_same_run_same_recording(self):
        event = (period(*CASES[1][:2]), ALONG)
        self.assertEqual(self.record(event, *SHARED, name="a").dump(),
                         self.record(event, *SHARED, name="b").dump())

    def test_in_order_of_time(self):
        recording = self.record((period(*CASES[0][:2]),), *STREAM)
        rows = recording.all("SELECT cycle, seconds, length, socket FROM"
                             " sample ORDER BY id")
        self.assertEqual([row[0] for row in rows],
                         sorted(row[0] for row in rows))
        clock = float(recording.meta()["clock_hz"])
        last = {0: 0, 1: 0}
        for cycle, seconds, length, socket in rows:
            self.assertAlmostEqual(seconds, cycle / clock, 12)
            self.assertAlmostEqual(length, seconds - last[socket], 12)
            last[socket] = seconds
        self.assertEqual(int(recording.meta()["cycles"]), rows[-1][0])

    def test_the_other_machine(self):
        self.check("cbox/LLC_MISSES.ALL/", 40, "-m", "xeon-7500", *STREAM)
        self.check("bbox/IMT_INSERTS_ALL/", 40, "-m", "xeon-7500", *STREAM)


# The last level holds 512 KB a slice, so lines are driven out soon; a window is
# 300 accesses long, behind 5,000 at first.
SHORT = ("--set", "llc.slice=512", "--set", "detail.start=5000", "--set",
         "detail.window=300")
ALONE = (("-w", "random:threads=1,size=12M,count=40000,write=30"),
         ("-w", "chase:threads=1,size=6M,passes=1"))
# Samples of a slice in their order. Slices are not in step with each other, and
# numbers of stacks, positions and data follow from who came first: in words. What
# is mapped for a moment (a file of the loader's) is known where the command looked
# in time.
ACCESSES = """
WITH RECURSIVE path(id, calls) AS (
    SELECT stack.id, symbol || '+' || offset FROM stack
    JOIN position ON position.id = position WHERE caller IS NULL
    UNION ALL SELECT stack.id, path.calls || ' > ' || symbol || '+' || offset
    FROM path JOIN stack ON stack.caller = path.id
    JOIN position ON position.id = stack.position)
SELECT sample.socket, sample.instance, use, access.address, line, access.core,
path.calls, position.symbol, position.offset, sample.thread, datum.kind,
datum.object, datum.symbol, site.calls
FROM sample JOIN access ON access.sample = sample.id
JOIN position ON position.id = sample.position
LEFT JOIN path ON path.id = access.stack
LEFT JOIN datum ON datum.id = access.datum
    AND datum.kind IN ('symbol', 'allocated')
LEFT JOIN path AS site ON site.id = datum.stack
WHERE sample.kind = 'period' ORDER BY 1, 2, sample.id"""

PROGRAM = r"""
#include <stdlib.h>
static unsigned long seed = 7;
__attribute__((noinline)) static void fill(long *at, long n)
{
    for (long i = 0; i < n; i += 8) at[i] = i;
}
__attribute__((noinline)) static long walk(long *at, long n)
{
    long sum = 0;
    for (long i = 0; i < 30000; i++) {
        seed = seed * 6364136223846793005ul + 1442695040888963407ul + sum;
        sum = at[(seed >> 33) % n];
    }
    return sum;
}
int main(void)
{
    long n = 1 << 20, *at = malloc(n * sizeof(*at));
    fill(at, n);
    return walk(at, n) == 7;
}
"""


class Quick(rig.TestCase):
    """Of facts of state the samples of accesses that are not worked out in
    their time are those of a run in full detail: as many of each box, at the
    same accesses, and nothing that is counted is lost."""

    def both(self, events, *words):
        """In full detail, and in windows."""
        made = []
        for how in "full", "5%":
            path = self.path(how)
            ran = rig.run("record", "--replace", "-o", path, "--detail=" + how,
                          *rig.with_events(events), *SHORT, *words)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            made.append(rig.Recording(path))
            self.addCleanup(made[-1].base.close)
        self.assertNotIn("detail_share", made[0].meta())
        self.assertLess(float(made[1].meta()["detail_share"]), 0.3)
        self.assertIn("accesses in detail", ran.stderr)
        return made

    def test_as_many_of_each_box(self):
        for event, events in (("cbox/LLC_MISSES.ALL/", 100),
                              ("cbox/LLC_VICTIMS.M/", 25),
                              ("cbox/ARB_WINS.ALL/", 300),
                              ("bbox/IMT_INSERTS_ALL/", 64),
                              ("bbox/MSG_IN_MATCH,mc=HOM0/", 50),
                              ("sbox/TO_R_B_REQUESTS.ALL/", 77),
                              ("rbox/FLITS_SENT,port=sbox0/", 200)):
            for machine in "xeon-e7", "xeon-7500":
                for words in ALONE[:1 if event[0] != "c" else 2]:
                    with self.subTest(event=event, machine=machine):
                        full, part = self.both(
                            (period(event, events), "cbox/LLC_HITS.ALL/"),
                            "-m", machine, *words)
                        self.assertEqual(full.samples(), part.samples())
                        self.assertEqual(full.sums(), part.sums())
                        self.assertEqual(
                            part.one("SELECT sum(lost) FROM sample"), 0)

    def test_drawn_by_lot(self):
        full, part = (self.record((), "--detail=" + how, *SHORT, *ALONE[0])
                      for how in ("full", "auto"))
        self.assertEqual(full.samples(), part.samples())
        self.assertGreater(sum(n for n, _ in part.samples().values()), 1000)

    def test_time_goes_on_in_stretches(self):
        full, part = self.both((period(*CASES[0][:2]),), *ALONE[1])
        cycles = [row[0] for row in part.all(
            "SELECT cycle FROM sample ORDER BY id")]
        self.assertEqual(cycles, sorted(cycles))
        self.assertAlmostEqual(cycles[-1] / full.one(
            "SELECT max(cycle) FROM sample"), 1, delta=0.05)
        self.assertEqual(int(part.meta()["cycles"]), cycles[-1])
        # an even load: no half of the run has much more than half of them
        early = sum(cycle < cycles[-1] / 2 for cycle in cycles)
        self.assertAlmostEqual(early / len(cycles), 0.5, delta=0.05)

    @unittest.skipUnless(shutil.which("cc") and shutil.which("valgrind"),
                         "wants a compiler and valgrind")
    def test_at_the_same_accesses_of_a_program(self):
        with open(self.path("walk.c"), "w", encoding="ascii") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O1", "-g", "-o", self.path("walk"),
                        self.path("walk.c")], check=True)
        rows = [recording.all(ACCESSES)
            for recording in self.both(("cbox/LLC_MISSES.ALL,period=37/",),
                                       "--repeatable", "--",
                                       self.path("walk"))]
        self.assertEqual(*rows)
        self.assertEqual({row[7] for row in rows[0]} & {"fill", "walk"},
                         {"fill", "walk"})

    def test_what_depends_on_time_is_in_full_detail(self):
        event = "cbox/OCCUPANCY_MAF,period=9000/"
        for how in "5%", "auto":
            said = self.refused("-e", event, "--detail=" + how, *ALONE[0])
            self.assertIn("--detail=full", said)
            self.assertIn("cbox/OCCUPANCY_MAF/", said)
        said = self.refused("-e", "cbox/LLC_MISSES.ALL,period=9/", "-e",
                            ALONG, "--detail=5%", *ALONE[0])
        self.assertIn(ALONG, said)
        words = ("-e", event, *SHORT, *ALONE[1])
        full = self.record((), "--detail=full", *words, name="full")
        ran = rig.run("record", "-o", self.path("auto"), *words)
        self.assertIn("depends on time", ran.stderr)
        part = rig.Recording(self.path("auto"))
        self.addCleanup(part.base.close)
        self.assertEqual(full.all("SELECT * FROM sample"),
                         part.all("SELECT * FROM sample"))

    def test_parts_of_a_run_are_in_full_detail(self):
        event = ("-e", "cbox/LLC_MISSES.ALL/", *ALONE[0])
        for words in (("-I", "1ms"), ("--freeze-after", "9"),
                      ("--cycles", "9000")):
            self.assertIn(words[0], self.refused(*event, *words,
                                                 "--detail=5%"))
        ran = rig.run("record", "-q", "-o", self.path(), "-I", "1ms", *SHORT,
                      *event)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_report_says_how_much(self):
        self.record(("cbox/LLC_MISSES.ALL,period=99/",), "--detail=5%", *SHORT,
                    *ALONE[0])
        self.assertRegex(rig.run("report", self.path()).stdout,
                         r"\d %% of [0-9,]+ accesses were in detail" % ())
        detail = json.loads(rig.run("report", "--json",
                                    self.path()).stdout)["detail"]
        self.assertLess(detail["share"], 0.3)
        self.assertGreater(detail["accesses"], 30000)


class Refused(rig.TestCase):
    def test_periods(self):
        for event, said in (
                ("bbox/IMT_VALID_OCCUPANCY,period=1000/",
                 "nearest periods are 992 and 1024"),
                ("bbox/IMT_VALID_OCCUPANCY,period=5/", "nearest period is 32"),
                ("wbox/FIXED_CTR,period=0xfffffe", "16777213 and 16777216"),
                ("wbox/FIXED_CTR,period=0x1ffffff", "33554429 and 33554432"),
                ("cbox/LLC_MISSES.ALL,period=0", "at least one event"),
                ("cbox/LLC_MISSES.ALL,period=ten", "not a number"),
                ("cbox/LLC_MISSES.ALL,period=0xffffffffffff",
                 "1 to 140737488355328")):
            with self.subTest(event=event):
                self.assertIn(said, self.refused("-e", event, *STREAM))

    def test_what_does_not_go_together(self):
        event = ("-e", "cbox/LLC_MISSES.ALL/")
        for words, said in (
                (("--freeze-after", "3", *STREAM), "give an event"),
                ((*event, "-I", "soon", *STREAM), "no time between"),
                ((*event, "-I", "1ms", "--no-freeze", *STREAM),
                 "freezes nothing"),
                ((*event, "-I", "1ms", "--freeze-after", "3", *STREAM),
                 "not both"),
                ((*event, "--freeze-after", "0", *STREAM), "nothing has to"),
                (("-e", "cbox/LLC_MISSES.ALL,period=9/", "-e",
                  "cbox3/LLC_MISSES.ALL,period=8/", *STREAM),
                 "has one period"),
                (("-e", "cbox/LLC_MISSES.ALL,period=9/", "-I", "1ms", *STREAM),
                 "a period goes without"),
                ((*event, "-c", "9", "-I", "1ms", *STREAM),
                 "a period goes without"),
                ((*event, "--progress-fd", "77", "-I", "1ms", *STREAM),
                 "no such file")):
            with self.subTest(words=words):
                self.assertIn(said, self.refused(*words))

    def test_a_processor_without_interrupts(self):
        """It cannot stop either when something has overflowed."""
        for words in (("-e", "imc/CAS_COUNT.RD,period=100/"),
                      ("-e", "imc/CAS_COUNT.RD/", "--freeze-after", "100")):
            said = self.refused(*words, "-m", "xeon-e5-2600", *STREAM)
            self.assertIn("no interrupt on overflow", said)
            self.assertEqual(said.count("\n"), 1)

    def test_events_that_do_not_fit_together(self):
        said = self.refused("-e", "mbox/FVC_EV0.BBOX_CMDS.READS,period=100/",
                            "-e", "mbox/FVC_EV1.BBOX_CMDS.WRITES/", "-e",
                            "mbox/FVC_EV2.BBOX_CMDS.MERGE/", *STREAM)
        self.assertIn("bcmd", said)

    def test_a_file_that_exists(self):
        words = ("-e", "cbox/LLC_MISSES.ALL,period=9/", *STREAM)
        with open(self.path(), "w") as file:
            file.write("a letter")
        for more, said in ((), "exists already"), (("--replace",),
                                                   "no recording"):
            result = rig.run("record", "-o", self.path(), *more, *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn(said, result.stderr)
        with open(self.path()) as file:
            self.assertEqual(file.read(), "a letter")

    def test_a_place_that_is_not_there(self):
        """With the exit code of stat."""
        for words in (("record", "-e", "cbox/LLC_MISSES.ALL,period=9/"),
                      ("stat", "-e", "cbox/LLC_MISSES.ALL/")):
            result = rig.run(*words, "-o", self.path("none/there"), *STREAM)
            self.assertEqual(result.returncode, 2, words)
            self.assertIn("No such file", result.stderr)


if __name__ == "__main__":
    unittest.main()
