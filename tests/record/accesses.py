#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The reports by line, page and stack, of recordings that are made up, so that
what they must say is known: lines that are shared, falsely shared, private;
pages in the wrong place; old recordings and such as somebody has changed."""
import csv
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import unittest

import rig

WRITER = os.path.join(os.environ["UNCORE_BUILD"],
                      "tests-record-write_accesses")
LOAD, STORE, FETCH, PREFETCH, LOCK, FLUSH, STREAM = range(7)
SYMBOL, FILE, HEAP, STACK, ANONYMOUS, ALLOCATED = range(6)
EVENT = "cbox/LLC_HITS.ALL,period=100/"
CORES = 10  # of a socket
# A line of physical memory, and where the program sees it.
LINE, ADDRESS = 0x4000, 0x7f0000001000


def sample(times, use, offset, core, event=0, line=LINE, base=ADDRESS, home=0,
           thread=None, symbol="work", source="x.c:7", datum="-", stack="-",
           touched="-", answered="-", latency_ns=0):
    address = base + 64 * (line - LINE) + offset
    return "sample %d %d %s 0x%x 0x%x %s %s %d %s %s %s %s %s %s %g" % (
        times, event, use, address, line, core, home,
        thread if thread is not None else 200 + (core if core != "-" else 0),
        symbol, source, datum, stack, touched, answered, latency_ns)


class TestCase(rig.TestCase):
    def write(self, *samples, events=(EVENT,), name="made"):
        lines = ["event %s 100" % event for event in events]
        lines += ["meta machine xeon-e7", "meta sockets 2",
                  "meta cores %d" % CORES, *samples]
        subprocess.run([WRITER, self.path(name)], check=True, text=True,
                       input="\n".join(lines) + "\n")
        return self.path(name)

    def report(self, view, path, *more, status=0):
        done = rig.run("report", "--json", "--by=" + view, *more, path)
        self.assertEqual(done.returncode, status, done.stderr)
        if status:
            return done.stderr
        return json.loads(done.stdout)[view + ("s" if view != "data" else "")]

    def change(self, path, *changes):
        changed = self.path("changed")
        shutil.copy(path, changed)
        base = sqlite3.connect(changed)
        for change in changes:
            base.execute(change)
        base.commit()
        base.close()
        return changed


class Lines(TestCase):
    def sharing(self, *samples):
        rows = self.report("line", self.write(*samples))
        self.assertEqual(len(rows), 1)
        return rows[0]["sharing"]

    def test_false_sharing(self):
        """Four counters of four threads, each in eight bytes of one line."""
        path = self.write(*(line for core in range(4) for line in (
            sample(10 + core, STORE, 8 * core, 10 * (core % 2) + core,
                   datum="%d:counters:%d" % (SYMBOL, 8 * core)),
            sample(2, LOAD, 8 * core, 10 * (core % 2) + core,
                   datum="%d:counters:%d" % (SYMBOL, 8 * core)))))
        row, = self.report("line", path)
        users = row.pop("users")
        self.assertEqual(row, {
            "share": 1, "samples": 54, "events": 5400,
            "latency_ns": None, "wait_ms": None, "loads": 8,
            "stores": 46, "locks": 0, "prefetches": 0, "others": 0,
            "cores": 4, "sockets": 2, "home": 0, "address": hex(ADDRESS),
            "data": "counters", "sharing": "false sharing", "event": EVENT})
        self.assertEqual([(u["core"], u["socket"], u["offset"], u["samples"],
                           u["loads"], u["stores"], u["data"], u["thread"])
                          for u in users],
                         [(13, 1, "0x18", 15, 2, 13, "counters+0x18",
                           "100/213"),
                          (2, 0, "0x10", 14, 2, 12, "counters+0x10",
                           "100/202"),
                          (11, 1, "0x8", 13, 2, 11, "counters+0x8",
                           "100/211"),
                          (0, 0, "0x0", 12, 2, 10, "counters", "100/200")])
        self.assertEqual({u["symbol"] for u in users}, {"work"})
        self.assertEqual({u["source"] for u in users}, {"x.c:7"})
        self.assertAlmostEqual(sum(u["share"] for u in users), 1)

    def test_true_sharing(self):
        self.assertEqual(self.sharing(sample(5, LOCK, 16, 0),
                                      sample(5, LOCK, 16, 1)), "shared")
        self.assertEqual(self.sharing(sample(5, STORE, 0, 0),
                                      sample(5, LOAD, 0, 11)), "shared")

    def test_both(self):
        """A lock that all take, and a counter of each beside it."""
        self.assertEqual(self.sharing(
            sample(5, LOCK, 0, 0), sample(5, LOCK, 0, 1),
            sample(5, STORE, 8, 0), sample(5, STORE, 16, 1)),
            "shared, false sharing")
        # few samples of one kind do not count
        self.assertEqual(self.sharing(
            *[sample(1, LOCK, 0, n % 2) for n in range(100)],
            sample(1, STORE, 8, 0)), "shared")

    def test_work_that_moves(self):
        """At any time each core has a word of its own; in the course of the run
        all cores have all words."""
        for threads in (None, 300):  # of each core, of each word
            self.assertEqual(self.sharing(*[
                sample(1, STORE, 8 * ((core + n // 20) % 4), core,
                       thread=threads and threads + (core + n // 20) % 4)
                for n in range(200) for core in range(4)]), "false sharing")

    def test_a_lock_and_what_it_guards(self):
        """Who takes it uses both words, as the one before did."""
        self.assertEqual(self.sharing(*[
            sample(1, LOCK if offset == 0 else STORE, offset, n % 3)
            for n in range(60) for offset in (0, 8)]), "shared")

    def test_no_sharing(self):
        for samples in (
                # one core alone; all only read; nobody writes but a prefetch
                (sample(5, STORE, 0, 3), sample(5, STORE, 8, 3)),
                (sample(5, LOAD, 0, 0), sample(5, LOAD, 8, 1),
                 sample(5, FETCH, 8, 2)),
                (sample(5, STORE, 0, 0), sample(5, PREFETCH, 32, 1),
                 sample(1, FLUSH, 0, 2)),
                # by whom is not known
                (sample(5, STORE, 0, "-"), sample(5, STORE, 8, "-"))):
            self.assertEqual(self.sharing(*samples), "")

    def test_written_by_one_read_by_another_elsewhere(self):
        self.assertEqual(self.sharing(sample(5, STREAM, 0, 0),
                                      sample(5, LOAD, 8, 1)), "false sharing")

    def test_events_see_the_sharing_of_all(self):
        """One event counts the reads, the other one the writes."""
        other = "cbox/LLC_MISSES.ALL,period=100/"
        rows = self.report("line", self.write(
            sample(7, STORE, 0, 0, event=0), sample(5, LOAD, 8, 1, event=1),
            events=(EVENT, other)))
        self.assertEqual([(r["event"], r["samples"], r["share"], r["sharing"])
                          for r in rows],
                         [(EVENT, 7, 1, "false sharing"),
                          (other, 5, 1, "false sharing")])

    def test_order_and_top(self):
        path = self.write(*(sample(1 + n % 7, LOAD, 0, 1, line=LINE + n)
                            for n in range(100)))
        rows = self.report("line", path)
        self.assertEqual(len(rows), 100)
        self.assertEqual([r["samples"] for r in rows],
                         sorted((1 + n % 7 for n in range(100)),
                                reverse=True))
        self.assertEqual(len(self.report("line", path, "--top=3")), 3)
        text = rig.run("report", "--by=line", path).stdout
        self.assertEqual(text.count(EVENT), 20 + 1)  # and the line of sum
        for bad in "0", "x", "-1":
            self.assertEqual(rig.run("report", "--top=" + bad, "--by=line",
                                     path).returncode, 2)

    def test_users_that_are_many(self):
        path = self.write(*(sample(30 - n, STORE, n, n) for n in range(20)))
        users = self.report("line", path)[0]["users"]
        self.assertEqual(len(users), 20)
        users = self.report("line", path, "--top=4")[0]["users"]
        self.assertEqual([u["symbol"] for u in users][4:], ["[16 more]"])
        self.assertEqual(sum(u["samples"] for u in users),
                         sum(30 - n for n in range(20)))

    def test_what_is_not_known(self):
        rows = self.report("line", self.write(
            sample(3, STORE, 0, 1), sample(5, "-", 0, 1)))
        self.assertEqual([(r["address"], r["samples"], len(r["users"]))
                          for r in rows],
                         [(hex(ADDRESS), 3, 1), ("[not known]", 5, 0)])

    def test_a_prefetch_does_not_say_where_its_line_is(self):
        """It has the address of the access that made it, of the line before."""
        row, = self.report("line", self.write(
            sample(2, PREFETCH, 0, 1, base=ADDRESS - 64, datum="%d:before:0" % SYMBOL),
            sample(3, STORE, 8, 1, datum="%d:table:8" % SYMBOL)))
        self.assertEqual((row["address"], row["data"], row["prefetches"]),
                         (hex(ADDRESS), "table+0x8", 2))

    def test_names_of_data(self):
        """What each kind is called, and the line that starts in another."""
        rows = self.report("line", self.write(*(
            sample(9 - n, LOAD, 0, 1, line=LINE + n, datum=datum)
            for n, datum in enumerate((
                "%d:table:192" % SYMBOL, "%d:-:5" % FILE, "%d:-:5" % HEAP,
                "%d:-:5" % STACK, "%d:-:5" % ANONYMOUS, "-")))))
        self.assertEqual([r["data"] for r in rows],
                         ["table+0xc0", "file /bin/x", "heap", "stack",
                          "anonymous", "[not known]"])

    def test_outputs_agree(self):
        path = self.write(*(sample(3, STORE, 8 * core, core, line=LINE + line)
                            for core in range(3) for line in range(2)))
        rows = self.report("line", path)
        table = list(csv.DictReader(io.StringIO(
            rig.run("report", "-x,", "--by=line", path).stdout)))
        self.assertEqual(
            [(t["address"], t["users.core"], t["users.samples"])
             for t in table],
            [(r["address"], str(u["core"]), str(u["samples"]))
             for r in rows for u in r["users"]])
        text = rig.run("report", "--by=line", path).stdout
        self.assertEqual(text.count("false sharing"), 2)
        self.assertEqual(text.count("x.c:7"), 6)


class Pages(TestCase):
    def test_where_a_page_lives_and_who_uses_it(self):
        """Page 0 at home, page 1 used from the other socket, page 2 by both;
        its lines are spread over the page."""
        path = self.write(
            *(sample(10, LOAD, 0, 1, line=LINE + n, home=0,
                     datum="%d:near:0" % SYMBOL) for n in range(10)),
            *(sample(9, STORE, 0, 12, line=LINE + 64 + n, home=0,
                     datum="%d:far:0" % SYMBOL) for n in range(10)),
            sample(1, LOAD, 0, 3, line=LINE + 128, home=1),
            sample(3, LOAD, 0, 13, line=LINE + 191, home=1))
        rows = self.report("page", path)
        self.assertEqual(
            [(r["samples"], r["home"], r["remote"], r["sockets"], r["cores"],
              r["data"], r["address"]) for r in rows],
            [(100, 0, 0, 1, 1, "near", hex(ADDRESS)),
             (90, 0, 1, 1, 1, "far", hex(ADDRESS + 0x1000)),
             (4, 1, 0.25, 2, 2, "[not known]", hex(ADDRESS + 0x2000))])
        self.assertEqual(
            [(u["socket"], u["samples"], u["share"], u["remote"], u["loads"])
             for u in rows[2]["users"]],
            [(0, 1, 0.25, 1, 1), (1, 3, 0.75, 0, 3)])
        self.assertEqual([u["stores"] for u in rows[1]["users"]], [90])
        self.assertAlmostEqual(sum(r["share"] for r in rows), 1)

    def test_text(self):
        path = self.write(sample(4, LOAD, 0, 12))
        text = rig.run("report", "--by=page", path).stdout
        self.assertIn("100.00 %", text)
        self.assertIn(hex(ADDRESS), text)


class Data(TestCase):
    def test_a_site(self):
        """Two blocks of one site, and a variable: who uses which, from where,
        and who was first."""
        site = "%d:malloc:%%d:make,main:4096:2" % ALLOCATED
        path = self.write(
            *(sample(2, STORE, 8, core, line=LINE + 4 * n, home=0,
                     datum=site % (256 * n % 512 + 8), touched="200:1")
              for n in range(3) for core in (0, 12)),
            sample(7, LOAD, 0, 11, line=LINE + 64, home=1,
                   datum="%d:table:0" % SYMBOL, touched="211:11"),
            sample(3, LOAD, 0, 0, line=LINE + 64, home=1,
                   datum="%d:table:0" % SYMBOL, touched="200:0"),
            sample(1, "-", 0, 1))
        rows = self.report("data", path)
        users = [row.pop("users") for row in rows]
        self.assertAlmostEqual(rows[0].pop("share"), 12 / 23)
        self.assertEqual(rows[0], {
            "samples": 12, "events": 1200, "latency_ns": None,
            "wait_ms": None, "loads": 0,
            "stores": 12, "locks": 0, "remote": 0.5, "threads": 2,
            "sockets": 2, "shared": 3, "false": 0, "objects": 2,
            "bytes": 4096, "touched": "100/200 on socket 0",
            "waits_in": "work at x.c:7",
            "data": "malloc < make+0x0 < main", "event": EVENT})
        self.assertEqual([(r["data"], r["samples"], r["remote"], r["objects"],
                           r["touched"]) for r in rows[1:]],
                         [("table", 10, 0.3, None, "100/211 on socket 1"),
                          ("[not known]", 1, None, None, "")])
        self.assertEqual(
            [(u["thread"], u["socket"], u["samples"], u["stores"],
              u["remote"], u["shared_at"]) for u in users[0]],
            [("100/200", 0, 6, 6, 0, "+0x8 +0x108"),
             ("100/212", 1, 6, 6, 1, "+0x8 +0x108")])
        self.assertEqual([u["shared_at"] for u in users[1]], ["", ""])
        line = self.report("line", path)[1]
        self.assertEqual(line["data"], "malloc+0x8 < make")

    def test_false_sharing(self):
        """In which bytes of the object, as many as fit."""
        datum = "%d:new:%%d:main" % ALLOCATED
        row, = self.report("data", self.write(
            *(sample(10 - n // 10, STORE, n, n % 2, datum=datum % n)
              for n in range(20))))
        self.assertEqual((row["shared"], row["false"]), (0, 1))
        self.assertEqual(row["users"][0]["shared_at"],
                         " ".join("+0x%x" % n for n in range(0, 16, 2))
                         + " ...")

    def test_sites_are_told_apart_by_who_calls(self):
        rows = self.report("data", self.write(
            *(sample(9 - n, LOAD, 0, 1, line=LINE + n,
                     datum="%d:malloc:0:%s" % (ALLOCATED, stack))
              for n, stack in enumerate(("a,main", "b,main", "a,main")))))
        self.assertEqual([(r["data"], r["samples"]) for r in rows],
                         [("malloc < a+0x0 < main", 16),
                          ("malloc < b+0x0 < main", 8)])


class Names(TestCase):
    def test_functions_of_one_name(self):
        """They are one, in one file; without a name it is the address, in the
        file or without it, and what is not known comes before."""
        path = self.change(
            self.write(*(sample(times, "-", 0, 1, symbol=name, source=name)
                         for times, name in ((2, "f"), (1, "g"), (2, "h"),
                                             (1, "k"), (1, "l")))),
            "UPDATE position SET symbol = 'f', object = '/x'",
            "UPDATE position SET symbol = NULL, offset = 171"
            " WHERE source = 'k'",
            "UPDATE position SET symbol = NULL, object = NULL, address = 205"
            " WHERE source = 'l'",
            "UPDATE sample SET position = NULL WHERE position ="
            " (SELECT id FROM position WHERE source = 'g')",
            "UPDATE sample SET socket = 1 WHERE position ="
            " (SELECT id FROM position WHERE source = 'k')",
            "UPDATE thread SET name = 'worker'")

        def names(*more):
            return [(r["symbol"], r["object"], r["samples"])
                    for r in self.report("symbol", path, *more)]
        self.assertEqual(names(), [("f", "/x", 4), ("[not known]", "", 1),
                                   ("0xab", "/x", 1), ("0xcd", "", 1)])
        self.assertEqual(names("--socket=1"), [("0xab", "/x", 1)])
        row, = self.report("thread", path)
        self.assertEqual((row["name"], row["samples"], row["share"]),
                         ("worker", 7, 1))
        self.assertRegex(row["thread"], "^[0-9]+/201$")


class Waits(TestCase):
    """Two threads on two sockets use memory of the first; one prefetches, too,
    and some of what it asked for was not measured."""

    def waits(self):
        return self.write(
            sample(6, LOAD, 0, 1, answered="llc", latency_ns=50),
            sample(2, LOAD, 0, 1, answered="llc", latency_ns=90),
            sample(4, LOAD, 0, 11, answered="remote", latency_ns=200),
            sample(4, LOAD, 0, 11, answered="remote"),
            sample(9, PREFETCH, 0, 11, answered="remote", latency_ns=900),
            sample(1, STORE, 0, 11, home=1), sample(5, "-", 0, 11))

    # of each sample 100 events; those without a latency that were answered are
    # as long as the others: 8 of 60 ns, 8 of 200 ns
    SUMS = {"100/201": (60, 8 * 60 * 100e-6), "100/211": (200, 8 * 200 * 100e-6)}

    def test_who_waits_how_long(self):
        for view in "thread", "node":
            for row in self.report(view, self.waits()):
                latency, wait = self.SUMS[row["thread"]]
                self.assertAlmostEqual(row["latency_ns"], latency)
                self.assertAlmostEqual(row["wait_ms"], wait)
        row, = self.report("symbol", self.waits())
        mean = (8 * 60 + 4 * 200) / 12
        self.assertAlmostEqual(row["latency_ns"], mean)
        self.assertAlmostEqual(row["wait_ms"], mean * 16 * 100e-6)

    def test_threads_and_nodes(self):
        far, near = self.report("node", self.waits())
        self.assertEqual((near["samples"], near["remote"], near["sockets"]),
                         (8, 0, 1))
        self.assertEqual((far["samples"], far["sockets"]), (23, 1))
        self.assertAlmostEqual(far["remote"], 17 / 18)
        self.assertEqual([(h["home"], h["samples"], h["remote"],
                           h["latency_ns"]) for h in far["homes"]],
                         [(None, 5, None, None), (0, 17, 1, 200),
                          (1, 1, 0, None)])

    def test_who_answered(self):
        self.assertEqual({(r["answered"], r["samples"])
                          for r in self.report("answer", self.waits())},
                         {("remote", 17), ("llc", 8), ("[not known]", 6)})


class Stacks(TestCase):
    def test_callers(self):
        path = self.write(
            sample(6, LOAD, 0, 1, stack="run,main", source="x.c:7"),
            sample(5, LOAD, 0, 1, stack="run,main", source="x.c:8"),
            sample(4, LOAD, 0, 1, stack="main"),
            sample(3, "-", 0, 1, symbol="other"))
        self.assertEqual(
            [(r["stack"], r["samples"]) for r in self.report("stack", path)],
            [("work < run < main", 11), ("work < main", 4), ("other", 3)])
        self.assertIn("work < run < main",
                      rig.run("report", "--by=stack", path).stdout)

    def test_recursion(self):
        path = self.write(sample(1, LOAD, 0, 1, stack="f,f,f,main"))
        row, = self.report("stack", path)
        self.assertEqual(row["stack"], "work < f < f < f < main")

    def test_callers_in_a_circle(self):
        path = self.change(
            self.write(sample(1, LOAD, 0, 1, stack="a,b,main")),
            "UPDATE stack SET caller = id")
        row, = self.report("stack", path)
        self.assertEqual(row["stack"], "work < a")


class Formats(TestCase):
    def test_folded(self):
        path = self.write(
            sample(6, LOAD, 0, 1, stack="run,main"),
            sample(4, LOAD, 0, 1, stack="a;b,main"),
            sample(5, LOAD, 64, 1, event=1, symbol="other"),
            events=(EVENT, "cbox/LLC_MISSES.ALL/"))
        done = rig.run("report", "--folded", path)
        self.assertEqual(sorted(done.stdout.split("\n")), [
            "", EVENT + ";main;a:b;work 4", EVENT + ";main;run;work 6",
            "cbox/LLC_MISSES.ALL/;other 5"])

    def test_callgrind(self):
        """Read by callgrind_annotate: what each function has itself, and with
        those it calls; a function that calls itself counts once."""
        path, out = self.write(
            sample(6, LOAD, 0, 1, stack="run,main"),
            sample(4, LOAD, 0, 1, stack="run,run,main"),
            sample(3, LOAD, 0, 1, stack="(1)"),
            sample(5, LOAD, 64, 1, event=1, symbol="run", source="-",
                   stack="main"),
            events=(EVENT, "cbox/LLC_MISSES.ALL/")), self.path("out")
        done = rig.run("report", "--callgrind=" + out, path)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        with open(out, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("\ntotals: 1300 500\n", text)
        if not shutil.which("callgrind_annotate"):
            self.skipTest("there is no callgrind_annotate")
        for inclusive, wanted in (
                ("no", {"work": (1300, 0), "run": (0, 500)}),
                ("yes", {"work": (1300, 0), "run": (1000, 500),
                         "main": (1000, 500), "_(1)": (300, 0)})):
            read = subprocess.run(
                ["callgrind_annotate", "--inclusive=" + inclusive,
                 "--threshold=100", "--auto=no", out], text=True,
                check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertNotIn("WARNING", read.stdout)
            found = {}
            for line in read.stdout.split("\n"):
                row = re.match(r" *([\d,.]+) (?:\([^)]*\))? *([\d,.]+) "
                               r"(?:\([^)]*\))? .*:(\S+) \[", line)
                if row:
                    found[row.group(3)] = tuple(
                        int(number.replace(",", "").replace(".", "0"))
                        for number in row.groups()[:2])
            self.assertEqual({name: costs for name, costs in found.items()
                              if any(costs)}, wanted, read.stdout)

    def test_one_output(self):
        for words in (["--folded", "--json"], ["--folded", "--by=line"],
                      ["--callgrind=x", "-x,"], ["--callgrind=x", "-o", "y"]):
            self.assertEqual(rig.run("report", *words).returncode, 2, words)


class Annotated(TestCase):
    """Lines of a source beside what happened there."""
    LINES = ["\tline %d" % number for number in range(1, 101)]

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("app/src"))
        self.source = self.path("app/src/known.c")
        with open(self.source, "w", encoding="ascii") as file:
            file.write("\n".join(self.LINES) + "\n")

    def made(self, folder="/build/app/src", source="known.c"):
        path = self.write(
            *[sample(times, LOAD, 64 * line, 1, source="%s:%d" % (source, line),
                     answered="llc", latency_ns=line)
              for times, line in ((5, 10), (3, 12), (2, 60), (1, 999))],
            sample(4, LOAD, 0, 2, source="other.c:10"))
        return self.change(path, "UPDATE position SET folder = '%s'" % folder)

    def annotated(self, path, *words, name="known.c"):
        done = rig.run("report", "--json", "--annotate=" + name, *words, path,
                       cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["annotated"]
        self.assertEqual([(row["source"], row[EVENT]) for row in rows[:2]],
                         [("[all files]", 1500), ("[this file]", 1100)])
        self.assertEqual({row["line"]: (row[EVENT], row["latency_ns"])
                          for row in rows[2:] if row[EVENT]},
                         {10: (500, 10), 12: (300, 12), 60: (200, 60),
                          999: (100, 999)})
        return rows[2:]

    def has_text(self, *words, **how):
        texts = {row["source"] for row in self.annotated(*words, **how)}
        self.assertIn(len(texts), (1, 37))
        return len(texts) > 1

    def test_lines_around(self):
        rows = self.annotated(self.made())
        self.assertEqual([row["line"] for row in rows],
                         [*range(2, 21), *range(52, 69), 999])
        for row in rows[:-1]:
            self.assertEqual(row["source"], self.LINES[
                row["line"] - 1].replace("\t", 8 * " "))
        text = rig.run("report", "--annotate=known.c", "--top=2", self.made(),
                       cwd=self.folder.name).stdout
        self.assertIn("-- line 2 --", text)
        self.assertIn("line 20", text)
        self.assertNotIn("line 21", text)

    def test_where_it_is_looked_for(self):
        for folder in "app", "app/src", ".":
            self.assertTrue(self.has_text(
                self.made(), "--source=" + self.path(folder)), folder)
        os.mkdir(self.path("empty"))
        self.assertFalse(self.has_text(self.made(),
                                       "--source=" + self.path("empty")))
        self.assertTrue(self.has_text(self.made(), name="src/known.c"))
        done = rig.run("report", "--annotate=known.c", "--source=" +
                       self.path("no"), self.made())
        self.assertEqual(done.returncode, 2)

    def test_what_is_not_read(self):
        """A recording names what it likes; only plain files below are read."""
        outside = self.path("outside.c")
        os.rename(self.source, outside)
        app = "--source=" + self.path("app")
        for folder in "/build/app/..", self.folder.name, "..", "/":
            self.assertFalse(self.has_text(
                self.made(folder, "outside.c"), app, name="outside.c"), folder)
        os.symlink(outside, self.source)
        self.assertFalse(self.has_text(self.made(), app))
        self.assertTrue(self.has_text(self.made(), "--source=" + self.path(".")))
        os.remove(self.source)
        os.mkfifo(self.source)
        self.assertFalse(self.has_text(self.made(), app))
        os.remove(self.source)
        with open(self.source, "wb") as file:
            file.truncate((16 << 20) + 1)
        self.assertFalse(self.has_text(self.made(), app))

    def test_names(self):
        path = self.made()
        base = sqlite3.connect(path)
        base.execute("UPDATE position SET folder = '/x' "
                     "WHERE source = 'known.c:10'")
        base.commit()
        base.close()
        for name, said in (("known.c", "give more of the path"),
                           ("nown.c", "no sample is in a file"),
                           ("", "no sample is in a file")):
            done = rig.run("report", "--annotate=" + name, path)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


class Manual(TestCase):
    def test_questions_about_accesses(self):
        with open(os.path.join(os.environ["UNCORE_SOURCE"],
                               "docs/formats.md")) as file:
            lines, stacks = (q for q in re.findall(r"```sql\n(.*?)```",
                                                   file.read(), re.S)
                             if "access" in q)
        base = sqlite3.connect(self.write(
            sample(3, STORE, 8, 1, stack="run,main"),
            sample(2, LOCK, 16, 2, stack="main"),
            sample(9, STORE, 0, 1, line=LINE + 1),
            sample(9, LOAD, 0, 2, line=LINE + 1), sample(4, "-", 0, 1)))
        self.assertEqual(base.execute(lines).fetchall(),
                         [(hex(ADDRESS), 5, "1,2")])
        self.assertEqual(base.execute(stacks).fetchall(),
                         [("main;run;work", 3), ("main;work", 2),
                          ("work", 22)])
        base.close()


class OldAndDamaged(TestCase):
    def old(self):
        """As version 1 wrote it."""
        path = self.write(sample(3, STORE, 0, 1), sample(2, LOAD, 0, 2))
        return self.change(
            path, "DROP TABLE access", "DROP TABLE stack",
            "DROP TABLE datum", "ALTER TABLE position DROP COLUMN source",
            "PRAGMA user_version = 1")

    def test_version_1(self):
        path = self.old()
        rows = self.report("symbol", path)
        self.assertEqual([(r["symbol"], r["samples"]) for r in rows],
                         [("work", 5)])
        for view in "line", "page":
            row, = self.report(view, path)
            self.assertEqual((row["address"], row["samples"]),
                             ("[not known]", 5))
        row, = self.report("stack", path)
        self.assertEqual((row["stack"], row["samples"]), ("work", 5))
        self.assertEqual(rig.run("report", path).returncode, 0)

    def test_version_2(self):
        """That knew nothing of allocations and latencies."""
        columns = [("access", "touch_core"), ("access", "touch_thread"),
                   ("access", "answered"), ("access", "latency"),
                   ("access", "field"),
                   ("position", "folder"), ("position", "inlined"),
                   ("datum", "stack"), ("datum", "thread"),
                   ("datum", "size"), ("datum", "objects")]
        path = self.change(
            self.write(sample(3, STORE, 0, 1, datum="%d:a:1" % SYMBOL)),
            "DROP INDEX datum_site",
            *("ALTER TABLE %s DROP COLUMN %s" % column for column in columns),
            "PRAGMA user_version = 2")
        row, = self.report("data", path)
        self.assertEqual((row["data"], row["samples"], row["touched"],
                          row["bytes"]), ("a", 3, "", None))

    def test_version_3(self):
        """That knew no fields."""
        path = self.change(
            self.write(sample(3, STORE, 0, 1, datum="%d:a:8" % SYMBOL)),
            "ALTER TABLE access DROP COLUMN field",
            "PRAGMA user_version = 3")
        row, = self.report("line", path)
        self.assertEqual((row["data"], row["samples"]), ("a+0x8", 3))

    def test_a_version_to_come(self):
        path = self.change(self.write(sample(1, LOAD, 0, 1)),
                           "PRAGMA user_version = 5")
        self.assertIn("versions 1 to 4",
                      self.report("line", path, status=2))

    def test_numbers_that_no_recorder_writes(self):
        path = self.write(sample(3, STORE, 0, 1), sample(2, LOAD, 0, 2))
        for change in ("core = 4294967295", "core = 65536", "core = -2",
                       "home = 64", "home = -1", "stack = -1",
                       "datum = 99999999999"):
            changed = self.change(path, "UPDATE access SET " + change)
            self.assertIn("somebody has changed it",
                          self.report("line", changed, status=2))
        changed = self.change(path, "UPDATE access SET use = 'walked'")
        self.assertIn("unknown kind", self.report("line", changed, status=2))
        changed = self.change(path, "UPDATE sample SET socket = 65535")
        self.assertIn("somebody has changed it",
                      self.report("line", changed, status=2))

    def test_rows_without_end(self):
        """A view that has them stands in the place of a table."""
        path = self.write(sample(3, STORE, 0, 1))
        changed = self.change(
            path, "DROP TABLE stack",
            "CREATE VIEW Stack AS WITH RECURSIVE c(id) AS (SELECT 0 UNION ALL"
            " SELECT id + 1 FROM c) SELECT id, 0 AS position, 0 AS caller"
            " FROM c")
        self.assertIn("somebody has changed it",
                      self.report("stack", changed, status=2))

    def test_numbers_that_are_only_strange(self):
        """A report comes to its end, whatever it says."""
        path = self.write(sample(3, STORE, 0, 1, stack="main"),
                          sample(2, LOAD, 0, 2, datum="%d:a:1" % SYMBOL))
        for change in (
                "UPDATE access SET core = 65535",
                "UPDATE access SET address = -1",
                "UPDATE access SET line = -9223372036854775808",
                "UPDATE access SET offset = -1",
                "UPDATE access SET line = NULL",
                "UPDATE access SET datum = 77",
                "UPDATE access SET stack = 77",
                "UPDATE datum SET kind = 'shadow'",
                "UPDATE datum SET symbol = NULL",
                "UPDATE stack SET position = 99",
                "UPDATE sample SET position = 2147483647",
                "UPDATE sample SET thread = 2147483647",
                "UPDATE sample SET length = 1e-320",
                "DELETE FROM event"):
            schema = ("CREATE TABLE other AS SELECT * FROM access",
                      "DROP TABLE access",
                      "ALTER TABLE other RENAME TO access")
            changed = self.change(path, *schema, change)
            for view in "line", "page", "stack":
                for form in ("--json",), ("-x,",), ():
                    done = rig.run("report", "--by=" + view, *form, changed)
                    self.assertEqual(done.returncode, 0,
                                     (change, view, form, done.stderr))

    def test_control_characters(self):
        """None reaches a terminal, whoever made up the names."""
        nasty = "a\x1b[31mb\x07\x7f\x9b\u202ec\nd\te"
        path = self.write(sample(3, STORE, 0, 1, stack="main",
                                 datum="%d:a:1" % SYMBOL))
        base = sqlite3.connect(path)
        for change in ("position SET symbol", "position SET object",
                       "position SET source", "position SET folder",
                       "position SET inlined", "access SET answered",
                       "datum SET symbol",
                       "thread SET name", "event SET text"):
            base.execute("UPDATE %s = ?" % change, (nasty,))
        base.execute("INSERT OR REPLACE INTO meta VALUES ('what', ?)",
                     (nasty,))
        base.commit()
        base.close()
        for view in ("event", "symbol", "stack", "thread", "line", "page",
                     "source", "answer"):
            for form in (("-x,",), (), ("--folded",),
                         ("--callgrind=/dev/stdout",)):
                done = rig.run("report", *form, path, *(
                    () if form and len(form[0]) > 4 else ("--by=" + view,)))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([c for c in done.stdout.replace("\n", "")
                                  if not c.isprintable()], [])
                self.assertNotIn("c\nd", done.stdout)
                if view != "page":
                    self.assertIn("a?[31mb????c?d?e",
                                  done.stdout)


class Programs(TestCase):
    def setUp(self):
        super().setUp()
        if not shutil.which(os.environ.get("UNCORE_VALGRIND", "valgrind")):
            self.skipTest("no valgrind")

    def test_name_of_a_program_with_control_characters(self):
        program = self.path("tr\x1b[31mue\n")
        os.symlink(shutil.which("true"), program)
        done = rig.run("stat", "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("/tr?[31mue?", done.stdout + done.stderr)
        self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_functions_of_a_stripped_program(self):
        """They are told apart by where they begin."""
        if not shutil.which("strip"):
            self.skipTest("no strip")
        shares = []
        for words in ([], ["--strip-all"]):
            program = self.path("program")
            shutil.copy(os.path.join(os.environ["UNCORE_BUILD"], "histogram"),
                        program)
            if words:
                subprocess.run(["strip", *words, program], check=True)
            done = rig.run("record", "--replace", "-o", self.path(), "-e",
                           "cbox/LLC_MISSES.ALL,period=100/", "--", program)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = self.report("symbol", self.path())
            shares.append({r["symbol"]: r["samples"] for r in rows
                           if r["object"] == program})
            self.assertTrue(shares[-1], rows)
        plain, stripped = shares
        self.assertIn("make_records", plain)
        busiest = max(stripped, key=stripped.get)
        self.assertRegex(busiest, r"^program\+0x[0-9a-f]+$")
        self.assertGreater(stripped[busiest], 0.9 * plain["make_records"])
        self.assertLess(stripped[busiest], 1.1 * plain["make_records"])
        self.assertLess(len(stripped), 8)


if __name__ == "__main__":
    unittest.main()
