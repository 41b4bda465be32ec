"""The cluster that the tests of Slurm use: it runs jobs, survives the loss of its daemons, and leaves nothing."""

import processes
import pytest
import slurm_cluster


def outputs(cluster: slurm_cluster.Cluster, job: int) -> list[str]:
    """What the tasks of an array printed, in their order."""
    return [path.read_text() for path in sorted((cluster.directory / "log").glob(f"job-{job}_*.out"))]


def test_an_array_runs_on_its_nodes_and_nothing_is_left(slurm):
    cluster = slurm()
    job = cluster.submit("sleep 1; echo $SLURM_ARRAY_TASK_ID; exit $SLURM_ARRAY_TASK_ID", "--array=0-2", "-c2")
    cluster.wait(lambda: [one["state"] for one in cluster.jobs()] == ["RUNNING"] * 3, "the array does not run")
    cluster.wait_until_idle()
    assert outputs(cluster, job) == ["0\n", "1\n", "2\n"]
    jobs = [cluster.job(f"{job}_{task}") for task in range(3)]
    assert [one["ExitCode"] for one in jobs] == ["0:0", "1:0", "2:0"]
    assert sorted(one["NodeList"] for one in jobs) == ["n1", "n2", "n3"]
    assert len(cluster.completed.read_text().splitlines()) == 3
    unfinished = cluster.submit("sleep 300")
    cluster.wait_for_state(unfinished, "RUNNING")
    daemons = list(cluster.daemons.values())
    cluster.stop()
    assert len(daemons) == 5 and all(one.poll() is not None for one in daemons)
    assert processes.left_behind(str(cluster.directory)) == []


@pytest.mark.slurm
@pytest.mark.takes(16)
def test_jobs_survive_the_loss_of_a_daemon(slurm):
    cluster = slurm()
    job = cluster.submit("sleep 10; exit 7")
    cluster.wait_for_state(job, "RUNNING")
    node = cluster.job(job)["NodeList"]
    cluster.wait_until_saved()
    cluster.kill(node)
    cluster.start_node(node)
    cluster.kill("slurmctld")
    assert not cluster.responds()
    cluster.start_controller()
    cluster.wait_for_state(job, "FAILED")
    assert cluster.job(job)["ExitCode"] == "7:0"


@pytest.mark.slurm
def test_more_memory_than_requested_ends_a_job(slurm):
    cluster = slurm(nodes=1, settings=slurm_cluster.ENFORCED_MEMORY)
    job = cluster.submit("python3 -c 'import time; text = b\"x\" * (300 << 20); time.sleep(60)'", "--mem=50")
    cluster.wait_for_state(job, "FAILED")
    assert cluster.job(job)["ExitCode"] == "0:9"
    assert "exceeded memory limit" in cluster.logs()


@pytest.mark.slurm
@pytest.mark.parametrize(["mode", "states"], [("REQUEUE", ["PENDING"]), ("CANCEL", ["PREEMPTED"])])
def test_an_urgent_job_takes_the_place_of_another(slurm, mode, states):
    cluster = slurm(
        nodes=1, settings=slurm_cluster.PREEMPTION, partitions=slurm_cluster.preempting_partitions(mode)
    )
    job = cluster.submit("sleep 300", "-c2")
    cluster.wait_for_state(job, "RUNNING")
    urgent = cluster.submit("sleep 20", "-c2", "--partition=urgent")
    cluster.wait_for_state(urgent, "RUNNING")
    cluster.wait_for_state(job, *states)
