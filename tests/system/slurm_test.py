"""`--executor slurm`: the steps of a plan as jobs of a real cluster on loopback. Whatever ends on the way, the bytes are
those of one machine, no finished step runs again, and no job is left."""

import copy
import os
import shutil
import signal
import subprocess
import time

import pytest
from conftest import PYTHON, Project, digests
from slurm_runs import SlurmRuns

TAG = "cp" + PYTHON.replace(".", "")
STEPS = ["build:loud", "build:plain", f"test:{TAG}-loud", f"test:{TAG}-plain"]


@pytest.fixture
def runs(script, slurm, tmp_path):
    return SlurmRuns(script, slurm(), tmp_path / "site")


@pytest.fixture
def local(runs, tmp_path):
    """A function that releases the project as it is now on one machine: its index and its wheels."""

    def release() -> tuple[dict[str, str], dict[str, str]]:
        place = tmp_path / "local"
        shutil.copytree(runs.project.directory, place / "project", ignore=shutil.ignore_patterns(".pinwheel"))
        one = Project(runs.project.binary, place / "project", runs.project.environment, runs.project.state / "resolutions")
        one.run("release", "matrix.yaml")
        return digests(one.index), one.wheels()

    return release


def check_release(runs: SlurmRuns, local) -> None:
    assert (digests(runs.project.index), runs.project.wheels()) == local()
    assert runs.done() == dict.fromkeys(STEPS, 1)
    runs.check_nothing_left()


@pytest.mark.takes(30)
def test_a_release_has_the_bytes_of_one_machine(runs, local):
    outcomes = runs.report("release", "matrix.yaml")
    assert {outcomes[step]["state"] for step in STEPS} == {"done"}
    assert outcomes["publish:index"]["state"] == "done"
    check_release(runs, local)
    for step in STEPS:
        log = outcomes[step]["log"]
        assert log.startswith(str(runs.directory / "logs"))
        assert runs.project.run("logs", step).stdout == open(log).read()
    assert runs.project.starts()["build:plain"] == 1
    before = runs.submissions()
    again = runs.report("release", "matrix.yaml")
    assert {again[step]["state"] for step in STEPS} == {"reused"}
    assert runs.submissions() == before


@pytest.mark.takes(50)
def test_a_killed_caller_loses_nothing(runs, local):
    killed = sum(runs.kill_after(seconds, "release", "matrix.yaml") for seconds in (0.4, 1, 1.5, 2, 2.5))
    assert killed > 0
    runs.run("release", "matrix.yaml")
    check_release(runs, local)


def slow(project, seconds: int) -> None:
    """Builds that take this long."""
    maker = project.directory / "make_wheel.py"
    maker.write_text(f"import time\n\ntime.sleep({seconds})\n" + maker.read_text())
    project.commit()


def interrupted(runs: SlurmRuns, *arguments: str) -> tuple[int, str]:
    """A run that gets Ctrl-C while jobs run: its exit code and its output."""
    with runs.started(*arguments) as run:
        runs.cluster.wait(
            lambda: any(one["state"] == "RUNNING" and "build" in one["name"] for one in runs.cluster.jobs()),
            "no build runs",
        )
        run.send_signal(signal.SIGINT)
        output, _ = run.communicate(timeout=60)
        return run.returncode, output


@pytest.mark.takes(30)
def test_an_interrupted_run_leaves_no_job(runs):
    slow(runs.project, 30)
    code, output = interrupted(runs, "build", "matrix.yaml")
    assert code == 130, output
    runs.check_nothing_left()
    assert runs.done() == {}


@pytest.mark.takes(30)
def test_a_failed_build_fails_once_and_is_repeated_by_the_next_run(runs):
    maker = runs.project.directory / "make_wheel.py"
    text = maker.read_text()
    maker.write_text(
        "import os, pathlib, sys\n\n"
        f"if os.environ['SCRIPT_FLAVOR'] == 'loud' and not pathlib.Path({str(runs.shared / 'allowed')!r}).exists():\n"
        "    sys.exit('it is broken')\n" + text
    )
    runs.project.commit()
    outcomes = runs.report("test", "matrix.yaml", "-k", code=1)
    assert {step: outcomes[step]["state"] for step in STEPS} == dict(
        zip(STEPS, ["failed", "done", "blocked", "done"])
    )
    assert outcomes["build:loud"]["attempts"] == 1
    assert "it is broken" in open(outcomes["build:loud"]["log"]).read()
    assert "it is broken" in runs.project.run("logs", "build:loud").stdout
    (runs.shared / "allowed").touch()
    again = runs.report("test", "matrix.yaml")
    assert {step: again[step]["state"] for step in STEPS} == dict(
        zip(STEPS, ["done", "reused", "done", "reused"])
    )
    assert runs.done() == dict.fromkeys(STEPS, 1)
    runs.check_nothing_left()


def test_the_scripts_are_printed(runs):
    script = runs.run("release", "matrix.yaml", "--dry-run").stdout
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    assert "--dependency=aftercorr:${job" in script
    assert "# pinwheel itself runs publish:index" in script
    assert not (runs.shared / "slurm").exists()


def test_wrong_settings_are_named(runs):
    command = ["build", "matrix.yaml", "--executor", "slurm"]
    assert "needs a store that all nodes share" in runs.project.run(*command, code=2, **runs.environment).stderr
    assert "is not an executor" in runs.project.run(*command[:-1], "pbs", code=2, **runs.environment).stderr
    runs.set(partition="nowhere")
    refused = runs.run("build", "matrix.yaml", code=4).stderr
    assert "sbatch refuses the jobs: " in refused and "nvalid partition" in refused and "`sinfo`" in refused
    runs.set(memory="4 TiB")
    assert "node configuration is not available" in runs.run("build", "matrix.yaml", code=4).stderr
    without = {"PATH": str(hide_slurm(runs))}
    assert "`sbatch` cannot be started" in runs.run("build", "matrix.yaml", code=4, **without).stderr
    runs.set()
    runs.run("build", "matrix.yaml")
    runs.check_nothing_left()


def hide_slurm(runs: SlurmRuns):
    """A directory with all programs but those of Slurm."""
    place = runs.shared / "programs"
    place.mkdir()
    for directory in reversed(os.environ["PATH"].split(":")):
        for program in os.scandir(directory) if os.path.isdir(directory) else []:
            if program.name in ("sbatch", "squeue", "scancel", "scontrol") or not os.access(program.path, os.X_OK):
                continue
            link = place / program.name
            link.unlink(missing_ok=True)
            link.symlink_to(program.path)
    return place


@pytest.mark.takes(40)
def test_two_callers_of_one_plan_submit_each_job_once(runs, local, tmp_path):
    other = copy.copy(runs.project)
    other.state, other.output = tmp_path / "other", tmp_path / "out"
    other.start_afresh()
    with runs.started("test", "matrix.yaml", project=other) as one:
        runs.run("test", "matrix.yaml")
        output, _ = one.communicate(timeout=120)
        assert one.returncode == 0, output
    assert other.wheels() == runs.project.wheels()
    runs.run("release", "matrix.yaml")
    check_release(runs, local)


@pytest.mark.takes(45)
@pytest.mark.parametrize("seconds", [1, 3, 8])
def test_a_killed_controller_loses_no_step(runs, local, seconds):
    slow(runs.project, 4)
    with runs.started("release", "matrix.yaml") as run:
        runs.cluster.wait(lambda: runs.cluster.jobs() != [], "nothing is submitted")
        time.sleep(seconds)
        runs.cluster.kill("slurmctld")
        runs.cluster.start_controller()
        output, _ = run.communicate(timeout=120)
        assert run.returncode == 0, output
    assert runs.project.wheels() == local()[1]
    runs.check_nothing_left()


@pytest.mark.takes(30)
def test_a_killed_node_daemon_loses_no_step(runs, local):
    slow(runs.project, 6)
    with runs.started("release", "matrix.yaml") as run:
        runs.cluster.wait(
            lambda: any(one["state"] == "RUNNING" and "build" in one["name"] for one in runs.cluster.jobs()),
            "no build runs",
        )
        for node in runs.cluster.nodes:
            runs.cluster.kill(node)
        for node in runs.cluster.nodes:
            runs.cluster.start_node(node)
        output, _ = run.communicate(timeout=120)
        assert run.returncode == 0, output
    assert runs.project.wheels() == local()[1]
    runs.check_nothing_left()
