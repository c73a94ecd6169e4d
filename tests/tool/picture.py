#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Pictures of machines of 1, 2, 4 and 8 sockets: well-formed, every box there,
nothing outside, nothing on top of something else; rendered where a renderer is
installed."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

UNCORE = os.environ["UNCORE"]
SVG = "{http://www.w3.org/2000/svg}"
EM = 0.66  # width of a letter over the font's size, bold ones included
# Parts of a socket (0: one a core), and links between so many sockets.
KINDS = {
    "ex": ({"ring": 1, "rbox": 1, "ubox": 1, "wbox": 1, "core": 0, "cbox": 0,
            "sbox": 2, "bbox": 2, "mbox": 2, "dimms": 2},
           {1: 0, 2: 1, 4: 6, 8: 16}),
    "ep": ({"ring": 1, "ha": 1, "ubox": 1, "pcu": 1, "r2pcie": 1, "core": 0,
            "cbo": 0, "imc": 4, "r3qpi": 2, "dimms0": 1}, {1: 0, 2: 2}),
}
E5 = "--machine", "xeon-e5-2600"
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)


def draw(sockets, workload, *more):
    run = subprocess.run([UNCORE, "model", "picture", "-N", str(sockets),
                          "-w", workload, *more], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, timeout=100, check=False)
    expect(run.returncode == 0, "%d sockets: %s" % (sockets, run.stderr))
    return run.stdout


def rect_of(element):
    x, y, w, h = (float(element.get(key))
                  for key in ("x", "y", "width", "height"))
    return x, y, x + w, y + h


def text_of(element):
    size = float(element.get("font-size"))
    width = len(element.text) * size * EM * 0.9
    x, y = float(element.get("x")), float(element.get("y"))
    left = {"start": x, "middle": x - width / 2, "end": x - width}
    left = left[element.get("text-anchor")]
    return left, y - size * 0.8, left + width, y + size * 0.2


def inside(inner, outer):
    return (inner[0] >= outer[0] - 0.1 and inner[1] >= outer[1] - 0.1 and
            inner[2] <= outer[2] + 0.1 and inner[3] <= outer[3] + 0.1)


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def ids_of(sockets, cores, kind):
    """Box types and how many there are of each, beside cores and slices."""
    for socket in range(sockets):
        for part, num in KINDS[kind][0].items():
            for i in range(num or cores):
                yield "s%d-%s%s" % (socket, part, i if num != 1 else "")


def check_disjoint(sockets, named):
    names = sorted(named)
    for i, name in enumerate(names):
        for other in names[i + 1:]:
            expect(not overlap(named[name], named[other]),
                   "%d sockets: %s lies on %s" % (sockets, name, other))


def check(sockets, data, cores=10, kind="ex"):
    root = ElementTree.fromstring(data)
    view = [float(x) for x in root.get("viewBox").split()]
    view = (view[0], view[1], view[0] + view[2], view[1] + view[3])
    groups = {group.get("id"): group for group in root.iter(SVG + "g")}
    for name in ids_of(sockets, cores, kind):
        expect(name in groups, "%d sockets: no %s" % (sockets, name))
    expect("s0-hub" in groups or sockets == 8 or kind == "ep", "no I/O hub")
    links = [name for name in groups if name.startswith("link-")]
    expect(len(links) == KINDS[kind][1][sockets],
           "%d sockets have %d links" % (sockets, len(links)))
    for element in root.iter(SVG + "rect"):
        expect(inside(rect_of(element), view), "a box is outside")
    boxes = {}
    for name, group in groups.items():
        rects = group.findall(SVG + "rect")
        if group.get("class") == "box":
            boxes[name] = rect_of(rects[0])
            for text in group.findall(SVG + "text"):
                expect(inside(text_of(text), boxes[name]),
                       "%s: '%s' does not fit" % (name, text.text))
        elif group.get("class") == "dimms":
            for i, rect in enumerate(rects):
                boxes["%s-%d" % (name, i)] = rect_of(rect)
    check_disjoint(sockets, boxes)
    texts = {}
    for i, element in enumerate(root.iter(SVG + "text")):
        texts["text %d '%s'" % (i, element.text)] = text_of(element)
        expect(inside(text_of(element), view),
               "'%s' is outside" % element.text)
    check_disjoint(sockets, texts)
    return groups


def fill_of(groups, name):
    return groups[name].find(SVG + "rect").get("fill")


def check_colours(memory, *more, **kind):
    groups = check(2, draw(2, "stream:threads=1,op=read,size=1M,node=1",
                           *more), **kind)
    rest = fill_of(groups, "s1-core5")
    expect(fill_of(groups, "s0-core5") == rest, "a core at rest is busy")
    expect(fill_of(groups, "s0-core0") != rest, "the busy core is at rest")
    expect(fill_of(groups, "s1-%s0" % memory) != rest, "the memory is at rest")
    expect(fill_of(groups, "s0-%s1" % memory) == rest,
           "memory that rests is busy")
    title = groups["s0-core0"].find(SVG + "title").text
    number = int(re.search(r"(\d+) requests", title).group(1))
    expect(number == 1 << 14, "%d requests of core 0" % number)


def render(data):
    tool = shutil.which("rsvg-convert")
    if not tool:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        run = subprocess.run([tool, "-o", path], input=data,
                             stderr=subprocess.PIPE, timeout=60, check=False)
        expect(run.returncode == 0 and os.path.getsize(path) > 20000,
               "cannot be rendered: %s" % run.stderr)


def main():
    for sockets in (1, 2, 4, 8):
        data = draw(sockets, "random:threads=8,place=scatter,shared=1,"
                             "size=1M,count=2000,write=30")
        check(sockets, data)
    render(data)
    check(1, draw(1, "idle", "--cycles", "10000", "--set", "dram.dimms=1"))
    check(2, draw(2, "random:threads=16,size=1M,count=1000", "--machine",
                  "xeon-7500"), 8)
    check(1, draw(1, "idle", "--cycles", "10000", *E5), 8, "ep")
    check(2, draw(2, "random:threads=16,size=1M,count=1000", *E5), 8, "ep")
    check_colours("mbox", "--set", "mbox.patrol_cycles=0")
    check_colours("imc", *E5, cores=8, kind="ep")
    run = subprocess.run([UNCORE, "model", "picture", "-w", "stream", "true"],
                         stderr=subprocess.PIPE, check=False)
    expect(run.returncode == 2, "a program and a workload at once")
    for failure in failures[:20]:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
