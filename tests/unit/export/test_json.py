#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Exports for tools that read JSON and CSV: test_json.py PRINT_EXPORT CACHE_FOLDER"""
import collections
import csv
import io
import json
import pathlib
import sys
import tarfile
import unittest

CACHE = pathlib.Path(sys.argv.pop(2))
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent.parent / "support"))
import npm  # noqa: E402
from exported import (BUSY, FAULTS, FAULT_WEIGHT, NAMES, PERIOD_NS,  # noqa: E402
                      SAMPLES_OF_NAME, export, export_json, unescaped)

SPEEDSCOPE = "1.25.0"


def shown(name):
    """A name as JSON can hold it: stored are at most 65535 bytes."""
    return "".join(chr(0xfffd) if 0xdc80 <= ord(c) <= 0xdcff else c
                   for c in name[:65535].decode("utf-8", "surrogateescape"))


def speedscope_schema():
    """From the package of that name."""
    try:
        archive = npm.archive(CACHE, "speedscope", SPEEDSCOPE)
    except npm.Missing as problem:
        raise unittest.SkipTest(f"no schema: {problem}") from problem
    with tarfile.open(archive) as package:
        name = next(n for n in package.getnames() if n.endswith("file-format-schema.json"))
        return json.load(package.extractfile(name))


class Speedscope(unittest.TestCase):
    def stacks(self, document, index):
        """path -> samples, and the weight of all."""
        names = [frame["name"] for frame in document["shared"]["frames"]]
        profile = document["profiles"][index]
        self.assertEqual(len(profile["samples"]), len(profile["weights"]))
        self.assertEqual(sum(profile["weights"]), profile["endValue"])
        return (collections.Counter(";".join(names[i] for i in stack)
                                    for stack in profile["samples"]), profile["endValue"])

    def test_machine(self):
        document, samples = export_json("speedscope")
        self.assertEqual(samples, BUSY + FAULTS)
        found, weight = self.stacks(document, 0)
        self.assertEqual((sum(found.values()), weight), (BUSY, BUSY * PERIOD_NS))
        self.assertEqual(found["burn;_start;burn_hot"], 4000)
        found, weight = self.stacks(document, 1)
        self.assertEqual((found, weight), ({"burn;_start;burn_hot": FAULTS},
                                           FAULTS * FAULT_WEIGHT))
        self.assertEqual([(p["name"], p["unit"]) for p in document["profiles"]],
                         [("cpu-clock", "nanoseconds"), ("page-faults", "none")])
        self.assertIn("5 samples lost: sample-ring-full", document["name"])

    def test_filter(self):
        document, _ = export_json("speedscope", "comm=burn", "context=user", "event=cpu-clock")
        self.assertEqual(self.stacks(document, 0)[1], 5005 * PERIOD_NS)
        self.assertEqual(len(document["profiles"]), 1)
        document, _ = export_json("speedscope", "comm=nobody")
        self.assertEqual(self.stacks(document, 0)[1], 0)

    def test_inlined(self):
        document, _ = export_json("speedscope", "inline")
        self.assertEqual(self.stacks(document, 0)[0]["burn;_start;burn_hot;inlined"], 4000)
        frames = {frame["name"]: frame for frame in document["shared"]["frames"]}
        self.assertEqual(frames["inlined"]["file"], "src/inlined.h")
        self.assertEqual((frames["inlined"]["line"], frames["burn_hot"]["line"]), (12, 7))
        self.assertNotIn("line", frames["_start"])
        self.assertEqual(frames["inlined"]["image"], frames["burn_hot"].get("image", frames["burn_hot"]["file"]))

    def test_names(self):
        document, _ = export_json("speedscope", names=NAMES)
        frames = {frame["name"] for frame in document["shared"]["frames"]}
        self.assertLessEqual({shown(name) for name in NAMES}, frames)

    def test_schema(self):
        try:
            import jsonschema
        except ImportError as problem:
            raise unittest.SkipTest("python3-jsonschema is not installed") from problem
        for words in ([], ["inline"], ["comm=nobody"]):
            document, _ = export_json("speedscope", *words, names=NAMES)
            jsonschema.validate(document, speedscope_schema())


class Firefox(unittest.TestCase):
    COLUMNS = {"samples": ("stack", "time", "weight"), "stackTable": ("prefix", "frame", "category"),
               "frameTable": ("func", "address", "category"),
               "funcTable": ("name", "fileName", "resource"), "resourceTable": ("name", "type"),
               "markers": ("data", "name", "startTime", "endTime", "phase", "category")}

    def check_table(self, thread, name):
        """All columns of a table have its length; the table."""
        table = thread[name]
        for key, column in table.items():
            if isinstance(column, list):
                self.assertEqual(len(column), table["length"], key)
        self.assertLessEqual(set(self.COLUMNS[name]), set(table))
        return table

    def thread_stacks(self, thread, categories):
        """(path, category) -> (samples, weight)"""
        samples, stacks, frames, funcs, *_ = (self.check_table(thread, name)
                                              for name in self.COLUMNS)
        found = collections.defaultdict(lambda: [0, 0.])
        for stack, weight in zip(samples["stack"], samples["weight"]):
            path, category = [], categories[stacks["category"][stack]]["name"]
            while stack is not None:
                path.insert(0, thread["stringArray"][
                    funcs["name"][frames["func"][stacks["frame"][stack]]]])
                prefix = stacks["prefix"][stack]
                self.assertTrue(prefix is None or prefix < stack)
                stack = prefix
            found[";".join(path), category][0] += 1
            found[";".join(path), category][1] += weight
        return found

    def threads(self, *words, names=()):
        document, samples = export_json("firefox", *words, names=names)
        self.assertEqual(sum(thread[table]["length"] for thread in document["threads"]
                             for table in ("samples", "markers")), samples)
        return document, {(thread["name"], thread["pid"]):
                          self.thread_stacks(thread, document["meta"]["categories"])
                          for thread in document["threads"]}

    def test_machine(self):
        document, threads = self.threads()
        self.assertEqual(document["meta"]["preprocessedProfileVersion"], 48)
        self.assertEqual(document["meta"]["interval"], 1)
        burn = threads["burn (cpu-clock)", "100"]
        self.assertEqual(burn["_start;burn_hot", "user"], [4000, 4000.])
        self.assertEqual(burn["<truncated stack>;ksys_read", "syscall"], [500, 500.])
        self.assertEqual(burn["tick_handler", "hardirq"], [100, 100.])
        self.assertEqual(threads["burn (page-faults)", "100"]["_start;burn_hot", "user"],
                         [FAULTS, FAULTS * FAULT_WEIGHT])
        kinds = {thread["name"]: thread["samples"]["weightType"] for thread in document["threads"]}
        self.assertEqual((kinds["burn (cpu-clock)"], kinds["burn (page-faults)"]),
                         ("tracing-ms", "samples"))
        self.assertEqual(sum(weight for name, found in threads.items() if "faults" not in name[0]
                             for _, weight in found.values()), BUSY * PERIOD_NS / 1e6)
        self.assertIn("5 samples lost: sample-ring-full",
                      [entry["value"] for entry in document["meta"]["extra"][0]["entries"]])

    def test_contexts(self):
        """Of one path in two contexts."""
        _, threads = self.threads("recursive", "comm=twice")
        self.assertEqual(threads["twice", "400"], {("a;b;a;b;a;c", "user"): [10, 10.],
                                                   ("a;b;a;b;a;c", "exception"): [10, 10.]})

    def test_waits(self):
        """They are markers of their thread's only track."""
        document, threads = self.threads("waits")
        plain, _ = self.threads()
        self.assertEqual([thread["name"] for thread in document["threads"]],
                         [thread["name"] for thread in plain["threads"]] + ["sleeper"])
        schema = {kind["name"]: {field["key"] for field in kind["data"]} for kind in document["meta"]["markerSchema"]}
        found = {}
        for thread in document["threads"]:
            markers = self.check_table(thread, "markers")
            for row in zip(*(markers[key] for key in ("data", "name", "startTime", "endTime", "phase"))):
                data, stack = row[0], row[0]["cause"]["stack"]
                self.assertEqual(set(data) - {"type", "cause"}, schema[data["type"]])
                self.assertLess(stack, thread["stackTable"]["length"])
                found[thread["name"], thread["stringArray"][row[1]]] = (*row[2:], data.get("amount"))
        end = max(row[0] for row in found.values())
        self.assertEqual({key: (round(end - start, 6), stop and round(end - stop, 6), phase, amount)
                          for key, (start, stop, phase, amount) in found.items()},
                         {("burn (cpu-clock)", "off-cpu:blocked"): (40, 10, 1, None),
                          ("burn (cpu-clock)", "off-cpu:runnable"): (10, 0, 1, None),
                          ("burn (cpu-clock)", "off-cpu:short-count"): (0, None, 0, 7),
                          ("sleeper", "off-cpu:blocked-io"): (5, 0, 1, None)})
        del threads["sleeper", "500"]
        self.assertEqual(threads, self.threads()[1])
        self.assertEqual(plain["threads"][0]["markers"]["length"], 0)

    def test_order(self):
        document, _ = self.threads()
        for thread in document["threads"]:
            times = thread["samples"]["time"]
            self.assertEqual(times, sorted(times))
        self.assertEqual(document["threads"][0]["samples"]["time"][0], 0)

    def test_filter(self):
        _, threads = self.threads("comm=burn", "context=user", "event=cpu-clock")
        self.assertEqual(list(threads), [("burn", "100")])
        self.assertEqual(self.threads("comm=nobody")[1], {})

    def test_inlined(self):
        document, threads = self.threads("inline")
        self.assertEqual(threads["burn (cpu-clock)", "100"]["_start;burn_hot;inlined", "user"][0],
                         4000)
        self.assertIn("src/inlined.h", document["threads"][0]["stringArray"])
        thread = next(t for t in document["threads"] if t["name"] == "burn (cpu-clock)" and t["pid"] == "100")
        frames, funcs, strings = thread["frameTable"], thread["funcTable"], thread["stringArray"]
        found = {strings[funcs["name"][func]]: (line, funcs["fileName"][func] and strings[funcs["fileName"][func]])
                 for func, line in zip(frames["func"], frames["line"])}
        self.assertEqual(found["inlined"], (12, "src/inlined.h"))
        self.assertEqual(found["burn_hot"], (7, "src/burn.c"))
        self.assertEqual(found["_start"], (None, None))

    def test_names(self):
        document, threads = self.threads(names=NAMES)
        functions = {path for found in threads.values() for path, _ in found}
        self.assertLessEqual({shown(name) for name in NAMES}, functions)
        self.assertEqual(len(document["threads"]), 5 + len(NAMES))


class Chrome(unittest.TestCase):
    def stacks(self, *words, names=()):
        """(event, path, context) -> (samples, weight)"""
        document, samples = export_json("chrome", *words, names=names)
        frames, found = document["stackFrames"], collections.defaultdict(lambda: [0, 0])
        known = {(event["pid"], event["tid"]) for event in document["traceEvents"]
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        for sample in document["samples"]:
            self.assertIn((sample["pid"], sample["tid"]), known)
            path, frame = [], sample["sf"]
            while frame:
                path.insert(0, frames[str(frame)]["name"])
                frame = frames[str(frame)].get("parent")
            found[sample["name"], ";".join(path), sample["cat"]][0] += 1
            found[sample["name"], ";".join(path), sample["cat"]][1] += sample["weight"]
        self.assertEqual(len(document["samples"]), samples)
        return document, found

    def test_machine(self):
        document, found = self.stacks()
        self.assertEqual(found["cpu-clock", "_start;burn_hot", "user"], [4000, 4000 * PERIOD_NS])
        self.assertEqual(found["page-faults", "_start;burn_hot", "user"],
                         [FAULTS, FAULTS * FAULT_WEIGHT])
        self.assertEqual(found["cpu-clock", "tick_handler", "hardirq"][0], 150)
        self.assertEqual(sum(weight for key, (_, weight) in found.items()
                             if key[0] == "cpu-clock"), BUSY * PERIOD_NS)
        self.assertEqual(document["otherData"]["sample-ring-full"], 5)
        times = [sample["ts"] for sample in document["samples"]]
        self.assertEqual((times[0], times), (0, sorted(times)))

    def test_filter(self):
        _, found = self.stacks("comm=burn", "context=user", "event=cpu-clock")
        self.assertEqual(sum(count for count, _ in found.values()), 5005)
        self.assertEqual(self.stacks("comm=nobody")[1], {})

    def test_inlined(self):
        _, found = self.stacks("inline")
        self.assertEqual(found["cpu-clock", "_start;burn_hot;inlined", "user"][0], 4000)

    def test_names(self):
        document, found = self.stacks(names=NAMES)
        self.assertLessEqual({shown(name) for name in NAMES}, {path for _, path, _ in found})
        self.assertLessEqual({shown(name) for name in NAMES},
                             {event["args"]["name"] for event in document["traceEvents"]})


class Records(unittest.TestCase):
    def test_ndjson(self):
        text, samples = export("ndjson")
        rows = [json.loads(line) for line in text.splitlines()]
        self.assertEqual((len(rows), samples), (BUSY + FAULTS, BUSY + FAULTS))
        self.assertEqual(collections.Counter(row["event"] for row in rows)["page-faults"], FAULTS)
        self.assertEqual(sum(row["weight"] for row in rows if row["event"] == "cpu-clock"),
                         BUSY * PERIOD_NS)
        self.assertEqual([frame["function"] for frame in rows[0]["stack"]],
                         ["_start", "burn_hot"])
        self.assertTrue(all(a["time"] <= b["time"] for a, b in zip(rows, rows[1:])))

    def test_csv(self):
        text, _ = export("csv", "comm=burn", "context=user", "event=cpu-clock")
        rows = list(csv.DictReader(io.StringIO(text.decode(), newline="")))
        self.assertEqual(len(rows), 5005)
        self.assertEqual(rows[0]["stack"], "_start;burn_hot")
        self.assertEqual(sum(int(row["weight"]) for row in rows), 5005 * PERIOD_NS)

    def test_names(self):
        text, _ = export("ndjson", names=NAMES)
        comms = {json.loads(line)["comm"] for line in text.splitlines()}
        self.assertLessEqual({shown(name) for name in NAMES}, comms)
        text, samples = export("csv", names=NAMES)
        rows = list(csv.DictReader(io.StringIO(text.decode(), newline="")))
        self.assertEqual(len(rows), BUSY + FAULTS + SAMPLES_OF_NAME * len(NAMES))
        self.assertEqual(len(rows), samples)
        # stored are at most 65535 bytes; an apostrophe marks what looks like a formula
        comms = {unescaped(row["comm"]) for row in rows}
        self.assertLessEqual({name[:65535] for name in NAMES}, comms | {comm[1:] for comm in comms if comm[:1] == b"'"})
        self.assertIn('quoted"\\', {row["comm"] for row in rows})


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
