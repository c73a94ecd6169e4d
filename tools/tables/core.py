# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
#
# Registers and events of a core.

import re

from tables.words import KINDS, arithmetic, bit_range, bits, one_of

CORE_ROLES = ("stored tsc mperf aperf counter control fixed_counter "
              "fixed_control global_status global_control "
              "global_overflow therm_status perf_status "
              "c6_residency prefetch offcore load_latency "
              "package_therm package_energy cores_energy "
              "memory_energy").split()
CORE_SCOPES = "thread core package".split()
CORE_COUNTS = ("nothing instructions core_cycles reference_cycles "
               "llc_references llc_misses loads stores slow_loads "
               "l2_load_hits l2_load_misses l2_rfo_hits l2_rfo_misses "
               "l2_code_hits l2_code_misses l2_prefetch_hits "
               "l2_prefetch_misses l1d_fills l1d_dirty_fills "
               "l1d_dirty_victims l1d_dirty_snoops l1i_hits l1i_misses "
               "offcore_0 offcore_1 loads_l1d loads_l2 loads_llc loads_other_core "
               "loads_llc_miss loads_late loads_dtlb_miss l2_fills_shared "
               "l2_fills_exclusive l2_out_clean l2_out_dirty "
               "l2_out_prefetch_clean l2_out_prefetch_dirty").split()
CORE_VALUES = "constant param bsp".split()


class Core:
    def core_field(self, child, access):
        child.known("reset", "value", "param", "per")
        label, words = child.words[0], child.words[2:]
        high, low = bit_range(child, child.words[1])
        kind = "ro" if access == "RO" else "rw"
        for word in words:
            if word in KINDS:
                kind = word
            elif word != "unmodelled":
                child.fail("unknown word '%s'" % word)
        if label in ("ig", "rsv"):
            kind = label
        value = one_of(child, "value", CORE_VALUES)
        if (value == "param") != ("param" in child.keys):
            child.fail("value=param and param= belong together")
        reset = child.number("reset", 0)
        if reset >> (high - low + 1):
            child.fail("reset= does not fit into %d bits" % (high - low + 1))
        return {"name": label, "canonical": label, "high": high, "low": low,
                "kind": kind, "reset": reset, "value": value,
                "param": child.keys.get("param"),
                "per": float(child.keys.get("per", "1")),
                "unmodelled": "unmodelled" in words,
                "brief": child.texts[0] if child.texts else ""}

    def core_fields(self, row, access):
        """The fields from the highest bit down; gaps are reserved."""
        fields = [self.core_field(child, access) for child in row.children]
        if not fields:
            kind = "ro" if access == "RO" else "rw"
            fields = [{"name": "value", "high": 63, "low": 0, "kind": kind}]
        fields.sort(key=lambda field: -field["high"])
        result, above = [], 64
        for field in fields + [{"high": -1, "low": -1}]:
            if field["high"] >= above:
                row.fail("bit %d belongs to two fields" % field["high"])
            if field["high"] + 1 < above:
                result.append({"name": "rsv", "high": above - 1,
                               "low": field["high"] + 1, "kind": "rsv"})
            if field["high"] >= 0:
                result.append(field)
            above = field["low"]
        defaults = {"reset": 0, "value": "constant", "param": None, "per": 1.0,
                    "unmodelled": False, "brief": ""}
        return [dict(defaults, canonical=f["name"], **f)
                if "brief" not in f else f for f in result]

    def row_core_register(self, row):
        row.known("at", "n", "access", "role", "scope", "counts", "check",
                  "index", "guest", "source")
        access = row.keys["access"]
        if access not in ("RW", "RO", "WO"):
            row.fail("unknown access '%s'" % access)
        if row.keys.get("check", "canonical") != "canonical":
            row.fail("check=canonical is the only check")
        if row.keys.get("guest", "model") != "model":
            row.fail("guest=model is all that can be said of a guest")
        if not row.texts:
            row.fail("%s has no text" % row.words[1])
        match = re.fullmatch(r"(\d+)\.\.(\d+)", row.keys.get("n", "0..0"))
        if not match:
            row.fail("n=%s is no range" % row.keys["n"])
        fields = self.core_fields(row, access)
        for n in range(int(match.group(1)), int(match.group(2)) + 1):
            index = arithmetic(row, row.keys.get("index", "n"), {"n": n})
            self.core_registers.append({
                "name": row.words[1].replace("{n}", str(n)), "index": index,
                "address": arithmetic(row, row.keys["at"], {"n": n}),
                "access": access, "fields": fields, "where": row.where,
                "template": row.words[1].replace("{n}", "n"),
                "role": one_of(row, "role", CORE_ROLES),
                "scope": one_of(row, "scope", CORE_SCOPES),
                "counts": one_of(row, "counts", CORE_COUNTS),
                "canonical": "check" in row.keys,
                "guest": "guest" in row.keys,
                "brief": row.texts[0],
                "source": row.keys.get("source", "")})

    def row_core_event(self, row):
        row.known("code", "umask", "counts", "counters", "source")
        counts = row.keys.get("counts")
        for name in (counts or "nothing").split("+"):
            if name not in CORE_COUNTS:
                row.fail("counts=%s is unknown" % name)
        high, low = bit_range(row, row.keys.get("counters", "7:0"))
        self.core_events.append({
            "name": row.words[1], "code": row.number("code"),
            "umask": row.number("umask"),
            "counters": bits(high, low),
            "counts": sum(1 << CORE_COUNTS.index(name)
                          for name in counts.split("+")) if counts else 0,
            "brief": row.texts[0], "source": row.keys.get("source", "")})
