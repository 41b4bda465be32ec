#!/usr/bin/env python3
"""Measures how long pinwheel takes to start, to expand a large matrix, to find that there is nothing to do, and to
reuse an environment or enter a container.

Every figure is a median of several runs. The program and its peer alternate, so a busy machine slows both.
Measured are the wall time, and the CPU time of the process and its children, which load affects least. Compare
the ratio of the CPU times between machines. Nothing is asserted: `cmake --build build --target bench` prints the
table.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# A peer that takes longer than this, in seconds, runs only once.
PATIENCE = 30
SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROJECT = SOURCE / "tests" / "system" / "projects" / "script"
AXES = {
    "python": [f"3.{minor}" for minor in range(5, 15)],
    "compute": [f"cuda/{major}.{minor}" for major in (11, 12, 13, 14, 15) for minor in (0, 2)],
    "torch": [f"2.{minor}" for minor in range(10)],
    "flavor": [f"flavor{n}" for n in range(10)],
}
# The work of a CI job without pinwheel: read the same file, compute the product, print the ids.
PRODUCT = """
import itertools, sys, yaml
axes = yaml.load(open(sys.argv[1]), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["axes"]
for row in itertools.product(*axes.values()):
    print("-".join(value.replace("/", "") for value in row))
"""


def arguments(description, runs):
    """A parser with the options that every measurement has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pinwheel", required=True, type=pathlib.Path, help="the binary to measure")
    parser.add_argument("--runs", type=int, default=runs, help="measured runs of each command")
    return parser


def own_environment(scratch):
    """Its own cache, no settings of the user's git, and this Python first in PATH, the interpreter itself rather
    than a wrapper script."""
    environment = {**os.environ, "PINWHEEL_CACHE_DIR": str(scratch / "cache"), "GIT_CONFIG_GLOBAL": "/dev/null"}
    environment["PATH"] = f"{pathlib.Path(sys.executable).parent}:{environment.get('PATH', '/usr/bin:/bin')}"
    return environment


def run(command, directory, environment):
    subprocess.run(command, cwd=directory, env=environment, check=True, capture_output=True)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def milliseconds(command, directory, environment):
    """Wall and CPU time."""
    wall, cpu = time.perf_counter(), processor_seconds()
    run(command, directory, environment)
    return (time.perf_counter() - wall) * 1000, (processor_seconds() - cpu) * 1000


def compare(name, aim, ours, peer_name, peer, runs):
    """One row: `ours` and `peer` are (command, directory, environment). A peer that takes longer than PATIENCE runs
    once."""
    # The first run of each warms the page cache, which hardly affects so long a run.
    first = milliseconds(*ours), milliseconds(*peer)
    patient = first[1][0] < PATIENCE * 1000
    times = {"ours": [], "peer": [] if patient else [first[1]]}
    for _ in range(runs):
        times["ours"].append(milliseconds(*ours))
        if patient:
            times["peer"].append(milliseconds(*peer))
    wall, cpu = (statistics.median(kind) for kind in zip(*times["ours"]))
    peer_wall, peer_cpu = (statistics.median(kind) for kind in zip(*times["peer"]))
    return {
        "name": name,
        "aim_ms": aim,
        "wall_ms": round(wall, 1),
        "cpu_ms": round(cpu, 1),
        "peer": peer_name,
        "peer_wall_ms": round(peer_wall, 1),
        "peer_cpu_ms": round(peer_cpu, 1),
        "cpu_ratio": round(cpu / peer_cpu, 3),
        "wall_ratio": round(wall / peer_wall, 3),
    }


def start_up(pinwheel, scratch, environment, runs):
    ours = ([pinwheel, "plan", "matrix/quickstart.yaml", "--format", "ids"], SOURCE, environment)
    yield compare("start-up", 10, ours, "python3 -c pass", ([sys.executable, "-c", "pass"], scratch, environment), runs)
    if importlib.util.find_spec("cibuildwheel"):
        (scratch / "package").mkdir()
        (scratch / "package" / "pyproject.toml").write_text("[project]\nname = 'p'\nversion = '1'\n")
        command = [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers", "--platform", "linux", "package"]
        peer = (command, scratch, environment)
        yield compare("start-up", 10, ours, "cibuildwheel --print-build-identifiers", peer, runs)


def expansion_of(axes, count, name, aim, pinwheel, scratch, environment, runs):
    if not importlib.util.find_spec("yaml"):
        sys.exit("bench: the peer of the expansion needs PyYAML: pip install PyYAML")
    import yaml

    package = {"name": "p", "source": ".", "version": {"from": "git-tag"}}
    matrix = scratch / f"{count}.yaml"
    # Sections beyond these do not take part in `plan --format ids`. A list between brackets may not be as long.
    document = {"schema": "pinwheel/1", "package": package, "axes": axes, "build": {"command": ["true"]}}
    matrix.write_text(yaml.safe_dump(document, default_flow_style=False))
    ours = ([pinwheel, "plan", str(matrix), "--format", "ids"], scratch, environment)
    ids = subprocess.run(ours[0], cwd=scratch, env=environment, check=True, capture_output=True, text=True).stdout
    if len(ids.split()) != count:
        sys.exit(f"bench: the matrix expands to {len(ids.split())} variants instead of {count}")
    peer = ([sys.executable, "-c", PRODUCT, str(matrix)], scratch, environment)
    return compare(name, aim, ours, "PyYAML + itertools.product", peer, runs)


def expansion(pinwheel, scratch, environment, runs):
    where = (pinwheel, scratch, environment)
    yield expansion_of(AXES, 10_000, "expand 10,000", 100, *where, runs)
    flavors = [f"v{i}" for i in range(100_000)]
    one_axis = {"python": ["3.11"], "flavor": flavors}
    yield expansion_of(one_axis, 100_000, "plan of 100,000 values", 2000, *where, min(runs, 3))


def whole_plan(pinwheel, scratch, environment, runs):
    """The table of 50,000 builds and their tests, with the steps of a run and their keys."""
    project = scratch / "whole-plan"
    axes = {"size": 10, "mode": 10, "level": 10, "flavor": 50}
    lines = [f"{name}: [{', '.join(f'{name}{n}' for n in range(count))}]" for name, count in axes.items()]
    make_project(project, environment, own_python(), ("flavor: [plain, loud]", "\n  ".join(lines)))
    matrix = project / "matrix.yaml"
    ours = ([pinwheel, "plan", "matrix.yaml", "--state-dir", str(scratch / "no-state")], project, environment)
    peer = ([sys.executable, "-c", PRODUCT, str(matrix)], project, environment)
    yield compare("plan of 100,000 steps", 1000, ours, "PyYAML + itertools.product", peer, min(runs, 3))


def make_project(project, environment, python, *changes):
    """Creates a package without dependencies, in its own repository."""
    shutil.copytree(PROJECT, project)
    matrix = project / "matrix.yaml"
    text = matrix.read_text()
    for old, new in (('["3.11"]', f'["{python}"]'), *changes):
        text = text.replace(old, new)
    matrix.write_text(text)
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "first"], ["tag", "v1.0.0"]):
        run(["git", *arguments], project, environment)


def own_python():
    return ".".join(platform.python_version_tuple()[:2])


def repeated_release(pinwheel, project, environment):
    """A release that has been made; returns the command that finds nothing to do."""
    places = ["--state-dir", f"{project}-state", "--output-dir", f"{project}-dist"]
    command = [pinwheel, "release", "matrix.yaml", *places]
    run(command, project, environment)
    report = subprocess.run([*command, "--json"], cwd=project, env=environment, check=True, capture_output=True)
    states = {outcome["state"] for outcome in json.loads(report.stdout)["outcomes"]}
    if states != {"reused"}:
        sys.exit(f"bench: the second release did not reuse everything: {states}")
    return command, project, environment


def nothing_to_do(pinwheel, scratch, environment, runs):
    """A release of a package without dependencies, then the same release again."""
    project = scratch / "project"
    make_project(project, environment, own_python())
    ours = repeated_release(pinwheel, project, environment)
    peer = ([sys.executable, "-c", "pass"], scratch, environment)
    yield compare("nothing to do", 100, ours, "python3 -c pass", peer, runs)


def pyenv_pythons(root):
    """The newest four minor versions of CPython that pyenv has: "3.12"."""
    found = {re.fullmatch(r"3\.(\d+)\.\d+", path.name) for path in root.glob("versions/*") if path.is_dir()}
    minors = sorted({int(match[1]) for match in found if match and int(match[1]) >= 8})
    return [f"3.{minor}" for minor in minors[-4:]]


def nothing_to_do_with_shims(pinwheel, scratch, environment, runs):
    """The same with four Pythons, where PATH starts with pyenv's shims; nothing where there is no such pyenv."""
    root = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv")
    pythons = pyenv_pythons(root)
    if len(pythons) < 4 or not (root / "shims").is_dir():
        return
    # It publishes into `../index`, where another project of the same name and version is a conflict.
    project = scratch / "shims" / "project"
    make_project(project, environment, '", "'.join(pythons))
    environment = {**environment, "PATH": f"{root / 'shims'}:{os.environ['PATH']}"}
    ours = repeated_release(pinwheel, project, environment)
    peer = ([sys.executable, "-c", "pass"], scratch, environment)
    yield compare("nothing to do, 4 Pythons, shims", 50, ours, "python3 -c pass", peer, runs)


def step_milliseconds(command, project, environment, state, step):
    """How long a step took in a build without a journal, but with its environments and resolutions cached."""
    (state / "journal.jsonl").unlink(missing_ok=True)
    report = subprocess.run([*command, "--json"], cwd=project, env=environment, check=True, capture_output=True)
    outcomes = json.loads(report.stdout)["outcomes"]
    return max(one["elapsed_ms"] for one in outcomes if one["id"].startswith(step))


def overhead(name, aim, ours, peer_name, peer):
    """A row of wall times measured inside pinwheel, where CPU time is not known."""
    return {
        "name": name,
        "aim_ms": aim,
        "wall_ms": round(statistics.median(ours), 1),
        "peer": peer_name,
        "peer_wall_ms": round(statistics.median(peer), 1),
    }


def environments(pinwheel, scratch, environment, runs):
    """The environment step when the environment exists, compared with creating a virtual environment."""
    project, state = scratch / "environment", scratch / "environment-state"
    make_project(project, environment, own_python())
    command = [pinwheel, "build", "matrix.yaml", "--state-dir", str(state), "--output-dir", str(scratch / "dist")]
    run(command, project, environment)
    ours = [step_milliseconds(command, project, environment, state, "env:") for _ in range(runs)]
    venv = [sys.executable, "-m", "venv", "--clear", str(scratch / "venv")]
    peer = [milliseconds(venv, scratch, environment)[0] for _ in range(3)]
    yield overhead("reuse an environment", 50, ours, "python3 -m venv", peer)


def containers(pinwheel, scratch, environment, runs, image):
    """A build that does nothing, in a container and on the host."""
    change = ("environment:\n", f"environment:\n  container: {{base: '{image}'}}\n")
    plain = ["docker", "run", "--rm", "--pull", "never", image]
    ask = [*plain, "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    python = subprocess.run(ask, env=environment, check=True, capture_output=True, text=True).stdout.strip()
    times = {}
    for engine, version in (("host", own_python()), ("docker", python)):
        project, state = scratch / engine, scratch / f"{engine}-state"
        make_project(project, environment, version, change)
        places = ["--state-dir", str(state), "--output-dir", str(scratch / "dist")]
        command = [pinwheel, "build", "matrix.yaml", "--engine", engine, "--python", "venv", *places]
        run(command, project, environment)
        times[engine] = [step_milliseconds(command, project, environment, state, "build:") for _ in range(runs)]
    peer = [milliseconds([*plain, "true"], scratch, environment)[0] for _ in range(runs)]
    # The overhead of the container for the same build.
    host = statistics.median(times["host"])
    yield overhead("enter a container", 1000, [one - host for one in times["docker"]], "docker run", peer)


def peak_memory(command, directory, environment):
    """The peak memory of the command, in MB."""
    with subprocess.Popen(command, cwd=directory, env=environment, stdout=subprocess.DEVNULL) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"bench: {command[0]} exited with {child.returncode}")
    return used.ru_maxrss / 1024


def inspection(pinwheel, scratch, environment, runs, wheel, peers):
    """Reading a wheel and verifying every hash of RECORD, compared with auditwheel, which verifies none, and with
    the least that any reader must do: all of it on all processors, or the largest member on one. `peers` is the
    directory of inflate_hash and inflate_largest, if they are built."""
    ours = ([pinwheel, "inspect", str(wheel), "--json"], scratch, environment)
    name = f"inspect {wheel.name.split('-')[0]}, {wheel.stat().st_size // 1_000_000} MB"
    print(f"{name}: peak memory {peak_memory(*ours):.0f} MB", file=sys.stderr)
    if peers:
        peer = ([str(peers / "inflate_hash"), str(wheel)], scratch, environment)
        yield compare(name, "-", ours, "inflate and SHA-256", peer, runs)
        for library in ("isal", "libdeflate"):
            peer = ([str(peers / "inflate_largest"), library, str(wheel)], scratch, environment)
            yield compare(name, "-", ours, f"inflate the largest, {library}", peer, runs)
    if importlib.util.find_spec("auditwheel"):
        peer = ([sys.executable, "-m", "auditwheel", "show", str(wheel)], scratch, environment)
        yield compare(name, "-", ours, "auditwheel show", peer, runs)


MEASURES = (start_up, expansion, whole_plan, nothing_to_do, nothing_to_do_with_shims, environments)


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def circumstances(runs):
    """The environment that figures depend on, for the line above or below them."""
    return f"{processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, medians of {runs} runs"


def figure(row, key, digits):
    return f"{row[key]:.{digits}f}" if key in row else "-"


def table(rows):
    lines = [("measurement", "target", "wall", "CPU", "peer", "wall", "CPU", "CPU ratio", "wall ratio")]
    for row in rows:
        ours = (figure(row, key, 1) for key in ("wall_ms", "cpu_ms"))
        peer = (figure(row, key, 1) for key in ("peer_wall_ms", "peer_cpu_ms"))
        ratios = (figure(row, key, 3) for key in ("cpu_ratio", "wall_ratio"))
        lines.append((row["name"], str(row["aim_ms"]), *ours, row["peer"], *peer, *ratios))
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)


def schedules(program):
    """How close simulated runs come to the bound that no schedule can beat: one row for each kind of prediction."""
    result = json.loads(subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout)
    names = {
        "true": ("true durations", 1.02),
        "error": ("25% log-normal error", 1.06),
        "fifo": ("peer: in the order of the plan", "-"),
    }
    result["rows"] = [{"name": name, "aim": aim, **result.pop(key)} for key, (name, aim) in names.items()]
    return result


def schedule_table(result):
    lines = [("makespan / max(critical path, work / slots)", "target", "mean", "p95", "max")]
    for row in result["rows"]:
        lines.append((row["name"], str(row["aim"]), *(f"{row[key]:.4f}" for key in ("mean", "p95", "max"))))
    widths = [max(map(len, column)) for column in zip(*lines)]
    rows = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)
    head = f"{result['plans']} random plans of {result['jobs']} jobs on {result['slots']} slots"
    return f"{head}; a plan of 10,000 jobs is simulated in {result['large_ms']} ms\n{rows}"


def execution_line(program):
    """The time of the loop of runs for a large plan whose steps do nothing."""
    result = json.loads(subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout)
    return result, (
        f"{result['steps']} steps, CPU: scheduled in {result['simulated_ms']} ms (target 1000 ms), executed by the "
        f"loop in {result['loop_ms']} ms, as jobs of a cluster in {result['cluster_ms']} ms"
    )


def main():
    parser = arguments(__doc__, runs=21)
    parser.add_argument("--image", help="a Docker image with a python3 that has venv: measure containers too")
    parser.add_argument("--wheel", action="append", default=[], type=pathlib.Path, help="also measure `inspect` of this wheel")
    parser.add_argument("--peers", type=pathlib.Path, help="where inflate_hash and inflate_largest are, peers of `inspect`")
    parser.add_argument("--simulate", type=pathlib.Path, help="the program simulate_runs: also show its figures")
    parser.add_argument("--execute", type=pathlib.Path, help="the program execute_steps: also show its figures")
    parser.add_argument("--only-wheels", action="store_true", help="measure only the wheels")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    pinwheel = str(options.pinwheel.resolve())
    rows = []
    with tempfile.TemporaryDirectory(prefix="pinwheel-bench-") as directory:
        scratch = pathlib.Path(directory)
        environment = own_environment(scratch)
        for measure in () if options.only_wheels else MEASURES:
            rows += measure(pinwheel, scratch, environment, options.runs)
        if options.image:
            rows += containers(pinwheel, scratch, environment, options.runs, options.image)
        for wheel in options.wheel:
            peers = options.peers.resolve() if options.peers else None
            rows += inspection(pinwheel, scratch, environment, options.runs, wheel.resolve(), peers)
    simulated = schedules(options.simulate.resolve()) if options.simulate else None
    executed, execution = execution_line(options.execute.resolve()) if options.execute else (None, "")
    if options.json:
        figures = {"processor": processor(), "cores": os.cpu_count(), "runs": options.runs, "rows": rows}
        more = {"schedules": simulated, "execution": executed}
        print(json.dumps({**figures, **{name: part for name, part in more.items() if part}}))
    else:
        print(f"{circumstances(options.runs)} in ms")
        print(table(rows))
        if simulated:
            print(f"\n{schedule_table(simulated)}")
        if execution:
            print(f"\n{execution}")


if __name__ == "__main__":
    main()
