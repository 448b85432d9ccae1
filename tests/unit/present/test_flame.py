#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Flame graphs, read with another parser: test_flame.py PRINT_FLAME"""
import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

PRINT = sys.argv.pop(1)
SVG, HTML = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xhtml}"
ELEMENTS = {SVG + name for name in ("svg", "g", "rect", "text", "title", "style", "script",
                                    "metadata")} | {HTML + "head", HTML + "meta"}
INJECTION = "</title></rect><script>window.injected = 1</script>"
NAMES = [
    INJECTION.encode(), b"]]></style><script>window.injected = 2</script>", b"<!--", b"<![CDATA[",
    b"&injected;", b"&#0;", b"\" onload=\"window.injected = 3", b"' onclick='x", b"\x01\x02\x1b[2J",
    b"a\nb\rc\td", b"\xff\xfe", b"\xc2\x9b31m", b"\xe2\x80\xaeoby", b"\xef\xbf\xbe", b"\xef\xbf\xbf",
    b"\xed\xa0\x80", b"\xf0\x9f\x98\x80" * 50, b"x" * (1 << 20), b"\x01" * 2000, b"javascript:x",
    b"<?xml version='1.0'?>", b" ", b"/", b"a/",
]


LONG = [
    b"hash_table<hash_map<timer::timevar_def*, traits<a, b> >::hash_entry, false>::find(int, char)",
    b"std::vector<std::map<std::string, std::pair<int, long> > >::push_back(std::map<int> const&)",
    b"operator<<(std::basic_ostream<char, std::char_traits<char> >&, some::thing<int> const&)",
    b"a::b::c::operator-><long, int>(first_type, second_type<with<deep<args> > >) const",
    b"(anonymous namespace)::a_function_with_a_long_name_and(void (*)(int), unsigned long)",
    b"x" * 300, "\u6f22".encode() * 90, b"unbalanced<<<((>)" * 12,
]


def draw(*words, names=()):
    return subprocess.run([PRINT, *words], input=b"".join(name + b"\0" for name in names),
                          capture_output=True, check=True).stdout


def parse(text):
    return xml.etree.ElementTree.fromstring(text)


def boxes(document):
    """name -> its boxes, and each one's transform."""
    found = {}
    for row in document.find(f"{SVG}g[@id='boxes']"):
        for rect in row.iter(SVG + "rect"):
            title = rect.find(SVG + "title").text.split("\n")
            found.setdefault(title[0], []).append((rect, title, row.get("transform")))
    return found


class Graph(unittest.TestCase):
    def test_boxes(self):
        """8455 samples outside idle, of which burn_hot has 4000."""
        found = boxes(parse(draw()))
        rect, title, _ = found["all"][0]
        self.assertEqual((rect.get("x"), rect.get("width")), ("0", "8455"))
        self.assertEqual(title[2], "8,455 samples, 100.00 % [99.94-100.00]")
        rect, title, _ = found["burn_hot"][0]
        self.assertEqual((rect.get("x"), rect.get("width")), ("0", "4000"))
        self.assertEqual(title[1], "burn")
        self.assertEqual(title[2], "4,000 samples (4,000 its own), 47.31 % [46.25-48.37]")

    def test_callers_below(self):
        """One row up, or one down in an icicle: a function, and one of the same name in it."""
        def line(place):
            return int(place[2].strip(")").split(",")[1])
        for step, words in ((-16, ()), (16, ("icicle",))):
            outer, inner = boxes(parse(draw(*words, names=[b"again"])))["again"]
            self.assertEqual(line(outer) + step, line(inner))
            self.assertEqual(outer[1][2].split(",")[0], "10 samples")
            self.assertEqual(inner[1][2].split(",")[0], "10 samples (10 its own)")

    def test_labels_fit(self):
        """No text is wider than its box where a character takes 7.3 pixels."""
        document = parse(draw(names=[b"x" * 500, "\u6f22".encode() * 300]))
        labels = 0
        for row in document.find(f"{SVG}g[@id='boxes']"):
            scale = float(re.search(r"scale\((\S+),1\)", row[0].get("transform"))[1])
            edges = [(scale * int(rect.get("x")), scale * int(rect.get("width")))
                     for rect in row.iter(SVG + "rect")]
            for text in row.findall(SVG + "text"):
                left = float(text.get("x"))
                columns = sum(1 if character in "\u2026" or character < "\x80" else 2
                              for character in text.text)
                self.assertTrue(any(start <= left and left + 7.3 * columns <= start + width
                                    for start, width in edges), text.text)
                labels += 1
        self.assertGreater(labels, 5)

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_the_script_shortens_as_we_do(self):
        """flame.js makes the same labels from the same names and widths."""
        names = [name for i, name in enumerate(LONG) for _ in range(60 * (i + 1))]
        document = parse(draw("all", names=names))
        script = document.find(SVG + "script").text
        functions = script[script.index("const wide ="):script.index("function fit(")]
        wanted = []
        for row in document.find(f"{SVG}g[@id='boxes']"):
            scale = float(re.search(r"scale\((\S+),1\)", row[0].get("transform"))[1])
            for text in row.findall(SVG + "text"):
                rect = min(row.iter(SVG + "rect"), key=lambda r: (round(abs(
                    scale * int(r.get("x")) + 3 - float(text.get("x"))), 0), -int(r.get("width"))))
                columns = int((scale * int(rect.get("width")) - 6) / 7.3)
                name = rect.find(SVG + "title").text.split("\n")[0]
                wanted.append([name, columns, text.text])
        got = subprocess.run(["node", "-e", functions + """
            const cases = JSON.parse(require("fs").readFileSync(0));
            console.log(JSON.stringify(cases.map(([name, columns]) => shorten(name, columns))));
            """], input=json.dumps(wanted), capture_output=True, check=True, text=True).stdout
        self.assertEqual(json.loads(got), [text for _, _, text in wanted])
        self.assertGreater(sum("\u2026" in text for _, _, text in wanted), 5)

    def test_notes(self):
        """What is uncertain about a name is in its tooltip, after the figures."""
        found = boxes(parse(draw()))
        self.assertEqual(found["fn_1a2b0"][0][1][-1], "between send and sendmsg")
        self.assertEqual(len(found["burn_hot"][0][1]), 3)

    def test_different_names_have_different_labels(self):
        document = parse(draw(names=[b"x" * 200 + b"%d" % i + b"x" * 200 for i in range(20)]))
        for row in document.find(f"{SVG}g[@id='boxes']"):
            names = {rect.find(SVG + "title").text.split("\n")[0] for rect in row.iter(SVG + "rect")}
            labels = [text.text for text in row.findall(SVG + "text")]
            self.assertLessEqual(len(set(labels)), len(names))
            self.assertFalse([label for label in labels if label.startswith("xxx")])

    def test_colors(self):
        found = boxes(parse(draw("context")))
        self.assertIn("c1", found["tcp_sendmsg"][0][0].get("class").split())
        self.assertIn("c4", found["tick_handler"][0][0].get("class").split())
        self.assertIn("k0", found["tick_handler"][0][0].get("class").split())
        self.assertIn("c0", found["burn_hot"][0][0].get("class").split())
        self.assertIn("u0", found["burn_hot"][0][0].get("class").split())

    def test_changes(self):
        found = boxes(parse(draw("changed")))
        self.assertIn("m3", found["burn_hot"][0][0].get("class").split())
        self.assertIn("m0", found["serve"][0][0].get("class").split())
        self.assertEqual(found["burn_hot"][0][1][3],
                         "before 23.65 %, change +23.65 points [+22.65, +24.65]")
        self.assertTrue(found["serve"][0][1][3].endswith(", within noise"))


class Hostile(unittest.TestCase):
    def test_well_formed(self):
        """Whatever the names are, there is nothing in the file that is not ours."""
        for words in ((), ("all", "icicle"), ("changed",)):
            document = parse(draw(*words, names=NAMES))
            self.assertEqual({element.tag for element in document.iter()}, ELEMENTS)
            self.assertEqual(len(list(document.iter(SVG + "script"))), 1)
            for element in document.iter():
                self.assertFalse([name for name in element.keys()
                                  if name.startswith("on") or "href" in name or name == "style"])

    def test_names_are_text(self):
        found = boxes(parse(draw("all", names=NAMES)))
        for name in (INJECTION, "&injected;", r"a\x0ab\x0dc\x09d", r"\xff\xfe", r"\ufffe",
                     r"\u202eoby", r"\x01\x02\x1b[2J"):
            self.assertEqual(len(found[name]), 2, name)
        self.assertEqual(len(found["x" * 550 + "\u2026" + "x" * 549]), 2)

    def test_policy(self):
        """It names the very script and style that are there, and nothing else."""
        document = parse(draw())
        policy = document.find(f".//{HTML}meta").get("content")
        for word in ("script", "style"):
            text = document.find(SVG + word).text.encode()
            digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
            self.assertIn(f"{word}-src 'sha256-{digest}';", policy)
        self.assertTrue(policy.startswith("default-src 'none';"))

    def test_bounded(self):
        """Thousands of long names: the larger boxes are drawn, in 2 MB."""
        names = [b"&" * 300 + b"%d" % i for i in range(3000)]
        text = draw(names=names)
        self.assertLess(len(text), 2_000_000)
        self.assertGreater(len(text), 1_000_000)
        self.assertIn("burn_hot", boxes(parse(text)))

    def test_deep(self):
        """Rows count, too."""
        text = draw("nested", names=[b"f"] * 12000)
        self.assertLess(len(text), 1_950_000)
        self.assertGreater(len(text), 1_500_000)


class Script(unittest.TestCase):
    @unittest.skipUnless(shutil.which("node"), "no node to run it with")
    def test_interval(self):
        """Nothing is known of a share of no samples."""
        script = parse(draw()).find(SVG + "script").text
        function = re.search(r"^function interval\(.*?^}$", script, re.M | re.S)[0]
        said = subprocess.run(["node", "-e", function + "; console.log(interval(0, 0), "
                               "interval(0, NaN), interval(4000 / 8455, 8455))"],
                              capture_output=True, check=True, text=True).stdout
        self.assertEqual(said, "0.00-100.00 0.00-100.00 46.25-48.37\n")


unittest.main()
