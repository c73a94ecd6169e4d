# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Message classes, opcodes and ports, and the words that filter packets.

from rows import DataError
from tables.words import one_of

MAX_LOOKS = 8
HEADERS = ("none class opcode address state vn dest_node requester_node "
           "home_node flits each_flit dram_cmd sched_mode core_opcode "
           "thread message level some_opcode trait").split()
WORD_KINDS = "class opcode address choice number".split()
WORD_SENSES = "compare ignore onehot value".split()


class Packets:
    def row_class(self, row):
        self.classes.append({
            "name": row.words[1], "code": row.int(row.words[2]),
            "brief": row.texts[0] if row.texts else "",
            "source": row.keys.get("source", "")})

    def class_code(self, row, name):
        for entry in self.classes:
            if entry["name"] == name:
                return entry["code"]
        row.fail("no message class %s" % name)

    def row_opcode(self, row):
        self.opcodes.append({
            "name": row.words[1], "code": row.number("code"),
            "class": self.class_code(row, row.keys["class"]),
            "gen": row.keys.get("gen", ""),
            "brief": row.texts[0] if row.texts else "",
            "source": row.keys.get("source", "")})

    def row_port(self, row):
        self.ports.append({
            "name": row.words[1], "port": row.int(row.words[2]),
            "side": row.keys["side"], "guide": row.keys["name"],
            "source": row.keys.get("source", "")})

    def row_route(self, row):
        """The code of the control that points at a slot of a port."""
        box = next(b for b, entry in enumerate(self.boxes)
                   if entry["ports"] > 1)
        self.routes.append({
            "port": row.number("port"), "slot": row.number("slot"),
            "select": self.select_number(row, box, row.keys["kind"]),
            "code": row.number("code")})

    def row_onehot(self, row):
        mc = self.class_code(row, row.words[1])
        for entry in self.opcodes:
            if entry["class"] == mc and entry["name"] == row.words[2]:
                self.onehots.append({"class": mc, "opcode": entry["code"],
                                     "bit": row.int(row.words[3])})
                return
        row.fail("no opcode %s in class %s" % (row.words[2], row.words[1]))

    @staticmethod
    def codes(row, text):
        """0x0-0x2+5: bit n is set for code n."""
        result = 0
        for part in text.split("+"):
            first, _, last = part.partition("-")
            for code in range(row.int(first), row.int(last or first) + 1):
                result |= 1 << code
        return result

    def choices(self, row, field):
        result = []
        for part in filter(None, row.keys.get("choices", "").split(",")):
            name, _, text = part.partition(":")
            width = field["high"] - field["low"] + 1
            sense = row.keys["sense"]
            codes = (row.int(text) if sense == "value"
                     else self.codes(row, text))
            if codes >> (1 << width if sense in ("compare", "ignore")
                         else width):
                row.fail("choice %s does not fit into %d bits" %
                         (name, width))
            result.append({"name": name, "codes": codes, "lacks": False})
        self.mark_modelled(row, result)
        return result

    @staticmethod
    def mark_modelled(row, choices):
        """modelled=A,B: the model has nothing of the others."""
        names = row.keys.get("modelled", "").split(",")
        for choice in choices:
            choice["lacks"] = names != [""] and choice["name"] not in names
        if set(names) - {c["name"] for c in choices} - {""}:
            row.fail("modelled= names choices")

    def row_filter(self, row):
        """A word of the options that filter packets, for each filter."""
        row.known("kind", "for", "match", "mask", "sense", "from",
                  "match_from", "choices", "alias", "needs", "initial",
                  "group", "is", "modelled", "note", "source")
        box = self.box_index(row, row.words[1])
        fields = {}
        for key in ("match", "mask"):
            fields[key] = {"role": "none", "high": 0, "low": 0}
            if key in row.keys:
                role, _, name = row.keys[key].partition(".")
                field = self.field(row, box, role.lower(), name)
                fields[key] = dict(field, role=role.lower())
        sense = one_of(row, "sense", WORD_SENSES)
        if (fields["mask"]["role"] == "none") != (sense in ("onehot", "value")):
            row.fail("sense=%s and mask= do not fit" % sense)
        wide = fields["match"]["high"] - fields["match"]["low"] >= 8
        if wide and sense != "value" and row.keys["kind"] in (
                "choice", "number") and \
                fields["mask"]["high"] > fields["mask"]["low"]:
            row.fail("a set of values of more than 8 bits")
        if "initial" in row.keys and "mask" in row.keys:
            row.fail("initial= is of words without a mask")
        needs = row.keys.get("needs")
        word = {
            "name": row.words[2], "alias": row.keys.get("alias"), "box": box,
            "kind": one_of(row, "kind", WORD_KINDS), "sense": sense,
            "fields": fields, "choices": self.choices(row, fields["match"]),
            "sets": self.sets(row, box), "initial": row.number("initial", 0),
            "group": row.keys.get("group"), "note": row.keys.get("note"),
            "is": one_of(row, "is", HEADERS),
            "class": -1, "opcodes": 0, "from": row.number("from", 0),
            "match_from": row.number("match_from", row.number("from", 0)),
            "brief": row.texts[0] if row.texts else "",
            "source": row.keys.get("source", "")}
        if word["kind"] in HEADERS:
            word["is"] = word["kind"]
        if needs:
            name, _, text = needs.partition(":")
            word["class"] = self.class_code(row, name)
            word["opcodes"] = self.codes(row, text)
        word["filter"] = 0
        for part in row.keys["for"].split(","):
            word["filter"] |= self.look_bits(row, box, part)
        self.filter_words.append(word)

    def class_bit(self, code):
        """Classes with a bit, in the order of their codes, have one each."""
        known = sorted({row["class"] for row in self.onehots})
        return known.index(code) if code in known else -1

    def opcode_bit(self, opcode):
        return next((row["bit"] for row in self.onehots
                     if row["class"] == opcode["class"] and
                     row["opcode"] == opcode["code"]), -1)

    def row_look(self, row):
        box = self.box_index(row, row.words[1])
        self.looks[box] = row.words[2].split(",")
        self.look_rows.append(row)
        if len(self.looks[box]) > MAX_LOOKS:
            row.fail("more than %d filters" % MAX_LOOKS)

    def finish_look(self, row):
        box = self.box_index(row, row.words[1])
        for child in row.children:
            child.known("for", "if", "is", "zero", "must", "mask")
            if child.keys.get("zero", "any") != "any":
                child.fail("zero=any is all that can be said of 0")
            names = child.keys.get("for", row.words[2]).split(",")
            nothing = {"role": "none", "high": 0, "low": 0}
            self.look_fields.append({
                "box": box, "of": sum(self.look_bits(child, box, name)
                                      for name in names),
                "field": self.register_field(child, box, child.words[0]),
                "if": self.register_field(child, box, child.keys["if"])
                      if "if" in child.keys else nothing,
                "mask": self.register_field(child, box, child.keys["mask"])
                        if "mask" in child.keys else nothing,
                "is": one_of(child, "is", HEADERS),
                "any": "zero" in child.keys,
                "must": child.number("must", -1)})

    def check_filters(self):
        """What a filter always compares with a header needs one; what is only
        compared if something is set, and levels, may do without."""
        for index, box in enumerate(self.boxes):
            always = 0
            for word in self.filter_words:
                if (word["box"] == index and not word["sets"] and
                        word["is"] not in ("none", "level")):
                    always |= word["filter"]
            for event in self.events[box["name"]]:
                for part in [event] + event["umasks"]:
                    for ref in part["signals"]:
                        kind = self.signals[ref["table"]].kind(ref["signal"])
                        if (ref["filter"] & always and
                                kind not in ("packet", "span")):
                            raise DataError(
                                "%s: %s has a filter, and a signal that is "
                                "neither packet nor span" % (
                                    event["where"], event["name"]))
