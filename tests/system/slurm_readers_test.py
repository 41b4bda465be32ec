"""What pinwheel submits, as programs see it that have followed jobs of clusters for years: submitit and ReFrame ask sacct
and squeue, and agree with what pinwheel records of each job; sbatch reads the scripts of a dry run."""

import collections
import dataclasses
import json
import pathlib
import re
import signal
import time

import pytest
from conftest import PYTHON
from slurm_runs import SlurmRuns

TAG = "cp" + PYTHON.replace(".", "")
PATIENCE = 600
SCRIPT = re.compile(r"<<'PINWHEEL'\n(.*?)\nPINWHEEL\n", re.DOTALL)
ELEMENT = re.compile(r"^ +(\d+)\) token=(\S+) step=(\S+) ;;$", re.MULTILINE)


@dataclasses.dataclass
class Element:
    """The job of a step, as pinwheel records it: an element of an array, and its token."""

    array: int
    index: int
    token: str

    def __str__(self) -> str:
        return f"{self.array}_{self.index}"


@pytest.fixture
def runs(script, slurm, tmp_path, monkeypatch):
    """A cluster with accounting, which the programs in this process reach as well."""
    runs = SlurmRuns(script, slurm(accounting=True), tmp_path / "site", time="30 min")
    for name, value in runs.cluster.variables.items():
        monkeypatch.setenv(name, value)
    return runs


@pytest.fixture
def readers():
    """submitit and ReFrame, which take long to import."""
    import slurm_readers

    slurm_readers.start()
    return slurm_readers


def arrays(runs: SlurmRuns) -> dict[str, int]:
    """The number of the array of each submission, by the comment, which names the submission."""
    jobs = [job for job in runs.cluster.json() if job["comment"].startswith("pinwheel:")]
    return {job["comment"].removeprefix("pinwheel:"): job["array_job_id"] for job in jobs}


def elements(runs: SlurmRuns) -> dict[str, Element]:
    """The jobs by step. The scripts have the tokens of steps, and the claims their submissions and indexes."""
    numbers = arrays(runs)
    found = {}
    for script in runs.directory.glob("scripts/*.sh"):
        for index, token, step in ELEMENT.findall(script.read_text()):
            claim = json.loads((runs.directory / "tokens" / token).read_text())
            assert (claim["submission"], claim["index"]) == (script.stem, int(index))
            found[step] = Element(numbers[script.stem], int(index), token)
    return found


def recorded(runs: SlurmRuns, jobs: dict[str, Element]) -> dict[str, str]:
    """How the jobs ended by the records of pinwheel, in Slurm's words."""
    ends = {}
    for step, job in jobs.items():
        result, mark = runs.directory / "results" / f"{job.token}.json", runs.directory / "ended" / job.token
        if result.exists():
            ends[step] = "COMPLETED" if json.loads(result.read_text())["exit_code"] == 0 else "FAILED"
        elif mark.exists():
            assert mark.read_text().strip() in ("canceled", "dependency-failed")
            ends[step] = "CANCELLED"
    return ends


def numbers_of(jobs: dict[str, Element]) -> dict[str, str]:
    return {step: str(job) for step, job in jobs.items()}


def arrays_of(jobs: dict[str, Element]) -> set[int]:
    return {job.array for job in jobs.values()}


def states_of(followed: dict[int, object]) -> dict[int, set[str]]:
    return {array: set((job.state or "unknown").split(",")) for array, job in followed.items()}


def grouped(jobs: dict[str, Element], values: dict[str, str]) -> dict[int, list[str]]:
    """Values of steps by array."""
    groups = collections.defaultdict(list)
    for step, value in values.items():
        groups[jobs[step].array].append(value)
    return {array: sorted(group) for array, group in groups.items()}


def eventually(read, expected) -> None:
    """The controller tells slurmdbd of a change a moment later."""
    limit = time.monotonic() + PATIENCE
    while (found := read()) != expected and time.monotonic() < limit:
        time.sleep(0.5)
    assert found == expected


def check_readers(readers, runs: SlurmRuns, jobs: dict[str, Element], states: dict[str, str]) -> None:
    """submitit and both schedulers of ReFrame see these states; squeue forgets jobs that ended."""
    eventually(lambda: readers.by_submitit(runs.place, numbers_of(jobs)), states)
    sets = {array: set(group) for array, group in grouped(jobs, states).items()}
    eventually(lambda: states_of(readers.by_reframe("slurm", arrays_of(jobs))), sets)
    open_states = {"PENDING", "RUNNING"}
    in_queue = {array: group & open_states or {"COMPLETED"} for array, group in sets.items()}
    eventually(lambda: states_of(readers.by_reframe("squeue", arrays_of(jobs))), in_queue)


def check_ends(readers, runs: SlurmRuns, jobs: dict[str, Element]) -> dict[int, object]:
    """All jobs have ended for every reader, each in the state that pinwheel recorded; the arrays."""
    ends = recorded(runs, jobs)
    assert set(ends) == set(jobs)
    check_readers(readers, runs, jobs, ends)
    assert all(readers.done_by_submitit(runs.place, str(job)) for job in jobs.values())
    followed = readers.by_reframe("slurm", arrays_of(jobs))
    assert {array: sorted(job.state.split(",")) for array, job in followed.items()} == grouped(jobs, ends)
    return followed


def by_kind(jobs: dict[str, Element], **states: str) -> dict[str, str]:
    """The state of each job: that of its step, with `_` for `:` and `-`, or of its kind."""
    return {step: states.get(re.sub("[:-]", "_", step), states.get(step.split(":")[0], "")) for step in jobs}


@pytest.mark.slurm
@pytest.mark.takes(60)
def test_they_follow_a_release(runs, readers):
    allow = runs.hold_builds()
    with runs.started("release", "matrix.yaml") as run:
        runs.cluster.wait(lambda: runs.starts() == {"build:loud": 1, "build:plain": 1}, "the builds do not run", PATIENCE)
        jobs = elements(runs)
        assert {"build:loud", "build:plain", f"test:{TAG}-loud", f"test:{TAG}-plain"} < set(jobs)
        check_readers(readers, runs, jobs, by_kind(jobs, env="COMPLETED", build="RUNNING", test="PENDING"))
        assert recorded(runs, jobs) == {step: "COMPLETED" for step in jobs if step.startswith("env:")}
        allow()
        output, _ = run.communicate(timeout=PATIENCE)
        assert run.returncode == 0, output
    assert set(recorded(runs, jobs).values()) == {"COMPLETED"}
    followed = check_ends(readers, runs, jobs)
    assert {job.exitcode for job in followed.values()} == {0}
    nodes = {step: runs.cluster.job(str(job))["NodeList"] for step, job in jobs.items()}
    assert {array: sorted(job.nodelist) for array, job in followed.items()} == grouped(jobs, nodes)
    runs.check_nothing_left()


@pytest.mark.slurm
@pytest.mark.takes(60)
def test_they_follow_jobs_that_fail_and_that_are_canceled(runs, readers):
    runs.hold_builds()
    maker = runs.project.directory / "make_wheel.py"
    broken = "import os, sys\n\nif os.environ['SCRIPT_FLAVOR'] == 'loud':\n    sys.exit('it is broken')\n"
    maker.write_text(broken + maker.read_text())
    runs.project.commit()
    with runs.started("test", "matrix.yaml", "--keep-going") as run:
        runs.cluster.wait(lambda: runs.starts() == {"build:loud": 1, "build:plain": 1}, "the builds do not run", PATIENCE)
        jobs = elements(runs)
        states = {"env": "COMPLETED", "build_loud": "FAILED", "build_plain": "RUNNING"}
        # The record of a test that can never start names all elements of its array for sacct, also one that may start.
        others = {step: job for step, job in jobs.items() if not step.startswith("test:")}
        check_readers(readers, runs, others, by_kind(others, **states))
        tests = {jobs[f"test:{TAG}-plain"].array}
        eventually(lambda: states_of(readers.by_reframe("squeue", tests)), dict.fromkeys(tests, {"PENDING"}))
        never = f"test:{TAG}-loud"
        runs.cluster.wait(lambda: never in recorded(runs, jobs), "its failed build is not noticed", PATIENCE)
        run.send_signal(signal.SIGINT)
        output, _ = run.communicate(timeout=PATIENCE)
        assert run.returncode == 130, output
    runs.cluster.wait_until_idle()
    expected = by_kind(jobs, **states | {"build_plain": "CANCELLED", "test": "CANCELLED"})
    assert recorded(runs, jobs) == expected
    followed = check_ends(readers, runs, jobs)
    result = json.loads((runs.directory / "results" / f"{jobs['build:loud'].token}.json").read_text())
    assert followed[jobs["build:loud"].array].exitcode == result["exit_code"]
    runs.check_nothing_left()


@pytest.mark.slurm
@pytest.mark.takes(30)
def test_sbatch_reads_the_scripts_of_a_dry_run(runs, readers):
    runs.set(partition="all", time="7 min", memory="300 MiB", cores=2, options=["--nice=5"])
    variables = {**runs.project.environment, **runs.environment}
    scripts = SCRIPT.findall(runs.run("release", "matrix.yaml", "--dry-run").stdout)
    assert len(scripts) == 3
    for script, kind in zip(scripts, ("environment", "build", "test")):
        checked = runs.cluster.run("sbatch", "--test-only", input=script, env=variables).stderr
        assert re.search(r"to start at \S+ using \d+ processors on nodes n\d in partition all", checked), checked
        array = runs.cluster.run("sbatch", "--parsable", "--hold", input=script, env=variables).stdout.strip()
        fields = runs.cluster.job(array)
        expected = {
            "JobName": f"pinwheel-{kind}",
            "ArrayTaskId": "0-1",
            "Partition": "all",
            "TimeLimit": "00:07:00",
            "MinMemoryNode": "300M",
            "CPUs/Task": "2",
            "NumTasks": "1",
            "NumNodes": "1-1",
            "Nice": "5",
            "Requeue": "0",
            "KillOInInvalidDependent": "Yes",
            "WorkDir": str(runs.project.directory),
        }
        assert {name: fields.get(name) for name in expected} == expected
        assert fields["Comment"].startswith("pinwheel:")
        assert fields["StdOut"].startswith(str(runs.shared))
        eventually(lambda: readers.by_submitit(runs.place, {kind: f"{array}_1"}), {kind: "PENDING"})
        runs.cluster.run("scancel", array)


@pytest.mark.slurm
@pytest.mark.takes(40)
def test_the_printed_script_submits_jobs_that_work(runs, readers):
    """It is run by bash, with the plan in its place."""
    variables = {**runs.project.environment, **runs.environment}
    printed = runs.run("release", "matrix.yaml", "--dry-run").stdout
    (place,) = {pathlib.Path(path) for path in re.findall(r"^run=(\S+)$", printed, re.MULTILINE)}
    for name in ("logs", "results"):
        (place / name).mkdir(parents=True)
    runs.project.run("plan", "matrix.yaml", "--out", str(place / "plan.json"))
    runs.cluster.run("bash", input=printed, cwd=runs.project.directory, env=variables)
    runs.cluster.wait_until_idle()
    numbers = arrays(runs)
    jobs = {}
    for name, script in zip(("job1", "job2", "job3"), SCRIPT.findall(printed)):
        for index, token, step in ELEMENT.findall(script):
            jobs[step] = Element(numbers[name], int(index), token)
    check_ends(readers, runs, jobs)
    runs.check_finished_once([step for step in jobs if not step.startswith("env:")])
