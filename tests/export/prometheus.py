#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# A real Prometheus scrapes an exporter of a served model under load: every
# scrape succeeds, no counter ever falls, no series has a gap, queries answer
# what the model counts, and the memory of the exporter stays what it is. The
# configuration and the rules are those of examples/prometheus. At length: ten
# minutes, with others that scrape, too.

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from rig import (LONG, SOURCE, Exporter, Served, check, has_prometheus, is_built,
                 wait_for)

SECONDS = 600 if LONG else 5
SETTLE_SECONDS = 20 if LONG else 0  # before memory is looked at
EXAMPLES = os.path.join(SOURCE, "examples", "prometheus")
RULES = ("uncore-alerts.yml", "uncore-fleet.yml")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def check_examples():
    for name in RULES:
        ended = subprocess.run(["promtool", "check", "rules",
                                os.path.join(EXAMPLES, name)],
                               stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True,
                               check=False)
        check("rules of %s: %s" % (name, ended.stdout), not ended.returncode)
    ended = subprocess.run(["promtool", "check", "config", "--syntax-only",
                            os.path.join(EXAMPLES, "prometheus.yml")],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, check=False)
    check("the configuration: " + ended.stdout, not ended.returncode)
    ended = subprocess.run(["promtool", "test", "rules",
                            os.path.join(EXAMPLES, "uncore-test.yml")],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, check=False)
    check("what alerts when: " + ended.stdout, not ended.returncode)


class Prometheus:
    """That scrapes one exporter once a second."""

    def __init__(self, folder, target):
        with open(os.path.join(EXAMPLES, "prometheus.yml"),
                  encoding="ascii") as file:
            text = file.read()
        text = re.sub(r"_interval: \w+", "_interval: 1s", text)
        text = re.sub(r"scrape_timeout: \w+", "scrape_timeout: 1s", text)
        text = re.sub(r"(targets:\n)(\s+- ).*?\n(?=\n|\Z)",
                      lambda m: m.group(1) + m.group(2) + target + "\n",
                      text, flags=re.S)
        check("the target is in: " + text, target in text)
        for name in RULES:
            shutil.copy(os.path.join(EXAMPLES, name), folder)
        config = os.path.join(folder, "prometheus.yml")
        with open(config, "w", encoding="ascii") as file:
            file.write(text)
        self.url = "http://127.0.0.1:%d" % free_port()
        self.process = subprocess.Popen(
            ["prometheus", "--config.file=" + config,
             "--storage.tsdb.path=" + os.path.join(folder, "data"),
             "--web.listen-address=" + self.url[7:]],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        check("Prometheus is ready", wait_for(self.is_ready))

    def get(self, path, **words):
        url = self.url + path + "?" + urllib.parse.urlencode(words)
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.read().decode("utf-8")

    def is_ready(self):
        try:
            return "Ready" in self.get("/-/ready") or True
        except OSError:
            return False

    def query(self, expression):
        """[({label: value}, number)]"""
        found = json.loads(self.get("/api/v1/query", query=expression))
        return [(row["metric"], float(row["value"][1]))
                for row in found["data"]["result"]]

    def raw(self, selector, seconds):
        """{series: [(time, number)]}"""
        found = json.loads(self.get("/api/v1/query",
                                    query="%s[%ds]" % (selector, seconds)))
        return {tuple(sorted(row["metric"].items())):
                [(t, float(v)) for t, v in row["values"]]
                for row in found["data"]["result"]}

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def check_series(prometheus, seconds):
    """Scrapes without a gap, counters that never fall."""
    up = prometheus.raw('up{job="uncore"}', seconds)
    check("one target", len(up) == 1)
    (scrapes,) = up.values()
    check("every scrape succeeded", all(value == 1 for _, value in scrapes))
    check("%d scrapes in %d seconds" % (len(scrapes), seconds),
          len(scrapes) >= 0.8 * seconds - 1)
    counters = prometheus.raw('{__name__=~"uncore_.*_total"}', seconds)
    for series, values in counters.items():
        check("no gap: %d of %d scrapes have %s" %
              (len(values), len(scrapes), series),
              abs(len(values) - len(scrapes)) <= 1)
        for (_, before), (_, after) in zip(values, values[1:]):
            check("%s fell from %g to %g" % (series, before, after),
                  after >= before)
    return len(scrapes), len(counters)


def check_answers(prometheus):
    rates = prometheus.query(
        "sum by (socket) (rate(uncore_memory_read_bytes_total[5s]))")
    check("both sockets: %s" % rates, len(rates) == 2)
    check("memory is read", max(value for _, value in rates) > 0)
    whole = prometheus.query("sum(uncore_mbox_fvc_ev0_bbox_cmds_reads_total)")
    read = prometheus.query("sum(uncore_memory_read_bytes_total)")
    check("64 bytes a read: %s %s" % (whole, read),
          abs(whole[0][1] * 64 - read[0][1]) <= 0.2 * read[0][1])
    check("nothing alerts", not prometheus.query("ALERTS"))
    build = prometheus.query("uncore_export_build_info")[0][0]
    check("what is counted: %s" % build, build["machine"] == "xeon-e7" and
          build["modelled"] == "yes")


def check_dashboard(prometheus):
    """Each question of it is one that Prometheus answers."""
    with open(os.path.join(EXAMPLES, "uncore-dashboard.json"),
              encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    asked = [target["expr"] for panel in panels
             for target in panel["targets"]]
    for expression in asked:
        expression = expression.replace("$__rate_interval", "5s")
        expression = expression.replace("$instance", ".*")
        check("an answer to " + expression, expression.startswith("fleet:") or
              prometheus.query(expression))
    check("questions were asked", len(asked) > 5)


def resident(exporter):
    return exporter.scrape().sum("uncore_export_resident_memory_bytes")


def scrape_besides(exporter, is_over):
    while not is_over.is_set():
        exporter.ask("/metrics")
        exporter.ask("/healthz")


def main():
    if not is_built():
        print("built without libmicrohttpd")
        return 77
    if not has_prometheus():
        print("Prometheus is not here, and apt could not fetch it")
        return 77
    for name in ("http_proxy", "HTTP_PROXY"):
        os.environ.pop(name, None)
    check_examples()
    is_over = threading.Event()
    with tempfile.TemporaryDirectory(prefix="uncore-prometheus-") as folder, \
            Served("random:size=64M,threads=8,write=30,count=4000000000") as \
            served, Exporter("--on", "socket:" + served.path) as exporter:
        prometheus = Prometheus(folder, "127.0.0.1:%d" % exporter.port)
        other = threading.Thread(target=scrape_besides,
                                 args=(exporter, is_over))
        try:
            if LONG:
                other.start()
            # it begins some seconds after it is ready
            check("Prometheus scrapes", wait_for(
                lambda: prometheus.query('up{job="uncore"} == 1')))
            time.sleep(SETTLE_SECONDS)
            at_first = resident(exporter)
            start = time.monotonic()
            time.sleep(SECONDS)
            check_answers(prometheus)
            check_dashboard(prometheus)
            scrapes, counters = check_series(
                prometheus, int(time.monotonic() - start))
            at_last = resident(exporter)
        finally:
            is_over.set()
            prometheus.end()
            if LONG:
                other.join()
        check("memory is flat: %d, then %d bytes" % (at_first, at_last),
              not LONG or at_last < at_first + (1 << 20))
        check("it ends with 0", exporter.end()[0] == 0)
    print("%d scrapes of %d counters; resident memory %d, then %d bytes" %
          (scrapes, counters, at_first, at_last))
    return 0


if __name__ == "__main__":
    sys.exit(main())
