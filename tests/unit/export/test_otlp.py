#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Exports for OpenTelemetry, taken apart by protoc: test_otlp.py PRINT_EXPORT OTLP_PROTO"""
import collections
import os
import re
import shutil
import subprocess
import sys
import unittest

PROTO = sys.argv.pop(2)
from exported import (BUSY, FAULTS, FAULT_WEIGHT, NAMES, PERIOD_NS,  # noqa: E402
                      SAMPLES_OF_NAME, export)


def message(lines):
    """The fields of protoc's text up to the end of the message: name -> values."""
    fields = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            fields[line[:-2]].append(message(lines))
            continue
        name, value = line.split(": ", 1)
        fields[name].append(value[1:-1].encode().decode("unicode_escape").encode("latin-1")
                            .decode() if value[0] == '"' else int(value))
    return fields


@unittest.skipUnless(shutil.which("protoc"), "protoc is not installed")
class Otlp(unittest.TestCase):
    def decode(self, *words, names=()):
        text = subprocess.run(["protoc", f"-I{os.path.dirname(PROTO)}",
                               "--decode=assay.otlp.ProfilesData", PROTO],
                              input=export("otlp", *words, names=names)[0], capture_output=True,
                              check=True).stdout.decode()
        self.assertNotRegex(text, r"(?m)^ *\d+:")  # a field that the description does not know
        data = message(iter(text.splitlines()))
        return data, data["dictionary"][0]

    def profiles(self, *words, names=()):
        """event -> (path, context) -> weight"""
        data, dictionary = self.decode(*words, names=names)
        strings = dictionary["string_table"]

        def name(location):
            return [strings[dictionary["function_table"][line["function_index"][0]]
                            ["name_strindex"][0]]
                    for line in dictionary["location_table"][location]["lines"]]

        found = {}
        for profile in data["resource_profiles"][0]["scope_profiles"][0]["profiles"]:
            weights = collections.Counter()
            for sample in profile["samples"]:
                stack = dictionary["stack_table"][sample["stack_index"][0]]["location_indices"]
                path = ";".join(f for location in stack for f in name(location))
                attributes = self.attributes(dictionary, sample)
                self.assertEqual(set(attributes), {"context", "process.pid", "thread.id",
                                                   "thread.name"})
                weights[path, attributes["context"]] += sample["values"][0]
            kind = profile["sample_type"][0]
            found[tuple(strings[kind[key][0]] for key in ("type_strindex", "unit_strindex"))] = \
                weights
        return found, data, dictionary

    def attributes(self, dictionary, holder):
        pairs = (dictionary["attribute_table"][i] for i in holder["attribute_indices"])
        return {dictionary["string_table"][pair["key_strindex"][0]]:
                next(iter(pair["value"][0].values()), [""])[0] for pair in pairs}

    def test_heavy(self):
        """No sum of weights becomes a debt."""
        found, _, _ = self.profiles("heavy")
        weights = [weight for paths in found.values() for weight in paths.values()]
        self.assertGreaterEqual(min(weights), 0)
        self.assertGreaterEqual(max(weights), (1 << 63) - 1)

    def test_machine(self):
        found, data, dictionary = self.profiles()
        clock = found["cpu-clock", "nanoseconds"]
        self.assertEqual(sum(clock.values()), BUSY * PERIOD_NS)
        self.assertEqual(clock["burn_hot;_start", "user"], 4000 * PERIOD_NS)
        self.assertEqual(clock["ksys_read;<truncated stack>", "syscall"], 540 * PERIOD_NS)
        self.assertEqual(clock["tick_handler", "hardirq"], 150 * PERIOD_NS)
        self.assertEqual(found["page-faults", "count"],
                         {("burn_hot;_start", "user"): FAULTS * FAULT_WEIGHT})
        profile = data["resource_profiles"][0]["scope_profiles"][0]["profiles"][0]
        self.assertEqual(self.attributes(dictionary, profile), {"lost.sample-ring-full": 5})

    def test_first_elements(self):
        """Of every table: nothing."""
        _, dictionary = self.decode()
        self.assertEqual(dictionary["string_table"][0], "")
        for table in ("mapping", "location", "function", "link", "stack", "attribute"):
            self.assertEqual(dictionary[f"{table}_table"][0], {}, table)

    def test_filter(self):
        found, _, _ = self.profiles("comm=burn", "context=user", "event=cpu-clock")
        self.assertEqual([sum(weights.values()) for weights in found.values()],
                         [5005 * PERIOD_NS])
        self.assertEqual(self.profiles("comm=nobody")[0], {})
        _, data, dictionary = self.profiles("comm=burn", "event=cpu-clock")
        for sample in data["resource_profiles"][0]["scope_profiles"][0]["profiles"][0]["samples"]:
            who = self.attributes(dictionary, sample)
            self.assertEqual((who["thread.name"], who["process.pid"], who["thread.id"]),
                             ("burn", 100, 100))

    def test_inlined(self):
        found, _, dictionary = self.profiles("inline")
        self.assertEqual(found["cpu-clock", "nanoseconds"]["inlined;burn_hot;_start", "user"],
                         4000 * PERIOD_NS)
        self.assertIn([12, 7], [[line["line"][0] for line in location["lines"] if line["line"]]
                                for location in dictionary["location_table"]])

    def test_names(self):
        found, _, dictionary = self.profiles(names=NAMES)
        self.assertEqual(sum(found["cpu-clock", "nanoseconds"].values()),
                         (BUSY + SAMPLES_OF_NAME * len(NAMES)) * PERIOD_NS)
        self.assertTrue(all(text.isprintable() for text in dictionary["string_table"]))
        self.assertTrue(any(re.fullmatch("a;b;c", text) for text in dictionary["string_table"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
