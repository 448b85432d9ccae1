# SPDX-License-Identifier: GPL-2.0-or-later
"""Every frame of thousands of stacks against the compiler's unwinder, in the same call.

The programs (programs/probe.h) do something that is recorded each time and take a backtrace
beside it. A sample belongs to the probe of its thread whose two clock readings enclose it, so
a lost sample is no wrong one.
"""
import bisect
import collections
import os
import struct

from harness import Failed, Skipped
from tools import run

# Code whose rules say more than the tables hold: a stack may break off there, with its mark.
GAPS = {"_dl_runtime_resolve_xsavec": "its frame is found from rbx",
        "_dl_runtime_resolve_xsave": "its frame is found from rbx",
        "_dl_runtime_resolve_fxsave": "its frame is found from rbx"}
EVENTS = {"call": "syscalls:sys_enter_getppid", "fault": "page-faults",
          "switch": "context-switches"}
# User code, the kernel on its behalf, and a tracepoint.
TRIGGERS = {"bpf": ("fault", "switch", "call"), "ring": ("call",)}
PACE_US = {"bpf": 1000, "ring": 5000}  # now and then, so that the rings hold what comes
WAYS = ("plain", "bare", "small", "landing", "static", "clang")
# The losses under which a stack that is cut is counted.
CUTS = ("stack-truncated", "stack-no-room", "stack-missing", "stack-unreadable")
SHORT_SHARE = 0.001
# Of seventeen thousand: one in some runs, where memory that is there at all other times was not.
UNREADABLE_MAX = 2
RUNS_MAX = 3			# neighbours may have the CPU while the recorder is waited for
PROBES_MIN = 1000
FRAMES_MAX = 512		# of a walk
INTERRUPTED = 1 << 63
TRACEFS = "/sys/kernel/tracing"
# The machine's own mounts stay as they are.
MOUNTED = ["unshare", "-m", "sh", "-c", f'mount -t tracefs tracefs {TRACEFS} && exec "$@"', "sh"]

Probe = collections.namedtuple("Probe", "tid before_ns after_ns site near addrs")
Sample = collections.namedtuple("Sample", "tid time_ns process kernel user root")


def read_probes(path):
    data, at, probes = path.read_bytes(), 0, []
    while at < len(data):
        tid, before_ns, after_ns, site, count, near = struct.unpack_from("<6Q", data, at)
        addrs = struct.unpack_from(f"<{count}Q", data, at + 48)
        probes.append(Probe(tid, before_ns, after_ns, site, near, addrs))
        at += 48 + 8 * count
    return probes


class Mappings:
    """Run-time addresses to (image, vaddr), as the recording has it."""

    def __init__(self, recording):
        self.rows = collections.defaultdict(list)
        for row in recording.sql("SELECT * FROM mapping ORDER BY time_ns DESC"):
            self.rows[row["process"]].append([int(row[name]) for name in (
                "time_ns", "start_addr", "end_addr", "bias", "image")])

    def find(self, process, addr, time_ns):
        for valid_ns, start, end, bias, image in self.rows[process]:
            if valid_ns <= time_ns and start <= addr < end:
                return image, addr - bias
        return None


class Stacks:
    """Frames of the recording's stacks, innermost first: ((image, vaddr)...), and their root."""

    def __init__(self, recording):
        self.nodes = {row["id"]: row for row in recording.sql("SELECT * FROM stack")}
        self.locations = {row["id"]: (int(row["image"]), int(row["vaddr"]))
                          for row in recording.sql("SELECT id, image, vaddr FROM location")}
        self.kernel = {int(row["id"]) for row in recording.sql(
            "SELECT id FROM image WHERE kind IN ('kernel', 'module', 'bpf')")}

    def frames(self, stack):
        """(kernel part, user part, root)"""
        parts, root = ([], []), "none"
        while stack and (node := self.nodes.get(stack)):
            root = node["root"]
            if node["location"] in self.locations:
                location = self.locations[node["location"]]
                parts[location[0] not in self.kernel].append(location)
            stack = node["parent"]
        return (*parts, root)


def read_samples(recording, comm):
    stacks = Stacks(recording)
    for row in recording.sql("SELECT tid, time_ns, process, stack FROM sample "
                             "JOIN thread ON thread.id = sample.thread "
                             f"WHERE comm = '{comm}' ORDER BY time_ns"):
        yield Sample(int(row["tid"]), int(row["time_ns"]), row["process"],
                     *stacks.frames(row["stack"]))


def same_frame(found, mappings, sample, addr, innermost):
    """A caller is where it called; what was interrupted, like the innermost, where it was."""
    plain, is_exact = addr & ~INTERRUPTED, innermost or addr & INTERRUPTED
    place = mappings.find(sample.process, plain if is_exact else plain - 1, sample.time_ns)
    return place is not None and found == place


def difference(probe, sample, mappings):
    """Why the sample's stack is not the probe's; None if it is, up to an honest mark."""
    for depth, (found, addr) in enumerate(zip(sample.user, probe.addrs)):
        if not same_frame(found, mappings, sample, addr, depth == 0):
            return f"frame {depth} is {found[0]}:{found[1]:#x}, not {addr & ~INTERRUPTED:#x}"
    if len(sample.user) > len(probe.addrs) and not gave_up(probe):
        return f"{len(sample.user) - len(probe.addrs)} frames too many"
    if sample.root == "end" and len(sample.user) < len(probe.addrs):
        return f"said to end after {len(sample.user)} of {len(probe.addrs)} frames"
    return None


def gave_up(probe):
    """The compiler's unwinder ends without a word where code has no frame information."""
    return probe.addrs[-1] & INTERRUPTED


def is_whole(probe, sample):
    if gave_up(probe):
        return len(sample.user) >= len(probe.addrs)
    return sample.root == "end" and len(sample.user) == len(probe.addrs)


def is_excused(probe, sample, collector):
    """May the stack be cut where it is? Beyond the limit of frames, or of what is copied."""
    if collector == "ring" and len(sample.user) >= probe.near - 2:
        return sample.root in ("truncated", "broken")
    return sample.root == "truncated" and len(sample.user) >= FRAMES_MAX


def traced(trigger):
    """What to put before a command that needs the event."""
    if ":" not in EVENTS[trigger]:
        return []
    if os.path.exists(f"{TRACEFS}/events/syscalls/sys_enter_getppid"):
        return []
    done = run([*MOUNTED, "test", "-d", f"{TRACEFS}/events/syscalls/sys_enter_getppid"])
    if done.returncode != 0:
        raise Skipped(f"{EVENTS[trigger]} is not there: {done.stderr.strip() or 'unknown'}")
    return MOUNTED


def record(bench, way, trigger, collector, options):
    """(probes, recording) of one torture program."""
    programs, name = bench.programs(), f"torture-{way}-{trigger}-{collector}"
    truth = bench.directory / f"{name}.truth"
    path, words = bench.record_command(name, ["-e", EVENTS[trigger], "-c", "1", *options],
                                       [programs / f"torture-{way}", truth])
    done = run([*traced(trigger), "env", f"PLUGIN={programs / 'plugin.so'}", f"TRIGGER={trigger}",
                f"PACE_US={PACE_US[collector]}", *words])
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {done.stderr[-300:].strip()}")
    return read_probes(truth), bench.open(path)


class Verdict:
    def __init__(self, recording, collector):
        self.collector, self.mappings = collector, Mappings(recording)
        self.gaps = {(int(row["image"]), int(row["vaddr"])) for row in recording.sql(
            "SELECT location.image, location.vaddr FROM location "
            "JOIN function ON function.id = location.function "
            f"WHERE name IN ({', '.join(map(repr, GAPS))})")}
        losses = collections.Counter({row["reason"]: int(row["count"])
                                      for row in recording.sql("SELECT reason, count FROM loss")})
        self.is_deaf = losses["sideband-ring-full"] > 0  # then mappings are not known
        self.counted = sum(losses[reason] for reason in CUTS)
        if self.is_deaf or collector == "ring":  # where a copy ends, see is_excused()
            self.counted += losses["stack-broken"]
        self.unreadable_said = sum(int(row["count"]) for row in recording.sql(
            "SELECT count FROM image_health WHERE outcome = 'stopped-unreadable-memory'"))
        self.same = self.cut = self.at_gap = self.modest = self.beside = self.frames = 0
        self.unreadable = 0
        self.wrong, self.short = [], []

    def judge(self, probe, sample):
        if sample.user and not same_frame(sample.user[0], self.mappings, sample, probe.addrs[0],
                                          True):
            self.beside += 1  # preempted between the two readings of the clock
            return
        where = f"case {probe.site}: "
        if problem := difference(probe, sample, self.mappings):
            self.wrong.append(where + problem)
        elif is_whole(probe, sample):
            self.same += 1
        elif is_excused(probe, sample, self.collector):
            self.cut += 1
        elif sample.root == "broken" and sample.user[-1:] and sample.user[-1] in self.gaps:
            self.at_gap += 1
        elif sample.root != "end" and len(sample.user) == len(probe.addrs):
            self.modest += 1
        elif sample.root == "broken" and self.unreadable < min(self.unreadable_said, UNREADABLE_MAX):
            self.unreadable += 1
        elif sample.root == "broken" and not self.is_deaf:
            self.wrong.append(f"{where}said to be broken after {len(sample.user)} of "
                              f"{len(probe.addrs)} frames")
        else:
            self.short.append(f"{where}{len(sample.user)} of {len(probe.addrs)} frames, "
                              f"{sample.root}")
        self.frames += len(sample.user)

    def seen(self):
        return (self.same + self.cut + self.at_gap + self.modest + self.unreadable
                + len(self.short) + len(self.wrong))

    def is_few(self, probes):
        return self.seen() < max(PROBES_MIN, 0.9 * len(probes))

    def is_cut_often(self):
        return len(self.short) > SHORT_SHARE * self.seen()

    def is_starved(self, probes):
        """Nothing is wrong, but more is missing than a recorder in time leaves."""
        return not self.wrong and (self.is_few(probes) or self.is_cut_often())

    def problem(self, probes):
        if self.wrong or self.is_cut_often() or self.modest > self.seen() / 100:
            return self.text()
        if self.cut + len(self.short) > self.counted:
            return f"{self.counted} stacks are counted as cut; {self.text()}"
        if self.is_few(probes):
            return f"only {self.seen()} of {len(probes)} probes were sampled"
        return None

    def text(self):
        return (f"{self.same} stacks the same, {self.cut} cut at a limit, {self.at_gap} broken in "
                f"known gaps, {self.unreadable} at memory said to be unreadable, "
                f"{self.modest} whole but not sure of it, "
                f"{len(self.short)} too short, {len(self.wrong)} wrong; "
                f"{self.beside} beside; {self.frames} frames; " + "; ".join(
                    f"{count} x {what}" for what, count in collections.Counter(
                        self.wrong + self.short).most_common(4)))


def compare(probes, recording, comm, collector):
    by_thread = collections.defaultdict(list)
    for probe in sorted(probes, key=lambda probe: probe.before_ns):
        by_thread[probe.tid].append(probe)
    starts = {tid: [probe.before_ns for probe in own] for tid, own in by_thread.items()}
    verdict = Verdict(recording, collector)
    for sample in read_samples(recording, comm):
        at = bisect.bisect_right(starts.get(sample.tid, []), sample.time_ns) - 1
        probe = by_thread[sample.tid][at] if at >= 0 else None
        if probe and sample.time_ns <= probe.after_ns:
            verdict.judge(probe, sample)
    return verdict


def problem_of(bench, way, trigger, collector, options):
    for _ in range(RUNS_MAX):
        probes, recording = record(bench, way, trigger, collector, options)
        verdict = compare(probes, recording, f"torture-{way}", collector)
        print(f"# {collector} {trigger} {way}: of {len(probes)} {verdict.text()}", flush=True)
        if not verdict.is_starved(probes) or verdict.cut + len(verdict.short) > verdict.counted:
            break
    return verdict.problem(probes)


def same_stacks(bench):
    """Of each way to compile: no frame is wrong; what is cut says so, is counted, and is rare."""
    programs = bench.programs()
    for collector, options in bench.collectors().items():
        for trigger in TRIGGERS[collector]:
            for way in WAYS:
                if not (programs / f"torture-{way}").exists():
                    continue
                yield f"{collector}-{trigger}-{way}", problem_of(bench, way, trigger, collector,
                                                                 options)


CHECKS = [same_stacks]
