# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Facts: signals of a box that differ by attributes. The model publishes one by
# the values of its attributes, rows choose by name or by a pattern.

import itertools
import re


class Facts:
    def row_attribute(self, row):
        row.known("source")
        name, values = row.words[1], row.words[2:]
        for text in [name] + values:
            if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", text):
                row.fail("'%s' is no name: small letters" % text)
        if len(set(values)) < max(2, len(values)):
            row.fail("an attribute has several values, each once")
        self.attributes[name] = values

    def row_fact(self, row):
        row.known("source")
        template, _, kind = row.words[2].partition(":")
        names = re.findall(r"\{([a-z0-9_]+)\}", template)
        for name in names:
            if name not in self.attributes:
                row.fail("there is no attribute '%s'" % name)
        box = self.boxes[self.box_index(row, row.words[1])]["name"]
        values = [self.attributes[name] for name in names]
        table = self.signals[box]
        # Another family has it, too.
        if any(fact["template"] == template for fact in table.facts):
            return
        elements = [
            table.add(row, template.format(**dict(zip(names, chosen))),
                      kind or None, 0) for chosen in itertools.product(*values)]
        if elements[-1]["first"] - elements[0]["first"] != len(elements) - 1:
            row.fail("a signal of %s stands in a row above" % template)
        table.facts.append({
            "template": template, "attributes": names,
            "sizes": [len(of) for of in values],
            "elements": [element["name"] for element in elements]})


def name_of(fact):
    """What it is called in C: without its attributes."""
    return re.sub(r"_*\{.*?\}", "", fact["template"]).strip("_")


def place(fact):
    """Where its signal stands behind the first, of the attributes' values."""
    text = ""
    for name, size in zip(fact["attributes"], fact["sizes"]):
        text = "(%s * %d + (%s))" % (text, size, name) if text else \
            "(%s)" % name
    return text
