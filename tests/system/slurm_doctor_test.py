"""`doctor --executor slurm` on a real cluster: what it finds, and each fault that can be caused here."""

import json
import os
import subprocess

import pytest

CONFIGURATION = """
executor:
  slurm:
    partition: all
    shared: {shared}
    time: 30 min
    gres: {{cuda: "gpu:2"}}
"""


@pytest.fixture
def doctor(pinwheel, tmp_path):
    """A function that runs the doctor in a project with this configuration, and returns its exit code and JSON."""
    project = tmp_path / "project"
    project.mkdir()

    def run(cluster, *options: str, configuration: str | None = None, **variables: str) -> tuple[int, dict]:
        text = CONFIGURATION.format(shared=tmp_path) if configuration is None else configuration
        (project / ".pinwheel.yaml").write_text(text)
        home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "", "PINWHEEL_CACHE_DIR": str(tmp_path / "cache")}
        ran = subprocess.run(
            [pinwheel, "doctor", "--executor", "slurm", "--json", *options],
            cwd=project,
            env={**(cluster.environment() if cluster else os.environ), **home, **variables},
            capture_output=True,
            text=True,
        )
        assert ran.stdout, ran.stderr
        return ran.returncode, json.loads(ran.stdout)

    return run


def faults(report: dict) -> dict[str, str]:
    """What was found on the lines that are not good, by name."""
    return {line["name"]: line["found"] for line in report["lines"] if line["verdict"] != "good"}


def test_a_cluster_with_a_test_job(doctor, slurm, tmp_path):
    cluster = slurm(gres="gpu:2")
    code, report = doctor(cluster, "--test-job")
    # Without slurmdbd there is no accounting; nothing else is wrong.
    assert code == 0 and faults(report) == {"accounting": "none (sacct)"}
    found = {line["name"]: line["found"] for line in report["lines"]}
    assert found["partition"] == "`all`, 3 nodes" and found["controller"] == "of cluster `pinwheel` responds"
    assert found["arrays"] == "up to 1000 tasks" and found["test job"].startswith("ran pinwheel ")
    assert {"key": "executor.slurm.partition", "value": "all", "file": ".pinwheel.yaml", "line": 4} in report["settings"]
    assert not list(tmp_path.glob(".pinwheel-doctor*")), "a file is left in the shared directory"
    cluster.wait_until_idle()


def test_a_cluster_with_accounting(doctor, slurm):
    cluster = slurm(nodes=1, accounting=True)
    cluster.wait_for_state(cluster.submit("true"), "COMPLETED")
    cluster.wait(lambda: "COMPLETED" in cluster.run("sacct", "--allocations").stdout, "sacct does not know the job")
    code, report = doctor(cluster, configuration="")
    found = {line["name"]: line["found"] for line in report["lines"]}
    assert code == 0 and found["accounting"] == "sacct has 1 job of the last day"


def test_faults_of_settings_and_variables(doctor, slurm, tmp_path):
    cluster = slurm(nodes=1)
    configuration = f"""
executor:
  slurm:
    shared: {tmp_path}/none
    time: 2 h
    test: {{partition: gpus}}
    gres: {{cuda: "gpu:1"}}
"""
    code, report = doctor(cluster, configuration=configuration, SBATCH_ACCOUNT="other")
    assert code == 4
    assert faults(report) == {
        "partition": "`gpus` does not exist",
        "time": "partition `all` allows 1h00m",
        "GPUs": "no node of `gpus` has `gpu:1`, requested for `cuda`",
        "accounting": "none (sacct)",
        "shared": f"{tmp_path}/none does not exist",
        "variables": "`SBATCH_ACCOUNT`",
    }


@pytest.mark.slurm
def test_a_job_that_waits_in_vain_and_a_partition_that_is_down(doctor, slurm):
    cluster = slurm(nodes=1)
    jobs = [cluster.submit("true", "--hold", f"--comment={comment}") for comment in ("pinwheel:x", "someone's")]
    code, report = doctor(cluster, configuration="")
    always = {"accounting": "none (sacct)", "shared": "no directory is set"}
    assert code == 0
    assert faults(report) == always | {"job": "job 1 is held (`JobHeldUser`)"}
    cluster.run("scancel", *map(str, jobs))
    cluster.run("scontrol", "update", "PartitionName=all", "State=DOWN")
    code, report = doctor(cluster, configuration="")
    assert code == 4
    assert faults(report) == always | {"partition": "`all` is down"}


@pytest.mark.slurm
def test_a_shared_directory_that_is_not_shared(doctor, slurm, pinwheel, tmp_path):
    """srun is replaced by one that runs the job where the directory is empty, as on another machine."""
    if os.geteuid() != 0:
        pytest.skip("mounting a file system needs root")
    cluster = slurm(nodes=1)
    programs = tmp_path / "programs"
    programs.mkdir()
    srun = programs / "srun"
    srun.write_text(
        "#!/bin/bash\n"
        "# The command of the job begins with `sh -c`.\n"
        'while [ "$1" != sh ]; do shift; done\n'
        f"exec unshare --mount bash -c 'mount -t tmpfs none {tmp_path} && exec \"$@\"' bash \"$@\"\n"
    )
    srun.chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    configuration = f"executor: {{slurm: {{shared: {tmp_path}}}}}\n"
    code, report = doctor(cluster, "--test-job", configuration=configuration, PATH=path)
    assert code == 4
    assert faults(report)["shared"] == f"{tmp_path} is not shared: a job did not see a file that was written here"


def test_no_controller(doctor, slurm):
    cluster = slurm(nodes=1)
    cluster.kill("slurmctld")
    code, report = doctor(cluster, configuration="")
    assert code == 4
    assert faults(report)["controller"] == f"Slurmctld(primary) at {cluster.host} is DOWN"


@pytest.mark.slurm
@pytest.mark.takes(50)
def test_no_munge(doctor, slurm):
    """The client of 22.05 tries for 50 seconds."""
    cluster = slurm(nodes=1)
    cluster.kill("munged")
    code, report = doctor(cluster, configuration="")
    assert code == 4
    assert faults(report)["controller"] == "munge does not respond"
    cluster.start_munge()


def test_no_slurm(doctor, tmp_path):
    code, report = doctor(None, configuration="", PATH=str(tmp_path))
    assert code == 4
    assert faults(report)["Slurm"] == "`sbatch`, `squeue`, `scancel`, `scontrol`, `srun` not found"


@pytest.mark.parametrize("executor", [(), ("--executor", "local")])
def test_a_test_job_without_a_cluster_is_an_error(pinwheel, executor, tmp_path):
    ran = subprocess.run([pinwheel, "doctor", "--test-job", *executor], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 2 and not ran.stdout
    assert "`--test-job` needs `--executor slurm`" in ran.stderr


@pytest.mark.parametrize("option", [("--test-job",), ("--executor", "slurm")])
def test_options_of_a_cluster_do_not_go_with_those_of_a_cache(pinwheel, option, tmp_path):
    ran = subprocess.run([pinwheel, "doctor", "--cache", *option], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 2 and not ran.stdout
    assert "--cache" in ran.stderr and option[0] in ran.stderr


def test_an_error_in_the_configuration_has_its_place(pinwheel, tmp_path):
    (tmp_path / ".pinwheel.yaml").write_text("executor:\n  slurm:\n    options: [--comment=mine]\n")
    ran = subprocess.run([pinwheel, "doctor", "--executor", "slurm"], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 2
    assert ".pinwheel.yaml:3:15" in ran.stderr
    assert "`--comment` cannot be given: the executor finds its jobs by it" in ran.stderr
