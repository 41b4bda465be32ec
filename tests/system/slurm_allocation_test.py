"""pinwheel inside a job of Slurm: it uses the job's part of the node, or its nodes through srun, and starts no step that
cannot end in time."""

import json
import shlex
import shutil
import subprocess
import time

import pytest
from checkpoints import MESSAGE, plain_ninja
from conftest import Project, digests
from slurm_runs import SlurmRuns

JOB = {"SLURM_JOB_ID": "1", "SLURMD_NODENAME": "n1"}


def submit_run(cluster, project, command: list[str], variables: dict[str, str], *options: str) -> int:
    """Submits a job that runs pinwheel with the project's variables; its output is `run.out` in the cluster's
    directory."""
    assignments = [f"{name}={value}" for name, value in {**project.environment, **variables}.items()]
    script = f"cd {project.directory} && env {shlex.join(assignments)} {shlex.join(command)} >{cluster.directory}/run.out"
    return cluster.submit(script, *options)


def report_of(cluster) -> dict:
    return json.loads((cluster.directory / "run.out").read_text())


def test_a_run_in_a_job_uses_the_cores_of_the_job(script, slurm):
    cluster = slurm(nodes=1)
    command = script.command("build", "matrix.yaml", "--json")
    job = submit_run(cluster, script, command, cluster.variables, "--cpus-per-task=1", "--mem=300")
    cluster.wait_for_state(job, "COMPLETED", seconds=600)
    report = report_of(cluster)
    assert report["exit"] == 0
    attempts = [attempt for outcome in report["outcomes"] for attempt in outcome.get("trace", ())]
    assert {attempt["cores"] for attempt in attempts if "cores" in attempt} == {1}


def test_a_step_that_cannot_end_in_time_does_not_start(script):
    script.report("build", "matrix.yaml")
    maker = script.directory / "make_wheel.py"
    maker.write_text(maker.read_text() + "\n# changed\n")
    script.commit()
    late = JOB | {"SLURM_JOB_END_TIME": str(int(time.time()) - 1)}
    outcomes = script.report("build", "matrix.yaml", code=1, **late)
    errors = {outcome["error"]["kind"]: outcome["error"]["message"] for outcome in outcomes.values() if outcome.get("error")}
    assert list(errors) == ["timeout"]
    assert "and job 1 of Slurm ends in 0.0s" in errors["timeout"]
    # The same command in a job with enough time continues.
    enough = JOB | {"SLURM_JOB_END_TIME": str(int(time.time()) + 3600)}
    states = {outcome["state"] for outcome in script.report("build", "matrix.yaml", **enough).values()}
    assert states <= {"done", "reused"}


@pytest.mark.slurm
@pytest.mark.takes(40)
def test_a_release_over_the_nodes_of_one_job(script, slurm, tmp_path):
    cluster = slurm()
    runs = SlurmRuns(script, cluster, tmp_path / "site", memory="250 MiB", cores=2)
    command = script.command(*runs.arguments("release", "matrix.yaml", "--json"))
    options = ("--nodes=3", "--ntasks-per-node=1", "--cpus-per-task=2", "--mem=900")
    job = submit_run(cluster, script, command, runs.environment, *options)
    cluster.wait_for_state(job, "COMPLETED", seconds=600)
    report = report_of(cluster)
    assert report["exit"] == 0 and "failed" not in {outcome["state"] for outcome in report["outcomes"]}
    # Nothing was submitted: the only job is the one that runs pinwheel.
    cluster.wait_until_idle()
    assert len(cluster.completed.read_text().splitlines()) == 1
    launched = [node for node in cluster.nodes if "launch task" in (cluster.directory / "log" / f"{node}.out").read_text()]
    assert len(launched) > 1, launched
    assert set(runs.starts().values()) == {1}
    place = tmp_path / "local" / "project"
    shutil.copytree(script.directory, place, ignore=shutil.ignore_patterns(".pinwheel"))
    local = Project(script.binary, place, script.environment, script.state / "resolutions")
    local.run("release", "matrix.yaml")
    assert (digests(script.index), script.wheels()) == (digests(local.index), local.wheels())
    runs.check_nothing_left()


@pytest.mark.slurm
@pytest.mark.takes(40)
def test_a_build_with_checkpoints_is_stopped_before_its_job_ends(project, tmp_path):
    stopped = plain_ninja(project, tmp_path / "commands")
    stopped.gate.unlink()
    # How much of the time is left when the build starts depends on the machine.
    for seconds in (10, 40, 160):
        job = JOB | {"SLURM_JOB_END_TIME": str(int(time.time()) + seconds)}
        ran = subprocess.run(
            stopped.project.command("build", "matrix.yaml"),
            cwd=stopped.project.directory,
            env=stopped.project.environment | job,
            capture_output=True,
            text=True,
        )
        if ran.returncode == 8 and stopped.commands():
            break
    assert ran.returncode == 8, ran.stderr
    stopped.gate.touch()
    stopped.project.run("build", "matrix.yaml")
    assert MESSAGE in stopped.log()
    assert sorted(stopped.commands()) == sorted(f"t{number}.txt" for number in range(8))
