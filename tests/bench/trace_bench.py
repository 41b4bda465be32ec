#!/usr/bin/env python3
"""Measures what the trace of a build costs, on builds of many small compilations.

The same `make` builds N and 4N files, by a step of pinwheel, which watches its processes, and alone, in turns and in new
directories. What a build costs for each further file is (cost of 4N - cost of N) / 3N, without the constant cost of
pinwheel and of its supervisor. Three figures: the ratio of these slopes in wall time and in processor time, which also
contains what is not the trace; and the processor time of pinwheel's own processes for each further file, as a share of
the build's, which the load of the machine hardly changes. Nothing is asserted.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

MATRIX = """schema: pinwheel/1
package: {name: many, source: ., version: {from: project}}
axes: {python: ["3.11"]}
abi: {python: none}
environment: {pip: []}
build:
  command: [sh, "{package}/build.sh", "{dest_dir}", "{package}"]
"""
WHEEL = """import base64, hashlib, sys, zipfile
files = {
    "many.py": b"",
    "many-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\\nName: many\\nVersion: 1.0\\n",
    "many-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
}
lines = ""
for name, content in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    lines += f"{name},sha256={digest},{len(content)}\\n"
files["many-1.0.dist-info/RECORD"] = (lines + "many-1.0.dist-info/RECORD,,\\n").encode()
with zipfile.ZipFile(sys.argv[1] + "/many-1.0-py3-none-any.whl", "w") as archive:
    for name, content in files.items():
        archive.writestr(name, content)
"""
BUILD = 'cd "$2" && make -s -j"$MAX_JOBS" && exec python make_wheel.py "$1"\n'
WATCH = "command-watch"


def make_project(directory: pathlib.Path, files: int) -> None:
    directory.mkdir()
    for number in range(files):
        body = "".join(f"int f{number}_{k}(int x) {{ return x * {k} + {number}; }}\n" for k in range(200))
        (directory / f"f{number}.c").write_text(f"#include <stdio.h>\n#include <stdlib.h>\n{body}")
    objects = " ".join(f"f{number}.o" for number in range(files))
    rules = "m.so: $(OBJECTS)\n\tgcc -shared $^ -o $@\n%.o: %.c\n\tgcc -O2 -fPIC -c $< -o $@\n"
    (directory / "Makefile").write_text(f"OBJECTS = {objects}\n{rules}")
    (directory / "build.sh").write_text(BUILD)
    (directory / "make_wheel.py").write_text(WHEEL)
    (directory / "pyproject.toml").write_text('[project]\nname = "many"\nversion = "1.0"\n')
    (directory / "matrix.yaml").write_text(MATRIX)


def watch_time(pid: int) -> float | None:
    """The processor time of the watching thread in milliseconds; None if it does not exist (any more)."""
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*"):
        try:
            if (task / "comm").read_text().strip() == WATCH:
                return int((task / "schedstat").read_text().split()[0]) / 1e6
        except (OSError, IndexError):
            continue
    return None


@dataclasses.dataclass
class Cost:
    """Of one build, in milliseconds."""

    wall: float
    cpu: float
    own: float = 0.0  # processor time of pinwheel's own processes
    watch: float = 0.0
    seen: int = 0  # commands in the trace


def finished(run: subprocess.Popen) -> float:
    """The processor time of a process and of its descendants, when it has ended."""
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode != 0:
        raise SystemExit(f"bench: the build failed with exit {run.returncode}")
    return (used.ru_utime + used.ru_stime) * 1000


def fresh(directory: pathlib.Path) -> pathlib.Path:
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()
    return directory


class WatchReader(threading.Thread):
    """Reads the watching thread's processor time now and then: more often would cost what is to be measured."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid = pid
        self.most = 0.0
        self.ended = threading.Event()

    def run(self) -> None:
        while not self.ended.wait(0.25):
            self.most = max(self.most, watch_time(self.pid) or 0.0)


def traced(pinwheel: str, project: pathlib.Path, scratch: pathlib.Path) -> Cost:
    """One build by pinwheel, of which only environments are reused."""
    places = ["--state-dir", str(fresh(scratch / "state")), "--output-dir", str(fresh(scratch / "dist"))]
    report = scratch / "report.json"
    with report.open("w") as out:
        begun = time.monotonic()
        run = subprocess.Popen(
            [pinwheel, "build", "matrix.yaml", "--json", *places], cwd=project, stdout=out, stderr=subprocess.DEVNULL
        )
        reader = WatchReader(run.pid)
        reader.start()
        cpu = finished(run)
        wall = (time.monotonic() - begun) * 1000
        reader.ended.set()
    outcomes = json.loads(report.read_text())["outcomes"]
    (trace,) = next(outcome["trace"] for outcome in outcomes if outcome["id"].startswith("build:"))
    seen = len(trace["commands"]) + sum(one["count"] for one in trace.get("unlisted_commands", []))
    return Cost(wall, cpu, cpu - trace["cpu_ms"], reader.most, seen)


def plain(project: pathlib.Path, scratch: pathlib.Path) -> Cost:
    copy = scratch / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    begun = time.monotonic()
    shutil.copytree(project, copy)
    environment = {
        "PATH": os.environ["PATH"],
        "MAX_JOBS": str(len(os.sched_getaffinity(0))),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "HOME": str(scratch),
    }
    command = ["sh", "build.sh", str(fresh(scratch / "out")), str(copy)]
    cpu = finished(subprocess.Popen(command, cwd=copy, env=environment))
    return Cost((time.monotonic() - begun) * 1000, cpu)


@dataclasses.dataclass
class Round:
    """Builds of N and of 4N files, by pinwheel and alone."""

    few: Cost
    many: Cost
    few_alone: Cost
    many_alone: Cost

    def ratio(self, kind: str) -> float:
        """The cost of a further file by pinwheel, relative to that alone."""
        return growth(self.few, self.many, kind) / growth(self.few_alone, self.many_alone, kind)

    def share(self, kind: str) -> float:
        """What a further file costs of this kind, relative to the build's own processor time."""
        own = growth(self.few, self.many, "own")
        return growth(self.few, self.many, kind) / (growth(self.few, self.many, "cpu") - own)

    def constant(self, kind: str) -> float:
        """What pinwheel costs for a build without files."""
        return (4 * getattr(self.few, kind) - getattr(self.many, kind)) / 3 - (
            4 * getattr(self.few_alone, kind) - getattr(self.many_alone, kind)
        ) / 3


def growth(few: Cost, many: Cost, kind: str) -> float:
    return getattr(many, kind) - getattr(few, kind)


def measure(pinwheel: str, few: pathlib.Path, many: pathlib.Path, scratch: pathlib.Path, swapped: bool) -> Round:
    """The load of the machine changes, so what is compared follows each other, and goes first in turns."""
    pairs = []
    for project in (few, many):
        if swapped:
            alone = plain(project, scratch)
            pairs.append((traced(pinwheel, project, scratch), alone))
        else:
            pairs.append((traced(pinwheel, project, scratch), plain(project, scratch)))
    (ours, alone), (more, more_alone) = pairs
    return Round(ours, more, alone, more_alone)


def spread(values: list[float]) -> str:
    values = sorted(values)
    return f"{statistics.median(values):.4f} (of {len(values)}: {values[0]:.4f} to {values[-1]:.4f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pinwheel", type=pathlib.Path, required=True)
    parser.add_argument("--files", type=int, default=100, help="N; the other builds have 4N")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    pinwheel = str(options.pinwheel.resolve())
    with tempfile.TemporaryDirectory(prefix="pinwheel-bench-", dir="/var/tmp") as directory:
        scratch = pathlib.Path(directory)
        few, many = scratch / "few", scratch / "many"
        make_project(few, options.files)
        make_project(many, 4 * options.files)
        traced(pinwheel, few, scratch)  # makes the environment
        loads, rounds = [], []
        for number in range(options.rounds):
            rounds.append(measure(pinwheel, few, many, scratch, swapped=number % 2 == 1))
            loads.append(os.getloadavg()[0])
            figures = [rounds[-1].ratio("wall"), rounds[-1].ratio("cpu"), rounds[-1].share("own")]
            print(f"round {number + 1}:", *(f"{figure:.4f}" for figure in figures), file=sys.stderr, flush=True)
        print(f"load {min(loads):.0f} to {max(loads):.0f}, {len(os.sched_getaffinity(0))} cores")
        print(f"builds of {options.files} and {4 * options.files} files, medians of {options.rounds} rounds")
        for kind, name in (("wall", "wall time"), ("cpu", "processor time")):
            print(f"{name} of a further file, relative to that alone: {spread([one.ratio(kind) for one in rounds])}")
            constant = statistics.median(one.constant(kind) for one in rounds)
            print(f"constant {name} of pinwheel: {constant:.0f} ms")
        print(f"pinwheel's own share of processor time: {spread([one.share('own') for one in rounds])}")
        print(f"that of the watching thread: {spread([one.share('watch') for one in rounds])}")
        pooled = sum(growth(one.few, one.many, "cpu") for one in rounds) / sum(
            growth(one.few_alone, one.many_alone, "cpu") for one in rounds
        )
        print(f"processor time of all further files, relative to that alone: {pooled:.4f}")
        seen = min(one.many.seen for one in rounds)
        print(f"{seen} commands seen of {4 * options.files + 1}")


if __name__ == "__main__":
    main()
