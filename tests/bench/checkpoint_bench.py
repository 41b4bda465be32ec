#!/usr/bin/env python3
"""Measures what the checkpoints of a build cost, on a project with hundreds of compilations by ninja.

The same build runs in turns with a checkpoint each few seconds, which is far more often than anybody needs, without
checkpoints, and with checkpoints when it is stopped once in the middle and continues. Two figures: the ratio of the
execution time with checkpoints to that without, and of the sum of both executions of the stopped build to that of the
uninterrupted one. The libraries of all builds must have the same bytes; nothing else is asserted.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import zipfile

from trace_bench import MATRIX, WHEEL

BUILD = 'cd "$2" && ninja -C b -j"$MAX_JOBS" >/dev/null && exec python make_wheel.py "$1"\n'


def make_project(directory: pathlib.Path, files: int) -> None:
    (directory / "b").mkdir(parents=True)
    for number in range(files):
        body = "".join(f"int f{number}_{k}(int x) {{ return x * {k} + {number}; }}\n" for k in range(200))
        (directory / f"f{number}.c").write_text(f"#include <stdio.h>\n#include <stdlib.h>\n{body}")
    rules = "rule cc\n  command = gcc -O2 -fPIC -MD -MF $out.d -c $in -o $out\n  depfile = $out.d\n  deps = gcc\n"
    rules += "rule link\n  command = gcc -shared $in -o $out\n"
    rules += "".join(f"build f{number}.o: cc ../f{number}.c\n" for number in range(files))
    objects = " ".join(f"f{number}.o" for number in range(files))
    (directory / "b" / "build.ninja").write_text(f"{rules}build m.so: link {objects}\n")
    (directory / "build.sh").write_text(BUILD)
    # The wheel has the digest of the library, so that different libraries make different wheels.
    maker = 'import pathlib\nDIGEST = __import__("hashlib").sha256(pathlib.Path("b/m.so").read_bytes()).hexdigest()\n'
    (directory / "make_wheel.py").write_text(maker + WHEEL.replace('"many.py": b""', '"many.py": DIGEST.encode()'))
    (directory / "pyproject.toml").write_text('[project]\nname = "many"\nversion = "1.0"\n')


class Builds:
    """Builds of the project, of which only environments are reused."""

    def __init__(self, pinwheel: str, project: pathlib.Path, scratch: pathlib.Path):
        self.pinwheel = pinwheel
        self.project = project
        self.state = scratch / "state"
        self.output = scratch / "dist"

    def clear(self) -> None:
        for directory in (self.state, self.output):
            shutil.rmtree(directory, ignore_errors=True)

    def run(self, every: float | None, *arguments: str, code: int = 0) -> float:
        """The execution time of the build in seconds."""
        saves = f"  checkpoint: {{every: {every:g} s, before: 1 s}}\n" if every else ""
        (self.project / "matrix.yaml").write_text(MATRIX + saves)
        places = ["--state-dir", str(self.state), "--output-dir", str(self.output)]
        command = [self.pinwheel, "build", "matrix.yaml", "--json", *places, *arguments]
        ran = subprocess.run(command, cwd=self.project, capture_output=True, text=True)
        if ran.returncode != code:
            raise SystemExit(f"bench: exit {ran.returncode} instead of {code}\n{ran.stderr}")
        outcomes = json.loads(ran.stdout)["outcomes"]
        (trace,) = next(outcome["trace"] for outcome in outcomes if outcome["id"].startswith("build:"))
        start, end = (
            datetime.datetime.fromisoformat(trace[f"execution_{name}_timestamp"]) for name in ("start", "completed")
        )
        return (end - start).total_seconds()

    def checkpoints(self) -> int:
        text = "".join(path.read_text() for path in self.state.glob("logs/*/build-*.log"))
        return len(re.findall("pinwheel: saved checkpoint", text))

    def library(self) -> str:
        """The digest of the library, which the module in the wheel has. The wheel also records the matrix, in which
        builds with and without checkpoints differ."""
        (wheel,) = self.output.glob("*.whl")
        with zipfile.ZipFile(wheel) as opened:
            return opened.read("many.py").decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pinwheel", type=pathlib.Path, required=True)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--every", type=float, default=5, help="seconds between checkpoints")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinwheel-bench-", dir="/var/tmp") as directory:
        project = pathlib.Path(directory) / "project"
        make_project(project, options.files)
        builds = Builds(str(options.pinwheel.resolve()), project, pathlib.Path(directory))
        builds.run(None)  # makes the environment
        libraries, saved, plain, stopped, count = {builds.library()}, [], [], [], 0
        for _ in range(options.runs):
            builds.clear()
            plain.append(builds.run(None))
            libraries.add(builds.library())
            builds.clear()
            saved.append(builds.run(options.every))
            count = builds.checkpoints()
            libraries.add(builds.library())
            builds.clear()
            first = builds.run(options.every, "--time-limit", f"{max(3, round(plain[-1] / 2) + 2)} s", code=8)
            stopped.append(first + builds.run(options.every))
            libraries.add(builds.library())
        if len(libraries) != 1:
            raise SystemExit("bench: the libraries differ")
        peer = statistics.median(plain)
        print(f"load {os.getloadavg()[0]:.0f}, {len(os.sched_getaffinity(0))} cores, medians of {options.runs}")
        print(f"without checkpoints {peer:.1f} s")
        print(f"{count} checkpoints {statistics.median(saved):.1f} s, ratio {statistics.median(saved) / peer:.3f}")
        print(f"stopped once {statistics.median(stopped):.1f} s, ratio {statistics.median(stopped) / peer:.3f}")


if __name__ == "__main__":
    main()
