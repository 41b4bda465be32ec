"""The outputs of Slurm in tests/data/slurm, which the unit tests of `slurm/` read, are what Slurm prints. Each job ends in
another way; PINWHEEL_UPDATE_GOLDEN=1 writes the files. Times, directories, users and names of machines are replaced."""

import contextlib
import getpass
import os
import pathlib
import re
import signal
import time

import processes
import pytest
import slurm_cluster

DATA = pathlib.Path(__file__).parent.parent / "data" / "slurm"
# As tools/slurm/queue.cc asks; its unit test compares the two.
FORMAT = (DATA / "squeue.format").read_text().rstrip("\n").encode().decode("unicode_escape")
HOSTILE_COMMENT = "a|b\nc\x1b[31m\x1e\x1fd\tJobState=COMPLETED Comment=x"
HOSTILE_NAME = "x JobState=FAILED\ny"


def without_chance(text: str, cluster: slurm_cluster.Cluster) -> str:
    """The text without what differs between two runs of the same jobs."""
    text = text.replace(str(cluster.directory), "/cluster").replace(cluster.host, "host")
    text = re.sub(r"UserId=\S+ GroupId=\S+", "UserId=user(1000) GroupId=user(1000)", text)
    text = re.sub(r"\b1[0-9]{9}\b", "1800000000", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "2026-01-02T03:04:05", text)
    for key, value in (
        ("Priority", "1"),
        ("RunTime", "00:00:01"),
        ("LastSchedEval", "1800000000"),
        ("Scheduler", "Main"),
        ("AccrueTime", "1800000000"),
        ("AllocNode:Sid", "host:1"),
        ("NodeList", "n1"),
        ("BatchHost", "n1"),
    ):
        text = re.sub(rf" {key}=[^\s()]\S*", f" {key}={value}", text)
    return re.sub(r"\(\d+ > \d+\)", "(2 > 1)", text)


def outputs_of(cluster: slurm_cluster.Cluster, job: int) -> dict[str, str]:
    """What squeue and scontrol print about a job, and the job itself, without chance."""
    epoch = {**cluster.environment(), "SLURM_TIME_FORMAT": "%s"}
    squeue = ["squeue", "--noheader", "--array", "--states=all", f"--format={FORMAT}", f"--jobs={job}"]
    texts = {
        "squeue": cluster.run(*squeue, env=epoch).stdout,
        "scontrol": cluster.run("scontrol", "show", "job", "--oneliner", str(job), env=epoch).stdout,
    }
    # The order of an array's tasks varies.
    if HOSTILE_NAME not in texts["scontrol"]:
        texts = {kind: "".join(sorted(f"{line}\n" for line in text.split("\n") if line)) for kind, text in texts.items()}
    output = "".join(path.read_text() for path in sorted((cluster.directory / "log").glob(f"job-{job}_*.out")))
    if output:
        texts["output"] = output
    return {kind: without_chance(text, cluster) for kind, text in texts.items()}


def compare(name: str, texts: dict[str, str]) -> None:
    if os.environ.get("PINWHEEL_UPDATE_GOLDEN"):
        for kind in ("squeue", "scontrol", "output"):
            (DATA / f"{name}.{kind}").unlink(missing_ok=True)
        for kind, text in texts.items():
            (DATA / f"{name}.{kind}").write_text(text)
    stored = {path.suffix[1:]: path.read_bytes().decode() for path in DATA.glob(f"{name}.*")}
    assert texts == stored, name


def lose_node(cluster: slurm_cluster.Cluster, node: str) -> None:
    """Kills a node's daemon and all that its jobs run, as a power failure does."""
    cluster.kill(node)
    for line in processes.left_behind(str(cluster.directory)):
        number = int(line.split(":")[0])
        if number not in {daemon.pid for daemon in cluster.daemons.values()}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


@pytest.mark.slurm
@pytest.mark.takes(95)
def test_each_end_of_a_job_reads_as_recorded(slurm):
    """A time limit is a minute at least, and is checked every 30 seconds; the other jobs run meanwhile."""
    cluster = slurm(nodes=1)
    failed = cluster.submit("echo building; exit 2")
    jobs = {
        "timeout": cluster.submit("echo building; sleep 300", "--time=1"),
        "completed": cluster.submit("echo built", "--comment=pinwheel:abc"),
        "hostile": cluster.submit("true", f"--comment={HOSTILE_COMMENT}", f"--job-name={HOSTILE_NAME}"),
        "failed": failed,
        "killed": cluster.submit("kill -9 $$"),
        "step-failed": cluster.submit("srun --mpi=none false; exit 3"),
        "cancelled-by-dependency": cluster.submit("true", f"--dependency=afterok:{failed}", "--kill-on-invalid-dep=yes"),
        "dependency-never": cluster.submit("true", f"--dependency=afterok:{failed}"),
        "array": cluster.submit("exit $SLURM_ARRAY_TASK_ID", "--array=0-2", "--comment=pinwheel:array"),
        "no-output": int(cluster.run("sbatch", "--parsable", "--output=/none/x", "--wrap=true", cwd="/").stdout),
        "held": cluster.submit("true", "--hold"),
        "cancelled": cluster.submit("echo running; sleep 300"),
    }
    waiting = {"timeout", "dependency-never", "held", "cancelled"}
    left = {str(jobs[name]) for name in waiting}
    cluster.wait(lambda: {one["id"] for one in cluster.jobs()} <= left, "jobs are left")
    cluster.wait_for_state(jobs["cancelled"], "RUNNING")
    cluster.run("scancel", str(jobs["cancelled"]))
    jobs["requeued-and-held"] = cluster.submit("sleep 300")
    cluster.wait_for_state(jobs["requeued-and-held"], "RUNNING")
    cluster.run("scontrol", "requeuehold", str(jobs["requeued-and-held"]))
    cluster.wait_for_state(jobs["cancelled"], "CANCELLED")
    cluster.wait_for_state(jobs["requeued-and-held"], "PENDING")
    cluster.wait_for_state(jobs["timeout"], "TIMEOUT", seconds=600)
    for name, job in jobs.items():
        compare(name, outputs_of(cluster, job))


@pytest.mark.slurm
def test_a_lost_node_reads_as_recorded(slurm):
    cluster = slurm(nodes=1, settings={"SlurmdTimeout": "5"})
    jobs = {"node-failed": cluster.submit("sleep 300", "--no-requeue"), "node-failed-requeued": cluster.submit("sleep 300")}
    for job in jobs.values():
        cluster.wait_for_state(job, "RUNNING")
    lose_node(cluster, "n1")
    cluster.wait_for_state(jobs["node-failed"], "NODE_FAIL")
    cluster.wait_for_state(jobs["node-failed-requeued"], "PENDING")
    for name, job in jobs.items():
        compare(name, outputs_of(cluster, job))


@pytest.mark.slurm
def test_a_failed_prolog_reads_as_recorded(slurm):
    cluster = slurm(nodes=1, settings={"Prolog": "/bin/false"})
    job = cluster.submit("true")
    cluster.wait(lambda: cluster.job(job)["Restarts"] == "1" or "launch" in cluster.job(job)["Reason"], "no launch failure")
    time.sleep(2)
    compare("launch-failed", outputs_of(cluster, job))


@pytest.mark.slurm
def test_a_job_over_its_memory_reads_as_recorded(slurm):
    cluster = slurm(nodes=1, settings=slurm_cluster.ENFORCED_MEMORY)
    job = cluster.submit("python3 -c 'import time; text = b\"x\" * (300 << 20); time.sleep(60)'", "--mem=50")
    cluster.wait_for_state(job, "FAILED")
    texts = outputs_of(cluster, job)
    # How often the daemon measures before the end, and the order of its lines, differ.
    texts["output"] = "".join(sorted(set(texts["output"].splitlines(keepends=True))))
    compare("over-memory", texts)


@pytest.mark.slurm
@pytest.mark.parametrize(["mode", "state"], [("REQUEUE", "PENDING"), ("CANCEL", "PREEMPTED")])
def test_a_preempted_job_reads_as_recorded(slurm, mode, state):
    cluster = slurm(nodes=1, settings=slurm_cluster.PREEMPTION, partitions=slurm_cluster.preempting_partitions(mode))
    job = cluster.submit("sleep 300", "-c2")
    cluster.wait_for_state(job, "RUNNING")
    cluster.submit("sleep 300", "-c2", "--partition=urgent")
    cluster.wait_for_state(job, state)
    compare(f"preempted-{mode.lower()}", outputs_of(cluster, job))


def test_the_user_is_not_in_the_files():
    for path in DATA.iterdir():
        assert f"UserId={getpass.getuser()}(" not in path.read_text(errors="replace")
