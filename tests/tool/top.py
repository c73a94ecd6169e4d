#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# uncore top on terminals of several kinds and sizes: what is on the screen is
# what the recording holds (by SQL and arithmetic here, and by uncore report),
# keys do what they say, and whatever ends it, the terminal is as it was.

import csv
import json
import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import termios
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from screen import Terminal  # noqa: E402

UNCORE = os.path.abspath(os.environ.get("UNCORE", "build/uncore"))
WORKLOAD = ("-w", "stream:threads=4,size=2M,op=copy")
ENDLESS = ("-w", "stream:threads=2,size=64M,passes=100000")
UTF8 = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
PLAIN = {"TERM": "vt100", "LC_ALL": "C"}


def uncore(*words, code=0):
    ran = subprocess.run([UNCORE, *words], text=True, timeout=100,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    if ran.returncode != code:
        raise AssertionError("%s: %d: %s" % (words, ran.returncode,
                                             ran.stderr))
    return ran


def number(value):
    """As the screen has it: four digits and a letter."""
    if value is None or math.isnan(value):
        return "n/a"
    letters = iter(" kMGTPE")
    letter = next(letters)
    while abs(value) >= 999.95:
        value /= 1000
        letter = next(letters)
    if value and abs(value) < 0.0005:
        return "%.1e" % value
    digits = 0 if not value else 1 if abs(value) >= 99.995 else \
        2 if abs(value) >= 9.9995 else 3
    return ("%.*f%s" % (digits, value, letter)).strip()


def figures(screen):
    """{name: [values as they stand there]}"""
    found = {}
    for row in range(3, screen.lines - 3):
        words = screen.line(row).split()
        if len(words) > 2:
            found[words[0]] = [word for word in words[2:] if re.fullmatch(
                r"~?[0-9.]+(e-[0-9]+)?[kMGT]?|n/a|-", word)]
    return found


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = cls.holder.name
        cls.recording = os.path.join(cls.folder, "known.rec")
        uncore("record", "-M", "summary", "-I", "20us", "-o", cls.recording,
               *WORKLOAD)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def top(self, *words, lines=24, columns=100, environment=None):
        return Terminal([UNCORE, "top", *words], lines, columns,
                        environment or UTF8, cwd=self.folder)

    def leave(self, terminal, code=0):
        """It was left: nothing is on the screen that was drawn there, and what
        is typed is seen again."""
        self.assertEqual(terminal.end(), code)
        self.assertFalse(terminal.screen.alternate)


class Recordings(Case):
    def trend(self, *words):
        """What uncore report has for the same steps."""
        steps = str(self.num_steps())
        text = uncore("report", "--by=trend", "--steps", steps, "-x,",
                      *words, self.recording).stdout
        return list(csv.DictReader(text.splitlines()))

    def num_steps(self):
        with sqlite3.connect(self.recording) as data:
            return data.execute("SELECT count(DISTINCT seconds) FROM sample"
                                ).fetchone()[0]

    def lines_moved(self, first, last, socket):
        """Lines read and written between two times, each sample spread evenly
        over the time that it is of."""
        with sqlite3.connect(self.recording) as data:
            rows = data.execute(
                "SELECT sample.seconds, length, sum(value) FROM count"
                " JOIN sample ON sample.id = count.sample"
                " JOIN event ON event.id = count.event"
                " WHERE (text LIKE '%BBOX_CMDS.READS/' OR"
                "  text LIKE '%CAS_WR_OPN/' OR text LIKE '%CAS_WR_CLS/')"
                " AND (?1 < 0 OR socket = ?1)"
                " GROUP BY sample.id", (socket,)).fetchall()
        total = 0.0
        for end, length, value in rows:
            common = min(end, last) - max(end - length, first)
            total += value * max(0, common) / length
        return total

    def test_the_screen_has_what_the_recording_has(self):
        steps = self.num_steps()
        with sqlite3.connect(self.recording) as data:
            end = data.execute("SELECT max(seconds) FROM sample").fetchone()[0]
        length = end / steps
        machine, socket = self.trend(), self.trend("--socket=0")
        for size, environment in (((24, 80), UTF8), ((45, 180), UTF8),
                                  ((24, 80), PLAIN)):
            terminal = self.top(self.recording, lines=size[0],
                                columns=size[1], environment=environment)
            terminal.wait("q leave")
            for step in (steps - 1, steps - 2, 0):
                seen = "%.6g s " % ((step + 1) * length)
                shown = figures(terminal.wait(
                    lambda screen: seen in screen.line(1) + " "))
                self.assertGreaterEqual(len(shown), 13)
                for name, row, column in (("page_hit", machine, 0),
                                          ("qpi_utilisation", machine, 0),
                                          ("llc_hit_ratio", machine, 0),
                                          ("qpi_utilisation", socket, 1)):
                    key = next(k for k in row[step] if k.startswith(name))
                    value = float(row[step][key] or "nan")
                    self.assertEqual(shown[name][column], number(value))
                for column in 0, 1, 2:
                    moved = self.lines_moved(step * length,
                                             (step + 1) * length, column - 1)
                    self.assertEqual(shown["memory_bandwidth"][column],
                                     number(64e-9 * moved / length))
                terminal.press("left")
                if step == steps - 2:  # a vt100 has no Home and no End
                    terminal.press(*["left"] * steps)
            self.assertIn("PAST", terminal.screen.line(1))
            terminal.press(*["right"] * steps)
            terminal.wait(lambda screen: "PAST" not in screen.line(1))
            terminal.press("q")
            self.leave(terminal)

    def test_a_row_has_one_unit(self):
        """Numbers of a row can be compared: one letter, or none."""
        terminal = self.top("-I", "1s", "-M", "llc_lookups,llc_misses,"
                            "memory_read,memory_bandwidth", "-w",
                            "stream:size=1M,threads=1")
        screen = terminal.wait("all has ended")
        letters = {name: {value.lstrip("~0123456789.") for value in values
                          if value.lstrip("~") not in ("0", "-", "n/a")}
                   for name, values in figures(screen).items()}
        self.assertIn({"M"}, letters.values())
        self.assertTrue(all(len(found) < 2 for found in letters.values()),
                        letters)
        self.assertNotIn("bytes", "\n".join(screen.line(row)
                                            for row in range(3, 8)))
        terminal.press("q")
        self.leave(terminal)

    def test_bars_are_full_at_the_most(self):
        """Of 2 sockets, 2 memory controllers, 2 pairs of channels that move a
        line in 2 clocks of 1.875 ns."""
        peak = 2 * 2 * 2 * 64 / (2 * 1.875)
        terminal = self.top(self.recording, lines=24, columns=200)
        screen = terminal.wait("q leave")
        self.assertIn("a full bar: %s GB/s, the most this machine can" %
                      number(peak), screen.text())
        row = next(row for row in range(24)
                   if screen.line(row).startswith("page_hit"))
        value = float(figures(screen)["page_hit"][0])
        cells = len(re.search(r"machine( +)socket0", screen.line(2)).group(0)) \
            - len("machine") - 9 - 1
        bar = screen.line(row)[screen.line(2).index("machine") + 8:][:cells]
        eighths = 8 * bar.count("█")
        eighths += sum(" ▏▎▍▌▋▊▉".index(c) for c in bar if c != "█")
        self.assertAlmostEqual(eighths / (8 * cells), value / 100,
                               delta=1 / (8 * cells))
        terminal.press("q")
        self.leave(terminal)

    def test_enter_explains(self):
        explained = uncore("explain", "memory_bandwidth").stdout
        terminal = self.top(self.recording, lines=60, columns=100)
        terminal.wait("q leave")
        terminal.press("enter")
        screen = terminal.wait("q back")
        shown = screen.text().replace("\n", "").replace(" ", "")
        for line in explained.splitlines():
            self.assertIn(line.replace(" ", ""), shown)
        terminal.press("q", "down", "down", "enter")
        terminal.wait("uncore top  memory_read")
        terminal.press("esc")
        terminal.wait("q leave")
        terminal.press("?")
        screen = terminal.wait("Left, Right")
        terminal.press("q")
        terminal.wait("q leave")
        terminal.press("r")
        terminal.wait("this is a recording already")
        terminal.press("q")
        self.leave(terminal)

    def test_a_long_page_is_scrolled(self):
        lines = uncore("explain", "memory_bandwidth").stdout.splitlines()
        terminal = self.top(self.recording, lines=12, columns=60)
        terminal.wait("q leave")
        terminal.press("enter")
        terminal.wait("q back")
        terminal.press("end")
        terminal.wait(lines[-1].strip()[:40])
        terminal.press("home")
        terminal.wait(lines[0].strip())
        terminal.press("q", "q")
        self.leave(terminal)

    def test_it_fits_into_other_sizes(self):
        terminal = self.top(self.recording, lines=24, columns=80)
        terminal.wait("q leave")
        terminal.press("pgdn")
        terminal.wait(lambda screen: "qpi_utilisation:" in screen.line(21))
        for lines, columns in ((9, 40), (50, 200), (10, 60)):
            terminal.resize(lines, columns)
            terminal.wait(lambda screen: screen.line(screen.lines - 1)
                          .startswith(" q leave"))
            screen = terminal.settle(0.2)
            self.assertTrue(any(screen.reversed_text(row) ==
                                "qpi_utilisation"[:columns // 3]
                                for row in range(3, lines - 3)))
        terminal.resize(5, 20)
        terminal.wait("too small")
        terminal.resize(24, 80)
        terminal.wait("q leave")
        terminal.press("q")
        self.leave(terminal)

    def test_sockets_that_have_no_room_come_with_a_key(self):
        path = os.path.join(self.folder, "four.rec")
        uncore("record", "-N", "4", "-M", "memory_bandwidth,page_hit", "-I",
               "20us", "-o", path, "-w", "stream:size=256K,node=3")
        terminal = self.top(path, lines=24, columns=50)
        screen = terminal.wait("q leave")
        self.assertNotIn("socket3", screen.line(2))
        terminal.press(">", ">", ">")
        screen = terminal.wait("socket3")
        self.assertIn("machine", screen.line(2))
        self.assertEqual(figures(screen)["memory_bandwidth"][0][:3],
                         figures(screen)["memory_bandwidth"][-1][:3])
        terminal.press("q")
        self.leave(terminal)

    def test_what_is_no_recording(self):
        path = os.path.join(self.folder, "cut.rec")
        with open(self.recording, "rb") as whole, open(path, "wb") as part:
            part.write(whole.read()[:5000])
        terminal = self.top(path)
        self.assertEqual(terminal.end(), 2)
        self.assertIn("cut.rec", terminal.screen.text())


class Terminals(Case):
    def test_one_that_cannot_be_drawn_on(self):
        for name in "dumb", "no-such-terminal":
            terminal = self.top(self.recording, environment={"TERM": name})
            self.assertEqual(terminal.end(), 2)
            self.assertRegex(terminal.screen.text().replace("\n", ""),
                             "^uncore: TERM=%s: .*--once" % name)

    def test_signals_give_it_back(self):
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, "\x03"):
            for what in ((self.recording,), ENDLESS):
                terminal = self.top(*what)
                terminal.wait("q leave")
                self.assertFalse(terminal.settings()[3] & termios.ECHO)
                self.assertTrue(terminal.screen.alternate)
                if isinstance(how, str):
                    terminal.press(how)
                else:
                    terminal.kill(how)
                self.leave(terminal)

    def test_a_stop_and_its_end(self):
        terminal = self.top(*ENDLESS)
        terminal.wait("q leave")
        terminal.press("\x1c", "\x1c")  # Ctrl-\ leaves no broken terminal
        terminal.settle(0.2)
        terminal.press("q")
        self.leave(terminal)

    def test_without_one_a_table_is_printed(self):
        table = uncore("top", self.recording).stdout
        self.assertRegex(table, r"memory_bandwidth +GB/s +\d")
        self.assertNotIn("\x1b", table)


class Tables(Case):
    def test_a_table_has_what_stat_has(self):
        table = uncore("top", "--once", *WORKLOAD).stdout
        stat = json.loads(uncore("stat", "--json", *WORKLOAD).stdout)
        seconds = stat["simulated_seconds"]
        checked = 0
        for metric in stat["metrics"]:
            row = re.search(r"^  %s +(\S+) +(\S+) " % metric["name"], table,
                            re.M)
            if not row:
                self.assertIn(metric["name"],
                              ("simulated_time", "instructions"))
                continue
            value = metric["value"]
            if value is None:
                self.assertEqual(row.group(2), "-")
                continue
            value /= seconds if row.group(1).endswith("/s") and \
                row.group(1) != metric["unit"] else 1
            if metric["unit"] == "bytes":
                self.assertEqual(row.group(1), "GB/s")
                value *= 1e-9
            self.assertAlmostEqual(float(row.group(2).replace(",", "")), value,
                                   delta=0.0006 * abs(value) + 1e-9)
            checked += 1
        self.assertGreater(checked, 8)

    def test_a_table_of_a_recording_is_of_all_of_it(self):
        table = uncore("top", "--once", self.recording).stdout
        with sqlite3.connect(self.recording) as data:
            says = dict(data.execute("SELECT key, value FROM meta"))
        self.assertIn("uncore top   %s, %s: %s\n" % (
            says["machine"], says["origin"], says["what"]), table)
        report = uncore("report", "--by=metric", "-x,", self.recording).stdout
        rows = {row["metric"]: row
                for row in csv.DictReader(report.splitlines())}
        for name in "memory_bandwidth", "page_hit", "request_latency_local":
            row = re.search(r"^  %s +\S+ +(\S+) " % name, table, re.M)
            self.assertAlmostEqual(float(row.group(1).replace(",", "")),
                                   float(rows[name]["value"]),
                                   delta=0.0006 * float(rows[name]["value"]))

    def test_what_cannot_be(self):
        for words, sentence in (
                (("-I", "1ms", *WORKLOAD), "-I 1ms"),
                ((), "uncore doctor"),
                (("-N", "2"), "name a PROGRAM"),
                (("--replay", "x"), "--replay"),
                (("--region", "x", "--", "true"), "--region"),
                (("-M", "no_such", *WORKLOAD), "no_such"),
                (("--metric-file", "x", *WORKLOAD), "--metric-file"),
                (("-M", "simulated_tim", *WORKLOAD), "simulated_time")):
            self.assertIn(sentence, uncore("top", *words, code=2).stderr)


class Server:
    """A model behind a socket."""

    def __init__(self, folder, workload):
        self.path = os.path.join(folder, "served")
        self.process = subprocess.Popen(
            [UNCORE, "model", "serve", "--socket", self.path, *workload],
            stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Live(Case):
    def test_it_records_and_counts_on(self):
        terminal = self.top("-I", "50ms", "-o", "live.rec", *ENDLESS)
        terminal.wait("every 0.05 s")
        terminal.press("r")
        terminal.wait(lambda screen: re.search(
            r"REC live\.rec: [1-9]\d+ samples", screen.text()))
        terminal.press("r")
        terminal.wait("written: live.rec")
        terminal.press("r")
        terminal.wait("REC live-2.rec")
        terminal.press("q")
        self.leave(terminal)
        self.assertRegex(terminal.screen.text(),
                         r"samples written to live\.rec")
        self.assertRegex(terminal.screen.text(),
                         r"samples written to live-2\.rec")
        path = os.path.join(self.folder, "live.rec")
        with sqlite3.connect(path) as data:
            length, = data.execute(
                "SELECT sum(length) FROM sample WHERE socket = 0").fetchone()
            seconds, = data.execute("SELECT max(seconds) FROM sample"
                                    ).fetchone()
            lines, = data.execute(
                "SELECT sum(value) FROM count JOIN event"
                " ON event.id = count.event WHERE"
                " text LIKE '%BBOX_CMDS.READS/'").fetchone()
        self.assertAlmostEqual(length, seconds, delta=1e-9)
        self.assertGreater(lines, 0)
        table = uncore("top", "--once", path).stdout
        read = re.search(r"^  memory_read +\S+ +(\S+)", table, re.M).group(1)
        self.assertAlmostEqual(float(read) / (64e-9 * lines / seconds), 1,
                               delta=0.0006)

    def test_the_past_stays_while_it_counts_on(self):
        terminal = self.top("-I", "50ms", *ENDLESS)
        terminal.wait("every 0.05 s")
        terminal.press("home")
        first = terminal.wait("PAST").line(1).split()[1]
        terminal.settle(0.01)
        for _ in range(20):
            terminal.read(0.05)
        self.assertEqual(terminal.screen.line(1).split()[1], first)
        terminal.press("end")
        terminal.wait(lambda screen: "PAST" not in screen.line(1) and
                      float(screen.line(1).split()[0]) > float(first))
        terminal.press("q")
        self.leave(terminal)

    def test_what_has_ended_stays_on_the_screen(self):
        terminal = self.top("-I", "1s", "-w", "stream:size=256K")
        screen = terminal.wait("all has ended")
        stat = json.loads(uncore("stat", "--json", "-w", "stream:size=256K",
                                 "-M", "page_hit").stdout)
        self.assertEqual(figures(screen)["page_hit"][0],
                         number(stat["metrics"][0]["value"]))
        terminal.press("q")
        self.leave(terminal)

    def test_a_server_that_dies(self):
        with Server(self.folder, ENDLESS) as server:
            terminal = self.top("--on", "socket:" + server.path, "-I", "100ms")
            terminal.wait("every 0.1 s")
            server.process.kill()
            self.leave(terminal, 1)
            self.assertIn("uncore: ", terminal.screen.text())

    def test_a_program_has_its_output_and_its_status(self):
        with Server(self.folder, ENDLESS) as server:
            terminal = self.top(
                "--on", "socket:" + server.path, "-I", "100ms", "--", "sh",
                "-c", "echo said; read x || echo no input; sleep 0.3; exit 7")
            screen = terminal.wait("all has ended")
            self.assertNotIn("said\n", screen.text())
            terminal.press("q")
            self.leave(terminal, 7)
            self.assertIn("said", terminal.screen.text())
            self.assertIn("no input", terminal.screen.text())

    def test_turns_are_marked(self):
        terminal = self.top("-I", "100ms", "--turns", "-M",
                            "llc,memory,qpi_utilisation", *ENDLESS)
        terminal.wait(lambda screen: re.search(r" ~[0-9.]", screen.text()))
        terminal.press("q")
        self.leave(terminal)


if __name__ == "__main__":
    unittest.main()
