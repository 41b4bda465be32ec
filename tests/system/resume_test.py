"""`kill -9` at any moment loses nothing and leaves nothing behind."""

import random
import subprocess
import time
import uuid

import pytest
from conftest import digests
from processes import wait_for_none

KILLS = 20


@pytest.fixture
def script(project):
    """Steps that last long enough to be hit, with child processes."""
    script = project("script")
    script.edit(lambda matrix: matrix["build"]["command"].extend(["--pause", "0.25"]))
    script.edit(lambda matrix: matrix["environment"]["variables"].update(SCRIPT_PAUSE="0.15"))
    return script


def check_that_nothing_done_was_repeated(records):
    """No step restarts under the same key once the journal records it as done."""
    done = set()
    for record in records:
        if "started" in record:
            step = (record["started"]["id"], record["started"]["key"])
            assert step not in done, f"{step[0]} was started again"
        if "finished" in record and record["finished"]["state"] == "done":
            done.add((record["finished"]["id"], record["finished"]["key"]))
    return done


def whole_files(script):
    """The files that a reader of the output directory sees; a file that is being written has a hidden name."""
    return {name: digest for name, digest in script.wheels().items() if not name.startswith(".")}


@pytest.mark.takes(15)
def test_twenty_kills_at_random_moments(script):
    script.run("build", "matrix.yaml")  # makes the environment, which this test does not interrupt
    script.start_afresh()
    began = time.monotonic()
    script.run("release", "matrix.yaml")
    whole = time.monotonic() - began
    wanted, wanted_index = script.wheels(), digests(script.index)
    assert len(wanted) == 2
    seed = random.randrange(1 << 32)
    print("seed", seed)
    moments = random.Random(seed)

    kills = 0
    script.start_afresh()
    while kills < KILLS:
        marker = f"SCCACHE_MARKER_{uuid.uuid4().hex}"
        run = subprocess.Popen(
            script.command("release", "matrix.yaml"),
            cwd=script.directory,
            env={**script.environment, marker: "1"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            run.wait(timeout=moments.uniform(0.02, whole / 2))
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
            kills += 1
            assert wait_for_none(marker) == []
            assert whole_files(script).items() <= wanted.items()
            continue
        assert run.returncode == 0, run.stderr.read()
        check_that_nothing_done_was_repeated(script.journal())
        assert script.wheels() == wanted and digests(script.index) == wanted_index
        script.start_afresh()

    outcomes = script.report("release", "matrix.yaml")
    assert {outcome["state"] for outcome in outcomes.values()} <= {"done", "reused"}
    done = check_that_nothing_done_was_repeated(script.journal())
    assert {step for step, _ in done} == set(outcomes)
    assert whole_files(script) == wanted
    assert digests(script.index) == wanted_index


def test_the_same_command_continues_after_a_failure_without_the_finished_steps(script):
    command = ["python", "-c", "import os; os.stat(os.environ['GATE'])"]
    script.edit(lambda matrix: matrix["test"].update(command=command))
    script.edit(lambda matrix: matrix["environment"]["variables"].update(GATE=str(script.state / "gate")))
    failed = script.report("test", "matrix.yaml", "--keep-going", code=1)
    assert [o["state"] for step, o in failed.items() if step.startswith("build:")] == ["done", "done"]
    assert [o["state"] for step, o in failed.items() if step.startswith("test:")] == ["failed", "failed"]
    (script.state / "gate").write_text("")
    fixed = script.report("test", "matrix.yaml")
    assert [o["state"] for step, o in fixed.items() if step.startswith("build:")] == ["reused", "reused"]
    assert [o["state"] for step, o in fixed.items() if step.startswith("test:")] == ["done", "done"]
    check_that_nothing_done_was_repeated(script.journal())


def test_a_torn_last_line_of_the_journal_is_ignored(script):
    script.run("build", "matrix.yaml", "-s", "flavor=plain")
    journal = script.state / "journal.jsonl"
    whole = journal.read_text()
    journal.write_text(whole + '{"started":{"id":"build:')
    outcomes = script.report("build", "matrix.yaml", "-s", "flavor=plain")
    assert {outcome["state"] for outcome in outcomes.values()} == {"reused"}
    assert journal.read_text() == whole


def test_a_damaged_journal_is_rejected_and_not_deleted(script):
    script.run("build", "matrix.yaml", "-s", "flavor=plain")
    journal = script.state / "journal.jsonl"
    lines = journal.read_text().splitlines()
    damaged = "\n".join([lines[0], "nonsense", *lines[1:]]) + "\n"
    journal.write_text(damaged)
    refused = script.run("build", "matrix.yaml", code=2)
    assert "journal.jsonl" in refused.stderr and "line 2" in refused.stderr
    assert journal.read_text() == damaged
