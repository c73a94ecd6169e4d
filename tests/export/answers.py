#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# How `uncore export --listen` answers: both formats by what the client accepts,
# with the same series; GET and HEAD alone; scrapes at the same time share a sweep, later ones have their own;
# a second exporter at the port is told so, and so is who opens it to others. A
# signal ends it with 0 and puts the registers back.

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time

from rig import OPEN_METRICS, UNCORE, Exporter, Served, check, is_built

RUN = ("-w", "random:size=64M,threads=2,count=1000000000")
AT_ONCE = 16


def test_formats(exporter):
    plain = exporter.scrape()
    check("the older format where none is named", not plain.is_open)
    accepts = OPEN_METRICS + ";version=1.0.0,text/plain;version=0.0.4;q=0.5"
    opened = exporter.scrape(Accept=accepts)
    check("OpenMetrics for who accepts it", opened.is_open)
    check("both have the same series",
          set(plain.series()) == set(opened.series()))
    check("bytes have a unit",
          opened.families["uncore_memory_read_bytes"].unit == ["bytes"])
    for series, value in plain.counters().items():
        check("%s does not fall" % (series,),
              opened.counters()[series] >= value)


def test_methods(exporter):
    status, headers, text = exporter.ask(method="HEAD")
    check("HEAD has a head and no body",
          status == 200 and not text and int(headers["Content-Length"]) > 999)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH",
                   "CONNECT", "get", "NONSENSE"):
        status, headers, _ = exporter.ask(method=method)
        check("%s is not allowed: %d" % (method, status),
              status == 405 and headers["Allow"] == "GET, HEAD")
    for path in ("/metrics/", "/Metrics", "/../etc/passwd", "//metrics",
                 "/index.html", "/%2e%2e/", "*"):
        status, _, text = exporter.ask(path)
        check("%s is not there: %d" % (path, status), status == 404)
        check("and it is said what is", "/metrics" in text)
    check("a query changes nothing", exporter.ask("/metrics?a=b")[0] == 200)
    check("it is well", exporter.ask("/healthz")[2] == "ok\n")


def hosts(exporter, *names, status):
    for name in names:
        found = exporter.ask("/healthz", Host=name)
        check("asked as %s: %d" % (name, found[0]), found[0] == status)


def test_names():
    """Only its own: the name of a page may get the address of this machine."""
    own = socket.gethostname()
    with Exporter(*RUN) as exporter:
        port = exporter.port
        hosts(exporter, "127.0.0.1", "127.0.0.1:%d" % port, "localhost",
              "LocalHost:80", "localhost.", status=200)
        hosts(exporter, "evil.example", "evil.example:%d" % port, "127.0.0.2",
              "127.0.0.1.evil.example", "localhost.evil.example", "[::1]",
              "xlocalhost", "", ":%d" % port, "[", "[]:1", "a" * 3000,
              "0x7f.0.0.1", "127.1", "localhost:80@evil.example",
              "127.0.0.1:evil.example", "localhost:80:80", "[127.0.0.1]x",
              "[localhost", status=421)
        for path in ("/", "/metrics", "/nothing"):
            check("no page at all for others",
                  exporter.ask(path, Host="evil.example")[0] == 421)
        with socket.create_connection((exporter.host, port)) as client:
            client.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
            check("HTTP/1.0 has no such header",
                  b" 200 " in client.recv(100))
    with Exporter(*RUN, "--host", "node7.example", "--host", "proxy") as more:
        hosts(more, "node7.example", "NODE7.example.:9300", "proxy", "localhost",
              status=200)
        hosts(more, "node7", "evil.node7.example", status=421)
    with Exporter(*RUN, listen="0.0.0.0:0") as opened:
        opened.host = "127.0.0.2"  # of this machine, too
        hosts(opened, "127.0.0.2", own, own + ":1", "localhost", status=200)
        hosts(opened, "127.0.0.1", "0.0.0.0", own + ".evil.example", status=421)


def test_one_connection_is_enough(exporter):
    connection = http.client.HTTPConnection(exporter.host, exporter.port)
    connection.connect()
    port = connection.sock.getsockname()[1]
    for path in ("/metrics", "/", "/healthz", "/nothing"):
        connection.request("GET", path)
        connection.getresponse().read()
        check("it stays open", connection.sock and
              connection.sock.getsockname()[1] == port)
    connection.close()


def test_what_drew_says_what_takes_its_place(exporter):
    for path in ("/", "/picture.svg"):
        status, _, text = exporter.ask(path)
        check("%s is gone: %d" % (path, status), status == 404)
        check("it is said what has it: " + text, "-M busy" in text and
              "stat --html=FILE" in text and text.count("\n") == 1)


def scrape_at_once(exporter):
    """How many sweeps were made for all."""
    before = exporter.scrape()
    time.sleep(0.5)
    barrier = threading.Barrier(AT_ONCE)
    found = []

    def scrape():
        barrier.wait()
        found.append(exporter.scrape())

    threads = [threading.Thread(target=scrape) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check("all were answered", len(found) == AT_ONCE)
    sweeps = [int(reader.sum("uncore_export_sweeps_total"))
              for reader in found]
    return max(sweeps) - int(before.sum("uncore_export_sweeps_total"))


def test_sweeps_are_shared(exporter):
    # Where threads are late, some come after a first sweep that others shared.
    sweeps = scrape_at_once(exporter)
    check("%d scrapes made %d sweeps" % (AT_ONCE, sweeps),
          1 <= sweeps <= AT_ONCE // 2)
    first = exporter.scrape().sum("uncore_export_sweeps_total")
    time.sleep(0.5)
    check("a later scrape has its own",
          exporter.scrape().sum("uncore_export_sweeps_total") > first)


def refused(*words):
    ended = subprocess.run([UNCORE, "export"] + list(words) +
                           ["-w", "idle", "--cycles", "1000"],
                           stderr=subprocess.PIPE, text=True, check=False)
    return ended.returncode, ended.stderr


def test_where(exporter):
    status, said = refused("--listen", "127.0.0.1:%d" % exporter.port)
    check("a second one is told: " + said, status == 1 and
          "another program, perhaps another 'uncore export'" in said)
    for where in ("", ":9300", "localhost:1", "127.0.0.1", "127.0.0.1:",
                  "127.0.0.1:65536", "127.0.0.1:-1", "::1:9300", "[::1]",
                  "1.2.3:x", "127.0.0.1: 80"):
        status, said = refused("--listen", where)
        check("'%s' is no address: %s" % (where, said),
              status == 2 and "that is no address and port" in said)
    status, said = refused("--listen", "192.0.2.1:9300")
    check("an address of another machine: " + said,
          status == 2 and "cannot listen there" in said)
    with Exporter("-w", "idle", listen="0.0.0.0:0") as opened:
        check("who opens it is told: " + opened.said,
              "nobody is asked who they are" in opened.said)
    check("else it is not", "nobody is asked" not in exporter.said)
    if not can_bind("::1"):
        return
    with Exporter("-w", "idle", listen="[::1]:0") as sixth:
        sixth.host = "::1"
        check("the other kind of address", sixth.ask("/healthz")[0] == 200 and
              "nobody is asked" not in sixth.said)


def can_bind(address):
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind((address, 0))
        return True
    except OSError:
        return False


def test_end_puts_registers_back(number):
    with Served("random:size=64M,threads=2,count=1000000000") as served:
        where = "socket:" + served.path
        with Exporter("--on", where, "-e", "cbox/LLC_MISSES.ALL/") as exporter:
            exporter.scrape()
            busy = subprocess.run(
                [UNCORE, "stat", "--on", where, "--duration", "0.01", "-e",
                 "cbox/LLC_MISSES.ALL/"], stderr=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True, check=False)
            check("it has the counters: " + busy.stderr,
                  busy.returncode == 1 and "uncore export" in busy.stderr)
            status, said = exporter.end(number)
            check("it ends with 0: %d %s" % (status, said), status == 0)
        ended = subprocess.run([UNCORE, "reset", "--on", where],
                               stdout=subprocess.PIPE, text=True, check=True)
        check("nothing is left to put back: " + ended.stdout,
              "nobody has left anything" in ended.stdout)


def test_a_model_that_dies_is_told():
    with Served("idle") as served, \
            Exporter("--on", "socket:" + served.path) as exporter:
        exporter.scrape()
        served.process.kill()
        said = exporter.process.communicate(timeout=60)[1]
        check("it ends with 1 and a sentence: " + said,
              exporter.process.returncode == 1 and said.count("\n") == 1)


def test_traffic_that_ends_stays_told():
    with Exporter("-w", "stream:size=64K", "-e",
                  "cbox/LLC_MISSES.ALL/") as exporter:
        while exporter.scrape().sum("uncore_export_counting"):
            time.sleep(0.05)
        for _ in range(3):
            check("1024 lines", exporter.scrape().sum(
                "uncore_cbox_llc_misses_all_total") >= 1023)
            time.sleep(0.3)
        check("and it is well", exporter.ask("/healthz")[0] == 200)
        check("0", exporter.end(signal.SIGINT)[0] == 0)


def main():
    if not is_built():
        print("built without libmicrohttpd")
        return 77
    os.environ.pop("http_proxy", None)
    with Exporter(*RUN) as exporter:
        for test in (test_formats, test_methods,
                     test_what_drew_says_what_takes_its_place,
                     test_one_connection_is_enough, test_sweeps_are_shared,
                     test_where):
            test(exporter)
        check("it ends with 0", exporter.end()[0] == 0)
    test_names()
    test_end_puts_registers_back(signal.SIGTERM)
    test_end_puts_registers_back(signal.SIGINT)
    test_a_model_that_dies_is_told()
    test_traffic_that_ends_stays_told()
    return 0


if __name__ == "__main__":
    sys.exit(main())
