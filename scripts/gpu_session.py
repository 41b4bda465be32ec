"""What scripts/gpu runs, in which order and for how long."""

import argparse
import datetime
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from gpu_report import change_lines, slug, update_readme

ROOT = Path(__file__).resolve().parent.parent
TESTS, BENCH, WORK = ROOT / "kernels/tests", ROOT / "kernels/bench", ROOT / "build/gpu"
RESERVED_SECONDS = 10  # for what comes after the last part


class Machine(Protocol):
    """Where commands run. The tests have another one."""

    def now(self) -> float: ...
    def output_of(self, command: list[str]) -> str | None:
        """None if the program is missing or fails."""

    def has_module(self, name: str) -> bool: ...
    def run(self, command: list[str], log: Path, seconds: float) -> int | None:
        """Writes the output to `log`. None: it was stopped because the time was over."""


@dataclass
class Part:
    """A command, and how much of the whole time it may take at most."""

    name: str
    command: list[str]
    share: float
    least_seconds: float = 20  # with less, it is not started


@dataclass
class Outcome:
    state: str  # passed, failed, stopped: the time was over, skipped: there was none left
    seconds: float = 0
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def pytest_part(name: str, share: float, workers: int, *options: str, least_seconds: float = 20) -> Part:
    parallel = ["-n", str(workers)] if workers > 1 else []
    command = [sys.executable, "-m", "pytest", "-v", "-rE", *parallel, *options, str(TESTS)]
    return Part(name, command, share, least_seconds)


def parts_of(quick: bool, parallel: bool) -> list[Part]:
    """The most valuable first."""
    workers = min(12, os.cpu_count() or 1) if parallel else 1
    repeat = "2" if quick else "5"
    bench = [sys.executable, str(BENCH / "bench.py"), "--device", "cuda", "--json", "--repeat", repeat]
    parts = [
        pytest_part("suite", 0.4, workers, "-k", "cuda or fbgemm"),
        pytest_part("garbage", 0.2, workers, "-m", "garbage", "-k", "cuda"),
        Part("bench", bench, 0.6),
    ]
    if quick:
        return parts
    # Few processes: each sanitizer copies the GPU's code, and a large tensor needs most of the memory.
    memcheck = pytest_part("memcheck", 0.8, min(workers, 9), "-m", "memcheck", least_seconds=60)
    return [*parts, memcheck, pytest_part("large", 0.8, 1, "-m", "large", least_seconds=60)]


VERDICT = "PASSED|FAILED|ERROR|SKIPPED"
# pytest -v, and with pytest-xdist.
LINE = re.compile(rf"^(\S+::.*?) ({VERDICT})\b", re.MULTILINE)
LINE_OF_WORKER = re.compile(rf"^\[gw\d+\] \[ *\d+%\] ({VERDICT}) (\S.*?) *$", re.MULTILINE)
BROKEN_FILE = re.compile(r"^ERROR (\S+\.py)\b(?!::)", re.MULTILINE)


def tests_in(log: str) -> tuple[dict[str, int], list[str]]:
    """The number of tests with each verdict, and the names of what failed. A run that is stopped has no summary, but
    a line for each test."""
    verdicts = dict(LINE.findall(log)) | {name: verdict for verdict, name in LINE_OF_WORKER.findall(log)}
    counts = Counter(verdict.lower() for verdict in verdicts.values())
    failures = [name for name, verdict in verdicts.items() if verdict in ("FAILED", "ERROR")]
    return dict(counts), failures + BROKEN_FILE.findall(log)


def rows_in(log: str) -> list[dict]:
    """The rows of the benchmark's output; the last line may be torn."""
    rows = []
    for line in log.splitlines():
        try:
            found = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(found, dict) and "operator" in found:
            rows.append(found)
    return rows


def run_part(part: Part, machine: Machine, ends: float, total: float) -> Outcome:
    left = ends - machine.now()
    if left < part.least_seconds:
        return Outcome("skipped")
    began = machine.now()
    log = WORK / f"{part.name}.log"
    code = machine.run(part.command, log, min(left, part.share * total))
    counts, failures = tests_in(log.read_text(errors="replace")) if part.name != "bench" else ({}, [])
    state = "stopped" if code is None else "passed" if code == 0 else "failed"
    return Outcome(state, round(machine.now() - began, 1), counts, failures)


def run_parts(parts: list[Part], machine: Machine, ends: float, session: dict, target: Path) -> bool:
    """Adds to the session what each part found and writes it at once. Returns whether nothing failed."""
    total = ends - machine.now()
    for part in parts:
        outcome = run_part(part, machine, ends, total)
        session["parts"][part.name] = asdict(outcome)
        if part.name == "bench" and outcome.state != "skipped":
            session["rows"] = rows_in((WORK / "bench.log").read_text(errors="replace"))
        target.write_text(json.dumps(session, indent=1) + "\n")
        found = ", ".join(f"{number} {kind}" for kind, number in outcome.counts.items())
        print(f"gpu: {part.name}: {outcome.state}, {outcome.seconds:.0f} s {found}".rstrip(), flush=True)
        for name in outcome.failures:
            print(f"gpu:   {name}", flush=True)
    return all(part["state"] != "failed" for part in session["parts"].values())


class CannotRun(Exception):
    """Says what is missing."""


def facts_of(machine: Machine) -> dict:
    asked = ["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"]
    said = machine.output_of(asked)
    if not said or not said.strip():
        raise CannotRun("no NVIDIA GPU here: nvidia-smi shows none")
    name, driver, capability = (each.strip() for each in said.splitlines()[0].split(","))
    commit = machine.output_of(["git", "-C", str(ROOT), "rev-parse", "HEAD"])
    return {
        "gpu": name,
        "driver": driver,
        "compute_capability": capability,
        "commit": (commit or "unknown").strip(),
    }


def modules_missing(machine: Machine, builds: bool) -> list[str]:
    needed = ["torch", "pytest", *(["scikit_build_core"] if builds else [])]
    return [name for name in needed if not machine.has_module(name)]


def build_wheel(machine: Machine, capability: str, seconds: float) -> Path:
    home = os.environ.get("CUDA_HOME")
    said = machine.output_of([str(Path(home) / "bin/nvcc") if home else "nvcc", "--version"])
    release = re.search(r"release (\d+\.\d+)", said or "")
    if release is None:
        raise CannotRun("no nvcc on PATH or in CUDA_HOME: give a wheel with --wheel")
    shutil.rmtree(WORK / "wheel", ignore_errors=True)
    settings = [f"PINWHEEL_COMPUTE=cuda/{release[1]}", f"TORCH_CUDA_ARCH_LIST={capability}"]
    pip = [sys.executable, "-m", "pip", "wheel", str(ROOT / "kernels"), "--no-build-isolation", "--no-deps"]
    command = ["env", *settings, *pip, "--no-index", "--wheel-dir", str(WORK / "wheel")]
    if machine.run(command, WORK / "build.log", seconds) != 0:
        raise CannotRun(f"the wheel could not be built: see {WORK / 'build.log'}")
    (wheel,) = (WORK / "wheel").glob("*.whl")
    return wheel


def install(machine: Machine, wheel: Path, site: Path) -> None:
    shutil.rmtree(site, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    if machine.run(pip, WORK / "install.log", 120) != 0:
        raise CannotRun(f"`{wheel}` could not be installed: see {WORK / 'install.log'}")


class Here:
    """This machine."""

    def __init__(self, site: Path):
        path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))
        self.environment = {**os.environ, "PYTHONPATH": path, "PIP_NO_INDEX": "1", "PYTHONUNBUFFERED": "1"}

    def now(self) -> float:
        return time.monotonic()

    def output_of(self, command: list[str]) -> str | None:
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return ran.stdout if ran.returncode == 0 else None

    def has_module(self, name: str) -> bool:
        return importlib.util.find_spec(name) is not None

    def run(self, command: list[str], log: Path, seconds: float) -> int | None:
        with log.open("wb") as out:
            child = subprocess.Popen(
                command, stdout=out, stderr=subprocess.STDOUT, env=self.environment, start_new_session=True
            )
            try:
                return child.wait(max(0.0, seconds))
            except subprocess.TimeoutExpired:
                return None
            finally:
                self.stop(child)

    def stop(self, child: subprocess.Popen) -> None:
        """Its whole group: at first as Ctrl-C does, so that pytest says what it has."""
        for number in (signal.SIGINT, signal.SIGKILL):
            try:
                os.killpg(child.pid, number)
                child.wait(5)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue


def options_of(arguments: list[str], about: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="neither memcheck nor large tensors, and fewer rounds")
    parser.add_argument("--minutes", type=float, default=9, help="the time for everything, the build too; 9 by default")
    parser.add_argument("--wheel", type=Path, help="the wheel to test; by default one is built for this GPU")
    parser.add_argument("--name", help="the NAME of the file; by default that of the GPU")
    return parser.parse_args(arguments)


def session_of(options: argparse.Namespace, machine: Machine, today: str) -> int:
    ends = machine.now() + 60 * options.minutes - RESERVED_SECONDS
    facts = facts_of(machine)
    if missing := modules_missing(machine, options.wheel is None):
        raise CannotRun(f"this Python lacks {', '.join(missing)}")
    WORK.mkdir(parents=True, exist_ok=True)
    wheel = options.wheel or build_wheel(machine, facts["compute_capability"], ends - machine.now())
    install(machine, wheel, WORK / "site")
    name = options.name or slug(facts["gpu"])
    target = BENCH / f"gpu-{name}{'-quick' if options.quick else ''}.json"
    before = json.loads(target.read_text()) if target.exists() else {}
    fbgemm = machine.has_module("fbgemm_gpu")
    session = {"date": today, **facts, "wheel": wheel.name, "fbgemm": fbgemm, "parts": {}, "rows": []}
    fine = run_parts(parts_of(options.quick, machine.has_module("xdist")), machine, ends, session, target)
    for line in [*change_lines(before.get("rows", []), session["rows"]), f"gpu: {target}"]:
        print(line)
    if not options.quick:
        update_readme(ROOT / "kernels")
    return 0 if fine else 1


def main(arguments: list[str], about: str, machine: Machine | None = None) -> int:
    options = options_of(arguments, about)
    today = datetime.date.today().isoformat()
    try:
        return session_of(options, machine or Here(WORK / "site"), today)
    except CannotRun as error:
        print(f"gpu: {error}", file=sys.stderr)
        return 2
