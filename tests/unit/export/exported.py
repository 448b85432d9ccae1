# SPDX-License-Identifier: GPL-2.0-or-later
"""What print_export prints, and what its machine holds: model_maker.h says what ran."""
import json
import re
import subprocess
import sys
import unicodedata

PRINT = sys.argv.pop(1)
BUSY, IDLE, FAULTS, FAULT_WEIGHT, PERIOD_NS = 8455, 500, 100, 3, 1000000
SAMPLES_OF_NAME = 10
NAMES = [
    b"</title><script>window.injected = 1</script>", b'quoted"\\', b"it's", b"a;b;c", b"a b 12",
    b"\x01\x02\x1b[2J", b"a\nb\rc\td", b"\xff\xfe", b"\xc2\x9b31m", b"\xe2\x80\xaeoby",
    b"\xed\xa0\x80", b"\xf0\x9f\x98\x80" * 50, b"x" * (1 << 20), b"\x01" * 2000, b"=1+1",
    b"(anonymous namespace)::f", b"(1) f", b"fn=(1)", b"# no comment", b"{}", b"[unknown]", b" ", b"-1",
]


def export(name, *words, names=()):
    """The bytes, and how many samples the program said they are."""
    done = subprocess.run([PRINT, name, *words], input=b"".join(n + b"\0" for n in names),
                          capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout, int(done.stderr.split()[0])


def unescaped(text):
    """The name that the program wrote as this text: see src/base/name_text.h."""
    def read(match):
        code = int(match[0][2:], 16)
        if match[0][1] == "x":
            return match[0].encode() if chr(code).isascii() and chr(code).isalpha() or not code else bytes([code])
        if code > 0x10ffff or unicodedata.category(chr(code)) not in ("Cc", "Cf", "Zl", "Zp"):
            return match[0].encode()
        return chr(code).encode()

    found, end = b"", 0
    for match in re.finditer(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}", text):
        found += text[end:match.start()].encode() + read(match)
        end = match.end()
    return b"" if text == r"\x00" else found + text[end:].encode()


def export_json(*words, names=()):
    text, samples = export(*words, names=names)
    return json.loads(text), samples
