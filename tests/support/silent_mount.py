#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Serve a file system that can fall silent.

usage: silent_mount.py DIRECTORY PROGRAM FLAG [DUMP]

Mounts at DIRECTORY a FUSE file system with the file `program`, which has the content of PROGRAM. If
DUMP exists, each name that begins with `jit-` is a file with the content that DUMP has now. Once
FLAG exists, no request is answered any more. Ends when it is killed, and the mount with it.
Source: Linux, include/uapi/linux/fuse.h, protocol 7.31.
"""
import ctypes
import os
import pathlib
import stat
import struct
import sys

LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT, INTERRUPT = 1, 2, 3, 14, 15, 18, 25, 26, 36
ROOT, FILE, DUMP = 1, 2, 3
ENOENT, ENOSYS = 2, 38
FOREVER_S = 1 << 30
PAGE = 4096


def attributes(node, size):
    mode = stat.S_IFDIR | 0o755 if node == ROOT else stat.S_IFREG | 0o755
    return struct.pack("<6Q10I", node, size, (size + 511) // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0,
                       PAGE, 0)


def answer(paths, code, node, body):
    """Return (error, data) for a request."""
    content = paths[node].read_bytes() if node in paths and paths[node].exists() else b""
    valid_s = 0 if node == DUMP else FOREVER_S
    if code == INIT:
        return 0, struct.pack("<4I2H2I2H8I", 7, 31, PAGE, 0, 8, 6, PAGE, 1, 0, 0, *[0] * 8)
    if code == LOOKUP:
        node = DUMP if body.startswith(b"jit-") else FILE if body.rstrip(b"\0") == b"program" else ROOT
        if node not in paths or not paths[node].exists():
            return ENOENT, b""
        return 0, (struct.pack("<4Q2I", node, 0, FOREVER_S, 0 if node == DUMP else FOREVER_S, 0, 0) +
                   attributes(node, paths[node].stat().st_size))
    if code == GETATTR:
        return 0, struct.pack("<Q2I", valid_s, 0, 0) + attributes(node, len(content))
    if code == OPEN:
        return 0, struct.pack("<Q2I", 1, 0, 0)
    if code == READ:
        offset, size = struct.unpack_from("<QI", body, 8)
        return 0, content[offset:offset + size]
    return (0, b"") if code in (RELEASE, FLUSH) else (ENOSYS, b"")


def main():
    directory, program, flag = sys.argv[1:4]
    paths = {FILE: pathlib.Path(program)}
    if len(sys.argv) > 4:
        paths[DUMP] = pathlib.Path(sys.argv[4])
    fuse = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={fuse},rootmode=40000,user_id=0,group_id=0,allow_other"
    if libc.mount(b"silent", directory.encode(), b"fuse", 0, options.encode()) != 0:
        sys.exit(f"cannot mount: {os.strerror(ctypes.get_errno())}")
    while True:
        request = os.read(fuse, 1 << 17)
        _, code, unique, node = struct.unpack_from("<2I2Q", request)
        if code in (FORGET, INTERRUPT) or os.path.exists(flag):
            continue
        error, data = answer(paths, code, node, request[40:])
        os.write(fuse, struct.pack("<IiQ", 16 + len(data), -error, unique) + data)


main()
