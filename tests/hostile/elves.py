# SPDX-License-Identifier: GPL-2.0-or-later
"""Make damaged ELF files from a good one."""
import platform
import random
import struct

# An instruction that jumps to itself.
SPIN = {"x86_64": b"\xeb\xfe", "aarch64": b"\x00\x00\x00\x14"}[platform.machine()]
ALL_ONES = {1: 0xff, 2: 0xffff, 4: 0xffffffff, 8: (1 << 64) - 1}

# {field: (offset, size)} in the ELF header, a program header, and a section header
HEADER = {"phoff": (32, 8), "shoff": (40, 8), "ehsize": (52, 2), "phentsize": (54, 2),
          "phnum": (56, 2), "shentsize": (58, 2), "shnum": (60, 2), "shstrndx": (62, 2),
          "class": (4, 1), "data": (5, 1), "type": (16, 2), "machine": (18, 2)}
PROGRAM = {"type": (0, 4), "offset": (8, 8), "vaddr": (16, 8), "filesz": (32, 8),
           "memsz": (40, 8), "align": (48, 8)}
SECTION = {"name": (0, 4), "type": (4, 4), "flags": (8, 8), "addr": (16, 8), "offset": (24, 8),
           "size": (32, 8), "link": (40, 4), "entsize": (56, 8)}
SECTIONS = (".symtab", ".strtab", ".shstrtab", ".note.gnu.build-id", ".eh_frame", ".dynsym")


class Elf:
    """A 64-bit little-endian ELF file in memory. It must be valid, because nothing is checked."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.shoff, = struct.unpack_from("<Q", data, 40)
        self.phoff, = struct.unpack_from("<Q", data, 32)
        self.phnum, _, self.shnum, self.shstrndx = struct.unpack_from("<4H", data, 56)

    def section(self, name):
        """Return (offset of the section header, file offset of the content, size)."""
        names = struct.unpack_from("<Q", self.data, self.shoff + 64 * self.shstrndx + 24)[0]
        for index in range(self.shnum):
            header = self.shoff + 64 * index
            start = names + struct.unpack_from("<I", self.data, header)[0]
            if self.data[start:self.data.index(0, start)] == name.encode():
                return header, *struct.unpack_from("<QQ", self.data, header + 24)
        raise KeyError(name)

    def put(self, offset, size, value):
        self.data[offset:offset + size] = value.to_bytes(size, "little")

    def spin_offset(self):
        return self.section(".text")[1]

    def loaded_end(self):
        """Return the end of the part of the file that a process maps."""
        segments = range(self.phoff, self.phoff + 56 * self.phnum, 56)
        return max(sum(struct.unpack_from("<Q24xQ", self.data, at + 8)) for at in segments
                   if struct.unpack_from("<I", self.data, at)[0] == 1)


def with_spin(data, offset):
    """Return @data with the spinning instruction at @offset, lengthened if necessary."""
    data = bytearray(data) + bytes(max(0, offset + 64 - len(data)))
    data[offset:offset + len(SPIN)] = SPIN
    return bytes(data)


def field_cases(good):
    """Yield (name, bytes) of files in which one field is zero or all ones."""
    first = Elf(good)
    places = [("ehdr", 0, HEADER), ("phdr", first.phoff, PROGRAM)]
    places += [(name.strip("."), first.section(name)[0], SECTION) for name in SECTIONS]
    for place, at, fields in places:
        for field, (offset, size) in fields.items():
            for word, value in (("zero", 0), ("ones", ALL_ONES[size])):
                elf = Elf(good)
                elf.put(at + offset, size, value)
                yield f"{place}-{field}-{word}", bytes(elf.data)


def content_cases(good):
    """Yield (name, bytes) of files in which the content of one section is nonsense."""
    for name in (*SECTIONS, ".note.ABI-tag", ".dynstr", ".dynamic", ".eh_frame_hdr"):
        _, offset, size = Elf(good).section(name)
        for word, byte in (("zeros", 0), ("ones", 0xff), ("text", 0x41)):
            yield f"{name.strip('.')}-of-{word}", \
                good[:offset] + bytes([byte]) * size + good[offset + size:]


def cut_cases(good):
    for size in (0, 1, 4, 16, 40, 63, 64, 65, 200, 0x1000, len(good) // 2, Elf(good).shoff,
                 Elf(good).shoff + 63, len(good) - 1):
        yield f"cut-at-{size}", good[:size]


def flip(data, first, count, seed):
    """Return @data with @count random bits flipped at or after @first."""
    chance, data = random.Random(seed), bytearray(data)
    for _ in range(count):
        data[chance.randrange(first, len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def mapped_cases(good):
    """Yield (name, bytes, offset to spin at) of files that are mapped but not executed.

    So any part of them may be damaged.
    """
    offset = Elf(good).spin_offset()
    for name, data in (*cut_cases(good), *field_cases(good), *content_cases(good)):
        yield name, with_spin(data, offset), offset
    for seed in range(24):
        yield f"flip-{seed}", with_spin(flip(good, 0, 1 << seed % 8, seed), offset), offset


def executed_cases(good):
    """Yield (name, bytes) of programs that still run: only data that nobody loads is damaged."""
    end = Elf(good).loaded_end()
    for seed in range(16):
        yield f"flip-{seed}", flip(good, end, 4 << seed % 8, seed)
    yield "cut-after-segments", good[:end]
    for field in ("shoff", "shnum", "shstrndx", "shentsize"):
        elf = Elf(good)
        elf.put(*HEADER[field], ALL_ONES[HEADER[field][1]])
        yield f"ehdr-{field}-ones", bytes(elf.data)
