# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure the time from a large perf.data to a first report, and to a report by source line.

perf report is measured beside assay.

The first file is a recording of the whole machine while it compiles. Its samples are repeated until
there are enough; each copy is later by the length of the recording. Exit records are removed, so
that neither program forgets a process that a later copy names. The second file is a recording of
assay as it reads the first file, because assay has inlined functions and debug information.
"""
import pathlib
import struct
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES, WITH_LINES = 1_000_000, 100_000
SAMPLE, EXIT, FINISHED_ROUND = 9, 4, 68
END_OF_ROUND = struct.pack("<IHH", FINISHED_ROUND, 0, 8)


def records(data):
    at = 0
    while at < len(data):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        yield kind, data[at:at + size]
        at += size


def time_offset(sample_type):
    """Return the offset of the time in a sample.

    The time follows the header and those of the fields PERF_SAMPLE_IDENTIFIER, _IP and _TID that
    are present.
    """
    return 8 + 8 * (bool(sample_type & 1 << 16) + bool(sample_type & 1) + bool(sample_type & 2))


def later(sample, offset, shift_ns):
    moved = struct.unpack_from("<Q", sample, offset)[0] + shift_ns
    return sample[:offset] + struct.pack("<Q", moved) + sample[offset + 8:]


def repeat(source, target, wanted):
    """Write a file with at least @wanted samples. Return how many samples it has."""
    data = source.read_bytes()
    attrs, _, begin, size = struct.unpack_from("<4Q", data, 24)
    offset = time_offset(struct.unpack_from("<Q", data, attrs + 24)[0])
    kept = [(kind, record) for kind, record in records(data[begin:begin + size]) if kind != EXIT]
    repeated = [(kind, record) for kind, record in kept if kind in (SAMPLE, FINISHED_ROUND)]
    times = [struct.unpack_from("<Q", record, offset)[0] for kind, record in kept if kind == SAMPLE]
    copies = -(-wanted // len(times))
    body = bytearray(b"".join(record for _, record in kept) + END_OF_ROUND)
    for copy in range(1, copies):
        shift_ns = copy * (max(times) - min(times) + 1000)
        body += b"".join(later(record, offset, shift_ns) if kind == SAMPLE else record
                         for kind, record in repeated) + END_OF_ROUND
    head, tail = bytearray(data[:begin]), bytearray(data[begin + size:])
    struct.pack_into("<Q", head, 48, len(body))
    for feature in range(sum(bin(word).count("1") for word in struct.unpack_from("<4Q", data, 72))):
        where = struct.unpack_from("<Q", tail, 16 * feature)[0]
        struct.pack_into("<Q", tail, 16 * feature, where + len(body) - size)
    target.write_bytes(head + body + tail)
    return copies * len(times)


def costs(meter, *commands):
    """Run the commands one after the other.

    Return the seconds, the seconds of CPU time, and the largest peak memory in MiB.
    """
    wall, cpu, peak = 0, 0, 0
    for command in commands:
        # Without a terminal there is neither a pager nor a progress display. SIGPIPE stays ignored,
        # because perf would otherwise end when an addr2line that it started ends.
        subprocess.run(meter.words(command), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, restore_signals=False, check=False)
        cost = meter.read()
        wall, cpu, peak = wall + cost.wall_s, cpu + cost.cpu_s, max(peak, cost.peak_bytes)
    return wall, cpu, peak / (1 << 20)


class Imports:
    def __init__(self, assay, meter, directory, quick):
        self.assay, self.meter, self.directory, self.quick = assay, meter, directory, quick

    def file(self, name, command, wanted):
        """Make a perf.data of @command with at least @wanted samples.

        Return its path and how many samples it has.
        """
        small, large = self.directory / f"{name}.small", self.directory / f"{name}.data"
        subprocess.run(["perf", "record", "-q", "-B", "-N", "-e", "cpu-clock", "-F", "9999", "-g",
                        "-a", "-o", small, "--", *map(str, command)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return large, repeat(small, large, wanted // 10 if self.quick else wanted)

    def measure(self, note, path, count, *ways):
        lines = [f"| {count:,} samples, {path.stat().st_size >> 20} MiB | seconds | CPU seconds "
                 "| peak memory, MiB |", "|---|---|---|---|"]
        for title, commands in ways:
            took = min(costs(self.meter, *commands) for _ in range(1 if self.quick else 3))
            note("import", case=title, seconds=took[0], cpu=took[1], mib=took[2])
            lines.append(f"| {title} | {took[0]:.2f} | {took[1]:.2f} | {took[2]:.0f} |")
        return [*lines, ""]

    def table(self, note):
        assay, recording = self.assay, self.directory / "imported.assay"
        path, count = self.file("compiling", ["sh", HERE / "demo-workload", "5"], SAMPLES)
        read = [assay, "import", "-q", "-o", recording]
        perf = ["perf", "report", "--stdio", "--no-children"]
        lines = self.measure(
            note, path, count,
            ("assay import, assay report", [[*read, path], [assay, "report", recording]]),
            ("perf report --no-inline",
             [[*perf, "-i", path, "--no-inline", "-g", "caller", "--percent-limit", "0.5"]]))
        again = f"for i in 1 2 3 4 5; do {assay} import -q -o {recording} {path}; {assay} tree {recording}; done"
        path, count = self.file("reading", ["sh", "-c", again], WITH_LINES)
        return "\n".join(lines + self.measure(
            note, path, count,
            ("assay import, assay report --by line --inline",
             [[*read, path], [assay, "report", "--by", "line", "--inline", recording]]),
            ("perf report -s sym,srcline --inline",
             [[*perf, "-i", path, "-s", "sym,srcline", "--inline", "-g", "none"]])))
