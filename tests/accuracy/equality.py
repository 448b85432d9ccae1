# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare each frame of thousands of stacks with the compiler's unwinder.

The programs (programs/probe.h) perform an action that is sampled each time, and take a backtrace at
the same place. Both clock readings of a probe enclose its sample, in the same thread. So the test
finds the sample of each probe, and a lost sample is not mistaken for a wrong one.
"""
import bisect
import collections
import os
import struct

from harness import Failed, Skipped
from tools import run

# Functions whose unwind rules cannot be expressed in our tables. A stack may end there if it is
# marked as broken.
GAPS = {"_dl_runtime_resolve_xsavec": "its frame is found from rbx",
        "_dl_runtime_resolve_xsave": "its frame is found from rbx",
        "_dl_runtime_resolve_fxsave": "its frame is found from rbx"}
EVENTS = {"call": "syscalls:sys_enter_getppid", "fault": "page-faults",
          "switch": "context-switches"}
# A sample in user code, in the kernel on behalf of the process, and at a tracepoint.
TRIGGERS = {"bpf": ("fault", "switch", "call"), "ring": ("call",)}
PACE_US = {"bpf": 1000, "ring": 5000}  # pauses of the program, so that the rings do not overflow
WAYS = ("plain", "bare", "small", "landing", "static", "clang")
# The loss reasons by which cut stacks are counted.
CUTS = ("stack-truncated", "stack-no-room", "stack-missing", "stack-unreadable")
SHORT_SHARE = 0.001
# Some runs have one such stack in seventeen thousand: the sampler could not read memory that it
# could read at all other times.
UNREADABLE_MAX = 2
RUNS_MAX = 3			# other load may keep the recorder from running in time
PROBES_MIN = 1000
FRAMES_MAX = 512		# the most frames of a walk
INTERRUPTED = 1 << 63
TRACEFS = "/sys/kernel/tracing"
# In a mount namespace, so that the machine's own mounts do not change.
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
    """Translates run-time addresses to (image, vaddr) with the recording's mappings."""

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
    """The frames (image, vaddr) of the recording's stacks, innermost first, and how each ends."""

    def __init__(self, recording):
        self.nodes = {row["id"]: row for row in recording.sql("SELECT * FROM stack")}
        self.locations = {row["id"]: (int(row["image"]), int(row["vaddr"]))
                          for row in recording.sql("SELECT id, image, vaddr FROM location")}
        self.kernel = {int(row["id"]) for row in recording.sql(
            "SELECT id FROM image WHERE kind IN ('kernel', 'module', 'bpf')")}

    def frames(self, stack):
        """Return (frames in the kernel, frames in user mode, root)."""
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
    """Return whether the frame is at the address.

    An interrupted frame and the innermost frame are at the address itself. A caller is at its call,
    which ends one byte before the return address.
    """
    plain, is_exact = addr & ~INTERRUPTED, innermost or addr & INTERRUPTED
    place = mappings.find(sample.process, plain if is_exact else plain - 1, sample.time_ns)
    return place is not None and found == place


def difference(probe, sample, mappings):
    """Return why the sample's stack differs from the probe's, or None if it does not.

    A stack that is shorter and does not claim to be whole is not a difference.
    """
    for depth, (found, addr) in enumerate(zip(sample.user, probe.addrs)):
        if not same_frame(found, mappings, sample, addr, depth == 0):
            return f"frame {depth} is {found[0]}:{found[1]:#x}, not {addr & ~INTERRUPTED:#x}"
    if len(sample.user) > len(probe.addrs) and not gave_up(probe):
        return f"{len(sample.user) - len(probe.addrs)} frames too many"
    if sample.root == "end" and len(sample.user) < len(probe.addrs):
        return f"marked as whole after {len(sample.user)} of {len(probe.addrs)} frames"
    return None


def gave_up(probe):
    """Return whether the compiler's unwinder gave up early.

    It ends silently where code has no frame information.
    """
    return probe.addrs[-1] & INTERRUPTED


def is_whole(probe, sample):
    if gave_up(probe):
        return len(sample.user) >= len(probe.addrs)
    return sample.root == "end" and len(sample.user) == len(probe.addrs)


def is_excused(probe, sample, collector):
    """Return whether the stack may be cut here: at the limit of frames or of copied bytes."""
    if collector == "ring" and len(sample.user) >= probe.near - 2:
        return sample.root in ("truncated", "broken")
    return sample.root == "truncated" and len(sample.user) >= FRAMES_MAX


def traced(trigger):
    """Return the words to put before a command that needs the event."""
    if ":" not in EVENTS[trigger]:
        return []
    if os.path.exists(f"{TRACEFS}/events/syscalls/sys_enter_getppid"):
        return []
    done = run([*MOUNTED, "test", "-d", f"{TRACEFS}/events/syscalls/sys_enter_getppid"])
    if done.returncode != 0:
        raise Skipped(f"{EVENTS[trigger]} does not exist: {done.stderr.strip() or 'unknown'}")
    return MOUNTED


def record(bench, way, trigger, collector, options):
    """Record one torture program. Return (probes, recording)."""
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
        self.is_deaf = losses["sideband-ring-full"] > 0  # then some mappings are unknown
        self.counted = sum(losses[reason] for reason in CUTS)
        if self.is_deaf or collector == "ring":  # stacks break where a copy ends: is_excused()
            self.counted += losses["stack-broken"]
        self.unreadable_said = sum(int(row["count"]) for row in recording.sql(
            "SELECT count FROM image_health WHERE outcome = 'stopped-unreadable-memory'"))
        self.same = self.cut = self.at_gap = self.modest = self.beside = self.frames = 0
        self.unreadable = 0
        self.wrong, self.short = [], []

    def judge(self, probe, sample):
        if sample.user and not same_frame(sample.user[0], self.mappings, sample, probe.addrs[0],
                                          True):
            self.beside += 1  # the thread was preempted between the two clock readings
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
            self.wrong.append(f"{where}marked as broken after {len(sample.user)} of "
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
        """Return whether no stack is wrong, but too many are missing or cut.

        Then the recorder probably did not run in time.
        """
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
        return (f"{self.same} stacks are equal, {self.cut} cut at a limit, {self.at_gap} broken in "
                f"known gaps, {self.unreadable} cut at unreadable memory, "
                f"{self.modest} whole but not marked as whole, "
                f"{len(self.short)} too short, {len(self.wrong)} wrong; "
                f"{self.beside} of other code; {self.frames} frames; " + "; ".join(
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
    """Check programs that were compiled in several ways.

    No frame may be wrong. Cut stacks must be marked, counted, and rare.
    """
    programs = bench.programs()
    for collector, options in bench.collectors().items():
        for trigger in TRIGGERS[collector]:
            for way in WAYS:
                if not (programs / f"torture-{way}").exists():
                    continue
                yield f"{collector}-{trigger}-{way}", problem_of(bench, way, trigger, collector,
                                                                 options)


CHECKS = [same_stacks]
