# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# The rows of a family's folder: one line of data/*.txt each, with the indented
# lines below it as children. A family may be described by its differences from
# another one (data/FORMAT.md, "A family by its differences"); what comes out of
# here is complete in any case, so that nobody else needs to know.

import copy
import fnmatch
import os
import re

# What every family's registers may be for; a family names further ones.
ROLES = ("none global_ctl global_status ovf_ctl summary control counter "
         "fixed_ctl fixed_counter timestamp node_id node_map identity").split()
TOPICS = ("family", "boxes", "layouts", "registers", "functions", "facts",
          "events", "packets", "filters", "core")
VERBS = ("replace", "change", "without", "same")
# How many words name a row of a kind, and which keys belong to the name.
NAMES = {"box": (1, ()), "layout": (1, ()), "registers": (1, ("space",)),
         "functions": (0, ()),
         "domain": (1, ()), "overflow": (1, ()), "freeze": (1, ()), "roles": (1, ()),
         "select": (2, ()), "look": (1, ()), "occupancy": (1, ()),
         "attribute": (1, ()), "fact": (2, ()),
         "event": (2, ()), "class": (1, ()), "opcode": (1, ("class",)),
         "port": (1, ()), "route": (0, ("port", "kind", "slot")),
         "onehot": (2, ()), "filter": (2, ("for",)),
         "core_register": (1, ()), "core_event": (1, ())}
NAMED_CHILDREN = ("umask", "alias")
# The text of what a list has, and no source explains.
UNKNOWN = "meaning not known here"


class DataError(Exception):
    pass


class Row:
    """One line: plain words, key=value words, set words, quoted texts."""

    def __init__(self, path, number, line):
        self.where = "%s:%d" % (os.path.basename(path), number)
        self.child = line.startswith("  ")
        self.words, self.keys, self.sets, self.texts = [], {}, [], []
        self.children = []
        for match in re.finditer(
                r'(?P<k>[A-Za-z_][\w.]*)(?P<o>\|?=)"(?P<q>[^"]*)"'
                r'|"(?P<t>[^"]*)"|(?P<w>\S+)', line):
            if match.group("k"):
                self.keys[match.group("k")] = match.group("q")
            elif match.group("t") is not None:
                self.texts.append(match.group("t"))
            else:
                self.word(match.group("w"))

    def word(self, text):
        match = re.fullmatch(r"([A-Za-z_][\w.]*)(\|?=)(.*)", text)
        if not match:
            self.words.append(text)
            return
        key, operator, value = match.groups()
        is_set = operator == "|=" or "." in key or key.isupper()
        if is_set:
            self.sets.append((key, operator, value))
        else:
            self.keys[key] = value

    def fail(self, message):
        raise DataError("%s: %s" % (self.where, message))

    def number(self, key, default=None):
        if key not in self.keys:
            if default is None:
                self.fail("%s= is missing" % key)
            return default
        return self.int(self.keys[key])

    def int(self, text):
        try:
            return int(text, 0)
        except ValueError:
            self.fail("'%s' is not a number" % text)

    def known(self, *keys):
        for key in self.keys:
            if key not in keys:
                self.fail("unknown word %s=" % key)

    def says(self):
        """What the row means, its source apart: to tell whether two differ."""
        keys = {k: v for k, v in self.keys.items() if k != "source"}
        return (self.words, keys, self.sets, self.texts,
                [child.says() for child in self.children])


def each_values(where, text):
    """{NAME: VALUE} for each copy of each="NAME NAME: VALUE VALUE, ..."."""
    names, _, values = text.partition(":")
    names, result = names.split(), []
    for part in re.findall(r"(?:'[^']*'|[^,'])+", values):
        words = [word.strip("'")
                 for word in re.findall(r"'[^']*'|[^\s']+", part)]
        if len(words) != len(names):
            raise DataError("%s: each= has not as many values as names" %
                            where)
        result.append(dict(zip(names, words)))
    return result


def with_values(text, values):
    """$NAME and ${NAME} replaced, if they are among the names."""
    def put(match):
        return values.get(match.group(1) or match.group(2), match.group(0))
    return re.sub(r"\$(?:\{([A-Za-z0-9]+)\}|([A-Za-z0-9]+))", put, text)


def single_masks(line):
    """umasks NAME:0x1 NAME:0x2 ... WORDS: a line for each of them."""
    number, text = line
    names = re.findall(r" ([\w.]+):(0x[0-9A-Fa-f]+)(?= |$)", text)
    if not names or not text.startswith("  umasks "):
        return [line]
    rest = re.sub(r"( [\w.]+:0x[0-9A-Fa-f]+)(?= |$)", "", text)[8:]
    if '"' not in rest:
        rest += ' "%s"' % UNKNOWN
    return [(number, "  umask %s %s%s%s" % (
        name, "umask|=" if int(value, 16) else "CTL.umask=", value, rest))
            for name, value in names]


def copies(where, lines):
    """A row, and the lines below it, as often as each= says."""
    (number, head), below = lines[0], lines[1:]
    match = re.search(r' each="([^"]*)"', head)
    if not match:
        return lines[:1] + [single for line in below
                            for copy in copies(where, [line])
                            for single in single_masks(copy)]
    head = head.replace(match.group(0), "", 1)
    return [line for values in each_values("%s:%d" % (where, number),
                                           match.group(1))
            for line in copies(where, [(n, with_values(text, values)) for
                                       n, text in [(number, head)] + below])]


def read_rows(path):
    name, blocks, rows = os.path.basename(path), [], []
    with open(path, encoding="utf-8") as handle:
        for number, line in enumerate(handle, 1):
            line = line.rstrip("\n")
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            if line.count('"') % 2:
                raise DataError("%s:%d: a quote is not closed" %
                                (name, number))
            if not line.startswith("  "):
                blocks.append([])
            elif not blocks:
                raise DataError("%s:%d: an indented line needs a row above it"
                                % (name, number))
            blocks[-1].append((number, line))
    for block in blocks:
        for number, line in copies(name, block):
            row = Row(path, number, line)
            (rows[-1].children if row.child else rows).append(row)
    return rows


def topic_rows(folder, topic):
    rows = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".txt") and name.startswith(topic):
            rows += read_rows(os.path.join(folder, name))
    return rows


def name_of(row):
    """The words and keys that tell a row from all others of its family."""
    if row.words[0] not in NAMES:
        row.fail("unknown row '%s'" % row.words[0])
    num, keys = NAMES[row.words[0]]
    if len(row.words) <= num:
        row.fail("a row '%s' needs %d words" % (row.words[0], num))
    return tuple(row.words[:num + 1]) + tuple(
        row.keys.get(key, "") for key in keys)


def child_name(child):
    num = 2 if child.words[0] in NAMED_CHILDREN else 1
    return tuple(child.words[:num])


class Differences:
    """The rows of a topic of the base, as the rows of a family change them."""

    def __init__(self, base_name, base_guide, rows):
        self.base_name, self.base_guide = base_name, base_guide
        self.rows = [copy.deepcopy(row) for row in rows]
        self.inherited = {id(row) for row in self.rows}
        self.stated = {}

    def find(self, row):
        wanted = name_of(row)
        for place, other in enumerate(self.rows):
            if name_of(other) == wanted:
                return place
        return None

    def expect(self, row):
        place = self.find(row)
        if place is None or id(self.rows[place]) not in self.inherited:
            row.fail("%s has no %s that could differ" % (
                self.base_name, " ".join(name_of(row)).rstrip()))
        return place

    @staticmethod
    def sourced(row):
        if not row.keys.get("source"):
            row.fail("a difference needs source=, on whose word it is")

    def apply(self, row):
        verb = row.words[0]
        if verb in VERBS:
            row.words = row.words[1:]
            if not row.words:
                row.fail("%s what?" % verb)
            getattr(self, verb)(row)
            return
        wanted = name_of(row)
        if any(id(other) in self.inherited and name_of(other) == wanted
               for other in self.rows):
            row.fail("%s has %s too: write replace, change or same" % (
                self.base_name, " ".join(wanted).rstrip()))
        self.rows.append(row)

    def replace(self, row):
        place = self.expect(row)
        self.sourced(row)
        if row.says() == self.rows[place].says():
            row.fail("this is what %s says: write same" % self.base_name)
        self.rows[place] = row

    def change(self, row):
        if row.words[0] in ("layout", "route", "onehot"):
            row.fail("a %s is replaced as a whole" % row.words[0])
        place = self.expect(row)
        self.sourced(row)
        new = self.rows[place]
        before = copy.deepcopy(new).says()
        self.inherited.discard(id(new))
        source = new.keys.get("source")
        new.keys.update(row.keys)
        if source:
            new.keys["source"] += "; else as %s" % self.cite(new, source)
        new.texts = row.texts or new.texts
        new.sets = row.sets or new.sets
        for child in row.children:
            self.change_child(new, child)
        if new.says() == before:
            row.fail("this is what %s says: write same" % self.base_name)
        new.where = row.where

    def change_child(self, row, child):
        verb = child.words[0] if child.words[0] in VERBS else None
        if verb in ("change", "same"):
            child.fail("a line of a row is replaced, left out or new")
        if verb:
            child.words = child.words[1:]
        if not child.words:
            child.fail("%s what?" % verb)
        if verb == "without" and child.words[0] in NAMED_CHILDREN:
            wanted = [(child.words[0], name) for name in child.words[1:]]
        else:
            wanted = [child_name(child)]
        for name in wanted:
            found = [n for n, old in enumerate(row.children)
                     if child_name(old) == name]
            if not verb and found:
                child.fail("%s has %s too: write replace" % (
                    self.base_name, " ".join(name)))
            if verb and not found:
                child.fail("%s has no %s in %s" % (
                    self.base_name, " ".join(name), " ".join(name_of(row))))
            if verb == "replace" and \
                    row.children[found[0]].says() == child.says():
                child.fail("this is what %s says" % self.base_name)
            row.children = [old for n, old in enumerate(row.children)
                            if n not in found[1:] and
                            (verb != "without" or n not in found)]
            if verb == "replace":
                row.children[found[0]] = child
            elif not verb:
                row.children.append(child)

    def matches(self, row):
        """The inherited rows that the last words of a row stand for."""
        if row.words[0] not in NAMES:
            row.fail("unknown row '%s'" % row.words[0])
        num, keys = NAMES[row.words[0]]
        head, patterns = row.words[:num], row.words[num:]
        if not num:
            head, patterns = row.words[:1], ["*"]
        if not patterns:
            row.fail("which %s?" % " ".join(row.words))
        result = []
        for pattern in patterns:
            found = [old for old in self.rows
                     if id(old) in self.inherited and
                     old.words[:len(head)] == head and
                     all(old.keys.get(key) == row.keys[key]
                         for key in keys if key in row.keys) and
                     (not num or fnmatch.fnmatchcase(old.words[num],
                                                     pattern))]
            if not found:
                row.fail("%s has no %s" % (self.base_name, " ".join(
                    head + ([pattern] if num else []))))
            result += found
        return result

    def without(self, row):
        if row.children:
            row.fail("what is left out has no lines")
        gone = {id(old) for old in self.matches(row)}
        self.rows = [old for old in self.rows if id(old) not in gone]

    def same(self, row):
        if row.children:
            row.fail("what is the same has no lines")
        for old in self.matches(row):
            self.stated[id(old)] = row.keys.get("source")

    def cite(self, row, source):
        """A source of the base; of the core it is no guide of the uncore."""
        if row.words[0].startswith("core_"):
            return source
        return "guide %s: %s" % (self.base_guide, source)

    def finish(self):
        """Each inherited row says where it is from, and on whose word."""
        for row in self.rows:
            if id(row) not in self.inherited:
                continue
            for part in [row] + row.children:
                source = part.keys.get("source")
                if source is None and part is not row:
                    continue
                part.keys["source"] = self.word_for(row, source or "")
        return self.rows

    def word_for(self, row, source):
        if id(row) not in self.stated:
            return "assumed; as %s" % self.cite(row, source)
        word = self.stated[id(row)]
        if word is None:
            return source
        return "%s; as %s" % (word, self.cite(row, source))


def family_rows(folder, seen=()):
    """The family's own row, and the rows of all topics in their order."""
    own = topic_rows(folder, "family")
    for row in own:
        if row.words[0] not in ("family", "base"):
            row.fail("family.txt has the rows family and base")
    family = [row for row in own if row.words[0] == "family"]
    bases = [row for row in own if row.words[0] == "base"]
    if len(family) != 1 or len(bases) > 1:
        raise DataError("%s: one row family, and at most one base" % folder)
    topics = {topic: topic_rows(folder, topic) for topic in TOPICS[1:]}
    if not bases:
        for row in (r for rows in topics.values() for r in rows):
            if row.words[0] in VERBS:
                row.fail("'%s' needs a base in family.txt" % row.words[0])
        return family[0], topics
    base = bases[0].words[1]
    path = os.path.join(os.path.dirname(folder), base)
    if base in seen or not os.path.isdir(path):
        bases[0].fail("there is no family '%s' to build on" % base)
    base_family, base_topics = family_rows(
        path, seen + (os.path.basename(folder),))
    for topic, rows in topics.items():
        differences = Differences(base, base_family.keys["guide"],
                                  base_topics[topic])
        for row in rows:
            differences.apply(row)
        topics[topic] = differences.finish()
    return family[0], topics


def alias_rows(folder):
    """Names of others, of the family and of those that it is built on."""
    rows = topic_rows(folder, "aliases")
    for row in topic_rows(folder, "family"):
        if row.words[0] == "base":
            rows += alias_rows(os.path.join(os.path.dirname(folder),
                                              row.words[1]))
    return rows


def families(data):
    """The folders of all families, those that build on another one last, and after
    them those that name signals of others (signals=some)."""
    def order(folder):
        rows = topic_rows(folder, "family")
        return ("some" in [row.keys.get("signals") for row in rows],
                "base" in [row.words[0] for row in rows])
    return sorted((os.path.join(data, name) for name in sorted(os.listdir(data))
                   if os.path.isdir(os.path.join(data, name))), key=order)
