#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The uncore authors
"""The page that --html writes: it holds what --json prints, to the byte, lets
nothing run but its own script, and shows the figures of the data. What it shows
is seen in headless Chromium, where there is one."""
import base64
import hashlib
import html.parser
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from sandbox import UNCORE

SOURCE = os.environ.get("UNCORE_SOURCE", ".")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NODE = shutil.which("node") or shutil.which("nodejs")
WORKLOAD = ["-w", "stream:size=256K,threads=3"]
EVENT = "cbox/LLC_MISSES.ALL,period=50/"
HOSTILE = ["</script><img src=x onerror=document.title='bad'>", "<!--<script>",
           "a\u2028b\u2029c", "two\nlines\ttab", "\u202eright\u2066to left",
           "&lt;b&gt; &amp; \\u003c \"'", "zero\u200bwidth", "C1 \u009b31m"]

SAMPLE = ("INSERT INTO sample (id, kind, socket, cycle, seconds, length, event, instance, overrun, "
          "lost, position) VALUES (?, 'period', 0, 1, 1e-6, 1e-6, 0, 0, 0, 0, ?)")


def uncore(*words, status=0):
    done = subprocess.run([UNCORE, *words], text=True, timeout=200,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    if done.returncode != status:
        raise AssertionError("%s: %d\n%s" % (words, done.returncode, done.stderr))
    return done.stdout + (done.stderr if status else "")


class Page(html.parser.HTMLParser):
    """Elements with their attributes and the texts within."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        element = (tag, dict(attrs), [])
        self.elements.append(element)
        if tag not in ("meta", "input", "br"):
            self.open.append(element)

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for element in self.open:
            element[2].append(data)

    def all(self, tag, **attributes):
        return [(own, "".join(texts)) for name, own, texts in self.elements
                if name == tag and all(own.get(key.replace("_", "-")) == value
                                       for key, value in attributes.items())]

    def one(self, tag, **attributes):
        (found,) = self.all(tag, **attributes)
        return found


def unescaped(text):
    """What stood there before <, > and & were told by number."""
    return re.sub(r"(?<!\\)((?:\\\\)*)\\u00(3c|3e|26)",
                  lambda m: m.group(1) + chr(int(m.group(2), 16)), text)


class Html(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.recording = cls.path("a.rec")
        uncore("record", "-q", "-o", cls.recording, "-e", EVENT, *WORKLOAD)
        cls.report = cls.page("report", cls.recording)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.holder.name, name)

    @classmethod
    def page(cls, *words):
        uncore(words[0], "--html=" + cls.path("page.html"), *words[1:])
        with open(cls.path("page.html"), encoding="utf-8") as file:
            return file.read()

    def data(self, text):
        return Page(text).one("script", id="data")[1]

    def shown(self, text, then=None):
        """The page once its script has run, and another one that may look at it."""
        if then and not CHROMIUM:
            self.skipTest("there is no Chromium here")
        if then:
            text = re.sub("<meta http-equiv[^>]*>", "", text).replace(
                "</body>", "<script>%s</script></body>" % then)
        with open(self.path("shown.html"), "w", encoding="utf-8") as file:
            file.write(text)
        if not CHROMIUM:
            return self.shown_by_node()
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--user-data-dir=" + self.path("profile"),
             "--virtual-time-budget=60000", "--dump-dom",
             "file://" + self.path("shown.html")], text=True, timeout=250,
            stdin=subprocess.DEVNULL, capture_output=True, check=True)
        self.assertNotIn("Refused", done.stderr)
        return Page(done.stdout)

    def shown_by_node(self):
        if not NODE:
            self.skipTest("there is neither Chromium nor node here")
        return Page(subprocess.run(
            [NODE, os.path.join(SOURCE, "tests/tool/viewer_dom.js"), self.path("shown.html")],
            text=True, timeout=250, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            check=True).stdout)

    def test_the_json_is_that_of_the_option(self):
        views = "--by=event,time,box,symbol,metric"
        for words in (["report", views, "--top=50", self.recording],
                      ["stat", "-M", "summary,busy:all", "--per-box", *WORKLOAD],
                      ["stat", "-M", "llc", "-I", "5us", *WORKLOAD],
                      ["stat", "--sweep", "threads=1,2", *WORKLOAD]):
            with self.subTest(words=words):
                self.assertEqual(unescaped(self.data(self.page(*words))),
                                 uncore(words[0], "--json", *words[1:]))

    def test_it_compares(self):
        for side in "ab":
            uncore("stat", "--json", "-o", self.path(side + ".json"), "-w",
                   "stream:threads=%d,size=256K" % (1 + (side == "b")))
        sides = [self.path("a.json"), self.path("b.json")]
        self.assertEqual(unescaped(self.data(self.page("compare", *sides))),
                         uncore("compare", "--json", *sides))

    def test_without_options_all_views_are_there(self):
        data = json.loads(self.data(self.report))
        for view in ("events", "time", "boxes", "metrics", "trend"):
            self.assertTrue(data[view], view)
        data = json.loads(self.data(self.page("stat", *WORKLOAD)))
        boxes = {row["box"] for row in data["metrics"] if "box" in row}
        self.assertTrue({"cbox0", "cbox9", "mbox0", "bbox1"} <= boxes, boxes)

    def test_nothing_else_runs(self):
        page = Page(self.report)
        policy = page.one("meta", http_equiv="Content-Security-Policy")[0]["content"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        for tag in "style", "script":
            inner = re.search("<%s>(.*?)</%s>" % (tag, tag), self.report, re.DOTALL)
            digest = base64.b64encode(hashlib.sha256(inner.group(1).encode()).digest())
            self.assertIn("%s-src 'sha256-%s'" % (tag, digest.decode()), policy)
        self.assertEqual(len(page.all("script")), 2)

    def test_the_viewer_is_plain(self):
        with open(os.path.join(SOURCE, "share/viewer.html"), encoding="ascii") as file:
            viewer = file.read()
        self.assertLessEqual(viewer.count("\n"), 1500)
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                     "eval(", "Function(", "import", "fetch", "XMLHttp", "src=", "@font"):
            self.assertNotIn(word, viewer)
        self.assertEqual(set(re.findall(r"https?:[^\s\"']*", viewer)) -
                         {"http://www.w3.org/2000/svg"}, set())

    def test_other_outputs_are_refused(self):
        for words in (["report", "--json", self.recording], ["report", "-x,", self.recording],
                      ["report", "-o", "x", self.recording], ["stat", "--json", *WORKLOAD],
                      ["stat", "--log-fd=1", *WORKLOAD], ["stat", "-v", *WORKLOAD],
                      ["compare", "-x,", "a", "b"]):
            said = uncore(words[0], "--html=" + self.path("no.html"), *words[1:], status=2)
            self.assertRegex(said, "--html|-v is for people")
            self.assertFalse(os.path.exists(self.path("no.html")))
        self.assertIn("name of a file", uncore("report", "--html=", self.recording, status=2))

    def stacks(self, name, counts):
        """A recording whose samples have these stacks, outermost first; its
        path. All lie in one line of memory."""
        path = self.path(name)
        shutil.copy(self.recording, path)
        with sqlite3.connect(path) as base:
            base.execute("DELETE FROM sample WHERE kind = 'period'")
            functions = sorted({f for stack in counts for f in stack})
            base.executemany(
                "INSERT INTO position (id, address, symbol, offset) VALUES (?, ?, ?, 0)",
                [(i, i, f) for i, f in enumerate(functions)])
            known = {(): None}
            sample = 10 ** 6
            for stack, number in counts.items():
                for depth in range(1, len(stack)):
                    if stack[:depth] not in known:
                        known[stack[:depth]] = len(known) - 1
                        base.execute("INSERT INTO stack (id, position, caller) VALUES (?, ?, ?)", (
                            known[stack[:depth]], functions.index(stack[depth - 1]),
                            known[stack[:depth - 1]]))
                for _ in range(number):
                    sample += 1
                    base.execute(
                        SAMPLE, (sample, functions.index(stack[-1])))
                    base.execute("INSERT INTO access (sample, use, address, line, core, home, "
                                 "stack, offset) VALUES (?, 'load', 64, 1, 0, 0, ?, 0)",
                                 (sample, known[stack[:-1]]))
        base.close()
        return path

    def test_a_flame_graph_adds_stacks_up(self):
        path = self.stacks("flame.rec", {("main", "a", "b"): 5, ("main", "a"): 2,
                                         ("main", "c<d>"): 3, ("other",): 10})
        page = self.shown(self.page("report", path))
        frames = {own["aria-label"].split(":")[0]: own["aria-label"]
                  for own, _ in page.all("g", **{"class": "item"}) if "data-place" not in own}
        for name, number in {"all": 20, "main": 10, "a": 7, "b": 5, "c<d>": 3, "other": 10}.items():
            self.assertEqual(frames[name], "%s: %d samples, %g %% of all" % (
                name, number, 5 * number))

    def test_what_differs_is_told_of_each_stack(self):
        # as many samples on both sides: a sample stands for as many events
        sides = [self.stacks(name, counts) for name, counts in (
            ("before.rec", {("main", "a"): 6, ("main", "b"): 2}),
            ("after.rec", {("main", "a"): 3, ("main", "c"): 5}))]
        text = self.page("compare", *sides)
        rows = {row["name"]: row for row in json.loads(self.data(text))["rows"]
                if row["kind"] == "stack"}
        self.assertEqual(set(rows), {"a < main", "b < main", "c < main"})
        for name, a, b in (("a < main", 6, 3), ("b < main", 2, 0), ("c < main", 0, 5)):
            total = rows["a < main"]["a"] / 6
            self.assertAlmostEqual(rows[name]["a"], a * total)
            self.assertAlmostEqual(rows[name]["b"], b * total)
        self.assertNotIn("stack", {row["kind"] for row in json.loads(
            uncore("compare", "--json", *sides))["rows"]})
        page = self.shown(text)
        labels = [label for _, label in page.all("text") if re.search("[a-z] ", label)]
        self.assertTrue({"a \u221250 %", "c new"} <= set(labels), labels)

    def test_the_machine_is_as_large_as_the_data_says(self):
        for words in ([], ["--sockets", "4", "--set", "cores=4"], ["-m", "xeon-e5-2600"]):
            text = self.page("stat", *words, *WORKLOAD)
            data = json.loads(self.data(text))
            types = {row["name"]: row["instances"] for row in data["box_types"]}
            slices = "cbox" if "cbox" in types else "cbo"
            types[slices] = min(types[slices], data["cores"])
            known = {(row["socket"], row["box"], row["value"]) for row in data["metrics"]
                     if row["socket"] is not None and "box" in row}
            places = {}
            for own, _ in self.shown(text).all("g", **{"class": "item"}):
                places[own["data-place"]] = own.get("data-value")
            expected = {"%d/%s%d" % (socket, box, i) for socket in range(data["sockets"])
                        for box, number in {**types, "core": data["cores"]}.items()
                        for i in range(number)}
            self.assertEqual(set(places) - {"%d/ring" % i for i in range(8)}, expected)
            self.assertGreater(sum(value is not None for value in places.values()), 10)
            for place, value in places.items():
                if value is not None and re.search(r"/(cbox|cbo|mbox|imc)\d+$", place):
                    socket, box = place.split("/")
                    self.assertIn((int(socket), box, float(value)), known)

    def test_it_is_used_by_keys_and_clicks(self):
        path = self.stacks("keys.rec", {("main", "a"): 5, ("main", "b"): 3, ("other",): 4})
        page = self.shown(self.page("report", path), """
            const told = {}, part = (name) => document.querySelector(`[data-name=${name}]`);
            const key = (name) => document.activeElement.dispatchEvent(
                new KeyboardEvent("keydown", { key: name, bubbles: true }));
            const at = () => document.activeElement.getAttribute("aria-label").split(":")[0];
            const first = (name) => [...part(name).querySelectorAll("tbody tr")]
                .map((row) => row.querySelector("td").textContent);
            told.before = first("symbols");
            const heads = [...part("symbols").querySelectorAll("th button")];
            heads.find((head) => head.textContent === "symbol").click();
            told.sorted = first("symbols");
            told.aria = part("symbols").querySelector("[aria-sort]").getAttribute("aria-sort");
            part("symbols").querySelector("th button").click();
            told.reversed = first("symbols");
            part("flame").querySelector(".item").focus();
            told.walk = ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowRight", "ArrowRight"]
                .map((name) => { key(name); return at(); });
            key("Enter");
            told.zoomed = part("flame").querySelectorAll(".item").length;
            key("Escape");
            told.whole = part("flame").querySelectorAll(".item").length;
            const search = part("flame").querySelector("input");
            search.value = "MAIN";
            search.dispatchEvent(new Event("input"));
            told.found = part("flame").querySelector("[role=status]").textContent;
            part("machine").querySelectorAll(".item")[10].focus();
            key("Enter");
            told.box = part("machine").querySelector("h3").textContent;
            part("time").querySelector("svg").focus();
            key("End");
            told.time = part("time").querySelector("output").textContent;
            const filter = part("time").querySelector("input");
            filter.value = "no such thing";
            filter.dispatchEvent(new Event("input"));
            told.filtered = part("time").querySelector("[role=status]").textContent;
            const end = document.createElement("pre");
            end.textContent = JSON.stringify(told);
            document.body.append(end);""")
        told = json.loads(page.one("pre")[1])
        self.assertEqual(told["before"], ["a", "other", "b"])
        self.assertEqual(told["sorted"], ["a", "b", "other"])
        self.assertEqual(told["aria"], "ascending")
        self.assertEqual(told["reversed"], ["other", "b", "a"])
        # main has 8 samples and comes before other
        self.assertEqual(told["walk"], ["main", "a", "b", "main", "other", "other"])
        self.assertEqual((told["zoomed"], told["whole"]), (1, 5))
        self.assertEqual(told["found"], "1 frames, 66.6667 % of what is shown")
        self.assertEqual(told["box"], "Socket 0, cbox 0")
        self.assertRegex(told["time"], "^seconds .*: [0-9]+ ")
        self.assertEqual(told["filtered"], "0 of 200 rows")

    def test_curves_are_of_all_figures(self):
        text = self.page("stat", "-M", "llc_misses,memory_read", "--sweep", "threads=1,2",
                         "--sweep", "size=64K,128K,256K", "-w", "stream:size=1M")
        page = self.shown(text)
        for figure in "llc_misses", "memory_read":
            self.assertEqual(len(page.all("figure", data_name=figure)), 1)
        self.assertEqual(len(page.all("path", **{"class": "curve"})), 4)
        self.assertIn("threads=2", [text for _, text in page.all("text")])
        self.assertEqual(len(page.all("rect", **{"class": "mark"})) +
                         len(page.all("circle", **{"class": "mark"})), 12)

    def test_intervals_are_curves(self):
        text = self.page("stat", "-M", "llc_misses", "-I", "2us", *WORKLOAD)
        lines = self.data(text).strip().split("\n")
        self.assertGreater(len(lines), 3)
        page = self.shown(text)
        self.assertEqual({own["d"].count("H") for own, _ in page.all(
            "path", **{"class": "curve"})}, {len(lines)})

    def hostile(self):
        """A recording with names that nobody means well with."""
        path = self.path("hostile.rec")
        shutil.copy(self.recording, path)
        with sqlite3.connect(path) as base:
            base.executemany(
                "INSERT INTO position (id, address, object, symbol, offset, source) "
                "VALUES (?, ?, ?, ?, 0, ?)",
                [(i, i, name, name, name) for i, name in enumerate(HOSTILE)])
            base.executemany("INSERT INTO thread (id, process, thread, name) "
                             "VALUES (?, 1, ?, ?)",
                             [(i, i, name) for i, name in enumerate(HOSTILE)])
            base.execute("UPDATE sample SET position = id %% %d, thread = id %% %d "
                         "WHERE kind = 'period'" % (len(HOSTILE), len(HOSTILE)))
            base.execute("UPDATE meta SET value = ? WHERE key = 'what'",
                         ("".join(HOSTILE),))
        base.close()
        return path

    def test_hostile_names_are_texts(self):
        path = self.hostile()
        text = self.page("report", path)
        tags = {tag for tag, _, _ in Page(text).elements}
        self.assertNotIn("img", tags)
        self.assertEqual(re.findall("[<>&\u2028\u2029]", self.data(text)), [])
        data = json.loads(self.data(text))
        self.assertEqual({row["symbol"] for row in data["symbols"]}, set(HOSTILE))
        self.assertEqual({row["name"] for row in data["threads"]}, set(HOSTILE))

    def test_hostile_names_are_shown(self):
        page = self.shown(self.page("report", self.hostile()))
        self.assertEqual(page.all("img"), [])
        self.assertIn("onerror", page.one("h1")[1])
        texts = {text for _, text in page.all("td", **{"class": "text"})}
        self.assertTrue({HOSTILE[0], HOSTILE[1], HOSTILE[5], "\\u202eright\\u2066to left",
                         "two\\u000alines\\u0009tab"} <= texts, texts)
        self.assertFalse(re.search("[\u0080-\u009f\u200b\u202e\u2066\u2028\u2029]", "".join(texts)))

    def test_names_of_any_letters(self):
        """Pieces that mean something to HTML, JSON or a terminal, in any order."""
        pieces = ["<", ">", "&", "</script>", "<!--", "-->", "<script>", "]]>", "\\", "\\u003c", '"',
                  "'", "&lt;", "\u2028", "\u2029", "\u202e", "\n", "\r", "\t", "\x01", "\x7f", "\u0085",
                  "\u00e9", "\U0001f525", " < ", "a", "operator<", "/", "=", " ", "${x}", "`"]
        chance = random.Random(30)
        names = sorted({"".join(chance.choices(pieces, k=chance.randrange(1, 12)))
                        for _ in range(900)})
        path = self.path("any.rec")
        shutil.copy(self.recording, path)
        with sqlite3.connect(path) as base:
            base.execute("DELETE FROM sample WHERE kind = 'period'")
            base.executemany("INSERT INTO position (id, address, symbol, offset) "
                             "VALUES (?, ?, ?, 0)", [(i, i, n) for i, n in enumerate(names)])
            base.executemany(SAMPLE, [(10 ** 6 + i, i) for i in range(len(names))])
        base.close()
        text = self.page("report", "--by=event,symbol,stack", path)
        self.assertEqual(len(Page(text).all("script")), 2)
        self.assertEqual(re.findall("[<>&\u2028\u2029]", self.data(text)), [])
        symbols = {row["symbol"] for row in json.loads(self.data(text))["symbols"]}
        self.assertEqual(symbols, set(names))
        tags = {tag for tag, _, _ in self.shown(text).elements}
        self.assertEqual(tags - set("html head meta title style body h1 p noscript nav ul li a main "
                                    "script section h2 div table thead tr th td tbody button input "
                                    "span svg g rect text defs pattern path output details summary "
                                    "label select option dl dt dd figure figcaption".split()), set())

    def test_a_page_has_an_end(self):
        """However long names are, in letters of which a page makes six: the
        rows left out are those at the end, and the page says how many."""
        path = self.path("long.rec")
        shutil.copy(self.recording, path)
        with sqlite3.connect(path) as base:
            base.execute("DELETE FROM sample WHERE kind = 'period'")
            for i in range(300):
                base.execute("INSERT INTO position (id, address, symbol, offset) VALUES (?, ?, ?, 0)",
                             (i, i, "<&" * 10000 + str(i)))
                base.executemany(SAMPLE, [(10 ** 6 + 1000 * i + n, i) for n in range(300 - i)])
        base.close()
        for words, name in ((["report", path], "symbols"),
                            (["compare", self.recording, path], "rows")):
            with self.subTest(words=words):
                text = self.page(*words)
                self.assertLessEqual(len(text.encode()), 20000000)
                self.assertGreater(json.loads(self.data(text))["left_out"][name], 9)
        text = self.page("report", "--by=symbol", path)
        left_out = json.loads(self.data(text))["left_out"]["symbols"]
        self.assertIn("the last %d rows" % left_out, " ".join(
            said for _, said in self.shown(text).all("p")))
        rows = json.loads(self.data(self.page("report", path)))["symbols"]
        every = json.loads(uncore("report", "--json", "--by=symbol", path))["symbols"]
        self.assertEqual(rows, every[:len(rows)])

    def test_intervals_have_an_end(self):
        """Those beyond it are not in the page, whose last line tells them."""
        text = self.page("stat", "-I", "1us", "--per-socket", "-M", "all", "-w",
                         "stream:threads=2,size=4M")
        self.assertLessEqual(len(text.encode()), 20000000)
        *laps, end = [json.loads(line) for line in self.data(text).splitlines()]
        left_out = end["left_out"]["intervals"]
        self.assertGreater(left_out, 9)
        self.assertGreater(len(laps), 20)
        self.assertIn("the last %d rows" % left_out, " ".join(
            said for _, said in self.shown(text).all("p")))

    def test_figures_are_those_of_the_data(self):
        for words in (["report", self.recording], ["stat", *WORKLOAD]):
            text = self.page(*words)
            data = json.loads(self.data(text))
            page = self.shown(text)
            shown = {float(own["data-value"]) for own, _ in page.all("td")
                     if own.get("data-value")}
            for name, rows in data.items():
                if not isinstance(rows, list) or name in ("box_types", "links"):
                    continue
                for row in rows[:25]:
                    numbers = {float(value) for value in row.values()
                               if isinstance(value, (int, float)) and
                               not isinstance(value, bool)}
                    self.assertEqual(numbers - shown, set(), (name, row))


if __name__ == "__main__":
    unittest.main()
