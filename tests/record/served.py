# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""A served model, and its registers read in one frame (docs/formats.md)."""
import os
import re
import socket
import struct
import subprocess
import tempfile

import rig

HEADER = struct.Struct("<IHHIi")
HELLO = struct.Struct("<8sHHI")
BATCH = struct.Struct("<IIQ")
OP = struct.Struct("<IIIiQ")
TYPE_HELLO, TYPE_BATCH = 1, 2
CORES = 10


def addresses():
    """{name: address} of all registers of the uncore that hold still, from what
    the command says."""
    listed = rig.run("registers").stdout
    found = re.findall(r"^(0x[0-9A-F]+)  (?!\S*TIMESTAMP)(\S+)", listed, re.M)
    assert len(found) > 300, len(found)
    return {name: int(word, 16) for word, name in found}


class Server:
    def __init__(self, test, workload, clock="free", sockets=2,
                 machine="xeon-e7"):
        self.folder = tempfile.TemporaryDirectory(prefix="uncore-served-")
        test.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "s")
        self.where = "socket:" + self.path
        self.sockets = sockets
        self.process = subprocess.Popen(
            [rig.UNCORE, "model", "serve", "--socket", self.path, "--clock",
             clock, "-m", machine, "-N", str(sockets), "-w", workload],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        test.addCleanup(self.process.stdout.close)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)
        assert self.process.stdout.readline().startswith("ready")
        self.client = socket.socket(socket.AF_UNIX)
        test.addCleanup(self.client.close)
        self.client.connect(self.path)
        self.ask(TYPE_HELLO, HELLO.pack(b"uncore\r\n", 1, 1, 0))

    def ask(self, kind, body):
        self.client.sendall(HEADER.pack(HEADER.size + len(body), kind, 0, 1, 0)
                            + body)
        head = self.exactly(HEADER.size)
        return self.exactly(HEADER.unpack(head)[0] - HEADER.size)

    def exactly(self, size):
        data = b""
        while len(data) < size:
            part = self.client.recv(size - len(data))
            assert part, "the server is gone"
            data += part
        return data

    def batch(self, ops):
        """(socket, address, value to write or None) ...: the values."""
        body = BATCH.pack(len(ops), 0, 0) + b"".join(
            OP.pack(which * CORES, address, value is not None, 0, value or 0)
            for which, address, value in ops)
        answer = self.ask(TYPE_BATCH, body)[BATCH.size:]
        return [OP.unpack_from(answer, i * OP.size)[4]
                for i in range(len(ops))]

    def registers(self):
        """{(socket, address): value} of everything."""
        keys = [(which, address) for which in range(self.sockets)
                for address in addresses().values()]
        values = []
        for first in range(0, len(keys), 512):
            values += self.batch([(*key, None)
                                  for key in keys[first:first + 512]])
        return dict(zip(keys, values))
