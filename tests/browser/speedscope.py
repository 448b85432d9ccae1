# SPDX-License-Identifier: GPL-2.0-or-later
"""Test speedscope's page with a recording that was exported for it.

The only interface of the page for scripts is the one by which speedscope's command passes a file.
The test reads the table that the page shows, and the file that the page saves. That file has all
profiles, converted to events, as speedscope read them from our export.
"""
import base64
import json
import pathlib
import subprocess
import tarfile
import time

import npm
from harness import Failed, Skipped

VERSION = "1.25.0"
PROGRAM = """
__attribute__((noinline)) int hot(int i) { volatile int sum = i; while (i--) sum += i; return sum; }
__attribute__((noinline)) int cold(int i) { return hot(i / 4) + 1; }
int main(void)
{
	int sum = 0;

	for (int round = 0; round < 200; round++)
		sum += hot(400000) + cold(400000);
	return sum == 1;
}
"""
CATCH = """window.saved = null;
URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return '#'; };
HTMLAnchorElement.prototype.click = () => {};
"""


def want(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}: {found!r} instead of {wanted!r}")


def assay(place, *words):
    done = subprocess.run([place.assay, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"assay {words[0]}: {done.stderr.strip()}")
    return done.stdout


def page_of_speedscope(place):
    try:
        archive = npm.archive(place.npm, "speedscope", VERSION)
    except npm.Missing as problem:
        raise Skipped(str(problem)) from problem
    folder = place.directory / "speedscope"
    with tarfile.open(archive) as package:
        package.extractall(folder, [member for member in package.getmembers()
                                    if member.name.startswith("package/dist/")])
    return folder / "package/dist/release/index.html"


def record(place):
    source, program = place.directory / "hot.c", place.directory / "hot"
    source.write_text(PROGRAM)
    subprocess.run(["gcc", "-O1", "-fno-omit-frame-pointer", "-o", program, source], check=True)
    recording = place.directory / "hot.assay"
    done = subprocess.run([place.assay, "record", "-q", "-e", "cpu-clock,page-faults", "-F", "1999", "-o",
                           recording, "--", program], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Skipped(f"nothing can be recorded here: {done.stderr.strip()}")
    return recording


def wait_for(browser, what, script):
    """Wait until the script returns a true value, and return that value."""
    for _ in range(100):
        if found := browser.run(f"return {script}"):
            return found
        time.sleep(0.1)
    title = browser.run("return document.title")
    raise Failed(f"{what}: nothing after ten seconds; the title is {title!r}; {browser.complaints()}")


def load(place, page, exported, *names):
    """Load a file as speedscope's own command does: a local script passes it to the page.

    @names: with one of these the title of the page begins then.
    """
    script = place.directory / "profile.js"
    text = base64.b64encode(exported.read_bytes()).decode()
    script.write_text(f"speedscope.loadFileFromBase64({json.dumps(exported.name)}, {json.dumps(text)})")
    place.browser.complaints()
    place.browser.leave()   # another fragment alone would not load the page again
    place.browser.open(pathlib.Path(page), f"#localProfilePath={script}")
    wait_for(place.browser, "title",
             f"{json.dumps(names)}.some((name) => document.title.startsWith(name))")


def weights(place, recording):
    """Return {(event, thread, function...): weight of all samples with that stack}.

    The functions are in order from the outermost one.
    """
    found = {}
    for line in assay(place, "trace", "--json", "--fields", "event,comm,weight,stack",
                      recording).splitlines():
        sample = json.loads(line)
        key = (sample["event"], sample["comm"],
               *(frame["function"] for frame in sample["stack"]))
        found[key] = found.get(key, 0) + sample["weight"]
    return found


def save(place):
    """Return the file that the page saves."""
    place.browser.run(CATCH)
    place.browser.press("Control+s")
    saved = wait_for(place.browser, "the saved file", "window.saved")
    # Messages of the graphics driver do not matter here.
    want("console", [line for line in place.browser.complaints() if "WebGL" not in line], [])
    return saved


def speedscope_shows_ours(place):
    page, recording = page_of_speedscope(place), record(place)
    exported = place.directory / "hot.speedscope.json"
    assay(place, "export", "-f", "speedscope", "-o", exported, recording)
    load(place, page, exported, json.loads(exported.read_text())["name"])
    place.browser.press("3")
    shown = wait_for(place.browser, "the table",
                     "[...document.querySelectorAll('tr')].map((row) => row.innerText)")
    mine = weights(place, recording)
    clock = {key: weight for key, weight in mine.items() if key[0] == "cpu-clock"}
    hot = sum(weight for key, weight in clock.items() if key[-1] == "hot")
    row = next((row for row in shown if row.split()[-1] == "hot"), None)
    if row is None:
        raise Failed(f"hot is not in the table: {shown[:4]}")
    percent = f"{100 * hot / sum(clock.values()):.0f}"
    if percent not in row:
        raise Failed(f"hot has {percent} % of the time, but the table says {row!r}")
    saved = save(place)
    saved_as = place.directory / "saved.speedscope.json"
    saved_as.write_text(saved)
    want("profiles", {profile["type"] for profile in json.loads(saved)["profiles"]}, {"evented"})
    compare(place, saved_as, mine)


def compare(place, saved_as, mine):
    """Compare the weights of all stacks in the saved file with ours.

    speedscope's events are not the same intervals as our samples, but their sums are equal. In the
    saved file, each thread is the outermost frame.
    """
    again = place.directory / "again.assay"
    assay(place, "import", "-q", "-o", again, saved_as)
    names = {"time": "cpu-clock", "weight": "page-faults"}
    theirs = {(names[event], *stack): weight
              for (event, _, *stack), weight in weights(place, again).items()}
    want("weights", theirs, mine)


def without_repeats(stacks):
    return [stack for stack, before in zip(stacks, [None, *stacks]) if stack != before]


def recorded_stacks(place, recording):
    """Return {comm: its stacks in the order of time}, with functions from the outermost on."""
    found = {}
    for line in assay(place, "trace", "--json", "--event", "cpu-clock", "--fields", "comm,stack",
                      recording).splitlines():
        sample = json.loads(line)
        found.setdefault(sample["comm"], []).append(
            [frame["function"] for frame in sample["stack"]])
    return {comm: without_repeats(stacks) for comm, stacks in found.items()}


def saved_stacks(saved):
    """Return the same from the file that the page saved."""
    frames = [frame["name"] for frame in saved["shared"]["frames"]]
    found = {}
    for profile in saved["profiles"]:
        stack, stacks, at = [], [], 0
        for event in profile["events"]:
            if event["at"] > at:
                stacks.append([frames[frame] for frame in stack])
            at = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                stack.pop()
        found[profile["name"].split(" pid:")[0]] = without_repeats(stacks)
    return found


def speedscope_reads_perf_script(place):
    """speedscope takes the text of perf script apart: comm, time and stack of each sample.

    It reads the samples of one event only, and shows a sample from halfway to the one before until
    halfway to the next.
    """
    page, recording = page_of_speedscope(place), record(place)
    exported = place.directory / "hot.perf.txt"
    assay(place, "export", "-f", "perf-script", "--event", "cpu-clock", "-o", exported, recording)
    # If there is no sample before the exec, the only thread names the page, not the file.
    load(place, page, exported, exported.name, "hot pid")
    found, mine = saved_stacks(json.loads(save(place))), recorded_stacks(place, recording)
    want("threads", found.keys(), mine.keys())
    for comm, stacks in mine.items():
        want(f"stacks of {comm}", found[comm], stacks)
    if not any(stack[-2:] == ["cold", "hot"] for stack in mine["hot"]):
        raise Failed("no sample is in a function that cold() has called")


CHECKS = [speedscope_shows_ours, speedscope_reads_perf_script]
