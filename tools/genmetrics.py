#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Compiles data/<family>/metrics.txt into const C tables, as src/metric makes them
# of a user's file at run time: a command then starts without reading rows. The
# texts are there besides, for files of users that build on one, and those of live
# families, whose boxes are known at run time only. tests/unit/metric_tables.c
# compares the two. A mistake stops the build with file and line.

import fnmatch
import os
import re
import sys

sys.dont_write_bytecode = True
from rows import DataError, each_values, family_rows, with_values
from tables.words import text

HEAD = '''/* Made from data/ by tools/genmetrics.py. */
#include <stddef.h>

#include "metric/metric.h"

'''
KINDS = {"total": "UNCORE_METRIC_TOTAL", "rate": "UNCORE_METRIC_RATE",
         "ratio": "UNCORE_METRIC_RATIO"}
SPLITS = ["machine", "socket", "box"]
BUILT_IN = {"seconds": "OP_SECONDS", "cycles": "OP_CYCLES",
            "clock_hz": "OP_CLOCK", "instructions": "OP_INSTRUCTIONS",
            "sockets": "OP_SOCKETS"}
OVER_BOXES = {"max": "OP_MAX", "min": "OP_MIN", "mean": "OP_MEAN"}
OF_TWO = {"max": "OP_LARGER", "min": "OP_SMALLER"}
OPERATORS = {"+": "OP_ADD", "-": "OP_SUBTRACT", "*": "OP_MULTIPLY",
             "/": "OP_DIVIDE"}
TOKEN = re.compile(r"\s*(?:(?P<event>\{[^}]*\})"
                   r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
                   r"|(?P<name>[A-Za-z]\w*)|(?P<other>\S))")
WORD = re.compile(r'(?:(?P<key>\w+)=)?(?:"(?P<text>[^"]*)"|(?P<word>\S*))')


class Word:
    def __init__(self, match):
        self.key = match.group("key")
        self.is_quoted = match.group("text") is not None
        self.text = match.group("text") if self.is_quoted \
            else match.group("word")
        self.start = match.start("text") - 1 if self.is_quoted \
            else match.start("word")


class Line:
    """A line as words; plain ones by number, others by their keys."""

    def __init__(self, line):
        self.line = line
        words, at = [], 0
        while line[at:].strip():
            at += len(line[at:]) - len(line[at:].lstrip())
            match = WORD.match(line, at)
            words.append(Word(match))
            at = match.end()
        self.plain = [word for word in words if not word.key]
        self.keys = {word.key: word.text for word in words if word.key}

    def at(self, index):
        return self.plain[index].text if index < len(self.plain) else ""

    def rest(self, index):
        return self.line[self.plain[index].start:]


class Key:
    def __init__(self, kind, name, where, piece=None, line=None):
        self.kind, self.name, self.where, self.text = kind, name, where, piece
        self.line = line

    def c(self):
        if self.kind == "KEY_FACT":
            line = self.line
            return "{ .kind = KEY_FACT, .name = %s, .unit = %s, .title = %s, " \
                ".param = %s, .number = %s, .value = %s }" % (
                    text(self.name), text(line.at(3)), text(line.at(4)),
                    text(line.keys.get("param", "")), text(line.at(2)),
                    float(line.at(2)).hex())
        return "{ .kind = %s, .name = %s, .text = { .text = %s, .file = %s, " \
            ".line = %d, .column = %d } }" % (
                self.kind, text(self.name), text(self.text), text(self.where[0]),
                self.where[1], self.where[2])


class Formula:
    """One formula of a row on its way to be nodes."""

    def __init__(self, row, formula):
        self.row, self.nodes = row, []
        self.root = self.whole(formula, 0)

    def node(self, op, number=0.0, first=0, second=0, box=None):
        self.nodes.append((op, number, first, second, box))
        return len(self.nodes) - 1

    def whole(self, formula, lets):
        if lets > 20:
            self.row.fail("a key leads back to itself")
        tokens = [(match.lastgroup, match.group(match.lastgroup))
                  for match in TOKEN.finditer(formula)] + [("end", "")]
        tokens.reverse()
        root = self.sum(tokens, lets)
        if tokens[-1][0] != "end":
            self.row.fail("'%s' is no end of %s" % (tokens[-1][1], formula))
        return root

    def chain(self, tokens, lets, operators, part):
        result = part(tokens, lets)
        while tokens[-1][1] and tokens[-1][1] in operators:
            op = OPERATORS[tokens.pop()[1]]
            second = part(tokens, lets)
            result = self.node(op, first=result, second=second)
        return result

    def sum(self, tokens, lets):
        return self.chain(tokens, lets, "+-", self.product)

    def product(self, tokens, lets):
        return self.chain(tokens, lets, "*/", self.factor)

    def need(self, tokens, wanted):
        if tokens.pop()[1] != wanted:
            self.row.fail("expected %s" % wanted)

    def factor(self, tokens, lets):
        kind, token = tokens.pop()
        if kind == "event":
            return self.event(token[1:-1])
        if kind == "number":
            return self.node("OP_NUMBER", float(token))
        if kind == "name":
            return self.call(tokens, lets, token) if tokens[-1][1] == "(" \
                else self.name(token, lets)
        if token == "-":
            return self.node("OP_NEGATE", first=self.factor(tokens, lets))
        if token != "(":
            self.row.fail("'%s' is no part of a formula" % token)
        result = self.sum(tokens, lets)
        self.need(tokens, ")")
        return result

    def call(self, tokens, lets, name):
        tokens.pop()
        result, arguments = self.sum(tokens, lets), 1
        while tokens[-1][1] == "," and name in OF_TWO:
            tokens.pop()
            second = self.sum(tokens, lets)
            result = self.node(OF_TWO[name], first=result, second=second)
            arguments += 1
        self.need(tokens, ")")
        if name == "socket_sum":
            return self.node("OP_SOCKET_SUM", first=result)
        if name not in OVER_BOXES:
            self.row.fail("there is no function '%s'" % name)
        if arguments > 1:
            return result
        boxes = set()
        self.boxes(result, boxes)
        if len(boxes) != 1:
            self.row.fail("%s() goes over one kind of box" % name)
        return self.node(OVER_BOXES[name], first=result, second=-1,
                         box=boxes.pop())

    def boxes(self, index, found):
        """The boxes of which there are several, of all events below a node."""
        op, _, first, second, _ = self.nodes[index]
        if op == "OP_EVENT":
            box = self.row.events[first][1]
            if self.row.family.boxes[box] > 1:
                found.add(box)
        elif op in OPERATORS.values() or op in OF_TWO.values():
            self.boxes(first, found)
            self.boxes(second, found)
        elif op in ("OP_NEGATE", "OP_SOCKET_SUM") or op in OVER_BOXES.values():
            self.boxes(first, found)

    def event(self, event):
        box = event.split("/")[0]
        if box not in self.row.family.boxes:
            self.row.fail("there is no box '%s'" % box)
        if (event, box) not in self.row.events:
            self.row.events.append((event, box))
        return self.node("OP_EVENT", first=self.row.events.index((event, box)))

    def name(self, name, lets):
        family = self.row.family
        if name in BUILT_IN:
            return self.node(BUILT_IN[name])
        if name.endswith("es") and name[:-2] in family.boxes:
            return self.node("OP_BOXES", float(family.boxes[name[:-2]]),
                             box=name[:-2])
        found = [index for index, key in enumerate(family.keys)
                 if key.name == name]
        if not found:
            self.row.fail("there is no key '%s'" % name)
        index = found[-1]
        key = family.keys[index]
        if index not in self.row.keys:
            self.row.keys.append(index)
        if key.kind == "KEY_LET":
            return self.whole(key.text, lets + 1)
        if key.kind == "KEY_FACT":
            return self.node("OP_FACT", first=index)
        return self.event(key.text)


class Metric:
    """A row; its texts first, its trees when all of the family is read."""

    def __init__(self, file, number, lines, bindings):
        self.file, self.number = file, number
        lines = [Line(with_values(line, bindings)) for line in lines]
        self.head = lines[0]
        self.name = self.head.at(1).lower()
        self.formulas = {"min": "0"}
        if self.head.keys.get("unit") == "%":
            self.formulas["max"] = "100"
        self.says = {"includes": [], "excludes": [], "note": []}
        self.doubts = []
        for line in lines[1:]:
            self.child(line)
        if "formula" not in self.formulas or \
                self.head.keys.get("kind") not in KINDS:
            self.fail("a metric has a formula, and kind=total, rate or ratio")

    def fail(self, message):
        raise DataError("%s:%d: %s" % (self.file, self.number, message))

    def child(self, line):
        what = line.at(0)
        if what in ("formula", "max", "min"):
            self.formulas[what] = line.rest(1)
        elif what in self.says and line.plain[1].is_quoted:
            self.says[what].append(line.at(1))
        elif what == "doubt" and line.plain[-1].is_quoted:
            left, right = line.line[line.plain[1].start:
                                    line.plain[-1].start].split(">", 1)
            self.doubts.append((left, right, line.plain[-1].text))
        else:
            self.fail("'%s' is no line of a metric" % what)

    def split(self):
        """How far it can be split, and by which box."""
        boxes = {box for _, box in self.events if self.family.boxes[box] > 1}
        most = 0 if not self.events else 2 if len(boxes) == 1 else 1
        split = SPLITS.index(self.head.keys["split"]) \
            if "split" in self.head.keys else most
        if split > most:
            self.fail("split= goes further than its events")
        return split, boxes.pop() if split == 2 else None

    def compile(self, family):
        self.family, self.events, self.keys = family, [], []
        formula = Formula(self, self.formulas["formula"])
        split = self.split()
        trees = [formula] + [
            Formula(self, self.formulas[name]) if name in self.formulas
            else None for name in ("min", "max")]
        doubts = [(Formula(self, left), Formula(self, right))
                  for left, right, _ in self.doubts]
        return split, trees, doubts


class Family:
    """The rows of a family, those of its base first."""

    def __init__(self, folder):
        self.boxes = {row.words[1]: row.number("instances")
                      for row in family_rows(folder)[1]["boxes"]
                      if row.words[0] == "box"}
        self.keys, self.metrics, self.categories = [], [], []
        self.read(folder)

    def read(self, folder):
        name = "data/%s/metrics.txt" % os.path.basename(folder)
        block = []
        with open(os.path.join(folder, "metrics.txt"),
                  encoding="ascii") as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines + ["end"], 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            if line.startswith("  ") and block:
                block.append(line)
                continue
            if block:
                self.block(name, start, block)
            block, start = [], number
            if line.startswith("metric "):
                block = [line]
            elif line != "end":
                self.row(folder, (name, number), Line(line))

    def block(self, file, number, lines):
        keys = Line(lines[0]).keys
        copies = [{}]
        for key in ("each", "times"):
            if key not in keys:
                continue
            values = each_values("%s:%d" % (file, number), keys[key])
            copies = [{**copy, **value} for copy in copies for value in values]
        for copy in copies:
            self.add(Metric(file, number, lines, copy))

    def add(self, metric):
        for index, other in enumerate(self.metrics):
            if other.name == metric.name:
                self.metrics[index] = metric
                return
        self.metrics.append(metric)

    def row(self, folder, where, line):
        kind, name = line.at(0), line.at(1)
        if kind == "base":
            self.read(os.path.join(os.path.dirname(folder), name))
        elif kind == "drop":
            kept = [metric for metric in self.metrics
                    if not fnmatch.fnmatchcase(metric.name, name)]
            if len(kept) == len(self.metrics):
                raise DataError("%s:%d: there is no such metric" % where)
            self.metrics = kept
        elif kind == "category":
            self.categories.append((name, line.at(2), line.keys["shows"]))
        elif kind == "fact":
            self.keys.append(Key("KEY_FACT", name, where, line=line))
        elif kind in ("event", "let"):
            piece = line.rest(2)
            self.keys.append(Key(
                "KEY_LET" if kind == "let" else "KEY_EVENT", name,
                where + (line.plain[2].start + 1,),
                piece if kind == "let" else piece.split()[0]))
        else:
            raise DataError("%s:%d: unknown row '%s'" % (*where, kind))


class Tables:
    """C arrays; one that is there already is not made again."""

    def __init__(self, out):
        self.out, self.names = out, {}

    def array(self, kind, rows):
        if not rows:
            return "NULL"
        body = "".join("\t%s,\n" % row for row in rows)
        if (kind, body) not in self.names:
            name = "table_%d" % len(self.names)
            self.names[kind, body] = name
            self.out.write("static const %s %s[] = {\n%s};\n" %
                           (kind, name, body))
        return self.names[kind, body]

    def tree(self, formula):
        if not formula:
            return "{ 0 }"
        nodes = self.array("struct metric_node", [
            "{ %s, %s, %d, %d, %s }" % (op, number.hex(), first, second,
                                        text(box))
            for op, number, first, second, box in formula.nodes])
        return "{ %s, %d, %d }" % (nodes, len(formula.nodes), formula.root)

    def doubts(self, metric, trees):
        return self.array("struct metric_doubt", [
            "{ { .text = %s }, { .text = %s }, %s, %s, %s }" % (
                text(left), text(right), text(why), self.tree(left_tree),
                self.tree(right_tree))
            for (left, right, why), (left_tree, right_tree) in
            zip(metric.doubts, trees)])

    def metric(self, family, metric):
        (split, box), trees, doubts = metric.compile(family)
        head = metric.head
        members = {
            "name": text(metric.name), "title": text(head.at(3)),
            "categories": text(head.at(2)),
            "file": text(metric.file), "line": metric.number,
            "kind": KINDS[head.keys["kind"]], "split": split,
            "box": text(box),
            "doubts": self.doubts(metric, doubts),
            "num_doubts": len(doubts),
            "events": self.array("struct metric_event", [
                "{ %s, %s }" % (text(event), text(of))
                for event, of in metric.events]),
            "num_events": len(metric.events),
            "keys": self.array("size_t", metric.keys),
            "num_keys": len(metric.keys),
            "compiled": "true"}
        for key in ("unit", "source"):
            members[key] = text(head.keys.get(key, ""))
        for key, said in metric.says.items():
            members[key] = text(" ".join(said))
        for (key, member), tree in zip((("formula", ""), ("min", "minimum"),
                                        ("max", "maximum")), trees):
            members[member or "formula"] = "{ .text = %s }" % text(
                metric.formulas.get(key))
            members[(member and member + "_") + "tree"] = self.tree(tree)
        row = "{ %s }" % ", ".join(".%s = %s" % member
                                   for member in members.items())
        return "(struct metric_row *)" + self.array("struct metric_row", [row])

    def family(self, family):
        """The table of all; the name of it."""
        rows = [self.metric(family, metric) for metric in family.metrics]
        members = (
            ("rows", "struct metric_row *const", rows),
            ("keys", "struct metric_key", [key.c() for key in family.keys]),
            ("categories", "struct metric_category", [
                "{ %s, %s, %s }" % tuple(text(part) for part in category)
                for category in family.categories]))
        table = ", ".join(
            ".%s = (void *)%s, .num_%s = %d" %
            (name, self.array(kind, rows), name, len(rows))
            for name, kind, rows in members)
        return self.array("struct uncore_metrics", ["{ %s }" % table])


def literal(line):
    return '\t  "%s\\n"\n' % line.replace("\\", "\\\\").replace('"', '\\"')


def main(out, *paths):
    with open(out, "w", encoding="ascii") as file:
        file.write(HEAD)
        tables = Tables(file)
        made = {path: tables.family(Family(os.path.dirname(path)))
                for path in paths
                if os.path.exists(os.path.join(os.path.dirname(path),
                                               "family.txt"))}
        file.write("\nconst struct metric_file metric_files[] = {\n")
        for path in paths:
            family = os.path.basename(os.path.dirname(path))
            name = "/".join(path.split("/")[-3:])
            file.write('\t{ "%s", "%s", %s,\n' % (family, name,
                                                  made.get(path, "NULL")))
            with open(path, encoding="ascii") as lines:
                for line in lines.read().splitlines():
                    file.write(literal(line))
            file.write("\t},\n")
        file.write("\t{ NULL, NULL, NULL, NULL },\n};\n")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except DataError as wrong:
        sys.exit("genmetrics.py: %s" % wrong)
