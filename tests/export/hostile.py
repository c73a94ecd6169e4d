#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Clients that mean no good stop neither the counting nor the scrapes of others
# from the same address: who sends one byte now and then, who sends a head that
# never ends or is huge, who opens more connections than are allowed and keeps
# them, who asks for everything at once and reads nothing, and who speaks no
# HTTP. Each of them goes on while scrapes are made. However many stay connected,
# and whatever they have begun, who comes then is answered within seconds.

import os
import random
import socket
import sys
import time

from rig import Exporter, Served, check, is_built

CLIENTS = 300  # more than there may be, and not more than a process may open
SCRAPES = 3
CROWDS = (127, 128, 129, CLIENTS)  # about places of ours and limits of libraries
SOON = 10  # s: of it a SYN that found the queue full waits for one at least


def connect(exporter, receive_bytes=None):
    client = socket.socket()
    if receive_bytes:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    client.settimeout(10)
    client.connect((exporter.host, exporter.port))
    return client


def send(client, data):
    """As much as the other end takes; it may have closed."""
    try:
        client.sendall(data)
    except OSError:
        pass


def slow(exporter):
    """Heads that are never complete."""
    clients = [connect(exporter) for _ in range(CLIENTS)]
    for client in clients:
        send(client, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nX-a: ")
    yield clients
    for _ in range(SCRAPES):
        for client in clients:
            send(client, b"b")
        yield clients


def silent(exporter):
    """Connections and nothing else."""
    yield [connect(exporter) for _ in range(CLIENTS)]


def huge(exporter):
    """Heads of megabytes: in one line, in many, in the path."""
    clients = [connect(exporter) for _ in range(3)]
    send(clients[0], b"GET /metrics HTTP/1.1\r\nX: " + b"y" * (4 << 20))
    send(clients[1], b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * (1 << 19))
    send(clients[2], b"GET /" + b"z" * (4 << 20) + b" HTTP/1.1\r\n\r\n")
    yield clients


def bodies(exporter):
    """What nobody wants to have."""
    clients = [connect(exporter) for _ in range(3)]
    send(clients[0], b"POST /metrics HTTP/1.1\r\nHost: localhost\r\n"
         b"Content-Length: 9999999999\r\n\r\n" + b"x" * (4 << 20))
    send(clients[1], b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"
         b"Content-Length: 9999999999\r\n\r\n" + b"x" * (4 << 20))
    send(clients[2], b"PUT / HTTP/1.1\r\nHost: localhost\r\n"
         b"Transfer-Encoding: chunked\r\n\r\nfffffff\r\n" + b"x" * (4 << 20))
    yield clients


def pipelined(exporter):
    """All at once, and nothing is read: more than one address may have."""
    clients = [connect(exporter, 4096) for _ in range(40)]
    for client in clients:
        client.settimeout(0.2)
        send(client, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000)
    yield clients


def hasty(exporter):
    """Gone before they are answered."""
    for _ in range(CLIENTS):
        client = connect(exporter)
        send(client, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.close()
    yield []


def half_closed(exporter):
    """Have said that nothing will follow, and stay."""
    clients = [connect(exporter) for _ in range(CLIENTS)]
    for number, client in enumerate(clients):
        if number % 2:
            send(client, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            client.shutdown(socket.SHUT_WR)
        except OSError:  # was dropped
            pass
    yield clients


def idle(number):
    def crowd(exporter):
        yield [connect(exporter) for _ in range(number)]
    crowd.__doc__ = "%d connections at once, and nothing else." % number
    return crowd


def garbage(exporter):
    """No HTTP, or hardly any: the same in each run."""
    rng = random.Random(4)
    clients = []
    for number in range(60):
        client = connect(exporter)
        line = bytearray(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in range(number % 6):
            line[rng.randrange(len(line))] = rng.randrange(256)
        send(client, bytes(line) if number % 3 else rng.randbytes(2000))
        clients.append(client)
    yield clients


def is_well(exporter, attack):
    begin = time.monotonic()
    status, _, text = exporter.ask("/healthz", timeout=SOON)
    check("%s: well after %.1f s: %d %s" % (
        attack.__doc__, time.monotonic() - begin, status, text),
          status == 200 and text == "ok\n")


def scrapes(exporter, before):
    """Succeed, and what is counted goes on."""
    for _ in range(SCRAPES):
        now = exporter.scrape()
        counters = now.counters()
        for series, value in before.counters().items():
            check("%s does not fall" % (series,), counters[series] >= value)
        before = now
    return before


def keeps_what_is_freed(exporter):
    """A sanitizer does, for a while."""
    with open("/proc/%d/maps" % exporter.process.pid,
              encoding="utf-8") as file:
        return "libasan" in file.read()


def memory(exporter):
    with open("/proc/%d/statm" % exporter.process.pid,
              encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def main():
    if not is_built():
        print("built without libmicrohttpd")
        return 77
    attacks = (slow, silent, huge, bodies, pipelined, hasty, half_closed,
               garbage, *map(idle, CROWDS))
    with Served("random:size=64M,threads=4,count=1000000000") as served, \
            Exporter("--on", "socket:" + served.path, "-I", "200ms", "-e",
                     "wbox/FIXED_CTR/,cbox/LLC_MISSES.ALL/") as exporter:
        first = last = exporter.scrape()
        at_first = memory(exporter)
        for attack in attacks:
            for clients in attack(exporter):
                is_well(exporter, attack)
                last = scrapes(exporter, last)
            for client in clients:
                client.close()
        grown = (last.sum("uncore_wbox_fixed_ctr_total") -
                 first.sum("uncore_wbox_fixed_ctr_total"))
        check("it has counted meanwhile", grown > 0)
        check("too many have been dropped",
              last.sum("uncore_export_dropped_clients_total") > CLIENTS)
        check("memory is what it was: %d and %d bytes" %
              (at_first, memory(exporter)),
              keeps_what_is_freed(exporter) or
              memory(exporter) < at_first + (16 << 20))
        status, said = exporter.end()
        check("it ends with 0 and says nothing: %d %s" % (status, said),
              status == 0 and not said)
    print("%d kinds of clients, %d dropped" %
          (len(attacks), last.sum("uncore_export_dropped_clients_total")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
