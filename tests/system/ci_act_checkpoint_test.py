"""A chain of jobs that continue one build, run by act."""

import re

import pytest
from act_workflows import Workflows
from checkpoints import plain_ninja

SOURCES = 14


@pytest.mark.workflows
@pytest.mark.takes(90)
def test_a_build_that_outlasts_its_job_is_continued_by_the_next(project, tmp_path):
    stopped = plain_ninja(project, tmp_path / "commands", SOURCES, pause=2)
    script = stopped.project
    # The jobs find their environment in the cache: it could take all of their time.
    script.run("env", "shell", "matrix.yaml", "cp311-plain", "--", "true")
    # The jobs of a chain have no state of another job; each stops its build after 25 seconds.
    script.edit(lambda matrix: matrix["build"]["checkpoint"].update(before="95 s"))
    script.edit(lambda matrix: matrix["build"].update(timeout="3 min"))
    script.edit(lambda matrix: matrix.update(ci={"timeout": "2 min"}))
    workflows = Workflows(script, tmp_path / "act")
    ran = workflows.run("ci", "pull_request")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "result-build-plain-1" in workflows.results() and "result-test-cp311-plain-1" in workflows.results()
    assert (workflows.artifacts / "checkpoint.build-plain").is_dir()
    assert re.search(r"unfinished +build:plain", ran.stdout), ran.stdout
    # The build continued where the first job stopped it. At that moment, a command may have ended that ninja does not
    # record.
    assert set(stopped.commands()) == {f"t{number}.txt" for number in range(SOURCES)}
    assert len(stopped.commands()) <= SOURCES + 1
