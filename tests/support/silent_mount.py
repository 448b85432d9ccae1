#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Serve a file system that can fall silent.

usage: silent_mount.py DIRECTORY PROGRAM FLAG

Mounts at DIRECTORY a FUSE file system with one file, `program`, which has the content of PROGRAM.
Once FLAG exists, no request is answered any more. Ends when it is killed, and the mount with it.
Source: Linux, include/uapi/linux/fuse.h, protocol 7.31.
"""
import ctypes
import os
import pathlib
import stat
import struct
import sys

LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT, INTERRUPT = 1, 2, 3, 14, 15, 18, 25, 26, 36
ROOT, FILE = 1, 2
ENOENT, ENOSYS = 2, 38
FOREVER_S = 1 << 30
PAGE = 4096


def attributes(node, size):
    mode = stat.S_IFDIR | 0o755 if node == ROOT else stat.S_IFREG | 0o755
    return struct.pack("<6Q10I", node, size, (size + 511) // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0,
                       PAGE, 0)


def answer(content, code, node, body):
    """Return (error, data) for a request."""
    if code == INIT:
        return 0, struct.pack("<4I2H2I2H8I", 7, 31, PAGE, 0, 8, 6, PAGE, 1, 0, 0, *[0] * 8)
    if code == LOOKUP:
        if body.rstrip(b"\0") != b"program":
            return ENOENT, b""
        return 0, struct.pack("<4Q2I", FILE, 0, FOREVER_S, FOREVER_S, 0, 0) + attributes(FILE, len(content))
    if code == GETATTR:
        return 0, struct.pack("<Q2I", FOREVER_S, 0, 0) + attributes(node, len(content))
    if code == OPEN:
        return 0, struct.pack("<Q2I", 1, 0, 0)
    if code == READ:
        offset, size = struct.unpack_from("<QI", body, 8)
        return 0, content[offset:offset + size]
    return (0, b"") if code in (RELEASE, FLUSH) else (ENOSYS, b"")


def main():
    directory, program, flag = sys.argv[1:]
    content = pathlib.Path(program).read_bytes()
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
        error, data = answer(content, code, node, request[40:])
        os.write(fuse, struct.pack("<IiQ", 16 + len(data), -error, unique) + data)


main()
