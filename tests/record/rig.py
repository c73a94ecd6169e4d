# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""`uncore record` and `uncore stat` for the tests of recordings."""
import csv
import io
import os
import sqlite3
import subprocess
import tempfile
import unittest

UNCORE = os.environ["UNCORE"]
TIMEOUT = 100


def run(*words, **options):
    return subprocess.run([UNCORE, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=TIMEOUT,
                          **options)


def with_events(events):
    return [word for event in events for word in ("-e", event)]


def stat(events, *more):
    """{(event number, "S0-cbox3"): count}"""
    result = run("stat", "-x,", "--per-box", *with_events(events), *more)
    assert result.returncode == 0, result.stderr
    counts = {}
    names = {event.split("/", 1)[1].split(",")[0].rstrip("/"): n
             for n, event in enumerate(events)}
    for row in csv.reader(io.StringIO(result.stdout)):
        name = ",".join(row[4:]).split("/", 1)[1].split(",")[0].split("/")[0]
        counts[names[name], row[0]] = int(row[2])
    return counts


class Recording:
    def __init__(self, path):
        # to write: what a killed recorder left half done is undone
        self.base = sqlite3.connect("file:%s?mode=rw" % path, uri=True,
                                    timeout=20)

    def all(self, query, *values):
        return self.base.execute(query, values).fetchall()

    def one(self, query, *values):
        return self.all(query, *values)[0][0]

    def meta(self):
        return dict(self.all("SELECT key, value FROM meta"))

    def sums(self):
        """What each event counted in each box: as stat()."""
        boxes = dict(self.all("SELECT id, box FROM event"))
        return {(event, "S%d-%s%d" % (socket, boxes[event], instance)): value
                for event, socket, instance, value in self.all(
                    "SELECT count.event, socket, instance_of.instance,"
                    " sum(count.value) FROM count JOIN sample ON"
                    " sample.id = count.sample JOIN (SELECT DISTINCT event,"
                    " instance FROM count) AS instance_of ON"
                    " instance_of.event = count.event AND"
                    " instance_of.instance = count.instance"
                    " GROUP BY 1, 2, 3")}

    def samples(self, event=0):
        """{box: (samples, lost)} of an event that samples."""
        box = self.one("SELECT box FROM event WHERE id = ?", event)
        return {"S%d-%s%d" % (socket, box, instance): (number, lost)
                for socket, instance, number, lost in self.all(
                    "SELECT socket, instance, count(*), sum(lost) FROM sample"
                    " WHERE kind = 'period' AND event = ? GROUP BY 1, 2",
                    event)}

    def dump(self):
        return [line for line in self.base.iterdump()
                if "'started'" not in line]


class TestCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="uncore-record-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name="file"):
        return os.path.join(self.folder.name, name)

    def record(self, events, *more, name="file"):
        result = run("record", "--replace", "-o", self.path(name),
                     *with_events(events), *more)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("samples written", result.stderr)
        recording = Recording(self.path(name))
        self.addCleanup(recording.base.close)
        return recording

    def refused(self, *words):
        result = run("record", "-o", self.path("refused"), *words)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertFalse(os.path.exists(self.path("refused")))
        self.assertRegex(result.stderr, r"^uncore: [^\n]*\n$")
        return result.stderr
