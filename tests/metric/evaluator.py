# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""Metrics read and evaluated a second time, slowly: from data/FORMAT.md and
from counts as `uncore stat --json --per-box` prints them. Formulas are left to
Python's own parser."""
import ast
import fnmatch
import itertools
import os
import re
import shlex

SOURCE = os.environ["UNCORE_SOURCE"]


class NoValue(Exception):
    pass


class Row:
    """One metric: its texts and formulas."""

    def __init__(self):
        self.name = self.unit = self.kind = self.split = ""
        self.formula = self.max = None
        self.min = "0"


# Of a list with commas between, which may stand in quotes, too.
VALUE = r"(?:'[^']*'|[^,'])+"


class Set:
    """The metrics of a family."""

    def __init__(self, family):
        self.events, self.lets, self.facts, self.params = {}, {}, {}, {}
        self.rows = {}
        self.read(os.path.join(SOURCE, "data", family, "metrics.txt"))

    def read(self, path):
        block = []
        with open(path, encoding="ascii") as file:
            lines = file.read().splitlines()
        for line in lines + ["end"]:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            if line.startswith("  "):
                block.append(line)
                continue
            if block:
                self.add_block(block)
            block = []
            kind, *rest = line.split(None, 2)
            if kind == "metric":
                block = [line]
            elif kind == "base":
                self.read(os.path.join(SOURCE, "data", rest[0], "metrics.txt"))
            elif kind == "event":
                self.events[rest[0]] = rest[1].strip()
                self.lets.pop(rest[0], None)
            elif kind == "let":
                self.lets[rest[0]] = rest[1].strip()
                self.events.pop(rest[0], None)
            elif kind == "fact":
                self.facts[rest[0]] = float(rest[1].split()[0])
                found = re.search(r"param=(\S+)", rest[1])
                self.params[rest[0]] = found.group(1) if found else None
            elif kind == "drop":
                for name in fnmatch.filter(list(self.rows), rest[0]):
                    del self.rows[name]

    def add_block(self, block):
        choices = []
        for key in ("each", "times"):
            found = re.search(key + r'="([^"]*)"', block[0])
            if not found:
                continue
            names, values = found.group(1).split(":", 1)
            names = names.split()
            choices.append([dict(zip(names, shlex.split(value)))
                            for value in re.findall(VALUE, values)])
        for choice in itertools.product(*choices):
            names = {}
            for part in choice:
                names.update(part)
            self.add_row([bind(line, names) for line in block])

    def add_row(self, lines):
        words = shlex.split(lines[0])
        row = Row()
        row.name = words[1].lower()
        for word in words[4:]:
            key, value = word.split("=", 1)
            setattr(row, key, value)
        for line in lines[1:]:
            key, value = line.split(None, 1)
            setattr(row, key, value.strip())
        if row.unit == "%" and row.max is None:
            row.max = "100"
        self.rows[row.name] = row


def bind(line, names):
    return re.sub(r"\$\{?([A-Za-z0-9]+)\}?",
                  lambda found: names.get(found.group(1), found.group(0)),
                  line)


class Counts:
    """What a run counted: {event: {(socket, instance): value}}."""

    def __init__(self, out, boxes):
        self.values = {}
        self.sockets = out["sockets"]
        self.seconds = out["simulated_seconds"]
        self.cycles = out["uncore_cycles"]
        self.instructions = out["instructions"]
        self.boxes = boxes  # name: instances
        for row in out["counts"]:
            place = row["socket"], int(re.search(r"\d+$", row["box"]).group())
            self.values.setdefault(row["event"], {})[place] = row["value"]


def box_of(event):
    return event.split("/")[0]


class Scope:
    """A formula's value for a part of the machine."""

    def __init__(self, metrics, counts, socket=None, box=None, instance=None):
        self.metrics, self.counts = metrics, counts
        self.socket, self.box, self.instance = socket, box, instance

    def event(self, text):
        if text not in self.counts.values:
            raise NoValue("not counted: " + text)
        total = 0
        for (socket, instance), value in self.counts.values[text].items():
            if self.socket not in (None, socket):
                continue
            if self.box == box_of(text) and instance != self.instance:
                continue
            if value is None:
                raise NoValue("not valid: " + text)
            total += value
        return total

    def value(self, formula):
        events = []

        def hide(found):
            events.append(found.group(1))
            return " EVENT%d " % (len(events) - 1)

        tree = ast.parse(re.sub(r"\{([^}]*)\}", hide, formula).strip(),
                         mode="eval").body
        return self.node(tree, events)

    def node(self, tree, events):
        if isinstance(tree, ast.Constant):
            return tree.value
        if isinstance(tree, ast.UnaryOp):
            return -self.node(tree.operand, events)
        if isinstance(tree, ast.Name):
            return self.name(tree.id, events)
        if isinstance(tree, ast.Call):
            return self.call(tree, events)
        left = self.node(tree.left, events)
        right = self.node(tree.right, events)
        if isinstance(tree.op, ast.Add):
            return left + right
        if isinstance(tree.op, ast.Sub):
            return left - right
        if isinstance(tree.op, ast.Mult):
            return left * right
        if right == 0:
            raise NoValue("divide")
        return left / right

    def name(self, name, events):
        sockets = 1 if self.socket is not None else self.counts.sockets
        if re.fullmatch(r"EVENT\d+", name):
            return self.event(events[int(name[5:])])
        if name == "sockets":
            return sockets
        if name in ("seconds", "cycles"):
            return getattr(self.counts, name)
        if name == "instructions":
            if self.socket is not None:
                raise NoValue
            return self.counts.instructions
        if name == "clock_hz":
            return self.counts.cycles / self.counts.seconds
        if name.endswith("boxes") and name[:-2] in self.counts.boxes:
            if self.box == name[:-2]:
                return 1
            return sockets * self.counts.boxes[name[:-2]]
        if name in self.metrics.lets:
            return self.value(self.metrics.lets[name])
        if name in self.metrics.events:
            return self.event(self.metrics.events[name])
        return self.metrics.facts[name]

    def texts(self, tree, events):
        """The events below a node."""
        for node in ast.walk(tree):
            if not isinstance(node, ast.Name):
                continue
            if re.fullmatch(r"EVENT\d+", node.id):
                yield events[int(node.id[5:])]
            elif node.id in self.metrics.events:
                yield self.metrics.events[node.id]
            elif node.id in self.metrics.lets:
                inner = self.metrics.lets[node.id]
                found = re.findall(r"\{([^}]*)\}", inner)
                yield from found
                yield from self.texts(ast.parse(
                    re.sub(r"\{[^}]*\}", "0", inner), mode="eval"), [])

    def call(self, tree, events):
        function = tree.func.id
        if len(tree.args) > 1:
            return {"max": max, "min": min}[function](
                self.node(arg, events) for arg in tree.args)
        sockets = (range(self.counts.sockets) if self.socket is None
                   else [self.socket])
        if function == "socket_sum":
            return sum(Scope(self.metrics, self.counts, socket, self.box,
                             self.instance).node(tree.args[0], events)
                       for socket in sockets)
        box = next(box_of(text) for text in self.texts(tree.args[0], events)
                   if self.counts.boxes[box_of(text)] > 1)
        instances = ([self.instance] if self.box == box
                     else range(self.counts.boxes[box]))
        values = [Scope(self.metrics, self.counts, socket, box,
                        instance).node(tree.args[0], events)
                  for socket in sockets for instance in instances]
        return {"max": max, "min": min,
                "mean": lambda all: sum(all) / len(all)}[function](values)
