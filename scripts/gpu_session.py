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
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from gpu_report import change_lines, slug, update_readme

ROOT = Path(__file__).resolve().parent.parent
TESTS, BENCH, WORK = ROOT / "kernels/tests", ROOT / "kernels/bench", ROOT / "build/gpu"
RESERVED_SECONDS = 20  # for what comes after the last part
LISTED = 20  # failures that are printed per part; the file has all
# Prints facts about the installed wheel as JSON. Fails if it is not for CUDA or does not run on this GPU.
LOADS = """
import json, torch, pinwheel_kernels
built = pinwheel_kernels.build_info()
assert built.compute.startswith("cuda/"), f"the wheel is for {built.compute}"
number = pinwheel_kernels.asynchronous_complete_cumsum(torch.ones(3, dtype=torch.int64, device="cuda")).sum().item()
assert number == 6, f"the GPU computes {number}"
print(json.dumps({"torch": torch.__version__, "compute": built.compute, "archs": list(built.arch_list)}))
"""


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
    state: str  # passed, failed, stopped: the time was over, interrupted: by a signal, skipped: no time was left
    seconds: float = 0
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def pytest_part(name: str, share: float, options: list[str], least_seconds: float = 20) -> Part:
    # A file that cannot be imported must not end the run.
    command = [sys.executable, "-m", "pytest", "-v", "-rE", "--continue-on-collection-errors", *options, str(TESTS)]
    return Part(name, command, share, least_seconds)


def parts_of(quick: bool, machine: Machine) -> list[Part]:
    """The most valuable first."""
    cores = os.cpu_count() or 1

    def on(workers: int) -> list[str]:
        """Even one worker helps: a test that crashes or hangs ends only its worker, and a new one runs the rest."""
        return ["-n", str(max(1, min(workers, cores - 2)))] if machine.has_module("xdist") else []

    # A test that hangs in a kernel does not return to Python: only a thread can end it.
    limit = ["--timeout", "150", "--timeout-method", "thread"] if machine.has_module("pytest_timeout") else []
    bench = [sys.executable, str(BENCH / "bench.py"), "--device", "cuda", "--json", "--repeat", "2" if quick else "5"]
    parts = [
        pytest_part("suite", 0.4, [*on(12), *limit, "-k", "cuda"]),
        pytest_part("garbage", 0.2, [*on(12), *limit, "-m", "garbage", "-k", "cuda"]),
        Part("bench", bench, 0.6),
    ]
    if quick:
        return parts
    # One large tensor at a time: it needs most of the memory. The sanitizer takes whatever time is left.
    large = pytest_part("large", 0.25, [*on(1), "-m", "large"], least_seconds=60)
    return [*parts, large, pytest_part("memcheck", 1, [*on(14), "-m", "memcheck"], least_seconds=60)]


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


def objects_in(log: str) -> Iterator[dict]:
    """The lines of a log that are JSON objects; the last line may be torn."""
    for line in log.splitlines():
        try:
            found = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(found, dict):
            yield found


def rows_in(log: str) -> list[dict]:
    """The rows of the benchmark's output."""
    return [found for found in objects_in(log) if "operator" in found]


def about_in(log: str) -> dict:
    """The facts about the benchmark's run or about the wheel in a log: its JSON objects that are not rows."""
    about: dict = {}
    for found in objects_in(log):
        if "operator" not in found:
            about |= found
    return about


def text_of(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""


def outcome_of(part: Part, state: str, seconds: float, log: str) -> Outcome:
    if part.name == "bench":
        failures = [line for line in log.splitlines() if line.startswith("bench: ")]
        return Outcome(state, seconds, {"rows": len(rows_in(log))}, failures)
    return Outcome(state, seconds, *tests_in(log))


def run_part(part: Part, machine: Machine, ends: float, total: float) -> Outcome:
    began = machine.now()
    left = ends - began
    if left < part.least_seconds:
        return Outcome("skipped")
    log = WORK / f"{part.name}.log"
    log.unlink(missing_ok=True)
    try:
        code = machine.run(part.command, log, min(left, part.share * total))
        state = "stopped" if code is None else "passed" if code == 0 else "failed"
    except KeyboardInterrupt:
        state = "interrupted"
    return outcome_of(part, state, round(machine.now() - began, 1), text_of(log))


def print_outcome(name: str, outcome: Outcome) -> None:
    found = ", ".join(f"{number} {kind}" for kind, number in outcome.counts.items())
    print(f"gpu: {name}: {outcome.state}, {outcome.seconds:.0f} s {found}".rstrip(), flush=True)
    for failure in outcome.failures[:LISTED]:
        print(f"gpu:   {failure}", flush=True)
    if len(outcome.failures) > LISTED:
        print(f"gpu:   and {len(outcome.failures) - LISTED} more", flush=True)


def write(session: dict, target: Path) -> None:
    """Replaces the file atomically, so that it is complete whenever the run ends."""
    draft = target.with_suffix(".new")
    draft.write_text(json.dumps(session, indent=1) + "\n")
    draft.replace(target)


def run_parts(parts: list[Part], machine: Machine, ends: float, session: dict, target: Path) -> bool:
    """Adds to the session what each part found and writes it at once. Returns whether nothing failed."""
    total = ends - machine.now()
    for part in parts:
        outcome = run_part(part, machine, ends, total)
        session["parts"][part.name] = asdict(outcome)
        if part.name == "bench" and outcome.state != "skipped":
            log = text_of(WORK / "bench.log")
            session |= {"rows": rows_in(log), "benchmark": about_in(log)}
        write(session, target)
        print_outcome(part.name, outcome)
        if outcome.state == "interrupted":
            raise KeyboardInterrupt
    return all(session["parts"][part.name]["state"] != "failed" for part in parts)


class CannotRun(Exception):
    """Says what is missing."""


# For machines without nvidia-smi, in its format.
GPU_OF_TORCH = """
import torch
of = torch.cuda.get_device_properties(0)
print(f"{of.name}, unknown, {of.major}.{of.minor}")
"""


def facts_of(machine: Machine, commit: str | None) -> dict:
    asked = ["nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader"]
    said = (machine.output_of(asked) or machine.output_of([sys.executable, "-c", GPU_OF_TORCH]) or "").strip()
    if said.count(",") < 2:
        raise CannotRun("no NVIDIA GPU here: neither nvidia-smi nor torch shows one")
    name, driver, capability = (each.strip() for each in said.splitlines()[0].split(","))
    # A copy of a checkout may belong to another user.
    commit = commit or machine.output_of(["git", "-c", "safe.directory=*", "-C", str(ROOT), "rev-parse", "HEAD"])
    return {
        "gpu": name,
        "driver": driver,
        "compute_capability": capability,
        "commit": (commit or "unknown").strip(),
    }


def modules_missing(machine: Machine, builds: bool) -> list[str]:
    needed = ["torch", "pytest", *(["scikit_build_core"] if builds else [])]
    return [name for name in needed if not machine.has_module(name)]


def end_of(log: Path) -> str:
    return f"see {log}, which ends:\n" + "\n".join(text_of(log).splitlines()[-40:])


def toolkit_of(machine: Machine) -> tuple[str, list[str]]:
    """The release of CUDA, and the settings with which the build finds it."""
    home = os.environ.get("CUDA_HOME")
    for nvcc in [str(Path(home) / "bin/nvcc")] if home else ["nvcc", "/usr/local/cuda/bin/nvcc"]:
        release = re.search(r"release (\d+\.\d+)", machine.output_of([nvcc, "--version"]) or "")
        if release:
            return release[1], [] if home or nvcc == "nvcc" else [f"CUDA_HOME={Path(nvcc).parent.parent}"]
    raise CannotRun("no nvcc on PATH, in CUDA_HOME or in /usr/local/cuda: give a wheel with --wheel")


def build_wheel(machine: Machine, capability: str, seconds: float) -> Path:
    release, settings = toolkit_of(machine)
    shutil.rmtree(WORK / "wheel", ignore_errors=True)
    settings += [f"PINWHEEL_COMPUTE=cuda/{release}", f"TORCH_CUDA_ARCH_LIST={capability}"]
    pip = [sys.executable, "-m", "pip", "wheel", str(ROOT / "kernels"), "--no-build-isolation", "--no-deps"]
    command = ["env", *settings, *pip, "--no-index", "--wheel-dir", str(WORK / "wheel")]
    if machine.run(command, WORK / "build.log", seconds) != 0:
        raise CannotRun(f"the wheel could not be built: {end_of(WORK / 'build.log')}")
    (wheel,) = (WORK / "wheel").glob("*.whl")
    return wheel


def install(machine: Machine, wheel: Path, site: Path) -> dict:
    """What the wheel says about itself."""
    shutil.rmtree(site, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    if machine.run(pip, WORK / "install.log", 120) != 0:
        raise CannotRun(f"`{wheel}` could not be installed: {end_of(WORK / 'install.log')}")
    if machine.run([sys.executable, "-c", LOADS], WORK / "load.log", 120) != 0:
        raise CannotRun(f"`{wheel}` does not run on this GPU: {end_of(WORK / 'load.log')}")
    return about_in(text_of(WORK / "load.log"))


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
    parser.add_argument("--commit", help="the commit of a copy without .git")
    parser.add_argument("--parts", help="only these, separated by commas: suite, garbage, bench, large, memcheck")
    return parser.parse_args(arguments)


def chosen(parts: list[Part], names: str | None) -> list[Part]:
    if names is None:
        return parts
    known = [part.name for part in parts]
    if unknown := [name for name in names.split(",") if name not in known]:
        raise CannotRun(f"`{unknown[0]}` is no part of this run; there are {', '.join(known)}")
    return [part for part in parts if part.name in names.split(",")]


def earlier(target: Path) -> dict:
    """The session that a run before this one wrote."""
    try:
        return json.loads(target.read_text())
    except (OSError, json.JSONDecodeError):
        return {}


def new_session(facts: dict, before: dict, only_parts: bool) -> dict:
    """A run of some parts adds to earlier results if commit, GPU and wheel are the same."""
    fresh = {**facts, "parts": {}, "rows": []}
    same = all(before.get(name) == facts[name] for name in ("gpu", "commit", "wheel"))
    return {**before, **facts} if only_parts and same else fresh


def session_of(options: argparse.Namespace, machine: Machine, today: str) -> int:
    ends = machine.now() + 60 * options.minutes - RESERVED_SECONDS
    parts = chosen(parts_of(options.quick, machine), options.parts)
    facts = facts_of(machine, options.commit)
    if missing := modules_missing(machine, options.wheel is None):
        raise CannotRun(f"this Python lacks {', '.join(missing)}")
    WORK.mkdir(parents=True, exist_ok=True)
    wheel = options.wheel or build_wheel(machine, facts["compute_capability"], ends - machine.now())
    facts = {"date": today, **facts, "wheel": wheel.name, **install(machine, wheel, WORK / "site")}
    name = options.name or slug(facts["gpu"])
    target = BENCH / f"gpu-{name}{'-quick' if options.quick else ''}.json"
    before = earlier(target)
    session = new_session(facts, before, options.parts is not None)
    fine = run_parts(parts, machine, ends, session, target)
    changes = change_lines(before.get("rows", []), session["rows"]) if "bench" in [part.name for part in parts] else []
    for line in [*changes, f"gpu: {target}"]:
        print(line, flush=True)
    if not options.quick:
        update_readme(ROOT / "kernels")
    return 0 if fine else 1


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def main(arguments: list[str], about: str, machine: Machine | None = None) -> int:
    options = options_of(arguments, about)
    today = datetime.date.today().isoformat()
    if machine is None:
        signal.signal(signal.SIGTERM, interrupt)
    try:
        return session_of(options, machine or Here(WORK / "site"), today)
    except CannotRun as error:
        print(f"gpu: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("gpu: interrupted", file=sys.stderr)
        return 130
