"""`--executor slurm`: the steps of a plan as jobs of a real cluster on loopback. Whatever ends on the way, the bytes
are those of one machine, no finished step runs again, and no job is left."""

import copy
import os
import shutil
import signal
import subprocess
import time

import pytest
import slurm_cluster
from checkpoints import plain_ninja
from conftest import PYTHON, Project, digests
from slurm_runs import SlurmRuns, without_tag

TAG = "cp" + PYTHON.replace(".", "")
BUILDS = ["build:loud", "build:plain"]
STEPS = [*BUILDS, f"test:{TAG}-loud", f"test:{TAG}-plain"]
ONCE = {without_tag(step): 1 for step in STEPS}


@pytest.fixture
def runs(script, slurm, tmp_path):
    return SlurmRuns(script, slurm(), tmp_path / "site")


@pytest.fixture
def local_of(tmp_path):
    """A function that releases the project as it is now on one machine: its index and its wheels."""

    def release(runs: SlurmRuns) -> tuple[dict[str, str], dict[str, str]]:
        place = tmp_path / "local"
        shutil.copytree(runs.project.directory, place / "project")
        one = Project(
            runs.project.binary, place / "project", runs.project.environment, runs.project.state / "resolutions"
        )
        one.run("release", "matrix.yaml")
        return digests(one.index), one.wheels()

    return release


@pytest.fixture
def local(runs, local_of):
    return lambda: local_of(runs)


def check_release(runs: SlurmRuns, local) -> None:
    """The release is that of one machine, and each step finished once."""
    runs.check_finished_once(STEPS)
    assert (digests(runs.project.index), runs.project.wheels()) == local()


def check_builds(runs: SlurmRuns, local) -> None:
    """The same of builds that are not tested and not published."""
    runs.check_finished_once(BUILDS)
    assert runs.project.wheels() == local()[1]


@pytest.mark.takes(30)
def test_a_release_has_the_bytes_of_one_machine(runs, local):
    outcomes = runs.report("release", "matrix.yaml")
    assert {outcomes[step]["state"] for step in STEPS} == {"done"}
    assert outcomes["publish:index"]["state"] == "done"
    assert runs.starts() == ONCE
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


@pytest.mark.takes(90)
def test_a_killed_caller_loses_nothing(runs, local):
    """Ten kills: while the plan is written and the jobs are claimed and submitted, while they run, and while results
    come. The number of new files decides when. The builds end only after the eighth kill, so that no run ends before."""
    runs.set(time="30 min")
    allow = runs.hold_builds()
    killed = [runs.kill_at(files, 10, "release", "matrix.yaml") for files in (1, 2, 3, 4, 6, 8, 1, 5)]
    assert all(killed)
    allow()
    killed += [runs.kill_at(files, 10, "release", "matrix.yaml") for files in (1, 2)]
    runs.run("release", "matrix.yaml")
    assert sum(killed) >= 8
    assert runs.starts() == ONCE
    check_release(runs, local)


def repeat_at_once(project) -> None:
    """What may be repeated is, without the usual delay."""
    project.edit(lambda matrix: matrix["build"].update(retry={"transient": 4, "backoff": "1s..1s"}))


def slow(project, seconds: int) -> None:
    """Builds that take this long."""
    repeat_at_once(project)
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
        output, _ = run.communicate(timeout=600)
        return run.returncode, output


@pytest.mark.takes(45)
def test_an_interrupted_run_leaves_no_job(runs, local):
    allow = runs.hold_builds()
    code, output = interrupted(runs, "release", "matrix.yaml")
    assert code == 130, output
    runs.check_nothing_left()
    assert runs.done() == {}
    allow()
    runs.run("release", "matrix.yaml")
    check_release(runs, local)


@pytest.mark.takes(30)
def test_the_log_of_a_running_job_can_be_followed(runs):
    maker = runs.project.directory / "make_wheel.py"
    words = "import time\n\nprint('first words', flush=True)\ntime.sleep(8)\nprint('last words', flush=True)\n"
    maker.write_text(words + maker.read_text())
    runs.project.commit()
    with runs.started("build", "matrix.yaml") as run:
        runs.cluster.wait(lambda: "build:plain" in runs.project.starts(), "no build runs")
        followed = runs.project.run("logs", "build:plain", "--follow")
        output, _ = run.communicate(timeout=600)
        assert run.returncode == 0, output
    assert "first words" in followed.stdout and "last words" in followed.stdout


@pytest.mark.slurm
@pytest.mark.takes(45)
def test_a_failed_build_fails_once_and_is_repeated_by_the_next_run(runs, local):
    maker = runs.project.directory / "make_wheel.py"
    text = maker.read_text()
    maker.write_text(
        "import os, pathlib, sys\n\n"
        f"if os.environ['SCRIPT_FLAVOR'] == 'loud' and not pathlib.Path({str(runs.place / 'allowed')!r}).exists():\n"
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
    assert "it is broken" in runs.project.run("reproduce", "build:loud", code=1).stderr
    (runs.place / "allowed").touch()
    again = runs.report("test", "matrix.yaml")
    assert {step: again[step]["state"] for step in STEPS} == dict(
        zip(STEPS, ["done", "reused", "done", "reused"])
    )
    # It failed, `reproduce` repeated it, and the next run did.
    assert runs.starts() == ONCE | {"build:loud": 3}
    runs.run("release", "matrix.yaml")
    check_release(runs, local)


UPLOADS = {"PINWHEEL_TOKEN_INDEX": "t", "TWINE_PASSWORD": "t", "GITHUB_TOKEN": "t", "PINWHEEL_STATE_DIR": "/s"}


def test_the_scripts_are_printed(runs):
    runs.project.edit(lambda matrix: matrix["environment"].update(secrets=["SCRIPT_KEY"]))
    script = runs.run("release", "matrix.yaml", "--dry-run", SCRIPT_KEY="open sesame", **UPLOADS).stdout
    assert "open sesame" not in script
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    (exported,) = {line for line in script.splitlines() if line.startswith("#SBATCH --export=")}
    names = exported.split('"')[1].split(",")
    assert {"PATH", "HOME", "PINWHEEL_CACHE_DIR", "SCRIPT_KEY"} <= set(names)
    assert not {*UPLOADS, "PINWHEEL_STATE_DIR", "SLURM_CONF"} & set(names)
    assert "--dependency=aftercorr:${job" in script
    assert "# pinwheel itself runs publish:index" in script
    assert not (runs.shared / "slurm").exists()


def test_wrong_settings_are_named(runs):
    command = ["build", "matrix.yaml", "--executor", "slurm"]
    assert "needs a store that all nodes share" in runs.project.run(*command, code=2, **runs.environment).stderr
    assert "is not an executor" in runs.project.run(*command[:-1], "pbs", code=2, **runs.environment).stderr
    runs.set(partition="nowhere")
    refused = runs.run("build", "matrix.yaml", code=4).stderr
    assert "sbatch rejected the jobs: " in refused and "nvalid partition" in refused and "`sinfo`" in refused
    runs.set(memory="4 TiB")
    assert "node configuration is not available" in runs.run("build", "matrix.yaml", code=4).stderr
    without = {"PATH": str(hide_slurm(runs))}
    assert "`sbatch` cannot be started" in runs.run("build", "matrix.yaml", code=4, **without).stderr
    runs.set()
    runs.run("build", "matrix.yaml")
    runs.check_nothing_left()


def hide_slurm(runs: SlurmRuns):
    """A directory with all programs but those of Slurm."""
    place = runs.place / "programs"
    place.mkdir()
    for directory in reversed(os.environ["PATH"].split(":")):
        for program in os.scandir(directory) if os.path.isdir(directory) else []:
            if program.name in ("sbatch", "squeue", "scancel", "scontrol") or not os.access(program.path, os.X_OK):
                continue
            link = place / program.name
            link.unlink(missing_ok=True)
            link.symlink_to(program.path)
    return place


@pytest.mark.slurm
@pytest.mark.takes(40)
def test_two_callers_of_one_plan_submit_each_job_once(runs, local, tmp_path):
    other = copy.copy(runs.project)
    other.state, other.output = tmp_path / "other", tmp_path / "out"
    other.start_afresh()
    with runs.started("test", "matrix.yaml", project=other) as one:
        runs.run("test", "matrix.yaml")
        output, _ = one.communicate(timeout=600)
        assert one.returncode == 0, output
    assert other.wheels() == runs.project.wheels()
    runs.run("release", "matrix.yaml")
    assert runs.starts() == ONCE
    check_release(runs, local)


@pytest.mark.slurm
@pytest.mark.takes(55)
@pytest.mark.parametrize("seconds", [1, 3, 8])
def test_a_killed_controller_loses_no_step(runs, local, seconds):
    slow(runs.project, 4)
    with runs.started("release", "matrix.yaml") as run:
        runs.cluster.wait(lambda: runs.cluster.jobs() != [], "nothing is submitted")
        time.sleep(seconds)
        runs.cluster.kill("slurmctld")
        runs.cluster.start_controller()
        output, _ = run.communicate(timeout=600)
        assert run.returncode == 0, output
    check_release(runs, local)


@pytest.mark.slurm
@pytest.mark.takes(50)
def test_a_killed_node_daemon_loses_no_step(runs, local):
    slow(runs.project, 8)
    with runs.started("release", "matrix.yaml") as run:
        runs.cluster.wait(lambda: len(list(runs.shared.glob("slurm/*/logs/*/build-*.log"))) == 2, "no build runs")
        # A daemon that ends while it starts a job loses the job, which the controller notices after a minute.
        time.sleep(3)
        for node in runs.cluster.nodes:
            runs.cluster.kill(node)
        for node in runs.cluster.nodes:
            runs.cluster.start_node(node)
        output, _ = run.communicate(timeout=600)
        assert run.returncode == 0, output
    assert runs.starts() == ONCE
    check_release(runs, local)


def broken_once(runs: SlurmRuns, code: str) -> None:
    """A build that runs this code when it runs for the first time, in whichever job."""
    maker = runs.project.directory / "make_wheel.py"
    mark = runs.place / "ran-$flavor"
    text = (
        "import os, pathlib, time\n\n"
        f"mark = pathlib.Path({str(mark)!r}.replace('$flavor', os.environ['SCRIPT_FLAVOR']))\n"
        "if not mark.exists():\n"
        "    mark.touch()\n"
        f"    {code}\n"
    )
    maker.write_text(text + maker.read_text())
    repeat_at_once(runs.project)


@pytest.mark.slurm
@pytest.mark.takes(60)
def test_a_job_that_lacks_memory_gets_twice_as_much(script, slurm, tmp_path, local_of):
    cluster = slurm(nodes=1, settings=slurm_cluster.ENFORCED_MEMORY)
    runs = SlurmRuns(script, cluster, tmp_path / "site", memory="300 MiB")
    broken_once(runs, "text = b'x' * (500 << 20); time.sleep(60)")
    outcomes = runs.report("build", "matrix.yaml")
    assert [outcomes[step]["state"] for step in ("build:loud", "build:plain")] == ["done", "done"]
    assert [outcomes[step]["attempts"] for step in ("build:loud", "build:plain")] == [2, 2]
    assert {"--mem=\"300M\"", "--mem=\"600M\""} <= requests(runs, "--mem")
    check_builds(runs, lambda: local_of(runs))


@pytest.mark.slurm
@pytest.mark.takes(60)
def test_a_job_that_lacks_memory_fails_at_the_limit(script, slurm, tmp_path, local_of):
    cluster = slurm(nodes=1, settings=slurm_cluster.ENFORCED_MEMORY)
    limits = {"memory": "300 MiB", "memory-limit": "300 MiB"}
    runs = SlurmRuns(script, cluster, tmp_path / "site", **limits)
    broken_once(runs, "text = b'x' * (500 << 20); time.sleep(60)")
    outcomes = runs.report("build", "matrix.yaml", "-k", code=1)
    assert outcomes["build:loud"]["error"]["kind"] == "out-of-memory"
    assert outcomes["build:loud"]["attempts"] == 1
    runs.check_nothing_left()
    # The builds need less the second time.
    runs.run("release", "matrix.yaml")
    check_release(runs, lambda: local_of(runs))


def requests(runs: SlurmRuns, option: str) -> set[str]:
    """The values of an option of sbatch in all scripts."""
    texts = [path.read_text() for path in (runs.shared / "slurm").glob("*/scripts/*.sh")]
    return {line.split()[1] for text in texts for line in text.splitlines() if line.startswith(f"#SBATCH {option}=")}


@pytest.mark.slurm
@pytest.mark.takes(60)
def test_a_job_that_lacks_time_gets_twice_as_much(runs, local):
    broken_once(runs, "time.sleep(600)")
    with runs.started("build", "matrix.yaml") as run:
        runs.cluster.wait(lambda: len(list(runs.place.glob("ran-*"))) == 2, "the builds do not run")
        # The controller ends such a job within half a minute; the shortest limit of a job is a whole one.
        for job in runs.cluster.jobs():
            runs.cluster.run("scontrol", "update", f"JobId={job['id']}", "EndTime=now+1")
        output, _ = run.communicate(timeout=600)
        assert run.returncode == 0, output
    assert "exceeded its time limit" in output
    assert {'--time="5"', '--time="10"'} <= requests(runs, "--time")
    check_builds(runs, local)


@pytest.mark.slurm
@pytest.mark.takes(60)
def test_a_preempted_job_is_submitted_again(script, slurm, tmp_path, local_of):
    cluster = slurm(
        nodes=1, settings=slurm_cluster.PREEMPTION, partitions=slurm_cluster.preempting_partitions("CANCEL")
    )
    runs = SlurmRuns(script, cluster, tmp_path / "site", partition="all")
    broken_once(runs, "time.sleep(120)")
    with runs.started("build", "matrix.yaml") as run:
        cluster.wait(lambda: len(list(runs.place.glob("ran-*"))) == 2, "the builds do not run")
        urgent = cluster.submit("sleep 3", "-c2", "--partition=urgent")
        output, _ = run.communicate(timeout=600)
        assert run.returncode == 0, output
    assert "was preempted" in output
    assert cluster.state(urgent) == "COMPLETED"
    check_builds(runs, lambda: local_of(runs))


@pytest.mark.slurm
@pytest.mark.takes(40)
def test_a_job_that_somebody_cancels_is_submitted_again(runs, local):
    broken_once(runs, "time.sleep(120)")
    with runs.started("build", "matrix.yaml") as run:
        runs.cluster.wait(lambda: len(list(runs.place.glob("ran-*"))) == 2, "the builds do not run")
        for job in runs.cluster.jobs():
            runs.cluster.run("scancel", job["id"])
        output, _ = run.communicate(timeout=600)
        assert run.returncode == 0, output
    assert "was canceled" in output
    check_builds(runs, local)


@pytest.mark.slurm
@pytest.mark.takes(50)
def test_a_full_shared_directory_is_an_error_and_loses_nothing(script, slurm, tmp_path, small_disk, local_of):
    runs = SlurmRuns(script, slurm(), tmp_path / "site", shared=str(small_disk))
    filler = small_disk / "filler"
    broken_once(runs, f"os.system('head -c 3M /dev/zero >> {filler}')")
    failed = runs.run("build", "matrix.yaml", "-k", code=None)
    assert failed.returncode in (1, 4)
    assert "left no result" in failed.stderr or "No space left on device" in failed.stderr
    runs.cluster.wait_until_idle()
    assert runs.done() == {}
    filler.unlink()
    # A build that could not even start fills nothing now.
    for flavor in ("loud", "plain"):
        (runs.place / f"ran-{flavor}").touch()
    runs.run("build", "matrix.yaml")
    # A build that had reached the store is found there, although its job could not report it.
    stored = set(BUILDS) - set(runs.done())
    assert {step: runs.starts()[step] for step in stored} == dict.fromkeys(stored, 1)
    runs.check_finished_once([step for step in BUILDS if step not in stored])
    assert runs.project.wheels() == local_of(runs)[1]


def test_other_programs_can_read_what_is_submitted(runs):
    """squeue's own JSON, as monitoring programs read it: the name, the comment, the array."""
    slow(runs.project, 8)
    with runs.started("build", "matrix.yaml") as run:
        runs.cluster.wait(lambda: len(runs.cluster.jobs()) > 2, "nothing is submitted")
        jobs = [job for job in runs.cluster.json() if job["comment"].startswith("pinwheel:")]
        output, _ = run.communicate(timeout=600)
        assert run.returncode == 0, output
    assert {job["name"] for job in jobs} == {"pinwheel-environment", "pinwheel-build"}
    submissions = {path.stem for path in (runs.directory / "scripts").iterdir()}
    assert {job["comment"].removeprefix("pinwheel:") for job in jobs} <= submissions
    assert all(job["array_job_id"] for job in jobs)
    runs.check_nothing_left()


@pytest.mark.slurm
@pytest.mark.takes(120)
def test_a_build_that_outlasts_its_job_is_continued_by_the_next(project, slurm, tmp_path):
    stopped = plain_ninja(project, tmp_path / "commands", sources=16, pause=2)
    runs = SlurmRuns(stopped.project, slurm(), tmp_path / "site", time="1 min")
    # A job of one minute stops its build after 20 seconds.
    stopped.project.edit(lambda matrix: matrix["build"]["checkpoint"].update(every="30 s", before="40 s"))
    outcomes = runs.report("build", "matrix.yaml")
    build = next(outcome for step, outcome in outcomes.items() if step.startswith("build:"))
    assert build["state"] == "done" and build["attempts"] >= 2
    # A command may end just before its build is stopped, and ninja does not record it.
    assert set(stopped.commands()) == {f"t{number}.txt" for number in range(16)}
    assert len(stopped.commands()) < 16 + build["attempts"]
    runs.check_nothing_left()
    wheels = stopped.project.wheels()
    stopped.project.start_afresh()
    stopped.project.run("build", "matrix.yaml")
    assert stopped.project.wheels() == wheels
