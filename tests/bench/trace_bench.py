#!/usr/bin/env python3
"""Measures what the trace of a build costs, on a project with hundreds of small compilations.

The same `make` runs in turns as the build of a step of pinwheel, which watches its processes, and alone, both with the
same variables and in new directories. Two figures: the time of the execution phase of the step against the time of the
plain command, which includes the start of the supervisor and its namespace; and the processor time of the watching
thread, exact to the microsecond, against that of the build's processes. Nothing is asserted.
"""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import tempfile
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


def traced(pinwheel: str, project: pathlib.Path, scratch: pathlib.Path) -> dict[str, float]:
    """One build by pinwheel, of which only environments are reused."""
    state, output = scratch / "state", scratch / "dist"
    for directory in (state, output):
        shutil.rmtree(directory, ignore_errors=True)
    places = ["--state-dir", str(state), "--output-dir", str(output)]
    report = scratch / "report.json"
    with report.open("w") as out:
        run = subprocess.Popen(
            [pinwheel, "build", "matrix.yaml", "--json", *places], cwd=project, stdout=out, stderr=subprocess.DEVNULL
        )
        watched = 0.0
        while run.poll() is None:
            watched = max(watched, watch_time(run.pid) or 0.0)
            time.sleep(0.02)
    if run.returncode != 0:
        raise SystemExit(f"bench: the build failed with exit {run.returncode}")
    outcomes = json.loads(report.read_text())["outcomes"]
    (trace,) = next(outcome["trace"] for outcome in outcomes if outcome["id"].startswith("build:"))
    start, end = (
        datetime.datetime.fromisoformat(trace[f"execution_{name}_timestamp"]) for name in ("start", "completed")
    )
    return {
        "wall": (end - start).total_seconds() * 1000,
        "watch": watched,
        "cpu": trace["cpu_ms"],
        "commands": len(trace["commands"]) + sum(one["count"] for one in trace.get("unlisted_commands", [])),
    }


def plain(project: pathlib.Path, scratch: pathlib.Path) -> float:
    copy = scratch / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(project, copy)
    (scratch / "out").mkdir(exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "MAX_JOBS": str(len(os.sched_getaffinity(0))),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "HOME": str(scratch),
    }
    begun = time.monotonic()
    subprocess.run(["sh", "build.sh", str(scratch / "out"), str(copy)], cwd=copy, env=environment, check=True)
    return (time.monotonic() - begun) * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pinwheel", type=pathlib.Path, required=True)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    pinwheel = str(options.pinwheel.resolve())
    with tempfile.TemporaryDirectory(prefix="pinwheel-bench-", dir="/var/tmp") as directory:
        scratch = pathlib.Path(directory)
        project = scratch / "project"
        make_project(project, options.files)
        traced(pinwheel, project, scratch)  # makes the environment
        ours, alone = [], []
        for _ in range(options.runs):
            ours.append(traced(pinwheel, project, scratch))
            alone.append(plain(project, scratch))
        wall = statistics.median(run["wall"] for run in ours)
        peer = statistics.median(alone)
        share = statistics.median(run["watch"] / run["cpu"] for run in ours)
        seen = min(run["commands"] for run in ours)
        print(f"load {os.getloadavg()[0]:.0f}, {len(os.sched_getaffinity(0))} cores, medians of {options.runs}")
        print(f"execution {wall:.0f} ms, plain command {peer:.0f} ms, ratio {wall / peer:.3f}")
        print(f"watch {share * 100:.2f}% of the build's processor time")
        print(f"{seen} commands seen of {options.files + 1}")


if __name__ == "__main__":
    main()
