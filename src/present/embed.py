#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""embed.py SCRIPT STYLE: prints a C header with both, and with the policy that allows no other.

The policy names the script and the style by their digests, so a browser that heeds it runs
nothing else that might stand in a file, whatever the names in it are.
"""
import base64
import hashlib
import pathlib
import sys


def literal(text):
    """The text as C string literals, a line each."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
    return "\n".join(f'\t"{line}\\n"' for line in escaped.split("\n")[:-1])


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def main():
    script, style = (pathlib.Path(name).read_text(encoding="ascii").replace("\t", " ")
                     for name in sys.argv[1:])
    for text in (script, style):
        if "]]>" in text or "\r" in text or not text.endswith("\n"):
            raise SystemExit("embed.py: this cannot stand in a CDATA section as it is")
    policy = (f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; "
              "require-trusted-types-for 'script'")
    print(f"static const char flame_script[] =\n{literal(script)};\n")
    print(f"static const char flame_style[] =\n{literal(style)};\n")
    print(f'static const char flame_policy[] =\n\t"{policy}";')


main()
