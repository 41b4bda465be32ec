"""pinwheel inside a job of Slurm: it uses the job's cores, and starts no step that cannot end in time."""

import json
import time

JOB = {"SLURM_JOB_ID": "1", "SLURMD_NODENAME": "n1"}


def test_a_run_in_a_job_uses_the_cores_of_the_job(script, slurm):
    cluster = slurm(nodes=1)
    command = script.command("build", "matrix.yaml", "--json")
    ran = cluster.run(
        "srun", "--cpus-per-task=1", "--mem=200", "--mpi=none", *command, cwd=script.directory,
        env=script.environment | cluster.variables,
    )
    report = json.loads(ran.stdout)
    assert report["exit"] == 0
    machines = script.run("report", "--json").stdout
    assert {machine["slots"] for machine in json.loads(machines)["machines"]} == {1}


def test_a_step_that_cannot_end_in_time_does_not_start(script):
    script.report("build", "matrix.yaml")
    source = next(path for path in sorted(script.directory.rglob("*.py")))
    source.write_text(source.read_text() + "\n# changed\n")
    script.commit()
    late = JOB | {"SLURM_JOB_END_TIME": str(int(time.time()) - 1)}
    outcomes = script.report("build", "matrix.yaml", code=1, **late)
    errors = {outcome["error"]["kind"]: outcome["error"]["message"] for outcome in outcomes.values() if "error" in outcome}
    assert list(errors) == ["timeout"]
    assert "and job 1 of Slurm ends in 0.0s" in errors["timeout"]
    # The same command in a job with enough time continues.
    enough = JOB | {"SLURM_JOB_END_TIME": str(int(time.time()) + 3600)}
    assert {outcome["state"] for outcome in script.report("build", "matrix.yaml", **enough).values()} <= {"done", "reused"}
