# SPDX-License-Identifier: GPL-2.0-or-later
"""Run assay on hostile input, and tell what it did wrong."""
import csv
import io
import json
import re
import resource
import subprocess
import xml.etree.ElementTree

SECONDS_MAX = 20
MEMORY_MAX = 4 << 30

# Characters that a terminal may take for a command: C0 except the newline, DEL, and C1.
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Judge:
    def __init__(self, assay):
        self.assay = assay
        self.is_sanitized = b"__asan_init" in open(assay, "rb").read()
        self.limits = None if self.is_sanitized else limit_memory

    def run(self, *words, allowed=(0, 1, 3)):
        """Run assay. Return (stdout, stderr, None), or (None, None, problem)."""
        verb = words[0] if words else "assay"
        try:
            done = subprocess.run([self.assay, *words], capture_output=True, timeout=SECONDS_MAX,
                                  check=False, stdin=subprocess.DEVNULL, preexec_fn=self.limits)
        except subprocess.TimeoutExpired:
            return None, None, f"{verb} hangs"
        return self.judge(verb, done.returncode, done.stdout, done.stderr, allowed)

    @staticmethod
    def judge(verb, status, stdout, stderr, allowed):
        problem = None
        if status not in allowed:
            problem = f"{verb} exits with {status}: {stderr[-200:]!r}"
        elif status != 0 and not stderr.strip():
            problem = f"{verb} fails without a message"
        for name, text in (("stdout", stdout), ("stderr", stderr)):
            try:
                plain = text.decode().replace("\r\n", "\n")  # CSV lines end with \r\n
                if found := CONTROL.search(plain):
                    around = plain[max(0, found.start() - 30):found.end() + 30]
                    problem = problem or f"{verb}: control byte on {name}: {around!r}"
            except UnicodeDecodeError as error:
                problem = problem or f"{verb}: {name} is not UTF-8: {error}"
        if problem:
            return None, None, problem
        return stdout.decode(), stderr.decode(), None

    def reads(self, path, allowed=(0, 1, 3)):
        """Check several views of the recording. Return a problem or None."""
        for words, look in ((["report", path], None),
                            (["report", path, "--full"], None),
                            (["report", path, "--json"], json_problem),
                            (["report", path, "--by", "comm,function", "--csv"], csv_problem),
                            (["annotate", "--csv", "ember", path], csv_problem),
                            (["annotate", "*", path], None),
                            (["flame", path, "--min-percent", "0"], svg_problem),
                            (["sql", path, "SELECT count(*), max(weight) FROM sample"], None)):
            # annotate exits with 2 if a name is that of several functions, and with 3 if of none.
            also = (2, 3) if words[0] == "annotate" else ()
            stdout, _, problem = self.run(*words, allowed=(*allowed, *also))
            problem = problem or (look and stdout and look(stdout))
            if problem:
                return problem
        return None


def json_problem(text):
    try:
        json.loads(text)
    except ValueError as error:
        return f"invalid JSON: {error}"
    return None


def svg_problem(text):
    try:
        xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError as error:
        return f"invalid XML: {error}"
    return None


def csv_problem(text):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    for row in rows:
        if len(row) != len(rows[0]):
            return f"CSV row with another number of fields: {row}"
        if any(CONTROL.search(field) or "\n" in field for field in row):
            return f"control byte in CSV: {row}"
    return None
